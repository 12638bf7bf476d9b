"""A refusal that helps: the readings that fit, the command for each, and what speaks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

from consilience.exceptions import InputError
from consilience.io.tables.recogniser.hypotheses import (
    COUNTS,
    LONG,
    TABLE,
    TRANSPOSED,
    WIDE,
    Scored,
)
from consilience.io.tables.recogniser.profile import Profile

_LETTERS = "ABCDEFGH"
_MOST_NAMES = 6


@dataclass(frozen=True)
class Offer:
    """One reading: what it is in words, the options that choose it, and what speaks for it."""

    words: str
    options: dict[str, Any]
    evidence: tuple[str, ...] = ()

    def flags(self) -> str:
        """The options as flags of the command line."""
        parts = []
        for name, value in self.options.items():
            flag = f"--{name}"
            if name == "categories":
                parts.append(f"{flag} {quote(','.join(map(_csv_cell, value)))}")
            elif isinstance(value, bool):
                parts.append(f"--{'' if value else 'no-'}{name}")
            else:
                values = [value] if isinstance(value, str) else value
                parts += [f"{flag} {quote(one)}" for one in values]
        return " ".join(parts)

    def arguments(self) -> str:
        """The options as arguments in Python."""
        return ", ".join(f"{name}={_one(value)!r}" for name, value in self.options.items())


def _one(value: Any) -> Any:
    if isinstance(value, tuple):
        return value[0] if len(value) == 1 else list(value)
    return value


def _csv_cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"') else text


class AmbiguousTableError(InputError):
    """A table that fits several readings with different numbers.

    `offers` are the readings; `command` words one of them for the command line.
    """

    def __init__(
        self, message: str, offers: Sequence[Offer] = (), source: str | None = None
    ) -> None:
        super().__init__(message)
        self.offers = tuple(offers)
        self.source = source


def offer_of(profile: Profile, one: Scored) -> Offer:
    """Put one reading into words and options."""
    h, names = one.hypothesis, [c.name for c in profile.columns]

    def of(places: Sequence[int]) -> tuple[str, ...]:
        return tuple(names[j] for j in places)

    options: dict[str, Any] = {"shape": h.shape}
    if h.shape == WIDE:
        options |= {"item": of(h.item)} if h.item else {}
        options |= {"rater": of(h.rater)}
        words = f"{_item(of(h.item))}; {len(h.rater)} raters {_some(of(h.rater))}"
    elif h.shape == LONG:
        options |= {"item": of(h.item)}
        options |= {"rater": of(h.rater)} if h.rater else {}
        options |= {"label": of(h.label)}
        who = f"rater {_some(of(h.rater))}" if h.rater else "one file per rater"
        words = f"one row per rating: item {_some(of(h.item))}, {who}, label {_some(of(h.label))}"
    elif h.shape == TRANSPOSED:
        options |= {"rater": of(h.rater)} if h.rater else {}
        options |= {"item": of(h.item)}
        words = f"rows are raters, {len(h.item)} columns are items {_some(of(h.item), 3)}"
    elif h.shape == COUNTS:
        options |= {"item": of(h.item)} if h.item else {}
        options |= {"categories": of(h.category)}
        words = f"cells count raters; categories {_some(of(h.category))}"
    else:
        assert h.shape == TABLE
        words = f"cross-table of two raters; labels {_some(of(h.category))}"
    return Offer(words, options, tuple(piece.name for piece in one.strongest[:2]))


def _item(names: Sequence[str]) -> str:
    return f"item {_some(names)}" if names else "no item named"


def _some(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    shown = ", ".join(name or "(first column)" for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def refuse(
    what: str, offers: Sequence[Offer], *, where: str, source: str | None
) -> AmbiguousTableError:
    """Build the refusal; `source` is the path as it would be typed, None for a frame."""
    lines = [f"{where}: the layout must be clear. Got a table that fits {what}:"]
    for letter, offer in zip(_LETTERS, offers, strict=False):
        lines.append(f"  {letter}  {offer.words}")
        lines.append(f"     {command(offer, source)}")
    reasons = [
        f"for {letter}: {'; '.join(offer.evidence)}"
        for letter, offer in zip(_LETTERS, offers, strict=False)
        if offer.evidence
    ]
    if reasons:
        lines.append("  " + ". ".join(reasons))
    hint = "run the line that is right"
    if source is not None and offers:
        hint += f"; in Python pass {offers[0].arguments()} for A"
    lines.append(f"Hint: {hint}.")
    return AmbiguousTableError("\n".join(lines), offers, source)


def command(offer: Offer, source: str | None, program: str = "consilience measure") -> str:
    """Write the line that chooses a reading, to be pasted."""
    if source is None:
        return f"cs.read(frame, {offer.arguments()})"
    return f"{program} {source} {offer.flags()}"
