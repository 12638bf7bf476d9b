"""Each rater beside the others: bias, severity, guessing, drift, influence, camps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from consilience.coefficients import rater_influence
from consilience.coefficients.undecided import require_scale
from consilience.core.arrays import Floats
from consilience.document import Finding
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.inference import check_confidence_level
from consilience.latent.entries import entries_of
from consilience.latent.raters import _rater_tests as tests
from consilience.latent.raters._camps import Camps, rater_camps
from consilience.latent.raters._rater_columns import rater_rows
from consilience.latent.raters._rater_rows import RaterView
from consilience.ratings import Ratings

_MOST_CELLS = 50_000_000  # raters × labels
_MOST_LEFT_OUT = 50  # raters up to which a distance-based coefficient is computed without each


def rater_view(
    ratings: Ratings,
    *,
    order: Any = None,
    batches: Any = None,
    camps: str = "auto",
    confidence_level: float = 0.95,
    n_resamples: int = 499,
    rng: Any = 0,
) -> RaterView:
    """Look at each rater beside the others: who needs help, and with what.

    Use it before raters are paid, trained or left out. It compares a rater with the other raters,
    not with the truth: where most are wrong alike, the one who is right looks odd.

    Parameters
    ----------
    ratings : Ratings
    order : one value per item, or mapping of item or (item, rater) to a value, optional
        When ratings were given: numbers, dates or text that sorts. Needed to see drift.
    batches : int, one value per item, or such a mapping, optional
        Compare batches instead of fitting a line; a number cuts the order into so many.
    camps : {"auto", "yes", "no"}
        Whether to look for two camps; "auto" does for 4 to 200 raters.
    confidence_level : float
    n_resamples, rng : for the test of camps

    Returns
    -------
    RaterView

    Raises
    ------
    UnsupportedDesignError
        The ratings do not say who rated, or no item has two ratings.

    Notes
    -----
    Whether a rater agrees better than chance is tested by dealing her labels anew among her
    items, with the mean and variance of [1]_; bias and severity by the paired t test over items;
    drift by regression on the order, or by the F test over batches. Where the ratings have
    clusters, errors of agreement, bias and severity are sums over clusters [2]_. Influence on
    nominal alpha is exact for any number of raters.

    References
    ----------
    .. [1] Hoeffding, W. (1951). A combinatorial central limit theorem. Annals of Mathematical
       Statistics 22, 558-566. doi:10.1214/aoms/1177729545
    .. [2] Liang, K.-Y. & Zeger, S. L. (1986). Longitudinal data analysis using generalized linear
       models. Biometrika 73, 13-22. doi:10.1093/biomet/73.1.13

    Examples
    --------
    >>> import consilience as cs
    >>> study = cs.simulate.simulate(
    ...     n_items=200, accuracy=[0.9, 0.9, 0.9, 0.0], n_raters=4, bias=[0.5, 0.5], rng=1
    ... )
    >>> rater_view(study.ratings)[3].verdict
    'no better than chance'
    """
    level = check_confidence_level(confidence_level)
    entries = entries_of("rater_view", ratings)
    require_scale(ratings, "the comparison of raters")
    if entries.n_raters * entries.n_labels > _MOST_CELLS:
        raise UnsupportedDesignError.needs(
            "rater_view",
            f"at most {_MOST_CELLS:,} pairs of a rater and a label",
            f"{entries.n_raters:,} raters, {entries.n_labels:,} labels",
            "round numbers, or collapse labels",
        )
    compared = tests.Compared.of(entries, ratings.clusters)
    if not compared.place.size:
        raise UnsupportedDesignError.needs(
            "rater_view",
            "items that more than one rater rated",
            f"{entries.n_items:,} items with at most one rating each",
            "give some items to several raters",
        )
    found_camps, notes = _camps(ratings, camps, n_resamples, rng)
    value, without, name, more = _influence(compared, ratings)
    rows = rater_rows(compared, ratings, without - value, order=order, batches=batches, level=level)
    return RaterView(
        rows=rows,
        coefficient=name,
        value=value,
        camps=found_camps,
        has_order=order is not None or batches is not None,
        ordered=ratings.scale != "nominal",
        notes=(*notes, *more),
    )


def _camps(
    ratings: Ratings, wish: str, n_resamples: int, rng: Any
) -> tuple[Camps | None, tuple[Finding, ...]]:
    if wish not in ("auto", "yes", "no"):
        raise InputError.unknown_word("camps", wish, ("auto", "yes", "no"))
    if wish == "no":
        return None, ()
    try:
        return rater_camps(ratings, n_resamples=n_resamples, rng=rng), ()
    except UnsupportedDesignError as error:
        if wish == "yes":
            raise
        why = str(error).removeprefix("rater_camps ").partition(" Hint: ")[0]
        said = f"Two camps were not looked for: that {why}"
        return None, (Finding("camps_not_tested", "info", said),)


def _influence(
    compared: tests.Compared, ratings: Ratings
) -> tuple[float, Floats, str, tuple[Finding, ...]]:
    """Return alpha, its value without each rater, and what has to be said about it."""
    name = "krippendorff_alpha"
    if ratings.scale == "nominal":
        return *tests.alpha_without(compared), name, ()
    nothing = np.full(compared.entries.n_raters, np.nan)
    if 3 <= ratings.n_raters <= _MOST_LEFT_OUT:
        try:
            found = rater_influence(ratings, coefficient=name)
            return found.value, np.array(list(found.without.values())), name, ()
        except ConsilienceError:
            return math.nan, nothing, name, ()
    note = Finding(
        "influence_not_computed",
        "info",
        f"What leaving a rater out would change is computed for 3 to {_MOST_LEFT_OUT} raters on a "
        f"{ratings.scale} scale; there are {ratings.n_raters:,}.",
    )
    return math.nan, nothing, name, (note,)
