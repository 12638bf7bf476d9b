"""Two rounds, systems against people, units, a file that grows."""

from __future__ import annotations

import json
import re
import shlex
from html import unescape
from pathlib import Path

import pytest

from consilience.cli._main import run
from consilience.web import Settings
from workbench import EXAMPLES, FORM, Running, multipart, running


def words_of(page: str) -> list[str]:
    found = re.search(r'aria-label="The command">([^<]*)</pre>', page)
    assert found is not None
    return shlex.split(unescape(found[1]))


def test_two_rounds_show_the_difference_and_what_changed(
    server: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = (EXAMPLES / "labels.csv").read_text()
    (tmp_path / "labels.csv").write_text(first)
    second = first.replace("r03,neutral,positive,neutral", "r03,neutral,neutral,neutral")
    (tmp_path / "second.csv").write_text(second)
    state = server.opened("labels.csv")
    assert "Drop the second file" in server.page(f"{state}/rounds").words
    sent = multipart("second.csv", second.encode())
    made = server.ask("POST", f"{state}/rounds", sent, headers=FORM).place
    page = server.page(made)
    assert "12 items in both rounds, 35 ratings by the same rater" in page.words
    assert "bob: positive → neutral" in page.words
    assert run([*words_of(page.text)[1:], "--json", "-o", "rounds.json"]) == 0
    told = json.loads((tmp_path / "rounds.json").read_text())
    assert f"{told['estimates'][1]['value']:.3f}"[1:] in page.words.replace("0.", ".")
    other = server.post_form(f"{state}/rounds", open=server.opened("second.csv")[3:])
    assert server.page(other.place).status == 200


def test_a_margin_is_typed_before_numbers_appear(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLES)
    state = server.opened("verdicts_long.csv")
    read = {"role-0": "item", "role-1": "rater", "role-2": "label", "role-3": "ignore"}
    state = server.post(f"{state}/file", **read).place.removesuffix("/file")
    state = server.post(f"{state}/file", mark="refused").place.removesuffix("/file")
    state = server.post(f"{state}/file", question="0", scale="ordinal").place.removesuffix("/file")
    first = server.page(f"{state}/panel")
    assert "Who is a system?" in first.words
    assert "kappa" not in first.words
    names = re.findall(r'name="system" value="\d+"> ([^<]+)<', first.text)
    gpt = str(names.index("gpt"))
    assert server.post(f"{state}/panel", system=gpt).status == 400
    assert server.post(f"{state}/panel", system=gpt, margin="2").status == 400
    made = server.post(f"{state}/panel", system=gpt, margin="0,05").place
    page = server.page(made)
    assert page.status == 200
    assert "--system gpt" in page.words
    assert "--margin 0.05" in page.words
    assert "gpt" in page.words.split("Who is a system?")[0]


@pytest.mark.parametrize("threshold", [60, 80])
def test_the_threshold_is_that_of_the_command(
    server: Running, tmp_path: Path, threshold: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLES)
    state = server.opened("gestures.csv")
    assert server.get(f"{state}/answer").place == f"{state}/file"
    assert "Compare the units" in server.page(f"{state}/file").words
    found = server.data(f"{state}/units.json?threshold={threshold}")
    out = tmp_path / "units.json"
    assert (
        run(["units", "gestures.csv", "--threshold", str(threshold), "--json", "-o", str(out)]) == 0
    )
    values = [one["value"] for one in json.loads(out.read_text())["estimates"]]
    assert found["value"] in values
    page = server.page(f"{state}/units?threshold={threshold}")
    assert f"--threshold {threshold}" in page.words
    assert page.text.count('class="bar ') == len(found["lanes"]["bars"])
    assert "media-src blob:" in page.headers["content-security-policy"]


def test_a_file_that_grows_moves_only_on_a_click(tmp_path: Path) -> None:
    path = tmp_path / "growing.csv"
    rows = [f"i{k},{'yn'[k % 2]},{'yn'[k % 2 if k % 5 else 0]}" for k in range(40)]
    path.write_text("item,Ann,Bob\n" + "\n".join(rows[:30]) + "\n")
    with running(Settings(patience=60, watch=True)) as server:
        state = server.opened(path)
        before = server.page(f"{state}/answer.json").text
        assert server.data(f"{state}/news") == {"text": ""}
        with path.open("a") as stream:
            stream.write("\n".join(rows[30:]) + "\n")
        assert re.fullmatch(r"20 new ratings at \d\d:\d\d", server.data(f"{state}/news")["text"])
        assert server.page(f"{state}/answer.json").text == before
        assert "30 items" in server.page(f"{state}/items").words
        made = server.post(f"{state}/live").place
        page = server.page(made)
        assert "You have looked 2 times" in page.words
        assert "99.2%" in page.words  # 1 - 0.05 / (2 * 3)
        assert "more items" in page.words or "narrower" in page.words
        assert server.data(made.replace("/live", "/news")) == {"text": ""}
        assert server.page(f"{state}/answer.json").text == before
