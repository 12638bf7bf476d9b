"""Small pieces of text that every renderer needs: numbers, names, facts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

_LONGEST_LABEL = 24
_MOST_LABELS = 8
MINUS = "\N{MINUS SIGN}"  # belongs to its number: no line breaks between them
_HYPHEN_BEFORE_NUMBER = re.compile(r"(?<![\w.'\"/,-])-(?=\.?\d)")


def printable(text: str) -> str:
    """Make control characters and invisible marks visible, so that data cannot steer a screen."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def number(value: float | None, digits: int = 3) -> str:
    """Write a number for people; nothing where there is none."""
    if value is None or not math.isfinite(value):
        return ""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def prose(text: str) -> str:
    """Write negative numbers in a sentence with a minus sign; labels in quotes stay as they are.

    >>> prose("a gap of -0.05 (CI -0.1 to .2) for '-1' in run-2 of 2024-01-05, --seed 1")
    "a gap of −0.05 (CI −0.1 to .2) for '-1' in run-2 of 2024-01-05, --seed 1"
    """
    return _HYPHEN_BEFORE_NUMBER.sub(MINUS, text) if "-" in text else text


def percent(level: float) -> str:
    """Write 0.95 as 95%, 0.999 as 99.9%."""
    return f"{100 * level:.10g}%"


def listed(labels: Iterable[object], most: int = _MOST_LABELS) -> str:
    """List labels, shortened where they are many or long."""
    words = [shortened(label_text(label)) for label in labels]
    return first_of(words, most - 1 if len(words) > most else most)


def first_of(words: Sequence[object], most: int, between: str = ", ") -> str:
    """Write a, b and 7 more: the first words, and how many follow.

    >>> first_of(["Ann", "Bob", "Eve"], 2), first_of(["Ann", "Bob"], 2)
    ('Ann, Bob and 1 more', 'Ann, Bob')
    """
    shown = between.join(map(str, words[:most]))
    return f"{shown} and {len(words) - most:,} more" if len(words) > most else shown


def label_text(label: object) -> str:
    """Write a label as people would: several labels at once as {a, b}."""
    if isinstance(label, (set, frozenset)):
        return "{" + ", ".join(sorted(map(str, label))) + "}"
    return str(label)


def shortened(text: str, longest: int = _LONGEST_LABEL) -> str:
    """Shorten a text, control characters made visible."""
    text = printable(text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def counted(n: int, word: str, plural: str | None = None) -> str:
    """Write a number with its noun."""
    return f"{n:,} {word if n == 1 else plural or word + 's'}"


def enumerated(words: Sequence[str]) -> str:
    """Write a, b and c."""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def sentence(text: str) -> str:
    """Write a phrase as a sentence of its own; nothing where there is none."""
    return f"{text[0].upper()}{text[1:]}." if text else ""


def upper_first(text: str) -> str:
    """Begin a text with a capital, and leave the rest as it is."""
    return text[:1].upper() + text[1:]


def interval_head(confidence_level: float) -> str:
    """Name the column of an interval: 95% interval."""
    return f"{percent(confidence_level)} interval"


def p_text(p_value: float) -> str:
    """Write a p-value with its sign, for a sentence."""
    return "< 0.001" if p_value < 0.001 else f"= {p_value:.3f}"
