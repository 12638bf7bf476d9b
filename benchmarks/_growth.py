"""How time grows with the number of ratings, and the exponent that describes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks import _environment as environment

SIZES = tuple(10**k for k in range(3, 9))
_FITTED_FROM = 10**6  # below that, what a call costs whatever its size hides the growth


@dataclass(frozen=True)
class Curve:
    """Seconds for each number of ratings, and the exponent from a million ratings on."""

    title: str
    seconds: dict[int, float]

    @property
    def exponent(self) -> float:
        """Slope of log time over log size."""
        large = [(n, t) for n, t in self.seconds.items() if n >= _FITTED_FROM]
        if len(large) < 2:
            return float("nan")
        x, y = np.log([n for n, _ in large]), np.log([t for _, t in large])
        return float(np.polyfit(x, y, 1)[0])


# Title, call of ours, and how many items (or ratings) make so many ratings.
_JOBS: tuple[tuple[str, str, Callable[[int], int]], ...] = (
    ("six coefficients with errors, items × 5 raters in memory", "six", lambda n: n // 5),
    ("alpha with error, Parquet file reduced by DuckDB", "parquet", lambda n: n),
)


def curves(largest: int = SIZES[-1]) -> list[Curve]:
    """Measure every curve up to a number of ratings."""
    out = []
    for title, call, size in _JOBS:
        seconds = {}
        for n in SIZES:
            if n <= largest:
                record = environment.measure(call, size(n), home="ours", seconds=2.0)
                seconds[n] = float(record["best"])
        out.append(Curve(title, seconds))
    return out


def as_markdown(found: list[Curve]) -> str:
    """Return the curves as a table: one line a job, one column a size."""
    sizes = sorted({n for curve in found for n in curve.seconds})
    heads = ["ratings", *(f"{n:,}" for n in sizes), "exponent"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    for curve in found:
        cells = [_seconds(curve.seconds[n]) if n in curve.seconds else "" for n in sizes]
        lines.append("| " + " | ".join([curve.title, *cells, f"{curve.exponent:.2f}"]) + " |")
    return "\n".join(lines)


def _seconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 0.9995 else f"{seconds:.3g} s"
