"""Argilla 2: records with responses by question, nested or flattened into columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.bytes._source import Source
from consilience.io.platforms._choices import chosen, looked_at, odd
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.records._argilla_answers import (
    EXCLUDED,
    USERS,
    Answer,
    answers_in,
    is_spans,
)

_NESTED = frozenset(("id", "fields", "responses", "suggestions"))


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
            questions = [name for name in names if name.endswith(USERS)]
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


def _skipped(answers: list[Answer]) -> Iterator[Answer]:
    """Yield the questions without an answer in responses that have answers to others.

    A response is about all questions of a record: whoever left one out was asked all the same.
    """
    questions = dict.fromkeys(answer.question for answer in answers if answer.kind == "person")
    responses: dict[tuple[object, object], dict[str, Answer]] = {}
    for answer in answers:
        if answer.kind == "person":
            responses.setdefault((answer.item, answer.rater), {})[answer.question] = answer
    for given in responses.values():
        like = next(iter(given.values()))
        for question in questions:
            if question not in given:
                yield replace(like, question=question, value=None)


# -------------------------------------------------------------------- values


def _is_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(part, (str, int)) for part in value)


def _rankings(answers: list[Answer]) -> set[str]:
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


def _label(answer: Answer, rankings: set[str]) -> object:
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
    found: Annotations, answers: list[Answer], rankings: set[str], spans: set[str], where: str
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
