"""CrowdFlower, later Figure Eight and Appen: the full report, one row per judgment."""

from __future__ import annotations

from shlex import quote

from consilience.core.input_files import Said
from consilience.exceptions import InputError, Option, Words
from consilience.io.bytes._source import Source
from consilience.io.platforms._answer_columns import (
    Row,
    column_of,
    is_yes,
    parts_of,
    rows_of,
    several_in_cells,
)
from consilience.io.platforms._choices import looked_at
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.crowds._control_items import tell_control_items
from consilience.io.platforms.export_entries import CONTROL_ITEMS, Annotations
from consilience.io.tables.layouts._propose import likeliest_label

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
        questions = _questions(rows, options, found)
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
                    item, rater,
                    frozenset(parts_of(cell, "\n")) or None if name in several else cell,
                    variable=name, reason="tainted" if is_yes(row.get("_tainted")) else "",
                    time=row.get("_created_at") or None,
                )  # fmt: skip
                if row.get(name + _GOLD):
                    gold[item, name] = row[name + _GOLD]
        found.roles.update(item=options.item or _UNIT, rater=options.rater or _WORKER)
        _add_gold(found, gold, several)
        _tell(found, rows[0][1], rows)
        return found


def _refuse_summary(row: Row, where: str) -> None:
    if _WORKER not in row:
        raise InputError.expected(
            "the report", "the full one, with a row per judgment",
            Said("the one that counts the judgments of each unit"),
            "download the full report", where=where,
        )  # fmt: skip


def _questions(
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
        raise InputError.expected(
            "the questions", "among the columns", Said("no column that varies within a unit"),
            Words("name them, as in ", Option("label", _likeliest(rows, free))),
            where=rows[0][0].partition(", line")[0],
        )  # fmt: skip
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


def _tell(found: Annotations, row: Row, rows: list[tuple[str, Row]]) -> None:
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
