"""``consilience measure --interval bca``: progress on a terminal, and a quick way out."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from consilience.cli import _output as out

SLOW = ("--interval", "bca", "--resamples", "400000", "-q")


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    path = tmp_path / "ratings.csv"
    rows = (f"i{i},{i % 3},{i * 7 % 11 % 3},{i % 5 % 3}" for i in range(300))
    path.write_text("item,Ann,Bob,Cid\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def start(*arguments: str) -> tuple[subprocess.Popen[bytes], int]:
    """Run the command with its stderr on a terminal of its own."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "consilience.cli", "measure", *arguments],
        stdout=subprocess.PIPE, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    return process, ours


def read_until(terminal: int, wanted: bytes, seconds: float = 60.0) -> bytes:
    told, end = b"", time.monotonic() + seconds
    while wanted not in told and time.monotonic() < end:
        if not select.select([terminal], [], [], 1.0)[0]:
            continue
        try:
            told += os.read(terminal, 1024)
        except OSError:  # the other side has closed it
            break
    return told


def test_progress_is_told_and_an_interrupt_leaves_soon(ratings: Path) -> None:
    process, terminal = start(str(ratings), *SLOW)
    told = read_until(terminal, b"%")
    assert b"Computing intervals ..." in told
    assert b"%" in told
    process.send_signal(signal.SIGINT)
    asked = time.monotonic()
    written, _ = process.communicate(timeout=30)
    assert time.monotonic() - asked < 10.0  # one second on a machine that is not busy
    assert process.returncode == 130
    assert written == b""
    rest = read_until(terminal, b"Interrupted.")
    assert b"Interrupted." in rest
    assert b"Traceback" not in told + rest
    os.close(terminal)


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
