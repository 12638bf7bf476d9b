"""Prodigy: spans in the JSON lines that `db-out` writes, one line per task and annotator."""

from __future__ import annotations

from typing import Any

from consilience.io.annotations.strands import Found, Wishes
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File
from consilience.io.bytes.paths import Said
from consilience.io.platforms.export_entries import moment
from consilience.io.platforms.spans._span_records import Marked, records, wrong


def _recognise(file: File) -> bool:
    head = file.head
    return '"_input_hash"' in head and '"_task_hash"' in head and '"answer"' in head


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
    for place, record in records(file):
        if isinstance(record.get("versions"), list):
            raise wrong(place, "the data set", "one of annotations", Said("a reviewed one"))
        answer = record.get("answer")
        if answer != "accept":
            marked.left[f"tasks answered with {str(answer)[:20]!r}"] += 1
            continue
        rater = record.get("_annotator_id") or record.get("_session_id")
        key = (str(record.get("_input_hash")), rater if isinstance(rater, (str, int)) else None)
        before = newest.get(key)
        if before is not None:
            marked.left["older answers by the same annotator"] += 1
            if _time(record) < _time(before[1]):
                continue
        newest[key] = (place, record)
    return newest


def _time(record: dict[str, Any]) -> tuple[float, str]:
    time = record.get("_timestamp")
    return moment(None if time is None else str(time))
