"""Figures of latent models: how raters err, how sure the labels are, how accurate each rater is."""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.exceptions import UnsupportedDesignError
from consilience.latent import DawidSkene, Truth
from consilience.plot._heat import heat_map
from consilience.plot.style import BLUE, new_axes, shortened, styled

_MOST_RATERS = 40
_BINS = 20


def error_matrix(model: DawidSkene, *, rater: object = None, ax: Any = None) -> Any:
    """Draw which label raters give for each true label: of one rater, or of all together.

    Examples
    --------
    >>> from consilience import Ratings, latent
    >>> r = Ratings.from_wide([["a", "a", "b"], ["b", "b", "b"], ["a", "a", "a"]] * 9)
    >>> error_matrix(latent.dawid_skene(r)).get_ylabel()
    'true label'
    """
    rates = np.asarray(model.error_rates, dtype=np.float64)
    if rater is None:
        weights = np.array([one.n_ratings for one in model.raters], dtype=np.float64)
        shown = np.average(np.nan_to_num(rates), axis=0, weights=np.maximum(weights, 1e-9))
    else:
        shown = np.asarray(model.error_matrix(rater), dtype=np.float64)
    texts = [[f"{x:.2f}" for x in row] for row in shown]
    ax = heat_map(shown, texts, model.categories, model.categories, ax=ax)
    with styled():
        ax.set_ylabel("true label")
        ax.set_xlabel("label given" if rater is None else f"label given by {shortened(rater)}")
    return ax


def certainty(model: Truth, *, ax: Any = None) -> Any:
    """Draw how many items have a label that is how sure.

    Examples
    --------
    >>> from consilience import Ratings, latent
    >>> r = Ratings.from_wide([["a", "a", "b"], ["b", "b", "b"], ["a", "a", "a"]] * 9)
    >>> certainty(latent.dawid_skene(r)).get_xlabel()
    'probability of the suggested label'
    """
    sure = np.asarray(model.probability, dtype=np.float64)
    sure = sure[np.isfinite(sure)]
    if not sure.size:
        raise UnsupportedDesignError.needs(
            "A figure of certainty", "items with ratings", "none", "check the data"
        )
    with styled():
        ax = new_axes(ax, height=2.6)
        ax.hist(sure, bins=_BINS, range=(min(0.5, float(sure.min())), 1.0), color=BLUE, rwidth=0.92)
        ax.set_xlabel("probability of the suggested label")
        ax.set_ylabel("items")
        ax.grid(axis="y")
        ax.set_axisbelow(True)
    return ax


def accuracy(model: Truth, *, ax: Any = None) -> Any:
    """Draw how often each rater is right, with intervals, the least accurate at the top.

    Examples
    --------
    >>> from consilience import Ratings, latent
    >>> r = Ratings.from_wide([["a", "a", "b"], ["b", "b", "b"], ["a", "a", "a"]] * 9)
    >>> len(accuracy(latent.dawid_skene(r)).get_yticklabels())
    3
    """
    found = [one for one in model.raters if np.isfinite(one.accuracy)]
    raters = sorted(found, key=lambda one: one.accuracy)[:_MOST_RATERS]
    with styled():
        ax = new_axes(ax, height=0.9 + 0.3 * max(1, len(raters)))
        for place, one in enumerate(raters):
            if np.isfinite(one.low) and np.isfinite(one.high):
                ax.plot([one.low, one.high], [place, place], color=BLUE, linewidth=2)
            ax.plot(one.accuracy, place, "o", color=BLUE)
        ax.set_yticks(range(len(raters)), [shortened(one.rater) for one in raters])
        ax.set_ylim(max(1, len(raters)) - 0.5, -0.5)
        ax.set_xlim(0.0, 1.02)
        ax.set_xlabel("share of right labels, with interval")
        ax.grid(axis="x")
    return ax
