"""Accuracy: every rater against a standard that is taken as right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.coefficients import Estimate
from consilience.core.labels import is_missing
from consilience.document import Recorded
from consilience.exceptions import UnsupportedDesignError
from consilience.panel._label_precision import wilson
from consilience.panel._measures import Measure
from consilience.panel._pairs import Pair
from consilience.panel._resampled_means import Plan, Value
from consilience.panel.panel_data import Panel, from_matrix, names_of, prepare
from consilience.ratings import Ratings
from consilience.ratings.item_codes import code_matrix, per_item


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy(Recorded):
    """One rater against the gold standard."""

    rater: object
    kind: str
    n_items: int
    correct: Value
    agreement: dict[str, float]


def gold_name(ratings: Ratings, gold: Any) -> tuple[Ratings, object]:
    """Return ratings in which the gold standard is a rater, and its name."""
    if isinstance(gold, (str, bytes, int)):
        (name,) = names_of(ratings, [gold], "gold")
        return ratings, name
    labels = per_item(ratings, gold, "gold")
    name = "gold" if "gold" not in ratings.raters else "gold standard"
    known = {str(label): k for k, label in enumerate(ratings.categories)}
    categories = list(ratings.categories)
    column = np.full(ratings.n_items, -1)
    for i, label in enumerate(labels):
        if is_missing(label):
            continue
        if str(label) not in known:
            known[str(label)] = len(categories)
            categories.append(label)
        column[i] = known[str(label)]
    codes = np.column_stack([code_matrix(ratings), column])
    joined = from_matrix(
        codes,
        ratings,
        categories=categories,
        scale=ratings.scale,
        declared=ratings.categories_declared and len(categories) == len(ratings.categories),
        raters=[*ratings.raters, name],
    )
    return joined, name


def accuracies(
    ratings: Ratings,
    gold: object,
    panel: Panel,
    measures: list[Measure],
    plan: Plan,
    **options: Any,
) -> tuple[Accuracy, ...]:
    """Measure every system and person against the gold standard."""
    everybody = [name for name in panel.raters if name != gold]
    out = []
    for rater in everybody:
        try:
            one = prepare(ratings, systems=[rater], people=[gold], **options)
        except UnsupportedDesignError:  # no item in common with the standard
            nothing = plan.nothing("no item in common with the gold standard")
            kind = "system" if rater in panel.systems else "person"
            out.append(Accuracy(rater=rater, kind=kind, n_items=0, correct=nothing, agreement={}))
            continue
        pair = Pair(one, gold, rater, measures)
        places = {m.key: k for k, m in enumerate(measures)}
        correct = pair.values[places["identical"]]
        if plan.clusters is None:
            share = wilson(float(correct), pair.n_items, plan.level)
        else:
            share = plan.from_influence(float(correct), pair.influence()[places["identical"]])
        out.append(
            Accuracy(
                rater=rater,
                kind="system" if rater in panel.systems else "person",
                n_items=pair.n_items,
                correct=share,
                agreement={
                    key: found.value if isinstance(found, Estimate) else float("nan")
                    for key, found in pair.estimates.items()
                },
            )
        )
    return tuple(out)
