"""Units by label: agreement on each, how many and how long, and what the threshold does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from consilience.coefficients import Estimate, category_agreement
from consilience.coefficients.breakdowns import CategoryAgreement
from consilience.core.arrays import Floats
from consilience.core.frames import is_table
from consilience.core.labels import label_key
from consilience.core.options import CURVE, CurveOptions, written_out
from consilience.core.words import label_text
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.plot import style
from consilience.plot.rows import name_marks, name_rows, ratings_in, row_axes, spread, units_in
from consilience.units import Units, easydiag, easydiag_table, threshold_curve
from consilience.units import unit_lengths as measured_lengths
from consilience.units.easydiag import EasyDiagPairs, ThresholdCurve
from consilience.units.lengths import UnitLengths
from consilience.units.link_tables import DiagTable

# ---- Labels of units, or of items: agreement on each of them, how many units, and how long

_MOST_LABELS = 24
_MOST_RATERS = 4  # bars side by side; more raters are put together
_ANNOTATIONS = {"start", "end"}  # columns that make a table one of units


@dataclass(frozen=True)
class _Label:
    """Agreement on one label against all others."""

    name: str
    share: float
    observed: float
    chance: float
    kappa: float


@style.drawing
def category_kappas(data: Any, *, ax: Any = None) -> Any:
    """Draw observed agreement, chance agreement and kappa of each label against all others.

    The line from chance to observed agreement is what kappa is made of: where chance is high,
    agreement of nearly 100% may be little. The most common label is at the top.

    Parameters
    ----------
    data : Ratings, Units, a dataframe, or a result
        A result is the list of `category_agreement`, or that of `easydiag`. Units are compared by
        `easydiag`; a dataframe with the columns start and end holds units.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    .. [1] Holle, H. & Rein, R. (2015). EasyDIAg: A tool for easy determination of interrater
       agreement. Behavior Research Methods 47, 837-847, Figure 4.

    Examples
    --------
    >>> from consilience import datasets
    >>> ax = category_kappas(datasets.load("fleiss_1971"))
    >>> sorted(text.get_text() for text in ax.texts if text.get_text().isalpha())
    ['chance', 'kappa', 'observed']
    """
    found = sorted(_labels_of(data), key=lambda one: -one.share)[:_MOST_LABELS]
    known = [one for one in found if math.isfinite(one.kappa)]
    if not known:
        raise UnsupportedDesignError.needs(
            "A figure of labels", "a label whose kappa is defined", "none", "check the data"
        )
    ax = row_axes(ax, len(known), around=1.15)
    for place, one in enumerate(known):
        ax.plot([one.chance, one.observed], [place] * 2, color=style.FAINT, linewidth=1.4, zorder=1)
        ax.plot(one.chance, place, "|", color=style.GREY, markersize=11, markeredgewidth=2.2)
        ax.plot(one.observed, place, "o", color=style.BLUE, markersize=6.5)
        ax.plot(one.kappa, place, "D", color=style.RED, markersize=6)
    told = [style.minus(f"{one.kappa:.2f}") for one in known]
    name_rows(ax, [one.name for one in known], told)
    lowest = min(0.0, *(one.kappa for one in known))
    ax.set_xlim(lowest - 0.02, 1.02)
    if lowest < 0.0:
        ax.axvline(0.0, color=style.FAINT, linewidth=0.9)
    ax.set_xlabel("agreement, chance agreement and kappa of each label")
    ax.grid(axis="x")
    first = known[0]
    marks = [(first.chance, "chance"), (first.observed, "observed"), (first.kappa, "kappa")]
    name_marks(ax, marks)
    said = "; ".join(
        f"{one.name}: observed {one.observed:.2f}, chance {one.chance:.2f}, kappa {one.kappa:.2f}"
        for one in known
    )
    return style.describe(ax, f"Each label against all others. {said}.")


def _labels_of(data: Any) -> list[_Label]:
    """Return the labels of whatever was given."""
    if is_table(data) and not isinstance(data, list) and _columns(data) >= _ANNOTATIONS:
        data = units_in(data)
    if isinstance(data, Units):
        data = easydiag(data, n_resamples=1)
    if isinstance(data, EasyDiagPairs):
        data = easydiag_table(data.table, data.labels)
    if isinstance(data, DiagTable):
        return [
            _Label(label_text(one.label), float(2 * one.a + one.b + one.c), one.raw, one.expected,
                   one.kappa)
            for one in data.categories
        ]  # fmt: skip
    several = isinstance(data, Sequence) and bool(data)
    if several and all(isinstance(one, CategoryAgreement) for one in data):
        every: list[CategoryAgreement] = list(data)
    else:
        every = category_agreement(ratings_in(data))
    return [_of_estimate(label_text(one.category), one.share, one.kappa) for one in every]


def _columns(data: Any) -> set[str]:
    return {str(name) for name in (data if isinstance(data, dict) else data.columns)}


def _of_estimate(name: str, share: float, one: Estimate) -> _Label:
    observed, expected = (math.nan if x is None else x for x in (one.observed, one.expected))
    return _Label(name, share, observed, expected, one.value)


@style.drawing
def unit_lengths(data: Any, *, raters: Sequence[str] | None = None) -> Any:
    """Draw how many units each rater marked with each label, and how long they are.

    Bars are numbers, dots mean lengths with one standard deviation to either side. More than four
    raters are put together unless they are named. Rare or short labels are those on which raters
    find it hard to agree.

    Parameters
    ----------
    data : Units, a dataframe, records, or the result of `consilience.units.unit_lengths`
    raters : names, optional
        Default all.

    Returns
    -------
    matplotlib Axes
        Numbers; lengths are the second of ``.figure.axes``.

    References
    ----------
    .. [1] Holle, H. & Rein, R. (2015). EasyDIAg: A tool for easy determination of interrater
       agreement. Behavior Research Methods 47, 837-847, Figure 3.

    Examples
    --------
    >>> ax = unit_lengths([("R1", "nod", 0, 10), ("R1", "nod", 20, 24), ("R2", "nod", 1, 11)])
    >>> [int(bar.get_width()) for bar in ax.patches]
    [2, 1]
    """
    found = data if isinstance(data, UnitLengths) else measured_lengths(units_in(data))
    lanes = _lanes(found, raters)
    every = list({label_key(one.label): one.label for one in found.rows}.values())
    n, mean, sd = length_table(found, lanes, every)
    order = np.argsort(-n.sum(axis=0), kind="stable")[:_MOST_LABELS]
    labels = [label_text(every[k]) for k in order]
    n, mean, sd = n[:, order], mean[:, order], sd[:, order]
    names = ["all raters" if one is None else one for one in lanes]
    left, right = _panels(len(labels), len(names))
    below, whole = (0.2, 0.5) if style.is_narrow() else (0.0, 0.76)
    high = whole / len(names)
    for g, name in enumerate(names):
        at = np.arange(float(len(labels))) + (below + (g - (len(names) - 1) / 2) * high)
        colour = style.COLOURS[g % len(style.COLOURS)]
        _numbers(left, at, n[g], high, colour)
        called = style.shortened(name, 18) if len(names) > 1 else ""
        _lengths(right, at, mean[g], sd[g], colour, name=called)
    shown = style.told_apart(labels, 18)
    for ax in (left, right):
        name_rows(ax, labels, shown=shown, bars=True, above=style.is_narrow())
    left.set_xlabel("units")
    right.set_xlabel(_length_words(found.time_unit))
    left.set_xlim(0.0, 1.18 * float(n.max()))
    right.set_xlim(0.0, 1.25 * float(np.nanmax(mean + np.nan_to_num(sd))) or 1.0)
    for ax in (left, right):
        ax.grid(axis="x")
        ax.set_axisbelow(True)
    if not style.is_narrow():
        right.set_yticks(range(len(labels)), [""] * len(labels))
    return style.describe(left, _lengths_in_words(names, labels, n, mean))


def _numbers(ax: Any, at: Floats, n: Floats, high: float, colour: str) -> None:
    """Draw how many units one rater marked, the number at the end of each bar."""
    ax.barh(at, n, height=0.9 * high, color=colour)
    for x, y in zip(n, at, strict=True):
        style.beside(ax, f"{x:,.0f}", (x, y), (2, 0), va="center", fontsize=8)


def _lengths(ax: Any, at: Floats, mean: Floats, sd: Floats, colour: str, *, name: str) -> None:
    """Draw how long one rater's units are; the rater is named at the first of them."""
    ax.hlines(at, np.maximum(mean - sd, 0.0), mean + sd, color=colour, linewidth=1.6)
    ax.plot(mean, at, "o", color=colour, markersize=5)
    known = np.flatnonzero(np.isfinite(mean))
    if name and known.size:
        first = known[0]
        end = mean[first] + np.nan_to_num(sd[first])
        style.beside(ax, name, (end, at[first]), (4, 0), va="center")


def length_table(
    found: UnitLengths, raters: Sequence[str | None], labels: Sequence[Any]
) -> tuple[Floats, Floats, Floats]:
    """Return number, mean length and its standard deviation of units (raters × labels).

    A rater that is None stands for all raters together.
    """
    known = {(one.rater, label_key(one.label)): one for one in found.rows}
    n, mean, sd = (np.full((len(raters), len(labels)), empty) for empty in (0.0, np.nan, np.nan))
    for g, rater in enumerate(raters):
        for k, label in enumerate(labels):
            one = known.get((rater, label_key(label)))
            if one is not None:
                n[g, k], mean[g, k], sd[g, k] = one.n_units, one.mean, one.standard_deviation
    return n, mean, sd


def _lanes(found: UnitLengths, raters: Sequence[str] | None) -> list[str | None]:
    """Return the raters to draw; None stands for all of them, where they are too many."""
    every = list(dict.fromkeys(one.rater for one in found.rows if one.rater is not None))
    if not every:
        raise InputError.expected("units", "at least one unit", "none", "check the data")
    names = every if raters is None else list(raters)
    for name in names:
        if name not in every:
            raise InputError.unknown_word("a rater", name, every)
    return [None] if len(names) > _MOST_RATERS and raters is None else [*names]


def _panels(n_labels: int, n_raters: int) -> tuple[Any, Any]:
    """Return axes for numbers and lengths: side by side, or on a phone one below the other."""
    each = max(0.32, 0.18 * n_raters + 0.12)
    if style.is_narrow():
        left, right = style.new_panels(2, 1, height=2 * (0.7 + (each + 0.22) * n_labels))
    else:
        left, right = style.new_panels(1, 2, width=style.WIDE + 0.8, height=0.8 + each * n_labels)
    return left, right


def _length_words(time_unit: str) -> str:
    named = {"ms": "ms", "s": "s"}.get(time_unit, time_unit)
    unit = "" if named == "unknown" else f" in {named}" if named in ("ms", "s") else f" in {named}s"
    return f"mean length{unit}, with standard deviation"


def _lengths_in_words(names: Sequence[str], labels: Sequence[str], n: Floats, mean: Floats) -> str:
    told = "; ".join(
        f"{label}: " + ", ".join(
            f"{name} {n[g, k]:,.0f} of mean length {mean[g, k]:.4g}"
            for g, name in enumerate(names) if n[g, k]
        )
        for k, label in list(enumerate(labels))[:12]
    )  # fmt: skip
    return f"Units of each label by rater. {told}."


# ---- Does the conclusion depend on the overlap asked for? Kappa against the threshold

_MOST_LINES = len(style.COLOURS)
_USUAL = 60
_ALL = "all labels"


@style.drawing
@written_out(CurveOptions, CURVE)
def threshold(
    data: Any,
    *,
    categories: bool = True,
    at: float | None = _USUAL,
    ax: Any = None,
    **options: Unpack[CurveOptions],
) -> Any:
    """Draw kappa against the overlap that links two units, overall and for each label.

    The thick line is kappa of all labels, with the band of its intervals if there are eight
    sessions or more; thin lines are the labels, each against all others.

    Parameters
    ----------
    data : ThresholdCurve, Units, a dataframe or records
        Units are handed to `consilience.units.threshold_curve`, with its options.
    categories : bool, default True
        Draw labels too: up to six, those with most units first.
    at : float or None, default 60
        The threshold in use, marked by a line.
    ax : matplotlib Axes, optional
    thresholds, linking, raters, labels, point_tolerance, absent, confidence_level, ...
        As in `consilience.units.threshold_curve`, for units.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    .. [1] Holle, H. & Rein, R. (2015). EasyDIAg: A tool for easy determination of interrater
       agreement. Behavior Research Methods 47, 837-847, Figure 5.

    Examples
    --------
    >>> ax = threshold([
    ...     ("R1", "A", 0, 10), ("R1", "B", 10, 20), ("R2", "A", 1, 11), ("R2", "B", 11, 19)])
    >>> ax.get_xlabel()
    'overlap asked for (% of the longer unit)'
    """
    if not isinstance(data, ThresholdCurve):
        data = threshold_curve(units_in(data), **options)
    elif options:
        raise InputError.expected(
            "options", "given to threshold_curve", sorted(options), "pass the units instead"
        )
    x = np.array(data.thresholds, dtype=np.float64)
    order = np.argsort(x, kind="stable")
    ax = style.new_axes(ax, width=7.0, height=3.8)
    names: list[tuple[float, str, str]] = []
    if categories:
        names += _labels(ax, data, x[order], order)
    names += _overall(ax, data, x[order], order)
    if at is not None and x.min() <= at <= x.max():
        ax.axvline(at, color=style.FAINT, linestyle=":", linewidth=1.2, zorder=0)
        look = {"ha": "center", "va": "bottom", "fontsize": 8.5}
        style.beside(ax, f"{at:g}% in use", (at, 1.0), (0, 2), along="x", **look)
    ax.set(xlabel="overlap asked for (% of the longer unit)", ylabel="kappa")
    low, high = ax.get_ylim()
    ax.set_ylim(min(low, 0.0), max(high, min(1.02, high + 0.05)))
    ax.grid(axis="y")
    _name_lines(ax, names, float(x.max()))
    return style.describe(ax, _threshold_in_words(data, x))


def _name_lines(ax: Any, names: list[tuple[float, str, str]], end: float) -> None:
    """Write the name of each line at its end, moved apart where they would overlap."""
    if not names:
        return
    low, high = ax.get_ylim()
    inches = ax.figure.get_figheight() * 0.72
    one = 0.17 / inches * (high - low)
    ordered = sorted(names)
    places = spread([y for y, _, _ in ordered], [one] * len(ordered), 0.0, low, high)
    for (y, text, colour), place in zip(ordered, places, strict=True):
        ax.annotate(text, (end, y), xytext=(1.02, place), textcoords=ax.get_yaxis_transform(),
                    va="center", fontsize=9, annotation_clip=False,
                    arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.9,
                                "shrinkA": 1, "shrinkB": 1})  # fmt: skip


def _threshold_in_words(data: ThresholdCurve, x: Any) -> str:
    some = sorted({0, len(x) // 2, len(x) - 1})
    order = np.argsort(x, kind="stable")
    told = "; ".join(f"{x[order[k]]:g}% {data.kappa[order[k]]:.2f}" for k in some)
    return f"Kappa of all labels against the overlap asked for: {told}."


def _overall(ax: Any, data: ThresholdCurve, x: Any, order: Any) -> list[tuple[float, str, str]]:
    kappa = np.array(data.kappa, dtype=np.float64)[order]
    if data.low is not None and data.high is not None:
        low, high = (np.array(limit, dtype=np.float64)[order] for limit in (data.low, data.high))
        ax.fill_between(x, low, high, color=style.INK, alpha=0.12, linewidth=0)
    if not np.isfinite(kappa).any():
        return []
    ax.plot(x, kappa, color=style.INK, linewidth=2.4, zorder=4)
    return [(_last(kappa), _ALL, style.INK)]


def _last(values: Any) -> float:
    return float(values[np.isfinite(values)][-1])


def _labels(ax: Any, data: ThresholdCurve, x: Any, order: Any) -> list[tuple[float, str, str]]:
    values = np.asarray(data.category_kappa, dtype=np.float64)[order]
    defined = [k for k in range(values.shape[1]) if np.isfinite(values[:, k]).any()]
    if len(data.labels) < 2:
        return []
    shown = sorted(sorted(defined, key=lambda k: -data.n_units[k])[:_MOST_LINES])
    every = max(1, math.ceil(len(x) / 8))
    names = []
    for place, k in enumerate(shown):
        text = style.shortened(label_text(data.labels[k]) or '"empty"', 16)
        ax.plot(
            x,
            values[:, k],
            color=style.COLOURS[place],
            marker=style.MARKERS[place],
            markersize=4.5,
            markevery=(place % every, every),
            linewidth=1.1,
        )
        names.append((_last(values[:, k]), text, style.COLOURS[place]))
    if len(shown) < len(defined):
        rest = f"and {len(defined) - len(shown)} more labels"
        ax.set_title(rest, fontsize=9, loc="right")
    return names
