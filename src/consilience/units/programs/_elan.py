"""Two further measures of ELAN: overlap over extent, and its modified Fleiss' kappa."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import Estimate, scott_pi
from consilience.core.checks import number_where
from consilience.document import Document, Finding, Paragraph, Reasoned, Table
from consilience.exceptions import UnsupportedDesignError
from consilience.ratings import Ratings
from consilience.units.gamma_alignment._alignment_ratings import group_ratings
from consilience.units.linking._diag_table import check_pair
from consilience.units.linking._overlap_linking import exact_times, overlapping_pairs
from consilience.units.model._ordered_units import Blocks, own_overlaps, refuse_own_overlaps
from consilience.units.model._unit_findings import dropped_findings, note_findings
from consilience.units.model._unit_results import (
    Accounted,
    Led,
    page_of_raters,
    said_units,
    unit_counts,
)
from consilience.units.model.asked import who_counts
from consilience.units.model.unit_checks import check_raters, check_two, check_units
from consilience.units.model.units import Units

UNMATCHED = "Unmatched"


@dataclass(frozen=True, kw_only=True)
class OverlapExtent(Reasoned, Accounted):
    """Mean ratio of overlap and extent, as ELAN computes it."""

    interval_needs: ClassVar[str] = "an error that is known, and for this ratio it is not"
    unrecorded: ClassVar[tuple[str, ...]] = ("scores", "session")
    recorded: ClassVar[tuple[str, ...]] = ("status",)

    raters: tuple[str, str]
    value: float
    n_items: int
    n_matched: int
    scores: NDArray[np.float64] = field(repr=False)
    session: NDArray[np.int32] = field(repr=False)  # of each item
    sessions: tuple[str, ...] = field(repr=False)
    reason: str | None
    findings: tuple[Finding, ...] = field(repr=False)

    def by_session(self) -> dict[str, float]:
        """Return the mean of each session that has units."""
        n = np.bincount(self.session, minlength=len(self.sessions))
        total = np.bincount(self.session, weights=self.scores, minlength=len(self.sessions))
        return {name: float(t / k) for name, t, k in zip(self.sessions, total, n, strict=True) if k}

    def _beside(self) -> Mapping[str, Any]:
        return {**super()._beside(), "sessions": self.by_session()}

    def document(self) -> Document:
        """Return the result as something to read."""
        table = Table.of([self], "mean ratio: value", "items: n_items", "matched: n_matched")
        said = Paragraph(said_units(self.units_by_session))
        return page_of_raters(self, "Overlap over extent", said, table)


_NOT_CORRECTED = Finding(
    "not_chance_corrected",
    "info",
    "This ratio ignores labels, is not corrected for chance and can depend on which rater comes "
    "first; use it to compare with ELAN, and easydiag or gamma to judge agreement.",
)


def overlap_extent(units: Units, *, raters: Sequence[str] | None = None) -> OverlapExtent:
    """Mean ratio of overlap and extent of matched units: ELAN's "classic" measure.

    Each unit of the first rater, in order of time, takes the unused unit of the second with
    the largest overlap and scores overlap / (latest end - earliest start); units left over on
    either side score 0.

    Parameters
    ----------
    units : Units
    raters : two names, optional
        The first chooses; the result can differ when they are swapped.

    Returns
    -------
    OverlapExtent

    Raises
    ------
    UnsupportedDesignError
        Not two raters, or discontinuous units.

    Examples
    --------
    >>> units = Units.from_records([("a", "x", 0, 10), ("b", "x", 2, 12), ("b", "x", 20, 25)])
    >>> round(overlap_extent(units).value, 4)  # (8 / 12 + 0) / 2
    0.3333
    """
    known = check_units(units, "overlap over extent")
    names = check_two(known, raters, "overlap over extent", hint="name them: raters=['A', 'B']")
    who = who_counts(known, names)
    blocks, dropped = who.blocks(), who.dropped
    start, end, _ = exact_times(blocks.start, blocks.end)
    first, second = overlapping_pairs(blocks, start, end)
    shared = np.minimum(end[first], end[second]) - np.maximum(start[first], start[second])
    partner = _largest_first(first, second, shared)
    a = np.flatnonzero(blocks.rater == 0)
    taken = np.array([partner.get(int(unit), -1) for unit in a], dtype=np.int64)
    overlap = np.minimum(end[a], end[taken]) - np.maximum(start[a], start[taken])
    extent = np.maximum(end[a], end[taken]) - np.minimum(start[a], start[taken])
    scored = np.divide(overlap, extent, out=np.zeros(len(a)), where=(taken >= 0) & (extent > 0))
    left = np.setdiff1d(np.flatnonzero(blocks.rater == 1), taken)
    scores = np.concatenate([scored, np.zeros(len(left))])
    return OverlapExtent(
        raters=check_pair(names),
        value=float(scores.mean()) if len(scores) else math.nan,
        n_items=len(scores),
        n_matched=len(partner),
        scores=scores,
        session=blocks.session[blocks.block[np.concatenate([a, left])]],
        sessions=who.sessions,
        reason=None if len(scores) else "there are no units",
        findings=(_NOT_CORRECTED, *dropped_findings(dropped, advice="")),
        units_by_session=unit_counts(known, names, dropped),
    )


def _largest_first(first: Any, second: Any, shared: Any) -> dict[int, int]:
    """Give each unit, in turn, the free unit with the largest overlap; the earlier on ties."""
    order = np.lexsort((second, -shared, first))
    partner: dict[int, int] = {}
    used: set[int] = set()
    for a, b in zip(first[order].tolist(), second[order].tolist(), strict=True):
        if a not in partner and b not in used:
            partner[a] = b
            used.add(b)
    return partner


# ---------------------------------------------------------------- modified Fleiss' kappa


@dataclass(frozen=True, kw_only=True)
class ModifiedFleiss(Led, Accounted):
    """Fleiss' kappa over clusters of units, as ELAN forms them.

    Attributes
    ----------
    value : float
        Over all clusters; a rater without a unit gave the category "Unmatched".
    complete : float
        Over the clusters in which every rater has a unit.
    alignments : array (clusters, raters)
        Rows of the units, -1 where a rater has none.
    """

    interval_needs: ClassVar[str] = "clusters that are independent, and raters make these"
    unrecorded: ClassVar[tuple[str, ...]] = (
        "all_clusters", "complete_clusters", "alignments", "ratings",
    )  # fmt: skip
    recorded: ClassVar[tuple[str, ...]] = ("value", "complete", "status", "reason")

    raters: tuple[str, ...]
    ratio: float
    n_clusters: int
    n_complete: int
    all_clusters: Estimate = field(repr=False)
    complete_clusters: Estimate | None = field(repr=False)
    alignments: NDArray[np.int64] = field(repr=False)
    ratings: Ratings = field(repr=False)
    findings: tuple[Finding, ...] = ()

    @property
    def _leading(self) -> Estimate:
        return self.all_clusters

    @property
    def complete(self) -> float:
        """Fleiss' kappa over complete clusters; NaN without any."""
        return self.complete_clusters.value if self.complete_clusters is not None else math.nan

    def document(self) -> Document:
        """Return the result as something to read."""
        rows: list[list[Any]] = [
            ["all clusters", self.n_clusters, self.value],
            ["complete clusters", self.n_complete, self.complete],
        ]
        table = Table(heads=("", "clusters", "Fleiss' kappa"), rows=rows)
        said = (
            f"{said_units(self.units_by_session)} Units are clustered where the shared stretch is "
            f"on average at least {self.ratio:g} of each; a rater without a unit in a cluster "
            f"gave it the category {UNMATCHED!r}."
        )
        return page_of_raters(self, "Modified Fleiss' kappa", Paragraph(said), table)


def modified_fleiss(
    units: Units, *, ratio: float = 0.7, raters: Sequence[str] | None = None
) -> ModifiedFleiss:
    """Fleiss' kappa of two or more raters' units, clustered in the manner of ELAN.

    The time line is cut at all starts and ends; each piece is a possible cluster of the units
    that cover it. The best is taken, its units leave the others, and so on. Use it to compare
    with ELAN; its preferences can run in a circle, so for a principled alignment use gamma.

    Parameters
    ----------
    units : Units
    ratio : float, default 0.7
        Mean share of its units that a piece must cover for more units to win over fewer.
    raters : names, optional

    Returns
    -------
    ModifiedFleiss

    Raises
    ------
    UnsupportedDesignError
        One rater, overlapping units of one rater, discontinuous units.

    Notes
    -----
    Our reconstruction of the program's order: of two clusters the one with more members wins if
    its mean ratio reaches the limit; else the other, if it has exactly one member fewer and
    reaches it; else the larger sum of ratios, the longer piece, the earlier piece.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("a", "x", 0, 10), ("b", "x", 1, 10), ("c", "x", 0, 9),
    ...     ("a", "y", 20, 30), ("b", "y", 20, 29), ("c", "x", 40, 50)])
    >>> result = modified_fleiss(units)
    >>> result.n_clusters, result.n_complete, round(result.value, 3)
    (3, 1, 0.308)
    """
    known = check_units(units, "the modified Fleiss' kappa")
    names = check_raters(known, raters)
    limit = number_where(
        "ratio", ratio, "above 0 and at most 1", "ELAN's default is 0.7", fits=lambda x: 0 < x <= 1
    )
    if names != known.raters:
        known = known.select(raters=names)
    who = who_counts(known, names)
    blocks, dropped = who.blocks(), who.dropped
    clash = blocks.order[own_overlaps(blocks)]
    refuse_own_overlaps(known, "the modified Fleiss' kappa", "put them on different tiers", clash)
    found = [
        cluster for block in range(blocks.n_blocks) for cluster in _clusters(blocks, block, limit)
    ]
    rows = np.full((len(found), len(names)), -1, dtype=np.int64)
    for item, members in enumerate(found):
        for unit in members:
            rows[item, blocks.rater[unit]] = blocks.order[unit]
    if not len(rows):
        raise UnsupportedDesignError.needs(
            "the modified Fleiss' kappa", "units", "none", "check the file"
        )
    ratings = group_ratings(known, rows, raters=names, unmatched=UNMATCHED)
    full = (rows >= 0).all(axis=1)
    complete = None
    if full.any():
        of_all = group_ratings(known, rows[full], raters=names, unmatched=None)
        complete = scott_pi(of_all, on_undefined="ignore")
    return ModifiedFleiss(
        raters=names,
        ratio=limit,
        n_clusters=len(rows),
        n_complete=int(full.sum()),
        all_clusters=scott_pi(ratings, on_undefined="ignore"),
        complete_clusters=complete,
        alignments=rows,
        ratings=ratings,
        findings=(*note_findings(known), *dropped_findings(dropped, advice=""), _READING),
        units_by_session=unit_counts(known, dropped=dropped),
    )


_READING = Finding(
    "elan_like",
    "info",
    "This follows ELAN's way of clustering; its order of preference can run in circles, and which "
    "cluster is taken first then depends on the order of comparison.",
    "Use gamma, or alignment_ratings with a coefficient, to judge agreement of many raters.",
)


@dataclass(slots=True)
class _Piece:
    """One piece of the time line and the units that cover it."""

    length: float
    start: float
    shares: dict[int, float]  # unit -> piece / unit

    @property
    def total(self) -> float:
        return sum(self.shares.values())

    def mean_reaches(self, ratio: float) -> bool:
        return self.total >= ratio * len(self.shares) - 1e-12

    def before(self, other: _Piece, ratio: float) -> bool:
        n, m = len(self.shares), len(other.shares)
        if n < m:
            return not other.before(self, ratio)
        if n > m and self.mean_reaches(ratio):
            return True
        if n == m + 1 and other.mean_reaches(ratio):
            return False
        if abs(self.total - other.total) > 1e-12:
            return self.total > other.total
        return (-self.length, self.start) < (-other.length, other.start)


def _clusters(blocks: Blocks, block: int, ratio: float) -> list[list[int]]:
    """Return the clusters of one tier of one session; stretches apart are done one by one."""
    rows = np.arange(blocks.offsets[block, 0], blocks.offsets[block, -1])
    start, end = blocks.start[rows], blocks.end[rows]
    found = [[int(row)] for row in rows[start == end]]  # a point covers no piece
    rows = rows[start < end]
    order = np.lexsort((blocks.end[rows], blocks.start[rows]))
    rows = rows[order]
    if not rows.size:
        return found
    latest = np.maximum.accumulate(blocks.end[rows])
    cuts = np.flatnonzero(blocks.start[rows][1:] >= latest[:-1]) + 1
    for stretch in np.split(rows, cuts):
        found += _taken(_pieces(blocks, stretch), ratio)
    return found


def _pieces(blocks: Blocks, rows: NDArray[np.int64]) -> list[_Piece]:
    start, end = blocks.start[rows], blocks.end[rows]
    edges = np.unique(np.concatenate([start, end]))
    first, last = np.searchsorted(edges, start), np.searchsorted(edges, end)
    members: list[dict[int, float]] = [{} for _ in range(len(edges) - 1)]
    lengths = np.diff(edges).astype(np.float64)
    for row, a, b, size in zip(rows.tolist(), first, last, (end - start).tolist(), strict=True):
        for piece in range(int(a), int(b)):
            members[piece][row] = float(lengths[piece]) / size
    return [
        _Piece(float(lengths[k]), float(edges[k]), shares)
        for k, shares in enumerate(members)
        if shares
    ]


def _taken(pieces: list[_Piece], ratio: float) -> list[list[int]]:
    """Take the best piece, let its units leave the others, and begin again."""
    found = []
    while pieces:
        best = pieces[0]
        for piece in pieces[1:]:
            if piece.before(best, ratio):
                best = piece
        found.append(sorted(best.shares))
        gone = set(best.shares)
        for piece in pieces:
            if not gone.isdisjoint(piece.shares):
                piece.shares = {u: x for u, x in piece.shares.items() if u not in gone}
        pieces = [piece for piece in pieces if piece.shares]
    return found
