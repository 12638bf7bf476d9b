"""The items on which raters differ most: each rater's label, or how the labels split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from consilience.coefficients import item_agreement
from consilience.core.words import label_text, shortened
from consilience.document import Cell, Differing, Table
from consilience.findings import Study
from consilience.latent.entries import entries_of
from consilience.ratings import Ratings
from consilience.report._summary import MOST_RATERS

_MOST_ITEMS = 20
_ITEMS_ONE_BY_ONE = 1_000_000
_MOST_LABELS = 6  # told of one item
_COLOURED = "Coloured: labels that differ from the one that most raters gave."


def most_contested(ratings: Ratings, most: int = _MOST_ITEMS, distance: Any = None) -> Table | None:
    """Return the items on which raters differ most, with the label that each rater gave.

    Of a crowd, and of counts, it is told how the labels split. Where there are too many items to
    look at one by one, the distinct patterns of labels are listed with how often each occurs.
    """
    few = 2 <= len(ratings.raters) <= MOST_RATERS and Study(ratings).patterns is not None
    if ratings.n_items > _ITEMS_ONE_BY_ONE:
        return _contested_patterns(ratings, most) if few else None
    if not few and not Study(ratings).has_categories:
        return None
    agreement = item_agreement(ratings, distance=distance)
    order = np.argsort(np.where(np.isnan(agreement), np.inf, agreement), kind="stable")[:most]
    chosen = [int(i) for i in order if agreement[i] < 1.0]
    if not chosen:
        return None
    if not few:
        return _by_split(ratings, chosen, agreement)
    codes = _codes_of(ratings._coded_store(), chosen)
    rows: list[list[Cell]] = [
        [_name(ratings, i), float(agreement[i]), *_labels(ratings, codes[k])]
        for k, i in enumerate(chosen)
    ]
    return _table("item", ratings, rows)


def _table(what: str, ratings: Ratings, rows: Sequence[Sequence[Cell]]) -> Table:
    coloured = any(isinstance(cell, Differing) for row in rows for cell in row)
    heads = (what, "agreement", *(shortened(str(rater)) for rater in ratings.raters))
    return Table(heads=heads, rows=rows, note=_COLOURED if coloured else "")


def _by_split(ratings: Ratings, chosen: Sequence[int], agreement: Any) -> Table | None:
    """Tell of each item how the labels split, such as 3-2, and which labels these are."""
    counts = entries_of("the items", ratings, need_raters=False).counts
    if counts.shape[0] != ratings.n_items:  # patterns without the names of items
        return None
    rows: list[list[Cell]] = []
    for i in chosen:
        n_k = counts[[i]].toarray()[0]
        order = [int(k) for k in np.argsort(-n_k, kind="stable") if n_k[k]]
        split = "-".join(f"{n_k[k]:.0f}" for k in order)
        told = [f"{shortened(label_text(ratings.categories[k]))} {n_k[k]:.0f}" for k in order]
        more = [f"{len(told) - _MOST_LABELS} more"] if len(told) > _MOST_LABELS else []
        labels = ", ".join([*told[:_MOST_LABELS], *more])
        rows.append([_name(ratings, i), split, labels, float(agreement[i])])
    heads = ("item", "split", "labels", "agreement")
    return Table(heads=heads, rows=rows)


def _name(ratings: Ratings, i: int) -> str:
    return shortened(str(ratings.items[i]), 60)


def _labels(ratings: Ratings, codes: Any) -> list[Cell]:
    """Return the labels of one item as they are shown, those that differ marked as such."""
    given = [int(c) for c in codes]
    words = [shortened(label_text(ratings.categories[c])) if c >= 0 else "" for c in given]
    place = _places(given) if len(given) > 2 else {}
    return [
        Differing.of(word, place[c]) if c in place else word
        for c, word in zip(given, words, strict=True)
    ]


def _places(codes: Iterable[int]) -> dict[int, int]:
    """Number the labels that are not the one that most raters gave, the most common first.

    >>> _places([4, 4, 2, -1]), _places([1, 2, 3]), _places([5, 5])
    ({2: 1}, {1: 1, 2: 2, 3: 3}, {})
    """
    ranked = Counter(c for c in codes if c >= 0).most_common()
    if len(ranked) < 2:
        return {}
    leads = ranked[0][1] > ranked[1][1]
    return {code: k for k, (code, _) in enumerate(ranked[leads:], start=1)}


def _codes_of(store: Any, chosen: list[int]) -> Any:
    """Return the label codes of some items."""
    if store.multiplicity is None:
        return store.decode(store.matrix[chosen])
    rows = np.searchsorted(np.cumsum(store.multiplicity), chosen, side="right")
    return store.decode(store.matrix[rows])


def _contested_patterns(ratings: Ratings, most: int) -> Table | None:
    patterns = Study(ratings).patterns
    assert patterns is not None
    counts = np.stack(
        [(patterns.codes == k).sum(axis=1) for k in range(len(ratings.categories))], axis=1
    )
    n = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / np.maximum(n * (n - 1), 1)
    agreement = np.where(n >= 2, agreeing, np.inf)
    order = np.lexsort((-patterns.multiplicity, agreement))[:most]
    rows: list[list[Cell]] = [
        [int(patterns.multiplicity[i]), float(agreement[i]), *_labels(ratings, patterns.codes[i])]
        for i in order
        if agreement[i] < 1.0
    ]
    return _table("items", ratings, rows) if rows else None
