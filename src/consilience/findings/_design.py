"""What the design does not support: crowds for kappa, unused labels, items that share a cluster."""

from __future__ import annotations

import math

import numpy as np

from consilience.coefficients import Estimate
from consilience.core.words import enumerated
from consilience.document import Finding
from consilience.findings._checks_registry import register, scale_free
from consilience.findings._study import MOST_RATERS, Study, shown
from consilience.ratings.clusters import Clusters

_FEW_IN_COMMON = 5.0
_ONE_CLASS = 0.2  # the width of a class of Landis and Koch
_CLASSES_APART = 2
_DEVIATIONS = 1.5  # by how many errors of its own a variance must be larger
_RISE = 0.005  # of S, by labels that nobody used


@register
def kappa_without_shared_items(study: Study) -> Finding | None:
    """Say when kappa, which lives on each rater's own habits, is computed for a crowd.

    Examples
    --------
    >>> from consilience import Ratings, cohen_kappa
    >>> crowd = {"item": [], "rater": [], "label": []}
    >>> for i in range(60):
    ...     for j in range(2):
    ...         crowd["item"].append(i); crowd["rater"].append((i * 2 + j) % 40)
    ...         crowd["label"].append("ab"[(i + i * j) % 2])
    >>> r = Ratings.from_long(crowd)
    >>> print(kappa_without_shared_items(Study(r, (cohen_kappa(r),))).message)
    40 raters gave 3 ratings each on average: too few to know each rater's habits, which Conger's
    kappa is corrected for.
    """
    kappa = study.given("cohen_kappa")
    n_raters = len(study.ratings.raters)
    if kappa is None or kappa.status != "ok" or n_raters <= MOST_RATERS:
        return None
    per_rater = study.ratings.n_ratings / n_raters
    n_labels = max(2, len(study.ratings.categories)) if study.has_categories else 2
    if per_rater >= _FEW_IN_COMMON * n_labels:
        return None
    return Finding(
        "kappa_without_shared_items",
        "caution",
        f"{n_raters:,} raters gave {per_rater:.0f} ratings each on average: too few to know each "
        f"rater's habits, which {kappa.name} is corrected for.",
        "Report Krippendorff's alpha or Fleiss' kappa, which ask only how often each label was "
        "used.",
        {"raters": n_raters, "ratings_per_rater": per_rater},
    )


@register
def words_do_not_transfer(study: Study) -> Finding | None:
    """Say when a scale of words made for kappa would praise AC1 or S far more than kappa.

    Examples
    --------
    >>> from consilience import Ratings, gwet_ac
    >>> r = Ratings.from_table([[118, 5], [2, 0]])  # agreement on the common label only
    >>> print(words_do_not_transfer(Study(r, (gwet_ac(r),))).message)
    Landis and Koch's words were made for kappa: they would call this Gwet's AC1 (0.941) almost
    perfect and the Scott's pi of the same ratings (-0.029) poor.
    """
    if not (study.has_categories and study.nominal):
        return None
    lenient = next((e for e in study.estimates if e.coefficient in ("gwet_ac", "bennett_s")), None)
    if lenient is None or lenient.status != "ok":
        return None
    pi = study.measured("scott_pi", distance=study.distance)
    if pi.status != "ok" or lenient.value - pi.value <= _ONE_CLASS:
        return None
    from consilience.inference import SCALES  # few studies come so far

    scale = SCALES["landis-koch"]
    places = [scale.labels.index(scale.label(one.value)) for one in (pi, lenient)]
    if places[1] - places[0] < _CLASSES_APART:
        return None
    return Finding(
        "words_do_not_transfer",
        "info",
        f"Landis and Koch's words were made for kappa: they would call this {lenient.name} "
        f"({lenient.value:.3f}) {scale.label(lenient.value)} and the {pi.name} of the same ratings "
        f"({pi.value:.3f}) {scale.label(pi.value)}.",
        "Quote the numbers with their intervals instead of the words.",
        {"coefficient": lenient.coefficient, "value": lenient.value, "scott_pi": pi.value},
    )


@register
@scale_free
def unused_labels(study: Study) -> Finding | None:
    """Say when labels that nobody used raise S and AC1, which count every declared label.

    Examples
    --------
    >>> from consilience import Ratings
    >>> rows = [["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]]
    >>> found = unused_labels(Study(Ratings.from_wide(rows, categories=["a", "b", "c", "d"])))
    >>> print(found.message)
    'c' and 'd' were declared and never used. S and AC1 count them: S is 0.667 with them and 0.500
    without; kappa, pi and alpha do not change.
    """
    if not study.ratings.categories_declared or not study.has_categories:
        return None
    used = study.used > 0
    if used.all() or used.sum() < 2:
        return None
    categories = study.ratings.categories
    unused = [categories[int(k)] for k in np.flatnonzero(~used)]
    some_used = categories[int(np.flatnonzero(used)[0])]
    fewer = study.ratings.collapse(dict.fromkeys(unused, some_used))
    declared, without = study.measured("bennett_s"), study.measured("bennett_s", fewer)
    if not declared.value - without.value > _RISE:
        return None
    verb, them = ("was", "it") if len(unused) == 1 else ("were", "them")
    return Finding(
        "unused_labels",
        "caution",
        f"{enumerated([shown(label) for label in unused])} {verb} declared and never used. S and "
        f"AC1 count {them}: S is {declared.value:.3f} with {them} and {without.value:.3f} without; "
        "kappa, pi and alpha do not change.",
        "Declare the labels that raters could really have chosen, and say how many there were.",
        {"labels": unused, "bennett_s": declared.value, "bennett_s_without": without.value},
    )


@register
@scale_free
def items_share_a_cluster(study: Study) -> Finding | None:
    """Say when a column that was not used holds items together, and the error depends on it.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from consilience import Ratings, cohen_kappa
    >>> rows = ([[1, 1]] * 6 + [[1, 0]] * 6 + [[0, 0]] * 6) * 4
    >>> r = Ratings.from_wide(rows)
    >>> patients = Clusters.of([k // 6 for k in range(72)], r.items, "patient")
    >>> r = r._read_as(SimpleNamespace(beside=(patients,)))
    >>> print(items_share_a_cluster(Study(r, (cohen_kappa(r),))).message)
    72 items share 12 values of 'patient', and those that do are alike: with that, the standard
    error of Cohen's kappa is 0.205, not 0.080.
    """
    beside = getattr(study.ratings.reading, "beside", ())
    if study.ratings.clusters is not None or not beside:
        return None
    able = [
        e for e in study.estimates if e.status == "ok" and e._basis.coefficient.corrects_for_chance
    ]
    if not able:
        return None
    found = [(ratio, one) for one in beside if (ratio := _ratio(able[0], one)) is not None]
    if not found:
        return None
    _, clusters = max(found, key=lambda pair: pair[0])
    error = able[0].with_clusters(clusters).standard_error
    return Finding(
        "items_share_a_cluster",
        "caution",
        f"{study.ratings.n_items:,} items share {clusters.n_clusters:,} values of "
        f"{clusters.name!r}, and those that do are alike: with that, the standard error of "
        f"{able[0].name} is {error:.3f}, not {able[0].standard_error:.3f}.",
        f"If items of one {clusters.name} are not independent, name that column as the cluster.",
        {"column": clusters.name, "clusters": clusters.n_clusters, "standard_error": error},
    )


def _ratio(estimate: Estimate, clusters: Clusters) -> float | None:
    """Return by how much clusters raise the variance; None if that may be chance."""
    if clusters.codes.size != estimate._basis.ratings.n_items:
        return None
    error, plain = estimate.with_clusters(clusters).standard_error, estimate.standard_error
    if not (math.isfinite(error) and math.isfinite(plain) and plain > 0.0):
        return None
    ratio = (error / plain) ** 2
    chance = math.sqrt(2.0 / (clusters.n_clusters - 1.0))
    return ratio if ratio > 1.0 + _DEVIATIONS * chance else None
