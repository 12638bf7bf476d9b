"""Where each session's continuum begins and ends, and how that is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.checks import check_word
from consilience.core.labels import is_number
from consilience.exceptions import InputError
from consilience.ratings import Note
from consilience.units.model._columns import LARGEST, Codes, Times, whole

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
