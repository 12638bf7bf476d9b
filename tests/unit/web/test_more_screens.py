"""Two rounds, systems against people, units, a file that grows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from consilience.cli.program import run
from consilience.web import Settings
from consilience.web.screens import live as live_screen
from patience import PATIENCE
from workbench import EXAMPLES, FORM, Running, multipart, running


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
    assert run([*page.command[1:], "-q"]) == 0
    assert Path("rounds.html").read_bytes() == server.page(f"{made}?download=1").body
    other = server.post_form(f"{state}/rounds", open=server.opened("second.csv")[3:])
    assert server.page(other.place).status == 200


def test_a_margin_is_typed_before_numbers_appear(
    server: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("verdicts_long.csv").write_bytes((EXAMPLES / "verdicts_long.csv").read_bytes())
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
    assert run([*page.command[1:], "-q"]) in (0, 1)
    assert Path("panel.html").read_bytes() == server.page(f"{made}?download=1").body


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
    made = server.page(f"{state}/units?threshold={threshold}&download=1").body
    monkeypatch.chdir(tmp_path)
    Path("gestures.csv").write_bytes((EXAMPLES / "gestures.csv").read_bytes())
    assert run([*page.command[1:], "-q"]) == 0
    assert Path("units.html").read_bytes() == made


ROWS = [f"i{k},{'yn'[k % 2]},{'yn'[k % 2 if k % 5 else 0]}" for k in range(40)]


def write_file(path: Path, n: int) -> Path:
    path = path.with_suffix(".csv")
    path.write_text("item,Ann,Bob\n" + "\n".join(ROWS[:n]) + "\n")
    return path


def write_folder(path: Path, n: int) -> Path:
    """One file a rater, as people send them in."""
    path.mkdir(exist_ok=True)
    for k, who in enumerate(("Ann", "Bob"), start=1):
        rows = [f"{row.split(',')[0]},{row.split(',')[k]}" for row in ROWS[:n]]
        (path / f"{who}.csv").write_text("item,label\n" + "\n".join(rows) + "\n")
    return path


def write_database(path: Path, n: int) -> Path:
    """A table that another program holds open, so that some of it lies beside the database."""
    import duckdb

    path = path.with_suffix(".duckdb")
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE IF NOT EXISTS codes (item TEXT, rater TEXT, label TEXT)")
        have = database.execute("SELECT count(*) // 2 FROM codes").fetchone()[0]
        for item, *said in (row.split(",") for row in ROWS[have:n]):
            for who, label in zip(("Ann", "Bob"), said, strict=True):
                database.execute("INSERT INTO codes VALUES (?, ?, ?)", [item, who, label])
    return path


@pytest.fixture(scope="module")
def watching() -> Iterator[Running]:
    with running(Settings(patience=PATIENCE, seconds=PATIENCE, watch=True)) as found:
        yield found


@pytest.mark.parametrize("write", [write_file, write_folder, write_database])
def test_what_grows_moves_only_on_a_click(
    watching: Running, tmp_path: Path, write: Callable[[Path, int], Path]
) -> None:
    path = write(tmp_path / "growing", 30)
    state = watching.opened(path)
    before = watching.page(f"{state}/answer.json").text
    assert watching.data(f"{state}/news") == {"text": ""}
    write(tmp_path / "growing", 40)
    assert re.fullmatch(r"20 new ratings at \d\d:\d\d", watching.data(f"{state}/news")["text"])
    assert watching.page(f"{state}/answer.json").text == before
    assert "30 items" in watching.page(f"{state}/items").words  # read after the change
    made = watching.post(f"{state}/live").place
    page = watching.page(made)
    assert "You have looked 2 times" in page.words
    assert "99.2%" in page.words  # 1 - 0.05 / (2 * 3)
    assert "more items" in page.words or "narrower" in page.words
    assert watching.data(made.replace("/live", "/news")) == {"text": ""}
    if write is write_file:
        answer = watching.page(made.replace("/live", "/answer"))
        assert "You have looked at this file 2 times" in answer.words
    assert watching.page(f"{state}/answer.json").text == before


def test_every_look_counts_however_many_are_shown(
    watching: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_screen, "_MOST_LOOKS", 2)
    state = watching.opened(write_file(tmp_path / "growing", 20))
    for n in (25, 30, 35):
        write_file(tmp_path / "growing", n)
        state = watching.post(f"{state}/live").place.removesuffix("/live")
    page = watching.page(f"{state}/live")
    assert "You have looked 4 times" in page.words
    assert "99.8%" in page.words  # 1 - 0.05 / (4 * 5)
    assert len(re.findall(r'<tr><td class="text">\d+</td>', page.text)) == 2


def test_live_and_over_time_show_what_was_chosen(watching: Running, tmp_path: Path) -> None:
    path = tmp_path / "timed.csv"
    rows = [f"i{k},{1 + k % 5},{1 + (k + (k % 3 == 0)) % 5},2026-01-{1 + k % 28:02d}"
            for k in range(60)]  # fmt: skip
    path.write_text("item,Ann,Bob,rated on\n" + "\n".join(rows) + "\n")
    state = watching.opened(path)
    read = watching.post(f"{state}/file", question="0", scale="interval").place
    state = read.removesuffix("/file")
    told = {"coefficient": "cohen_kappa", "distance": "nominal"}
    state = watching.post(f"{state}/options", **told).place.removesuffix("/answer")
    answer = watching.data(f"{state}/answer.json")["estimates"]
    value = next(one["value"] for one in answer if one["coefficient"] == "cohen_kappa")
    page = watching.page(f"{state}/live")
    assert f"Cohen's kappa interval level 1 {watching_time(page.words)} 60 120 {value:.3f}" in (
        page.words.replace("look at items ratings ", "")
    )
    assert "chi-square" in page.words  # parts of the time are compared by the test for batches
    assert "Krippendorff" not in page.words.partition("By rated on")[2]


def watching_time(words: str) -> str:
    return re.findall(r"\d\d:\d\d", words)[0]


def test_a_time_column_has_a_chip_and_a_band(server: Running, tmp_path: Path) -> None:
    path = tmp_path / "timed.csv"
    rows = [f"{row},2026-01-{1 + k % 28:02d}" for k, row in enumerate(ROWS)]
    path.write_text("item,Ann,Bob,rated on\n" + "\n".join(rows) + "\n")
    state = server.opened(path)
    assert server.data(f"{state}/file.json")["roles"] == ["item", "rater", "rater", "time"]
    page = server.page(f"{state}/live")
    assert "Agreement over time" in page.words
    assert "By rated on" in page.words
    assert "2 batches" in page.words  # of 40 items, 20 each
    other = {"role-0": "item", "role-1": "rater", "role-2": "rater", "role-3": "ignore"}
    made = server.post(f"{state}/file", **other).place
    assert 'class="chip ignore"' in server.page(made).text
    assert "By rated on" not in server.page(made.replace("/file", "/live")).words
