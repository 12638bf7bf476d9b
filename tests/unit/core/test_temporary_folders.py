"""Folders for temporary files: those of killed runs go, those of living ones stay."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import needed
from consilience.core import output_files as temporary_folders
from consilience.core.output_files import TemporaryFolder

fcntl = needed.locks()


def test_a_folder_is_never_taken_for_forsaken_while_it_is_made(tmp_path, monkeypatch):
    """Another run that looks round between making the lock and locking it finds nothing to do."""
    lock = fcntl.flock
    looked = []

    def interrupted(handle: int, how: int) -> None:
        if not looked:
            looked.append(1)
            temporary_folders._remove_forsaken(tmp_path)
        lock(handle, how)

    monkeypatch.setattr(temporary_folders, "_EVERY", 0.0)  # as other runs do, which look anew
    monkeypatch.setattr(temporary_folders.fcntl, "flock", interrupted)
    with TemporaryFolder(tmp_path) as folder:
        assert looked
        (folder / "a.csv").write_text("1")
        temporary_folders._remove_forsaken(tmp_path)
        assert (folder / "a.csv").read_text() == "1"
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_a_killed_run_goes(tmp_path):
    made = (
        "import os, sys; from pathlib import Path\n"
        "from consilience.core.output_files import TemporaryFolder\n"
        "kept = TemporaryFolder(Path(sys.argv[1])); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", made, str(tmp_path)], check=False)
    assert len(list(tmp_path.iterdir())) == 1
    with TemporaryFolder(tmp_path) as folder:
        assert list(tmp_path.iterdir()) == [folder]


def test_many_runs_at_once_never_disturb_each_other(tmp_path):
    made = (
        "import sys; from pathlib import Path\n"
        "from consilience.core.output_files import TemporaryFolder\n"
        "from consilience.core import output_files\n"
        "output_files._EVERY = 0.0\n"
        "for k in range(150):\n"
        "    with TemporaryFolder(Path(sys.argv[1])) as folder:\n"
        "        (folder / 'a').write_text('1')\n"
        "        assert (folder / 'a').read_text() == '1'\n"
    )
    words = [sys.executable, "-c", made, str(tmp_path)]
    runs = [subprocess.Popen(words, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    assert [(run.communicate()[1], run.returncode) for run in runs] == [("", 0)] * 4
    assert list(Path(tmp_path).iterdir()) == []


def test_a_busy_place_is_looked_through_once(tmp_path, monkeypatch):
    looked = []
    monkeypatch.setattr(temporary_folders, "_remove_if_forsaken", looked.append)
    for _ in range(3):
        with TemporaryFolder(tmp_path) as folder:
            folder.stat()
    assert len(looked) == 1
