"""Curves with a band: agreement against a tolerance, over batches or over time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from consilience.coefficients import Estimate, estimate, registry
from consilience.core.words import percent
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.plot._figure_data import ratings_in
from consilience.plot._forest import row_of
from consilience.plot.interval_rows import in_words, interval_columns
from consilience.plot.style import BLUE, describe, drawing, new_axes, styled


@drawing
def curve(
    x: Sequence[float],
    estimates: Sequence[Estimate],
    *,
    confidence_level: float = 0.95,
    xlabel: str = "",
    ax: Any = None,
) -> Any:
    """Draw estimates against numbers, with the band of their intervals.

    Parameters
    ----------
    x : numbers
    estimates : one for each number
    confidence_level : float, default 0.95
    xlabel : what the numbers are
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import datasets, scott_pi
    >>> found = scott_pi(datasets.load("cohen_1960"))
    >>> curve([1, 2], [found, found]).get_ylabel()
    "Scott's pi with 95% interval"
    """
    if len(x) != len(estimates):
        raise InputError.expected(
            "x", f"one number per estimate ({len(estimates)})", len(x), "pair them"
        )
    intervals = [one.confidence_interval(confidence_level) for one in estimates]
    value = np.array([one.value for one in estimates])
    low = np.array([i.low if math.isfinite(i.low) else math.nan for i in intervals])
    high = np.array([i.high if math.isfinite(i.high) else math.nan for i in intervals])
    with styled():
        ax = new_axes(ax)
        ax.fill_between(x, low, high, color=BLUE, alpha=0.18, linewidth=0)
        ax.plot(x, value, "-o", color=BLUE, markersize=3.5, linewidth=1.5)
        ax.set_xlabel(xlabel)
        ax.set_ylabel(f"{estimates[0].name} with {percent(confidence_level)} interval")
        ax.grid(axis="y")
    rows = [row_of(f"{one:g}", e, confidence_level) for one, e in zip(x, estimates, strict=True)]
    return describe(ax, in_words(f"{estimates[0].name} against {xlabel or 'x'}", rows))


@drawing
def tolerance(
    data: Any,
    *,
    coefficient: str = "cohen_kappa",
    tolerances: Sequence[float] | None = None,
    ax: Any = None,
) -> Any:
    """Draw a coefficient against how far two numbers may differ and still count as agreement.

    Parameters
    ----------
    data : Ratings, a dataframe, or an Estimate
    coefficient : name or alias
    tolerances : numbers, default from 0 to half the range in steps of the marks
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import datasets
    >>> ax = tolerance(datasets.load("shrout_fleiss_1979"))
    >>> ax.get_xlabel()
    'numbers this far apart count as agreement'
    """
    ratings = ratings_in(data)
    numbers = ratings.numbers
    if numbers is None:
        raise UnsupportedDesignError.needs(
            "A tolerance", "labels that are numbers", f"{ratings.categories[:3]}", "use curve"
        )
    if tolerances is None:
        steps = np.diff(np.unique(numbers))
        half = float(np.ptp(numbers)) / 2.0
        tolerances = np.arange(0.0, half + 1e-9, steps.min() if steps.size else 1.0)[:25].tolist()
    found = [
        estimate(
            registry[coefficient], (ratings,), distance=_within(float(t)), on_undefined="ignore"
        )
        for t in tolerances
    ]
    return curve(list(tolerances), found, xlabel="numbers this far apart count as agreement", ax=ax)


def _within(tolerated: float) -> Callable[[Any, Any], float]:
    def differ(a: Any, b: Any) -> float:
        return float(abs(float(a) - float(b)) > tolerated + 1e-12)

    return differ


@drawing
def batches(
    groups: Mapping[Any, Any],
    *,
    coefficient: str = "krippendorff_alpha",
    confidence_level: float = 0.95,
    ax: Any = None,
) -> Any:
    """Draw a coefficient over batches, rounds or days, in the order given.

    Parameters
    ----------
    groups : dict of Ratings, of dataframes or of Estimates
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
    >>> week = Ratings.from_table([[20, 5], [5, 20]])
    >>> ax = batches({"first": week, "second": week})
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['first', 'second']
    """
    if not groups:
        raise InputError.expected("groups", "at least one batch", groups, "check the data")
    found = [_measured(part, coefficient) for part in groups.values()]
    rows = [row_of(name, one, confidence_level) for name, one in zip(groups, found, strict=True)]
    name = found[0].name
    ax = interval_columns(ax, rows, f"{name} with {percent(confidence_level)} interval")
    return describe(ax, in_words(f"{name} in each batch", [one for one in rows if one.is_known]))


def _measured(part: Any, coefficient: str) -> Estimate:
    if isinstance(part, Estimate):
        return part
    return estimate(registry[coefficient], (ratings_in(part),), on_undefined="ignore")
