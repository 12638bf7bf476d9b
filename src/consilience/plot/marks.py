"""Marks: means and spread of each marker, how two differ, and whole distributions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.coefficients import Estimate
from consilience.core.arrays import Floats
from consilience.core.frames import is_table
from consilience.core.words import counted
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.magnitudes import bland_altman as limits_of_agreement
from consilience.magnitudes import describe_marks, mark_counts
from consilience.magnitudes.marks import Paired, paired
from consilience.magnitudes.marks_summary import MarksSummary, RaterMarks
from consilience.magnitudes.method_comparison import LimitsOfAgreement
from consilience.panel.comparison import PanelResult
from consilience.panel.markers import Differences
from consilience.plot import style
from consilience.plot.rows import Row, in_words, interval_rows, ratings_in

# ---- Marks: means and spread of each marker, two markers' marks, and how they differ

_MOST_RATERS = 40
_CROWDED = 500  # points, beyond which they are drawn paler
_SMALLEST, _LARGEST = 22.0, 220.0  # areas of dots, in points


@style.drawing
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
    ax = style.new_axes(ax, height=3.6)
    _dots(ax, (marks.x + marks.y) / 2.0, marks.differences, marks.weight)
    told = _limit_lines(ax, found, confidence_level)
    first, second = (style.shortened(name) for name in found.raters)
    ax.set(xlabel=f"mean of {first} and {second}", ylabel=f"{first} minus {second}")
    n = counted(found.n_items_used, "item")
    return style.describe(ax, f"Differences of {n}, {first} minus {second}: {'; '.join(told)}.")


def _marks(data: Any) -> Any:
    """Return ratings of an estimate or a table; sequences of marks stay what they are."""

    return ratings_in(data) if isinstance(data, Estimate) or is_table(data) else data


def _dots(ax: Any, x: Any, y: Any, weight: Any) -> None:
    """Draw points; those that coincide are one, its area the number of them."""
    points, place = np.unique(np.stack([x, y], axis=1), axis=0, return_inverse=True)
    times = np.bincount(place.ravel(), weights=weight)
    area = np.clip(_SMALLEST * times, _SMALLEST, _LARGEST)
    alpha = 0.75 if len(points) <= _CROWDED else 0.3
    # Very many points are one picture in the figure, not thousands of shapes.
    ax.scatter(*points.T, s=area, color=style.BLUE, alpha=alpha, linewidths=0.0, zorder=3,
               rasterized=len(points) > 2 * _CROWDED)  # fmt: skip


def _limit_lines(ax: Any, found: LimitsOfAgreement, confidence_level: float) -> list[str]:
    """Draw the mean difference and the limits with their intervals; return them in words."""
    lower, upper = found.limit_intervals(confidence_level=confidence_level)
    mean = found.confidence_interval(confidence_level)
    lines = (
        ("upper limit", found.high, upper, style.RED, "--"),
        ("mean", found.bias, mean, style.INK, "-"),
        ("lower limit", found.low, lower, style.RED, "--"),
    )
    ax.axhline(0.0, color=style.FAINT, linewidth=0.8, zorder=1)
    told = []
    for name, value, interval, colour, dash in lines:
        ax.axhline(value, color=colour, linestyle=dash, linewidth=1.3, zorder=2)
        if math.isfinite(interval.low):
            ax.axhspan(interval.low, interval.high, color=colour, alpha=0.10, linewidth=0)
        text = style.minus(f"{name} {value:.2f}")
        shown = text.replace(" ", "\n", 1) if style.is_narrow(ax) else text
        style.beside(ax, shown, (1.0, value), (4, 0), along="y", va="center")
        told.append(f"{text} ({interval.low:.2f} to {interval.high:.2f})")
    return told


@style.drawing
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
    if scattered:
        ax, beside = _two_panels(len(shown))
        _scatter(beside, paired("bland_altman", (_marks(data),), _pair(summary, pair)))
    else:
        ax = style.new_axes(ax, height=0.9 + 0.4 * len(shown))
    rows = [_mark_row(one) for one in shown]
    for place, one in enumerate(shown):
        ax.plot([one.low, one.high], [place, place], color=style.GREY, linewidth=0.8, zorder=1)
    interval_rows(ax, rows)
    ax.set_xlabel("mark: mean, standard deviation, range")
    return style.describe(ax, in_words("Mean marks with one standard deviation", rows))


def _mark_row(one: RaterMarks) -> Row:
    sd = one.sd if math.isfinite(one.sd) else 0.0
    skew = f", skew {one.skewness:+.1f}" if math.isfinite(one.skewness) else ""
    told = style.minus(f"{one.mean:.2f}{skew}")
    return Row(name=one.rater, value=one.mean, low=one.mean - sd, high=one.mean + sd, told=told)


def _two_panels(n_rows: int) -> tuple[Any, Any]:
    """Return axes side by side, or on a phone one below the other."""
    if style.is_narrow():
        means = 0.9 + 0.5 * n_rows
        ax, beside = style.new_panels(
            2, 1, height=means + 3.3, gridspec_kw={"height_ratios": (means, 3.3)}
        )
    else:
        ax, beside = style.new_panels(
            1, 2, width=style.WIDE + 1.2, height=max(3.2, 0.9 + 0.34 * n_rows),
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
    ax.plot(ends, ends, color=style.FAINT, linewidth=0.9, zorder=1)
    _dots(ax, found.x, found.y, found.weight)
    style.beside(ax, "equal", (ends[1], ends[1]), (-6, 0), ha="right", va="center")
    ax.set_xlabel(f"marks by {style.shortened(found.raters[0])}")
    ax.set_ylabel(f"marks by {style.shortened(found.raters[1])}")
    ax.set_aspect("equal", adjustable="datalim")


# ---- Whole distributions: of marks, and of differences between raters, or systems and people

_MOST_BARS = 41  # one for each number; beyond that, numbers are put together
_MOST_BINS = 19
_MOST_PANELS = 8
_MOST_TOLD = 11  # different marks whose shares are told in words


@dataclass(frozen=True)
class _Distribution:
    """How often which number occurs: a difference, or a mark."""

    name: str
    gap: Floats
    times: Floats

    @property
    def mean(self) -> float:
        return float(self.gap @ self.times / self.times.sum())

    @property
    def sd(self) -> float:
        """Standard deviation, of n - 1; NaN of a single number."""
        n = float(self.times.sum())
        squares = float((self.gap - self.mean) ** 2 @ self.times)
        return math.sqrt(squares / (n - 1.0)) if n > 1.0 else math.nan

    @property
    def step(self) -> float:
        """The smallest distance between two numbers."""
        return float(np.diff(self.gap).min()) if self.gap.size > 1 else 1.0

    @property
    def skewness(self) -> float:
        """Third moment over the cube of the standard deviation: below 0, the tail is left."""
        weight, off = self.times / self.times.sum(), self.gap - self.mean
        spread = float(off**2 @ weight)
        return float(off**3 @ weight) / spread**1.5 if spread > 0.0 else math.nan

    @property
    def moments(self) -> str:
        """Mean, standard deviation and skewness, for marks."""
        parts = [f"mean {self.mean:.2f}"]
        parts += [
            f"{name} {x:{form}}"
            for name, x, form in (("sd", self.sd, ".2f"), ("skew", self.skewness, "+.2f"))
            if math.isfinite(x)
        ]
        return style.minus(", ".join(parts))  # fmt: skip

    @property
    def words(self) -> str:
        """Mean and skewness."""
        skew = f", skew {self.skewness:+.2f}" if math.isfinite(self.skewness) else ""
        same = float(self.times[self.gap == 0.0].sum() / self.times.sum())
        return style.minus(f"mean {self.mean:+.2f}{skew}, {same:.0%} identical")


@style.drawing
def differences(*data: Any, pair: Sequence[object] | None = None, ax: Any = None) -> Any:
    """Draw a histogram of differences: which share of the marks lies how far above or below.

    A bar for each difference, with the mean, the skewness and the share of identical marks in
    words: two distributions with the same share of identical marks may still be very different.

    Parameters
    ----------
    data : PanelResult, Differences, Ratings, a dataframe, or two sequences of marks
        A panel gives a histogram for each system: its marks minus those of people.
    pair : names of two raters, when ratings have more
    ax : matplotlib Axes, optional
        For one histogram.

    Returns
    -------
    matplotlib Axes
        The first histogram; ``.figure.axes`` has all of them.

    References
    ----------
    .. [1] Haley, D. T., Thomas, P., Petre, M. & De Roeck, A. (2008). Using a new inter-rater
       reliability statistic. Technical report 2008/15, The Open University; Figure 1-2.

    Examples
    --------
    >>> ax = differences([4, 4, 5, 3, 2], [4, 3, 5, 4, 2])
    >>> ax.get_title("left")
    'mean 0.00, skew 0.00, 60% identical'
    """
    found, xlabel, what = _distributions(data, pair)
    words, names = [one.words for one in found], (xlabel, what)
    ax = _histograms(ax, found, words, heights=(2.7, 1.5), draw=_gaps, names=names)
    told = "; ".join(f"{one.name}: {one.words}" if one.name else one.words for one in found)
    return style.describe(ax, f"Histogram of differences, {xlabel}: {told}.")


def _histograms(
    ax: Any,
    found: Sequence[_Distribution],
    words: Sequence[str],
    *,
    heights: tuple[float, float],
    draw: Callable[[Any, _Distribution], None],
    names: tuple[str, str],
) -> Any:
    """Draw each distribution into a panel of its own; return the first of them."""
    alone, each = heights
    if ax is not None or len(found) == 1:
        panels = [style.new_axes(ax, height=alone)]
    else:
        shared = {"sharex": True, "sharey": True}
        panels = style.new_panels(len(found), 1, height=0.6 + each * len(found), **shared)
    for panel, one, said in zip(panels, found, words, strict=False):
        draw(panel, one)
        name = f"{style.shortened(one.name)}: " if one.name else ""
        panel.set_title(f"{name}{said}")
    panels[-1].set_xlabel(names[0])
    panels[len(panels) // 2].set_ylabel(f"share of {names[1]}")
    return panels[0]


@style.drawing
def histogram(*data: Any, raters: Sequence[object] | None = None, ax: Any = None) -> Any:
    """Draw a histogram of marks: which share of a rater's marks is which.

    A panel for each rater, with mean, standard deviation and skewness in words. The thin line is
    the normal distribution with the same mean and spread: where bars and line differ much, tests
    that ask for normal marks are out of place. More than eight raters are put together unless they
    are named.

    Parameters
    ----------
    data : Ratings, a dataframe, an Estimate, or one sequence of marks per rater
    raters : names, optional
        Default all.
    ax : matplotlib Axes, optional
        For one histogram.

    Returns
    -------
    matplotlib Axes
        The first histogram; ``.figure.axes`` has all of them.

    References
    ----------
    .. [1] Haley, D. T., Thomas, P., Petre, M. & De Roeck, A. (2008). Using a new inter-rater
       reliability statistic. Technical report 2008/15, The Open University; Figure 1-2.

    Examples
    --------
    >>> ax = histogram([4, 4, 3, 4, 1], [4, 3, 3, 4, 0])
    >>> [one.get_title("left") for one in ax.figure.axes]
    ['0: mean 3.20, sd 1.30, skew −1.15', '1: mean 2.80, sd 1.64, skew −1.16']
    """
    found = _marks_of(data, raters)
    moments = [one.moments for one in found]
    look: dict[str, Any] = {"heights": (2.9, 1.6), "names": ("mark", "marks")}
    ax = _histograms(ax, found, moments, draw=_bars_and_line, **look)
    told = "; ".join(_in_words(one) for one in found)
    return style.describe(ax, f"Histogram of marks. {told}.")


def _in_words(one: _Distribution) -> str:
    """Return the moments of one rater's marks, and the shares where they are few."""
    name = f"{one.name}: " if one.name else ""
    n = counted(round(one.times.sum()), "mark")
    shares = ""
    if one.gap.size <= _MOST_TOLD:
        shown = zip(one.gap.tolist(), (one.times / one.times.sum()).tolist(), strict=True)
        shares = " (" + ", ".join(f"{mark:g}: {share:.0%}" for mark, share in shown) + ")"
    return f"{name}{n}, {one.moments}{shares}"


def _marks_of(data: tuple[Any, ...], raters: Sequence[object] | None) -> list[_Distribution]:
    """Return each rater's marks, or those of all raters where they are too many."""
    if len(data) == 1 and _is_one_list(data[0]):
        return [_of_values("", np.asarray(data[0], dtype=np.float64))]
    every = {str(one.rater): one for one in mark_counts(*map(_marks, data))}
    for name in raters or ():
        if str(name) not in every:
            raise InputError.unknown_word("a rater", str(name), list(every))
    chosen = list(every) if raters is None else [str(name) for name in raters]
    if raters is None and len(chosen) > _MOST_PANELS:
        marks = np.concatenate([one.marks for one in every.values()])
        times = np.concatenate([one.times for one in every.values()])
        return [_of_values("all raters", marks, times)]
    alone = len(every) == 1 and next(iter(every.values())).rater is None
    return [
        _Distribution("" if alone else name, every[name].marks, every[name].times)
        for name in chosen[:_MOST_PANELS]
    ]


def _is_one_list(data: Any) -> bool:
    """Tell whether somebody gave marks of one rater only."""
    return isinstance(data, (list, tuple, np.ndarray)) and bool(len(data)) and all(
        isinstance(one, (int, float, np.number)) for one in data
    )  # fmt: skip


def _of_values(name: str, marks: Floats, times: Floats | None = None) -> _Distribution:
    gap, place = np.unique(marks, return_inverse=True)
    n: Floats = np.asarray(np.bincount(place.ravel(), weights=times), dtype=np.float64)
    return _Distribution(name, gap, n)


def _bars_and_line(ax: Any, one: _Distribution) -> None:
    """Draw marks, and how they would lie if they were normal with the same mean and spread."""
    _bars(ax, one)
    if not one.sd > 0.0:
        return
    wide = one.step if one.gap.size <= _MOST_BARS else float(np.ptp(one.gap)) / _MOST_BINS
    ends = (min(one.gap[0], one.mean - 3 * one.sd), max(one.gap[-1], one.mean + 3 * one.sd))
    x = np.linspace(*ends, 121)
    y = wide * np.exp(-(((x - one.mean) / one.sd) ** 2) / 2.0) / (one.sd * math.sqrt(2 * math.pi))
    ax.plot(x, y, color=style.RED, linewidth=1.2, zorder=3)
    k = int(np.argmin(np.abs(x - (one.mean + 2.2 * one.sd))))
    style.beside(ax, "normal", (x[k], y[k]), (3, 3))


def _distributions(
    data: tuple[Any, ...], pair: Sequence[object] | None
) -> tuple[list[_Distribution], str, str]:
    """Return the distributions, what a difference is, and what is counted."""
    if len(data) == 1 and isinstance(data[0], PanelResult):
        every = [(str(one.system), _added(one.differences)) for one in data[0].systems]
        found = [_of_counts(name, counts) for name, counts in every if counts]
        if not found:
            raise UnsupportedDesignError.needs(
                "A figure of differences", "marks that are numbers", "labels", "use plot.panel"
            )
        return found[:_MOST_PANELS], "system minus person, in points", "pairs of marks"
    if len(data) == 1 and isinstance(data[0], Differences):
        return [_of_counts("", data[0].counts)], "difference, in points", "items"
    marks = paired("bland_altman", tuple(map(_marks, data)), pair)
    first, second = (style.shortened(name) for name in marks.raters)
    found = [_of_values("", marks.differences, marks.weight)]
    return found, f"{first} minus {second}", "items"


def _of_counts(name: str, counts: Mapping[float, float]) -> _Distribution:
    ordered = sorted(counts.items())
    gap, times = (np.array(column, dtype=np.float64) for column in zip(*ordered, strict=True))
    return _Distribution(name, gap, times)


def _added(by_person: Mapping[Any, Any]) -> dict[float, float]:
    """Add up the differences from each person."""
    total: dict[float, float] = {}
    for one in by_person.values():
        if one is not None:
            for gap, n in one.counts.items():
                total[gap] = total.get(gap, 0.0) + n
    return total


def _bars(ax: Any, one: _Distribution) -> None:
    """Draw a bar for each number, or for each stretch where they are too many."""
    share = one.times / one.times.sum()
    if one.gap.size <= _MOST_BARS:
        ax.bar(one.gap, share, width=0.9 * one.step, color=style.BLUE)
    else:
        edges = np.linspace(one.gap[0], one.gap[-1], _MOST_BINS + 1)
        ax.hist(one.gap, bins=edges, weights=share, color=style.BLUE, rwidth=0.94)
    if np.all(one.gap == np.rint(one.gap)):
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.yaxis.set_major_formatter(lambda y, _: f"{y:.0%}")
    ax.grid(axis="y")
    ax.set_axisbelow(True)


def _gaps(ax: Any, one: _Distribution) -> None:
    """Draw differences, with a line at 0 and one at their mean."""
    _bars(ax, one)
    ax.axvline(0.0, color=style.FAINT, linewidth=0.8)
    ax.axvline(one.mean, color=style.INK, linewidth=1.1, linestyle="--")
