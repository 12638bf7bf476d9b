"""The unitizing alphas against their definitions, instant by instant, and what they refuse."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest

from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units import Units, alpha_u, unitizing_alpha

ROUNDING = 1e-9


def random_rows(rng: np.random.Generator, n_raters: int, length: int, session: str = "s") -> Any:
    rows = []
    for rater in range(n_raters):
        cuts = np.sort(rng.choice(np.arange(length + 1), size=2 * int(rng.integers(1, 5))))
        cuts = np.unique(cuts)
        for a, b in itertools.pairwise(cuts):
            if rng.random() < 0.65:
                rows.append((f"r{rater}", int(rng.integers(1, 4)), int(a), int(b), session))
    return rows


def by_instants(rows: Any, n_raters: int, length: int, metric: Any = None) -> dict[str, float]:
    """Count instants of length one, straight from the definitions."""
    value = np.zeros((n_raters, length), dtype=int)
    for rater, label, a, b, _ in rows:
        value[int(rater[1:]), a:b] = label
    n = 4
    together = np.zeros((n, n))
    for i in range(n_raters):
        for j in range(n_raters):
            if i != j:
                np.add.at(together, (value[i], value[j]), 1.0 / (n_raters - 1))
    total = together.sum(axis=1)
    whole = total.sum()
    s_c, q_c = np.zeros(n), np.zeros(n)
    s_c[0] = total[0]
    for rater, label, a, b, _ in rows:
        s_c[label] += (b - a) ** 2
        for j in range(n_raters):
            if j != int(rater[1:]):
                q_c[label] += (value[j, a:b] > 0).sum() ** 2 / (n_raters - 1)
    e = whole * (np.outer(total, total) - np.diag(s_c)) / (whole**2 - s_c.sum())
    out = {"u": 1 - (whole - np.trace(together)) / (whole - np.trace(e))}
    out["binary"] = 1 - (total[0] - together[0, 0]) / (e[0].sum() - e[0, 0])
    valued, q = together[1:, 1:], q_c[1:]
    own = valued.sum(axis=1)
    e = (np.outer(own, own) - np.diag(q)) / (own.sum() - q.sum() / own.sum())
    d = 1.0 - np.eye(3) if metric is None else metric
    out["cu"] = 1 - (d * valued).sum() / (d * e).sum()
    e_k = e.sum(axis=1)
    for k in range(3):
        ratio = (own[k] - valued[k, k]) / (e_k[k] - e[k, k])
        out[f"k{k + 1}"] = 1 - e_k[k] / own[k] * ratio
    out["coverage"] = own.sum() / whole
    return out


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_sweeps_equal_sums_over_instants(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_raters = 2 + seed % 3
    rows = random_rows(rng, n_raters, 40)
    names = [f"r{r}" for r in range(n_raters)]
    units = Units.from_records(rows, bounds=(0, 40), raters=names, labels=[1, 2, 3])
    wanted = by_instants(rows, n_raters, 40)
    found = unitizing_alpha(units)
    got = {"u": found.u.value, "binary": found.binary.value, "cu": found.cu.value}
    got |= {f"k{k}": part.value for k, part in found.by_category.items()}
    for name, value in got.items():
        if math.isfinite(wanted[name]):
            assert value == pytest.approx(wanted[name], abs=ROUNDING), name
        else:
            assert math.isnan(value), name
    assert found.cu.coverage == pytest.approx(wanted["coverage"])
    squared = np.square(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
    wanted = by_instants(rows, n_raters, 40, squared)
    interval = unitizing_alpha(units, distance="interval").cu.value
    assert interval == pytest.approx(wanted["cu"], abs=ROUNDING, nan_ok=True)


def test_the_order_of_raters_does_not_matter() -> None:
    rows = random_rows(np.random.default_rng(3), 3, 60)
    units = Units.from_records(rows, bounds=(0, 60))
    turned = units.select(raters=units.raters[::-1])
    assert unitizing_alpha(turned).u.value == unitizing_alpha(units).u.value
    assert unitizing_alpha(turned).cu.value == unitizing_alpha(units).cu.value
    assert alpha_u(turned).value == alpha_u(units).value


def test_shifting_time_changes_nothing_and_rescaling_does() -> None:
    rows = random_rows(np.random.default_rng(4), 2, 60)
    units = Units.from_records(rows, bounds=(0, 60))
    shifted = [(r, k, a + 1000, b + 1000, s) for r, k, a, b, s in rows]
    scaled = [(r, k, a * 10, b * 10, s) for r, k, a, b, s in rows]
    base = unitizing_alpha(units).u.value
    assert unitizing_alpha(Units.from_records(shifted, bounds=(1000, 1060))).u.value == base
    tenths = Units.from_records(scaled, bounds=(0, 600))
    assert unitizing_alpha(tenths).u.value != base
    assert unitizing_alpha(tenths, unit_length=10).u.value == pytest.approx(base, abs=ROUNDING)


def test_whole_times_of_any_size_are_summed_exactly() -> None:
    rows = random_rows(np.random.default_rng(5), 3, 60)
    big = 10**12
    units = Units.from_records(
        [(r, k, a * big, b * big, s) for r, k, a, b, s in rows], bounds=(0, 60 * big)
    )
    small = Units.from_records(rows, bounds=(0, 60))
    # The labels where units intersect do not depend on the unit of time.
    assert unitizing_alpha(units).cu.value == pytest.approx(
        unitizing_alpha(small).cu.value, abs=1e-14
    )


def test_full_agreement_is_one() -> None:
    rows = [(r, k, a, b) for r in "ab" for k, a, b in (("x", 0, 5), ("y", 8, 12))]
    found = unitizing_alpha(Units.from_records(rows, bounds=(0, 20)))
    assert [found.u.value, found.binary.value, found.cu.value] == [1.0, 1.0, 1.0]
    assert alpha_u(Units.from_records(rows, bounds=(0, 20))).value == 1.0


def test_undefined_values_say_why() -> None:
    no_gap = Units.from_records([("a", "x", 0, 9), ("a", "y", 9, 20), ("b", "x", 0, 20)])
    assert "gap" in (unitizing_alpha(no_gap).binary.reason or "")
    one = Units.from_records([("a", "x", 0, 9), ("b", "x", 5, 20)])
    assert "one category" in (unitizing_alpha(one).cu.reason or "")
    apart = Units.from_records([("a", "x", 0, 9), ("b", "y", 9, 20)])
    assert "intersect" in (unitizing_alpha(apart).cu.reason or "")
    assert unitizing_alpha(apart).u.value < 0
    points = Units.from_records([("a", "x", 3, 3), ("b", "x", 5, 5)], bounds=(0, 10))
    assert unitizing_alpha(points).u.status == "undefined"
    assert "points_left_out" in {f.code for f in unitizing_alpha(points).findings}
    assert alpha_u(points).status == "undefined"


def test_sessions_are_laid_end_to_end_and_give_an_interval() -> None:
    rng = np.random.default_rng(6)
    parts = [random_rows(rng, 2, 50, f"s{k}") for k in range(9)]
    units = Units.from_records([row for part in parts for row in part], bounds=(0, 50))
    joined = [
        (r, k, a + 50 * n, b + 50 * n, "one")
        for n, part in enumerate(parts)
        for r, k, a, b, _ in part
    ]
    whole = unitizing_alpha(Units.from_records(joined, bounds=(0, 450)))
    found = unitizing_alpha(units, absent="count")
    assert found.u.value == whole.u.value
    assert found.cu.value == whole.cu.value
    for part in (found.u, found.binary, found.cu):
        assert part.interval.low < part.value < part.interval.high
    assert math.isnan(whole.u.interval.low)
    assert unitizing_alpha(units, rng=3).to_dict() == unitizing_alpha(units, rng=3).to_dict()
    ordinal = unitizing_alpha(units, distance="ordinal", absent="count").cu
    assert ordinal.interval.low < ordinal.value < ordinal.interval.high


def test_results_are_plain_data_and_readable() -> None:
    units = Units.from_records(
        [("a", "x", 0, 9), ("b", "y", 5, 20)], time_unit="ms", bounds=(0, 30)
    )
    found = unitizing_alpha(units)
    assert json.loads(json.dumps(found.to_dict()))["parameters"]["time_unit"] == "ms"
    assert "ms" in str(found)
    assert json.loads(json.dumps(alpha_u(units).to_dict()))["estimates"][0]["category"] is None
    assert "1995" in str(alpha_u(units))


@pytest.mark.parametrize("method", [unitizing_alpha, alpha_u])
def test_bad_designs_are_refused(method: Any) -> None:
    with pytest.raises(InputError, match="Units"):
        method([1, 2])
    with pytest.raises(UnsupportedDesignError, match="two raters"):
        method(Units.from_records([("a", "x", 0, 10)]))
    with pytest.raises(UnsupportedDesignError, match="at least one unit"):
        method(Units.from_columns(start=[], end=[], label=[], rater=[], raters=["a", "b"]))
    clash = Units.from_records([("a", "x", 0, 10), ("a", "x", 8, 12), ("b", "x", 0, 10)])
    with pytest.raises(UnsupportedDesignError, match=r"do not overlap.*0-10 and 'x' 8-12 of 'a'"):
        method(clash)
    with pytest.raises(InputError, match="absent"):
        method(clash, absent="no")


def test_overlap_of_categories_is_allowed_in_the_older_alpha_only() -> None:
    units = Units.from_records([("a", "x", 0, 10), ("a", "y", 8, 12), ("b", "x", 0, 10)])
    assert math.isfinite(alpha_u(units).value)
    with pytest.raises(UnsupportedDesignError, match="do not overlap"):
        unitizing_alpha(units)
    with pytest.raises(InputError, match="whole"):
        alpha_u(Units.from_records([("a", "x", 0, 1.5), ("b", "x", 0, 1)]))


@pytest.mark.parametrize(
    "options",
    [
        {"distance": "nomnal"},
        {"distance": "interval"},
        {"unit_length": 0},
        {"unit_length": "s"},
        {"confidence_level": 95},
        {"n_resamples": 0},
        {"rng": "x"},
        {"categories": ["x"]},
    ],
)
def test_bad_options_are_refused(options: dict[str, Any]) -> None:
    units = Units.from_records([("a", "x", 0, 9), ("b", "y", 5, 20)])
    with pytest.raises(InputError):
        unitizing_alpha(units, **options)
