"""Potato: the folder of user states, and the CSV, TSV and JSON lines that it writes from them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.events.unit_files import File
from consilience.io.exports._records_and_cells import (
    checked_object,
    chosen,
    object_in,
    odd,
    parquet_records,
)
from consilience.io.exports._spans_from_entries import fields, marks, wrong
from consilience.io.exports.export_entries import CONTROL_ITEMS, Annotations, Marked
from consilience.io.exports.registry import ExportOptions, Sample, export
from consilience.io.files.source import Member, Source

_STATE = "user_state.json"
_LABELS, _SPANS = "instance_id_to_label_to_value", "instance_id_to_span_to_value"
_BESIDE = ("._spans", "._room", "._room_id")
# Questions with one field: the field's name says nothing, its value is the answer.
_FIELDS = frozenset(("select-one", "slider", "_data", "number", "range_value", ""))
_PROSE = frozenset(("free_response", "text_box", "textbox", "other"))
_FALSE = frozenset(("", "false", "none", "null", "0", "off"))
_POINT = re.compile(r"(?:scale[_ ]?)?(-?\d+)")
_limits = fields("start", "end", "name")
_WHOLE = "they are about the whole item: use measure"
_CHECK = re.compile(r"attention|gold|screener|training", re.IGNORECASE)


@dataclass
class _Done:
    """What one rater did with one item.

    `answers` lead from a question to its options to their values; `spans` are as the file has
    them.
    """

    item: str
    rater: str
    answers: dict[str, dict[str, Any]]
    place: str
    changes: list[dict[str, Any]] = field(default_factory=list)
    spans: Any = None


def _has_spans(file: File) -> bool:
    is_state = f'"{_LABELS}"' in file.head and '"user_id"' in file.head
    return file.path.name == _STATE or is_state


@marks(
    "potato",
    title="the state of a Potato user",
    suffixes=(".json",),
    rules=("annotator", "folder", "file"),
    recognise=_has_spans,
)
@export(
    "potato",
    title="Potato (user states, CSV, TSV, JSON lines, Parquet)",
    suffixes=(".json", ".jsonl", ".csv", ".tsv", ".parquet"),
    label_names="variables",
)
class Potato:
    """Radio buttons, scales, several choices, menus, sliders and numbers; spans of states."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for a user's state, or for rows by item and user with a column per option."""
        names = sample.members()
        states = [name for name in names if name.rpartition("/")[2] == _STATE]
        if states:
            sample = sample.member(states[0])
        elif names:
            return None
        for record in sample.records()[:1]:
            if "user_id" in record and isinstance(record.get(_LABELS), dict):
                return "the state of a user, with labels by item"
            if record.keys() >= {"instance_id", "user_id", "labels", "spans"}:
                return "every record has instance_id, user_id, labels and spans"
        columns = sample.columns() or sample.parquet_columns()
        if {"instance_id", "user_id"} <= set(columns) and any("." in name for name in columns):
            return "the columns instance_id and user_id, and one for each option"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read the users' states, or all files where there are none."""
        states = [one for one in source.members if one.name.rpartition("/")[2] == _STATE]
        members = states or source.members
        if options.wanted == "marks":
            return _marked(members, options)
        return _labelled([one for member in members for one in _done(member, options)])


# ---- what each user did


def _done(member: Member, options: ExportOptions) -> Iterator[_Done]:
    """Yield every user's work on every item."""
    if member.head(4) == b"PAR1":
        for place, record in parquet_records(Path(member.where)):
            yield _row({name: _as_cell(value) for name, value in record.items()}, place)
        return
    if member.suffix in (".csv", ".tsv"):
        table = member.table(delimiter=options.delimiter, encoding=options.encoding)
        for place, row in table.records():
            yield _row(row, place)
        return
    for place, record in member.records(encoding=options.encoding):
        if _LABELS in record:
            yield from _state(record, place)
        elif isinstance(record.get("labels"), dict):
            answers = {name: _options(value) for name, value in record["labels"].items()}
            yield _Done(*_names(record, place), answers, place, spans=record.get("spans"))
        else:
            needed, got = "the state of a user, or rows by item and user", sorted(record)[:8]
            hint = "name the folder with the users' folders"
            raise InputError.expected("every file", needed, got, hint, where=place)


def _as_cell(value: object) -> str:
    """Write a value of a Parquet file as it stands in the other tables."""
    if value is None or value is False:
        return ""
    return "true" if value is True else str(value)


def _named(value: object, what: str, place: str) -> str:
    if isinstance(value, (str, int)) and str(value).strip():
        return str(value)
    raise odd(what, "a name", value, place)


def _names(record: dict[str, Any], place: str) -> tuple[str, str]:
    """Return who did something with which item, the item first."""
    item, rater = (_named(record.get(name), name, place) for name in ("instance_id", "user_id"))
    return item, rater


def _options(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {"": value}


def _row(row: dict[str, str], place: str) -> _Done:
    answers: dict[str, dict[str, Any]] = {}
    spans = []
    for name, cell in row.items():
        if name in ("instance_id", "user_id") or name.startswith("annotator_origin"):
            continue
        if name.endswith(_BESIDE):
            spans += [cell] if name.endswith(_BESIDE[0]) and cell not in ("", "[]") else []
            continue
        question, _, option = name.partition(".")
        answers.setdefault(question, {})[option] = cell
    for found in answers.values():
        if len(found) > 1:
            found.pop("", None)  # a column that repeats which of the options was the last
    return _Done(*_names(row, place), answers, place, spans=spans)


def _state(record: dict[str, Any], place: str) -> Iterator[_Done]:
    rater = _named(record.get("user_id"), "user_id", place)
    answered, spans = record[_LABELS], record.get(_SPANS) or {}
    checked_object(answered, _LABELS, place)
    checked_object(spans, _SPANS, place)
    behaviour = object_in(record.get("instance_id_to_behavioral_data"))
    # What was watched or marked was shown, even if nothing was answered there.
    for item in dict.fromkeys((*behaviour, *answered, *spans)):
        listed = object_in(behaviour.get(item)).get("annotation_changes")
        changes = [x for x in listed if isinstance(x, dict)] if isinstance(listed, list) else []
        answers = _pairs(answered.get(item, []), place)
        yield _Done(item, rater, answers, place, changes, spans.get(item))


def _pairs(pairs: object, place: str) -> dict[str, dict[str, Any]]:
    """Return question to option to value; on disk it is a list of pairs, in the manual a dict."""
    answers: dict[str, dict[str, Any]] = {}
    if isinstance(pairs, dict):
        return {str(name): _options(value) for name, value in pairs.items()}
    if not isinstance(pairs, list):
        raise odd("the labels of an item", "a list of pairs", pairs, place)
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], dict):
            raise odd("a label", "a pair of its name and its value", pair, place)
        question, option = pair[0].get("schema"), pair[0].get("name", "")
        if not isinstance(question, str) or not isinstance(option, str):
            raise odd("the name of a label", "a schema and a name", question, place)
        answers.setdefault(question, {})[option] = pair[1]
    return answers


# ---- spans


def _marked(members: Sequence[Member], options: ExportOptions) -> Annotations:
    """Return the spans of every user: a tier for each schema, the name of a span is its label."""
    found = Annotations()
    users: dict[str, list[_Done]] = {}
    for member in members:
        if f'"{_SPANS}"' not in member.text(encoding=options.encoding):
            expectation = f"one with user_id and {_SPANS}"
            raise wrong(member.where, "the state of a user", expectation, Said("another object"))
        for done in _done(member, options):
            users.setdefault(done.rater, []).append(done)
    for work in users.values():
        spans = [_by_schema(done) for done in work]
        for done, by_schema in zip(work, spans, strict=True):
            # Every schema was seen, whether or not something was marked.
            for schema in [*dict.fromkeys(name for one in spans for name in one)] or ["spans"]:
                given = by_schema.get(schema, [])
                one = Marked(done.item, done.rater, given, _limits, done.place, schema)
                one.is_entry = False
                found.marked.append(one)
            many = bool(done.answers)
            found.mark_ledger.set_aside("answers", "", many, reason=_WHOLE, matters=False)
    return found


def _by_schema(done: _Done) -> dict[str, list[Any]]:
    """Return the spans by schema; they are the first halves of pairs."""
    if not isinstance(done.spans or [], list):
        raise wrong(done.place, "the spans of an item", "a list of pairs", Said("another value"))
    found: dict[str, list[Any]] = {}
    for pair in done.spans or []:
        span = pair[0] if isinstance(pair, list) and pair else None
        if not isinstance(span, dict):
            expectation = "a pair of its place and its value"
            raise wrong(done.place, "a span", expectation, Said("another value"))
        found.setdefault(str(span.get("schema")), []).append(span)
    return found


# ---- answers


def _labelled(works: list[_Done]) -> Annotations:
    """Return one entry per item, rater and question that was asked."""
    options: dict[str, set[str]] = {}
    for done in works:
        for question, values in done.answers.items():
            options.setdefault(question, set()).update(values)
    prose = {name for name, names in options.items() if names and names <= _PROSE}
    points = {name for name, names in options.items() if _are_points(names)}
    found = Annotations(
        scales=dict.fromkeys(sorted(points), "ordinal"),
        roles={"item": "instance_id", "rater": "user_id"},
    )
    for done in works:
        for name in options:
            if name not in prose:
                label, why = _label(name, done, name in points)
                found.add(done.item, done.rater, label, variable=name, reason=why, place=done.place)
    _tell(found, prose, any(done.spans for done in works))
    return found


def _are_points(names: set[str]) -> bool:
    return bool(names) and all(_POINT.fullmatch(name) for name in names)


def _is_chosen(option: str, value: object) -> bool:
    return value == option or str(value).strip().lower() not in _FALSE


def _label(question: str, done: _Done, is_scale: bool) -> tuple[object, str]:
    """Return the label, and why it does not count if it does not."""
    values = done.answers.get(question, {})
    own = [name for name in values if name in _FIELDS]
    if own and len(values) == len(own):
        value = values[own[-1]]
        return (value if isinstance(value, (str, int, float)) else None), ""
    picked = [
        name
        for name, value in values.items()
        if name not in _FIELDS | _PROSE and _is_chosen(name, value)
    ]
    if not is_scale:
        return chosen(picked), ""
    if len(picked) > 1:
        last = _last_touched(question, picked, done.changes)
        if last is None:
            return None, "ambiguous"
        picked = [last]
    found = _POINT.fullmatch(picked[0]) if picked else None
    return (int(found[1]) if found else None), ""


def _last_touched(question: str, options: list[str], changes: list[dict[str, Any]]) -> str | None:
    """Return the option that was selected last, where the times are known."""
    times = [
        (change["timestamp"], str(change["label_name"]))
        for change in changes
        if change.get("schema_name") == question
        and change.get("action") in ("select", "update")
        and change.get("label_name") in options
        and isinstance(change.get("timestamp"), (int, float))
    ]
    return max(times)[1] if times else None


def _tell(found: Annotations, prose: set[str], has_spans: bool) -> None:
    unclear = found.reason.count("ambiguous")
    if unclear:
        found.note(
            "several_points",
            f"{unclear:,} answers hold several points of one scale, in the order in which "
            "they were first touched: which was meant is unknown, and they were excluded.",
        )
    labels = zip(found.variable, found.label, strict=True)
    several = {variable for variable, label in labels if isinstance(label, frozenset)}
    if several:
        found.note(
            "perhaps_one_choice",
            f"Several options were chosen at once in {', '.join(sorted(several))}. If only "
            "one may be chosen there, the file is from a version that kept changed answers: "
            "repair it with Potato's repair-annotations.",
        )
    found.control = {item for item in found.item if _CHECK.search(str(item))}
    if found.control:
        found.note(
            CONTROL_ITEMS,
            f"{len(found.control):,} items are named like attention checks, gold or training "
            'items and count like any other. To leave them out, pass gold="leave_out_items" '
            "(--gold-answers leave_out_items).",
        )
    if has_spans:
        found.note("spans_not_read", "Spans were not read. Compare them with `consilience units`.")
    if prose:
        found.note("free_text_not_read", f"Free text was not read: {', '.join(sorted(prose))}.")
