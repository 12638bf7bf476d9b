"""Curves with a band: agreement against a tolerance, over batches or over time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from consilience.coefficients import Estimate, estimate, registry
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.plot.style import BLUE, new_axes, shortened, styled
from consilience.ratings import Ratings


def curve(
    x: Sequence[float],
    estimates: Sequence[Estimate],
    *,
    confidence_level: float = 0.95,
    xlabel: str = "",
    ax: Any = None,
) -> Any:
    """Draw estimates against numbers, with the band of their intervals."""
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
        ax.set_ylabel(f"{estimates[0].name} with {100 * confidence_level:g}% interval")
        ax.grid(axis="y")
    return ax


def tolerance(
    ratings: Ratings,
    *,
    coefficient: str = "cohen_kappa",
    tolerances: Sequence[float] | None = None,
    ax: Any = None,
) -> Any:
    """Draw a coefficient against how far two numbers may differ and still count as agreement.

    Examples
    --------
    >>> from consilience import datasets
    >>> ax = tolerance(datasets.load("shrout_fleiss_1979"))
    >>> ax.get_xlabel()
    'numbers this far apart count as agreement'
    """
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


def batches(
    groups: Mapping[Any, Ratings],
    *,
    coefficient: str = "krippendorff_alpha",
    confidence_level: float = 0.95,
    ax: Any = None,
) -> Any:
    """Draw a coefficient over batches, rounds or days, in the order given.

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
    found = [
        estimate(registry[coefficient], (part,), on_undefined="ignore") for part in groups.values()
    ]
    with styled():
        ax = new_axes(ax)
        for place, one in enumerate(found):
            if one.status != "ok":
                continue
            interval = one.confidence_interval(confidence_level)
            ax.plot([place, place], [interval.low, interval.high], color=BLUE, linewidth=2)
            ax.plot(place, one.value, "o", color=BLUE)
        values = [one.value for one in found]
        ax.plot(range(len(found)), values, color=BLUE, linewidth=0.8, alpha=0.6)
        ax.set_xticks(range(len(found)), [shortened(name, 14) for name in groups])
        ax.set_ylabel(f"{found[0].name} with {100 * confidence_level:g}% interval")
        ax.set_xlim(-0.5, len(found) - 0.5)
        ax.grid(axis="y")
    return ax
