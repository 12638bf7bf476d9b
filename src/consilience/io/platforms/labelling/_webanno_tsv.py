"""WebAnno TSV 3: labels of tokens, one file per rater; spans belong to the units."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from consilience.exceptions import InputError
from consilience.io.bytes._guarded import refused
from consilience.io.bytes._source import Member, Source
from consilience.io.bytes.paths import Said
from consilience.io.platforms._choices import chosen
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.labelling._inception import CURATORS

_FIRST = "#FORMAT=WebAnno TSV 3"
_LAYER = "#T_SP="
_OTHER = ("#T_RL=", "#T_CH=")
_TOKEN = re.compile(r"\d+-\d+")
_STACKED = re.compile(r"(?<!\\)\|")
_NUMBER = re.compile(r"(?<!\\)\[(\d+)\]")
_ESCAPED = re.compile(r"\\(.)")
_NOTHING = "_"
_UNSET = "*"


@dataclass
class _Document:
    """One rater's copy of a document."""

    member: Member
    names: list[str]
    tokens: list[tuple[str, str]] = field(default_factory=list)
    cells: list[list[str]] = field(default_factory=list)
    wide: set[str] = field(default_factory=set)  # layers with spans of several tokens


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
        return "the first line names WebAnno TSV 3" if first.text.startswith(_FIRST) else None

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


def _parsed(member: Member, options: ExportOptions) -> _Document:
    lines = member.text(encoding=options.encoding).split("\n")
    if not lines[0].startswith(_FIRST):
        raise refused(
            member.where, "the first line", f"{_FIRST}.x", repr(lines[0][:40]), "check the export"
        )
    names: list[str] = []
    document = _Document(member, names)
    only_spans = True
    for number, whole in enumerate(lines, 1):
        line = whole.rstrip("\r")
        if line.startswith(_LAYER) and document.tokens:
            raise refused(
                f"{member.where}, line {number:,}", "a layer", "named above the first token",
                repr(line[:40]), "check the export",
            )  # fmt: skip
        if line.startswith(_LAYER) and only_spans:
            layer, *features = line.removeprefix(_LAYER).split("|")
            short = layer.rpartition(".")[2]
            names.extend(f"{short}.{feature}" for feature in features or [""])
        elif line.startswith(_OTHER):
            only_spans = False  # columns of spans come first
        elif line and not line.startswith("#"):
            _take(document, line.split("\t"), f"{member.where}, line {number:,}")
    return document


def _take(document: _Document, cells: list[str], place: str) -> None:
    if len(cells) < 3 + len(document.names):
        raise refused(
            place, "a token", f"{3 + len(document.names)} cells", f"{len(cells)}",
            "check the export",
        )  # fmt: skip
    if not _TOKEN.fullmatch(cells[0]):
        return  # part of a token: only spans are marked there
    values = cells[3 : 3 + len(document.names)]
    number = len(document.tokens)
    before = document.cells[number - 1] if number else [_NOTHING] * len(values)
    for name, cell, left in zip(document.names, values, before, strict=True):
        same = set(_NUMBER.findall(cell)) & set(_NUMBER.findall(left))
        if same:  # one span goes on from the token before
            document.wide.add(name.partition(".")[0])
    document.tokens.append((cells[0], cells[2]))
    document.cells.append(values)


def _documents(copies: list[_Document]) -> Iterator[tuple[str, list[_Document]]]:
    """Yield each document with its copies: those of the same tokens, in the same folder."""
    groups: dict[tuple[object, ...], list[_Document]] = {}
    for copy in copies:
        folder = PurePosixPath(copy.member.name).parent.name
        groups.setdefault((folder, *copy.tokens), []).append(copy)
    for number, (key, group) in enumerate(groups.items(), 1):
        name = str(key[0]) or _shared([copy.member.stem for copy in group]).strip("_-. ")
        yield name or f"document {number}", group


def _shared(stems: list[str]) -> str:
    """Return what names begin with alike, up to a mark that separates words."""
    if len(stems) < 2:
        return ""
    first, last = min(stems), max(stems)  # what these two share, all share
    same = next((k for k, sign in enumerate(first) if sign != last[k : k + 1]), len(first))
    return first[: max(first.rfind(mark, 0, same) for mark in "_-. ") + 1]


def _raters(group: list[_Document]) -> list[str]:
    stems = [copy.member.stem for copy in group]
    return [stem.removeprefix(_shared(stems)) for stem in stems]


def _add(found: Annotations, copy: _Document, document: str, rater: str, wide: set[str]) -> None:
    kind = "gold" if rater.lower() in CURATORS else "person"
    for (number, text), cells in zip(copy.tokens, copy.cells, strict=True):
        for name, cell in zip(copy.names, cells, strict=True):
            if name.partition(".")[0] in wide:
                continue
            values = [_NUMBER.sub("", part) for part in _STACKED.split(cell)]
            labels = [
                _ESCAPED.sub(r"\1", value)
                for value in values
                if value not in (_NOTHING, _UNSET, "")
            ]
            found.add(
                f"{document} {number}", rater, chosen(labels), variable=name, kind=kind, text=text,
                place=f"{copy.member.where}, token {number}",
            )  # fmt: skip
