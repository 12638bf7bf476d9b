"""Models of the truth where the ratings lie give what they give in memory."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

import consilience as cs
from consilience import engine, latent
from consilience.cli.program import run
from consilience.engine.duckdb_engine import RatingFiles

SAME = 1e-9

MODELS = {
    "dawid-skene": lambda ratings: latent.dawid_skene(ratings, max_iterations=30),
    "one-coin": lambda ratings: latent.dawid_skene(ratings, model="one-coin", max_iterations=30),
    "mace": lambda ratings: latent.mace(ratings, n_starts=1, tolerance=1e-8, max_iterations=30),
}


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    rng = np.random.default_rng(1)
    n, raters, labels = 300, 12, "abc"
    truth, skill = rng.integers(0, 3, n), rng.uniform(0.3, 0.95, raters)
    lines = ["item,rater,label"]
    for i in range(n):
        for g in rng.choice(raters, rng.integers(1, 6), replace=False):
            code = truth[i] if rng.random() < skill[g] else rng.integers(0, 3)
            lines.append(f"item {i},rater {g},{labels[code]}")
    path = tmp_path_factory.mktemp("crowd") / "crowd.csv"
    path.write_text("\n".join(lines) + "\n")
    return path, cs.read(path)


@pytest.mark.parametrize("model", MODELS)
def test_posteriors_and_raters_are_those_of_memory(model, crowd, tmp_path, monkeypatch):
    monkeypatch.setattr(RatingFiles.parts, "__defaults__", (100,))  # several parts
    path, ratings = crowd
    memory = MODELS[model](ratings)
    labels = tmp_path / "labels.parquet"
    found = engine.truth_of_files(path, model=model, max_iterations=30, save_labels=labels)
    assert found.n_iterations == memory.n_iterations
    assert (found.n_items, found.n_ratings) == (memory.n_items, memory.n_ratings)
    assert found.log_likelihood == pytest.approx(memory.log_likelihood, abs=1e-7)
    for one in found.raters:
        assert one.accuracy == pytest.approx(memory.rater(one.rater).accuracy, abs=SAME)
    chances = ", ".join(f'"p {label}"' for label in memory.categories)
    rows = duckdb.sql(f"SELECT item, label, {chances} FROM '{labels}'").fetchall()
    place = {item: k for k, item in enumerate(memory.items)}
    assert len(rows) == memory.n_items
    for item, label, *posterior in rows:
        np.testing.assert_allclose(posterior, memory.posterior[place[item]], atol=SAME)
        assert label == memory.labels[place[item]]


def test_a_part_never_ends_within_an_item(tmp_path):
    item = np.repeat([0, 3, 4, 9], [3, 1, 250, 2]).astype(np.int32)
    item.tofile(tmp_path / "item")
    np.arange(item.size, dtype=np.int32).tofile(tmp_path / "cell")
    files = RatingFiles(tmp_path, item.size, 4, 1, 1)
    parts = list(files.parts(at_once=5))
    assert [one for items, _, _ in parts for one in items.tolist()] == [0, 3, 4, 9]
    assert sum(cell.size for *_, cell in parts) == item.size


def test_the_command_says_who_errs_and_writes_the_labels(crowd, tmp_path, capsys):
    path, _ = crowd
    target = tmp_path / "out.parquet"
    asked = ["latent", str(path), "--engine", "duckdb", "--model", "one-coin", "-q"]
    assert run([*asked, "--save-labels", str(target)]) == 0
    shown = capsys.readouterr().out
    assert "300 items, 12 raters" in shown
    assert target.exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--engine", "duckdb", "--model", "glad"], "--engine is for --model dawid-skene"),
        (["--save-labels", "x.parquet"], "--save-labels needs --engine"),
        (["--engine", "duckdb", "--resamples", "99"], "--resamples is not for --engine"),
    ],
)
def test_what_does_not_go_together_is_refused(more, said, crowd, capsys):
    assert run(["latent", str(crowd[0]), *more]) == 2
    assert said in capsys.readouterr().err
