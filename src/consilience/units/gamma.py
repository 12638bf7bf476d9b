"""Gamma: agreement on where units are and what they are called, in one number.

References
----------
.. [1] Mathet, Y., Widlöcher, A., & Métivier, J.-P. (2015). The unified and holistic method gamma
   (γ) for inter-annotator agreement measure and alignment. Computational Linguistics 41(3),
   437–479. doi:10.1162/COLI_a_00227
.. [2] Mathet, Y. (2017). The agreement measure γcat: a complement to γ focused on categorization
   of a continuum. Computational Linguistics 43(3), 661–681. doi:10.1162/COLI_a_00296
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consilience.core.arguments import check_word, whole_number
from consilience.core.arrays import Floats, Ints
from consilience.core.draws import Seed, seed_sequence
from consilience.core.words import interval_head, sentence
from consilience.document import Document, Finding, Paragraph, Table
from consilience.document.blocks import Block, found
from consilience.document.records import Recorded
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.ratings import Ratings
from consilience.units._best_alignment import MOST_CANDIDATES
from consilience.units._continua import (
    ALIGNMENTS,
    CHANCE,
    SPACING,
    VARIANTS,
    Chance,
    Observed,
    TierBlock,
    bounds_findings,
    by_chance,
    checked_settings,
    observe,
    precision_of,
    prepared,
    source_raters,
)
from consilience.units._unit_results import DisagreementRatio, Draws, LedBySessions, OfContinua
from consilience.units.checks import check_data, check_positive
from consilience.units.model import ABSENT, Units

# ---- what gamma returns, pooled over continua

TIE_RULE = (
    "among alignments of equal disorder the one with more aligned pairs, then with less distance "
    "between labels"
)


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """The best alignment: which units of the raters stand for the same thing.

    Attributes
    ----------
    units : array (unitary alignments, raters)
        Row of each unit in the `Units`, −1 where a rater has none.
    disorder : array
        Disorder of each unitary alignment.
    session, tier : array
        Codes into the units' `sessions` and `tiers`.
    raters : tuple of str
        The columns of `units`.
    """

    units: Ints
    disorder: Floats
    session: Ints
    tier: Ints
    raters: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of unitary alignments."""
        return len(self.units)

    @property
    def n_members(self) -> Ints:
        """How many raters take part in each unitary alignment."""
        count: Ints = (self.units >= 0).sum(axis=1)
        return count

    @property
    def n_linked(self) -> int:
        """How many units stand together with a unit of another rater."""
        members = self.n_members
        return int(members[members > 1].sum())


@dataclass(frozen=True, kw_only=True)
class GammaValue(DisagreementRatio):
    """One member of the gamma family: 1 − observed / expected disorder."""

    monte_carlo_error: float  # of the value, from the number of random continua alone
    interval: Interval  # over sessions


@dataclass(frozen=True, kw_only=True)
class SessionGamma(Recorded):
    """Gamma of one tier of one session."""

    session: str
    tier: str
    value: float
    observed: float
    expected: float
    monte_carlo_error: float
    n_samples: int
    exact: bool
    n_units: Mapping[str, int]  # by rater
    n_linked: int
    n_alignments: int


@dataclass(frozen=True, kw_only=True)
class Gamma(LedBySessions, OfContinua):
    """Gamma, gamma-cat and gamma-k of some units; see `gamma`."""

    recorded: ClassVar[tuple[str, ...]] = ("sessions",)

    overall: GammaValue
    cat: GammaValue
    sessions: tuple[SessionGamma, ...]
    alignment: Alignment
    seed: int | None

    @property
    def _leading(self) -> GammaValue:
        return self.overall

    @property
    def observed(self) -> float:
        """Disorder of the best alignment."""
        return self.overall.observed

    @property
    def expected(self) -> float:
        """Mean disorder of the random continua."""
        return self.overall.expected

    @property
    def monte_carlo_error(self) -> float:
        """Standard error of gamma that more random continua would remove."""
        return self.overall.monte_carlo_error

    @property
    def exact(self) -> bool:
        """Whether every alignment is the best one, proven."""
        return bool(self.parameters["exact"])

    def __repr__(self) -> str:
        return (
            f"Gamma({self.value:.4f}, cat={self.cat.value:.4f}, n_units={self.n_units}, "
            f"n_raters={self.n_raters}, sessions={len(self.sessions)}, exact={self.exact})"
        )

    def _named(self) -> list[tuple[str, Any, GammaValue]]:
        named = [("gamma", None, self.overall), ("gamma_cat", None, self.cat)]
        return named + [("gamma_k", label, part) for label, part in self.by_category.items()]

    def _sizes(self) -> dict[str, Any]:
        return super()._sizes() | {"linked": self.alignment.n_linked}

    def document(self) -> Document:
        """Return the tables to read."""
        blocks: list[Block] = [Paragraph(self._sentence()), self._values()]
        if len(self.sessions) > 1:
            blocks.append(self._per_session())
        return Document(title="Gamma", blocks=tuple(blocks), findings=self.findings)

    def _sentence(self) -> str:
        p = self.parameters
        text = (
            f"{self._said_sizes()}; {self.alignment.n_linked:,} units stand together with another "
            "rater's. "
            f"alpha = {p['alpha']:g} (position), beta = {p['beta']:g} (label), "
            f"{p['distance']} distance of labels; chance: {p['chance']}, "
            f"{p['n_samples']:,} random continua; alignments "
            f"{'exact' if self.exact else 'approximate'}. Gamma is comparable only under the same "
            "settings."
        )
        if self.interval.note:
            text += f" {sentence(self.interval.note)}"
        return text

    def _values(self) -> Table:
        return Table.of(
            self._named(),
            ("coefficient", lambda x: _shown_name(*x[:2])),
            "value: 2.value",
            f"{interval_head(self.interval.confidence_level)}: 2.interval",
            "observed: 2.observed",
            "expected: 2.expected",
            "Monte Carlo error: 2.monte_carlo_error",
            note="The interval is over sessions; the Monte Carlo error is that of the random "
            "continua alone.",
        )

    def _per_session(self) -> Table:
        return Table.of(
            self.sessions,
            "session",
            "tier",
            ("units", lambda part: sum(part.n_units.values())),
            "linked: n_linked",
            "gamma: value",
            "observed",
            "expected",
            caption="By session",
        )


def _shown_name(name: str, label: Any) -> str:
    return name.replace("_", "-") + ("" if label is None else f" {label}")


def values_of(
    units: Units,
    blocks: list[TierBlock],
    observed: list[Observed],
    chances: list[Chance],
    draws: Draws,
) -> tuple[GammaValue, GammaValue, dict[Any, GammaValue]]:
    """Pool the blocks: kinds are gamma itself, gamma-cat, and gamma-k for each category."""
    mean_units = np.array([len(b.rows) / len(b.raters) for b in blocks])
    e_b = np.array([c.disorder.mean() for c in chances])
    error_b = np.array([c.disorder.var(ddof=1) / len(c.disorder) for c in chances])
    count = np.array([c.labels[2] for c in chances])
    with np.errstate(divide="ignore", invalid="ignore"):
        e_bk = np.array([c.labels[0] for c in chances]) / count
        second = np.array([c.labels[1] for c in chances]) / count
        error_bk = np.maximum(second - e_bk**2, 0.0) / np.maximum(count - 1, 1)
    distance = np.array([o.distance for o in observed])
    weight = np.where(np.isfinite(e_bk), np.array([o.weight for o in observed]), 0.0)
    a = np.column_stack([mean_units * [o.disorder for o in observed], distance * (weight > 0)])
    w = np.column_stack([mean_units, weight])
    e = np.column_stack([e_b, np.where(np.isfinite(e_bk), e_bk, 0.0)])
    error = np.column_stack([error_b, np.where(np.isfinite(error_bk), error_bk, 0.0)])
    session = np.unique([b.session for b in blocks], return_inverse=True)[1]
    sums = np.zeros((int(session.max()) + 1, 2, a.shape[1]))
    np.add.at(sums, session, np.stack([a, w * e], axis=1))
    intervals = draws.intervals(sums, lambda s: 1.0 - s[:, 0] / s[:, 1], a.shape[1])
    parts = [
        _value(a[:, k], w[:, k], e[:, k], error[:, k], interval=intervals[k], kind=k)
        for k in range(a.shape[1])
    ]
    used = np.unique(np.concatenate([b.continuum.label for b in blocks]))
    return parts[0], parts[1], {units.labels[k]: parts[2 + k] for k in used.tolist()}


def _value(
    a: Floats, w: Floats, e: Floats, error: Floats, *, interval: Interval, kind: int
) -> GammaValue:
    total, chance = float(a.sum()), float((w * e).sum())
    weight = float(w.sum())
    reason = None
    if weight == 0:
        reason = "no two units with this label, close to each other, were aligned"
        reason = "no two units close to each other were aligned" if kind == 1 else reason
    elif chance == 0:
        reason = (
            "random continua have no disorder: everything is in the same place and called alike"
        )
        reason = "aligned units never differ in their label by chance" if kind else reason
    value = math.nan if reason else 1.0 - total / chance  # Mathet et al. 2015: gamma
    spread = math.sqrt(float((w**2 * error).sum()))
    return GammaValue(
        value=value,
        observed=total / weight if weight else math.nan,
        expected=chance / weight if weight else math.nan,
        status="undefined" if reason else "ok",
        reason=reason,
        monte_carlo_error=math.nan if reason else total / chance**2 * spread,
        interval=interval,
    )


def sessions_of(
    units: Units, blocks: list[TierBlock], observed: list[Observed], chances: list[Chance]
) -> tuple[SessionGamma, ...]:
    """Return gamma of each tier of each session."""
    out = []
    for block, seen, chance in zip(blocks, observed, chances, strict=True):
        expected = float(chance.disorder.mean())
        spread = float(chance.disorder.std(ddof=1)) / math.sqrt(len(chance.disorder))
        members = (seen.member >= 0).sum(axis=1)
        out.append(
            SessionGamma(
                session=units.sessions[block.session],
                tier=units.tiers[block.tier],
                value=1.0 - seen.disorder / expected if expected else math.nan,
                observed=seen.disorder,
                expected=expected,
                monte_carlo_error=seen.disorder / expected**2 * spread if expected else math.nan,
                n_samples=len(chance.disorder),
                exact=seen.exact and chance.exact,
                n_units={
                    units.raters[r]: int(n)
                    for r, n in zip(block.raters, np.diff(block.continuum.offset), strict=True)
                },
                n_linked=int(members[members > 1].sum()),
                n_alignments=len(members),
            )
        )
    return tuple(out)


def alignment_of(units: Units, blocks: list[TierBlock], observed: list[Observed]) -> Alignment:
    """Put the best alignments of all continua together."""
    tables, costs = [], []
    for block, seen in zip(blocks, observed, strict=True):
        table = np.full((len(seen.member), units.n_raters), -1, dtype=np.int64)
        table[:, list(block.raters)] = np.where(seen.member >= 0, block.rows[seen.member], -1)
        tables.append(table)
        costs.append(seen.cost)
    lengths = [len(table) for table in tables]
    return Alignment(
        units=np.concatenate(tables),
        disorder=np.concatenate(costs),
        session=np.repeat([block.session for block in blocks], lengths),
        tier=np.repeat([block.tier for block in blocks], lengths),
        raters=units.raters,
    )


def gamma(
    units: Units,
    *,
    alpha: float = 3.0,
    beta: float = 1.0,
    distance: Any = "nominal",
    categories: Sequence[Any] | None = None,
    chance: Literal["shuffle", "statistical"] = "shuffle",
    spacing: Literal["mean", "half"] = "mean",
    precision: str | float | None = "medium",
    n_samples: int = 30,
    reference_raters: Iterable[str] | None = None,
    variant: Literal["paper", "pygamma"] = "paper",
    alignment: Literal["exact", "approximate"] = "exact",
    absent: Literal["asked", "drop", "count"] = "asked",
    point_length: float | None = None,
    max_candidates: int = MOST_CANDIDATES,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> Gamma:
    """Gamma, gamma-cat and gamma-k: agreement on the place and the label of units.

    Use it when raters choose both where units are and what they are called, for any number of
    raters and for units that overlap. Prefer `unitizing_alpha` when every instant of the
    continuum counts, and EasyDIAG's kappa when only whole events do.

    Parameters
    ----------
    units : Units
    alpha, beta : float
        Weight of the position and of the label; 3 and 1 as in the authors' program. Gamma is not
        comparable across settings.
    distance : str, Distance or callable, default "nominal"
        How different two labels are, from 0 to 1: a name of `consilience.distances`. "ordinal" is
        the difference of ranks over the largest one; distances of numbers are divided by the
        largest.
    categories : list, optional
        The labels in order, for "ordinal" and "linear" with labels that are text.
    chance : {"shuffle", "statistical"}
        Random continua: rotate the units of raters drawn at random (the paper), or draw units from
        normal distributions (pygamma-agreement).
    spacing : {"mean", "half"}
        Two rotations are at least the mean length of a unit apart (the paper), or half of it.
    precision : {"high", "medium", "low"}, float or None
        Precision of the expected disorder, 1, 2 or 5 %, which decides how many continua are drawn;
        None draws `n_samples`.
    n_samples : int
        Continua drawn at first, for each tier of each session.
    reference_raters : list of str, optional
        Make random continua of these raters' units only (a ground truth).
    variant : {"paper", "pygamma"}
        How gamma-cat and gamma-k weigh pairs; see Notes.
    alignment : {"exact", "approximate"}
        An approximation lets raters join one after the other; it is also what happens, flagged,
        where the exact problem has more than `max_candidates` groups of units.
    absent : {"asked", "drop", "count"}
        A rater without a unit in a session counts as having marked nothing if she was asked
        there (`Units.asked`) and is left out if that is not known; is left out; or counts.
    point_length : float, optional
        The length, around their place, that units without length stand for.
    max_candidates : int
    confidence_level, n_resamples
        For the interval over sessions, of which it needs eight.
    rng : int or numpy.random.Generator
        The same seed gives the same bits.

    Returns
    -------
    Gamma
        `value` at most 1; 0 is the disorder expected by chance. `cat`, `by_category`, `sessions`
        and `alignment` hold the rest.

    Raises
    ------
    InputError
        Units without length and no `point_length`; an unknown word; labels that the distance
        cannot compare.
    UnsupportedDesignError
        Fewer than two raters, no unit, or units in several pieces.

    Notes
    -----
    A unitary alignment takes at most one unit of each rater; its disorder is the mean over pairs
    of raters of d = α d_pos + β d_cat, and 1 for a pair with an empty place, where d_pos =
    ((|Δstart| + |Δend|)/(sum of lengths))². The disorder of an alignment is the sum over its
    unitary alignments, divided by the mean number of units of a rater. Gamma is one minus the
    least disorder over its mean in random continua. What an empty place costs is a unit of
    measurement: gamma does not depend on it.

    Several sessions: the pooled disorders are means over sessions weighted by the mean number of
    units of a rater; gamma-cat and gamma-k weigh sessions by the weight of their aligned pairs.

    Gamma-cat takes each aligned pair with the weight max(0, 1 − d_pos)/(ν − 1), ν units in the
    unitary alignment. The variant "pygamma" has α d_pos there and counts units that face an empty
    place. Ties between alignments are broken towards more aligned pairs, then less distance
    between labels: gamma does not depend on it, gamma-cat does.

    References
    ----------
    .. [1] Mathet, Y., Widlöcher, A., & Métivier, J.-P. (2015). The unified and holistic method
       gamma (γ) for inter-annotator agreement measure and alignment. Computational Linguistics
       41(3), 437–479. doi:10.1162/COLI_a_00227
    .. [2] Mathet, Y. (2017). The agreement measure γcat: a complement to γ focused on
       categorization of a continuum. Computational Linguistics 43(3), 661–681.
       doi:10.1162/COLI_a_00296

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("Ann", "noun", 0, 4), ("Ann", "verb", 6, 9), ("Ann", "noun", 12, 15),
    ...     ("Bob", "noun", 0, 4), ("Bob", "verb", 6, 10), ("Bob", "adverb", 20, 24)])
    >>> found = gamma(units, rng=1)
    >>> round(found.observed, 4), found.alignment.units.tolist()
    (0.6871, [[0, 3], [1, 4], [2, -1], [-1, 5]])
    """
    settings, words = checked_settings(
        units,
        alpha=alpha,
        beta=beta,
        distance=distance,
        categories=categories,
        words={
            "chance": (chance, CHANCE),
            "spacing": (spacing, SPACING),
            "variant": (variant, VARIANTS),
            "alignment": (alignment, ALIGNMENTS),
            "absent": (absent, ABSENT),
        },
        most=max_candidates,
    )
    wished = precision_of(precision)
    whole_number("n_samples", n_samples, least=2, most=1_000_000, hint="for example 30")
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    if point_length is not None:
        point_length = check_positive(point_length, "point_length")
    sources = source_raters(units, reference_raters)
    seeds = seed_sequence(draws.rng)
    compared, blocks = prepared(units, absent=absent, point_length=point_length)
    seen = observe(blocks, settings)
    chances = by_chance(
        blocks, settings, sources=sources, precision=wished, n_samples=n_samples, seeds=seeds
    )
    exact = all(o.exact and c.exact for o, c in zip(seen, chances, strict=True))
    again = replace(draws, rng=seeds.spawn(1)[0])
    overall, cat, by_category = values_of(units, blocks, seen, chances, again)
    return compared.result(
        Gamma,
        overall=overall,
        cat=cat,
        by_category=by_category,
        sessions=sessions_of(units, blocks, seen, chances),
        alignment=alignment_of(units, blocks, seen),
        parameters={
            "alpha": float(alpha),
            "beta": float(beta),
            **words,
            "precision": wished,
            "n_samples": sum(len(c.disorder) for c in chances),
            "point_length": point_length,
            "reference_raters": [units.raters[r] for r in sorted(sources)],
            "exact": exact,
            "tie_rule": TIE_RULE,
            "bounds": sorted(set(units.bounds_from)),
        },
        findings=(
            *compared.findings(*bounds_findings(units)),
            *_more_findings(exact, alignment, max_candidates),
        ),
        seed=draws.seed,
    )


def _more_findings(exact: bool, alignment: str, most: int) -> tuple[Finding, ...]:
    why = (
        "as asked for"
        if alignment == "approximate"
        else f"because more than {most:,} groups of units would have to be weighed"
    )
    message = (
        f"Alignments are approximate, {why}: the disorders are upper bounds and gamma may differ "
        "from its exact value."
    )
    return found((not exact, "approximate_alignment", "caution", message))


# ---- the best alignment by itself, and as ratings


def group_ratings(
    units: Units,
    rows: NDArray[np.int64],
    *,
    raters: Sequence[str],
    unmatched: str | None,
    items: Sequence[str] | None = None,
) -> Ratings:
    """Return the labels of checked groups of units as ratings."""
    if unmatched in units.labels:
        raise InputError.expected(
            "the labels", f"without {unmatched!r}", unmatched, "rename that label first"
        )
    labels: list[Any] = list(units.labels)
    code = np.where(rows >= 0, units.label[rows] if len(units) else -1, -1)
    if unmatched is not None:
        code = np.where(rows >= 0, code, len(labels))
        labels.append(unmatched)
    item, rater = np.nonzero(code >= 0)
    return Ratings.from_codes(
        item=item,
        rater=rater,
        label=code[item, rater],
        items=items,
        raters=list(raters),
        categories=labels,
    )


def _rows(alignments: Any, units: Units) -> Any:
    hint = "one row for each event, one column for each rater, -1 where the rater has none"
    try:
        rows = np.asarray(alignments)
    except ValueError:
        raise InputError.expected("alignment", "a table", alignments, hint) from None
    shape_ok = rows.ndim == 2 and rows.shape[1] == units.n_raters and rows.dtype.kind in "iu"
    if not shape_ok or (rows < -1).any() or (rows >= len(units)).any():
        raise InputError.expected(
            "alignment", "a table of places in the units (items x raters)", alignments, hint
        )
    own = np.broadcast_to(np.arange(units.n_raters), rows.shape)
    wrong = (rows >= 0) & (units.rater[rows] != own) if len(units) else rows >= 0
    if wrong.any():
        raise InputError.expected(
            "each column of the alignment",
            "units of one rater, in the order of units.raters",
            rows[wrong][0].item(),
            hint,
        )
    if len(rows) and (rows < 0).all(axis=1).any():
        raise InputError.expected("each group", "one unit at least", [-1] * rows.shape[1], hint)
    return rows


def alignment_ratings(
    units: Units,
    *,
    alignment: Alignment | Gamma | ArrayLike | None = None,
    nil: Literal["missing", "category"] = "missing",
    alpha: float = 3.0,
    beta: float = 1.0,
    distance: Any = "nominal",
    categories: Sequence[Any] | None = None,
    absent: Literal["asked", "drop", "count"] = "asked",
    point_length: float | None = None,
    max_candidates: int = MOST_CANDIDATES,
) -> Ratings:
    """Turn an alignment into ratings: units that are the same event are one item.

    Use it to run any coefficient on the labels of aligned units, for any number of raters.

    Parameters
    ----------
    units : Units
    alignment : Alignment, Gamma or array (items, raters), optional
        What `gamma` found for these units; or the row of each rater's unit in `units`, -1 where the
        rater has none, columns in the order of ``units.raters``. Without it the best alignment is
        found.
    nil : {"missing", "category"}
        A rater without a unit there gave no rating, or the category "nil".
    alpha, beta, distance, categories, absent, point_length, max_candidates
        As in `gamma`; no random continua are drawn.

    Returns
    -------
    Ratings

    Raises
    ------
    InputError
        An unknown word, a label "nil" when that is the name of the added category, a place that
        does not exist, a unit in another rater's column, an empty group.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("Ann", "noun", 0, 4), ("Ann", "verb", 6, 9), ("Bob", "noun", 0, 4),
    ...     ("Bob", "adverb", 6, 10), ("Bob", "noun", 20, 24)])
    >>> ratings = alignment_ratings(units, nil="category")
    >>> ratings.n_items, ratings.categories
    (3, ('adverb', 'noun', 'verb', 'nil'))
    """
    check_word("nil", nil, ("missing", "category"))
    if isinstance(alignment, Gamma):
        alignment = alignment.alignment
    elif alignment is None:
        alignment = best_alignment(
            units,
            alpha=alpha,
            beta=beta,
            distance=distance,
            categories=categories,
            absent=absent,
            point_length=point_length,
            max_candidates=max_candidates,
        )
    unmatched = "nil" if nil == "category" else None
    if not isinstance(alignment, Alignment):
        rows = _rows(alignment, check_data(units))
        return group_ratings(units, rows, raters=units.raters, unmatched=unmatched)
    return group_ratings(
        units,
        alignment.units,
        raters=alignment.raters,
        unmatched=unmatched,
        items=[f"{units.sessions[s]} {n}" for n, s in enumerate(alignment.session, 1)],
    )


def best_alignment(
    units: Units,
    *,
    alpha: float = 3.0,
    beta: float = 1.0,
    distance: Any = "nominal",
    categories: Sequence[Any] | None = None,
    alignment: Literal["exact", "approximate"] = "exact",
    absent: Literal["asked", "drop", "count"] = "asked",
    point_length: float | None = None,
    max_candidates: int = MOST_CANDIDATES,
) -> Alignment:
    """Return the alignment of least disorder, without the random continua of `gamma`.

    Parameters
    ----------
    units, alpha, beta, distance, categories, alignment, absent, point_length, max_candidates
        As in `gamma`.

    Returns
    -------
    Alignment

    Examples
    --------
    >>> units = Units.from_records([("Ann", "a", 0, 4), ("Bob", "a", 1, 5), ("Cid", "a", 30, 40)])
    >>> best_alignment(units).units.tolist()
    [[0, 1, -1], [-1, -1, 2]]
    """
    words = {"alignment": (alignment, ALIGNMENTS), "absent": (absent, ABSENT)}
    settings, _ = checked_settings(
        units,
        alpha=alpha,
        beta=beta,
        distance=distance,
        categories=categories,
        words=words,
        most=max_candidates,
    )
    if point_length is not None:
        point_length = check_positive(point_length, "point_length")
    _, blocks = prepared(units, absent=absent, point_length=point_length)
    return alignment_of(units, blocks, observe(blocks, settings))
