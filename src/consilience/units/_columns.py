"""Columns of times and names as checked arrays, the bounds of sessions, and columns out of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import check_word
from consilience.core.arrays import Ints
from consilience.core.labels import Note, check_categories, is_number, label_key, plain
from consilience.exceptions import InputError, shown
from consilience.ratings.encode import Encoded, encode

# ---- columns of times and names, checked

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


def expand(first: Ints, count: Ints) -> tuple[Ints, Ints]:
    """Turn runs (first, count) into pairs (number of the run, element)."""
    run = np.repeat(np.arange(len(count)), count)
    before = np.cumsum(count) - count
    return run, np.arange(len(run)) - before[run] + first[run]


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


# ---- where each session begins and ends

Time = int | float
ORIGINS = ("file", "given", "fallback")


def bounds_of(
    given: Any, *, origin: str, sessions: tuple[str, ...], session: Codes, start: Times, end: Times
) -> tuple[Times, tuple[str, ...], list[Note]]:
    """Return the bounds of each session, where each comes from, and what was corrected."""
    check_word("bounds_from", origin, ORIGINS)
    known = _as_mapping(given, sessions)
    low, high, used = extremes(session, len(sessions), start, end)
    if any(not isinstance(time, int) for pair in known.values() for time in pair):
        low, high = low.astype(np.float64), high.astype(np.float64)
    origins, notes = [], []
    for k, name in enumerate(sessions):
        if name not in known:
            origins.append("fallback")
            continue
        first, last = known[name]
        beyond = used[k] and (low[k] < first or high[k] > last)
        if beyond and origin != "file":
            raise InputError.expected(
                f"the bounds of session {name!r}",
                f"around all its units ({low[k].item()} to {high[k].item()})",
                (first, last),
                "widen the bounds, or leave out the units beyond them",
            )
        if beyond:
            notes.append(
                Note(
                    "units_beyond_bounds",
                    f"Session {name!r} has units outside {first} to {last}, the length its "
                    "file states; its continuum was widened to hold them.",
                )
            )
            first, last = min(first, low[k]), max(last, high[k])
        low[k], high[k] = first, last
        origins.append(origin)
    bounds = whole(np.stack([low, high], axis=1))
    return bounds, tuple(origins), notes


def extremes(
    session: Codes, n_sessions: int, start: Times, end: Times
) -> tuple[Times, Times, NDArray[np.bool_]]:
    """Return earliest onset and latest offset of each session (0, 0 where there is no unit)."""
    used = np.bincount(session, minlength=n_sessions) > 0
    low: Any = np.zeros(n_sessions, dtype=start.dtype)
    high: Any = np.zeros(n_sessions, dtype=end.dtype)
    order = np.argsort(session, kind="stable")
    at = np.searchsorted(session[order], np.flatnonzero(used))
    if at.size:
        low[used] = np.minimum.reduceat(start[order], at)
        high[used] = np.maximum.reduceat(end[order], at)
    return low, high, used


def _as_mapping(given: Any, sessions: tuple[str, ...]) -> dict[str, tuple[Time, Time]]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        pairs = {
            str(name): _pair(pair, f"the bounds of session {name!r}")
            for name, pair in given.items()
        }
        for name in pairs:
            if name not in sessions:
                raise InputError.unknown_word("a session in bounds", name, sessions)
        return pairs
    array = np.asarray(given, dtype=object)
    if array.shape == (2,):
        pair = _pair(given, "bounds")
        return dict.fromkeys(sessions, pair)
    if array.shape == (len(sessions), 2):
        return {
            name: _pair(pair, f"the bounds of session {name!r}")
            for name, pair in zip(sessions, array.tolist(), strict=True)
        }
    raise InputError.expected(
        "bounds", "a pair, or a pair for each session", given, "for example bounds=(0, 60_000)"
    )


def _pair(pair: Any, what: str) -> tuple[Time, Time]:
    hint = "for example (0, 60_000)"
    try:
        first, last = pair
    except (TypeError, ValueError):
        raise InputError.expected(what, "a start and an end", pair, hint) from None
    ok = is_number(first) and is_number(last) and np.isfinite(float(first) + float(last))
    if not ok or first > last or max(-first, last) > LARGEST:
        raise InputError.expected(what, "two finite numbers, the smaller first", pair, hint)
    return _time(first), _time(last)


def _time(time: Any) -> Time:
    """Return a whole number as an integer: times in nanoseconds are too long for a float."""
    number = time.item() if isinstance(time, np.generic) else time
    if not isinstance(number, int):
        number = float(number)
    return int(number) if number == int(number) else number


# ---- columns out of rows, boundaries, lengths

_FIELDS = ("rater", "label", "start", "end", "session", "tier")
_NEEDED = ("rater", "start", "end")
_SEGMENT = "segment"


def record_columns(records: Iterable[Any]) -> dict[str, Any]:
    """Return the columns of tuples or mappings."""
    if isinstance(records, (str, bytes, Mapping)) or not isinstance(records, Iterable):
        raise InputError.expected(
            "records", "rows of (rater, label, start, end)", records, "for a table use from_frame"
        )
    rows = [_fields(row, number) for number, row in enumerate(records, 1)]
    known = {field for row in rows for field in row} or {"rater", "label", "start", "end"}
    order = [field for field in (*_FIELDS, "span") if field in known]
    for number, row in enumerate(rows, 1):
        lacking = [field for field in order if field not in row and field not in ("label", "span")]
        if lacking:
            raise InputError.expected(
                f"record {number}", f"given with its {lacking[0]}", row, "as in the other records"
            )
    return {field: [row.get(field) for row in rows] for field in order}


def _fields(row: Any, number: int) -> dict[str, Any]:
    if isinstance(row, Mapping):
        unknown = [key for key in row if key not in (*_FIELDS, "span")]
        if unknown:
            raise InputError.unknown_word("a field of a record", unknown[0], (*_FIELDS, "span"))
        fields = dict(row)
    elif isinstance(row, Sequence) and not isinstance(row, (str, bytes)) and 4 <= len(row) <= 6:
        fields = dict(zip(_FIELDS, row, strict=False))
    else:
        raise InputError.expected(
            f"record {number}",
            "(rater, label, start, end[, session[, tier]]) or a mapping with these names",
            row,
            "check the order and the number of fields",
        )
    for field in _NEEDED:
        if field not in fields:
            raise InputError.expected(f"record {number}", f"given with its {field}", row, "add it")
    return fields


def boundary_columns(boundaries: Any, length: Any) -> dict[str, Any]:
    """Turn places where raters cut into segments."""
    nested = _by_rater(boundaries, "boundaries", types=True)
    records: list[_Record] = []
    ends: dict[str, Any] = {}
    for rater, sessions in nested.items():
        for session, given in sessions.items():
            end = _length(length, session)
            types = dict(given) if isinstance(given, Mapping) else dict.fromkeys(_listed(given))
            cuts = _positions(types, end, rater, session)
            kinds = [types[cut] or _SEGMENT for cut in cuts] if any(types.values()) else None
            records.append(_Record(rater, session, np.array([0, *cuts, end]), kinds))
            ends[session] = (0, end)
    if isinstance(length, Mapping):
        for session in map(str, length):
            if session not in ends:
                raise InputError.unknown_word("a session of length", session, ends)
    return _columns(records, ends)


def mass_columns(masses: Any) -> dict[str, Any]:
    """Turn lengths of consecutive segments into segments."""
    records: list[_Record] = []
    ends: dict[str, Any] = {}
    for rater, sessions in _by_rater(masses, "masses", types=False).items():
        for session, given in sessions.items():
            edges = np.append(0, np.cumsum(_lengths(given, rater, session)))
            last = edges[-1].item()
            total = ends.setdefault(session, (0, last))[1]
            if total != last:
                raise InputError.expected(
                    f"the segment lengths of session {session!r}",
                    "of one sum for all raters",
                    (total, last),
                    "all raters must segment the same text or recording",
                )
            records.append(_Record(rater, session, edges, None))
    return _columns(records, ends)


@dataclass(frozen=True, slots=True)
class _Record:
    """How one rater cut one session."""

    rater: str
    session: str
    edges: NDArray[Any]  # the beginning, every cut, and the end
    kinds: list[Any] | None  # of the cuts; None if they are all of one kind


def _columns(records: list[_Record], ends: dict[str, Any]) -> dict[str, Any]:
    """Put the records together; names are repeated as codes, not as texts."""
    sizes = [len(record.edges) - 1 for record in records]
    columns: dict[str, Any] = {
        "start": np.concatenate([record.edges[:-1] for record in records] or [np.empty(0)]),
        "end": np.concatenate([record.edges[1:] for record in records] or [np.empty(0)]),
        "label": None,
        "bounds": ends,
    }
    for axis in ("rater", "session"):
        names = [getattr(record, axis) for record in records]
        place = {name: code for code, name in enumerate(dict.fromkeys(names))}
        codes = np.repeat(np.array([place[name] for name in names], dtype=np.int64), sizes)
        columns[axis] = Encoded(codes, list(place))
    if any(record.kinds for record in records):
        columns["label"] = [
            kind
            for record, size in zip(records, sizes, strict=True)
            for kind in (_SEGMENT, *(record.kinds or [_SEGMENT] * (size - 1)))
        ]
    return columns


def _lengths(given: Any, rater: str, session: str) -> NDArray[Any]:
    """Return the lengths of segments; refuse what is no length."""
    listed: Any = given if isinstance(given, (list, tuple, np.ndarray)) else _listed(given)
    if not isinstance(listed, np.ndarray) and bool not in set(map(type, listed)):
        with suppress(ValueError, OverflowError):
            listed = np.array(listed)
    if isinstance(listed, np.ndarray) and listed.ndim == 1 and listed.dtype.kind in "iuf":
        counted = listed.astype(np.int64 if listed.dtype.kind in "iu" else np.float64)
        if counted.size and (counted > 0).all() and np.isfinite(counted).all():
            return counted
    values = listed.tolist() if isinstance(listed, np.ndarray) else listed
    bad = [x for x in values if not is_number(x) or not x > 0 or not np.isfinite(float(x))]
    raise InputError.expected(
        f"the segment lengths of rater {rater!r} in session {session!r}",
        "positive numbers",
        bad[0] if bad else values,
        "leave out empty segments",
    )


def _by_rater(given: Any, what: str, *, types: bool) -> dict[str, dict[str, Any]]:
    if not isinstance(given, Mapping) or not given:
        raise InputError.expected(
            what, "a mapping of rater to session to numbers", given, "{'a': {'text 1': [3, 7]}}"
        )
    return {
        str(rater): {str(name): value for name, value in inner.items()}
        if isinstance(inner, Mapping) and not (types and _are_types(inner))
        else {"session": inner}
        for rater, inner in given.items()
    }


def _are_types(inner: Mapping[Any, Any]) -> bool:
    """Tell {position: type} from {session: positions}."""
    return bool(inner) and all(
        is_number(key)
        and (value is None or isinstance(value, str) or not isinstance(value, Iterable))
        for key, value in inner.items()
    )


def _listed(given: Any) -> list[Any]:
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise InputError.expected("positions", "a list of numbers", given, "for example [3, 7]")
    return [x.item() if isinstance(x, np.generic) else x for x in given]


def _length(length: Any, session: str) -> Any:
    if isinstance(length, Mapping):
        known = {str(name): value for name, value in length.items()}
        if session not in known:
            raise InputError.unknown_word("a session in length", session, known)
        length = known[session]
    if not is_number(length) or not length > 0 or not np.isfinite(float(length)):
        raise InputError.expected("length", "a positive number", length, "for example length=120")
    return length


def _positions(types: dict[Any, Any], end: Any, rater: str, session: str) -> list[Any]:
    for cut in types:
        if not is_number(cut) or not 0 < cut < end:
            raise InputError.expected(
                f"each boundary of rater {rater!r} in session {session!r}",
                f"a number between 0 and the length ({end})",
                cut,
                "leave out the beginning and the end: they are no boundaries",
            )
    return sorted(types)
