"""Angelopoulos et al. (2023), Prediction-powered inference; PPI++ (arXiv 2311.01453).

The public example `support_eval` of truescore (Apache-2.0) has 4,000 verdicts, 600 of them with a
person's label; here are its counts. ppi-python 0.2.3 (MIT) gives .71505 [.68373, .74638] for it.
"""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience import judges

# (person, judge): items; the person is None where nobody was asked.
SUPPORT_EVAL = {
    ("fail", "fail"): 79,
    ("fail", "pass"): 90,
    ("pass", "fail"): 15,
    ("pass", "pass"): 416,
    (None, "fail"): 553,
    (None, "pass"): 2847,
}
PRINTED = 5e-6  # five decimals


def rated(counts: dict[tuple[str | None, str], int]) -> cs.Ratings:
    pairs = [pair for pair, n in counts.items() for _ in range(n)]
    people, verdicts = zip(*pairs, strict=True)
    return cs.Ratings.from_wide({"person": list(people), "gpt-4o": list(verdicts)})


def test_ppi_plus_plus_on_support_eval() -> None:
    found = judges.corrected_rate(rated(SUPPORT_EVAL), "pass", judge="gpt-4o", method="ppi++")
    assert found.n_verdicts == 4000
    assert found.n_labels == 600
    interval = found.confidence_interval()
    numbers = (found.value, interval.low, interval.high)
    assert numbers == pytest.approx((0.71505, 0.68373, 0.74638), abs=PRINTED)


def test_the_default_says_the_same_and_is_as_sure() -> None:
    both = rated(SUPPORT_EVAL)
    found = judges.corrected_rate(both, "pass", judge="gpt-4o")
    tuned = judges.corrected_rate(both, "pass", judge="gpt-4o", method="ppi++")
    assert found.method == "double-sampling"
    assert found.value == pytest.approx(tuned.value, abs=2e-3)
    assert found.standard_error == pytest.approx(tuned.standard_error, rel=0.01)


def test_plain_ppi_takes_the_judge_at_its_word() -> None:
    found = judges.corrected_rate(rated(SUPPORT_EVAL), "pass", judge="gpt-4o", method="ppi")
    # mean of the verdicts without a label, plus people minus judge on the others
    assert found.value == pytest.approx(2847 / 3400 + (431 - 506) / 600)
    assert found.about["lambda"] == 1.0


@pytest.mark.parametrize("seed", range(3))
def test_means_equal_those_of_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, 400)
    judged = np.clip(truth + rng.integers(-1, 3, 400), 1, 5)
    own = [int(x) if k < 80 else None for k, x in enumerate(truth)]
    both = cs.Ratings.from_wide({"Ann": own, "gpt-4o": judged.tolist()}, scale="interval")
    found = judges.corrected_mean(both, judge="gpt-4o")
    y, f, rest = truth[:80].astype(float), judged[:80].astype(float), judged[80:].astype(float)
    spread = np.concatenate([f, rest]).var(ddof=1)
    lam = np.clip(np.mean((y - y.mean()) * (f - f.mean())) / ((1 + 80 / 320) * spread), 0, 1)
    assert found.value == pytest.approx(lam * rest.mean() + (y - lam * f).mean())
    error = np.sqrt((y - lam * f).var() / 80 + lam**2 * rest.var() / 320)
    assert found.standard_error == pytest.approx(error)
