"""Cells of an adjudication sheet: written so that a spreadsheet keeps them, and read back."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence

from consilience.core.cell_values import as_number
from consilience.core.labels import LabelSet, as_float, is_number
from consilience.core.words import printable
from consilience.document import spreadsheet_safe

ITEM, TEXT, SUGGESTED, PROBABILITY, ENTROPY, GOLD, CHECK = (
    "item", "text", "suggested", "probability", "entropy", "gold", "check",
)  # fmt: skip
RATINGS = "ratings"
RESERVED = (ITEM, TEXT, RATINGS, SUGGESTED, PROBABILITY, ENTROPY, GOLD, CHECK)
LONGEST_TEXT = 32_000  # a cell of a spreadsheet holds 32,767 characters
_GUARD = "'"


def text_of(value: object) -> str:
    """Write a name or a label as text; numbers that are whole without a decimal point."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def cell_of(value: object) -> object:
    """Return what stands in the cell: numbers as numbers, all else as guarded text."""
    if value is None:
        return None
    if is_number(value):
        number = as_float(value)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    return guarded(text_of(value))


def guarded(text: str) -> str:
    """Make text harmless: no formula, no control character, not longer than a cell."""
    kept = "".join(c if c in "\n\t" else printable(c) for c in text) if text else text
    if len(kept) > LONGEST_TEXT:
        kept = kept[: LONGEST_TEXT - 1] + "…"
    if _is_plain_number(kept):
        return kept
    return str(spreadsheet_safe(kept))


def _is_plain_number(text: str) -> bool:
    """Tell whether a text such as -0.5 is a number, which a spreadsheet may take for one."""
    if not text.strip().lstrip("+-").replace(".", "", 1).isdigit():
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True


def as_written(names: Iterable[str]) -> dict[str, str]:
    """Map what stands in the cell, without blanks around it, to the name that was meant."""
    listed = list(names)
    out = {name.strip(): name for name in listed}
    return out | {guarded(name).strip(): name for name in listed} | {name: name for name in listed}


def unguarded(text: str) -> str:
    """Take the guard away from a text that would have been taken for a formula."""
    bare = text.removeprefix(_GUARD)
    return bare if bare != text and spreadsheet_safe(bare) != bare else text


def check_of(item: object, labels: Mapping[object, object]) -> str:
    """Return a checksum of an item's name and one of its ratings."""
    parts = sorted(f"{text_of(who)}\x1f{text_of(label)}" for who, label in labels.items())
    return f"{item_check(text_of(item))}-{_digest(chr(30).join(parts), 6)}"


def item_check(name: str) -> str:
    """Return the checksum of an item's name; the letter keeps spreadsheets from seeing a number."""
    return f"c{_digest(name, 8)}"


def _digest(text: str, size: int) -> str:
    data = f"consilience sheet 1\x1e{text}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:size]


class Labels:
    """Finds the label that a cell means."""

    def __init__(self, categories: Sequence[object]) -> None:
        self.categories = tuple(categories)
        self._by_text = {text_of(label): k for k, label in reversed(list(enumerate(categories)))}
        self._written = as_written(self._by_text)
        self._by_members = {
            frozenset(map(text_of, label)): k
            for k, label in enumerate(categories)
            if isinstance(label, LabelSet)
        }
        self._by_number = {
            as_float(label): k for k, label in enumerate(categories) if is_number(label)
        }

    def code(self, cell: str) -> int | None:
        """Return the place of the label, or None if there is no such label."""
        # A spreadsheet turns the word true into a truth value, which it writes as TRUE.
        words = (cell, cell.capitalize(), cell.lower()) if cell in ("TRUE", "FALSE") else (cell,)
        for word in words:
            if word in self._written:
                return self._by_text[self._written[word]]
        if self._by_members:  # a person may write the members of a set in any order
            members = re.split(r"[,;|]", cell.strip().removeprefix("{").removesuffix("}"))
            return self._by_members.get(frozenset(one.strip() for one in members) - {""})
        number = as_number(cell)
        return None if number is None else self._by_number.get(number)
