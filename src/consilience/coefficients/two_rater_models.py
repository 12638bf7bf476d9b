"""Coefficients fitted to the cross-table of two raters: Aickin's alpha, linear distribution
model.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients.coefficient import Coefficient, Design, Numbers, pairable, register
from consilience.coefficients.estimates import Estimate, estimate
from consilience.core.arguments import check_word
from consilience.core.arrays import Floats
from consilience.core.options import COEFFICIENT, CoefficientOptions, written_out
from consilience.exceptions import InputError
from consilience.ratings import Ratings
from consilience.rows import Rows, Term, Total
from consilience.rows.forms import Form
from consilience.rows.terms import two_raters

# ---- What coefficients fitted by maximum likelihood to the cross-table of two raters share.
#
# Both models say that an item is easy with probability a, and then both raters agree on it, or
# hard, and then they rate independently. Margins and agreements per label are all that they need,
# so a fit is a function of totals over rows like any other coefficient.

MOST_LABELS = 100  # each fit solves a system of twice as many equations
_CELLS_AT_ONCE = 4_000_000
_WORST_CONDITION = 1e14  # of a system that is taken to have a single solution


@dataclass(frozen=True)
class Margins:
    """Row totals, column totals and agreements by label: (fits, labels) each."""

    row: NDArray[Any]
    column: NDArray[Any]
    agree: NDArray[Any]

    @property
    def n_items(self) -> NDArray[Any]:
        """Number of items of each fit."""
        return np.asarray(self.row.sum(axis=1))

    @property
    def agreements(self) -> NDArray[Any]:
        """Number of items on which the two agree."""
        return np.asarray(self.agree.sum(axis=1))

    @property
    def real(self) -> Margins:
        """The margins without the imaginary step of a derivative."""
        return Margins(self.row.real, self.column.real, self.agree.real)

    def taking(self, which: Any) -> Margins:
        """Take some of the fits."""
        return Margins(self.row[which], self.column[which], self.agree[which])

    def with_continuity(self, added: float) -> Margins:
        """Add a constant to every cell of the table."""
        q = self.row.shape[1]
        return Margins(self.row + q * added, self.column + q * added, self.agree + added)

    @classmethod
    def of_table(cls, table: Floats) -> Margins:
        """Take the margins of one table."""
        t = np.asarray(table, dtype=np.float64)
        return cls(t.sum(axis=1)[None], t.sum(axis=0)[None], np.diag(t)[None].copy())


@dataclass(frozen=True)
class Fit:
    """Maximum-likelihood estimates: one entry (or row) per fit."""

    value: NDArray[Any]  # share of easy items
    chance: NDArray[Any]  # agreement on hard items
    hard: tuple[NDArray[Any], NDArray[Any]]  # each rater's distribution on hard items
    standard_error: Floats
    boundary: NDArray[np.bool_]


class TwoRaterModel(Coefficient):
    """A mixture of easy and hard items, fitted by maximum likelihood."""

    needs_raters = True
    guesses = "own"
    two_raters_only = True
    nominal_only = True
    ratio_of_disagreements: ClassVar[bool] = False
    in_summary = False
    missing_rules = ("pairwise", "listwise")
    standard_errors = ("observed-information", "linearised", "table")

    @abstractmethod
    def fit(self, margins: Margins) -> Fit:
        """Fit the model to each row of margins; complex margins carry a derivative along."""

    def supports(self, ratings: Ratings) -> str | None:
        """Refuse more labels than a fit can handle."""
        reason = super().supports(ratings)
        if reason is None and len(ratings.categories) > MOST_LABELS:
            return f"needs at most {MOST_LABELS} labels, got {len(ratings.categories):,}"
        return reason

    def terms(self, form: Form) -> dict[str, Term]:
        """Return the margins of the two raters and their agreements, label by label."""
        terms: dict[str, Term] = {"pairs": Total(pairable)}
        for k in range(form.size):
            for part in ("row", "column", "agree"):
                terms[f"{part} {k}"] = Total(Cells(part, k))
        return terms

    def margins(self, t: Numbers, form: Form) -> Margins:
        """Bring the numbers of the terms into one table per replicate."""
        parts = [
            np.stack([np.atleast_1d(t[f"{part} {k}"]) for k in range(form.size)], axis=-1)
            for part in ("row", "column", "agree")
        ]
        return Margins(*parts)

    def fitted_to(self, t: Numbers, form: Form) -> Fit:
        """Fit the model to the numbers of the terms."""
        return self.fit(self.margins(t, form))

    def observed(self, t: Numbers, form: Form) -> Any:
        """Return the share of items on which the two disagree."""
        margins = self.margins(t, form)
        return _like(t, 1.0 - margins.agreements / _some(margins.n_items))

    def expected(self, t: Numbers, form: Form) -> Any:
        """Return the disagreement on hard items."""
        return _like(t, 1.0 - self.fitted_to(t, form).chance)

    def value(self, t: Numbers, form: Form) -> Any:
        """Return the share of easy items; not a number where only one label was used."""
        fit = self.fitted_to(t, form)
        return _like(t, np.where(np.real(fit.chance) < 1.0 - 1e-14, fit.value, np.nan))

    def at_boundary(self, t: Numbers, form: Form) -> bool:
        """Tell whether the likelihood is largest at the edge of what the model allows."""
        return bool(self.fitted_to(t, form).boundary[0])

    def information_error(self, t: Numbers, form: Form) -> float:
        """Return the standard error from the inverse of the observed information."""
        return float(self.fitted_to(t, form).standard_error[0])

    def lowest(self, design: Design) -> float:
        """Return 0: a share."""
        return 0.0


@dataclass(frozen=True)
class Cells:
    """1 for items in a row, a column or a diagonal cell of the two raters' table."""

    part: str
    label: int

    def __call__(self, rows: Rows) -> Floats:
        """Return it for every row."""
        if rows.by_rater is None or rows.by_rater.shape[0] < 2 * rows.form.size:
            return np.zeros(rows.ratings.size)  # one rater at work: nothing to compare
        first, second, common = two_raters(rows, 0, 1)
        a, b = first[self.label], second[self.label]
        return np.asarray(common * {"row": a, "column": b, "agree": a * b}[self.part])


def batches(n_fits: int, n_equations: int) -> Iterator[slice]:
    """Yield so many fits at a time that their systems of equations stay small together."""
    size = max(1, _CELLS_AT_ONCE // max(n_equations**2, 1))
    for start in range(0, n_fits, size):
        yield slice(start, min(start + size, n_fits))


def solve(matrix: Floats, right: NDArray[Any]) -> NDArray[Any]:
    """Solve a system for each fit; zeros where it has no single solution."""
    diagonal = np.abs(np.einsum("bii->bi", matrix))
    largest = np.maximum(diagonal.max(axis=1, keepdims=True), 1e-300)
    # A border has nothing on the diagonal; this makes its entries about as large as the rest.
    balance = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0 / largest))
    scaled = matrix / balance[:, :, None] / balance[:, None, :]
    out = np.zeros(right.shape, dtype=right.dtype)
    good = np.isfinite(scaled).all(axis=(1, 2))
    good[good] = np.linalg.cond(scaled[good], 1) < _WORST_CONDITION
    if good.any():
        found = np.linalg.solve(scaled[good], (right[good] / balance[good])[..., None])[..., 0]
        out[good] = found / balance[good]
    return out


def _some(n_items: NDArray[Any]) -> NDArray[Any]:
    return np.where(n_items == 0, np.nan, n_items)


def _like(t: Numbers, values: NDArray[Any]) -> Any:
    """Return one number for numbers, one per replicate for replicates."""
    return values if np.ndim(t["pairs"]) else values[0]


def root(variance: Floats) -> Floats:
    """Return the square root, or NaN where there is none."""
    return np.sqrt(np.where(variance > 0.0, variance, math.nan))


# ---- Aickin's alpha: the share of items on which two raters agree for cause.

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
        check_word("continuity", continuity, CONTINUITIES)
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


@written_out(CoefficientOptions, COEFFICIENT)
def aickin_alpha(
    *ratings: Any,
    continuity: float | str = 0.0,
    distance: Any = None,
    **options: Unpack[CoefficientOptions],
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
        AickinAlpha(check_continuity(continuity)), ratings, distance=distance, **options
    )


# ---- The linear distribution model: easy and hard items have the same distribution of labels.

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


@written_out(CoefficientOptions, COEFFICIENT)
def linear_distribution_model(
    *ratings: Any, distance: Any = None, **options: Unpack[CoefficientOptions]
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
    return estimate(LinearDistributionModel(), ratings, distance=distance, **options)
