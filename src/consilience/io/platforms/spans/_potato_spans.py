"""Potato: spans in the users' states."""

from __future__ import annotations

from typing import Any

from consilience.core.input_files import Said
from consilience.io.annotations.strands import Found, Wishes
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File
from consilience.io.platforms._export_registry import ExportOptions
from consilience.io.platforms.records._potato_states import LABELS, SPANS, STATE, Done, done_in
from consilience.io.platforms.spans._span_records import Marked, wrong


def _recognise(file: File) -> bool:
    return file.path.name == STATE or (f'"{LABELS}"' in file.head and '"user_id"' in file.head)


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
    if f'"{SPANS}"' not in file.text:
        raise wrong(str(file.path), "the state of a user", f"one with user_id and {SPANS}",
                    Said("another object"))  # fmt: skip
    marked = Marked(file)
    users: dict[str, list[Done]] = {}
    for done in done_in(file.member, ExportOptions(encoding=file.encoding)):
        users.setdefault(done.rater, []).append(done)
    for rater, work in users.items():
        spans = [_spans(done.spans, done.place) for done in work]
        schemas = dict.fromkeys(str(one.get("schema")) for marks in spans for one in marks)
        for done, marks in zip(work, spans, strict=True):
            for schema in schemas or ("spans",):  # it was seen, whether or not it was marked
                marked.strand(schema, done.item, rater)
            for one in marks:
                strand = marked.strand(str(one.get("schema")), done.item, rater)
                marked.add(strand, one.get("start"), one.get("end"), one.get("name"), done.place)
        marked.found.ledger.set_aside(
            "answers", "", sum(bool(done.answers) for done in work),
            reason="they are about the whole item: use measure", matters=False,
        )  # fmt: skip
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
