"""What the recogniser says of a column, a name or a pair of columns: each part by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from consilience.io.grids._header import header_pieces, weigh_header
from consilience.io.layout.computed_parts import _is_far_beyond, computed_from, is_summed, n_footers
from consilience.io.layout.counts import Tally, _cells
from consilience.io.layout.decision import _in_short
from consilience.io.layout.lexicon import (
    family_of,
    is_code,
    is_hash,
    is_loose_code,
    is_template,
    looks_like_model,
    looks_like_person,
    roles_of,
    style_of,
)
from consilience.io.layout.likeness import (
    Group,
    against,
    alphabet_probability,
    has_labels_of,
    named_alike,
    named_as_rater,
    shared,
    sure_companions,
)
from consilience.io.layout.long_tables import _alike, may_be_agreed
from consilience.io.layout.profile import Column, as_number, plain_name, profile_of
from consilience.io.layout.variable_columns import are_kinds_of_raters, likeness
from consilience.io.layout.wide_tables import (
    _are_identifiers,
    _called_by_labels,
    _called_like_columns,
)


def column(*cells: str | None, name: str = "", j: int = 0) -> Column:
    return Column(j, name, cells)


def named(*names: str, cells: Sequence[str] = ("x", "y")) -> Group:
    return Group([Column(j, name, tuple(cells)) for j, name in enumerate(names)])


# -------------------------------------------------------------------- one column


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ((), "empty"), ((None, "NA"), "empty"), (("1", "02", "3.0", "-4"), "whole"),
        (("1", "2.5"), "decimal"), (("2,5", "1e3"), "decimal"), (("1.050,5", "2"), "decimal"),
        (("2026-05-03", "3.5.2026", "3 May 2026"), "date"), (("9:30", "10:15:00"), "date"),
        (("1", "x"), "text"), (("1", "9:30"), "text"),
    ],
)  # fmt: skip
def test_the_kind_of_a_column_is_that_of_all_its_values(cells, kind):
    assert column(*cells).kind == kind


@pytest.mark.parametrize(
    ("cells", "is_one"),
    [
        ("345", True), ("34", False), ("135", False), ("112", False), ("321", False),
        (("doc_1", "doc_2", "doc_3"), True), (("doc_1", "tex_2", "doc_3"), False),
    ],
)  # fmt: skip
def test_numbers_that_run_on(cells, is_one):
    assert column(*cells).is_running == is_one


@pytest.mark.parametrize(
    ("cells", "is_one"),
    [
        (("1", "5", "9", "10"), True), (("1", "5", "9"), False), (("1", "5", "5", "9"), False),
        (("1", "9", "5", "10"), False), (("a1", "a5", "a9", "a10"), True),
        (("0.5", "1", "2.5", "3"), True),
    ],
)  # fmt: skip
def test_numbers_that_go_up(cells, is_one):
    assert column(*cells).is_rising == is_one


@pytest.mark.parametrize(
    ("cells", "is_one"),
    [("312", True), ("201", True), ("234", False), ("124", False), ("21", False), ("113", False)],
)
def test_each_number_once(cells, is_one):
    assert column(*cells).is_permutation == is_one


def test_equal_values_that_stand_together_are_counted_against_chance():
    # 8 cells in 2 runs; two of them are equal with 3/7, so that 1 + 7 × 4/7 = 5 are expected.
    assert column(*"aaaabbbb").blocks == pytest.approx((5 - 2) / 2)
    assert column(*"aaaabbbb", None).blocks == pytest.approx((5 - 2) / 2)
    for cells in ("abababab", "aaaa", "abcd"):
        assert column(*cells).blocks == 0.0


def test_how_often_two_cells_are_equal():
    assert column(*"aaab").collision_rate == pytest.approx(6 / 12)
    assert column("1", "1.0", "2").collision_rate == pytest.approx(2 / 6)
    assert column("Yes", "yes", None).collision_rate == 1.0
    assert column("a").collision_rate == 0.0


def test_texts_and_remarks():
    assert column("ab", "ab", "abcd").length == pytest.approx(8 / 3)
    text = "This is what was said in line {}"
    assert column(*map(text.format, range(4))).is_prose
    assert not column(text).is_prose  # one text is no column of texts
    assert not column(*[text] * 4).is_prose  # it comes back
    assert not column("a b c d", "e f g h").is_prose  # short
    assert not column(*("x" * 40 + str(k) for k in range(4))).is_prose  # no words
    addresses = [f"https://example.org/texts/{k:020}" for k in range(3)]
    assert column(*map(text.format, range(4)), *addresses).is_prose
    assert not column(*map(text.format, range(3)), *addresses).is_prose  # half is not most
    assert column("not sure", None, "see above", "unclear").is_remark
    assert column("late", None, None, None, "ill").is_remark
    assert not column(*"abab").is_remark
    assert not column("late", "ill", "old").is_remark


def test_numbers_as_people_write_them():
    cells = ("1", "2,5", "1.050,5", "1,050.5", "-3.0", "1e3")
    assert list(map(as_number, cells)) == [1, 2.5, 1050.5, 1050.5, -3, 1000]
    assert [as_number(cell) for cell in ("", "x", "inf", "nan", "1.2.3")] == [None] * 5
    assert list(map(plain_name, (" Yes ", "1.0", "1.5", "a.0"))) == ["Yes", "1", "1.5", "a.0"]


# -------------------------------------------------------------------- several columns


def test_what_depends_on_what():
    rows = [("a", "x", "1"), ("b", "y", "1"), ("a", "x", "2"), ("b", None, "2")]
    profile = profile_of(["item", "topic", "n"], rows)
    assert profile.codes(1) == (0, 1, 0, -1)
    assert profile.joint((0, 2)) == ((0, 0), (1, 0), (0, 1), (1, 1))
    assert profile.times((0,)) == {0: 2, 1: 2}
    assert profile.depends(1, (0,))
    assert not profile.depends(2, (0,))
    assert not profile.depends(1, (0, 2))  # nothing comes back
    assert not profile.same_partition(0, 1)
    assert profile_of(["a", "b"], [("p", "q"), ("r", "s")]).same_partition(0, 1)


def test_a_label_on_which_all_agree_is_one_only_if_it_differs_between_items():
    rows = [(item, rater, label, "same") for item, label in ("ax", "by") for rater in "PQ"]
    profile = profile_of(["item", "rater", "label", "code"], rows)
    assert may_be_agreed(profile, profile.columns[2], (0,))
    assert not may_be_agreed(profile, profile.columns[3], (0,))
    assert not may_be_agreed(profile, profile.columns[1], (0,))


# -------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("name", "stem", "tail"),
    [
        ("R1", "r#", "1"), ("coder_a", "coder_#", "a"), ("Rater (2)", "rater (#", "2"),
        ("A", "", "A"), ("b", "a", "b"), ("7", "#", "7"), ("coderB", "coder#", "B"),
        ("x@y.org", "@", "x@y.org"), ("A3XO4K", "A0", "A3XO4K"), ("Dr. Who", "dr ", "Who"),
        ("Rater_1_score", "rater_#_score", "1"), ("1. What is it?", "#", "1"),
        ("x" * 199 + "1", "x" * 199 + "#", "1"),
    ],
)  # fmt: skip
def test_names_are_cut_into_a_family_and_a_member(name, stem, tail):
    family = family_of(name)
    assert family is not None
    assert (family.stem, family.tail) == (stem, tail)


def test_names_without_a_family():
    assert [family_of(name) for name in ("", " ", "tone", "Ann Lee", "x" * 200 + "1")] == [None] * 5


def test_names_that_a_machine_drew():
    assert [is_code(name) for name in ("AD3O4K8", "AMHLK96", "AD3O", "ABCDEF")] == [1, 0, 0, 0]
    assert [is_loose_code(name) for name in ("AMHLK96", "AMHLK", "amhlk96")] == [1, 0, 0]
    assert [is_hash(name) for name in ("6b0f40994925", "deadbeef", "6b0f")] == [1, 0, 0]
    assert is_template(["doc_001", "doc_002", "doc_17"])
    assert is_template(["6b0f4099", "7c1a5188", "0d2b6277"])
    for values in (
        ["doc_1", "doc_2"],
        ["1", "2", "3"],
        ["doc_1", "doc_2", "tex_3"],
        ["a", "b", "c"],
    ):
        assert not is_template(values)


def test_persons_and_models():
    for name in ("Ann", "A. Lee", "Ann-Marie O'Neil", "ann@lab.org", "王芳"):
        assert looks_like_person(name), name
    for name in ("ann", "tone", "R1", "A" + "n" * 40, ""):
        assert not looks_like_person(name), name
    assert [looks_like_model(name) for name in ("gpt-4o", "my_llama3", "optics")] == [1, 1, 0]
    styles = {"ANN": "upper", "ann": "lower", "Ann": "title", "R1": "upper#", "a_b": "lower_",
              "Ann Lee 2": "title#_"}  # fmt: skip
    assert {name: style_of(name) for name in styles} == styles


def test_words_are_more_or_less_like_raters():
    """From names that say so, through words that say nothing, to names of variables."""
    beside = ["tone", "theme"]
    steps = [
        ["coder1", "coder2"], ["R1", "R2"], ["AB", "CD"], ["Ann", "Bob"], ["left", "right"],
        ["label", "code", "left"], ["v1", "v2"], ["label", "code"],
    ]  # fmt: skip
    assert [likeness(words, beside) for words in steps] == [4, 3, 2, 1, 0, -1, -2, -3]
    assert likeness(["Mr. Hill", "Mrs. Dale"], beside) == likeness(["c1", "c2"], beside) == 2
    assert likeness(["gpt-4o", "claude-3"], beside) == 4
    for words in (["AB", "CD"], ["c1", "c2"], ["Ann", "Bob"]):
        assert likeness(words, ["1", "2"]) == 0  # beside numbers capitals are no names
    assert likeness(["label", "left"], beside) == 0  # half of them is not most


def test_kinds_of_raters_are_no_raters():
    assert are_kinds_of_raters(["human", "model"], ["Ann", "Bob"])
    assert are_kinds_of_raters(["Human", "other"], ["Ann", "Bob"])
    assert not are_kinds_of_raters(["human1", "model2"], ["Ann", "Bob"])
    assert not are_kinds_of_raters(["human", "model"], ["label", "code"])
    assert not are_kinds_of_raters(["left", "right"], ["Ann", "Bob"])


def test_very_many_columns_are_named_by_a_pattern_that_fits_them_alone():
    many = tuple(f"q{k:02d}" for k in range(41))
    assert _in_short(many[:40], [*many, "quality"]) == many[:40]
    assert _in_short(many, ["id", *many]) == ("q*",)
    assert _in_short(many, ["id", *many, "quality"]) == ()
    assert _in_short(many[:0:-1] + many[:1], ["id", *many]) == ()  # another order
    odd = tuple(f"q[{k}]" for k in range(41))
    assert _in_short(odd, odd) == ()


# -------------------------------------------------------------------- likeness, in nats


def test_the_alphabet_of_whole_numbers_is_a_distribution():
    # 2 / ((k + 2)(k + 3)) = 2 / (k + 2) - 2 / (k + 3): the sum up to n is 1 - 2 / (n + 3).
    total = sum(alphabet_probability(str(k), True) for k in range(998))
    assert total == pytest.approx(1 - 2 / 1000)
    assert alphabet_probability("-7", True) == alphabet_probability("7", True)
    # A fraction is rarer than the whole number below it; so is a longer word.
    assert alphabet_probability("2.5", True) == pytest.approx(
        0.05 * alphabet_probability("2", True)
    )
    words = [alphabet_probability(word, False) for word in ("y", "yes", "maybe")]
    assert words == sorted(words, reverse=True)
    assert len(set(words)) == 3


def worth(cells: Sequence[str], *, beside: Sequence[str]) -> float:
    return shared(column(*cells, j=2), named("P", "Q", cells=beside))


def test_labels_of_the_others_are_worth_what_it_costs_to_guess_them():
    # Each of two letters: .1 for a new label, .9 for one of the others', against 1 in 60.
    each = math.log((0.1 / 60 + 0.9 * 2 / 4) / (1 / 60))
    assert worth("abb", beside="ab") == pytest.approx(2 * each)
    assert worth("aa", beside="ab") == pytest.approx(each)
    assert worth("c", beside="ab") == pytest.approx(math.log(0.1))
    assert worth("cdefghij", beside="ab") == -18.0  # never more than so much
    assert worth("abcdef", beside="abcdef") == 10.0
    group = named("P", "Q", cells="ab")
    assert shared(group.columns[0], Group(group.columns[:1])) == 0.0  # nobody beside it
    inside = math.log((0.1 / 60 + 0.9 * 1 / 2) / (1 / 60))
    assert shared(group.columns[0], group) == pytest.approx(2 * inside)


def test_numbers_within_the_range_of_the_others_are_less_strange():
    assert worth("7", beside="15") == pytest.approx(math.log(0.1))
    assert worth("3", beside="15") > worth("7", beside="15")
    group = named("P", "Q", cells="15")
    assert has_labels_of(column("1", "3", j=2), group)  # near by
    assert has_labels_of(column("1", "7", j=2), group)
    assert not has_labels_of(column("1", "8", j=2), group)  # beyond half the range
    assert not has_labels_of(column("3", j=2), group)
    words = named("P", "Q")
    assert has_labels_of(column("x", j=2), words)
    assert not has_labels_of(column("x", "z", j=2), words)


def test_names_that_belong_together():
    def of(name: str, *others: str) -> float:
        return named_alike(column("x", name=name, j=9), named(*others))

    several, one = of("coder4", "coder1", "coder2"), of("coder2", "coder1")
    assert several > one > 0
    assert of("tone", "coder1", "coder2") < of("tone", "set1", "set2") < 0
    assert of("Zed", "coder1", "coder2") > of("tone", "coder1", "coder2")  # may be somebody
    assert of("Zed", "Ann", "Bob") > 0 > of("tone", "Ann", "Bob")
    assert of("zc", "xa", "yb") > 0  # written alike
    assert of("date", "xa", "yb") == of("ZC", "xa", "yb") == 0  # the name says more; another way
    assert of("AMHLK96", "A3XO4K", "B7QW2X") > 0


def test_names_of_raters():
    values = [named_as_rater(column("x", name=name)) for name in
              ("rater", "coder_2", "R2", "score1", "tone", "v2")]  # fmt: skip
    assert values[0] > 0
    assert values[1] > 0
    assert values[2] > 0
    assert values[3] > 0
    assert values[4:] == [0, 0]


def reasons(one: Column, *others: Column) -> list[str]:
    return [reason.words for reason in against(one, Group([*others, one]))]


def test_what_speaks_against_a_rater_is_named_strongest_first():
    ann, bob = (column(*"xyxyxyxy", name=name, j=j) for j, name in ((1, "Ann"), (2, "Bob")))
    day = column(*(f"2026-05-0{k}" for k in range(1, 9)), name="when", j=3)
    assert "dates or times" in reasons(day, ann, bob)
    number = column(*"12345678", name="no", j=3)
    assert {"runs on from row to row", "numbers beside words"} <= {*reasons(number, ann, bob)}
    mixed = column(*"31428765", name="Cem", j=3)
    assert "each number once" in reasons(mixed, ann, bob)
    rising = column("1", "3", "4", "7", "8", "9", "11", "12", name="Cem", j=3)
    assert "goes up from row to row" in reasons(rising, ann, bob)
    texts = column(*(f"What was said in the line {k} of it" for k in range(8)), name="text", j=3)
    assert "long texts" in reasons(texts, ann, bob)
    ids = column(*(f"doc_{k}" for k in range(8)), name="Cem", j=3)
    assert "identifiers of one pattern" in reasons(ids, ann, bob)
    assert reasons(ann, bob) == []
    five, six = (column(*"15243152", name=name, j=j) for j, name in ((1, "Ann"), (2, "Bob")))
    assert "words beside numbers" in reasons(column(*"xyxyxyxy", name="Cem", j=3), five, six)
    halves = column("1.5", "2", "3.5", "1", "2", "2", "1", "2", name="Cem", j=3)
    assert "fractions beside whole numbers" in reasons(halves, five, six)
    weights = [reason.nats for reason in against(number, Group([ann, bob, number]))]
    assert weights == sorted(weights, reverse=True)


# -------------------------------------------------------------------- sums, means and footers


@pytest.mark.parametrize(
    ("added", "cells", "found"),
    [
        (" (sure)", "hhlhl", {2, 4}),  # other words than those of the raters
        (" (sure)", "35142", {2, 4}),  # numbers
        (" (then)", "yxxyx", set()),  # their labels: another round, or other raters
        ("_confidence", "yxxyx", {2, 4}),  # the name says it
    ],
)
def test_what_stands_beside_each_rater_is_told_by_its_values(added, cells, found):
    names = ["item", "Ann", f"Ann{added}", "Bob", f"Bob{added}"]
    rows = zip("12345", "xyxxy", cells, "xyyxy", reversed(cells), strict=True)
    assert sure_companions(profile_of(names, list(rows))) == found


def test_columns_of_persons_with_the_same_values_are_all_raters():
    ann, bob = (column(*"xyxy", name=name, j=j) for j, name in enumerate(("Ann", "Bob")))
    assert _alike(ann, [bob]) < 0  # so none of them names who rated
    assert _alike(ann, [column(*"pqpq", name="Bob", j=1)]) == 0
    assert _alike(column(*"xyxy", name="k7"), [bob]) == 0
    assert _alike(column(*"xyxy", name="rater"), [bob]) == 0
    assert _alike(None, [bob]) == 0


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("评委们", "rater"), ("医生一", "rater"), ("学生们", "item"),
        # One sign may be somebody's family name as well as a word: week, text, week.
        ("周一", None), ("文乙", None), ("주명", None),
    ],
)  # fmt: skip
def test_endings_are_taken_off_words_and_not_off_single_signs(name, role):
    assert roles_of(name) == (set() if role is None else {role})


def test_columns_that_are_computed_from_the_others():
    ann = column(*"1524315242", name="Ann", j=1)
    bob = column(*"2435123512", name="Bob", j=2)
    pairs = list(zip(ann.known, bob.known, strict=True))

    def said(values: Sequence[float], name: str = "z") -> str:
        other = column(*(f"{value:g}" for value in values), name=name, j=3)
        return computed_from(other, Group([ann, bob, other]))

    assert said([a + b for a, b in pairs]) == "the sum of the others"
    assert said([(a + b) / 2 for a, b in pairs]) == "the mean of the others"
    assert said([abs(a - b) for a, b in pairs]) == "the difference of the others"
    assert said([a + b + (a == 5) for a, b in pairs]) == ""
    assert said([3] * 10) == ""  # the same in every row is not computed from anything
    assert is_summed(ann)
    assert not is_summed(column("1", "2", name="total"))
    assert not is_summed(column("x", name="Ann"))


@pytest.mark.parametrize("digits", [1, 2])
def test_a_mean_may_be_rounded_as_finely_as_it_is_written(digits):
    marks = {"Ann": "1524315243", "Bob": "2435123512", "Cem": "1313131441"}
    raters = [column(*marks[name], name=name, j=j) for j, name in enumerate(marks)]
    rows = list(zip(*(c.known for c in raters), strict=True))
    means = [f"{sum(row) / 3:.{digits}f}" for row in rows]
    mean = column(*means, name="z", j=3)
    assert computed_from(mean, Group([*raters, mean])) == "the mean of the others"
    off = column(*(f"{float(x) + 2 * 10**-digits:.{digits}f}" for x in means), name="z", j=3)
    assert computed_from(off, Group([*raters, off])) == ""


def test_rows_below_that_are_computed():
    body = [["a", "1", "4"], ["b", "3", "2"], ["c", "2", "3"], ["d", "2", "1"]]
    for last, footers in (
        (["Total", "8", "10"], 1), (["Mean", "2.0", "2.5"], 1), (["Total", "8", "11"], 0),
        (["e", "1", "2"], 0),
    ):  # fmt: skip
        assert n_footers([*body, last], ["item", "Ann", "Bob"]) == footers, last


@pytest.mark.parametrize(
    ("cells", "last", "footers"),
    [
        ("1234567xyz", "28", 1), ("1234567xyz", "99", 0),  # most are numbers, so it must add up
        ("123456wxyz", "99", 1),  # a number below words
        ("123456wxyz", "x", 0),
    ],
)  # fmt: skip
def test_a_row_of_sums_adds_up_unless_it_stands_below_words(cells, last, footers):
    body = [[f"t{k}", cell] for k, cell in enumerate(cells)]
    assert n_footers([*body, ["Total", last]], ["item", "Ann"]) == footers


@pytest.mark.parametrize(
    ("last", "cells", "is_one"),
    [
        ("12", "345", True), ("11", "1235", True), ("10", "145", False),  # twice the largest
        ("9", "145", False), ("5", "14", False), ("0", "000", False), ("12", "xyz", False),
        ("13", "345", False),
    ],
)  # fmt: skip
def test_a_sum_far_beyond_every_rating_is_none(last, cells, is_one):
    assert _is_far_beyond(last, cells) == is_one


def test_cells_that_count_raters_have_zeros_and_small_sums():
    def said(*columns: Sequence[int]) -> float:
        return _cells(Tally([column(*map(str, c), j=j) for j, c in enumerate(columns)]))

    assert said([3, 0, 0, 1], [0, 3, 1, 0], [0, 0, 2, 2]) > 0
    assert said([3, 1, 1, 1], [1, 3, 1, 1], [1, 1, 2, 2]) < 0  # nobody has a 0
    assert said([3, 1, 1, 1], [1, 3, 3, 3]) == 0  # of two labels both may be given always
    assert said([90, 0, 12, 40], [80, 1, 10, 60]) < 0  # large, and of any size
    ratings = [[1 + (7 * k + 3 * j) % 5 for k in range(12)] for j in range(2)]
    assert said(*ratings) < 0  # more like marks from 1 to 5


# -------------------------------------------------------------------- rows as raters


def test_rows_that_are_called_like_the_columns_are_no_raters():
    items = [column("3", "1", name=name, j=j) for j, name in enumerate(("Yes", "no", "maybe"), 1)]
    assert _called_like_columns(column("yes", "No", "maybe"), items) < 0
    assert _called_like_columns(column("Ann", "Bob", "Cem"), items) == 0
    assert _called_like_columns(column("yes", "Bob", "Cem"), items) == 0  # one may well be
    assert _called_like_columns(None, items) == 0


def test_rows_that_are_called_by_labels_are_no_raters():
    items = [column("x", "y", "x", name=name, j=j) for j, name in enumerate(("t1", "t2"), 1)]
    assert _called_by_labels(column("x", "Y", "x", name="t0"), items) < 0
    assert _called_by_labels(column("x", "z", "x", name="t0"), items) == 0
    assert _called_by_labels(column("x", "y", "x", name="rater"), items) == 0
    assert _called_by_labels(None, items) == 0


def test_names_that_are_identifiers_of_items():
    assert _are_identifiers(["6b0f4099", "7c1a5188"])
    assert not _are_identifiers(["6b0f4099", "Bob"])
    assert _are_identifiers(["17", "240", "3"])
    assert not _are_identifiers(["1", "2", "3"])


# -------------------------------------------------------------------- the first line


def said_of(*rows: str) -> dict[str, float]:
    return {words: nats for nats, words in header_pieces([row.split(",") for row in rows])}


def test_rows_called_like_the_columns_speak_for_names():
    square = said_of(",yes,no,maybe", "yes,5,1,0", "no,1,6,2", "maybe,0,1,4")
    words = "the names of the rows are those of the columns"
    assert square[words] > 0
    assert words not in said_of(",yes,no,maybe", "p,5,1,0", "q,1,6,2", "r,0,1,4")
    assert words not in said_of(",yes,no,maybe", "yes,5,1,0", "q,1,6,2", "r,0,1,4")


def test_what_a_first_line_says():
    low = ("x,y", "y,y", "x,x", "y,x")
    capitals = said_of("Ann,Bob", *low)
    assert capitals["the first line is written in another way"] > 0
    assert "the first line is written in another way" not in said_of("ann,bob", *low)
    assert "the first line is written in another way" not in said_of("Ann,Bob", "Xx,Yy", "Yy,Yy")
    assert "the first line is written in another way" not in said_of("Ann,bob", *low)
    twice = said_of("x,x", *low)
    assert twice["the first line has a cell twice, as names have not"] < 0
    assert twice["'x' stands below itself"] < 0
    counted = said_of("R1,R2", *low)
    assert counted["the first line counts columns, as in R1, R2"] > 0
    rows = [f"{k},x" for k in range(2, 9)]
    assert said_of("1,y", *rows)["the first line begins the count of the rows"] < 0
    gap = [f"{k},x" for k in (9, 1, 3, 8, 2, 7, 4, 6)]
    assert said_of("5,y", *gap)["the first line has the one number that the rows lack"] < 0
    assert said_of("item,y", *gap)["the first line says 'item' above a column of numbers"] > 0
    marks = said_of("NA,y", *gap)
    assert marks["'NA' stands above numbers"] < 0


@pytest.mark.parametrize(
    ("rows", "is_said"),
    [
        (["t,1,2,1", "u,2,1,2"], True),  # two marks, three times each
        (["t,1,2,1", "u,2,1,"], False),
        (["t,1,40,1", "u,40,1,40"], False),  # one of them is a mark itself
    ],
)
def test_numbers_above_others_that_come_back_are_names(rows, is_said):
    assert ("the first line numbers the columns" in said_of("s,17,40,52", *rows)) == is_said


def test_a_known_word_in_the_first_line_is_worth_more():
    rows = ["x,a", "y,b", "x,a", "y,b"]
    known = said_of("label,q", *rows)["the first line says 'label' above other words"]
    strange = said_of("wurgl,q", *rows)["the first line says 'wurgl' above other words"]
    assert known > strange
    assert weigh_header([["item", "Ann"], ["1", "x"], ["2", "y"], ["3", "x"]])[0] > 2


# -------------------------------------------------------------------- counts and their sums


def _counted(rows: Sequence[Sequence[int]]) -> Tally:
    cells = zip(*rows, strict=True)
    return Tally([column(*map(str, c), j=j) for j, c in enumerate(cells)])


def test_columns_of_sums_are_found_wherever_what_they_sum_up_stands():
    parts = [[3, 1, 0], [0, 2, 2], [5, 0, 1], [1, 1, 7]]
    after = _counted([[*row, sum(row)] for row in parts])
    before = _counted([[sum(row), *row] for row in parts])
    apart = _counted([[*row[:2], 9 - k, sum(row[:2])] for k, row in enumerate(parts)])
    among = _counted([[row[0], sum(row), *row[1:]] for row in parts])
    none = _counted([[*row, sum(row) + (k == 0)] for k, row in enumerate(parts)])
    assert list(after.totals()) == [(3, [0, 1, 2])]
    assert list(before.totals()) == [(0, [1, 2, 3])]
    assert list(apart.totals()) == [(3, [0, 1])]  # from the left edge, with another between
    assert list(among.totals()) == [(1, [0, 2, 3])]  # all others
    assert list(none.totals()) == []


def test_sums_are_found_as_by_looking_at_every_run():
    """Against the plain way: add up every run that begins or ends at the column or an edge."""
    for seed in range(60):
        rows = [
            [(seed * 7 + i * k * 3 + i + k) % 3 * (k % 4 > 0) for k in range(7)] for i in range(3)
        ]
        tally = _counted(rows)
        expected = {}
        for t in range(7):
            runs = [[*range(t), *range(t + 1, 7)]]
            runs += [list(range(k, t)) for k in range(t)] + [list(range(k)) for k in range(t)]
            runs += [list(range(t + 1, k)) for k in range(t + 2, 8)]
            fits = [
                run
                for run in runs
                if len(run) > 1 and all(sum(r[j] for j in run) == r[t] for r in rows)
            ]
            if fits:
                expected[t] = max(map(len, fits))
        assert {t: len(places) for t, places in tally.totals()} == expected


def test_runs_whose_rows_add_up_alike_are_found_from_both_sides():
    one_hot = [[1, 0, 0, 1, 5], [0, 1, 1, 0, 2], [0, 1, 0, 1, 4]]
    assert list(_counted(one_hot).steady()) == [(0, 4), (0, 2)]
