"""Find the table on a sheet, wherever it stands: its names, its rows, and what is odd about it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from consilience.core.cell_values import holds_number
from consilience.exceptions import InputError
from consilience.io.bytes.limits import MOST_COLUMNS
from consilience.io.tables.formats._preamble import are_stacked, comes_back, filled_right
from consilience.io.tables.sheets._sheet_data import (
    check_calculated,
    fill_down,
    rows_below,
    tell_oddities,
)
from consilience.io.tables.sheets._workbook_cells import Area, Sheet

_ROWS_LOOKED_AT = 200
_MOST_NAME_ROWS = 3  # below the first one
_TITLE_FREE = 0.6  # part of the usual width that a row of names fills at least


@dataclass
class Block:
    """The table on a sheet: its names and rows, with their numbers.

    `top` is the number of the first row of names, `levels` how many rows they take.
    """

    sheet: Sheet
    names: list[str]
    rows: list[tuple[int, list[str]]]
    top: int = 1
    levels: int = 1
    evidence: list[str] = field(default_factory=list)


def table_on(sheet: Sheet, where: str, *, header: bool | None = None) -> Block | None:
    """Find the table on a sheet; None where there is nothing like one."""
    numbers = sorted(sheet.rows)
    first = _first_row(sheet, numbers) if numbers else None
    if first is None:
        return None
    top, bottom = _name_rows(sheet, first) if header is not False else (first, first)
    columns = _columns(sheet, top, bottom)
    if len(columns) < 2:
        return None
    if len(columns) > MOST_COLUMNS:
        raise InputError.expected(
            "a table", f"at most {MOST_COLUMNS:,} columns wide", len(columns),
            "write it as three columns: item, rater, label", where=f"{where}, {sheet.name!r}",
        )  # fmt: skip
    evidence: list[str] = []
    if top > numbers[0]:
        above = [number for number in numbers if number < top]
        evidence.append(f"sheet {sheet.name!r}: the names stand in row {top}; {len(above)} above")
    names = _names(sheet, range(top, bottom + 1), columns)
    below = numbers[bisect_right(numbers, bottom) :]
    rows = rows_below(sheet, below, columns, where, evidence)
    if not rows:
        return None
    check_calculated(sheet, names, columns, where)
    fill_down(sheet, names, rows, evidence)
    tell_oddities(sheet, columns, {number for number, _ in rows}, evidence)
    return Block(sheet, names, rows, top=top, levels=bottom - top + 1, evidence=evidence)


def _first_row(sheet: Sheet, numbers: Sequence[int]) -> int | None:
    """Return the first row about as wide as the table; titles above it are narrower."""
    widths = [len(sheet.rows[number]) for number in numbers[:_ROWS_LOOKED_AT]]
    usual = sorted(widths)[(3 * len(widths)) // 4]
    enough = max(2, -(-int(10 * _TITLE_FREE) * usual // 10))
    wide = [number for number in numbers if len(sheet.rows[number]) >= enough]
    if not wide:
        return None
    first, below = wide[0], wide[1:2]
    if first != numbers[0] and _is_data(sheet, numbers[0], numbers[1:_ROWS_LOOKED_AT]):
        return numbers[0]
    # Notes above the names may have two cells, too: "coded on", "2023-05-17".
    is_note = first != numbers[0] and len(sheet.rows[first]) < usual
    if below and sheet.rows[below[0]].keys() - sheet.rows[first].keys() == {min(sheet.kinds)}:
        is_note = False  # names beside an empty corner
    if is_note and below and len(sheet.rows[below[0]]) >= usual:
        return first if any(map(holds_number, sheet.rows[below[0]].values())) else below[0]
    return first


def _is_data(sheet: Sheet, number: int, others: Sequence[int]) -> bool:
    """Tell whether a row is one of the table with gaps."""
    row = sheet.rows[number]
    return comes_back(row, [sheet.rows[other] for other in others], min(row))


def _wide_merges(sheet: Sheet, row: int) -> list[Area]:
    return [area for area in sheet.merged if area[2] == row and area[3] > area[1]]


def _name_rows(sheet: Sheet, first: int) -> tuple[int, int]:
    """Return the first and the last row of the names: a name over several columns has more below.

    A name over the whole width is a title.
    """
    stacked = _stacked(sheet, first)
    if stacked is not None:
        return stacked
    top = first
    if len(sheet.rows.get(first - 1, {})) > 1 and _wide_merges(sheet, first - 1):
        top = first - 1
    tall = [area[2] for area in sheet.merged if top <= area[0] <= first and area[1] == area[3]]
    bottom = min(max([first, *tall]), first + _MOST_NAME_ROWS)
    while bottom < first + _MOST_NAME_ROWS and _wide_merges(sheet, bottom):
        if all(holds_number(cell) for cell in sheet.rows.get(bottom + 1, {}).values()):
            break
        bottom += 1
    return top, bottom


def _stacked(sheet: Sheet, first: int) -> tuple[int, int] | None:
    """Find two rows of names without merged cells: Tone, Tone, Topic, Topic above Ann, Bob, ...

    They are names if the same words come back below different words.
    """
    for top in (first - 1, first):
        if are_stacked(sheet.rows.get(top, {}), sheet.rows.get(top + 1, {})):
            return top, top + 1
    return None


def _columns(sheet: Sheet, top: int, bottom: int) -> list[int]:
    """Return the columns of the table: those with names, what lies between, and one before."""
    named = {column for row in range(top, bottom + 1) for column in sheet.rows.get(row, {})}
    if top == bottom and _is_data(sheet, top, sorted(sheet.rows)[:_ROWS_LOOKED_AT]):
        named |= set(sheet.kinds)  # no names, but a first row with gaps
    for area in sheet.merged:
        if area[0] <= bottom and area[2] >= top and area[3] - area[1] < MOST_COLUMNS:
            named |= set(range(area[1], area[3] + 1)) if area[1] in named else set()
    low, high = min(named), max(named)
    filled = set(sheet.kinds)
    between = {column for column in filled if low <= column <= high}
    before = {low - 1} if low - 1 in filled and _is_beside(sheet, low - 1, bottom) else set()
    return sorted((named | between | before) & (filled | named))


def _is_beside(sheet: Sheet, column: int, bottom: int) -> bool:
    return any(column in row for number, row in sheet.rows.items() if number > bottom)


def _names(sheet: Sheet, rows: Sequence[int], columns: Sequence[int]) -> list[str]:
    """Return the names; where they take several rows, the parts from top to bottom."""
    cells = {row: dict(sheet.rows.get(row, {})) for row in rows}
    upper, lower = cells[rows[0]], cells[rows[-1]]
    if len(rows) == 2 and upper and lower and not _wide_merges(sheet, rows[0]):
        cells[rows[0]] = filled_right(upper, max(lower))
    for first, left, last, right in sheet.merged:
        value = sheet.rows.get(first, {}).get(left)
        for row in rows:
            if value is not None and first <= row <= last:
                for column in columns:
                    if left <= column <= right:
                        cells[row][column] = value
    names = []
    for column in columns:
        parts = [cells[row].get(column, "") for row in rows]
        names.append(" / ".join(dict.fromkeys(part for part in parts if part)))
    return names
