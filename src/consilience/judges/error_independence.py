"""Do judges err independently once the right label is known? An exact test by permutation."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.draws import RandomStream
from consilience.core.resample import Seed
from consilience.core.tails import student_below
from consilience.inference.clustered import clustered_variance

_N_PERMUTED = 999
_MOST_GROUPS = 200  # of more, those with the fewest items are left out of the test


def independence_p(
    errors: Floats, right: Ints, *, cluster: Ints | None = None, rng: Seed = 0
) -> float:
    """Return the one-sided p-value of errors that are independent once the right label is known.

    The number of pairs of judges who err on the same item, against what permuting each judge's
    errors gives, within items of one label on which the same judges gave a verdict. With clusters,
    sums over clusters of the products of centred errors, against Student's t.

    Parameters
    ----------
    errors : array of items x judges
        1 for an error, 0 for a right verdict, NaN for none.
    right : array of int
        The right label of each item.
    cluster : array of int, optional
    rng : int or numpy.random.Generator, default 0

    Returns
    -------
    float
        NaN where nobody can err together with another.

    Examples
    --------
    >>> together = np.array([[1.0, 1, 1], [1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]] * 8)
    >>> independence_p(together, np.zeros(40, dtype=int))
    0.001
    """
    if cluster is not None:
        return _clustered_p(errors, right, cluster)
    draw = RandomStream.of(rng)
    seen, drawn, varies = 0, np.zeros(_N_PERMUTED, dtype=np.int64), False
    for group in _groups(errors, right):
        together = group.sum(axis=1).astype(np.int64)
        seen += int((together * (together - 1)).sum()) // 2
        wrong = group.sum(axis=0).astype(np.int64)
        drawn += permuted_pairs(wrong, len(group), draw)
        varies |= int(((wrong > 0) & (wrong < len(group))).sum()) > 1
    if not varies:
        return math.nan
    return float(1 + np.count_nonzero(drawn >= seen)) / (_N_PERMUTED + 1)


def _groups(errors: Floats, right: Ints) -> Iterator[Floats]:
    """Yield the errors of the judges who gave a verdict, by right label and by who they are."""
    known = ~np.isnan(errors)
    keys = np.column_stack([right, known])
    _, place, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    place = place.ravel()
    for k in np.argsort(-counts, kind="stable")[:_MOST_GROUPS]:
        group = errors[place == k]
        group = group[:, ~np.isnan(group[0])]
        if len(group) > 1 and group.shape[1] > 1:
            yield group


def permuted_pairs(wrong: Ints, n: int, draw: RandomStream) -> Ints:
    """Draw how many pairs err together when each judge's errors fall on items at random.

    Judges come one after the other. Items with s errors so far are alike, so that how many of the
    next judge's errors fall on them is hypergeometric: nothing needs to be shuffled.
    """
    with_errors = np.zeros((len(wrong) + 1, _N_PERMUTED), dtype=np.int64)
    with_errors[0] = n
    pairs = np.zeros(_N_PERMUTED, dtype=np.int64)
    for judge, errors in enumerate(wrong.tolist()):
        left, rest = np.full(_N_PERMUTED, errors), np.full(_N_PERMUTED, n)
        hit = np.zeros((judge + 1, _N_PERMUTED), dtype=np.int64)
        for s in range(judge, 0, -1):
            rest = rest - with_errors[s]
            hit[s] = draw.hypergeometric(with_errors[s], rest, left)
            left = left - hit[s]
            pairs += s * hit[s]
        hit[0] = left
        with_errors[: judge + 1] -= hit
        with_errors[1 : judge + 2] += hit
    return pairs


def _clustered_p(errors: Floats, right: Ints, cluster: Ints) -> float:
    """Return the p-value where items of a cluster are alike: one sum of products per cluster."""
    centred = np.zeros_like(errors)
    for label in np.unique(right):
        own = errors[right == label]
        known = ~np.isnan(own)
        mean = np.where(known, own, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        centred[right == label] = np.where(known, own - mean, 0.0)
    products = (centred.sum(axis=1) ** 2 - (centred**2).sum(axis=1)) / 2.0
    spread = math.sqrt(clustered_variance(products, cluster, small_sample="never"))
    n = int(np.unique(cluster).size)
    if spread <= 0.0 or n < 2:
        return math.nan
    return 1.0 - student_below(float(products.sum()) / spread, n - 1.0)
