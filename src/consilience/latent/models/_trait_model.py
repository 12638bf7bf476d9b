"""The likelihood of a latent trait, its exact gradient and its maximum."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.latent.models._em import expect, expected_counts, lost
from consilience.latent.models._ending import Flags, settle
from consilience.latent.models._sparse_ratings import Votes

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
