"""Who was asked in which session: a rater without a unit marked nothing, or never saw it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.checks import check_word
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units.model._ordered_units import Blocks, sorted_blocks

if TYPE_CHECKING:
    from consilience.units.model.units import Units

Flags = NDArray[np.bool_]
Dropped = tuple[tuple[str, str], ...]
ABSENT = ("asked", "drop", "count")
_HINT = "give asked='all', or which raters were asked in each session"


def asked_of(asked: Any, raters: Sequence[str], sessions: Sequence[str], present: Flags) -> Flags:
    """Return who was asked where (raters x sessions), from what the caller says or by the units.

    Said nothing, whoever has a unit in a session was asked there. A rater or a session without
    any unit is there because it was declared, so that it counts everywhere.
    """
    if asked is None:
        rater, session = (np.asarray(present.any(axis=k)) for k in (1, 0))
        return np.asarray(present | ~rater[:, None] | ~session[None, :])
    if isinstance(asked, str):
        if asked != "all":
            raise InputError.unknown_word("asked", asked, ["all"])
        return np.ones(present.shape, dtype=bool)
    if isinstance(asked, Mapping):
        return present | _from_mapping(asked, raters, sessions)
    table = np.asarray(asked)
    if table.dtype != bool or table.shape != present.shape:
        raise InputError.expected("asked", "a table of raters x sessions", asked, _HINT)
    return np.asarray(present | table)


def _from_mapping(asked: Mapping[Any, Any], raters: Sequence[str], sessions: Any) -> Flags:
    table = np.zeros((len(raters), len(sessions)), dtype=bool)
    row = {name: k for k, name in enumerate(raters)}
    column = {name: k for k, name in enumerate(sessions)}
    for session, names in asked.items():
        if str(session) not in column:
            raise InputError.unknown_word("a session in asked", session, sessions)
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InputError.expected("asked", "lists of raters by session", names, _HINT)
        for name in names:
            if str(name) not in row:
                raise InputError.unknown_word("a rater in asked", name, raters)
            table[row[str(name)], column[str(session)]] = True
    return table


def heard(units: Units, absent: str, names: Sequence[str] | None = None) -> Flags:
    """Return whose work counts in which session (raters x sessions): the check of every method.

    "asked" counts whoever was asked, with or without a unit; "drop" whoever has a unit; "count"
    everybody, as somebody who knows that all were asked can say.
    """
    present = units.counts() > 0
    table = present
    if absent == "count":
        table = np.ones_like(present)
    elif absent == "asked":
        table = present | units.asked
    return table if names is None else table[[units.raters.index(name) for name in names]]


@dataclass(frozen=True, slots=True)
class WhoCounts:
    """Which sessions count for some raters, whose work counts there, and which are left out."""

    units: Units
    raters: tuple[str, ...]
    seen: Flags  # raters x sessions
    used: Flags  # sessions
    dropped: Dropped

    @property
    def sessions(self) -> tuple[str, ...]:
        """The sessions that count."""
        return tuple(self.units.sessions[k] for k in np.flatnonzero(self.used))

    def blocks(self) -> Blocks:
        """Return the sorted units of these raters in these sessions, which are numbered anew."""
        blocks = sorted_blocks(self.units, self.raters)
        if self.used.all():
            return blocks
        some = blocks.only(self.used)
        place = np.cumsum(self.used) - 1
        return replace(some, session=place[some.session].astype(np.int32))


def who_counts(
    units: Units,
    raters: Sequence[str],
    what: str | None = None,
    *,
    absent: str = "asked",
    least: int | None = None,
    silent: bool = True,
    long: bool = False,
) -> WhoCounts:
    """Say which sessions count for some raters: what every measure of units asks first.

    Parameters
    ----------
    units, raters
    what : str, optional
        The measure that is refused if no session counts; without it the answer may be empty.
    absent : {"asked", "drop", "count"}
        What is made of a rater without units, as in `heard`.
    least : int, optional
        How many of the raters must count in a session, by default all of them.
    silent : bool
        Whether a session counts in which none of them marked anything.
    long : bool
        Whether a session must have a length. What is compared is then time and needs no units.
    """
    check_word("absent", absent, ABSENT)
    names = tuple(raters)
    some: Flags = np.asarray(
        (units.counts()[[units.raters.index(name) for name in names]] > 0).any(axis=0)
    )
    seen = heard(units, absent, names)
    used: Flags = np.asarray(
        seen.sum(axis=0) >= (len(names) if least is None else min(least, len(names)))
    )
    if not silent:
        used = used & some
    if long:
        used = used & (units.bounds[:, 1] > units.bounds[:, 0])
    dropped = tuple(
        (units.sessions[k], why_left_out(names, seen[:, k], some=bool(some[k])))
        for k in np.flatnonzero(~used)
    )
    bare = not long and absent != "count" and not some[used].any()
    if what is not None and (not used.any() or bare):
        raise no_session(what, names, long=long)
    return WhoCounts(units, names, seen, used, dropped)


def why_left_out(names: Sequence[str], there: Flags, *, some: bool) -> str:
    """Say why a session is left out: whose work it does not have."""
    if not some:
        return "no units"
    gone = ", ".join(repr(name) for name, here in zip(names, there, strict=True) if not here)
    return f"no units of {gone}" if gone else "it has no length"


def no_session(what: str, names: Sequence[str], *, long: bool = False) -> UnsupportedDesignError:
    """Refuse to compare raters who have no session in common."""
    two = len(names) == 2
    need = f"a session with {'a length and ' if long else ''}units of "
    need += "both raters" if two else "two raters"
    got = f"none for {names[0]!r} and {names[1]!r}" if two else "none"
    hint = "check that the sessions have the same names"
    return UnsupportedDesignError.needs(what, need, got, hint)
