"""Reduce ratings where they lie: distinct items come back with how often each occurs.

The one reducer: readers of files, dataframes, relations and Spark all come here with a backend
that holds a long table. Cells are cleaned by the one rule of `core.cells`; what the labels are is
decided by the caller's reader of labels, which sees every different cell once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from consilience.core.arrays import smallest_int
from consilience.core.cell_values import clean_value, holds_number
from consilience.core.labels import DEFAULT_SCALE
from consilience.engine.backend import (
    Backend,
    Checked,
    Packing,
    Reduced,
    Vocabulary,
    Wanted,
    by_label,
    by_rater,
    needs_memory,
    refuse_unnamed,
)
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.ratings import Ratings
from consilience.ratings import count_tables as tables
from consilience.ratings.construction import finish
from consilience.ratings.stores import LongTable

FIRST_ROWS = 50_000  # from which raters and labels are guessed; what follows is checked
_MOST_GUESSED = 64  # raters or labels; where the first rows have more, there will be others
MOST_LABELS = 200  # more are numbers or free text, and hardly any two items are alike
_MOST_COUNTED = 32  # labels that an item's ratings are counted by; a table of more is mostly zeros
_PER_RATING = 50  # bytes that a rating takes while ratings with many labels are measured
_MANY_LABELS = 10_000  # so many among the first ratings let expect far more
_MOST_LISTED = 1_000_000  # different labels that can be listed, sent back and looked up


def reduced(backend: Backend, wanted: Wanted) -> Reduced | None:
    """Reduce what a backend holds to distinct items.

    None where that is impossible without giving up who rated, and the caller does not want that.
    """
    if _are_measured(backend, wanted) or _are_ranked(backend, wanted):
        return _from_moments(backend, wanted)
    for first in (FIRST_ROWS, None):
        found = _look(backend, wanted, first)
        if found is None:
            return None
        vocabulary, checked = found
        packing = by_rater(len(vocabulary.raters), len(vocabulary.reading.labels))
        if packing is None and not wanted.may_forget_raters:
            return None
        if packing is None and not vocabulary.is_complete:  # how many is to be told exactly
            checked = backend.checked(vocabulary, thorough=True)
        if checked.n_unknown:
            continue
        if packing is None:
            if len(vocabulary.reading.labels) > _MOST_COUNTED and hasattr(backend, "entries"):
                return _from_entries(backend, vocabulary, checked)
            return _from_labels(backend, vocabulary, checked, wanted)
        made = _from_raters(backend, vocabulary, packing, checked, wanted)
        if made is not None:
            return made
    raise _twice(backend, vocabulary)


def _are_measured(backend: Backend, wanted: Wanted) -> bool:
    """Tell whether labels are measurements that hardly repeat, so that their sums will do."""
    if wanted.has_categories or not wanted.may_forget_raters:
        return False
    scale = _scale(backend, wanted)
    return scale in ("interval", "ratio") and backend.has_more_labels_than(MOST_LABELS)


def _are_ranked(backend: Backend, wanted: Wanted) -> bool:
    """Tell whether numbers on an ordinal scale are so many that their ranks are summed up."""
    asked = wanted.scale == "ordinal" and not wanted.has_categories and wanted.may_forget_raters
    if not asked or not hasattr(backend, "ranks") or not backend.has_more_labels_than(_MOST_LISTED):
        return False
    labels = [label for _, label in backend.pairs(FIRST_ROWS)]
    return all(_is_number(label) for label in labels)


def _scale(backend: Backend, wanted: Wanted) -> str | None:
    """Return the scale that was told, or that the first labels show by themselves."""
    if wanted.scale is not None or wanted.has_categories or not wanted.may_forget_raters:
        return wanted.scale
    cells = {clean_value(label): None for _, label in backend.pairs(FIRST_ROWS)}
    return wanted.read([cell for cell in cells if cell is not None]).scale


def looked_through(backend: Backend, wanted: Wanted) -> tuple[Vocabulary, Checked]:
    """List all raters and labels, and look at every row with them."""
    for first in (FIRST_ROWS, None):
        found = _look(backend, wanted, first)
        assert found is not None
        vocabulary, checked = found
        if not vocabulary.is_complete:
            checked = backend.checked(vocabulary, thorough=True)
        if not checked.n_unknown:
            return vocabulary, checked
    _refuse_changing()


def named_items(backend: Any, wanted: Wanted) -> tuple[Vocabulary, Checked, Any, Any] | None:
    """Return each item's name and the codes of its raters' labels.

    None where the raters are too many, or somebody rated an item twice.
    """
    for first in (FIRST_ROWS, None):
        found = _look(backend, wanted, first)
        if found is None:
            return None
        vocabulary, checked = found
        packing = by_rater(len(vocabulary.raters), len(vocabulary.reading.labels))
        if packing is None:
            return None
        if checked.n_unknown:
            continue
        names, words = backend.named(vocabulary, packing)
        codes = unpacked(packing, words, len(vocabulary.reading.labels))
        if np.count_nonzero(codes >= 0) == checked.n_rated:
            return vocabulary, checked, names, codes
    return None  # somebody rated an item twice


def _look(backend: Backend, wanted: Wanted, first: int | None) -> tuple[Vocabulary, Checked] | None:
    """List raters and labels of the first rows or of all, and look at every row with them."""
    pairs = backend.pairs(first)
    if first is not None and _is_too_much(backend, pairs, wanted):
        return None
    if first is not None and _are_many(pairs):
        first, pairs = None, backend.pairs(None)
    vocabulary = _vocabulary(pairs, backend.is_ordered, wanted, is_complete=first is None)
    checked = backend.checked(vocabulary, thorough=False)
    refuse_unnamed(checked.n_without_rater, checked.n_without_item)
    if not checked.n_rated and not checked.n_unknown:
        raise InputError.expected("the table", "filled with ratings", "none", "check the columns")
    return vocabulary, checked


def _are_many(pairs: Sequence[tuple[Any, Any]]) -> bool:
    """Tell whether so many raters or labels came first that a guess would miss some."""
    cells = ({rater for rater, _ in pairs}, {label for _, label in pairs})
    return max(map(len, cells)) > _MOST_GUESSED


def _is_too_much(backend: Backend, pairs: Sequence[tuple[Any, Any]], wanted: Wanted) -> bool:
    labels = list(dict.fromkeys(label for _, label in pairs))
    if not wanted.may_forget_raters:
        raters = {rater for rater, _ in pairs}
        return len(labels) > MOST_LABELS or by_rater(len(raters), len(labels)) is None
    if len(labels) > _MANY_LABELS and backend.has_more_labels_than(_MOST_LISTED):
        raise _too_many_labels(labels, wanted.scale)
    return False


def _vocabulary(
    pairs: Sequence[tuple[Any, Any]], is_ordered: bool, wanted: Wanted, *, is_complete: bool
) -> Vocabulary:
    raters = {raw: clean_value(raw) for raw, _ in pairs}
    labels = {raw: clean_value(raw) for _, raw in pairs}
    names = list(dict.fromkeys(name for name in raters.values() if name is not None))
    cells = [raw for raw, cell in labels.items() if cell is not None]
    if not is_ordered:
        names = list(ordered(names))
        cells.sort(key=lambda raw: _text(labels[raw]))
    place = {name: k for k, name in enumerate(names)}
    reading = wanted.read([labels[raw] for raw in cells])
    code_of = dict(zip(cells, reading.code_of, strict=True))
    return Vocabulary(
        tuple(names),
        {raw: place[name] for raw, name in raters.items() if name is not None},
        {raw: code for raw, code in code_of.items() if code >= 0},
        tuple(raw for raw, name in raters.items() if name is None and isinstance(raw, str)),
        tuple(raw for raw, cell in labels.items() if cell is None and isinstance(raw, str)),
        tuple(raw for raw, code in code_of.items() if code < 0),
        reading,
        is_complete,
    )


def cleaned(vocabulary: Vocabulary) -> list[str]:
    """Say what was cleaned and how the labels were taken."""
    cells = {
        "rater": vocabulary.rater_of,
        "label": (*vocabulary.label_of, *vocabulary.marked),
    }
    blank = {
        role: sum(isinstance(raw, str) and raw != clean_value(raw) for raw in raws)
        for role, raws in cells.items()
    }
    told = [
        f"blanks around {n:,} different {role} cells were removed" for role, n in blank.items() if n
    ]
    return [*told, *vocabulary.reading.evidence]


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


def _from_raters(
    backend: Backend,
    vocabulary: Vocabulary,
    packing: Packing,
    checked: Checked,
    wanted: Wanted,
) -> Reduced | None:
    """Make ratings that know who gave which label; None where they do not add up."""
    packed = backend.packed_by_rater(vocabulary, packing)
    codes = unpacked(packing, packed.words, len(vocabulary.reading.labels))
    given = (codes >= 0).sum(axis=1)
    adds_up = int(given @ packed.multiplicity) == checked.n_rated
    if not adds_up or (given != packed.n_ratings).any():
        return None
    order = np.lexsort(codes.T[::-1])
    ratings = patterned(vocabulary, codes[order], packed.multiplicity[order], None)
    return _done(ratings, checked, vocabulary)


def unpacked(packing: Packing, words: Sequence[Any], n_labels: int) -> Any:
    """Unpack the code of every rater's label, items x raters; -1 where there is none."""
    codes = np.empty((packing.n_fields, len(words[0])), dtype=smallest_int(n_labels))
    mask = (1 << packing.bits) - 1
    for k in range(packing.n_fields):  # rater by rater: quick to read
        place = packing.field(k)
        np.subtract((words[place.word] >> place.shift) & mask, 1, out=codes[k], casting="unsafe")
    return codes.T


def patterned(
    vocabulary: Vocabulary,
    codes: Any,
    multiplicity: Any,
    items: Sequence[object] | None,
) -> Ratings:
    """Make ratings of items whose raters are known: distinct ones, or each with its name."""
    reading = vocabulary.reading
    parts = tables.from_patterns(
        codes,
        multiplicity,
        categories=reading.labels,
        raters=vocabulary.raters,
        scale=reading.scale or DEFAULT_SCALE,
        declared=reading.declared,
        items=items,
        design="wide" if items is None else "long",
    )
    made = Ratings.of_parts(replace(parts, scale_told=reading.scale is not None))
    return made.noting(reading.notes)


def _from_labels(
    backend: Backend, vocabulary: Vocabulary, checked: Checked, wanted: Wanted
) -> Reduced:
    """Count the labels of each item, for crowds; who the raters are is forgotten, not how many."""
    reading = vocabulary.reading
    packing = by_label(len(reading.labels))
    packed = backend.packed_by_label(vocabulary, packing)
    most = int(packed.n_ratings.max(initial=0))
    if most >> packing.bits:  # one item has so many ratings that its counts ran over
        packing = by_label(len(reading.labels), most)
        packed = backend.packed_by_label(vocabulary, packing)
    counts = packing.unpack(packed.words)
    if backend.repeated(vocabulary) is not None:
        raise _twice(backend, vocabulary)
    if (counts.sum(axis=1) != packed.n_ratings).any():
        _refuse_changing()
    order = np.lexsort(counts.T[::-1])
    ratings = Ratings.from_counts(
        counts[order],
        categories=reading.labels,
        scale=reading.scale,
        multiplicity=packed.multiplicity[order],
        declared=reading.declared,
    ).noting(reading.notes)
    return _done(ratings.rated_by(len(vocabulary.raters)), checked, vocabulary)


def _from_entries(backend: Any, vocabulary: Vocabulary, checked: Checked) -> Reduced:
    """List the ratings one by one, as small codes: with many labels hardly two items are alike."""
    reading = vocabulary.reading
    what = f"{checked.n_rated:,} ratings with {len(reading.labels):,} different labels"
    needs_memory(backend.memory, checked.n_rated * _PER_RATING, what)
    item, rater, label = backend.entries(vocabulary)
    new = np.empty(item.size, dtype=np.bool_)
    new[:1], new[1:] = True, item[1:] != item[:-1]
    if (~new[1:] & (rater[1:] == rater[:-1])).any():
        raise _twice(backend, vocabulary)
    n_items, n_raters, n_labels = int(new.sum()), len(vocabulary.raters), len(reading.labels)
    store = LongTable(
        np.cumsum(new, dtype=smallest_int(n_items)) - smallest_int(n_items).type(1),
        np.asarray(rater).astype(smallest_int(n_raters)),
        np.asarray(label).astype(smallest_int(n_labels)),
        n_items,
        n_raters,
    )
    parts = finish(
        store.laid_out(),
        reading.labels,
        scale=reading.scale or DEFAULT_SCALE,
        categories=reading.labels if reading.declared else None,
        ordered=reading.declared,
        design="long",
        raters=vocabulary.raters,
        items=None,
    )
    made = Ratings.of_parts(replace(parts, scale_told=reading.scale is not None))
    return _done(made.noting(reading.notes), checked, vocabulary)


def _done(ratings: Ratings, checked: Checked, vocabulary: Vocabulary) -> Reduced:
    return Reduced(ratings, checked, tuple(cleaned(vocabulary)), len(vocabulary.raters))


def _from_moments(backend: Backend, wanted: Wanted) -> Reduced:
    if backend.repeated(None) is not None:
        raise _twice(backend, None)
    add_up = backend.ranks if wanted.scale == "ordinal" else backend.moments  # type: ignore[attr-defined]
    sums, raters, checked = add_up(wanted.marks)
    scale = wanted.scale or "interval"  # only numbers that measure come here
    ratings = Ratings._from_moments(sums, scale=scale, raters=ordered(raters))
    return Reduced(ratings, checked, (), len(raters))


def _too_many_labels(labels: Sequence[object], scale: str | None) -> UnsupportedDesignError:
    """Say why so many labels cannot be reduced, and what can be done with such a table."""
    are_numbers = all(_is_number(label) for label in labels[:_MANY_LABELS])
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
        f"the reduction of a table whose scale is {scale or 'nominal'}",
        f"at most {_MOST_LISTED:,} different labels",
        f"more, such as {', '.join(str(_plain(label)) for label in labels[:3])}",
        hint,
    )


def _is_number(label: object) -> bool:
    """Tell whether a cell is a number, or a text that writes one."""
    if not isinstance(label, str):
        return label is None or isinstance(label, (int, float))
    return holds_number(label) or not label.strip()


def _twice(backend: Backend, vocabulary: Vocabulary | None) -> InputError:
    found = backend.repeated(vocabulary)
    if found is None:
        _refuse_changing()
    item, rater, times = found
    return InputError.expected(
        "each rater",
        "on an item at most once",
        f"rater {rater!r} {times} times on item {item!r}",
        "correct the data, or keep one of the ratings before reducing",
    )


def _refuse_changing() -> NoReturn:
    raise InputError.expected(
        "the table", "the same when it is read twice", "another one", "do not write to it now"
    )
