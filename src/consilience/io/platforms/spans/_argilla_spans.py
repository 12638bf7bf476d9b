"""Argilla 2: answers to span questions, nested or flattened."""

from __future__ import annotations

from consilience.core.input_files import Said
from consilience.io.annotations.strands import Found, Wishes
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File
from consilience.io.platforms._export_registry import ExportOptions
from consilience.io.platforms.records._argilla_answers import EXCLUDED, answers_in, is_spans
from consilience.io.platforms.spans._span_records import Marked, wrong
from consilience.ratings import Note


def _recognise(file: File) -> bool:
    head = file.head
    nested = all(f'"{name}"' in head for name in ("fields", "responses", "suggestions"))
    return head.lstrip()[:1] in ("[", "{") and (nested or '.responses.users"' in head)


@register(
    "argilla",
    title="an Argilla export of spans",
    suffixes=(".json", ".jsonl"),
    rules=("annotator", "file", "folder"),
    recognise=_recognise,
    settled=True,
)
def read_argilla(file: File, wishes: Wishes) -> Found:
    """Read submitted spans: session is the record, rater the user, tier the question."""
    answers = list(answers_in((file.member,), ExportOptions(encoding=file.encoding)))
    questions = {one.question for one in answers if is_spans(one.value)}
    if not questions:
        raise wrong(str(file.path), "the export", "one with answers of spans", Said("none"))
    marked = Marked(file)
    unknown = 0
    for one in answers:
        if one.question not in questions:
            marked.found.ledger.set_aside(
                "entries", one.question, reason="they answer no question of spans", matters=False
            )
            continue
        if one.kind != "person" or one.status in EXCLUDED:
            spans = len(one.value) if isinstance(one.value, list) else 0
            what = "suggestions" if one.kind != "person" else f"{one.status} responses"
            marked.leave(what, units=spans)
            continue
        marked.use()
        unknown += one.status is None
        strand = marked.strand(one.question, one.item, one.rater, one.text)
        for span in one.value if isinstance(one.value, list) else ():
            if not isinstance(span, dict):
                raise wrong(one.place, "every span", "an object", Said("another value"))
            marked.add(strand, span.get("start"), span.get("end"), span.get("label"), one.place)
    if unknown:
        marked.found.notes.append(
            Note(
                "status_unknown",
                f"{unknown:,} responses do not say whether they were submitted, so drafts and "
                "discarded ones may be among them. Export with to_list(flatten=True).",
            )
        )
    return marked.finish()
