"""One label written in two ways, and codes for "no rating": asked about before a number comes out.

Raters who write yes and no beside others who write 1 and 0 agree in nothing, and 99 beside 1 to 5
is no mark. What the caller said about labels settles it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np

from consilience.core.arrays import Ints
from consilience.exceptions import Words
from consilience.io.layout.decision import AmbiguousTableError, Offer
from consilience.io.layout.labels import far_numbers, words_for_no_answer
from consilience.io.layout.lexicon import sense_of
from consilience.io.options import Request
from consilience.ratings import Ratings
from consilience.ratings.rating_tables import code_matrix
from consilience.ratings.stores import CountTable, MomentTable

_MOST_LABELS, _MOST_MATCHED, _MOST_RATERS, _MOST_CELLS = 40, 6, 60, 5_000_000
_MATCHED = 0.7  # of the items that both rated
_FEWEST, _OFTEN = 5, 3  # such items, and for each label


def refuse_codings(ratings: Ratings, request: Request, where: str) -> None:
    """Ask where labels are one label in two spellings, or no label at all."""
    is_told = request.categories is not None or bool(request.relabel.names)
    if is_told or isinstance(ratings.store, (CountTable, MomentTable)):
        return
    labels = ratings.categories
    whole = Offer("each is a label of its own", {"categories": tuple(map(str, labels))})
    if not request.missing_values:
        marks = [*far_numbers(labels), *words_for_no_answer(labels)]
        if marks:
            words = ", ".join(map(str, marks))
            missing = {"missing_values": tuple(map(str, marks))}
            offer = Offer(f"{words}: no rating", missing)
            raise _asked(where, words, "a label, or no rating", offer, whole)
    if len(labels) > _MOST_LABELS or request.relabel.sets is not None:
        return
    if not request.relabel.ignore_case:
        twins = _twins(labels)
        if twins:
            offer = Offer("labels that differ in case only are one", {"ignore_case": True})
            raise _asked(where, " and ".join(twins), "one label or two", offer, whole)
    mapping = _matched(ratings)
    if mapping:
        pairs = " and ".join(f"{old} for {new}" for old, new in mapping.items())
        words = f"raters with no label in common, who may write {pairs}"
        offer = Offer(pairs, {"map": mapping})
        raise _asked(where, words, "one list of labels or several", offer, whole)


def _asked(where: str, got: str, what: str, *offers: Offer) -> AmbiguousTableError:
    got = f"the labels must be clear. Got {got}: {what}?"
    words = f"{where}: {got} Hint: run the line that is right."
    return AmbiguousTableError.of(Words(words), offers)


def _twins(labels: Sequence[object]) -> list[str]:
    """Return labels that differ in case only, the first such pair."""
    seen: dict[str, str] = {}
    for label in labels:
        if isinstance(label, str):
            other = seen.setdefault(label.strip().casefold(), label)
            if other != label:
                return [other, label]
    return []


def _matched(ratings: Ratings) -> dict[str, str]:
    """Return which labels of some raters may be which of the others', who have none of theirs."""
    n_raters = len(ratings.raters)
    if not 1 < n_raters <= _MOST_RATERS or n_raters * ratings.n_items > _MOST_CELLS:
        return {}
    codes = code_matrix(ratings)
    used = [frozenset(np.unique(column[column >= 0]).tolist()) for column in codes.T]
    parts = _apart([labels for labels in used if labels])
    if len(parts) < 2:
        return {}
    base = max(parts, key=lambda part: sum(labels <= part for labels in used))
    found: dict[str, str] = {}
    for part in parts:
        if part != base:
            pairs = _by_words(part, base, ratings.categories)
            pairs = pairs or _by_agreement(codes, used, part, base)
            names = ratings.categories
            found |= {str(names[old]): str(names[new]) for old, new in pairs.items()}
    return found


def _apart(used: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    """Put together labels that some rater gave both of."""
    parts: list[frozenset[int]] = []
    for labels in used:
        alike = [part for part in parts if part & labels]
        parts = [part for part in parts if not part & labels]
        parts.append(labels.union(*alike))
    return parts


def _by_words(part: frozenset[int], base: frozenset[int], names: Sequence[Any]) -> dict[int, int]:
    """Pair words for yes and no of one language or style with those of another."""
    theirs = [sense_of(names[code]) for code in base]
    ours = {code: sense_of(names[code]) for code in part}
    both = (*theirs, *ours.values())
    if (
        len(both) < 3
        or None in both
        or len(set(theirs)) < len(theirs)
        or len(set(ours.values())) < len(ours)
    ):
        return {}
    places = dict(zip(theirs, base, strict=True))
    return {code: places[sense] for code, sense in ours.items() if sense in places}


def _by_agreement(
    codes: Ints, used: Sequence[frozenset[int]], part: frozenset[int], base: frozenset[int]
) -> dict[int, int]:
    """Pair labels so that raters agree as often as they can, if that is often."""
    if len(part) != len(base) or not 1 < len(part) <= _MOST_MATCHED:
        return {}
    ours, theirs = sorted(part), sorted(base)
    times = np.zeros((len(ours), len(theirs)), dtype=np.int64)
    for a in (codes[:, k] for k, labels in enumerate(used) if labels and labels <= part):
        for b in (codes[:, k] for k, labels in enumerate(used) if labels and labels <= base):
            both = (a >= 0) & (b >= 0)
            rows = np.searchsorted(ours, a[both]), np.searchsorted(theirs, b[both])
            np.add.at(times, rows, 1)
    if times.sum() < max(_FEWEST, _OFTEN * len(ours)):
        return {}
    best = max(permutations(range(len(theirs))), key=lambda to: sum(map(int, _diagonal(times, to))))
    fits = sum(map(int, _diagonal(times, best))) >= _MATCHED * times.sum()
    return {ours[k]: theirs[place] for k, place in enumerate(best)} if fits else {}


def _diagonal(times: Ints, places: Sequence[int]) -> Ints:
    return times[np.arange(len(places)), list(places)]
