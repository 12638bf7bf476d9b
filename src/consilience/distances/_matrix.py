"""A matrix of numbers as a distance."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from consilience.core.arrays import Floats
from consilience.distances._distance import Distance, LabelSpace, register
from consilience.distances._matrix_checks import checked
from consilience.distances.label_scores import is_among
from consilience.exceptions import InputError

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
