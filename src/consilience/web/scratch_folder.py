"""A folder for what is uploaded: gone when the workbench ends, and at the latest at the next start.

While a workbench runs it holds a lock on its folder. One that was killed holds none, so the next
one that starts removes what it left.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import IO

_PREFIX = "consilience-web-"
_LOCK = "lock"


class ScratchFolder:
    """A folder of one process, readable by its owner only."""

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = Path(tempfile.gettempdir()) if parent is None else parent
        self._sweep()
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self._parent))
        self._lock: IO[bytes] | None = (self.path / _LOCK).open("wb")
        _is_locked_by_us(self._lock)

    def _sweep(self) -> None:
        for folder in self._parent.glob(f"{_PREFIX}*"):
            with contextlib.suppress(OSError):
                if folder.is_symlink() or folder.stat().st_uid != _user():
                    continue
                with (folder / _LOCK).open("rb") as lock:
                    left_behind = _is_locked_by_us(lock)
                if left_behind:
                    shutil.rmtree(folder, ignore_errors=True)

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None
        shutil.rmtree(self.path, ignore_errors=True)


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _is_locked_by_us(stream: IO[bytes]) -> bool:
    """Take the lock if nobody else has it; where there are no locks, never."""
    try:
        import fcntl
    except ImportError:  # Windows: folders that were left behind stay
        return False
    try:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
