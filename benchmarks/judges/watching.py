"""How often a judge that has not changed is said to have fallen, however often one looks."""

from __future__ import annotations

import numpy as np

from consilience.judges.watch import watched_counts


def false_alarms(
    studies: int, looks: int, *, told: bool, seed: int, rate: float = 0.85, size: int = 20
) -> float:
    """Return the share of streams without a change in which an alarm is raised at some look."""
    rng = np.random.default_rng(seed)
    alarms = 0
    for _ in range(studies):
        right = rng.binomial(size, rate, looks + 1)
        counts = {str(k): [int(x), size] for k, x in enumerate(right)}
        found = watched_counts("judge", (), counts, rate if told else None, 0.95)
        alarms += found.alarm_at is not None
    return alarms / studies
