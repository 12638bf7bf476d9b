"""Consilience's own tidy table, as `convert` writes it: a row per entry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from consilience.core.cell_values import as_exact
from consilience.exceptions import InputError
from consilience.io.exports._records_and_cells import parquet_records
from consilience.io.exports.export_entries import KINDS, STATES, Annotations
from consilience.io.exports.registry import ExportOptions, Sample, export
from consilience.io.files.limits import refused
from consilience.io.files.source import Source

_NEEDED = frozenset(("item", "rater", "variable", "label", "label_type", "state", "kind"))
_PARQUET = b"PAR1"


@export("tidy", title="Consilience tidy table", suffixes=(".csv", ".jsonl", ".parquet"))
class Tidy:
    """CSV, JSON lines or Parquet with the columns that `convert` writes."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for the columns."""
        records = sample.records()
        names = set(records[0]) if records else set(sample.columns())
        if sample.head.startswith(_PARQUET):
            names = set(sample.parquet_columns())
        return "it has the columns that convert writes" if names >= _NEEDED else None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every entry as it was written."""
        found = Annotations()
        for path in source.paths:
            for place, row in _rows(path, source, options):
                _add(found, place, row)
        found.note_runs()
        return found


def _rows(
    path: Any, source: Source, options: ExportOptions
) -> Iterator[tuple[str, dict[str, Any]]]:
    member = Source((path,)).files[0]
    head = member.head(4)
    if head == _PARQUET:
        yield from parquet_records(path)
    elif head.lstrip()[:1] in (b"{", b"["):
        yield from member.records(encoding=options.encoding)
    else:
        table = member.table(delimiter=options.delimiter, encoding=options.encoding)
        for place, cells in table.records():
            yield place, {name: cell or None for name, cell in cells.items()}


def _add(found: Annotations, place: str, row: dict[str, Any]) -> None:
    state, kind = row.get("state"), row.get("kind") or "person"
    if state not in STATES or kind not in KINDS:
        raise refused(
            place,
            "an entry",
            f"in one of the states {', '.join(STATES)} and of one of the kinds {', '.join(KINDS)}",
            f"{str(state)[:40]!r} and {str(kind)[:40]!r}",
            "correct the row",
        )
    try:
        found.add(
            row.get("item"),
            row.get("rater"),
            _label(row.get("label"), row.get("label_type"), place),
            variable=str(row.get("variable") or "label"),
            state=str(state),
            reason=str(row.get("reason") or ""),
            time=row.get("time"),
            text=row.get("text"),
            kind=str(kind),
            place=place,
        )
    except InputError as error:
        raise InputError(f"{place}: {error}") from error


def _label(label: Any, word: Any, place: str) -> Any:
    """Bring a label back to the type it had."""
    if label is None:
        return None
    try:
        if word in ("set", "ranking"):
            parts = json.loads(label) if isinstance(label, str) else label
            return frozenset(parts) if word == "set" else tuple(parts)
        if word == "boolean":
            return label if isinstance(label, bool) else {"true": True, "false": False}[label]
        if word == "number":
            number = as_exact(label)
            if number is None:
                raise ValueError
            return number
    except (ValueError, TypeError, KeyError, OverflowError):
        what = "the label"
        needed = f"a {word}, as its type says"
        raise refused(place, what, needed, f"{str(label)[:40]!r}", "correct the row") from None
    return str(label)
