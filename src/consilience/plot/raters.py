"""Raters and items: who moves the coefficient, who stands out, who rated what, how labels split."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import rater_influence
from consilience.coefficients.breakdowns import RaterInfluence
from consilience.core.arrays import Floats, dense
from consilience.core.words import counted, first_of, percent
from consilience.distances import get_distance
from consilience.exceptions import UnsupportedDesignError
from consilience.findings import Study
from consilience.latent.votes import Entries, entries_of
from consilience.plot import style
from consilience.plot.rows import (
    Row,
    bar_place,
    in_words,
    interval_rows,
    name_rows,
    ratings_in,
    row_axes,
    row_of,
)
from consilience.ratings import Ratings
from consilience.ratings.stores import CodedMatrix, LongTable, NumberMatrix
from consilience.rows import reduce_to_rows
from consilience.rows.reduce import label_space

# ---- Raters: what each of them does to the coefficient, which labels each prefers, who stands out

_MOST_LABELS = len(style.COLOURS)
_MOST_CATEGORIES = 500
_CROWDED = 1_000  # raters, whose dots become one picture in the figure
_MOST_OUTSIDE = 8  # raters outside the limits
_LETTER = 0.082  # inches, at 9 points
_LIMITS = ((1.96, "95%"), (3.09, "99.8%"))  # Spiegelhalter (2005)


@style.drawing
def leave_one_out(
    data: Any,
    *,
    coefficient: str = "krippendorff_alpha",
    confidence_level: float = 0.95,
    ax: Any = None,
) -> Any:
    """Draw the coefficient without each rater in turn, with intervals; above all, with everybody.

    To the right of the dashed line, agreement is higher without this rater. The band is the
    interval with all raters: a dot within it tells little about the rater.

    Parameters
    ----------
    data : Ratings, a dataframe, an Estimate, or the result of `rater_influence`
    coefficient : name or alias
        For data.
    confidence_level : float, default 0.95
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import Ratings
    >>> wide = [["a", "a", "b"], ["b", "b", "a"], ["a", "a", "a"], ["b", "b", "b"]]
    >>> ax = leave_one_out(Ratings.from_wide(wide, raters=["Ann", "Bob", "Cid"]))
    >>> ax.get_xlabel()
    "Krippendorff's alpha without this rater, with 95% interval"
    """
    found = data
    if not isinstance(data, RaterInfluence):
        found = rater_influence(ratings_in(data), coefficient=coefficient)
    known = [(rater, value) for rater, value in found.without.items() if math.isfinite(value)]
    rows = [
        _row_without(found, rater, value, confidence_level)
        for rater, value in sorted(known, key=lambda one: -one[1])
    ]
    if not rows or not math.isfinite(found.value):
        raise UnsupportedDesignError.needs(
            "Leaving out raters", "a coefficient that is defined", "none", "check the data"
        )
    ax = row_axes(ax, len(rows), around=1.0)
    whole = found.whole
    if whole is not None and whole.status == "ok":
        interval = whole.confidence_interval(confidence_level)
        if math.isfinite(interval.low):
            ax.axvspan(interval.low, interval.high, color=style.BLUE, alpha=0.10, linewidth=0)
    ax.axvline(found.value, color=style.INK, linewidth=1.0, linestyle="--", zorder=0.5)
    interval_rows(ax, rows)
    said = style.minus(f"all raters {found.value:.2f}")
    style.beside(ax, said, (found.value, 1.0), (0, 2), along="x", ha="center", va="bottom")
    name = found.coefficient.replace("_", " ") if whole is None else whole.name
    ax.set_xlabel(f"{name} without this rater, with {percent(confidence_level)} interval")
    return style.describe(ax, in_words(f"{name} {found.value:.2f} with all raters; without", rows))


def _row_without(found: RaterInfluence, rater: object, value: float, level: float) -> Row:
    one = found.estimates.get(rater)
    if one is None or one.status != "ok":
        return Row(name=rater, value=value)
    return row_of(rater, one, level)


@style.drawing
def label_use(data: Any, *, ax: Any = None) -> Any:
    """Draw which labels each rater uses: a bar of shares for each rater, with all at the top.

    Labels that have an order are shades from light to dark; of others, the most common ones have
    colours and the rest is grey. Names stand in the bars where there is room.

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
    >>> label_use(datasets.load("cohen_1960")).get_xlabel()
    "share of the rater's ratings"
    """
    ratings = ratings_in(data)
    n_gk = Study(ratings).by_rater
    if n_gk is None:
        raise UnsupportedDesignError.needs(
            "A figure of label use", "a few raters and categories", f"{ratings!r}", "select some"
        )
    names, colours, n_gk = _segments(ratings, n_gk)
    share = n_gk / np.maximum(n_gk.sum(axis=1, keepdims=True), 1)
    raters = style.told_apart(ratings.raters)
    ax = row_axes(ax, len(raters), around=1.1, row=0.36)
    named = _stacked(ax, share, names, colours)
    name_rows(ax, raters, [f"n = {n:,.0f}" for n in n_gk.sum(axis=1)], bars=True)
    ax.set_xlim(0.0, 1.0)
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:.0%}")
    ax.set_xlabel("share of the rater's ratings")
    _key(ax, [(n, c) for k, (n, c) in enumerate(zip(names, colours, strict=True))
              if k not in named])  # fmt: skip
    told = "; ".join(
        f"{rater}: " + ", ".join(f"{n} {x:.0%}" for n, x in zip(names, row, strict=True))
        for rater, row in list(zip(raters, share, strict=True))[:10]
    )
    return style.describe(ax, f"Share of each label in each rater's ratings. {told}.")


def _segments(ratings: Ratings, n_gk: Floats) -> tuple[list[str], list[str], Floats]:
    """Return names and colours of the segments of a bar, and how often each rater used each."""
    names = style.told_apart(ratings.categories)
    has_order = ratings.ordered or ratings.numbers is not None
    if ratings.scale != "nominal" and ratings.ordered:
        return names, style.shades(len(names)), n_gk
    order = np.argsort(-n_gk.sum(axis=0), kind="stable")
    if len(names) <= _MOST_LABELS and has_order:
        return names, list(style.COLOURS[: len(names)]), n_gk
    if len(names) <= _MOST_LABELS:
        return [names[k] for k in order], list(style.COLOURS[: len(names)]), n_gk[:, order]
    shown, rest = order[: _MOST_LABELS - 1], order[_MOST_LABELS - 1 :]
    merged = np.column_stack([n_gk[:, shown], n_gk[:, rest].sum(axis=1)])
    called = [*(names[k] for k in shown), f"{len(rest)} other labels"]
    return called, [*style.COLOURS[: len(shown)], style.GREY], merged


def _stacked(ax: Any, share: Floats, names: Sequence[str], colours: Sequence[str]) -> set[int]:
    """Draw the bars, with names and shares where they fit; return which names were written."""
    inches = ax.figure.get_figwidth() * (0.92 if style.is_narrow(ax) else 0.66)
    below, high = bar_place(ax)
    named: set[int] = set()
    for place, row in enumerate(share):
        left = 0.0
        for k, x in enumerate(row):
            ax.barh(place + below, x, left=left, height=high, color=colours[k],
                    edgecolor="white", linewidth=0.8)  # fmt: skip
            room = (x * inches - 0.06) / _LETTER
            texts = (f"{names[k]}: {x:.0%}", names[k], f"{x:.0%}")
            text = next((one for one in texts if len(one) <= room), "")
            if text:
                ax.text(left + x / 2, place + below, text, ha="center", va="center", fontsize=9,
                        color=style.ink_on(colours[k]))  # fmt: skip
            if text.startswith(names[k]):
                named.add(k)
            left += float(x)
    return named


def _key(ax: Any, entries: Sequence[tuple[str, str]]) -> None:
    """Name the colours whose names fit into no bar."""
    if not entries:
        return
    from matplotlib.patches import Patch

    patches = [Patch(color=colour, label=name) for name, colour in entries]
    longest = max(len(name) for name, _ in entries)
    columns = max(1, int(ax.figure.get_figwidth() / (0.45 + _LETTER * longest)))
    look = {"fontsize": 9, "borderpad": 0, "handlelength": 1.0}
    style.legend_above(ax, handles=patches, ncols=min(columns, 5), **look)


@style.drawing
def funnel(data: Any, *, distance: Any = None, ax: Any = None) -> Any:
    """Draw each rater's agreement with the others against her number of ratings, with limits.

    A rater's agreement is the mean over her ratings of the share of the item's other ratings that
    agree with it (or of 1 - distance / largest distance). Raters who differ by chance alone lie
    within the inner limits in 95% and within the outer ones in 99.8% of cases; few ratings make
    wide limits. This supposes that items came to raters at random. Where each rater rated most of
    the items the limits are wider than they need be: see `leave_one_out` there.

    Parameters
    ----------
    data : Ratings, a dataframe, or an Estimate
    distance : str, Distance or callable, default the one that fits the scale
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    .. [1] Spiegelhalter, D. J. (2005). Funnel plots for comparing institutional performance.
       Statistics in Medicine 24, 1185-1202. doi:10.1002/sim.1970

    Examples
    --------
    >>> from consilience import datasets
    >>> funnel(datasets.load("krippendorff_2011")).get_xlabel()
    'ratings on items that others rated, too'
    """
    ratings = ratings_in(data)
    if len(ratings.categories) > _MOST_CATEGORIES:
        raise UnsupportedDesignError.needs(
            "A funnel plot",
            f"at most {_MOST_CATEGORIES} labels",
            f"{len(ratings.categories)}",
            "use plot.marks for numbers",
        )
    n, mean, centre, spread = rater_agreement(ratings, distance)
    used = n > 0
    if not used.any():
        raise UnsupportedDesignError.needs(
            "A funnel plot", "items with at least two ratings", "none", "check the data"
        )
    off = np.zeros(n.size)
    np.divide(np.abs(mean - centre) * np.sqrt(n), spread, out=off, where=used & (spread > 0))
    out = np.flatnonzero(used & (off > _LIMITS[1][0]))
    ax = style.new_axes(ax, height=3.4)
    outer = _LIMITS[1][0] * spread / math.sqrt(float(n.max()))
    ax.set_ylim(*_reach(mean[used], centre, outer))
    ax.set_xlim(0.0, 1.08 * float(n.max()))
    _limits(ax, n[used], centre, spread)
    inside = used.copy()
    inside[out] = False
    many = int(inside.sum()) > _CROWDED
    ax.plot(n[inside], mean[inside], "o", color=style.BLUE, markersize=3.5 if many else 5,
            alpha=0.3 if many else 0.8, zorder=3, rasterized=many)  # fmt: skip
    ax.plot(n[out], mean[out], "D", color=style.RED, markersize=6, zorder=4)
    names = style.told_apart(ratings.raters[g] for g in out)
    for g, name in sorted(zip(out, names, strict=True), key=lambda one: -off[one[0]])[
        :_MOST_OUTSIDE
    ]:
        style.beside(ax, name, (n[g], mean[g]), (6, 0), va="center")
    ax.set(xlabel="ratings on items that others rated, too", ylabel="agreement with the others")
    ax.grid(axis="y")
    said = f"{counted(len(out), 'rater')} of {used.sum():,} outside the 99.8% limits"
    who = f": {first_of([style.shortened(ratings.raters[g]) for g in out], 8)}" if out.size else ""
    return style.describe(
        ax, f"Mean agreement of raters with the others {centre:.2f}; {said}{who}."
    )


def rater_agreement(ratings: Ratings, distance: Any = None) -> tuple[Floats, Floats, float, float]:
    """Return each rater's number of ratings and mean agreement, the overall mean, and the spread.

    The spread is the standard deviation of single ratings' agreement within raters.
    """
    entries = entries_of("A funnel plot", ratings)
    score = _agreement_with_others(ratings, entries, distance)
    known = np.isfinite(score)
    rater, score = entries.rater[known], score[known]
    n = np.bincount(rater, minlength=entries.n_raters).astype(np.float64)
    total = np.bincount(rater, weights=score, minlength=entries.n_raters)
    mean = np.divide(total, n, out=np.full(n.size, np.nan), where=n > 0)
    if not score.size:
        return n, mean, math.nan, math.nan
    within = float(((score - mean[rater]) ** 2).sum())
    freedom = max(1.0, float(score.size - (n > 0).sum()))
    return n, mean, float(score.mean()), math.sqrt(within / freedom)


def _agreement_with_others(ratings: Ratings, entries: Entries, distance: Any) -> Floats:
    """Return for each rating how far the item's other ratings agree with it; NaN without any."""
    measure = get_distance(distance, scale=ratings.scale)
    comparable = entries.counts.T @ (entries.per_item >= 2).astype(np.float64)
    apart = np.asarray(measure.matrix(label_space(ratings), comparable), dtype=np.float64)
    apart = apart / (float(apart.max()) or 1.0)
    others = entries.per_item[entries.item] - 1.0
    score: NDArray[np.float64] = np.full(entries.item.size, np.nan)
    step = 1 << 16
    for start in range(0, score.size, step):
        part = slice(start, start + step)
        met = entries.counts[entries.item[part]] @ apart  # to every label: the item's distances
        own = np.take_along_axis(np.asarray(met), entries.label[part, None], axis=1)[:, 0]
        np.divide(own, others[part], out=score[part], where=others[part] > 0)
    return 1.0 - score


def _limits(ax: Any, n: Floats, centre: float, spread: float) -> None:
    """Draw the mean and, around it, within what raters lie who differ by chance alone."""
    x = np.linspace(max(1.0, 0.5 * float(n.min())), 1.08 * float(n.max()), 200)
    ax.axhline(centre, color=style.INK, linewidth=1.0)
    for (reach, name), dash in zip(_LIMITS, ("--", ":"), strict=True):
        for side in (-1.0, 1.0):
            ax.plot(x, np.clip(centre + side * reach * spread / np.sqrt(x), 0.0, 1.0), dash,
                    color=style.GREY, linewidth=1.1, zorder=2)  # fmt: skip
        edge = reach * spread / math.sqrt(x[-1])
        for at in (centre - edge, centre + edge):
            _beside(ax, at, name)
    _beside(ax, centre, f"mean {centre:.2f}")


def _beside(ax: Any, y: float, text: str) -> None:
    """Write the name of a line at its right end, outside the axes."""
    low, high = ax.get_ylim()
    if low <= y <= high:
        style.beside(ax, text, (1.0, y), (3, 0), along="y", va="center", fontsize=8.5)


def _reach(mean: Floats, centre: float, outer: float) -> tuple[float, float]:
    """Return the part of the axis that raters and the ends of the limits take, with some room."""
    low = min(float(mean.min()), centre - outer)
    high = max(float(mean.max()), centre + outer)
    room = 0.1 * max(high - low, 0.2)
    return max(-0.02, low - room), min(1.02, high + room)


# ---- Items: how far raters agree on each of them, and who rated which of them

_MOST_SPLITS = 14  # rows; beyond that, items are put together by their agreement
_STEPS = 10
_MOST_ROWS = 400
_MOST_NAMED_ROWS = 20  # raters with a row of their own
_MOST_BANDS = 120  # rows of raters without names
_CHUNK = 65_536


@style.drawing
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
    ax = row_axes(ax, len(names), around=0.75, row=0.27)
    below, high = bar_place(ax)
    ax.barh([k + below for k in range(len(names))], times, color=style.BLUE, height=high)
    name_rows(ax, names, told, bars=True)
    ax.set(xlim=(0.0, 1.02 * max(times)), xlabel=f"items, by {what}")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.grid(axis="x")
    ax.set_axisbelow(True)
    said = "; ".join(f"{name}: {text}" for name, text in zip(names, told, strict=True))
    return style.describe(ax, f"Items by {what}: {said}.")


def splits(ratings: Ratings) -> dict[str, float] | None:
    """Return how many items split in which way, the fullest agreement first; None if too many.

    Examples
    --------
    >>> splits(Ratings.from_wide([["a", "a", "b"], ["a", "a", "a"], ["b", "c", "a"]]))
    {'3-0': 1.0, '2-1': 1.0, '1-1-1': 1.0}
    """
    if isinstance(ratings.store, NumberMatrix):
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


@style.drawing
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
    if len(ratings.raters) > _MOST_NAMED_ROWS:
        return _crowd_design(ratings, ax)
    store = ratings.store
    n_raters = len(ratings.raters)
    share = _share_rated(store, np.arange(n_raters))
    rated = share @ _stretches(store.n_items)
    told = [f"{n:,.0f} of {store.n_items:,}" for n in rated]
    ax = row_axes(ax, n_raters, around=0.8, row=0.26)
    below, high = bar_place(ax)
    for place, row in enumerate(share):
        foot = place + below + high / 2
        _shade(ax, row[None, :], (0, store.n_items, foot, foot - high))
        ax.plot([0, store.n_items], [foot] * 2, color=style.FAINT, linewidth=0.5)
    name_rows(ax, ratings.raters, told, bars=True)
    ax.set(xlim=(0, store.n_items), xlabel="items, in the order of the data")
    said = "; ".join(
        f"{style.shortened(rater)} {text}" for rater, text in zip(ratings.raters, told, strict=True)
    )
    return style.describe(ax, f"Items rated by each rater: {said}.")


def _crowd_design(ratings: Ratings, ax: Any) -> Any:
    """Draw many raters without their names, the busiest at the top, several to a row if need be."""
    store, n_raters = ratings.store, len(ratings.raters)
    n_r = _ratings_of(store, n_raters)
    rank = np.empty(n_raters, dtype=np.int64)
    rank[np.argsort(-n_r, kind="stable")] = np.arange(n_raters)
    share = _share_rated(store, rank * min(n_raters, _MOST_BANDS) // n_raters)
    ax = style.new_axes(ax, height=3.6)
    _shade(ax, share / max(float(share.max()), 1e-12), (0, store.n_items, n_raters, 0))
    ax.set_xlim(0, store.n_items)
    ax.set_ylim(n_raters, 0)
    ax.set_xlabel("items, in the order of the data")
    ax.set_ylabel("raters, the busiest at the top")
    low, middle, high = (f"{x:,.0f}" for x in np.quantile(n_r, (0.0, 0.5, 1.0)))
    half = f"half of the raters at least {middle}, of {store.n_items:,}"
    said = f"Items rated by {n_raters:,} raters: from {low} to {high}, {half}."
    return style.describe(ax, said)


def _shade(ax: Any, opacity: Any, extent: tuple[float, float, float, float]) -> None:
    """Draw a picture in which only opacity tells: where nobody rated there is nothing."""
    from matplotlib.colors import to_rgb

    pixels = np.empty((*opacity.shape, 4))
    pixels[..., :3], pixels[..., 3] = to_rgb(style.BLUE), opacity
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
