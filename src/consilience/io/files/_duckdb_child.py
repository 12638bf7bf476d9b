"""What the process that reads DuckDB databases answers; run by `_child_main`.

Only tables are shown, never views: a view is a query of somebody else's, which may read any file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from consilience.core.database import identifier, open_database, quoted

MOST_MEMORY = 8 << 30
_TABLES = """
SELECT schema_name, table_name FROM duckdb_tables()
WHERE database_name = 'source' AND NOT internal ORDER BY table_oid
"""


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """List the tables of a database; write one of them as Parquet, where it is named."""
    path = request["path"]
    try:
        return {"tables": _tables(path, request)}
    except Exception as error:
        said = str(error).partition("\n")[0].replace(path, Path(path).name)
        return {"error": said[:160] or type(error).__name__}


def _tables(path: str, request: dict[str, Any]) -> list[str]:
    folder = Path(request["target"]).parent
    connection = open_database(memory_limit="1GB", temp_directory=str(folder))
    try:
        connection.execute(f"ATTACH {quoted(path)} AS source (READ_ONLY)")
        tables = connection.execute(_TABLES).fetchall()
        if request.get("table") is not None:
            schema, name = tables[request["table"]]
            place = f"source.{identifier(schema)}.{identifier(name)}"
            cells = _cells(connection, place)
            connection.execute(
                f"COPY (SELECT {cells} FROM {place}) TO {quoted(request['into'])} (FORMAT parquet)"
            )
    finally:
        connection.close()
    return [name if schema == "main" else f"{schema}.{name}" for schema, name in tables]


def _cells(connection: Any, place: str) -> str:
    """Select all columns; Parquet has no whole numbers of 128 bits, and floats would round them."""
    described = connection.execute(f"DESCRIBE SELECT * FROM {place}").fetchall()
    cells = []
    for name, kind, *_ in described:
        cell = column = identifier(name)
        if kind in ("HUGEINT", "UHUGEINT"):
            ends = f"SELECT min({column}), max({column}) FROM {place}"
            fits = all(abs(end or 0) < 1 << 63 for end in connection.execute(ends).fetchone())
            cell = f"{column}::{'BIGINT' if fits else 'VARCHAR'} AS {column}"
        cells.append(cell)
    return ", ".join(cells)
