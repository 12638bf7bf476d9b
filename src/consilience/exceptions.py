"""The errors and warnings of Consilience: one tree, one sentence shape.

Every message reads ``<what> must be <expectation>. Got <value>. Hint: <action>.`` and, for file
input, starts with the file and the line.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "ConsilienceError",
    "ConsilienceWarning",
    "DegenerateDataWarning",
    "InputError",
    "MissingDependencyError",
    "ReadingWarning",
    "UndecidedError",
    "UndefinedCoefficientError",
    "UndefinedCoefficientWarning",
    "UnknownOptionError",
    "UnsupportedDesignError",
]

_LONGEST_VALUE_SHOWN = 120
_MOST_WORDS = 30  # a table may have thousands of columns


class ConsilienceError(ValueError):
    """Base of everything Consilience raises on purpose."""


class InputError(ConsilienceError):
    """The data or an option is not what it must be."""

    @classmethod
    def expected(
        cls, what: str, expectation: str, got: object, hint: str, *, where: str | None = None
    ) -> InputError:
        """Build the standard sentence: what, expectation, got, hint."""
        place = f"{where}: " if where else ""
        return cls(f"{place}{what} must be {expectation}. Got {shown(got)}. Hint: {hint}.")

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
        text = f"{what} must be one of {listed}. Got {shown(word)}. Hint: {hint}"
        return cls(text if text.endswith("?") else text + ".")

    @classmethod
    def duplicate_rating(
        cls, item: object, rater: object, first: object, second: object, *, where: str | None = None
    ) -> InputError:
        """One rater rated one item twice."""
        place = f"{where}: " if where else ""
        return cls(
            f"{place}each rater must rate an item at most once. Got rater {shown(rater)} twice on "
            f"item {shown(item)}: {shown(first)} and {shown(second)}. Hint: pass "
            'duplicates="first", "last" or "occasions", or correct the data.'
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
        return cls(f"{what} needs {need}. Got {got}. Hint: {hint}.")


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


def shown(value: object) -> str:
    """Return a short repr of a value for an error message."""
    text = repr(value)
    if len(text) > _LONGEST_VALUE_SHOWN:
        return text[: _LONGEST_VALUE_SHOWN - 1] + "…"
    return text
