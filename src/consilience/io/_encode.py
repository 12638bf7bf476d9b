"""Turn columns into integer codes inside DuckDB; only small dictionaries reach Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.io._session import quoted
from consilience.io._table import Table

Codes = NDArray[np.integer[Any]]
_BLANKS = " \t\u00a0\ufeff"
_INTEGERS = frozenset(
    ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
)
_SMALL = 1 << 16  # a table that small costs nothing, however few the rows


@dataclass(frozen=True)
class Part:
    """One column on its way to codes: how to select it, and its dictionary table.

    Whole numbers that lie close together have no dictionary: they are codes already, but for
    their order, which numpy settles.
    """

    value: str  # SQL expression for the cell
    dictionary: str | None = None
    lowest: int = 0
    span: int = 0

    def select(self, name: str) -> str:
        """Select the code, -1 where the cell is empty."""
        if self.dictionary is None:
            return f"coalesce(s.cell_{name} - ({self.lowest}), -1) AS {name}"
        return f"coalesce({self.dictionary}.code, -1) AS {name}"

    def join(self, name: str) -> str:
        """Join the dictionary."""
        if self.dictionary is None:
            return ""
        return f"LEFT JOIN {self.dictionary} ON s.cell_{name} = {self.dictionary}.value"


@dataclass(frozen=True)
class Encoded:
    """Codes in file order, and the values they stand for; -1 is an empty cell."""

    codes: Codes
    dictionary: Sequence[Any]


def encode_columns(table: Table, columns: dict[str, str]) -> tuple[dict[str, Encoded], list[str]]:
    """Encode several SQL expressions, by name; return them and what was cleaned on the way."""
    parts: dict[str, Part] = {}
    evidence: list[str] = []
    for name, expression in columns.items():
        part = _close_numbers(table, expression) or _prepare(table, expression)
        trimmed = _untrimmed(table, part)
        if trimmed:
            evidence.append(
                f"blanks around {trimmed:,} different {name.partition('_')[0]} cells were removed"
            )
            part = _prepare(table, f"nullif(trim({expression}, {quoted(_BLANKS)}), '')")
        parts[name] = part
    cells = ", ".join(f"{part.value} AS cell_{name}" for name, part in parts.items())
    codes = ", ".join(part.select(name) for name, part in parts.items())
    joins = " ".join(part.join(name) for name, part in parts.items())
    arrays = table.session.arrays(
        f"SELECT s.position, {codes} FROM "
        f"(SELECT {table.row} AS position, {cells} FROM {table.relation}) AS s {joins}"
    )
    order = _file_order(arrays.pop("position"))
    encoded: dict[str, Encoded] = {}
    for name, part in parts.items():
        fetched = _in_order(np.asarray(arrays.pop(name)), order)
        if part.dictionary is None:
            encoded[name] = _in_order_of_appearance(fetched, part)
        else:
            encoded[name] = Encoded(fetched, _dictionary(table, part.dictionary))
    return encoded, evidence


def encode_matrix(table: Table, columns: Sequence[int]) -> tuple[Encoded, list[str]]:
    """Encode many columns that share one dictionary; codes come row by row."""
    session = table.session
    same = len({table.kinds[j] for j in columns}) == 1
    cells = ", ".join(f"c{j}" if same else f"c{j}::VARCHAR" for j in columns)
    flat = session.new_name("flat")
    session.run(
        f"CREATE TEMP VIEW {flat} AS SELECT (position * {len(columns)} + k)::BIGINT AS position, "
        f"value FROM (SELECT {table.row} AS position, unnest([{cells}]) AS value, "
        f"unnest(range({len(columns)})) AS k FROM {table.relation})"
    )
    view = Table(
        session=session,
        relation=flat,
        names=("value",),
        kinds=(table.kinds[columns[0]] if same else "text",),
        row="position",
        n_rows=table.n_rows * len(columns),
        paths=table.paths,
        format=table.format,
        is_text=table.is_text,
        locate=table.locate,
    )
    encoded, evidence = encode_columns(view, {"label": "value"})
    return encoded["label"], evidence


def _prepare(table: Table, expression: str) -> Part:
    """Make the dictionary of an expression, in order of first appearance."""
    session = table.session
    name = session.new_name("dictionary")
    session.run(
        f"CREATE TEMP TABLE {name} AS SELECT value, "
        "(row_number() OVER (ORDER BY first) - 1)::INTEGER AS code FROM "
        f"(SELECT {expression} AS value, min({table.row}) AS first FROM {table.relation} "
        "GROUP BY ALL) WHERE value IS NOT NULL"
    )
    return Part(expression, name)


def _close_numbers(table: Table, expression: str) -> Part | None:
    """Recognise whole numbers that lie so close together that they need no dictionary."""
    if table.is_text:
        return None
    session = table.session
    kind = session.rows(f"DESCRIBE SELECT {expression} FROM {table.relation}")[0][1]
    if kind not in _INTEGERS:
        return None
    ((lowest, highest),) = session.rows(
        f"SELECT min({expression}), max({expression}) FROM {table.relation}"
    )
    if lowest is None or highest - lowest > 4 * table.n_rows + _SMALL:
        return None
    return Part(f"({expression})::BIGINT", None, int(lowest), int(highest) - int(lowest) + 1)


def _in_order_of_appearance(offsets: Codes, part: Part) -> Encoded:
    """Renumber close whole numbers by first appearance; -1 is an empty cell."""
    first = np.full(part.span + 1, offsets.size, dtype=np.int64)
    first[offsets[::-1]] = np.arange(offsets.size - 1, -1, -1)  # the earliest is written last
    first[-1] = offsets.size  # where -1 was written to
    present = np.flatnonzero(first < offsets.size)
    values = present[np.argsort(first[present])]
    code_of = np.full(part.span + 1, -1, dtype=np.int32)
    code_of[values] = np.arange(values.size)
    return Encoded(code_of[offsets], (values + part.lowest).tolist())


def _untrimmed(table: Table, part: Part) -> int:
    """Count the dictionary entries with blanks around them (text files only)."""
    if not table.is_text:
        return 0
    edges = " OR ".join(
        f"starts_with(value, {quoted(blank)}) OR ends_with(value, {quoted(blank)})"
        for blank in _BLANKS
    )
    counted: int = table.session.one(f"SELECT count(*) FROM {part.dictionary} WHERE {edges}")
    return counted


def _dictionary(table: Table, name: str) -> Sequence[Any]:
    arrays = table.session.arrays(f"SELECT value FROM {name} ORDER BY code")
    values: list[Any] = arrays["value"].tolist()
    if values and isinstance(values[0], np.ndarray):
        return [value.tolist() for value in values]
    return values


def _file_order(position: Codes) -> Codes | None:
    """Return where each fetched row belongs, or None when they came in file order."""
    if position.size < 2 or bool(np.all(position[1:] > position[:-1])):
        return None
    return position


def _in_order(codes: Codes, position: Codes | None) -> Codes:
    if position is None:
        return codes
    ordered = np.empty_like(codes)
    ordered[position] = codes
    return ordered
