"""REDCap: records as CSV, entered twice, or by raters whom a field names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from consilience.exceptions import Option, Words
from consilience.io.exports._records_and_cells import (
    Choices,
    Row,
    column_of,
    looked_at,
    odd,
    rows_of,
    wished_for,
)
from consilience.io.exports.export_entries import Annotations
from consilience.io.exports.registry import ExportOptions, Sample, export
from consilience.io.files.limits import refused
from consilience.io.files.source import Source
from consilience.io.layout.lexicon import role_of

_TWICE = re.compile(r"^(.+)--([12])$")
_BOX = re.compile(r"^(.+)___(\w+)$")
_LABELLED_BOX = re.compile(r"^(.*\S) \(choice=(.+)\)$", re.DOTALL)
# The name in an export of raw codes, and in one of labels.
_EVENT = ("redcap_event_name", "Event Name")
_FORM = ("redcap_repeat_instrument", "Repeat Instrument")
_INSTANCE = ("redcap_repeat_instance", "Repeat Instance")
_OWN = frozenset((*_EVENT, *_FORM, *_INSTANCE, "redcap_data_access_group", "Data Access Group",
                  "redcap_survey_identifier", "Survey Identifier"))  # fmt: skip
_STATUS = ("_complete", "_timestamp", "Complete?", "Survey Timestamp")
_IDS = frozenset(("record_id", "study_id", "Record ID", "Study ID"))
_RAW, _WORDS = frozenset(("0", "1")), frozenset(("Checked", "Unchecked"))


@dataclass
class _Record:
    """One row: whose entry it is, of what, and the fields."""

    place: str
    item: str
    rater: str
    kind: str
    context: tuple[str, ...]
    row: Row


@export("redcap", title="REDCap (CSV)", suffixes=(".csv",), experimental=True)
class RedCap:
    """Each field is a variable; boxes of one field are a set; an event makes items of its own."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for REDCap's own columns, for boxes, or for records entered twice."""
        for one in looked_at(sample, (".csv",)):
            columns, rows = one.columns(), one.rows()
            if not columns:
                continue
            own = [name for name in columns if name.startswith("redcap_")]
            if own:
                return f"the column {own[0]}"
            ids = [row.get(columns[0], "") for row in rows]
            if ids and columns[0] in _IDS:
                if any(map(_TWICE.match, ids)):
                    return "records entered twice, with numbers that end in --1 and --2"
                boxes = [name for name in columns if _BOX.match(name)]
                if boxes:
                    return f"the columns {columns[0]} and {boxes[0]}"
                if {"Event Name", "Repeat Instrument"} & set(columns):
                    return f"the columns {columns[0]} and Event Name or Repeat Instrument"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every record."""
        found = Annotations()
        rows = list(rows_of(source, options))
        if not rows:
            return found
        records = list(_records(rows, options, found))
        fields = _boxes_by_field(records)
        groups = _groups(records, fields)
        own = {options.item, options.rater, next(iter(rows[0][1])), *_rater_columns(rows, options)}
        asked = _asked(records, groups, own)
        for record in records:
            fields_filled = [name for name, cell in record.row.items() if cell]
            filled = not all(
                name in own | _OWN or _box(name) or _is_status(name) for name in fields_filled
            )
            for variable in asked.get(record.context, ()):
                if not wished_for(variable, variable, options):
                    continue
                label: object = record.row.get(variable)
                if variable in groups:
                    label = groups[variable].label(_given(record.row, fields[variable]))
                    if not label and not filled:
                        label = None  # nothing on the form was filled in
                found.add(record.item, record.rater, label, variable=variable, kind=record.kind)
        return found


# ---- records


def _rater_columns(rows: list[tuple[str, Row]], options: ExportOptions) -> tuple[str, ...]:
    """Return the column that names the rater, if there is one."""
    columns = tuple(rows[0][1])
    if options.rater is not None:
        return (column_of(columns, options.rater, "rater", rows[0][0]),)
    named = [name for name in columns[1:] if role_of(name) == "rater" and name not in _OWN]
    return tuple(named[:1])


def _records(
    rows: list[tuple[str, Row]], options: ExportOptions, found: Annotations
) -> Iterator[_Record]:
    columns = tuple(rows[0][1])
    number = columns[0]
    if options.item is not None:
        number = column_of(columns, options.item, "item", rows[0][0])
    found.roles["item"] = number
    twice = any(_TWICE.match(row.get(number, "")) for _, row in rows) and options.rater is None
    rater_columns = () if twice else _rater_columns(rows, options)
    if twice:
        found.roles["rater"] = "the end of the record's number"
        found.evidence.append("records that end in --1 and --2 are two entries of one record")
    elif rater_columns:
        found.roles["rater"] = rater_columns[0]
    else:
        got = "records that were entered once, and no field for a rater"
        hint = Words("name the field with ", Option("rater"), _perhaps(columns))
        raise refused(rows[0][0].partition(", line")[0], "the raters", "known", got, hint)
    around = [name for name in (*_EVENT, *_FORM, *_INSTANCE) if name not in rater_columns]
    if rater_columns and rater_columns[0] not in _INSTANCE:
        around = _without_instances(rows, number, rater_columns[0], around, found)
    for place, row in rows:
        record, rater, kind = row.get(number, ""), "", "person"
        if twice:
            match = _TWICE.match(record)
            record, rater = (match[1], match[2]) if match else (record, "merged")
            kind = "person" if match else "gold"
        else:
            rater = row.get(rater_columns[0], "")
        if not record or not rater:
            if record and any(name in row for name in (*_EVENT, *_FORM, *_INSTANCE)):
                continue  # a row of another form or event, which the rater did not fill in
            raise odd("every row", "one that names its record and its rater", None, place)
        parts = [row[name] for name in around if row.get(name)]
        forms = tuple(row.get(name, "") for name in (*_EVENT, *_FORM))
        yield _Record(place, " | ".join((record, *parts)), rater, kind, forms, row)


def _perhaps(columns: tuple[str, ...]) -> str:
    """Name the columns that may stand for the raters, if the file has any."""
    there = [name for name in (*_EVENT, *_INSTANCE) if name in columns]
    return f", perhaps {' or '.join(map(repr, there))} if each rater has one" if there else ""


def _without_instances(
    rows: list[tuple[str, Row]], number: str, rater: str, around: list[str], found: Annotations
) -> list[str]:
    """Leave the number of a repeated form out of the item where each rater filled in one of them.

    Then the repeats are the raters' own, and no two of them would meet in an item.
    """
    kept = [name for name in around if name not in _INSTANCE]
    filled = [row for _, row in rows if row.get(rater) and row.get(number)]
    seen = {tuple(row.get(name, "") for name in (number, rater, *kept)) for row in filled}
    if len(seen) < len(filled) or not any(row.get(n) for row in filled for n in _INSTANCE):
        return around
    found.evidence.append("each rater filled in one repeat of a form, so repeats are no items")
    return kept


# ---- fields


def _box(name: str) -> tuple[str, str] | None:
    """Return the field and the option of a box."""
    match = _BOX.match(name) or _LABELLED_BOX.match(name)
    return (match[1], match[2]) if match else None


def _boxes_by_field(records: list[_Record]) -> dict[str, dict[str, str]]:
    """Return for each field of boxes the column of each option."""
    fields: dict[str, dict[str, str]] = {}
    for name in dict.fromkeys(name for record in records for name in record.row):
        box = _box(name)
        if box is not None:
            fields.setdefault(box[0], {})[box[1]] = name
    return fields


def _given(row: Row, columns: dict[str, str]) -> Row:
    return {option: row[column] for option, column in columns.items() if column in row}


def _is_status(name: str) -> bool:
    return name.endswith(_STATUS)


def _groups(records: list[_Record], fields: dict[str, dict[str, str]]) -> dict[str, Choices]:
    """Collect the boxes of each field; codes and words beside each other are two exports."""
    groups = {variable: Choices(several=True) for variable in fields}
    used: set[str] = set()
    for record in records:
        for variable, columns in fields.items():
            boxes = _given(record.row, columns)
            used.update(cell for cell in boxes.values() if cell)
            groups[variable].meet(boxes)
    if used & _RAW and used & _WORDS:
        where = records[0].place.partition(", line")[0]
        what = "the files"
        hint = "export all of them in the same way"
        raise refused(where, what, "all raw codes or all labels", "both: 1 and Checked", hint)
    return groups


def _asked(
    records: list[_Record], groups: dict[str, Choices], own: set[str | None]
) -> dict[tuple[str, ...], dict[str, None]]:
    """Return the variables of each event and form: a field empty throughout was not asked there."""
    asked: dict[tuple[str, ...], dict[str, None]] = {}
    for record in records:
        fields = asked.setdefault(record.context, {})
        for name, cell in record.row.items():
            box = _box(name)
            if not cell or name in own or name in _OWN or _is_status(name):
                continue
            fields[box[0] if box and box[0] in groups else name] = None
    return asked
