"""Argilla 2: records with responses by question, nested or flattened into columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import InputError, Option, Words
from consilience.io.events.unit_files import File
from consilience.io.exports._records_and_cells import (
    checked_list,
    checked_object,
    chosen,
    looked_at,
    odd,
    records_of,
)
from consilience.io.exports._spans_from_entries import COMPARE_SPANS, fields, marks, wrong
from consilience.io.exports.export_entries import Annotations, Marked
from consilience.io.exports.registry import ExportOptions, Sample, export
from consilience.io.files.limits import refused
from consilience.io.files.source import Source

_NESTED = frozenset(("id", "fields", "responses", "suggestions"))
_FLAT, _USERS, _STATUS = ".responses", ".responses.users", ".responses.status"
_PROPOSED = ".suggestion"
_EXCLUDED = ("draft", "discarded")
_limits = fields("start", "end", "label")


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

    @property
    def reason(self) -> str:
        """Why it does not count, if so."""
        return self.status if self.status in _EXCLUDED else ""

    @property
    def is_spans(self) -> bool:
        """Whether it is a list of spans."""
        return isinstance(self.value, list) and any(
            isinstance(part, dict) and "start" in part and "end" in part for part in self.value
        )

    @property
    def is_words(self) -> bool:
        """Whether it is a list of labels."""
        return isinstance(self.value, list) and all(isinstance(x, (str, int)) for x in self.value)


def _has_spans(file: File) -> bool:
    nested = all(f'"{name}"' in file.head for name in ("fields", "responses", "suggestions"))
    return file.head.lstrip()[:1] in ("[", "{") and (nested or f'{_USERS}"' in file.head)


@marks(
    "argilla",
    title="an Argilla export of spans",
    suffixes=(".json", ".jsonl"),
    recognise=_has_spans,
)
@export(
    "argilla",
    title="Argilla 2 (JSON, JSON lines, CSV, Parquet)",
    suffixes=(".json", ".jsonl", ".csv", ".parquet"),
    label_names="variables",
)
class Argilla:
    """Labels, several labels, ratings and rankings; spans are marks."""

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
        answers = list(_answers(source, options))
        spans = {answer.question for answer in answers if answer.is_spans}
        if options.wanted == "marks":
            return _marked(answers, spans, source.where)
        rankings = _rankings(answers)
        found = Annotations(roles={"item": "id", "rater": "user_id"})
        for answer in (*answers, *_skipped(answers)):
            if answer.question not in spans:
                found.add(
                    answer.item,
                    answer.rater,
                    _label(answer, rankings),
                    variable=answer.question,
                    kind=answer.kind,
                    text=answer.text,
                    place=answer.place,
                    reason=answer.reason,
                )
        _propose_scales(found)
        _tell(found, answers, rankings, spans, source.where)
        return found


# ---- answers


def _answers(source: Source, options: ExportOptions) -> Iterator[_Answer]:
    for place, record in records_of(source, options):
        item = _item(record, place, options)
        if isinstance(record.get("responses"), dict):
            yield from _nested(record, item, place)
        else:
            yield from _flat(record, item, place)


def _item(record: dict[str, Any], place: str, options: ExportOptions) -> object:
    name = options.item or "id"
    parts = (record, record.get("fields"), record.get("metadata"))
    found = (part.get(name) for part in parts if isinstance(part, dict))
    item = next((value for value in found if value is not None), None)
    if isinstance(item, (str, int)):
        return item
    got, hint = sorted(record)[:12], Words("name the field with ", Option("item"))
    raise InputError.expected("every record", f"one with {name}", got, hint, where=place)


def _nested(record: dict[str, Any], item: object, place: str) -> Iterator[_Answer]:
    shown = record.get("fields")
    texts = shown.values() if isinstance(shown, dict) else ()
    text = next((value for value in texts if isinstance(value, str)), None)
    for question, responses in record["responses"].items():
        for one in checked_list(responses, f"the responses to {question!r}", place):
            if not isinstance(one, dict) or not isinstance(one.get("user_id"), (str, int)):
                raise odd("every response", "one with value and user_id", one, place)
            status = str(one.get("status") or "") or None
            value = one.get("value")
            yield _Answer(item, one["user_id"], question, value, place, status, text=text)
    proposals = checked_object(record.get("suggestions") or {}, "suggestions", place)
    for question, one in proposals.items():
        if isinstance(one, dict) and one.get("value") is not None:
            agent = one.get("agent") or "suggestion"
            yield _Answer(item, agent, question, one["value"], place, kind="prediction")


def _flat(record: dict[str, Any], item: object, place: str) -> Iterator[_Answer]:
    for name, values in record.items():
        if name.endswith(_PROPOSED) and values is not None:
            agent = record.get(f"{name}.agent") or "suggestion"
            question = name.removesuffix(_PROPOSED)
            yield _Answer(item, agent, question, values, place, kind="prediction")
        if not name.endswith(_FLAT) or values is None:
            continue
        question = name.removesuffix(_FLAT)
        users, status = record.get(question + _USERS), record.get(question + _STATUS)
        if not isinstance(values, list) or not isinstance(users, list):
            raise odd(f"{name} and {question}{_USERS}", "lists", values, place)
        told = status if isinstance(status, list) else [None] * len(values)
        if not len(values) == len(users) == len(told):
            got, what = (len(values), len(users), len(told)), f"{name}, its users and its status"
            raise wrong(place, what, "lists of one length", got)
        for value, user, word in zip(values, users, told, strict=True):
            if not isinstance(user, (str, int)):
                raise odd("every user", "a text", user, place)
            yield _Answer(item, user, question, value, place, str(word) if word else None)


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


# ---- spans


def _marked(answers: list[_Answer], spans: set[str], where: str) -> Annotations:
    """Return the submitted spans: a tier for each question."""
    if not spans:
        raise wrong(where, "the export", "one with answers of spans", Said("none"))
    found = Annotations()
    for one in answers:
        if one.question not in spans:
            why = "they answer no question of spans"
            found.mark_ledger.set_aside("entries", one.question, reason=why, matters=False)
            continue
        given = one.value if isinstance(one.value, list) else []
        if one.kind != "person" or one.reason:
            what = "suggestions" if one.kind != "person" else f"{one.reason} responses"
            found.leave(what, {"units": len(given)})
            continue
        found.marked.append(
            Marked(one.item, one.rater, given, _limits, one.place, one.question, one.text)
        )
    told = [one.status for one in answers if one.kind == "person" and one.question in spans]
    _warn_of_status(found, "responses", told.count(None), ".")
    return found


# ---- labels


def _rankings(answers: list[_Answer]) -> set[str]:
    """Return the questions whose lists always hold the same options: these are put in order."""
    lists: dict[str, list[tuple[object, ...]]] = {}
    for answer in answers:
        if answer.is_words:
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
    if not answer.is_words:
        what = f"a response to {answer.question!r}"
        raise odd(what, "a label, a number or a list", value, answer.place)
    return tuple(value) if answer.question in rankings else chosen(map(str, value))


def _propose_scales(found: Annotations) -> None:
    kinds: dict[str, set[type]] = {}
    for variable, label in zip(found.variable, found.label, strict=True):
        if label is not None:
            kinds.setdefault(variable, set()).add(type(label))
    found.scales.update({name: "ordinal" for name, types in kinds.items() if types == {int}})


def _warn_of_status(found: Annotations, what: str, number: int, end: str) -> None:
    if number:
        found.note(
            "status_unknown",
            f"{number:,} {what} do not say whether they were submitted, so drafts and discarded "
            f"ones may be among them. Export with to_list(flatten=True){end}",
        )


def _tell(
    found: Annotations, answers: list[_Answer], rankings: set[str], spans: set[str], where: str
) -> None:
    marked = sum(answer.question in spans for answer in answers)
    if spans and not len(found):
        got = f"{marked:,} answers of spans"
        raise refused(where, "the export", "filled with labels", got, COMPARE_SPANS)
    told = [answer.status for answer in answers if answer.kind == "person"]
    _warn_of_status(found, "answers", told.count(None), ", which says it.")
    if rankings:
        names = ", ".join(sorted(rankings))
        found.evidence.append(f"rankings: {names} (every answer holds the same options)")
    if spans:
        found.note(
            "spans_not_read",
            f"{marked:,} answers to {', '.join(sorted(spans))} are spans and were not read. "
            "Compare them with `consilience units`.",
        )
