"""Rates behind a judge who errs at known rates: sensitivity, specificity, a whole confusion."""

from __future__ import annotations

import math

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.checks import share as check_share
from consilience.core.checks import whole_number
from consilience.core.tails import quantile
from consilience.exceptions import UnsupportedDesignError
from consilience.inference.clustered import clustered_variance
from consilience.judges.two_phase import Fitted, Limits, TwoPhase, check_labels

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
