"""Does the conclusion depend on the overlap asked for? Kappa against the threshold."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np

from consilience.core.keywords import CURVE, CurveOptions, written_out
from consilience.core.words import label_text
from consilience.exceptions import InputError
from consilience.plot import style
from consilience.plot._figure_data import units_in
from consilience.plot.interval_rows import spread
from consilience.units import ThresholdCurve, threshold_curve

_MOST_LABELS = len(style.COLOURS)
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
    with style.styled():
        ax = style.new_axes(ax, width=7.0, height=3.8)
        names: list[tuple[float, str, str]] = []
        if categories:
            names += _labels(ax, data, x[order], order)
        names += _overall(ax, data, x[order], order)
        if at is not None and x.min() <= at <= x.max():
            ax.axvline(at, color=style.FAINT, linestyle=":", linewidth=1.2, zorder=0)
            ax.annotate(f"{at:g}% in use", (at, 1.0), xycoords=ax.get_xaxis_transform(),
                        xytext=(0, 2), textcoords="offset points", ha="center", va="bottom",
                        fontsize=8.5)  # fmt: skip
        ax.set_xlabel("overlap asked for (% of the longer unit)")
        ax.set_ylabel("kappa")
        low, high = ax.get_ylim()
        ax.set_ylim(min(low, 0.0), max(high, min(1.02, high + 0.05)))
        ax.grid(axis="y")
        _name_lines(ax, names, float(x.max()))
    return style.describe(ax, _in_words(data, x))


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


def _in_words(data: ThresholdCurve, x: Any) -> str:
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
    shown = sorted(sorted(defined, key=lambda k: -data.n_units[k])[:_MOST_LABELS])
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
