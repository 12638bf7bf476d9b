"""The likelihood of Bradley and Terry's model, with Davidson's ties and an order effect.

Of two systems shown as first a and second b, with abilities as logarithms,

    first wins:   exp(s_a + g)
    second wins:  exp(s_b)
    a tie:        exp(t + (s_a + s_b + g) / 2)

each over the sum of the three (Davidson 1970; Davidson and Beaver 1977). g is the advantage of the
first place, t says how frequent ties are; without ties the third line is left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.exceptions import UnsupportedDesignError

Score = tuple[float, Floats, Floats]  # log-likelihood, gradient, information
FIRST, SECOND, TIE = 0, 1, 2
_MOST_STEPS = 100
_CLOSE = 1e-11
_FAR = 30.0  # an ability this far from the others is beyond any


@dataclass(frozen=True)
class Comparisons:
    """Counts of outcomes by who was shown first and who second.

    `wins` are rows (first, second) x (first wins, second wins, tie).
    """

    first: Ints
    second: Ints
    wins: Floats
    n_systems: int

    @property
    def total(self) -> float:
        """Number of comparisons."""
        return float(self.wins.sum())


@dataclass(frozen=True)
class Fit:
    """Abilities (their mean is 0), order effect, tie parameter, and the covariance of all."""

    abilities: Floats
    order: float
    tie: float
    covariance: Floats
    log_likelihood: float
    deviance: float
    degrees_of_freedom: int


def design(data: Comparisons, *, ties: bool, order: bool) -> Floats:
    """Return the linear predictors' design: rows x 3 outcomes x parameters.

    Parameters are the abilities of all systems but the first, then the order effect, then ties.
    """
    n, rows = data.n_systems, data.first.size
    x = np.zeros((rows, 3, n + 2))
    k = np.arange(rows)
    x[k, FIRST, data.first] = 1.0
    x[k, SECOND, data.second] = 1.0
    x[k, TIE, data.first] += 0.5
    x[k, TIE, data.second] += 0.5
    x[:, FIRST, n] = 1.0
    x[:, TIE, n] = 0.5
    x[:, TIE, n + 1] = 1.0
    kept = [*range(1, n), *([n] if order else []), *([n + 1] if ties else [])]
    return x[:, :, kept]


def fit(data: Comparisons, *, ties: bool, order: bool, start: Floats | None = None) -> Fit:
    """Maximise the likelihood by Newton's method; it is concave."""
    x = design(data, ties=ties, order=order)
    use = 3 if ties else 2
    x, wins = x[:, :use], data.wins[:, :use]
    b = np.zeros(x.shape[2]) if start is None else start.copy()
    score = _score(x, wins, b)
    for _ in range(_MOST_STEPS):
        step = _solve(score[2], score[1])
        size = 1.0
        new = _score(x, wins, b + step)
        while new[0] < score[0] - 1e-12 * abs(score[0]) and size > 1e-8:
            size /= 2.0
            new = _score(x, wins, b + size * step)
        b = b + size * step
        score = new
        if np.abs(step).max(initial=0.0) * size < _CLOSE:
            break
        if np.abs(b).max(initial=0.0) > _FAR:
            break
    return _fitted(data, wins, b, score, ties=ties, order=order)


def _score(x: Floats, wins: Floats, b: Floats) -> Score:
    """Return the log-likelihood, its gradient and the information."""
    eta = x @ b
    eta = eta - eta.max(axis=1, keepdims=True)
    p = np.exp(eta)
    norm = p.sum(axis=1, keepdims=True)
    p /= norm
    n = wins.sum(axis=1)
    value = float((wins * (eta - np.log(norm))).sum())
    gradient = np.einsum("ro,rop->p", wins - n[:, None] * p, x)
    mean = np.einsum("ro,rop->rp", p, x)
    spread = x - mean[:, None, :]
    information = np.einsum("ro,rop,roq->pq", n[:, None] * p, spread, spread)
    return value, gradient, information


def _solve(information: Floats, gradient: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(information, gradient), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(information, gradient, rcond=None)[0])


def _fitted(
    data: Comparisons, wins: Floats, b: Floats, score: Score, *, ties: bool, order: bool
) -> Fit:
    log_likelihood, _, information = score
    n = data.n_systems
    raw = np.concatenate([[0.0], b[: n - 1]])
    # From abilities against the first system to abilities against the mean of all.
    centre = np.eye(n) - 1.0 / n
    size = n + int(order) + int(ties)
    full = np.zeros((size, size))
    full[1:, 1:] = np.linalg.pinv(information, hermitian=True)
    turn = np.eye(size)
    turn[:n, :n] = centre
    total = wins.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(wins > 0, wins * np.log(wins / total), 0.0)
    used = (total[:, 0] > 0).sum()
    freedom = int(used) * (wins.shape[1] - 1) - b.size
    at = n - 1
    return Fit(
        abilities=centre @ raw,
        order=float(b[at]) if order else 0.0,
        tie=float(b[at + int(order)]) if ties else -math.inf,
        covariance=turn @ full @ turn.T,
        log_likelihood=log_likelihood,
        deviance=2.0 * (float(own.sum()) - log_likelihood),
        degrees_of_freedom=freedom,
    )


def check_connected(data: Comparisons, names: tuple[object, ...]) -> None:
    """Refuse comparisons in which some systems never lose to, or never win against, the others.

    Ford (1957): abilities are finite if, and only if, in every split of the systems into two groups
    some of the second is beaten by some of the first.
    """
    beats = np.zeros((data.n_systems, data.n_systems), dtype=np.bool_)
    np.logical_or.at(beats, (data.first, data.second), (data.wins[:, [FIRST, TIE]] > 0).any(axis=1))
    np.logical_or.at(
        beats, (data.second, data.first), (data.wins[:, [SECOND, TIE]] > 0).any(axis=1)
    )
    reach = beats | np.eye(data.n_systems, dtype=np.bool_)
    for k in range(data.n_systems):
        reach |= reach[:, [k]] & reach[[k], :]
    apart = ~(reach & reach.T)
    if apart.any():
        i, j = (int(k) for k in np.argwhere(apart)[0])
        raise UnsupportedDesignError.needs(
            "abilities of systems",
            "each of them to win and to lose against the others, directly or by way of some",
            f"{names[i]!s} and {names[j]!s}, of which one never does",
            "leave out systems that always win or always lose, or compare more",
        )
