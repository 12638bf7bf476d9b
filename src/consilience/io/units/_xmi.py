"""UIMA XMI (INCEpTION, WebAnno): read with dkpro-cassis, an extra."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from consilience.exceptions import InputError, MissingDependencyError
from consilience.io._paths import Said
from consilience.io.units import _xml
from consilience.io.units._files import File
from consilience.io.units._found import Found, Strand, Wishes, listed
from consilience.io.units._registry import register
from consilience.ratings import Note

_NOT_LAYERS = ("Token", "Sentence", "Paragraph", "DocumentAnnotation", "DocumentMetaData",
               "TagDescription", "TagsetDescription", "Dependency")  # fmt: skip
_OWN = frozenset(("begin", "end", "sofa", "self", "xmiID", "type"))
_VALUES = ("value", "label", "identifier", "PosValue")


def _recognise(file: File) -> bool:
    return file.suffix == ".xmi" or "<xmi:XMI" in file.head


@register(
    "xmi",
    title="UIMA XMI",
    suffixes=(".xmi",),
    rules=("file-suffix", "file-prefix", "folder", "file"),
    recognise=_recognise,
)
def read_xmi(file: File, wishes: Wishes) -> Found:
    """Read the annotations of every layer; a type system must lie beside the file."""
    _xml.check(file.data, file.path)
    try:
        import cassis  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise MissingDependencyError.for_extra(
            "reading UIMA XMI", "dkpro-cassis", "uima"
        ) from error
    system = _type_system(file)
    _xml.check(system.data, system.path)
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
    here = file.path.absolute().parent
    candidates: list[Path] = [
        folder / name
        for folder in (here, here.parent)
        for name in ("TypeSystem.xml", "typesystem.xml", f"{file.stem}.TypeSystem.xml")
    ]
    for path in candidates:
        if path.is_file():
            return File(path)
    raise InputError.expected(
        "an XMI file",
        "beside its TypeSystem.xml",
        Said("no type system"),
        "unpack the whole export into one folder",
        where=str(file.path),
    )


def _units(file: File, cas: Any, wishes: Wishes) -> Found:
    found = Found(file.path, "character")
    text = cas.sofa_string or ""
    layers: dict[str, list[Any]] = {}
    newer = getattr(cas, "select_all_annotations", None)  # older versions have the other
    for one in newer() if newer else cas.select_all():
        short = one.type.name.rpartition(".")[2]
        if hasattr(one, "begin") and short not in _NOT_LAYERS and one.begin is not None:
            layers.setdefault(short, []).append(one)
    for layer, marks in layers.items():
        strand = found.number(Strand(layer))
        feature = _feature(found, layer, marks, wishes)
        for mark in marks:
            label = getattr(mark, feature, None) if feature else None
            place = f"annotation {getattr(mark, 'xmiID', '?')}"
            found.add(strand, mark.begin, mark.end, "" if label is None else str(label), place)
    if not layers:
        found.number(Strand("tier"))
    for strand in range(len(found.strands)):
        found.bounds[strand] = (0, len(text))
        found.texts[strand] = tuple(text.split())
    return found


def _feature(found: Found, layer: str, marks: list[Any], wishes: Wishes) -> str | None:
    """Choose the feature that is the label."""
    names = [feature.name for feature in marks[0].type.all_features if feature.name not in _OWN]
    if wishes.label in names:
        return wishes.label
    filled = [
        name
        for name in names
        if any(isinstance(getattr(mark, name, None), (str, int, bool)) for mark in marks)
    ]
    if len(filled) > 1:
        chosen = next((name for name in _VALUES if name in filled), filled[0])
        found.notes.append(
            Note(
                "label_feature",
                f"Layer {layer!r} has the features {listed(names)}; {chosen!r} was taken as the "
                "label (label=).",
            )
        )
        return chosen
    return filled[0] if filled else None
