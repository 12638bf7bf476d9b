"""What Dawid & Skene's model found."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from consilience.core.arrays import Floats
from consilience.document import Block, Finding, Table, found
from consilience.latent.models._em import ClassFit
from consilience.latent.models._sparse_ratings import Votes
from consilience.latent.models._truth_model import (
    RaterQuality,
    Truth,
    labels_named,
)
from consilience.ratings import Ratings

_MOST_ROWS = 40
OTHER_MODE = 1e-3  # log-likelihoods that differ by more belong to different solutions
_FLAT = 1.25  # times as wide as errors say: the likelihood is far from a parabola
_NO_ITEM = 0.01  # expected items of a label below which it counts as gone


@dataclass(frozen=True, kw_only=True, eq=False)
class DawidSkene(Truth):
    """The true labels, how common they are, and how each rater errs.

    Attributes
    ----------
    model : {"confusion", "one-coin"}
    prevalence : array
        Share of the items whose true label is each category.
    prevalence_standard_error, prevalence_interval : arrays; the interval is categories × 2
    error_rates : array, raters × true labels × labels given
        Chance that a rater gives a label, by the true one; NaN for true labels she never met.
    error_rates_standard_error, error_rates_interval : arrays; the interval has low, high last
    expected_ratings : array, raters × true labels
        How many ratings each row of the error rates rests on.
    history : array
        The objective after each iteration: the log-likelihood, with smoothing plus its prior.
    starts : tuple of float
        The log-likelihood reached from each start; the first is from vote shares.
    standard_error_method : str
    """

    recorded: ClassVar[tuple[str, ...]] = ("n_items", "n_parameters", "aic", "bic")

    model: str
    prevalence: Floats
    prevalence_standard_error: Floats = field(repr=False)
    prevalence_interval: Floats = field(repr=False)
    error_rates: Floats = field(repr=False)
    error_rates_standard_error: Floats = field(repr=False)
    error_rates_interval: Floats = field(repr=False)
    expected_ratings: Floats = field(repr=False)
    history: Floats = field(repr=False)
    starts: tuple[float, ...] = field(repr=False)
    smoothing: float
    standard_error_method: str

    @property
    def n_parameters(self) -> int:
        """Free parameters: the shares of the labels, and what is said of each rater who rated."""
        labels = len(self.categories)
        per_rater = 1 if self.model == "one-coin" else labels * (labels - 1)
        return labels - 1 + per_rater * sum(one.n_ratings > 0 for one in self.raters)

    @property
    def aic(self) -> float:
        """Akaike's criterion, -2 log L + 2 p: the lower, the better the model predicts."""
        return -2.0 * self.log_likelihood + 2.0 * self.n_parameters

    @property
    def bic(self) -> float:
        """Schwarz's criterion, -2 log L + p log n over the n items that were rated."""
        n_rated = int(np.count_nonzero(~np.isnan(self.posterior[:, 0])))
        return -2.0 * self.log_likelihood + self.n_parameters * math.log(max(n_rated, 1))

    def error_matrix(self, rater: object) -> Floats:
        """Return one rater's error rates: rows are true labels, columns labels given."""
        return np.asarray(self.error_rates[self._place_of_rater(rater)])

    @property
    def _title(self) -> str:
        """What the model is called."""
        return "Dawid-Skene model" + (", one coin per rater" if self.model == "one-coin" else "")

    def _blocks(self) -> list[Block]:
        """Return how common the labels are, the raters and their errors."""
        blocks: list[Block] = [
            self._share_table(
                ("true label",),
                [(name,) for name in self.categories],
                self.prevalence,
                self.prevalence_interval,
                caption="How common",
            ),
            self._rater_table(),
        ]
        if self.model == "confusion" and self.error_rates[..., 0].size <= _MOST_ROWS:
            blocks.append(self._error_table())
        return blocks

    def _error_table(self) -> Table:
        lines = [
            (one.rater, true, rates)
            for one, table in zip(self.raters, self.error_rates, strict=True)
            for true, rates in zip(self.categories, table.tolist(), strict=True)
        ]
        return Table.of(
            lines,
            "rater: 0!s",
            "true label: 1!s",
            *((f"says {name}", f"2.{k}") for k, name in enumerate(self.categories)),
            caption="What raters say, by the true label",
            detail=True,
        )


def findings_of(
    ratings: Ratings, votes: Votes, fit: ClassFit, starts: tuple[float, ...], *, singular: bool
) -> tuple[Finding, ...]:
    """Say what to know before the labels are used."""
    used = votes.totals().sum(axis=0) > 0
    gone = np.flatnonzero(used & (fit.step.share_j * votes.n_rated < _NO_ITEM))
    return found(
        (
            gone.size,
            "vanished_labels",
            "caution",
            f"Raters used {labels_named(ratings, gone)}, and yet the model gives it to no item: it "
            "takes every such rating for an error. Look at these items before the labels are used.",
        ),
        (
            singular,
            "not_identified",
            "problem",
            "These ratings fit many different error rates equally well, so the labels rest on "
            "the starting point. Let at least three raters rate the same items, or use "
            'model="one-coin".',
        ),
        (
            max(starts) - min(starts) > OTHER_MODE,
            "several_modes",
            "caution",
            f"The starts ended at log-likelihoods from {min(starts):.3f} to {max(starts):.3f} "
            f"(vote shares: {starts[0]:.3f}); the classes of the highest need not be the "
            "labels. Compare with n_starts=1 before using it.",
        ),
        (
            votes.n_repeats,
            "repeated_ratings",
            "info",
            f"{votes.n_repeats:,} repeated ratings of the same item by the same rater count "
            "as separate ratings.",
        ),
    )


def findings_of_raters(
    raters: tuple[RaterQuality, ...], n_labels: int, wald: Floats, profiled: Floats | None
) -> tuple[Finding, ...]:
    """Say where limits are wider than errors tell, and who is right less often than by guessing.

    Errors come from the curvature of the likelihood: where it is flat they are too small.
    """
    flat = profiled is not None and bool(
        (np.diff(profiled, axis=-1) > _FLAT * np.diff(wald, axis=-1)).any()
    )
    worse = [str(one.rater) for one in raters if one.high < 1.0 / n_labels]
    return found(
        (
            flat,
            "hardly_identified",
            "caution",
            "These ratings tell little about how common each label is and which errors raters "
            "make. The limits of shares and rates allow for that; standard errors and the limits "
            "of the raters' accuracies are too small. Have more items rated, or by more raters.",
        ),
        (
            worse,
            "below_chance",
            "problem",
            f"{', '.join(worse[:3])}{' and others' if len(worse) > 3 else ''}: right less often "
            "than by guessing; ask whether the labels were mixed up.",
        ),
    )


def outnumbered(votes: Votes, *, one_coin: bool) -> bool:
    """Say whether there are more rates to find than patterns of ratings to find them from."""
    q, raters = votes.n_labels, votes.n_raters
    rates = raters if one_coin else raters * q * (q - 1)
    few = raters * math.log(q) < 40.0  # beyond, there are patterns enough
    return not votes.n_repeats and few and q - 1 + rates > q**raters - 1
