"""Size and power of judges_err_together, and coverage of the effective number of judges."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import consilience as cs
from consilience.judges import effective_judges, effective_number
from consilience.judges.shared_errors import LEVEL as SHARED_LEVEL
from consilience.judges.shared_errors import independence_p

LEVEL = 0.95


@dataclass(frozen=True)
class PanelDesign:
    """Judges who err at a rate, and copy a shared slip in a share of the items."""

    judges: int
    items: int
    errors: float
    shared: float


def drawn(design: PanelDesign, rng: np.random.Generator) -> cs.Ratings:
    """Draw right labels and the judges' verdicts; errors correlate by `shared`."""
    truth = rng.random(design.items) < 0.4
    slip = rng.random(design.items) < design.errors
    own = rng.random((design.items, design.judges)) < design.errors
    copies = rng.random((design.items, design.judges)) < math.sqrt(design.shared)
    wrong = np.where(copies, slip[:, None], own)
    said = truth[:, None] ^ wrong
    codes = np.column_stack([truth, said]).astype(np.int64)
    item, rater = np.indices(codes.shape)
    return cs.Ratings.from_codes(
        item=item.ravel(), rater=rater.ravel(), label=codes.ravel(),
        items=list(range(design.items)),
        raters=["gold", *(f"judge-{k}" for k in range(design.judges))],
        categories=["no", "yes"], scale="nominal", declared=False,
    )  # fmt: skip


def panel_outcome(design: PanelDesign, studies: int, seed: int) -> tuple[float, float]:
    """Return how often the finding fires, and how often the interval holds the true number."""
    rng = np.random.default_rng(seed)
    true = effective_number(design.judges, design.shared)
    fired = held = known = 0
    for _ in range(studies):
        found = effective_judges(drawn(design, rng), gold="gold", judges="judge-*", rng=1)
        fired += any(one.code == "judges_err_together" for one in found.findings)
        if found.status == "ok":
            interval = found.confidence_interval(LEVEL)
            known += 1
            held += interval.low <= true <= interval.high
    return fired / studies, held / max(known, 1)


def false_accusations(design: PanelDesign, studies: int, seed: int) -> float:
    """Return how often independent judges are said to err together, by the test alone."""
    rng = np.random.default_rng(seed)
    fired = 0
    for k in range(studies):
        truth = (rng.random(design.items) < 0.4).astype(np.int64)
        wrong = (rng.random((design.items, design.judges)) < design.errors).astype(np.float64)
        fired += independence_p(wrong, truth, rng=k) < SHARED_LEVEL
    return fired / studies
