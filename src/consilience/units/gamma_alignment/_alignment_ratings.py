"""The best alignment by itself, and as ratings for any coefficient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consilience.exceptions import InputError
from consilience.ratings import Ratings
from consilience.units.gamma_alignment._best_alignment import MOST_CANDIDATES
from consilience.units.gamma_alignment._gamma_input import ALIGNMENTS, checked_settings, prepared
from consilience.units.gamma_alignment._gamma_results import Alignment, Gamma, alignment_of
from consilience.units.gamma_alignment._gamma_run import observe
from consilience.units.model.asked import ABSENT
from consilience.units.model.unit_checks import check_data, check_positive, check_word
from consilience.units.model.units import Units


def group_ratings(
    units: Units,
    rows: NDArray[np.int64],
    *,
    raters: Sequence[str],
    unmatched: str | None,
    items: Sequence[str] | None = None,
) -> Ratings:
    """Return the labels of checked groups of units as ratings."""
    if unmatched in units.labels:
        raise InputError.expected(
            "the labels", f"without {unmatched!r}", unmatched, "rename that label first"
        )
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
    hint = "one row for each event, one column for each rater, -1 where the rater has none"
    try:
        rows = np.asarray(alignments)
    except ValueError:
        raise InputError.expected("alignment", "a table", alignments, hint) from None
    shape_ok = rows.ndim == 2 and rows.shape[1] == units.n_raters and rows.dtype.kind in "iu"
    if not shape_ok or (rows < -1).any() or (rows >= len(units)).any():
        raise InputError.expected(
            "alignment", "a table of places in the units (items x raters)", alignments, hint
        )
    own = np.broadcast_to(np.arange(units.n_raters), rows.shape)
    wrong = (rows >= 0) & (units.rater[rows] != own) if len(units) else rows >= 0
    if wrong.any():
        raise InputError.expected(
            "each column of the alignment",
            "units of one rater, in the order of units.raters",
            rows[wrong][0].item(),
            hint,
        )
    if len(rows) and (rows < 0).all(axis=1).any():
        raise InputError.expected("each group", "one unit at least", [-1] * rows.shape[1], hint)
    return rows


def alignment_ratings(
    units: Units,
    *,
    alignment: Alignment | Gamma | ArrayLike | None = None,
    nil: Literal["missing", "category"] = "missing",
    alpha: float = 3.0,
    beta: float = 1.0,
    distance: Any = "nominal",
    categories: Sequence[Any] | None = None,
    absent: Literal["asked", "drop", "count"] = "asked",
    point_length: float | None = None,
    max_candidates: int = MOST_CANDIDATES,
) -> Ratings:
    """Turn an alignment into ratings: units that are the same event are one item.

    Use it to run any coefficient on the labels of aligned units, for any number of raters.

    Parameters
    ----------
    units : Units
    alignment : Alignment, Gamma or array (items, raters), optional
        What `gamma` found for these units; or the row of each rater's unit in `units`, -1 where the
        rater has none, columns in the order of ``units.raters``. Without it the best alignment is
        found.
    nil : {"missing", "category"}
        A rater without a unit there gave no rating, or the category "nil".
    alpha, beta, distance, categories, absent, point_length, max_candidates
        As in `gamma`; no random continua are drawn.

    Returns
    -------
    Ratings

    Raises
    ------
    InputError
        An unknown word, a label "nil" when that is the name of the added category, a place that
        does not exist, a unit in another rater's column, an empty group.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("Ann", "noun", 0, 4), ("Ann", "verb", 6, 9), ("Bob", "noun", 0, 4),
    ...     ("Bob", "adverb", 6, 10), ("Bob", "noun", 20, 24)])
    >>> ratings = alignment_ratings(units, nil="category")
    >>> ratings.n_items, ratings.categories
    (3, ('adverb', 'noun', 'verb', 'nil'))
    """
    check_word("nil", nil, ("missing", "category"))
    if isinstance(alignment, Gamma):
        alignment = alignment.alignment
    elif alignment is None:
        alignment = best_alignment(
            units,
            alpha=alpha,
            beta=beta,
            distance=distance,
            categories=categories,
            absent=absent,
            point_length=point_length,
            max_candidates=max_candidates,
        )
    unmatched = "nil" if nil == "category" else None
    if not isinstance(alignment, Alignment):
        rows = _rows(alignment, check_data(units))
        return group_ratings(units, rows, raters=units.raters, unmatched=unmatched)
    return group_ratings(
        units,
        alignment.units,
        raters=alignment.raters,
        unmatched=unmatched,
        items=[f"{units.sessions[s]} {n}" for n, s in enumerate(alignment.session, 1)],
    )


def best_alignment(
    units: Units,
    *,
    alpha: float = 3.0,
    beta: float = 1.0,
    distance: Any = "nominal",
    categories: Sequence[Any] | None = None,
    alignment: Literal["exact", "approximate"] = "exact",
    absent: Literal["asked", "drop", "count"] = "asked",
    point_length: float | None = None,
    max_candidates: int = MOST_CANDIDATES,
) -> Alignment:
    """Return the alignment of least disorder, without the random continua of `gamma`.

    Parameters
    ----------
    units, alpha, beta, distance, categories, alignment, absent, point_length, max_candidates
        As in `gamma`.

    Returns
    -------
    Alignment

    Examples
    --------
    >>> units = Units.from_records([("Ann", "a", 0, 4), ("Bob", "a", 1, 5), ("Cid", "a", 30, 40)])
    >>> best_alignment(units).units.tolist()
    [[0, 1, -1], [-1, -1, 2]]
    """
    words = {"alignment": (alignment, ALIGNMENTS), "absent": (absent, ABSENT)}
    settings, _ = checked_settings(
        units,
        alpha=alpha,
        beta=beta,
        distance=distance,
        categories=categories,
        words=words,
        most=max_candidates,
    )
    if point_length is not None:
        point_length = check_positive(point_length, "point_length")
    data = prepared(units, absent=absent, point_length=point_length)
    return alignment_of(units, data, observe(data.blocks, settings))
