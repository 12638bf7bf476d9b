"""Coefficients that the design does not support, and words that do not transfer."""

from __future__ import annotations

from consilience.coefficients import Estimate
from consilience.document import Finding
from consilience.findings._checks_registry import register
from consilience.findings._study import MOST_RATERS, Study
from consilience.inference import SCALES

_FEW_IN_COMMON = 5.0
_CLASSES_APART = 2


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
    if pi.status != "ok" or _class(lenient) - _class(pi) < _CLASSES_APART:
        return None
    scale = SCALES["landis-koch"]
    return Finding(
        "words_do_not_transfer",
        "info",
        f"Landis and Koch's words were made for kappa: they would call this {lenient.name} "
        f"({lenient.value:.3f}) {scale.label(lenient.value)} and the {pi.name} of the same ratings "
        f"({pi.value:.3f}) {scale.label(pi.value)}.",
        "Quote the numbers with their intervals instead of the words.",
        {"coefficient": lenient.coefficient, "value": lenient.value, "scott_pi": pi.value},
    )


def _class(one: Estimate) -> int:
    scale = SCALES["landis-koch"]
    return scale.labels.index(scale.label(one.value))
