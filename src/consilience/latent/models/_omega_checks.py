"""What omega can be asked, checked before any number: design, weights, certainties, retests."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.checks import number_where
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.latent.models._omega_chance import looks_stable
from consilience.latent.models._omega_study import Study
from consilience.ratings import Ratings

WEIGHTS = ("corrected", "naive")
INFECTED_SHARE = "it is the share of chance-infected items"
_MOST_RATERS = 100
_MOST_LABELS = 512


def check_design(ratings: Ratings) -> None:
    """Refuse too few or too many raters or labels."""
    n_raters, n_labels = len(ratings.raters), len(ratings.categories)
    if not 2 <= n_raters <= _MOST_RATERS:
        hint = (
            "one rater's agreement with herself is latent.intra_rater"
            if n_raters < 2
            else "choose some with ratings.select(raters=...)"
        )
        need = f"between two and {_MOST_RATERS} raters"
        raise UnsupportedDesignError.needs("omega", need, f"{n_raters}", hint)
    if not 1 <= n_labels <= _MOST_LABELS:
        raise UnsupportedDesignError.needs(
            "omega",
            f"between 1 and {_MOST_LABELS} labels",
            f"{n_labels:,}",
            "collapse the labels, or round them if they are numbers",
        )


def check_threshold(threshold: Any) -> float | None:
    """Return the share of equal ratings that counts as stable."""
    if threshold is None:
        return None
    return number_where(
        "stability_threshold",
        threshold,
        "above 0 and at most 1",
        "1 asks for all ratings to be equal; leave it out for the same",
        fits=lambda x: 0.0 < x <= 1.0,
    )


def check_weight(weight: Any, ratings: Ratings) -> tuple[str | float, Floats | None]:
    """Return the weight as a word or a number, or certainties as raters × items."""
    if isinstance(weight, str):
        if weight not in WEIGHTS:
            raise InputError.unknown_word("weight", weight, WEIGHTS)
        return weight, None
    if isinstance(weight, Real) and not isinstance(weight, bool):
        share = number_where(
            "weight", weight, "between 0 and 1", INFECTED_SHARE, fits=lambda x: 0.0 <= x <= 1.0
        )
        return share, None
    if weight is None or isinstance(weight, bool):
        raise InputError.expected(
            "weight",
            "'corrected', 'naive', a number between 0 and 1, or certainties",
            weight,
            'leave it out for "corrected"',
        )
    return "certainties", _check_certainties(weight, ratings)


def _check_certainties(stated: Any, ratings: Ratings) -> Floats:
    """Return certainties as raters × items."""
    shape = (ratings.n_items, len(ratings.raters))
    expectation = f"a table of {shape[0]} items × {shape[1]} raters, or a mapping of rater to list"
    try:
        if isinstance(stated, Mapping):
            table = np.array(
                [np.asarray(stated[rater], dtype=np.float64) for rater in ratings.raters]
            )
        else:
            table = np.asarray(stated, dtype=np.float64).T
    except (KeyError, TypeError, ValueError) as error:
        got = f"no entry for {error}" if isinstance(error, KeyError) else type(stated).__name__
        raise InputError.expected(
            "certainties", expectation, got, "give one number between 0 and 1 per item and rater"
        ) from None
    if table.shape != shape[::-1]:
        raise InputError.expected(
            "certainties", expectation, f"shape {table.shape[::-1]}", "keep the order of the items"
        )
    outside = table[np.isfinite(table) & ((table < 0.0) | (table > 1.0))]
    if outside.size or np.isinf(table).any():
        raise InputError.expected(
            "every certainty",
            "between 0 and 1",
            float(outside[0]) if outside.size else math.inf,
            "divide by 100 if they are percentages",
        )
    return table


def check_retests(study: Study, ratings: Ratings, threshold: float | None) -> None:
    """Refuse raters of whom nothing is known about their stability."""
    again = study.given >= 2
    if not again.any():
        raise UnsupportedDesignError.needs(
            "omega",
            "items that raters rated more than once, or a stated weight",
            "one rating per rater and item",
            "name the column of occasions in Ratings.from_long, or state weight=",
        )
    never = [name for name, row in zip(ratings.raters, again, strict=True) if not row.any()]
    busy = [name for name, row in zip(ratings.raters, study.given, strict=True) if row.any()]
    never = [name for name in never if name in busy]
    if never:
        raise UnsupportedDesignError.needs(
            "omega",
            "items that every rater rated more than once, or a stated weight",
            f"none for {', '.join(map(str, never[:6]))}",
            "select the raters who rated again, or state weight=",
        )
    shared = again.astype(np.float64) @ again.T.astype(np.float64)
    for g in range(len(shared)):
        for h in range(g):
            meet = ((study.given[g] > 0) & (study.given[h] > 0)).any()
            if meet and shared[g, h] == 0:
                raise UnsupportedDesignError.needs(
                    "omega",
                    "items that both raters of a pair rated more than once, or a stated weight",
                    f"none for {ratings.raters[h]} and {ratings.raters[g]}",
                    "let them rate the same items again, or state weight=",
                )
    even = np.full((study.n_labels, 1), 1.0 / study.n_labels)
    if threshold is not None and study.n_labels > 1:
        blind = [t for t in study.times if looks_stable(even, t, threshold)[0] > 1.0 - 1e-12]
        if blind:
            raise InputError.expected(
                "stability_threshold",
                f"above the share that {blind[0]} ratings of {study.n_labels} labels always reach",
                threshold,
                "raise it, or leave it out",
            )
