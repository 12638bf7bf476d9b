"""Two levels of names above labels in JSON: which are the items, and which the raters."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import mean, pstdev
from typing import Any, Literal

from consilience.core.input_files import Said
from consilience.exceptions import InputError, Option, Words
from consilience.io.tables.recogniser.refusal import AmbiguousTableError, Offer
from consilience.io.tables.recogniser.styles import looks_like_model
from consilience.io.tables.role_names import numbered_stems, role_of

Role = Literal["item", "rater"]
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_WORD = re.compile(r"[^\W\d_]+(?:[ .'-]+[^\W\d_]+){0,2}\.?")
_SENTENCE = 25  # characters; with several blanks, longer than what a person is called
_LONGEST_NAME = 30
_ENOUGH = 5  # names of a kind, before the numbers of their ratings tell anything
_EVEN, _UNEVEN = 0.1, 0.3  # variation in the number of ratings: of items, of raters in a crowd
_MARGIN = 2.0
_MOST_OF_NUMBERS = 3.0
_FULL = 0.5  # share of all pairs that are rated, above which more items than raters is usual


def outer_role(
    document: Mapping[str, Any], told: Role | None = None, where: str = ""
) -> tuple[Role, str]:
    """Say whether the outer names are items or raters, and why; refuse to toss a coin.

    Names that are surely of one kind decide. Otherwise numbers, persons' names, how many there are
    of each and how evenly they were rated are weighed against each other.
    """
    if told is not None:
        return told, "as told"
    inside = [_names_in(value) for value in document.values()]
    outer = [str(name) for name in document]
    inner = list(dict.fromkeys(name for names in inside for name in names))
    sure = {_surely(outer), _turned(_surely(inner))} - {None}
    if len(sure) == 1:
        return ("item" if sure == {"item"} else "rater"), "by the names"
    weight = _likely(outer) - _likely(inner) + _by_numbers(inside, len(outer), len(inner))
    if abs(weight) < _MARGIN:
        raise _unclear(outer, inner, where)
    role: Role = "item" if weight > 0 else "rater"
    more = len(outer) > len(inner)
    why = "as there are more of them" if more else "as there are not more of them than inner ones"
    return role, why if more == (weight > 0) else "by the names"


def _names_in(value: Any) -> list[str]:
    return [str(name) for name in (value if isinstance(value, dict) else range(len(value)))]


def _surely(names: Sequence[str]) -> Role | None:
    if all(_MAIL.fullmatch(name) for name in names):
        return "rater"
    names = names if len(names) > 1 else [*names, *names]  # a stem counts from two on
    stems = numbered_stems(names)
    roles = {role_of(re.sub(r"[\W_]*\d+$", "", name)) for name in names}
    if len(stems.get("rater", ())) == len(names) or roles == {"rater"}:
        return "rater"
    if len(stems.get("item", ())) == len(names) or roles == {"item"}:
        return "item"
    models = [looks_like_model(name) for name in names]
    if any(models) and all(map(_is_word_or, names, models)):
        return "rater"
    sentences = sum(len(name) > _SENTENCE and name.count(" ") > 2 for name in names)
    return "item" if sentences * 2 > len(names) else None


def _is_word_or(name: str, is_model: bool) -> bool:
    return is_model or _WORD.fullmatch(name) is not None


def _likely(names: Sequence[str]) -> float:
    """Weigh names: above 0 they sound like items, below 0 like raters."""
    if len(names) > 1 and all(name.isdigit() for name in names):
        return 1.0
    words = all(1 < len(name) <= _LONGEST_NAME and _WORD.fullmatch(name) for name in names)
    if not words:
        return 0.0  # a letter may stand for anything
    return -2.0 if all(name[0].isupper() and not name.isupper() for name in names) else -1.0


def _by_numbers(inside: Sequence[Sequence[str]], n_outer: int, n_inner: int) -> float:
    """Weigh numbers: items are many, and in a crowd each has about as many ratings."""
    counts = [len(names) for names in inside]
    full = sum(counts) / (n_outer * n_inner)
    most = _MOST_OF_NUMBERS if full > _FULL else 1.0
    weight = max(-most, min(most, math.log2(n_outer / n_inner)))
    if min(n_outer, n_inner) < _ENOUGH or full > 1 - 1e-9:
        return weight
    outer = pstdev(counts) / mean(counts)
    often = list(Counter(name for names in inside for name in names).values())
    inner = pstdev(often) / mean(often)
    if outer < _EVEN and inner > _UNEVEN:
        return weight + 3.0
    return weight - 3.0 if inner < _EVEN and outer > _UNEVEN else weight


def _turned(role: Role | None) -> Role | None:
    return None if role is None else "rater" if role == "item" else "item"


def _unclear(outer: Sequence[str], inner: Sequence[str], where: str) -> InputError:
    error = InputError.expected(
        "the names in the JSON",
        "clearly those of items or of raters",
        Said(f"{len(outer):,} outer names ({_some(outer)}) and {len(inner):,} inner ones "
             f"({_some(inner)})"),
        Words(f"if {outer[0]!r} is a rater, pass ", Option("shape", "transposed"),
              ", if it is an item, ", Option("shape", "wide")),
        where=where or None,
    )  # fmt: skip
    offers = (
        Offer(f"raters are {_some(outer)}", {"shape": "transposed"}),
        Offer(f"items are {_some(outer)}", {"shape": "wide"}),
    )
    return AmbiguousTableError.of(error.words, offers)


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(name[:_LONGEST_NAME] for name in names[:3])
    return f"{shown}, ..." if len(names) > 3 else shown
