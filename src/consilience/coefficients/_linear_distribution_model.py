"""The linear distribution model: easy and hard items have the same distribution of labels."""

from __future__ import annotations

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

_ROUNDS = 400
_EM_STEPS = 8  # before each try of a Newton step
_NO_GAIN = 1e-9  # of the log-likelihood, above no easy items at all


@register
class LinearDistributionModel(TwoRaterModel):
    """P_kl = (1 - a) p_k p_l + a 1[k = l] p_k."""

    name = "linear_distribution_model"
    aliases = ("ldm", "linear_distribution")
    is_iterated = True
    summary = "Share of easy items with the labels' own distribution, for two raters."

    def title(self, design: Design) -> str:
        """Return the model's name."""
        return "Linear distribution model"

    def fit(self, margins: Margins) -> Fit:
        """Fit the model."""
        return fit_linear(margins)


def fit_linear(margins: Margins) -> Fit:
    """Maximise the likelihood of the linear distribution model for each row of margins."""
    total = np.where(margins.n_items == 0, np.nan, margins.n_items)
    p = (margins.row + margins.column) / (2.0 * total[:, None])
    value = margins.agreements / total
    real = margins.real
    error = np.where((real.agreements == real.n_items) & (real.n_items > 1), 0.0, np.nan)
    at_edge = np.zeros(total.size, dtype=np.bool_)
    mixed = np.flatnonzero((real.agreements < real.n_items) & (real.n_items > 0))
    for some in batches(mixed.size, p.shape[1] + 2):
        which = mixed[some]
        value[which], p[which], error[which], at_edge[which] = _fitted(margins.taking(which))
    return Fit(value, (p * p).sum(axis=1), (p, p), error, at_edge)


def _fitted(
    margins: Margins,
) -> tuple[NDArray[Any], NDArray[Any], Floats, NDArray[np.bool_]]:
    real = margins.real
    pooled = (real.row + real.column) / (2.0 * real.n_items[:, None])
    # The slope at a = 0, where p is the pooled distribution.
    slope = (real.agree / _positive(pooled)).sum(axis=1) - real.n_items
    a, p = _maximum(real, pooled, slope)
    empty = _without_easy_items(a, p, real, pooled, slope)
    a, p = np.where(empty, 0.0, a), np.where(empty[:, None], pooled, p)
    matrix, score = _system(a, p, margins)
    step = solve(matrix, score)
    corner = np.zeros(score.shape)
    corner[:, 0] = 1.0
    variance = solve(matrix, corner)[:, 0].real
    below = empty & (slope < -1e-12 * real.n_items)
    varies = (pooled > 0.0).sum(axis=1) > 1
    error = root(np.where(below | ~varies | (real.n_items < 2), np.nan, variance))
    kept = np.where(below, 0.0, 1.0)
    end = a + kept * step[:, 0]
    # At a = 0 the real part must not drift below; the imaginary part is the derivative.
    end = np.where(empty, end - end.real, end)
    shares = np.where(
        below[:, None],
        (margins.row + margins.column) / (2.0 * margins.n_items[:, None]),
        p + kept[:, None] * step[:, 1:-1],
    )
    if not np.iscomplexobj(margins.row):
        end, shares = end.real, shares.real
    return end, shares, error, below


def _without_easy_items(
    a: Floats, p: Floats, margins: Margins, pooled: Floats, slope: Floats
) -> NDArray[np.bool_]:
    """Tell where no easy items at all fit as well: there the climb creeps to 0."""
    at_zero = _log_likelihood(np.zeros(a.size), pooled, margins)
    gain = _log_likelihood(a, p, margins) - at_zero
    return np.asarray((slope <= 1e-12 * margins.n_items) & (gain <= _NO_GAIN))


def _maximum(margins: Margins, pooled: Floats, slope: Floats) -> tuple[Floats, Floats]:
    """Climb by expectation-maximisation, with Newton steps where they help."""
    chance = (pooled**2).sum(axis=1)
    start = (margins.agreements / margins.n_items - chance) / _positive(1.0 - chance)
    a, p = np.clip(start, 0.1, 0.95), pooled
    for _ in range(_ROUNDS):
        for _ in range(_EM_STEPS):
            a, p = _em_step(a, p, margins)
        matrix, score = _system(a, p, margins)
        step = solve(matrix, score)
        flat = np.abs(_projected(score, p)).max(axis=1) <= 1e-12 * margins.n_items
        moved_a, moved_p = a + step[:, 0], p + step[:, 1:-1]
        allowed = (moved_a >= 0.0) & (moved_a < 1.0) & (moved_p >= 0.0).all(axis=1)
        allowed &= ((moved_p > 0.0) == (p > 0.0)).all(axis=1)
        safe_a, safe_p = np.where(allowed, moved_a, a), np.where(allowed[:, None], moved_p, p)
        better = _log_likelihood(safe_a, safe_p, margins) >= _log_likelihood(a, p, margins)
        a, p = np.where(better, safe_a, a), np.where(better[:, None], safe_p, p)
        if np.all(flat | _without_easy_items(a, p, margins, pooled, slope)):
            break
    return a, p


def _em_step(a: Floats, p: Floats, margins: Margins) -> tuple[Floats, Floats]:
    """Count easy agreements e_k, then the shares: an easy item is one draw, a hard one two."""
    n = margins.n_items
    at_k = a[:, None]
    easy = margins.agree * at_k / _positive(at_k + (1.0 - at_k) * p)
    total = easy.sum(axis=1)
    drawn = margins.row + margins.column - easy
    return total / n, drawn / (2.0 * n - total)[:, None]


def _log_likelihood(a: Floats, p: Floats, margins: Margins) -> Floats:
    met = a[:, None] + (1.0 - a[:, None]) * p
    drawn = margins.row + margins.column - margins.agree
    parts = _times_log(drawn, p) + _times_log(margins.agree, met)
    apart = margins.n_items - margins.agreements
    return np.asarray(parts.sum(axis=1) + _times_log(apart, 1.0 - a))


def _times_log(count: Floats, share: Floats) -> Floats:
    return np.where(count > 0.0, count * np.log(_positive(share)), 0.0)


def _system(a: Floats, p: Floats, margins: Margins) -> tuple[Floats, NDArray[Any]]:
    """Return the information of (a, p), bordered by sum p = 1, and the score."""
    used = p > 0.0
    some_p = np.where(used, p, 1.0)
    at_k = a[:, None]
    met = np.where(used, at_k + (1.0 - at_k) * p, 1.0)
    real = margins.real
    drawn, agree = margins.row + margins.column - margins.agree, margins.agree
    apart = margins.n_items - margins.agreements
    size, q = p.shape
    score = np.zeros((size, q + 2), dtype=margins.row.dtype)
    score[:, 0] = (agree * (1.0 - p) / met).sum(axis=1) - apart / (1.0 - a)
    score[:, 1:-1] = np.where(used, drawn / some_p + agree * (1.0 - at_k) / met, 0.0)
    score[:, -1] = 1.0 - p.sum(axis=1)
    matrix = np.zeros((size, q + 2, q + 2))
    diagonal = np.arange(1, q + 1)
    matrix[:, 0, 0] = (real.agree * ((1.0 - p) / met) ** 2).sum(axis=1)
    matrix[:, 0, 0] += apart.real / (1.0 - a) ** 2
    matrix[:, 0, 1:-1] = matrix[:, 1:-1, 0] = real.agree / met**2
    curved = drawn.real / some_p**2 + real.agree * ((1.0 - at_k) / met) ** 2
    matrix[:, diagonal, diagonal] = np.where(used, curved, 1.0)
    matrix[:, -1, 1:-1] = matrix[:, 1:-1, -1] = used
    return matrix, score


def _projected(score: NDArray[Any], p: Floats) -> Floats:
    """Return the score by (a, p) without its part across sum p = 1, each share weighted."""
    by_p = score[:, 1:-1].real
    level = (by_p * p).sum(axis=1, keepdims=True)
    return np.concatenate([score[:, :1].real, p * (by_p - level)], axis=1)


def _positive(x: Floats) -> Floats:
    return np.where(x > 0.0, x, 1.0)


def linear_distribution_model(
    *ratings: Any,
    distance: Any = None,
    missing: str | None = None,
    standard_error: str = "auto",
    population: float | None = None,
    on_undefined: str = "warn",
) -> Estimate:
    """Share of easy items when easy and hard items have the same distribution of labels.

    Use it as a reading of Scott's pi: for two labels the two are equal wherever pi is not
    negative. Prefer `scott_pi` for comparison with other studies, and `aickin_alpha` when the
    two raters' distributions on hard items should differ.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance, missing, standard_error, population, on_undefined
        As in `krippendorff_alpha`; ``missing`` is "pairwise" or "listwise". Labels are equal or
        not: the only distance is "nominal".

    Returns
    -------
    Estimate
        `value` in [0, 1]: the share of easy items; `expected` is the agreement on hard items. The
        flag "boundary" says that the likelihood is largest at 0, below chance.

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
    P_kl = (1 - a) p_k p_l + a 1[k = l] p_k (Artstein & Poesio [1]_, section 6.1, who put it in the
    place of Aickin's model). Found by expectation-maximisation and Newton's method; the standard
    error is that of the inverse observed information and does not exist at the boundary.
    Missing ratings: the items that both rated are used.

    References
    ----------
    .. [1] Artstein, R. & Poesio, M. (2005). Kappa3 = alpha (or beta). CSM-437, University of Essex.

    Examples
    --------
    >>> from consilience import Ratings
    >>> e = linear_distribution_model(Ratings.from_table([[24, 8], [14, 24]]))  # SIGIL unit 9
    >>> round(e.value, 3)  # Scott's pi
    0.371
    """
    return estimate(
        LinearDistributionModel(),
        ratings,
        distance=distance,
        missing=missing,
        standard_error=standard_error,
        population=population,
        on_undefined=on_undefined,
    )
