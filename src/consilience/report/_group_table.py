"""Several groups in one table: a line for each, the coefficients beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.coefficients import Estimate
from consilience.document import Cell, Range, Table
from consilience.document._words import interval_head, number, shortened

if TYPE_CHECKING:
    from consilience.report._summary import Summary

_MOST_BESIDE = 3  # more coefficients are listed below each other, or a line would not fit


def fits_beside(summary: Summary) -> bool:
    """Say whether there are groups, and few enough coefficients for a line of each group."""
    return bool(summary.groups) and len(_names(summary)) <= _MOST_BESIDE


def group_table(summary: Summary, caption: str = "") -> Table:
    """Return one row per group: its size, and each coefficient with its interval."""
    level = summary.confidence_level
    heads = [summary.by or "group", "items", "raters"]
    for name in _names(summary):
        heads += [name, interval_head(level)]
    rows = []
    for group in summary.groups:
        cells: list[Cell] = [shortened(group.name), group.data.items, group.data.raters]
        for one in _in_order(group.estimates, summary):
            cells += _value_and_interval(one, level)
        rows.append(cells)
    return Table(heads=tuple(heads), rows=rows, caption=caption)


def group_lines(summary: Summary) -> tuple[list[str], list[list[str]]]:
    """Return the same as short texts: an interval stands in brackets behind its value."""
    heads = [summary.by or "group", "items", *_names(summary)]
    lines = []
    for group in summary.groups:
        values = [_bracketed(one, summary.confidence_level)
                  for one in _in_order(group.estimates, summary)]  # fmt: skip
        lines.append([shortened(group.name), f"{group.data.items:,}", *values])
    return heads, lines


def _names(summary: Summary) -> list[str]:
    return list(dict.fromkeys(one.name for group in summary.groups for one in group.estimates))


def _in_order(estimates: tuple[Estimate, ...], summary: Summary) -> list[Estimate | None]:
    found = {one.name: one for one in estimates}
    return [found.get(name) for name in _names(summary)]


def _value_and_interval(one: Estimate | None, level: float) -> list[Cell]:
    if one is None:
        return [None, None]
    if one.status == "undefined":
        return ["undefined", None]
    return [one.value, Range.of(one.confidence_interval(level))]


def _bracketed(one: Estimate | None, level: float) -> str:
    if one is None:
        return ""
    if one.status == "undefined":
        return "undefined"
    interval = one.confidence_interval(level)
    low, high = number(interval.low), number(interval.high)
    return number(one.value) + (f" [{low}, {high}]" if low and high else "")
