"""WebAnno TSV 3: a token a line, span layers in columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from consilience.exceptions import InputError
from consilience.io.annotations._unit_archives import project_document
from consilience.io.annotations.strands import Found, Strand, Wishes, listed
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File
from consilience.io.bytes.paths import Said
from consilience.ratings import Note

_HEAD = "#FORMAT=WebAnno TSV 3"
_TOKEN = re.compile(r"\d+-\d+(?P<part>(?:\.\d+)?)\t(?P<start>\d{1,15})-(?P<end>\d{1,15})\t")
_NUMBERED = re.compile(r"(?P<value>.*)\[(?P<number>\d+)\]", re.DOTALL)
_STACK = re.compile(r"(?<!\\)\|")
_NONE, _NO_VALUE = "_", "*"
_VALUE_NAMES = ("value", "label", "PosValue", "identifier")


@dataclass(frozen=True)
class _Layer:
    """A span layer: its name, its features and the first of its columns."""

    name: str
    features: tuple[str, ...]
    first: int


@dataclass
class _Mark:
    """One span in the making."""

    start: int
    end: int
    line: int
    values: list[str | None]


def _recognise(file: File) -> bool:
    return file.head.startswith(_HEAD)


@register(
    "webanno",
    title="WebAnno TSV 3",
    suffixes=(".tsv",),
    rules=("annotator", "file-suffix", "file-prefix", "folder", "file"),
    recognise=_recognise,
    settled=True,
)
def read_webanno(file: File, wishes: Wishes) -> Found:
    """Read the span layers: tier is the layer, label one of its features."""
    found = Found(file.path, "character")
    layers, width = _layers(file)
    marks: dict[int, dict[Any, _Mark]] = {layer.first: {} for layer in layers}
    forms: list[str] = []
    end, astral = 0, 0
    for number, line in enumerate(file.lines, start=1):
        match = _TOKEN.match(line)
        if match is None:
            _check_other(file, number, line)
            continue
        cells = line[match.end() :].split("\t")
        shift = astral
        start, stop = int(match["start"]), int(match["end"])
        beyond = sum(ord(sign) > 0xFFFF for sign in cells[0])
        if beyond and stop - start != len(cells[0]):
            stop -= beyond
            astral += 0 if match["part"] else beyond
        place = (start - shift, stop - shift)
        if len(cells) < 1 + width:
            raise _wrong(
                file, number, "a token", f"followed by {width} cells", Said(len(cells) - 1)
            )
        for layer in layers:
            _take(marks[layer.first], layer, cells, place, number)
        end = max(end, place[1])
        if not match["part"]:
            forms.append(cells[0])
    if not forms:
        raise _wrong(file, 1, "the file", "filled with tokens", Said("none"))
    document = project_document(file)  # there the rater is the name of the file
    facts = (("annotator", file.stem),) if document is not None else ()
    for layer in layers:
        strand = found.number(Strand(layer.name.rpartition(".")[2], document, facts))
        _add(found, strand, layer, list(marks[layer.first].values()), wishes)
    if not layers:
        found.number(Strand("tier", document, facts))
    for strand in range(len(found.strands)):
        found.bounds[strand] = (0, end)
        found.texts[strand] = tuple(forms)
    return found


def _layers(file: File) -> tuple[list[_Layer], int]:
    """Read the header: which columns belong to which layer."""
    layers: list[_Layer] = []
    width = 0
    for line in file.lines:
        if _TOKEN.match(line):
            break
        kind, equals, rest = line.partition("=")
        if not equals or kind not in ("#T_SP", "#T_CH", "#T_RL"):
            continue
        name, *features = rest.split("|")
        columns = max(len(features), 1)
        if kind == "#T_SP":
            layers.append(_Layer(name.strip(), tuple(features), 1 + width))
        width += columns
    return layers, width


def _take(
    marks: dict[Any, _Mark], layer: _Layer, cells: list[str], place: tuple[int, int], line: int
) -> None:
    """Add what a token's cells say of one layer."""
    wide = max(len(layer.features), 1)
    columns = [_STACK.split(cell) for cell in cells[layer.first : layer.first + wide]]
    for k, first in enumerate(columns[0]):
        if first == _NONE and all(k >= len(c) or c[k] == _NONE for c in columns):
            continue
        stacked = [column[k] if k < len(column) else _NONE for column in columns]
        numbered = _NUMBERED.fullmatch(first)
        key = ("span", int(numbered["number"][:15])) if numbered else (line, k)
        values = [_value(cell) for cell in stacked]
        if key in marks:
            marks[key].end = max(marks[key].end, place[1])
        else:
            marks[key] = _Mark(*place, line, values)


def _value(cell: str) -> str | None:
    numbered = _NUMBERED.fullmatch(cell)
    text = numbered["value"] if numbered else cell
    if text in (_NONE, _NO_VALUE):
        return None
    return re.sub(r"\\(.)", r"\1", text)


def _add(found: Found, strand: int, layer: _Layer, marks: list[_Mark], wishes: Wishes) -> None:
    """Choose the feature that is the label and add the spans of a layer."""
    at = 0
    filled = [k for k in range(len(layer.features)) if any(m.values[k] is not None for m in marks)]
    if wishes.label is not None and wishes.label in layer.features:
        at = layer.features.index(wishes.label)
    elif len(filled) == 1:
        at = filled[0]
    elif filled:
        named = [k for name in _VALUE_NAMES for k in filled if layer.features[k] == name]
        at = (named or filled)[0]
        found.notes.append(
            Note(
                "label_feature",
                f"Layer {found.strands[strand].tier!r} has the features "
                f"{listed(layer.features)}; {layer.features[at]!r} was taken as the label "
                "(label=).",
            )
        )
    for mark in marks:
        label = mark.values[at] if at < len(mark.values) else None
        found.add(strand, mark.start, mark.end, label or "", mark.line)


def _check_other(file: File, number: int, line: str) -> None:
    if line.strip() and not line.startswith("#"):
        raise _wrong(file, number, "a line", "a token with its place, or a comment", line[:60])


def _wrong(file: File, line: int, what: str, expectation: str, got: object) -> InputError:
    return InputError.expected(
        what, expectation, got, "export the document again", where=f"{file.path}, line {line}"
    )
