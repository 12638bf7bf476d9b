"""``consilience plan``: sentences for people, JSON for programs, one error sentence."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from consilience.cli.studies import plan
from consilience.exceptions import InputError
from consilience.simulate import simulate


def run(*arguments: str, **options: Any) -> Result:
    return CliRunner().invoke(plan, arguments, **options)


@pytest.fixture
def pilot(tmp_path: Path) -> Path:
    ratings = simulate(n_items=60, n_raters=3, agreement=0.6, rng=1)
    lines = ["item,Ann,Bob,Cid"]
    for item, row in enumerate(ratings._matrices[0].T.tolist()):
        lines.append(",".join([f"i{item}", *("yes" if code else "no" for code in row)]))
    path = tmp_path / "pilot.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_test_is_planned() -> None:
    result = run("--kappa0", "0.4", "--kappa1", "0.6", "--prevalence", "0.3", "--raters", "3")
    assert result.exit_code == 0
    assert re.match(
        r"1[12]\d items, each rated by 3 raters \(\d+ ratings\), give power", result.stdout
    )


def test_a_width_is_planned() -> None:
    result = run("--kappa", "0.7", "--width", "0.2", "--prevalence", "0.2,0.3,0.5")
    assert result.exit_code == 0
    assert "prevalence 0.2, 0.3, 0.5" in result.stdout


def test_json_has_the_envelope_and_the_plan() -> None:
    result = run("--kappa0", "0.4", "--kappa1", "0.6", "--items", "80", "--json")
    record = json.loads(result.stdout)
    assert set(record) == {
        "schema", "version", "seed", "data", "estimates", "findings", "plan",
    }  # fmt: skip
    assert record["schema"] == "consilience/1"
    assert record["seed"] == 0
    assert record["plan"]["n_items"] == 80
    assert record["plan"]["solved_for"] == "power"
    assert 0.4 < record["plan"]["power"] < 0.6


def test_notes_are_told_in_both_forms() -> None:
    question = ("--kappa0", "0.2", "--kappa1", "0.9", "--prevalence", "0.05",
                "--method", "goodness-of-fit")  # fmt: skip
    assert "\nNote: Only " in run(*question).stdout
    found = json.loads(run(*question, "--json").stdout)["findings"]
    assert [finding["code"] for finding in found] == ["small_expected_counts"]


def test_simulation_is_reproducible_and_says_its_seed() -> None:
    question = ("--kappa0", "0.3", "--kappa1", "0.8", "-c", "ac1", "--simulations", "40", "--json")
    first, again = run(*question, "--seed", "7"), run(*question, "--seed", "7")
    assert first.stdout == again.stdout
    record = json.loads(first.stdout)
    assert record["seed"] == 7
    assert record["plan"]["method"] == "simulation"
    assert record["plan"]["coefficient"] == "gwet_ac"


def test_a_pilot_is_read_and_told_about_on_stderr(pilot: Path) -> None:
    result = run("--pilot", str(pilot), "--half-width", "0.1", "-c", "fleiss", "--json")
    assert result.exit_code == 0
    record = json.loads(result.stdout)
    assert record["data"]["items"] == 60
    assert record["data"]["sources"] == [str(pilot)]
    assert record["estimates"][0]["coefficient"] == "scott_pi"
    assert record["plan"]["method"] == "drawn-pilot"
    assert record["plan"]["assurance"] == 0.8
    assert "wide" in result.stderr
    average = run("--pilot", str(pilot), "--half-width", "0.1", "--assurance", "0.5", "--json")
    assert json.loads(average.stdout)["plan"]["method"] == "linearised"
    quiet = run("--pilot", str(pilot), "--half-width", "0.1", "-q")
    assert quiet.stderr == ""
    assert "Krippendorff's alpha" in quiet.stdout


def test_a_pilot_may_come_from_standard_input(pilot: Path) -> None:
    result = run(
        "--pilot", "-", "--half-width", "0.1", "--population", "900", "--json",
        input=pilot.read_bytes(),
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["data"]["sources"] == ["-"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "the question must be --kappa0 and --kappa1"),
        (("--kappa0", "0.4"), "the question must be"),
        (("--kappa0", "0.4", "--kappa1", "40"), "write 0.4 for 40%"),
        (("--kappa0", "0.4", "--kappa1", "0.6", "--prevalence", "half"), "is not like 0.3"),
        (("--kappa0", "0.4", "--kappa1", "0.6", "-c", "kapa"), "unknown coefficient 'kapa'"),
        (("--kappa0", "0.4", "--kappa1", "0.6", "--categories", "a,b"), "add --pilot FILE"),
        (("--kappa0", "0.4", "--kappa1", "0.6", "--missing-value", "x"), "--missing-value"),
        (("--kappa0", "0.4", "--kappa1", "0.6", "--distance", "quadradic"), "--distance"),
        (("--kappa", "0.6", "--width", "0.2", "--method", "magic"), "--method"),
    ],
)
def test_wrong_usage_exits_with_two(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("", "Got none. Hint: for example --kappa0 0.4, --kappa1 0.6."),
        ("--kappa0 0.4", "Got --kappa0 0.4. Hint:"),
        ("--kappa0 0.4 --kappa1 0.4", "--kappa1 must be different from --kappa0 (0.4)."),
        ("--kappa0 0.4 --kappa1 0.6 --raters 1", "--raters must be a whole number of at least 2."),
        ("--kappa0 0.4 --kappa1 0.6 --items 0", "Hint: for example --items 3."),
        ("--kappa0 0.4 --kappa1 0.6 --power 2", "--power must be between 0 and 1."),
        ("--kappa0 0.4 --kappa1 0.6 --prevalence 0,1", "--prevalence must be above 0"),
        ("--kappa0 0.4 --kappa1 0.6 --width 0.1", "--width does not go with --kappa0."),
        ("--kappa0 0.4 --kappa1 0.6 --significance-level 5", "--significance-level must be"),
        ("--kappa0 0.6 --kappa1 0.5 -c icc", "--kappa1 must be above --kappa0 (0.6)."),
        ("--kappa0 0.4 --kappa1 0.6 -c ac1 --simulations 0", "--simulations must be a whole"),
        ("--kappa0 0.4 --kappa1 0.6 -c ac1 --seed -1", "--seed must be a whole number of 0 or"),
        ("--kappa0 0.4 --kappa1 0.6 --population 5", "--population must be left out"),
        ("--kappa0 0.4 --kappa1 0.6 --alternative less", "--kappa1 must be below --kappa0 (0.4)."),
        ("--kappa 0.4", "the aim must be either --half-width or --items."),
        ("--kappa 0.4 --width 0.1 --half-width 0.2", "left out with --width."),
        ("--kappa 0.4 --width 0.1 --assurance 80", "--assurance must be between 0 and 1."),
        ("--kappa 0.4 --width 0.1 --confidence-level 95", "--confidence-level must be between"),
    ],
)
def test_messages_name_options_not_arguments(arguments: str, sentence: str) -> None:
    result = run(*arguments.split())
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.split())
    told = result.stderr.partition("Error: ")[2]
    assert not re.search(r"[a-z0-9]=|[a-z]_[a-z]|\{", told), told


def test_wrong_usage_with_a_pilot_too(pilot: Path) -> None:
    for extra in (("--kappa", "0.5"), ("--raters", "4"), ("-c", "icc"), ("--population", "3")):
        result = run("--pilot", str(pilot), "--half-width", "0.1", "-q", *extra)
        assert result.exit_code == 2, extra


def test_an_unreadable_pilot_is_bad_data_not_wrong_usage() -> None:
    result = run("--pilot", "nowhere.csv", "--half-width", "0.1")
    assert isinstance(result.exception, InputError)


def test_help_needs_no_numpy() -> None:
    code = (
        "import sys; from consilience.cli.studies import plan; "
        "plan.main(['--help'], standalone_mode=False); "
        "assert 'numpy' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "--kappa0" in done.stdout
