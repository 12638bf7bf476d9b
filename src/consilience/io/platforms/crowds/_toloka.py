"""Toloka: the assignments of a pool as tab-separated text, one row per answer to a task."""

from __future__ import annotations

from consilience.io.bytes._source import Source
from consilience.io.platforms._answer_columns import Row, column_of, rows_of, wished_for
from consilience.io.platforms._choices import looked_at
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.crowds._control_items import tell_control_items
from consilience.io.platforms.export_entries import Annotations

_INPUT, _OUTPUT, _GOLDEN, _ABOUT = "INPUT:", "OUTPUT:", "GOLDEN:", "ASSIGNMENT:"
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
                    item, rater, cell, variable=variable, reason=reason,
                    time=row.get(_ABOUT + "submitted") or None, text=_text(row),
                )  # fmt: skip
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
        prefixes = (_INPUT, _ABOUT)
        return row[column_of(tuple(row), options.item, "item", place, prefixes)]
    if row.get(_ABOUT + "task_id"):
        return row[_ABOUT + "task_id"]
    return " | ".join(cell for name, cell in row.items() if name.startswith(_INPUT))


def _reason(row: Row) -> str:
    status = row.get(_ABOUT + "status", "").casefold()
    if status:
        return _REASONS.get(status, "")
    return next((reason for word, reason in _REASONS.items() if row.get(f"{_ABOUT}{word}")), "")


def _text(row: Row) -> str | None:
    given = [cell for name, cell in row.items() if name.startswith(_INPUT)]
    return given[0] if len(given) == 1 else None
