"""Predicted distributions against people's: how near, and how near people themselves come."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.draws import RandomStream, Seed
from consilience.core.interval import Interval, check_confidence_level
from consilience.core.result import Several
from consilience.core.tails import quantile
from consilience.core.verdict import Verdict
from consilience.core.words import counted
from consilience.document import Document, Finding, Table
from consilience.document.blocks import found
from consilience.document.records import Recorded
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.influence import clustered_variance
from consilience.judges.verdicts import clusters_of, votes_of
from consilience.ratings import Ratings, as_ratings
from consilience.ratings.duplicates import need_one_occasion
from consilience.ratings.rating_tables import code_matrix

Metric = Callable[[Floats, Floats], Floats]
_SMALLEST = 1e-12
_N_SPLITS = 50
_HARD = "wrong_label"


def cross_entropy(p: Floats, q: Floats) -> Floats:
    """Return -sum p log q of each row, in nats."""
    return np.asarray(-(p * np.log(np.maximum(q, _SMALLEST))).sum(axis=-1))


def entropy(p: Floats) -> Floats:
    """Return the entropy of each row, in nats."""
    return cross_entropy(p, p)


def jensen_shannon(p: Floats, q: Floats) -> Floats:
    """Return Jensen and Shannon's divergence of each row in bits: 0 to 1 (Lin 1991)."""
    middle = (p + q) / 2.0
    return np.maximum(entropy(middle) - (entropy(p) + entropy(q)) / 2.0, 0.0) / math.log(2.0)


def manhattan(p: Floats, q: Floats) -> Floats:
    """Return the sum of absolute differences of each row: 0 to 2."""
    return np.asarray(np.abs(p - q).sum(axis=-1))


def entropy_distance(p: Floats, q: Floats) -> Floats:
    """Return how far apart the entropies of both are, as a share of the largest: 0 to 1."""
    return np.asarray(np.abs(entropy(p) - entropy(q)) / math.log(p.shape[-1]))


METRICS: Mapping[str, tuple[str, Metric]] = {
    "cross_entropy": ("cross-entropy", cross_entropy),
    "jensen_shannon": ("Jensen-Shannon", jensen_shannon),
    "manhattan": ("Manhattan", manhattan),
    "entropy_distance": ("entropies", entropy_distance),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftMeasure(Recorded):
    """One distance between predicted and people's distributions, or labels; smaller is better.

    Attributes
    ----------
    name, title : str
    value : float
        Of the predictions against all people.
    interval : Interval
    against_half, ceiling : float
        Of the predictions against half of the people, and of the other half against them: what
        people reach with each other.
    gap : float
        The first minus the second; above 0, the predictions are farther off than people are.
    gap_interval : Interval
    """

    renamed: ClassVar[Mapping[str, str]] = {"name": "coefficient", "title": "name"}

    name: str
    title: str
    value: float
    interval: Interval
    against_half: float
    ceiling: float
    gap: float
    gap_interval: Interval

    def _beside(self) -> dict[str, Any]:
        head = {"coefficient": self.name, "name": self.title, "value": self.value}
        return {**head, "status": "ok", "reason": None}


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftAgreement(Recorded, Several):
    """Predicted distributions beside people's, soft and hard.

    Attributes
    ----------
    measures : tuple of SoftMeasure
        Soft: distances of distributions.
    hard : SoftMeasure
        Hard: share of items whose most probable label is not the one that most people gave.
    accuracy : float
        Share of items whose most probable label is the one that most people gave; a tie counts by
        its parts.
    accuracy_interval : Interval
    accuracy_ceiling : float
        The same for half of the people against the other half.
    n_items, n_raters : int
        Items with two people or more, and people.
    system : object
        Whose predictions they are; None where nobody is named.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("measures", "hard", "findings")
    renamed: ClassVar[Mapping[str, str]] = {"n_items": "items", "n_raters": "raters"}

    measures: tuple[SoftMeasure, ...]
    hard: SoftMeasure
    accuracy: float
    accuracy_interval: Interval
    accuracy_ceiling: float
    n_items: int
    n_raters: int
    labels: tuple[object, ...]
    system: object = None
    findings: tuple[Finding, ...] = ()

    def __getitem__(self, name: str) -> SoftMeasure:
        for one in (*self.measures, self.hard):
            if one.name == name:
                return one
        raise InputError.unknown_word("the measure", name, [*METRICS, _HARD])

    @property
    def verdict(self) -> Verdict:
        """Whether the predictions are as near to people as people are to each other."""
        one = self["jensen_shannon"]
        low, high = one.gap_interval
        told = f"Jensen-Shannon {one.against_half:.3f} against {one.ceiling:.3f} between people"
        code, how = "at_ceiling", "as near to people as people are to each other"
        then = "Ask more people per item before you tune any further."
        if low > 0.0:
            code, how = "below_ceiling", "farther from people than people are from each other"
            then = "Improve the predictions: there is room."
        elif high < 0.0:
            code = "above_ceiling"
            how = "nearer to people than half of the people are to the other half"
            then = "Ask more people per item before you tune on."
        return Verdict(
            code=code,
            gravity="caution" if low > 0.0 else "good",
            message=f"{self._who} are {how}: {told}.",
            next=then,
        )

    @property
    def _who(self) -> str:
        return "The predictions" if self.system is None else f"The predictions of {self.system!s}"

    def _beside(self) -> dict[str, Any]:
        return {"estimates": [*self.measures, self.hard]}

    def document(self) -> Document:
        """Return soft and hard measures side by side."""
        right = self.accuracy_interval
        return Document.of(
            f"{counted(self.n_items, 'item')} with two people or more, {self.n_raters} people. The "
            f"most probable label is the one that most people gave in {self.accuracy:.1%} "
            f"({right.low:.1%} to {right.high:.1%}).",
            Table.of(
                (*self.measures, self.hard),
                "distance: title",
                "to people: value",
                "interval",
                "ceiling",
                "gap",
                "interval of gap: gap_interval",
                caption="Soft and hard side by side",
                note="ceiling: from one half of the people to the other; gap: from the predictions "
                "to one half, minus the ceiling.",
                whole=True,
            ),
            findings=self.findings,
            verdict=self.verdict,
        )


def soft_agreement(
    ratings: Any,
    predicted: Any,
    *,
    system: object = None,
    clusters: Any = None,
    confidence_level: float = 0.95,
    rng: Seed = 0,
) -> SoftAgreement:
    """Compare predicted distributions of labels with those of people.

    Use it where people disagree for good reasons, so that one right label per item does not exist.
    The ceiling is what people reach with each other, from splitting them into halves at random.

    Parameters
    ----------
    ratings : Ratings
        Of people, several on each item.
    predicted : mapping from item to {label: probability}, or array of items x labels
        The array has labels in the order of ``ratings.categories``; items that a mapping does not
        name are left out.
    system : object, optional
        Whose predictions they are.
    clusters : one entry per item, default those of the ratings
    confidence_level : float, default 0.95
    rng : int or numpy.random.Generator, default 0

    Returns
    -------
    SoftAgreement

    Notes
    -----
    Where half of the people stand in for a prediction, one label in all is added, spread evenly
    over the labels, so that cross-entropy exists; the same is done to neither side elsewhere.

    Examples
    --------
    >>> rows = [["a", "a", "a", "b"], ["b", "b", "b", "b"], ["a", "b", "a", "b"]] * 5
    >>> guess = [[0.75, 0.25], [0.1, 0.9], [0.5, 0.5]] * 5
    >>> found = soft_agreement(Ratings.from_wide(rows), guess)
    >>> round(found["manhattan"].value, 3), round(found.accuracy, 2)
    (0.067, 0.83)
    """
    level = check_confidence_level(confidence_level)
    people = as_ratings(ratings)
    need_one_occasion("soft_agreement", people)
    labels = tuple(people.categories)
    if len(labels) < 2:
        raise UnsupportedDesignError.needs(
            "distributions of labels", "two labels or more", f"{len(labels)}", "look at the data"
        )
    codes = code_matrix(people)
    votes = votes_of(codes, len(labels))
    q = _distributions(people, predicted)
    several = votes.sum(axis=1) >= 2
    kept = several & ~np.isnan(q[:, 0])
    if int(kept.sum()) < 2:
        raise UnsupportedDesignError.needs(
            "a noise ceiling",
            "two items or more with a prediction and two people or more",
            f"{int(kept.sum())}",
            "ask more people about each item",
        )
    q, n_lacking = q[kept], int((several & ~kept).sum())
    known = clusters_of(people, clusters)
    cluster = None if known is None else known[kept]
    votes, codes = votes[kept], codes[kept]
    p = votes / votes.sum(axis=1, keepdims=True)
    halves = _halves(codes, q, RandomStream.of(rng))
    measures = tuple(
        _measure(name, title, metric(p, q), halves[name], cluster=cluster, level=level)
        for name, (title, metric) in METRICS.items()
    )
    right = _right(votes, q)
    hard = _measure(
        _HARD, "wrong label (hard)", 1.0 - right, halves[_HARD], cluster=cluster, level=level
    )
    result = SoftAgreement(
        measures=measures,
        hard=hard,
        accuracy=float(right.mean()),
        accuracy_interval=_mean_interval(right, cluster, level, (0.0, 1.0)),
        accuracy_ceiling=1.0 - hard.ceiling,
        n_items=int(kept.sum()),
        n_raters=people.n_raters,
        labels=labels,
        system=system,
    )
    return replace(result, findings=_findings(result, n_lacking))


def _findings(result: SoftAgreement, n_lacking: int) -> tuple[Finding, ...]:
    own = result["cross_entropy"]
    far = own.gap_interval.low > 0.0 and not result["jensen_shannon"].gap_interval.low > 0.0
    return found(
        (
            far,
            "predictions_too_sure",
            "caution",
            f"{result._who} give next to no probability to labels that people do give: their "
            f"cross-entropy lies {own.gap:.2f} above that between people, though the most probable "
            "labels fit.",
            "Calibrate them, for example by a temperature, before you use them as probabilities.",
            {"gap": own.gap},
        ),
        (
            n_lacking,
            "items_without_prediction",
            "info",
            f"Left out: {counted(n_lacking, 'item')} that people labelled, without a prediction.",
        ),
    )


def _distributions(people: Ratings, predicted: Any) -> Floats:
    """Return one checked distribution per item; NaN where a mapping has none."""
    if isinstance(predicted, Mapping):
        q = _by_name(people, predicted)
    else:
        q = np.asarray(predicted, dtype=np.float64)
    shape = (people.n_items, len(people.categories))
    if q.shape != shape:
        raise InputError.expected(
            "predicted",
            f"{shape[0]:,} items x {shape[1]} labels",
            f"shape {q.shape}",
            "give one row per item, in the order of ratings.items",
        )
    given = ~np.isnan(q).all(axis=1) if isinstance(predicted, Mapping) else np.ones(len(q), bool)
    sums = q[given].sum(axis=1)
    odd = ~(np.abs(sums - 1.0) <= 1e-3) | (q[given] < 0).any(axis=1)
    if odd.any():
        raise InputError.expected(
            "predicted",
            "probabilities that add up to 1",
            f"a row that adds up to {sums[odd][0]:g}",
            "divide each row by its sum",
        )
    found = np.full(shape, np.nan)
    found[given] = q[given] / sums[:, None]
    return found


def _by_name(people: Ratings, predicted: Mapping[Any, Any]) -> Floats:
    """Return distributions that are given by item and label, as rows of an array."""
    known = {str(item): given for item, given in predicted.items()}
    labels = [str(label) for label in people.categories]
    q = np.full((people.n_items, len(labels)), np.nan)
    for row, item in enumerate(people.items):
        given = known.get(str(item))
        if given is None:
            continue
        if not isinstance(given, Mapping):
            raise InputError.expected(
                "predicted",
                "{label: probability} for each item",
                f"{given!r} for {item!s}",
                "give {label: probability} for it",
            )
        by_label = {str(label): float(x) for label, x in given.items()}
        strange = [label for label in by_label if label not in labels and by_label[label] > 0]
        if strange:
            raise InputError.unknown_word("a predicted label", min(strange), labels)
        q[row] = [by_label.get(label, 0.0) for label in labels]
    return q


def _halves(codes: Ints, q: Floats, draw: RandomStream) -> dict[str, Floats]:
    """Split people of each item at random, many times: each metric on the halves, item by item."""
    n, k = q.shape
    sums = {name: np.zeros((n, 2)) for name in (*METRICS, _HARD)}
    given = codes >= 0
    for _ in range(_N_SPLITS):
        order = np.argsort(np.where(given, draw.random(codes.shape), 2.0), axis=1)
        place = np.argsort(order, axis=1)
        half = given.sum(axis=1)[:, None] // 2
        one = votes_of(np.where(given & (place < half), codes, -1), k)
        other = votes_of(np.where(given & (place >= half) & (place < 2 * half), codes, -1), k)
        truth = one / one.sum(axis=1, keepdims=True)
        guess = (other + 1.0 / k) / (other.sum(axis=1, keepdims=True) + 1.0)
        plain = other / other.sum(axis=1, keepdims=True)
        for name, (_, metric) in METRICS.items():
            sums[name][:, 0] += metric(truth, q)
            sums[name][:, 1] += metric(truth, guess if name == "cross_entropy" else plain)
        sums[_HARD] += 1.0 - np.stack([_right(one, q), _right(one, plain)], axis=1)
    return {name: x / _N_SPLITS for name, x in sums.items()}


def _right(votes: Ints, q: Floats) -> Floats:
    """Return how far the most probable label is the most frequent one; ties count by parts."""
    top = votes == votes.max(axis=1, keepdims=True)
    best = q >= q.max(axis=1, keepdims=True) - 1e-12
    return np.asarray((top & best).sum(axis=1) / (best.sum(axis=1) * top.sum(axis=1)))


def _measure(
    name: str, title: str, own: Floats, halves: Floats, *, cluster: Ints | None, level: float
) -> SoftMeasure:
    """Return the mean over items, and the gap between predictions and people, item by item."""
    gap = halves[:, 0] - halves[:, 1]
    return SoftMeasure(
        name=name,
        title=title,
        value=float(own.mean()),
        interval=_mean_interval(own, cluster, level),
        against_half=float(halves[:, 0].mean()),
        ceiling=float(halves[:, 1].mean()),
        gap=float(gap.mean()),
        gap_interval=_mean_interval(gap, cluster, level),
    )


def _mean_interval(
    values: Floats,
    cluster: Ints | None,
    level: float,
    ends: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """Return the interval of a mean over items, by Student's t over items or clusters."""
    n = values.size if cluster is None else int(np.unique(cluster).size)
    mean = float(values.mean())
    variance = clustered_variance((values - mean) / values.size, cluster, small_sample="always")
    reach = quantile(0.5 + level / 2.0, max(n - 1.0, 1.0)) * math.sqrt(variance)
    low, high = max(mean - reach, ends[0]), min(mean + reach, ends[1])
    return Interval(low, high, level, f"t over {'items' if cluster is None else 'clusters'}")
