"""A sampling distribution as a picture."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.exceptions import MissingDependencyError, UnsupportedDesignError

if TYPE_CHECKING:
    from consilience.simulate.sampling import SamplingDistribution


def draw(found: SamplingDistribution) -> Any:
    """Return a histogram with the normal curve, the mean and the true value."""
    try:
        figure = import_module("matplotlib.figure")
    except ImportError:
        raise MissingDependencyError.for_extra("A figure", "matplotlib") from None
    values = found.values[np.isfinite(found.values)]
    if not values.size:
        raise UnsupportedDesignError.needs(
            "A figure", "at least one study in which the coefficient is defined", "none", str(found)
        )
    picture = figure.Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = picture.add_subplot()
    bins = min(60, max(10, round(values.size**0.5)))
    axes.hist(values, bins=bins, density=True, color="0.85", edgecolor="0.6", linewidth=0.5)
    spread = found.standard_deviation
    if spread > 0.0:
        x = np.linspace(values.min() - spread / 2.0, values.max() + spread / 2.0, 400)
        height = np.exp(-0.5 * ((x - found.mean) / spread) ** 2) / (spread * np.sqrt(2.0 * np.pi))
        axes.plot(x, height, color="0.2", linewidth=1.2, label="normal curve")
    axes.axvline(found.mean, color="0.2", linestyle="--", linewidth=1.0, label="mean")
    axes.axvline(found.true_value, color="C3", linewidth=1.2, label="large-sample value")
    axes.set_xlabel(found.name)
    axes.set_ylabel("density")
    axes.set_title(
        f"{found.n_resamples:,} simulated studies of {found.design.n_items:,} items × "
        f"{found.design.n_raters:,} raters",
        fontsize="medium",
    )
    axes.legend(frameon=False, fontsize="small")
    return picture
