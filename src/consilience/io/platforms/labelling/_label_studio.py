"""Label Studio: the JSON export, tasks with their annotations, predictions and drafts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from consilience.core.input_files import Said
from consilience.core.words import counted
from consilience.exceptions import InputError, Option, Words
from consilience.io.bytes._source import Source
from consilience.io.bytes._unit_files import File
from consilience.io.platforms._choices import looked_at, odd, warn_of_mails
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms._spans_from_entries import marks
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.labelling._label_studio_regions import marked
from consilience.io.platforms.labelling._label_studio_results import Tally, answers_in
from consilience.io.platforms.labelling._label_studio_tasks import Task, Work, is_task, tasks_in

GROUND_TRUTH = "ground truth"


def _is_project(file: File) -> bool:
    head = file.head.lstrip()
    told = '"annotations"' in head or '"completions"' in head or '"from_name"' in head
    return head[:1] in "[{" and head != "" and told


@marks("label-studio", title="a Label Studio export", suffixes=(".json",), recognise=_is_project)
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
            if not records or not all(is_task(record) for record in records):
                return None
            return "every record is a task with data and annotations"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every annotation, prediction and draft of every task."""
        tasks = tasks_in(source.members, options.encoding)
        if options.wanted == "marks":
            return marked(tasks, source.where)
        project = _Project(options)
        for task in tasks:
            project.take(task)
        return project.annotations(source.where)


@dataclass
class _Answered:
    """What one rater answered about one task."""

    work: Work
    item: object
    rater: object
    answers: dict[str, object]
    text: object
    place: str


@dataclass
class _Project:
    """All tasks, while they are read."""

    options: ExportOptions
    works: list[_Answered] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    counts: Counter[str] = field(default_factory=Counter)

    def take(self, task: Task) -> None:
        """Read one task."""
        item, text = self._item(task), _text(task.data)
        for work in task.works:
            if work.reason == "copy":
                self.counts["copies"] += 1
                continue
            rater = self._rater(work, task.place)
            if rater is None:
                self.counts["drafts" if work.reason == "draft" else "nameless"] += 1
                continue
            answers = answers_in(work.results, task.place, self.tally)
            self.counts["prefilled"] += work.reason != "draft" and _is_prefilled(work)
            self.works.append(_Answered(work, item, rater, answers, text, task.place))

    def _item(self, task: Task) -> object:
        name = self.options.item
        is_own = name is None or name == "id"
        item = task.id if is_own else task.data.get(str(name).removeprefix("data."))
        if isinstance(item, (str, int)) and str(item).strip():
            return item
        raise InputError.expected(
            "every task", f"one with {name or 'id'}", sorted(task.data) if name else None,
            Words("name a field of the data with ", Option("item")), where=task.place,
        )  # fmt: skip

    def _rater(self, work: Work, place: str) -> object:
        """Return who annotated; None where the file names nobody, as after an import."""
        rater, name = work.rater, self.options.rater
        is_name = isinstance(rater, (str, int)) and bool(str(rater).strip())
        if work.kind == "prediction":
            return str(rater).strip() if is_name else "prediction"
        if work.kind == "gold":
            return GROUND_TRUTH
        if work.reason == "draft":
            return rater if is_name else None
        if name and name != "completed_by":
            person = work.record.get("completed_by")
            known = person if isinstance(person, dict) else {}
            rater = known.get(name, work.record.get(name))
            is_name = isinstance(rater, (str, int)) and bool(str(rater).strip())
        elif rater is None:
            return None
        if is_name:
            return rater
        raise odd(
            "every annotation", f"one with {name or 'completed_by'}", rater, place,
            Words("name the field that holds the rater with ", Option("rater")),
        )  # fmt: skip

    def annotations(self, where: str) -> Annotations:
        """Return one entry per task, rater and question."""
        questions = list(dict.fromkeys(name for work in self.works for name in work.answers))
        found = Annotations(
            scales=dict(self.tally.scales), roles={"item": "task id", "rater": "completed_by"}
        )
        if not self.works and self.counts["nameless"]:
            raise InputError.expected(
                "every annotation", "one with completed_by",
                Said(f"{self.counts['nameless']:,} annotations by nobody"),
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
        for one in self.works:
            # People saw all questions, so that no answer is an answer; systems may know only some.
            for name in one.answers if one.work.kind == "prediction" else questions:
                found.add(
                    one.item, one.rater, one.answers.get(name), variable=name, kind=one.work.kind,
                    reason=one.work.reason, time=one.work.time, text=one.text, place=one.place,
                )  # fmt: skip
        found.keep_newest()
        self._tell(found)
        return found

    def _tell(self, found: Annotations) -> None:
        self.tally.tell(found)
        gold = sum(one.work.kind == "gold" for one in self.works)
        rejected = sum(one.work.reason == "rejected" for one in self.works)
        notes = (
            ("ground_truth", gold, "annotation",
             "marked as ground truth: gold, not a rater's. Take the mark away in Label Studio "
             "where it is an ordinary annotation."),
            ("prefilled", self.counts["prefilled"], "annotation",
             "begun with a prediction: raters who correct the same proposal are not independent, "
             "and agree more than they would alone."),
            ("copies_left_out", self.counts["copies"], "annotation",
             "found more than once in the files; each was read once."),
            ("rejected_in_review", rejected, "annotation",
             "rejected by a reviewer and left out, which tends to raise agreement. To count them, "
             'pass excluded="keep_rejected" (--excluded keep_rejected).'),
            ("annotations_without_user", self.counts["nameless"], "annotation",
             "without completed_by left out: nobody knows whose they are."),
            ("drafts_without_user", self.counts["drafts"], "draft",
             "left out: nobody knows whose they are."),
        )  # fmt: skip
        for code, number, what, words in notes:
            if number:
                found.note(code, f"{counted(number, what)} {words}")
        warn_of_mails(found)


def _is_prefilled(work: Work) -> bool:
    """Tell whether an annotation was begun with a prediction."""
    origins = (str(row.get("origin") or "") for row in work.results)
    return work.kind != "prediction" and (
        bool(work.record.get("parent_prediction"))
        or any(origin.startswith("prediction") for origin in origins)
    )


def _text(data: dict[str, Any]) -> object:
    """Return what was shown, where the task holds a text."""
    if isinstance(data.get("text"), str):
        return data["text"]
    texts = (value for value in data.values() if isinstance(value, str))
    return next((text for text in texts if " " in text), None)
