"""Every finding has data that trigger it and data that nearly do."""

from __future__ import annotations

import consilience as cs
from consilience.findings import find


def codes(ratings: cs.Ratings, *estimates: cs.Estimate) -> set[str]:
    return {finding.code for finding in find(ratings, estimates)}


def test_comparing_672_with_67_is_pointless_evert_and_baroni() -> None:
    """SIGIL unit 9: kappa .672, interval [.562, .783], threshold .67."""
    ratings = cs.datasets.load("di_eugenio_glass_2004_bias")
    kappa = cs.cohen_kappa(ratings)
    (found,) = (f for f in find(ratings, [kappa]) if f.code == "straddles_threshold")
    assert "0.672" in found.message
    assert "0.562 to 0.783" in found.message


def test_an_interval_on_one_side_of_all_thresholds_says_nothing() -> None:
    sure = cs.Ratings.from_table([[4900, 100], [90, 4910]])
    assert "straddles_threshold" not in codes(sure, cs.cohen_kappa(sure))


def test_thresholds_made_for_kappa_are_not_held_against_other_coefficients() -> None:
    ratings = cs.datasets.load("di_eugenio_glass_2004_bias")
    assert "straddles_threshold" not in codes(ratings, cs.gwet_ac(ratings), cs.bennett_s(ratings))


def test_zwick_1988_reports_bias_only_where_margins_differ() -> None:
    assert "rater_bias" in codes(cs.datasets.load("zwick_1988_case3"))
    assert "rater_bias" not in codes(cs.datasets.load("zwick_1988_case2"))
    assert "rater_bias" not in codes(cs.datasets.load("zwick_1988_case1"))


def test_counts_do_not_say_who_prefers_what() -> None:
    assert "rater_bias" not in codes(cs.datasets.load("fleiss_1971"))


def test_what_the_ratings_noted_comes_first() -> None:
    ratings = cs.Ratings.from_wide([["Yes", "yes"], ["no", "no"]])
    assert next(iter(find(ratings, []))).code == "labels_look_alike"


def test_the_registry_looks_names_up_as_it_finds_them() -> None:
    registry = cs.coefficients()
    for name in ("fleiss", "Fleiss' kappa", "fleiss-kappa", "scott_pi"):
        assert name in registry
        assert registry[name].name == "scott_pi"
    assert "nope" not in registry
    assert registry.get("nope") is None
