"""Precision, recall and F of each label, with intervals, and why they are no agreement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.document import Recorded
from consilience.inference import Interval
from consilience.inference.intervals import wilson_limits
from consilience.panel._pairs import Pair
from consilience.panel._resampled_means import Group, Value

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

    group: Group
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
        nothing = Interval(math.nan, math.nan, level, "wilson")
        return Value(value=share, standard_error=math.nan, interval=nothing, reason="no items")
    low, high = wilson_limits(share, n, level)
    error = math.sqrt(max(share * (1.0 - share), 0.0) / n)
    interval = Interval(float(low), float(high), level, "wilson")
    return Value(value=share, standard_error=error, interval=interval)
