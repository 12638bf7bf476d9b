"""Prodigy: JSON lines as `db-out` writes them, one line per task and annotator."""

from __future__ import annotations

import re
from typing import Any

from consilience.exceptions import InputError, Option, Words
from consilience.io.bytes._source import Source
from consilience.io.bytes.paths import Said
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations

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
        hashes = {"_input_hash", "_task_hash"}
        if records and all(hashes <= record.keys() and "answer" in record for record in records):
            return "every record has _input_hash, _task_hash and an answer"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every line; reviewed data sets are refused, as they hold decisions."""
        records: list[tuple[str, str, dict[str, Any]]] = []
        for member in source.members:
            for place, record in member.records(encoding=options.encoding):
                if isinstance(record.get("versions"), list):
                    raise InputError.expected(
                        "the data set", "one of annotations", Said("a reviewed one (versions)"),
                        "export the data sets that were reviewed instead", where=place,
                    )  # fmt: skip
                records.append((place, member.stem, record))
        _check_spans([record for *_, record in records], source.where)
        found = Annotations(roles={"item": "_task_hash", "rater": "_annotator_id"})
        several = _takes_several(records)
        by_file = len(source.members) > 1  # a data set of each annotator, who need not be named
        for place, stem, record in records:
            rater = _rater(record, options) or (stem if by_file and not options.rater else None)
            if rater is None:
                raise InputError.expected(
                    "every record", "one that names its annotator", sorted(record),
                    Words("name the field with ", Option("rater")), where=place,
                )  # fmt: skip
            if rater == stem:
                found.roles["rater"] = "the name of the file"
            _add(found, record, place, rater, several=several, named=options.item)
        _tell(found, [record for *_, record in records])
        found.keep_newest()
        _check_sessions(found)
        return found


def _rater(record: dict[str, Any], options: ExportOptions) -> Any:
    if options.rater:
        return record.get(options.rater)
    return record.get("_annotator_id") or record.get("_session_id")


def _add(
    found: Annotations,
    record: dict[str, Any],
    place: str,
    rater: object,
    *,
    several: bool,
    named: str | None,
) -> None:
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


def _takes_several(records: list[tuple[str, str, dict[str, Any]]]) -> bool:
    """Tell whether several options may be chosen: the data set says so, or somebody did."""
    for place, _, record in records:
        config = record.get("config")
        style = config.get("choice_style") if isinstance(config, dict) else None
        if isinstance(record.get("options"), list) and (
            style == "multiple" or len(_accepted(record, place)) > 1
        ):
            return True
    return False


def _check_spans(records: list[dict[str, Any]], where: str) -> None:
    """Refuse tasks in which marking is the work: that all were accepted says nothing."""
    marking = [one for one in records if str(one.get("_view_id")) in _MARKING]
    if marking and len(marking) == len(records):
        raise InputError.expected(
            "the data set", "one of choices or of yes and no",
            Said(f"{len(marking):,} tasks to mark spans ({marking[0]['_view_id']})"),
            "compare spans with `consilience units`", where=where,
        )  # fmt: skip


def _tell(found: Annotations, records: list[dict[str, Any]]) -> None:
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
