"""Raters: what each of them does to the coefficient, which labels each prefers, who stands out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import RaterInfluence, rater_influence
from consilience.core.arrays import Floats
from consilience.core.words import counted, first_of, percent
from consilience.distances import get_distance
from consilience.exceptions import UnsupportedDesignError
from consilience.findings import Study
from consilience.latent.entries import Entries, entries_of
from consilience.plot._figure_data import ratings_in
from consilience.plot._forest import row_of
from consilience.plot.interval_rows import (
    Row,
    bar_place,
    in_words,
    interval_rows,
    name_rows,
    row_axes,
)
from consilience.plot.style import (
    BLUE,
    COLOURS,
    GREY,
    INK,
    RED,
    describe,
    drawing,
    ink_on,
    is_narrow,
    minus,
    new_axes,
    shades,
    shortened,
    styled,
    told_apart,
)
from consilience.ratings import Ratings
from consilience.rows import label_space

_MOST_LABELS = len(COLOURS)
_MOST_CATEGORIES = 500
_CROWDED = 1_000  # raters, whose dots become one picture in the figure
_MOST_NAMED = 8  # raters outside the limits
_LETTER = 0.082  # inches, at 9 points
_LIMITS = ((1.96, "95%"), (3.09, "99.8%"))  # Spiegelhalter (2005)


@drawing
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
    found = data if isinstance(data, RaterInfluence) else _influence(data, coefficient)
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
    with styled():
        whole = found.whole
        if whole is not None and whole.status == "ok":
            interval = whole.confidence_interval(confidence_level)
            if math.isfinite(interval.low):
                ax.axvspan(interval.low, interval.high, color=BLUE, alpha=0.10, linewidth=0)
        ax.axvline(found.value, color=INK, linewidth=1.0, linestyle="--", zorder=0.5)
        interval_rows(ax, rows)
        ax.annotate(minus(f"all raters {found.value:.2f}"), (found.value, 1.0),
                    xycoords=ax.get_xaxis_transform(), xytext=(0, 2), fontsize=9,
                    textcoords="offset points", ha="center", va="bottom")  # fmt: skip
        name = found.coefficient.replace("_", " ") if whole is None else whole.name
        ax.set_xlabel(f"{name} without this rater, with {percent(confidence_level)} interval")
    return describe(ax, in_words(f"{name} {found.value:.2f} with all raters; without", rows))


def _influence(data: Any, coefficient: str) -> RaterInfluence:
    return rater_influence(ratings_in(data), coefficient=coefficient)


def _row_without(found: RaterInfluence, rater: object, value: float, level: float) -> Row:
    one = found.estimates.get(rater)
    if one is None or one.status != "ok":
        return Row(name=rater, value=value)
    return row_of(rater, one, level)


@drawing
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
    raters = told_apart(ratings.raters)
    with styled():
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
    return describe(ax, f"Share of each label in each rater's ratings. {told}.")


def _segments(ratings: Ratings, n_gk: Floats) -> tuple[list[str], list[str], Floats]:
    """Return names and colours of the segments of a bar, and how often each rater used each."""
    names = told_apart(ratings.categories)
    has_order = ratings.ordered or ratings.numbers is not None
    if ratings.scale != "nominal" and ratings.ordered:
        return names, shades(len(names)), n_gk
    order = np.argsort(-n_gk.sum(axis=0), kind="stable")
    if len(names) <= _MOST_LABELS and has_order:
        return names, list(COLOURS[: len(names)]), n_gk
    if len(names) <= _MOST_LABELS:
        return [names[k] for k in order], list(COLOURS[: len(names)]), n_gk[:, order]
    shown, rest = order[: _MOST_LABELS - 1], order[_MOST_LABELS - 1 :]
    merged = np.column_stack([n_gk[:, shown], n_gk[:, rest].sum(axis=1)])
    called = [*(names[k] for k in shown), f"{len(rest)} other labels"]
    return called, [*COLOURS[: len(shown)], GREY], merged


def _stacked(ax: Any, share: Floats, names: Sequence[str], colours: Sequence[str]) -> set[int]:
    """Draw the bars, with names and shares where they fit; return which names were written."""
    inches = ax.figure.get_figwidth() * (0.92 if is_narrow(ax) else 0.66)
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
                        color=ink_on(colours[k]))  # fmt: skip
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
    ax.legend(handles=patches, loc="lower left", bbox_to_anchor=(0, 1), ncols=min(columns, 5),
              fontsize=9, borderpad=0, handlelength=1.0)  # fmt: skip


@drawing
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
    with styled():
        ax = new_axes(ax, height=3.4)
        outer = _LIMITS[1][0] * spread / math.sqrt(float(n.max()))
        ax.set_ylim(*_reach(mean[used], centre, outer))
        ax.set_xlim(0.0, 1.08 * float(n.max()))
        _limits(ax, n[used], centre, spread)
        inside = used.copy()
        inside[out] = False
        many = int(inside.sum()) > _CROWDED
        ax.plot(n[inside], mean[inside], "o", color=BLUE, markersize=3.5 if many else 5,
                alpha=0.3 if many else 0.8, zorder=3, rasterized=many)  # fmt: skip
        ax.plot(n[out], mean[out], "D", color=RED, markersize=6, zorder=4)
        names = told_apart(ratings.raters[g] for g in out)
        for g, name in sorted(zip(out, names, strict=True), key=lambda one: -off[one[0]])[
            :_MOST_NAMED
        ]:
            ax.annotate(name, (n[g], mean[g]), xytext=(6, 0), textcoords="offset points",
                        va="center", fontsize=9)  # fmt: skip
        ax.set_xlabel("ratings on items that others rated, too")
        ax.set_ylabel("agreement with the others")
        ax.grid(axis="y")
    said = f"{counted(len(out), 'rater')} of {used.sum():,} outside the 99.8% limits"
    who = f": {first_of([shortened(ratings.raters[g]) for g in out], 8)}" if out.size else ""
    return describe(ax, f"Mean agreement of raters with the others {centre:.2f}; {said}{who}.")


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
    ax.axhline(centre, color=INK, linewidth=1.0)
    for (reach, name), dash in zip(_LIMITS, ("--", ":"), strict=True):
        for side in (-1.0, 1.0):
            ax.plot(x, np.clip(centre + side * reach * spread / np.sqrt(x), 0.0, 1.0), dash,
                    color=GREY, linewidth=1.1, zorder=2)  # fmt: skip
        edge = reach * spread / math.sqrt(x[-1])
        for at in (centre - edge, centre + edge):
            _beside(ax, at, name)
    _beside(ax, centre, f"mean {centre:.2f}")


def _beside(ax: Any, y: float, text: str) -> None:
    """Write the name of a line at its right end, outside the axes."""
    low, high = ax.get_ylim()
    if low <= y <= high:
        ax.annotate(text, (1.0, y), xycoords=ax.get_yaxis_transform(), xytext=(3, 0),
                    textcoords="offset points", va="center", fontsize=8.5)  # fmt: skip


def _reach(mean: Floats, centre: float, outer: float) -> tuple[float, float]:
    """Return the part of the axis that raters and the ends of the limits take, with some room."""
    low = min(float(mean.min()), centre - outer)
    high = max(float(mean.max()), centre + outer)
    room = 0.1 * max(high - low, 0.2)
    return max(-0.02, low - room), min(1.02, high + room)
