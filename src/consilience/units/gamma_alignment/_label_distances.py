"""Distances between labels, scaled from 0 to 1 as gamma needs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.labels import check_categories, label_key
from consilience.distances import LabelSpace, get_distance
from consilience.exceptions import InputError, shown

# Distances of numbers and ranks have units of their own; the largest becomes 1.
_SCALED = ("linear", "quadratic", "radical", "interval", "ratio", "bipolar", "circular", "taxonomy")


def label_space(labels: tuple[Any, ...], categories: Sequence[Any] | None) -> LabelSpace:
    """Return the labels, in the order that the user declared."""
    if categories is None:
        return LabelSpace.of(labels)
    order = check_categories(categories)
    known = {label_key(label) for label in order}
    missing = [label for label in labels if label_key(label) not in known]
    if missing:
        raise InputError.expected(
            "categories",
            "a list in which every label of the units occurs once",
            order,
            f"it lacks {shown(missing)}",
        )
    return LabelSpace.of(order, ordered=True)


def scaled_distances(
    labels: tuple[Any, ...], distance: Any, categories: Sequence[Any] | None
) -> tuple[str, Floats]:
    """Return the name of the distance and the distance of every two labels, between 0 and 1."""
    space = label_space(labels, categories)
    found = get_distance("nominal" if distance is None else distance, scale="nominal")
    size = len(space.labels)
    # Gamma's own ordinal distance counts ranks and looks at no frequencies.
    by_rank = found.name in ("ordinal", "ordinal-gwet")
    measured = get_distance("linear", scale="ordinal") if by_rank else found
    if by_rank and space.numbers is not None:
        space = LabelSpace(space.labels, True, _ranks(space.numbers))
    d_kl = np.asarray(measured.matrix(space, np.ones(size)), dtype=np.float64)
    largest = float(d_kl.max(initial=0.0))
    if by_rank or found.name in _SCALED:
        d_kl = d_kl / largest if largest > 0 else d_kl
    elif largest > 1.0 + 1e-12:
        raise InputError.expected(
            "the distances of labels",
            "between 0 and 1",
            largest,
            "divide all distances by the largest one",
        )
    at = {label_key(label): k for k, label in enumerate(space.labels)}
    place = [at[label_key(label)] for label in labels]
    return "ordinal" if by_rank else found.name, d_kl[np.ix_(place, place)]


def _ranks(numbers: Floats) -> Floats:
    return np.unique(numbers, return_inverse=True)[1].astype(np.float64)
