"""Ratings from counts per item, or from the cross-table of two raters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consilience.exceptions import InputError
from consilience.ratings._encode import smallest_int
from consilience.ratings._frames import columns_of
from consilience.ratings._labels import check_categories, check_scale
from consilience.ratings._parts import Parts, check_names, finish
from consilience.ratings._stores import CodedMatrix, CountTable


def from_counts(
    counts: Any,
    *,
    categories: Iterable[object] | None,
    items: Iterable[object] | None,
    scale: str,
) -> Parts:
    """Build from an items x categories table of counts."""
    check_scale(scale)
    framed = columns_of(counts)
    names: Iterable[object] | None = None
    if framed is not None:
        names = list(framed)
        counts = np.column_stack([np.asarray(column) for column in framed.values()])
    table = _check_counts(counts, "counts")
    labels = _table_labels(categories if categories is not None else names, table.shape[1])
    return finish(
        CountTable(table),
        labels,
        scale=scale,
        categories=labels,
        ordered=True,
        design="counts",
        raters=None,
        items=check_names("items", items, len(table)) if items is not None else None,
    )


def from_table(
    table: ArrayLike,
    *,
    categories: Iterable[object] | None,
    raters: Iterable[object] | None,
    scale: str,
) -> Parts:
    """Build from the cross-table of two raters."""
    check_scale(scale)
    counts = _check_counts(table, "table")
    if counts.shape[0] != counts.shape[1]:
        raise InputError.expected(
            "table",
            "square: both raters choose from the same categories",
            f"{counts.shape[0]} rows × {counts.shape[1]} columns",
            "add a row or column of zeros for a category that one rater never used",
        )
    labels = _table_labels(categories, len(counts))
    codes = np.argwhere(counts > 0).astype(smallest_int(len(labels)))
    store = CodedMatrix.from_codes(codes, len(labels), counts[counts > 0])
    if not codes.size:
        raise InputError.expected(
            "table", "at least one item", "all zeros", "enter the number of items in each cell"
        )
    return finish(
        store,
        labels,
        scale=scale,
        categories=labels,
        ordered=True,
        design="table",
        raters=check_names("raters", raters, 2),
        items=None,
    )


def _check_counts(counts: Any, what: str) -> NDArray[np.int64]:
    try:
        array = np.asarray(counts, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError.expected(
            what, "a table of whole numbers", counts, "check for text or rows of unequal length"
        ) from None
    if array.ndim != 2 or array.size == 0:
        raise InputError.expected(
            what, "a table with rows and columns", f"shape {array.shape}", "pass a list of rows"
        )
    whole = np.rint(array)
    if not np.isfinite(array).all() or (array < 0).any() or (array != whole).any():
        odd = array[~(np.isfinite(array) & (array >= 0) & (array == whole))][0]
        raise InputError.expected(
            f"every cell of {what}",
            "a count (0, 1, 2, ...)",
            float(odd),
            "multiply proportions by the number of items",
        )
    return whole.astype(np.int64)


def _table_labels(categories: Iterable[object] | None, size: int) -> list[object]:
    if categories is None:
        return list(range(1, size + 1))
    labels = check_categories(categories)
    if len(labels) != size:
        raise InputError.expected(
            "categories", f"as many as the table has ({size})", labels, "name each category once"
        )
    return labels
