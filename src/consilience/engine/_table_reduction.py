"""Reduce ratings where they lie: distinct items come back with how often each occurs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from consilience.core.labels import check_categories, check_scale, label_key
from consilience.engine.packing import Packed, Packing, by_label, by_rater
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.ratings import Ratings
from consilience.ratings.stores import MomentTable

MOST_LABELS = 200  # more are numbers or free text, and hardly any two items are alike
_MANY_LABELS = 10_000  # so many among the first ratings let expect far more
_MOST_LISTED = 1_000_000  # different labels that can be listed, sent back and looked up


@dataclass(frozen=True)
class Vocabulary:
    """Who rated, and which labels were given."""

    raters: tuple[Any, ...]
    labels: tuple[Any, ...]


class Backend(Protocol):
    """What an engine must be able to do with a long table of item, rater and label."""

    def vocabulary(self, *, exact: bool) -> Vocabulary:
        """Return the raters and the labels that occur, or a guess at them if not exact."""
        ...

    def has_more_labels_than(self, most: int) -> bool:
        """Say whether there are so many different labels that they should not be listed."""
        ...

    def raters(self) -> tuple[Any, ...]:
        """Return the raters."""
        ...

    def packed_by_rater(self, vocabulary: Vocabulary, packing: Packing) -> Packed:
        """Group items by who gave which label."""
        ...

    def packed_by_label(self, vocabulary: Vocabulary, packing: Packing) -> Packed:
        """Group items by how often each label was given."""
        ...

    def repeated(self) -> tuple[Any, Any, int] | None:
        """Return an item and a rater who rated it more than once, and how often; None if none."""
        ...

    def moments(self) -> MomentTable:
        """Return sums and products of sums of numbers, for items with equally many ratings."""
        ...


def reduced(
    backend: Backend,
    *,
    scale: str = "nominal",
    categories: Iterable[object] | None = None,
) -> Ratings:
    """Reduce what a backend holds to ratings that know distinct items only."""
    check_scale(scale)
    numbers = scale in ("interval", "ratio") and categories is None
    if numbers and backend.has_more_labels_than(MOST_LABELS):
        return _from_moments(backend, scale)
    declared = None if categories is None else tuple(check_categories(categories))
    guess = backend.vocabulary(exact=declared is not None)
    if len(guess.labels) > _MANY_LABELS and backend.has_more_labels_than(_MOST_LISTED):
        raise _too_many_labels(guess, scale)
    ratings = _by_vocabulary(backend, guess, scale, declared, exact=declared is not None)
    if ratings is None and declared is None:
        known = backend.vocabulary(exact=True)
        ratings = _by_vocabulary(backend, known, scale, declared, exact=True)
    if ratings is None:
        raise _twice(backend)
    return ratings


def _by_vocabulary(
    backend: Backend,
    found: Vocabulary,
    scale: str,
    declared: tuple[object, ...] | None,
    *,
    exact: bool,
) -> Ratings | None:
    """Reduce with these raters and labels; None where the ratings do not add up with them."""
    labels = ordered(found.labels)
    if declared is not None:
        _check_declared(labels, declared)
        labels = declared
    if not labels:
        raise InputError.expected("the table", "filled with ratings", "none", "check the columns")
    vocabulary = Vocabulary(ordered(found.raters), labels)
    packing = by_rater(len(vocabulary.raters), len(labels))
    if packing is not None:
        return _from_raters(backend, vocabulary, packing, scale, declared is not None)
    return _from_labels(backend, vocabulary, scale, declared is not None, exact=exact)


def ordered(values: Sequence[Any]) -> tuple[Any, ...]:
    """Sort values: numbers by size, everything else as text; the same in every engine."""
    plain = [_plain(value) for value in values]
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in plain)
    return tuple(sorted(plain) if numbers else sorted(plain, key=_text))


def _plain(value: Any) -> Any:
    """Return a value of Python's own, whatever the library that held it."""
    for way in ("to_pydatetime", "item"):
        if hasattr(value, way):
            return getattr(value, way)()
    return value


def _text(value: Any) -> str:
    """Write a label in one way only; a set lists its members in no order of their own."""
    return str(sorted(map(str, value))) if isinstance(value, frozenset) else str(value)


def _check_declared(labels: Sequence[Any], declared: Sequence[Any]) -> None:
    known = {label_key(label) for label in declared}
    for label in labels:
        if label_key(label) not in known:
            raise InputError.expected(
                "every label",
                f"one of the categories {list(declared[:8])}",
                label,
                "add it to categories, or name it in missing_values if it means no rating",
            )


def _from_raters(
    backend: Backend, vocabulary: Vocabulary, packing: Packing, scale: str, declared: bool
) -> Ratings | None:
    packed = backend.packed_by_rater(vocabulary, packing)
    fields = packing.unpack(packed.words)
    given = (fields > 0).sum(axis=1)
    if ((given != packed.n_ratings) | (fields.sum(axis=1) != packed.checksum)).any():
        return None
    order = np.lexsort(fields.T[::-1])
    return Ratings.from_patterns(
        fields[order] - 1,
        packed.multiplicity[order],
        categories=vocabulary.labels,
        raters=vocabulary.raters,
        scale=scale,
        declared=declared,
    )


def _from_labels(
    backend: Backend, vocabulary: Vocabulary, scale: str, declared: bool, *, exact: bool
) -> Ratings | None:
    packing = by_label(len(vocabulary.labels))
    packed = backend.packed_by_label(vocabulary, packing)
    counts = packing.unpack(packed.words)
    short = counts.sum(axis=1) != packed.n_ratings
    if short.any() and not exact:
        return None  # perhaps a label that was not guessed
    if (short & (packed.n_ratings < 1 << packing.bits)).any():
        return None
    if backend.repeated() is not None:
        raise _twice(backend)
    if short.any():
        raise InputError.expected(
            "an item",
            f"rated at most {(1 << packing.bits) - 1:,} times with one label",
            f"{int(packed.n_ratings.max()):,} ratings",
            "check the item column",
        )
    order = np.lexsort(counts.T[::-1])
    return Ratings.from_counts(
        counts[order],
        categories=vocabulary.labels,
        scale=scale,
        multiplicity=packed.multiplicity[order],
        declared=declared,
    )


def _from_moments(backend: Backend, scale: str) -> Ratings:
    if backend.repeated() is not None:
        raise _twice(backend)
    raters = ordered(backend.raters())
    return Ratings._from_moments(backend.moments(), scale=scale, raters=raters)


def _too_many_labels(guess: Vocabulary, scale: str) -> UnsupportedDesignError:
    """Say why so many labels cannot be reduced, and what can be done with such a table."""
    are_numbers = all(isinstance(label, (int, float)) for label in guess.labels[:_MANY_LABELS])
    if not are_numbers:
        hint = "check the label column: free text cannot be compared for agreement"
    elif scale == "ordinal":
        hint = (
            "ranks of all numbers need all of them at once: give the table to Ratings.from_wide or "
            'from_long, which hold it in memory; or round the numbers; or take scale="interval", '
            "which needs sums only"
        )
    else:
        hint = 'take scale="interval" for measurements, or round the numbers'
    return UnsupportedDesignError.needs(
        f"the reduction of a table whose scale is {scale}",
        f"at most {_MOST_LISTED:,} different labels",
        f"more, such as {', '.join(str(_plain(label)) for label in guess.labels[:3])}",
        hint,
    )


def _twice(backend: Backend) -> InputError:
    found = backend.repeated()
    if found is None:
        raise InputError.expected(
            "the table", "the same when it is read twice", "another one", "do not write to it now"
        )
    item, rater, times = found
    return InputError.expected(
        "each rater",
        "on an item at most once",
        f"rater {rater!r} {times} times on item {item!r}",
        "correct the data, or keep one of the ratings before reducing",
    )
