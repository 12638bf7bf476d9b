"""A latent trait: items lie on a line, and each rater cuts the line at thresholds of her own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.result import Several
from consilience.core.words import interval_head
from consilience.document import Document, Finding, Range, Table
from consilience.document.blocks import found
from consilience.document.records import Recorded
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.intervals import check_confidence_level
from consilience.latent._em import Flags, expect, expected_counts, lost, settle
from consilience.latent._truth import Criteria, check_count, common_findings
from consilience.latent.model_registry import LATENT_MODELS, LatentModel
from consilience.latent.votes import Votes, votes_of
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items

# ---- likelihood, gradient, maximum

MOST_PARAMETERS = 400  # up to which standard errors are made
STEEP = 15.0  # slope at which a rater's threshold is taken to be sharp
VAGUE = 3.0  # standard deviation of the prior that chooses among places that fit equally well
_UNTOLD = 1e-5  # smallest eigenvalue of the scaled information: many places fit equally well
_MOST_STEPS = 60  # of Newton's method from the prior's place to the highest likelihood
_NEAR = 1e-9  # gain of the log-likelihood below which the last step is left to the end


@dataclass(frozen=True)
class Place:
    """Where a search ended."""

    theta: Floats
    converged: bool
    told: bool  # by the ratings alone; else a vague prior chose among many places


@dataclass(frozen=True)
class Model:
    """The likelihood of slopes and intercepts.

    Rater g has a slope and, for each label she used but the lowest, an intercept c_gk = a_g b_gk.
    Intercepts rise: the first is free, the others are steps exp(t). `used` lists the labels that
    each rater used.
    """

    votes: Votes
    link: str
    z: Floats
    log_weight: Floats
    used: tuple[np.ndarray[Any, np.dtype[np.intp]], ...]
    precision: float = 0.0  # of a normal prior around 0 on every parameter

    @classmethod
    def of(cls, votes: Votes, link: str, n_nodes: int) -> Model:
        """Return the model of some votes, integrated over so many nodes."""
        z, weight = np.polynomial.hermite_e.hermegauss(n_nodes)
        totals = votes.totals()
        used = tuple(np.flatnonzero(row > 0) for row in totals)
        return cls(votes, link, z, np.log(weight / weight.sum()), used)

    @property
    def sizes(self) -> list[int]:
        """Parameters of each rater: a slope and the intercepts; none for a constant rater."""
        return [labels.size if labels.size > 1 else 0 for labels in self.used]

    def _above(self, x: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return F(x), 1 - F(x) and the first two derivatives of F."""
        if self.link == "logit":
            from scipy.special import expit

            above, below = expit(x), expit(-x)
            return above, below, above * below, above * below * (below - above)
        from scipy.special import ndtr

        slope = np.exp(-0.5 * x**2) / math.sqrt(2.0 * math.pi)
        return ndtr(x), ndtr(-x), slope, -x * slope

    def _rater(self, own: Floats) -> _Chances:
        """Return the chances of one rater's labels (Samejima's graded response model, 1969)."""
        q, steps = own.size, np.exp(np.clip(own[2:], -30.0, 30.0))
        cut = own[1] + np.concatenate([[0.0], np.cumsum(steps)])
        x = own[0] * self.z - cut[:, None]
        above, below, slope, bend = self._above(x)
        # Differences of the smaller tails: those of the larger ones would be rounding.
        middle = np.where(x[1:] > 0.0, below[1:] - below[:-1], above[:-1] - above[1:])
        chance = np.concatenate([below[:1], middle, above[-1:]])
        # d x_k / d parameter: z for the slope, -1 for the first cut, -step for later ones.
        turn = np.zeros((q, q - 1, self.z.size))
        turn[0], turn[1] = self.z, -1.0
        for k in range(q - 2):
            turn[2 + k, k + 1 :] = -steps[k]
        move, none = turn * slope, np.zeros((q, 1, self.z.size))
        change = np.concatenate([none, move], axis=1) - np.concatenate([move, none], axis=1)
        return _Chances(np.maximum(chance, 1e-300), change, turn, slope, bend)

    def _tables(self, theta: Floats) -> tuple[Floats, list[_Chances | None]]:
        """Return log chances ((rater · label) × nodes) and each rater's chances."""
        n_labels = self.votes.n_labels
        logs = np.zeros((self.votes.n_raters * n_labels, self.z.size))
        chances: list[_Chances | None] = []
        start = 0
        for g, (labels, size) in enumerate(zip(self.used, self.sizes, strict=True)):
            if not size:
                chances.append(None)
                continue
            own = self._rater(theta[start : start + size])
            logs[g * n_labels + labels] = np.log(own.chance)
            chances.append(own)
            start += size
        return logs, chances

    def _cells(self, g: int) -> np.ndarray[Any, np.dtype[np.intp]]:
        """Return the cells (rater · label) of the labels that a rater used."""
        return g * self.votes.n_labels + self.used[g]

    def posterior(self, theta: Floats) -> tuple[Floats, float]:
        """Return the posterior over the nodes (rows × nodes) and the log-likelihood."""
        logs, _ = self._tables(theta)
        post, value = expect(self.votes, self.log_weight, logs)
        return post, value

    def objective(self, theta: Floats) -> tuple[float, Floats]:
        """Return minus the log-likelihood and its gradient, per item."""
        logs, chances = self._tables(theta)
        post, value = expect(self.votes, self.log_weight, logs)
        counts, _ = expected_counts(self.votes, post)
        scale = 1.0 / max(self.votes.n_rated, 1)
        gradient = [
            np.einsum("dlk,lk->d", own.change, counts[self._cells(g)] / own.chance)
            for g, own in enumerate(chances)
            if own is not None
        ]
        height = value - 0.5 * self.precision * float(theta @ theta)
        score = np.concatenate(gradient) - self.precision * theta
        return -height * scale, -score * scale

    def _scored(self, theta: Floats) -> Floats:
        """Return where a step of Fisher's scoring leads, places taken as known (Lange 1995)."""
        logs, chances = self._tables(theta)
        counts, _ = expected_counts(self.votes, expect(self.votes, self.log_weight, logs)[0])
        steps, start = [], 0
        for g, own in enumerate(chances):
            if own is None:
                continue
            mine = counts[self._cells(g)]
            gradient = np.einsum("dlk,lk->d", own.change, mine / own.chance)
            weight = mine.sum(axis=0) / own.chance
            known = np.einsum("dlk,elk->de", own.change * weight, own.change)
            known[np.diag_indices(len(known))] *= 1.0 + 1e-9
            known[np.diag_indices(len(known))] += self.precision + 1e-12
            gradient -= self.precision * theta[start : start + len(known)]
            start += len(known)
            steps.append(np.linalg.solve(known, gradient))
        return np.asarray(theta + np.concatenate(steps))

    @cached_property
    def _bounds(self) -> tuple[Floats, Floats]:
        """Return the least and the largest value of each parameter."""
        highest = [[STEEP, np.inf, *([15.0] * (size - 2))] for size in self.sizes if size]
        most = np.concatenate(highest)
        return -most, most

    def start(self) -> Floats:
        """Return slopes of 1 and the cuts that the raters' own shares ask for."""
        from scipy.special import logit, ndtri

        totals = self.votes.totals()
        out = []
        for labels, size, row in zip(self.used, self.sizes, totals, strict=True):
            if not size:
                continue
            share = row[labels] / row[labels].sum()
            above = np.clip(1.0 - np.cumsum(share)[:-1], 1e-6, 1.0 - 1e-6)
            cut = -(logit(above) if self.link == "logit" else ndtri(above)) * 1.3
            steps = np.log(np.maximum(np.diff(cut), 1e-3))
            out.append(np.concatenate([[1.0], cut[:1], steps]))
        return np.concatenate(out)

    def fit(self, max_iterations: int) -> Place:
        """Maximise the likelihood; where many places fit equally well, a vague prior chooses.

        The search begins where the prior puts it: there is one such place, and every search that
        comes near ends in it, so the way from there does not hang on rounding.
        """
        vague = replace(self, precision=VAGUE**-2)
        start, converged = vague._searched(self.start(), max_iterations)
        if not converged:
            return Place(self._upright(start), converged=False, told=True)
        if start.size > MOST_PARAMETERS:
            theta, converged = self._searched(start, max_iterations)
            return Place(self._upright(theta), converged, told=True)
        theta, settled = self._at_rest(self._newton(start))
        told = settled and self._is_told(theta)
        return Place(self._upright(theta if told else start), converged=True, told=told)

    def _searched(self, start: Floats, max_iterations: int) -> tuple[Floats, bool]:
        """Come near by gradients, then go to the end."""
        from scipy.optimize import minimize

        found = minimize(
            self.objective,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=np.stack(self._bounds, axis=1),
            options={"maxiter": max_iterations, "maxfun": 10**6, "ftol": 1e-10, "gtol": 1e-5},
        )
        if found.status == 1:  # the limit; a search that rounding stopped goes on below
            return found.x, False
        theta = found.x if start.size > MOST_PARAMETERS else self._newton(found.x)
        rested, settled = self._at_rest(theta)
        if lost(-self.objective(rested)[0], -self.objective(theta)[0]):
            return theta, False
        return rested, settled

    def _newton(self, theta: Floats) -> Floats:
        """Climb by Newton's steps within a region of trust (Nocedal & Wright 2006, chapter 4)."""
        least, most = self._bounds
        n_rated, reach = max(self.votes.n_rated, 1), 1.0
        value, slope = self.objective(theta)
        for _ in range(_MOST_STEPS):
            outwards = ((theta <= least) & (slope > 0.0)) | ((theta >= most) & (slope < 0.0))
            free = ~outwards
            inverse = self._inverse(theta, free)
            step = np.zeros_like(theta)
            step[free] = -inverse @ slope[free] * n_rated
            if float(-slope @ step) * n_rated < _NEAR:
                return theta
            while reach > 1e-6:
                size = float(np.abs(step).max())
                new = np.clip(theta + step * min(1.0, reach / size), least, most)
                there, next_slope = self.objective(new)
                if there < value:
                    break
                reach /= 4.0
            else:
                return theta
            # A gain close to what the slope promised: trust the region beyond.
            promised = float(slope @ (new - theta))
            reach = min(2.0 * reach, 2.0) if there - value < 0.4 * promised else reach
            theta, value, slope = new, there, next_slope
        return theta

    def _is_told(self, theta: Floats) -> bool:
        """Tell whether the ratings fix all that is not at a bound."""
        least, most = self._bounds
        free = (theta > least) & (theta < most)
        return _inverted(self.information(theta)[np.ix_(free, free)]) is not None

    def _at_rest(self, theta: Floats) -> tuple[Floats, bool]:
        """Go on to where the score is zero, or leads beyond the bounds."""
        least, most = self._bounds
        held = (theta <= least) | (theta >= most)
        released = np.zeros_like(held)
        end = None
        for _ in range(2 * theta.size):
            free, before = ~held, end
            end = settle(self._climb(theta, free), theta[free], self._beyond(free))
            theta = theta.copy()
            theta[free] = end.x
            crossed = (theta < least) | (theta > most)
            theta = np.clip(theta, least, most)
            if crossed.any():
                held |= crossed
                continue
            if not end.settled and (before is None or 2.0 * end.size < before.size):
                continue  # with the information of where it came to
            inwards = held & ~released & (self.objective(theta)[1] * theta > 0.0)
            if not inwards.any():
                return theta, end.settled
            held &= ~inwards
            released |= inwards
        return theta, False

    def _climb(self, theta: Floats, free: Flags) -> Callable[[Floats], Floats]:
        """Return a step of the free parameters that leaves only stationary points in place."""
        whole, n_rated = theta.copy(), max(self.votes.n_rated, 1)
        inverse = None if theta.size > MOST_PARAMETERS else self._inverse(theta, free)

        def climbed(x: Floats) -> Floats:
            whole[free] = x
            if inverse is None:
                return self._scored(whole)[free]
            return np.asarray(x - inverse @ self.objective(whole)[1][free] * n_rated)

        return climbed

    def _inverse(self, theta: Floats, free: Flags) -> Floats:
        """Return the inverse information, made to climb where the likelihood is not a hill."""
        values, axes = np.linalg.eigh(self.information(theta)[np.ix_(free, free)])
        heights = np.maximum(np.abs(values), 1e-9 * np.abs(values).max(initial=1e-300))
        return np.asarray((axes / heights) @ axes.T)

    def _beyond(self, free: Flags) -> Callable[[Floats, Floats], Flags]:
        least, most = (ends[free] for ends in self._bounds)
        return lambda x, step: (x < least) | (x > most)

    def _upright(self, theta: Floats) -> Floats:
        """Turn the line such that most raters' labels rise along it."""
        slopes, places, start = [], [], 0
        for size in self.sizes:
            if size:
                slopes.append(theta[start])
                places.append(start)
            start += size
        out = theta.copy()
        if sum(slopes) < -1e-9:
            out[places] *= -1.0
        return out

    def covariance(self, theta: Floats) -> Floats | None:
        """Return the inverse of the observed information, or None where it is singular."""
        if theta.size > MOST_PARAMETERS:
            return None
        return _inverted(self.information(theta))

    def information(self, theta: Floats) -> Floats:
        """Return the observed information (Louis 1982), parameters × parameters."""
        logs, chances = self._tables(theta)
        post, _ = expect(self.votes, self.log_weight, logs)
        counts, _ = expected_counts(self.votes, post)
        size, n_cells = theta.size, len(logs)
        whole = np.zeros((size, size))
        slopes = np.zeros((self.z.size, n_cells, size))  # of the log chances
        start = 0
        for g, own in enumerate(chances):
            if own is None:
                continue
            mine = slice(start, start + len(own.change))
            whole[mine, mine] = own.known(counts[self._cells(g)])
            by_cell = (own.change / own.chance).transpose(2, 1, 0)
            slopes[:, self._cells(g), mine] = by_cell
            start = mine.stop
        # What is lost by not knowing the places: the spread of each item's score over them.
        mean = np.zeros((self.votes.n_rows, size))
        for k, by_cell in enumerate(slopes):
            score = np.asarray(self.votes.counts @ by_cell)
            weight = post[:, k : k + 1]
            mean += weight * score
            whole -= score.T @ (weight * self.votes.multiplicity[:, None] * score)
        whole += mean.T @ (self.votes.multiplicity[:, None] * mean)
        whole[np.diag_indices(size)] += self.precision
        return (whole + whole.T) / 2.0


def _inverted(information: Floats) -> Floats | None:
    """Return the inverse, or None where the information has none that means anything."""
    spread = np.sqrt(np.maximum(np.diag(information), 0.0))
    if (spread <= 0).any():
        return None
    scaled = information / np.outer(spread, spread)
    if scaled.size and np.linalg.eigvalsh(scaled)[0] < _UNTOLD:
        return None
    return np.asarray(np.linalg.inv(scaled) / np.outer(spread, spread))


@dataclass(frozen=True)
class _Chances:
    """One rater's chances (labels used × nodes), and how they move with her parameters."""

    chance: Floats
    change: Floats  # parameters × labels × nodes
    turn: Floats  # of a z - cut: parameters × cuts × nodes
    slope: Floats  # of F there
    bend: Floats

    def known(self, counts: Floats) -> Floats:
        """Return minus the second derivative of sum counts · log chance."""
        ratio = counts / self.chance
        score = self.change / self.chance
        out = np.einsum("dlk,elk->de", score * counts, score)
        above = ratio[1:] - ratio[:-1]
        out -= np.einsum("dlk,elk->de", self.turn * (above * self.bend), self.turn)
        # The later cuts are steps exp(t): their second derivative is the first one.
        curved = np.einsum("dlk,lk->d", self.turn[2:], above * self.slope)
        out[np.arange(2, len(out)), np.arange(2, len(out))] -= curved
        return np.asarray(out)


LINKS = ("logit", "probit")
FEWEST_NODES = 21
_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterTrait(Recorded):
    """One rater's place on the line.

    Attributes
    ----------
    rater : name
    n_ratings : int
    slope : float
        How much the trait counts for her: 0 for ratings that have nothing to do with it.
    slope_standard_error, slope_low, slope_high : float
    thresholds : tuple of float
        Where on the line each next label becomes as likely as not; NaN if she never used it.
    threshold_standard_errors : tuple of float
    """

    rater: object
    n_ratings: int
    slope: float
    slope_standard_error: float
    slope_low: float
    slope_high: float
    thresholds: tuple[float, ...]
    threshold_standard_errors: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class LatentTrait(Criteria, Recorded, Several):
    """Items on a line, with each rater's thresholds and slope.

    Attributes
    ----------
    items, categories : names of the items and the labels
    scores : array
        Each item's place on the line, mean 0 and variance 1 over all items; NaN if unrated.
    score_standard_errors : array
    raters : tuple of RaterTrait
    link : {"logit", "probit"}
    log_likelihood : float
    n_parameters, n_nodes : int
    converged : bool
    reliability : float
        Share of the variance of the scores that is not error.
    findings : tuple of Finding
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("scores", "score_standard_errors")
    recorded: ClassVar[tuple[str, ...]] = ("aic", "bic", "reliability", "n_items")

    items: Sequence[object] = field(repr=False)
    categories: tuple[object, ...]
    scores: Floats = field(repr=False)
    score_standard_errors: Floats = field(repr=False)
    raters: tuple[RaterTrait, ...] = field(repr=False)
    link: str
    log_likelihood: float
    n_parameters: int
    n_nodes: int
    n_ratings: int
    converged: bool
    confidence_level: float
    findings: tuple[Finding, ...] = field(default=(), repr=False)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.scores.size)

    @property
    def n_rated(self) -> int:
        """Number of items that somebody rated."""
        return int(np.count_nonzero(~np.isnan(self.scores)))

    @property
    def reliability(self) -> float:
        """Share of the variance of the scores that is not error."""
        known = ~np.isnan(self.scores)
        error = float((self.score_standard_errors[known] ** 2).mean())
        spread = float(self.scores[known].var())
        return spread / (spread + error) if spread + error > 0 else math.nan

    def _beside(self) -> Mapping[str, Any]:
        columns = (self.items, self.scores.tolist(), self.score_standard_errors.tolist())
        keys = ("item", "score", "standard_error")
        return {"items": [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]}

    def document(self) -> Document:
        """Return the result as something to read."""
        left = len(self.raters) - _MOST_SHOWN
        table = Table.of(
            self.raters[:_MOST_SHOWN],
            "rater!s",
            "ratings: n_ratings",
            "slope",
            (
                interval_head(self.confidence_level),
                lambda one: Range(one.slope_low, one.slope_high),
            ),
            *((f"to {name}", f"thresholds.{k}") for k, name in enumerate(self.categories[1:])),
            caption="Slopes, and the thresholds at which raters go on to the next label",
            note=f"{left:,} more raters are not shown." if left > 0 else "",
        )
        text = (
            f"The reliability of the scores is {self.reliability:.3f}; the log-likelihood is "
            f"{self.log_likelihood:.3f}, AIC {self.aic:.3f}, BIC {self.bic:.3f}."
        )
        title = f"Latent trait, {self.link}"
        return Document.of(text, table, title=title, findings=self.findings)


def latent_trait(
    ratings: Ratings,
    *,
    link: str = "logit",
    n_nodes: int = 41,
    max_iterations: int = 1000,
    confidence_level: float = 0.95,
) -> LatentTrait:
    """Place items on a line and find each rater's thresholds and slope.

    Use it for ordered labels, or two, when items differ by degree and raters in where they draw the
    line. Prefer `latent_classes` or `dawid_skene` when items are of different kinds.

    Parameters
    ----------
    ratings : Ratings
        Two categories, or more on an ordinal scale; missing ratings are ignored, repeated ones
        count.
    link : {"logit", "probit"}
    n_nodes : int
        Nodes of the Gauss-Hermite rule, at least 21.
    max_iterations : int
    confidence_level : float

    Returns
    -------
    LatentTrait
        `scores` of the items and `raters` with slopes and thresholds.

    Raises
    ------
    UnsupportedDesignError
        More than two labels without an order, counts without raters, one rater, one label.

    Notes
    -----
    With z the place of an item, standard normal, the graded response model [1]_ says
    P(label of rater g is k or higher) = F(a_g (z - b_gk)),                                      (1)
    F logistic or normal. The likelihood is integrated over z by Gauss-Hermite quadrature and
    maximised with its exact gradient; a slope that grows without end is stopped at 15. With two
    raters, or few ratings of each, many solutions fit equally well: then a vague prior chooses,
    normal around 0 with standard deviation 3 on the slope, the lowest cut a_g b_g1 and the logs of
    the steps between cuts, there are no standard errors, and a finding says so.

    References
    ----------
    .. [1] Samejima, F. (1969). Estimation of latent ability using a response pattern of graded
       scores. Psychometrika Monograph 17.
    .. [2] Uebersax, J. S. (1993). Statistical modeling of expert ratings on medical treatment
       appropriateness. Journal of the American Statistical Association 88, 421-427.

    Examples
    --------
    >>> import consilience as cs
    >>> study = cs.simulate(n_items=800, n_raters=4, categories=3, scale="ordinal",
    ...                     noise=[0.3, 0.3, 0.6, 1.2], rng=4)
    >>> found = latent_trait(study.ratings, link="probit")
    >>> slopes = [one.slope for one in found.raters]
    >>> slopes[2] > slopes[3]
    True
    """
    if link not in LINKS:
        raise InputError.unknown_word("link", link, LINKS)
    n_nodes = check_count("n_nodes", n_nodes, least=FEWEST_NODES)
    max_iterations = check_count("max_iterations", max_iterations)
    confidence_level = check_confidence_level(confidence_level)
    votes = votes_of("latent_trait", ratings)
    need_independent_items(
        "latent_trait", ratings.clusters, instead="dawid_skene has limits that allow for them"
    )
    if votes.n_labels > 2 and not ratings.ordered:
        raise UnsupportedDesignError.needs(
            "latent_trait",
            "two labels, or labels in order",
            f"{votes.n_labels} labels on a {ratings.scale} scale",
            'pass scale="ordinal" with categories in order, or use dawid_skene',
        )
    model = Model.of(votes, link, n_nodes)
    if not any(model.sizes):
        raise UnsupportedDesignError.needs(
            "latent_trait",
            "a rater who used more than one label",
            f"{votes.n_raters} raters who each used a single label",
            "check that raters and items were not mixed up when the ratings were read",
        )
    return _result(ratings, model, model.fit(max_iterations), max_iterations, confidence_level)


# ---- results


def _rater_trait(
    who: tuple[object, int], own: Floats, cov: Floats | None, shape: tuple[int, Any], reach: float
) -> RaterTrait:
    """Turn slope and cuts into slope and thresholds, with delta-method errors."""
    n_labels, labels = shape
    thresholds, errors = (np.full(n_labels - 1, np.nan) for _ in range(2))
    slope = error = math.nan
    if own.size:
        slope, steps = float(own[0]), np.exp(own[2:])
        cut = own[1] + np.concatenate([[0.0], np.cumsum(steps)])
        gradient = np.zeros((cut.size, own.size))
        gradient[:, 1] = 1.0
        for k in range(steps.size):
            gradient[k + 1 :, 2 + k] = steps[k]
        place = labels[1:] - 1
        if abs(slope) > 1e-8:
            thresholds[place] = cut / slope
            gradient /= slope
            gradient[:, 0] = -cut / slope**2
            if cov is not None:
                spread = np.einsum("kd,de,ke->k", gradient, cov, gradient)
                errors[place] = np.sqrt(np.maximum(spread, 0.0))
        sharp = abs(slope) >= STEEP - 1e-6  # stopped on the way to infinity: no error exists
        error = math.nan if cov is None or sharp else math.sqrt(max(float(cov[0, 0]), 0.0))
    return RaterTrait(
        rater=who[0],
        n_ratings=who[1],
        slope=slope,
        slope_standard_error=error,
        slope_low=slope - reach * error,
        slope_high=slope + reach * error,
        thresholds=tuple(thresholds.tolist()),
        threshold_standard_errors=tuple(errors.tolist()),
    )


def _result(
    ratings: Ratings, model: Model, place: Place, max_iterations: int, level: float
) -> LatentTrait:
    from scipy.special import ndtri

    votes, theta = model.votes, place.theta
    post, value = model.posterior(theta)
    cov = model.covariance(theta) if place.told else None
    score = post @ model.z
    spread = np.sqrt(np.maximum(post @ model.z**2 - score**2, 0.0))
    given = votes.totals().sum(axis=1)
    reach = float(ndtri(0.5 + level / 2.0))
    traits, start = [], 0
    for g, (name, size) in enumerate(zip(ratings.raters, model.sizes, strict=True)):
        mine = slice(start, start + size)
        own_cov = None if cov is None else cov[mine, mine]
        shape = (votes.n_labels, model.used[g])
        who = (name, round(float(given[g])))
        traits.append(_rater_trait(who, theta[mine], own_cov, shape, reach))
        start += size
    findings = common_findings(
        ratings, votes, converged=place.converged, max_iterations=max_iterations
    )
    return LatentTrait(
        items=ratings.items,
        categories=ratings.categories,
        scores=votes.of_items(score),
        score_standard_errors=votes.of_items(spread),
        raters=tuple(traits),
        link=model.link,
        log_likelihood=value,
        n_parameters=int(theta.size),
        n_nodes=int(model.z.size),
        n_ratings=round(float(given.sum())),
        converged=place.converged,
        confidence_level=level,
        findings=findings + _findings(traits, cov, place),
    )


def _findings(traits: list[RaterTrait], cov: Floats | None, place: Place) -> tuple[Finding, ...]:
    why = "the ratings do not fix the estimates"
    if place.theta.size > MOST_PARAMETERS:
        why = f"there are more than {MOST_PARAMETERS} parameters"
    elif place.told:
        why = "the likelihood is no hill around the estimates"
    sharp = [str(one.rater) for one in traits if abs(one.slope) >= STEEP - 1e-6]
    turned = [str(one.rater) for one in traits if one.slope_high < 0]
    constant = [str(one.rater) for one in traits if math.isnan(one.slope)]
    return found(
        (
            not place.told,
            "many_solutions",
            "caution",
            "Many slopes and thresholds fit these ratings equally well. Those shown are the "
            "most likely ones if the slope and each other parameter of a rater are normal "
            f"beforehand, with mean 0 and standard deviation {VAGUE:g}; the log-likelihood, "
            "AIC and BIC are theirs. Add a rater or items.",
        ),
        (cov is None, "no_standard_errors", "caution", f"No standard errors: {why}."),
        (
            sharp,
            "sharp_threshold",
            "caution",
            f"{', '.join(sharp[:3])}: the slope grew without end and was stopped at "
            f"{STEEP:g}; this rater's labels follow the line without error.",
        ),
        (
            turned,
            "reversed_rater",
            "problem",
            f"{', '.join(turned[:3])}: rates against the others; ask whether the scale was "
            "turned round.",
        ),
        (
            constant,
            "constant_rater",
            "info",
            f"{', '.join(constant[:3])}: used one label only and says nothing about the items.",
        ),
    )


LATENT_MODELS.add(
    LatentModel("latent-trait", "items differ by degree", ("confidence_level",), latent_trait)
)
