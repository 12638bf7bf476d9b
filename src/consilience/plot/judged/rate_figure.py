"""What a judge says, what people say, and the corrected rate between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from consilience.core.interval import Interval
from consilience.exceptions import InputError
from consilience.judges import CorrectedRate, CorrectedShares, Rate, RateDifference
from consilience.plot.interval_rows import Row, in_words, interval_rows, name_marks, row_axes
from consilience.plot.style import GREY, RED, describe, drawing, minus, styled

_BELOW = 0.2  # how far below the corrected rate that of people alone is drawn, in rows


@dataclass(frozen=True)
class _Line:
    """One row: what the judge says, what is corrected, and people's labels by themselves."""

    name: str
    apparent: float
    value: float
    interval: Interval
    alone: Rate | None = None


@drawing
def corrected_rates(data: Any, *, ax: Any = None) -> Any:
    """Draw corrected rates, each beside what the judge says and what people's labels say alone.

    Blue is the corrected rate with its interval, grey below it the rate by people's labels alone,
    and the diamond what the judge says.

    Parameters
    ----------
    data : CorrectedRate, several of them, RateDifference or CorrectedShares
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import judges
    >>> found = judges.rogan_gladen(0.4, sensitivity=0.9, specificity=0.7, n_verdicts=1000,
    ...                             n_positive=200, n_negative=200)
    >>> ax = corrected_rates(found)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['judge']
    """
    lines, title = _lines_in(data)
    rows = [
        Row(name=one.name, value=one.value, low=one.interval.low, high=one.interval.high)
        for one in lines
    ]
    ax = row_axes(ax, len(rows), around=1.05, row=0.46)
    interval_rows(ax, rows)
    with styled():
        for place, one in enumerate(lines):
            if one.alone is not None:
                ends = [one.alone.interval.low, one.alone.interval.high]
                at = place + _BELOW
                ax.plot(ends, [at, at], color=GREY, linewidth=1.6)
                ax.plot(one.alone.value, at, "s", color=GREY, markersize=4.5)
            ax.plot(one.apparent, place, "D", color=RED, markersize=6)
        ax.set_xlabel(title)
        name_marks(ax, _marks(lines[0]))
    said = [f"{one.name}: judge says {one.apparent:.2f}{_alone(one)}" for one in lines]
    return describe(ax, f"{in_words(f'Corrected {title}', rows)} {'; '.join(said)}.")


def _marks(line: _Line) -> list[tuple[float, str]]:
    marks = [(line.apparent, "judge says"), (line.value, "corrected")]
    return [*marks, *([(line.alone.value, "people alone")] if line.alone else [])]


def _alone(line: _Line) -> str:
    return "" if line.alone is None else minus(f", people alone {line.alone.value:.2f}")


def _lines_in(data: Any) -> tuple[list[_Line], str]:
    """Return the rows of a result, and what the axis shows."""
    if isinstance(data, CorrectedShares):
        return [
            _Line(str(label), said, one.value, one.interval)
            for label, said, one in zip(data.labels, data.apparent, data.shares, strict=True)
        ], "share of each label"
    if isinstance(data, RateDifference):
        both = zip(data.systems, data.rates, strict=True)
        return [_of_rate(one, str(name)) for name, one in both], data.rates[0].name
    found = [data] if isinstance(data, CorrectedRate) else list(_several(data))
    if not found or not all(isinstance(one, CorrectedRate) for one in found):
        raise InputError.expected(
            "data", "corrected rates", type(data).__name__, "see judges.corrected_rate"
        )
    lines = [_of_rate(one, str(one.judge)) for one in found]
    if len(found) == 1:
        lines += [
            _Line(str(name), said, rate.value, rate.interval)
            for name, _, _, said, rate in found[0].strata
        ]
    return lines, found[0].name


def _several(data: Any) -> Iterable[Any]:
    return data if isinstance(data, list | tuple) else ()


def _of_rate(one: CorrectedRate, name: str) -> _Line:
    interval = one.confidence_interval(one.confidence_level)
    alone = one.people_alone if one.method != "people" else None
    return _Line(name, one.apparent, one.value, interval, alone)
