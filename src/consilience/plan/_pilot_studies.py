"""Studies like a pilot: items drawn from what the pilot leaves possible, not from the pilot alone.

Each study first draws how common the pilot's items are: from the posterior behind the default
interval for labels, from a Bayesian bootstrap for values. So an assurance also covers what a small
pilot does not know.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from consilience.coefficients import Estimate, estimate
from consilience.coefficients.interval_methods import error_was_chosen
from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream
from consilience.exceptions import UnsupportedDesignError
from consilience.inference.posterior import posterior_of
from consilience.plan._row_studies import LEVEL, RowStudies, StudyDraws, draws_for
from consilience.plan._simulated_studies import Estimated, Outcome
from consilience.ratings import Ratings
from consilience.ratings.stores import CodedMatrix, NumberMatrix

_CELLS_AT_ONCE = 1_000_000  # weights held at a time: rows x studies


class PilotStudies(Protocol):
    """Where studies like a pilot come from."""

    def each(
        self, n_items: int, n_studies: int, level: float, rng: RandomStream
    ) -> Iterator[Outcome | None]:
        """Yield one study of this size after the other; None where the value is undefined."""


def studies_like(pilot: Estimate) -> PilotStudies | None:
    """Return studies like a pilot; None where its default interval is not what counts."""
    rows = RowStudies.of(pilot)
    if rows is not None:
        return PilotRows(rows)
    values = _values(pilot._basis.ratings)
    if values is None or error_was_chosen(pilot) or pilot._basis.ratings.clusters is not None:
        return None
    return PilotValues(pilot, values)


@dataclass(frozen=True)
class PilotRows:
    """A pilot of labels."""

    pilot: RowStudies

    def each(
        self, n_items: int, n_studies: int, level: float, rng: RandomStream
    ) -> Iterator[StudyDraws | None]:
        """Yield one study of this size after the other; None where the value is undefined."""
        full, draw = posterior_of(self.pilot.rows, self.pilot.n_raters, LEVEL)
        studies = replace(self.pilot, rows=full)
        step = max(1, _CELLS_AT_ONCE // draw.n_rows)
        blocks = (min(step, n_studies - first) for first in range(0, n_studies, step))
        for weight in (one for size in blocks for one in draw(rng, size).T):
            times = rng.multinomial(n_items, weight / weight.sum()).astype(np.float64)
            shown = np.flatnonzero(times)
            yield studies.study(shown, times[shown], draws_for(level), rng)


@dataclass(frozen=True)
class PilotValues:
    """A pilot of numbers that hardly repeat."""

    pilot: Estimate
    values: Floats  # items × raters

    def each(
        self, n_items: int, n_studies: int, level: float, rng: RandomStream
    ) -> Iterator[Outcome | None]:
        """Yield one study of this size after the other; None where the value is undefined."""
        basis = self.pilot._basis
        for _ in range(n_studies):
            share = rng.dirichlet(np.ones(len(self.values)), 1)[0]
            items = rng.choice(share, n_items)
            ratings = Ratings.from_wide(self.values[items], scale=basis.ratings.scale)
            try:
                found = estimate(
                    basis.coefficient,
                    (ratings,),
                    distance=basis.distance,
                    missing=self.pilot.missing,
                    on_undefined="ignore",
                )
            except UnsupportedDesignError:  # by chance no item has two ratings
                yield None
            else:
                yield Estimated(found, draws_for(level)) if found.status == "ok" else None


def _values(ratings: Ratings) -> Floats | None:
    """Return items × raters of numbers; None where ratings are something else."""
    store = ratings._store
    if isinstance(store, NumberMatrix):
        return store.values
    if not isinstance(store, CodedMatrix) or ratings.numbers is None:
        return None
    worth = np.append(ratings.numbers, np.nan)
    marks = np.concatenate([worth[codes] for codes in store.decoded()])
    return marks if store.multiplicity is None else np.repeat(marks, store.multiplicity, axis=0)
