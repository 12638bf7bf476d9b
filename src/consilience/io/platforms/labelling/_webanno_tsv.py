"""WebAnno TSV 3: labels of tokens, one file per rater; spans belong to the units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.bytes._source import Member, Source
from consilience.io.platforms._choices import chosen
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.labelling._inception import CURATORS
from consilience.io.platforms.records._webanno_tokens import (
    FIRST_LINE,
    parse_tokens,
    stacked,
    value_of,
)


@dataclass(frozen=True)
class _Copy:
    """One rater's copy of a document: names of the columns, and the cells of every token."""

    member: Member
    names: list[str]
    tokens: list[tuple[str, str]]
    cells: list[list[str]]
    wide: set[str]  # layers with spans of several tokens


@export(
    "webanno-tsv",
    title="WebAnno TSV 3 (labels of tokens)",
    suffixes=(".tsv",),
    label_names="variables",
)
class WebAnnoTsv:
    """A variable per feature of a layer whose spans are single tokens, such as parts of speech."""

    def recognise(self, sample: Sample) -> str | None:
        """Look at the first line."""
        names = [name for name in sample.members() if name.lower().endswith(".tsv")]
        if sample.members() and not names:
            return None
        first = sample.member(names[0]) if names else sample
        return "the first line names WebAnno TSV 3" if first.text.startswith(FIRST_LINE) else None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Put the copies of each document beside each other, token by token."""
        copies = [_parsed(m, options) for m in source.members if m.suffix == ".tsv"]
        wide = {layer for copy in copies for layer in copy.wide}
        found = Annotations(roles={"item": "token", "rater": "the name of the file"})
        alone = 0
        for document, group in _documents(copies):
            alone += len(group) == 1
            for rater, copy in zip(_raters(group), group, strict=True):
                _add(found, copy, document, rater, wide)
        if not any(label is not None for label in found.label):
            raise InputError.expected(
                "the file", "one with labels of single tokens",
                Said("spans only" if wide else "no labels"),
                "compare spans with `consilience units`", where=source.where,
            )  # fmt: skip
        if alone and len(copies) > 1:
            found.note(
                "tokens_differ",
                f"{alone:,} of {len(copies):,} files have other tokens than all the rest, so "
                "their labels were compared with nobody's: let raters mark one version of a text.",
            )
        if wide:
            found.note(
                "spans_not_read",
                f"Layers with spans of several tokens were not read: {', '.join(sorted(wide))}. "
                "Compare them with `consilience units`.",
            )
        return found


def _parsed(member: Member, options: ExportOptions) -> _Copy:
    document = parse_tokens(member.text(encoding=options.encoding), member.where)
    layers = [layer for layer in document.layers if layer.is_spans]
    # Where a token is divided, spans are marked in its parts.
    tokens = [token for token in document.tokens if not token.is_part]
    columns = {
        column: f"{layer.name.rpartition('.')[2]}.{feature}"
        for layer in layers
        for column, feature in enumerate(layer.features or ("",), layer.first)
    }
    cells = [[token.cells[column] for column in columns] for token in tokens]
    wide = {
        name.partition(".")[0]
        for left, right in pairwise(cells)
        for name, one, other in zip(columns.values(), left, right, strict=True)
        if _numbers(one) & _numbers(other)  # one span goes on from the token before
    }
    names = list(columns.values())
    return _Copy(member, names, [(token.number, token.text) for token in tokens], cells, wide)


def _numbers(cell: str) -> set[int]:
    return {number for _, number in stacked(cell) if number is not None}


def _documents(copies: list[_Copy]) -> Iterator[tuple[str, list[_Copy]]]:
    """Yield each document with its copies: those of the same tokens, in the same folder."""
    groups: dict[tuple[object, ...], list[_Copy]] = {}
    for copy in copies:
        folder = PurePosixPath(copy.member.name).parent.name
        groups.setdefault((folder, *copy.tokens), []).append(copy)
    for number, (key, group) in enumerate(groups.items(), 1):
        name = str(key[0]) or shared_start([copy.member.stem for copy in group]).strip("_-. ")
        yield name or f"document {number}", group


def shared_start(stems: list[str]) -> str:
    """Return what names begin with alike, up to a mark that separates words."""
    if len(stems) < 2:
        return ""
    first, last = min(stems), max(stems)  # what these two share, all share
    same = next((k for k, sign in enumerate(first) if sign != last[k : k + 1]), len(first))
    return first[: max(first.rfind(mark, 0, same) for mark in "_-. ") + 1]


def _raters(group: list[_Copy]) -> list[str]:
    stems = [copy.member.stem for copy in group]
    return [stem.removeprefix(shared_start(stems)) for stem in stems]


def _add(found: Annotations, copy: _Copy, document: str, rater: str, wide: set[str]) -> None:
    kind = "gold" if rater.lower() in CURATORS else "person"
    for (number, form), cells in zip(copy.tokens, copy.cells, strict=True):
        for name, cell in zip(copy.names, cells, strict=True):
            if name.partition(".")[0] in wide:
                continue
            labels = [label for text, _ in stacked(cell) if (label := value_of(text))]
            found.add(
                f"{document} {number}", rater, chosen(labels), variable=name, kind=kind, text=form,
                place=f"{copy.member.where}, token {number}",
            )  # fmt: skip
