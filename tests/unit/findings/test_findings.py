"""Every finding has data that trigger it and data that nearly do."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import consilience as cs
from consilience.findings import Study, checks, find, recommend
from consilience.findings import _design as _copies
from consilience.ratings.clusters import Clusters
from consilience.ratings.stores import NumberMatrix

Ratings = cs.Ratings
RNG = np.random.default_rng(20)


def codes(ratings: cs.Ratings, *estimates: cs.Estimate) -> set[str]:
    return {finding.code for finding in find(ratings, estimates)}


def wide(*blocks: tuple[str, int], **options) -> cs.Ratings:
    """Items written as one letter per rater ('.' is missing), each so many times."""
    rows = [[None if x == "." else x for x in letters] for letters, n in blocks for _ in range(n)]
    return Ratings.from_wide(rows, **options)


def table(cells, *labels) -> cs.Ratings:
    return Ratings.from_table(cells, categories=labels or None)


def crowd(n_items, n_raters, per_item=2) -> cs.Ratings:
    item = np.repeat(np.arange(n_items), per_item)
    rater = np.concatenate([RNG.choice(n_raters, per_item, replace=False) for _ in range(n_items)])
    label = RNG.integers(0, 2, item.size)
    return Ratings.from_long({"item": item, "rater": rater, "label": label})


def in_patients(of_each, n_patients=12) -> cs.Ratings:
    """Items of patients, in a table whose column of patients was not used."""
    ratings = Ratings.from_wide([row for k in range(n_patients) for row in of_each(k)])
    patients = np.repeat(np.arange(n_patients), ratings.n_items // n_patients)
    beside = (Clusters.of(patients, ratings.items, "patient"),)
    return ratings.read_as(SimpleNamespace(beside=beside))


MEASURED = {  # findings that look at estimates, and which
    "straddles_threshold": cs.cohen_kappa,
    "too_few_items": cs.krippendorff_alpha,
    "items_share_a_cluster": cs.cohen_kappa,
    "interval_approximate": cs.krippendorff_alpha,
    "kappa_without_shared_items": cs.cohen_kappa,
    "words_do_not_transfer": cs.gwet_ac,
    "no_better_than_chance": cs.cohen_kappa,
    "clearly_low": cs.cohen_kappa,
    "several_labels": cs.krippendorff_alpha,
}
MARKS = [[1, 1], [2, 3], [3, 3], [4, 5], [5, 5], [2, 1], [4, 4], [3, 4], [1, 2], [5, 4]]
FLOATS = RNG.normal(size=(100, 3))
ORDERED = [[50, 15, 2], [15, 40, 15], [1, 15, 40]]
STEPS = [[40, 8, 2, 0], [8, 20, 24, 2], [2, 24, 20, 8], [0, 2, 8, 40]]
EVEN_STEPS = [[50, 15, 0, 0], [15, 40, 15, 0], [0, 15, 40, 15], [0, 0, 15, 50]]
# code: (data that show it, data that nearly do)
CASES = {
    "straddles_threshold": (
        cs.datasets.load("di_eugenio_glass_2004_bias"),
        table([[4900, 100], [90, 4910]]),
    ),
    "bias_moves_kappa": (
        cs.datasets.load("di_eugenio_glass_2004_bias"),
        cs.datasets.load("di_eugenio_glass_2004_balanced"),
    ),
    "prevalence_paradox": (
        cs.datasets.load("di_eugenio_glass_2004_skewed"),
        cs.datasets.load("di_eugenio_glass_2004_balanced"),
    ),
    "label_never_agreed": (
        table([[40, 2, 1], [3, 30, 0], [2, 1, 0]]),
        table([[40, 2, 1], [3, 30, 0], [2, 1, 1]]),
    ),
    "labels_confused": (
        Ratings.from_table(STEPS, scale="ordinal"),
        Ratings.from_table(EVEN_STEPS, scale="ordinal"),
    ),
    "too_few_items": (
        wide(("aa", 39), ("ab", 1)),
        wide(("aa", 38), ("ab", 1), ("bb", 1)),
    ),
    "unused_labels": (
        wide(("aa", 2), ("bb", 2), ("ab", 1), categories=["a", "b", "c"]),
        wide(("aa", 2), ("bb", 2), ("ac", 1), categories=["a", "b", "c"]),
    ),
    "missing_not_at_random": (
        wide(("ee", 40), ("hh", 10), ("h.", 15)),
        wide(("ee", 40), ("hh", 10), ("h.", 3), (".e", 12)),
    ),
    "correlation_without_agreement": (
        Ratings.from_wide([[x, x + 4] for x in range(1, 9)], scale="interval"),
        Ratings.from_wide([[x, x + 1] for x in range(1, 9)], scale="interval"),
    ),
    "copied_items": (
        Ratings.from_wide(np.concatenate([FLOATS, FLOATS[:20]]), scale="interval"),
        Ratings.from_wide(FLOATS, scale="interval"),
    ),
    "scale_undecided": (
        Ratings.from_wide([[x, x + x % 2] for x in range(20)]),
        Ratings.from_wide([[x, x + x % 2] for x in range(20)], scale="nominal"),
    ),
    "items_share_a_cluster": (
        in_patients(lambda k: [[(1, 1), (1, 0), (0, 0)][k % 3]] * 6),
        in_patients(lambda k: [(1, 1), (1, 0), (0, 0)] * 2),
    ),
    "interval_approximate": (
        wide(("aa", 20), ("bb", 20), ("ab", 8)).with_clusters(np.arange(48) // 4),
        wide(("aa", 20), ("bb", 20), ("ab", 8)),
    ),
    "kappa_without_shared_items": (crowd(60, 40), crowd(600, 21, 3)),
    "no_better_than_chance": (table([[25, 24], [26, 25]]), table([[35, 15], [20, 30]])),
    "clearly_low": (table([[35, 15], [20, 30]]), table([[45, 5], [5, 45]])),
    "labels_hardly_repeat": (
        Ratings.from_wide([[f"text {k}", f"text {k + 1000}"] for k in range(40)]),
        Ratings.from_wide([[f"text {k}", f"text {k}"] for k in range(40)]),
    ),
    "several_labels": (
        Ratings.from_wide([[{"a"}, {"a", "b"}], [{"b"}, {"b"}], [{"a"}, {"a"}]]),
        wide(("ab", 1), ("bb", 1), ("aa", 1)),
    ),
    "words_do_not_transfer": (
        table([[118, 5], [2, 0]]),
        cs.datasets.load("di_eugenio_glass_2004_balanced"),
    ),
}


@pytest.mark.parametrize("code", sorted(CASES))
def test_a_finding_is_made_where_it_should_be(code):
    shown, near = CASES[code]
    estimates = [MEASURED[code](shown)] if code in MEASURED else []
    found = {finding.code: finding for finding in find(shown, estimates)}
    assert code in found
    finding = found[code]
    assert finding.severity in ("info", "caution", "problem")
    assert finding.message.endswith(".")
    assert finding.advice.endswith(".")
    assert finding.evidence
    assert finding.to_dict()["message"] == f"{finding.message} {finding.advice}"
    estimates = [MEASURED[code](near)] if code in MEASURED else []
    assert code not in codes(near, *estimates)


def test_steps_of_a_scale_are_confused_only_if_others_are_told_apart_better():
    # Darroch & McCloud (1986): distinguishability 1 - p_kl p_lk / (p_kk p_ll) of neighbours.
    names = ["none", "weak", "medium", "strong"]
    (found,) = (
        one
        for one in find(cs.Ratings.from_table(STEPS, categories=names, scale="ordinal"), ())
        if one.code == "labels_confused"
    )
    assert found.evidence["labels"] == ["weak", "medium"]
    assert "far more than at other steps of the scale" in found.message
    assert found.evidence["alpha_merged"] >= found.evidence["alpha"]


@pytest.mark.parametrize(
    ("ratings", "what"),
    [
        (Ratings.from_table(ORDERED, scale="ordinal"), "ordered labels"),
        (Ratings.from_table(ORDERED), None),
        (Ratings.from_table([[50, 15], [15, 40]], scale="ordinal"), None),
        (Ratings.from_wide(FLOATS, scale="interval"), None),
        (Ratings.from_wide(np.exp(1.5 * FLOATS), scale="interval"), "skewed values"),
    ],
)
def test_how_sure_intervals_are_is_told_where_the_study_missed_its_goal(ratings, what):
    estimates = [cs.krippendorff_alpha(ratings)]
    found = {one.code: one for one in find(ratings, estimates)}.get("interval_approximate")
    assert (found is None) == (what is None)
    assert found is None or f"Intervals for {what} are approximate" in found.message


def test_every_registered_check_has_a_case():
    assert {check.__name__ for check in checks()} == set(CASES)


@pytest.mark.parametrize("code", sorted(CASES))
def test_no_check_stumbles_over_any_of_these_data(code):
    for ratings in CASES[code]:
        study = Study(ratings, (cs.percent_agreement(ratings),))
        for check in checks():
            check(study)


@pytest.mark.parametrize(
    "ratings",
    [
        cs.datasets.load("fleiss_1971"),
        wide(("a.", 3), (".b", 3), ("aa", 1)),
        wide(("aa", 1), ("ab", 1)),
        wide(("aa", 30)),
        Ratings.from_wide(
            [[frozenset("ab"), frozenset("a")], [frozenset("c"), frozenset("c")]] * 9
        ),
        Ratings.from_counts([[3, 0, 0], [0, 3, 0], [1, 1, 1]]),
        Ratings.from_wide(np.arange(12.0).reshape(6, 2), scale="ratio"),
        crowd(200, 50),
    ],
    ids=["counts", "hardly any overlap", "two items", "one label", "sets", "few", "ratio", "crowd"],
)
def test_checks_are_silent_or_speak_but_never_fail(ratings):
    for finding in find(ratings, cs.measure(ratings).estimates):
        assert finding.sentence


def test_comparing_672_with_67_is_pointless_evert_and_baroni() -> None:
    """SIGIL unit 9: kappa .672, interval [.562, .783], threshold .67."""
    ratings = cs.datasets.load("di_eugenio_glass_2004_bias")
    kappa = replace(cs.cohen_kappa(ratings), interval_method="analytic")
    (found,) = (f for f in find(ratings, [kappa]) if f.code == "straddles_threshold")
    assert "0.672" in found.message
    assert "0.562 to 0.783" in found.message


def test_thresholds_made_for_kappa_are_not_held_against_other_coefficients() -> None:
    ratings = cs.datasets.load("di_eugenio_glass_2004_bias")
    assert "straddles_threshold" not in codes(ratings, cs.gwet_ac(ratings), cs.bennett_s(ratings))


def test_kappa_is_taken_apart_as_byrt_1993_does():
    ratings, _ = CASES["prevalence_paradox"]
    (found,) = (f for f in find(ratings, []) if f.code == "prevalence_paradox")
    pabak, prevalence, bias = (
        found.evidence[key] for key in ("pabak", "prevalence_index", "bias_index")
    )
    whole = (pabak - prevalence**2 + bias**2) / (1 - prevalence**2 + bias**2)
    assert whole == pytest.approx(cs.cohen_kappa(ratings).value)


def test_the_kappa_of_balanced_margins_is_yules_y():
    ratings = table([[180, 8], [8, 4]])
    (found,) = (f for f in find(ratings, []) if f.code == "prevalence_paradox")
    odds_ratio = 180 * 4 / 64
    yule = (odds_ratio**0.5 - 1) / (odds_ratio**0.5 + 1)
    assert found.evidence["kappa_with_balanced_margins"] == pytest.approx(yule, abs=1e-9)


def test_what_the_ratings_noted_comes_first() -> None:
    ratings = Ratings.from_wide([["Yes", "yes"], ["no", "no"]])
    assert next(iter(find(ratings, []))).code == "labels_look_alike"


@pytest.mark.parametrize(
    ("ratings", "coefficient", "distance"),
    [
        (cs.datasets.load("zwick_1988_case3"), "cohen_kappa", "nominal"),
        (cs.datasets.load("zwick_1988_case2"), "scott_pi", "nominal"),
        (cs.datasets.load("fleiss_1971"), "krippendorff_alpha", "nominal"),
        (wide(("aab", 9), ("b.b", 9)), "krippendorff_alpha", "nominal"),
        (Ratings.from_wide(MARKS, scale="ordinal"), "krippendorff_alpha", "ordinal"),
        (Ratings.from_wide(FLOATS, scale="interval"), "krippendorff_alpha", "interval"),
        (Ratings.from_wide([[frozenset("ab"), frozenset("a")]] * 3), "krippendorff_alpha", "masi"),
        (crowd(200, 50), "krippendorff_alpha", "nominal"),
    ],
)
def test_which_coefficient_to_report_follows_from_the_design(ratings, coefficient, distance):
    advice = recommend(ratings)
    assert (advice.coefficient, advice.distance) == (coefficient, distance)
    assert all(reason.endswith(".") for reason in advice.reasons)
    assert "because" in str(advice)
    assert advice.to_dict()["beside"][0] == "percent_agreement"


def test_ac1_stands_beside_where_a_label_is_very_common():
    assert "gwet_ac" in recommend(cs.datasets.load("di_eugenio_glass_2004_skewed")).beside


def test_the_registry_looks_names_up_as_it_finds_them() -> None:
    registry = cs.coefficients()
    for name in ("fleiss", "Fleiss' kappa", "fleiss-kappa", "scott_pi"):
        assert name in registry
        assert registry[name].name == "scott_pi"
    assert "nope" not in registry
    assert registry.get("nope") is None


def _share_of_studies(check: str, n_studies: int = 400, **design) -> float:
    (look,) = (one for one in checks() if one.__name__ == check)
    rng = np.random.default_rng(5)
    drawn = (cs.simulate(rng=rng, **design).ratings for _ in range(n_studies))
    return sum(look(Study(ratings)) is not None for ratings in drawn) / n_studies


# 400 studies at a true rate of 5% show more than 8.5% once in a thousand times.
MOST_FALSE_ALARMS = 0.085
CLEAN = {"n_items": 120, "n_raters": 3, "categories": 3, "missing": 0.15}
HABITS = [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]]


@pytest.mark.parametrize("check", ["missing_not_at_random", "bias_moves_kappa"])
@pytest.mark.parametrize("n_items", [40, 120])
def test_clean_studies_seldom_raise_a_finding(check, n_items):
    assert _share_of_studies(check, **{**CLEAN, "n_items": n_items}) <= MOST_FALSE_ALARMS


def test_raters_with_other_habits_are_not_taken_for_items_of_another_kind():
    design = {"n_items": 150, "n_raters": 3, "accuracy": 0.6, "bias": HABITS, "missing": 0.2}
    assert _share_of_studies("missing_not_at_random", **design) <= MOST_FALSE_ALARMS


def test_a_rare_label_that_was_missed_by_chance_is_not_blamed():
    design = {"n_items": 60, "categories": 4, "prevalence": [0.85, 0.05, 0.05, 0.05]}
    assert _share_of_studies("label_never_agreed", accuracy=0.9, **design) <= MOST_FALSE_ALARMS


def test_numbers_that_are_coarse_repeat_by_themselves():
    rng = np.random.default_rng(2)
    for values in (
        rng.integers(0, 20, (80, 2)) / 2,
        np.repeat(rng.integers(0, 900, (200, 1)), 3, 1),
    ):
        ratings = Ratings.from_wide(values.astype(float), scale="interval")
        assert "copied_items" not in codes(ratings)


def test_copies_are_found_wherever_they_stand_in_a_long_file(monkeypatch):
    monkeypatch.setattr(_copies, "_MOST_ITEMS", 1_000)
    values = np.random.default_rng(5).normal(size=(20_000, 2))
    values[::7, 1] = np.nan
    repeated = np.concatenate([values, values[:600]])
    (found,) = (f for f in find(numbers(repeated), []) if f.code == "copied_items")
    share = found.evidence["copies"] / found.evidence["items"]
    assert share == pytest.approx(600 / 20_600, rel=0.5)
    assert 600 < found.evidence["items"] < 1_400
    assert "copied_items" not in codes(numbers(values))
    coarse = np.repeat(np.rint(values[:, :1] * 1_000), 2, axis=1)
    assert "copied_items" not in codes(numbers(coarse))


def numbers(values):
    ratings = Ratings.from_wide(values, scale="interval")
    assert isinstance(ratings.store, NumberMatrix)
    return ratings


@pytest.mark.parametrize("seed", range(5))
def test_copies_are_counted_exactly(seed):
    rows = np.random.default_rng(seed).integers(-3, 4, (500, 3)) * 0.5
    rows[rows == 0] *= -1.0  # minus zero is zero
    assert _copies._copies(rows) == 500 - len(np.unique(rows + 0.0, axis=0))


def test_two_pairs_of_copies_do_not_hide_each_other():
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 3, (2, 60))
    z = np.where(rng.random(60) < 0.6, x, y)
    ratings = Ratings.from_wide(np.column_stack([x, x, y, y, z]))
    alpha = cs.krippendorff_alpha(ratings)
    (found,) = (f for f in find(ratings, [alpha]) if f.code == "copied_rater")
    assert found.severity == "problem"


def test_sets_that_overlap_are_not_called_confused():
    one, two, three = frozenset("ab"), frozenset("a"), frozenset("c")
    ratings = Ratings.from_wide([[one, two], [three, three], [two, one]] * 9)
    assert not {"labels_confused", "label_never_agreed"} & codes(ratings)


def test_raters_without_names_and_long_labels_make_readable_sentences():
    rows = [["x" * 500, "b"]] * 20 + [["b", "b"]] * 20
    (found,) = (f for f in find(Ratings.from_wide(rows), []) if f.code == "bias_moves_kappa")
    assert "rater 0" in found.message
    assert "the others" not in found.message
    assert len(found.message) < 300


def test_where_one_label_was_used_raw_agreement_is_all_there_is_to_report():
    for categories in (None, ["a", "b"]):
        advice = recommend(Ratings.from_wide([["a", "a"]] * 9, categories=categories))
        assert (advice.coefficient, advice.beside) == ("percent_agreement", ())


def test_one_item_is_too_few_and_said_so():
    ratings = Ratings.from_wide([["a", "b"]])
    (found,) = (
        f for f in find(ratings, [cs.krippendorff_alpha(ratings)]) if f.code == "too_few_items"
    )
    assert found.message.startswith("1 item is too few")
