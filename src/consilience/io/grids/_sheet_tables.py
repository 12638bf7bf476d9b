"""The table in a sheet, or sheets with the same columns, one per rater or variable.

The table is found wherever it stands: its names, its rows, and what is odd about it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from consilience.core.cell_values import holds_number
from consilience.core.database import Session
from consilience.core.input_files import Said
from consilience.core.words import first_of
from consilience.exceptions import InputError, Option, Words
from consilience.io.files.limits import MOST_COLUMNS
from consilience.io.grids._header import are_stacked, are_units, comes_back, filled_right
from consilience.io.grids.delimited import load_printed, load_scratch, write_scratch
from consilience.io.grids.workbooks import (
    Area,
    Sheet,
    is_ods,
    is_workbook,
    is_xls,
    read_ods,
    read_workbook,
    read_xls,
)
from consilience.io.layout.lexicon import called, numbered_roles, role_of
from consilience.io.layout.printed_tables import MOST_ROWS, chosen_table, printed_tables
from consilience.io.layout.variable_columns import likeness
from consilience.io.options import Request
from consilience.io.registry import register
from consilience.io.table import Table

# ---- the rows of a table on a sheet: merged cells filled, remarks left out, oddities told

_MOST_FILLED = 5_000_000  # cells that merged areas may fill


def rows_below(
    sheet: Sheet, numbers: list[int], columns: Sequence[int], where: str, evidence: list[str]
) -> list[tuple[int, list[str]]]:
    """Return the rows below the names; merged cells count for each row that they cover."""
    filled = {
        number: {c: sheet.rows[number][c] for c in columns if c in sheet.rows[number]}
        for number in numbers
    }
    headings = _fill_merged(sheet, filled, numbers, columns, where)
    kept = [number for number in numbers if filled[number] and number not in headings]
    remarks = _remarks(filled, kept, len(columns))
    kept = [number for number in kept if number not in remarks]
    strays = sum(len(sheet.rows[number].keys() - set(columns)) for number in numbers)
    units = kept[:1] if len(kept) > 2 and are_units(filled[kept[0]]) else []
    kept = kept[len(units) :]
    words = [
        (len(headings), "rows merged over the whole width"),
        (len(remarks), "remarks below"),
        (len(units), "row of units below the names"),
        (strays, "cells apart from the table"),
    ]
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
                    "merged cells",
                    f"at most {_MOST_FILLED:,}",
                    Said("more than that"),
                    "undo the merging, or save the sheet as CSV",
                    where=where,
                )
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


def tell_oddities(
    sheet: Sheet, columns: Sequence[int], rows: set[int], evidence: list[str]
) -> None:
    """Say what the owner of the sheet may not know about it."""
    mixed = [c for c in columns if {"number", "number as text"} <= sheet.kinds.get(c, set())]
    hidden, wrong = len(sheet.hidden_rows & rows), len(sheet.errors)
    missed = sum(sheet.uncalculated.values())
    told = [
        (hidden, f"{hidden:,} hidden rows were read like the others"),
        (len(mixed), f"numbers stored as text in {len(mixed):,} columns were read as numbers"),
        (
            sheet.dates,
            f"{sheet.dates:,} cells are dates; labels such as 1-2 are turned into dates by Excel",
        ),
        (wrong, f"{wrong:,} cells with an error such as #N/A were taken as missing"),
        (
            missed,
            f"{missed:,} formulas hold no calculated value and were taken as missing; "
            "open and save the file in Excel",
        ),
    ]
    evidence += [f"sheet {sheet.name!r}: {words}" for number, words in told if number]


def check_calculated(
    sheet: Sheet, names: Sequence[str], columns: Sequence[int], where: str
) -> None:
    """Refuse a column of nothing but formulas that were never calculated."""
    for name, column in zip(names, columns, strict=True):
        missed = sheet.uncalculated.get(column, 0)
        filled = sum(column in row for row in sheet.rows.values())
        if missed > 1 and filled <= 1:  # the name at most
            raise InputError.expected(
                f"the column {name!r}",
                "filled with values",
                Said(f"{missed:,} formulas without a calculated value"),
                "open and save the file in Excel or LibreOffice, which calculate them",
                where=f"{where}, sheet {sheet.name!r}",
            )


def fill_down(
    sheet: Sheet, names: Sequence[str], rows: list[tuple[int, list[str]]], evidence: list[str]
) -> None:
    """Fill in an item that stands only in the first of its rows, if that makes sense of them all.

    It does where another column names the raters and then no rater comes twice on an item.
    """
    items, raters = called(names, "item"), called(names, "rater")
    if not items or not raters or not rows[0][1][names.index(items[0])]:
        return
    item, rater = names.index(items[0]), names.index(raters[0])
    empty = [k for k, (_, row) in enumerate(rows) if not row[item]]
    full, last = [], ""
    for _, row in rows:
        last = row[item] or last
        full.append((last, row[rater]))
    if not empty or not all(name for _, name in full) or len(set(full)) < len(full):
        return
    for k in empty:
        rows[k][1][item] = full[k][0]
    evidence.append(
        f"sheet {sheet.name!r}: {len(empty):,} empty cells of {names[item]!r} were filled with the "
        "name above them"
    )


# ---- find the table on a sheet

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
            "a table",
            f"at most {MOST_COLUMNS:,} columns wide",
            len(columns),
            "write it as three columns: item, rater, label",
            where=f"{where}, {sheet.name!r}",
        )
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


# ---- workbooks

RATER, SHEET = "rater", "sheet"
_COME_BACK = 0.5  # part of the items of a sheet that stand on another one, too
_CODEBOOK = re.compile(
    r"(?i)code ?book|legend|read ?me|instruction|guideline|look ?up|dictionary|\bkey\b"
)
_EXPLAINS = re.compile(r"(?i)meanings?|descriptions?|definitions?|explanations?|instructions?")
_COMMA, _POINT = re.compile(r"[+-]?\d+,\d+"), re.compile(r"[+-]?\d+\.\d+")

Read = Callable[[Session, Path], list[Sheet]]


@register(
    "excel",
    title="Excel (.xlsx)",
    suffixes=(".xlsx", ".xlsm"),
    magic=b"PK\x03\x04",
    fits=is_workbook,
)
def load_excel(session: Session, paths: Sequence[Path], request: Request) -> Table:
    """Load workbooks as tables of text cells; sheets with the same columns are read together."""
    return _load(session, paths, request, "excel", lambda _, path: read_workbook(path))


@register("ods", title="OpenDocument (.ods)", suffixes=(".ods",), magic=b"PK\x03\x04", fits=is_ods)
def load_ods(session: Session, paths: Sequence[Path], request: Request) -> Table:
    """Load spreadsheets of LibreOffice and others as `load_excel` does."""
    return _load(session, paths, request, "ods", lambda _, path: read_ods(path))


@register(
    "xls",
    title="Excel before 2007 (.xls)",
    suffixes=(".xls",),
    magic=b"\xd0\xcf\x11\xe0",
    fits=is_xls,
)
def load_xls(session: Session, paths: Sequence[Path], request: Request) -> Table:
    """Load old workbooks as `load_excel` does."""
    return _load(session, paths, request, "xls", read_xls)


def _load(
    session: Session, paths: Sequence[Path], request: Request, format: str, read: Read
) -> Table:
    scratch: list[Path] = []
    places: list[str] = []
    tops: list[tuple[int, str]] = []  # where a row of names would come in, if it is data
    evidence: list[str] = []
    header, by, decimal_comma = request.header, False, False
    for path in paths:
        sheets = read(session, path)
        if len(paths) == 1 and request.may_be_printed:
            printed = _printed(session, sheets, path, request, format)
            if printed is not None:
                return printed
        blocks, told = _chosen(sheets, str(path), request)
        if len(blocks) > 1:
            words, by = _name_sheets(blocks)
            told.append(words)
        names = blocks[0].names
        rows, first = [], len(places)
        for block in blocks:
            order = _order(block.names, names)
            where = f"{path}, sheet {block.sheet.name!r}, row"
            rows += [[row[j] for j in order] for _, row in block.rows]
            places += [f"{where} {number:,}" for number, _ in block.rows]
            told += block.evidence
            decimal_comma = decimal_comma or _has_decimal_commas(block)
        tops.append((first, f"{path}, sheet {blocks[0].sheet.name!r}, row {blocks[0].top:,}"))
        scratch.append(write_scratch(session, names, rows))
        evidence += told
        if header is None and (len(blocks) > 1 or blocks[0].levels > 1):
            header = True

    def locate(row: int) -> str:
        return places[row] if row < len(places) else str(paths[-1])

    table = load_scratch(
        session, scratch, paths, format=format, header=header, locate=locate, evidence=evidence
    )
    if table.n_rows > len(places):
        for first, place in reversed(tops):
            places.insert(first, place)
    return replace(table, by=SHEET if by else None, decimal_comma=decimal_comma)


def _printed(
    session: Session, sheets: Sequence[Sheet], path: Path, request: Request, format: str
) -> Table | None:
    """Load a cross-table as papers print it; None where a sheet holds something else."""
    asked = _named(sheets, request.sheets, str(path)) if len(sheets) > 1 else []
    shown = asked or [sheet for sheet in sheets if not sheet.hidden and sheet.rows]
    found, numbers = [], []
    for sheet in shown:
        lines = sorted(sheet.rows)
        if not lines or len(lines) > MOST_ROWS:
            return None
        columns = range(min(sheet.kinds), max(sheet.kinds) + 1)
        if len(columns) > MOST_ROWS:
            return None
        grid = [[sheet.rows[k].get(j, "") for j in columns] for k in lines]
        tables = printed_tables(grid, told=request.shape == "table")
        if not tables:
            return None
        name = sheet.name if len(shown) > 1 else ""
        found += [replace(one, caption=one.caption or name) for one in tables]
        numbers += [(sheet.name, lines)] * len(tables)
    if not found:
        return None
    table = chosen_table(found, () if asked else request.sheets, str(path))
    name, lines = numbers[found.index(table)]
    return load_printed(
        session,
        table,
        request,
        (path,),
        format=format,
        locate=lambda row: f"{path}, sheet {name!r}, row {lines[table.rows[row]]:,}",
    )


def _order(found: Sequence[str], names: Sequence[str]) -> list[int]:
    """Return where each name stands; one that comes twice may be a rating in a first row."""
    if list(found) == list(names):
        return list(range(len(names)))
    return [found.index(name) for name in names]


def _has_decimal_commas(block: Block) -> bool:
    """Tell whether numbers were typed as text with a comma, beside numbers with a fraction."""
    cells = {cell for _, row in block.rows for cell in row}
    return any(map(_COMMA.fullmatch, cells)) and any(map(_POINT.fullmatch, cells))


# ---- which sheets


def _chosen(sheets: Sequence[Sheet], where: str, request: Request) -> tuple[list[Block], list[str]]:
    """Return the tables to be read as one: those asked for, or those with the same columns."""
    asked = _named(sheets, request.sheets, where)
    evidence = [f"hidden sheet left out: {s.name!r}" for s in sheets if s.hidden and not asked]
    blocks, bare = [], []
    for sheet in asked or [sheet for sheet in sheets if not sheet.hidden and sheet.rows]:
        block = table_on(sheet, where, header=request.header)
        if block is None:
            bare.append(sheet.name)
        else:
            blocks.append(block)
    if not blocks or (asked and bare):
        on = f"none on {_listed(bare)}" if asked else "none on any sheet that is shown"
        hint: str = Words("check the export, or name another sheet with ", Option("sheet"))
        if any(sheet.uncalculated for sheet in sheets):
            on += "; formulas hold no calculated value"
            hint = "open and save the file in Excel or LibreOffice, which calculate them"
        raise InputError.expected(
            "the workbook",
            "one with a table of at least two columns and two rows",
            Said(on),
            hint,
            where=where,
        )
    if bare:
        evidence.append(f"left out, as no table: {_listed(bare)}")
    if asked:
        return _alike(blocks, where), evidence
    together = _best(blocks)
    left = [block.sheet.name for block in blocks if block not in together]
    if left:
        read = _listed([block.sheet.name for block in together])
        evidence.append(
            f"read: {read}; left out, as their columns differ: {_listed(left)} (--sheet)"
        )
    return together, evidence


def _named(sheets: Sequence[Sheet], told: Sequence[str | int], where: str) -> list[Sheet]:
    """Return the sheets that were asked for, by name or by number."""
    found: dict[int, Sheet] = {}
    names = [sheet.name for sheet in sheets]
    folded = [name.casefold() for name in names]
    for one in told:
        word = str(one)
        if word in names:
            place = names.index(word)
        elif folded.count(word.casefold()) == 1:
            place = folded.index(word.casefold())
        elif word.isascii() and word.isdigit() and 0 < int(word[:9]) <= len(sheets):
            place = int(word) - 1
        else:
            raise InputError.unknown_word(f"{where}: sheet", one, names)
        found[place] = sheets[place]
    return list(found.values())


def _alike(blocks: list[Block], where: str) -> list[Block]:
    for block in blocks[1:]:
        if sorted(block.names) != sorted(blocks[0].names):
            raise InputError.expected(
                "sheets read together",
                "alike in their columns",
                Said(
                    f"{', '.join(blocks[0].names[:6])} on {blocks[0].sheet.name!r}, "
                    f"{', '.join(block.names[:6])} on {block.sheet.name!r}"
                ),
                Words("read them one by one with ", Option("sheet")),
                where=where,
            )
    return blocks


def _best(blocks: Sequence[Block]) -> list[Block]:
    """Return the sheets with the same columns that look most like ratings, the most of them."""
    alike: dict[tuple[str, ...], list[Block]] = {}
    for block in blocks:
        alike.setdefault(tuple(sorted(block.names)), []).append(block)
    return max(
        alike.values(),
        key=lambda some: (_roles(some[0]), len(some), len(some[0].names) > 2),
    )


def _roles(block: Block) -> int:
    """Count the roles that the names of the columns play; a codebook explains and rates nothing."""
    if _CODEBOOK.search(block.sheet.name) or any(map(_EXPLAINS.fullmatch, block.names)):
        return -1
    roles = {role_of(name) for name in block.names} - {None}
    return len(roles) + bool(numbered_roles(block.names).get("rater"))


# ---- what a sheet stands for


def _name_sheets(blocks: list[Block]) -> tuple[str, bool]:
    """Add the name of the sheet as a column; say what it is, and whether to group by it.

    The rater, unless the columns name raters already; then a variable if items come back on other
    sheets, else one more part of the same table.
    """
    names = blocks[0].names
    has_raters = any(role_of(name) == "rater" for name in names) or bool(
        numbered_roles(names).get("rater")
    )
    per_variable = has_raters or _are_variables(blocks)
    word = SHEET if per_variable else RATER
    if word in names:
        return f"{len(blocks)} sheets with the same columns were read together", False
    comes_back = _items_come_back(blocks)
    for block in blocks:
        block.names.append(word)
        for _, row in block.rows:
            row.append(block.sheet.name)
    listed = _listed([block.sheet.name for block in blocks])
    if not per_variable:
        return f"one sheet per rater: {listed} (if each is a variable: --by rater)", False
    if comes_back:
        return f"one sheet per variable: {listed}", True
    return f"the sheets {listed} were read together, named in the column 'sheet'", False


def _are_variables(blocks: Sequence[Block]) -> bool:
    """Tell whether sheets are variables: by what sheets and columns are called, and by the values.

    Raters answer alike; variables have values of their own.
    """
    width = len(blocks[0].names)
    if width < 3:
        return False
    found = [
        [{row[j] for _, row in block.rows} - {""} for j in range(1, width)] for block in blocks
    ]
    within = all(one & other for block in found for one in block for other in block)
    whole = [set().union(*block) for block in found]
    between = any(a & b for k, a in enumerate(whole) for b in whole[:k])
    if not within:
        return False
    sheets = [block.sheet.name for block in blocks]
    columns = [name for name in blocks[0].names[1:] if name]
    return not between or likeness(columns, sheets) > likeness(sheets, columns)


def _items_come_back(blocks: Sequence[Block]) -> bool:
    """Tell whether most items of a sheet stand on the one before, too."""
    names = blocks[0].names
    place = names.index(next(iter(called(names, "item")), names[0]))
    items = [{row[place] for _, row in block.rows} - {""} for block in blocks]
    return all(
        len(one & other) >= _COME_BACK * min(len(one), len(other)) for one, other in pairwise(items)
    )


def _listed(names: Sequence[str], most: int = 6) -> str:
    return first_of([repr(name) for name in names], most)
