"""Each rater beside the others: hand-computed numbers, known faults found, nothing invented."""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import consilience as cs
from consilience import latent
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.latent import _rater_tests as tests
from consilience.latent.votes import entries_of
from consilience.simulate import simulate

CARE = [0.9, 0.85, 0.8, 0.85, 0.9]


@pytest.fixture(scope="module")
def study() -> Any:
    """Five careful raters and one who guesses with a liking for the first label."""
    return simulate(
        n_items=250, n_raters=6, categories=["a", "b", "c"], accuracy=[*CARE, 0.0],
        bias=[0.6, 0.3, 0.1], missing=0.2, rng=5,
    )  # fmt: skip


def shares_of_others(ratings: cs.Ratings, rater: object) -> tuple[Any, Any]:
    """For each item of a rater with other ratings: the others' shares, and her own label."""
    entries = entries_of("the test", ratings)
    me = ratings.raters.index(rater)
    shares, labels = [], []
    for e in np.flatnonzero(entries.rater == me):
        same = (entries.item == entries.item[e]) & (entries.rater != me)
        if same.any():
            times = np.bincount(entries.label[same], minlength=entries.n_labels)
            shares.append(times / same.sum())
            labels.append(entries.label[e])
    return np.array(shares), np.array(labels)


# --- numbers by hand ------------------------------------------------------------------------------


def test_agreement_bias_and_chance_are_those_of_the_definition(study: Any) -> None:
    view = latent.rater_view(study.ratings, camps="no")
    rng = np.random.default_rng(1)
    for rater in (0, 2, 5):
        s_ik, own = shares_of_others(study.ratings, rater)
        row = view[rater]
        agree = s_ik[np.arange(own.size), own]
        assert row.n_compared == own.size
        assert row.agreement == pytest.approx(agree.mean())
        for k, one in enumerate(row.biases):
            difference = (own == k) - s_ik[:, k]
            assert one.difference == pytest.approx(difference.mean())
            assert one.p_value == pytest.approx(stats.ttest_1samp(difference, 0).pvalue)
        dealt = np.array(
            [s_ik[np.arange(own.size), rng.permutation(own)].sum() for _ in range(2000)]
        )
        assert row.expected == pytest.approx(dealt.mean() / own.size, abs=0.01)
        assert row.chance_p_value == pytest.approx(float((dealt >= agree.sum()).mean()), abs=0.03)


def test_bias_is_adjusted_over_all_raters_and_labels(study: Any) -> None:
    view = latent.rater_view(study.ratings, camps="no")
    every = [one for row in view for one in row.biases]
    adjusted = cs.holm([one.p_value for one in every])
    assert [one.p_adjusted for one in every] == pytest.approx(adjusted)


@pytest.mark.parametrize("missing", [0.0, 0.2, 0.6])
def test_leaving_a_rater_out_is_exact(missing: float) -> None:
    ratings = simulate(n_items=80, n_raters=5, categories=4, missing=missing, rng=3).ratings
    view = latent.rater_view(ratings, camps="no")
    plain = cs.rater_influence(ratings)
    assert view.value == pytest.approx(plain.value)
    for row in view:
        assert row.influence == pytest.approx(plain.change[row.rater])


def test_leaving_out_follows_the_scale() -> None:
    ratings = simulate(n_items=60, n_raters=4, categories=4, scale="ordinal", rng=3).ratings
    plain = cs.rater_influence(ratings)
    for row in latent.rater_view(ratings, camps="no"):
        assert row.influence == pytest.approx(plain.change[row.rater])


def test_severity_is_the_mean_difference_to_the_others() -> None:
    study = simulate(
        n_items=120, n_raters=4, scale="interval", shift=[0.0, 0.0, 0.0, 0.6], noise=0.4, rng=2
    )
    view = latent.rater_view(study.ratings, camps="no")
    entries = entries_of("the test", study.ratings)
    marks = np.full((120, 4), np.nan)
    numbers = study.ratings.numbers
    assert numbers is not None
    marks[entries.item, entries.rater] = numbers[entries.label]
    apart = marks[:, 3] - marks[:, :3].mean(axis=1)
    row = view[3]
    test = stats.ttest_1samp(apart, 0)
    assert row.severity == pytest.approx(apart.mean())
    assert (row.severity_interval.low, row.severity_interval.high) == pytest.approx(
        tuple(test.confidence_interval())
    )
    assert row.severity_p_value < 0.001
    assert "rater_severity" in [one.code for one in view.findings]


def test_measurements_that_never_repeat_are_judged_by_going_along() -> None:
    rng = np.random.default_rng(3)
    truth = rng.normal(size=200)
    table = truth[:, None] + rng.normal(scale=0.3, size=(200, 4))
    table[:, 3] = rng.normal(size=200)
    view = latent.rater_view(cs.Ratings.from_wide(table, scale="interval"), camps="no")
    assert [row.verdict for row in view] == ["beyond chance"] * 3 + ["no better than chance"]
    r = stats.pearsonr(table[:, 3], table[:, :3].mean(axis=1)).statistic
    assert view[3].chance_p_value == pytest.approx(stats.norm.sf(r * math.sqrt(199)))


def test_labels_without_an_order_have_no_severity(study: Any) -> None:
    view = latent.rater_view(study.ratings, camps="no")
    assert all(math.isnan(row.severity) for row in view)
    assert "severity" not in str(view)


# --- faults are found -----------------------------------------------------------------------------


def test_the_guesser_is_found_and_nobody_else(study: Any) -> None:
    view = latent.rater_view(study.ratings, camps="no")
    assert [row.verdict for row in view] == ["beyond chance"] * 5 + ["no better than chance"]
    assert all(one.p_adjusted < 0.001 for one in view[5].biases if one.label != "b")
    told = next(one.message for one in view.findings if one.code == "rater_prefers_a_label")
    assert told.split("items: ")[1].startswith("5")
    codes = [one.code for one in view.findings]
    assert codes[:3] == ["raters_guess", "no_better_than_chance", "rater_prefers_a_label"]
    assert view[5].influence == max(row.influence for row in view)


def test_guessers_are_taken_for_better_in_one_case_of_twenty() -> None:
    """Size of the one-sided test: guessers of three kinds, 200 of them."""
    found = []
    for seed in range(40):
        study = simulate(
            n_items=60, n_raters=8, categories=3, accuracy=[0.8, 0.8, 0.8, 0, 0, 0, 0, 0],
            bias=[0.7, 0.2, 0.1], rng=seed,
        )  # fmt: skip
        view = latent.rater_view(study.ratings, camps="no")
        found += [view[rater].chance_p_value < 0.05 for rater in range(3, 8)]
    assert stats.binomtest(sum(found), len(found), 0.05).pvalue > 0.001
    assert sum(found) > 0


def test_constant_and_alternating_answers_are_found() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=60)
    noisy = np.where(rng.random((60, 3)) < 0.9, truth[:, None], 1 - truth[:, None])
    table = np.column_stack([noisy, np.ones(60, dtype=int), np.arange(60) % 2])
    view = latent.rater_view(cs.Ratings.from_wide(table), camps="no")
    assert [row.pattern for row in view] == ["", "", "", "always '1'", "a cycle of 2"]
    assert view[3].longest_run == 60
    assert view[4].longest_run == 1
    assert "answers_follow_a_pattern" in [one.code for one in view.findings]


def test_a_run_is_as_long_as_it_is() -> None:
    labels = list("aabbbbaaab") * 2
    view = latent.rater_view(cs.Ratings.from_wide([[x, x] for x in labels]), camps="no")
    assert view[0].longest_run == 4
    order = [int(x == "b") for x in labels]
    view = latent.rater_view(
        cs.Ratings.from_wide([[x, x] for x in labels]), order=order, camps="no"
    )
    assert view[0].longest_run == labels.count("a") == 10
    assert view[0].run_p_value < 0.05


def test_long_runs_are_rarely_reported_for_shuffled_answers() -> None:
    p_values = []
    for seed in range(60):
        ratings = simulate(n_items=100, n_raters=2, categories=2, rng=seed).ratings
        p_values += [row.run_p_value for row in latent.rater_view(ratings, camps="no")]
    assert np.mean(np.array(p_values) < 0.05) < 0.12


def drifting(rng: np.random.Generator, n_items: int = 240) -> Any:
    """The last rater grows careless."""
    truth = rng.integers(3, size=n_items)
    care = np.full((n_items, 4), 0.85)
    care[:, 3] = np.linspace(1.0, 0.3, n_items)
    knows = rng.random(care.shape) < care
    return np.where(knows, truth[:, None], rng.integers(3, size=care.shape))


def test_drift_is_found_over_time_and_batches() -> None:
    table = drifting(np.random.default_rng(3))
    shuffled = np.random.default_rng(4).permutation(240)
    ratings = cs.Ratings.from_wide(table[shuffled])
    for options in ({"order": shuffled}, {"order": shuffled, "batches": 4}):
        view = latent.rater_view(ratings, camps="no", **options)
        assert view[3].drift_p_value < 0.001
        assert max(view, key=lambda row: abs(row.drift)).rater == 3
        told = next(one.message for one in view.findings if one.code == "rater_drift")
        assert told.split("time: ")[1].startswith("3")  # one who drifts takes the others along
    assert list(view[3].batches) == [1, 2, 3, 4]
    assert view[3].batches[1] > view[3].batches[4] + 0.2
    assert latent.rater_view(ratings, order=shuffled, camps="no")[3].drift < -0.2
    unordered = latent.rater_view(ratings, camps="no")
    assert math.isnan(unordered[3].drift_p_value)


def test_drift_matches_plain_regression_and_analysis_of_variance(study: Any) -> None:
    ratings = simulate(n_items=60, n_raters=3, categories=3, rng=6).ratings
    view = latent.rater_view(ratings, order=range(60), camps="no")
    s_ik, own = shares_of_others(ratings, 1)
    agree = s_ik[np.arange(own.size), own]
    line = stats.linregress(np.arange(60), agree)
    every = [
        stats.linregress(np.arange(60), s[np.arange(x.size), x]).pvalue
        for s, x in (shares_of_others(ratings, g) for g in range(3))
    ]
    assert view[1].drift == pytest.approx(line.slope * 59)
    assert view[1].drift_p_value == pytest.approx(cs.holm(every)[1])
    batches = np.repeat(["one", "two", "three"], 20).tolist()
    view = latent.rater_view(ratings, batches=batches, camps="no")
    raw = tests.between_batches(
        tests.Compared.of(entries_of("x", ratings)),
        tests.Compared.of(entries_of("x", ratings)).agree_e,
        np.repeat([0, 1, 2], 20)[entries_of("x", ratings).item],
    )[0]
    groups = [agree[:20], agree[20:40], agree[40:]]
    assert raw.p_value[1] == pytest.approx(stats.f_oneway(*groups).pvalue)
    assert view[1].batches["two"] == pytest.approx(agree[20:40].mean())


def test_time_can_be_given_by_rating_and_as_dates() -> None:
    ratings = cs.Ratings.from_wide([["a", "a"], ["b", "b"], ["a", "b"]], raters=["x", "y"])
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    when = {(i, r): start + datetime.timedelta(hours=3 - i) for i in range(3) for r in ("x", "y")}
    assert latent.rater_view(ratings, order=when)["x"].longest_run == 1
    assert latent.rater_view(ratings, order={0: "1", 1: "3", 2: "2"})["x"].longest_run == 2


# --- camps ----------------------------------------------------------------------------------------


def camps_of(seed: int, *, n_items: int = 120, share: float = 0.3, raters: int = 6) -> Any:
    """Two halves that label a share of the items by different rules."""
    rng = np.random.default_rng(seed)
    first = rng.integers(3, size=n_items)
    second = np.where(rng.random(n_items) < share, (first + 1) % 3, first)
    columns = [
        np.where(rng.random(n_items) < 0.8, first if k < raters // 2 else second,
                 rng.integers(3, size=n_items))
        for k in range(raters)
    ]  # fmt: skip
    return cs.Ratings.from_wide(np.stack(columns, axis=1))


def test_two_camps_are_found() -> None:
    found = [latent.rater_camps(camps_of(seed), n_resamples=199) for seed in range(20)]
    assert sum(one.status == "two camps" for one in found) >= 19
    assert sum(one.camps == ((0, 1, 2), (3, 4, 5)) for one in found) >= 18
    assert all(one.within > one.across for one in found)


@pytest.mark.parametrize(
    "design",
    [
        {"n_items": 100, "accuracy": [0.9, 0.8, 0.7, 0.6, 0.85, 0.5]},
        {"n_items": 150, "accuracy": 0.9, "hard_share": 0.3, "hard_accuracy": 0.4},
        {"n_items": 200, "accuracy": [0.8, 0.7, 0.6, 0.5, 0.8, 0.0], "bias": [0.6, 0.3, 0.1]},
    ],
    ids=["careless raters", "hard items", "a guesser"],
)
def test_one_camp_is_not_taken_for_two(design: Any) -> None:
    """Size of the test near 5 %, although raters differ in care and items in difficulty."""
    hits = sum(
        latent.rater_camps(
            simulate(n_raters=6, categories=3, rng=seed, **design).ratings, n_resamples=99
        ).p_value < 0.05
        for seed in range(120)
    )  # fmt: skip
    assert stats.binomtest(hits, 120, 0.05).pvalue > 0.002


def test_opposite_camps_are_found_with_two_labels() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(2, size=80)
    knows = rng.random((80, 6)) < 0.9
    table = np.where(knows, truth[:, None], 1 - truth[:, None])
    table[:, 4:] = 1 - table[:, 4:]
    found = latent.rater_camps(cs.Ratings.from_wide(table))
    assert found.camps == ((0, 1, 2, 3), (4, 5))
    assert found.across < 0


def test_camps_are_found_in_sparse_designs_and_by_seed() -> None:
    ratings = camps_of(1, n_items=600, raters=12, share=0.4)
    codes = entries_of("the test", ratings)
    kept = np.random.default_rng(0).random(codes.item.size) < 0.4
    sparse = cs.Ratings.from_codes(
        item=codes.item[kept], rater=codes.rater[kept], label=codes.label[kept],
        categories=ratings.categories, items=range(600), raters=ratings.raters,
    )  # fmt: skip
    found = latent.rater_camps(sparse, rng=3)
    assert found.camps == (tuple(range(6)), tuple(range(6, 12)))
    assert latent.rater_camps(sparse, rng=3) == found


def test_camps_of_measurements() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.normal(size=(2, 150))
    view = np.stack([first] * 3 + [0.6 * first + 0.8 * second] * 3, axis=1)
    table = 2.0 * view + rng.normal(size=(150, 6))
    found = latent.rater_camps(cs.Ratings.from_wide(table, scale="interval"))
    assert found.camps == ((0, 1, 2), (3, 4, 5))
    assert 0.6 < found.within < 0.95
    one_view = 2.0 * first[:, None] + rng.normal(size=(150, 6)) * [0.2, 0.5, 1, 1, 2, 3]
    assert latent.rater_camps(cs.Ratings.from_wide(one_view, scale="ratio")).status == "one camp"


def test_agreement_within_camps_is_that_of_kappa() -> None:
    """With one pair in each camp, pooled agreement is Cohen's kappa of the pairs."""
    ratings = camps_of(3, raters=4, share=0.6)
    found = latent.rater_camps(ratings)
    assert (found.first, found.second) == ((0, 1), (2, 3))
    pairs = [cs.cohen_kappa(ratings.select(raters=pair)) for pair in ((0, 1), (2, 3))]
    room = [1.0 - (one.expected or 0.0) for one in pairs]
    assert found.within == pytest.approx(np.average([one.value for one in pairs], weights=room))


def test_camps_are_part_of_the_view() -> None:
    view = latent.rater_view(camps_of(2))
    assert view.camps is not None
    assert view.camps.status == "two camps"
    assert "two_camps" in [one.code for one in view.findings]
    assert "two camps" in str(view)
    assert "camp 2" in str(view.camps)


@pytest.mark.parametrize(
    ("shape", "message"), [((20, 3), "4 to 200 raters. Got 3"), ((20, 201), "Got 201")]
)
def test_camps_need_some_raters_and_not_too_many(shape: Any, message: str) -> None:
    ratings = cs.Ratings.from_wide(np.random.default_rng(0).integers(2, size=shape))
    with pytest.raises(UnsupportedDesignError, match=message):
        latent.rater_camps(ratings)
    view = latent.rater_view(ratings)
    assert view.camps is None
    assert "camps_not_tested" in [one.code for one in view.findings]
    with pytest.raises(UnsupportedDesignError):
        latent.rater_view(ratings, camps="yes")


def test_camps_need_items_in_common() -> None:
    rows = [[None] * 5 for _ in range(10)]
    for i, row in enumerate(rows):
        row[i % 5] = row[(i + 1) % 5] = "a" if i % 2 else "b"  # type: ignore[call-overload]
    with pytest.raises(UnsupportedDesignError, match="items in common"):
        latent.rater_camps(cs.Ratings.from_wide(rows))


def test_everybody_alike_is_one_camp() -> None:
    alike = cs.Ratings.from_wide([["a"] * 5] * 10 + [["b"] * 5] * 10)
    found = latent.rater_camps(alike, n_resamples=19)
    assert found.status == "one camp"
    assert found.p_value == 1.0


# --- crowds and bad input -------------------------------------------------------------------------


def test_a_crowd_is_looked_at() -> None:
    crowd = simulate(
        n_items=2_000, n_raters=300, categories=4, ratings_per_item=4,
        accuracy=[0.8] * 290 + [0.0] * 10, bias=[0.25] * 4, rng=1,
    )  # fmt: skip
    view = latent.rater_view(crowd.ratings)
    flagged = {row.rater for row in view if row.verdict == "no better than chance"}
    assert len(flagged & set(range(290, 300))) >= 8
    assert len(flagged - set(range(290, 300))) <= 3
    assert "further raters not shown" in " ".join(str(view).split())
    record = view.to_dict()
    assert len(record["raters"]) == 300  # type: ignore[arg-type]


def test_raters_with_few_ratings_get_no_verdict() -> None:
    wide = [["a", "a", None], ["b", "b", None], ["a", "b", "a"]] + [["a", "a", None]] * 10
    view = latent.rater_view(cs.Ratings.from_wide(wide, raters=["x", "y", "once"]))
    assert view["once"].n_ratings == 1
    assert view["once"].verdict == "too few ratings"
    assert math.isnan(view["once"].chance_p_value)
    assert view["once"].agreement == 0.5
    assert "once" in next(f.message for f in view.findings if f.code == "too_few_ratings")


def test_a_rater_without_company_is_shown_empty() -> None:
    wide = [["a", "a", None], ["b", "b", None], [None, None, "a"]]
    view = latent.rater_view(cs.Ratings.from_wide(wide))
    assert view[2].n_compared == 0
    assert math.isnan(view[2].agreement)
    assert str(view)


def test_records_are_plain(study: Any) -> None:
    from consilience.document.records import to_json

    text = to_json(latent.rater_view(study.ratings, order=range(250)).to_dict())
    assert "NaN" not in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": [1, 2]}, "250 values, one per item"),
        ({"order": "day"}, "one value per item"),
        ({"order": 3}, "one value per item"),
        ({"order": {}}, "known for every rating"),
        ({"order": [math.nan] * 250}, "known for every rating"),
        ({"batches": 1}, "at least 2"),
        ({"batches": True}, "above 1"),
        ({"batches": [1]}, "250 values"),
        ({"camps": "perhaps"}, "'auto', 'yes', 'no'"),
        ({"confidence_level": 95}, "between 0 and 1"),
        ({"n_resamples": 0}, "whole number above 0"),
    ],
)
def test_wrong_options_are_told(study: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        latent.rater_view(study.ratings, **options)


def test_designs_without_comparison_are_refused() -> None:
    with pytest.raises(UnsupportedDesignError, match="to know who"):
        latent.rater_view(cs.Ratings.from_counts([[1, 2]]))
    with pytest.raises(UnsupportedDesignError, match="more than one rater"):
        latent.rater_view(cs.Ratings.from_wide([["a", None], [None, "b"]]))
    with pytest.raises(InputError, match="must be Ratings"):
        latent.rater_view([["a", "b"]])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="rater must be one of"):
        latent.rater_view(cs.Ratings.from_wide([["a", "b"]]))["nobody"]


def test_one_label_by_everybody_is_not_taken_for_guessing() -> None:
    wide = {"Ann": [3] * 20, "Bob": [3] * 20, "Cid": [3] * 20}
    view = latent.rater_view(cs.Ratings.from_wide(wide))
    assert {row.verdict for row in view} == {"no variation"}
    assert all(math.isnan(row.kappa) for row in view)
    codes = [one.code for one in view.findings]
    assert "no_variation" in codes
    assert "no_better_than_chance" not in codes


def test_clusters_make_errors_of_raters_as_large_as_those_of_the_clusters() -> None:
    rng = np.random.default_rng(5)
    once = rng.integers(0, 3, (40, 3))
    ratings = cs.Ratings.from_wide(np.repeat(once, 5, axis=0), scale="ordinal", categories=range(3))
    clustered = ratings.with_clusters(np.repeat(np.arange(40), 5), "patient")
    single = latent.rater_view(cs.Ratings.from_wide(once, scale="ordinal", categories=range(3)))
    fivefold, by_patient = latent.rater_view(ratings), latent.rater_view(clustered)
    for one, plain, wide in zip(single.rows, fivefold.rows, by_patient.rows, strict=True):
        assert wide.agreement == pytest.approx(one.agreement)
        widths = [x.interval.high - x.interval.low for x in (plain, wide)]
        assert widths[1] > 1.5 * widths[0]
        assert tuple(wide.severity_interval) == pytest.approx(tuple(one.severity_interval))
        for mine, theirs in zip(wide.biases, one.biases, strict=True):
            assert mine.p_value == pytest.approx(theirs.p_value)


@pytest.mark.parametrize("kind", ["two camps", "noise", "twins"])
def test_camps_do_not_depend_on_the_order_of_items_raters_and_labels(kind: str) -> None:
    rng = np.random.default_rng(0)
    table = rng.integers(0, 3, size=(60, 6)).astype(str)
    if kind == "two camps":
        table[:, :3] = np.where(rng.random((60, 3)) < 0.8, table[:, :1], table[:, :3])
        table[:, 3:] = np.where(rng.random((60, 3)) < 0.8, table[:, 3:4], table[:, 3:])
    if kind == "twins":  # pairs of raters that nothing tells apart
        table = np.repeat(table[:, :3], 2, axis=1)
    names = np.array([f"r{k}" for k in range(6)])
    found = []
    for _ in range(4):
        item, rater = rng.permutation(60), rng.permutation(6)
        labels = rng.permutation(3).astype(str).tolist()
        wide = cs.Ratings.from_wide(
            table[item][:, rater].tolist(), raters=names[rater].tolist(), categories=labels
        )
        found.append(latent.rater_camps(wide, n_resamples=99))
    for other in found[1:]:
        assert set(other.first) == set(found[0].first)
        assert other.p_value == found[0].p_value
        for name in ("statistic", "within", "across"):
            assert getattr(other, name) == pytest.approx(getattr(found[0], name), rel=1e-10)
