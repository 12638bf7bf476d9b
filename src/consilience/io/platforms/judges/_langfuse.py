"""Langfuse: scores, from the API, the tables' export or the export to storage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from consilience.core.cell_values import as_number
from consilience.exceptions import InputError, Option, Words
from consilience.io.bytes._source import Source
from consilience.io.platforms._choices import looked_at, odd, warn_of_mails
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations

_NEEDED = frozenset(("traceId", "name", "value", "dataType"))
_PERSON = "ANNOTATION"
_EVALUATOR = "EVAL"
_TYPES = ("NUMERIC", "CATEGORICAL", "BOOLEAN")
_TEXTS = ("TEXT", "CORRECTION")  # comments and corrected answers: no ratings


@export("langfuse", title="Langfuse scores (JSON, JSON lines, CSV)",
        suffixes=(".json", ".jsonl", ".csv"), experimental=True)  # fmt: skip
class Langfuse:
    """Numbers, categories and yes/no scores, by people and by systems."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for scores: a trace, a name, a value and its type."""
        for one in looked_at(sample, (".json", ".jsonl", ".csv"), most=1):
            records = one.records()
            if len(records) == 1 and isinstance(records[0].get("data"), list):
                records = [record for record in records[0]["data"] if isinstance(record, dict)]
            if records and all(_same_names(record).keys() >= _NEEDED for record in records):
                return "every record has a trace, a name, a value and its type"
            if _same_names(dict.fromkeys(one.columns())).keys() >= _NEEDED:
                return "the columns of scores: trace, name, value and type"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every score; of several by a person the newest counts, an evaluator's are runs."""
        found = Annotations()
        nameless = texts = 0
        origins = set()
        for place, record in _scores(source, options):
            score = _same_names(record)
            _check(score, place)
            if score.get("dataType") in _TEXTS:
                texts += 1
                continue
            origin = str(score.get("source") or "API").upper()
            origins.add(origin)
            author = score.get(options.rater) if options.rater else (
                score.get("authorUserId") or score.get("evaluatorId")
            )  # fmt: skip
            nameless += not author and origin == _PERSON
            found.add(
                _item(score, place, options), author or origin, _label(score, place),
                # Two scores that are to be compared with each other bear different names.
                variable="score" if options.rater == "name" else str(score["name"]),
                time=score.get("timestamp") or score.get("updatedAt") or score.get("createdAt"),
                kind="person" if origin == _PERSON else "model",
            )  # fmt: skip
            if score.get("dataType") == "NUMERIC":
                found.scales[found.variable[-1]] = "interval"
        found.roles.update(item=options.item or "traceId", rater=options.rater or "authorUserId")
        # What comes by the API may be a person's feedback; annotations and evaluators are told.
        found.kinds_told = origins <= {_PERSON, _EVALUATOR}
        if found.kinds_told:
            found.keep_runs()
        else:
            found.keep_newest()
        if texts:
            found.note("texts_left_out", f"{texts:,} texts and corrections were left out: they are "
                       "no scores.")  # fmt: skip
        if nameless:
            found.note(
                "authors_unknown",
                f"{nameless:,} scores by people do not say by whom, and count as one rater.",
            )
        if len(set(zip(found.variable, found.rater, strict=True))) == len(found.variables()):
            words = "Scores of one name come from one rater. To compare different names"
            found.note("one_rater", f'{words} with each other, pass rater="name" (--rater name).')
            found.evidence.append("each name has one rater; --rater name compares the names")
        warn_of_mails(found)
        return found


def _same_names(record: dict[str, Any]) -> dict[str, Any]:
    """Return fields under the API's names; storage writes trace_id for traceId."""
    return {re.sub(r"_([a-z])", lambda m: m[1].upper(), name): v for name, v in record.items()}


def _scores(source: Source, options: ExportOptions) -> Iterator[tuple[str, dict[str, Any]]]:
    for member in source.members:
        if member.suffix in (".csv", ".tsv"):
            table = member.table(delimiter=options.delimiter, encoding=options.encoding)
            for place, row in table.records():
                yield place, {name: cell or None for name, cell in row.items()}
            continue
        for place, record in member.records(encoding=options.encoding):
            data = record.get("data")
            if not isinstance(data, list):
                yield place, record
                continue
            for k, score in enumerate(data, 1):  # an answer of the API, one page of scores
                if not isinstance(score, dict):
                    raise odd("every score", "an object", score, f"{place}, record {k:,}")
                yield f"{place}, record {k:,}", score


def _check(score: dict[str, Any], place: str) -> None:
    if not isinstance(score.get("name"), str) or not score["name"].strip():
        raise odd("every score", "one with a name", score.get("name"), place)


def _item(score: dict[str, Any], place: str, options: ExportOptions) -> str:
    if options.item:
        item = score.get(options.item)
    else:
        item = score.get("traceId") or score.get("sessionId") or score.get("datasetRunId")
        if item and score.get("observationId"):
            item = f"{item}/{score['observationId']}"
    if isinstance(item, (str, int)) and str(item).strip():
        return str(item)
    raise odd("every score", f"one with {options.item or 'traceId'}", item, place,
              Words("name the field with ", Option("item")))  # fmt: skip


def _label(score: dict[str, Any], place: str) -> object:
    kind, value, text = score.get("dataType") or "", score.get("value"), score.get("stringValue")
    if kind and kind not in _TYPES:
        raise InputError.unknown_word(f"{place}: dataType", kind, _TYPES)
    if kind == "CATEGORICAL":
        return text if text is not None else value
    if value is None:
        return text
    number = as_number(value)
    if number is None:
        if kind == "NUMERIC":
            raise odd("a numeric score", "a number", value, place)
        return str(value)
    return bool(number) if kind == "BOOLEAN" else number
