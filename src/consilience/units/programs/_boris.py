"""Agreement as BORIS computes it: kappa by time unit or interval, and sequence identity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.resample import Seed
from consilience.document import Finding
from consilience.exceptions import InputError
from consilience.units.linking._alignment_path import global_path
from consilience.units.linking._diag_table import check_pair
from consilience.units.linking._link_tally import sampled_kappa
from consilience.units.model._sessions import Draws
from consilience.units.model._unit_findings import dropped_findings, note_findings
from consilience.units.model._unit_results import unit_counts, unit_totals
from consilience.units.model.asked import WhoCounts, who_counts
from consilience.units.model.unit_checks import check_time, check_two, check_units, check_word
from consilience.units.model.units import Units
from consilience.units.programs._boris_tally import (
    BorisIdentity,
    BorisKappa,
    State,
    Tally,
    instant_tally,
    marked_sessions,
    named,
    state_sequences,
    stretch_tally,
)

MODES = ("time_unit", "unweighted", "weighted")


def boris_kappa(
    units: Units,
    *,
    unit: float = 1,
    mode: Literal["time_unit", "unweighted", "weighted"] = "time_unit",
    point_weight: float = 1,
    subjects: Iterable[str] | None = None,
    raters: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> BorisKappa:
    """Cohen's kappa of two observations as BORIS counts, to compare with its numbers.

    For new work use `time_kappa`: here the result depends on the time unit and on where the first
    event happens to lie.

    Parameters
    ----------
    units : Units
        Raters are observations, tiers are subjects, labels are behaviours; units without a length
        are point events.
    unit : float
        Distance of the instants of mode "time_unit".
    mode : {"time_unit", "unweighted", "weighted"}
        Instants from the first event to the last, states closed at both ends, point events on for
        half a unit to either side, one tally for each subject; or, as in the plug-ins of 2026, one
        tally for each stretch between changes (or its length), and one for each instant with a
        point event.
    point_weight : float
        Weight of such an instant in mode "weighted".
    subjects : names, optional
        All subjects that were observed; also those without events.
    raters : two names, optional
    confidence_level, n_resamples, rng
        Of the interval, from resampling sessions; BORIS has none.

    Returns
    -------
    BorisKappa

    Raises
    ------
    InputError
        An unknown word, rater or subject, or an impossible unit.
    UnsupportedDesignError
        Not two raters, or no session with events of either.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("o1", "sit", 0, 4), ("o1", "run", 5, 9), ("o2", "sit", 0, 3), ("o2", "run", 4, 9)])
    >>> round(boris_kappa(units).kappa, 3)
    0.8
    """
    check_word("mode", mode, MODES)
    step = check_time(unit, "unit", zero="refused")
    weight = check_time(point_weight, "point_weight", zero="allowed")
    who, seen = _checked(units, raters, subjects)
    known, names = who.units, who.raters
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    tallies: list[Tally] = []
    for marked in marked_sessions(who, seen, step):
        if mode == "time_unit":
            tallies.append(instant_tally(marked, len(seen)))
        else:
            tallies.append(stretch_tally(marked, weight if mode == "weighted" else None))
    states, table, parts = _summed(tallies)
    counts = unit_counts(known, names, who.dropped)
    return BorisKappa(
        raters=check_pair(names),
        mode=mode,
        unit=step if mode == "time_unit" else None,
        point_weight=None if mode == "time_unit" else weight if mode == "weighted" else 1.0,
        total=float(table.sum()),
        states=tuple(states),
        table=table,
        subjects=seen,
        sessions=who.sessions,
        n_units=unit_totals(counts),
        units_by_session=counts,
        findings=(
            *note_findings(known),
            *dropped_findings(who.dropped, advice=""),
            *((_AS_BORIS,) if mode == "time_unit" else ()),
        ),
        **sampled_kappa(parts, draws, _ONE_STATE),
    )


_ONE_STATE = "chance agreement is 1: both show one and the same state (BORIS prints 1 here)"
_AS_BORIS = Finding(
    "as_boris",
    "info",
    "States are closed at both ends and time before the first and after the last event is left "
    "out, as in BORIS; kappa then depends on the time unit and on the first event.",
    "Use time_kappa to judge agreement.",
)


def boris_identity(
    units: Units,
    *,
    unit: float = 1,
    subjects: Iterable[str] | None = None,
    raters: Sequence[str] | None = None,
) -> BorisIdentity:
    """Needleman-Wunsch identity of two observations as BORIS computes it.

    What all subjects do at instants from the first event to the last onset is one sequence for
    each observation; the sequences are aligned with match 1, mismatch -1 and gap -1.

    Parameters
    ----------
    units, unit, subjects, raters
        As in `boris_kappa`.

    Returns
    -------
    BorisIdentity

    Raises
    ------
    InputError
        An unknown rater or subject, or an impossible unit.
    UnsupportedDesignError
        Not two raters, no events, or sequences too long to align.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("o1", "sit", 0, 4), ("o1", "run", 5, 9), ("o2", "sit", 0, 3), ("o2", "run", 4, 9)])
    >>> round(boris_identity(units).identity, 2)
    83.33
    """
    step = check_time(unit, "unit", zero="refused")
    who, seen = _checked(units, raters, subjects)
    known, names = who.units, who.raters
    found: dict[str, float] = {}
    matches = columns = score = 0
    for name, marked in zip(who.sessions, marked_sessions(who, seen, step), strict=True):
        coded, n_codes = state_sequences(marked)
        # 1, -1, -1 as costs: a code is worth 1/2, so match 0, mismatch 2, gap 1.5. Tracing from
        # the end is tracing the reversed sequences from the start.
        costs = 2.0 * (1.0 - np.eye(n_codes))
        path = global_path(coded[0][::-1], coded[1][::-1], costs, 1.5)
        linked = (path.first >= 0) & (path.second >= 0)
        same = coded[0][::-1][path.first[linked]] == coded[1][::-1][path.second[linked]]
        matches += int(same.sum())
        columns += len(path.first)
        score += 2 * int(same.sum()) - len(path.first)
        found[name] = 100.0 * int(same.sum()) / len(path.first)
    return BorisIdentity(
        raters=check_pair(names),
        unit=step,
        identity=100.0 * matches / columns,
        n_matches=matches,
        n_columns=columns,
        score=score,
        subjects=seen,
        by_session=found,
        findings=(*note_findings(known), *dropped_findings(who.dropped, advice="")),
        units_by_session=unit_counts(known, names, who.dropped),
    )


def _summed(tallies: Sequence[Tally]) -> tuple[list[State], Floats, Floats]:
    """Return the states, the table, and each session's agreement and margins."""
    states = sorted({state for tally in tallies for pair in tally for state in pair}, key=named)
    place = {state: k for k, state in enumerate(states)}
    table = np.zeros((len(states), len(states)))
    parts = np.zeros((len(tallies), 3, len(states)))
    for part, tally in zip(parts, tallies, strict=True):
        for (first, second), n in tally.items():
            a, b = place[first], place[second]
            table[a, b] += n
            part[0, a] += n if a == b else 0.0
            part[1, a] += n
            part[2, b] += n
    return states, table, parts


def _checked(units: Any, raters: Any, subjects: Any) -> tuple[WhoCounts, tuple[str, ...]]:
    known = check_units(units, "kappa as in BORIS")
    names = check_two(known, raters, "kappa as in BORIS")
    seen = known.tiers
    if subjects is not None:
        if isinstance(subjects, str) or not isinstance(subjects, Iterable):
            raise InputError.expected("subjects", "a list of names", subjects, "such as ['cat']")
        seen = tuple(dict.fromkeys(map(str, subjects)))
        inside = [tier for tier in known.tiers if tier in seen]
        if not inside:
            raise InputError.unknown_word("a subject", seen[0] if seen else "", known.tiers)
        known = known.select(tiers=inside)
    return who_counts(known, names, "kappa as in BORIS", absent="drop"), seen
