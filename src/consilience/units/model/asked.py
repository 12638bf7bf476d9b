"""Who was asked in which session: a rater without a unit marked nothing, or never saw it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from consilience.exceptions import InputError
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


def heard_blocks(units: Units, names: Sequence[str]) -> tuple[Blocks, Dropped]:
    """Return the sorted units of the sessions in which all were asked, and the other sessions."""
    table = heard(units, "asked", names)
    blocks = sorted_blocks(units, tuple(names))
    together = np.asarray(table.all(axis=0))
    dropped = tuple(
        (units.sessions[k], lacking(names, table[:, k])) for k in np.flatnonzero(~together)
    )
    return (blocks.only(together) if dropped else blocks), dropped


def lacking(names: Sequence[str], there: Flags) -> str:
    """Say whose work a session does not have."""
    gone = ", ".join(repr(name) for name, here in zip(names, there, strict=True) if not here)
    return f"nothing of {gone}, who may not have been asked"
