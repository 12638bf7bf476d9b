"""The registry of what is looked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from consilience.coefficients import Estimate
from consilience.core.registry import BY_FUNCTION, Registry, registered_in
from consilience.document import Finding
from consilience.findings._study import Study
from consilience.ratings import Note, Ratings

_INFO_CODES = frozenset(("repeated_ratings",))

_GRAVITY = ("problem", "caution", "info")

Check = Callable[[Study], Finding | None]
CHECKS: Registry[Check] = Registry(
    "finding",
    group="findings",
    # By file, then by name: in this order findings of one gravity are told.
    homes=dict(
        sorted(
            registered_in("consilience.findings", name=BY_FUNCTION).items(),
            key=lambda one: one[::-1],
        )
    ),
)
_SCALE_FREE: set[Check] = set()


def register(check: Check) -> Check:
    """Look for this finding whenever ratings are measured.

    Parameters
    ----------
    check : function of a Study
        Returns a Finding, or None where there is nothing to say.

    Returns
    -------
    function
        The same one.

    Examples
    --------
    >>> with CHECKS.as_before():
    ...     @register
    ...     def never(study):
    ...         return None
    ...     "never" in [check.__name__ for check in checks()]
    True
    """
    return CHECKS.add(check)


def scale_free(check: Check) -> Check:
    """Say that a finding holds whatever the scale is; the others wait until the scale is told."""
    _SCALE_FREE.add(check)
    return check


def checks() -> tuple[Check, ...]:
    """Return everything that is looked for.

    Returns
    -------
    tuple of functions of a Study

    Examples
    --------
    >>> len(checks()) > 10
    True
    """
    return tuple(CHECKS.values())


def from_note(note: Note) -> Finding:
    """Turn what the ratings noted into a finding.

    Parameters
    ----------
    note : Note

    Returns
    -------
    Finding

    Examples
    --------
    >>> from_note(Note("repeated_ratings", "Some raters rated twice.")).severity
    'info'
    """
    return Finding(note.code, "info" if note.code in _INFO_CODES else "caution", note.message)


def find(
    ratings: Ratings,
    estimates: Sequence[Estimate],
    confidence_level: float = 0.95,
    *,
    distance: Any = None,
) -> list[Finding]:
    """Return what the ratings themselves noted, then what the checks find, the gravest first.

    Parameters
    ----------
    ratings : Ratings
    estimates : sequence of Estimate
        What was measured of them.
    confidence_level : float, default 0.95
    distance : str, Distance or callable, optional
        With which they were measured; default the one that fits the scale.

    Returns
    -------
    list of Finding

    Examples
    --------
    >>> from consilience import scott_pi
    >>> ratings = Ratings.from_wide([["a", "a"], ["b", "b"], ["a", "b"]])
    >>> [one.code for one in find(ratings, [scott_pi(ratings)])]
    ['straddles_threshold', 'too_few_items']
    """
    return find_in(Study(ratings, tuple(estimates), confidence_level, distance))


def find_in(study: Study) -> list[Finding]:
    """Return what the ratings of a study noted, then what the checks find, the gravest first.

    Parameters
    ----------
    study : Study

    Returns
    -------
    list of Finding

    Examples
    --------
    >>> find_in(Study(Ratings.from_wide([["a", "a"], ["b", "b"], ["a", "b"]])))
    []
    """
    ratings = study.ratings
    looked_for = [one for one in checks() if one in _SCALE_FREE or not ratings.scale_undecided]
    found = [finding for check in looked_for if (finding := check(study)) is not None]
    found.sort(key=lambda finding: _GRAVITY.index(finding.severity))
    return [from_note(note) for note in ratings.notes] + found
