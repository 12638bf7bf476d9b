"""LangSmith: feedback of people and evaluators on runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from consilience.io.bytes._source import Source
from consilience.io.platforms._choices import from_cell, looked_at, odd
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.judges.judge_states import ERROR, reason_of

_NEEDED = frozenset(("run_id", "key", "score"))
_SOURCE = ("feedback_source", "feedback_source.type", "feedback_source_type")
_PEOPLE = ("app", "human", "user")


@export("langsmith", title="LangSmith feedback (JSON, JSON lines, CSV)",
        suffixes=(".json", ".jsonl", ".csv"), experimental=True)  # fmt: skip
class LangSmith:
    """Runs are items, sources of feedback raters, keys variables."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for a run, a key, a score and the source of feedback."""
        for one in looked_at(sample, (".json", ".jsonl", ".csv"), most=1):
            records: list[dict[str, Any]] = one.records()
            if not records and one.columns():
                records = [dict.fromkeys(one.columns())]
            if records and all(_fits(record) for record in records):
                return "every record has run_id, key, score and its source"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every score, or the value where a category was chosen."""
        found = Annotations(
            kinds_told=True, roles={"item": options.item or "run_id", "rater": "source"}
        )
        for place, record in _records(source, options):
            item, key = record.get(options.item or "run_id"), record.get("key")
            if not item or not isinstance(key, str):
                raise odd("every record", "one with run_id and key", item or key, place)
            origin, rater = _origin(record)
            value = record.get("value")
            label = value if isinstance(value, (str, bool)) and value != "" else record["score"]
            extra = record.get("extra")
            trouble = record.get("error") or (
                extra.get("error") if isinstance(extra, dict) else None
            )
            found.add(
                item, rater, label if isinstance(label, (str, int, float)) else None,
                variable=key, time=record.get("created_at"), place=place,
                reason=(reason_of(trouble) or ERROR) if trouble else "",
                kind="person" if origin in _PEOPLE else "model",
            )  # fmt: skip
        found.keep_runs()
        return found


def _fits(record: dict[str, Any]) -> bool:
    return record.keys() >= _NEEDED and any(name in record for name in _SOURCE)


def _records(source: Source, options: ExportOptions) -> Iterator[tuple[str, dict[str, Any]]]:
    for member in source.members:
        if member.suffix in (".csv", ".tsv"):
            table = member.table(delimiter=options.delimiter, encoding=options.encoding)
            for place, row in table.records():
                yield place, {name: from_cell(cell, place) or None for name, cell in row.items()}
        else:
            yield from member.records(encoding=options.encoding)


def _origin(record: dict[str, Any]) -> tuple[str, str]:
    """Return the kind of source, and its name: a user, an evaluator, or the kind itself."""
    source = record.get("feedback_source")
    source = source if isinstance(source, dict) else {"type": source}
    kind = source.get("type") or record.get(_SOURCE[1]) or record.get(_SOURCE[2]) or "api"
    about = source.get("metadata")
    about = about if isinstance(about, dict) else {}
    names = (source.get("user_name"), source.get("user_id"), record.get("feedback_source.user_id"),
             about.get("evaluator"), about.get("model"))  # fmt: skip
    return str(kind).lower(), str(next((name for name in names if name), kind))
