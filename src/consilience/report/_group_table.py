"""Several groups in one table: a line for each, the coefficients beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.coefficients import Estimate
from consilience.core.words import interval_head, number, shortened
from consilience.document import Cell, InPlace, Range, Table, value_and_interval

if TYPE_CHECKING:
    from consilience.report._summary import Group, Summary

_MOST_BESIDE = 3  # more coefficients are listed below each other, or a line would not fit


def fits_beside(summary: Summary) -> bool:
    """Say whether there are groups, and few enough coefficients for a line of each group."""
    return bool(summary.groups) and len(_names(summary)) <= _MOST_BESIDE


def group_table(summary: Summary, caption: str = "") -> Table:
    """Return one row per group: its size, and each coefficient with its interval."""
    level = summary.confidence_level
    shown = _differing(summary)
    heads = [*_heads(summary), *shown]
    for name in _names(summary).values():
        heads += [name, interval_head(level)]
    rows = []
    for group in summary.groups:
        sizes = {"items": group.data.items, "raters": group.data.raters}
        cells: list[Cell] = [*_said(group, summary), *(sizes[name] for name in shown)]
        for one in _in_order(group, summary):
            cells += value_and_interval(one, level)
        rows.append(cells)
    return Table(heads=tuple(heads), rows=rows, caption=caption)


def group_lines(summary: Summary) -> Table:
    """Return the same in short: an interval stands in brackets behind its value."""
    heads = [*_heads(summary), "items", *_names(summary).values()]
    rows: list[list[Cell]] = []
    for group in summary.groups:
        values = [_bracketed(one, summary.confidence_level) for one in _in_order(group, summary)]
        rows.append([*_said(group, summary), group.data.items, *values])
    return Table(heads=heads, rows=rows)


def _heads(summary: Summary) -> list[str]:
    return [summary.by or "group", *(["scale"] if _scales_differ(summary) else [])]


def _said(group: Group, summary: Summary) -> list[str]:
    """Return the name of a group, and its scale where another has another."""
    return [shortened(group.name), *([group.data.scale] if _scales_differ(summary) else [])]


def _differing(summary: Summary) -> list[str]:
    """Say which sizes to show: the raters only where their number is not the same everywhere."""
    same = len({group.data.raters for group in summary.groups}) == 1
    return ["items"] if same else ["items", "raters"]


def _scales_differ(summary: Summary) -> bool:
    return len({group.data.scale for group in summary.groups}) > 1


def _names(summary: Summary) -> dict[str, str]:
    """Return each coefficient with its shortest name: with weights some have a longer one."""
    names: dict[str, str] = {}
    for one in (one for group in summary.groups for one in group.estimates):
        names[one.coefficient] = min(names.get(one.coefficient, one.name), one.name, key=len)
    return names


def _in_order(group: Group, summary: Summary) -> list[Estimate | None]:
    found = {one.coefficient: one for one in group.estimates}
    return [found.get(name) for name in _names(summary)]


def _bracketed(one: Estimate | None, level: float) -> Cell:
    value, interval = value_and_interval(one, level)
    if not isinstance(value, float) or not isinstance(interval, Range):
        return value
    low, high = number(interval.low), number(interval.high)
    return InPlace(number(value) + (f" [{low}, {high}]" if low and high else ""))
