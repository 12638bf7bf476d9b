"""The whole distribution of differences between two markers, and what is read off it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.result import Several, Unremarked
from consilience.document import Document, Recorded, Table
from consilience.exceptions import InputError


@dataclass(frozen=True, slots=True)
class Differences(Recorded, Unremarked, Several):
    """How often two markers differ by how much.

    The share that is identical hides the rest: 80 % identical and 20 % off by four points is worse
    marking than 75 % identical and 25 % off by one.

    Attributes
    ----------
    counts : dict
        Difference (system minus person, or its size) to how often it occurs.

    Examples
    --------
    >>> a = differences({0: 80, 3: 5, 4: 15})  # Haley et al. 2008, Table 1-1
    >>> b = differences({0: 75, 1: 25})
    >>> a.identical, b.identical, a.within(1), b.within(1)
    (0.8, 0.75, 0.8, 1.0)
    """

    recorded: ClassVar[tuple[str, ...]] = (
        "n_items",
        "identical",
        "mean",
        "mean_absolute",
        "root_mean_square",
        "manhattan",
        "euclidean",
    )
    renamed: ClassVar[Mapping[str, str]] = {"n_items": "items"}

    counts: dict[float, float]

    @property
    def n_items(self) -> float:
        """Number of items, or the total of the shares that were given."""
        return float(sum(self.counts.values()))

    @property
    def identical(self) -> float:
        """Share of identical marks (exact agreement; the "simple metric")."""
        return self.within(0)

    def within(self, points: float) -> float:
        """Return the share of marks that differ by at most so many points."""
        hits = sum(n for gap, n in self.counts.items() if abs(gap) <= points + 1e-9)
        return float(hits) / self.n_items if self.n_items else math.nan

    @property
    def mean(self) -> float:
        """Mean difference: severity, where differences have a sign."""
        return self._mean(self._gaps)

    @property
    def mean_absolute(self) -> float:
        """Mean absolute difference."""
        return self._mean(np.abs(self._gaps))

    @property
    def root_mean_square(self) -> float:
        """Root of the mean squared difference."""
        return math.sqrt(self._mean(self._gaps**2))

    @property
    def manhattan(self) -> float:
        """Sum of absolute differences (L1)."""
        return float(np.abs(self._gaps) @ self._times)

    @property
    def sum_of_squares(self) -> float:
        """Sum of squared differences."""
        return float(self._gaps**2 @ self._times)

    @property
    def euclidean(self) -> float:
        """Root of the sum of squared differences (L2)."""
        return math.sqrt(self.sum_of_squares)

    @property
    def _gaps(self) -> Floats:
        return np.array(list(self.counts), dtype=np.float64)

    @property
    def _times(self) -> Floats:
        return np.array(list(self.counts.values()), dtype=np.float64)

    def _mean(self, of: Floats) -> float:
        return float(of @ self._times) / self.n_items if self.n_items else math.nan

    def _beside(self) -> dict[str, Any]:
        return {
            "counts": {f"{gap:g}": n for gap, n in self.counts.items()},
            "within_1": self.within(1),
            "within_2": self.within(2),
        }

    def document(self) -> Document:
        """Return the distribution as a table."""
        table = Table.of(
            self.counts.items(),
            ("difference", lambda pair: f"{pair[0]:+g}" if pair[0] else "0"),
            ("items", "1", _whole),
            ("share", lambda pair: pair[1] / self.n_items),
        )
        return Document.of(table, title="Differences")


def _whole(n: float) -> int | float:
    return int(n) if float(n).is_integer() else n


def differences(counts: Mapping[float, float]) -> Differences:
    """Make a distribution of differences from counts, or from percentages that a paper prints.

    Parameters
    ----------
    counts : mapping
        Difference, with or without its sign, to how often it occurs.

    Returns
    -------
    Differences

    Examples
    --------
    >>> differences({-1: 2, 0: 6, 1: 2}).mean_absolute
    0.4
    """
    given: Any = counts
    if not isinstance(given, Mapping) or not given:
        raise InputError.expected(
            "counts", "a mapping from difference to how often", counts, "as in {0: 80, 1: 20}"
        )
    clean: dict[float, float] = {}
    for gap, n in given.items():
        if not (_is_number(gap) and _is_number(n) and n >= 0):
            raise InputError.expected(
                "counts", "numbers, none of the counts below 0", {gap: n}, "as in {0: 80, 1: 20}"
            )
        clean[float(gap)] = float(n)
    if not sum(clean.values()):
        raise InputError.expected("counts", "more than 0 in all", counts, "count some items")
    return Differences(dict(sorted(clean.items())))


def _is_number(part: object) -> bool:
    return isinstance(part, Real) and math.isfinite(part)


def differences_of(first: Floats, second: Floats) -> Differences | None:
    """Count second minus first where both have a mark; None where they share no item."""
    gap = second - first
    values, counts = np.unique(np.round(gap[np.isfinite(gap)], 9), return_counts=True)
    if not values.size:
        return None
    return Differences(dict(zip(values.tolist(), counts.astype(float).tolist(), strict=True)))
