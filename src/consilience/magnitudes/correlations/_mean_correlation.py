"""Correlations of all pairs of raters, averaged on Fisher's scale."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.checks import check_word
from consilience.inference import Interval, Test
from consilience.inference.intervals import Alternative, wald_test
from consilience.magnitudes._magnitude import Magnitude, check_number
from consilience.magnitudes._panel_marks import panel
from consilience.magnitudes.paired import Paired, error_of_mean

AVERAGES = ("fisher", "plain")


@dataclass(frozen=True, kw_only=True, repr=False)
class MeanCorrelation(Magnitude):
    """The mean of the correlations of all pairs of raters.

    `standard_error` is that of the mean, on Fisher's scale when that is where the mean was taken;
    pairs share raters and items, which it accounts for through each item's effect on the mean.
    """

    n_pairs: int = 0
    n_pairs_left_out: int = 0
    average: str = "fisher"
    interval_method: ClassVar[str] = "fisher"
    lowest: ClassVar[float] = -1.0
    highest: ClassVar[float] = 1.0

    @property
    def details(self) -> dict[str, Any]:
        """How many pairs of raters there are."""
        return {
            "pairs": self.n_pairs,
            "pairs_left_out": self.n_pairs_left_out,
            "average": self.average,
        }

    @property
    def _degrees_of_items(self) -> float:
        return float(self.n_items_used - 1)

    def _interval(self, level: float) -> Interval:
        if not 0.0 < self.standard_error < math.inf or not self.degrees_of_freedom:
            return self._no_interval(level)
        if self.average == "fisher":
            return self._fisher_interval(level, self.standard_error)
        return replace(super()._interval(level), method="student")

    def test(self, null: float = 0.0, *, alternative: Alternative = "two-sided") -> Test:
        """Test a null value on the scale on which the mean was taken."""
        null = check_number("null", null)
        fisher = self.average == "fisher" and abs(null) < 1.0 and abs(self.value) < 1.0
        value = math.atanh(self.value) - math.atanh(null) if fisher else self.value - null
        return wald_test(
            value,
            self.standard_error if self.degrees_of_freedom else math.nan,
            null=0.0,
            alternative=alternative,
            degrees_of_freedom=self.degrees_of_freedom,
            method=self.average,
        )


Correlate = Callable[[Paired], float]
Influence = Callable[[Paired], Floats]


def mean_correlation(
    measure: str, data: tuple[Any, ...], average: str, correlate: Correlate, influence: Influence
) -> MeanCorrelation:
    """Average a correlation over all pairs of raters, each on the items that both rated."""
    check_word("average", average, AVERAGES)
    marks = panel(measure, data)
    clusters = marks.ratings.clusters
    parts = list(marks.blocks()) if clusters is None else [(marks.laid_out(), None)]
    values = np.concatenate([values for values, _ in parts])
    weight = np.concatenate([np.ones(len(v)) if w is None else w for v, w in parts])
    rated = (~np.isnan(values)).sum(axis=1) >= 2
    n = int(weight[rated].sum())
    facts = marks.facts(measure, n)
    if clusters is not None:
        values, weight = values[rated], weight[rated]
        facts["clusters"] = clusters.of_items(rated)
    effect, total, counts = np.zeros(len(values)), 0.0, {"used": 0, "perfect": 0, "undefined": 0}
    signs = set()
    for first, second in combinations(range(values.shape[1]), 2):
        both = ~np.isnan(values[:, [first, second]]).any(axis=1)
        pair = Paired(
            values[both, first], values[both, second], weight[both], (first, second), n, (), None
        )
        if not both.any() or pair.why_not() is not None:
            counts["undefined"] += 1
            continue
        r = correlate(pair)
        if abs(r) == 1.0 and average == "fisher":
            counts["perfect"] += 1
            signs.add(r)
            continue
        slope = 1.0 / (1.0 - r**2) if average == "fisher" else 1.0
        total += math.atanh(r) if average == "fisher" else r
        effect[both] += slope * influence(pair) * n / pair.n
        counts["used"] += 1
    if counts["used"] == 0 and len(signs) == 1:  # all are 1, or all are -1: so is their mean
        facts.update(n_pairs=sum(counts.values()), n_pairs_left_out=counts["undefined"])
        facts["flags"] += ("boundary",)
        return MeanCorrelation(value=signs.pop(), average=average, **facts)
    return _mean(total, effect, weight, n=n, counts=counts, average=average, facts=facts)


def _mean(
    total: float,
    effect: Floats,
    weight: Floats,
    *,
    n: int,
    counts: dict[str, int],
    average: str,
    facts: dict[str, Any],
) -> MeanCorrelation:
    used = counts["used"]
    for word in ("perfect", "undefined"):
        if counts[word]:
            facts["flags"] += (f"{word}_pairs_left_out",)
    facts.update(
        n_pairs=sum(counts.values()), n_pairs_left_out=sum(counts.values()) - used, average=average
    )
    if used == 0:
        why = "every correlation is exactly 1 or -1" if counts["perfect"] else "no pair has one"
        reason = f"no_correlation: there is nothing to average, as {why}"
        return MeanCorrelation.undefined(reason, facts)
    mean = total / used
    return MeanCorrelation(
        value=math.tanh(mean) if average == "fisher" else mean,
        standard_error=error_of_mean(effect / used, weight, n, facts["clusters"]),
        standard_error_method="linearised, Fisher's scale" if average == "fisher" else "linearised",
        **facts,
    )
