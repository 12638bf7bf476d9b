from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.exceptions import InputError
from consilience.inference import chance as _null
from consilience.inference.chance import ac1_critical_values


def every_study(n_items: int, n_raters: int, n_categories: int) -> dict[Fraction, Fraction]:
    """The exact distribution of AC1 by listing every way to fill the table."""
    items = list(itertools.product(range(n_categories), repeat=n_raters))
    found: Counter[Fraction] = Counter()
    for study in itertools.product(items, repeat=n_items):
        agree = Fraction(0)
        totals = [0] * n_categories
        for item in study:
            pairs = list(itertools.combinations(item, 2))
            agree += Fraction(sum(a == b for a, b in pairs), len(pairs) * n_items)
            for label in item:
                totals[label] += 1
        p_k = [Fraction(total, n_items * n_raters) for total in totals]
        expected = sum((p * (1 - p) for p in p_k), Fraction(0)) / (n_categories - 1)
        found[(agree - expected) / (1 - expected)] += 1
    whole = sum(found.values())
    return {value: Fraction(times, whole) for value, times in found.items()}


@pytest.mark.parametrize(
    ("n_items", "printed"), [(10, 0.615), (20, 0.412), (30, 0.336), (50, 0.244)]
)
def test_critical_values_of_two_raters_and_labels(n_items: int, printed: float) -> None:
    guessing = ac1_critical_values(n_items=n_items, n_raters=2, n_categories=2)
    assert guessing.method == "exact"
    assert guessing[0.95] == pytest.approx(printed, abs=0.0005)


def test_enumeration_lists_every_study() -> None:
    exact = every_study(4, 2, 2)
    guessing = ac1_critical_values(n_items=4, n_raters=2, n_categories=2)
    assert guessing.mean == pytest.approx(float(sum(v * p for v, p in exact.items())))
    for value in exact:
        tail = float(sum(p for v, p in exact.items() if v >= value))
        assert guessing.p_value(float(value)) == pytest.approx(tail)


@pytest.mark.parametrize("splits_are_listed", [True, False])
@pytest.mark.parametrize(("n_items", "n_raters", "n_categories"), [(3, 3, 2), (3, 2, 3)])
def test_simulation_comes_near_the_exact_distribution(
    monkeypatch: Any, n_items: int, n_raters: int, n_categories: int, splits_are_listed: bool
) -> None:
    if not splits_are_listed:
        monkeypatch.setattr(_null, "_MOST_PATTERNS", 0)
        monkeypatch.setattr(_null, "_CELLS", 1000)  # several batches
    exact = every_study(n_items, n_raters, n_categories)
    guessing = ac1_critical_values(
        n_items=n_items, n_raters=n_raters, n_categories=n_categories, n_resamples=2_000, rng=1
    )
    assert guessing.method == "monte-carlo"
    assert guessing.mean == pytest.approx(float(sum(v * p for v, p in exact.items())), abs=0.04)
    for value in exact:
        tail = float(sum(p for v, p in exact.items() if v >= value))
        assert guessing.p_value(float(value)) == pytest.approx(tail, abs=0.05)


@pytest.mark.parametrize("draw", [_null._studies_by_split, _null._studies_by_item])
def test_a_share_of_known_items_is_agreed_on_by_all(draw: Any) -> None:
    """Of four raters and three labels; then two and two, which can be listed."""
    rng = np.random.default_rng(4)
    parts = list(draw(6, 4, 3, 4_000, rng, known=0.4))
    agreement = np.concatenate([agree for agree, _ in parts])
    assert agreement.mean() == pytest.approx(0.4 + 0.6 / 3, abs=0.01)
    # A known item moves the labels by all four ratings at once, a guessed one by each of four.
    squares = np.concatenate([square for _, square in parts])
    assert squares.mean() == pytest.approx(1 / 3 + 2 / 3 * (0.4 + 0.6 / 4) / 6, abs=0.005)
    exact = ac1_critical_values(n_items=8, n_raters=2, n_categories=2, null=0.4)
    pairs = [_null._ac1(*study, 2) for study in draw(8, 2, 2, 4_000, rng, known=0.4)]
    values = np.concatenate(pairs)
    assert values.mean() == pytest.approx(exact.mean, abs=0.02)
    assert values.std() == pytest.approx(exact.standard_deviation, rel=0.05)


def test_the_tail_at_a_critical_value_is_within_its_level() -> None:
    guessing = ac1_critical_values(n_items=25, n_raters=4, n_categories=3, n_resamples=2_000)
    for one in guessing.critical_values:
        assert one.tail <= 1 - one.level + 1e-12
    low, middle, high = (guessing[level] for level in (0.90, 0.95, 0.99))
    assert low <= middle <= high


def test_simulated_p_values_never_are_zero() -> None:
    guessing = ac1_critical_values(n_items=50, n_raters=3, n_categories=3, n_resamples=200)
    assert guessing.p_value(1.0) == pytest.approx(1 / 201)
    assert guessing.p_value(-1.0) == 1.0


def test_the_same_seed_gives_the_same_numbers() -> None:
    design: dict[str, Any] = {"n_items": 12, "n_raters": 3, "n_categories": 4, "n_resamples": 500}
    assert ac1_critical_values(**design, rng=5) == ac1_critical_values(**design, rng=5)
    generator = np.random.default_rng(5)
    assert (
        ac1_critical_values(**design, rng=generator).mean
        != ac1_critical_values(**design, rng=generator).mean
    )


def test_guessing_raters_exceed_the_critical_value_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    guessing = ac1_critical_values(n_items=20, n_raters=3, n_categories=3, n_resamples=20_000)
    values = [
        cs.gwet_ac(cs.Ratings.from_wide(rng.integers(0, 3, (20, 3)), categories=[0, 1, 2])).value
        for _ in range(1_000)
    ]
    share = float(np.mean(np.array(values) >= guessing[0.95] - 1e-12))
    assert share == pytest.approx(guessing.critical_values[1].tail, abs=0.025)


def test_one_item_cannot_show_more_than_guessing() -> None:
    guessing = ac1_critical_values(n_items=1, n_raters=2, n_categories=2)
    assert all(math.isnan(one.value) for one in guessing.critical_values)


def test_other_levels_may_be_asked_for() -> None:
    guessing = ac1_critical_values(n_items=10, n_raters=2, n_categories=2, levels=[0.8])
    assert guessing[0.8] < 0.52
    with pytest.raises(KeyError):
        guessing[0.95]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_items": 0}, "n_items must be a whole number of 1 or more"),
        ({"n_raters": 1}, "n_raters must be a whole number of 2 or more"),
        ({"n_categories": 1.5}, "n_categories must be a whole number of 2 or more"),
        ({"n_resamples": 10}, "n_resamples must be a whole number of 100 or more"),
        ({"levels": [95]}, "confidence_level must be between 0 and 1"),
        ({"rng": -1, "n_raters": 3}, "rng must be"),
    ],
)
def test_bad_input_is_refused(change: dict[str, Any], message: str) -> None:
    design: dict[str, Any] = {"n_items": 10, "n_raters": 2, "n_categories": 2, **change}
    with pytest.raises(InputError, match=message):
        ac1_critical_values(**design)
