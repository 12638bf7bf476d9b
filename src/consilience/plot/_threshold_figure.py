"""Does the conclusion depend on the overlap asked for? Kappa against the threshold."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np

from consilience.core.keywords import CURVE, CurveOptions, written_out
from consilience.exceptions import InputError
from consilience.plot import style
from consilience.units import ThresholdCurve, Units, threshold_curve

_MOST_LABELS = 7  # as many as there are colours and markers
_USUAL = 60
_ALL = "all labels"


@written_out(CurveOptions, CURVE)
def threshold(
    data: ThresholdCurve | Units,
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
    data : ThresholdCurve or Units
        Units are handed to `consilience.units.threshold_curve`, with its options.
    categories : bool, default True
        Draw labels too: up to seven, those with most units first.
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
    >>> units = Units.from_records([
    ...     ("R1", "A", 0, 10), ("R1", "B", 10, 20), ("R2", "A", 1, 11), ("R2", "B", 11, 19)])
    >>> ax = threshold(units)
    >>> ax.get_xlabel()
    'overlap asked for (% of the longer unit)'
    """
    if isinstance(data, Units):
        data = threshold_curve(data, **options)
    elif not isinstance(data, ThresholdCurve):
        raise InputError.expected(
            "data", "a ThresholdCurve or Units", type(data).__name__, "see threshold_curve"
        )
    elif options:
        raise InputError.expected(
            "options", "given to threshold_curve", sorted(options), "pass the units instead"
        )
    x = np.array(data.thresholds, dtype=np.float64)
    order = np.argsort(x, kind="stable")
    with style.styled():
        ax = style.new_axes(ax, width=7.0, height=3.8)
        if categories:
            _labels(ax, data, x[order], order)
        _overall(ax, data, x[order], order)
        if at is not None and x.min() <= at <= x.max():
            ax.axvline(at, color=style.FAINT, linestyle=":", linewidth=1.2, zorder=0)
        ax.set_xlabel("overlap asked for (% of the longer unit)")
        ax.set_ylabel("kappa")
        low, high = ax.get_ylim()
        ax.set_ylim(min(low, 0.0), max(high, min(1.02, high + 0.05)))
        ax.grid(axis="y")
        _legend(ax)
    return ax


def _legend(ax: Any) -> None:
    handles, names = ax.get_legend_handles_labels()
    order = sorted(range(len(names)), key=lambda k: (names[k] != _ALL, "interval" not in names[k]))
    ax.legend(
        [handles[k] for k in order],
        [names[k] for k in order],
        fontsize="small",
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
    )


def _overall(ax: Any, data: ThresholdCurve, x: Any, order: Any) -> None:
    kappa = np.array(data.kappa, dtype=np.float64)[order]
    if data.low is not None and data.high is not None:
        low, high = (np.array(limit, dtype=np.float64)[order] for limit in (data.low, data.high))
        name = f"{100 * data.confidence_level:g}% interval"
        ax.fill_between(x, low, high, color=style.INK, alpha=0.12, linewidth=0, label=name)
    if np.isfinite(kappa).any():
        ax.plot(x, kappa, color=style.INK, linewidth=2.4, label=_ALL, zorder=4)


def _labels(ax: Any, data: ThresholdCurve, x: Any, order: Any) -> None:
    values = np.asarray(data.category_kappa, dtype=np.float64)[order]
    defined = [k for k in range(values.shape[1]) if np.isfinite(values[:, k]).any()]
    if len(data.labels) < 2:
        return
    shown = sorted(sorted(defined, key=lambda k: -data.n_units[k])[:_MOST_LABELS])
    every = max(1, math.ceil(len(x) / 8))
    for place, k in enumerate(shown):
        label = data.labels[k]
        text = ", ".join(sorted(map(str, label))) if isinstance(label, frozenset) else str(label)
        ax.plot(
            x,
            values[:, k],
            color=style.COLOURS[place],
            marker=style.MARKERS[place],
            markersize=4.5,
            markevery=(place % every, every),
            linewidth=1.1,
            label=style.shortened(text or '"empty"'),
        )
    if len(shown) < len(defined):
        ax.plot([], [], " ", label=f"and {len(defined) - len(shown)} more")
