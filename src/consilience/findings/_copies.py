"""Ratings that were not made independently: raters or items that are copies of each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.document import Finding
from consilience.findings._checks_registry import register
from consilience.findings._study import Study, named, upper_first
from consilience.ratings.stores import NumberMatrix

_FEWEST_ITEMS = 20
_LEAST_SURPRISE = 1e-6
_SHARE_OF_COPIES = 0.01
_MORE_THAN_CHANCE = 4.0
_MOST_ITEMS = 500_000  # looked at for copies, about
_BLOCK = 16_384  # items whose first numbers fit into the processor's cache
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio spreads the bits of numbers


@register
def copied_rater(study: Study) -> Finding | None:
    """Say when two raters never differ though others do: one may be a copy of the other.

    Agreement on all n common items is a surprise if p_o^n is tiny, p_o being the agreement of the
    best of the pairs that differ at all.

    Examples
    --------
    >>> from consilience import Ratings
    >>> rows = [["a", "a", "b"], ["b", "b", "b"], ["c", "c", "c"], ["a", "a", "a"]] * 20
    >>> print(copied_rater(Study(Ratings.from_wide(rows, raters=["Ann", "Bob", "Cid"]))).message)
    Ann and Bob gave the same label to all 80 items that both rated; no
    other two agree on more than 75%.
    """
    patterns = study.patterns
    if patterns is None or not study.has_categories or not study.is_panel:
        return None
    names, codes, times = study.ratings.raters, patterns.codes, patterns.multiplicity
    common, same = {}, {}
    for pair in combinations(range(len(names)), 2):
        g, h = pair
        both = (codes[:, g] >= 0) & (codes[:, h] >= 0)
        common[pair] = float(times[both].sum())
        same[pair] = float(times[both & (codes[:, g] == codes[:, h])].sum())
    others = [same[p] / n for p, n in common.items() if n >= _FEWEST_ITEMS and same[p] < n]
    if not others:
        return None
    usual = max(others)
    for pair, n in common.items():
        if n < _FEWEST_ITEMS or same[pair] < n or usual**n >= _LEAST_SURPRISE:
            continue
        first, second = names[pair[0]], names[pair[1]]
        return Finding(
            "copied_rater",
            # A third rater alone cannot tell two copies from two who are both right.
            "problem" if len(names) > 3 else "caution",
            upper_first(
                f"{named(first)} and {named(second)} gave the same label to all {n:,.0f} items "
                f"that both rated; no other two agree on more than {usual:.0%}."
            ),
            "Check that they worked alone and that no column was copied; copies raise every "
            "coefficient.",
            {"raters": [first, second], "items": n, "agreement_of_others": usual},
        )
    return None


@register
def copied_items(study: Study) -> Finding | None:
    """Say when many items carry exactly the same measured numbers from all raters.

    Only numbers that hardly repeat can show this; the same labels on two items mean nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from consilience import Ratings
    >>> x = np.random.default_rng(1).normal(size=(100, 3))
    >>> twice = np.concatenate([x, x[:20]])
    >>> print(copied_items(Study(Ratings.from_wide(twice, scale="interval"))).message)
    20 of 120 items carry exactly the numbers of another item, from every rater.
    """
    store = study.ratings._store
    if not isinstance(store, NumberMatrix) or store.values.shape[1] < 2:
        return None
    rows, share = _looked_at(store.values)
    if len(rows) < _FEWEST_ITEMS:
        return None
    n_copies = _copies(rows)
    if n_copies < max(2, _SHARE_OF_COPIES * len(rows)):
        return None
    if n_copies < _MORE_THAN_CHANCE * _by_chance(rows[:, 0], share):
        return None
    return Finding(
        "copied_items",
        "caution",
        f"{n_copies:,} of {len(rows):,} items carry exactly the numbers of another item, from "
        "every rater.",
        "Check whether items were entered twice; copies make intervals too short.",
        {"copies": n_copies, "items": len(rows)},
    )


def _looked_at(values: Floats) -> tuple[Floats, float]:
    """Return the complete items, of very many a part that holds copies together, and its share.

    The first number of an item decides by its bits whether the item is looked at, so an item and
    its copy, wherever it stands, are both in the part or both not.
    """
    parts = len(values) // _MOST_ITEMS + 1
    share = 1.0
    if parts > 1:
        limit, share = np.uint64(2**64 // parts), 1.0 / parts
        blocks = (values[at : at + _BLOCK] for at in range(0, len(values), _BLOCK))
        values = np.concatenate([block[_bits(block[:, 0]) * _ODD < limit] for block in blocks])
    return values[~np.isnan(values).any(axis=1)], share


def _bits(values: Floats) -> NDArray[np.uint64]:
    return (values.astype(np.float64, copy=False) + 0.0).view(np.uint64)  # minus zero is zero


def _mixed(values: Floats) -> NDArray[np.uint64]:
    """Spread the bits of numbers evenly; equal numbers stay equal."""
    bits = _bits(values)
    bits ^= bits >> np.uint64(32)
    bits *= _ODD
    bits ^= bits >> np.uint64(29)
    bits *= _ODD
    return bits


def _copies(rows: Floats) -> int:
    """Count rows that repeat another, all numbers alike."""
    mixed = np.zeros(len(rows), dtype=np.uint64)
    for column in rows.T:
        mixed = (mixed * _ODD) ^ _mixed(column)
    mixed.sort()
    return int(np.count_nonzero(mixed[1:] == mixed[:-1]))


def _by_chance(values: Floats, share: float = 1.0) -> float:
    """Return how many repeats numbers as coarse as these show by themselves.

    Numbers that lie at least `step` apart have about range / step possible values, of which
    `share` could be among these.
    """
    distinct = np.unique(values)
    if len(distinct) < 2:
        return float(len(values))
    possible = 1.0 + (distinct[-1] - distinct[0]) / np.diff(distinct).min()
    return float(len(values) ** 2 / (2.0 * possible * share))
