"""Summaries: plain data, and every way of showing it."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

import consilience as cs
import needed
from consilience.core.words import listed, number, percent, printable
from consilience.document.blocks import Finding
from consilience.document.records import spreadsheet_safe
from consilience.exceptions import InputError, MissingDependencyError, UnsupportedDesignError
from consilience.report import (
    Summary,
    measure,
    print_summary,
    render_csv,
    render_html_fragment,
    render_markdown,
    render_terminal,
    render_text,
)

NASTY = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "=1+1",
    "a|b",
    "\x1b[31mred\x1b[0m",
    "\u202eabc",
    "x" * 10_000,
    "[link](javascript:x)",
    "{{7*7}}",
    "é👍",
]


@pytest.fixture
def complete():
    return cs.datasets.load("krippendorff_2011")


@pytest.fixture
def paradox():
    return cs.Ratings.from_table([[90, 5], [5, 0]], categories=["no", "yes"])


@pytest.fixture
def constant():
    return cs.Ratings.from_wide([["a", "a"]] * 4)


@pytest.fixture
def grouped(complete, paradox):
    return measure({"tone": complete, "stance": paradox}, by="variable")


@pytest.fixture
def nasty():
    rows = [[NASTY[k], NASTY[(k + k % 2) % len(NASTY)]] for k in range(len(NASTY))]
    return measure({label: cs.Ratings.from_wide(rows) for label in NASTY}, by="=cmd|' /C calc'!A0")


def renderings(summary):
    return {
        "text": render_text(summary),
        "markdown": render_markdown(summary),
        "csv": render_csv(summary),
        "terminal": render_terminal(summary, width=80),
        "html": render_html_fragment(summary),
    }


# -------------------------------------------------------------------- measuring


def test_measure_computes_every_coefficient_that_applies(complete):
    summary = measure(complete)
    names = [estimate.coefficient for estimate in summary]
    assert names[:2] == ["percent_agreement", "krippendorff_alpha"]
    offered = {name for name, one in cs.coefficients().items() if one.in_summary}
    applicable = {name for name in offered if cs.coefficients()[name].supports(complete) is None}
    assert set(names) == applicable
    assert len(summary) == len(names)


def test_values_are_those_of_the_functions(complete):
    summary = measure(complete)
    assert summary["krippendorff_alpha"].value == cs.krippendorff_alpha(complete).value
    assert summary["alpha"] is summary["krippendorff_alpha"]
    assert summary["fleiss"].value == cs.scott_pi(complete).value


def test_a_coefficient_that_was_not_computed_is_refused(complete):
    summary = measure(complete, coefficients="alpha")
    with pytest.raises(InputError, match="the summary has krippendorff_alpha"):
        summary["kappa"]
    with pytest.raises(InputError, match="did you mean"):
        summary["alhpa"]


def test_chosen_coefficients_come_in_the_order_asked_for(complete):
    summary = measure(complete, coefficients=["ac1", "alpha", "gwet_ac"])
    assert [e.coefficient for e in summary] == ["gwet_ac", "krippendorff_alpha"]


def test_counts_leave_out_what_asks_who_rated():
    summary = measure(cs.Ratings.from_counts([[3, 0], [1, 2], [0, 3]]))
    assert "cohen_kappa" not in [e.coefficient for e in summary]
    with pytest.raises(UnsupportedDesignError):
        measure(cs.Ratings.from_counts([[3, 0], [1, 2]]), coefficients="kappa")


def test_one_rater_is_refused_with_a_reason():
    with pytest.raises(UnsupportedDesignError, match="at least two raters"):
        measure(cs.Ratings.from_wide([["a"], ["b"]]))


def test_distance_and_missing_are_passed_on(complete):
    linear = measure(complete, distance="linear")["alpha"]
    assert linear.value == cs.krippendorff_alpha(complete, distance="linear").value
    listwise = measure(complete, missing="listwise")["fleiss"]
    assert listwise.value == cs.scott_pi(complete, missing="listwise").value
    with pytest.raises(InputError, match="missing"):
        measure(complete, missing="listwize")


def test_a_rule_applies_where_a_coefficient_has_it(complete):
    summary = measure(complete, missing="ap")
    assert summary["fleiss"].missing == "ap"
    assert summary["alpha"].missing == "krippendorff"


@pytest.mark.parametrize("level", [0, 1, 95, -0.5])
def test_confidence_level_is_checked(complete, level):
    with pytest.raises(InputError, match="confidence_level"):
        measure(complete, confidence_level=level)


def test_notes_of_the_ratings_become_findings():
    summary = measure(cs.Ratings.from_wide([["Yes", "yes"], ["no", "no"]]))
    finding = summary.findings[0]
    assert (finding.code, finding.severity) == ("labels_look_alike", "caution")
    assert "caution: The labels" in render_text(summary)


def test_groups_hold_their_own_results(grouped, complete):
    assert grouped.by == "variable"
    assert [group.name for group in grouped.groups] == ["tone", "stance"]
    assert not grouped.estimates
    alpha = next(e for e in grouped.groups[0].estimates if e.coefficient == "krippendorff_alpha")
    assert alpha.value == cs.krippendorff_alpha(complete).value
    assert grouped.data.items == 112
    with pytest.raises(InputError, match="groups"):
        grouped["alpha"]
    with pytest.raises(InputError, match="at least one group"):
        measure({})


# -------------------------------------------------------------------- plain data


def test_json_has_the_agreed_keys(complete):
    record = json.loads(measure(complete, shape="wide", sources=["r.csv"]).to_json())
    assert record["schema"] == "consilience/1"
    shared = {"schema", "version", "seed", "data", "estimates", "findings", "verdict"}
    assert set(record) == shared | {"diagnosis"}
    assert record["data"] == {
        "items": 12, "raters": 4, "ratings": 41, "missing": 7, "categories": [1, 2, 3, 4, 5],
        "scale": "nominal", "shape": "wide", "sources": ["r.csv"],
    }  # fmt: skip
    wanted = {
        "coefficient", "name", "distance", "status", "reason", "value", "observed", "expected",
        "standard_error", "standard_error_method", "interval", "p_value", "items_used",
    }  # fmt: skip
    for estimate in record["estimates"]:
        assert wanted <= set(estimate)
        assert set(estimate["interval"]) == {"low", "high", "confidence_level", "method", "note"}


def test_json_is_sorted_unrounded_and_the_same_every_time(complete):
    text = measure(complete).to_json()
    assert text == measure(complete).to_json()
    record = json.loads(text)
    assert text == json.dumps(record, sort_keys=True, indent=2, ensure_ascii=False)
    alpha = next(e for e in record["estimates"] if e["coefficient"] == "krippendorff_alpha")
    assert alpha["value"] == cs.krippendorff_alpha(complete).value


def test_undefined_is_null_in_json_with_a_reason(constant):
    record = json.loads(measure(constant).to_json())
    alpha = next(e for e in record["estimates"] if e["coefficient"] == "krippendorff_alpha")
    assert (alpha["status"], alpha["value"], alpha["interval"]) == ("undefined", None, None)
    assert alpha["reason"]


def test_json_takes_any_label():
    rows = [[frozenset("xy"), frozenset("x")], [frozenset("x"), frozenset("x")]]
    record = measure(cs.Ratings.from_wide(rows)).to_dict()
    assert sorted(record["data"]["categories"]) == [["x"], ["x", "y"]]
    json.dumps(record, allow_nan=False)


def test_json_of_groups(grouped):
    record = json.loads(grouped.to_json())
    assert record["by"] == "variable"
    assert [group["name"] for group in record["groups"]] == ["tone", "stance"]
    assert record["estimates"] == []


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_to_frame_in_every_library(grouped, backend):
    needed.package(backend)
    frame = grouped.to_frame(backend)
    assert type(frame).__module__.partition(".")[0] == backend
    assert frame.shape == (4, len(grouped.records()[0]))
    columns = list(frame.columns if backend != "pyarrow" else frame.column_names)
    assert columns[:2] == ["variable", "coefficient"]
    assert {"value", "low", "high", "standard_error"} <= set(columns)


def test_to_frame_without_any_library(complete, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match="pip install"):
        measure(complete).to_frame()
    with pytest.raises(InputError, match="backend"):
        measure(complete).to_frame("numpy")


# -------------------------------------------------------------------- for people


def test_text_tells_the_facts_and_the_numbers(complete):
    text = str(measure(complete))
    assert "12 items, 4 raters, 41 ratings, 7 missing (14.6%)" in text
    assert re.search(r"Krippendorff's alpha +0\.743 +0\.\d+ to 0\.\d+ +0\.800 +0\.221", text)


def test_one_is_written_as_one():
    text = render_text(measure(cs.Ratings.from_wide([["a", "b"]])))
    assert "1 item, 2 raters, 2 ratings, none missing" in text


def test_undefined_is_said_with_its_reason_beneath(constant):
    for name, text in renderings(measure(constant)).items():
        assert "undefined" in text, name
    text = render_text(measure(constant))
    assert re.search(r"Krippendorff's alpha +undefined", text)
    assert "Krippendorff's alpha, Scott's pi and Cohen's kappa are undefined:" in text
    assert text.index("undefined") < text.index("are undefined: all ratings")
    assert "nan" not in text


def test_another_level_and_distance_are_named(complete):
    text = render_text(measure(complete, confidence_level=0.9, distance="linear"))
    assert "90% interval" in text
    assert "linear distance" in text


@pytest.mark.parametrize("which", ["complete", "paradox", "constant", "grouped", "nasty"])
@pytest.mark.parametrize("width", [80, 100, 132])
def test_nothing_is_wider_than_the_terminal(which, width, request):
    from rich.cells import cell_len

    given = request.getfixturevalue(which)
    summary = given if isinstance(given, Summary) else measure(given)
    for line in render_terminal(summary, width=width).splitlines():
        assert cell_len(line) <= width, line
    for line in render_text(summary).splitlines():
        assert len(line) <= 80, line


def test_narrow_terminals_get_plain_text(complete):
    assert "━" not in render_terminal(measure(complete), width=60)


def test_terminal_draws_the_interval(paradox):
    lines = render_terminal(measure(paradox), width=80).splitlines()
    kappa = next(line for line in lines if line.startswith("Cohen"))
    s = next(line for line in lines if line.startswith("Bennett"))
    assert kappa.count("●") == s.count("●") == 1
    assert kappa.index("●") < s.index("●")
    assert "━" in s
    head = next(line for line in lines if line.startswith("coefficient"))
    assert re.search(r"-0\.5 .*1$", head)


def test_colour_only_when_asked_for_and_never_alone(paradox, constant):
    for ratings in (paradox, constant):
        summary = measure(ratings)
        plain = render_terminal(summary, width=80)
        assert "\x1b" not in plain
        coloured = render_terminal(summary, width=80, color=True)
        assert "\x1b[" in coloured
        stripped = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
        assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()


class Screen(io.StringIO):
    """A terminal that remembers."""

    encoding = "utf-8"

    def isatty(self):
        return True


def test_print_summary_fits_where_it_goes(paradox, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    summary = measure(paradox)
    screen, file, plain, ascii_screen = Screen(), io.StringIO(), Screen(), Screen()
    print_summary(summary, screen)
    assert "\x1b[" in screen.getvalue()
    print_summary(summary, file)
    assert file.getvalue() == render_text(summary) + "\n"
    monkeypatch.setenv("NO_COLOR", "1")
    print_summary(summary, plain)
    assert "\x1b" not in plain.getvalue()
    assert "●" in plain.getvalue()
    ascii_screen.encoding = "ascii"
    print_summary(summary, ascii_screen)
    assert "●" not in ascii_screen.getvalue()


# -------------------------------------------------------------------- hostile labels


def test_no_control_character_reaches_any_rendering(nasty):
    for name, text in renderings(nasty).items():
        if name != "csv":
            assert "\x1b" not in text, name
            assert "\u202e" not in text, name


def test_html_is_escaped(nasty):
    text = render_html_fragment(nasty)
    assert "<script" not in text
    assert "<img" not in text
    assert nasty._repr_html_() == text


def test_markdown_cells_stay_in_their_cells(nasty):
    rows = [line for line in render_markdown(nasty).splitlines() if line.startswith("|")]
    counts = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
    assert counts == {5}
    assert "<script" not in render_markdown(nasty).replace("\\<", "")


def test_csv_cannot_start_a_formula(nasty, paradox):
    rows = list(csv.reader(io.StringIO(render_csv(nasty))))
    assert rows[0][0] == "'=cmd|' /C calc'!A0"
    for cell in (cell for row in rows for cell in row):
        if cell.startswith(("=", "+", "-", "@", "\t", "\r")):
            float(cell)
    raw = list(csv.reader(io.StringIO(render_csv(nasty, raw=True))))
    assert raw[0][0].startswith("=cmd")
    numbers = list(csv.DictReader(io.StringIO(render_csv(measure(paradox)))))
    kappa = next(row for row in numbers if row["coefficient"] == "cohen_kappa")
    assert float(kappa["value"]) == cs.cohen_kappa(paradox).value < 0


@pytest.mark.parametrize(
    ("cell", "safe"),
    [("=x", "'=x"), ("+1", "'+1"), ("-x", "'-x"), ("@x", "'@x"), ("\tx", "'\tx"),
     ("  =x", "'  =x"), ("x=1", "x=1"), (-0.5, -0.5), (None, None)],
)  # fmt: skip
def test_spreadsheet_safe(cell, safe):
    assert spreadsheet_safe(cell) == safe


def test_words():
    assert number(-0.0004) == "0.000"
    assert number(float("nan")) == number(None) == ""
    assert percent(0.95) == "95%"
    assert percent(0.999) == "99.9%"
    assert printable("a\x00b") == "a\\x00b"
    assert listed(range(20)).endswith("and 13 more")


def test_findings_are_plain_data():
    finding = Finding("code", "info", "message")
    assert finding.to_dict() == {"code": "code", "severity": "info", "message": "message"}
