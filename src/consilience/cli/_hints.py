"""Hints in the words of the command line: the library speaks of arguments, the shell of options."""

from __future__ import annotations

import re

_OPTIONS = {
    "scale": "--scale",
    "distance": "--distance",
    "missing": "--missing",
    "duplicates": "--duplicates",
    "method": "--interval",
}
_CHOICE = re.compile(
    r"\b(" + "|".join(_OPTIONS) + r')="([\w-]+)"((?:, "[\w-]+")*(?: or "[\w-]+")?)'
)
_CATEGORIES = re.compile(r"\bcategories=\[([^\]]*)\]")


def as_options(message: str) -> str:
    """Turn arguments in the hint of a message into options of the command line.

    >>> as_options('Got x. Hint: pass duplicates="first", "last" or "occasions".')
    'Got x. Hint: pass --duplicates first, last or occasions.'
    >>> as_options("Got x. Hint: pass categories=['low', 'high'] in order.")
    'Got x. Hint: pass --categories low,high in order.'
    """
    said, mark, hint = message.rpartition("Hint: ")
    hint = _CATEGORIES.sub(lambda found: f"--categories {_listed(found[1])}", hint)
    hint = _CHOICE.sub(
        lambda found: f"{_OPTIONS[found[1]]} {found[2]}{found[3].replace(chr(34), '')}", hint
    )
    return said + mark + hint


def _listed(inside: str) -> str:
    labels = [part.strip().strip("'\"") for part in inside.split(",")]
    return "A,B,C" if labels in (["..."], ["…"], [""]) else ",".join(labels)
