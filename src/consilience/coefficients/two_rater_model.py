"""What coefficients fitted by maximum likelihood to the cross-table of two raters share.

Both models say that an item is easy with probability a, and then both raters agree on it, or hard,
and then they rate independently. Margins and agreements per label are all that they need, so a
fit is a function of totals over rows like any other coefficient.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients.coefficient import Coefficient, Design, Numbers, pairable
from consilience.core.arrays import Floats
from consilience.ratings import Ratings
from consilience.rows import Form, Rows, Term, Total, two_raters

MOST_LABELS = 100  # each fit solves a system of twice as many equations
_CELLS_AT_ONCE = 4_000_000
_WORST_CONDITION = 1e14  # of a system that is taken to have a single solution


@dataclass(frozen=True)
class Margins:
    """Row totals, column totals and agreements by label: (fits, labels) each."""

    row: NDArray[Any]
    column: NDArray[Any]
    agree: NDArray[Any]

    @property
    def n_items(self) -> NDArray[Any]:
        """Number of items of each fit."""
        return np.asarray(self.row.sum(axis=1))

    @property
    def agreements(self) -> NDArray[Any]:
        """Number of items on which the two agree."""
        return np.asarray(self.agree.sum(axis=1))

    @property
    def real(self) -> Margins:
        """The margins without the imaginary step of a derivative."""
        return Margins(self.row.real, self.column.real, self.agree.real)

    def taking(self, which: Any) -> Margins:
        """Take some of the fits."""
        return Margins(self.row[which], self.column[which], self.agree[which])

    def with_continuity(self, added: float) -> Margins:
        """Add a constant to every cell of the table."""
        q = self.row.shape[1]
        return Margins(self.row + q * added, self.column + q * added, self.agree + added)

    @classmethod
    def of_table(cls, table: Floats) -> Margins:
        """Take the margins of one table."""
        t = np.asarray(table, dtype=np.float64)
        return cls(t.sum(axis=1)[None], t.sum(axis=0)[None], np.diag(t)[None].copy())


@dataclass(frozen=True)
class Fit:
    """Maximum-likelihood estimates: one entry (or row) per fit."""

    value: NDArray[Any]  # share of easy items
    chance: NDArray[Any]  # agreement on hard items
    hard: tuple[NDArray[Any], NDArray[Any]]  # each rater's distribution on hard items
    standard_error: Floats
    boundary: NDArray[np.bool_]


class TwoRaterModel(Coefficient):
    """A mixture of easy and hard items, fitted by maximum likelihood."""

    needs_raters = True
    guesses = "own"
    two_raters_only = True
    nominal_only = True
    ratio_of_disagreements: ClassVar[bool] = False
    in_summary = False
    missing_rules = ("pairwise", "listwise")
    standard_errors = ("observed-information", "linearised", "table")

    @abstractmethod
    def fit(self, margins: Margins) -> Fit:
        """Fit the model to each row of margins; complex margins carry a derivative along."""

    def supports(self, ratings: Ratings) -> str | None:
        """Refuse more labels than a fit can handle."""
        reason = super().supports(ratings)
        if reason is None and len(ratings.categories) > MOST_LABELS:
            return f"needs at most {MOST_LABELS} labels, got {len(ratings.categories):,}"
        return reason

    def terms(self, form: Form) -> dict[str, Term]:
        """Return the margins of the two raters and their agreements, label by label."""
        terms: dict[str, Term] = {"pairs": Total(pairable)}
        for k in range(form.size):
            for part in ("row", "column", "agree"):
                terms[f"{part} {k}"] = Total(Cells(part, k))
        return terms

    def margins(self, t: Numbers, form: Form) -> Margins:
        """Bring the numbers of the terms into one table per replicate."""
        parts = [
            np.stack([np.atleast_1d(t[f"{part} {k}"]) for k in range(form.size)], axis=-1)
            for part in ("row", "column", "agree")
        ]
        return Margins(*parts)

    def fitted_to(self, t: Numbers, form: Form) -> Fit:
        """Fit the model to the numbers of the terms."""
        return self.fit(self.margins(t, form))

    def observed(self, t: Numbers, form: Form) -> Any:
        """Return the share of items on which the two disagree."""
        margins = self.margins(t, form)
        return _like(t, 1.0 - margins.agreements / _some(margins.n_items))

    def expected(self, t: Numbers, form: Form) -> Any:
        """Return the disagreement on hard items."""
        return _like(t, 1.0 - self.fitted_to(t, form).chance)

    def value(self, t: Numbers, form: Form) -> Any:
        """Return the share of easy items; not a number where only one label was used."""
        fit = self.fitted_to(t, form)
        return _like(t, np.where(np.real(fit.chance) < 1.0 - 1e-14, fit.value, np.nan))

    def at_boundary(self, t: Numbers, form: Form) -> bool:
        """Tell whether the likelihood is largest at the edge of what the model allows."""
        return bool(self.fitted_to(t, form).boundary[0])

    def information_error(self, t: Numbers, form: Form) -> float:
        """Return the standard error from the inverse of the observed information."""
        return float(self.fitted_to(t, form).standard_error[0])

    def lowest(self, design: Design) -> float:
        """Return 0: a share."""
        return 0.0


@dataclass(frozen=True)
class Cells:
    """1 for items in a row, a column or a diagonal cell of the two raters' table."""

    part: str
    label: int

    def __call__(self, rows: Rows) -> Floats:
        """Return it for every row."""
        if rows.by_rater is None or rows.by_rater.shape[0] < 2 * rows.form.size:
            return np.zeros(rows.ratings.size)  # one rater at work: nothing to compare
        first, second, common = two_raters(rows, 0, 1)
        a, b = first[self.label], second[self.label]
        return np.asarray(common * {"row": a, "column": b, "agree": a * b}[self.part])


def batches(n_fits: int, n_equations: int) -> Iterator[slice]:
    """Yield so many fits at a time that their systems of equations stay small together."""
    size = max(1, _CELLS_AT_ONCE // max(n_equations**2, 1))
    for start in range(0, n_fits, size):
        yield slice(start, min(start + size, n_fits))


def solve(matrix: Floats, right: NDArray[Any]) -> NDArray[Any]:
    """Solve a system for each fit; zeros where it has no single solution."""
    diagonal = np.abs(np.einsum("bii->bi", matrix))
    largest = np.maximum(diagonal.max(axis=1, keepdims=True), 1e-300)
    # A border has nothing on the diagonal; this makes its entries about as large as the rest.
    balance = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0 / largest))
    scaled = matrix / balance[:, :, None] / balance[:, None, :]
    out = np.zeros(right.shape, dtype=right.dtype)
    good = np.isfinite(scaled).all(axis=(1, 2))
    good[good] = np.linalg.cond(scaled[good], 1) < _WORST_CONDITION
    if good.any():
        found = np.linalg.solve(scaled[good], (right[good] / balance[good])[..., None])[..., 0]
        out[good] = found / balance[good]
    return out


def _some(n_items: NDArray[Any]) -> NDArray[Any]:
    return np.where(n_items == 0, np.nan, n_items)


def _like(t: Numbers, values: NDArray[Any]) -> Any:
    """Return one number for numbers, one per replicate for replicates."""
    return values if np.ndim(t["pairs"]) else values[0]


def root(variance: Floats) -> Floats:
    """Return the square root, or NaN where there is none."""
    return np.sqrt(np.where(variance > 0.0, variance, math.nan))
