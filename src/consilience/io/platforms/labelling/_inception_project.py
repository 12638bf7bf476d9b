"""INCEpTION and WebAnno: the project as a zip archive, labels of whole documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.bytes._guarded import parse_json
from consilience.io.bytes._source import Member, Source
from consilience.io.platforms._choices import chosen
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.records._uima_documents import (
    NOT_USERS,
    document_states,
    from_xmi,
    parts_of,
)

_FOLDERS = {"annotation": "person", "curation": "gold"}
_BASE = "uima.cas.AnnotationBase"
_PLAIN = ("uima.cas.String", "uima.cas.Integer", "uima.cas.Boolean", "uima.cas.Float",
          "uima.cas.Double", "uima.cas.Long")  # fmt: skip

Labels = dict[str, object]


@export(
    "inception-project",
    title="INCEpTION project (ZIP)",
    suffixes=(".zip",),
    experimental=True,
    label_names="variables",
)
class InceptionProject:
    """Layers of document metadata: an item per document, a variable per feature."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for a folder per document with a file per user."""
        names = [PurePosixPath(name) for name in sample.members()]
        # Somebody may have packed it again, together with the folder around it.
        if any(len(name.parts) in (3, 4) and name.parts[-3] in _FOLDERS for name in names):
            return "a folder per document below annotation"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read the labels of whole documents by every user and by the curator."""
        states = dict(document_states(source))
        works = []
        for kind, document, user, member, types in _files(source):
            labels = _labels(_cas(member, types), member.where)
            works.append((kind, document, user, member.where, labels))
        variables = list(dict.fromkeys(name for *_, labels in works for name in labels))
        if works and not variables:
            raise InputError.expected(
                "the project", "one with labels of whole documents", Said("spans only"),
                "compare spans with `consilience units`", where=source.where,
            )  # fmt: skip
        found = Annotations(roles={"item": "document", "rater": "the name of the file"})
        open_ = 0
        for kind, document, user, place, labels in works:
            state = states.get((document, user), "")
            if state == "NEW" and not labels:
                continue  # the file holds what was imported, nobody has looked at it
            open_ += state == "INPROGRESS"
            for name in variables:
                found.add(
                    document, "curation" if kind == "gold" else user, labels.get(name),
                    variable=name, kind=kind, place=place,
                    reason="locked" if state in ("IGNORE", "LOCKED") else "",
                )  # fmt: skip
        if open_:
            found.note(
                "unfinished", f"{open_:,} documents were not yet marked as finished by their user."
            )
        return found


def _files(source: Source) -> Iterator[tuple[str, str, str, Member, Member | None]]:
    """Yield kind, document, user, the file and its type system."""
    for member in source.members:
        parts = PurePosixPath(member.name).parts
        if len(parts) < 3 or parts[-3] not in _FOLDERS:
            continue
        kind, document = _FOLDERS[parts[-3]], parts[-2]
        inside = member.members() or (member,)
        types = next((one for one in inside if one.stem in NOT_USERS[1:]), None)
        for one in inside:
            if one.suffix in (".json", ".xmi") and one.stem not in NOT_USERS:
                yield kind, document, one.stem, one, types


def _cas(member: Member, types: Member | None) -> Any:
    """Return a document in the form of UIMA CAS JSON."""
    if member.suffix == ".json":
        return member.json()
    return parse_json(from_xmi(member, types, lambda cas: str(cas.to_json())), member.where)


def _labels(cas: Any, place: str) -> Labels:
    """Return layer and feature to label, for layers that belong to no place in the text."""
    types, entries = parts_of(cas, place)
    given: dict[str, list[object]] = {}
    for entry in entries:
        layer = str(entry.get("%TYPE"))
        described = types.get(layer, {})
        if described.get("%SUPER_TYPE") != _BASE:
            continue
        for feature, about in described.items():
            if isinstance(about, dict) and about.get("%RANGE") in _PLAIN:
                kept = given.setdefault(f"{layer.rpartition('.')[2]}.{feature}", [])
                value = entry.get(feature)
                if isinstance(value, (str, int, float)) and value != "":
                    kept.append(value)
    return {name: chosen(values) for name, values in given.items()}
