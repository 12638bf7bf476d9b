"""Errors that judges share, what moves judges, labels to buy, soft labels, drift, preferences."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from benchmarks.judges.panels import PanelDesign, drawn, panel_outcome
from benchmarks.judges.watching import false_alarms

import consilience as cs
from consilience import judges
from consilience.core.draws import RandomStream
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.judges.shared_errors import independence_p, permuted_pairs
from consilience.judges.soft_labels import (
    METRICS,
    cross_entropy,
    entropy,
    jensen_shannon,
    manhattan,
)

# -------------------------------------------------------------------- shared errors


def test_six_judges_whose_errors_correlate_are_worth_two() -> None:
    assert judges.effective_number(6, 0.42) == pytest.approx(1.9, abs=0.05)
    assert judges.effective_number(6, 0.0) == 6.0
    assert judges.effective_number(6, 1.0) == 1.0


def test_the_correlation_is_that_of_the_errors() -> None:
    ratings = drawn(PanelDesign(3, 200, 0.2, 0.4), np.random.default_rng(0))
    found = judges.effective_judges(ratings, gold="gold", judges="judge-*")
    from consilience.ratings.rating_tables import code_matrix

    codes = code_matrix(ratings)
    errors = (codes[:, 1:] != codes[:, [0]]).astype(float)
    matrix = np.corrcoef(errors.T)
    assert found.matrix["judge-0", "judge-1"] == pytest.approx(matrix[0, 1])
    mean = matrix[np.triu_indices(3, 1)].mean()
    assert found.correlation == pytest.approx(mean)
    assert found.value == pytest.approx(3 / (1 + 2 * mean))
    others = judges.effective_number(2, matrix[1, 2])
    assert found.without["judge-0"] == pytest.approx(others)


def test_a_copy_is_worth_nothing() -> None:
    base = drawn(PanelDesign(1, 300, 0.2, 0.0), np.random.default_rng(1))
    from consilience.ratings.rating_tables import code_matrix

    codes = code_matrix(base)
    labels = np.array(["no", "yes"])
    columns = {"gold": labels[codes[:, 0]].tolist()}
    columns |= {f"gpt-{k}": labels[codes[:, 1]].tolist() for k in range(4)}
    found = judges.effective_judges(cs.Ratings.from_wide(columns), gold="gold", judges="gpt-*")
    assert found.value == pytest.approx(1.0)
    assert found.findings[0].code == "judges_err_together"
    assert found.majority == pytest.approx(found.best)
    assert found.if_independent > found.majority


def test_independent_judges_are_seldom_accused_and_others_found() -> None:
    fires, _ = panel_outcome(PanelDesign(4, 120, 0.15, 0.0), 60, seed=5)
    assert fires <= 0.13  # 5% and three standard errors
    fires, _ = panel_outcome(PanelDesign(4, 200, 0.2, 0.42), 10, seed=6)
    assert fires == 1.0


def test_judges_who_err_by_the_label_alone_are_independent() -> None:
    # All fail the rare label more often: errors correlate, but not once the label is known.
    rng = np.random.default_rng(3)
    truth = rng.random(500) < 0.2
    wrong = rng.random((500, 4)) < np.where(truth, 0.5, 0.05)[:, None]
    said = truth[:, None] ^ wrong
    labels = np.array(["no", "yes"])
    columns = {"gold": labels[truth.astype(int)].tolist()}
    columns |= {f"gpt-{k}": labels[said[:, k].astype(int)].tolist() for k in range(4)}
    found = judges.effective_judges(cs.Ratings.from_wide(columns), gold="gold", judges="gpt-*")
    assert found.correlation > 0.1
    assert found.p_value > 0.01


def test_without_gold_the_other_judges_are_the_standard_and_it_says_so() -> None:
    ratings = drawn(PanelDesign(4, 200, 0.2, 0.4), np.random.default_rng(2))
    models = ratings.select(raters=[f"judge-{k}" for k in range(4)])
    found = judges.effective_judges(models, against="consensus")
    assert found.against == "consensus"
    assert {one.code for one in found.findings} == {"errors_against_consensus"}
    assert math.isnan(found.p_value)  # independent judges would be accused: nothing is tested
    assert found.verdict.code == "judges_not_tested"
    assert found.majority is None


def test_permuted_pairs_are_those_of_all_permutations_of_all_judges() -> None:
    wrong, n = np.array([2, 1, 2]), 5
    every: Counter[int] = Counter()
    places = [list(combinations(range(n), int(k))) for k in wrong]
    for chosen in product(*places):
        errors = np.zeros(n, dtype=int)
        for one in chosen:
            errors[list(one)] += 1
        every[int((errors * (errors - 1)).sum() // 2)] += 1
    draw = RandomStream.of(0)
    got = Counter(x for _ in range(40) for x in permuted_pairs(wrong, n, draw).tolist())
    total = sum(every.values())
    for pairs, times in every.items():
        assert got[pairs] / sum(got.values()) == pytest.approx(times / total, abs=0.012)


@pytest.mark.parametrize("how", ["plain", "gaps", "clusters"])
def test_the_test_of_independence_keeps_its_level(how: str) -> None:
    rng = np.random.default_rng(4)
    fired = 0
    for k in range(200):
        truth = (rng.random(120) < 0.4).astype(int)
        errors = (rng.random((120, 4)) < np.where(truth, 0.3, 0.1)[:, None]).astype(float)
        cluster = None
        if how == "gaps":
            errors[rng.random(errors.shape) < 0.1] = np.nan
        if how == "clusters":  # each judge repeats itself within a prompt
            cluster, truth = np.repeat(np.arange(30), 4), np.repeat(truth[::4], 4)
            errors = np.repeat(errors[::4], 4, axis=0)
        fired += independence_p(errors, truth, cluster=cluster, rng=k) < 0.05
    assert fired <= 19  # 5% of 200 and three standard errors
    copied = np.repeat(errors[:, :1], 4, axis=1)
    assert independence_p(copied, truth, cluster=cluster) < 0.03


def test_judges_who_never_err_have_no_correlation() -> None:
    ratings = cs.Ratings.from_wide({"gold": list("ab" * 10), "x": list("ab" * 10),
                                    "y": list("ab" * 10)})  # fmt: skip
    found = judges.effective_judges(ratings, gold="gold", judges=["x", "y"])
    assert found.status == "undefined"
    assert math.isnan(found.value)
    assert found.verdict.code == "undefined"


# -------------------------------------------------------------------- labels to buy


def test_the_formula_without_assurance() -> None:
    plan = judges.labels_to_buy(rate=0.5, sensitivity=0.9, specificity=0.9, n_verdicts=10**9,
                                half_width=0.05, assurance=None)  # fmt: skip
    z = 1.959963984540054
    assert plan.n_alone == math.ceil(0.25 * (z / 0.05) ** 2)
    # half of the verdicts are yes, of which 90% are right: .09 is left of the variance .25
    assert plan.n_labels == math.ceil(0.09 * (z / 0.05) ** 2)
    assert plan.saved == pytest.approx(1 - plan.n_labels / plan.n_alone)


def test_a_plan_with_assurance_keeps_its_promise() -> None:
    plan = judges.labels_to_buy(rate=0.3, sensitivity=0.9, specificity=0.85, n_verdicts=4000,
                                half_width=0.04, assurance=0.8)  # fmt: skip
    rng = np.random.default_rng(5)
    from benchmarks.judges.rates import Design
    from benchmarks.judges.rates import drawn as draw_study

    from consilience.judges.rate_estimators import double_sampling

    design = Design(0.3, 0.9, 0.85, plan.n_labels, 4000)
    limits = [double_sampling(draw_study(design, rng)).limits(0.95) for _ in range(300)]
    kept = np.mean([(high - low) / 2 <= 0.04 for low, high in limits])
    assert 0.72 <= kept <= 0.9


def test_a_perfect_judge_with_few_verdicts_is_limited_by_the_verdicts() -> None:
    plan = judges.labels_to_buy(rate=0.5, sensitivity=0.999, specificity=0.999, n_verdicts=200,
                                half_width=0.02, assurance=None)  # fmt: skip
    assert plan.n_labels is None
    assert plan.verdict.code == "no_number_of_labels"


def test_power_for_telling_a_rate_from_another() -> None:
    plan = judges.labels_to_buy(rate=0.8, sensitivity=0.9, specificity=0.9, n_verdicts=10_000,
                                null=0.75)  # fmt: skip
    assert plan.power == 0.8
    assert plan.n_labels < plan.n_alone


def test_picks_are_drawn_with_their_probabilities() -> None:
    said = ["pass"] * 300 + ["fail"] * 100
    own = ["pass"] * 12 + ["fail"] * 8 + [None] * 280 + ["fail"] * 20 + [None] * 80
    both = cs.Ratings.from_wide({"gpt": said, "Ann": own})
    times = np.zeros(400)
    total = 0.0
    for seed in range(200):
        picks = judges.pick_items(both, "pass", 60, judge="gpt", rng=seed)
        assert len(picks.items) == 60
        times[[int(k) for k in picks.items]] += 1
        total += sum(picks.weight)
    assert total / 200 == pytest.approx(360, rel=0.02)  # the items without a label
    assert times[:20].sum() == 0  # labelled already
    chance = dict(zip(picks.items, picks.probability, strict=True))
    item = next(iter(chance))
    assert times[int(item)] / 200 == pytest.approx(chance[item], abs=0.12)


# -------------------------------------------------------------------- biases


def test_repeated_runs_show_who_changes_the_verdict() -> None:
    rows = [(i, r, "ab"[(i + (i % n == 0) * k) % 2], k)
            for k in (0, 1) for i in range(60)
            for r, n in (("gpt", 3), ("claude", 30))]  # fmt: skip
    item, rater, label, run = zip(*rows, strict=True)
    ratings = cs.Ratings.from_long(
        {"item": item, "rater": rater, "label": label, "run": run}, occasion="run"
    )
    found = judges.judge_biases(ratings, judges=["gpt", "claude"])
    shares = {str(one.judge): one.value for one in found.rows}
    assert shares == pytest.approx({"gpt": 1 / 3, "claude": 1 / 30})
    assert [one.code for one in found.findings] == ["judge_unstable"]


def test_length_moves_a_judge_by_so_much_per_doubling() -> None:
    rng = np.random.default_rng(0)
    length = 2.0 ** rng.integers(4, 9, 300)
    own = rng.integers(1, 4, 300)
    score = own + np.log2(length).astype(int) - 4  # one point more per doubling
    both = cs.Ratings.from_wide({"Ann": own.tolist(), "gpt": score.tolist()}, scale="interval")
    found = judges.judge_biases(both, judges="gpt", people="Ann", length=length.tolist())
    assert found.rows[0].value == pytest.approx(1.0)
    assert found.findings[0].code == "length_bias"


def test_no_bias_is_found_where_there_is_none() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(60):
        own = rng.integers(1, 6, 80)
        both = cs.Ratings.from_wide(
            {"Ann": own.tolist(), "gpt": np.clip(own + rng.integers(-1, 2, 80), 1, 5).tolist()},
            scale="interval",
        )
        wrote = rng.choice(["gpt", "llama"], 80).tolist()
        hits += bool(judges.judge_biases(both, judges="gpt", people="Ann", author=wrote).findings)
    assert hits <= 6


# -------------------------------------------------------------------- soft labels


def test_soft_measures_keep_their_identities() -> None:
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(4), 50), rng.dirichlet(np.ones(4), 50)
    kl = (p * np.log(p / q)).sum(axis=1)
    assert cross_entropy(p, q) == pytest.approx(entropy(p) + kl)
    assert jensen_shannon(p, q) == pytest.approx(jensen_shannon(q, p))
    assert jensen_shannon(p, p) == pytest.approx(np.zeros(50), abs=1e-12)
    assert jensen_shannon(np.eye(4), np.roll(np.eye(4), 1, axis=0)) == pytest.approx(np.ones(4))
    assert manhattan(p, q) == pytest.approx(2 * np.maximum(p - q, 0).sum(axis=1))
    assert manhattan(p, q).max() <= 2.0


def people(seed: int, n: int = 80, raters: int = 8) -> tuple[cs.Ratings, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.ones(3) * 0.7, n)
    codes = np.array([rng.choice(3, raters, p=row) for row in truth])
    labels = np.array(["a", "b", "c"])
    return cs.Ratings.from_wide(labels[codes].tolist(), categories=["a", "b", "c"]), truth


def test_people_themselves_as_a_prediction_are_at_no_distance() -> None:
    ratings, _ = people(0)
    from consilience.judges.verdicts import votes_of
    from consilience.ratings.rating_tables import code_matrix

    votes = votes_of(code_matrix(ratings), 3)
    p = votes / votes.sum(axis=1, keepdims=True)
    found = judges.soft_agreement(ratings, p)
    assert found["jensen_shannon"].value == pytest.approx(0.0, abs=1e-12)
    assert found["manhattan"].value == pytest.approx(0.0)
    assert found["entropy_distance"].value == pytest.approx(0.0)
    assert found["cross_entropy"].value == pytest.approx(float(entropy(p).mean()))
    assert found.accuracy > 0.9


def test_the_truth_is_nearer_to_people_than_half_of_them_are_to_the_other() -> None:
    ratings, truth = people(1)
    found = judges.soft_agreement(ratings, truth)
    one = found["jensen_shannon"]
    assert one.against_half < one.ceiling
    assert found.verdict.code == "above_ceiling"
    even = judges.soft_agreement(ratings, np.full((80, 3), 1 / 3))
    assert even.verdict.code == "below_ceiling"
    assert set(METRICS) == {one.name for one in found.measures}


def test_a_prediction_by_name_is_the_same_as_by_place() -> None:
    ratings, truth = people(2, n=10)
    named = {item: dict(zip("abc", row.tolist(), strict=True))
             for item, row in zip(ratings.items, truth, strict=True)}  # fmt: skip
    by_name, by_place = (judges.soft_agreement(ratings, x) for x in (named, truth))
    assert by_name["manhattan"].value == pytest.approx(by_place["manhattan"].value)
    with pytest.raises(InputError, match="add up to 1"):
        judges.soft_agreement(ratings, np.ones((10, 3)))
    with pytest.raises(InputError, match="predicted label"):
        judges.soft_agreement(ratings, {k: {"z": 1.0} for k in named})


# -------------------------------------------------------------------- drift


def test_a_confidence_sequence_is_wider_than_one_look_and_shrinks() -> None:
    low, high = judges.confidence_sequence(90, 100)
    wilson = (0.8256, 0.9448)
    assert low < wilson[0]
    assert high > wilson[1]
    lower, higher = judges.confidence_sequence(9000, 10_000)
    assert low < lower < 0.9 < higher < high
    assert judges.confidence_sequence(0, 0) == (0.0, 1.0)


def test_false_alarms_stay_below_five_percent_over_a_hundred_looks() -> None:
    assert false_alarms(studies=50, looks=100, told=True, seed=1) <= 0.05
    assert false_alarms(studies=50, looks=100, told=False, seed=2) <= 0.05


def test_a_judge_that_falls_is_found() -> None:
    rng = np.random.default_rng(0)
    own = rng.integers(0, 2, 600)
    right = rng.random(600) < np.where(np.arange(600) < 300, 0.92, 0.7)
    said = np.where(right, own, 1 - own)
    both = cs.Ratings.from_wide({"Ann": own.tolist(), "gpt": said.tolist()}, scale="nominal")
    found = judges.watch_judge(both, [k // 50 for k in range(600)], judge="gpt")
    assert found.alarm_at is not None
    assert 6 <= int(str(found.alarm_at)) <= 9
    assert found.p_value < 0.001
    assert found.verdict.code == "judge_drifted"


# -------------------------------------------------------------------- preferences


def test_ties_of_davidson_solve_the_likelihood_equations() -> None:
    rows = [("x", "y", "first")] * 20 + [("x", "y", "second")] * 10 + [("x", "y", "tie")] * 10
    found = judges.preferences([dict(zip(("first", "second", "winner"), r, strict=True))
                                for r in rows])  # fmt: skip
    lead = found["x"].value - found["y"].value
    assert math.exp(lead) == pytest.approx(2.0)  # wins 20 to 10
    assert found.ties == pytest.approx(10 / math.sqrt(200))  # nu = ties / sqrt(wins losses)


def test_the_place_is_told_from_the_system() -> None:
    rng = np.random.default_rng(0)
    rows = []
    for k in range(600):
        a, b = ("x", "y") if k % 2 else ("y", "x")
        edge = (0.5 if a == "x" else -0.5) + 0.8
        won = "first" if rng.random() < 1 / (1 + math.exp(-edge)) else "second"
        rows.append({"first": a, "second": b, "winner": won})
    found = judges.preferences(rows)
    assert found.order_effect is not None
    assert found.order_effect[0] == pytest.approx(0.8, abs=0.25)
    assert found["x"].value - found["y"].value == pytest.approx(0.5, abs=0.25)
    assert "position_bias" in {one.code for one in found.findings}


def test_a_circle_of_preferences_is_seen() -> None:
    rows = [(a, b, "first") for a, b in (("x", "y"), ("y", "z"), ("z", "x")) for _ in range(9)]
    rows += [(a, b, "second") for a, b in (("x", "y"), ("y", "z"), ("z", "x")) for _ in range(3)]
    found = judges.preferences([dict(zip(("first", "second", "winner"), r, strict=True))
                                for r in rows], order_effect=False)  # fmt: skip
    assert found.circular == (1, 1)
    assert all(one.ranks == (1, 3) for one in found.systems)


def test_a_system_that_always_wins_is_refused() -> None:
    rows = [{"first": "x", "second": "y", "winner": "x"}] * 5
    with pytest.raises(UnsupportedDesignError, match="to win and to lose"):
        judges.preferences(rows)
    with pytest.raises(ConsilienceError, match="winner in row 1"):
        judges.preferences([{"first": "x", "second": "y", "winner": "z"}])
