"""Tables with a row for each unit: CSV and its kin, Parquet; also the span table of INCEpTION."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.core.cell_values import as_clock, as_number, holds_time
from consilience.core.database import Session
from consilience.core.input_files import Said
from consilience.core.labels import Note
from consilience.exceptions import InputError
from consilience.io.events._table_columns import (
    BESIDE,
    SENTENCES,
    Roles,
    Rows,
    called_after,
    choose_session,
    codes_of,
    names_parts,
    refuse_no_label,
    refuse_pooling,
    roles_of,
    time_role,
    words,
)
from consilience.io.events.rater_rules import ONE_TIER
from consilience.io.events.registry import Found, Strand, Wishes, register
from consilience.io.events.unit_files import File
from consilience.io.files.limits import refused
from consilience.io.grids import _parquet_duckdb as parquet_tables
from consilience.io.grids import delimited
from consilience.io.layout.lexicon import names_document
from consilience.io.options import Request
from consilience.io.table import Table

# ---- times in cells

_SMPTE = re.compile(r"\d{1,2}:\d{2}:\d{2}[:;]\d{2,3}")


def times_in(table: Table, column: Any, role: str) -> tuple[Floats, bool]:
    """Return a column as numbers, and whether it was written as hours, minutes and seconds."""
    masked = np.ma.filled(column.astype(object), None) if np.ma.isMaskedArray(column) else column
    if masked.dtype.kind in "iuf":
        return masked.astype(np.float64), False
    try:  # as a whole; one by one only to name the cell that is no number
        numbers = masked.astype(np.float64)
        if np.isfinite(numbers).all() and not any("_" in str(cell) for cell in masked):
            return numbers, False
    except (TypeError, ValueError):
        numbers = np.empty(len(masked), dtype=np.float64)
    first = next((str(cell) for cell in masked.tolist() if cell is not None), "")
    read = as_clock if as_clock(first) is not None else as_number
    for row, value in enumerate(masked.tolist()):
        number = read(value) if value is not None else None
        if number is None:
            raise _no_time(table, value, role, row)
        numbers[row] = number
    return numbers, read is as_clock


def _no_time(table: Table, value: Any, role: str, row: int) -> InputError:
    got: Any = Said("an empty cell") if value is None else str(value)[:60]
    hint = "correct the cell, or leave the unit out"
    if value is not None and _SMPTE.fullmatch(str(value).strip()):
        got = Said(f"{value}, which counts frames")
        hint = "write times in seconds or frames: how many frames a second has is not known"
    return InputError.expected(
        f"the {role} of a unit", "a finite number", got, hint, where=table.locate(row)
    )


def until_next(
    start: Floats, groups: NDArray[np.int64], closing: Floats, is_end: NDArray[np.bool_]
) -> tuple[Floats, NDArray[np.bool_]]:
    """End each event where the next of its group begins; say which events have an end.

    The last event of a group ends at `closing`, NaN where that is not known: for nobody then, so
    that no rater has one more than the others. `is_end` marks rows that only say where the end is.
    """
    order = np.lexsort((start, groups))
    end = closing.copy()
    same = groups[order][1:] == groups[order][:-1]
    end[order[:-1][same]] = start[order[1:][same]]
    return end, (end > start) & ~is_end


# ---- delimited text

_INCEPTION = ("doc", "user", "begin", "end", "text", "label")
_RULES = ("column", "file", "folder", "file-suffix", "file-prefix")
_SUFFIXES = (".csv", ".tsv", ".txt", ".tab", ".psv", ".lab")
_CLOSING = frozenset(("end", "ende", "fin", "fine", "fim", "stop", "koniec", "einde", "slut"))
_SECONDS = {"min": 60.0}
_TEXT_ROLES = ("label", "rater", "session", "tier", "span")


@register(
    "table",
    title="a table with a row for each unit",
    suffixes=_SUFFIXES,
    rules=_RULES,
    recognise=lambda file: file.suffix in (*_SUFFIXES, ""),
    settled=True,
)
def read_table(file: File, wishes: Wishes) -> Found:
    """Read delimited text; columns are known by name, or by content where there is no header."""
    header = wishes.header
    if header is None:
        header = _has_header(file)
    options = Request(delimiter=wishes.delimiter, encoding=wishes.encoding, header=header)
    if header and _is_bare(file):
        return _nothing(file)
    with Session() as session:
        table = delimited.load_delimited(session, [file.path], options)
        return found_in(table, file, wishes)


def _cells(line: str) -> list[list[str]]:
    return [[cell.strip().strip('"') for cell in line.split(sign)] for sign in ",\t;|"]


def _has_header(file: File) -> bool | None:
    """Tell a header from data: columns called start and end, or times in the first two lines."""
    lines = [line for line in file.head.splitlines()[:50] if line.strip()][:2]
    if not lines:
        return None
    for cells in _cells(lines[0]):
        roles = {found[0] for cell in cells if (found := time_role(cell))}
        if "start" in roles and len(cells) > 1:
            return True
        if {"end", "duration"} <= roles:
            return True
    for sign, cells in zip(",\t;|", _cells(lines[0]), strict=True):
        below = [cell.strip().strip('"') for cell in lines[-1].split(sign)]
        if len(cells) > 1 and len(below) == len(cells):
            both = [holds_time(a) and holds_time(b) for a, b in zip(cells, below, strict=True)]
            if any(both):
                return False
    return None


def _is_bare(file: File) -> bool:
    """Tell whether a table has a header and no row: somebody marked nothing."""
    return len([line for line in file.head.splitlines() if line.strip()]) == 1


def _nothing(file: File) -> Found:
    found = Found(file.path, "unknown")
    found.number(Strand(ONE_TIER))
    return found


def found_in(table: Table, file: File, wishes: Wishes) -> Found:
    """Turn a table into strands."""
    roles = roles_of(table, wishes)
    cells = table.session.arrays(
        "SELECT "
        + ", ".join(f"c{j} AS c{j}" for j in range(len(table.names)))
        + f" FROM {table.relation} ORDER BY {table.row}"
    )
    texts = _Texts(cells)
    found = Found(file.path, "unknown")
    start, unit = _times(table, cells, roles, "start")
    end = _ends(table, cells, roles, start)
    _choose_label(table, roles, texts)
    rows = _rows(start, end if end is not None else start, roles, texts)
    _choose_session(table, roles, texts, rows, wishes)
    columns = {role: texts[roles.at[role]] for role in _TEXT_ROLES if role in roles.at}
    if roles.joined:
        parts = zip(*(texts[j] for j in roles.joined), strict=True)
        columns["session"] = [" / ".join(part) for part in parts]
    found.start = start
    found.label = columns.get("label", ["segment"] * len(start))
    _strands(found, columns, len(start))
    if "span" in columns:
        found.span = [text or None for text in columns["span"]]
    found.end = start if end is None else end
    # The table is gone when somebody asks; the place of a row is told by its number then.
    found.place = _Places(table, file)
    if end is None and wishes.ends == "next":
        _end_at_next(found, columns, wishes.bounds)
    found.time_unit = _time_unit(table, roles, unit)
    _tell(found, table, roles, texts)
    return found


class _Texts:
    """Columns as texts, each made once."""

    def __init__(self, cells: Any) -> None:
        self.cells = cells
        self.made: dict[int, list[str]] = {}
        self.codes: dict[int, NDArray[np.int64]] = {}

    def __getitem__(self, j: int) -> list[str]:
        if j not in self.made:
            self.made[j] = _texts(self.cells[f"c{j}"])
        return self.made[j]

    def coded(self, j: int) -> NDArray[np.int64]:
        """Return the numbers of a column's values."""
        if j not in self.codes:
            self.codes[j] = codes_of(self[j])
        return self.codes[j]


class _Places:
    """Line of each row; reads the file again, for messages only."""

    def __init__(self, table: Table, file: File) -> None:
        self.locate = table.locate
        self.path = file.path
        self.rows: Any = None  # those that are left, where some were no units

    def __call__(self, row: int) -> str:
        at = row if self.rows is None else int(self.rows[row])
        try:
            return self.locate(at)
        except OSError:  # a copy in UTF-8 that is gone by now
            return f"{self.path}, row {at + 1}"


# ---- times


def _times(table: Table, cells: Any, roles: Roles, role: str) -> tuple[Any, str | None]:
    numbers, is_clock = times_in(table, cells[f"c{roles.at[role]}"], role)
    if is_clock:
        return numbers, "s"
    return numbers * _SECONDS.get(roles.unit or "", 1.0), roles.unit


def _ends(table: Table, cells: Any, roles: Roles, start: Any) -> Any:
    role = "end" if "end" in roles.at else "duration" if "duration" in roles.at else None
    if role is None:
        return None
    told = time_role(table.names[roles.at[role]])
    first = time_role(table.names[roles.at["start"]])
    if told and first and None not in (told[1], first[1]) and told[1] != first[1]:
        what = "start and end"
        hint = "convert one of the two columns"
        raise refused(table.where, what, "in one unit of time", f"{first[1]} and {told[1]}", hint)
    numbers, _ = _times(table, cells, roles, role)
    return numbers if role == "end" else start + numbers


def _end_at_next(found: Found, columns: dict[str, list[str]], bounds: Any) -> None:
    """End each event where the next one begins; leave out the last if it has no end."""
    strand = np.asarray(found.strand, dtype=np.int64)
    homes = columns.get("session") or [found.path.stem] * len(strand)
    closing = np.array([_last(bounds, home) for home in homes], dtype=np.float64)
    is_end = np.array([text.strip().casefold() in _CLOSING for text in found.label], dtype=bool)
    end, kept = until_next(np.asarray(found.start), strand, closing, is_end)
    found.ledger.set_aside(
        "units",
        "",
        int(np.count_nonzero(~kept & ~is_end)),
        reason="they begin last, and where the session ends is not known (bounds=)",
    )
    found.ledger.set_aside(
        "units", "", int(is_end.sum()), reason="they say where the end is", matters=False
    )
    rows = np.flatnonzero(kept)
    found.place.rows = rows
    found.start, found.end = found.start[rows], end[rows]
    found.label = [found.label[row] for row in rows]
    found.strand = [found.strand[row] for row in rows]
    if found.span is not None:
        found.span = [found.span[row] for row in rows]


def _last(bounds: Any, home: str) -> float:
    """Return where a session ends, if the caller says so."""
    pair: Any = bounds.get(home) if isinstance(bounds, Mapping) else bounds
    try:
        return float(pair[1])
    except (TypeError, ValueError, IndexError):
        return float("nan")


def _time_unit(table: Table, roles: Roles, unit: str | None) -> str:
    if tuple(name.casefold() for name in table.names) == _INCEPTION:
        return "character"
    return {"min": "s", None: "unknown"}.get(unit, unit or "unknown")


# ---- labels and sessions


def _rows(start: Any, end: Any, roles: Roles, texts: _Texts) -> Rows:
    work = line = np.zeros(len(start), dtype=np.int64)
    for role in ("rater", "tier", "label"):
        if role in roles.at:
            codes = texts.coded(roles.at[role])
            work = work * (int(codes.max(initial=0)) + 1) + codes
        line = work if role == "tier" else line
    return Rows(np.asarray(start), np.asarray(end), work, line)


def _could_be_label(texts: _Texts, j: int) -> bool:
    """Tell whether a column holds a few words again and again."""
    codes = texts.coded(j)
    n_values = int(codes.max(initial=-1)) + 1
    few = 2 <= n_values <= max(2, len(codes) // 2)
    return few and not all(holds_time(text) for text in set(texts[j]))


def _choose_label(table: Table, roles: Roles, texts: _Texts) -> None:
    """Take the one column that can be the label where none is called so."""
    if "label" in roles.at:
        return
    found = [j for j in roles.free if _could_be_label(texts, j)] or [
        j for j in roles.free if called_after(table.names[j], "label")
    ]  # in a few rows words need not recur
    if len(found) > 1:
        refuse_no_label([table.names[j] for j in found], table.where)
    if found:
        roles.at["label"] = found[0]
        roles.free = tuple(j for j in roles.free if j != found[0])
        roles.told.append(f"{table.names[found[0]]!r} was taken as the label (label=).")


def _choose_session(table: Table, roles: Roles, texts: _Texts, rows: Rows, wishes: Wishes) -> None:
    if "session" in roles.at or roles.joined or wishes.session == "one":
        return
    if isinstance(wishes.session, str) and wishes.session in ("file", "folder"):
        return
    taken = set(roles.at.values())
    free = [
        j for j in range(len(table.names)) if j not in taken and time_role(table.names[j]) is None
    ]
    named = {table.names[j]: texts.coded(j) for j in roles.sessions}
    if not any(codes.size and codes.max() > 0 for codes in named.values()):
        named |= _called_documents(table, free, texts, rows)
    chosen = choose_session(rows, named, table.where)
    if chosen is not None:
        roles.at["session"] = table.names.index(chosen)
        sentences = [j for j in free if set(words(table.names[j])) & SENTENCES]
        _join_sentences(table, roles, texts, rows, sentences)
        return
    others = [j for j in free if not set(words(table.names[j])) <= BESIDE - {"id", "nr", "number"}]
    refuse_pooling(rows, {table.names[j]: texts.coded(j) for j in others}, table.where)


def _called_documents(
    table: Table, free: Sequence[int], texts: _Texts, rows: Rows
) -> dict[str, NDArray[np.int64]]:
    """Return columns called after something that has parts, and whose values say which it is.

    A text or a participant may also be what was marked, or who was: there times must start again,
    or overlap, from one value to the next.
    """
    found = {}
    for j in free:
        if not names_document(table.names[j]):
            continue
        codes = texts.coded(j)
        n_values = int(codes.max(initial=-1)) + 1
        if not 2 <= 2 * n_values <= len(codes) or not all(texts[j]):
            continue
        if names_parts(table.names[j]) and not rows.start_again(codes):
            continue
        found[table.names[j]] = codes
    return found


def _join_sentences(
    table: Table, roles: Roles, texts: _Texts, rows: Rows, sentences: Sequence[int]
) -> None:
    """Take the session together with the sentence, where these are numbered alike in each."""
    session = roles.at["session"]
    for j in sentences:
        codes = texts.coded(session)
        if j != session and rows.clashes(codes) and not rows.clashes(codes, texts.coded(j)):
            del roles.at["session"]
            roles.joined = (session, j)
            names = " and ".join(repr(table.names[k]) for k in roles.joined)
            roles.told.append(f"{names} together were taken as the session (session=).")
            return


def _tell(found: Found, table: Table, roles: Roles, texts: _Texts) -> None:
    """Write down the columns that were not used, and how times were taken."""
    used = {*roles.at.values(), *roles.joined}
    found.ledger.use("columns", len(used))
    label = table.names[roles.at["label"]] if "label" in roles.at else None
    for j, name in enumerate(table.names):
        if j in used:
            continue
        other = j in (*roles.labels, *roles.free) and _could_be_label(texts, j)
        reason = "of no known use"
        if other and label is not None:
            reason = f"the label is {label!r} (label= names another column)"
        found.ledger.set_aside("columns", name, reason=reason, matters=other)
    if "session" in roles.at:
        found.session_from = f"column:{table.names[roles.at['session']]}"
    if roles.joined:
        found.session_from = "column:" + "+".join(table.names[j] for j in roles.joined)
    if found.time_unit == "frame":
        name = table.names[roles.at["start"]]
        roles.told.append(f"Times are in frames, as the name of {name!r} says.")
    found.notes += [Note("columns_taken", text) for text in roles.told]
    if table.names == _INCEPTION:
        beyond = sum(any(ord(sign) > 0xFFFF for sign in text) for text in texts[4])
        if beyond:
            found.note(
                "utf16_positions",
                f"{beyond} spans of {found.path.name} hold characters that INCEpTION counts "
                "twice; positions behind them are larger by that for all raters alike.",
            )


def _texts(column: Any) -> list[str]:
    values = np.ma.filled(column.astype(object), None) if np.ma.isMaskedArray(column) else column
    listed = values.tolist()
    clean = {value: "" if value is None else _label(value) for value in set(listed)}
    return [clean[value] for value in listed]


def _label(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _strands(found: Found, columns: dict[str, list[str]], size: int) -> None:
    """Number the combinations of rater, session and tier."""
    none: Sequence[str] = [""] * size
    numbers: dict[tuple[str, ...], int] = {}
    roles = (columns.get(role, none) for role in ("tier", "session", "rater"))
    for key in zip(*roles, strict=True):
        if key not in numbers:
            tier, session, rater = key
            facts = (("column", rater),) if rater else ()
            numbers[key] = found.number(Strand(tier or ONE_TIER, session or None, facts))
        found.strand.append(numbers[key])
    if "rater" in columns and not all(columns["rater"]):
        row = columns["rater"].index("")
        where = f"{found.path}, unit {row + 1}"
        raise refused(where, "the rater of a unit", "named", "an empty cell", "complete the cell")


# ---- Parquet


@register(
    "parquet",
    title="a Parquet table with a row for each unit",
    suffixes=(".parquet", ".pq"),
    rules=_RULES,
    recognise=lambda file: file.start.startswith(b"PAR1") or file.suffix in (".parquet", ".pq"),
    settled=True,
)
def read_parquet(file: File, wishes: Wishes) -> Found:
    """Read typed columns, known by their names."""
    with Session() as session:
        try:
            table = parquet_tables.load_parquet(session, [file.path], Request())
            return found_in(table, file, wishes)
        except session.database_error as error:
            needed = "a complete Parquet file"
            got = Said(str(error).partition("\n")[0][:80])
            hint = "check that it was copied completely"
            raise InputError.expected("the file", needed, got, hint, where=str(file.path)) from None
