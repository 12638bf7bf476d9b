"""Cells to files: delimited text, workbooks, JSON, Parquet."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from tables.habits import Case
from tables.kit import Cells

NUMBER = re.compile(r"-?\d+(\.\d+)?")
DECIMAL = re.compile(r"-?\d+\.\d+")
MISSING_IN_FRAMES = frozenset(("", "NA", "N/A", "NaN", "null", "#N/A", "n/a", "NULL", "nan"))
LARGEST_WORKBOOK = 3000


def write(case: Case, folder: Path, route: str = "file") -> Path:
    """Write a case as a file; how, its seed decides, so the same case gives the same bytes."""
    rng = Random(case.seed ^ 0x5EED)
    kind = "xlsx" if route == "workbook" else _kind(rng, case)
    stem = folder / f"t{case.seed:012x}"
    if kind == "xlsx":
        return _workbook(rng, case, stem.with_suffix(".xlsx"))
    if kind == "parquet":
        return _parquet(case, stem.with_suffix(".parquet"))
    if kind == "nested":
        return _nested(rng, case, stem.with_suffix(".json"))
    if kind in _SHAPES:
        return _shaped(case, kind, stem.with_suffix(".json"))
    if kind in ("json", "jsonl"):
        return _json(rng, case, stem.with_suffix(f".{kind}"), lines=kind == "jsonl")
    data, ending = delimited(rng, case)
    path = stem.with_suffix(ending)
    path.write_bytes(data)
    return path


def _kind(rng: Random, case: Case) -> str:
    """Choose a format that can hold the table."""
    table = case.table
    size = len(table.rows) * len(table.roles)
    formats = ["text"] * (12 if case.name.startswith("ordinary") else 8)
    if size <= LARGEST_WORKBOOK:
        formats.append("xlsx")
    header = table.header
    plain = header is not None and all(header) and len(set(header)) == len(header)
    plain = plain and not table.notes and not table.legend and table.totals is None
    if plain and case.layout != "cross-table":
        formats += ["jsonl", "json" if rng.random() < 0.5 else "parquet"]
    if plain and can_nest(case):
        formats += ["nested"]
    if plain and case.name.startswith("found"):
        formats += [rng.choice(_SHAPES), rng.choice(_SHAPES)]
    return rng.choice(formats)


# ------------------------------------------------------------------------------ delimited text


def delimited(rng: Random, case: Case) -> tuple[bytes, str]:
    """Return delimited text as bytes, and the ending of its name."""
    delimiter = rng.choice(",,,,,;;\t\t|")
    rows = _trimmed(rng, case)
    if delimiter != "," and rng.random() < 0.5:
        rows = [[_with_comma(cell) for cell in row] for row in rows]
    quoting = rng.choice((csv.QUOTE_MINIMAL,) * 4 + (csv.QUOTE_ALL,))
    if delimiter == "\t" and rng.random() < 0.3 and _needs_no_quotes(rows):
        quoting = csv.QUOTE_NONE
    ending = rng.choice(("\n", "\n", "\r\n"))
    out = io.StringIO()
    options: dict[str, Any] = {"quotechar": None} if quoting == csv.QUOTE_NONE else {}
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=ending, **options)
    writer.writerows(_as_left_by_programs(rng, case, rows, delimiter))
    name = {",": ".csv", ";": ".csv", "\t": rng.choice((".tsv", ".txt")), "|": ".txt"}[delimiter]
    return _encoded(rng, out.getvalue()), name


def _trimmed(rng: Random, case: Case) -> list[Sequence[str]]:
    """The rows; lines above the header are short in some files and padded in others."""
    rows: list[Sequence[str]] = list(case.cells)
    if case.table.notes and rng.random() < 0.5:
        for i, note in enumerate(case.table.notes):
            kept = list(note)
            while kept and not kept[-1]:
                kept.pop()
            rows[i] = kept
    return rows


def _as_left_by_programs(
    rng: Random, case: Case, rows: list[Sequence[str]], delimiter: str
) -> list[Sequence[str]]:
    """Row names without a head, as R writes them; empty lines and cells at the end, as Excel."""
    if case.name.startswith("ordinary") or case.table.header is None or case.table.notes:
        return rows
    if delimiter == "\t" and not rows[0][0] and rng.random() < 0.3:
        return [rows[0][1:], *rows[1:]]
    if rng.random() < 0.03:
        rows = [[*row, ""] for row in rows]
    if rng.random() < 0.03:
        rows = [*rows, *[[""] * len(rows[0])] * 2]
    return rows


def _with_comma(cell: str) -> str:
    return cell.replace(".", ",") if DECIMAL.fullmatch(cell) else cell


def _needs_no_quotes(rows: Sequence[Sequence[str]]) -> bool:
    return not any("\t" in cell or "\n" in cell for row in rows for cell in row)


def _encoded(rng: Random, text: str) -> bytes:
    encoding = rng.choice(("utf-8",) * 7 + ("utf-8-sig", "utf-16", "cp1252"))
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode()


# ------------------------------------------------------------------------------ typed cells


def typed_columns(case: Case) -> tuple[list[str], list[list[Any]]]:
    """Return the names and the columns of the table, numbers as numbers, missing as None."""
    table = case.table
    rows = [*table.rows, *([table.totals] if table.totals is not None else [])]
    rows += table.legend if case.layout == "footers" else ()
    names = list(table.header) if table.header is not None else []
    columns = [typed(column, case.mark) for column in zip(*rows, strict=True)]
    return names or [str(i) for i in range(len(columns))], columns


def typed(column: Cells, mark: str) -> list[Any]:
    """Numbers as numbers where the whole column is, and None for what is missing."""
    missing = {"", mark} if mark in MISSING_IN_FRAMES else {""}
    filled = [cell for cell in column if cell not in missing]
    if filled and all(NUMBER.fullmatch(cell) and len(cell) < 19 for cell in filled):
        whole = not any("." in cell for cell in filled)
        kind = int if whole else float
        return [None if cell in missing else kind(cell) for cell in column]
    return [None if cell in missing else cell for cell in column]


# ------------------------------------------------------------------------------ other files


def _workbook(rng: Random, case: Case, path: Path) -> Path:
    """One sheet; numbers are numbers in most workbooks and texts in some."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Sheet1")
    as_numbers = rng.random() < 0.85
    for row in case.cells:
        sheet.append([_for_sheet(cell, as_numbers) for cell in row])
    book.save(path)
    return path


def _for_sheet(cell: str, as_numbers: bool) -> Any:
    if cell == "":
        return None
    if as_numbers and NUMBER.fullmatch(cell) and len(cell) < 16 and not _is_padded(cell):
        return float(cell) if "." in cell else int(cell)
    return cell


def _is_padded(cell: str) -> bool:
    return len(cell) > 1 and cell[0] == "0" and cell[1] != "."


def _json(rng: Random, case: Case, path: Path, *, lines: bool) -> Path:
    """Records, one per line or in a list; a missing value is null or left out."""
    names, columns = typed_columns(case)
    leave_out = rng.random() < 0.3
    records = [
        {n: v for n, v in zip(names, row, strict=True) if not (leave_out and v is None)}
        for row in zip(*columns, strict=True)
    ]
    dumped = [json.dumps(record, ensure_ascii=rng.random() < 0.5) for record in records]
    text = "\n".join(dumped) + "\n" if lines else "[" + ",\n".join(dumped) + "]"
    path.write_text(text, encoding="utf-8")
    return path


_SHAPES = ("columns", "index", "split", "lists", "wrapped", "table")  # of one table in JSON


def _shaped(case: Case, shape: str, path: Path) -> Path:
    """A table as pandas and others write it: by column, by row, in lists."""
    names, columns = typed_columns(case)
    rows = [list(row) for row in zip(*columns, strict=True)]
    records = [dict(zip(names, row, strict=True)) for row in rows]
    whole: Any = {
        "columns": {n: {str(i): v for i, v in enumerate(column)}
                    for n, column in zip(names, columns, strict=True)},
        "index": {str(i): record for i, record in enumerate(records)},
        "split": {"columns": names, "index": list(range(len(rows))), "data": rows},
        "lists": dict(zip(names, columns, strict=True)),
        "wrapped": {"meta": {"version": 1}, "data": records},
        "table": {"schema": {"fields": [{"name": n} for n in names]}, "data": records},
    }[shape]  # fmt: skip
    path.write_text(json.dumps(whole, ensure_ascii=False), encoding="utf-8")
    return path


def can_nest(case: Case) -> bool:
    """Whether only items and raters are there, and names tell which is which."""
    study = case.truth.variables[0][1]
    clear = "raters numbers" not in case.features and len(study.rows) > 3 * len(study.raters)
    return case.layout == "wide" and set(case.table.roles) == {"item", "rater"} and clear


def _nested(rng: Random, case: Case, path: Path) -> Path:
    """An object of objects: rater, item, label; or item, rater, label."""
    names, columns = typed_columns(case)
    place = case.table.roles.index("item")
    items = [str(item) for item in columns[place]]
    by_rater = {
        name: {i: v for i, v in zip(items, column, strict=True) if v is not None}
        for c, (name, column) in enumerate(zip(names, columns, strict=True))
        if c != place
    }
    whole: dict[str, dict[str, Any]] = by_rater
    if rng.random() < 0.4:
        whole = {i: {r: by_rater[r][i] for r in by_rater if i in by_rater[r]} for i in items}
        whole = {item: found for item, found in whole.items() if found}
    path.write_text(json.dumps(whole, ensure_ascii=False), encoding="utf-8")
    return path


def _parquet(case: Case, path: Path) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names, columns = typed_columns(case)
    pq.write_table(pa.table(dict(zip(names, columns, strict=True))), path)
    return path
