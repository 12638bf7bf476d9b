"""How raters label when they guess: distributions of chance ratings, and looking stable by luck."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats

_MOST_STEPS = 100


def looks_stable(p: Floats, times: int, threshold: float | None) -> Floats:
    """Return the probability that `times` random ratings look stable; labels lie along axis 0.

    Without a threshold that is sum_k p_k^T: all are equal. With one, it is the probability that
    the most frequent label reaches that share of them.
    """
    least = times if threshold is None else math.ceil(threshold * times - 1e-9)
    if least >= times:
        return np.asarray((p**times).sum(axis=0))
    # No label reaches `least`: T! times the coefficient of x^T in prod_k sum_{j<least} (p_k x)^j/j!
    series = np.zeros((times + 1, *p.shape[1:]))
    series[0] = 1.0
    for p_k in p:
        grown = np.zeros_like(series)
        for j in range(min(least, times + 1)):
            grown[j:] += series[: times + 1 - j] * p_k**j / math.factorial(j)
        series = grown
    return np.asarray(np.clip(1.0 - math.factorial(times) * series[times], 0.0, 1.0))


def from_unstable_sets(
    counts: Floats, sets: Floats, times: tuple[int, ...]
) -> tuple[Floats, NDArray[np.bool_]]:
    """Estimate the distribution of chance ratings from sets of ratings that are not all equal.

    Maximises sum_k C_k log p_k - sum_T N_T log(1 - sum_k p_k^T) for each row: `counts` C (rows ×
    labels) counts the ratings in unstable sets, `sets` N (rows × times) the sets of each size.
    Plain shares C_k / sum C would pull p towards even: sets of one label were thrown away.

    Returns
    -------
    p, identified
        Where one label fills all sets but for one rating each, as any two labels do when items
        are rated twice, the likelihood has no single maximum, and p is the plain share.
    """
    total = counts.sum(axis=1, keepdims=True)
    p = counts / np.where(total > 0.0, total, 1.0)
    room = sets @ (np.array(times, dtype=np.float64) - 1.0)
    identified = (counts.max(axis=1) < room) & (total[:, 0] > 0.0)
    if identified.any():
        p[identified] = _climb(p[identified], counts[identified], sets[identified], times)
    return p, identified


def _climb(p: Floats, counts: Floats, sets: Floats, times: tuple[int, ...]) -> Floats:
    """Newton's method in log p, where the log-likelihood is concave."""
    for _ in range(_MOST_STEPS):
        score, information = _derivatives(p, counts, sets, times)
        if np.all(np.abs(score).max(axis=1) <= 1e-12 * counts.sum(axis=1)):
            break
        step = np.linalg.solve(information, score[..., None])[..., 0]
        before = _log_likelihood(p, counts, sets, times)
        share = np.ones(len(p))
        for _ in range(40):
            tried = _moved(p, step * share[:, None])
            falls = ~(_log_likelihood(tried, counts, sets, times) >= before - 1e-13 * abs(before))
            if not falls.any():
                break
            share = np.where(falls, share / 2.0, share)
        p = _moved(p, step * share[:, None])
    return p


def _moved(p: Floats, step: Floats) -> Floats:
    grown = p * np.exp(np.clip(step, -30.0, 30.0))
    return np.asarray(grown / grown.sum(axis=1, keepdims=True))


def _log_likelihood(p: Floats, counts: Floats, sets: Floats, times: tuple[int, ...]) -> Floats:
    seen = np.where(counts > 0.0, counts * np.log(np.where(p > 0.0, p, 1.0)), 0.0).sum(axis=1)
    kept = np.stack([1.0 - (p**t).sum(axis=1) for t in times], axis=1)
    lost = np.where(sets > 0.0, sets * np.log(np.maximum(kept, 1e-300)), 0.0).sum(axis=1)
    return np.asarray(seen - lost)


def _derivatives(
    p: Floats, counts: Floats, sets: Floats, times: tuple[int, ...]
) -> tuple[Floats, Floats]:
    """Return observed minus expected counts, and the covariance of counts in an unstable set."""
    score = counts.copy()
    q = p.shape[1]
    information = np.zeros((len(p), q, q))
    diagonal = np.arange(q)
    for j, t in enumerate(times):
        kept = np.maximum(1.0 - (p**t).sum(axis=1), 1e-300)[:, None]
        mean = t * (p - p**t) / kept
        square = t * (t - 1) * p[:, :, None] * p[:, None, :] / kept[..., None]
        square[:, diagonal, diagonal] = (t * (t - 1) * p**2 + t * p - t**2 * p**t) / kept
        n = sets[:, j]
        score -= n[:, None] * mean
        information += n[:, None, None] * (square - mean[:, :, None] * mean[:, None, :])
    # Labels that do not occur stay out; a common factor of all p changes nothing.
    used = counts > 0.0
    information *= used[:, :, None] & used[:, None, :]
    information += used[:, :, None] & used[:, None, :]
    information[:, diagonal, diagonal] += ~used
    # A little ridge keeps the system regular where labels hardly occur.
    information[:, diagonal, diagonal] *= 1.0 + 1e-12
    return np.where(used, score, 0.0), information
