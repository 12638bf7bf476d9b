"""How many units of each label each rater marked, and how long they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Codes, Floats
from consilience.core.result import Several, Unremarked
from consilience.document import Document, Table
from consilience.document.records import Recorded
from consilience.exceptions import InputError
from consilience.units._unit_results import Counts, records_of, unit_counts
from consilience.units.checks import check_data
from consilience.units.model import Units


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthRow(Recorded):
    """The units of one label, by one rater or by all.

    Attributes
    ----------
    label : name
    rater : str or None
        None for all raters together.
    n_units : int
    mean, standard_deviation, shortest, longest, total : float
        Of the lengths, in the units' own time; the standard deviation is that of a sample.
    """

    label: Any
    rater: str | None
    n_units: int
    mean: float
    standard_deviation: float
    shortest: float
    longest: float
    total: float


@dataclass(frozen=True, kw_only=True)
class UnitLengths(Recorded, Unremarked, Several):
    """Number and length of the units of each label.

    Attributes
    ----------
    rows : tuple of LengthRow
        First one row per label with all raters together, then one per label and rater.
    time_unit : str
    units_by_session : dict
        How many units each rater marked in each session.
    """

    rows: tuple[LengthRow, ...]
    time_unit: str
    units_by_session: Counts

    def row(self, label: Any, rater: str | None = None) -> LengthRow:
        """Return the row of a label, of one rater or of all."""
        for one in self.rows:
            if one.label == label and one.rater == rater:
                return one
        known = [f"{one.label}, {one.rater}" if one.rater else str(one.label) for one in self.rows]
        raise InputError.unknown_word(
            "label", label if rater is None else f"{label}, {rater}", known
        )

    def document(self) -> Document:
        """Return the result as something to read."""
        table = Table.of(
            self.rows,
            "label!s",
            ("rater", lambda one: "all" if one.rater is None else one.rater),
            "units: n_units",
            "mean length: mean",
            "SD: standard_deviation",
            "shortest",
            "longest",
            caption=f"Lengths in {self.time_unit}" if self.time_unit else "Lengths",
        )
        return Document(title="Number and length of units", blocks=(table,))


def unit_lengths(units: Units) -> UnitLengths:
    """Count the units of each label and say how long they are.

    Use it before a threshold or a tolerance is chosen: labels whose units differ much in length
    react differently to both. Prefer `EasyDiag.durations` for the time per session.

    Parameters
    ----------
    units : Units

    Returns
    -------
    UnitLengths

    Notes
    -----
    The fragments of a discontinuous unit count as one unit; its length is that of its fragments
    together.

    References
    ----------
    .. [1] Holle, H. & Rein, R. (2015). EasyDIAg: A tool for easy determination of interrater
       agreement. Behavior Research Methods 47, 837-847. doi:10.3758/s13428-014-0506-7

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("R1", "shift", 0, 4), ("R1", "shift", 10, 16), ("R2", "shift", 1, 5)])
    >>> row = unit_lengths(units).row("shift", "R1")
    >>> row.n_units, row.mean, round(row.standard_deviation, 3)
    (2, 5.0, 1.414)
    """
    length, label, rater = _whole_units(check_data(units))
    n_raters = len(units.raters)
    rows = _rows(length, label, [(name, None) for name in units.labels])
    rows += _rows(
        length,
        label.astype(np.int64) * n_raters + rater,
        [(name, who) for name in units.labels for who in units.raters],
    )
    return UnitLengths(rows=rows, time_unit=units.time_unit, units_by_session=unit_counts(units))


def _whole_units(units: Units) -> tuple[Floats, Codes, Codes]:
    """Return length, label and rater of each unit, fragments put together."""
    length: Floats = (units.end - units.start).astype(np.float64)  # exact, then rounded
    if units.span is None:
        return length, units.label, units.rater
    _, first, place = np.unique(units.span, return_index=True, return_inverse=True)
    whole: Floats = np.asarray(np.bincount(place.ravel(), weights=length), dtype=np.float64)
    return whole, units.label[first], units.rater[first]


def _rows(
    length: Floats, group: Codes, names: Sequence[tuple[Any, str | None]]
) -> tuple[LengthRow, ...]:
    """Return one row for each group that has units, in one pass over the sorted units."""
    if not length.size:
        return ()
    order = np.argsort(group, kind="stable")
    sorted_group, length = group[order], length[order]
    first = np.flatnonzero(np.concatenate([[True], np.diff(sorted_group) > 0]))
    n = np.diff(np.concatenate([first, [length.size]]))
    total = np.add.reduceat(length, first)
    mean = total / n
    squares = np.add.reduceat((length - np.repeat(mean, n)) ** 2, first)
    spread = np.sqrt(np.divide(squares, n - 1, out=np.full(len(n), np.nan), where=n > 1))
    named = [names[k] for k in sorted_group[first].tolist()]
    return records_of(
        LengthRow,
        label=[label for label, _ in named],
        rater=[rater for _, rater in named],
        n_units=n,
        mean=mean,
        standard_deviation=spread,
        shortest=np.minimum.reduceat(length, first),
        longest=np.maximum.reduceat(length, first),
        total=total,
    )
