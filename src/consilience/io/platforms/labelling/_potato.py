"""Potato: the folder of user states, and the CSV, TSV and JSON lines that it writes from them."""

from __future__ import annotations

import re
from typing import Any

from consilience.io.bytes._source import Source
from consilience.io.platforms._choices import chosen
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import CONTROL_ITEMS, Annotations
from consilience.io.platforms.records._potato_states import (
    LABELS,
    STATE,
    Done,
    chosen_members,
    done_in,
)

# Questions with one field: the field's name says nothing, its value is the answer.
_FIELDS = frozenset(("select-one", "slider", "_data", "number", "range_value", ""))
_PROSE = frozenset(("free_response", "text_box", "textbox", "other"))
_FALSE = frozenset(("", "false", "none", "null", "0", "off"))
_POINT = re.compile(r"(?:scale[_ ]?)?(-?\d+)")
_CHECK = re.compile(r"attention|gold|screener|training", re.IGNORECASE)


@export(
    "potato",
    title="Potato (user states, CSV, TSV, JSON lines, Parquet)",
    suffixes=(".json", ".jsonl", ".csv", ".tsv", ".parquet"),
    label_names="variables",
)
class Potato:
    """Radio buttons, scales, several choices, menus, sliders and numbers."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for a user's state, or for rows by item and user with a column per option."""
        names = sample.members()
        states = [name for name in names if name.rpartition("/")[2] == STATE]
        if states:
            sample = sample.member(states[0])
        elif names:
            return None
        for record in sample.records()[:1]:
            if "user_id" in record and isinstance(record.get(LABELS), dict):
                return "the state of a user, with labels by item"
            if record.keys() >= {"instance_id", "user_id", "labels", "spans"}:
                return "every record has instance_id, user_id, labels and spans"
        columns = sample.columns() or sample.parquet_columns()
        if {"instance_id", "user_id"} <= set(columns) and any("." in name for name in columns):
            return "the columns instance_id and user_id, and one for each option"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read the answers of every user."""
        reading = _Reading()
        for member in chosen_members(source):
            reading.done += done_in(member, options)
        return reading.annotations()


class _Reading:
    """All users' work, while it is read."""

    def __init__(self) -> None:
        self.done: list[Done] = []

    def annotations(self) -> Annotations:
        """Return one entry per item, rater and question that was asked."""
        options: dict[str, set[str]] = {}
        for done in self.done:
            for question, values in done.answers.items():
                options.setdefault(question, set()).update(values)
        prose = {name for name, names in options.items() if names and names <= _PROSE}
        points = {name for name, names in options.items() if _are_points(names)}
        found = Annotations(
            scales=dict.fromkeys(sorted(points), "ordinal"),
            roles={"item": "instance_id", "rater": "user_id"},
        )
        for done in self.done:
            for question in options:
                if question not in prose:
                    values = done.answers.get(question, {})
                    label, reason = _label(question, values, done, question in points)
                    found.add(done.item, done.rater, label, variable=question, reason=reason,
                              place=done.place)  # fmt: skip
        self._tell(found, prose)
        return found

    def _tell(self, found: Annotations, prose: set[str]) -> None:
        unclear = found.reason.count("ambiguous")
        if unclear:
            found.note(
                "several_points",
                f"{unclear:,} answers hold several points of one scale, in the order in which "
                "they were first touched: which was meant is unknown, and they were excluded.",
            )
        several = {v for v, label in zip(found.variable, found.label, strict=True)
                   if isinstance(label, frozenset)}  # fmt: skip
        if several:
            found.note(
                "perhaps_one_choice",
                f"Several options were chosen at once in {', '.join(sorted(several))}. If only "
                "one may be chosen there, the file is from a version that kept changed answers: "
                "repair it with Potato's repair-annotations.",
            )
        found.control = {item for item in found.item if _CHECK.search(str(item))}
        if found.control:
            found.note(
                CONTROL_ITEMS,
                f"{len(found.control):,} items are named like attention checks, gold or training "
                'items and count like any other. To leave them out, pass gold="leave_out_items" '
                "(--gold-answers leave_out_items).",
            )
        if any(done.spans for done in self.done):
            found.note(
                "spans_not_read", "Spans were not read. Compare them with `consilience units`."
            )
        if prose:
            found.note("free_text_not_read", f"Free text was not read: {', '.join(sorted(prose))}.")


def _are_points(names: set[str]) -> bool:
    return bool(names) and all(_POINT.fullmatch(name) for name in names)


def _is_chosen(option: str, value: object) -> bool:
    return value == option or str(value).strip().lower() not in _FALSE


def _label(question: str, values: dict[str, Any], done: Done, is_scale: bool) -> tuple[object, str]:
    """Return the label, and why it does not count if it does not."""
    own = [name for name in values if name in _FIELDS]
    if own and len(values) == len(own):
        value = values[own[-1]]
        return (value if isinstance(value, (str, int, float)) else None), ""
    picked = [
        name
        for name, value in values.items()
        if name not in _FIELDS | _PROSE and _is_chosen(name, value)
    ]
    if not is_scale:
        return chosen(picked), ""
    if len(picked) > 1:
        last = _last_touched(question, picked, done.changes)
        if last is None:
            return None, "ambiguous"
        picked = [last]
    found = _POINT.fullmatch(picked[0]) if picked else None
    return (int(found[1]) if found else None), ""


def _last_touched(question: str, options: list[str], changes: list[dict[str, Any]]) -> str | None:
    """Return the option that was selected last, where the times are known."""
    times = [
        (change["timestamp"], str(change["label_name"]))
        for change in changes
        if change.get("schema_name") == question
        and change.get("action") in ("select", "update")
        and change.get("label_name") in options
        and isinstance(change.get("timestamp"), (int, float))
    ]
    return max(times)[1] if times else None
