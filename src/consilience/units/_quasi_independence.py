"""Chance agreement where some cells of the table cannot occur: quasi-independence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.core.result import Result, Unremarked
from consilience.document import Document, Paragraph, Table
from consilience.document.records import Recorded
from consilience.exceptions import InputError

TOLERANCE = 1e-12  # largest relative misfit of a margin that counts as fitted
MOST_SWEEPS = 10_000


@dataclass(frozen=True, slots=True)
class Fit:
    """Expected counts and how they were found."""

    expected: Floats
    sweeps: int  # 0: closed form
    converged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class QuasiKappa(Recorded, Unremarked, Result):
    """Cohen's kappa with chance agreement from quasi-independence."""

    interval_needs: ClassVar[str] = "an error that is known, and by quasi-independence it is not"
    coefficient: ClassVar[str] = "quasi_kappa"
    name: ClassVar[str] = "Cohen's kappa under quasi-independence"
    unrecorded: ClassVar[tuple[str, ...]] = ("expected_table",)
    recorded: ClassVar[tuple[str, ...]] = ("coefficient", "name")
    renamed: ClassVar[Mapping[str, str]] = {"zeros": "structural_zeros"}

    value: float
    observed: float
    expected: float
    status: str
    reason: str | None
    n: float
    expected_table: Floats
    zeros: tuple[tuple[int, int], ...]
    sweeps: int

    def document(self) -> Document:
        """Return the result as something to read."""
        table = Table.of([self], "kappa: value", "observed", "expected")
        said = [Paragraph(self.reason)] if self.reason else []
        return Document(title="Kappa with structural zeros", blocks=(table, *said))


def quasi_kappa(table: Any, *, zeros: Any) -> QuasiKappa:
    """Cohen's kappa of a table in which some cells cannot occur.

    Chance agreement comes from the model of quasi-independence: rows and columns are independent
    on the cells that can occur, and the margins are those observed. Use it where a combination is
    impossible by design, such as "neither rater saw an event".

    Parameters
    ----------
    table : square table of counts
        Rows are the first rater, columns the second.
    zeros : (row, column), several of them, or an array of booleans
        The structural zeros; negative places count from the end.

    Returns
    -------
    QuasiKappa

    Raises
    ------
    InputError
        The table is not square, has negative or missing counts, or a count in a structural zero.

    Notes
    -----
    With one structural zero (i, j) the expected counts are known in closed form: with row and
    column sums r and c, total N and M = N - r_i - c_j,
    m_kl = r_k c_l M / ((N - r_i)(N - c_j)) outside row i and column j, m_il = r_i c_l / (N - c_j)
    and m_kj = r_k c_j / (N - r_i). Other patterns are fitted by iterative proportional fitting
    until the margins fit to 1e-12, for at most 10 000 sweeps.

    References
    ----------
    .. [1] Holle, H. & Rein, R. (2015). EasyDIAg: A tool for easy determination of interrater
       agreement. Behavior Research Methods 47, 837-847. doi:10.3758/s13428-014-0506-7

    Examples
    --------
    >>> table = [[2, 0, 0, 1], [0, 0, 2, 0], [0, 0, 0, 1], [2, 1, 0, 0]]
    >>> round(quasi_kappa(table, zeros=(-1, -1)).value, 6)
    0.063694
    """
    counts = checked_table(table)
    allowed = ~zero_mask(counts, zeros)
    cells = tuple((int(i), int(j)) for i, j in np.argwhere(~allowed))
    fit = quasi_fit(counts, allowed)
    total = float(counts.sum())
    if not total:
        value = observed = expected = math.nan
        reason: str | None = "the table is empty"
    else:
        observed = float(np.trace(counts)) / total
        expected = float(np.trace(fit.expected)) / total
        value, reason = corrected(observed, expected)
        if not fit.converged:
            value, reason = math.nan, _NO_FIT
        elif not free_cells(counts, allowed):
            value, reason = math.nan, _NO_FREEDOM
    return QuasiKappa(
        value=value,
        observed=observed,
        expected=expected,
        status="ok" if reason is None else "undefined",
        reason=reason,
        n=total,
        expected_table=fit.expected,
        zeros=cells,
        sweeps=fit.sweeps,
    )


_NO_FIT = (
    "no expected counts fit these margins and structural zeros: "
    f"{MOST_SWEEPS} sweeps of proportional fitting did not settle"
)
_NO_FREEDOM = (
    "the margins and the structural zeros leave no freedom: every table with these margins has the "
    "same agreement, so there is nothing beyond chance to measure"
)


def corrected(observed: float, expected: float) -> tuple[float, str | None]:
    """Return (observed - expected) / (1 - expected), or NaN and why."""
    if 1.0 - expected <= 1e-12:
        return math.nan, "chance agreement is 1: both raters used a single category"
    return (observed - expected) / (1.0 - expected), None


def quasi_fit(table: Floats, allowed: NDArray[np.bool_]) -> Fit:
    """Return the counts expected under quasi-independence on the allowed cells."""
    zeros = np.argwhere(~allowed)
    rows, columns, total = table.sum(axis=1), table.sum(axis=0), float(table.sum())
    if not len(zeros):
        expected = np.outer(rows, columns) / total if total else np.zeros_like(table)
        return Fit(expected, 0, True)
    if len(zeros) == 1:
        i, j = (int(x) for x in zeros[0])
        return Fit(_one_zero(rows, columns, i, j), 0, True)
    return proportional_fit(allowed.astype(np.float64), rows, columns)


def _one_zero(rows: Floats, columns: Floats, i: int, j: int) -> Floats:
    total = float(rows.sum())
    beside_row, beside_column = total - rows[i], total - columns[j]
    expected = np.zeros((len(rows), len(columns)))
    both = total - rows[i] - columns[j]
    if beside_row > 0 and beside_column > 0:
        expected = np.outer(rows, columns) * (both / (beside_row * beside_column))
    expected[i] = rows[i] * columns / beside_column if beside_column > 0 else 0.0
    expected[:, j] = rows * columns[j] / beside_row if beside_row > 0 else 0.0
    expected[i, j] = 0.0
    return expected


def proportional_fit(
    seed: Floats,
    rows: Floats,
    columns: Floats,
    *,
    tolerance: float = TOLERANCE,
    most_sweeps: int = MOST_SWEEPS,
) -> Fit:
    """Scale rows, then columns, of a table until both margins fit (Deming & Stephan 1940)."""
    fitted = seed.copy()
    scale = max(float(rows.sum()), 1.0)
    for sweep in range(1, most_sweeps + 1):
        fitted *= _ratio(rows, fitted.sum(axis=1))[:, None]
        fitted *= _ratio(columns, fitted.sum(axis=0))
        if np.abs(fitted.sum(axis=1) - rows).max(initial=0.0) <= tolerance * scale:
            fits = np.abs(fitted.sum(axis=0) - columns).max(initial=0.0) <= 1e-9 * scale
            return Fit(fitted, sweep, bool(fits))
    return Fit(fitted, most_sweeps, False)


def _ratio(target: Floats, current: Floats) -> Floats:
    return np.divide(target, current, out=np.zeros_like(target), where=current > 0)


def free_cells(table: Floats, allowed: NDArray[np.bool_]) -> bool:
    """Tell whether tables with these margins and zeros can differ from each other.

    The cells of the categories that anybody used form a bipartite graph of rows and columns; it
    has a cycle, and so a degree of freedom, if it has more edges than a forest on its nodes.
    """
    used = table.sum(axis=1) + table.sum(axis=0) > 0
    open_cells = allowed & used[:, None] & used[None, :]
    n_rows, n_columns = open_cells.shape
    root = list(range(n_rows + n_columns))

    def find(node: int) -> int:
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    for i, j in np.argwhere(open_cells).tolist():
        one, other = find(i), find(n_rows + j)
        if one == other:
            return True
        root[one] = other
    return False


def checked_table(table: Any, what: str = "the table") -> Floats:
    """Return a square table of counts as floats."""
    hint = "rows are the first rater, columns the second"
    try:
        counts = np.array(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError.expected(what, "a square table of counts", table, hint) from None
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not counts.size:
        raise InputError.expected(what, "a square table of counts", table, hint)
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise InputError.expected(what, "one of counts of 0 or more", table, "check the cells")
    return counts


def _as_mask(zeros: Any) -> NDArray[np.bool_] | None:
    """Return a table of truth values, if it is one."""
    try:
        given = np.asarray(zeros)
    except ValueError:
        return None
    return given if given.dtype == bool else None


def zero_mask(counts: Floats, zeros: Any) -> NDArray[np.bool_]:
    """Return which cells cannot occur; refuse counts in them."""
    mask = np.zeros(counts.shape, dtype=bool)
    given = _as_mask(zeros)
    if given is not None and given.shape == counts.shape:
        mask = given.copy()
    else:
        for row, column in _cells(zeros, len(counts)):
            mask[row, column] = True
    filled = np.argwhere(mask & (counts > 0))
    if len(filled):
        row, column = filled[0].tolist()
        raise InputError.expected(
            f"the structural zero in row {row + 1}, column {column + 1}",
            "empty",
            float(counts[row, column]),
            "leave the cell out of zeros, or check the table",
        )
    return mask


def _cells(zeros: Any, size: int) -> list[tuple[int, int]]:
    hint = "for example zeros=(-1, -1), or zeros=[(0, 1), (1, 0)]"
    if isinstance(zeros, str) or not isinstance(zeros, Iterable):
        raise InputError.expected("zeros", "cells of the table", zeros, hint)
    listed = list(zeros)
    if len(listed) == 2 and all(isinstance(x, (int, np.integer)) for x in listed):
        listed = [listed]
    for cell in listed:
        ok = isinstance(cell, Iterable) and not isinstance(cell, str) and len(list(cell)) == 2
        if not ok or not all(
            isinstance(x, (int, np.integer)) and not isinstance(x, bool) and -size <= x < size
            for x in cell
        ):
            raise InputError.expected("zeros", "cells of the table", zeros, hint)
    return [(int(row) % size, int(column) % size) for row, column in listed]
