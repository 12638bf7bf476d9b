"""Latent class analysis: kinds of items that explain why raters agree as they do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.core.checks import probability, real_number
from consilience.core.draws import RandomStream
from consilience.core.labels import label_key
from consilience.core.labels import plain as plain_label
from consilience.core.resample import Seed
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import check_confidence_level
from consilience.latent.entries import check_ratings
from consilience.latent.model_registry import LATENT_MODELS, LatentModel
from consilience.latent.models._above_test import above_tests
from consilience.latent.models._class_results import Best, bootstrap, n_parameters, result
from consilience.latent.models._classes import ClassComparison, ComparedClasses, LatentClasses
from consilience.latent.models._draw_order import DrawOrder
from consilience.latent.models._em import (
    ClassFit,
    ConfusionStep,
    Step,
    at_rest,
    expect,
    fit_batch,
    logarithm,
    random_start,
)
from consilience.latent.models._sparse_ratings import Votes, votes_of
from consilience.latent.models._truth_model import check_count
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items

_DIGITS = 9  # by which shares are compared
_SAME = 1e-9  # relative difference of log-likelihoods that rounding may make
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


# -------------------------------------------------------------------- checks


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


# -------------------------------------------------------------------- fitting


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
    same = batch.log_likelihood_b >= highest - _SAME * max(abs(highest), 1.0)
    k = int(np.argmax(same))
    step = Step(batch.share_bj[k], batch.rate_bcj[k])
    posterior, value = expect(votes, logarithm(step.share_j), logarithm(step.rate_cj))
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
