"""Excel workbooks: the table found wherever it stands, and what strangers put into such files."""

from __future__ import annotations

import datetime
import zipfile

import openpyxl
import pytest

import consilience as cs
from consilience.exceptions import InputError
from consilience.io import load
from consilience.io.grids import _sheet_tables as _sheet_table
from consilience.io.grids import workbooks as _workbook
from consilience.io.grids import workbooks as _workbook_cells
from consilience.io.grids import workbooks as _workbook_xml

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def saved(tmp_path, *sheets, name="codes.xlsx"):
    """Write sheets given as (name, rows); the rows as lists of values."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    path = tmp_path / name
    book.save(path)
    return path


def raw(tmp_path, rows, *, more="", shared=None, members=(), name="codes.xlsx", head="", book=""):
    """Write a workbook by hand: the XML of the rows, and other members."""
    path = tmp_path / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}">{book}<sheets><sheet name="S" '
            'sheetId="1" r:id="rId1"/></sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships><Relationship Id="rId1" Type="{OFFICE}/worksheet" '
            'Target="worksheets/sheet1.xml"/></Relationships>',
        )
        if shared is not None:
            texts = "".join(f"<si>{text}</si>" for text in shared)
            archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{texts}</sst>')
        archive.writestr(
            "xl/worksheets/sheet1.xml",
            f'{head}<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData>{more}</worksheet>',
        )
        for member, content in members:
            archive.writestr(member, content)
    return path


def text_row(number, *cells):
    inside = "".join(
        f'<c r="{chr(65 + j)}{number}" t="inlineStr"><is><t>{cell}</t></is></c>'
        for j, cell in enumerate(cells)
        if cell != ""
    )
    return f'<row r="{number}">{inside}</row>'


HEAD = text_row(1, "item", "rater", "label")
LONG = [
    ["item", "rater", "label"], [1, "Ann", "a"], [1, "Bob", "a"], [2, "Ann", "b"], [2, "Bob", "a"]
]  # fmt: skip
WIDE = [["item", "Ann", "Bob"], [1, "a", "a"], [2, "b", "a"], [3, "b", "b"]]


def evidence(path, **options):
    return " | ".join(load(path, **options).reading.evidence)


# -------------------------------------------------------------------- where the table stands


def test_a_plain_sheet_is_read(tmp_path):
    loaded = load(saved(tmp_path, ("S", LONG)))
    assert loaded.reading.format == "excel"
    assert loaded.ratings.n_ratings == 4
    assert loaded.ratings.categories == ("a", "b")


def test_one_sheet_per_rater(tmp_path):
    sheets = [
        ("Ann", [["item", "label"], [1, "a"], [2, "b"]]),
        ("Bob", [["item", "label"], [1, "a"]]),
    ]
    ratings = cs.read(saved(tmp_path, *sheets))
    assert list(ratings.raters) == ["Ann", "Bob"]
    assert (ratings.n_items, ratings.n_ratings) == (2, 3)


def test_one_sheet_per_rater_with_several_variables(tmp_path):
    rows = [["item", "v1", "v2"], [1, "good", 3], [2, "bad", 4]]
    groups = cs.read_groups(saved(tmp_path, ("Ann", rows), ("Bob", rows)))
    assert list(groups) == ["v1", "v2"]
    assert groups["v1"].n_ratings == 4


def test_sheets_in_another_order_of_columns_are_put_together(tmp_path):
    sheets = [("Ann", [["item", "label"], [1, "a"]]), ("Bob", [["label", "item"], ["b", 1]])]
    ratings = cs.read(saved(tmp_path, *sheets))
    assert (ratings.n_items, ratings.categories) == (1, ("a", "b"))


def test_one_sheet_per_variable_gives_one_result_each(tmp_path):
    tone = [["item", "Ann", "Bob"], [1, "good", "good"], [2, "bad", "good"], [3, "bad", "bad"]]
    size = [["item", "Ann", "Bob"], [1, 1, 2], [2, 1, 1], [3, 2, 2]]
    path = saved(tmp_path, ("tone", tone), ("size", size))
    assert "one sheet per variable: 'tone', 'size'" in evidence(path)
    assert load(path).by == "variable"
    for groups in (cs.read_groups(path), cs.read_groups(path, by="sheet")):
        assert sorted(groups) == ["size", "tone"]
        assert groups["tone"].n_ratings == 6


def test_a_codebook_beside_the_codes_is_left_out(tmp_path):
    book = ("Codebook", [["abbreviation", "meaning"], ["a", "agrees"], ["b", "objects"]])
    path = saved(tmp_path, ("Read me", [["Made in 2024"]]), book, ("Codes", LONG))
    loaded = load(path)
    assert loaded.ratings.n_ratings == 4
    assert "left out, as their columns differ: 'Codebook'" in evidence(path)


def test_hidden_sheets_are_left_out(tmp_path):
    path = saved(tmp_path, ("Codes", LONG), ("Old", LONG))
    book = openpyxl.load_workbook(path)
    book["Old"].sheet_state = "hidden"
    book.save(path)
    assert cs.read(path).n_ratings == 4
    assert "hidden sheet left out: 'Old'" in evidence(path)


def test_names_need_not_stand_in_the_first_row(tmp_path):
    path = saved(tmp_path, ("S", [["Study 3"], [None, "spring 2024"], [], *LONG]))
    assert cs.read(path).n_ratings == 4
    assert "the names stand in row 4" in evidence(path)


def test_the_table_need_not_stand_in_the_first_column(tmp_path):
    assert cs.read(saved(tmp_path, ("S", [[None, None, *row] for row in LONG]))).n_ratings == 4


def test_messages_name_sheet_and_row(tmp_path):
    path = saved(tmp_path, ("Codes", [["Study 3"], [], *LONG, [2, "Bob", "b"]]))
    with pytest.raises(InputError, match="sheet 'Codes', row 8"):
        cs.read(path)


def test_names_in_two_rows_with_merged_cells(tmp_path):
    rows = [["item", "tone", None, "size", None], [None, "Ann", "Bob", "Ann", "Bob"],
            [1, "a", "a", 1, 1], [2, "b", "a", 2, 1]]  # fmt: skip
    path = saved(tmp_path, ("S", rows))
    book = openpyxl.load_workbook(path)
    for area in ("A1:A2", "B1:C1", "D1:E1"):
        book["S"].merge_cells(area)
    book.save(path)
    block = _sheet_table.table_on(_workbook.read_workbook(path)[0], "x")
    assert block.names == ["item", "tone / Ann", "tone / Bob", "size / Ann", "size / Bob"]
    assert [row for _, row in block.rows][1] == ["2", "b", "a", "2", "1"]
    ratings = cs.read(path, rater=["tone / Ann", "tone / Bob"], item="item")
    assert ratings.n_ratings == 4


def test_a_title_merged_over_the_whole_width_is_no_name(tmp_path):
    path = saved(tmp_path, ("S", [["Codes of the study", None, None], *LONG]))
    book = openpyxl.load_workbook(path)
    book["S"].merge_cells("A1:C1")
    book.save(path)
    assert cs.read(path).n_ratings == 4


def test_an_item_merged_over_several_rows_counts_for_each(tmp_path):
    rows = [["item", "rater", "label"], [1, "Ann", "a"], [None, "Bob", "a"], [2, "Ann", "b"],
            [None, "Bob", "a"]]  # fmt: skip
    path = saved(tmp_path, ("S", rows))
    book = openpyxl.load_workbook(path)
    book["S"].merge_cells("A2:A3")
    book["S"].merge_cells("A4:A5")
    book.save(path)
    ratings = cs.read(path)
    assert (ratings.n_items, ratings.n_ratings) == (2, 4)


def test_headings_inside_the_table_are_left_out(tmp_path):
    path = saved(tmp_path, ("S", [*WIDE[:2], ["Second part", None, None], *WIDE[2:]]))
    book = openpyxl.load_workbook(path)
    book["S"].merge_cells("A3:C3")
    book.save(path)
    assert cs.read(path).n_items == 3
    assert "1 rows merged over the whole width" in evidence(path)


def test_trailing_rows_without_values_and_remarks_are_left_out(tmp_path):
    path = saved(tmp_path, ("S", [*WIDE, [], [], ["Source: own coding"]]))
    book = openpyxl.load_workbook(path)
    for row in range(20, 400):
        book["S"].cell(row, 1).font = openpyxl.styles.Font(bold=True)
    book.save(path)
    assert cs.read(path).n_items == 3
    assert "1 remarks below" in evidence(path)


def test_hidden_rows_are_read_and_noted(tmp_path):
    path = saved(tmp_path, ("S", WIDE))
    book = openpyxl.load_workbook(path)
    book["S"].row_dimensions[3].hidden = True
    book.save(path)
    assert cs.read(path).n_items == 3
    assert "1 hidden rows were read like the others" in evidence(path)


def test_several_workbooks_are_one_per_rater(tmp_path):
    rows = [["item", "label"], [1, "a"], [2, "b"]]
    paths = [saved(tmp_path, ("S", rows), name=f"{who}.xlsx") for who in ("ann", "bob")]
    assert list(cs.read(paths).raters) == ["ann", "bob"]
    assert list(cs.read(tmp_path).raters) == ["ann", "bob"]


def test_a_sheet_without_names(tmp_path):
    rows = [[1, 2], [2, 2], [3, 1], [1, 1]]
    path = saved(tmp_path, ("S", rows))
    assert cs.read(path, header=False, shape="wide", rater=["1", "2"]).n_items == 4


# -------------------------------------------------------------------- what is in the cells


def test_numbers_stored_as_text_are_numbers(tmp_path):
    path = saved(tmp_path, ("S", [["item", "Ann", "Bob"], [1, 1, "1"], [2, "2", 1], [3, 3, "3"]]))
    assert cs.read(path).categories == (1, 2, 3)
    assert "numbers stored as text in 2 columns" in evidence(path)


def test_ids_keep_their_zeros_and_numbers_their_digits(tmp_path):
    rows = [["item", "Ann", "Bob"], ["007", 0.1 + 0.2, 0.3], ["7", 1.0, 1], ["08", 0.25, 0.25]]
    ratings = cs.read(saved(tmp_path, ("S", rows)))
    assert list(ratings.items) == ["007", "7", "08"]
    assert ratings.categories == (0.25, 0.3, 1)


def test_dates_are_told(tmp_path):
    day = datetime.date(2024, 2, 1)
    rows = [["item", "Ann", "Bob"], [1, day, "3-4"], [2, "3-4", "3-4"], [3, day, day]]
    path = saved(tmp_path, ("S", rows))
    assert "2024-02-01" in cs.read(path).categories
    assert "3 cells are dates" in evidence(path)


@pytest.mark.parametrize(
    ("value", "is_1904", "expected"),
    [(1, False, "1900-01-01"), (59, False, "1900-02-28"), (61, False, "1900-03-01"),
     (45323, False, "2024-02-01"), (43861, True, "2024-02-01"),
     (45323.5, False, "2024-02-01 12:00:00"), (0.75, False, "18:00:00"),
     (1e12, False, "1000000000000")],
)  # fmt: skip
def test_serial_numbers_are_days(value, is_1904, expected):
    cells = _workbook_cells.Cells(
        _workbook_cells.Sheet("S"),
        _workbook_cells.Book(is_1904=is_1904),
        _workbook_cells.Budget("x"),
    )
    assert cells.date(value) == expected


def test_errors_are_missing_and_booleans_are_words(tmp_path):
    rows = HEAD + "".join(
        f'<row r="{k}"><c r="A{k}"><v>{k}</v></c><c r="B{k}" t="inlineStr"><is><t>Ann</t></is></c>'
        f'<c r="C{k}" t="{kind}"><v>{value}</v></c></row>'
        for k, (kind, value) in enumerate((("b", 1), ("b", 0), ("e", "#N/A")), 2)
    )
    path = raw(tmp_path, rows)
    ratings = cs.read(path)
    assert ratings.categories == ("FALSE", "TRUE")
    assert ratings.n_ratings == 2
    assert "1 cells with an error" in evidence(path)


def test_formulas_count_by_their_calculated_value(tmp_path):
    rows = HEAD + "".join(
        f'<row r="{k}"><c r="A{k}"><f>1+{k}</f><v>{k}</v></c><c r="B{k}" t="str"><f>"A"</f>'
        f'<v>Ann</v></c><c r="C{k}"><f>[1]Other!A1</f>{value}</c></row>'
        for k, value in ((2, "<v>5</v>"), (3, "<v>6</v>"), (4, ""))
    )
    path = raw(tmp_path, rows)
    ratings = cs.read(path)
    assert ratings.categories == (5, 6)
    assert "1 formulas hold no calculated value" in evidence(path)


def test_rich_text_is_joined_without_its_pronunciation(tmp_path):
    shared = ["<r><t>ye</t></r><r><t>s</t></r><rPh><t>hint</t></rPh>", "<t> no </t>"]
    rows = HEAD + "".join(
        f'<row r="{k}"><c r="A{k}"><v>1</v></c><c r="B{k}" t="inlineStr"><is><t>{who}</t></is></c>'
        f'<c r="C{k}" t="s"><v>{k - 2}</v></c></row>'
        for k, who in ((2, "Ann"), (3, "Bob"))
    )
    assert cs.read(raw(tmp_path, rows, shared=shared)).categories == ("no", "yes")


def test_cells_need_no_reference_and_macros_are_ignored(tmp_path):
    rows = "".join(
        "<row>" + "".join(f'<c t="inlineStr"><is><t>{x}</t></is></c>' for x in row) + "</row>"
        for row in LONG
    )
    path = raw(tmp_path, rows, name="codes.xlsm", members=[("xl/vbaProject.bin", b"\0" * 99)])
    assert cs.read(path).n_ratings == 4


# -------------------------------------------------------------------- what is refused


def test_a_cell_in_the_last_corner_costs_nothing(tmp_path):
    path = saved(tmp_path, ("S", LONG))
    book = openpyxl.load_workbook(path)
    book["S"]["XFD1048576"] = "x"
    book.save(path)
    assert cs.read(path).n_ratings == 4
    assert "1 cells apart from the table" in evidence(path)


def test_merged_areas_over_the_whole_sheet_cost_nothing(tmp_path):
    areas = '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
    rows = "".join(text_row(k, *row) for k, row in enumerate(LONG, 1))
    with pytest.raises(InputError):
        cs.read(raw(tmp_path, rows, more=areas))


def test_a_bomb_is_refused_by_its_directory(tmp_path, monkeypatch):
    path = raw(tmp_path, HEAD, members=[("xl/media/image1.bin", b"\0" * (4 << 20))])
    with pytest.raises(InputError, match="4 MB from"):  # 1 to 1,000
        cs.read(path)
    monkeypatch.setattr(_workbook_xml, "LARGEST_UNPACKED", 1000)
    with pytest.raises(InputError, match="times larger when unpacked"):
        cs.read(saved(tmp_path, ("S", LONG)))


def test_a_lie_in_the_directory_does_not_help_a_bomb(tmp_path):
    path = raw(tmp_path, HEAD, shared=["<t>" + "a" * (8 << 20) + "</t>"])
    data = bytearray(path.read_bytes())
    real = (8 << 20) + len("<t></t>") + len(f'<sst xmlns="{MAIN}"><si></si></sst>')
    size = real.to_bytes(4, "little")
    assert data.count(size) == 2
    path.write_bytes(bytes(data).replace(size, (1000).to_bytes(4, "little")))
    with pytest.raises(InputError):
        cs.read(path)


@pytest.mark.parametrize(
    "head",
    [
        '<!DOCTYPE worksheet [<!ENTITY a "b">]>',
        '<?xml version="1.0"?><!DOCTYPE worksheet SYSTEM "x">',
    ],
)
def test_document_types_are_refused(tmp_path, head):
    with pytest.raises(InputError, match="document type"):
        cs.read(raw(tmp_path, HEAD, head=head))


def test_deep_nesting_is_refused(tmp_path):
    with pytest.raises(InputError, match="200 deep"):
        cs.read(raw(tmp_path, "<x>" * 5000 + "</x>" * 5000))


def test_names_that_lead_out_of_the_archive_are_refused(tmp_path):
    with pytest.raises(InputError, match="leads out"):
        cs.read(raw(tmp_path, HEAD, members=[("../evil.xml", "x")]))


def test_cells_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(_workbook_cells, "MOST_CELLS", 10)
    with pytest.raises(InputError, match="at most 10 cells"):
        cs.read(saved(tmp_path, ("S", LONG)))


def test_one_long_text_in_many_cells_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_workbook_cells, "MOST_CHARACTERS", 100_000)
    cells = "".join(f'<row r="{k}"><c r="A{k}" t="s"><v>0</v></c></row>' for k in range(1, 200))
    with pytest.raises(InputError, match="100,000 characters"):
        cs.read(raw(tmp_path, cells, shared=["<t>" + "a" * 1000 + "</t>"]))


@pytest.mark.parametrize(
    "cell",
    ['<c r="A0"><v>1</v></c>', '<c r="A1048577"><v>1</v></c>', '<c r="XFE1"><v>1</v></c>',
     '<c r="1"><v>1</v></c>', '<c r="Ä1"><v>1</v></c>', '<c r="A"><v>1</v></c>',
     '<c r="A1" t="s"><v>7</v></c>', '<c r="A1" t="s"><v>x</v></c>', '<c r="A1"><v>1e999</v></c>',
     '<c r="A1"><v>one</v></c>', '<c r="A1" s="z"><v>1</v></c>', '<c r="A1"><v>1</v>'],
)  # fmt: skip
def test_odd_cells_are_refused_with_one_sentence(tmp_path, cell):
    with pytest.raises(InputError, match="must be"):
        cs.read(raw(tmp_path, f'<row r="1">{cell}</row>'))


@pytest.mark.parametrize("rows", [[], [["item"]], [["item", "label"]], [["a"], ["b"], ["c"]]])
def test_a_workbook_without_a_table_is_refused(tmp_path, rows):
    with pytest.raises(InputError, match="at least two columns"):
        cs.read(saved(tmp_path, ("S", rows)))


def test_messages_name_the_workbook_not_a_scratch_file(tmp_path):
    path = saved(tmp_path, ("S", [["item", "label", "label"], [1, "a", "b"], [2, "a", "b"]]))
    with pytest.raises(InputError, match=r"^.*codes\.xlsx: column names must be different"):
        cs.read(path)


def test_places_hold_without_a_row_of_names(tmp_path):
    path = saved(tmp_path, ("S", [["Study"], [1, "Ann", "a"], [1, "Ann", "b"], [2, "Bob", "a"]]))
    for header in (False, None):
        rows = {} if header is None else {"header": header}
        with pytest.raises(InputError, match="row 3"):
            cs.read(path, item="1", rater="2", label="3", **rows)


def test_what_only_ends_like_a_workbook_is_refused(tmp_path):
    path = tmp_path / "codes.xlsx"
    path.write_text("item,label\n1,a\n")
    with pytest.raises(InputError, match=r"Excel \(\.xlsx\), as its name says"):
        cs.read(path)
    path.write_bytes(saved(tmp_path, ("S", LONG), name="other.xlsx").read_bytes()[:3000])
    with pytest.raises(InputError, match="check that it was copied completely"):
        cs.read(path)
