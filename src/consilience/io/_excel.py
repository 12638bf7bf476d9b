"""Excel: the table in a sheet, or one sheet per rater, wherever on the sheet the table stands."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from consilience.exceptions import InputError
from consilience.io._guarded import MOST_COLUMNS
from consilience.io._names import numbered_stems, role_of
from consilience.io._paths import Said
from consilience.io._registry import TextOptions, register
from consilience.io._scratch import load_scratch, write_scratch
from consilience.io._session import Session
from consilience.io._table import Table
from consilience.io._workbook import is_workbook, read_workbook
from consilience.io._workbook_cells import Area, Sheet

RATER, SHEET = "rater", "sheet"
_ROWS_LOOKED_AT = 200
_MOST_FILLED = 5_000_000  # cells that merged areas may fill
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


@register(
    "excel", title="Excel (.xlsx)", suffixes=(".xlsx", ".xlsm"), magic=b"PK\x03\x04",
    fits=is_workbook,
)  # fmt: skip
def load_excel(session: Session, paths: Sequence[Path], options: TextOptions) -> Table:
    """Load workbooks as tables of text cells; sheets with the same columns are read together."""
    scratch: list[Path] = []
    places: list[str] = []
    tops: list[tuple[int, str]] = []  # where a row of names would come in, if it is data
    evidence: list[str] = []
    header = options.header
    for path in paths:
        blocks, told = _chosen(read_workbook(path), str(path), options)
        names = blocks[0].names
        rows, first = [], len(places)
        for block in blocks:
            order = [block.names.index(name) for name in names]
            where = f"{path}, sheet {block.sheet.name!r}, row"
            rows += [[row[j] for j in order] for _, row in block.rows]
            places += [f"{where} {number:,}" for number, _ in block.rows]
        tops.append((first, f"{path}, sheet {blocks[0].sheet.name!r}, row {blocks[0].top:,}"))
        scratch.append(write_scratch(session, names, rows))
        evidence += told
        if header is None and (len(blocks) > 1 or blocks[0].levels > 1):
            header = True

    def locate(row: int) -> str:
        return places[row] if row < len(places) else str(paths[-1])

    table = load_scratch(
        session, scratch, paths, format="excel", header=header, locate=locate, evidence=evidence
    )
    if table.n_rows > len(places):
        for first, place in reversed(tops):
            places.insert(first, place)
    return table


# -------------------------------------------------------------------- which sheets


def _chosen(
    sheets: Sequence[Sheet], where: str, options: TextOptions
) -> tuple[list[Block], list[str]]:
    """Return the tables to be read as one: those with the same columns, else the first."""
    evidence = [f"hidden sheet left out: {sheet.name!r}" for sheet in sheets if sheet.hidden]
    blocks = [
        block
        for sheet in sheets
        if not sheet.hidden and (block := table_on(sheet, where, header=options.header)) is not None
    ]
    if not blocks:
        raise InputError.expected(
            "the workbook", "one with a table of at least two columns and two rows",
            Said("none on any sheet that is shown"), "check the export", where=where,
        )  # fmt: skip
    alike: dict[tuple[str, ...], list[Block]] = {}
    for block in blocks:
        alike.setdefault(tuple(sorted(block.names)), []).append(block)
    together = max(alike.values(), key=len)
    if len(together) == 1:
        together = [max(blocks, key=_looks_like_ratings)]
    left = [block.sheet.name for block in blocks if block not in together]
    if left:
        read = ", ".join(repr(block.sheet.name) for block in together[:6])
        other = ", ".join(map(repr, left[:6]))
        evidence.append(f"read: {read}; left out, as their columns differ: {other}")
    if len(together) > 1:
        evidence.append(_name_sheets(together))
    for block in together:
        evidence += block.evidence
    return together, evidence


def _looks_like_ratings(block: Block) -> tuple[int, int]:
    """Rank a sheet by the roles that its column names play, then by being the earlier one."""
    roles = {role_of(name) for name in block.names} - {None}
    return len(roles) + bool(numbered_stems(block.names).get("rater")), 0


def _name_sheets(blocks: list[Block]) -> str:
    """Add the name of the sheet as a column: the rater, unless the columns name raters already."""
    names = blocks[0].names
    has_raters = any(role_of(name) == "rater" for name in names) or bool(
        numbered_stems(names).get("rater")
    )
    word = SHEET if has_raters or _is_per_variable(blocks) else RATER
    if word in names:
        return f"{len(blocks)} sheets with the same columns were read together"
    for block in blocks:
        block.names.append(word)
        for _, row in block.rows:
            row.append(block.sheet.name)
    listed = ", ".join(repr(block.sheet.name) for block in blocks[:6])
    if word == RATER:
        return f"one sheet per rater: {listed} (if each is a variable: --by rater)"
    return f"the sheets {listed} were read together, named in the column 'sheet' (--by sheet)"


def _is_per_variable(blocks: Sequence[Block]) -> bool:
    """Tell whether answers are alike within a sheet and different between sheets."""
    width = len(blocks[0].names)
    if width < 3:
        return False
    found = [[{row[j] for _, row in block.rows} - {""} for j in range(1, width)]
             for block in blocks]  # fmt: skip
    within = all(one & other for block in found for one in block for other in block)
    whole = [set().union(*block) for block in found]
    between = any(a & b for k, a in enumerate(whole) for b in whole[:k])
    return within and not between


# -------------------------------------------------------------------- where the table stands


def table_on(sheet: Sheet, where: str, *, header: bool | None = None) -> Block | None:
    """Find the table on a sheet; None where there is nothing like one."""
    numbers = sorted(sheet.rows)
    first = _first_row(sheet, numbers)
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
    rows = _data(sheet, below, columns, where, evidence)
    if not rows:
        return None
    _tell(sheet, columns, {number for number, _ in rows}, evidence)
    return Block(sheet, names, rows, top=top, levels=bottom - top + 1, evidence=evidence)


def _first_row(sheet: Sheet, numbers: Sequence[int]) -> int | None:
    """Return the first row about as wide as the table; titles above it are narrower."""
    widths = [len(sheet.rows[number]) for number in numbers[:_ROWS_LOOKED_AT]]
    usual = sorted(widths)[(3 * len(widths)) // 4]
    enough = max(2, -(-int(10 * _TITLE_FREE) * usual // 10))
    return next((number for number in numbers if len(sheet.rows[number]) >= enough), None)


def _wide_merges(sheet: Sheet, row: int) -> list[Area]:
    return [area for area in sheet.merged if area[2] == row and area[3] > area[1]]


def _name_rows(sheet: Sheet, first: int) -> tuple[int, int]:
    """Return the first and the last row of the names: a name over several columns has more below.

    A name over the whole width is a title.
    """
    top = first
    if len(sheet.rows.get(first - 1, {})) > 1 and _wide_merges(sheet, first - 1):
        top = first - 1
    tall = [area[2] for area in sheet.merged if top <= area[0] <= first and area[1] == area[3]]
    bottom = min(max([first, *tall]), first + _MOST_NAME_ROWS)
    while bottom < first + _MOST_NAME_ROWS and _wide_merges(sheet, bottom):
        if all(_is_number(cell) for cell in sheet.rows.get(bottom + 1, {}).values()):
            break
        bottom += 1
    return top, bottom


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _columns(sheet: Sheet, top: int, bottom: int) -> list[int]:
    """Return the columns of the table: those with names, what lies between, and one before."""
    named = {column for row in range(top, bottom + 1) for column in sheet.rows.get(row, {})}
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


def _data(
    sheet: Sheet, numbers: list[int], columns: Sequence[int], where: str, evidence: list[str]
) -> list[tuple[int, list[str]]]:
    """Return the rows below the names; merged cells count for each row that they cover."""
    filled = {number: {c: sheet.rows[number][c] for c in columns if c in sheet.rows[number]}
              for number in numbers}  # fmt: skip
    headings = _fill_merged(sheet, filled, numbers, columns, where)
    kept = [number for number in numbers if filled[number] and number not in headings]
    remarks = _remarks(filled, kept, len(columns))
    kept = [number for number in kept if number not in remarks]
    strays = sum(len(sheet.rows[number].keys() - set(columns)) for number in numbers)
    words = [(len(headings), "rows merged over the whole width"), (len(remarks), "remarks below"),
             (strays, "cells apart from the table")]  # fmt: skip
    left = ", ".join(f"{number:,} {what}" for number, what in words if number)
    if left:
        evidence.append(f"sheet {sheet.name!r}: left out: {left}")
    return [(number, [filled[number].get(column, "") for column in columns]) for number in kept]


def _fill_merged(
    sheet: Sheet,
    filled: dict[int, dict[int, str]],
    numbers: list[int],
    columns: Sequence[int],
    where: str,
) -> set[int]:
    """Copy the value of a merged area into its rows; return the rows that are headings."""
    headings: set[int] = set()
    budget = _MOST_FILLED
    for first, left, last, right in sheet.merged:
        value = sheet.rows.get(first, {}).get(left)
        if value is None or not numbers or last < numbers[0]:
            continue
        covered = columns[bisect_left(columns, left) : bisect_right(columns, right)]
        if first == last and len(covered) == len(columns) > 1:
            headings.add(first)
            continue
        for number in numbers[bisect_left(numbers, first) : bisect_right(numbers, last)]:
            budget -= len(covered)
            if budget < 0:
                raise InputError.expected(
                    "merged cells", f"at most {_MOST_FILLED:,}", Said("more than that"),
                    "undo the merging, or save the sheet as CSV", where=where,
                )  # fmt: skip
            for column in covered:
                filled[number].setdefault(column, value)
    return headings


def _remarks(filled: dict[int, dict[int, str]], kept: Sequence[int], width: int) -> set[int]:
    """Find remarks below the table: after an empty row, with a single filled cell each."""
    if width < 3:
        return set()
    found: set[int] = set()
    for number in reversed(kept):
        if len(filled[number]) > 1:
            break
        found.add(number)
    if not found or len(found) == len(kept):
        return set()
    last = max(number for number in kept if number not in found)
    return found if min(found) > last + 1 else set()


def _tell(sheet: Sheet, columns: Sequence[int], rows: set[int], evidence: list[str]) -> None:
    """Say what the owner of the sheet may not know about it."""
    mixed = [c for c in columns if {"number", "number as text"} <= sheet.kinds.get(c, set())]
    hidden = len(sheet.hidden_rows & rows)
    told = [
        (hidden, f"{hidden:,} hidden rows were read like the others"),
        (len(mixed), f"numbers stored as text in {len(mixed):,} columns were read as numbers"),
        (
            sheet.dates,
            f"{sheet.dates:,} cells are dates; labels such as 1-2 are turned into dates by Excel",
        ),
        (sheet.errors, f"{sheet.errors:,} cells with an error such as #N/A were taken as missing"),
        (
            sheet.uncalculated,
            f"{sheet.uncalculated:,} formulas hold no calculated value and were taken as missing; "
            "open and save the file in Excel",
        ),
    ]
    evidence += [f"sheet {sheet.name!r}: {words}" for number, words in told if number]
