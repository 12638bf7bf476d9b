"""Kappas of a table with nil whose chance, for each category too, is quasi-independence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.core.labels import label_key
from consilience.core.labels import plain as plain_label
from consilience.document import Document, Paragraph, Reasoned, Recorded, Table
from consilience.exceptions import InputError
from consilience.units.linking._diag_table import (
    CHANCE_IS_ONE,
    NIL,
    NO_UNITS,
    ONE_LABEL,
    check_pair,
    totals_of,
)
from consilience.units.linking._link_tally import beyond_chance, overall, quotient
from consilience.units.linking._quasi import checked_table
from consilience.units.linking.diag_results import LABEL, nil_table
from consilience.units.model._unit_results import TwoRaterKappa, part_about


def category_kappas(parts: Floats) -> tuple[Floats, Floats, Floats]:
    """Return observed, expected agreement and kappa of each label of totals (…, 5, K).

    As GSEQ has them, which Holle & Rein (2015, table 3) compare with EasyDIAG's.

    p_e(k) = (m_kk + sum of m_ij over i, j other than k) / N with the expected counts m of the
    whole table; as m has the margins of the table, that is (N - r_k - c_k + 2 m_kk) / N.
    """
    both, r, c, u, v = np.moveaxis(parts, -2, 0)
    nil_row, nil_column = v.sum(-1)[..., None], u.sum(-1)[..., None]
    total = r.sum(-1)[..., None] + nil_row
    linked = total - nil_row - nil_column
    below = (total - nil_row) * (total - nil_column)
    by_chance = np.where(linked > 0, quotient(r * c * linked, below), 0.0)
    observed = quotient(total - r - c + 2 * both, total)
    expected = quotient(total - r - c + 2 * by_chance, total)
    return observed, expected, beyond_chance(observed, expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryKappa(Recorded, Reasoned):
    """One category against all others, with chance from the whole table."""

    recorded: ClassVar[tuple[str, ...]] = ("status",)

    label: Any
    both: int
    first: int
    second: int
    observed: float
    expected: float
    kappa: float
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class AlignmentTable(TwoRaterKappa):
    """Kappas of a table with nil, all by quasi-independence.

    Attributes
    ----------
    table : array (K + 1, K + 1)
        Rows are the first rater; nil is last.
    categories : tuple of CategoryKappa
    """

    interval_needs: ClassVar[str] = "sessions to resample, and a table has none"
    unrecorded: ClassVar[tuple[str, ...]] = ("kappa", "units_by_session")
    recorded: ClassVar[tuple[str, ...]] = ("value", "n_tallies", "status")

    labels: tuple[Any, ...]
    table: NDArray[np.int64] = field(repr=False)
    categories: tuple[CategoryKappa, ...] = field(repr=False)

    @property
    def n_tallies(self) -> int:
        """Sum of the table."""
        return int(self.table.sum())

    def __getitem__(self, label: Any) -> CategoryKappa:
        """Return the agreement about one category."""
        return part_about(self.categories, label)

    def document(self) -> Document:
        """Return the result as something to read."""
        said = [Paragraph(f"Not defined: {self.reason}.")] if self.reason else []
        return Document(
            title=f"GSEQ-like kappas: {self.raters[0]} and {self.raters[1]}",
            blocks=(
                self.overall_table(),
                self.category_table(),
                *nil_table(
                    self.raters,
                    self.labels,
                    self.table,
                    "An event without a partner is in the row or column nil.",
                ),
                *said,
            ),
            findings=self.findings,
        )

    def overall_table(self) -> Table:
        """Return the numbers of the whole table."""
        columns = ("tallies: n_tallies", "observed", "by chance: expected", "kappa")
        return Table.of([self], *columns)

    def category_table(self) -> Table:
        """Return the numbers of each category."""
        return Table.of(
            self.categories,
            ("category", LABEL[1]),
            "both",
            "first",
            "second",
            "observed",
            "by chance: expected",
            "kappa",
            caption="Each category",
            note="Chance of each category from the expected counts of the whole table.",
        )


def gseq_table(
    table: Any,
    labels: Sequence[Any] | None = None,
    *,
    nil: Any = None,
    raters: tuple[str, str] = ("rater 1", "rater 2"),
) -> AlignmentTable:
    """GSEQ-like kappas of a finished table, such as one printed by that program.

    Parameters
    ----------
    table : square table of whole counts
        Rows are the first rater; one row and column are nil (not linked).
    labels : list, optional
        One for each row, nil among them.
    nil : optional
        Which label is nil; default "nil" if there is one, else the last.
    raters : pair of names

    Returns
    -------
    AlignmentTable

    Raises
    ------
    InputError
        The table is not square, holds other than whole counts, or a count for nil with nil.

    Notes
    -----
    Overall chance agreement is that of quasi-independence with the cell of nil and nil empty. The
    kappa of a category uses the expected counts of the whole table, unlike EasyDIAG's, which
    treats each category's table of four cells by itself.

    References
    ----------
    .. [1] Bakeman, R., Quera, V. & Gnisci, A. (2009). Observer agreement for timed-event
       sequential data. Behavior Research Methods 41, 137-147. doi:10.3758/BRM.41.1.137

    Examples
    --------
    >>> result = gseq_table([[4, 0, 1], [0, 6, 2], [1, 1, 0]], ["a", "b", "nil"])
    >>> round(result.kappa, 4), round(result["a"].kappa, 4)
    (0.4902, 0.7057)
    """
    counts = checked_table(table)
    if (counts != np.rint(counts)).any():
        raise InputError.expected("the table", "one of whole counts", table, "check the cells")
    names = _names(labels, len(counts))
    place = _nil_place(names, nil)
    order = [k for k in range(len(counts)) if k != place] + [place]
    ordered = counts[np.ix_(order, order)]
    if ordered[-1, -1]:
        raise InputError.expected(
            "the cell of nil with nil",
            "0: units that neither rater marked cannot be counted",
            float(ordered[-1, -1]),
            "say which label is nil, or use consilience.cohen_kappa for a plain table",
        )
    known = table_numbers(totals_of(ordered), tuple(names[k] for k in order[:-1]))
    return AlignmentTable(raters=check_pair(raters), table=ordered.astype(np.int64), **known)


def _names(labels: Any, size: int) -> list[Any]:
    if labels is None:
        return [*(str(k + 1) for k in range(size - 1)), NIL]
    if isinstance(labels, str) or not isinstance(labels, Sequence | np.ndarray):
        raise InputError.expected("labels", "a list", labels, "name each row of the table")
    names = [plain_label(label) for label in labels]
    if len(names) != size or len(set(map(label_key, names))) != size:
        raise InputError.expected(
            "labels", f"{size} different labels, nil among them", labels, "name each row"
        )
    return names


def _nil_place(names: list[Any], nil: Any) -> int:
    if nil is None:
        return names.index(NIL) if NIL in names else len(names) - 1
    if nil not in names:
        raise InputError.unknown_word("nil", nil, map(str, names))
    return names.index(nil)


def table_numbers(totals: Floats, labels: tuple[Any, ...]) -> dict[str, Any]:
    """Return the overall and category kappas of totals (5, K), as fields of a result."""
    whole = overall(totals)
    kappa = float(whole.kappa)
    n_used = int(np.count_nonzero(totals[1] + totals[2]))
    reason = None
    if not math.isfinite(kappa):
        reason = NO_UNITS if not n_used else ONE_LABEL if n_used == 1 else CHANCE_IS_ONE
    observed, expected, kappas = category_kappas(totals)
    categories = []
    for k, label in enumerate(labels):
        both, first, second = (int(x) for x in totals[:3, k])
        value = float(kappas[k])
        why = None
        if n_used == 1 or not math.isfinite(value):
            value = math.nan
            why = "nobody used this category" if not first + second else "chance agreement is 1"
            if n_used == 1 and first + second:
                why = "no other category was used"
        categories.append(
            CategoryKappa(
                label=label,
                both=both,
                first=first,
                second=second,
                observed=float(observed[k]),
                expected=float(expected[k]),
                kappa=value,
                reason=why,
            )
        )
    return {
        "labels": labels,
        "observed": float(whole.raw),
        "expected": float(whole.expected),
        "kappa": kappa,
        "reason": reason,
        "categories": tuple(categories),
    }
