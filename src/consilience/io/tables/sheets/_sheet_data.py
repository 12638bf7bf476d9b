"""The rows of a table on a sheet: merged cells filled, remarks left out, oddities told."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.tables.role_names import role_of
from consilience.io.tables.sheets._workbook_cells import Sheet

_MOST_FILLED = 5_000_000  # cells that merged areas may fill
_IN_BRACKETS = re.compile(r"[(\[].*[)\]]")


def rows_below(
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
    units = _units(filled, kept)
    kept = [number for number in kept if number not in units]
    words = [(len(headings), "rows merged over the whole width"), (len(remarks), "remarks below"),
             (len(units), "row of units below the names"),
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


def _units(filled: dict[int, dict[int, str]], kept: Sequence[int]) -> set[int]:
    """Find a row below the names that says what the columns hold: all of it in brackets."""
    if len(kept) < 3:
        return set()
    cells = filled[kept[0]].values()
    return {kept[0]} if len(cells) > 1 and all(map(_IN_BRACKETS.fullmatch, cells)) else set()


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
                f"the column {name!r}", "filled with values",
                Said(f"{missed:,} formulas without a calculated value"),
                "open and save the file in Excel or LibreOffice, which calculate them",
                where=f"{where}, sheet {sheet.name!r}",
            )  # fmt: skip


def fill_down(
    sheet: Sheet, names: Sequence[str], rows: list[tuple[int, list[str]]], evidence: list[str]
) -> None:
    """Fill in an item that stands only in the first of its rows, if that makes sense of them all.

    It does where another column names the raters and then no rater comes twice on an item.
    """
    items = [j for j, name in enumerate(names) if role_of(name) == "item"]
    raters = [j for j, name in enumerate(names) if role_of(name) == "rater"]
    if not items or not raters or not rows[0][1][items[0]]:
        return
    item, rater = items[0], raters[0]
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
