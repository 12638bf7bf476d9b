"""Spans stand on their text: a line for each rater, and where raters differ."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import consilience as cs
from consilience.report import measure_units, units_report
from consilience.report.page import Piece
from consilience.report.unit_pages import spans_on_text
from consilience.units.model import UnitReading

TEXT = "Ann Lee met Bob in Paris."
SPANS = [
    ("A", "PER", 0, 7, "t"), ("A", "LOC", 19, 24, "t"),
    ("B", "PER", 4, 7, "t"), ("B", "ORG", 19, 24, "t"),
]  # fmt: skip


def with_text(records: list[tuple], text: str | tuple[str, ...], unit: str) -> cs.Units:
    units = cs.Units.from_records(records, time_unit=unit)
    return replace(units, reading=UnitReading(texts={"t": text}))


def test_a_text_is_cut_where_spans_begin_and_end():
    (block,) = spans_on_text(with_text(SPANS, TEXT, "character"))
    assert block.pieces == [
        Piece("Ann ", (0,), True, "PER"),
        Piece("Lee", (0, 1), False, "PER"),
        Piece(" met Bob in "),
        Piece("Paris", (0, 1), True, "LOC: A; ORG: B"),
        Piece("."),
    ]
    assert block.title.startswith("t: raters differ on 75% of what anybody marked")


def test_words_are_counted_where_units_count_words():
    spans = [("A", "PER", 0, 2, "t"), ("B", "PER", 1, 2, "t"), ("B", "LOC", 5, 6, "t")]
    (block,) = spans_on_text(with_text(spans, tuple(TEXT.split()), "token"))
    marked = [(one.text, one.raters) for one in block.pieces if one.tag]
    assert marked == [("Ann ", (0,)), ("Lee", (0, 1)), ("Paris.", (1,))]


def test_of_a_long_text_the_stretch_with_most_differences_is_shown():
    text = "word " * 2_000
    spans = [(r, "X", 5 * k, 5 * k + 4, "t") for r in "AB" for k in range(0, 2_000, 50)]
    spans += [("A", "Y", 5 * k, 5 * k + 4, "t") for k in range(1_001, 1_040, 2)]
    (block,) = spans_on_text(with_text(spans, text, "character"))
    assert sum(one.differs for one in block.pieces) == 20
    assert sum(len(one.text) for one in block.pieces) < 1_500


def test_files_of_spans_bring_their_text_to_the_page(tmp_path: Path):
    for rater, end in (("ann", 7), ("bob", 3)):
        (tmp_path / rater).mkdir()
        (tmp_path / rater / "t.txt").write_text(TEXT)
        (tmp_path / rater / "t.ann").write_text(f"T1\tPER 0 {end}\t{TEXT[:end]}\n")
    units = cs.read_units(str(tmp_path), rater="folder")
    page = units_report(measure_units(units)).html()
    shown = page[page.index('class="spanned"') :]
    pieces = re.findall(r"<span style=\"background:([^\"]*)\">([^<]*)</span>", shown)
    assert [(text, lines.count("gradient")) for lines, text in pieces] == [
        ("ann", 1), ("bob", 1), ("Ann", 2), (" Lee", 1),
    ]  # fmt: skip
    assert "var(--d1)" not in pieces[2][0]
    assert "var(--d1)" in pieces[3][0]
    assert "text" not in measure_units(units).to_dict()["reading"]  # it is for people, not in JSON


def test_a_table_of_spans_without_its_text_has_a_timeline():
    units = cs.Units.from_records(SPANS, time_unit="character")
    assert spans_on_text(units) == []
    assert "one lane for each rater" in units_report(measure_units(units)).html()
