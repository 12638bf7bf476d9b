"""doccano: a zip archive (or the files from it) with one file per member, an example a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import Option, Words
from consilience.io.events.unit_files import File
from consilience.io.exports._records_and_cells import checked_list, chosen, odd, parts_of, words_of
from consilience.io.exports._spans_from_entries import COMPARE_SPANS, fields, marks, wrong
from consilience.io.exports.export_entries import Annotations, Marked
from consilience.io.exports.registry import ExportOptions, Sample, export
from consilience.io.files.limits import refused
from consilience.io.files.source import Member, Source

_SUFFIXES = (".jsonl", ".json", ".csv")
_SHOWN = ("text", "data", "filename")
_LABELS = ("label", "cats", "entities", "bbox", "segmentation")
_RATERS = ("annotator", "rater", "coder", "user", "worker", "judge", "answer")  # never here
_MERGED = ("all", "unknown")  # a shared project's file: everybody's labels, nobody's name
_FIRST_LINES = 20


@dataclass(frozen=True)
class _Example:
    """One example as one member left it; `spans` are None where whole examples are labelled."""

    item: str | int
    text: str | None
    record: dict[str, Any]
    spans: list[Any] | None
    place: str


Works = Iterator[tuple[Member, list[_Example]]]


def _has_spans(file: File) -> bool:
    """Look whether the first lines are texts with lists of spans."""
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


@marks("doccano", title="a doccano export of spans", suffixes=(".jsonl",), recognise=_has_spans)
@export(
    "doccano",
    title="doccano (ZIP, JSON lines, CSV)",
    suffixes=(".zip", ".jsonl", ".csv"),
    label_names="variables",
)
class Doccano:
    """Labels of whole examples, or spans; the rater is the name of the file."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for examples with a list of labels, in files named after people."""
        names = sample.members()
        if not names:
            return _are_examples(sample)
        if not all(name.lower().endswith(_SUFFIXES) for name in names):
            return None
        looked = [sample.member(name) for name in names[:3]]
        in_archive = not sample.source.is_folder
        told = [_are_examples(one) or (_in_archive(one) if in_archive else None) for one in looked]
        return None if None in told else f"a file per member, {told[0]}"

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read one file per rater; examples at the end without a label were never opened."""
        members = [one for one in source.members if one.suffix in _SUFFIXES]
        if options.wanted == "marks":
            members = list(source.members)
        if all(member.stem in _MERGED for member in members):
            got = "the labels of all members in one"
            hint = (
                "switch off sharing of annotations across all users in the project's settings, "
                "and export again"
            )
            raise refused(source.where, "a doccano export", "one file per member", got, hint)
        works = ((member, _examples(member, options)) for member in members)
        if options.wanted == "marks":
            return _marked(works)
        return _labelled(works, options, source.where)


def _are_examples(sample: Sample) -> str | None:
    records = sample.records()
    if sample.json_form == "object" and sample.suffix != ".jsonl":
        return None
    if records and all(_is_example(record) for record in records):
        return "every record has a text and a list of labels, and nobody's name"
    return None


def _is_example(record: dict[str, Any]) -> bool:
    return (
        any(isinstance(record.get(name), str) for name in _SHOWN)
        and any(isinstance(record.get(name), list) for name in _LABELS)
        and ("id" in record or record.keys() <= {*_SHOWN, *_LABELS, "relations", "Comments"})
        and record.keys().isdisjoint(_RATERS)
    )


def _in_archive(sample: Sample) -> str | None:
    """Look less closely: data may have replaced the labels, and rows have no lists."""
    for record in sample.records() or [dict.fromkeys(sample.columns())]:
        if not {"id", "label"} <= record.keys() or record.keys().isdisjoint(_SHOWN):
            return None
    return "each with id and label"


def _examples(member: Member, options: ExportOptions) -> list[_Example]:
    """Return all examples, opened or not."""
    name = options.item or "id"
    found = []
    for place, record in _records(member, options):
        item = record.get(name)
        if not isinstance(item, (str, int)):
            hint = Words("name the field with ", Option("item"))
            raise odd("every example", f"one with {name}", item, place, hint)
        text = next((record[key] for key in _SHOWN if isinstance(record.get(key), str)), None)
        found.append(_Example(item, text, record, _spans(record, place), place))
    return found


def _records(member: Member, options: ExportOptions) -> list[tuple[str, dict[str, Any]]]:
    if member.suffix != ".csv":
        return member.records(encoding=options.encoding)
    table = member.table(delimiter=options.delimiter, encoding=options.encoding)
    return [
        (place, {**row, "label": parts_of(row.get("label", ""), "#")})
        for place, row in table.records()
    ]


def _spans(record: dict[str, Any], place: str) -> list[Any] | None:
    """Return spans or boxes, which stand where other projects have labels."""
    if "cats" in record:
        return None
    for name in ("entities", "bbox"):
        if name in record:
            return checked_list(record[name] or [], name, place)
    value = record.get("label")
    is_spans = isinstance(value, list) and any(isinstance(part, (list, dict)) for part in value)
    return value if is_spans else None


def _n_opened(are_filled: Sequence[object]) -> int:
    """Return how many examples were opened: those at the end without a label never were."""
    return max((k for k, is_filled in enumerate(are_filled, 1) if is_filled), default=0)


# ---- spans


def _marked(works: Works) -> Annotations:
    found = Annotations()
    for member, examples in works:
        spans = [_list_of(example) for example in examples]
        opened = _n_opened(spans)
        for one, some in zip(examples[:opened], spans, strict=False):
            work = Marked(one.item, member.stem, some, _limits, one.place, text=one.text)
            work.beside = {name: one.record.get(name) for name in ("relations", "Comments")}
            found.marked.append(work)
        for _ in examples[opened:]:
            never = f"examples without a span at the end of {member.name}, taken as never opened"
            found.leave(never, {})
    return found


def _list_of(example: _Example) -> list[Any]:
    given = example.record.get("label") if example.spans is None else example.spans
    if not isinstance(given, list):
        raise wrong(example.place, "the spans", "a list", Said("another value"))
    return given


def _limits(span: Any, place: str) -> Sequence[Any]:
    """Return start, end and label of a span, in either of the two forms."""
    if isinstance(span, list) and len(span) == 3:
        return span
    if not isinstance(span, dict):
        raise wrong(place, "every span", "start, end and label", Said("another value"))
    return fields("start_offset", "end_offset", "label")(span, place)


# ---- labels


def _labelled(works: Works, options: ExportOptions, where: str) -> Annotations:
    found = Annotations(roles={"item": "id", "rater": "the name of the file"})
    unopened = empty = idle = spans = 0
    for member, examples in works:
        labels = [_label(example) for example in examples]
        opened = _n_opened([label is not None for label in labels])
        if options.empty == "label_all":
            opened = len(examples)  # as told: everybody has seen every example
        unopened += len(examples) - opened
        idle += bool(examples) and not opened
        for example, label in zip(examples[:opened], labels, strict=False):
            empty += label is None
            found.add(example.item, member.stem, label, text=example.text, place=example.place)
        spans += sum(bool(example.spans) for example in examples)
    if spans and not any(label is not None for label in found.label):
        needed = "filled with labels of whole examples"
        got = f"{spans:,} examples with spans or boxes"
        raise refused(where, "the export", needed, got, COMPARE_SPANS)
    if spans:
        found.note(
            "spans_not_read",
            f"The spans of {spans:,} examples were not read. Compare them with "
            "`consilience units`.",
        )
    if (unopened or empty) and options.empty != "label_all":  # else nothing was guessed
        told = f" {idle} of the files hold no label at all." if idle else ""
        found.note(
            "empty_is_ambiguous",
            f"doccano writes an example without labels in the same way whether it was never "
            f"opened or left empty on purpose. {unopened:,} at the end of a file were "
            f"taken as never opened, {empty:,} before a labelled one as left empty."
            f'{told} To be sure, export only what was marked as done; empty="label_all" '
            "(--empty label_all) counts them all as left empty on purpose.",
        )
    return found


def _label(example: _Example) -> object:
    if example.spans is not None:
        return None
    value = example.record.get("cats", example.record.get("label"))
    if value is None:
        raise odd("every example", "one with a label", value, example.place)
    if not isinstance(value, list):
        hint = (
            "a field of your data that is called label has replaced the answers: rename it "
            "in doccano and export again"
        )
        raise odd("label", "a list, as doccano writes it", value, example.place, hint)
    return chosen(words_of(value, "label", example.place))
