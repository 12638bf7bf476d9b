"""One check for distances that people bring along, as a matrix or as a function."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.distances.label_scores import LARGEST_DISTANCE, SMALLEST_DISTANCE
from consilience.exceptions import InputError

# Differences below this share of the largest distance are rounding, such as 1 − cosine similarity.
_ROUNDING = 1e-9

_Rule = tuple[NDArray[np.bool_], str, str]


def checked(d_kl: Floats, labels: Sequence[object], *, what: str) -> Floats:
    """Return a clean distance matrix: finite, not negative, zero diagonal, symmetric."""
    if d_kl.size == 0:
        return d_kl
    finite = np.isfinite(d_kl)
    _obey((finite, "a finite number", "leave no entry out"), d_kl, labels, what=what)
    largest = float(np.abs(d_kl).max())
    if largest and not SMALLEST_DISTANCE <= largest <= LARGEST_DISTANCE:
        raise InputError.expected(
            what,
            f"within {SMALLEST_DISTANCE:g} and {LARGEST_DISTANCE:g} at its largest",
            largest,
            "multiply all distances by one constant, agreement does not depend on it",
        )
    for rule in _rules(d_kl, slack=_ROUNDING * largest):
        _obey(rule, d_kl, labels, what=what)
    clean: Floats = np.maximum((d_kl + d_kl.T) / 2, 0.0)
    np.fill_diagonal(clean, 0.0)
    return clean


def _rules(d_kl: Floats, *, slack: float) -> list[_Rule]:
    """Return where each rule is kept, what it demands, and what to do if it is broken."""
    same = np.eye(len(d_kl), dtype=bool)
    return [
        (d_kl >= -slack, "zero or more", "a distance is never negative"),
        (
            ~same | (np.abs(d_kl) <= slack),
            "zero for a label and itself",
            "similarities are not distances: from weights w take 1 - w",
        ),
        (
            np.abs(d_kl - d_kl.T) <= slack,
            "symmetric",
            "symmetrise it, for example by the mean of both directions, (d + d.T) / 2",
        ),
    ]


def _obey(rule: _Rule, d_kl: Floats, labels: Sequence[object], *, what: str) -> None:
    kept, expectation, hint = rule
    if kept.all():
        return
    row, column = np.argwhere(~kept)[0]
    found = [(labels[row], labels[column], float(d_kl[row, column]))]
    if row != column:
        found.append((labels[column], labels[row], float(d_kl[column, row])))
    raise InputError.expected(what, expectation, found, hint)
