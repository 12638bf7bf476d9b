"""Crowd platforms: CrowdFlower (later Figure Eight and Appen), Amazon Mechanical Turk, Toloka."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from shlex import quote
from typing import Any

from consilience.exceptions import InputError, Option, Words
from consilience.io.exports._records_and_cells import (
    Choices,
    Row,
    column_of,
    is_yes,
    looked_at,
    odd,
    parts_of,
    rows_of,
    several_in_cells,
    wished_for,
)
from consilience.io.exports.export_entries import CONTROL_ITEMS, Annotations
from consilience.io.exports.registry import ExportOptions, Sample, export
from consilience.io.files.limits import refused
from consilience.io.files.parsing import parse_json
from consilience.io.files.source import Source
from consilience.io.layout.lexicon import item_rank, role_of
from consilience.io.layout.table_sample import likeliest_label

# ---- control items


def tell_control_items(found: Annotations) -> None:
    """Say how many of the items are control items, and how to do without them."""
    control = {item for item, kind in zip(found.item, found.kind, strict=True) if kind == "gold"}
    if not control:
        return
    answers = sum(
        item in control and kind == "person"
        for item, kind in zip(found.item, found.kind, strict=True)
    )
    found.note(
        CONTROL_ITEMS,
        f"{len(control):,} items are control items with a known answer; {answers:,} answers to "
        "them were read like any other. People are often chosen by how they answer them, which "
        'raises agreement. To leave the items out, pass gold="leave_out_items" '
        "(--gold-answers leave_out_items).",
    )


# ---- CrowdFlower

_UNIT, _WORKER, _GOLD = "_unit_id", "_worker_id", "_gold"


@export("crowdflower", title="CrowdFlower or Appen (full report)", suffixes=(".csv",))
class CrowdFlower:
    """Each question is a variable; judgments of people who failed the tests are excluded."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for the numbers of unit and worker; the other report has counts instead."""
        for one in looked_at(sample, (".csv",)):
            columns = set(one.columns())
            if _UNIT in columns and _WORKER in columns:
                return f"the columns {_UNIT} and {_WORKER}"
            if {_UNIT, "_trusted_judgments"} <= columns:
                return f"the columns {_UNIT} and _trusted_judgments"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every judgment; which columns are questions follows from the cells."""
        rows = list(rows_of(source, options))
        found = Annotations()
        if not rows:
            return found
        _refuse_summary(rows[0][1], source.where)
        questions = _judged_columns(rows, options, found)
        several = {
            name
            for name in questions
            if several_in_cells([row.get(name, "") for _, row in rows], "\n")
        }
        gold: dict[tuple[str, str], str] = {}
        for place, row in rows:
            columns = tuple(row)
            item = row[column_of(columns, options.item or _UNIT, "item", place)]
            rater = row[column_of(columns, options.rater or _WORKER, "rater", place)]
            for name in questions:
                cell = row.get(name, "")
                found.add(
                    item,
                    rater,
                    frozenset(parts_of(cell, "\n")) or None if name in several else cell,
                    variable=name,
                    reason="tainted" if is_yes(row.get("_tainted")) else "",
                    time=row.get("_created_at") or None,
                )
                if row.get(name + _GOLD):
                    gold[item, name] = row[name + _GOLD]
        found.roles.update(item=options.item or _UNIT, rater=options.rater or _WORKER)
        _add_gold(found, gold, several)
        _tell_of_units(found, rows[0][1], rows)
        return found


def _refuse_summary(row: Row, where: str) -> None:
    if _WORKER not in row:
        needed = "the full one, with a row per judgment"
        got = "the one that counts the judgments of each unit"
        raise refused(where, "the report", needed, got, "download the full report")


def _judged_columns(
    rows: list[tuple[str, Row]], options: ExportOptions, found: Annotations
) -> list[str]:
    """Find the answers: columns with a gold column beside them, or that vary within a unit."""
    columns = list(rows[0][1])
    if options.label:
        return [column_of(columns, name, "label", rows[0][0]) for name in options.label]
    own = {_UNIT, _WORKER, options.item, options.rater}
    free = [
        name
        for name in columns
        if name not in own
        and not name.startswith(("_", "orig_"))
        and not name.endswith((_GOLD, "_gold_reason"))
    ]
    first: dict[tuple[str, str], str] = {}
    varies = {
        name
        for _, row in rows
        for name in free
        if first.setdefault((row.get(_UNIT, ""), name), row.get(name, "")) != row.get(name, "")
    }
    questions = [name for name in free if name in varies or name + _GOLD in columns]
    if not questions:
        where = rows[0][0].partition(", line")[0]
        what = "the questions"
        hint = Words("name them, as in ", Option("label", _likeliest(rows, free)))
        raise refused(where, what, "among the columns", "no column that varies within a unit", hint)
    listed = ", ".join(map(repr, questions[:6]))
    found.evidence.append(f"questions, as their answers vary within a unit: {listed} (--label)")
    return questions


def _likeliest(rows: list[tuple[str, Row]], names: list[str]) -> str:
    columns = {name: [row.get(name) for _, row in rows] for name in names}
    return quote(likeliest_label(columns) or "COLUMN")


def _add_gold(found: Annotations, gold: dict[tuple[str, str], str], several: set[str]) -> None:
    """Add the right answers; a question may accept more than one, and then has none to compare."""
    for (item, name), cell in gold.items():
        accepted = parts_of(cell, "\n")
        label = frozenset(accepted) if name in several else cell if len(accepted) == 1 else None
        found.add(item, "gold", label, variable=name, kind="gold")


def _tell_of_units(found: Annotations, row: Row, rows: list[tuple[str, Row]]) -> None:
    if "_ip" in row:
        found.note(
            "personal_data",
            "The file holds addresses of computers and places (_ip, _city), which are personal "
            "data; they were not read. Remove them before you share the file.",
        )
    tests = {row.get(_UNIT) for _, row in rows if is_yes(row.get("_golden"))}
    known = any(kind == "gold" for kind in found.kind)
    if tests and not known:
        found.note(
            CONTROL_ITEMS,
            f"{len(tests):,} units are test questions (_golden), whose right answers the file does "
            "not hold; the answers to them were read like any other.",
        )
    tell_control_items(found)


# ---- Mechanical Turk

_HIT_INPUT, _ANSWER, _TASK = "Input.", "Answer.", "Answer.taskAnswers"
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
            for item, variable, value in _answers_by_item(one, options):
                if wished_for(variable, _ANSWER + variable, options):
                    found.add(
                        item,
                        rater,
                        value,
                        variable=variable,
                        reason=one.reason,
                        time=one.row.get("SubmitTime") or None,
                        text=_text_of_hit(one.row),
                    )
        _tell_of_hits(found, done, options)
        return found


def _column(one: _Assignment, wished: str, option: str) -> str:
    return column_of(tuple(one.row), wished, option, one.place, (_HIT_INPUT, _ANSWER))


# ---- one row


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


def _text_of_hit(row: Row) -> str | None:
    given = {name: cell for name, cell in row.items() if name.startswith(_HIT_INPUT)}
    texts = [
        cell for name, cell in given.items() if name.removeprefix(_HIT_INPUT).lower() in _TEXTS
    ]
    found = list(given.values()) if len(given) == 1 else texts
    return found[0] if len(found) == 1 else None


# ---- all rows


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


def _answers_by_item(
    one: _Assignment, options: ExportOptions
) -> Iterator[tuple[str | None, str, Any]]:
    """Yield item, variable and answer; one HIT may hold several items, numbered alike."""
    wished = options.item or "HITId"
    if "*" not in wished:
        item = one.row[_column(one, wished, "item")]
        for variable, value in one.answers.items():
            yield item, variable, value
        return
    pattern = wished if wished.startswith(_HIT_INPUT) else _HIT_INPUT + wished
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
    inputs = [name for name in done[0].row if name.startswith(_HIT_INPUT)]
    apart = {name: len({one.row.get(name) for one in done}) for name in inputs}
    most = max(apart.values(), default=0)
    if len(hits) < len(done) or not 1 < most < len(done) or len(_numbers(done[0])) > 1:
        return None
    fits = [name for name in inputs if apart[name] == most]
    best = min(fits, key=lambda name: _rank(name.removeprefix(_HIT_INPUT)))
    found.evidence.append(
        f"no HIT was done twice, but inputs come back: the item is {best} (--item)"
    )
    return best


def _rank(name: str) -> int:
    """Rank names of inputs: the surer one names the item, the smaller."""
    return item_rank(name) if role_of(name) == "item" else 1_000


def _numbers(one: _Assignment) -> set[str]:
    """Return the numbers that inputs and answers share, as where a HIT holds several items."""
    inputs = filter(None, (_NUMBER.match(name) for name in one.row if name.startswith(_HIT_INPUT)))
    answers = filter(None, map(_NUMBER.match, one.answers))
    return {match[2] for match in inputs} & {match[2] for match in answers}


def _tell_of_hits(found: Annotations, done: list[_Assignment], options: ExportOptions) -> None:
    inputs = [name for name in done[0].row if name.startswith(_HIT_INPUT)]
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


# ---- Toloka

_TASK_INPUT, _OUTPUT, _GOLDEN, _ABOUT = "INPUT:", "OUTPUT:", "GOLDEN:", "ASSIGNMENT:"
# What keeps an answer from counting: the status, or, without one, the time at which it happened.
_REASONS = {
    "rejected": "rejected",
    "skipped": "skipped",
    "expired": "expired",
    "active": "not finished",
}


@export("toloka", title="Toloka (TSV)", suffixes=(".tsv",), experimental=True)
class Toloka:
    """Each output field is a variable; tasks with a known answer are control items."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for the prefixes of the columns."""
        for one in looked_at(sample, (".tsv", ".csv")):
            columns = one.columns()
            output = [name for name in columns if name.startswith(_OUTPUT)]
            if output and _ABOUT + "worker_id" in columns:
                return f"the columns {_ABOUT}worker_id and {output[0]}"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every answer; lines without a cell part the assignments and mean nothing."""
        found = Annotations()
        gold: dict[tuple[str, str], str] = {}
        for place, row in rows_of(source, options):
            columns = tuple(row)
            if _ABOUT + "worker_id" not in row and options.rater is None:
                column_of(columns, _ABOUT + "worker_id", "rater", place)
            item = _item(row, options, place)
            rater = row[column_of(columns, options.rater or "worker_id", "rater", place, (_ABOUT,))]
            reason = _reason(row)
            for column, cell in row.items():
                variable = column.removeprefix(_OUTPUT)
                if not column.startswith(_OUTPUT) or not wished_for(variable, column, options):
                    continue
                found.add(
                    item,
                    rater,
                    cell,
                    variable=variable,
                    reason=reason,
                    time=row.get(_ABOUT + "submitted") or None,
                    text=_text_of_task(row),
                )
                if row.get(_GOLDEN + variable):
                    gold[item, variable] = row[_GOLDEN + variable]
        found.roles.update(
            item=options.item or _ABOUT + "task_id", rater=options.rater or _ABOUT + "worker_id"
        )
        for (item, variable), label in gold.items():
            found.add(item, "gold", label, variable=variable, kind="gold")
        tell_control_items(found)
        return found


def _item(row: Row, options: ExportOptions, place: str) -> str:
    """Return the task's number; without one, what the task showed."""
    if options.item is not None:
        prefixes = (_TASK_INPUT, _ABOUT)
        return row[column_of(tuple(row), options.item, "item", place, prefixes)]
    if row.get(_ABOUT + "task_id"):
        return row[_ABOUT + "task_id"]
    return " | ".join(cell for name, cell in row.items() if name.startswith(_TASK_INPUT))


def _reason(row: Row) -> str:
    status = row.get(_ABOUT + "status", "").casefold()
    if status:
        return _REASONS.get(status, "")
    return next((reason for word, reason in _REASONS.items() if row.get(f"{_ABOUT}{word}")), "")


def _text_of_task(row: Row) -> str | None:
    given = [cell for name, cell in row.items() if name.startswith(_TASK_INPUT)]
    return given[0] if len(given) == 1 else None
