"""A system against a panel of people: the human ceiling first, then the system beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from numbers import Real
from typing import Any

import numpy as np

from consilience.coefficients import Estimate
from consilience.core.resample import Seed, check_resamples
from consilience.exceptions import InputError
from consilience.inference import check_confidence_level
from consilience.panel import _findings as findings
from consilience.panel import _panel_results as words
from consilience.panel._alternative import AlternativeTest, alternative_test, check_epsilon
from consilience.panel._consistency import stability_of
from consilience.panel._differences import Differences, differences_of
from consilience.panel._disagreements import check_top, disagreements_of
from consilience.panel._gold import accuracies, gold_name
from consilience.panel._label_precision import LabelTable
from consilience.panel._label_use import label_uses
from consilience.panel._markers import markers_of
from consilience.panel._measures import Measure, measures_of
from consilience.panel._pairs import Pair
from consilience.panel._panel_results import PanelResult, SystemResult
from consilience.panel._resampled_means import Group, Plan, Value, beside_people, mean_over
from consilience.panel._supplements import added_to_panel, constant_answer, with_majority
from consilience.panel.panel_data import MOST_LABELS, Panel, cluster_codes, cluster_name, prepare
from consilience.ratings import as_ratings
from consilience.ratings.clusters import Clusters

METHODS = ("dirichlet", "bootstrap", "linearised")


def compare(
    ratings: Any,
    *,
    systems: Any = None,
    people: Any = None,
    coefficients: Any = None,
    margin: float = 0.05,
    epsilon: float | str = 0.2,
    scoring: Any = None,
    gold: Any = None,
    clusters: Any = None,
    order: Any = None,
    refusals: Any = (),
    refused: str | None = None,
    scale: str | None = None,
    expert: object = None,
    top: int = 5,
    confidence_level: float = 0.95,
    method: str = "dirichlet",
    n_resamples: int = 2_000,
    rng: Seed = 0,
) -> PanelResult:
    """Compare systems (markers, classifiers, language models) with a panel of people.

    Use it to ask whether a system agrees with people as well as they agree with each other. The
    first coefficient decides: a system is as good as a person if the interval of its gap lies
    above minus the margin.

    Parameters
    ----------
    ratings : Ratings
        Of people and systems, on the same items. Ratings with occasions (repeated runs of a
        model) are compared on the first; the others tell how stable the model is.
    systems, people : names of raters, or patterns such as "gpt*"
        Whoever is named as neither is left out. With only one of the two, the others are taken for
        the rest where their names leave no doubt; raters called like a model, a judge or a
        standard, or like a system that is named, must be told.
    coefficients : names, optional
        Such as "cohen_kappa", "ac1" or "cohen_kappa:quadratic"; the first is the one that the
        verdict is about. Default: what fits the scale.
    margin : float, default 0.05
        The largest loss of agreement that does not matter.
    epsilon : float or {"experts", "skilled", "crowd"}
        Of the alternative annotator test.
    scoring : str or callable, optional
        Of the alternative annotator test.
    gold : name of a rater, labels per item, or mapping item to label, optional
    clusters : the document of each item (sequence or mapping), optional
        Documents are then drawn whole; default the clusters of the ratings, if they have any.
    order : the time or batch of each item (sequence or mapping), optional
        For drift; default the order of the items.
    refusals : labels that mean refused or unparsable
    refused : {"category", "missing", "wrong"}, optional
        What a refusal is: a label like any other (default for nominal labels), no rating (default
        otherwise), or a miss in every share and in the alternative annotator test, and no rating
        for coefficients.
    scale : {"nominal", "ordinal", "interval", "ratio"}, optional
        Of the labels without the refusals; default that of the ratings.
    expert : name of a person, optional
        The one expert of the alternative annotator test.
    top : int, default 5
        How many items to list for each system, those on which it is farthest from the people.
    confidence_level : float, default 0.95
    method : {"dirichlet", "bootstrap", "linearised"}
        Posterior draws of the rows of labels under a weak prior (default), percentiles of items
        drawn anew, which are too narrow for few items, or linearised errors.
    n_resamples : int, default 2,000
    rng : int or numpy.random.Generator, default 0

    Returns
    -------
    PanelResult

    Examples
    --------
    >>> from consilience import Ratings
    >>> wide = {"Ann": list("aabbabab") * 9, "Bob": list("aabbabaa") * 9,
    ...         "Cid": list("aabbbbab") * 9, "gpt": list("aabbabab") * 9}
    >>> found = compare(Ratings.from_wide(wide), systems="gpt")
    >>> found["gpt"].verdict, round(found.ceiling["cohen_kappa:nominal"].value, 3)
    ('as good as a person', 0.676)
    """
    plan = _plan(confidence_level, method, n_resamples, rng)
    check_margin(margin)
    check_top(top)
    bar = check_epsilon(epsilon)
    options = {"refusals": refusals, "refused": refused, "scale": scale}
    given, standard = as_ratings(ratings), None
    if gold is not None:
        given, standard = gold_name(given, gold)
    apart = () if standard is None else (standard,)
    panel = prepare(given, systems=systems, people=people, apart=apart, **options)
    measures = measures_of(panel, coefficients)
    known = as_ratings(ratings).clusters
    documents = cluster_codes(panel.ratings, clusters, known)
    name = cluster_name(clusters, known)
    plan = _fitting(replace(plan, clusters=documents, cluster_name=name), panel)
    among = tuple(Pair(panel, a, b, measures) for a, b in combinations(panel.people, 2))
    ceiling = _ceiling(panel, among, measures, plan)
    results = [
        _system(panel, system, among, measures, plan, margin=margin, epsilon=bar,
                scoring=scoring, expert=expert)
        for system in panel.systems
    ]  # fmt: skip
    pairs = [pair for _, own in results for pair in own]
    label, rate, constant = constant_answer(panel, pairs[: len(panel.people)])
    result = PanelResult(
        measures=tuple(measures),
        people=panel.people,
        systems=tuple(one for one, _ in results),
        ceiling=ceiling,
        between_people=_by_pair(among, measures),
        base_label=panel.ratings.categories[label],
        base_rate=rate,
        constant=dict(zip((m.key for m in measures), constant.tolist(), strict=True)),
        markers=markers_of(panel, plan, order),
        accuracy=()
        if standard is None
        else accuracies(given, standard, panel, measures, plan, **options),
        stability=stability_of(as_ratings(ratings), plan.level),
        label_use=label_uses(panel, plan),
        disagreements=disagreements_of(panel, top),
        margin=float(margin),
        epsilon=bar,
        confidence_level=plan.level,
        n_resamples=plan.n_resamples,
        method=plan.method,
        refused=panel.policy,
        seed=int(rng) if isinstance(rng, (int, np.integer)) else None,
        data=facts(panel, plan),
        left_out=panel.left_out,
        estimates=tuple(_estimates([*among, *pairs])),
    )
    return replace(result, findings=findings.of(result, panel, plan, method))


def _plan(level: float, method: str, n_resamples: int, rng: Seed) -> Plan:
    if method not in METHODS:
        raise InputError.unknown_word("method", method, METHODS)
    check_resamples(n_resamples)
    plan = Plan(check_confidence_level(level), int(n_resamples), rng, None, method)
    _ = plan.seed  # refuses a seed that is none
    return replace(plan, rng=plan.seed)


def _fitting(plan: Plan, panel: Panel) -> Plan:
    """Turn to linearised errors where resampling would recount thousands of numbers."""
    if len(panel.ratings.categories) > MOST_LABELS:
        return replace(plan, method="linearised")
    return plan


def check_margin(margin: float) -> None:
    """Refuse a margin that is none."""
    is_number = isinstance(margin, Real) and not isinstance(margin, bool)
    if not is_number or not 0.0 < margin < 1.0:
        raise InputError.expected(
            "margin", "above 0 and below 1", margin, "state the largest loss that does not matter"
        )


def _ceiling(
    panel: Panel, among: tuple[Pair, ...], measures: list[Measure], plan: Plan
) -> dict[str, Value]:
    if not among:
        nothing = plan.nothing("one person only: there is nobody to agree with")
        return {one.key: nothing for one in measures}
    group = Group(panel, panel.people, among, plan)
    (values,), _ = group.contrasted([mean_over(group.defined)])
    return dict(zip((one.key for one in measures), values, strict=True))


def _by_pair(
    pairs: Sequence[Pair], measures: list[Measure]
) -> dict[str, dict[tuple[object, object], float]]:
    return {
        one.key: {(pair.first, pair.second): float(pair.values[k]) for pair in pairs}
        for k, one in enumerate(measures)
    }


def _system(
    panel: Panel,
    system: object,
    among: tuple[Pair, ...],
    measures: list[Measure],
    plan: Plan,
    *,
    margin: float,
    epsilon: float,
    scoring: Any,
    expert: object,
) -> tuple[SystemResult, list[Pair]]:
    group, own, contrasts = beside_people(panel, system, among, measures, plan)
    table = LabelTable(group, own)
    (mean, gap), drawn = group.contrasted(contrasts, table.scores if table.exists else None)
    keys = [one.key for one in measures]
    lead = gap[0]
    majority = with_majority(panel, own[0], plan)
    result = SystemResult(
        system=system,
        n_items=int((panel.codes[:, panel.column(system)] >= 0).sum()),
        refusals=panel.refusals.get(system, 0),
        agreement=dict(zip(keys, mean, strict=True)),
        with_person={
            key: {pair.first: float(pair.values[k]) for pair in own} for k, key in enumerate(keys)
        },
        gap=dict(zip(keys, gap, strict=True)),
        verdict=None if math.isnan(lead.value) else verdict(lead, margin),
        p_value=lead.non_inferiority(margin).p_value if not math.isnan(lead.value) else math.nan,
        differences=_differences(panel, system),
        labels=table.rows(drawn),
        majority=dict(zip(keys, majority.tolist(), strict=True)),
        added=added_to_panel(panel, system, measures, plan),
        alternative=_alternative(
            panel, system, scoring=scoring, epsilon=epsilon, expert=expert, clusters=plan.clusters
        ),
    )
    return result, own


def verdict(gap: Value, margin: float) -> str:
    """Say what the interval of a gap allows to conclude."""
    low, high = gap.interval
    if low > -margin:
        return words.AS_GOOD
    return words.NOT_AS_GOOD if high < -margin else words.CANNOT_TELL


def _differences(panel: Panel, system: object) -> dict[object, Differences]:
    if panel.points is None:
        return {}
    marks = panel.marks()
    found = {
        person: differences_of(marks[:, panel.column(person)], marks[:, panel.column(system)])
        for person in panel.people
    }
    return {person: one for person, one in found.items() if one is not None}


def _alternative(panel: Panel, system: object, **options: Any) -> AlternativeTest | None:
    return alternative_test(panel, system, **options) if len(panel.people) > 1 else None


def facts(panel: Panel, plan: Plan) -> dict[str, Any]:
    """Return what is known about the data, with the keys that all commands share."""
    r = panel.ratings
    return {
        "items": r.n_items,
        "raters": r.n_raters,
        "ratings": r.n_ratings,
        "missing": r.n_missing,
        "categories": list(r.categories)[:MOST_LABELS],
        "scale": r.scale,
        "shape": r.design,
        "sources": [],
        "refusals": {str(rater): n for rater, n in panel.refusals.items()},
        "clusters": None
        if plan.clusters is None
        else Clusters(plan.clusters, plan.cluster_name).to_dict(),
    }


def _estimates(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    return [
        {**found.to_dict(), "raters": [pair.first, pair.second]}
        for pair in pairs
        for found in pair.estimates.values()
        if isinstance(found, Estimate)
    ]
