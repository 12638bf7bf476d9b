"""What EasyDIAG says about one table, and how it is shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.document import Document, Finding, Paragraph, Reasoned, Recorded, Table
from consilience.exceptions import InputError
from consilience.inference import mcnemar
from consilience.inference.homogeneity_test import HomogeneityTest
from consilience.units.model._unit_results import Accounted, part_about
from consilience.units.model.unit_checks import check_word


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelAgreement(Recorded, Reasoned):
    """One label against all others, nil among them, with doubled tallies.

    Attributes
    ----------
    a, b, c, d : int
        Both; only the first rater; only the second; neither.
    events_b, events_c : int or None
        The disagreements counted as events, linked pairs once; None if the table is not doubled.
    mcnemar_p_value : float or None
        Of the exact test of these events.
    """

    recorded: ClassVar[tuple[str, ...]] = ("status",)

    label: Any
    a: int
    b: int
    c: int
    d: int
    raw: float
    expected: float
    kappa: float
    kappa_max: float
    positive_agreement: float
    negative_agreement: float
    events_b: int | None
    events_c: int | None
    mcnemar_p_value: float | None
    reason: str | None

    def mcnemar(
        self,
        *,
        tallies: Literal["events", "doubled"] = "events",
        method: Literal["exact", "mid-p", "chi-square"] = "exact",
    ) -> HomogeneityTest:
        """Test whether both raters use the label equally often.

        ``tallies="doubled"`` counts linked disagreements twice as EasyDIAg does; that finds
        differences too easily and is here for comparison with published numbers.
        """
        check_word("tallies", tallies, ("events", "doubled"))
        b, c = (self.b, self.c) if tallies == "doubled" else (self.events_b, self.events_c)
        if b is None or c is None:
            raise InputError.expected(
                "the table",
                "one of doubled tallies for a test of events",
                "an empty table, or odd counts of linked units",
                'pass tallies="doubled" to test the counts as they are',
            )
        return mcnemar([[self.a, b], [c, self.d]], method=method)


@dataclass(frozen=True, kw_only=True)
class DiagTable(Accounted):
    """EasyDIAG's statistics of one table.

    Attributes
    ----------
    table : array (K + 1, K + 1)
        Doubled tallies; rows are the first rater, the last row and column are nil.
    linked_share : float
        Agreement about segmentation: the share of units that were linked.
    raw, expected, kappa : float
        Agreement with nil as a category, chance agreement under quasi-independence, and kappa.
    kappa_max : float
        The largest kappa that these margins allow.
    kappa_max_easydiag : float
        What EasyDIAg prints; it fills the impossible cell and cannot be reached.
    raw_linked, expected_linked, kappa_linked, kappa_max_linked : float
        The same among linked units only, with plain independence.
    categories : tuple of LabelAgreement
    reasons : mapping
        Why a value is NaN.
    """

    interval_needs: ClassVar[str] = "sessions to resample, and a table has none"
    unrecorded: ClassVar[tuple[str, ...]] = ("units_by_session",)
    recorded: ClassVar[tuple[str, ...]] = ("status", "reason")

    raters: tuple[str, str]
    labels: tuple[Any, ...]
    table: NDArray[np.int64] = field(repr=False)
    mode: str
    n_tallies: int
    linked_share: float
    raw: float
    expected: float
    kappa: float
    kappa_max: float
    kappa_max_easydiag: float
    raw_linked: float
    expected_linked: float
    kappa_linked: float
    kappa_max_linked: float
    categories: tuple[LabelAgreement, ...] = field(repr=False)
    reasons: Mapping[str, str] = field(repr=False)
    findings: tuple[Finding, ...] = field(repr=False)

    @property
    def value(self) -> float:
        """Kappa with nil as a category."""
        return self.kappa

    @property
    def status(self) -> str:
        """Whether kappa is defined."""
        return "ok" if math.isfinite(self.kappa) else "undefined"

    @property
    def reason(self) -> str | None:
        """Why kappa is undefined."""
        return self.reasons.get("kappa")

    def __getitem__(self, label: Any) -> LabelAgreement:
        """Return the agreement about one label."""
        return part_about(self.categories, label)

    def document(self) -> Document:
        """Return the result as something to read."""
        return Document(
            title=f"EasyDIAG: {self.raters[0]} and {self.raters[1]}",
            blocks=(
                self._overall_table(),
                self._label_table(),
                *nil_table(self.raters, self.labels, self.table),
                *self._undefined(),
            ),
            findings=self.findings,
        )

    def _undefined(self) -> list[Paragraph]:
        told = dict.fromkeys(self.reasons.values())
        return [Paragraph(f"Not defined: {reason}.") for reason in told]

    def _overall_table(self) -> Table:
        rows: list[list[Any]] = [
            ["with unlinked units", self.raw, self.expected, self.kappa, self.kappa_max],
            [
                "linked units only",
                self.raw_linked,
                self.expected_linked,
                self.kappa_linked,
                self.kappa_max_linked,
            ],
        ]
        return Table(
            heads=("", "raw agreement", "by chance", "kappa", "largest kappa"),
            rows=rows,
            caption=f"{self.linked_share:.1%} of {self.n_tallies:,} units were linked"
            if self.n_tallies
            else "no units",
        )

    def _label_table(self) -> Table:
        return Table.of(
            self.categories,
            LABEL,
            "both: a",
            "first: b",
            "second: c",
            "raw",
            "kappa",
            "largest: kappa_max",
            "pos.: positive_agreement",
            "neg.: negative_agreement",
            "p: mcnemar_p_value!p",
            caption="Each label against all others (doubled tallies)",
            note="p: McNemar's exact test on events, linked pairs counted once.",
        )


LABEL = ("label", lambda x: shown_label(x.label))  # the first column of tables by label
OVERALL = (
    "linked_share",
    "raw",
    "expected",
    "kappa",
    "kappa_max",
    "kappa_max_easydiag",
    "raw_linked",
    "expected_linked",
    "kappa_linked",
    "kappa_max_linked",
)


_MOST_LABELS = 30  # in a table to be read


def nil_table(
    raters: tuple[str, str],
    labels: Sequence[Any],
    table: NDArray[np.int64],
    note: str = "A linked pair counts 2, a unit without a partner 1, in the row or column nil.",
) -> list[Table]:
    """Return the table with nil, totals and their shares, as Holle & Rein print it (Table 1)."""
    if len(labels) > _MOST_LABELS or not table.sum():
        return []
    names = [*map(shown_label, labels), "nil"]
    n = int(table.sum())
    rows: list[list[Any]] = [
        [name, *map(int, row), int(row.sum()), float(row.sum() / n)]
        for name, row in zip(names, table, strict=True)
    ]
    rows[-1][len(names)] = None  # nobody codes what both did not see
    columns = table.sum(axis=0)
    agreed = float(np.trace(table) / n)
    rows.append(["total", *map(int, columns), n, 1.0])
    rows.append(["p", *(float(x) for x in columns / n), 1.0, agreed])
    first, second = raters
    told = f"{note} Below p on the right: the share on the diagonal."
    heads = (f"{first} \\ {second}", *names, "total", "p")
    caption = "Which labels met"
    return [Table(heads=heads, rows=rows, caption=caption, note=told, digits=2, whole=True)]


def shown_label(label: Any) -> str:
    """Write a label for people; an empty one as ELAN does."""
    if isinstance(label, frozenset):
        return ", ".join(sorted(map(str, label)))
    return str(label) if label != "" else '"empty"'
