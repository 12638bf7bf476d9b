"""INCEpTION and WebAnno: what the agreement page exports, whole projects, and WebAnno TSV 3."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import InputError, Option, Words
from consilience.io.events.rater_rules import CURATORS, NOT_MEASURED
from consilience.io.events.registry import Found, Wishes, register
from consilience.io.events.uima import (
    NOT_USERS,
    RULES,
    Mark,
    document_states,
    from_xmi,
    parts_of,
    short,
    units_of,
)
from consilience.io.events.unit_files import File
from consilience.io.exports._records_and_cells import chosen
from consilience.io.exports.export_entries import Annotations
from consilience.io.exports.registry import ExportOptions, Sample, export
from consilience.io.files.limits import refused
from consilience.io.files.parsing import parse_json, parse_table
from consilience.io.files.source import Member, Source

# ---- the agreement page

_DOCUMENTS = ("doc", "user", "label")
_SPANS = ("doc", "user", "begin", "end", "text", "label")
_CHAINS = ("doc", "user", "chain", "index", "begin", "end", "text", "label")
_RELATION = ("source-begin", "source-end", "target-begin", "target-end")
_DIAGNOSIS = ("Type", "Collection", "Document", "Layer", "Feature", "Position", "Flags")
_NO_ANNOTATION, _NO_LABEL = "<no annotation>", "<no label>"


@export(
    "inception",
    title="INCEpTION agreement (CSV)",
    suffixes=(".csv",),
    label_names="variables",
)
class Inception:
    """Labels of documents, of relations and of positions, by user."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for the headers that the agreement page writes."""
        columns = _without_remarks(sample)
        if columns[: len(_DIAGNOSIS)] == _DIAGNOSIS and len(columns) > len(_DIAGNOSIS):
            return "the columns of a diagnosis, one for each annotator"
        if columns in (_DOCUMENTS, _SPANS, _CHAINS) or _is_relations(columns):
            return f"the columns {', '.join(columns[:3])} of the agreement page"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read one entry per user and document, relation or position."""
        found = Annotations(roles={"item": "document", "rater": "user"})
        for member in source.members:
            rows = list(_rows(member, options))
            if rows and set(_DIAGNOSIS) <= rows[0][1].keys():
                _diagnosis(rows, found)
            else:
                _long(rows, options, found, member.where)
        if "empty" in found.state:
            found.note(
                "unset_feature",
                "INCEpTION counts an annotation without a value as a label of its own. To count "
                'as it does, pass empty="label" (--empty label).',
            )
        return found


def _without_remarks(sample: Sample) -> tuple[str, ...]:
    """Return the header; older diagnoses begin with remarks."""
    lines = [line for line in sample.text.splitlines()[:20] if not line.startswith("#")]
    if not lines or sample.json_form is not None:
        return ()
    return tuple(name.strip().strip('"') for name in lines[0].split(","))


def _is_relations(columns: tuple[str, ...]) -> bool:
    return columns[:2] == ("doc", "user") and set(_RELATION) <= set(columns) and "label" in columns


def _rows(member: Member, options: ExportOptions) -> Iterator[tuple[str, dict[str, str]]]:
    text = member.text(encoding=options.encoding)
    while text.startswith(("#", "\r", "\n")):  # remarks, as older diagnoses have them
        text = text.partition("\n")[2]
    table = parse_table(text, member.where, delimiter=options.delimiter or ",")
    yield from table.records()


def _kind(user: str) -> str:
    return "gold" if user.strip("[]").lower() in CURATORS else "person"


def _long(
    rows: list[tuple[str, dict[str, str]]], options: ExportOptions, found: Annotations, where: str
) -> None:
    columns = tuple(rows[0][1]) if rows else ()
    if rows and not {"doc", "user", "label"} <= set(columns):
        raise InputError.expected(
            "the file", "one of the agreement page", columns, "check the export", where=where
        )
    if columns == _CHAINS or (columns == _SPANS and options.item != "position"):
        raise refused(
            where,
            "ratings",
            "labels of items that every rater saw",
            "spans that raters chose",
            Words(
                "compare spans with `consilience units`, or pass ",
                Option("item", "position"),
                " to compare the labels of spans with exactly the same limits only",
            ),
        )
    places = _SPANS[2:4] if columns == _SPANS else [c for c in _RELATION if c in columns]
    labels: dict[tuple[str, str], list[str]] = {}
    texts: dict[tuple[str, str], tuple[str | None, str]] = {}
    for line, row in rows:
        at = "-".join(row[name] for name in places)
        key = (f"{row['doc']} {at}".strip(), row["user"])
        labels.setdefault(key, [])
        texts.setdefault(key, (row.get("text"), line))
        if row["label"] not in ("", _NO_LABEL):
            labels[key].append(row["label"])
    for (item, user), given in labels.items():
        text, line = texts[item, user]
        found.add(item, user, chosen(given), text=text, kind=_kind(user), place=line)
    if places:
        found.roles["item"] = "document and position"
        _warn_of_positions(found)


def _diagnosis(rows: list[tuple[str, dict[str, str]]], found: Annotations) -> None:
    users = [name for name in rows[0][1] if name not in _DIAGNOSIS]
    nothing = 0
    for place, row in rows:
        is_document = row["Type"].startswith("Document")
        item: Any = row["Document"] if is_document else f"{row['Document']} {row['Position']}"
        stacked = "STACKED" in row["Flags"].upper()
        for user in users:
            cell = row[user].strip()
            if cell == _NO_ANNOTATION:
                nothing += 1
                continue
            label = None if cell in ("", _NO_LABEL) else cell
            variable, reason = row["Feature"] or "label", "stacked" if stacked else ""
            kind = _kind(user)
            found.add(item, user, label, kind=kind, variable=variable, reason=reason, place=place)
    if nothing:
        _warn_of_positions(found, f"{nothing:,} times an annotator marked nothing at a place. ")


def _warn_of_positions(found: Annotations, before: str = "") -> None:
    found.note(
        "positions_only",
        f"{before}Only places that at least two raters marked alike are compared, so the value "
        "can be 1 although raters disagree on where to mark. Compare spans with `consilience "
        "units`.",
    )


# ---- projects

_FOLDERS = {"annotation": "person", "curation": "gold"}
_BASE = "uima.cas.AnnotationBase"
_PLAIN = ("uima.cas.String", "uima.cas.Integer", "uima.cas.Boolean", "uima.cas.Float",
          "uima.cas.Double", "uima.cas.Long")  # fmt: skip

Labels = dict[str, object]


@export(
    "inception-project",
    title="INCEpTION project (ZIP)",
    suffixes=(".zip",),
    experimental=True,
    label_names="variables",
)
class InceptionProject:
    """Layers of document metadata: an item per document, a variable per feature."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for a folder per document with a file per user."""
        names = [PurePosixPath(name) for name in sample.members()]
        # Somebody may have packed it again, together with the folder around it.
        if any(len(name.parts) in (3, 4) and name.parts[-3] in _FOLDERS for name in names):
            return "a folder per document below annotation"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read the labels of whole documents by every user and by the curator."""
        states = dict(document_states(source))
        works = []
        for kind, document, user, member, types in _files(source):
            labels = _labels(_cas(member, types), member.where)
            works.append((kind, document, user, member.where, labels))
        variables = list(dict.fromkeys(name for *_, labels in works for name in labels))
        if works and not variables:
            needed = "one with labels of whole documents"
            hint = "compare spans with `consilience units`"
            raise refused(source.where, "the project", needed, "spans only", hint)
        found = Annotations(roles={"item": "document", "rater": "the name of the file"})
        open_ = 0
        for kind, document, user, place, labels in works:
            state = states.get((document, user), "")
            if state == "NEW" and not labels:
                continue  # the file holds what was imported, nobody has looked at it
            open_ += state == "INPROGRESS"
            for name in variables:
                rater = "curation" if kind == "gold" else user
                why = "locked" if state in ("IGNORE", "LOCKED") else ""
                label = labels.get(name)
                found.add(document, rater, label, variable=name, kind=kind, place=place, reason=why)
        if open_:
            found.note(
                "unfinished", f"{open_:,} documents were not yet marked as finished by their user."
            )
        return found


def _files(source: Source) -> Iterator[tuple[str, str, str, Member, Member | None]]:
    """Yield kind, document, user, the file and its type system."""
    for member in source.members:
        parts = PurePosixPath(member.name).parts
        if len(parts) < 3 or parts[-3] not in _FOLDERS:
            continue
        kind, document = _FOLDERS[parts[-3]], parts[-2]
        inside = member.members() or (member,)
        types = next((one for one in inside if one.stem in NOT_USERS[1:]), None)
        for one in inside:
            if one.suffix in (".json", ".xmi") and one.stem not in NOT_USERS:
                yield kind, document, one.stem, one, types


def _cas(member: Member, types: Member | None) -> Any:
    """Return a document in the form of UIMA CAS JSON."""
    if member.suffix == ".json":
        return member.json()
    return parse_json(from_xmi(member, types, lambda cas: str(cas.to_json())), member.where)


def _labels(cas: Any, place: str) -> Labels:
    """Return layer and feature to label, for layers that belong to no place in the text."""
    types, entries = parts_of(cas, place)
    given: dict[str, list[object]] = {}
    for entry in entries:
        layer = str(entry.get("%TYPE"))
        described = types.get(layer, {})
        if described.get("%SUPER_TYPE") != _BASE:
            continue
        for feature, about in described.items():
            if isinstance(about, dict) and about.get("%RANGE") in _PLAIN:
                kept = given.setdefault(f"{layer.rpartition('.')[2]}.{feature}", [])
                value = entry.get(feature)
                if isinstance(value, (str, int, float)) and value != "":
                    kept.append(value)
    return {name: chosen(values) for name, values in given.items()}


# ---- WebAnno TSV: tokens

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
            needed = f"followed by {width} cells"
            hint = "export the document again"
            raise refused(f"{where}, line {number:,}", "a token", needed, f"{len(cells)}", hint)
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


# ---- WebAnno TSV: labels of tokens


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
            needed = "one with labels of single tokens"
            got = Said("spans only" if wide else "no labels")
            hint = "compare spans with `consilience units`"
            raise InputError.expected("the file", needed, got, hint, where=source.where)
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
            labels = [value for text, _ in stacked(cell) if (value := value_of(text))]
            item, place = f"{document} {number}", f"{copy.member.where}, token {number}"
            label = chosen(labels)
            found.add(item, rater, label, variable=name, kind=kind, text=form, place=place)


# ---- WebAnno TSV: spans as units

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
    marked = {name: list(marks.values()) for name, marks in layers.items()}
    found = units_of(file, marked, wishes, text=_text_of(document.tokens))
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
