"""What the labels are worth as numbers: scores, ranks, and when neither exists."""

from __future__ import annotations

import math
import numbers
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.cell_values import holds_number
from consilience.exceptions import InputError

# The largest distance must leave room to be summed over all pairs of ratings in 64-bit floats.
LARGEST_DISTANCE = 1e250
SMALLEST_DISTANCE = 1e-250

_ORDER_HINT = (
    'text labels have no order of their own: give categories=[…] in order with scale="ordinal"'
)


@dataclass(frozen=True)
class LabelSpace:
    """What a distance may know about the labels.

    Parameters
    ----------
    labels : tuple of object
        The categories, in order.
    ordered : bool
        Whether that order means something: an ordinal scale, numbers, a declared order.
    numbers : numpy.ndarray, optional
        The labels as numbers when every one of them is a number, else None.

    Examples
    --------
    >>> LabelSpace.of([1, 2, 4]).numbers
    array([1., 2., 4.])
    >>> LabelSpace.of(["low", "high"], ordered=True)
    LabelSpace(labels=('low', 'high'), ordered=True, numbers=None)
    """

    labels: tuple[object, ...]
    ordered: bool
    numbers: Floats | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.numbers is not None and np.shape(self.numbers) != (self.size,):
            raise InputError.expected(
                "numbers",
                f"one number for each of the {self.size} labels",
                self.numbers,
                "use LabelSpace.of(labels), which fills them in",
            )

    @classmethod
    def of(cls, labels: Iterable[object], *, ordered: bool | None = None) -> LabelSpace:
        """Describe labels; numbers are found, and numbers are ordered unless said otherwise."""
        given = tuple(labels)
        found = [as_number(label) for label in given]
        values = [value for value in found if value is not None]
        numeric = bool(given) and len(values) == len(given)
        return cls(
            given,
            numeric if ordered is None else ordered,
            np.array(values, dtype=np.float64) if numeric else None,
        )

    @property
    def size(self) -> int:
        """The number of labels."""
        return len(self.labels)


def as_number(value: object) -> float | None:
    """Return a real number as a float, None for anything else; text is never parsed."""
    if not isinstance(value, numbers.Real | Decimal | np.bool_):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def is_among(label: object, known: Container[object]) -> bool:
    """Return whether a label is known; a label without a hash is not."""
    try:
        return label in known
    except TypeError:
        return False


def score_k(space: LabelSpace, *, distance: str) -> Floats:
    """Return the scores c_k: the numbers, or ranks 1..q of ordered labels."""
    if space.numbers is not None:
        return number_k(space, distance=distance)
    return rank_k(space, distance=distance)


def rank_k(space: LabelSpace, *, distance: str) -> Floats:
    """Return the ranks 1..q: the place in the order, or by size for numbers without an order."""
    _refuse_infinite(space, distance)
    if space.ordered or not space.labels:
        return np.arange(1.0, space.size + 1)
    if space.numbers is not None:
        _refuse_equal(space, space.numbers, distance)
        return (np.argsort(np.argsort(space.numbers)) + 1).astype(np.float64)
    raise InputError.expected(
        f"labels for the {distance} distance",
        "numbers, or labels with a declared order",
        list(space.labels),
        _spelled_numbers_hint(space.labels) or _ORDER_HINT,
    )


def number_k(space: LabelSpace, *, distance: str) -> Floats:
    """Return the numbers, and refuse labels that are none, even when they are ordered."""
    if space.numbers is not None:
        _refuse_infinite(space, distance)
        _refuse_equal(space, space.numbers, distance)
        return space.numbers
    if not space.labels:
        return np.empty(0)
    raise InputError.expected(
        f"labels for the {distance} distance",
        "numbers",
        [label for label in space.labels if as_number(label) is None],
        _spelled_numbers_hint(space.labels)
        or 'use distance="ordinal" for ordered categories, or give each label its number',
    )


def check_range(values: Floats, *, exponent: float, distance: str) -> None:
    """Refuse numbers whose largest distance, range to the exponent, is out of a float's reach."""
    if values.size == 0:
        return
    with np.errstate(over="ignore", under="ignore"):
        span = values.max() - values.min()
        largest = span**exponent
    if span == 0 or SMALLEST_DISTANCE <= largest <= LARGEST_DISTANCE:
        return
    raise InputError.expected(
        f"numbers for the {distance} distance",
        f"such that their largest distance lies within {SMALLEST_DISTANCE:g} "
        f"and {LARGEST_DISTANCE:g}",
        [float(values.min()), float(values.max())],
        "divide all of them by one constant, agreement does not depend on the unit",
    )


def _refuse_infinite(space: LabelSpace, distance: str) -> None:
    if space.numbers is None or np.isfinite(space.numbers).all():
        return
    raise InputError.expected(
        f"labels for the {distance} distance",
        "finite numbers",
        [space.labels[k] for k in np.flatnonzero(~np.isfinite(space.numbers))],
        "mark such ratings as missing, or rescale the numbers",
    )


def _refuse_equal(space: LabelSpace, values: Floats, distance: str) -> None:
    """Refuse labels that differ but become the same float, such as 2⁵³ and 2⁵³ + 1."""
    order = np.argsort(values, kind="stable")
    same = np.flatnonzero(values[order][1:] == values[order][:-1])
    if same.size:
        raise InputError.expected(
            f"labels for the {distance} distance",
            "distinct as 64-bit floats",
            [space.labels[k] for k in order[same[0] : same[0] + 2]],
            'subtract one constant from all of them, or use scale="ordinal"',
        )


def _spelled_numbers_hint(labels: Sequence[object]) -> str | None:
    """Say so when every label is a number or the spelling of one."""
    if all(as_number(label) is not None or holds_number(label) for label in labels):
        return "the labels are numbers stored as text: convert them to numbers"
    return None
