"""Parquet and DuckDB: typed columns, read where they are; one table of a database, as it is now.

Another process reads the database, as a damaged one can end it, and writes the table as Parquet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from consilience.core.cell_values import clean_sql, kind_of_sql
from consilience.core.database import Session, identifier
from consilience.core.input_files import Said
from consilience.core.words import first_of
from consilience.exceptions import InputError, Option, Words
from consilience.io.files.child import Child
from consilience.io.files.limits import refused
from consilience.io.files.parsing import check_names
from consilience.io.options import Request
from consilience.io.registry import register
from consilience.io.table import Kind, Table

# ---- Parquet: typed columns, read where they are

_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
_MOST_COLUMNS = 10_000
_MOST_DIGITS = 18  # of every number that fits 64 bits


@register("parquet", title="Parquet", suffixes=(".parquet", ".pq"), magic=b"PAR1")
def load_parquet(session: Session, paths: Sequence[Path], request: Request) -> Table:
    """Load Parquet files with the same columns, where they are: nothing is copied."""
    columns = _columns(session, paths[0], request)
    for path in paths[1:]:
        others = _columns(session, path, request)
        if sorted(others) != sorted(columns):
            raise InputError.expected(
                "files read together",
                "alike in their columns and types",
                Said(", ".join(name for name, _ in others)),
                f"read them one by one, or make them like {paths[0]}",
                where=str(path),
            )
    relation = session.new_name("cells")
    cells = ", ".join(_cell(name, kind, j) for j, (name, kind) in enumerate(columns))
    counts = [_n_rows(session, path) for path in paths]
    before = [sum(counts[:number]) for number in range(len(paths))]
    sources = [
        f"SELECT {cells}, '{number}' AS file, {_numbered(before[number])} AS row "
        f"FROM read_parquet({session.safe_path(path)}, file_row_number = true, "
        f"{_hive(path, request)})"
        for number, path in enumerate(paths)
    ]
    session.run(f"CREATE TEMP VIEW {relation} AS {' UNION ALL '.join(sources)}")
    if not sum(counts):
        raise InputError.expected(
            "the file",
            "filled with ratings",
            Said("no rows"),
            "check the export",
            where=str(paths[0]),
        )
    check_names([name for name, _ in columns], str(paths[0]))
    return Table(
        session=session,
        relation=relation,
        names=tuple(name for name, _ in columns),
        kinds=tuple(_kind(kind) for _, kind in columns),
        row="row",
        n_rows=sum(counts),
        paths=tuple(paths),
        format="parquet",
        is_text=False,
        locate=_locator(paths, counts),
        file="file" if len(paths) > 1 else None,
    )


def _numbered(before: int) -> str:
    """Number the rows of all files; those of the first by the database's own number, for speed."""
    return f"file_row_number + {before}" if before else "file_row_number"


def _hive(path: Path, request: Request) -> str:
    """Say whether the names of folders such as day=01 are columns; they are text as written."""
    if request.folders_are_columns and "=" in str(path.parent):
        return "hive_partitioning = true, hive_types_autocast = false"
    return "hive_partitioning = false"


def _n_rows(session: Session, path: Path) -> int:
    return int(
        session.one(f"SELECT sum(num_rows) FROM parquet_file_metadata({session.safe_path(path)})")
        or 0
    )


def _columns(session: Session, path: Path, request: Request) -> list[tuple[str, str]]:
    try:
        described = session.rows(
            f"DESCRIBE SELECT * FROM read_parquet({session.safe_path(path)}, "
            f"{_hive(path, request)})"
        )
    except session.database_error as error:
        raise InputError.expected(
            "the file",
            "a complete Parquet file",
            Said(str(error).partition("\n")[0]),
            "check that it was copied completely",
            where=str(path),
        ) from error
    if len(described) > _MOST_COLUMNS:
        raise InputError.expected(
            "a table",
            f"at most {_MOST_COLUMNS:,} columns wide",
            len(described),
            "write it as three columns: item, rater, label",
            where=str(path),
        )
    return [(name, kind) for name, kind, *_ in described]


def _kind(sql_type: str) -> Kind:
    if sql_type.endswith("[]"):
        return "list"
    if sql_type == "BOOLEAN":
        return "boolean"
    if sql_type.startswith("DECIMAL") and sql_type.endswith(",0)"):
        return "number" if _whole_type(sql_type) == "BIGINT" else "text"
    return "number" if sql_type.removeprefix("U").startswith(_NUMBERS) else "text"


def _whole_type(sql_type: str) -> str:
    """Return the type that holds every digit of decimals without a fraction: longer ones as text.

    Python gets numbers beyond 64 bits as floats, which leave out some of the whole numbers.
    """
    digits = int(sql_type.removeprefix("DECIMAL(").partition(",")[0])
    return "BIGINT" if digits <= _MOST_DIGITS else "VARCHAR"


def _cell(name: str, sql_type: str, j: int) -> str:
    """Select a column; numbers are clean at once, dates, enums and the like become text."""
    column, kind = identifier(name), kind_of_sql(sql_type)
    if sql_type.startswith("DECIMAL") and sql_type.endswith(",0)"):
        return f"{column}::{_whole_type(sql_type)} AS c{j}"
    if kind in ("float", "decimal"):
        return f"{clean_sql(column, kind)} AS c{j}"
    is_plain = kind == "text" or _kind(sql_type) != "text"
    return f"{column} AS c{j}" if is_plain else f"{column}::VARCHAR AS c{j}"


def _locator(paths: Sequence[Path], counts: Sequence[int]):  # type: ignore[no-untyped-def]
    def locate(row: int) -> str:
        for path, count in zip(paths, counts, strict=True):
            if row < count:
                return f"{path}, row {row + 1}"
            row -= count
        return str(paths[-1])

    return locate


# ---- DuckDB databases: one table of them, as it is now; the database is only read

# Another process does the reading, as a damaged database can end it, and writes the table as
# Parquet.

READER = Child("_duckdb_child.py")


@register("duckdb", title="DuckDB (.duckdb)", suffixes=(".duckdb", ".ddb"), magic=b"DUCK", offset=8)
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
            str(path),
            "the file",
            "a complete DuckDB database",
            found["error"],
            "close the program that writes it, or export the table as Parquet",
        )
    return found


def _chosen(names: Sequence[str], request: Request, where: str) -> int:
    """Return the place of the table that was asked for, or of the only one."""
    if not names:
        raise InputError.expected(
            "the database",
            "one with a table of ratings",
            Said("none"),
            "check the export; views are not read",
            where=where,
        )
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
