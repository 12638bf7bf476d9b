"""Agreement at every moment: kappa of two raters, and any coefficient for any number of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import registry
from consilience.coefficients.coefficient import Coefficient, Design
from consilience.core.arguments import check_word
from consilience.core.arrays import Floats, Ints
from consilience.core.draws import Seed
from consilience.core.words import counted, interval_head
from consilience.distances import get_distance
from consilience.document import Document, Finding, Table
from consilience.document.records import Reasoned, Recorded
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import Interval
from consilience.inference.influence import Evaluation
from consilience.inference.resampling import Replicator
from consilience.ratings import Ratings
from consilience.rows import Rows
from consilience.rows.distinct_rows import RowTable
from consilience.rows.reduce import count_codes, form_of
from consilience.units._timeline import NIL, Coverage, Prepared, TimeSettings, covered, prepare
from consilience.units._unit_results import (
    KAPPA,
    SHARE,
    Accounted,
    DrawnOnRequest,
    SampledSessions,
    SessionsDrawn,
    TwoRaterKappa,
    about_raters,
    most_used,
    no_limits,
    not_defined,
    part_about,
    records_of,
)
from consilience.units.checks import MOST_LABELS, check_label_count
from consilience.units.link_tables import (
    LABEL,
    beyond_chance,
    kappa_of,
    label_kappa,
    quotient,
    why_no_label,
)
from consilience.units.model import Units

# ---- time of each state and label, by session

_AT_ONCE = 1_000_000  # pairs of states whose labels are compared together
_FEW_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class SessionParts:
    """How long both, the first and the second rater have each state or label.

    Each is a sparse array (sessions, states): a session shows few of very many labels.
    """

    both: Any
    first: Any
    second: Any

    def totals(self) -> Floats:
        """Return the sums over sessions (3, states)."""
        return np.stack([np.asarray(x.sum(axis=0)) for x in (self.both, self.first, self.second)])

    def flat(self) -> Any:
        """Return the three side by side, for resampling."""
        from scipy.sparse import hstack

        return hstack([self.both, self.first, self.second], format="csr")

    def of(self, place: int) -> Floats:
        """Return the three columns of one state (sessions, 3)."""
        columns = [x[:, [place]].toarray() for x in (self.both, self.first, self.second)]
        return np.hstack(columns)


def state_parts(session: Ints, row: Ints, column: Ints, time: Floats, shape: Any) -> SessionParts:
    """Return the parts of states from stretches of time; ``shape`` is sessions x states."""
    return SessionParts(
        both=_sparse(time * (row == column), session, row, shape),
        first=_sparse(time, session, row, shape),
        second=_sparse(time, session, column, shape),
    )


def label_parts(data: Prepared) -> tuple[SessionParts, Floats]:
    """Return the parts of single labels, and each session's time.

    No table of moments by labels or of labels by labels is made: time is summed by pair of states
    first, and states know the few labels that they hold.
    """
    cut = data.moments
    length = np.asarray((cut.end - cut.start) * data.scale, dtype=np.float64)
    first, second = data.place[cut.state].T if len(length) else np.empty((2, 0), dtype=np.int64)
    if data.settings.nil == "exclude":
        length = np.where((first != data.nil) & (second != data.nil), length, 0.0)
    n, size = len(data.who.sessions), len(data.categories)
    session, pair, time = summed(cut.session, first * size + second, length)
    one, two = np.divmod(pair, size)
    category, atom = data.holds
    holds = _sparse(np.ones(len(category)), category, atom, (size, len(data.atoms)))
    none = np.empty(0, dtype=np.int64)
    found = [_sparse(np.empty(0), none, none, (n, len(data.atoms)))] * 3
    for begin in range(0, len(time), _AT_ONCE):
        piece = slice(begin, begin + _AT_ONCE)
        a, b = holds[one[piece]], holds[two[piece]]
        places = np.arange(len(time[piece]))
        gather = _sparse(time[piece], session[piece], places, (n, len(places)))
        found = [x + gather @ y for x, y in zip(found, (a.multiply(b), a, b), strict=True)]
    whole = np.bincount(cut.session, weights=length, minlength=n).astype(np.float64)
    return SessionParts(*found), whole


def summed(group: Ints, code: Ints, weight: Floats) -> tuple[Ints, Ints, Floats]:
    """Return the pairs of group and code that have weight, and the sum of each."""
    size = int(code.max(initial=0)) + 1
    n_cells = (int(group.max(initial=0)) + 1) * size
    key = group * size + code
    if n_cells <= _FEW_CELLS:
        total = np.bincount(key, weights=weight, minlength=n_cells).astype(np.float64)
        found = np.flatnonzero(total)
        total = total[found]
    else:
        found, place = np.unique(key, return_inverse=True)
        total = np.bincount(place, weights=weight, minlength=len(found)).astype(np.float64)
    first, second = np.divmod(found, size)
    return first, second, total


def _sparse(weight: Floats, row: Ints, column: Ints, shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_array

    return csr_array((weight, (row, column)), shape=shape)


# ---- results

Cells = tuple[NDArray[np.int64], NDArray[np.int64], Floats]
_MOST_SESSIONS_SHOWN = 40
_MOST_IN_A_RECORD = 300  # categories; larger tables are nearly empty


def _session_kappas(parts: SessionParts) -> Floats:
    """Return kappa of each session."""
    total = np.asarray(parts.first.sum(axis=1))
    observed = quotient(np.asarray(parts.both.sum(axis=1)), total)
    chance = np.asarray(parts.first.multiply(parts.second).sum(axis=1))
    return beyond_chance(observed, quotient(chance, total**2))


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTime(Recorded, Reasoned):
    """One label by time: how long both, one or neither rater has it."""

    recorded: ClassVar[tuple[str, ...]] = ("status",)

    label: Any
    both: float
    only_first: float
    only_second: float
    neither: float
    observed: float
    expected: float
    kappa: float
    positive_agreement: float
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeTable(Recorded):
    """Time in each combination of states, with one rater as the reference of the tolerance."""

    unrecorded: ClassVar[tuple[str, ...]] = ("n_categories", "cells", "parts")

    reference: str | None
    n_categories: int
    cells: Cells = field(repr=False)  # rows, columns and time of the cells that are not empty
    observed: float
    expected: float
    kappa: float
    parts: SessionParts = field(repr=False)

    @property
    def table(self) -> Floats:
        """The time as a table (K, K), which is made when it is asked for."""
        if self.n_categories > MOST_LABELS + 1:
            raise UnsupportedDesignError.needs(
                "a table of time",
                f"at most {MOST_LABELS:,} labels",
                f"{self.n_categories - 1:,}",
                "take the cells that are not empty, which are in cells",
            )
        table = np.zeros((self.n_categories, self.n_categories))
        table[self.cells[0], self.cells[1]] = self.cells[2]
        return table

    def _beside(self) -> Mapping[str, Any]:
        """Return the table; a very large one as rows, columns and times that are not empty."""
        if self.n_categories <= _MOST_IN_A_RECORD:
            return {"table": self.table}
        columns = (column.tolist() for column in self.cells)
        return {"table": None, "cells": list(zip(*columns, strict=True))}


@dataclass(frozen=True, kw_only=True)
class TimeKappa(DrawnOnRequest, TwoRaterKappa):
    """Kappa of two raters over time; with a tolerance the means over both `directions`.

    Attributes
    ----------
    table : array (K, K)
        Time (or units of the grid) in each combination; rows are the first rater, the last row
        and column are nil. With a tolerance that of the first direction.
    directions : tuple of TimeTable
        One without a tolerance; with one, each rater as the reference in turn.
    by_label : tuple of LabelTime
        Each label present or absent, without the tolerance.
    """

    coefficient: ClassVar[str] = "time_kappa"
    name: ClassVar[str] = "Cohen's kappa over time"
    unrecorded: ClassVar[tuple[str, ...]] = ("kappa", "label_parts", "session_time")
    recorded: ClassVar[tuple[str, ...]] = ("coefficient", "name", "value", "status", "interval")

    categories: tuple[Any, ...]
    directions: tuple[TimeTable, ...] = field(repr=False)
    total: float
    by_label: tuple[LabelTime, ...] = field(repr=False)
    sessions: tuple[str, ...] = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    n_units: Mapping[str, int] = field(repr=False)
    settings: TimeSettings
    label_parts: SessionParts = field(repr=False)
    session_time: Floats = field(repr=False)

    @property
    def table(self) -> Floats:
        """Time in each combination of states."""
        if not self.directions:
            raise InputError.expected(
                "together", 'other than "labels" for a table', "labels", 'pass together="sets"'
            )
        return self.directions[0].table

    def __getitem__(self, label: Any) -> LabelTime:
        """Return the agreement about one label."""
        return part_about(self.by_label, label)

    # ------------------------------------------------------------ intervals

    @cached_property
    def _sample(self) -> SampledSessions:
        """Sessions and the kappa of their sums."""
        from scipy.sparse import hstack

        n_ways = len(self.directions)
        if not n_ways:
            nothing = np.ones((len(self.sessions), 1))
            return self.settings.sampled(nothing, lambda sums: np.full(len(sums), np.nan))
        flat = hstack([x.parts.flat() for x in self.directions], format="csr")

        def values(sums: Floats) -> Floats:
            ways = sums.reshape(len(sums), n_ways, 3, -1)
            return np.asarray(kappa_of(ways)[2].mean(axis=1))

        return self.settings.sampled(flat, values)

    def _label_sample(self, place: int) -> SampledSessions:
        """The same for one label; with all of them, memory would grow with the labels."""
        flat = np.column_stack([self.label_parts.of(place), self.session_time])

        def values(sums: Floats) -> Floats:
            return label_kappa(sums[:, :3, None], sums[:, 3])[2][:, 0]

        return self.settings.sampled(flat, values)

    def confidence_interval(
        self, confidence_level: float = 0.95, method: str = "auto", *, label: Any = None
    ) -> Interval:
        """Interval from resampling sessions; without limits if there are fewer than 8.

        Moments of one recording depend on each other, so there is no interval from counts.
        """
        level, sample = self._level(confidence_level, method), self._sample
        if label is not None:
            sample = self._label_sample(self.by_label.index(self[label]))
        return sample.interval(level, method)

    def by_session(self) -> dict[str, float]:
        """Return kappa of each session; NaN where it is not defined."""
        ways = [_session_kappas(x.parts) for x in self.directions]
        each = np.mean(ways, axis=0) if ways else np.full(len(self.sessions), np.nan)
        return dict(zip(self.sessions, map(float, each), strict=True))

    # ------------------------------------------------------------ showing

    def _beside(self) -> Mapping[str, Any]:
        return {**super()._beside(), "sessions": self.by_session()}

    def document(self) -> Document:
        """Return the result as something to read."""
        counts = " and ".join(f"{n:,} by {name}" for name, n in self.n_units.items())
        n = len(self.sessions)
        said = f"{counts} in {counted(n, 'session')}. {self.settings.sentence()}"
        several = 1 < n <= _MOST_SESSIONS_SHOWN and self.directions
        return about_raters(
            self,
            "Agreement over time",
            said,
            self._overall() if self.directions else None,
            f"No kappa: {self.reason}." if self.reason else None,
            self._labels(),
            no_limits(self.interval),
            Table.of(self.by_session().items(), "session: 0", "kappa: 1") if several else None,
        )

    def _overall(self) -> Table:
        ways = self.directions if len(self.directions) > 1 else ()
        name = "mean of both" if ways else "all labels"
        level = interval_head(self.settings.confidence_level)
        unit = "units of time" if self.settings.unit is None else "units of the grid"
        return Table.of(
            (*ways, self),
            ("", lambda x: name if x is self else f"reference {x.reference}"),
            "observed",
            "by chance: expected",
            "kappa",
            (level, lambda x: self.interval if x is self else None),
            caption=f"{self.total:,.10g} {unit}",
        )

    def _labels(self) -> Table:
        shown, note = most_used(self.by_label, lambda x: x.both + x.only_first + x.only_second)
        return Table.of(
            shown,
            LABEL,
            "both!,.10g",
            "first only: only_first!,.10g",
            "second only: only_second!,.10g",
            "observed",
            "kappa",
            "pos.: positive_agreement",
            caption="Each label, present or absent",
            note=note,
        )


_EACH_LABEL = "labels may be on together, so each is judged by itself; the agreement is in by_label"
_NO_TIME = "no time is left to compare"
_ONE_STATE = "chance agreement is 1: both raters show one and the same state all the time"


def time_kappa(
    units: Units,
    *,
    raters: Sequence[str] | None = None,
    unit: float | None = None,
    instant: Literal["start", "middle", "longest"] = "start",
    tolerance: float = 0,
    nil: Literal["category", "exclude"] = "category",
    together: Literal["refuse", "sets", "labels"] = "refuse",
    labels: Iterable[Any] | None = None,
    absent: Literal["asked", "drop", "count"] = "asked",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> TimeKappa:
    """Cohen's kappa of two raters over time: do they say the same at every moment?

    Every moment of the session counts by its duration, and having no label is a category of its
    own. For more raters, or for alpha, pi and the others over time, use `time_agreement`.

    Parameters
    ----------
    units : Units
    raters : two names, optional
        The first is in the rows.
    unit : float, optional
        Compare units of this length, laid from the beginning of each session, in place of exact
        durations; for comparison with programs that do so.
    instant : {"start", "middle", "longest"}
        What a unit is judged by: the state at its start or its middle, or the one that fills
        most of it (the first label on ties).
    tolerance : float
        How early or late the other rater may be, in the time unit of the data. The result then
        depends on who is the reference: both directions are given, and their mean.
    nil : {"category", "exclude"}
        Moments in which a rater has no label are a category, or left out.
    together : {"refuse", "sets", "labels"}
        What to do if a rater has several labels on at once: refuse; take the set of labels as
        the category; or judge each label by itself, present or absent.
    labels : list, optional
        The code list, in order.
    absent : {"asked", "drop", "count"}
        A rater without a unit in a session counts as having marked nothing if she was asked
        there (`Units.asked`) and is left out if that is not known; is left out; or counts.
    confidence_level, n_resamples, rng
        Of the intervals, from resampling sessions.

    Returns
    -------
    TimeKappa

    Raises
    ------
    InputError
        An unknown word, rater or label, or an impossible time.
    UnsupportedDesignError
        Not two raters, labels that are on together, discontinuous units, nothing to compare.

    Notes
    -----
    With a tolerance of k and rater A as the reference, a moment t counts as agreement if A's label
    occurs in B's record anywhere from t - k to t + k. Tiers are compared each by itself, over the
    whole session; only tiers on which somebody marked something in that session count.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("R1", "A", 0, 10), ("R1", "B", 10, 20), ("R1", "A", 25, 35), ("R1", "C", 40, 50),
    ...     ("R2", "A", 1, 11), ("R2", "C", 11, 19), ("R2", "A", 26, 30), ("R2", "A", 30, 36),
    ...     ("R2", "B", 60, 65)])
    >>> result = time_kappa(units)
    >>> round(result.observed, 6), round(result.expected, 6), round(result.kappa, 6)
    (0.569231, 0.314793, 0.37133)
    >>> [round(way.kappa, 6) for way in time_kappa(units, tolerance=1).directions]
    [0.459272, 0.490196]
    """
    settings = TimeSettings(
        unit=unit,
        instant=instant,
        tolerance=tolerance,
        nil=nil,
        together=together,
        absent=absent,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )
    data = prepare(units, "kappa over time", settings, raters=raters, labels=labels)
    if len(data.who.raters) != 2:
        raise UnsupportedDesignError.needs(
            "kappa over time",
            "two raters",
            f"{len(data.who.raters)}",
            "name two with raters=, or use time_agreement for all of them",
        )
    # With a tolerance, each rater is the reference in turn.
    references = (0, 1) if settings.tolerance else (None,)
    ways = () if together == "labels" else tuple(_table(data, one) for one in references)
    return _result(data, ways)


def _table(data: Prepared, reference: int | None) -> TimeTable:
    """Tally time; with a reference, its label counts as met if the other has it within reach."""
    cut = data.moments
    length = cut.end - cut.start
    first, second = data.place[cut.state].T if len(length) else np.empty((2, 0), dtype=np.int64)
    met = np.zeros_like(length)
    own = first
    if reference is not None:
        mine = cut.state[:, reference]
        own = data.place[mine]
        met = np.asarray(_coverage(data, 1 - reference).within(mine, cut.start, cut.end))
    row, column = np.append(own, first), np.append(own, second)
    weight = np.append(met, length - met) * data.scale
    if data.settings.nil == "exclude":
        weight = np.where((row != data.nil) & (column != data.nil), weight, 0.0)
    cells, parts = _tallied(data, row, column, weight)
    observed, expected, kappa = (float(x) for x in kappa_of(parts.totals()))
    return TimeTable(
        reference=None if reference is None else data.who.raters[reference],
        n_categories=len(data.categories),
        cells=cells,
        observed=observed,
        expected=expected,
        kappa=kappa,
        parts=parts,
    )


def _coverage(data: Prepared, other: int) -> Coverage:
    reach = round(data.settings.tolerance * data.axis.factor)
    if data.settings.unit is not None:  # whole units of the grid
        reach = math.floor(data.settings.tolerance / data.settings.unit + 1e-9)
    return covered(data.lines[other], data.axis, reach)


def _tallied(data: Prepared, row: Ints, column: Ints, weight: Floats) -> tuple[Cells, SessionParts]:
    """Return the table's cells that are not empty, and each session's agreement and margins."""
    first, second, time = summed(row, column, weight)
    kept = time > 0.0
    shape = len(data.who.sessions), len(data.categories)
    parts = state_parts(np.tile(data.moments.session, 2), row, column, weight, shape)
    return (first[kept], second[kept], time[kept]), parts


def _result(data: Prepared, directions: tuple[TimeTable, ...]) -> TimeKappa:
    parts, session_time = label_parts(data)
    total = float(session_time.sum())
    observed, expected, kappa = (
        float(np.mean([getattr(x, name) for x in directions])) if directions else math.nan
        for name in ("observed", "expected", "kappa")
    )
    reason = None
    if not directions:
        reason = _EACH_LABEL
    elif not math.isfinite(kappa):
        reason = _ONE_STATE if math.isfinite(observed) else _NO_TIME
    counted = float(directions[0].cells[2].sum()) if directions else total
    return data.who.result(
        TimeKappa,
        categories=data.categories,
        directions=directions,
        observed=observed,
        expected=expected,
        kappa=kappa,
        reason=reason,
        total=counted,
        by_label=_by_label(data, parts.totals(), total),
        settings=data.settings,
        label_parts=parts,
        session_time=session_time,
        findings=data.findings,
    )


def _by_label(data: Prepared, totals: Floats, total: float) -> tuple[LabelTime, ...]:
    observed, expected, kappa = label_kappa(totals, total)
    both, first, second = totals
    positive = quotient(2 * both, first + second)
    return records_of(
        LabelTime,
        label=data.atoms,
        both=both,
        only_first=first - both,
        only_second=second - both,
        neither=total - first - second + both,
        observed=observed,
        expected=expected,
        kappa=kappa,
        positive_agreement=positive,
        reason=why_no_label(kappa, first + second, "moment"),
    )


# ---- any coefficient, any number of raters

# A duration is no count: what counts are few or many for (alpha's draw without replacement) must
# not depend on the unit of time, so all time together counts as so many moments.
_MOMENTS = 2.0**40


@dataclass(frozen=True, kw_only=True)
class TimeAgreement(Reasoned, SessionsDrawn, Accounted):
    """One coefficient over time.

    Attributes
    ----------
    value, observed, expected : float
    coefficient, name, distance : str
    total : float
        Time (or units of the grid) in which at least two raters can be compared.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("replicator", "parts")
    recorded: ClassVar[tuple[str, ...]] = ("status", "interval")

    coefficient: str
    name: str
    distance: str
    raters: tuple[str, ...]
    categories: tuple[Any, ...] = field(repr=False)
    value: float
    observed: float
    expected: float | None
    reason: str | None
    total: float
    sessions: tuple[str, ...] = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    n_units: Mapping[str, int] = field(repr=False)
    settings: TimeSettings
    findings: tuple[Finding, ...] = field(repr=False)
    replicator: Replicator = field(repr=False)
    parts: Floats = field(repr=False)  # (sessions, patterns)

    @cached_property
    def interval(self) -> Interval:
        """Interval from resampling sessions; without limits if there are fewer than 8."""
        ends = SHARE if self.expected is None else KAPPA
        return self.settings.interval(self.parts, lambda sums: self.replicator.values(sums.T), ends)

    def by_session(self) -> dict[str, float]:
        """Return the value of each session; NaN where it is not defined."""
        values = self.replicator.values(self.parts.T)
        return dict(zip(self.sessions, map(float, values), strict=True))

    def _beside(self) -> Mapping[str, Any]:
        return {**super()._beside(), "sessions": self.by_session()}

    def document(self) -> Document:
        """Return the result as something to read."""
        counts = ", ".join(f"{n_units:,} by {name}" for name, n_units in self.n_units.items())
        seen = counted(len(self.sessions), "session")
        said = f"{counts}; {seen}. {self.settings.sentence()}"
        unit = "units of time" if self.settings.unit is None else "units of the grid"
        caption = f"{self.total:,.10g} {unit}, {self.distance} distance"
        table = Table.of(
            [self],
            "coefficient: name",
            "value",
            f"{interval_head(self.settings.confidence_level)}: interval",
            "observed",
            "by chance: expected",
            caption=caption,
        )
        return Document.of(
            said,
            table,
            not_defined(self),
            no_limits(self.interval),
            title=f"Agreement over time: {', '.join(self.raters)}",
            findings=self.findings,
        )


def time_agreement(
    units: Units,
    *,
    coefficient: str = "cohen_kappa",
    distance: Any = None,
    raters: Sequence[str] | None = None,
    unit: float | None = None,
    instant: Literal["start", "middle", "longest"] = "start",
    nil: Literal["category", "exclude"] = "category",
    together: Literal["refuse", "sets"] = "refuse",
    labels: Iterable[Any] | None = None,
    absent: Literal["asked", "drop", "count"] = "asked",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> TimeAgreement:
    """Any coefficient over time, for any number of raters.

    Each moment is an item that every rater labels; items are weighed by their duration.

    Parameters
    ----------
    units : Units
    coefficient : str
        A name or alias of the registry: "cohen_kappa" (Conger's for more than two raters),
        "scott_pi" (Fleiss' kappa), "krippendorff_alpha", "gwet_ac", "bennett_s",
        "percent_agreement".
    distance : optional
        How different two labels are, as in `krippendorff_alpha`; with ``together="sets"`` also
        "jaccard", "dice", "masi".
    raters : names, optional
    unit, instant, nil, together, labels, absent
        As in `time_kappa`. A rater who did not mark anything in a session did not see it, unless
        ``absent="count"``; the others are compared.
    confidence_level, n_resamples, rng
        Of the intervals, from resampling sessions.

    Returns
    -------
    TimeAgreement

    Raises
    ------
    InputError
        An unknown word, name or distance.
    UnsupportedDesignError
        Fewer than two raters, labels that are on together, or a coefficient that is no ratio of
        disagreements.

    Notes
    -----
    Durations are no counts, so with exact durations alpha is the limit for ever finer moments,
    which is Scott's pi (Fleiss' kappa) when nothing is missing.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("a", "x", 0, 6), ("a", "y", 6, 10), ("b", "x", 0, 5), ("b", "y", 5, 10),
    ...     ("c", "x", 0, 6), ("c", "y", 7, 10)])
    >>> round(time_agreement(units, coefficient="fleiss_kappa").value, 4)
    0.7425
    """
    chosen = _coefficient(coefficient)
    check_word("together", together, ("refuse", "sets"))
    settings = TimeSettings(
        unit=unit,
        instant=instant,
        tolerance=0,
        nil=nil,
        together=together,
        absent=absent,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )
    data = prepare(units, "agreement over time", settings, raters=raters, labels=labels)
    if chosen.two_raters_only and len(data.who.raters) != 2:
        raise UnsupportedDesignError.needs(
            chosen.name, "two raters", f"{len(data.who.raters)}", "name two with raters="
        )
    declared = labels is not None and together == "refuse"
    return _measured(data, chosen, distance, declared=declared)


def _coefficient(name: Any) -> Coefficient:
    found = registry[str(name)]
    if not found.ratio_of_disagreements:
        known = [x.name for x in registry.values() if x.ratio_of_disagreements]
        raise InputError.unknown_word("coefficient (over time)", name, known)
    return found


def _patterns(data: Prepared) -> tuple[NDArray[np.int64], Floats]:
    """Return the distinct patterns of categories, and how long each lasts in each session."""
    cut = data.moments
    codes = np.where(cut.state >= 0, data.place[cut.state], -1)
    if data.settings.nil == "exclude":
        codes = np.where(codes == data.nil, -1, codes)
    inverse = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:  # number the patterns one rater after the other
        key = inverse * (len(data.categories) + 1) + column + 1
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    rows = codes[first]
    n = len(data.who.sessions)
    cell = cut.session * len(rows) + inverse
    length = (cut.end - cut.start) * data.scale
    time = np.bincount(cell, weights=length, minlength=n * len(rows))
    parts = time.astype(np.float64).reshape(n, len(rows))
    rated = (rows >= 0).any(axis=1)
    return rows[rated], parts[:, rated]


def _measured(
    data: Prepared, coefficient: Coefficient, distance: Any, *, declared: bool
) -> TimeAgreement:
    rows, parts = _patterns(data)
    pairable = (rows >= 0).sum(axis=1) >= 2
    total = float(parts[:, pairable].sum())
    if not total:
        raise UnsupportedDesignError.needs(
            "agreement over time",
            "moments that two raters labelled",
            "none",
            'leave nil="category", or check the times',
        )
    used = np.unique(rows[rows >= 0]).tolist()
    if declared:  # a label that nobody used still counts for coefficients that ask how many
        used = sorted({*used, *range(len(data.atoms))})
    place = np.full(len(data.categories), -1)
    place[used] = np.arange(len(used))
    codes = np.where(rows >= 0, place[rows], -1)
    categories = tuple(data.categories[k] for k in used)
    item, rater = np.nonzero(codes >= 0)
    few = Ratings.from_codes(
        item=item,
        rater=rater,
        label=codes[item, rater],
        items=[str(k) for k in range(len(codes))],
        raters=list(data.who.raters),
        categories=list(categories),
    )
    measure = get_distance("nominal" if distance is None else distance, scale=few.scale)
    if coefficient.nominal_only and measure.name != "nominal":
        raise UnsupportedDesignError.needs(
            coefficient.name, "the nominal distance", repr(measure.name), "leave out distance="
        )
    _check_labels(data, measure.name, categories)
    if measure.name != "nominal":
        check_label_count(categories, f"the {measure.name!r} distance")
    scale = 1.0 if data.settings.unit is not None else _MOMENTS / float(parts.sum())
    counted = count_codes(codes, parts.sum(axis=0) * scale, len(categories), by_rater=True)
    form, metric = form_of(few, measure, counted)
    table = Rows(form, counted.vectors, counted.ratings, counted.multiplicity, counted.by_rater)
    fitted = coefficient.fitted(few, coefficient.missing_rules[0])
    evaluation = Evaluation(fitted.terms(form), RowTable(table, len(data.who.raters), metric))
    numbers, widest = evaluation.numbers, form.maximum or 1.0
    seen = float(fitted.observed(numbers, form))
    chance = float(fitted.expected(numbers, form)) if fitted.corrects_for_chance else None
    reason = None
    if chance is not None and not chance > 1e-14 * widest:
        reason = "chance agreement is 1: all raters show one and the same state all the time"
    design = Design(len(data.who.raters), form.size, measure.name == "nominal")
    return data.who.result(
        TimeAgreement,
        coefficient=fitted.name,
        name=fitted.title(design),
        categories=categories,
        distance=measure.name,
        value=math.nan if reason else float(fitted.value(numbers, form)),
        observed=1.0 - seen / widest,
        expected=None if chance is None else 1.0 - chance / widest,
        reason=reason,
        total=total,
        settings=data.settings,
        findings=data.findings,
        replicator=Replicator(fitted, table, metric),
        parts=parts * scale,
    )


def _check_labels(data: Prepared, distance: str, categories: Sequence[Any]) -> None:
    if distance != "nominal" and NIL in categories and data.settings.together == "refuse":
        raise UnsupportedDesignError.needs(
            f"the {distance!r} distance",
            "a label at every moment",
            "moments without one",
            'pass nil="exclude", or together="sets" with a distance of sets',
        )
