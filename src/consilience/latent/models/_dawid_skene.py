"""Who is right, and how do the raters err? Dawid & Skene's model by expectation-maximisation."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.checks import real_number
from consilience.core.draws import RandomStream
from consilience.core.resample import Seed
from consilience.document import Finding
from consilience.exceptions import InputError
from consilience.inference import check_confidence_level
from consilience.latent.model_registry import LATENT_MODELS, LatentModel
from consilience.latent.models._draw_order import DrawOrder
from consilience.latent.models._em import (
    ConfusionStep,
    Fit,
    Maximise,
    OneCoinStep,
    at_rest,
    expected_counts,
    iterate,
)
from consilience.latent.models._error_rates import (
    OTHER_MODE,
    DawidSkene,
    below_chance,
    findings_of,
    hardly_known,
    outnumbered,
)
from consilience.latent.models._information import (
    SINGULAR,
    Errors,
    as_tables,
    is_affordable,
    observed_errors,
    own_errors,
    share_limits,
    spread,
)
from consilience.latent.models._item_clusters import ClusteredVotes
from consilience.latent.models._profile_rates import Profile, profile_limits
from consilience.latent.models._sparse_ratings import Votes, votes_of
from consilience.latent.models._truth_model import RaterQuality, check_count
from consilience.ratings import Ratings

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
    drawn = None
    if n_resamples:
        items = ClusteredVotes(votes, ratings.clusters)
        drawn = _resampled(items, fit, maximise, (random, order), n_resamples, **options)
    errors = _errors(votes, fit, one_coin, smoothing)
    too_many = outnumbered(votes, one_coin=one_coin)
    findings = findings_of(
        ratings, votes, fit, starts, singular=errors.smallest < SINGULAR or too_many
    )
    if drawn is not None:
        errors = _bootstrap_errors(drawn, "items" if ratings.clusters is None else "clusters")
    elif ratings.clusters is not None:
        errors = _of_clusters(errors, ClusteredVotes(votes, ratings.clusters), fit)
    study = _Study(ratings, votes, confidence_level)
    more = {"model": model, "starts": starts, "smoothing": smoothing}
    return _result(study, fit, errors, drawn, findings, **more)


# -------------------------------------------------------------------- fitting


def _best_fit(
    votes: Votes,
    maximise: Maximise,
    n_starts: int,
    draws: tuple[RandomStream, DrawOrder],
    options: dict[str, Any],
) -> tuple[Fit, tuple[float, ...]]:
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


def _matched(votes: Votes, fit: Fit) -> Fit:
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


@dataclass(frozen=True)
class _Drawn:
    """Estimates from resampled items, one row each."""

    share_bj: Floats
    rate_bgjl: Floats
    accuracy_bg: Floats


def _resampled(
    items: ClusteredVotes,
    fit: Fit,
    maximise: Maximise,
    draws: tuple[RandomStream, DrawOrder],
    n_resamples: int,
    **options: Any,
) -> _Drawn:
    """Refit to items or clusters drawn with replacement, starting where the sample ended."""
    shares, rates, accuracies = [], [], []
    for _ in range(n_resamples):
        drawn = items.drawn(*draws)
        again = iterate(drawn, fit.posterior, maximise, **options)
        rate, expected = _rates(drawn, again)
        shares.append(again.step.share_j)
        rates.append(rate)
        accuracies.append(_accuracy(again.step.share_j, rate, expected))
    return _Drawn(np.array(shares), np.array(rates), np.array(accuracies))


def _rates(votes: Votes, fit: Fit) -> tuple[Floats, Floats]:
    """Return error rates, NaN where undefined, and the ratings that each row rests on."""
    counts, _ = expected_counts(votes, fit.posterior)
    expected = as_tables(counts, votes.n_raters, votes.n_labels).sum(axis=2)
    rate = as_tables(fit.step.rate_cj, votes.n_raters, votes.n_labels).copy()
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


# -------------------------------------------------------------------- results


def _errors(votes: Votes, fit: Fit, one_coin: bool, smoothing: float) -> Errors:
    if is_affordable(votes, votes.n_labels):
        return observed_errors(
            votes, fit.posterior, fit.step, one_coin=one_coin, smoothing=smoothing
        )
    return own_errors(votes, fit.posterior, fit.step, one_coin=one_coin)


def _bootstrap_errors(drawn: _Drawn, what: str) -> Errors:
    return Errors(
        spread(drawn.share_bj),
        spread(np.nan_to_num(drawn.rate_bgjl)),
        spread(np.nan_to_num(drawn.accuracy_bg)),
        math.nan,
        f"bootstrap of {what}, {len(drawn.share_bj):,} resamples",
    )


def _of_clusters(errors: Errors, items: ClusteredVotes, fit: Fit) -> Errors:
    """Return errors that allow for items that go together."""
    spread_j = items.spread(fit.posterior)
    return replace(
        errors,
        share_j=errors.share_j * np.sqrt(spread_j),
        rate_gjl=errors.rate_gjl * np.sqrt(spread_j)[:, None],
        accuracy_g=errors.accuracy_g * math.sqrt(float(fit.step.share_j @ spread_j)),
        method=f"{errors.method}, by cluster",
    )


def _limits(
    value: Floats,
    error: Floats,
    size: Floats,
    drawn: Floats | None,
    confidence_level: float,
    *,
    profiled: Floats | None = None,
) -> Floats:
    """Return low and high in the last axis: of the profile, or percentiles of what was drawn."""
    low, high = share_limits(value, error, size, confidence_level)
    if profiled is not None:
        known = np.isfinite(profiled).all(axis=-1)
        low = np.where(known, np.minimum(profiled[..., 0], value), low)
        high = np.where(known, np.maximum(profiled[..., 1], value), high)
    if drawn is not None:
        tail = (1.0 - confidence_level) / 2.0
        filled = np.where(np.isnan(drawn), value, drawn)
        ends = np.quantile(np.nan_to_num(filled), [tail, 1.0 - tail], axis=0)
        varied = (np.ptp(np.nan_to_num(filled), axis=0) > 1e-9) & ~np.isnan(value)
        # With few resamples the percentiles may miss the value itself.
        low = np.where(varied, np.minimum(ends[0], value), low)
        high = np.where(varied, np.maximum(ends[1], value), high)
    return np.stack([low, high], axis=-1)


@dataclass(frozen=True)
class _Study:
    """What was analysed, and how sure the intervals are to be."""

    ratings: Ratings
    votes: Votes
    level: float


def _result(
    study: _Study,
    fit: Fit,
    errors: Errors,
    drawn: _Drawn | None,
    findings: list[Finding],
    **more: Any,
) -> DawidSkene:
    ratings, votes, level = study.ratings, study.votes, study.level
    share = fit.step.share_j
    rate, expected = _rates(votes, fit)
    met = expected >= _NEVER_MET
    rated = np.full(share.size, float(votes.n_rated))
    rate_error = np.where(met[..., None], errors.rate_gjl, np.nan)
    profiled = _profiled(study, fit, errors, drawn, **more)
    quality = _quality(study, _accuracy(share, rate, expected), errors, drawn)
    return DawidSkene(
        items=ratings.items,
        categories=ratings.categories,
        posterior=votes.of_items(fit.posterior),
        raters=quality,
        n_ratings=round(float(votes.totals().sum())),
        log_likelihood=fit.log_likelihood,
        converged=fit.converged,
        n_iterations=fit.history.size,
        confidence_level=level,
        findings=(
            *findings,
            *hardly_known(_limits(share, errors.share_j, rated, None, level), profiled[0]),
            *below_chance(quality, votes.n_labels),
        ),
        prevalence=share,
        prevalence_standard_error=errors.share_j,
        prevalence_interval=_limits(
            share,
            errors.share_j,
            rated,
            None if drawn is None else drawn.share_bj,
            level,
            profiled=profiled[0],
        ),
        error_rates=rate,
        error_rates_standard_error=rate_error,
        error_rates_interval=_limits(
            rate,
            rate_error,
            expected[..., None],
            None if drawn is None else drawn.rate_bgjl,
            level,
            profiled=profiled[1],
        ),
        expected_ratings=expected,
        history=fit.history,
        standard_error_method=errors.method,
        **more,
    )


def _profiled(
    study: _Study,
    fit: Fit,
    errors: Errors,
    drawn: _Drawn | None,
    *,
    model: str,
    smoothing: float,
    **_: Any,
) -> tuple[Floats | None, Floats | None]:
    """Return limits by profile likelihood; a bootstrap, a prior or one coin have none."""
    if drawn is not None or smoothing or model != "confusion" or study.votes.n_rated < 2:
        return None, None
    rate, expected = _rates(study.votes, fit)
    items = ClusteredVotes(study.votes, study.ratings.clusters)
    return profile_limits(Profile(study.votes, fit, study.level), errors, rate, expected, items)


def _quality(
    study: _Study, accuracy: Floats, errors: Errors, drawn: _Drawn | None
) -> tuple[RaterQuality, ...]:
    """Return how good each rater is."""
    given = study.votes.totals().sum(axis=1)
    resampled = None if drawn is None else drawn.accuracy_bg
    own = _limits(accuracy, errors.accuracy_g, given, resampled, study.level)
    records = zip(
        study.ratings.raters,
        given.tolist(),
        accuracy.tolist(),
        errors.accuracy_g.tolist(),
        own.tolist(),
        strict=True,
    )
    return tuple(
        RaterQuality(
            rater=name, n_ratings=round(n), accuracy=a, standard_error=e, low=ends[0], high=ends[1]
        )
        for name, n, a, e, ends in records
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
