"""What a cause is before it is told: where it was found, what it costs, how it is taken away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from consilience.core.registry import BY_CLASS, Registry, registered_in
from consilience.diagnosis._table import RatingTable

LEAST_GAIN = 0.05


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A cause that was found in a table: alpha rises by `gain` where it is taken away.

    `raters` are columns, `labels` codes, `items` rows of the table; `remedied` makes the table
    without the cause, and `facts` are for the sentence.
    """

    code: str
    gain: float
    remedied: Callable[[], RatingTable]
    raters: tuple[int, ...] = ()
    labels: tuple[int, ...] = ()
    items: tuple[int, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    score: float = 0.0  # by which causes that look at stretches of items are compared


class CauseSearch(Protocol):
    """A search for one kind of cause.

    `place` says in which order causes that gain about as much are believed: the cheapest first.
    """

    name: str
    place: int
    share: float  # of the largest gain that is enough to win

    def find(self, table: RatingTable) -> Candidate | None:
        """Return what was found, if it gains enough and more than in data without the cause."""
        ...


CAUSES: Registry[CauseSearch] = Registry(
    "cause",
    group="causes",
    homes=registered_in("consilience.diagnosis", name=BY_CLASS),
)


def register(search: type[Any]) -> type[Any]:
    """Look for a cause in every diagnosis.

    Parameters
    ----------
    search : class with a name, a place, a share and a method `find`

    Returns
    -------
    class
        The same one.

    Examples
    --------
    >>> with CAUSES.as_before():
    ...     @register
    ...     class Never:
    ...         name, place, share = "never", 12, 1.0
    ...         def find(self, table):
    ...             return None
    ...     "never" in CAUSES
    True
    """
    CAUSES.add(search())
    return search


def searches() -> list[CauseSearch]:
    """Return all searches, those that are believed first in front."""
    return sorted(CAUSES.values(), key=lambda one: one.place)
