"""The parts of a `Ratings`, and the checks that every way of making one shares."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.exceptions import InputError
from consilience.ratings._labels import (
    Note,
    check_categories,
    check_order,
    label_key,
    look_alikes,
    plain,
)
from consilience.ratings._patterns import blocks
from consilience.ratings._stores import CodedMatrix, CountTable, LongTable, NumberMatrix, Store

_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Labels:
    """The categories and what is known about them."""

    labels: tuple[object, ...]
    ordered: bool
    numbers: NDArray[np.float64] | None
    declared: bool


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything a `Ratings` is made of."""

    store: Store
    labels: Labels
    raters: tuple[object, ...] | None
    items: Sequence[object] | None
    scale: str
    design: str
    notes: tuple[Note, ...] = ()


def finish(
    store: Store,
    labels: list[object],
    *,
    scale: str,
    categories: Iterable[object] | None,
    ordered: bool,
    design: str,
    raters: tuple[object, ...] | None,
    items: Sequence[object] | None,
    notes: Sequence[Note] = (),
) -> Parts:
    """Fit the found labels to the declared ones and note what the owner should know."""
    declared = categories is not None or ordered
    if categories is not None and not isinstance(store, NumberMatrix | CountTable):
        wanted = check_categories(categories)
        store = fit_to_categories(store, labels, wanted)
        labels = wanted
    if isinstance(store, NumberMatrix):
        facts = Labels((), True, None, False)
        if categories is not None:
            coded, found = store.coded
            wanted = check_categories(categories)
            return finish(
                coded,
                found,
                scale=scale,
                categories=wanted,
                ordered=ordered,
                design=design,
                raters=raters,
                items=items,
                notes=notes,
            )
    else:
        in_order, values = check_order(labels, scale=scale, declared=declared)
        facts = Labels(tuple(labels), in_order, values, declared)
    return Parts(store, facts, raters, items, scale, design, (*notes, *look_alikes(labels)))


def fit_to_categories(store: Store, labels: list[object], wanted: list[object]) -> Store:
    place = {label_key(label): k for k, label in enumerate(wanted)}
    unknown = [label for label in labels if label_key(label) not in place]
    if unknown:
        raise InputError.expected(
            "every label",
            f"one of the categories {wanted[:8]}",
            unknown[0],
            "add it to categories, or name it in missing_values if it means no rating",
        )
    new_code = np.array([place[label_key(label)] for label in labels], dtype=np.int64)
    if isinstance(store, LongTable):
        return replace(store, label=new_code[store.label])
    assert isinstance(store, CodedMatrix)
    return store.recoded(new_code)


def check_names(what: str, names: Iterable[object] | None, size: int) -> tuple[object, ...]:
    if names is None:
        return tuple(range(size))
    listed = tuple(plain(name) for name in names)
    if len(listed) != size:
        raise InputError.expected(
            what, f"{size} names, one each", f"{len(listed)} names", "check the table's shape"
        )
    if len(set(listed)) != size:
        twice = next(name for name in listed if listed.count(name) > 1)
        raise InputError.expected(what, "different from each other", twice, "rename one of them")
    return listed


def as_collection(values: Collection[object] | object) -> Collection[object]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Collection):
        return (values,)
    return values


def number_labels(store: Any, scale: str) -> Labels:
    """List the distinct numbers of a matrix that was kept as numbers."""
    labels = store.coded[1]
    ordered, values = check_order(labels, scale=scale, declared=False)
    return Labels(tuple(labels), ordered, values, False)


def count_ratings(store: Store) -> int:
    """Count the ratings that were given."""
    if isinstance(store, LongTable):
        return int(store.label.size)
    if isinstance(store, CountTable):
        return int(store.counts.sum())
    if isinstance(store, NumberMatrix):
        return store.n_ratings
    if store.is_reduced or store.multiplicity is not None:
        patterns = store.patterns
        return int(((patterns.codes >= 0).sum(axis=1) * patterns.multiplicity).sum())
    rated = store.code_of >= 0
    return sum(
        int(np.count_nonzero(rated[store.matrix[block].astype(np.intp) - store.low]))
        for block in blocks(len(store.matrix), _CHUNK)
    )
