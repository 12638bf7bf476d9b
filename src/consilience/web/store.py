"""What is open: files as they were when they were opened, and the readings that somebody chose.

A reading never changes. A correction makes another one with a name of its own, which cannot be
guessed, so Back shows what was there before, and two tabs never see each other's choices. What is
shown must not move while somebody writes the file, so most are copied when they are opened.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from consilience.core.words import printable

# ---- A file, a folder or a database as it is at one moment: when it changed, how large it is

MOST_COPIED = 128 << 20  # bytes; what is larger is read where it lies
_MOST_INSIDE = 10_000
_PENDING = ".wal"  # beside a DuckDB database: what it has not taken in yet
_DECISIONS = (".sqlite", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal")  # may be our own
_UNKNOWN = (0, 0, 0)

Stamp = tuple[int, ...]


def _files(path: Path) -> list[Path]:
    """Return the files that a path stands for."""
    if not path.is_dir():
        beside = path.with_name(path.name + _PENDING)
        return [path, beside] if beside.is_file() else [path]
    inside = islice(path.rglob("*"), _MOST_INSIDE)
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


# ---- What is open: files, and for each file the readings of it that somebody chose

_LONGEST_NAME = 120
_MOST_STATES = 2_000
_MOST_FILES = 100
_MOST_BYTES = 1 << 30  # of uploads that are kept
# Endings that readers look at; any other name becomes plain data.
_ENDINGS = (
    "csv", "tsv", "txt", "json", "jsonl", "ndjson", "xlsx", "xls", "ods", "parquet", "sav", "dta",
    "eaf", "textgrid", "xml", "rttm", "zip", "gz", "tar", "xmi", "ann", "conll", "boris", "rows",
    "duckdb", "ddb",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class DataFile:
    """A file to be read.

    Attributes
    ----------
    id : str
        Its name in addresses.
    shown : str
        What people call it: the path that was typed, or the name that the browser told.
    path : str
        Where its bytes are.
    key : str
        Changes with its content; decisions belong to it.
    kind : {"upload", "local", "demo"}
    """

    id: str
    shown: str
    path: str
    key: str
    kind: str
    size: int
    opened: float = 0.0
    origin: str = ""  # the path that is watched, where it is
    stamp: Stamp = (0, 0, 0)  # of the origin when it was copied

    @property
    def is_kept(self) -> bool:
        """Whether the bytes are ours: nobody else changes them, and we remove them."""
        return self.path != self.origin


@dataclass(frozen=True, kw_only=True)
class State:
    """One way to read a file and to measure it; `parent` is the one it was made from."""

    id: str
    file: DataFile
    reading: Mapping[str, Any] = field(default_factory=dict)
    measuring: Mapping[str, Any] = field(default_factory=dict)
    anonymise: bool = False
    parent: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)  # of single screens: systems, round, ...


class Store:
    """Files and readings of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: OrderedDict[str, DataFile] = OrderedDict()
        self._states: OrderedDict[str, State] = OrderedDict()
        self._pending: dict[str, DataFile] = {}  # watched files that changed, by their path

    # ---------------------------------------------------------------- files

    def new_place(self, name: str) -> Path:
        """Return a path under a random name; of the client's name only a known ending is kept."""
        ending = name.lower().rpartition(".")[2]
        suffix = f".{ending}" if ending in _ENDINGS else ""
        return self.folder / f"{secrets.token_hex(16)}{suffix}"

    def add_upload(self, place: Path, name: str, kind: str = "upload") -> DataFile:
        """Keep a file that was written to `new_place`."""
        file = self._made(place, shown_name(name), kind)
        self.keep(file)
        return file

    def add_local(self, path: str) -> DataFile:
        """Take a file of this machine; most are copied, so that it can change meanwhile."""
        os.stat(path)  # raises if there is none
        file = self._made_local(path)
        self.keep(file)
        return file

    def _made_local(self, path: str) -> DataFile:
        source = Path(path)
        stamp = stamp_of(source)
        if not is_copied(source):
            return self._made(source, path, "local", origin=path, stamp=stamp)
        place = self.new_place(source.name)
        copy_to(place, source)
        return self._made(place, path, "local", origin=path, stamp=stamp)

    def pending(self, origin: str, stamp: Stamp) -> DataFile:
        """Return a watched file as it is now, not yet shown; copied once for every change."""
        known = self._pending.get(origin)
        if known is not None and known.stamp == stamp:
            return known
        if known is not None and known.is_kept:
            remove_copy(Path(known.path))
        self._pending[origin] = self._made_local(origin)
        return self._pending[origin]

    def keep(self, file: DataFile) -> None:
        """Take a file that was pending among those that are open."""
        self._pending.pop(file.origin, None)
        self._files[file.id] = file
        self._forget()

    def _made(
        self, place: Path, shown: str, kind: str, *, origin: str = "", stamp: Stamp = (0, 0, 0)
    ) -> DataFile:
        return DataFile(
            id=secrets.token_urlsafe(16), shown=shown, path=str(place),
            key=fingerprint(place), kind=kind, size=stamp_of(place)[1],
            opened=time.time(), origin=origin, stamp=stamp,
        )  # fmt: skip

    def _forget(self) -> None:
        """Let the oldest uploads go when there are too many of them."""
        kept = [file for file in self._files.values() if file.is_kept]
        while len(self._files) > _MOST_FILES or sum(f.size for f in kept) > _MOST_BYTES:
            oldest = next(iter(self._files.values()))
            if oldest is self.newest:
                return
            del self._files[oldest.id]
            kept = [file for file in kept if file.id != oldest.id]
            for state in [one for one in self._states.values() if one.file.id == oldest.id]:
                del self._states[state.id]
            if oldest.is_kept:
                remove_copy(Path(oldest.path))

    @property
    def newest(self) -> DataFile:
        """The file that was opened last."""
        return next(reversed(self._files.values()))

    @property
    def recent(self) -> list[State]:
        """The latest reading of each file, the newest file first."""
        last = {state.file.id: state for state in self._states.values()}
        return [last[name] for name in reversed(self._files) if name in last]

    # ---------------------------------------------------------------- readings

    def start(self, file: DataFile, **options: Any) -> State:
        """Return a first reading of a file."""
        return self._keep(State(id=secrets.token_urlsafe(16), file=file, **options))

    def changed(self, state: State, **options: Any) -> State:
        """Return another reading of the same file."""
        return self._keep(replace(state, id=secrets.token_urlsafe(16), parent=state.id, **options))

    def _keep(self, state: State) -> State:
        self._states[state.id] = state
        while len(self._states) > _MOST_STATES:
            self._states.popitem(last=False)
        return state

    def state(self, name: str) -> State | None:
        """Return a reading by its name; None if there is none."""
        return self._states.get(name)


def shown_name(name: str) -> str:
    """Return the name of a file as text to be shown: its last part, without control characters."""
    last = name.replace("\\", "/").rpartition("/")[2].strip()
    text = printable(last) or "file"
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"
