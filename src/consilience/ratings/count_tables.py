"""Ratings from counts per item, or from the cross-table of two raters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import smallest_int
from consilience.core.draws import is_whole
from consilience.core.frames import columns_of
from consilience.core.labels import check_categories, check_scale
from consilience.exceptions import InputError
from consilience.ratings.construction import Parts, check_names, finish
from consilience.ratings.stores import CodedMatrix, CountTable


def from_counts(
    counts: Any,
    *,
    categories: Iterable[object] | None,
    items: Iterable[object] | None,
    scale: str,
    multiplicity: Any = None,
    declared: bool = True,
) -> Parts:
    """Build from an items x categories table of counts."""
    check_scale(scale)
    framed = columns_of(counts)
    names: Iterable[object] | None = None
    if framed:
        names = list(framed)
        counts = np.column_stack([np.asarray(column) for column in framed.values()])
    table = _check_counts(counts, "counts")
    labels = _table_labels(categories if categories is not None else names, table.shape[1])
    times = None if multiplicity is None else _check_multiplicity(multiplicity, len(table))
    parts = finish(
        CountTable(table, times),
        labels,
        scale=scale,
        categories=labels if declared else None,
        ordered=declared,
        design="counts",
        raters=None,
        items=check_names("items", items, len(table)) if items is not None else None,
    )
    return replace(parts, scale_told=_is_numbered(categories, names))


def from_patterns(
    codes: Any,
    multiplicity: Any,
    *,
    categories: Iterable[object],
    raters: Iterable[object] | None,
    scale: str,
    declared: bool,
    items: Sequence[object] | None = None,
    design: str = "wide",
) -> Parts:
    """Build from distinct items, as codes of each rater's label, and how often each occurs.

    Where `multiplicity` is None, each row is one item, and `items` names them.
    """
    check_scale(scale)
    labels = check_categories(categories)
    table = np.asarray(codes)
    if table.ndim != 2 or table.dtype.kind not in "iu" or not table.size:
        raise InputError.expected(
            "patterns",
            "a table of whole numbers, distinct items x raters",
            f"shape {table.shape} of {table.dtype}",
            "pass the place of each label among the categories, -1 where there is none",
        )
    if table.min() < -1 or table.max() >= len(labels):
        raise InputError.expected(
            "every code",
            f"from -1 (no rating) to {len(labels) - 1}",
            int(table.max() if table.max() >= len(labels) else table.min()),
            "number the categories from 0",
        )
    small = table.astype(smallest_int(len(labels)), copy=False)
    times = None
    if multiplicity is not None:
        times = _check_multiplicity(multiplicity, len(table))
        small, times = small[times > 0], times[times > 0]
    return finish(
        CodedMatrix.from_codes(small, len(labels), times),
        labels,
        scale=scale,
        categories=labels if declared else None,
        ordered=declared,
        design=design,
        raters=check_names("raters", raters, table.shape[1]),
        items=items,
    )


def _check_multiplicity(multiplicity: Any, size: int) -> NDArray[np.int64]:
    table = _check_counts(np.atleast_2d(np.asarray(multiplicity)), "multiplicity")
    times: NDArray[np.int64] = table[0]
    if times.size != size or not times.any():
        raise InputError.expected(
            "multiplicity",
            f"one count for each of the {size} rows, not all 0",
            f"{times.size} counts adding up to {int(times.sum())}",
            "say how many items each row stands for",
        )
    return times


def from_table(
    table: Any,
    *,
    categories: Iterable[object] | None,
    raters: Iterable[object] | None,
    scale: str,
) -> Parts:
    """Build from the cross-table of two raters."""
    check_scale(scale)
    names = _names_of_rows_and_columns(table)
    counts = _check_counts(table, "table")
    if counts.shape[0] != counts.shape[1]:
        raise InputError.expected(
            "table",
            "square: both raters choose from the same categories",
            f"{counts.shape[0]} rows × {counts.shape[1]} columns",
            "add a row or column of zeros for a category that one rater never used",
        )
    labels = _table_labels(categories if categories is not None else names, len(counts))
    codes = np.argwhere(counts > 0).astype(smallest_int(len(labels)))
    store = CodedMatrix.from_codes(codes, len(labels), counts[counts > 0])
    if not codes.size:
        raise InputError.expected(
            "table", "at least one item", "all zeros", "enter the number of items in each cell"
        )
    parts = finish(
        store,
        labels,
        scale=scale,
        categories=labels,
        ordered=True,
        design="table",
        raters=check_names("raters", raters, 2),
        items=None,
    )
    return replace(parts, scale_told=_is_numbered(categories, names))


_ROUNDING = 0.005  # shares are printed with two decimals


def counts_of_shares(table: Any, n_items: Any) -> Any:
    """Return how many items each share of a table stands for; a labelled frame stays one."""
    if not is_whole(n_items) or n_items < 1:
        raise InputError.expected("n_items", "a whole number from 1 on", n_items, "as in the paper")
    try:
        given = np.asarray(table, dtype=np.float64) * int(n_items)
    except (TypeError, ValueError):
        raise InputError.expected(
            "table", "a table of shares", table, "check for text or rows of unequal length"
        ) from None
    whole = np.rint(given)
    widest = _ROUNDING * n_items + 1e-9
    is_right = np.isfinite(given).all() and (np.abs(given - whole) <= widest).all()
    if not is_right or int(whole.sum()) != n_items:
        raise InputError.expected(
            "the shares",
            f"whole numbers of {n_items:,} items that add up to all of them",
            f"{float(given.sum()):g} items in all",
            "check n_items, and that the cells are shares of all items",
        )
    if hasattr(table, "index") and hasattr(table, "columns"):
        return type(table)(whole, index=table.index, columns=table.columns)
    return whole.astype(np.int64)


def _is_numbered(*names: Iterable[object] | None) -> bool:
    """Tell whether nobody named the categories: numbers that we gave them are no marks."""
    return all(one is None for one in names)


def _names_of_rows_and_columns(table: Any) -> list[object] | None:
    """Return the labels of a table that names its rows or columns; they must be the same."""
    if not hasattr(table, "index") or not hasattr(table, "columns"):
        return None
    sides = (table.index, table.columns)
    named = [list(side) for side in sides if type(side).__name__ != "RangeIndex"]
    if len(named) == 2 and named[0] != named[1]:
        raise InputError.expected(
            "table",
            f"labelled alike in rows and columns {named[1][:8]}",
            f"rows {named[0][:8]}",
            "reindex the table so that rows and columns have the same labels in the same order",
        )
    return named[0] if named else None


def _check_counts(counts: Any, what: str) -> NDArray[np.int64]:
    try:
        given = np.ma.asarray(counts)
        if given.dtype.kind not in "biufO":
            raise TypeError(given.dtype)
        array = np.asarray(np.ma.filled(given.astype(np.float64), np.nan))
    except (TypeError, ValueError):
        raise InputError.expected(
            what, "a table of whole numbers", counts, "check for text or rows of unequal length"
        ) from None
    if array.ndim != 2 or array.size == 0:
        raise InputError.expected(
            what, "a table with rows and columns", f"shape {array.shape}", "pass a list of rows"
        )
    is_count = (array >= 0) & (array < 2**53) & (array == np.rint(array))
    if not is_count.all():
        odd = float(array[~is_count][0])
        hint = "give whole numbers below 2**53, and 0 where there is nothing"
        if what == "table" and 0.0 < odd < 1.0:
            hint = "for shares say of how many items they are, with n_items="
        raise InputError.expected(f"every cell of {what}", "a count (0, 1, 2, ...)", odd, hint)
    return array.astype(np.int64)


def _table_labels(categories: Iterable[object] | None, size: int) -> list[object]:
    if categories is None:
        return list(range(1, size + 1))
    labels = check_categories(categories)
    if len(labels) != size:
        raise InputError.expected(
            "categories", f"as many as the table has ({size})", labels, "name each category once"
        )
    return labels
