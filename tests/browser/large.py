"""A million ratings and 60 MB in the workbench: python -m tests.browser.large [RATINGS]."""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from consilience.web import Settings
from workbench import Running, running


def written(path: Path, ratings: int) -> None:
    """Write a long file of three raters with about 60 bytes a row."""
    import numpy as np

    rng = np.random.default_rng(1)
    items = ratings // 3
    truth = rng.integers(0, 4, items)
    with path.open("w", encoding="utf-8") as stream:
        stream.write("item,rater,label,time\n")
        for who in ("Ann of the first team", "Bob of the second team", "Cid of the third team"):
            said = np.where(rng.random(items) < 0.7, truth, rng.integers(0, 4, items))
            stream.writelines(
                f"item {i:08d},{who},{'abcd'[k]},2026-01-05 14:{i % 60:02d}\n"
                for i, k in enumerate(said.tolist())
            )


def slowest_start(server: Running, until: threading.Event) -> float:
    """Ask for the start page all the while; return the longest that it took."""
    longest = 0.0
    while not until.is_set():
        began = time.monotonic()
        assert server.get("/").status == 200
        longest = max(longest, time.monotonic() - began)
        time.sleep(0.05)
    return longest


def tried(path: Path) -> dict[str, float | str]:
    """Time every screen of a large file, and how alive the others are meanwhile."""
    found: dict[str, float | str] = {"megabytes": round(path.stat().st_size / 1e6, 1)}
    with running(Settings(patience=1.0)) as server:
        over, answers = threading.Event(), []
        watcher = threading.Thread(target=lambda: answers.append(slowest_start(server, over)))
        watcher.start()
        state = server.opened(path)
        for name, place in {
            "file": "/file", "first": "/answer", "labels": "/answer?tab=labels",
            "items": "/items", "items of a cell": "/items?cell=0-1", "page": "/export/page.html",
        }.items():  # fmt: skip
            began = time.monotonic()
            answer = server.page(state + place)
            assert answer.status == 200, answer.words[:400]
            found[name] = round(time.monotonic() - began, 2)
        over.set()
        watcher.join()
        found["slowest start page"] = round(answers[0], 2)
        found["cancel"] = round(cancelled(server, path), 2)
    return found


def cancelled(server: Running, path: Path) -> float:
    """Open the file anew, cancel the reading, and return how long the page took to say so."""
    with path.open("a", encoding="utf-8") as stream:
        stream.write("one more,Ann of the first team,a,2026-01-05 15:00\n")
    state = server.opened(path)
    page = server.get(f"{state}/file")
    assert page.status == 202, "it was there before anybody could cancel"
    job = page.text.partition("/job/")[2].partition("/cancel")[0]
    began = time.monotonic()
    back = server.post(f"/job/{job}/cancel", back=f"{state}/file").place
    answer = server.page(back)
    assert "It was stopped, as asked." in answer.words
    return time.monotonic() - began


if __name__ == "__main__":
    ratings = int((sys.argv[1:] or ["1000000"])[0])
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "ratings.csv"
        written(place, ratings)
        print(json.dumps(tried(place)))
