"""What a finding is, and the registry of what is looked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from consilience.coefficients import Estimate
from consilience.document import Finding
from consilience.ratings import Note, Ratings

_INFO_CODES = frozenset(("repeated_ratings",))

Check = Callable[[Ratings, Sequence[Estimate], float], Finding | None]
_CHECKS: list[Check] = []


def from_note(note: Note) -> Finding:
    """Turn what the ratings noted into a finding."""
    return Finding(note.code, "info" if note.code in _INFO_CODES else "caution", note.message)


def register(check: Check) -> Check:
    """Look for this finding whenever ratings are measured."""
    _CHECKS.append(check)
    return check


def find(
    ratings: Ratings, estimates: Sequence[Estimate], confidence_level: float = 0.95
) -> list[Finding]:
    """Return what the ratings themselves noted, then what the registered checks find."""
    found = [from_note(note) for note in ratings.notes]
    for check in _CHECKS:
        finding = check(ratings, estimates, confidence_level)
        if finding is not None:
            found.append(finding)
    return found
