"""Studies whose items are drawn from known rows, each with the default interval and test.

The rows are those of a very large sample of a design, or of a pilot. A study is a new multiplicity
for each of them, and its posterior draws need no ratings: thousands of studies take seconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import Estimate
from consilience.coefficients.coefficient import Coefficient
from consilience.coefficients.interval_methods import error_was_chosen
from consilience.coefficients.sureness import MOST_LABELS, takes_values
from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream
from consilience.inference.posterior import limits_of, p_value_of, posterior_of
from consilience.inference.replicates import Replicator
from consilience.rows import MovingMetric, Rows
from consilience.rows.distinct_rows import all_rows, in_order

LEVEL = 0.95  # at which few items are given Student's tails, as in every default interval
_DRAWS_BEYOND = 15  # each limit; a whole number keeps the size of the test


def draws_for(level: float) -> int:
    """Return how many draws show the limits of a level well enough."""
    return math.ceil(round(2.0 * _DRAWS_BEYOND / (1.0 - level), 6)) - 1


@dataclass(frozen=True)
class StudyDraws:
    """One simulated study: the coefficient, and posterior draws of it."""

    value: float
    draws: Floats

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits of the default interval."""
        low, high = limits_of(self.draws, level)
        return low, 1.0 if self.value == 1.0 else high

    def p_value(self, null: float, alternative: str) -> float:
        """Return the p-value of the default test."""
        if self.value == 1.0 and alternative == "two-sided":
            return min(1.0, 2.0 * p_value_of(self.draws, null, "greater"))
        return p_value_of(self.draws, null, alternative)


@dataclass(frozen=True)
class RowStudies:
    """Rows to draw items from, and the coefficient that is computed."""

    coefficient: Coefficient
    rows: Rows
    metric: MovingMetric | None
    n_raters: int

    @classmethod
    def of(cls, found: Estimate) -> RowStudies | None:
        """Take the rows of an estimate; None where its default interval is not made from rows."""
        basis = found._basis
        source = basis.evaluation.source
        chosen = error_was_chosen(found) or basis.ratings.clusters is not None
        if chosen or takes_values(basis) or not source.in_memory:
            return None
        if source.form.size > MOST_LABELS:
            return None
        rows, _ = in_order(all_rows(source), basis.ratings.raters)
        return cls(basis.coefficient, rows, source.metric, basis.ratings.n_raters)

    def each(
        self, n_items: int, n_studies: int, level: float, rng: RandomStream
    ) -> Iterator[StudyDraws | None]:
        """Yield one study of this size after the other; None where the coefficient is undefined."""
        share = np.cumsum(self.rows.multiplicity)
        for _ in range(n_studies):
            if n_items > share.size:
                drawn = rng.multinomial(n_items, self.rows.multiplicity / share[-1])
                shown = np.flatnonzero(drawn)
                times = drawn[shown]
            else:
                place = np.searchsorted(share, share[-1] * rng.random(n_items), side="right")
                shown, times = np.unique(place, return_counts=True)
            yield self.study(shown, times.astype(np.float64), draws_for(level), rng)

    def study(
        self, shown: NDArray[np.intp], times: Floats, n_draws: int, rng: RandomStream
    ) -> StudyDraws | None:
        """Return the study that shows these rows so often; None where its value is undefined."""
        rows = self.rows
        part = Rows(
            rows.form,
            np.asarray(rows.vectors[:, shown]),
            rows.ratings[shown],
            times,
            None if rows.by_rater is None else np.asarray(rows.by_rater[:, shown]),
        )
        if not part.pairable.any():
            return None
        value = float(Replicator(self.coefficient, part, self.metric).values(times[:, None])[0])
        if math.isnan(value):
            return None
        full, draw = posterior_of(part, self.n_raters, LEVEL)
        draws = Replicator(self.coefficient, full, self.metric).values(draw(rng, n_draws))
        return StudyDraws(value, np.sort(draws[np.isfinite(draws)]))
