"""Rows of numbers as moments, and rows like those that were seen but farther out."""

from __future__ import annotations

import numpy as np

from consilience.core.arrays import Floats, dense
from consilience.rows._forms import MomentForm, Vectors
from consilience.rows.distinct_rows import Rows


def as_moments(rows: Rows, points: Floats) -> Rows:
    """Return rows of labels that are points (dimensions × labels) as rows of moments.

    Parameters
    ----------
    rows : Rows
    points : array
        Squared distances between the labels are those of the points.

    Returns
    -------
    Rows
    """
    counts = np.asarray(dense(rows.vectors))
    placed = points - np.asarray(points @ counts.sum(axis=1) / counts.sum())[:, None]
    psi = np.concatenate([np.ones((1, placed.shape[1])), placed, (placed**2).sum(axis=0)[None]])
    by_rater = None
    if rows.by_rater is not None:
        blocks = np.asarray(dense(rows.by_rater)).reshape(-1, psi.shape[1], counts.shape[1])
        by_rater = np.einsum("sk,rkp->rsp", psi, blocks).reshape(-1, counts.shape[1])
    form = MomentForm(len(placed), float(rows.form.maximum))
    return Rows(form, psi @ counts, rows.ratings, rows.multiplicity, by_rater)


def one_row(rows: Rows, place: int, *, stretch: float = 1.0, shift: float = 0.0) -> Rows:
    """Return one row once, each of its numbers x as ``stretch * x + shift`` (moments on a line).

    Parameters
    ----------
    rows : Rows
    place : int
    stretch, shift : float
        1 and 0 leave rows of any form as they are.

    Returns
    -------
    Rows
    """
    here = slice(place, place + 1)
    vectors, by_rater = dense(rows.vectors[:, here]), None
    if rows.by_rater is not None:
        by_rater = dense(rows.by_rater[:, here])
    if (stretch, shift) != (1.0, 0.0):
        vectors = _moved(vectors, stretch, shift)
        by_rater = None if by_rater is None else _moved(by_rater, stretch, shift)
    return Rows(rows.form, vectors, rows.ratings[here], np.ones(1), by_rater)


def _moved(vectors: Vectors, stretch: float, shift: float) -> Floats:
    blocks = vectors.reshape(-1, 3, vectors.shape[1])
    many, total, square = blocks[:, 0], blocks[:, 1], blocks[:, 2]
    out = np.stack(
        [
            many,
            stretch * total + shift * many,
            stretch**2 * square + 2.0 * stretch * shift * total + shift**2 * many,
        ],
        axis=1,
    )
    return np.asarray(out.reshape(vectors.shape))
