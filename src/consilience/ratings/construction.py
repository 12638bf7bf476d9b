"""The parts of a `Ratings`, and the checks that every way of making one shares."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.labels import (
    Note,
    check_categories,
    check_order,
    is_missing,
    label_key,
    look_alikes,
    plain,
    same_but_for_form,
)
from consilience.exceptions import InputError
from consilience.ratings.clusters import Clusters
from consilience.ratings.stores import (
    CodedMatrix,
    CountTable,
    LongTable,
    MomentTable,
    NumberMatrix,
    Store,
)


@dataclass(frozen=True, slots=True)
class Labels:
    """The categories and what is known about them."""

    labels: tuple[object, ...]
    ordered: bool
    numbers: NDArray[np.float64] | None
    declared: bool

    @classmethod
    def of(cls, labels: Sequence[object], *, scale: str, declared: bool) -> Labels:
        """Say what is known about labels; refuse those that the scale forbids."""
        ordered, values = check_order(labels, scale=scale, declared=declared)
        # A set that came past `plain` is shown sorted all the same.
        shown = (plain(x) if isinstance(x, frozenset) else x for x in labels)
        return cls(tuple(shown), ordered, values, declared)


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
    scale_told: bool = True  # else it is the default
    later: tuple[Store, ...] = ()  # the same items and raters, on later occasions
    reading: Any = None  # how the file was read, where there is one
    clusters: Clusters | None = None  # items that belong together


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
    if categories is not None and not isinstance(store, (CountTable, MomentTable)):
        wanted = check_categories(categories)
        if isinstance(store, NumberMatrix):
            store, labels = store.coded
        store = fit_to_categories(store, labels, wanted)
        labels = wanted
    if isinstance(store, NumberMatrix):
        facts = Labels((), True, None, False)
    else:
        facts = Labels.of(labels, scale=scale, declared=categories is not None or ordered)
    told = (
        *notes,
        *look_alikes(labels),
        *same_but_for_form("items", items),
        *same_but_for_form("raters", raters),
    )
    return Parts(store, facts, raters, items, scale, design, told)


def fit_to_categories(
    store: CodedMatrix | LongTable, labels: Sequence[object], wanted: Sequence[object]
) -> CodedMatrix | LongTable:
    """Renumber the labels by their place among the categories."""
    return store.recoded(places_among(wanted, labels))


def places_among(wanted: Sequence[object], labels: Sequence[object]) -> NDArray[np.int64]:
    """Return the place of every label among the categories; one that is not there is refused."""
    place = {label_key(label): k for k, label in enumerate(wanted)}
    unknown = [label for label in labels if label_key(label) not in place]
    if unknown:
        raise InputError.expected(
            "every label",
            f"one of the categories {list(wanted[:8])}",
            unknown[0],
            "add it to categories, or name it in missing_values if it means no rating",
        )
    return np.array([place[label_key(x)] for x in labels], dtype=np.int64)


def check_names(what: str, names: Iterable[object] | None, size: int) -> tuple[object, ...]:
    """Return names, one for each, all different."""
    if names is None:
        return tuple(range(size))
    if not isinstance(names, Iterable):
        raise InputError.expected(what, f"{size} names, one each", names, "pass a list of names")
    listed = tuple(plain(name) for name in names)
    if len(listed) != size:
        raise InputError.expected(
            what, f"{size} names, one each", f"{len(listed)} names", "check the table's shape"
        )
    known: set[Hashable] = set()
    for name in listed:
        key = label_key(name, f"every name in {what}")
        if key in known or is_missing(name):
            raise InputError.expected(
                what, "named, and different from each other", name, "rename one of them"
            )
        known.add(key)
    return listed
