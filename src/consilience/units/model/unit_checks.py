"""Refuse units that cannot be, naming the place."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units.model._columns import Named, Times

MOST_LABELS = 3_000  # labels beyond this are free text, and their table would fill the memory


def check_word(what: str, word: Any, known: Iterable[str]) -> None:
    """Refuse a word that is not one of those known."""
    if not isinstance(word, str) or word not in known:
        raise InputError.unknown_word(what, word, known)


def check_label_count(labels: Sized, what: str) -> None:
    """Refuse so many labels that a table of every two of them cannot be held."""
    if len(labels) > MOST_LABELS:
        raise UnsupportedDesignError.needs(
            what,
            f"at most {MOST_LABELS:,} labels",
            f"{len(labels):,}",
            "put labels together with relabel(), or compare without them",
        )


def check_order(
    start: Times, end: Times, names: tuple[Named, Named, Named, Named], *, where: str | None = None
) -> None:
    """Refuse a unit that ends before it starts."""
    bad = np.flatnonzero(end < start)
    if not bad.size:
        return
    row = int(bad[0])
    rater, session, _, label = (named.names[named.codes[row]] for named in names)
    raise InputError.expected(
        f"unit {row + 1} (rater {rater!r}, session {session!r}, label {label!r})",
        "one that does not end before it starts",
        (start[row].item(), end[row].item()),
        "swap or correct the two times",
        where=where,
    )


def check_fragments(span: NDArray[np.int64], start: Times, end: Times, label: Named) -> None:
    """Refuse fragments of one unit that differ in label or overlap."""
    order = np.lexsort((start, span))
    same = span[order][1:] == span[order][:-1]
    codes = label.codes[order]
    unlike = np.flatnonzero(same & (codes[1:] != codes[:-1]))
    if unlike.size:
        first, second = (label.names[codes[unlike[0] + k]] for k in (0, 1))
        raise InputError.expected(
            "the fragments of one unit",
            "given one label",
            (first, second),
            "use another span id for another unit",
        )
    clash = np.flatnonzero(same & (start[order][1:] < end[order][:-1]))
    if clash.size:
        rows = order[clash[0] : clash[0] + 2]
        raise InputError.expected(
            "the fragments of one unit",
            "apart from each other",
            [(start[row].item(), end[row].item()) for row in rows],
            "join fragments that overlap",
        )
