"""The whole distribution of differences: between two raters, or between systems and people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.frames import is_table
from consilience.exceptions import UnsupportedDesignError
from consilience.magnitudes.paired import paired
from consilience.panel import Differences, PanelResult
from consilience.plot._figure_data import ratings_in
from consilience.plot.style import (
    BLUE,
    FAINT,
    INK,
    describe,
    drawing,
    minus,
    new_axes,
    new_panels,
    shortened,
    styled,
)

_MOST_BARS = 41  # one for each difference; beyond that, differences are put together
_MOST_PANELS = 8


@dataclass(frozen=True)
class _Distribution:
    """How often which difference occurs."""

    name: str
    gap: Floats
    times: Floats

    @property
    def mean(self) -> float:
        return float(self.gap @ self.times / self.times.sum())

    @property
    def skewness(self) -> float:
        """Third moment over the cube of the standard deviation: below 0, the tail is left."""
        weight, off = self.times / self.times.sum(), self.gap - self.mean
        spread = float(off**2 @ weight)
        return float(off**3 @ weight) / spread**1.5 if spread > 0.0 else math.nan

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
    found, xlabel, counted = _distributions(data, pair)
    with styled():
        if ax is not None or len(found) == 1:
            panels = [new_axes(ax, height=2.7)]
        else:
            panels = new_panels(
                len(found), 1, height=0.6 + 1.5 * len(found), sharex=True, sharey=True
            )
        for panel, one in zip(panels, found, strict=False):
            _histogram(panel, one)
            name = f"{shortened(one.name)}: " if one.name else ""
            panel.set_title(f"{name}{one.words}")
        panels[-1].set_xlabel(xlabel)
        panels[len(panels) // 2].set_ylabel(f"share of {counted}")
    told = "; ".join(f"{one.name}: {one.words}" if one.name else one.words for one in found)
    return describe(panels[0], f"Histogram of differences, {xlabel}: {told}.")


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


def _histogram(ax: Any, one: _Distribution) -> None:
    """Draw a bar for each difference, or for each stretch where they are too many."""
    share = one.times / one.times.sum()
    if one.gap.size <= _MOST_BARS:
        step = float(np.diff(one.gap).min()) if one.gap.size > 1 else 1.0
        ax.bar(one.gap, share, width=0.9 * step, color=BLUE)
    else:
        edges = np.linspace(one.gap[0], one.gap[-1], _MOST_BARS // 2)
        ax.hist(one.gap, bins=edges, weights=share, color=BLUE, rwidth=0.94)
    if np.all(one.gap == np.rint(one.gap)):
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.axvline(0.0, color=FAINT, linewidth=0.8)
    ax.axvline(one.mean, color=INK, linewidth=1.1, linestyle="--")
    ax.yaxis.set_major_formatter(lambda y, _: f"{y:.0%}")
    ax.grid(axis="y")
    ax.set_axisbelow(True)
