"""The check of what a measure of units is given: data, labels, raters, sessions, words, numbers."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sized
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.checks import check_word as check_word  # noqa: PLC0414 - readers take it from here
from consilience.core.checks import number_where
from consilience.core.labels import check_categories, label_key
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units.model._ordered_units import Blocks
from consilience.units.model.asked import Dropped, heard, no_session, why_left_out
from consilience.units.model.units import Units

MOST_LABELS = 3_000  # labels beyond this are free text, and their table would fill the memory


def check_words(**given: tuple[Any, Iterable[str]]) -> None:
    """Refuse words that are not among those known: name=(word, known)."""
    for what, (word, known) in given.items():
        check_word(what, word, known)


def check_positive(
    value: Any, what: str, *, zero: str = "refused", kind: str = "a number", hint: str = ""
) -> float:
    """Return a positive number; ``zero`` says whether 0 is allowed."""
    least, at = ("0 or more", operator.ge) if zero == "allowed" else ("above 0", operator.gt)
    return number_where(
        what, value, f"{kind} {least}", hint or f"for example {what}=1", fits=lambda x: at(x, 0)
    )


def check_time(value: Any, what: str, *, zero: str) -> float:
    """Return a length of time; ``zero`` says whether 0 is allowed."""
    kind = "a time of" if zero == "allowed" else "a time"
    return check_positive(value, what, zero=zero, kind=kind, hint="in the time unit of the data")


def check_label_count(labels: Sized, what: str) -> None:
    """Refuse so many labels that a table of every two of them cannot be held."""
    if len(labels) > MOST_LABELS:
        raise UnsupportedDesignError.needs(
            what,
            f"at most {MOST_LABELS:,} labels",
            f"{len(labels):,}",
            "put labels together with relabel(), or compare without them",
        )


def check_data(units: Any) -> Units:
    """Return units; refuse anything else."""
    if not isinstance(units, Units):
        raise InputError.expected(
            "the data",
            "Units",
            type(units).__name__,
            "build them with Units.from_frame, or read_units",
        )
    return units


def check_pieces(units: Units, what: str) -> Units:
    """Return units that are in one piece each."""
    if units.span is not None and units.n_units < len(units):
        raise UnsupportedDesignError.needs(
            what,
            "units in one piece",
            f"{len(units) - units.n_units} further fragments",
            "compare discontinuous units with span_f1, or give each fragment as a unit of its own",
        )
    return units


def check_several_raters(units: Any, what: str) -> Units:
    """Return units of at least two raters."""
    if check_data(units).n_raters < 2:
        hint = "add another rater; declare raters who marked nothing, too"
        raise UnsupportedDesignError.needs(what, "at least two raters", units.n_raters, hint)
    known: Units = units
    return known


def check_units(
    units: Any | Units, what: str, labels: Iterable[Any] | None = None, *, many: str = "refuse"
) -> Units:
    """Return units in one piece, with the declared labels.

    Very many labels are refused, unless `many` is "allow": the measure then makes no table of them.
    """
    units = check_pieces(check_data(units), what)
    if labels is not None:
        declared = check_categories(labels, what="labels")
        place = {label_key(name): k for k, name in enumerate(declared)}
        lacking = [name for name in units.labels if label_key(name) not in place]
        if lacking:
            raise InputError.expected(
                "labels", "a list of all that occur", declared, f"add {lacking[0]!r}"
            )
        codes = np.array([place[label_key(name)] for name in units.labels], dtype=np.int32)
        label = codes[units.label] if len(codes) else units.label
        units = replace(units, labels=tuple(declared), label=label)
    if many == "refuse":
        check_label_count(units.labels, what)
    return units


def check_raters(units: Units, raters: Any) -> tuple[str, ...]:
    """Return the names of at least two raters."""
    names: tuple[str, ...] = units.raters
    if raters is not None:
        if isinstance(raters, str) or not isinstance(raters, Iterable):
            raise InputError.expected("raters", "a list of names", raters, "such as ['A', 'B']")
        names = tuple(str(name) for name in raters)
        for name in names:
            if name not in units.raters:
                raise InputError.unknown_word("a rater", name, units.raters)
        if len(set(names)) != len(names):
            raise InputError.expected("raters", "different names", names, "name each rater once")
    if len(names) < 2:
        raise UnsupportedDesignError.needs(
            "agreement", "at least two raters", f"{len(names)}", "read the other rater's file too"
        )
    return names


def check_two(
    units: Units, raters: Any, what: str, *, hint: str = "name two with raters="
) -> tuple[str, ...]:
    """Return the names of exactly two raters."""
    names = check_raters(units, raters)
    if len(names) != 2:
        raise UnsupportedDesignError.needs(what, "two raters", f"{len(names)}", hint)
    return names


def compared_blocks(
    units: Any, what: str, absent: str
) -> tuple[Blocks, list[tuple[int, NDArray[np.int64]]], Dropped]:
    """Return sorted units, the blocks that two raters or more were heard in, sessions without.

    A block comes with the codes of its raters.
    """
    if not len(check_several_raters(units, what)):
        raise UnsupportedDesignError.needs(
            what, "at least one unit", "an empty continuum", "check the reader's options"
        )
    blocks = units.sorted_blocks()
    used = set(blocks.session.tolist())
    dropped = [(name, "no units") for s, name in enumerate(units.sessions) if s not in used]
    table = heard(units, absent)
    compared = []
    for b, session in enumerate(blocks.session.tolist()):
        there = np.diff(blocks.offsets[b]) > 0 if absent == "drop" else table[:, session]
        if there.sum() < 2:
            dropped.append((units.sessions[session], why_left_out(units.raters, there, some=True)))
        else:
            compared.append((b, np.flatnonzero(there)))
    if not compared:
        raise no_session(what, units.raters)
    return blocks, compared, tuple(dropped)
