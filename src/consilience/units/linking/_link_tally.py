"""Tallies of linked and unlinked units, doubled as in GSEQ, EasyDIAg and ELAN, and their kappas.

Numbers are made from totals of shape (…, 5, K), for one table or many at once: agreement a, row
sums r, column sums c, unlinked units u of the first rater and v of the second, for each label.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Ints
from consilience.units.linking._overlap_linking import Links
from consilience.units.model._ordered_units import Blocks
from consilience.units.model._sessions import Draws

_MOST_CELLS = 20_000_000  # counted in one array; more cells are sorted instead
_ONE = 1.0 - 1e-12  # chance agreement from here on is 1


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


def _counted(cell: Ints, times: Ints, n_cells: int) -> tuple[Ints, Ints]:
    if n_cells <= min(_MOST_CELLS, 20 * len(cell) + 1_000):
        totals = np.bincount(cell, weights=times, minlength=n_cells)
        found = np.flatnonzero(totals)
        return found, totals[found].astype(np.int64)
    found, place = np.unique(cell, return_inverse=True)
    return found, np.bincount(place, weights=times, minlength=len(found)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Overall:
    """Numbers of the whole table."""

    total: Floats
    linked_share: Floats
    raw: Floats
    expected: Floats
    kappa: Floats
    kappa_max: Floats
    kappa_max_easydiag: Floats
    raw_linked: Floats
    expected_linked: Floats
    kappa_linked: Floats
    kappa_max_linked: Floats


def quotient(above: Any, below: Any) -> Floats:
    """Divide; NaN where there is nothing to divide by."""
    above, below = np.broadcast_arrays(np.asarray(above, float), np.asarray(below, float))
    out: Floats = np.full(above.shape, np.nan)
    np.divide(above, below, out=out, where=below != 0)
    return out


def beyond_chance(observed: Any, expected: Any) -> Floats:
    """Return (observed - expected) / (1 - expected) (Cohen 1960); NaN where chance is 1."""
    expected = np.asarray(expected, float)
    return quotient(np.asarray(observed) - expected, np.where(expected < _ONE, 1.0 - expected, 0.0))


def kappa_of(parts: Floats) -> tuple[Floats, Floats, Floats]:
    """Return observed, expected agreement and kappa of totals (…, 3, K): both, first, second.

    Cohen 1960, with time in the place of counts.
    """
    both, first, second = np.moveaxis(parts, -2, 0)
    total = first.sum(-1)
    observed = quotient(both.sum(-1), total)
    expected = quotient((first * second).sum(-1), total**2)
    return observed, expected, beyond_chance(observed, expected)


def sampled_kappa(
    parts: Floats, draws: Draws, reason: str = "chance agreement is 1"
) -> dict[str, Any]:
    """Return Cohen's kappa of what each session adds (sessions, 3, K), as fields of a result."""
    observed, expected, kappa = (float(x) for x in kappa_of(parts.sum(axis=0)))
    return {
        "observed": observed,
        "expected": expected,
        "kappa": kappa,
        "reason": None if math.isfinite(kappa) else reason,
        "interval": draws.interval(parts, lambda sums: kappa_of(sums)[2]),
    }


def overall(parts: Floats) -> Overall:
    """Return all numbers of the whole table, with and without nil (Holle & Rein 2015, table 1)."""
    a, r, c, u, v = np.moveaxis(parts, -2, 0)
    nil_row, nil_column = v.sum(-1), u.sum(-1)
    total = r.sum(-1) + nil_row
    linked = total - nil_row - nil_column
    raw = quotient(a.sum(-1), total)
    # Quasi-independence with one structural zero, in closed form (Holle & Rein fit it by IPF).
    both = (total - nil_row) * (total - nil_column) * total
    expected = np.where(linked > 0, quotient(linked * (r * c).sum(-1), both), 0.0)
    expected = np.where(total > 0, expected, np.nan)
    kappa = beyond_chance(raw, expected)
    # One label and nil: the table has no degree of freedom, kappa would always be 0.
    n_used = np.count_nonzero(r + c, axis=-1)
    kappa = np.where(n_used > 1, kappa, np.nan)
    least = np.minimum(r, c).sum(-1)
    attainable = quotient(np.minimum(least, linked), total)
    printed = quotient(least + np.minimum(nil_row, nil_column), total)
    raw_linked = quotient(a.sum(-1), linked)
    rows, columns = r - u, c - v
    expected_linked = quotient((rows * columns).sum(-1), linked**2)
    most_linked = quotient(np.minimum(rows, columns).sum(-1), linked)
    return Overall(
        total=total,
        linked_share=quotient(linked, total),
        raw=raw,
        expected=expected,
        kappa=kappa,
        kappa_max=np.where(n_used > 1, beyond_chance(attainable, expected), np.nan),
        kappa_max_easydiag=np.where(n_used > 1, beyond_chance(printed, expected), np.nan),
        raw_linked=raw_linked,
        expected_linked=expected_linked,
        kappa_linked=beyond_chance(raw_linked, expected_linked),
        kappa_max_linked=beyond_chance(most_linked, expected_linked),
    )


def label_kappa(parts: Floats, total: Any) -> tuple[Floats, Floats, Floats]:
    """Return the same for each label, present or absent, of totals (…, 3, L) and all time."""
    both, first, second = np.moveaxis(parts, -2, 0)
    total = np.asarray(total)[..., None]
    observed = quotient(total - first - second + 2 * both, total)
    expected = quotient(first * second + (total - first) * (total - second), total**2)
    return observed, expected, beyond_chance(observed, expected)


@dataclass(frozen=True, slots=True)
class PerLabel:
    """Numbers of each label's table against all others, nil among them."""

    a: Floats
    b: Floats
    c: Floats
    d: Floats
    raw: Floats
    expected: Floats
    kappa: Floats
    kappa_max: Floats
    positive: Floats
    negative: Floats


def per_label(parts: Floats) -> PerLabel:
    """Return Cohen's statistics of each label against the rest (Holle & Rein 2015, table 2)."""
    both, r, c, _, v = np.moveaxis(parts, -2, 0)
    total = (r.sum(-1) + v.sum(-1))[..., None]
    b, other = r - both, c - both
    d = total - both - b - other
    raw, expected, kappa = label_kappa(np.stack([both, r, c], axis=-2), total[..., 0])
    most = quotient(np.minimum(r, c) + np.minimum(total - r, total - c), total)
    return PerLabel(
        a=both,
        b=b,
        c=other,
        d=d,
        raw=raw,
        expected=expected,
        kappa=kappa,
        kappa_max=beyond_chance(most, expected),
        positive=quotient(2 * both, 2 * both + b + other),
        negative=quotient(2 * d, 2 * d + b + other),
    )
