"""Files of units, on disk or inside an archive: found, and read as everything else is."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from consilience.core.account import Ledger
from consilience.core.input_files import PathLike, Said, listed_paths, status_of
from consilience.exceptions import InputError
from consilience.io.bytes._guarded import decode, parse_json
from consilience.io.bytes._source import NOT_PLAIN, Member, on_disk, walk
from consilience.io.bytes._text_kind import MARKS
from consilience.io.rater_names import file_name

ARCHIVES = (".zip", ".tar", ".tgz")
TEXTS = "the texts that were annotated"
_HEAD = 1 << 16


@dataclass(frozen=True)
class File:
    """One input file; its bytes are read once and kept while it is being understood.

    Inside an archive, `others` are the files beside it by name, `folders` those it lies in, and
    `document` what it belongs to in a project of INCEpTION.
    """

    path: Path
    encoding: str | None = None
    member: Member = field(kw_only=True, compare=False)
    others: Mapping[str, Member] | None = field(default=None, kw_only=True, compare=False)
    folders: tuple[str, ...] = ()
    document: str | None = None

    @classmethod
    def on_disk(cls, path: Path, encoding: str | None = None) -> File:
        """Return a file that is no part of an archive."""
        return cls(path, encoding, member=replace(on_disk(path), otherwise=None))

    @cached_property
    def data(self) -> bytes:
        """The bytes, unpacked if they are gzip."""
        return self.member.bytes()

    @cached_property
    def text(self) -> str:
        """The text: UTF-8, or UTF-16 / UTF-32 by its mark, or the encoding that was named."""
        return decode(self.data, str(self.path), encoding=self.encoding, otherwise=None)

    @cached_property
    def start(self) -> bytes:
        """The first bytes, unpacked if they are gzip."""
        return self.member.head(_HEAD)

    @cached_property
    def head(self) -> str:
        """The beginning of the text, for recognising it; never fails."""
        for mark, name in MARKS:
            if self.start.startswith(mark):
                return self.start.decode(name, errors="replace").removeprefix("\ufeff")
        return self.start.decode("utf-8", errors="replace")

    @property
    def lines(self) -> list[str]:
        """The lines, whatever ends them."""
        return self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def json(self) -> object:
        """Parse the file as one JSON document."""
        return parse_json(self.text, str(self.path))

    @property
    def suffix(self) -> str:
        """The ending of the name in small letters, that of the inner file for .gz."""
        return Path(self.path.name.lower().removesuffix(".gz")).suffix

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return file_name(self.path)

    def beside(self, name: str) -> File | None:
        """Return the file of this name in the same folder, None if there is none."""
        path = self.path.with_name(name)
        if self.others is None:
            return File.on_disk(path, self.encoding) if path.is_file() else None
        other = self.others.get(name)
        return None if other is None else replace(self, path=path, member=other)


def find_files(
    paths: PathLike | Iterable[PathLike], suffixes: Iterable[str], ledger: Ledger
) -> list[Path]:
    """Return the files, those in folders with one of the suffixes; none twice.

    What else lies in a folder is written into the ledger.
    """
    given = [Path(path) for path in listed_paths(paths)]
    endings = tuple(suffixes)
    found: dict[tuple[int, int], Path] = {}
    for path in given:
        mode = status_of(path, "an existing file or folder").st_mode
        for one in _inside(path, endings, ledger) if stat.S_ISDIR(mode) else [path]:
            status = status_of(one)
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


def _inside(folder: Path, endings: tuple[str, ...], ledger: Ledger) -> list[Path]:
    found: list[Path] = []
    aside: dict[Path, str] = {}
    for path, why in walk(folder):
        plain = path.name.lower().removesuffix(".gz")
        # Data that a program keeps versions of are links; whoever names their folder means them.
        if why in (None, NOT_PLAIN) and plain.endswith((*endings, *ARCHIVES)):
            found.append(path)
        else:
            aside[path] = why or "no file of annotations, by its ending"
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
