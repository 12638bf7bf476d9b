"""``method="auto"``: the interval that covered best for such a design, and why it was picked."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.coefficients import errors
from consilience.coefficients.interval_methods import perfect_interval
from consilience.inference import Interval, unanimity_interval
from consilience.rows import MomentForm

if TYPE_CHECKING:
    from consilience.coefficients._estimate import Estimate

FEW_SHARED = 5


def automatic_interval(estimate: Estimate, level: float) -> Interval:
    """Pick the interval that covered best for such a design, and say which and why."""
    interval, why = _picked(estimate, level)
    if shared_rare_items(estimate) < FEW_SHARED:
        why += (
            f" Too few items: fewer than {FEW_SHARED} got a label other than the most common one "
            "from most of their raters, and no method covers well then."
        )
    return replace(interval, note=why)


def _picked(estimate: Estimate, level: float) -> tuple[Interval, str]:
    basis = estimate._basis
    table = errors.binary_table(basis)
    if estimate.value == 1.0:
        return _full_agreement(estimate, level)
    if table is not None and basis.coefficient.has_goodness_of_fit:
        from consilience.inference import donner_eliasziw_interval

        interval = donner_eliasziw_interval(*table, confidence_level=level)
        return interval, "Two raters and two labels: goodness of fit covers even for rare labels."
    from consilience.coefficients._resampled_estimates import fisher_interval

    interval = fisher_interval(estimate, level)
    if math.isfinite(interval.low):
        why = "Leave-one-item-out error on Fisher's scale, which keeps the skew near 1."
        return interval, why
    plain = estimate.confidence_interval(level, method="analytic")
    return plain, f"{interval.note} Only value ± error is left."


def _full_agreement(estimate: Estimate, level: float) -> tuple[Interval, str]:
    """Return a lower limit where no pair of ratings differs."""
    plain = perfect_interval(estimate, level)
    basis = estimate._basis
    source = basis.evaluation.source
    if plain.method == "donner-eliasziw" or not source.in_memory:
        return plain, "All pairs agree, so only a lower limit can be told."
    from consilience.inference.replicates import all_rows

    rows = all_rows(source)
    items = np.bincount(rows.ratings.astype(np.intp), weights=rows.multiplicity)
    chance = estimate.expected if basis.coefficient.corrects_for_chance else 0.0
    interval = unanimity_interval(
        {many: round(float(items[many])) for many in np.flatnonzero(items).tolist() if many > 1},
        chance or 0.0,
        # One label known is not to say that no other could have been given.
        n_labels=basis.design.n_labels if basis.design.n_labels > 1 else None,
        confidence_level=level,
    )
    lowest = basis.coefficient.lowest(basis.design)
    return replace(interval, low=max(interval.low, lowest)), (
        "All pairs agree, so only a lower limit can be told: that of Clopper and Pearson for the "
        "share of unanimous items, with as much disagreement as an item can show on the others."
    )


def shared_rare_items(estimate: Estimate) -> float:
    """Count items on which most ratings fall outside the most common label.

    Numbers that hardly repeat have no most common one, so this does not limit them.
    """
    source = estimate._basis.evaluation.source
    if not source.in_memory:
        return math.inf
    from consilience.inference.replicates import all_rows

    rows = all_rows(source)
    if isinstance(rows.form, MomentForm):
        return math.inf
    totals = np.asarray(rows.vectors @ rows.multiplicity)
    common = int(np.argmax(totals))
    modal = rows.vectors[[common]]
    modal = np.asarray(modal.toarray() if hasattr(modal, "toarray") else modal).ravel()
    return float(rows.multiplicity @ ((modal < rows.ratings / 2.0) & (rows.ratings >= 2.0)))
