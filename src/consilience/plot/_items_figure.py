"""Items: how far raters agree on each of them, and who rated which of them."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from consilience.core.arrays import dense
from consilience.distances import get_distance
from consilience.exceptions import UnsupportedDesignError
from consilience.plot._figure_data import ratings_in
from consilience.plot.interval_rows import bar_place, name_rows, row_axes
from consilience.plot.style import BLUE, FAINT, describe, drawing, new_axes, shortened, styled
from consilience.ratings import Ratings
from consilience.ratings.stores import CodedMatrix, LongTable, NumberMatrix
from consilience.rows import reduce_to_rows

_MOST_SPLITS = 14  # rows; beyond that, items are put together by their agreement
_STEPS = 10
_MOST_ROWS = 400
_MOST_NAMED = 20  # raters with a row of their own
_MOST_BANDS = 120  # rows of raters without names
_CHUNK = 65_536


@drawing
def item_agreement(data: Any, *, distance: Any = None, ax: Any = None) -> Any:
    """Draw on how many items the ratings split in which way, full agreement at the top.

    Labels without an order are counted by split: "5-0" where all five ratings of an item are the
    same, "3-2" where three of them are. Where there are too many ways to split, or labels have a
    distance, items are counted by their agreement: the share of pairs of ratings that agree, or
    1 - mean distance / largest distance.

    Parameters
    ----------
    data : Ratings, a dataframe, or an Estimate
    distance : str, Distance or callable, default the one that fits the scale
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import datasets
    >>> ax = item_agreement(datasets.load("cohen_1960"))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['2-0', '1-1']
    """
    ratings = ratings_in(data)
    nominal = get_distance(distance, scale=ratings.scale).name == "nominal"
    found = splits(ratings) if nominal else None
    what = "split of the ratings"
    if found is None:
        found, what = _by_agreement(ratings, distance), "agreement on the item"
    total = sum(found.values())
    if not total:
        raise UnsupportedDesignError.needs(
            "A figure of items", "items with at least two ratings", "none", "check the data"
        )
    names, times = list(found), list(found.values())
    told = [f"{n:,.0f} ({n / total:.0%})" for n in times]
    with styled():
        ax = row_axes(ax, len(names), around=0.75, row=0.27)
        below, high = bar_place(ax)
        ax.barh([k + below for k in range(len(names))], times, color=BLUE, height=high)
        name_rows(ax, names, told, bars=True)
        ax.set_xlim(0.0, 1.02 * max(times))
        ax.set_xlabel(f"items, by {what}")
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.grid(axis="x")
        ax.set_axisbelow(True)
    said = "; ".join(f"{name}: {text}" for name, text in zip(names, told, strict=True))
    return describe(ax, f"Items by {what}: {said}.")


def splits(ratings: Ratings) -> dict[str, float] | None:
    """Return how many items split in which way, the fullest agreement first; None if too many.

    Examples
    --------
    >>> splits(Ratings.from_wide([["a", "a", "b"], ["a", "a", "a"], ["b", "c", "a"]]))
    {'3-0': 1.0, '2-1': 1.0, '1-1-1': 1.0}
    """
    if isinstance(ratings._store, NumberMatrix):
        return None
    found: defaultdict[tuple[int, ...], float] = defaultdict(float)
    for rows in reduce_to_rows(ratings, get_distance("nominal", scale="nominal")).chunks():
        for start in range(0, rows.ratings.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            given = -np.sort(-dense(rows.vectors[:, part]), axis=0).astype(np.int64).T
            kinds, place = np.unique(given, axis=0, return_inverse=True)
            times = np.bincount(place.ravel(), weights=rows.multiplicity[part])
            for kind, n in zip(kinds.tolist(), times.tolist(), strict=True):
                if sum(kind) >= 2:
                    found[tuple(x for x in kind if x)] += n
            if len(found) > _MOST_SPLITS:
                return None
    ordered = sorted(found, key=lambda kind: (-_share(kind), -sum(kind)))
    return {"-".join(map(str, kind if len(kind) > 1 else (*kind, 0))): found[kind]
            for kind in ordered}  # fmt: skip


def _share(kind: tuple[int, ...]) -> float:
    """Return the share of pairs that agree."""
    n = sum(kind)
    return sum(x * (x - 1) for x in kind) / (n * (n - 1))


def _by_agreement(ratings: Ratings, distance: Any = None) -> dict[str, float]:
    """Return how many items have which agreement: each value, or tenths where they are many."""
    values, times = agreement_of_rows(ratings, distance)
    values = np.round(values, 6)
    known = np.unique(values)
    if known.size <= _MOST_SPLITS:
        every = {f"{x:.2f}": float(times[values == x].sum()) for x in known[::-1]}
        if len(every) == known.size:
            return every
    step = np.where(values == 1.0, _STEPS, (values * _STEPS).astype(int))
    bounds = [(f"{k / _STEPS:.1f} to {(k + 1) / _STEPS:.1f}", k) for k in range(_STEPS)]
    found = {"1 (all alike)": float(times[step == _STEPS].sum())}
    lowest = int(step.min())
    return found | {
        name: float(times[step == k].sum()) for name, k in reversed(bounds) if k >= lowest
    }


def agreement_of_rows(ratings: Ratings, distance: Any = None) -> tuple[Any, Any]:
    """Return the agreement on distinct items with a pair of ratings, and how often each occurs."""
    measure = get_distance(distance, scale=ratings.scale)
    source = reduce_to_rows(ratings, measure, labels_needed=False)
    widest = source.form.maximum or 1.0
    values, times = [], []
    for rows in source.chunks():
        used = rows.pairs > 0
        values.append(np.clip(1.0 - rows.disagreement[used] / widest, 0.0, 1.0))
        times.append(rows.multiplicity[used])
    return np.concatenate(values), np.concatenate(times)


@drawing
def design(data: Any, *, ax: Any = None) -> Any:
    """Draw who rated which items: dark where there is a rating.

    More than a few hundred items are drawn as the share rated in each stretch of items. More than
    20 raters stand without their names, the busiest at the top.

    Parameters
    ----------
    data : Ratings, a dataframe, or an Estimate
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import datasets
    >>> design(datasets.load("krippendorff_2011")).get_xlabel()
    'items, in the order of the data'
    """
    ratings = ratings_in(data)
    if not len(ratings.raters):
        raise UnsupportedDesignError.needs(
            "A figure of the design", "to know who rated", "counts", "give the ratings one by one"
        )
    if len(ratings.raters) > _MOST_NAMED:
        return _crowd_design(ratings, ax)
    store = ratings._store
    n_raters = len(ratings.raters)
    share = _share_rated(store, np.arange(n_raters))
    rated = share @ _stretches(store.n_items)
    told = [f"{n:,.0f} of {store.n_items:,}" for n in rated]
    with styled():
        ax = row_axes(ax, n_raters, around=0.8, row=0.26)
        below, high = bar_place(ax)
        for place, row in enumerate(share):
            foot = place + below + high / 2
            _shade(ax, row[None, :], (0, store.n_items, foot, foot - high))
            ax.plot([0, store.n_items], [foot] * 2, color=FAINT, linewidth=0.5)
        name_rows(ax, ratings.raters, told, bars=True)
        ax.set_xlim(0, store.n_items)
        ax.set_xlabel("items, in the order of the data")
    said = "; ".join(
        f"{shortened(rater)} {text}" for rater, text in zip(ratings.raters, told, strict=True)
    )
    return describe(ax, f"Items rated by each rater: {said}.")


def _crowd_design(ratings: Ratings, ax: Any) -> Any:
    """Draw many raters without their names, the busiest at the top, several to a row if need be."""
    store, n_raters = ratings._store, len(ratings.raters)
    n_r = _ratings_of(store, n_raters)
    rank = np.empty(n_raters, dtype=np.int64)
    rank[np.argsort(-n_r, kind="stable")] = np.arange(n_raters)
    share = _share_rated(store, rank * min(n_raters, _MOST_BANDS) // n_raters)
    with styled():
        ax = new_axes(ax, height=3.6)
        _shade(ax, share / max(float(share.max()), 1e-12), (0, store.n_items, n_raters, 0))
        ax.set_xlim(0, store.n_items)
        ax.set_ylim(n_raters, 0)
        ax.set_xlabel("items, in the order of the data")
        ax.set_ylabel("raters, the busiest at the top")
    low, middle, high = (f"{x:,.0f}" for x in np.quantile(n_r, (0.0, 0.5, 1.0)))
    return describe(ax, f"Items rated by {n_raters:,} raters: from {low} to {high}, half of the "
                    f"raters at least {middle}, of {store.n_items:,}.")  # fmt: skip


def _shade(ax: Any, opacity: Any, extent: tuple[float, float, float, float]) -> None:
    """Draw a picture in which only opacity tells: where nobody rated there is nothing."""
    from matplotlib.colors import to_rgb

    pixels = np.empty((*opacity.shape, 4))
    pixels[..., :3], pixels[..., 3] = to_rgb(BLUE), opacity
    ax.imshow(pixels, aspect="auto", interpolation="nearest", extent=extent)


def _ratings_of(store: Any, n_raters: int) -> Any:
    """Return how many items each rater rated."""
    if isinstance(store, LongTable):
        return np.bincount(store.rater, minlength=n_raters)
    return np.sum([given.sum(axis=0) for given in _given(store)], axis=0)


def _share_rated(store: Any, row: Any) -> Any:
    """Return rows x stretches of items: the share of items that the raters of a row rated."""
    n_items, n_rows = store.n_items, int(row.max()) + 1
    totals = _stretches(n_items)
    n_bins = totals.size
    rated = np.zeros((n_rows, n_bins))
    cells = np.bincount(row)[:, None] * totals
    if isinstance(store, LongTable):
        place = store.item.astype(np.int64) * n_bins // n_items
        np.add.at(rated, (row[store.rater], place), 1.0)
        return rated / cells
    start = 0
    for given in _given(store):
        place = (start + np.arange(len(given))) * n_bins // n_items
        for g, at in enumerate(row):
            rated[at] += np.bincount(place, given[:, g], minlength=n_bins)
        start += len(given)
    return rated / cells


def _stretches(n_items: int) -> Any:
    """Return how many items each stretch has."""
    n_bins = min(n_items, _MOST_ROWS)
    return np.bincount(np.arange(n_items) * n_bins // n_items, minlength=n_bins)


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
