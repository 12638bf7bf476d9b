"""What is said of files that were read: format, raters, sessions, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from consilience.core.words import counted
from consilience.io.annotations._rater_rules import Places
from consilience.io.annotations.strands import Found, listed
from consilience.io.annotations.unit_registry import UnitFormat
from consilience.ratings import Note

_CURATORS = ("curator", "curation_user", "curation")
Pairs = Mapping[tuple[str, str], tuple[str, ...]]


def notes_of(
    one: UnitFormat,
    founds: Sequence[Found],
    rule: str,
    places: Sequence[Places],
    pairs: Pairs,
) -> list[Note]:
    """Say what was taken for what."""
    files = f"{len(founds)} file{'s' * (len(founds) > 1)}"
    raters = sorted({rater for by in pairs.values() for rater in by})
    notes = [
        Note("read_as", f"Read {files} as {one.title} (format {one.name!r})."),
        Note(
            "raters_by",
            f"Raters by {rule!r}: {listed(raters)}. {_met(pairs, raters)}",
        ),
    ]
    left: set[str] = set()
    for found, by in zip(founds, places, strict=True):
        missed = {k for k, place in enumerate(by) if place is None} & set(found.strand)
        left |= {found.strands[k].fact("observation") or found.strands[k].tier for k in missed}
    if left:
        names = listed(sorted(left))
        notes.append(
            Note("left_out", f"Left out, not being asked for or without a rater: {names}.")
        )
    notes += _not_asked(pairs, raters)
    curators = [name for name in raters if name.casefold() in _CURATORS]
    if curators and len(raters) > 1:
        notes.append(
            Note(
                "curator",
                f"{curators[0]!r} saw what the others marked and is no independent rater; leave "
                "it out with select(raters=…).",
            )
        )
    return notes


def _not_asked(pairs: Pairs, raters: Sequence[str]) -> list[Note]:
    """Say in how many sessions there is nothing of a rater."""
    asked: dict[str, set[str]] = {}
    for (home, _), by in pairs.items():
        asked.setdefault(home, set()).update(by)
    silent = sorted(home for home, by in asked.items() if len(by) < len(raters))
    if not silent:
        return []
    who = next(name for name in raters if name not in asked[silent[0]])
    return [
        Note(
            "not_everybody_asked",
            f"In {len(silent)} of {len(asked)} sessions there is nothing of some rater (for "
            f"example of {who!r} in {silent[0]!r}), who may not have been asked and is left out "
            "of that comparison; asked='all' says that everybody was asked everywhere.",
        )
    ]


def _met(pairs: Pairs, raters: Sequence[str]) -> str:
    """Say in how many sessions raters can be compared.

    >>> _met({("film", "gestures"): ["Ann", "Bob"]}, ["Ann", "Bob"])
    'Both raters annotated the one session.'
    """
    homes = list(dict.fromkeys(home for home, _ in pairs))
    if len(raters) > 1 and all(len(by) == len(raters) for by in pairs.values()):
        who = "Both" if len(raters) == 2 else f"All {len(raters)}"
        few = {1: "the one session", 2: "both sessions"}
        where = few.get(len(homes), f"all {len(homes):,} sessions")
        return f"{who} raters annotated {where}."
    shared = {key: by for key, by in pairs.items() if len(by) > 1}
    met = len({home for home, _ in shared})
    which = f": {_shown_pairs(shared)}" if shared else ""
    return f"Two or more raters annotated {met:,} of {counted(len(homes), 'session')}{which}."


def _shown_pairs(pairs: Pairs, most: int = 4) -> str:
    shown = [f"{tier} of {home} ({', '.join(by[:6])})" for (home, tier), by in pairs.items()]
    more = len(shown) - most
    return "; ".join(shown[:most]) + (f" and {more} more" if more > 0 else "")
