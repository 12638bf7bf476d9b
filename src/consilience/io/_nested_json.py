"""JSON: one record per rating (a list, or one a line), or raters as keys with items below them."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from consilience.exceptions import InputError
from consilience.io._delimited import load_delimited
from consilience.io._guarded import parse_document
from consilience.io._names import role_of
from consilience.io._paths import Said
from consilience.io._registry import TextOptions, register
from consilience.io._session import Session
from consilience.io._table import Table
from consilience.io._text import examine, open_text

_SUFFIXES = (".json", ".jsonl", ".ndjson")
_PEOPLE = frozenset(("human", "humans", "people", "annotators", "persons", "experts"))
_SYSTEMS = frozenset(("llm", "llms", "model", "models", "system", "systems", "judges", "machine"))
_LARGEST = 1 << 30  # characters of one document that is parsed as a whole

Record = dict[str, Any]


@register("json", title="JSON", suffixes=_SUFFIXES)
def load_json(session: Session, paths: Sequence[Path], options: TextOptions) -> Table:
    """Load JSON files as tables of text cells."""
    scratch = []
    for path in paths:
        target = session.scratch / (session.new_name("json") + ".csv")
        _write(path, target, options.encoding)
        scratch.append(target)
    plain = TextOptions(delimiter=",", encoding="utf-8", header=True)
    table = load_delimited(session, scratch, plain)
    names = {str(new): str(old) for new, old in zip(scratch, paths, strict=True)}

    def locate(row: int) -> str:
        where, _, line = table.locate(row).rpartition(", line ")
        number = f", record {int(line) - 1:,}" if line.isdigit() else ""
        return names.get(where, str(paths[0])) + number

    return replace(table, paths=tuple(paths), format="json", locate=locate, decimal_comma=False)


def systems_in(path: Path | str) -> tuple[str, ...]:
    """Return the systems that a file of the form ``{"human": {...}, "llm": {...}}`` names.

    Empty for every other file.
    """
    if Path(path).suffix.lower() not in _SUFFIXES:
        return ()
    try:
        document = _parsed(Path(path), None)
    except InputError:
        return ()
    if not isinstance(document, Mapping) or not _is_by_kind(document):
        return ()
    return tuple(
        str(rater)
        for kind, raters in document.items()
        if kind.casefold() in _SYSTEMS
        for rater in raters
    )


def _write(path: Path, target: Path, encoding: str | None) -> None:
    """Write the ratings as one row each; columns in the order in which they are first met."""
    columns: dict[str, None] = {}
    records = list(_records(path, encoding))
    for record in records:
        columns.update(dict.fromkeys(record))
    if not records:
        raise InputError.expected(
            "the file", "filled with ratings", Said("none"), "check the export", where=str(path)
        )
    with target.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([[_cell(record.get(name)) for name in columns] for record in records])


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return str(value)


def _records(path: Path, encoding: str | None) -> Iterator[Record]:
    document = _parsed(path, encoding)
    if isinstance(document, list):
        yield from _from_list(document, path)
    elif isinstance(document, dict) and _is_by_kind(document):
        yield from _from_kinds(document, path)
    elif isinstance(document, dict) and document and all(_has_lists(v) for v in document.values()):
        yield from ({"item": item, **record} for item, record in document.items())
    elif isinstance(document, dict) and document and all(_is_rater(v) for v in document.values()):
        yield from _from_raters(document, path)
    elif isinstance(document, dict) and any(not _is_nested(v) for v in document.values()):
        yield document  # a file of one line
    else:
        raise InputError.expected(
            "a JSON file",
            "a list of records, or {rater: {item: label}}",
            Said("nothing like it"),
            "write one record per rating with the fields item, rater, label",
            where=str(path),
        )


def _is_nested(value: Any) -> bool:
    return isinstance(value, (dict, list))


def _has_lists(value: Any) -> bool:
    """Tell whether a value is one item's record, with lists of its raters and their labels."""
    roles = {role_of(key.removesuffix("s")) for key in value} if isinstance(value, dict) else set()
    return {"rater", "label"} <= roles


def _is_rater(value: Any) -> bool:
    """Tell whether a value is one rater's ratings: labels by item, or in order."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return bool(parts) and not any(isinstance(part, dict) for part in parts)


def _is_by_kind(document: Mapping[str, Any]) -> bool:
    kinds = {key.casefold() for key in document}
    return (
        bool(kinds)
        and kinds <= _PEOPLE | _SYSTEMS
        and all(
            isinstance(value, dict) and value and all(_is_rater(part) for part in value.values())
            for value in document.values()
        )
    )


def _from_list(records: list[Any], path: Path) -> Iterator[Record]:
    for k, record in enumerate(records):
        if not isinstance(record, dict):
            raise InputError.expected(
                "every record", "an object with named fields", record,
                'as in {"item": 1, "rater": "Ann", "label": "yes"}',
                where=f"{path}, record {k + 1:,}",
            )  # fmt: skip
        yield record


def _from_kinds(document: dict[str, Any], path: Path) -> Iterator[Record]:
    seen: set[str] = set()
    for kind, raters in document.items():
        for rater in raters:
            if rater in seen:
                raise InputError.expected(
                    "a rater", "named once", rater,
                    "give people and systems different names", where=str(path),
                )  # fmt: skip
            seen.add(rater)
        for record in _from_raters(raters, path):
            yield {**record, "kind": kind}


def _from_raters(document: dict[str, Any], path: Path) -> Iterator[Record]:
    for rater, given in document.items():
        pairs = given.items() if isinstance(given, dict) else enumerate(given)
        for item, label in pairs:
            if isinstance(label, list):
                raise InputError.expected(
                    "a rating", "one label", label,
                    "write repeated runs as records with the same item and rater",
                    where=f"{path}, {rater}, {item}",
                )  # fmt: skip
            yield {"item": item, "rater": rater, "label": label}


# -------------------------------------------------------------------- parsing


def _parsed(path: Path, encoding: str | None) -> Any:
    """Parse the whole file, or, where it is one record a line, each line."""
    form = examine(path, encoding=encoding)
    with open_text(path, form.encoding) as stream:
        try:
            text = stream.read(_LARGEST + 1).removeprefix("\ufeff")
        except (UnicodeDecodeError, LookupError) as error:
            raise _refused(path, "text in UTF-8", str(error), "save it as UTF-8") from None
    if len(text) > _LARGEST:
        raise _refused(path, "smaller", f"more than {_LARGEST:,} characters", "use Parquet or CSV")
    return parse_document(text, str(path))


def _refused(path: Path, expectation: str, got: str, hint: str) -> InputError:
    return InputError.expected("the file", expectation, Said(got), hint, where=str(path))
