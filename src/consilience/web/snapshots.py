"""A file, a folder or a database as it is at one moment: when it changed, how large it is, a copy.

What is shown must not move while somebody writes the file, so most are copied when they are opened.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from itertools import islice
from pathlib import Path

MOST_COPIED = 128 << 20  # bytes; what is larger is read where it lies
_MOST_FILES = 10_000
_PENDING = ".wal"  # beside a DuckDB database: what it has not taken in yet
_DECISIONS = (".sqlite", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal")  # may be our own
_UNKNOWN = (0, 0, 0)

Stamp = tuple[int, ...]


def _files(path: Path) -> list[Path]:
    """Return the files that a path stands for."""
    if not path.is_dir():
        beside = path.with_name(path.name + _PENDING)
        return [path, beside] if beside.is_file() else [path]
    inside = islice(path.rglob("*"), _MOST_FILES)
    return sorted(one for one in inside if one.is_file() and _counts(one.relative_to(path)))


def _counts(inside: Path) -> bool:
    is_hidden = any(part.startswith(".") for part in inside.parts)
    return not is_hidden and not inside.name.endswith(_DECISIONS)


def stamp_of(path: Path) -> Stamp:
    """Return what changes when a file is written: its time, its size, how many files it is."""
    try:
        found = [os.stat(one) for one in _files(path)]
    except OSError:
        return _UNKNOWN
    return (
        max((one.st_mtime_ns for one in found), default=0),
        sum(one.st_size for one in found),
        len(found),
    )


def is_known(stamp: Stamp) -> bool:
    """Tell whether there is anything."""
    return stamp[-1] > 0


def is_copied(path: Path) -> bool:
    """Tell whether a path is small enough, and plain enough, to be copied."""
    return (path.is_file() or path.is_dir()) and stamp_of(path)[1] <= MOST_COPIED


def copy_to(place: Path, source: Path) -> None:
    """Copy a file, a folder or a database; a later change of it is not seen here."""
    if source.is_dir():
        place.mkdir()
    for one in _files(source):
        target = (
            place / one.relative_to(source) if source.is_dir() else _renamed(place, source, one)
        )
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(one, target)


def _renamed(place: Path, source: Path, one: Path) -> Path:
    return place.with_name(place.name + one.name.removeprefix(source.name))


def remove_copy(place: Path) -> None:
    """Remove what `copy_to` wrote, or an upload."""
    if place.is_dir():
        shutil.rmtree(place, ignore_errors=True)
        return
    for one in (place, place.with_name(place.name + _PENDING)):
        one.unlink(missing_ok=True)


def fingerprint(path: Path) -> str:
    """Return what tells one content from another; of what is large, its name and its stamp."""
    if not is_copied(path):
        told = f"{path.resolve()} {stamp_of(path)}"
        return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()
    if path.is_file() and len(_files(path)) == 1:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    whole = hashlib.sha256()
    for one in _files(path):
        with one.open("rb") as stream:
            inside = hashlib.file_digest(stream, "sha256").hexdigest()
        name = one.relative_to(path) if path.is_dir() else one.suffix
        whole.update(f"{name} {inside}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()
