"""What is known about the labels: their order, their numbers, and labels that look alike."""

from __future__ import annotations

import math
import numbers
import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from consilience.core.cell_values import holds_number
from consilience.core.label_scales import in_order_of_words, label_scale
from consilience.exceptions import InputError, shown

Scale = Literal["nominal", "ordinal", "interval", "ratio"]
SCALES: tuple[str, ...] = get_args(Scale)
DEFAULT_SCALE = "nominal"
MEASURED = ("interval", "ratio")  # the scales whose labels are measurements
PLAIN = frozenset({str, int})  # kinds of labels that are what they look like
MOST_CODES = 7  # more different numbers may as well be marks: then the scale must be told


@dataclass(frozen=True, slots=True)
class Note:
    """Something about the data that its owner should know."""

    code: str
    message: str


class LabelSet(frozenset[Any]):
    """A label that is a set: shown as {a, b}, sorted, so that every run writes the same bytes.

    It equals the frozenset of the same members and has the same hash.

    Examples
    --------
    >>> print(LabelSet(["joy", "anger"]), LabelSet([10, 9]), LabelSet())
    {anger, joy} {9, 10} {}
    >>> LabelSet(["joy"]) == frozenset(["joy"])
    True
    """

    __slots__ = ()

    @property
    def in_order(self) -> list[Any]:
        """The members, sorted: numbers as numbers, all else as text."""
        if all(map(is_number, self)):
            return sorted(self)
        return sorted(self, key=_member_key)

    def __str__(self) -> str:
        return "{" + ", ".join(map(_member_text, self.in_order)) + "}"

    def __repr__(self) -> str:
        return "{" + ", ".join(map(repr, self.in_order)) + "}"

    def __reduce__(self) -> tuple[Any, ...]:
        return LabelSet, (self.in_order,)


def _member_key(member: Any) -> tuple[Any, ...]:
    """Sort the parts of a tuple as parts: word 9 of a text comes before its word 10."""
    parts = member if isinstance(member, tuple) else (member,)
    return tuple((0, part, "") if is_number(part) else (1, 0, str(part)) for part in parts)


def _member_text(member: Any) -> str:
    return " ".join(map(str, member)) if isinstance(member, tuple) else str(member)


def check_scale(scale: str) -> None:
    """Refuse a scale that does not exist."""
    if scale not in SCALES:
        raise InputError.unknown_word("scale", scale, SCALES)


def is_number(label: object) -> bool:
    """Tell whether a label is a real number (booleans are labels, not numbers)."""
    if type(label) in (int, float):
        return True
    return isinstance(label, (numbers.Real, Decimal)) and not isinstance(label, (bool, np.bool_))


def as_float(number: Any) -> float:
    """Return a number as a float; infinity where no float is that large."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def plain(label: Any) -> Any:
    """Turn numpy scalars and arrays, lists, sets and decimals into plain Python labels."""
    if isinstance(label, np.generic | np.ndarray):
        label = _from_numpy(label)
    if isinstance(label, float):
        return int(label) if label.is_integer() and abs(label) < 2**53 else label
    if isinstance(label, (list, tuple)):
        return tuple(plain(part) for part in label)
    if isinstance(label, set | frozenset):
        return label if type(label) is LabelSet else LabelSet(label)
    return _from_decimal(label) if isinstance(label, Decimal) else label


def _from_numpy(label: Any) -> object:
    if isinstance(label, np.floating):
        return float(label)
    # Dates finer than a microsecond would become bare integers.
    is_fine_date = isinstance(label, np.datetime64 | np.timedelta64) and label.dtype.str[3:] in (
        "[ns]",
        "[ps]",
        "[fs]",
        "[as]",
    )
    return label if is_fine_date else label.tolist()


def _from_decimal(label: Decimal) -> object:
    """Return the number with the same decimal digits: 1.50 is 1.5, 3.0 is 3."""
    near = math.nan if label.is_nan() else float(label)
    if not label.is_finite() or (math.isfinite(near) and Decimal(repr(near)) == label):
        return plain(near)
    is_whole = label.adjusted() < 400 and label == label.to_integral_value()
    return int(label) if is_whole else label


def label_key(label: object, what: str = "a label") -> Hashable:
    """Return what makes two labels the same: True is not 1, and '1' is not 1."""
    if type(label) in (str, int):
        return label
    if isinstance(label, (bool, np.bool_)):
        return (bool, bool(label))
    if isinstance(label, (tuple, frozenset)):
        if PLAIN.issuperset(map(type, label)):  # such members are their own keys
            return label
        kind = tuple if isinstance(label, tuple) else frozenset
        return kind(label_key(part, what) for part in label)
    try:
        hash(label)
    except TypeError:
        raise InputError.expected(
            what, "a text, a number, or a set of those", label, "turn it into one of these"
        ) from None
    return label


def in_natural_order(labels: Iterable[object]) -> list[object]:
    """Sort labels by their scale, else by number or alphabet, else as they appear first."""
    found = list(labels)
    scale = label_scale(found)
    if scale is not None:
        return list(scale.order)
    examples = {type(x): x for x in found}
    kinds = {
        bool if kind is bool else float if is_number(x) else kind for kind, x in examples.items()
    }
    if len(kinds) == 1 and kinds <= {str, float, bool}:
        return sorted(found)  # type: ignore[type-var]
    return found


def places_in_order(labels: Sequence[object]) -> NDArray[np.intp]:
    """Return the places of labels or names from first to last: numbers by size, then text.

    >>> places_in_order(["b", "a", 10, 9]).tolist()
    [3, 2, 1, 0]
    """
    keys = [(0, label, "") if is_number(label) else (1, 0, str(label)) for label in labels]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)


def check_order(
    labels: Sequence[object], *, scale: str, declared: bool
) -> tuple[bool, NDArray[np.float64] | None]:
    """Say whether the labels have an order, and their numbers; refuse what the scale forbids."""
    _refuse_infinite(labels, scale)
    numeric = bool(labels) and all(is_number(label) for label in labels)
    ordered = declared or numeric or (scale == "ordinal" and in_order_of_words(labels))
    if scale == "ordinal" and not ordered and len(labels) > 1:
        found = sorted(map(str, labels))[:6]
        odd = _odd_words(labels)
        hint = f"pass missing_values={odd} if that means no rating, or " if odd else "pass "
        raise InputError.expected(
            "text labels on an ordinal scale",
            "given with their order",
            found,
            f"{hint}categories={found} rearranged from lowest to highest, or an ordered "
            "categorical",
        )
    if scale in MEASURED and labels and not numeric:
        odd = _odd_words(labels)
        hint = f"pass missing_values={odd} if that means no rating, or " if odd else ""
        raise InputError.expected(
            f"every label on the {scale} scale",
            "a number",
            odd[0] if odd else next(label for label in labels if not is_number(label)),
            f'{hint}use scale="ordinal" with categories=[...] in order, or scale="nominal"',
        )
    return ordered, np.array([as_float(x) for x in labels]) if numeric else None


def _odd_words(labels: Sequence[object]) -> list[object]:
    """Return the few words among labels that are numbers otherwise, or texts that write numbers."""
    odd = [label for label in labels if not is_number(label) and not _writes_number(label)]
    return odd if len(odd) <= 3 and len(odd) < len(labels) / 2 else []


def _writes_number(label: object) -> bool:
    return isinstance(label, str) and holds_number(label)


def _refuse_infinite(labels: Sequence[object], scale: str) -> None:
    for label in labels:
        infinite = is_number(label) and math.isinf(as_float(label))
        if infinite and (isinstance(label, float) or scale in MEASURED):
            raise InputError.expected(
                "every label", "a finite number", label, "use NaN where a rating is missing"
            )


def check_categories(categories: Iterable[object], *, what: str = "categories") -> list[object]:
    """Return the declared categories as plain labels; refuse repetitions and missing values."""
    if isinstance(categories, (str, bytes)) or not isinstance(categories, Iterable):
        raise InputError.expected(
            what, "a list of labels", categories, f"for example {what}=['no', 'yes']"
        )
    labels = [plain(label) for label in categories]
    for label in labels:
        if is_missing(label):
            raise InputError.expected(
                "every category", "a label", label, f"leave missing values out of the {what}"
            )
    keys = [label_key(label) for label in labels]
    if len(set(keys)) != len(keys):
        twice = next(label for label in labels if keys.count(label_key(label)) > 1)
        raise InputError.expected(
            what, "different from each other", twice, "name each category once"
        )
    if not labels:
        raise InputError.expected(what, "at least one label", labels, "leave it out")
    return labels


def marks_of(missing_values: object) -> frozenset[Hashable]:
    """Return the keys of the labels that mean "no rating": one label, or any iterable of them."""
    if isinstance(missing_values, (str, bytes)) or not isinstance(missing_values, Iterable):
        missing_values = (missing_values,)
    return frozenset(
        label_key(plain(mark), "every missing value")
        for mark in missing_values
        if not is_missing(mark)
    )


_MISSING_KINDS = ("NAType", "NaTType", "MaskedConstant")  # by name: none is loaded for this


def is_missing(label: Any) -> bool:
    """Tell whether a value stands for no rating: None, NaN, pandas' NA or NaT, masked."""
    if label is None:
        return True
    if isinstance(label, (float, complex, np.generic)):
        return bool(label != label)  # noqa: PLR0124 - true of NaN and NaT only
    if isinstance(label, Decimal):
        return label.is_nan()
    return type(label).__name__ in _MISSING_KINDS


def same_but_for_form(what: str, names: Iterable[object] | None) -> list[Note]:
    """Report names that look the same and differ in Unicode form only; never merge them.

    >>> [note.code for note in same_but_for_form("items", ["caf\\u00e9", "cafe\\u0301", "tea"])]
    ['names_differ_in_form']
    """
    groups: dict[str, list[str]] = {}
    for name in () if names is None or _are_plain(names) else names:
        if isinstance(name, str) and not name.isascii():
            groups.setdefault(unicodedata.normalize("NFC", name), []).append(name)
    twins = [group for group in groups.values() if len(group) > 1]
    if not twins:
        return []
    return [
        Note(
            "names_differ_in_form",
            f"{len(twins):,} of the {what} look alike and are written with different characters, "
            f"such as {twins[0][0]!a} and {twins[0][1]!a}. They were kept apart. If they "
            "are the same, write all files in one Unicode form (NFC).",
        )
    ]


def _are_plain(names: Iterable[object]) -> bool:
    """Tell without asking each of very many names that all are numbers, or all simple text."""
    if isinstance(names, range):
        return True
    try:
        return "".join(names).isascii()  # type: ignore[arg-type]
    except TypeError:  # not text alone
        return str not in set(map(type, names))


def look_alikes(labels: Sequence[object]) -> list[Note]:
    """Report labels that differ only in case, blanks, Unicode form or type; never merge them."""
    groups: dict[str, list[object]] = {}
    for label in labels:
        if isinstance(label, (str, bool)) or (is_number(label) and math.isfinite(as_float(label))):
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
