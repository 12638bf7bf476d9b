"""The other side of a job: a process of its own with limits, which does one thing and ends."""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
import traceback
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from consilience.exceptions import ConsilienceError

# ---- What a job sends to the server: plain values only, so that nothing in a message can be run
# JSON has no bytes, no tuples, and keys that are texts; each of these is written as an object of
# one key that no other object has.

_BYTES, _TUPLE, _PAIRS = "\x00bytes", "\x00tuple", "\x00pairs"


def as_message(value: Any) -> bytes:
    """Write plain values: None, numbers, texts, bytes, lists, tuples and dictionaries of them.

    >>> of_message(as_message(("done", {1: b"x", "y": [None, 2.5]})))
    ('done', {1: b'x', 'y': [None, 2.5]})
    """
    return json.dumps(_plain(value), default=_refused).encode()


def of_message(data: bytes) -> Any:
    """Read what `as_message` wrote."""
    return json.loads(data, object_hook=_restored)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {_BYTES: base64.b64encode(value).decode("ascii")}
    if isinstance(value, tuple):
        return {_TUPLE: [_plain(one) for one in value]}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        if all(isinstance(key, str) and not key.startswith("\x00") for key in value):
            return {key: _plain(one) for key, one in value.items()}
        return {_PAIRS: [[_plain(key), _plain(one)] for key, one in value.items()]}
    return value


def _refused(value: object) -> Any:
    if hasattr(value, "item") and not getattr(value, "shape", ()):
        return value.item()  # a number of numpy's
    raise TypeError(f"a job may send plain values only, not {type(value).__name__}")


def _restored(found: dict[str, Any]) -> Any:
    if len(found) == 1:
        ((key, value),) = found.items()
        if key == _BYTES:
            return base64.b64decode(value)
        if key == _TUPLE:
            return tuple(value)
        if key == _PAIRS:
            return dict(value)
    return found


__all__ = ["as_message", "of_message"]

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
