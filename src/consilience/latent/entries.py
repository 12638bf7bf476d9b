"""Ratings one by one, and how often each item got each label: cost grows with the ratings only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Indices
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.ratings import Ratings
from consilience.ratings.stores import CountTable, as_long


@dataclass(frozen=True)
class Entries:
    """One entry a rating; for counts without raters, only `counts` is known.

    Attributes
    ----------
    item, rater, label : arrays of codes, one entry a rating; empty for counts without raters
    counts : sparse array, items × labels
        How many raters gave each label to each item.
    """

    item: Indices
    rater: Indices
    label: Indices
    n_items: int
    n_raters: int
    n_labels: int
    counts: Any

    @cached_property
    def per_item(self) -> Floats:
        """How many ratings each item has."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64).reshape(-1)

    @cached_property
    def per_label(self) -> Floats:
        """How often each label was given."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.float64).reshape(-1)

    @cached_property
    def cell_item(self) -> Indices:
        """The item of each cell of `counts` that is not empty."""
        return np.repeat(np.arange(self.n_items), np.diff(self.counts.indptr))

    def by_rater_label(self, weights: Floats | None = None) -> Floats:
        """Sum over the ratings of each rater by label (raters × labels)."""
        key = self.rater * self.n_labels + self.label
        size = self.n_raters * self.n_labels
        return (
            np.bincount(key, weights=weights, minlength=size)
            .reshape(self.n_raters, self.n_labels)
            .astype(np.float64)
        )


def check_ratings(ratings: object, hint: str = "make them with Ratings.from_long") -> Ratings:
    """Refuse what is no Ratings."""
    if not isinstance(ratings, Ratings):
        raise InputError.expected("ratings", "Ratings", type(ratings).__name__, hint)
    return ratings


def entries_of(
    what: str,
    ratings: object,
    *,
    need_raters: bool = True,
    hint: str = "bring the ratings in long or wide form, one entry per rating",
) -> Entries:
    """List the ratings of the first occasion; refuse what is no set of ratings."""
    from scipy.sparse import csr_array

    ratings = check_ratings(ratings)
    store = ratings._store
    n_labels = len(ratings.categories)
    if isinstance(store, CountTable):
        if need_raters:
            raise UnsupportedDesignError.needs(
                what, "to know who gave which rating", "counts of ratings per item", hint
            )
        nobody = np.zeros(0, dtype=np.intp)
        counts = csr_array(store.counts.astype(np.float64))
        return Entries(nobody, nobody, nobody, store.n_items, 0, n_labels, counts)
    table = as_long(ratings._coded_store())
    item, rater, label = (
        np.asarray(codes, dtype=np.intp) for codes in (table.item, table.rater, table.label)
    )
    counts = csr_array((np.ones(item.size), (item, label)), shape=(table.n_items, n_labels))
    counts.sum_duplicates()
    return Entries(item, rater, label, table.n_items, len(ratings.raters), n_labels, counts)
