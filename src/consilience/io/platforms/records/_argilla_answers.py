"""Argilla 2: every response and every suggestion, from records nested or flattened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.exceptions import InputError, Option, Words
from consilience.io.bytes._source import Member
from consilience.io.platforms._choices import from_cell, odd, parquet_records
from consilience.io.platforms._export_registry import ExportOptions

USERS = ".responses.users"
EXCLUDED = ("draft", "discarded")
_FLAT, _STATUS, _PROPOSED = ".responses", ".responses.status", ".suggestion"


@dataclass(frozen=True)
class Answer:
    """One value for one question of one record."""

    item: object
    rater: object
    question: str
    value: Any
    place: str
    status: str | None = None
    kind: str = "person"
    text: object = None


def answers_in(members: Iterable[Member], options: ExportOptions) -> Iterator[Answer]:
    """Yield every response and every suggestion."""
    for member in members:
        if member.head(4) == b"PAR1":
            records = list(parquet_records(Path(member.where)))
        elif member.suffix in (".csv", ".tsv"):
            table = member.table(delimiter=options.delimiter, encoding=options.encoding)
            records = [
                (place, {name: from_cell(cell, place) or None for name, cell in row.items()})
                for place, row in table.records()
            ]
        else:
            records = member.records(encoding=options.encoding)
        for place, record in records:
            if isinstance(record.get("responses"), dict):
                yield from _nested(record, place, options)
            else:
                yield from _flat(record, place, options)


def _item(record: dict[str, Any], place: str, options: ExportOptions) -> object:
    name = options.item or "id"
    parts = (record, record.get("fields"), record.get("metadata"))
    found = (part.get(name) for part in parts if isinstance(part, dict))
    item = next((value for value in found if value is not None), None)
    if isinstance(item, (str, int)):
        return item
    raise InputError.expected(
        "every record", f"one with {name}", sorted(record)[:12],
        Words("name the field with ", Option("item")), where=place,
    )  # fmt: skip


def _text(fields: object) -> object:
    values = fields.values() if isinstance(fields, dict) else ()
    return next((value for value in values if isinstance(value, str)), None)


def _nested(record: dict[str, Any], place: str, options: ExportOptions) -> Iterator[Answer]:
    item, text = _item(record, place, options), _text(record.get("fields"))
    for question, responses in record["responses"].items():
        if not isinstance(responses, list):
            raise odd(f"the responses to {question!r}", "a list", responses, place)
        for one in responses:
            if not isinstance(one, dict) or not isinstance(one.get("user_id"), (str, int)):
                raise odd("every response", "one with value and user_id", one, place)
            status = one.get("status")
            yield Answer(item, one["user_id"], question, one.get("value"), place,
                          str(status) if status else None, text=text)  # fmt: skip
    proposals = record.get("suggestions") or {}
    if not isinstance(proposals, dict):
        raise odd("suggestions", "an object", proposals, place)
    for question, one in proposals.items():
        if isinstance(one, dict) and one.get("value") is not None:
            agent = one.get("agent") or "suggestion"
            yield Answer(item, agent, question, one["value"], place, kind="prediction")


def _flat(record: dict[str, Any], place: str, options: ExportOptions) -> Iterator[Answer]:
    item = _item(record, place, options)
    for name, values in record.items():
        if name.endswith(_PROPOSED) and values is not None:
            agent = record.get(f"{name}.agent") or "suggestion"
            yield Answer(item, agent, name.removesuffix(_PROPOSED), values, place,
                          kind="prediction")  # fmt: skip
        if not name.endswith(_FLAT) or values is None:
            continue
        question = name.removesuffix(_FLAT)
        users, status = record.get(question + USERS), record.get(question + _STATUS)
        if not isinstance(values, list) or not isinstance(users, list):
            raise odd(f"{name} and {question}{USERS}", "lists", values, place)
        told = status if isinstance(status, list) else [None] * len(values)
        if not len(values) == len(users) == len(told):
            raise InputError.expected(
                f"{name}, its users and its status", "lists of one length",
                (len(values), len(users), len(told)), "check the export", where=place,
            )  # fmt: skip
        for value, user, word in zip(values, users, told, strict=True):
            if not isinstance(user, (str, int)):
                raise odd("every user", "a text", user, place)
            yield Answer(item, user, question, value, place, str(word) if word else None)


def is_spans(value: object) -> bool:
    """Tell whether an answer is a list of spans."""
    return isinstance(value, list) and any(
        isinstance(part, dict) and "start" in part and "end" in part for part in value
    )
