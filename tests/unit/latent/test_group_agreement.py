"""Groups of raters: published numbers, errors, and what dealing raters anew can show."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from consilience import Ratings, krippendorff_alpha
from consilience.exceptions import UnsupportedDesignError
from consilience.latent import group_agreement
from needed import DATA, SHARED, needs

GOLDEN = SHARED / "golden" / "frontier" / "groups_xrr.json"
BREXIT = SHARED / "data" / "ratings" / "hs_brexit.csv"
SIX = [f"Ann{k}" for k in range(1, 7)]


def test_the_unit_test_of_wong_paritosh_and_aroyo_2021() -> None:
    """Counts of two replications, 0.1818182 in their own test."""
    first = [[1, 1, None], [1, 1, 1], [0, 0, None], [0, 0, 0], [0, 1, None]]
    second = [[1, 1], [0, 1], [0, 1], [0, 1], [0, 0]]
    rows = [[*x, *y] for x, y in zip(first, second, strict=True)]
    groups = {k: "first" if k < 3 else "second" for k in range(5)}
    pair = group_agreement(Ratings.from_wide(rows), groups).pairs[0]
    assert pair.observed == pytest.approx(0.40909090909)
    assert pair.expected == pytest.approx(0.5)
    assert pair.xrr == pytest.approx(0.18181818182)


@needs(GOLDEN.exists() and BREXIT.exists(), DATA)
def test_hs_brexit_within_across_and_by_chance() -> None:
    known = json.loads(GOLDEN.read_text(encoding="utf-8"))["hs_brexit"]
    with BREXIT.open(encoding="utf-8", newline="") as lines:
        rows = [[row[name] or None for name in SIX] for row in csv.DictReader(lines)]
    ratings = Ratings.from_wide(rows, raters=SIX)
    found = group_agreement(ratings, {name: k // 3 for k, name in enumerate(SIX)})
    pair = found.pairs[0]
    assert [one.alpha for one in found.groups] == pytest.approx(known["alpha_within"])
    assert found.alpha == pytest.approx(known["alpha_all"])
    assert pair.xrr == pytest.approx(known["xrr"])
    assert pair.normalised == pytest.approx(known["normalised_xrr"])
    assert list(pair.association) == pytest.approx(known["gai"])
    assert (pair.p_value, pair.exact, pair.smallest_p) == (known["exact_p"], True, 0.1)
    assert "can show no less than 0.10" in pair.sentence


def drawn(seed: int, apart: float, n_items: int = 60, sizes: tuple[int, int] = (4, 3)) -> Ratings:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n_items)
    other = np.where(rng.random(n_items) < apart, rng.integers(0, 3, n_items), truth)
    seen = [truth] * sizes[0] + [other] * sizes[1]
    columns = [
        np.where(rng.random(n_items) < 0.2, rng.integers(0, 3, n_items), one) for one in seen
    ]
    rows = np.stack(columns, axis=1).astype(object)
    rows[rng.random(rows.shape) < 0.15] = None
    return Ratings.from_wide(rows.tolist(), scale="nominal")


def test_alpha_and_its_error_are_those_of_the_raters_alone() -> None:
    ratings = drawn(1, 0.5)
    groups = {k: int(k > 3) for k in range(7)}
    for distance in ("nominal", "ordinal", "interval"):
        found = group_agreement(ratings, groups, distance=distance)
        for one in found.groups:
            alone = krippendorff_alpha(ratings.select(raters=one.raters), distance=distance)
            assert one.alpha == pytest.approx(alone.value, abs=0.02)  # ordinal: ranks of all
            if distance != "ordinal":
                assert one.alpha == pytest.approx(alone.value)
                assert one.standard_error == pytest.approx(alone.standard_error)


def test_groups_that_follow_different_rules_are_told_from_groups_that_do_not() -> None:
    groups = {k: int(k > 3) for k in range(7)}
    apart = [group_agreement(drawn(seed, 0.6), groups).pairs[0] for seed in range(5)]
    same = [group_agreement(drawn(seed, 0.0), groups).pairs[0] for seed in range(20)]
    assert all(one.p_value == pytest.approx(1 / 35) for one in apart)
    assert all(one.normalised_high < 1.0 for one in apart)
    assert sum(one.p_value <= 0.05 for one in same) <= 4
    assert sum(one.normalised_low <= 1.0 <= one.normalised_high for one in same) >= 16


def test_one_rater_is_no_group() -> None:
    with pytest.raises(UnsupportedDesignError, match="two groups with two raters each"):
        group_agreement(drawn(1, 0.5), {0: "a", 1: "b", 2: "b"})
