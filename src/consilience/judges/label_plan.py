"""What is known of a judge before labels are bought, and the plan that follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.result import Defined
from consilience.core.verdict import Verdict
from consilience.core.words import counted, percent
from consilience.document import Document, Finding, Recorded, Table


@dataclass(frozen=True)
class Judged:
    """What is known of a judge before labels are bought.

    `share` are the shares of its verdicts (no, yes, refused), `yes` the shares of people's yes
    within each.
    """

    share: Floats
    yes: Floats
    n_verdicts: int

    @property
    def rate(self) -> float:
        """People's rate."""
        return float(self.share @ self.yes)

    @property
    def within(self) -> float:
        """Variance of one label that stays when the verdict is known."""
        return float(self.share @ (self.yes * (1.0 - self.yes)))

    @property
    def between(self) -> float:
        """Variance of one verdict's part."""
        return float(self.share @ (self.yes - self.rate) ** 2)

    @property
    def said(self) -> Floats:
        """The verdict as a number: 1 for yes, 0 for no and for a refusal."""
        found = np.zeros(self.share.size)
        found[1:2] = 1.0
        return found

    @property
    def best_split(self) -> Floats:
        """Shares of labels by verdict with the smallest variance: Neyman (1934)."""
        own = self.share * np.sqrt(np.maximum(self.yes * (1.0 - self.yes), 1e-4))
        return np.asarray(own / own.sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPlan(Recorded, Defined):
    """How many labels to buy.

    Attributes
    ----------
    value : float
        Labels to buy with the judge's help, picked at random.
    n_labels, n_split, n_alone : int or None
        Labels with the judge's help picked at random, split by verdict as is best, and from people
        alone; None where no number is enough.
    saved : float
        Share of the labels that the judge saves.
    half_width, power : float or None
        What was asked for.
    split : dict
        Verdict to the number of labels, of the best split.
    by_method : dict
        Method to labels picked at random, by its variance (on average, without assurance); None
        where no number is enough.
    assurance : float
        Share of studies that keep the promise.
    """

    interval_needs: ClassVar[str] = "a study, and this is the plan of one"
    unrecorded: ClassVar[tuple[str, ...]] = ("findings",)
    recorded: ClassVar[tuple[str, ...]] = ("sentence",)

    value: float
    rate: float
    sensitivity: float
    specificity: float
    n_verdicts: int
    n_labels: int | None
    n_split: int | None
    n_alone: int | None
    saved: float
    half_width: float | None
    null: float | None
    power: float | None
    assurance: float | None
    confidence_level: float
    split: dict[str, int] = field(default_factory=dict)
    by_method: dict[str, int | None] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    @property
    def sentence(self) -> str:
        """The plan in a sentence."""
        if self.n_labels is None:
            return (
                f"No number of labels is enough with {self.n_verdicts:,} verdicts: judge more items"
                + (f", or buy {self.n_alone:,} labels and leave the judge out."
                   if self.n_alone else ".")
            )  # fmt: skip
        text = f"{counted(self.n_labels, 'label')} by people, picked at random, {self._promise()}."
        if self.n_alone is not None:
            text += (
                f" Without the judge it takes {self.n_alone:,}: the judge saves "
                f"{max(self.saved, 0.0):.0%}."
            )
        return text

    def _promise(self) -> str:
        level = percent(self.confidence_level)
        if self.half_width is not None:
            sure = f" in {self.assurance:.0%} of studies" if self.assurance else " on average"
            return f"give a {level} interval of ±{self.half_width:g} or less{sure}"
        return f"tell a rate of {self.rate:.3g} from {self.null:g} with a power of {self.power:.0%}"

    @property
    def verdict(self) -> Verdict:
        """How many, and what the judge saves."""
        enough = self.n_labels is not None
        return Verdict(
            code="labels_to_buy" if enough else "no_number_of_labels",
            message=self.sentence,
            gravity="good" if self.n_labels else "problem",
            next="Pick the items with --pick, so that nobody chooses them by how they look."
            if self.n_labels
            else "",
        )

    def _beside(self) -> dict[str, Any]:
        return {"method": "double-sampling", "solved_for": "n_labels"}

    def document(self) -> Document:
        """Return the sentence, and the labels by method."""
        own = {
            "people alone": self.n_alone,
            "with the judge, at random": self.n_labels,
            "with the judge, split by verdict": self.n_split,
        }
        split = "; ".join(f"{n:,} where {name}" for name, n in self.split.items())
        return Document.of(
            f"Planned for a rate of {self.rate:.3g}, a judge that says yes in "
            f"{self.sensitivity:.0%} of the yes and no in {self.specificity:.0%} of the no, and "
            f"{self.n_verdicts:,} verdicts.",
            replace(_methods(own), note=f"Split: {split}." if split else ""),
            replace(_methods(self.by_method), caption="By method, on average", detail=True),
            findings=self.findings,
            verdict=self.verdict,
        )


def _methods(labels: Mapping[str, int | None]) -> Table:
    """Return the labels that each method needs; the first is people alone."""
    name, alone = next(iter(labels.items()), ("", None))
    return Table.of(
        labels.items(),
        "method: 0",
        "labels: 1",
        ("saved", lambda pair: None if pair[0] == name else _saved(pair[1], alone)),
        digits=2,
    )


def _saved(n: int | None, alone: int | None) -> float | None:
    return None if n is None or not alone else 1.0 - n / alone
