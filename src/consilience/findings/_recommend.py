"""Which coefficient should I report? Answered from the design, with reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.coefficients.unsettled_scale import undecided_scale
from consilience.core.labels import LabelSet
from consilience.core.result import Several, Unremarked
from consilience.distances import get_distance
from consilience.document import Document, Paragraph, Table
from consilience.exceptions import ConsilienceError
from consilience.findings._labels import prevalence_paradox
from consilience.findings._study import MOST_RATERS, Study
from consilience.inference import marginal_homogeneity
from consilience.ratings import Ratings, as_ratings
from consilience.ratings.stores import NumberMatrix


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation(Unremarked, Several):
    """The coefficient to report, what to report beside it, and why.

    Attributes
    ----------
    coefficient, name : str
        Name in the registry of coefficients, and as it is called for this design.
    distance : str
        Name of the distance to use with it.
    beside : tuple of str
        Coefficients to report beside it.
    reasons : tuple of str
        Why, one sentence each.
    """

    coefficient: str
    name: str
    distance: str
    beside: tuple[str, ...]
    reasons: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Return plain data with stable keys."""
        return {
            "coefficient": self.coefficient,
            "name": self.name,
            "distance": self.distance,
            "beside": list(self.beside),
            "reasons": list(self.reasons),
        }

    def document(self) -> Document:
        """Return the recommendation with its reasons."""
        headline = f"Report {self.name} with the {self.distance} distance and its interval."
        rows = [[str(k), reason] for k, reason in enumerate(self.reasons, start=1)]
        return Document(
            title="Which coefficient to report",
            blocks=(Paragraph(headline), Table(heads=("", "because"), rows=rows)),
        )


def recommend(*ratings: Any, distance: Any = None) -> Recommendation:
    """Say which coefficient fits the design, and why.

    Nothing here looks at which coefficient is largest.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance : str, Distance or callable, optional
        With which the numbers were or will be computed; default the one that is recommended.

    Returns
    -------
    Recommendation

    References
    ----------
    .. [1] Artstein, R. & Poesio, M. (2008). Inter-coder agreement for computational linguistics.
       Computational Linguistics 34, 555-596. doi:10.1162/coli.07-034-R2
    .. [2] Zwick, R. (1988). Another look at interrater agreement. Psychological Bulletin 103,
       374-378. doi:10.1037/0033-2909.103.3.374

    Examples
    --------
    >>> from consilience import datasets
    >>> recommend(datasets.load("zwick_1988_case3")).coefficient  # the raters' margins differ
    'cohen_kappa'
    >>> recommend(datasets.load("zwick_1988_case2")).coefficient
    'scott_pi'
    """
    data = as_ratings(*ratings)
    data = data.on_scale_of_words() if distance is None else data
    study = Study(data)
    undecided = undecided_scale(data)
    if undecided is not None:
        reasons = [undecided.sentence, undecided.advice]
        return _advice(study, "krippendorff_alpha", "nominal", ("percent_agreement",), reasons)
    distance, reasons = _recommended(data) if distance is None else _chosen(data, distance)
    coefficient, why = _coefficient(study, distance)
    reasons += why
    if coefficient == "percent_agreement":
        return _advice(study, coefficient, distance, (), reasons)
    beside = ["percent_agreement"]
    if prevalence_paradox(study) is not None:
        beside.append("gwet_ac")
        reasons.append(
            "One label is so common that chance agreement is high: AC1 beside it shows how much of "
            "the low value is due to that."
        )
    reasons.append("Raw agreement beside it lets readers see what chance correction took away.")
    return _advice(study, coefficient, distance, tuple(beside), reasons)


def coefficient_for(study: Study) -> str:
    """Return the name of the coefficient that fits the design, and nothing else.

    Parameters
    ----------
    study : Study

    Returns
    -------
    str

    Examples
    --------
    >>> from consilience import datasets
    >>> coefficient_for(Study(datasets.load("krippendorff_2011")))  # ratings are missing
    'krippendorff_alpha'
    """
    if study.ratings.scale_undecided:
        return "krippendorff_alpha"
    data = study.ratings
    used = study.distance or get_distance(None, scale=data.scale)
    return _coefficient(study, _chosen(data, used)[0])[0]


def _advice(
    study: Study, coefficient: str, distance: Any, beside: tuple[str, ...], reasons: list[str]
) -> Recommendation:
    return Recommendation(
        coefficient=coefficient,
        name=study.measured(coefficient, distance=distance).name,
        distance=distance if isinstance(distance, str) else distance.name,
        beside=beside,
        reasons=tuple(reasons),
    )


def _chosen(data: Ratings, distance: Any) -> tuple[Any, list[str]]:
    """Say how labels are compared by a distance that somebody chose."""
    given = get_distance(distance, scale=data.scale)
    meant, reasons = _recommended(data)
    if given == get_distance(meant, scale=data.scale):
        return meant, reasons
    if given.of_sets:
        return given, reasons
    if meant == "masi" and given.name == "nominal":
        told = (
            "Labels are sets, and this number takes two sets as equal or not: distance masi gives "
            "credit for overlap."
        )
        return "nominal", [told]
    return given, [f"Labels were compared by the distance that was chosen: {given.name}."]


def _recommended(data: Ratings) -> tuple[str, list[str]]:
    if data.categories and isinstance(data.categories[0], LabelSet):
        return "masi", ["Labels are sets: two sets that overlap disagree less than disjoint ones."]
    reason = {
        "nominal": "Labels have no order: every disagreement counts the same.",
        "ordinal": "Labels have an order: near ones disagree less than distant ones.",
        "interval": "Labels are numbers on a scale with equal steps: squared differences count.",
        "ratio": "Labels are magnitudes with a true zero: differences count relative to size.",
    }[data.scale]
    return data.scale, [reason]


def _coefficient(study: Study, distance: Any) -> tuple[str, list[str]]:
    data = study.ratings
    if _one_label(study):
        return "percent_agreement", [
            "Only one label was used: no coefficient can tell agreement from chance, so report the "
            "raw agreement and say that the label never varied."
        ]
    if not data.raters:
        return "krippendorff_alpha", [
            "It is not known who gave which rating, so raters' own habits cannot be used; alpha "
            "asks only how often each label was given, and allows for small samples."
        ]
    if len(data.raters) > MOST_RATERS:
        return "krippendorff_alpha", [
            "Many raters with few ratings each stand in for one another; alpha treats them as "
            "interchangeable and takes any number of ratings per item."
        ]
    if data.n_missing:
        return "krippendorff_alpha", [
            "Some ratings are missing. Alpha keeps every item that has at least two ratings."
        ]
    if distance == "nominal" and study.has_categories:
        return _by_margins(study)
    return "krippendorff_alpha", [
        "Alpha has the distance between labels built in."
        if distance != "nominal"
        else "There are so many labels that most are rare. How often each rater uses each label is "
        "hard to know; alpha needs only how often all raters together used it."
    ]


def _one_label(study: Study) -> bool:
    if isinstance(study.ratings.store, NumberMatrix):
        return False
    categories = study.ratings.categories
    if not study.has_categories:
        return len(categories) < 2
    return bool(np.count_nonzero(study.used) < 2)


def _by_margins(study: Study) -> tuple[str, list[str]]:
    """Follow Zwick (1988): test whether raters use the labels alike."""
    try:
        test = marginal_homogeneity(study.ratings)
        differ = test.p_value < study.level
    except ConsilienceError:
        differ = False
    if differ:
        return "cohen_kappa", [
            "The same raters rated everything and use the labels differently (Zwick's test): kappa "
            "allows each rater habits of their own; report the bias as well."
        ]
    return "scott_pi", [
        "The same raters rated everything and seem to use the labels alike (Zwick's test), so that "
        "chance is taken from all ratings together."
    ]
