"""Parquet: typed columns, read where they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from consilience.exceptions import InputError
from consilience.io.bytes._guarded import check_names
from consilience.io.bytes.paths import Said
from consilience.io.format_registry import TextOptions, register
from consilience.io.tables._session import Session, identifier
from consilience.io.tables.table import Kind, Table

_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
_MOST_COLUMNS = 10_000


@register("parquet", title="Parquet", suffixes=(".parquet", ".pq"), magic=b"PAR1")
def load_parquet(session: Session, paths: Sequence[Path], options: TextOptions) -> Table:
    """Load Parquet files with the same columns; one file is not even copied."""
    columns = _columns(session, paths[0])
    for path in paths[1:]:
        if sorted(_columns(session, path)) != sorted(columns):
            raise InputError.expected(
                "files read together",
                "alike in their columns and types",
                Said(", ".join(name for name, _ in _columns(session, path))),
                f"read them one by one, or make them like {paths[0]}",
                where=str(path),
            )
    relation = session.new_name("cells")
    cells = ", ".join(_cell(name, kind, j) for j, (name, kind) in enumerate(columns))
    sources = [
        f"SELECT {cells}, '{number}' AS file, file_row_number AS row "
        f"FROM read_parquet({session.safe_path(path)}, file_row_number = true, "
        "hive_partitioning = false)"
        for number, path in enumerate(paths)
    ]
    if len(paths) == 1:
        session.run(f"CREATE TEMP VIEW {relation} AS {sources[0]}")
    else:
        session.run(f"CREATE TEMP TABLE {relation} AS {' UNION ALL '.join(sources)}")
    counts = [
        row[0]
        for row in session.rows(
            f"SELECT count(*) FROM {relation} GROUP BY file ORDER BY file::INTEGER"
        )
    ]
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
        row="row" if len(paths) == 1 else "rowid",
        n_rows=sum(counts),
        paths=tuple(paths),
        format="parquet",
        is_text=False,
        locate=_locator(paths, counts),
        file="file" if len(paths) > 1 else None,
    )


def _columns(session: Session, path: Path) -> list[tuple[str, str]]:
    try:
        described = session.rows(
            f"DESCRIBE SELECT * FROM read_parquet({session.safe_path(path)}, "
            "hive_partitioning = false)"
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
    """Select a column; dates, enums and the like become text, and NaN is a missing value."""
    column = identifier(name)
    if sql_type in ("FLOAT", "DOUBLE"):
        return f"CASE WHEN isnan({column}) THEN NULL ELSE {column} END AS c{j}"
    if sql_type.startswith("DECIMAL"):
        return f"{column}::DOUBLE AS c{j}"
    is_plain = sql_type == "VARCHAR" or _kind(sql_type) != "text"
    return f"{column} AS c{j}" if is_plain else f"{column}::VARCHAR AS c{j}"


def _locator(paths: Sequence[Path], counts: Sequence[int]):  # type: ignore[no-untyped-def]
    def locate(row: int) -> str:
        for path, count in zip(paths, counts, strict=True):
            if row < count:
                return f"{path}, row {row + 1}"
            row -= count
        return str(paths[-1])

    return locate
