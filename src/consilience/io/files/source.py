"""What an export consists of: files, the files of a folder, or the members of an archive."""

from __future__ import annotations

import io
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from consilience.core.words import first_of
from consilience.exceptions import InputError
from consilience.io.files.limits import (
    DEEPEST_ARCHIVE,
    LARGEST_RATIO,
    LARGEST_TEXT,
    LARGEST_UNPACKED,
    MOST_FILES,
    MOST_MEMBERS,
    RATIO_COUNTS_FROM,
    TRUST,
    UNPACKED_FREELY,
    damaged,
    refused,
)
from consilience.io.files.parsing import (
    TextTable,
    bounded,
    decode,
    parse_json,
    parse_records,
    parse_table,
)
from consilience.io.files.text import is_tar, open_bytes
from consilience.io.names import file_name

# ---- files that hold no data

_FOLDERS = ("__MACOSX", ".git", ".svn", ".ipynb_checkpoints", "__pycache__")
_FILES = ("thumbs.db", "desktop.ini", "ehthumbs.db", "icon\r")
_STEMS = ("readme", "read_me", "read me", "liesmich", "lisezmoi", "leeme", "license", "licence",
          "copying", "changelog", "changes", "authors", "contributors", "contributing", "citation",
          "notice")  # fmt: skip
_PROSE = ("", ".txt", ".md", ".rst", ".html", ".htm", ".pdf", ".docx", ".rtf", ".cff", ".bib")
_SETTINGS = (".conf", ".cfg", ".ini", ".lock", ".log")


def noise_in(name: str) -> str | None:
    """Say why a file is no data, by its path below the folder; None if it may well be.

    >>> noise_in("a/README.md"), noise_in("__MACOSX/._a.eaf"), noise_in("a/talk.eaf")
    ('a file about the data', 'a leftover of the system', None)
    """
    path = PurePosixPath(name.replace("\\", "/"))
    if any(part in _FOLDERS for part in path.parts) or path.name.casefold() in _FILES:
        return "a leftover of the system"
    if any(part.startswith(".") and part not in (".", "..") for part in path.parts):
        return "a hidden file"
    suffix = path.suffix.casefold()
    if path.stem.casefold() in _STEMS and suffix in _PROSE:
        return "a file about the data"
    return "settings of a program" if suffix in _SETTINGS else None


# ---- tar archives

_GZIP = b"\x1f\x8b"
_BLOCK = 512


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
                name = info.name.removeprefix("./")
                special = not info.isreg() or info.sparse is not None
                trouble = "a link, a device or a file with holes" if special else ""
                _check_member(info.name, trouble, name in found, where)
                _check_number(len(found) + 1, most, "more", where)
                stream = archive.extractfile(info)
                found[name] = stream.read() if stream else b""
            # Cut between two files, an archive would seem complete but for its last block.
            if data[archive.offset : archive.offset + _BLOCK] != bytes(_BLOCK):
                raise EOFError("it ends too early")
    except InputError:
        raise
    except (tarfile.TarError, EOFError, ValueError, OverflowError, OSError) as error:
        raise damaged(where, error, "a complete tar archive") from None
    return found


def _check_number(n_files: int, most: int, got: str, where: str) -> None:
    if n_files > most:
        raise refused(where, "an archive", f"one of at most {most:,} files", got, TRUST)


def _check_member(name: str, trouble: str, is_there: bool, where: str) -> None:
    """Refuse what is no plain file of an archive; `trouble` is what its own kind knows of it."""
    parts = name.replace("\\", "/").split("/")
    if parts[0] in ("", "~") or ".." in parts or name[1:2] == ":":
        trouble = "a name that leads out of it"
    elif is_there and not trouble:
        trouble = "a file that is in it twice"
    if trouble:
        raise refused(where, "an archive", "one of plain files", f"{trouble}: {name[:60]!r}", TRUST)


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
                    most, got = f"at most {largest >> 20} MB when unpacked", "more than that from"
                    raise refused(where, "an archive", most, f"{got} {len(data):,} bytes", TRUST)
                parts.append(part)
                part = unpack.decompress(unpack.unconsumed_tail, 1 << 20)
            if not unpack.eof:
                raise zlib.error("it ends too early")
            rest = unpack.unused_data
    except zlib.error as error:
        raise damaged(where, error) from None
    return b"".join(parts)


# ---- sources

NOT_PLAIN = "a link or a device"
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class Member:
    """One file: on disk, or inside a zip archive.

    `name` is its path below the folder or archive (the file's own name where it stands alone),
    `where` names it in messages. `otherwise` is the encoding of text that is no UTF-8, None to
    refuse it.
    """

    name: str
    where: str
    _read: Callable[[int | None], bytes]
    depth: int = 0
    otherwise: str | None = "cp1252"

    @property
    def stem(self) -> str:
        """The name without folders and endings: what a file per rater is called after."""
        return file_name(PurePosixPath(self.name))

    @property
    def suffix(self) -> str:
        """The ending in small letters, .gz left out."""
        return PurePosixPath(self.name.lower().removesuffix(".gz")).suffix

    def head(self, size: int = 1 << 20) -> bytes:
        """Return the first bytes."""
        return self._read(size)

    def bytes(self) -> bytes:
        """Return all bytes, within the budget."""
        return self._read(None)

    def text(self, *, encoding: str | None = None) -> str:
        """Return the whole text, line ends as they are."""
        return decode(self.bytes(), self.where, encoding=encoding, otherwise=self.otherwise)

    def json(self, *, encoding: str | None = None) -> Any:
        """Parse the whole file as one JSON document."""
        return parse_json(self.text(encoding=encoding), self.where)

    def records(self, *, encoding: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        """Return the records of a JSON list or of JSON lines, each with its place in the file."""
        found = parse_records(self.text(encoding=encoding), self.where)
        for place, record in found:
            if not isinstance(record, dict):
                form, got = "an object with named fields", str(record)[:60]
                raise refused(place, "every record", form, got, "check the export")
        return found

    def table(self, *, delimiter: str | None = None, encoding: str | None = None) -> TextTable:
        """Cut delimited text into rows."""
        text = self.text(encoding=encoding)
        return parse_table(text, self.where, delimiter=delimiter, suffix=self.suffix)

    def is_archive(self) -> bool:
        """Tell whether this is a zip or tar archive."""
        head = self.head(512)
        return head[:4] == _ZIP or is_tar(head) or (head[:2] == b"\x1f\x8b" and is_tar(self.head()))

    def members(self) -> tuple[Member, ...]:
        """Return what is inside, if this is an archive; checked before anything is unpacked."""
        if not self.is_archive():
            return ()
        read = _archive if self.head(4) == _ZIP else _from_tar
        return read(self.bytes(), self.where, self.depth + 1)


@dataclass(frozen=True)
class Source:
    """Everything the caller named: one file or several, or a folder.

    `members` are the files themselves; for a folder the files in it, for a zip archive its
    members, so that a reader need not care in which of them an export came.
    """

    paths: tuple[Path, ...]

    @property
    def where(self) -> str:
        """The files, for messages."""
        return first_of(self.paths, 1)

    @property
    def is_folder(self) -> bool:
        """Tell whether a folder was named."""
        return any(path.is_dir() for path in self.paths)

    @cached_property
    def files(self) -> tuple[Member, ...]:
        """The files on disk."""
        return tuple(member for path in self.paths for member in _files(path))

    @cached_property
    def members(self) -> tuple[Member, ...]:
        """The files on disk, with each zip archive replaced by what is inside it."""
        found: list[Member] = []
        for member in self.files:
            found.extend(member.members() or (member,))
        return tuple(found)


# ---- files on disk


def _files(path: Path) -> Iterator[Member]:
    if not path.is_dir():
        yield on_disk(path)
        return
    found = sorted((one for one, why in walk(path) if why is None), key=Path.as_posix)
    if not found:
        raise refused(str(path), "the folder", "filled with files", "none", "check the export")
    for inside in found:
        yield on_disk(inside, inside.relative_to(path).as_posix())


def walk(folder: Path) -> Iterator[tuple[Path, str | None]]:
    """Yield the files below a folder, each with the reason why it is no data, None for the others.

    Folders of programs and links to folders are not entered.
    """

    waiting, found = [folder], 0
    while waiting:
        here = waiting.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError as error:
            raise refused(
                str(here), "the folder", "one you may read", str(error.strerror), "change it"
            ) from None
        inside: list[Path] = []
        for entry in entries:
            why = noise_in(entry.name)
            if entry.is_dir(follow_symlinks=False):
                inside += [Path(entry.path)] if why is None else []
                continue
            if why is None and not entry.is_file(follow_symlinks=False):
                why = NOT_PLAIN
            found += why is None
            if found > MOST_FILES:
                most = f"one of at most {MOST_FILES:,} files"
                hint = "name the files that hold the data"
                raise refused(str(folder), "a folder", most, "more", hint)
            yield Path(entry.path), why
        waiting += reversed(inside)


def on_disk(path: Path, name: str = "") -> Member:
    """Return a file on disk; `name` is its path below the folder that was named."""

    def read(size: int | None) -> bytes:
        try:
            stream = open_bytes(path)
        except OSError as error:
            raise refused(
                str(path), "the file", "one you may read", str(error.strerror), "change it"
            ) from None
        with stream:
            if size is not None:
                return bounded(_Cut(stream, size), str(path), most=size)  # may be damaged there
            if path.suffix.lower() != ".gz":
                return bounded(stream, str(path))
            packed = path.stat().st_size
            most = min(LARGEST_TEXT, max(UNPACKED_FREELY, LARGEST_RATIO * packed))
            return bounded(stream, str(path), most=most, packed=packed)

    return Member(name or path.name, str(path), read)


@dataclass
class _Cut(io.RawIOBase):
    """A stream that ends early."""

    stream: Any
    left: int

    def read(self, size: int = -1) -> bytes:
        """Read at most what is left."""
        parts: list[bytes] = []
        while self.left > 0 and (part := self.stream.read(self.left)):
            parts.append(part)
            self.left -= len(part)
        return b"".join(parts)


# ---- zip archives


def _archive(data: bytes, where: str, depth: int) -> tuple[Member, ...]:
    _check_depth(where, depth)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        infos = [info for info in archive.infolist() if not info.is_dir()]
    except Exception as error:  # damaged archives make zipfile raise anything
        raise damaged(where, error, "a complete zip archive") from None
    _check_members(infos, where)
    budget = _Budget(where, len(data))

    wanted = [info for info in infos if noise_in(info.filename) is None]
    return tuple(_member(archive, info, where, budget, depth) for info in wanted)


def _from_tar(data: bytes, where: str, depth: int) -> tuple[Member, ...]:
    """Return the files of a tar archive, within the same budgets."""
    _check_depth(where, depth)
    budget = max(LARGEST_RATIO * len(data), RATIO_COUNTS_FROM)
    largest = min(budget, LARGEST_UNPACKED)

    files = tar_files(data, where, most=MOST_MEMBERS, largest=largest)
    return tuple(
        Member(name, f"{where}, {name}", _held(content), depth)
        for name, content in files.items()
        if noise_in(name) is None
    )


def _held(content: bytes) -> Callable[[int | None], bytes]:
    return lambda size: content[:size]


def _check_depth(where: str, depth: int) -> None:
    if depth > DEEPEST_ARCHIVE:
        most = f"packed at most {DEEPEST_ARCHIVE} times"
        raise refused(where, "an archive", most, "one inside another", TRUST)


def _check_members(infos: list[zipfile.ZipInfo], where: str) -> None:
    _check_number(len(infos), MOST_MEMBERS, f"{len(infos):,}", where)
    seen: set[str] = set()
    for info in infos:
        trouble = "a link" if stat.S_ISLNK(info.external_attr >> 16) else ""
        trouble = trouble or ("an encrypted file" if info.flag_bits & 0x1 else "")
        _check_member(info.filename, trouble, info.filename in seen, where)
        seen.add(info.filename)


@dataclass
class _Budget:
    """Bytes unpacked so far, counted while they come: headers lie."""

    where: str
    packed: int
    unpacked: int = 0

    def allow(self, more: int) -> None:
        self.unpacked += more
        most = max(LARGEST_RATIO * self.packed, RATIO_COUNTS_FROM)
        if self.unpacked > min(most, LARGEST_UNPACKED):
            size, got = LARGEST_UNPACKED >> 20, self.unpacked >> 20
            what = "an archive"
            needed = f"at most {size} MB and {LARGEST_RATIO} times larger when unpacked"
            raise refused(self.where, what, needed, f"{got:,} MB from {self.packed:,} bytes", TRUST)


def _member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str, budget: _Budget, depth: int
) -> Member:
    place = f"{where}, {info.filename}"
    kept: list[bytes] = []

    def read(size: int | None) -> bytes:
        if kept:
            return kept[0][:size]
        chunks: list[bytes] = []
        got = 0
        try:
            with archive.open(info) as stream:
                while (size is None or got < size) and (chunk := stream.read(1 << 16)):
                    got += len(chunk)
                    budget.allow(len(chunk))
                    chunks.append(chunk)
        except InputError:
            raise
        except Exception as error:
            raise damaged(place, error) from None
        data = b"".join(chunks)
        if size is None or got < size:
            kept.append(data)  # a second look costs nothing and is not counted again
        return data[:size]

    return Member(info.filename, place, read, depth)
