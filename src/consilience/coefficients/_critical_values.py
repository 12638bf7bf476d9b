"""Critical values of any coefficient: how large it gets when raters guess."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from consilience.coefficients.coefficient import registry
from consilience.coefficients.compute import estimate
from consilience.core.arrays import Floats
from consilience.core.resample import Seed, is_whole
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import StudyNull, check_confidence_level
from consilience.inference.null_model import NullModel, Presence
from consilience.inference.null_value_tests import drawn_studies
from consilience.ratings import Ratings

_MOST_LABELS = 64


def critical_values(
    coefficient: str = "kappa",
    *,
    n_items: int,
    n_raters: int = 2,
    n_categories: int = 2,
    null: float | None = None,
    prevalence: Sequence[float] | None = None,
    distance: Any = None,
    levels: Sequence[float] = (0.90, 0.95, 0.99),
    n_resamples: int = 20_000,
    rng: Seed = 0,
) -> StudyNull:
    """Critical values of a coefficient: what guessing hardly ever reaches, for a size of study.

    Use it to read kappa, pi, alpha or any other coefficient of few items, where dividing it by a
    standard error misleads. `inference.ac1_critical_values` counts those of AC1 where they can be
    counted, and `Estimate.test` with ``method="monte-carlo"`` takes the labels of a study.

    Parameters
    ----------
    coefficient : name or alias
    n_items, n_raters, n_categories : int
    null : float, optional
        The null value, such as 0.6: raters know as many items as give the coefficient this value in
        a very large study, and guess the others. Default: they guess all of them.
    prevalence : shares of the labels, optional
        How often each label is guessed, and is right; default all alike.
    distance : name or Distance, optional
        Labels are the numbers from 1.
    levels : sequence of float
        For each, the critical value is the smallest that such studies reach with a probability of
        at most 1 - level.
    n_resamples : int
        Simulated studies.
    rng : int or Generator

    Returns
    -------
    StudyNull

    Raises
    ------
    InputError
        An unknown coefficient, an impossible number, or shares that do not add up to 1.
    UnsupportedDesignError
        A coefficient that is fitted, or a null value that such raters cannot have.

    References
    ----------
    .. [1] Stegmann, J. & Lücking, A. (2005). Assessing reliability on annotations (1): theoretical
       considerations. SFB 360 report 2, Bielefeld University, section 2.2.2.

    Examples
    --------
    >>> guessing = critical_values("percent", n_items=12, n_resamples=2_000)
    >>> round(guessing[0.95] * 12)  # of two raters who toss coins
    10
    """
    one = registry[coefficient]
    _check_sizes(n_items, n_raters, n_categories, null)
    shares = _shares(prevalence, n_categories)
    if one.is_iterated:
        raise UnsupportedDesignError.needs(
            "critical values", "a coefficient that is not fitted", one.name, "choose another one"
        )
    model = _model(one.name, n_items, n_raters, shares, distance)
    return drawn_studies(
        model,
        coefficient=one.name,
        null=None if null is None else float(null),
        levels=[check_confidence_level(level) for level in levels],
        n_resamples=n_resamples,
        rng=rng,
    )


def _check_sizes(n_items: int, n_raters: int, n_categories: int, null: float | None) -> None:
    for what, number, least, most in (
        ("n_items", n_items, 1, math.inf),
        ("n_raters", n_raters, 2, math.inf),
        ("n_categories", n_categories, 2, _MOST_LABELS),
    ):
        if not is_whole(number) or not least <= number <= most:
            upper = "" if math.isinf(most) else f" and at most {most}"
            raise InputError.expected(
                what, f"a whole number of {least} or more{upper}", number, "check what was passed"
            )
    if null is not None and (not isinstance(null, Real) or not -1.0 < null < 1.0):
        raise InputError.expected("null", "a number below 1", null, "for example 0.6")


def _shares(prevalence: Sequence[float] | None, n_categories: int) -> Floats:
    if prevalence is None:
        return np.full(n_categories, 1.0 / n_categories)
    shares = np.asarray(prevalence, dtype=np.float64)
    fits = shares.shape == (n_categories,) and bool((shares > 0.0).all())
    if not fits or not math.isclose(float(shares.sum()), 1.0, abs_tol=1e-6):
        raise InputError.expected(
            "prevalence", f"{n_categories} shares above 0 that add up to 1", list(prevalence),
            "for example [0.9, 0.1]",
        )  # fmt: skip
    return np.asarray(shares / shares.sum())


def _model(name: str, n_items: int, n_raters: int, shares: Floats, distance: Any) -> NullModel:
    """Return raters who guess labels with these shares; the form of rows comes from a study."""
    k = len(shares)
    labels = [[1 + (item + rater * (item // k)) % k for rater in range(n_raters)]
              for item in range(2 * k)]  # fmt: skip
    study = Ratings.from_wide(labels, categories=range(1, k + 1), scale="interval")
    basis = estimate(registry[name], (study,), distance=distance or "nominal")._basis
    source = basis.evaluation.source
    named = basis.coefficient.needs_raters
    guesses = basis.coefficient.guesses if np.ptp(shares) > 0.0 else "uniform"
    return NullModel(
        statistic=basis.coefficient,
        form=source.form,
        metric=source.metric,
        who=[Presence(tuple(range(n_raters)), n_items)],
        n_raters=n_raters,
        shares_rk=np.tile(shares, (n_raters, 1)),
        guesses="pooled" if guesses == "own" and not named else guesses,
        by_rater=named,
    )
