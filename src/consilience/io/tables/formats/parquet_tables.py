"""Parquet: typed columns, read where they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from consilience.core.cells import clean_sql, kind_of_sql
from consilience.core.database import Session, identifier
from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.bytes._guarded import check_names
from consilience.io.format_registry import register
from consilience.io.request import Request
from consilience.io.tables.table import Kind, Table

_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
_MOST_COLUMNS = 10_000


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
            "the file", "filled with ratings", Said("no rows"), "check the export",
            where=str(paths[0]),
        )  # fmt: skip
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
            "the file", "a complete Parquet file", Said(str(error).partition("\n")[0]),
            "check that it was copied completely", where=str(path),
        ) from error  # fmt: skip
    if len(described) > _MOST_COLUMNS:
        raise InputError.expected(
            "a table", f"at most {_MOST_COLUMNS:,} columns wide", len(described),
            "write it as three columns: item, rater, label", where=str(path),
        )  # fmt: skip
    return [(name, kind) for name, kind, *_ in described]


def _kind(sql_type: str) -> Kind:
    if sql_type.endswith("[]"):
        return "list"
    if sql_type == "BOOLEAN":
        return "boolean"
    return "number" if sql_type.removeprefix("U").startswith(_NUMBERS) else "text"


def _cell(name: str, sql_type: str, j: int) -> str:
    """Select a column; numbers are clean at once, dates, enums and the like become text."""
    column, kind = identifier(name), kind_of_sql(sql_type)
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
