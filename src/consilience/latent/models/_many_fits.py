"""Many fits of latent classes at once: all starts, or all resamples, in one array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats
from consilience.latent.models._em import logarithm

_CELLS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Batch:
    """Fits side by side: shares (fits × classes), rates (fits × (rater · label) × classes)."""

    share_bj: Floats
    rate_bcj: Floats
    log_likelihood_b: Floats
    converged_b: np.ndarray[tuple[int], np.dtype[np.bool_]]
    iterations_b: np.ndarray[tuple[int], np.dtype[np.int64]]

    def joined(self, other: Batch) -> Batch:
        """Put other fits behind these."""
        return Batch(
            *(
                np.concatenate([getattr(self, name), getattr(other, name)])
                for name in self.__dataclass_fields__
            )
        )


def random_start(
    n_fits: int, n_raters: int, n_labels: int, n_classes: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return equal shares and rates drawn evenly from all that add up to 1."""
    drawn = rng.dirichlet(np.ones(n_labels), (n_fits, n_raters, n_classes))
    rate = drawn.transpose(0, 1, 3, 2).reshape(n_fits, n_raters * n_labels, n_classes)
    return np.full((n_fits, n_classes), 1.0 / n_classes), rate


def expect(
    counts: Floats, weight_bi: Floats, share_bj: Floats, rate_bcj: Floats
) -> tuple[Floats, Floats]:
    """Return the posteriors (fits × classes × rows) and the log-likelihoods."""
    joint = logarithm(rate_bcj).transpose(0, 2, 1) @ counts.T
    joint += logarithm(share_bj)[:, :, None]
    top = joint.max(axis=1)
    joint -= top[:, None, :]
    np.exp(joint, out=joint)
    total = joint.sum(axis=1)
    joint /= total[:, None, :]
    return joint, ((np.log(total) + top) * weight_bi).sum(axis=1)


def maximise(
    counts: Floats, weight_bi: Floats, posterior_bji: Floats, n_labels: int
) -> tuple[Floats, Floats]:
    """Return shares and rates from the posteriors."""
    weighted = posterior_bji * weight_bi[:, None, :]
    total = weighted.sum(axis=2)
    expected = (weighted @ counts).transpose(0, 2, 1)
    n_fits, n_cells, n_classes = expected.shape
    cells = expected.reshape(n_fits, n_cells // n_labels, n_labels, n_classes)
    row = cells.sum(axis=2, keepdims=True)
    even = np.full_like(cells, 1.0 / n_labels)
    rate = np.divide(cells, row, out=even, where=row > 0.0).reshape(expected.shape)
    return total / total.sum(axis=1, keepdims=True), rate


def fit_batch(
    counts: Floats,
    weight_bi: Floats,
    start: tuple[Floats, Floats],
    n_labels: int,
    *,
    tolerance: float,
    max_iterations: int,
) -> Batch:
    """Iterate all fits until each stands still; those that do are left alone."""
    n_fits, n_classes = start[0].shape
    most = max(_CELLS_AT_ONCE // max(n_classes * len(counts), 1), 1)
    if n_fits > most:
        parts = [
            fit_batch(
                counts,
                weight_bi[k : k + most],
                (start[0][k : k + most], start[1][k : k + most]),
                n_labels,
                tolerance=tolerance,
                max_iterations=max_iterations,
            )
            for k in range(0, n_fits, most)
        ]
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.joined(part)
        return whole
    share, rate = start[0].copy(), start[1].copy()
    best = np.full(n_fits, -np.inf)
    converged = np.zeros(n_fits, dtype=np.bool_)
    iterations = np.zeros(n_fits, dtype=np.int64)
    at_work = np.arange(n_fits)
    for _ in range(max_iterations):
        weight = weight_bi[at_work]
        posterior, value = expect(counts, weight, share[at_work], rate[at_work])
        gain = value - best[at_work]
        best[at_work] = value
        iterations[at_work] += 1
        still = gain < tolerance
        converged[at_work[still]] = True
        if still.all():
            break
        at_work = at_work[~still]
        share[at_work], rate[at_work] = maximise(
            counts, weight[~still], posterior[~still], n_labels
        )
    return Batch(share, rate, best, converged, iterations)
