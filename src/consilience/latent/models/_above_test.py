"""Is a rater's sensitivity above what the task needs? By what the likelihood loses otherwise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.document import Recorded
from consilience.exceptions import UnsupportedDesignError
from consilience.latent.models._em import ClassFit
from consilience.latent.models._profile_rates import Cells, Profile
from consilience.latent.models._sparse_ratings import Votes

QUANTITIES = ("sensitivity", "specificity")


@dataclass(frozen=True, slots=True, kw_only=True)
class AboveTest(Recorded):
    """Whether a rate of one rater is above a stated one.

    Attributes
    ----------
    rater : object
    quantity : str
        "sensitivity" or "specificity".
    value, null : float
        The rate that was found, and the one that it should exceed.
    z : float
        Signed root of twice the loss of log-likelihood with the rate held at the stated one.
    p_value : float
        One-sided: how often a rater with just the stated rate would look as good.
    """

    rater: object
    quantity: str
    value: float
    null: float
    z: float
    p_value: float


def above_tests(
    votes: Votes,
    fit: ClassFit,
    rate_gjl: Floats,
    label_of_class: NDArray[np.intp],
    *,
    raters: tuple[object, ...],
    positive: int,
    null: float,
) -> tuple[AboveTest, ...]:
    """Test sensitivity and specificity of each rater against a stated rate."""
    if rate_gjl.shape[1:] != (2, 2) or len(set(label_of_class.tolist())) < 2:
        raise UnsupportedDesignError.needs(
            "a test of sensitivity",
            "two classes that stand for two labels",
            f"{rate_gjl.shape[1]} classes and {rate_gjl.shape[2]} labels",
            "merge labels with Ratings.collapse and fit n_classes=2",
        )
    n_raters = len(rate_gjl)
    found = []
    for quantity, label in zip(QUANTITIES, (positive, 1 - positive), strict=True):
        j = int(np.flatnonzero(label_of_class == label)[0])
        value = rate_gjl[:, j, label]
        ones = np.ones(n_raters)
        cells = Cells(
            np.full(n_raters, j), np.arange(n_raters) * 2 + label, value, ones, ones, ones
        )
        held = Profile(votes, fit, 0.95).fitted(cells, np.full((n_raters, 1), null))[:, 0]
        loss = np.maximum(2.0 * (fit.log_likelihood - held), 0.0)
        z = np.where(value > null, 1.0, -1.0) * np.sqrt(loss)
        found += [
            AboveTest(
                rater=raters[g],
                quantity=quantity,
                value=float(value[g]),
                null=null,
                z=float(z[g]),
                p_value=_upper_tail(float(z[g])),
            )
            for g in range(n_raters)
        ]
    return tuple(found)


def _upper_tail(z: float) -> float:
    return 0.5 * math.erfc(z / math.sqrt(2.0))
