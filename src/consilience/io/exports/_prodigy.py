"""Prodigy: JSON lines as `db-out` writes them, one line per task and annotator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from consilience.exceptions import InputError, Option, Words
from consilience.io.exports._spans_from_entries import COMPARE_SPANS, fields, marks, wrong
from consilience.io.exports.export_entries import Annotations, Marked, newest
from consilience.io.exports.registry import ExportOptions, Sample, export
from consilience.io.files.limits import refused
from consilience.io.files.source import Source

_SIGNS = ("_input_hash", "_task_hash", "answer")  # in every record
_BY_TIME = re.compile(r"\d{4}-\d\d-\d\d[_T ]\d\d[-:]\d\d[-:]\d\d$")
_ANSWERS = ("accept", "reject", "ignore")
_REJECTED = "(rejected)"
_MARKING = frozenset(
    ("ner_manual", "spans_manual", "spans", "relations", "image_manual", "audio_manual")
)


@dataclass(frozen=True)
class _Task:
    """One annotator's answer to one task; `rater` is None in a session without a name."""

    record: dict[str, Any]
    place: str
    file: str
    rater: str | int | None

    @property
    def asks_choices(self) -> bool:
        """Whether options were offered, rather than one question of yes and no."""
        return isinstance(self.record.get("options"), list)

    @property
    def n_spans(self) -> int:
        """How many spans were marked."""
        spans = self.record.get("spans")
        return len(spans) if isinstance(spans, list) else 0

    def accepted(self) -> list[str]:
        """Return the options that were chosen."""
        accepted = self.record.get("accept") or []
        if not isinstance(accepted, list) or any(isinstance(x, (dict, list)) for x in accepted):
            raise wrong(self.place, "accept", "a list of the options chosen", accepted)
        return [str(one) for one in accepted]


@marks(
    "prodigy",
    title="a Prodigy data set",
    suffixes=(".jsonl",),
    recognise=lambda file: all(f'"{sign}"' in file.head for sign in _SIGNS),
)
@export("prodigy", title="Prodigy (JSON lines)", suffixes=(".jsonl",), label_names="variables")
class Prodigy:
    """Binary questions, one choice of several, and several choices; spans of accepted tasks."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for the hashes and an answer in every record."""
        records = sample.records()
        if records and all(record.keys() >= set(_SIGNS) for record in records):
            return "every record has _input_hash, _task_hash and an answer"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every line; reviewed data sets are refused, as they hold decisions."""
        tasks = list(_tasks(source, options))
        if options.wanted == "marks":
            return _marked(tasks)
        _check_spans(tasks, source.where)
        found = Annotations(roles={"item": "_task_hash", "rater": "_annotator_id"})
        several = _takes_several(tasks)
        by_file = len(source.members) > 1  # a data set of each annotator, who need not be named
        for task in tasks:
            rater = task.record.get(options.rater) if options.rater else task.rater
            if rater is None and by_file and not options.rater:
                rater = task.file
            if rater is None:
                raise _nameless(task, "annotator", "rater")
            if rater == task.file:
                found.roles["rater"] = "the name of the file"
            _add(found, task, rater, several=several, named=options.item)
        _tell(found, tasks)
        found.keep_newest()
        return found


def _tasks(source: Source, options: ExportOptions) -> Iterator[_Task]:
    for member in source.members:
        for place, record in member.records(encoding=options.encoding):
            if isinstance(record.get("versions"), list):
                got = "a reviewed one (versions)"
                hint = "export the data sets that were reviewed instead"
                raise refused(place, "the data set", "one of annotations", got, hint)
            rater = record.get("_annotator_id") or record.get("_session_id")
            named = rater if isinstance(rater, (str, int)) else None
            yield _Task(record, place, member.stem, named)


def _nameless(task: _Task, what: str, option: str) -> InputError:
    hint = Words("name the field with ", Option(option))
    expectation = f"one that names its {what}"
    return InputError.expected(
        "every record", expectation, sorted(task.record), hint, where=task.place
    )


def _marked(tasks: list[_Task]) -> Annotations:
    """Return the spans of each input's newest accepted answer by each annotator."""
    found = Annotations()
    accepted = []
    for task in tasks:
        answer = task.record.get("answer")
        if answer == "accept":
            key = (str(task.record.get("_input_hash")), task.rater)
            accepted.append((key, task.record.get("_timestamp"), task))
        else:
            found.leave(f"tasks answered with {str(answer)[:20]!r}", {"units": task.n_spans})
    kept, older = newest(accepted)
    for task in older:
        found.leave("older answers by the same annotator", {"units": task.n_spans})
    for task in kept:
        item, spans = str(task.record.get("_input_hash")), task.record.get("spans") or []
        rater = task.rater or task.file  # a session without a name is still one file's
        one = Marked(item, rater, spans, fields("start", "end", "label"), task.place)
        one.text, one.beside = task.record.get("text"), {"relations": task.record.get("relations")}
        found.marked.append(one)
    return found


def _add(
    found: Annotations, task: _Task, rater: object, *, several: bool, named: str | None
) -> None:
    record, answer = task.record, task.record.get("answer")
    if answer not in _ANSWERS:
        raise wrong(task.place, "an answer", f"one of {', '.join(_ANSWERS)}", answer)
    item = record.get(named or ("_input_hash" if task.asks_choices else "_task_hash"))
    if item is None:
        raise _nameless(task, "item", "item")
    variable, label = "answer", answer
    if task.asks_choices:
        found.roles["item"] = "_input_hash"
        accepted = task.accepted()
        if answer == "reject":
            accepted = [_REJECTED]
        variable = "choices" if several else "choice"
        label = frozenset(accepted) if several else next(iter(accepted), None)
    found.add(
        item,
        rater,
        label,
        variable=variable,
        reason="ignored" if answer == "ignore" else "",
        time=record.get("_timestamp"),
        text=record.get("text"),
        place=task.place,
    )


def _takes_several(tasks: list[_Task]) -> bool:
    """Tell whether several options may be chosen: the data set says so, or somebody did."""
    for task in tasks:
        config = task.record.get("config")
        style = config.get("choice_style") if isinstance(config, dict) else None
        if task.asks_choices and (style == "multiple" or len(task.accepted()) > 1):
            return True
    return False


def _check_spans(tasks: list[_Task], where: str) -> None:
    """Refuse tasks in which marking is the work: that all were accepted says nothing."""
    views = [str(task.record.get("_view_id")) for task in tasks]
    if views and _MARKING.issuperset(views):
        got = f"{len(tasks):,} tasks to mark spans ({views[0]})"
        raise refused(where, "the data set", "one of choices or of yes and no", got, COMPARE_SPANS)


def _tell(found: Annotations, tasks: list[_Task]) -> None:
    views = {str(task.record.get("_view_id") or "unknown") for task in tasks}
    if len(views) > 1:
        found.note(
            "several_interfaces",
            f"The answers come from {len(views)} interfaces ({', '.join(sorted(views))}), "
            "which asked different questions.",
        )
    if any(task.record.get("spans") and not task.record.get("options") for task in tasks):
        found.note(
            "spans_not_read",
            "The tasks hold spans; only whether a task was accepted was read. Compare spans with "
            "`consilience units`.",
        )
    unnamed = {name for name in found.rater if _BY_TIME.search(name)}
    if unnamed:
        found.note(
            "unnamed_sessions",
            f"{len(unnamed):,} raters are called after the time at which a session began, so one "
            "person may count as several (experimental: by description, not by real files). Name "
            "sessions with ?session=NAME.",
        )
