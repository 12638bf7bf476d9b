"""Arguments of the library as one types them in a shell."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from consilience.exceptions import Option

# Options that are not called like the argument.
_CALLED = {
    "gold": "--gold-answers",
    "header": "--header / --no-header",
    "method": "--interval",
    "missing_values": "--missing-value",
    "n_resamples": "--resamples",
}
_JOINED = ("categories", "people", "raters")  # given once, with commas; others are repeated


def flag(option: Option) -> str:
    """Write an argument as it is typed.

    >>> from consilience.exceptions import Option
    >>> flag(Option("by", "day one")), flag(Option("header", False)), flag(Option("item"))
    ("--by 'day one'", '--no-header', '--item')
    >>> flag(Option("duplicates", "first", "last", "occasions"))
    '--duplicates first, last or occasions'
    >>> flag(Option("item", ["text", "line"])), flag(Option("categories", ["a", "b c"]))
    ('--item text --item line', "--categories 'a,b c'")
    """
    from consilience.exceptions import Argument

    if isinstance(option, Argument):  # not every command has one of that name
        return option.name
    return typed_as(option, _CALLED.get(option.name, f"--{option.name.replace('_', '-')}"))


def typed_as(option: Option, called: str) -> str:
    """Write an argument as the option that a command calls so."""
    from consilience.exceptions import either

    name = option.name.replace("_", "-")
    if not option.values:
        return called
    value = option.values[0]
    if isinstance(value, bool):
        return f"--{name}" if value else f"--no-{name}"
    if isinstance(value, (list, tuple)):
        words = [str(one) for one in value]
        together = [",".join(words)] if option.name in _JOINED else words
        return " ".join(f"{called} {quote(one)}" for one in together)
    return f"{called} {either([quote(str(one)) for one in option.values])}"
