"""Errors and limits of class shares and error rates: observed information, profile likelihood."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.inference.intervals import quantile
from consilience.latent._em import ClassFit, Step, expect_batch, expected_counts, maximise_batch
from consilience.latent.votes import ClusteredVotes, Votes

# ---- errors from the information
# Louis (1982): what the data tell is what they would tell if the classes were known, less what is
# lost by not knowing them. Cells at 0 or 1 are held fixed: no standard error exists there.

LARGEST = 1_200  # cells (all rates and shares) up to which the whole matrix is made
_MOST_INFORMATION_WORK = 2e10  # multiplications up to which it is made
_BLOCK_CELLS = 4_000_000
BOUNDARY = 0.01  # a cell that expects fewer ratings than this is taken to be 0
_CANCELLED = 1e-12  # of the sum of its parts: a variance that is rounding
SINGULAR = 1e-7  # smallest eigenvalue of the scaled information that counts as information


@dataclass(frozen=True)
class Errors:
    """Standard errors, and where they come from.

    Attributes
    ----------
    share_j, rate_gjl : arrays
        Standard errors of the shares (classes) and rates (raters × classes × labels).
    accuracy_g : array
        Standard error of each rater's accuracy.
    smallest : float
        Smallest eigenvalue of the information scaled to a unit diagonal; NaN if not computed.
    method : str
    drawn : arrays
        The shares, rates and accuracies of the resamples that the errors come from, if they do.
    """

    share_j: Floats
    rate_gjl: Floats
    accuracy_g: Floats
    smallest: float
    method: str
    drawn: tuple[Floats, Floats, Floats] | tuple[None, None, None] = (None, None, None)


@dataclass(frozen=True)
class Resampled:
    """Estimates from resamples, one row each; NaN for rates that rest on no item."""

    share_bj: Floats
    rate_bgjl: Floats
    accuracy_bg: Floats
    method: str

    def errors(self, smallest: float = math.nan) -> Errors:
        """Return how much the estimates vary."""
        drawn = self.share_bj, self.rate_bgjl, self.accuracy_bg
        share, rate, accuracy = (spread(np.nan_to_num(one)) for one in drawn)
        method = f"{self.method}, {len(self.share_bj):,} resamples"
        return Errors(share, rate, accuracy, smallest, method, drawn)


def _is_inside(count_gjl: Floats) -> NDArray[np.bool_]:
    """Tell which rates lie between 0 and 1, so that they have a standard error."""
    rest = count_gjl.sum(axis=2, keepdims=True) - count_gjl
    return np.asarray(np.minimum(count_gjl, rest) >= BOUNDARY)


def is_affordable(votes: Votes, n_classes: int) -> bool:
    """Tell whether the whole information matrix is worth its cost."""
    cells = n_classes * (1 + votes.n_raters * votes.n_labels)
    return cells <= LARGEST and votes.n_rows * cells**2 <= _MOST_INFORMATION_WORK


def information(votes: Votes, posterior: Floats, step: Step) -> Floats:
    """Return the observed information (Louis 1982) of all cells as if none depended on another.

    Cells are numbered class by class: the class's share, then its (rater · label) rates. Cells at
    the boundary have no information here; `free_directions` leaves them out.
    """
    n_classes = step.share_j.size
    theta = np.concatenate([step.share_j[:, None], step.rate_cj.T], axis=1)  # classes × (1 + C)
    inverse = np.divide(1.0, theta, out=np.zeros_like(theta), where=theta > 1e-12)
    size = theta.shape[1]
    whole = np.zeros((n_classes * size, n_classes * size))
    diagonal = np.zeros((n_classes, size))
    for start in range(0, votes.n_rows, max(_BLOCK_CELLS // (n_classes * size), 1)):
        block = slice(start, start + max(_BLOCK_CELLS // (n_classes * size), 1))
        counts = votes.dense(block)
        design = np.concatenate([np.ones((len(counts), 1)), counts], axis=1)
        weight, post = votes.multiplicity[block], posterior[block]
        mean = (post[:, :, None] * inverse[None] * design[:, None, :]).reshape(len(design), -1)
        whole += mean.T @ (weight[:, None] * mean)  # square of the score
        for j in range(n_classes):
            mine = slice(j * size, (j + 1) * size)
            score = design * inverse[j]
            w_i = weight * post[:, j]
            whole[mine, mine] -= score.T @ (w_i[:, None] * score)
            diagonal[j] += w_i @ (design * inverse[j] ** 2)
    whole[np.diag_indices(len(whole))] += diagonal.ravel()
    return whole


def free_directions(
    votes: Votes, step: Step, count_gjl: Floats, *, one_coin: bool = False
) -> Floats:
    """Return how the cells move with the free parameters (cells × parameters)."""
    n_raters, n_classes, n_labels = count_gjl.shape
    size = 1 + n_raters * n_labels
    columns: list[Floats] = []

    def simplex(cells: NDArray[np.intp], value: Floats, expected: Floats) -> None:
        """Add the directions in which shares that add up to 1 can move."""
        inside = np.flatnonzero(expected >= BOUNDARY)
        if inside.size < 2:
            return
        last = inside[np.argmax(value[inside])]
        for k in inside[inside != last]:
            column = np.zeros(n_classes * size)
            column[cells[k]], column[cells[last]] = 1.0, -1.0
            columns.append(column)

    shares = np.arange(n_classes) * size
    simplex(shares, step.share_j, step.share_j * votes.n_rated)
    rate = votes.tables(step.rate_cj)
    for g in range(n_raters):
        cells_jl = shares[:, None] + 1 + g * n_labels + np.arange(n_labels)
        if not one_coin:
            for j in range(n_classes):
                simplex(cells_jl[j], rate[g, j], count_gjl[g, j])
            continue
        hits, given = np.trace(count_gjl[g]), count_gjl[g].sum()
        if min(hits, given - hits) >= BOUNDARY:
            column = np.zeros(n_classes * size)
            column[cells_jl] = -1.0 / (n_labels - 1)
            column[np.diag(cells_jl)] = 1.0
            columns.append(column)
    return np.array(columns).T if columns else np.zeros((n_classes * size, 0))


def covariance(whole: Floats, moves: Floats) -> tuple[Floats | None, float]:
    """Return the covariance of all cells (None if singular) and the smallest scaled eigenvalue."""
    if moves.shape[1] == 0:
        return np.zeros_like(whole), math.nan
    free = moves.T @ whole @ moves
    spread = np.sqrt(np.maximum(np.diag(free), 0.0))
    if (spread <= 0.0).any():
        return None, 0.0
    scaled = free / np.outer(spread, spread)
    smallest = float(np.linalg.eigvalsh(scaled)[0])
    if smallest < SINGULAR:
        return None, smallest
    inverse = np.linalg.inv(scaled) / np.outer(spread, spread)
    return moves @ inverse @ moves.T, smallest


def observed_errors(
    votes: Votes,
    posterior: Floats,
    step: Step,
    *,
    one_coin: bool = False,
    smoothing: float = 0.0,
    label_of_class: NDArray[np.intp] | None = None,
) -> Errors:
    """Return standard errors from the whole information, or NaN where it is singular."""
    n_raters, n_labels, n_classes = votes.n_raters, votes.n_labels, step.share_j.size
    count_cj, _ = expected_counts(votes, posterior)
    count_gjl = votes.tables(count_cj) + smoothing
    whole = information(votes, posterior, step)
    if smoothing:  # what the pseudo-counts add
        rate = step.rate_cj.T
        extra = np.divide(smoothing, rate**2, out=np.zeros_like(rate), where=rate > 1e-12)
        cells = np.concatenate([np.zeros((n_classes, 1)), extra], axis=1)
        whole[np.diag_indices(len(whole))] += cells.ravel()
    moves = free_directions(votes, step, count_gjl, one_coin=one_coin)
    cov, smallest = covariance(whole, moves)
    method = "observed information"
    shape = (n_classes, 1 + n_raters * n_labels)
    if cov is None:
        nan = np.full((n_raters, n_classes, n_labels), np.nan)
        lost = np.full(n_raters, np.nan)
        return Errors(np.full(n_classes, np.nan), nan, lost, smallest, method)
    error = np.sqrt(np.maximum(np.diag(cov), 0.0)).reshape(shape)
    rates = error[:, 1:].reshape(n_classes, n_raters, n_labels).transpose(1, 0, 2)
    rates = np.where(_is_inside(count_gjl), rates, np.nan)
    of_class = np.arange(n_classes) if label_of_class is None else label_of_class
    gradient = _accuracy_gradient(votes, step, of_class)
    spread = np.einsum("gd,de,ge->g", gradient, cov, gradient, optimize=True)
    # Where shares cancel, as for a rater who is always right, rounding is no spread.
    parts = np.einsum("gd,de,ge->g", np.abs(gradient), np.abs(cov), np.abs(gradient), optimize=True)
    spread = np.where(spread > _CANCELLED * parts, spread, 0.0)
    return Errors(error[:, 0], rates, np.sqrt(np.maximum(spread, 0.0)), smallest, method)


def _accuracy_gradient(votes: Votes, step: Step, label_of_class: NDArray[np.intp]) -> Floats:
    """Return the derivative of sum_j p_j pi_gjl(j) by every cell (raters × cells)."""
    n_raters, n_labels, rate = votes.n_raters, votes.n_labels, votes.tables(step.rate_cj)
    out = np.zeros((n_raters, step.share_j.size, 1 + n_raters * n_labels))
    for g in range(n_raters):
        for j, label in enumerate(label_of_class):
            out[g, j, 0] = rate[g, j, label]
            out[g, j, 1 + g * n_labels + label] = step.share_j[j]
    return out.reshape(n_raters, -1)


def own_errors(votes: Votes, posterior: Floats, step: Step, *, one_coin: bool) -> Errors:
    """Return standard errors for crowds: each rater's rates as if all else were known.

    The score of a rate is posterior / rate, so ratings count with the square of the posterior:
    D = diag(W_l / pi_l²), W_l = sum_i T_ij² n_il, and on the simplex the variance is
    v_l - v_l² / sum v with v_l = pi_l² / W_l.
    """
    if one_coin:
        return _own_coin_errors(votes, posterior, step)
    weight_cj, square_j = expected_counts(votes, posterior**2)
    weight, rate = votes.tables(weight_cj), votes.tables(step.rate_cj)
    inside = _is_inside(votes.tables(expected_counts(votes, posterior)[0]))
    # Rates at 0 or 1 stay there: they neither vary nor take part in the sum to one.
    v = np.divide(rate**2, weight, out=np.zeros_like(rate), where=inside & (weight > 0))
    total = v.sum(axis=2, keepdims=True)
    variance = v - np.divide(v**2, total, out=np.zeros_like(v), where=total > 0)
    s = np.divide(step.share_j**2, square_j, out=np.zeros_like(square_j), where=square_j > 0)
    share = s - (s**2 / s.sum() if s.sum() > 0 else 0.0)
    right = np.einsum("gjj->gj", variance)
    accuracy = np.sqrt(np.maximum(right @ step.share_j**2, 0.0))
    method = "each rater's own information"
    return Errors(
        np.sqrt(np.maximum(share, 0.0)),
        np.where(inside, np.sqrt(np.maximum(variance, 0.0)), np.nan),
        accuracy,
        math.nan,
        method,
    )


def _own_coin_errors(votes: Votes, posterior: Floats, step: Step) -> Errors:
    n_raters, n_labels = votes.n_raters, votes.n_labels
    count_cj, total_j = expected_counts(votes, posterior)
    given = count_cj.sum(axis=1).reshape(n_raters, n_labels).sum(axis=1)
    accuracy = votes.tables(step.rate_cj)[:, 0, 0]
    # The score of the accuracy a is T_il / a - (1 - T_il) / (1 - a), T_il that of the label given.
    square_cj, _ = expected_counts(votes, posterior**2)
    square = np.einsum("gll->g", square_cj.reshape(n_raters, n_labels, n_labels))
    hits = np.einsum("gll->g", count_cj.reshape(n_raters, n_labels, n_labels))
    inside = (accuracy > 1e-9) & (accuracy < 1.0 - 1e-9) & (given > 0)
    a = np.where(inside, accuracy, 0.5)
    told = square / a**2 - 2 * (hits - square) / (a * (1 - a))
    told += (given - 2 * hits + square) / (1 - a) ** 2
    error = np.where(inside, 1.0 / np.sqrt(np.maximum(told, 1e-300)), 0.0)
    spread = error[:, None, None] * np.where(np.eye(n_labels) > 0, 1.0, 1.0 / (n_labels - 1))
    share = np.sqrt(step.share_j * (1 - step.share_j) / max(total_j.sum(), 1.0))
    return Errors(share, spread, error, math.nan, "each rater's own information")


def spread(drawn: Floats) -> Floats:
    """Return standard errors from resamples; NaN where they all agree, as at 0 or 1."""
    error = drawn.std(axis=0, ddof=1 if len(drawn) > 1 else 0)
    return np.where(error > 1e-9, error, np.nan)


def share_limits(
    value: Floats, error: Floats, size: Floats, confidence_level: float
) -> tuple[Floats, Floats]:
    """Return limits of shares: on the logit scale, or exact ones where a share is 0 or 1.

    `size` is the number of ratings that each share rests on; with none there are no limits.
    """
    from scipy.special import expit, logit, ndtri

    value, error, size = np.broadcast_arrays(value, error, size)
    tail = (1.0 - confidence_level) / 2.0
    inside = (value * size >= BOUNDARY) & ((1.0 - value) * size >= BOUNDARY) & (error > 0)
    x = np.where(inside, value, 0.5)
    reach = float(ndtri(1.0 - tail)) * np.where(inside, error, np.nan) / (x * (1.0 - x))
    low, high = expit(logit(x) - reach), expit(logit(x) + reach)
    # No or nothing but hits among `size` ratings: Clopper & Pearson's limits.
    reach = tail ** (1.0 / np.maximum(size, 1e-3))
    at_zero = ~inside & (value * size < BOUNDARY) & (size > 0)
    at_one = ~inside & ((1.0 - value) * size < BOUNDARY) & (size > 0)
    low = np.where(at_zero, 0.0, np.where(at_one, reach, low))
    high = np.where(at_zero, 1.0 - reach, np.where(at_one, 1.0, high))
    return low, high


def limits_of(
    value: Floats,
    error: Floats,
    size: Floats,
    confidence_level: float,
    *,
    drawn: Floats | None = None,
    profiled: Floats | None = None,
    exact_at_edges: bool = False,
) -> Floats:
    """Return low and high in the last axis: of the profile, or percentiles of what was drawn.

    Where neither is known they are those of `share_limits`; so are, if told, those of shares that
    are 0 or 1.
    """
    low, high = share_limits(value, error, size, confidence_level)
    if profiled is not None:
        known = np.isfinite(profiled).all(axis=-1)
        low = np.where(known, np.minimum(profiled[..., 0], value), low)
        high = np.where(known, np.maximum(profiled[..., 1], value), high)
    if drawn is not None:
        tail = (1.0 - confidence_level) / 2.0
        filled = np.nan_to_num(np.where(np.isnan(drawn), value, drawn))
        ends = np.quantile(filled, [tail, 1.0 - tail], axis=0)
        varied = (np.ptp(filled, axis=0) > 1e-9) & ~np.isnan(value)
        if exact_at_edges:
            varied &= (value * size >= BOUNDARY) & ((1.0 - value) * size >= BOUNDARY)
        # With few resamples the percentiles may miss the value itself.
        low = np.where(varied, np.minimum(ends[0], value), low)
        high = np.where(varied, np.maximum(ends[1], value), high)
    return np.stack([low, high], axis=-1)


# ---- limits from the profile
# Errors from the information take the likelihood for a parabola. With few items, raters who err
# often or a rare class it is none. The profile likelihood follows it: one share or rate is held
# at a value, everything else is fitted anew, and the value is within the limits as long as twice
# the loss of log-likelihood is below Student's t squared (Venzon & Moolgavkar 1988). For items
# that go together the loss is divided by how much more clusters vary than items (Kent 1982).

_STEPS = np.array([0.6, 1.2, 1.7, 2.2, 2.8, 3.6, 5.0, 8.0, 14.0])  # standard errors from the value
_FARTHEST = 9.0  # on the logit scale
_FROM_AN_END = np.linspace(2.0, 14.0, _STEPS.size)
_MOST_PROFILE_WORK = 6e6  # multiplications of one round up to which limits are worth their cost
_TOLERANCE, _ROUNDS = 1e-5, 400
_FEWEST_DEGREES = 2.0


Limits = tuple[Floats | None, Floats | None]  # of shares and of rates


@dataclass(frozen=True)
class Cells:
    """Shares and rates to find limits for: their class, and the cell (rater · label) of a rate.

    A share has the cell -1. `error` is a guess of each one's error; `size` the items it rests on.
    """

    j: NDArray[np.int64]
    cell: NDArray[np.int64]
    value: Floats
    error: Floats
    size: Floats
    spread: Floats  # how much more clusters vary than items

    def some(self, kept: NDArray[np.bool_]) -> Cells:
        """Return some of them."""
        return Cells(*(getattr(self, name)[kept] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Profile:
    """Votes and their fit, whose likelihood is followed."""

    votes: Votes
    fit: ClassFit
    level: float

    @cached_property
    def _counts(self) -> Floats:
        return self.votes.dense()

    def affords(self, n_cells: int) -> bool:
        """Tell whether limits of so many shares and rates are worth their cost."""
        per_fit = self.votes.n_rows * self.fit.step.rate_cj.size
        return n_cells > 0 and n_cells * 2 * _STEPS.size * per_fit <= _MOST_PROFILE_WORK

    def limits(self, cells: Cells) -> Floats:
        """Return low and high of each cell (cells x 2)."""
        places = _logit(cells.value)
        grid = _places_around(cells, places)
        loss = 2.0 * (self.fit.log_likelihood - self.fitted(cells, _expit(grid)))
        loss = np.maximum(loss / cells.spread[:, None], 0.0)
        out = np.empty((places.size, 2))
        for k, place in enumerate(places.tolist()):
            degrees = max(float(cells.size[k]) - 1.0, _FEWEST_DEGREES)
            most = quantile(0.5 + self.level / 2.0, degrees)
            root = np.sqrt(loss[k])
            half = _STEPS.size
            below, above = grid[k, half - 1 :: -1], grid[k, half:]
            low = _crossing(place, below, root[half - 1 :: -1], most, end=-math.inf)
            high = _crossing(place, above, root[half:], most, end=math.inf)
            out[k] = low, high
        return _expit(out)

    def fitted(self, cells: Cells, values: Floats) -> Floats:
        """Return the largest log-likelihood with each cell held at each of its values."""
        n_cells, n_values = values.shape
        which = np.repeat(np.arange(n_cells), n_values)
        held = _Held(cells.j[which], cells.cell[which], values.ravel(), self.votes.n_labels)
        n_fits = held.value.size
        step, n_labels = self.fit.step, self.votes.n_labels
        share = np.tile(0.95 * step.share_j + 0.05 / step.share_j.size, (n_fits, 1))
        rate = np.tile(0.95 * step.rate_cj + 0.05 / n_labels, (n_fits, 1, 1))
        weight = np.broadcast_to(self.votes.multiplicity, (n_fits, self.votes.n_rows))
        at_work = np.arange(n_fits)
        best = np.full(n_fits, -np.inf)
        held.put(share, rate, at_work)
        for _ in range(_ROUNDS):
            posterior, found_i = expect_batch(self._counts, share[at_work], rate[at_work])
            found = (found_i * weight[at_work]).sum(axis=1)
            gains = found - best[at_work] >= _TOLERANCE
            best[at_work] = np.maximum(found, best[at_work])
            if not gains.any():
                break
            at_work = at_work[gains]
            new = maximise_batch(self._counts, weight[at_work], posterior[gains], n_labels)
            held.put(*new, at_work)
            share[at_work], rate[at_work] = new
        return best.reshape(n_cells, n_values)


@dataclass(frozen=True)
class _Held:
    """The share or rate that each of the fits holds, and its value there."""

    j: NDArray[np.int64]
    cell: NDArray[np.int64]
    value: Floats
    n_labels: int

    def put(self, share: Floats, rate: Floats, fits: NDArray[np.int64]) -> None:
        """Set the held values of some fits; what must add up to 1 with them is scaled."""
        rows = np.arange(fits.size)
        j, cell, value = self.j[fits], self.cell[fits], self.value[fits]
        shares, k = np.flatnonzero(cell < 0), self.n_labels
        _scale(share, shares, j[shares], value[shares])
        rates = rows[cell >= 0]
        first = cell[rates] // k * k
        columns = first[:, None] + np.arange(k)
        block = rate[rates[:, None], columns, j[rates][:, None]]
        _scale(block, np.arange(rates.size), cell[rates] - first, value[rates])
        rate[rates[:, None], columns, j[rates][:, None]] = block


def _scale(
    table: Floats, rows: NDArray[np.int64], column: NDArray[np.int64], value: Floats
) -> None:
    """Set one entry of each row of shares, and scale the others so that all add up to 1."""
    rest = np.maximum(1.0 - table[rows, column], 1e-12)
    table[rows] *= ((1.0 - value) / rest)[:, None]
    table[rows, column] = value


def _places_around(cells: Cells, places: Floats) -> Floats:
    """Return where to look on the logit scale: some errors away; from 0 and 1 evenly inwards."""
    error = np.where(cells.error > 0, cells.error, 1.0)
    step = np.clip(error / np.maximum(cells.value * (1.0 - cells.value), 1e-3), 0.05, 1.0)
    count = np.minimum(cells.value, 1.0 - cells.value) * cells.size
    away = np.where((count < BOUNDARY)[:, None], _FROM_AN_END, _STEPS * step[:, None])
    grid = places[:, None] + np.concatenate([-away[:, ::-1], away], axis=1)
    return np.asarray(np.clip(grid, -_FARTHEST, _FARTHEST))


def _crossing(place: float, grid: Floats, root: Floats, most: float, *, end: float) -> float:
    """Return where the root of the loss first exceeds the most; the end if it never does."""
    before, at = 0.0, place
    for there, here in zip(grid.tolist(), root.tolist(), strict=True):
        if here > most:
            share = (most - before) / (here - before) if here > before else 0.0
            return float(at + share * (there - at))
        before, at = max(before, here), there
    return end


def _logit(value: Floats) -> Floats:
    inside = np.clip(value, 1.0 / (1.0 + math.exp(_FARTHEST)), 1.0 / (1.0 + math.exp(-_FARTHEST)))
    return np.asarray(np.log(inside / (1.0 - inside)))


def _expit(place: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(1.0 / (1.0 + np.exp(-place)))


def profile_limits(
    profile: Profile,
    errors: Errors,
    rate_gjl: Floats,
    expected_gj: Floats,
    items: ClusteredVotes,
) -> Limits:
    """Return limits of the shares and of the rates; None where they are too costly."""
    spread = items.spread(profile.fit.posterior)
    share = profile.fit.step.share_j
    n_classes, n_labels = rate_gjl.shape[1:]
    n_rated = min(float(profile.votes.n_rated), items.n_units)
    classes = np.arange(n_classes)
    of_shares = Cells(
        classes, np.full(n_classes, -1), share, errors.share_j, np.full(n_classes, n_rated), spread
    )
    shares = rates = None
    if profile.affords(n_classes):
        shares = _known(profile, of_shares)
    if profile.affords(rate_gjl.size):
        g, j, label = (axis.ravel() for axis in np.indices(rate_gjl.shape))
        of_rates = Cells(
            j,
            g * n_labels + label,
            rate_gjl.ravel(),
            errors.rate_gjl.ravel(),
            np.minimum(expected_gj[g, j], items.n_units),
            spread[j],
        )
        rates = _known(profile, of_rates).reshape(*rate_gjl.shape, 2)
    return shares, rates


def _known(profile: Profile, cells: Cells) -> Floats:
    """Return limits of what has a value and some items; NaN for the rest."""
    kept = np.isfinite(cells.value) & (cells.size >= 1.0)
    out = np.full((kept.size, 2), np.nan)
    if kept.any():
        out[kept] = profile.limits(cells.some(kept))
    return out
