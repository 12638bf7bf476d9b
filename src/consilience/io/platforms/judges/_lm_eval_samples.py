"""lm-evaluation-harness: logged samples, with the answers of a model and the metrics on each."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from consilience.io.bytes._source import Member, Source
from consilience.io.platforms._choices import looked_at, odd
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.judges.judge_states import UNPARSABLE

_ANSWER, _TARGET = "answer", "target"
_NOT_FOUND = "[invalid]"  # what a filter writes that finds no answer in the response
_LONGEST_LABEL = 60  # characters of an answer that may be a label
_RECORD = frozenset(("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter",
                     "metrics", "doc_hash", "prompt_hash", "target_hash"))  # fmt: skip


@export("lm-eval", title="lm-evaluation-harness samples (JSON lines)",
        suffixes=(".jsonl", ".json"), experimental=True)  # fmt: skip
class LmEvalSamples:
    """Each metric is a variable; short answers are labels beside the right ones."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for documents with the model's responses."""
        for one in looked_at(sample, (".jsonl", ".json"), most=1):
            records = one.records()
            if records and all(
                "doc_id" in record and ("resps" in record or "filtered_resps" in record)
                for record in records
            ):
                return "every record has doc_id and the responses"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read answers and metrics; a filter is a rater of its own."""
        found = Annotations(
            kinds_told=True, roles={"item": options.item or "doc_id", "rater": "filter"}
        )
        several = len(source.members) > 1
        known: set[object] = set()  # items whose right answer stands there already
        for member in source.members:
            task = f"{_run_of(member)}/" if several else ""
            for place, record in member.records(encoding=options.encoding):
                name = record.get(options.item or "doc_id")
                if not isinstance(name, (str, int)) or isinstance(name, bool):
                    raise odd("every record", f"one with {options.item or 'doc_id'}", name, place)
                _add(found, known, f"{task}{name}" if several else name, record, place)
        found.keep_runs()
        return found


def _run_of(member: Member) -> str:
    path = PurePosixPath(member.name)
    return path.parent.name or path.stem


def _add(
    found: Annotations, known: set[object], item: object, record: dict[str, Any], place: str
) -> None:
    rater = str(record.get("filter") or "none")
    judge = "answers" if rater == "none" else rater
    named = record.get("metrics")
    metrics = (
        [name for name in named if isinstance(name, str)]
        if isinstance(named, list)
        else [name for name, x in record.items() if name not in _RECORD and _is_number(x)]
    )
    for name in metrics:
        value = record.get(name)
        found.add(item, judge, value if _is_number(value) else None, variable=name, kind="model",
                  place=place)  # fmt: skip
    answer, target = _first(record.get("filtered_resps")), record.get(_TARGET)
    if _is_label(answer) and _is_label(target):
        found.add(item, judge, answer, variable=_ANSWER, kind="model", place=place,
                  reason=UNPARSABLE if answer == _NOT_FOUND else "")  # fmt: skip
        if item not in known:
            found.add(item, _TARGET, target, variable=_ANSWER, kind="gold", place=place)
        known.add(item)


def _first(responses: object) -> object:
    """Return the first response, however deep it lies."""
    while isinstance(responses, list):
        if not responses:
            return None
        responses = responses[0]
    return responses


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float))


def _is_label(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST_LABEL
