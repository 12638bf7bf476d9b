"""Spans: matching rules, schemes of SemEval, tokens."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
import needed
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units import Units, semeval, span_f1, token_agreement, token_ratings

SHARED = needed.SHARED / "data"
BRAT = SHARED / "platforms" / "brat" / "example-project"
RULES = ("exact", "boundaries", "overlap", "jaccard", "left", "right", "partial")

Span = tuple[int, int, str]  # start, length, label
span = st.tuples(st.integers(0, 12), st.integers(0, 5), st.sampled_from("xy"))
marked = st.lists(span, min_size=1, max_size=4)


def units_of(a: list[Span], b: list[Span]) -> Units:
    rows = [("a", k, s, s + n) for s, n, k in a] + [("b", k, s, s + n) for s, n, k in b]
    return Units.from_records(rows)


def jaccard(x: Span, y: Span) -> float:
    if x[:2] == y[:2]:
        return 1.0
    shared = max(0, min(x[0] + x[1], y[0] + y[1]) - max(x[0], y[0]))
    return shared / (x[1] + y[1] - shared) if shared else 0.0


def credit(x: Span, y: Span) -> float:
    j = jaccard(x, y)
    return 2 * j / (1 + j)


WORTH: dict[str, Callable[[Span, Span], float]] = {
    "exact": lambda x, y: x == y,
    "boundaries": lambda x, y: x[:2] == y[:2],
    "overlap": lambda x, y: x[2] == y[2] and jaccard(x, y) > 0,
    "jaccard": lambda x, y: x[2] == y[2] and jaccard(x, y) >= 0.5,
    "left": lambda x, y: x[2] == y[2] and x[0] == y[0],
    "right": lambda x, y: x[2] == y[2] and sum(x[:2]) == sum(y[:2]),
    "partial": lambda x, y: (x[2] == y[2]) * credit(x, y),
}


@given(marked, marked)
@settings(max_examples=60, deadline=None)
def test_every_rule_takes_the_best_matching(a: list[Span], b: list[Span]) -> None:
    units, swapped = units_of(a, b), units_of(b, a)
    short, long = sorted((a, b), key=len)
    for rule in RULES:
        best = max(
            sum(WORTH[rule](x, y) for x, y in zip(short, some, strict=True))
            for some in itertools.permutations(long, len(short))
        )
        found = span_f1(units, matching=rule)  # type: ignore[arg-type]
        assert found.pairs[0].matched == pytest.approx(best), rule
        assert found.value == pytest.approx(2 * best / (len(a) + len(b)))
        assert span_f1(swapped, matching=rule).value == pytest.approx(found.value)  # type: ignore[arg-type]


@given(marked, marked)
@settings(max_examples=40, deadline=None)
def test_looser_rules_match_no_less(a: list[Span], b: list[Span]) -> None:
    value = {rule: span_f1(units_of(a, b), matching=rule).value for rule in RULES}  # type: ignore[arg-type]
    assert value["exact"] <= value["boundaries"]
    assert value["exact"] <= value["jaccard"] <= value["overlap"] + 1e-12
    assert value["exact"] <= value["partial"] + 1e-12
    assert value["partial"] <= value["overlap"] + 1e-12
    loose = span_f1(units_of(a, b), matching="overlap", labels="any").value
    assert value["overlap"] <= loose + 1e-12


@given(marked, marked)
@settings(max_examples=40, deadline=None)
def test_schemes_count_every_span_once(a: list[Span], b: list[Span]) -> None:
    units = units_of(a, b)
    one = semeval(units, reference="a", hypothesis="b")
    other = semeval(units, reference="b", hypothesis="a")
    for name, scheme in one.schemes.items():
        assert (scheme.possible, scheme.actual) == (len(a), len(b))
        assert scheme.correct == other[name].correct
        assert scheme.missed == other[name].spurious
        assert scheme.f1 == pytest.approx(other[name].f1)
    assert one["strict"].correct == span_f1(units).pairs[0].matched
    assert one["exact"].correct == span_f1(units, matching="boundaries").pairs[0].matched
    assert one["type"].correct == span_f1(units, matching="overlap").pairs[0].matched


def test_schemes_of_semeval() -> None:
    """Counts and scores as nervaluate 1.2.1 gives them."""
    gold = [("g", "x", 0, 3), ("g", "y", 5, 8), ("g", "x", 10, 12), ("g", "z", 15, 17)]
    mine = [("m", "x", 0, 3), ("m", "x", 5, 8), ("m", "x", 10, 13), ("m", "y", 30, 32)]
    found = semeval(Units.from_records(gold + mine), reference="g", hypothesis="m")
    counts = {
        name: (x.correct, x.incorrect, x.partial, x.missed, x.spurious, x.f1)
        for name, x in found.schemes.items()
    }
    assert counts == {
        "strict": (1, 2, 0, 1, 1, 0.25),
        "exact": (2, 1, 0, 1, 1, 0.5),
        "partial": (2, 0, 1, 1, 1, 0.625),
        "type": (2, 1, 0, 1, 1, 0.5),
    }
    assert "strict" in str(found)
    with pytest.raises(InputError):
        found["loose"]


def brat_units() -> Units:
    rows = []
    for folder in sorted(path for path in BRAT.iterdir() if path.is_dir()):
        for file in sorted(folder.glob("*.ann")):
            for line in file.read_text(encoding="utf-8").splitlines():
                if line.startswith("T"):
                    kind, start, end = line.split("\t")[1].split(" ")
                    rows.append((folder.name, kind, int(start), int(end), file.stem))
    return Units.from_records(rows, time_unit="character")


@needed.needs_data(BRAT)
def test_four_annotators_of_names() -> None:
    expected = json.loads((SHARED / "units" / "expected.json").read_text(encoding="utf-8"))
    want = expected["bratiaa_example"]
    found = span_f1(brat_units())
    assert [found.summary.mean, found.summary.sd] == pytest.approx(
        want["instance_f1_mean_sd"], abs=1e-7
    )
    by_label = [found.by_label[name].mean for name in ("LOC", "MISC", "ORG", "PER")]
    assert by_label == pytest.approx(want["instance_f1_by_label_LOC_MISC_ORG_PER"], abs=1e-7)
    assert found.summary.minimum == min(pair.f1 for pair in found.pairs)


def test_repeated_spans_are_a_multiset() -> None:
    rows = [("a", "x", 0, 2), ("a", "x", 0, 2), ("b", "x", 0, 2)]
    assert span_f1(Units.from_records(rows)).value == pytest.approx(2 / 3)


def test_discontinuous_spans_are_sets_of_intervals() -> None:
    def units(pieces: list[tuple[int, int]]) -> Units:
        start, end = zip(*pieces, (0, 2), (4, 6), strict=True)
        n = len(pieces)
        return Units.from_columns(
            start=start, end=end, rater=["a"] * n + ["b"] * 2, span=[1] * n + [2, 2]
        )

    assert span_f1(units([(0, 2), (4, 6)])).value == 1
    assert span_f1(units([(4, 6), (0, 1), (1, 2)])).value == 1  # pieces that touch are one
    whole = units([(0, 6)])
    assert span_f1(whole).value == 0
    assert span_f1(whole, matching="left").value == span_f1(whole, matching="right").value == 1
    assert span_f1(whole, matching="partial").value == pytest.approx(2 * 4 / (6 + 4))
    assert span_f1(whole, matching="jaccard", threshold=4 / 6).value == 1
    assert span_f1(whole, matching="jaccard", threshold=0.67).value == 0


def test_nothing_marked_is_undefined_not_one() -> None:
    rows = [("a", "x", 0, 2)]
    found = span_f1(Units.from_records(rows, raters=["a", "b", "c"]))
    assert [pair.f1 for pair in found.pairs[:2]] == [0, 0]
    assert math.isnan(found.pairs[2].f1)
    assert found.pairs[2].reason == "neither rater marked a span"
    assert found.summary.n_pairs == 2
    nobody = Units.from_columns(start=[], end=[], rater=[], raters=["a", "b"])
    assert span_f1(nobody).status == "undefined"
    assert "Not defined" in str(span_f1(nobody))


def test_sessions_and_tiers_never_meet() -> None:
    rows = [("a", "x", 0, 2, "s"), ("b", "x", 0, 2, "t")]
    for rule in RULES:
        units = Units.from_records(rows, asked="all")
        assert span_f1(units, matching=rule).value == 0  # type: ignore[arg-type]
    for absent in ("asked", "drop"):
        found = span_f1(Units.from_records(rows), absent=absent)  # type: ignore[arg-type]
        assert found.status == "undefined"
        assert [f.code for f in found.findings] == ["rater_not_asked"]


def test_interval_over_sessions() -> None:
    rows = [
        (rater, "x", 10 * k + (rater == "b" and (k + s) % 3 == 0), 10 * k + 5, f"s{s}")
        for s in range(10)
        for rater in "ab"
        for k in range(s + 1)
    ]
    found = span_f1(Units.from_records(rows), n_resamples=499)
    assert found.interval.low < found.value < found.interval.high
    assert json.dumps(found.to_dict())


@pytest.mark.parametrize(
    "options",
    [
        {"matching": "fuzzy"},
        {"threshold": 0},
        {"threshold": math.nan},
        {"labels": "none"},
        {"absent": "left_out"},
        {"true_negatives": -1},
        {"true_negatives": "many"},
        {"confidence_level": 2},
    ],
)
def test_bad_options_are_refused(options: dict[str, Any]) -> None:
    units = units_of([(0, 2, "x")], [(0, 2, "x")])
    with pytest.raises(InputError):
        span_f1(units, **options)


def test_one_rater_is_refused() -> None:
    alone = Units.from_records([("a", "x", 0, 2)])
    for call in (span_f1, token_agreement, token_ratings):
        with pytest.raises(UnsupportedDesignError):
            call(alone)
        with pytest.raises(InputError):
            call([("a", "x", 0, 2)])


# --- tokens ---------------------------------------------------------------------------------------

ROWS = [("a", "PER", 0, 2), ("a", "LOC", 5, 6), ("b", "PER", 0, 3)]


def test_tokens_are_ratings() -> None:
    rows = [["PER", "PER"]] * 2 + [["O", "PER"], ["O", "O"], ["O", "O"], ["LOC", "O"]]
    rows += [["O", "O"]] * 2
    by_hand = cs.Ratings.from_wide(rows)
    found = token_agreement(Units.from_records(ROWS, bounds=(0, 8)))
    for name, one in found.all.items():
        assert one.value == pytest.approx(getattr(cs, name)(by_hand).value)
    some = cs.Ratings.from_wide([row for row in rows if row != ["O", "O"]])
    assert found.marked["scott_pi"].value == pytest.approx(cs.scott_pi(some).value)
    assert (found.n_all, found.n_marked) == (8, 4)
    assert "marked tokens" in str(found)
    assert json.dumps(found.to_dict())


def test_longer_texts_raise_the_value_over_all_tokens_only() -> None:
    short, long = (token_agreement(Units.from_records(ROWS, bounds=(0, n))) for n in (8, 800))
    assert long.all["cohen_kappa"].value > short.all["cohen_kappa"].value
    assert long.marked["cohen_kappa"].value == short.marked["cohen_kappa"].value


def test_characters_become_tokens() -> None:
    text = [("a", "PER", 0, 11), ("b", "PER", 0, 5), ("b", "LOC", 15, 20)]
    tokens = {"session": [(0, 5), (6, 11), (12, 14), (15, 20)]}
    ratings = token_ratings(Units.from_records(text), tokens=tokens)
    assert (ratings.n_items, ratings.categories) == (4, ("O", "LOC", "PER"))
    assert cs.percent_agreement(ratings).value == pytest.approx(0.5)
    with pytest.raises(InputError, match="touches a token"):
        token_ratings(Units.from_records(text), tokens={"session": [(0, 5), (6, 11)]})
    with pytest.raises(InputError, match="in order"):
        token_ratings(Units.from_records(text), tokens={"session": [(6, 11), (0, 5)]})
    with pytest.raises(InputError, match="session in tokens"):
        token_ratings(Units.from_records(text), tokens={"other": []})


def test_nested_spans_are_refused_or_sets() -> None:
    rows = [("a", "ORG", 0, 4), ("a", "LOC", 2, 4), ("b", "ORG", 0, 4)]
    units = Units.from_records(rows, bounds=(0, 6))
    with pytest.raises(InputError, match="nested"):
        token_ratings(units)
    ratings = token_ratings(units, nested="set")
    assert set(ratings.categories) == {
        frozenset(),
        frozenset({"ORG"}),
        frozenset({"ORG", "LOC"}),
    }
    found = token_agreement(units, nested="set", distance="jaccard")
    assert 0 < found.all["krippendorff_alpha"].value < 1


def test_absent_raters_are_silent_or_missing() -> None:
    rows = [("a", "x", 0, 2, "s"), ("b", "x", 0, 2, "s"), ("a", "x", 0, 1, "t")]
    units = Units.from_records(rows, bounds={"s": (0, 4), "t": (0, 4)})
    assert token_ratings(units).n_ratings == 12
    assert token_ratings(units, absent="count").n_ratings == 16
    assert token_ratings(units, absent="drop").n_ratings == 12


def test_outside_must_not_be_a_label() -> None:
    units = Units.from_records([("a", "O", 0, 2), ("b", "O", 0, 2)])
    with pytest.raises(InputError, match="outside"):
        token_ratings(units)
    assert token_ratings(units, outside="none").categories == ("O",)


def test_of_thousands_of_labels_the_most_used_are_shown() -> None:
    records = [(who, f"l{k}", 10 * k, 10 * k + 5) for who in ("a", "b") for k in range(3_500)]
    found = span_f1(Units.from_records([*records, ("a", "l3499", 90_000, 90_001)]))
    assert len(found.by_label) == 3_500
    assert "The 100 labels that are used most, of 3,500." in str(found)
    assert "label l3499" in str(found)
    assert len(found.to_dict()["labels"]) == 3_500
