"""The likelihood of a latent trait, its exact gradient and its maximum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.latent.models._em import expect, expected_counts
from consilience.latent.models._sparse_ratings import Votes

MOST_PARAMETERS = 400  # up to which standard errors are made
STEEP = 15.0  # slope at which a rater's threshold is taken to be sharp


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

    @classmethod
    def of(cls, votes: Votes, link: str, n_nodes: int) -> Model:
        z, weight = np.polynomial.hermite_e.hermegauss(n_nodes)
        totals = votes.totals()
        used = tuple(np.flatnonzero(row > 0) for row in totals)
        return cls(votes, link, z, np.log(weight / weight.sum()), used)

    @property
    def sizes(self) -> list[int]:
        """Parameters of each rater: a slope and the intercepts; none for a constant rater."""
        return [labels.size if labels.size > 1 else 0 for labels in self.used]

    def _above(self, x: Floats) -> tuple[Floats, Floats]:
        """Return F(x) and its derivative."""
        if self.link == "logit":
            from scipy.special import expit

            value = expit(x)
            return value, value * (1.0 - value)
        from scipy.special import ndtr

        return ndtr(x), np.exp(-0.5 * x**2) / math.sqrt(2.0 * math.pi)

    def _rater(self, own: Floats, q: int) -> tuple[Floats, Floats]:
        """Return chances (labels used × nodes) and their derivatives (parameters first).

        The graded response model of Samejima 1969.
        """
        steps = np.exp(np.clip(own[2:], -30.0, 30.0))
        cut = own[1] + np.concatenate([[0.0], np.cumsum(steps)])
        above, slope = self._above(own[0] * self.z - cut[:, None])
        ends = np.zeros((1, self.z.size))
        chance = np.concatenate([1.0 + ends, above]) - np.concatenate([above, ends])
        # d above_k / d parameter: z for the slope, -1 for the first cut, -step for later ones.
        move = np.zeros((q, q - 1, self.z.size))
        move[0] = slope * self.z
        move[1] = -slope
        for k in range(q - 2):
            move[2 + k, k + 1 :] = -slope[k + 1 :] * steps[k]
        none = np.zeros((q, 1, self.z.size))
        change = np.concatenate([none, move], axis=1) - np.concatenate([move, none], axis=1)
        return chance, change

    def _tables(self, theta: Floats) -> tuple[Floats, list[Floats | None]]:
        """Return log chances ((rater · label) × nodes) and derivatives of the log chances."""
        n_labels = self.votes.n_labels
        logs = np.zeros((self.votes.n_raters * n_labels, self.z.size))
        changes: list[Floats | None] = []
        start = 0
        for g, (labels, size) in enumerate(zip(self.used, self.sizes, strict=True)):
            if not size:
                changes.append(None)
                continue
            chance, change = self._rater(theta[start : start + size], size)
            safe = np.maximum(chance, 1e-300)
            logs[g * n_labels + labels] = np.log(safe)
            changes.append(change / np.maximum(chance, 1e-12))
            start += size
        return logs, changes

    def posterior(self, theta: Floats) -> tuple[Floats, float]:
        """Return the posterior over the nodes (rows × nodes) and the log-likelihood."""
        logs, _ = self._tables(theta)
        post, value = expect(self.votes, self.log_weight, logs)
        return post, value

    def objective(self, theta: Floats) -> tuple[float, Floats]:
        """Return minus the log-likelihood and its gradient, per item."""
        logs, changes = self._tables(theta)
        post, value = expect(self.votes, self.log_weight, logs)
        counts, _ = expected_counts(self.votes, post)
        n_labels, scale = self.votes.n_labels, 1.0 / max(self.votes.n_rated, 1)
        gradient = [
            np.einsum("dlk,lk->d", change, counts[g * n_labels + self.used[g]])
            for g, change in enumerate(changes)
            if change is not None
        ]
        return -value * scale, -np.concatenate(gradient) * scale

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

    def fit(self, max_iterations: int) -> tuple[Floats, bool, int]:
        """Maximise the likelihood; slopes beyond any data are kept finite."""
        from scipy.optimize import minimize

        bounds: list[tuple[float | None, float | None]] = []
        for size in self.sizes:
            if size:
                bounds += [(-STEEP, STEEP), (None, None), *([(-15.0, 15.0)] * (size - 2))]
        found = minimize(
            self.objective,
            self.start(),
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": max_iterations, "maxfun": 10**6, "ftol": 1e-13, "gtol": 1e-7},
        )
        return self._upright(found.x), bool(found.success), int(found.nit)

    def _upright(self, theta: Floats) -> Floats:
        """Turn the line such that most raters' labels rise along it."""
        slopes, places, start = [], [], 0
        for size in self.sizes:
            if size:
                slopes.append(theta[start])
                places.append(start)
            start += size
        out = theta.copy()
        if sum(slopes) < 0:
            out[places] *= -1.0
        return out

    def covariance(self, theta: Floats) -> Floats | None:
        """Return the inverse of the observed information, or None where it is singular."""
        if theta.size > MOST_PARAMETERS:
            return None
        width = 1e-5
        hessian = np.empty((theta.size, theta.size))
        for k in range(theta.size):
            shift = np.zeros_like(theta)
            shift[k] = width
            up, down = self.objective(theta + shift)[1], self.objective(theta - shift)[1]
            hessian[k] = (up - down) / (2.0 * width) * self.votes.n_rated
        hessian = (hessian + hessian.T) / 2.0
        spread = np.sqrt(np.maximum(np.diag(hessian), 0.0))
        if (spread <= 0).any():
            return None
        scaled = hessian / np.outer(spread, spread)
        if np.linalg.eigvalsh(scaled)[0] < 1e-5:
            return None
        return np.asarray(np.linalg.inv(scaled) / np.outer(spread, spread))
