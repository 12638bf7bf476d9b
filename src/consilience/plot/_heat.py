"""Heat maps with the number in each cell: which labels meet, which raters agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import Pairwise, pairwise
from consilience.exceptions import UnsupportedDesignError
from consilience.findings import Study
from consilience.plot.style import SEQUENTIAL, new_axes, shortened, styled, told_apart
from consilience.ratings import Ratings

_MOST_NUMBERED = 16  # cells are too small for numbers beyond this
_MOST = 60


def confusion(
    ratings: Ratings, *, pair: tuple[object, object] | None = None, ax: Any = None
) -> Any:
    """Draw how often each label met each other label on an item.

    For two raters, or a `pair`, it is their cross-table; for more, Krippendorff's coincidences:
    every pair of ratings on an item, so that an item counts as often as it has ratings. Shades
    are shares of the row.

    Examples
    --------
    >>> from consilience import datasets
    >>> ax = confusion(datasets.load("cohen_1960"))
    >>> len(ax.texts)
    9
    """
    study = Study(ratings)
    if not study.has_categories:
        raise UnsupportedDesignError.needs(
            "A confusion map",
            "at least two and at most fifty categories",
            f"{len(ratings.categories)}",
            "merge labels first, or plot numbers with item_agreement",
        )
    chosen = pair or (ratings.raters if len(ratings.raters) == 2 else None)
    if chosen is not None:
        cells = ratings.table(*chosen).astype(np.float64)
        down, across = (str(rater) for rater in chosen)
    else:
        cells, down, across = study.coincidences, "one rating", "another rating of the same item"
    share = cells / np.maximum(cells.sum(axis=1, keepdims=True), 1e-300)
    texts = [
        [f"{cell:,.0f}" if cell >= 0.5 or cell == 0 else "<1" for cell in row] for row in cells
    ]
    ax = heat_map(share, texts, ratings.categories, ratings.categories, ax=ax, high=1.0)
    with styled():
        ax.set_ylabel(shortened(down, 40))
        ax.set_xlabel(shortened(across, 40))
    return ax


def raters(
    ratings: Ratings | Pairwise, *, coefficient: str = "krippendorff_alpha", ax: Any = None
) -> Any:
    """Draw a coefficient for every pair of raters.

    Examples
    --------
    >>> from consilience import datasets
    >>> ax = raters(datasets.load("shrout_fleiss_1979"), coefficient="percent_agreement")
    >>> len(ax.get_xticklabels())
    4
    """
    pairs = ratings if isinstance(ratings, Pairwise) else pairwise(ratings, coefficient=coefficient)
    matrix = pairs.matrix.copy()
    np.fill_diagonal(matrix, np.nan)
    texts = [["" if np.isnan(x) else f"{x:.2f}" for x in row] for row in matrix]
    low = min(0.0, float(np.nanmin(matrix))) if np.isfinite(matrix).any() else 0.0
    return heat_map(matrix, texts, pairs.raters, pairs.raters, ax=ax, low=low, high=1.0)


def heat_map(
    values: NDArray[np.float64],
    texts: Sequence[Sequence[str]],
    rows: Sequence[object],
    columns: Sequence[object],
    *,
    low: float = 0.0,
    high: float = 1.0,
    ax: Any = None,
) -> Any:
    """Draw a matrix; the number stands in each cell while there is room."""
    if len(rows) > _MOST or len(columns) > _MOST:
        raise UnsupportedDesignError.needs(
            "A heat map", f"at most {_MOST} rows and columns", f"{len(rows)}", "select some first"
        )
    with styled():
        side = 1.4 + 0.46 * len(columns)
        ax = new_axes(ax, width=max(3.2, side + 0.8), height=max(2.4, 1.0 + 0.4 * len(rows)))
        image = ax.imshow(values, cmap=SEQUENTIAL, vmin=low, vmax=high, aspect="auto")
        ax.set_xticks(range(len(columns)), told_apart(columns, 14), rotation=45,
                      ha="right", rotation_mode="anchor")  # fmt: skip
        ax.set_yticks(range(len(rows)), told_apart(rows, 18))
        ax.tick_params(length=0)
        for spine in ax.spines.values():
            spine.set_visible(False)
        if len(columns) <= _MOST_NUMBERED:
            _write_cells(ax, image, values, texts)
        else:
            bar = ax.figure.colorbar(image, ax=ax, shrink=0.6)
            bar.outline.set_visible(False)
    return ax


def _write_cells(
    ax: Any, image: Any, values: NDArray[np.float64], texts: Sequence[Sequence[str]]
) -> None:
    """Write black or white, whichever can be read on the shade."""
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            if not text:
                continue
            red, green, blue, _ = image.cmap(image.norm(values[i, j]))
            light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
            ax.text(j, i, text, ha="center", va="center", fontsize=9,
                    color="black" if light else "white")  # fmt: skip
