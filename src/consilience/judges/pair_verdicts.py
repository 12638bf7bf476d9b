"""Verdicts on pairs, one by one: counts for the model, and how far judges agree."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from consilience.coefficients import krippendorff_alpha
from consilience.core.arrays import Floats, Ints
from consilience.core.interval import Interval
from consilience.exceptions import ConsilienceError
from consilience.judges.paired_comparisons import FIRST, SECOND, TIE, Comparisons, Fit
from consilience.judges.preference_results import JudgeReliability
from consilience.ratings import Ratings


@dataclass(frozen=True)
class Votes:
    """Verdicts on pairs, one entry each: who was first, who second, what came out, by whom."""

    names: tuple[object, ...]
    first: Ints
    second: Ints
    outcome: Ints
    judge: tuple[object, ...] | None
    item: Ints | None

    def counted(self, weight: Floats | None = None, *, ordered: bool = True) -> Comparisons:
        """Count outcomes by pair; `weight` says how often each verdict counts."""
        n = len(self.names)
        turned = np.zeros(self.first.size, dtype=np.bool_) if ordered else self.first > self.second
        first = np.where(turned, self.second, self.first)
        second = np.where(turned, self.first, self.second)
        other = np.array([SECOND, FIRST, TIE])
        outcome = np.where(turned, other[self.outcome], self.outcome)
        pairs, place = np.unique(first * n + second, return_inverse=True)
        wins = np.zeros((pairs.size, 3))
        np.add.at(wins, (place, outcome), 1.0 if weight is None else weight)
        return Comparisons(pairs // n, pairs % n, wins, n)


def circular_triads(votes: Votes) -> tuple[int, int]:
    """Count triads whose majorities go round in a circle: Kendall and Babington Smith (1940)."""
    n = len(votes.names)
    wins = np.zeros((n, n))
    first = votes.outcome == FIRST
    second = votes.outcome == SECOND
    np.add.at(wins, (votes.first[first], votes.second[first]), 1.0)
    np.add.at(wins, (votes.second[second], votes.first[second]), 1.0)
    ahead = wins > wins.T
    decided = ahead | ahead.T
    circular = total = 0
    for i, j, k in combinations(range(n), 3):
        if decided[i, j] and decided[j, k] and decided[i, k]:
            total += 1
            circular += bool(ahead[i, j] == ahead[j, k] == ahead[k, i])
    return circular, total


def judged_by(
    votes: Votes, model: Fit, level: float
) -> tuple[tuple[JudgeReliability, ...], float | None, Interval | None]:
    """Return how far judges agree with each other and with the fitted order."""
    if votes.judge is None or len(set(votes.judge)) < 2:
        return (), None, None
    pair = [tuple(sorted(one)) for one in zip(votes.first.tolist(), votes.second.tolist(),
                                              strict=True)]  # fmt: skip
    asked = votes.item.tolist() if votes.item is not None else [0] * len(pair)
    winner = np.where(votes.outcome == TIE, -1,
                      np.where(votes.outcome == FIRST, votes.first, votes.second))  # fmt: skip
    keys = list(zip(asked, pair, strict=True))
    given: dict[tuple[Any, Any], list[tuple[object, int]]] = {}
    for key, who, won in zip(keys, votes.judge, winner.tolist(), strict=True):
        given.setdefault(key, []).append((who, won))
    rows = [_reliability(name, given, model) for name in sorted(set(votes.judge), key=str)]
    if votes.item is None:
        return tuple(rows), None, None
    long = {"item": [str(key) for key in keys], "rater": list(votes.judge),
            "label": [str(x) for x in winner.tolist()]}  # fmt: skip
    try:
        ratings = Ratings.from_long(long, duplicates="first")
        alpha = krippendorff_alpha(ratings, on_undefined="ignore")
        return tuple(rows), alpha.value, alpha.confidence_interval(level)
    except ConsilienceError:
        return tuple(rows), None, None


def _reliability(
    name: object, given: dict[tuple[Any, Any], list[tuple[object, int]]], model: Fit
) -> JudgeReliability:
    same = others = with_model = decided = verdicts = 0
    for (_, (a, b)), said in given.items():
        own = [won for who, won in said if who == name]
        rest = Counter(won for who, won in said if who != name)
        favourite = a if model.abilities[a] >= model.abilities[b] else b
        for won in own:
            verdicts += 1
            decided += won >= 0
            with_model += won == favourite
            top = [x for x, n in rest.items() if n == max(rest.values())] if rest else []
            if len(top) == 1:
                others += 1
                same += won == top[0]
    return JudgeReliability(
        judge=name,
        verdicts=verdicts,
        with_others=same / others if others else math.nan,
        with_model=with_model / decided if decided else math.nan,
    )
