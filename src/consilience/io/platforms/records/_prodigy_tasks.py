"""Prodigy: JSON lines as `db-out` writes them, one line per task and annotator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.bytes._source import Member

SIGNS = ("_input_hash", "_task_hash", "answer")  # in every record


@dataclass(frozen=True)
class Task:
    """One annotator's answer to one task; `rater` is None in a session without a name."""

    record: dict[str, Any]
    place: str
    file: str
    rater: str | int | None


def tasks_in(member: Member, encoding: str | None) -> list[Task]:
    """Return every line; reviewed data sets are refused, as they hold decisions."""
    tasks = []
    for place, record in member.records(encoding=encoding):
        if isinstance(record.get("versions"), list):
            raise InputError.expected(
                "the data set", "one of annotations", Said("a reviewed one (versions)"),
                "export the data sets that were reviewed instead", where=place,
            )  # fmt: skip
        rater = record.get("_annotator_id") or record.get("_session_id")
        named = rater if isinstance(rater, (str, int)) else None
        tasks.append(Task(record, place, member.stem, named))
    return tasks
