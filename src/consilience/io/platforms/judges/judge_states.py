"""Why a judge gave no verdict: it refused, nobody could read its answer, or the call failed."""

from __future__ import annotations

import re
from typing import Any

REFUSAL, UNPARSABLE, ERROR = "refusal", "unparsable", "error"
PASS, FAIL = "pass", "fail"
_PARSING = re.compile(
    r"invalid json|could not (?:extract|parse)|unable to parse|failed to parse|cannot parse|"
    r"pars(?:e|ing)[ _]?(?:error|failure|failed)|json ?decode|grade not found|not valid json|"
    r"no (?:score|grade|verdict) found",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"content[ _]?filter|refus(?:al|ed|es)|safety[ _](?:filter|block)|declined to", re.IGNORECASE
)


def reason_of(trouble: object) -> str:
    """Return the state that an error message of a judge stands for; empty where there is none.

    >>> [reason_of(one) for one in ("invalid JSON", "content_filter", "timeout", None)]
    ['unparsable', 'refusal', 'error', '']
    """
    if not trouble:
        return ""
    text = _words(trouble)
    if _PARSING.search(text):
        return UNPARSABLE
    return REFUSAL if _REFUSED.search(text) else ERROR


def passed(value: object) -> str | None:
    """Return pass or fail for true and false; None for anything else."""
    return (PASS if value else FAIL) if isinstance(value, bool) else None


def _words(trouble: Any) -> str:
    if isinstance(trouble, dict):
        return " ".join(str(part) for part in trouble.values())
    return str(trouble)
