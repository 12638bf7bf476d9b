"""JSON: one record per rating (a list, or one a line), or raters as keys with items below them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from consilience.core.database import Session, identifier, quoted
from consilience.core.input_files import Said
from consilience.document.csv_tables import csv_line
from consilience.exceptions import InputError
from consilience.io.bytes._guarded import check_names, parse_document
from consilience.io.bytes._text_kind import examine, open_text
from consilience.io.format_registry import register
from consilience.io.request import Request
from consilience.io.tables.formats._outer_names import Role, outer_role
from consilience.io.tables.formats._parallel_lists import hoisted
from consilience.io.tables.formats._scratch import named_by_caller
from consilience.io.tables.formats._unfold import Record, laid_bare, unfolded
from consilience.io.tables.formats.delimited import load_delimited
from consilience.io.tables.role_names import role_of
from consilience.io.tables.table import Table

_SUFFIXES = (".json", ".jsonl", ".ndjson")
_PEOPLE = frozenset(("human", "humans", "people", "annotators", "persons", "experts"))
_SYSTEMS = frozenset(("llm", "llms", "model", "models", "system", "systems", "judges", "machine"))
_OUTER: dict[str, Role] = {"wide": "item", "transposed": "rater"}  # shape to the outer names
_BY_NAMES = "the outer names are "
_BY_KIND = "the file tells people from systems; "
_LARGEST = 1 << 30  # characters of one document that is parsed as a whole


@register("json", title="JSON", suffixes=_SUFFIXES)
def load_json(session: Session, paths: Sequence[Path], request: Request) -> Table:
    """Load JSON files as tables of text cells."""
    if len(paths) == 1 and _is_long(paths[0]):
        return _streamed(session, paths[0])
    scratch = []
    evidence: dict[str, None] = {}
    places: dict[str, list[int]] = {}
    for path in paths:
        target = session.scratch / (session.new_name("json") + ".csv")
        told, places[str(target)] = _write(path, target, request)
        evidence.update(dict.fromkeys(told))
        scratch.append(target)
    plain = Request(delimiter=",", encoding="utf-8", header=True)
    try:
        table = load_delimited(session, scratch, plain)
    except InputError as error:
        raise named_by_caller(error, scratch, paths) from None
    names = {str(new): str(old) for new, old in zip(scratch, paths, strict=True)}

    def locate(row: int) -> str:
        for target, origins in places.items():
            if row < len(origins):
                return f"{names[target]}, record {origins[row] + 1:,}"
            row -= len(origins)
        return str(paths[-1])

    return replace(
        table,
        paths=tuple(paths),
        format="json",
        locate=locate,
        decimal_comma=False,
        evidence=tuple(evidence),
        dialect=(),
        is_long=any(words.startswith((_BY_NAMES, _BY_KIND)) for words in evidence),
    )


def _is_long(path: Path) -> bool:
    """Tell whether a file is one record a line, and too long to be parsed as a whole."""
    is_lines = path.suffix.lower() in (".jsonl", ".ndjson")
    return is_lines and path.stat().st_size > _LARGEST


def _streamed(session: Session, path: Path) -> Table:
    """Let the database read flat records, one a line; every cell is text, as in other JSON."""
    source = f"{session.safe_path(path)}, format = 'newline_delimited'"
    whole = f"{source}, sample_size = -1, maximum_depth = 1"  # a column may come late
    names = [row[0] for row in session.rows(f"DESCRIBE SELECT * FROM read_json({whole})")]
    kinds = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name in names)
    cells = ", ".join(f"{identifier(name)} AS c{j}" for j, name in enumerate(names))
    relation = session.new_name("cells")
    n_rows = session.one(
        f"CREATE TEMP TABLE {relation} AS SELECT {cells} "
        f"FROM read_json({source}, columns = {{{kinds}}})"
    )
    check_names(names, str(path))
    return Table(
        session=session,
        relation=relation,
        names=tuple(names),
        kinds=tuple("text" for _ in names),
        row="rowid",
        n_rows=int(n_rows),
        paths=(path,),
        format="json",
        is_text=True,
        locate=lambda row: f"{path}, record {row + 1:,}",
    )


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


def _write(path: Path, target: Path, request: Request) -> tuple[list[str], list[int]]:
    """Write the ratings as one row each, columns in the order in which they are first met.

    Return what was found out, and for each row the record in which it stood.
    """
    columns: dict[str, None] = {}
    evidence: list[str] = []
    records, words = unfolded([hoisted(one) for one in _records(path, request, evidence)])
    if words:
        evidence.append(words)
    for _, record in records:
        columns.update(dict.fromkeys(record))
    if not columns:
        raise InputError.expected(
            "the file", "filled with ratings", Said("none"), "check the export", where=str(path)
        )
    with target.open("w", encoding="utf-8", newline="") as stream:
        stream.write(csv_line(columns))
        for _, record in records:
            stream.write(csv_line(_cell(record.get(name)) for name in columns))
    return evidence, [k for k, _ in records]


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return str(value)


def _records(path: Path, request: Request, evidence: list[str]) -> Iterator[Record]:
    document = laid_bare(_parsed(path, request.encoding))
    if isinstance(document, list):
        yield from _from_list(document, path)
    elif isinstance(document, dict) and _is_by_kind(document):
        evidence.append(
            f"{_BY_KIND}both are raters here, and `consilience panel` compares the systems with "
            "the people"
        )
        yield from _from_kinds(document, path)
    elif isinstance(document, dict) and document and all(_has_lists(v) for v in document.values()):
        yield from ({"item": item, **record} for item, record in document.items())
    elif isinstance(document, dict) and document and all(_is_rater(v) for v in document.values()):
        told: Role | None = _OUTER.get(request.shape or "")
        role, why = outer_role(document, told, str(path))
        other = "rater" if role == "item" else "item"
        evidence.append(
            f"{_BY_NAMES}{role}s, {why} (the other way round: --item rater --rater item)"
        )
        yield from _from_names(document, path, role, other)
    elif isinstance(document, dict) and any(not _is_nested(v) for v in document.values()):
        yield document  # a file of one line
    else:
        raise InputError.expected(
            "a JSON file",
            "a list of records, {rater: {item: label}} or {item: {rater: label}}",
            Said("nothing like it"),
            "write one record per rating with the fields item, rater, label",
            where=str(path),
        )


def _is_nested(value: Any) -> bool:
    return isinstance(value, (dict, list))


def _has_lists(value: Any) -> bool:
    """Tell whether a value is one item's record, with lists of its raters and their labels."""
    roles = {role_of(key.removesuffix("s")) for key in value} if isinstance(value, dict) else set()
    nested = isinstance(value, dict) and any(
        isinstance(part, (dict, list)) and role_of(key.removesuffix("s")) == "label"
        for key, part in value.items()
    )
    return {"rater", "label"} <= roles or nested


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
        for record in _from_names(raters, path, "rater", "item"):
            yield {**record, "kind": kind}


def _from_names(document: dict[str, Any], path: Path, outer: str, inner: str) -> Iterator[Record]:
    for name, given in document.items():
        pairs = given.items() if isinstance(given, dict) else enumerate(given)
        for other, label in pairs:
            if isinstance(label, list):
                raise InputError.expected(
                    "a rating", "one label", label,
                    "write repeated runs as records with the same item and rater",
                    where=f"{path}, {name}, {other}",
                )  # fmt: skip
            names = {outer: name, inner: other}
            yield {"item": names["item"], "rater": names["rater"], "label": label}


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
