"""What dkpro-statistics calls MASI, to compare numbers with it: another measure than MASI."""

from __future__ import annotations

from dataclasses import dataclass

from consilience.core.arrays import Floats
from consilience.distances._distance import register
from consilience.distances._sets import Jaccard, Label, Members, Passonneau, SetDistance, between


@register
@dataclass(frozen=True)
class MasiDkpro(SetDistance):
    """Jaccard's distance times Passonneau's, which is not MASI; see `masi_dkpro_distance`."""

    name = "masi_dkpro"

    def from_overlap(self, shared: Members, size: Members, size_other: Members) -> Floats:
        """Return the product of the two distances, where MASI multiplies two similarities."""
        jaccard = Jaccard().from_overlap(shared, size, size_other)
        return jaccard * Passonneau().from_overlap(shared, size, size_other)


def masi_dkpro_distance(a: Label, b: Label) -> float:
    """Return what dkpro-statistics computes as MASI: Jaccard's distance times Passonneau's.

    Parameters
    ----------
    a, b : set, frozenset, tuple or list
        The two labels; a plain text is refused, it is not a set.

    Returns
    -------
    float
        0 for equal sets (two empty ones as well), 1 for sets that share nothing.

    Raises
    ------
    InputError
        A label is not a set of hashable members.

    Notes
    -----
    For comparison with that program only: MASI itself is one minus a product of similarities, so
    that sets which overlap in part are farther apart than here. See `masi_distance`.

    References
    ----------
    .. [1] Passonneau, R. J. (2006). Measuring agreement on set-valued items (MASI) for semantic
       and pragmatic annotation. LREC 2006, 831–836.

    Examples
    --------
    >>> round(masi_dkpro_distance({1, 2}, {1, 2, 3, 4}), 4)  # MASI: 0.6667
    0.1667
    """
    return between(MasiDkpro(), a, b)
