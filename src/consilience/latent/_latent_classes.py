"""Latent class analysis: kinds of items that explain why raters agree as they do."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import probability, real_number
from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream, Seed
from consilience.core.labels import label_key
from consilience.core.labels import plain as plain_label
from consilience.document import Finding
from consilience.document.blocks import found
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.intervals import check_confidence_level
from consilience.latent._class_results import (
    QUANTITIES,
    ClassComparison,
    ComparedClasses,
    LatentClasses,
    above_tests,
    are_two_labels,
)
from consilience.latent._em import (
    Batch,
    ClassFit,
    ConfusionStep,
    Step,
    at_rest,
    expect,
    expected_ratings,
    fit_batch,
    logarithm,
    random_start,
)
from consilience.latent._rate_intervals import (
    BOUNDARY,
    SINGULAR,
    Errors,
    Profile,
    Resampled,
    is_affordable,
    limits_of,
    observed_errors,
    profile_limits,
)
from consilience.latent._truth import check_count, rater_qualities, shared_fields
from consilience.latent.model_registry import LATENT_MODELS, LatentModel
from consilience.latent.votes import ClusteredVotes, DrawOrder, Votes, check_ratings, votes_of
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items

# ---- from fitted classes to a result

_ALL_PATTERNS = 4_096  # patterns up to which all are listed for the bootstrap
_SAME_MAXIMUM = 1e-3  # log-likelihoods that differ by less are the same solution


@dataclass(frozen=True)
class Best:
    """The best fit, its classes in order, and what each of the starts reached."""

    fit: ClassFit
    starts: tuple[float, ...]
    iterations: int
    label_of_class: NDArray[np.intp]


def n_parameters(n_raters: int, n_labels: int, n_classes: int) -> int:
    """Return the number of free shares and rates."""
    return n_classes - 1 + n_classes * n_raters * (n_labels - 1)


# ---- the bootstrap


@dataclass(frozen=True)
class ModelSamples(Resampled):
    """What samples from the fitted model gave, with the distance of each from the model."""

    g_squared_b: Floats


def bootstrap(
    votes: Votes,
    best: Best,
    n_resamples: int,
    draws: tuple[RandomStream, DrawOrder],
    options: dict[str, Any],
) -> ModelSamples:
    """Fit samples of the model, starting close to it."""
    (random, order), step = draws, best.fit.step
    start_rate = 0.95 * step.rate_cj + 0.05 / votes.n_labels
    patterns = votes.n_labels**votes.n_raters
    if patterns <= _ALL_PATTERNS and _is_complete(votes):
        counts = _all_patterns(order)
        chance = _chances(counts, step)
        drawn = random.multinomial(votes.n_rated, chance / chance.sum(), n_resamples)
        weight = drawn.astype(np.float64)
        start = (
            np.tile(step.share_j, (n_resamples, 1)),
            np.tile(start_rate, (n_resamples, 1, 1)),
        )
        batch = _refitted(votes, counts, weight, start, options)
        return _samples(votes, batch, _g_squared(weight, batch.log_likelihood_b), best)
    parts, deviance = [], []
    for _ in range(n_resamples):
        counts, times = _sample(votes, best, random, order)
        start = (step.share_j[None], start_rate[None])
        parts.append(_refitted(votes, counts, times[None], start, options))
        deviance.append(_g_squared(times[None], parts[-1].log_likelihood_b)[0])
    batch = parts[0]
    for part in parts[1:]:
        batch = batch.joined(part)
    return _samples(votes, batch, np.array(deviance), best)


def _samples(votes: Votes, batch: Batch, g_squared_b: Floats, best: Best) -> ModelSamples:
    rate = np.stack([votes.tables(one) for one in batch.rate_bcj])
    accuracy = _accuracies(batch.share_bj, rate, best.label_of_class)
    return ModelSamples(batch.share_bj, rate, accuracy, "parametric bootstrap", g_squared_b)


def _refitted(
    votes: Votes,
    counts: Floats,
    weight_bi: Floats,
    start: tuple[Floats, Floats],
    options: dict[str, Any],
) -> Batch:
    """Fit samples, each to its end: where the iteration stops may hang on the last digits."""
    batch = fit_batch(counts, weight_bi, start, votes.n_labels, **options)
    maximise = ConfusionStep(votes.n_raters, votes.n_labels)
    for b, weight in enumerate(weight_bi):
        if not batch.converged_b[b]:
            continue
        met = weight > 0.0
        sample = replace(votes, counts=counts[met], multiplicity=weight[met], row=None)
        value = float(batch.log_likelihood_b[b])
        step, posterior = Step(batch.share_bj[b], batch.rate_bcj[b]), np.empty((0, 0))
        fit = at_rest(sample, ClassFit(step, posterior, value, np.array([value]), True), maximise)
        batch.share_bj[b], batch.rate_bcj[b] = fit.step.share_j, fit.step.rate_cj
        batch.log_likelihood_b[b] = fit.log_likelihood
    return batch


def _sample(
    votes: Votes, best: Best, random: RandomStream, order: DrawOrder
) -> tuple[Floats, Floats]:
    """Draw labels for the items, missing where they were missing; return rows and multiplicity."""
    step, times = best.fit.step, np.rint(votes.multiplicity).astype(np.int64)
    rows = np.repeat(order.row, times[order.row])
    shape = (votes.n_rows, votes.n_raters, votes.n_labels)
    given = votes.dense().reshape(shape).sum(axis=2)[rows] > 0
    by_label = np.argsort(np.argsort(order.label)[best.label_of_class], kind="stable")
    kind = by_label[random.choice(step.share_j[by_label], rows.size)]
    rate = votes.tables(step.rate_cj)
    label = np.empty(given.shape, dtype=np.intp)
    for g in order.rater.tolist():
        ends = rate[g][:, order.label].cumsum(axis=1)[kind]
        place = (random.random(rows.size)[:, None] > ends[:, :-1]).sum(axis=1)
        label[:, g] = order.label[place]
    label[~given] = -1
    distinct, often = np.unique(label, axis=0, return_counts=True)
    counts = np.equal.outer(distinct, np.arange(votes.n_labels)).reshape(len(distinct), -1)
    return counts.astype(np.float64), often.astype(np.float64)


def _all_patterns(order: DrawOrder) -> Floats:
    n_raters, n_labels = order.rater.size, order.label.size
    label = np.empty((n_labels**n_raters, n_raters), dtype=np.intp)
    places = np.unravel_index(np.arange(n_labels**n_raters), (n_labels,) * n_raters)
    label[:, order.rater] = order.label[np.stack(places, axis=1)]
    counts = np.equal.outer(label, np.arange(n_labels))
    return counts.reshape(len(label), -1).astype(np.float64)


def _chances(counts: Floats, step: Step) -> Floats:
    return np.asarray(np.exp(counts @ logarithm(step.rate_cj)) @ step.share_j)


def _is_complete(votes: Votes) -> bool:
    return bool((votes.ratings_of_rows()[votes.multiplicity > 0] == votes.n_raters).all())


def _g_squared(weight_bi: Floats, log_likelihood_b: Floats) -> Floats:
    """Return twice the distance to the saturated model (complete data)."""
    total = weight_bi.sum(axis=1, keepdims=True)
    saturated = (weight_bi * logarithm(weight_bi / total)).sum(axis=1)
    return np.asarray(2.0 * (saturated - log_likelihood_b))


# ---- results


def _fit_statistics(votes: Votes, fit: ClassFit, drawn: ModelSamples | None) -> dict[str, Any]:
    """Return G², X², their p-values, AIC and BIC."""
    size, value = votes.n_rated, fit.log_likelihood
    parameters = n_parameters(votes.n_raters, votes.n_labels, fit.step.share_j.size)
    freedom = votes.n_labels**votes.n_raters - 1 - parameters
    out: dict[str, Any] = {
        "n_parameters": parameters,
        "degrees_of_freedom": freedom,
        "g_squared": math.nan,
        "x_squared": math.nan,
        "p_value": math.nan,
        "bootstrap_p_value": math.nan,
    }
    if not _is_complete(votes):
        return out
    from scipy.special import chdtrc

    weight = votes.multiplicity
    g_squared = max(float(_g_squared(weight[None], np.array([value]))[0]), 0.0)
    expected = size * _chances(votes.dense(), fit.step)
    seen = weight > 0
    # Patterns that nobody produced add their E each, and all E add up to n.
    out["x_squared"] = max(float((weight[seen] ** 2 / expected[seen]).sum() - size), 0.0)
    out["g_squared"] = g_squared
    if 0 < freedom < 1e15:
        out["p_value"] = float(chdtrc(float(freedom), g_squared))
    if drawn is not None:
        beyond = int((drawn.g_squared_b >= g_squared - 1e-9).sum())
        out["bootstrap_p_value"] = (beyond + 1) / (drawn.g_squared_b.size + 1)
    return out


def _errors(votes: Votes, best: Best, drawn: ModelSamples | None) -> Errors:
    fit, smallest = best.fit, math.nan
    if is_affordable(votes, fit.step.share_j.size):
        errors = observed_errors(votes, fit.posterior, fit.step, label_of_class=best.label_of_class)
        if drawn is None:
            return errors
        smallest = errors.smallest
    if drawn is not None:
        return drawn.errors(smallest)
    rate = np.full((votes.n_raters, fit.step.share_j.size, votes.n_labels), np.nan)
    return Errors(rate[0, :, 0], rate, rate[:, 0, 0], smallest, "none: too many parameters")


def _accuracies(share_bj: Floats, rate_bgjl: Floats, label: NDArray[np.intp]) -> Floats:
    right = rate_bgjl[:, :, np.arange(label.size), label]
    return np.asarray(np.einsum("bj,bgj->bg", share_bj, right))


def _profiled(
    items: ClusteredVotes, fit: ClassFit, errors: Errors, rate_gjl: Floats, level: float
) -> Floats | None:
    """Return limits of the rates by profile likelihood, or None where that is costly.

    Near 1 the likelihood is no parabola, and limits from an error would reach far too low.
    """
    profile = Profile(items.votes, fit, level)
    if errors.smallest < SINGULAR or not profile.affords(rate_gjl.size):
        return None
    expected = expected_ratings(items.votes, fit.posterior)
    return profile_limits(profile, errors, rate_gjl, expected, items)[1]


def result(
    ratings: Ratings,
    votes: Votes,
    best: Best,
    drawn: ModelSamples | None,
    *,
    positive: int,
    level: float,
) -> LatentClasses:
    """Put together what was found."""
    fit, label = best.fit, best.label_of_class
    share, rate = fit.step.share_j, votes.tables(fit.step.rate_cj)
    expected = expected_ratings(votes, fit.posterior)
    errors = _errors(votes, best, drawn)
    of_shares, of_rates, of_accuracies = errors.drawn
    profiled = None
    if drawn is None:
        items = ClusteredVotes(votes, ratings.clusters)
        profiled = _profiled(items, fit, errors, rate, level)
    limits = partial(limits_of, confidence_level=level, exact_at_edges=True)
    rate_limits = limits(
        rate, errors.rate_gjl, expected[..., None], drawn=of_rates, profiled=profiled
    )
    accuracy, given = _accuracies(share[None], rate[None], label)[0], votes.totals().sum(axis=1)
    to_label = np.zeros((share.size, votes.n_labels))
    to_label[np.arange(share.size), label] = 1.0
    return LatentClasses(
        **shared_fields(
            ratings,
            votes,
            replace(fit, posterior=fit.posterior @ to_label),
            n_iterations=best.iterations,
            findings=_findings(ratings, votes, best, errors, has_bootstrap=bool(drawn)),
        ),
        raters=rater_qualities(
            ratings.raters,
            given,
            accuracy,
            errors.accuracy_g,
            limits(accuracy, errors.accuracy_g, given, drawn=of_accuracies),
            **_details(rate, errors.rate_gjl, rate_limits, label, positive),
        ),
        confidence_level=level,
        n_classes=share.size,
        n_used=votes.n_rated,
        class_labels=tuple(ratings.categories[k] for k in label.tolist()),
        class_posterior=votes.of_items(fit.posterior),
        prevalence=share,
        prevalence_standard_error=errors.share_j,
        prevalence_interval=limits(
            share, errors.share_j, np.full(share.size, float(votes.n_rated)), drawn=of_shares
        ),
        rates=rate,
        rates_standard_error=errors.rate_gjl,
        rates_interval=rate_limits,
        starts=best.starts,
        smallest_eigenvalue=errors.smallest,
        standard_error_method=errors.method,
        positive=ratings.categories[positive],
        **_fit_statistics(votes, fit, drawn),
    )


def _details(
    rate: Floats, error: Floats, limits: Floats, label: NDArray[np.intp], positive: int
) -> dict[str, Floats]:
    """Return sensitivity and specificity of the raters, where there are two classes and labels."""
    if not are_two_labels(rate, label.tolist()):
        return {}
    out = {}
    for name, wanted in zip(QUANTITIES, (positive, 1 - positive), strict=True):
        j = int(np.flatnonzero(label == wanted)[0])
        out[name] = rate[:, j, wanted]
        out[f"{name}_standard_error"] = error[:, j, wanted]
        out[f"{name}_low"], out[f"{name}_high"] = limits[:, j, wanted].T
    return out


def _findings(
    ratings: Ratings, votes: Votes, best: Best, errors: Errors, *, has_bootstrap: bool
) -> tuple[Finding, ...]:
    """Say what is to be known of the rates, of the search and of the test of fit."""
    rate = votes.tables(best.fit.step.rate_cj)
    met = expected_ratings(votes, best.fit.posterior)[..., None]
    at_edge = int((np.minimum(rate, 1.0 - rate) * met < BOUNDARY).sum())
    reached, patterns = np.array(best.starts), votes.n_labels**votes.n_raters
    is_complete = _is_complete(votes)
    return found(
        (
            errors.smallest < SINGULAR,
            "not_identified",
            "problem",
            "The information about the parameters is singular: many solutions fit equally "
            "well, and no standard errors exist. Ask for fewer classes, or add a rater.",
        ),
        (
            at_edge,
            "boundary",
            "caution",
            f"{at_edge} of {rate.size} rates are 0 or 1, where standard errors do not hold; "
            "their intervals are exact binomial limits. More items would help.",
        ),
        (
            reached.size > 1 and (reached > reached.max() - _SAME_MAXIMUM).sum() == 1,
            "one_start_won",
            "caution",
            f"Only one of {reached.size} starts reached the highest likelihood; raise n_starts "
            "to see whether there is a higher one.",
        ),
        (
            not is_complete,
            "no_test_of_fit",
            "info",
            "Some ratings are missing, so G² and X² do not exist; compare models by BIC.",
        ),
        (
            is_complete and not has_bootstrap and votes.n_rated < 5 * patterns,
            "sparse_table",
            "caution",
            lambda: (
                f"{votes.n_rated:,} items are few for {patterns:,} possible "
                "patterns, so the chi-squared p-value means nothing; pass n_resamples=999 for a "
                "test by samples of the model."
            ),
        ),
        (
            len(ratings.occasions) > 1,
            "first_occasion",
            "info",
            "Of repeated ratings only the first counts here.",
        ),
    )


_DIGITS = 9  # by which shares are compared
_LIKELIHOOD_ROUNDING = 1e-9  # relative difference of log-likelihoods that rounding may make
_LARGEST_DESIGN = 50_000_000  # cells of patterns × (rater · label)


def latent_classes(
    ratings: Ratings,
    *,
    n_classes: int = 2,
    n_starts: int = 20,
    positive: object = None,
    tolerance: float = 1e-10,
    max_iterations: int = 5000,
    n_resamples: int = 0,
    confidence_level: float = 0.95,
    above: float | None = None,
    rng: Seed = 0,
) -> LatentClasses:
    """Fit classes of items within which raters err independently, with fit and error rates.

    Use it to see whether "true label" is a fair picture of the data: the fit is tested, and the
    number of classes can be chosen. Prefer `dawid_skene` for crowds and for more than a dozen
    raters, where patterns of ratings do not repeat and no test of fit exists.

    Parameters
    ----------
    ratings : Ratings
        Missing ratings are taken to be missing for reasons that have nothing to do with the
        label. Of repeated ratings the first counts.
    n_classes : int
    n_starts : int
        Random starts; the highest likelihood wins.
    positive : label, default the last category
        Which of two labels sensitivity is about.
    tolerance, max_iterations
        Stop when the log-likelihood gains less than this, or after so many iterations.
    n_resamples : int
        Samples drawn from the fitted model: a test of fit that holds for sparse tables, and
        standard errors. 0 for none.
    confidence_level : float
    above : float, optional
        Also test whether each rater's sensitivity and specificity exceed this share, such as .99.
    rng : seed or numpy Generator

    Returns
    -------
    LatentClasses

    Raises
    ------
    UnsupportedDesignError
        The model has more parameters than the table of ratings has cells, so that many solutions
        fit equally well: two raters with two labels and two classes, for example.

    Notes
    -----
    P(pattern) = sum_j p_j prod_g pi_gj,x(g), with (m - 1) + m sum_g (q_g - 1) parameters.       (1)
    G² = 2 sum O ln(O/E) and X² = sum (O - E)²/E run over all patterns, seen or not; degrees of
    freedom are prod q_g - 1 - parameters. poLCA prints min(prod q_g - 1, n) - parameters.
    With missing ratings G² and X² do not exist. Agrees with poLCA and stepmix to 1e-6 [1]_.
    Classes are matched to labels such that the raters agree with them as far as possible; with
    more classes than labels, each further class takes the label it is most often given.

    References
    ----------
    .. [1] Linzer, D. A. & Lewis, J. B. (2011). poLCA: An R package for polytomous variable latent
       class analysis. Journal of Statistical Software 42(10). doi:10.18637/jss.v042.i10
    .. [2] Uebersax, J. S. & Grove, W. M. (1990). Latent class analysis of diagnostic agreement.
       Statistics in Medicine 9, 559-572. doi:10.1002/sim.4780090509

    Examples
    --------
    >>> import consilience as cs
    >>> study = cs.simulate(n_items=2000, n_raters=4, prevalence=0.3, accuracy=0.9, rng=2)
    >>> found = latent_classes(study.ratings)
    >>> found.degrees_of_freedom, [round(float(share), 1) for share in found.prevalence]
    (6, [0.3, 0.7])
    """
    n_classes = check_count("n_classes", n_classes)
    n_starts = check_count("n_starts", n_starts)
    max_iterations = check_count("max_iterations", max_iterations)
    n_resamples = check_count("n_resamples", n_resamples, least=0)
    tolerance = real_number("tolerance", tolerance, least=0.0)
    confidence_level = check_confidence_level(confidence_level)
    random = RandomStream.of(rng)
    data = check_ratings(ratings).active()
    need_independent_items(
        "latent_classes", data.clusters, instead="dawid_skene has limits that allow for them"
    )
    votes = votes_of("latent_classes", data, occasions="first")
    place = _place_of(positive, data)
    _check_size(votes, n_classes)
    options = {"tolerance": tolerance, "max_iterations": max_iterations}
    order = DrawOrder.of(votes, data)
    best = _fit(votes, n_classes, n_starts, (random, order), options)
    drawn = None
    if n_resamples:
        drawn = bootstrap(votes, best, n_resamples, (random, order), options)
    found = result(data, votes, best, drawn, positive=place, level=confidence_level)
    if above is None:
        return found
    null = probability("above", above)
    tests = above_tests(
        votes,
        best.fit,
        found.rates,
        best.label_of_class,
        raters=data.raters,
        positive=place,
        null=null,
    )
    return replace(found, above=tests)


def compare_classes(
    ratings: Ratings,
    /,
    n_classes: Iterable[int] = range(2, 6),
    *,
    n_starts: int = 20,
    positive: object = None,
    tolerance: float = 1e-10,
    max_iterations: int = 5000,
    n_resamples: int = 0,
    confidence_level: float = 0.95,
    rng: Seed = 0,
) -> ComparedClasses:
    """Fit models with different numbers of classes and order them by BIC.

    Use it to choose the number of classes. Prefer the bootstrap of G² in `latent_classes` to
    judge whether the chosen model fits at all.

    Parameters
    ----------
    ratings : Ratings
    n_classes : whole numbers
    n_starts, positive, tolerance, max_iterations, n_resamples, confidence_level, rng
        As in `latent_classes`.

    Returns
    -------
    ComparedClasses
        One row per model; a model that the data cannot identify says so.

    Examples
    --------
    >>> import consilience as cs
    >>> study = cs.simulate(n_items=1000, n_raters=5, accuracy=0.85, rng=3)
    >>> compare_classes(study.ratings, range(1, 4)).best.n_classes
    2
    """
    if isinstance(n_classes, (str, bytes)) or not isinstance(n_classes, Iterable):
        raise InputError.expected(
            "n_classes", "several whole numbers", n_classes, "for example n_classes=range(1, 5)"
        )
    wanted = sorted({check_count("n_classes", one) for one in n_classes})
    if not wanted:
        raise InputError.expected(
            "n_classes", "at least one whole number", wanted, "for example n_classes=range(1, 5)"
        )
    rows = []
    for size in wanted:
        try:
            model = latent_classes(
                ratings,
                n_classes=size,
                n_starts=n_starts,
                positive=positive,
                tolerance=tolerance,
                max_iterations=max_iterations,
                n_resamples=n_resamples,
                confidence_level=confidence_level,
                rng=rng,
            )
            rows.append(ClassComparison(size, model))
        except UnsupportedDesignError as error:
            rows.append(ClassComparison(size, None, str(error)))
    if all(row.model is None for row in rows):
        raise UnsupportedDesignError(rows[0].reason)
    return ComparedClasses(rows=tuple(rows))


# ---- checks


def _place_of(positive: object, ratings: Ratings) -> int:
    if positive is None:
        return len(ratings.categories) - 1
    wanted = label_key(plain_label(positive))
    keys = [label_key(label) for label in ratings.categories]
    if wanted in keys:
        return keys.index(wanted)
    text = [str(label) for label in ratings.categories]
    if str(positive) in text:  # the command line knows text only
        return text.index(str(positive))
    raise InputError.unknown_word("positive", positive, [str(x) for x in ratings.categories])


def _check_size(votes: Votes, n_classes: int) -> None:
    needed = n_parameters(votes.n_raters, votes.n_labels, n_classes)
    patterns = votes.n_labels**votes.n_raters
    if needed > patterns - 1:
        raise UnsupportedDesignError.needs(
            f"latent_classes with {n_classes} classes",
            f"more patterns of ratings than parameters: {needed} parameters are to be found",
            f"{patterns - 1} from {votes.n_raters} raters and {votes.n_labels} labels, so that "
            "many solutions fit equally well",
            "add a rater, or ask for fewer classes",
        )
    if votes.n_rows * votes.n_raters * votes.n_labels > _LARGEST_DESIGN:
        raise UnsupportedDesignError.needs(
            "latent_classes",
            "few raters, or patterns of ratings that repeat",
            f"{votes.n_raters:,} raters and {votes.n_rows:,} different patterns",
            "use dawid_skene, which is made for crowds",
        )


# ---- fitting


def _fit(
    votes: Votes,
    n_classes: int,
    n_starts: int,
    draws: tuple[RandomStream, DrawOrder],
    options: dict[str, Any],
) -> Best:
    counts = votes.dense()
    start = random_start(n_starts, n_classes, *draws)
    weight = np.broadcast_to(votes.multiplicity, (n_starts, votes.n_rows))
    batch = fit_batch(counts, weight, start, votes.n_labels, **options)
    # Of starts that reached the same the first counts, whatever the last digits say.
    highest = float(batch.log_likelihood_b.max())
    same = batch.log_likelihood_b >= highest - _LIKELIHOOD_ROUNDING * max(abs(highest), 1.0)
    k = int(np.argmax(same))
    step = Step(batch.share_bj[k], batch.rate_bcj[k])
    posterior, value = expect(votes, *step.logs)
    reached = ClassFit(step, posterior, value, np.array([value]), bool(batch.converged_b[k]))
    fit = at_rest(votes, reached, ConfusionStep(votes.n_raters, votes.n_labels))
    order, label_of_class = _named(fit.step.share_j, fit.step.rate_cj, votes)
    named = replace(
        fit,
        step=Step(fit.step.share_j[order], fit.step.rate_cj[:, order]),
        posterior=np.ascontiguousarray(fit.posterior[:, order]),
    )
    starts = tuple(batch.log_likelihood_b.tolist())
    return Best(named, starts, int(batch.iterations_b[k]), label_of_class)


def _named(
    share_j: Floats, rate_cj: Floats, votes: Votes
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Order the classes by the label that they stand for, and say which that is."""
    from scipy.optimize import linear_sum_assignment

    given_gl = votes.totals().sum(axis=1)
    weight = given_gl / given_gl.sum()
    table_jl = np.einsum("g,gjl->jl", weight, votes.tables(rate_cj))
    # What rounding alone tells apart counts as the same: then rates decide, or nothing.
    table_jl, share_j = np.round(table_jl, _DIGITS), np.round(share_j, _DIGITS)
    label = table_jl.argmax(axis=1)
    gain = np.round(share_j[:, None] * table_jl, _DIGITS)
    classes, labels = linear_sum_assignment(gain, maximize=True)
    label[classes] = labels
    order = np.lexsort((*-table_jl.T[::-1], -share_j, label))
    return order, label[order]


def _one_or_several(
    ratings: Ratings, *, n_classes: tuple[int, ...] = (2,), **options: Any
) -> LatentClasses | ComparedClasses:
    if len(n_classes) > 1:
        options.pop("above", None)
        return compare_classes(ratings, n_classes, **options)
    return latent_classes(ratings, n_classes=n_classes[0], **options)


LATENT_MODELS.add(
    LatentModel(
        "lca",
        "latent classes, with a test of fit",
        ("n_classes", "confidence_level", "rng", "n_starts", "n_resamples", "positive", "above"),
        _one_or_several,
    )
)
