"""Krippendorff's older alpha for unitizing (1995, 2004).

References
----------
.. [1] Krippendorff, K. (1995). On the reliability of unitizing continuous data. Sociological
   Methodology 25, 47–76. doi:10.2307/271061
.. [2] Krippendorff, K. (2004). Content analysis: an introduction to its methodology (2nd ed.).
   Sage, pp. 251–256.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Ints
from consilience.document import Document, Paragraph, Table
from consilience.exceptions import InputError
from consilience.units.gamma_alignment._candidates import expand
from consilience.units.model._unit_results import (
    DisagreementRatio,
    OfContinua,
    said_units,
    unit_counts,
)
from consilience.units.model.asked import ABSENT
from consilience.units.model.unit_checks import check_word
from consilience.units.model.units import Units
from consilience.units.unitizing._unitizing_input import Record, records


@dataclass(frozen=True, kw_only=True)
class AlphaUValue(DisagreementRatio):
    """Alpha of one category, or of all."""


@dataclass(frozen=True, kw_only=True)
class AlphaU(OfContinua):
    """The older unitizing alpha, overall and by category; see `alpha_u`."""

    interval_needs: ClassVar[str] = "an error that is known; unitizing_alpha has one over sessions"

    overall: AlphaUValue
    n_continua: int

    @property
    def _leading(self) -> AlphaUValue:
        return self.overall

    @property
    def _n_continua(self) -> int:
        return self.n_continua

    def _named(self) -> list[tuple[str, Any, AlphaUValue]]:
        parts: list[tuple[Any, AlphaUValue]] = [(None, self.overall), *self.by_category.items()]
        return [("alpha_u", label, part) for label, part in parts]

    def to_dict(self) -> dict[str, Any]:
        """Return the record with the estimates and the parameters."""
        return self._record()

    def document(self) -> Document:
        """Return the table to read."""
        text = (
            f"{said_units(self.units_by_session)} This is the coefficient of 1995 "
            "and 2004, kept for comparison with older studies; prefer the alphas of 2016."
        )
        table = Table.of(
            [*self.by_category.items(), ("all", self.overall)],
            "category: 0!s",
            "alpha: 1.value",
            "observed: 1.observed",
            "expected: 1.expected",
            digits=6,
        )
        blocks = (Paragraph(text), table)
        return Document(title="Unitizing alpha (2004)", blocks=blocks, findings=self.findings)


def alpha_u(units: Units, *, absent: str = "asked") -> AlphaU:
    """Krippendorff's alpha for unitizing as of 1995 and 2004, by category and overall.

    Use it to compare with studies that report it. Prefer `unitizing_alpha`, by which its author
    replaced it, or `gamma`.

    Parameters
    ----------
    units : Units
        Times must be whole numbers; units of one rater and category must not overlap.
    absent : {"asked", "drop", "count"}
        A rater without a unit in a session counts as having marked nothing if she was asked
        there (`Units.asked`) and is left out if that is not known; is left out; or counts.

    Returns
    -------
    AlphaU

    Raises
    ------
    InputError
        Times that are not whole, units that overlap.
    UnsupportedDesignError
        Fewer than two raters, or no unit.

    Notes
    -----
    Per category, on a continuum of length L with m raters: D_o = 2 Σ δ²/(m (m − 1) L²), summed over
    pairs of raters and their segments, with δ² the squared differences of both boundaries for units
    that intersect, the squared length for a unit inside a gap; D_e is its mean over all placements
    of the same units and gaps. Overall, D_o and D_e are summed over categories. Several sessions
    are pooled with their lengths as weights.

    References
    ----------
    .. [1] Krippendorff, K. (1995). On the reliability of unitizing continuous data. Sociological
       Methodology 25, 47–76. doi:10.2307/271061
    .. [2] Krippendorff, K. (2004). Content analysis: an introduction to its methodology (2nd ed.).
       Sage, pp. 251–256.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("1", "c", 225, 295), ("1", "c", 370, 400), ("1", "k", 180, 240), ("1", "k", 300, 350),
    ...     ("2", "c", 220, 300), ("2", "c", 355, 375), ("2", "c", 400, 420),
    ...     ("2", "k", 180, 240), ("2", "k", 300, 350)], bounds=(150, 450))
    >>> round(alpha_u(units).value, 6)                                  # published: 0.859
    0.858665
    """
    check_word("absent", absent, ABSENT)
    data = records(units, "alpha-u", absent=absent, within_label=True)
    if units.start.dtype.kind == "f":
        raise InputError.expected(
            "times for alpha-u",
            "whole numbers",
            "fractions",
            "express them in a smaller unit, for example in ms, and round",
        )
    used = np.unique(units.label).tolist()
    observed: dict[int, Fraction] = {}
    expected: dict[int, Fraction] = {}
    for k in used:
        pairs = [_disagreements(block, k) for block in data.blocks]
        lengths = [int(block.length) for block in data.blocks]
        whole = sum(lengths) or 1
        observed[k] = sum((n * o for n, (o, _) in zip(lengths, pairs, strict=True)), Fraction(0))
        expected[k] = sum((n * e for n, (_, e) in zip(lengths, pairs, strict=True)), Fraction(0))
        observed[k] /= whole
        expected[k] /= whole
    return AlphaU(
        overall=_alpha(sum(observed.values(), Fraction(0)), sum(expected.values(), Fraction(0))),
        by_category={units.labels[k]: _alpha(observed[k], expected[k]) for k in used},
        parameters={
            "absent": absent,
            "pooling": "disagreements weighted by the length of the continuum",
            "bounds": sorted(set(units.bounds_from)),
            "time_unit": units.time_unit,
        },
        dropped=data.dropped,
        units_by_session=unit_counts(units, dropped=data.dropped),
        n_units=units.n_units,
        n_raters=units.n_raters,
        n_continua=len(data.blocks),
        findings=data.findings,
    )


def _alpha(observed: Fraction, expected: Fraction) -> AlphaUValue:
    undefined = expected == 0
    return AlphaUValue(
        value=math.nan if undefined else float(1 - observed / expected),
        observed=float(observed),
        expected=float(expected),
        status="undefined" if undefined else "ok",
        reason="no unit with a length, or every placement looks the same" if undefined else None,
    )


def _disagreements(block: Record, label: int) -> tuple[Fraction, Fraction]:
    """Return D_o and D_e of one category on one continuum (Krippendorff 2004, pp. 251–256)."""
    m, length = len(block.raters), int(block.length)
    chosen = [np.flatnonzero(code == label) for code in block.label]
    start = [s[rows] for s, rows in zip(block.start, chosen, strict=True)]
    end = [e[rows] for e, rows in zip(block.end, chosen, strict=True)]
    if not length:
        return Fraction(0), Fraction(0)
    total = 0
    for i in range(m):
        for j in range(i + 1, m):
            total += _between(start[i], end[i], start[j], end[j])
            total += _in_gaps(start[i], end[i], start[j], end[j])
            total += _in_gaps(start[j], end[j], start[i], end[i])
    observed = Fraction(2 * total, m * (m - 1) * length**2)
    return observed, _expected(start, end, block, m, length)


def _overlapping(start: Ints, end: Ints, others: Ints, their_end: Ints) -> tuple[Ints, Ints]:
    """Return for each unit the first overlapping one of the other rater, and how many there are."""
    first = np.searchsorted(their_end, start, "right")
    return first, np.searchsorted(others, end, "left") - first


def _between(start: Ints, end: Ints, others: Ints, their_end: Ints) -> int:
    first, count = _overlapping(start, end, others, their_end)
    i, j = expand(first, count)
    squares = _big(start[i] - others[j]) ** 2 + _big(end[i] - their_end[j]) ** 2
    return int(squares.sum())


def _in_gaps(start: Ints, end: Ints, others: Ints, their_end: Ints) -> int:
    _, count = _overlapping(start, end, others, their_end)
    return int((_big((end - start)[count == 0]) ** 2).sum())


def _big(numbers: Ints) -> Any:
    """Return whole numbers whose squares and cubes cannot overflow."""
    return numbers.astype(object)


def _expected(start: list[Ints], end: list[Ints], block: Record, m: int, length: int) -> Fraction:
    """Return D_e: the mean over all placements of units and gaps (Krippendorff 2004)."""
    gaps = np.concatenate(
        [
            np.concatenate([s, [block.high]]) - np.concatenate([[block.low], e])
            for s, e in zip(start, end, strict=True)
        ]
    )
    lengths = np.concatenate([e - s for s, e in zip(start, end, strict=True)])
    gaps = np.sort(gaps[gaps > 0])
    from_end = np.concatenate([np.cumsum(_big(gaps)[::-1])[::-1], [0]])
    fitting = np.searchsorted(gaps, lengths, "left")  # gaps at least as long as the unit
    number = len(gaps) - fitting
    one = _big(lengths)
    room = from_end[fitting] - number * (one - 1)  # Σ (g − l + 1)
    inside = one**2 * room
    meeting = (len(one) - 1) * (2 * one**3 - 3 * one**2 + one)
    placements = m * length * (m * length - 1) - int((one * (one - 1)).sum())
    if not placements or not len(one):
        return Fraction(0)
    total = Fraction(int(meeting.sum()), 3) + int(inside.sum())
    return Fraction(2, length) * total / placements
