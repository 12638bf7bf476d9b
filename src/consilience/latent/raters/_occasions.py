"""Ratings that were repeated: label codes by rater, occasion and item."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Ints
from consilience.exceptions import UnsupportedDesignError
from consilience.latent.entries import check_ratings
from consilience.ratings import Ratings
from consilience.ratings.stores import CodedMatrix, LongTable

_MOST_CELLS = 500_000_000


def check_raters(what: str, ratings: object) -> Ratings:
    """Refuse what is no set of ratings with raters."""
    ratings = check_ratings(ratings, 'make them with Ratings.from_long(frame, occasion="occasion")')
    if not ratings.raters:
        raise UnsupportedDesignError.needs(
            what,
            "to know who gave which rating",
            "counts of ratings per item",
            "bring the ratings in long form, with a column of occasions",
        )
    return ratings


def codes_by_occasion(what: str, ratings: Ratings) -> Ints:
    """Return label codes (raters × occasions × items); -1 where there is no rating."""
    stores = [ratings._coded_store(), *ratings._later]
    shape = (len(ratings.raters), len(stores), ratings.n_items)
    if np.prod(shape, dtype=np.float64) > _MOST_CELLS:
        raise UnsupportedDesignError.needs(
            what,
            f"at most {_MOST_CELLS:,} raters times occasions times items",
            " × ".join(f"{size:,}" for size in shape),
            "select the raters who rated more than once",
        )
    codes = np.full(shape, -1, dtype=np.int64)
    for t, store in enumerate(stores):
        if isinstance(store, LongTable):
            codes[store.rater, t, store.item] = store.label
        elif isinstance(store, CodedMatrix):
            given = store.decode(store.matrix)
            if store.multiplicity is not None:
                given = np.repeat(given, store.multiplicity, axis=0)
            codes[:, t] = given.T
    return codes


def occasions_as_raters(ratings: Ratings, codes: Ints) -> Ratings:
    """Turn one rater's occasions (occasions × items) into the raters of a study of their own."""
    occasion, item = np.nonzero(codes >= 0)
    return Ratings.from_codes(
        item=item,
        rater=occasion,
        label=codes[occasion, item],
        items=ratings.items,
        raters=[f"occasion {t}" for t in range(1, len(codes) + 1)],
        categories=ratings.categories,
        scale=ratings.scale,
        declared=ratings.categories_declared or ratings.ordered,
    )


def is_unstable(codes: Ints) -> NDArray[np.bool_]:
    """Tell where the ratings of the first axis (occasions) are not all equal."""
    highest = codes.max(axis=0)
    lowest = np.where(codes >= 0, codes, highest).min(axis=0)
    return np.asarray(lowest != highest)


def modal_share(codes: Ints) -> NDArray[np.float64]:
    """Return the share of the most frequent label over the first axis; 0 without a rating."""
    given = codes >= 0
    most = np.zeros(codes.shape[1:])
    for t in range(len(codes)):
        alike = ((codes == codes[t]) & given[t]).sum(axis=0)
        most = np.maximum(most, alike)
    return np.asarray(most / np.maximum(given.sum(axis=0), 1))
