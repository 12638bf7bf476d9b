"""Crowds: MACE, raters know or have a habit; GLAD, raters differ in ability, items in ease."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from consilience.core.arguments import real_number
from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream, Seed
from consilience.core.words import listed
from consilience.document import Finding, Table
from consilience.document.blocks import Block, found
from consilience.exceptions import InputError
from consilience.latent._em import (
    ClassFit,
    Step,
    at_rest,
    expect,
    iterate,
    logarithm,
    lost,
    rest,
)
from consilience.latent._truth import (
    RaterQuality,
    Truth,
    check_count,
    rater_qualities,
    shared_fields,
)
from consilience.latent.model_registry import LATENT_MODELS, LatentModel
from consilience.latent.votes import DrawOrder, Votes, votes_of
from consilience.ratings import Ratings

# ---- MACE

METHODS = ("variational", "em")
_BETA = 0.5  # prior of knowing and of spamming (Hovy et al. 2013)
_DIRICHLET = 10.0  # prior of each habit, in ratings over all labels
_SAME_OBJECTIVE = 1e-6  # objectives that differ by less: of two starts the first counts
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
        steps = MaceSteps(votes.n_raters, votes.n_labels, method, smoothing)
        fit = iterate(votes, guess, steps, tolerance=tolerance, max_iterations=max_iterations)
        reached.append(fit.objective)
        if best is None or fit.objective > best[0].objective + _SAME_OBJECTIVE:
            best = fit, steps
    assert best is not None
    fit, steps = best
    fit = at_rest(votes, fit, steps)
    return _mace_result(ratings, votes, fit, steps, tuple(reached))


def _random_start(votes: Votes, random: RandomStream, order: DrawOrder) -> Floats:
    """Return vote shares with every rater's ratings weighed at random: labels stay labels."""
    trust_g = np.empty(votes.n_raters)
    trust_g[order.rater] = random.dirichlet(np.ones(votes.n_raters), 1)[0]
    trust = np.repeat(trust_g, votes.n_labels) + 1e-12
    label = np.tile(np.eye(votes.n_labels), (votes.n_raters, 1))
    share = np.asarray(votes.counts @ (trust[:, None] * label))
    total = share.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(share, total, out=np.zeros_like(share), where=total > 0))


# ---- the iteration


class MaceSteps:
    """Maximisation from expected counts; remembers the present parameters, on which the split of
    right answers into known and guessed ones depends.
    """

    def __init__(self, n_raters: int, n_labels: int, method: str, smoothing: float) -> None:
        self.n_raters, self.n_labels = n_raters, n_labels
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


# ---- results


def _mace_result(
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

# ---- GLAD

_ABILITY = (1.0, 1.0)  # mean and standard deviation of the prior
_LOG_EASE = (1.0, 1.0)
_WIDEST = 12.0  # bound on |log ease|; e^12 is beyond any data
_CLIMBS = 2  # towards the top of a parabola; a step too far is quartered
_ROUNDING = 1e-13  # of the height of a parabola
_STILL = 1e-9  # the next step of Newton's would be its square
_TOUCHING = 1e-6  # a product so near 0 that its parabola is that of 0
_MOST_SHOWN = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class Glad(Truth):
    """The true labels, the ability of the raters and the difficulty of the items.

    Attributes
    ----------
    prevalence : array
        Share of the items whose true label is each category.
    ability : array
        a_g: 0 for a guess between right and wrong, negative for a rater who is mostly wrong.
    difficulty : array
        1 / b_i: 0 for an item that anybody able gets right; NaN for an item without ratings.
    objective : float
        The log-likelihood with the priors.
    history : array
        The objective after each iteration; it never falls.
    """

    prevalence: Floats
    ability: Floats = field(repr=False)
    difficulty: Floats = field(repr=False)
    objective: float
    history: Floats = field(repr=False)

    @property
    def _title(self) -> str:
        """What the model is called."""
        return "GLAD: ability and difficulty"

    def _blocks(self) -> list[Block]:
        """Return the raters and the hardest items."""
        known = np.flatnonzero(~np.isnan(self.difficulty))
        hardest = known[np.argsort(-self.difficulty[known], kind="stable")][:_MOST_SHOWN]
        hard = Table.of(
            hardest.tolist(),
            ("item", self.items.__getitem__, "s"),
            ("label", self.labels.__getitem__, "s"),
            ("probability", self.probability.item),
            ("difficulty", self.difficulty.item),
            caption="The hardest items",
        )
        return [self._rater_table(("ability",)), hard]


def glad(ratings: Ratings, *, tolerance: float = 1e-6, max_iterations: int = 500) -> Glad:
    """Find true labels, the ability of raters and the difficulty of items.

    Use it when some items are much harder than others and adjudication should start with those.
    Prefer `dawid_skene` when raters confuse particular labels: here all errors are alike.

    Parameters
    ----------
    ratings : Ratings
        Any design that says who rated; missing ratings are ignored, repeated ones count.
    tolerance, max_iterations
        Stop when the objective gains less than this per rating, or after so many iterations.

    Returns
    -------
    Glad
        `labels`, `probability`, `posterior`, `raters`, `ability`, `difficulty`, ...

    Raises
    ------
    UnsupportedDesignError
        Counts without raters, one rater, one label, or no item with two ratings.

    Notes
    -----
    P(rater g is right on item i) = 1 / (1 + exp(-a_g b_i)), b_i > 0,                            (1)
    and errors fall evenly on the other labels [1]_. Only priors fix the scale of a and b: a is
    normal around 1, log b normal around 1, both with standard deviation 1. The posterior mode is
    found by expectation-maximisation from equal abilities, where labels begin as votes.

    References
    ----------
    .. [1] Whitehill, J., Ruvolo, P., Wu, T., Bergsma, J. & Movellan, J. (2009). Whose vote should
       count more: optimal integration of labels from labelers of unknown expertise. Advances in
       Neural Information Processing Systems 22, 2035-2043.

    Examples
    --------
    >>> import consilience as cs
    >>> study = cs.simulate(n_items=300, n_raters=8, accuracy=0.95, hard_share=0.3,
    ...                     hard_accuracy=0.6, rng=1)
    >>> found = glad(study.ratings)
    >>> bool(found.difficulty[study.hard].mean() > 1.5 * found.difficulty[~study.hard].mean())
    True
    """
    tolerance = real_number("tolerance", tolerance, least=0.0)
    max_iterations = check_count("max_iterations", max_iterations)
    listed = _ListedVotes.of(votes_of("glad", ratings))
    return _glad_result(ratings, listed, _glad_fit(listed, tolerance, max_iterations))


# ---- the likelihood


@dataclass(frozen=True)
class _ListedVotes:
    """Ratings one by one: row, rater, label and how often."""

    row: np.ndarray[Any, Any]
    rater: np.ndarray[Any, Any]
    cell: np.ndarray[Any, Any]  # of labels × rows
    times: Floats
    own: Floats  # times, for all items that the row stands for
    votes: Votes

    @classmethod
    def of(cls, votes: Votes) -> _ListedVotes:
        from scipy.sparse import csr_array

        listed = csr_array(votes.counts).tocoo()
        row = listed.row.astype(np.int64)
        rater, label = np.divmod(listed.col.astype(np.int64), votes.n_labels)
        own = listed.data * votes.multiplicity[row]
        return cls(row, rater, label * votes.n_rows + row, listed.data, own, votes)

    @cached_property
    def _even(self) -> Floats:
        """What each label of each row loses by the errors' falling on several other labels."""
        size = self.votes.n_rows * self.votes.n_labels
        times = np.bincount(self.cell, weights=self.times, minlength=size)
        given = times.astype(np.float64, copy=False).reshape(self.votes.n_labels, -1)
        return np.asarray((given - given.sum(axis=0)) * math.log(self.votes.n_labels - 1))

    def expect(self, ability: Floats, log_ease: Floats, log_share: Floats) -> _Expected:
        """Return what is known of the labels, given abilities, eases and shares.

        Whitehill et al. 2009: a rating is right with the probability 1 / (1 + exp(-a_g b_i)).
        """
        n_rows, q = self.votes.n_rows, self.votes.n_labels
        ease = np.exp(log_ease)[self.row]
        product = ability[self.rater] * ease
        size = np.abs(product)
        odds = np.exp(-size)
        # log P(right) - log P(wrong label) is linear in the product.
        right = np.bincount(self.cell, weights=self.times * product, minlength=n_rows * q)
        joint = right.astype(np.float64, copy=False).reshape(q, n_rows)
        joint += self._even
        fell = self.times * (np.maximum(product, 0.0) + np.log(1.0 + odds))
        joint -= np.bincount(self.row, weights=fell, minlength=n_rows)
        joint += log_share[:, None]
        top = joint.max(axis=0)
        joint -= top
        np.exp(joint, out=joint)
        total = joint.sum(axis=0)
        joint /= total
        return _Expected(ease, size, odds, joint, np.log(total) + top)

    def at(self, ability: Floats, log_ease: Floats, share: Floats) -> _Place:
        """Return what is known where the parameters are these, and how good they are."""
        known = self.expect(ability, log_ease, logarithm(share))
        weight = self.votes.multiplicity
        value = float(weight @ known.value)
        objective = value + _log_prior(ability, log_ease, weight)
        return _Place(ability, log_ease, share, known, value, objective)

    def climbed(self, place: _Place) -> tuple[Floats, Floats, Floats]:
        """Return better abilities, logarithms of eases, and shares, given the labels' posterior.

        A logistic likelihood lies above a parabola that touches it at the present product, of
        curvature tanh(x/2) / (2x) (Jaakkola & Jordan 2000); each update maximises the parabola,
        so the objective never falls.
        """
        votes, known = self.votes, place.known
        push = known.posterior_ji.ravel()[self.cell] - 0.5
        curve = _curvature(known.size, known.odds)
        a = _better(self.rater, (push * self.own, curve * self.own, known.ease), votes.n_raters)
        ability = (a[0] + _ABILITY[0] / _ABILITY[1] ** 2) / (a[1] + 1.0 / _ABILITY[1] ** 2)
        mine = ability[self.rater]
        size = np.abs(mine * known.ease)
        curve = _curvature(size, np.exp(-size))
        b = _better(self.row, (push * self.times, curve * self.times, mine), votes.n_rows)
        log_ease = _better_ease(place.log_ease, *b)
        share = known.posterior_ji @ votes.multiplicity
        return ability, log_ease, share / share.sum()


@dataclass(frozen=True)
class _Expected:
    """What the parameters say of the labels."""

    ease: Floats  # b_i of each rating
    size: Floats  # |a_g b_i|
    odds: Floats  # exp(-|a_g b_i|)
    posterior_ji: Floats  # labels × rows
    value: Floats  # log-likelihood of each row


@dataclass(frozen=True)
class _Place:
    """Parameters, and what follows from them."""

    ability: Floats
    log_ease: Floats
    share: Floats
    known: _Expected
    log_likelihood: float
    objective: float
    history: Floats = field(default_factory=lambda: np.empty(0))
    converged: bool = False


def _curvature(size: Floats, odds: Floats) -> Floats:
    """Return tanh(x/2) / (2x) of each rating."""
    if float(size.min(initial=1.0)) < _TOUCHING:
        size = np.maximum(size, _TOUCHING)
        odds = np.exp(-size)
    return np.asarray((1.0 - odds) / (size * (2.0 + 2.0 * odds)))


def _better(
    place: np.ndarray[Any, Any], parts: tuple[Floats, Floats, Floats], size: int
) -> tuple[Floats, Floats]:
    """Return the linear and quadratic coefficients of the parabolas."""
    push, curve, factor = parts
    linear = np.bincount(place, weights=push * factor, minlength=size)
    square = np.bincount(place, weights=curve * factor * factor, minlength=size)
    return linear.astype(np.float64, copy=False), square.astype(np.float64, copy=False)


def _better_ease(log_ease: Floats, linear: Floats, square: Floats) -> Floats:
    """Climb A e^x - B e^2x / 2 - (x - mean)² / 2 sd² from the present x by guarded Newton steps."""
    mean, sd = _LOG_EASE
    stiff = 1.0 / sd**2

    def height(x: Floats, e: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the height with its slope and the second derivative, down to the prior's."""
        up, down, off = linear * e, square * e * e, x - mean
        top = up - 0.5 * down - 0.5 * stiff * off * off
        return top, up - down - stiff * off, np.maximum(2.0 * down - up, 0.0) + stiff

    x: Floats = log_ease
    share: Floats | float = 1.0
    present, slope, bend = height(x, np.exp(x))
    for _ in range(_CLIMBS):
        step = np.minimum(np.maximum(slope / bend, -1.0), 1.0)
        new = np.minimum(np.maximum(x + share * step, -_WIDEST), _WIDEST)
        there, new_slope, new_bend = height(new, np.exp(new))
        # Near the top heights differ by rounding only, and the slope alone says where it is.
        rises = there >= present - _ROUNDING * (1.0 + np.abs(present))
        if rises.all():
            still = float(np.abs(new - x).max(initial=0.0)) < _STILL
            x, present, slope, bend, share = new, there, new_slope, new_bend, 1.0
            if still:
                break
            continue
        x = np.where(rises, new, x)
        slope, bend = np.where(rises, new_slope, slope), np.where(rises, new_bend, bend)
        present, share = np.where(rises, there, present), np.where(rises, 1.0, share / 4.0)
    return x


def _log_prior(ability: Floats, log_ease: Floats, weight: Floats) -> float:
    a = (ability - _ABILITY[0]) / _ABILITY[1]
    b = (log_ease - _LOG_EASE[0]) / _LOG_EASE[1]
    return -0.5 * float(a @ a) - 0.5 * float(weight @ b**2)


def _glad_fit(listed: _ListedVotes, tolerance: float, max_iterations: int) -> _Place:
    votes = listed.votes
    rated = votes.shares() * votes.multiplicity[:, None]
    place = listed.at(
        np.full(votes.n_raters, _ABILITY[0]),
        np.full(votes.n_rows, _LOG_EASE[0]),
        rated.sum(axis=0) / rated.sum(),
    )
    least = tolerance * max(float(listed.own.sum()), 1.0)
    history, converged = [place.objective], False
    while not converged and len(history) <= max_iterations:
        place = listed.at(*listed.climbed(place))
        history.append(place.objective)
        converged = history[-1] - history[-2] < least
    if converged:
        place = _rested(listed, place)
        history[-1] = max(place.objective, history[-1])
    return replace(place, history=np.array(history), converged=converged)


def _rested(listed: _ListedVotes, place: _Place) -> _Place:
    """Go on from where the iteration stood still to the mode itself."""
    ends = (listed.votes.n_raters, listed.votes.n_raters + listed.votes.n_rows)

    def at(x: Floats) -> _Place:
        ability, log_ease, log_share = np.split(x, ends)
        share = np.exp(log_share)
        return listed.at(ability, log_ease, share / share.sum())

    def whole(ability: Floats, log_ease: Floats, share: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.concatenate([ability, log_ease, np.log(share)])

    start = whole(place.ability, place.log_ease, place.share)
    end = rest(lambda x: whole(*listed.climbed(at(x))), start, ends[1])
    if end is None:
        return place
    found = at(end)
    return place if lost(found.objective, place.objective) else found


def _glad_result(ratings: Ratings, listed: _ListedVotes, found: _Place) -> Glad:
    from scipy.special import expit

    votes = listed.votes
    right = expit(found.ability[listed.rater] * np.exp(found.log_ease)[listed.row])
    given, hits = (
        np.bincount(listed.rater, weights=weight, minlength=votes.n_raters).astype(np.float64)
        for weight in (listed.own, listed.own * right)
    )
    accuracy = np.divide(hits, given, out=np.full(given.size, math.nan), where=given > 0)
    posterior = np.ascontiguousarray(found.known.posterior_ji.T)
    step = Step(found.share, np.empty((0, found.share.size)))
    fit = ClassFit(step, posterior, found.log_likelihood, found.history, found.converged)
    return Glad(
        **shared_fields(ratings, votes, fit, n_iterations=found.history.size - 1),
        raters=rater_qualities(ratings.raters, given, accuracy, ability=found.ability),
        prevalence=found.share,
        ability=found.ability,
        difficulty=votes.of_items(np.exp(-found.log_ease)),
        objective=float(found.history[-1]),
        history=found.history,
    )


LATENT_MODELS.add(
    LatentModel("glad", "hard items and able raters (Whitehill et al. 2009)", (), glad)
)
