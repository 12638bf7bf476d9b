"""Potato: spans in the users' states."""

from __future__ import annotations

from typing import Any

from consilience.io.annotations.strands import Found, Wishes
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File
from consilience.io.bytes.paths import Said
from consilience.io.platforms.spans._span_records import Marked, records, wrong

_SPANS = "instance_id_to_span_to_value"
_LABELS = "instance_id_to_label_to_value"


def _recognise(file: File) -> bool:
    return file.path.name == "user_state.json" or (
        f'"{_LABELS}"' in file.head and '"user_id"' in file.head
    )


@register(
    "potato",
    title="the state of a Potato user",
    suffixes=(".json",),
    rules=("annotator", "folder", "file"),
    recognise=_recognise,
    settled=True,
)
def read_potato(file: File, wishes: Wishes) -> Found:
    """Read the spans of one user: session is the item, tier the schema, label the name."""
    marked = Marked(file)
    for place, state in records(file):
        rater, given = state.get("user_id"), state.get(_SPANS)
        if not isinstance(rater, (str, int)) or not isinstance(given, dict):
            raise wrong(place, "the state of a user", f"one with user_id and {_SPANS}",
                        Said("another object"))  # fmt: skip
        done = state.get(_LABELS)
        spans = {item: _spans(pairs, place) for item, pairs in given.items()}
        for item in done if isinstance(done, dict) else ():
            spans.setdefault(item, [])  # it was seen, and nothing in it was marked
        schemas = {str(one.get("schema")): None for marks in spans.values() for one in marks}
        for item, marks in spans.items():
            for schema in schemas or ("spans",):
                marked.strand(schema, item, rater)
            for one in marks:
                strand = marked.strand(str(one.get("schema")), item, rater)
                marked.add(strand, one.get("start"), one.get("end"), one.get("name"), place)
    return marked.finish()


def _spans(pairs: Any, place: str) -> list[dict[str, Any]]:
    if not isinstance(pairs or [], list):
        raise wrong(place, "the spans of an item", "a list of pairs", Said("another value"))
    spans: list[dict[str, Any]] = []
    for pair in pairs or []:
        span = pair[0] if isinstance(pair, list) and pair else None
        if not isinstance(span, dict):
            raise wrong(place, "a span", "a pair of its place and its value", Said("another value"))
        spans.append(span)
    return spans
