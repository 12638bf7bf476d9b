"""GSEQ-like alignment of two raters' events in time, or of their codes in order, and its kappas."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import check_word, number_where
from consilience.core.arrays import Floats, Ints
from consilience.core.draws import Seed
from consilience.core.words import counted, interval_head
from consilience.document import Document, Finding, Range, Table
from consilience.document.blocks import found
from consilience.document.records import Reasoned, Recorded
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import Interval
from consilience.units._columns import Times, expand, labels_of
from consilience.units._linking import check_threshold, reaches
from consilience.units._timeline import Axis, axis_of, session_findings
from consilience.units._unit_results import (
    DrawnOnRequest,
    Draws,
    SampledSessions,
    SessionsDrawn,
    TwoRaterKappa,
    about_raters,
    no_interval,
    no_limits,
    not_defined,
    part_about,
    records_of,
    said_interval,
    said_units,
)
from consilience.units.checks import check_time, compared
from consilience.units.link_tables import (
    CHANCE_IS_ONE,
    LABEL,
    NIL,
    Tallies,
    beyond_chance,
    check_pair,
    nil_table,
    numbered,
    overall,
    quotient,
    row_names,
    tally_links,
    totals_of,
    whole_counts,
    why_no_kappa,
)
from consilience.units.model import Units, refuse_own_overlaps

# ---- paths: events near in time, or plain codes

BASES = ("longer", "shorter", "union")
_SAME = 1e-9  # costs that differ by less are a tie
_AGREE = 2.0  # what linking two events of one code saves: both need not stand alone
_MOST_CELLS = 50_000_000
_MOST_STEPS = 100_000_000


@dataclass(frozen=True, slots=True)
class Events:
    """One rater's events of one block, in order of time and apart from each other."""

    start: Times
    end: Times
    code: Ints


@dataclass(frozen=True, slots=True)
class Rule:
    """Which events may be linked, and what linking unlike ones costs."""

    tolerance: Any
    share: Fraction  # percent of the base that two events must have in common
    base: str
    substitution: float


@dataclass(frozen=True, slots=True)
class Band:
    """What linking saves for pairs near in time, and the most that can be saved from there on.

    For event i of the first rater, partners lie in ``low[i]`` to ``high[i]``; both never fall.
    ``best[i][j - low[i]]`` is the largest saving of events i … and j …, for j up to ``high[i]``.
    """

    low: list[int]
    high: list[int]
    saving: list[Floats]
    best: list[Floats]

    def most(self, i: int, j: int) -> float:
        """Return the largest saving from events i and j on."""
        if j > self.high[i]:  # no event of the first rater reaches j before this one
            i = bisect_left(self.high, j, lo=i)
        return float(self.best[i][max(j - self.low[i], 0)])

    def link(self, i: int, j: int) -> float:
        """Return what linking i and j saves; 0 if they may not be linked."""
        inside = self.low[i] <= j < self.high[i]
        return float(self.saving[i][j - self.low[i]]) if inside else 0.0


def band_of(a: Events, b: Events, rule: Rule) -> Band:
    """Fill the band from the last event to the first: O(events x events near in time)."""
    n, m = len(a.start), len(b.start)
    low = np.minimum(
        np.searchsorted(b.end, a.start, side="left"),
        np.searchsorted(b.start, a.start - rule.tolerance, side="left"),
    )
    high = np.maximum(
        np.searchsorted(b.start, a.end, side="right"),
        np.searchsorted(b.start, a.start + rule.tolerance, side="right"),
    )
    width = high - low
    if int(width.sum()) > _MOST_CELLS:
        raise UnsupportedDesignError.needs(
            "the alignment",
            f"at most {_MOST_CELLS:,} pairs of events near in time",
            f"{int(width.sum()):,}",
            "use a smaller tolerance",
        )
    saved = _savings(a, b, rule, *expand(low, width))
    saving = np.split(saved, np.cumsum(width)[:-1]) if n else []
    lows, highs = [*low.tolist(), m], [*high.tolist(), m]
    best: list[Floats] = [np.zeros(0)] * n + [np.zeros(1)]
    for i in range(n - 1, -1, -1):
        here = np.maximum(np.arange(lows[i], highs[i] + 1) - lows[i + 1], 0)
        after = best[i + 1][here]
        linked = np.where(saving[i] > 0, saving[i] + after[1:], 0.0)
        after[:-1] = np.maximum(after[:-1], linked)
        best[i] = np.maximum.accumulate(after[::-1])[::-1]
    return Band(lows, highs, saving, best)


def _savings(a: Events, b: Events, rule: Rule, first: Ints, second: Ints) -> Floats:
    """Return 2 for eligible pairs of one code, 2 - s for other eligible pairs, else 0."""
    begin = np.maximum(a.start[first], b.start[second])
    shared = np.maximum(np.minimum(a.end[first], b.end[second]) - begin, 0)
    lengths = (a.end - a.start)[first], (b.end - b.start)[second]
    if rule.base == "longer":
        base = np.maximum(*lengths)
    elif rule.base == "shorter":
        base = np.minimum(*lengths)
    else:
        base = lengths[0] + lengths[1] - shared
    eligible = (shared > 0) & reaches(shared, base, rule.share)
    apart = np.abs(a.start[first] - b.start[second])
    points = (lengths[0] == 0) & (lengths[1] == 0)  # they share an instant or nothing
    eligible |= (apart <= rule.tolerance) if rule.tolerance > 0 else points & (apart == 0)
    same = a.code[first] == b.code[second]
    return np.where(eligible, np.where(same, _AGREE, max(_AGREE - rule.substitution, 0.0)), 0.0)


def trace(a: Events, b: Events, band: Band, *, leader: int) -> list[tuple[int, int]]:
    """Follow one best alignment from the start; on ties link, else skip the leader's event.

    Agreements come before links of unlike events (which cost no less). ``leader`` is 0 for the
    first rater's sequence aligned to the second's, 1 for the reverse.
    """
    n, m = len(a.start), len(b.start)
    links = []
    i = j = 0
    while i < n and j < m:
        rest = band.most(i, j)
        saved = band.link(i, j)
        if saved > 0 and saved + band.most(i + 1, j + 1) > rest - _SAME:
            links.append((i, j))
            i, j = i + 1, j + 1
        elif leader == 0:
            step = band.most(i + 1, j) > rest - _SAME
            i, j = i + step, j + (not step)
        else:
            step = band.most(i, j + 1) > rest - _SAME
            i, j = i + (not step), j + step
    return links


_LINK, _FIRST, _SECOND = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Path:
    """The columns of an alignment: place in either sequence, -1 for a gap."""

    first: Ints
    second: Ints
    cost: float


def global_path(first: Ints, second: Ints, costs: Floats, gap: float) -> Path:
    """Return a best alignment of two coded sequences.

    ``costs[k, l]`` is what linking codes k and l costs, ``gap`` what a code alone costs. The path
    is followed from the start; on ties a link comes first, then a gap in the second sequence.
    """
    n, m = len(first), len(second)
    if (n + 1) * (m + 1) > _MOST_STEPS:
        raise UnsupportedDesignError.needs(
            "the alignment",
            f"sequences whose lengths multiply to at most {_MOST_STEPS:,}",
            f"{n:,} and {m:,} codes",
            "compare shorter sessions, or a coarser unit of time",
        )
    # Sums of costs are equal up to rounding, which grows with the sums.
    same = max(_SAME, 1e-12 * max(gap, float(costs.max(initial=0.0))) * (n + m))
    steps = gap * np.arange(m + 1)
    below = steps[::-1].copy()  # cost from here on, of the row below
    move = np.empty((n + 1, m + 1), dtype=np.int8)
    move[n] = _SECOND
    for i in range(n - 1, -1, -1):
        linked = costs[first[i], second] + below[1:]
        direct = below + gap
        direct[:-1] = np.minimum(direct[:-1], linked)
        # cost_j = min over k >= j of direct_k + gap (k - j): a running minimum from the right.
        best = np.minimum.accumulate((direct + steps)[::-1])[::-1] - steps
        move[i] = np.where(below + gap <= best + same, _FIRST, _SECOND)
        move[i, m] = _FIRST  # nothing is left in the second sequence
        move[i, :-1][linked <= best[:-1] + same] = _LINK
        below = best
    return _followed(move, float(below[0]))


def _followed(move: NDArray[np.int8], cost: float) -> Path:
    n, m = move.shape[0] - 1, move.shape[1] - 1
    columns: list[tuple[int, int]] = []
    i = j = 0
    while i < n or j < m:
        step = move[i, j]
        columns.append((-1 if step == _SECOND else i, -1 if step == _FIRST else j))
        i, j = i + (step != _SECOND), j + (step != _FIRST)
    pairs = np.array(columns, dtype=np.int64).reshape(-1, 2)
    return Path(pairs[:, 0], pairs[:, 1], cost)


# ---- a table with nil, all by quasi-independence


def category_kappas(parts: Floats) -> tuple[Floats, Floats, Floats]:
    """Return observed, expected agreement and kappa of each label of totals (…, 5, K).

    As GSEQ has them, which Holle & Rein (2015, table 3) compare with EasyDIAG's.

    p_e(k) = (m_kk + sum of m_ij over i, j other than k) / N with the expected counts m of the
    whole table; as m has the margins of the table, that is (N - r_k - c_k + 2 m_kk) / N.
    """
    both, r, c, u, v = np.moveaxis(parts, -2, 0)
    nil_row, nil_column = v.sum(-1)[..., None], u.sum(-1)[..., None]
    total = r.sum(-1)[..., None] + nil_row
    linked = total - nil_row - nil_column
    below = (total - nil_row) * (total - nil_column)
    by_chance = np.where(linked > 0, quotient(r * c * linked, below), 0.0)
    observed = quotient(total - r - c + 2 * both, total)
    expected = quotient(total - r - c + 2 * by_chance, total)
    return observed, expected, beyond_chance(observed, expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryKappa(Recorded, Reasoned):
    """One category against all others, with chance from the whole table."""

    recorded: ClassVar[tuple[str, ...]] = ("status",)

    label: Any
    both: int
    first: int
    second: int
    observed: float
    expected: float
    kappa: float
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class AlignmentTable(TwoRaterKappa):
    """Kappas of a table with nil, all by quasi-independence.

    Attributes
    ----------
    table : array (K + 1, K + 1)
        Rows are the first rater; nil is last.
    categories : tuple of CategoryKappa
    """

    interval_needs: ClassVar[str] = "sessions to resample, and a table has none"
    unrecorded: ClassVar[tuple[str, ...]] = ("kappa", "units_by_session")
    recorded: ClassVar[tuple[str, ...]] = ("value", "n_tallies", "status")

    labels: tuple[Any, ...]
    table: NDArray[np.int64] = field(repr=False)
    categories: tuple[CategoryKappa, ...] = field(repr=False)

    @property
    def n_tallies(self) -> int:
        """Sum of the table."""
        return int(self.table.sum())

    def __getitem__(self, label: Any) -> CategoryKappa:
        """Return the agreement about one category."""
        return part_about(self.categories, label)

    def document(self) -> Document:
        """Return the result as something to read."""
        note = "An event without a partner is in the row or column nil."
        return about_raters(
            self,
            "GSEQ-like kappas",
            self.overall_table(),
            self.category_table(),
            *nil_table(self.raters, self.labels, self.table, note),
            not_defined(self),
        )

    def overall_table(self) -> Table:
        """Return the numbers of the whole table."""
        columns = ("tallies: n_tallies", "observed", "by chance: expected", "kappa")
        return Table.of([self], *columns)

    def category_table(self) -> Table:
        """Return the numbers of each category."""
        return Table.of(
            self.categories,
            ("category", LABEL[1]),
            "both",
            "first",
            "second",
            "observed",
            "by chance: expected",
            "kappa",
            caption="Each category",
            note="Chance of each category from the expected counts of the whole table.",
        )


def gseq_table(
    table: Any,
    labels: Sequence[Any] | None = None,
    *,
    nil: Any = None,
    raters: tuple[str, str] = ("rater 1", "rater 2"),
) -> AlignmentTable:
    """GSEQ-like kappas of a finished table, such as one printed by that program.

    Parameters
    ----------
    table : square table of whole counts
        Rows are the first rater; one row and column are nil (not linked).
    labels : list, optional
        One for each row, nil among them.
    nil : optional
        Which label is nil; default "nil" if there is one, else the last.
    raters : pair of names

    Returns
    -------
    AlignmentTable

    Raises
    ------
    InputError
        The table is not square, holds other than whole counts, or a count for nil with nil.

    Notes
    -----
    Overall chance agreement is that of quasi-independence with the cell of nil and nil empty. The
    kappa of a category uses the expected counts of the whole table, unlike EasyDIAG's, which
    treats each category's table of four cells by itself.

    References
    ----------
    .. [1] Bakeman, R., Quera, V. & Gnisci, A. (2009). Observer agreement for timed-event
       sequential data. Behavior Research Methods 41, 137-147. doi:10.3758/BRM.41.1.137

    Examples
    --------
    >>> result = gseq_table([[4, 0, 1], [0, 6, 2], [1, 1, 0]], ["a", "b", "nil"])
    >>> round(result.kappa, 4), round(result["a"].kappa, 4)
    (0.4902, 0.7057)
    """
    counts = whole_counts(table)
    given = (*numbered(len(counts) - 1), NIL) if labels is None else labels
    names = row_names(given, len(counts), more=", nil among them", hint="name each row")
    place = _nil_place(names, nil)
    order = [k for k in range(len(counts)) if k != place] + [place]
    ordered = counts[np.ix_(order, order)]
    if ordered[-1, -1]:
        raise InputError.expected(
            "the cell of nil with nil",
            "0: units that neither rater marked cannot be counted",
            float(ordered[-1, -1]),
            "say which label is nil, or use consilience.cohen_kappa for a plain table",
        )
    known = table_numbers(totals_of(ordered), tuple(names[k] for k in order[:-1]))
    return AlignmentTable(raters=check_pair(raters), table=ordered.astype(np.int64), **known)


def _nil_place(names: tuple[Any, ...], nil: Any) -> int:
    if nil is None:
        return names.index(NIL) if NIL in names else len(names) - 1
    if nil not in names:
        raise InputError.unknown_word("nil", nil, map(str, names))
    return names.index(nil)


def table_numbers(totals: Floats, labels: tuple[Any, ...]) -> dict[str, Any]:
    """Return the overall and category kappas of totals (5, K), as fields of a result."""
    whole = {name: float(x) for name, x in overall(totals).items()}
    n_used = int(np.count_nonzero(totals[1] + totals[2]))
    observed, expected, kappas = category_kappas(totals)
    both, first, second = totals[:3].astype(np.int64)
    kappas = np.where(n_used == 1, np.nan, kappas)
    why = [
        "nobody used this category"
        if not used
        else "no other category was used"
        if n_used == 1
        else CHANCE_IS_ONE
        for used in first + second
    ]
    return {
        "labels": labels,
        "observed": whole["raw"],
        "expected": whole["expected"],
        "kappa": whole["kappa"],
        "reason": None if math.isfinite(whole["kappa"]) else why_no_kappa(n_used),
        "categories": records_of(
            CategoryKappa,
            label=labels,
            both=both,
            first=first,
            second=second,
            observed=observed,
            expected=expected,
            kappa=kappas,
            reason=[None if np.isfinite(k) else x for k, x in zip(kappas, why, strict=True)],
        ),
    }


# ---- what an alignment returns

GAP = "&"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignmentSettings(Draws):
    """How events were aligned and intervals are made."""

    preset: str
    tolerance: float
    overlap: float
    base: str
    substitution: float
    fill_gaps: bool
    absent: str

    ties: ClassVar[str] = "agreement, substitution, skip of the leading rater, skip of the other"
    recorded: ClassVar[tuple[str, ...]] = ("ties",)

    def sentence(self) -> str:
        """Say in words how events were linked."""
        near = f"an overlap of {self.overlap:g} percent of the {self.base} one"
        if self.base == "union":
            near = f"an overlap of {self.overlap:g} percent of their union"
        if self.tolerance:
            near = f"onsets at most {self.tolerance:g} apart, or {near}"
        gaps = f'gaps filled with "{GAP}"' if self.fill_gaps else "gaps not filled"
        return (
            f"Events may be linked with {near}; {gaps}. Costs: agreement 0, unlike codes "
            f"{self.substitution:g}, an event alone 1 ({self.preset})."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedEvents:
    """What one rater brought into the alignment, filled gaps among it.

    Attributes
    ----------
    start, end : array
        In the time of the units.
    code : array
        Place in the labels of the result.
    row : array
        Row in the given units, -1 for a filled gap.
    session, block : array
        Place in the sessions of the result, and number of the tier of the session.
    """

    start: Floats
    end: Floats
    code: Ints
    row: Ints
    session: Ints
    block: Ints


@dataclass(frozen=True, kw_only=True)
class TimedAlignment(DrawnOnRequest, AlignmentTable):
    """A GSEQ-like alignment of two raters' timed events.

    Attributes
    ----------
    cost : float
        Of the best alignment, over all sessions; both passes have the same.
    n_links : pair of int
        Links of the first pass and of the second.
    n_both : int
        Links that both passes made.
    links : array (links, 4)
        Row of each rater's unit in the given units (-1 for a filled gap), and whether the first
        and the second pass made the link.
    events : pair of AlignedEvents
        The events of each rater, filled gaps among them.
    event_links : array (links, 2)
        The same links as places in the events.
    """

    coefficient: ClassVar[str] = "timed_alignment"
    name: ClassVar[str] = "GSEQ-like alignment kappa"
    unrecorded: ClassVar[tuple[str, ...]] = ("kappa", "links", "tallies", "events", "event_links")
    recorded: ClassVar[tuple[str, ...]] = (
        *AlignmentTable.recorded,
        "coefficient",
        "name",
        "interval",
    )

    settings: AlignmentSettings
    cost: float
    n_links: tuple[int, int]
    n_both: int
    n_units: Mapping[str, int] = field(repr=False)
    n_gaps: Mapping[str, int] = field(repr=False)
    sessions: tuple[str, ...] = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    links: Ints = field(repr=False)
    events: tuple[AlignedEvents, AlignedEvents] = field(repr=False)
    event_links: Ints = field(repr=False)
    tallies: Tallies = field(repr=False)

    @cached_property
    def _sample(self) -> SampledSessions:
        def values(sums: Floats) -> Floats:
            return np.hstack([overall(sums)["kappa"][:, None], category_kappas(sums)[2]])

        return self.settings.sampled(self.tallies.parts(), values)

    def confidence_interval(
        self, confidence_level: float = 0.95, method: str = "auto", *, label: Any = None
    ) -> Interval:
        """Interval of kappa, or of a label's, from resampling sessions (at least 8)."""
        level = self._level(confidence_level, method)
        column = 0 if label is None else 1 + self.labels.index(self[label].label)
        return self._sample.interval(level, method, column=column)

    def session_table(self, session: str) -> Ints:
        """Return the table of one session."""
        if session not in self.sessions:
            raise InputError.unknown_word("a session", session, self.sessions)
        return self.tallies.table(self.sessions.index(session))

    def _beside(self) -> Mapping[str, Any]:
        parts = overall(self.tallies.parts())
        sessions = [
            {"session": name, "n_tallies": int(n), "kappa": float(k)}
            for name, n, k in zip(self.sessions, parts["total"], parts["kappa"], strict=True)
        ]
        return {**super()._beside(), "sessions": sessions}

    def document(self) -> Document:
        """Return the result as something to read."""
        base = super().document()
        counts = " and ".join(
            f"{n:,} by {name} (and {self.n_gaps[name]:,} gaps)" for name, n in self.n_units.items()
        )
        said = (
            f"{counts} in {counted(len(self.sessions), 'session')}; {self.n_links[0]:,} and "
            f"{self.n_links[1]:,} links in the two passes, {self.n_both:,} in both. "
            f"{self.settings.sentence()}"
        )
        interval, level = self.interval, interval_head(self.settings.confidence_level)
        row: list[Any] = ["kappa", self.kappa, Range.of(interval)]
        limits = Table(heads=("", "value", level), rows=[row])
        first, *others = base.blocks
        return about_raters(
            self,
            "GSEQ-like alignment",
            said,
            first,
            limits if math.isfinite(interval.low) else None,
            *others,
            no_limits(interval),
        )


# ---- two passes, each rater leading once

PRESETS = {"gseq51": 2.0, "quera": 1.0}  # what linking unlike events costs


def timed_alignment(
    units: Units,
    *,
    tolerance: float = 0,
    overlap: float = 60,
    preset: Literal["gseq51", "quera"] = "gseq51",
    base: Literal["longer", "shorter", "union"] = "longer",
    substitution: float | None = None,
    fill_gaps: bool = True,
    raters: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    absent: Literal["asked", "drop", "count"] = "asked",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> TimedAlignment:
    """GSEQ-like alignment of two raters' timed events, and its kappas.

    Events are linked in order, at the least cost: as many as possible with one code. The
    alignment is made twice, each rater leading once, because ties may be broken differently.
    This is a reconstruction from published tables and descriptions, not GSEQ itself.

    Parameters
    ----------
    units : Units
        A rater's own units must not overlap.
    tolerance : float
        Onsets at most so far apart make two events eligible; 0 leaves this rule out.
    overlap : float, default 60
        Percent that two events must have in common to be eligible.
    preset : {"gseq51", "quera"}
        What linking events of unlike codes costs: 2 (never better than leaving both alone, so no
        such links) or 1.
    base : {"longer", "shorter", "union"}
        What the percentage refers to.
    substitution : float, optional
        Another cost of linking unlike codes.
    fill_gaps : bool, default True
        Time without an event becomes an event of the code "&", over the bounds of the session.
    raters : two names, optional
    labels : list, optional
        The code list, in order.
    absent : {"asked", "drop", "count"}
        A rater without a unit in a session counts as having marked nothing if she was asked
        there (`Units.asked`) and is left out if that is not known; is left out; or counts.
    confidence_level, n_resamples, rng
        Of the intervals, from resampling sessions.

    Returns
    -------
    TimedAlignment

    Raises
    ------
    InputError
        An unknown word, rater or label, or an impossible number.
    UnsupportedDesignError
        Not two raters, units of one rater that overlap, discontinuous units, no common session.

    Notes
    -----
    Each link of each pass is one tally; an event linked in neither pass is one tally with nil.
    Kappas are those of `gseq_table`.

    References
    ----------
    .. [1] Bakeman, R., Quera, V. & Gnisci, A. (2009). Observer agreement for timed-event
       sequential data. Behavior Research Methods 41, 137-147. doi:10.3758/BRM.41.1.137

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("R1", "A", 0, 10), ("R1", "B", 10, 20), ("R1", "A", 25, 35), ("R1", "C", 40, 50),
    ...     ("R2", "A", 1, 11), ("R2", "C", 11, 19), ("R2", "A", 26, 30), ("R2", "A", 30, 36),
    ...     ("R2", "B", 60, 65)])
    >>> result = timed_alignment(units)
    >>> result.cost, round(result.kappa, 4), result.n_links
    (11.0, 0.1951, (2, 2))
    """
    check_word("preset", preset, PRESETS)
    check_word("base", base, BASES)
    if not isinstance(fill_gaps, bool):
        raise InputError.expected("fill_gaps", "True or False", fill_gaps, "leave it out")
    share = check_threshold(overlap)
    settings = AlignmentSettings(
        preset=preset if substitution is None else "custom",
        tolerance=check_time(tolerance, "tolerance", zero="allowed"),
        overlap=float(overlap),
        base=base,
        substitution=PRESETS[preset] if substitution is None else check_cost(substitution),
        fill_gaps=fill_gaps,
        absent=absent,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )
    who = compared(units, "the alignment", raters, labels, absent=absent, long=True)
    known, blocks = who.units, who.blocks()
    hint = "put units that may overlap on different tiers"
    refuse_own_overlaps(known, blocks, "the alignment", hint, points=True)
    used = np.flatnonzero(who.used)
    axis = axis_of(known, used, unit=None, extra=settings.tolerance)
    reach = min(round(settings.tolerance * axis.factor), int(axis.offset[-1]))
    codes = known.labels
    if fill_gaps and GAP not in codes:
        codes = (*codes, GAP)
    sides = [_side(known, name, axis, codes, fill_gaps=fill_gaps) for name in who.raters]
    (first, second), cost = _passes(sides, axis, Rule(reach, share, base, settings.substitution))
    links = np.concatenate([first, second])
    alone = [np.setdiff1d(np.arange(len(x.row)), links[:, k]) for k, x in enumerate(sides)]
    session = [axis.session[x.block] for x in sides]
    label = [x.events.code for x in sides]
    # Each link of each pass counts once, and once each event that no pass linked.
    tallies = tally_links(len(codes), len(used), links, alone, label=label, session=session)
    size = len(sides[1].row) + 1
    keys = [x[:, 0] * size + x[:, 1] for x in (first, second)]
    either = np.union1d(*keys)
    made = [np.isin(either, key) for key in keys]
    places = either // size, either % size
    rows = [x.row[place] for x, place in zip(sides, places, strict=True)]
    gap_in_use = f'The code "{GAP}" is in the data; gaps that were filled are counted with it.'
    begins = np.asarray(known.bounds, dtype=np.float64)[used, 0]
    return who.result(
        TimedAlignment,
        findings=(
            *session_findings(who, points="count"),
            *found((fill_gaps and GAP in known.labels, "gap_code_in_use", "caution", gap_in_use)),
            _RECONSTRUCTED,
        ),
        table=tallies.table(),
        settings=settings,
        cost=cost,
        n_links=(len(first), len(second)),
        n_both=int((made[0] & made[1]).sum()),
        n_gaps={name: int((x.row < 0).sum()) for name, x in zip(who.raters, sides, strict=True)},
        links=np.stack([*rows, *made], axis=1).astype(np.int64),
        events=tuple(_events(x, axis, begins) for x in sides),
        event_links=np.stack(places, axis=1),
        tallies=tallies,
        **table_numbers(tallies.totals(), codes),
    )


_HIGHEST_COST = 1_000_000


def check_cost(cost: Any, what: str = "substitution") -> float:
    """Return a cost of an alignment."""
    expectation, hint = f"a cost from 0 to {_HIGHEST_COST:,}", "the usual one is 1 or 2"
    return number_where(what, cost, expectation, hint, fits=lambda x: 0 <= x <= _HIGHEST_COST)


@dataclass(frozen=True, slots=True)
class Side:
    """The events of one rater on the axis, gaps among them."""

    events: Events
    block: Ints
    row: Ints  # in the units, -1 for a gap


def _side(units: Units, name: str, axis: Axis, codes: tuple[Any, ...], *, fill_gaps: bool) -> Side:
    rows = np.flatnonzero((units.rater == units.raters.index(name)) & (axis.block >= 0))
    rows = rows[np.lexsort((axis.end[rows], axis.start[rows], axis.block[rows]))]
    start, end, block = axis.start[rows], axis.end[rows], axis.block[rows]
    code = units.label[rows].astype(np.int64)
    if fill_gaps:
        # The k-th moment at which an event or block begins to lack is followed by the k-th at
        # which one begins or a block ends.
        opens = np.sort(np.concatenate([axis.offset[:-1], end]))
        closes = np.sort(np.concatenate([axis.offset[1:], start]))
        gap = closes > opens
        opens, closes = opens[gap], closes[gap]
        start, end = np.concatenate([start, opens]), np.concatenate([end, closes])
        inside = np.searchsorted(axis.offset, opens, side="right") - 1
        block = np.concatenate([block, inside])
        rows = np.concatenate([rows, np.full(len(opens), -1)])
        code = np.concatenate([code, np.full(len(opens), codes.index(GAP))])
        order = np.lexsort((end, start, block))
        start, end = start[order], end[order]
        block, rows, code = block[order], rows[order], code[order]
    return Side(Events(start, end, code), block, rows)


def _passes(sides: Sequence[Side], axis: Axis, rule: Rule) -> tuple[list[Ints], float]:
    """Return the links of both passes (places in the two sides), and the cost."""
    links: list[list[Ints]] = [[], []]
    cost = 0.0
    edges = [np.searchsorted(x.block, np.arange(axis.n_blocks + 1)) for x in sides]
    for k in range(axis.n_blocks):
        parts = [slice(int(edge[k]), int(edge[k + 1])) for edge in edges]
        a, b = (
            Events(x.events.start[part], x.events.end[part], x.events.code[part])
            for x, part in zip(sides, parts, strict=True)
        )
        band = band_of(a, b, rule)
        cost += len(a.start) + len(b.start) - band.most(0, 0)
        for leader in (0, 1):
            found = np.array(trace(a, b, band, leader=leader), dtype=np.int64).reshape(-1, 2)
            links[leader].append(found + np.array([parts[0].start, parts[1].start]))
    return [np.concatenate(x) for x in links], cost


def _events(side: Side, axis: Axis, begins: Floats) -> AlignedEvents:
    """Return a side in the time of the units; `begins` says where each session does."""
    session = axis.session[side.block]
    start, end = (
        (x - axis.offset[side.block]) / axis.factor + begins[session]
        for x in (side.events.start, side.events.end)
    )
    return AlignedEvents(
        start=start, end=end, code=side.events.code, row=side.row, session=session, block=side.block
    )


_RECONSTRUCTED = Finding(
    "gseq_like",
    "info",
    "This is a reconstruction of the alignment that GSEQ describes; its exact costs and ties are "
    "not published, so tables can differ from GSEQ's in some cells.",
)

# ---- codes in their order, without times


@dataclass(frozen=True, kw_only=True)
class SequenceAlignment(SessionsDrawn, AlignmentTable):
    """Two raters' sequences of codes, aligned.

    Attributes
    ----------
    substitution, gap : float
        What linking unlike codes and leaving a code alone cost.
    costs : array (K, K)
        What linking each two codes costs.
    cost : float
        Of the alignment, over all sessions.
    n_columns, n_linked : int
        Columns of the alignment, and those with a code of both raters.
    columns : tuple of pairs
        The aligned codes of the first session, None for a gap; empty for more sessions.
    """

    coefficient: ClassVar[str] = "event_alignment"
    name: ClassVar[str] = "Alignment kappa"
    ties: ClassVar[str] = "agreement, substitution, deletion, insertion"
    unrecorded: ClassVar[tuple[str, ...]] = ("kappa", "columns", "tallies")
    recorded: ClassVar[tuple[str, ...]] = (
        *AlignmentTable.recorded,
        "coefficient",
        "name",
        "ties",
        "interval",
    )

    substitution: float
    gap: float
    costs: Floats = field(repr=False)
    cost: float
    n_columns: int
    n_linked: int
    columns: tuple[tuple[Any, Any], ...] = field(repr=False)
    sessions: tuple[str, ...] = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    tallies: Tallies = field(repr=False)
    interval: Interval = field(repr=False)

    def document(self) -> Document:
        """Return the result as something to read."""
        said = (
            f"{self.n_columns:,} columns, {self.n_linked:,} with a code of both raters; cost "
            f"{self.cost:g}. Costs: agreement 0, unlike codes {self._unlike()}, a code alone "
            f"{self.gap:g}; on ties agreement before substitution, deletion, insertion."
        )
        drawn = None
        if self.units_by_session:  # two bare sequences have no interval to speak of
            said = f"{said_units(self.units_by_session)} {said}"
            drawn = said_interval(self.interval)
        blocks = super().document().blocks
        return about_raters(self, "Alignment of event sequences", said, *blocks, drawn)

    def _unlike(self) -> str:
        off = self.costs[~np.eye(len(self.costs), dtype=bool)]
        low, high = (float(off.min()), float(off.max())) if off.size else (self.substitution,) * 2
        return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def align_sequences(
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    substitution: float = 1,
    gap: float = 1,
    costs: Any = None,
    labels: Iterable[Any] | None = None,
    raters: tuple[str, str] = ("rater 1", "rater 2"),
) -> SequenceAlignment:
    """Align two sequences of codes that have an order but no times, and give its kappa.

    Parameters
    ----------
    first, second : sequences of codes
        A text is a sequence of one-letter codes.
    substitution, gap : float
        What linking unlike codes, and leaving a code alone, costs; agreement costs 0.
    costs : K x K table, optional
        What linking each two codes costs, in the order of `labels` (given, or sorted).
    labels : list, optional
        The code list, in order.
    raters : pair of names

    Returns
    -------
    SequenceAlignment

    Raises
    ------
    InputError
        A missing code, a code that is not in `labels`, or an impossible cost.

    Notes
    -----
    Needleman and Wunsch's alignment at the least cost; every column is one tally, and kappa is
    that of quasi-independence with the cell of nil and nil empty ("alignment kappa"). The costs
    recommended by the authors are not known here, so they are parameters and part of the result.

    References
    ----------
    .. [1] Quera, V., Bakeman, R. & Gnisci, A. (2007). Observer agreement for event sequences:
       Methods and software for sequence alignment and reliability estimates. Behavior Research
       Methods 39, 39-49. doi:10.3758/BF03192842

    Examples
    --------
    >>> result = align_sequences("abbcab", "abcaab")
    >>> result.cost, result.n_columns, round(result.kappa, 4)
    (2.0, 6, 0.4783)
    """
    words = [_sequence(x, name) for x, name in ((first, "first"), (second, "second"))]
    both = [*words[0], *words[1]]
    named, notes = labels_of(both, size=len(both), declared=labels)
    if any(note.code == "empty_label" for note in notes):
        raise InputError.expected("the sequences", "codes without gaps", None, "name every event")
    codes, n = named.codes.astype(np.int64), len(words[0])
    found = _aligned(
        [(codes[:n], codes[n:])],
        [0],
        named.names,
        _costs(costs, substitution, gap, len(named.names)),
    )
    return SequenceAlignment(
        raters=check_pair(raters),
        sessions=("sequence",),
        dropped=(),
        interval=no_interval(1, 0.95),
        **found,
    )


def event_alignment(
    units: Units,
    *,
    substitution: float = 1,
    gap: float = 1,
    costs: Any = None,
    labels: Iterable[Any] | None = None,
    raters: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> SequenceAlignment:
    """Align the codes of two raters' units in their order, without regard to their times.

    Sessions in which one of them has no units are left out; tiers are aligned each by itself and
    tallies are summed. Everything else is as in `align_sequences`.

    Parameters
    ----------
    units : Units
    substitution, gap, costs, labels
        As in `align_sequences`.
    raters : two names, optional
    confidence_level, n_resamples, rng
        Of the interval, from resampling sessions.

    Returns
    -------
    SequenceAlignment

    Raises
    ------
    InputError
        An unknown rater or label, or an impossible cost.
    UnsupportedDesignError
        Not two raters, no common session, discontinuous units.

    Examples
    --------
    >>> units = Units.from_records([("a", "x", 0, 5), ("a", "y", 6, 7), ("b", "x", 80, 90)])
    >>> event_alignment(units).table.tolist()  # rows x, y, nil
    [[1, 0, 0], [0, 0, 1], [0, 0, 0]]
    """
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    who = compared(units, "the alignment", raters, labels)
    blocks = who.blocks()
    known = who.units.labels
    strings = [
        tuple(blocks.label[blocks.of(k, r)].astype(np.int64) for r in (0, 1))
        for k in range(blocks.n_blocks)
    ]
    found = _aligned(strings, blocks.session, known, _costs(costs, substitution, gap, len(known)))
    parts = found["tallies"].parts()
    interval = draws.interval(parts, lambda sums: overall(sums)["kappa"])
    return who.result(SequenceAlignment, interval=interval, **found)


def _sequence(given: Any, what: str) -> list[Any]:
    if isinstance(given, (bytes, dict)) or not isinstance(given, Iterable):
        raise InputError.expected(
            f"the {what} sequence", "a sequence of codes", given, "such as ['a', 'b', 'a']"
        )
    return list(given)


Costs = tuple[float, float, Floats]  # of unlike codes, of a code alone, of each two codes


def _costs(costs: Any, substitution: Any, gap: Any, size: int) -> Costs:
    one, alone = check_cost(substitution), check_cost(gap, "gap")
    table = np.full((size, size), one)
    np.fill_diagonal(table, 0.0)
    if costs is not None:
        hint = "one row and column for each code, in the order of labels"
        try:
            table = np.array(costs, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError.expected("costs", "a table of numbers", costs, hint) from None
        good = table.shape == (size, size) and ((table >= 0) & (table <= 1_000_000)).all()
        if not good or np.diag(table).any():
            raise InputError.expected(
                "costs", f"a {size} x {size} table of 0 or more with a diagonal of 0", costs, hint
            )
    return one, alone, table


def _aligned(
    strings: Sequence[tuple[Ints, ...]], session: Any, labels: tuple[Any, ...], costs: Costs
) -> dict[str, Any]:
    """Align each pair of code strings and count the columns; return fields of the result."""
    substitution, gap, table = costs
    paths = [global_path(a, b, table, gap) for a, b in strings]
    nil = len(labels)
    row, column = (
        np.concatenate(
            [
                np.append(pair[k], nil)[(path.first, path.second)[k]]
                for pair, path in zip(strings, paths, strict=True)
            ]
        ).astype(np.int64)
        for k in (0, 1)
    )
    at = np.repeat(np.asarray(session, dtype=np.int64), [len(path.first) for path in paths])
    n_sessions = int(max(session)) + 1
    tallies = Tallies(nil, n_sessions, at, row, column, np.ones(len(row), dtype=np.int64))
    names = [*labels, None]
    shown = tuple((names[a], names[b]) for a, b in zip(row, column, strict=True))
    return {
        "table": tallies.table(),
        "substitution": substitution,
        "gap": gap,
        "costs": table,
        "cost": float(sum(path.cost for path in paths)),
        "n_columns": len(row),
        "n_linked": int(((row < nil) & (column < nil)).sum()),
        "columns": shown if len(paths) == 1 else (),
        "tallies": tallies,
        **table_numbers(tallies.totals(), labels),
    }
