"""Pictures of every screen and state, to be looked at: python -m tests.browser.tour [FOLDER]."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from consilience.web import Settings
from workbench import EXAMPLES, Running, running


def stops(bench: Running, folder: Path) -> dict[str, str]:
    """Name every screen and state, and prepare what it shows."""
    labels = bench.opened("examples/labels.csv")
    essays = bench.opened("examples/essays_wide.csv")
    headlines = bench.opened("examples/headlines_long.csv")
    gestures = bench.opened("examples/gestures.csv")
    demo = bench.post("/demo").place.removesuffix("/answer")
    return {
        "start": "/",
        "file": f"{labels}/file",
        "file-questions": f"{headlines}/file",
        "file-numbers": f"{essays}/file",
        "file-units": f"{gestures}/file",
        "file-refused": bench.opened(twice(folder)) + "/file",
        "file-ambiguous": bench.opened(ambiguous(folder)) + "/file",
        "answer": f"{demo}/answer",
        "answer-labels": f"{demo}/answer?tab=labels",
        "answer-raters": f"{demo}/answer?tab=raters",
        "answer-questions": f"{headlines}/answer",
        "answer-undecided": f"{essays}/answer",
        "answer-undefined": bench.opened(one_label(folder)) + "/answer",
        "answer-one-rater": bench.opened(one_rater(folder)) + "/answer",
        "items": f"{demo}/items?cell=1-2",
        "adjudicate": f"{demo}/adjudicate",
        "rounds-empty": f"{labels}/rounds",
        "rounds": rounds(bench, labels),
        "panel-empty": f"{labels}/panel",
        "panel": bench.post(f"{demo}/panel", system="4", margin="0.05").place,
        "units": f"{gestures}/units",
        "live": grown(bench, folder),
        "export": f"{demo}/export",
        "gone": "/r/nothing/answer",
    }


def rounds(bench: Running, labels: str) -> str:
    second = bench.opened("examples/labels.csv")[3:]
    return bench.post_form(f"{labels}/rounds", open=second).place


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
    return f"{state}/live"


def tour(folder: Path, **how: Any) -> list[Path]:
    """Take the pictures; return their paths."""
    from playwright.sync_api import sync_playwright

    os.chdir(EXAMPLES.parent)  # so that pictures show no path of this machine
    chosen = shutil.which("chromium") or shutil.which("chromium-browser")
    taken = []
    with (
        tempfile.TemporaryDirectory() as scratch,
        running(Settings(patience=60, watch=True)) as bench,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=chosen, args=["--no-sandbox"])
        window = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **how})
        keys = bench.bench.keys
        window.add_cookies([{"name": keys.cookie_name, "value": keys.cookie, "url": bench.origin}])
        page = window.new_page()
        for name, path in stops(bench, Path(scratch)).items():
            page.goto(bench.origin + path, timeout=120_000)
            taken.append(folder / f"{name}.png")
            page.screenshot(path=taken[-1], full_page=True)
        browser.close()
    return taken


PICTURES = {
    "file-questions": "What is this file? First rows, the part of every column, other readings.",
    "answer-labels": "The answer, and the labels that met; every number leads to its items.",
    "adjudicate": "One item a screen, decided by a key.",
    "units": "Units as bars, linked where raters mean the same; a slider for the overlap.",
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
