"""Differences between statistics, of the same items or of groups of items; many tests at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consilience.core.arguments import check_word
from consilience.core.arrays import Floats
from consilience.core.result import Defined, Unremarked
from consilience.core.tails import chi_square_tail
from consilience.core.words import interval_head
from consilience.document import Document, Table
from consilience.document.records import plain_record
from consilience.exceptions import InputError
from consilience.inference.binary_kappa import CommonCorrelation
from consilience.inference.intervals import (
    Alternative,
    DrawnValue,
    Interval,
    Test,
    quantile,
    wald_test,
)
from consilience.inference.marginal_tests import binary
from consilience.ratings.clusters import need_independent_items

# ---- Differences between statistics: of the same items by influence, of others by their limits.

_HIGHEST_LEVEL = 1.0 - 1e-9
_HALVINGS = 54  # to the last digit of a level


@dataclass(frozen=True, slots=True)
class Comparison(Unremarked, Defined):
    """The difference of two coefficients, how sure it is, and what it allows to conclude.

    `difference` is the second coefficient minus the first.
    """

    difference: float
    standard_error: float
    degrees_of_freedom: float | None
    method: str

    @property
    def value(self) -> float:
        """The difference."""
        return self.difference

    @property
    def statistic(self) -> float:
        """Difference divided by its standard error."""
        return self.test().statistic

    @property
    def p_value(self) -> float:
        """Two-sided p-value of no difference."""
        return self.test().p_value

    @property
    def interval(self) -> Interval:
        """The 95% confidence interval of the difference."""
        return self.confidence_interval()

    def test(self, null: float = 0.0, *, alternative: Alternative = "two-sided") -> Test:
        """Test a null value of the difference."""
        return wald_test(
            self.difference,
            self.standard_error,
            null=null,
            alternative=alternative,
            degrees_of_freedom=self.degrees_of_freedom,
            method=self.method,
        )

    def _interval(self, level: float) -> Interval:
        reach = quantile(0.5 + level / 2.0, self.degrees_of_freedom) * self.standard_error
        return Interval(self.difference - reach, self.difference + reach, level, self.method)

    def non_inferiority(self, margin: float) -> Test:
        """Test whether the second is worse by less than the margin (H0: difference <= -margin)."""
        return self.test(-_check_margin(margin), alternative="greater")

    def equivalence(self, margin: float) -> Test:
        """Test whether the two differ by less than the margin: two one-sided tests."""
        margin = _check_margin(margin)
        above = self.test(-margin, alternative="greater")
        below = self.test(margin, alternative="less")
        return above if above.p_value >= below.p_value else below

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        names = ("difference", "standard_error", "degrees_of_freedom", "method", "p_value")
        record = {name: getattr(self, name) for name in names}
        return plain_record({"value": self.difference, **record, "interval": self.interval})

    def document(self) -> Document:
        """Return the comparison as something to read."""
        interval = (interval_head(self.interval.confidence_level), "interval")
        columns = ("difference", interval, "standard error", "p-value: p_value!p")
        return Document.of(Table.of([self], *columns), title="Difference")

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"Comparison(difference={self.difference:.3f}, 95% CI {low:.3f}..{high:.3f}, "
            f"p={self.p_value:.3g})"
        )


Limits = Callable[[float], tuple[float, float]]  # of a value, at a confidence level


@dataclass(frozen=True, slots=True, repr=False)
class IndependentComparison(Comparison):
    """The difference of two values from different items, as sure as each of them is by itself.

    The limits are those of Zou & Donner (2008), doi:10.1002/sim.3095, eq. 2: the distances from
    each value to its own limits, squared and added, so that a skewed interval stays skewed. A test
    inverts them.
    """

    values: tuple[float, float]
    limits: tuple[Limits, Limits]

    def _interval(self, level: float) -> Interval:
        (low_1, high_1), (low_2, high_2) = (limits(level) for limits in self.limits)
        first, second = self.values
        below = math.hypot(max(second - low_2, 0.0), max(high_1 - first, 0.0))
        above = math.hypot(max(high_2 - second, 0.0), max(first - low_1, 0.0))
        gap = self.difference
        return Interval(gap - below, gap + above, level, self.method)

    def test(self, null: float = 0.0, *, alternative: Alternative = "two-sided") -> Test:
        """Test a null value of the difference: it is rejected where the interval leaves it out."""
        level = self._level_that_reaches(null)
        p_value = 1.0 - level
        if alternative != "two-sided":
            favoured = (self.difference > null) == (alternative == "greater")
            p_value = p_value / 2.0 if favoured else 1.0 - p_value / 2.0
        statistic = math.copysign(quantile(0.5 + level / 2.0, None), self.difference - null)
        return Test(statistic, p_value, null, alternative, self.method, None)

    def _level_that_reaches(self, null: float) -> float:
        """Return the confidence level whose interval ends at the null value."""
        if not math.isfinite(self.difference) or not self.interval.has_limits:
            return math.nan
        low, high = 0.0, _HIGHEST_LEVEL
        if null == self.difference:
            return low
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            interval = self._interval(middle)
            low, high = (low, middle) if interval.low <= null <= interval.high else (middle, high)
        return 0.5 * (low + high)


@dataclass(frozen=True, slots=True, repr=False)
class DrawnComparison(Comparison):
    """The difference of two values of the same items, from draws that both have in common.

    An item that weighs much in a draw does so for both values, while what nobody has seen yet may
    differ between them. Rare labels make the difference skewed, and errors unsure; draws know that.
    """

    draws: Floats

    def _interval(self, level: float) -> Interval:
        return Interval(*self._drawn.limits(level), level, self.method)

    @property
    def _drawn(self) -> DrawnValue:
        return DrawnValue.of(self.difference, self.draws)

    def test(self, null: float = 0.0, *, alternative: Alternative = "two-sided") -> Test:
        """Test a null value of the difference: it is rejected where the interval leaves it out."""
        p_value = self._drawn.p_value(null, alternative)
        both = self._drawn.p_value(null)
        statistic = math.copysign(quantile(1.0 - both / 2.0, None), self.difference - null)
        return Test(statistic, p_value, null, alternative, self.method, None)


def _check_margin(margin: float) -> float:
    if not margin > 0.0:
        raise InputError.expected(
            "margin", "above 0", margin, "state the largest difference that does not matter"
        )
    return float(margin)


def paired_comparison(
    first: float, second: float, influence: Floats, multiplicity: Floats
) -> Comparison:
    """Compare two statistics by the per-item difference of their influence (Gwet 2016).

    `influence` is n times the second's influence minus n times the first's, for rows that occur
    `multiplicity` times.
    """
    n = float(multiplicity.sum())
    mean = float(multiplicity @ influence) / n
    square = float(multiplicity @ (influence - mean) ** 2)
    error = math.sqrt(square / (n * (n - 1.0))) if n > 1 else math.nan
    return Comparison(second - first, error, n - 1.0, "linearised")


def dependent_comparison(
    values: Sequence[float], covariance: Floats, n_units: int | None = None
) -> Test:
    """Test the equality of k dependent statistics by Hotelling's contrast.

    T^2 = (C K)' (C V C')^-1 (C K) (Vanbelle & Albert 2008). For n units, items or clusters,
    T^2 (n - r) / (r (n - 1)) is F with r and n - r degrees of freedom, r the rank of the contrast
    (Vanbelle 2017); without their number, T^2 is chi-square with r degrees.
    """
    k = len(values)
    if k < 2:
        raise InputError.expected("estimates", "at least two", k, "pass two or more")
    contrast = np.eye(k - 1, k) - np.eye(k - 1, k, 1)
    gap = contrast @ np.asarray(values)
    spread = contrast @ covariance @ contrast.T
    statistic = float(gap @ np.linalg.pinv(spread, hermitian=True) @ gap)
    rank = int(np.linalg.matrix_rank(spread, hermitian=True))
    p_value = math.nan
    if rank and n_units is None:
        p_value = chi_square_tail(statistic, float(rank))
    elif rank and n_units is not None and n_units > rank:
        from scipy.special import fdtrc

        ratio = statistic * (n_units - rank) / (rank * (n_units - 1.0))
        p_value = float(fdtrc(rank, n_units - rank, ratio))
    return Test(statistic, p_value, 0.0, "two-sided", "hotelling", float(rank))


# ---- Coefficients of independent groups of items compared; many tests at once; margins.


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
    check_word("method", method, ("auto", "wald"))
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


# ---- many tests at once


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


# ---- margins


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
