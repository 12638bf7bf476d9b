"""doccano: a zip archive (or the files from it) with one file per member."""

from __future__ import annotations

from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.bytes._source import Member, Source
from consilience.io.platforms._choices import chosen, odd, words_of
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.records._doccano_examples import (
    SHOWN,
    Example,
    check_members,
    examples_in,
    n_opened,
)

_SUFFIXES = (".jsonl", ".json", ".csv")
_LABELS = ("label", "cats", "entities", "bbox", "segmentation")
_RATERS = ("annotator", "rater", "coder", "user", "worker", "judge", "answer")  # never here


@export(
    "doccano",
    title="doccano (ZIP, JSON lines, CSV)",
    suffixes=(".zip", ".jsonl", ".csv"),
    label_names="variables",
)
class Doccano:
    """Labels of whole examples; the rater is the name of the file."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for examples with a list of labels, in files named after people."""
        names = sample.members()
        if not names:
            return _examples(sample)
        if not all(name.lower().endswith(_SUFFIXES) for name in names):
            return None
        looked = [sample.member(name) for name in names[:3]]
        in_archive = not sample.source.is_folder
        told = [_examples(one) or (_in_archive(one) if in_archive else None) for one in looked]
        return None if None in told else f"a file per member, {told[0]}"

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read one file per rater; examples at the end without a label were never opened."""
        members = [member for member in source.members if member.suffix in _SUFFIXES]
        check_members(members, source.where)
        found = Annotations(roles={"item": "id", "rater": "the name of the file"})
        reading = _Reading(found, options)
        for member in members:
            reading.take(member)
        reading.tell(source.where)
        return found


def _examples(sample: Sample) -> str | None:
    records = sample.records()
    if sample.json_form == "object" and sample.suffix != ".jsonl":
        return None
    if records and all(_is_example(record) for record in records):
        return "every record has a text and a list of labels, and nobody's name"
    return None


def _is_example(record: dict[str, Any]) -> bool:
    return (
        any(isinstance(record.get(name), str) for name in SHOWN)
        and any(isinstance(record.get(name), list) for name in _LABELS)
        and ("id" in record or record.keys() <= {*SHOWN, *_LABELS, "relations", "Comments"})
        and record.keys().isdisjoint(_RATERS)
    )


def _in_archive(sample: Sample) -> str | None:
    """Look less closely: data may have replaced the labels, and rows have no lists."""
    records = sample.records() or [dict.fromkeys(sample.columns())]
    for record in records:
        if not {"id", "label"} <= record.keys() or record.keys().isdisjoint(SHOWN):
            return None
    return "each with id and label"


class _Reading:
    """The files of all members, while they are read."""

    def __init__(self, found: Annotations, options: ExportOptions) -> None:
        self.found, self.options = found, options
        self.unopened = self.empty = self.spans = 0
        self.idle: list[str] = []

    def take(self, member: Member) -> None:
        """Read what one rater did."""
        examples = examples_in(member, self.options)
        labels = [self._label(example) for example in examples]
        opened = n_opened([label is not None for label in labels])
        if self.options.empty == "label_all":
            opened = len(examples)  # as told: everybody has seen every example
        self.unopened += len(examples) - opened
        if not opened and examples:
            self.idle.append(member.stem)
        for example, label in zip(examples[:opened], labels, strict=False):
            self.empty += label is None
            self.found.add(example.item, member.stem, label, text=example.text, place=example.place)

    def _label(self, example: Example) -> object:
        if example.spans is not None:
            self.spans += bool(example.spans)
            return None
        record, place = example.record, example.place
        value = record.get("cats", record.get("label"))
        if value is None:
            raise odd("every example", "one with a label", value, place)
        if not isinstance(value, list):
            raise odd(
                "label", "a list, as doccano writes it", value, place,
                "a field of your data that is called label has replaced the answers: rename it "
                "in doccano and export again",
            )  # fmt: skip
        return chosen(words_of(value, "label", place))

    def tell(self, where: str) -> None:
        """Leave notes about what the file does not say."""
        if self.spans:
            if not any(label is not None for label in self.found.label):
                raise InputError.expected(
                    "the export", "filled with labels of whole examples",
                    Said(f"{self.spans:,} examples with spans or boxes"),
                    "compare spans with `consilience units`", where=where,
                )  # fmt: skip
            self.found.note(
                "spans_not_read",
                f"The spans of {self.spans:,} examples were not read. Compare them with "
                "`consilience units`.",
            )
        if self.unopened or self.empty:
            if self.options.empty == "label_all":
                return  # nothing was guessed
            idle = f" {len(self.idle)} of the files hold no label at all." if self.idle else ""
            self.found.note(
                "empty_is_ambiguous",
                f"doccano writes an example without labels in the same way whether it was never "
                f"opened or left empty on purpose. {self.unopened:,} at the end of a file were "
                f"taken as never opened, {self.empty:,} before a labelled one as left empty."
                f'{idle} To be sure, export only what was marked as done; empty="label_all" '
                "(--empty label_all) counts them all as left empty on purpose.",
            )
