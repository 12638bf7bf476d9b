"""Tables that a format writes out as plain CSV, to be loaded like any other delimited text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from consilience.core.database import Session
from consilience.document.csv_tables import csv_line
from consilience.exceptions import InputError
from consilience.io.request import Request
from consilience.io.tables.formats.delimited import load_delimited
from consilience.io.tables.table import Table


def write_scratch(session: Session, names: Sequence[str], rows: Iterable[Sequence[str]]) -> Path:
    """Write one table into the scratch folder."""
    target = session.scratch / (session.new_name("table") + ".csv")
    with target.open("w", encoding="utf-8", newline="") as stream:
        stream.write(csv_line(names))
        stream.writelines(map(csv_line, rows))
    return target


def named_by_caller(
    error: InputError, scratch: Sequence[Path], paths: Sequence[Path]
) -> InputError:
    """Put the caller's files into a message instead of those in the scratch folder."""
    text = str(error)
    for new, old in zip(scratch, paths, strict=True):
        text = text.replace(f"{new}, line 1:", f"{old}:").replace(str(new), str(old))
    return InputError(text)


def load_scratch(
    session: Session,
    scratch: Sequence[Path],
    paths: Sequence[Path],
    *,
    format: str,
    header: bool | None,
    locate: Callable[[int], str],
    evidence: Iterable[str],
) -> Table:
    """Load what was written; messages name the files of the caller.

    `locate` turns the position of a row, counted over all files, into its place.
    """
    try:
        plain = Request(delimiter=",", encoding="utf-8", header=header, is_plain=True)
        table = load_delimited(session, scratch, plain)
    except InputError as error:
        raise named_by_caller(error, scratch, paths) from None
    return replace(
        table,
        paths=tuple(paths),
        format=format,
        locate=locate,
        decimal_comma=False,
        evidence=tuple(dict.fromkeys(evidence)),
        dialect=(),
    )
