"""How far two raters' marks lie apart, added up over the items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats
from consilience.exceptions import InputError
from consilience.magnitudes._magnitude import Magnitude, check_number, register
from consilience.magnitudes.paired import Paired, paired


@dataclass(frozen=True, kw_only=True, repr=False)
class VectorDistance(Magnitude):
    """Distances between two lists of marks; `value` is the mean absolute difference.

    Attributes
    ----------
    l1, l2 : float
        Sum of absolute differences, and root of the sum of squares; they grow with the number of
        items.
    mean_absolute_error, root_mean_square_error : float
        The same per item, in marks.
    relative_absolute_error, relative_square_error : float
        Divided by the range of marks, so that questions of different worth can be compared.
    simple_metric : float
        Share of items with equal marks.
    """

    l1: float = math.nan
    l2: float = math.nan
    root_mean_square_error: float = math.nan
    relative_absolute_error: float = math.nan
    relative_square_error: float = math.nan
    simple_metric: float = math.nan
    range: tuple[float, float] = (math.nan, math.nan)
    lowest: ClassVar[float] = 0.0

    @property
    def mean_absolute_error(self) -> float:
        """Mean absolute difference."""
        return self.value

    @property
    def p_value(self) -> float:
        """NaN: raters who never differ need no test, and all others differ on average."""
        return math.nan

    @property
    def details(self) -> dict[str, Any]:
        """All the distances."""
        names = (
            "l1",
            "l2",
            "mean_absolute_error",
            "root_mean_square_error",
            "relative_absolute_error",
            "relative_square_error",
            "simple_metric",
        )
        return {name: getattr(self, name) for name in names}


@register(
    title="Mean absolute difference",
    caution=(
        "A distance says nothing about chance: raters who give nearly all items the same mark are "
        "close whatever they look at."
    ),
    raters="two",
    labels="numbers",
    aliases=("mae", "rmse", "l1", "l2", "manhattan", "euclidean", "simple_metric"),
)
def vector_distance(
    *ratings: Any,
    mark_range: Sequence[float] | None = None,
    pair: Sequence[object] | None = None,
) -> VectorDistance:
    """Distances between two raters' marks: L1, L2, and both per item and per range of marks.

    Use it to rank several systems against one marker. Prefer `bland_altman` to see which way the
    marks differ.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    mark_range : lowest and highest mark that could be given
        Default the declared categories, or else the lowest and highest mark in the data.
    pair : names of two raters, when there are more

    Returns
    -------
    VectorDistance

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, or labels that are not numbers.

    Notes
    -----
    L1 = sum |x - y|, L2 = sqrt(sum (x - y)^2). The column headed L1 in Table 1-4 of [1]_ holds the
    sum of squares.

    References
    ----------
    .. [1] Haley, D., Thomas, P., Petre, M. & De Roeck, A. (2008). Using a New Inter-rater
       Reliability Statistic. Open University, Technical Report 2008/15.

    Examples
    --------
    >>> distance = vector_distance([4, 4, 4, 4], [4, 3, 4, 1], mark_range=(0, 4))
    >>> distance.l1, distance.mean_absolute_error, distance.relative_absolute_error
    (4.0, 1.0, 0.25)
    """
    marks = paired("vector_distance", ratings, pair)
    low, high = _range(marks, mark_range)
    gap = np.abs(marks.differences)
    n, w = marks.n, marks.weight
    l1, square = float(w @ gap), float(w @ gap**2)
    mean, rms = l1 / n, math.sqrt(square / n)
    width = high - low if high > low else math.nan
    return VectorDistance(
        value=mean,
        standard_error=_error(marks, gap - mean),
        standard_error_method="mean",
        l1=l1,
        l2=math.sqrt(square),
        root_mean_square_error=rms,
        relative_absolute_error=mean / width,
        relative_square_error=rms / width,
        simple_metric=float(w @ (gap == 0.0)) / n,
        range=(low, high),
        **marks.facts("vector_distance"),
    )


def _error(marks: Paired, apart: Floats) -> float:
    if marks.clusters is not None or marks.n <= 1:
        return marks.error(apart) if marks.n > 1 else math.nan
    return math.sqrt(float(marks.weight @ apart**2) / (marks.n * (marks.n - 1.0)))


def _range(marks: Paired, given: Any) -> tuple[float, float]:
    low = float(min(marks.x.min(), marks.y.min()))
    high = float(max(marks.x.max(), marks.y.max()))
    if given is None:
        return marks.range if marks.range is not None else (low, high)
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:
        raise InputError.expected(
            "mark_range", "the lowest and the highest mark", given, "for example (0, 10)"
        )
    ends = check_number("mark_range", given[0]), check_number("mark_range", given[1])
    if not ends[0] <= low <= high <= ends[1] or ends[0] == ends[1]:
        raise InputError.expected(
            "mark_range", f"around all marks ({low:g} to {high:g})", given, "check the lowest mark"
        )
    return ends
