"""Whole distributions: of marks, and of differences between raters, or systems and people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.coefficients import Estimate
from consilience.core.arrays import Floats
from consilience.core.frames import is_table
from consilience.core.words import counted
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.magnitudes import mark_counts
from consilience.magnitudes.paired import paired
from consilience.panel import Differences, PanelResult
from consilience.plot._figure_data import ratings_in
from consilience.plot.style import (
    BLUE,
    FAINT,
    INK,
    RED,
    describe,
    drawing,
    minus,
    new_axes,
    new_panels,
    shortened,
    styled,
)

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
        return minus(", ".join(parts))  # fmt: skip

    @property
    def words(self) -> str:
        """Mean and skewness."""
        skew = f", skew {self.skewness:+.2f}" if math.isfinite(self.skewness) else ""
        same = float(self.times[self.gap == 0.0].sum() / self.times.sum())
        return minus(f"mean {self.mean:+.2f}{skew}, {same:.0%} identical")


@drawing
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
    with styled():
        if ax is not None or len(found) == 1:
            panels = [new_axes(ax, height=2.7)]
        else:
            panels = new_panels(
                len(found), 1, height=0.6 + 1.5 * len(found), sharex=True, sharey=True
            )
        for panel, one in zip(panels, found, strict=False):
            _gaps(panel, one)
            name = f"{shortened(one.name)}: " if one.name else ""
            panel.set_title(f"{name}{one.words}")
        panels[-1].set_xlabel(xlabel)
        panels[len(panels) // 2].set_ylabel(f"share of {what}")
    told = "; ".join(f"{one.name}: {one.words}" if one.name else one.words for one in found)
    return describe(panels[0], f"Histogram of differences, {xlabel}: {told}.")


@drawing
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
    ['0: mean 3.20, sd 1.30, skew −1.12', '1: mean 2.80, sd 1.64, skew −1.03']
    """
    found = _marks_of(data, raters)
    with styled():
        if ax is not None or len(found) == 1:
            panels = [new_axes(ax, height=2.9)]
        else:
            panels = new_panels(
                len(found), 1, height=0.6 + 1.6 * len(found), sharex=True, sharey=True
            )
        for panel, one in zip(panels, found, strict=False):
            _bars(panel, one)
            _normal_line(panel, one)
            name = f"{shortened(one.name)}: " if one.name else ""
            panel.set_title(f"{name}{one.moments}")
        panels[-1].set_xlabel("mark")
        panels[len(panels) // 2].set_ylabel("share of marks")
    told = "; ".join(_in_words(one) for one in found)
    return describe(panels[0], f"Histogram of marks. {told}.")


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
    given = tuple(
        ratings_in(one) if isinstance(one, Estimate) or is_table(one) else one for one in data
    )
    every = {str(one.rater): one for one in mark_counts(*given)}
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
    weights = None if times is None else times
    n: Floats = np.asarray(np.bincount(place.ravel(), weights=weights), dtype=np.float64)
    return _Distribution(name, gap, n)


def _normal_line(ax: Any, one: _Distribution) -> None:
    """Draw how marks would lie that are normal, with the same mean and spread."""
    if not one.sd > 0.0:
        return
    wide = one.step if one.gap.size <= _MOST_BARS else float(np.ptp(one.gap)) / _MOST_BINS
    ends = (min(one.gap[0], one.mean - 3 * one.sd), max(one.gap[-1], one.mean + 3 * one.sd))
    x = np.linspace(*ends, 121)
    y = wide * np.exp(-(((x - one.mean) / one.sd) ** 2) / 2.0) / (one.sd * math.sqrt(2 * math.pi))
    ax.plot(x, y, color=RED, linewidth=1.2, zorder=3)
    k = int(np.argmin(np.abs(x - (one.mean + 2.2 * one.sd))))
    ax.annotate("normal", (x[k], y[k]), xytext=(3, 3), textcoords="offset points", fontsize=9)


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
    given = tuple(ratings_in(one) if is_table(one) else one for one in data)
    marks = paired("bland_altman", given, pair)
    first, second = (shortened(name) for name in marks.raters)
    gap, place = np.unique(marks.differences, return_inverse=True)
    times: Floats = np.asarray(np.bincount(place.ravel(), weights=marks.weight), dtype=np.float64)
    one = _Distribution("", gap, times)
    return [one], f"{first} minus {second}", "items"


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
        ax.bar(one.gap, share, width=0.9 * one.step, color=BLUE)
    else:
        edges = np.linspace(one.gap[0], one.gap[-1], _MOST_BINS + 1)
        ax.hist(one.gap, bins=edges, weights=share, color=BLUE, rwidth=0.94)
    if np.all(one.gap == np.rint(one.gap)):
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.yaxis.set_major_formatter(lambda y, _: f"{y:.0%}")
    ax.grid(axis="y")
    ax.set_axisbelow(True)


def _gaps(ax: Any, one: _Distribution) -> None:
    """Draw differences, with a line at 0 and one at their mean."""
    _bars(ax, one)
    ax.axvline(0.0, color=FAINT, linewidth=0.8)
    ax.axvline(one.mean, color=INK, linewidth=1.1, linestyle="--")
