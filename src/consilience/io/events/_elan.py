"""ELAN: annotation documents (.eaf, .eaf.gz), all kinds of tiers, and tab-delimited exports."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.events.registry import Found, Strand, Wishes, listed, register
from consilience.io.events.unit_files import File, Row, rows_of
from consilience.io.files import strict_xml
from consilience.io.files.limits import refused

# ---- time slots


def _broken(path: Path, line: int, what: str, expectation: str, got: object) -> InputError:
    """Build the sentence about what ELAN itself repairs."""
    hint, where = "open and save the file in ELAN", f"{path}, line {line}"
    return InputError.expected(what, expectation, got, hint, where=where)


class Slots:
    """The time of each slot; slots without one lie evenly between their known neighbours."""

    def __init__(self, path: Path, known: Mapping[str, int | None]) -> None:
        self.path = path
        self.known = known
        self.order = list(known)
        self.place = {name: k for k, name in enumerate(self.order)}
        self.filled: dict[str, int] = {}

    def chain(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Spread the slots of annotations that follow each other on one tier."""
        after = {first: last for first, last in pairs if first != last}
        before = {last: first for first, last in pairs if first != last}
        for name in list(after):
            if self._value(name) is None or self._value(after[name]) is not None:
                continue
            if before[after[name]] != name:  # walked once only, from its last claimant
                continue
            run, at = [name], after[name]
            while self._value(at) is None and at in after and len(run) <= len(after):
                run.append(at)
                at = after[at]
            if self._value(at) is not None:
                self._spread([*run, at])

    def interval(self, pair: tuple[str, str], line: int) -> tuple[int, int]:
        """Return the times of two slots."""
        begin, end = (self._time(name, line) for name in pair)
        return begin, end

    def _value(self, name: str) -> int | None:
        value = self.known.get(name)
        return self.filled.get(name) if value is None else value

    def _time(self, name: str, line: int) -> int:
        if name not in self.place:
            unlisted = "listed in TIME_ORDER"
            raise _broken(self.path, line, f"time slot {name!r}", unlisted, Said("none"))
        value = self._value(name)
        if value is not None:
            return value
        # Not between two known slots of its own tier: then between those in the list of all.
        low = high = self.place[name]
        while low >= 0 and self._value(self.order[low]) is None:
            low -= 1
        while high < len(self.order) and self._value(self.order[high]) is None:
            high += 1
        if low < 0 or high == len(self.order):
            placed = "given a time, or between slots that have one"
            raise _broken(self.path, line, f"time slot {name!r}", placed, Said("neither"))
        self._spread(self.order[low : high + 1])
        return self.filled[name]

    def _spread(self, names: Sequence[str]) -> None:
        first, last = self._value(names[0]), self._value(names[-1])
        if first is None or last is None:
            return
        steps = len(names) - 1
        for k, name in enumerate(names[1:-1], start=1):
            self.filled[name] = round(first + Fraction(k * (last - first), steps))


# ---- annotation documents

_UNITS = {"milliseconds": "ms", "NTSC-frames": "frame", "PAL-frames": "frame"}
_SHARED_OUT = "Symbolic_Subdivision"
_DOCUMENT_RULES = (
    "tier-suffix", "tier-prefix", "annotator", "participant", "tier", "file-suffix",
    "file-prefix", "folder", "file",
)  # fmt: skip


@dataclass
class _Mark:
    """One annotation: two slots, or the annotation it refers to."""

    name: str
    line: int
    slots: tuple[str, str] | None = None
    parent: str | None = None
    previous: str | None = None
    entry: str | None = None
    text: str = ""


@dataclass
class _Tier:
    attributes: dict[str, str]
    line: int
    marks: list[_Mark] = field(default_factory=list)


@dataclass
class _Document:
    """What the XML holds, in the order of the file."""

    path: Path
    unit: str = "ms"
    root: str = ""
    slots: dict[str, int | None] = field(default_factory=dict)
    tiers: dict[str, _Tier] = field(default_factory=dict)
    types: dict[str, dict[str, str]] = field(default_factory=dict)
    entries: dict[tuple[str, str], str] = field(default_factory=dict)
    _vocabulary: str = ""
    _entry: str | None = None

    def begin(self, name: str, attributes: dict[str, str], line: int) -> None:
        """Take in the start of an element."""
        if not self.root:
            self.root = name
            if name != "ANNOTATION_DOCUMENT":
                raise self._wrong("the document", "an ANNOTATION_DOCUMENT", name, line)
        elif name == "HEADER":
            word = attributes.get("TIME_UNITS", "milliseconds")
            if word not in _UNITS:
                raise self._wrong("TIME_UNITS", "milliseconds or frames", word, line)
            self.unit = _UNITS[word]
        elif name == "TIME_SLOT":
            self._slot(attributes, line)
        elif name == "TIER":
            key = self._need(attributes, "TIER_ID", line)
            if key in self.tiers:
                raise self._wrong("each TIER_ID", "given once", key, line)
            self.tiers[key] = _Tier(attributes, line)
        elif name in ("ALIGNABLE_ANNOTATION", "REF_ANNOTATION"):
            self._annotation(name, attributes, line)
        elif name == "LINGUISTIC_TYPE":
            self.types[self._need(attributes, "LINGUISTIC_TYPE_ID", line)] = attributes
        elif name == "CONTROLLED_VOCABULARY":
            self._vocabulary = attributes.get("CV_ID", "")
        elif name in ("CV_ENTRY", "CV_ENTRY_ML"):
            self._entry = attributes.get("CVE_ID")

    def end(self, name: str, text: str) -> None:
        """Take in the text of an element."""
        if name == "ANNOTATION_VALUE" and self.tiers:
            marks = next(reversed(self.tiers.values())).marks
            if marks:
                marks[-1].text = text
        elif name in ("CV_ENTRY", "CVE_VALUE") and self._entry:
            # The first language of an entry names it, so that two languages meet in one label.
            self.entries.setdefault((self._vocabulary, self._entry), text)

    def _slot(self, attributes: dict[str, str], line: int) -> None:
        name = self._need(attributes, "TIME_SLOT_ID", line)
        value = attributes.get("TIME_VALUE")
        if value is None:
            self.slots[name] = None
            return
        try:
            self.slots[name] = int(value[:20])
        except ValueError:
            raise self._wrong(f"the time of slot {name!r}", "a whole number", value, line) from None

    def _annotation(self, name: str, attributes: dict[str, str], line: int) -> None:
        if not self.tiers:
            raise self._wrong("an annotation", "inside a TIER", name, line)
        mark = _Mark(self._need(attributes, "ANNOTATION_ID", line), line)
        mark.entry = attributes.get("CVE_REF")
        if name == "REF_ANNOTATION":
            mark.parent = self._need(attributes, "ANNOTATION_REF", line)
            mark.previous = attributes.get("PREVIOUS_ANNOTATION")
        else:
            mark.slots = (
                self._need(attributes, "TIME_SLOT_REF1", line),
                self._need(attributes, "TIME_SLOT_REF2", line),
            )
        next(reversed(self.tiers.values())).marks.append(mark)

    def _need(self, attributes: dict[str, str], key: str, line: int) -> str:
        if key not in attributes:
            raise self._wrong("an element", f"one with {key}", Said("none"), line)
        return attributes[key]

    def _wrong(self, what: str, expectation: str, got: object, line: int) -> InputError:
        return _broken(self.path, line, what, expectation, got)


@register(
    "eaf",
    title="an ELAN annotation document",
    suffixes=(".eaf",),
    rules=_DOCUMENT_RULES,
    recognise=lambda file: "<ANNOTATION_DOCUMENT" in file.head or file.suffix == ".eaf",
)
def read_eaf(file: File, wishes: Wishes) -> Found:
    """Read every tier of an ELAN file; referring annotations take their parent's time."""
    document = _Document(file.path)
    strict_xml.parse(file.data, file.path, document.begin, document.end)
    slots = Slots(file.path, document.slots)
    for tier in document.tiers.values():
        slots.chain([mark.slots for mark in tier.marks if mark.slots])
    times = _times(document, slots)
    found = Found(file.path, document.unit)
    changed = 0
    for name, tier in document.tiers.items():
        kind = document.types.get(tier.attributes.get("LINGUISTIC_TYPE_REF", ""), {})
        number = found.number(_strand(name, tier))
        for mark in tier.marks:
            key = (kind.get("CONTROLLED_VOCABULARY_REF", ""), mark.entry or "")
            label = document.entries.get(key) or mark.text
            changed += label != mark.text
            begin, end = times[mark.name]
            found.add(number, begin, end, label, f"line {mark.line}, annotation {mark.name!r}")
    _note(found, slots, changed)
    return found


def _strand(name: str, tier: _Tier) -> Strand:
    keys = {
        "participant": "PARTICIPANT",
        "annotator": "ANNOTATOR",
        "type": "LINGUISTIC_TYPE_REF",
        "parent": "PARENT_REF",
    }
    facts = tuple((key, tier.attributes[a]) for key, a in keys.items() if tier.attributes.get(a))
    return Strand(name, None, facts)


def _note(found: Found, slots: Slots, changed: int) -> None:
    if slots.filled:
        found.note(
            "interpolated_times",
            f"{len(slots.filled)} time slots of {found.path.name} have no time; they were "
            "spread evenly between their neighbours.",
        )
    if changed:
        found.note(
            "labels_from_vocabulary",
            f"{changed} annotations of {found.path.name} were given the label of the entry "
            "in the controlled vocabulary that they refer to.",
        )


def _times(document: _Document, slots: Slots) -> dict[str, tuple[int, int]]:
    """Find the interval of each annotation, parents before children."""
    times: dict[str, tuple[int, int]] = {}
    waiting: dict[str, list[tuple[_Tier, list[_Mark]]]] = defaultdict(list)
    n_marks = 0
    for tier in document.tiers.values():
        children: dict[str, list[_Mark]] = defaultdict(list)
        for mark in tier.marks:
            n_marks += 1
            if mark.slots is not None:
                times[mark.name] = slots.interval(mark.slots, mark.line)
            elif mark.parent is not None:
                children[mark.parent].append(mark)
        for parent, marks in children.items():
            waiting[parent].append((tier, marks))
    ready = list(times)
    while ready:
        parent = ready.pop()
        for tier, marks in waiting.pop(parent, ()):
            kind = document.types.get(tier.attributes.get("LINGUISTIC_TYPE_REF", ""), {})
            shared = kind.get("CONSTRAINTS") == _SHARED_OUT
            times.update(_inherit(document, times[parent], marks, shared=shared))
            ready += [mark.name for mark in marks]
    if waiting:
        tier, marks = next(iter(waiting.values()))[0]
        mark = marks[0]
        what = f"the parent of annotation {mark.name!r} on tier {tier.attributes['TIER_ID']!r}"
        raise _broken(document.path, mark.line, what, "an annotation with a time", mark.parent)
    if len(times) != n_marks:
        where = str(document.path)
        got = f"{n_marks - len(times)} that occur twice"
        hint = "open and save the file in ELAN"
        raise refused(where, "the ids of annotations", "different from each other", got, hint)
    return times


def _inherit(
    document: _Document, parent: tuple[int, int], marks: list[_Mark], *, shared: bool
) -> dict[str, tuple[int, int]]:
    """Give children their parent's interval, or equal shares of it, in their order."""
    if not shared or len(marks) == 1:
        return {mark.name: parent for mark in marks}
    after = {mark.previous: mark for mark in marks}
    names = {mark.name for mark in marks}
    first = [mark for mark in marks if mark.previous not in names]
    order = first[:1]
    while order and len(order) < len(marks) and order[-1].name in after:
        order.append(after[order[-1].name])
    # The same one may be there twice.
    if len(first) != 1 or len({mark.name for mark in order}) != len(marks):
        what, got = f"the annotations below {marks[0].parent!r}", [mark.name for mark in marks]
        one_order = "in one order (PREVIOUS_ANNOTATION)"
        raise _broken(document.path, marks[0].line, what, one_order, Said(listed(got, 5)))
    begin, end = parent
    cuts = [round(begin + Fraction(k * (end - begin), len(marks))) for k in range(len(marks) + 1)]
    return {mark.name: (cuts[k], cuts[k + 1]) for k, mark in enumerate(order)}


# ---- tab-delimited text

_CLOCK = re.compile(r"(?P<h>\d{1,4}):(?P<m>[0-5]?\d):(?P<s>[0-5]?\d)[.,](?P<ms>\d{1,3})")
_SMPTE = re.compile(r"\d{2}:\d{2}:\d{2}[:;]\d{2}")
_WHOLE = re.compile(r"\d{1,12}")
_SECONDS = re.compile(r"\d{1,9}[.,]\d{1,3}")
_KINDS = {"ms": _WHOLE, "clock": _CLOCK, "seconds": _SECONDS}
_MSEC = "export again from ELAN with msec ticked"
_TAB_RULES = ("tier-suffix", "tier-prefix", "participant", "tier", "column", "file")


@dataclass
class _Columns:
    """Which column is what."""

    begin: int
    end: int
    kind: str
    tier: int | None = None
    label: int | None = None
    participant: int | None = None
    file: int | None = None
    tiers: dict[int, str] = field(default_factory=dict)  # a column for each tier


def _is_header(cells: list[str]) -> bool:
    words = [cell.strip().casefold() for cell in cells]
    return any(w.startswith("begin time") for w in words) and any(
        w.startswith("end time") for w in words
    )


def _is_tab_export(file: File) -> bool:
    lines = [line for line in file.head.splitlines() if line.strip()][:200]
    body = [line for line in lines if not line.startswith("#")]
    if not body or "\t" not in body[0]:
        return False
    if _is_header(body[0].split("\t")):
        return True
    rows = [line.split("\t") for line in (body[:-1] if len(lines) > 100 else body)]
    width = len(rows[0])
    return width >= 4 and all(len(row) == width for row in rows) and _unnamed(rows) is not None


@register(
    "elan-tab",
    title="tab-delimited text from ELAN",
    suffixes=(".txt", ".tsv", ".csv", ".tab"),
    rules=_TAB_RULES,
    recognise=_is_tab_export,
)
def read_elan_tab(file: File, wishes: Wishes) -> Found:
    """Read annotations from a tab-delimited export; session is the file named in a column."""
    rows = rows_of(file, "\t", quoted=False)
    home = next((_film(c[0][1:]) for _, c in rows if c[0].startswith("#") and ".eaf" in c[0]), None)
    rows = [(line, cells) for line, cells in rows if not cells[0].startswith("#")]
    if not rows:
        raise file.wrong(1, "the file", "filled with annotations", Said("none"), _MSEC)
    if _is_header(rows[0][1]):
        columns = _named(file, rows)
        rows = rows[1:]
    else:
        unnamed = _unnamed([cells for _, cells in rows])
        if unnamed is None:
            needed, got = "a tier, times in one format and a label", " | ".join(rows[0][1])
            raise file.wrong(rows[0][0], "the columns", needed, Said(got[:60]), _MSEC)
        columns = unnamed
    found = Found(file.path, "ms")
    for line, cells in rows:
        _add(found, file, (line, cells), columns, home)
    return found


def _add(found: Found, file: File, row: Row, columns: _Columns, home: str | None) -> None:
    line, cells = row

    def cell(at: int | None) -> str:
        return cells[at].strip() if at is not None and at < len(cells) else ""

    begin, end = (_time(file, line, cell(at), columns.kind) for at in (columns.begin, columns.end))
    named = cell(columns.file)
    session = _film(named) if named else home
    who = cell(columns.participant)
    facts = (("participant", who),) if who else ()
    if columns.tiers:
        for at, tier in columns.tiers.items():
            if cell(at):
                strand = found.number(Strand(tier, session, facts))
                found.add(strand, begin, end, cell(at), line)
        return
    strand = found.number(Strand(cell(columns.tier) or "tier", session, facts))
    found.add(strand, begin, end, cell(columns.label), line)


def _time(file: File, line: int, text: str, kind: str) -> int:
    match = _KINDS[kind].fullmatch(text)
    if match is None:
        raise file.wrong(line, "a time", f"written as the others ({kind})", text[:40], _MSEC)
    if kind == "ms":
        return int(text)
    if kind == "seconds":
        whole, _, part = text.replace(",", ".").partition(".")
        return int(whole) * 1000 + int(part.ljust(3, "0"))
    hours, minutes, seconds = (int(match[key]) for key in "hms")
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + int(match["ms"].ljust(3, "0"))


def _named(file: File, rows: list[Row]) -> _Columns:
    """Understand a header."""
    line, cells = rows[0]
    heads = [cell.strip().casefold() for cell in cells]
    times = {}
    for name in ("begin time", "end time"):
        places = [k for k, head in enumerate(heads) if head.startswith(name)]
        times[name] = {_kind_at(rows[1:], k): k for k in reversed(places)}
    both = [k for k in _KINDS if all(k in found for found in times.values())]
    if not both:
        forms, got = "in milliseconds, seconds or hh:mm:ss.ms", Said("SMPTE frames or another form")
        raise file.wrong(line, "begin and end time", forms, got, _MSEC)
    kind = both[0]
    columns = _Columns(times["begin time"][kind], times["end time"][kind], kind)
    others = []
    for k, head in enumerate(heads):
        if head.startswith(("begin time", "end time", "duration")) or not head:
            continue
        if head in ("tier", "tier name"):
            columns.tier = k
        elif head == "participant":
            columns.participant = k
        elif head in ("annotation", "annotation value", "value", "label"):
            columns.label = k
        elif head.startswith("file"):
            columns.file = k
        else:
            others.append(k)
    if columns.label is None and columns.tier is None:
        columns.tiers = {k: cells[k].strip() for k in others}
    elif columns.label is None and others:
        columns.label = others[-1]
    return columns


def _kind_at(rows: list[Row], at: int) -> str:
    texts = {cells[at].strip() for _, cells in rows[:1000] if at < len(cells)}
    for kind, pattern in _KINDS.items():
        if texts and all(pattern.fullmatch(text) for text in texts):
            return kind
    return "other"


def _unnamed(rows: list[list[str]]) -> _Columns | None:
    """Understand columns without names: tier, participant, times, label, file."""
    width = max(len(row) for row in rows)
    sample = [[cell.strip() for cell in row] for row in rows[:1000] if len(row) == width]
    if width < 4 or not sample:
        return None
    last = width - 1
    file = last if all(row[last].lower().endswith(".eaf") for row in sample) else None
    label = last - 1 if file is not None else last
    between = range(1, label)
    for kind, pattern in _KINDS.items():
        places = [k for k in between if all(pattern.fullmatch(row[k]) for row in sample)]
        if len(places) in (2, 3):
            participant = 1 if places[0] > 1 and not _is_time(sample, 1) else None
            return _Columns(places[0], places[1], kind, 0, label, participant, file)
    return None


def _is_time(rows: list[list[str]], at: int) -> bool:
    patterns = (*_KINDS.values(), _SMPTE)
    return any(all(p.fullmatch(row[at]) for row in rows) for p in patterns)


def _film(path: str) -> str:
    name = re.split(r"[\\/]", path.strip())[-1]
    return name[:-4] if name.lower().endswith(".eaf") else name
