"""The interface of a distance, the registry of named ones, and what labels are worth as numbers."""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeVar

import numpy as np

from consilience.core.arguments import check_word
from consilience.core.arrays import Floats
from consilience.core.cell_values import holds_number
from consilience.core.registry import BY_CLASS, Registry, registered_in
from consilience.exceptions import InputError

# ---- What the labels are worth as numbers: scores, ranks, and when neither exists.

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


# ---- The interface of a distance, the registry of named ones, and the lookup.


class Distance(ABC):
    """How different two labels are: zero for a label and itself, never negative, symmetric.

    Subclasses are frozen dataclasses, equal when their parameters are. A named one carries
    `name` and the decorator `register`.

    Attributes
    ----------
    name : str
        The word for it in calls, results and reports.
    fits_scale : str
        The scale this distance is the default for; empty for most.
    recipe : str
        How to make one, when the name alone is not enough; empty for most.
    data_dependent : bool
        Whether `matrix` uses `counts`, so that it must be recomputed for every resample.
    of_sets : bool
        Whether labels are sets, and sets that overlap are closer than disjoint ones.
    """

    name: str
    fits_scale: str = ""
    recipe: str = ""
    data_dependent: bool = False
    of_sets: bool = False

    @abstractmethod
    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the distance of every two labels.

        Parameters
        ----------
        space : LabelSpace
            The labels.
        counts : numpy.ndarray
            Pairable ratings per label; only a data-dependent distance looks at them.

        Returns
        -------
        numpy.ndarray
            q × q in the distance's own units.

        Raises
        ------
        InputError
            The labels are not of the kind this distance compares.
        """

    def coordinates(self, space: LabelSpace, counts: Floats) -> Floats | None:
        """Return points (q × dimension) whose squared Euclidean distance this is, or None."""
        return None

    def pull_back(self, slopes: Floats) -> Floats | None:
        """Turn slopes with respect to coordinates into slopes with respect to the counts.

        Only for data-dependent distances on a line: the transposed derivative of `coordinates`,
        so that standard errors allow for the metric's own dependence on the data. Slopes lie along
        the first axis; a second one is for several sets of counts.
        """
        return None

    def embed(self, values: Floats) -> Floats | None:
        """Do the same for raw numbers of any shape: one array per dimension, or None.

        NaN stays NaN; the numbers' range has been checked with `matrix` before.
        """
        return None


registry: Registry[type[Distance]] = Registry(
    "distance",
    group="distances",
    homes=registered_in("consilience.distances", name=BY_CLASS),
)

_Class = TypeVar("_Class", bound=type[Distance])


def register(distance: _Class) -> _Class:
    """Make a distance known by its name; a class decorator.

    Parameters
    ----------
    distance : subclass of Distance

    Returns
    -------
    type
        The same class.

    Examples
    --------
    >>> class Same(Distance):
    ...     name = "nominal"
    >>> register(Same)  # a name that is taken is refused
    Traceback (most recent call last):
    ...
    ValueError: a distance named 'nominal' is already registered
    """
    registry.add(distance)
    return distance


def names() -> tuple[str, ...]:
    """Return the names that can be given as ``distance=``, in alphabetical order.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> "ordinal" in names(), "circular" in names()      # circular needs its circumference
    (True, False)
    """
    return tuple(sorted(name for name, made in registry.items() if not made.recipe))


def get_distance(spec: object = None, *, scale: str) -> Distance:
    """Return the distance that is meant.

    Parameters
    ----------
    spec : str, Distance, callable or None
        A name, a distance, a function of two labels; None for the one that fits the scale.
    scale : str
        The scale of the ratings.

    Returns
    -------
    Distance

    Raises
    ------
    InputError
        An unknown name or scale, a name that needs a parameter, or something else altogether.

    Examples
    --------
    >>> get_distance(scale="interval").name
    'interval'
    >>> get_distance("masi", scale="nominal").name
    'masi'
    """
    if spec is None:
        return _fitting(scale)
    if isinstance(spec, Distance):
        return spec
    if isinstance(spec, str):
        return _named(spec)
    if isinstance(spec, type) and issubclass(spec, Distance):
        raise _not_a_distance(spec, f"give an instance: {spec.recipe or spec.__name__ + '()'}")
    if isinstance(spec, np.ndarray | list | tuple) or hasattr(spec, "to_numpy"):
        raise _not_a_distance(
            spec, "wrap it as distances.matrix(d, categories), which says which row is which label"
        )
    if callable(spec):
        # The callable distance builds on this module.
        from consilience.distances._custom import CallableDistance

        return CallableDistance(spec)
    raise _not_a_distance(spec, f"choose one of {', '.join(names())}")


def _fitting(scale: str) -> Distance:
    named: type[Distance] | None = registry.get(scale)
    if named is not None and named.fits_scale == scale:  # as ours are called
        return named()
    fitting = {made.fits_scale: made for made in registry.values() if made.fits_scale}
    check_word("scale", scale, fitting)
    return fitting[scale]()


def _named(name: str) -> Distance:
    made: type[Distance] | None = registry.get(name)
    if made is None:
        raise InputError.unknown_word("distance", name, names())
    if made.recipe:
        raise InputError.expected("distance", "given with its parameter", name, made.recipe)
    return made()


def _not_a_distance(spec: object, hint: str) -> InputError:
    return InputError.expected(
        "distance", "a name, a Distance or a function of two labels", spec, hint
    )


# ---- The nominal distance.


@register
@dataclass(frozen=True)
class Nominal(Distance):
    """Labels are the same or different: d = 0 or 1.

    Notes
    -----
    d_kl = 1 for k ≠ l, else 0                                                          (1)

    References
    ----------
    .. [1] Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of
       Pennsylvania.

    Examples
    --------
    >>> Nominal().matrix(LabelSpace.of(["yes", "no"]), np.ones(2))
    array([[0., 1.],
           [1., 0.]])
    """

    name = "nominal"
    fits_scale = "nominal"

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return 1 off the diagonal."""
        return 1.0 - np.eye(space.size)
