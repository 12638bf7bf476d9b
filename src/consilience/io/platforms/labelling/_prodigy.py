"""Prodigy: JSON lines as `db-out` writes them, one line per task and annotator."""

from __future__ import annotations

import re
from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import InputError, Option, Words
from consilience.io.bytes._source import Source
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.records._prodigy_tasks import SIGNS, Task, tasks_in

_BY_TIME = re.compile(r"\d{4}-\d\d-\d\d[_T ]\d\d[-:]\d\d[-:]\d\d$")
_ANSWERS = ("accept", "reject", "ignore")
_REJECTED = "(rejected)"
_MARKING = frozenset(("ner_manual", "spans_manual", "spans", "relations", "image_manual",
                      "audio_manual"))  # fmt: skip


@export("prodigy", title="Prodigy (JSON lines)", suffixes=(".jsonl",), label_names="variables")
class Prodigy:
    """Binary questions, one choice of several, and several choices."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for the hashes and an answer in every record."""
        records = sample.records()
        if records and all(record.keys() >= set(SIGNS) for record in records):
            return "every record has _input_hash, _task_hash and an answer"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every line; reviewed data sets are refused, as they hold decisions."""
        tasks = [task for one in source.members for task in tasks_in(one, options.encoding)]
        _check_spans(tasks, source.where)
        found = Annotations(roles={"item": "_task_hash", "rater": "_annotator_id"})
        several = _takes_several(tasks)
        by_file = len(source.members) > 1  # a data set of each annotator, who need not be named
        for task in tasks:
            rater = task.record.get(options.rater) if options.rater else task.rater
            if rater is None and by_file and not options.rater:
                rater = task.file
            if rater is None:
                raise InputError.expected(
                    "every record", "one that names its annotator", sorted(task.record),
                    Words("name the field with ", Option("rater")), where=task.place,
                )  # fmt: skip
            if rater == task.file:
                found.roles["rater"] = "the name of the file"
            _add(found, task, rater, several=several, named=options.item)
        _tell(found, tasks)
        found.keep_newest()
        _check_sessions(found)
        return found


def _add(
    found: Annotations, task: Task, rater: object, *, several: bool, named: str | None
) -> None:
    record, place = task.record, task.place
    answer = record.get("answer")
    if answer not in _ANSWERS:
        raise InputError.expected(
            "an answer", f"one of {', '.join(_ANSWERS)}", answer, "check the export", where=place
        )
    has_options = isinstance(record.get("options"), list)
    item = record.get(named or ("_input_hash" if has_options else "_task_hash"))
    if item is None:
        raise InputError.expected(
            "every record", "one that names its item", sorted(record),
            Words("name the field with ", Option("item")), where=place,
        )  # fmt: skip
    variable, label = "answer", answer
    if has_options:
        found.roles["item"] = "_input_hash"
        accepted = _accepted(record, place)
        variable = "choices" if several else "choice"
        label = frozenset(accepted) if several else next(iter(accepted), None)
        if answer == "reject":
            label = frozenset((_REJECTED,)) if several else _REJECTED
    found.add(
        item, rater, label, variable=variable, reason="ignored" if answer == "ignore" else "",
        time=record.get("_timestamp"), text=record.get("text"), place=place,
    )  # fmt: skip


def _accepted(record: dict[str, Any], place: str) -> list[str]:
    accepted = record.get("accept") or []
    if not isinstance(accepted, list) or any(isinstance(one, (dict, list)) for one in accepted):
        raise InputError.expected(
            "accept", "a list of the options chosen", accepted, "check the export", where=place
        )
    return [str(one) for one in accepted]


def _takes_several(tasks: list[Task]) -> bool:
    """Tell whether several options may be chosen: the data set says so, or somebody did."""
    for task in tasks:
        record = task.record
        config = record.get("config")
        style = config.get("choice_style") if isinstance(config, dict) else None
        if isinstance(record.get("options"), list) and (
            style == "multiple" or len(_accepted(record, task.place)) > 1
        ):
            return True
    return False


def _check_spans(tasks: list[Task], where: str) -> None:
    """Refuse tasks in which marking is the work: that all were accepted says nothing."""
    views = [str(task.record.get("_view_id")) for task in tasks]
    if views and _MARKING.issuperset(views):
        raise InputError.expected(
            "the data set", "one of choices or of yes and no",
            Said(f"{len(tasks):,} tasks to mark spans ({views[0]})"),
            "compare spans with `consilience units`", where=where,
        )  # fmt: skip


def _tell(found: Annotations, tasks: list[Task]) -> None:
    records = [task.record for task in tasks]
    views = {str(record.get("_view_id") or "unknown") for record in records}
    if len(views) > 1:
        found.note(
            "several_interfaces",
            f"The answers come from {len(views)} interfaces ({', '.join(sorted(views))}), "
            "which asked different questions.",
        )
    if any(record.get("spans") and not record.get("options") for record in records):
        found.note(
            "spans_not_read",
            "The tasks hold spans; only whether a task was accepted was read. Compare spans with "
            "`consilience units`.",
        )


def _check_sessions(found: Annotations) -> None:
    unnamed = {name for name in found.rater if _BY_TIME.search(name)}
    if unnamed:
        found.note(
            "unnamed_sessions",
            f"{len(unnamed):,} raters are called after the time at which a session began, so one "
            "person may count as several (experimental: by description, not by real files). Name "
            "sessions with ?session=NAME.",
        )
