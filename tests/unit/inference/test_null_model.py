"""Studies drawn with a null value have it, whichever way they are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import null_value_tests as null_model
from consilience.inference.null_value_tests import MonteCarloTest, NullModel

KRIPPENDORFF = cs.datasets.load("krippendorff_2011")  # four raters, ratings missing
COUNTS = cs.datasets.load("fleiss_1971")  # nobody knows who rated


@pytest.mark.parametrize("name", ["cohen_kappa", "krippendorff_alpha", "gwet_ac"])
def test_listed_patterns_and_single_items_give_the_same_distribution(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = cs.measure(KRIPPENDORFF)[name]
    listed = one.test(0.4, method="monte-carlo", n_resamples=3000)
    monkeypatch.setattr(null_model, "_MOST_ROWS", 5)
    drawn = one.test(0.4, method="monte-carlo", n_resamples=1500, rng=5)
    assert isinstance(listed, MonteCarloTest)
    assert isinstance(drawn, MonteCarloTest)
    assert drawn.share_known == pytest.approx(listed.share_known, abs=0.03)
    error = listed.null_sd * (1 / 1500 + 1 / 3000) ** 0.5
    assert drawn.null_mean == pytest.approx(listed.null_mean, abs=5 * error + 0.03)
    assert drawn.null_sd == pytest.approx(listed.null_sd, rel=0.12)


@pytest.mark.parametrize("name", ["scott_pi", "gwet_ac", "bennett_s"])
def test_counts_without_names_are_tested_too(name: str) -> None:
    one = cs.measure(COUNTS)[name]
    test = one.test(0.2, alternative="greater", method="monte-carlo", n_resamples=999)
    assert test.p_value < 0.05
    assert test.null_mean == pytest.approx(0.2, abs=0.03)


def test_the_same_seed_gives_the_same_test() -> None:
    one = cs.gwet_ac(KRIPPENDORFF)
    first, again = (one.test(0.5, method="monte-carlo", n_resamples=500, rng=3) for _ in "ab")
    assert first == again


def test_sides() -> None:
    one = cs.gwet_ac(KRIPPENDORFF)
    p = {
        side: one.test(0.5, alternative=side, method="monte-carlo", n_resamples=999).p_value
        for side in ("greater", "less", "two-sided")
    }
    assert p["two-sided"] == pytest.approx(min(1, 2 * min(p["greater"], p["less"])))


@pytest.mark.parametrize(("side", "p"), [("greater", 4 / 9), ("less", 8 / 9), ("two-sided", 8 / 9)])
def test_the_study_itself_and_those_without_a_value_count_among_the_extreme(
    side: str, p: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of eight drawn studies one has no value, one equals ours, one is above and five below."""
    one = cs.gwet_ac(KRIPPENDORFF)
    steps = np.array([0.1, 0.0, -0.1, -0.1, -0.2, -0.2, -0.3, np.nan])
    monkeypatch.setattr(NullModel, "draw", lambda *told: one.value + steps)
    test = one.test(0.5, alternative=side, method="monte-carlo", n_resamples=8)
    assert isinstance(test, MonteCarloTest)
    assert test.p_value == pytest.approx(p)
    assert test.share_undefined == 1 / 8


def test_guesses_can_be_chosen() -> None:
    skewed = cs.datasets.load("di_eugenio_glass_2004_skewed")
    one = cs.cohen_kappa(skewed)
    own = one.test(0.3, method="monte-carlo", n_resamples=200)
    even = one.test(0.3, method="monte-carlo", n_resamples=200, guesses="uniform")
    assert (own.guesses, even.guesses) == ("own", "uniform")
    with pytest.raises(InputError, match="guesses must be one of"):
        one.test(0.3, method="monte-carlo", guesses="wild")


@pytest.mark.parametrize("known", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("guesses", ["uniform", "pooled", "own"])
def test_known_items_and_guesses_together_give_the_labels_observed(
    guesses: str, known: float
) -> None:
    shares = np.array([[0.5, 0.3, 0.2], [0.3, 0.4, 0.3]])
    nothing: Any = None
    model = NullModel(nothing, nothing, nothing, [], 2, shares, guesses, by_rater=True)
    plain, luck = model.distributions(known)
    both = known * plain + (1.0 - known) * luck
    mean = shares.mean(axis=0)
    wanted = {"uniform": [mean, mean], "pooled": [mean, mean], "own": shares}[guesses]
    if known == 0.0 and guesses == "uniform":
        wanted = np.full((2, 3), 1 / 3)
    if known == 1.0:
        wanted = [mean, mean]
    assert both == pytest.approx(np.array(wanted))
    if guesses != "own" or known == 1.0:
        assert luck[0] == pytest.approx([1 / 3] * 3 if guesses == "uniform" else mean)


def test_a_label_rarer_than_guesses_alone_would_make_it_is_never_the_true_one() -> None:
    nothing: Any = None
    shares = np.array([[0.9, 0.1, 0.0], [0.9, 0.1, 0.0]])
    model = NullModel(nothing, nothing, nothing, [], 2, shares, "uniform", by_rater=False)
    plain, _ = model.distributions(0.5)
    assert plain == pytest.approx([1.0, 0.0, 0.0])
    assert plain.sum() == pytest.approx(1.0)


def test_values_that_hardly_repeat_are_refused() -> None:
    marks = cs.Ratings.from_wide(np.random.default_rng(1).normal(size=(99, 2)), scale="interval")
    with pytest.raises(UnsupportedDesignError, match="a Monte Carlo test needs"):
        cs.krippendorff_alpha(marks).test(0.3, method="monte-carlo")


def test_a_ladder_with_other_methods_has_no_critical_values() -> None:
    ladder = cs.null_tests(cs.gwet_ac(COUNTS), nulls=[0.2, 0.6], method="auto", scales=())
    table = ladder.document().blocks[1]
    assert (table.heads, [len(row) for row in table.rows]) == (["null value", "p"], [2, 2])
    assert ladder.words == ()
    with pytest.raises(InputError, match="nulls must be at least one value"):
        cs.null_tests(cs.gwet_ac(COUNTS), nulls=[])


def test_each_null_value_has_its_critical_values_in_the_table() -> None:
    ladder = cs.null_tests(cs.gwet_ac(COUNTS), nulls=[0.6, 0.2], n_resamples=400)
    _, table, *_ = ladder.document().blocks
    assert table.heads == ["null value", "10%", "5%", "1%", "p"]
    assert [row[0] for row in table.rows] == ["0.2", "0.6"]
    for row, test in zip(table.rows, ladder.tests, strict=True):
        assert row[1:4] == [one.value for one in test.critical_values]
        assert test.null < row[1] < row[2] < row[3]
        # AC1 reaches a critical value just when its p is at most that level.
        assert [ladder.value >= limit for limit in row[1:4]] == [
            test.p_value <= level for level in (0.1, 0.05, 0.01)
        ]


def test_the_record_is_plain_data() -> None:
    record = cs.null_tests(cs.gwet_ac(COUNTS), nulls=[0.3], n_resamples=200).to_dict()
    (test,) = record["tests"]
    assert test["method"] == "monte-carlo"
    assert [one["level"] for one in test["critical_values"]] == [0.9, 0.95, 0.99]
