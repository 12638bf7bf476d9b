"""JSON: one record per rating (a list, or one a line), or raters as keys with items below them."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, pstdev
from typing import Any, Literal

from consilience.core.database import Session, identifier, quoted
from consilience.core.input_files import Said
from consilience.document.records import csv_line
from consilience.exceptions import InputError, Option, Words
from consilience.io.files.parsing import check_names, parse_document
from consilience.io.files.text import examine, open_text
from consilience.io.grids.delimited import load_scratch
from consilience.io.layout.decision import AmbiguousTableError, Offer
from consilience.io.layout.lexicon import (
    MAIL,
    called,
    family_of,
    looks_like_model,
    numbered_roles,
    role_of,
    singular,
)
from consilience.io.layout.profile import Column
from consilience.io.options import Request
from consilience.io.registry import register
from consilience.io.table import Table

# ---- ratings nested in JSON

Record = dict[str, Any]
_AROUND = (dict, list)
_COUNTS = frozenset(("votes", "counts", "labelcounts", "votecounts"))
_ENOUGH_RECORDS = 3  # records in which one sum is no chance


def unfolded(records: Sequence[Record]) -> tuple[list[tuple[int, Record]], str]:
    """Write the ratings inside items' records one per record; say what was taken apart.

    Each comes with the position of the record in which it stood.

    Two forms are known: ``"annotations": {rater: label}`` and
    ``"annotations": [{"annotator": rater, "label": label}, ...]``. Other records stay as they are.
    """
    if any(role_of(name) == "rater" for name in _plain_names(records)):
        return list(enumerate(records)), ""  # each record is one rater's already
    for name in dict.fromkeys(name for record in records for name in record):
        given = [value for record in records if (value := record.get(name)) not in (None, [], {})]
        if given and all(_is_count(value) for value in given) and _adds_up(name, given):
            words = f"the numbers in {name!r} stand in columns of their own"
            return [(k, _flat(record, name)) for k, record in enumerate(records)], words
        if not given or role_of(singular(name)) != "label":
            continue
        if all(_is_by_rater(value) for value in given) and _recurs(given):
            return list(_from_dicts(records, name)), f"{name!r} holds one label per rater"
        keys = _keys(given)
        if keys is not None:
            return list(_from_lists(records, name, *keys)), f"{name!r} holds a list of ratings"
    return list(enumerate(records)), ""


def _plain_names(records: Sequence[Record]) -> set[str]:
    return {
        name
        for record in records
        for name, value in record.items()
        if value is not None and not isinstance(value, _AROUND) and "," not in str(value)
    }


def _is_by_rater(value: Any) -> bool:
    return isinstance(value, dict) and not any(isinstance(one, dict) for one in value.values())


def _is_count(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in value.values()
    )


def _adds_up(name: str, given: Sequence[dict[str, int]]) -> bool:
    """Tell whether numbers by name are counts: called so, or of one sum in every record."""
    if re.sub(r"[^a-z]", "", name.casefold()) in _COUNTS:
        return True
    sums = {sum(one.values()) for one in given}
    is_label = role_of(singular(name)) == "label"
    varies = len({tuple(sorted(one.items())) for one in given}) > 1
    return (
        is_label and varies and len(given) >= _ENOUGH_RECORDS and len(sums) == 1 and min(sums) > 1
    )


def _flat(record: Record, name: str) -> Record:
    return {**_outside(record, name), **(record.get(name) or {})}


def _recurs(given: Sequence[dict[str, Any]]) -> bool:
    """Tell whether names come back and labels are no shares that sum to one."""
    names = {name for one in given for name in one}
    shares = all(
        abs(sum(v for v in one.values() if isinstance(v, (int, float))) - 1) < 1e-3
        and any(isinstance(v, float) and not v.is_integer() for v in one.values())
        for one in given
    )
    return len(names) < sum(map(len, given)) and not shares


def _keys(given: Sequence[Any]) -> tuple[str, str] | None:
    """Find the fields of rater and label in lists of ratings."""
    ratings = [one for value in given if isinstance(value, list) for one in value]
    if not ratings or not all(isinstance(value, list) for value in given):
        return None
    if not all(isinstance(one, dict) for one in ratings):
        return None
    shared = [name for name in ratings[0] if all(name in one for one in ratings)]
    raters, labels = called(shared, "rater"), called(shared, "label")
    return (raters[0], labels[0]) if raters and labels else None


def _outside(record: Record, name: str) -> Record:
    """Return what else the record says; lists beside the ratings would be taken for ratings."""
    return {
        key: value
        for key, value in record.items()
        if key != name and role_of(singular(key)) not in ("rater", "label")
    }


def _from_dicts(records: Sequence[Record], name: str) -> Iterator[tuple[int, Record]]:
    for k, record in enumerate(records):
        for rater, label in (record.get(name) or {}).items():
            yield k, {**_outside(record, name), "rater": rater, "label": label}


def _from_lists(
    records: Sequence[Record], name: str, rater: str, label: str
) -> Iterator[tuple[int, Record]]:
    for k, record in enumerate(records):
        for one in record.get(name) or ():
            inside = {
                key: value
                for key, value in one.items()
                if key not in (rater, label) and role_of(key) != "item"
            }
            yield k, {**inside, **_outside(record, name), "rater": one[rater], "label": one[label]}


# ---- {name: {name: label}}


def laid_bare(document: Any) -> Any:
    """Take off what is wrapped around ratings.

    An object around one list of records, as in ``{"meta": ..., "items": [...]}``, and objects
    around the labels, as in ``{rater: {item: {"label": label, "confidence": ...}}}``.
    """
    if not isinstance(document, dict):
        return document
    lists = [one for one in document.values() if _is_records(one)]
    if len(lists) == 1 and not any(_is_records(v) for v in document.values() if v is not lists[0]):
        return lists[0]
    inside = [
        one for value in document.values() if isinstance(value, dict) for one in value.values()
    ]
    if not inside or not all(isinstance(one, dict) for one in (*document.values(), *inside)):
        return document
    shared = set.intersection(*(set(one) for one in inside))
    labels = called((name for name in inside[0] if name in shared), "label")
    if len(labels) != 1 or any(isinstance(one[labels[0]], _AROUND) for one in inside):
        return document
    return {
        outer: {inner: one[labels[0]] for inner, one in value.items()}
        for outer, value in document.items()
    }


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


# ---- a table by column, by row, or in lists, as programs write it


def rows_of(document: Any) -> list[Record] | None:
    """Return the rows of a table that was written by its columns; None where it is none.

    Known are ``{column: {row: value}}``, ``{row: {column: value}}``, ``{column: [value, ...]}`` and
    ``{"columns": [...], "data": [[value, ...], ...]}``. In a table columns are of several sorts;
    where all are of one, the names are those of raters and items.
    """
    if not isinstance(document, dict) or len(document) < 2:
        return None
    names, data = document.get("columns"), document.get("data")
    if isinstance(names, list) and isinstance(data, list):
        fits = all(isinstance(row, list) and len(row) == len(names) for row in data)
        return [dict(zip(map(str, names), row, strict=True)) for row in data] if fits else None
    values = list(document.values())
    if all(isinstance(one, list) for one in values):
        table = {str(name): one for name, one in document.items()}
        alike = len({len(one) for one in values}) == 1
        return _turned_over(table) if alike and _has_sorts(table) else None
    if not all(isinstance(one, dict) and one for one in values):
        return None
    inner = dict.fromkeys(name for one in values for name in one)
    by_row = _are_numbers_of_rows(list(document)) or (
        not _are_numbers_of_rows(list(inner)) and _name_columns(inner) > _name_columns(document)
    )
    rows = (
        list(values) if by_row else _turned_over({k: list(v.values()) for k, v in document.items()})
    )
    if not by_row and any(one.keys() != values[0].keys() for one in values):
        return None
    columns = {name: [row.get(name) for row in rows] for name in (inner if by_row else document)}
    told = _are_numbers_of_rows(list(document if by_row else inner)) and _name_columns(columns)
    return rows if told or _has_sorts(columns) else None


def _turned_over(columns: Mapping[str, Sequence[Any]]) -> list[Record]:
    cells = zip(*columns.values(), strict=False)
    return [dict(zip(columns, row, strict=True)) for row in cells]


def _are_numbers_of_rows(names: Sequence[str]) -> bool:
    """Tell whether names count rows, as a frame writes them."""
    return names == [str(k) for k in range(len(names))]


def _name_columns(names: Iterable[str]) -> int:
    """Count the names that say what stands in a column."""
    return sum(role_of(str(name)) is not None and family_of(str(name)) is None for name in names)


def _has_sorts(columns: Mapping[str, Sequence[Any]]) -> bool:
    """Tell whether some columns name or describe what the others rate."""
    found = set()
    for j, (name, cells) in enumerate(columns.items()):
        if any(isinstance(cell, _AROUND) for cell in cells):
            return False
        column = Column(j, str(name), tuple(_cell(cell) or None for cell in cells))
        is_other = column.is_unique and (not column.is_number or column.is_rising)
        is_other = column.is_prose or column.kind == "date" or (is_other and column.filled > 2)
        found.add("other" if is_other else column.kind)
    several = len(found - {"empty"}) > 1
    return several and ("other" in found or _name_columns(columns) > 0)


# ---- two levels of names above labels in JSON: which are the items, and which the raters

Role = Literal["item", "rater"]
_WORD = re.compile(r"[^\W\d_]+(?:[ .'-]+[^\W\d_]+){0,2}\.?")
_SENTENCE = 25  # characters; with several blanks, longer than what a person is called
_LONGEST_NAME = 30
_ENOUGH_NAMES = 5  # names of a kind, before the numbers of their ratings tell anything
_EVEN, _UNEVEN = 0.1, 0.3  # variation in the number of ratings: of items, of raters in a crowd
_MARGIN = 2.0
_MOST_OF_NUMBERS = 3.0
_FULL = 0.5  # share of all pairs that are rated, above which more items than raters is usual


def outer_role(
    document: Mapping[str, Any], told: Role | None = None, where: str = ""
) -> tuple[Role, str]:
    """Say whether the outer names are items or raters, and why; refuse to toss a coin.

    Names that are surely of one kind decide. Otherwise numbers, persons' names, how many there are
    of each and how evenly they were rated are weighed against each other.
    """
    if told is not None:
        return told, "as told"
    inside = [_names_in(value) for value in document.values()]
    outer = [str(name) for name in document]
    inner = list(dict.fromkeys(name for names in inside for name in names))
    sure = {_surely(outer), _turned(_surely(inner))} - {None}
    if len(sure) == 1:
        return ("item" if sure == {"item"} else "rater"), "by the names"
    weight = _likely(outer) - _likely(inner) + _by_numbers(inside, len(outer), len(inner))
    if abs(weight) < _MARGIN:
        raise _unclear(outer, inner, where)
    role: Role = "item" if weight > 0 else "rater"
    more = len(outer) > len(inner)
    why = "as there are more of them" if more else "as there are not more of them than inner ones"
    return role, why if more == (weight > 0) else "by the names"


def _names_in(value: Any) -> list[str]:
    return [str(name) for name in (value if isinstance(value, dict) else range(len(value)))]


def _surely(names: Sequence[str]) -> Role | None:
    if all(MAIL.fullmatch(name) for name in names):
        return "rater"
    names = names if len(names) > 1 else [*names, *names]  # a stem counts from two on
    stems = numbered_roles(names)
    roles = {role_of(re.sub(r"[\W_]*\d+$", "", name)) for name in names}
    if len(stems.get("rater", ())) == len(names) or roles == {"rater"}:
        return "rater"
    if len(stems.get("item", ())) == len(names) or roles == {"item"}:
        return "item"
    models = [looks_like_model(name) for name in names]
    if any(models) and all(map(_is_word_or, names, models)):
        return "rater"
    sentences = sum(len(name) > _SENTENCE and name.count(" ") > 2 for name in names)
    return "item" if sentences * 2 > len(names) else None


def _is_word_or(name: str, is_model: bool) -> bool:
    return is_model or _WORD.fullmatch(name) is not None


def _likely(names: Sequence[str]) -> float:
    """Weigh names: above 0 they sound like items, below 0 like raters."""
    if len(names) > 1 and all(name.isdigit() for name in names):
        return 1.0
    words = all(1 < len(name) <= _LONGEST_NAME and _WORD.fullmatch(name) for name in names)
    if not words:
        return 0.0  # a letter may stand for anything
    return -2.0 if all(name[0].isupper() and not name.isupper() for name in names) else -1.0


def _by_numbers(inside: Sequence[Sequence[str]], n_outer: int, n_inner: int) -> float:
    """Weigh numbers: items are many, and in a crowd each has about as many ratings."""
    counts = [len(names) for names in inside]
    full = sum(counts) / (n_outer * n_inner)
    most = _MOST_OF_NUMBERS if full > _FULL else 1.0
    weight = max(-most, min(most, math.log2(n_outer / n_inner)))
    if min(n_outer, n_inner) < _ENOUGH_NAMES or full > 1 - 1e-9:
        return weight
    outer = pstdev(counts) / mean(counts)
    often = list(Counter(name for names in inside for name in names).values())
    inner = pstdev(often) / mean(often)
    if outer < _EVEN and inner > _UNEVEN:
        return weight + 3.0
    return weight - 3.0 if inner < _EVEN and outer > _UNEVEN else weight


def _turned(role: Role | None) -> Role | None:
    return None if role is None else "rater" if role == "item" else "item"


def _unclear(outer: Sequence[str], inner: Sequence[str], where: str) -> InputError:
    error = InputError.expected(
        "the names in the JSON",
        "clearly those of items or of raters",
        Said(
            f"{len(outer):,} outer names ({_some(outer)}) and {len(inner):,} inner ones "
            f"({_some(inner)})"
        ),
        Words(
            f"if {outer[0]!r} is a rater, pass ",
            Option("shape", "transposed"),
            ", if it is an item, ",
            Option("shape", "wide"),
        ),
        where=where or None,
    )
    offers = (
        Offer(f"raters are {_some(outer)}", {"shape": "transposed"}),
        Offer(f"items are {_some(outer)}", {"shape": "wide"}),
    )
    return AmbiguousTableError.of(error.words, offers)


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(name[:_LONGEST_NAME] for name in names[:3])
    return f"{shown}, ..." if len(names) > 3 else shown


# ---- lists of raters beside lists of their labels, one level down in a record


def hoisted(record: dict[str, Any]) -> dict[str, Any]:
    """Lift lists that name raters and, in the same order, what they said, to the top.

    >>> hoisted({"id": 1, "answers": {"annotators": ["a", "b"], "labels": ["x", "y"]}})
    {'id': 1, 'annotators': ['a', 'b'], 'labels': ['x', 'y']}
    """
    made: dict[str, Any] = {}
    for key, value in record.items():
        if _are_parallel(value) and not set(value) & (set(record) | set(made)):
            made |= value
        else:
            made[key] = value
    return made


def _are_parallel(value: Any) -> bool:
    if not isinstance(value, dict) or len(value) < 2:
        return False
    lists = list(value.values())
    if not all(isinstance(one, list) and len(one) == len(lists[0]) > 0 for one in lists):
        return False
    roles = {role_of(singular(str(key))) for key in value}
    return {"rater", "label"} <= roles


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
    names = {str(new): str(old) for new, old in zip(scratch, paths, strict=True)}

    def locate(row: int) -> str:
        for target, origins in places.items():
            if row < len(origins):
                return f"{names[target]}, record {origins[row] + 1:,}"
            row -= len(origins)
        return str(paths[-1])

    table = load_scratch(
        session, scratch, paths, format="json", header=True, locate=locate, evidence=evidence
    )
    is_long = any(words.startswith((_BY_NAMES, _BY_KIND)) for words in evidence)
    return replace(table, is_long=is_long)


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
    rows = None if request.shape in _OUTER else rows_of(document)
    if rows is not None:
        yield from rows
    elif isinstance(document, list):
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
    roles = {role_of(singular(key)) for key in value} if isinstance(value, dict) else set()
    nested = isinstance(value, dict) and any(
        isinstance(part, (dict, list)) and role_of(singular(key)) == "label"
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
                "every record",
                "an object with named fields",
                record,
                'as in {"item": 1, "rater": "Ann", "label": "yes"}',
                where=f"{path}, record {k + 1:,}",
            )
        yield record


def _from_kinds(document: dict[str, Any], path: Path) -> Iterator[Record]:
    seen: set[str] = set()
    for kind, raters in document.items():
        for rater in raters:
            if rater in seen:
                raise InputError.expected(
                    "a rater",
                    "named once",
                    rater,
                    "give people and systems different names",
                    where=str(path),
                )
            seen.add(rater)
        for record in _from_names(raters, path, "rater", "item"):
            yield {**record, "kind": kind}


def _from_names(document: dict[str, Any], path: Path, outer: str, inner: str) -> Iterator[Record]:
    for name, given in document.items():
        pairs = given.items() if isinstance(given, dict) else enumerate(given)
        for other, label in pairs:
            if isinstance(label, list):
                raise InputError.expected(
                    "a rating",
                    "one label",
                    label,
                    "write repeated runs as records with the same item and rater",
                    where=f"{path}, {name}, {other}",
                )
            names = {outer: name, inner: other}
            yield {"item": names["item"], "rater": names["rater"], "label": label}


# ---- parsing


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
