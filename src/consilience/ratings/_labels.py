"""What is known about the labels: their order, their numbers, and labels that look alike."""

from __future__ import annotations

import math
import numbers
import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from consilience.exceptions import InputError, shown

Scale = Literal["nominal", "ordinal", "interval", "ratio"]
SCALES: tuple[str, ...] = get_args(Scale)


@dataclass(frozen=True, slots=True)
class Note:
    """Something about the data that its owner should know."""

    code: str
    message: str


def check_scale(scale: str) -> None:
    """Refuse a scale that does not exist."""
    if scale not in SCALES:
        raise InputError.unknown_word("scale", scale, SCALES)


def is_number(label: object) -> bool:
    """Tell whether a label is a real number (booleans are labels, not numbers)."""
    return isinstance(label, numbers.Real) and not isinstance(label, (bool, np.bool_))


def plain(label: object) -> object:
    """Turn numpy scalars, lists and sets into plain hashable Python labels."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, (set, list)):
        return frozenset(label) if isinstance(label, set) else tuple(plain(part) for part in label)
    if isinstance(label, float) and label.is_integer() and abs(label) < 2**53:
        return int(label)
    return label


def label_key(label: object) -> Hashable:
    """Return what makes two labels the same: True is not 1, and '1' is not 1."""
    if isinstance(label, (bool, np.bool_)):
        return (bool, bool(label))
    if not isinstance(label, Hashable):
        raise InputError.expected(
            "a label", "a text, a number, or a set of those", label, "turn it into one of these"
        )
    return label


def in_natural_order(labels: Iterable[object]) -> list[object]:
    """Sort labels where that is possible; otherwise keep the order of first appearance."""
    found = list(labels)
    kinds = {bool if isinstance(x, bool) else float if is_number(x) else type(x) for x in found}
    if len(kinds) == 1 and kinds <= {str, float, bool}:
        return sorted(found)  # type: ignore[type-var]
    return found


def check_order(
    labels: Sequence[object], *, scale: str, declared: bool
) -> tuple[bool, NDArray[np.float64] | None]:
    """Say whether the labels have an order, and their numbers; refuse what the scale forbids."""
    numeric = bool(labels) and all(is_number(label) for label in labels)
    ordered = declared or numeric
    if scale == "ordinal" and not ordered and len(labels) > 1:
        found = sorted(map(str, labels))[:6]
        raise InputError.expected(
            "text labels on an ordinal scale",
            "given with their order",
            found,
            f"pass categories={found} rearranged from lowest to highest, or an ordered categorical",
        )
    if scale in ("interval", "ratio") and labels and not numeric:
        odd = next(label for label in labels if not is_number(label))
        raise InputError.expected(
            f"every label on the {scale} scale",
            "a number",
            odd,
            'use scale="ordinal" with categories=[...] in order, or scale="nominal"',
        )
    as_numbers = np.array([float(x) for x in labels]) if numeric else None  # type: ignore[arg-type]
    return ordered, as_numbers


def check_categories(categories: Iterable[object]) -> list[object]:
    """Return the declared categories as plain labels; refuse repetitions and missing values."""
    if isinstance(categories, (str, bytes)) or not isinstance(categories, Iterable):
        raise InputError.expected(
            "categories", "a list of labels", categories, "for example categories=['no', 'yes']"
        )
    labels = [plain(label) for label in categories]
    for label in labels:
        if is_missing(label):
            raise InputError.expected(
                "every category", "a label", label, "leave missing values out of the categories"
            )
    keys = [label_key(label) for label in labels]
    if len(set(keys)) != len(keys):
        twice = next(label for label in labels if keys.count(label_key(label)) > 1)
        raise InputError.expected(
            "categories", "different from each other", twice, "name each category once"
        )
    if not labels:
        raise InputError.expected("categories", "at least one label", labels, "leave it out")
    return labels


def is_missing(label: object) -> bool:
    """Tell whether a value stands for no rating: None, NaN, pandas' NA or NaT, masked."""
    if label is None or label is np.ma.masked:
        return True
    if isinstance(label, (float, np.floating)):
        return math.isnan(label)
    return type(label).__name__ in ("NAType", "NaTType")


def look_alikes(labels: Sequence[object]) -> list[Note]:
    """Report labels that differ only in case, blanks, Unicode form or type; never merge them."""
    groups: dict[str, list[object]] = {}
    for label in labels:
        if isinstance(label, (str, bool)) or is_number(label):
            folded = unicodedata.normalize("NFKC", str(label)).casefold()
            groups.setdefault("".join(folded.split()), []).append(label)
    notes = []
    for group in groups.values():
        if len(group) > 1:
            listed = ", ".join(shown(label) for label in group)
            notes.append(
                Note(
                    "labels_look_alike",
                    f"The labels {listed} differ only in case, blanks, form or type and were kept "
                    "apart. Rename them if they mean the same.",
                )
            )
    return notes
