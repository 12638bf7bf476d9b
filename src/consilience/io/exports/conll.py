"""CoNLL: columns with tags, a token a line, and the coreference column of 2011 and 2012."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.events.rater_rules import ONE_TIER
from consilience.io.events.registry import Found, Strand, Wishes, register
from consilience.io.events.unit_files import File
from consilience.io.exports._inception import shared_start
from consilience.io.exports.export_entries import Annotations
from consilience.io.exports.registry import ExportOptions, Sample, export
from consilience.io.files.limits import refused
from consilience.io.files.source import Member, Source

# ---- the coreference column

BEGIN, END = "#begin document", "#end document"
NOTHING = ("-", "_", "*")
_NAME = re.compile(r"#begin document\s*\(?(.*?)\)?\s*;?\s*(?:part\s*(\d{1,9}))?\s*", re.IGNORECASE)
_PART = re.compile(r"(\()?([^()|\s]{1,60})(\))?")
_LONGEST = 40  # signs of a mention's words that its name shows
_MOST_OPEN = 1_000  # mentions inside each other


@dataclass(frozen=True)
class Mention:
    """One mention: its words, the first and the last from 1, and the entity it belongs to."""

    first: int
    last: int
    entity: str
    words: str
    line: int

    @property
    def span(self) -> tuple[int, int]:
        """What makes it the same mention in another rater's file."""
        return self.first, self.last


@dataclass
class Text:
    """One document, or one part of it, as one rater left it."""

    name: str
    line: int
    words: list[str] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)


def begins_as_coreference(text: str) -> bool:
    """Tell whether a file begins like one of the CoNLL tasks on coreference."""
    lines = (line.strip() for line in text.lstrip("\ufeff").splitlines())
    first = next((line for line in lines if line and not line.startswith("# ")), "")
    return first.casefold().startswith(BEGIN)


def texts_in(content: str, where: str) -> list[Text]:
    """Return the documents of a file with their mentions.

    A closing bracket ends the mention of its entity that was opened last, as in the scorer of the
    CoNLL tasks. Columns are separated by blanks or tabs; the last one tells the mentions.
    """
    found: list[Text] = []
    reading: _Reading | None = None
    number = 0
    for number, line in enumerate(content.splitlines(), start=1):
        head = line.strip()
        mark = head[: len(BEGIN)].casefold() if head.startswith("#") else ""
        if mark == BEGIN:
            if reading is not None:
                raise _refused(
                    where, number, "a document", f"ended by {END}", f"{head[:60]!r} inside one"
                )
            reading = _Reading(Text(_name(head), number), where)
        elif mark.startswith(END):
            if reading is None:
                raise _refused(where, number, END, f"preceded by {BEGIN}", "no beginning")
            found.append(reading.closed())
            reading = None
        elif head and not head.startswith("# "):
            if reading is None:
                needed = f"part of a document that begins with {BEGIN}"
                raise _refused(where, number, "a word", needed, f"{head[:60]!r}")
            reading.take(head.split(), number)
    if reading is not None:
        cut, hint = "the end of the file", "check that it was copied completely"
        raise _refused(where, number, "the last document", f"ended by {END}", cut, hint=hint)
    _check_names(found, where)
    return found


class _Reading:
    """One document while it is read."""

    def __init__(self, text: Text, where: str) -> None:
        self.text, self.where = text, where
        self.width = 0
        self.open: dict[str, list[tuple[int, int]]] = {}
        self.n_open = 0

    def take(self, cells: list[str], line: int) -> None:
        """Read one word and what begins or ends at it."""
        if len(cells) < 2:
            raise _refused(
                self.where, line, "a line", "a word and its coreference", f"{cells[0][:60]!r}"
            )
        if self.width and len(cells) != self.width:
            what = "every line of a document"
            raise _refused(self.where, line, what, f"cut into {self.width} cells", f"{len(cells)}")
        self.width = len(cells)
        self.text.words.append(cells[_word_column(cells)])
        if cells[-1] not in NOTHING:
            for begins, entity, ends in _marks(cells[-1], self.where, line):
                self._mark(begins, entity, ends, line)

    def _mark(self, begins: bool, entity: str, ends: bool, line: int) -> None:
        at = len(self.text.words)
        if begins:
            self.open.setdefault(entity, []).append((at, line))
            self.n_open += 1
            if self.n_open > _MOST_OPEN:
                what = "mentions inside each other"
                raise _refused(self.where, line, what, f"at most {_MOST_OPEN:,}", "more")
        if ends:
            if not self.open.get(entity):
                needed = f"preceded by ({entity}"
                raise _refused(self.where, line, f"{entity})", needed, "an end without a beginning")
            first, begun = self.open[entity].pop()
            self.n_open -= 1
            words = _shown(self.text.words[first - 1 : at])
            self.text.mentions.append(Mention(first, at, entity, words, begun))

    def closed(self) -> Text:
        """Return the document; refuse a mention without an end, or marked twice."""
        for entity, begun in self.open.items():
            if begun:
                where = self.where
                got = "a beginning without an end"
                raise _refused(where, begun[-1][1], f"({entity}", f"followed by {entity})", got)
        seen: dict[tuple[int, int], Mention] = {}
        self.text.mentions.sort(key=lambda one: (one.first, -one.last))
        for one in self.text.mentions:
            other = seen.setdefault(one.span, one)
            if other is not one:
                got = f"the entities {other.entity} and {one.entity}"
                what, hint = f"the mention {one.words!r}", "join the chains that share a mention"
                raise _refused(self.where, one.line, what, "marked once", got, hint=hint)
        return self.text


def _marks(cell: str, where: str, line: int) -> Iterator[tuple[bool, str, bool]]:
    """Take a cell such as (3|(4)|5) apart."""
    for part in cell.split("|"):
        found = _PART.fullmatch(part)
        if found is None or not (found[1] or found[3]):
            what, forms = "the coreference of a word", "-, or as in (12), (3|(4 and 5)"
            raise _refused(where, line, what, forms, f"{cell[:60]!r}")
        yield found[1] is not None, found[2], found[3] is not None


def _word_column(cells: list[str]) -> int:
    """Return which cell is the word: the fourth of CoNLL, the second behind a number."""
    if cells[0].isdecimal():
        return min(1, len(cells) - 2)
    return {2: 0, 3: 1, 4: 2}.get(len(cells), 3)


def _shown(words: list[str]) -> str:
    text = " ".join(words)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


def _name(head: str) -> str:
    found = _NAME.fullmatch(head)
    name, part = (head[len(BEGIN) :].strip(), None) if found is None else found.groups()
    return name if part is None else f"{name} part {int(part)}"


def _check_names(texts: list[Text], where: str) -> None:
    seen: dict[str, Text] = {}
    for one in texts:
        if seen.setdefault(one.name, one) is not one:
            got = f"{one.name!r} again, after line {seen[one.name].line}"
            raise _refused(where, one.line, "a document", "in a file once", got)


def _refused(
    where: str, line: int, what: str, expectation: str, got: str, *, hint: str = "correct the line"
) -> InputError:
    return refused(f"{where}, line {line}", what, expectation, got, hint)


# ---- chains, one file per rater

_SUFFIXES = (".conll", ".v4_gold_conll")


@dataclass(frozen=True)
class _Copy:
    """What one rater made of one document."""

    rater: str
    member: Member
    text: Text


@export(
    "conll-coreference",
    title="CoNLL coreference (2011, 2012)",
    suffixes=_SUFFIXES,
    label_names="variables",
)
class ConllCoreference:
    """A mention is an item; its label is the chain, the mentions that a rater put together."""

    def recognise(self, sample: Sample) -> str | None:
        """Look at the first line that is no comment."""
        names = sample.members()
        looked = [sample.member(name) for name in names[:3]] if names else [sample]
        told = all(begins_as_coreference(one.text) for one in looked)
        return f"documents begin with {BEGIN}" if told else None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Put the files of each document beside each other, mention by mention."""
        found = Annotations(roles={"item": "the mention", "rater": "the name of the file"})
        files: list[Member] = []
        texts: list[list[Text]] = []
        for member in source.members:
            content = member.text(encoding=options.encoding)
            beside = len(source.members) > 1 and member.suffix not in _SUFFIXES
            if beside and not begins_as_coreference(content):
                why = f"no file of coreference, which begins with {BEGIN}"
                found.ledger.set_aside("files", member.name, reason=why)
                continue
            files.append(member)
            texts.append(_texts(content, member))
        copies: dict[str, list[_Copy]] = {}
        for rater, member, own in zip(_raters(files, texts), files, texts, strict=True):
            for text in own:
                copies.setdefault(text.name, []).append(_Copy(rater, member, text))
        partly = 0
        for name, group in copies.items():
            _check_copies(group)
            partly += _add(found, group, f"{name}: " if len(copies) > 1 else "")
        _tell(found, copies, partly)
        return found


def _texts(content: str, member: Member) -> list[Text]:
    found = texts_in(content, member.where)
    if not found:
        what = "a file of coreference"
        needed = f"filled: documents begin with {BEGIN}"
        raise refused(member.where, what, needed, "none", "export it again, or leave the file out")
    return found


def _raters(members: Sequence[Member], texts: Sequence[Sequence[Text]]) -> list[str]:
    """Name each file's rater: by its own part of the name, else by the folder, else by all of it.

    Files that hold the same documents are those of different raters: their names differ in who.
    """
    alike: dict[tuple[str, ...], list[int]] = {}
    for k, one in enumerate(texts):
        alike.setdefault(tuple(sorted(text.name for text in one)), []).append(k)
    own = [""] * len(members)
    for group in alike.values():
        for k, name in zip(group, _own_parts([members[k].stem for k in group]), strict=True):
            own[k] = name
    folders = [
        PurePath(member.name).parent.name or PurePath(member.where).parent.name
        for member in members
    ]
    for names in (own, folders, [PurePath(member.name).name for member in members]):
        if all(names) and all(len({names[k] for k in g}) == len(g) for g in alike.values()):
            return names
    two = " and ".join(member.where for member in members[:2])
    what = "files of several raters"
    hint = "rename them, or put the files of each rater into a folder called after the rater"
    raise InputError.expected(what, "called after their raters", Said(two), hint)


def _own_parts(stems: list[str]) -> list[str]:
    """Return what each name has for itself: doc1_ann and doc1_bob are ann and bob."""
    start = shared_start(stems)
    short = [stem.removeprefix(start) for stem in stems]
    end = shared_start([stem[::-1] for stem in short])[::-1]
    return [stem.removesuffix(end) for stem in short]


def _check_copies(group: Sequence[_Copy]) -> None:
    """Refuse raters who did not have the same text, or one who has it twice."""
    first = group[0]
    for k, one in enumerate(group[1:], start=1):
        place = f"{one.member.where}, line {one.text.line}"
        if any(one.rater == other.rater for other in group[:k]):
            what = f"the document {one.text.name!r} of {one.rater}"
            raise refused(place, what, "in one file", "in two", "leave one out")
        if len(one.text.words) != len(first.text.words):
            raise refused(
                place,
                f"the document {one.text.name!r}",
                "cut into the same words by all raters",
                f"{len(one.text.words):,} words, and {len(first.text.words):,} in "
                f"{first.member.where}",
                "let raters mark one version of a text",
            )


def _add(found: Annotations, group: Sequence[_Copy], start: str) -> int:
    """Add each rater's chain of each mention; return how many mentions not all of them marked."""
    names: dict[tuple[int, int], str] = {}
    times: dict[tuple[int, int], int] = {}
    every = sorted(
        (one for copy in group for one in copy.text.mentions), key=lambda m: (m.first, -m.last)
    )
    for one in every:
        names.setdefault(one.span, f"{start}{_called(one)}")
        times[one.span] = times.get(one.span, 0) + 1
    for copy in group:
        chains: dict[str, set[str]] = {}
        for one in copy.text.mentions:
            chains.setdefault(one.entity, set()).add(names[one.span])
        sets = {entity: frozenset(chain) for entity, chain in chains.items()}
        for one in copy.text.mentions:
            place = f"{copy.member.where}, line {one.line}"
            found.add(names[one.span], copy.rater, sets[one.entity], text=one.words, place=place)
    return sum(n < len(group) for n in times.values())


def _called(one: Mention) -> str:
    place = f"{one.first}" if one.first == one.last else f"{one.first}-{one.last}"
    return f"{one.words} ({place})"


def _tell(found: Annotations, copies: dict[str, list[_Copy]], partly: int) -> None:
    """Say what chains leave open: mentions that only some raters marked, and texts of only one."""
    raters = {one.rater for group in copies.values() for one in group}
    alone = sum(len(group) < 2 for group in copies.values())
    if alone and len(raters) > 1:
        found.note(
            "documents_of_one",
            f"{alone:,} of {len(copies):,} documents are in one rater's file only, so that their "
            "mentions were compared with nobody's.",
        )
    if partly:
        found.note(
            "mentions_of_some",
            f"{partly:,} of {len(set(found.item)):,} mentions were not marked by all who had the "
            "text; each was compared among those who marked it. To take it as standing alone for "
            'the others, use read_chains(..., unmarked="alone") (--chains entities:alone).',
        )


# ---- tags, as units

_TAG = re.compile(r"O|[BIESLUM]-.+|[BIESLU]")
_ENDS = frozenset("ES")
_STARTS = frozenset("BS")
_SAME = {"L": "E", "U": "S", "M": "I"}
_NO_LABEL = "segment"


@dataclass
class _Tokens:
    """The lines of a file: tokens with their columns, and where sentences begin."""

    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    begins: set[int] = field(default_factory=set)
    names: list[str] | None = None


def _recognise(file: File) -> bool:
    if file.suffix in (".conll", ".iob", ".iob2", ".bio", ".bioes"):
        return True
    if file.suffix in (".csv", ".json", ".jsonl"):
        return False
    rows = [line.split() for line in file.head.splitlines()[:60] if line.strip()]
    rows = [row for row in rows if row[0] != "-DOCSTART-" and not row[0].startswith("#")][:-1]
    return len(rows) > 2 and all(
        len(row) > 1 and _TAG.fullmatch(row[-1]) is not None for row in rows[1:]
    )


@register(
    "conll",
    title="CoNLL columns with IOB or BIOES tags",
    suffixes=(".conll", ".iob", ".iob2", ".bio", ".bioes", ".txt", ".tsv"),
    rules=("file-suffix", "file-prefix", "folder", "column", "file"),
    recognise=_recognise,
)
def read_conll(file: File, wishes: Wishes) -> Found:
    """Read spans from tags: the last column, or one column for each rater."""
    if begins_as_coreference(file.head):
        needed = "one with IOB or BIOES tags"
        hint = "compare chains with `consilience measure FILES --distance dice`"
        raise refused(str(file.path), "the file", needed, "chains of coreference", hint)
    tokens = _tokens(file)
    wide = len(tokens.rows[0])
    columns = _columns(file, tokens, wishes)
    found = Found(file.path, "token")
    for column in columns:
        name = tokens.names[column] if tokens.names else f"column {column + 1}"
        facts = (("column", name),) if len(columns) > 1 or wide > 2 else ()
        strand = found.number(Strand(ONE_TIER, None, facts))
        for first, last, label in spans_of([row[column] for row in tokens.rows], tokens.begins):
            found.add(strand, first, last, label, tokens.lines[first])
        found.bounds[strand] = (0, len(tokens.rows))
        found.texts[strand] = tuple(row[0] for row in tokens.rows)
    tagged = [j for j in range(1, wide) if all(_TAG.fullmatch(row[j]) for row in tokens.rows)]
    others = [j for j in tagged if j not in columns]
    named = [tokens.names[j] if tokens.names else f"column {j + 1}" for j in others]
    why = "one column of tags is read (label=, or rater='column' for all)"
    found.ledger.set_aside("columns", ", ".join(named), len(others), reason=why)
    if len(columns) == 1 and wide > 2:
        found.note("tag_column", f"The tags of {file.path.name} were taken from {name!r}.")
    return found


def _tokens(file: File) -> _Tokens:
    tokens = _Tokens()
    new = True
    for number, line in enumerate(file.lines, start=1):
        row = line.rstrip().split("\t") if "\t" in line else line.split()
        if not line.strip():
            new = True
            continue
        if row[0] == "-DOCSTART-" or re.match(r"#\s", line) or line.startswith("# "):
            new = True
            continue
        if tokens.rows and len(row) != len(tokens.rows[0]):
            width = f"cut into {len(tokens.rows[0])} cells"
            raise file.wrong(number, "every line", width, Said(f"{len(row)}"))
        if len(row) < 2:
            raise file.wrong(number, "a line", "a token and its tags", line[:60])
        if not tokens.rows and tokens.names is None and not _TAG.fullmatch(row[-1]):
            tokens.names = row
            continue
        if new:
            tokens.begins.add(len(tokens.rows))
            new = False
        tokens.rows.append([cell.strip() for cell in row])
        tokens.lines.append(number)
    if not tokens.rows:
        raise file.wrong(1, "the file", "filled with tokens and tags", Said("none"))
    if tokens.names is not None and len(tokens.names) != len(tokens.rows[0]):
        told = Said(len(tokens.names))
        raise file.wrong(1, "the names of columns", "one for each column", told)
    return tokens


def _columns(file: File, tokens: _Tokens, wishes: Wishes) -> list[int]:
    """Choose the columns with tags: all of them if they are raters, else one."""
    wide = len(tokens.rows[0])
    named = wishes.columns.get("label") or wishes.label
    if named is not None:
        names = tokens.names or []
        at = names.index(named) if named in names else _place(named, wide)
        if at is None:
            raise InputError.unknown_word(
                f"{file.path}: label", named, [*names, *map(str, range(1, wide + 1))]
            )
        _check_tags(file, tokens, at)
        return [at]
    if wishes.rater == "column" or (isinstance(wishes.rater, dict) and wide > 2):
        tagged = [j for j in range(1, wide) if all(_TAG.fullmatch(row[j]) for row in tokens.rows)]
        if tagged:
            return tagged
    _check_tags(file, tokens, wide - 1)
    return [wide - 1]


def _place(name: str, wide: int) -> int | None:
    number = name.removeprefix("column ").strip()
    return int(number) - 1 if number.isdecimal() and 1 < int(number[:6]) <= wide else None


def _check_tags(file: File, tokens: _Tokens, column: int) -> None:
    for row, line in zip(tokens.rows, tokens.lines, strict=True):
        if not _TAG.fullmatch(row[column]):
            form = "O, or B-, I-, E-, S- (or L-, U-) and a label"
            raise file.wrong(line, "a tag", form, row[column][:60])


def spans_of(tags: Sequence[str], begins: set[int]) -> Iterator[tuple[int, int, str]]:
    """Yield (first, end, label) of each span, whatever the scheme.

    An I- (or E-) that follows nothing of its kind begins a span, as in the scorer of the CoNLL
    tasks; this is what makes IOB1 and IOB2 one rule.
    """
    start, label, before = -1, "", "O"
    for k, tag in enumerate(tags):
        part, _, kind = tag.partition("-")
        part, kind = _SAME.get(part, part), kind or _NO_LABEL
        if start >= 0 and (
            part == "O" or k in begins or part in _STARTS or before in _ENDS or kind != label
        ):
            yield start, k, label
            start = -1
        if part != "O" and start < 0:
            start, label = k, kind
        before = part
    if start >= 0:
        yield start, len(tags), label
