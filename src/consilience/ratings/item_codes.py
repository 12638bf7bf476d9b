"""Ratings as a table of codes, and what else is known of each item, in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.cell_values import as_number
from consilience.core.labels import is_missing
from consilience.exceptions import InputError
from consilience.ratings.stores import CodedMatrix, as_long

if TYPE_CHECKING:
    from consilience.ratings._ratings import Ratings


def code_matrix(ratings: Ratings) -> Ints:
    """Return items x raters of category codes, -1 for no rating."""
    store = ratings._coded_store()
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
