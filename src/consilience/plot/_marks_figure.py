"""Marks: means and spread of each marker, two markers' marks, and how they differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from consilience.core.words import counted
from consilience.exceptions import UnsupportedDesignError
from consilience.magnitudes import LimitsOfAgreement, MarksSummary, RaterMarks, describe_marks
from consilience.magnitudes import bland_altman as limits_of_agreement
from consilience.magnitudes.paired import Paired, paired
from consilience.plot._figure_data import ratings_in
from consilience.plot.interval_rows import Row, in_words, interval_rows
from consilience.plot.style import (
    BLUE,
    FAINT,
    GREY,
    INK,
    RED,
    WIDE,
    describe,
    drawing,
    is_narrow,
    minus,
    new_axes,
    new_panels,
    shortened,
    styled,
)

_MOST_RATERS = 40
_CROWDED = 500  # points, beyond which they are drawn paler
_SMALLEST, _LARGEST = 22.0, 220.0  # areas of dots, in points


@drawing
def bland_altman(
    *ratings: Any,
    pair: Sequence[object] | None = None,
    multiplier: float = 1.96,
    limits: str = "normal",
    confidence_level: float = 0.95,
    ax: Any = None,
) -> Any:
    """Draw the difference of two raters' marks against their mean, with limits of agreement.

    Bands are the intervals of the mean difference and of each limit. Marks that coincide are one
    dot, larger the more there are.

    Parameters
    ----------
    ratings : Ratings, a dataframe, or one sequence of marks per rater
    pair : names of two raters, when there are more
    multiplier, limits
        As in `consilience.magnitudes.bland_altman`.
    confidence_level : float, default 0.95
        Of the bands, and of limits that are tolerance limits.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    .. [1] Bland, J. M. & Altman, D. G. (1986). Statistical methods for assessing agreement between
       two methods of clinical measurement. Lancet 327, 307-310, Figure 2.

    Examples
    --------
    >>> ax = bland_altman([10, 12, 15, 11, 14], [11, 12, 13, 12, 15])
    >>> [text.get_text() for text in ax.texts]
    ['upper limit 2.36', 'mean −0.20', 'lower limit −2.76']
    """
    data = tuple(_marks(one) for one in ratings)
    found = limits_of_agreement(
        *data, multiplier=multiplier, limits=limits, confidence_level=confidence_level, pair=pair
    )
    if found.status != "ok":
        raise UnsupportedDesignError.needs(
            "A Bland-Altman plot",
            "two raters with at least two items in common",
            str(found.reason),
            "check for missing marks",
        )
    marks = paired("bland_altman", data, pair)
    with styled():
        ax = new_axes(ax, height=3.6)
        _dots(ax, (marks.x + marks.y) / 2.0, marks.differences, marks.weight)
        told = _limit_lines(ax, found, confidence_level)
        first, second = (shortened(name) for name in found.raters)
        ax.set_xlabel(f"mean of {first} and {second}")
        ax.set_ylabel(f"{first} minus {second}")
    n = counted(found.n_items_used, "item")
    return describe(ax, f"Differences of {n}, {first} minus {second}: {'; '.join(told)}.")


def _marks(data: Any) -> Any:
    """Return ratings of an estimate or a table; sequences of marks stay what they are."""
    from consilience.coefficients import Estimate
    from consilience.core.frames import is_table

    return ratings_in(data) if isinstance(data, Estimate) or is_table(data) else data


def _dots(ax: Any, x: Any, y: Any, weight: Any) -> None:
    """Draw points; those that coincide are one, its area the number of them."""
    points, place = np.unique(np.stack([x, y], axis=1), axis=0, return_inverse=True)
    times = np.bincount(place.ravel(), weights=weight)
    area = np.clip(_SMALLEST * times, _SMALLEST, _LARGEST)
    alpha = 0.75 if len(points) <= _CROWDED else 0.3
    # Very many points are one picture in the figure, not thousands of shapes.
    ax.scatter(*points.T, s=area, color=BLUE, alpha=alpha, linewidths=0.0, zorder=3,
               rasterized=len(points) > 2 * _CROWDED)  # fmt: skip


def _limit_lines(ax: Any, found: LimitsOfAgreement, confidence_level: float) -> list[str]:
    """Draw the mean difference and the limits with their intervals; return them in words."""
    lower, upper = found.limit_intervals(confidence_level=confidence_level)
    mean = found.confidence_interval(confidence_level)
    lines = (
        ("upper limit", found.high, upper, RED, "--"),
        ("mean", found.bias, mean, INK, "-"),
        ("lower limit", found.low, lower, RED, "--"),
    )
    ax.axhline(0.0, color=FAINT, linewidth=0.8, zorder=1)
    told = []
    for name, value, interval, colour, dash in lines:
        ax.axhline(value, color=colour, linestyle=dash, linewidth=1.3, zorder=2)
        if math.isfinite(interval.low):
            ax.axhspan(interval.low, interval.high, color=colour, alpha=0.10, linewidth=0)
        text = minus(f"{name} {value:.2f}")
        ax.annotate(text.replace(" ", "\n", 1) if is_narrow(ax) else text, (1.0, value),
                    xycoords=ax.get_yaxis_transform(), xytext=(4, 0), va="center", fontsize=9,
                    textcoords="offset points")  # fmt: skip
        told.append(f"{text} ({interval.low:.2f} to {interval.high:.2f})")
    return told


@drawing
def marks(data: Any, *, pair: Sequence[object] | None = None, ax: Any = None) -> Any:
    """Draw each marker's mean and spread, and one marker's marks against another's.

    Dots are means, bars one standard deviation to either side, thin lines the range; the skewness
    stands at the end of the row. With more than two markers the scatter shows the pair whose means
    differ most, unless a pair is named; on the diagonal two marks are the same.

    Parameters
    ----------
    data : Ratings, a dataframe, a table of items × raters, or a MarksSummary
        A summary has no marks of its own, so that the scatter is left out.
    pair : names of two raters, optional
    ax : matplotlib Axes, optional
        Draws the means alone into it.

    Returns
    -------
    matplotlib Axes
        The means; the scatter is the second of ``.figure.axes``.

    Examples
    --------
    >>> from consilience import datasets
    >>> ax = marks(datasets.load("shrout_fleiss_1979"))
    >>> ax.get_xlabel(), len(ax.figure.axes)
    ('mark: mean, standard deviation, range', 2)
    """
    summary = data if isinstance(data, MarksSummary) else describe_marks(_marks(data))
    if not summary.raters:
        raise UnsupportedDesignError.needs(
            "A figure of marks", "to know who gave which mark", "counts", "bring the ratings"
        )
    shown = sorted(summary.raters, key=lambda one: -one.mean)[:_MOST_RATERS]
    scattered = ax is None and not isinstance(data, MarksSummary) and len(summary.raters) > 1
    with styled():
        if scattered:
            ax, beside = _two_panels(len(shown))
            _scatter(beside, paired("bland_altman", (_marks(data),), _pair(summary, pair)))
        else:
            ax = new_axes(ax, height=0.9 + 0.4 * len(shown))
        rows = [_mark_row(one) for one in shown]
        for place, one in enumerate(shown):
            ax.plot([one.low, one.high], [place, place], color=GREY, linewidth=0.8, zorder=1)
        interval_rows(ax, rows)
        ax.set_xlabel("mark: mean, standard deviation, range")
    return describe(ax, in_words("Mean marks with one standard deviation", rows))


def _mark_row(one: RaterMarks) -> Row:
    sd = one.sd if math.isfinite(one.sd) else 0.0
    skew = f", skew {one.skewness:+.1f}" if math.isfinite(one.skewness) else ""
    told = minus(f"{one.mean:.2f}{skew}")
    return Row(name=one.rater, value=one.mean, low=one.mean - sd, high=one.mean + sd, told=told)


def _two_panels(n_rows: int) -> tuple[Any, Any]:
    """Return axes side by side, or on a phone one below the other."""
    if is_narrow():
        means = 0.9 + 0.5 * n_rows
        ax, beside = new_panels(
            2, 1, height=means + 3.3, gridspec_kw={"height_ratios": (means, 3.3)}
        )
    else:
        ax, beside = new_panels(
            1, 2, width=WIDE + 1.2, height=max(3.2, 0.9 + 0.34 * n_rows),
            gridspec_kw={"width_ratios": (1.15, 1.0)},
        )  # fmt: skip
    return ax, beside


def _pair(summary: MarksSummary, pair: Sequence[object] | None) -> Sequence[object]:
    """Return the pair to look at: the one that is named, or the harshest and the mildest."""
    if pair is not None:
        return pair
    ordered = sorted(summary.raters, key=lambda one: one.mean)
    return (ordered[-1].rater, ordered[0].rater)


def _scatter(ax: Any, found: Paired) -> None:
    ends = [min(found.x.min(), found.y.min()), max(found.x.max(), found.y.max())]
    ax.plot(ends, ends, color=FAINT, linewidth=0.9, zorder=1)
    _dots(ax, found.x, found.y, found.weight)
    ax.annotate("equal", (ends[1], ends[1]), xytext=(-6, 0), textcoords="offset points",
                ha="right", va="center", fontsize=9)  # fmt: skip
    ax.set_xlabel(f"marks by {shortened(found.raters[0])}")
    ax.set_ylabel(f"marks by {shortened(found.raters[1])}")
    ax.set_aspect("equal", adjustable="datalim")
