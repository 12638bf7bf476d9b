"""Two camps: raters who agree among themselves and not with the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream
from consilience.core.labels import MEASURED
from consilience.core.resample import check_resamples, is_whole
from consilience.core.result import Result
from consilience.core.words import listed, p_text
from consilience.document import Document, Finding, Recorded, Table
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.latent.entries import Entries, entries_of
from consilience.latent.models._draw_order import by_name
from consilience.latent.raters._camp_pairs import Blocks, Pairs
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items
from consilience.ratings.duplicates import need_one_occasion

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
