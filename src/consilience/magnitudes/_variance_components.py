"""Mean squares and variance components of items × raters, complete or not."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from consilience.core.arrays import Floats
from consilience.exceptions import UnsupportedDesignError
from consilience.magnitudes.marks import Panel

# ---- items by number of ratings
# Of all items with m ratings only a few totals are needed, so one pass over the data serves every
# evaluation of a likelihood, whose cost grows with the raters alone.


@dataclass
class Group:
    """Totals of all items with m ratings each."""

    m: int
    n: float = 0.0
    sums: float = 0.0  # of the items' sums
    squares: float = 0.0  # of the items' sums
    together: Floats = field(default_factory=lambda: np.zeros((0, 0)))  # pairs of raters
    by_rater: Floats = field(default_factory=lambda: np.zeros(0))  # items' sums, by rater


@dataclass
class ItemGroups:
    """All items by their number of ratings, with the totals that the likelihood needs."""

    groups: list[Group]
    within: float  # sum of squares within items
    total_square: float
    rater_sums: Floats  # of what her marks differ from their items' means
    rater_counts: Floats

    @classmethod
    def of(cls, data: Panel, *, by_rater: bool, without: Floats | None = None) -> ItemGroups:
        """Collect the totals in one pass, of the marks without the raters' effects if told."""
        k = data.n_raters
        found: dict[int, Group] = {}
        size = k if by_rater else 0
        self = cls([], 0.0, 0.0, np.zeros(size), np.zeros(size))
        shift = None
        for values, weight in data.blocks():
            if shift is None:
                shift = float(np.nanmean(values)) if not np.isnan(values).all() else None
            if shift is None:
                continue
            x = values - shift if without is None else values - shift - without
            self._add(found, x, weight, size)
        self.groups = [found[m] for m in sorted(found)]
        return self

    def _add(self, found: dict[int, Group], x: Floats, w: Floats, k: int) -> None:
        present = ~np.isnan(x)
        x = np.where(present, x, 0.0)
        n_i, sum_i = present.sum(axis=1), x.sum(axis=1)
        mean = sum_i / np.maximum(n_i, 1)
        apart = np.where(present, x - mean[:, None], 0.0)
        self.within += float(w @ (apart**2).sum(axis=1))
        self.total_square += float(w @ (x**2).sum(axis=1))
        if k:
            self.rater_sums += w @ apart
            self.rater_counts += w @ present
        for m in np.unique(n_i[n_i > 0]).tolist():
            mine = n_i == m
            group = found.setdefault(m, Group(m, together=np.zeros((k, k)), by_rater=np.zeros(k)))
            share, totals = w[mine], sum_i[mine]
            group.n += float(share.sum())
            group.sums += float(share @ totals)
            group.squares += float(share @ totals**2)
            if k:
                who = present[mine].astype(np.float64)
                group.together += (who * share[:, None]).T @ who
                group.by_rater += (share * totals) @ who

    @property
    def n_items(self) -> int:
        """Items with at least one rating."""
        return int(sum(group.n for group in self.groups))

    @property
    def n_ratings(self) -> int:
        """Ratings in all."""
        return int(sum(group.n * group.m for group in self.groups))

    @property
    def harmonic_mean(self) -> float:
        """Harmonic mean of the number of ratings per item."""
        return self.n_items / sum(group.n / group.m for group in self.groups)

    @property
    def constant(self) -> bool:
        """Whether all marks are the same."""
        spread = self.total_square - self.sums**2 / self.n_ratings
        return spread <= 1e-13 * max(self.total_square, 1e-300)

    @property
    def sums(self) -> float:
        """Sum of all marks, as far as they were centred."""
        return float(sum(group.sums for group in self.groups))


# ---- restricted maximum likelihood
# The model is mark = mean + item + rater + error (or without rater), items and raters random. A fit
# ends where the derivatives of the likelihood are zero to the last digits, so that neither the
# processor nor the order of raters and items decides about the digits of a result.

_ROUNDING = 1e-13  # of a sum of squares
_LARGEST_RATIO = 1e8  # of two variance components that is still told from infinity
_LEAST_RATIO = 1e-8  # that is told from zero
_MOST_STEPS = 200
_NEAR = 1e-6  # a step that promises less is beyond the digits of the deviance
_FEWEST_RATIOS = np.concatenate([[0.0], np.logspace(-8.0, 8.0, 65)])  # at which slopes are seen


def one_way(data: ItemGroups) -> tuple[float, float]:
    """Return the variance between items and within them."""
    from scipy.optimize import brentq

    if data.within <= _ROUNDING * data.total_square:
        return _spread_of_items(data, np.zeros(data.rater_counts.size)), 0.0
    m = np.array([group.m for group in data.groups], dtype=np.float64)
    n = np.array([group.n for group in data.groups])
    means = np.array([group.sums for group in data.groups]) / m
    squares = np.array([group.squares for group in data.groups]) / m**2
    free = data.n_ratings - 1.0

    def parts(ratio: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the error's variance, the deviance and its slope, with the best centre."""
        weight = m / (1.0 + np.multiply.outer(ratio, m))  # precision of an item's mean
        total = weight @ n
        centre = (weight @ means / total)[..., None]
        from_centre = squares - 2.0 * centre * means + n * centre**2
        rest = data.within + np.maximum((weight * from_centre).sum(axis=-1), 0.0)
        logs = np.log1p(np.multiply.outer(ratio, m)) @ n + np.log(total)
        slope = total - weight**2 @ n / total
        slope = slope - free * (weight**2 * from_centre).sum(axis=-1) / rest
        return rest / free, free * np.log(rest / free) + logs, slope

    def slope(ratio: float) -> float:
        return float(parts(np.asarray(ratio))[2])

    steps = _FEWEST_RATIOS
    slopes = parts(steps)[2]
    turns = np.flatnonzero((slopes[:-1] < 0.0) & (slopes[1:] >= 0.0))
    flat = [float(brentq(slope, steps[k], steps[k + 1], xtol=1e-300, rtol=1e-15)) for k in turns]
    ends = [*([0.0] if slopes[0] >= 0.0 else []), *([_LARGEST_RATIO] if slopes[-1] < 0.0 else [])]
    ratios = np.array([*ends, *(0.0 if ratio < _LEAST_RATIO else ratio for ratio in flat)])
    errors, deviances, _ = parts(ratios)
    best = int(np.argmin(deviances))
    return float(ratios[best] * errors[best]), float(errors[best])


# ---- items and raters


@dataclass(frozen=True)
class _Deviance:
    """Minus twice the restricted log-likelihood at two ratios, with its derivatives."""

    value: float
    error: float  # variance of the errors, the best for these ratios
    gradient: Floats
    hessian: Floats
    expected: Floats  # what the Hessian is expected to be; never negative


def two_way(data: Panel, groups: ItemGroups) -> tuple[float, float, float]:
    """Return the variances of items, raters and errors.

    With ratios t = var(item) / var(error), u = var(rater) / var(error) and the marks' covariance
    V = I + t Z1 Z1' + u Z2 Z2', the restricted deviance is

        (N - 1) log s^2 + log |V| + log 1'V^-1 1,  s^2 = y'Py / (N - 1).

    Newton's method finds where it is flat, or rises from a ratio of zero.
    """
    effects, (item, rater, error) = _least_squares(groups)
    if error == 0.0:
        return item, rater, error
    fit = _Fit.of(ItemGroups.of(data, by_rater=True, without=effects), effects)
    ratios = np.clip([item / error, rater / error], 0.01, _LARGEST_RATIO / 4.0)
    here = fit.deviance(ratios)
    last = math.inf
    for _ in range(_MOST_STEPS):
        step = _step(here, ratios)
        promised = -float(here.gradient @ step)
        moved = np.clip(ratios + step, 0.0, _LARGEST_RATIO)
        there = fit.deviance(moved)
        if promised > _NEAR:
            while there.value > here.value and promised > _NEAR:
                step, promised = 0.5 * step, 0.5 * promised
                moved = np.clip(ratios + step, 0.0, _LARGEST_RATIO)
                there = fit.deviance(moved)
        size = float(np.abs(step / np.maximum(ratios, _LEAST_RATIO)).max())
        ratios, here = moved, there
        if promised <= _NEAR and (size == 0.0 or size >= 0.5 * last):
            break  # steps as short as rounding makes them get no shorter
        last = size if promised <= _NEAR else math.inf
    ratios = np.where(ratios < _LEAST_RATIO, 0.0, ratios)
    error = fit.deviance(ratios).error
    return float(ratios[0] * error), float(ratios[1] * error), error


def _step(here: _Deviance, ratios: Floats) -> Floats:
    """Return the way to where a parabola is flat; ratios of zero that should not grow stay.

    Where the deviance bends the wrong way, the parabola is the one that is to be expected.
    """
    at_zero = (ratios <= 0.0) & (here.gradient >= 0.0)
    at_end = (ratios >= _LARGEST_RATIO) & (here.gradient <= 0.0)
    free = np.flatnonzero(~(at_zero | at_end))
    step = np.zeros(2)
    while free.size:
        bend = here.hessian[np.ix_(free, free)]
        if not (np.diag(bend) > 0.0).all() or np.linalg.det(bend) <= 0.0:
            bend = here.expected[np.ix_(free, free)]
            bend = bend + 1e-9 * np.diag(np.diag(bend))
        step[:] = 0.0
        step[free] = -np.linalg.solve(bend, here.gradient[free])
        out = free[(ratios[free] <= 0.0) & (step[free] < 0.0)]
        if not out.size:
            break
        free = np.setdiff1d(free, out)
    # Not below zero by more than a ratio holds, and not out of sight in one step.
    return np.clip(step, -ratios, 9.0 * ratios + 1.0)


@dataclass(frozen=True)
class _Solved:
    """Henderson's equations with their solution."""

    scale: Floats  # 1, and the ratio u for each rater
    inverse: Floats
    cross: Floats  # W'MW
    effects: Floats  # the mean, and the raters' effects beyond those of the least squares
    residual: Floats  # Z2'P of the marks


@dataclass(frozen=True)
class _Fit:
    """What the deviance of two ratios needs of the marks.

    The marks come without the raters' effects of a fit by least squares, which are put back in the
    equations: where raters differ a thousand times as much as errors, a sum of squares of the
    marks themselves would have lost the digits of the errors.
    """

    groups: list[tuple[int, float, float, Floats, Floats]]  # m, n, squares, w w' and w y summed
    within: tuple[Floats, Floats]
    square: float
    n_ratings: int
    effects: Floats

    @classmethod
    def of(cls, data: ItemGroups, effects: Floats) -> _Fit:
        """Collect it; w is (m, 1 for each rater of the item)."""
        k = effects.size
        groups = []
        for group in data.groups:
            both = np.empty((k + 1, k + 1))
            both[1:, 1:] = group.together
            both[0, 1:] = both[1:, 0] = group.m * np.diag(group.together)
            both[0, 0] = group.m**2 * group.n
            sums = np.concatenate([[group.m * group.sums], group.by_rater])
            groups.append((group.m, group.n, group.squares, both, sums))
        return cls(groups, _within_items(data), data.within, data.n_ratings, effects)

    def deviance(self, ratios: Floats) -> _Deviance:
        """Return the deviance with its derivatives, items absorbed by the weights t / (1 + t m).

        M is V^-1 for u = 0, y the marks without the effects a, W = (1, Z2). Henderson's equations

            L (c, x) = W'My + (oz'a, zz a - a) / (1 + u),
            L = [[1'M1, u oz'], [oz, u zz + I]],  oz = Z2'M1, zz = Z2'MZ2,

        give the mean c and e = x + a / (1 + u), which is Z2'P(y + Z2 a); and, with w for an item in
        place of W'My, L^-1 w / (1 + t m) holds Z2'P1 of that item. So a ratio u of zero is one like
        others, and no small number is left over of large ones.
        """
        t, u = float(ratios[0]), float(ratios[1])
        k, free = self.effects.size, self.n_ratings - 1.0
        cross, marks = np.zeros((k + 1, k + 1)), np.zeros(k + 1)  # W'MW and W'My
        cross[1:, 1:], marks[1:] = self.within
        square, logs = self.square, 0.0
        for m, n, squares, both, sums in self.groups:
            kept = 1.0 / (1.0 + t * m)
            cross += kept / m * both
            marks += kept / m * sums
            square += kept / m * squares
            logs += n * math.log1p(t * m)
        scale = np.concatenate([[1.0], np.full(k, u)])
        left = cross * scale
        left[1:, 1:] += np.eye(k)
        inverse = np.linalg.inv(left)
        known = self.effects / (1.0 + u)
        right = marks + cross[:, 1:] @ known
        right[1:] -= known
        found = inverse @ right
        residual = found[1:] + known
        effects = scale * found - np.concatenate([[0.0], known])
        rest = square + float(effects @ (cross @ effects - 2.0 * marks))
        rest = max(rest + u * float(residual @ residual), 1e-300)
        logs += float(np.linalg.slogdet(left)[1])
        solved = _Solved(scale, inverse, cross, effects, residual)
        (traces, lengths), (twice, bends) = self._derivatives(t, solved)
        return _Deviance(
            value=free * math.log(rest / free) + logs,
            error=rest / free,
            gradient=traces - free * lengths / rest,
            hessian=free * (2.0 * bends / rest - np.outer(lengths, lengths) / rest**2) - twice,
            expected=twice - np.outer(traces, traces) / free,
        )

    def _derivatives(
        self, t: float, at: _Solved
    ) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """Return tr PA and y'PAPy, and tr PAPB and y'PAPBPy, for A and B of Z1 Z1' and Z2 Z2'."""
        effects, inverse, residual = at.effects, at.inverse, at.residual
        size = effects.size
        trace = length = twice_t = bend_t = 0.0
        spread, turned, pull = np.zeros((size, size)), np.zeros((size, size)), np.zeros(size)
        for m, n, squares, both, sums in self.groups:
            kept = 1.0 / (1.0 + t * m)
            own = m * kept
            left = kept**2 * (squares + float(effects @ (both @ effects - 2.0 * sums)))
            trace += own * n
            twice_t += own**2 * n
            length += left
            bend_t += own * left
            spread += kept**2 * both
            turned += own * kept**2 * both
            pull += kept**2 * (sums - both @ effects)
        lever = at.scale[:, None] * inverse  # w'(lever) w is what mean and raters take away
        share = lever @ spread
        trace -= float(np.trace(share))
        twice_t += float(np.vdot(share.T, share)) - 2.0 * float(np.vdot(lever.T, turned))
        bend_t -= float(pull @ lever @ pull)
        across = inverse[1:]
        raters = across @ at.cross[:, 1:]  # Z2'PZ2
        mixed = float(np.vdot(across @ spread, across))
        twice = np.array([[twice_t, mixed], [mixed, float(np.vdot(raters.T, raters))]])
        bend_tu = float((across @ pull) @ residual)
        bends = np.array([[bend_t, bend_tu], [bend_tu, float(residual @ raters @ residual)]])
        traces = np.array([trace, float(np.trace(raters))])
        lengths = np.array([length, float(residual @ residual)])
        return (traces, lengths), (twice, bends)


def _least_squares(data: ItemGroups) -> tuple[Floats, tuple[float, float, float]]:
    """Return raters' effects, and the spread of items and raters with the residual mean square.

    A start for the search; the answer itself where marks are exactly item plus rater.
    """
    zz, zy = _within_items(data)
    effect = np.linalg.lstsq(zz, zy, rcond=None)[0].astype(np.float64)
    rest = data.within - float(effect @ zy)
    free = data.n_ratings - data.n_items - effect.size + 1
    error = rest / free if rest > _ROUNDING * data.total_square else 0.0
    return effect, (_spread_of_items(data, effect), float(effect.var(ddof=1)), error)


def _within_items(data: ItemGroups) -> tuple[Floats, Floats]:
    """Return Z'MZ and Z'My of the raters, M taking every item's mean away."""
    zz = np.diag(data.rater_counts)
    for group in data.groups:
        zz = zz - group.together / group.m
    return zz, data.rater_sums


def _spread_of_items(data: ItemGroups, effect: Floats) -> float:
    """Return the variance of item means, each freed of the effects of its raters."""
    total = square = 0.0
    for group in data.groups:
        m, together = group.m, group.together
        total += (group.sums - float(effect @ np.diag(together))) / m
        cross = float(effect @ group.by_rater)
        square += (group.squares - 2.0 * cross + float(effect @ together @ effect)) / m**2
    n = data.n_items
    spread = max(square - total**2 / n, 0.0)
    return spread / (n - 1.0) if spread > _ROUNDING * data.total_square else 0.0


# ---- mean squares

_MOST_RATERS = 200  # of an incomplete two-way design: its equations are raters × raters


@dataclass(frozen=True, slots=True)
class MeanSquares:
    """Mean squares with their degrees of freedom; without raters, only `msr` and `msw`.

    For incomplete designs they are those of a balanced design with the estimated components:
    `k` is then the harmonic mean of the number of ratings per item.
    """

    n: int
    k: float
    msr: float  # between items
    msw: float  # within items
    msc: float  # between raters
    mse: float  # residual
    df_r: float
    df_w: float
    df_c: float
    df_e: float
    n_ratings: int
    approximate: bool = False
    constant: bool = False  # every mark is the same
    item_moments: tuple[float, ...] = ()  # second to fourth central moment of the items' means

    def error(self, kind: str) -> tuple[float, float]:
        """Return the mean square that stands for error, with its degrees of freedom."""
        return (self.msw, self.df_w) if kind == "one-way" else (self.mse, self.df_e)


def mean_squares(data: Panel, *, by_rater: bool) -> MeanSquares:
    """Return the mean squares of complete data, or of the balanced design that stands for them.

    They are remembered with the ratings: six forms of a correlation cost one pass.
    """
    if data.has_gaps:
        key, compute = ("components", by_rater), partial(_from_components, data, by_rater=by_rater)
    else:
        key, compute = ("mean squares", True), partial(_balanced, data)
    return data.ratings.remember(key, compute)  # type: ignore[no-any-return]


def _balanced(data: Panel) -> MeanSquares:
    by_rater = bool(data.raters)
    data = Panel(data.ratings, data.flags, by_rater)
    n, k = 0.0, float(data.n_raters)
    shift = None
    within = 0.0
    powers = np.zeros(4)  # of the items' means
    columns = np.zeros(data.n_raters)
    for values, weight in data.parts():
        if shift is None:
            shift = float(values.mean())  # squares keep their digits when centred
        x = np.ascontiguousarray(values.T)  # a rater's marks side by side: several times faster
        x -= shift
        row = x.sum(axis=0) / k
        square = row * row
        if weight is None:
            n += row.size
            powers += (row.sum(), row @ row, square @ row, square @ square)
            within += float(np.square(x - row).sum())
            columns += x.sum(axis=1)
        else:
            n += float(weight.sum())
            times = weight * row
            powers += (times.sum(), times @ row, times @ square, (weight * square) @ square)
            within += float(np.square(x - row).sum(axis=0) @ weight)
            columns += x @ weight
    sums, squares = float(powers[0]), float(powers[1])
    between = max(k * (squares - sums**2 / n), 0.0)
    raters = float(((columns - columns.mean()) ** 2).sum()) / n
    found = _complete(int(n), k, between, within, raters, by_rater=by_rater)
    return replace(found, item_moments=_central(powers / n))


def _central(raw: Floats) -> tuple[float, float, float]:
    """Turn the first four moments about a point near the mean into those about the mean."""
    m, second, third, fourth = map(float, raw)
    return (
        second - m**2,
        third - 3.0 * m * second + 2.0 * m**3,
        fourth - 4.0 * m * third + 6.0 * m**2 * second - 3.0 * m**4,
    )


def _complete(
    n: int, k: float, between: float, within: float, raters: float, *, by_rater: bool
) -> MeanSquares:
    total = between + within
    between, raters = _digits(between, total), _digits(raters, total)
    rest = _digits(within - raters, total) if by_rater else math.nan
    df_r, df_w, df_c, df_e = n - 1.0, n * (k - 1.0), k - 1.0, (n - 1.0) * (k - 1.0)
    return MeanSquares(
        n,
        k,
        msr=between / df_r if df_r else math.nan,
        msw=within / df_w,
        msc=raters / df_c if by_rater else math.nan,
        mse=rest / df_e if df_e else math.nan,
        df_r=df_r,
        df_w=df_w,
        df_c=df_c,
        df_e=df_e,
        n_ratings=int(n * k),
        constant=total == 0.0,
    )


def _digits(part: float, whole: float) -> float:
    """Return a sum of squares, or zero where it is only the rounding of a larger one."""
    return part if part > 64.0 * np.finfo(np.float64).eps * whole else 0.0


def _from_components(data: Panel, *, by_rater: bool) -> MeanSquares:
    k = data.n_raters
    if by_rater and k > _MOST_RATERS:
        raise UnsupportedDesignError.needs(
            "a two-way intraclass correlation of incomplete ratings",
            f"at most {_MOST_RATERS} raters",
            f"{k}",
            'use model="1", which supposes different raters for each item, or select raters',
        )
    groups = ItemGroups.of(data, by_rater=by_rater)
    n, total = groups.n_items, groups.n_ratings
    if n and not by_rater and len(groups.groups) == 1 and groups.groups[0].m > 1:
        # Not everybody rated everything, but every item has equally many ratings: balanced.
        (group,) = groups.groups
        between = max(group.squares - group.sums**2 / group.n, 0.0) / group.m
        return _complete(n, float(group.m), between, groups.within, 0.0, by_rater=False)
    per_item = groups.harmonic_mean
    df_w = float(total - n)
    df_e = float(total - n - k + 1)
    df_r = float(n - 1)
    if min(df_r, df_w) <= 0 or (by_rater and df_e <= 0) or groups.constant:
        item = rater = error = residual = base = math.nan
    else:
        item, error = one_way(groups)
        rater = residual = math.nan
        if by_rater:
            item, rater, residual = two_way(data, groups)
        base = residual if by_rater else error
    return MeanSquares(
        n,
        per_item,
        msr=per_item * item + base,
        msw=error,
        msc=n * rater + residual,
        mse=residual,
        df_r=df_r,
        df_w=df_w,
        df_c=k - 1.0,
        df_e=df_e,
        n_ratings=total,
        approximate=True,
        constant=groups.constant,
    )
