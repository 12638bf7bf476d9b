"""``consilience measure --interval bca``: progress on a terminal, and a quick way out.

Nothing here waits for a clock: a busy machine must not decide whether a test passes.
"""

from __future__ import annotations

import contextlib
import io
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from consilience.cli import output as out
from consilience.cli.program import run

SLOW = ("--interval", "bca", "--resamples", "400000", "-q")


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    path = tmp_path / "ratings.csv"
    rows = (f"i{i},{i % 3},{i * 7 % 11 % 3},{i % 5 % 3}" for i in range(300))
    path.write_text("item,Ann,Bob,Cid\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


class Terminal(io.StringIO):
    """A screen in memory."""

    def isatty(self) -> bool:
        return True


class AtOnce(threading.Timer):
    """A second that is over at once."""

    def start(self) -> None:
        self.function(*self.args)

    def cancel(self) -> None:
        pass


def test_progress_is_told_after_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(threading, "Timer", AtOnce)
    with out.progress("Computing intervals") as tell:
        tell(1, 4)
    assert screen.getvalue() == (
        "\rComputing intervals ...\x1b[K\rComputing intervals ... 25%\x1b[K\r\x1b[K"
    )


def test_nothing_is_told_before_a_second_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(AtOnce, "start", lambda self: None)
    monkeypatch.setattr(threading, "Timer", AtOnce)
    with out.progress("Computing intervals") as tell:
        tell(1, 4)
    assert screen.getvalue() == ""


def test_an_interrupt_ends_it_after_a_small_part_of_the_work(
    ratings: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[int] = []

    def strike(so_far: int, total: int) -> None:
        done.append(so_far)
        signal.raise_signal(signal.SIGINT)

    @contextlib.contextmanager
    def progress(message: str) -> Iterator[Callable[[int, int], None]]:
        yield strike

    monkeypatch.setattr(out, "progress", progress)
    target = ratings.with_name("out.json")
    assert run(["measure", str(ratings), *SLOW, "-o", str(target)]) == 130
    assert len(done) == 1
    assert done[0] <= 400_000 / 100  # nothing is asked for in larger pieces
    assert capsys.readouterr().err.strip() == "Interrupted."
    assert [path.name for path in ratings.parent.iterdir()] == [ratings.name]


def test_nothing_is_told_where_there_is_no_terminal(
    ratings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "consilience.cli", "measure", str(ratings), "-q",
         "--interval", "bca", "--resamples", "99"],
        capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    with out.progress("Working") as tell:
        tell(1, 2)
    assert capsys.readouterr().err == ""


def test_a_warning_is_a_sentence_not_a_line_of_the_program(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("item,a,b\n" + "".join(f"{i},x,x\n" for i in range(9)) + "9,x,y\n")
    done = subprocess.run(
        [sys.executable, "-m", "consilience.cli", "measure", str(path), "-q",
         "-c", "pi", "--interval", "bca", "--resamples", "200"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr.startswith("Warning: The coefficient is undefined on ")
    assert done.stderr.count("\n") == 1
    assert ".py" not in done.stderr
