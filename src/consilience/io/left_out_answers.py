"""What a reader left out, as a finding for whoever compares judges."""

from __future__ import annotations

from consilience.document import Finding
from consilience.io._reading import Reading


def answers_left_out(reading: Reading) -> Finding | None:
    """Return the finding that answers were left out while a file was read; None if none were.

    Refusals are counted by judge only if they are named.
    """
    left_out = (reading.states or {}).get("excluded") or {}
    if not left_out:
        return None
    listed = ", ".join(f"{reason} {n:,}" for reason, n in left_out.items())
    return Finding(
        "answers_left_out",
        "caution",
        f"{sum(left_out.values()):,} answers were left out when the file was read ({listed}). "
        "Name such labels with --refusal to count them for each judge.",
    )
