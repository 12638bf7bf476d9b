"""Pictures of every screen and state, to be looked at: python -m tests.browser.tour [FOLDER]."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from consilience.web import Settings
from consilience.web.jobs import RUNNING
from needed import chromium_path
from patience import PATIENCE, patient
from workbench import EXAMPLES, Running, running

LIMITS = {"large_file": 600_000, "sampled_items": 200}  # so that a file can be large here


def stops(bench: Running, folder: Path) -> dict[str, str]:
    """Name every screen and state, and prepare what it shows; `folder` is where we are.

    So that pictures show no path of this machine.
    """
    (folder / "examples").symlink_to(EXAMPLES)
    labels = bench.opened("examples/labels.csv")
    essays = bench.opened("examples/essays_wide.csv")
    headlines = bench.opened("examples/headlines_long.csv")
    gestures = bench.opened("examples/gestures.csv")
    demo = bench.post("/demo").place.removesuffix("/answer")
    growing = grown(bench, folder)
    large = bench.opened(crowd(folder))
    hidden = bench.post(f"{labels}/file", anonymise="yes").place
    return {
        "start": "/",
        "file": f"{labels}/file",
        "file-questions": f"{headlines}/file",
        "file-numbers": f"{essays}/file",
        "file-time": bench.opened(timed(folder)) + "/file",
        "file-hidden": hidden,
        "file-units": f"{gestures}/file",
        "file-refused": bench.opened(twice(folder)) + "/file",
        "file-ambiguous": bench.opened(ambiguous(folder)) + "/file",
        "file-empty": bench.opened(_written(folder, "empty.csv", ["item,Ann,Bob"])) + "/file",
        "answer": f"{demo}/answer",
        "answer-labels": f"{demo}/answer?tab=labels",
        "answer-raters": f"{demo}/answer?tab=raters",
        "answer-items": f"{demo}/answer?tab=items",
        "answer-design": f"{demo}/answer?tab=design",
        "answer-method": f"{demo}/answer?tab=method",
        "answer-paper": f"{demo}/answer?tab=paper",
        "answer-questions": f"{headlines}/answer",
        "answer-undecided": f"{essays}/answer",
        "answer-undefined": bench.opened(one_label(folder)) + "/answer",
        "answer-one-rater": bench.opened(one_rater(folder)) + "/answer",
        "answer-large": f"{large}/answer?tab=labels",
        "items": f"{demo}/items?cell=1-2",
        "items-none": f"{labels}/items?agreement=0-0.1",
        "items-questions": f"{headlines}/items?q=1",
        "items-sample": f"{large}/items",
        "adjudicate": f"{demo}/adjudicate",
        "adjudicate-last": decided(bench, folder) + "/adjudicate?suggest=1",
        "rounds-empty": f"{labels}/rounds",
        "rounds": rounds(bench, folder),
        "panel-empty": f"{labels}/panel",
        "panel": bench.post(f"{demo}/panel", system="4", margin="0.05").place,
        "units": f"{gestures}/units",
        "live": f"{growing}/live",
        "over-time": bench.opened(timed(folder)) + "/live",
        "export": f"{demo}/export",
        "working": stuck(bench, folder),
        "stopped": stopped(bench, folder),
        "no-such-page": "/r/nothing/answer",
        "no-such-filter": f"{labels}/items?cell=x",
    }


def rounds(bench: Running, folder: Path) -> str:
    """Two rounds that differ in a few ratings."""
    first = (EXAMPLES / "labels.csv").read_text(encoding="utf-8")
    second = first.replace("r03,neutral,positive,neutral", "r03,neutral,neutral,neutral")
    second = second.replace("r01,positive", "r01,neutral")
    state = bench.opened("examples/labels.csv")
    other = bench.opened(_written(folder, "second-round.csv", second.splitlines()))
    return bench.post_form(f"{state}/rounds", open=other[3:]).place


def decided(bench: Running, folder: Path) -> str:
    """Adjudication after two decisions."""
    path = folder / "labels.csv"
    path.write_bytes((EXAMPLES / "labels.csv").read_bytes())
    state = bench.opened(path)
    bench.page(f"{state}/adjudicate")
    for k in range(2):
        bench.post(f"{state}/adjudicate", place=str(k), label="1", nonce=f"tour-{k}")
    return state


def crowd(folder: Path) -> Path:
    """A file that is large by the limits of the tour."""
    rows = [
        f"item number {i:05d},{who},{'abc'[(i * 7 + (k if i % 4 == 0 else 0)) % 3]}"
        for k, who in enumerate(("Ann", "Bob", "Cid"))
        for i in range(10_000)
    ]
    return _written(folder, "large.csv", ["item,rater,label", *rows])


def timed(folder: Path) -> Path:
    rows = [
        f"i{k},{'yn'[k % 2]},{'yn'[k % 2 if k % 5 else 0]},2026-01-{1 + k // 3:02d}"
        for k in range(80)
    ]
    return _written(folder, "timed.csv", ["item,Ann,Bob,rated on", *rows])


def stuck(bench: Running, folder: Path) -> str:
    """A file that is being read for as long as anybody looks."""
    state = bench.opened(_written(folder, "slow.csv", ["item,Ann,Bob", "1,yes,no", "2,no,no"]))
    bench.page(f"{state}/file")
    job = bench.bench.read(bench.bench.store.state(state[3:]))
    job.state, job.future, job.progress = RUNNING, None, "1,204,000 rows, 4 columns"
    return f"{state}/file"


def stopped(bench: Running, folder: Path) -> str:
    """A large file whose reading was cancelled."""
    path = crowd(folder)
    state = bench.opened(path.rename(folder / "cancelled.csv"))
    bench.bench.read(bench.bench.store.state(state[3:])).cancel()
    return f"{state}/answer"


def _written(folder: Path, name: str, rows: list[str]) -> Path:
    path = folder / name
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def twice(folder: Path) -> Path:
    rows = [f"{i},{who},{'yn'[(i + k) % 2]}" for i in range(6) for k, who in enumerate("AB")]
    return _written(folder, "twice.csv", ["item,rater,label", *rows, "0,A,n"])


def ambiguous(folder: Path) -> Path:
    return _written(folder, "grid.csv", ["a,b,c", "1,2,1", "2,2,1", "1,1,2"])


def one_label(folder: Path) -> Path:
    return _written(folder, "all-yes.csv", ["item,Ann,Bob", *(f"{k},yes,yes" for k in range(12))])


def one_rater(folder: Path) -> Path:
    rows = [f"i{k},Ann,{'yn'[k % 2]}" for k in range(12)]
    return _written(folder, "one-rater.csv", ["item,rater,label", *rows])


def grown(bench: Running, folder: Path) -> str:
    rows = [f"i{k},{'yn'[k % 2]},{'yn'[k % 2 if k % 5 else 0]}" for k in range(60)]
    path = _written(folder, "growing.csv", ["item,Ann,Bob", *rows[:25]])
    state = bench.opened(path)
    for n in (40, 60):
        _written(folder, "growing.csv", ["item,Ann,Bob", *rows[:n]])
        bench.page(f"{state}/news")
        state = bench.post(f"{state}/live").place.removesuffix("/live")
    return state


def tour(folder: Path, **how: Any) -> list[Path]:
    """Take the pictures; return their paths."""
    from playwright.sync_api import sync_playwright

    folder = folder.resolve()
    taken = []
    with (
        tempfile.TemporaryDirectory() as scratch,
        running(Settings(patience=PATIENCE, seconds=PATIENCE, watch=True, **LIMITS)) as bench,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(
            executable_path=chromium_path(driver), args=["--no-sandbox"]
        )
        os.chdir(scratch)
        window = patient(browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **how}))
        keys = bench.bench.keys
        window.add_cookies([{"name": keys.cookie_name, "value": keys.cookie, "url": bench.origin}])
        page = window.new_page()
        for name, path in stops(bench, Path()).items():
            page.goto(bench.origin + path)
            taken.append(folder / f"{name}.png")
            page.screenshot(path=taken[-1], full_page=True)
        page.goto(f"{bench.origin}/")
        page.route("**/alive", lambda route: route.abort())
        page.wait_for_selector("#gone:not([hidden])")
        taken.append(folder / "server-gone.png")
        page.screenshot(path=taken[-1])
        browser.close()
    return taken


PICTURES = {
    "file-questions": "What is this file? First rows, the part of every column, other readings.",
    "answer-labels": "The answer, and the labels that met; every number leads to its items.",
    "adjudicate": "One item a screen, decided by a key.",
    "units": "Units as bars, linked where raters mean the same; a slider for the overlap.",
    "live": "Agreement at every look, with intervals that allow for looking again.",
}


def pictures(taken: list[Path], into: Path) -> list[Path]:
    """Make small pictures for the documentation of what was taken."""
    from PIL import Image

    into.mkdir(parents=True, exist_ok=True)
    made = []
    for path in taken:
        if path.stem in PICTURES:
            image = Image.open(path).convert("RGB")
            image = image.crop((0, 0, image.width, min(image.height, 900)))
            made.append(into / f"workbench-{path.stem}.webp")
            image.resize((960, image.height * 960 // image.width)).save(made[-1], quality=62)
    return made


if __name__ == "__main__":
    into = Path(sys.argv[1] if len(sys.argv) > 1 else "tour")
    into.mkdir(parents=True, exist_ok=True)
    shown = tour(into)
    for picture in [*shown, *pictures(shown, into / "docs")]:
        print(picture)
