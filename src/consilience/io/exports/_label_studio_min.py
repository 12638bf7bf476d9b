"""Label Studio: the short exports JSON_MIN, CSV and TSV, one record per annotation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from consilience.core.words import counted
from consilience.exceptions import InputError, Option, Words
from consilience.io.exports._label_studio import READERS, SCALES, Tally, has_place
from consilience.io.exports._records_and_cells import (
    chosen,
    from_cell,
    looked_at,
    odd,
    warn_of_mails,
    words_of,
)
from consilience.io.exports.export_entries import Annotations
from consilience.io.exports.registry import ExportOptions, Sample, export
from consilience.io.files.limits import refused
from consilience.io.files.source import Source

_ALWAYS = frozenset(("id", "annotator", "annotation_id", "lead_time"))
_OWN = _ALWAYS | {"created_at", "updated_at", "agreement", "history"}
_ADVICE = (
    "Export the project as JSON (not JSON_MIN) and compare what raters marked, and where, with "
    "`consilience units`."
)
_RENAMED = "_data_"  # a field of the data that is called like a question
_FEW = 12  # values that a question may have, and hardly a title or a text

Record = dict[str, Any]


@export(
    "label-studio-min",
    title="Label Studio (JSON_MIN, CSV, TSV)",
    suffixes=(".json", ".csv", ".tsv"),
)
class LabelStudioMin:
    """One record per annotation: the task's data and the answers side by side."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for the fields that every short export has."""
        for one in looked_at(sample, (".json", ".csv", ".tsv"), most=1):
            records = one.records()
            if records and all(record.keys() >= _ALWAYS for record in records):
                return "every record has annotator, annotation_id and lead_time"
            if set(one.columns()) >= _ALWAYS:
                return "the columns annotator, annotation_id and lead_time"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Find out which fields are answers, and read them."""
        rater = options.rater or "annotator"
        everything = list(_records(source, options))
        # An annotation by nobody is written as the word that Python has for nothing.
        records = [one for one in everything if options.rater or one[1].get(rater) != "None"]
        for place, record in records:
            if record.get("id") is None or record.get(rater) is None:
                needed, got = f"one with id and {rater}", sorted(record)[:12]
                hint = "name the fields with item= and rater="
                raise InputError.expected("every record", needed, got, hint, where=place)
        found = Annotations(roles={"item": "id (the task)", "rater": rater})
        tally = Tally(advice=_ADVICE)
        questions = _questions(records, options, found, source.where)
        for place, record in records:
            item = record.get(options.item) if options.item else record["id"]
            if not isinstance(item, (str, int)):
                raise odd(f"{options.item or 'id'}", "a text or a number", item, place)
            for name in questions:
                label = _label(record.get(name), name, place, tally)
                text, time = record.get("text"), record.get("created_at")
                text = text if isinstance(text, str) else None
                found.add(
                    item, record[rater], label, variable=name, time=time, text=text, place=place
                )
        found.scales.update(tally.scales)
        found.keep_newest()
        if tally.regions and not any(label is not None for label in found.label):
            needed, hint = "filled with answers about whole tasks", _ADVICE[0].lower() + _ADVICE[1:]
            raise refused(source.where, "the export", needed, "regions only", hint.rstrip("."))
        tally.tell(found)
        if len(records) < len(everything):
            found.note(
                "annotations_without_user",
                f"{counted(len(everything) - len(records), 'annotation')} without an annotator "
                "left out: nobody knows whose they are.",
            )
        found.note(
            "short_export",
            "The short export leaves out cancelled annotations, predictions, ground truth and "
            "drafts; the full JSON export keeps them.",
        )
        warn_of_mails(found)
        return found


def _records(source: Source, options: ExportOptions) -> Iterator[tuple[str, Record]]:
    for member in source.members:
        if member.suffix not in (".csv", ".tsv", ".txt"):
            yield from member.records(encoding=options.encoding)
            continue
        table = member.table(delimiter=options.delimiter, encoding=options.encoding)
        for place, row in table.records():
            cells = {name: from_cell(cell, place) for name, cell in row.items()}
            yield place, {name: cell for name, cell in cells.items() if cell != ""}


def _questions(
    records: list[tuple[str, Record]], options: ExportOptions, found: Annotations, where: str
) -> list[str]:
    """Tell answers from the task's data, which the export puts side by side.

    Data are the same for everybody who annotated a task, so what differs somewhere is an answer;
    so is what has the form of a result, and what has driven a field of the data from its name.
    """
    names = list(dict.fromkeys(name for _, record in records for name in record))
    others = [
        name
        for name in names
        if name not in _OWN
        and not name.startswith(_RENAMED)
        and name.removesuffix("_transcript") in (name, *_OWN)  # a talk, written out again
    ]
    if options.label:
        for name in options.label:
            if name not in others:
                raise InputError.unknown_word(f"{where}: label", name, others)
        return list(options.label)
    differ = _differing(records, others)
    questions = [
        name
        for name in others
        if name in differ
        or f"{_RENAMED}{name}" in names
        or any(_is_result(record.get(name)) for _, record in records)
    ]
    if not questions:
        needed = "one where answers can be told from the task's data"
        hint = Words("name the columns that hold answers with ", Option("label"))
        raise InputError.expected("the export", needed, others, hint, where=where)
    parts = [name for name in questions if any(_is_several(r.get(name)) for _, r in records)]
    if parts and len(parts) < len(questions):
        questions = [name for name in questions if name not in parts]
        found.note(
            "regions_not_read",
            f"Asked about parts of a task, which the short export does not name: "
            f"{', '.join(parts)}. Left out; the full JSON export names them.",
        )
    found.evidence.append(f"answers: {', '.join(questions)} (they differ between annotators)")
    doubtful = [name for name in others if name not in questions and _could_be_label(records, name)]
    if doubtful:
        found.note(
            "perhaps_answers",
            f"{', '.join(doubtful)}: the same for everybody who annotated a task, so taken for "
            "data. If these are answers on which all agree, name them with label= (--label).",
        )
    return questions


def _differing(records: list[tuple[str, Record]], names: list[str]) -> set[str]:
    first: dict[str, Record] = {}
    differ: set[str] = set()
    for _, record in records:
        other = first.setdefault(str(record["id"]), record)
        if other is not record:
            differ.update(name for name in names if record.get(name) != other.get(name))
    return differ


def _is_several(value: object) -> bool:
    """Tell whether a question was answered more than once: about each of several regions."""
    return isinstance(value, list) and sum(isinstance(part, str) for part in value) > 1


def _is_result(value: object) -> bool:
    parts = value if isinstance(value, list) else [value]
    known = {*READERS, "selected", "text", "labels"}
    return bool(parts) and all(
        isinstance(part, dict) and not known.isdisjoint(part) for part in parts
    )


def _could_be_label(records: list[tuple[str, Record]], name: str) -> bool:
    values = [record[name] for _, record in records if name in record]
    if not all(isinstance(value, (str, int, float)) for value in values):
        return False
    distinct = {str(value) for value in values}
    items = {str(record["id"]) for _, record in records if name in record}
    return len(distinct) <= min(_FEW, len(items) - 1)


def _label(value: Any, name: str, place: str, tally: Tally) -> object:
    """Return a label: a plain text or number, several choices, or the list of a question's rows."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    parts = value if isinstance(value, list) else [value]
    labels: list[object] = []
    for part in parts:
        if isinstance(part, str):
            labels.append(part)
            continue
        if not isinstance(part, dict):
            raise odd(f"{name!r}", "a text, a number or a list of results", part, place)
        if has_place(part):
            tally.regions["regions"] += 1
            continue
        kind = next((kind for kind in READERS if kind in part), None)
        kind = "pairwise" if kind is None and "selected" in part else kind
        if kind is None:
            tally.regions["regions"] += 1
            continue
        if kind in SCALES:
            tally.scales[name] = SCALES[kind]
        if kind in ("choices", "taxonomy"):
            labels += words_of(part[kind] or [], kind, place)
        else:
            label = READERS[kind](part, place)
            labels.extend(() if label is None else (label,))
    return chosen(labels)
