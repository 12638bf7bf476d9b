"""The registry of what is looked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from consilience.coefficients import Estimate
from consilience.document import Finding
from consilience.findings._study import Study
from consilience.ratings import Note, Ratings

_INFO_CODES = frozenset(("repeated_ratings",))

_GRAVITY = ("problem", "caution", "info")

Check = Callable[[Study], Finding | None]
_CHECKS: list[Check] = []


def register(check: Check) -> Check:
    """Look for this finding whenever ratings are measured."""
    _CHECKS.append(check)
    return check


def checks() -> tuple[Check, ...]:
    """Return everything that is looked for."""
    return tuple(_CHECKS)


def from_note(note: Note) -> Finding:
    """Turn what the ratings noted into a finding."""
    return Finding(note.code, "info" if note.code in _INFO_CODES else "caution", note.message)


def find(
    ratings: Ratings, estimates: Sequence[Estimate], confidence_level: float = 0.95
) -> list[Finding]:
    """Return what the ratings themselves noted, then what the checks find, the gravest first."""
    study = Study(ratings, tuple(estimates), confidence_level)
    found = [finding for check in _CHECKS if (finding := check(study)) is not None]
    found.sort(key=lambda finding: _GRAVITY.index(finding.severity))
    return [from_note(note) for note in ratings.notes] + found
