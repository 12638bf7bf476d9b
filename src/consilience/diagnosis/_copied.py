"""Two raters whose labels are copies: agreement that was never measured."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from consilience.core.arrays import Floats, first_largest
from consilience.diagnosis._cause import Candidate, register
from consilience.diagnosis._table import FEWEST_ITEMS, RatingTable, largest

_DIFFER_AT_MOST = 0.06  # 1 - kappa of the pair
_DIFFER_AT_MOST_OF_FOUR = 0.3  # the same where others can bear witness
_OF_THE_NEXT = 0.5
_AS_CLOSE, _SAME = 1.5, 0.01
_LEAST_CHANCE = 0.1  # disagreement by chance: two who always give one label have nothing to copy
_ALONE = 0.7
_EQUAL = 0.6  # share of equal numbers
_MOST_RATERS = 60


@register
class CopiedRater:
    """One of two raters who hardly ever differ is left out, and the number falls."""

    name = "copied"
    place = 0
    share = 0.0

    def find(self, table: RatingTable) -> Candidate | None:
        """Look for a pair that is far closer than the next."""
        if not 3 <= table.n_raters <= _MOST_RATERS:
            return None
        pair = _equal_numbers(table) if table.kind == "numbers" else _closest(table)
        if pair is None:
            return None
        g, h = pair
        without = table.without_each()
        # The one whose absence costs less is kept out: which of them copied cannot be told.
        out = g if without[g] <= without[h] else h
        stay = np.arange(table.n_raters) != out
        both = table.given[:, g] & table.given[:, h]
        same = (table.codes[:, g] == table.codes[:, h]) & (table.values[:, g] == table.values[:, h])
        return Candidate(
            code=self.name,
            gain=float(without[out] - table.alpha),
            raters=(g, h),
            remedied=lambda: table.only_raters(stay),
            facts={"common": int(both.sum()), "same": int((both & same).sum())},
        )


def _differences(table: RatingTable) -> tuple[Floats, list[tuple[int, int]]]:
    """Return 1 - kappa of each pair that shares enough items, labels taken as names."""
    sums = table.pairs_by_name
    kappa, common = np.where(sums.expected > _LEAST_CHANCE, sums.kappa, np.nan), sums.common
    pairs = [
        (g, h)
        for g, h in combinations(range(table.n_raters), 2)
        if common[g, h] >= 2 * FEWEST_ITEMS and np.isfinite(kappa[g, h])
    ]
    return np.array([1.0 - kappa[g, h] for g, h in pairs]), pairs


def _closest(table: RatingTable) -> tuple[int, int] | None:
    apart, pairs = _differences(table)
    if apart.size < 2:
        return None
    first = first_largest(-apart)
    most = _DIFFER_AT_MOST if table.n_raters < 4 else _DIFFER_AT_MOST_OF_FOUR
    # There may be several pairs of copies; more than that are raters who agree.
    alike = apart <= max(_AS_CLOSE * apart[first], _SAME)
    if alike.sum() > table.n_raters // 2 or alike.all() or apart[first] > most:
        return None
    if apart[first] >= _OF_THE_NEXT * apart[~alike].min():
        return None

    def best(one: RatingTable) -> float:
        found, _ = _differences(one)
        return float(1.0 - found.min()) if found.size else 0.0

    if 1.0 - apart[first] <= table.limit(largest(table.exchangeable_raters, best)):
        return None
    pair = pairs[first]
    return pair if table.n_raters < 4 or _leave_the_others_together(table, *pair) else None


def _leave_the_others_together(table: RatingTable, g: int, h: int) -> bool:
    """Tell whether two raters differ from others who agree: together, and rarely one alone."""
    mine, yours = table.codes[:, g], table.codes[:, h]
    rest = table.counts.copy()
    places = np.arange(table.n_items)
    for own in (mine, yours):
        given = own >= 0
        rest[places[given], own[given]] -= 1
    told = rest.argmax(axis=1)
    agreed = (rest.max(axis=1) >= 2) & (rest.max(axis=1) > rest.sum(axis=1) / 2)
    agreed &= (mine >= 0) & (yours >= 0)
    off = (mine != told, yours != told)
    together = int((agreed & off[0] & (mine == yours)).sum())
    alone = int((agreed & (off[0] != off[1])).sum())
    return together >= FEWEST_ITEMS and alone <= _ALONE * together


def _equal_numbers(table: RatingTable) -> tuple[int, int] | None:
    """Return the pair that gives the same numbers far more often than any other."""
    shares = []
    for g, h in combinations(range(table.n_raters), 2):
        both = table.given[:, g] & table.given[:, h]
        if both.sum() >= 2 * FEWEST_ITEMS:
            same = np.abs(table.values[both, g] - table.values[both, h]) < 1e-9
            shares.append((float(same.mean()), g, h))
    shares.sort(reverse=True)
    if len(shares) < 2 or shares[0][0] < _EQUAL or shares[1][0] > _OF_THE_NEXT * shares[0][0]:
        return None
    return shares[0][1:]
