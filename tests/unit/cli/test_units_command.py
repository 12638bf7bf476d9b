"""`consilience units` as its users meet it."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest

from consilience.cli.program import run
from consilience.cli.units import _METHODS, as_unit_options, file_names
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.io.events import read_units
from consilience.report import measure_units, units_report
from consilience.report.unit_methods import UNIT_METHODS
from consilience.units import Units, easydiag, gamma

GESTURES = str(Path(__file__).parents[3] / "examples" / "gestures.csv")
Screen = pytest.CaptureFixture[str]


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def record(capsys: Screen, *arguments: str, code: int = 0) -> dict:
    assert run(["units", *arguments, "-q", "--json"]) == code
    found: dict = json.loads(capsys.readouterr().out)
    return found


def refused(capsys: Screen, *arguments: str, code: int) -> str:
    assert run(["units", *arguments]) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Traceback" not in shown.err
    return " ".join(shown.err.split())


# --- what is measured -----------------------------------------------------------------------------


def test_the_usual_method_is_easydiag_and_what_was_taken_for_what_is_told(capsys: Screen) -> None:
    assert run(["units", GESTURES]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("EasyDIAG: Ann and Bob")
    assert "Raters by 'column': 'Ann', 'Bob'" in shown.err
    assert "Method: easydiag, for timed units with labels" in shown.err
    assert run(["units", GESTURES, "-q"]) == 0
    assert capsys.readouterr().err == ""


def test_the_numbers_are_those_of_the_library(capsys: Screen) -> None:
    found = record(capsys, GESTURES, "--threshold", "70")
    plain = easydiag(read_units(GESTURES), threshold=70)
    values = {one["coefficient"]: one for one in found["estimates"] if one["label"] is None}
    assert values["kappa"]["value"] == pytest.approx(plain.kappa)
    assert values["kappa"]["observed"] == pytest.approx(plain.raw)
    assert values["linked_share"]["value"] == pytest.approx(plain.linked_share)
    assert found["results"]["kappa"]["table"] == plain.table.tolist()
    assert found["results"]["kappa"]["settings"]["threshold"] == 70
    by_label = {one["label"] for one in found["estimates"]} - {None}
    assert by_label == {"nod", "point", "trace", "wave"}


def test_the_record_has_the_keys_of_every_command(capsys: Screen) -> None:
    found = record(capsys, GESTURES)
    assert {"schema", "version", "seed", "data", "estimates", "findings"} <= set(found)
    data = found["data"]
    assert (data["units"], data["raters"], data["sessions"]) == (19, 2, 2)
    assert (data["format"], data["rater_rule"]) == ("table", "column")
    assert data["sources"]
    for one in found["estimates"]:
        assert {"coefficient", "name", "value", "status", "reason", "interval"} <= set(one)


@pytest.mark.parametrize("method", _METHODS)
def test_every_method_has_a_text_and_a_record(method: str, capsys: Screen) -> None:
    assert run(["units", GESTURES, "-q", "-m", method]) == 0
    assert capsys.readouterr().out.strip()
    found = record(capsys, GESTURES, "-m", method)
    assert found["method"] == method
    assert found["estimates"]
    assert found["results"]


def test_the_methods_are_those_of_the_library() -> None:
    assert tuple(UNIT_METHODS) == _METHODS


def test_gamma_is_that_of_the_library_and_follows_the_seed(capsys: Screen) -> None:
    found = record(capsys, GESTURES, "-m", "gamma", "--seed", "3")
    assert found["estimates"][0]["value"] == pytest.approx(gamma(read_units(GESTURES), rng=3).value)
    assert found["seed"] == 3


@pytest.mark.parametrize("form", ["csv", "markdown", "latex"])
def test_other_forms(form: str, capsys: Screen) -> None:
    assert run(["units", GESTURES, "-q", f"--{form}"]) == 0
    assert "kappa" in capsys.readouterr().out


def test_raters_are_taken_in_the_order_asked_for(capsys: Screen) -> None:
    found = record(capsys, GESTURES, "--raters", "Bob,Ann")
    assert found["results"]["kappa"]["raters"] == ["Bob", "Ann"]
    turned = record(capsys, GESTURES)["results"]["kappa"]["table"]
    table = found["results"]["kappa"]["table"]
    assert table == [list(row) for row in zip(*turned, strict=True)]


def test_units_come_from_standard_input(capsys: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    content = io.TextIOWrapper(io.BytesIO(Path(GESTURES).read_bytes()))
    monkeypatch.setattr(sys, "stdin", content)
    found = record(capsys, "-")
    assert found["data"]["units"] == 19


def test_one_file_for_each_rater_and_names_for_raters(tmp_path: Path, capsys: Screen) -> None:
    for name in ("first", "second"):
        (tmp_path / f"{name}.csv").write_text("start,end,label\n0,10,x\n20,30,y\n40,50,x\n")
    paths = [str(tmp_path / f"{name}.csv") for name in ("first", "second")]
    found = record(capsys, *paths, "--rater", "file")
    assert found["results"]["kappa"]["raters"] == ["first", "second"]
    assert found["estimates"][0]["value"] == 1
    named = record(capsys, *paths, "--rater", "first=Ann", "--rater", "second=Bob")
    assert named["results"]["kappa"]["raters"] == ["Ann", "Bob"]


def test_columns_can_be_named(tmp_path: Path, capsys: Screen) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("who,a,b,what\nx,0,10,p\ny,1,11,p\nx,20,30,q\ny,20,30,q\n")
    roles = ["start=a", "end=b", "label=what", "rater=who"]
    named = [word for role in roles for word in ("--column", role)]
    found = record(capsys, str(path), *named, "--time-unit", "frame")
    assert found["data"]["labels"] == ["p", "q"]
    assert found["data"]["time_unit"] == "frame"


def test_links_are_told_when_asked_for(capsys: Screen) -> None:
    found = record(capsys, GESTURES, "--links")
    n_linked = found["results"]["kappa"]["n_linked"]
    assert len(found["links"]) == n_linked
    first = found["links"][0]["units"]
    assert [one["rater"] for one in first] == ["Ann", "Bob"]
    assert "links" not in record(capsys, GESTURES)
    said = refused(capsys, GESTURES, "-q", "-m", "time", "--links", "--json", code=2)
    assert "time links no units" in said


def test_text_is_measured_as_spans(tmp_path: Path, capsys: Screen) -> None:
    for who, end in (("ann", 5), ("bob", 6)):
        (tmp_path / who).mkdir()
        (tmp_path / who / "doc.txt").write_text("Ada was here.")
        (tmp_path / who / "doc.ann").write_text(
            f"T1\tPER 0 3\tAda\nT2\tACT 4 {end}\t{'was'[: end - 4]}\n"
        )
    found = record(capsys, str(tmp_path), "--rater", "folder")
    assert found["method"] == "spans"
    assert found["estimates"][0]["value"] == 0.5


# --- gates ----------------------------------------------------------------------------------------


def test_a_gate_that_is_not_met_is_exit_code_1(capsys: Screen) -> None:
    kappa = easydiag(read_units(GESTURES)).kappa
    assert run(["units", GESTURES, "-q", "--fail-under", f"kappa={kappa - 0.01}"]) == 0
    assert run(["units", GESTURES, "-q", "--fail-under", f"kappa={kappa + 0.01}"]) == 1
    assert "below" in capsys.readouterr().err


def test_an_unknown_gate_is_wrong_usage(capsys: Screen) -> None:
    said = refused(capsys, GESTURES, "-q", "--fail-under", "alpha=0.6", code=2)
    assert "easydiag has no 'alpha', but kappa, kappa_linked" in said


def test_an_undefined_number_is_exit_code_4(tmp_path: Path, capsys: Screen) -> None:
    path = tmp_path / "one.csv"
    path.write_text("rater,start,end,label\na,0,5,x\nb,0,5,x\n")
    assert run(["units", str(path), "-q", "--fail-under", "kappa=0"]) == 4
    assert "kappa is undefined" in capsys.readouterr().err


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--grid", "5"), 2, "--grid does nothing for easydiag; it is for time"),
        (("-m", "gamma", "--threshold", "60"), 2, "--threshold does nothing for gamma"),
        (("--threshold", "0"), 2, "--threshold"),
        (("--threshold", "120"), 2, "--threshold"),
        (("--raters", "Ann,Zed"), 3, "a rater must be one of 'Ann', 'Bob'. Got 'Zed'"),
        (("--raters", "Ann,Ann"), 2, "different names"),
        (("--raters", "Ann"), 4, "at least two raters"),
        (("--tier", "hands"), 3, "tier must be one of"),
        (("--rater", "a", "--rater", "b=c"), 2, "give one rule"),
        (("--rater", "nonsense"), 3, "rater must be one of"),
        (("--format", "nonsense"), 3, "format"),
        (("--session", "nonsense"), 3, "session must be one of"),
        (("--column", "beginning=a"), 2, "roles are start"),
        (("-m", "boundaries", "--tolerance", "1.5"), 3, "--tolerance must be a whole number"),
        (("-m", "spans", "--threshold", "50"), 3, "--threshold must be left out unless"),
        (("-m", "time", "-c", "nonsense"), 3, "coefficient"),
        (("-m", "nonsense"), 2, "nonsense"),
        (("--from", "3"), 2, "--from goes with --figure"),
        (("--figure", "a.bmp"), 2, "must end in .svg"),
        (("--figure", "nowhere/a.svg"), 2, "there is no folder"),
    ],
)
def test_what_a_method_cannot_do_is_refused(
    arguments: tuple[str, ...], code: int, said: str, capsys: Screen, workshop: Path
) -> None:
    assert said in refused(capsys, GESTURES, "-q", *arguments, code=code)
    assert not list(workshop.iterdir())


def test_a_file_that_is_not_there(capsys: Screen) -> None:
    assert "nowhere.csv" in refused(capsys, "nowhere.csv", code=3)


def test_point_events_need_a_tolerance(tmp_path: Path, capsys: Screen) -> None:
    path = tmp_path / "points.csv"
    path.write_text("rater,start,end,label\na,5,5,x\nb,6,6,x\na,20,20,y\nb,20,20,y\n")
    assert "pass --tolerance to link points" in refused(capsys, str(path), "-q", code=4)
    assert record(capsys, str(path), "--tolerance", "1")["estimates"][0]["value"] == 1


def test_hints_speak_of_options() -> None:
    said = as_unit_options('Hint: pass together="sets", or absent="count", or threshold=60.')
    assert said == "Hint: pass --together sets, or --absent count, or --threshold 60."
    assert as_unit_options("the raters are 3") == "the raters are 3"


# --- figures and the report -----------------------------------------------------------------------


def test_a_figure_of_one_session(tmp_path: Path, capsys: Screen) -> None:
    path = tmp_path / "film.svg"
    asked = ["units", GESTURES, "--figure", str(path), "--figure-session", "film 2"]
    assert run(asked) == 0
    shown = capsys.readouterr()
    assert f"Wrote {path}" in shown.err
    assert shown.out.startswith("EasyDIAG")
    text = path.read_text(encoding="utf-8")
    assert "same label: 4" in text
    assert run(asked) == 2  # it exists
    assert run([*asked, "--force", "--to", "3000"]) == 0
    assert "same label: 2" in path.read_text(encoding="utf-8")
    assert run([*asked[:-1], "film 9", "--force"]) == 3


def test_a_folder_gets_every_session_and_the_curve(tmp_path: Path, capsys: Screen) -> None:
    folder = tmp_path / "figures"
    assert run(["units", GESTURES, "-q", "--figure", str(folder)]) == 0
    found = sorted(path.name for path in folder.iterdir())
    assert found == ["threshold.svg", "timeline-film_1.svg", "timeline-film_2.svg"]
    capsys.readouterr()
    said = refused(capsys, GESTURES, "-q", "--figure", str(folder), code=2)
    assert "Add --force" in said


def test_names_of_sessions_make_safe_names_of_files() -> None:
    odd = ("../../etc/passwd", "a/b", "a b", "A B", "", "...", "é" * 200)
    found = file_names(odd)
    assert len({name.casefold() for name in found}) == len(odd)
    assert not any("/" in name or name.startswith(".") for name in found)


def test_the_report_says_what_was_found(tmp_path: Path, capsys: Screen) -> None:
    page = tmp_path / "units.html"
    asked = ["units", GESTURES, "-q", "--report", str(page), "--title", "Two <films>"]
    assert run(asked) == 0
    text = page.read_text(encoding="utf-8")
    assert "<h1>Two &lt;films&gt;</h1>" in text
    for section in ("answer", "numbers", "findings", "table", "threshold", "timeline", "sessions"):
        assert f'id="{section}"' in text
    assert "no unit" in text
    drawn = re.findall(r"<svg [^>]*>", text)
    whole = [one for one in drawn if 'class="narrow"' not in one and 'class="gauge' not in one]
    assert len(whole) == text.count("<figcaption>")
    assert "--title &#39;Two &lt;films&gt;&#39;" in text
    assert "http://" not in text.replace("http://www.w3.org", "")
    kept = page.read_bytes()
    assert run([*asked, "--force"]) == 0
    assert page.read_bytes() == kept
    capsys.readouterr()
    assert "--report" in refused(capsys, *asked[1:], code=2)


@pytest.mark.parametrize("method", ["gamma", "time", "spans", "elan", "observer"])
def test_every_method_has_a_report(method: str, tmp_path: Path) -> None:
    page = tmp_path / "units.html"
    assert run(["units", GESTURES, "-q", "-m", method, "--report", str(page)]) == 0
    assert 'id="timeline"' in page.read_text(encoding="utf-8")


def test_a_long_session_is_shown_in_part() -> None:
    records = [(r, "xy"[k % 2], 10 * k, 10 * k + 8) for k in range(50) for r in ("a", "b")]
    made = units_report(measure_units(Units.from_records(records)))
    assert "Only the stretch in which they differ most is shown." in made.html()


# --- the library's side ---------------------------------------------------------------------------


def test_a_summary_finds_its_numbers_by_name() -> None:
    summary = measure_units(read_units(GESTURES), method="unitizing-alpha")
    assert summary["U-Alpha"].value == summary.main.value
    with pytest.raises(InputError, match="u_alpha"):
        summary["kappa"]


def test_elan_says_what_it_left_out() -> None:
    units = Units.from_records(
        [("a", "x", 0, 10), ("a", "y", 5, 15), ("b", "x", 0, 10), ("b", "y", 5, 15)]
    )
    summary = measure_units(units, method="elan")
    assert summary["modified_fleiss"].status == "undefined"
    assert "measure_left_out" in [one.code for one in summary.findings]
    assert "Modified Fleiss" not in str(summary)


def test_segments_without_labels_are_boundaries() -> None:
    units = Units.from_masses({"a": [2, 3, 4], "b": [2, 4, 3]})
    assert measure_units(units).method == "boundaries"
    gaps = Units.from_columns(start=[0, 8], end=[5, 9], rater=["a", "b"])
    assert measure_units(gaps).method == "easydiag"


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"method": "kappa"}, InputError),
        ({"absent": "maybe"}, InputError),
        ({"grid": 3}, InputError),
        ({"raters": ["Ann"]}, UnsupportedDesignError),
        ({"confidence_level": 2}, InputError),
    ],
)
def test_wrong_settings_are_refused(options: dict, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        measure_units(read_units(GESTURES), **options)
    with pytest.raises(InputError, match="units must be Units"):
        measure_units([])  # type: ignore[arg-type]


def test_an_undefined_result_says_why_on_stderr(workshop: Path, capsys: Screen) -> None:
    (workshop / "one.csv").write_text("rater,start,end,label\na,0,5,x\nb,0,5,x\n")
    assert run(["units", "one.csv", "-q", "--json"]) == 4
    assert "kappa is undefined: only one label was used" in capsys.readouterr().err


def test_resamples_are_called_by_their_option(workshop: Path, capsys: Screen) -> None:
    told = refused(capsys, GESTURES, "--method", "staccato", "--resamples", "99999999", code=3)
    assert "--resamples must be" in told
    assert "n_resamples" not in told


def test_a_report_tells_the_gates_and_thresholds_that_were_typed(workshop: Path) -> None:
    words = ["--fail-under", "kappa=0.01", "--thresholds", "60,80", "--raters", "Bob,Ann"]
    assert run(["units", GESTURES, "-q", "--report", "page.html", *words]) == 0
    page = (workshop / "page.html").read_text(encoding="utf-8")
    assert "--raters Bob,Ann" in page
    assert "--fail-under kappa=0.01" in page
    assert "--thresholds 60,80" in page


def test_what_no_interval_depends_on_is_refused(workshop: Path, capsys: Screen) -> None:
    told = refused(capsys, GESTURES, "--method", "gseq", "--resamples", "99", code=2)
    assert "--resamples does nothing for gseq; it is for staccato" in told
    told = refused(capsys, GESTURES, "--method", "alpha-u", "--confidence-level", "0.9", code=2)
    assert "--confidence-level does nothing for alpha-u; it is for easydiag" in told


def films(name: str) -> str:
    rows = [
        f"{who},f{film},{10 * k + film},{10 * k + 6},{'xy'[k % 2]}"
        for who in "ab" for film in range(3) for k in range(5)
    ]  # fmt: skip
    return "\n".join([f"rater,{name},start_frame,end_frame,code", *rows, ""])


def test_every_hint_of_a_refusal_works_when_it_is_pasted(tmp_path, capsys):
    path = tmp_path / "films.csv"
    path.write_text(films("zug"), encoding="utf-8")
    assert run(["units", str(path)]) != 0
    said = capsys.readouterr().err
    wishes = re.findall(r"--(?:session|tier) [\w:]+", said)
    assert wishes == ["--session column:zug", "--tier column:zug", "--session one"]
    for wish in wishes:
        assert run(["units", str(path), *wish.split()]) == 0
    path.write_text("rater,onset,label\na,0,x\na,5,y\na,9,x\nb,0,x\nb,5,y\nb,9,x\n", "utf-8")
    assert run(["units", str(path)]) != 0
    said = capsys.readouterr().err
    for wish in re.findall(r"--ends \w+", said):
        assert run(["units", str(path), *wish.split(), "--tolerance", "1"]) == 0
    assert "bounds=" not in capsys.readouterr().err


def test_the_record_holds_the_account_and_quiet_hides_nothing_that_matters(tmp_path, capsys):
    for who in ("ann", "bob"):
        (tmp_path / who).mkdir()
        (tmp_path / who / "d.txt").write_text("Ann in Paris", encoding="utf-8")
        lines = "T1\tPER 0 3\tAnn\nT2\tLOC 7 12\tParis\nR1\tin Arg1:T1 Arg2:T2\n"
        (tmp_path / who / "d.ann").write_text(lines, encoding="utf-8")
    assert run(["units", str(tmp_path), "--json", "-q"]) == 0
    told = capsys.readouterr()
    reading = json.loads(told.out)["reading"]
    assert reading["found"]["relations"] == 2
    assert reading["set_aside"][-1]["reason"] == "they are not measured yet"
    assert "2 relations set aside" in told.err


# --- tables of papers, curves, sets, several partners ---------------------------------------------

WORKS = Path(__file__).parents[3] / "examples" / "works"
TABLE_1 = str(WORKS / "holle_rein_2015_table_1.csv")


@pytest.mark.parametrize("form", ["--json", "--csv", "--markdown", "--latex", "--all"])
def test_the_table_with_nil_is_in_every_form(capsys: Screen, form: str) -> None:
    assert run(["units", TABLE_1, "--table", form]) == 0
    shown = capsys.readouterr().out
    for cell in ("684", "80", "76") if form == "--json" else ("684", "223", "191"):
        assert cell in shown
    assert run(["units", GESTURES, "-q", form]) == 0
    assert "nil" in capsys.readouterr().out or form == "--json"


def test_a_table_by_the_program_that_made_it(capsys: Screen) -> None:
    table3 = str(WORKS / "holle_rein_2015_table_3.csv")
    assert run(["units", table3, "--table", "--method", "gseq", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["estimates"]
    assert one["value"] == pytest.approx(0.5906, abs=5e-5)
    assert run(["units", TABLE_1, "--table", "--method", "elan", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["estimates"]
    assert one["value"] == pytest.approx(0.6059886, abs=5e-8)
    said = refused(capsys, TABLE_1, "--table", "--method", "gamma", code=3)
    assert "easydiag" in said
    assert "one file" in refused(capsys, TABLE_1, TABLE_1, "--table", code=2)


def test_numbers_of_the_curve_are_in_every_form(capsys: Screen) -> None:
    found = record(capsys, GESTURES, "--thresholds", "50-90:20")
    curve = found["results"]["curve"]
    assert curve["thresholds"] == [50, 70, 90]
    assert len(curve["category_kappa"]) == 3
    for form in ("--csv", "--markdown", "--latex", "--all"):
        assert run(["units", GESTURES, "-q", "--thresholds", "60,80", form]) == 0
        assert "percent" in capsys.readouterr().out
    for wrong in ("90-51", "x", "0-50", "51-101", "51-90:0"):
        assert "is not like 51-90" in refused(capsys, GESTURES, "--thresholds", wrong, code=2)


def test_base_is_for_the_alignment(capsys: Screen) -> None:
    path = str(WORKS / "long_and_short.csv")
    found = record(capsys, path, "--time-unit", "ms", "--method", "gseq", "--base", "shorter")
    assert found["results"]["kappa"]["settings"]["base"] == "shorter"
    assert "gseq" in refused(capsys, GESTURES, "--method", "time", "--base", "longer", code=2)


def test_words_as_sets_by_several_distances(capsys: Screen) -> None:
    path = str(WORKS / "marked_words.csv")
    told = ["--session", "column:document", "--time-unit", "token", "--method", "sets"]
    found = record(capsys, path, *told)
    distances = found["results"]["krippendorff_alpha"]["distances"]
    assert [one["distance"] for one in distances] == ["jaccard", "passonneau", "dice"]
    assert found["estimates"][0]["value"] > 0.7  # words of different documents differ
    one = record(
        capsys, path, *told, "--distance", "masi", "--items", "labels", "--pieces", "spans"
    )
    assert "masi" in one["estimates"][0]["name"]


def test_disparity_by_itself(capsys: Screen) -> None:
    assert run(["units", GESTURES, "-q", "--disparity"]) == 0
    assert capsys.readouterr().out.startswith("Rater disparity: Ann and Bob")
    assert "easydiag" in refused(capsys, GESTURES, "-q", "--disparity", "-m", "time", code=2)


def test_the_page_ranks_films_and_labels(workshop: Path) -> None:
    assert run(["units", GESTURES, "-q", "--report", "page.html"]) == 0
    page = (workshop / "page.html").read_text()
    assert "Where raters differ" in page
    assert "Disagreement by session, most first" in page
