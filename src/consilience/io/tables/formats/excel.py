"""Workbooks: the table in a sheet, or sheets with the same columns, one per rater or variable."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from consilience.core.database import Session
from consilience.core.input_files import Said
from consilience.core.words import first_of
from consilience.exceptions import InputError, Option, Words
from consilience.io.format_registry import register
from consilience.io.request import Request
from consilience.io.tables.formats._scratch import load_scratch, write_scratch
from consilience.io.tables.layouts._column_names import likeness
from consilience.io.tables.role_names import numbered_stems, role_of
from consilience.io.tables.sheets._ods import is_ods, read_ods
from consilience.io.tables.sheets._sheet_table import Block, table_on
from consilience.io.tables.sheets._workbook import is_workbook, read_workbook
from consilience.io.tables.sheets._workbook_cells import Sheet
from consilience.io.tables.sheets._xls import is_xls, read_xls
from consilience.io.tables.table import Table

RATER, SHEET = "rater", "sheet"
_COME_BACK = 0.5  # part of the items of a sheet that stand on another one, too
_CODEBOOK = re.compile(
    r"(?i)code ?book|legend|read ?me|instruction|guideline|look ?up|dictionary|\bkey\b"
)
_EXPLAINS = re.compile(r"(?i)meanings?|descriptions?|definitions?|explanations?|instructions?")
_COMMA, _POINT = re.compile(r"[+-]?\d+,\d+"), re.compile(r"[+-]?\d+\.\d+")

Read = Callable[[Session, Path], list[Sheet]]


@register(
    "excel", title="Excel (.xlsx)", suffixes=(".xlsx", ".xlsm"), magic=b"PK\x03\x04",
    fits=is_workbook,
)  # fmt: skip
def load_excel(session: Session, paths: Sequence[Path], request: Request) -> Table:
    """Load workbooks as tables of text cells; sheets with the same columns are read together."""
    return _load(session, paths, request, "excel", lambda _, path: read_workbook(path))


@register("ods", title="OpenDocument (.ods)", suffixes=(".ods",), magic=b"PK\x03\x04", fits=is_ods)
def load_ods(session: Session, paths: Sequence[Path], request: Request) -> Table:
    """Load spreadsheets of LibreOffice and others as `load_excel` does."""
    return _load(session, paths, request, "ods", lambda _, path: read_ods(path))


@register(
    "xls", title="Excel before 2007 (.xls)", suffixes=(".xls",), magic=b"\xd0\xcf\x11\xe0",
    fits=is_xls,
)  # fmt: skip
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
        blocks, told = _chosen(read(session, path), str(path), request)
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


def _order(found: Sequence[str], names: Sequence[str]) -> list[int]:
    """Return where each name stands; one that comes twice may be a rating in a first row."""
    if list(found) == list(names):
        return list(range(len(names)))
    return [found.index(name) for name in names]


def _has_decimal_commas(block: Block) -> bool:
    """Tell whether numbers were typed as text with a comma, beside numbers with a fraction."""
    cells = {cell for _, row in block.rows for cell in row}
    return any(map(_COMMA.fullmatch, cells)) and any(map(_POINT.fullmatch, cells))


# -------------------------------------------------------------------- which sheets


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
            "the workbook", "one with a table of at least two columns and two rows",
            Said(on), hint, where=where,
        )  # fmt: skip
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
                "sheets read together", "alike in their columns",
                Said(f"{', '.join(blocks[0].names[:6])} on {blocks[0].sheet.name!r}, "
                     f"{', '.join(block.names[:6])} on {block.sheet.name!r}"),
                Words("read them one by one with ", Option("sheet")), where=where,
            )  # fmt: skip
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
    return len(roles) + bool(numbered_stems(block.names).get("rater"))


# -------------------------------------------------------------------- what a sheet stands for


def _name_sheets(blocks: list[Block]) -> tuple[str, bool]:
    """Add the name of the sheet as a column; say what it is, and whether to group by it.

    The rater, unless the columns name raters already; then a variable if items come back on other
    sheets, else one more part of the same table.
    """
    names = blocks[0].names
    has_raters = any(role_of(name) == "rater" for name in names) or bool(
        numbered_stems(names).get("rater")
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
    found = [[{row[j] for _, row in block.rows} - {""} for j in range(1, width)]
             for block in blocks]  # fmt: skip
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
    named = [j for j, name in enumerate(blocks[0].names) if role_of(name) == "item"]
    place = named[0] if named else 0
    items = [{row[place] for _, row in block.rows} - {""} for block in blocks]
    return all(
        len(one & other) >= _COME_BACK * min(len(one), len(other)) for one, other in pairwise(items)
    )


def _listed(names: Sequence[str], most: int = 6) -> str:
    return first_of([repr(name) for name in names], most)
