"""DuckDB databases: one table of them, as it is now; the database is only read.

Another process does the reading, as a damaged database can end it, and writes the table as Parquet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from consilience.core.database import Session
from consilience.core.input_files import Said
from consilience.core.words import first_of
from consilience.exceptions import InputError, Option, Words
from consilience.io.bytes._child import Child
from consilience.io.bytes._guarded import refused
from consilience.io.format_registry import register
from consilience.io.request import Request
from consilience.io.tables.formats.parquet_tables import load_parquet
from consilience.io.tables.table import Table

READER = Child("_duckdb_child.py")


@register(
    "duckdb", title="DuckDB (.duckdb)", suffixes=(".duckdb", ".ddb"), magic=b"DUCK", offset=8
)  # fmt: skip
def load_duckdb(session: Session, paths: Sequence[Path], request: Request) -> Table:
    """Load one table of each database; with several, the one that `sheet` names."""
    told: list[str] = []
    copies = []
    for path in paths:
        names = _asked(session, path)["tables"]
        place = _chosen(names, request, str(path))
        copies.append(session.scratch / (session.new_name("table") + ".parquet"))
        _asked(session, path, table=place, into=str(copies[-1]))
        told.append(f"table {names[place]!r}")
    table = load_parquet(session, copies, replace(request, folders_are_columns=False))
    known = dict(zip(map(str, copies), map(str, paths), strict=True))

    def locate(row: int) -> str:
        copy, comma, where = table.locate(row).rpartition(", ")
        return known.get(copy, str(paths[-1])) + comma + where

    evidence = (*table.evidence, *dict.fromkeys(told))
    return replace(table, paths=tuple(paths), format="duckdb", locate=locate, evidence=evidence)


def _asked(session: Session, path: Path, **more: Any) -> dict[str, Any]:
    target = session.scratch / (session.new_name("duckdb") + ".json")
    found = READER.ask({"path": str(path.resolve()), **more}, target)
    if "error" in found:
        raise refused(
            str(path), "the file", "a complete DuckDB database", found["error"],
            "close the program that writes it, or export the table as Parquet",
        )  # fmt: skip
    return found


def _chosen(names: Sequence[str], request: Request, where: str) -> int:
    """Return the place of the table that was asked for, or of the only one."""
    if not names:
        raise InputError.expected(
            "the database", "one with a table of ratings", Said("none"),
            "check the export; views are not read", where=where,
        )  # fmt: skip
    if not request.sheets:
        if len(names) == 1:
            return 0
        raise InputError.expected(
            "the table",
            "named, as the database has several",
            Said(first_of(names, 6)),
            Words("name it with ", Option("sheet", *names[:6])),
            where=where,
        )
    word = str(request.sheets[0])
    if len(request.sheets) == 1 and word in names:
        return list(names).index(word)
    raise InputError.unknown_word(f"{where}: sheet", word, names)
