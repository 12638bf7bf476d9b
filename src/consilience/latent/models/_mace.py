"""MACE: raters either know the answer or draw a label from a habit of their own."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.checks import real_number
from consilience.core.draws import RandomStream
from consilience.core.resample import Seed
from consilience.core.words import listed
from consilience.document import Block, Finding, found
from consilience.exceptions import InputError
from consilience.latent.model_registry import LATENT_MODELS, LatentModel
from consilience.latent.models._draw_order import DrawOrder
from consilience.latent.models._em import (
    ClassFit,
    Step,
    VotesElsewhere,
    at_rest,
    expect,
    iterate,
    logarithm,
)
from consilience.latent.models._sparse_ratings import Votes, votes_of
from consilience.latent.models._truth_model import (
    RaterQuality,
    Truth,
    check_count,
    rater_qualities,
    shared_fields,
)
from consilience.ratings import Ratings

METHODS = ("variational", "em")
_BETA = 0.5  # prior of knowing and of spamming (Hovy et al. 2013)
_DIRICHLET = 10.0  # prior of each habit, in ratings over all labels
_SAME = 1e-6  # objectives that differ by less: of two starts the first counts
_SPAMMER = 0.5  # more guesses than this make a spammer


@dataclass(frozen=True, kw_only=True, eq=False)
class Mace(Truth):
    """The true labels, and how often each rater guesses.

    Attributes
    ----------
    method : {"variational", "em"}
    competence : array
        Probability that a rater answers because she knows, 1 - spamming.
    habits : array, raters × labels
        What each rater says when she does not know.
    objective : float
        What was maximised: the evidence bound, or the log-likelihood with its prior.
    starts : tuple of float
        The objective reached from each start.
    history : array
        The objective after each iteration of the best start; it never falls.
    """

    recorded: ClassVar[tuple[str, ...]] = ("n_items", "spammers")

    method: str
    competence: Floats = field(repr=False)
    habits: Floats = field(repr=False)
    objective: float
    starts: tuple[float, ...] = field(repr=False)
    history: Floats = field(repr=False)

    @property
    def spammers(self) -> tuple[object, ...]:
        """Raters who guess more often than they know."""
        return tuple(
            one.rater for one in self.raters if one.details["spamming"] > _SPAMMER and one.n_ratings
        )

    @property
    def _title(self) -> str:
        """What the model is called."""
        return f"MACE, {self.method}"

    def _blocks(self) -> list[Block]:
        """Return the raters."""
        return [self._rater_table(("spamming",))]


def mace(
    ratings: Ratings,
    *,
    method: str = "variational",
    n_starts: int = 10,
    smoothing: float = 0.01,
    tolerance: float = 1e-6,
    max_iterations: int = 500,
    rng: Seed = 0,
) -> Mace:
    """Find true labels and the raters who do not look: spammers.

    Use it for crowds, where the question is whom to trust. Prefer `dawid_skene` when raters confuse
    particular labels with each other rather than guess.

    Parameters
    ----------
    ratings : Ratings
        Any design that says who rated; missing ratings are ignored, repeated ones count.
    method : {"variational", "em"}
        Variational Bayes with Beta(0.5, 0.5) priors of knowing and Dirichlet priors of the habits,
        or expectation-maximisation with `smoothing`.
    n_starts : int
        The first starts from vote shares, the others at random; the highest objective wins.
    smoothing : float
        Only for "em": ratings added to each count, spread over the labels.
    tolerance, max_iterations
        Stop when the objective gains less than this, or after so many iterations.
    rng : seed or numpy Generator

    Returns
    -------
    Mace
        `labels`, `probability`, `posterior`, `raters`, `competence`, `spammers`, ...

    Raises
    ------
    UnsupportedDesignError
        Counts without raters, one rater, one label, or no item with two ratings.

    Notes
    -----
    P(rater g says l | truth j) = (1 - s_g) [l = j] + s_g xi_gl,                                 (1)
    all true labels equally likely beforehand [1]_. The objective never falls.

    References
    ----------
    .. [1] Hovy, D., Berg-Kirkpatrick, T., Vaswani, A. & Hovy, E. (2013). Learning whom to trust
       with MACE. Proceedings of NAACL-HLT 2013, 1120-1130.

    Examples
    --------
    >>> import consilience as cs
    >>> study = cs.simulate(n_items=200, n_raters=5, accuracy=[0.9, 0.9, 0.8, 0.8, 0.0],
    ...                     bias=[0.9, 0.1], rng=1)
    >>> mace(study.ratings).spammers
    (4,)
    """
    if method not in METHODS:
        raise InputError.unknown_word("method", method, METHODS)
    n_starts = check_count("n_starts", n_starts)
    max_iterations = check_count("max_iterations", max_iterations)
    smoothing = real_number("smoothing", smoothing, least=0.0)
    tolerance = real_number("tolerance", tolerance, least=0.0)
    random = RandomStream.of(rng)
    votes = votes_of("mace", ratings)
    order = DrawOrder.of(votes, ratings)
    best: tuple[ClassFit, MaceSteps] | None = None
    reached = []
    for start in range(n_starts):
        guess = votes.shares() if start == 0 else _random_start(votes, random, order)
        steps = MaceSteps(votes, method, smoothing)
        fit = iterate(votes, guess, steps, tolerance=tolerance, max_iterations=max_iterations)
        reached.append(fit.objective)
        if best is None or fit.objective > best[0].objective + _SAME:
            best = fit, steps
    assert best is not None
    fit, steps = best
    fit = at_rest(votes, fit, steps)
    return _result(ratings, votes, fit, steps, tuple(reached))


def _random_start(votes: Votes, random: RandomStream, order: DrawOrder) -> Floats:
    """Return vote shares with every rater's ratings weighed at random: labels stay labels."""
    trust_g = np.empty(votes.n_raters)
    trust_g[order.rater] = random.dirichlet(np.ones(votes.n_raters), 1)[0]
    trust = np.repeat(trust_g, votes.n_labels) + 1e-12
    label = np.tile(np.eye(votes.n_labels), (votes.n_raters, 1))
    share = np.asarray(votes.counts @ (trust[:, None] * label))
    total = share.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(share, total, out=np.zeros_like(share), where=total > 0))


# -------------------------------------------------------------------- the iteration


class MaceSteps:
    """Maximisation from expected counts; remembers the present parameters, on which the split of
    right answers into known and guessed ones depends.
    """

    def __init__(self, votes: Votes | VotesElsewhere, method: str, smoothing: float) -> None:
        self.n_raters, self.n_labels = votes.n_raters, votes.n_labels
        self.method, self.smoothing = method, smoothing
        # Weights of knowing and of guessing each label; in Bayes' version they need not add up.
        self.knows = np.full(self.n_raters, 0.5)
        self.guess = np.full((self.n_raters, self.n_labels), 0.5 / self.n_labels)
        self.mean_knows, self.mean_habit = self.knows, self.guess * 2.0

    def __call__(self, count_cj: Floats, total_j: Floats) -> Step:
        """Return the chances that expected counts make."""
        cells = count_cj.reshape(self.n_raters, self.n_labels, self.n_labels)
        right = np.einsum("gll->gl", cells)
        wrong = cells.sum(axis=2) - right
        share = self.knows[:, None] / np.maximum(self.knows[:, None] + self.guess, 1e-300)
        known = (right * share).sum(axis=1)
        guessed = wrong + right * (1.0 - share)
        update = self._bayes if self.method == "variational" else self._likelihood
        return self._step(update(known, guessed))

    def _step(self, log_prior: float = 0.0) -> Step:
        rate = np.repeat(self.guess[:, :, None], self.n_labels, axis=2)
        right = np.einsum("gll->gl", rate)  # a view
        right += self.knows[:, None]
        even = np.full(self.n_labels, 1.0 / self.n_labels)
        return Step(even, rate.reshape(-1, self.n_labels), log_prior)

    def accuracy(self, share_j: Floats) -> Floats:
        """Return how often each rater gives the true label."""
        return np.asarray(self.mean_knows + (1.0 - self.mean_knows) * (self.mean_habit @ share_j))

    def mean_rates(self) -> Floats:
        """Return the chance of each label given, by the true one: raters × true × given."""
        known = self.mean_knows[:, None, None]
        return np.asarray(
            (1.0 - known) * self.mean_habit[:, None, :] + known * np.eye(self.n_labels)
        )

    def logs(self, step: Step) -> Floats:
        """Return the logarithms of the present weights, of knowing and of guessing each label."""
        with np.errstate(divide="ignore"):
            weight = np.log(np.concatenate([self.knows[:, None], self.guess], axis=1))
        return np.asarray(weight.ravel())

    def step_at(self, logs: Floats) -> Step:
        """Take other weights, and return the step that they make."""
        weight = np.exp(logs).reshape(self.n_raters, 1 + self.n_labels)
        if self.method == "em":
            weight /= weight.sum(axis=1, keepdims=True)
        self.knows, self.guess = weight[:, 0], weight[:, 1:]
        return self._step()

    def _likelihood(self, known: Floats, guessed: Floats) -> float:
        """Update by EM with smoothed counts (Hovy et al. 2013)."""
        extra = self.smoothing
        spam = guessed.sum(axis=1)
        given = known + spam + 2.0 * extra
        self.mean_knows = np.divide(
            known + extra, given, out=np.full(self.n_raters, 0.5), where=given > 0
        )
        habit = guessed + extra / self.n_labels
        row = habit.sum(axis=1, keepdims=True)
        even = np.full_like(habit, 1.0 / self.n_labels)
        self.mean_habit = np.divide(habit, row, out=even, where=row > 0)
        self.knows = self.mean_knows
        self.guess = (1.0 - self.mean_knows)[:, None] * self.mean_habit
        prior = logarithm(self.mean_knows).sum() + logarithm(1.0 - self.mean_knows).sum()
        prior += logarithm(self.mean_habit).sum() / self.n_labels
        return extra * float(prior) if extra else 0.0

    def _bayes(self, known: Floats, guessed: Floats) -> float:
        """Update by variational Bayes with Beta and Dirichlet priors (Hovy et al. 2013)."""
        from scipy.special import digamma

        spam = guessed.sum(axis=1)
        beta = np.empty((self.n_raters, 2))
        beta[:, 0], beta[:, 1] = known, spam
        beta += _BETA
        habit = guessed + _DIRICHLET / self.n_labels
        sums = beta.sum(axis=1, keepdims=True), habit.sum(axis=1, keepdims=True)
        log_beta = digamma(beta) - digamma(sums[0])
        log_habit = digamma(habit) - digamma(sums[1])
        self.knows = np.exp(log_beta[:, 0])
        self.guess = np.exp(log_beta[:, 1:] + log_habit)
        self.mean_knows = beta[:, 0] / sums[0][:, 0]
        self.mean_habit = habit / sums[1]
        return -_divergence(beta, sums[0], _BETA, log_beta) - _divergence(
            habit, sums[1], _DIRICHLET / self.n_labels, log_habit
        )


def _divergence(after: Floats, sums: Floats, before: float, log_mean: Floats) -> float:
    """Return the Kullback-Leibler divergence of Dirichlet distributions from their even prior."""
    from scipy.special import gammaln

    n_raters, size = after.shape
    normal: float = float(gammaln(sums).sum()) - float(gammaln(after).sum())
    normal -= n_raters * (math.lgamma(size * before) - size * math.lgamma(before))
    return normal + float(((after - before) * log_mean).sum())


# -------------------------------------------------------------------- results


def _result(
    ratings: Ratings, votes: Votes, fit: ClassFit, steps: MaceSteps, starts: tuple[float, ...]
) -> Mace:
    rated = fit.posterior * votes.multiplicity[:, None]
    raters = rater_qualities(
        ratings.raters,
        votes.totals().sum(axis=1),
        steps.accuracy(rated.sum(axis=0) / rated.sum()),
        spamming=1.0 - steps.mean_knows,
    )
    # The likelihood of the mean parameters: comparable between the two methods.
    rate = steps.mean_rates().transpose(0, 2, 1).reshape(fit.step.rate_cj.shape)
    _, value = expect(votes, logarithm(fit.step.share_j), logarithm(rate))
    return Mace(
        **shared_fields(
            ratings,
            votes,
            replace(fit, log_likelihood=value),
            n_iterations=fit.history.size,
            findings=_spammers(raters),
        ),
        raters=raters,
        method=steps.method,
        competence=steps.mean_knows,
        habits=steps.mean_habit,
        objective=fit.objective,
        starts=starts,
        history=fit.history,
    )


def _spammers(raters: tuple[RaterQuality, ...]) -> tuple[Finding, ...]:
    spam = [str(one.rater) for one in raters if one.details["spamming"] > _SPAMMER]
    return found(
        (
            spam,
            "spammers",
            "caution",
            f"Guessing more often than knowing: {listed(spam)}. Look at these ratings before "
            "raters are paid or trained.",
        )
    )


LATENT_MODELS.add(
    LatentModel("mace", "whom to trust (Hovy et al. 2013)", ("rng", "n_starts"), mace)
)
