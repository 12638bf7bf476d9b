"""Ratings made of other ratings: some raters, complete items, merged labels or items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from consilience.exceptions import InputError
from consilience.ratings._encode import smallest_int
from consilience.ratings._labels import check_order, in_natural_order, label_key, plain
from consilience.ratings._parts import Labels, Parts, fit_to_categories
from consilience.ratings._patterns import blocks, distinct_rows
from consilience.ratings._stores import (
    CodedMatrix,
    CountTable,
    LongTable,
    NumberMatrix,
    Patterns,
    Store,
)


def cross_table(
    store: CodedMatrix | LongTable, first: int, second: int, size: int
) -> NDArray[np.int64]:
    """Cross-tabulate two raters over the items that both rated."""
    pair = select_raters(store, [first, second]).patterns
    both = (pair.codes >= 0).all(axis=1)
    key = pair.codes[both, 0].astype(np.int64) * size + pair.codes[both, 1]
    table = np.zeros(size * size, dtype=np.int64)
    np.add.at(table, key, pair.multiplicity[both])
    return table.reshape(size, size)


def select_raters(store: CodedMatrix | LongTable, raters: list[int]) -> CodedMatrix:
    """Keep the columns of some raters, in the order given."""
    if isinstance(store, CodedMatrix):
        if store.multiplicity is None and not store.is_reduced:
            return replace(store, matrix=store.matrix[:, raters])
        patterns = store.patterns
        n_categories = int(store.code_of.max(initial=-1)) + 1
        return CodedMatrix.from_codes(
            patterns.codes[:, raters], n_categories, patterns.multiplicity
        )
    n_labels = int(store.label.max(initial=0)) + 1
    items, place = np.unique(store.item[np.isin(store.rater, raters)], return_inverse=True)
    codes = np.full((len(raters), items.size), -1, dtype=smallest_int(n_labels))
    mine = np.isin(store.rater, raters)
    column = np.full(store.n_rater_codes, -1)
    column[raters] = np.arange(len(raters))
    codes[column[store.rater[mine]], place] = store.label[mine]
    return CodedMatrix.from_codes(codes.T, n_labels)


def busy_raters(store: CodedMatrix | NumberMatrix) -> list[bool]:
    """Tell for each rater whether she rated anything."""
    if isinstance(store, NumberMatrix):
        if not store.has_gaps:
            return [True] * store.values.shape[1]
        return [not np.isnan(column).all() for column in store.values.T]
    if store.is_reduced:
        return [bool((column >= 0).any()) for column in store.patterns.codes.T]
    rated = store.code_of >= 0
    busy = np.zeros(store.matrix.shape[1], dtype=np.bool_)
    for block in blocks(len(store.matrix)):
        busy |= rated[store.matrix[block].astype(np.intp) - store.low].any(axis=0)
        if busy.all():
            break
    return [bool(x) for x in busy]


def complete_items(store: CodedMatrix | LongTable) -> CodedMatrix:
    """Keep the items that every rater rated."""
    if isinstance(store, LongTable):
        everyone = select_raters(store, list(range(store.n_rater_codes)))
        return complete_items(everyone)
    patterns = store.patterns
    full = (patterns.codes >= 0).all(axis=1)
    n_categories = int(store.code_of.max(initial=-1)) + 1
    return CodedMatrix.from_codes(patterns.codes[full], n_categories, patterns.multiplicity[full])


def collapse(parts: Parts, groups: Mapping[object, object], rest: object) -> Parts:
    """Merge labels into groups, keeping the order of first appearance."""
    named = {label_key(plain(old)): new for old, new in groups.items()}
    found = {label_key(label) for label in parts.labels.labels}
    for old in groups:
        if label_key(plain(old)) not in found:
            known = [str(label) for label in parts.labels.labels]
            raise InputError.unknown_word("label in groups", old, known)
    new_labels = [
        named.get(label_key(label), label if rest is None else rest)
        for label in parts.labels.labels
    ]
    merged = list({label_key(label): label for label in new_labels}.values())
    place = {label_key(label): k for k, label in enumerate(merged)}
    new_code = np.array([place[label_key(label)] for label in new_labels], dtype=np.int64)
    store = parts.store
    if isinstance(store, CountTable):
        counts = np.zeros((len(store.counts), len(merged)), dtype=np.int64)
        np.add.at(counts.T, new_code, store.counts.T)
        store = CountTable(counts)
    elif isinstance(store, LongTable):
        store = replace(store, label=new_code[store.label])
    else:
        assert isinstance(store, CodedMatrix)
        store = store.recoded(new_code)
    ordered, values = check_order(merged, scale=parts.scale, declared=parts.labels.declared)
    return replace(parts, store=store, labels=Labels(tuple(merged), ordered, values, True))


def merge(left: Parts, right: Parts) -> Parts:
    """Put the items of two sets of ratings together."""
    if left.scale != right.scale or type(left.store) is not type(right.store):
        raise InputError.expected(
            "merged ratings",
            f"of one kind ({left.scale}, {left.design})",
            f"{right.scale}, {right.design}",
            "bring both in the same form and scale",
        )
    if left.raters is not None and set(left.raters) != set(right.raters or ()):
        only = sorted(map(str, set(left.raters) ^ set(right.raters or ())))
        raise InputError.expected(
            "merged ratings",
            "by the same raters",
            f"raters in one of them only: {only[:6]}",
            "select the common raters first",
        )
    labels = _common_labels(left, right)
    stores = [_fit_to_categories_or_counts(side, labels) for side in (left, right)]
    if right.raters is not None and left.raters is not None and right.raters != left.raters:
        order = [right.raters.index(name) for name in left.raters]
        assert isinstance(stores[1], CodedMatrix)
        stores[1] = select_raters(stores[1], order)
    notes = tuple(dict.fromkeys((*left.notes, *right.notes)))
    joined = Parts(
        _join(stores[0], stores[1]), left.labels, left.raters, None, left.scale, left.design, notes
    )
    if labels != list(left.labels.labels):
        ordered, values = check_order(
            labels, scale=left.scale, declared=left.labels.declared and right.labels.declared
        )
        joined = replace(joined, labels=Labels(tuple(labels), ordered, values, False))
    return joined


def _common_labels(left: Parts, right: Parts) -> list[object]:
    mine, theirs = list(left.labels.labels), list(right.labels.labels)
    if mine == theirs:
        return mine
    if left.labels.declared and right.labels.declared:
        raise InputError.expected(
            "merged ratings",
            f"on the same categories {mine[:8]}",
            theirs[:8],
            "declare the same categories for both",
        )
    if left.labels.declared or right.labels.declared:
        return mine if left.labels.declared else theirs
    seen = {label_key(label): label for label in mine + theirs}
    return in_natural_order(seen.values())


def _fit_to_categories_or_counts(side: Parts, labels: list[object]) -> Store:
    found = list(side.labels.labels)
    if found == labels:
        return side.store
    if isinstance(side.store, CountTable):
        raise InputError.expected("counts", f"over {labels[:8]}", found[:8], "reorder the columns")
    return fit_to_categories(side.store, found, labels)


def _join(first: Store, second: Store) -> Store:
    if isinstance(first, CountTable) and isinstance(second, CountTable):
        return CountTable(np.concatenate([first.counts, second.counts]))
    if isinstance(first, LongTable) and isinstance(second, LongTable):
        return LongTable(
            np.concatenate([first.item, second.item + first.n_items]),
            np.concatenate([first.rater, second.rater]),
            np.concatenate([first.label, second.label]),
            first.n_items + second.n_items,
            max(first.n_rater_codes, second.n_rater_codes),
        )
    assert isinstance(first, CodedMatrix)
    assert isinstance(second, CodedMatrix)
    a, b = first.patterns, second.patterns
    codes = np.concatenate([a.codes, b.codes])
    counts = np.concatenate([a.multiplicity, b.multiplicity])
    largest = int(max(first.code_of.max(initial=-1), second.code_of.max(initial=-1)))
    distinct, counts = distinct_rows(codes, -1, largest, counts)
    joined = CodedMatrix.from_codes(distinct, largest + 1, counts)
    joined.__dict__["patterns"] = Patterns(distinct, counts)
    return joined
