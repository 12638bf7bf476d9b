"""From an export's entries to units: what each rater marked in each item, by question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from consilience.core.input_files import Said
from consilience.core.labels import Note
from consilience.exceptions import InputError
from consilience.io.events.rater_rules import NOT_MEASURED
from consilience.io.events.registry import Found, Strand, Wishes, register
from consilience.io.events.unit_files import File, json_number
from consilience.io.exports.export_entries import Annotations, Marked
from consilience.io.exports.registry import ExportOptions, Reader
from consilience.io.files.source import Member, Source
from consilience.io.names import rater_name

COMPARE_SPANS = "compare spans with `consilience units`"


@dataclass(frozen=True)
class _OneFile(Source):
    """A file of units as the source of an export."""

    file: Member

    @property
    def members(self) -> tuple[Member, ...]:
        """The file itself."""
        return (self.file,)


def marks(
    name: str,
    *,
    title: str,
    suffixes: tuple[str, ...],
    recognise: Callable[[File], bool],
    rules: tuple[str, ...] = ("annotator", "file", "folder"),
) -> Callable[[type[Reader]], type[Reader]]:
    """Register an export whose entries have marks among the formats of units, too."""

    def keep(reader: type[Reader]) -> type[Reader]:
        def read(file: File, wishes: Wishes) -> Found:
            source = _OneFile((file.path,), file.member)
            options = ExportOptions(encoding=file.encoding, wanted="marks")
            return units_of(reader().read(source, options), file)

        register(
            name, title=title, suffixes=suffixes, rules=rules, recognise=recognise, settled=True
        )(read)
        return reader

    return keep


def units_of(found: Annotations, file: File) -> Found:
    """Return the marks as units; a strand is there whether or not anything was marked in it."""
    units = Found(file.path, found.mark_unit, ledger=found.mark_ledger, notes=list(found.notes))
    units.in_seconds = found.mark_unit == "s"
    for one in found.marked:
        _take(units, one)
    told = found.left.items()
    units.notes += [Note("left_out", f"Left out: {number:,} {what}.") for what, number in told]
    return units


def _take(units: Found, one: Marked) -> None:
    if one.is_entry:
        units.ledger.use("entries")
    name = rater_name(one.rater)
    facts = () if name is None else (("annotator", name),)
    strand = units.number(Strand(one.tier, str(one.item)[:200], facts))
    bounds = one.bounds
    if isinstance(one.text, str) and one.text:
        bounds, units.texts[strand] = (0, len(one.text)), one.text
    if bounds is not None:
        units.bounds[strand] = bounds
    for kind, given in one.beside.items():
        if isinstance(given, list):
            units.ledger.set_aside(kind, "", len(given), reason=NOT_MEASURED)
    if not isinstance(one.marks, list):
        raise wrong(one.place, "the spans", "a list", Said("another value"))
    for mark in one.marks:
        start, end, label, *place = one.limits(mark, one.place)
        first, last = json_number(start), json_number(end)
        if first is None or last is None:
            got = Said(f"{str(start)[:30]} and {str(end)[:30]}")
            raise wrong(one.place, "the place of a span", "two numbers, start and end", got)
        named = label if isinstance(label, frozenset) else "" if label is None else str(label)
        units.add(strand, first, last, named, place[0] if place else one.place)


def fields(*names: str) -> Callable[[Any, str], list[Any]]:
    """Return what takes start, end and label of a mark from its fields."""

    def limits(mark: Any, place: str) -> list[Any]:
        if not isinstance(mark, dict):
            raise wrong(place, "every span", "an object", Said("another value"))
        return [mark.get(name) for name in names]

    return limits


def wrong(place: str, what: str, expectation: str, got: object) -> InputError:
    """Build the sentence that refuses something in a file."""
    return InputError.expected(what, expectation, got, "check the export", where=place)
