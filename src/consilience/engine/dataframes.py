"""Reduction in the user's own dataframe library: polars, PySpark, pyarrow, pandas, DuckDB.

Only what every library behind narwhals can do: columns of numbers first, plain sums in groups, and
casts afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from consilience.core.cell_values import Kind, clean_expression, kind_of_dtype
from consilience.engine.backend import (
    Checked,
    Packed,
    Packing,
    Vocabulary,
    numbers_among,
    refuse_unnamed,
)
from consilience.exceptions import InputError
from consilience.ratings.stores import MomentTable

_ITEM, _RATER, _LABEL = "item", "rater", "label"
_MOST_PAIRS = 100_000  # of a rater and a label that are fetched together
_BLANK, _MARK, _NONE = 0, -1, -2  # of label cells; labels count from 1


class FrameTable:
    """A long table in a dataframe of any library, eager or lazy."""

    is_ordered = False  # a cluster knows no first row

    def __init__(self, frame: Any, *, item: str, rater: str, label: str) -> None:
        import narwhals as nw

        lazy = nw.from_native(frame).lazy()
        names = lazy.collect_schema().names()
        for role, column in ((_ITEM, item), (_RATER, rater), (_LABEL, label)):
            if column not in names:
                raise InputError.unknown_word(f"{role} column", column, names)
        chosen = lazy.select(
            nw.col(item).alias(_ITEM), nw.col(rater).alias(_RATER), nw.col(label).alias(_LABEL)
        )
        schema = chosen.collect_schema()
        self._kinds: dict[str, Kind] = {
            role: kind_of_dtype(nw, schema[role]) for role in (_ITEM, _RATER, _LABEL)
        }
        # The few different raters and labels are cleaned one by one, unless they are no text.
        late = [role for role in (_RATER, _LABEL) if self._kinds[role] == "text"]
        self._table = chosen.with_columns(
            *(
                clean_expression(nw, nw.col(role), kind).alias(role)
                for role, kind in self._kinds.items()
                if role not in late
            )
        )
        self._nw = nw
        self._named = self._table
        self._cells: list[tuple[Any, Any]] | None = None

    @property
    def native(self) -> Any:
        """The columns item, rater and label in the library's own frame; rows that name an item."""
        return self._table.filter(~self._nw.col(_ITEM).is_null()).to_native()

    def pairs(self, first: int | None) -> list[tuple[Any, Any]]:
        """Return rater cells and label cells of all rows: those that occur together, if few do."""
        if self._cells is None:
            pairs = _columns(self._table.select(_RATER, _LABEL).unique().head(_MOST_PAIRS + 1),
                             (_RATER, _LABEL))  # fmt: skip
            if len(pairs[0]) > _MOST_PAIRS:  # of a crowd, they may be as many as the ratings
                raters, labels = (
                    _columns(self._table.select(role).unique(), (role,))[0]
                    for role in (_RATER, _LABEL)
                )
                pairs = [[*raters, *raters[:1] * len(labels)], [*labels[:1] * len(raters), *labels]]
            self._cells = [
                (_none(rater), _none(label)) for rater, label in zip(*pairs, strict=True)
            ]
        return self._cells

    def has_more_labels_than(self, most: int) -> bool:
        """Say whether there are so many different labels that they should not be listed."""
        distinct = self._table.select(_LABEL).unique().head(most + 2)
        return sum(_none(one) is not None for one in _columns(distinct, (_LABEL,))[0]) > most

    def checked(self, vocabulary: Vocabulary, *, thorough: bool) -> Checked:
        """Look at every row: what is rated, missing or without a name."""
        nw = self._nw
        coded = self._table.select(
            nw.col(_ITEM).is_null().alias("i"),
            self._cell(_RATER).is_null().alias("g"),
            self._coded_label(vocabulary).alias("k"),
        )
        rater, label = nw.col("g"), (nw.col("k") == _BLANK) | (nw.col("k") == _NONE)
        tests = {
            "rated": nw.col("k") > 0,
            "marked": nw.col("k") == _MARK,
            "blank": nw.col("i") & rater & label,
            "no_item": nw.col("i") & ~(rater & label),
            "no_rater": rater & ~(nw.col("i") & label),
        }
        ones = {name: nw.when(test).then(1).otherwise(0) for name, test in tests.items()}
        sums = coded.with_columns(nw.lit(1).alias("n"), **ones).select(
            *(nw.col(name).sum() for name in ("n", *tests))
        )
        found = {name: int(one[0] or 0) for name, one in _named(sums, ("n", *tests)).items()}
        self._named = self._table.filter(~nw.col(_ITEM).is_null())
        return Checked(
            n_rows=found["n"],
            n_rated=found["rated"],
            n_marked=found["marked"],
            n_blank_rows=found["blank"],
            n_unknown=0,
            n_without_rater=found["no_rater"],
            n_without_item=found["no_item"],
        )

    def _coded_label(self, vocabulary: Vocabulary) -> Any:
        """Return an expression: 1, 2, ... for labels, and what the other cells are."""
        codes = {raw: code + 1 for raw, code in vocabulary.label_of.items()}
        codes |= dict.fromkeys(vocabulary.marked, _MARK) | dict.fromkeys(
            vocabulary.blank_labels, _BLANK
        )
        return self._numbered(_LABEL, codes, _NONE)

    def _numbered(self, column: str, number_of: Mapping[Any, int], default: int = 0) -> Any:
        """Return an expression that turns each value into its number."""
        nw = self._nw
        if not number_of:
            return nw.lit(default)
        return (
            nw.when(nw.col(column).is_null())
            .then(nw.lit(default))
            .otherwise(
                nw.col(column).replace_strict(
                    list(number_of), list(number_of.values()), default=default,
                    return_dtype=nw.Int64,
                )
            )
        )  # fmt: skip

    def packed_by_rater(self, vocabulary: Vocabulary, packing: Packing) -> Packed:
        """Group items by who gave which label: sums of code x 2^shift."""
        nw = self._nw
        codes = {raw: code + 1 for raw, code in vocabulary.label_of.items()}
        coded = self._named.with_columns(self._numbered(_LABEL, codes).alias("code"))
        words = {
            f"w{w}": nw.col("code") * self._numbered(_RATER, weights)
            for w, weights in enumerate(packing.weights(vocabulary.rater_of))
        }
        packed = self._grouped(coded.with_columns(**words), list(words), "code")
        # Sums that ran over into another rater's bits do not add up to what was put in.
        content = packing.unpack(packed.words)
        given = (content > 0).sum(axis=1)
        right = (given == packed.n_ratings) & (content.sum(axis=1) == packed.checksum)
        n_ratings = np.where(right, given, given + 1)
        return Packed(packed.words, n_ratings, packed.checksum, packed.multiplicity)

    def packed_by_label(self, vocabulary: Vocabulary, packing: Packing) -> Packed:
        """Group items by how often each label was given."""
        codes = {raw: code + 1 for raw, code in vocabulary.label_of.items()}
        words = {
            f"w{w}": self._numbered(_LABEL, weights)
            for w, weights in enumerate(packing.weights(vocabulary.label_of))
        }
        table = self._named.with_columns(self._numbered(_LABEL, codes).alias("code"), **words)
        return self._grouped(table, list(words), "code")

    def _grouped(self, table: Any, words: list[str], check: str) -> Packed:
        nw = self._nw
        sums = [nw.col(name).sum() for name in words]
        given = nw.when(nw.col(check) > 0).then(1).otherwise(0)
        items = (
            table.with_columns(given.alias("n"), nw.col(check).alias("s"))
            .group_by(_ITEM)
            .agg(*sums, nw.col("n").sum(), nw.col("s").sum())
        )
        keys = [*words, "n", "s"]
        whole = items.with_columns(*(nw.col(name).cast(nw.Int64) for name in keys))
        found = (
            whole.with_columns(nw.lit(1).alias("items")).group_by(*keys).agg(nw.col("items").sum())
        )
        return Packed.of(_columns(found, (*keys, "items")), len(words))

    def repeated(self, vocabulary: Vocabulary | None) -> tuple[Any, Any, int] | None:
        """Return an item that one rater rated more than once."""
        nw = self._nw
        if vocabulary is None:
            given, who = ~self._cell(_LABEL).is_null(), self._cell(_RATER)
        else:
            given, who = self._coded_label(vocabulary) > 0, self._cell(_RATER)
        found = (
            self._table.filter(given)
            .with_columns(nw.lit(1).alias("n"), who.alias("who"))
            .group_by(_ITEM, "who")
            .agg(nw.col("n").sum())
            .filter(nw.col("n") > 1)
            .head(1)
        )
        items, raters, times = _columns(found, (_ITEM, "who", "n"))
        if not len(items):
            return None
        return items[0], raters[0], int(times[0])

    def _cell(self, role: str) -> Any:
        kind = self._kinds[role]
        column = self._nw.col(role)
        return clean_expression(self._nw, column, kind) if kind == "text" else column

    def moments(self, marks: Sequence[object]) -> tuple[MomentTable, tuple[Any, ...], Checked]:
        """Add up, for items with n ratings, their sums, squares and distances within."""
        nw = self._nw
        x, raters, checked = self._numbers(marks)
        ends = x.select(
            nw.col("x").min().alias("low"),
            nw.col("x").max().alias("high"),
            nw.col("x").mean().alias("centre"),
        )
        low, high, centre = (float(one[0]) for one in _columns(ends, ("low", "high", "centre")))
        if math.isinf(low) or math.isinf(high):
            raise InputError.expected(
                "every label",
                "a finite number",
                low if math.isinf(low) else high,
                "use NaN where a rating is missing",
            )
        given = nw.when(nw.col("x").is_null())
        per_item = (
            x.with_columns(
                given.then(0.0).otherwise(nw.col("x") - centre).alias("sx"),
                given.then(0.0).otherwise(1.0).alias("n"),
            )
            .with_columns((nw.col("sx") * nw.col("sx")).alias("sxx"))
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
        return MomentTable.from_sums(rows, low=low, high=high), raters, checked

    def _numbers(self, marks: Sequence[object]) -> tuple[Any, tuple[Any, ...], Checked]:
        """Return items and numbers, null where there is none; the raters; and the rows."""
        nw = self._nw
        if self._kinds[_LABEL] == "text":
            raise InputError.expected(
                "a label column of measurements", "numbers", "text", "cast the column to numbers"
            )
        numeric = numbers_among(marks)
        x = nw.col(_LABEL).cast(nw.Float64)
        is_mark = x.is_in(numeric) if numeric else nw.lit(False)
        rows = self._table.select(
            nw.col(_ITEM),
            self._cell(_RATER).alias(_RATER),
            nw.when(~is_mark).then(x).alias("x"),
            nw.when(is_mark).then(1).otherwise(0).alias("m"),
        )
        counted = rows.with_columns(
            nw.when(nw.col(_ITEM).is_null()).then(1).otherwise(0).alias("i"),
            nw.when(nw.col(_RATER).is_null()).then(1).otherwise(0).alias("r"),
            nw.when(nw.col("x").is_null()).then(0).otherwise(1).alias("k"),
            nw.lit(1).alias("n"),
        )
        sums = _named(
            counted.select(*(nw.col(name).sum() for name in "nkmir")), ("n", "k", "m", "i", "r")
        )
        n, rated, marked, no_item, no_rater = (int(one[0] or 0) for one in sums.values())
        refuse_unnamed(no_rater, no_item)
        raters = tuple(_columns(rows.select(_RATER).unique(), (_RATER,))[0])
        checked = Checked(
            n_rows=n,
            n_rated=rated,
            n_marked=marked,
            n_blank_rows=0,
            n_unknown=0,
            n_without_rater=0,
            n_without_item=0,
        )
        return rows.select(_ITEM, "x"), raters, checked


def _columns(frame: Any, names: Sequence[str]) -> list[Any]:
    """Fetch a small result; only this travels from the engine to us."""
    collected = frame.select(*names).collect()
    return [collected[name].to_list() for name in names]


def _named(frame: Any, names: Sequence[str]) -> dict[str, Any]:
    return dict(zip(names, _columns(frame, names), strict=True))


def _none(value: Any) -> Any:
    is_nan = isinstance(value, float) and math.isnan(value)
    return None if is_nan or type(value).__name__ in ("NAType", "NaTType") else value
