"""Which units, raters and sessions a measure can compare; what it cannot is refused by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.labels import check_categories, label_key
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units.model._sessions import Dropped
from consilience.units.model.asked import heard
from consilience.units.model.unit_checks import check_label_count
from consilience.units.model.units import Units, check_data


def check_units(
    units: Any | Units, what: str, labels: Iterable[Any] | None = None, *, many: str = "refuse"
) -> Units:
    """Return units in one piece, with the declared labels.

    Very many labels are refused, unless `many` is "allow": the measure then makes no table of them.
    """
    units = check_data(units)
    if units.span is not None and units.n_units < len(units):
        raise UnsupportedDesignError.needs(
            what,
            "units in one piece",
            f"{len(units) - units.n_units} further fragments",
            "compare discontinuous units with span_f1, or give each fragment as a unit of its own",
        )
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


def sessions_of_both(
    units: Units, names: Sequence[str], what: str, *, absent: str = "asked", hint: str
) -> tuple[NDArray[np.bool_], Dropped]:
    """Say which sessions count for two raters, and name the others with the reason."""
    used = heard(units, absent, names).all(axis=0)
    some = units.counts()[[units.raters.index(name) for name in names]][:, used].any()
    if not used.any() or (absent != "count" and not some):
        raise UnsupportedDesignError.needs(
            what, "a session with units of both raters", "none", hint
        )
    why = "not every rater has units" if absent == "drop" else "not every rater was asked"
    return np.asarray(used), tuple((units.sessions[k], why) for k in np.flatnonzero(~used))
