"""The results of a Label Studio annotation: answers about the whole task, by question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from consilience.core.words import counted
from consilience.io.annotations._ledgers import NOT_MEASURED
from consilience.io.platforms._choices import chosen, odd, words_of
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.labelling._label_studio_tasks import SHAPES

# Fields that place something inside the task: in a text, a picture, a recording.
_PLACED = frozenset(
    ("start", "end", "startOffset", "globalOffsets", "x", "y", "points", "rle", "sequence",
     "ranges", "vertices", "channel", "brushlabels")
)  # fmt: skip
SCALES = {"rating": "ordinal", "number": "interval"}


@dataclass
class Tally:
    """What was seen beside the answers."""

    scales: dict[str, str] = field(default_factory=dict)
    regions: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    advice: str = "Compare what raters marked, and where, with `consilience units`."

    def tell(self, found: Annotations) -> None:
        """Leave notes about what was not read, and count it in the account."""
        for kind, often in self.regions.items():
            reason = NOT_MEASURED if kind in SHAPES else "they are about parts of a task"
            what = SHAPES.get(kind, "regions")
            found.ledger.set_aside(what, kind, often, reason=reason, matters=False)
        for kind, often in self.unread.items():
            found.ledger.set_aside(
                "results", kind, often, reason="they cannot be compared", matters=False
            )
        if self.regions:
            found.note(
                "regions_not_read",
                f"{counted(sum(self.regions.values()), 'result')} about parts of a task "
                f"({', '.join(sorted(self.regions))}) not read. {self._advice()}",
            )
        if self.unread:
            found.note(
                "results_not_read",
                f"{counted(sum(self.unread.values()), 'result')} that cannot be compared not read: "
                f"{', '.join(sorted(self.unread))}.",
            )
        if self.repeated:
            found.note(
                "several_values",
                f"{self.repeated:,} times one annotation answers a question more than once; the "
                "last answer was taken.",
            )

    def _advice(self) -> str:
        """Say what to do with parts of a task; shapes on pictures cannot be compared yet."""
        shapes = {kind for kind in self.regions if kind in SHAPES}
        if shapes == set(self.regions):
            return "Boxes, other shapes and relations are not measured yet."
        more = " Boxes, other shapes and relations are not measured yet." if shapes else ""
        return self.advice + more


def answers_in(results: list[Any], place: str, tally: Tally) -> dict[str, object]:
    """Return question to label for what is said about the whole task."""
    rows = []
    for row in results:
        if not isinstance(row, dict):
            raise odd("every result", "an object", row, place)
        rows.append(row)
    placed = {row["id"] for row in rows if _is_placed(row) and isinstance(row.get("id"), str)}
    answers: dict[str, object] = {}
    for row in rows:
        _take(row, placed, answers, place, tally)
    return answers


def _is_placed(row: dict[str, Any]) -> bool:
    return has_place(row.get("value"))


def has_place(value: object) -> bool:
    """Tell whether a value is about a part of the task."""
    return isinstance(value, dict) and not _PLACED.isdisjoint(value)


def _take(
    row: dict[str, Any], placed: set[str], answers: dict[str, object], place: str, tally: Tally
) -> None:
    kind, value = str(row.get("type") or ""), row.get("value")
    if kind == "relation":  # neither an id nor a value
        tally.regions[kind] += 1
        return
    if value is None:
        tally.unread[f"{kind or 'results'} without a value"] += 1
        return
    if not isinstance(value, dict):
        raise odd("the value of a result", "an object", value, place)
    key = row.get("id")
    if _is_placed(row) or (isinstance(key, str) and key in placed):
        tally.regions[kind] += 1
        return
    read = READERS.get(kind)
    if read is None:
        tally.unread[kind or "of no type"] += 1
        return
    name = row.get("from_name")
    if not isinstance(name, str) or not name:
        raise odd("from_name", "the name of a question", name, place)
    label = read(value, place)
    if kind in SCALES:
        tally.scales[name] = SCALES[kind]
    if name in answers and label is not None and answers[name] is not None:
        if kind in ("choices", "taxonomy"):  # the question was asked about several parts
            label = chosen((*_members(answers[name]), *_members(label)))
        elif label != answers[name]:
            tally.repeated += 1
    answers[name] = label if label is not None else answers.get(name)


def _members(label: object) -> tuple[object, ...]:
    return tuple(sorted(label)) if isinstance(label, frozenset) else (label,)


def _choices(value: dict[str, Any], place: str) -> object:
    return chosen(words_of(value.get("choices") or [], "choices", place))


def _taxonomy(value: dict[str, Any], place: str) -> object:
    return chosen(words_of(value.get("taxonomy") or [], "taxonomy", place))


def _number_in(key: str) -> Callable[[dict[str, Any], str], object]:
    def read(value: dict[str, Any], place: str) -> object:
        number = value.get(key)
        if number is None or (isinstance(number, (int, float)) and not isinstance(number, bool)):
            return number
        raise odd(key, "a number", number, place)

    return read


def _pairwise(value: dict[str, Any], place: str) -> object:
    side = value.get("selected")
    if side is None or isinstance(side, str):
        return side
    raise odd("selected", "left or right", side, place)


def _ranker(value: dict[str, Any], place: str) -> object:
    order = value.get("ranker")
    if isinstance(order, dict) and len(order) == 1:  # one list to sort, under its own name
        order = next(iter(order.values()))
    if isinstance(order, list):
        return tuple(words_of(order, "ranker", place)) or None
    if order is None or isinstance(order, dict):  # several lists to fill: compared as a whole
        return order or None
    raise odd("ranker", "a list", order, place)


READERS: dict[str, Callable[[dict[str, Any], str], object]] = {
    "choices": _choices,
    "number": _number_in("number"),
    "pairwise": _pairwise,
    "ranker": _ranker,
    "rating": _number_in("rating"),
    "taxonomy": _taxonomy,
}
