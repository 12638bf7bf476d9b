"""Who is right, and how do the raters err? Dawid & Skene's model by expectation-maximisation."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from consilience.core.arguments import real_number
from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream, Seed
from consilience.document import Finding
from consilience.document.blocks import Block, found
from consilience.exceptions import InputError
from consilience.inference.intervals import check_confidence_level
from consilience.latent._em import (
    ClassFit,
    ConfusionStep,
    Maximise,
    OneCoinStep,
    at_rest,
    expected_counts,
    expected_ratings,
    iterate,
)
from consilience.latent._rate_intervals import (
    SINGULAR,
    Errors,
    Limits,
    Profile,
    Resampled,
    is_affordable,
    limits_of,
    observed_errors,
    own_errors,
    profile_limits,
)
from consilience.latent._truth import (
    ClassTruth,
    RaterQuality,
    check_count,
    labels_named,
    rater_qualities,
    shared_fields,
)
from consilience.latent.model_registry import LATENT_MODELS, LatentModel
from consilience.latent.votes import ClusteredVotes, DrawOrder, Votes, votes_of
from consilience.ratings import Ratings

# ---- what the model found

_MOST_ROWS = 40
OTHER_MODE = 1e-3  # log-likelihoods that differ by more belong to different solutions
_FLAT = 1.25  # times as wide as errors say: the likelihood is far from a parabola
_NO_ITEM = 0.01  # expected items of a label below which it counts as gone


@dataclass(frozen=True, kw_only=True, eq=False)
class DawidSkene(ClassTruth):
    """The true labels, how common they are, and how each rater errs.

    Attributes
    ----------
    model : {"confusion", "one-coin"}
    error_rates : array, raters × true labels × labels given
        Chance that a rater gives a label, by the true one; NaN for true labels she never met.
    error_rates_standard_error, error_rates_interval : arrays; the interval has low, high last
    expected_ratings : array, raters × true labels
        How many ratings each row of the error rates rests on.
    history : array
        The objective after each iteration: the log-likelihood, with smoothing plus its prior.
    """

    model: str
    error_rates: Floats = field(repr=False)
    error_rates_standard_error: Floats = field(repr=False)
    error_rates_interval: Floats = field(repr=False)
    expected_ratings: Floats = field(repr=False)
    history: Floats = field(repr=False)
    smoothing: float

    def error_matrix(self, rater: object) -> Floats:
        """Return one rater's error rates: rows are true labels, columns labels given."""
        return np.asarray(self.error_rates[self.raters.index(self.rater(rater))])

    @property
    def _title(self) -> str:
        """What the model is called."""
        return "Dawid-Skene model" + (", one coin per rater" if self.model == "one-coin" else "")

    def _blocks(self) -> list[Block]:
        """Return how common the labels are, the raters and their errors."""
        names = [(name,) for name in self.categories]
        blocks: list[Block] = [
            self._share_table(("true label",), names, caption="How common"),
            self._rater_table(),
        ]
        if self.model == "confusion" and self.error_rates[..., 0].size <= _MOST_ROWS:
            caption = "What raters say, by the true label"
            blocks.append(
                self._rate_table("true label", self.categories, self.error_rates, caption=caption)
            )
        return blocks


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


MODELS = ("confusion", "one-coin")
_NEVER_MET = 1e-8  # expected items of a class below which a rater's rates there are undefined


def dawid_skene(
    ratings: Ratings,
    *,
    model: str = "confusion",
    n_starts: int = 1,
    smoothing: float = 0.0,
    tolerance: float = 1e-8,
    max_iterations: int = 1000,
    n_resamples: int = 0,
    confidence_level: float = 0.95,
    rng: Seed = 0,
) -> DawidSkene:
    """Estimate true labels and each rater's error rates from ratings alone.

    Use it when raters differ in skill and no answer key exists. Prefer a majority vote when items
    have only two or three ratings and raters few items: then there is nothing to learn from.

    Parameters
    ----------
    ratings : Ratings
        Any design that says who rated; missing ratings are ignored, repeated ones count.
    model : {"confusion", "one-coin"}
        A full table of error rates per rater, or one accuracy per rater with errors that fall
        evenly on the other labels: for raters with few ratings.
    n_starts : int
        1 starts from the vote shares, so that classes keep the meaning of the labels. With more,
        the others start at random and the highest likelihood wins; its classes may be others.
    smoothing : float
        Ratings added to every cell of every table; 0.01 is advised where raters have few items.
    tolerance, max_iterations
        Stop when the log-likelihood gains less than this, or after so many iterations.
    n_resamples : int
        Resamples of items for standard errors and intervals; 0 takes them from the information.
    confidence_level : float
    rng : seed or numpy Generator
        For random starts and resamples.

    Returns
    -------
    DawidSkene
        `labels`, `probability`, `posterior`, `raters`, `prevalence`, `error_rates`, ...

    Raises
    ------
    UnsupportedDesignError
        Counts without raters, one rater, one label, or no item with two ratings.

    Notes
    -----
    With T_ij the probability that item i is of class j and n_gil how often rater g gave it label l:
    p_j = mean_i T_ij, pi_gjl = sum_i T_ij n_gil / sum_il T_ij n_gil,                            (1)
    T_ij proportional to p_j prod_gl pi_gjl ^ n_gil,                                             (2)
    repeated from vote shares [1]_. Each round raises the likelihood; it may have several maxima.
    Standard errors come from the observed information [2]_ up to 1,200 cells; for crowds from
    each rater's own information, all else taken as known, which is a little too sure. Intervals
    of shares and rates follow the profile likelihood, with Student's t [3]_, where that takes less
    than a second or so; else, and for accuracies, they are symmetric on the logit scale; at 0 or 1
    they are exact binomial limits. For ratings with clusters the loss of likelihood is divided by
    how much more clusters vary than items, and a bootstrap draws whole clusters.

    References
    ----------
    .. [1] Dawid, A. P. & Skene, A. M. (1979). Maximum likelihood estimation of observer
       error-rates using the EM algorithm. Applied Statistics 28, 20-28. doi:10.2307/2346806
    .. [2] Louis, T. A. (1982). Finding the observed information matrix when using the EM
       algorithm. Journal of the Royal Statistical Society B 44, 226-233.
    .. [3] Venzon, D. J. & Moolgavkar, S. H. (1988). A method for computing
       profile-likelihood-based confidence intervals. Applied Statistics 37, 87-94.

    Examples
    --------
    >>> import consilience as cs
    >>> study = cs.simulate(n_items=300, n_raters=5, accuracy=[0.9, 0.9, 0.8, 0.8, 0.5], rng=1)
    >>> found = dawid_skene(study.ratings)
    >>> [round(one.accuracy, 1) for one in found.raters]
    [0.9, 0.9, 0.8, 0.8, 0.5]
    >>> float((np.array(found.labels) == study.truth).mean()) > 0.9
    True
    """
    if model not in MODELS:
        raise InputError.unknown_word("model", model, MODELS)
    n_starts = check_count("n_starts", n_starts)
    max_iterations = check_count("max_iterations", max_iterations)
    n_resamples = check_count("n_resamples", n_resamples, least=0)
    smoothing = real_number("smoothing", smoothing, least=0.0)
    tolerance = real_number("tolerance", tolerance, least=0.0)
    confidence_level = check_confidence_level(confidence_level)
    random = RandomStream.of(rng)
    votes = votes_of("dawid_skene", ratings)
    maker = ConfusionStep if model == "confusion" else OneCoinStep
    maximise = maker(votes.n_raters, votes.n_labels, smoothing)
    options = {"tolerance": tolerance, "max_iterations": max_iterations}
    order = DrawOrder.of(votes, ratings)
    fit, starts = _best_fit(votes, maximise, n_starts, (random, order), options)
    one_coin = model == "one-coin"
    items = ClusteredVotes(votes, ratings.clusters)
    if is_affordable(votes, votes.n_labels):
        errors = observed_errors(
            votes, fit.posterior, fit.step, one_coin=one_coin, smoothing=smoothing
        )
    else:
        errors = own_errors(votes, fit.posterior, fit.step, one_coin=one_coin)
    singular = errors.smallest < SINGULAR or outnumbered(votes, one_coin=one_coin)
    if n_resamples:
        errors = _resampled(items, fit, maximise, (random, order), n_resamples, **options)
    elif ratings.clusters is not None:
        errors = _of_clusters(errors, items, fit)
    profiled: Limits = (None, None)
    if not (n_resamples or smoothing or one_coin) and votes.n_rated > 1:
        profile = Profile(votes, fit, confidence_level)
        profiled = profile_limits(profile, errors, *_rates(votes, fit), items)
    return _result(
        ratings,
        votes,
        fit,
        errors=errors,
        profiled=profiled,
        findings=findings_of(ratings, votes, fit, starts, singular=singular),
        level=confidence_level,
        model=model,
        starts=starts,
        smoothing=smoothing,
    )


# ---- fitting


def _best_fit(
    votes: Votes,
    maximise: Maximise,
    n_starts: int,
    draws: tuple[RandomStream, DrawOrder],
    options: dict[str, Any],
) -> tuple[ClassFit, tuple[float, ...]]:
    """Fit from vote shares and from random posteriors; the highest objective wins."""
    random, order = draws
    best = iterate(votes, votes.shares(), maximise, **options)
    reached = [best.log_likelihood]
    for _ in range(n_starts - 1):
        guess = np.empty((votes.n_rows, votes.n_labels))
        drawn = random.dirichlet(np.full(votes.n_labels, 0.5), votes.n_rows)
        guess[np.ix_(order.row, order.label)] = drawn
        fit = iterate(votes, guess, maximise, **options)
        reached.append(fit.log_likelihood)
        if fit.objective > best.objective + OTHER_MODE:
            best = _matched(votes, fit)
    return at_rest(votes, best, maximise), tuple(reached)


def _matched(votes: Votes, fit: ClassFit) -> ClassFit:
    """Number the classes of a random start such that the raters agree with them best."""
    from scipy.optimize import linear_sum_assignment

    counts, _ = expected_counts(votes, fit.posterior)
    agree_lj = counts.reshape(votes.n_raters, votes.n_labels, -1).sum(axis=0)
    _, class_of_label = linear_sum_assignment(agree_lj, maximize=True)
    step = replace(
        fit.step,
        share_j=fit.step.share_j[class_of_label],
        rate_cj=fit.step.rate_cj[:, class_of_label],
    )
    return replace(fit, step=step, posterior=fit.posterior[:, class_of_label])


def _resampled(
    items: ClusteredVotes,
    fit: ClassFit,
    maximise: Maximise,
    draws: tuple[RandomStream, DrawOrder],
    n_resamples: int,
    **options: Any,
) -> Errors:
    """Refit to items or clusters drawn with replacement, starting where the sample ended."""
    shares, rates, accuracies = [], [], []
    for _ in range(n_resamples):
        drawn = items.drawn(*draws)
        again = iterate(drawn, fit.posterior, maximise, **options)
        rate, expected = _rates(drawn, again)
        shares.append(again.step.share_j)
        rates.append(rate)
        accuracies.append(_accuracy(again.step.share_j, rate, expected))
    method = f"bootstrap of {'items' if items.clusters is None else 'clusters'}"
    return Resampled(np.array(shares), np.array(rates), np.array(accuracies), method).errors()


def _rates(votes: Votes, fit: ClassFit) -> tuple[Floats, Floats]:
    """Return error rates, NaN where undefined, and the ratings that each row rests on."""
    expected = expected_ratings(votes, fit.posterior)
    rate = votes.tables(fit.step.rate_cj).copy()
    rate[expected < _NEVER_MET] = np.nan
    return rate, expected


def _accuracy(share_j: Floats, rate_gjl: Floats, expected_gj: Floats) -> Floats:
    """Return sum_j p_j pi_gjj, over the classes that the rater met."""
    met = expected_gj >= _NEVER_MET
    right = np.where(met, np.einsum("gjj->gj", rate_gjl), 0.0)
    total = np.where(met, share_j, 0.0).sum(axis=1)
    out = np.full(len(right), np.nan)
    np.divide(right @ share_j, total, out=out, where=total > 0)
    return out


# ---- results


def _of_clusters(errors: Errors, items: ClusteredVotes, fit: ClassFit) -> Errors:
    """Return errors that allow for items that go together."""
    spread_j = items.spread(fit.posterior)
    return replace(
        errors,
        share_j=errors.share_j * np.sqrt(spread_j),
        rate_gjl=errors.rate_gjl * np.sqrt(spread_j)[:, None],
        accuracy_g=errors.accuracy_g * math.sqrt(float(fit.step.share_j @ spread_j)),
        method=f"{errors.method}, by cluster",
    )


def _result(
    ratings: Ratings,
    votes: Votes,
    fit: ClassFit,
    *,
    errors: Errors,
    profiled: Limits,
    findings: tuple[Finding, ...],
    level: float,
    **more: Any,
) -> DawidSkene:
    share, given = fit.step.share_j, votes.totals().sum(axis=1)
    rate, expected = _rates(votes, fit)
    accuracy = _accuracy(share, rate, expected)
    rated = np.full(share.size, float(votes.n_rated))
    rate_error = np.where(expected[..., None] >= _NEVER_MET, errors.rate_gjl, np.nan)
    of_shares, of_rates, of_accuracies = errors.drawn
    plain = limits_of(share, errors.share_j, rated, level)
    quality = rater_qualities(
        ratings.raters,
        given,
        accuracy,
        errors.accuracy_g,
        limits_of(accuracy, errors.accuracy_g, given, level, drawn=of_accuracies),
    )
    own = findings_of_raters(quality, votes.n_labels, plain, profiled[0])
    q = votes.n_labels
    per_rater = 1 if more["model"] == "one-coin" else q * (q - 1)
    return DawidSkene(
        **shared_fields(
            ratings, votes, fit, n_iterations=fit.history.size, findings=(*findings, *own)
        ),
        raters=quality,
        confidence_level=level,
        n_parameters=q - 1 + per_rater * int((given > 0).sum()),
        prevalence=share,
        prevalence_standard_error=errors.share_j,
        prevalence_interval=limits_of(
            share, errors.share_j, rated, level, drawn=of_shares, profiled=profiled[0]
        ),
        error_rates=rate,
        error_rates_standard_error=rate_error,
        error_rates_interval=limits_of(
            rate, rate_error, expected[..., None], level, drawn=of_rates, profiled=profiled[1]
        ),
        expected_ratings=expected,
        history=fit.history,
        standard_error_method=errors.method,
        **more,
    )


_TAKES = ("confidence_level", "rng", "n_starts", "smoothing", "n_resamples")
LATENT_MODELS.add(
    LatentModel(
        "dawid-skene", "an error matrix of each rater (Dawid & Skene 1979)", _TAKES, dawid_skene
    )
)
LATENT_MODELS.add(
    LatentModel(
        "one-coin", "one accuracy of each rater", _TAKES, partial(dawid_skene, model="one-coin")
    )
)
