"""Argilla 2: records with responses by question, nested or flattened into columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from consilience.exceptions import InputError, Option, Words
from consilience.io.bytes._source import Member, Source
from consilience.io.bytes.paths import Said
from consilience.io.platforms._choices import chosen, from_cell, looked_at, odd, parquet_records
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations

_NESTED = frozenset(("id", "fields", "responses", "suggestions"))
_FLAT, _USERS, _STATUS, _PROPOSED = (
    ".responses", ".responses.users", ".responses.status", ".suggestion",
)  # fmt: skip
EXCLUDED = ("draft", "discarded")


@dataclass(frozen=True)
class _Answer:
    """One value for one question of one record."""

    item: object
    rater: object
    question: str
    value: Any
    place: str
    status: str | None = None
    kind: str = "person"
    text: object = None


@export(
    "argilla",
    title="Argilla 2 (JSON, JSON lines, CSV, Parquet)",
    suffixes=(".json", ".jsonl", ".csv", ".parquet"),
    label_names="variables",
)
class Argilla:
    """Labels, several labels, ratings and rankings."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for responses by question, or for pairs of columns with values and users."""
        for one in looked_at(sample, (".json", ".jsonl", ".csv"), most=1):
            records = one.records()
            if records and all(
                record.keys() >= _NESTED and isinstance(record["responses"], dict)
                for record in records
            ):
                return "every record has fields, responses and suggestions"
            names = set(one.columns() or one.parquet_columns())
            names = names or {name for record in records for name in record}
            questions = [name for name in names if name.endswith(_USERS)]
            if questions and all(name.removesuffix(".users") in names for name in questions):
                return f"columns with responses and their users ({sorted(questions)[0]})"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every response and every suggestion."""
        answers = list(answers_in(source.members, options))
        rankings = _rankings(answers)
        found = Annotations(roles={"item": "id", "rater": "user_id"})
        spans = {answer.question for answer in answers if is_spans(answer.value)}
        for answer in (*answers, *_skipped(answers)):
            if answer.question not in spans:
                found.add(
                    answer.item, answer.rater, _label(answer, rankings), variable=answer.question,
                    kind=answer.kind, text=answer.text, place=answer.place,
                    reason=answer.status if answer.status in EXCLUDED else "",
                )  # fmt: skip
        _propose_scales(found)
        _tell(found, answers, rankings, spans, source.where)
        return found


def _skipped(answers: list[_Answer]) -> Iterator[_Answer]:
    """Yield the questions without an answer in responses that have answers to others.

    A response is about all questions of a record: whoever left one out was asked all the same.
    """
    questions = dict.fromkeys(answer.question for answer in answers if answer.kind == "person")
    responses: dict[tuple[object, object], dict[str, _Answer]] = {}
    for answer in answers:
        if answer.kind == "person":
            responses.setdefault((answer.item, answer.rater), {})[answer.question] = answer
    for given in responses.values():
        like = next(iter(given.values()))
        for question in questions:
            if question not in given:
                yield replace(like, question=question, value=None)


def answers_in(members: Iterable[Member], options: ExportOptions) -> Iterator[_Answer]:
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


def _nested(record: dict[str, Any], place: str, options: ExportOptions) -> Iterator[_Answer]:
    item, text = _item(record, place, options), _text(record.get("fields"))
    for question, responses in record["responses"].items():
        if not isinstance(responses, list):
            raise odd(f"the responses to {question!r}", "a list", responses, place)
        for one in responses:
            if not isinstance(one, dict) or not isinstance(one.get("user_id"), (str, int)):
                raise odd("every response", "one with value and user_id", one, place)
            status = one.get("status")
            yield _Answer(item, one["user_id"], question, one.get("value"), place,
                          str(status) if status else None, text=text)  # fmt: skip
    proposals = record.get("suggestions") or {}
    if not isinstance(proposals, dict):
        raise odd("suggestions", "an object", proposals, place)
    for question, one in proposals.items():
        if isinstance(one, dict) and one.get("value") is not None:
            agent = one.get("agent") or "suggestion"
            yield _Answer(item, agent, question, one["value"], place, kind="prediction")


def _flat(record: dict[str, Any], place: str, options: ExportOptions) -> Iterator[_Answer]:
    item = _item(record, place, options)
    for name, values in record.items():
        if name.endswith(_PROPOSED) and values is not None:
            agent = record.get(f"{name}.agent") or "suggestion"
            yield _Answer(item, agent, name.removesuffix(_PROPOSED), values, place,
                          kind="prediction")  # fmt: skip
        if not name.endswith(_FLAT) or values is None:
            continue
        question = name.removesuffix(_FLAT)
        users, status = record.get(question + _USERS), record.get(question + _STATUS)
        if not isinstance(values, list) or not isinstance(users, list):
            raise odd(f"{name} and {question}{_USERS}", "lists", values, place)
        told = status if isinstance(status, list) else [None] * len(values)
        if not len(values) == len(users) == len(told):
            raise InputError.expected(
                f"{name}, its users and its status", "lists of one length",
                (len(values), len(users), len(told)), "check the export", where=place,
            )  # fmt: skip
        for value, user, word in zip(values, users, told, strict=True):
            if not isinstance(user, (str, int)):
                raise odd("every user", "a text", user, place)
            yield _Answer(item, user, question, value, place, str(word) if word else None)


# -------------------------------------------------------------------- values


def is_spans(value: object) -> bool:
    """Tell whether an answer is a list of spans."""
    return isinstance(value, list) and any(
        isinstance(part, dict) and "start" in part and "end" in part for part in value
    )


def _is_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(part, (str, int)) for part in value)


def _rankings(answers: list[_Answer]) -> set[str]:
    """Return the questions whose lists always hold the same options: these are put in order."""
    lists: dict[str, list[tuple[object, ...]]] = {}
    for answer in answers:
        if _is_words(answer.value):
            lists.setdefault(answer.question, []).append(tuple(answer.value))
    return {
        question
        for question, values in lists.items()
        if len({frozenset(value) for value in values}) == 1
        and len(values[0]) > 1
        and len(set(values)) > 1
    }


def _label(answer: _Answer, rankings: set[str]) -> object:
    value = answer.value
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, list) and all(isinstance(p, dict) and "rank" in p for p in value):
        ranked = sorted(value, key=lambda part: (str(type(part["rank"])), part["rank"]))
        return tuple(str(part.get("value")) for part in ranked) or None
    if not _is_words(value):
        raise odd(
            f"a response to {answer.question!r}", "a label, a number or a list", value, answer.place
        )
    return tuple(value) if answer.question in rankings else chosen(map(str, value))


def _propose_scales(found: Annotations) -> None:
    kinds: dict[str, set[type]] = {}
    for variable, label in zip(found.variable, found.label, strict=True):
        if label is not None:
            kinds.setdefault(variable, set()).add(type(label))
    found.scales.update({name: "ordinal" for name, types in kinds.items() if types == {int}})


def _tell(
    found: Annotations, answers: list[_Answer], rankings: set[str], spans: set[str], where: str
) -> None:
    marked = sum(answer.question in spans for answer in answers)
    if spans and not len(found):
        raise InputError.expected(
            "the export", "filled with labels", Said(f"{marked:,} answers of spans"),
            "compare spans with `consilience units`", where=where,
        )  # fmt: skip
    unknown = sum(answer.kind == "person" and answer.status is None for answer in answers)
    if unknown:
        found.note(
            "status_unknown",
            f"{unknown:,} answers do not say whether they were submitted, so drafts and "
            "discarded ones may be among them. Export with to_list(flatten=True), which says it.",
        )
    if rankings:
        names = ", ".join(sorted(rankings))
        found.evidence.append(f"rankings: {names} (every answer holds the same options)")
    if spans:
        found.note(
            "spans_not_read",
            f"{marked:,} answers to {', '.join(sorted(spans))} are spans and were not read. "
            "Compare them with `consilience units`.",
        )
