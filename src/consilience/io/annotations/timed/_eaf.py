"""ELAN annotation documents (.eaf, .eaf.gz), all kinds of tiers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.annotations.strands import Found, Strand, Wishes, listed
from consilience.io.annotations.timed._eaf_times import Slots
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes import _strict_xml
from consilience.io.bytes._unit_files import File
from consilience.ratings import Note

_UNITS = {"milliseconds": "ms", "NTSC-frames": "frame", "PAL-frames": "frame"}
_SHARED_OUT = "Symbolic_Subdivision"
_RULES = (
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
        return InputError.expected(
            what,
            expectation,
            got,
            "open and save the file in ELAN",
            where=f"{self.path}, line {line}",
        )


def _recognise(file: File) -> bool:
    return "<ANNOTATION_DOCUMENT" in file.head or file.suffix == ".eaf"


@register(
    "eaf",
    title="an ELAN annotation document",
    suffixes=(".eaf",),
    rules=_RULES,
    recognise=_recognise,
)
def read_eaf(file: File, wishes: Wishes) -> Found:
    """Read every tier of an ELAN file; referring annotations take their parent's time."""
    document = _Document(file.path)
    _strict_xml.parse(file.data, file.path, document.begin, document.end)
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
        found.notes.append(
            Note(
                "interpolated_times",
                f"{len(slots.filled)} time slots of {found.path.name} have no time; they were "
                "spread evenly between their neighbours.",
            )
        )
    if changed:
        found.notes.append(
            Note(
                "labels_from_vocabulary",
                f"{changed} annotations of {found.path.name} were given the label of the entry "
                "in the controlled vocabulary that they refer to.",
            )
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
        raise InputError.expected(
            f"the parent of annotation {marks[0].name!r} on tier {tier.attributes['TIER_ID']!r}",
            "an annotation with a time",
            marks[0].parent,
            "open and save the file in ELAN",
            where=f"{document.path}, line {marks[0].line}",
        )
    if len(times) != n_marks:
        raise InputError.expected(
            "the ids of annotations",
            "different from each other",
            Said(f"{n_marks - len(times)} that occur twice"),
            "open and save the file in ELAN",
            where=str(document.path),
        )
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
        raise InputError.expected(
            f"the annotations below {marks[0].parent!r}",
            "in one order (PREVIOUS_ANNOTATION)",
            Said(listed([mark.name for mark in marks], 5)),
            "open and save the file in ELAN",
            where=f"{document.path}, line {marks[0].line}",
        )
    begin, end = parent
    cuts = [round(begin + Fraction(k * (end - begin), len(marks))) for k in range(len(marks) + 1)]
    return {mark.name: (cuts[k], cuts[k + 1]) for k, mark in enumerate(order)}
