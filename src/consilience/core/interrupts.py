"""Ctrl-C and a request to end: obeyed wherever they strike, held back where they would do harm."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ENDINGS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)

_AGAIN = 0.05  # seconds until an interrupt that Python had to ignore strikes once more


@contextmanager
def endings_obeyed() -> Iterator[list[int]]:
    """Let each request to end, such as SIGTERM, clean up like Ctrl-C; yield those that came.

    What is raised may be lost: a library that is being loaded makes another error of it, and
    where Python tidies up it is ignored. So each is noted, and strikes again if it was ignored.
    """
    struck: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield struck
        return
    again: list[threading.Timer] = []

    def strike(number: int, _: object) -> None:
        struck.append(number)
        raise KeyboardInterrupt

    def ignored(what: Any) -> None:
        if struck and issubclass(what.exc_type, KeyboardInterrupt):
            again.append(threading.Timer(_AGAIN, signal.raise_signal, [struck[-1]]))
            again[-1].daemon = True
            again[-1].start()
        else:
            hook(what)

    usual = (signal.SIG_DFL, signal.default_int_handler)  # nohup stays nohup
    before = {n: handler for n in ENDINGS if (handler := signal.getsignal(n)) in usual}
    hook = sys.unraisablehook
    try:
        sys.unraisablehook = ignored
        for number in before:
            signal.signal(number, strike)
        yield struck
    finally:
        for timer in again:
            timer.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)
        sys.unraisablehook = hook


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


@contextmanager
def interrupts_given_back() -> Iterator[None]:
    """Let Ctrl-C do afterwards what it did before: PySpark takes it, and keeps it when stopped."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None:  # which only a handler of C's own would be
            signal.signal(signal.SIGINT, before)
