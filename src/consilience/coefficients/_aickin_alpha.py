"""Aickin's alpha: the share of items on which two raters agree for cause."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients._estimate import Estimate
from consilience.coefficients.coefficient import Design, register
from consilience.coefficients.compute import estimate
from consilience.coefficients.two_rater_model import (
    Fit,
    Margins,
    TwoRaterModel,
    batches,
    root,
    solve,
)
from consilience.core.arrays import Floats
from consilience.exceptions import InputError

_SWEEPS = 25
_MOST_STEPS = 60
_NEVER = -1e4  # logarithm of the weight of a label that a rater never used
CONTINUITIES = ("none", "joseph-belisle")


@register
@dataclass(frozen=True)
class AickinAlpha(TwoRaterModel):
    """P_kl = (1 - a) u_k v_l + a 1[k = l] u_k v_k / s, with s = sum u_k v_k."""

    continuity: float | str = 0.0

    name = "aickin_alpha"
    aliases = ("aickin", "constant_predictive_probability")
    summary = "Share of easy items under constant predictive probability, for two raters."

    def title(self, design: Design) -> str:
        """Return Aickin's alpha."""
        return "Aickin's alpha"

    def fit(self, margins: Margins) -> Fit:
        """Fit the model, with the constant added that was asked for."""
        q = margins.row.shape[1]
        added = 1.0 / q**2 if self.continuity == "joseph-belisle" else float(self.continuity)
        return fit_aickin(margins.with_continuity(added) if added else margins)


def fit_aickin(margins: Margins) -> Fit:
    """Maximise the likelihood of Aickin's model for each row of margins.

    The model is log-linear: P_kl is proportional to u_k v_l, and to theta u_k v_k where the two
    agree, with theta = 1 + a / (s (1 - a)). Its likelihood is concave, and it matches both
    margins and the number of agreements.
    """
    real = margins.real
    n, agreed = real.n_items, real.agreements
    by_margins = (real.row * real.column).sum(axis=1)
    full = (agreed == n) & (n > 0)
    below = n * agreed <= by_margins
    # Rater 1's labels in disagreements against rater 2's: with none in common, s runs to 0.
    both_ways = ((real.row > real.agree) & (real.column > real.agree)).any(axis=1)
    one_sided = ~both_ways & ~full & ~below
    total = np.where(margins.n_items == 0, np.nan, margins.n_items)[:, None]
    u, v = margins.row / total, margins.column / total
    value = np.where(below, 0.0, margins.agreements / total[:, 0])
    if full.any():  # u_k v_k is all that is known of the two; take them alike
        root_u = np.sqrt(real.row[full])
        u[full] = v[full] = root_u / root_u.sum(axis=1, keepdims=True)
    if one_sided.any():
        u[one_sided], v[one_sided] = _disagreements(margins.taking(one_sided))
    chance = (u * v).sum(axis=1)
    error = np.where(full & (n > 1), 0.0, np.nan)
    inside = np.flatnonzero(~full & ~one_sided & (n * agreed >= by_margins) & (n > 0))
    for some in batches(inside.size, 2 * u.shape[1] + 1):
        which = inside[some]
        value[which], u[which], v[which], error[which] = _inside(margins.taking(which))
        chance[which] = (u[which] * v[which]).sum(axis=1)
    value[below] *= 0.0  # exactly chance: the fit above was for the error only
    at_edge = one_sided | (n * agreed < by_margins)
    return Fit(value, chance, (u, v), error, at_edge)


def _disagreements(margins: Margins) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return each rater's distribution over the items on which the two disagree."""
    row, column = margins.row - margins.agree, margins.column - margins.agree
    return row / row.sum(axis=1, keepdims=True), column / column.sum(axis=1, keepdims=True)


@dataclass
class _LogLinear:
    """The log-linear form: cell means u_k v_l, times theta on the diagonal; one entry per fit."""

    log_u: Floats
    log_v: Floats
    log_theta: Floats

    def means(self) -> Floats:
        m = np.exp(self.log_u[:, :, None] + self.log_v[:, None, :])
        diagonal = np.arange(m.shape[1])
        m[:, diagonal, diagonal] *= np.exp(self.log_theta)[:, None]
        return m

    def taking(self, which: Any) -> _LogLinear:
        return _LogLinear(self.log_u[which], self.log_v[which], self.log_theta[which])

    def put(self, which: Any, other: _LogLinear) -> None:
        self.log_u[which], self.log_v[which] = other.log_u, other.log_v
        self.log_theta[which] = other.log_theta

    def moved(self, step: NDArray[Any]) -> _LogLinear:
        q = self.log_u.shape[1]
        return _LogLinear(
            self.log_u + step[:, :q], self.log_v + step[:, q:-1], self.log_theta + step[:, -1]
        )

    def log_likelihood(self, margins: Margins) -> Floats:
        """Poisson, up to a constant."""
        parts = margins.row * self.log_u + margins.column * self.log_v
        counted = parts.sum(axis=1) + margins.agreements * self.log_theta
        return np.asarray(counted - self.means().sum(axis=(1, 2)))


def _inside(margins: Margins) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], Floats]:
    """Fit where the likelihood has its maximum inside; return a, u, v and the error of a."""
    real = margins.real
    at = _climbed(_start(real), real)
    # One step along the imaginary part of the margins is the derivative of the whole fit.
    end = at.moved(solve(_information(at), _score(at, margins)))
    a, u, v, slopes = _shares(end)
    variance = (slopes.real * solve(_information(at), slopes.real)).sum(axis=1)
    identified = ((real.row > 0).sum(axis=1) > 1) & ((real.column > 0).sum(axis=1) > 1)
    identified &= ((real.row > 0) & (real.column > 0)).any(axis=1)
    return a, u, v, root(np.where(identified & (real.n_items > 1), variance, np.nan))


def _climbed(at: _LogLinear, margins: Margins) -> _LogLinear:
    """Go to the maximum of the likelihood by Newton's steps, with the fits that are not there."""
    left = np.arange(len(at.log_u))
    for _ in range(_MOST_STEPS):
        here, part = at.taking(left), margins.taking(left)
        score = _score(here, part)
        moving = np.abs(score).max(axis=1) > 1e-13 * part.n_items
        if not moving.any():
            break
        left, here, part = left[moving], here.taking(moving), part.taking(moving)
        step = solve(_information(here), score[moving])
        at.put(left, _uphill(here, step, part))
        left = left[step.any(axis=1)]  # a system without a single solution stays without
    return at


def _start(margins: Margins) -> _LogLinear:
    """Match rows, columns and agreements in turn, a few times."""
    u = margins.row / margins.n_items[:, None]
    v = margins.column.astype(np.float64)
    less = np.zeros(len(u))  # theta - 1
    for _ in range(_SWEEPS):
        u = margins.row / _positive(v.sum(axis=1, keepdims=True) + less[:, None] * v)
        v = margins.column / _positive(u.sum(axis=1, keepdims=True) + less[:, None] * u)
        less = np.maximum(margins.agreements / _positive((u * v).sum(axis=1)), 1e-12) - 1.0
    return _LogLinear(_log(u), _log(v), np.log1p(less))


def _positive(x: Floats) -> Floats:
    return np.where(x > 0.0, x, 1.0)


def _log(x: Floats) -> Floats:
    """Return the logarithm; a label that was never used has no weight at all."""
    return np.where(x > 0.0, np.log(_positive(x)), _NEVER)


def _score(at: _LogLinear, margins: Margins) -> NDArray[Any]:
    m = at.means()
    met = np.einsum("bkk->bk", m)
    return np.concatenate(
        [
            margins.row - m.sum(axis=2),
            margins.column - m.sum(axis=1),
            (margins.agreements - met.sum(axis=1))[:, None],
        ],
        axis=1,
    )


def _information(at: _LogLinear) -> Floats:
    """Return the information of (log u, log v, log theta), made regular.

    Where u grows and v shrinks by the same factor nothing changes, so that direction is given a
    weight of its own; so is a label that was never used.
    """
    m = at.means()
    size, q = m.shape[0], m.shape[1]
    met = np.einsum("bkk->bk", m)
    matrix = np.zeros((size, 2 * q + 1, 2 * q + 1))
    matrix[:, :q, q:-1], matrix[:, q:-1, :q] = m, np.swapaxes(m, 1, 2)
    matrix[:, :q, -1] = matrix[:, q:-1, -1] = matrix[:, -1, :q] = matrix[:, -1, q:-1] = met
    sums = np.concatenate([m.sum(axis=2), m.sum(axis=1), met.sum(axis=1)[:, None]], axis=1)
    corner = np.arange(2 * q + 1)
    matrix[:, corner, corner] = np.where(sums > 0.0, sums, 1.0)
    used = np.concatenate([at.log_u, at.log_v], axis=1) > _NEVER / 2.0
    turn = used * np.r_[np.ones(q), -np.ones(q)]
    matrix[:, :-1, :-1] += turn[:, :, None] * turn[:, None, :]
    return matrix


def _uphill(at: _LogLinear, step: Floats, margins: Margins) -> _LogLinear:
    """Go the whole step, or so much of it that the likelihood does not fall."""
    before = at.log_likelihood(margins)
    share = np.ones(len(step))
    for _ in range(30):
        with np.errstate(over="ignore", invalid="ignore"):
            after = at.moved(step * share[:, None]).log_likelihood(margins)
        falls = ~(after >= before - 1e-12 * np.abs(before))
        if not falls.any():
            break
        share = np.where(falls, share / 2.0, share)
    return at.moved(step * share[:, None])


def _shares(at: _LogLinear) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return a, the two distributions, and the slopes of a by (log u, log v, log theta)."""
    u, v, theta = np.exp(at.log_u), np.exp(at.log_v), np.exp(at.log_theta)
    u, v = u / u.sum(axis=1, keepdims=True), v / v.sum(axis=1, keepdims=True)
    met = u * v
    s = met.sum(axis=1)
    odds = (theta - 1.0) * s  # a / (1 - a)
    by_s = ((theta - 1.0) / (1.0 + odds) ** 2)[:, None]
    slopes = np.concatenate(
        [
            by_s * (met - u * s[:, None]),
            by_s * (met - v * s[:, None]),
            (theta * s / (1.0 + odds) ** 2)[:, None],
        ],
        axis=1,
    )
    return odds / (1.0 + odds), u, v, slopes


def check_continuity(continuity: Any) -> float | str:
    """Return the constant that is added to every cell, or the word that stands for it."""
    if isinstance(continuity, str):
        if continuity not in CONTINUITIES:
            raise InputError.unknown_word("continuity", continuity, CONTINUITIES)
        return 0.0 if continuity == "none" else continuity
    number = isinstance(continuity, Real) and not isinstance(continuity, bool)
    if not number or not 0.0 <= float(continuity) < np.inf:
        raise InputError.expected(
            "continuity",
            "a count of 0 or more, or 'joseph-belisle'",
            continuity,
            "it is added to every cell of the table; 0 adds nothing",
        )
    return float(continuity)


def aickin_alpha(
    *ratings: Any,
    continuity: float | str = 0.0,
    distance: Any = None,
    missing: str | None = None,
    standard_error: str = "auto",
    population: float | None = None,
    on_undefined: str = "warn",
) -> Estimate:
    """Aickin's alpha: the share of items on which two raters agree for cause, not by chance.

    Use it when you believe that some items are easy and the rest are guessed, and want the share
    of easy ones. Prefer `cohen_kappa` or `scott_pi` for comparison with other studies, and
    `linear_distribution_model` when easy and hard items should have the same distribution.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    continuity : float or {"none", "joseph-belisle"}
        Count added to every cell of the two raters' table; "joseph-belisle" adds 1 / q².
    distance, missing, standard_error, population, on_undefined
        As in `krippendorff_alpha`; ``missing`` is "pairwise" or "listwise". Labels are equal or
        not: the only distance is "nominal".

    Returns
    -------
    Estimate
        `value` in [0, 1]: the share of easy items; `expected` is the agreement on hard items. The
        flag "boundary" says that the value lies at the edge of the model: 0 where observed
        agreement is below chance, observed agreement itself where disagreements are one-sided.

    Raises
    ------
    UnsupportedDesignError
        Other than two raters, no item that both rated, more than a hundred labels, or a distance
        other than the nominal one.

    Warns
    -----
    UndefinedCoefficientWarning
        When only one label was used (`no_variation`).

    Notes
    -----
    P_kl = (1 - a) u_k v_l + a 1[k = l] u_k v_k / s, s = sum u_k v_k, so that an agreement is easy
    with the same probability whatever the label. The maximum of the likelihood [1]_ is
    a = (P_o - s) / (1 - s). The standard error is that of the inverse observed information; it
    does not exist at the boundary. Disagreements are one-sided when no label that the first
    rater gave in a disagreement was given by the second in one: for two labels, when one cell of
    the table is empty. Then s runs to 0 and a to P_o. Missing ratings: the items that both rated
    are used. Joseph & Bélisle [2]_ add a constant to every cell, which moves the value.

    References
    ----------
    .. [1] Aickin, M. (1990). Maximum likelihood estimation of agreement in the constant predictive
       probability model, and its relation to Cohen's kappa. Biometrics 46, 293-302.
       doi:10.2307/2531434
    .. [2] Joseph, L. & Bélisle, P. (2008). Computing Aickin's alpha. McGill University.

    Examples
    --------
    >>> from consilience import Ratings
    >>> e = aickin_alpha(Ratings.from_table([[88, 14, 18], [10, 40, 10], [2, 6, 12]]))
    >>> round(e.value, 4), round(e.standard_error, 3)  # Cohen's (1960) table
    (0.5429, 0.051)
    """
    return estimate(
        AickinAlpha(check_continuity(continuity)),
        ratings,
        distance=distance,
        missing=missing,
        standard_error=standard_error,
        population=population,
        on_undefined=on_undefined,
    )
