"""Bootstrap of an intraclass correlation over items, or over clusters of items."""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream
from consilience.core.resample import seed_sequence
from consilience.exceptions import UnsupportedDesignError
from consilience.inference import Interval
from consilience.inference.bootstrap_intervals import Bootstrap
from consilience.magnitudes._panel_marks import Panel
from consilience.magnitudes.intraclass._icc_forms import Kind, averaged, single
from consilience.magnitudes.intraclass._mean_squares import MeanSquares
from consilience.magnitudes.intraclass._units_of_marks import UnitSums

_RESAMPLES = 1_999
_SEED = 0
_MOST_CELLS = 4_000_000  # weights held at once


def bca_interval(
    data: Panel, ms: MeanSquares, kind: Kind, level: float, *, m: float, value: float
) -> Interval:
    """Return the bias-corrected and accelerated interval; the raters are taken as they are."""
    if data.has_gaps:
        raise UnsupportedDesignError.needs(
            "a bootstrap of the intraclass correlation",
            "every rating",
            "missing ones",
            'use missing="listwise", or method="auto"',
        )
    clusters = data.ratings.clusters
    units = UnitSums.of(data, None if clusters is None else clusters.codes, to_draw=True)
    size = len(units.sums)
    random = RandomStream.of(seed_sequence(_SEED))
    share, step = np.full(size, 1.0 / size), max(1, _MOST_CELLS // size)

    def values(squares: tuple[Floats, Floats, Floats]) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            rho = single(kind)(squares, ms)
            return averaged(rho, m) if m > 1.0 else rho

    drawn = []
    for first in range(0, _RESAMPLES, step):
        times = random.multinomial(size, share, min(step, _RESAMPLES - first))
        drawn.append(values(units.squares(times.astype(np.float64))))
    by = "item" if clusters is None else "cluster"
    made = Bootstrap.of(value, np.concatenate(drawn), by)
    return made.bca(values(units.without_each()), confidence_level=level)
