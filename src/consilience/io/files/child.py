"""A process that reads what may end it: started once, replaced when a damaged file ends it."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

SECONDS = 120  # for one file
_MAIN = Path(__file__).with_name("_child_main.py")


class Child:
    """A process that answers one request after another, by the function in the file `name`."""

    def __init__(self, name: str) -> None:
        self._child = Path(__file__).with_name(name)
        atexit.register(self.close)
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0
        self._lock = threading.Lock()

    def ask(self, request: dict[str, Any], target: Path) -> dict[str, Any]:
        """Return the answer; its key "error" says that there is none, and why."""
        with self._lock:
            process = self._running()
            timer = threading.Timer(SECONDS, process.kill)
            timer.start()
            try:
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(json.dumps({**request, "target": str(target)}) + "\n")
                process.stdin.flush()
                done = process.stdout.readline().strip() == "done"
            except OSError:
                done = False
            finally:
                timer.cancel()
            if not done:
                self._end()
                return {"error": "a file that cannot be read to its end"}
        answer: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
        return answer

    def _running(self) -> subprocess.Popen[str]:
        if self._process is not None and self._owner != os.getpid():
            self._process = None  # a copy of this process must not talk to another's child
        if self._process is None or self._process.poll() is not None:
            self._end()
            path = os.pathsep.join(part for part in sys.path if part)
            self._process = subprocess.Popen(
                # -P: nothing beside the data is imported
                [sys.executable, "-P", str(_MAIN), str(self._child)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                env={**os.environ, "PYTHONPATH": path},
            )
            self._owner = os.getpid()
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                pass  # what was still to be written has no reader
        process.wait()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()
