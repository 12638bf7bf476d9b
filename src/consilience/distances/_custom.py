"""Distances that people bring along: a matrix of numbers, or a function of two labels."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consilience.core.arrays import Floats
from consilience.distances._distance import (
    LARGEST_DISTANCE,
    SMALLEST_DISTANCE,
    Distance,
    LabelSpace,
    as_number,
    is_among,
    register,
)
from consilience.exceptions import InputError

# ---- One check for distances that people bring along, as a matrix or as a function.

# Differences below this share of the largest distance are rounding, such as 1 − cosine similarity.
_ROUNDING = 1e-9

_Rule = tuple[NDArray[np.bool_], str, str]


def checked(d_kl: Floats, labels: Sequence[object], *, what: str) -> Floats:
    """Return a clean distance matrix: finite, not negative, zero diagonal, symmetric."""
    if d_kl.size == 0:
        return d_kl
    finite = np.isfinite(d_kl)
    _obey((finite, "a finite number", "leave no entry out"), d_kl, labels, what=what)
    largest = float(np.abs(d_kl).max())
    if largest and not SMALLEST_DISTANCE <= largest <= LARGEST_DISTANCE:
        raise InputError.expected(
            what,
            f"within {SMALLEST_DISTANCE:g} and {LARGEST_DISTANCE:g} at its largest",
            largest,
            "multiply all distances by one constant, agreement does not depend on it",
        )
    for rule in _rules(d_kl, slack=_ROUNDING * largest):
        _obey(rule, d_kl, labels, what=what)
    clean: Floats = np.maximum((d_kl + d_kl.T) / 2, 0.0)
    np.fill_diagonal(clean, 0.0)
    return clean


def _rules(d_kl: Floats, *, slack: float) -> list[_Rule]:
    """Return where each rule is kept, what it demands, and what to do if it is broken."""
    same = np.eye(len(d_kl), dtype=bool)
    return [
        (d_kl >= -slack, "zero or more", "a distance is never negative"),
        (
            ~same | (np.abs(d_kl) <= slack),
            "zero for a label and itself",
            "similarities are not distances: from weights w take 1 - w",
        ),
        (
            np.abs(d_kl - d_kl.T) <= slack,
            "symmetric",
            "symmetrise it, for example by the mean of both directions, (d + d.T) / 2",
        ),
    ]


def _obey(rule: _Rule, d_kl: Floats, labels: Sequence[object], *, what: str) -> None:
    kept, expectation, hint = rule
    if kept.all():
        return
    row, column = np.argwhere(~kept)[0]
    found = [(labels[row], labels[column], float(d_kl[row, column]))]
    if row != column:
        found.append((labels[column], labels[row], float(d_kl[column, row])))
    raise InputError.expected(what, expectation, found, hint)


# ---- A matrix of numbers as a distance.

_WHAT = "the distance matrix"


@register
@dataclass(frozen=True, eq=False)
class MatrixDistance(Distance):
    """Distances read from a table; see `matrix`."""

    d_kl: Floats
    categories: tuple[Hashable, ...] | None = None

    name = "matrix"
    recipe = "give the numbers, as distances.matrix(d, categories)"

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the table, its rows and columns in the order of the labels."""
        if self.categories is None:
            if len(self.d_kl) != space.size:
                raise InputError.expected(
                    _WHAT,
                    f"{space.size} × {space.size}, one row for each label",
                    f"{len(self.d_kl)} × {len(self.d_kl)}",
                    "declare all categories of the ratings, or name the rows with categories=[…]",
                )
            return self.d_kl.copy()
        row_of = {category: k for k, category in enumerate(self.categories)}
        unknown = [label for label in space.labels if not is_among(label, row_of)]
        if unknown:
            raise InputError.expected(
                "labels",
                "among the categories of the distance matrix",
                unknown,
                "add a row and a column for each of them",
            )
        order = [row_of[label] for label in space.labels]
        return self.d_kl[np.ix_(order, order)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MatrixDistance):
            return NotImplemented
        return self.categories == other.categories and np.array_equal(self.d_kl, other.d_kl)

    def __hash__(self) -> int:
        return hash((self.categories, self.d_kl.tobytes()))


def matrix(d: ArrayLike, categories: Iterable[Hashable] | None = None) -> MatrixDistance:
    """Return the distance given by a square table of numbers.

    Use it when the seriousness of every confusion is known. Give `categories` so that the order of
    the labels in the data does not matter.

    Parameters
    ----------
    d : array_like
        The distances; 0 on the diagonal, symmetric. A labelled frame brings its categories along.
    categories : iterable, optional
        Which label each row and column stands for, in any order; more than the data use is fine.
        Without it the rows follow the order of the labels in the data.

    Returns
    -------
    Distance

    Raises
    ------
    InputError
        The table is not a distance, or does not fit the categories.

    References
    ----------
    .. [1] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex, section 2.8.

    Examples
    --------
    >>> d = matrix([[0, 1, 0.5], [1, 0, 0.5], [0.5, 0.5, 0]], ["stat", "ireq", "chck"])
    >>> d.matrix(LabelSpace.of(["chck", "stat"]), np.ones(2))
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    names = _names(d, categories)
    d_kl = _square(d)
    if names is not None:
        _check_names(names, len(d_kl))
    clean = checked(d_kl, names if names is not None else range(len(d_kl)), what=_WHAT)
    clean.setflags(write=False)
    return MatrixDistance(clean, names)


def _names(d: object, categories: Iterable[Hashable] | None) -> tuple[Hashable, ...] | None:
    """Return the categories as given, or those of a labelled frame."""
    if categories is not None:
        return tuple(categories)
    columns, index = getattr(d, "columns", None), getattr(d, "index", None)
    if columns is None or index is None:
        return None
    if list(columns) != list(index):
        raise InputError.expected(
            _WHAT,
            "labelled alike by row and by column",
            {"rows": list(index), "columns": list(columns)},
            "put rows and columns in the same order, or give categories=[…]",
        )
    return tuple(columns)


def _square(d: ArrayLike) -> Floats:
    try:
        d_kl = np.array(d, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError.expected(
            _WHAT, "a square table of numbers", d, "give one row of numbers for each category"
        ) from None
    if d_kl.ndim != 2 or d_kl.shape[0] != d_kl.shape[1] or d_kl.size == 0:
        raise InputError.expected(
            _WHAT,
            "square, one row and one column for each category",
            " × ".join(map(str, d_kl.shape)),
            "give one row of numbers for each category",
        )
    return d_kl


def _check_names(names: tuple[Hashable, ...], size: int) -> None:
    if len(names) != size:
        raise InputError.expected(
            "categories",
            f"{size} labels, one for each row of the distance matrix",
            list(names),
            "name every row once",
        )
    repeated = sorted({repr(name) for name in names if names.count(name) > 1})
    if repeated:
        raise InputError.expected("categories", "distinct", ", ".join(repeated), "name a row once")


# ---- Any function of two labels as a distance.


@dataclass(frozen=True)
class CallableDistance(Distance):
    """A function of two labels that returns how different they are.

    The function is called for every two labels in both orders and checked: finite numbers, zero
    for equal labels, never negative, symmetric.

    Parameters
    ----------
    function : callable
        ``function(a, b)`` returns a number, or True for different labels.

    Raises
    ------
    InputError
        On use, when the function breaks one of these rules; the message names the labels.

    Examples
    --------
    >>> def length_difference(a, b):
    ...     return abs(len(a) - len(b))
    >>> distance = CallableDistance(length_difference)
    >>> distance.name
    'callable:length_difference'
    >>> distance.matrix(LabelSpace.of(["a", "bb", "dddd"]), np.ones(3))[0]
    array([0., 1., 3.])
    """

    function: Callable[[object, object], object]
    name: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not _takes_two(self.function):
            raise InputError.expected(
                "distance",
                "a function of two labels",
                self.function,
                "write it as distance(a, b), and call functions that make a distance first",
            )
        called = getattr(self.function, "__name__", "<none>")
        name = "callable" if called.startswith("<") else f"callable:{called}"
        object.__setattr__(self, "name", name)

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return what the function says about every two labels."""
        d_kl = np.array(
            [[self._value(a, b) for b in space.labels] for a in space.labels], dtype=np.float64
        ).reshape(space.size, space.size)
        return checked(d_kl, space.labels, what=f"the distance {self.name!r}")

    def _value(self, a: object, b: object) -> float:
        value = self.function(a, b)
        number = as_number(value)
        if number is None:
            raise InputError.expected(
                f"the distance {self.name!r} of {a!r} and {b!r}",
                "a number",
                value,
                "return a float from the function",
            )
        return number


def _takes_two(function: Callable[[object, object], object]) -> bool:
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:
        # Some built-in functions do not tell their signature.
        return True
    return True
