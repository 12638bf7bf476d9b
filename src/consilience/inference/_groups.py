"""Coefficients of independent groups of items compared; many tests at once; margins."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consilience.core.tails import chi_square_tail
from consilience.exceptions import InputError
from consilience.inference._two_raters import binary
from consilience.inference.common_correlation import CommonCorrelation
from consilience.inference.comparisons import Comparison
from consilience.inference.intervals import Test
from consilience.ratings.clusters import need_independent_items


class Measured(Protocol):
    """An estimate, as far as comparing groups needs to know it."""

    @property
    def coefficient(self) -> str:
        """The coefficient."""
        ...

    @property
    def value(self) -> float:
        """Its value."""
        ...

    @property
    def standard_error(self) -> float:
        """Its standard error."""
        ...

    @property
    def standard_error_method(self) -> str:
        """How the error was found."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTest(Test):
    """A test of one coefficient being the same in several groups.

    Attributes
    ----------
    values : tuple of float
        The coefficient in each group.
    pooled_value, pooled_standard_error : float
        The common value, if there is one; the error is NaN where the method has none.
    """

    values: tuple[float, ...]
    pooled_value: float
    pooled_standard_error: float = math.nan


def compare_groups(estimates: Sequence[Measured], *, method: str = "auto") -> GroupTest:
    """Test whether a coefficient is the same in groups of different items.

    Use it for sites, languages or rounds that share no items; with the same items use
    `Estimate.compare`, which knows that they go together.

    Parameters
    ----------
    estimates : sequence of Estimate
        The same coefficient, once for each group.
    method : {"auto", "wald"}
        "auto" weighs the tails of each group's default test, "wald" its standard error.

    Returns
    -------
    GroupTest
        Chi-square with one degree of freedom less than groups, and the pooled value.

    Raises
    ------
    InputError
        Fewer than two estimates, different coefficients; for "wald", a standard error that is 0,
        unknown or holds under a null hypothesis only.

    Notes
    -----
    "auto": z_j(K) is the normal score of the one-sided p-value of K in group j, and the statistic
    is the smallest sum of squares of z_j(K) over K, which is the pooled value. With errors of
    rare labels, which are skewed and may be 0, sums of squared deviations reject far too often.
    "wald": sum (K_j - K)^2 / v_j with K = sum (K_j / v_j) / sum (1 / v_j) and
    SE(K) = (sum 1 / v_j)^(-1/2).

    References
    ----------
    .. [1] Fleiss, J. L., Levin, B. & Paik, M. C. (2003). Statistical Methods for Rates and
       Proportions, 3rd ed. Wiley, chapter 18. doi:10.1002/0471445428

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> def kappa(value, error):
    ...     return SimpleNamespace(coefficient="kappa", value=value, standard_error=error,
    ...                            standard_error_method="linearised")
    >>> test = compare_groups([kappa(0.40, 0.10), kappa(0.70, 0.05)])
    >>> round(test.pooled_value, 2), round(test.statistic, 1), round(test.p_value, 4)
    (0.64, 7.2, 0.0073)
    """
    given = list(estimates)
    _check_groups("estimates", given)
    coefficients = sorted({str(one.coefficient) for one in given})
    if len(coefficients) > 1:
        raise InputError.expected(
            "estimates", "of one coefficient", coefficients, "compute the same one for each group"
        )
    if method not in ("auto", "wald"):
        raise InputError.unknown_word("method", method, ("auto", "wald"))
    scores = [getattr(one, "normal_score", None) for one in given] if method == "auto" else [None]
    if all(score is not None for score in scores):
        return _by_tails(given, scores)
    for one in given:
        _check_error(one)
    values = np.array([one.value for one in given])
    weight = np.array([one.standard_error for one in given]) ** -2.0
    pooled = float(weight @ values / weight.sum())
    statistic = float(weight @ (values - pooled) ** 2)
    freedom = float(len(given) - 1)
    return GroupTest(
        statistic,
        chi_square_tail(statistic, freedom),
        0.0,
        "two-sided",
        "fleiss-homogeneity",
        freedom,
        values=tuple(values.tolist()),
        pooled_value=pooled,
        pooled_standard_error=float(weight.sum()) ** -0.5,
    )


_PLACES = 801  # values of the coefficient at which all groups are compared


def _by_tails(given: list[Measured], scores: list[Any]) -> GroupTest:
    """Look for the value that all groups can have in common, by the tails of their tests."""
    values = np.array([one.value for one in given])
    if not np.isfinite(values).all():
        _check_error(given[int(np.argmin(np.isfinite(values)))])
    low, high = float(values.min()), float(values.max())
    places = np.linspace(low - 0.1 * (high - low), high + 0.1 * (high - low), _PLACES)
    squares = np.sum([np.asarray(score(places)) ** 2 for score in scores], axis=0)
    best = int(np.argmin(squares))
    statistic, freedom = float(squares[best]), float(len(given) - 1)
    return GroupTest(
        statistic,
        chi_square_tail(statistic, freedom),
        0.0,
        "two-sided",
        "tails",
        freedom,
        values=tuple(values.tolist()),
        pooled_value=float(places[best]),
    )


def donner_eliasziw_klar(groups: Sequence[Any]) -> GroupTest:
    """Test whether Scott's pi of two raters and two labels is the same in groups of items.

    Use it for small groups or rare labels, where the errors that `compare_groups` needs are not
    reliable. The raters may differ from group to group.

    Parameters
    ----------
    groups : sequence of Ratings or 2 × 2 tables

    Returns
    -------
    GroupTest
        Chi-square with one degree of freedom less than groups; NaN where a group used one label
        only.

    Raises
    ------
    InputError
        Fewer than two groups.
    UnsupportedDesignError
        A group without exactly two raters and two categories.

    Notes
    -----
    The pooled value weighs groups by n_j p_j (1 - p_j); the statistic adds up the groups'
    goodness-of-fit statistics of it.

    References
    ----------
    .. [1] Donner, A., Eliasziw, M. & Klar, N. (1996). Testing the homogeneity of kappa statistics.
       Biometrics 52, 176-183. doi:10.2307/2533154

    Examples
    --------
    >>> test = donner_eliasziw_klar([[[24, 8], [14, 24]], [[20, 20], [10, 50]]])
    >>> round(test.pooled_value, 3), round(test.p_value, 3)
    (0.354, 0.835)
    """
    given = list(groups)
    _check_groups("groups", given)
    models = []
    for group in given:
        pair = binary("the test of Donner, Eliasziw & Klar", group)
        need_independent_items(
            "the test of Donner, Eliasziw & Klar", pair.clusters, instead="use compare_groups"
        )
        table = pair.table
        both, neither = int(table[0, 0]), int(table[1, 1])
        models.append(CommonCorrelation.of_counts(both, int(table.sum()) - both - neither, neither))
    values = np.array([model.value for model in models])
    weight = np.array([model.n_by_ratings[2] * float(model.shares.prod()) for model in models])
    freedom = float(len(models) - 1)
    pooled = statistic = p_value = math.nan
    if np.isfinite(values).all():
        pooled = float(weight @ values / weight.sum())
        statistic = math.fsum(model.chi_square(pooled) for model in models)
        p_value = chi_square_tail(statistic, freedom)
    return GroupTest(
        statistic,
        p_value,
        0.0,
        "two-sided",
        "donner-eliasziw-klar",
        freedom,
        values=tuple(values.tolist()),
        pooled_value=pooled,
    )


def _check_groups(what: str, given: list[Any]) -> None:
    if len(given) < 2:
        raise InputError.expected(what, "at least two", len(given), "pass one for each group")


def _check_error(one: Measured) -> None:
    if str(one.standard_error_method).endswith("-null"):
        raise InputError.expected(
            "the standard error of each estimate",
            "one that holds at its value",
            f"{one.standard_error_method!r}, which holds at 0 only",
            'compute the coefficient with standard_error="auto"',
        )
    error = one.standard_error
    if not (math.isfinite(one.value) and math.isfinite(error) and error > 0.0):
        raise InputError.expected(
            "each estimate",
            "a number with a standard error above 0",
            f"{one.value:.4g} with standard error {error:.4g}",
            "leave out groups without variation; for two raters and two labels use "
            "donner_eliasziw_klar",
        )


# -------------------------------------------------------------------- many tests at once


@overload
def holm(p_values: Mapping[Any, float]) -> dict[Any, float]: ...
@overload
def holm(p_values: ArrayLike) -> NDArray[np.float64]: ...
def holm(
    p_values: Mapping[Any, float] | ArrayLike,
) -> dict[Any, float] | NDArray[np.float64]:
    """Adjust p-values for the number of tests, after Holm.

    Use it when several labels, raters or pairs are tested and one hit among them would be reported.
    An adjusted p of .05 or less may be called significant at the 5 % level, whatever the others.

    Parameters
    ----------
    p_values : array or mapping
        NaN stands for a test that does not exist and stays NaN.

    Returns
    -------
    array or dict
        In the order, or under the names, in which they came.

    References
    ----------
    .. [1] Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian
       Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(2)
    array([0.03, 0.06, 0.06])
    """
    if isinstance(p_values, Mapping):
        adjusted = holm(list(p_values.values()))
        return dict(zip(p_values, adjusted.tolist(), strict=True))
    given = _checked_p_values(p_values)
    out = np.full(given.shape, np.nan)
    known = np.flatnonzero(np.isfinite(given))
    order = known[np.argsort(given[known], kind="stable")]
    times = np.arange(order.size, 0, -1)
    out[order] = np.minimum(np.maximum.accumulate(given[order] * times), 1.0)
    return out


def _checked_p_values(p_values: ArrayLike) -> NDArray[np.float64]:
    try:
        given = np.asarray(p_values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError.expected("p_values", "numbers", p_values, "pass a list") from None
    if given.ndim != 1 or ((given < 0.0) | (given > 1.0)).any():
        raise InputError.expected(
            "p_values", "a list of numbers from 0 to 1", p_values, "pass the unadjusted p-values"
        )
    return given


# -------------------------------------------------------------------- margins


def non_inferiority(
    difference: float,
    *,
    standard_error: float,
    margin: float,
    degrees_of_freedom: float | None = None,
) -> Test:
    """Test whether something new is worse than the old by less than a margin.

    Use it on a difference that was published or computed elsewhere; `Estimate.compare` gives one
    with the same method built in.

    Parameters
    ----------
    difference : float
        New minus old, larger being better.
    standard_error : float
    margin : float
        The largest loss that does not matter, above 0.
    degrees_of_freedom : float, optional
        For Student's t; the normal distribution without.

    Returns
    -------
    Test
        One-sided, of the null value -margin.

    Examples
    --------
    >>> round(non_inferiority(-0.02, standard_error=0.03, margin=0.10).p_value, 4)
    0.0038
    """
    return _difference(difference, standard_error, degrees_of_freedom).non_inferiority(margin)


def equivalence(
    difference: float,
    *,
    standard_error: float,
    margin: float,
    degrees_of_freedom: float | None = None,
) -> Test:
    """Test whether two coefficients differ by less than a margin, by two one-sided tests.

    Use it to claim sameness: a large p-value of a difference never shows it.

    Parameters
    ----------
    difference : float
    standard_error : float
    margin : float
        The largest difference that does not matter, above 0.
    degrees_of_freedom : float, optional
        For Student's t; the normal distribution without.

    Returns
    -------
    Test
        The less convincing of the two one-sided tests.

    References
    ----------
    .. [1] Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power
       approach for assessing the equivalence of average bioavailability. Journal of
       Pharmacokinetics and Biopharmaceutics 15, 657-680. doi:10.1007/BF01068419

    Examples
    --------
    >>> round(equivalence(0.02, standard_error=0.03, margin=0.10).p_value, 4)
    0.0038
    """
    return _difference(difference, standard_error, degrees_of_freedom).equivalence(margin)


def _difference(difference: float, error: float, freedom: float | None) -> Comparison:
    for what, number in (("difference", difference), ("standard_error", error)):
        if not isinstance(number, Real) or not math.isfinite(number):
            raise InputError.expected(what, "a number", number, "pass what was estimated")
    if error < 0.0:
        raise InputError.expected("standard_error", "0 or more", error, "pass its positive root")
    if freedom is not None and not freedom > 0.0:
        raise InputError.expected(
            "degrees_of_freedom", "above 0", freedom, "leave it out for the normal distribution"
        )
    return Comparison(float(difference), float(error), freedom, "wald")
