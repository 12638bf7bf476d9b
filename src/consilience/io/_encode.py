"""Turn columns into integer codes inside DuckDB; only dictionaries reach Python.

A column takes the cheapest of three ways: whole numbers that lie close together are nearly codes
already; a column whose equal cells stand together is cut into runs; any other is joined with a
dictionary of its values. All three number the values in order of first appearance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from consilience.io._session import Session, quoted
from consilience.io._table import Table

Codes = NDArray[np.integer[Any]]
_BLANKS = " \t\u00a0\ufeff"
_INTEGERS = frozenset(
    ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
)
_SMALL = 1 << 16  # a table that small costs nothing, however few the rows
_LOOK_AHEAD = 10_000  # rows that tell whether equal cells stand together
_FEW_VALUES = 1_000  # for so few, the dictionary is the cheapest way anyhow


@dataclass(frozen=True)
class Encoded:
    """Codes in file order, and the values they stand for; -1 is an empty cell."""

    codes: Codes
    dictionary: Sequence[Any]


class Way(Protocol):
    """One way to turn a column into codes."""

    @property
    def distinct(self) -> str | None:
        """Name of a table with the column ``value``, where there is one."""

    def select(self, cell: str) -> str | None:
        """Select what is to be fetched for each row; None if nothing is."""

    def join(self, cell: str) -> str:
        """Join what that needs."""

    def finish(self, fetched: Codes) -> Encoded:
        """Make codes of what was fetched, in file order."""


def encode_columns(table: Table, columns: dict[str, str]) -> tuple[dict[str, Encoded], list[str]]:
    """Encode several SQL expressions, by name; return them and what was cleaned on the way."""
    evidence: list[str] = []
    cells = dict(columns)
    ways: dict[str, Way] = {}
    for name, cell in columns.items():
        ways[name] = _cheapest(table, cell)
        untrimmed = _untrimmed(table, ways[name])
        if untrimmed:
            word = name.partition("_")[0]
            evidence.append(f"blanks around {untrimmed:,} different {word} cells were removed")
            cells[name] = f"nullif(trim({cell}, {quoted(_BLANKS)}), '')"
            ways[name] = Joined(table, cells[name])
    fetched = _fetch(table, cells, ways)
    return {name: way.finish(fetched[name]) for name, way in ways.items()}, evidence


def _fetch(table: Table, cells: dict[str, str], ways: dict[str, Way]) -> dict[str, Codes]:
    """Fetch what the ways select, in file order; a join may have shuffled the rows."""
    selected = {name: way.select(f"s.cell_{name}") for name, way in ways.items()}
    wanted = {name: sql for name, sql in selected.items() if sql is not None}
    fetched: dict[str, Codes] = {name: np.empty(0, dtype=np.int32) for name in ways}
    if not wanted:
        return fetched
    inner = ", ".join(f"{cells[name]} AS cell_{name}" for name in wanted)
    outer = ", ".join(f"{sql} AS {name}" for name, sql in wanted.items())
    joins = " ".join(ways[name].join(f"s.cell_{name}") for name in wanted)
    arrays = table.session.arrays(
        f"SELECT s.position{_narrow(table)} AS position, {outer} FROM "
        f"(SELECT {table.row} AS position, {inner} FROM {table.relation}) AS s {joins}"
    )
    position = arrays.pop("position")
    shuffled = position.size > 1 and not bool(np.all(position[1:] > position[:-1]))
    for name in wanted:
        column = np.asarray(arrays.pop(name))
        if shuffled:
            ordered = np.empty_like(column)
            ordered[position] = column
            column = ordered
        fetched[name] = column
    return fetched


def _narrow(table: Table) -> str:
    """Cast positions to four bytes where they fit: half the memory for ten million rows."""
    return "::INTEGER" if table.n_rows < 1 << 31 else ""


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


def _cheapest(table: Table, cell: str) -> Way:
    return (
        CloseNumbers.where_possible(table, cell)
        or Runs.where_possible(table, cell)
        or Joined(table, cell)
    )


class Joined:
    """Any column: join it with the dictionary of its values, numbered by first appearance later.

    The place of a value in the dictionary serves as its number, so that nothing has to be sorted
    inside the database; numpy renumbers the codes in one pass.
    """

    def __init__(self, table: Table, cell: str) -> None:
        self.session = table.session
        self.distinct: str | None = self.session.new_name("dictionary")
        self.session.run(
            f"CREATE TEMP TABLE {self.distinct} AS SELECT value, first FROM "
            f"(SELECT {cell} AS value, min({table.row}) AS first FROM {table.relation} "
            "GROUP BY ALL) WHERE value IS NOT NULL"
        )

    def select(self, cell: str) -> str | None:
        """Select the place in the dictionary."""
        return f"coalesce({self.distinct}.rowid::INTEGER, -1)"

    def join(self, cell: str) -> str:
        """Join the dictionary."""
        return f"LEFT JOIN {self.distinct} ON {cell} = {self.distinct}.value"

    def finish(self, fetched: Codes) -> Encoded:
        """Renumber by first appearance, and add the values."""
        arrays = self.session.arrays(f"SELECT rowid AS place, first FROM {self.distinct}")
        size = arrays["place"].size
        code_of = np.full(size + 1, -1, dtype=np.int32)  # the last is where -1 leads
        code_of[arrays["place"][np.argsort(arrays["first"])]] = np.arange(size, dtype=np.int32)
        values = _values(self.session, f"{self.distinct} ORDER BY first")
        return Encoded(code_of[fetched], values)


@dataclass(frozen=True)
class CloseNumbers:
    """Whole numbers so close together that a table of them all is small."""

    lowest: int
    span: int
    distinct: str | None = None

    @classmethod
    def where_possible(cls, table: Table, cell: str) -> CloseNumbers | None:
        """Look at the type and the range; None if they do not fit."""
        if table.is_text:
            return None
        kind = table.session.rows(f"DESCRIBE SELECT {cell} FROM {table.relation}")[0][1]
        if kind not in _INTEGERS:
            return None
        ((lowest, highest),) = table.session.rows(
            f"SELECT min({cell}), max({cell}) FROM {table.relation}"
        )
        if lowest is None or highest - lowest > 4 * table.n_rows + _SMALL:
            return None
        return cls(int(lowest), int(highest) - int(lowest) + 1)

    def select(self, cell: str) -> str | None:
        """Select the number, counted from the lowest."""
        return f"coalesce({cell}::BIGINT - ({self.lowest}), -1)"

    def join(self, cell: str) -> str:
        """Join nothing."""
        return ""

    def finish(self, fetched: Codes) -> Encoded:
        """Renumber by first appearance."""
        size = fetched.size
        first = np.full(self.span + 1, size, dtype=np.int64)
        first[fetched[::-1]] = np.arange(size - 1, -1, -1)  # the earliest is written last
        first[-1] = size  # where the empty cells were written to
        present = np.flatnonzero(first < size)
        values = present[np.argsort(first[present])]
        code_of = np.full(self.span + 1, -1, dtype=np.int32)
        code_of[values] = np.arange(values.size)
        return Encoded(code_of[fetched], (values + self.lowest).tolist())


@dataclass(frozen=True)
class Runs:
    """A column whose equal cells stand together, as in a file sorted by item."""

    table: Table
    distinct: str | None

    @classmethod
    def where_possible(cls, table: Table, cell: str) -> Runs | None:
        """Cut the column into runs; None if a value comes back after another."""
        ahead = f"(SELECT {cell} AS value FROM {table.relation} LIMIT {_LOOK_AHEAD})"
        runs, values = cls._count(table, _cut("0", "value", ahead))
        if runs != values or values < min(_FEW_VALUES, table.n_rows):
            return None
        name = table.session.new_name("runs")
        table.session.run(f"CREATE TEMP TABLE {name} AS {_cut(table.row, cell, table.relation)}")
        runs, values = cls._count(table, f"FROM {name}")
        return cls(table, name) if runs == values else None

    @staticmethod
    def _count(table: Table, source: str) -> tuple[int, int]:
        ((runs, values),) = table.session.rows(
            f"SELECT count(*), count(DISTINCT value) FROM ({source}) WHERE value IS NOT NULL"
        )
        return runs, values

    def select(self, cell: str) -> str | None:
        """Fetch nothing: the runs tell everything."""
        return None

    def join(self, cell: str) -> str:
        """Join nothing."""
        return ""

    def finish(self, fetched: Codes) -> Encoded:
        """Repeat the number of each run as often as the run is long."""
        arrays = self.table.session.arrays(
            f"SELECT start, value IS NOT NULL AS filled FROM {self.distinct} ORDER BY start"
        )
        filled = np.asarray(arrays["filled"], dtype=bool)
        codes = np.where(filled, np.cumsum(filled) - 1, -1).astype(np.int32)
        lengths = np.diff(np.append(arrays["start"], self.table.n_rows))
        named = f"{self.distinct} WHERE value IS NOT NULL ORDER BY start"
        return Encoded(np.repeat(codes, lengths), _values(self.table.session, named))


def _values(session: Session, source: str) -> list[Any]:
    values: list[Any] = session.arrays(f"SELECT value FROM {source}")["value"].tolist()
    if values and isinstance(values[0], np.ndarray):  # a column of lists
        return [value.tolist() for value in values]
    return values


def _cut(row: str, cell: str, relation: str) -> str:
    """Select the first row of each run; without ORDER BY, DuckDB keeps the order of the scan."""
    return (
        f"SELECT start, value FROM (SELECT {row} AS start, {cell} AS value, "
        f"({cell}) IS DISTINCT FROM lag({cell}) OVER () OR row_number() OVER () = 1 AS is_new "
        f"FROM {relation}) WHERE is_new"
    )


def _untrimmed(table: Table, way: Way) -> int:
    """Count the values with blanks around them (text files only)."""
    if not table.is_text or way.distinct is None:
        return 0
    edges = " OR ".join(
        f"starts_with(value, {quoted(blank)}) OR ends_with(value, {quoted(blank)})"
        for blank in _BLANKS
    )
    counted: int = table.session.one(f"SELECT count(*) FROM {way.distinct} WHERE {edges}")
    return counted
