"""Documents: one content, five forms, each safe for what it is handed to."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import dataclass

import numpy as np
import pytest

from consilience.core.result import Several
from consilience.core.words import interval_head, sentence
from consilience.document import Document, Finding, Paragraph, Range, Table, envelope
from consilience.document.records import Reasoned, Recorded, plain, plain_fields, to_json
from consilience.inference import Interval

TABLE = Table(
    heads=("rater", "kappa", "95% interval", "items"),
    rows=[["Ann", 0.61234, Range(0.5, 0.70006), 1200], ["Bob_<b>", math.nan, None, np.int64(3)]],
    caption="Raters | and others",
    note="50% & more",
)
DOCUMENT = Document(
    title="A title",
    blocks=(Paragraph("One line.\nAnother line."), TABLE),
    findings=(Finding("few_items", "caution", "Only 3 items."),),
)


def test_text_aligns_numbers_to_the_right_and_leaves_gaps_where_there_is_no_number():
    assert DOCUMENT.text() == (
        "A title\n\nOne line.\nAnother line.\n\nRaters | and others\n"
        "rater    kappa    95% interval  items\n"
        "Ann      0.612  0.500 to 0.700  1,200\n"
        "Bob_<b>                             3\n"
        "50% & more\n\n"
        "caution: Only 3 items."
    )


@pytest.mark.parametrize("width", [20, 40, 60, 80])
def test_text_never_passes_the_width(width):
    many = Table(
        heads=["rater", *(f"rater {j}" for j in range(12))],
        rows=[[f"someone called {i}", *(0.1 * j for j in range(12))] for i in range(3)],
    )
    wordy = Table(heads=["label", "what to do"], rows=[["x" * 9, "look at it again, please " * 6]])
    for table in (many, wordy):
        lines = Document(blocks=(table,)).text(width).splitlines()
        assert max(map(len, lines)) <= width


def test_a_wide_table_goes_on_below_itself_with_its_first_column():
    table = Table(heads=["rater", *"abcdefgh"], rows=[["Ann", *(float(j) for j in range(8))]])
    shown = Document(blocks=(table,)).text(30)
    assert len(re.findall("^rater", shown, re.MULTILINE)) > 1
    assert [float(x) for x in re.findall(r"\d\.\d{3}", shown)] == list(range(8))


def test_control_characters_cannot_steer_the_screen():
    hostile = Document(
        title="\x1b[2J", blocks=(Paragraph("a\x07b"), Table(heads=["\x1b"], rows=[]))
    )
    assert "\x1b" not in hostile.text()
    assert "\x07" not in hostile.text()


def test_markdown_escapes_and_aligns():
    shown = DOCUMENT.markdown()
    assert "| rater | kappa | 95% interval | items |\n| --- | ---: | ---: | ---: |" in shown
    assert r"Bob\_\<b\>" in shown
    assert r"Raters \| and others" in shown
    assert "- caution: Only 3 items." in shown


def test_html_escapes():
    shown = DOCUMENT.html()
    assert "Bob_&lt;b&gt;" in shown
    assert "<b>" not in shown
    assert "50% &amp; more" in shown


def test_latex_escapes():
    shown = DOCUMENT.latex()
    assert r"Bob\_\textless{}b\textgreater{}" in shown
    assert r"50\% \& more" in shown
    assert r"\begin{tabular}{lrrr}" in shown
    assert shown.count(r"\\") == 3


def test_csv_is_unrounded_and_gives_an_interval_two_columns():
    rows = list(csv.reader(io.StringIO(DOCUMENT.csv())))
    assert rows[0] == ["rater", "kappa", "95% interval low", "95% interval high", "items"]
    assert rows[1] == ["Ann", "0.61234", "0.5", "0.70006", "1200"]
    assert rows[2] == ["Bob_<b>", "", "", "", "3"]


def test_csv_guards_against_formulas():
    table = Table(heads=["label"], rows=[["=1+1"], ["@x"]])
    assert Document(blocks=(table,)).csv().splitlines() == ["label", "'=1+1", "'@x"]


def test_an_empty_table_is_its_heads():
    assert Document(blocks=(Table(heads=("a", "b"), rows=[]),)).text() == "a  b"


def test_presented_shows_itself_in_every_form():
    class Shown(Several):
        def document(self):
            return DOCUMENT

    result = Shown()
    assert str(result) == DOCUMENT.text()
    assert "<svg" in result._repr_html_()
    assert result._repr_markdown_() == DOCUMENT.markdown()
    assert result._repr_latex_() == DOCUMENT.latex()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float64("nan"), None),
        (math.inf, None),
        (np.array([[1, 2]]), [[1, 2]]),
        ({1: (np.int8(3), True)}, {"1": [3, True]}),
        (frozenset({"b", "a"}), ["a", "b"]),
        (Finding("a", "info", "b"), {"code": "a", "severity": "info", "message": "b"}),
        (1 + 2j, "(1+2j)"),
        (None, None),
    ],
)
def test_plain(value, expected):
    assert plain(value) == expected


def test_the_envelope_is_sorted_and_holds_no_nan():
    record = envelope(data={"items": 1}, estimates=[{"value": math.nan}], seed=3, links=[1])
    text = to_json(record)
    assert text.index('"data"') < text.index('"estimates"') < text.index('"links"')
    assert '"value": null' in text
    assert record["schema"] == "consilience/1"


@dataclass(frozen=True, slots=True)
class Measured(Recorded, Reasoned):
    value: float
    limits: tuple[float, float]
    reason: str | None = None


def test_a_recorded_result_is_its_fields_as_plain_data():
    record = Measured(math.nan, (0.0, math.inf), "no units").to_dict()
    assert record == {"value": None, "limits": [0.0, None], "reason": "no units"}


def test_fields_can_be_left_out_added_and_replaced():
    one = Measured(0.5, (0.0, 1.0))
    found = plain_fields(one, leave_out=("reason",), limits=[1], status=one.status)
    assert found == {"value": 0.5, "limits": [1], "status": "ok"}


def test_a_result_is_undefined_where_it_gives_a_reason():
    assert Measured(0.5, (0.0, 1.0)).status == "ok"
    assert Measured(math.nan, (0.0, 1.0), "no units").status == "undefined"


def test_words_about_an_interval():
    assert Range.of(Interval(0.1, 0.4, 0.9, "analytic")) == Range(0.1, 0.4)
    assert [interval_head(level) for level in (0.95, 0.999)] == ["95% interval", "99.9% interval"]
    assert sentence("no interval: one session") == "No interval: one session."
    assert sentence("") == ""


def test_a_lone_carriage_return_is_quoted_so_that_it_ends_no_row():
    table = Table(heads=("a", "b"), rows=[["x\ry", "1, 2"], ["", None]])
    text = Document(title="t", blocks=(table,)).csv()
    assert text == 'a,b\n"x\ry","1, 2"\n,'
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows == [["a", "b"], ["x\ry", "1, 2"], ["", ""]]
