"""Figures of latent models: how raters err, how sure the labels are, how accurate each rater is."""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.exceptions import UnsupportedDesignError
from consilience.plot._figure_data import truth_in
from consilience.plot._heat import heat_map
from consilience.plot.interval_rows import Row, in_words, interval_rows, row_axes
from consilience.plot.style import BLUE, describe, drawing, new_axes, shortened, styled

_MOST_RATERS = 40
_STEPS = 10
_TOLD = 12


@drawing
def error_matrix(data: Any, *, rater: object = None, ax: Any = None) -> Any:
    """Draw which label raters give for each true label: of one rater, or of all together.

    Parameters
    ----------
    data : DawidSkene, or Ratings or a dataframe to fit it to
    rater : optional
        Default all raters, each weighted by the number of ratings.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import Ratings, latent
    >>> r = Ratings.from_wide([["a", "a", "b"], ["b", "b", "b"], ["a", "a", "a"]] * 9)
    >>> error_matrix(latent.dawid_skene(r)).get_ylabel()
    'true label'
    """
    model = truth_in(data)
    if not hasattr(model, "error_rates"):
        raise UnsupportedDesignError.needs(
            "A matrix of errors", "a model with error rates for each label",
            type(model).__name__, "draw consilience.latent.dawid_skene(ratings)",
        )  # fmt: skip
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
    told = "; ".join(
        f"{label}: " + ", ".join(
            f"{given} {x:.2f}" for given, x in zip(model.categories, row, strict=True)
        )
        for label, row in list(zip(model.categories, shown, strict=True))[:_TOLD]
    )  # fmt: skip
    return describe(ax, f"Labels given for each true label. {told}.")


@drawing
def certainty(data: Any, *, ax: Any = None) -> Any:
    """Draw how sure the model is of each item's label: how many items at which probability.

    Parameters
    ----------
    data : a model of the true labels, or Ratings or a dataframe to fit Dawid and Skene's to
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import Ratings, latent
    >>> r = Ratings.from_wide([["a", "a", "b"], ["b", "b", "b"], ["a", "a", "a"]] * 9)
    >>> certainty(latent.dawid_skene(r)).get_xlabel()
    'probability of the suggested label'
    """
    sure = np.asarray(truth_in(data).probability, dtype=np.float64)
    sure = sure[np.isfinite(sure)]
    if not sure.size:
        raise UnsupportedDesignError.needs(
            "A figure of certainty", "items with ratings", "none", "check the data"
        )
    low = min(0.5, np.floor(_STEPS * float(sure.min())) / _STEPS)
    edges = np.linspace(low, 1.0, round((1.0 - low) * 2 * _STEPS) + 1)
    items, _ = np.histogram(sure, bins=edges)
    with styled():
        ax = new_axes(ax, height=2.6)
        ax.bar(edges[:-1], items, width=0.92 * np.diff(edges), align="edge", color=BLUE)
        ax.set_xlabel("probability of the suggested label")
        ax.set_ylabel("items")
        ax.yaxis.get_major_locator().set_params(integer=True)
        ax.grid(axis="y")
        ax.set_axisbelow(True)
    unsure = int((sure < 0.9).sum())
    said = f"{unsure:,} of {sure.size:,} items have a label that is less than 90% sure"
    return describe(ax, f"{said}; the least sure label has probability {sure.min():.2f}.")


@drawing
def accuracy(data: Any, *, ax: Any = None) -> Any:
    """Draw how often each rater is right, with intervals, the least accurate at the top.

    Parameters
    ----------
    data : a model of the true labels, or Ratings or a dataframe to fit Dawid and Skene's to
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import Ratings, latent
    >>> r = Ratings.from_wide([["a", "a", "b"], ["b", "b", "b"], ["a", "a", "a"]] * 9)
    >>> len(accuracy(latent.dawid_skene(r)).get_yticklabels())
    3
    """
    found = [one for one in truth_in(data).raters if np.isfinite(one.accuracy)]
    rows = [
        Row(name=one.rater, value=one.accuracy, low=one.low, high=one.high)
        for one in sorted(found, key=lambda one: one.accuracy)[:_MOST_RATERS]
    ]
    ax = interval_rows(row_axes(ax, len(rows)), rows)
    with styled():
        ax.set_xlim(min([0.0 if one.value < 0.4 else 0.4 for one in rows] or [0.0]), 1.01)
        ax.set_xlabel("share of right labels, with interval")
    return describe(ax, in_words("Share of right labels, the lowest first", rows))
