"""Columns out of rows, boundaries and segment lengths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.labels import is_number
from consilience.exceptions import InputError
from consilience.ratings.encode import Encoded

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
