"""A latent trait: items lie on a line, and each rater cuts the line at thresholds of her own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.result import Several
from consilience.core.words import interval_head
from consilience.document import (
    Document,
    Finding,
    Range,
    Recorded,
    Table,
    found,
)
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import check_confidence_level
from consilience.latent.model_registry import LATENT_MODELS, LatentModel
from consilience.latent.models._sparse_ratings import votes_of
from consilience.latent.models._trait_model import MOST_PARAMETERS, STEEP, VAGUE, Model, Place
from consilience.latent.models._truth_model import check_count, common_findings
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items

LINKS = ("logit", "probit")
FEWEST_NODES = 21
_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterTrait(Recorded):
    """One rater's place on the line.

    Attributes
    ----------
    rater : name
    n_ratings : int
    slope : float
        How much the trait counts for her: 0 for ratings that have nothing to do with it.
    slope_standard_error, slope_low, slope_high : float
    thresholds : tuple of float
        Where on the line each next label becomes as likely as not; NaN if she never used it.
    threshold_standard_errors : tuple of float
    """

    rater: object
    n_ratings: int
    slope: float
    slope_standard_error: float
    slope_low: float
    slope_high: float
    thresholds: tuple[float, ...]
    threshold_standard_errors: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class LatentTrait(Recorded, Several):
    """Items on a line, with each rater's thresholds and slope.

    Attributes
    ----------
    items, categories : names of the items and the labels
    scores : array
        Each item's place on the line, mean 0 and variance 1 over all items; NaN if unrated.
    score_standard_errors : array
    raters : tuple of RaterTrait
    link : {"logit", "probit"}
    log_likelihood, aic, bic : float
    n_parameters, n_nodes : int
    converged : bool
    reliability : float
        Share of the variance of the scores that is not error.
    findings : tuple of Finding
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("scores", "score_standard_errors")
    recorded: ClassVar[tuple[str, ...]] = ("reliability", "n_items")

    items: Sequence[object] = field(repr=False)
    categories: tuple[object, ...]
    scores: Floats = field(repr=False)
    score_standard_errors: Floats = field(repr=False)
    raters: tuple[RaterTrait, ...] = field(repr=False)
    link: str
    log_likelihood: float
    aic: float
    bic: float
    n_parameters: int
    n_nodes: int
    n_ratings: int
    converged: bool
    confidence_level: float
    findings: tuple[Finding, ...] = field(default=(), repr=False)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.scores.size)

    @property
    def reliability(self) -> float:
        """Share of the variance of the scores that is not error."""
        known = ~np.isnan(self.scores)
        error = float((self.score_standard_errors[known] ** 2).mean())
        spread = float(self.scores[known].var())
        return spread / (spread + error) if spread + error > 0 else math.nan

    def _beside(self) -> Mapping[str, Any]:
        columns = (self.items, self.scores.tolist(), self.score_standard_errors.tolist())
        keys = ("item", "score", "standard_error")
        return {"items": [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]}

    def document(self) -> Document:
        """Return the result as something to read."""
        left = len(self.raters) - _MOST_SHOWN
        table = Table.of(
            self.raters[:_MOST_SHOWN],
            "rater!s",
            "ratings: n_ratings",
            "slope",
            (
                interval_head(self.confidence_level),
                lambda one: Range(one.slope_low, one.slope_high),
            ),
            *((f"to {name}", f"thresholds.{k}") for k, name in enumerate(self.categories[1:])),
            caption="Slopes, and the thresholds at which raters go on to the next label",
            note=f"{left:,} more raters are not shown." if left > 0 else "",
        )
        text = (
            f"The reliability of the scores is {self.reliability:.3f}; the log-likelihood is "
            f"{self.log_likelihood:.3f}, AIC {self.aic:.3f}, BIC {self.bic:.3f}."
        )
        title = f"Latent trait, {self.link}"
        return Document.of(text, table, title=title, findings=self.findings)


def latent_trait(
    ratings: Ratings,
    *,
    link: str = "logit",
    n_nodes: int = 41,
    max_iterations: int = 1000,
    confidence_level: float = 0.95,
) -> LatentTrait:
    """Place items on a line and find each rater's thresholds and slope.

    Use it for ordered labels, or two, when items differ by degree and raters in where they draw the
    line. Prefer `latent_classes` or `dawid_skene` when items are of different kinds.

    Parameters
    ----------
    ratings : Ratings
        Two categories, or more on an ordinal scale; missing ratings are ignored, repeated ones
        count.
    link : {"logit", "probit"}
    n_nodes : int
        Nodes of the Gauss-Hermite rule, at least 21.
    max_iterations : int
    confidence_level : float

    Returns
    -------
    LatentTrait
        `scores` of the items and `raters` with slopes and thresholds.

    Raises
    ------
    UnsupportedDesignError
        More than two labels without an order, counts without raters, one rater, one label.

    Notes
    -----
    With z the place of an item, standard normal, the graded response model [1]_ says
    P(label of rater g is k or higher) = F(a_g (z - b_gk)),                                      (1)
    F logistic or normal. The likelihood is integrated over z by Gauss-Hermite quadrature and
    maximised with its exact gradient; a slope that grows without end is stopped at 15. With two
    raters, or few ratings of each, many solutions fit equally well: then a vague prior chooses,
    normal around 0 with standard deviation 3 on the slope, the lowest cut a_g b_g1 and the logs of
    the steps between cuts, there are no standard errors, and a finding says so.

    References
    ----------
    .. [1] Samejima, F. (1969). Estimation of latent ability using a response pattern of graded
       scores. Psychometrika Monograph 17.
    .. [2] Uebersax, J. S. (1993). Statistical modeling of expert ratings on medical treatment
       appropriateness. Journal of the American Statistical Association 88, 421-427.

    Examples
    --------
    >>> import consilience as cs
    >>> study = cs.simulate(n_items=800, n_raters=4, categories=3, scale="ordinal",
    ...                     noise=[0.3, 0.3, 0.6, 1.2], rng=4)
    >>> found = latent_trait(study.ratings, link="probit")
    >>> slopes = [one.slope for one in found.raters]
    >>> slopes[2] > slopes[3]
    True
    """
    if link not in LINKS:
        raise InputError.unknown_word("link", link, LINKS)
    n_nodes = check_count("n_nodes", n_nodes, least=FEWEST_NODES)
    max_iterations = check_count("max_iterations", max_iterations)
    confidence_level = check_confidence_level(confidence_level)
    votes = votes_of("latent_trait", ratings)
    need_independent_items(
        "latent_trait", ratings.clusters, instead="dawid_skene has limits that allow for them"
    )
    if votes.n_labels > 2 and not ratings.ordered:
        raise UnsupportedDesignError.needs(
            "latent_trait",
            "two labels, or labels in order",
            f"{votes.n_labels} labels on a {ratings.scale} scale",
            'pass scale="ordinal" with categories in order, or use dawid_skene',
        )
    model = Model.of(votes, link, n_nodes)
    if not any(model.sizes):
        raise UnsupportedDesignError.needs(
            "latent_trait",
            "a rater who used more than one label",
            f"{votes.n_raters} raters who each used a single label",
            "check that raters and items were not mixed up when the ratings were read",
        )
    return _result(ratings, model, model.fit(max_iterations), max_iterations, confidence_level)


# -------------------------------------------------------------------- results


def _rater_trait(
    who: tuple[object, int], own: Floats, cov: Floats | None, shape: tuple[int, Any], reach: float
) -> RaterTrait:
    """Turn slope and cuts into slope and thresholds, with delta-method errors."""
    n_labels, labels = shape
    thresholds, errors = (np.full(n_labels - 1, np.nan) for _ in range(2))
    slope = error = math.nan
    if own.size:
        slope, steps = float(own[0]), np.exp(own[2:])
        cut = own[1] + np.concatenate([[0.0], np.cumsum(steps)])
        gradient = np.zeros((cut.size, own.size))
        gradient[:, 1] = 1.0
        for k in range(steps.size):
            gradient[k + 1 :, 2 + k] = steps[k]
        place = labels[1:] - 1
        if abs(slope) > 1e-8:
            thresholds[place] = cut / slope
            gradient /= slope
            gradient[:, 0] = -cut / slope**2
            if cov is not None:
                spread = np.einsum("kd,de,ke->k", gradient, cov, gradient)
                errors[place] = np.sqrt(np.maximum(spread, 0.0))
        sharp = abs(slope) >= STEEP - 1e-6  # stopped on the way to infinity: no error exists
        error = math.nan if cov is None or sharp else math.sqrt(max(float(cov[0, 0]), 0.0))
    return RaterTrait(
        rater=who[0],
        n_ratings=who[1],
        slope=slope,
        slope_standard_error=error,
        slope_low=slope - reach * error,
        slope_high=slope + reach * error,
        thresholds=tuple(thresholds.tolist()),
        threshold_standard_errors=tuple(errors.tolist()),
    )


def _result(
    ratings: Ratings, model: Model, place: Place, max_iterations: int, level: float
) -> LatentTrait:
    from scipy.special import ndtri

    votes, theta = model.votes, place.theta
    post, value = model.posterior(theta)
    cov = model.covariance(theta) if place.told else None
    score = post @ model.z
    spread = np.sqrt(np.maximum(post @ model.z**2 - score**2, 0.0))
    given = votes.totals().sum(axis=1)
    reach = float(ndtri(0.5 + level / 2.0))
    traits, start = [], 0
    for g, (name, size) in enumerate(zip(ratings.raters, model.sizes, strict=True)):
        mine = slice(start, start + size)
        own_cov = None if cov is None else cov[mine, mine]
        shape = (votes.n_labels, model.used[g])
        who = (name, round(float(given[g])))
        traits.append(_rater_trait(who, theta[mine], own_cov, shape, reach))
        start += size
    findings = common_findings(
        ratings, votes, converged=place.converged, max_iterations=max_iterations
    )
    return LatentTrait(
        items=ratings.items,
        categories=ratings.categories,
        scores=votes.of_items(score),
        score_standard_errors=votes.of_items(spread),
        raters=tuple(traits),
        link=model.link,
        log_likelihood=value,
        aic=-2.0 * value + 2.0 * theta.size,
        bic=-2.0 * value + theta.size * math.log(max(votes.n_rated, 1)),
        n_parameters=int(theta.size),
        n_nodes=int(model.z.size),
        n_ratings=round(float(given.sum())),
        converged=place.converged,
        confidence_level=level,
        findings=findings + _findings(traits, cov, place),
    )


def _findings(traits: list[RaterTrait], cov: Floats | None, place: Place) -> tuple[Finding, ...]:
    why = "the ratings do not fix the estimates"
    if place.theta.size > MOST_PARAMETERS:
        why = f"there are more than {MOST_PARAMETERS} parameters"
    elif place.told:
        why = "the likelihood is no hill around the estimates"
    sharp = [str(one.rater) for one in traits if abs(one.slope) >= STEEP - 1e-6]
    turned = [str(one.rater) for one in traits if one.slope_high < 0]
    constant = [str(one.rater) for one in traits if math.isnan(one.slope)]
    return found(
        (
            not place.told,
            "many_solutions",
            "caution",
            "Many slopes and thresholds fit these ratings equally well. Those shown are the "
            "most likely ones if the slope and each other parameter of a rater are normal "
            f"beforehand, with mean 0 and standard deviation {VAGUE:g}; the log-likelihood, "
            "AIC and BIC are theirs. Add a rater or items.",
        ),
        (cov is None, "no_standard_errors", "caution", f"No standard errors: {why}."),
        (
            sharp,
            "sharp_threshold",
            "caution",
            f"{', '.join(sharp[:3])}: the slope grew without end and was stopped at "
            f"{STEEP:g}; this rater's labels follow the line without error.",
        ),
        (
            turned,
            "reversed_rater",
            "problem",
            f"{', '.join(turned[:3])}: rates against the others; ask whether the scale was "
            "turned round.",
        ),
        (
            constant,
            "constant_rater",
            "info",
            f"{', '.join(constant[:3])}: used one label only and says nothing about the items.",
        ),
    )


LATENT_MODELS.add(
    LatentModel("latent-trait", "items differ by degree", ("confidence_level",), latent_trait)
)
