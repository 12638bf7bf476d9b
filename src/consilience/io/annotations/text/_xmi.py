"""UIMA XMI (INCEpTION, WebAnno): read with dkpro-cassis, an extra."""

from __future__ import annotations

import io
from typing import Any

from consilience.exceptions import InputError, MissingDependencyError
from consilience.io.annotations.strands import Found, Wishes
from consilience.io.annotations.text._layers import RULES, Mark, units_of
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes import _strict_xml
from consilience.io.bytes._unit_files import File
from consilience.io.bytes.paths import Said


def _recognise(file: File) -> bool:
    return file.suffix == ".xmi" or "<xmi:XMI" in file.head


@register(
    "xmi",
    title="UIMA XMI",
    suffixes=(".xmi",),
    rules=RULES,
    recognise=_recognise,
    settled=True,
)
def read_xmi(file: File, wishes: Wishes) -> Found:
    """Read the annotations of every layer; a type system must lie beside the file."""
    _strict_xml.check(file.data, file.path)
    try:
        import cassis  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise MissingDependencyError.for_extra(
            "reading UIMA XMI", "dkpro-cassis", "uima"
        ) from error
    system = _type_system(file)
    _strict_xml.check(system.data, system.path)
    try:
        types = cassis.load_typesystem(io.BytesIO(system.data))
        cas = cassis.load_cas_from_xmi(io.BytesIO(file.data), typesystem=types)
        found = _units(file, cas, wishes)
    except InputError:
        raise
    except Exception as error:  # the library has no error of its own
        raise InputError.expected(
            "the file",
            f"XMI that fits {system.path.name}",
            Said(f"{type(error).__name__}: {str(error)[:80]}"),
            "export the document again together with its type system",
            where=str(file.path),
        ) from error
    return found


def _type_system(file: File) -> File:
    names = ("TypeSystem.xml", "typesystem.xml", f"{file.stem}.TypeSystem.xml")
    above = file.path.absolute().parent.parent
    for name in names:
        beside = file.beside(name)
        if beside is not None:
            return beside
    for name in names:
        if (above / name).is_file():
            return File.on_disk(above / name)
    raise InputError.expected(
        "an XMI file",
        "beside its TypeSystem.xml",
        Said("no type system"),
        "unpack the whole export into one folder",
        where=str(file.path),
    )


def _units(file: File, cas: Any, wishes: Wishes) -> Found:
    layers: dict[str, list[Mark]] = {}
    newer = getattr(cas, "select_all_annotations", None)  # older versions have the other
    for one in newer() if newer else cas.select_all():
        if hasattr(one, "begin") and one.begin is not None:
            names = [feature.name for feature in one.type.all_features]
            features = {name: getattr(one, name, None) for name in names}
            place = f"annotation {getattr(one, 'xmiID', '?')}"
            mark = Mark(one.begin, one.end, features, place)
            layers.setdefault(one.type.name, []).append(mark)
    text = cas.sofa_string or ""
    return units_of(file, layers, wishes, end=len(text), words=tuple(text.split()))
