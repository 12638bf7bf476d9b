"""Hints in the words of the command line: the library speaks of arguments, the shell of options."""

from __future__ import annotations

import re
from shlex import quote
from typing import TYPE_CHECKING

from consilience.core.shell_words import flag, typed_as

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import click

    from consilience.exceptions import ConsilienceError, Option

_OPTIONS = {
    "scale": "--scale",
    "distance": "--distance",
    "missing": "--missing",
    "duplicates": "--duplicates",
    "method": "--interval",
    "model": "--model",
    "new_labels": "--new-labels",
    "changed_ids": "--changed-ids",
}
_FLAGS = {'which="all"': "--all", 'existing="replace"': "--force", "top=1000": "--top 1000"}
_CHOICE = re.compile(
    r"\b(" + "|".join(_OPTIONS) + r')="([\w-]+)"((?:, "[\w-]+")*(?: or "[\w-]+")?)'
)
_COLUMN = re.compile(r"\bcolumns=\{'(\w+)': …\}")
_CATEGORIES = re.compile(r"\bcategories=\[([^\]]*)\]")
_RESAMPLES = re.compile(r"(?<![\w'\"/.-])n_resamples(?:=(\d+))?(?![\w=/.'\"-]\w)")
_PROGRAMS_ONLY = (", or use read_groups", ", or an ordered categorical")
_MISSING = re.compile(r"\bmissing_values=\[([^\]]*)\]")


def in_options(error: ConsilienceError) -> str:
    """Return the message of an error in the words of the command line.

    Lines to be pasted, which stand below the sentence, are commands already.
    """
    said = error.words.worded(flag)
    if not getattr(error, "offers", ()):
        return as_options(said)
    sentence, line_end, lines = said.partition("\n  ")
    return as_options(sentence) + line_end + lines


def flags_of(command: click.Command, also: Mapping[str, str]) -> Callable[[Option], str]:
    """Return how a command calls arguments: as its own options, where it has them.

    `also` names the parameters of the command that stand for arguments called otherwise.
    """
    own = {one.name: max(one.opts, key=len) for one in command.params}

    def say(option: Option) -> str:
        called = own.get(also.get(option.name, option.name))
        return flag(option) if called is None else typed_as(option, called)

    return say


def as_options(message: str) -> str:
    """Turn arguments in the hint of a message into options of the command line.

    >>> as_options('Got x. Hint: pass duplicates="first", "last" or "occasions".')
    'Got x. Hint: pass --duplicates first, last or occasions.'
    >>> as_options("Got x. Hint: pass categories=['low', 'high'] in order.")
    'Got x. Hint: pass --categories low,high in order.'
    >>> as_options("Got x. Hint: name it: columns={'start': …}.")
    'Got x. Hint: name it: --column start=NAME.'
    >>> as_options("Got 'n/a'. Hint: pass missing_values=['n/a', '-'].")
    "Got 'n/a'. Hint: pass --missing-value 'n/a' --missing-value '-'."
    >>> as_options("n_resamples must be at least 10. Got 1. Hint: try n_resamples=999.")
    '--resamples must be at least 10. Got 1. Hint: try --resamples 999.'
    """
    message = _RESAMPLES.sub(lambda f: f"--resamples {f[1]}" if f[1] else "--resamples", message)
    said, mark, hint = message.rpartition("Hint: ")
    for words in _PROGRAMS_ONLY:
        hint = hint.replace(words, "")
    for word, typed in _FLAGS.items():
        hint = hint.replace(word, typed)
    hint = _COLUMN.sub(r"--column \1=NAME", hint)
    hint = _MISSING.sub(lambda found: _repeated("--missing-value", found[1]), hint)
    hint = _CATEGORIES.sub(lambda found: f"--categories {_listed(found[1])}", hint)
    hint = _CHOICE.sub(
        lambda found: f"{_OPTIONS[found[1]]} {found[2]}{found[3].replace(chr(34), '')}", hint
    )
    return said + mark + hint


def _listed(inside: str) -> str:
    labels = [part.strip().strip("'\"") for part in inside.split(",")]
    return "A,B,C" if labels in (["..."], ["…"], [""]) else quote(",".join(labels))


def _repeated(option: str, inside: str) -> str:
    return " ".join(f"{option} {part.strip()}" for part in inside.split(","))
