"""A confidence interval: its limits, how it was made, and the names of the ways to make one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

from consilience.core.registry import Registry
from consilience.exceptions import InputError, UnsupportedDesignError

_ANALYTIC = ("analytic", "auto", "dirichlet", "donner-eliasziw", "profile")
RESAMPLED = (
    "transformed",
    "jackknife",
    "percentile",
    "basic",
    "bca",
    "studentised",
    "hayes-krippendorff",
)
DRAWN = tuple(name for name in RESAMPLED if name not in ("transformed", "jackknife"))


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval and how it was made."""

    low: float
    high: float
    confidence_level: float
    method: str
    note: str = ""
    _again: Callable[[float, str], Interval] | None = field(default=None, repr=False, compare=False)

    def __iter__(self) -> Iterator[float]:
        """Unpack as low, high."""
        yield self.low
        yield self.high

    def __repr__(self) -> str:
        return (
            f"Interval({self.low:.4f}, {self.high:.4f}, "
            f"confidence_level={self.confidence_level:g}, method={self.method!r})"
        )

    @property
    def has_limits(self) -> bool:
        """Whether there is an interval at all; the note says why not."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def at(self, confidence_level: float, method: str = "auto") -> Interval:
        """Return the interval at another level or by another method, from the same data."""
        if confidence_level == self.confidence_level and method in ("auto", self.method):
            return self
        if self._again is not None:
            return self._again(confidence_level, method)
        if not self.has_limits:
            return replace(self, confidence_level=confidence_level)
        raise UnsupportedDesignError.needs(
            f"an interval at the level {confidence_level:g}",
            "to be asked for when the value is computed",
            f"one at {self.confidence_level:g}",
            f"compute anew with confidence_level={confidence_level:g}",
        )

    def to_dict(self) -> dict[str, object]:
        """Return plain data with stable keys."""
        return {
            "low": self.low if math.isfinite(self.low) else None,
            "high": self.high if math.isfinite(self.high) else None,
            "confidence_level": self.confidence_level,
            "method": self.method,
            **({"note": self.note} if self.note else {}),
        }


def check_confidence_level(level: float) -> float:
    """Return the level if it lies strictly between 0 and 1.

    Parameters
    ----------
    level : float

    Returns
    -------
    float

    Examples
    --------
    >>> check_confidence_level(0.9)
    0.9
    """
    number = isinstance(level, Real) and not isinstance(level, bool)
    if not number or not 0.0 < level < 1.0:
        hint = f"write {level / 100:g} for {level:g}%" if _percent(level) else "for example 0.95"
        raise InputError.expected("confidence_level", "between 0 and 1", level, hint)
    return float(level)


def _percent(level: object) -> bool:
    return isinstance(level, (int, float)) and 1 < level < 100


@dataclass(frozen=True)
class IntervalMethod:
    """A way to make intervals; those from resampling have no function of their own."""

    name: str
    make: Callable[[Any, float], Interval] | None = None


# Here, where numpy is not needed, so that the command line can offer the names at once.
INTERVALS: Registry[IntervalMethod] = Registry(
    "method",
    group="intervals",
    homes=dict.fromkeys((*_ANALYTIC, *RESAMPLED), "consilience.coefficients.uncertainty"),
)
