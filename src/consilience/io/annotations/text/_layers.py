"""Layers of annotations over a text, as UIMA has them: which feature is the label."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from consilience.io.annotations._ledgers import NOT_MEASURED
from consilience.io.annotations._unit_archives import project_document
from consilience.io.annotations.strands import Found, Strand, Wishes, listed
from consilience.io.bytes._unit_files import File
from consilience.ratings import Note

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
        found.notes.append(
            Note(
                "label_feature",
                f"Layer {layer!r} has the features {listed(names)}; {chosen!r} was taken as the "
                "label (label=).",
            )
        )
        others = [name for name in filled if name != chosen]
        found.ledger.set_aside(
            "features", ", ".join(f"{layer}: {name}" for name in others), len(others),
            reason="one feature is the label (label=)", matters=False,
        )  # fmt: skip
        return chosen
    return filled[0] if filled else None
