"""UIMA (INCEpTION, WebAnno): layers of annotations over a text, from CAS JSON or XMI."""

from __future__ import annotations

import io
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from consilience.exceptions import InputError, MissingDependencyError
from consilience.io.events.rater_rules import NOT_MEASURED
from consilience.io.events.registry import Found, Strand, Wishes, listed, register
from consilience.io.events.unit_files import File, json_number, project_document
from consilience.io.files import strict_xml
from consilience.io.files.limits import refused
from consilience.io.files.source import Member, Source, on_disk

# ---- documents

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
        needed = "UIMA CAS JSON with %FEATURE_STRUCTURES"
        raise refused(where, "the file", needed, "none", "export the document again")
    known = {str(name): one for name, one in (types or {}).items() if isinstance(one, dict)}
    return known, [one for one in entries if isinstance(one, dict)]


def from_xmi(file: Member, types: Member | None, use: Callable[[Any], T]) -> T:
    """Return what `use` makes of a document of dkpro-cassis; whatever is wrong is one sentence."""
    strict_xml.check(file.bytes(), Path(file.where))
    try:
        import cassis  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise MissingDependencyError.for_extra(
            "reading UIMA XMI", "dkpro-cassis", "uima"
        ) from error
    if types is None:
        where = file.where
        hint = "unpack the whole export into one folder, or export it as CAS JSON"
        raise refused(where, "an XMI file", "beside its TypeSystem.xml", "no type system", hint)
    strict_xml.check(types.bytes(), Path(types.where))
    try:
        system = cassis.load_typesystem(io.BytesIO(types.bytes()))
        return use(cassis.load_cas_from_xmi(io.BytesIO(file.bytes()), typesystem=system))
    except InputError:
        raise
    except Exception as error:  # the library has no error of its own
        needed = f"XMI that fits {PurePosixPath(types.name).name}"
        got = f"{type(error).__name__}: {str(error)[:80]}"
        hint = "export the document again together with its type system"
        raise refused(file.where, "the file", needed, got, hint) from error


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


# ---- layers

RULES = ("annotator", "file-suffix", "file-prefix", "folder", "file")
# What programs write by themselves; nobody's judgement, whatever the project is about.
_MACHINE = re.compile(
    r".*Token|.*Sentence|Paragraph|Div|Heading|Document|DocumentAnnotation|.*Meta[Dd]ata|TagDescription"
    r"|TagsetDescription|SourceDocumentInformation|Xml\w+|Pdf\w+|VisualPdf\w+|.*Newline.*"
)
_BY_PROGRAMS = re.compile(r"\.(api\.metadata|api\.xml|api\.pdf|webanno\.api)\.")
# Usually written by programs, too, but people can annotate them.
_LINGUISTIC = re.compile(
    r"POS|Lemma|Stem|Morph\w*|Morpheme|Compound\w*|Chunk|NC|VC|PC|Constituent|ROOT|SurfaceForm"
)
_CUSTOM = re.compile(r"(^|\.)custom\.")  # layers that a project defined for itself
_AUTOMATIC = "tokens, sentences and metadata are no annotation (tier= names a layer)"
_BESIDE = "such layers are mostly made by programs, and others are there (tier= names a layer)"
_RELATION = frozenset(("Governor", "Dependent"))
_OWN = frozenset(("begin", "end", "sofa", "self", "xmiID", "type"))
_VALUES = ("value", "label", "identifier", "PosValue")


@dataclass(frozen=True)
class Mark:
    """One annotation: its features in the order of their declaration, where the file has it."""

    begin: int
    end: int
    features: Mapping[str, object]
    place: str | int


def short(name: str) -> str:
    """Return the last part of the name of a type."""
    return name.rpartition(".")[2]


def units_of(
    file: File,
    layers: Mapping[str, Sequence[Mark]],
    wishes: Wishes,
    *,
    text: str,
) -> Found:
    """Return the units of every layer that people made: tier is the layer, label a feature.

    `text` is what they are about.
    """
    found = Found(file.path, "character")
    document = project_document(file)
    # In a project the rater is the name of the file, and its folder the document.
    facts = (("annotator", file.stem),) if document is not None else ()
    for layer, marks in _annotated(found, layers, wishes).items():
        strand = found.number(Strand(layer, document, facts))
        feature = _feature(found, layer, marks, wishes)
        for mark in marks:
            label = mark.features.get(feature) if feature else None
            said = "" if label is None else str(label)
            found.add(strand, mark.begin, mark.end, said, mark.place)
    if not layers:
        found.number(Strand("tier", document, facts))
    for strand in range(len(found.strands)):
        found.bounds[strand] = (0, len(text))
        found.texts[strand] = text
    return found


def _chosen(found: Found, layers: Mapping[str, int], wishes: Wishes) -> list[str]:
    """Return the layers, given with their sizes, that are people's work; write down the others."""
    kept, linguistic = [], []
    for name, size in layers.items():
        last = short(name)
        if {name, last} & set(wishes.tiers) or _CUSTOM.search(name):
            kept.append(name)
        elif _MACHINE.fullmatch(last) or _BY_PROGRAMS.search(name):
            found.ledger.set_aside("units", last, size, reason=_AUTOMATIC, matters=False)
        elif _LINGUISTIC.fullmatch(last):
            linguistic.append(name)
        else:
            kept.append(name)
    if not kept:
        return linguistic
    for name in linguistic:
        found.ledger.set_aside("units", short(name), layers[name], reason=_BESIDE)
    return kept


def _annotated(
    found: Found, layers: Mapping[str, Sequence[Mark]], wishes: Wishes
) -> dict[str, Sequence[Mark]]:
    """Keep the layers that are somebody's work, by their short names where these differ."""
    spans = {}
    for name, marks in layers.items():
        if marks and set(marks[0].features) >= _RELATION:
            found.ledger.set_aside("relations", short(name), len(marks), reason=NOT_MEASURED)
        else:
            spans[name] = len(marks)
    kept = _chosen(found, spans, wishes)
    shorts = Counter(map(short, kept))
    return {short(n) if shorts[short(n)] == 1 else n: layers[n] for n in kept}


def _feature(found: Found, layer: str, marks: Sequence[Mark], wishes: Wishes) -> str | None:
    """Choose the feature that is the label."""
    names = [name for name in marks[0].features if name not in _OWN] if marks else []
    if wishes.label in names:
        return wishes.label
    filled = [
        name
        for name in names
        if any(isinstance(mark.features.get(name), (str, int, bool)) for mark in marks)
    ]
    if len(filled) > 1:
        chosen = next((name for name in _VALUES if name in filled), filled[0])
        found.note(
            "label_feature",
            f"Layer {layer!r} has the features {listed(names)}; {chosen!r} was taken as the "
            "label (label=).",
        )
        others = [name for name in filled if name != chosen]
        found.ledger.set_aside(
            "features",
            ", ".join(f"{layer}: {name}" for name in others),
            len(others),
            reason="one feature is the label (label=)",
            matters=False,
        )
        return chosen
    return filled[0] if filled else None


# ---- CAS JSON

_ANNOTATION = "uima.tcas.Annotation"
_SOFA = "uima.cas.Sofa"
_MOST_STEPS = 100  # from a type to the one it was derived from


def _is_cas_json(file: File) -> bool:
    return file.head.lstrip()[:1] == "{" and (
        '"%FEATURE_STRUCTURES"' in file.head or '"%TYPES"' in file.head
    )


@register(
    "cas-json",
    title="UIMA CAS JSON",
    suffixes=(".json",),
    rules=RULES,
    recognise=_is_cas_json,
    settled=True,
)
def read_cas_json(file: File, wishes: Wishes) -> Found:
    """Read the annotations of every layer that has a place in the text."""
    types, entries = parts_of(file.json(), str(file.path))
    sofas = [one.get("sofaString") for one in entries if one.get("%TYPE") == _SOFA]
    text = next((str(sofa) for sofa in sofas if sofa), "")
    to_point = _to_code_points(text)
    layers: dict[str, list[Mark]] = {}
    found_beside: dict[str, int] = {}
    for position, entry in enumerate(entries, 1):
        name = str(entry.get("%TYPE"))
        if not _has_place(name, types):
            if ".custom." in name:
                found_beside[name] = found_beside.get(name, 0) + 1
            continue
        begin, end = json_number(entry.get("begin")), json_number(entry.get("end"))
        if begin is None or end is None or begin != int(begin) or end != int(end):
            got = (str(entry.get("begin"))[:30], str(entry.get("end"))[:30])
            what, hint = f"the place of annotation {position}", "export the document again"
            raise InputError.expected(what, "two whole numbers", got, hint, where=str(file.path))
        features = {key: entry.get(key) for key in _features(name, types)}
        place = (to_point(int(begin)), to_point(int(end)))
        mark = Mark(*place, features, f"annotation {entry.get('%ID', position)}")
        layers.setdefault(name, []).append(mark)
    found = units_of(file, layers, wishes, text=text)
    for name, often in found_beside.items():
        found.ledger.set_aside(
            "answers",
            short(name),
            often,
            reason="they are about the whole document: use measure",
            matters=False,
        )
    found.note(
        "experimental_format",
        "UIMA CAS JSON was read by its description, not by real files: look at the counts "
        "before you rely on them.",
    )
    return found


def _line(name: str, types: Types) -> list[str]:
    """Return a type and those it was derived from."""
    line = [name]
    while len(line) < _MOST_STEPS and line[-1] in types:
        line.append(str(types[line[-1]].get("%SUPER_TYPE")))
    return line


def _has_place(name: str, types: Types) -> bool:
    return name != _ANNOTATION and _ANNOTATION in _line(name, types)


def _features(name: str, types: Types) -> list[str]:
    found = [key for step in reversed(_line(name, types)) for key in types.get(step, {})]
    return [key for key in found if not key.startswith("%")]


def _to_code_points(text: str) -> Any:
    """Return what turns Java's positions, halves of some characters, into characters."""
    beyond = [k for k, sign in enumerate(text) if ord(sign) > 0xFFFF]
    if not beyond:
        return int
    # In Java the k-th of these stands k halves later.
    starts = [place + k for k, place in enumerate(beyond)]
    return lambda offset: offset - bisect_left(starts, offset)


# ---- XMI


@register(
    "xmi",
    title="UIMA XMI",
    suffixes=(".xmi",),
    rules=RULES,
    recognise=lambda file: file.suffix == ".xmi" or "<xmi:XMI" in file.head,
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
    return units_of(file, layers, wishes, text=cas.sofa_string or "")
