"""Ctrl-C and a request to end: held back for the moments in which they would do harm."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

ENDINGS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Let signals that end the program wait until the ``with`` block is over.

    Some libraries end the process when a signal strikes while they are loaded, and a folder that
    is half removed would stay. Use it for moments only: nothing can be stopped meanwhile.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals go to the main thread alone
        return
    struck: list[int] = []
    before = {number: signal.getsignal(number) for number in ENDINGS}
    held = {number: handler for number, handler in before.items() if handler is not None}
    try:
        for number in held:
            signal.signal(number, lambda number, _: struck.append(number))
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(struck):
            signal.raise_signal(number)
