"""Kappa of two raters over time: exact durations, a grid, or a tolerance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.resample import Seed
from consilience.exceptions import UnsupportedDesignError
from consilience.units.linking._diag_table import check_pair
from consilience.units.linking._link_tally import kappa_of, label_kappa, quotient
from consilience.units.model._unit_results import unit_counts, unit_totals
from consilience.units.model.units import Units
from consilience.units.time._label_time import SessionParts, label_parts, state_parts, summed
from consilience.units.time._time_input import Prepared, TimeSettings, prepare
from consilience.units.time._time_results import (
    Cells,
    LabelTime,
    TimeKappa,
    TimeTable,
)
from consilience.units.time._timeline import Coverage, covered

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
    if len(data.names) != 2:
        raise UnsupportedDesignError.needs(
            "kappa over time",
            "two raters",
            f"{len(data.names)}",
            "name two with raters=, or use time_agreement for all of them",
        )
    directions = () if together == "labels" else _directions(data)
    return _result(data, directions)


def _directions(data: Prepared) -> tuple[TimeTable, ...]:
    if not data.settings.tolerance:
        return (_table(data, None),)
    return tuple(_table(data, k) for k in (0, 1))


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
        reference=None if reference is None else data.names[reference],
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
    shape = len(data.sessions), len(data.categories)
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
    counts = unit_counts(data.units, data.names, data.dropped)
    return TimeKappa(
        raters=check_pair(data.names),
        categories=data.categories,
        directions=directions,
        observed=observed,
        expected=expected,
        kappa=kappa,
        reason=reason,
        total=counted,
        by_label=_by_label(data, parts.totals(), total),
        sessions=data.sessions,
        dropped=data.dropped,
        n_units=unit_totals(counts),
        units_by_session=counts,
        settings=data.settings,
        label_parts=parts,
        session_time=session_time,
        findings=data.findings,
    )


def _by_label(data: Prepared, totals: Floats, total: float) -> tuple[LabelTime, ...]:
    observed, expected, kappa = label_kappa(totals, total)
    both, first, second = totals
    positive = quotient(2 * both, first + second)
    out = []
    for k, label in enumerate(data.atoms):
        reason = None
        if not math.isfinite(kappa[k]):
            used = float(first[k] + second[k])
            reason = "every moment has this label" if used else "nobody used this label"
        out.append(
            LabelTime(
                label=label,
                both=float(both[k]),
                only_first=float(first[k] - both[k]),
                only_second=float(second[k] - both[k]),
                neither=float(total - first[k] - second[k] + both[k]),
                observed=float(observed[k]),
                expected=float(expected[k]),
                kappa=float(kappa[k]),
                positive_agreement=float(positive[k]),
                reason=reason,
            )
        )
    return tuple(out)
