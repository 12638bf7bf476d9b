"""Raters who guess, or who stand apart from the others."""

from __future__ import annotations

import math

import numpy as np

from consilience.core.arrays import Mask, first_largest
from consilience.diagnosis._cause import LEAST_GAIN, Candidate, register
from consilience.diagnosis._table import FEWEST_ITEMS, PairSums, RatingTable, largest

_LEAST_STEP = 0.004
_BELOW_THE_MEDIAN = 0.8
_A_GROUP = 0.15  # by how much raters agree better with each other than with the rest
_BEYOND_CHANCE = 2.0  # standard errors of their agreement, where they share few items
_GUESSES, _GUESSES_OF_MEDIAN = 0.2, 0.3


@register
class Apart:
    """Raters are left out as a set: the worst is added while that gains more than by chance."""

    name = "apart"
    place = 6
    share = 0.75

    def find(self, table: RatingTable) -> Candidate | None:
        """Look for the set of raters without whom the others agree better."""
        if table.n_raters < 3:
            return None
        sums, named = table.pairs, _named(table)
        if not named.any():
            return None
        # All that can be left out may not be enough: only then is the null worth its draws.
        most = _left_out(table, named, _LEAST_STEP)
        if not most.any() or table.emptied(_cells(table, most)).alpha - table.alpha < LEAST_GAIN:
            return None

        def step(one: RatingTable) -> float:
            return float(np.where(named, one.without_each(), -np.inf).max()) - one.alpha

        least = max(table.limit(largest(table.exchangeable_raters, step)), _LEAST_STEP)
        out = _kept(sums, _left_out(table, named, least))
        if not out.any():
            return None
        stay = ~out
        gain = table.emptied(_cells(table, out)).alpha - table.alpha
        if gain < LEAST_GAIN or _is_group(table, out):
            return None
        rest = sums.kappa_with(stay)
        usual = float(np.median(rest[stay & named])) if (stay & named).any() else 0.0
        guesses = float(rest[out].mean()) <= max(_GUESSES, _GUESSES_OF_MEDIAN * usual)
        who = tuple(int(g) for g in np.flatnonzero(out))
        return Candidate(
            code="guess" if guesses else self.name,
            gain=gain,
            raters=who,
            remedied=lambda: table.only_raters(stay),
            facts={
                "with_rest": float(rest[out].mean()),
                "among_rest": usual,
                "ratings": int(table.given[:, out].sum()),
                "all_ratings": int(table.given.sum()),
            },
        )


def _named(table: RatingTable) -> Mask:
    """Tell which columns are one rater with enough items."""
    return np.asarray((table.columns >= 0) & (table.given.sum(axis=0) >= FEWEST_ITEMS))


def _cells(table: RatingTable, out: Mask) -> Mask:
    return np.broadcast_to(out, table.codes.shape)


def _left_out(table: RatingTable, able: Mask, least: float) -> Mask:
    """Leave the worst rater out as long as a step gains enough."""
    out = np.zeros(able.size, dtype=np.bool_)
    for _ in range((able.size - 1) // 2):
        after = np.where(able & ~out, table.without_each(), -np.inf)
        g = first_largest(after)
        if after[g] - table.alpha < least:
            break
        out[g] = True
        table = table.emptied(_cells(table, out))
        if table.n_items < FEWEST_ITEMS:
            break
    return out


def _kept(sums: PairSums, out: Mask) -> Mask:
    """Keep those only who agree with the rest clearly less than the rest does."""
    if not out.any():
        return out
    rest = sums.kappa_with(~out)
    usual = float(np.median(rest[~out]))
    return np.asarray(out & (rest < _BELOW_THE_MEDIAN * usual))


def _is_group(table: RatingTable, out: Mask) -> bool:
    """Tell whether those who are left out agree among themselves: then they have a rule.

    Workers of a crowd share few items: chance alone lets three of them agree a little better.
    """
    each = table.given[:, out].sum(axis=1)
    shared = int((each * (each - 1) // 2).sum())
    if not shared:
        return False
    rest = table.pairs.kappa_with(~out)[out]
    margin = max(_A_GROUP, _BEYOND_CHANCE / math.sqrt(shared))
    return table.pairs.among(out) > float(rest.mean()) + margin
