"""The other side of a job: a process of its own with limits, which does one thing and ends."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from consilience.exceptions import ConsilienceError
from consilience.web.plain_messages import as_message

NO_MEMORY = "memory"


def run(
    answers: Connection, place: str, arguments: dict[str, Any], memory: int, seconds: float
) -> None:
    """Call the function at `place` ("module:name") and send back what it returns.

    What comes back is a pair: ("done", result), ("refused", sentence), ("stopped", why) or
    ("broken", traceback); before it, any number of ("progress", text), and ("early", result) where
    the first screen is there before the end.
    """
    _limit(memory, seconds)

    def tell(text: str, early: Any = None) -> None:
        if early is not None:
            _send(answers, ("early", early))
        _send(answers, ("progress", text))

    module, _, name = place.partition(":")
    try:
        work = getattr(import_module(module), name)
        found = ("done", work(**arguments, tell=tell))
    except ConsilienceError as error:
        found = ("refused", str(error.words))
    except MemoryError:
        found = ("stopped", NO_MEMORY)
    except Exception:
        found = ("broken", traceback.format_exc())
    try:
        _send(answers, found)
    except (OSError, MemoryError, ValueError):
        os._exit(1)
    answers.close()


def _send(answers: Connection, found: tuple[str, Any]) -> None:
    answers.send_bytes(as_message(found))


def _limit(memory: int, seconds: float) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's, which ends its jobs
    if sys.platform == "win32":
        return
    import resource

    if sys.platform == "linux":
        most = memory + _reserved()
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Should the server be gone, nobody is left who would look at the clock.
    signal.alarm(int(seconds) + 5)


def _reserved() -> int:
    """Return the bytes of addresses taken so far: some versions of DuckDB reserve 19 GB unused."""
    with open("/proc/self/statm", encoding="ascii") as stream:
        return int(stream.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
