"""What every screen shows, and that exports equal the command line's byte for byte."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import pytest

from consilience.cli.program import run
from consilience.web.screens.file import options_of_roles
from workbench import EXAMPLES, Running

LAYOUTS = {
    "labels.csv": "Wide table: 3 raters rated 12 items",
    "essays_wide.csv": "Wide table: 3 raters rated 30 items",
    "headlines_long.csv": "Long table: 3 raters rated 24 items on 2 questions",
    "panel_transposed.csv": "Table with a row per rater: 3 raters rated 6 items",
    "tweets_counts.csv": "Table of counts: 5 raters rated 20 items",
    "reviewers_table.csv": "Cross-table of two raters: 2 raters rated 100 items",
}


def example(server: Running, name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(EXAMPLES)
    return server.opened(name)


@pytest.mark.parametrize("name", LAYOUTS)
def test_each_layout_is_named_wronged_and_put_right(
    server: Running, name: str, monkeypatch
) -> None:
    state = example(server, name, monkeypatch)
    assert LAYOUTS[name] in server.page(f"{state}/file").words
    first = server.data(f"{state}/answer.json")
    roles = server.data(f"{state}/file.json")["roles"]
    last = max(j for j, role in enumerate(roles) if role not in ("ignore", "variable"))
    clicked = {f"role-{j}": role for j, role in enumerate(roles)} | {f"role-{last}": "ignore"}
    wrong = server.post(f"{state}/file", **clicked).place
    other = server.page(wrong.replace("/file", "/answer.json"))
    assert "<html" in other.text or json.loads(other.text)["data"] != first["data"]
    right = server.post(wrong, reset="1").place.removesuffix("/file")
    assert server.data(f"{right}/answer.json") == first


def test_a_column_is_wronged_and_put_right(server: Running, monkeypatch) -> None:
    state = example(server, "labels.csv", monkeypatch)
    first = server.data(f"{state}/answer.json")["estimates"]
    roles = {f"role-{j}": role for j, role in enumerate(("item", "rater", "rater", "rater"))}
    wrong = server.post(f"{state}/file", **{**roles, "role-3": "ignore"}).place
    other = wrong.removesuffix("/file")
    page = server.page(wrong)
    assert "--rater ann --rater bob" in page.words
    assert server.data(f"{other}/answer.json")["estimates"] != first
    right = server.post(wrong, **roles).place.removesuffix("/file")
    assert server.data(f"{right}/answer.json")["estimates"] == first
    assert server.data(f"{state}/answer.json")["estimates"] == first  # Back shows what was there


def test_another_reading_is_one_click(server: Running, monkeypatch) -> None:
    state = example(server, "labels.csv", monkeypatch)
    cards = server.data(f"{state}/file.json")["cards"]
    assert all(card["gives"] for card in cards)
    chosen = server.post(f"{state}/file", card="0").place
    assert shlex.join(server.page(chosen).command).startswith("consilience measure")
    assert server.data(chosen + ".json")["reading"] == cards[0]["options"]


def test_a_refused_file_opens_where_it_is_put_right(server: Running, tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    rows = [f"{i},{who},{'yn'[(i + k) % 2]}" for i in range(6) for k, who in enumerate("AB")]
    path.write_text("item,rater,label\n" + "\n".join([*rows, "0,A,n"]) + "\n")
    state = server.opened(path)
    assert server.get(f"{state}/answer").place == f"{state}/file"
    page = server.page(f"{state}/file")
    assert "twice.csv" in page.words
    assert server.bench.store.state(state[3:]).file.path not in page.text
    assert "line" in page.words
    assert re.search(r"… line 14: 0 A n", page.words)  # the row itself, though it is not the first
    cards = server.data(f"{state}/file.json")["cards"]
    k = next(k for k, card in enumerate(cards) if card["options"].get("duplicates") == "first")
    fixed = server.post(f"{state}/file", card=str(k)).place
    assert "--duplicates first" in server.page(fixed).words
    assert server.page(fixed.replace("/file", "/answer")).status == 200


def test_an_ambiguous_file_shows_no_number(server: Running, tmp_path: Path) -> None:
    path = tmp_path / "grid.csv"
    path.write_text("a,b,c\n1,2,1\n2,2,1\n1,1,2\n")
    state = server.opened(path)
    assert server.get(f"{state}/answer").place == f"{state}/file"
    page = server.page(f"{state}/file")
    assert "alpha" not in page.words.lower()
    assert len(server.data(f"{state}/file.json")["cards"]) >= 2
    chosen = server.post(f"{state}/file", card="0").place
    assert server.page(chosen.replace("/file", "/answer")).status == 200


def test_scale_order_and_missing_marks_by_clicking(server: Running, monkeypatch) -> None:
    state = example(server, "labels.csv", monkeypatch)
    ordered = server.post(f"{state}/file", question="0", scale="ordinal").place
    moved = server.post(ordered, question="0", down="0").place
    command = server.page(moved).command
    assert command[-4:] == ["--scale", "ordinal", "--categories", "neutral,negative,positive"]
    dragged = server.post(ordered, question="0", order="2,1,0").place
    assert "positive,neutral,negative" in server.page(dragged).command
    gone = server.post(f"{state}/file", question="0", missing="1").place
    assert "--missing-value neutral" in server.page(gone).words
    marked = server.post(f"{state}/file", mark="n/a").place
    assert "--missing-value n/a" in server.page(marked).words
    assert server.post(marked, reset="1").place != marked


def test_two_questions_are_answered_without_an_option(server: Running, monkeypatch) -> None:
    state = example(server, "headlines_long.csv", monkeypatch)
    page = server.page(f"{state}/answer")
    assert "1 of 2 variables is clearly too low" in page.words
    assert 'href="?q=0"' in page.text
    one = server.page(f"{state}/answer?q=1")
    assert "All questions" in one.words
    assert one.command[-2:] == ["--variable", "topic"]


def test_hidden_names_stay_hidden(server: Running, monkeypatch) -> None:
    state = example(server, "labels.csv", monkeypatch)
    hidden = server.post(f"{state}/file", anonymise="yes").place.removesuffix("/file")
    pages = ("/file", "/file.json", "/answer", "/answer?tab=raters", "/items", "/items.csv",
             "/export/page.html")  # fmt: skip
    for path in pages:
        words = server.page(hidden + path).words
        assert not re.search(r"\b(ann|bob|eve)\b", words), path
    assert "R1" in server.page(f"{hidden}/items").words


# -------------------------------------------------------------------- items


def test_a_cell_of_the_matrix_shows_exactly_its_items(server: Running, monkeypatch) -> None:
    state = example(server, "labels.csv", monkeypatch)
    rows = [line.split(",") for line in (EXAMPLES / "labels.csv").read_text().splitlines()[1:]]
    both = {r[0] for r in rows if {"negative", "neutral"} <= set(r[1:])}
    found = server.data(f"{state}/items.json?cell=0-1")
    assert {one["item"] for one in found["items"]} == both
    page = server.page(f"{state}/answer?tab=labels")
    link = re.search(r'items\?cell=1-0"[^>]*>(\d+)<', page.text)
    assert link is not None
    assert int(link[1]) == len(both) == found["n"]
    alone = {r[0] for r in rows if r[1] and r[1] not in r[2:]}
    assert {one["item"] for one in server.data(f"{state}/items.json?rater=0")["items"]} == alone
    used = {r[0] for r in rows if "neutral" in r[1:]}
    assert {one["item"] for one in server.data(f"{state}/items.json?label=1")["items"]} == used
    full = {r[0] for r in rows if len(set(r[1:]) - {""}) == 1}
    agreed = server.data(f"{state}/items.json?agreement=1.0-1.0")["items"]
    assert {one["item"] for one in agreed} == full


def test_a_cell_of_two_raters_is_their_cross_table(server: Running, monkeypatch) -> None:
    state = example(server, "labels.csv", monkeypatch)
    wrong = server.post(
        f"{state}/file",
        **{"role-0": "item", "role-1": "rater", "role-2": "rater", "role-3": "ignore"},
    ).place.removesuffix("/file")
    rows = [line.split(",") for line in (EXAMPLES / "labels.csv").read_text().splitlines()[1:]]
    wanted = {r[0] for r in rows if (r[1], r[2]) == ("neutral", "positive")}
    found = server.data(f"{wrong}/items.json?cell=1-2")["items"]
    assert {one["item"] for one in found} == wanted


@pytest.mark.parametrize("asked", ["cell=9-9", "cell=x", "label=-1", "rater=99", "agreement=x-y"])
def test_a_filter_that_is_none_is_a_sentence(server: Running, asked: str, monkeypatch) -> None:
    state = example(server, "labels.csv", monkeypatch)
    answer = server.page(f"{state}/items?{asked}")
    assert answer.status == 422
    assert "the filter must be" in answer.words


# -------------------------------------------------------------------- export

READINGS = {
    "labels.csv": [{"question": "0", "scale": "ordinal"}],
    "headlines_long.csv": [{}],
}


@pytest.mark.parametrize(
    ("name", "click"), [(name, click) for name, clicks in READINGS.items() for click in clicks]
)
def test_the_page_is_that_of_the_command(
    server: Running, name: str, click: dict[str, str], tmp_path: Path, monkeypatch
) -> None:
    state = example(server, name, monkeypatch)
    if click:
        state = server.post(f"{state}/file", **click).place.removesuffix("/file")
    command = server.page(f"{state}/export").command
    page = server.page(f"{state}/export/page.html")
    assert page.headers["content-disposition"].startswith("attachment")
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes((EXAMPLES / name).read_bytes())
    assert run(command[1:]) == 0
    assert (tmp_path / name).with_suffix(".html").read_bytes() == page.body


def test_options_give_the_page_of_their_command(
    server: Running, tmp_path: Path, monkeypatch
) -> None:
    state = example(server, "essays_wide.csv", monkeypatch)
    scaled = server.post(f"{state}/file", question="0", scale="ordinal").place.removesuffix("/file")
    changed = server.post(
        f"{scaled}/options", coefficient="krippendorff_alpha", distance="linear",
        interval="auto", confidence_level="0.9",
    ).place.removesuffix("/answer")  # fmt: skip
    command = server.page(f"{changed}/answer").command
    assert command[2:] == shlex.split(
        "essays_wide.csv --coefficient krippendorff_alpha --distance linear "
        "--confidence-level 0.9 --scale ordinal"
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "essays_wide.csv").write_bytes((EXAMPLES / "essays_wide.csv").read_bytes())
    assert run(command[1:]) == 0
    made = server.page(f"{changed}/export/page.html").body
    assert (tmp_path / "essays_wide.html").read_bytes() == made


def test_an_upload_gives_the_same_page_as_the_file(
    server: Running, tmp_path: Path, monkeypatch
) -> None:
    content = (EXAMPLES / "labels.csv").read_bytes()
    state = server.upload("labels.csv", content).place.removesuffix("/file")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_bytes(content)
    assert run(["report", "labels.csv"]) == 0
    page = server.page(f"{state}/export/page.html")
    assert (tmp_path / "labels.html").read_bytes() == page.body
    assert os.fspath(server.bench.scratch.path) not in page.text


def test_everything_else_can_be_taken_away(server: Running, monkeypatch) -> None:
    state = example(server, "labels.csv", monkeypatch)
    for name in ("numbers.json", "numbers.csv", "table.tex", "table.md", "sentence.txt"):
        assert server.page(f"{state}/export/{name}").status == 200
    assert "r01" in server.page(f"{state}/export/items.csv").text
    assert server.page(f"{state}/export/figure/coefficients.svg").body.startswith(b"<?xml")
    assert server.page(f"{state}/export/figure/nothing.svg").status == 422
    assert json.loads(server.page(f"{state}/export/numbers.json").text)["schema"] == "consilience/1"


# -------------------------------------------------------------------- adjudication


def test_decisions_become_the_labels_of_the_command(
    server: Running, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_bytes((EXAMPLES / "labels.csv").read_bytes())
    state = server.opened("labels.csv")
    first = server.page(f"{state}/adjudicate")
    assert "0 of 5 contested items decided" in first.words
    assert "Raters:" not in first.words  # hidden until decided
    assert "suggests" not in first.words
    assert "suggests" in server.page(f"{state}/adjudicate?suggest=1").words
    for k in range(5):
        server.post(f"{state}/adjudicate", place=str(k), label=str(k % 3), nonce=f"n{k}")
    server.post(f"{state}/adjudicate", place="0", label="2", nonce="n0")  # sent again: no change
    assert "Every contested item is decided" in server.page(f"{state}/adjudicate").words
    assert "Raters:" in server.page(f"{state}/adjudicate").words
    server.post(f"{state}/adjudicate", undo="1", nonce="u1")
    assert "4 of 5" in server.page(f"{state}/adjudicate").words
    server.post(f"{state}/adjudicate", place="4", label="0", nonce="n9")
    assert "0 of 5" in server.page(f"{state}/adjudicate?who=Bea").words
    sheet = server.page(f"{state}/adjudicate/sheet.csv").body
    (tmp_path / "sheet.csv").write_bytes(sheet)
    command = server.page(f"{state}/adjudicate").command
    assert run([*command[1:], "-q"]) == 0
    assert (tmp_path / "final.csv").read_bytes() == (
        server.page(f"{state}/adjudicate/final.csv").body
    )
    assert (tmp_path / "labels.csv").read_bytes() == (EXAMPLES / "labels.csv").read_bytes()


def test_two_tabs_are_apart(server: Running, monkeypatch) -> None:
    first = example(server, "labels.csv", monkeypatch)
    second = server.opened("labels.csv")
    server.post(f"{first}/file", question="0", scale="ordinal")
    assert "--scale" not in server.page(f"{second}/file").command
    assert server.get("/r/" + "x" * 22 + "/answer").status == 404


def test_parts_of_columns_say_the_layout() -> None:
    columns = {"rater": ["judge"], "item": ["w1", "w2"]}
    assert options_of_roles(columns)["shape"] == "transposed"
    assert options_of_roles({"item": ["t"], "count": ["a", "b"]}) == {
        "shape": "counts", "item": ("t",), "categories": ("a", "b"),
    }  # fmt: skip


def test_the_demo_is_a_file_like_any_other(server: Running) -> None:
    state = server.post("/demo").place
    assert "160 items" in server.page(state).words
    assert "letters.csv" in server.page("/").words
