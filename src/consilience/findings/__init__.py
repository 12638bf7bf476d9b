"""Coded advice: why a number is what it is, and what not to conclude from it.

A finding is one file with a function that looks at ratings and their estimates; `register` makes
it known.
"""

from __future__ import annotations

from consilience.document import Finding, Severity
from consilience.findings import _rater_bias, _threshold
from consilience.findings._base import find, from_note, register

__all__ = ["Finding", "Severity", "find", "from_note", "register"]

# Importing a file registers its finding.
_REGISTERED = (_rater_bias, _threshold)
