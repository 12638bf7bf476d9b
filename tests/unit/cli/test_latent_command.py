"""`consilience latent` as its users meet it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import consilience as cs
from consilience import latent
from consilience.cli.program import run
from consilience.latent.votes import entries_of

EXAMPLES = Path(__file__).parents[3] / "examples"
LABELS = str(EXAMPLES / "labels.csv")


def code(item: int, rater: str, occasion: int) -> str:
    """One rater differs on every third item, both waver on every fourth."""
    other = rater == "Bob" and item % 3 == 0
    wavers = occasion == 2 and item % 4 == 0
    return "xyz"[(item**2 + other + wavers) % 3]


RETEST = "unit,coder,round,code\n" + "".join(
    f"{i},{who},{t},{code(i, who, t)}\n"
    for i in range(30)
    for who in ("Ann", "Bob")
    for t in (2, 1)
)


@pytest.fixture
def retest(tmp_path: Path) -> Path:
    path = tmp_path / "retest.csv"
    path.write_text(RETEST)
    return path


@pytest.mark.parametrize("model", ["dawid-skene", "one-coin", "lca", "mace", "glad"])
def test_every_model_of_the_truth_has_a_text_and_a_record(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["latent", LABELS, "-q", "--model", model]) == 0
    assert capsys.readouterr().out.strip()
    assert run(["latent", LABELS, "-q", "--model", model, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert {"schema", "version", "seed", "data", "estimates", "findings"} <= set(record)
    assert record["estimates"] == []
    assert record["models"][0]["model"] == model


def test_the_model_is_that_of_the_library(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["latent", LABELS, "-q", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)["models"][0]
    plain = latent.dawid_skene(cs.read(LABELS))
    assert record["log_likelihood"] == pytest.approx(plain.log_likelihood)
    assert [one["label"] for one in record["items"]] == list(plain.labels)


def test_a_latent_trait_for_two_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from consilience.simulate import simulate

    ratings = simulate(n_items=80, n_raters=4, categories=["n", "y"], rng=1).ratings
    path = tmp_path / "wide.csv"
    table = [[ratings.categories[k] for k in row] for row in ratings.coded_store().matrix.tolist()]
    path.write_text("A,B,C,D\n" + "\n".join(",".join(map(str, row)) for row in table) + "\n")
    assert run(["latent", str(path), "-q", "--model", "latent-trait"]) == 0
    assert capsys.readouterr().out.strip()


def test_numbers_of_classes_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(EXAMPLES / "essays_wide.csv")
    assert run(["latent", path, "-q", "--model", "lca", "--classes", "2-3", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["models"][0]["model"] == "lca"


def test_omega_takes_occasions_from_a_column(
    retest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["latent", str(retest), "-q", "--model", "omega", "--occasion", "round"]
    assert run([*arguments, "--chance", "pooled", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    columns: dict[str, list[Any]] = {"item": [], "rater": [], "occasion": [], "label": []}
    for line in RETEST.splitlines()[1:]:
        for name, cell in zip(columns, line.split(","), strict=True):
            columns[name].append(cell)
    ratings = cs.Ratings.from_long(columns, occasion="occasion")
    plain = latent.omega(ratings, chance="pooled")
    assert record["estimates"][0]["coefficient"] == "omega"
    assert record["estimates"][0]["value"] == pytest.approx(plain.value)
    assert record["estimates"][0]["weight"] == pytest.approx(plain.weight)
    assert record["models"] == []
    assert run(arguments) == 0
    assert capsys.readouterr().out.strip()


def test_aickin_of_two_raters(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(EXAMPLES / "reviewers_table.csv")
    assert run(["latent", path, "-q", "--model", "aickin", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    plain = cs.aickin_alpha(cs.read(path))
    assert record["estimates"][0]["value"] == pytest.approx(plain.value)
    assert run(["latent", path, "-q", "--model", "aickin"]) == 0
    assert f"{plain.value:.3f}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([LABELS, "--model", "omega"], 4, "--occasion"),
        ([LABELS, "--model", "aickin"], 4, "exactly two raters"),
        ([LABELS, "--model", "latent-trait"], 4, "--scale ordinal"),
        ([LABELS, "--model", "lca", "--classes", "6"], 2, "from 2 to 5"),
        ([LABELS, "--model", "lca", "--classes", "x"], 2, "from 2 to 5"),
        ([LABELS, "--model", "dawid"], 2, "dawid-skene"),
        ([LABELS, "--occasion", "when"], 3, "when"),
        ([str(EXAMPLES / "tweets_counts.csv")], 4, "needs to know who"),
        (["nowhere.csv"], 3, "existing file"),
    ],
)
def test_mistakes_are_one_sentence(
    arguments: Any, code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["latent", "-q", *arguments]) == code
    out, err = capsys.readouterr()
    assert message in err
    assert "Traceback" not in err
    assert out == ""


def test_help_loads_nothing_heavy() -> None:
    import subprocess
    import sys

    program = (
        "import sys\nfrom consilience.cli.program import run\nrun(['latent', '--help'])\n"
        "run(['adjudicate', '--help'])\nrun(['raters', '--help'])\n"
        "print(*(m for m in ('numpy', 'scipy', 'openpyxl', 'duckdb') if m in sys.modules), "
        "file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == ""
    assert "--occasion" in done.stdout


def test_omega_keeps_to_the_level(retest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["latent", str(retest), "--model", "omega", "--occasion", "round", "--quiet"]
    more = ["--confidence-level", "0.8", "--seed", "3"]
    assert run([*words, *more, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["estimates"]
    assert found["interval"]["confidence_level"] == 0.8
    assert run([*words, *more]) == 0
    shown = capsys.readouterr().out
    assert "80% interval" in shown
    assert "95% interval" not in " ".join(shown.split()).replace("95% intervals held", "")
    limits = found["interval"]
    assert f"{limits['low']:.3f} to {limits['high']:.3f}" in shown.replace("\n", " ")


def test_a_stated_weight_needs_no_retest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["latent", LABELS, "--model", "omega", "--weight", "0.25", "--json", "-q"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["estimates"]
    assert found["weight"] == 0.25
    assert run(["latent", LABELS, "--model", "omega", "--weight", "2", "-q"]) == 2
    assert "a number from 0 to 1" in capsys.readouterr().err


def test_options_that_a_model_would_ignore_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["latent", LABELS, "--model", "glad", "--smoothing", "0.1"]) == 2
    assert "--smoothing is for --model dawid-skene" in capsys.readouterr().err
    assert run(["latent", LABELS, "--model", "omega", "--resamples", "99"]) == 2
    assert (
        "--resamples is for --model dawid-skene" in capsys.readouterr().err
    )  # it leaves items out


def test_findings_name_options_and_not_arguments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "two.csv"
    path.write_text("id,A,B\n" + "".join(f"i{k},{k % 3},{(k // 2) % 3}\n" for k in range(30)))
    assert run(["latent", str(path), "-q", "--shape", "wide"]) == 0
    shown = capsys.readouterr().out
    assert "use --model one-coin" in " ".join(shown.split())
    assert "the model gives it to no item" in " ".join(shown.split())
    path.write_text(
        "id,A,B,C\n" + "".join(f"i{k},{k % 2},{k % 2},{k % 5 // 4}\n" for k in range(20))
    )
    assert run(["latent", str(path), "-q", "--model", "lca", "--shape", "wide", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    said = " ".join(one["message"] for one in record["findings"])
    assert "--resamples 999" in said
    assert "n_resamples" not in said


def test_sensitivity_is_about_the_label_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = cs.simulate.simulate(n_items=200, n_raters=4, categories=[0, 1], accuracy=0.9, rng=1)
    path = tmp_path / "binary.csv"
    entries = entries_of("the test", study.ratings)
    lines = zip(entries.item.tolist(), entries.rater.tolist(), entries.label.tolist(), strict=True)
    path.write_text("item,rater,label\n" + "".join(f"i{i},r{r},{k}\n" for i, r, k in lines))
    assert run(["latent", str(path), "--model", "lca", "--positive", "0", "--json", "-q"]) == 0
    (model,) = json.loads(capsys.readouterr().out)["models"]
    assert str(model["positive"]) == "0"
