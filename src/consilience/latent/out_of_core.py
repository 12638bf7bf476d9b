"""Dawid-Skene, one-coin and MACE for ratings that are too many to hold.

Each iteration is one pass over the ratings where they lie; only tables of raters come back. The
steps are those of the models in memory, so that rates and posteriors are the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.words import counted
from consilience.document import Document, Finding, Paragraph, Table
from consilience.document.blocks import found
from consilience.document.records import Recorded
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.latent._crowds import MaceSteps
from consilience.latent._em import (
    ClassFit,
    ConfusionStep,
    Maximise,
    OneCoinStep,
    expect,
    expected_counts,
    logarithm,
    rested,
    stands_still,
)
from consilience.latent._truth import RaterQuality, rater_qualities
from consilience.latent.votes import Votes

ELSEWHERE = ("dawid-skene", "one-coin", "mace")
_MOST_RATES = 400_000_000  # raters × labels × labels: 3 GB
_SHOWN = 20

Parts = Callable[[], Iterator[tuple[Ints, Ints, Ints]]]


class VotesElsewhere(Protocol):
    """Ratings too many to hold: each pass over them gives back only tables of raters."""

    @property
    def n_raters(self) -> int:
        """Number of raters."""

    @property
    def n_labels(self) -> int:
        """Number of labels."""

    def started(self) -> tuple[Floats, Floats]:
        """Return expected counts, where the posterior of an item is its vote shares."""

    def passed(self, log_share_j: Floats, log_rate_cj: Floats) -> tuple[Floats, Floats, float]:
        """Return expected counts by (rater · label) and class, class totals, log-likelihood."""


@dataclass(frozen=True)
class VotesInParts:
    """Ratings that come a part at a time: items, where each begins, and cells (rater · label)."""

    parts: Parts
    n_raters: int
    n_labels: int

    def votes(self) -> Iterator[tuple[Ints, Votes]]:
        """Yield items and their votes."""
        from scipy.sparse import csr_array

        n_cells = self.n_raters * self.n_labels
        for item, begin, cell in self.parts():
            one = np.ones(cell.size)
            counts = csr_array((one, cell, begin), shape=(item.size, n_cells))
            yield (
                item,
                Votes(counts, np.ones(item.size), None, item.size, self.n_raters, self.n_labels),
            )

    def started(self) -> tuple[Floats, Floats]:
        """Return expected counts, where the posterior of an item is its vote shares."""
        counts, totals, _ = self._summed(lambda votes: (votes.shares(), 0.0))
        return counts, totals

    def passed(self, log_share_j: Floats, log_rate_cj: Floats) -> tuple[Floats, Floats, float]:
        """Return expected counts by (rater · label) and class, class totals, log-likelihood."""
        return self._summed(lambda votes: expect(votes, log_share_j, log_rate_cj))

    def _summed(
        self, believed: Callable[[Votes], tuple[Floats, float]]
    ) -> tuple[Floats, Floats, float]:
        counts = np.zeros((self.n_raters * self.n_labels, self.n_labels))
        totals, value = np.zeros(self.n_labels), 0.0
        for _, votes in self.votes():
            posterior, added = believed(votes)
            more, many = expected_counts(votes, posterior)
            counts += more
            totals += many
            value += added
        return counts, totals, value

    def beliefs(self, fit: ClassFit) -> Iterator[tuple[Ints, Floats]]:
        """Yield items and their posteriors, a part at a time."""
        for item, votes in self.votes():
            yield item, expect(votes, *fit.step.logs)[0]


@dataclass(frozen=True, kw_only=True, eq=False)
class TruthElsewhere(Recorded):
    """What a model of the truth says of the raters, where ratings are too many to hold.

    Attributes
    ----------
    model : {"dawid-skene", "one-coin", "mace"}
    categories : tuple
    raters : tuple of RaterQuality
    prevalence : array
        How common each label is.
    error_rates : array, raters × true labels × labels given
    n_items, n_ratings : int
    log_likelihood : float
    converged : bool
    n_iterations : int
    labels_file : str or None
        Where each item's label and probability were written.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("history", "fit")

    model: str
    categories: tuple[object, ...]
    raters: tuple[RaterQuality, ...] = field(repr=False)
    prevalence: Floats = field(repr=False)
    error_rates: Floats = field(repr=False)
    n_items: int
    n_ratings: int
    log_likelihood: float
    converged: bool
    n_iterations: int
    labels_file: str | None = None
    history: Floats = field(repr=False)
    findings: tuple[Finding, ...] = field(default=(), repr=False)
    fit: ClassFit = field(repr=False)

    def document(self) -> Document:
        """Return the result as something to read: sizes, shares, and the least accurate raters."""
        sizes = (
            f"{counted(self.n_items, 'item')}, {counted(len(self.raters), 'rater')}, "
            f"{counted(self.n_ratings, 'rating')}; {counted(self.n_iterations, 'iteration')}"
        )
        worst = sorted(self.raters, key=lambda one: one.accuracy)[:_SHOWN]
        left = len(self.raters) - len(worst)
        caption = "Raters, the least accurate first" + (f"; {left:,} more" if left else "")
        shares = zip(self.categories, self.prevalence.tolist(), strict=True)
        return Document(
            title=f"{self.model}, fitted where the ratings lie",
            blocks=(
                Paragraph(sizes),
                Table.of(shares, "label: 0!s", "share: 1", caption="How common labels are"),
                Table.of(worst, "rater!s", "ratings: n_ratings", "accuracy", caption=caption),
            ),
            findings=self.findings,
        )


def fit_elsewhere(
    votes: VotesElsewhere,
    *,
    model: str,
    smoothing: float,
    tolerance: float,
    max_iterations: int,
) -> tuple[ClassFit, Any]:
    """Fit a model by passes over the ratings; return where it ended, and the steps of MACE."""
    if model not in ELSEWHERE:
        raise InputError.unknown_word("model", model, ELSEWHERE)
    if votes.n_raters < 2 or votes.n_labels < 2:
        raise UnsupportedDesignError.needs(
            model,
            "at least two raters and two labels",
            f"{votes.n_raters} and {votes.n_labels}",
            "check which columns hold the rater and the label",
        )
    if votes.n_raters * votes.n_labels**2 > _MOST_RATES:
        raise UnsupportedDesignError.needs(
            model,
            f"at most {_MOST_RATES:,} error rates (raters × labels × labels)",
            f"{votes.n_raters:,} raters and {votes.n_labels:,} labels",
            "put labels together that are alike",
        )
    steps: Maximise
    if model == "mace":
        steps = MaceSteps(votes.n_raters, votes.n_labels, "variational", 0.0)
    else:
        maker = ConfusionStep if model == "dawid-skene" else OneCoinStep
        steps = maker(votes.n_raters, votes.n_labels, smoothing)
    return _iterate(votes, steps, tolerance, max_iterations), steps


def _iterate(
    votes: VotesElsewhere, maximise: Maximise, tolerance: float, max_iterations: int
) -> ClassFit:
    """Alternate maximisation here and expectation where the ratings lie; as `iterate` does."""
    history: list[float] = []
    counts, totals = votes.started()
    while True:
        step = maximise(counts, totals)
        counts, totals, value = votes.passed(*step.logs)
        history.append(value + step.log_prior)
        gain = history[-1] - history[-2] if len(history) > 1 else math.inf
        converged = stands_still(gain, history[-1], tolerance)
        if converged or len(history) >= max_iterations:
            fit = ClassFit(step, np.empty((0, totals.size)), value, np.array(history), converged)
            return rested(votes.passed, fit, maximise)


def truth_elsewhere(
    votes: VotesElsewhere,
    fit: ClassFit,
    steps: Any,
    *,
    model: str,
    raters: tuple[object, ...],
    categories: tuple[object, ...],
    sizes: tuple[int, int],
    labels_file: str | None = None,
) -> TruthElsewhere:
    """Say what a fit tells of the raters."""
    counts, totals, value = votes.passed(*fit.step.logs)
    n_g = counts.reshape(votes.n_raters, -1).sum(axis=1)
    share = totals / totals.sum() if model == "mace" else fit.step.share_j
    shape = (votes.n_raters, votes.n_labels, votes.n_labels)
    rate = fit.step.rate_cj.reshape(shape).transpose(0, 2, 1)  # raters × true × given
    details: dict[str, Floats] = {}
    if model == "mace":
        accuracy, rate = steps.accuracy(share), steps.mean_rates()
        details["spamming"] = 1.0 - steps.mean_knows
        # The likelihood of the mean parameters, as in memory.
        plain = rate.transpose(0, 2, 1).reshape(fit.step.rate_cj.shape)
        value = votes.passed(logarithm(fit.step.share_j), logarithm(plain))[2]
    else:
        accuracy = np.einsum("gjj,j->g", rate, share)
    findings = found(
        (
            not fit.converged,
            "not_converged",
            "caution",
            f"The likelihood still rose after {fit.history.size:,} iterations.",
            "Raise max_iterations.",
        )
    )
    return TruthElsewhere(
        model=model,
        categories=categories,
        raters=rater_qualities(raters, n_g, accuracy, **details),
        prevalence=share,
        error_rates=rate,
        n_items=sizes[0],
        n_ratings=sizes[1],
        log_likelihood=value,
        converged=fit.converged,
        n_iterations=fit.history.size,
        labels_file=labels_file,
        history=fit.history,
        findings=findings,
        fit=fit,
    )
