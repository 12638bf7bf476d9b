"""Tallies of linked and unlinked units, doubled as in GSEQ, EasyDIAg and ELAN."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Ints
from consilience.units.linking._overlap_linking import Links
from consilience.units.model._ordered_units import Blocks


@dataclass(frozen=True, slots=True)
class Tallies:
    """What was counted in each session, kept as the cells that are not empty.

    A linked pair counts 2 in its cell, an unlinked unit 1 in the row or column of nil, which is
    the last; so the table sums to the number of units of both raters.
    """

    n_labels: int
    n_sessions: int
    session: Ints
    row: Ints
    column: Ints
    count: Ints

    def table(self, session: int | None = None) -> Ints:
        """Return the table of one session, or of all."""
        chosen = slice(None) if session is None else self.session == session
        size = self.n_labels + 1
        cell = self.row[chosen] * size + self.column[chosen]
        out = np.bincount(cell, weights=self.count[chosen], minlength=size * size)
        return out.astype(np.int64).reshape(size, size)

    def totals(self) -> Floats:
        """Return the totals of all sessions (5 x labels), as `parts` gives them by session."""
        nowhere = np.zeros_like(self.session)
        one = Tallies(self.n_labels, 1, nowhere, self.row, self.column, self.count)
        return np.asarray(one.parts()[0])

    def parts(self) -> Floats:
        """Return what each session adds to the statistics (sessions x 5 x labels).

        Five numbers for each label: agreement, row sum, column sum, unlinked of the first rater,
        unlinked of the second. All coefficients are functions of their totals.
        """
        nil = self.n_labels
        out = np.zeros((5, self.n_sessions, nil))
        here = [
            (self.row, self.row == self.column),
            (self.row, self.row != nil),
            (self.column, self.column != nil),
            (self.row, self.column == nil),
            (self.column, self.row == nil),
        ]
        for k, (label, chosen) in enumerate(here):
            cell = self.session[chosen] * nil + label[chosen]
            count = self.count[chosen]
            out[k] = np.bincount(cell, weights=count, minlength=out[k].size).reshape(out[k].shape)
        return out.transpose(1, 0, 2)

    def only(self, sessions: NDArray[np.bool_]) -> Tallies:
        """Empty the sessions that are not chosen."""
        keep = sessions[self.session]
        cells = (x[keep] for x in (self.session, self.row, self.column, self.count))
        return Tallies(self.n_labels, self.n_sessions, *cells)


def tally(
    blocks: Blocks,
    links: Links,
    *,
    n_labels: int,
    n_sessions: int,
    threshold: Fraction | None = None,
) -> Tallies:
    """Count linked pairs twice and unlinked units once; a threshold drops weaker links."""
    first, second = links.first, links.second
    if threshold is not None:
        stands = links.at_least(threshold)
        first, second = first[stands], second[stands]
    size = n_labels + 1
    alone = np.ones(len(blocks.start), dtype=bool)
    alone[first] = alone[second] = False
    session = blocks.session.astype(np.int64)[blocks.block]
    label = blocks.label.astype(np.int64)
    left = np.flatnonzero(alone & (blocks.rater == 0))
    right = np.flatnonzero(alone & (blocks.rater == 1))
    cell = np.concatenate(
        [
            (session[first] * size + label[first]) * size + label[second],
            (session[left] * size + label[left]) * size + n_labels,
            (session[right] * size + n_labels) * size + label[right],
        ]
    )
    times = np.repeat([2, 1, 1], [len(first), len(left), len(right)])
    found, count = _counted(cell, times, n_sessions * size * size)
    return Tallies(
        n_labels,
        n_sessions,
        session=found // (size * size),
        row=found // size % size,
        column=found % size,
        count=count,
    )


_MOST_CELLS = 20_000_000  # counted in one array; more cells are sorted instead


def _counted(cell: Ints, times: Ints, n_cells: int) -> tuple[Ints, Ints]:
    if n_cells <= min(_MOST_CELLS, 20 * len(cell) + 1_000):
        totals = np.bincount(cell, weights=times, minlength=n_cells)
        found = np.flatnonzero(totals)
        return found, totals[found].astype(np.int64)
    found, place = np.unique(cell, return_inverse=True)
    return found, np.bincount(place, weights=times, minlength=len(found)).astype(np.int64)
