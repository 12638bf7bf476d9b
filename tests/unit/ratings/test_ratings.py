"""Ratings: every kind of input, every policy, every refusal."""

from __future__ import annotations

import copy
import datetime as dt
import html
import itertools
import math
import pickle
import re
import sys
import unicodedata
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience import Ratings
from consilience.exceptions import ConsilienceError, InputError
from consilience.ratings._long import Entries
from consilience.ratings.duplicates import run_length

Table = list[list[Any]]

NAMES = ["Ann", "Bob", "Cem"]
NUMBERS: Table = [
    [1, 1, 2], [2, 2, None], [3, None, 3], [4, 4, 4], [1, 2, 1], [None, None, 3],
    [2, 3, 3], [4, 4, 3], [1, 1, 1], [None, 2, None], [3, 3, 3], [2, 2, 2],
]  # fmt: skip
LETTERS: Table = [[None if x is None else "abcd"[x - 1] for x in row] for row in NUMBERS]
COMPLETE: Table = [[x or 4 for x in row] for row in NUMBERS]
REFUSAL = r"(?s)Got .*Hint: .*[.?]$"


def refused(call: Callable[[], object], what: str = "") -> None:
    """The call must be refused in one sentence: what, got, hint."""
    with pytest.raises(ConsilienceError, match=REFUSAL) as caught:
        call()
    assert re.search(what, str(caught.value), re.DOTALL)


def taken(call: Callable[[], Any]) -> Any:
    """Return what the call makes, or None if it is refused in our words."""
    try:
        return call()
    except ConsilienceError as error:
        message = str(error)
    assert "Got" in message
    assert "Hint" in message
    return None


def measured(r: Ratings, **options: Any) -> dict[str, tuple[Any, ...]]:
    """Every coefficient's numbers, to the last bit."""
    out = {}
    for name, spec in cs.coefficients().items():
        if spec.supports(r) is None:
            e = getattr(cs, name)(r, on_undefined="ignore", **options)
            out[name] = (e.value, e.standard_error, e.observed, e.expected, e.n_ratings)
    assert "krippendorff_alpha" in out
    return out


def transposed(rows: Table) -> dict[str, list[Any]]:
    return {name: list(column) for name, column in zip(NAMES, zip(*rows, strict=True), strict=True)}


def long(rows: Table) -> dict[str, list[Any]]:
    cells = [
        (item, rater, label)
        for item, row in enumerate(rows)
        for rater, label in zip(NAMES, row, strict=True)
        if label is not None
    ]
    item, rater, label = (list(part) for part in zip(*cells, strict=True))
    return {"item": item, "rater": rater, "label": label}


def masked(rows: Table, dtype: Any) -> np.ma.MaskedArray[Any, Any]:
    filled = np.array([[0 if x is None else x for x in row] for row in rows]).astype(dtype)
    return np.ma.array(filled, mask=[[x is None for x in row] for row in rows])


def hidden(rows: Table) -> np.ma.MaskedArray[Any, Any]:
    """Mask the gaps, with a number under the mask that must not be read."""
    values = np.array(rows)
    return np.ma.array(np.nan_to_num(values, nan=99.5), mask=np.isnan(values))


def relation(rows: Table, types: str) -> Any:
    frame = pa.table(transposed(rows))
    cast = ", ".join(f'"{name}"::{types} as "{name}"' for name in NAMES)
    return duckdb.connect().from_arrow(frame).project(cast)


# --- kinds of input -------------------------------------------------------------------------------

WIDE_NUMBERS: dict[str, Callable[[Table], Any]] = {
    "tuples": lambda rows: tuple(tuple(row) for row in rows),
    "generators": lambda rows: (iter(row) for row in rows),
    "deques": lambda rows: deque(deque(row) for row in rows),
    "numpy scalars": lambda rows: [[None if x is None else np.int16(x) for x in r] for r in rows],
    "floats and NaN": lambda rows: [[math.nan if x is None else float(x) for x in r] for r in rows],
    "pandas' NA": lambda rows: [[pd.NA if x is None else x for x in row] for row in rows],
    "masked scalars": lambda rows: [[np.ma.masked if x is None else x for x in r] for r in rows],
    "dict": transposed,
    "ordered dict": lambda rows: OrderedDict(transposed(rows)),
    "dict of tuples": lambda rows: {k: tuple(v) for k, v in transposed(rows).items()},
    "dict of generators": lambda rows: {k: iter(v) for k, v in transposed(rows).items()},
    "dict of arrays": lambda rows: {
        k: np.array([np.nan if x is None else x for x in v]) for k, v in transposed(rows).items()
    },
    "dict of masked arrays": lambda rows: {
        k: np.ma.array([x or 0 for x in v], mask=[x is None for x in v])
        for k, v in transposed(rows).items()
    },
    "dict of series": lambda rows: {k: pd.Series(v) for k, v in transposed(rows).items()},
    "numpy object": lambda rows: np.array(rows, dtype=object),
    "numpy float64": lambda rows: np.array(rows, dtype=np.float64),
    "numpy float32": lambda rows: np.array(rows, dtype=np.float32),
    "numpy float16": lambda rows: np.array(rows, dtype=np.float16),
    "numpy float64 column-major": lambda rows: np.asfortranarray(np.array(rows, dtype=float)),
    "masked int64": lambda rows: masked(rows, np.int64),
    "masked int8": lambda rows: masked(rows, np.int8),
    "masked uint8": lambda rows: masked(rows, np.uint8),
    "masked float64": lambda rows: masked(rows, np.float64),
    "masked object": lambda rows: masked(rows, object),
    "pandas float64": lambda rows: pd.DataFrame(transposed(rows), dtype=float),
    "pandas object": lambda rows: pd.DataFrame(transposed(rows), dtype=object),
    "pandas Int64": lambda rows: pd.DataFrame(transposed(rows), dtype="Int64"),
    "pandas UInt8": lambda rows: pd.DataFrame(transposed(rows), dtype="UInt8"),
    "pandas Float64": lambda rows: pd.DataFrame(transposed(rows), dtype="Float64"),
    "pandas category": lambda rows: pd.DataFrame(transposed(rows), dtype="Int64").astype(
        "category"
    ),
    "pandas on arrow": lambda rows: pd.DataFrame(transposed(rows), dtype="int64[pyarrow]"),
    "polars Int64": lambda rows: pl.DataFrame(transposed(rows)),
    "polars UInt8": lambda rows: pl.DataFrame(transposed(rows)).cast(pl.UInt8),
    "polars Float64": lambda rows: pl.DataFrame(transposed(rows)).cast(pl.Float64),
    "polars NaN": lambda rows: pl.DataFrame(transposed(rows)).cast(pl.Float64).fill_null(math.nan),
    "polars lazy": lambda rows: pl.DataFrame(transposed(rows)).lazy(),
    "polars object": lambda rows: pl.DataFrame(
        transposed(rows), schema=dict.fromkeys(NAMES, pl.Object)
    ),
    "arrow": lambda rows: pa.table(transposed(rows)),
    "arrow dictionary": lambda rows: pa.table(
        {k: pa.array(v).dictionary_encode() for k, v in transposed(rows).items()}
    ),
    "arrow in chunks": lambda rows: pa.concat_tables(
        [pa.table(transposed(rows[:5])), pa.table(transposed(rows[5:]))]
    ),
    "DuckDB integer": lambda rows: relation(rows, "integer"),
    "DuckDB double": lambda rows: relation(rows, "double"),
}

WIDE_TEXT: dict[str, Callable[[Table], Any]] = {
    "tuples": lambda rows: tuple(tuple(row) for row in rows),
    "generators": lambda rows: (iter(row) for row in rows),
    "numpy strings": lambda rows: [[None if x is None else np.str_(x) for x in r] for r in rows],
    "dict": transposed,
    "numpy object": lambda rows: np.array(rows, dtype=object),
    "masked text": lambda rows: np.ma.array(
        [[x or "" for x in row] for row in rows], mask=[[x is None for x in row] for row in rows]
    ),
    "pandas default": lambda rows: pd.DataFrame(transposed(rows)),
    "pandas object": lambda rows: pd.DataFrame(transposed(rows), dtype=object),
    "pandas string": lambda rows: pd.DataFrame(transposed(rows), dtype="string"),
    "pandas category": lambda rows: pd.DataFrame(transposed(rows)).astype(
        pd.CategoricalDtype(["d", "a", "b", "c"])
    ),
    "pandas on arrow": lambda rows: pd.DataFrame(transposed(rows), dtype="string[pyarrow]"),
    "polars String": lambda rows: pl.DataFrame(transposed(rows)),
    "polars Categorical": lambda rows: pl.DataFrame(transposed(rows)).cast(pl.Categorical),
    "polars Enum": lambda rows: pl.DataFrame(transposed(rows)).cast(pl.Enum(["a", "b", "c", "d"])),
    "polars lazy": lambda rows: pl.DataFrame(transposed(rows)).lazy(),
    "arrow": lambda rows: pa.table(transposed(rows)),
    "arrow large": lambda rows: pa.table(
        {k: pa.array(v, pa.large_string()) for k, v in transposed(rows).items()}
    ),
    "arrow view": lambda rows: pa.table(
        {k: pa.array(v, pa.string_view()) for k, v in transposed(rows).items()}
    ),
    "arrow dictionary": lambda rows: pa.table(
        {k: pa.array(v).dictionary_encode() for k, v in transposed(rows).items()}
    ),
    "arrow dictionaries that differ": lambda rows: pa.concat_tables(
        [
            pa.table({k: pa.array(v).dictionary_encode() for k, v in transposed(part).items()})
            for part in (rows[6:], rows[:6])
        ]
    ).take([*range(6, 12), *range(6)]),
    "DuckDB text": lambda rows: relation(rows, "varchar"),
    "DuckDB enum": lambda rows: relation(rows, "enum('a', 'b', 'c', 'd')"),
}

WHOLE: dict[str, Callable[[Table], Any]] = {
    **{
        f"numpy {name}": lambda rows, name=name: np.array(rows, dtype=name)  # type: ignore[misc]
        for name in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">u2", "f2", "f4", "f8")
    },
    **{
        f"column-major {name}": lambda rows, name=name: np.array(rows, dtype=name, order="F")  # type: ignore[misc]
        for name in ("i1", "i8", "u1", "u8", "f8")
    },
    "strided": lambda rows: np.repeat(np.array(rows), 2, axis=0)[::2],
    "backwards": lambda rows: np.array(rows[::-1])[::-1],
    "read-only": lambda rows: np.broadcast_to(np.array(rows), (len(rows), 3)),
    "list of arrays": lambda rows: [np.array(row) for row in rows],
    "matrix": lambda rows: np.array(rows).view(np.matrix),
    "pandas int64": lambda rows: pd.DataFrame(transposed(rows)),
    "pandas integer column names": lambda rows: pd.DataFrame(np.array(rows)),
    "pandas with an index": lambda rows: pd.DataFrame(
        transposed(rows), index=[f"row {k}" for k in range(len(rows))]
    ),
    "polars Int8": lambda rows: pl.DataFrame(transposed(rows)).cast(pl.Int8),
    "arrow uint64": lambda rows: pa.table(
        {k: pa.array(v, pa.uint64()) for k, v in transposed(rows).items()}
    ),
    "fractions": lambda rows: [[Fraction(x) for x in row] for row in rows],
    "decimals": lambda rows: [[Decimal(x) for x in row] for row in rows],
}


@pytest.mark.parametrize("kind", WIDE_NUMBERS)
def test_numbers_with_gaps_give_the_same_bits_however_they_come(kind: str) -> None:
    r = Ratings.from_wide(WIDE_NUMBERS[kind](NUMBERS))
    same = Ratings.from_wide(NUMBERS)
    assert r.categories == (1, 2, 3, 4)
    assert all(type(label) is int for label in r.categories)
    assert (r.n_items, r.n_raters, r.n_ratings, r.n_missing) == (12, 3, 30, 6)
    for distance in ("nominal", "ordinal", "interval"):
        assert measured(r, distance=distance) == measured(same, distance=distance)


@pytest.mark.parametrize("kind", WIDE_TEXT)
def test_text_with_gaps_gives_the_same_bits_however_it_comes(kind: str) -> None:
    r = Ratings.from_wide(WIDE_TEXT[kind](LETTERS))
    assert set(r.categories) == set("abcd")
    assert (r.n_items, r.n_raters, r.n_ratings, r.n_missing) == (12, 3, 30, 6)
    assert measured(r) == measured(Ratings.from_wide(LETTERS))


@pytest.mark.parametrize("kind", WHOLE)
def test_complete_numbers_give_the_same_bits_however_they_come(kind: str) -> None:
    r = Ratings.from_wide(WHOLE[kind](COMPLETE))
    assert r.n_missing == 0
    assert r.n_raters == 3
    assert measured(r) == measured(Ratings.from_wide(COMPLETE))
    assert measured(r, distance="linear") == measured(
        Ratings.from_wide(COMPLETE), distance="linear"
    )


@pytest.mark.parametrize("mark", [0, 9, -1, 100])
@pytest.mark.parametrize("dtype", ["i1", "i8", "u1", "f8", "O"])
def test_numbers_that_mark_missing_ratings_give_the_same(mark: int, dtype: str) -> None:
    if mark < 0 and dtype == "u1":
        return
    array = np.array([[mark if x is None else x for x in row] for row in NUMBERS], dtype=dtype)
    r = Ratings.from_wide(array, missing_values=[mark])
    assert r.categories == (1, 2, 3, 4)
    found, expected = measured(r), measured(Ratings.from_wide(NUMBERS))
    assert found.keys() == expected.keys()
    for name, numbers in expected.items():
        np.testing.assert_array_equal(*(np.array(x, float) for x in (found[name], numbers)))


@pytest.mark.parametrize(
    "make",
    [
        lambda rows: rows,
        np.array,
        lambda rows: np.array(rows, dtype=object),
        np.ma.array,
        lambda rows: pd.DataFrame(transposed(rows)),
        lambda rows: pd.DataFrame(transposed(rows), dtype="boolean"),
        lambda rows: pl.DataFrame(transposed(rows)),
        lambda rows: pa.table(transposed(rows)),
        lambda rows: relation(rows, "boolean"),
        lambda rows: [[np.bool_(x) for x in row] for row in rows],
    ],
    ids=[
        "list",
        "numpy",
        "object",
        "masked",
        "pandas",
        "boolean",
        "polars",
        "arrow",
        "duckdb",
        "scalars",
    ],
)
def test_truth_values_are_labels_not_numbers(make: Callable[[Table], Any]) -> None:
    rows = [[x > 2 for x in row] for row in COMPLETE]
    r = Ratings.from_wide(make(rows))
    assert r.categories == (False, True)
    assert all(type(label) is bool for label in r.categories)
    assert measured(r) == measured(Ratings.from_wide([[int(x) for x in row] for row in rows]))
    refused(lambda: Ratings.from_wide(make(rows), scale="interval"))


@pytest.mark.parametrize(
    "make",
    [
        lambda rows: rows,
        np.array,
        np.asfortranarray,
        hidden,
        lambda rows: pd.DataFrame(np.array(rows), columns=NAMES),
        lambda rows: pl.DataFrame(np.array(rows), schema=NAMES),
        lambda rows: pa.table(dict(zip(NAMES, np.array(rows).T, strict=True))),
        lambda rows: dict(zip(NAMES, np.array(rows).T, strict=True)),
        lambda rows: dict(zip(NAMES, hidden(rows).T, strict=True)),
    ],
    ids=[
        "list",
        "numpy",
        "column-major",
        "masked",
        "pandas",
        "polars",
        "arrow",
        "dict",
        "dict masked",
    ],
)
def test_fractions_on_an_interval_scale_give_the_same_bits(make: Callable[[Table], Any]) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(50, 1)) + rng.normal(size=(50, 3)) / 4
    values[rng.random(values.shape) < 0.1] = np.nan
    r = Ratings.from_wide(make(values.tolist()), scale="interval")
    same = Ratings.from_wide(values.tolist(), scale="interval")
    assert r.n_ratings == same.n_ratings
    assert r.categories == same.categories
    assert measured(r) == measured(same)


@pytest.mark.parametrize("spread", [100, 5_000, 10**6])
def test_integers_on_an_interval_scale_give_the_same_bits_as_floats(spread: int) -> None:
    drawn = np.random.default_rng(1).integers(0, spread, (60, 3))
    expected = measured(Ratings.from_wide(drawn.tolist(), scale="interval"))
    for same in (drawn, drawn.astype(float), pd.DataFrame(drawn, columns=NAMES)):
        assert measured(Ratings.from_wide(same, scale="interval")) == expected


LONG: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "lists": dict,
    "tuples": lambda columns: {k: tuple(v) for k, v in columns.items()},
    "generators": lambda columns: {k: iter(v) for k, v in columns.items()},
    "arrays": lambda columns: {k: np.array(v) for k, v in columns.items()},
    "pandas": pd.DataFrame,
    "pandas category": lambda columns: pd.DataFrame(columns).astype("category"),
    "polars": pl.DataFrame,
    "polars lazy": lambda columns: pl.DataFrame(columns).lazy(),
    "arrow": pa.table,
    "DuckDB": lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
}


@pytest.mark.parametrize("rows", [NUMBERS, LETTERS], ids=["numbers", "text"])
@pytest.mark.parametrize("kind", LONG)
def test_long_tables_give_the_bits_of_the_wide_one(kind: str, rows: Table) -> None:
    r = Ratings.from_long(LONG[kind](long(rows)))
    same = Ratings.from_wide(transposed(rows))
    assert r.raters == ("Ann", "Bob", "Cem")
    assert list(r.items) == list(range(12))
    assert r.categories == same.categories
    assert (r.n_items, r.n_ratings, r.n_missing) == (12, 30, 6)
    assert measured(r) == measured(same)


def test_columns_of_a_long_table_are_named_by_the_caller() -> None:
    columns = dict(zip(("doc", "who", "tag"), long(LETTERS).values(), strict=True))
    r = Ratings.from_long(columns, item="doc", rater="who", label="tag")
    assert measured(r) == measured(Ratings.from_wide(LETTERS))


def test_names_may_be_text_numbers_dates_or_tuples() -> None:
    for name in (str, float, lambda k: dt.date(2024, 1, 1 + k), lambda k: (k, k), lambda k: k > 0):
        columns = {"item": [name(0), name(0), name(1), name(1)], "rater": [name(0), name(1)] * 2}
        r = Ratings.from_long({**columns, "label": ["a", "b", "a", "a"]})
        assert len(r.raters) == len(r.items) == 2
        assert r.table(name(0), name(1)).tolist() == [[1, 1], [0, 0]]


# --- order ----------------------------------------------------------------------------------------


ORDER = ["red", "blue", "green"]  # words of no scale, so only who tells their order knows it
SPOKEN = {"A": ["red", "green", "blue", "red"], "B": ["red", "blue", "blue", "green"]}
LEVELS = ["low", "mid", "high"]


@pytest.mark.parametrize(
    "make",
    [
        lambda columns: pd.DataFrame(columns).astype(pd.CategoricalDtype(ORDER, ordered=True)),
        lambda columns: pl.DataFrame(columns).cast(pl.Enum(ORDER)),
        lambda columns: pa.table(
            {
                k: pa.DictionaryArray.from_arrays(
                    pa.array([ORDER.index(x) for x in v]), pa.array(ORDER), ordered=True
                )
                for k, v in columns.items()
            }
        ),
    ],
    ids=["pandas", "polars", "arrow"],
)
def test_ordered_categoricals_keep_their_order(make: Callable[[Any], Any]) -> None:
    r = Ratings.from_wide(make(SPOKEN), scale="ordinal")
    assert r.categories == tuple(ORDER)
    assert r.ordered
    assert r.categories_declared
    assert measured(r) == measured(Ratings.from_wide(SPOKEN, scale="ordinal", categories=ORDER))
    numbers = [[ORDER.index(x) for x in row] for row in zip(*SPOKEN.values(), strict=True)]
    assert measured(r) == measured(Ratings.from_wide(numbers, scale="ordinal"))


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("library", ["pandas", "arrow"])
def test_labels_nobody_gave_are_kept_only_where_their_order_was_stated(
    library: str, ordered: bool
) -> None:
    names = ["worst", *ORDER]
    codes = {k: [names.index(x) for x in v] for k, v in SPOKEN.items()}
    frame: Any = pd.DataFrame(
        {k: pd.Categorical.from_codes(v, names, ordered=ordered) for k, v in codes.items()}
    )
    if library == "arrow":
        frame = pa.table(
            {
                k: pa.DictionaryArray.from_arrays(pa.array(v), pa.array(names), ordered=ordered)
                for k, v in codes.items()
            }
        )
    r = Ratings.from_wide(frame)
    assert r.categories == (tuple(names) if ordered else tuple(sorted(ORDER)))
    assert r.categories_declared == ordered
    assert cs.bennett_s(r).value == cs.bennett_s(
        Ratings.from_wide(SPOKEN, categories=names if ordered else None)
    ).value  # fmt: skip


def test_an_ordered_categorical_of_numbers_keeps_its_order() -> None:
    dtype = pd.CategoricalDtype([3, 1, 2], ordered=True)
    frame = pd.DataFrame({"A": [3, 1, 2], "B": [3, 2, 2]}).astype(dtype)
    r = Ratings.from_wide(frame, scale="ordinal")
    assert r.categories == (3, 1, 2)
    ranks = Ratings.from_wide([[1, 1], [2, 3], [3, 3]], scale="ordinal")
    assert measured(r) == measured(ranks)


@pytest.mark.parametrize("words", [ORDER, LEVELS], ids=" ".join)
def test_ordered_categoricals_that_disagree_on_the_order_are_refused(words: list[str]) -> None:
    spoken = {k: [words[ORDER.index(x)] for x in v] for k, v in SPOKEN.items()}
    frame = pd.DataFrame(
        {
            "A": pd.Categorical(spoken["A"], words, ordered=True),
            "B": pd.Categorical(spoken["B"], words[::-1], ordered=True),
        }
    )
    refused(lambda: Ratings.from_wide(frame, scale="ordinal"), "order.*categories=")
    told = Ratings.from_wide(frame, scale="ordinal", categories=words)
    assert told.categories == tuple(words)


def test_an_order_that_was_told_goes_before_that_of_the_words() -> None:
    spoken = {k: [LEVELS[ORDER.index(x)] for x in v] for k, v in SPOKEN.items()}
    assert Ratings.from_wide(spoken, scale="ordinal").categories == tuple(LEVELS)
    other = ["high", "low", "mid"]
    frame = pd.DataFrame(spoken).astype(pd.CategoricalDtype(other, ordered=True))
    for r in (
        Ratings.from_wide(frame, scale="ordinal"),
        Ratings.from_wide(spoken, scale="ordinal", categories=other),
    ):
        assert r.categories == tuple(other)
        assert r.categories_declared


@pytest.mark.parametrize(
    "make",
    [dict, pd.DataFrame, pl.DataFrame, pa.table, lambda c: pd.DataFrame(c).astype("category")],
    ids=["dict", "pandas", "polars", "arrow", "unordered category"],
)
def test_text_on_an_ordinal_scale_is_never_sorted_in_silence(make: Callable[[Any], Any]) -> None:
    refused(lambda: Ratings.from_wide(make(SPOKEN), scale="ordinal"), "order.*categories=")


@pytest.mark.parametrize("late", [5, 70_000, -70_000, 10**12])
def test_an_integer_that_comes_late_is_a_label_like_the_others(late: int) -> None:
    """Labels are looked for in the first 65,536 ratings; those that come behind are not lost."""
    column = np.zeros(70_000, dtype=np.int64)
    column[-1] = late
    found = Ratings.from_wide(np.stack([np.zeros_like(column), column], axis=1))
    assert found.categories == tuple(sorted((0, late)))
    assert found.table(0, 1).sum() == 70_000
    assert found.table(0, 1).tolist()[found.categories.index(0)].count(1) == 1


def test_numbers_are_in_numerical_order() -> None:
    assert Ratings.from_wide([[10, 9], [2, -1]]).categories == (-1, 2, 9, 10)
    assert Ratings.from_wide([[10, 9.5], [2, -1]], scale="ordinal").categories == (-1, 2, 9.5, 10)
    assert Ratings.from_wide([["b", "a"]]).categories == ("a", "b")


@pytest.mark.parametrize("scale", ["interval", "ratio"])
def test_text_is_no_number(scale: str) -> None:
    refused(lambda: Ratings.from_wide([["1", "2"]], scale=scale))
    refused(lambda: Ratings.from_wide([[1, "2"]], scale=scale))
    refused(lambda: Ratings.from_wide(pl.DataFrame(SPOKEN), scale=scale))


@pytest.mark.parametrize(
    "make",
    [
        lambda x: [[x, x]],
        lambda x: pl.DataFrame({"A": [x], "B": [x]}),
        lambda x: pa.table({"A": [x], "B": [x]}),
        lambda x: duckdb.sql(f"select {x}::decimal(4, 2) as A, {x}::decimal(4, 2) as B"),
    ],
    ids=["list", "polars", "arrow", "duckdb"],
)
def test_decimals_are_numbers(make: Callable[[Decimal], Any]) -> None:
    r = Ratings.from_wide(make(Decimal("1.5")), scale="interval")
    assert r.numbers is not None
    assert r.numbers.tolist() == [1.5]


# --- declared categories --------------------------------------------------------------------------


def test_declared_categories_are_kept_in_their_order_even_unused() -> None:
    r = Ratings.from_wide([["b", "a"], ["a", "a"]], categories=["c", "b", "a"])
    assert r.categories == ("c", "b", "a")
    assert r.categories_declared
    assert r.table(0, 1).tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 1]]
    assert not Ratings.from_wide([["b", "a"]]).categories_declared


@pytest.mark.parametrize(
    "make",
    [
        lambda rows, c: Ratings.from_wide(rows, categories=c),
        lambda rows, c: Ratings.from_wide(np.array(rows), categories=c),
        lambda rows, c: Ratings.from_wide(np.array(rows, dtype=float), categories=c),
        lambda rows, c: Ratings.from_wide(np.array(rows) + 0.0, scale="interval", categories=c),
        lambda rows, c: Ratings.from_wide(pd.DataFrame(rows, columns=["A", "B"]), categories=c),
        lambda rows, c: Ratings.from_long(
            {"item": [0, 0, 1, 1], "rater": [0, 1] * 2, "label": [*rows[0], *rows[1]]}, categories=c
        ),
    ],
    ids=["list", "int", "float", "interval", "pandas", "long"],
)
def test_a_label_that_was_not_declared_is_refused(make: Callable[..., Ratings]) -> None:
    rows = [[1, 2], [3, 1]]
    assert make(rows, [3, 2, 1, 0]).categories == (3, 2, 1, 0)
    refused(lambda: make(rows, [1, 2]), "every label must be one of the categories")


@pytest.mark.parametrize(
    "categories",
    [
        [],
        ["a", "b", "a"],
        ["a", "b", None],
        ["a", "b", math.nan],
        "ab",
        5,
        [{}, "a"],
        [["a"], {1: 2}],
    ],
    ids=repr,
)
def test_categories_that_are_no_list_of_labels_are_refused(categories: Any) -> None:
    refused(lambda: Ratings.from_wide([["a", "b"]], categories=categories))


def test_categories_may_be_any_iterable() -> None:
    for categories in (
        ("a", "b"),
        iter("ab"),
        {"a": 1, "b": 2},
        pd.Index(["a", "b"]),
        np.array(["a", "b"]),
    ):
        assert Ratings.from_wide([["a", "b"]], categories=categories).categories == ("a", "b")


def test_a_category_that_nobody_used_is_declared_or_gone() -> None:
    column = pd.Categorical(["a", "b", "a"], ["a", "b", "unused"])
    for r in (
        Ratings.from_wide(pd.DataFrame({"A": column, "B": column})),
        Ratings.from_long(pd.DataFrame({"item": [0, 1, 2], "rater": "A", "label": column})),
    ):
        assert r.categories_declared or "unused" not in r.categories


# --- missing --------------------------------------------------------------------------------------


def test_every_sign_of_absence_is_missing() -> None:
    absent = [
        None,
        math.nan,
        np.nan,
        np.float32("nan"),
        pd.NA,
        pd.NaT,
        np.ma.masked,
        np.datetime64("NaT", "s"),
    ]
    for sign in absent:
        r = Ratings.from_wide([["a", sign], ["a", "a"]])
        assert (r.n_missing, r.categories) == (1, ("a",)), repr(sign)


def test_words_for_absence_are_labels_unless_said_otherwise() -> None:
    rows = [["NA", ""], ["nan", "None"], ["a", "a"]]
    for table in (rows, np.array(rows), pd.DataFrame(rows, columns=["A", "B"])):
        assert Ratings.from_wide(table).n_missing == 0
        told = Ratings.from_wide(table, missing_values=["NA", "", "nan", "None"])
        assert told.n_missing == 4
        assert told.categories == ("a",)
    assert Ratings.from_wide(rows, missing_values="").n_missing == 1
    assert Ratings.from_wide(rows, missing_values=None).n_missing == 0


@pytest.mark.parametrize("collect", [list, tuple, set, np.array, pd.Series, iter, "".join])
def test_marks_of_absence_come_in_any_collection(collect: Callable[[list[str]], Any]) -> None:
    assert Ratings.from_wide([["a", "NA"]], missing_values=collect(["NA"])).n_missing == 1


def test_a_mark_of_absence_is_of_one_type() -> None:
    assert Ratings.from_wide([["1", 1]], missing_values=[1]).categories == ("1",)
    assert Ratings.from_wide([["1", 1]], missing_values=["1"]).categories == (1,)
    for rows in ([[1, 2]], np.array([[1, 2]])):
        assert Ratings.from_wide(rows, missing_values=[True]).categories == (1, 2)
    assert Ratings.from_wide([[True, 2]], missing_values=[1]).n_missing == 0


def test_marks_of_absence_leave_an_ordered_categorical_in_order() -> None:
    frame = pd.DataFrame(SPOKEN).astype(pd.CategoricalDtype(["?", *ORDER], ordered=True))
    assert Ratings.from_wide(frame, missing_values="?", scale="ordinal").categories == tuple(ORDER)


@pytest.mark.parametrize("marks", [[{}], [[1, {}]]])
def test_marks_that_are_no_labels_are_refused(marks: Any) -> None:
    refused(lambda: Ratings.from_wide([["a", "b"]], missing_values=marks))
    refused(lambda: Ratings.from_wide(np.array([[1, 2]]), missing_values=marks))


def test_an_empty_item_and_an_idle_rater_are_counted() -> None:
    r = Ratings.from_wide([["a", "b", None], [None, None, None], ["a", "a", None]])
    assert (r.n_items, r.n_raters, r.n_ratings, r.n_missing) == (3, 3, 4, 5)


# --- labels of every kind -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param([1, "1"], id="number and digit"),
        pytest.param(["Yes", "yes "], id="case and blank"),
        pytest.param([unicodedata.normalize(f, "é") for f in ("NFC", "NFD")], id="unicode form"),
        pytest.param(["ﬁ", "fi"], id="ligature"),
        pytest.param(["a\u00a0b", "a b"], id="no-break blank"),
    ],
)
def test_labels_that_look_alike_are_kept_apart_and_reported(labels: list[Any]) -> None:
    rows = [labels, labels[::-1], [labels[0], labels[0]]]
    for r in (
        Ratings.from_wide(rows),
        Ratings.from_wide(np.array(rows, dtype=object)),
        Ratings.from_wide(pd.DataFrame(rows, columns=["A", "B"], dtype=object)),
        Ratings.from_long({"item": [0, 0], "rater": [0, 1], "label": labels}),
    ):
        assert len(r.categories) == 2
        assert {type(x) for x in r.categories} == {type(x) for x in labels}
        (note,) = r.notes
        assert note.code == "labels_look_alike"
        assert all(repr(label) in note.message for label in labels)


def test_labels_that_differ_are_not_reported() -> None:
    assert Ratings.from_wide([["a", "b"], ["c", "ä"]]).notes == ()


def test_true_is_not_one() -> None:
    r = Ratings.from_wide([[True, 1], [False, 0], [1.0, 1]])
    assert len(r.categories) == 4
    assert {type(x) for x in r.categories} == {bool, int}


def test_one_is_one_whatever_its_type() -> None:
    rows = [[1, 1.0], [np.int8(1), np.float32(1)], [np.uint64(1), Fraction(1)], [Decimal(1), 1]]
    r = Ratings.from_wide(rows)
    assert r.categories == (1,)
    assert type(r.categories[0]) is int


SETS = [
    [{"fear"}, {"fear", "anger"}],
    [frozenset({"fear", "anger"}), {"anger", "fear"}],
    [set(), {"fear"}],
]


@pytest.mark.parametrize(
    "make",
    [
        lambda rows: rows,
        lambda rows: {"A": [row[0] for row in rows], "B": [row[1] for row in rows]},
        lambda rows: pd.DataFrame(
            {"A": [r[0] for r in rows], "B": [r[1] for r in rows]}, dtype=object
        ),
        lambda rows: [[frozenset(x) for x in row] for row in rows],
    ],
    ids=["list", "dict", "pandas", "frozen"],
)
def test_labels_may_be_sets(make: Callable[[Any], Any]) -> None:
    r = Ratings.from_wide(make(SETS))
    assert set(r.categories) == {frozenset(), frozenset({"fear"}), frozenset({"fear", "anger"})}
    assert cs.krippendorff_alpha(r, distance="jaccard").status == "ok"
    assert cs.krippendorff_alpha(r, distance="masi").value < 1


def test_sets_stand_beside_gaps_words_and_numbers() -> None:
    both, one = frozenset({"a", "b"}), frozenset({"a"})
    gaps = Ratings.from_wide([[both, None], [one, both], [None, one]])
    assert (set(gaps.categories), gaps.n_missing) == ({both, one}, 2)
    assert gaps.table(0, 1).sum() == 1
    mixed = Ratings.from_wide([[both, "a"], [7, None], [one, frozenset({1, "a"})]])
    assert list(mixed.categories) == [both, 7, one, "a", frozenset({1, "a"})]
    assert (mixed.n_ratings, mixed.n_missing) == (5, 1)
    nested = Ratings.from_wide([[frozenset({one}), both], [frozenset({one}), None]])
    assert set(nested.categories) == {frozenset({one}), both}


@pytest.mark.parametrize(
    "make",
    [
        lambda rows: rows,
        lambda rows: [[tuple(x) for x in row] for row in rows],
        lambda rows: pl.DataFrame(rows, schema=["A", "B"], orient="row"),
        lambda rows: pa.table({"A": [r[0] for r in rows], "B": [r[1] for r in rows]}),
        lambda rows: pd.DataFrame({"A": [r[0] for r in rows], "B": [r[1] for r in rows]}),
    ],
    ids=["list", "tuple", "polars", "arrow", "pandas"],
)
def test_labels_may_be_lists_as_frames_hold_them(make: Callable[[Any], Any]) -> None:
    rows = [[["fear"], ["fear", "anger"]], [["joy"], ["joy"]]]
    r = Ratings.from_wide(make(rows))
    assert set(r.categories) == {("fear",), ("fear", "anger"), ("joy",)}
    assert cs.krippendorff_alpha(r, distance="jaccard").status == "ok"


@pytest.mark.parametrize(
    "labels",
    [
        [dt.date(2024, 1, 1), dt.date(2024, 1, 2)],
        [dt.datetime(2024, 1, 1, tzinfo=dt.UTC), dt.datetime(2024, 1, 2, tzinfo=dt.UTC)],
        [dt.timedelta(1), dt.timedelta(2)],
        [b"a", b"b"],
        [1j, 2j],
        [(1, 2), (1, 3)],
        [-0.5, 1e300],
        [10**400, -(10**400)],
        [2**53, 2**53 + 1],
        [2**64, 2**64 + 1],
    ],
    ids=str,
)
def test_any_hashable_label_can_be_nominal(labels: list[Any]) -> None:
    rows = [[labels[0], labels[0]], [labels[1], labels[1]], [labels[0], labels[1]]]
    r = Ratings.from_wide(rows)
    assert set(r.categories) == set(labels)
    expected = Ratings.from_wide([["a", "a"], ["b", "b"], ["a", "b"]])
    assert cs.scott_pi(r).value == cs.scott_pi(expected).value


@pytest.mark.parametrize(
    "label", [{}, {"a": 1}, [1, {}], ("a", {}), ("a", ["b"]), slice(1), bytearray(b"a")], ids=repr
)
def test_labels_without_identity_are_refused_or_made_plain(label: Any) -> None:
    r = taken(lambda: Ratings.from_wide([[label, label], ["b", label]]))
    if r is not None:
        assert len(r.categories) == 2
        assert cs.scott_pi(r).status == "ok"


@pytest.mark.parametrize("scale", ["interval", "ratio"])
@pytest.mark.parametrize("value", [math.inf, -math.inf])
@pytest.mark.parametrize(
    "make",
    [
        lambda rows: rows,
        np.array,
        lambda rows: np.ma.array(rows, mask=[[0, 1], [0, 0]]),
        lambda rows: pd.DataFrame(rows, columns=["A", "B"]),
        lambda rows: pl.DataFrame(rows, schema=["A", "B"], orient="row"),
    ],
    ids=["list", "numpy", "masked", "pandas", "polars"],
)
def test_infinity_is_no_measurement(make: Callable[[Any], Any], value: float, scale: str) -> None:
    refused(lambda: Ratings.from_wide(make([[value, 1.5], [1.0, 2.0]]), scale=scale))


def test_both_infinities_are_refused_as_well() -> None:
    refused(lambda: Ratings.from_wide(np.array([[np.inf, -np.inf]]), scale="interval"))
    refused(lambda: Ratings.from_wide(np.array([[np.inf, -np.inf]])))


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize(
    "array",
    [
        np.full((1_000, 2), 100, dtype=np.float16),
        np.array([[1e308, 1e308], [1e308, 1.0]]),
        np.array([[-1e308, 1e308], [1e308, 1.0]]),
        np.full((50, 2), 3e38, dtype=np.float32),
    ],
    ids=["half", "double", "both signs", "single"],
)
def test_sums_that_overflow_do_no_harm(array: Any, scale: str) -> None:
    r = Ratings.from_wide(array, scale=scale)
    assert r.n_missing == 0
    assert len(r.categories) == len(np.unique(array))


def test_numbers_too_large_for_a_distance_are_refused() -> None:
    for rows in ([[10**400, 1], [1, 1]], [[1e200, 2e200], [1.5e200, 3e200]]):
        refused(lambda rows=rows: cs.krippendorff_alpha(Ratings.from_wide(rows, scale="interval")))  # type: ignore[misc]


def test_numbers_that_differ_by_less_than_a_float_holds_are_kept_apart() -> None:
    r = Ratings.from_wide([[2**53, 2**53 + 1], [2**53, 2**53]])
    assert len(r.categories) == 2
    assert cs.percent_agreement(r).value == 0.5
    array = np.array([[2**53, 2**53 + 1], [2**53, 2**53]])
    for same in (array, pd.DataFrame(array, columns=["A", "B"]), pl.DataFrame(array)):
        assert cs.percent_agreement(Ratings.from_wide(same)).value == 0.5


# --- names ----------------------------------------------------------------------------------------


def test_names_come_from_the_table_or_the_caller() -> None:
    assert Ratings.from_wide(LETTERS).raters == (0, 1, 2)
    assert Ratings.from_wide(transposed(LETTERS)).raters == tuple(NAMES)
    assert Ratings.from_wide(pd.DataFrame(transposed(LETTERS))).raters == tuple(NAMES)
    assert Ratings.from_wide(pd.DataFrame(np.array(COMPLETE))).raters == (0, 1, 2)
    assert Ratings.from_wide(LETTERS, raters=iter(NAMES)).raters == tuple(NAMES)
    named = Ratings.from_wide(LETTERS, items=(f"i{k}" for k in range(12)))
    assert list(named.items)[:2] == ["i0", "i1"]
    assert list(Ratings.from_wide(LETTERS).items) == list(range(12))


@pytest.mark.parametrize("what", ["raters", "items"])
@pytest.mark.parametrize("names", [["A"], ["A", "A"], ["A", "B", "C"], 5, [{}, []], [None, None]])
def test_names_that_do_not_fit_are_refused(what: str, names: Any) -> None:
    refused(lambda: Ratings.from_wide([["a", "b"], ["a", "a"]], **{what: names}))


def test_column_names_that_repeat_are_refused() -> None:
    refused(lambda: Ratings.from_wide(pd.DataFrame([[1, 2]], columns=["A", "A"])))
    refused(lambda: Ratings.from_wide(duckdb.sql("select 1 as A, 2 as A")))


# --- shapes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [[], []],
        {},
        {"A": []},
        None,
        5,
        "ab",
        b"ab",
        [1, 2, 3],
        ["ab", "cd"],
        [{"a": 1}, {"a": 2}],
        [{"a", "b"}, {"a", "b"}],
        [["a", "b"], ["a"]],
        [["a", "b"], None],
        {"A": ["a"], "B": ["a", "b"]},
        {"A": "ab", "B": "ab"},
        {"A": 1, "B": 2},
        {"A": {"x", "y"}, "B": {"x", "y"}},
        {"A": {"x": 1, "y": 2}, "B": {"x": 1, "y": 2}},
        np.array(5),
        np.array([1, 2, 3]),
        np.zeros((2, 2, 2)),
        np.empty((0, 3)),
        np.empty((3, 0)),
        np.array([[1j, 2]]),
        np.array([[(1, 2.0)]], dtype=[("a", "i4"), ("b", "f4")]),
        pd.Series([1, 2]),
        pd.DataFrame(),
        pd.DataFrame({"A": [], "B": []}),
        pl.DataFrame(),
        pl.Series([1, 2]),
        pl.DataFrame({"A": [{"x": 1}], "B": [{"x": 1}]}),
        pa.table({"A": pa.array([], pa.string())}),
        pa.table({"A": pa.array([{"x": 1}]), "B": pa.array([{"x": 1}])}),
        ...,
        len,
    ],
    ids=lambda rows: type(rows).__name__,
)
def test_what_is_no_table_is_refused(rows: Any) -> None:
    refused(lambda: Ratings.from_wide(rows))


def test_hierarchical_column_names_are_names_or_refused() -> None:
    frame = pd.DataFrame([[1, 2], [1, 1]], columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]))
    r = taken(lambda: Ratings.from_wide(frame))
    assert r is None or r.raters == (("a", 1), ("a", 2))


def test_arrays_of_text_of_every_type_are_taken() -> None:
    rows = [["a", "b"], ["a", "a"], ["é", "é"]]
    for array in (
        np.array(rows),
        np.array(rows, dtype=np.dtypes.StringDType()),
        np.array(rows, dtype=object),
    ):
        assert Ratings.from_wide(array).categories == ("a", "b", "é")
    assert Ratings.from_wide(np.array([[b"a", b"b"]])).n_ratings == 2
    with pytest.raises(ConsilienceError, match=REFUSAL):
        Ratings.from_wide(np.array([[b"\xff", b"a"]]))


def test_arrays_of_dates_are_taken_or_refused_in_our_words() -> None:
    days = np.array([["2024-01-01", "NaT"]], dtype="datetime64[D]")
    r = taken(lambda: Ratings.from_wide(days))
    assert r is None or r.n_missing == 1


def test_an_empty_column_is_an_idle_rater() -> None:
    for table in (
        [["a", None], ["b", None]],
        pl.DataFrame({"A": ["a", "b"], "B": [None, None]}),
        pa.table({"A": ["a", "b"], "B": pa.nulls(2)}),
        pd.DataFrame({"A": ["a", "b"], "B": [None, None]}),
    ):
        r = Ratings.from_wide(table)
        assert (r.n_raters, r.n_missing) == (2, 2)
        refused(lambda r=r: cs.scott_pi(r), "scott_pi needs")  # type: ignore[misc]


HOSTILE = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=3),
        st.binary(max_size=2),
        st.decimals(allow_nan=True),
        st.dates(),
        st.complex_numbers(),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=1), inner, max_size=2),
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(rows=HOSTILE, scale=st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))
def test_nothing_but_our_errors_leaves_the_constructor(rows: Any, scale: str) -> None:
    r = taken(lambda: Ratings.from_wide(rows, scale=scale))
    if r is not None:
        assert r.n_ratings + r.n_missing == r.n_items * r.n_raters
        assert "\n" not in repr(r)


@settings(max_examples=100, deadline=None)
@given(
    rows=st.lists(st.lists(HOSTILE, min_size=2, max_size=2), min_size=1, max_size=4),
    name=st.sampled_from(["scott_pi", "krippendorff_alpha", "cohen_kappa"]),
)
def test_nothing_but_our_errors_leaves_a_coefficient(rows: Any, name: str) -> None:
    e = taken(lambda: getattr(cs, name)(rows, on_undefined="ignore"))
    assert e is None or (e.status == "ok") == math.isfinite(e.value)


@pytest.mark.parametrize("scale", ["nomnal", "", 3, [], "Nominal"])
def test_an_unknown_scale_is_refused(scale: Any) -> None:
    refused(lambda: Ratings.from_wide([[1, 2]], scale=scale), "scale must be one of")


# --- long tables ----------------------------------------------------------------------------------

ONCE = {"item": [1, 1, 2, 2], "rater": ["A", "B"] * 2, "label": ["x", "y", "x", "x"]}
TWICE = {
    "item": [1, 1, 1, 2, 2],
    "rater": ["A", "B", "A", "A", "B"],
    "label": ["x", "y", "z", "x", "x"],
    "time": [2, 1, 1, 1, 1],
}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_two_ratings_of_one_item_by_one_rater_are_refused_with_both_shown(make: Any) -> None:
    with pytest.raises(InputError, match=r"Got rater 'A' twice on item 1: 'x' and 'z'.* Hint: "):
        Ratings.from_long(make(TWICE))


def test_the_caller_may_keep_the_first_or_the_last() -> None:
    first = Ratings.from_long(TWICE, duplicates="first")
    last = Ratings.from_long(TWICE, duplicates="last")
    assert first.table("A", "B")[list(first.categories).index("x")].sum() == 2
    assert last.table("A", "B")[list(last.categories).index("z")].sum() == 1
    for r in (first, last):
        assert r.n_ratings == 4
        assert [note.code for note in r.notes] == ["repeated_ratings"]
    assert "first" in first.notes[0].message
    assert "last" in last.notes[0].message


def test_occasions_are_taken_in_their_order() -> None:
    r = Ratings.from_long(TWICE, occasion="time")
    assert r.table("A", "B")[list(r.categories).index("z")].sum() == 1
    unsaid = Ratings.from_long(TWICE, duplicates="occasions")
    assert unsaid.table("A", "B")[list(unsaid.categories).index("x")].sum() == 2
    assert [note.code for note in r.notes] == ["repeated_ratings"]


def test_two_ratings_on_one_occasion_are_refused() -> None:
    same_time = {**TWICE, "time": [1, 1, 1, 1, 1]}
    refused(lambda: Ratings.from_long(same_time, occasion="time"), "'x' and 'z'")


def test_an_occasion_and_another_policy_do_not_contradict_each_other_in_silence() -> None:
    r = taken(lambda: Ratings.from_long(TWICE, occasion="time", duplicates="last"))
    assert r is None or r.table("A", "B")[list(r.categories).index("x")].sum() == 2


def test_a_missing_label_is_no_second_rating() -> None:
    columns = {"item": [1, 1, 1], "rater": ["A", "A", "B"], "label": [None, "y", "y"]}
    for duplicates in ("refuse", "first", "last"):
        r = Ratings.from_long(columns, duplicates=duplicates)
        assert r.n_ratings == 2
        assert r.table("A", "B").tolist() == [[1]]


@pytest.mark.parametrize("n_items", [50, 60_000])
@pytest.mark.parametrize("order", ["sorted", "shuffled"])
def test_duplicates_are_found_wherever_they_hide(n_items: int, order: str) -> None:
    rng = np.random.default_rng(n_items)
    item, rater = np.repeat(np.arange(n_items), 2), np.tile([0, 1], n_items)
    place = n_items // 3
    item, rater = np.append(item, place), np.append(rater, 1)
    label = rng.integers(0, 2, item.size)
    label[[2 * place + 1, -1]] = 0, 1
    by_item = np.argsort(item, kind="stable") if order == "sorted" else rng.permutation(item.size)
    columns = {"item": item[by_item], "rater": rater[by_item], "label": label[by_item]}
    refused(lambda: Ratings.from_long(columns), f"rater 1 twice on item {place}")
    assert Ratings.from_long(columns, duplicates="first").n_ratings == 2 * n_items


@pytest.mark.parametrize(
    ("item", "length"),
    [
        ([0, 0, 1, 1, 2, 2], 2),
        ([0, 1, 2], 1),
        ([0, 0, 0], 3),
        ([0] * 64 + [1] * 64, 64),
        ([0] * 65 + [1] * 65, None),
        ([0, 0, 1, 1, 1, 2], None),  # as many on average
        ([0, 0, 1, 2, 2, 2], None),
        ([1, 1, 0, 0], None),
        ([0, 0, 2, 2], None),
        ([0, 1, 0, 1], None),
        ([0, 0, 1], None),
    ],
    ids=str,
)
def test_equally_many_ratings_of_each_item_in_order_are_seen(
    item: list[int], length: int | None
) -> None:
    assert run_length(np.array(item)) == length


def test_ratings_are_brought_together_by_item_only_where_they_are_not() -> None:
    given = Entries.checked(
        [0, 0, 2, 2, 2], [1, 0, 0, 2, 1], [0, 1, 1, 0, -1], items=None, raters="ABC", labels="xy"
    )
    assert given.by_item() is given
    mixed = given.taking([3, 0, 2, 1, 4]).by_item()
    assert mixed.item.tolist() == given.item.tolist()
    assert sorted(zip(mixed.item, mixed.rater, mixed.label, strict=True)) == sorted(
        zip(given.item, given.rater, given.label, strict=True)
    )
    assert given.rated().label.tolist() == [0, 1, 1, 0]
    assert given.rated().rated().label.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("frame", "options"),
    [
        ([1, 2], {}),
        (None, {}),
        (np.array([[1, 2, 3]]), {}),
        ({"item": [1], "rater": ["A"]}, {}),
        ({**ONCE, "label": ["x"]}, {}),
        ({**ONCE, "item": [1, None, 2, 2]}, {}),
        ({**ONCE, "rater": ["A", math.nan] * 2}, {}),
        ({**ONCE, "label": np.array([["x", "y"]] * 4)}, {}),
        ({**ONCE, "label": "xyxx"}, {}),
        ({**ONCE, "label": {"x", "y", "z", "w"}}, {}),
        ({k: [] for k in ONCE}, {}),
        (pd.DataFrame(ONCE).head(0), {}),
        (pl.DataFrame(ONCE).head(0), {}),
        (ONCE, {"item": "itm"}),
        (ONCE, {"duplicates": "frist"}),
        (ONCE, {"duplicates": None}),
        (ONCE, {"scale": "likert"}),
        (ONCE, {"occasion": "time"}),
        (ONCE, {"categories": ["x"]}),
    ],
    ids=lambda x: type(x).__name__,
)
def test_what_is_no_long_table_is_refused(frame: Any, options: dict[str, Any]) -> None:
    refused(lambda: Ratings.from_long(frame, **options))


def test_a_misspelt_column_is_guessed() -> None:
    with pytest.raises(InputError, match="did you mean 'rater'"):
        Ratings.from_long(ONCE, rater="ratr")


def test_large_item_numbers_are_names_like_any_other() -> None:
    for start in (2**62, 2**63 - 2, -(2**63)):
        r = Ratings.from_long({**ONCE, "item": np.array([start, start, start + 1, start + 1])})
        assert list(r.items) == [start, start + 1]
    r = Ratings.from_long(
        {**ONCE, "item": np.array([2**63] * 2 + [2**63 + 1] * 2, dtype=np.uint64)}
    )
    assert list(r.items) == [2**63, 2**63 + 1]


def crowd(seed: int = 0, *, shuffle: bool = False) -> dict[str, Any]:
    """3,000 items with even numbers, 3 of 1,200 raters each: too sparse for a matrix."""
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(0, 6_000, 2), 3)
    share = [rng.permutation(np.arange(3_000) % 400) + 400 * k for k in range(3)]
    rater = np.stack(share, axis=1).ravel()
    label = rng.integers(0, 3, item.size)
    order = rng.permutation(item.size) if shuffle else np.arange(item.size)
    return {
        "item": item[order],
        "rater": [f"w{k}" for k in rater[order]],
        "label": [f"l{k}" for k in label[order]],
    }


def test_a_crowd_names_its_items_as_any_other_ratings_do() -> None:
    r = Ratings.from_long(crowd())
    assert type(r.store).__name__ == "LongTable"
    assert r.n_items == len(r.items) == 3_000
    assert list(r.items) == list(range(0, 6_000, 2))
    assert r.n_ratings == 9_000
    pair = r.select(raters=r.raters[:2])
    assert pair.n_items == len(pair.items)


def test_a_crowd_is_merged_and_pickled() -> None:
    one, other = Ratings.from_long(crowd(0)), Ratings.from_long(crowd(1, shuffle=True))
    assert set(one.raters) == set(other.raters)
    merged = one.merge(other)
    assert merged.n_items == 6_000
    assert merged.n_ratings == 18_000
    both = crowd(1)
    both["item"] = both["item"] + 6_000
    expected = Ratings.from_long({k: [*crowd(0)[k], *both[k]] for k in both})
    for name in ("scott_pi", "cohen_kappa"):
        found, same = (getattr(cs, name)(r).value for r in (merged, expected))
        assert found == pytest.approx(same, abs=1e-12)
    copied = pickle.loads(pickle.dumps(one))
    assert cs.scott_pi(copied) == cs.scott_pi(one)


def test_a_crowd_and_a_small_long_table_can_be_merged() -> None:
    columns = crowd()
    one = Ratings.from_long(columns)
    raters = sorted(set(columns["rater"]))
    few = Ratings.from_long(
        {"item": [0] * len(raters), "rater": raters, "label": ["l0"] * len(raters)}
    )
    assert type(one.store) is not type(few.store)
    assert one.merge(few).n_items == few.merge(one).n_items == 3_001


def test_listwise_deletion_in_a_crowd_asks_for_no_matrix() -> None:
    """A million items by ten thousand raters would be ten billion cells."""
    n = 200_000
    r = Ratings.from_codes(
        item=np.repeat(np.arange(n), 2),
        rater=np.stack([np.arange(n) % 20_000, 20_000 + np.arange(n) % 20_000], axis=1).ravel(),
        label=np.zeros(2 * n, dtype=np.int64),
        categories=["a", "b"],
    )
    with spare_memory(1):
        refused(lambda: cs.scott_pi(r, missing="listwise"), "scott_pi needs")


# --- codes ----------------------------------------------------------------------------------------


def codes(**changes: Any) -> Ratings:
    given: dict[str, Any] = {
        "item": np.array([0, 0, 1, 1]),
        "rater": np.array([0, 1, 0, 1]),
        "label": np.array([0, 1, 0, -1]),
        "categories": ["a", "b"],
    }
    return Ratings.from_codes(**{**given, **changes})


def test_codes_are_ratings() -> None:
    r = codes(items=["i", "j"], raters=["A", "B"])
    assert (r.n_items, r.n_ratings, r.n_missing) == (2, 3, 1)
    assert r.table("A", "B").tolist() == [[0, 1], [0, 0]]
    assert list(r.items) == ["i", "j"]


@pytest.mark.parametrize(
    "changes",
    [
        {"label": np.array([0, 5, 0, 0])},
        {"label": np.array([0, -2, 0, 0])},
        {"item": np.array([-1, 0, 1, 1])},
        {"rater": np.array([-1, 1, 0, 1])},
        {"raters": ["A"]},
        {"items": ["i"]},
        {"rater": np.array([0, 1, 0])},
        {"label": np.array([0.5, 1, 0, 0])},
        {"categories": []},
        {"categories": ["a", "a"]},
    ],
    ids=str,
)
def test_codes_that_lead_nowhere_are_refused(changes: dict[str, Any]) -> None:
    refused(lambda: codes(**changes))


# --- counts and cross-tables ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        list,
        np.array,
        lambda rows: np.array(rows, dtype=np.uint8),
        lambda rows: np.array(rows, dtype=float),
        lambda rows: pd.DataFrame(rows, columns=["no", "yes"]),
        lambda rows: pl.DataFrame(rows, schema=["no", "yes"], orient="row"),
        lambda rows: pa.table({"no": [r[0] for r in rows], "yes": [r[1] for r in rows]}),
        lambda rows: {"no": [r[0] for r in rows], "yes": [r[1] for r in rows]},
    ],
    ids=["list", "numpy", "uint8", "float", "pandas", "polars", "arrow", "dict"],
)
def test_counts_of_any_kind_give_the_same_bits(make: Callable[[Any], Any]) -> None:
    counts = [[3, 0], [1, 2], [0, 3], [2, 1], [0, 0]]
    r = Ratings.from_counts(make(counts))
    assert (r.n_items, r.n_raters, r.n_ratings, r.raters) == (5, 3, 12, ())
    assert r.design == "counts"
    assert measured(r) == measured(Ratings.from_counts(counts))
    assert r.categories in ((1, 2), ("no", "yes"))


@pytest.mark.parametrize(
    "counts",
    [
        [],
        {},
        [[]],
        [1, 2],
        [[1, 2], [1]],
        [[1, -1]],
        [[0.5, 0.5]],
        [[math.nan, 1]],
        [[math.inf, 1]],
        [["a", "b"]],
        [[1e20, 1]],
        [[2**53, 1]],  # the next number would be counted as this one
        [[None, 1]],
        {"a": [1, 2], "b": [1]},
        np.zeros((2, 2, 2)),
        None,
        "12",
        5,
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [1, 2]}),
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_what_is_no_table_of_counts_is_refused(counts: Any) -> None:
    refused(lambda: Ratings.from_counts(counts))


@pytest.mark.parametrize("cell", [-1, 0.5, 1.5, math.nan, 2**53])
def test_only_shares_of_a_cross_table_are_sent_to_the_option_for_shares(cell: float) -> None:
    whole = r"Hint: give whole numbers below 2\*\*53"
    refused(lambda: Ratings.from_counts([[cell, 1]]), whole)
    refused(lambda: Ratings.from_patterns([[0, 0]], [cell], categories=["a"]), whole)
    table = [[cell, 0.5], [0.0, 0.0]]
    refused(lambda: Ratings.from_table(table), "n_items=" if cell == 0.5 else whole)


def test_the_largest_count_is_kept_to_the_last_digit() -> None:
    assert Ratings.from_counts([[2**53 - 1, 1]]).n_ratings == 2**53
    assert Ratings.from_table([[2**53 - 1, 1], [0, 3]]).table(0, 1)[0, 0] == 2**53 - 1


def test_items_of_counts_have_names_or_numbers() -> None:
    counts = [[2, 1], [0, 3]]
    assert list(Ratings.from_counts(counts).items) == [0, 1]
    assert list(Ratings.from_counts(counts, items=["x", "y"]).items) == ["x", "y"]
    refused(lambda: Ratings.from_counts(counts, items=["x"]))
    refused(lambda: Ratings.from_counts(counts, items=["x", "x"]))


def test_a_pattern_that_no_item_has_is_none() -> None:
    given = Ratings.from_patterns([[0, 0], [1, 0], [1, 1]], [3, 0, 2], categories=["a", "b"])
    without = Ratings.from_patterns([[0, 0], [1, 1]], [3, 2], categories=["a", "b"])
    assert given.n_items == 5
    assert cs.item_agreement(given).tolist() == [1.0] * 5
    assert measured(given) == measured(without)
    for multiplicity in ([0, 0, 0], [1, 2], [1, -1, 1], [1, 0.5, 1]):
        refused(
            lambda times=multiplicity: Ratings.from_patterns(
                [[0, 0], [1, 0], [1, 1]], times, categories=["a", "b"]
            )
        )


@pytest.mark.parametrize("code", [-2, 2])
def test_a_pattern_of_a_label_that_is_none_is_refused(code: int) -> None:
    patterns = [[0, -1], [code, 1]]
    refused(
        lambda: Ratings.from_patterns(patterns, [1, 1], categories=["a", "b"]),
        rf"from -1 .*to 1\. Got {code}",
    )


def test_masked_counts_are_not_counted() -> None:
    counts = np.ma.array([[5, 2], [1, 1]], mask=[[1, 0], [0, 0]])
    r = taken(lambda: Ratings.from_counts(counts))
    assert r is None or r.n_ratings == 4


def test_counts_without_a_single_rating_are_refused() -> None:
    refused(lambda: cs.krippendorff_alpha(Ratings.from_counts([[0, 0], [0, 0]])))


@pytest.mark.parametrize("categories", [["a"], ["a", "b", "c"], ["a", "a"], "ab"])
def test_categories_must_fit_the_table(categories: Any) -> None:
    refused(lambda: Ratings.from_counts([[1, 2]], categories=categories))
    refused(lambda: Ratings.from_table([[1, 2], [3, 4]], categories=categories))


def test_a_cross_table_is_its_items() -> None:
    r = Ratings.from_table([[2, 1], [0, 3]], categories=["no", "yes"], raters=["A", "B"])
    rows = [["no", "no"]] * 2 + [["no", "yes"]] + [["yes", "yes"]] * 3
    same = Ratings.from_wide(rows, raters=["A", "B"])
    assert (r.n_items, r.n_ratings, r.design) == (6, 12, "table")
    assert r.table("A", "B").tolist() == same.table("A", "B").tolist() == [[2, 1], [0, 3]]
    assert r.table("B", "A").tolist() == [[2, 0], [1, 3]]
    assert measured(r) == measured(same)
    assert len(r.items) == 6


@pytest.mark.parametrize(
    "table",
    [
        [],
        [[1, 2]],
        [[1, 2], [3]],
        [[0, 0], [0, 0]],
        [[0.2, 0.3], [0.1, 0.4]],
        [[-1, 2], [3, 4]],
        None,
        np.ones((2, 2, 2)),
        [["a", "b"], ["c", "d"]],
        {"a": [1, 2], "b": [3, 4]},
        [[4 * 10**18] * 2] * 2,
    ],
    ids=lambda x: type(x).__name__,
)
def test_what_is_no_cross_table_is_refused(table: Any) -> None:
    refused(lambda: Ratings.from_table(table))


def test_shares_are_counts_of_so_many_items() -> None:
    """Two decimals of a paper: each share is off by .005 at most, 0.33 of 200 is 66 or so."""
    exact = Ratings.from_table([[0.4, 0.2], [0.1, 0.3]], n_items=10)
    assert exact.table(0, 1).tolist() == [[4, 2], [1, 3]]
    rounded = Ratings.from_table([[0.33, 0.17], [0.0, 0.5]], n_items=6)
    assert rounded.table(0, 1).tolist() == [[2, 1], [0, 3]]
    frame = pd.DataFrame([[0.4, 0.2], [0.1, 0.3]], index=["no", "yes"], columns=["no", "yes"])
    assert Ratings.from_table(frame, n_items=10).categories == ("no", "yes")


@pytest.mark.parametrize(
    ("shares", "n_items"),
    [
        ([[0.45, 0.15], [0.1, 0.3]], 10),  # 4.5 and 1.5 items
        ([[0.4, 0.2], [0.1, 0.26]], 10),  # one cell is off: 2.6 items
        ([[0.4, 0.2], [0.1, 0.2]], 10),  # 9 items in all
        ([[0.4, 0.2], [0.1, float("nan")]], 10),
        ([[0.4, 0.2], [0.1, float("inf")]], 10),
        ([[4, 2], [1, 3]], 10),  # counts, not shares
        ([["a lot", 0.2], [0.1, 0.3]], 10),
        ([[0.4, 0.2], [0.1, 0.3]], 0),
        ([[0.4, 0.2], [0.1, 0.3]], 10.0),
        ([[1.0, 0.0], [0.0, 0.0]], True),
    ],
)
def test_shares_that_are_none_of_whole_items_are_refused(shares: Any, n_items: Any) -> None:
    refused(lambda: Ratings.from_table(shares, n_items=n_items))


def test_a_labelled_cross_table_brings_its_categories() -> None:
    frame = pd.crosstab(pd.Series(list("aabbb")), pd.Series(list("abbbb")))
    assert Ratings.from_table(frame).categories == ("a", "b")


def test_a_cross_table_whose_rows_and_columns_are_not_the_same_labels_is_refused() -> None:
    frame = pd.crosstab(pd.Series(list("aabb")), pd.Series(list("aacc")))
    assert frame.shape == (2, 2)
    refused(lambda: Ratings.from_table(frame))


# --- use ------------------------------------------------------------------------------------------


def test_a_cross_table_of_very_many_categories_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 20,000 it takes 3 GB; here the limit is lower."""
    monkeypatch.setattr("consilience.ratings._derived_ratings._LARGEST_TABLE", 3)
    rows = [["a", "b"], ["c", "c"]]
    assert Ratings.from_wide(rows).table(0, 1).shape == (3, 3)
    four = Ratings.from_wide([*rows, ["d", "a"]])
    refused(lambda: four.table(0, 1), "at most 3 categories.*Got '?4")


def test_the_cross_table_of_two_raters_counts_common_items() -> None:
    r = Ratings.from_wide(transposed(LETTERS))
    for a, b in itertools.permutations(range(3), 2):
        expected = np.zeros((4, 4), dtype=int)
        for row in NUMBERS:
            if row[a] is not None and row[b] is not None:
                expected[row[a] - 1, row[b] - 1] += 1
        np.testing.assert_array_equal(r.table(NAMES[a], NAMES[b]), expected)


def test_a_selection_keeps_the_raters_and_the_items() -> None:
    for make in (Ratings.from_wide, lambda rows: Ratings.from_wide(np.array(rows, dtype=float))):
        names = [f"i{k}" for k in range(12)]
        r = Ratings.from_wide(
            NUMBERS if make is Ratings.from_wide else np.array(NUMBERS, dtype=float),
            raters=NAMES,
            items=names,
        )
        chosen = r.select(raters=["Cem", "Ann"])
        assert chosen.raters == ("Cem", "Ann")
        assert list(chosen.items) == names
        assert chosen.n_items == 12
        assert chosen.categories == r.categories
        swapped = Ratings.from_wide([[row[2], row[0]] for row in NUMBERS], categories=r.categories)
        assert cs.cohen_kappa(chosen).value == cs.cohen_kappa(swapped).value
        assert chosen.table("Cem", "Ann").tolist() == r.table("Cem", "Ann").tolist()


def test_complete_items_keep_their_names() -> None:
    r = Ratings.from_wide(NUMBERS, items=[f"i{k}" for k in range(12)])
    complete = r.complete()
    kept = [f"i{k}" for k, row in enumerate(NUMBERS) if None not in row]
    assert list(complete.items) == kept
    assert complete.n_items == len(kept)
    assert complete.n_missing == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda r: r.select(raters=["Ann", "Dan"]),
        lambda r: r.select(raters=["Ann", "Ann"]),
        lambda r: r.select(raters=[]),
        lambda r: r.select(raters=[{}]),
        lambda r: r.select(raters=5),
        lambda r: r.table("Ann", "Dan"),
        lambda r: r.table({}, []),
        lambda r: r.merge(None),
        lambda r: r.merge([[1, 2]]),
    ],
)
def test_misuse_is_refused(call: Callable[[Ratings], object]) -> None:
    refused(lambda: call(Ratings.from_wide(transposed(LETTERS))))


def test_counts_have_no_raters_to_select() -> None:
    counts = Ratings.from_counts([[1, 1], [2, 0]])
    for call in (lambda: counts.table(0, 1), lambda: counts.select(raters=[0]), counts.complete):
        refused(call)


# --- merging --------------------------------------------------------------------------------------


def halves(rows: Table, **options: Any) -> tuple[Ratings, Ratings]:
    return (
        Ratings.from_wide(transposed(rows[:7]), **options),
        Ratings.from_wide(transposed(rows[7:]), **options),
    )


def test_merged_ratings_are_those_of_all_items() -> None:
    one, other = halves(LETTERS)
    merged = one.merge(other)
    same = Ratings.from_wide(transposed(LETTERS))
    assert (merged.n_items, merged.n_ratings, merged.n_missing) == (12, 30, 6)
    assert merged.categories == same.categories
    for name, numbers in measured(merged).items():
        assert numbers == pytest.approx(measured(same)[name], abs=1e-12)
    assert (one.n_items, other.n_items) == (7, 5)


def test_multiplicities_add() -> None:
    table = Ratings.from_table([[20, 20], [10, 50]])
    assert table.merge(table).table(0, 1).tolist() == [[40, 40], [20, 100]]
    counts = Ratings.from_counts([[2, 0], [1, 1]])
    assert counts.merge(counts).n_items == 4


def test_raters_are_matched_by_name() -> None:
    one, _ = halves(LETTERS)
    swapped = Ratings.from_wide({k: transposed(LETTERS[7:])[k] for k in reversed(NAMES)})
    merged = one.merge(swapped)
    assert merged.raters == tuple(NAMES)
    same = Ratings.from_wide(transposed(LETTERS))
    assert merged.table("Ann", "Cem").tolist() == same.table("Ann", "Cem").tolist()


def test_labels_found_in_either_part_are_united() -> None:
    merged = Ratings.from_wide([["a", "c"]]).merge(Ratings.from_wide([["b", "b"]]))
    assert merged.categories == ("a", "b", "c")
    numbers = Ratings.from_wide(np.array([[1.5, 2.5]]), scale="interval").merge(
        Ratings.from_wide(np.array([[1.0, 2.0]]), scale="interval")
    )
    assert numbers.categories == (1, 1.5, 2, 2.5)


def test_it_does_not_matter_which_part_declared_the_categories() -> None:
    declared = Ratings.from_wide([["a", "b"]], categories=["b", "a", "c"])
    found = Ratings.from_wide([["a", "b"]])
    for merged in (declared.merge(found), found.merge(declared)):
        assert merged.categories == ("b", "a", "c")
        assert merged.categories_declared
        assert merged.ordered


def test_true_and_one_are_not_merged_either() -> None:
    truths, numbers = Ratings.from_wide([[True, False]]), Ratings.from_wide([[1, 0]])
    merged = taken(lambda: truths.merge(numbers))
    assert merged is None or len(merged.categories) == 4


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (lambda: Ratings.from_wide([["a", "b"]], raters=["A", "C"]), "'B'.*'C'"),
        (lambda: Ratings.from_wide([["a", "b", "b"]], raters=["A", "B", "C"]), "'C'"),
        (lambda: Ratings.from_wide([["a", "z"]], raters=["A", "B"]), "'z'"),
        (
            lambda: Ratings.from_wide([["a", "b"]], raters=["A", "B"], categories=["b", "a"]),
            r"\['a', 'b'\].*\['b', 'a'\]",
        ),
        (
            lambda: Ratings.from_wide([[1, 2]], raters=["A", "B"], scale="interval"),
            "nominal.*interval",
        ),
        (lambda: Ratings.from_counts([[1, 1]], categories=["a", "b"]), "wide.*counts"),
    ],
    ids=["raters", "more raters", "unknown label", "category order", "scale", "design"],
)
def test_parts_that_do_not_fit_are_refused_saying_how(
    other: Callable[[], Ratings], what: str
) -> None:
    r = Ratings.from_wide([["a", "b"]], raters=["A", "B"], categories=["a", "b"])
    refused(lambda: r.merge(other()), what)


def test_notes_of_both_parts_are_kept() -> None:
    one = Ratings.from_long(TWICE, duplicates="first")
    other = Ratings.from_wide({"A": ["x", "X"], "B": ["x", "x"]})
    assert {note.code for note in one.merge(other).notes} >= {
        "repeated_ratings",
        "labels_look_alike",
    }


def test_labels_that_look_alike_across_parts_are_reported() -> None:
    merged = Ratings.from_wide([["yes", "no"]]).merge(Ratings.from_wide([["Yes", "no"]]))
    assert [note.code for note in merged.notes] == ["labels_look_alike"]


# --- the object -----------------------------------------------------------------------------------

EVERY_DESIGN = {
    "wide": lambda: Ratings.from_wide(LETTERS, raters=NAMES),
    "array": lambda: Ratings.from_wide(np.array(COMPLETE)),
    "numbers": lambda: Ratings.from_wide(np.array(COMPLETE) + 0.25, scale="interval"),
    "long": lambda: Ratings.from_long(long(LETTERS)),
    "crowd": lambda: Ratings.from_long(crowd()),
    "counts": lambda: Ratings.from_counts([[2, 1], [0, 3]]),
    "table": lambda: Ratings.from_table([[2, 1], [0, 3]]),
    "merged": lambda: Ratings.from_wide(LETTERS).merge(Ratings.from_wide(LETTERS)),
    "sets": lambda: Ratings.from_wide(SETS),
}


@pytest.fixture(params=EVERY_DESIGN, ids=str)
def some_ratings(request: pytest.FixtureRequest) -> Ratings:
    return EVERY_DESIGN[request.param]()


def test_ratings_are_frozen(some_ratings: Ratings) -> None:
    with pytest.raises(AttributeError):
        some_ratings.scale = "ordinal"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        some_ratings.anything = 1  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        del some_ratings.store
    with pytest.raises(TypeError, match="from_wide"):
        Ratings()


def test_ratings_survive_pickling_and_copying(some_ratings: Ratings) -> None:
    expected = measured(some_ratings)
    for other in (
        pickle.loads(pickle.dumps(some_ratings)),
        copy.copy(some_ratings),
        copy.deepcopy(some_ratings),
    ):
        assert measured(other) == expected
        assert other.categories == some_ratings.categories
        assert other.raters == some_ratings.raters
        assert list(other.items) == list(some_ratings.items)
        assert other.notes == some_ratings.notes
        assert repr(other) == repr(some_ratings)


def test_the_repr_is_one_line(some_ratings: Ratings) -> None:
    text = repr(some_ratings)
    assert "\n" not in text
    assert len(text) < 120
    assert f"{some_ratings.n_items:,} items" in text
    assert some_ratings.scale in text


def test_the_notebook_view_escapes_what_people_typed() -> None:
    nasty = "<script>alert('x')</script>"
    r = Ratings.from_wide([[nasty, nasty.upper()], ["&", "b"]])
    view = r._repr_html_()
    assert "<script" not in view.lower()
    assert html.escape(nasty) in view
    assert view.startswith("<table>")


def test_facts_add_up(some_ratings: Ratings) -> None:
    r = some_ratings
    assert len(r.items) == r.n_items
    assert not r.raters or len(r.raters) == r.n_raters
    assert r.n_ratings > 0
    assert r.n_missing >= 0
    assert len(set(r.categories)) == len(r.categories)
    if r.numbers is not None:
        assert r.numbers.shape == (len(r.categories),)


def test_measuring_does_not_change_ratings(some_ratings: Ratings) -> None:
    assert measured(some_ratings) == measured(some_ratings)


def test_the_caller_s_data_are_left_alone() -> None:
    array = np.array(COMPLETE)
    table = [list(row) for row in NUMBERS]
    frame = pd.DataFrame(transposed(LETTERS))
    before = frame.copy()
    for data in (array, table, frame):
        measured(Ratings.from_wide(data))
    assert array.tolist() == COMPLETE
    assert table == NUMBERS
    pd.testing.assert_frame_equal(frame, before)


# --- size -----------------------------------------------------------------------------------------


@contextmanager
def spare_memory(gigabytes: int) -> Iterator[None]:
    """Fail instead of swapping: limit the address space to what is in use and some more."""
    if not sys.platform.startswith("linux"):
        yield
        return
    import resource

    with open("/proc/self/statm", encoding="ascii") as file:
        in_use = int(file.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (in_use + gigabytes * 2**30, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def test_a_hundred_thousand_labels_are_no_hundred_thousand_squared() -> None:
    labels = [f"label {k}" for k in range(100_000)]
    shifted = labels[:60_000] + labels[60_001:] + labels[60_000:60_001]
    r = Ratings.from_wide({"A": labels, "B": shifted})
    assert len(r.categories) == 100_000
    with spare_memory(2):
        for name in ("percent_agreement", "scott_pi", "krippendorff_alpha", "gwet_ac", "bennett_s"):
            assert getattr(cs, name)(r).value == pytest.approx(0.6, abs=1e-4)
        assert cs.cohen_kappa(r).value == pytest.approx(0.6, abs=1e-4)


def test_many_different_integers_are_no_matrix_either() -> None:
    numbers = np.random.default_rng(0).integers(0, 10**9, (50_000, 1)) + np.array([[0, 1_000]])
    r = Ratings.from_wide(numbers, scale="interval")
    with spare_memory(2):
        for name in ("scott_pi", "krippendorff_alpha", "cohen_kappa"):
            assert getattr(cs, name)(r).value == pytest.approx(1.0, abs=1e-6)


def test_what_load_and_simulate_return_is_measured_as_it_is(tmp_path: Path) -> None:
    study = cs.simulate(n_items=30, n_raters=3, categories=3, rng=1)
    assert cs.krippendorff_alpha(study).value == cs.krippendorff_alpha(study.ratings).value
    path = tmp_path / "two.csv"
    rows = [f"{k},{'ab'[k % 2]},{'ab'[k % 3 == 0]},{'xy'[k % 2]},{'xy'[k % 2]}" for k in range(20)]
    path.write_text("\n".join(["item,tone_ann,tone_bob,mood_ann,mood_bob", *rows]) + "\n")
    one = cs.load(path, variable="tone")
    assert cs.measure(one).to_dict()["estimates"] == cs.measure(one.ratings).to_dict()["estimates"]
    with pytest.raises(InputError, match=r'name one, as in variable="tone"'):
        cs.krippendorff_alpha(cs.load(path))
