"""Declared once: tables by their columns, findings by conditions, records by names."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest

from consilience.document import Document, Finding, Paragraph, PValue, Range, Table
from consilience.document.blocks import details, found
from consilience.document.records import Enveloped, Recorded
from consilience.inference import Interval


@dataclass
class Row:
    label: object
    value: float
    interval: Interval = field(default_factory=lambda: Interval(0.1, 0.9, 0.95, "wald"))
    p_holm: float = 0.5
    passed: bool = True


ROWS = [Row(1, 0.25), Row("b", math.nan, p_holm=math.nan, passed=False)]


def test_heads_and_rows_follow_from_one_declaration() -> None:
    table = Table.of(ROWS, "label!s", "size: value", "interval", "p: p_holm!p", "passed!yes")

    assert table.heads == ("label", "size", "interval", "p", "passed")
    assert table.rows[0] == ["1", 0.25, Range(0.1, 0.9), 0.5, "yes"]
    assert isinstance(table.rows[0][3], PValue)
    assert table.rows[1][3:] == [None, "no"]
    assert table.is_text() == [True, False, False, False, True]


def test_every_form_has_the_columns_that_are_declared() -> None:
    document = Document.of(Table.of(ROWS, "label!s", "value", "95% interval: interval"))

    assert document.records()[0] == {
        "label": "1",
        "value": 0.25,
        "95% interval low": 0.1,
        "95% interval high": 0.9,
    }
    for form in (document.text(), document.markdown(), document.html(), document.latex()):
        assert "label" in form
        assert "0.250" in form
    assert document.csv().splitlines()[0] == "label,value,95% interval low,95% interval high"


def test_a_column_is_an_attribute_a_key_a_place_or_a_function() -> None:
    pairs = {"Ann": Row("x", 0.5), "Bob": Row("y", 0.75)}.items()
    table = Table.of(
        pairs,
        "rater: 0!s",
        "low: 1.interval.low",
        ("double", lambda pair: 2 * pair[1].value),
        ("share", "1.value", ".0%"),
        ("up", "1.value", math.ceil),
        (("value", "half"), lambda pair: [pair[1].value, pair[1].value / 2]),
    )

    assert table.heads == ("rater", "low", "double", "share", "up", "value", "half")
    assert table.rows[0] == ["Ann", 0.1, 1.0, "50%", 1, 0.5, 0.25]
    assert Table.of([{"n items": 3, "a": {"b": 4}}], "n items: n items", "b: a.b").heads == (
        "n items",
        "b",
    )


def test_columns_and_rows_may_be_left_out_or_added() -> None:
    table = Table.of(
        ROWS, "label!s", None, "value", below=[["all", 0.5]], caption="Sizes", digits=1
    )

    assert table.heads == ("label", "value")
    assert table.cells()[-1] == ["all", "0.5"]
    assert (table.caption, table.digits) == ("Sizes", 1)


@pytest.mark.parametrize("value", [3, 0.5, "text", None, np.int64(3), np.float64(0.5)])
def test_what_a_cell_can_hold_stays_as_it_is(value: object) -> None:
    assert Table.of([{"x": value}], "x").rows == [[value]]


def test_what_no_cell_can_hold_becomes_text() -> None:
    assert Table.of([{"x": ("a", "b")}], "x").rows == [["('a', 'b')"]]


def test_a_document_leaves_out_what_says_nothing() -> None:
    empty = Table.of([], "label!s")
    document = Document.of("One line.", None, "", empty, *details(Paragraph("More.")), title="T")

    assert [type(block) for block in document.blocks] == [Paragraph, Paragraph]
    assert [block.detail for block in document.blocks] == [False, True]
    assert document.title == "T"


def test_findings_are_those_whose_condition_holds() -> None:
    n = 0
    told = found(
        (n == 0, "none", "problem", "None at all.", "Add some.", {"n": n}),
        (n, "some", "info", lambda: f"{1 / n} each."),
        (not n, "empty", "caution", lambda: f"n is {n}."),
    )

    assert told == (
        Finding("none", "problem", "None at all.", "Add some.", {"n": 0}),
        Finding("empty", "caution", "n is 0."),
    )


@dataclass(frozen=True, slots=True)
class Part(Recorded):
    unrecorded: ClassVar[tuple[str, ...]] = ("hidden",)
    recorded: ClassVar[tuple[str, ...]] = ("n_more",)
    renamed: ClassVar[Mapping[str, str]] = {"n_items": "items", "n_more": "more"}

    n_items: int
    value: float
    hidden: int = 0

    @property
    def n_more(self) -> int:
        return self.n_items + 1

    def _beside(self) -> Mapping[str, Any]:
        return {"unit": "points"}


def test_a_record_is_the_fields_with_a_few_renames() -> None:
    assert Part(3, math.nan).to_dict() == {"items": 3, "value": None, "more": 4, "unit": "points"}


@dataclass(frozen=True)
class Whole(Enveloped):
    n_items: int
    data: dict[str, int]
    findings: tuple[Finding, ...] = ()
    renamed: ClassVar[Mapping[str, str]] = {"n_items": "items"}


def test_an_envelope_holds_what_all_results_share_and_the_fields_beside() -> None:
    record = Whole(3, {"raters": 2}, (Finding("few", "info", "Few."),)).to_dict()

    assert record["items"] == 3
    assert record["data"] == {"raters": 2}
    assert record["findings"] == [{"code": "few", "severity": "info", "message": "Few."}]
    assert (record["schema"], record["seed"]) == ("consilience/1", None)
    assert "verdict" not in record
