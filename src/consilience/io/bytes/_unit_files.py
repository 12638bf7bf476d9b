"""Bytes and texts of unit files: found, opened, unpacked and decoded with limits."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from consilience.core.account import Ledger
from consilience.exceptions import InputError
from consilience.io.bytes._folder_noise import noise_in
from consilience.io.bytes._guarded import check_blank_lines
from consilience.io.bytes.paths import PathLike, Said, _nearest_name

LARGEST = 256 << 20  # bytes of one file after unpacking
LARGEST_RATIO = 200
FREELY = 8 << 20  # a small packed file may be as dense as it likes up to here
MOST_FILES = 20_000
ARCHIVES = (".zip", ".tar", ".tgz")
TEXTS = "the texts that were annotated"
_CHUNK = 1 << 20
HEAD = 1 << 16
_GZIP = b"\x1f\x8b"
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


@dataclass(frozen=True)
class File:
    """One input file; its bytes are read once and kept while it is being understood."""

    path: Path
    encoding: str | None = None

    @cached_property
    def data(self) -> bytes:
        """The bytes, unpacked if they are gzip."""
        with _Opening(self.path), self.path.open("rb") as stream:
            raw = stream.read(LARGEST + 1)
        if len(raw) > LARGEST:
            raise _too_large(self.path)
        return _unpacked(raw, self.path) if raw.startswith(_GZIP) else raw

    @cached_property
    def text(self) -> str:
        """The text: UTF-8, or UTF-16 / UTF-32 by its mark, or the encoding that was named."""
        return decoded(self.data, self.path, self.encoding)

    @cached_property
    def start(self) -> bytes:
        """The first bytes, unpacked if they are gzip; never fails for a file that can be opened."""
        with _Opening(self.path), self.path.open("rb") as stream:
            data = stream.read(HEAD)
        if data.startswith(_GZIP):
            try:
                data = zlib.decompressobj(wbits=31).decompress(data, HEAD)
            except zlib.error:
                return b""
        return data

    @cached_property
    def head(self) -> str:
        """The beginning of the text, for recognising it; never fails."""
        data = self.start
        for mark, name in _MARKS:
            if data.startswith(mark):
                return data.decode(name, errors="replace").removeprefix("\ufeff")
        return data.decode("utf-8", errors="replace")

    @property
    def lines(self) -> list[str]:
        """The lines, whatever ends them."""
        return self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    @property
    def suffix(self) -> str:
        """The ending of the name in small letters, that of the inner file for .gz."""
        return self._inner.suffix.lower()

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return self._inner.stem

    def beside(self, name: str) -> File | None:
        """Return the file of this name in the same folder, None if there is none."""
        path = self.path.with_name(name)
        return File(path, self.encoding) if path.is_file() else None

    @property
    def _inner(self) -> Path:
        return self.path.with_suffix("") if self.path.suffix.lower() == ".gz" else self.path


class _Opening:
    """Turn what the system says about a file into our sentence."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            raise InputError.expected(
                "the file",
                "one that can be read",
                Said(error.strerror or str(error)),
                "check its permissions and that it was copied completely",
                where=str(self.path),
            ) from error


def _unpacked(raw: bytes, path: Path) -> bytes:
    """Unpack gzip, counting bytes while it grows: headers lie."""
    pieces: list[bytes] = []
    size, rest = 0, raw
    try:
        while rest.startswith(_GZIP):
            unpack = zlib.decompressobj(wbits=31)
            piece = unpack.decompress(rest, _CHUNK)
            while piece or unpack.unconsumed_tail:
                pieces.append(piece)
                size += len(piece)
                if size > LARGEST or (size > FREELY and size > LARGEST_RATIO * len(raw)):
                    raise InputError.expected(
                        "a packed file",
                        f"at most {LARGEST >> 20} MB and {LARGEST_RATIO} times larger unpacked",
                        Said(f"more than {size >> 20} MB from {len(raw)} bytes"),
                        "unpack it yourself if you trust it",
                        where=str(path),
                    )
                piece = unpack.decompress(unpack.unconsumed_tail, _CHUNK)
            if not unpack.eof:
                raise zlib.error("it ends too early")
            rest = unpack.unused_data
    except zlib.error as error:
        raise InputError.expected(
            "the packed file",
            "readable to its end",
            Said(str(error)),
            "check that it was copied completely",
            where=str(path),
        ) from error
    return b"".join(pieces)


def decoded(data: bytes, path: Path, encoding: str | None) -> str:
    """Turn bytes into text; refuse what is none, naming the line."""
    name = encoding or next((n for mark, n in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(name)
    except LookupError:
        raise InputError.expected(
            "encoding", "one that Python knows", name, "try utf-8, utf-16, cp1252 or latin-1"
        ) from None
    except UnicodeError as error:
        line = data[: getattr(error, "start", 0)].count(b"\n") + 1
        raise InputError.expected(
            "the text",
            f"{name} throughout",
            Said("bytes that are not"),
            "save it as UTF-8, or name its encoding, for example encoding='cp1252'",
            where=f"{path}, line {line}",
        ) from None
    text = text.removeprefix("\ufeff")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError.expected(
            "a text file",
            "free of NUL characters",
            Said("one; this is a binary or damaged file"),
            "export the annotations again, as text",
            where=f"{path}, line {line}",
        )
    check_blank_lines(text, str(path))
    return text


def _too_large(path: Path) -> InputError:
    return InputError.expected(
        "a file",
        f"at most {LARGEST >> 20} MB",
        Said("a larger one"),
        "split it, or pass the units as a Parquet file",
        where=str(path),
    )


def find_files(
    paths: PathLike | Iterable[PathLike], suffixes: Iterable[str], ledger: Ledger
) -> list[Path]:
    """Return the files, those in folders with one of the suffixes; none twice.

    What else lies in a folder is written into the ledger.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    try:
        given = [Path(path) for path in paths]
    except TypeError:
        raise InputError.expected(
            "paths", "a path or a list of paths", paths, "name the files or the folder"
        ) from None
    endings = tuple(suffixes)
    found: dict[tuple[int, int], Path] = {}
    for path in given:
        mode = _status(path).st_mode
        for one in _inside(path, endings, ledger) if stat.S_ISDIR(mode) else [path]:
            status = _status(one)
            if not stat.S_ISREG(status.st_mode):
                raise InputError.expected(
                    "path",
                    "a plain file or a folder",
                    Said(f"{one}, a pipe or a device"),
                    "save the data to a file first",
                )
            found.setdefault((status.st_dev, status.st_ino), one)
    if not found:
        raise InputError.expected(
            "paths", "at least one file", [], "name the files or the folder with the annotations"
        )
    return list(found.values())


def _status(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except FileNotFoundError:
        raise InputError.expected(
            "path", "an existing file or folder", str(path), _nearest_name(path)
        ) from None
    except (OSError, ValueError) as error:
        raise InputError.expected(
            "path",
            "a file that can be opened",
            str(path),
            f"the system says: {getattr(error, 'strerror', None) or error}",
        ) from None


def _inside(folder: Path, endings: tuple[str, ...], ledger: Ledger) -> list[Path]:
    found: list[Path] = []
    aside: dict[Path, str] = {}
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if noise_in(name) is None)
        for name in sorted(names):
            path = Path(base) / name
            plain = name.lower().removesuffix(".gz")
            why = noise_in(name)
            if why is None and plain.endswith((*endings, *ARCHIVES)):
                found.append(path)
            else:
                aside[path] = why or "no file of annotations, by its ending"
        if len(found) > MOST_FILES:
            raise InputError.expected(
                "a folder", f"of at most {MOST_FILES:,} files", str(folder), "name a part of it"
            )
    if any(path.suffix == ".ann" for path in found):  # beside them, .txt files are the texts
        aside |= {path: TEXTS for path in found if path.suffix == ".txt"}
        found = [path for path in found if path.suffix == ".ann"]
    if not found:
        raise InputError.expected(
            "a folder",
            f"one with annotation files ({', '.join(endings)})",
            str(folder),
            "name the files themselves",
        )
    for path, why in aside.items():
        ledger.set_aside("files", path.suffix or path.name, reason=why, matters=False)
    return found
