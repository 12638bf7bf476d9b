"""A system against a panel of people: the human ceiling first, then the system beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from consilience.coefficients import Estimate
from consilience.core.arguments import check_word
from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream, Seed, check_resamples
from consilience.core.result import Several
from consilience.core.verdict import Verdict
from consilience.document import Document, Finding
from consilience.document.records import Enveloped, Recorded
from consilience.exceptions import InputError
from consilience.inference.comparisons import Comparison
from consilience.inference.influence import linearised_error
from consilience.inference.intervals import check_confidence_level
from consilience.panel._alternative_annotator import (
    AlternativeTest,
    alternative_test,
    check_epsilon,
)
from consilience.panel._comparison_report import (
    comparison_document,
    findings_of,
    panel_verdict,
    system_verdict,
)
from consilience.panel._measures import (
    Measure,
    Measured,
    Pair,
    PairPatterns,
    Resampling,
    Value,
    distinct,
    distinct_with_inverse,
    known_mean,
    measures_of,
)
from consilience.panel._panel import MOST_LABELS, Panel, cluster_codes, cluster_name, prepare
from consilience.panel.labels import (
    Accuracy,
    LabelScore,
    LabelTable,
    LabelUse,
    accuracies,
    gold_name,
    label_uses,
    stability_of,
)
from consilience.panel.markers import (
    Differences,
    Disagreement,
    Marker,
    check_top,
    differences_of,
    disagreements_of,
    markers_of,
)
from consilience.ratings import as_ratings
from consilience.ratings.clusters import Clusters

if TYPE_CHECKING:
    from consilience.latent.rater_stability import RaterStability

# ---- What stands beside the main comparison: majority, constant answer, the panel with the system.

_BREAKS = 200  # ways to break ties of the majority that are averaged


@dataclass(frozen=True, slots=True, kw_only=True)
class Added(Recorded):
    """The panel's agreement without and with the system as one more rater, on the same items."""

    renamed: ClassVar[Mapping[str, str]] = {"with_system": "with"}

    without: float
    with_system: float
    difference: Value
    p_value: float


def added_to_panel(measured: Measured, system: object) -> dict[str, Added]:
    """Ask whether the system lowers the agreement of the panel (Gwet 2016, paired)."""
    panel, plan = measured.panel, measured.plan
    out: dict[str, Added] = {}
    if len(panel.people) < 2:
        return out
    people = panel.select(panel.people)
    everybody = panel.select([*panel.people, system])
    for one in measured.measures:
        if one.coefficient is None:
            continue
        before, after = one.of(people), one.of(everybody)
        if not _usable(before) or not _usable(after):
            continue
        assert isinstance(before, Estimate)
        assert isinstance(after, Estimate)
        change = _change(before, after, plan)
        out[one.key] = Added(
            without=before.value,
            with_system=after.value,
            difference=Value(
                value=change.difference,
                standard_error=change.standard_error,
                interval=change.confidence_interval(plan.level),
            ),
            p_value=change.p_value,
        )
    return out


def _change(before: Estimate, after: Estimate, plan: Resampling) -> Comparison:
    """Compare on the same items; where they come from documents, sum up each document."""
    if plan.clusters is None:
        return before.compare(after)
    error, freedom = linearised_error(_influence(after) - _influence(before), plan.clusters)
    return Comparison(after.value - before.value, error, freedom, "linearised")


def _usable(found: Estimate | str) -> bool:
    return isinstance(found, Estimate) and found.status == "ok"


def _influence(found: Estimate) -> Floats:
    return found.item_influence() * found.n_items / max(found.sample_size(), 1)


def constant_answer(panel: Panel, pairs: Sequence[Pair]) -> tuple[int, float, Floats]:
    """Return the label that people give most, its share, and how an answer that never changes does.

    The measures are means over people; a chance-corrected coefficient shows what it is worth here.
    """
    n_labels = len(panel.ratings.categories)
    counts = np.array(
        [
            np.bincount(panel.codes[:, k][panel.codes[:, k] >= 0], minlength=n_labels)
            for k in range(len(panel.people))
        ],
        dtype=np.float64,
    )
    total = counts.sum(axis=0)
    common = int(np.argmax(total))
    share = float(total[common] / total.sum())
    if n_labels > MOST_LABELS:  # measurements: there is no such thing as the usual answer
        return common, share, np.full(len(pairs[0].measures), np.nan)
    values = []
    for pair in pairs:
        times = counts[panel.column(pair.first)]
        used = np.flatnonzero(times)
        codes = np.stack([used, np.full(used.size, common)], axis=1)
        values.append(PairPatterns(pair, codes, times[used]).values(times[used][:, None])[:, 0])
    return common, share, known_mean(np.array(values))


def with_majority(panel: Panel, pair: Pair, plan: Resampling) -> Floats:
    """Return every measure of the system against the majority of the people.

    Ties are broken at random, many times, and the measures averaged. `pair` lends its distances.
    """
    n_labels = len(panel.ratings.categories)
    if n_labels > MOST_LABELS:
        return np.full(len(pair.measures), np.nan)
    n_people = len(panel.people)
    own = panel.codes[:, panel.column(pair.second)].astype(np.int64)
    own[panel.refused[:, panel.column(pair.second)]] = n_labels
    numbered, back = panel.by_name(np.column_stack([panel.codes[:, :n_people], own]))
    rows, times = distinct(numbered)
    votes = np.zeros((len(rows), n_labels))
    for column in rows[:, :n_people].T:
        voted = column >= 0
        votes[np.flatnonzero(voted), column[voted]] += 1.0
    answered = (rows[:, -1] >= 0) & (votes.sum(axis=1) > 0)
    rows, times, votes = rows[answered], times[answered], votes[answered]
    if not len(rows):
        return np.full(len(pair.measures), np.nan)
    top = votes == votes.max(axis=1, keepdims=True)
    kinds, _, inverse = distinct_with_inverse(np.column_stack([top.astype(np.int64), rows[:, -1]]))
    counts = np.bincount(inverse, weights=times, minlength=len(kinds))
    generator = RandomStream.of(plan.fresh())
    codes, weights = [], []
    for kind, n in zip(kinds, counts, strict=True):
        labels = np.flatnonzero(kind[:n_labels])
        drawn = generator.multinomial(int(n), np.full(labels.size, 1.0 / labels.size), size=_BREAKS)
        codes += [(label, kind[-1]) for label in labels]
        weights += list(drawn.T.astype(np.float64))
    table = PairPatterns(pair, back[np.array(codes)], np.ones(len(codes)))
    return known_mean(table.values(np.array(weights)).T)


# ---- What comes out of a comparison, as plain data with stable keys.

AS_GOOD = "as good as a person"
NOT_AS_GOOD = "not as good as a person"
CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemResult(Recorded):
    """One system against the people.

    Attributes
    ----------
    agreement : dict
        Measure to its mean over the people, with an interval.
    with_person : dict
        Measure to person to the value with that person alone.
    gap : dict
        Measure to the mean over people of what the system reaches with her minus what the other
        people reach with her; below 0, the system agrees less than a person does.
    verdict : str
        "as good as a person", "not as good as a person" or "cannot tell", for the first measure
        and the margin; None where one person leaves nothing to compare with.
    p_value : float
        Of being worse than a person by the margin or more.
    differences : dict
        Person to the whole distribution of system minus person; empty for mere names.
    majority : dict
        Measure to its value against the majority of the people: a supplement only.
    added : dict
        Measure to the panel's agreement without and with the system.
    """

    system: object
    n_items: int
    refusals: int
    agreement: dict[str, Value]
    with_person: dict[str, dict[object, float]]
    gap: dict[str, Value]
    verdict: str | None
    p_value: float
    differences: dict[object, Differences]
    labels: tuple[LabelScore, ...]
    majority: dict[str, float]
    added: dict[str, Added]
    alternative: AlternativeTest | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelResult(Enveloped, Several):
    """Systems against a panel of people; print it, or ask for a system by name.

    Attributes
    ----------
    systems : tuple of SystemResult
    people : tuple
        Names of the people.
    left_out : tuple
        Raters who were taken for neither.
    ceiling : dict
        Measure to its mean over the pairs of people: what a system can be expected to reach.
    between_people : dict
        Measure to pair of people to its value.
    base_label, base_rate
        The label that people give most, and its share.
    constant : dict
        Measure to what an answer that never changes would reach.
    markers : tuple of Marker
        Severity and drift of every rater; empty for mere names.
    accuracy : tuple of Accuracy
        Every rater against the gold standard, where one was given.
    stability : tuple of RaterStability
        Raters who rated items more than once, against themselves.
    label_use : tuple of LabelUse
        How often systems and people give each label, of mere names; marks have `markers`.
    disagreements : tuple of Disagreement
        For each system, the items on which it is farthest from the people.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("left_out",)

    measures: tuple[Measure, ...]
    people: tuple[object, ...]
    systems: tuple[SystemResult, ...]
    ceiling: dict[str, Value]
    between_people: dict[str, dict[tuple[object, object], float]]
    base_label: object
    base_rate: float
    constant: dict[str, float]
    markers: tuple[Marker, ...]
    accuracy: tuple[Accuracy, ...]
    stability: tuple[RaterStability, ...]
    label_use: tuple[LabelUse, ...]
    disagreements: tuple[Disagreement, ...]
    margin: float
    epsilon: float
    confidence_level: float
    n_resamples: int
    method: str
    refused: str
    seed: int | None
    data: dict[str, Any] = field(repr=False)
    estimates: tuple[dict[str, Any], ...] = field(repr=False)
    left_out: tuple[object, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def headline(self) -> Measure:
        """The measure that the verdicts are about."""
        return self.measures[0]

    @property
    def verdict(self) -> Verdict:
        """Whether the systems are as good as a person, in a sentence."""
        return panel_verdict(self)

    def verdict_on(self, system: object) -> Verdict:
        """Return the verdict on one system, with the gap and its interval."""
        return system_verdict(self, self[system])

    def __getitem__(self, system: object) -> SystemResult:
        for one in self.systems:
            if one.system == system or str(one.system) == str(system):
                return one
        raise InputError.unknown_word("system", system, [str(s.system) for s in self.systems])

    def __iter__(self) -> Iterator[SystemResult]:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    def _beside(self) -> dict[str, Any]:
        return {
            "who": {
                "people": self.people,
                "systems": [one.system for one in self.systems],
                "left_out": self.left_out,
            },
            "measures": [
                {"key": m.key, "title": m.title, "smaller_is_better": m.smaller_is_better}
                for m in self.measures
            ],
            "between_people": {
                key: [{"raters": pair, "value": v} for pair, v in found.items()]
                for key, found in self.between_people.items()
            },
        }

    def document(self) -> Document:
        """Return the comparison as something to read."""
        return comparison_document(self)


# ---- The comparison itself.

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
    plan = plan_of(confidence_level, method, n_resamples, rng)
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
    plan = over_documents(plan, panel, clusters, known)
    measured = Measured.of(panel, measures, plan)
    among = measured.among
    test = {"epsilon": bar, "scoring": scoring, "expert": expert}
    results = [_system(measured, system, margin=margin, **test) for system in panel.systems]
    pairs = [pair for _, own in results for pair in own]
    label, rate, constant = constant_answer(panel, pairs[: len(panel.people)])
    result = PanelResult(
        measures=tuple(measures),
        people=panel.people,
        systems=tuple(one for one, _ in results),
        ceiling=measured.ceiling(),
        between_people=measured.by_key(
            {(pair.first, pair.second): float(pair.values[k]) for pair in among}
            for k in range(len(measures))
        ),
        base_label=panel.ratings.categories[label],
        base_rate=rate,
        constant=measured.by_key(constant.tolist()),
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
    return replace(result, findings=findings_of(result, panel, plan, method))


def plan_of(level: float, method: str, n_resamples: int, rng: Seed) -> Resampling:
    """Return how intervals are made, checked; a seed that is none is refused."""
    check_word("method", method, METHODS)
    check_resamples(n_resamples)
    plan = Resampling(check_confidence_level(level), int(n_resamples), rng, None, method)
    return replace(plan, rng=plan.seed)


def over_documents(
    plan: Resampling, panel: Panel, clusters: Any, known: Clusters | None = None
) -> Resampling:
    """Draw documents whole, and linearise where resampling would recount thousands of numbers."""
    return replace(
        plan,
        clusters=cluster_codes(panel.ratings, clusters, known),
        cluster_name=cluster_name(clusters, known),
        method="linearised" if len(panel.ratings.categories) > MOST_LABELS else plan.method,
    )


def check_margin(margin: float) -> None:
    """Refuse a margin that is none."""
    is_number = isinstance(margin, Real) and not isinstance(margin, bool)
    if not is_number or not 0.0 < margin < 1.0:
        raise InputError.expected(
            "margin", "above 0 and below 1", margin, "state the largest loss that does not matter"
        )


def _system(
    measured: Measured, system: object, *, margin: float, **test: Any
) -> tuple[SystemResult, list[Pair]]:
    panel, plan, by_key = measured.panel, measured.plan, measured.by_key
    group, own, contrasts = measured.beside_people(system)
    table = LabelTable(group, own)
    (mean, gap), drawn = group.contrasted(contrasts, table.scores if table.exists else None)
    lead = gap[0]
    result = SystemResult(
        system=system,
        n_items=int((panel.codes[:, panel.column(system)] >= 0).sum()),
        refusals=panel.refusals.get(system, 0),
        agreement=by_key(mean),
        with_person=by_key(
            {pair.first: float(pair.values[k]) for pair in own} for k in range(len(gap))
        ),
        gap=by_key(gap),
        verdict=None if math.isnan(lead.value) else verdict(lead, margin),
        p_value=lead.non_inferiority(margin).p_value if not math.isnan(lead.value) else math.nan,
        differences=_differences(panel, system),
        labels=table.rows(drawn),
        majority=by_key(with_majority(panel, own[0], plan).tolist()),
        added=added_to_panel(measured, system),
        alternative=None
        if len(panel.people) < 2
        else alternative_test(panel, system, clusters=plan.clusters, **test),
    )
    return result, own


def verdict(gap: Value, margin: float) -> str:
    """Say what the interval of a gap allows to conclude."""
    low, high = gap.interval
    if low > -margin:
        return AS_GOOD
    return NOT_AS_GOOD if high < -margin else CANNOT_TELL


def _differences(panel: Panel, system: object) -> dict[object, Differences]:
    if panel.points is None:
        return {}
    marks = panel.marks()
    found = {
        person: differences_of(marks[:, panel.column(person)], marks[:, panel.column(system)])
        for person in panel.people
    }
    return {person: one for person, one in found.items() if one is not None}


def facts(panel: Panel, plan: Resampling) -> dict[str, Any]:
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
