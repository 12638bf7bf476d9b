"""Omega: correct for chance only where raters were at a loss, measured by test and retest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from consilience.coefficients import Estimate, gwet_ac
from consilience.core.arrays import Floats, Ints
from consilience.core.checks import number_where
from consilience.distances import Distance, get_distance
from consilience.document import Finding, found
from consilience.document.measured_coverage import interval_approximate
from consilience.exceptions import DegenerateDataWarning, InputError, UnsupportedDesignError, warn
from consilience.inference.bootstrap_intervals import Jackknife
from consilience.latent.model_registry import LATENT_MODELS, LatentModel
from consilience.latent.models._omega_checks import (
    INFECTED_SHARE,
    check_design,
    check_retests,
    check_threshold,
    check_weight,
)
from consilience.latent.models._omega_results import Omega, OmegaPair, OmegaRater
from consilience.latent.models._omega_study import Chance, Pairs, Study
from consilience.latent.raters._occasions import (
    check_raters,
    codes_by_occasion,
    occasions_as_raters,
)
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items
from consilience.rows import label_space

CHANCES = ("uniform", "marginal", "pooled", "unstable")
OCCASIONS = ("all", "first")


def omega(
    ratings: Ratings,
    *,
    chance: str = "uniform",
    weight: Any = "corrected",
    stability_threshold: float | None = None,
    occasions: str = "all",
    distance: Any = None,
) -> Omega:
    """Omega: agreement corrected for chance on the chance-infected items only.

    Use it when raters rated the same items more than once: items on which a rater does not repeat
    herself show how much is guessed. Prefer `cohen_kappa`, `scott_pi` or `gwet_ac`, which treat
    every item as if it might have been guessed, when there is one rating per rater and item.

    Parameters
    ----------
    ratings : Ratings
        With occasions: ``Ratings.from_long(frame, occasion="occasion")``.
    chance : {"uniform", "marginal", "pooled", "unstable"}
        How raters label when they guess: every label alike; as they label overall, each by
        herself or all together; or as estimated from the ratings that did not repeat.
    weight : {"corrected", "naive"}, a number, or certainties
        The share w of chance-infected items. "naive" counts items on which either rater is
        unstable; "corrected" allows for guesses that repeat by luck. A number between 0 and 1
        states w. Certainties between 0 and 1, a table of items × raters or a mapping of rater to
        list, give w = 1 - mean of the two raters' product.
    stability_threshold : float, optional
        A rater counts as unstable on an item where the share of her most frequent label is below
        this; by default, where her ratings are not all equal.
    occasions : {"all", "first"}
        Compare every rating of one rater with every rating of the other, or the first ones only.
    distance : str, Distance or callable, default the one that fits the scale
        Agreement is 1 - d / max d. A distance that depends on the data is held fixed when items
        are resampled. Stability is about labels being equal, whatever the distance.

    Returns
    -------
    Omega
        `value`, its parts `observed`, `expected` and `weight`, the `serious_agreement`, parts by
        pair and rater, and intervals on request.

    Raises
    ------
    UnsupportedDesignError
        One rater, no item that two raters share, or one rating per rater and item without a
        stated weight.
    InputError
        Unknown words, weights or certainties outside 0 to 1 or of the wrong shape.

    Warns
    -----
    DegenerateDataWarning
        ``chance="unstable"`` where the ratings that did not repeat do not tell one distribution
        (two labels and two occasions never do); "pooled" takes its place.

    Notes
    -----
    P_A is the mean over items of the share of equal pairs of ratings; P_C = w sum_k p_1k p_2k;
    more raters: P_A and P_C are averaged over pairs before omega = (P_A - P_C) / (1 - P_C).
    With w = 0 omega is raw agreement; with w = 1 and one occasion it is S ("uniform"), pi
    ("pooled") or kappa ("marginal"). Where only one of two ratings is a guess, the product of the
    two distributions is exact only for even ones. A rater who always gives the same label when
    at a loss looks serious: no retest can tell [1]_.

    References
    ----------
    .. [1] Stegmann, J. & Lücking, A. (2005). Assessing reliability on annotations (1): theoretical
       considerations. SFB 360, University of Bielefeld. Section 3.2.

    Examples
    --------
    >>> twice = {
    ...     "item": [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4],
    ...     "rater": ["A", "A", "B", "B"] * 4,
    ...     "occasion": [1, 2] * 8,
    ...     "label": list("xxxxyyyyxyxxyyyy"),
    ... }
    >>> result = omega(Ratings.from_long(twice, occasion="occasion"), weight="naive")
    >>> result.weight, result.expected, round(result.value, 4)
    (0.25, 0.125, 0.8571)
    """
    data = check_raters("omega", ratings)
    for what, word, known in (("chance", chance, CHANCES), ("occasions", occasions, OCCASIONS)):
        if word not in known:
            raise InputError.unknown_word(what, word, known)
    need_independent_items(
        "omega", data.clusters, instead="gwet_ac has an error that allows for them"
    )
    check_design(data)
    threshold = check_threshold(stability_threshold)
    measure = get_distance(distance, scale=data.scale)
    codes = codes_by_occasion("omega", data)
    stated, certainty = check_weight(weight, data)
    study = Study.of(
        codes,
        n_labels=len(data.categories),
        similarity=_similarity(data, measure, codes),
        chance=chance,
        weight=stated,
        threshold=threshold,
        occasions=occasions,
        certainty=certainty,
    )
    if certainty is None and isinstance(stated, str):
        check_retests(study, data, threshold)
    return _result(study, data, codes, measure)


def _similarity(ratings: Ratings, measure: Distance, codes: Ints) -> Floats | None:
    if measure.name == "nominal":
        return None
    counts = np.bincount(codes[codes >= 0], minlength=len(ratings.categories)).astype(np.float64)
    d_kl = np.asarray(measure.matrix(label_space(ratings), counts), dtype=np.float64)
    widest = float(d_kl.max(initial=0.0))
    return 1.0 - d_kl / widest if widest > 0.0 else np.ones_like(d_kl)


# -------------------------------------------------------------------- result


def _result(study: Study, ratings: Ratings, codes: Ints, measure: Distance) -> Omega:
    add = study.whole()
    pairs, chance = study.evaluate(add), study.chances(add)
    if not (pairs.shared > 0.0).any():
        raise UnsupportedDesignError.needs(
            "omega",
            "at least one item that two raters both rated",
            f"{ratings.n_items:,} items, {len(ratings.raters)} raters and none in common",
            "let at least two raters rate the same items",
        )
    value = float(pairs.omega()[0])
    observed, expected, weight = (
        float(pairs.mean(part)[0]) for part in (pairs.observed, pairs.expected, pairs.weight)
    )
    reason = None
    if not math.isfinite(value):
        reason = (
            "no_variation: chance agreement is 1 and nothing is left to measure. Rate items that "
            "differ, or declare the categories that could have been used"
            if math.isfinite(expected)
            else "no_weight: no share of chance-infected items follows from the certainties given"
        )
    left_out = study.left_out() if reason is None else np.full(study.multiplicity.size, math.nan)
    findings = _findings(study, ratings, chance, pairs, weight)
    _tell_fallback(findings)
    jackknife = Jackknife(value, left_out, study.multiplicity)
    return Omega(
        value=value,
        observed=observed,
        expected=expected,
        weight=weight,
        weight_method=study.weight if isinstance(study.weight, str) else "stated",
        chance=study.chance,
        serious_agreement=(observed - expected) / (1.0 - weight) if weight < 1.0 else math.nan,
        status="ok" if reason is None else "undefined",
        reason=reason,
        standard_error=jackknife.standard_error if np.isfinite(left_out).all() else math.nan,
        pairs=_pairs(ratings, pairs),
        raters=_raters(study, ratings, codes, chance),
        n_items=ratings.n_items,
        n_occasions=codes.shape[1],
        occasions=study.occasions,
        distance=measure.name,
        findings=findings,
        _study=study,
        _left_out=left_out,
    )


def _pairs(ratings: Ratings, pairs: Pairs) -> tuple[OmegaPair, ...]:
    names = ratings.raters
    whose = [(names[g], names[h]) for g in range(len(names)) for h in range(g + 1, len(names))]
    out = []
    for j, two in enumerate(whose):
        if pairs.shared[j, 0] == 0.0:
            continue
        p_a, p_c = float(pairs.observed[j, 0]), float(pairs.expected[j, 0])
        out.append(
            OmegaPair(
                raters=two,
                observed=p_a,
                expected=p_c,
                weight=float(pairs.weight[j, 0]),
                value=(p_a - p_c) / (1.0 - p_c) if p_c < 1.0 - 1e-14 else math.nan,
                n_items=round(float(pairs.shared[j, 0])),
            )
        )
    return tuple(out)


def _raters(study: Study, ratings: Ratings, codes: Ints, chance: Chance) -> tuple[OmegaRater, ...]:
    guessed = study.guessed(chance, study.whole())
    out = []
    for r, name in enumerate(ratings.raters):
        again = (study.given[r] >= 2) * study.multiplicity
        n = float(again.sum())
        out.append(
            OmegaRater(
                rater=name,
                n_items=round(n),
                unstable=float(again @ study.unstable[r]) / n if n else math.nan,
                guessed=float(guessed[r]),
                chance=dict(zip(ratings.categories, chance.shares[r, :, 0].tolist(), strict=True)),
                intra_rater=_intra_rater(ratings, codes[r]) if n else None,
            )
        )
    return tuple(out)


def _intra_rater(ratings: Ratings, codes: Ints) -> Estimate:
    return gwet_ac(occasions_as_raters(ratings, codes), distance="nominal", on_undefined="ignore")


def _findings(
    study: Study, ratings: Ratings, chance: Chance, pairs: Pairs, weight: float
) -> tuple[Finding, ...]:
    fell_back = [
        str(name) for name, flag in zip(ratings.raters, chance.fell_back[:, 0], strict=True) if flag
    ]
    apart = int((pairs.shared[:, 0] == 0.0).sum())
    return (
        *found(
            (
                fell_back,
                "chance_not_identified",
                "caution",
                "The ratings that did not repeat do not tell how these raters guess: "
                f"{', '.join(fell_back)}. The pooled distribution was taken instead.",
                "Use three occasions or more, or chance='uniform'.",
            ),
            (
                study.chance != "uniform",
                "product_of_distributions",
                "info",
                "Where only one of two ratings is a guess, the product of the two distributions "
                "is exact for even ones only.",
                "Compare with chance='uniform'.",
            ),
            (
                weight >= 1.0,
                "all_chance_infected",
                "caution",
                "Every item counts as chance-infected, so omega corrects for chance on all.",
                "Look at each rater's agreement with herself before anything else.",
            ),
            (
                apart,
                "pairs_without_common_items",
                "info",
                f"{apart} pairs of raters share no item and are left out.",
            ),
        ),
        interval_approximate("omega"),
    )


def _tell_fallback(findings: tuple[Finding, ...]) -> None:
    for finding in findings:
        if finding.code == "chance_not_identified":
            warn(finding.sentence, DegenerateDataWarning)


def omega_chance_term(weight: float, *distributions: Any) -> float:
    """Return P_C = w sum_k p_1k p_2k of two distributions (Stegmann & Lücking 2005, eq. 3.2).

    Parameters
    ----------
    weight : float
        w, the share of items where chance was at work.
    distributions : two sequences of shares
        How each rater guesses.

    Returns
    -------
    float

    Examples
    --------
    >>> omega_chance_term(0.25, [0.5, 0.5], [0.5, 0.5])  # Stegmann & Lücking 2005, section 2.2.1
    0.125
    """
    w = number_where(
        "weight", weight, "between 0 and 1", INFECTED_SHARE, fits=lambda x: 0.0 <= x <= 1.0
    )
    try:
        p = [np.asarray(one, dtype=np.float64) for one in distributions]
    except (TypeError, ValueError):
        p = []
    fits = len(p) == 2 and p[0].ndim == 1 and p[0].shape == p[1].shape and p[0].size > 0
    if not fits or any((x < 0.0).any() or abs(x.sum() - 1.0) > 1e-6 for x in p):
        raise InputError.expected(
            "distributions",
            "two lists of shares over the same labels, each adding up to 1",
            distributions,
            "for example [0.5, 0.5], [0.7, 0.3]",
        )
    return w * float(p[0] @ p[1])


LATENT_MODELS.add(
    LatentModel(
        "omega",
        "chance from repeated ratings (Stegmann & Lücking 2005)",
        ("chance", "weight"),
        omega,
    )
)
