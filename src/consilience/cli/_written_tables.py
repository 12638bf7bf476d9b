"""Tables of results as a workbook or as Parquet: unrounded, one column for each end of a range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from consilience.core.temporary_folders import TemporaryFolder

Rows = list[list[object]]  # the first row holds the names


def workbook(tables: Sequence[tuple[str, Rows]]) -> bytes:
    """Return a workbook with one sheet for each table."""
    from consilience.io.tables.sheets.workbook_writing import (
        never_a_formula,
        new_workbook,
        save_workbook,
    )

    with TemporaryFolder() as folder, new_workbook() as book:
        for number, (_, rows) in enumerate(tables, 1):
            sheet = book.create_sheet("results" if len(tables) == 1 else f"results {number}")
            for row in rows:
                sheet.append([never_a_formula(sheet, _plain(value)) for value in row])
        path = folder / "results.xlsx"
        save_workbook(book, path)
        return path.read_bytes()


def parquet(tables: Sequence[tuple[str, Rows]]) -> bytes:
    """Return one table as Parquet."""
    from consilience.core.database import Session, quoted
    from consilience.document.csv_tables import csv_line

    if len(tables) != 1:
        raise click.UsageError(
            f"a Parquet file holds one table, and this result has {len(tables)}. Name a file that "
            "ends in .xlsx, .csv or .json."
        )
    heads, *rows = tables[0][1]
    kinds = [_kind([row[j] for row in rows]) for j in range(len(heads))]
    columns = ", ".join(
        f"{quoted(str(head))}: '{kind}'" for head, kind in zip(heads, kinds, strict=True)
    )
    with Session() as session:
        scratch, target = session.scratch / "rows.csv", session.scratch / "rows.parquet"
        with scratch.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(csv_line(map(_plain, row)) for row in [heads, *rows])
        session.save_parquet(
            f"SELECT * FROM read_csv({session.safe_path(scratch)}, columns = {{{columns}}}, "
            "auto_detect = false, header = true, delim = ',', quote = '\"', escape = '\"', "
            "nullstr = '')",
            target,
        )
        return target.read_bytes()


def _plain(value: object) -> Any:
    """Return a cell as a text, a number or nothing."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return float(value) if abs(value) < float("inf") else None
    if isinstance(value, (list, tuple, frozenset)):
        return ", ".join(map(str, value))
    return str(value)


def _kind(cells: Sequence[object]) -> str:
    given = [cell for cell in map(_plain, cells) if cell is not None]
    if not given or any(isinstance(cell, str) for cell in given):
        return "VARCHAR"
    if all(isinstance(cell, bool) for cell in given):
        return "BOOLEAN"
    return "BIGINT" if all(type(cell) is int for cell in given) else "DOUBLE"
