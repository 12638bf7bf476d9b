"""Expectation and maximisation for raters who err by a table of chances.

Dawid & Skene's model, its one-coin form, latent classes and MACE differ only in what they make of
the expected counts: how often rater g gave label l to items of class j.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.latent.models._sparse_ratings import Votes

_IMPOSSIBLE = -1e5  # stands for the logarithm of 0: its exponential is 0, and sums stay finite
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
    """Return the posterior of each row and the log-likelihood."""
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
    votes: Votes,
    posterior: Floats,
    maximise: Maximise,
    *,
    tolerance: float,
    max_iterations: int,
) -> Fit:
    """Alternate maximisation and expectation until the objective stands still."""
    history: list[float] = []
    converged = False
    while True:
        step = maximise(*expected_counts(votes, posterior))
        posterior, value = expect(votes, logarithm(step.share_j), logarithm(step.rate_cj))
        history.append(value + step.log_prior)
        if len(history) > 1:
            gain = history[-1] - history[-2]
            converged = gain < max(tolerance, _NOISE * abs(history[-1]) if tolerance else 0.0)
        if converged or len(history) >= max_iterations:
            return Fit(step, posterior, value, np.array(history), converged)


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
