"""Expectation and maximisation for raters who err by a table of chances.

Dawid & Skene's model, its one-coin form, latent classes and MACE differ only in what they make of
the expected counts: how often rater g gave label l to items of class j.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream
from consilience.latent.models._sparse_ratings import Votes

_IMPOSSIBLE = -1e5  # stands for the logarithm of 0: its exponential is 0, and sums stay finite
_CELLS_AT_ONCE = 2_000_000
_NOISE = 8.0 * np.finfo(np.float64).eps  # relative rounding of a sum of log-likelihoods


@dataclass(frozen=True)
class Step:
    """What maximisation gives back; `log_prior` is what priors add to the objective."""

    share_j: Floats  # how common each class is
    rate_cj: Floats  # chance of each (rater · label) in each class
    log_prior: float = 0.0


@dataclass(frozen=True)
class Fit:
    """Where the iteration ended."""

    step: Step
    posterior: Floats  # rows × classes
    log_likelihood: float
    history: Floats  # the objective after each iteration; never falls
    converged: bool

    @property
    def objective(self) -> float:
        """The value that was maximised."""
        return float(self.history[-1])


# Expected counts (rater · label × classes) and class totals → parameters.
Maximise = Callable[[Floats, Floats], Step]


def logarithm(values: Floats) -> Floats:
    """Return the logarithm, finite for 0."""
    out = np.full(np.shape(values), _IMPOSSIBLE)
    np.log(values, out=out, where=values > 0.0)
    return out


def expect(votes: Votes, log_share_j: Floats, log_rate_cj: Floats) -> tuple[Any, float]:
    """Return the posterior of each row (Dawid & Skene 1979) and the log-likelihood."""
    # Classes in rows: every step then runs along the long axis.
    joint = np.ascontiguousarray(np.asarray(votes.counts @ log_rate_cj).T)
    joint += log_share_j[:, None]
    top = joint.max(axis=0)
    joint -= top
    np.exp(joint, out=joint)
    total = joint.sum(axis=0)
    joint /= total
    np.log(total, out=total)
    total += top
    return np.ascontiguousarray(joint.T), float(total @ votes.multiplicity)


def expected_counts(votes: Votes, posterior: Floats) -> tuple[Floats, Floats]:
    """Return expected counts of (rater · label) by class, and of items by class."""
    weighted = posterior if votes.is_plain else posterior * votes.multiplicity[:, None]
    return np.asarray(votes.counts.T @ weighted), np.ones(votes.n_rows) @ weighted


def iterate(
    votes: Votes, posterior: Floats, maximise: Maximise, *, tolerance: float, max_iterations: int
) -> Fit:
    """Alternate maximisation and expectation until the objective stands still."""
    history: list[float] = []
    while True:
        step = maximise(*expected_counts(votes, posterior))
        posterior, value = expect(votes, logarithm(step.share_j), logarithm(step.rate_cj))
        history.append(value + step.log_prior)
        converged = _stands_still(history, tolerance)
        if converged or len(history) >= max_iterations:
            return Fit(step, posterior, value, np.array(history), converged)


class VotesElsewhere(Protocol):
    """Ratings too many to hold: each pass over them gives back only tables of raters."""

    @property
    def n_raters(self) -> int:
        """Number of raters."""

    @property
    def n_labels(self) -> int:
        """Number of labels."""

    def started(self) -> tuple[Floats, Floats]:
        """Return expected counts, where the posterior of an item is its vote shares."""

    def passed(self, log_share_j: Floats, log_rate_cj: Floats) -> tuple[Floats, Floats, float]:
        """Return expected counts by (rater · label) and class, class totals, log-likelihood."""


def iterate_elsewhere(
    votes: VotesElsewhere, maximise: Maximise, *, tolerance: float, max_iterations: int
) -> Fit:
    """Alternate maximisation here and expectation where the ratings lie; as `iterate` does."""
    history: list[float] = []
    counts, totals = votes.started()
    while True:
        step = maximise(counts, totals)
        counts, totals, value = votes.passed(logarithm(step.share_j), logarithm(step.rate_cj))
        history.append(value + step.log_prior)
        converged = _stands_still(history, tolerance)
        if converged or len(history) >= max_iterations:
            return Fit(step, np.empty((0, totals.size)), value, np.array(history), converged)


def _stands_still(history: list[float], tolerance: float) -> bool:
    """Tell whether the objective gained less than it should, or than rounding explains."""
    if len(history) < 2:
        return False
    gain = history[-1] - history[-2]
    return gain < max(tolerance, _NOISE * abs(history[-1]) if tolerance else 0.0)


def confusion_step(n_raters: int, n_labels: int, smoothing: float = 0.0) -> Maximise:
    """Estimate a full table of chances for each rater (Dawid & Skene 1979, eqs 2.3 and 2.4)."""

    def maximise(count_cj: Floats, total_j: Floats) -> Step:
        n_classes = total_j.size
        cells = count_cj.reshape(n_raters, n_labels, n_classes) + smoothing
        row = cells.sum(axis=1, keepdims=True)
        even = np.full_like(cells, 1.0 / n_labels)  # a class that the rater never met
        rate = np.divide(cells, row, out=even, where=row > 0.0)
        prior = smoothing * float(logarithm(rate).sum()) if smoothing else 0.0
        return Step(total_j / total_j.sum(), rate.reshape(count_cj.shape), prior)

    return maximise


def one_coin_step(n_raters: int, n_labels: int, smoothing: float = 0.0) -> Maximise:
    """Estimate one accuracy for each rater; errors fall evenly on the other labels."""
    right = np.eye(n_labels, dtype=np.bool_)

    def maximise(count_cj: Floats, total_j: Floats) -> Step:
        cells = count_cj.reshape(n_raters, n_labels, n_labels)
        hits = cells[:, right].sum(axis=1) + smoothing
        given = cells.sum(axis=(1, 2)) + n_labels * smoothing
        accuracy = np.divide(hits, given, out=np.full(n_raters, 1.0 / n_labels), where=given > 0)
        error = (1.0 - accuracy) / (n_labels - 1)
        rate = np.where(right, accuracy[:, None, None], error[:, None, None])
        prior = 0.0
        if smoothing:
            logs = logarithm(accuracy) + (n_labels - 1) * logarithm(error)
            prior = smoothing * float(logs.sum())
        return Step(total_j / total_j.sum(), rate.reshape(count_cj.shape), prior)

    return maximise


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
    n_fits: int, n_raters: int, n_labels: int, n_classes: int, rng: RandomStream
) -> tuple[Floats, Floats]:
    """Return equal shares and rates drawn evenly from all that add up to 1."""
    drawn = rng.dirichlet(np.ones(n_labels), n_fits * n_raters * n_classes)
    drawn = drawn.reshape(n_fits, n_raters, n_classes, n_labels)
    rate = drawn.transpose(0, 1, 3, 2).reshape(n_fits, n_raters * n_labels, n_classes)
    return np.full((n_fits, n_classes), 1.0 / n_classes), rate


def expect_batch(
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


def maximise_batch(
    counts: Floats, weight_bi: Floats, posterior_bji: Floats, n_labels: int
) -> tuple[Floats, Floats]:
    """Return shares and rates from the posteriors (Dawid & Skene 1979, eqs 2.3 and 2.4)."""
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
        posterior, value = expect_batch(counts, weight, share[at_work], rate[at_work])
        gain = value - best[at_work]
        best[at_work] = value
        iterations[at_work] += 1
        still = gain < tolerance
        converged[at_work[still]] = True
        if still.all():
            break
        at_work = at_work[~still]
        share[at_work], rate[at_work] = maximise_batch(
            counts, weight[~still], posterior[~still], n_labels
        )
    return Batch(share, rate, best, converged, iterations)
