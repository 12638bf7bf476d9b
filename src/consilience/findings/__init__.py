"""Coded advice: why a number is what it is, and what not to conclude from it.

A finding is a function that looks at a `Study`, ratings with their estimates; `register` makes it
known.
"""

from __future__ import annotations

from consilience.core.answers import answering
from consilience.document import Finding, Severity
from consilience.findings import (
    _copies,
    _design,
    _label_confusion,
    _missing,
    _prevalence,
    _rater_apart,
    _rater_bias,
    _scale,
    _threshold_straddled,
    _too_few,
    _unused,
)
from consilience.findings._checks_registry import checks, find, from_note, register
from consilience.findings._recommend import Recommendation, recommend
from consilience.findings._study import Study

__all__ = [
    "Finding",
    "Recommendation",
    "Severity",
    "Study",
    "checks",
    "find",
    "from_note",
    "recommend",
    "register",
]

answering(globals(), __all__)

# Importing a file registers its findings.
_REGISTERED = (
    _copies,
    _design,
    _label_confusion,
    _missing,
    _prevalence,
    _rater_apart,
    _rater_bias,
    _scale,
    _threshold_straddled,
    _too_few,
    _unused,
)
