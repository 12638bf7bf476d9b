"""Coded advice: why a number is what it is, and what not to conclude from it.

A finding is a function that looks at a `Study`, ratings with their estimates; `register` makes it
known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.document import Finding as Finding
    from consilience.findings._recommend import Recommendation as Recommendation
    from consilience.findings._recommend import recommend as recommend
    from consilience.findings._study import Study as Study
    from consilience.findings._study import checks as checks
    from consilience.findings._study import find as find
    from consilience.findings._study import find_in as find_in
    from consilience.findings._study import from_note as from_note
    from consilience.findings._study import register as register

MOVED = {"Severity": "it is one of 'info', 'caution' and 'problem'"}

public_names(__name__)
