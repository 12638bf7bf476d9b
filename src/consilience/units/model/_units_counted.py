"""What went into a result: units of each rater in each session, and sessions that were left out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.core.result import Result
from consilience.core.words import counted, interval_head, sentence
from consilience.document import Finding
from consilience.inference import Interval

if TYPE_CHECKING:
    from consilience.units.model.units import Units

Counts = Mapping[str, Mapping[str, int]]
_SHOWN = 5
_ABSENT = 'If the rater did see what was left out and marked nothing, pass absent="count".'


@dataclass(frozen=True, kw_only=True)
class Accounted(Result):
    """A result that says how many units of each rater it used in each session."""

    units_by_session: Counts = field(default_factory=dict, repr=False)


def unit_counts(
    units: Units,
    raters: Sequence[str] | None = None,
    dropped: Iterable[tuple[str, str]] = (),
) -> dict[str, dict[str, int]]:
    """Return how many units each rater has in each session that counts."""
    whole = units
    if units.span is not None:  # the fragments of a unit are counted once
        first = np.unique(units.span, return_index=True)[1]
        columns = ("start", "end", "label", "rater", "session", "tier")
        some = {name: getattr(units, name)[first] for name in columns}
        whole = replace(units, span=None, **some)
    names = list(units.raters if raters is None else raters)
    table = whole.counts()[[units.raters.index(name) for name in names]].T.tolist()
    away = {name for name, _ in dropped}
    return {
        session: dict(zip(names, row, strict=True))
        for session, row in zip(units.sessions, table, strict=True)
        if session not in away
    }


def said_units(counts: Counts) -> str:
    """Return a phrase: 18 units by Ann and 17 by Bob in 3 sessions."""
    if not counts:
        return ""
    names = list(next(iter(counts.values())))
    totals = {name: sum(row[name] for row in counts.values()) for name in names}
    parts = [f"{n:,} by {name}" for name, n in totals.items()]
    listed = ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]
    return f"Units: {listed}, in {counted(len(counts), 'session')}."


def dropped_findings(
    dropped: Sequence[tuple[str, str]], *, advice: str = _ABSENT
) -> tuple[Finding, ...]:
    """Report the sessions that were left out, and why."""
    if not dropped:
        return ()
    listed = "; ".join(f"{name}: {why}" for name, why in dropped[:_SHOWN])
    more = f"; and {len(dropped) - _SHOWN:,} more" if len(dropped) > _SHOWN else ""
    message = f"{counted(len(dropped), 'session')} left out ({listed}{more})."
    return (Finding("sessions_dropped", "caution", message, advice),)


def said_interval(interval: Interval) -> str:
    """Return the interval as a sentence, or why there is none."""
    if math.isfinite(interval.low):
        head = interval_head(interval.confidence_level)
        return f"{head} over sessions: {interval.low:.3f} to {interval.high:.3f}."
    return sentence(interval.note)
