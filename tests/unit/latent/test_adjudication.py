"""Contested items, confusions, the sheet and the way back."""

from __future__ import annotations

import csv
import math
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

import consilience as cs
from consilience import io, latent
from consilience.core import output_files
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.latent.votes import entries_of
from consilience.simulate import simulate

WIDE = [
    ["a", "a", "a"],  # p
    ["a", "b", "a"],  # q
    ["b", "b", "b"],  # r
    ["a", "b", None],  # s
    [None, None, None],  # t
    ["c", None, None],  # u
]
ITEMS = ["p", "q", "r", "s", "t", "u"]
RATERS = ["Ann", "Bob", "Cid"]


@pytest.fixture
def ratings() -> cs.Ratings:
    return cs.Ratings.from_wide(WIDE, items=ITEMS, raters=RATERS)


@pytest.fixture
def study() -> Any:
    return simulate(
        n_items=300, n_raters=5, categories=["x", "y", "z"], accuracy=[0.9, 0.9, 0.85, 0.8, 0.4],
        missing=0.1, rng=4,
    )  # fmt: skip


# --- ranking --------------------------------------------------------------------------------------


def test_entropy_is_in_bits_and_unrated_items_come_last(ratings: cs.Ratings) -> None:
    found = latent.adjudicate(ratings, model="majority", by="entropy")
    third = -(2 / 3 * math.log2(2 / 3) + 1 / 3 * math.log2(1 / 3))
    assert found.entropy[:4] == pytest.approx([0.0, third, 0.0, 1.0])
    assert math.isnan(found.entropy[4])
    assert found.order[0] == 3
    assert found.order[-1] == 4
    assert [one.item for one in found.top()] == ["s", "q"]


def test_what_a_suggestion_rests_on(ratings: cs.Ratings) -> None:
    found = latent.adjudicate(ratings, model="majority")
    assert [found.source(k) for k in range(6)] == [
        "unanimous", "majority", "unanimous", "majority", "none", "majority",
    ]  # fmt: skip
    assert found.labels == ["a", "a", "b", "a", None, "c"]  # a tie goes to the more common label
    assert found.belief.tied.tolist() == [False, False, False, True, False, False]
    assert found.at(3).labels == {"Ann": "a", "Bob": "b"}
    assert found.at(4).suggested is None


def test_influence_is_that_of_the_coefficient(study: Any) -> None:
    found = latent.adjudicate(study.ratings, model="majority", by="influence")
    pull = cs.item_influence(study.ratings, coefficient="krippendorff_alpha")
    assert found.influence == pytest.approx(pull)
    assert found.order[0] == int(np.argmin(np.round(pull, 12)))


def test_the_gain_is_the_expected_drop_of_entropy(study: Any) -> None:
    """Against Bayes' rule, label by label."""
    found = latent.adjudicate(study.ratings, model="dawid-skene")
    fitted = latent.dawid_skene(study.ratings, smoothing=1 / 3)
    counts = found.entries.counts.toarray()
    joint = fitted.posterior.T @ counts
    pooled = joint / joint.sum(axis=1, keepdims=True)

    def entropy(p: Any) -> float:
        return float(-sum(x * math.log2(x) for x in p if x > 0))

    for place in (0, 17, int(found.order[0])):
        before = fitted.posterior[place]
        expected = 0.0
        for label in range(3):
            chance = float(before @ pooled[:, label])
            after = before * pooled[:, label] / chance
            expected += chance * entropy(after)
        assert found.gain[place] == pytest.approx(entropy(before) - expected, abs=1e-9)
        assert found.probability[place] == pytest.approx(before.max(), abs=1e-6)


def test_a_model_knows_better_than_the_majority_and_sees_what_is_open() -> None:
    care = [0.95, 0.9, 0.5, 0.5, 0.4]
    study = simulate(n_items=400, n_raters=5, categories=["x", "y", "z"], accuracy=care, rng=4)
    found = latent.adjudicate(study.ratings)
    assert found.model == "dawid-skene"
    votes = latent.adjudicate(study.ratings, model="majority")
    truth = np.array(study.truth)
    right = np.array(found.labels) == truth
    assert right.mean() > (np.array(votes.labels) == truth).mean() + 0.03
    worst = found.order[:40]
    assert right[worst].mean() < right.mean() - 0.1


def test_the_model_depends_on_what_the_ratings_can_bear(ratings: cs.Ratings, study: Any) -> None:
    assert latent.adjudicate(ratings).model == "majority"
    few = simulate(n_items=14, n_raters=3, categories=3, rng=1).ratings
    assert latent.adjudicate(few).model == "one-coin"
    assert latent.adjudicate(study.ratings.select(raters=[0, 1])).model == "majority"
    marks = cs.Ratings.from_wide([[1.0, 2.0], [3.0, 9.0]], scale="interval")
    found = latent.adjudicate(marks)
    assert (found.model, found.by) == ("median", "disagreement")
    assert [one.item for one in found.top()] == [1, 0]


def test_a_fitted_model_can_be_passed(study: Any) -> None:
    fitted = latent.dawid_skene(study.ratings)
    found = latent.adjudicate(study.ratings, model=fitted)
    assert found.model == "DawidSkene"
    assert found.probability == pytest.approx(fitted.probability)
    with pytest.raises(InputError, match="posterior of shape"):
        latent.adjudicate(study.ratings, model=object())


def test_the_lower_median_is_suggested_for_marks() -> None:
    marks = cs.Ratings.from_wide(
        [[1, 2, 9, 9], [4, 4, None, 7], [3, 5, None, None]], scale="ordinal"
    )
    assert latent.adjudicate(marks, model="median").labels == [2, 4, 3]
    with pytest.raises(UnsupportedDesignError, match="labels in an order"):
        latent.adjudicate(cs.Ratings.from_wide([["a", "b"]]), model="median")


def test_labels_that_hardly_repeat_need_no_table_of_all_labels() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(3_000, 1)) + rng.normal(scale=0.1, size=(3_000, 3))
    table[7] = [0.0, 5.0, 9.0]
    found = latent.adjudicate(cs.Ratings.from_wide(table, scale="interval"))
    assert found.top(1)[0].item == 7
    assert found.at(7).suggested == 5
    assert found.at(7).entropy == pytest.approx(math.log2(3))
    words = [[f"w{i}", f"w{i}", f"v{i}"] for i in range(1_200)]
    votes = latent.adjudicate(cs.Ratings.from_wide(words), model="majority")
    assert votes.labels[:2] == ["w0", "w1"]
    assert votes.probability[0] == pytest.approx(2 / 3)
    with pytest.raises(UnsupportedDesignError, match="labels that repeat"):
        latent.adjudicate(cs.Ratings.from_wide(words), model="majority", by="gain")


def test_counts_without_raters_are_ranked_by_votes() -> None:
    counts = cs.Ratings.from_counts([[3, 0], [2, 1]], categories=["n", "y"], items=["i", "j"])
    found = latent.adjudicate(counts)
    assert found.model == "majority"
    assert found.at(1).labels == {"n": 2, "y": 1}
    assert "n ×2, y" in str(found)
    with pytest.raises(UnsupportedDesignError, match=r'needs to know who.*model="majority"'):
        latent.adjudicate(counts, model="dawid-skene")


def test_order_does_not_depend_on_the_order_of_raters(study: Any) -> None:
    turned = study.ratings.select(raters=[4, 2, 0, 1, 3])
    first, second = (latent.adjudicate(r, by="gain") for r in (study.ratings, turned))
    assert [one.item for one in first.top(30)] == [one.item for one in second.top(30)]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"by": "entropie"}, "did you mean 'entropy'"),
        ({"model": "majorty"}, "did you mean 'majority'"),
        ({"top": 0}, "whole number above 0"),
        ({"top": True}, "whole number above 0"),
        ({"coefficient": "kapa"}, "kappa"),
    ],
)
def test_wrong_options_are_told(ratings: cs.Ratings, wrong: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        latent.adjudicate(ratings, **wrong)


def test_what_is_no_set_of_ratings_is_refused() -> None:
    with pytest.raises(InputError, match="must be Ratings"):
        latent.adjudicate([["a", "b"]])  # type: ignore[arg-type]
    empty = cs.Ratings.from_wide([[None, None]], categories=["a", "b"])
    with pytest.raises(InputError, match="at least one rating"):
        latent.adjudicate(empty)


def test_one_rating_per_item_has_no_contested_item() -> None:
    single = cs.Ratings.from_wide([["a", None], [None, "b"]])
    found = latent.adjudicate(single)
    assert found.top() == ()
    assert math.isnan(found.value)
    assert "0 of 2 items" in str(found)


# --- confusions -----------------------------------------------------------------------------------


def test_confusions_are_counted_by_hand(ratings: cs.Ratings) -> None:
    found = latent.confusions(ratings)
    one = found[0]
    assert one.labels == ("a", "b")
    assert (one.pairs, one.items) == (3, 2)  # q: a-b twice, s: a-b once
    by = {who.rater: (who.first, who.second) for who in one.raters}
    assert by == {"Bob": (0, 3), "Ann": (2, 0), "Cid": (1, 0)}
    # Ten pairs in all; an a or b takes part in 11 and 9 of their 20 ends: 2 × 10 × .55 × .45.
    assert found.n_pairs == 10
    assert one.expected == pytest.approx(2 * 10 * 0.55 * 0.45)
    # Each of Bob's seven comparisons would be a confusion in three cases of ten.
    assert one.raters[0].expected == pytest.approx(7 * 0.3)


def test_the_coefficient_after_merging_is_that_of_merged_labels(study: Any) -> None:
    found = latent.confusions(study.ratings)
    for one in found:
        first, second = one.labels
        merged = cs.krippendorff_alpha(study.ratings.collapse({second: first})).value
        assert one.merged == pytest.approx(merged)
        assert one.change == pytest.approx(merged - found.value)


def test_only_neighbours_on_an_ordinal_scale_are_merged() -> None:
    marks = cs.Ratings.from_wide([[1, 3], [1, 2], [2, 3], [1, 1], [3, 3]], scale="ordinal")
    merged = {one.labels: one.merged for one in latent.confusions(marks)}
    assert merged[1, 3] is None
    assert merged[1, 2] is not None


def test_the_confused_pair_and_the_confuser_are_found() -> None:
    confusion = np.tile(np.eye(3) * 0.94 + 0.02, (4, 1, 1))
    confusion[3, 1] = [0.02, 0.4, 0.58]  # the last rater takes the second label for the third
    study = simulate(n_items=400, n_raters=4, categories=["x", "y", "z"], accuracy=confusion, rng=2)
    one = latent.confusions(study.ratings)[0]
    assert one.labels == ("y", "z")
    assert one.raters[0].rater == 3
    assert one.raters[0].second > 5 * one.raters[0].first  # z where the others said y
    assert one.raters[0].total > 1.5 * one.raters[0].expected


def test_unanimous_raters_confuse_nothing() -> None:
    found = latent.confusions(cs.Ratings.from_wide([["a", "a"], ["b", "b"]]))
    assert len(found) == 0
    assert "No two raters" in str(found)


def test_records_can_be_written_as_json(study: Any, ratings: cs.Ratings) -> None:
    from consilience.document.records import to_json

    for one in (latent.adjudicate(study.ratings), latent.adjudicate(ratings)):
        text = to_json(one.to_dict())
        assert '"n_contested"' in text
        assert "nan" not in text.lower().replace("unanimous", "").replace("unan", "")


# --- the sheet ------------------------------------------------------------------------------------


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.reader(stream))


def fill(path: Path, labels: dict[str, str], **changes: Any) -> Path:
    """Fill the gold column as a person would, and save in the way of some spreadsheet."""
    rows = rows_of(path)
    place = rows[0].index("gold")
    for row in rows[1:]:
        row[place] = labels.get(row[0], "")
    for edit in changes.get("edits", ()):
        edit(rows)
    saved = path.with_name("filled.csv")
    with saved.open("w", newline="", encoding=changes.get("encoding", "utf-8")) as stream:
        csv.writer(stream, delimiter=changes.get("delimiter", ",")).writerows(rows)
    return saved


@pytest.fixture
def sheet(ratings: cs.Ratings, tmp_path: Path) -> Path:
    path = tmp_path / "sheet.csv"
    io.write_sheet(latent.adjudicate(ratings), path, text={"q": "a text", "s": "=1+1"})
    return path


def test_the_sheet_has_what_the_adjudicator_needs(sheet: Path) -> None:
    rows = rows_of(sheet)
    assert rows[0] == [
        "item", "text", "Ann", "Bob", "Cid", "suggested", "probability", "entropy", "gold", "check",
    ]  # fmt: skip
    assert rows[1][:6] == ["s", "'=1+1", "a", "b", "", "a"]
    assert rows[2][:6] == ["q", "a text", "a", "b", "a", "a"]
    assert [row[8] for row in rows[1:]] == ["", ""]
    assert rows[1][9].endswith("-1/2")


def test_the_same_ratings_give_the_same_bytes(ratings: cs.Ratings, tmp_path: Path) -> None:
    for name in ("one.csv", "two.csv"):
        io.write_sheet(latent.adjudicate(ratings), tmp_path / name)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_an_excel_sheet_offers_the_labels(ratings: cs.Ratings, tmp_path: Path) -> None:
    path = tmp_path / "sheet.xlsx"
    written = io.write_sheet(latent.adjudicate(ratings), path, which="all")
    assert written.n_rows == 6
    book = openpyxl.load_workbook(path)
    sheet = book["adjudication"]
    offered = sheet.data_validations.dataValidation[0]
    column = [cell.value for cell in sheet[1]].index("gold")
    assert str(offered.sqref).startswith("ABCDEFGHIJ"[column])
    assert [row[0].value for row in book["labels"].iter_rows()] == ["a", "b", "c"]


DANGEROUS = ["=1+1", "+1+1", "-x", "@SUM(A1)", "\tx", "\r=1", "  =1+1", "=cmd|' /C calc'!A0"]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".xlsx"])
def test_nothing_in_a_sheet_is_a_formula(tmp_path: Path, ending: str) -> None:
    rows = [[label, "plain"] for label in DANGEROUS]
    ratings = cs.Ratings.from_wide(rows, items=[f"{x}!" for x in DANGEROUS], raters=["=who", "@me"])
    path = tmp_path / f"sheet{ending}"
    io.write_sheet(latent.adjudicate(ratings), path, text={f"{x}!": x for x in DANGEROUS})
    if ending == ".xlsx":
        sheet = openpyxl.load_workbook(path)["adjudication"]
        cells = [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]
        assert {cell.data_type for cell in cells} <= {"s", "n"}
        texts = [cell.value for cell in cells if cell.data_type == "s"]
    else:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            delimiter = "," if ending == ".csv" else "\t"
            texts = [cell for row in csv.reader(stream, delimiter=delimiter) for cell in row]
    assert not [text for text in texts if text.lstrip(" ").startswith(("=", "+", "-", "@", "\t"))]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".xlsx"])
def test_guarded_names_and_labels_come_back(tmp_path: Path, ending: str) -> None:
    rows = [[label, "plain"] for label in DANGEROUS]
    names = [f"{x}!" for x in DANGEROUS]
    ratings = cs.Ratings.from_wide(rows, items=names)
    path = tmp_path / f"sheet{ending}"
    io.write_sheet(latent.adjudicate(ratings), path)
    if ending == ".xlsx":
        book = openpyxl.load_workbook(path)
        sheet = book["adjudication"]
        heads = [cell.value for cell in sheet[1]]
        for row in sheet.iter_rows(min_row=2):
            row[heads.index("gold")].value = row[1].value
            row[heads.index("gold")].data_type = "s"
        book.save(path)
    else:
        delimiter = "," if ending == ".csv" else "\t"
        with path.open(encoding="utf-8-sig", newline="") as stream:
            table = list(csv.reader(stream, delimiter=delimiter))
        for line in table[1:]:
            line[table[0].index("gold")] = line[1]
        with path.open("w", newline="") as stream:
            csv.writer(stream, delimiter=delimiter).writerows(table)
    done = io.read_sheet(path, ratings)
    stripped = {str(one.label).strip() for one in done.labels}
    assert done.n_gold == len(DANGEROUS)
    assert {"=1+1", "@SUM(A1)", "=cmd|' /C calc'!A0"} <= stripped


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    ratings = cs.Ratings.from_wide([[-0.5, 1], [2, 2]], items=[7, 8], scale="interval")
    path = tmp_path / "sheet.xlsx"
    io.write_sheet(latent.adjudicate(ratings), path)
    row = [cell.value for cell in openpyxl.load_workbook(path)["adjudication"][2]]
    assert row[:3] == ["7", -0.5, 1]


def test_a_crowd_gets_one_column(tmp_path: Path) -> None:
    crowd = simulate(n_items=50, n_raters=60, ratings_per_item=4, accuracy=0.7, rng=1).ratings
    path = tmp_path / "sheet.csv"
    io.write_sheet(latent.adjudicate(crowd), path, top=3)
    rows = rows_of(path)
    assert rows[0][:2] == ["item", "ratings"]
    assert rows[1][1].count(":") == 4
    assert len(rows) == 4


def test_a_rater_may_be_called_gold(tmp_path: Path) -> None:
    ratings = cs.Ratings.from_wide([["a", "b"], ["b", "b"]], raters=["gold", "item"])
    io.write_sheet(latent.adjudicate(ratings), tmp_path / "sheet.csv")
    assert rows_of(tmp_path / "sheet.csv")[0][1:3] == ["rater gold", "rater item"]


def test_an_existing_sheet_is_never_lost(sheet: Path, ratings: cs.Ratings) -> None:
    before = sheet.read_bytes()
    with pytest.raises(InputError, match="which exists"):
        io.write_sheet(latent.adjudicate(ratings), sheet)
    assert sheet.read_bytes() == before
    io.write_sheet(latent.adjudicate(ratings), sheet, existing="replace", top=1)
    assert len(rows_of(sheet)) == 2


def test_a_failed_write_leaves_the_old_sheet_and_no_rubbish(
    sheet: Path, ratings: cs.Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sheet.read_bytes()

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output_files.Path, "replace", full)
    with pytest.raises(InputError, match="No space left on device; nothing was written"):
        io.write_sheet(latent.adjudicate(ratings), sheet, existing="replace")
    assert sheet.read_bytes() == before
    assert list(sheet.parent.iterdir()) == [sheet]


def test_a_folder_that_may_not_be_written_to_is_told(
    tmp_path: Path, ratings: cs.Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(**options: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(output_files, "_HANDLES", str(tmp_path / "none"))
    monkeypatch.setattr(output_files.tempfile, "mkstemp", refused)
    with pytest.raises(InputError, match="Permission denied; nothing was written"):
        io.write_sheet(latent.adjudicate(ratings), tmp_path / "sheet.csv")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("sheet.pdf", {}, r"ends in \.xlsx or \.csv"),
        ("none/sheet.csv", {}, "folder that exists"),
        ("sheet.csv", {"which": "contestd"}, "did you mean 'contested'"),
        ("sheet.csv", {"existing": "overwrite"}, "'replace'"),
        ("sheet.csv", {"top": 0}, "whole number"),
        ("sheet.csv", {"text": ["a"]}, "a mapping"),
    ],
)
def test_a_wrong_sheet_is_told(
    tmp_path: Path, ratings: cs.Ratings, name: str, options: Any, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        io.write_sheet(latent.adjudicate(ratings), tmp_path / name, **options)
    assert not list(tmp_path.iterdir())


def test_nothing_to_adjudicate_is_told(tmp_path: Path) -> None:
    calm = latent.adjudicate(cs.Ratings.from_wide([["a", "a"], ["b", "b"]]))
    with pytest.raises(InputError, match="nothing has to be decided"):
        io.write_sheet(calm, tmp_path / "sheet.csv")
    with pytest.raises(InputError, match="an Adjudication"):
        io.write_sheet("calm", tmp_path / "sheet.csv")  # type: ignore[arg-type]


# --- the way back ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "way", [{}, {"delimiter": ";"}, {"delimiter": "\t"}, {"encoding": "utf-16"},
            {"encoding": "cp1252"}, {"encoding": "utf-8-sig"}]
)  # fmt: skip
def test_decisions_come_back(sheet: Path, ratings: cs.Ratings, way: Any) -> None:
    done = io.read_sheet(fill(sheet, {"q": "a", "s": "b"}, **way), ratings)
    assert (done.n_gold, done.n_open) == (2, 0)
    final = {one.item: (one.label, one.source) for one in done.labels}
    assert final == {
        "p": ("a", "unanimous"), "q": ("a", "gold"), "r": ("b", "unanimous"), "s": ("b", "gold"),
        "t": (None, "none"), "u": ("c", "majority"),
    }  # fmt: skip
    assert done.sources == {"gold": 2, "majority": 1, "none": 1, "unanimous": 2}
    right = {one.rater: (one.n_gold, one.n_right) for one in done.raters}
    assert right == {"Ann": (2, 1), "Bob": (2, 1), "Cid": (1, 1)}


def test_before_and_after(ratings: cs.Ratings) -> None:
    done = latent.resolve(ratings, {"q": "a"})
    assert done.before.value == pytest.approx(cs.krippendorff_alpha(ratings).value)
    settled = [row if name != "q" else ["a"] * 3 for name, row in zip(ITEMS, WIDE, strict=True)]
    after = cs.krippendorff_alpha(cs.Ratings.from_wide(settled, categories=["a", "b", "c"])).value
    assert done.after.value == pytest.approx(after)
    assert done.n_open == 1
    assert "replaced by its gold label" in str(done)


def test_raters_against_gold_match_plain_functions(study: Any) -> None:
    truth = dict(zip(study.ratings.items, study.truth, strict=True))
    done = latent.resolve(study.ratings, truth)
    for one in done.raters:
        mine = study.ratings.select(raters=[one.rater])
        entries = entries_of("x", mine)
        said = [mine.categories[k] for k in entries.label]
        gold = [truth[mine.items[i]] for i in entries.item.tolist()]
        assert one.accuracy == pytest.approx(
            np.mean([a == b for a, b in zip(said, gold, strict=True)])
        )
        assert one.kappa == pytest.approx(cs.cohen_kappa(said, gold).value)
        assert one.interval.low < one.accuracy < one.interval.high
    assert done.after.value == pytest.approx(1.0)
    # Published: Wilson's 95 % interval of 15 in 20 (Newcombe 1998's method) is 0.5313 to 0.8881.
    from consilience.latent._rater_tests import wilson

    limits = wilson(np.array([0.75]), np.array([np.nan]), np.array([20.0]), 0.95)
    assert limits.reshape(-1) == pytest.approx([0.5313, 0.8881], abs=1e-4)


def test_a_partly_filled_sheet_is_counted(sheet: Path, ratings: cs.Ratings) -> None:
    done = io.read_sheet(fill(sheet, {"q": "a"}), ratings)
    assert (done.n_gold, done.n_open) == (1, 1)
    assert [one.code for one in done.findings] == ["rows_without_decision"]
    assert "1 row of 2" in done.findings[0].message


def rename(rows: list[list[str]]) -> None:
    rows[1][0] = "Q"


def double(rows: list[list[str]]) -> None:
    rows.append(rows[1])


def blank(rows: list[list[str]]) -> None:
    rows[2][0] = ""


def other_check(rows: list[list[str]]) -> None:
    rows[1][-1] = "c00000000-000000-1/2"


def swap(rows: list[list[str]]) -> None:
    rows[1][0], rows[2][0] = rows[2][0], rows[1][0]


def no_gold(rows: list[list[str]]) -> None:
    rows[0][-2] = "final"


def no_rows(rows: list[list[str]]) -> None:
    del rows[1:]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (rename, r"row 2: the item must be as it was written, 's'\. Got 'Q'"),
        (swap, r"row 2: the item must be as it was written, 's'\. Got 'q'"),
        (double, r"row 4: each item must be in one row only\. Got item 's' in row 2"),
        (blank, "row 3: the item column must be filled"),
        (other_check, "row 2: the sheet must be one that was written from these ratings"),
        (no_gold, "columns item, gold and check"),
        (no_rows, "no row below the names"),
    ],
)
def test_a_damaged_sheet_is_told_with_its_row(
    sheet: Path, ratings: cs.Ratings, edit: Any, message: str
) -> None:
    filled = fill(sheet, {"q": "a", "s": "b"}, edits=[edit])
    with pytest.raises(InputError, match=message):
        io.read_sheet(filled, ratings)


def test_changed_names_can_be_repaired(sheet: Path, ratings: cs.Ratings) -> None:
    filled = fill(sheet, {"q": "a", "s": "b"}, edits=[rename])
    done = io.read_sheet(filled, ratings, changed_ids="repair")
    assert {one.item: one.source for one in done.labels}["s"] == "gold"
    assert "names_repaired" in [one.code for one in done.findings]


def test_missing_rows_and_a_missing_check_are_told(sheet: Path, ratings: cs.Ratings) -> None:
    filled = fill(sheet, {"q": "a", "s": "b"}, edits=[lambda rows: rows.pop(1)])
    found = io.read_sheet(filled, ratings).findings
    assert [one.code for one in found] == ["rows_missing"]
    assert "row 1" in found[0].message

    def drop(rows: list[list[str]]) -> None:
        for row in rows:
            row.pop()

    filled = fill(sheet, {"q": "a"}, edits=[drop])
    assert "no_check_column" in [one.code for one in io.read_sheet(filled, ratings).findings]


def test_unknown_gold_labels(sheet: Path, ratings: cs.Ratings) -> None:
    filled = fill(sheet, {"q": "A", "s": "b"})
    with pytest.raises(InputError, match=r"row 3: the gold label .*Got 'A'.*did you mean 'a'"):
        io.read_sheet(filled, ratings)
    filled = fill(sheet, {"q": "new", "s": "b"})
    with pytest.raises(InputError, match='new_labels="accept"'):
        io.read_sheet(filled, ratings)
    done = io.read_sheet(filled, ratings, new_labels="accept")
    assert {one.item: one.label for one in done.labels}["q"] == "new"
    assert "new_labels" in [one.code for one in done.findings]
    assert done.categories == ("a", "b", "c", "new")


def test_new_labels_need_a_place_on_an_ordinal_scale() -> None:
    words = cs.Ratings.from_wide(
        [["low", "high"], ["low", "low"]], scale="ordinal", categories=["low", "high"]
    )
    with pytest.raises(InputError, match="on a nominal scale, or a number"):
        latent.resolve(words, {0: "middle"}, new_labels="accept")
    marks = cs.Ratings.from_wide([[1, 3], [1, 1], [3, 3]], scale="ordinal")
    done = latent.resolve(marks, {0: 2}, new_labels="accept")
    assert done.after.categories == (1, 2, 3)
    assert done.labels[0].label == 2


def test_a_sheet_of_other_ratings_is_refused(sheet: Path) -> None:
    filled = fill(sheet, {"q": "a", "s": "b"})
    same_names = cs.Ratings.from_wide([["b", "a"]] * 6, items=ITEMS, raters=["x", "y"])
    with pytest.raises(InputError, match="other ratings in 2 of 2 rows"):
        io.read_sheet(filled, same_names)
    with pytest.raises(InputError, match="row 2: the sheet must be one that was written"):
        io.read_sheet(filled, cs.Ratings.from_wide([["a", "b"]]))


def test_ratings_that_changed_since_are_told(sheet: Path) -> None:
    changed = [list(row) for row in WIDE]
    changed[3][2] = "b"
    done = io.read_sheet(
        fill(sheet, {"q": "a", "s": "b"}), cs.Ratings.from_wide(changed, items=ITEMS, raters=RATERS)
    )
    assert [one.code for one in done.findings] == ["ratings_changed"]
    assert "row 2" in done.findings[0].message


def test_an_unfilled_or_unreadable_sheet_is_told(
    sheet: Path, ratings: cs.Ratings, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="filled in at least one row"):
        io.read_sheet(sheet, ratings)
    for name, data in {
        "bad.xlsx": b"PK\x03\x04 no archive",
        "empty.csv": b"",
        "nul.csv": b"\x00\x01\x02",
        "other.csv": b"a,b\n1,2\n",
    }.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(InputError):
            io.read_sheet(tmp_path / name, ratings)
    with pytest.raises(InputError, match="existing file"):
        io.read_sheet(tmp_path / "nowhere.csv", ratings)
    with pytest.raises(InputError, match="'refuse', 'accept'"):
        io.read_sheet(sheet, ratings, new_labels="maybe")
    with pytest.raises(InputError, match="'refuse', 'repair'"):
        io.read_sheet(sheet, ratings, changed_ids="maybe")


def test_a_cell_at_the_far_end_does_not_matter(ratings: cs.Ratings, tmp_path: Path) -> None:
    path = tmp_path / "sheet.xlsx"
    io.write_sheet(latent.adjudicate(ratings), path)
    book = openpyxl.load_workbook(path)
    sheet = book["adjudication"]
    column = [cell.value for cell in sheet[1]].index("gold") + 1
    sheet.cell(2, column).value = "a"
    sheet.cell(1_048_576, 16_384).value = "x"
    book.save(path)
    assert io.read_sheet(path, ratings).n_gold == 1


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
def test_final_labels_are_written(ratings: cs.Ratings, tmp_path: Path, ending: str) -> None:
    done = latent.resolve(ratings, {"q": "a", "s": "b"})
    path = tmp_path / f"final{ending}"
    assert io.write_labels(done, path) == 6
    with pytest.raises(InputError, match="which exists"):
        io.write_labels(done, path)
    if ending == ".parquet":
        import duckdb

        rows = duckdb.sql(f"SELECT * FROM read_parquet('{path}')").fetchall()
        assert rows[1] == ("q", "a", "gold", 1.0)
        assert rows[4] == ("t", None, "none", None)
    else:
        lines = path.read_text().splitlines()
        assert lines[0].replace("\t", ",") == "item,label,source,probability"
        assert lines[2].replace("\t", ",") == "q,a,gold,1.0"


def test_final_labels_are_guarded_unless_told(tmp_path: Path) -> None:
    ratings = cs.Ratings.from_wide([["=x", "=x"], ["=x", "b"]], items=["-1", "@i"])
    done = latent.resolve(ratings, {"@i": "b"})
    io.write_labels(done, tmp_path / "safe.csv")
    io.write_labels(done, tmp_path / "raw.csv", guard="none")
    assert (tmp_path / "safe.csv").read_text().splitlines()[1:] == [
        "-1,'=x,unanimous,1.0", "'@i,b,gold,1.0",
    ]  # fmt: skip
    assert (tmp_path / "raw.csv").read_text().splitlines()[2] == "@i,b,gold,1.0"
    with pytest.raises(InputError, match="'spreadsheet', 'none'"):
        io.write_labels(done, tmp_path / "x.csv", guard="yes")


def test_counts_are_resolved_without_raters() -> None:
    counts = cs.Ratings.from_counts([[3, 0], [2, 1], [0, 3]], categories=["n", "y"])
    done = latent.resolve(counts, {1: "n"})
    assert done.raters == ()
    assert done.after.value == pytest.approx(1.0)
    assert str(done)


@pytest.mark.parametrize(
    ("gold", "message"),
    [({}, "not empty|decisions"), (None, "mapping"), ({"zz": "a"}, "items that were rated"),
     ({"q": "zz"}, "gold label")],
)  # fmt: skip
def test_wrong_decisions_are_told(ratings: cs.Ratings, gold: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        latent.resolve(ratings, gold)


def test_a_crowd_against_gold_has_plain_kappas() -> None:
    crowd = simulate(n_items=300, n_raters=120, ratings_per_item=6, accuracy=0.8, rng=3)
    truth = dict(zip(crowd.ratings.items, crowd.truth, strict=True))
    done = latent.resolve(crowd.ratings, truth, model="majority")
    one = crowd.ratings.select(raters=[0])
    entries = entries_of("the crowd", one)
    said = [one.categories[k] for k in entries.label]
    gold = [truth[one.items[i]] for i in entries.item.tolist()]
    assert done.raters[0].kappa_interval is None
    assert done.raters[0].kappa == pytest.approx(cs.cohen_kappa(said, gold).value)


def test_a_workbook_has_no_clock(tmp_path: Path) -> None:
    found = latent.adjudicate(cs.Ratings.from_wide([["a", "b"], ["b", "a"]], items=["p", "q"]))
    paths = [tmp_path / "one.xlsx", tmp_path / "two.xlsx"]
    for path in paths:
        io.write_sheet(found, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with zipfile.ZipFile(paths[0]) as archive:
        assert {part.date_time for part in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        properties = archive.read("docProps/core.xml").decode()
    assert re.findall(r"(\d{4})-\d\d-\d\dT", properties) == ["1980", "1980"]


def test_final_labels_with_a_lone_carriage_return_stay_one_row(tmp_path):
    ratings = cs.Ratings.from_wide([["a\rb", "a\rb"], ["c", "c"]], items=["p\rq", "r"])
    resolved = latent.resolve(ratings, {"r": "c"})
    for name, delimiter in (("labels.csv", ","), ("labels.tsv", "\t")):
        io.write_labels(resolved, tmp_path / name, guard="none")
        with (tmp_path / name).open(encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(stream, delimiter=delimiter))
        assert [row[:2] for row in rows[1:]] == [["p\rq", "a\rb"], ["r", "c"]]


def test_an_error_in_a_cell_is_no_decision(ratings: cs.Ratings, tmp_path: Path) -> None:
    path = tmp_path / "sheet.xlsx"
    io.write_sheet(latent.adjudicate(ratings), path)
    book = openpyxl.load_workbook(path)
    sheet = book["adjudication"]
    column = [cell.value for cell in sheet[1]].index("gold") + 1
    sheet.cell(2, column).value, sheet.cell(3, column).value = "a", "#N/A"
    book.save(path)
    with pytest.raises(InputError, match=r"row 3: the gold label .*Got '#N/A'"):
        io.read_sheet(path, ratings)


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_truth_values_of_a_spreadsheet_are_labels(tmp_path: Path, ending: str) -> None:
    ratings = cs.Ratings.from_wide([["true", "false"], ["true", "true"]], items=["p", "q"])
    path = tmp_path / f"sheet{ending}"
    io.write_sheet(latent.adjudicate(ratings), path)
    if ending == ".csv":
        path.write_text(path.read_text("utf-8-sig").replace(",,", ",TRUE,"))
    else:
        book = openpyxl.load_workbook(path)
        sheet = book["adjudication"]
        sheet.cell(2, [cell.value for cell in sheet[1]].index("gold") + 1).value = True
        book.save(path)
    assert io.read_sheet(path, ratings).labels[0].label == "true"
