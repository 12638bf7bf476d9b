"""Limits of class shares and error rates where the likelihood falls by as much as chance allows.

Errors from the information take the likelihood for a parabola. With few items, raters who err
often or a rare class it is none. The profile likelihood follows it: one share or rate is held at a
value, everything else is fitted anew, and the value is within the limits as long as twice the loss
of log-likelihood is below Student's t squared (Venzon & Moolgavkar 1988). For items that go
together the loss is divided by how much more clusters vary than items (Kent 1982).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.inference import quantile
from consilience.latent.models._em import ClassFit, expect_batch, maximise_batch
from consilience.latent.models._information import BOUNDARY, Errors
from consilience.latent.models._item_clusters import ClusteredVotes
from consilience.latent.models._sparse_ratings import Votes

_STEPS = np.array([0.6, 1.2, 1.7, 2.2, 2.8, 3.6, 5.0, 8.0, 14.0])  # standard errors from the value
_FARTHEST = 9.0  # on the logit scale
_FROM_AN_END = np.linspace(2.0, 14.0, _STEPS.size)
_WORK = 6e6  # multiplications of one round up to which limits are worth their cost
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
        return n_cells > 0 and n_cells * 2 * _STEPS.size * per_fit <= _WORK

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
