"""doccano: spans in the JSON lines of each member."""

from __future__ import annotations

import json
from typing import Any

from consilience.core.input_files import Said
from consilience.io.annotations.strands import Found, Wishes
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File
from consilience.io.platforms._export_registry import ExportOptions
from consilience.io.platforms.records._doccano_examples import (
    Example,
    check_members,
    examples_in,
    n_opened,
)
from consilience.io.platforms.spans._span_records import Marked, wrong

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
    check_members((file.member,), str(file.path))
    examples = examples_in(file.member, ExportOptions(encoding=file.encoding))
    spans = [_spans(example) for example in examples]
    opened = n_opened([bool(some) for some in spans])
    marked = Marked(file)
    for example, some in zip(examples[:opened], spans, strict=False):
        marked.use()
        marked.besides(example.record, ("relations", "Comments"))
        strand = marked.strand("spans", example.item, file.stem, example.text)
        for start, end, label in some:
            marked.add(strand, start, end, label, example.place)
    if opened < len(examples):
        what = f"examples without a span at the end of {file.path.name}, taken as never opened"
        marked.leave(what, len(examples) - opened)
    return marked.finish()


def _spans(example: Example) -> list[tuple[Any, Any, Any]]:
    """Return start, end and label of each span, in either of the two forms."""
    given = example.record.get("label") if example.spans is None else example.spans
    if not isinstance(given, list):
        raise wrong(example.place, "the spans", "a list", Said("another value"))
    spans = []
    for one in given:
        if isinstance(one, dict):
            spans.append((one.get("start_offset"), one.get("end_offset"), one.get("label")))
        elif isinstance(one, list) and len(one) == 3:
            spans.append((one[0], one[1], one[2]))
        else:
            raise wrong(example.place, "every span", "start, end and label", Said("another value"))
    return spans
