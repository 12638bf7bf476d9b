"""doccano: spans in the JSON lines of each member."""

from __future__ import annotations

import json
from typing import Any

from consilience.io.annotations.strands import Found, Wishes
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File
from consilience.io.bytes.paths import Said
from consilience.io.platforms.spans._span_records import Marked, records, wrong

_MERGED = ("all", "unknown")  # a shared project's file: everybody's labels, nobody's name
_FIRST_LINES = 20


def _recognise(file: File) -> bool:
    if file.head.lstrip()[:1] != "{":
        return False
    found = 0
    for line in file.head.splitlines()[:_FIRST_LINES]:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            break  # the head ends inside a line
        if not isinstance(record, dict) or not isinstance(record.get("text"), str):
            return False
        spans = record.get("entities", record.get("label"))
        if not isinstance(spans, list) or "_input_hash" in record:
            return False
        if not all(isinstance(span, (list, dict)) for span in spans):
            return False
        found += 1
    return found > 0


@register(
    "doccano",
    title="a doccano export of spans",
    suffixes=(".jsonl",),
    rules=("annotator", "file", "folder"),
    recognise=_recognise,
    settled=True,
)
def read_doccano(file: File, wishes: Wishes) -> Found:
    """Read the spans of one member: session is the example, rater the name of the file.

    Examples at the end without a span were never opened, others were left empty.
    """
    if file.stem in _MERGED:
        raise wrong(
            str(file.path), "a doccano export", "one file per member (switch off sharing of "
            "annotations across all users in the project's settings)",
            Said("the spans of all members in one"),
        )  # fmt: skip
    examples = [(place, record, _spans(record, place)) for place, record in records(file)]
    last = max((k for k, (*_, spans) in enumerate(examples) if spans), default=-1)
    marked = Marked(file)
    for place, record, spans in examples[: last + 1]:
        key = record.get("id")
        if not isinstance(key, (str, int)):
            raise wrong(place, "every example", "one with id", key)
        strand = marked.strand("spans", key, file.stem, record.get("text"))
        for start, end, label in spans:
            marked.add(strand, start, end, label, place)
    unopened = len(examples) - last - 1
    if unopened:
        what = f"examples without a span at the end of {file.path.name}, taken as never opened"
        marked.left[what] = unopened
    return marked.finish()


def _spans(record: dict[str, Any], place: str) -> list[tuple[Any, Any, Any]]:
    """Return start, end and label of each span, in either of the two forms."""
    given = record.get("entities", record.get("label"))
    if not isinstance(given, list):
        raise wrong(place, "the spans", "a list", Said("another value"))
    spans = []
    for one in given:
        if isinstance(one, dict):
            spans.append((one.get("start_offset"), one.get("end_offset"), one.get("label")))
        elif isinstance(one, list) and len(one) == 3:
            spans.append((one[0], one[1], one[2]))
        else:
            raise wrong(place, "every span", "start, end and label", Said("another value"))
    return spans
