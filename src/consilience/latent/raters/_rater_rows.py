"""What is known of each rater beside the others, as plain data and as something to read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from consilience.core.result import Defined
from consilience.core.words import counted, interval_head, shortened
from consilience.document import (
    Document,
    Finding,
    PValue,
    Recorded,
    Table,
)
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.latent.raters._camps import Camps

BEYOND, CHANCE, NO_VARIATION, FEW = (
    "beyond chance",
    "no better than chance",
    "no variation",
    "too few ratings",
)
_SIGNIFICANT = 0.05
_MOST_SHOWN = 40
_SHORT = {BEYOND: "beyond", CHANCE: "chance", NO_VARIATION: "one label", FEW: "few"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelBias(Recorded):
    """How much more often a rater uses a label than the others do on the same items."""

    label: object
    share: float
    others: float
    p_value: float
    p_adjusted: float

    @property
    def difference(self) -> float:
        """Her share minus the others'."""
        return self.share - self.others


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterRow(Recorded):
    """One rater beside the others.

    Attributes
    ----------
    n_ratings, n_compared : int
        Her ratings, and those on items that somebody else rated too.
    agreement, interval : float, Interval
        Mean share of the others who said the same; Wilson's interval with the number of items
        that would give the error observed over items.
    expected, kappa : float
        Agreement by chance, her labels dealt anew among her items, and agreement beyond it.
    chance_p_value : float
        One-sided, of agreeing no better than chance; NaN below 10 comparisons. On an interval or
        ratio scale, and with more than seven ranks, of marks that do not go along with the mean of
        the others'.
    verdict : {"beyond chance", "no better than chance", "no variation", "too few ratings"}
        "no variation" where everybody gave her items the same label, which tells nothing.
    pattern : str
        "always 'x'" or "a cycle of 2", for a rater who is not beyond chance; else "".
    longest_run, run_p_value : int, float
        The longest run of one label, and the chance of one so long if her answers were shuffled.
    biases : tuple of LabelBias
        By label, tested and adjusted over all raters and labels after Holm.
    severity, severity_interval, severity_p_value
        Her mark minus the mean of the others', for ordered labels; else NaN. Adjusted over raters.
    drift, drift_p_value
        Change of her agreement with the others over time, adjusted over raters.
    severity_drift, severity_drift_p_value
        Change of her severity over time.
    influence : float
        What the coefficient gains when she is left out.
    """

    rater: object
    n_ratings: int
    n_compared: int
    agreement: float
    interval: Interval
    expected: float
    kappa: float
    chance_p_value: float
    verdict: str
    pattern: str
    longest_run: int
    run_p_value: float
    biases: tuple[LabelBias, ...] = field(repr=False)
    severity: float
    severity_interval: Interval
    severity_p_value: float
    drift: float
    drift_p_value: float
    severity_drift: float
    severity_drift_p_value: float
    influence: float
    batches: dict[object, float] = field(repr=False)

    def _beside(self) -> Mapping[str, Any]:
        batches = [{"batch": name, "agreement": mean} for name, mean in self.batches.items()]
        return {"batches": batches}


@dataclass(frozen=True, kw_only=True)
class RaterView(Recorded, Defined):
    """Every rater beside the others; made by `rater_view`.

    Look a rater up by name (``view["Ann"]``), go through all of them, or print the view.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("has_order", "ordered", "notes")
    recorded: ClassVar[tuple[str, ...]] = ("findings",)
    renamed: ClassVar[Mapping[str, str]] = {"rows": "raters"}

    rows: tuple[RaterRow, ...]
    coefficient: str
    value: float
    camps: Camps | None
    has_order: bool
    ordered: bool
    notes: tuple[Finding, ...] = ()

    def __getitem__(self, rater: object) -> RaterRow:
        for row in self.rows:
            if row.rater == rater:
                return row
        raise InputError.unknown_word("rater", rater, [str(row.rater) for row in self.rows])

    def __iter__(self) -> Iterator[RaterRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Say what a trainer of raters should look at."""
        from consilience.latent.raters._rater_findings import findings_of

        camps = () if self.camps is None else (self.camps.finding(),)
        return (*findings_of(self), *camps, *self.notes)

    def document(self) -> Document:
        """Return the view as something to read: raters with the least agreement first."""
        rows = sorted(self.rows, key=lambda row: (math.isnan(row.kappa), row.kappa))
        name = self.coefficient.rpartition("_")[2]
        level = self.rows[0].interval.confidence_level if self.rows else math.nan
        more = len(rows) - _MOST_SHOWN
        note = (
            "agreement: mean share of the other raters who said the same; kappa: agreement beyond "
            "chance; chance: whether it is better than guessing would be."
        )
        if self.ordered:
            note += (
                " severity: this rater's mean minus the others', in points or steps of the scale."
            )
        if self.has_order:
            note += " drift: change of agreement from the first rating to the last."
        if more > 0:
            note += f" {counted(more, 'further rater')} not shown."
        n = sum(row.n_ratings for row in self.rows)
        told = f"{counted(len(self.rows), 'rater')}, {counted(n, 'rating')}."
        if not math.isnan(self.value):
            told += f" {name.capitalize()} of all raters is {self.value:.3f}."
        biases = [(row, one) for row in rows for one in row.biases if one.p_adjusted < _SIGNIFICANT]
        return Document.of(
            told,
            Table.of(
                rows[:_MOST_SHOWN],
                ("rater", _name_of),
                "rated: n_ratings",
                "agreement",
                (interval_head(level) if self.rows else " interval", "interval"),
                "kappa",
                ("chance", lambda row: row.pattern or _SHORT[row.verdict]),
                "severity" if self.ordered else None,
                "drift" if self.has_order else None,
                (f"{name} without", lambda row: self.value + row.influence),
                caption="Raters, least agreement first",
                note=note,
            ),
            Table.of(
                biases[:_MOST_SHOWN],
                ("rater", "0", _name_of),
                ("label", lambda bias: shortened(str(bias[1].label))),
                "this rater: 1.share",
                "others: 1.others",
                ("p", "1.p_adjusted", PValue),
                caption="Labels that a rater uses more or less than the others on the same items",
                note="p adjusted for all raters and labels after Holm.",
            ),
            title="Each rater beside the others",
            findings=self.findings,
        )


def _name_of(row: RaterRow) -> str:
    return shortened(str(row.rater))
