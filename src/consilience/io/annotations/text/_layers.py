"""Layers of annotations over a text, as UIMA has them: which feature is the label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from consilience.io.annotations._unit_archives import project_document
from consilience.io.annotations.strands import Found, Strand, Wishes, listed
from consilience.io.bytes._unit_files import File
from consilience.ratings import Note

RULES = ("annotator", "file-suffix", "file-prefix", "folder", "file")
_NOT_LAYERS = ("Token", "Sentence", "Paragraph", "DocumentAnnotation", "DocumentMetaData",
               "TagDescription", "TagsetDescription", "Dependency")  # fmt: skip
_OWN = frozenset(("begin", "end", "sofa", "self", "xmiID", "type"))
_VALUES = ("value", "label", "identifier", "PosValue")


@dataclass(frozen=True)
class Mark:
    """One annotation: its place, its features in the order of their declaration, its id."""

    begin: int
    end: int
    features: Mapping[str, object]
    id: object


def is_layer(name: str) -> bool:
    """Tell whether annotations of this type are somebody's work."""
    return short(name) not in _NOT_LAYERS


def short(name: str) -> str:
    """Return the last part of the name of a type."""
    return name.rpartition(".")[2]


def units_of(file: File, text: str, layers: Mapping[str, Sequence[Mark]], wishes: Wishes) -> Found:
    """Return the units of every layer: tier is the layer, label one of its features."""
    found = Found(file.path, "character")
    document = project_document(file)
    # In a project the rater is the name of the file, and its folder the document.
    facts = (("annotator", file.stem),) if document is not None else ()
    for layer, marks in layers.items():
        strand = found.number(Strand(layer, document, facts))
        feature = _feature(found, layer, marks, wishes)
        for mark in marks:
            label = mark.features.get(feature) if feature else None
            found.add(
                strand, mark.begin, mark.end, "" if label is None else str(label),
                f"annotation {mark.id}",
            )  # fmt: skip
    if not layers:
        found.number(Strand("tier", document, facts))
    for strand in range(len(found.strands)):
        found.bounds[strand] = (0, len(text))
        found.texts[strand] = tuple(text.split())
    return found


def _feature(found: Found, layer: str, marks: Sequence[Mark], wishes: Wishes) -> str | None:
    """Choose the feature that is the label."""
    names = [name for name in marks[0].features if name not in _OWN]
    if wishes.label in names:
        return wishes.label
    filled = [
        name
        for name in names
        if any(isinstance(mark.features.get(name), (str, int, bool)) for mark in marks)
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
