"""Labels one by one: accuracy, precision and recall, how often each is given, stability."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.coefficients import Estimate
from consilience.core.arrays import Floats
from consilience.core.result import Several
from consilience.document import Document, Finding, Table
from consilience.document.blocks import found
from consilience.document.records import Recorded
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import holm
from consilience.inference.intervals import wilson_limits
from consilience.judges.people_and_systems import matching
from consilience.judges.verdicts import coded_beside, from_matrix
from consilience.panel._measures import Measure, Pair, RaterGroup, Resampling, Value, p_of_nothing
from consilience.panel._panel import Panel, prepare
from consilience.ratings import Ratings
from consilience.ratings.rating_tables import code_matrix, per_item, refusal_words

if TYPE_CHECKING:
    from consilience.latent.rater_stability import RaterStability

# ---- Precision, recall and F of each label, with intervals, and why they are no agreement.

MOST_LABELS = 50
WHY_F_IS_NOT_AGREEMENT = (
    "Precision, recall and F take one side as the truth and do not correct for chance: on a common "
    "label F is high even for a system that ignores the item. Read them beside kappa or alpha."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelScore(Recorded):
    """How a system does on one label, the reference taken as the truth."""

    label: object
    share: float
    reference_share: float
    n_reference: int
    precision: Value
    recall: Value
    f: Value


@dataclass(frozen=True)
class LabelTable:
    """Hits and answers by label of a system, second in every pair, pooled over the pairs."""

    group: RaterGroup
    pairs: Sequence[Pair]

    @cached_property
    def _parts(self) -> list[tuple[int, Floats]]:
        q = len(self.group.panel.ratings.categories)
        places = [self.group.pairs.index(pair) for pair in self.pairs]
        return [(p, _features(self.group.patterns()[p].codes, q)) for p in places]

    @property
    def exists(self) -> bool:
        """Whether there are few enough labels to score each."""
        return bool(self.pairs) and len(self.group.panel.ratings.categories) <= MOST_LABELS

    def totals(self, weights: list[Floats]) -> Floats:
        """Return hits, answers of the system and of the reference, label by label."""
        return np.asarray(np.sum([f @ weights[p] for p, f in self._parts], axis=0))

    def scores(self, weights: list[Floats]) -> Floats:
        """Return precision, recall and F, label by label, for multiplicities of the patterns."""
        return _scores(self.totals(weights))

    def rows(self, drawn: Floats | None) -> tuple[LabelScore, ...]:
        """Return the scores with intervals: Wilson's, or from replicates."""
        if not self.exists:
            return ()
        labels = self.group.panel.ratings.categories
        q = len(labels)
        whole = self.totals(self.group.times())
        counts, now = whole[:, 0].reshape(3, q), _scores(whole)[:, 0]
        return tuple(
            LabelScore(
                label=label,
                share=_share(counts[1], k),
                reference_share=_share(counts[2], k),
                n_reference=int(counts[2, k]),
                precision=self._value(now, drawn, k, counts[1, k], "never given by the system"),
                recall=self._value(now, drawn, q + k, counts[2, k], "never given by the people"),
                f=self._value(now, drawn, 2 * q + k, None, "never used"),
            )
            for k, label in enumerate(labels)
        )

    def _value(
        self, now: Floats, drawn: Floats | None, row: int, n: float | None, why: str
    ) -> Value:
        plan = self.group.plan
        value = float(now[row])
        if math.isnan(value):
            return plan.nothing(why)
        exact = len(self.pairs) == 1 and plan.clusters is None
        if n is not None and (exact or drawn is None):
            return wilson(value, n, plan.level)
        if drawn is None:
            return replace(plan.nothing("needs resampling"), value=value)
        return plan.from_replicates(value, drawn[row])


def _share(counts: Floats, k: int) -> float:
    total = float(counts.sum())
    return float(counts[k]) / total if total else math.nan


def _features(codes: Any, q: int) -> Floats:
    """Return hits, answers of the system and answers of the reference, by label and pattern."""
    reference, system = codes[:, 0], codes[:, 1]
    both = (reference >= 0) & (system >= 0)
    label = np.arange(q)[:, None]
    hits = both & (reference == label) & (system == label)
    return np.concatenate([hits, both & (system == label), both & (reference == label)]).astype(
        np.float64
    )


def _scores(totals: Floats) -> Floats:
    hits, given, wanted = np.split(totals, 3)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.concatenate([hits / given, hits / wanted, 2.0 * hits / (given + wanted)])


def wilson(share: float, n: float, level: float) -> Value:
    """Return a share with Wilson's interval."""
    if not n > 0:
        return Value.of(share, level=level, method="wilson", reason="no items")
    low, high = wilson_limits(share, n, level)
    error = math.sqrt(max(share * (1.0 - share), 0.0) / n)
    return Value.of(share, error, (float(low), float(high)), level=level, method="wilson")


# ---- Accuracy: every rater against a standard that is taken as right.


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy(Recorded):
    """One rater against the gold standard."""

    rater: object
    kind: str
    n_items: int
    correct: Value
    agreement: dict[str, float]


def gold_name(ratings: Ratings, gold: Any) -> tuple[Ratings, object]:
    """Return ratings in which the gold standard is a rater, and its name."""
    if isinstance(gold, (str, bytes, int)):
        (name,) = matching(ratings.raters, [gold], "gold")
        return ratings, name
    column, categories = coded_beside(ratings.categories, per_item(ratings, gold, "gold"))
    name = "gold" if "gold" not in ratings.raters else "gold standard"
    joined = from_matrix(
        np.column_stack([code_matrix(ratings), column]),
        ratings,
        categories=categories,
        scale=ratings.scale,
        declared=ratings.categories_declared and len(categories) == len(ratings.categories),
        raters=[*ratings.raters, name],
    )
    return joined, name


def accuracies(
    ratings: Ratings,
    gold: object,
    panel: Panel,
    measures: list[Measure],
    plan: Resampling,
    **options: Any,
) -> tuple[Accuracy, ...]:
    """Measure every system and person against the gold standard."""
    identical = [one.key for one in measures].index("identical")
    out = []
    for rater in (name for name in panel.raters if name != gold):
        kind = "system" if rater in panel.systems else "person"
        n, agreement = 0, {}
        try:
            one = prepare(ratings, systems=[rater], people=[gold], **options)
        except UnsupportedDesignError:  # no item in common with the standard
            correct = plan.nothing("no item in common with the gold standard")
        else:
            pair = Pair(one, gold, rater, measures)
            n = pair.n_items
            if plan.clusters is None:
                correct = wilson(float(pair.values[identical]), n, plan.level)
            else:
                correct = plan.from_influence(
                    float(pair.values[identical]), pair.influence()[identical]
                )
            agreement = {
                key: found.value if isinstance(found, Estimate) else math.nan
                for key, found in pair.estimates.items()
            }
        out.append(
            Accuracy(rater=rater, kind=kind, n_items=n, correct=correct, agreement=agreement)
        )
    return tuple(out)


# ---- How often each label is given: a judge that passes too much agrees less, and this says why.


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelUse(Recorded):
    """How often a system gives a label, beside the people on the same items.

    Attributes
    ----------
    share, people_share : float
        Of the items that the system and at least one person rated.
    difference : Value
        The first minus the second, with a t interval over items or documents.
    p_value, p_adjusted : float
        Of no difference; the second after Holm over all labels and systems.
    """

    system: object
    label: object
    share: float
    people_share: float
    difference: Value
    p_value: float
    p_adjusted: float


def label_uses(panel: Panel, plan: Resampling) -> tuple[LabelUse, ...]:
    """Compare how often systems and people give each label, on the items that both rated.

    An item counts for each person as one part of those who rated it, so that people who rated more
    items do not weigh more on an item.
    """
    labels = panel.ratings.categories
    if len(labels) > MOST_LABELS or panel.ratings.scale != "nominal":
        return ()
    codes = panel.codes[:, : len(panel.people)]
    n_rated = (codes >= 0).sum(axis=1)
    found = []
    for system in panel.systems:
        own = panel.codes[:, panel.column(system)]
        use = (own >= 0) & (n_rated > 0)
        own, others, n = own[use], codes[use], n_rated[use]
        here = plan.of_items(use)
        for k, label in enumerate(labels):
            mine, theirs = own == k, (others == k).sum(axis=1) / n
            gap = mine - theirs
            if not gap.size or not (mine.any() or theirs.any()):
                continue
            value = here.from_influence(float(gap.mean()), gap)
            units = gap.size if here.clusters is None else int(here.clusters.max()) + 1
            found.append(
                LabelUse(
                    system=system,
                    label=label,
                    share=float(mine.mean()),
                    people_share=float(theirs.mean()),
                    difference=value,
                    p_value=p_of_nothing(value.value, value.standard_error, units - 1.0),
                    p_adjusted=math.nan,
                )
            )
    if not found:
        return ()
    adjusted = holm([one.p_value for one in found])
    return tuple(replace(one, p_adjusted=float(p)) for one, p in zip(found, adjusted, strict=True))


# ---- A judge against itself: repeated runs of a model, and answers with the order turned round.

_CAPTION = "Asked again with the two candidates in the other order"
_PLACES = (("A", "B"), ("a", "b"), ("first", "second"), ("left", "right"), ("1", "2"),
           ("model_a", "model_b"), ("0", "1"))  # fmt: skip


def stability_of(ratings: Ratings, confidence_level: float) -> tuple[RaterStability, ...]:
    """Measure raters who rated items more than once against themselves; none is no error.

    Repeated runs of one model are occasions, not raters: they tell how stable the model is, and
    nothing about whether it is right.
    """
    if len(ratings.occasions) < 2:
        return ()
    from consilience.latent import intra_rater

    found = intra_rater(
        ratings, coefficient="krippendorff_alpha", confidence_level=confidence_level
    )
    return found.raters


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionSwap(Recorded, Several):
    """Whether judges keep to their answer when the two candidates change places.

    Attributes
    ----------
    rows : dict
        Judge to (items judged in both orders, share consistent, share that keep to the place).
    """

    rows: dict[object, tuple[int, Value, float]]
    swap: dict[str, str]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Judges who follow the place rather than the candidate."""
        return found(
            *(
                (
                    place > 0.1,
                    "position_bias",
                    "caution",
                    f"{judge} keeps to the place instead of the candidate on {place:.0%} of the "
                    "items judged in both orders. Judge every pair twice and count only answers "
                    "that hold.",
                )
                for judge, (_, _, place) in self.rows.items()
            )
        )

    def _beside(self) -> dict[str, Any]:
        return {
            "rows": [
                {"rater": judge, "items": n, "consistent": share, "same_place": place}
                for judge, (n, share, place) in self.rows.items()
            ]
        }

    def document(self) -> Document:
        """Return the shares as a table."""
        table = Table.of(
            self.rows.items(),
            "judge: 0!s",
            "items: 1.0",
            "consistent: 1.1.value",
            "interval: 1.1.interval",
            "keeps the place: 1.2",
            caption=_CAPTION,
        )
        return Document.of(table, title="Position swaps", findings=self.findings)


def position_swap(
    original: Ratings,
    swapped: Ratings,
    *,
    swap: Mapping[str, str] | None = None,
    refusals: Any = (),
    confidence_level: float = 0.95,
) -> PositionSwap:
    """Compare verdicts with those on the same items, the two candidates having changed places.

    Parameters
    ----------
    original, swapped : Ratings
        The same items and judges, shown in one order and in the other.
    swap : mapping, optional
        Which label stands for which after the change; default A and B, first and second, left and
        right, 1 and 2, where these are labels. All other labels (a tie) stay what they are.
    refusals : labels that mean refused or unparsable
        Items refused in either order are left out: two refusals are no answer that holds.

    Returns
    -------
    PositionSwap

    Examples
    --------
    >>> first = Ratings.from_wide({"gpt": ["A", "A", "tie", "B"]})
    >>> again = Ratings.from_wide({"gpt": ["B", "A", "tie", "A"]})
    >>> found = position_swap(first, again)
    >>> found.rows["gpt"][1].value, found.rows["gpt"][2]
    (0.75, 0.25)
    """
    left_out = refusal_words(refusals)
    labels = {str(label) for label in (*original.categories, *swapped.categories)} - left_out
    turned = dict(swap) if swap is not None else _guessed(labels)
    here = {str(name): k for k, name in enumerate(original.items)}
    there = [here.get(str(name), -1) for name in swapped.items]
    a, b = code_matrix(original), code_matrix(swapped)
    rows: dict[object, tuple[int, Value, float]] = {}
    for rater in original.raters:
        if rater not in swapped.raters:
            continue
        own = a[:, original.raters.index(rater)]
        again = b[:, swapped.raters.index(rater)]
        both = [
            (str(original.categories[own[i]]), str(swapped.categories[again[k]]))
            for k, i in enumerate(there)
            if i >= 0 and own[i] >= 0 and again[k] >= 0
        ]
        both = [pair for pair in both if not left_out.intersection(pair)]
        n = len(both)
        if n:
            share = sum(turned.get(x, x) == y for x, y in both) / n
            place = sum(x == y and x in turned for x, y in both) / n
            rows[rater] = (n, wilson(share, n, confidence_level), place)
    if not rows:
        raise UnsupportedDesignError.needs(
            "a comparison of both orders",
            "a judge who judged an item in both",
            "none",
            "check that items and judges are named alike in both orders",
        )
    return PositionSwap(rows=rows, swap=turned)


def _guessed(labels: set[str]) -> dict[str, str]:
    for one, two in _PLACES:
        if {one, two} & labels:
            return {one: two, two: one}
    raise InputError.expected(
        "swap",
        "given, which label stands for which after the change",
        sorted(labels)[:6],
        'as in swap={"A": "B", "B": "A"}',
    )
