"""Files of units, on disk or inside an archive: found, opened, cut into rows and numbers."""

from __future__ import annotations

import math
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from consilience.core.cell_values import as_number
from consilience.core.input_files import PathLike, Said, listed_paths, status_of
from consilience.core.labels import Note
from consilience.core.reading_account import Ledger
from consilience.exceptions import InputError
from consilience.io.files.limits import refused
from consilience.io.files.parsing import csv_rows, decode, parse_json
from consilience.io.files.source import NOT_PLAIN, Member, Source, on_disk, walk
from consilience.io.files.text import MARKS, is_tar
from consilience.io.names import file_name

# ---- files

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

    def wrong(
        self, line: int, what: str, expectation: str, got: object, hint: str = "correct the line"
    ) -> InputError:
        """Build the sentence that refuses a line."""
        return InputError.expected(what, expectation, got, hint, where=f"{self.path}, line {line}")

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
        for one in _in_folder(path, endings, ledger) if stat.S_ISDIR(mode) else [path]:
            status = status_of(one)
            if not stat.S_ISREG(status.st_mode):
                needed = "a plain file or a folder"
                got = Said(f"{one}, a pipe or a device")
                raise InputError.expected("path", needed, got, "save the data to a file first")
            found.setdefault((status.st_dev, status.st_ino), one)
    if not found:
        raise InputError.expected(
            "paths", "at least one file", [], "name the files or the folder with the annotations"
        )
    return list(found.values())


def _in_folder(folder: Path, endings: tuple[str, ...], ledger: Ledger) -> list[Path]:
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
        needed = f"one with annotation files ({', '.join(endings)})"
        raise InputError.expected("a folder", needed, str(folder), "name the files themselves")
    for path, why in aside.items():
        ledger.set_aside("files", path.suffix or path.name, reason=why, matters=False)
    return found


# ---- archives

PROJECT = ("annotation", "curation")  # folders of an INCEpTION project, one inside per document
_BESIDE = ("source", "annotation_ser")  # what else a project has
_ZIP = b"PK\x03\x04"
_NOT_UNITS = "no file of a rater's own annotations"


def unpacked(
    files: Sequence[File], suffixes: Iterable[str], ledger: Ledger
) -> tuple[list[File], list[Note]]:
    """Replace archives by what is inside them; other files stay as they are."""
    endings = tuple(suffixes)
    found: list[File] = []
    notes: list[Note] = []
    for file in files:
        if file.start[:4] != _ZIP and not is_tar(file.start):
            found.append(file)
            continue
        members = Source((file.path,)).members
        inside = every = list(_in_archive(file, members))
        if _is_project(member.name for member in members):
            inside, told = _annotated(file, inside)
            notes += told
        else:
            inside = [one for one in inside if one.suffix in endings]
            if any(one.suffix == ".ann" for one in inside):  # the texts beside them are no units
                inside = [one for one in inside if one.suffix == ".ann"]
        if not inside:
            hint = "unpack it and name the files"
            raise refused(str(file.path), "an archive", "one with files of units", "none", hint)
        found += inside
        kept = {one.path for one in inside}
        for one in every:
            if one.path not in kept:
                ledger.set_aside("files", one.suffix, reason=_NOT_UNITS, matters=False)
    return found, notes


def _in_archive(file: File, members: Sequence[Member]) -> Iterator[File]:
    """Yield the files of an archive; one inside another is taken for its folder."""
    folders: dict[str, dict[str, Member]] = {}
    for member in members:
        place = PurePosixPath(member.name)
        folders.setdefault(str(place.parent), {})[place.name] = member
    for folder, beside in folders.items():
        for name, member in beside.items():
            here, inside = file.path / folder, PurePosixPath(folder).parts
            if not member.is_archive():
                yield _file(here / name, file.encoding, inside, member, beside)
                continue
            deeper = {PurePosixPath(one.name).name: one for one in member.members()}
            for inner, one in deeper.items():
                yield _file(here / inner, file.encoding, inside, one, deeper)


def _file(
    path: Path,
    encoding: str | None,
    folders: tuple[str, ...],
    member: Member,
    others: Mapping[str, Member],
) -> File:
    """Return a file of an archive, which messages call by its path as if it were a folder."""
    named = replace(member, where=str(path), otherwise=None)
    return File(path, encoding, folders, member=named, others=others)


# ---- projects of INCEpTION


def project_document(file: File) -> str | None:
    """Return the document in whose folder a user's file of a project lies, None elsewhere."""
    if file.others is not None:
        return file.document
    parts = file.path.absolute().parents
    is_project = len(parts) > 2 and parts[1].name in PROJECT
    if is_project and any((parts[2] / name).is_dir() for name in _BESIDE):
        return parts[0].name
    return None


def _is_project(names: Iterable[str]) -> bool:
    """Tell whether an archive holds a project: users' files, and what the project has beside."""
    parts = [PurePosixPath(name).parts for name in names]
    return any(len(part) > 2 and part[-3] == PROJECT[0] for part in parts) and any(
        not set(_BESIDE).isdisjoint(part[:2]) for part in parts
    )


def _annotated(file: File, inside: Sequence[File]) -> tuple[list[File], list[Note]]:
    """Keep the users' own work: neither curation, nor what nobody has opened yet."""
    from consilience.io.events.uima import NOT_USERS, document_states

    states = dict(document_states(Source((file.path,))))
    kept: list[File] = []
    unopened = curated = 0
    for one in inside:
        *_, folder, document = ("", "", *one.folders)
        if one.suffix not in (".xmi", ".json", ".tsv") or one.stem in NOT_USERS:
            continue
        curated += folder == PROJECT[1]
        if folder != PROJECT[0]:
            continue
        if states.get((document, one.stem)) == "NEW":
            unopened += 1
        else:
            kept.append(replace(one, document=document))
    notes = []
    if curated:
        told = f"{curated:,} documents as curated were left out: curation is no rater."
        notes.append(Note("curation_left_out", told))
    if unopened:
        told = f"{unopened:,} copies of documents were left out that their user has not opened yet."
        notes.append(Note("unopened_left_out", told))
    return kept, notes


# ---- rows of delimited text

_MOST_LINES = 2_000_000  # of text that is cut line by line; people annotate far less

Row = tuple[int, list[str]]


def rows_of(file: File, delimiter: str, *, quoted: bool = True) -> list[Row]:
    """Return (line, cells) of each line that is not blank."""
    if not quoted:
        _check_length(file)
        return [
            (number, line.split(delimiter))
            for number, line in enumerate(file.lines, start=1)
            if line.strip()
        ]
    rows = csv_rows(file.text, str(file.path), delimiter)
    stripped = [(line, [cell.strip() for cell in cells]) for line, cells in rows]
    return [(line, cells) for line, cells in stripped if any(cells)]


def _check_length(file: File) -> None:
    n_lines = file.text.count("\n") or file.text.count("\r")
    if n_lines > _MOST_LINES:
        what = "a file of annotations"
        needed = f"at most {_MOST_LINES:,} lines long"
        hint = "check the export, or export one file for each session"
        raise InputError.expected(what, needed, n_lines, hint, where=str(file.path))


def delimiter_of(line: str) -> str:
    """Return the sign that cuts a header into most cells."""
    return max("\t,;", key=line.count)


# ---- numbers


def number_at(text: str, file: File, line: int, what: str) -> float:
    """Return a number; refuse anything else with its line."""
    value = as_number(text)
    if value is None:
        raise file.wrong(line, what, "a number", text[:60])
    return value


def json_number(value: object) -> float | None:
    """Return a JSON value as a finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, str):
        return as_number(value)
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
