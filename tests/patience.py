"""How long a test waits for what must happen: an end to a hang, and never a measure of speed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

# In seconds; CONSILIENCE_PATIENCE=1200 is for a machine that is busier still.
PATIENCE = float(os.environ.get("CONSILIENCE_PATIENCE", "300"))


def patient(context: Any) -> Any:
    """Let a window of a browser wait as long."""
    context.set_default_timeout(1_000 * PATIENCE)
    return context


def until(happens: Callable[[], object], what: str, look_every: float = 0.02) -> None:
    """Wait until something has happened; fail with `what` if it never does."""
    end = time.monotonic() + PATIENCE
    while not happens():
        if time.monotonic() > end:
            raise AssertionError(f"it did not happen in {PATIENCE:.0f} seconds: {what}")
        time.sleep(look_every)
