"""Coefficients with their intervals, one below the other: of one variable, or of many."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from consilience.coefficients import Estimate
from consilience.core.words import enumerated, percent
from consilience.exceptions import UnsupportedDesignError
from consilience.plot._figure_data import estimates_in, named_estimates_in
from consilience.plot.interval_rows import (
    THRESHOLDS,
    Row,
    in_words,
    interval_rows,
    name_thresholds,
    row_axes,
)
from consilience.plot.style import BLUE, FAINT, RED, describe, drawing, styled


@drawing
def forest(
    estimates: Any,
    *,
    confidence_level: float = 0.95,
    thresholds: Iterable[float] = (),
    names: Iterable[str] | None = None,
    ax: Any = None,
) -> Any:
    """Draw each coefficient as a dot on its interval.

    Parameters
    ----------
    estimates : estimates, a Summary, Ratings or a dataframe
        Of data, every coefficient that `consilience.measure` computes.
    confidence_level : float, default 0.95
    thresholds : values that are quoted, drawn as dashed lines with their numbers
    names : what to call the rows, default the coefficients' names
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import datasets
    >>> ax = forest(datasets.load("fleiss_1971"), thresholds=(0.667, 0.8))
    >>> [text.get_text() for text in ax.get_yticklabels()][:2]
    ['Percent agreement', "Krippendorff's alpha"]
    """
    every = estimates_in(estimates)
    called = list(names) if names is not None else [one.name for one in every]
    rows = [
        row_of(name, one, confidence_level)
        for name, one in zip(called, every, strict=True)
        if one.status == "ok"
    ]
    if not rows:
        raise UnsupportedDesignError.needs(
            "A forest plot", "at least one coefficient that is defined", "none", "check the data"
        )
    ax = _rows(ax, rows, thresholds, confidence_level)
    return describe(ax, in_words(f"Values with {percent(confidence_level)} intervals", rows))


@drawing
def variables(
    data: Any,
    *,
    coefficient: str | None = None,
    confidence_level: float = 0.95,
    thresholds: Iterable[float] = THRESHOLDS,
    links: Mapping[str, str] | None = None,
    ax: Any = None,
) -> Any:
    """Draw a coefficient for each variable on its interval, the lowest at the top.

    Variables whose whole interval lies below the lowest threshold are drawn in red, as diamonds.

    Parameters
    ----------
    data : Summary of several variables, a dict of Ratings or of Estimates, or a dataframe
    coefficient : name or alias, optional
        Which of those computed; default the first that is corrected for chance.
    confidence_level : float, default 0.95
    thresholds : values that are quoted, default Krippendorff's 0.667 and 0.8
    links : mapping of a variable's name to an address, optional
        Where the names lead, in a figure on a page.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import Ratings
    >>> clear, vague = (Ratings.from_table([[a, b], [b, a]]) for a, b in ((45, 5), (30, 20)))
    >>> ax = variables({"clear": clear, "vague": vague})
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['vague', 'clear']
    """
    found = named_estimates_in(data, coefficient)
    lines = sorted(thresholds)
    known = {name: one for name, one in found.items() if one.status == "ok"}
    if not known:
        raise UnsupportedDesignError.needs(
            "A figure of variables",
            "at least one variable whose coefficient is defined",
            "none",
            "check the data",
        )
    rows = []
    for name, one in sorted(known.items(), key=lambda pair: (pair[1].value, pair[0])):
        row = row_of(name, one, confidence_level)
        below = bool(lines) and row.high < lines[0]
        colour, marker = (RED, "D") if below else (BLUE, "o")
        link = None if links is None else links.get(name)
        rows.append(replace(row, colour=colour, marker=marker, link=link))
    title = enumerated(list(dict.fromkeys(one.name for one in known.values())))
    ax = _rows(ax, rows, lines, confidence_level)
    with styled():
        ax.set_xlabel(f"{title} with {percent(confidence_level)} interval")
    return describe(ax, in_words(f"{title} of {len(rows)} variables, the lowest first", rows))


def row_of(name: object, one: Estimate, confidence_level: float) -> Row:
    """Return an estimate as a row; a value or limits that do not exist are not drawn."""
    if one.status != "ok":
        return Row(name=name, value=math.nan)
    interval = one.confidence_interval(confidence_level)
    return Row(name=name, value=one.value, low=interval.low, high=interval.high)


def _rows(
    ax: Any, rows: Sequence[Row], thresholds: Iterable[float], confidence_level: float
) -> Any:
    ax = row_axes(ax, len(rows), around=0.95)
    interval_rows(ax, rows)
    with styled():
        ends = [x for one in rows for x in (one.value, one.low) if math.isfinite(x)]
        lowest = min(0.0, *ends)
        ax.set_xlim(lowest - 0.02, 1.02)
        if lowest < 0.0:
            ax.axvline(0.0, color=FAINT, linewidth=0.9)
        name_thresholds(ax, thresholds)
        ax.set_xlabel(f"value with {percent(confidence_level)} interval")
    return ax
