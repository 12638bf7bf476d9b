"""Ratings made of other ratings: complete items, merged labels, merged items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.labels import in_natural_order, is_missing, label_key, look_alikes, plain
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.ratings.clusters import Clusters
from consilience.ratings.construction import Labels, Parts, fit_to_categories, places_among
from consilience.ratings.stores import (
    CodedMatrix,
    CountTable,
    LongTable,
    MomentTable,
    NumberMatrix,
    Store,
    as_long,
)

_LARGEST_TABLE = 20_000  # categories; the table of so many takes 3 GB


@dataclass(frozen=True, slots=True)
class Some(Sequence[object]):
    """Some of the names of items; millions of them are not copied."""

    names: Sequence[object]
    places: NDArray[np.intp]

    def __len__(self) -> int:
        return self.places.size

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Some(self.names, self.places[index])
        return self.names[int(self.places[index])]

    def __iter__(self) -> Iterator[object]:
        return map(self.names.__getitem__, self.places.tolist())


def cross_table(
    store: CodedMatrix | LongTable, first: int, second: int, size: int
) -> NDArray[np.int64]:
    """Cross-tabulate two raters over the items that both rated."""
    if size > _LARGEST_TABLE:
        raise UnsupportedDesignError.needs(
            "the cross-table of two raters",
            f"at most {_LARGEST_TABLE:,} categories",
            f"{size:,}",
            "collapse the labels, or round them if they are numbers",
        )
    pair = store.selected([first, second])
    rows = (pair if isinstance(pair, CodedMatrix) else _pair_matrix(pair)).patterns
    both = (rows.codes >= 0).all(axis=1)
    key = rows.codes[both, 0].astype(np.int64) * size + rows.codes[both, 1]
    table = np.zeros(size * size, dtype=np.int64)
    np.add.at(table, key, rows.multiplicity[both])
    return table.reshape(size, size)


def selected(parts: Parts, raters: Sequence[int]) -> Parts:
    """Keep the ratings of some raters, in the order given, on all occasions."""
    first, *later = (store.selected(raters) for store in _stores(parts))
    return replace(parts, store=first, later=tuple(later))


def complete_items(parts: Parts) -> Parts:
    """Keep the items that every rater rated on the first occasion."""
    assert isinstance(parts.store, CodedMatrix | LongTable)
    store, full = parts.store.complete()
    names = range(full.size) if parts.items is None else parts.items
    later = tuple(_of_items(one, full) for one in _stores(parts)[1:])
    clusters = None if parts.clusters is None else parts.clusters.of_items(full)
    return replace(
        parts,
        store=store,
        items=Some(names, np.flatnonzero(full)),
        later=later,
        clusters=clusters,
    )


def _stores(parts: Parts) -> tuple[CodedMatrix | LongTable, ...]:
    """Return the ratings of each occasion, where it is known who rated."""
    stores = (parts.store, *parts.later)
    return tuple(store for store in stores if isinstance(store, CodedMatrix | LongTable))


def _of_items(store: CodedMatrix | LongTable, kept: NDArray[np.bool_]) -> CodedMatrix | LongTable:
    """Keep some of the items, numbered anew."""
    entries = as_long(store)
    mine = kept[entries.item]
    place = np.cumsum(kept) - 1
    return LongTable(
        place[entries.item[mine]],
        entries.rater[mine],
        entries.label[mine],
        int(kept.sum()),
        entries.n_rater_codes,
    ).laid_out()


def collapse(parts: Parts, groups: Mapping[object, object], rest: object) -> Parts:
    """Merge labels into groups, keeping the order of first appearance."""
    if not isinstance(groups, Mapping):
        raise InputError.expected(
            "groups", "a mapping from label to group", groups, "for example {'cat': 'animal'}"
        )
    labels = parts.labels.labels
    named = {label_key(plain(old)): plain(new) for old, new in groups.items()}
    found = {label_key(label) for label in labels}
    for old, new in groups.items():
        if label_key(plain(old)) not in found:
            raise InputError.unknown_word("label in groups", old, [str(x) for x in labels])
        if is_missing(new):
            raise InputError.expected("every group", "a label", new, "name the group")
    new_labels = [
        named.get(label_key(label), label if rest is None else plain(rest)) for label in labels
    ]
    merged = list({label_key(label): label for label in new_labels}.values())
    place = {label_key(label): k for k, label in enumerate(merged)}
    new_code = np.array([place[label_key(label)] for label in new_labels], dtype=np.int64)
    assert not isinstance(parts.store, (NumberMatrix, MomentTable))
    in_words = parts.labels.ordered and parts.labels.numbers is None  # merged words keep the order
    facts = Labels.of(merged, scale=parts.scale, declared=parts.labels.declared or in_words)
    return replace(
        parts,
        store=parts.store.recoded(new_code),
        labels=replace(facts, declared=True),
        later=tuple(store.recoded(new_code) for store in _stores(parts)[1:]),
    )


def reordered(parts: Parts, categories: Sequence[object]) -> Parts:
    """Put the categories, all of them and no others, into another order."""
    place = {label_key(label): k for k, label in enumerate(categories)}
    new_code = np.array([place[label_key(label)] for label in parts.labels.labels], dtype=np.int64)
    assert not isinstance(parts.store, (NumberMatrix, MomentTable))
    facts = Labels.of(list(categories), scale=parts.scale, declared=parts.labels.declared)
    return replace(parts, store=parts.store.recoded(new_code), labels=facts)


def merge(left: Parts, right: Parts) -> Parts:
    """Put the items of two sets of ratings together."""
    with_raters = [side.raters is not None for side in (left, right)]
    if left.scale != right.scale or with_raters[0] != with_raters[1]:
        raise InputError.expected(
            "merged ratings",
            f"of one kind ({left.scale}, {left.design})",
            f"{right.scale}, {right.design}",
            "bring both in the same form and scale",
        )
    labels = _common_labels(left.labels, right.labels)
    declared = left.labels.declared or right.labels.declared
    notes = dict.fromkeys(
        note for note in (*left.notes, *right.notes) if note.code != "labels_look_alike"
    )
    right = _in_order_of(left, right)
    return replace(
        left,
        store=_joined(left, right, labels),
        later=_joined_later(left, right, labels),
        labels=Labels.of(labels, scale=left.scale, declared=declared),
        items=_joined_items(left, right),
        notes=(*notes, *look_alikes(labels)),
        reading=_joined_reading(left.reading, right.reading),
        scale_told=left.scale_told or right.scale_told,
        clusters=_joined_clusters(left.clusters, right.clusters),
    )


def _joined_clusters(left: Clusters | None, right: Clusters | None) -> Clusters | None:
    """Put clusters together where both sides have some."""
    return None if left is None or right is None else left.joined(right)


def _joined_reading(left: Any, right: Any) -> Any:
    """Put two accounts together; ratings from one file keep theirs."""
    if left is None or right is None or left is right:
        return left or right
    return left.joined(right)


def _in_order_of(left: Parts, right: Parts) -> Parts:
    """Bring the raters of the right side into the order of the left."""
    if left.raters is None or left.raters == right.raters:
        return right
    place = {label_key(name): k for k, name in enumerate(right.raters or ())}
    keys = [label_key(name) for name in left.raters]
    if set(keys) != set(place):
        only = sorted(map(str, set(keys) ^ set(place)))
        raise InputError.expected(
            "merged ratings",
            "by the same raters",
            f"raters in one of them only: {only[:6]}",
            "select the common raters first",
        )
    return replace(selected(right, [place[key] for key in keys]), raters=left.raters)


def _common_labels(left: Labels, right: Labels) -> list[object]:
    seen = {label_key(label): label for label in (*left.labels, *right.labels)}
    sides = [[label_key(label) for label in side.labels] for side in (left, right)]
    if sides[0] == sides[1]:
        return list(left.labels)
    if left.declared and right.declared:
        raise InputError.expected(
            "merged ratings",
            f"on the same categories {list(left.labels[:8])}",
            list(right.labels[:8]),
            "declare the same categories for both",
        )
    if left.declared or right.declared:
        return list(left.labels if left.declared else right.labels)
    return in_natural_order(seen.values())


def _joined(
    left: Parts, right: Parts, labels: list[object]
) -> CodedMatrix | LongTable | CountTable:
    if isinstance(left.store, CountTable) and isinstance(right.store, CountTable):
        mine, theirs = (places_among(labels, side.labels.labels) for side in (left, right))
        size = len(labels)
        return left.store.recoded(mine, size).joined(right.store.recoded(theirs, size))
    first, second = (_fitted(side, labels) for side in (left, right))
    if isinstance(first, CodedMatrix) and isinstance(second, CodedMatrix):
        return first.joined(second)
    return as_long(first).joined(as_long(second)).laid_out()


def _joined_later(
    left: Parts, right: Parts, labels: list[object]
) -> tuple[CodedMatrix | LongTable | CountTable, ...]:
    """Join occasion by occasion; where one side has fewer, its items have no rating there."""
    n_later = max(len(left.later), len(right.later))
    sides = [_padded(side, n_later) for side in (left, right)]
    return tuple(
        _joined(replace(left, store=one), replace(right, store=other), labels)
        for one, other in zip(*sides, strict=True)
    )


def _padded(side: Parts, n_later: int) -> list[Store]:
    none = np.empty(0, dtype=np.int64)
    empty = LongTable(none, none, none, side.store.n_items, len(side.raters or ()))
    return [*side.later, *(empty.laid_out() for _ in range(n_later - len(side.later)))]


def _fitted(side: Parts, labels: list[object]) -> CodedMatrix | LongTable:
    assert isinstance(side.store, CodedMatrix | LongTable)
    return fit_to_categories(side.store, side.labels.labels, labels)


def _joined_items(left: Parts, right: Parts) -> Sequence[object] | None:
    """Keep the names of the items where they tell all items apart; else number them anew."""
    if left.items is None and right.items is None:
        return None
    names = [
        name
        for side in (left, right)
        for name in (range(side.store.n_items) if side.items is None else side.items)
    ]
    return names if len({label_key(name) for name in names}) == len(names) else None


def _pair_matrix(pair: LongTable) -> CodedMatrix:
    """Lay out the few items that either of two raters rated."""
    items, place = np.unique(pair.item, return_inverse=True)
    few = replace(pair, item=place, n_items=items.size).laid_out()
    assert isinstance(few, CodedMatrix)
    return few
