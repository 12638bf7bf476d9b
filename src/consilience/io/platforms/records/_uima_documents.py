"""UIMA (INCEpTION, WebAnno): documents as CAS JSON, or as XMI read with dkpro-cassis, an extra."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from consilience.exceptions import InputError, MissingDependencyError
from consilience.io.bytes import _strict_xml
from consilience.io.bytes._guarded import refused
from consilience.io.bytes._source import Member, Source

NOT_USERS = ("INITIAL_CAS", "TypeSystem", "typesystem")  # files of a project that nobody made

T = TypeVar("T")
Types = dict[str, dict[str, Any]]


def parts_of(cas: Any, where: str) -> tuple[Types, list[dict[str, Any]]]:
    """Return the types and the feature structures of a document in CAS JSON."""
    types = cas.get("%TYPES") if isinstance(cas, dict) else None
    entries = cas.get("%FEATURE_STRUCTURES") if isinstance(cas, dict) else None
    if isinstance(entries, dict):  # older files name them by their numbers
        entries = [{"%ID": key, **one} for key, one in entries.items() if isinstance(one, dict)]
    if not isinstance(entries, list) or not isinstance(types or {}, dict):
        raise refused(
            where, "the file", "UIMA CAS JSON with %FEATURE_STRUCTURES", "none",
            "export the document again",
        )  # fmt: skip
    known = {str(name): one for name, one in (types or {}).items() if isinstance(one, dict)}
    return known, [one for one in entries if isinstance(one, dict)]


def from_xmi(file: Member, types: Member | None, use: Callable[[Any], T]) -> T:
    """Return what `use` makes of a document of dkpro-cassis; whatever is wrong is one sentence."""
    _strict_xml.check(file.bytes(), Path(file.where))
    try:
        import cassis  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise MissingDependencyError.for_extra(
            "reading UIMA XMI", "dkpro-cassis", "uima"
        ) from error
    if types is None:
        raise refused(
            file.where, "an XMI file", "beside its TypeSystem.xml", "no type system",
            "unpack the whole export into one folder, or export it as CAS JSON",
        )  # fmt: skip
    _strict_xml.check(types.bytes(), Path(types.where))
    try:
        system = cassis.load_typesystem(io.BytesIO(types.bytes()))
        return use(cassis.load_cas_from_xmi(io.BytesIO(file.bytes()), typesystem=system))
    except InputError:
        raise
    except Exception as error:  # the library has no error of its own
        raise refused(
            file.where, "the file", f"XMI that fits {PurePosixPath(types.name).name}",
            f"{type(error).__name__}: {str(error)[:80]}",
            "export the document again together with its type system",
        ) from error  # fmt: skip


def document_states(source: Source) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield document and user to what the project says about their work."""
    for member in source.members:
        if member.suffix != ".json" or "annotation" in PurePosixPath(member.name).parts:
            continue
        try:
            project = member.json()
        except InputError:
            continue
        entries = project.get("annotation_documents") if isinstance(project, dict) else None
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict):
                state = str(entry.get("state") or "").upper().replace("_", "")
                yield (str(entry.get("name")), str(entry.get("user"))), state
