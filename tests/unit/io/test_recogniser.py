"""What the recogniser takes a table for: the layouts, and the cases in which it must refuse."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from consilience.io.grids._header import weigh_header
from consilience.io.layout.computed_parts import n_footers
from consilience.io.layout.decision import (
    COUNTS,
    LONG,
    TABLE,
    TRANSPOSED,
    WIDE,
    Decision,
    Hypothesis,
    decide,
)
from consilience.io.layout.likeness import sure_companions
from consilience.io.layout.profile import Column, profile_of
from consilience.io.layout.recognise import Told, hypotheses
from tables.habits import draw

IDS = "student_id nr no # idx uid video_id clip trial paper prompt_id response_id conversation_id"


def decided(names: Sequence[str], rows: Sequence[Sequence[object]]) -> Decision:
    """Recognise a table in memory."""
    cells = [[None if cell in (None, "") else str(cell) for cell in row] for row in rows]
    profile = profile_of(names, cells)
    return decide(profile, hypotheses(profile, Told()))


def taken(names: Sequence[str], rows: Sequence[Sequence[object]]) -> Hypothesis | None:
    """Return what a table is clearly taken for; None where it is refused."""
    decision = decided(names, rows)
    if not decision.is_clear or decision.best is None:
        return None
    return decision.best.hypothesis


def votes(rng: Random, n: int, labels: Sequence[object], raters: int = 2) -> list[list[object]]:
    """Draw items on which raters mostly agree."""
    rows = []
    for _ in range(n):
        true = rng.choice(labels)
        rows.append([true if rng.random() < 0.8 else rng.choice(labels) for _ in range(raters)])
    return rows


@pytest.mark.parametrize("name", IDS.split())
@pytest.mark.parametrize("labels", [(1, 2, 3, 4, 5), tuple(range(40, 100))])
def test_identifiers_are_no_raters(name: str, labels: tuple[int, ...]) -> None:
    rng = Random(f"{name}{len(labels)}")
    rows = [[k + 1, *row] for k, row in enumerate(votes(rng, 60, labels))]
    assert taken([name, "Smith", "Jones"], rows) == Hypothesis(WIDE, item=(0,), rater=(1, 2))


@pytest.mark.parametrize("name", ["batch", "year", "seconds"])
def test_number_beside_words_is_no_rater(name: str) -> None:
    rng = Random(name)
    rows = [
        [f"doc_{k:03}", *row, rng.randrange(1, 4)]
        for k, row in enumerate(votes(rng, 40, ("yes", "no", "maybe")))
    ]
    found = taken(["doc", "Ann", "Bob", name], rows)
    assert found is not None
    assert found.rater == (1, 2)


def test_dissenting_rater_stays() -> None:
    rng = Random(5)
    rows = [
        [f"t{k}", *row, "no"] for k, row in enumerate(votes(rng, 20, ("yes", "maybe"), raters=2))
    ]
    found = taken(["text_id", "Ann", "Bob", "Cem"], rows)
    assert found is None or found.rater == (1, 2, 3)


def test_constant_rater_stays_though_sums_fit() -> None:
    """Two who agree and one who says 0: each of the two is the sum of the others."""
    rng = Random(6)
    rows = [[k, value, value, 0] for k in range(24) for value in [rng.choice((0, 1, 1))]]
    found = taken(["item", "coder_a", "coder_b", "coder_c"], rows)
    assert found is None or found.rater == (1, 2, 3)


def test_rater_and_label_by_name() -> None:
    rng = Random(7)
    rows = [
        [f"gesture {k}", who, rng.randrange(1, 4), label]
        for k, row in enumerate(votes(rng, 30, ("wave", "point", "rest")))
        for who, label in zip(("Ann", "Bob"), row, strict=True)
    ]
    found = taken(["gesture", "rater", "day", "label"], rows)
    assert found == Hypothesis(LONG, item=(0,), rater=(1,), label=(3,))


def test_long_table_of_unlisted_names() -> None:
    rng = Random(8)
    rows = [
        [label, who, k]
        for k, row in enumerate(votes(rng, 50, ("a", "b", "c"), raters=3), start=1)
        for who, label in zip(("kim", "lee", "cho"), row, strict=True)
    ]
    found = taken(["tag", "staff", "student_id"], rows)
    assert found is None or found == Hypothesis(LONG, item=(2,), rater=(1,), label=(0,))


def test_cross_table_of_numbers() -> None:
    assert weigh_header([["", "1", "2"], ["1", "45", "5"], ["2", "5", "45"]])[0] > 2
    found = taken(["", "1", "2"], [[1, 45, 5], [2, 5, 45]])
    assert found is not None
    assert found.shape == TABLE


@pytest.mark.parametrize("names", [("1", "2"), ("pos", "neg"), ("a", "b")])
def test_counts_under_numbers_and_words(names: tuple[str, str]) -> None:
    rng = Random(9)
    rows = [[f"doc_{k:03}", m, 3 - m] for k in range(30) for m in [rng.choice((0, 0, 3, 3, 1))]]
    assert taken(["phrase", *names], rows) == Hypothesis(COUNTS, item=(0,), category=(1, 2))


def test_total_of_marks_makes_no_counts() -> None:
    rng = Random(10)
    rows = [[*row, sum(map(int, row))] for row in votes(rng, 12, range(50, 80), raters=4)]  # type: ignore[call-overload]
    found = taken(["ann1", "ann2", "ann3", "ann4", "total"], rows)
    assert found is not None
    assert (found.shape, found.rater) == (WIDE, (0, 1, 2, 3))


def test_mean_is_set_aside_and_gold_is_asked_for() -> None:
    rng = Random(11)
    rows = [[f"e{k}", *row] for k, row in enumerate(votes(rng, 25, (1, 2, 3, 4, 5), raters=3))]
    means = [[*row, round(sum(map(int, row[1:])) / 3, 2)] for row in rows]  # type: ignore[call-overload]
    found = taken(["essay", "Ann", "Bob", "Cem", "mean rating"], means)
    assert found is not None
    assert found.rater == (1, 2, 3)
    gold = [[*row, rng.choice(row[1:])] for row in rows]
    assert taken(["essay", "Ann", "Bob", "Cem", "gold"], gold) is None


def test_companions_are_no_raters() -> None:
    rng = Random(12)
    rows = [
        [f"s{k}", a, rng.randrange(1, 6), b, rng.randrange(1, 6)]
        for k, (a, b) in enumerate(votes(rng, 30, (1, 2, 3, 4, 5)))
    ]
    names = ["sentence", "Ann", "Ann_confidence", "Bob", "Bob_confidence"]
    found = taken(names, rows)
    assert found is not None
    assert found.rater == (1, 3)


def test_models_that_share_a_name_are_raters() -> None:
    rng = Random(13)
    rows = [[f"s{k}", *row] for k, row in enumerate(votes(rng, 40, ("good", "bad", "fair"), 4))]
    names = ["sentence", "gpt-4o", "gpt-4o-mini", "o3", "o3-mini"]
    cells = [[str(cell) for cell in row] for row in rows]
    assert not sure_companions(profile_of(names, cells))
    found = taken(names, rows)
    assert found is None or found.rater == (1, 2, 3, 4)


def test_transposed_with_a_fact_about_the_rater() -> None:
    rng = Random(14)
    items = list(zip(*votes(rng, 40, (1, 2, 3, 4, 5), raters=3), strict=True))
    rows = [[f"rater_{k}", 1, *row] for k, row in enumerate(items)]
    found = taken(["rater", "sex", *(f"essay_{k:02}" for k in range(40))], rows)
    assert found is not None
    assert (found.shape, found.item) == (TRANSPOSED, tuple(range(2, 42)))


def test_two_groups_of_alike_columns_are_not_mixed() -> None:
    rng = Random(15)
    rows = [
        [f"s{k}", *left, *right]
        for k, (left, right) in enumerate(
            zip(votes(rng, 40, ("yes", "no")), votes(rng, 40, ("low", "high")), strict=True)
        )
    ]
    found = taken(["case", "Ann", "Bob", "Cem", "Dana"], rows)
    assert found is None


@pytest.mark.parametrize("first", [["1", "2"], ["A", "B"]])
def test_first_line_that_may_be_labels_is_no_header_for_sure(first: list[str]) -> None:
    rng = Random(16)
    rows = [[str(cell) for cell in row] for row in votes(rng, 30, first)]
    assert abs(weigh_header([first, *rows])[0]) < 2


def test_letters_above_letters_beside_identifiers() -> None:
    rng = Random(17)
    rows = [[f"S{k:03}", *map(str, row)] for k, row in enumerate(votes(rng, 30, "ABCD", raters=3))]
    assert weigh_header([["story", "A", "B", "C"], *rows])[0] > 2


def test_last_row_that_looks_like_a_maximum_is_data() -> None:
    rows = [["1", "2", "x"], [None, "5", "y"], ["5", None, "z"], [None, "5", "u"]]
    assert n_footers(rows) == 0
    totals = [["a", "1", "2"], ["b", "3", "1"], ["c", "2", "2"], ["Total", "6", "5"]]
    assert n_footers(totals) == 1


def test_marks_for_missing_values_go_by_column() -> None:
    assert Column(0, "", ("1", "NA", "-", "2")).values == ("1", None, None, "2")
    assert Column(0, "", ("yes", "NA", "no")).counts.keys() == {"yes", "no"}


@pytest.mark.parametrize("seed", range(3))
def test_generated_tables_are_right_or_refused(seed: int) -> None:
    """Ordinary wide tables: all raters, or a refusal; most of them right."""
    right = seen = 0
    for number in range(40):
        case = draw("ordinary", "tune", 900 + seed, number)
        plain = not {"no header", "empty corner"} & set(case.features)
        if case.layout != "wide" or case.ambiguous or not plain or len(case.cells[0]) > 8:
            continue
        names, *rows = case.cells
        found = taken([str(name) for name in names], rows)
        seen += 1
        if found is not None:
            raters = case.truth.variables[0][1].raters
            assert (found.shape, len(found.rater)) == (WIDE, len(raters)), case.name
            right += 1
    assert right >= 0.8 * seen


def test_label_of_a_cross_table_is_no_footer() -> None:
    names = ["", "agree", "partly agree", "do not agree"]
    rows = [
        ["agree", "3", "0", "0"],
        ["partly agree", "0", "2", "2"],
        ["do not agree", "3", "2", "2"],
    ]
    assert n_footers(rows, names) == 0


def test_total_under_an_unknown_word_is_a_footer_when_the_last_column_has_its_name() -> None:
    rng = Random(7)
    counts = [[rng.randrange(4) for _ in range(3)] for _ in range(12)]
    rows = [[f"page{k}.txt", *map(str, row), str(sum(row))] for k, row in enumerate(counts)]
    sums = [sum(column) for column in zip(*counts, strict=True)]
    last = ["Gesumme", *map(str, sums), str(sum(sums))]
    assert n_footers([*rows, last], ["slide", "202", "203", "204", "Gesumme"]) == 1


def test_few_ratings_are_no_footer_though_they_equal_a_count() -> None:
    rows = [["02", "04"], ["03", "03"], ["03", "03"], ["02", "03"], ["04", "03"]]
    assert n_footers(rows, ["Coder 1", "Coder 2"]) == 0
