"""Archives of unit files, zip or tar: opened within the same budgets as the exports of ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from consilience.core.account import Ledger
from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.bytes._source import Member, Source
from consilience.io.bytes._unit_files import File
from consilience.io.bytes.looks import is_tar
from consilience.ratings import Note

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
        inside = every = list(_inside(file, members))
        if _is_project(member.name for member in members):
            inside, told = _annotated(file, inside)
            notes += told
        else:
            inside = [one for one in inside if one.suffix in endings]
            if any(one.suffix == ".ann" for one in inside):  # the texts beside them are no units
                inside = [one for one in inside if one.suffix == ".ann"]
        if not inside:
            raise InputError.expected(
                "an archive", "one with files of units", Said("none"),
                "unpack it and name the files", where=str(file.path),
            )  # fmt: skip
        found += inside
        kept = {one.path for one in inside}
        for one in every:
            if one.path not in kept:
                ledger.set_aside("files", one.suffix, reason=_NOT_UNITS, matters=False)
    return found, notes


def _inside(file: File, members: Sequence[Member]) -> Iterator[File]:
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


# -------------------------------------------------------------------- projects of INCEpTION


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
    from consilience.io.platforms.records._uima_documents import NOT_USERS, document_states

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
    told = (
        ("curation_left_out", curated, "documents as curated were left out: curation is no rater."),
        ("unopened_left_out", unopened,
         "copies of documents were left out that their user has not opened yet."),
    )  # fmt: skip
    return kept, [Note(code, f"{number:,} {words}") for code, number, words in told if number]
