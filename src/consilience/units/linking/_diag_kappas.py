"""EasyDIAG's numbers from the totals of a table, for one table or many at once.

Every function takes totals of shape (…, 5, K): agreement a, row sums r, column sums c, unlinked
units u of the first rater and v of the second, for each of K labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats

_ONE = 1.0 - 1e-12  # chance agreement from here on is 1


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
    raw = quotient(both + d, total)
    expected = quotient(r * c + (total - r) * (total - c), total**2)
    most = quotient(np.minimum(r, c) + np.minimum(total - r, total - c), total)
    return PerLabel(
        a=both,
        b=b,
        c=other,
        d=d,
        raw=raw,
        expected=expected,
        kappa=beyond_chance(raw, expected),
        kappa_max=beyond_chance(most, expected),
        positive=quotient(2 * both, 2 * both + b + other),
        negative=quotient(2 * d, 2 * d + b + other),
    )
