"""Prodigy: spans in the JSON lines that `db-out` writes, one line per task and annotator."""

from __future__ import annotations

from typing import Any

from consilience.core.input_files import Said
from consilience.io.annotations.strands import Found, Wishes
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File
from consilience.io.platforms.export_entries import moment
from consilience.io.platforms.records._prodigy_tasks import SIGNS, tasks_in
from consilience.io.platforms.spans._span_records import Marked, wrong


def _recognise(file: File) -> bool:
    return all(f'"{sign}"' in file.head for sign in SIGNS)


@register(
    "prodigy",
    title="a Prodigy data set",
    suffixes=(".jsonl",),
    rules=("annotator", "file", "folder"),
    recognise=_recognise,
    settled=True,
)
def read_prodigy(file: File, wishes: Wishes) -> Found:
    """Read the spans of accepted tasks: session is the input, rater the annotator."""
    marked = Marked(file)
    for (session, rater), (place, record) in _newest(file, marked).items():
        spans = record.get("spans") or []
        if not isinstance(spans, list):
            raise wrong(place, "spans", "a list", Said("another value"))
        marked.use()
        marked.besides(record)
        # A session without a name is still one file's.
        strand = marked.strand("spans", session, rater or file.stem, record.get("text"))
        for span in spans:
            if not isinstance(span, dict):
                raise wrong(place, "every span", "an object", Said("another value"))
            marked.add(strand, span.get("start"), span.get("end"), span.get("label"), place)
    return marked.finish()


def _newest(file: File, marked: Marked) -> dict[tuple[str, Any], tuple[str, dict[str, Any]]]:
    """Return the newest accepted answer of each annotator to each input."""
    newest: dict[tuple[str, Any], tuple[str, dict[str, Any]]] = {}
    for task in tasks_in(file.member, file.encoding):
        record = task.record
        answer = record.get("answer")
        if answer != "accept":
            marked.leave(f"tasks answered with {str(answer)[:20]!r}", units=_n_spans(record))
            continue
        key = (str(record.get("_input_hash")), task.rater)
        before = newest.get(key)
        if before is not None:
            older = _time(record) < _time(before[1])
            gone = record if older else before[1]
            marked.leave("older answers by the same annotator", units=_n_spans(gone))
            if older:
                continue
        newest[key] = (task.place, record)
    return newest


def _n_spans(record: dict[str, Any]) -> int:
    spans = record.get("spans")
    return len(spans) if isinstance(spans, list) else 0


def _time(record: dict[str, Any]) -> tuple[float, str]:
    time = record.get("_timestamp")
    return moment(None if time is None else str(time))
