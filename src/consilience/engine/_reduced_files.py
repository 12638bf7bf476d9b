"""Files reduced by DuckDB, embedded: streaming, within a memory limit, spilling to disk."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from consilience.core.words import first_of
from consilience.engine._table_reduction import reduced
from consilience.engine.duckdb_engine import DuckTable
from consilience.exceptions import InputError
from consilience.ratings import Ratings

_SIZE = re.compile(r"\s*\d+(\.\d+)?\s*([kmgt]i?b?|b|bytes)\s*", re.IGNORECASE)
_READERS = {
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".txt": "read_csv",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
    ".json": "read_json",
}


def reduce_with_duckdb(
    paths: list[str],
    *,
    item: str,
    rater: str,
    label: str,
    memory_limit: str | None,
    spill_folder: Any,
    scale: str = "nominal",
    categories: Iterable[object] | None = None,
    missing_values: Collection[object] = (),
) -> Ratings:
    """Reduce files in a private DuckDB that goes away afterwards."""
    import duckdb

    _check_limits(memory_limit, spill_folder)
    with tempfile.TemporaryDirectory(prefix="consilience-", dir=spill_folder) as folder:
        config = {"temp_directory": folder, "autoinstall_known_extensions": "false"}
        if memory_limit is not None:
            config["memory_limit"] = memory_limit
        try:
            with duckdb.connect(":memory:", config=config) as connection:
                connection.execute("SET enable_progress_bar = false")
                connection.execute("SET preserve_insertion_order = false")
                table = DuckTable(
                    connection,
                    _relation(connection, paths, (item, rater, label)),
                    item=_name(item),
                    rater=_name(rater),
                    label=_name(label),
                    missing_values=missing_values,
                )
                return reduced(table, scale=scale, categories=categories)
        except RuntimeError as error:
            if "interrupted" not in str(error).lower():
                raise _told(error, paths, memory_limit) from None
            raise KeyboardInterrupt from error  # DuckDB's answer to Ctrl-C is a bare RuntimeError
        except duckdb.Error as error:
            raise _told(error, paths, memory_limit) from None


def _check_limits(memory_limit: str | None, spill_folder: Any) -> None:
    if memory_limit is not None and not _SIZE.fullmatch(str(memory_limit)):
        raise InputError.expected(
            "memory_limit", "a number with its unit", memory_limit, "write it like 512MB or 2GB"
        )
    if spill_folder is not None and not os.access(spill_folder, os.W_OK | os.X_OK):
        raise InputError.expected(
            "spill_folder", "a folder that can be written to", str(spill_folder), "create it first"
        )


def _relation(connection: Any, paths: list[str], columns: tuple[str, ...]) -> str:
    """Return SQL that reads the files, and check that the columns are there."""
    kinds = {_reader(path) for path in paths}
    if len(kinds) > 1:
        raise InputError.expected(
            "the files", "of one format", ", ".join(sorted(kinds)), "reduce them one by one"
        )
    reader = kinds.pop()
    listed = ", ".join("'" + _expanded(path).replace("'", "''") + "'" for path in paths)
    more = {
        "read_parquet": ", union_by_name = true",
        "read_csv": """, header = true, quote = '"', escape = '"'""",
    }.get(reader, "")
    hive = ", hive_partitioning = true" if any(Path(path).is_dir() for path in paths) else ""
    relation = f"{reader}([{listed}]{more}{hive})"
    found = [row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()]
    for column in columns:
        if column not in found:
            raise InputError.unknown_word("column", column, found)
    return relation


def _reader(path: str) -> str:
    if Path(path).is_dir():
        inside = next((p for p in sorted(Path(path).rglob("*.*")) if p.suffix in _READERS), None)
        if inside is None:
            raise InputError.expected(
                "the folder", "one with data files", str(path), "check the path"
            )
        return _READERS[inside.suffix]
    bare = Path(path[:-3] if path.endswith(".gz") else path)
    reader = _READERS.get(bare.suffix.lower())
    if reader is None:
        raise InputError.expected(
            "the file", f"one of {', '.join(_READERS)}", str(path), "convert it first"
        )
    if not any(sign in path for sign in "*?[") and not Path(path).exists():
        raise InputError.expected("the file", "there", str(path), "check the path")
    if Path(path).exists() and not Path(path).is_file():
        raise InputError.expected(
            "the file", "a plain file", f"{path}, a pipe or a device", "save the data to a file"
        )
    return reader


def _expanded(path: str) -> str:
    if not Path(path).is_dir():
        return path
    inside = next(p for p in sorted(Path(path).rglob("*.*")) if p.suffix in _READERS)
    return f"{path}/**/*{inside.suffix}"


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _told(error: Exception, paths: list[str], memory_limit: str | None) -> InputError:
    """Turn DuckDB's words into a sentence that names the file and what to do."""
    text = " ".join(str(error).partition("\nLINE ")[0].split()).rstrip(".")
    where = first_of(paths, 1)
    if "Out of Memory" in text or ("memory" in text.lower() and "limit" in text.lower()):
        text = text.partition(". ")[0]  # the rest is advice on DuckDB's own settings
        hint = "raise the memory limit, or free space where it spills"
    elif "No space left" in text or "disk" in text.lower():
        hint = "free disk space, or name another spill folder"
    else:
        hint = "check the file; nothing was written"
    return InputError(f"{where}: the file must be readable to its end. Got {text}. Hint: {hint}.")
