"""Reduction inside DuckDB: tables of any size, streaming, spilling to disk when memory is short."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from consilience.core.arrays import Ints
from consilience.core.cell_values import Kind, clean_sql, kind_of_sql, number_sql, untidy_sql
from consilience.core.database import quoted
from consilience.engine.backend import (
    Checked,
    Packed,
    Packing,
    Vocabulary,
    needs_memory,
    numbers_among,
    refuse_unnamed,
)
from consilience.exceptions import InputError
from consilience.ratings.stores import MomentTable

# ---- Sums of numbers and of their ranks inside DuckDB, where numbers hardly repeat.


class NumbersInDuckDB:
    """What a long table in DuckDB does with numbers; `DuckTable` says where they are."""

    _relation: str
    _item: str
    _rater: str
    _label: str
    _named: str

    def _run(self, sql: str, parameters: Sequence[object] = ()) -> Any:
        raise NotImplementedError

    def _clean(self, cell: str, role: str) -> str:
        raise NotImplementedError

    def _unnamed(self) -> tuple[int, int, int]:
        raise NotImplementedError

    def moments(self, marks: Sequence[object]) -> tuple[MomentTable, tuple[Any, ...], Checked]:
        """Add up, for items with n ratings, their sums, squares and distances within."""
        source, checked = self._numbers(marks)
        low, high, centre = self._run(f"SELECT min(x), max(x), avg(x) FROM {source}").fetchone()
        facts = ("w", "sx", "sxx")
        sums = [f"sum({a})" for a in facts]
        sums += [f"sum({a} * {b})" for j, a in enumerate(facts) for b in facts[j:]]
        per_item = (
            "SELECT count(x) AS n, coalesce(sum(x), 0) AS sx, coalesce(sum(x * x), 0) AS sxx FROM "
            f"(SELECT i, x - {float(centre)!r} AS x FROM {source}) GROUP BY i"
        )
        rounding = f"{4.0 * float(np.finfo(np.float64).eps)!r} * n * n * sxx"
        within = "2.0 * greatest(n * sxx - sx * sx, 0.0)"
        rows = self._run(
            f"SELECT n, count(*), {', '.join(sums)} FROM (SELECT n, sx, sxx, "
            f"CASE WHEN {within} > {rounding} THEN {within} ELSE 0.0 END AS w FROM ({per_item})) "
            "GROUP BY n ORDER BY n"
        ).fetchall()
        raters = self._run(f"SELECT DISTINCT r FROM {source}").fetchall()
        sums_of = MomentTable.from_sums(rows, low=float(low), high=float(high))
        return sums_of, tuple(row[0] for row in raters), checked

    def ranks(self, marks: Sequence[object]) -> tuple[MomentTable, tuple[Any, ...], Checked]:
        """Add up the same of mid-ranks among all pairable numbers, for the ordinal distance.

        A rating of x lifts its own rank by 1/2 and all ranks above it by 1. With t what a rank
        adds to a number when it moves, each rating moves it by the sum of t above x, and half of
        that at x: sums along the sorted numbers, which the database makes on disk if need be.
        """
        source, checked = self._numbers(marks)
        counted = f"(SELECT i, count(x) AS n FROM {source} GROUP BY i)"
        sizes = self._run(f"SELECT n, count(*) FROM {counted} GROUP BY n").fetchall()
        total = float(sum(n * items for n, items in sizes if n > 1))
        self._run(
            "CREATE OR REPLACE TEMP TABLE ranks_ AS SELECT i, n, rank() OVER (ORDER BY x) - 1 + "
            f"0.5 * count(*) OVER (PARTITION BY x) - {total / 2.0!r} AS rho FROM (SELECT i, x, "
            f"count(*) OVER (PARTITION BY i) AS n FROM {source} WHERE x IS NOT NULL) WHERE n > 1"
        ).fetchall()
        self._run(
            "CREATE OR REPLACE TEMP TABLE sums_ AS SELECT i, any_value(n) AS n, sum(rho) AS sx, "
            "sum(rho * rho) AS sxx FROM ranks_ GROUP BY i"
        ).fetchall()
        moved = (
            f"SELECT i, rho, 4.0 / (r.n - 1) * (rho * r.n - sx) AS o, 4.0 * rho * {total!r} AS e "
            "FROM ranks_ AS r JOIN sums_ USING (i)"
        )
        ends = "(ORDER BY rho DESC RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
        above = [f"sum({t}) OVER {ends} - 0.5 * sum({t}) OVER (PARTITION BY rho)" for t in "oe"]
        pulled = (
            f"SELECT i, sum(o) AS o, sum(e) AS e FROM (SELECT i, {above[0]} AS o, {above[1]} AS e "
            f"FROM ({moved})) GROUP BY i"
        )
        facts = ("w", "sx", "sxx", "o", "e")
        sums = [f"sum({a})" for a in facts]
        sums += [f"sum({a} * {b})" for j, a in enumerate(facts) for b in facts[j:]]
        rows = self._run(
            f"SELECT n, count(*), {', '.join(sums)} FROM (SELECT n, sx, sxx, o, e, "
            f"2.0 * greatest(n * sxx - sx * sx, 0.0) AS w FROM sums_ JOIN ({pulled}) USING (i)) "
            "GROUP BY n ORDER BY n"
        ).fetchall()
        single = [(n, items, *[0.0] * len(sums)) for n, items in sorted(sizes) if n < 2]
        low, high = self._run("SELECT min(rho), max(rho) FROM ranks_").fetchone()
        raters = self._run(f"SELECT DISTINCT r FROM {source}").fetchall()
        table = MomentTable.from_sums([*single, *rows], low=float(low), high=float(high))
        return table, tuple(row[0] for row in raters), checked

    def _numbers(self, marks: Sequence[object]) -> tuple[str, Checked]:
        """Return SQL of items, raters and numbers, x NULL where there is none, and the rows."""
        blank_rows, without_item, without_rater = self._unnamed()
        refuse_unnamed(without_rater, without_item)
        cell = self._clean(self._label, "l")
        number = number_sql(f"({cell})::VARCHAR")
        listed = ", ".join(quoted(str(mark)) for mark in marks) or "NULL"
        values = ", ".join(map(repr, numbers_among(marks)))
        is_mark = f"(({cell})::VARCHAR IN ({listed}) OR {number} IN ({values or 'NULL'}))"
        base = (
            f"(SELECT {self._item} AS i, {self._clean(self._rater, 'r')} AS r, ({cell}) AS l, "
            f"coalesce({is_mark}, false) AS m, {number} AS x FROM {self._relation}{self._named})"
        )
        n, marked, rated, odd, example = self._run(
            "SELECT count(*), count(*) FILTER (m), count(*) FILTER (x IS NOT NULL AND NOT m), "
            "count(*) FILTER (l IS NOT NULL AND x IS NULL AND NOT m), "
            f"min(l::VARCHAR) FILTER (l IS NOT NULL AND x IS NULL AND NOT m) FROM {base}"
        ).fetchone()
        if odd:
            raise InputError.expected(
                "every label on such a scale",
                "a number",
                example,
                "pass it in missing_values if it means no rating, or read the table as nominal",
            )
        checked = Checked(
            n_rows=int(n) + blank_rows,
            n_rated=int(rated),
            n_marked=int(marked),
            n_blank_rows=blank_rows,
            n_unknown=0,
            n_without_rater=0,
            n_without_item=0,
        )
        return f"(SELECT i, r, CASE WHEN NOT m THEN x END AS x FROM {base})", checked


_KINDS = {"SMALLINT": 14, "INTEGER": 30, "BIGINT": 62}  # the smaller, the faster
_PER_NUMBER = 24  # bytes, while codes are unpacked
_FEW_VALUES = 64  # that are looked up in a map
_MOST_RUNS = 8  # of numbers that follow each other, written as cases
_BLANK, _MARK = 0, -1  # of label cells; labels count from 1


class DuckTable(NumbersInDuckDB):
    """A long table in DuckDB: the columns item, rater and label of any relation.

    Text is cleaned late: the few different raters and labels in Python, items only where one of
    them needs it.

    Parameters
    ----------
    connection : duckdb connection
    relation : SQL that can stand after FROM
    item, rater, label : SQL expressions of the columns
    row : SQL expression of a row's position, where rows have an order
    keeps_names : whether `named` will be asked for; the names of items are then looked at there
    memory : bytes that the whole process may take, where that was said
    """

    def __init__(
        self,
        connection: Any,
        relation: str,
        *,
        item: str,
        rater: str,
        label: str,
        row: str | None = None,
        keeps_names: bool = False,
        memory: int | None = None,
    ) -> None:
        self.connection = connection
        self._relation = relation
        self._row = row
        self._keeps_names = keeps_names
        self.memory = memory
        described = connection.execute(
            f"DESCRIBE SELECT {item} AS i, {rater} AS r, {label} AS l FROM {relation}"
        ).fetchall()
        kinds = [kind_of_sql(one[1]) for one in described]
        self._kinds: dict[str, Kind] = dict(zip("irl", kinds, strict=True))
        cells = {"i": item, "r": rater, "l": label}
        raw = {
            role: cell if self._kinds[role] == "text" else clean_sql(cell, self._kinds[role])
            for role, cell in cells.items()
        }
        self._item, self._rater, self._label = raw["i"], raw["r"], raw["l"]
        self._named = ""  # a condition, where some rows name no item
        self._name_of = "{}"
        self._lists: dict[tuple[Any, ...], str] = {}  # of values, as types of the database
        self._looked_at, self._first = -1, list[tuple[Any, Any]]()  # rows, and what they hold

    @property
    def is_ordered(self) -> bool:
        """Whether rows have an order."""
        return self._row is not None

    def _run(self, sql: str, parameters: Sequence[object] = ()) -> Any:
        return self.connection.execute(sql, list(parameters))

    def _clean(self, cell: str, role: str) -> str:
        return clean_sql(cell, "text") if self._kinds[role] == "text" else cell

    def pairs(self, first: int | None) -> list[tuple[Any, Any]]:
        """Return every rater cell and every label cell of the first rows, or of all."""
        if first is None:  # of a crowd with many labels, the pairs may be as many as the ratings
            raters, labels = (self._different(cell) for cell in (self._rater, self._label))
            pairs = [(rater, labels[0]) for rater in raters] if labels else []
            pairs += [(raters[0], label) for label in labels[1:]] if raters else []
            return pairs
        if first == self._looked_at:
            return self._first
        limit = f" LIMIT {int(first)}"
        position = "" if self._row is None else f", {self._row} AS p"
        order = "" if self._row is None else " ORDER BY min(p)"
        rows = self._run(
            f"SELECT r, l FROM (SELECT {self._rater} AS r, {self._label} AS l{position} "
            f"FROM {self._relation}{limit}) GROUP BY 1, 2{order}"
        ).fetchall()
        self._looked_at = first
        self._first = [(rater, label) for rater, label in rows]
        return self._first

    def _different(self, cell: str) -> list[Any]:
        """Return the different cells of a column, by first appearance where there is an order."""
        order = "" if self._row is None else f" ORDER BY min({self._row})"
        rows = self._run(f"SELECT {cell} FROM {self._relation} GROUP BY 1{order}").fetchall()
        return [row[0] for row in rows]

    def has_more_labels_than(self, most: int) -> bool:
        """Say whether there are so many different labels that they should not be listed."""
        some = f"SELECT DISTINCT {self._label} AS l FROM {self._relation} LIMIT {int(most) + 2}"
        return int(self._run(f"SELECT count(l) FROM ({some})").fetchone()[0]) > most

    def checked(self, vocabulary: Vocabulary, *, thorough: bool) -> Checked:
        """Look at every row: what is rated, missing, unknown or without a name."""
        n_rows = None if thorough else self._n_full_rows(vocabulary)
        if n_rows is None:
            return self._thoroughly_checked(vocabulary)
        return Checked(
            n_rows=n_rows,
            n_rated=n_rows,
            n_marked=0,
            n_blank_rows=0,
            n_unknown=0,
            n_without_rater=0,
            n_without_item=0,
        )

    def _n_full_rows(self, vocabulary: Vocabulary) -> int | None:
        """Return the number of rows where no cell is empty or untidy; quick with Parquet."""
        if vocabulary.blank_labels or vocabulary.blank_raters or vocabulary.marked:
            return None
        cells = (self._item, self._rater, self._label)
        counts = ["count(*)", *(f"count({cell})" for cell in cells)]
        if self._kinds["i"] == "text" and not self._keeps_names:
            counts.append(f"count(*) - count(*) FILTER ({untidy_sql(self._item)})")
        found = {
            int(n)
            for n in self._run(f"SELECT {', '.join(counts)} FROM {self._relation}").fetchone()
        }
        return found.pop() if len(found) == 1 else None

    def _thoroughly_checked(self, vocabulary: Vocabulary) -> Checked:
        label, labels = self._case(
            self._label, _label_numbers(vocabulary, mark=_MARK, blank=_BLANK), "INTEGER"
        )
        rater, names = self._case(self._rater, _rater_numbers(vocabulary, _BLANK), "INTEGER")
        untidy = f"{self._item} IS NULL"
        if self._kinds["i"] == "text":
            untidy += f" OR {untidy_sql(self._item)}"
        counts = (
            "count(*)",
            "count(*) FILTER (k > 0)",
            f"count(*) FILTER (k = {_MARK})",
            "count(l) - count(k)",
            "count(*) FILTER (r IS NULL OR g = 0)",
            "count(r) - count(g)",
            "count(*) FILTER (u)",
        )
        n, rated, marked, odd, nobody, strangers, unnamed = map(
            int,
            self._run(
                f"SELECT {', '.join(counts)} FROM (SELECT {self._label} AS l, {label} AS k, "
                f"{self._rater} AS r, {rater} AS g, {untidy} AS u FROM {self._relation})",
                [*labels, *names],
            ).fetchone(),
        )
        blank_rows = without_item = without_rater = 0
        if nobody or unnamed:
            blank_rows, without_item, without_rater = self._unnamed()
        return Checked(
            n_rows=n,
            n_rated=rated,
            n_marked=marked,
            n_blank_rows=blank_rows,
            n_unknown=odd + strangers,
            n_without_rater=without_rater,
            n_without_item=without_item,
        )

    def _unnamed(self) -> tuple[int, int, int]:
        """Clean items from now on, and count the rows that name nobody or nothing."""
        self._item = self._clean(self._item, "i")
        self._named = f" WHERE {self._item} IS NOT NULL"
        parts = (self._item, self._clean(self._rater, "r"), self._clean(self._label, "l"))
        cells = ", ".join(
            f"({cell}) IS NULL AS {name}" for name, cell in zip("irl", parts, strict=True)
        )
        found = self._run(
            "SELECT count(*) FILTER (i AND r AND l), count(*) FILTER (i AND NOT (r AND l)), "
            f"count(*) FILTER (r AND NOT (i AND l)) FROM (SELECT {cells} FROM {self._relation})"
        ).fetchone()
        return int(found[0]), int(found[1]), int(found[2])

    def packed_by_rater(self, vocabulary: Vocabulary, packing: Packing) -> Packed:
        """Group items by who gave which label; bits of different raters never touch.

        Bits of one rater's labels fall together when she rated twice: then there are fewer fields
        than ratings in all.
        """
        words, parameters = self._words(vocabulary, packing)
        packed = self._grouped(words, parameters, "", packing.n_words)
        given = (packing.unpack(packed.words) > 0).sum(axis=1)
        return Packed(packed.words, given, given, packed.multiplicity)

    def named(self, vocabulary: Vocabulary, packing: Packing) -> tuple[Any, list[Any]]:
        """Return each item's name and words in order of first appearance."""
        words, parameters = self._words(vocabulary, packing)
        names = [f"w{w}" for w in range(packing.n_words)]
        listed = ", ".join(f"coalesce({name}, 0) AS {name}" for name in names)
        is_text = self._kinds["i"] == "text" and not self._named
        untidy = untidy_sql("name") if is_text else "false"
        arrays = self._run(
            f"SELECT name, {untidy} AS untidy, {listed} FROM (SELECT {self._item} AS name, "
            f"min({self._row}) AS first, {', '.join(words)} FROM {self._relation}{self._named} "
            "GROUP BY 1) ORDER BY first",
            parameters,
        ).fetchnumpy()
        if np.any(arrays["untidy"]):
            self._unnamed()
            return self.named(vocabulary, packing)
        return arrays["name"], [arrays[w] for w in names]

    def _words(self, vocabulary: Vocabulary, packing: Packing) -> tuple[list[str], list[Any]]:
        """Return SQL that packs the ratings of an item into words, and its parameters."""
        kind = next(name for name, bits in _KINDS.items() if packing.word_bits <= bits)
        code, labels = self._case(self._label, _label_numbers(vocabulary), kind)
        words, parameters = [], []
        for w, weights in enumerate(packing.weights(vocabulary.rater_of)):
            weight, names = self._case(self._rater, weights, kind)
            words.append(f"bit_or({code} * {weight}) AS w{w}")
            parameters += [*labels, *names]
        return words, parameters

    def packed_by_label(self, vocabulary: Vocabulary, packing: Packing) -> Packed:
        """Group items by how often each label was given."""
        words, parameters = [], []
        for w, weights in enumerate(packing.weights(vocabulary.label_of)):
            one, names = self._case(self._label, weights)
            words.append(f"sum(({one})::BIGINT)::BIGINT AS w{w}")
            parameters += names
        code, names = self._code(vocabulary)
        return self._grouped(words, [*parameters, *names], f"count({code})", packing.n_words)

    def entries(self, vocabulary: Vocabulary) -> tuple[Ints, Ints, Ints]:
        """Return the codes of item, rater and label of every rating, ordered by item and rater."""
        coded, parameters = self.coded(vocabulary)
        found = self._run(f"SELECT i, r, k FROM {coded} ORDER BY i, r", parameters).fetchnumpy()
        return found["i"], found["r"], found["k"]

    def coded(self, vocabulary: Vocabulary) -> tuple[str, list[Any]]:
        """Return SQL of the codes of item, rater and label of every rating, and its parameters.

        The item of code i has the name that `name_of("i")` gives.
        """
        code, labels = self._code(vocabulary)
        rater, names = self._case(self._rater, _rater_numbers(vocabulary), "INTEGER")
        source = f"{self._relation}{self._named}"
        low = self._lowest_id(source)
        if low is not None:
            item, self._name_of = f"({self._item} - ({low}))::INTEGER", f"({{}} + ({low}))"
        else:
            self._run(
                "CREATE OR REPLACE TEMP TABLE items_ AS "
                f"SELECT DISTINCT {self._item} AS name FROM {source}"
            ).fetchall()
            item, self._name_of = "named.rowid::INTEGER", "(SELECT name FROM items_ WHERE rowid={})"
            sign = "AND" if self._named else "WHERE"
            source = f"{self._relation}, items_ AS named{self._named} {sign} {self._item} = name"
        return (
            f"(SELECT * FROM (SELECT {item} AS i, {rater} - 1 AS r, ({code} - 1)::INTEGER AS k "
            f"FROM {source}) WHERE k IS NOT NULL)"
        ), [*names, *labels]

    def _lowest_id(self, source: str) -> Any:
        """Return the smallest id where ids are whole numbers that serve as codes, else None."""
        if self._kinds["i"] == "text":
            return None
        low, high, whole = self._run(
            f"SELECT min({self._item}), max({self._item}), bool_and(try_cast({self._item} AS "
            f"BIGINT) = {self._item}) FROM {source}"
        ).fetchone()
        return low if whole and float(high) - float(low) < 2**31 else None

    def name_of(self, code: str) -> str:
        """Return SQL of the name of the item that has a code."""
        return self._name_of.format(code)

    def _code(self, vocabulary: Vocabulary) -> tuple[str, list[Any]]:
        return self._case(self._label, _label_numbers(vocabulary))

    def _grouped(
        self, words: list[str], parameters: list[Any], n_ratings: str, n_words: int
    ) -> Packed:
        """Group ratings by item, then items by their words."""
        names = [f"w{w}" for w in range(n_words)]
        counted = f", {n_ratings} AS n" if n_ratings else ""
        inner = (
            f"SELECT {', '.join(words)}{counted} FROM {self._relation}{self._named} "
            f"GROUP BY {self._item}"
        )
        n = "n" if counted else "0 AS n"
        listed = ", ".join([*(f"coalesce({name}, 0) AS {name}" for name in names), n])
        sql = f"SELECT {listed}, n AS s, count(*) AS items FROM ({inner}) GROUP BY ALL"
        if self.memory is not None:  # kept by the database, on disk if need be, until it is counted
            self._run(f"CREATE OR REPLACE TEMP TABLE packed_ AS {sql}", parameters).fetchall()
            n_rows = int(self._run("SELECT count(*) FROM packed_").fetchone()[0])
            needs_memory(
                self.memory, n_rows * (n_words + 3) * _PER_NUMBER, f"{n_rows:,} distinct items"
            )
            sql, parameters = "SELECT * FROM packed_", []
        return Packed.of(list(self._run(sql, parameters).fetchnumpy().values()), n_words)

    def repeated(self, vocabulary: Vocabulary | None) -> tuple[Any, Any, int] | None:
        """Return an item that one rater rated more than once."""
        given = f"{self._clean(self._label, 'l')} IS NOT NULL"
        parameters: list[Any] = []
        if vocabulary is not None:
            code, parameters = self._code(vocabulary)
            given = f"{code} IS NOT NULL"
        row = self._run(
            f"SELECT {self._clean(self._item, 'i')}, {self._clean(self._rater, 'r')}, count(*) "
            f"FROM {self._relation} WHERE {given} GROUP BY 1, 2 HAVING count(*) > 1 "
            "ORDER BY 1, 2 LIMIT 1",
            parameters,
        ).fetchone()
        return None if row is None else (row[0], row[1], int(row[2]))

    def _case(
        self, column: str, number_of: Mapping[Any, int | None], kind: str = "BIGINT"
    ) -> tuple[str, list[Any]]:
        """Return SQL that turns each value into its number, NULL for any other, and its parameters.

        A look-up in a constant map is done once per distinct value of a Parquet dictionary, three
        times as fast as a chain of comparisons. It goes through the map from its beginning, though;
        many values are found as those of an enumeration, by their hash. A value that is not among
        them costs a walk through all of them, so the enumeration names all that there are.
        """
        if len(number_of) <= _FEW_VALUES:
            known = {value: n for value, n in number_of.items() if n is not None}
            return _mapped(column, list(known), list(known.values()), kind)
        by_number = sorted(number_of.items(), key=lambda pair: _sorted_last(pair[1]))
        values, numbers = zip(*by_number, strict=True)
        place = f"enum_code(TRY_CAST(({column})::VARCHAR AS {self._list(values)}))::INTEGER"
        runs = _runs(numbers)
        if len(runs) > _MOST_RUNS:  # several cells stand for one value
            return f"list_extract(?, {place} + 1)::{kind}", [list(numbers)]
        if len(runs) == 1:
            return f"({runs[0][1].format(place)})::{kind}", []
        cases = [f"WHEN {place} < {end} THEN ({how.format(place)})::{kind}" for end, how in runs]
        return f"CASE {' '.join(cases)} END", []

    def _list(self, values: tuple[Any, ...]) -> str:
        """Return the name of an enumeration of these values."""
        if values not in self._lists:
            texts = list(values)
            if not all(isinstance(one, str) for one in texts):
                rows = self._run("SELECT unnest(?)::VARCHAR", [texts]).fetchall()
                texts = [row[0] for row in rows]
            name = f"values_{len(self._lists)}_{id(self)}"
            listed = ", ".join(map(quoted, texts))
            self._run(f"CREATE TEMP TYPE {name} AS ENUM ({listed})").fetchall()
            self._lists[values] = name
        return self._lists[values]


def _label_numbers(
    vocabulary: Vocabulary, mark: int | None = None, blank: int | None = None
) -> dict[Any, int | None]:
    """Return the number of every label cell, 1, 2, ... for labels."""
    return {
        **{raw: code + 1 for raw, code in vocabulary.label_of.items()},
        **dict.fromkeys(vocabulary.marked, mark),
        **dict.fromkeys(vocabulary.blank_labels, blank),
    }


def _rater_numbers(vocabulary: Vocabulary, blank: int | None = None) -> dict[Any, int | None]:
    """Return the number of every rater cell, 1, 2, ... for raters."""
    return {
        **{raw: k + 1 for raw, k in vocabulary.rater_of.items()},
        **dict.fromkeys(vocabulary.blank_raters, blank),
    }


def _sorted_last(number: int | None) -> tuple[bool, int]:
    """Sort 1, 2, ... first; what is no label comes behind, in the same order whatever it is."""
    return (False, number) if number is not None and number > 0 else (True, 0)


def _runs(numbers: Sequence[int | None]) -> list[tuple[int, str]]:
    """Return where runs of numbers end, and what each is made of its place: + n, or constant."""
    out: list[tuple[int, str]] = []
    start = 0
    while start < len(numbers):
        first, stop = numbers[start], start + 1
        step = int(first is not None and first > 0)
        while stop < len(numbers) and numbers[stop] == (
            first if first is None or not step else first + stop - start
        ):
            stop += 1
        how = "NULL" if first is None else f"{{}} + {first - start}" if step else str(first)
        out.append((stop, how))
        start = stop
        if len(out) > _MOST_RUNS:
            break
    return out


def _mapped(
    column: str, values: Sequence[Any], numbers: Sequence[int], kind: str
) -> tuple[str, list[Any]]:
    """Look values up in a constant map."""
    if not values:
        return f"NULL::{kind}", []
    listed = f"[{', '.join(f'{number}::{kind}' for number in numbers)}]"
    return f"map_extract_value(map(?, {listed}), {column})", [list(values)]


# ---- Ratings as codes on disk, sorted by item and read a part at a time: what many passes need.

_AT_ONCE = 4_000_000  # ratings held at a time


@dataclass(frozen=True)
class RatingFiles:
    """Two files of whole numbers: the item of each rating, and its cell (rater · label).

    Ratings of one item lie together; a part never ends within an item.
    """

    folder: Path
    n_ratings: int
    n_items: int
    n_raters: int
    n_labels: int

    @classmethod
    def written(
        cls, table: DuckTable, vocabulary: Vocabulary, folder: Path, at_once: int = _AT_ONCE
    ) -> RatingFiles:
        """Sort the ratings of a table by item, in DuckDB and on disk if need be, and write them."""
        coded, parameters = table.coded(vocabulary)
        n_labels = len(vocabulary.reading.labels)
        run = table.connection.execute
        run(
            "CREATE OR REPLACE TEMP TABLE ratings_ AS SELECT i, "
            f"(r * {n_labels} + k)::INTEGER AS cell FROM {coded} ORDER BY i",
            parameters,
        ).fetchall()
        n_ratings = n_items = 0
        last = -1
        total = int(run("SELECT count(*) FROM ratings_").fetchone()[0])
        with (folder / "item").open("wb") as items, (folder / "cell").open("wb") as cells:
            for start in range(0, total, at_once):
                part = run(
                    f"SELECT i, cell FROM ratings_ WHERE rowid >= {start} "
                    f"AND rowid < {start + at_once} ORDER BY rowid"
                ).fetchnumpy()
                item = np.ascontiguousarray(part["i"], dtype=np.int32)
                n_items += int(item[0] != last) + int((item[1:] != item[:-1]).sum())
                last = int(item[-1])
                item.tofile(items)
                np.ascontiguousarray(part["cell"], dtype=np.int32).tofile(cells)
                n_ratings += item.size
        run("DROP TABLE ratings_").fetchall()
        return cls(folder, n_ratings, n_items, len(vocabulary.raters), n_labels)

    def parts(self, at_once: int = _AT_ONCE) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Yield items, where the ratings of each begin (and the end), and the ratings' cells."""
        start = 0
        while start < self.n_ratings:
            item = self._read("item", start, at_once)
            stop = item.size
            if start + stop < self.n_ratings:  # leave the last item to the next part
                stop = int(np.searchsorted(item, item[-1]))
                if not stop:  # one item has more ratings than that
                    at_once *= 2
                    continue
            cell = self._read("cell", start, stop)
            item = item[:stop]
            begin = np.flatnonzero(np.concatenate([[True], item[1:] != item[:-1]]))
            yield item[begin], np.append(begin, stop), cell
            start += stop

    def _read(self, name: str, start: int, size: int) -> Any:
        return np.fromfile(self.folder / name, dtype=np.int32, count=size, offset=4 * start)
