"""Turn columns into integer codes; DuckDB groups and hashes, numpy looks up the codes.

A column takes the cheapest of three ways: whole numbers that lie close together are nearly codes
already; a column whose equal cells stand together is cut into runs; any other is looked up by its
hashes in the dictionary of its values. All three number the values in order of first appearance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Codes
from consilience.core.cell_values import BLANKS, Kind, clean_sql, clean_value, kind_of_sql
from consilience.core.database import Session, quoted
from consilience.exceptions import InputError
from consilience.io.table import Table

_INTEGERS = frozenset(
    ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
)
_SMALL = 1 << 16  # a table that small costs nothing, however few the rows
_LOOK_AHEAD = 10_000  # rows that tell whether equal cells stand together
_FEW_VALUES = 1_000  # for so few, the dictionary is the cheapest way anyhow
_MANY_COLUMNS = 32  # from which on short ones are fetched together
_FEW_ROWS = 20_000
_COLUMNS_AT_ONCE = 250


@dataclass(frozen=True)
class Encoded:
    """Codes in file order, and the values they stand for; -1 is an empty cell."""

    codes: Codes
    dictionary: Sequence[Any]


@dataclass(frozen=True)
class Untidy:
    """Different values that cleaning changes: with blanks around them, and the empty text."""

    n_blank: int = 0
    n_empty: int = 0


class Way(Protocol):
    """One way to turn a column into codes."""

    @property
    def untidy(self) -> Untidy:
        """How many different values are changed by cleaning."""

    def select(self, cell: str) -> str | None:
        """Select what is to be fetched for each row; None if nothing is."""

    def finish(self, fetched: NDArray[Any]) -> Encoded:
        """Make codes of what was fetched, in file order."""


def encode_columns(table: Table, columns: dict[str, str]) -> tuple[dict[str, Encoded], list[str]]:
    """Encode several SQL expressions, by name; return them and what was cleaned on the way."""
    if len(columns) >= _MANY_COLUMNS and table.n_rows <= _FEW_ROWS:
        return _fetched_together(table, columns)
    return _encoded_one_by_one(table, columns)


def _encoded_one_by_one(
    table: Table, columns: dict[str, str]
) -> tuple[dict[str, Encoded], list[str]]:
    evidence: list[str] = []
    cells = dict(columns)
    ways: dict[str, Way] = {}
    for name, cell in columns.items():
        kind = _kind(table, cell)
        ways[name] = _cheapest(table, cell, kind)
        untidy = ways[name].untidy
        if untidy.n_blank:
            evidence.append(_blanks_removed(name, untidy.n_blank))
        if untidy != Untidy():
            cells[name] = clean_sql(cell, kind)
            ways[name] = Hashed(table, cells[name], kind)
    selected = {name: way.select(cells[name]) for name, way in ways.items()}
    return {name: ways[name].finish(_fetch(table, sql)) for name, sql in selected.items()}, evidence


def _blanks_removed(name: str, n_blank: int) -> str:
    word = name.partition("_")[0]
    return f"blanks around {n_blank:,} different {word} cells were removed"


def _fetched_together(
    table: Table, columns: dict[str, str]
) -> tuple[dict[str, Encoded], list[str]]:
    """Encode very many short columns: a question for each would take longer than all the cells."""
    evidence: list[str] = []
    found: dict[str, Encoded] = {}
    names = list(columns)
    for start in range(0, len(names), _COLUMNS_AT_ONCE):
        some = names[start : start + _COLUMNS_AT_ONCE]
        listed = ", ".join(f"{columns[name]} AS k{j}" for j, name in enumerate(some))
        described = table.session.rows(f"DESCRIBE SELECT {listed} FROM {table.relation}")
        kinds = ["text" if table.is_text else kind_of_sql(one[1]) for one in described]
        rows = table.session.rows(f"SELECT {listed} FROM {table.relation}")
        for name, kind, cells in zip(some, kinds, zip(*rows, strict=True), strict=True):
            if kind == "text":
                n_blank = sum(one != one.strip(BLANKS) for one in set(cells) if one)
                evidence += [_blanks_removed(name, n_blank)] if n_blank else []
                found[name] = _by_appearance([clean_value(one) for one in cells])
            elif all(type(one) is int or one is None for one in cells):
                found[name] = _by_appearance(cells)
            else:
                one_by_one, told = _encoded_one_by_one(table, {name: columns[name]})
                found |= one_by_one
                evidence += told
    return found, evidence


def _by_appearance(cells: Sequence[Any]) -> Encoded:
    """Number the values in order of first appearance; None is an empty cell."""
    code_of = {one: k for k, one in enumerate(dict.fromkeys(c for c in cells if c is not None))}
    values = list(code_of)
    code_of[None] = -1
    codes = np.fromiter((code_of[one] for one in cells), dtype=np.int32, count=len(cells))
    return Encoded(codes, values)


def _fetch(table: Table, sql: str | None) -> NDArray[Any]:
    """Fetch one value for each row; a plain scan keeps the order of the file."""
    if sql is None:
        return np.empty(0, dtype=np.int32)
    fetched = table.session.arrays(f"SELECT {sql} AS fetched FROM {table.relation}")["fetched"]
    return np.asarray(fetched)


def encode_matrix(table: Table, columns: Sequence[int]) -> tuple[Encoded, list[str]]:
    """Encode many columns that share one dictionary; codes come row by row."""
    session = table.session
    same = len({table.kinds[j] for j in columns}) == 1
    cells = ", ".join(f"c{j}" if same else _as_text(f"c{j}", table.kinds[j]) for j in columns)
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


def _as_text(cell: str, kind: str) -> str:
    """Write a cell as text beside others: 0 for 0.0, as a column of numbers with gaps holds it."""
    if kind != "number":
        return f"{cell}::VARCHAR"
    is_whole = f"{cell} = trunc({cell}) AND abs({cell}) < 1e15"
    return f"CASE WHEN {is_whole} THEN {cell}::BIGINT::VARCHAR ELSE {cell}::VARCHAR END"


def _kind(table: Table, cell: str) -> Kind:
    """Return what the rule of cleaning takes the cells for."""
    if table.is_text:
        return "text"
    return kind_of_sql(table.session.rows(f"DESCRIBE SELECT {cell} FROM {table.relation}")[0][1])


def _cheapest(table: Table, cell: str, kind: Kind) -> Way:
    return (
        CloseNumbers.where_possible(table, cell)
        or Runs.where_possible(table, cell, kind)
        or Hashed(table, cell, kind)
    )


class Hashed:
    """Any column: the hash of each cell is looked up among those of its distinct values.

    A join inside the database would compare the texts once more and shuffle the rows. The hashes
    of the values are checked to differ, so the codes are exact.
    """

    def __init__(self, table: Table, cell: str, kind: Kind) -> None:
        for salt in count():
            arrays = table.session.arrays(
                f"SELECT value, {_hash('value', salt)} AS hash, {_blank(kind)} AS blank, "
                f"{_empty(kind)} AS empty FROM (SELECT {cell} AS value, min({table.row}) AS first "
                f"FROM {table.relation} GROUP BY ALL) WHERE value IS NOT NULL ORDER BY first"
            )
            self.salt, self.keys = salt, np.asarray(arrays["hash"])
            empty = _hash_of_empty(table.session, salt)
            ordered = np.sort(np.append(self.keys, empty))
            if bool(np.all(ordered[1:] != ordered[:-1])):
                break
        self.values = _as_list(arrays["value"])
        self.untidy = Untidy(int(np.sum(arrays["blank"])), int(np.sum(arrays["empty"])))

    def select(self, cell: str) -> str | None:
        """Select the hash."""
        return _hash(cell, self.salt)

    def finish(self, fetched: NDArray[Any]) -> Encoded:
        """Look up the hashes; that of an empty cell is not among them."""
        return Encoded(places(self.keys, fetched), self.values)


def _hash(cell: str, salt: int) -> str:
    """Hash a cell in SQL; with a salt, should two values have the same hash without it.

    The empty list has the hash of an empty cell, so with a salt cells are hashed as text.
    """
    return f"hash({cell}::VARCHAR || '|{salt}')" if salt else f"hash({cell})"


_OF_EMPTY: dict[int, np.uint64] = {}  # by salt; the same in every table


def _hash_of_empty(session: Session, salt: int) -> np.uint64:
    """Return the hash of an empty cell: every column is asked about it, the database once."""
    if salt not in _OF_EMPTY:
        _OF_EMPTY[salt] = np.uint64(session.one(f"SELECT {_hash('NULL', salt)}"))
    return _OF_EMPTY[salt]


@dataclass(frozen=True)
class CloseNumbers:
    """Whole numbers so close together that a table of them all is small."""

    where: str
    lowest: int
    span: int
    untidy: Untidy = Untidy()

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
        return cls(table.where, int(lowest), int(highest) - int(lowest) + 1)

    def select(self, cell: str) -> str | None:
        """Select the number, counted from the lowest."""
        return f"coalesce({cell}::BIGINT - ({self.lowest}), -1)"

    def finish(self, fetched: NDArray[Any]) -> Encoded:
        """Renumber by first appearance."""
        size = fetched.size
        if int(fetched.min()) < -1 or int(fetched.max()) >= self.span:  # statistics may lie
            raise InputError.expected(
                "whole numbers",
                "inside the range that the file itself tells",
                int(fetched.max()) + self.lowest,
                "write the file again: it is damaged",
                where=self.where,
            )
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
    runs: str  # a table with the start and the value of each run
    untidy: Untidy = Untidy()

    @classmethod
    def where_possible(cls, table: Table, cell: str, kind: Kind) -> Runs | None:
        """Cut the column into runs; None if a value comes back after another."""
        if table.n_rows < _FEW_VALUES:
            return None
        ahead = f"(SELECT {cell} AS value FROM {table.relation} LIMIT {_LOOK_AHEAD})"
        runs, values = cls._count(table, _cut("0", "value", ahead))
        if runs != values or values < _FEW_VALUES:
            return None
        name = table.session.new_name("runs")
        table.session.run(f"CREATE TEMP TABLE {name} AS {_cut(table.row, cell, table.relation)}")
        runs, values = cls._count(table, f"FROM {name}")
        if runs != values:
            return None
        ((blank, empty),) = table.session.rows(
            f"SELECT count(*) FILTER ({_blank(kind)}), count(*) FILTER ({_empty(kind)}) FROM {name}"
        )
        return cls(table, name, Untidy(blank, empty))

    @staticmethod
    def _count(table: Table, source: str) -> tuple[int, int]:
        ((runs, values),) = table.session.rows(
            f"SELECT count(*), count(DISTINCT value) FROM ({source}) WHERE value IS NOT NULL"
        )
        return runs, values

    def select(self, cell: str) -> str | None:
        """Fetch nothing: the runs tell everything."""
        return None

    def finish(self, fetched: NDArray[Any]) -> Encoded:
        """Repeat the number of each run as often as the run is long."""
        arrays = self.table.session.arrays(
            f"SELECT start, value IS NOT NULL AS filled FROM {self.runs} ORDER BY start"
        )
        filled = np.asarray(arrays["filled"], dtype=bool)
        codes = np.where(filled, np.cumsum(filled) - 1, -1).astype(np.int32)
        lengths = np.diff(np.append(arrays["start"], self.table.n_rows))
        values = self.table.session.arrays(
            f"SELECT value FROM {self.runs} WHERE value IS NOT NULL ORDER BY start"
        )["value"]
        return Encoded(np.repeat(codes, lengths), _as_list(values))


def _as_list(values: NDArray[Any]) -> list[Any]:
    listed: list[Any] = values.tolist()
    if listed and isinstance(listed[0], np.ndarray):  # a column of lists
        return [value.tolist() for value in listed]
    return listed


def _cut(row: str, cell: str, relation: str) -> str:
    """Select the first row of each run; without ORDER BY, DuckDB keeps the order of the scan."""
    return (
        f"SELECT start, value FROM (SELECT {row} AS start, {cell} AS value, "
        f"({cell}) IS DISTINCT FROM lag({cell}) OVER () OR row_number() OVER () = 1 AS is_new "
        f"FROM {relation}) WHERE is_new"
    )


def _blank(kind: Kind) -> str:
    """Say in SQL that there are blanks around a ``value``; only in text do they mean nothing."""
    if kind != "text":
        return "false"
    return " OR ".join(
        f"starts_with(value, {quoted(blank)}) OR ends_with(value, {quoted(blank)})"
        for blank in BLANKS
    )


def _empty(kind: Kind) -> str:
    return "value = ''" if kind == "text" else "false"


Hashes = NDArray[np.uint64]
_ROOM = 3  # bits beyond those that number the keys: one slot in eight is taken
_FEWEST_BITS, _MOST_BITS = 12, 27
_BLOCK = 1 << 20
_ODD = 0x9E3779B97F4A7C15  # multiplying by an odd number mixes the bits anew


def places(keys: Hashes, wanted: Hashes) -> NDArray[np.int32]:
    """Return the place of every wanted hash among the keys, which differ; -1 where it is none.

    Two keys may claim one slot; the later stays, and the others go on to a table of their own.

    >>> places(np.array([7, 9, 1 << 60], dtype=np.uint64), np.array([9, 7, 8], dtype=np.uint64))
    array([ 1,  0, -1], dtype=int32)
    """
    tables = _tables(keys)
    blocks = [wanted[start : start + _BLOCK] for start in range(0, wanted.size, _BLOCK)]
    if len(blocks) < 2:
        return _look_up(keys, tables, wanted)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor() as pool:  # numpy looks up without holding Python's lock
        return np.concatenate(list(pool.map(partial(_look_up, keys, tables), blocks)))


def _tables(keys: Hashes) -> list[NDArray[np.int32]]:
    """Lay out the keys in as many tables as it takes until each has a slot."""
    tables: list[NDArray[np.int32]] = []
    left = np.arange(keys.size, dtype=np.int32)
    while left.size:
        bits = min(max(left.size.bit_length() + _ROOM, _FEWEST_BITS), _MOST_BITS)
        table = np.full(1 << bits, -1, dtype=np.int32)
        slots = _slots(keys[left], len(tables), bits)
        table[slots] = left
        tables.append(table)
        left = left[table[slots] != left]
    return tables


def _look_up(keys: Hashes, tables: list[NDArray[np.int32]], wanted: Hashes) -> NDArray[np.int32]:
    found = np.full(wanted.size, -1, dtype=np.int32)
    left: NDArray[np.intp] | slice = slice(None)
    for number, table in enumerate(tables):
        sought = wanted[left]
        claimed = table[_slots(sought, number, table.size.bit_length() - 1)]
        found[left] = claimed
        # An empty slot's -1 leads to the last key, which is not the one sought: it has a slot.
        missed = np.flatnonzero(keys[claimed] != sought)
        left = missed if isinstance(left, slice) else left[missed]
        if not left.size:
            break
    found[left] = -1
    return found


def _slots(hashes: Hashes, number: int, bits: int) -> NDArray[np.int64]:
    mixed = hashes * np.uint64((_ODD + 2 * number) & (2**64 - 1)) if number else hashes
    return (mixed >> np.uint64(64 - bits)).astype(np.int64)
