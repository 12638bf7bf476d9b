"""Coded advice: why a number is what it is, and what not to conclude from it.

A finding is a function that looks at a `Study`, ratings with their estimates; `register` makes it
known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import imported_later
from consilience.document import Finding, Severity
from consilience.findings._checks_registry import checks, find, find_in, from_note, register
from consilience.findings._study import Study, explained

if TYPE_CHECKING:
    from consilience.findings._recommend import Recommendation, recommend


__all__ = [
    "Finding",
    "Recommendation",
    "Severity",
    "Study",
    "checks",
    "explained",
    "find",
    "find_in",
    "from_note",
    "recommend",
    "register",
]

# Each file is loaded when one of its names is asked for.
__getattr__, __dir__ = imported_later(
    __name__,
    {
        "_recommend": ("Recommendation", "recommend"),
    },
)
