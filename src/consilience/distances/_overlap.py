"""The overlap distance of labels that are sets: how much of the smaller set is shared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats
from consilience.distances._distance import register
from consilience.distances._sets import Label, Members, SetDistance, between


@register
@dataclass(frozen=True)
class Overlap(SetDistance):
    """One minus the share of the smaller set that both have; see `overlap_distance`."""

    name = "overlap"

    def from_overlap(self, shared: Members, size: Members, size_other: Members) -> Floats:
        """Return 1 − |A ∩ B|/min(|A|, |B|); an empty set is far from all but the empty set."""
        smaller = np.minimum(size, size_other)
        d: Floats = 1.0 - np.divide(shared, np.maximum(smaller, 1), dtype=np.float64)
        d[np.maximum(size, size_other) == 0] = 0.0
        return d


def overlap_distance(a: Label, b: Label) -> float:
    """Return the overlap distance of two sets, 1 − |A ∩ B|/min(|A|, |B|).

    Parameters
    ----------
    a, b : set, frozenset, tuple or list
        The two labels; a plain text is refused, it is not a set.

    Returns
    -------
    float
        0 when one set holds the other (two empty ones as well), 1 for sets that share nothing.

    Raises
    ------
    InputError
        A label is not a set of hashable members.

    Notes
    -----
    A set and any part of it have the distance 0: it suits raters who may stop early, and no others.
    The empty set shares nothing with any other set, so its distance from them is 1.

    References
    ----------
    .. [1] Szymkiewicz, D. (1934). Une contribution statistique à la géographie floristique. Acta
       Societatis Botanicorum Poloniae 11, 249–265.

    Examples
    --------
    >>> overlap_distance({1, 2}, {1, 2, 3, 4})
    0.0
    >>> overlap_distance({"fear", "anger"}, {"anger", "joy", "pride"})
    0.5
    """
    return between(Overlap(), a, b)
