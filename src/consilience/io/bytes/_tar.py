"""Tar archives, plain or gzip: plain files only, within the budgets of zip archives."""

from __future__ import annotations

import io
import zlib
from typing import TYPE_CHECKING

from consilience.exceptions import InputError
from consilience.io.bytes._guarded import refused

if TYPE_CHECKING:
    import tarfile

_GZIP = b"\x1f\x8b"
_BLOCK = 512
_TRUST = "unpack it yourself if you trust it"


def tar_files(data: bytes, where: str, *, most: int, largest: int) -> dict[str, bytes]:
    """Return the plain files of an archive by name; refuse whatever is none.

    `most` is the number of files and `largest` that of bytes, counted while they come.
    """
    import tarfile  # only few files are archives

    if data.startswith(_GZIP):
        data = _unpacked(data, where, largest)
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for info in archive:
                if info.isdir():
                    continue
                _check(info, found, where, most)
                stream = archive.extractfile(info)
                found[info.name.removeprefix("./")] = stream.read() if stream else b""
            # Cut between two files, an archive would seem complete but for its last block.
            if data[archive.offset : archive.offset + _BLOCK] != bytes(_BLOCK):
                raise EOFError("it ends too early")
    except InputError:
        raise
    except (tarfile.TarError, EOFError, ValueError, OverflowError, OSError) as error:
        raise refused(
            where, "the file", "a complete tar archive", str(error) or type(error).__name__,
            "check that it was copied completely",
        ) from None  # fmt: skip
    return found


def _check(info: tarfile.TarInfo, found: dict[str, bytes], where: str, most: int) -> None:
    name = info.name
    trouble = None
    parts = name.replace("\\", "/").split("/")
    if parts[0] in ("", "~") or ".." in parts or name[1:2] == ":":
        trouble = "a name that leads out of it"
    elif not info.isreg() or info.sparse is not None:
        trouble = "a link, a device or a file with holes"
    elif name.removeprefix("./") in found:
        trouble = "a file that is in it twice"
    elif len(found) >= most:
        raise refused(where, "an archive", f"one of at most {most:,} files", "more", _TRUST)
    if trouble:
        got = f"{trouble}: {name[:60]!r}"
        raise refused(where, "an archive", "one of plain files", got, _TRUST)


def _unpacked(data: bytes, where: str, largest: int) -> bytes:
    parts: list[bytes] = []
    size, rest = 0, data
    try:
        while rest.startswith(_GZIP):
            unpack = zlib.decompressobj(wbits=31)
            part = unpack.decompress(rest, 1 << 20)
            while part or unpack.unconsumed_tail:
                size += len(part)
                if size > largest:
                    raise refused(
                        where, "an archive", f"at most {largest >> 20} MB when unpacked",
                        f"more than that from {len(data):,} bytes", _TRUST,
                    )  # fmt: skip
                parts.append(part)
                part = unpack.decompress(unpack.unconsumed_tail, 1 << 20)
            if not unpack.eof:
                raise zlib.error("it ends too early")
            rest = unpack.unused_data
    except zlib.error as error:
        raise refused(
            where, "the file", "readable to its end", str(error),
            "check that it was copied completely",
        ) from None  # fmt: skip
    return b"".join(parts)
