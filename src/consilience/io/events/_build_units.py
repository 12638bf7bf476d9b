"""From strands to `Units`: wishes about sessions and tiers, times checked with their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.input_files import Said
from consilience.core.labels import Note
from consilience.exceptions import InputError
from consilience.io.events.rater_rules import ONE_SESSION, ONE_TIER, Place, Places, blocks
from consilience.io.events.registry import Bounds, Found, listed, noted
from consilience.io.events.unit_files import File
from consilience.io.files.limits import refused
from consilience.units import Units
from consilience.units.model import UnitReading

# ---- wishes about sessions and tiers


def settle(file: File, found: Found, places: Places, session: Any, tier: Any) -> Places:
    """Follow the wishes about sessions and tiers."""
    settled: Places = []
    for strand, place in zip(found.strands, places, strict=True):
        if place is None:
            settled.append(None)
            continue
        home = place.session
        if isinstance(session, Mapping):
            keys = [file.path.name, file.stem, strand.fact("observation"), place.session]
            named = [str(session[key]) for key in keys if key in session]
            home = named[0] if named else home
        elif session is not None:
            home = _session(str(session), file, strand, home)
        settled.append(_on_tier(Place(place.rater, home, place.tier), strand.tier, tier))
    return settled


def _session(wish: str, file: File, strand: Any, home: str) -> str:
    if wish.startswith("column:"):
        return home
    words = {"file": file.stem, "folder": file.path.absolute().parent.name, "one": ONE_SESSION}
    if wish in words:
        return words[wish]
    if wish in ("media", "observation", "participant") or wish.startswith("variable:"):
        fact = strand.fact(wish)
        if fact is not None:
            return str(fact)
        what = f"session={wish!r}"
        hint = "use 'file', 'folder' or 'one'"
        raise InputError.expected(what, "named in every file", None, hint, where=str(file.path))
    raise InputError.unknown_word(
        "session", wish, [*words, "media", "observation", "column:NAME", "variable:NAME"]
    )


def _on_tier(place: Place, raw: str, tier: Any) -> Place | None:
    if tier is None or (isinstance(tier, str) and tier.startswith("column:")):
        return place
    if tier == "one":
        return Place(place.rater, place.session, ONE_TIER)
    if isinstance(tier, Mapping):
        name = tier.get(raw, tier.get(place.tier))
        return None if name is None else Place(place.rater, place.session, str(name))
    names = {tier} if isinstance(tier, str) else set(map(str, tier))
    return place if raw in names or place.tier in names else None


def unplaced(rule: str, places: Places) -> dict[int, tuple[str, bool]]:
    """Say why some strands have no rater, and whether that could matter."""
    why = (f"{rule!r} names no rater for it", True)
    if rule == "mapping":
        why = ("it was not named", False)
    return {number: why for number, place in enumerate(places) if place is None}


def paired(
    places: Sequence[Places], reasons: Sequence[dict[int, tuple[str, bool]]]
) -> list[Places]:
    """Leave out tiers that one rater alone has in a session: nobody else was asked about them."""
    every = [place for by in places for place in by if place is not None]
    on_tier, homes = blocks(every), _asked(every)
    settled: list[Places] = []
    for by, why in zip(places, reasons, strict=True):
        kept: Places = []
        for number, place in enumerate(by):
            alone = place is not None and len(on_tier[place.session, place.tier]) == 1
            if place is not None and alone and len(homes[place.session]) > 1:
                why[number] = (f"only {place.rater!r} has this tier in the session", True)
                kept.append(None)
            else:
                kept.append(place)
        settled.append(kept)
    return settled


def wanted(tier: Any) -> list[str]:
    """Return the tiers that were asked for by name; none if all are welcome."""
    if tier is None or tier == "one" or (isinstance(tier, str) and tier.startswith("column:")):
        return []
    return [tier] if isinstance(tier, str) else [str(name) for name in tier]


def check_tiers(founds: Sequence[Found], places: Sequence[Places], names: list[str]) -> None:
    """Refuse a tier that no file has."""
    raw = {strand.tier for found in founds for strand in found.strands}
    known = raw | {place.tier for by in places for place in by if place}
    for name in names:
        if name not in known:
            raise InputError.unknown_word("tier", name, sorted(known))
    if names and not any(
        place and {strand.tier, place.tier} & set(names)
        for found, by in zip(founds, places, strict=True)
        for strand, place in zip(found.strands, by, strict=True)
    ):
        raise InputError.expected(
            "the tiers chosen", "with a rater", names, "use another rule for raters"
        )


def check_twice(founds: Sequence[Found], places: Sequence[Places], rule: str) -> None:
    """Refuse two files that claim to be the same rater's work on the same tier."""
    if rule.startswith(("column", "annotator", "observation", "variable", "mapping")):
        return
    seen: dict[Place, Found] = {}
    for found, by in zip(founds, places, strict=True):
        for place in by:
            if place is None:
                continue
            other = seen.setdefault(place, found)
            if other is not found:
                what = f"rater {place.rater!r} on tier {place.tier!r} of session {place.session!r}"
                got = Said(f"{other.path} and {found.path}")
                hint = "use another rule for raters, or session='file' or 'folder'"
                raise InputError.expected(what, "found in one file", got, hint)


# ---- units

_LARGEST_TIME = 2.0**52  # whole numbers and halves are exact up to here


def build(
    founds: Sequence[Found],
    places: Sequence[Places],
    *,
    time_unit: str | None,
    bounds: Any,
    notes: Sequence[Note],
    asked: Any = None,
    reading: UnitReading | None = None,
) -> Units:
    """Put the strands that have a place together."""
    kept = [_kept(found, by) for found, by in zip(founds, places, strict=True)]
    first = np.concatenate([_times(f, f.start, rows) for f, rows in zip(founds, kept, strict=True)])
    last = np.concatenate([_times(f, f.end, rows) for f, rows in zip(founds, kept, strict=True)])
    _check_times(founds, kept, first, last)
    every = [place for by in places for place in by if place is not None]
    if not len(first):
        hint = "check the export and the tiers chosen"
        raise refused(str(founds[0].path), "the files", "filled with units", "none", hint)
    unit, in_seconds = _common_unit(founds)
    said: dict[str, Bounds] = {}
    more = [] if bounds is not None else _bounds(founds, places, said)
    if in_seconds:
        first, last, said, unit, note = _from_seconds(first, last, said, time_unit)
        more += note
    elif time_unit is not None and unit in ("unknown", time_unit):
        unit = time_unit
    elif time_unit is not None:
        raise InputError.expected(
            "time_unit", f"{unit!r}, as the files say", time_unit, "leave it out"
        )
    texts = _checked_texts(founds, places)
    groups = zip(founds, places, kept, strict=True)
    by_row = [place for group in groups for place in _row_places(*group)]
    labels = [found.label[row] for found, rows in zip(founds, kept, strict=True) for row in rows]
    _check_names(labels, every)
    return Units.from_columns(
        start=first,
        end=last,
        label=_label_column(labels),
        rater=[place.rater for place in by_row],
        session=[place.session for place in by_row],
        tier=[place.tier for place in by_row],
        span=_spans(founds, kept),
        bounds=said or None if bounds is None else bounds,
        bounds_from="file" if bounds is None else "given",
        time_unit=unit,
        raters=sorted({place.rater for place in every}),
        asked=_asked(every) if asked is None else asked,
        reading=None if reading is None else replace(reading, texts=texts),
        sessions=sorted({place.session for place in every}),
        sources=[str(found.path) for found in founds],
        notes=[*notes, *dict.fromkeys(n for found in founds for n in found.notes), *more],
    )


def _asked(places: Sequence[Place]) -> dict[str, set[str]]:
    """Return who was asked where: whoever has a strand there, be it empty."""
    found: dict[str, set[str]] = {}
    for place in places:
        found.setdefault(place.session, set()).add(place.rater)
    return found


def _label_column(labels: list[Any]) -> Any:
    if any(isinstance(label, frozenset) for label in labels):
        return labels
    column = np.empty(len(labels), dtype=object)
    column[:] = labels
    return column


def _kept(found: Found, by: Places) -> NDArray[np.int64]:
    """Return the rows whose strand has a place; a fault among them is raised now."""
    wanted = np.array([place is not None for place in by], dtype=bool)
    strand = np.asarray(found.strand, dtype=np.int64)
    rows = np.flatnonzero(wanted[strand]) if len(strand) else strand
    if found.faults:
        for row in rows:
            if int(row) in found.faults:
                raise found.faults[int(row)]
    return rows


def _times(found: Found, column: Any, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(column, dtype=np.float64)[rows]


def _check_times(
    founds: Sequence[Found],
    kept: Sequence[NDArray[np.int64]],
    first: NDArray[np.float64],
    last: NDArray[np.float64],
) -> None:
    wrong = ~(np.isfinite(first) & np.isfinite(last)) | (last < first)
    wrong |= np.maximum(np.abs(first), np.abs(last)) > _LARGEST_TIME
    if not wrong.any():
        return
    bad = int(np.flatnonzero(wrong)[0])
    ends = np.cumsum([len(rows) for rows in kept])
    at = int(np.searchsorted(ends, bad, side="right"))
    row = int(kept[at][bad - (ends[at] - len(kept[at]))])
    where, label = founds[at].where(row), founds[at].label[row]
    low, high = first[bad].item(), last[bad].item()
    if high < low:
        what = f"the unit {str(label)[:60]!r}"
        needed = "one that does not end before it starts"
        got = f"{low:.15g} to {high:.15g}"
        raise refused(where, what, needed, got, "swap or correct the two times")
    what = f"the times of the unit {str(label)[:60]!r}"
    hint = "correct them, or leave the unit out"
    raise refused(where, what, "finite numbers of a sensible size", f"{low:g} to {high:g}", hint)


def _row_places(found: Found, by: Places, rows: NDArray[np.int64]) -> list[Place]:
    strand = np.asarray(found.strand, dtype=np.int64)[rows]
    return [place for number in strand.tolist() if (place := by[number]) is not None]


def _common_unit(founds: Sequence[Found]) -> tuple[str, bool]:
    units = {found.time_unit: found.path.name for found in founds if len(found.start)}
    if len(units) > 1:
        what = "files read together"
        got = Said(", ".join(f"{path} ({unit})" for unit, path in units.items()))
        raise InputError.expected(what, "in one unit of time", got, "read them one by one")
    used = [found for found in founds if len(found.start)]
    return used[0].time_unit, used[0].in_seconds


def _from_seconds(
    first: NDArray[np.float64],
    last: NDArray[np.float64],
    said: dict[str, Bounds],
    wish: str | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], dict[str, Bounds], str, list[Note]]:
    """Turn seconds into whole milliseconds where that loses nothing, or where it is asked for."""
    if wish not in (None, "s", "ms"):
        raise InputError.unknown_word("time_unit of files in seconds", wish, ["ms", "s"])
    start, end = np.rint(first * 1000), np.rint(last * 1000)
    exact = bool(np.all(start / 1000 == first) and np.all(end / 1000 == last))
    if wish == "s" or (wish is None and not exact):
        return first, last, said, "s", []
    outer = {
        name: (float(np.floor(round(low * 1000, 6))), float(np.ceil(round(high * 1000, 6))))
        for name, (low, high) in said.items()
    }
    told = "Times were rounded to whole milliseconds, as asked for."
    return start, end, outer, "ms", noted((not exact, "rounded_times", told))


def _bounds(
    founds: Sequence[Found], places: Sequence[Places], said: dict[str, Bounds]
) -> list[Note]:
    """Collect what the files say of each session; where they differ, the widest holds."""
    differing = set()
    for found, by in zip(founds, places, strict=True):
        for number, (low, high) in found.bounds.items():
            place = by[number]
            if place is None or not (np.isfinite(low) and np.isfinite(high) and low <= high):
                continue
            before = said.get(place.session, (low, high))
            if before != (low, high):
                differing.add(place.session)
            said[place.session] = (min(before[0], low), max(before[1], high))
    names = listed(sorted(differing), 4)
    told = f"The files state different lengths for {names}; the longest was taken."
    return noted((differing, "bounds_differ", told))


def _checked_texts(
    founds: Sequence[Found], places: Sequence[Places]
) -> dict[str, str | tuple[str, ...]]:
    """Return the text of each session; refuse copies that differ, whose positions say nothing."""
    seen: dict[str, tuple[Found, str | tuple[str, ...]]] = {}
    for found, by in zip(founds, places, strict=True):
        for number, text in found.texts.items():
            place = by[number]
            if place is None:
                continue
            other, known = seen.setdefault(place.session, (found, text))
            before, words = _words(known), _words(text)
            if before == words:
                continue
            pairs = enumerate(zip(before, words, strict=False))
            at = next((k for k, (a, b) in pairs if a != b), min(len(before), len(words)))
            what = f"the text of session {place.session!r}"
            got = f"another text than {other.path} from word {at + 1} on"
            hint = "let all raters mark one version of the text"
            raise refused(str(found.path), what, "the same for all raters", got, hint)
    return {session: text for session, (_, text) in seen.items()}


def _words(text: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a text: blanks and line ends between them may differ."""
    return tuple(text.split()) if isinstance(text, str) else text


def _check_names(labels: Sequence[Any], places: Sequence[Place]) -> None:
    names = {part for place in places for part in (place.rater, place.session, place.tier)}
    for label in set(labels):
        names |= set(map(str, label)) if isinstance(label, frozenset) else {str(label)}
    for name in names:
        try:
            name.encode("utf-8")
        except UnicodeEncodeError:
            got = Said(f"half of a surrogate pair in {ascii(name)[:60]}")
            hint = "correct the character in the file"
            raise InputError.expected("a name or label", "valid text", got, hint) from None


def _spans(founds: Sequence[Found], kept: Sequence[NDArray[np.int64]]) -> list[Any] | None:
    if all(found.span is None for found in founds):
        return None
    spans: list[Any] = []
    for k, (found, rows) in enumerate(zip(founds, kept, strict=True)):
        for row in rows.tolist():
            own = None if found.span is None else found.span[row]
            spans.append(None if own is None else f"{k} {own}")
    return spans if any(span is not None for span in spans) else None


def check_bounds_wish(bounds: Any) -> None:
    """Refuse bounds that are neither a pair nor a mapping before any file is read."""
    if bounds is None or isinstance(bounds, Mapping):
        return
    if isinstance(bounds, (str, bytes)) or not hasattr(bounds, "__len__"):
        raise InputError.expected(
            "bounds", "a pair, or a mapping of session to pair", bounds, "for example (0, 60_000)"
        )
