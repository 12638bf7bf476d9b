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
from consilience.core.tails import p_of_tails
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import Interval
from consilience.inference.intervals import (
    SkewedT,
    clearly_skewed,
    farther,
    first_of_largest,
    gamma_shape_of,
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
    def is_unlike_normal(self) -> bool:
        """Whether items are skewed by .5, or skewness or tails are beyond chance.

        Few items of a very skewed population look even more often than not, and those that do are
        the ones whose intervals are too narrow; so any sizeable skewness is believed.
        """
        n = max(self.n, 1.0)
        uneven = abs(self.skewness) > min(_UNEVEN, 2.0 * math.sqrt(6.0 / n))
        return uneven or self.kurtosis > 2.0 * math.sqrt(24.0 / n)

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
            keys = keys_of_items(data, marks)
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


def keys_of_items(data: Panel, marks: Floats) -> list[Floats]:
    """Return what decides about the order of items: raters' marks, by the raters' names."""
    if not data.by_rater or not data.raters:
        return list(np.sort(marks, axis=1).T)
    names = sorted(range(len(data.raters)), key=lambda place: (str(data.raters[place]), place))
    return [marks[:, place] for place in names]


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
    groups = clusters_by_keys(keys_of_items(data, marks), codes) % _MOST_LEFT_OUT
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
# items or errors are plainly not normal, limits of items drawn with random weights join in.

DRAWS = 9_999
_SEED = 0


@dataclass(frozen=True)
class Pivot:
    """How sure a correlation is: one object for its interval and its tests."""

    ms: MeanSquares
    kind: Kind
    df_r: float
    df_error: float
    draws: Floats | None = None  # of the correlation of single ratings, for agreement
    by_items: DrawnItems | None = None

    def limits(self, level: float, m: float) -> tuple[float, float]:
        """Return the limits for means of m ratings; 1 for single ratings."""
        if self.draws is not None:
            low, high = limits_of(self.draws, level)
        else:  # without raters the quantity is a ratio of two chi-squares
            p = 0.5 + level / 2.0
            low, high = _ratio_limits(self.ms, self.kind, p, self.df_r, self.df_error)
        if self.by_items is not None:
            low = min(low, *(limits_of(draws, level)[0] for draws in self.by_items.lower))
            high = max(high, *(limits_of(draws, level)[1] for draws in self.by_items.upper))
        return (average_limit(low, m), average_limit(high, m)) if m > 1.0 else (low, high)

    def p_value(self, null: float, m: float, alternative: str) -> float:
        """Return the p-value that is dual to the limits."""
        rho = from_average(null, m)
        greater, less = self._tails(rho)
        if math.isnan(greater):
            return math.nan
        if self.by_items is not None:
            greater = max(greater, *(_tails_of(draws, rho)[0] for draws in self.by_items.lower))
            less = max(less, *(_tails_of(draws, rho)[1] for draws in self.by_items.upper))
        return p_of_tails(less, greater, alternative)

    def _tails(self, rho: float) -> tuple[float, float]:
        """Return the p-values against what is at most, and against what is at least, rho."""
        if self.draws is not None:
            return _tails_of(self.draws, rho)
        scale = denominator(self.ms, self.kind, rho)
        if not scale > 0.0:
            return math.nan, math.nan
        f = self.ms.msr / scale
        return tuple(  # type: ignore[return-value]
            f_p_value(f, self.df_r, self.df_error, side) for side in ("greater", "less")
        )


def _tails_of(draws: Floats, rho: float) -> tuple[float, float]:
    greater, less = (p_value_of(draws, rho, side) for side in ("greater", "less"))
    return greater, less


def f_p_value(f: float, df1: float, df2: float, alternative: str) -> float:
    """Return the p-value of F."""
    from scipy.special import fdtr, fdtrc

    if math.isnan(f):
        return math.nan
    return p_of_tails(float(fdtr(df1, df2, f)), float(fdtrc(df1, df2, f)), alternative)


def pivot_of(data: Panel, ms: MeanSquares, kind: Kind) -> Pivot:
    """Return how sure a correlation is; it is remembered with the ratings."""
    found: Pivot = data.ratings.remember(("pivot", kind), lambda: _pivot(data, ms, kind))
    return found


def _pivot(data: Panel, ms: MeanSquares, kind: Kind) -> Pivot:
    plain = (item_shape(data).degrees_of_freedom, ms.error(kind)[1])
    drawn = None
    if data.ratings.clusters is not None:
        df_r, df_error = degrees_by_cluster(data, ms, kind, plain)
    else:
        drawn = _drawn_items(data, ms, kind)
        df_r, df_error = plain if drawn is None else (ms.df_r, plain[1])
    draws = _draws(ms, df_r, df_error) if kind == "agreement" else None
    return Pivot(ms, kind, df_r, df_error, draws, drawn)


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


# ---- items with random weights
# A sample of skewed items or errors mostly lacks the few that decide about a mean square. An item
# farther out than any seen lifts the correlation, a rating wider off than any seen lowers it: the
# upper limit is the larger one with and without the first, the lower the smaller with and without
# the second, each of which counts as a fraction of an item.

_UNSEEN_ITEM, _UNSEEN_RATING = 0.5, 0.25  # items' worth of prior
_FARTHEST = 3.0  # as a multiple of the farthest seen, beyond it
_ODD_WHERE_FAR = 0.3  # how fast errors grow with the distance, on the scale of logarithms
_NO_ERROR = 0.05  # of the mean square within items, below which half of the items show none
_FEWEST_ITEMS, _MOST_ITEMS = 4, 1_500  # that are drawn with weights
ITEM_DRAWS, _MOST_WEIGHTS = 3_999, 1_000_000  # at most, and held at once


@dataclass(frozen=True)
class DrawnItems:
    """Draws of the correlation of single ratings, for either limit without and with the prior."""

    lower: tuple[Floats, Floats]
    upper: tuple[Floats, Floats]


@dataclass(frozen=True)
class _Items:
    """The sums of items' marks, about the raters' means, and their squares about the items'."""

    marks: Floats
    sums: Floats
    within: Floats

    @classmethod
    def of(cls, data: Panel) -> _Items:
        marks = data.laid_out()
        marks = marks[np.lexsort(keys_of_items(data, marks))]
        z = marks - (marks.mean(axis=0) if data.by_rater else marks.mean())
        sums = z.sum(axis=1)
        return cls(z, sums, ((z - sums[:, None] / z.shape[1]) ** 2).sum(axis=1))

    @property
    def has_tails(self) -> bool:
        """Whether residuals have heavier tails than normal ones by more than chance."""
        rest = self.marks - self.sums[:, None] / self.marks.shape[1]
        square = float((rest**2).mean())
        n, m = self.marks.shape
        excess = float((rest**4).mean()) / square**2 - 3.0 if square > 0.0 else 0.0
        return excess > 2.0 * math.sqrt(24.0 / (n * (m - 1.0)))

    def without_each(self) -> Floats:
        """Return log(MSR / MSE) without each item, but for a constant."""
        n = self.sums.size
        total, squares = self.sums.sum() - self.sums, (self.sums**2).sum() - self.sums**2
        between = squares - total**2 / (n - 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(between / (self.within.sum() - self.within)))

    def farther(self) -> tuple[float, float]:
        """Return the sum and the squares within of an item farther out than any."""
        m = self.marks.shape[1]
        far, once = self.sums / m, np.ones(self.sums.size)
        place = first_of_largest(np.abs(far))
        stretch = 1.0 + min(farther(far, once), _FARTHEST)
        tenth = max(1, round(far.size / 10.0))
        by_distance = np.argsort(-np.abs(far), kind="stable")
        out, rest = by_distance[:tenth], by_distance[tenth:]
        with np.errstate(divide="ignore", invalid="ignore"):
            odd = np.log(self.within[out].mean() / self.within[rest].mean())
            apart = np.log((far[out] ** 2).mean() / (far[rest] ** 2).mean())
        # Where most items are marked alike, as rare labels are, nothing tells how errors grow.
        rated_alike = float(np.median(self.within)) < _NO_ERROR * float(self.within.mean())
        grows = stretch**2 if odd >= _ODD_WHERE_FAR * apart and not rated_alike else 1.0
        return float(self.sums[place] * stretch), float(self.within[place] * grows)

    def odder(self) -> tuple[float, float]:
        """Return the sum and the squares within of an item with a rating wider off than any."""
        m = self.marks.shape[1]
        off = (self.marks * m - self.sums[:, None]) / (m - 1.0)
        place = first_of_largest(np.abs(off).ravel())
        x = float(off.ravel()[place]) * wider(np.sqrt(self.within), np.ones(self.sums.size))
        return x, x**2 * (1.0 - 1.0 / m)


def _drawn_items(data: Panel, ms: MeanSquares, kind: Kind) -> DrawnItems | None:
    """Draw items with random weights where they or errors are plainly not normal.

    None where they may be, with gaps, or where all error, or none, lies in one item.
    """
    if data.has_gaps or not _FEWEST_ITEMS <= ms.n <= _MOST_ITEMS:
        return None
    key = ("mean squares of drawn items", data.by_rater)
    found = data.ratings.remember(key, lambda: _drawn_squares(data, ms))
    if found is None:
        return None
    drawn = [np.sort(single(kind)(squares, ms)) for squares in found]
    return DrawnItems((drawn[0], drawn[1]), (drawn[2], drawn[3]))


def _drawn_squares(data: Panel, ms: MeanSquares) -> list[tuple[Floats, Floats, Floats]] | None:
    """Return MSR, the error's mean square and MSC: lower draws, upper draws, either with prior."""
    items = _Items.of(data)
    if not (item_shape(data).is_unlike_normal or items.has_tails):
        return None
    without = items.without_each()
    if not np.isfinite(without).all():
        return None
    n, m = items.marks.shape
    once = np.ones(n)
    fewest = SkewedT.of(0.0, without, once).degrees_of_freedom
    random = RandomStream.of(seed_sequence(_SEED))
    size = min(ITEM_DRAWS, _MOST_WEIGHTS // n)
    msc = ms.msc * ms.df_c / (2.0 * random.gamma(ms.df_c / 2.0, size))
    free = (n - 1.0) * (m - 1.0) if data.by_rater else n * (m - 1.0)
    seen = np.column_stack([once, items.sums, items.sums**2, items.within])
    found = []
    for degrees, prior, (sums, within) in (
        (math.sqrt(fewest * (n - 1.0)), _UNSEEN_RATING, items.odder()),
        (fewest, _UNSEEN_ITEM, items.farther()),
    ):
        shape = gamma_shape_of(degrees, n, _LEVEL)
        totals = (random.gamma(np.full(n, shape), size) / shape).T @ seen
        unseen = random.gamma(np.array([prior]), size).T * np.array([1.0, sums, sums**2, within])
        for total in (totals, totals + unseen):
            weight, mean = total[:, 0], total[:, 1] / total[:, 0]
            between = np.maximum(total[:, 2] / weight - mean**2, 0.0) / m * (n / (n - 1.0))
            found.append((between, total[:, 3] / weight * (n / free), msc))
    return found


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
