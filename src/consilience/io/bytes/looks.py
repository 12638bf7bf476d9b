"""Small files are opened once: what the first look read is kept for the looks that follow."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO

_SMALL = 1 << 20  # bytes
_kept: ContextVar[dict[Path, bytes] | None] = ContextVar("kept", default=None)


@contextmanager
def looks_kept() -> Iterator[None]:
    """Keep the bytes of small files until the end of the ``with`` block."""
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def open_raw(path: Path) -> IO[bytes]:
    """Open a file, or what is kept of it."""
    kept = _kept.get()
    if kept is None:
        return path.open("rb")
    if path not in kept:
        stream = path.open("rb")
        if path.stat().st_size > _SMALL:
            return stream
        with stream:
            kept[path] = stream.read()
    return io.BytesIO(kept[path])
