"""Tables with a row for each unit: CSV and its kin; also the span table of INCEpTION."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from consilience.exceptions import InputError
from consilience.io.annotations._rater_rules import ONE_TIER
from consilience.io.annotations._unit_numbers import as_number
from consilience.io.annotations.strands import Found, Strand, Wishes
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._text_kind import is_number_text
from consilience.io.bytes._unit_files import File
from consilience.io.bytes.paths import Said
from consilience.io.format_registry import TextOptions
from consilience.io.tables._session import Session
from consilience.io.tables.formats import delimited
from consilience.io.tables.table import Table
from consilience.ratings import Note

# Best first: of two columns that could be the same thing, the one named earlier is taken.
_WORDS = {
    "start": ("start", "begin", "onset", "from", "startms", "beginms", "onsetms", "starttime",
              "begintime", "onsettime", "starts", "begins", "startoffset", "xmin", "tmin"),
    "end": ("end", "stop", "offset", "to", "endms", "stopms", "offsetms", "endtime", "stoptime",
            "offsettime", "ends", "stops", "endoffset", "xmax", "tmax"),
    "duration": ("duration", "dur", "length", "durationms"),
    "label": ("label", "category", "code", "annotation", "tag", "class", "type", "behavior",
              "behaviour", "value"),
    "rater": ("rater", "annotator", "coder", "user", "observer", "judge", "worker", "labeler",
              "annotatorid", "raterid", "coderid", "userid"),
    "session": ("session", "document", "doc", "recording", "film", "video", "file", "filename",
                "item", "text_id", "docid", "documentid", "sessionid", "observation"),
    "tier": ("tier", "layer", "track"),
    "span": ("span", "spanid"),
}  # fmt: skip
_INCEPTION = ("doc", "user", "begin", "end", "text", "label")
_PYGAMMA = {"rater": 0, "label": 1, "start": 2, "end": 3}
_RULES = ("column", "file", "folder", "file-suffix", "file-prefix")


def _recognise(file: File) -> bool:
    return file.suffix in (".csv", ".tsv", ".txt", ".tab", ".psv", "")


@register(
    "table",
    title="a table with a row for each unit",
    suffixes=(".csv", ".tsv", ".txt", ".tab", ".psv"),
    rules=_RULES,
    recognise=_recognise,
    settled=True,
)
def read_table(file: File, wishes: Wishes) -> Found:
    """Read delimited text; columns are known by name, or in the order of pygamma."""
    header = wishes.header
    if header is None:
        header = _has_header(file)
    options = TextOptions(delimiter=wishes.delimiter, encoding=wishes.encoding, header=header)
    with Session() as session:
        table = delimited.load_delimited(session, [file.path], options)
        return found_in(table, file, wishes, named=header is not False)


def _has_header(file: File) -> bool | None:
    """Tell a header from data: two columns called start and end, or numbers in the first line."""
    first = next((line for line in file.head.splitlines() if line.strip()), "")
    for sign in ",\t;|":
        cells = [cell.strip().strip('"') for cell in first.split(sign)]
        words = {_folded(cell) for cell in cells}
        if words & set(_WORDS["start"]) and words & {*_WORDS["end"], *_WORDS["duration"]}:
            return True
        if len(cells) == 4 and all(is_number_text(cell) for cell in cells[2:]):
            return False
    return None


def found_in(table: Table, file: File, wishes: Wishes, *, named: bool) -> Found:
    """Turn a table into strands."""
    at = _roles(table, wishes, named=named)
    found = Found(file.path, _time_unit(table, at))
    cells = table.session.arrays(
        "SELECT "
        + ", ".join(f"c{j} AS {role}" for role, j in at.items())
        + f" FROM {table.relation} ORDER BY {table.row}"
    )
    columns = {role: _texts(cells[role]) for role in at if role not in ("start", "end", "duration")}
    start = _numbers(table, cells["start"], "start")
    if "end" in at:
        end = _numbers(table, cells["end"], "end")
    else:
        end = start + _numbers(table, cells["duration"], "duration")
    found.start, found.end = start, end
    found.label = columns.get("label", ["segment"] * len(start))
    _strands(found, columns, len(start))
    if "span" in columns:
        found.span = [text or None for text in columns["span"]]
    # The table is gone when somebody asks; the place of a row is told by its number then.
    found.place = _Places(table, file)
    if table.names == _INCEPTION:
        beyond = _astral(table)
        if beyond:
            found.notes.append(
                Note(
                    "utf16_positions",
                    f"{beyond} spans of {file.path.name} hold characters that INCEpTION counts "
                    "twice; positions behind them are larger by that for all raters alike.",
                )
            )
    return found


class _Places:
    """Line of each row; reads the file again, for messages only."""

    def __init__(self, table: Table, file: File) -> None:
        self.locate = table.locate
        self.path = file.path

    def __call__(self, row: int) -> str:
        try:
            return self.locate(row)
        except OSError:  # a copy in UTF-8 that is gone by now
            return f"{self.path}, row {row + 1}"


def _roles(table: Table, wishes: Wishes, *, named: bool) -> dict[str, int]:
    """Find the column of each role."""
    at = {role: table.position(name, option=role) for role, name in wishes.columns.items()}
    if wishes.label is not None and "label" not in at:
        at["label"] = table.position(wishes.label, option="label")
    if not named and not at and len(table.names) == 4:
        return dict(_PYGAMMA)
    folded = [_folded(name) for name in table.names]
    for role, words in _WORDS.items():
        if role in at or (role == "duration" and "end" in at):
            continue
        for word in words:
            if word in folded and folded.index(word) not in at.values():
                at[role] = folded.index(word)
                break
    for role in ("start", "end"):
        if role not in at and not (role == "end" and "duration" in at):
            raise InputError.expected(
                "a table of units",
                f"one with a column for the {role}",
                Said(", ".join(table.names[:8])),
                f"name it: columns={{'{role}': …}}",
                where=table.where,
            )
    return at


def _folded(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _time_unit(table: Table, at: dict[str, int]) -> str:
    name = _folded(table.names[at["start"]])
    if tuple(map(_folded, table.names)) == _INCEPTION:
        return "character"
    return "ms" if name.endswith("ms") else "unknown"


def _texts(column: Any) -> list[str]:
    values = np.ma.filled(column.astype(object), None) if np.ma.isMaskedArray(column) else column
    listed = values.tolist()
    clean = {value: "" if value is None else _label(value) for value in set(listed)}
    return [clean[value] for value in listed]


def _label(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _numbers(table: Table, column: Any, role: str) -> Any:
    masked = np.ma.filled(column.astype(object), None) if np.ma.isMaskedArray(column) else column
    if masked.dtype.kind in "iuf":
        return masked.astype(np.float64)
    try:  # as a whole; one by one only to name the cell that is no number
        numbers = masked.astype(np.float64)
        if np.isfinite(numbers).all() and not any("_" in str(cell) for cell in masked[:1000]):
            return numbers
    except (TypeError, ValueError):
        numbers = np.empty(len(masked), dtype=np.float64)
    for row, value in enumerate(masked.tolist()):
        number = as_number(str(value)) if value is not None else None
        if number is None:
            raise InputError.expected(
                f"the {role} of a unit",
                "a finite number",
                Said("an empty cell") if value is None else str(value)[:60],
                "correct the cell, or leave the unit out",
                where=table.locate(row),
            )
        numbers[row] = number
    return numbers


def _strands(found: Found, columns: dict[str, list[str]], size: int) -> None:
    """Number the combinations of rater, session and tier."""
    none: Sequence[str] = [""] * size
    keys = zip(
        columns.get("tier", none), columns.get("session", none), columns.get("rater", none),
        strict=True,
    )  # fmt: skip
    numbers: dict[tuple[str, str, str], int] = {}
    for tier, session, rater in keys:
        key = (tier, session, rater)
        if key not in numbers:
            facts = (("column", rater),) if rater else ()
            numbers[key] = found.number(Strand(tier or ONE_TIER, session or None, facts))
        found.strand.append(numbers[key])
    if "rater" in columns and not all(columns["rater"]):
        row = columns["rater"].index("")
        raise InputError.expected(
            "the rater of a unit", "named", Said("an empty cell"), "complete the cell",
            where=f"{found.path}, unit {row + 1}",
        )  # fmt: skip


def _astral(table: Table) -> int:
    at = table.names.index("text")
    texts = table.session.rows(f"SELECT c{at} FROM {table.relation}")
    return sum(any(ord(sign) > 0xFFFF for sign in str(text)) for (text,) in texts)
