"""UIMA XMI (INCEpTION, WebAnno): read with dkpro-cassis, an extra."""

from __future__ import annotations

from typing import Any

from consilience.io.annotations.strands import Found, Wishes
from consilience.io.annotations.text._layers import RULES, Mark, units_of
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._source import Member, on_disk
from consilience.io.bytes._unit_files import File
from consilience.io.platforms.records._uima_documents import from_xmi


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
    return from_xmi(file.member, _type_system(file), lambda cas: _units(file, cas, wishes))


def _type_system(file: File) -> Member | None:
    names = ("TypeSystem.xml", "typesystem.xml", f"{file.stem}.TypeSystem.xml")
    beside = [other.member for name in names if (other := file.beside(name)) is not None]
    folder = file.path.absolute().parent.parent
    above = [on_disk(folder / name) for name in names if (folder / name).is_file()]
    return next(iter((*beside, *above)), None)


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
    return units_of(file, layers, wishes, text=text)
