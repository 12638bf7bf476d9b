"""WebAnno TSV 3: layers in the head, then a token a line with a cell for each feature."""

from __future__ import annotations

import re
from dataclasses import dataclass

from consilience.exceptions import InputError
from consilience.io.bytes._guarded import refused

FIRST_LINE = "#FORMAT=WebAnno TSV 3"
NOTHING, NO_VALUE = "_", "*"
_LAYERS = ("#T_SP", "#T_CH", "#T_RL")  # spans, chains, relations
_TOKEN = re.compile(r"(\d+-\d+)(\.\d+)?\t(\d{1,15})-(\d{1,15})\t")
_NUMBERED = re.compile(r"(.*)\[(\d+)\]", re.DOTALL)
_STACK = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Layer:
    """A layer: its columns are `first` to `last`, one for each feature and at least one."""

    name: str
    features: tuple[str, ...]
    first: int
    is_spans: bool

    @property
    def last(self) -> int:
        """The column behind its last one."""
        return self.first + max(len(self.features), 1)


@dataclass(frozen=True)
class Token:
    """A token, or a part of one; its place counts characters, as Python does."""

    number: str
    is_part: bool
    start: int
    end: int
    text: str
    cells: list[str]
    line: int


@dataclass(frozen=True)
class Document:
    """One rater's copy of a text."""

    layers: list[Layer]
    tokens: list[Token]


def parse_tokens(text: str, where: str) -> Document:
    """Return the layers and tokens of a file."""
    if not text.startswith(FIRST_LINE):
        first = repr(text.partition("\n")[0][:40])
        raise refused(where, "the first line", f"{FIRST_LINE}.x", first, "check the export")
    layers: list[Layer] = []
    tokens: list[Token] = []
    width = shift = 0
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        match = _TOKEN.match(line)
        if match is None:
            layer = _layer(line, width, f"{where}, line {number:,}", is_late=bool(tokens))
            if layer is not None:
                layers.append(layer)
                width = layer.last
            continue
        form, *cells = line[match.end() :].split("\t")
        if len(cells) < width:
            raise refused(
                f"{where}, line {number:,}", "a token", f"followed by {width} cells",
                f"{len(cells)}", "export the document again",
            )  # fmt: skip
        start, end = int(match[3]) - shift, int(match[4]) - shift
        beyond = sum(ord(sign) > 0xFFFF for sign in form)
        if beyond and end - start != len(form):  # the browser counts such signs twice
            end -= beyond
            shift += 0 if match[2] else beyond
        tokens.append(Token(match[1], bool(match[2]), start, end, form, cells, number))
    if not tokens:
        raise refused(where, "the file", "filled with tokens", "none", "export the document again")
    return Document(layers, tokens)


def _layer(line: str, first: int, place: str, *, is_late: bool) -> Layer | None:
    """Return the layer that a line above the tokens names, None for other remarks."""
    kind, equals, rest = line.partition("=")
    if equals and kind in _LAYERS:
        if is_late:
            raise _odd(place, "a layer", "named above the first token", line)
        name, *features = rest.split("|")
        return Layer(name.strip(), tuple(features), first, kind == _LAYERS[0])
    if line.strip() and not line.startswith("#"):
        raise _odd(place, "a line", "a token with its place, or a comment", line)
    return None


def _odd(place: str, what: str, expectation: str, line: str) -> InputError:
    return refused(place, what, expectation, repr(line[:60]), "export the document again")


def stacked(cell: str) -> list[tuple[str, int | None]]:
    """Return the values of a cell, each with the number of its span where it has one."""
    if cell == NOTHING:
        return [(NOTHING, None)]
    found: list[tuple[str, int | None]] = []
    for part in _STACK.split(cell):
        numbered = _NUMBERED.fullmatch(part)
        found.append((numbered[1], int(numbered[2][:15])) if numbered else (part, None))
    return found


def value_of(text: str) -> str | None:
    """Return a value as it was meant, None where there is none."""
    return None if text in (NOTHING, NO_VALUE) else re.sub(r"\\(.)", r"\1", text)
