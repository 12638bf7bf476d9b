"""The designs of the coverage study: small to large, balanced to skewed, poor to good raters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from consilience.simulate import Simulator, large_sample_value

MOST_SKEWED = {
    2: (0.9, 0.1),
    3: (0.8, 0.15, 0.05),
    4: (0.7, 0.18, 0.08, 0.04),
    5: (0.6, 0.2, 0.1, 0.06, 0.04),
}
MODELS = ("shared", "own")
VALIDATION_SEED = 20
_EVERY = 6  # one in so many cells of the full grid


@dataclass(frozen=True)
class Design:
    """One cell of the study.

    `skew` is 0 where all labels are equally common, and 1 at `MOST_SKEWED`. In the model "shared"
    a share `agreement` of the items is plain to all raters and labels are drawn at random on the
    others. In the model "own" each rater knows an item with a chance of her own, near the root of
    `agreement`, and else guesses with a bias of her own; `number` fixes who the raters are.
    """

    n_items: int
    n_raters: int
    n_labels: int
    skew: float
    agreement: float
    missing: float
    model: str = "shared"
    number: int = 0

    def simulator(self) -> Simulator:
        if self.model == "shared":
            raters = {"agreement": self.agreement}
        else:
            raters = {"accuracy": self._raters[0].tolist(), "bias": self._raters[1].tolist()}
        return Simulator(
            n_items=self.n_items,
            n_raters=self.n_raters,
            categories=self.n_labels,
            prevalence=self.shares.tolist(),
            missing=self.missing,
            **raters,
        )

    @property
    def shares(self) -> NDArray[np.float64]:
        """How common the true labels are."""
        most = np.array(MOST_SKEWED[self.n_labels])
        return self.skew * most + (1.0 - self.skew) / self.n_labels

    @cached_property
    def _raters(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How often each rater knows the label, and what she guesses otherwise."""
        rng = np.random.default_rng([VALIDATION_SEED, self.number])
        known = self.agreement**0.5 + rng.uniform(-0.1, 0.1, self.n_raters)
        guess = self.shares * np.exp(0.5 * rng.standard_normal((self.n_raters, self.n_labels)))
        return np.clip(known, 0.05, 0.99), guess / guess.sum(axis=1, keepdims=True)

    def true_value(self, coefficient: str) -> float:
        """Return the coefficient's value in an infinite sample.

        Ratings are missing at random, so every pair of raters counts alike in it.
        """
        if self.model == "shared":
            return large_sample_value(self.simulator(), coefficient, rng=0)
        known, guess = self._raters
        given = known[:, None, None] * np.eye(self.n_labels)
        given = given + (1.0 - known)[:, None, None] * guess[:, None, :]  # rater, truth, label
        p_rk = np.einsum("t,rtk->rk", self.shares, given)
        pairs = list(combinations(range(self.n_raters), 2))
        observed = np.mean(
            [np.einsum("t,tk,tk->", self.shares, given[r], given[s]) for r, s in pairs]
        )
        p_k = p_rk.mean(axis=0)
        expected = {
            "krippendorff_alpha": float(p_k @ p_k),
            "cohen_kappa": float(np.mean([p_rk[r] @ p_rk[s] for r, s in pairs])),
            "gwet_ac": float(p_k @ (1.0 - p_k)) / (self.n_labels - 1),
        }[coefficient]
        return (float(observed) - expected) / (1.0 - expected)


def tuning_designs() -> list[Design]:
    """Return the designs that rules were made on: every sixth cell of a full grid of 960."""
    grid = product(
        (20, 50, 100, 300, 1000),
        (2, 3, 5, 10),
        (2, 3, 5),
        (0.0, 1.0),
        (0.2, 0.5, 0.8, 0.95),
        (0.0, 0.3),
    )
    # A step that shares no factor with the grid's axes visits all of their values.
    cells = list(grid)
    return [Design(*cells[(k * 7 * _EVERY + k) % len(cells)]) for k in range(len(cells) // _EVERY)]


def validation_designs(n_designs: int = 200, *, seed: int = VALIDATION_SEED) -> list[Design]:
    """Draw designs that no rule was made on: items and raters on a log scale, all else evenly."""
    rng = np.random.default_rng(seed)

    def log_uniform(low: float, high: float) -> int:
        return round(float(np.exp(rng.uniform(np.log(low), np.log(high)))))

    return [
        Design(
            n_items=log_uniform(20, 1000),
            n_raters=log_uniform(1.5, 10.49),
            n_labels=int(rng.integers(2, 6)),
            skew=round(float(rng.uniform()), 2),
            agreement=round(float(rng.uniform(0.2, 0.95)), 2),
            missing=round(float(rng.uniform(0.0, 0.3)), 2) if rng.uniform() < 0.7 else 0.0,
            model=MODELS[number % 2],
            number=number,
        )
        for number in range(n_designs)
    ]


def few_designs() -> list[Design]:
    """Return the designs of the short version that runs in the tests."""
    return [
        Design(50, 2, 2, 0.0, 0.5, 0.0),
        Design(100, 2, 2, 1.0, 0.5, 0.0),
        Design(50, 3, 3, 0.0, 0.8, 0.0),
        Design(100, 3, 3, 1.0, 0.5, 0.3),
        Design(100, 5, 5, 0.0, 0.2, 0.3),
        Design(300, 5, 2, 1.0, 0.8, 0.0),
        Design(80, 4, 3, 0.5, 0.6, 0.1, "own"),
    ]
