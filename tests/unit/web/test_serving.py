"""Starting and ending: the missing extra, another host, no network, nothing left behind."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import needed
from consilience.cli.program import run
from consilience.web import Settings
from consilience.web import app as serving
from patience import PATIENCE
from workbench import EXAMPLES

PATH = {"PYTHONPATH": os.pathsep.join(sys.path)}


def test_a_missing_extra_names_the_install_command(monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "starlette", None)
    assert run(["serve"]) == 3
    assert "pip install 'consilience[web]'" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["serve", "nowhere.csv", "--no-browser"], ["serve", "--watch"]])
def test_what_cannot_be_served_is_told(words: list[str], capsys) -> None:
    assert run(words) in (2, 3)
    assert "PATH" in capsys.readouterr().err


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_another_host_warns_and_still_needs_the_link(host: str, monkeypatch, capsys) -> None:
    asked = []

    class NoServer:
        def __init__(self, config: object) -> None:
            asked.append(config)

        def run(self, sockets: object) -> None:
            pass

    monkeypatch.setattr(serving.uvicorn, "Server", NoServer)
    serving.serve(Settings(host=host), browser=False)
    told = capsys.readouterr().err
    assert ("Warning" in told) == (host == "0.0.0.0")
    assert re.search(r"\?token=[\w-]{40,}", told)
    assert asked


@needed.ON_POSIX
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_ending_leaves_nothing_behind(how: signal.Signals, tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "consilience", "serve", "--no-browser", "labels.csv"],
        cwd=EXAMPLES, env=os.environ | PATH | {"TMPDIR": str(tmp_path)}, text=True,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    child.stderr.readline()
    assert [*tmp_path.glob("consilience-*")]
    child.send_signal(how)
    child.wait(PATIENCE)
    child.stderr.close()
    assert [*tmp_path.glob("consilience-*")] == []


ALONE = """
import fcntl, socket, struct, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
    fcntl.ioctl(probe, 0x8914, struct.pack("16sh", b"lo", 0x1 | 0x40))  # the loopback device alone
sys.path.insert(0, sys.argv[1])
from workbench import running
if __name__ == "__main__":
    with running() as server:
        state = server.opened(sys.argv[2])
        print(server.page(f"{state}/answer").status)
"""


def test_it_works_where_there_is_no_network(tmp_path: Path) -> None:
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-n", "true"], check=False).returncode:
        needed.lacking(needed.SYSTEM, "networks of its own for a process")
    script = tmp_path / "alone.py"
    script.write_text(ALONE)
    done = subprocess.run(
        [unshare, "-n", sys.executable, str(script), str(Path(__file__).parents[2]),
         str(EXAMPLES / "labels.csv")],
        env=os.environ | PATH, capture_output=True, text=True, timeout=2 * PATIENCE, check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "200", done.stderr
