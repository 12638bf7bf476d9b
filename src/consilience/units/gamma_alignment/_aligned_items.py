"""Events that several raters marked, as items to be rated: one row for each aligned group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.exceptions import InputError
from consilience.ratings import Ratings
from consilience.units.model.units import Units, check_data


def aligned_items(units: Units, alignments: Any, *, unmatched: str | None = "nil") -> Ratings:
    """Turn groups of units that are the same event into ratings of items.

    Use it after any alignment of more than two raters to compute kappa, alpha or others on the
    labels: each group is an item, and a rater without a unit in it gave the category
    ``unmatched``.

    Parameters
    ----------
    units : Units
    alignments : array (items, raters)
        The row of each rater's unit in `units`, -1 where the rater has none; columns in the order
        of ``units.raters``.
    unmatched : str or None
        The category of a rater without a unit; None leaves the rating missing.

    Returns
    -------
    Ratings

    Raises
    ------
    InputError
        A place that does not exist, a unit in another rater's column, an empty group.

    Examples
    --------
    >>> units = Units.from_records([("a", "x", 0, 5), ("b", "x", 1, 6), ("b", "y", 8, 9)])
    >>> ratings = aligned_items(units, [[0, 1], [-1, 2]])
    >>> ratings.n_items, ratings.categories
    (2, ('x', 'y', 'nil'))
    """
    rows = _rows(alignments, check_data(units))
    if unmatched is not None and unmatched in units.labels:
        raise InputError.expected(
            "unmatched", "a word that is no label", unmatched, "choose another word"
        )
    return group_ratings(units, rows, raters=units.raters, unmatched=unmatched)


def group_ratings(
    units: Units,
    rows: NDArray[np.int64],
    *,
    raters: Sequence[str],
    unmatched: str | None,
    items: Sequence[str] | None = None,
) -> Ratings:
    """Return the labels of checked groups of units as ratings."""
    labels: list[Any] = list(units.labels)
    code = np.where(rows >= 0, units.label[rows] if len(units) else -1, -1)
    if unmatched is not None:
        code = np.where(rows >= 0, code, len(labels))
        labels.append(unmatched)
    item, rater = np.nonzero(code >= 0)
    return Ratings.from_codes(
        item=item,
        rater=rater,
        label=code[item, rater],
        items=items,
        raters=list(raters),
        categories=labels,
    )


def _rows(alignments: Any, units: Units) -> Any:
    hint = "one row for each event, one column for each rater, -1 where she has none"
    try:
        rows = np.asarray(alignments)
    except ValueError:
        raise InputError.expected("alignments", "a table", alignments, hint) from None
    shape_ok = rows.ndim == 2 and rows.shape[1] == units.n_raters and rows.dtype.kind in "iu"
    if not shape_ok or (rows < -1).any() or (rows >= len(units)).any():
        raise InputError.expected(
            "alignments", "a table of places in the units (items x raters)", alignments, hint
        )
    own = np.broadcast_to(np.arange(units.n_raters), rows.shape)
    wrong = (rows >= 0) & (units.rater[rows] != own) if len(units) else rows >= 0
    if wrong.any():
        raise InputError.expected(
            "each column of alignments",
            "units of one rater, in the order of units.raters",
            rows[wrong][0].item(),
            hint,
        )
    if len(rows) and (rows < 0).all(axis=1).any():
        raise InputError.expected("each group", "one unit at least", [-1] * rows.shape[1], hint)
    return rows
