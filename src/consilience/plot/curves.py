"""Curves: agreement against a tolerance or over batches, by chance, and by prevalence."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from consilience.coefficients import Estimate, estimate, registry
from consilience.core.arrays import Floats
from consilience.core.labels import label_key
from consilience.core.words import label_text, percent
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.plot import style
from consilience.plot.rows import in_words, interval_columns, ratings_in, row_of
from consilience.ratings import Ratings

# ---- Curves with a band: agreement against a tolerance, over batches or over time


@style.drawing
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
    ax = style.new_axes(ax)
    ax.fill_between(x, low, high, color=style.BLUE, alpha=0.18, linewidth=0)
    ax.plot(x, value, "-o", color=style.BLUE, markersize=3.5, linewidth=1.5)
    ax.set(xlabel=xlabel, ylabel=f"{estimates[0].name} with {percent(confidence_level)} interval")
    ax.grid(axis="y")
    rows = [row_of(f"{one:g}", e, confidence_level) for one, e in zip(x, estimates, strict=True)]
    return style.describe(ax, in_words(f"{estimates[0].name} against {xlabel or 'x'}", rows))


@style.drawing
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


@style.drawing
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
    return style.describe(
        ax, in_words(f"{name} in each batch", [one for one in rows if one.is_known])
    )


def _measured(part: Any, coefficient: str) -> Estimate:
    if isinstance(part, Estimate):
        return part
    return estimate(registry[coefficient], (ratings_in(part),), on_undefined="ignore")


# ---- Figures that explain: chance agreement as a surface, and what prevalence and bias do

NAMES = {"scott_pi": "Scott's pi", "cohen_kappa": "Cohen's kappa", "gwet_ac": "Gwet's AC1",
         "bennett_s": "Bennett's S"}  # fmt: skip
_ALIASES = {"pi": "scott_pi", "kappa": "cohen_kappa", "ac1": "gwet_ac", "s": "bennett_s"}
_PRINTED = ("scott_pi", "cohen_kappa", "gwet_ac")  # Stegmann & Lücking (2005), figures 2.1 to 2.3
_MOST_PAIRS = 45


def expected_agreement(name: str, p: Floats, q: Floats) -> Floats:
    """Return chance agreement of two raters who say yes with probability p and q.

    Examples
    --------
    >>> half = np.array(0.5)
    >>> [float(expected_agreement(name, half, half)) for name in NAMES]
    [0.5, 0.5, 0.5, 0.5]
    """
    mean = (p + q) / 2.0
    if name == "cohen_kappa":
        return p * q + (1.0 - p) * (1.0 - q)
    if name == "scott_pi":
        return mean**2 + (1.0 - mean) ** 2
    if name == "gwet_ac":
        return 2.0 * mean * (1.0 - mean)
    return np.full(np.shape(mean), 0.5)


@dataclass(frozen=True)
class _Shares:
    """Where a study stands: each pair's shares of one label, and how often the pair agrees."""

    label: str
    raters: tuple[str, str]  # what the axes are called
    p: Floats
    q: Floats
    observed: Floats

    def chance(self, name: str) -> float:
        """Chance agreement, over all pairs."""
        return float(expected_agreement(name, self.p, self.q).mean())


@style.drawing
def chance_surface(
    data: Any = None,
    *,
    coefficients: str | Sequence[str] = _PRINTED,
    label: object = None,
    pair: tuple[object, object] | None = None,
    ax: Any = None,
) -> Any:
    """Draw chance agreement over the shares of one label of two raters, for each coefficient.

    The study's own point is marked; with more than two raters, every pair is. Other labels than
    the one that is looked at are put together.

    Parameters
    ----------
    data : Ratings, a dataframe or an Estimate, optional
        Marked on the surfaces.
    coefficients : names or aliases out of pi, kappa, AC1 and S
        A panel for each; default pi, kappa and AC1.
    label : optional
        The label whose share is meant; default the most common one.
    pair : names of two raters, optional
        Default every pair.
    ax : matplotlib Axes, optional
        For one coefficient.

    Returns
    -------
    matplotlib Axes
        The first panel; ``.figure.axes`` has all of them.

    References
    ----------
    .. [1] Stegmann, J. & Lücking, A. (2005). Assessing reliability on annotations (1): theoretical
       considerations. SFB 360 report 2, Bielefeld; figures 2.1 to 2.3.

    Examples
    --------
    >>> from consilience import datasets
    >>> ax = chance_surface(datasets.load("di_eugenio_glass_2004_skewed"))
    >>> [one.get_title("left") for one in ax.figure.axes]
    ["Scott's pi: 0.905", "Cohen's kappa: 0.905", "Gwet's AC1: 0.095"]
    """
    names = _known(coefficients)
    study = None if data is None else _shares(ratings_in(data), label, pair)
    panels = _small_multiples(ax, len(names), height=2.9)
    for panel, name in zip(panels, names, strict=False):
        _surface(panel, name, study)
    what = "yes" if study is None else study.label
    first, second = ("first rater", "second rater") if study is None else study.raters
    stacked = style.is_narrow() and ax is None
    middle = len(panels) // 2
    panels[middle if stacked else 0].set_ylabel(f"{second}: share of {what}")
    panels[-1 if stacked else middle].set_xlabel(f"{first}: share of {what}")
    if study is None:
        said = "Chance agreement over two raters' shares of yes."
    else:
        said = f"Chance agreement at the shares of {what}: " + "; ".join(
            f"{NAMES[name]} {study.chance(name):.3f}" for name in names
        )
        said += "."
    return style.describe(panels[0], said)


def _small_multiples(ax: Any, n: int, *, height: float) -> list[Any]:
    """Return panels side by side, or on a phone one below the other."""
    if ax is not None:
        return [ax]
    if n == 1:
        return [style.new_axes(width=3.6, height=height + 0.9)]
    if style.is_narrow():
        return style.new_panels(n, 1, height=0.8 * height * n, sharex=True)
    return style.new_panels(1, n, width=2.15 * n + 0.6, height=height, sharey=True)


def _surface(ax: Any, name: str, study: _Shares | None) -> None:
    """Draw one surface as shades from light to dark, with the study on it."""
    share = np.linspace(0.0, 1.0, 41)
    p, q = np.meshgrid(share, share)
    surface = expected_agreement(name, p, q)
    levels = np.linspace(0.0, 1.0, 11)
    ax.contourf(p, q, surface, levels=levels, cmap=style.SEQUENTIAL)
    if np.ptp(surface) > 0:
        lines = ax.contour(p, q, surface, levels=levels[2:-1:2], colors="black", linewidths=0.5)
        ax.clabel(lines, fontsize=8, fmt="%.1f")
    title = NAMES[name]
    if study is not None:
        ax.plot(study.p, study.q, "o", markersize=9 if study.p.size == 1 else 5,
                markerfacecolor=style.RED, markeredgecolor="white", markeredgewidth=1.2,
                clip_on=False, zorder=5)  # fmt: skip
        title = f"{title}: {study.chance(name):.3f}"
    ax.set_title(title)
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(0.0, 1.0)
    ax.set_xticks([0.0, 0.5, 1.0])
    ax.set_yticks([0.0, 0.5, 1.0])
    ax.set_aspect("equal")


def _known(coefficients: str | Sequence[str]) -> list[str]:
    words = [coefficients] if isinstance(coefficients, str) else list(coefficients)
    names = []
    for one in words:
        word = one.lower().replace("-", "_")
        name = _ALIASES.get(word, word)
        if name not in NAMES:
            raise InputError.unknown_word("coefficient", one, [*NAMES, *_ALIASES])
        names.append(name)
    if not names:
        raise InputError.expected("coefficients", "at least one", words, "for example 'kappa'")
    return names


def _shares(ratings: Ratings, label: object, pair: tuple[object, object] | None) -> _Shares:
    """Return each pair's shares of one label, all others put together."""
    if not len(ratings.raters) >= 2 or len(ratings.categories) < 2:
        raise UnsupportedDesignError.needs(
            "The share of a label",
            "at least two raters by name and two labels",
            f"{len(ratings.raters)} raters and {len(ratings.categories)} labels",
            "bring the ratings in long or wide form",
        )
    pairs = [pair] if pair is not None else list(combinations(ratings.raters, 2))[:_MOST_PAIRS]
    tables = [ratings.table(*two).astype(np.float64) for two in pairs]
    known = [(two, table) for two, table in zip(pairs, tables, strict=True) if table.sum() > 0]
    if not known:
        raise UnsupportedDesignError.needs(
            "The share of a label", "two raters with items in common", "none", "check the data"
        )
    used = sum(table.sum(axis=0) + table.sum(axis=1) for _, table in known)
    k = int(np.argmax(used)) if label is None else _place(ratings, label)
    p, q, observed = [], [], []
    for _, table in known:
        n = table.sum()
        first, second, both = table[k].sum(), table[:, k].sum(), table[k, k]
        p.append(first / n)
        q.append(second / n)
        observed.append((both + n - first - second + both) / n)
    raters = _axis_names(known[0][0]) if len(known) == 1 else ("one rater", "another")
    name = style.shortened(label_text(ratings.categories[k]), 16)
    if len(ratings.categories) > 2:
        name = f"{name}, against all others"
    return _Shares(name, raters, np.array(p), np.array(q), np.array(observed))


def _axis_names(pair: Sequence[object]) -> tuple[str, str]:
    """Return what the axes are called: the raters, whom a table without names only numbers."""
    if list(pair) == [0, 1]:
        return "first rater", "second rater"
    return style.shortened(pair[0], 16), style.shortened(pair[1], 16)


def _place(ratings: Ratings, label: object) -> int:
    key = label_key(label)
    for k, one in enumerate(ratings.categories):
        if label_key(one) == key or str(one) == label:  # a number may have been typed
            return k
    raise InputError.unknown_word("a label", str(label), [str(x) for x in ratings.categories])


@style.drawing
def prevalence_effect(
    data: Any = 0.85,
    *,
    bias: float = 0.0,
    label: object = None,
    pair: tuple[object, object] | None = None,
    ax: Any = None,
) -> Any:
    """Draw what the share of one label does to each coefficient at one observed agreement.

    One panel for each coefficient, with the others in grey. The study's own point is marked; with
    more than two raters, it is that of the mean pair. The more common a label, the more agreement
    pi and kappa expect by chance.

    Parameters
    ----------
    data : observed agreement, or Ratings, a dataframe or an Estimate to take it from
    bias : how much more often the first rater gives the label than the second
        For an observed agreement; of data, it is that of the two raters.
    label : optional
        The label whose share is meant; default the most common one.
    pair : names of two raters, optional
        Default every pair.
    ax : matplotlib Axes, optional
        All coefficients in one panel.

    Returns
    -------
    matplotlib Axes
        The first panel; ``.figure.axes`` has all of them.

    Examples
    --------
    >>> ax = prevalence_effect(0.9)
    >>> [one.get_title("left") for one in ax.figure.axes]
    ["Scott's pi", "Cohen's kappa", "Gwet's AC1", "Bennett's S"]
    """
    mark: float | None = None
    what = "one label"
    if isinstance(data, int | float | np.floating):
        observed = float(data)
    else:
        study = _shares(ratings_in(data), label, pair)
        first, second = float(study.p.mean()), float(study.q.mean())
        mark, bias, what = (first + second) / 2.0, first - second, study.label
        observed = float(study.observed.mean())
    if not 0.0 < observed <= 1.0:
        raise InputError.expected("observed", "a share above 0 and up to 1", observed, "say 0.85")
    drawn = _curves(observed, bias)
    values: dict[str, float] = {}
    if mark is not None:
        at_mark = np.array(mark)
        values = {name: float(_corrected(name, at_mark, observed, bias)) for name in NAMES}
    height = 4.4 if style.is_narrow() else 4.2
    panels = [ax] * len(NAMES)
    if ax is None:
        panels = style.new_panels(2, 2, height=height, sharex=True, sharey=True)
    for panel, name in zip(panels, NAMES, strict=False):
        _effect(panel, name, drawn, mark, values)
    panels[0].set_ylabel(f"value at {observed:.0%} agreement")
    for panel in panels[-2:]:
        panel.set_xlabel(f"share of {what}")
    told = "; ".join(f"{NAMES[name]} {values[name]:.2f}" for name in values)
    at = f", and at the study's share of {mark:.0%}: {told}" if mark is not None else ""
    said = f"Coefficients at {observed:.0%} agreement against the share of {what}{at}."
    return style.describe(panels[0], said)


def _curves(observed: float, bias: float) -> tuple[Floats, dict[str, Floats]]:
    """Return shares that are possible, and each coefficient there."""
    edge = max((1.0 - observed) / 2.0, abs(bias) / 2)
    share = np.linspace(edge, 1.0 - edge, 201)
    return share, {name: _corrected(name, share, observed, bias) for name in NAMES}


def _corrected(name: str, share: Floats, observed: float, bias: float) -> Floats:
    """Return (observed - chance) / (1 - chance) where one label has this share."""
    chance = expected_agreement(name, share + bias / 2.0, share - bias / 2.0)
    return np.asarray((observed - chance) / np.maximum(1.0 - chance, 1e-12))


def _effect(
    ax: Any,
    name: str,
    drawn: tuple[Floats, dict[str, Floats]],
    mark: float | None,
    values: dict[str, float],
) -> None:
    """Draw one coefficient before the others."""
    share, curves = drawn
    for other, curve in curves.items():
        if other != name:
            ax.plot(share, curve, color=style.GREY, linewidth=0.7, alpha=0.55, zorder=1)
    ax.plot(share, curves[name], color=style.BLUE, linewidth=2.0, zorder=2)
    ax.axhline(0.0, color=style.FAINT, linewidth=0.8, zorder=0)
    title = NAMES[name]
    if mark is not None:
        ax.axvline(mark, color=style.FAINT, linewidth=0.8, linestyle=":", zorder=0)
        ax.plot(
            mark,
            values[name],
            "o",
            color=style.RED,
            markersize=8,
            markeredgecolor="white",
            zorder=4,
        )
        title = style.minus(f"{title}: {values[name]:.2f}")
    ax.set(title=title, xlim=(0.0, 1.0))
    ax.set_xticks([0.0, 0.5, 1.0], ["0", "50%", "100%"])
    ax.grid(axis="y")
