"""Forms of intraclass correlations in terms of mean squares, their limits and their tests."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream, seed_sequence
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import Interval
from consilience.inference.intervals import (
    SkewedT,
    clearly_skewed,
    draw_with_unseen,
    farther,
    first_of_largest,
    limits_of,
    p_value_of,
    quantile,
    unbiased_shape,
    wider,
)
from consilience.inference.resampling import Bootstrap
from consilience.magnitudes._variance_components import MeanSquares, mean_squares
from consilience.magnitudes.marks import Panel
from consilience.ratings import Ratings
from consilience.rows.distinct_rows import clusters_by_keys

# ---- names and formulas

Kind = Literal["one-way", "consistency", "agreement"]
RaterEffect = Literal["random", "fixed"]
FORMS = ("1", "k", "C,1", "C,k", "A,1", "A,k")
_KNOWN = (
    *FORMS,
    "ICC(1,1)",
    "ICC(1,k)",
    "ICC(2,1)",
    "ICC(2,k)",
    "ICC(3,1)",
    "ICC(3,k)",
)
_SHROUT_FLEISS: dict[str, tuple[Kind, RaterEffect]] = {
    "1": ("one-way", "random"),
    "2": ("agreement", "random"),
    "3": ("consistency", "fixed"),
}
_KINDS: dict[str, Kind] = {"c": "consistency", "a": "agreement"}


@dataclass(frozen=True, slots=True)
class Form:
    """Which intraclass correlation is meant."""

    kind: Kind
    averaged: bool
    number: int | None  # of ratings averaged, where the name states it
    raters: RaterEffect | None  # where the name implies it

    def name(self, k: float, raters: RaterEffect) -> str:
        """Return McGraw & Wong's name."""
        letter = {"one-way": "", "consistency": "C,", "agreement": "A,"}[self.kind]
        shown = f"{k:.4g}" if self.averaged else "1"
        effect = "" if self.kind == "one-way" or raters == "random" else ", raters fixed"
        return f"ICC({letter}{shown}){effect}"


def parse(model: Any) -> Form:
    """Read a name as McGraw & Wong, Shrout & Fleiss or a program writes it."""
    text = re.sub(r"\s", "", str(model)).lower()
    plain = re.fullmatch(r"icc([123])(k?)", text)
    if plain:  # ICC2, ICC2k: as several programs print Shrout & Fleiss
        kind, raters = _SHROUT_FLEISS[plain[1]]
        return Form(kind, bool(plain[2]), None, raters)
    inner = re.fullmatch(r"(?:icc)?\(?([^()]*)\)?", text)
    words = inner[1].split(",") if inner else []
    if len(words) == 1 and re.fullmatch(r"k|[1-9]\d*", words[0]):
        return _form("one-way", words[0], None)
    if len(words) == 2 and re.fullmatch(r"k|[1-9]\d*", words[1]):
        if words[0] in _KINDS:
            return _form(_KINDS[words[0]], words[1], None)
        if words[0] in _SHROUT_FLEISS:
            kind, raters = _SHROUT_FLEISS[words[0]]
            return _form(kind, words[1], raters)
    raise InputError.unknown_word("model", model, _KNOWN)


def _form(kind: Kind, unit: str, raters: RaterEffect | None) -> Form:
    number = None if unit in ("1", "k") else int(unit)
    return Form(kind, unit != "1", number, raters)


def single(kind: Kind) -> Callable[[Any, MeanSquares], Any]:
    """Return the correlation of single ratings as a function of (MSR, MSW or MSE, MSC)."""

    def one_way(ms: Any, design: MeanSquares) -> Any:
        return (ms[0] - ms[1]) / (ms[0] + (design.k - 1.0) * ms[1])

    def agreement(ms: Any, design: MeanSquares) -> Any:
        k, n = design.k, design.n
        return (ms[0] - ms[1]) / (ms[0] + (k - 1.0) * ms[1] + k / n * (ms[2] - ms[1]))

    return agreement if kind == "agreement" else one_way


def averaged(rho: Any, m: float) -> Any:
    """Return the correlation of means of m ratings (Spearman & Brown)."""
    return m * rho / (1.0 + (m - 1.0) * rho)


def from_average(rho: float, m: float) -> float:
    """Return the correlation of single ratings that gives this one for means of m."""
    return rho / (m - (m - 1.0) * rho)


# ---- items and clusters

_MARGIN = 12.0  # over the root of n: how far the shape of few items may mislead
_FEWEST_DEGREES = 1.5
_MOST_LEFT_OUT = 200  # groups of clusters of incomplete ratings, each of which is fitted anew
_LEVEL = 0.95  # at which few clusters are given Student's tails
_UNEVEN = 0.5
_ROUNDING = 1e-14  # of a sum of squares
_FEWEST_FLAT = 20.0  # items: fewer look flat by chance


@dataclass(frozen=True)
class ItemShape:
    """Skewness and excess kurtosis of the items' means, both unbiased for normal items."""

    n: float
    skewness: float
    kurtosis: float

    @property
    def is_skewed(self) -> bool:
        """Whether items are skewed by more than chance and by more than an interval can bear."""
        return clearly_skewed(self.skewness, self.n)

    @property
    def is_uneven(self) -> bool:
        """Whether items are so skewed that mean squares are better drawn from the items."""
        return abs(self.skewness) > _UNEVEN

    @property
    def degrees_of_freedom(self) -> float:
        """Those of a chi-square that spreads as MSR does.

        Var(log MSR) is about (2 + x) / (n - 1), x the excess kurtosis of item means: the larger of
        the one seen and 1.5 times the squared skewness, with a margin for few items; flat items
        vary less than normal ones.
        """
        n = self.n
        if n < 4.0:
            return n - 1.0
        heavy = max(self.kurtosis, 1.5 * self.skewness**2, 0.0) * (1.0 + _MARGIN / math.sqrt(n))
        flat = self.kurtosis < -0.6 and n >= _FEWEST_FLAT
        x = 0.8 * max(self.kurtosis, -1.2) if flat else heavy
        found = 2.0 * (n - 1.0) / (2.0 + x * (n - 1.0) / n)
        return min(max(found, _FEWEST_DEGREES), 2.0 * (n - 1.0))


def item_shape(data: Panel) -> ItemShape:
    """Return the shape of the items' means; it is remembered with the ratings."""
    if not data.has_gaps:
        ms = mean_squares(data, by_rater=data.by_rater)
        return _from_moments(float(ms.n), ms.item_moments)
    key = ("shape of items", data.by_rater)
    found: ItemShape = data.ratings.remember(key, lambda: _shape(data))
    return found


def _shape(data: Panel) -> ItemShape:
    means, weights = [], []
    level = _rater_means(data) if data.by_rater else None
    for values, weight in data.blocks():
        # Raters who are strict should not shape the means of the items that they rated.
        given = ~np.isnan(values)
        free = np.where(given, values - (0.0 if level is None else level), 0.0)
        many = given.sum(axis=1)
        row = np.where(many > 0, free.sum(axis=1) / np.maximum(many, 1), np.nan)
        means.append(row)
        weights.append(weight)
    mean, times = np.concatenate(means), np.concatenate(weights)
    known = np.isfinite(mean)
    return _moments(mean[known], times[known])


def _rater_means(data: Panel) -> Floats:
    total, count = np.zeros(data.n_raters), np.zeros(data.n_raters)
    for values, weight in data.blocks():
        total += weight @ np.nan_to_num(values)
        count += weight @ ~np.isnan(values)
    return np.asarray(total / np.maximum(count, 1.0))


def _moments(mean: Floats, times: Floats) -> ItemShape:
    n = float(times.sum())
    u = mean - float(times @ mean) / max(n, 1.0)
    square = u * u
    powers = (square, square * u, square * square)
    return _from_moments(n, tuple(float(times @ power) / max(n, 1.0) for power in powers))


def _from_moments(n: float, moments: tuple[float, ...]) -> ItemShape:
    second, third, fourth = moments
    if n < 4.0 or second <= 0.0:
        return ItemShape(n, 0.0, 0.0)
    skewness, kurtosis = unbiased_shape(n, second, third, fourth)
    return ItemShape(n, skewness, kurtosis)


# ---- whole units


@dataclass(frozen=True)
class UnitSums:
    """Per item or cluster of complete ratings: items, their means, squares, spread and columns."""

    sums: Floats  # units × (4 + raters)
    by_rater: bool

    @classmethod
    def of(cls, data: Panel, codes: NDArray[np.int64] | None, *, to_draw: bool = False) -> UnitSums:
        """Add the marks of each unit up; units to draw from stand in the order of their marks."""
        marks = data.laid_out()
        if to_draw:
            keys = _keys(data, marks)
            if codes is None:
                marks = marks[np.lexsort(keys)]
            else:
                codes = clusters_by_keys(keys, codes)
        x = marks - marks.mean()
        row = x.mean(axis=1)
        within = np.square(x - row[:, None]).sum(axis=1)
        each = np.column_stack([np.ones(row.size), row, row**2, within, x])
        if codes is not None:
            each = np.stack([np.bincount(codes, column) for column in each.T], axis=1)
        return cls(each, data.by_rater)

    def squares(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Return MSR, the error's mean square and MSC with these weights (draws × units)."""
        return self._of_totals(weights @ self.sums)

    def without_each(self) -> tuple[Floats, Floats, Floats]:
        """Return the same without each unit."""
        return self._of_totals(self.sums.sum(axis=0) - self.sums)

    def with_unseen(self) -> UnitSums:
        """Return the items with two of the prior behind them: one farther out, one at more odds.

        As in `consilience.inference.intervals.posterior_of_values`.
        """
        means, marks, once = self.sums[:, 1], self.sums[:, 4:], np.ones(len(self.sums))
        far = means - means.mean()
        strict = marks.mean(axis=0) - marks.mean() if self.by_rater else np.zeros(marks.shape[1])
        rest = marks - means[:, None] - strict
        odds = np.sqrt((rest**2).sum(axis=1))
        farthest, oddest = first_of_largest(np.abs(far)), first_of_largest(odds)
        unseen = (
            marks[farthest] + farther(far, once) * far[farthest],
            means[oddest] + strict + wider(odds, once) * rest[oddest],
        )
        return UnitSums(np.vstack([self.sums, *map(_sums_of_item, unseen)]), self.by_rater)

    def _of_totals(self, total: Floats) -> tuple[Floats, Floats, Floats]:
        n, k = total[:, 0], total.shape[1] - 4.0
        between = k * (total[:, 2] - total[:, 1] ** 2 / n)
        columns = total[:, 4:]
        raters = ((columns - columns.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) / n
        within = total[:, 3]
        least = _ROUNDING * (k * total[:, 2] + within)  # less is what rounding left of nothing
        between = np.where(between > least, between, 0.0)
        if self.by_rater:
            rest = within - raters
            error = np.where(rest > least, rest, 0.0) / ((n - 1.0) * (k - 1.0))
        else:
            error = within / (n * (k - 1.0))
        return between / (n - 1.0), error, raters / (k - 1.0)


def _keys(data: Panel, marks: Floats) -> list[Floats]:
    """Return what decides about the order of items: raters' marks, by the raters' names."""
    if not data.by_rater or not data.raters:
        return list(np.sort(marks, axis=1).T)
    names = sorted(range(len(data.raters)), key=lambda place: (str(data.raters[place]), place))
    return [marks[:, place] for place in names]


def _sums_of_item(marks: Floats) -> Floats:
    mean = float(marks.mean())
    return np.concatenate([[1.0, mean, mean**2, float(((marks - mean) ** 2).sum())], marks])


def degrees_by_cluster(
    data: Panel, ms: MeanSquares, kind: Kind, plain: tuple[float, float]
) -> tuple[float, float]:
    """Return the degrees of freedom of MSR and of the error that whole clusters leave them.

    The jackknife over clusters gives v = Var(log MS), and a chi-square with 2 / v degrees spreads
    as much; fewer by (z / t)^2 as v itself comes from few clusters, and never more than `plain`,
    those of independent items.
    """
    clusters = data.ratings.clusters
    assert clusters is not None
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = [np.log(left) for left in _without_each_cluster(data, clusters.codes, kind)]
    n_clusters = logs[0].size
    tail = 0.5 + _LEVEL / 2.0
    fewer = (quantile(tail, None) / quantile(tail, n_clusters - 1.0)) ** 2
    found = []
    for left, most in zip(logs, plain, strict=True):
        variance = (n_clusters - 1.0) / n_clusters * float(((left - left.mean()) ** 2).sum())
        degrees = 2.0 * fewer / variance if variance > 0.0 else math.nan
        least = min(_FEWEST_DEGREES, most)
        found.append(max(min(degrees, most), least) if degrees > 0.0 else least)
    return found[0], found[1]


def _without_each_cluster(
    data: Panel, codes: NDArray[np.int64], kind: Kind
) -> tuple[Floats, Floats]:
    """Return MSR and the error's mean square without each cluster, or group of clusters."""
    if not data.has_gaps:
        msr, error, _ = UnitSums.of(data, codes).without_each()
        return msr, error
    marks = data.laid_out()
    groups = clusters_by_keys(_keys(data, marks), codes) % _MOST_LEFT_OUT
    found = []
    for group in range(int(groups.max()) + 1):
        part = Ratings.from_wide(marks[groups != group], scale="interval")
        ms = mean_squares(Panel(part, (), data.by_rater), by_rater=data.by_rater)
        found.append((ms.msr, ms.error(kind)[0]))
    msr, error = np.array(found).T
    return msr, error


# ---- McGraw & Wong (1996), Tables 7 and 8


def limits(ms: MeanSquares, kind: Kind, level: float, m: float) -> tuple[float, float]:
    """Return the limits for means of m ratings, or for single ratings with m = 1."""
    low, high = _single_limits(ms, kind, level)
    if m > 1.0:
        low, high = average_limit(low, m), average_limit(high, m)
    return low, high


def f_test(ms: MeanSquares, kind: Kind, null: float, m: float) -> tuple[float, float]:
    """Return F at a null value and the degrees of freedom of its denominator; NaN: there is none.

    For agreement they are Satterthwaite's, taken at the estimate.
    """
    scale = denominator(ms, kind, from_average(null, m))
    df = _satterthwaite(ms) if kind == "agreement" else ms.error(kind)[1]
    return (ms.msr / scale if scale > 0.0 and df > 0.0 else math.nan), df


def denominator(ms: MeanSquares, kind: Kind, rho: float) -> float:
    """Return what MSR is divided by under a correlation rho of single ratings."""
    theta = ms.k * rho / (1.0 - rho)
    if kind != "agreement":
        return (1.0 + theta) * ms.error(kind)[0]
    a, b = theta / ms.n, 1.0 + theta * (ms.n - 1.0) / ms.n
    return a * ms.msc + b * ms.mse


def _satterthwaite(ms: MeanSquares) -> float:
    """Return the degrees of freedom v of a MSC + b MSE at the estimate, a and b times n (1 - rho).

    v = (a MSC + b MSE)^2 / ((a MSC)^2 / (k - 1) + (b MSE)^2 / ((n - 1)(k - 1)))
    """
    squares = np.array([ms.msr, ms.mse, ms.msc])
    rho = float(single("agreement")(squares, ms))
    a = ms.k * rho * ms.msc
    b = (ms.n * (1.0 - rho) + ms.k * rho * (ms.n - 1.0)) * ms.mse
    if b < 0.0 or a + b <= 0.0:  # far below zero no sum of mean squares is left: MSE alone
        return ms.df_e
    spread = a**2 / ms.df_c + b**2 / ms.df_e
    return (a + b) ** 2 / spread


def _single_limits(ms: MeanSquares, kind: Kind, level: float) -> tuple[float, float]:
    """Return the limits for single ratings (McGraw & Wong, Table 7)."""
    p = 0.5 + level / 2.0
    n, k = ms.n, ms.k
    if kind != "agreement":
        return _ratio_limits(ms, kind, p, ms.df_r, ms.error(kind)[1])
    v = _satterthwaite(ms)
    rest = k * ms.msc + (k * n - k - n) * ms.mse
    upper, lower = _f_quantiles(ms.df_r, v, p)
    # Divided by the quantile, which grows without bound as the degrees of freedom vanish.
    low = n * (ms.msr / upper - ms.mse) / (rest + n * ms.msr / upper)
    high = n * (ms.msr - ms.mse / lower) / (rest / lower + n * ms.msr)
    return low, high


def _ratio_limits(
    ms: MeanSquares, kind: Kind, p: float, df_r: float, df_error: float
) -> tuple[float, float]:
    """Return the limits where only MSR and the error play a part: F has their quantiles."""
    from scipy.special import fdtri

    f, k = ms.msr / ms.error(kind)[0], ms.k
    ends = f / float(fdtri(df_r, df_error, p)), f * float(fdtri(df_error, df_r, p))
    low, high = ((x - 1.0) / (x + k - 1.0) for x in ends)
    return low, high


def _f_quantiles(df: float, v: float, p: float) -> tuple[float, float]:
    """Return F(df, v) and F(v, df); infinite where there are next to no degrees of freedom."""
    from scipy.special import fdtri

    if not v > 0.0:
        return math.inf, math.inf
    found = (float(fdtri(df, v, p)), float(fdtri(v, df, p)))
    upper, lower = (x if math.isfinite(x) and x > 0.0 else math.inf for x in found)
    return upper, lower


def average_limit(limit: float, m: float) -> float:
    """Return the limit for means of m ratings; below the pole there is none."""
    return averaged(limit, m) if 1.0 + (m - 1.0) * limit > 0.0 else -math.inf


# ---- generalised pivotal quantity
# Each mean square stands for its expectation times a chi-square over its degrees of freedom; drawn
# anew, MS df / chi-square says where the expectation may lie, and with it the correlation. The
# degrees of freedom of MSR follow the shape of the items, or what whole clusters leave them. Where
# thirty items or more are skewed, their mean squares come from drawing items with random weights
# instead, among them some farther out than any seen.

DRAWS = 9_999
_SEED = 0
_FEWEST_ITEMS, _MOST_ITEMS = 30, 1_500  # that are drawn with weights
_MOST_WEIGHTS = 2_000_000  # held at once


@dataclass(frozen=True)
class Pivot:
    """How sure a correlation is: one object for its interval and its tests."""

    ms: MeanSquares
    kind: Kind
    df_r: float
    df_error: float
    draws: Floats | None  # of the correlation of single ratings: by items, or for agreement
    by_items: bool = False

    def limits(self, level: float, m: float) -> tuple[float, float]:
        """Return the limits for means of m ratings; 1 for single ratings."""
        if self.draws is not None:
            low, high = limits_of(self.draws, level)
        else:  # without raters the quantity is a ratio of two chi-squares
            p = 0.5 + level / 2.0
            low, high = _ratio_limits(self.ms, self.kind, p, self.df_r, self.df_error)
        return (average_limit(low, m), average_limit(high, m)) if m > 1.0 else (low, high)

    def p_value(self, null: float, m: float, alternative: str) -> float:
        """Return the p-value that is dual to the limits."""
        rho = from_average(null, m)
        if self.draws is not None:
            return p_value_of(self.draws, rho, alternative)
        scale = denominator(self.ms, self.kind, rho)
        if not scale > 0.0:
            return math.nan
        return f_p_value(self.ms.msr / scale, self.df_r, self.df_error, alternative)


def f_p_value(f: float, df1: float, df2: float, alternative: str) -> float:
    """Return the p-value of F."""
    from scipy.special import fdtr, fdtrc

    upper, lower = float(fdtrc(df1, df2, f)), float(fdtr(df1, df2, f))
    tails = {"greater": upper, "less": lower}
    return tails.get(alternative, min(2.0 * min(upper, lower), 1.0))


def pivot_of(data: Panel, ms: MeanSquares, kind: Kind) -> Pivot:
    """Return how sure a correlation is; it is remembered with the ratings."""
    found: Pivot = data.ratings.remember(("pivot", kind), lambda: _pivot(data, ms, kind))
    return found


def _pivot(data: Panel, ms: MeanSquares, kind: Kind) -> Pivot:
    shape = item_shape(data)
    plain = (shape.degrees_of_freedom, ms.error(kind)[1])
    clustered = data.ratings.clusters is not None
    complete = not clustered and not data.has_gaps
    if complete and shape.is_uneven and _FEWEST_ITEMS <= ms.n <= _MOST_ITEMS:
        values = _item_draws(data, ms, kind)
        if values is not None:
            return Pivot(ms, kind, *plain, values, by_items=True)
    df_r, df_error = degrees_by_cluster(data, ms, kind, plain) if clustered else plain
    draws = _draws(ms, df_r, df_error) if kind == "agreement" else None
    return Pivot(ms, kind, df_r, df_error, draws)


def _item_draws(data: Panel, ms: MeanSquares, kind: Kind) -> Floats | None:
    """Draw the correlation from items with random weights, and raters by their chi-square.

    From small to large: below the middle half way between draws with items that were not seen and
    draws without, above it the larger ones. Items far out that are missing lift the correlation, so
    the test of skewed items would reject too often from below if they all counted there (.09
    instead of .05), and hardly ever if none did.
    """
    key = ("mean squares of drawn items", data.by_rater)
    found = data.ratings.remember(key, lambda: _drawn_squares(data, ms))
    if found is None:
        return None
    seen, unseen = (np.sort(single(kind)(squares, ms)) for squares in found)
    lower = np.arange(seen.size) < seen.size / 2.0
    return np.asarray(np.where(lower, 0.5 * (seen + unseen), np.maximum(seen, unseen)), np.float64)


def _drawn_squares(data: Panel, ms: MeanSquares) -> tuple[list[Floats], list[Floats]] | None:
    """Return MSR, the error's mean square and MSC of draws, with the items seen and with others.

    None where all error, or none, lies in one item.
    """
    units = UnitSums.of(data, None, to_draw=True)
    n = len(units.sums)
    msr, error, _ = units.without_each()
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(msr / error)
    if not np.isfinite(ratio).all():
        return None
    degrees = SkewedT.of(0.0, ratio, np.ones(n)).degrees_of_freedom
    random = RandomStream.of(seed_sequence(_SEED))
    size = min(DRAWS, _MOST_WEIGHTS // n)
    weights = draw_with_unseen(np.ones(n), degrees, _LEVEL)(random, size).T
    msc = ms.msc * ms.df_c / (2.0 * random.gamma(ms.df_c / 2.0, size))
    found = []
    for some, sums in ((weights[:, :n], units), (weights, units.with_unseen())):
        msr, error, _ = sums.squares(some * (n / some.sum(axis=1, keepdims=True)))
        found.append([msr, error, msc])
    return found[0], found[1]


def _draws(ms: MeanSquares, df_r: float, df_e: float) -> Floats:
    """Draw the correlation of single ratings, from small to large.

    (r - e) / (r + (k - 1) e + k (c - e) / n) with r = MSR f / chi2_f, c = MSC (k - 1) / chi2_(k-1)
    and e = MSE (n - 1)(k - 1) / chi2_((n-1)(k-1)): Weerahandi (1993),
    doi:10.1080/01621459.1993.10476355, for the two-way model of McGraw & Wong (1996), case 2A.
    """
    random = RandomStream.of(seed_sequence(_SEED))

    def drawn(square: float, df: float) -> Any:
        return square * df / (2.0 * random.gamma(df / 2.0, DRAWS))

    squares = [drawn(ms.msr, df_r), drawn(ms.mse, df_e), drawn(ms.msc, ms.df_c)]
    values: Floats = np.sort(single("agreement")(squares, ms))
    return values


# ---- bootstrap

_RESAMPLES = 1_999
_MOST_CELLS = 4_000_000  # weights held at once


def bca_interval(
    data: Panel, ms: MeanSquares, kind: Kind, level: float, *, m: float, value: float
) -> Interval:
    """Return the bias-corrected and accelerated interval; the raters are taken as they are."""
    if data.has_gaps:
        raise UnsupportedDesignError.needs(
            "a bootstrap of the intraclass correlation",
            "every rating",
            "missing ones",
            'use missing="listwise", or method="auto"',
        )
    clusters = data.ratings.clusters
    units = UnitSums.of(data, None if clusters is None else clusters.codes, to_draw=True)
    size = len(units.sums)
    random = RandomStream.of(seed_sequence(_SEED))
    share, step = np.full(size, 1.0 / size), max(1, _MOST_CELLS // size)

    def values(squares: tuple[Floats, Floats, Floats]) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            rho = single(kind)(squares, ms)
            return averaged(rho, m) if m > 1.0 else rho

    drawn = []
    for first in range(0, _RESAMPLES, step):
        times = random.multinomial(size, share, min(step, _RESAMPLES - first))
        drawn.append(values(units.squares(times.astype(np.float64))))
    by = "item" if clusters is None else "cluster"
    made = Bootstrap.of(value, np.concatenate(drawn), by)
    return made.bca(values(units.without_each()), confidence_level=level)
