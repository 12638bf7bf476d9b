"""Systems against people: every number against its definition, and what bad input says."""

from __future__ import annotations

import json
import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience import panel
from consilience.exceptions import InputError, UnsupportedDesignError

PEOPLE = ("Ann", "Bob", "Cid")
KAPPA = "cohen_kappa:nominal"
QWK = "cohen_kappa:quadratic"


def columns(n: int = 240, *, missing: float = 0.0, seed: int = 1) -> dict[str, list[int | None]]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 5, n)
    out: dict[str, list[int | None]] = {}
    for name in (*PEOPLE, "gpt", "bert"):
        marks = np.clip(truth + rng.integers(-1, 2, n), 1, 4)
        gone = rng.random(n) < missing
        out[name] = [None if lost else int(mark) for mark, lost in zip(marks, gone, strict=True)]
    return out


@pytest.fixture(scope="module")
def marks() -> cs.Ratings:
    return cs.Ratings.from_wide(columns(missing=0.1), scale="ordinal")


@pytest.fixture(scope="module")
def found(marks: cs.Ratings) -> panel.PanelResult:
    return panel.compare(marks, systems=["gpt", "bert"], n_resamples=400)


def kappa(ratings: cs.Ratings, *pair: str) -> float:
    return cs.cohen_kappa(ratings.select(raters=pair), distance="quadratic").value


# --- numbers against their definitions ------------------------------------------------------------


def test_the_ceiling_is_the_mean_over_pairs_of_people(
    marks: cs.Ratings, found: panel.PanelResult
) -> None:
    pairs = [kappa(marks, *pair) for pair in combinations(PEOPLE, 2)]
    assert found.ceiling[QWK].value == pytest.approx(np.mean(pairs), abs=1e-12)


def test_agreement_with_people_is_the_mean_over_people(
    marks: cs.Ratings, found: panel.PanelResult
) -> None:
    own = [kappa(marks, person, "gpt") for person in PEOPLE]
    assert found["gpt"].agreement[QWK].value == pytest.approx(np.mean(own), abs=1e-12)
    assert found["gpt"].with_person[QWK]["Bob"] == pytest.approx(own[1], abs=1e-12)


def test_the_gap_is_what_the_system_reaches_minus_what_the_others_reach(
    marks: cs.Ratings, found: panel.PanelResult
) -> None:
    parts = []
    for person in PEOPLE:
        others = [kappa(marks, person, other) for other in PEOPLE if other != person]
        parts.append(kappa(marks, person, "bert") - np.mean(others))
    assert found["bert"].gap[QWK].value == pytest.approx(np.mean(parts), abs=1e-12)


def naive_gaps(ratings: cs.Ratings, n_resamples: int) -> np.ndarray[Any, Any]:
    data = columns()
    table = np.array([data[name] for name in (*PEOPLE, "gpt")])
    rng = np.random.default_rng(5)
    out = []
    for _ in range(n_resamples):
        drawn = table[:, rng.integers(0, table.shape[1], table.shape[1])]
        r = cs.Ratings.from_wide(
            drawn.T, raters=[*PEOPLE, "gpt"], scale="ordinal", categories=[1, 2, 3, 4]
        )
        parts = [
            kappa(r, person, "gpt")
            - np.mean([kappa(r, person, other) for other in PEOPLE if other != person])
            for person in PEOPLE
        ]
        out.append(np.mean(parts))
    return np.array(out)


def test_the_error_of_the_gap_is_that_of_resampling_items() -> None:
    ratings = cs.Ratings.from_wide(columns(), scale="ordinal")
    gap = panel.compare(ratings, systems="gpt", people=PEOPLE)["gpt"].gap[QWK]
    naive = naive_gaps(ratings, 150)
    assert gap.standard_error == pytest.approx(naive.std(ddof=1), rel=0.2)  # 150 give ± 6 %


def test_the_linearised_error_agrees_with_resampling(marks: cs.Ratings) -> None:
    drawn = panel.compare(marks, systems="gpt", people=PEOPLE, method="bootstrap")["gpt"]
    linear = panel.compare(marks, systems="gpt", people=PEOPLE, method="linearised")["gpt"]
    for key, value in drawn.agreement.items():
        assert linear.agreement[key].value == pytest.approx(value.value, abs=1e-12)
        if value.standard_error:
            expected = pytest.approx(value.standard_error, rel=0.12)
            assert linear.agreement[key].standard_error == expected, key
    assert linear.gap[QWK].standard_error == pytest.approx(drawn.gap[QWK].standard_error, rel=0.12)


def few_items(n: int = 40) -> cs.Ratings:
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 2, n)
    right = rng.random((4, n)) < 0.9
    names = ("Ann", "Bob", "Cid", "gpt")
    wide = {x: np.where(ok, truth, 1 - truth).tolist() for x, ok in zip(names, right, strict=True)}
    return cs.Ratings.from_wide(wide, scale="nominal")


@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1, 0.2, 0.3])
def test_the_verdict_and_its_p_value_are_one(margin: float) -> None:
    found = panel.compare(few_items(), systems="gpt", margin=margin)["gpt"]
    lead = next(iter(found.gap.values()))
    assert lead.interval.method == "dirichlet"
    assert (found.verdict == "as good as a person") == (found.p_value < 0.025)


def test_few_items_that_show_no_error_of_a_system_do_not_prove_that_it_makes_none() -> None:
    column = [0, 1] * 15
    wide = {"Ann": column, "Bob": column, "gpt": column}
    ratings = cs.Ratings.from_wide(wide, scale="nominal")
    gap = next(iter(panel.compare(ratings, systems="gpt")["gpt"].gap.values()))
    assert gap.value == 0.0
    assert gap.interval.low < -0.05
    drawn = panel.compare(ratings, systems="gpt", method="bootstrap")["gpt"]
    assert next(iter(drawn.gap.values())).interval.low == 0.0


def test_clusters_of_the_ratings_are_the_documents() -> None:
    ratings = few_items()
    documents = [k // 4 for k in range(40)]
    told = panel.compare(ratings, systems="gpt", clusters=documents)
    known = panel.compare(ratings.with_clusters(documents, "patient"), systems="gpt")
    assert known.data["clusters"] == {"column": "patient", "number": 10}
    assert known["gpt"].gap == told["gpt"].gap


def test_documents_are_resampled_whole() -> None:
    single = cs.Ratings.from_wide(columns(), scale="ordinal")
    fourfold = cs.Ratings.from_wide(
        {name: values * 4 for name, values in columns().items()}, scale="ordinal"
    )
    documents = [k % 240 for k in range(960)]
    options: dict[str, Any] = {"systems": "gpt", "people": PEOPLE}
    plain = panel.compare(single, **options)["gpt"].gap[QWK].standard_error
    clustered = panel.compare(fourfold, clusters=documents, **options)["gpt"].gap[QWK]
    as_items = panel.compare(fourfold, **options)["gpt"].gap[QWK].standard_error
    assert clustered.standard_error == pytest.approx(plain, rel=0.15)
    assert as_items == pytest.approx(plain / 2.0, rel=0.15)
    linear = panel.compare(fourfold, clusters=documents, method="linearised", **options)
    assert linear["gpt"].gap[QWK].standard_error == pytest.approx(plain, rel=0.15)


def test_the_same_seed_gives_the_same_bits(marks: cs.Ratings) -> None:
    records = [
        json.dumps(
            panel.compare(marks, systems="gpt", people=PEOPLE, n_resamples=60, rng=3).to_dict()
        )
        for _ in range(2)
    ]
    assert records[0] == records[1]


def test_verdicts_follow_from_the_interval_and_the_margin() -> None:
    people = columns(600)
    good = cs.Ratings.from_wide({**people, "gpt": people["bert"]}, scale="ordinal")
    told: dict[str, Any] = {"systems": "gpt", "people": [*PEOPLE, "bert"]}
    assert panel.compare(good, **told, margin=0.1)["gpt"].verdict == "as good as a person"
    reversed_marks = [5 - int(mark or 0) for mark in people["bert"]]
    bad = cs.Ratings.from_wide({**people, "gpt": reversed_marks}, scale="ordinal")
    result = panel.compare(bad, **told)["gpt"]
    assert result.verdict == "not as good as a person"
    assert result.p_value > 0.999
    few = cs.Ratings.from_wide({name: values[:12] for name, values in people.items()})
    assert panel.compare(few, **told)["gpt"].verdict == "cannot tell"


def test_shares_and_differences_are_counted(found: panel.PanelResult) -> None:
    data = columns(missing=0.1)
    gaps = [
        gpt - person
        for gpt, person in zip(data["gpt"], data["Ann"], strict=True)
        if gpt is not None and person is not None
    ]
    ann = found["gpt"].differences["Ann"]
    assert ann.n_items == len(gaps)
    assert ann.identical == pytest.approx(np.mean([gap == 0 for gap in gaps]))
    assert ann.mean == pytest.approx(np.mean(gaps))
    assert ann.root_mean_square == pytest.approx(math.sqrt(np.mean(np.square(gaps))))
    each = [one.within(1) for one in found["gpt"].differences.values()]
    assert found["gpt"].agreement["within_1"].value == pytest.approx(np.mean(each))


def test_precision_recall_and_f_are_pooled_over_people(found: panel.PanelResult) -> None:
    data = columns(missing=0.1)
    hits = answers = wanted = 0
    for person in PEOPLE:
        for mark, other in zip(data[person], data["gpt"], strict=True):
            if mark is not None and other is not None:
                hits += mark == other == 4
                answers += other == 4
                wanted += mark == 4
    score = found["gpt"].labels[3]
    assert score.label == 4
    assert score.precision.value == pytest.approx(hits / answers)
    assert score.recall.value == pytest.approx(hits / wanted)
    assert score.f.value == pytest.approx(2 * hits / (answers + wanted))
    assert score.f.interval.low < score.f.value < score.f.interval.high


def test_one_reference_gives_wilson_intervals() -> None:
    table = {"Ann": list("aaaaaaaaab") * 10, "gpt": list("aaaaaaaabb") * 10}
    score = panel.compare(cs.Ratings.from_wide(table), systems="gpt")["gpt"].labels[0]
    # Wilson (1927) for 80 of 90
    assert tuple(score.recall.interval) == pytest.approx((0.80737, 0.93851), abs=1e-4)
    assert score.recall.interval.method == "wilson"


def test_the_majority_without_ties_is_a_rater_like_any_other() -> None:
    data = columns(120)
    rows = list(zip(*(data[name] for name in PEOPLE), strict=True))
    clear = [k for k, row in enumerate(rows) if len(set(row)) < 3]
    kept = {name: [values[k] for k in clear] for name, values in data.items()}
    votes = [max(set(rows[k]), key=rows[k].count) for k in clear]
    ratings = cs.Ratings.from_wide(kept)
    expected = cs.cohen_kappa(kept["gpt"], votes).value
    result = panel.compare(ratings, systems="gpt", people=PEOPLE, n_resamples=10)["gpt"]
    assert result.majority[KAPPA] == pytest.approx(expected, abs=1e-12)


def test_ties_of_the_majority_are_averaged() -> None:
    wide = {"Ann": [1, 1, 2, 2], "Bob": [1, 2, 1, 2], "gpt": [1, 1, 2, 2]}
    result = panel.compare(cs.Ratings.from_wide(wide), systems="gpt", n_resamples=10)["gpt"]
    # Two ties: agreement is 1, 0.75 or 0.5 with odds 1:2:1.
    assert result.majority["identical"] == pytest.approx(0.75, abs=0.03)


def test_adding_a_system_is_a_paired_comparison(
    marks: cs.Ratings, found: panel.PanelResult
) -> None:
    people = cs.krippendorff_alpha(marks.select(raters=PEOPLE))
    everybody = cs.krippendorff_alpha(marks.select(raters=[*PEOPLE, "gpt"]))
    comparison = people.compare(everybody)
    added = found["gpt"].added["krippendorff_alpha:ordinal"]
    assert added.difference.value == pytest.approx(comparison.difference, abs=1e-12)
    assert added.difference.standard_error == pytest.approx(comparison.standard_error, rel=1e-9)
    assert added.p_value == pytest.approx(comparison.p_value, rel=1e-9)


def test_a_constant_answer_is_worth_nothing_to_kappa() -> None:
    wide = {"Ann": list("aaab") * 20, "Bob": list("aaba") * 20, "gpt": list("aaaa") * 20}
    result = panel.compare(cs.Ratings.from_wide(wide), systems="gpt", n_resamples=50)
    assert (result.base_label, result.base_rate) == ("a", 0.75)
    assert result.constant["identical"] == 0.75
    assert result.constant[KAPPA] == pytest.approx(0.0, abs=1e-12)
    assert result.constant["gwet_ac:nominal"] == pytest.approx(
        cs.gwet_ac(wide["Ann"], wide["gpt"]).value
    )
    assert "constant_answer" in {one.code for one in result.findings}


def drifting(seed: int) -> tuple[dict[str, list[int]], list[int]]:
    """Return marks whose differences go by document, and the document of each item."""
    rng = np.random.default_rng(seed)
    document = np.repeat(np.arange(12), rng.integers(2, 9, 12))
    truth = rng.integers(3, 8, document.size)
    gpt = truth + rng.integers(-2, 3, 12)[document] + (rng.random(document.size) < 0.3)
    bob = truth + rng.integers(-1, 2, document.size)
    wide = {"Ann": truth.tolist(), "Bob": bob.tolist(), "gpt": gpt.tolist()}
    return wide, document.tolist()


def test_drift_leaves_out_each_document_in_turn() -> None:
    wide, document = drifting(4)
    ratings = cs.Ratings.from_wide(wide, scale="interval")
    found = panel.compare(ratings, systems="gpt", clusters=document, n_resamples=20)
    drift = found.markers[2].drift
    ann, bob, gpt = (np.array(marks) for marks in wide.values())
    gap, place = gpt - (ann + bob) / 2, np.linspace(0, 1, len(gpt))
    code = np.array(document)
    slopes = [np.polyfit(place[code != d], gap[code != d], 1)[0] for d in range(12)]
    slope = np.polyfit(place, gap, 1)[0]
    error = np.sqrt(11 / 12 * np.sum((np.array(slopes) - slope) ** 2))
    assert drift.value == pytest.approx(slope, abs=1e-12)
    assert drift.standard_error == pytest.approx(error, abs=1e-12)
    assert drift.interval.high == pytest.approx(slope + 2.2009851600829 * error, abs=1e-9)
    alone = panel.compare(ratings, systems="gpt", n_resamples=20).markers[2]
    assert alone.drift.value == pytest.approx(slope, abs=1e-12)
    assert alone.drift.standard_error < 0.7 * error  # items of a document were taken for new ones
    assert alone.drift_p_value < found.markers[2].drift_p_value


@pytest.mark.parametrize("clusters", [[0] * 20 + [1] * 20, [0] + [1] * 19 + [2] * 20])
def test_drift_over_too_few_documents_has_no_error(clusters: list[int]) -> None:
    marks = [1, 2, 3, 4] * 10
    ratings = cs.Ratings.from_wide({"Ann": marks, "gpt": marks[::-1]}, scale="interval")
    order = [0] * 20 + [1] * 20  # the third document alone is late
    found = panel.compare(ratings, systems="gpt", clusters=clusters, order=order, n_resamples=20)
    drift = found.markers[1].drift
    assert not np.isnan(drift.value)
    assert np.isnan(drift.standard_error)
    assert drift.reason == "needs at least three documents at different times"
    assert np.isnan(found.markers[1].drift_p_adjusted)
    assert "nan" not in str(found)


def test_severity_and_drift_are_told() -> None:
    data = columns(300, seed=4)
    lenient = [min(int(mark or 0) + (k > 150), 9) + 1 for k, mark in enumerate(data["Ann"])]
    ratings = cs.Ratings.from_wide({**data, "gpt": lenient}, scale="interval")
    result = panel.compare(ratings, systems="gpt", people=PEOPLE, n_resamples=50)
    marker = {one.rater: one for one in result.markers}["gpt"]
    means = np.mean([data[name] for name in PEOPLE], axis=0)
    assert marker.severity.value == pytest.approx(np.mean(np.array(lenient) - means))
    assert marker.drift.value > 0.8
    assert marker.drift_p_adjusted < 1e-6
    assert len(marker.batches) == 5
    assert {"severity", "drift"} <= {one.code for one in result.findings}
    named = panel.compare(
        ratings,
        systems="gpt",
        people=PEOPLE,
        order=[k // 150 for k in range(300)],
        n_resamples=50,
    )
    assert len({one.rater: one for one in named.markers}["gpt"].batches) == 2


def test_a_person_is_compared_with_the_other_people() -> None:
    wide = {"Ann": [2, 3, 2], "Bob": [1, 2, 1], "gpt": [2, 2, 2]}
    ratings = cs.Ratings.from_wide(wide, scale="interval")
    markers = panel.compare(ratings, systems="gpt", n_resamples=10).markers
    assert [one.severity.value for one in markers[:2]] == [1.0, -1.0]


@pytest.mark.parametrize("gold", ["gold", "column", "mapping"])
def test_accuracy_is_measured_against_a_standard(gold: str) -> None:
    wide = {"Ann": list("abab"), "Bob": list("abbb"), "gpt": list("abaa")}
    truth = list("abaa")
    if gold == "gold":
        result = panel.compare(
            cs.Ratings.from_wide({**wide, "gold": truth}), systems="gpt", gold="gold"
        )
    else:
        standard: Any = truth if gold == "column" else dict(enumerate(truth))
        result = panel.compare(cs.Ratings.from_wide(wide), systems="gpt", gold=standard)
    assert result.people == ("Ann", "Bob")
    shares = {one.rater: one.correct.value for one in result.accuracy}
    assert shares == {"Ann": 0.75, "Bob": 0.5, "gpt": 1.0}


def test_repeated_runs_are_occasions() -> None:
    long = {
        "item": [1, 1, 1, 1, 2, 2, 2, 2, 3, 3],
        "rater": ["Ann", "Bob", "gpt", "gpt"] * 2 + ["Ann", "gpt"],
        "label": list("xyxxyyxyxx"),
    }
    ratings = cs.Ratings.from_long(long, duplicates="occasions")
    (one,) = panel.compare(ratings, systems="gpt", n_resamples=20).stability
    assert (one.rater, one.n_items, one.unstable) == ("gpt", 2, 0.5)


# --- refusals -------------------------------------------------------------------------------------

REFUSING = {
    "Ann": list("1212") * 10,
    "Bob": list("1112") * 10,
    "gpt": ["1", "refused", "1", "2"] * 10,
}


@pytest.mark.parametrize(
    ("policy", "scale", "identical"),
    [("category", "nominal", 0.75), ("missing", "ordinal", 1.0), ("wrong", "ordinal", 0.75)],
)
def test_refusals_are_counted_and_treated_as_told(
    policy: str, scale: str, identical: float
) -> None:
    result = panel.compare(
        cs.Ratings.from_wide(REFUSING),
        systems="gpt",
        refusals="refused",
        refused=policy,
        scale=scale,
        n_resamples=20,
    )
    assert result["gpt"].refusals == 10
    assert result.data["refusals"] == {"gpt": 10}
    assert result["gpt"].agreement["identical"].value == pytest.approx(identical)
    assert "refusals" in {one.code for one in result.findings}


def test_a_refusal_that_is_wrong_loses_in_the_alternative_test() -> None:
    options: dict[str, Any] = {"systems": "gpt", "refusals": "refused", "n_resamples": 5}
    ratings = cs.Ratings.from_wide(REFUSING)
    wrong = panel.compare(ratings, refused="wrong", **options)["gpt"].alternative
    missing = panel.compare(ratings, refused="missing", **options)["gpt"].alternative
    assert wrong is not None
    assert missing is not None
    assert wrong.people[0].advantage == 0.75
    assert missing.people[0].advantage == 1.0


# --- swaps ----------------------------------------------------------------------------------------


def test_other_labels_of_a_swap_are_told() -> None:
    first = cs.Ratings.from_wide({"gpt": ["x", "y"]}, items=["i", "j"])
    with pytest.raises(InputError, match="swap must be given"):
        panel.position_swap(first, first)
    found = panel.position_swap(first, first, swap={"x": "y", "y": "x"})
    assert found.rows["gpt"][2] == 1.0
    assert found.findings[0].code == "position_bias"
    other = cs.Ratings.from_wide({"bert": ["x", "y"]}, items=["i", "j"])
    with pytest.raises(UnsupportedDesignError, match="in both"):
        panel.position_swap(first, other, swap={"x": "y"})


# --- what can still be said, and what cannot ------------------------------------------------------


def test_one_person_leaves_no_ceiling_but_agreement() -> None:
    wide = {"Ann": [1, 2, 1, 2], "gpt": [1, 2, 1, 1]}
    result = panel.compare(cs.Ratings.from_wide(wide), systems="gpt", n_resamples=50)
    assert result["gpt"].verdict is None
    assert result["gpt"].agreement[KAPPA].value == pytest.approx(0.5)
    assert math.isnan(result.ceiling[KAPPA].value)
    assert result.findings[0].code == "one_person"
    assert "Only Ann rated" in str(result)


def test_constant_marks_are_undefined_with_a_reason() -> None:
    wide = {name: [1] * 6 for name in ("Ann", "Bob", "gpt")}
    result = panel.compare(cs.Ratings.from_wide(wide), systems="gpt", n_resamples=50)
    value = result["gpt"].agreement[KAPPA]
    assert math.isnan(value.value)
    assert value.reason
    assert "undefined_pairs" in {one.code for one in result.findings}
    assert result.to_dict()["systems"][0]["agreement"][KAPPA]["value"] is None


def test_numbers_that_hardly_repeat_get_linearised_errors() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(600, 1)) + 0.4 * rng.normal(size=(600, 3))
    ratings = cs.Ratings.from_wide(values, raters=["Ann", "Bob", "gpt"], scale="interval")
    result = panel.compare(ratings, systems="gpt")
    assert result.method == "linearised"
    assert result["gpt"].agreement[QWK].standard_error > 0.0
    assert "linearised" in {one.code for one in result.findings}


def test_decimal_marks_that_repeat_are_resampled() -> None:
    rng = np.random.default_rng(2)
    values = np.abs(np.round(rng.normal(size=(300, 1)) + 0.4 * rng.normal(size=(300, 3)), 1))
    ratings = cs.Ratings.from_wide(values, raters=["Ann", "Bob", "gpt"], scale="ratio")
    result = panel.compare(ratings, systems="gpt", n_resamples=50)
    assert result.method == "dirichlet"
    alpha = cs.krippendorff_alpha(ratings.select(raters=["Ann", "Bob"])).value
    assert result.ceiling["krippendorff_alpha:ratio"].value == pytest.approx(alpha, abs=1e-12)


def test_items_that_nobody_rated_stay_in_their_place() -> None:
    wide = {"Ann": ["1", None, "2", "1"], "gpt": ["1", None, "x", "2"]}
    result = panel.compare(
        cs.Ratings.from_wide(wide),
        systems="gpt",
        refusals="x",
        scale="ordinal",
        clusters=["a", "a", "b", "b"],
        n_resamples=20,
    )
    assert result.data["items"] == 4


SMALL = {"Ann": [1, 2, 1], "Bob": [1, 1, 2], "gpt": [1, 2, 2]}


@pytest.mark.parametrize(
    ("wide", "options", "sentence"),
    [
        (SMALL, {"systems": "gtp"}, "did you mean 'gpt'"),
        (SMALL, {"systems": []}, "at least one rater"),
        (SMALL, {"systems": None}, "who is a person and who a system must be told"),
        (SMALL, {"systems": "gpt", "people": ["Ann", "gpt"]}, "gpt in both lists"),
        (SMALL, {"systems": "gpt", "people": ["Eve"]}, "people must be one of"),
        (SMALL, {"systems": ["Ann", "Bob", "gpt"]}, "at least one person"),
        (SMALL, {"systems": "gpt", "margin": 0}, "margin must be above 0"),
        (SMALL, {"systems": "gpt", "margin": "much"}, "margin must be above 0"),
        (SMALL, {"systems": "gpt", "epsilon": "expert"}, "did you mean 'experts'"),
        (SMALL, {"systems": "gpt", "epsilon": 1.5}, "epsilon must be from 0"),
        (SMALL, {"systems": "gpt", "coefficients": "kapa"}, "did you mean 'kappa'"),
        (SMALL, {"systems": "gpt", "coefficients": []}, "at least one"),
        (SMALL, {"systems": "gpt", "coefficients": "kappa:quad"}, "did you mean 'quadratic'"),
        (SMALL, {"systems": "gpt", "clusters": [1]}, "one entry per item"),
        (SMALL, {"systems": "gpt", "clusters": [1, 1, 1]}, "at least two different"),
        (SMALL, {"systems": "gpt", "clusters": {0: "a", 1: "b"}}, "given for every item"),
        (SMALL, {"systems": "gpt", "clusters": {"q": "a"}}, "by the names of the items"),
        (SMALL, {"systems": "gpt", "order": [1, None, 2]}, "order must be given"),
        (SMALL, {"systems": "gpt", "gold": "glod"}, "gold must be one of"),
        (SMALL, {"systems": "gpt", "gold": 1.5}, "one entry per item"),
        (SMALL, {"systems": "gpt", "refused": "dropped"}, "'category', 'missing', 'wrong'"),
        (
            SMALL,
            {"systems": "gpt", "method": "jackknife"},
            "'dirichlet', 'bootstrap'",
        ),
        (SMALL, {"systems": "gpt", "n_resamples": 0}, "n_resamples"),
        (SMALL, {"systems": "gpt", "rng": "x"}, "rng must be"),
        (SMALL, {"systems": "gpt", "confidence_level": 95}, "write 0.95"),
        (SMALL, {"systems": "gpt", "scoring": "f1"}, "'accuracy', 'neg_rmse'"),
        (
            {"Ann": list("abc"), "Bob": list("abb"), "gpt": list("abb")},
            {"systems": "gpt", "scale": "ordinal"},
            "given with their order",
        ),
        (
            {"Ann": list("abc"), "Bob": list("abb"), "gpt": list("abb")},
            {"systems": "gpt", "scoring": "neg_rmse"},
            "labels that are no numbers",
        ),
        (
            {"Ann": ["1", "2"], "Bob": ["1", "1"], "gpt": ["1", "x"]},
            {"systems": "gpt", "scale": "ordinal", "refusals": "x", "refused": "category"},
            "no place among marks",
        ),
        (
            {"Ann": [1, 2, None, None], "gpt": [None, None, 1, 2]},
            {"systems": "gpt"},
            "none in common",
        ),
        (
            {"Ann": ["1", "2"], "Bob": ["1", "2"], "gpt": ["x", "x"]},
            {"systems": "gpt", "refusals": "x", "refused": "missing"},
            "2 refusals",
        ),
    ],
)
def test_a_mistake_is_one_sentence(
    wide: dict[str, Any], options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(cs.ConsilienceError, match=sentence):
        panel.compare(cs.Ratings.from_wide(wide), **options)


def test_counts_do_not_say_who_is_a_system() -> None:
    with pytest.raises(UnsupportedDesignError, match="who gave which rating"):
        panel.compare(cs.Ratings.from_counts([[1, 2], [2, 1]]), systems="gpt")


def test_a_crowd_is_no_panel() -> None:
    wide = {f"w{k}": [1, 2] for k in range(70)}
    with pytest.raises(UnsupportedDesignError, match="at most 60 people"):
        panel.compare(cs.Ratings.from_wide(wide), systems="w0")


# --- presentation ---------------------------------------------------------------------------------


def test_every_form_of_the_result_holds_the_verdict(found: panel.PanelResult) -> None:
    document = found.document()
    for text in (str(found), document.markdown(), document.html(), document.latex()):
        assert "cannot tell" in text or "as good as a person" in text
    assert "weighted kappa (quadratic)" in document.csv()


def test_the_record_is_plain_json_with_the_shared_keys(found: panel.PanelResult) -> None:
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {"schema", "version", "seed", "data", "estimates", "findings"} <= set(record)
    assert [one["system"] for one in record["systems"]] == ["gpt", "bert"]
    assert record["estimates"][0]["raters"] == ["Ann", "Bob"]


def test_an_unknown_system_of_a_result_is_told(found: panel.PanelResult) -> None:
    with pytest.raises(InputError, match="did you mean 'bert'"):
        found["brt"]
    assert len(found) == len(list(found)) == 2
