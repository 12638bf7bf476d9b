"""The names of intraclass correlations, and their formulas in terms of mean squares."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from consilience.exceptions import InputError
from consilience.magnitudes.intraclass._mean_squares import MeanSquares

Kind = Literal["one-way", "consistency", "agreement"]
RaterEffect = Literal["random", "fixed"]
FORMS = ("1", "k", "C,1", "C,k", "A,1", "A,k")
_KNOWN = (
    *FORMS,
    "ICC(1,1)",
    "ICC(1,k)",
    "ICC(2,1)",
    "ICC(2,k)",
    "ICC(3,1)",
    "ICC(3,k)",
)
_SHROUT_FLEISS: dict[str, tuple[Kind, RaterEffect]] = {
    "1": ("one-way", "random"),
    "2": ("agreement", "random"),
    "3": ("consistency", "fixed"),
}
_KINDS: dict[str, Kind] = {"c": "consistency", "a": "agreement"}


@dataclass(frozen=True, slots=True)
class Form:
    """Which intraclass correlation is meant."""

    kind: Kind
    averaged: bool
    number: int | None  # of ratings averaged, where the name states it
    raters: RaterEffect | None  # where the name implies it

    def name(self, k: float, raters: RaterEffect) -> str:
        """Return McGraw & Wong's name."""
        letter = {"one-way": "", "consistency": "C,", "agreement": "A,"}[self.kind]
        shown = f"{k:.4g}" if self.averaged else "1"
        effect = "" if self.kind == "one-way" or raters == "random" else ", raters fixed"
        return f"ICC({letter}{shown}){effect}"


def parse(model: Any) -> Form:
    """Read a name as McGraw & Wong, Shrout & Fleiss or a program writes it."""
    text = re.sub(r"\s", "", str(model)).lower()
    plain = re.fullmatch(r"icc([123])(k?)", text)
    if plain:  # ICC2, ICC2k: as several programs print Shrout & Fleiss
        kind, raters = _SHROUT_FLEISS[plain[1]]
        return Form(kind, bool(plain[2]), None, raters)
    inner = re.fullmatch(r"(?:icc)?\(?([^()]*)\)?", text)
    words = inner[1].split(",") if inner else []
    if len(words) == 1 and re.fullmatch(r"k|[1-9]\d*", words[0]):
        return _form("one-way", words[0], None)
    if len(words) == 2 and re.fullmatch(r"k|[1-9]\d*", words[1]):
        if words[0] in _KINDS:
            return _form(_KINDS[words[0]], words[1], None)
        if words[0] in _SHROUT_FLEISS:
            kind, raters = _SHROUT_FLEISS[words[0]]
            return _form(kind, words[1], raters)
    raise InputError.unknown_word("model", model, _KNOWN)


def _form(kind: Kind, unit: str, raters: RaterEffect | None) -> Form:
    number = None if unit in ("1", "k") else int(unit)
    return Form(kind, unit != "1", number, raters)


def single(kind: Kind) -> Callable[[Any, MeanSquares], Any]:
    """Return the correlation of single ratings as a function of (MSR, MSW or MSE, MSC)."""

    def one_way(ms: Any, design: MeanSquares) -> Any:
        return (ms[0] - ms[1]) / (ms[0] + (design.k - 1.0) * ms[1])

    def agreement(ms: Any, design: MeanSquares) -> Any:
        k, n = design.k, design.n
        return (ms[0] - ms[1]) / (ms[0] + (k - 1.0) * ms[1] + k / n * (ms[2] - ms[1]))

    return agreement if kind == "agreement" else one_way


def averaged(rho: Any, m: float) -> Any:
    """Return the correlation of means of m ratings (Spearman & Brown)."""
    return m * rho / (1.0 + (m - 1.0) * rho)


def from_average(rho: float, m: float) -> float:
    """Return the correlation of single ratings that gives this one for means of m."""
    return rho / (m - (m - 1.0) * rho)
