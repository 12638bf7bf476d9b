"""doccano: one file per member, an example a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import InputError, Option, Words
from consilience.io.bytes._source import Member
from consilience.io.platforms._choices import odd
from consilience.io.platforms._export_registry import ExportOptions

SHOWN = ("text", "data", "filename")
_MERGED = ("all", "unknown")  # a shared project's file: everybody's labels, nobody's name


@dataclass(frozen=True)
class Example:
    """One example as one member left it; `spans` are None where whole examples are labelled."""

    item: str | int
    text: str | None
    record: dict[str, Any]
    spans: list[Any] | None
    place: str


def check_members(members: Sequence[Member], where: str) -> None:
    """Refuse the file of a shared project."""
    if all(member.stem in _MERGED for member in members):
        raise InputError.expected(
            "a doccano export", "one file per member", Said("the labels of all members in one"),
            "switch off sharing of annotations across all users in the project's settings, "
            "and export again", where=where,
        )  # fmt: skip


def examples_in(member: Member, options: ExportOptions) -> list[Example]:
    """Return all examples, opened or not."""
    name = options.item or "id"
    found = []
    for place, record in _records(member, options):
        item = record.get(name)
        if not isinstance(item, (str, int)):
            raise odd("every example", f"one with {name}", item, place,
                      Words("name the field with ", Option("item")))  # fmt: skip
        text = next((record[key] for key in SHOWN if isinstance(record.get(key), str)), None)
        found.append(Example(item, text, record, _spans(record, place), place))
    return found


def n_opened(are_filled: Sequence[bool]) -> int:
    """Return how many examples were opened: those at the end without a label never were."""
    return max((k for k, is_filled in enumerate(are_filled, 1) if is_filled), default=0)


def _records(member: Member, options: ExportOptions) -> list[tuple[str, dict[str, Any]]]:
    if member.suffix != ".csv":
        return member.records(encoding=options.encoding)
    table = member.table(delimiter=options.delimiter, encoding=options.encoding)
    found: list[tuple[str, dict[str, Any]]] = []
    for place, row in table.records():
        labels = [part.strip() for part in row.get("label", "").split("#")]
        found.append((place, {**row, "label": [part for part in labels if part]}))
    return found


def _spans(record: dict[str, Any], place: str) -> list[Any] | None:
    """Return spans or boxes, which stand where other projects have labels."""
    if "cats" in record:
        return None
    for name in ("entities", "bbox"):
        if name in record:
            if not isinstance(record[name] or [], list):
                raise odd(name, "a list", record[name], place)
            return record[name] or []
    value = record.get("label")
    is_spans = isinstance(value, list) and any(isinstance(part, (list, dict)) for part in value)
    return value if is_spans else None
