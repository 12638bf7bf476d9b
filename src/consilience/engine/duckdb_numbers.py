"""Sums of numbers and of their ranks inside DuckDB, where numbers hardly repeat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from consilience.core.cell_values import number_sql
from consilience.core.database import quoted
from consilience.engine.reduction_parts import Checked, numbers_among
from consilience.exceptions import InputError
from consilience.ratings.stores import MomentTable


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
        for what, empty in (("rater", without_rater), ("item", without_item)):
            if empty:
                raise InputError.expected(
                    f"every {what}", "named", f"{empty:,} ratings without one", "fill them in"
                )
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
                "every label on such a scale", "a number", example,
                "pass it in missing_values if it means no rating, or read the table as nominal",
            )  # fmt: skip
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
