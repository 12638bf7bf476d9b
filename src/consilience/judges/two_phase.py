"""Every item has a judge's verdict, some have people's labels: what the sample says about a rate.

The verdicts are a first phase that is cheap, the labels a second one that is right. Each method
takes such a sample and returns a value, its standard error and its limits at any level.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from consilience.core.arrays import Floats, Ints, Mask
from consilience.core.tails import quantile
from consilience.exceptions import UnsupportedDesignError
from consilience.inference.clustered import clustered_variance
from consilience.inference.intervals import wilson_limits
from consilience.judges.summed_shares import SummedShares

Limits = Callable[[float], tuple[float, float]]


@dataclass(frozen=True)
class TwoPhase:
    """What a judge said of every item, and people of some.

    Attributes
    ----------
    predicted : array
        The judge's verdict: 1 where it gives the label, 0 where it does not or refuses; or a score.
    truth : array
        The share of people who give the label, or their mean score; NaN where nobody was asked.
    state : array of int
        The judge's verdict by kind: items of one kind are taken as alike (0 no, 1 yes, 2 refused).
    cluster : array of int, optional
        Which items belong together.
    weight : array, optional
        One over the probability with which an item was picked for a label.
    is_rate : bool
        Whether values lie between 0 and 1.
    """

    predicted: Floats
    truth: Floats
    state: Ints
    cluster: Ints | None = None
    weight: Floats | None = None
    is_rate: bool = True

    @cached_property
    def labelled(self) -> Mask:
        """Which items have people's labels."""
        return ~np.isnan(self.truth)

    @property
    def n_items(self) -> int:
        """Number of items with a verdict."""
        return int(self.predicted.size)

    @cached_property
    def n_labels(self) -> int:
        """Number of items with people's labels."""
        return int(self.labelled.sum())

    @cached_property
    def label_weight(self) -> Floats:
        """Weights of the labelled items, which add up to 1."""
        own = np.ones(self.n_labels) if self.weight is None else self.weight[self.labelled]
        return np.asarray(own / own.sum())

    @property
    def apparent(self) -> float:
        """What the judge says."""
        return float(self.predicted.mean())

    def of_items(self, kept: Mask) -> TwoPhase:
        """Return the sample of some of the items."""
        return TwoPhase(
            predicted=self.predicted[kept],
            truth=self.truth[kept],
            state=self.state[kept],
            cluster=None if self.cluster is None else self.cluster[kept],
            weight=None if self.weight is None else self.weight[kept],
            is_rate=self.is_rate,
        )


@dataclass(frozen=True)
class Fitted:
    """A value with its error, its limits at any level, and each item's pull on it."""

    value: float
    standard_error: float
    limits: Limits
    method: str
    influence: Floats = field(repr=False)
    about: Mapping[str, float] = field(default_factory=dict)
    shares: SummedShares | None = None  # what a rate is the sum of, where items are independent


def check_labels(sample: TwoPhase, least: int = 2) -> None:
    """Refuse a sample that has next to no labels."""
    if sample.n_labels < least:
        raise UnsupportedDesignError.needs(
            "a corrected rate",
            f"at least {least} items that both the judge and people labelled",
            f"{sample.n_labels:,} of {sample.n_items:,}",
            "check that both name the items alike, or let people label some of them",
        )


# -------------------------------------------------------------------- variances and limits


def degrees_of_freedom(sample: TwoPhase) -> float:
    """Return the number of independent units with labels, less one."""
    if sample.cluster is None:
        return max(sample.n_labels - 1.0, 1.0)
    return max(float(np.unique(sample.cluster[sample.labelled]).size) - 1.0, 1.0)


def t_limits(value: float, error: float, df: float | None, *, is_rate: bool) -> Limits:
    """Return the value plus and minus a quantile times the error; shares stay between 0 and 1."""

    def limits(level: float) -> tuple[float, float]:
        reach = quantile(0.5 + level / 2.0, df) * error
        low, high = value - reach, value + reach
        return (max(low, 0.0), min(high, 1.0)) if is_rate else (low, high)

    return limits


def share_limits(value: float, effective: float, df: float | None = None) -> Limits:
    """Return limits of a share that is as sure as one of so many independent answers.

    Wilson's interval with the number of answers that would have the same variance; where few units
    tell the variance, Student's quantile makes it smaller (Korn and Graubard 1998).
    """

    def limits(level: float) -> tuple[float, float]:
        tail = 0.5 + level / 2.0
        z = quantile(tail, None)
        n = effective if df is None else effective * (z / quantile(tail, df)) ** 2
        low, high = wilson_limits(value, n, level)
        return float(low), float(high)

    return limits


# -------------------------------------------------------------------- methods


def people_alone(sample: TwoPhase) -> Fitted:
    """Use people's labels and nothing else."""
    check_labels(sample)
    y, w = sample.truth[sample.labelled], sample.label_weight
    value = float(w @ y)
    influence = np.zeros(sample.n_items)
    influence[sample.labelled] = w * (y - value)
    variance = clustered_variance(influence, sample.cluster)
    df = degrees_of_freedom(sample)
    if not sample.is_rate:
        n = sample.n_labels  # the influences of all other items are 0
        error = math.sqrt(variance * (n / (n - 1.0) if sample.cluster is None else 1.0))
        return Fitted(value, error, t_limits(value, error, df, is_rate=False), "people", influence)
    error = math.sqrt(variance)
    own = 1.0 / float(w @ w)
    effective = own
    if sample.cluster is not None or sample.weight is not None:
        effective = min(effective_answers(value, variance, own), own)
    few = df if sample.cluster is not None else None
    limits = share_limits(value, effective, few)
    shares = None
    if sample.cluster is None:
        shares = SummedShares(np.ones(1), np.array([value * effective]), np.array([effective]), 0.0)
    return Fitted(value, error, limits, "people", influence, {"effective": effective}, shares)


def effective_answers(value: float, variance: float, own: float) -> float:
    """Return how many independent answers would have this variance; `own` where none would."""
    if variance <= 0.0 or not 0.0 < value < 1.0:
        return own
    return value * (1.0 - value) / variance


def prediction_powered(sample: TwoPhase, *, tuned: bool) -> Fitted:
    """Prediction-powered inference; tuned, PPI++.

    Angelopoulos et al. (2023), Science 382, 669-674; Angelopoulos, Duchi and Zrnic (2023), arXiv
    2311.01453: the mean of lambda f over items without labels, plus the mean of y - lambda f over
    those with; lambda = 1, or the one with the smallest variance, between 0 and 1.
    """
    check_labels(sample)
    lab, w = sample.labelled, sample.label_weight
    if sample.n_labels == sample.n_items:
        return people_alone(sample)
    y, f, rest = sample.truth[lab], sample.predicted[lab], sample.predicted[~lab]
    n, n_rest = y.size, rest.size
    lam = _tuned(y, f, rest, w) if tuned else 1.0
    residual = y - lam * f
    mean = float(w @ residual)
    value = lam * float(rest.mean()) + mean
    influence = np.empty(sample.n_items)
    influence[lab] = w * (residual - mean)
    influence[~lab] = lam * (rest - rest.mean()) / n_rest
    error = math.sqrt(clustered_variance(influence, sample.cluster))
    df = degrees_of_freedom(sample) if sample.cluster is not None else None
    limits = t_limits(value, error, df, is_rate=sample.is_rate)
    name = "ppi++" if tuned else "ppi"
    about = {"lambda": lam, "labels": float(n)}
    return Fitted(value, error, limits, name, influence, about)


def _tuned(y: Floats, f: Floats, rest: Floats, w: Floats) -> float:
    """Return lambda with the smallest variance: PPI++, section 6, for a mean."""
    covariance = float(w @ ((y - w @ y) * (f - w @ f)))
    spread = float(np.var(np.concatenate([f, rest]), ddof=1))
    if spread <= 0.0:
        return 0.0
    return min(max(covariance / ((1.0 + y.size / rest.size) * spread), 0.0), 1.0)


def double_sampling(sample: TwoPhase) -> Fitted:
    """Weigh people's answers by how often the judge gives each verdict.

    Tenenbein (1970), JASA 65, 1350-1361: with W_k the share of verdicts k among all items and p_k
    the share of people's yes among those of them that were labelled, the rate is sum W_k p_k. Its
    variance has a part within verdicts, for the labels, and a part between them, for the verdicts.
    """
    check_labels(sample)
    lab, kinds = sample.labelled, int(sample.state.max(initial=0)) + 1
    share = np.bincount(sample.state, minlength=kinds) / sample.n_items
    state, y = sample.state[lab], sample.truth[lab]
    w = sample.label_weight
    mass: Floats = np.bincount(state, weights=w, minlength=kinds).astype(np.float64)
    overall = float(w @ y)
    yes = np.bincount(state, weights=w * y, minlength=kinds)
    with np.errstate(invalid="ignore"):
        p = np.where(mass > 0.0, yes / mass, overall)
    value = float(share @ p)
    influence = (p[sample.state] - value) / sample.n_items
    influence[lab] += share[state] * w * (y - p[state]) / mass[state]
    squares: Floats = np.bincount(state, weights=w * w, minlength=kinds).astype(np.float64)
    about, name = {}, "double-sampling"
    if sample.cluster is None:
        answers = _worth(sample, p, mass, squares)
        noise = float(share @ (p - value) ** 2) / sample.n_items
        shares = SummedShares(share, p * answers, answers, noise)
        about["effective"] = shares.mean * (1.0 - shares.mean) / shares.variance
        error = math.sqrt(shares.variance)
        return Fitted(value, error, shares.limits, name, influence, about, shares)
    variance = clustered_variance(influence, sample.cluster)
    variance += _unseen(share, p, mass, squares)
    own = 1.0 / float(w @ w)
    middle = _with_unseen(share, p, mass, squares)
    about["effective"] = effective = effective_answers(middle, variance, own)
    limits = share_limits(value, effective, degrees_of_freedom(sample))
    return Fitted(value, math.sqrt(variance), limits, name, influence, about)


def _worth(sample: TwoPhase, p: Floats, mass: Floats, squares: Floats) -> Floats:
    """Return how many answers of yes or no would tell each share as surely as the labels do.

    One a label, if all weigh the same; fewer with unequal weights, more where a label is the share
    of several people. Where no label differs, the weights alone decide.
    """
    w, state = sample.label_weight, sample.state[sample.labelled]
    off = w * (sample.truth[sample.labelled] - p[state])
    spread = np.bincount(state, weights=off**2, minlength=p.size)
    with np.errstate(invalid="ignore", divide="ignore"):
        worth = p * (1.0 - p) * mass**2 / spread
    return np.where(spread > 0.0, worth, _answers(mass, squares))


def _answers(mass: Floats, squares: Floats) -> Floats:
    """Return how many labels of equal weight each kind of verdict has."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(squares > 0.0, mass**2 / squares, 0.0)


def _smoothed(p: Floats, n: Floats) -> Floats:
    """Return shares with half an answer added on either side: what nobody saw may exist."""
    return np.asarray((n * p + 0.5) / (n + 1.0))


def _with_unseen(share: Floats, p: Floats, mass: Floats, squares: Floats) -> float:
    return float(share @ _smoothed(p, _answers(mass, squares)))


def _unseen(share: Floats, p: Floats, mass: Floats, squares: Floats) -> float:
    """Return the variance of answers that nobody saw: a judge without a known error may err."""
    n = _answers(mass, squares)
    q = _smoothed(p, n)
    more = np.maximum(q * (1.0 - q) - np.where(n > 0.0, p * (1.0 - p), 0.0), 0.0)
    return float((share**2 * more / np.maximum(n, 1.0)).sum())
