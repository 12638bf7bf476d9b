"""`rate`, `soft`, `judges` and `prefer` on a made study, gates, people in their own file."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from consilience.cli.program import cli

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
STUDY = EXAMPLES / "judges"
VERDICTS, LABELS, BATTLES = (STUDY / n for n in ("verdicts.jsonl", "people.csv", "battles.csv"))
OPINIONS, CALIBRATED, TOO_SURE = (
    STUDY / f"{n}.csv" for n in ("opinions", "calibrated", "too_sure")
)


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words], standalone_mode=False)


def record(*words: object) -> dict:
    found = run(*words, "--json", "--quiet")
    assert found.exception is None, found.output
    return json.loads(found.stdout)


def test_a_rate_with_people_in_a_file_of_their_own() -> None:
    found = run("rate", VERDICTS, "--people", LABELS, "--system", "gpt-4o", "--of-label", "pass")
    assert found.return_value == 0
    assert "120 items of 320 with verdicts have labels by people (Ann)" in found.stderr
    assert "gpt-4o says pass in" in found.stdout
    one = record("rate", VERDICTS, "--people", LABELS, "--system", "gpt-4o", "--of-label", "pass")
    (estimate,) = one["estimates"]
    assert estimate["verdicts"] == 320
    assert estimate["labels"] == 120
    assert estimate["refused"] == 4  # what a judge refused is a verdict of its own
    assert estimate["interval"]["low"] < estimate["value"] < estimate["apparent"]


def test_what_does_not_join_is_told(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("id,Ann\nv1-000,pass\nv1-001,fail\nv1-002,fail\nnobody,pass\n")
    found = run("rate", VERDICTS, "--people", path, "--system", "gpt-4o", "--of-label", "pass")
    assert "1 labelled item without a verdict: nobody" in found.stderr
    path.write_text("id,Ann\nx1,pass\nx2,fail\n")
    found = run("rate", VERDICTS, "--people", path, "--system", "gpt-4o", "--of-label", "pass")
    assert found.exception is not None


def test_a_long_file_of_people_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    rows = [line.split(",") for line in LABELS.read_text().splitlines()[1:]]
    lines = [f"{i},{who},{label}" for i, label in rows for who in ("Ann", "Bob")]
    path.write_text("id,annotator,label\n" + "\n".join(lines) + "\n")
    one = record("rate", VERDICTS, "--people", path, "--system", "gpt-4o", "--of-label", "pass")
    assert one["estimates"][0]["people"] == ["Ann", "Bob"]


def test_several_judges_each_have_a_rate() -> None:
    one = record("rate", VERDICTS, "--people", LABELS, "--of-label", "pass")
    assert [x["judge"] for x in one["estimates"]] == ["gpt-4o", "gpt-4o-mini", "claude-3"]


def test_two_systems_are_compared_by_people_s_standard() -> None:
    one = record("rate", VERDICTS, "--people", LABELS, "--system", "claude-3", "--of-label", "pass",
                 "--answers-of", "system", "--document", "prompt")  # fmt: skip
    (estimate,) = one["estimates"]
    assert estimate["systems"] == ["v1", "v2"]
    assert estimate["rates"][0]["clusters"] == 160


def test_labels_to_buy_and_items_to_pick(tmp_path: Path) -> None:
    common = ("rate", VERDICTS, "--people", LABELS, "--system", "gpt-4o", "--of-label", "pass")
    one = record(*common, "--buy", 0.06)
    (plan,) = one["label_plans"]
    assert plan["n_labels"] < plan["n_alone"]
    path = tmp_path / "picks.csv"
    assert run(*common, "--pick", 12, "-o", path).return_value == 0
    lines = path.read_text().splitlines()
    assert lines[0].startswith("item,judge says,probability,weight")
    assert len(lines) == 13


@pytest.mark.parametrize(
    ("gate", "code"),
    [("rate=0.5", 0), ("rate:low=0.5", 0), ("rate:low=0.66", 1), ("rate=0.9", 1)],
)
def test_a_gate_on_the_rate_or_its_lower_limit(gate: str, code: int) -> None:
    found = run("rate", VERDICTS, "--people", LABELS, "--system", "gpt-4o", "--of-label", "pass",
                "--fail-under", gate, "--quiet")  # fmt: skip
    assert found.return_value == code
    assert ("below" in found.stderr) == bool(code)


@pytest.mark.parametrize(
    ("gate", "code"),
    [("alpha=0.5", 0), ("alpha:low=0.5", 1), ("alpha:low=-0.5", 0)],
)
def test_measure_has_gates_on_lower_limits(gate: str, code: int) -> None:
    found = run("measure", EXAMPLES / "labels.csv", "--fail-under", gate, "--quiet")
    assert found.return_value == code
    if code:
        assert "the lower limit of Krippendorff's alpha" in found.stderr


@pytest.mark.parametrize(("gate", "code"), [("gap:low=-0.5", 0), ("gap:low=-0.01", 1)])
def test_panel_has_a_gate_on_the_gap(gate: str, code: int) -> None:
    found = run("panel", EXAMPLES / "verdicts_long.csv", "--item", "item", "--refusal", "refused",
                "--system", "gpt", "--system", "bert", "--scale", "ordinal", "--fail-under", gate,
                "--resamples", 200, "--quiet")  # fmt: skip
    assert found.return_value == code


def test_judges_says_what_they_are_worth() -> None:
    one = record("judges", VERDICTS, "--people", LABELS, "--length", "tokens", "--favour", "pass",
                 "--batch", "week")  # fmt: skip
    (estimate,) = one["estimates"]
    assert estimate["coefficient"] == "effective_judges"
    assert estimate["value"] < 2.5
    assert {x["kind"] for x in one["biases"]} == {"length"}
    assert [x["judge"] for x in one["watches"]] == ["gpt-4o", "gpt-4o-mini", "claude-3"]
    assert "judges_err_together" in {x["code"] for x in one["findings"]}


def test_judges_stop_a_pipeline() -> None:
    found = run("judges", VERDICTS, "--people", LABELS, "--fail-under", "independent:low=0.8", "-q")
    assert found.return_value == 1
    assert "the share of independent judges" in found.stderr
    assert run("judges", VERDICTS, "--people", LABELS, "--fail-under", "x=1", "-q").exception


def test_models_that_nobody_named_are_no_people() -> None:
    found = run("judges", VERDICTS, "--gold", "claude-3", "-q")
    assert found.exception is not None
    found = run("rate", VERDICTS, "--system", "gpt-4o", "--of-label", "pass", "-q")
    assert "Who is a person and who a system?" in str(found.exception)


def test_prefer_puts_systems_in_order(tmp_path: Path) -> None:
    one = record("prefer", BATTLES)["preferences"]
    assert one["method"] == "bootstrap"  # prompts come back
    assert {x["system"] for x in one["systems"]} == {"v1", "v2", "v3"}
    assert one["order_effect"]["value"] > 0
    plain = record("prefer", BATTLES, "--method", "likelihood", "--order-effect", "no")
    assert plain["preferences"]["order_effect"] is None
    path = tmp_path / "x.csv"
    path.write_text("who,other,result\na,b,a\n")
    found = run("prefer", path, "-q")
    assert "--first COLUMN --second COLUMN --winner COLUMN" in str(found.exception)


def test_pages_are_written(tmp_path: Path) -> None:
    path = tmp_path / "rate.html"
    run("rate", VERDICTS, "--people", LABELS, "--system", "gpt-4o", "--of-label", "pass",
        "-o", path, "-q")  # fmt: skip
    text = path.read_text()
    assert "gpt-4o says pass in" in text
    assert "<svg" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (("--rate", "pass", "--buy", "0.06"), ("rate", "--of-label", "pass", "--buy", "0.06")),
        (("--rate=pass", "--pick", "5"), ("rate", "--of-label=pass", "--pick", "5")),
        (("--rate", "*"), ("rate",)),
    ],
)
def test_what_panel_did_before_is_refused_with_the_command_to_type(
    old: tuple[str, ...], new: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "the people.csv"
    path.write_text(LABELS.read_text())
    common = (VERDICTS, "--people", path, "--system", "gpt-4o")
    said = str(run("panel", *common, *old).exception)
    assert f"{old[0].partition('=')[0]} is of a command of its own, consilience rate." in said
    words = shlex.split(said.splitlines()[-1])
    assert words == ["consilience", new[0], *map(str, common), *new[1:]]
    assert run(*words[1:], "-q").return_value == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (("--soft", CALIBRATED, "--soft", TOO_SURE),
         ("soft", "--probabilities", CALIBRATED, "--probabilities", TOO_SURE)),
        (("--sweep", "x", "--people", "Ann", "--held-out", "0.5"),
         ("sweep", "--setting", "x", "--people", "Ann", "--held-out", "0.5")),
        (("--differences", "--sweep", "x"), ("sweep", "--differences", "--setting", "x")),
    ],
)  # fmt: skip
def test_every_command_that_was_in_panel_is_named(
    old: tuple[object, ...], new: tuple[object, ...]
) -> None:
    words = shlex.split(str(run("panel", OPINIONS, *old).exception).splitlines()[-1])
    assert words == ["consilience", new[0], str(OPINIONS), *map(str, new[1:])]


def test_an_option_that_no_command_has_is_not_moved() -> None:
    assert "Type:" not in str(run("panel", OPINIONS, "--sweeep", "x").exception)
    assert "Type:" not in str(run("judges", OPINIONS, "--rate", "x").exception)


# -------------------------------------------------------------------- figures


RATE = ("rate", VERDICTS, "--people", LABELS, "--of-label", "pass")


@pytest.mark.parametrize(
    ("words", "drawn"),
    [
        (RATE, "people alone"),
        ((*RATE, "--system", "claude-3", "--answers-of", "system", "--document", "prompt"),
         "judge says"),
        (("judges", VERDICTS, "--people", LABELS), "correlation of errors"),
        (("judges", VERDICTS, "--people", LABELS, "--batch", "week", "-s", "gpt-4o"),
         "control limits"),
        (("prefer", BATTLES, "--resamples", 49), "1 to 2"),
        (("soft", OPINIONS, "--probabilities", CALIBRATED), "Jensen-Shannon"),
    ],
    ids=["rates", "systems", "errors", "drift", "ranks", "soft"],
)  # fmt: skip
def test_a_figure_is_on_the_page_and_in_a_file(words: tuple, drawn: str, tmp_path: Path) -> None:
    figure, page = tmp_path / "figure.svg", tmp_path / "page.html"
    found = run(*words, "--figure", figure, "--report", page, "-q")
    assert found.return_value == 0, found.exception
    assert drawn in figure.read_text()
    text = page.read_text()
    assert text.count("<figure") >= 1
    assert drawn in text
    assert str(words[1]) in text  # the command that makes the page again


@pytest.mark.parametrize("option", [("--buy", 0.05), ("--tell-from", 0.6), ("--pick", 5)])
def test_plans_and_picks_have_no_figure(option: tuple, tmp_path: Path) -> None:
    found = run(*RATE, "--system", "gpt-4o", *option, "--figure", tmp_path / "x.svg")
    assert "--figure does not go with" in str(found.exception)


def test_the_share_of_every_label(tmp_path: Path) -> None:
    whole = ("rate", VERDICTS, "--people", LABELS, "--system", "claude-3")
    one = record(*whole, "--figure", tmp_path / "shares.svg")
    shares = {x["label"]: x["value"] for x in one["estimates"]}
    assert sum(shares.values()) == pytest.approx(1.0)
    (rate,) = record(*whole, "--of-label", "pass")["estimates"]
    assert shares["pass"] == pytest.approx(rate["value"])
    turned = record(*whole, "--correct", "rogan-gladen")
    assert {x["method"] for x in turned["estimates"]} == {"confusion"}
    assert "needs one label" in str(run(*whole, "--buy", 0.05).exception)


# -------------------------------------------------------------------- labels for a power


def test_labels_for_a_power_by_method() -> None:
    one = record(*RATE, "--system", "gpt-4o", "--tell-from", 0.5, "--power", 0.9)
    (plan,) = one["label_plans"]
    assert plan["power"] == 0.9
    assert plan["null"] == 0.5
    assert plan["by_method"]["double-sampling"] <= plan["by_method"]["ppi"]
    assert plan["by_method"]["people"] == plan["n_alone"]
    found = run(*RATE, "--power", 0.9)
    assert "--power goes with --tell-from" in str(found.exception)


def test_items_may_be_picked_by_uncertainty(tmp_path: Path) -> None:
    path = tmp_path / "picks.csv"
    found = run(*RATE, "--system", "gpt-4o", "--pick", 12, "--uncertainty", "tokens", "-o", path)
    assert found.return_value == 0, found.exception
    weights = {line.split(",")[3] for line in path.read_text().splitlines()[1:]}
    assert len(weights) > 6  # not two, as by verdict


# -------------------------------------------------------------------- soft labels


def test_predictions_are_compared_with_people_s_distribution() -> None:
    one = record("soft", OPINIONS, "--probabilities", CALIBRATED, "--probabilities", TOO_SURE)
    first, second = one["soft_labels"]
    assert (first["system"], second["system"]) == ("calibrated", "too_sure")
    assert first["accuracy"] == second["accuracy"]  # the hard label does not tell them apart
    gaps = {(x["system"], x["coefficient"]): x["gap"] for x in one["estimates"]}
    assert gaps["calibrated", "cross_entropy"] < 0 < gaps["too_sure", "cross_entropy"]
    assert "predictions_too_sure" in {x["code"] for x in one["findings"]}
    assert len(one["estimates"]) == 10  # four distances and the hard label, of two systems


@pytest.mark.parametrize(
    "text",
    [
        "id,p_rude,p_neutral,p_kind\n{rows}",
        "id;label;probability\n{long}",
        "{objects}",
    ],
    ids=["prefixed", "long", "objects"],
)
def test_probabilities_are_read_in_other_shapes(text: str, tmp_path: Path) -> None:
    rows = [line.split(",") for line in CALIBRATED.read_text().splitlines()[1:]]
    names = ("rude", "neutral", "kind")
    parts = {
        "rows": "\n".join(",".join(row) for row in rows),
        "long": "\n".join(f"{row[0]};{n};{x}" for row in rows
                          for n, x in zip(names, row[1:], strict=True)),
        "objects": "\n".join(
            json.dumps({"id": row[0], "probabilities": dict(zip(names, map(float, row[1:]),
                                                                strict=True))}) for row in rows),
    }  # fmt: skip
    path = tmp_path / ("predicted.jsonl" if "objects" in text else "predicted.csv")
    path.write_text(text.format(**parts) + "\n")
    one = record("soft", OPINIONS, "--probabilities", path)
    want = record("soft", OPINIONS, "--probabilities", CALIBRATED)
    assert [x["value"] for x in one["estimates"]] == [x["value"] for x in want["estimates"]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,rude,neutral,kind\na00,0.5,0.4,0.4\n", "add up to 1"),
        ("id,rude,neutral,kind\nz9,0.5,0.4,0.1\n", "names of the items"),
        ("id,x,y\na00,0.5,0.5\na01,0.5,0.5\n", "a column for each label"),
        ("id,rude,neutral,kind\na00,1,0,0\na00,1,0,0\n", "one for each item and label"),
    ],
)
def test_predictions_that_make_no_sense_are_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "predicted.csv"
    path.write_text(text)
    found = run("soft", OPINIONS, "--probabilities", path, "-q")
    assert said in str(found.exception)


def test_a_model_among_the_people_is_no_person(tmp_path: Path) -> None:
    path = tmp_path / "opinions.csv"
    path.write_text(OPINIONS.read_text().replace("Hal", "gpt-4o", 1))
    found = run("soft", path, "--probabilities", CALIBRATED, "-q")
    assert "gpt-4o may be a system" in str(found.exception)
    named = [word for name in ("Ann", "Ben", "Cleo") for word in ("--people", name)]
    one = record("soft", path, "--probabilities", CALIBRATED, *named)
    assert one["soft_labels"][0]["raters"] == 3


@pytest.mark.parametrize(("gate", "code"), [("accuracy=0.5", 0), ("accuracy:low=0.8", 1)])
def test_a_gate_on_soft_labels(gate: str, code: int) -> None:
    found = run("soft", OPINIONS, "--probabilities", CALIBRATED, "--fail-under", gate, "-q")
    assert found.return_value == code
