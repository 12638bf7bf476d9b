"""Small files are opened once: what the first look read is kept for the looks that follow."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO

_SMALL = 1 << 20  # bytes
_SMALL_HEAD = 1 << 16
_GZIP = b"\x1f\x8b"
_TAR = slice(257, 262)
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


def is_tar(head: bytes) -> bool:
    """Tell whether some first bytes are those of a tar archive, packed or not."""
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head[:_SMALL_HEAD], 512)
        except zlib.error:
            return False
    return head[_TAR] == b"ustar"
