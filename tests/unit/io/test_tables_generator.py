"""The generator of tables keeps its word: what it says is in a table is in the table."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from random import Random

import pytest

import consilience as cs
from tables import labels, vocabulary
from tables.follow import calls, follow
from tables.frames import frame_of
from tables.habits import HABITS, Case, draw
from tables.ids import ALL_KINDS, draw_ids
from tables.judge import difference, folder, judge, plain, without_half_of_lexicon
from tables.people import FIRST_NAMES, SURNAMES, TRAPS
from tables.studies import counted, nominal_alpha, percent_agreement
from tables.words import COLUMNS, ROLES
from tables.written import write

CASES = [
    draw(habit, half, 11, number)
    for habit in ("ordinary", "other")
    for half in ("tune", "judge", "all")
    for number in range(40)
]


def _named(case: Case) -> str:
    return f"{case.name}-{case.layout}"


def _cells_of(case: Case, role: str) -> list[list[str]]:
    """The columns with a role, without totals."""
    places = [c for c, found in enumerate(case.table.roles) if found == role]
    return [[row[c] for row in case.table.rows] for c in places]


@pytest.mark.parametrize("habit", HABITS)
def test_the_same_number_gives_the_same_case_and_the_same_bytes(habit):
    for number in range(25):
        first, second = (draw(habit, "judge", 3, number) for _ in range(2))
        assert first == second
        place = write(first, folder())
        data = place.read_bytes()
        if place.suffix not in (".xlsx", ".parquet"):  # these carry the time or a version
            assert write(second, folder()).read_bytes() == data
        place.unlink()


def test_another_seed_gives_other_cases():
    assert draw("other", "all", 1, 5).cells != draw("other", "all", 2, 5).cells


def test_halves_share_no_word():
    lists = [FIRST_NAMES, SURNAMES, TRAPS]
    lists += [words for roles in COLUMNS.values() for words in roles.values()]
    for words in lists:
        tune, judged = (vocabulary.kept(words, half) for half in ("tune", "judge"))
        assert not {w.casefold() for w in tune} & {w.casefold() for w in judged}
        assert set(tune) | set(judged) == set(words) == set(vocabulary.kept(words, "all"))


def test_words_of_columns_stay_in_their_half():
    for language in COLUMNS:
        for role in ROLES:
            for half in ("tune", "judge"):
                words = vocabulary.column_words(language, role, half)
                assert words
                assert {vocabulary.half_of(word) for word in words} == {half}


def test_there_are_fifteen_languages_and_more():
    assert len(vocabulary.LANGUAGES) >= 20
    assert len(labels._WORDS) >= 20


@pytest.mark.parametrize("kind", sorted(set(ALL_KINDS)))
@pytest.mark.parametrize("n_items", [4, 60, 600])
def test_ids_are_distinct_and_filled(kind, n_items):
    values = draw_ids(Random(n_items), n_items, [kind]).values
    assert len(set(values)) == len(values) == n_items
    assert all(value.strip() for value in values)


def test_rows_are_as_wide_as_the_roles_and_names_are_distinct():
    for case in CASES:
        table = case.table
        assert {len(row) for row in case.cells} == {len(table.roles)}, case.name
        if table.header is not None:
            filled = [name for name in table.header if name]
            assert len(set(filled)) == len(filled), (case.name, table.header)


def test_wide_cells_hold_the_truth():
    for case in (c for c in CASES if c.layout == "wide"):
        study = case.truth.variables[0][1]
        columns = _cells_of(case, "rater")
        assert len(columns) == len(study.raters)
        for r, column in enumerate(columns):
            expected = [case.mark if row[r] is None else plain(row[r]) for row in study.rows]
            assert [c if c == case.mark else plain(c) for c in column] == expected


def test_long_cells_hold_the_truth():
    for case in (c for c in CASES if c.layout == "long"):
        study = case.truth.variables[0][1]
        items = list(zip(*_cells_of(case, "item"), strict=True))
        (raters,), (given,) = _cells_of(case, "rater"), _cells_of(case, "label")
        found = Counter(
            (rater, plain(label))
            for rater, label in zip(raters, given, strict=True)
            if label != case.mark
        )
        assert found == Counter(
            (rater, plain(label))
            for row in study.rows
            for rater, label in zip(study.raters, row, strict=True)
            if label is not None
        )
        assert len(set(zip(items, raters, strict=True))) == len(raters)
        assert len(study.rated) <= len(set(items)) <= len(study.rows)


def test_counts_and_cross_tables_add_up_to_the_truth():
    for case in (c for c in CASES if c.layout in ("counts", "cross-table")):
        study = case.truth.variables[0][1]
        total = sum(int(cell) for column in _cells_of(case, "category") for cell in column)
        n_ratings = sum(cell is not None for row in study.rows for cell in row)
        assert total == (n_ratings if case.layout == "counts" else n_ratings / 2)


@pytest.mark.parametrize("case", CASES[::7], ids=_named)
def test_agreement_is_that_of_the_library(case):
    for _, study in case.truth.variables:
        ratings = cs.Ratings.from_wide(study.rows, raters=study.raters)
        rows = counted(study.rows)
        alpha = cs.krippendorff_alpha(ratings, on_undefined="ignore").value
        assert nominal_alpha(rows) == pytest.approx(alpha, abs=1e-9, nan_ok=True)
        share = cs.percent_agreement(ratings).value
        assert percent_agreement(rows) == pytest.approx(share, abs=1e-9)


def test_every_study_can_be_measured():
    for case in CASES:
        for _, study in case.truth.variables:
            assert not math.isnan(nominal_alpha(counted(study.rows))), case.name
            for r in range(len(study.raters)):
                assert sum(row[r] is not None for row in study.rows) >= 2


def test_the_judge_accepts_the_truth_and_nothing_else():
    for case in (c for c in CASES if c.truth.naming == "names" and len(c.truth.variables) == 1):
        study = case.truth.variables[0][1]
        right = cs.Ratings.from_wide(study.rows, raters=study.raters)
        assert difference({None: right}, case.truth) == ""
        shorter = cs.Ratings.from_wide(study.rated[:-1], raters=study.raters)
        assert difference({None: shorter}, case.truth) != ""
        turned = [*study.raters[1:], study.raters[0]]
        if Counter(study.rows) != Counter((row[-1], *row[:-1]) for row in study.rows):
            assert difference({None: cs.Ratings.from_wide(study.rows, raters=turned)}, case.truth)


def test_every_case_can_be_a_file_and_a_frame():
    for case in CASES[::3]:
        path = write(case, folder())
        assert path.stat().st_size > 10
        path.unlink()
        assert frame_of(case)[0] is not None


def test_a_plain_wide_table_is_judged_by_reading_it():
    case = next(
        c for c in (draw("ordinary", "all", 1, n) for n in range(500))
        if c.layout == "wide" and not c.mark and "labels words" in c.features
        and set(c.table.roles) == {"item", "rater"} and "raters R1" in c.features
    )  # fmt: skip
    assert judge(case).kind == "right"


def test_ambiguous_tables_are_rare():
    for habit in ("ordinary", "other"):
        cases = [draw(habit, "all", 5, number) for number in range(300)]
        assert 0 < sum(case.ambiguous for case in cases) < 30


def test_half_of_a_lexicon_is_taken_away_and_given_back(monkeypatch):
    from consilience.io.layout import lexicon as module

    words = {"item": frozenset(map(str, range(100))), "rater": frozenset({"coder"})}
    monkeypatch.setattr(module, "WORDS", words)
    with without_half_of_lexicon(3):
        assert 25 < len(module.WORDS["item"]) < 75
        assert module.WORDS["item"] < words["item"]
    assert module.WORDS is words


def _plain_wide() -> Case:
    return next(
        c for c in (draw("ordinary", "all", 2, n) for n in range(500))
        if c.layout == "wide" and not c.mark and set(c.table.roles) == {"item", "rater"}
        and "labels words" in c.features and c.table.header is not None and all(c.table.header)
    )  # fmt: skip


def test_commands_of_a_refusal_are_pasted():
    case = _plain_wide()
    path = write(case, folder())
    item = case.table.header[case.table.roles.index("item")]
    raters = case.truth.variables[0][1].raters
    start = f"consilience measure {path} --shape wide"
    right = shlex.join(["--item", item, *(word for r in raters for word in ("--rater", r))])
    wrong = shlex.join([word for r in case.table.header for word in ("--rater", r)])
    assert follow(f"two readings:\n  A  one:  {start} {wrong}\n  B  two:  {start} {right}\n", case)
    assert not follow(f"  A  one:  {start} {wrong}\n", case)
    assert not follow("nothing to paste", case)


def test_calls_in_a_text_end_where_their_bracket_closes():
    text = """either cs.read(frame, item="a)", rater=["b", "c"]) or cs.load(frame, shape='wide')."""
    assert calls(text) == [
        """cs.read(frame, item="a)", rater=["b", "c"])""",
        "cs.load(frame, shape='wide')",
    ]
