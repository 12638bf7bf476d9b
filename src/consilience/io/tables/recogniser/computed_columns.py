"""Columns that are computed from the others: sums, means, differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from consilience.io.tables.recogniser.profile import Column

if TYPE_CHECKING:
    from consilience.io.tables.recogniser.likeness import Group

_ROUNDED, _FINE = 0.051, 0.0051
_SURE = 8.0  # nats against a mean by chance


def is_summed(column: Column) -> bool:
    """Tell whether a column of numbers may be one of those that a sum or a mean is made of."""
    return column.is_number and not column.roles & {"total", "derived", "side", "item", "date"}


def computed_from(column: Column, group: Group) -> str:
    """Say that a column of numbers is the sum or the mean of the others, where it is."""
    numeric = [c for c in group.columns if is_summed(c) and c.j != column.j]
    if not column.is_number or len(numeric) < 2 or column.distinct < 2:
        return ""
    inside = column.j in group.places and is_summed(column)
    rows = [
        (i, x, total - x * inside, times - inside)
        for i, (x, (total, times)) in enumerate(zip(column.numbers, group.sums, strict=True))
        if x is not None and times > inside
    ]
    if len(rows) < 3:
        return ""
    called = bool(column.roles & {"total", "derived"})
    if all(abs(x - total) < 0.006 for _, x, total, _ in rows):
        # Where all but one say 0, the sum is that one's value; that proves nothing.
        telling = sum(_n_not_zero(numeric, i) > 1 for i, *_ in rows)
        return "the sum of the others" if called or telling > 2 else ""
    # Where all agree, the mean is any rater's value; that proves nothing either.
    rounded = _rounding(column)
    if all(abs(x - total / times) < rounded for _, x, total, times in rows):
        whole = all(x.is_integer() for _, x, _, _ in rows)
        surprise = sum(math.log1p(_span(numeric, i) / (2 * rounded)) for i, *_ in rows)
        is_mean = called or (not whole and _telling(numeric, rows) > 2 and surprise > _SURE)
        return "the mean of the others" if is_mean else ""
    if not called and max(column.known) <= 1:
        return ""  # among 0 and 1 that is chance
    spans = (abs(x - _span(numeric, i)) < 1e-9 for i, x, _, _ in rows)
    return "the difference of the others" if all(spans) and _telling(numeric, rows) > 4 else ""


def _rounding(column: Column) -> float:
    """By how much a mean may be off when it is written as finely as the column is."""
    decimals = max(len(v.replace(",", ".").partition(".")[2]) for v in column.counts)
    return max(_FINE, min(_ROUNDED, 0.51 * 10.0**-decimals))


def _n_not_zero(columns: Sequence[Column], i: int) -> int:
    return sum(bool(c.numbers[i]) for c in columns)


def _span(columns: Sequence[Column], i: int) -> float:
    values = [x for c in columns if (x := c.numbers[i]) is not None]
    return max(values) - min(values)


def _telling(columns: Sequence[Column], rows: Sequence[tuple[int, float, float, int]]) -> int:
    """Count the rows in which not all say the same."""
    return sum(_span(columns, i) > 0 for i, *_ in rows)
