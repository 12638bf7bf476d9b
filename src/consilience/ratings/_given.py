"""What a coefficient is called with, turned into ratings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from consilience.core.frames import is_table, ratings_of
from consilience.core.labels import DEFAULT_SCALE
from consilience.exceptions import InputError
from consilience.ratings._ratings import Ratings


def as_ratings(*data: Any, scale: str | None = None) -> Ratings:
    """Turn what a coefficient was called with into Ratings.

    One `Ratings`, or what `load` or `simulate` returned; one dataframe, dict of columns or list of
    records (recognised as a file would be); one table of items x raters in lists or an array; or
    two (or more) plain sequences, one per rater.

    Parameters
    ----------
    data
        See above.
    scale : str, optional

    Returns
    -------
    Ratings

    Examples
    --------
    >>> as_ratings(["a", "b", "b"], ["a", "b", "a"])
    Ratings(3 items × 2 raters, 6 ratings, 2 categories, nominal)
    """
    if len(data) == 1 and isinstance(held := getattr(data[0], "ratings", data[0]), Ratings):
        return held
    if len(data) == 1 and is_table(data[0]):
        recognised: Ratings = ratings_of(data[0], scale=scale)
        return recognised
    if len(data) == 1:
        return Ratings.from_wide(data[0], scale=scale)
    if any(isinstance(part, (Ratings, Mapping)) for part in data):
        raise InputError.expected(
            "ratings",
            "one Ratings, or one sequence of labels per rater",
            type(data[0]).__name__,
            "merge them first, or pass plain lists",
        )
    from consilience.ratings._wide import from_columns

    parts = from_columns(data, scale=scale or DEFAULT_SCALE)
    return Ratings._make(replace(parts, scale_told=scale is not None))
