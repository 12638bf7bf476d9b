"""A summary on a terminal: colour where there is a screen, and each interval drawn as a bar."""

from __future__ import annotations

import math
import sys
import textwrap
from typing import IO, TYPE_CHECKING, Any

from consilience.core.words import number, percent, printable, shortened
from consilience.report._summary_text import (
    facts,
    findings,
    interval_text,
    reasons,
    render_text,
    value_text,
)

if TYPE_CHECKING:
    from consilience.coefficients import Estimate
    from consilience.report._summary import Summary

_NAME = 20  # "Krippendorff's alpha"
_BESIDE = 65  # what an ungrouped table needs beside the bar in 80 columns
_BESIDE_GROUPS = 69
_SHARES = ("observed", "expected")  # which a correlation does not have
_SHORTEST_BAR, _LONGEST_BAR = 11, 41
_NARROWEST = 72  # below that, plain text


def render_terminal(summary: Summary, *, width: int = 80, color: bool = False) -> str:
    """Render a summary for a terminal of some width; escape codes only with `color`."""
    if width < _NARROWEST:
        return render_text(summary, width)
    from rich.console import Console

    console = Console(
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    with console.capture() as captured:
        _print(console, summary)
    lines = captured.get().splitlines()
    return "\n".join(line if color else line.rstrip() for line in lines)


def _print(console: Any, summary: Summary) -> None:
    from rich.text import Text

    first, *rest = [printable(line) for line in facts(summary)]
    console.print(Text(first, style="bold"))
    for line in rest:
        console.print(Text(line))
    console.print()
    console.print(_table(summary, console.width))
    notes = [*reasons(summary), *findings(summary)]
    if notes:
        console.print()
    for line in notes:
        style = "dim" if line.startswith("info") else "yellow"
        first, *rest = textwrap.wrap(line, console.width - 2)
        console.print(Text("• ", style=style) + Text(first))
        for more in rest:
            console.print(Text("  " + more))


def _table(summary: Summary, width: int) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    low, high = _axis(summary)
    beside = _BESIDE_GROUPS if summary.groups else _BESIDE
    cells = min(_LONGEST_BAR, max(_SHORTEST_BAR, width - beside))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    if summary.groups:
        room = max(8, width - (_BESIDE_GROUPS - 12) - cells)
        table.add_column(shortened(summary.by or "group"), overflow="fold", max_width=room)
    table.add_column("coefficient", overflow="fold", min_width=_NAME)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column(f"{percent(summary.confidence_level)} interval", no_wrap=True)
    for head in ("items",) if summary.groups else ("obs.", "exp."):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column(_axis_text(low, high, cells), no_wrap=True, min_width=cells)
    for name, _, estimates in summary.parts():
        measured: list[Any] = [*estimates, *summary.magnitudes]
        for k, estimate in enumerate(measured):
            undefined = estimate.status == "undefined"
            row = [Text(shortened(name or "") if k == 0 else "")] if summary.groups else []
            row += [
                Text(estimate.name),
                Text(value_text(estimate), style="yellow" if undefined else "bold"),
                Text(interval_text(estimate, summary.confidence_level)),
            ]
            if summary.groups:
                row.append(Text(f"{estimate.n_items_used:,}"))
            else:
                row += [Text(number(getattr(estimate, what, None))) for what in _SHARES]
            row.append(_bar(estimate, summary.confidence_level, low, high, cells))
            table.add_row(*row)
    return table


def _axis(summary: Summary) -> tuple[float, float]:
    """Return the ends of the bars: from 0, -0.5 or -1, whichever shows everything, to 1."""
    lowest = 0.0
    for _, _, estimates in summary.parts():
        for estimate in estimates:
            if estimate.status == "ok":
                lowest = min(lowest, *_ends(estimate, summary.confidence_level))
    return (0.0 if lowest >= 0 else -0.5 if lowest >= -0.5 else -1.0), 1.0


def _axis_text(low: float, high: float, cells: int) -> str:
    left, right = f"{low:g}", f"{high:g}"
    if low < 0:
        zero = round(-low / (high - low) * (cells - 1))
        left = left.ljust(zero) + "0"
    return left + right.rjust(cells - len(left))


def _ends(estimate: Estimate, confidence_level: float) -> tuple[float, float, float]:
    interval = estimate.confidence_interval(confidence_level)
    low = interval.low if math.isfinite(interval.low) else estimate.value
    high = interval.high if math.isfinite(interval.high) else estimate.value
    return low, estimate.value, high


def _bar(estimate: Estimate, confidence_level: float, low: float, high: float, cells: int) -> Any:
    """Draw the interval as a line, the value as a dot on it; empty where it is undefined."""
    from rich.text import Text

    if estimate.status == "undefined":
        return Text("")

    def place(x: float) -> int:
        return max(0, min(cells - 1, round((x - low) / (high - low) * (cells - 1))))

    start, dot, end = (place(x) for x in _ends(estimate, confidence_level))
    bar = Text()
    bar.append("·" * start, style="dim")
    bar.append("━" * (dot - start), style="cyan")
    bar.append("●", style="bold cyan")
    bar.append("━" * (end - dot), style="cyan")
    bar.append("·" * (cells - 1 - end), style="dim")
    return bar


def print_summary(summary: Summary, stream: IO[str] | None = None) -> None:
    """Print a summary: for a terminal with colour and bars, otherwise as plain text."""
    stream = stream or sys.stdout
    stream.write(for_stream(summary, stream) + "\n")


def for_stream(summary: Summary, stream: IO[str]) -> str:
    """Render a summary in the way that fits where it goes."""
    import os
    import shutil

    encodes = (getattr(stream, "encoding", None) or "").lower().replace("-", "").startswith("utf")
    if not stream.isatty() or not encodes or os.environ.get("TERM") == "dumb":
        return render_text(summary)
    color = not os.environ.get("NO_COLOR")
    width = shutil.get_terminal_size((80, 24)).columns
    return render_terminal(summary, width=width, color=color)
