"""Numbers as people write them: with thousands separators, with a decimal comma."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from consilience.core.input_files import Said
from consilience.exceptions import InputError

_BLANKS = "[ \u00a0\u2009\u202f]"
_APOSTROPHES = "['\u2019]"
_THREE_DIGITS = re.compile(r"[+-]?[1-9]\d\d")
_FOUR_DIGITS = re.compile(r"[+-]?\d{4,}")


@dataclass(frozen=True)
class _Habit:
    """One way to write numbers: what stands between thousands, and before the decimals."""

    between: str
    decimal: str

    def read(self, texts: Sequence[str]) -> list[float] | None:
        """Return the numbers, or None where one of the texts is written otherwise."""
        grouped = rf"[1-9]\d{{0,2}}(?:{self.between}\d{{3}})+"
        form = re.compile(rf"[+-]?(?:0|{grouped}|[1-9]\d*)(?:{re.escape(self.decimal)}\d+)?")
        if not all(form.fullmatch(text) for text in texts):
            return None
        bare = (re.sub(self.between, "", text) for text in texts)
        return [float(text.replace(self.decimal, ".")) for text in bare]


_HABITS = [_Habit(",", "."), _Habit(r"\.", ",")]
_HABITS += [_Habit(sign, decimal) for sign in (_BLANKS, _APOSTROPHES) for decimal in ".,"]


def written_numbers(
    texts: Sequence[str], *, locate: Callable[[int], str] | None = None
) -> tuple[list[int | float], str] | None:
    """Return the numbers and what was done, where every text is written by one habit.

    None where the texts are no numbers. `locate` says where the k-th text stands.

    Raises
    ------
    InputError
        They are, but two habits fit and give different numbers: "1,250" alone may be 1250 or 1.25.

    Examples
    --------
    >>> written_numbers(["950", "1,250", "12,000.5"])
    ([950, 1250, 12000.5], "thousands separators were left out: '1,250' is 1250")
    """
    found: list[list[float]] = []
    for habit in _HABITS:
        numbers = habit.read(texts)
        if numbers is not None and numbers not in found:
            found.append(numbers)
    if not found:
        return None
    if len(found) > 1 and not _goes_on_in_thousands(texts):
        first, second = ([_plain(number) for number in one] for one in found[:2])
        k = next(k for k, pair in enumerate(zip(first, second, strict=True)) if len(set(pair)) > 1)
        raise InputError.expected(
            "numbers", "written so that thousands and decimals can be told apart",
            Said(f"{texts[k]!r}, which is {first[k]} or {second[k]}"),
            "write them without thousands separators and with a decimal point",
            where=locate(k) if locate else None,
        )  # fmt: skip
    numbers = found[0] if len(found) == 1 else max(found)
    return [_plain(number) for number in numbers], _told(texts, numbers)


def _goes_on_in_thousands(texts: Sequence[str]) -> bool:
    """Tell whether 950 stands beside 1,050: then what has three digits more has a separator."""
    return any(map(_THREE_DIGITS.fullmatch, texts)) and not any(map(_FOUR_DIGITS.fullmatch, texts))


def _plain(number: float) -> int | float:
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _told(texts: Sequence[str], numbers: Sequence[float]) -> str:
    for text, number in zip(texts, numbers, strict=True):
        digits = re.sub(r"\D", "", text.partition("e")[0])
        if abs(number) >= 1000 and not text.lstrip("+-").startswith(digits[:4]):
            return f"thousands separators were left out: {text!r} is {_plain(number)}"
    return "decimal commas were read as decimal points"
