"""Reduction inside DuckDB: files of any size, streaming, spilling to disk when memory is short."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from consilience.engine._table_reduction import Vocabulary
from consilience.engine.packing import Packed, Packing
from consilience.exceptions import InputError
from consilience.ratings.stores import MomentTable

_KINDS = {"SMALLINT": 14, "INTEGER": 30, "BIGINT": 62}  # the smaller, the faster
_FIRST = 200_000  # ratings from which raters and labels are guessed; what follows is checked


class DuckTable:
    """A long table in DuckDB: the columns item, rater and label of any relation.

    Parameters
    ----------
    connection : duckdb connection
    relation : SQL that can stand after FROM
    item, rater, label : SQL expressions of the columns
    missing_values : labels that mean "no rating"
    """

    def __init__(
        self,
        connection: Any,
        relation: str,
        *,
        item: str,
        rater: str,
        label: str,
        missing_values: Collection[object] = (),
    ) -> None:
        self._connection = connection
        self._relation = relation
        self._item, self._rater, self._label = item, rater, label
        self._given = f"{label} IS NOT NULL"
        kind = connection.execute(f"SELECT typeof({label}) FROM {relation} LIMIT 1").fetchone()
        if kind is not None and kind[0] in ("DOUBLE", "FLOAT"):
            # DuckDB takes "not isnan" for true of Parquet whose statistics know no NaN.
            self._given += f" AND (isfinite({label}) OR isinf({label}))"
        self._marks = list(missing_values)
        if self._marks:
            self._given += f" AND {label} NOT IN ({', '.join('?' for _ in self._marks)})"
        self._from = f"FROM {relation} WHERE {self._given}"

    def _run(self, sql: str, parameters: Sequence[object] = ()) -> Any:
        """Run a query; the parameters of its head come before those of the condition."""
        return self._connection.execute(sql, [*parameters, *self._marks])

    def vocabulary(self, *, exact: bool) -> Vocabulary:
        """Return the raters and the labels: of all ratings, or of the first ones as a guess."""
        source = f"(SELECT {self._rater} AS r, {self._label} AS l {self._from}"
        source += ")" if exact else f" LIMIT {_FIRST})"
        rows = self._run(f"SELECT r, l, count(*) FROM {source} GROUP BY 1, 2").fetchall()
        _check_named("rater", sum(row[2] for row in rows if row[0] is None))
        raters = dict.fromkeys(row[0] for row in rows)
        return Vocabulary(tuple(raters), tuple(dict.fromkeys(row[1] for row in rows)))

    def counted(self) -> list[tuple[Any, Any, int]]:
        """Return every rater, label and how often they occur together."""
        sql = f"SELECT {self._rater}, {self._label}, count(*) {self._from} GROUP BY 1, 2"
        return [tuple(row) for row in self._run(sql).fetchall()]

    @cached_property
    def _n_ratings(self) -> int:
        """Number of ratings; refuses those that name no item or no rater."""
        counted = self._run(
            f"SELECT count(*), count(*) - count({self._item}), count(*) - count({self._rater}) "
            f"{self._from}"
        ).fetchone()
        _check_named("item", counted[1])
        _check_named("rater", counted[2])
        return int(counted[0])

    def has_more_labels_than(self, most: int) -> bool:
        """Say whether there are so many different labels that they should not be listed."""
        some = f"SELECT DISTINCT {self._label} {self._from} LIMIT {int(most) + 1}"
        return int(self._run(f"SELECT count(*) FROM ({some})").fetchone()[0]) > most

    def raters(self) -> tuple[Any, ...]:
        """Return the raters."""
        found = self._run(f"SELECT {self._rater} {self._from} GROUP BY 1").fetchall()
        return tuple(row[0] for row in found)

    def packed_by_rater(self, vocabulary: Vocabulary, packing: Packing) -> Packed:
        """Group items by who gave which label; bits of different raters never touch."""
        packed = self.packed(
            {rater: k for k, rater in enumerate(vocabulary.raters)},
            {label: k for k, label in enumerate(vocabulary.labels)},
            packing,
        )
        # Bits of one rater's labels fall together when she rated twice, and a label or a rater that
        # was not guessed leaves none: then fields and ratings do not add up.
        content = packing.unpack(packed.words)
        given = (content > 0).sum(axis=1)
        adds_up = int(given @ packed.multiplicity) == self._n_ratings
        n_ratings = given if adds_up else given + 1
        return replace(packed, n_ratings=n_ratings, checksum=content.sum(axis=1))

    def packed(
        self, rater_of: Mapping[Any, int], label_of: Mapping[Any, int], packing: Packing
    ) -> Packed:
        """Group items by who gave which label; several values may stand for one rater or label."""
        words, parameters = self._words(rater_of, label_of, packing)
        return self._grouped(words, parameters, "0", packing.n_words)

    def packed_items(
        self,
        rater_of: Mapping[Any, int],
        label_of: Mapping[Any, int],
        packing: Packing,
        *,
        row: str,
        fault: str,
    ) -> tuple[Any, list[Any], int]:
        """Return each item's name and words in order of first appearance, which `row` tells.

        The last of the three is how many names have the `fault`, a condition on ``name``.
        """
        words, parameters = self._words(rater_of, label_of, packing)
        names = [f"w{w}" for w in range(packing.n_words)]
        listed = ", ".join(f"coalesce({name}, 0) AS {name}" for name in names)
        arrays = self._connection.execute(
            f"SELECT name, {fault} AS fault, {listed} FROM (SELECT {self._item} AS name, "
            f"min({row}) AS first, {', '.join(words)} FROM {self._relation} GROUP BY 1) "
            "ORDER BY first",
            parameters,
        ).fetchnumpy()
        return arrays["name"], [arrays[w] for w in names], int(np.sum(arrays["fault"]))

    def _words(
        self, rater_of: Mapping[Any, int], label_of: Mapping[Any, int], packing: Packing
    ) -> tuple[list[str], list[Any]]:
        """Return SQL that packs the ratings of an item into words, and its parameters."""
        kind = next(name for name, bits in _KINDS.items() if packing.word_bits <= bits)
        codes = [k + 1 for k in label_of.values()]
        code, labels = _case(self._label, list(label_of), codes, kind)
        words, parameters = [], []
        for w in range(packing.n_words):
            fields = {rater: packing.field(k) for rater, k in rater_of.items()}
            mine = [rater for rater, field in fields.items() if field.word == w]
            weight, names = _case(
                self._rater, mine, [1 << fields[rater].shift for rater in mine], kind
            )
            words.append(f"bit_or({code} * {weight}) AS w{w}")
            parameters += [*labels, *names]
        return words, parameters

    def packed_by_label(self, vocabulary: Vocabulary, packing: Packing) -> Packed:
        """Group items by how often each label was given."""
        words, parameters = [], []
        for w in range(packing.n_words):
            fields = [packing.field(k) for k in range(packing.n_fields)]
            mine = [k for k, field in enumerate(fields) if field.word == w]
            one, names = _case(
                self._label,
                [vocabulary.labels[k] for k in mine],
                [1 << fields[k].shift for k in mine],
            )
            words.append(f"sum(({one})::BIGINT)::BIGINT AS w{w}")
            parameters += names
        self._n_ratings  # noqa: B018 - refuses what names no item
        return self._grouped(words, parameters, "count(*)", packing.n_words)

    def _grouped(
        self, words: list[str], parameters: list[Any], n_ratings: str, n_words: int
    ) -> Packed:
        """Group ratings by item, then items by their words."""
        names = [f"w{w}" for w in range(n_words)]
        counted = "" if n_ratings == "0" else f", {n_ratings} AS n"
        inner = f"SELECT {', '.join(words)}{counted} {self._from} GROUP BY {self._item}"
        n = "n" if counted else "0 AS n"
        listed = ", ".join([*(f"coalesce({name}, 0) AS {name}" for name in names), n])
        sql = f"SELECT {listed}, n AS s, count(*) AS items FROM ({inner}) GROUP BY ALL"
        return Packed.of(list(self._run(sql, parameters).fetchnumpy().values()), n_words)

    def repeated(self) -> tuple[Any, Any, int] | None:
        """Return an item that one rater rated more than once."""
        row = self._run(
            f"SELECT {self._item}, {self._rater}, count(*) {self._from} "
            "GROUP BY 1, 2 HAVING count(*) > 1 ORDER BY 1, 2 LIMIT 1"
        ).fetchone()
        return None if row is None else (row[0], row[1], int(row[2]))

    def moments(self) -> MomentTable:
        """Add up, for items with n ratings, their sums, squares and distances within."""
        low, high, centre = self._run(
            f"SELECT min(x), max(x), avg(x) FROM (SELECT ({self._label})::DOUBLE AS x {self._from})"
        ).fetchone()
        facts = ("w", "sx", "sxx")
        sums = [f"sum({a})" for a in facts]
        sums += [f"sum({a} * {b})" for j, a in enumerate(facts) for b in facts[j:]]
        per_item = (
            "SELECT count(*) AS n, sum(x) AS sx, sum(x * x) AS sxx FROM "
            f"(SELECT {self._item} AS i, ({self._label})::DOUBLE - {float(centre)!r} AS x "
            f"{self._from}) GROUP BY i"
        )
        rounding = f"{4.0 * float(np.finfo(np.float64).eps)!r} * n * n * sxx"
        within = "2.0 * greatest(n * sxx - sx * sx, 0.0)"
        rows = self._run(
            f"SELECT n, count(*), {', '.join(sums)} FROM (SELECT n, sx, sxx, "
            f"CASE WHEN {within} > {rounding} THEN {within} ELSE 0.0 END AS w FROM ({per_item})) "
            "GROUP BY n ORDER BY n"
        ).fetchall()
        return MomentTable.from_sums(rows, low=float(low), high=float(high))


def _check_named(what: str, empty: int) -> None:
    if empty:
        raise InputError.expected(
            f"every {what}", "named", f"{empty:,} ratings without one", "fill them in"
        )


def _case(
    column: str, values: Sequence[Any], numbers: Sequence[int], kind: str = "BIGINT"
) -> tuple[str, list[Any]]:
    """Return SQL that turns each value into its number, NULL for any other, and its parameters.

    A look-up in a constant map is done once per distinct value of a Parquet dictionary, three
    times as fast as a chain of comparisons.
    """
    if not values:
        return f"NULL::{kind}", []
    listed = f"[{', '.join(f'{number}::{kind}' for number in numbers)}]"
    return f"map_extract_value(map(?, {listed}), {column})", [list(values)]
