"""Two camps: raters who agree among themselves and not with the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Indices
from consilience.core.draws import RandomStream, check_resamples, is_whole
from consilience.core.labels import MEASURED
from consilience.core.result import Result
from consilience.core.words import listed, p_text
from consilience.document import Document, Finding, Table
from consilience.document.records import Recorded
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.latent.votes import Entries, by_name, entries_of
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items
from consilience.ratings.duplicates import need_one_occasion

# ---- agreement of pairs

_FEWEST_COMMON = 5  # items that a pair must share to be compared
_N_BLOCKS = 250  # sums over so many groups of items stand for the items in the bootstrap
# Mammen's multipliers: mean 0, variance 1, and third moment 1, as sums of squares are skewed.
_BELOW, _ABOVE = (1.0 - 5.0**0.5) / 2.0, (1.0 + 5.0**0.5) / 2.0
_OFTEN = _ABOVE / 5.0**0.5
_CELLS = 1_000_000  # of the matrices that are worked on together
_EQUAL = 1e-9  # what differs by less differs by rounding
_SETTLED = 1e-6  # change of a loading below which the fit ends


@dataclass(frozen=True)
class Blocks:
    """Sums over blocks of items.

    `product` (blocks × pairs) sums Σ_k (1[x_g = k] - p_gk)(1[x_h = k] - p_hk), `common` the items
    that both rated; `own` (blocks × raters × labels) sums 1[x_g = k] - p_gk. `room` is how large
    the mean product of a pair can be. For measurements, the mark stands in place of the indicators.
    """

    product: Floats
    common: Floats
    own: Floats
    rated: Floats  # items that each rater rated
    room: Floats

    @classmethod
    def of(
        cls,
        entries: Entries,
        raters: Indices,
        rng: RandomStream,
        labels: Indices,
        marks: Floats | None = None,
    ) -> Blocks:
        """Deal the items into blocks at random and sum over each.

        Items are dealt in the order of what was said of them, by these raters in these labels, so
        that the draw does not depend on the order in which they came.
        """
        codes = _matrix(entries, raters)
        place = np.empty(labels.size + 1, dtype=np.intp)
        place[labels], place[-1] = np.arange(labels.size), -1
        codes = codes[np.lexsort(place[codes].T[::-1])]
        codes = codes[rng.permutation(len(codes))]
        given = codes >= 0
        rated = np.maximum(given.sum(axis=0), 1).astype(np.float64)
        n_raters, n_blocks = raters.size, max(1, min(_N_BLOCKS, len(codes)))
        upper = np.triu_indices(n_raters, 1)
        cuts = np.linspace(0, len(codes), n_blocks + 1).astype(int)
        every = [slice(cuts[b], cuts[b + 1]) for b in range(n_blocks)]
        common = np.stack([_product(given[block].astype(np.float64))[upper] for block in every])
        product, own = np.zeros_like(common), []
        room = np.zeros((n_raters, n_raters))
        for z_ig, most in _deviations(codes, given, rated, entries, marks):
            product += np.stack([_product(z_ig[block])[upper] for block in every])
            own.append(np.stack([z_ig[block].sum(axis=0) for block in every]))
            room += most
        return cls(product, common, np.stack(own, axis=-1), rated, room)


def _product(z_ig: Floats) -> Floats:
    out: Floats = z_ig.T @ z_ig
    return out


def _deviations(
    codes: Indices, given: NDArray[np.bool_], rated: Floats, entries: Entries, marks: Floats | None
) -> Iterator[tuple[Floats, Floats]]:
    """Yield what is multiplied, label by label or once for marks, and the room it adds."""
    if marks is not None:
        value = np.where(given, marks[np.maximum(codes, 0)], 0.0)
        z_ig = np.where(given, value - value.sum(axis=0) / rated, 0.0)
        spread = np.sqrt((z_ig**2).sum(axis=0) / rated)
        yield z_ig, spread[:, None] * spread
        return
    for k in np.flatnonzero(entries.per_label > 0):
        is_k = codes == k
        share = is_k.sum(axis=0) / rated
        # 1 - Σ_k p_gk p_hk, in halves that add up: Σ_k (p_gk + p_hk) / 2 = 1.
        yield (is_k - share) * given, (share[:, None] + share) / 2.0 - share[:, None] * share


def _matrix(entries: Entries, raters: Indices) -> Indices:
    """Lay out the items with at least two ratings (items × raters; -1 for none)."""
    column = np.full(entries.n_raters, -1)
    column[raters] = np.arange(raters.size)
    codes = np.full((entries.n_items, raters.size), -1, dtype=np.int32)
    codes[entries.item, column[entries.rater]] = entries.label
    return np.asarray(codes[(codes >= 0).sum(axis=1) >= 2], dtype=np.intp)


@dataclass(frozen=True)
class Pairs:
    """Agreement beyond chance of every pair, M_gh, and the single view a_g a_h fitted to it."""

    blocks: Blocks
    first: Indices
    second: Indices
    weight: Floats  # items in common (raters × raters); 0 for pairs that are left out
    m_gh: Floats
    view: Floats

    @classmethod
    def of(cls, blocks: Blocks) -> Pairs:
        """Sum up and fit; refuse a design with hardly any comparisons."""
        n_raters = blocks.rated.size
        first, second = np.triu_indices(n_raters, 1)
        n_gh = blocks.common.sum(axis=0)
        n_gh = np.where(n_gh >= _FEWEST_COMMON, n_gh, 0.0)
        if np.count_nonzero(n_gh) < n_raters + 1:
            raise UnsupportedDesignError.needs(
                "rater_camps",
                f"more pairs of raters with {_FEWEST_COMMON} items in common than raters",
                f"{np.count_nonzero(n_gh)} pairs, {n_raters} raters",
                "let raters share more items, or select those who do",
            )
        mean = _per_item(blocks.product.sum(axis=0), n_gh)
        weight, m_gh = (_symmetric(x, first, second, n_raters) for x in (n_gh, mean))
        return cls(blocks, first, second, weight, m_gh, _start(m_gh, weight))

    def statistic(self) -> tuple[float, Floats]:
        """Largest eigenvalue of what the single view leaves, and its direction.

        An eigenvector has no sign, and equal eigenvalues leave it open: the direction is the one
        in which the first rater with a part in it stands out most, on the positive side.
        """
        values, vectors = np.linalg.eigh(_left(self.m_gh[None], self.weight, self.view)[0])
        equal = vectors[:, values >= values[-1] - _EQUAL * max(abs(float(values[-1])), _EQUAL)]
        first = int(np.argmax((equal**2).sum(axis=1) > _EQUAL))
        direction = equal @ equal[first]
        return float(values[-1]), np.where(np.abs(direction) > _EQUAL, direction, 0.0)

    def drawn(self, n_resamples: int, rng: RandomStream) -> Floats:
        """Draw the statistic under one camp: the single view, with the noise of the items.

        Blocks of items get random multipliers, and the view is fitted anew to each draw: with many
        raters, what the fit takes along is not small.
        """
        blocks, n_gh = self.blocks, self.weight[self.first, self.second]
        n_blocks = len(blocks.product)
        rise = np.sqrt(n_blocks / max(n_blocks - 1.0, 1.0))
        centred = rise * (blocks.product - blocks.common * self.m_gh[self.first, self.second])
        own = rise * blocks.own / blocks.rated[:, None]
        n_raters = blocks.rated.size
        alone = self.view[:, None] * self.view
        step = max(1, _CELLS // n_raters**2)
        out = []
        for start in range(0, n_resamples, step):
            shape = (min(step, n_resamples - start), n_blocks)
            times = np.where(rng.random(shape) < _OFTEN, _BELOW, _ABOVE)
            noise = _symmetric(_per_item(times @ centred, n_gh), self.first, self.second, n_raters)
            # Shares of labels were estimated, too: M is a covariance, not a product.
            shift = np.tensordot(times, own, axes=1)
            noise -= shift @ shift.transpose(0, 2, 1)
            left = _left(alone + noise, self.weight, self.view)
            out.append(np.linalg.eigvalsh(left)[:, -1])
        return np.concatenate(out)


def _per_item(sums: Floats, n_gh: Floats) -> Floats:
    out: Floats = np.zeros_like(sums)
    np.divide(sums, n_gh, out=out, where=n_gh > 0)
    return out


def _symmetric(values: Floats, first: Indices, second: Indices, size: int) -> Floats:
    """Lay pairs out as symmetric matrices with an empty diagonal."""
    out = np.zeros((*values.shape[:-1], size, size))
    out[..., first, second] = out[..., second, first] = values
    return out


def _start(m_gh: Floats, weight: Floats) -> Floats:
    """Fit M_gh = a_g a_h off the diagonal with no a_g below 0, by alternating least squares."""
    strength = (weight * m_gh).sum(axis=1) / np.maximum(weight.sum(axis=1), 1.0)
    a_g: Floats = np.sqrt(np.maximum(strength, 1e-6))
    for _ in range(500):
        before = a_g.copy()
        for g in range(a_g.size):
            below = float(weight[g] @ a_g**2)
            a_g[g] = max(float((weight[g] * m_gh[g]) @ a_g) / below, 0.0) if below > 0 else 0.0
        if float(np.abs(a_g - before).max()) < 1e-9:
            break
    return a_g


def _left(m_bgh: Floats, weight: Floats, start: Floats) -> Floats:
    """Fit a single view to each matrix by Gauss and Newton's steps; return what is left.

    Each pair is multiplied by the root of its number of items, so that all are as noisy.
    """
    a_bg = np.broadcast_to(start, m_bgh.shape[:-1]).copy()
    diagonal = np.arange(start.size)
    for _ in range(8):
        outer = a_bg[:, :, None] * a_bg[:, None, :]
        slope = ((weight * (m_bgh - outer)) @ a_bg[:, :, None])[..., 0]
        outer *= weight  # from here on the matrix of the normal equations
        curve = (a_bg**2) @ weight
        # A rater who follows nothing leaves the step undetermined; a ridge holds it.
        outer[:, diagonal, diagonal] = curve + 1e-6 * np.maximum(curve.mean(axis=1), 1e-9)[:, None]
        moved = np.maximum(a_bg + np.linalg.solve(outer, slope[..., None])[..., 0], 0.0)
        done = float(np.abs(moved - a_bg).max(initial=0.0)) < _SETTLED
        a_bg = moved
        if done:
            break
    left: Floats = np.sqrt(weight) * (m_bgh - a_bg[:, :, None] * a_bg[:, None, :])
    return left


FEWEST_RATERS, MOST_RATERS = 4, 200
_MOST_CELLS = 50_000_000
_MOST_LABELS = 1_000
_SIGNIFICANT = 0.05
_ROUNDING = 1e-12  # agreements that differ by less are equal


@dataclass(frozen=True, slots=True, kw_only=True)
class Camps(Recorded, Result):
    """Whether raters fall into two camps; made by `rater_camps`.

    Attributes
    ----------
    status : {"two camps", "one rater apart", "one camp"}
        "one camp" when the test does not tell the raters apart.
    first, second : tuple of raters
        The best division into two, whatever the test says; the larger first, or of equal ones the
        one with the first name.
    p_value : float
        Of one camp, in which raters differ in how closely they follow a common view, not in
        which view they follow.
    statistic : float
        Largest eigenvalue of what a common view leaves of the agreement between pairs.
    within, across : float
        Chance-corrected agreement of pairs in the same camp and in different camps, pooled; for
        measurements, correlation.
    """

    status: str
    first: tuple[object, ...]
    second: tuple[object, ...]
    statistic: float
    p_value: float
    within: float
    across: float
    n_resamples: int

    @property
    def camps(self) -> tuple[tuple[object, ...], ...]:
        """The camps, if there are two; else one camp with everybody in it."""
        if self.status == "one camp":
            return ((*self.first, *self.second),)
        return (self.first, self.second)

    def sentence(self) -> str:
        """Say in one sentence what was found."""
        if self.status == "one camp":
            return f"No sign of two camps among the raters (p {p_text(self.p_value)})."
        numbers = (
            f"agreement beyond chance is {self.within:.2f} within and {self.across:.2f} across "
            f"(p {p_text(self.p_value)})"
        )
        if self.status == "one rater apart":
            return f"{self.second[0]} stands apart from the others: {numbers}."
        both = f"{listed(self.first)} and {listed(self.second)}"
        return f"Raters fall into two camps, {both}: {numbers}."

    @property
    def reason(self) -> None:
        """Why there is no result: None, as there always is one."""

    @property
    def values(self) -> dict[str, float]:
        """The numbers by name."""
        names = ("statistic", "p_value", "within", "across")
        return {name: getattr(self, name) for name in names}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found."""
        return (self.finding(),)

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record."""
        return [{"status": self.status, **self.values}]

    def finding(self) -> Finding:
        """Return the sentence as a finding."""
        if self.status == "one camp":
            return Finding("one_camp", "info", self.sentence())
        code = "two_camps" if self.status == "two camps" else "rater_apart"
        advice = " Let them talk about the items on which they differ before going on."
        return Finding(code, "problem", self.sentence() + advice)

    def document(self) -> Document:
        """Return the result as something to read."""
        table = Table.of(
            () if self.status == "one camp" else enumerate((self.first, self.second), 1),
            ("camp", "0", lambda k: f"camp {k}"),
            ("raters", lambda camp: listed(camp[1], 40)),
            ("number", lambda camp: len(camp[1])),
        )
        return Document.of(self.sentence(), table, title="Camps of raters")


def rater_camps(ratings: Ratings, *, n_resamples: int = 499, rng: Any = 0) -> Camps:
    """Test whether raters fall into two camps that follow different views.

    Use it when agreement is low and nobody stands out: two schools that each agree within look
    like noise in an average. A rater who is merely careless is no camp.

    Parameters
    ----------
    ratings : Ratings
        4 to 200 raters; the pairs must have items in common.
    n_resamples : int, default 499
    rng : int or numpy.random.Generator

    Returns
    -------
    Camps

    Raises
    ------
    UnsupportedDesignError
        Too few or too many raters, or hardly any items in common.

    Notes
    -----
    Let M_gh be observed minus expected agreement of raters g and h. If all follow one view, each
    with her own share of care a_g and her own favourite labels when she guesses, then
    M_gh = a_g a_h v, which is of rank one: Spearman's single factor. The statistic is the largest
    eigenvalue of the part of M that no such product explains, each pair weighted by the square
    root of its number of items. Its distribution under one camp comes from a multiplier bootstrap
    of the items around the fitted product, fitted anew each time; no model of the items is needed.

    Examples
    --------
    >>> a, b = ["x", "y", "z"] * 20, ["x", "z", "y"] * 20
    >>> wide = [[p, p, p, q, q, q] for p, q in zip(a, b)]
    >>> for i in range(60):
    ...     wide[i][i % 6] = "x"
    >>> rater_camps(Ratings.from_wide(wide)).camps
    ((0, 1, 2), (3, 4, 5))
    """
    if not is_whole(n_resamples) or n_resamples < 1:
        raise InputError.expected("n_resamples", "a whole number above 0", n_resamples, "try 499")
    check_resamples(n_resamples)
    entries = entries_of("rater_camps", ratings)
    need_independent_items("rater_camps", ratings.clusters)
    need_one_occasion("rater_camps", ratings)
    given = np.bincount(entries.rater, minlength=entries.n_raters)
    raters = by_name(ratings.raters)
    raters = raters[given[raters] > 0]
    _check_size(raters.size, entries, measured=ratings.scale in MEASURED)
    generator = RandomStream.of(rng)
    marks = ratings.numbers if ratings.scale in MEASURED else None
    labels = by_name(ratings.categories)
    pairs = Pairs.of(Blocks.of(entries, raters, generator, labels, marks))
    statistic, direction = pairs.statistic()
    p_value = 1.0
    if statistic > 1e-6:  # else everybody agrees with everybody, up to rounding
        as_large = pairs.drawn(n_resamples, generator) >= statistic * (1.0 - 1e-12)
        p_value = (1.0 + float(as_large.sum())) / (n_resamples + 1.0)
    side = _sides(pairs, direction)
    within, across = _agreement(pairs, side)
    in_order = np.argsort(raters)
    names, side = [ratings.raters[int(g)] for g in raters[in_order]], side[in_order]
    status = "one rater apart" if int((~side).sum()) == 1 else "two camps"
    return Camps(
        status=status if p_value < _SIGNIFICANT else "one camp",
        first=tuple(name for name, mine in zip(names, side, strict=True) if mine),
        second=tuple(name for name, mine in zip(names, side, strict=True) if not mine),
        statistic=statistic,
        p_value=p_value,
        within=within,
        across=across,
        n_resamples=n_resamples,
    )


def _check_size(n_raters: int, entries: Entries, *, measured: bool) -> None:
    if n_raters < FEWEST_RATERS or n_raters > MOST_RATERS:
        raise UnsupportedDesignError.needs(
            "rater_camps",
            f"{FEWEST_RATERS} to {MOST_RATERS} raters",
            f"{n_raters:,}",
            "select the raters with most ratings with ratings.select"
            if n_raters > MOST_RATERS
            else "with so few raters look at every pair with cs.pairwise",
        )
    if entries.n_labels > _MOST_LABELS and not measured:
        raise UnsupportedDesignError.needs(
            "rater_camps", "labels that repeat", f"{entries.n_labels:,} labels", "collapse them"
        )
    if n_raters * entries.n_items > _MOST_CELLS:
        raise UnsupportedDesignError.needs(
            "rater_camps",
            f"at most {_MOST_CELLS:,} cells of items × raters",
            f"{n_raters * entries.n_items:,}",
            "take a sample of the items",
        )


def _sides(pairs: Pairs, direction: Floats) -> NDArray[np.bool_]:
    """Divide the raters in two; True for the larger camp, or for that of the first rater."""
    side: NDArray[np.bool_] = _refined(direction >= 0, pairs.m_gh, pairs.weight)
    if side.sum() * 2 < side.size or (side.sum() * 2 == side.size and not side[0]):
        side = ~side
    return side


def _agreement(pairs: Pairs, side: NDArray[np.bool_]) -> tuple[float, float]:
    """Pool pairs within and across camps: agreement beyond chance over what there could be."""
    same = side[:, None] == side
    out = []
    for chosen in (same, ~same):
        n_gh = pairs.weight * chosen
        room = float((n_gh * pairs.blocks.room).sum())
        out.append(float((n_gh * pairs.m_gh).sum()) / room if room > 0 else float("nan"))
    return out[0], out[1]


def _refined(side: NDArray[np.bool_], m_gh: Floats, n_gh: Floats) -> NDArray[np.bool_]:
    """Let each rater join the camp that she agrees with more, until nobody moves."""
    side = side.copy()
    for _ in range(20):
        moved = False
        for g in range(side.size):
            scores = []
            for camp in (side, ~side):
                others = camp & (np.arange(side.size) != g) & (n_gh[g] > 0)
                weight = n_gh[g, others]
                scores.append(
                    float(weight @ m_gh[g, others] / weight.sum()) if others.any() else None
                )
            mine, theirs = scores if side[g] else scores[::-1]
            alone = int((side == side[g]).sum()) == 1
            if mine is not None and theirs is not None and theirs > mine + _ROUNDING and not alone:
                side[g] = not side[g]
                moved = True
        if not moved:
            break
    return side
