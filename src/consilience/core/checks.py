"""Checks of words, numbers, shares and distributions that all folders have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, TypeGuard

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.labels import check_categories, label_key, plain
from consilience.exceptions import InputError, Option, Words

_SUM_TOLERANCE = 1e-6  # shares typed by hand, such as 0.333333, add up to 1 within this


def check_word(what: str, word: Any, known: Iterable[str]) -> str:
    """Return a word that is known, or guess which was meant."""
    if not isinstance(word, str) or word not in known:
        raise InputError.unknown_word(what, word, known)
    return word


def whole_number(
    what: str, value: object, *, least: int, most: int | None = None, hint: str = ""
) -> int:
    """Return a whole number that is neither too small nor too large."""
    if not _is_whole(value) or value < least or (most is not None and value > most):
        wanted = f"of at least {least}" + ("" if most is None else f" and at most {most:,}")
        example = hint or Words("for example ", Option(what, least + 1))
        raise InputError.expected(what, f"a whole number {wanted}", value, example)
    return int(value)


def number_where(
    what: str, value: object, expectation: str, hint: str, *, fits: Callable[[float], bool]
) -> float:
    """Return a finite number that fits, or say what was expected."""
    if not _is_real(value) or not math.isfinite(value) or not fits(float(value)):
        raise InputError.expected(what, expectation, value, hint)
    return float(value)


def real_number(what: str, value: object, *, least: float = -math.inf) -> float:
    """Return a finite number that is not too small."""
    if not _is_real(value) or not math.isfinite(value) or value < least:
        bound = f" of at least {least:g}" if math.isfinite(least) else ""
        raise InputError.expected(what, f"a finite number{bound}", value, "check the number")
    return float(value)


def share(what: str, value: object) -> float:
    """Return a share from 0 to 1, both allowed."""
    if not _is_real(value) or not 0.0 <= value <= 1.0:
        hint = f"write {value / 100:g} for {value:g}%" if _is_percent(value) else "give a share"
        raise InputError.expected(what, "between 0 and 1", value, hint)
    return float(value)


def probability(what: str, value: object) -> float:
    """Return a probability strictly between 0 and 1."""
    number = share(what, value)
    if number in (0.0, 1.0):
        raise InputError.expected(what, "strictly between 0 and 1", value, "for example 0.8")
    return number


def category_labels(categories: object) -> tuple[object, ...]:
    """Return the labels; a whole number q stands for the labels 1 to q."""
    if _is_whole(categories):
        return tuple(range(1, whole_number("categories", categories, least=2) + 1))
    labels = tuple(check_categories(categories))  # type: ignore[arg-type]
    if len(labels) < 2:
        raise InputError.expected("categories", "at least two labels", labels, "add a label")
    return labels


def distribution(
    what: str, shares: object, labels: Sequence[object] | None = None
) -> tuple[float, ...]:
    """Return shares that add up to 1: a list, a mapping of labels, or one share of two."""
    if _is_real(shares):
        first = share(what, shares)
        shares = (first, 1.0 - first)
    elif isinstance(shares, Mapping):
        shares = _by_label(what, shares, labels)
    values = _floats(what, shares)
    if labels is not None and len(values) != len(labels):
        raise InputError.expected(
            what,
            f"one share per category ({len(labels)})",
            list(values),
            "list a share for every category, in their order",
        )
    if len(values) < 2:
        raise InputError.expected(what, "at least two shares", list(values), "add the other one")
    total = sum(values)
    if min(values) < 0.0 or not abs(total - 1.0) <= _SUM_TOLERANCE:
        hint = "divide each by their sum" if min(values) >= 0.0 else "shares are never negative"
        raise InputError.expected(what, "shares that add up to 1", list(values), hint)
    return tuple(value / total for value in values)


def per_rater(what: str, value: object, n_raters: int, *, kind: str) -> float | tuple[float, ...]:
    """Return one number for all raters, or one for each; `kind` is share, number or spread."""
    check: Callable[[str, object], float] = {
        "share": share,
        "number": real_number,
        "spread": lambda name, number: real_number(name, number, least=0.0),
    }[kind]
    if _is_real(value):
        return check(what, value)
    values = _floats(what, value)
    if len(values) != n_raters:
        raise InputError.expected(
            what,
            f"one number, or one for each of the {n_raters} raters",
            list(values),
            "give as many numbers as raters",
        )
    return tuple(check(what, number) for number in values)


def spread_over(value: float | Sequence[float], n_raters: int) -> Floats:
    """Return an array with one number per rater."""
    return np.broadcast_to(np.asarray(value, dtype=np.float64), (n_raters,)).copy()


def as_array(what: str, value: object) -> Floats:
    """Return numbers as an array of floats."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError.expected(
            what, "numbers", value, "check for text or rows of unequal length"
        ) from None
    if not np.isfinite(array).all():
        raise InputError.expected(what, "finite numbers", value, "replace NaN and infinity")
    return array


def nested(array: Floats) -> Any:
    """Return an array as nested tuples, which compare and never change."""
    if array.ndim == 0:
        return float(array)
    return tuple(nested(part) for part in array)


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _is_real(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _is_percent(value: object) -> TypeGuard[float]:
    return _is_real(value) and 1.0 < value <= 100.0


def _floats(what: str, values: object) -> tuple[float, ...]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError.expected(what, "a number or a list of numbers", values, "check the value")
    listed = list(values)
    for value in listed:
        if not _is_real(value) or not math.isfinite(value):
            raise InputError.expected(f"every value of {what}", "a number", value, "check the list")
    return tuple(float(value) for value in listed)


def _by_label(
    what: str, shares: Mapping[Any, Any], labels: Sequence[object] | None
) -> tuple[object, ...]:
    known = {label_key(label) for label in labels or ()}
    given = {label_key(plain(label)): number for label, number in shares.items()}
    if labels is None or set(given) != known:
        raise InputError.expected(
            what,
            "a share for each of the categories",
            list(shares),
            f"the categories are {list(labels or ())}",
        )
    return tuple(given[label_key(label)] for label in labels)
