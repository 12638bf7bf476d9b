"""Intraclass correlations after McGraw & Wong and Shrout & Fleiss."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from consilience.core.arguments import check_word
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import Interval, Test
from consilience.inference.intervals import (
    ALTERNATIVES,
    Alternative,
    check_confidence_level,
    quantile,
)
from consilience.magnitudes._icc_intervals import (
    Form,
    Kind,
    Pivot,
    averaged,
    bca_interval,
    f_p_value,
    f_test,
    from_average,
    item_shape,
    limits,
    parse,
    pivot_of,
    single,
)
from consilience.magnitudes._magnitude import Magnitude, check_number, register
from consilience.magnitudes._variance_components import MeanSquares, mean_squares
from consilience.magnitudes.marks import Panel, panel
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items

MISSING = ("reml", "listwise")
EFFECTS = ("random", "fixed")
TESTS = ("auto", "mcgraw-wong")


@dataclass(frozen=True, kw_only=True, repr=False)
class IntraclassCorrelation(Magnitude):
    """One intraclass correlation with its interval, F test and error of measurement.

    Attributes
    ----------
    model : {"one-way", "consistency", "agreement"}
    n_averaged : float
        How many ratings make up the mark whose reliability this is; 1 for single ratings.
    rater_effect : {"random", "fixed"}
        Whether the raters are a sample (case 2) or all there are (case 3); the number is the same.
    mean_squares : MeanSquares
        `msr` between items, `msw` within items, `msc` between raters, `mse` residual.
    """

    model: Kind = "agreement"
    n_averaged: float = 1.0
    rater_effect: str = "random"
    mean_squares: MeanSquares = field(repr=False)
    _data: Panel = field(repr=False, compare=False)
    interval_method: ClassVar[str] = "pivotal"
    interval_methods: ClassVar[tuple[str, ...]] = ("auto", "pivotal", "mcgraw-wong", "bca")
    highest: ClassVar[float] = 1.0

    @property
    def standard_error_of_measurement(self) -> float:
        """Standard deviation of the errors of a mark, in marks.

        For agreement it holds the differences between raters too; for means of m ratings it is
        the error of the mean.
        """
        ms = self.mean_squares
        error, _ = ms.error(self.model)
        if self.model == "agreement":
            error += max((ms.msc - ms.mse) / ms.n, 0.0)
        return math.sqrt(error / self.n_averaged)

    def minimal_detectable_change(self, *, confidence_level: float = 0.95) -> float:
        """Return the difference of two marks that errors alone seldom produce: z sqrt(2) SEM."""
        level = check_confidence_level(confidence_level)
        reach = quantile(0.5 + level / 2.0, None)
        return reach * math.sqrt(2.0) * self.standard_error_of_measurement

    @property
    def p_value(self) -> float:
        """The two-sided p-value of 0 that is dual to the interval.

        At most 0.05 exactly when 0 lies outside the 95% interval; `test` has the one-sided F.
        """
        if self.status != "ok" or self._at_boundary:
            return self.test().p_value
        return self._pivot.p_value(0.0, self.n_averaged, "two-sided")

    @property
    def details(self) -> dict[str, Any]:
        """The F test, the error of measurement and the mean squares."""
        test, ms = self.test(), self.mean_squares
        return {
            "model": self.model,
            "n_averaged": _whole(self.n_averaged),
            "rater_effect": None if self.model == "one-way" else self.rater_effect,
            "F": test.statistic,
            "df1": _whole(ms.df_r),
            "df2": _whole(test.degrees_of_freedom),
            "standard_error_of_measurement": self.standard_error_of_measurement,
            "minimal_detectable_change": self.minimal_detectable_change(),
            "msr": ms.msr,
            "msc": ms.msc,
            "mse": ms.mse,
            "msw": ms.msw,
        }

    def confidence_interval(self, confidence_level: float = 0.95, method: str = "auto") -> Interval:
        """Return the confidence interval of the value.

        Parameters
        ----------
        confidence_level : float, default 0.95
        method : {"auto", "pivotal", "mcgraw-wong", "bca"}
            "auto" is "pivotal": the generalised pivotal quantity, with degrees of freedom after the
            shape of the items, or after whole clusters where ratings have them; where items or
            errors of complete ratings are plainly not normal, as wide as limits of items drawn with
            random weights, too. "mcgraw-wong" are the limits of their Table 7. "bca" resamples
            items, or clusters, with the raters as they are; it needs every rating.
        """
        level = self._level(confidence_level, method)
        if self.status != "ok" or self._at_boundary:
            return self._no_interval(level)
        what = (self.mean_squares, self.model)
        if method == "bca":
            return bca_interval(self._data, *what, level, m=self.n_averaged, value=self.value)
        if method == "mcgraw-wong":
            self._need_independent_items()
            low, high = limits(*what, level, self.n_averaged)
            # With next to no degrees of freedom the approximation can miss the value itself.
            low, high = min(low, self.value), min(max(high, self.value), 1.0)
            return Interval(low, high, level, "mcgraw-wong")
        low, high = self._pivot.limits(level, self.n_averaged)
        return Interval(low, min(high, 1.0), level, "pivotal", self._note)

    @property
    def _at_boundary(self) -> bool:
        return "boundary" in self.flags

    @property
    def _pivot(self) -> Pivot:
        return pivot_of(self._data, self.mean_squares, self.model)

    def _need_independent_items(self) -> None:
        need_independent_items('method="mcgraw-wong"', self.clusters, instead='use method="auto"')

    @property
    def _note(self) -> str:
        """Where the interval comes from."""
        words = "Generalised pivotal quantity of the mean squares"
        clusters = self.clusters
        if clusters is not None:
            many = f"{clusters.n_clusters:,} clusters ({clusters.name})"
            return f"{words}, whose spread comes from leaving out each of {many}."
        if self._pivot.by_items is not None:
            return f"{words}, widened to limits of items drawn with random weights."
        return f"{words}, with degrees of freedom after the shape of the items."

    @property
    def all_flags(self) -> tuple[str, ...]:
        """The flags, with what the items' shape and the number of raters have to say."""
        ms = self.mean_squares
        if self.status != "ok":
            return self.flags
        more = []
        if ms.approximate and self.n_averaged == ms.k and ms.k != self._data.n_raters:
            more.append("averages_harmonic_mean")
        if not self._at_boundary and item_shape(self._data).is_skewed:
            more.append("skewed_items")
        if self.model == "agreement" and ms.df_c == 1.0:
            more.append("two_raters")
        return (*self.flags, *more)

    def _told(self, flag: str) -> str:
        if flag != "averages_harmonic_mean":
            return super()._told(flag)
        everybody = self._data.n_raters
        value = averaged(from_average(self.value, self.n_averaged), float(everybody))
        return (
            f"Items differ in their number of ratings: {self.name} is about means of "
            f"{self.n_averaged:.3g} ratings, the harmonic mean. For means of all {everybody} "
            f"raters it is {value:.3f} (n_averaged={everybody})."
        )

    def test(
        self, null: float = 0.0, *, alternative: Alternative = "greater", method: str = "auto"
    ) -> Test:
        """Test a null value, one-sided unless told otherwise.

        `statistic` is F and `degrees_of_freedom` those of its denominator. 0 is tested by the exact
        F with n - 1 and (n - 1)(k - 1) degrees of freedom (n (k - 1) for one-way forms): were it
        true, neither the shape of the items nor the raters would play a part. Every other value,
        and 0 where ratings have clusters, is tested by the quantity that gives the interval: its
        two-sided p is at most 1 - level exactly when the value lies outside. "mcgraw-wong" is the F
        of their Table 8 with Satterthwaite's degrees at the estimate; a negative null value that
        the differences between raters rule out has no such F.
        """
        null = check_number("null", null)
        check_word("alternative", alternative, ALTERNATIVES)
        check_word("method", method, TESTS)
        if null >= 1.0:
            raise InputError.expected("null", "below 1", null, "for example 0.75")
        ms = self.mean_squares
        if self.status != "ok":
            return Test(math.nan, math.nan, null, alternative, "F", None)
        f, df = f_test(ms, self.model, null, self.n_averaged)
        if method == "mcgraw-wong":
            self._need_independent_items()
            p = f_p_value(f, ms.df_r, df, alternative)
            return Test(f, p, null, alternative, "F", df)
        error, df = ms.error(self.model)
        if null != 0.0 or self.clusters is not None:
            p = math.nan
            if not self._at_boundary:
                p = self._pivot.p_value(null, self.n_averaged, alternative)
            return Test(f, p, null, alternative, "pivotal", df)
        f = ms.msr / error if error > 0.0 else math.nan
        return Test(f, f_p_value(f, ms.df_r, df, alternative), null, alternative, "F", df)


@register(
    title="Intraclass correlation",
    caution=(
        "It is a ratio of variances: the same errors give a lower value when the items are alike, "
        "so compare it between studies only when their items vary alike, and report the error of "
        "measurement beside it."
    ),
    raters="any",
    labels="numbers",
    aliases=("intraclass_correlation",),
)
def icc(
    *ratings: Any,
    model: str = "A,1",
    raters: str | None = None,
    n_averaged: float | None = None,
    missing: str = "reml",
) -> IntraclassCorrelation:
    """Intraclass correlation: the share of the variance of marks that is due to the items.

    Use it for marks on an interval scale by any number of raters. Prefer Krippendorff's alpha with
    the interval distance when raters differ from item to item and chance should be corrected for.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    model : str
        "1", "k" (different raters for each item), "C,1", "C,k" (consistency: a constant shift
        between raters does not matter), "A,1", "A,k" (agreement: it does); "ICC(2,1)" and the
        other names of Shrout & Fleiss; a number in place of k states how many ratings are averaged.
    raters : {"random", "fixed"}, default what the name implies, else random
        Whether the raters stand for others (case 2) or only for themselves (case 3).
    n_averaged : float, optional
        Number of ratings of which the means are used, for "k"; default all raters, or with missing
        ratings the harmonic mean of the number of ratings per item.
    missing : {"reml", "listwise"}
        Incomplete items: estimate variance components from all ratings (flag "approximate"), or
        leave the items out.

    Returns
    -------
    IntraclassCorrelation

    Raises
    ------
    UnsupportedDesignError
        Fewer than two raters, labels that are not numbers, or a two-way model for counts.

    Notes
    -----
    With n items, k raters and mean squares of items R, raters C, residual E, within items W:

    ICC(1) = (R - W) / (R + (k - 1) W)
    ICC(C,1) = (R - E) / (R + (k - 1) E)
    ICC(A,1) = (R - E) / (R + (k - 1) E + k (C - E) / n)

    and m rho / (1 + (m - 1) rho) for means of m ratings [1]_, [2]_. Intervals come from the
    generalised pivotal quantity [3]_: each mean square is drawn anew as MS df / chi-square. MSR has
    the degrees of freedom that its items' kurtosis leaves it; with clusters, MSR and the error have
    those that the jackknife over clusters gives. 0 is tested by the exact F. The limits of [1]_
    are ``confidence_interval(method="mcgraw-wong")``; for normal items whose raters differ
    they cover .87 to .96 in simulated studies. Where the means of items or the residuals of
    complete ratings have skewness or tails beyond chance, limits of items drawn with random
    weights join in: the upper one with an item farther out than any seen among them, the lower one
    with a rating wider off than any seen; with few, strongly skewed items the interval may still
    be too narrow, which a finding says where the skewness shows. The
    standard error is the delta method on the mean squares. Negative values are reported as they
    are; a lower limit of a mean's reliability beyond the pole of that formula is minus infinity.
    Missing ratings:
    restricted maximum likelihood of the crossed random model, intervals of a balanced design of
    that size.

    References
    ----------
    .. [1] McGraw, K. O. & Wong, S. P. (1996). Forming inferences about some intraclass correlation
       coefficients. Psychological Methods 1, 30-46. doi:10.1037/1082-989X.1.1.30
    .. [2] Shrout, P. E. & Fleiss, J. L. (1979). Intraclass correlations: uses in assessing rater
       reliability. Psychological Bulletin 86, 420-428. doi:10.1037/0033-2909.86.2.420
    .. [3] Weerahandi, S. (1993). Generalized confidence intervals. Journal of the American
       Statistical Association 88, 899-905. doi:10.1080/01621459.1993.10476355

    Examples
    --------
    >>> from consilience import Ratings
    >>> marks = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9],
    ...          [6, 2, 4, 7]]  # Shrout & Fleiss 1979, Table 2
    >>> six = Ratings.from_wide(marks, scale="interval")
    >>> [round(icc(six, model=form).value, 2) for form in ("1", "A,1", "C,1", "k", "A,k", "C,k")]
    [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    """
    form = parse(model)
    implied = form.raters or "random"
    effect = check_word("raters", implied if raters is None else raters, EFFECTS)
    check_word("missing", missing, MISSING)
    by_rater = form.kind != "one-way"
    data = panel("icc", ratings, raters_known=by_rater)
    data = Panel(data.ratings, data.flags, by_rater)
    n_items = data.ratings.n_items
    if missing == "listwise" and data.has_gaps:
        data = _complete_items(data)
    squares = mean_squares(data, by_rater=by_rater)
    return _estimate(data, squares, form, effect, n_averaged, n_items=n_items)


def _whole(number: float | None) -> float | None:
    """Return a whole number as one, so that it is shown without decimals."""
    return int(number) if number is not None and number.is_integer() else number


def _complete_items(data: Panel) -> Panel:
    values, weight, n = data.complete()
    if n and data.ratings.clusters is not None:  # which items go together must stay known
        return Panel(data.ratings.complete(), (*data.flags, "items_left_out"), data.by_rater)
    if n == 0:
        raise UnsupportedDesignError.needs(
            "listwise deletion",
            "an item that every rater rated",
            "none",
            'use missing="reml"',
        )
    rows = np.repeat(values, weight.astype(np.intp), axis=0)
    full = Ratings.from_wide(rows, raters=data.raters or None, scale="interval")
    return Panel(full, (*data.flags, "items_left_out"), data.by_rater)


def _estimate(
    data: Panel,
    ms: MeanSquares,
    form: Form,
    effect: str,
    n_averaged: float | None,
    *,
    n_items: int,
) -> IntraclassCorrelation:
    m = _averaged_over(form, n_averaged, ms.k)
    facts = data.facts("icc", ms.n)
    facts.update(
        n_items=n_items,
        name=form.name(m, effect),  # type: ignore[arg-type]
        model=form.kind,
        n_averaged=m,
        rater_effect=effect,
        mean_squares=ms,
        _data=data,
    )
    if ms.approximate:
        facts["flags"] += ("approximate",)
    reason = _why_not(ms, form.kind)
    value, error = (math.nan, math.nan) if reason else _value(ms, form.kind, m)
    if reason is None and not math.isfinite(value):
        reason = (
            "negative_variance: the variance of means comes out at or below zero, so no share of "
            "it can be formed"
        )
    if reason:
        return IntraclassCorrelation.undefined(reason, facts)
    facts["flags"] += _edges(ms, form.kind)
    if ms.approximate and value == 0.0:
        facts["flags"] += ("zero_variance",)
    elif value < 0.0 or (form.kind == "agreement" and ms.msc < ms.mse):
        facts["flags"] += ("negative_variance",)
    return IntraclassCorrelation(
        value=value, standard_error=error, standard_error_method="delta", **facts
    )


def _edges(ms: MeanSquares, kind: Kind) -> tuple[str, ...]:
    """Say where the data leave no interval, or no F test."""
    error, _ = ms.error(kind)
    if ms.msr == 0.0 or (error == 0.0 and (kind != "agreement" or ms.msc == 0.0)):
        return ("boundary",)
    return ("no_residual",) if error == 0.0 else ()


def _averaged_over(form: Form, n_averaged: float | None, k: float) -> float:
    if n_averaged is not None:
        m = check_number("n_averaged", n_averaged)
        if m < 1.0:
            raise InputError.expected("n_averaged", "at least 1", n_averaged, "a number of ratings")
        if not form.averaged and m != 1.0:
            raise InputError.expected(
                "n_averaged", "left out for single ratings", n_averaged, 'use model="A,k"'
            )
        return m
    if not form.averaged:
        return 1.0
    return float(form.number) if form.number is not None else k


def _why_not(ms: MeanSquares, kind: Kind) -> str | None:
    if ms.n < 2:
        return f"too_few_items: two items are needed, there is {ms.n}"
    if ms.constant:
        return "no_variation: every mark is the same, so there is no variance to share out"
    if kind == "one-way" and ms.df_w <= 0:
        return "too_few_ratings: no item has two ratings"
    if kind != "one-way" and ms.df_e <= 0:
        return "too_few_ratings: there are not more ratings than items and raters to tell apart"
    return None


def _value(ms: MeanSquares, kind: Kind, m: float) -> tuple[float, float]:
    """Return the correlation and its error by the delta method on the mean squares."""
    rho = single(kind)
    error_square, df_error = ms.error(kind)
    squares = np.array([ms.msr, error_square, ms.msc if kind == "agreement" else 0.0])
    df = np.array([ms.df_r, df_error, ms.df_c])

    def value(x: Any) -> Any:
        one = rho(x, ms)
        return averaged(one, m) if m > 1.0 else one

    if not _variance_of_means(ms, squares, kind, m) > 1e-12 * float(squares.max()):
        return math.nan, math.nan
    # Var(MS) = 2 MS^2 / df; the derivatives are exact by a complex step.
    step = 1e-20 * float(squares.max())
    gradient = np.array([value(squares + 1j * step * e).imag / step for e in np.eye(3)])
    variance = float((gradient**2 * 2.0 * squares**2 / df).sum())
    return float(value(squares)), math.sqrt(variance)


def _variance_of_means(ms: MeanSquares, x: Any, kind: Kind, m: float) -> float:
    """Return the variance of means of m ratings: the denominator of the correlation, times k."""
    item, error = x[0] - x[1], x[1]
    rater = (x[2] - x[1]) / ms.n if kind == "agreement" else 0.0
    return float(item / ms.k + (rater + error) / m)
