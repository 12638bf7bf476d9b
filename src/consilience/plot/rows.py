"""Rows of dots on their intervals, or bars: coefficients, variables; what figures are drawn of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from consilience.coefficients import Estimate
from consilience.core.frames import is_table, summary_of
from consilience.core.words import enumerated, percent
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.plot import style
from consilience.ratings import Ratings, as_ratings

if TYPE_CHECKING:
    from consilience.units import Units

# ---- What a figure may be drawn from: the data that the library's functions take, or a result


def ratings_in(data: Any) -> Ratings:
    """Return ratings: as they are, from a table, or those that an estimate is of."""
    if isinstance(data, Estimate):
        return data.basis.ratings
    return as_ratings(data)


def units_in(data: Any) -> Units:
    """Return units: as they are, or from a table or records."""
    from consilience.units import Units

    if isinstance(data, Units):
        return data
    if is_table(data) and not isinstance(data, list):
        return Units.from_frame(data)
    if isinstance(data, list) and data and all(isinstance(one, (tuple, Mapping)) for one in data):
        return Units.from_records(data)
    raise InputError.expected(
        "units", "Units, a dataframe or records", type(data).__name__, "see Units.from_records"
    )


def truth_in(data: Any) -> Any:
    """Return a model of the true labels: as it is, or Dawid and Skene's of some ratings."""
    from consilience.latent import dawid_skene

    is_model = hasattr(data, "posterior") or hasattr(data, "probability")
    return data if is_model else dawid_skene(ratings_in(data))


def estimates_in(data: Any) -> list[Estimate]:
    """Return estimates: one, several, those of a summary, or all that `measure` makes of data."""
    if isinstance(data, Estimate):
        return [data]
    if not isinstance(data, Ratings) and not is_table(data) and isinstance(data, Iterable):
        found = list(data)
        if all(isinstance(one, Estimate) for one in found):
            return found
        data = found
    return list(summary_of(data).estimates)


def named_estimates_in(data: Any, coefficient: str | None) -> dict[str, Estimate]:
    """Return an estimate for each variable: of a summary with groups, a mapping or a table."""
    if isinstance(data, Mapping) and data:
        parts = list(data.values())
        if all(isinstance(one, Estimate) for one in parts):
            return {str(name): one for name, one in data.items()}
    if not hasattr(data, "groups"):
        data = summary_of(data)
    if not data.groups:
        raise UnsupportedDesignError.needs(
            "A figure of variables",
            "several variables",
            "one",
            "use plot.forest, or pass a dict of Ratings, one for each variable",
        )
    return {
        group.name: found
        for group in data.groups
        if (found := _chosen(group.estimates, coefficient)) is not None
    }


def _chosen(estimates: Iterable[Estimate], coefficient: str | None) -> Estimate | None:
    """Return the one that is asked for, by default the first that is corrected for chance."""
    from consilience.coefficients import registry

    found = list(estimates)
    if coefficient is not None:
        wanted = registry[coefficient].name
        return next((one for one in found if one.coefficient == wanted), None)
    corrected = [one for one in found if registry[one.coefficient].corrects_for_chance]
    return next(iter([*corrected, *found]), None)


# ---- Rows of dots on their intervals, with names beside them or, on a phone, above them

THRESHOLDS = (0.667, 0.8)
_WORDS = {0.667: "tentative", 0.8: "firm"}  # Krippendorff (2004): what they are good enough for
_BESIDE, _ABOVE = 0.32, 0.5  # inches a row takes
_LONGEST, _LONGEST_ABOVE, _LONGEST_BELOW = 34, 38, 14
_MOST_BESIDE = 8  # columns, beyond which their names are turned
_LETTER = 0.078  # inches, of the font at 9 points
_TOLD = 10  # values in words


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row: a value on its interval, and what is written at its end."""

    name: object
    value: float
    low: float = math.nan
    high: float = math.nan
    colour: str = style.BLUE
    marker: str = "o"
    told: str | None = None
    single: tuple[float, ...] = ()  # small dots below: the values that the row is the mean of
    link: str | None = None  # where its name leads, in a page

    @property
    def text(self) -> str:
        """The value as it is written at the end of the row."""
        return style.minus(f"{self.value:.2f}") if self.told is None else self.told

    @property
    def is_known(self) -> bool:
        """Whether there is a value."""
        return math.isfinite(self.value)

    @property
    def words(self) -> str:
        """The row in words, for those who do not see it."""
        sure = "" if math.isnan(self.low) else f" ({self.low:.2f} to {self.high:.2f})"
        return f"{style.shortened(self.name, _LONGEST)} {self.text}{sure}"


def row_axes(ax: Any, n_rows: int, *, around: float = 0.75, row: float = _BESIDE) -> Any:
    """Return axes for so many rows: higher ones where names stand above the rows."""
    each = max(_ABOVE, row) if style.is_narrow() else row
    return style.new_axes(ax, height=around + each * max(1, n_rows))


def interval_rows(ax: Any, rows: Sequence[Row]) -> Any:
    """Draw rows from top to bottom, each named and told; say all of it in words, too."""
    for place, one in enumerate(rows):
        if one.single:
            at = [place + 0.2] * len(one.single)
            ax.plot(one.single, at, "o", color=one.colour, markersize=3, alpha=0.6)
        if math.isfinite(one.low) and math.isfinite(one.high):
            ends = [one.low, one.high]
            ax.plot(ends, [place, place], color=one.colour, linewidth=2)
        ax.plot(one.value, place, one.marker, color=one.colour, markersize=6.5)
    links = [one.link for one in rows]
    name_rows(ax, [one.name for one in rows], [one.text for one in rows], links=links)
    ax.grid(axis="x")
    return ax


def interval_columns(ax: Any, rows: Sequence[Row], ylabel: str) -> Any:
    """Draw values on their intervals from left to right, joined by a line: what time does."""
    with style.styled():
        ax = style.new_axes(ax)
        for place, one in enumerate(rows):
            ax.plot([place, place], [one.low, one.high], color=style.BLUE, linewidth=2)
            ax.plot(place, one.value, "o", color=style.BLUE)
        values = [one.value for one in rows]
        ax.plot(range(len(rows)), values, color=style.BLUE, linewidth=0.8, alpha=0.6)
        ax.set_xticks(
            range(len(rows)), style.told_apart([one.name for one in rows], _LONGEST_BELOW)
        )
        if len(rows) > _MOST_BESIDE or style.is_narrow():
            ax.tick_params(axis="x", rotation=45)
        ax.set(ylabel=ylabel, xlim=(-0.5, len(rows) - 0.5))
        ax.grid(axis="y")
    return ax


def bar_place(ax: Any) -> tuple[float, float]:
    """Return how far below its row a bar stands, and how high it is, below a name or beside it."""
    return (0.16, 0.38) if style.is_narrow(ax) else (0.0, 0.66)


def name_rows(
    ax: Any,
    names: Sequence[object],
    told: Sequence[str] = (),
    *,
    shown: Sequence[str] | None = None,
    bars: bool = False,
    above: bool | None = None,
    links: Sequence[str | None] = (),
) -> None:
    """Write the names of rows beside them, or above them where the axes are narrow.

    `bars` are rows of bars as `bar_place` has them; `above` decides where names stand, `links`
    where they lead.
    """
    narrow = style.is_narrow(ax) if above is None else above
    rise = 0.06 if bars else 0.22
    texts = shown or style.told_apart(names, _LONGEST_ABOVE if narrow else _LONGEST)
    across = ax.get_yaxis_transform()
    ax.set_ylim(len(texts) - 0.5, -0.72 if narrow else -0.5)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    if narrow:
        ax.set_yticks([])
        written = [
            ax.text(0.0, place - rise, text, transform=across, va="bottom", fontsize=9)
            for place, text in enumerate(texts)
        ]
    else:
        written = ax.set_yticks(range(len(texts)), texts) and ax.get_yticklabels()
    for text, link in zip(written, links, strict=False):
        text.set_url(link)
    for place, text in enumerate(told):
        ax.text(
            1.0 if narrow else 1.015,
            place - rise if narrow else place,
            text,
            transform=across,
            ha="right" if narrow else "left",
            va="bottom" if narrow else "center",
            fontsize=9,
        )


def name_thresholds(ax: Any, thresholds: Iterable[float]) -> None:
    """Draw thresholds as dashed lines, each with its number and what it is quoted for above it."""
    every = sorted(thresholds)
    low, high = ax.get_xlim()
    seen = [one for one in every if low < one < high]
    for place, one in enumerate(seen):
        ax.axvline(one, color=style.FAINT, linewidth=0.9, linestyle="--", zorder=0.5)
        # Two of them stand back to back, so that they do not run into each other.
        side = "center" if len(seen) != 2 else ("right", "left")[place]
        words = [f"{one:g}", *([_WORDS[one]] if one in _WORDS else [])]
        text = " ".join(reversed(words) if side == "right" else words)
        _above(ax, one, text, side)


def name_marks(ax: Any, marks: Sequence[tuple[float, str]], *, row: float = 0.0) -> None:
    """Write what marks of a row are above the axes, moved apart where they would overlap."""
    low, high = ax.get_xlim()
    inches = max(ax.figure.get_figwidth() * ax.get_position().width, 1e-9)
    unit = (high - low) / inches
    ordered = sorted(marks)
    widths = [_LETTER * len(text) * unit for _, text in ordered]
    places = spread([x for x, _ in ordered], widths, 0.12 * unit, low, high)
    for (x, text), place in zip(ordered, places, strict=True):
        ax.annotate(
            text,
            (x, row),
            xytext=(place, 1.0),
            textcoords=ax.get_xaxis_transform(),
            ha="center",
            va="bottom",
            fontsize=9,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": style.FAINT, "linewidth": 0.7, "shrinkB": 4},
        )


def spread(
    places: Sequence[float], widths: Sequence[float], gap: float, low: float, high: float
) -> list[float]:
    """Move texts that are centred at places apart, as little as it takes, between two ends.

    Examples
    --------
    >>> spread([1.0, 1.1], [1.0, 1.0], 0.0, 0.0, 4.0)
    [0.55, 1.55]
    """
    found = list(places)
    for _ in range(50):
        for k in range(len(found) - 1):
            lacking = (widths[k] + widths[k + 1]) / 2 + gap - (found[k + 1] - found[k])
            if lacking > 1e-9:
                found[k] -= lacking / 2
                found[k + 1] += lacking / 2
        found = [
            min(max(x, low + w / 2), max(high - w / 2, low + w / 2))
            for x, w in zip(found, widths, strict=True)
        ]
    return [round(x, 12) for x in found]


def in_words(what: str, rows: Sequence[Row]) -> str:
    """Return what rows show, in words: the first of them, and how many more there are."""
    told = "; ".join(one.words for one in rows[:_TOLD])
    more = f"; and {len(rows) - _TOLD} more" if len(rows) > _TOLD else ""
    return f"{what}: {told}{more}."


def _above(ax: Any, x: float, text: str, side: str) -> None:
    offset = ({"right": -3, "left": 3}.get(side, 0), 2)
    look = {"fontsize": 8.5, "color": style.INK, "annotation_clip": False}
    style.beside(ax, text, (x, 1.0), offset, along="x", ha=side, va="bottom", **look)


# ---- Coefficients with their intervals, one below the other: of one variable, or of many


@style.drawing
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
    return style.describe(ax, in_words(f"Values with {percent(confidence_level)} intervals", rows))


@style.drawing
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
        colour, marker = (style.RED, "D") if below else (style.BLUE, "o")
        link = None if links is None else links.get(name)
        rows.append(replace(row, colour=colour, marker=marker, link=link))
    title = enumerated(list(dict.fromkeys(one.name for one in known.values())))
    ax = _rows(ax, rows, lines, confidence_level)
    ax.set_xlabel(f"{title} with {percent(confidence_level)} interval")
    return style.describe(ax, in_words(f"{title} of {len(rows)} variables, the lowest first", rows))


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
    ends = [x for one in rows for x in (one.value, one.low) if math.isfinite(x)]
    lowest = min(0.0, *ends)
    ax.set_xlim(lowest - 0.02, 1.02)
    if lowest < 0.0:
        ax.axvline(0.0, color=style.FAINT, linewidth=0.9)
    name_thresholds(ax, thresholds)
    ax.set_xlabel(f"value with {percent(confidence_level)} interval")
    return ax


# ---- Coefficients as bars, in groups: what labels and distances do to agreement

_HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "+++")  # colour is never the only carrier
_WIDTH = 0.8  # of a group
_KEY_LETTER, _KEY_PATCH = 0.075, 6  # inches of a letter of the key; letters that a patch takes


@style.drawing
def coefficient_bars(
    conditions: Mapping[str, Iterable[Estimate]],
    *,
    confidence_level: float = 0.95,
    ax: Any = None,
) -> Any:
    """Draw coefficients as bars, a group for each condition, with their intervals.

    Use it to show what the choice of labels and distances does: kappa and beta for antecedents
    and for chains, or alpha, alpha prime and beta for each distance.

    Parameters
    ----------
    conditions : mapping of name to estimates
        The groups from left to right; within each, one bar for each estimate. Coefficients of one
        name have one colour.
    confidence_level : float
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        No condition was given.
    UnsupportedDesignError
        No coefficient is defined.

    References
    ----------
    .. [1] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex, Figure 2.

    Examples
    --------
    >>> from consilience import cohen_kappa, units
    >>> chains = units.chain_ratings({
    ...     "Ann": {1: None, 2: 1, 3: 2, 10: None, 11: 10},
    ...     "Bob": {1: None, 2: 1, 3: None, 10: None, 11: 10}})
    >>> ax = coefficient_bars({
    ...     "kappa": [cohen_kappa(chains)], "Dice": [cohen_kappa(chains, distance="dice")]})
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['kappa', 'Dice']
    """
    if not conditions:
        raise InputError.expected(
            "conditions", "at least one", conditions, "for example {'Dice': [estimate]}"
        )
    groups = {str(name): list(found) for name, found in conditions.items()}
    names = list(dict.fromkeys(one.name for found in groups.values() for one in found))
    if not any(one.status == "ok" for found in groups.values() for one in found):
        raise UnsupportedDesignError.needs(
            "bars", "at least one coefficient that is defined", "none", "check the data"
        )
    room = _WIDTH / max(len(found) for found in groups.values())
    ax = style.new_axes(ax, width=max(4.8, 1.4 + 0.9 * sum(map(len, groups.values())) * 0.8))
    lowest = 0.0
    for place, found in enumerate(groups.values()):
        left = place - room * (len(found) - 1) / 2
        for k, one in enumerate(found):
            place_of = (left + k * room, 0.9 * room)
            look = names.index(one.name) % len(style.COLOURS)
            lowest = min(lowest, _bar(ax, place_of, one, look, confidence_level))
    _key(ax, names)
    ax.axhline(0.0, color=style.FAINT, linewidth=0.8)
    ax.set_xticks(range(len(groups)), [style.shortened(name) for name in groups])
    ax.set_ylim(min(0.0, lowest) - (0.05 if lowest < 0 else 0.0), 1.08)
    ax.set_ylabel(f"value with {100 * confidence_level:g}% interval")
    ax.grid(axis="y")
    ax.set_axisbelow(True)
    ax.tick_params(axis="x", length=0, rotation=30 if style.is_narrow() else 0)
    rows = [
        row_of(f"{group}, {one.name}", one, confidence_level)
        for group, found in groups.items()
        for one in found
        if one.status == "ok"
    ]
    return style.describe(ax, in_words("Coefficients in groups", rows))


def _bar(ax: Any, place: tuple[float, float], one: Estimate, k: int, level: float) -> float:
    """Draw one bar with its interval and its value; return how far down it reaches."""
    x, width = place
    if one.status != "ok":
        ax.text(x, 0.02, "undefined", rotation=90, ha="center", va="bottom", fontsize="small")
        return 0.0
    ax.bar(
        x, one.value, width=width, facecolor=_tint(style.COLOURS[k]), edgecolor=style.COLOURS[k],
        hatch=_HATCHES[k], linewidth=1.0,
    )  # fmt: skip
    interval = one.confidence_interval(level)
    low, high = interval.low, interval.high
    if math.isfinite(low):
        ax.plot([x, x], [low, high], color=style.INK, linewidth=1.2)
    else:
        low = high = one.value
    top = max(high, one.value, 0.0)
    ax.text(
        x, top + 0.015, style.minus(f"{one.value:.2f}"), ha="center", va="bottom", fontsize="small"
    )
    return min(low, one.value)


def _tint(colour: str) -> str:
    """Return a lighter colour: one that shines through would hide its hatches in an SVG."""
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(255 - 0.4 * (255 - part)):02x}" for part in parts)


def _key(ax: Any, names: list[str]) -> None:
    from matplotlib.patches import Patch

    handles = [
        Patch(
            facecolor=_tint(colour := style.COLOURS[k % len(style.COLOURS)]),
            edgecolor=colour,
            hatch=_HATCHES[k % len(_HATCHES)],
            label=style.shortened(name, 34),
        )
        for k, name in enumerate(names)
    ]
    longest = max(len(str(handle.get_label())) for handle in handles) + _KEY_PATCH
    beside = int(ax.figure.get_figwidth() / (longest * _KEY_LETTER))
    columns = max(1, min(3, beside, len(handles)))
    style.legend_above(ax, handles=handles, ncols=columns, fontsize="small")
