"""What an export holds: one entry per item, rater and variable, with its state."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from consilience.core.cell_values import as_number
from consilience.core.labels import Note
from consilience.core.reading_account import Ledger
from consilience.exceptions import InputError
from consilience.io.names import rater_name

STATES = ("labelled", "empty", "excluded")
KINDS = ("person", "model", "prediction", "gold")
REPLACED = "replaced by a newer one"
T = TypeVar("T")
CONTROL_ITEMS = "control_items"  # code of the note about items that test the people


@dataclass
class Marked:
    """What one rater marked in one item: an entry that is about parts of the item.

    `limits` turns one of the `marks` into start, end, label, and its place in the file where that
    is not the entry's; marks are looked at only by whoever compares them. `text` is what was marked
    in, or else `bounds` tells where it begins and ends. `beside` is what else was done to it, in
    lists. An account counts those that are an entry, not a further part of one.
    """

    item: object
    rater: object
    marks: Sequence[Any]
    limits: Callable[[Any, str], Sequence[Any]]
    place: str
    tier: str = "spans"
    text: object = None
    bounds: tuple[float, float] | None = None
    beside: Mapping[str, object] = field(default_factory=dict)
    is_entry: bool = True


@dataclass
class Annotations:
    """The entries of an export, column by column.

    Attributes
    ----------
    item, rater, variable, label : list
        What was rated, by whom, which question, and the answer: a text, a number, a frozenset
        where several labels may be chosen, a tuple for a ranking, None without a label.
    state : list of str
        "labelled", "empty" (asked, but no label given) or "excluded".
    reason : list of str
        Why an entry is excluded, in a word or two: "cancelled", "draft", "rejected", "skipped".
    time, text : list
        When the label was given, as the file writes it; the text of the item.
    kind : list of str
        "person"; "model": a system asked like a rater; "prediction": what a system proposed
        beside the people's work; "gold": the right answer.
    place : list
        Where in the file the entry stands, for messages.
    scales : dict
        Variable to the scale that the export itself suggests.
    roles : dict
        "item" and "rater" to the field that names them, in a word or two.
    control : set
        Items that seem to have been put in to test people, where no right answer tells it.
    left_out : Counter
        (variable, kind) to the number of entries that a policy has left out.
    ledger : Ledger
        What the file holds besides entries: boxes, relations, comments, ...
    kinds_told : bool
        Whether the file itself says who is a person and who a system.
    repeated : bool
        Whether systems were asked again on purpose: their answers are occasions.
    failed : list
        Items on which no judge could be asked, with why and where.
    marked : list of Marked
        What people marked inside items, where the export holds such work, too.
    mark_unit : str
        What the places of marks count: "character", "s", "frame".
    mark_ledger : Ledger
        What the file holds besides marks that count.
    left : Counter
        Entries of marks that do not count, in words.
    """

    item: list[object] = field(default_factory=list)
    rater: list[str] = field(default_factory=list)
    variable: list[str] = field(default_factory=list)
    label: list[object] = field(default_factory=list)
    state: list[str] = field(default_factory=list)
    reason: list[str] = field(default_factory=list)
    time: list[str | None] = field(default_factory=list)
    text: list[str | None] = field(default_factory=list)
    kind: list[str] = field(default_factory=list)
    place: list[str | None] = field(default_factory=list)
    scales: dict[str, str] = field(default_factory=dict)
    evidence: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    control: set[object] = field(default_factory=set)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    ledger: Ledger = field(default_factory=Ledger)
    kinds_told: bool = False
    repeated: bool = False
    failed: list[tuple[object, str, str]] = field(default_factory=list)
    marked: list[Marked] = field(default_factory=list)
    mark_unit: str = "character"
    mark_ledger: Ledger = field(default_factory=Ledger)
    left: Counter[str] = field(default_factory=Counter)

    def __len__(self) -> int:
        return len(self.item)

    def add(
        self,
        item: object,
        rater: object,
        label: object = None,
        *,
        variable: str = "label",
        state: str | None = None,
        reason: str = "",
        time: object = None,
        text: object = None,
        kind: str = "person",
        place: str | None = None,
    ) -> None:
        """Append one entry; the state follows from the reason and the label unless it is given.

        `place` says where in the file it stands, for messages.
        """
        value = as_label(label)
        if state is None:
            state = "excluded" if reason else "empty" if value is None else "labelled"
        self.item.append(item if isinstance(item, int) else _name(item, place))
        self.rater.append(_name(rater, place))
        self.variable.append(str(variable))
        self.label.append(value)
        self.state.append(state)
        self.reason.append(reason)
        self.time.append(None if time is None else str(time))
        self.text.append(None if text is None else str(text))
        self.kind.append(kind)
        self.place.append(place)

    def note(self, code: str, message: str) -> None:
        """Keep something that the owner of the data should know; each only once."""
        note = Note(code, message)
        if note not in self.notes:
            self.notes.append(note)

    def variables(self) -> list[str]:
        """The variables in order of first appearance."""
        return list(dict.fromkeys(self.variable))

    def taking(self, places: Iterable[int]) -> Annotations:
        """Keep some entries, in the order given."""
        chosen = list(places)
        part = replace(self, notes=list(self.notes), evidence=list(self.evidence))
        for name in COLUMNS:
            column = getattr(self, name)
            setattr(part, name, [column[k] for k in chosen])
        return part

    def keep_newest(self, among: tuple[str, ...] = KINDS) -> None:
        """Exclude all but the newest of several entries for one item, rater and variable.

        What is newer, `newest` decides.
        """
        _, older = newest(
            ((self.item[k], self.rater[k], self.variable[k], self.kind[k]), self.time[k], k)
            for k in range(len(self))
            if self.state[k] != "excluded" and self.kind[k] in among
        )
        for k in older:
            self.state[k], self.reason[k] = "excluded", REPLACED
        if older:
            people = len({self.rater[k] for k in older})
            self.note(
                "newest_kept",
                f"{len(older):,} older answers by {people:,} "
                f"{'rater' if people == 1 else 'raters'} were left out, because the same rater "
                "answered the same question again later.",
            )

    def leave(self, what: str, inside: Mapping[str, int], *, matters: bool = False) -> None:
        """Leave out an entry of marks, with the units and whatever else is inside it."""
        self.left[what] += 1
        for kind, count, reason in (
            ("entries", 1, "they do not count"),
            *((kind, n, "they are in entries that do not count") for kind, n in inside.items()),
        ):
            self.mark_ledger.set_aside(kind, what, count, reason=reason, matters=matters)

    def keep_runs(self) -> None:
        """Take answers of one system to one question as repeated runs; people's newest counts.

        Items on which no judge could be asked are entries of every judge, with the reason.
        """
        judges = dict.fromkeys(
            (rater, variable)
            for rater, variable, kind in zip(self.rater, self.variable, self.kind, strict=True)
            if kind == "model"
        )
        for item, reason, place in self.failed:
            for rater, variable in judges:
                self.add(item, rater, variable=variable, reason=reason, place=place, kind="model")
        self.note_runs()
        self.keep_newest(among=("person", "gold"))

    def note_runs(self) -> None:
        """Take several answers of one system to one question as runs, if there are any."""
        seen: set[tuple[object, ...]] = set()
        again = 0
        for k in range(len(self)):
            if self.kind[k] == "model":
                key = (self.item[k], self.rater[k], self.variable[k])
                again += key in seen
                seen.add(key)
        if again:
            self.repeated = True
            self.note(
                "repeated_runs",
                f"{again:,} verdicts are further runs of a judge on the same item. They were kept "
                "as occasions: they show how stable the judge is, and are no further raters.",
            )

    def systems(self) -> tuple[str, ...]:
        """Return the raters that are systems by the word of the file."""
        if not self.kinds_told:
            return ()
        people = {who for who, kind in zip(self.rater, self.kind, strict=True) if kind != "model"}
        return tuple(dict.fromkeys(who for who in self.rater if who not in people))

    def states(self) -> dict[str, Any]:
        """Count the three states: not asked, asked without a label, excluded (by reason)."""
        asked: dict[str, set[tuple[object, str]]] = {}
        for k, variable in enumerate(self.variable):
            asked.setdefault(variable, set()).add((self.item[k], self.rater[k]))
        not_asked = 0
        for pairs in asked.values():
            items, raters = {item for item, _ in pairs}, {rater for _, rater in pairs}
            not_asked += len(items) * len(raters) - len(pairs)
        excluded = Counter(
            reason or "excluded"
            for state, reason in zip(self.state, self.reason, strict=True)
            if state == "excluded"
        )
        return {
            "not asked": not_asked,
            "asked, no label": self.state.count("empty"),
            "excluded": dict(sorted(excluded.items())),
        }


COLUMNS = ("item", "rater", "variable", "label", "state", "reason", "time", "text", "kind",
           "place")  # fmt: skip


def newest(given: Iterable[tuple[Hashable, object, T]]) -> tuple[list[T], list[T]]:
    """Part what is given as (key, time, thing) into the newest thing of each key, and the older.

    What has no time is older than what has one; of two alike the later is the newer.
    """
    kept: dict[Hashable, tuple[tuple[float, str], T]] = {}
    older: list[T] = []
    for key, time, one in given:
        when = moment(None if time is None else str(time))
        before = kept.get(key)
        if before is None or when >= before[0]:
            kept[key] = when, one
            older += [] if before is None else [before[1]]
        else:
            older.append(one)
    return [one for _, one in kept.values()], older


def moment(time: str | None) -> tuple[float, str]:
    """Return something by which times can be put in order: seconds, then the text itself."""
    if time is None:
        return -math.inf, ""
    seconds = as_number(time)
    if seconds is None:
        try:
            parsed = datetime.fromisoformat(time)
            seconds = (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            seconds = 0.0
    return seconds, time


def as_label(value: Any) -> Any:
    """Return what a file gives as a label in one of the forms that labels may have."""
    if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124 - NaN
        return None
    if isinstance(value, (set, frozenset)):
        return frozenset(as_label(part) for part in value)
    if isinstance(value, (list, tuple)):
        return tuple(as_label(part) for part in value)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    if isinstance(value, str):
        return value.strip() or None
    return value


def _name(value: object, place: str | None) -> str:
    name = rater_name(value)
    if name is None:
        needed = "one that names its item and its rater"
        hint = "check the export, or name the field with item= or rater="
        raise InputError.expected("every entry", needed, value, hint, where=place)
    return name
