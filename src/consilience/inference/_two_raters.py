"""The cross-table of two raters, from whatever a test was called with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.ratings import Ratings, as_ratings
from consilience.ratings.clusters import Clusters
from consilience.ratings.duplicates import need_one_occasion
from consilience.ratings.stores import as_long

if TYPE_CHECKING:
    from consilience.inference.clustered import ClusteredContrast


@dataclass(frozen=True, slots=True)
class TwoRaters:
    """Two raters' labels for the same items, as counts; rows belong to the first."""

    table: Floats
    categories: tuple[object, ...]
    labels: Ints | None = None  # items x 2, with clusters only
    clusters: Clusters | None = None  # of these items

    def contrast(self, weight: Floats) -> ClusteredContrast:
        """Ask whether a contrast of the cells is zero, where items go together.

        `weight` is rows x columns x numbers: what an item in a cell adds to each number.
        """
        from consilience.inference.clustered import ClusteredContrast

        assert self.labels is not None
        assert self.clusters is not None
        each = weight[self.labels[:, 0], self.labels[:, 1]]
        sums = np.zeros((self.clusters.n_clusters, each.shape[1]))
        np.add.at(sums, self.clusters.codes, each)
        return ClusteredContrast.of(sums)

    @property
    def n_items(self) -> int:
        """Number of items that both rated."""
        return int(self.table.sum())

    @property
    def shares(self) -> dict[object, tuple[float, ...]]:
        """Each category's share in the labels of the first and of the second rater."""
        n = self.table.sum()
        rows, columns = self.table.sum(axis=1) / n, self.table.sum(axis=0) / n
        pairs = zip(rows.tolist(), columns.tolist(), strict=True)
        return dict(zip(self.categories, pairs, strict=True))


def as_ratings_or_table(*data: Any) -> Ratings:
    """Take Ratings, a square table of counts, or one sequence of labels per rater."""
    if len(data) != 1 or isinstance(data[0], Ratings):
        return as_ratings(*data)
    try:
        shape = np.shape(data[0])
    except ValueError:  # rows of unequal length
        shape = ()
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InputError.expected(
            "a table that is not Ratings",
            "square, with the counts of two raters",
            f"shape {shape}" if shape else type(data[0]).__name__,
            "turn labels item by item into Ratings with Ratings.from_wide",
        )
    return Ratings.from_table(data[0])


def two_raters(what: str, *data: Any) -> TwoRaters:
    """Return the table of two raters over the items that both rated."""
    ratings = as_ratings_or_table(*data)
    need_one_occasion(what, ratings)
    if len(ratings.raters) != 2:
        got = f"{ratings.n_raters} ({', '.join(map(str, ratings.raters[:6]))})"
        raise UnsupportedDesignError.needs(
            what,
            "exactly two raters",
            got if ratings.raters else "counts per item, which do not say who rated",
            f"choose two with ratings.select(raters={list(ratings.raters[:2])!r})"
            if ratings.raters
            else "bring the ratings in long or wide form",
        )
    table = ratings.table(*ratings.raters).astype(np.float64)
    if table.sum() == 0.0:
        raise UnsupportedDesignError.needs(
            what, "items that both raters rated", "none", "check for missing ratings"
        )
    if ratings.clusters is None:
        return TwoRaters(table, ratings.categories)
    listed = as_long(ratings._coded_store())
    codes = np.full((ratings.n_items, 2), -1, dtype=np.int64)
    codes[listed.item, listed.rater] = listed.label
    both = np.asarray((codes >= 0).all(axis=1))
    return TwoRaters(table, ratings.categories, codes[both], ratings.clusters.of_items(both))


def binary(what: str, *data: Any) -> TwoRaters:
    """Return the table of two raters and two categories."""
    pair = two_raters(what, *data)
    if len(pair.categories) != 2:
        raise UnsupportedDesignError.needs(
            what,
            "exactly two categories",
            f"{len(pair.categories)}",
            "merge categories with ratings.collapse, or use a method for any number of them",
        )
    return pair
