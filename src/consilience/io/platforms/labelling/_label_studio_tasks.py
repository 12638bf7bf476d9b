"""Label Studio: tasks with what people and systems made of them, as the JSON export has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from consilience.exceptions import InputError
from consilience.io.bytes._source import Member
from consilience.io.platforms._choices import odd

SHAPES = {  # results that say where in a picture, or what belongs together: not measured yet
    name + ending: what
    for what, shapes in (("boxes", ("rectangle", "videorectangle")),
                         ("polygons", ("polygon", "vector")), ("brushes", ("brush", "bitmask")),
                         ("ellipses", ("ellipse",)), ("keypoints", ("keypoint",)),
                         ("relations", ("relation",)))
    for name in shapes
    for ending in ("", "labels")
}  # fmt: skip
_LISTS = ("annotations", "completions")  # the second in old files


@dataclass(frozen=True)
class Work:
    """What a person or a system made of a task.

    `rater` is the person's number, or the name or address where there is none; None: the file
    names nobody. `reason` says why it does not count: "copy", "cancelled", "rejected", "draft".
    """

    record: dict[str, Any]
    results: list[Any]
    rater: object
    kind: str = "person"
    reason: str = ""

    @property
    def time(self) -> object:
        """When it was made."""
        return self.record.get("created_at") or self.record.get("updated_at")


@dataclass(frozen=True)
class Task:
    """A task: its number (None: it has none), its data, and all work on it."""

    id: Any
    data: dict[str, Any]
    works: list[Work]
    place: str


def is_task(record: dict[str, Any]) -> bool:
    """Tell whether a record is a task, or an annotation with its task inside."""
    if isinstance(record.get("result"), list):
        record = {"annotations": [], **_object(record.get("task"))}
    return isinstance(record.get("data"), dict) and any(
        isinstance(record.get(name), list) for name in _LISTS
    )


def tasks_in(members: Iterable[Member], encoding: str | None) -> Iterator[Task]:
    """Yield every task with its annotations, predictions and drafts."""
    seen: set[object] = set()
    for member in members:
        for place, record in member.records(encoding=encoding):
            if not is_task(record):
                raise InputError.expected(
                    "every record", "a task with data and annotations", sorted(record)[:12],
                    "export the project as JSON", where=place,
                )  # fmt: skip
            is_stored = isinstance(record.get("result"), list)  # storage: one annotation a file
            task = {**record["task"], "annotations": [record]} if is_stored else record
            yield Task(task.get("id"), task["data"], list(_works(task, seen, place)), place)


def _works(task: dict[str, Any], seen: set[object], place: str) -> Iterator[Work]:
    for one in _objects(task, _LISTS, place):
        person = one.get("completed_by", one.get("created_username"))
        kind = "gold" if one.get("ground_truth") is True else "person"
        reason = "copy" if _is_copy(one, task.get("id"), seen) else _why_not(one)
        yield Work(one, _results(one, place), _number(person), kind, reason)
    for one in _objects(task, ("predictions",), place):
        yield Work(one, _results(one, place), one.get("model_version"), "prediction")
    for one in _objects(task, ("drafts",), place):
        person = one.get("user", one.get("completed_by"))
        yield Work(one, _results(one, place), _number(person), reason="draft")


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


def _results(work: dict[str, Any], place: str) -> list[Any]:
    results = work.get("result") or []
    if not isinstance(results, list):
        raise odd("result", "a list", results, place)
    return results


def _number(person: object) -> object:
    if not isinstance(person, dict):
        return person
    return person.get("email") if person.get("id") is None else person["id"]


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_copy(annotation: dict[str, Any], task: object, seen: set[object]) -> bool:
    """Tell whether this annotation was read before: storage may hold it more than once."""
    if annotation.get("id") is None:
        return False
    # Numbers are those of one server: of two servers, author and time differ.
    told = ("id", "completed_by", "created_at", "updated_at")
    key = (str(task), *(str(annotation.get(name)) for name in told))
    is_copy = key in seen
    seen.add(key)
    return is_copy


def _why_not(annotation: dict[str, Any]) -> str:
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        return "cancelled"
    return "rejected" if _is_rejected(annotation) else ""


def _is_rejected(annotation: dict[str, Any]) -> bool:
    """Tell whether the newest review, or else the last action, turned an annotation down."""
    given = annotation.get("reviews")
    reviews = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    decided = [one for one in reviews if isinstance(one.get("accepted"), bool)]
    if decided:
        newest = max(decided, key=lambda one: one["id"] if isinstance(one.get("id"), int) else -1)
        return newest["accepted"] is False
    return annotation.get("last_action") == "rejected"
