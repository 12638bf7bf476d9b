"""Habits of people with spreadsheets: which sheet, OpenDocument, old Excel, odd rows and cells."""

from __future__ import annotations

import datetime

import openpyxl
import pytest

import consilience as cs
import needed
from consilience.exceptions import InputError, MissingDependencyError
from consilience.io import load
from spreadsheets import cell, row, write_ods, write_xls

WIDE = [["item", "Ann", "Bob"], *[[k, "ab"[k % 2], "abb"[k % 3]] for k in range(1, 9)]]
LONG = [["item", "rater", "label"],
        *[[k, rater, "ab"[(k + j) % 2]] for k in range(1, 5) for j, rater in enumerate(("A", "B"))]
        ]  # fmt: skip
CODEBOOK = [["code", "meaning"], ["a", "agrees"], ["b", "objects"]]


@pytest.fixture
def saved(tmp_path):
    """Write sheets given as (name, rows) into a workbook."""

    def write(*sheets, edit=None):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, rows in sheets:
            sheet = book.create_sheet(name)
            for one in rows:
                sheet.append(one)
        if edit is not None:
            edit(book)
        book.save(tmp_path / "codes.xlsx")
        return tmp_path / "codes.xlsx"

    return write


def told(path, **options):
    return " | ".join(load(path, **options).reading.evidence)


# -------------------------------------------------------------------- which sheet


@pytest.mark.parametrize("sheet", ["Old", "old", 2, "2", ["Old"]])
def test_a_sheet_is_chosen_by_name_or_number(saved, sheet):
    path = saved(("Codes", WIDE), ("Old", LONG))
    assert load(path, sheet="Codes").reading.shape == "wide"
    assert load(path, sheet=sheet).reading.shape == "long"


def test_a_number_may_be_a_name(saved):
    assert load(saved(("Codes", WIDE), ("1", LONG)), sheet="1").reading.shape == "long"


@pytest.mark.parametrize(
    ("sheet", "words"),
    [
        ("Cods", r"sheet must be one of 'Codes', 'Old'. Got 'Cods'. Hint: did you mean 'Codes'"),
        (3, "Got 3"), (0, "Got 0"), (["Codes", "Old"], "alike in their columns"),
        (True, "the name or the number of a sheet"), (2.0, "the name or the number of a sheet"),
    ],
)  # fmt: skip
def test_a_sheet_that_is_not_there_is_refused(saved, sheet, words):
    with pytest.raises(InputError, match=words):
        load(saved(("Codes", WIDE), ("Old", LONG)), sheet=sheet)


def test_an_empty_sheet_is_refused_if_it_was_asked_for(saved):
    with pytest.raises(InputError, match="Got none on 'Sheet2'"):
        load(saved(("Codes", WIDE), ("Sheet2", [])), sheet="Sheet2")


def test_a_hidden_sheet_can_be_asked_for(saved):
    def hide(book):
        book["Old"].sheet_state = "hidden"

    assert load(saved(("Codes", WIDE), ("Old", LONG), edit=hide), sheet="Old").ratings.n_items == 4


def test_sheets_are_for_workbooks(tmp_path):
    (tmp_path / "codes.csv").write_text("item,Ann,Bob\n1,a,b\n2,b,b\n")
    with pytest.raises(InputError, match="sheet must be named for a workbook or a database only"):
        cs.read(tmp_path / "codes.csv", sheet="Codes")


def test_sheets_without_ratings_do_not_disturb(saved):
    notes = [["Coded in spring"], ["by us"]]
    path = saved(("Notes", notes), ("B1", CODEBOOK), ("B2", CODEBOOK), ("C", WIDE), ("Sheet2", []))
    assert load(path).ratings.raters == ("Ann", "Bob")
    assert "left out, as no table: 'Notes'" in told(path)
    assert "read: 'C'; left out, as their columns differ: 'B1', 'B2' (--sheet)" in told(path)


def test_sheets_are_raters_or_variables_by_their_names(saved):
    def coded(columns):
        return [["item", *columns], *[[k, k % 2, (k + 1) % 2 if k % 3 else 0] for k in range(9)]]

    of_raters = saved(("Ann", coded(("v1", "v2"))), ("Bob", coded(("v1", "v2"))))
    groups = cs.read_groups(of_raters)
    assert {name: one.raters for name, one in groups.items()} == dict.fromkeys(
        ("v1", "v2"), ("Ann", "Bob")
    )
    of_variables = saved(("v1", coded(("Ann", "Bob"))), ("v2", coded(("Ann", "Bob"))))
    groups = cs.read_groups(of_variables)
    assert {name: one.raters for name, one in groups.items()} == dict.fromkeys(
        ("v1", "v2"), ("Ann", "Bob")
    )


def test_sheets_with_other_items_are_parts_of_one_table(saved):
    names = ["item", "rater1", "rater2"]
    more = [[k, "ab"[k % 2], "abb"[k % 3]] for k in range(20, 29)]
    path = saved(("pilot", [names, *WIDE[1:]]), ("main", [names, *more]))
    assert load(path).by is None
    assert cs.read(path).n_items == 17


# -------------------------------------------------------------------- OpenDocument


def test_an_opendocument_sheet_is_read(tmp_path):
    path = write_ods(tmp_path / "codes.ods", ("Codes", WIDE), ("Old", LONG), hidden=["Old"])
    loaded = load(path)
    assert loaded.reading.format == "ods"
    assert (loaded.ratings.raters, loaded.ratings.n_ratings) == (("Ann", "Bob"), 16)
    assert "hidden sheet left out: 'Old'" in told(path)
    assert load(path, sheet="Old").reading.shape == "long"


def test_repeated_cells_and_rows_count_as_often_as_they_say(tmp_path):
    twice = cell("a", 'table:number-columns-repeated="2"')
    rows = [["Ann", "Bob"], [twice], row(["b", "a"], 'table:number-rows-repeated="3"'), ["b", "b"]]
    ratings = cs.read(write_ods(tmp_path / "codes.ods", ("S", rows)), shape="wide")
    assert ratings.n_items == 5
    assert ratings.table("Ann", "Bob").tolist() == [[1, 0], [3, 1]]


def test_what_stands_beside_the_value_of_a_cell(tmp_path):
    error = ('<table:table-cell office:value-type="string" calcext:value-type="error">'
             "<text:p>#N/A</text:p></table:table-cell>")  # fmt: skip
    noted = ('<table:table-cell office:value-type="string"><office:annotation><text:p>why?</text:p>'
             "</office:annotation><text:p>a</text:p></table:table-cell>")  # fmt: skip
    rows = [WIDE[0], [1, error, noted], row([2, "b", "a"], 'table:visibility="filter"'), *WIDE[3:]]
    path = write_ods(tmp_path / "codes.ods", ("S", rows))
    ratings = cs.read(path)
    assert (ratings.n_ratings, ratings.categories) == (15, ("a", "b"))
    assert "1 cells with an error" in told(path)
    assert "1 hidden rows were read like the others" in told(path)


def test_names_over_several_columns_in_opendocument(tmp_path):
    def over(word):
        return cell(word, 'table:number-columns-spanned="2"')

    covered = "<table:covered-table-cell/>"
    rows = [[None, over("Tone"), covered, over("Topic"), covered],
            ["item", "Ann", "Bob", "Ann", "Bob"],
            *[[k, "ab"[k % 2], "abb"[k % 3], k % 3, k % 2] for k in range(1, 9)]]  # fmt: skip
    groups = cs.read_groups(write_ods(tmp_path / "codes.ods", ("S", rows)))
    assert {name: one.raters for name, one in groups.items()} == {
        "Tone": ("Ann", "Bob"), "Topic": ("Ann", "Bob")
    }  # fmt: skip


BOMB = row(["x"], 'table:number-rows-repeated="999999999"')


@pytest.mark.parametrize(
    ("rows", "xml", "words"),
    [
        ([["Ann", "Bob"], BOMB.replace("string", 'string" table:number-columns-repeated="9999')],
         "", "at most 5,000,000 cells"),
        ([], '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "a document type"),
        ([], "<office:document-content", "well-formed XML"),
        ([], "<a><table-row><table-cell/></table-row></a>", "a complete workbook"),
        ([WIDE[0], [1, '<table:table-cell office:value-type="float" office:value="x"/>', "a"]], "",
         "a complete workbook"),
        ([["Ann"], ["a"]], "", "at least two columns"),
    ],
)  # fmt: skip
def test_a_bad_opendocument_file_is_refused(tmp_path, rows, xml, words):
    with pytest.raises(InputError, match=words):
        cs.read(write_ods(tmp_path / "codes.ods", ("S", rows), xml=xml))


# -------------------------------------------------------------------- Excel before 2007


def test_an_old_workbook_is_read(tmp_path):
    needed.package("python_calamine")
    path = write_xls(tmp_path / "codes.xls", ("Codebook", CODEBOOK), ("Codes", WIDE))
    loaded = load(path)
    assert loaded.reading.format == "xls"
    assert (loaded.ratings.raters, loaded.ratings.n_ratings) == (("Ann", "Bob"), 16)
    assert loaded.ratings.items[0] == "1"
    with pytest.raises(InputError, match="'Codebook', 'Codes'"):
        load(path, sheet="Old")


def test_an_old_workbook_cut_short_is_refused(tmp_path):
    needed.package("python_calamine")
    path = write_xls(tmp_path / "codes.xls", ("Codes", WIDE * 30))
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(InputError, match="a complete workbook"):
        cs.read(path)


def test_the_library_for_old_workbooks_is_named(tmp_path, monkeypatch):
    path = write_xls(tmp_path / "codes.xls", ("Codes", WIDE))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"consilience\[xls\]', or save .* as \.xlsx"):
        cs.read(path)


@pytest.mark.parametrize("name", ["codes.xls", "codes.xlsx"])
def test_an_office_file_that_is_no_workbook_is_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 100)
    with pytest.raises(InputError, match=r"an old or locked Office file.*without a password"):
        cs.read(tmp_path / name)


def test_text_that_is_called_a_workbook_is_read_as_text(tmp_path):
    path = tmp_path / "codes.xls"
    path.write_text("item\tAnn\tBob\n1\ta\tb\n2\tb\tb\n3\ta\ta\n")
    assert cs.read(path).n_ratings == 6
    path.write_text("<html><table><tr><td>1</td></tr></table></html>")
    with pytest.raises(InputError, match="a web page or XML called"):
        cs.read(path)


# -------------------------------------------------------------------- odd rows and cells


@pytest.mark.parametrize(
    ("above", "n_above"),
    [
        ([["Codes of May"], [None, "Ann", "Bob"]], 1),  # nothing stands in the corner
        ([["Codes of May"], ["coded on", "a Monday"], ["item", "Ann", "Bob"]], 2),
    ],
)
def test_notes_above_the_names_are_told_from_names_beside_an_empty_corner(saved, above, n_above):
    rows = [[f"t{k}", "yes" if k % 2 else "no", "yes" if k % 3 else "no"] for k in range(6)]
    path = saved(("Codes", [*above, *rows]))
    ratings = load(path).ratings
    assert (ratings.raters, ratings.n_items) == (("Ann", "Bob"), 6)
    assert f"the names stand in row {n_above + 1}; {n_above} above" in told(path)


def test_an_item_may_stand_in_the_first_of_its_rows(saved):
    rows = [LONG[0], *[[one[0] if one[1] == "A" else None, *one[1:]] for one in LONG[1:]]]
    path = saved(("S", rows))
    assert cs.read(path).n_items == 4
    assert "4 empty cells of 'item' were filled with the name above them" in told(path)


def test_an_item_is_not_filled_in_where_a_rater_would_come_twice(saved):
    rows = [LONG[0], [1, "A", "a"], [None, "A", "b"], [2, "A", "b"], [2, "B", "b"]]
    with pytest.raises(InputError, match="'item' must be filled"):
        cs.read(saved(("S", rows)))


@pytest.mark.parametrize("word", ["Total", "Mean", "Agreement", "Sum:"])
def test_a_computed_row_at_the_end_is_left_out(saved, word):
    path = saved(("S", [*WIDE, [word, 4, 5]]))
    assert cs.read(path).categories == ("a", "b")
    assert "left out, as notes or totals below the data: 1 row" in told(path)


def test_an_item_that_is_only_called_like_a_sum_is_kept(saved):
    assert cs.read(saved(("S", [*WIDE, ["sum", "a", "b"]]))).n_items == 9


@pytest.mark.parametrize("word", ["agree?", "Difference", "Average", "Sum"])
def test_a_computed_column_is_no_rater(saved, word):
    rows = [[*WIDE[0], word], *[[k, k % 2, k % 3 % 2, int(k % 2 == k % 3 % 2)] for k in range(9)]]
    path = saved(("S", rows))
    loaded = cs.load(path)
    assert loaded.ratings.raters == ("Ann", "Bob")
    assert [one.name for one in loaded.reading.account.set_aside if one.kind == "columns"] == [word]


def test_a_row_of_units_is_left_out(saved):
    path = saved(("S", [WIDE[0], ["(no.)", "(a-b)", "(a-b)"], *WIDE[1:]]))
    assert cs.read(path).n_items == 8
    assert "1 row of units below the names" in told(path)


def test_a_column_of_uncalculated_formulas_is_refused(saved):
    path = saved(("S", [WIDE[0], *[[k, k % 2, f"=B{k}"] for k in range(2, 9)]]))
    with pytest.raises(InputError, match=r"column 'Bob' must be filled.*7 formulas without a calc"):
        cs.read(path)


def test_a_workbook_of_uncalculated_formulas_is_refused(saved):
    path = saved(("S", [WIDE[0], *[["=ROW()", "=1", f"=B{k}"] for k in range(2, 9)]]))
    with pytest.raises(InputError, match=r"formulas hold no calculated value.*open and save"):
        cs.read(path)


def test_labels_that_became_dates_are_noted(saved):
    day = datetime.date(2024, 2, 1)
    path = saved(("S", [WIDE[0], *[[k, day, "3-4" if k % 2 else day] for k in range(1, 9)]]))
    ratings = cs.read(path, rater=["Ann", "Bob"])
    assert [note.code for note in ratings.notes] == ["labels_are_dates"]
    assert "1-2 into dates" in ratings.notes[0].message


def test_decimal_commas_typed_as_text_are_numbers(saved):
    rows = [WIDE[0], *[[k, f"{k % 3},5", k % 2 + 0.5] for k in range(1, 9)]]
    assert cs.read(saved(("S", rows))).categories == (0.5, 1.5, 2.5)


def test_codes_with_commas_stay_text(saved):
    rows = [WIDE[0], *[[k, "1,2" if k % 2 else 1, "1,2" if k % 3 else 2] for k in range(1, 9)]]
    assert cs.read(saved(("S", rows))).categories == ("1", "1,2", "2")


# -------------------------------------------------------------------- text from spreadsheets


CSV = "item,Ann,Bob\n" + "".join(f"{k},{'ab'[k % 2]},{'abb'[k % 3]}\n" for k in range(1, 9))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Study 3: news\n" + CSV, "1 line above the names left out"),
        ("Study 3\n\nspring\n" + CSV, "2 lines above the names left out"),
        ("Study 3,,\n" + CSV, "1 line above the names left out"),
        ("sep=,\n" + CSV, "1 line above the names left out"),
        ("sep=;\n" + CSV.replace(",", ";"), "1 line above the names left out"),
        (CSV.replace("Bob\n", "Bob\n(no.),(a-b),(a-b)\n"), "a line of units below the names"),
        (CSV + "Total,4,5\n", "left out, as notes or totals below the data: 1 row"),
        (CSV + ",,\n,,\n", "left out, as empty: 2 rows"),
        (CSV.replace("\n", ",\n"), "share their values"),
        (CSV.replace("\n", ",\n").replace("Bob,", "Bob"), "share their values"),
    ],
)
def test_what_spreadsheets_put_around_the_table(tmp_path, text, words):
    path = tmp_path / "codes.csv"
    path.write_text(text)
    ratings = cs.read(path)
    assert (ratings.raters, ratings.n_items, ratings.n_ratings) == (("Ann", "Bob"), 8, 16)
    assert ratings.categories == ("a", "b")
    assert words in told(path)


def test_messages_count_the_lines_above_the_names(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("Study 3: news\n\n" + CSV + "8,a,a\n")
    with pytest.raises(InputError, match="line 12: each rater must rate an item at most once"):
        cs.read(path, shape="wide")


def test_semicolons_and_decimal_commas(tmp_path):
    path = tmp_path / "codes.csv"
    rows = [f"{k};{k % 3},5;{k % 2},5" for k in range(1, 9)]
    path.write_text("item;Ann;Bob\n" + "\n".join(rows) + "\n")
    assert cs.read(path).categories == (0.5, 1.5, 2.5)
