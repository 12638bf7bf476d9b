"""How sure a coefficient of values is: draws of the items, or Student's t where these are many."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients.sureness import (
    FEWEST_DRAWS,
    MOST_ROWS,
    TAIL_LEVEL,
    Drawn,
    DrawnRows,
    Sureness,
    Transformed,
    in_order,
    left_out,
    one_per_item,
)
from consilience.core.resample import seed_sequence
from consilience.inference.posterior import posterior_of_values
from consilience.inference.replicates import all_rows
from consilience.inference.skewed_t import SkewedT, from_reliability_scale, reliability_scale
from consilience.rows import MarginToUniform, MomentForm, Rows, Uniform
from consilience.rows.moment_rows import as_moments

if TYPE_CHECKING:
    from consilience.coefficients._estimate import Basis, Estimate

_MOST_WEIGHTS = 2_000_000  # of items in all draws: about a second


def among_values(estimate: Estimate, n_draws: int) -> Sureness | None:
    """Draw items with their values; very many of them: Student's t on the scale of mean squares."""
    basis = estimate._basis
    spread = _on_mean_squares(estimate)
    codes = None if basis.ratings.clusters is None else basis.ratings.clusters.codes
    rows = None if spread is None else _value_rows(basis, codes)
    if spread is None or rows is None:
        return spread
    degrees = spread.spread.degrees_of_freedom
    full, draw = posterior_of_values(rows, degrees, TAIL_LEVEL, cluster=codes)
    size = min(n_draws, max(FEWEST_DRAWS, _MOST_WEIGHTS // draw.n_rows))
    weights = draw(np.random.default_rng(seed_sequence(estimate.seed)), size)
    return Drawn(estimate, DrawnRows(full, weights, 2, draw.cluster, full.form))


def _value_rows(basis: Basis, codes: NDArray[np.int64] | None) -> Rows | None:
    """Return rows of values, on a line wherever there is one; None: there are too many."""
    source = basis.evaluation.source
    if not source.in_memory and basis.ratings.n_items > MOST_ROWS:
        return None
    if codes is None:
        rows = in_order(all_rows(source), basis.ratings.raters)
    else:
        rows = one_per_item(basis)
    if rows.multiplicity.size > MOST_ROWS:
        return None
    terms = basis.coefficient.terms(rows.form).values()
    by_label = any(isinstance(term, (Uniform, MarginToUniform)) for term in terms)
    numbers = basis.ratings.numbers
    if (
        isinstance(rows.form, MomentForm)
        or by_label
        or numbers is None
        or source.metric is not None
    ):
        return rows
    points = basis.distance.embed(np.asarray(numbers, dtype=np.float64))
    return rows if points is None else as_moments(rows, points)


def _on_mean_squares(estimate: Estimate) -> Transformed | None:
    """Interval and ratio distances on values: the logarithm of the ratio of mean squares."""
    without, times, rows = left_out(estimate)
    many = rows.multiplicity * rows.pairable
    m = float(many @ rows.ratings) / float(many.sum())
    y = float(reliability_scale(estimate.value, m))
    others = reliability_scale(without, m)
    if not (math.isfinite(y) and np.isfinite(others).all() and times.sum() > 2):
        return None
    return Transformed(
        "skewed-t",
        "Leave-one-out error on the scale of mean squares, with Student's t for the skew seen.",
        SkewedT.of(y, others, times),
        lambda value: reliability_scale(value, m),
        lambda place: from_reliability_scale(place, m),
    )
