"""Large files: through the engine, items as a sample, a way out where something takes too long.

What is large is set low here; `python -m tests.browser.large` tries a million ratings.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.cli.program import run
from consilience.web import Settings
from consilience.web.jobs import Jobs
from patience import PATIENCE
from workbench import Running, running

ITEMS, SAMPLED = 300, 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A long file of three raters, and the same in wide form."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, ITEMS)
    said = np.where(rng.random((3, ITEMS)) < 0.7, truth, rng.integers(0, 3, (3, ITEMS)))
    words = np.array(["no", "perhaps", "yes"])[said]
    rows = [f"item {i},{who},{words[g, i]}" for i in range(ITEMS)
            for g, who in enumerate(("Cid", "Ann", "Bob"))]  # fmt: skip
    place = tmp_path_factory.mktemp("large")
    (place / "crowd.csv").write_text("item,rater,label\n" + "\n".join(rows) + "\n")
    wide = [f"item {i},{','.join(words[:, i])}" for i in range(ITEMS)]
    (place / "wide.csv").write_text("item,Cid,Ann,Bob\n" + "\n".join(wide) + "\n")
    return place


@pytest.fixture(scope="module")
def large() -> Iterator[Running]:
    limits = {"large_ratings": 500, "sampled_items": SAMPLED}
    with running(Settings(patience=PATIENCE, seconds=PATIENCE, **limits)) as found:
        yield found


@pytest.mark.parametrize("name", ["crowd.csv", "wide.csv"])
def test_the_answer_is_that_of_the_whole_file(
    large: Running, folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    state = large.opened(name)
    found = {one["coefficient"]: one for one in large.data(f"{state}/answer.json")["estimates"]}
    alpha = cs.krippendorff_alpha(cs.read(name))
    assert found["krippendorff_alpha"]["value"] == pytest.approx(alpha.value, abs=1e-12)
    page = large.page(f"{state}/answer?tab=labels")
    assert "A large file." in page.words
    command = page.command
    engine = ["--engine", "duckdb"] if name == "crowd.csv" else []  # a wide table is not reduced
    assert command == ["consilience", "report", name, *engine]
    assert run([*command[1:], "-q", "--force"]) == 0
    made = Path(name).with_suffix(".html").read_bytes()
    assert made == large.page(f"{state}/export/page.html").body


def test_items_are_a_sample_and_say_so(large: Running, folder: Path) -> None:
    state = large.opened(folder / "crowd.csv")
    page = large.page(f"{state}/items")
    assert f"A sample. The file has {ITEMS} items; {SAMPLED} of them were drawn" in page.words
    rows = large.data(f"{state}/items.json")["items"]
    assert len(rows) == SAMPLED
    assert rows == large.data(f"{state}/items.json")["items"]  # the same ones every time
    codes = {"no": "0", "perhaps": "1", "yes": "2"}
    for label, code in codes.items():
        wanted = {one["item"] for one in rows if label in (one["Ann"], one["Bob"], one["Cid"])}
        found = large.data(f"{state}/items.json?label={code}")["items"]
        assert {one["item"] for one in found} == wanted
    alone = {one["item"] for one in rows if one["Ann"] not in (one["Bob"], one["Cid"])}
    names = large.data(f"{state}/file.json")["questions"][0]["names"]
    found = large.data(f"{state}/items.json?rater={names.index('Ann')}")["items"]
    assert {one["item"] for one in found} == alone


def test_hidden_names_stay_hidden_in_a_sample(large: Running, folder: Path) -> None:
    state = large.opened(folder / "crowd.csv")
    hidden = large.post(f"{state}/file", anonymise="yes").place.removesuffix("/file")
    for path in ("/answer", "/items", "/items.csv"):
        assert not re.search(r"\b(Ann|Bob|Cid)\b", large.page(hidden + path).words), path
    assert large.page(f"{hidden}/items?rater=0").status == 422


def test_what_was_stopped_offers_a_sample_and_the_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, heard = threading.Event(), Jobs._heard

    def hear_later(*how: Any) -> tuple[str, Any]:
        asked.wait(PATIENCE)
        return heard(*how)

    settings = Settings(patience=0.0, large_file=1_000, sampled_items=SAMPLED)
    with running(settings) as server:
        monkeypatch.setattr(Jobs, "_heard", hear_later)  # not over before we ask that it stops
        state = server.opened(folder / "crowd.csv")
        page = server.get(f"{state}/answer")
        assert page.status == 202
        job = re.search(r"/job/([\w-]+)/cancel", page.text)
        assert job is not None
        assert server.get("/").status == 200  # nobody else waits
        stopped = server.post(f"/job/{job[1]}/cancel", back=f"{state}/answer").place
        asked.set()
        assert stopped == f"{state}/answer"
        page = server.page(stopped)
        assert page.status == 503
        assert "It was stopped, as asked." in page.words
        assert page.command[-2:] == ["--engine", "duckdb"]
        made = server.post(f"{state}/sample").place
        assert f"rated {SAMPLED} items with 3 labels" in server.page(made).words
        assert "crowd.csv (a sample)" in server.page(made).words
        # Try again, and it is there.
        assert server.post(f"/job/{job[1]}/again", back=f"{state}/answer").place == stopped
        assert "A large file." in server.page(stopped).words


def test_a_file_that_is_not_copied_must_not_change(
    large: Running, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from consilience.web import store as snapshots

    monkeypatch.setattr(snapshots, "MOST_COPIED", 100)
    path = tmp_path / "crowd.csv"
    path.write_bytes((folder / "crowd.csv").read_bytes())
    state = large.opened(path)
    before = large.page(f"{state}/answer.json").text
    with path.open("a") as stream:
        stream.write("new,Ann,yes\nnew,Bob,yes\n")
    assert large.page(f"{state}/answer.json").text == before
    page = large.page(f"{state}/items")
    assert page.status == 409
    assert "The file has changed" in page.words
    renewed = large.post(f"{state}/live").place.removesuffix("/live")
    assert f"{ITEMS + 1} items" in large.page(f"{renewed}/answer").words
