"""Posterior draws of a statistic of rows: the items' rows, and a weak prior on rows of few kinds.

Each distinct row is one cell of a multinomial distribution. Its probabilities get a Dirichlet
posterior: gamma weights whose shape is the number of items of that row, and, for rows that nobody
may have shown yet, small shapes that do not grow with the number of labels: all raters give one
label, or all but one do, the farther apart the labels the likelier. The totals of weighted rows
give the statistic, as in a bootstrap, so that one posterior serves all coefficients of a distance.

Tried on the tuning designs of the coverage study, and left: the same prior for all distances
(weighted coefficients cover .935-.945 with two raters, as far disagreements are seen last); twice
the mass on rows in which one differs (no better); no Student's tails for two raters and three or
more labels (.943 instead of .949); raters of the prior's rows who count for the part of items they
rate (kappa with gaps .78 instead of .87).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, dense, rounded
from consilience.core.draws import RandomStream
from consilience.inference.intervals import quantile
from consilience.rows import MomentForm, Rows
from consilience.rows.distinct_rows import join_rows, order_of_labels

_UNANIMOUS = 0.5  # prior mass on rows of one label, beside 1 / m
_ONE_DISSENTS = 0.5  # prior mass on rows in which one of the raters differs
_MOST_RARE = 2  # power of the common label's share in such rows
_FEW_RATERS = 5  # from here on, the prior weighs less where raters hardly agree
_FARTHEST_GUESS = 6.0  # errors from chance at which agreement is no longer taken for guesses
_MANY = 1e9  # weights this large leave no trace of small-sample factors such as N - 1
_UNSEEN = (0.5, 0.25)  # prior mass on an item farther out than any seen, and on one rated wider
_FARTHEST, _WIDEST = 5.0, 1.0  # how much farther and wider at most, as multiples of what was seen
_SKEWED = 1.0  # from which on items count as skewed
_MOST_PAIRS = 600  # rows of the prior for pairs of labels, one per dissenting rater


@dataclass(frozen=True)
class PosteriorDraw:
    """Gamma weights of the items' rows and, behind them, of the prior's rows."""

    shapes: Floats
    scales: Floats
    cluster: NDArray[np.int64] | None = None  # of each row, the prior's rows behind the clusters

    @property
    def n_rows(self) -> int:
        """Number of rows that get a weight."""
        return int(self.shapes.size)

    def taking(self, which: slice) -> PosteriorDraw:
        """Return the draw of some of the weights."""
        return PosteriorDraw(self.shapes[which], self.scales[which])

    def __call__(self, rng: RandomStream, size: int) -> Floats:
        """Return weights (rows x draws)."""
        drawn = rng.gamma(self.shapes, size)
        drawn *= self.scales[:, None]
        return drawn


def posterior_of(
    rows: Rows,
    n_raters: int,
    level: float,
    *,
    cluster: NDArray[np.int64] | None = None,
) -> tuple[Rows, PosteriorDraw]:
    """Return the rows with the prior's rows behind them, and how to draw their weights.

    Parameters
    ----------
    rows : Rows
        Distinct rows, or one per item where items go together.
    n_raters : int
    level : float
        At which the spread of few units is widened to Student's t.
    cluster : array of int, optional
        The cluster of each row.
    """
    prior, shapes = _prior(rows, n_raters)
    units = rows.multiplicity if cluster is None else np.ones(int(cluster.max()) + 1)
    widening = 1.0
    if n_raters > 2 or rows.form.size > 2 or cluster is not None:
        used = rows.multiplicity * rows.pairable if cluster is None else units
        widening = gamma_shape(float(used.sum()), level)
    codes = None
    if cluster is not None:
        codes = np.concatenate([cluster, units.size + np.arange(shapes.size)])
    draw = PosteriorDraw(
        np.concatenate([widening * units, shapes]),
        _MANY * np.concatenate([np.full(units.size, 1.0 / widening), np.ones(shapes.size)]),
        codes,
    )
    return join_rows([_dense_rows(rows), prior]), draw


@lru_cache(maxsize=1024)
def gamma_shape(n_units: float, level: float) -> float:
    """Return the shape of gamma weights that give n units the spread of Student's t at a level."""
    if n_units < 3:
        return 1.0
    upper = (1.0 + level) / 2.0
    ratio = quantile(upper, None) / quantile(upper, n_units - 1)
    return ratio**2 * (n_units - 1) / (n_units + 1)


def posterior_of_values(
    rows: Rows, degrees: float, level: float, *, cluster: NDArray[np.int64] | None = None
) -> tuple[Rows, PosteriorDraw]:
    """Return rows of values with two of the prior behind them, and how to draw their weights.

    A sample of skewed values mostly lacks the few items far out that decide about the coefficient.
    The prior knows of two such items: the farthest one, moved out the more the more items are
    skewed, and the one that raters are most at odds about, likewise.

    Parameters
    ----------
    rows : Rows
        One per item or distinct row.
    degrees : float
        Of freedom of the error: the heavier the tails of what units contribute, the fewer.
    level : float
        At which the spread of the units is widened to Student's t.
    cluster : array of int, optional
        The cluster of each row.

    Notes
    -----
    Tried on the tuning designs: no rows of the prior (.57 to .94 with lognormal items); only the
    farthest item (.83 with lognormal errors); both with their distances as seen (.80); a mass of
    .75 (.69 to .85, too high). Student's t on the scale of mean squares covered as well, with
    limits from -.4 to 1 for one item far out among thirty.
    """
    from consilience.rows.moment_rows import one_row

    many = rows.multiplicity * rows.pairable
    mean, far = _mean_and_far_out(rows, many)
    odds = np.sqrt(np.maximum(rows.disagreement, 0.0))
    farthest = first_of_largest(np.abs(far) * (many > 0.0))
    oddest = first_of_largest(odds * (many > 0.0))
    shift, stretch, back = 0.0, 1.0, 0.0
    if isinstance(rows.form, MomentForm) and rows.form.dimensions == 1:
        shift = farther(far, many) * float(far[farthest])
        stretch = wider(odds, many)
        back = (1.0 - stretch) * float(mean[1] + far[oddest])
    units = rows.multiplicity if cluster is None else np.ones(int(cluster.max()) + 1)
    draw = draw_with_unseen(units, degrees, level)
    if cluster is not None:
        codes = np.concatenate([cluster, units.size + np.arange(len(_UNSEEN))])
        draw = PosteriorDraw(draw.shapes, draw.scales, codes)
    prior = [
        one_row(rows, farthest, shift=shift), one_row(rows, oddest, stretch=stretch, shift=back)
    ]  # fmt: skip
    return join_rows([_dense_rows(rows), *prior]), draw


def draw_with_unseen(units: Floats, degrees: float, level: float) -> PosteriorDraw:
    """Return how to draw weights of units, and of the farthest and the oddest item behind them."""
    n, upper = float(units.sum()), (1.0 + level) / 2.0
    shape = (quantile(upper, None) / quantile(upper, degrees)) ** 2 * (n - 1.0) / (n + 1.0)
    return PosteriorDraw(
        np.concatenate([shape * units, _UNSEEN]),
        _MANY * np.concatenate([np.full(units.size, 1.0 / shape), np.ones(len(_UNSEEN))]),
    )


def farther(means: Floats, times: Floats) -> float:
    """Return how much farther out than the farthest item another one may lie, by their skew."""
    margin = 1.0 + 10.0 / math.sqrt(float(times.sum()))
    return min(abs(_skewness(means, times)) * margin, _FARTHEST)


def wider(spreads: Floats, times: Floats) -> float:
    """Return how much wider than the widest item another one may be rated, by their skew."""
    return 1.0 + min(0.5 * max(_skewness(spreads, times) - 0.5, 0.0), _WIDEST)


def first_of_largest(numbers: Floats) -> int:
    """Return the first place of the largest number, whatever rounding makes of equal ones."""
    return int(np.argmax(numbers >= (1.0 - 1e-9) * numbers.max()))


def clearly_skewed(skewness: float, n: float) -> bool:
    """Tell whether n items are skewed by more than chance and by more than an interval can bear."""
    return abs(skewness) > max(_SKEWED, 2.0 * math.sqrt(6.0 / max(n, 1.0)))


def is_skewed(rows: Rows) -> bool:
    """Tell whether the means of items are clearly skewed."""
    many = rows.multiplicity * rows.pairable
    _, far = _mean_and_far_out(rows, many)
    return clearly_skewed(_skewness(far, many), float(many.sum()))


def _mean_and_far_out(rows: Rows, many: Floats) -> tuple[Floats, Floats]:
    """Return the mean of all rows, and how far that of each lies from it; on a line, with sign."""
    mean = np.asarray(rows.vectors @ many) / max(float(many @ rows.ratings), 1.0)
    return mean, _far_out(rows, mean)


def _far_out(rows: Rows, mean: Floats) -> Floats:
    share = dense(rows.vectors) / np.maximum(rows.ratings, 1.0)
    if isinstance(rows.form, MomentForm) and rows.form.dimensions == 1:
        return np.where(rows.ratings > 0.0, share[1] - mean[1], 0.0)
    across = rows.form.apply(mean[:, None])[:, 0]
    own = rows.within / np.maximum(rows.ratings, 1.0) ** 2
    square = share.T @ across - 0.5 * own - 0.5 * float(mean @ across)
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))


def _skewness(numbers: Floats, times: Floats) -> float:
    n = float(times.sum())
    u = numbers - float(times @ numbers) / n
    square = float(times @ u**2) / n
    return float(times @ u**3) / n / square**1.5 if square > 0.0 else 0.0


def _prior(rows: Rows, n_raters: int) -> tuple[Rows, Floats]:
    """Return the prior's rows and the shapes of their weights."""
    many = rows.multiplicity * rows.pairable
    m = max(2, round(float(many @ rows.ratings) / max(float(many.sum()), 1.0)))
    given = np.asarray(rows.vectors @ many)
    shares = (given + 0.5) / (given + 0.5).sum()
    k = rows.form.size
    dissenters = 1 if rows.by_rater is None else n_raters
    n_shown = max(2, int(0.5 + math.sqrt(0.25 + _MOST_PAIRS / dissenters)))
    labels = order_of_labels(rows.form)
    shown = labels[np.argsort(-rounded(shares[labels]), kind="stable")[:n_shown]]
    pairs = np.array([(c, d) for c in shown for d in shown if c != d], dtype=np.intp)
    weights = shares[pairs[:, 0]] ** min(m - 1, _MOST_RARE) * shares[pairs[:, 1]]
    weights = weights * _apart(rows, pairs)
    common = np.concatenate([labels, pairs[:, 0]])
    odd = np.concatenate([labels, pairs[:, 1]])
    shapes = np.concatenate([
        np.full(k, (_UNANIMOUS + 1.0 / m) / k), _ONE_DISSENTS * weights / weights.sum()
    ]) * _trust(rows, m)  # fmt: skip
    if rows.by_rater is None:
        return _made(rows, common, odd, m), shapes
    return _by_rater(rows, common, odd, m, n_raters), _spread(shapes, k, n_raters)


def _trust(rows: Rows, m: int) -> float:
    """Return how much the prior's rows weigh.

    Where many raters only guess, a coefficient has an error of about (2 / (n m (m - 1)))^(1/2),
    and a row on which all agree is worth more than that: it would lift the limits above the truth.
    So it weighs as with five raters, unless agreement lies farther from chance than guesses do.
    """
    many = rows.multiplicity * rows.pairable
    n = float(many.sum())
    if m <= _FEW_RATERS or n == 0.0:
        return 1.0
    given = np.asarray(rows.vectors @ many)
    expected = float(rows.form.quadratic(given[:, None])[0]) / float(given.sum()) ** 2
    beyond = 1.0 - float(many @ rows.disagreement) / n / expected if expected > 0.0 else 1.0
    errors = beyond * math.sqrt(n * m * (m - 1.0) / 2.0)
    guessed = max(0.0, 1.0 - (errors / _FARTHEST_GUESS) ** 2)
    return 1.0 - (1.0 - _FEW_RATERS / m) * guessed


def _apart(rows: Rows, pairs: NDArray[np.intp]) -> Floats:
    """Return the distances of pairs of labels.

    What was not seen yet weighs by how far apart it is: a rare disagreement across the whole scale
    is what moves a weighted coefficient most, and what a small sample shows last.
    """
    apart = np.asarray(rows.form.apply(np.eye(rows.form.size))[pairs[:, 0], pairs[:, 1]])
    return apart if apart.sum() > 0.0 else np.ones(len(pairs))


def _made(rows: Rows, common: Any, odd: Any, m: int) -> Rows:
    """Return rows in which m - 1 ratings are the common label and one is the odd one."""
    size, n = rows.form.size, common.size
    vectors = np.zeros((size, n))
    np.add.at(vectors, (common, np.arange(n)), m - 1.0)
    np.add.at(vectors, (odd, np.arange(n)), 1.0)
    return Rows(rows.form, vectors, np.full(n, float(m)), np.ones(n))


def _by_rater(rows: Rows, common: Any, odd: Any, m: int, n_raters: int) -> Rows:
    """Return the same with each of the raters as the one who differs, where somebody does."""
    k = rows.form.size
    alike, differ = common[:k], np.repeat(np.arange(common.size - k), n_raters)
    who = np.concatenate([np.zeros(k, np.intp), np.tile(np.arange(n_raters), common.size - k)])
    common = np.concatenate([alike, common[k:][differ]])
    odd = np.concatenate([alike, odd[k:][differ]])
    made = _made(rows, common, odd, m)
    n = common.size
    by_rater = np.zeros((n_raters, k, n))
    by_rater[:, common, np.arange(n)] = 1.0
    by_rater[who, common, np.arange(n)] = 0.0
    by_rater[who, odd, np.arange(n)] = 1.0
    present = float(rows.ratings @ rows.multiplicity) / (n_raters * float(rows.multiplicity.sum()))
    by_rater = (by_rater * present).reshape(n_raters * k, n)
    return Rows(made.form, made.vectors, made.ratings, made.multiplicity, by_rater)


def _spread(shapes: Floats, k: int, n_raters: int) -> Floats:
    return np.concatenate([shapes[:k], np.repeat(shapes[k:] / n_raters, n_raters)])


def _dense_rows(rows: Rows) -> Rows:
    return Rows(
        rows.form, dense(rows.vectors), rows.ratings, rows.multiplicity,
        None if rows.by_rater is None else dense(rows.by_rater), rows.pairs_of_raters,
    )  # fmt: skip


def limits_of(draws: Floats, level: float) -> tuple[float, float]:
    """Return the equal-tailed limits: order statistics as far from either end."""
    known = np.sort(draws[np.isfinite(draws)])
    if known.size == 0:
        return float("nan"), float("nan")
    rank = max(1, math.floor((known.size + 1) * (1.0 - level) / 2.0 + 1e-9))
    return float(known[rank - 1]), float(known[-rank])


def p_value_of(draws: Floats, null: float, alternative: str = "two-sided") -> float:
    """Return the p-value that is dual to the limits: twice the smaller tail beyond the null."""
    known = draws[np.isfinite(draws)]
    if known.size == 0:
        return float("nan")
    below, above = 1 + int((known <= null).sum()), 1 + int((known >= null).sum())
    tails = {"greater": below, "less": above}
    beyond = tails.get(alternative, 2 * min(below, above))
    return min(1.0, beyond / (known.size + 1))
