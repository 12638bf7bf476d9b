"""Amazon Mechanical Turk: the results of a batch, one row per assignment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from consilience.exceptions import InputError
from consilience.io.bytes._guarded import parse_json
from consilience.io.bytes._source import Source
from consilience.io.platforms._answer_columns import (
    Choices,
    Row,
    column_of,
    parts_of,
    rows_of,
    several_in_cells,
    wished_for,
)
from consilience.io.platforms._choices import looked_at, odd
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations
from consilience.io.tables.role_names import priority, role_of

_INPUT, _ANSWER, _TASK = "Input.", "Answer.", "Answer.taskAnswers"
_FLAGS = ("true", "false", "on", "")
_TEXTS = ("text", "sentence", "content", "tweet", "comment", "title", "question")
_NUMBER = re.compile(r"^(.*?)[_\-. ]?([0-9]+)$")


@dataclass
class _Assignment:
    """One row: who worked on what, and the answers by variable."""

    place: str
    row: Row
    reason: str
    answers: dict[str, Any] = field(default_factory=dict)


@export("mturk", title="Amazon Mechanical Turk (CSV)", suffixes=(".csv",))
class MTurk:
    """Each question is a variable; rejected assignments are excluded."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for the numbers of HIT and worker beside at least one answer."""
        for one in looked_at(sample, (".csv",)):
            columns = one.columns()
            answers = [name for name in columns if name.startswith(_ANSWER)]
            if answers and {"HITId", "WorkerId"} <= set(columns):
                return f"the columns HITId, WorkerId and {answers[0]}"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every assignment, then say what the options of each question amount to."""
        found = Annotations()
        done = [_assignment(place, row, found) for place, row in rows_of(source, options)]
        if not done:
            return found
        options = replace(options, label=tuple(map(_question, options.label)))
        if options.item is None:
            options = replace(options, item=_input_that_repeats(done, found))
        found.roles.update(item=options.item or "HITId", rater=options.rater or "WorkerId")
        _fill_in(done)
        _join_options(done)
        _settle(done, found)
        for one in done:
            rater = one.row[_column(one, options.rater or "WorkerId", "rater")]
            for item, variable, value in _questions(one, options):
                if wished_for(variable, _ANSWER + variable, options):
                    found.add(
                        item, rater, value, variable=variable, reason=one.reason,
                        time=one.row.get("SubmitTime") or None, text=_text(one.row),
                    )  # fmt: skip
        _tell(found, done, options)
        return found


def _column(one: _Assignment, wished: str, option: str) -> str:
    return column_of(tuple(one.row), wished, option, one.place, (_INPUT, _ANSWER))


# -------------------------------------------------------------------- one row


def _assignment(place: str, row: Row, found: Annotations) -> _Assignment:
    one = _Assignment(place, row, "rejected" if _is_rejected(row) else "")
    for column, cell in row.items():
        if column == _TASK:
            one.answers.update(_from_task(cell, place, found))
        elif column.startswith(_ANSWER):
            name = _question(column)
            one.answers[column.removeprefix(_ANSWER) if _ANSWER + name in row else name] = cell
    return one


def _question(column: str) -> str:
    """Return the name of a question: category.label is what a crowd form calls "category"."""
    return column.removeprefix(_ANSWER).removesuffix(".label")


def _is_rejected(row: Row) -> bool:
    """Follow the status, which a later approval changes; without one the time of the rejection."""
    if row.get("Reject"):  # the requester's own mark, to be uploaded
        return True
    status = row.get("AssignmentStatus", "")
    return status.casefold() == "rejected" if status else bool(row.get("RejectionTime"))


def _from_task(cell: str, place: str, found: Annotations) -> dict[str, Any]:
    """Take apart the one JSON cell of a form made of crowd elements."""
    if not cell:
        return {}
    value = parse_json(cell, place)
    forms = value if isinstance(value, list) else [value]
    answers: dict[str, Any] = {}
    for form in forms:
        if not isinstance(form, dict) or answers.keys() & form.keys():
            raise odd(_TASK, "a list with one object of answers", form, place)
        for name, given in form.items():
            answers.update(_from_element(name, given, found))
    return answers


def _from_element(name: str, given: Any, found: Annotations) -> dict[str, Any]:
    if not isinstance(given, dict):
        is_plain = isinstance(given, list) and not any(isinstance(p, (dict, list)) for p in given)
        return {name: frozenset(map(str, given)) if is_plain else given}
    if set(given) == {"label"}:
        return {name: given["label"]}
    if set(given) == {"labels"} and isinstance(given["labels"], list):
        return {name: frozenset(map(str, given["labels"]))}
    if given and all(isinstance(flag, bool) for flag in given.values()):
        return {name: given}
    if given and not any(isinstance(part, (dict, list)) for part in given.values()):
        return {f"{name}.{part}": label for part, label in given.items()}
    found.note(
        "units_not_read",
        f"{name!r} holds marks on a text or a picture, which are no ratings, and was not read.",
    )
    return {}


def _text(row: Row) -> str | None:
    given = {name: cell for name, cell in row.items() if name.startswith(_INPUT)}
    texts = [cell for name, cell in given.items() if name.removeprefix(_INPUT).lower() in _TEXTS]
    found = list(given.values()) if len(given) == 1 else texts
    return found[0] if len(found) == 1 else None


# -------------------------------------------------------------------- all rows


def _fill_in(done: list[_Assignment]) -> None:
    """Add the questions that a form left out of its JSON, because nothing was chosen."""
    asked: dict[str, dict[str, None]] = {}
    for one in done:
        asked.setdefault(one.row.get("HITTypeId", ""), {}).update(dict.fromkeys(one.answers))
    for one in done:
        if _TASK in one.row:
            for name in asked[one.row.get("HITTypeId", "")]:
                one.answers.setdefault(name, None)


def _join_options(done: list[_Assignment]) -> None:
    """Join columns such as q1.yes and q1.no, if all they hold is true and false."""
    columns = dict.fromkeys(name for one in done for name in one.answers if "." in name)
    flags = [
        name
        for name in columns
        if all(str(one.answers.get(name, "")).casefold() in _FLAGS for one in done)
    ]
    for one in done:
        for name in flags:
            stem, _, option = name.rpartition(".")
            group = one.answers.setdefault(stem, {}) if name in one.answers else None
            if isinstance(group, dict):
                group[option] = one.answers.pop(name)


def _settle(done: list[_Assignment], found: Annotations) -> None:
    """Turn what the forms hold into labels: one option, a set of them, or yes and no."""
    groups: dict[str, Choices] = {}
    cells: dict[str, list[str]] = {}
    for one in done:
        for name, value in one.answers.items():
            if isinstance(value, dict):
                groups.setdefault(name, Choices()).meet(value)
            elif isinstance(value, str):
                cells.setdefault(name, []).append(value)
    joined = {name for name, given in cells.items() if several_in_cells(given, "|")}
    for name in sorted(joined):
        found.note("joined_choices", f"Answers to {name!r} such as a|b were read as two choices.")
    for one in done:
        settled: dict[str, Any] = {}
        for name, value in one.answers.items():
            group = groups.get(name)
            if group is not None:
                settled[_name(name, group)] = group.label(value if isinstance(value, dict) else {})
            elif name in joined and isinstance(value, str):
                settled[name] = frozenset(parts_of(value, "|")) or None
            else:
                settled[name] = value
        one.answers = settled


def _name(variable: str, group: Choices) -> str:
    """Call a question after the option too, where it has one only and that is not just "on"."""
    only = next(iter(group.options))
    return f"{variable}.{only}" if group.is_box and only != "on" else variable


def _questions(one: _Assignment, options: ExportOptions) -> Iterator[tuple[str | None, str, Any]]:
    """Yield item, variable and answer; one HIT may hold several items, numbered alike."""
    wished = options.item or "HITId"
    if "*" not in wished:
        item = one.row[_column(one, wished, "item")]
        for variable, value in one.answers.items():
            yield item, variable, value
        return
    pattern = wished if wished.startswith(_INPUT) else _INPUT + wished
    before, _, after = pattern.partition("*")
    numbers = {
        name[len(before) : len(name) - len(after)]: name
        for name in one.row
        if fnmatchcase(name, pattern)
    }
    if not numbers:
        raise InputError.unknown_word(f"{one.place}: item", wished, tuple(one.row))
    for variable, value in one.answers.items():
        match = _NUMBER.match(variable)
        if match and match[1] and match[2] in numbers and one.row[numbers[match[2]]]:
            yield one.row[numbers[match[2]]], match[1], value


def _input_that_repeats(done: list[_Assignment], found: Annotations) -> str | None:
    """Find the input to take as the item where each HIT was done once, and inputs come back.

    Taken by HIT, no two people would meet in an item. Of inputs that tell as many items apart the
    one that is called like an item is taken, else the first.
    """
    hits = {one.row.get("HITId") for one in done}
    inputs = [name for name in done[0].row if name.startswith(_INPUT)]
    apart = {name: len({one.row.get(name) for one in done}) for name in inputs}
    most = max(apart.values(), default=0)
    if len(hits) < len(done) or not 1 < most < len(done) or len(_numbers(done[0])) > 1:
        return None
    fits = [name for name in inputs if apart[name] == most]
    best = min(fits, key=lambda name: _rank(name.removeprefix(_INPUT)))
    found.evidence.append(
        f"no HIT was done twice, but inputs come back: the item is {best} (--item)"
    )
    return best


def _rank(name: str) -> int:
    """Rank names of inputs: the surer one names the item, the smaller."""
    return priority(name) if role_of(name) == "item" else 1_000


def _numbers(one: _Assignment) -> set[str]:
    """Return the numbers that inputs and answers share, as where a HIT holds several items."""
    numbered = {match[2] for name in one.row
                if name.startswith(_INPUT) and (match := _NUMBER.match(name))}  # fmt: skip
    return numbered & {match[2] for name in one.answers if (match := _NUMBER.match(name))}


def _tell(found: Annotations, done: list[_Assignment], options: ExportOptions) -> None:
    inputs = [name for name in done[0].row if name.startswith(_INPUT)]
    numbers = _numbers(done[0])
    if options.item is None and len(numbers) > 1:
        stem = next(m[1] for name in inputs if (m := _NUMBER.match(name)))
        found.note(
            "several_items_in_a_hit",
            f"The HITs seem to hold {len(numbers)} items each, numbered in the names "
            f'of the columns; each number was read as a variable. Pass item="{stem}*" (--item '
            f'"{stem}*") to take them as items.',
        )
    elif options.item is None and inputs:
        values = {tuple(one.row.get(name) for name in inputs) for one in done}
        hits = {one.row.get("HITId") for one in done}
        if 1 < len(values) < len(hits):
            found.note(
                "items_in_several_hits",
                f"{len(hits):,} HITs show {len(values):,} different inputs: an item may be in "
                f'several HITs. Pass item="{inputs[0]}" (--item {inputs[0]}) to put them together.',
            )
