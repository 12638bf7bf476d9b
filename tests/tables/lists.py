"""Lists of words, written as one text."""

from __future__ import annotations


def listed(text: str, separator: str | None = None) -> list[str]:
    """Cut a text into words."""
    return text.split(separator)
