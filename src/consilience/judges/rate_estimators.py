"""Estimators of a rate from a judge's verdicts on all items and people's labels of some."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from consilience.core.arguments import share as check_share
from consilience.core.arguments import whole_number
from consilience.core.arrays import Floats, Ints, Mask
from consilience.core.tails import quantile
from consilience.exceptions import UnsupportedDesignError
from consilience.inference.influence import clustered_variance
from consilience.inference.intervals import wilson_limits

# ---- Limits of a weighted sum of shares, such as people's yes within each verdict of a judge.
#
# Each share has a Beta posterior, and the posterior of the sum is their convolution. A normal or a
# matched Beta would miss its skewness, which is what counts where a good judge leaves few errors.

PRIOR = 1.0 / 3.0  # answers added on either side of each share: Kerman's (2011) neutral prior
STEPS = 100  # grid cells in a standard deviation
_FAR = 1e-10  # what lies beyond is left out of the grid
_NORMAL_REACH = 6.5  # standard deviations
_LEAST = 1e-9


@dataclass(frozen=True)
class SummedShares:
    """A sum of shares, each with its weight, and the error of the weights.

    Attributes
    ----------
    weight : array
        Weights of the shares, such as how often each verdict is given; they add up to 1.
    yes, answers : array
        People's yes, and their answers, within each.
    noise : float
        Variance from the weights, which were counted on a sample, too.
    """

    weight: Floats
    yes: Floats
    answers: Floats
    noise: float

    @cached_property
    def _shapes(self) -> tuple[Floats, Floats]:
        return self.yes + PRIOR, self.answers - self.yes + PRIOR

    @cached_property
    def mean(self) -> float:
        """Posterior mean of the sum."""
        a, b = self._shapes
        return float(self.weight @ (a / (a + b)))

    @cached_property
    def variance(self) -> float:
        """Posterior variance of the sum."""
        a, b = self._shapes
        own = a * b / ((a + b) ** 2 * (a + b + 1.0))
        return float(self.weight**2 @ own) + self.noise

    @cached_property
    def _distribution(self) -> tuple[Floats, Floats]:
        """Return places and the posterior distribution function there."""
        from scipy.special import betainc, betaincinv, ndtr

        step = max(math.sqrt(self.variance), _LEAST) / STEPS
        origin, masses = 0.0, []
        for w, a, b in zip(self.weight.tolist(), *(x.tolist() for x in self._shapes), strict=True):
            if w <= 0.0:
                continue
            low, high = w * betaincinv(a, b, [_FAR, 1.0 - _FAR])
            edges = low + step * np.arange(math.ceil((high - low) / step) + 2)
            masses.append(np.diff(betainc(a, b, np.clip(edges / w, 0.0, 1.0))))
            origin += low + step / 2.0
        if self.noise > 0.0:
            spread = math.sqrt(self.noise)
            n = math.ceil(_NORMAL_REACH * spread / step) + 1
            ends = step * (np.arange(-n, n + 2) - 0.5)
            masses.append(np.diff(ndtr(ends / spread)))
            origin -= n * step
        total = np.cumsum(_convolved(masses))
        places: Floats = origin + step * (np.arange(total.size, dtype=np.float64) + 0.5)
        return places, np.asarray(total / total[-1], dtype=np.float64)

    def limits(self, level: float) -> tuple[float, float]:
        """Return the equal-tailed limits of the sum, within 0 and 1 and around its value."""
        places, below = self._distribution
        tail = 0.5 - level / 2.0
        low, high = (float(x) for x in np.interp([tail, 1.0 - tail], below, places))
        value = self.value
        return min(max(low, 0.0), value), max(min(high, 1.0), value)

    @cached_property
    def value(self) -> float:
        """The sum itself; a share without answers counts as the share of all."""
        whole = float(self.yes.sum() / max(self.answers.sum(), _LEAST))
        known = self.answers > 0.0
        p = np.where(known, self.yes / np.where(known, self.answers, 1.0), whole)
        return float(self.weight @ p)


def added(parts: Sequence[tuple[float, SummedShares | None]]) -> SummedShares | None:
    """Return the weighted sum of independent sums, such as of strata; None where one is missing."""
    known = [(w, one) for w, one in parts if one is not None]
    if len(known) < len(parts):
        return None
    return SummedShares(
        np.concatenate([w * one.weight for w, one in known]),
        np.concatenate([one.yes for _, one in known]),
        np.concatenate([one.answers for _, one in known]),
        sum(w * w * one.noise for w, one in known),
    )


def _convolved(masses: Sequence[Floats]) -> Floats:
    """Convolve distributions on one grid."""
    size = sum(len(one) for one in masses) - len(masses) + 1
    length = 1 << (size - 1).bit_length()
    product = np.ones(length // 2 + 1, dtype=np.complex128)
    for one in masses:
        product *= np.fft.rfft(one, length)
    return np.maximum(np.fft.irfft(product, length)[:size], 0.0)


# ---- Every item has a judge's verdict, some have people's labels: what the sample says about a
# rate.
#
# The verdicts are a first phase that is cheap, the labels a second one that is right. Each method
# takes such a sample and returns a value, its standard error and its limits at any level.

Limits = Callable[[float], tuple[float, float]]
RATE = {"lowest": 0.0, "highest": 1.0}
SCORE = {"lowest": -math.inf, "highest": math.inf}


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


# ---- variances and limits


def degrees_of_freedom(sample: TwoPhase) -> float:
    """Return the number of independent units with labels, less one."""
    if sample.cluster is None:
        return max(sample.n_labels - 1.0, 1.0)
    return max(float(np.unique(sample.cluster[sample.labelled]).size) - 1.0, 1.0)


def t_limits(
    value: float, error: float, df: float | None, *, lowest: float, highest: float
) -> Limits:
    """Return the value plus and minus a quantile times the error, within its range."""

    def limits(level: float) -> tuple[float, float]:
        reach = quantile(0.5 + level / 2.0, df) * error
        return max(value - reach, lowest), min(value + reach, highest)

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


# ---- methods


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
        return Fitted(value, error, t_limits(value, error, df, **SCORE), "people", influence)
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
    limits = t_limits(value, error, df, **(RATE if sample.is_rate else SCORE))
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
    middle, unseen = _with_unseen(share, p, mass, squares)
    variance += unseen
    own = 1.0 / float(w @ w)
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


def _with_unseen(share: Floats, p: Floats, mass: Floats, squares: Floats) -> tuple[float, float]:
    """Return the rate, and its further variance, with answers that nobody saw.

    A judge without a known error may err.
    """
    n = _answers(mass, squares)
    q = np.asarray((n * p + 0.5) / (n + 1.0))  # half an answer added on either side
    more = np.maximum(q * (1.0 - q) - np.where(n > 0.0, p * (1.0 - p), 0.0), 0.0)
    return float(share @ q), float((share**2 * more / np.maximum(n, 1.0)).sum())


# ---- Rates behind a judge who errs at known rates: sensitivity, specificity, a whole confusion.

_WORST_CONDITION = 1e6


def rogan_gladen_rate(apparent: float, sensitivity: float, specificity: float) -> float:
    """Rogan and Gladen (1978), American Journal of Epidemiology 107, 71-76, eq. 1."""
    return (apparent + specificity - 1.0) / (sensitivity + specificity - 1.0)


def check_informative(sensitivity: float, specificity: float) -> None:
    """Refuse a judge that is no better than a coin: nothing can be told from its verdicts."""
    if sensitivity + specificity <= 1.0:
        raise UnsupportedDesignError.needs(
            "the rate behind the verdicts",
            "sensitivity + specificity above 1",
            f"{sensitivity:.3f} + {specificity:.3f}",
            "such a judge says nothing about the rate: use people's labels alone",
        )


def lee_limits(
    apparent: float, sensitivity: float, specificity: float, *, n: float, m1: float, m0: float
) -> Limits:
    """Return limits that carry the uncertainty of sensitivity and specificity.

    Lee et al. (2025), arXiv 2511.21140: shares pulled towards the middle (Agresti and Coull for the
    verdicts, one answer on either side for the judge), a shift for the curvature of the ratio, and
    a normal error.
    """

    def limits(level: float) -> tuple[float, float]:
        z = quantile(0.5 + level / 2.0, None)
        p = (n * apparent + z * z / 2.0) / (n + z * z)
        q0, q1 = (m0 * specificity + 1.0) / (m0 + 2.0), (m1 * sensitivity + 1.0) / (m1 + 2.0)
        if q0 + q1 <= 1.0:
            return 0.0, 1.0
        rate = rogan_gladen_rate(p, q1, q0)
        v0, v1 = q0 * (1.0 - q0) / (m0 + 2.0), q1 * (1.0 - q1) / (m1 + 2.0)
        shift = 2.0 * z * z * (rate * v1 - (1.0 - rate) * v0)
        variance = p * (1.0 - p) / (n + z * z) + (1.0 - rate) ** 2 * v0 + rate**2 * v1
        reach = z * math.sqrt(variance) / (q0 + q1 - 1.0)
        low, high = rate + shift - reach, rate + shift + reach
        return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)

    return limits


def rogan_gladen_fit(
    apparent: float,
    sensitivity: float,
    specificity: float,
    *,
    n_verdicts: int,
    n_positive: int,
    n_negative: int,
) -> Fitted:
    """Correct a rate by a judge's sensitivity and specificity, as given."""
    check_share("apparent", apparent)
    check_share("sensitivity", sensitivity)
    check_share("specificity", specificity)
    n = whole_number("n_verdicts", n_verdicts, least=1)
    m1 = whole_number("n_positive", n_positive, least=1)
    m0 = whole_number("n_negative", n_negative, least=1)
    check_informative(sensitivity, specificity)
    rate = rogan_gladen_rate(apparent, sensitivity, specificity)
    variance = (
        apparent * (1.0 - apparent) / n
        + (1.0 - rate) ** 2 * specificity * (1.0 - specificity) / m0
        + rate**2 * sensitivity * (1.0 - sensitivity) / m1
    ) / (sensitivity + specificity - 1.0) ** 2
    limits = lee_limits(apparent, sensitivity, specificity, n=n, m1=m1, m0=m0)
    about = {"sensitivity": sensitivity, "specificity": specificity}
    value = min(max(rate, 0.0), 1.0)
    return Fitted(value, math.sqrt(variance), limits, "rogan-gladen", np.zeros(0), about)


def rogan_gladen_of(sample: TwoPhase) -> Fitted:
    """Correct a rate by what the labels say about the judge."""
    check_labels(sample)
    lab = sample.labelled
    right = sample.truth[lab] >= 0.5
    said = sample.predicted[lab] >= 0.5
    if not right.any() or right.all():
        raise UnsupportedDesignError.needs(
            "sensitivity and specificity",
            "items of either kind among those that people labelled",
            "one kind only",
            "let people label more items",
        )
    return rogan_gladen_fit(
        sample.apparent,
        float(said[right].mean()),
        float((~said[~right]).mean()),
        n_verdicts=sample.n_items,
        n_positive=int(right.sum()),
        n_negative=int((~right).sum()),
    )


def confusion_shares(
    state: Ints, truth: Ints, n_labels: int, cluster: Ints | None
) -> tuple[Floats, Floats, Floats]:
    """Solve for the shares of labels behind verdicts, by the judge's confusion of labels.

    `state` is the judge's label of every item, `truth` people's (-1 where nobody was asked). With
    M_tk the share of verdicts k on items whose right label is t and q the shares of verdicts, the
    shares p solve q = M' p. Returns p, its standard errors, and each item's pull.
    """
    lab = truth >= 0
    table = np.zeros((n_labels, n_labels))
    np.add.at(table, (truth[lab], state[lab]), 1.0)
    seen = table.sum(axis=1)
    if (seen == 0).any():
        raise UnsupportedDesignError.needs(
            "the confusion of labels",
            "every label among those that people gave",
            f"none for {int((seen == 0).sum())} of them",
            "let people label more items, or take labels together",
        )
    m = table / seen[:, None]
    if np.linalg.cond(m.T) > _WORST_CONDITION:
        raise UnsupportedDesignError.needs(
            "the shares behind the verdicts",
            "verdicts that tell the labels apart",
            "two labels for which the judge says the same",
            "use people's labels alone, or take labels together",
        )
    inverse = np.linalg.inv(m.T)
    q = np.bincount(state, minlength=n_labels) / state.size
    p = inverse @ q
    unit = np.eye(n_labels)
    pull = (unit[state] - q) @ inverse.T / state.size
    own = (unit[state[lab]] - m[truth[lab]]) @ inverse.T
    pull[lab] -= (p[truth[lab]] / seen[truth[lab]])[:, None] * own
    errors = np.sqrt([clustered_variance(column, cluster) for column in pull.T])
    return np.clip(p, 0.0, 1.0), errors, pull
