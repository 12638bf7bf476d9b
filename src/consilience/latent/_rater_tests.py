"""What is computed for every rater at once: sums over her ratings, tests, runs, drift.

Each rating is compared with the other ratings of the same item; nothing grows faster than the
ratings times the different labels of an item.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Indices
from consilience.inference import holm
from consilience.inference.intervals import wilson_limits
from consilience.latent.votes import Entries
from consilience.ratings.clusters import Clusters

FEWEST = 10  # ratings below which a rater is not judged
_LONGEST_CYCLE = 4
_ALMOST_ALL = 0.9


@dataclass(frozen=True)
class Compared:
    """Every rating of an item with at least two, beside the other ratings of that item.

    `agree_e` is the share of the others who gave the same label. `cell_e`, `cell_k`, `cell_s` list
    the labels that others gave: rating, label, share of the others.
    """

    entries: Entries
    place: Indices
    agree_e: Floats
    cell_e: Indices
    cell_k: Indices
    cell_s: Floats
    clusters: Clusters | None = None

    @classmethod
    def of(cls, entries: Entries, clusters: Clusters | None = None) -> Compared:
        """Compare each rating with the others; `clusters` tell which items go together."""
        place = np.flatnonzero(entries.per_item[entries.item] >= 2)
        rows = entries.counts[entries.item[place]]
        cell_e = np.repeat(np.arange(place.size), np.diff(rows.indptr))
        cell_k = np.asarray(rows.indices, dtype=np.intp)
        own = cell_k == entries.label[place][cell_e]
        others = entries.per_item[entries.item[place]] - 1.0
        cell_s = (rows.data - own) / others[cell_e]
        agree_e = np.zeros(place.size)
        agree_e[cell_e[own]] = cell_s[own]
        kept = cell_s > 0
        return cls(entries, place, agree_e, cell_e[kept], cell_k[kept], cell_s[kept], clusters)

    @cached_property
    def groups(self) -> tuple[Indices, Indices]:
        """The rater's cluster of each rating, and the rater of each of these."""
        assert self.clusters is not None
        n = self.clusters.n_clusters
        key = self.rater * n + self.clusters.codes[self.entries.item[self.place]]
        found, group = np.unique(key, return_inverse=True)
        return group, np.asarray(found // n, dtype=np.intp)

    @cached_property
    def rater(self) -> Indices:
        """Who gave each rating."""
        return self.entries.rater[self.place]

    @cached_property
    def label(self) -> Indices:
        """What she said."""
        return self.entries.label[self.place]

    def by_rater(self, weights: Floats | None = None) -> Floats:
        """Sum over the ratings of each rater."""
        found = np.bincount(self.rater, weights=weights, minlength=self.entries.n_raters)
        return found.astype(np.float64)

    def own(self, weights: Floats | None = None) -> Floats:
        """Sum over ratings by rater and by the label she gave."""
        return self._table(self.rater, self.label, weights)

    def others(self, weights: Floats) -> Floats:
        """Sum over what others said, by rater and by their label."""
        return self._table(self.rater[self.cell_e], self.cell_k, weights)

    def _table(self, rater: Indices, label: Indices, weights: Floats | None) -> Floats:
        shape = self.entries.n_raters, self.entries.n_labels
        found = np.bincount(
            rater * shape[1] + label, weights=weights, minlength=shape[0] * shape[1]
        )
        return found.reshape(shape).astype(np.float64)

    @cached_property
    def n_r(self) -> Floats:
        """How many ratings of each rater can be compared."""
        return self.by_rater()

    @cached_property
    def n_rk(self) -> Floats:
        """How often each rater gave each label, where others rated too."""
        return self.own()

    @cached_property
    def s_rk(self) -> Floats:
        """How often others gave each label to the same items, as a sum of shares."""
        return self.others(self.cell_s)


def divide(above: Any, below: Any) -> Floats:
    """Divide where that is possible; NaN elsewhere."""
    above, below = np.broadcast_arrays(np.asarray(above, float), np.asarray(below, float))
    out: Floats = np.full(above.shape, np.nan)
    np.divide(above, below, out=out, where=below > 0)
    return out


@dataclass(frozen=True)
class Moments:
    """Mean of a quantity over the ratings of each rater, with its error."""

    mean: Floats
    error: Floats
    n_r: Floats

    def p_values(self) -> Floats:
        """Two-sided p of a mean of 0 (Student's t); where nothing varies, by the sign alone."""
        from scipy.special import stdtr

        degrees = np.maximum(self.n_r - 1.0, 1.0).reshape(-1, *[1] * (self.mean.ndim - 1))
        t = divide(self.mean, self.error)
        with np.errstate(invalid="ignore"):
            p = 2.0 * stdtr(np.broadcast_to(degrees, t.shape), -np.abs(t))
            n = np.broadcast_to(degrees + 1.0, t.shape)
            sure = np.isnan(t) & np.isfinite(self.error) & (self.mean != 0.0)
            p = np.where(sure, np.minimum(2.0 ** (1.0 - n), 1.0), p)
            p = np.where(np.isfinite(self.error) & (self.mean == 0.0) & np.isnan(p), 1.0, p)
        return np.asarray(p)


def moments(total: Floats, squares: Floats, n_r: Floats) -> Moments:
    """Turn sums and sums of squares into means and their errors."""
    n = n_r.reshape(-1, *[1] * (total.ndim - 1))
    mean = divide(total, n)
    spread = np.maximum(divide(squares, n) - mean**2, 0.0)
    spread = np.where(spread < 1e-14 * np.maximum(1.0, mean**2), 0.0, spread)
    error = np.sqrt(np.where(n > 1, divide(spread, n - 1.0), np.nan))
    return Moments(mean, np.asarray(error), n_r)


def average(compared: Compared, values: Floats) -> Moments:
    """Return the mean of a quantity over the ratings of each rater, with its error.

    Where items go together, deviations from the mean are summed by cluster (Liang & Zeger 1986),
    and the number of clusters is what the error rests on.
    """
    if compared.clusters is None:
        return moments(compared.by_rater(values), compared.by_rater(values**2), compared.n_r)
    mean = divide(compared.by_rater(values), compared.n_r)
    group, owner = compared.groups
    apart = np.zeros((owner.size, 1))
    np.add.at(apart, group, (values - mean[compared.rater])[:, None])
    return _of_clusters(compared, mean[:, None], apart)


def _of_clusters(compared: Compared, mean: Floats, apart: Floats) -> Moments:
    """Turn sums of deviations of each rater's clusters (rows) into errors of her means."""
    _, owner = compared.groups
    n_raters = compared.entries.n_raters
    square = np.zeros((n_raters, apart.shape[1]))
    np.add.at(square, owner, apart**2)
    n_clusters = np.bincount(owner, minlength=n_raters).astype(np.float64)
    several = np.where(n_clusters > 1, n_clusters, np.nan)[:, None]
    variance = several / (several - 1.0) * divide(square, compared.n_r[:, None] ** 2)
    variance = np.where(variance < 1e-16, 0.0, variance)
    error = np.sqrt(variance)
    if mean.shape[1] == 1:
        return Moments(mean[:, 0], error[:, 0], n_clusters)
    return Moments(mean, error, n_clusters)


def bias(compared: Compared) -> Moments:
    """Her use of each label minus the others' on the same items (raters × labels)."""
    if compared.clusters is not None:
        return _bias_by_cluster(compared)
    squares = compared.others(compared.cell_s**2)
    both = compared.own(compared.agree_e)
    return moments(
        compared.n_rk - compared.s_rk, compared.n_rk - 2.0 * both + squares, compared.n_r
    )


def _bias_by_cluster(compared: Compared) -> Moments:
    group, owner = compared.groups
    n_labels = compared.entries.n_labels
    mean = divide(compared.n_rk - compared.s_rk, compared.n_r[:, None])
    apart = -np.bincount(group, minlength=owner.size)[:, None] * mean[owner]
    np.add.at(apart, (group, compared.label), 1.0)
    np.subtract.at(apart, (group[compared.cell_e], compared.cell_k), compared.cell_s)
    return _of_clusters(compared, mean.reshape(-1, n_labels), apart)


def adjusted(p_values: Floats) -> Floats:
    """Adjust all p-values together after Holm."""
    return np.asarray(holm(p_values.reshape(-1))).reshape(p_values.shape)


def chance_p_values(compared: Compared) -> tuple[Floats, Floats]:
    """Expected agreement with the others by chance, and the one-sided p of no better than it.

    Her labels are dealt anew among her items: mean and variance of the sum of agreements are
    those of Hoeffding's combinatorial central limit theorem.
    """
    from scipy.special import ndtr

    n, n_rk, s_rk = compared.n_r, compared.n_rk, compared.s_rk
    total = (n_rk * divide(s_rk, n[:, None])).sum(axis=1)
    squares = compared.others(compared.cell_s**2)
    spread_rk = squares - divide(s_rk**2, n[:, None])
    share = divide(n_rk, n[:, None])[compared.rater[compared.cell_e], compared.cell_k]
    u_e: Floats = np.zeros(compared.place.size)
    np.add.at(u_e, compared.cell_e, share * compared.cell_s)
    spread_u = compared.by_rater(u_e**2) - divide(compared.by_rater(u_e) ** 2, n)
    variance = divide((n_rk * spread_rk).sum(axis=1) - n * spread_u, n - 1.0)
    variance = np.where(variance > 1e-12, variance, 0.0)
    z = divide(compared.by_rater(compared.agree_e) - total, np.sqrt(variance))
    p = np.where(n >= FEWEST, np.where(np.isfinite(z), ndtr(-z), 1.0), np.nan)
    return divide(total, n), np.asarray(p)


def correlation_p_values(compared: Compared, own: Floats, others: Floats) -> Floats:
    """One-sided p of marks that do not go along with the others' mean, dealt anew as above.

    Pearson's correlation of dealt marks has mean 0 and variance 1 / (n - 1).
    """
    from scipy.special import ndtr

    n = compared.n_r
    x = own - divide(compared.by_rater(own), n)[compared.rater]
    y = others - divide(compared.by_rater(others), n)[compared.rater]
    spread = compared.by_rater(x * x) * compared.by_rater(y * y)
    r = divide(compared.by_rater(x * y), np.sqrt(np.where(spread > 1e-24, spread, 0.0)))
    p = np.where(np.isfinite(r), ndtr(-r * np.sqrt(np.maximum(n - 1.0, 0.0))), 1.0)
    return np.where(n >= FEWEST, p, np.nan)


def wilson(share: Floats, error: Floats, n_r: Floats, level: float) -> Floats:
    """Wilson's limits with the number of items that would give this error (2 × raters)."""
    effective = divide(share * (1.0 - share), error**2)
    n = np.where(np.isfinite(effective) & (effective > 0), np.minimum(effective, n_r), n_r)
    n = np.where(n > 0, n, np.nan)
    return np.stack(wilson_limits(share, n, level))


# ---- sequences


@dataclass(frozen=True)
class Sequences:
    """What the order of a rater's answers shows."""

    longest_run: Indices
    run_label: Indices
    run_p_value: Floats
    cycle: Indices  # length of a cycle that nearly all answers follow, or 0


def sequences(entries: Entries, time: Floats) -> Sequences:
    """Look at each rater's labels in the order in which she gave them."""
    order = np.lexsort((time, entries.rater))
    rater, label = entries.rater[order], entries.label[order]
    new = np.ones(order.size, dtype=np.bool_)
    new[1:] = (rater[1:] != rater[:-1]) | (label[1:] != label[:-1])
    start = np.flatnonzero(new)
    length = np.diff(np.append(start, order.size))
    longest = np.zeros(entries.n_raters, dtype=np.intp)
    np.maximum.at(longest, rater[start], length)
    is_longest = length == longest[rater[start]]
    run_label = np.full(entries.n_raters, -1, dtype=np.intp)
    run_label[rater[start][is_longest][::-1]] = label[start][is_longest][::-1]
    n_rk = entries.by_rater_label()
    n = n_rk.sum(axis=1)
    p_rk = np.nan_to_num(divide(n_rk, n[:, None]))
    power = p_rk ** longest[:, None]
    # Runs of so many begin about as often as a Poisson number with this mean.
    begun = (power * (1.0 + np.maximum(n - longest, 0.0)[:, None] * (1.0 - p_rk))).sum(axis=1)
    run_p = np.where(n >= FEWEST, np.minimum(-np.expm1(-begun), 1.0), np.nan)
    return Sequences(longest, run_label, run_p, _cycles(rater, label, n_rk))


def _cycles(rater: Indices, label: Indices, n_rk: Floats) -> Indices:
    n = n_rk.sum(axis=1)
    out = np.zeros(n.size, dtype=np.intp)
    several = (n_rk > 0).sum(axis=1) > 1
    for lag in range(2, _LONGEST_CYCLE + 1):
        same = (rater[lag:] == rater[:-lag]) & (label[lag:] == label[:-lag])
        hits = np.bincount(rater[lag:][same], minlength=n.size)
        possible = n - lag
        chance = ((np.nan_to_num(divide(n_rk, n[:, None]))) ** 2).sum(axis=1)
        surprising = possible * (1.0 - chance) > FEWEST  # so many hits could not be luck
        found = (hits >= _ALMOST_ALL * possible) & several & surprising & (n >= FEWEST)
        out = np.where((out == 0) & found, lag, out)
    return out


# ---- drift


@dataclass(frozen=True)
class Drift:
    """Change of a quantity over time: fitted last minus first, or the largest step of batches."""

    change: Floats
    p_value: Floats


def trend(compared: Compared, values: Floats, time: Floats) -> Drift:
    """Regress a quantity on the place of each rating in the rater's own sequence."""
    from scipy.special import stdtr

    order = np.lexsort((time, compared.rater))
    first = np.concatenate([[0.0], np.cumsum(compared.n_r)[:-1]])
    rank = np.empty(order.size)
    rank[order] = np.arange(order.size) - first[compared.rater[order]]
    x = rank - (compared.n_r[compared.rater] - 1.0) / 2.0  # centred for each rater
    n = compared.n_r
    y = values - divide(compared.by_rater(values), n)[compared.rater]
    sxx, sxy = compared.by_rater(x * x), compared.by_rater(x * y)
    slope = divide(sxy, sxx)
    left = np.maximum(compared.by_rater(y * y) - np.nan_to_num(slope) * sxy, 0.0)
    error = np.sqrt(divide(divide(left, n - 2.0), sxx))
    t = divide(slope, error)
    enough = n >= FEWEST
    p = np.where(enough & np.isfinite(t), 2.0 * stdtr(np.maximum(n - 2.0, 1.0), -np.abs(t)), np.nan)
    still = enough & (compared.by_rater(y * y) <= 1e-12)
    return Drift(np.where(enough, slope * (n - 1.0), np.nan), np.where(still, 1.0, p))


def between_batches(compared: Compared, values: Floats, batch: Indices) -> tuple[Drift, Floats]:
    """Compare the means of batches by the F test; also return the means (raters × batches)."""
    from scipy.special import fdtrc

    n_batches = int(batch.max(initial=0)) + 1
    key = compared.rater * n_batches + batch
    size = compared.entries.n_raters * n_batches
    n_rb = np.bincount(key, minlength=size).reshape(-1, n_batches).astype(np.float64)
    sum_rb = np.bincount(key, weights=values, minlength=size).reshape(-1, n_batches)
    mean_rb = divide(sum_rb, n_rb)
    n, total = compared.n_r, compared.by_rater(values)
    used = (n_rb > 0).sum(axis=1)
    between = np.nansum(divide(sum_rb**2, n_rb), axis=1) - np.nan_to_num(divide(total**2, n))
    within = compared.by_rater(values**2) - np.nansum(divide(sum_rb**2, n_rb), axis=1)
    within = np.where(within > 1e-12, within, 0.0)
    f = divide(divide(between, used - 1.0), divide(within, n - used))
    enough = (n >= FEWEST) & (used >= 2) & (n > used)
    degrees = np.maximum(used - 1.0, 1.0), np.maximum(n - used, 1.0)
    p = np.where(enough & np.isfinite(f), fdtrc(*degrees, np.nan_to_num(f)), np.nan)
    filled = np.where(np.isnan(mean_rb), -np.inf, mean_rb).max(axis=1) - np.where(
        np.isnan(mean_rb), np.inf, mean_rb
    ).min(axis=1)
    return Drift(np.where(enough, filled, np.nan), np.asarray(p)), mean_rb


# ---- influence


def alpha_without(compared: Compared) -> tuple[float, Floats]:
    """Nominal alpha, and its value without each rater: exact, from sums over her ratings."""
    entries = compared.entries
    m = entries.per_item
    squares = np.bincount(entries.cell_item, entries.counts.data**2, minlength=entries.n_items)
    odd = divide(m**2 - squares, m - 1.0)  # n_i D_i; NaN for single ratings
    s_all = float(np.nansum(odd))
    n_k = np.asarray(entries.counts.T @ (m >= 2).astype(np.float64))
    m_e, q_e = m[entries.item[compared.place]], squares[entries.item[compared.place]]
    n_x = compared.agree_e * (m_e - 1.0) + 1.0
    later = divide((m_e - 1.0) ** 2 - (q_e - 2.0 * n_x + 1.0), m_e - 2.0)
    change = np.where(m_e > 2, later, 0.0) - divide(m_e**2 - q_e, m_e - 1.0)
    pair = m_e[compared.cell_e] == 2  # without her, the other rating has nothing to be compared to
    lone_rk = compared.others(pair.astype(np.float64))
    n_rk = n_k - compared.n_rk - lone_rk
    without = _alpha(s_all + compared.by_rater(change), n_rk)
    return float(_alpha(np.array([s_all]), n_k[None])[0]), without


def _alpha(s: Floats, n_rk: Floats) -> Floats:
    n = n_rk.sum(axis=1)
    expected = n**2 - (n_rk**2).sum(axis=1)
    # alpha = 1 - D_o / D_e with D_o = S / n and D_e = (n² - Σ n_k²) / (n (n - 1))
    return 1.0 - divide(s * (n - 1.0), np.where(expected > 1e-9, expected, 0.0))
