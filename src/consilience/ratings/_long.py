"""Ratings from a table with one row per rating."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Codes, above, smallest_int
from consilience.core.frames import check_columns, columns_of
from consilience.core.labels import (
    Note,
    check_categories,
    check_scale,
    in_natural_order,
    is_number,
    label_key,
    marks_of,
)
from consilience.exceptions import InputError
from consilience.ratings import duplicates as dup
from consilience.ratings.construction import Parts, finish
from consilience.ratings.stores import LongTable


def from_long(
    frame: Any,
    *,
    item: str,
    rater: str,
    label: str,
    occasion: str | None,
    scale: str,
    categories: Iterable[object] | None,
    duplicates: str,
    missing_values: object,
) -> Parts:
    """Build from a table with one row per rating."""
    from consilience.ratings.encode import encode, unify

    check_scale(scale)
    dup.check_policy(duplicates)
    columns = columns_of(frame)
    if columns is None:
        raise InputError.expected(
            "frame",
            "a dataframe or a mapping of columns",
            type(frame).__name__,
            "for example {'item': [...], 'rater': [...], 'label': [...]}",
        )
    needed = [item, rater, label] + ([occasion] if occasion else [])
    for name in needed:
        if name not in columns:
            raise InputError.unknown_word("column", name, [str(column) for column in columns])
    columns = check_columns({name: columns[name] for name in needed})
    item_codes, items = _encode_items(columns[item], item)
    rater_codes, raters = _encode_names(columns[rater], rater)
    (codes,), labels, ordered = unify([encode(columns[label], marks=marks_of(missing_values))])
    entries = Entries(item_codes, rater_codes, codes, items, raters, labels)
    if occasion is not None:
        entries = entries.by_occasion(_occasions(columns[occasion]), duplicates)
        duplicates = "occasions" if duplicates == "refuse" else duplicates
    return build(
        entries,
        scale=scale,
        declared=ordered,
        duplicates=duplicates,
        design="long",
        categories=categories,
    )


@dataclass(frozen=True)
class Entries:
    """Ratings one by one, as codes into lists of items, raters and labels (-1: missing)."""

    item: Codes
    rater: Codes
    label: Codes
    items: Sequence[object] | None
    raters: Sequence[object]
    labels: list[object]

    @classmethod
    def checked(
        cls,
        item: Any,
        rater: Any,
        label: Any,
        *,
        items: Sequence[object] | None,
        raters: Sequence[object] | None,
        labels: Iterable[object],
    ) -> Entries:
        """Refuse codes that lead nowhere."""
        known = list(labels)
        known = check_categories(known) if known else known
        n_items = None if items is None else len(items)
        n_raters = None if raters is None else len(raters)
        item = _check_codes("item", item, 0, n_items)
        rater = _check_codes("rater", rater, 0, n_raters)
        label = _check_codes("label", label, -1, len(known))
        if not item.size == rater.size == label.size:
            raise InputError.expected(
                "the codes",
                "equally many of items, raters and labels",
                f"{item.size}, {rater.size} and {label.size}",
                "give one code of each for every rating",
            )
        if raters is None:
            raters = range(int(rater.max(initial=-1)) + 1)
        return cls(item, rater, label, items, raters, known)

    def taking(self, which: Any) -> Entries:
        """Take some of the entries, or all of them in another order."""
        return replace(
            self, item=self.item[which], rater=self.rater[which], label=self.label[which]
        )

    def table(self, place: NDArray[np.intp], n_items: int, run: int | None) -> LongTable:
        """Return the entries as a table; ``place`` renumbers the items."""
        item = self.item if place.size == n_items else place[self.item]
        return LongTable(item, self.rater, self.label, n_items, len(self.raters), run)

    def rated(self) -> Entries:
        """Leave out entries without a label."""
        return self if self.label.min() >= 0 else self.taking(self.label >= 0)

    def by_item(self) -> Entries:
        """Bring the ratings of each item together: what follows then runs through them in order."""
        if bool(np.all(self.item[1:] >= self.item[:-1])):
            return self
        label = self.label.astype(smallest_int(len(self.labels)), copy=False)
        item, rater, label = dup.grouped_by_item(self.item, self.rater, label)
        return replace(self, item=item, rater=rater, label=label)

    def by_occasion(self, occasion: NDArray[np.intp], duplicates: str) -> Entries:
        """Order the entries by occasion; refuse two on the same one, unless told otherwise."""
        if duplicates in ("refuse", "occasions"):
            given = self.label >= 0
            self.taking(given).refuse_duplicates(occasion[given])
        return self.taking(np.argsort(occasion, kind="stable"))

    def refuse_duplicates(self, occasion: NDArray[np.intp] | int = 0) -> None:
        """Refuse two ratings of one item by one rater (on one occasion), with both shown."""
        who = self.rater.astype(np.int64) * (int(np.max(occasion, initial=0)) + 1) + occasion
        if not self.item.size or not dup.has_duplicates(self.item, who):
            return
        first, second = dup.first_duplicate(self.item, who)
        item = int(self.item[first])
        raise InputError.duplicate_rating(
            item if self.items is None else self.items[item],
            self.raters[int(self.rater[first])],
            *(self.labels[int(self.label[k])] for k in (first, second)),
        )


def build(
    entries: Entries,
    *,
    scale: str,
    declared: bool,
    duplicates: str,
    design: str,
    categories: Iterable[object] | None = None,
    notes: Iterable[Note] = (),
) -> Parts:
    """Build from ratings one by one."""
    check_scale(scale)
    dup.check_policy(duplicates)
    if not entries.item.size:
        raise InputError.expected("ratings", "at least one rating", "none", "check the data")
    wanted = None if categories is None else check_categories(categories)
    run = dup.run_length(entries.item)
    if run is None and entries.item.size >= dup.MANY:
        entries = entries.by_item()
        run = dup.run_length(entries.item)
    per_item = np.bincount(entries.item) if run is None else np.full(entries.item.size // run, run)
    given = entries.rated()
    told = list(notes)
    later: list[Entries] = []
    if dup.has_duplicates(given.item, given.rater, per_item, is_grouped=run is not None):
        if duplicates == "refuse":
            given.refuse_duplicates()
        kept = "last" if duplicates == "last" else "first"
        chosen = dup.chosen(given.item, given.rater, keep=kept)
        told.append(_repeated(chosen.size - int(chosen.sum()), kept))
        if duplicates == "occasions":
            number = dup.occasion_numbers(given.item, given.rater)
            later = [given.taking(number == k) for k in range(1, int(number.max()) + 1)]
        given = given.taking(chosen)
    items, place = entries.items, np.arange(per_item.size)
    present = place if run is not None else np.flatnonzero(per_item)
    if present.size < per_item.size:  # close the gaps between the codes of the items
        place = np.cumsum(per_item > 0) - 1
        items = present.tolist() if items is None else [items[k] for k in present.tolist()]
    elif items is not None and len(items) > present.size:
        items = items[: present.size]
    first, *others = (
        finish(
            part.table(place, present.size, run if part.item is entries.item else None).laid_out(),
            entries.labels,
            scale=scale,
            categories=wanted,
            ordered=declared,
            design=design,
            raters=tuple(entries.raters),
            items=items,
            notes=told,
        )
        for part in (given, *later)
    )
    return replace(first, later=tuple(part.store for part in others))


def _repeated(dropped: int, kept: str) -> Note:
    return Note(
        "repeated_ratings",
        f"{dropped:,} ratings repeat an item and rater already seen; agreement between "
        f"raters uses the {kept} of each.",
    )


def _check_codes(what: str, codes: Any, lowest: int, size: int | None) -> Codes:
    array = np.asarray(codes)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InputError.expected(
            f"the codes of {what}s",
            "a one-dimensional array of integers",
            f"an array of {array.dtype} with {array.ndim} dimension(s)",
            "pass one integer for every rating",
        )
    low, high = (int(array.min()), int(array.max())) if array.size else (lowest, lowest)
    if low < lowest or (size is not None and high >= size):
        raise InputError.expected(
            f"every code of {what}s",
            f"at least {lowest}" + ("" if size is None else f" and below {size}"),
            low if low < lowest else high,
            f"number the {what}s 0, 1, 2, ...",
        )
    return array.astype(np.int64, copy=False) if array.dtype.kind == "u" else array


def _encode_items(column: Any, what: str) -> tuple[Codes, Sequence[object]]:
    """Encode item names; whole numbers that lie close together are their own codes."""
    from consilience.ratings.encode import integers_of

    array = integers_of(column)
    if array is not None and array.size:
        low, high = int(array.min()), int(array.max())
        if high - low <= 2 * array.size + 1024:
            return above(array, low), range(low, high + 1)
    return _encode_names(column, what)


def _encode_names(column: Any, what: str) -> tuple[Codes, Sequence[object]]:
    """Encode names: numbers in their order, all else in order of first appearance."""
    from consilience.ratings.encode import encode, encode_array, integers_of, unify

    integers = integers_of(column)
    if integers is not None:
        encoded = encode_array(integers)
        return encoded.codes, encoded.labels
    encoded = encode(column)
    missing = encoded.codes < 0
    if missing.any():
        raise InputError.expected(
            f"every value in column {what!r}",
            "a name",
            f"a missing value in row {int(np.argmax(missing))}",
            "give each rating an item and a rater, or drop the row",
        )
    if all(is_number(name) for name in encoded.labels):
        (codes,), names, _ = unify([replace(encoded, ordered=False)])
        return codes, names
    return encoded.codes, encoded.labels


def _occasions(column: Any) -> NDArray[np.intp]:
    """Number the occasions from 1 in their order; 0 is an occasion that is not named."""
    from consilience.ratings.encode import encode

    encoded = encode(column)
    names: Sequence[object] = encoded.labels
    if not encoded.ordered:
        names = in_natural_order(encoded.labels)
        if all(isinstance(name, str) for name in names):
            names = sorted(names, key=_by_numbers_inside)
    rank = {label_key(x): k for k, x in enumerate(names, start=1)}
    table = np.array([*(rank[label_key(x)] for x in encoded.labels), 0], dtype=np.intp)
    return table[encoded.codes]


def _by_numbers_inside(name: object) -> list[tuple[int, int, str]]:
    """Sort day 2 before day 10: digits count as the number that they write."""
    parts = re.split(r"([0-9]+)", str(name))
    return [(0, int(part), "") if k % 2 else (1, 0, part) for k, part in enumerate(parts)]
