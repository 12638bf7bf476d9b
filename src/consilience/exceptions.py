"""The errors and warnings of Consilience: one tree, one sentence shape.

Every message reads ``<what> must be <expectation>. Got <value>. Hint: <action>.`` and, for file
input, starts with the file and the line. Where a message names an argument it holds an `Option`:
a program reads ``scale="ordinal"``, and a shell says it in its own words, ``--scale ordinal``.
"""

from __future__ import annotations

import copy
import difflib
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

__all__ = [
    "ConsilienceError",
    "ConsilienceWarning",
    "DegenerateDataWarning",
    "InputError",
    "MissingDependencyError",
    "Option",
    "ReadingWarning",
    "UndecidedError",
    "UndefinedCoefficientError",
    "UndefinedCoefficientWarning",
    "UnknownOptionError",
    "UnsupportedDesignError",
    "Words",
]

_PACKAGE = __name__.partition(".")[0]
_LONGEST_VALUE_SHOWN = 120
_MOST_WORDS = 30  # a table may have thousands of columns


@dataclass(frozen=True, slots=True, init=False)
class Option:
    """An argument that a message names, with the values that it could have.

    >>> print(Option("item"), Option("scale", "ordinal"), Option("header", False))
    item= scale="ordinal" header=False
    >>> print(Option("duplicates", "first", "last", "occasions"))
    duplicates="first", "last" or "occasions"
    """

    name: str
    values: tuple[object, ...]

    def __init__(self, name: str, *values: object) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "values", values)

    def __str__(self) -> str:
        return f"{self.name}={either([_quoted(value) for value in self.values])}"


class Argument(Option):
    """An argument that a message names without a value: ``kappa0``, in a shell ``--kappa0``."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.name


class ForPrograms(str):
    """Words that help only whoever writes a program; a shell leaves them out."""

    __slots__ = ()


class Words(str):
    """A text that knows which of its words name arguments; as a text it is that of a program.

    >>> hint = Words("name the field with ", Option("item"))
    >>> print(hint)
    name the field with item=
    >>> hint.worded(lambda option: f"--{option.name}")
    'name the field with --item'
    """

    __slots__ = ("parts",)
    parts: tuple[str | Option, ...]

    def __new__(cls, *parts: str | Option) -> Words:
        """Join texts, options, and words that were joined before."""
        flat: list[str | Option] = []
        for part in parts:
            flat += part.parts if isinstance(part, Words) else [part]
        self = super().__new__(cls, "".join(map(str, flat)))
        self.parts = tuple(flat)
        return self

    def __getnewargs__(self) -> tuple[str | Option, ...]:  # type: ignore[override]
        return self.parts

    def worded(self, say: Callable[[Option], str]) -> str:
        """Return the text with every argument as a shell says it."""
        texts = [part for part in self.parts if not isinstance(part, ForPrograms)]
        return "".join(say(part) if isinstance(part, Option) else part for part in texts)

    def changed(self, change: Callable[[str], str]) -> Words:
        """Return the words with every text in them changed."""

        def new(part: object) -> object:
            if isinstance(part, (list, tuple)):
                return [new(one) for one in part]
            return change(part) if isinstance(part, str) else part

        return Words(
            *(
                type(part)(part.name, *map(new, part.values)) if isinstance(part, Option)
                else type(part)(change(part))
                for part in self.parts
            )
        )  # fmt: skip


class ConsilienceError(ValueError):
    """Base of everything Consilience raises on purpose.

    Attributes
    ----------
    argument : str or None
        The argument that the message is about, where it is about one.
    value : object
        What was given for it.
    """

    argument: str | None = None
    value: object = None

    @property
    def words(self) -> Words:
        """The message, with the arguments that it names."""
        text = self.args[0] if self.args else ""
        return text if isinstance(text, Words) else Words(str(text))

    def retold(self, text: str) -> Self:
        """Return the same error with another message; all else that it carries is kept."""
        other = copy.copy(self)
        other.args = (text,)
        return other


class InputError(ConsilienceError):
    """The data or an option is not what it must be.

    `seen` is what a reader had found out before it refused, where there is something;
    `explain` puts it into words.
    """

    seen: Any = None
    below: str = ""  # what the command line prints below the message

    def explain(self) -> Any:
        """Return what was seen of a table and weighed before it was refused, as a Document.

        None where nothing was read.
        """
        title = "What was seen before it was refused"
        return None if self.seen is None else self.seen.document(title)

    @classmethod
    def expected(
        cls, what: str, expectation: str, got: object, hint: str, *, where: str | None = None
    ) -> InputError:
        """Build the standard sentence: what, expectation, got, hint."""
        place = f"{where}: " if where else ""
        told = got if isinstance(got, Words) else shown(got)
        said = (
            place,
            _named(what),
            " must be ",
            expectation,
            ". Got ",
            told,
            ". Hint: ",
            hint,
            ".",
        )
        return cls(Words(*said))._about(what, got)

    @classmethod
    def unknown_word(cls, what: str, word: object, known: Iterable[str]) -> InputError:
        """Refuse a word that is not one of the known ones, and guess which was meant."""
        names = list(known)
        close = difflib.get_close_matches(str(word), names, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "choose one of these words"
        most = names if len(names) <= _MOST_WORDS else names[: _MOST_WORDS - 1]
        listed = ", ".join(repr(name) for name in most)
        if len(most) < len(names):
            listed += f" and {len(names) - len(most):,} more"
        end = "" if hint.endswith("?") else "."
        text = f" must be one of {listed}. Got {shown(word)}. Hint: {hint}{end}"
        return cls(Words(_named(what), text))._about(what, word)

    @classmethod
    def unknown_option(cls, what: str, name: str, value: object, hint: str) -> InputError:
        """Refuse a keyword that a function does not have."""
        end = "" if hint.endswith("?") else "."
        error = cls(f"{what} has no option {name}. Hint: {hint}{end}")
        return error._about(name, value)

    def _about(self, what: str, value: object) -> InputError:
        """Note the argument, where the sentence is about one."""
        if what.isidentifier():
            self.argument, self.value = what, value
        return self

    @classmethod
    def duplicate_rating(
        cls, item: object, rater: object, first: object, second: object, *, where: str | None = None
    ) -> InputError:
        """One rater rated one item twice."""
        place = f"{where}: " if where else ""
        return cls(
            Words(
                f"{place}each rater must rate an item at most once. Got rater {shown(rater)} "
                f"twice on item {shown(item)}: {shown(first)} and {shown(second)}. Hint: pass ",
                Option("duplicates", "first", "last", "occasions"),
                ", or correct the data.",
            )
        )


class UnknownOptionError(InputError, TypeError):
    """A function was given a keyword that it does not have."""


class UndecidedError(InputError):
    """The data can be read in two ways that give different answers, and only the user can tell."""


class UnsupportedDesignError(ConsilienceError):
    """What was asked for does not exist for this design."""

    @classmethod
    def needs(cls, what: str, need: str, got: object, hint: str) -> UnsupportedDesignError:
        """Build the sentence for a design that lacks something."""
        return cls(Words(f"{what} needs {need}. Got {got}. Hint: ", hint, "."))


class UndefinedCoefficientError(ConsilienceError):
    """Raised instead of an undefined estimate when ``on_undefined="raise"``."""


class MissingDependencyError(ConsilienceError):
    """An optional library is not installed."""

    @classmethod
    def for_extra(
        cls, feature: str, package: str, extra: str | None = None
    ) -> MissingDependencyError:
        """Name the feature, the package and the exact install command."""
        target = f"'consilience[{extra}]'" if extra else package
        return cls(
            f"{feature} must have {package} installed. Got no such package. "
            f"Hint: pip install {target}."
        )


class ConsilienceWarning(UserWarning):
    """Base of every warning."""


class UndefinedCoefficientWarning(ConsilienceWarning):
    """A coefficient is undefined for these data; its reason is in the estimate."""


class DegenerateDataWarning(ConsilienceWarning):
    """The data are such that a number is defined but says little."""


class ReadingWarning(ConsilienceWarning):
    """Something in the data was set aside while reading and could change the answer."""


def _named(what: str) -> str | Argument:
    """Return the argument that a sentence is about; what is none is told in several words."""
    return Argument(what) if what.isidentifier() else what


def given(arguments: Mapping[str, object]) -> Words:
    """Say which arguments were given, and as what.

    >>> print(given({"kappa0": 0.4, "kappa1": None}), given({}), sep=", ")
    kappa0=0.4, none
    """
    told = [Option(name, value) for name, value in arguments.items() if value is not None]
    return Words(*[part for one in told for part in (", ", one)][1:]) if told else Words("none")


def either(words: list[str]) -> str:
    """Join words by commas and a last "or"."""
    return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def _quoted(value: object) -> str:
    plain = isinstance(value, str) and value.isprintable() and not set(value) & {'"', "\\"}
    return f'"{value}"' if plain else repr(value)


def shown(value: object) -> str:
    """Return a short repr of a value for an error message."""
    text = repr(value)
    if len(text) > _LONGEST_VALUE_SHOWN:
        return text[: _LONGEST_VALUE_SHOWN - 1] + "…"
    return text


def warn(message: str, kind: type[Warning]) -> None:
    """Warn at the first line that is not in this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__")):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, kind, stacklevel=level)


def _is_ours(module: object) -> bool:
    return module == _PACKAGE or str(module).startswith(f"{_PACKAGE}.")
