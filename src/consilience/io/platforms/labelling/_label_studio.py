"""Label Studio: the JSON export, tasks with their annotations, predictions and drafts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from consilience.core.words import counted
from consilience.exceptions import InputError, Option, Words
from consilience.io.bytes._source import Source
from consilience.io.bytes.paths import Said
from consilience.io.platforms._choices import looked_at, odd, warn_of_mails
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.labelling._label_studio_results import Tally, answers_in, is_rejected

GROUND_TRUTH = "ground truth"
_LISTS = ("annotations", "completions")  # the second in old files


@export(
    "label-studio",
    title="Label Studio (JSON)",
    suffixes=(".json",),
    label_names="variables",
)
class LabelStudio:
    """Choices, ratings, numbers, taxonomies, pairs and rankings about whole tasks."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for tasks: data beside a list of annotations."""
        for one in looked_at(sample, (".json",)):
            records = one.records()
            if not records or not all(_is_task(record) for record in records):
                return None
            return "every record is a task with data and annotations"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every annotation, prediction and draft of every task."""
        export_ = _Project(options)
        for member in source.members:
            for place, record in member.records(encoding=options.encoding):
                export_.take(record, place)
        return export_.annotations(source.where)


def _is_task(record: dict[str, Any]) -> bool:
    if isinstance(record.get("result"), list):  # one annotation a file, the task inside it
        record = {"annotations": [], **_object(record.get("task"))}
    return isinstance(record.get("data"), dict) and any(
        isinstance(record.get(name), list) for name in _LISTS
    )


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


@dataclass
class _Work:
    """What one rater did with one task."""

    item: object
    rater: object
    answers: dict[str, object]
    kind: str = "person"
    reason: str = ""
    time: object = None
    text: object = None
    place: str | None = None


@dataclass
class _Project:
    """All tasks, while they are read."""

    options: ExportOptions
    works: list[_Work] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    seen: set[object] = field(default_factory=set)
    copies: int = 0
    prefilled: int = 0
    nameless: int = 0
    nameless_drafts: int = 0

    def take(self, record: dict[str, Any], place: str) -> None:
        """Read one task."""
        if isinstance(record.get("result"), list) and isinstance(record.get("task"), dict):
            record = {**record["task"], "annotations": [record]}
        if not _is_task(record):
            raise InputError.expected(
                "every record", "a task with data and annotations", sorted(record)[:12],
                "export the project as JSON", where=place,
            )  # fmt: skip
        item, text = self._item(record, place), _text(record["data"])
        for annotation in _objects(record, _LISTS, place):
            if self._is_copy(annotation, item):
                continue
            work = self._annotation(annotation, item, text, place)
            if work is None:
                self.nameless += 1
            else:
                self.works.append(work)
        for prediction in _objects(record, ("predictions",), place):
            answers = answers_in(prediction.get("result") or [], place, self.tally)
            model = prediction.get("model_version")
            rater = str(model).strip() if isinstance(model, (str, int)) else ""
            self.works.append(
                _Work(item, rater or "prediction", answers, kind="prediction",
                      time=prediction.get("created_at"), text=text, place=place)
            )  # fmt: skip
        for draft in _objects(record, ("drafts",), place):
            self._draft(draft, item, text, place)

    def _is_copy(self, annotation: dict[str, Any], item: object) -> bool:
        """Tell whether this annotation was read before: storage may hold it more than once."""
        if annotation.get("id") is None:
            return False
        # Numbers are those of one server: of two servers, author and time differ.
        told = ("id", "completed_by", "created_at", "updated_at")
        key = (str(item), *(str(annotation.get(name)) for name in told))
        is_copy = key in self.seen
        self.copies += is_copy
        self.seen.add(key)
        return is_copy

    def _item(self, task: dict[str, Any], place: str) -> object:
        name = self.options.item
        if name is None or name == "id":
            item = task.get("id")
        else:
            item = task["data"].get(name.removeprefix("data."))
        if isinstance(item, (str, int)) and str(item).strip():
            return item
        raise InputError.expected(
            "every task", f"one with {name or 'id'}", sorted(task["data"]) if name else None,
            Words("name a field of the data with ", Option("item")), where=place,
        )  # fmt: skip

    def _annotation(
        self, annotation: dict[str, Any], item: object, text: object, place: str
    ) -> _Work | None:
        is_gold = annotation.get("ground_truth") is True
        rater = GROUND_TRUTH if is_gold else self._rater(annotation, place)
        if rater is None:
            return None
        results = annotation.get("result") or []
        answers = answers_in(results, place, self.tally)
        cancelled = annotation.get("was_cancelled") or annotation.get("skipped")
        origins = (str(row.get("origin") or "") for row in results)
        if annotation.get("parent_prediction") or any(o.startswith("prediction") for o in origins):
            self.prefilled += 1
        return _Work(
            item,
            rater,
            answers,
            kind="gold" if is_gold else "person",
            reason="cancelled" if cancelled else "rejected" if is_rejected(annotation) else "",
            time=annotation.get("created_at") or annotation.get("updated_at"),
            text=text,
            place=place,
        )

    def _rater(self, annotation: dict[str, Any], place: str) -> object:
        """Return who annotated; None where the file names nobody, as after an import."""
        person = annotation.get("completed_by")
        if self.options.rater and self.options.rater != "completed_by":
            rater = _object(person).get(self.options.rater, annotation.get(self.options.rater))
        elif isinstance(person, dict):
            rater = person.get("email") if person.get("id") is None else person["id"]
        else:
            rater = person
        if rater is None and self.options.rater in (None, "completed_by"):
            return None
        if isinstance(rater, (str, int)) and str(rater).strip():
            return rater
        raise odd(
            "every annotation", f"one with {self.options.rater or 'completed_by'}", rater, place,
            Words("name the field that holds the rater with ", Option("rater")),
        )  # fmt: skip

    def _draft(self, draft: dict[str, Any], item: object, text: object, place: str) -> None:
        person = draft.get("user", draft.get("completed_by"))
        rater = person.get("id") if isinstance(person, dict) else person
        if not isinstance(rater, (str, int)) or not str(rater).strip():
            self.nameless_drafts += 1
            return
        answers = answers_in(draft.get("result") or [], place, self.tally)
        self.works.append(
            _Work(item, rater, answers, reason="draft", time=draft.get("created_at"), text=text,
                  place=place)
        )  # fmt: skip

    def annotations(self, where: str) -> Annotations:
        """Return one entry per task, rater and question."""
        questions = list(dict.fromkeys(name for work in self.works for name in work.answers))
        found = Annotations(
            scales=dict(self.tally.scales), roles={"item": "task id", "rater": "completed_by"}
        )
        if not self.works and self.nameless:
            raise InputError.expected(
                "every annotation", "one with completed_by",
                Said(f"{self.nameless:,} annotations by nobody"),
                Words("name the field that holds the rater with ", Option("rater")), where=where,
            )  # fmt: skip
        if not questions and self.works:
            told = ", ".join(sorted(self.tally.regions | self.tally.unread)) or "no results at all"
            hint = "compare regions and spans with `consilience units`"
            if not self.tally.regions:
                hint = "ask for choices, ratings or numbers: other answers cannot be compared"
            raise InputError.expected(
                "the export", "filled with answers about whole tasks", Said(told), hint,
                where=where,
            )  # fmt: skip
        for work in self.works:
            # People saw all questions, so that no answer is an answer; systems may know only some.
            asked = work.answers if work.kind == "prediction" else questions
            for name in asked:
                found.add(
                    work.item, work.rater, work.answers.get(name), variable=name, kind=work.kind,
                    reason=work.reason, time=work.time, text=work.text, place=work.place,
                )  # fmt: skip
        found.keep_newest()
        self._tell(found)
        return found

    def _tell(self, found: Annotations) -> None:
        self.tally.tell(found)
        gold = sum(work.kind == "gold" for work in self.works)
        rejected = sum(work.reason == "rejected" for work in self.works)
        notes = (
            ("ground_truth", gold, "annotation",
             "marked as ground truth: gold, not a rater's. Take the mark away in Label Studio "
             "where it is an ordinary annotation."),
            ("prefilled", self.prefilled, "annotation",
             "begun with a prediction: raters who correct the same proposal are not independent, "
             "and agree more than they would alone."),
            ("copies_left_out", self.copies, "annotation",
             "found more than once in the files; each was read once."),
            ("rejected_in_review", rejected, "annotation",
             "rejected by a reviewer and left out, which tends to raise agreement. To count them, "
             'pass excluded="keep_rejected" (--excluded keep_rejected).'),
            ("annotations_without_user", self.nameless, "annotation",
             "without completed_by left out: nobody knows whose they are."),
            ("drafts_without_user", self.nameless_drafts, "draft",
             "left out: nobody knows whose they are."),
        )  # fmt: skip
        for code, number, what, words in notes:
            if number:
                found.note(code, f"{counted(number, what)} {words}")
        warn_of_mails(found)


def _objects(
    record: dict[str, Any], names: tuple[str, ...], place: str
) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list; bare numbers in it only name records that are not there."""
    for name in names:
        values = record.get(name)
        if values is None:
            continue
        if not isinstance(values, list):
            raise odd(name, "a list", values, place)
        yield from (value for value in values if isinstance(value, dict))


def _text(data: dict[str, Any]) -> object:
    """Return what was shown, where the task holds a text."""
    if isinstance(data.get("text"), str):
        return data["text"]
    texts = (value for value in data.values() if isinstance(value, str))
    return next((text for text in texts if " " in text), None)
