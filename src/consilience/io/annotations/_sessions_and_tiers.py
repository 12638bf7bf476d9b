"""Wishes about sessions and tiers, followed and checked after the raters are named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.annotations._rater_rules import ONE_SESSION, ONE_TIER, Place, Places
from consilience.io.annotations.strands import Found
from consilience.io.bytes._unit_files import File


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
        raise InputError.expected(
            f"session={wish!r}", "named in every file", None, "use 'file', 'folder' or 'one'",
            where=str(file.path),
        )  # fmt: skip
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
    blocks: dict[tuple[str, str], set[str]] = {}
    homes: dict[str, set[str]] = {}
    for by in places:
        for place in by:
            if place is None:
                continue
            blocks.setdefault((place.session, place.tier), set()).add(place.rater)
            homes.setdefault(place.session, set()).add(place.rater)
    settled: list[Places] = []
    for by, why in zip(places, reasons, strict=True):
        kept: Places = []
        for number, place in enumerate(by):
            if place is not None and len(homes[place.session]) > 1 == len(
                blocks[place.session, place.tier]
            ):
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
                raise InputError.expected(
                    f"rater {place.rater!r} on tier {place.tier!r} of session {place.session!r}",
                    "found in one file",
                    Said(f"{other.path} and {found.path}"),
                    "use another rule for raters, or session='file' or 'folder'",
                )
