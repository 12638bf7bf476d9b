"""Folders for temporary files that go away, also those of a run that was killed."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NoReturn

from consilience.core.input_files import Said
from consilience.core.interrupts import interrupts_held_back
from consilience.exceptions import InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PREFIX = "consilience-"
_EVERY = 60.0  # seconds
_look_again: dict[Path, float] = {}
_LOCK = ".consilience-in-use"  # no folder without it is ever touched: it may be anybody's


class TemporaryFolder:
    """A folder that only this process uses, removed at the end of the ``with`` block.

    A lock tells that its owner lives. Whoever makes the next folder in the same place removes
    those of processes that were killed: their locks are free.
    """

    def __init__(self, parent: Path | None = None) -> None:
        with interrupts_held_back():
            try:
                self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
                # Whatever happens, it goes when nobody holds it any more, or at the end.
                self._end = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
                self._lock = _locked(self.path / _LOCK)
            except OSError as error:
                self._refuse(error)
        _remove_forsaken(self.path.parent)

    def _refuse(self, error: OSError) -> NoReturn:
        if hasattr(self, "_end"):
            self._end()
        raise InputError.expected(
            "the folder for temporary files", "one that can be written to",
            Said(error.strerror or str(error)),
            "set the environment variable TMPDIR to another folder",
        ) from error  # fmt: skip

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        with interrupts_held_back():
            self._end()
            lock, self._lock = self._lock, None
            if lock is not None:
                os.close(lock)


def _locked(path: Path) -> int | None:
    """Make a file and lock it; the lock ends with the process, whatever ends that.

    It gets its name when it is locked: under that name it is never seen free while its owner
    lives, and nobody takes the folder for a forsaken one.
    """
    if fcntl is None:
        return None
    unnamed = path.with_name(f"{path.name}-soon")
    handle = os.open(unnamed, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # some network drives have no locks: then it keeps out of sight
        return handle
    unnamed.rename(path)
    return handle


def _remove_forsaken(parent: Path) -> None:
    """Remove the folders of processes that are gone; never disturb the one that is at work.

    A busy place has many thousands of entries, so a process looks there only now and then.
    """
    if fcntl is None:
        return
    now = time.monotonic()
    if now < _look_again.get(parent, now):
        return
    _look_again[parent] = now + _EVERY
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.is_dir(follow_symlinks=False):
                _remove_if_forsaken(Path(entry.path))


def _remove_if_forsaken(folder: Path) -> None:
    with suppress(OSError):
        if folder.stat().st_uid != os.getuid():
            return
        handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(handle)
