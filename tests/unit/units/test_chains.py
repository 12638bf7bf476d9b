"""Labels that are sets: chains, extended senses, sets of words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.distances import masi_distance, passonneau_distance, taxonomy
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units import Units, chain_ratings, extended_senses, word_set_ratings

# Artstein & Poesio (2005), section 4.1: the second "it" of utterance 3.1.
ANN = {"engine E2": None, "it 1": "engine E2", "it 2": "engine E2"}
BOB = {"engine E2": None, "it 1": "engine E2", "it 2": "it 1"}


def test_different_antecedents_in_one_chain_agree() -> None:
    chains = chain_ratings({"Ann": ANN, "Bob": BOB})
    assert cs.percent_agreement(chains).value == 1
    antecedents = cs.Ratings.from_wide([[ANN[m], BOB[m]] for m in ("it 1", "it 2")])
    assert cs.percent_agreement(antecedents).value == 0.5


def test_a_forgotten_mention_costs_part_of_the_agreement() -> None:
    marks = {
        "Ann": {1: None, 2: 1, 3: 2, 10: None, 11: 10},
        "Bob": {1: None, 2: 1, 3: None, 10: None, 11: 10},
    }
    ratings = chain_ratings(marks)
    nominal = cs.cohen_kappa(ratings).value
    values = {d: cs.cohen_kappa(ratings, distance=d).value for d in ("jaccard", "dice", "masi")}
    assert nominal < values["masi"] < values["jaccard"] < values["dice"] < 1


@pytest.mark.parametrize(
    ("options", "label"),
    [
        ({}, {1, 2, 3}),
        ({"itself": "exclude"}, {1, 3}),
        ({"scope": "before"}, {1, 2}),
        ({"scope": "before", "itself": "exclude"}, {1}),
    ],
)
def test_what_belongs_to_a_label(options: dict[str, Any], label: set[int]) -> None:
    links = {1: None, 2: 1, 3: 2}
    ratings = chain_ratings({"a": links, "b": links}, **options)
    assert list(ratings.items) == ["1", "2", "3"]
    assert frozenset(label) in ratings.categories


def test_unlinked_mentions() -> None:
    alone = {"m": None}
    assert chain_ratings({"a": alone, "b": alone}).categories == (frozenset({"m"}),)
    empty = chain_ratings({"a": alone, "b": alone}, itself="exclude")
    assert empty.categories == (frozenset(),)


def test_mentions_of_all_raters_or_of_any() -> None:
    marks = {"a": {1: None, 2: 1}, "b": {1: None, 5: 1}}
    assert chain_ratings(marks).n_items == 1
    every = chain_ratings(marks, items="any")
    assert (every.n_items, every.n_missing) == (3, 2)


links = st.dictionaries(st.integers(0, 8), st.none() | st.integers(0, 8), min_size=9, max_size=9)


@given(links, links)
@settings(deadline=None)
def test_links_and_chains_say_the_same(a: Any, b: Any) -> None:
    def chains(given_links: dict[int, int | None]) -> list[list[int]]:
        groups = [{m} for m in given_links]
        for mention, antecedent in given_links.items():
            if antecedent is not None:
                joined = [g for g in groups if mention in g or antecedent in g]
                groups = [g for g in groups if g not in joined] + [set().union(*joined)]
        return [sorted(g) for g in groups]

    one = chain_ratings({"a": a, "b": b})
    two = chain_ratings({"a": chains(a), "b": chains(b)}, form="chains")
    assert set(one.categories) == set(two.categories)
    value = [
        cs.krippendorff_alpha(r, distance="masi", on_undefined="ignore").value for r in (one, two)
    ]
    assert value[0] == pytest.approx(value[1], nan_ok=True)
    back = chain_ratings({"b": b, "a": a})
    again = cs.krippendorff_alpha(back, distance="masi", on_undefined="ignore").value
    assert value[0] == pytest.approx(again, nan_ok=True)


@pytest.mark.parametrize(
    ("marks", "options"),
    [
        ([], {}),
        ({"a": [1], "b": {1: 2}}, {}),
        ({"a": {1: {}}, "b": {1: 2}}, {}),
        ({"a": {math.nan: 1}, "b": {1: 2}}, {}),
        ({"a": [[1, 2], [2, 3]], "b": [[1]]}, {"form": "chains"}),
        ({"a": ["ab"], "b": [[1]]}, {"form": "chains"}),
        ({"a": {"x": "y"}, "b": {"x": None}}, {"scope": "before"}),
        ({"a": {"x": "y"}, "b": {"x": None}}, {"order": ["x"]}),
        ({"a": {1: 2}, "b": {1: 2}}, {"itself": "no"}),
        ({"a": {1: 2}, "b": {1: 2}}, {"items": "all"}),
    ],
)
def test_bad_marks_are_refused(marks: Any, options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        chain_ratings(marks, **options)


def test_designs_that_cannot_be_are_refused() -> None:
    with pytest.raises(UnsupportedDesignError, match="two raters"):
        chain_ratings({"a": {1: 2}})
    with pytest.raises(UnsupportedDesignError, match="all raters marked"):
        chain_ratings({"a": {1: None}, "b": {2: None}})


# --- senses (Artstein & Poesio 2005, section 4.4) ----------------------------------------------

CALL = {"WN1": "LABEL", "WN3": "LABEL", "WN19": "SEE", "WN22": "ADDRESS"}


def test_extended_senses_of_call() -> None:
    es = extended_senses(CALL)
    assert es["WN1"] == {"WN1", "LABEL"}
    assert passonneau_distance(es["WN1"], es["WN3"]) == pytest.approx(2 / 3)
    assert passonneau_distance(es["WN1"], es["LABEL"]) == pytest.approx(1 / 3)
    assert passonneau_distance(es["WN1"], es["WN19"]) == 1


def test_collapsed_labels_are_the_taxonomy_distance() -> None:
    table = [["WN1", "WN3"], ["WN1", "LABEL"], ["WN19", "WN19"], ["WN22", "WN1"]]
    plain = cs.Ratings.from_wide(table)
    es = extended_senses(CALL)
    sets = plain.collapse({label: es[label] for label in plain.categories})
    one = cs.krippendorff_alpha(sets, distance="passonneau").value
    other = cs.krippendorff_alpha(plain, distance=taxonomy(CALL, distance="passonneau")).value
    assert one == pytest.approx(other)


def test_senses_must_not_run_in_circles() -> None:
    with pytest.raises(InputError, match="circles"):
        extended_senses({"a": "b", "b": "a"})
    with pytest.raises(InputError, match="mapping"):
        extended_senses(["a"])  # type: ignore[arg-type]


def test_masi_facts() -> None:
    assert masi_distance({1, 2}, {1, 2, 3, 4}) == pytest.approx(2 / 3)
    assert masi_distance(set(), set()) == 0
    assert masi_distance(set(), {1}) == passonneau_distance(set(), {1}) == 1


# --- words ----------------------------------------------------------------------------------------


def test_marked_words_of_a_text() -> None:
    units = Units.from_records(
        [("a", "x", 0, 2), ("a", "x", 4, 5), ("b", "x", 0, 3)], bounds=(0, 9)
    )
    ratings = word_set_ratings(units)
    assert set(ratings.categories) == {frozenset({1, 2, 5}), frozenset({1, 2, 3})}


def test_a_rater_who_marked_nothing_gave_the_empty_set() -> None:
    units = Units.from_records([("a", "x", 0, 2)], raters=["a", "b"], bounds=(0, 9))
    assert set(word_set_ratings(units).categories) == {frozenset({1, 2}), frozenset()}


def test_segments_as_sets_of_words() -> None:
    units = Units.from_masses({"a": [2, 3, 6], "b": [2, 2, 7]})
    ratings = word_set_ratings(units, items="words")
    assert ratings.n_items == 11
    jaccard = cs.krippendorff_alpha(ratings, distance="jaccard").value
    assert cs.krippendorff_alpha(ratings).value < jaccard < 1
    same = Units.from_masses({"a": [2, 3, 6], "b": [2, 3, 6]})
    value = cs.krippendorff_alpha(word_set_ratings(same, items="words"), distance="dice").value
    assert value == 1


def test_words_of_two_texts_are_not_the_same() -> None:
    units = Units.from_masses({"a": {"t": [2, 2], "u": [2, 2]}, "b": {"t": [4], "u": [4]}})
    ratings = word_set_ratings(units, items="words")
    assert (ratings.n_items, len(ratings.categories)) == (8, 6)


def test_overlapping_segments_of_words_are_refused() -> None:
    units = Units.from_records([("a", "x", 0, 3), ("a", "x", 2, 5), ("b", "x", 0, 3)])
    with pytest.raises(UnsupportedDesignError, match="do not overlap"):
        word_set_ratings(units, items="words")
    with pytest.raises(InputError):
        word_set_ratings(units, items="segments")  # type: ignore[arg-type]


def forty_texts(seed: int = 3) -> tuple[Units, cs.Ratings]:
    """Forty texts in which three raters mark nearly the same words, and the sets by hand."""
    rng = np.random.default_rng(seed)
    records, rows = [], []
    for text in range(40):
        start, length = int(rng.integers(0, 20)), int(rng.integers(3, 9))
        row = []
        for rater in ("a", "b", "c"):
            first = start + int(rng.integers(0, 2))
            last = start + length + int(rng.integers(0, 2))
            records.append((rater, "x", first, last, f"text {text}"))
            row.append(frozenset(f"text {text} word {w}" for w in range(first + 1, last + 1)))
        rows.append(row)
    return Units.from_records(records, bounds=(0, 40)), cs.Ratings.from_wide(rows)


@pytest.mark.parametrize("distance", ["jaccard", "dice", "masi", "passonneau"])
def test_words_of_different_texts_are_different_words(distance: str) -> None:
    units, by_hand = forty_texts()
    found = cs.krippendorff_alpha(word_set_ratings(units), distance=distance).value
    expected = cs.krippendorff_alpha(by_hand, distance=distance).value
    assert found == pytest.approx(expected, abs=1e-12)
    assert found > 0.5


def test_words_of_one_text_are_the_same_on_all_of_its_tiers() -> None:
    """Two deictic expressions of one text may have antecedents that overlap."""
    rows = [("a", "x", 0, 2, "t", "that 1"), ("b", "x", 0, 2, "t", "that 1")]
    rows += [("a", "x", 1, 3, "t", "that 2"), ("b", "x", 1, 3, "t", "that 2")]
    ratings = word_set_ratings(Units.from_records(rows, bounds=(0, 9)))
    first, second = ratings.categories
    assert len(first & second) == 1


def test_each_label_may_be_an_item_and_whole_spans_members() -> None:
    """Artstein & Poesio, 4.5: in "ID-2 receptors" the terms are "ID-2" and "ID-2 receptors"."""
    rows = [("a", "term", 0, 1), ("a", "term", 0, 2), ("b", "term", 0, 2), ("b", "unit", 4, 6)]
    units = Units.from_records([*rows, ("a", "unit", 4, 6)], bounds=(0, 9))
    terms = word_set_ratings(units, items="labels", pieces="spans")
    assert list(map(str, terms.items)) == ["session term", "session unit"]
    assert set(terms.categories) == {
        frozenset({"1-1", "1-2"}),
        frozenset({"1-2"}),
        frozenset({"5-6"}),
    }
    pairs = word_set_ratings(units, pieces="bigrams")
    assert set(pairs.categories) == {frozenset({1, "1-2", "5-6"}), frozenset({"1-2", "5-6"})}
