"""Ratings as tables: of codes, with what else is known of each item, or as columns of a
dataframe.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.cell_values import as_number
from consilience.core.labels import is_missing
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.ratings.stores import CodedMatrix, CountTable, MomentTable, as_long

if TYPE_CHECKING:
    from consilience.ratings._ratings import Ratings

# ---- Ratings as a table of codes, and what else is known of each item, in the same order.


def code_matrix(ratings: Ratings) -> Ints:
    """Return items x raters of category codes, -1 for no rating."""
    store = ratings.coded_store()
    if isinstance(store, CodedMatrix) and store.multiplicity is None:
        return np.asarray(store.decode(store.matrix))
    entries = as_long(store)
    codes = np.full((entries.n_items, entries.n_rater_codes), -1, dtype=np.int64)
    codes[entries.item, entries.rater] = entries.label
    return codes


def labels_used(ratings: Ratings) -> dict[object, set[int]]:
    """Return which labels each rater gave, as codes."""
    codes = code_matrix(ratings)
    return {
        rater: {int(code) for code in np.unique(codes[:, g]) if code >= 0}
        for g, rater in enumerate(ratings.raters)
    }


def per_item(ratings: Ratings, given: Any, what: str) -> list[object]:
    """Return one value per item from a mapping by item, or from a sequence in item order."""
    if isinstance(given, Mapping):
        by_key = {str(key): value for key, value in given.items()}
        found = [by_key.get(str(name)) for name in ratings.items]
        if all(value is None for value in found):
            raise InputError.expected(
                what, "given by the names of the items", list(by_key)[:3], "check the names"
            )
        return found
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InputError.expected(
            what, "one entry per item, or a mapping by item", given, "see the items' names"
        )
    listed = list(given)
    if len(listed) != ratings.n_items:
        raise InputError.expected(
            what,
            f"one entry per item ({ratings.n_items:,})",
            f"{len(listed):,} entries",
            "give them in the order of ratings.items, or as a mapping by item",
        )
    return listed


def numbers_per_item(ratings: Ratings, given: Any, what: str, *, gap: float = np.nan) -> Floats:
    """Return one number per item, `gap` where none is given; texts are read as cells are."""
    listed = per_item(ratings, given, what)
    found = [gap if x is None or is_missing(x) else as_number(x) for x in listed]
    if None in found:
        odd = listed[found.index(None)]
        raise InputError.expected(what, "numbers, one for each item", odd, "correct the column")
    return np.array(found, dtype=np.float64)


def refusal_words(refusals: Any) -> set[str]:
    """Return the labels that mean refused, as text; one label or several may be given."""
    is_one = isinstance(refusals, (str, bytes)) or not isinstance(refusals, Iterable)
    return {str(mark) for mark in ([refusals] if is_one else refusals)}


# ---- Ratings as the columns of a dataframe.


def long_columns(ratings: Ratings) -> dict[str, list[Any]]:
    """Return one entry per rating: item, rater, label, and the occasion where there are several."""
    if isinstance(ratings.store, (CountTable, MomentTable)):
        raise UnsupportedDesignError.needs(
            "a table with one row per rating",
            "to know who gave which rating",
            "counts of ratings",
            "read a file that names the raters",
        )
    columns: dict[str, list[Any]] = {"item": [], "rater": [], "label": [], "occasion": []}
    items, raters, labels = ratings.items, ratings.raters, ratings.categories
    for number, occasion in enumerate(ratings.occasions, 1):
        table = as_long(occasion.coded_store())
        columns["item"] += [items[k] for k in table.item.tolist()]
        columns["rater"] += [raters[k] for k in table.rater.tolist()]
        columns["label"] += [labels[k] for k in table.label.tolist()]
        columns["occasion"] += [number] * table.label.size
    if len(ratings.occasions) == 1:
        del columns["occasion"]
    return columns


def framed(labels: Sequence[Any]) -> list[Any]:
    """Return labels that a column can hold: sets become sorted lists, a mixture becomes text."""
    if any(isinstance(label, (frozenset, tuple)) for label in labels):
        return [
            sorted(map(str, label))
            if isinstance(label, frozenset)
            else [str(part) for part in label]
            if isinstance(label, tuple)
            else [str(label)]
            for label in labels
        ]
    kinds = {float if type(label) in (int, float) else type(label) for label in labels}
    return [str(label) for label in labels] if len(kinds) > 1 else list(labels)
