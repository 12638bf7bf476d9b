"""Parquet tables with a row for each unit."""

from __future__ import annotations

from consilience.core.database import Session
from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.annotations._unit_table import found_in
from consilience.io.annotations.strands import Found, Wishes
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File
from consilience.io.request import Request
from consilience.io.tables.formats import parquet_tables


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
            table = parquet_tables.load_parquet(session, [file.path], Request())
            return found_in(table, file, wishes)
        except session.database_error as error:
            raise InputError.expected(
                "the file", "a complete Parquet file", Said(str(error).partition("\n")[0][:80]),
                "check that it was copied completely", where=str(file.path),
            ) from None  # fmt: skip
