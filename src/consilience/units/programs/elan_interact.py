"""Units compared as ELAN with Staccato and INTERACT do, or with several partners each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import Estimate, scott_pi
from consilience.core.arguments import check_word, number_where, whole_number
from consilience.core.arrays import Floats, Ints
from consilience.core.draws import RandomStream, Seed, seed_sequence
from consilience.core.words import counted
from consilience.document import Document, Finding, Paragraph, Table
from consilience.document.records import Reasoned
from consilience.exceptions import UnsupportedDesignError
from consilience.inference import Interval
from consilience.ratings import Ratings
from consilience.units._columns import Codes, Times, as_floats, origin_of
from consilience.units._linking import check_threshold, exact_times, overlapping_pairs, reaches
from consilience.units._unit_results import (
    Accounted,
    Draws,
    Led,
    SessionsDrawn,
    TwoRaterKappa,
    page_of_raters,
    said_units,
)
from consilience.units.checks import (
    WhoCounts,
    check_raters,
    check_time,
    check_units,
    check_words,
    compared,
    dropped_findings,
    who_counts,
)
from consilience.units.gamma import group_ratings
from consilience.units.link_tables import Tallies, kappa_of, sampled_kappa, shown_label, tally_links
from consilience.units.model import Blocks, Units, refuse_own_overlaps

# ---- ELAN: overlap over extent, modified Fleiss' kappa

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
    hint = "name them: raters=['A', 'B']"
    who = compared(units, "overlap over extent", raters, hint=hint, empty=True)
    blocks = who.blocks()
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
    return who.result(
        OverlapExtent,
        value=float(scores.mean()) if len(scores) else math.nan,
        n_items=len(scores),
        n_matched=len(partner),
        scores=scores,
        session=blocks.session[blocks.block[np.concatenate([a, left])]],
        reason=None if len(scores) else "there are no units",
        findings=(_NOT_CORRECTED, *dropped_findings(who.dropped, advice="")),
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


# ---- modified Fleiss' kappa


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
        "all_clusters",
        "complete_clusters",
        "alignments",
        "ratings",
    )
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
        return page_of_raters(self, "Modified Fleiss' kappa", said, table)


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
    blocks = who.blocks()
    what, hint = "the modified Fleiss' kappa", "put them on different tiers"
    refuse_own_overlaps(known, blocks, what, hint)
    found = [
        cluster for block in range(blocks.n_blocks) for cluster in _clusters(blocks, block, limit)
    ]
    rows = np.full((len(found), len(names)), -1, dtype=np.int64)
    for item, members in enumerate(found):
        for unit in members:
            rows[item, blocks.rater[unit]] = blocks.order[unit]
    if not len(rows):
        raise UnsupportedDesignError.needs(what, "units", "none", "check the file")
    ratings = group_ratings(known, rows, raters=names, unmatched=UNMATCHED)
    full = (rows >= 0).all(axis=1)
    complete = None
    if full.any():
        of_all = group_ratings(known, rows[full], raters=names, unmatched=None)
        complete = scott_pi(of_all, on_undefined="ignore")
    return who.result(
        ModifiedFleiss,
        _READING,
        ratio=limit,
        n_clusters=len(rows),
        n_complete=int(full.sum()),
        all_clusters=scott_pi(ratings, on_undefined="ignore"),
        complete_clusters=complete,
        alignments=rows,
        ratings=ratings,
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


# ---- INTERACT


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
        return page_of_raters(self, "Pairs as in INTERACT", said, table)


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
    share = check_threshold(overlap)
    reach = check_time(tolerance, "tolerance", zero="allowed")
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    who = compared(units, "pairs as in INTERACT", raters, labels)
    blocks = who.blocks()
    times = as_floats(np.concatenate([blocks.start, blocks.end]))
    whole, extra, _ = exact_times(times, np.array([reach]))
    start, end = whole[: len(blocks.start)], whole[len(blocks.start) :]
    pairs = [_pairs(blocks, b, (start, end), share, extra[0]) for b in range(blocks.n_blocks)]
    return _matched(
        who, blocks, np.concatenate(pairs), {"overlap": float(overlap), "tolerance": reach}, draws
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

    def margins(group: Codes, n: int) -> tuple[Tallies, Floats]:
        at = [group.astype(np.int64)[blocks.block]] * 2
        tallies = tally_links(nil, n, pairs, alone, label=[label] * 2, session=at)
        both, first, second, u, v = np.moveaxis(tallies.parts(), 1, 0)
        zero = np.zeros((n, 1))
        beside = [zero, v.sum(axis=1, keepdims=True), u.sum(axis=1, keepdims=True)]
        sides = zip((both, first, second), beside, strict=True)
        return tallies, np.stack([np.hstack(x) for x in sides], axis=1)

    tallies, parts = margins(blocks.session, len(who.sessions))
    _, by_tier = margins(blocks.tier, len(units.tiers))
    same = label[pairs[:, 0]] == label[pairs[:, 1]]
    return who.result(
        InteractLike,
        _LIKE,
        labels=units.labels,
        table=tallies.table(),
        by_tier=dict(zip(units.tiers, map(float, kappa_of(by_tier)[2]), strict=True)),
        n_matches=int(same.sum()),
        n_mismatches=int((~same).sum()),
        n_alone={name: len(x) for name, x in zip(blocks.raters, alone, strict=True)},
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

# ---- several partners: Haccou & Meelis, Jansen

RULES = ("haccou-meelis", "jansen")
_TITLES = {"haccou-meelis": "Haccou & Meelis (1994)", "jansen": "Jansen et al. (2003)"}


@dataclass(frozen=True, kw_only=True)
class MultipleLinks(SessionsDrawn, TwoRaterKappa):
    """Units matched by a cascade of rules in which one may have several partners; there is no nil.

    Attributes
    ----------
    table : array (K, K)
        Rows are the first rater; each match counts 1.
    n_units : mapping of rater to number
    n_matches : int
        Tallies of the table.
    n_repeated : mapping of rater to number
        Units with more than one partner.
    links : array (matches, 2)
        Rows of the matched units in the given units.
    """

    coefficient: ClassVar[str] = "multiple_links"
    unrecorded: ClassVar[tuple[str, ...]] = ("kappa", "links")

    labels: tuple[Any, ...]
    rule: str
    tolerance: float
    table: NDArray[np.int64] = field(repr=False)
    n_units: Mapping[str, int]
    n_matches: int
    n_repeated: Mapping[str, int]
    sessions: tuple[str, ...] = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    links: Ints = field(repr=False)
    interval: Interval = field(repr=False)

    def document(self) -> Document:
        """Return the result as something to read."""
        counts = " and ".join(f"{n:,} of {name}" for name, n in self.n_repeated.items())
        near = f", within {self.tolerance:g} of each other" if self.tolerance else ""
        said = (
            f"{said_units(self.units_by_session)} {counted(self.n_matches, 'match', 'matches')}"
            f"{near}; units with more than one partner: {counts}."
        )
        columns = ("matches: n_matches", "observed", "by chance: expected", "kappa")
        names = [shown_label(label) for label in self.labels]
        cells: list[list[Any]] = [
            [name, *map(int, row)] for name, row in zip(names, self.table, strict=True)
        ]
        first, second = self.raters
        corner = (f"{first} \\ {second}", *names)
        return page_of_raters(
            self,
            f"Matching after {_TITLES[self.rule]}",
            said,
            Table.of([self], *columns),
            Table(heads=corner, rows=cells, caption="Matches", whole=True),
        )


def multiple_links(
    units: Units,
    *,
    rule: Literal["haccou-meelis", "jansen"] = "haccou-meelis",
    tolerance: float = 0,
    raters: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> MultipleLinks:
    """Match units by rules that let one have several partners, to show what that does.

    Holle & Rein (2015) object that such matching tallies more events than raters coded and has no
    place for what only one of them saw. Use `easydiag` to judge agreement; this is for comparison.

    Parameters
    ----------
    units : Units
    rule : {"haccou-meelis", "jansen"}
    tolerance : float
        For "jansen": how far units may be shifted to meet.
    raters : two names, optional
        The first is in the rows.
    labels : list, optional
        The code list, in order.
    confidence_level, n_resamples, rng
        Of the interval, from resampling sessions.

    Returns
    -------
    MultipleLinks

    Raises
    ------
    InputError
        An unknown rule, rater or label, or an impossible number.
    UnsupportedDesignError
        Not two raters, discontinuous units, no session with units of both.

    Notes
    -----
    The two programs are described in words only; these are our reconstructions. Within a session
    and tier, each unit of either rater looks for a partner of the other, who may have one already:
    (1) one with the same label that it overlaps ("jansen": or comes within the tolerance of);
    (2) if there is none, one with another label; (3) if there is none, the nearest one. Among
    several the largest overlap decides ("jansen": the nearest onset). Each pair counts once.

    References
    ----------
    .. [1] Haccou, P. & Meelis, E. (1994). Statistical analysis of behavioural data. Oxford.
    .. [2] Jansen, R. G., Wiertz, L. F., Meyer, E. S. & Noldus, L. P. J. J. (2003). Reliability
       analysis of observational data: Problems, solutions, and software implementation. Behavior
       Research Methods, Instruments, & Computers 35, 391-399. doi:10.3758/BF03195516
    .. [3] Holle, H. & Rein, R. (2015). EasyDIAg: A tool for easy determination of interrater
       agreement. Behavior Research Methods 47, 837-847. doi:10.3758/s13428-014-0506-7

    Examples
    --------
    One long unit against two short ones, and one that only the first rater saw:

    >>> units = Units.from_records([
    ...     ("R1", "x", 0, 100), ("R1", "y", 150, 160), ("R2", "x", 0, 25), ("R2", "x", 30, 100)])
    >>> found = multiple_links(units)
    >>> found.n_matches, dict(found.n_repeated)
    (3, {'R1': 1, 'R2': 1})
    """
    check_word("rule", rule, RULES)
    reach = check_time(tolerance, "tolerance", zero="allowed") if rule == "jansen" else 0.0
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    who = compared(units, "matching with several partners", raters, labels, absent="drop")
    blocks = who.blocks()
    times = as_floats(blocks.start).astype(float), as_floats(blocks.end).astype(float)
    found = [_matches(blocks, b, times, rule, reach) for b in range(blocks.n_blocks)]
    pairs = np.concatenate([np.empty((0, 2), dtype=np.int64), *found])
    return _cascaded(who, blocks, pairs, {"rule": rule, "tolerance": reach}, draws)


def _matches(
    blocks: Blocks, block: int, times: tuple[Floats, Floats], rule: str, reach: float
) -> Ints:
    """Return the pairs of one block, each once, as rows of the blocks."""
    by_onset = rule == "jansen"
    sides = [np.arange(blocks.offsets[block, k], blocks.offsets[block, k + 1]) for k in (0, 1)]
    pairs: set[tuple[int, int]] = set()
    for own, other in ((0, 1), (1, 0)):
        for i in sides[own].tolist():
            j = _partner(i, sides[other], times, blocks.label, reach if by_onset else None)
            if j is not None:
                pairs.add((i, j) if own == 0 else (j, i))
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def _partner(
    i: int, others: Ints, times: tuple[Floats, Floats], label: Any, reach: float | None
) -> int | None:
    """Return the partner that the cascade finds for one unit; None where there is nobody.

    With a reach, units that come within it meet, and the nearest onset decides; without, units
    that overlap, and the largest overlap.
    """
    if not len(others):
        return None
    start, end = times
    shared = np.minimum(end[i], end[others]) - np.maximum(start[i], start[others])
    apart = np.abs(start[others] - start[i])
    near = shared > 0 if reach is None else shared >= -reach
    same = label[others] == label[i]
    for choice in (near & same, near):
        if choice.any():
            places = np.flatnonzero(choice)
            first, second = (-shared, apart) if reach is None else (apart, -shared)
            return int(others[places[np.lexsort((second[places], first[places]))[0]]])
    return int(others[np.lexsort((apart, -shared))[0]])  # the least gap


def _cascaded(
    who: WhoCounts, blocks: Blocks, pairs: Ints, facts: dict[str, Any], draws: Draws
) -> MultipleLinks:
    units = who.units
    label = blocks.label.astype(np.int64)
    session = blocks.session.astype(np.int64)[blocks.block]
    sizes, nobody = (len(units.labels), len(who.sessions)), [np.empty(0, dtype=np.int64)] * 2
    tallies = tally_links(*sizes, pairs, nobody, label=[label] * 2, session=[session] * 2)
    parts = tallies.parts()[:, :3]
    repeated = {
        name: int((np.unique(pairs[:, k], return_counts=True)[1] > 1).sum())
        for k, name in enumerate(blocks.raters)
    }
    several, n_units = sum(repeated.values()), len(blocks.start)
    return who.result(
        MultipleLinks,
        _multiple(several, n_units),
        labels=units.labels,
        table=tallies.table()[:-1, :-1],
        n_matches=len(pairs),
        n_repeated=repeated,
        links=blocks.order[pairs],
        **sampled_kappa(parts, draws),
        **facts,
    )


def _multiple(repeated: int, units: int) -> Finding:
    return Finding(
        "multiple_links",
        "caution",
        f"For comparison only: {repeated:,} of {units:,} units have more than one partner, and a "
        "unit that only one rater saw is matched with whatever lies nearest, so the table holds "
        "events that nobody coded.",
        "Use easydiag to judge agreement.",
        {"repeated": repeated, "units": units},
    )


# ---- ELAN: Thomann's degree of organisation, as in Staccato

LENGTHS = ("observed", "binned", "elan")
CONTINUA = ("zero", "session")
_FEWEST, _MOST = 10, 1_000_000
_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True, kw_only=True)
class Staccato(Reasoned, Accounted):
    """Degree of organisation: do raters' segments meet more often than random ones?

    Attributes
    ----------
    value : float
        From -1 to 1; 0 is what random segments of these lengths give.
    n_nominations, n_in_nuclei, n_nuclei : int
        Segments of all raters; those in nuclei; nuclei.
    expected, standard_error : float
        Mean number in nuclei over random scenarios, and its Monte Carlo standard error.
    value_error : float
        The Monte Carlo standard error of the value.
    limits : pair of float
        Numbers in nuclei between which random scenarios lie, two-sided.
    """

    interval_needs: ClassVar[str] = "an error over raters, and scenarios give that of chance"
    coefficient: ClassVar[str] = "staccato"
    name: ClassVar[str] = "Degree of organisation"
    unrecorded: ClassVar[tuple[str, ...]] = ("by_session",)
    recorded: ClassVar[tuple[str, ...]] = ("coefficient", "name", "status", "is_organised")

    raters: tuple[str, ...]
    value: float
    n_nominations: int
    n_in_nuclei: int
    n_nuclei: int
    expected: float
    standard_error: float
    value_error: float
    limits: tuple[float, float]
    significance: float
    reason: str | None
    lengths: str
    granularity: int | None
    continuum: str
    n_resamples: int
    seed: int | None
    by_session: Mapping[str, tuple[int, int]] = field(repr=False)
    findings: tuple[Finding, ...] = field(repr=False)

    @property
    def is_organised(self) -> bool:
        """Whether more segments meet than the upper limit of random scenarios."""
        return bool(self.n_in_nuclei > self.limits[1])

    def _beside(self) -> Mapping[str, Any]:
        sessions = [
            {"session": name, "n_nominations": n, "n_in_nuclei": k}
            for name, (n, k) in self.by_session.items()
        ]
        return {**super()._beside(), "sessions": sessions}

    def document(self) -> Document:
        """Return the result as something to read."""
        table = Table.of(
            [self],
            "degree: value",
            "Monte Carlo error: value_error",
            "segments: n_nominations",
            "in nuclei: n_in_nuclei",
            "nuclei: n_nuclei",
            "by chance: expected",
        )
        bins = f" in {self.granularity} bins" if self.granularity else ""
        where = "from 0" if self.continuum == "zero" else "within the session"
        said = said_units(self.units_by_session) + (
            f" {self.n_resamples:,} random scenarios, lengths {self.lengths}{bins}, placed {where}"
            f"; {self.limits[0]:g} to {self.limits[1]:g} in nuclei at level {self.significance:g}."
        )
        return page_of_raters(self, "Degree of organisation", said, table)


def staccato(
    units: Units,
    *,
    raters: Sequence[str] | None = None,
    lengths: Literal["observed", "binned", "elan"] = "observed",
    granularity: int = 10,
    continuum: Literal["zero", "session"] = "zero",
    significance: float = 0.05,
    n_resamples: int = 1_000,
    rng: Seed = 0,
) -> Staccato:
    """Thomann's degree of organisation: agreement about segmentation alone.

    A nucleus is a largest group of at least two segments that all overlap each other and overlap
    the same other segments. The degree compares how many segments are in nuclei with random
    scenarios; labels, and who made a segment, are ignored.

    Parameters
    ----------
    units : Units
    raters : names, optional
    lengths : {"observed", "binned", "elan"}
        Lengths of random segments: those observed; drawn from `granularity` bins of equal width;
        or as Staccato in ELAN draws them (from the shortest to the shortest plus the longest,
        with nuclei looked for among neighbours only).
    granularity : int
        Number of bins.
    continuum : {"zero", "session"}
        Random segments lie between 0 and the latest offset, or within the session's bounds.
    significance : float
        Level of the two-sided limits.
    n_resamples : int
        Random scenarios, at least 10.
    rng : seed or Generator

    Returns
    -------
    Staccato

    Raises
    ------
    InputError
        An unknown word or rater, or an impossible number.
    UnsupportedDesignError
        Fewer than two raters, no units, point events, discontinuous units.

    Notes
    -----
    With k segments in nuclei of n, and a mean of k' in random scenarios, the degree is
    (k - k') / (n - k') if k > k' and (k - k') / k' if k < k'. Segments of different sessions or
    tiers never meet; k, k' and n are summed over them.

    References
    ----------
    .. [1] Thomann, B. (2001). Observation and judgment in psychology: Assessing agreement among
       markings of behavioral events. Behavior Research Methods 33, 339-348.

    Examples
    --------
    >>> segments = [(100, 300), (500, 700), (900, 1000), (1200, 1500), (1700, 1750)]
    >>> others = [(110, 290), (400, 480), (520, 710), (1180, 1490)]
    >>> units = Units.from_records(
    ...     [("a", "x", *s) for s in segments] + [("b", "x", *s) for s in others])
    >>> result = staccato(units, n_resamples=2000)
    >>> result.n_in_nuclei, result.n_nominations, 0.3 < result.value < 0.4
    (6, 9, True)
    """
    check_words(lengths=(lengths, LENGTHS), continuum=(continuum, CONTINUA))
    bins = whole_number("granularity", granularity, least=1, most=_MOST)
    n_scenarios = whole_number("n_resamples", n_resamples, least=_FEWEST, most=_MOST)
    level = number_where(
        "significance",
        significance,
        "above 0, below 0.5",
        "0.05 is usual",
        fits=lambda x: 0 < x < 0.5,
    )
    who = _compared(units, raters)
    known, blocks = who.units, who.blocks()
    generator = RandomStream.of(seed_sequence(rng))
    consecutive = lengths == "elan"
    observed: dict[str, tuple[int, int]] = {}
    n_nuclei = 0
    chance = np.zeros(n_scenarios)
    for b in range(blocks.n_blocks):
        rows = slice(int(blocks.offsets[b, 0]), int(blocks.offsets[b, -1]))
        times = np.concatenate([blocks.start[rows], blocks.end[rows]])
        start, end = np.split(as_floats(times), 2)
        origin = origin_of(times)
        in_nuclei, nuclei = (x[0] for x in nuclei_of(start[None], end[None], consecutive))
        name = who.sessions[blocks.session[b]]
        n, k = observed.get(name, (0, 0))
        observed[name] = (n + len(start), k + int(in_nuclei))
        n_nuclei += int(nuclei)
        limits = (min(-float(origin), float(start.min())), float(end.max()))
        if continuum == "session":
            low, high = (float(x) for x in known.bounds[known.sessions.index(name)] - origin)
            limits = (low, high)
        draw = _lengths(end - start, lengths, bins)
        chance += _scenarios(
            draw, (n_scenarios, len(start)), limits, generator, consecutive=consecutive
        )
    n, k = np.array(list(observed.values())).sum(axis=0).tolist()
    return who.result(
        Staccato,
        **_against_chance(k, n, chance, level),
        n_nominations=n,
        n_in_nuclei=k,
        n_nuclei=n_nuclei,
        reason=None,
        lengths=lengths,
        granularity=bins if lengths == "binned" else None,
        continuum=continuum,
        significance=level,
        n_resamples=n_scenarios,
        seed=rng if isinstance(rng, int) else None,
        by_session=observed,
        findings=(_SEGMENTS_ONLY, *dropped_findings(who.dropped, advice="")),
    )


def _compared(units: Any, raters: Any) -> WhoCounts:
    known = check_units(units, "the degree of organisation")
    names = check_raters(known, raters)
    chosen = np.isin(known.rater, [known.raters.index(name) for name in names])
    n_points = int((chosen & (known.start == known.end)).sum())
    if n_points:
        raise UnsupportedDesignError.needs(
            "the degree of organisation",
            "segments with a length",
            f"{n_points} point events",
            "leave point events out with select(labels=…)",
        )
    if not chosen.any():
        raise UnsupportedDesignError.needs(
            "the degree of organisation", "segments", "none", "check the raters' names"
        )
    return who_counts(known, names, "the degree of organisation")


def nuclei_of(start: Floats, end: Floats, consecutive: bool) -> tuple[Ints, Ints]:
    """Return how many segments are in nuclei, and how many nuclei there are, for each row.

    Which segments a segment overlaps follows from how many ended before it began and how many
    began before it ended, so equal pairs of these numbers are the groups that overlap the same
    segments. With ``consecutive`` only neighbours in order of onset are compared.
    """
    n_rows, n = start.shape
    joined = np.concatenate([end, start], axis=1)  # an end comes before a start at the same time
    order = np.argsort(joined, axis=1, kind="stable")
    is_end = order < n
    ended = np.empty((n_rows, 2 * n), dtype=np.int64)
    np.put_along_axis(ended, order, np.cumsum(is_end, axis=1), axis=1)
    begun = np.empty((n_rows, 2 * n), dtype=np.int64)
    np.put_along_axis(begun, order, np.cumsum(~is_end, axis=1), axis=1)
    kind = ended[:, n:] * (n + 1) + begun[:, :n]
    if consecutive:
        onset = np.lexsort((end, start), axis=1)
        kind = np.take_along_axis(kind, onset, axis=1)
    else:
        kind = np.sort(kind, axis=1)
    same = kind[:, 1:] == kind[:, :-1]
    none = np.zeros((n_rows, 1), dtype=bool)
    before, after = np.hstack([none, same]), np.hstack([same, none])
    return (before | after).sum(axis=1), (after & ~before).sum(axis=1)


Draw = Callable[[RandomStream, tuple[int, int]], Floats]


def _lengths(observed: Floats, model: str, bins: int) -> Draw:
    """Return how the lengths of random segments are drawn."""
    low, high = float(observed.min()), float(observed.max())
    if model == "elan":
        return lambda rng, shape: low + np.floor(rng.random(shape) * (high + 1.0))
    if model == "binned" and high > low:
        counts, edges = np.histogram(observed, bins=bins)
        shares = counts / counts.sum()

        def binned(rng: RandomStream, shape: tuple[int, int]) -> Floats:
            which = rng.choice(shares, shape)
            return np.asarray(edges[which] + rng.random(shape) * np.diff(edges)[which])

        return binned
    return lambda rng, shape: np.broadcast_to(observed, shape)


def _scenarios(
    draw: Draw,
    shape: tuple[int, int],
    limits: tuple[float, float],
    rng: RandomStream,
    *,
    consecutive: bool,
) -> Floats:
    """Return the number of segments in nuclei in each random scenario."""
    n_scenarios, n = shape
    low, high = limits
    out = np.empty(n_scenarios)
    step = max(1, _CELLS_AT_ONCE // max(n, 1))
    for first in range(0, n_scenarios, step):
        rows = min(step, n_scenarios - first)
        length = np.minimum(draw(rng, (rows, n)), high - low)
        start = low + rng.random((rows, n)) * (high - low - length)
        out[first : first + rows] = nuclei_of(start, start + length, consecutive)[0]
    return out


def degree(k: float, expected: float, n: int) -> float:
    """Return the degree of organisation (Thomann 2001)."""
    if k > expected:
        return (k - expected) / (n - expected)
    return (k - expected) / expected if k < expected else 0.0


def _against_chance(k: int, n: int, chance: Floats, level: float) -> dict[str, Any]:
    """Return the degree, its error and the limits of chance, as fields of the result."""
    size = len(chance)
    expected = float(chance.mean())
    error = float(chance.std(ddof=1)) / math.sqrt(size)
    ordered = np.sort(chance)
    low, high = (ordered[min(math.floor(x * size), size - 1)] for x in (level, 1.0 - level))
    below = n - expected if k > expected else expected
    # d DO / d expected is (k - n) / (n - k')^2 above chance and -k / k'^2 below.
    slope = (n - k) / below**2 if k > expected else k / below**2 if k < expected else 0.0
    return {
        "value": degree(k, expected, n),
        "expected": expected,
        "standard_error": error,
        "value_error": slope * error,
        "limits": (float(low), float(high)),
    }


_SEGMENTS_ONLY = Finding(
    "segments_only",
    "info",
    "The degree of organisation ignores labels and who made a segment: two overlapping segments of "
    "one rater can form a nucleus.",
)
