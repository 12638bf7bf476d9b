"""Corrected rates: definitions, identities, and what they do with odd samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from benchmarks.judges.rates import Design, coverage, difference_coverage, drawn

import consilience as cs
from consilience import judges
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.judges.corrected_rates import difference_of, fitted
from consilience.judges.rate_estimators import (
    PRIOR,
    SummedShares,
    TwoPhase,
    added,
    confusion_shares,
    double_sampling,
    people_alone,
    rogan_gladen_of,
)

FEW = 300  # studies: a coverage of .95 has an error of .013


def study(seed: int = 0, n: int = 400, labelled: int = 120, **more: Any) -> cs.Ratings:
    """A judge with a taste for pass, and a person on some of the items."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    said = np.where(rng.random(n) < np.where(truth, 0.95, 0.7), truth, ~truth)
    own = ["pass" if x else "fail" for x in truth]
    return cs.Ratings.from_wide(
        {"Ann": [x if k < labelled else None for k, x in enumerate(own)],
         "gpt": ["pass" if x else "fail" for x in said]}, **more,
    )  # fmt: skip


def test_double_sampling_is_the_weighted_mean_of_its_definition() -> None:
    ratings = study()
    found = judges.corrected_rate(ratings, "pass", judge="gpt", method="double-sampling")
    codes = np.array([[None if x is None else str(x) for x in row] for row in _rows(ratings)])
    own, said = codes[:, 0], codes[:, 1]
    rate = 0.0
    for verdict in ("pass", "fail"):
        share = np.mean(said == verdict)
        labelled = (said == verdict) & (own != None)  # noqa: E711
        rate += share * np.mean(own[labelled] == "pass")
    assert found.value == pytest.approx(rate)
    assert found.apparent == pytest.approx(np.mean(said == "pass"))


def _rows(ratings: cs.Ratings) -> list[list[object]]:
    from consilience.ratings.rating_tables import code_matrix

    labels = [*ratings.categories, None]
    return [[labels[k] for k in row] for row in code_matrix(ratings).tolist()]


def test_with_all_items_labelled_it_is_what_people_say() -> None:
    ratings = study(labelled=400)
    found = judges.corrected_rate(ratings, "pass", judge="gpt")
    alone = judges.corrected_rate(ratings, "pass", judge="gpt", method="people")
    assert found.value == pytest.approx(alone.value)


def test_a_judge_that_says_nothing_is_left_out() -> None:
    rng = np.random.default_rng(4)
    truth = rng.random(300) < 0.5
    said = rng.random(300) < 0.5
    both = cs.Ratings.from_wide(
        {"Ann": [("y" if x else "n") if k < 200 else None for k, x in enumerate(truth)],
         "gpt": ["y" if x else "n" for x in said]}
    )  # fmt: skip
    found = judges.corrected_rate(both, "y", judge="gpt")
    assert found.method == "people"
    assert "judge_does_not_help" in {one.code for one in found.findings}
    assert "does not make it any surer" in found.verdict.message


def test_two_labels_by_the_confusion_are_rogan_and_gladen() -> None:
    sample = drawn(Design(0.3, 0.9, 0.8, 200, 2000), np.random.default_rng(1))
    truth = np.where(np.isnan(sample.truth), -1, sample.truth).astype(np.int64)
    shares, _, _ = confusion_shares(sample.state, truth, 2, None)
    assert shares[1] == pytest.approx(rogan_gladen_of(sample).value)
    assert shares.sum() == pytest.approx(1.0)


def test_shares_of_several_labels_add_up_to_one_and_are_each_labels_rate() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 600)
    said = np.where(rng.random(600) < 0.75, truth, rng.integers(0, 3, 600))
    names = np.array(["good", "fair", "poor"])
    both = cs.Ratings.from_wide(
        {"Ann": [x if k < 200 else None for k, x in enumerate(names[truth].tolist())],
         "gpt": names[said].tolist()}
    )  # fmt: skip
    found = judges.corrected_shares(both, judge="gpt")
    assert sum(one.value for one in found.shares) == pytest.approx(1.0)
    for label, one in zip(found.labels, found.shares, strict=True):
        true = float(np.mean(names[truth] == label))
        assert one.interval.low < true < one.interval.high
    turned = judges.corrected_shares(both, judge="gpt", method="confusion")
    assert sum(one.value for one in turned.shares) == pytest.approx(1.0)
    assert all(abs(a.value - b.value) < 0.08
               for a, b in zip(found.shares, turned.shares, strict=True))  # fmt: skip


def test_equal_weights_change_nothing() -> None:
    ratings = study()
    plain = judges.corrected_rate(ratings, "pass", judge="gpt")
    weighed = judges.corrected_rate(ratings, "pass", judge="gpt", weights=[4.0] * 400)
    assert weighed.value == pytest.approx(plain.value)
    assert weighed.confidence_interval().low == pytest.approx(plain.confidence_interval().low)


def test_clusters_of_one_item_change_next_to_nothing_and_copies_widen() -> None:
    ratings = study()
    plain = judges.corrected_rate(ratings, "pass", judge="gpt")
    single = judges.corrected_rate(ratings, "pass", judge="gpt", clusters=list(range(400)))
    assert single.standard_error == pytest.approx(plain.standard_error, rel=0.03)
    eights = judges.corrected_rate(
        ratings, "pass", judge="gpt", clusters=[k // 8 for k in range(400)]
    )
    assert eights.n_clusters == 50


def test_strata_are_weighed_by_their_verdicts() -> None:
    ratings = study()
    strata = ["one" if k % 3 else "two" for k in range(400)]
    found = judges.corrected_rate(ratings, "pass", judge="gpt", strata=strata)
    mean = sum(n * rate.value for _, n, _, _, rate in found.strata) / 400
    assert found.value == pytest.approx(mean)
    assert {str(name) for name, *_ in found.strata} == {"one", "two"}


def test_refusals_are_a_verdict_of_their_own() -> None:
    base = study()
    said = [row[1] for row in _rows(base)]
    own = [row[0] for row in _rows(base)]
    said = ["refused" if k % 10 == 0 else x for k, x in enumerate(said)]
    both = cs.Ratings.from_wide({"Ann": own, "gpt": said})
    found = judges.corrected_rate(both, "pass", judge="gpt", refusals="refused")
    assert found.n_refused == 40
    assert found.n_verdicts == 400
    assert 0.2 < found.value < 0.6


def test_the_difference_is_that_of_two_rates_and_shares_prompts() -> None:
    ratings = study(n=400, labelled=400)
    rows = _rows(ratings)
    both = cs.Ratings.from_wide(
        {"Ann": [r[0] if k % 2 else None for k, r in enumerate(rows)], "gpt": [r[1] for r in rows]}
    )
    system = ["new" if k < 200 else "old" for k in range(400)]
    found = judges.rate_difference(both, "pass", system=system, judge="gpt")
    assert found.value == pytest.approx(found.rates[0].value - found.rates[1].value)
    assert found.correlation == 0.0
    prompt = [k % 200 for k in range(400)]
    paired = judges.rate_difference(both, "pass", system=system, judge="gpt", clusters=prompt)
    assert paired.correlation != 0.0
    assert paired.value == pytest.approx(found.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": "maybe"}, "label must be one of"),
        ({"judge": "bert"}, "must be one of"),
        ({"method": "magic"}, "method must be one of"),
        ({"weights": [0.0] * 400}, "above 0"),
        ({"confidence_level": 95}, "between 0 and 1"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, Any], message: str) -> None:
    asked = {"label": "pass", "judge": "gpt"} | change
    with pytest.raises(InputError, match=message):
        judges.corrected_rate(study(), asked.pop("label"), **asked)


def test_without_labels_there_is_no_rate() -> None:
    with pytest.raises(ConsilienceError):
        judges.corrected_rate(study(labelled=1), "pass", judge="gpt")


def test_four_models_without_a_name_among_people_are_refused() -> None:
    rows = [["a", "b", "a", "a"], ["b", "b", "a", "b"]] * 5
    models = cs.Ratings.from_wide(rows, raters=["gpt-4o", "claude-3", "llama-3", "qwen-2"])
    with pytest.raises(ConsilienceError, match="who is a person"):
        judges.corrected_rate(models, "a")
    with pytest.raises(ConsilienceError, match="who is a person"):
        judges.corrected_rate(models, "a", judge="gpt-4o")


# -------------------------------------------------------------------- a short coverage study


@pytest.mark.parametrize(
    "design",
    [
        Design(0.05, 0.7, 0.7, 50, 500),
        Design(0.3, 0.95, 0.9, 50, 2000),
        Design(0.5, 0.5, 0.5, 100, 1000),
        Design(0.1, 0.95, 0.6, 300, 3000),
        Design(0.3, 0.9, 0.9, 100, 1000, 4, 0.3),
    ],
)
def test_the_interval_holds_the_true_rate_as_often_as_it_says(design: Design) -> None:
    found = coverage(design, "auto", FEW, seed=7)
    assert 0.91 <= found.covered <= 0.99
    assert found.width <= 1.01  # never wider than people alone


def test_the_interval_of_a_difference_holds_the_true_one() -> None:
    found = difference_coverage(Design(0.3, 0.95, 0.8, 100, 1000), 0.1, FEW, seed=3)
    assert 0.91 <= found.covered <= 0.985
    assert found.width < 1.0


def test_the_effective_number_of_answers_of_a_perfect_judge_is_not_that_of_all_verdicts() -> None:
    # Nobody saw an error among 50 labels, which does not mean that there is none.
    f = np.repeat([0.0, 1.0], [500, 500])
    y = np.full(1000, np.nan)
    y[:25], y[-25:] = 0.0, 1.0
    low, high = double_sampling(TwoPhase(f, y, f.astype(np.int64))).limits(0.95)
    assert high - low > 0.05
    alone = people_alone(TwoPhase(f, y, f.astype(np.int64))).limits(0.95)
    assert high - low < (alone[1] - alone[0]) / 2


def test_unequal_picks_with_weights_are_unbiased() -> None:
    rng = np.random.default_rng(11)
    values = []
    for _ in range(300):
        truth = rng.random(800) < 0.3
        said = np.where(rng.random(800) < 0.85, truth, ~truth)
        chance = np.where(truth, 0.3, 0.1)  # picked by something that tells the label
        picked = rng.random(800) < chance
        sample = TwoPhase(
            said.astype(float), np.where(picked, truth, np.nan), said.astype(np.int64),
            weight=1.0 / chance,
        )  # fmt: skip
        values.append(fitted(sample, "double-sampling").value - truth.mean())
    assert abs(np.mean(values)) < 3 * np.std(values) / np.sqrt(300) + 0.003


def test_the_result_says_who_is_who() -> None:
    text = str(judges.corrected_rate(study(), "pass", judge="gpt"))
    assert "Taken for people: Ann. Taken for systems: gpt." in " ".join(text.split())


def test_it_is_also_a_function_of_the_panel() -> None:
    assert cs.panel.corrected_rate is judges.corrected_rate


def test_rogan_gladen_needs_items_of_either_kind() -> None:
    sample = TwoPhase(np.ones(20), np.r_[np.ones(5), np.full(15, np.nan)], np.ones(20, dtype=int))
    with pytest.raises(UnsupportedDesignError, match="either kind"):
        fitted(sample, "rogan-gladen")


# -------------------------------------------------------------------- sums of shares


def test_limits_of_a_sum_of_shares_are_those_of_its_posterior() -> None:
    rng = np.random.default_rng(0)
    weight, yes, answers = np.array([0.85, 0.15]), np.array([1.0, 9.0]), np.array([60.0, 12.0])
    noise = 2e-4
    found = SummedShares(weight, yes, answers, noise)
    drawn_shares = rng.beta(yes + PRIOR, answers - yes + PRIOR, (400_000, 2)) @ weight
    drawn_shares += rng.normal(0.0, np.sqrt(noise), 400_000)
    assert found.mean == pytest.approx(drawn_shares.mean(), abs=2e-4)
    assert found.variance == pytest.approx(drawn_shares.var(), rel=0.01)
    for level in (0.8, 0.95):
        tail = 0.5 - level / 2
        want = np.quantile(drawn_shares, [tail, 1 - tail])
        assert found.limits(level) == pytest.approx(want.tolist(), abs=4e-4)


def test_a_sum_of_sums_is_the_sum_of_all_shares() -> None:
    one = SummedShares(np.array([0.4, 0.6]), np.array([3.0, 20.0]), np.array([30.0, 30.0]), 1e-4)
    both = added([(0.5, one), (0.5, one)])
    assert both is not None
    assert both.value == pytest.approx(one.value)
    assert both.variance == pytest.approx(one.variance / 2)
    assert added([(1.0, None)]) is None


# -------------------------------------------------------------------- PPI++ for differences


def two_systems(seed: int, *, paired: bool) -> tuple[TwoPhase, TwoPhase]:
    """Answers of two systems to 300 prompts, 90 of them labelled; pairs share their difficulty."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(0.0, 4.0 if paired else 0.0, 300)
    parts = []
    for gain in (0.5, 0.0):
        truth = (gain + hard + rng.logistic(size=300) > 0).astype(float)
        said = np.where(rng.random(300) < 0.85, truth, 1 - truth)
        labelled = np.arange(300) < 90 if paired else rng.permutation(300) < 90
        parts.append(
            TwoPhase(said, np.where(labelled, truth, np.nan), said.astype(np.int64),
                     np.arange(300) if paired else None)
        )  # fmt: skip
    return parts[0], parts[1]


def tuned(part: TwoPhase) -> tuple[float, float]:
    """PPI++ of a mean as in Angelopoulos, Duchi and Zrnic (2023): value and lambda."""
    lab = part.labelled
    y, f, rest = part.truth[lab], part.predicted[lab], part.predicted[~lab]
    lam = np.cov(y, f, ddof=0)[0, 1] / ((1 + y.size / rest.size) * np.var(part.predicted, ddof=1))
    lam = min(max(lam, 0.0), 1.0)
    return float(lam * rest.mean() + (y - lam * f).mean()), float(lam)


def test_ppi_of_a_difference_is_the_independent_computation() -> None:
    z = 1.959963984540054
    for seed in range(3):
        a, b = two_systems(seed, paired=False)
        found = difference_of((a, b), "ppi++")
        (va, la), (vb, lb) = tuned(a), tuned(b)
        variance = sum(
            np.var(x.truth[x.labelled] - lam * x.predicted[x.labelled]) / 90
            + lam**2 * np.var(x.predicted[~x.labelled]) / 210
            for x, lam in ((a, la), (b, lb))
        )
        assert found.value == pytest.approx(va - vb)
        assert found.standard_error == pytest.approx(np.sqrt(variance))
        low, high = found.limits(0.95)
        assert low == pytest.approx(va - vb - z * np.sqrt(variance))
        assert high == pytest.approx(va - vb + z * np.sqrt(variance))


def test_ppi_of_pairs_is_the_independent_computation() -> None:
    a, b = two_systems(5, paired=True)
    found = difference_of((a, b), "ppi++")
    (va, la), (vb, lb) = tuned(a), tuned(b)
    lab = a.labelled
    d = (a.truth - la * a.predicted - b.truth + lb * b.predicted)[lab]
    f = (la * a.predicted - lb * b.predicted)[~lab]
    variance = np.var(d) / 90 + np.var(f) / 210
    assert found.value == pytest.approx(va - vb)
    assert found.standard_error == pytest.approx(np.sqrt(variance * 300 / 299), rel=1e-6)
    assert found.correlation > 0.1
    apart = difference_of([TwoPhase(x.predicted, x.truth, x.state) for x in (a, b)], "ppi++")
    assert found.standard_error < apart.standard_error


def test_limits_of_a_difference_are_not_cut_where_those_of_a_rate_are() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(200) < 0.97
    one = TwoPhase(truth.astype(float), np.where(np.arange(200) < 40, truth, np.nan),
                   truth.astype(np.int64))  # fmt: skip
    both = difference_of((one, one), "ppi")
    low, high = both.limits(0.95)
    assert high == pytest.approx(-low)
    assert fitted(one, "ppi").limits(0.95)[1] == 1.0


# -------------------------------------------------------------------- labels by method


def test_variances_by_method_are_those_of_simulated_studies() -> None:
    plan = judges.labels_to_buy(rate=0.4, sensitivity=0.9, specificity=0.8, n_verdicts=3000,
                                half_width=0.05, assurance=None)  # fmt: skip
    rng = np.random.default_rng(8)
    for method, n in plan.by_method.items():
        assert n is not None
        design = Design(0.4, 0.9, 0.8, n, 3000)
        values = [fitted(drawn(design, rng), method).value for _ in range(250)]
        assert 1.96 * np.std(values) == pytest.approx(0.05, rel=0.13), method
    assert plan.by_method["double-sampling"] == plan.n_labels
    assert plan.by_method["people"] == plan.n_alone


@pytest.mark.parametrize("by", ["verdict", "uncertainty"])
def test_picked_items_keep_the_rate_unbiased(by: str) -> None:
    rng = np.random.default_rng(17)
    off, alone, totals = [], [], []
    for seed in range(120):
        truth = rng.random(500) < 0.3
        said = np.where(rng.random(500) < np.where(truth, 0.8, 0.9), truth, ~truth)
        pilot = np.arange(500) < (40 if by == "verdict" else 0)
        names = np.array(["fail", "pass"])
        own = [x if k else None for x, k in zip(names[truth.astype(int)], pilot, strict=True)]
        both = cs.Ratings.from_wide({"gpt": names[said.astype(int)].tolist(), "Ann": own})
        unsure = rng.random(500) + truth  # surer of a fail: tells the label
        more = {"uncertainty": unsure.tolist()} if by == "uncertainty" else {}
        picks = judges.pick_items(both, "pass", 60, judge="gpt", people="Ann", rng=seed, **more)
        picked = np.zeros(500, dtype=bool)
        picked[[int(k) for k in picks.items]] = True
        weight = np.ones(500)
        weight[[int(k) for k in picks.items]] = picks.weight
        sample = TwoPhase(said.astype(float), np.where(picked | pilot, truth, np.nan),
                          said.astype(np.int64), weight=weight if more else None)  # fmt: skip
        off.append(fitted(sample, "double-sampling").value - truth.mean())
        if more:
            alone.append(float(weight[picked] @ truth[picked]) / 500 - truth.mean())
            totals.append([weight[picked & (said == one)].sum() for one in (False, True)])
    spread, chance = np.std(off), 3 * np.std(off) / np.sqrt(len(off))
    if not more:
        assert abs(np.mean(off)) < chance
        return
    # Horvitz & Thompson (1952): the weighed sum has no bias. A ratio of two has one, which is at
    # most its error times the coefficient of variation of the sum below: Cochran (1977), 6.19.
    assert abs(np.mean(alone)) < 3 * np.std(alone) / np.sqrt(len(alone))
    varies = (np.std(totals, axis=0) / np.mean(totals, axis=0)).max()
    assert abs(np.mean(off)) < chance + varies * spread
