"""MLflow: traces with the assessments of people, judges and code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from consilience.io.bytes._source import Source
from consilience.io.platforms._choices import looked_at, odd, warn_of_mails
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.judges.judge_states import ERROR, reason_of

_PEOPLE = ("HUMAN", "SOURCE_TYPE_HUMAN")
_OVERRULED = "replaced by another one"


@export("mlflow", title="MLflow traces (JSON, JSON lines)", suffixes=(".json", ".jsonl"),
        experimental=True)  # fmt: skip
class MlflowTraces:
    """Sources of assessments are raters; each name is a variable; expectations are gold."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for traces whose assessments name their source."""
        for one in looked_at(sample, (".json", ".jsonl"), most=1):
            records = one.records()
            if len(records) == 1 and isinstance(records[0].get("traces"), list):
                records = [trace for trace in records[0]["traces"] if isinstance(trace, dict)]
            given = [entry for record in records for entry in _assessments(record)]
            if given and all(isinstance(entry, dict) and "source" in entry for entry in given):
                return "traces with assessments and their sources"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every assessment that was not overruled by another."""
        found = Annotations(
            kinds_told=True, roles={"item": options.item or "trace_id", "rater": "source"}
        )
        for place, trace in _traces(source, options):
            item = _item(trace, options, place)
            for entry in _assessments(trace):
                if not isinstance(entry, dict):
                    raise odd("every assessment", "an object", entry, place)
                _add(found, item, entry, place)
        found.keep_runs()
        warn_of_mails(found)
        return found


def _traces(source: Source, options: ExportOptions) -> Iterator[tuple[str, dict[str, Any]]]:
    for member in source.members:
        for place, record in member.records(encoding=options.encoding):
            if not isinstance(record.get("traces"), list):
                yield place, record
                continue
            for k, trace in enumerate(record["traces"], 1):
                if not isinstance(trace, dict):
                    raise odd("every trace", "an object", trace, f"{place}, trace {k:,}")
                yield f"{place}, trace {k:,}", trace


def _info(trace: dict[str, Any]) -> dict[str, Any]:
    info = trace.get("info")
    return info if isinstance(info, dict) else trace


def _assessments(trace: dict[str, Any]) -> list[Any]:
    given = _info(trace).get("assessments", trace.get("assessments"))
    return given if isinstance(given, list) else []


def _item(trace: dict[str, Any], options: ExportOptions, place: str) -> object:
    info = _info(trace)
    names = (options.item,) if options.item else ("trace_id", "request_id", "client_request_id")
    item = next((info[name] for name in names if name and info.get(name)), None)
    if isinstance(item, (str, int)):
        return item
    raise odd("every trace", f"one with {names[0]}", item, place)


def _add(found: Annotations, item: object, entry: dict[str, Any], place: str) -> None:
    source = entry.get("source")
    source = source if isinstance(source, dict) else {}
    kind = str(source.get("source_type") or source.get("sourceType") or "").upper()
    rater = source.get("source_id") or source.get("sourceId") or kind.lower() or "unknown"
    name = str(entry.get("assessment_name") or entry.get("name") or "label")
    feedback, expected = entry.get("feedback"), entry.get("expectation")
    trouble = entry.get("error") or (feedback.get("error") if isinstance(feedback, dict) else None)
    reason = (reason_of(trouble) or ERROR) if trouble else ""
    if entry.get("valid") is False and not reason:
        reason = _OVERRULED
    span = entry.get("span_id")
    told = expected if isinstance(expected, dict) else feedback
    value = told.get("value") if isinstance(told, dict) else told
    found.add(
        f"{item}/{span}" if span else item, rater, value, variable=name, reason=reason,
        time=entry.get("create_time") or entry.get("create_time_ms"), place=place,
        kind="gold" if isinstance(expected, dict) else "person" if kind in _PEOPLE else "model",
    )  # fmt: skip
