"""Parquet tables with a row for each unit."""

from __future__ import annotations

from consilience.exceptions import InputError
from consilience.io import _parquet
from consilience.io._paths import Said
from consilience.io._registry import TextOptions
from consilience.io._session import Session
from consilience.io.units._files import File
from consilience.io.units._found import Found, Wishes
from consilience.io.units._registry import register
from consilience.io.units._table import found_in


@register(
    "parquet",
    title="a Parquet table with a row for each unit",
    suffixes=(".parquet", ".pq"),
    rules=("column", "file", "folder", "file-suffix", "file-prefix"),
    recognise=lambda file: file.start.startswith(b"PAR1") or file.suffix in (".parquet", ".pq"),
    settled=True,
)
def read_parquet(file: File, wishes: Wishes) -> Found:
    """Read typed columns, known by their names."""
    with Session() as session:
        try:
            table = _parquet.load_parquet(session, [file.path], TextOptions())
            return found_in(table, file, wishes)
        except session.database_error as error:
            raise InputError.expected(
                "the file", "a complete Parquet file", Said(str(error).partition("\n")[0][:80]),
                "check that it was copied completely", where=str(file.path),
            ) from None  # fmt: skip
