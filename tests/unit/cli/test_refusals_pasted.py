"""What a refusal prints is pasted to the letter; what flags say is done to the letter."""

from __future__ import annotations

import json
import re
import shlex

import pytest

import consilience as cs
import needed
from consilience.cli.program import run
from consilience.cli.words import flag
from consilience.exceptions import InputError
from lookalikes import written

pd = needed.package("pandas")

STORIES = "story,Smith,Jones\n4,3,4\n2,2,2\n1,1,1\n5,4,5\n3,3,3\n"
CODES = "item,Ann,Bob\n" + "".join(
    f"{k},{a},{b}\n" for k, (a, b) in enumerate([("NA", "NA"), ("EU", "SA"), ("SA", "SA"),
                                                 ("EU", "EU"), ("NA", "EU"), ("SA", "SA"),
                                                 ("EU", "EU"), ("NA", "NA")], 1)
)  # fmt: skip
TWICE = "item,rater,label\n1,Ann,x\n1,Ann,y\n1,Bob,x\n2,Ann,y\n2,Bob,x\n3,Ann,x\n3,Bob,x\n"
NESTED = json.dumps({a: {"u": 1, "v": 2, "w": 1} for a in "pqr"})
REFUSED = {
    "layout": ("f.csv", STORIES, 3),
    "missing marks": ("m.csv", CODES, 2),
    "duplicates": ("d.csv", TWICE, 3),
    "json": ("n.json", NESTED, 2),
}
LINE = re.compile(r"^ +(consilience .*)$", re.MULTILINE)


def pasted(text):
    return [shlex.split(line)[1:] for line in LINE.findall(text)]


@pytest.mark.parametrize("command", ["measure", "report", "raters"])
@pytest.mark.parametrize("kind", REFUSED)
def test_every_line_works_with_the_command_that_was_typed(
    kind, command, tmp_path, capsys, monkeypatch
):
    name, text, least = REFUSED[kind]
    monkeypatch.chdir(tmp_path)
    written(tmp_path, name, text)
    assert run([command, name, "--scale", "nominal", "--anonymise"]) == 3
    lines = pasted(capsys.readouterr().err)
    assert len(lines) >= least
    codes = []
    for line in lines:
        assert line[:2] == [command, name]
        assert line.count("--scale") == line.count("--anonymise") == 1
        more = ["--force"] if command == "report" else []
        codes.append(run([*line, *more]))
    capsys.readouterr()
    assert codes.count(0) >= min(2, least)
    assert 2 not in codes  # never wrong usage


def test_no_header_is_kept_in_what_is_offered(tmp_path, capsys):
    path = str(written(tmp_path, "h.csv", "1,2\n1,2\n2,1\n1,1\n2,2\n2,2\n1,2\n"))
    assert run(["measure", path, "--no-header"]) == 3
    for line in pasted(capsys.readouterr().err):
        assert "--no-header" in line
        run([*line, "--json", "-q"])
        assert json.loads(capsys.readouterr().out)["data"]["ratings"] > 0


@pytest.mark.parametrize("kind", ["layout", "missing marks", "duplicates"])
def test_every_call_works_for_a_frame(kind, tmp_path):
    name, text, least = REFUSED[kind]
    frame = pd.read_csv(written(tmp_path, name, text), keep_default_na=False)
    with pytest.raises(InputError) as refused:
        cs.read(frame)
    calls = re.findall(r"^ +(cs\.(?:read|load)\(.*\))$", str(refused.value), re.MULTILINE)
    assert len(calls) >= least
    for call in calls:
        eval(call, {"cs": cs, "frame": frame})


def test_a_refusal_is_explained_below_it(tmp_path, capsys):
    path = str(written(tmp_path, "f.csv", STORIES))
    assert run(["measure", path, "--explain"]) == 3
    shown = capsys.readouterr()
    assert "A  item story; 2 raters Smith, Jones" in shown.err
    assert "--explain" not in shown.err
    for words in ("Profile of 3 columns in 5 rows", "evidence, in nats", "all together"):
        assert words in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    with pytest.raises(InputError) as refused:
        cs.load(path)
    assert refused.value.explain().text() in shown.out
    assert "columns share their values" in str(refused.value.explain().text())


@pytest.mark.parametrize("kind", REFUSED)
def test_every_refusal_has_an_explanation(kind, tmp_path, capsys):
    name, text, _ = REFUSED[kind]
    path = str(written(tmp_path, name, text))
    assert run(["measure", path, "--explain"]) == 3
    shown = capsys.readouterr()
    assert shown.err.startswith("Error: ")
    assert "What was seen before it was refused" in shown.out


def test_a_reading_is_explained_with_its_rivals(tmp_path, capsys):
    rows = "".join(f"t{k},{'ab'[k % 2]},{'ab'[k % 3 % 2]}\n" for k in range(12))
    path = str(written(tmp_path, "w.csv", "item,Ann,Bob\n" + rows))
    assert run(["measure", path, "--explain"]) == 0
    shown = capsys.readouterr().out
    assert "--shape" in shown
    assert "Readings compared" in shown
    assert cs.load(path).reading.explain(flag).text().strip() == shown.strip()


TABLE = "x,a,b,c\n" + "".join(f"u{k},{k % 3},{k % 2},{(k + 1) % 3}\n" for k in range(12))
FORCED = {
    "wide": (["--shape", "wide", "--item", "x", "--rater", "a", "--rater", "b"], 12, 24),
    "counts": (["--shape", "counts", "--item", "x", "--categories", "a,b"], 12, 12 + 6),
    "transposed": (
        ["--shape", "transposed", "--rater", "x", "--item", "a", "--item", "b"], 2, 24,
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", FORCED)
def test_what_flags_say_is_done_to_the_letter(shape, tmp_path, capsys):
    flags, items, ratings = FORCED[shape]
    path = str(written(tmp_path, "t.csv", TABLE))
    assert run(["measure", path, *flags, "--json", "-q"]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert (data["items"], data["ratings"], data["shape"]) == (items, ratings, shape)


def test_a_long_table_by_its_columns(tmp_path, capsys):
    text = "a,b,c\n" + "".join(f"{k // 2},{k % 2},{k % 3}\n" for k in range(24))
    path = str(written(tmp_path, "l.csv", text))
    flags = ["--shape", "long", "--item", "a", "--rater", "b", "--label", "c"]
    assert run(["measure", path, *flags, "--json", "-q"]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert (data["items"], data["raters"], data["ratings"]) == (12, 2, 24)


def test_at_most_three_readings_are_shown_and_all_with_explain(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "f.csv", STORIES)
    with pytest.raises(InputError) as refused:
        cs.read("f.csv")
    n_offers = len(refused.value.offers)
    assert n_offers > 3
    assert run(["measure", "f.csv"]) == 3
    short = capsys.readouterr().err
    assert len(pasted(short)) == 3
    more = re.search(r"(\d+) more readings? would be possible: (consilience .*)", short)
    assert int(more[1]) == n_offers - 3
    assert run(shlex.split(more[2])[1:]) == 3
    assert len(pasted(capsys.readouterr().err)) == n_offers
