"""Numbers that may be names: both agreements side by side, no verdict, no gate until told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.cli.program import run
from consilience.coefficients.unsettled_scale import undecided_scale
from consilience.exceptions import UndecidedError
from consilience.latent import rater_view

CODES = np.array([101, 102, 103, 201, 202, 203, 301, 302, 303, 401])
# What the numbers are, how many values they have, and whether only the user can tell.
KINDS = {"marks": True, "points": True, "topics": True, "grades": False, "few codes": False}
COMMANDS = (
    ("measure",),
    ("measure", "--json"),
    ("measure", "--markdown"),
    ("measure", "--csv"),
    ("measure", "--latex"),
    ("measure", "--apa"),
    ("raters",),
    ("raters", "--json"),
    ("adjudicate",),
    ("latent",),
    ("latent", "--model", "mace"),
    ("panel", "--system", "Lee", "--people", "Smith,Jones"),
    ("plan", "--half-width", "0.1", "--pilot"),
)


def numbers(kind: str, seed: int, n: int = 90) -> np.ndarray[Any, Any]:
    """Draw ratings of three raters who agree well on what they rate."""
    rng = np.random.default_rng(seed)
    if kind in ("topics", "few codes"):
        codes = CODES if kind == "topics" else CODES[:4]
        truth = rng.integers(0, len(codes), n)
        slips = rng.random((n, 3)) < 0.15
        return codes[np.where(slips, rng.integers(0, len(codes), (n, 3)), truth[:, None])]
    top = {"marks": 100, "points": 10, "grades": 5}[kind]
    truth = rng.uniform(0, top, n)
    seen = truth[:, None] + rng.normal(0, top / 14, (n, 3))
    return np.clip(np.rint(seen), 1 if kind == "grades" else 0, top).astype(int)


def written(folder: Path, table: Any, name: str = "marks.csv") -> str:
    lines = ["essay,Smith,Jones,Lee"]
    lines += [f"e{k}," + ",".join(map(str, row)) for k, row in enumerate(table.tolist())]
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_one_place_decides(kind: str, seed: int, tmp_path: Path) -> None:
    table = numbers(kind, seed)
    path = written(tmp_path, table)
    for ratings in (
        cs.read(path),
        cs.Ratings.from_wide(table),
        cs.Ratings.from_wide(table.tolist()),
    ):
        assert ratings.scale == "nominal"
        assert not ratings.scale_told
        found = undecided_scale(ratings)
        assert (found is not None) == KINDS[kind]
        if found is None:
            continue
        names = cs.krippendorff_alpha(ratings, distance="nominal").value
        as_numbers = cs.krippendorff_alpha(ratings, distance="interval").value
        assert found.to_dict()["alpha_as_names"] == names
        assert found.to_dict()["alpha_as_numbers"] == as_numbers
        assert (
            f"{names:.2f} if labels are names, {as_numbers:.2f} if they are numbers" in found.both
        )
    for scale in ("nominal", "ordinal", "interval"):
        assert undecided_scale(cs.read(path, scale=scale)) is None
        assert undecided_scale(cs.Ratings.from_wide(table, scale=scale)) is None


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("kind", ["marks", "points", "topics"])
def test_no_command_judges_raters_before_the_scale_is_told(
    kind: str, words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, numbers(kind, 5))
    code = run([*words, path])
    out, err = capsys.readouterr()
    said = " ".join((out + err).split())
    assert "no better than chance" not in said.casefold()
    assert "--scale" in said
    assert code == (0 if words[0] == "measure" else 2)
    if "--csv" in words:
        assert "krippendorff_alpha,Krippendorff's alpha,interval" in out
    elif "--apa" in words or "--latex" in words:
        assert "numbers" in out
    else:
        assert "alpha_as_numbers" in said or "if they are numbers" in said


@pytest.mark.parametrize("scale", ["ordinal", "interval"])
@pytest.mark.parametrize("seed", range(4))
def test_markers_are_never_called_guessers_for_being_a_point_apart(
    seed: int, scale: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, numbers("marks", seed, 60))
    for words in (("raters",), ("latent",), ("latent", "--model", "mace"), ("adjudicate",)):
        assert run([*words, path, "--scale", scale]) == 0
        said = " ".join("".join(capsys.readouterr()).split()).casefold()
        assert "no better than chance" not in said
        assert "less often than by guessing" not in said
        assert "guessing more often than knowing" not in said


def test_json_holds_both_agreements(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, numbers("marks", 1))
    assert run(["measure", path, "--json", "--quiet"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["scale"]["undecided"] is True
    assert record["scale"]["alpha_as_names"] < 0.1
    assert record["scale"]["alpha_as_numbers"] > 0.8
    codes = {one["code"] for one in record["findings"]}
    assert "scale_undecided" in codes
    assert not codes & {"rater_apart", "rater_bias", "straddles_threshold", "labels_confused"}
    assert run(["measure", path, "--json", "--quiet", "--scale", "interval"]) == 0
    assert "scale" not in json.loads(capsys.readouterr().out)


def test_the_report_gives_both_and_waits(tmp_path: Path) -> None:
    path = written(tmp_path, numbers("marks", 2))
    page = tmp_path / "page.html"
    assert run(["report", path, "-o", str(page), "--quiet"]) == 0
    text = page.read_text(encoding="utf-8")
    assert "if labels are names" in text
    assert 'id="raters"' not in text
    assert run(["report", path, "-o", str(page), "--force", "--scale", "interval", "-q"]) == 0
    assert 'id="raters"' in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["marks", "points", "topics"])
def test_a_gate_is_refused_until_the_scale_is_told(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, numbers(kind, 3))
    gate = ("--fail-under", "alpha=0.05", "--quiet")
    assert run(["measure", path, *gate]) == 2
    assert "--scale nominal if they are names" in capsys.readouterr().err
    as_names = run(["measure", path, *gate, "--scale", "nominal"])
    assert as_names == (1 if kind == "marks" else 0)
    assert run(["measure", path, *gate, "--distance", "interval"]) in (0, 1)


def test_rounds_and_batches_wait_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [written(tmp_path, numbers("marks", seed), f"{seed}.csv") for seed in range(3)]
    assert run(["compare", *paths[:2], "--quiet"]) == 2
    assert run(["compare", *paths, "--quiet"]) == 2
    assert "if they are numbers" in capsys.readouterr().err
    assert run(["compare", *paths[:2], "--quiet", "--scale", "interval"]) == 0


@pytest.mark.parametrize("step", [0.5, 0.25, 0.1])
@pytest.mark.parametrize("top", [1, 3, 10])
def test_numbers_that_are_not_whole_are_measurements(step: float, top: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(top)
    table = np.round(rng.integers(0, round(top / step) + 1, (50, 3)) * step, 2)
    path = written(tmp_path, table)
    loaded = cs.io.load(path)
    assert loaded.ratings.scale == "interval"
    assert any("not whole" in words for words in loaded.reading.evidence)
    guess = next(one for one in loaded.reading.guesses if one.what == "scale")
    assert (guess.taken, guess.because) == ("interval", "the labels are numbers that are not whole")
    assert cs.read(path, scale="nominal").scale == "nominal"


def test_few_codes_keep_their_names_and_the_caution_says_the_number(tmp_path: Path) -> None:
    found = cs.measure(cs.read(written(tmp_path, numbers("grades", 1))))
    caution = next(one for one in found.findings if one.code == "order_ignored")
    ordinal = cs.krippendorff_alpha(cs.Ratings.from_wide(numbers("grades", 1)), distance="ordinal")
    assert f"{ordinal.value:.2f}" in caution.message
    assert found.undecided is None


def test_in_python_raters_are_not_judged_either() -> None:
    marks = numbers("marks", 7)
    with pytest.raises(UndecidedError, match="if they are numbers"):
        rater_view(cs.Ratings.from_wide(marks))
    for row in rater_view(cs.Ratings.from_wide(marks, scale="interval")):
        assert row.verdict == "beyond chance"
    with pytest.raises(UndecidedError, match="a panel needs to know the scale"):
        cs.panel.compare(cs.Ratings.from_wide(marks, raters=["A", "B", "gpt"]), systems="gpt")


def test_what_is_derived_remembers_whether_the_scale_was_told(tmp_path: Path) -> None:
    ratings = cs.Ratings.from_wide(numbers("marks", 8), raters=["A", "B", "C"])
    assert ratings.select(raters=["A", "B"]).scale_undecided
    assert ratings.complete().scale_undecided
    assert ratings.merge(ratings).scale_undecided
    assert not ratings.taken_as("nominal").scale_undecided
    assert not ratings.merge(ratings.taken_as("nominal")).scale_undecided
    assert ratings.taken_as("interval").scale == "interval"
    path = cs.engine.save_rows(ratings, tmp_path / "a.rows")
    assert cs.engine.load_rows(path).scale_undecided
    told = cs.engine.save_rows(ratings.taken_as("nominal"), tmp_path / "b.rows")
    assert not cs.engine.load_rows(told).scale_undecided


def test_tables_without_names_are_numbered_by_us() -> None:
    table = np.eye(9, dtype=int) * 10 + 1
    assert not cs.Ratings.from_table(table).scale_undecided
    assert not cs.Ratings.from_counts(table).scale_undecided
    assert cs.Ratings.from_table(table, categories=range(9)).scale_undecided
    assert cs.Ratings.from_counts(table, categories=range(9)).scale_undecided
