"""How often a judge that has not changed is said to have fallen, however often one looks."""

from __future__ import annotations

import numpy as np

from consilience.judges.control_chart import floor_of, has_fallen

LEVEL = 0.95


def false_alarms(
    studies: int, looks: int, *, told: bool, seed: int, rate: float = 0.85, size: int = 20
) -> float:
    """Return the share of streams without a change in which an alarm is raised at some look."""
    rng = np.random.default_rng(seed)
    alarms = 0
    for _ in range(studies):
        right = rng.binomial(size, rate, looks + 1).tolist()
        batches = [[int(x), size] for x in right]
        _, floor, error = floor_of(batches[0], rate if told else None, LEVEL)
        watched = batches[1:]
        alarms += any(has_fallen(watched[: k + 1], floor, error) for k in range(looks))
    return alarms / studies
