"""Reduction in the user's own dataframe library: polars, PySpark, pyarrow, pandas, DuckDB.

Only what every library behind narwhals can do: columns of numbers first, plain sums in groups, and
casts afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from consilience.engine._table_reduction import Vocabulary
from consilience.engine.packing import Packed, Packing
from consilience.exceptions import InputError
from consilience.ratings.stores import MomentTable

_ITEM, _RATER, _LABEL = "item", "rater", "label"


class FrameTable:
    """A long table in a dataframe of any library, eager or lazy."""

    def __init__(
        self,
        frame: Any,
        *,
        item: str,
        rater: str,
        label: str,
        missing_values: Collection[object] = (),
    ) -> None:
        import narwhals as nw

        lazy = nw.from_native(frame).lazy()
        names = lazy.collect_schema().names()
        for role, column in ((_ITEM, item), (_RATER, rater), (_LABEL, label)):
            if column not in names:
                raise InputError.unknown_word(f"{role} column", column, names)
        chosen = lazy.select(
            nw.col(item).alias(_ITEM), nw.col(rater).alias(_RATER), nw.col(label).alias(_LABEL)
        )
        given = ~nw.col(_LABEL).is_null()
        if chosen.collect_schema()[_LABEL].is_float():
            # Not "not NaN", which DuckDB takes for true of Parquet whose statistics know no NaN.
            given = given & (nw.col(_LABEL).is_finite() | (nw.col(_LABEL).abs() == math.inf))
            chosen = chosen.with_columns(nw.col(_LABEL) + 0.0)  # -0.0 and 0.0 are one label
        if missing_values:
            given = given & ~nw.col(_LABEL).is_in(list(missing_values))
        self._table = chosen.filter(given)
        self._nw = nw

    def vocabulary(self, *, exact: bool) -> Vocabulary:
        """Return the raters and the labels, and refuse rows that name no item or no rater."""
        nw = self._nw
        unnamed = nw.when(nw.col(_ITEM).is_null()).then(1).otherwise(0).alias("unnamed")
        found = (
            self._table.with_columns(unnamed, nw.lit(1).alias("one"))
            .group_by(_RATER, _LABEL)
            .agg(nw.col("one").sum(), nw.col("unnamed").sum())
        )
        raters, labels, times, without = _columns(found, (_RATER, _LABEL, "one", "unnamed"))
        lost = sum(int(n) for rater, n in zip(raters, times, strict=True) if _is_null(rater))
        for what, empty in (("rater", lost), ("item", sum(int(n) for n in without))):
            if empty:
                raise InputError.expected(
                    f"every {what}", "named", f"{empty:,} ratings without one", "fill them in"
                )
        return Vocabulary(tuple(dict.fromkeys(raters)), tuple(dict.fromkeys(labels)))

    def has_more_labels_than(self, most: int) -> bool:
        """Say whether there are so many different labels that they should not be listed."""
        distinct = self._table.select(_LABEL).unique().head(most + 1)
        return len(_columns(distinct, (_LABEL,))[0]) > most

    def raters(self) -> tuple[Any, ...]:
        """Return the raters."""
        return tuple(_columns(self._table.select(_RATER).unique(), (_RATER,))[0])

    def packed_by_rater(self, vocabulary: Vocabulary, packing: Packing) -> Packed:
        """Group items by who gave which label: sums of code x 2^shift."""
        nw = self._nw
        codes = range(1, len(vocabulary.labels) + 1)
        coded = self._table.with_columns(
            self._numbered(_LABEL, vocabulary.labels, codes).alias("code")
        )
        words = {}
        for w in range(packing.n_words):
            fields = [packing.field(k) for k in range(packing.n_fields)]
            weights = [1 << f.shift if f.word == w else 0 for f in fields]
            words[f"w{w}"] = nw.col("code") * self._numbered(_RATER, vocabulary.raters, weights)
        return self._grouped(coded.with_columns(**words), list(words), "code")

    def packed_by_label(self, vocabulary: Vocabulary, packing: Packing) -> Packed:
        """Group items by how often each label was given."""
        nw = self._nw
        words = {}
        for w in range(packing.n_words):
            fields = [packing.field(k) for k in range(packing.n_fields)]
            weights = [1 << f.shift if f.word == w else 0 for f in fields]
            words[f"w{w}"] = self._numbered(_LABEL, vocabulary.labels, weights)
        table = self._table.with_columns(nw.lit(1).alias("code"), **words)
        return self._grouped(table, list(words), "code")

    def _numbered(self, column: str, values: Sequence[Any], numbers: Sequence[int]) -> Any:
        """Return an expression that turns each value into its number."""
        nw = self._nw
        return nw.col(column).replace_strict(
            list(values), list(numbers), default=0, return_dtype=nw.Int64
        )

    def _grouped(self, table: Any, words: list[str], check: str) -> Packed:
        nw = self._nw
        sums = [nw.col(name).sum() for name in words]
        items = (
            table.with_columns(nw.lit(1).alias("n"), nw.col(check).alias("s"))
            .group_by(_ITEM)
            .agg(*sums, nw.col("n").sum(), nw.col("s").sum())
        )
        keys = [*words, "n", "s"]
        whole = items.with_columns(*(nw.col(name).cast(nw.Int64) for name in keys))
        found = (
            whole.with_columns(nw.lit(1).alias("items")).group_by(*keys).agg(nw.col("items").sum())
        )
        return Packed.of(_columns(found, (*keys, "items")), len(words))

    def repeated(self) -> tuple[Any, Any, int] | None:
        """Return an item that one rater rated more than once."""
        nw = self._nw
        found = (
            self._table.with_columns(nw.lit(1).alias("n"))
            .group_by(_ITEM, _RATER)
            .agg(nw.col("n").sum())
            .filter(nw.col("n") > 1)
            .head(1)
        )
        items, raters, times = _columns(found, (_ITEM, _RATER, "n"))
        return (items[0], raters[0], int(times[0])) if len(items) else None

    def moments(self) -> MomentTable:
        """Add up, for items with n ratings, their sums, squares and distances within."""
        nw = self._nw
        x = self._table.select(nw.col(_ITEM), nw.col(_LABEL).cast(nw.Float64).alias("x"))
        ends = x.select(
            nw.col("x").min().alias("low"),
            nw.col("x").max().alias("high"),
            nw.col("x").mean().alias("centre"),
        )
        low, high, centre = (float(one[0]) for one in _columns(ends, ("low", "high", "centre")))
        per_item = (
            x.with_columns((nw.col("x") - centre).alias("sx"))
            .with_columns((nw.col("sx") * nw.col("sx")).alias("sxx"), nw.lit(1.0).alias("n"))
            .group_by(_ITEM)
            .agg(nw.col("n").sum(), nw.col("sx").sum(), nw.col("sxx").sum())
        )
        n, sx, sxx = (nw.col(name) for name in ("n", "sx", "sxx"))
        within = 2.0 * (n * sxx - sx * sx)
        rounding = 4.0 * float(np.finfo(np.float64).eps) * n * n * sxx
        facts = ("w", "sx", "sxx")
        products = [(a, b) for j, a in enumerate(facts) for b in facts[j:]]
        table = per_item.with_columns(
            nw.when(within > rounding).then(within).otherwise(0.0).alias("w"),
            nw.lit(1.0).alias("items"),
        ).with_columns(*((nw.col(a) * nw.col(b)).alias(f"{a}_{b}") for a, b in products))
        wanted = ["items", *facts, *(f"{a}_{b}" for a, b in products)]
        found = table.group_by("n").agg(*(nw.col(name).sum() for name in wanted))
        columns = _columns(found, ("n", *wanted))
        rows = sorted(zip(*(np.asarray(c, dtype=np.float64) for c in columns), strict=True))
        return MomentTable.from_sums(rows, low=low, high=high)


def _columns(frame: Any, names: Sequence[str]) -> list[Any]:
    """Fetch a small result; only this travels from the engine to us."""
    collected = frame.select(*names).collect()
    return [collected[name].to_list() for name in names]


def _is_null(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
