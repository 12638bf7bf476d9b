"""Potato: what each user did with each item, from users' states and the tables made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from consilience.exceptions import InputError
from consilience.io.bytes._source import Member, Source
from consilience.io.platforms._choices import odd, parquet_records
from consilience.io.platforms._export_registry import ExportOptions

STATE = "user_state.json"
LABELS, SPANS = "instance_id_to_label_to_value", "instance_id_to_span_to_value"
_BESIDE = ("._spans", "._room", "._room_id")


@dataclass
class Done:
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


def chosen_members(source: Source) -> list[Member]:
    """Return the users' states, or all files where there are none."""
    states = [one for one in source.members if one.name.rpartition("/")[2] == STATE]
    return states or list(source.members)


def done_in(member: Member, options: ExportOptions) -> Iterator[Done]:
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
        if LABELS in record:
            yield from _state(record, place)
        elif isinstance(record.get("labels"), dict):
            yield Done(
                _named(record.get("instance_id"), "instance_id", place),
                _named(record.get("user_id"), "user_id", place),
                {name: _options(value) for name, value in record["labels"].items()},
                place,
                spans=record.get("spans"),
            )
        else:
            raise InputError.expected(
                "every file", "the state of a user, or rows by item and user",
                sorted(record)[:8], "name the folder with the users' folders", where=place,
            )  # fmt: skip


def _as_cell(value: object) -> str:
    """Write a value of a Parquet file as it stands in the other tables."""
    if value is None or value is False:
        return ""
    return "true" if value is True else str(value)


def _named(value: object, what: str, place: str) -> str:
    if isinstance(value, (str, int)) and str(value).strip():
        return str(value)
    raise odd(what, "a name", value, place)


def _options(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {"": value}


def _row(row: dict[str, str], place: str) -> Done:
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
    return Done(
        _named(row.get("instance_id"), "instance_id", place),
        _named(row.get("user_id"), "user_id", place),
        answers,
        place,
        spans=spans,
    )


def _state(record: dict[str, Any], place: str) -> Iterator[Done]:
    rater = _named(record.get("user_id"), "user_id", place)
    answered, spans = record[LABELS], record.get(SPANS) or {}
    for name, given in ((LABELS, answered), (SPANS, spans)):
        if not isinstance(given, dict):
            raise odd(name, "an object", given, place)
    watched = record.get("instance_id_to_behavioral_data")
    behaviour = watched if isinstance(watched, dict) else {}
    # What was watched or marked was shown, even if nothing was answered there.
    for item in dict.fromkeys((*behaviour, *answered, *spans)):
        data = behaviour.get(item)
        changes = data.get("annotation_changes") if isinstance(data, dict) else None
        listed = changes if isinstance(changes, list) else []
        yield Done(
            item, rater, _pairs(answered.get(item, []), place), place,
            changes=[one for one in listed if isinstance(one, dict)],
            spans=spans.get(item),
        )  # fmt: skip


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
