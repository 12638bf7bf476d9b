"""Heat maps with the number in each cell: labels that meet, raters that agree, errors of raters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import pairwise
from consilience.coefficients.pairs_of_raters import Pairwise
from consilience.core.arrays import Floats
from consilience.core.words import counted, label_text
from consilience.exceptions import UnsupportedDesignError
from consilience.findings import Study
from consilience.plot import style
from consilience.plot.rows import Row, in_words, interval_rows, ratings_in, row_axes, truth_in
from consilience.ratings import Ratings

# ---- Heat maps with the number in each cell: which labels meet, which raters agree

_MOST_NUMBERED = 16  # cells are too small for numbers beyond this
_MOST_ON_A_PHONE = 7
_MOST = 60
FEWEST_ITEMS = 5  # a coefficient of fewer items says nothing, and is not shown
_TOLD = 12  # cells in words


@style.drawing
def confusion(data: Any, *, pair: tuple[object, object] | None = None, ax: Any = None) -> Any:
    """Draw which labels met on the same items.

    For two raters, or a `pair`, it is their cross-table: cells count items, and shades are shares
    of the row. For more raters, cells are Krippendorff's coincidences of two labels, which add up
    to the number of ratings; half a matrix holds all of them, and shades are shares of the ratings
    with either label. Labels without an order stand by how common they are.

    Parameters
    ----------
    data : Ratings, a dataframe, or an Estimate
    pair : names of two raters, optional
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import datasets
    >>> ax = confusion(datasets.load("cohen_1960"))
    >>> len(ax.texts)
    9
    """
    ratings = ratings_in(data)
    study = Study(ratings)
    if not study.has_categories:
        raise UnsupportedDesignError.needs(
            "A confusion map",
            "at least two and at most fifty categories",
            f"{len(ratings.categories)}",
            "merge labels first, or plot numbers with plot.marks",
        )
    chosen = pair or (ratings.raters if len(ratings.raters) == 2 else None)
    order = _label_order(ratings, study)
    labels = [label_text(ratings.categories[k]) for k in order]
    if chosen is not None:
        cells = ratings.table(*chosen).astype(np.float64)[np.ix_(order, order)]
        share = cells / np.maximum(cells.sum(axis=1, keepdims=True), 1e-300)
        down, across = (f"label by {style.shortened(rater)}" for rater in chosen)
        said = f"{counted(int(cells.sum()), 'item')} by the labels of both raters"
    else:
        cells, share = _halved(study.coincidences[np.ix_(order, order)])
        down, across = "", "labels of the same item"
        said = f"{np.nansum(cells):,.0f} ratings by the labels they met"
    ax = heat_map(share, _counts(cells), labels, labels, ax=ax, high=1.0)
    ax.set(ylabel=down, xlabel=across)
    return style.describe(ax, f"{said}: {_largest(cells, labels)}.")


def _label_order(ratings: Ratings, study: Study) -> NDArray[np.intp]:
    """Return the labels as they are ordered or were declared, else the most common first."""
    if ratings.ordered or ratings.categories_declared or ratings.scale != "nominal":
        return np.arange(len(ratings.categories))
    return np.argsort(-np.round(study.used, 9), kind="stable")


def _halved(cells: Floats) -> tuple[Floats, Floats]:
    """Return one half of a symmetric table with all it counts, and shares of either label."""
    used = cells.sum(axis=1)
    whole = cells + cells.T - np.diag(np.diag(cells))
    share = 2.0 * cells / np.maximum(used[:, None] + used[None, :], 1e-300)
    above = np.triu_indices(len(cells), 1)
    whole[above] = share[above] = np.nan
    return whole, share


def _counts(cells: Floats) -> list[list[str]]:
    def text(cell: float) -> str:
        if np.isnan(cell):
            return ""
        return f"{cell:,.0f}" if cell >= 0.5 or cell == 0 else "<1"

    return [[text(cell) for cell in row] for row in cells]


def _largest(cells: Floats, labels: Sequence[str]) -> str:
    """Name the largest cells, those of different labels with both."""
    flat = [(x, i, j) for (i, j), x in np.ndenumerate(cells) if np.isfinite(x) and x > 0]
    told = [
        f"{labels[i]} {x:,.0f}" if i == j else f"{labels[i]} with {labels[j]} {x:,.0f}"
        for x, i, j in sorted(flat, key=lambda one: -round(one[0], 9))[:_TOLD]  # ties by label
    ]
    return "; ".join(told) + ("; and others" if len(flat) > _TOLD else "")


@style.drawing
def raters(data: Any, *, coefficient: str = "krippendorff_alpha", ax: Any = None) -> Any:
    """Draw a coefficient for every pair of raters, with the number of items that both rated.

    Raters who agree most with the others come first. Blue is above 0, red below; pairs with fewer
    than five items in common stay empty.

    Parameters
    ----------
    data : Ratings, a dataframe, an Estimate, or the result of `pairwise`
    coefficient : name or alias
        For data.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import datasets
    >>> ax = raters(datasets.load("shrout_fleiss_1979"), coefficient="percent_agreement")
    >>> len(ax.get_xticklabels()), len(ax.get_yticklabels())
    (3, 3)
    """
    pairs = data
    if not isinstance(data, Pairwise):
        pairs = pairwise(ratings_in(data), coefficient=coefficient)
    value, n = _pair_tables(pairs)
    order = np.argsort(-_mean_of_rows(value), kind="stable")
    value, n = value[np.ix_(order, order)], n[np.ix_(order, order)]
    value[np.triu_indices(len(order))] = np.nan
    if not np.isfinite(value).any():
        raise UnsupportedDesignError.needs(
            "A figure of pairs",
            f"two raters with at least {FEWEST_ITEMS} items in common",
            "none",
            "see who rated what with plot.design",
        )
    names = [pairs.raters[k] for k in order]
    crowded = len(names) - 1 > (_MOST_ON_A_PHONE if style.is_narrow(ax) else 10)
    texts = [
        ["" if np.isnan(x) else _cell(x, m, crowded) for x, m in zip(*row, strict=True)]
        for row in zip(value, n, strict=True)
    ]
    # Half a matrix needs no row for the first rater and no column for the last.
    down, across = names[1:], names[:-1]
    ax = heat_map(value[1:, :-1], [row[:-1] for row in texts[1:]], down, across, ax=ax,
                  low=-1.0, high=1.0, lines=1 if crowded else 2)  # fmt: skip
    return style.describe(ax, _pairs_in_words(pairs, value, names))


def _cell(value: float, n: float, crowded: bool) -> str:
    text = style.minus(f"{value:.2f}")
    return text if crowded else f"{text}\nn = {n:,.0f}"


def _pair_tables(pairs: Pairwise) -> tuple[Floats, Floats]:
    """Return values and numbers of common items; no value where these are too few."""
    value, n = pairs.matrix, pairs.common_matrix
    np.fill_diagonal(value, np.nan)
    value[n < FEWEST_ITEMS] = np.nan
    return value, n


def _mean_of_rows(value: Floats) -> Floats:
    known = np.isfinite(value)
    total = np.where(known, value, 0.0).sum(axis=1)
    n = known.sum(axis=1)
    mean: Floats = np.divide(total, n, out=np.full(len(value), -9.0), where=n > 0)
    return mean


def _pairs_in_words(pairs: Pairwise, value: Floats, names: Sequence[object]) -> str:
    title = next((one.name for one in pairs.estimates.values()), pairs.coefficient)
    found = sorted(
        (float(x), f"{style.shortened(names[i])} and {style.shortened(names[j])} {x:.2f}")
        for (i, j), x in np.ndenumerate(value)
        if np.isfinite(x)
    )
    told = [text for _, text in found]
    shown = told if len(told) <= _TOLD else [*told[:3], "...", *told[-3:]]
    return f"{title} of pairs, the lowest first: {'; '.join(shown)}."


@style.drawing
def heat_map(
    values: NDArray[np.float64],
    texts: Sequence[Sequence[str]],
    rows: Sequence[object],
    columns: Sequence[object],
    *,
    low: float = 0.0,
    high: float = 1.0,
    lines: int = 1,
    ax: Any = None,
) -> Any:
    """Draw a matrix; the number stands in each cell while there is room.

    Shades go from light to dark; where `low` is below 0, from red over white at 0 to blue.

    Parameters
    ----------
    values : array
        NaN leaves a cell empty.
    texts : what stands in each cell
    rows, columns : their names
    low, high : float
        The values at the ends of the scale.
    lines : int, default 1
        How many lines of text a cell has.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = heat_map(np.array([[0.9, 0.1]]), [["9", "1"]], ["yes"], ["yes", "no"])
    >>> [text.get_text() for text in ax.texts]
    ['9', '1']
    """
    if len(rows) > _MOST or len(columns) > _MOST:
        raise UnsupportedDesignError.needs(
            "A heat map", f"at most {_MOST} rows and columns", f"{len(rows)}", "select some first"
        )
    wide = style.width_of(max(3.2, 2.2 + (0.36 + 0.16 * lines) * len(columns)))
    tall = max(2.0, 1.1 + (0.25 + 0.15 * lines) * len(rows))
    ax = style.new_axes(ax, width=wide, height=tall)
    image = ax.imshow(
        np.ma.masked_invalid(values),
        cmap=style.DIVERGING if low < 0.0 else style.SEQUENTIAL,
        vmin=-max(-low, high) if low < 0.0 else low,
        vmax=high,
        aspect="auto",
    )
    longest = 10 if style.is_narrow() else 16
    names = style.told_apart(columns, longest)
    flat = max(map(len, names)) <= (4 if style.is_narrow() else 5)
    turned = {} if flat else {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(range(len(columns)), names, **turned)
    ax.set_yticks(range(len(rows)), style.told_apart(rows, longest + 4))
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    if len(columns) <= (_MOST_ON_A_PHONE + 3 if style.is_narrow() else _MOST_NUMBERED):
        _write_cells(ax, image, values, texts)
    else:
        place: dict[str, Any] = {"shrink": 0.6}
        if style.is_narrow():
            place = {"location": "top", "aspect": 30, "shrink": 0.9}
            ax.tick_params(labelsize=7.5)
        bar = ax.figure.colorbar(image, ax=ax, **place)
        bar.outline.set_visible(False)
    return ax


def _write_cells(
    ax: Any, image: Any, values: NDArray[np.float64], texts: Sequence[Sequence[str]]
) -> None:
    """Write black or white, whichever can be read on the shade."""
    size = 8.0 if len(texts) and style.is_narrow() and len(texts[0]) > _MOST_ON_A_PHONE else 9.0
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            if text:
                shade = image.cmap(image.norm(values[i, j]))
                ax.text(j, i, text, ha="center", va="center", fontsize=size,
                        color=style.ink_on(shade[:3]), linespacing=1.15)  # fmt: skip


# ---- Figures of latent models: how raters err, how sure the labels are

_MOST_RATERS = 40
_STEPS = 10


@style.drawing
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
    ax.set_ylabel("true label")
    ax.set_xlabel("label given" if rater is None else f"label given by {style.shortened(rater)}")
    told = "; ".join(
        f"{label}: " + ", ".join(
            f"{given} {x:.2f}" for given, x in zip(model.categories, row, strict=True)
        )
        for label, row in list(zip(model.categories, shown, strict=True))[:_TOLD]
    )  # fmt: skip
    return style.describe(ax, f"Labels given for each true label. {told}.")


@style.drawing
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
    ax = style.new_axes(ax, height=2.6)
    ax.bar(edges[:-1], items, width=0.92 * np.diff(edges), align="edge", color=style.BLUE)
    ax.set(xlabel="probability of the suggested label", ylabel="items")
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.grid(axis="y")
    ax.set_axisbelow(True)
    unsure = int((sure < 0.9).sum())
    said = f"{unsure:,} of {sure.size:,} items have a label that is less than 90% sure"
    return style.describe(ax, f"{said}; the least sure label has probability {sure.min():.2f}.")


@style.drawing
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
    ax.set_xlim(min([0.0 if one.value < 0.4 else 0.4 for one in rows] or [0.0]), 1.01)
    ax.set_xlabel("share of right labels, with interval")
    return style.describe(ax, in_words("Share of right labels, the lowest first", rows))
