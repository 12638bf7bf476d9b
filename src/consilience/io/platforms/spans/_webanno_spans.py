"""WebAnno TSV 3: span layers in columns, as units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from consilience.io.annotations._ledgers import NOT_MEASURED
from consilience.io.annotations.strands import Found, Wishes
from consilience.io.annotations.text._layers import RULES, Mark, short, units_of
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File
from consilience.io.platforms.records._webanno_tokens import (
    FIRST_LINE,
    NOTHING,
    Layer,
    Token,
    parse_tokens,
    stacked,
    value_of,
)

Key = tuple[object, int]


@register(
    "webanno",
    title="WebAnno TSV 3",
    suffixes=(".tsv",),
    rules=RULES,
    recognise=lambda file: file.head.startswith(FIRST_LINE),
    settled=True,
)
def read_webanno(file: File, wishes: Wishes) -> Found:
    """Read the span layers: tier is the layer, label one of its features."""
    document = parse_tokens(file.text, str(file.path))
    layers: dict[str, dict[Key, Mark]] = {one.name: {} for one in document.layers if one.is_spans}
    linked: Counter[str] = Counter()
    for token in document.tokens:
        for layer in document.layers:
            if layer.is_spans:
                _take(layers[layer.name], layer, token)
            elif token.cells[layer.first] != NOTHING:
                linked[layer.name] += len(stacked(token.cells[layer.first]))
    found = units_of(
        file, {name: list(marks.values()) for name, marks in layers.items()}, wishes,
        text=_text_of(document.tokens),
    )  # fmt: skip
    for name, often in linked.items():
        found.ledger.set_aside("relations", short(name), often, reason=NOT_MEASURED)
    return found


def _text_of(tokens: Sequence[Token]) -> str:
    """Put the text together from its tokens, which say where they stand; blanks between them."""
    letters = [" "] * max(token.end for token in tokens)
    for token in tokens:
        if not token.is_part:
            room = token.end - token.start
            letters[token.start : token.end] = token.text.ljust(room)[:room]
    return "".join(letters)


def _take(marks: dict[Key, Mark], layer: Layer, token: Token) -> None:
    """Add what a token's cells say of one layer; a numbered span goes on over several tokens."""
    columns = [stacked(cell) for cell in token.cells[layer.first : layer.last]]
    for k, (_, number) in enumerate(columns[0]):
        values = [column[k][0] if k < len(column) else NOTHING for column in columns]
        if set(values) == {NOTHING} and number is None:
            continue
        key = (token.line, k) if number is None else ("span", number)
        if key in marks:
            marks[key] = replace(marks[key], end=max(marks[key].end, token.end))
            continue
        features = dict(zip(layer.features, map(value_of, values), strict=False))
        marks[key] = Mark(token.start, token.end, features, token.line)
