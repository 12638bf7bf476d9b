"""Turn columns of times and names into checked arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.labels import check_categories, is_number, label_key, plain
from consilience.exceptions import InputError, shown
from consilience.ratings import Note
from consilience.ratings.encode import Encoded, encode

Times = NDArray[np.int64] | NDArray[np.float64]
Codes = NDArray[np.int32]
LARGEST = 2**62  # no difference of two times up to here is too large for an integer
_EXACT = 2**53  # whole floats up to here are exact


@dataclass(frozen=True, slots=True)
class Named:
    """One column of names: a code for each row and what the codes stand for."""

    codes: Codes
    names: tuple[Any, ...]


def times_of(column: Any, what: str, *, where: str | None = None) -> Times:
    """Return a column of times as integers if every one is whole, else as floats."""
    array = _numbers(column, what, where)
    if array.dtype.kind == "f":
        bad = np.flatnonzero(~np.isfinite(array))
        if bad.size:
            raise InputError.expected(
                f"{what} of unit {int(bad[0]) + 1}",
                "a finite number",
                float(array[bad[0]]),
                "leave out units without a time, or correct them",
                where=where,
            )
    if array.size and max(-array.min().item(), array.max().item()) > LARGEST:
        row = int(np.argmax(np.abs(array.astype(np.float64))))
        raise InputError.expected(
            f"{what} of unit {row + 1}",
            f"between -{LARGEST:,} and {LARGEST:,}",
            array[row].item(),
            "measure times from the beginning of the recording, or in a larger unit",
            where=where,
        )
    return whole(array)


def whole(array: NDArray[Any]) -> Times:
    """Return whole numbers as integers, others as floats."""
    if array.dtype.kind in "iu":
        if array.dtype == np.uint64 and array.size and int(array.max()) >= 2**63:
            return array.astype(np.float64)
        return array.astype(np.int64)
    as_float = array.astype(np.float64)
    if as_float.size and np.abs(as_float).max() <= _EXACT:
        rounded = np.rint(as_float)
        if np.array_equal(rounded, as_float):
            return rounded.astype(np.int64)
    return as_float.astype(np.int64) if not as_float.size else as_float


def as_floats(times: Times) -> NDArray[np.float64]:
    """Return times as floats, counted from their origin."""
    return (times - origin_of(times)).astype(np.float64)


def origin_of(times: Times) -> int:
    """Return what whole times must be counted from to be exact as floats: 0, or the earliest."""
    if times.dtype.kind != "i" or not times.size:
        return 0
    low, high = int(times.min()), int(times.max())
    return low if max(-low, high) > _EXACT else 0


def _numbers(column: Any, what: str, where: str | None) -> NDArray[Any]:
    if isinstance(column, (str, bytes, Mapping)) or not isinstance(column, Iterable):
        raise InputError.expected(
            f"the column {what}", "a sequence of times", column, "pass a list, array or series"
        )
    if isinstance(column, np.ma.MaskedArray):
        column = column.filled(np.nan) if column.dtype.kind == "f" else column.tolist()
    array = column if isinstance(column, np.ndarray) else _as_array(column)
    if array.ndim != 1:
        raise InputError.expected(
            f"the column {what}", "one-dimensional", array.shape, "pass one time for each unit"
        )
    if array.dtype.kind in "iuf":
        return array
    values = array.tolist()
    for row, value in enumerate(values):
        if value is not None and not is_number(value):
            raise InputError.expected(
                f"{what} of unit {row + 1}",
                "a number",
                value,
                "give times as numbers (milliseconds, seconds, frames or characters)",
                where=where,
            )
    # A missing time becomes NaN, and is refused with the others.
    if all(isinstance(v, int) and abs(v) <= LARGEST for v in values):
        return np.array(values, dtype=np.int64)
    return np.array([np.nan if v is None else float(v) for v in values], dtype=np.float64)


def _as_array(column: Any) -> NDArray[Any]:
    if hasattr(column, "to_numpy"):
        return np.asarray(column.to_numpy())
    values = list(column)
    try:
        array = np.array(values)
    except (ValueError, OverflowError):
        array = np.array(values, dtype=object)
    # numpy turns [True, 2] into numbers; a truth value is not a time.
    if any(isinstance(value, (bool, np.bool_)) for value in values):
        return np.array(values, dtype=object)
    return array


def together(start: Times, end: Times) -> tuple[Times, Times]:
    """Give both ends one type."""
    if start.dtype == end.dtype:
        return start, end
    return start.astype(np.float64), end.astype(np.float64)


def names_of(
    column: Any, what: str, *, size: int, default: str, declared: Iterable[Any] | None = None
) -> Named:
    """Encode raters, sessions or tiers: names are text, sorted unless their order is declared."""
    if column is None:
        listed = _declared_names(declared, what) if declared is not None else (default,)
        if len(listed) != 1 and size:
            raise InputError.expected(
                f"the column {what}", "given for each unit", None, f"pass {what}=[…]"
            )
        return Named(np.zeros(size, dtype=np.int32), listed)
    if isinstance(column, str):
        column = _constant(column, size)
    codes, found = _encoded(column, what, size)
    texts = [str(name) for name in found]
    names = sorted(set(texts)) if declared is None else list(_declared_names(declared, what))
    place = {name: k for k, name in enumerate(names)}
    for text in texts:
        if text not in place:
            raise InputError.unknown_word(f"the {what} of each unit", text, names)
    return Named(_mapped(codes, [place[text] for text in texts]), tuple(names))


def labels_of(
    column: Any, *, size: int, declared: Iterable[Any] | None
) -> tuple[Named, list[Note]]:
    """Encode labels; units without a label keep the category '' and are noted."""
    if column is None or isinstance(column, str):
        column = _constant("segment" if column is None else column, size)
    encoded = column if isinstance(column, Encoded) else encode(column)
    codes = np.asarray(encoded.codes, dtype=np.int64)
    _check_size(codes, "label", size)
    found = list(encoded.labels)
    if codes.size and codes.min() < 0:
        if "" not in found:
            found.append("")
        codes = np.where(codes < 0, found.index(""), codes)
    notes = []
    n_empty = int(np.count_nonzero(codes == found.index(""))) if "" in found else 0
    if n_empty:
        notes.append(
            Note(
                "empty_label",
                f"{n_empty} units have no label; they are a category of their own, ''. "
                "Leave them out with select(labels=…), or name them with relabel({'': …}).",
            )
        )
    if declared is None:
        labels = in_label_order(found)
    else:
        labels = check_categories(declared, what="labels")
        if "" in found and "" not in labels:
            labels = [*labels, ""]
    place = {label_key(label): k for k, label in enumerate(labels)}
    for label in found:
        if label_key(label) not in place:
            raise InputError.expected(
                "every label", f"one of {shown(list(labels))}", label, "add it to labels=[…]"
            )
    return Named(_mapped(codes, [place[label_key(x)] for x in found]), tuple(labels)), notes


def in_label_order(labels: Sequence[Any]) -> list[Any]:
    """Sort numbers as numbers and everything else as text."""
    if all(is_number(label) for label in labels):
        return sorted(labels)
    return sorted(labels, key=_text_key)


def _text_key(label: Any) -> tuple[str, str]:
    if isinstance(label, frozenset):
        return ",".join(sorted(map(str, label))), "set"
    return str(label), type(label).__name__


def spans_of(column: Any, *, size: int, keys: Sequence[Codes]) -> NDArray[np.int64] | None:
    """Give fragments of one unit one number; units without an id stand alone.

    The same id in another session, tier or by another rater is another unit.
    """
    if column is None:
        return None
    codes, _ = _encoded(column, "span", size, missing=True)
    alone = codes < 0
    rows = [key.astype(np.int64) for key in keys]
    first = np.where(alone, np.arange(size), codes)
    table = np.stack([alone.astype(np.int64), first, *(np.where(alone, 0, k) for k in rows)])
    _, numbers = np.unique(table, axis=1, return_inverse=True)
    return numbers.reshape(-1).astype(np.int64)


def _encoded(
    column: Any, what: str, size: int, *, missing: bool = False
) -> tuple[NDArray[np.int64], list[Any]]:
    encoded = column if isinstance(column, Encoded) else encode(column)
    codes = np.asarray(encoded.codes, dtype=np.int64)
    _check_size(codes, what, size)
    holes = np.flatnonzero(codes < 0)
    if holes.size and not missing:
        raise InputError.expected(
            f"{what} of unit {int(holes[0]) + 1}", "a name", None, f"say which {what} it belongs to"
        )
    return codes, [plain(name) for name in encoded.labels]


def _check_size(codes: NDArray[np.int64], what: str, size: int) -> None:
    if codes.size != size:
        raise InputError.expected(
            f"the column {what}", f"as long as start ({size})", codes.size, "give one for each unit"
        )


def _declared_names(names: Iterable[Any], what: str) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError.expected(f"{what}s", "a list of names", names, "for example ['A', 'B']")
    listed = tuple(str(name) for name in names)
    if len(set(listed)) != len(listed):
        raise InputError.expected(f"{what}s", "different from each other", listed, "name each once")
    return listed


def _constant(name: str, size: int) -> Encoded:
    """Return one name for every unit."""
    return Encoded(np.zeros(size, dtype=np.int64), [name] if size else [])


def _mapped(codes: NDArray[np.int64], places: Sequence[int]) -> Codes:
    return np.asarray(places, dtype=np.int32)[codes] if len(places) else codes.astype(np.int32)


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
