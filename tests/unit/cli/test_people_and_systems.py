"""Who is a person and who a system: told, plain from the names, or refused with both readings."""

from __future__ import annotations

import json
import random
import re
import shlex
from pathlib import Path

import pytest

import consilience as cs
from consilience import panel
from consilience.cli.program import run
from consilience.exceptions import UndecidedError
from consilience.judges.people_and_systems import looks_like_standard, looks_like_system, sorted_out

PEOPLE = (
    "Ann", "Bob", "Cid", "Dora", "Eve Miller", "J. Smith", "coder1", "rater_7", "Zoë",
    "María", "annotator 3", "Robert", "Albert", "teacher", "tutor", "Hubert", "Claudia",
    "Max", "P12", "worker-88", "expert", "student", "Jonas", "nurse_2", "R1", "Anna-Lena",
    "王", "Олег"
)  # fmt: skip
MODELS = (
    "gpt-4o", "GPT4", "chatgpt", "claude-3-5-sonnet", "Claude", "gemini-1.5-pro",
    "llama3:8b", "Llama 3 70b", "mistral-large", "Mixtral_8x7b", "qwen2.5", "deepseek-r1",
    "command-r-plus", "bert", "roberta-large", "distilbert", "model_2", "my model", "llm",
    "LLM_judge", "judge-b", "judge 1", "auto", "auto_marker", "system", "system_b",
    "classifier", "prediction", "baseline", "falcon-7b", "v2", "tagger-v1.3", "o1",
    "o3-mini", "phi-3", "gemma:2b"
)  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_models_are_known_by_their_names(name: str) -> None:
    assert looks_like_system(name)


@pytest.mark.parametrize("name", [*PEOPLE, 1, 2, "1", "17", 3.5, ""])
def test_people_are_not_taken_for_models(name: object) -> None:
    assert not looks_like_system(name)
    assert not looks_like_standard(name)


@pytest.mark.parametrize("name", ["gold", "Gold standard", "majority", "ground_truth", "consensus"])
def test_a_standard_is_no_person(name: str) -> None:
    assert looks_like_standard(name)


def table(path: Path, names: list[str], seed: int, n: int = 40) -> Path:
    rng = random.Random(seed)
    lines = [",".join(["item", *names])]
    for k in range(n):
        truth = rng.choice("xyz")
        marks = [truth if rng.random() < 0.8 else rng.choice("xyz") for _ in names]
        lines.append(",".join([f"item-{k}", *marks]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("seed", range(12))
def test_models_left_over_are_refused_and_both_commands_can_be_pasted(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(seed)
    people = rng.sample(PEOPLE, rng.randint(2, 4))
    models = rng.sample(MODELS, rng.randint(2, 4))
    names = [*people, *models]
    rng.shuffle(names)
    path = table(tmp_path / "a file.csv", names, seed)
    quick = ("--shape", "wide", "--item", "item", "--method", "linearised")
    assert run(["panel", str(path), "--system", models[0], *quick]) == 2
    said = capsys.readouterr().err
    commands = [
        line.strip()
        for line in said.splitlines()
        if "consilience panel " in line and "--people" in line
    ]
    assert len(commands) == 2
    found = []
    for command in commands:
        words = shlex.split(command)
        assert words[:3] == ["consilience", "panel", str(path)]
        assert run([*words[1:], "--json", "--quiet"]) == 0
        found.append(json.loads(capsys.readouterr().out)["who"])
    assert set(found[0]["people"]) == set(people)
    assert set(found[0]["systems"]) == set(models)
    assert set(found[1]["people"]) == set(names) - {models[0]}
    assert found[1]["systems"] == [models[0]]


@pytest.mark.parametrize("seed", range(8))
def test_people_beside_a_system_need_no_option(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(seed)
    people = rng.sample(PEOPLE, rng.randint(2, 4))
    path = table(tmp_path / "t.csv", [*people, "gpt"], seed)
    told = ("--shape", "wide", "--item", "item", "--method", "linearised", "--quiet")
    page = tmp_path / "page.html"
    assert run(["panel", str(path), "-s", "gpt", *told, "--report", str(page)]) == 0
    shown = capsys.readouterr().out
    below_verdict = re.sub(r"\s+", " ", shown.split("\n\n")[1])
    assert below_verdict == f"Taken for people: {', '.join(people)}. Taken for systems: gpt."
    assert "Taken for people: " in page.read_text(encoding="utf-8")


def test_four_further_models_do_not_make_a_system_as_good_as_a_person() -> None:
    rng = random.Random(4)
    wide: dict[str, list[str]] = {name: [] for name in ("Ann", "Bob", "Cid")}
    models = ["gpt-4o", "claude-3", "gemini", "llama-3", "qwen"]
    wide |= {name: [] for name in models}
    for _ in range(200):
        truth, slip = rng.choice("abc"), rng.choice("abc")
        for name, given in wide.items():
            if name in models:  # they err together
                given.append(slip if rng.random() < 0.9 else rng.choice("abc"))
            else:
                given.append(truth if rng.random() < 0.9 else rng.choice("abc"))
    ratings = cs.Ratings.from_wide(wide)
    with pytest.raises(UndecidedError, match="people=\\['Ann', 'Bob', 'Cid'\\]"):
        panel.compare(ratings, systems="gpt-4o")
    with pytest.raises(UndecidedError):
        panel.alternative_annotator_test(ratings, system="gpt-4o")
    mixed = panel.compare(
        ratings, systems="gpt-4o", people=[n for n in wide if n != "gpt-4o"], method="linearised"
    )
    assert mixed["gpt-4o"].verdict == "as good as a person"
    right = panel.compare(ratings, systems=models, people="Ann,Bob,Cid", method="linearised")
    assert right["gpt-4o"].verdict == "not as good as a person"
    plain = panel.compare(ratings, people=["Ann", "Bob", "Cid"], method="linearised")
    assert [one.system for one in plain.systems] == models


def test_patterns_and_lists_name_raters() -> None:
    raters = ["Ann", "Bob", "gpt-a", "gpt-b", "x,y"]
    who = sorted_out(raters, systems="gpt*", people=["Ann,Bob", "x,y"])
    assert who.people == ("Ann", "Bob", "x,y")
    assert who.systems == ("gpt-a", "gpt-b")


def test_kin_of_a_system_that_is_named_are_not_taken_for_people() -> None:
    with pytest.raises(UndecidedError, match="called like a system"):
        sorted_out(["Ann", "Bob", "S1", "S2"], systems="S1")
    assert sorted_out(["R1", "R2", "R3"], systems="R3").people == ("R1", "R2")


def test_raters_from_the_file_of_a_system_are_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(1)
    for name, raters in (("people", ("Ann", "Bob")), ("machines", ("foo", "bar", "gpt"))):
        rows = [f"i{k},{rater},{rng.choice('ab')}" for k in range(40) for rater in raters]
        (tmp_path / f"{name}.csv").write_text("item,rater,label\n" + "\n".join(rows) + "\n")
    paths = [str(tmp_path / "people.csv"), str(tmp_path / "machines.csv")]
    assert run(["panel", *paths, "--system", "gpt", "--quiet"]) == 2
    assert "foo, bar (each comes from another file)" in capsys.readouterr().err
    everybody = ("gpt", "foo", "bar")
    told = [word for name in everybody for word in ("--system", name)]
    assert run(["panel", *paths, *told, "--quiet", "--method", "linearised"]) == 0


def test_gold_is_an_ordinary_rater_when_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table(tmp_path / "g.csv", ["Ann", "Bob", "gold", "gpt"], 3)
    told = ("--people", "Ann", "--people", "gold", "--system", "gpt", "--json", "--quiet")
    assert run(["panel", str(path), *told, "--method", "linearised"]) == 0
    who = json.loads(capsys.readouterr().out)["who"]
    assert who == {"people": ["Ann", "gold"], "systems": ["gpt"], "left_out": ["Bob"]}


def test_columns_of_another_kind_are_no_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(2)
    rows = [
        f"q{k:03},{rng.randint(20, 900)},{rng.randint(0, 1)},{rng.randint(0, 1)}" for k in range(60)
    ]
    path = tmp_path / "e.csv"
    path.write_text("example_id,response_tokens,judge_passed,human_passed\n" + "\n".join(rows))
    told = ("--shape", "wide", "--item", "example_id", "--quiet")
    columns = ("response_tokens", "judge_passed", "human_passed")
    named = [word for name in columns for word in ("--rater", name)]
    assert run(["panel", str(path), *told, *named, "--system", "judge_passed"]) == 2
    assert "response_tokens (each holds labels of another kind" in capsys.readouterr().err
    told = (*told, "--system", "judge_passed", "--json")
    for people in ((), ("--people", "human_passed")):
        assert run(["panel", str(path), *told, *people, "--method", "linearised"]) == 0
        record = json.loads(capsys.readouterr().out)
        assert record["who"]["people"] == ["human_passed"]
        assert record["data"]["categories"] == [0, 1]


def test_anonymised_people_are_sorted_by_their_own_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table(tmp_path / "t.csv", ["Ann", "Bob", "gpt", "claude-3"], 5)
    told = ("--shape", "wide", "--item", "item", "--anonymise", "--quiet")
    assert run(["panel", str(path), *told, "--system", "gpt"]) == 2
    capsys.readouterr()
    both = ("--system", "gpt", "--people", "Ann,Bob", "--method", "linearised", "--json")
    assert run(["panel", str(path), *told, *both]) == 0
    who = json.loads(capsys.readouterr().out)["who"]
    assert who["systems"] == ["gpt"]
    assert len(who["people"]) == 2
    assert not {"Ann", "Bob"} & set(who["people"])


def test_an_expert_who_is_named_is_a_rater_where_nobody_else_is_in_doubt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["Ann", "Bob", "Cem", "gold"]
    path = str(table(tmp_path / "named.csv", names, seed=5))
    assert run(["raters", path, "--expert", "gold", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    every = [word for name in names for word in ("--rater", name)]
    told = ["--shape", "wide", "--item", "item", *every]
    assert run(["raters", path, "--expert", "gold", "--json", *told]) == 0
    assert found["expert"] == json.loads(capsys.readouterr().out)["expert"]
    assert run(["raters", path, "--expert", "Ann"]) != 0  # whether gold is a rater is still open
    assert "4 raters Ann, Bob, Cem, gold" in capsys.readouterr().err


def test_people_who_are_named_are_raters_and_only_the_systems_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["tutor", "emma10", "emma50", "emma627"]
    path = str(table(tmp_path / "settings.csv", names, seed=5))
    assert run(["panel", path, "--people", "tutor"]) != 0
    said = capsys.readouterr().err
    assert "--people tutor --system emma10 --system emma50 --system emma627" in said
    assert "layout" not in said
