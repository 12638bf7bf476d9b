"""Items: on how many of them raters agree, and who rated which of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.exceptions import UnsupportedDesignError
from consilience.plot.style import BLUE, FAINT, new_axes, shortened, styled
from consilience.ratings import Ratings
from consilience.ratings.stores import CodedMatrix, LongTable, NumberMatrix

_BINS = 20
_MOST_ROWS = 400
_MOST_RATERS = 60


def item_agreement(ratings: Ratings, *, distance: Any = None, ax: Any = None) -> Any:
    """Draw how many items have how much agreement.

    Agreement on an item is the share of its pairs of ratings that agree, or 1 - mean distance /
    largest distance where labels have one.

    Parameters
    ----------
    ratings : Ratings
    distance : str, Distance or callable, default the one that fits the scale
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import datasets
    >>> item_agreement(datasets.load("fleiss_1971")).get_ylabel()
    'items'
    """
    values, times = agreement_of_rows(ratings, distance)
    with styled():
        ax = new_axes(ax, height=2.6)
        ax.hist(values, bins=_BINS, range=(0.0, 1.0), weights=times, color=BLUE, rwidth=0.92)
        ax.set_xlabel("agreement on the item")
        ax.set_ylabel("items")
        ax.grid(axis="y")
        ax.set_axisbelow(True)
    return ax


def agreement_of_rows(ratings: Ratings, distance: Any = None) -> tuple[Any, Any]:
    """Return the agreement on distinct items with a pair of ratings, and how often each occurs."""
    from consilience.distances import get_distance
    from consilience.rows import reduce_to_rows

    measure = get_distance(distance, scale=ratings.scale)
    source = reduce_to_rows(ratings, measure, labels_needed=False)
    widest = source.form.maximum or 1.0
    values, times = [], []
    for rows in source.chunks():
        used = rows.pairs > 0
        values.append(np.clip(1.0 - rows.disagreement[used] / widest, 0.0, 1.0))
        times.append(rows.multiplicity[used])
    return np.concatenate(values), np.concatenate(times)


def design(ratings: Ratings, *, ax: Any = None) -> Any:
    """Draw who rated which items: dark where there is a rating.

    More than a few hundred items are drawn as the share rated in each stretch of items.

    Examples
    --------
    >>> from consilience import datasets
    >>> design(datasets.load("krippendorff_2011")).get_xlabel()
    'items, in the order of the data'
    """
    store = ratings._store
    n_raters = len(ratings.raters)
    if not 1 <= n_raters <= _MOST_RATERS:
        raise UnsupportedDesignError.needs(
            "A figure of the design",
            f"at most {_MOST_RATERS} raters, and to know who rated",
            f"{n_raters} raters",
            "select some raters first",
        )
    share = _share_rated(store, n_raters)
    with styled():
        ax = new_axes(ax, height=0.9 + 0.24 * n_raters)
        ax.imshow(share, cmap="Blues", vmin=0.0, vmax=1.3, aspect="auto", interpolation="nearest",
                  extent=(0, ratings.n_items, n_raters - 0.5, -0.5))  # fmt: skip
        ax.set_yticks(range(n_raters), [shortened(rater) for rater in ratings.raters])
        ax.set_xlabel("items, in the order of the data")
        ax.tick_params(axis="y", length=0)
        for place in range(1, n_raters):
            ax.axhline(place - 0.5, color=FAINT, linewidth=0.4)
    return ax


def _share_rated(store: Any, n_raters: int) -> Any:
    """Return raters x stretches of items: the share of items that the rater rated."""
    n_items = store.n_items
    n_bins = min(n_items, _MOST_ROWS)
    totals = np.bincount(np.arange(n_items) * n_bins // n_items, minlength=n_bins)
    rated = np.zeros((n_raters, n_bins))
    if isinstance(store, LongTable):
        place = store.item.astype(np.int64) * n_bins // n_items
        np.add.at(rated, (store.rater, place), 1.0)
        return rated / totals
    start = 0
    for given in _given(store):
        place = (start + np.arange(len(given))) * n_bins // n_items
        for g in range(n_raters):
            rated[g] += np.bincount(place, given[:, g], minlength=n_bins)
        start += len(given)
    return rated / totals


def _given(store: Any) -> Any:
    """Yield items x raters: 1 where there is a rating."""
    if isinstance(store, NumberMatrix):
        for values in store.chunks(1 << 16):
            yield (~np.isnan(values)).astype(np.float64)
        return
    assert isinstance(store, CodedMatrix)
    if store.multiplicity is not None:
        codes = store.decode(store.matrix)
        yield np.repeat((codes >= 0).astype(np.float64), store.multiplicity, axis=0)
        return
    for codes in store.decoded():
        yield (codes >= 0).astype(np.float64)
