"""Prodigy: JSON lines as `db-out` writes them, one line per task and annotator."""

from __future__ import annotations

from typing import Any

from consilience.exceptions import InputError
from consilience.io._annotations import Annotations
from consilience.io._source import Source
from consilience.io.exports._base import ExportOptions, Sample, export

_ANSWERS = ("accept", "reject", "ignore")


@export("prodigy", title="Prodigy (JSON lines)", suffixes=(".jsonl",))
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
        found = Annotations()
        views: set[str] = set()
        for member in source.members:
            for place, record in member.records(encoding=options.encoding):
                if isinstance(record.get("versions"), list):
                    raise InputError.expected(
                        "the data set", "one of annotations", "a reviewed one (versions)",
                        "export the data sets that were reviewed instead", where=place,
                    )  # fmt: skip
                views.add(str(record.get("_view_id") or "unknown"))
                _add(found, record, place, options)
        if len(views) > 1:
            found.note(
                "several_interfaces",
                f"The answers come from {len(views)} interfaces ({', '.join(sorted(views))}), "
                "which asked different questions.",
            )
        found.keep_newest()
        _check_sessions(found)
        return found


def _add(found: Annotations, record: dict[str, Any], place: str, options: ExportOptions) -> None:
    answer = record.get("answer")
    if answer not in _ANSWERS:
        raise InputError.expected(
            "an answer", f"one of {', '.join(_ANSWERS)}", answer, "check the export", where=place
        )
    rater = record.get(options.rater) if options.rater else (
        record.get("_annotator_id") or record.get("_session_id")
    )  # fmt: skip
    has_options = isinstance(record.get("options"), list)
    item = record.get(options.item or ("_input_hash" if has_options else "_task_hash"))
    if rater is None or item is None:
        raise InputError.expected(
            "every record", "one that names its item and its annotator",
            sorted(record), "name the field with item= or rater= (--item, --rater)", where=place,
        )  # fmt: skip
    variable, label = "answer", answer
    if has_options:
        variable, label = _chosen(record, place)
        if answer == "reject":
            label = "(rejected)" if variable == "choice" else frozenset(("(rejected)",))
    elif record.get("spans"):
        found.note(
            "spans_not_read",
            "The tasks hold spans; only whether a task was accepted was read. Compare spans with "
            "`consilience units`.",
        )
    found.add(
        item, rater, label, variable=variable, reason="ignored" if answer == "ignore" else "",
        time=record.get("_timestamp"), text=record.get("text"),
    )  # fmt: skip


def _chosen(record: dict[str, Any], place: str) -> tuple[str, object]:
    """Return one choice, or the set of them where several may be made."""
    accepted = record.get("accept") or []
    if not isinstance(accepted, list) or any(isinstance(one, (dict, list)) for one in accepted):
        raise InputError.expected(
            "accept", "a list of the options chosen", accepted, "check the export", where=place
        )
    style = (record.get("config") or {}).get("choice_style") if isinstance(
        record.get("config") or {}, dict) else None  # fmt: skip
    if style == "multiple":
        return "choices", frozenset(map(str, accepted))
    return "choice", str(accepted[0]) if len(accepted) == 1 else frozenset(map(str, accepted))


def _check_sessions(found: Annotations) -> None:
    unnamed = {name for name in found.rater if name[-8:].replace(":", "").isdigit() and "_" in name}
    if unnamed:
        found.note(
            "unnamed_sessions",
            f"{len(unnamed):,} raters are called after the time at which a session began, so one "
            "person may count as several. Name sessions with ?session=NAME.",
        )
