"""Ratings that were not made independently: raters or items that are copies of each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from consilience.document import Finding
from consilience.findings._base import register
from consilience.findings._study import Study
from consilience.ratings._stores import NumberMatrix

_FEWEST_ITEMS = 20
_LEAST_SURPRISE = 1e-6
_SHARE_OF_COPIES = 0.01


@register
def copied_rater(study: Study) -> Finding | None:
    """Say when two raters never differ though others do: one may be a copy of the other.

    Agreement on all n common items is a surprise if p_o^n is tiny, p_o being the agreement of all
    other pairs of raters.

    Examples
    --------
    >>> from consilience import Ratings
    >>> rows = [["a", "a", "b"], ["b", "b", "b"], ["c", "c", "c"], ["a", "a", "a"]] * 20
    >>> print(copied_rater(Study(Ratings.from_wide(rows, raters=["Ann", "Bob", "Cid"]))).message)
    Ann and Bob gave the same label to all 80 items that both rated; other pairs agree on 75%.
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
    for pair, n in common.items():
        rest_n = sum(common.values()) - n
        rest_same = sum(same.values()) - same[pair]
        if n < _FEWEST_ITEMS or same[pair] < n or rest_n < _FEWEST_ITEMS:
            continue
        usual = rest_same / rest_n
        if usual**n < _LEAST_SURPRISE:
            first, second = names[pair[0]], names[pair[1]]
            return Finding(
                "copied_rater",
                "problem",
                f"{first} and {second} gave the same label to all {n:,.0f} items that both rated; "
                f"other pairs agree on {usual:.0%}.",
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
    values = np.ascontiguousarray(store.values[:1_000_000])
    whole = np.ascontiguousarray(values[~np.isnan(values).any(axis=1)])
    if len(whole) < _FEWEST_ITEMS:
        return None
    rows = whole.view(np.dtype((np.void, whole.dtype.itemsize * whole.shape[1]))).ravel()
    n_copies = len(rows) - len(np.unique(rows))
    if n_copies < max(2, _SHARE_OF_COPIES * len(rows)):
        return None
    return Finding(
        "copied_items",
        "caution",
        f"{n_copies:,} of {len(rows):,} items carry exactly the numbers of another item, from "
        "every rater.",
        "Check whether items were entered twice; copies make intervals too short.",
        {"copies": n_copies, "items": len(rows)},
    )
