"""Pairs of events as Mangold's INTERACT describes them, by name and only for comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Ints
from consilience.core.resample import Seed
from consilience.document import Document, Finding, Paragraph, Table
from consilience.inference import Interval
from consilience.units.linking._diag_table import check_pair
from consilience.units.linking._link_tally import Tallies, kappa_of, sampled_kappa
from consilience.units.linking._overlap_linking import check_threshold, exact_times, reaches
from consilience.units.model._columns import Times, as_floats
from consilience.units.model._ordered_units import Blocks
from consilience.units.model._sessions import Draws
from consilience.units.model._unit_findings import dropped_findings, note_findings
from consilience.units.model._unit_results import (
    SessionsDrawn,
    TwoRaterKappa,
    page_of_raters,
    said_units,
    unit_counts,
)
from consilience.units.model.asked import WhoCounts, who_counts
from consilience.units.model.unit_checks import check_time, check_two, check_units
from consilience.units.model.units import Units

NO_PAIR = "no pair"


@dataclass(frozen=True, kw_only=True)
class InteractLike(SessionsDrawn, TwoRaterKappa):
    """Events paired as INTERACT describes; the first rater leads, "no pair" is a category.

    Attributes
    ----------
    table : array (K + 1, K + 1)
        Rows are the leading rater; the last row and column are "no pair".
    by_tier : mapping of tier to kappa
    n_matches, n_mismatches : int
    n_alone : mapping of rater to number of events without a pair
    """

    coefficient: ClassVar[str] = "interact_like"

    labels: tuple[Any, ...]
    table: NDArray[np.int64] = field(repr=False)
    by_tier: Mapping[str, float]
    n_matches: int
    n_mismatches: int
    n_alone: Mapping[str, int]
    overlap: float
    tolerance: float
    sessions: tuple[str, ...] = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    interval: Interval = field(repr=False)

    def document(self) -> Document:
        """Return the result as something to read."""
        alone = " and ".join(f"{n:,} of {name}" for name, n in self.n_alone.items())
        said = (
            f"{said_units(self.units_by_session)} {self.raters[0]} leads. Same code and "
            f"{self.overlap:g} percent overlap, or onsets at most {self.tolerance:g} apart: "
            f"{self.n_matches:,} matches, {self.n_mismatches:,} mismatches, without a pair {alone}."
        )
        rows: list[list[Any]] = [["all", self.observed, self.expected, self.kappa]]
        if len(self.by_tier) > 1:
            rows += [[tier, None, None, value] for tier, value in self.by_tier.items()]
        table = Table(heads=("tier", "observed", "by chance", "kappa"), rows=rows)
        return page_of_raters(self, "Pairs as in INTERACT", Paragraph(said), table)


def interact_like(
    units: Units,
    *,
    overlap: float = 80,
    tolerance: float = 0,
    raters: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> InteractLike:
    """Pair events in the manner that INTERACT's manual describes, for comparison with it.

    The first rater leads, so swapping the raters can change the result. For new work use
    `easydiag`.

    Parameters
    ----------
    units : Units
        Tiers are INTERACT's classes.
    overlap : float
        Percent of the longer event that events of one code must share to match.
    tolerance : float
        How far apart onsets may lie.
    raters : two names, optional
        The first leads.
    labels : list, optional
        The code list, in order.
    confidence_level, n_resamples, rng
        Of the interval, from resampling sessions.

    Returns
    -------
    InteractLike

    Raises
    ------
    InputError
        An unknown rater or label, or an impossible number.
    UnsupportedDesignError
        Not two raters, discontinuous units, no session with units of both.

    Notes
    -----
    Within a class, in this order: (1) same code and enough overlap: a match, and an event may
    match several; then for events of the leader that have no match, in order of time: (2) same
    code, the other's onset within the tolerance and not yet paired: a match; (3) another code,
    onset within the tolerance, not yet paired: a mismatch, the first one only; (4) as 3, if it is
    paired already; (5) the rest has no pair. The reading of step 4 is uncertain. Kappa is Cohen's,
    with "no pair" as a category.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("a", "x", 0, 10), ("a", "y", 12, 20), ("a", "x", 30, 35),
    ...     ("b", "x", 1, 10), ("b", "x", 12, 20), ("b", "y", 50, 60)])
    >>> result = interact_like(units, tolerance=1)
    >>> result.table.tolist()  # rows x, y, no pair
    [[1, 0, 1], [1, 0, 0], [0, 1, 0]]
    """
    known = check_units(units, "pairs as in INTERACT", labels)
    names = check_two(known, raters, "pairs as in INTERACT")
    share = check_threshold(overlap)
    reach = check_time(tolerance, "tolerance", zero="allowed")
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    who = who_counts(known, names, "pairs as in INTERACT")
    blocks = who.blocks()
    times = as_floats(np.concatenate([blocks.start, blocks.end]))
    whole, extra, _ = exact_times(times, np.array([reach]))
    start, end = whole[: len(blocks.start)], whole[len(blocks.start) :]
    pairs = [_pairs(blocks, b, (start, end), share, extra[0]) for b in range(blocks.n_blocks)]
    return _matched(
        who,
        blocks,
        np.concatenate(pairs),
        {"overlap": float(overlap), "tolerance": reach},
        draws,
    )


def _pairs(blocks: Blocks, block: int, times: tuple[Times, Times], share: Any, reach: Any) -> Ints:
    """Return pairs of one block, as rows of the blocks."""
    start, end = times
    a = np.arange(blocks.offsets[block, 0], blocks.offsets[block, 1])
    b = np.arange(blocks.offsets[block, 1], blocks.offsets[block, 2])
    label = blocks.label
    longest = np.maximum.accumulate(end[b]) if len(b) else end[b]
    matched: list[tuple[int, int]] = []
    paired = np.zeros(len(b), dtype=bool)
    base = int(b[0]) if len(b) else 0
    alone = []
    for i in a.tolist():
        low = int(np.searchsorted(longest, start[i], side="right"))
        high = int(np.searchsorted(start[b], end[i], side="left"))
        near = b[low:high]
        shared = np.minimum(end[i], end[near]) - np.maximum(start[i], start[near])
        longer = np.maximum(end[i] - start[i], end[near] - start[near])
        hit = near[(label[near] == label[i]) & (shared > 0) & reaches(shared, longer, share)]
        matched += [(i, j) for j in hit.tolist()]
        paired[hit - base] = True
        if not hit.size:
            alone.append(i)
    for i in alone:
        low = int(np.searchsorted(start[b], start[i] - reach, side="left"))
        high = int(np.searchsorted(start[b], start[i] + reach, side="right"))
        near = b[low:high]
        free = ~paired[low:high]
        same = label[near] == label[i]
        for choice in (near[same & free], near[~same & free], near[~same & ~free]):
            if choice.size:
                matched.append((i, int(choice[0])))
                paired[choice[0] - base] = True
                break
    return np.array(matched, dtype=np.int64).reshape(-1, 2)


def _matched(
    who: WhoCounts, blocks: Blocks, pairs: Ints, known: dict[str, Any], draws: Draws
) -> InteractLike:
    units = who.units
    nil = len(units.labels)
    label = blocks.label.astype(np.int64)
    alone = [np.setdiff1d(np.flatnonzero(blocks.rater == k), pairs[:, k]) for k in (0, 1)]
    row = np.concatenate([label[pairs[:, 0]], label[alone[0]], np.full(len(alone[1]), nil)])
    column = np.concatenate([label[pairs[:, 1]], np.full(len(alone[0]), nil), label[alone[1]]])
    block = blocks.block[np.concatenate([pairs[:, 0], *alone])]
    ones = np.ones(len(row), dtype=np.int64)

    def margins(group: Ints, n: int) -> tuple[Tallies, Floats]:
        tallies = Tallies(nil, n, group, row, column, ones)
        both, first, second, u, v = np.moveaxis(tallies.parts(), 1, 0)
        zero = np.zeros((n, 1))
        beside = [zero, v.sum(axis=1, keepdims=True), u.sum(axis=1, keepdims=True)]
        sides = zip((both, first, second), beside, strict=True)
        return tallies, np.stack([np.hstack(x) for x in sides], axis=1)

    tallies, parts = margins(blocks.session[block].astype(np.int64), len(who.sessions))
    _, by_tier = margins(blocks.tier[block].astype(np.int64), len(units.tiers))
    same = label[pairs[:, 0]] == label[pairs[:, 1]]
    return InteractLike(
        raters=check_pair(blocks.raters),
        labels=units.labels,
        table=tallies.table(),
        by_tier=dict(zip(units.tiers, map(float, kappa_of(by_tier)[2]), strict=True)),
        n_matches=int(same.sum()),
        n_mismatches=int((~same).sum()),
        n_alone={name: len(x) for name, x in zip(blocks.raters, alone, strict=True)},
        findings=(*note_findings(units), *dropped_findings(who.dropped, advice=""), _LIKE),
        units_by_session=unit_counts(units, blocks.raters, who.dropped),
        sessions=who.sessions,
        dropped=who.dropped,
        **sampled_kappa(parts, draws),
        **known,
    )


_LIKE = Finding(
    "interact_like",
    "info",
    "This follows the description in INTERACT's manual, parts of which can be read differently; "
    "the result depends on which rater leads.",
    "Use easydiag to judge agreement.",
)
