"""Gamma: exact alignments, chance, invariances, and what it refuses."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.core.draws import RandomStream
from consilience.distances import matrix
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units import Units, alignment_ratings, best_alignment, gamma
from consilience.units._best_alignment import (
    Continua,
    Dissimilarity,
    TooManyCandidates,
    align,
    best_assignment,
    near_pairs,
    sweep,
)
from consilience.units._continua import Continuum, draw, pivots, samples_needed

ROUNDING = 1e-9


def random_continua(
    rng: np.random.Generator, n_raters: int, most: int, n_labels: int = 3, *, whole: bool = False
) -> Continua:
    counts = rng.integers(0, most + 1, n_raters)
    counts[0] = max(counts[0], 1)
    size = int(counts.sum())
    start = rng.uniform(0, 12, size)
    length = rng.uniform(1, 8, size)
    if whole:
        start, length = np.round(start), np.round(length)
    return Continua(
        start,
        start + length,
        rng.integers(0, n_labels, size),
        np.repeat(np.arange(n_raters), counts),
        np.zeros(size, dtype=np.int64),
        n_raters,
        1,
    )


def least_disorder(units: Continua, d: Dissimilarity) -> float:
    """Try every alignment, unit by unit."""
    n = units.n_units
    i, j = np.meshgrid(np.arange(n), np.arange(n))
    d_ij = d.position_weight * d.positional(units, i.ravel(), j.ravel())
    d_ij = (d_ij + d.category_weight * d.categorical(units, i.ravel(), j.ravel())).reshape(n, n)

    def cost(group: list[int]) -> float:
        pairs = list(itertools.combinations(group, 2))
        return float(sum(d_ij[a, b] for a, b in pairs)) + units.n_pairs - len(pairs)

    def best(unit: int, groups: list[list[int]]) -> float:
        if unit == n:
            return sum(map(cost, groups))
        found = best(unit + 1, [*groups, [unit]])
        for k, group in enumerate(groups):
            if all(units.rater[other] != units.rater[unit] for other in group):
                joined = [*groups[:k], [*group, unit], *groups[k + 1 :]]
                found = min(found, best(unit + 1, joined))
        return found

    return best(0, []) / units.n_pairs / (n / units.n_raters)


@pytest.mark.parametrize(("n_raters", "most"), [(2, 4), (3, 3), (4, 2)])
@pytest.mark.parametrize("seed", range(12))
def test_the_best_alignment_is_the_best_of_all(n_raters: int, most: int, seed: int) -> None:
    rng = np.random.default_rng([n_raters, seed])
    units = random_continua(rng, n_raters, most, whole=seed % 2 == 0)
    for alpha, beta in ((3.0, 1.0), (1.0, 2.0), (0.0, 1.0)):
        d = Dissimilarity(alpha, beta, 1.0 - np.eye(3))
        found = align(units, d)
        assert found.exact.all()
        assert found.disorder(units)[0] == pytest.approx(least_disorder(units, d), abs=ROUNDING)
        members = np.sort(found.member[found.member >= 0])
        assert members.tolist() == list(range(units.n_units))


def test_blocks_are_aligned_as_if_alone() -> None:
    rng = np.random.default_rng(5)
    parts = [random_continua(rng, 3, 12) for _ in range(7)]
    together = Continua(
        *(np.concatenate([getattr(p, name) for p in parts]) for name in ("start", "end")),
        np.concatenate([p.label for p in parts]),
        np.concatenate([p.rater for p in parts]),
        np.concatenate([p.block + b for b, p in enumerate(parts)]),
        3,
        len(parts),
    )
    d = Dissimilarity(3.0, 1.0, 1.0 - np.eye(3))
    alone = [align(part, d).disorder(part)[0] for part in parts]
    assert align(together, d).disorder(together) == pytest.approx(alone, abs=ROUNDING)


def test_an_approximation_is_never_better_and_is_flagged() -> None:
    rng = np.random.default_rng(7)
    d = Dissimilarity(3.0, 1.0, 1.0 - np.eye(3))
    for _ in range(10):
        units = random_continua(rng, 4, 15)
        best, near = align(units, d), align(units, d, approximate=True)
        assert not near.exact.any()
        assert near.disorder(units)[0] >= best.disorder(units)[0] - ROUNDING
        assert near.disorder(units)[0] <= 1.1 * best.disorder(units)[0]


def test_too_many_candidates_give_an_approximation_that_says_so() -> None:
    rng = np.random.default_rng(3)
    units = _as_units(random_continua(rng, 4, 12))
    found = gamma(units, max_candidates=20, n_samples=3, precision=None)
    assert not found.exact
    assert [f.code for f in found.findings].count("approximate_alignment") == 1


def test_the_sweep_gives_up_where_the_search_is_too_wide() -> None:
    units = random_continua(np.random.default_rng(1), 2, 20)
    d = Dissimilarity(3.0, 1.0, 1.0 - np.eye(3))
    with pytest.raises(TooManyCandidates):
        near_pairs(units, d, limit=2.0, most=1)


def test_a_long_unit_among_short_ones_is_found() -> None:
    start = np.array([0.0, 400.0, 500.0, 10.0])
    end = np.array([1000.0, 401.0, 501.0, 990.0])
    rater = np.array([0, 0, 1, 1])
    zero = np.zeros(4, dtype=np.int64)
    units = Continua(start, end, zero, rater, zero, 2, 1)
    found = align(units, Dissimilarity(3.0, 1.0, np.zeros((1, 1))))
    assert [0, 3] in found.member.tolist()


def test_packing_takes_two_pairs_rather_than_one_middle() -> None:
    assert sorted(sweep([0b0011, 0b0110, 0b1100], [2.0, 3.0, 2.0], 4) or []) == [0, 2]


def test_a_large_assignment_agrees_with_a_dense_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    row, column = np.divmod(np.arange(20 * 30), 30)
    value = rng.normal(size=len(row))
    dense = value[best_assignment(row, column, value)].sum()
    monkeypatch.setattr("consilience.units._linking._MOST_CELLS", 10)
    assert value[best_assignment(row, column, value)].sum() == pytest.approx(dense)


# --- the coefficient ------------------------------------------------------------------------------


def _as_units(units: Continua, **options: Any) -> Units:
    names = [f"r{r}" for r in units.rater]
    labels = [f"k{k}" for k in units.label]
    return Units.from_columns(
        start=units.start, end=units.end, label=labels, rater=names, **options
    )


def _noisy(n_raters: int, n_units: int, noise: float, seed: int, n_sessions: int = 1) -> Units:
    rng = np.random.default_rng(seed)
    rows = []
    for session in range(n_sessions):
        start = np.sort(rng.uniform(0, 15 * n_units, n_units))
        length, label = rng.uniform(5, 12, n_units), rng.integers(0, 4, n_units)
        for rater in range(n_raters):
            begin = start + rng.normal(0, noise, n_units) + 50
            end = np.maximum(begin + 1, begin + length + rng.normal(0, noise, n_units))
            own = np.where(rng.random(n_units) < noise / 10, rng.integers(0, 4, n_units), label)
            rows += [
                (f"r{rater}", f"k{k}", float(a), float(b), f"s{session}")
                for k, a, b in zip(own, begin, end, strict=True)
            ]
    return Units.from_records(rows)


def test_equal_records_agree_fully_and_noise_lowers_gamma() -> None:
    values = [gamma(_noisy(3, 30, noise, 1)).value for noise in (0.0, 1.0, 4.0)]
    assert values[0] == 1.0
    assert values[0] > values[1] > values[2]


def test_the_same_seed_gives_the_same_bits() -> None:
    units = _noisy(2, 20, 3.0, 2)
    assert gamma(units, rng=4).to_dict() == gamma(units, rng=4).to_dict()
    assert gamma(units, rng=4).expected != gamma(units, rng=5).expected


def test_gamma_does_not_depend_on_the_order_of_raters_or_on_the_unit_of_time() -> None:
    units = _noisy(3, 25, 3.0, 3)
    base = best_alignment(units)
    turned = best_alignment(units.select(raters=["r2", "r0", "r1"]))
    assert turned.disorder.sum() == pytest.approx(base.disorder.sum(), abs=ROUNDING)
    faster = Units.from_columns(
        start=units.start * 1000 + 7,
        end=units.end * 1000 + 7,
        label=[units.labels[k] for k in units.label],
        rater=[units.raters[r] for r in units.rater],
    )
    assert best_alignment(faster).disorder == pytest.approx(base.disorder, abs=1e-6)
    assert gamma(faster, rng=0).value == pytest.approx(gamma(units, rng=0).value, abs=1e-6)


def test_chance_models_and_spacings_give_about_the_same() -> None:
    units = _noisy(3, 60, 2.0, 4)
    found = [gamma(units, spacing="mean"), gamma(units, spacing="half")]
    found.append(gamma(units, chance="statistical"))
    assert np.ptp([g.value for g in found]) < 0.1


def test_raters_at_random_have_a_gamma_near_zero() -> None:
    rng = np.random.default_rng(6)
    rows = []
    for rater in ("a", "b"):
        start = np.sort(rng.uniform(0, 3000, 200))
        rows += [
            (rater, f"k{rng.integers(4)}", float(s), float(s + rng.uniform(5, 12))) for s in start
        ]
    assert abs(gamma(Units.from_records(rows), precision="high").value) < 0.05


def test_precision_decides_the_number_of_continua() -> None:
    units = _noisy(2, 10, 3.0, 8)
    sizes = [gamma(units, precision=word).parameters["n_samples"] for word in ("low", "high")]
    assert 30 <= sizes[0] < sizes[1]
    assert gamma(units, precision=None, n_samples=12).parameters["n_samples"] == 12
    disorder = np.array([0.8, 1.0, 1.2])
    expected = math.ceil((1.96 * disorder.std() / 0.05) ** 2)
    assert samples_needed(disorder, 0.05) == expected


def test_the_monte_carlo_error_shrinks_with_more_continua() -> None:
    units = _noisy(2, 15, 3.0, 9)
    few = gamma(units, precision=None, n_samples=40)
    many = gamma(units, precision=None, n_samples=640)
    assert many.monte_carlo_error == pytest.approx(few.monte_carlo_error / 4, rel=0.4)
    assert abs(many.value - few.value) < 4 * few.monte_carlo_error


def test_pivots_keep_their_distance_around_the_circle() -> None:
    found = np.sort(pivots(200, 4, 100.0, 10.0, np.random.default_rng(0)), axis=1)
    gaps = np.diff(np.column_stack([found, found[:, 0] + 100.0]), axis=1)
    assert gaps.min() >= 10.0 - ROUNDING
    assert found.min() >= 0
    assert found.max() < 100
    crowded = np.sort(pivots(50, 4, 100.0, 80.0, np.random.default_rng(0)), axis=1)
    assert np.diff(crowded, axis=1).min() >= 12.5 - ROUNDING


def test_shuffled_continua_keep_every_unit_whole() -> None:
    start, end = np.array([0.0, 5.0, 8.0, 2.0]), np.array([4.0, 8.0, 10.0, 9.0])
    offset = np.array([0, 3, 4])
    continuum = Continuum(start, end, np.array([0, 1, 1, 2]), offset, 0.0, 10.0, 3)
    drawn = draw(
        continuum,
        50,
        RandomStream.of(0),
        chance="shuffle",
        spacing="mean",
        sources=np.array([0]),
    )
    assert np.bincount(drawn.block * 2 + drawn.rater).tolist() == [3] * 100
    lengths = np.sort((drawn.end - drawn.start).reshape(-1, 3), axis=1)
    assert lengths == pytest.approx(np.tile([2.0, 3.0, 4.0], (100, 1)))
    assert drawn.start.min() >= 0
    assert drawn.start.max() < 10


def test_sessions_are_pooled_by_units_and_give_an_interval() -> None:
    units = _noisy(2, 8, 3.0, 10, n_sessions=9)
    found = gamma(units, rng=2)
    weights = np.array([sum(s.n_units.values()) for s in found.sessions], dtype=float)
    observed = np.average([s.observed for s in found.sessions], weights=weights)
    expected = np.average([s.expected for s in found.sessions], weights=weights)
    assert found.observed == pytest.approx(observed)
    assert found.value == pytest.approx(1 - observed / expected)
    assert found.interval.low < found.value < found.interval.high
    assert found.cat.interval.low <= found.cat.value <= found.cat.interval.high
    few = gamma(units.select(sessions=["s0", "s1"]))
    assert math.isnan(few.interval.low)
    assert "8" in few.interval.note


def test_reference_raters_are_the_only_models_of_chance() -> None:
    rows = [("truth", "a", 10 * k, 10 * k + 5) for k in range(10)]
    rows += [("rater", "b", 10 * k, 10 * k + 5) for k in range(10)]
    units = Units.from_records(rows)
    found = gamma(units, reference_raters=["truth"])
    # Random continua hold label a only, so that labels never differ by chance.
    assert found.cat.status == "undefined"
    assert gamma(units).cat.status == "ok"


def test_label_distances_lower_the_disorder_of_near_labels() -> None:
    rows = [("a", "low", 0, 10), ("b", "mid", 0, 10), ("a", "low", 20, 30), ("b", "high", 20, 30)]
    units = Units.from_records(rows)
    order = ["low", "mid", "high"]
    nominal = best_alignment(units).disorder
    ranks = best_alignment(units, distance="ordinal", categories=order).disorder
    assert nominal.tolist() == [1.0, 1.0]
    assert ranks.tolist() == [0.5, 1.0]
    table = matrix([[0, 0.2, 0.9], [0.2, 0, 0.4], [0.9, 0.4, 0]], order)
    assert best_alignment(units, distance=table).disorder == pytest.approx([0.2, 0.9])
    sets = units.relabel({"low": frozenset("x"), "mid": frozenset("xy"), "high": frozenset("z")})
    assert best_alignment(sets, distance="jaccard").disorder.tolist() == [0.5, 1.0]


def test_numbers_are_ordered_by_size() -> None:
    rows = [("a", 1, 0, 10), ("b", 2, 0, 10), ("a", 1, 20, 30), ("b", 10, 20, 30)]
    units = Units.from_records(rows)
    assert best_alignment(units, distance="ordinal").disorder.tolist() == [0.5, 1.0]
    assert best_alignment(units, distance="linear").disorder == pytest.approx([1 / 9, 1.0])


def test_ties_prefer_more_pairs_then_like_labels() -> None:
    # One unit of a stands exactly between two of b; the one with the same label is taken.
    rows = [("a", "x", 10, 20), ("b", "y", 8, 18), ("b", "x", 12, 22)]
    found = best_alignment(Units.from_records(rows), beta=0.0)
    assert [0, 2] in found.units.tolist()
    # d = 2 costs as much as two lone units.
    rows = [("a", "x", 0, 10), ("b", "x", 10, 20)]
    assert len(best_alignment(Units.from_records(rows), alpha=2.0)) == 1


def test_alignments_become_ratings() -> None:
    rows = [("a", "x", 0, 10), ("b", "x", 1, 10), ("c", "y", 0, 9), ("a", "y", 40, 50)]
    units = Units.from_records(rows)
    given = alignment_ratings(units)
    assert (given.n_items, given.n_raters, given.n_ratings) == (2, 3, 4)
    with_nil = alignment_ratings(units, nil="category", alignment=gamma(units))
    assert with_nil.categories == ("x", "y", "nil")
    assert with_nil.n_ratings == 6
    assert math.isfinite(cs.krippendorff_alpha(with_nil).value)


def test_absent_raters_marked_nothing_or_did_not_look() -> None:
    rows = [("a", "x", 0, 10, "s1"), ("b", "x", 0, 10, "s1"), ("c", "x", 0, 10, "s1")]
    rows += [("a", "x", 0, 10, "s2"), ("b", "x", 0, 10, "s2"), ("a", "x", 0, 10, "s3")]
    units = Units.from_records(rows)
    empty = gamma(units, absent="count", n_samples=5, precision=None)
    left_out = gamma(units, n_samples=5, precision=None)
    assert [s.session for s in empty.sessions] == ["s1", "s2", "s3"]
    assert empty.observed > 0
    assert left_out.observed == 0
    assert [name for name, _ in left_out.dropped] == ["s3"]
    assert {f.code for f in left_out.findings} >= {"rater_not_asked"}
    assert {f.code for f in empty.findings} >= {"rater_without_units"}


def test_results_are_plain_data_and_readable() -> None:
    found = gamma(_noisy(2, 10, 2.0, 11, n_sessions=2))
    record = json.loads(json.dumps(found.to_dict()))
    assert record["parameters"]["alpha"] == 3.0
    assert [e["coefficient"] for e in record["estimates"]][:2] == ["gamma", "gamma_cat"]
    text = str(found)
    assert "alpha = 3" in text
    assert "s1" in text
    assert float(found) == found.value


def test_one_category_leaves_gamma_cat_undefined() -> None:
    rows = [("a", "x", 0, 10), ("b", "x", 2, 11), ("a", "x", 20, 30), ("b", "x", 25, 31)]
    found = gamma(Units.from_records(rows))
    assert found.status == "ok"
    assert found.cat.status == "undefined"
    assert "label" in (found.cat.reason or "")


def test_points_need_a_length() -> None:
    rows = [("a", "x", 10, 10), ("b", "x", 11, 11), ("a", "x", 40, 40), ("b", "x", 40, 40)]
    units = Units.from_records(rows)
    with pytest.raises(InputError, match="point_length"):
        gamma(units)
    assert best_alignment(units, point_length=4).disorder == pytest.approx([3 * (2 / 8) ** 2, 0.0])


GOOD = Units.from_records([("a", "x", 0, 10), ("b", "y", 2, 11)])


@pytest.mark.parametrize(
    "options",
    [
        {"alpha": -1},
        {"alpha": math.nan},
        {"alpha": "3"},
        {"alpha": 0, "beta": 0},
        {"beta": math.inf},
        {"chance": "random"},
        {"spacing": 3},
        {"precision": "fine"},
        {"precision": 0},
        {"precision": 2.0},
        {"n_samples": 1},
        {"n_samples": 2.5},
        {"variant": "java"},
        {"alignment": "fast"},
        {"absent": "skip"},
        {"point_length": 0},
        {"max_candidates": 0},
        {"confidence_level": 95},
        {"n_resamples": 0},
        {"rng": -1},
        {"reference_raters": ["z"]},
        {"reference_raters": []},
        {"distance": "nomnal"},
        {"distance": "ordinal"},
        {"distance": "interval"},
        {"distance": lambda a, b: 0.0 if a == b else 7.0},
        {"categories": ["x"]},
        {"categories": ["x", "y", "y"]},
    ],
)
def test_bad_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        gamma(GOOD, **options)


def test_bad_designs_are_refused() -> None:
    with pytest.raises(InputError, match="Units"):
        gamma([("a", "x", 0, 10)])  # type: ignore[arg-type]
    with pytest.raises(UnsupportedDesignError, match="two raters"):
        gamma(Units.from_records([("a", "x", 0, 10)]))
    with pytest.raises(UnsupportedDesignError, match="at least one unit"):
        gamma(Units.from_columns(start=[], end=[], label=[], rater=[], raters=["a", "b"]))
    pieces = Units.from_columns(
        start=[0, 20, 0], end=[5, 25, 30], label=["x"] * 3, rater=["a", "a", "b"], span=[1, 1, None]
    )
    with pytest.raises(UnsupportedDesignError, match="fragments"):
        gamma(pieces)
    with pytest.raises(InputError):
        alignment_ratings(GOOD, nil="none")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="nil"):
        alignment_ratings(GOOD.relabel({"x": "nil"}), nil="category")
