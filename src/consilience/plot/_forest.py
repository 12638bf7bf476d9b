"""Coefficients with their intervals, one below the other."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from consilience.coefficients import Estimate
from consilience.exceptions import UnsupportedDesignError
from consilience.plot.style import BLUE, FAINT, new_axes, shortened, styled

THRESHOLDS = (0.667, 0.8)


def forest(
    estimates: Iterable[Estimate],
    *,
    confidence_level: float = 0.95,
    thresholds: Iterable[float] = (),
    names: Iterable[str] | None = None,
    ax: Any = None,
) -> Any:
    """Draw each coefficient as a dot on its interval.

    Parameters
    ----------
    estimates : estimates, or a Summary
    confidence_level : float
    thresholds : values that are quoted, drawn as lines
    names : what to call the rows, default the coefficients' names
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> ax = forest(measure(datasets.load("fleiss_1971")))
    >>> [text.get_text() for text in ax.get_yticklabels()][:2]
    ['Percent agreement', "Krippendorff's alpha"]
    """
    every = list(estimates)
    called = list(names) if names is not None else [one.name for one in every]
    rows = [(name, e) for name, e in zip(called, every, strict=True) if e.status == "ok"]
    if not rows:
        raise UnsupportedDesignError.needs(
            "A forest plot", "at least one coefficient that is defined", "none", "check the data"
        )
    with styled():
        ax = new_axes(ax, height=0.9 + 0.34 * len(rows))
        lowest = 0.0
        for place, (_, one) in enumerate(rows):
            interval = one.confidence_interval(confidence_level)
            if math.isfinite(interval.low):
                ax.plot([interval.low, interval.high], [place, place], color=BLUE, linewidth=2)
                lowest = min(lowest, interval.low)
            ax.plot(one.value, place, "o", color=BLUE, markersize=6)
            lowest = min(lowest, one.value)
        for threshold in thresholds:
            ax.axvline(threshold, color=FAINT, linewidth=0.8, linestyle="--")
        if lowest < 0:
            ax.axvline(0.0, color=FAINT, linewidth=0.8)
        ax.set_yticks(range(len(rows)), [shortened(name, 34) for name, _ in rows])
        ax.set_ylim(len(rows) - 0.5, -0.5)
        ax.set_xlim(min(0.0, lowest) - 0.02, 1.02)
        ax.set_xlabel(f"value with {100 * confidence_level:g}% interval")
        ax.grid(axis="x")
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
    return ax
