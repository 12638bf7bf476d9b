"""How often each label is given: a judge that passes too much agrees less, and this says why."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from consilience.core.tails import student_below
from consilience.document import Recorded
from consilience.inference import holm
from consilience.panel._resampled_means import Plan, Value
from consilience.panel.panel_data import Panel

MOST_LABELS = 50  # more are numbers or free text


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelUse(Recorded):
    """How often a system gives a label, beside the people on the same items.

    Attributes
    ----------
    share, people_share : float
        Of the items that the system and at least one person rated.
    difference : Value
        The first minus the second, with a t interval over items or documents.
    p_value, p_adjusted : float
        Of no difference; the second after Holm over all labels and systems.
    """

    system: object
    label: object
    share: float
    people_share: float
    difference: Value
    p_value: float
    p_adjusted: float


def label_uses(panel: Panel, plan: Plan) -> tuple[LabelUse, ...]:
    """Compare how often systems and people give each label, on the items that both rated.

    An item counts for each person as one part of those who rated it, so that people who rated more
    items do not weigh more on an item.
    """
    labels = panel.ratings.categories
    if len(labels) > MOST_LABELS or panel.ratings.scale != "nominal":
        return ()
    codes = panel.codes[:, : len(panel.people)]
    n_rated = (codes >= 0).sum(axis=1)
    found = []
    for system in panel.systems:
        own = panel.codes[:, panel.column(system)]
        use = (own >= 0) & (n_rated > 0)
        own, others, n = own[use], codes[use], n_rated[use]
        here = plan if plan.clusters is None else replace(plan, clusters=_numbered(plan, use))
        for k, label in enumerate(labels):
            mine, theirs = own == k, (others == k).sum(axis=1) / n
            gap = mine - theirs
            if not gap.size or not (mine.any() or theirs.any()):
                continue
            value = here.from_influence(float(gap.mean()), gap)
            found.append(
                LabelUse(
                    system=system,
                    label=label,
                    share=float(mine.mean()),
                    people_share=float(theirs.mean()),
                    difference=value,
                    p_value=_p_value(value, here, gap.size),
                    p_adjusted=math.nan,
                )
            )
    if not found:
        return ()
    adjusted = holm([one.p_value for one in found])
    return tuple(replace(one, p_adjusted=float(p)) for one, p in zip(found, adjusted, strict=True))


def _numbered(plan: Plan, use: Any) -> Any:
    assert plan.clusters is not None
    return np.unique(plan.clusters[use], return_inverse=True)[1]


def _p_value(value: Value, plan: Plan, n: int) -> float:
    units = n if plan.clusters is None else int(plan.clusters.max()) + 1
    error = value.standard_error
    if not math.isfinite(error) or units < 2:
        return math.nan
    if error <= 1e-12:
        return 1.0 if abs(value.value) <= 1e-12 else 0.0
    return 2.0 * student_below(-abs(value.value / error), units - 1.0)
