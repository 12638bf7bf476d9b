"""What adjudication came to: raters against gold, agreement before and after, final labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from consilience.coefficients import Estimate
from consilience.core.arrays import Indices
from consilience.core.result import Several
from consilience.core.words import counted, interval_head, shortened
from consilience.document import (
    Document,
    Finding,
    Range,
    Recorded,
    Table,
    plain_record,
)
from consilience.inference import Interval
from consilience.latent.adjudication._contested import Adjudication

_MOST_SHOWN = 40
AFTER = (
    "After: every rating of an adjudicated item replaced by its gold label. It shows how much of "
    "the disagreement the adjudicated items hold; it is no measure of how well raters agree."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldRater(Recorded):
    """One rater against the gold labels.

    `kappa` is Cohen's, weighted where the scale is ordered; NaN where it is undefined. In a crowd
    of more than 100 raters it is unweighted and has no interval.
    """

    rater: object
    n_gold: int
    n_right: int
    accuracy: float
    interval: Interval
    kappa: float
    kappa_interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalLabel(Recorded):
    """The label that an item ends up with, and where it comes from."""

    item: object
    label: object
    source: str
    probability: float


@dataclass(frozen=True, kw_only=True)
class Resolved(Several):
    """What adjudication came to; made by `resolve` or by `consilience.io.read_sheet`.

    Attributes
    ----------
    n_gold, n_open : int
        Items with a gold label, and contested items still without one.
    raters : tuple of GoldRater
    before, after : Estimate
        The coefficient as rated, and with every rating of an adjudicated item replaced by gold.
    adjudicated : Estimate or None
        The coefficient on the adjudicated items alone, as rated.
    model : str
        Where labels without gold come from.
    """

    adjudication: Adjudication = field(repr=False)
    gold: Indices = field(repr=False)
    categories: tuple[object, ...] = field(repr=False)
    n_gold: int
    n_open: int
    raters: tuple[GoldRater, ...] = field(repr=False)
    before: Estimate
    after: Estimate
    adjudicated: Estimate | None
    model: str
    confidence_level: float = 0.95
    findings: tuple[Finding, ...] = field(default=(), repr=False)

    @cached_property
    def labels(self) -> tuple[FinalLabel, ...]:
        """The final label of every item, in the order of the items."""
        return tuple(self._finals())

    def _finals(self) -> Iterator[FinalLabel]:
        found, belief = self.adjudication, self.adjudication.belief
        names = (*self.categories, None)
        starts = found.entries.counts.indptr
        for place, item in enumerate(found.ratings.items):
            source, code = found.source(place), int(belief.suggested[place])
            probability = float(belief.probability[place])
            if self.gold[place] >= 0:
                source, code, probability = "gold", int(self.gold[place]), 1.0
            elif source == "unanimous":
                said = int(found.entries.counts.indices[starts[place]])
                # A model may doubt what all raters say; the label stays, unsure.
                probability = probability if said == code else math.nan
                code = said
            yield FinalLabel(item=item, label=names[code], source=source, probability=probability)

    @property
    def sources(self) -> dict[str, int]:
        """How many labels come from where."""
        return dict(sorted(Counter(one.source for one in self.labels).items()))

    def to_dict(self) -> dict[str, object]:
        """Return plain data with stable keys."""
        level = self.confidence_level
        record = {
            "n_items": self.adjudication.ratings.n_items,
            "n_gold": self.n_gold,
            "n_open": self.n_open,
            "model": self.model,
            "before": self.before.to_dict(confidence_level=level),
            "after": self.after.to_dict(confidence_level=level),
            "adjudicated": None
            if self.adjudicated is None
            else self.adjudicated.to_dict(confidence_level=level),
            "raters": self.raters,
            "sources": self.sources,
            "labels": self.labels,
            "findings": self.findings,
        }
        return plain_record(record)

    def document(self) -> Document:
        """Return the result as something to read."""
        about = (
            f"{counted(self.n_gold, 'item')} with a gold label, "
            f"{counted(self.n_open, 'contested item')} without. Final labels: "
            + ", ".join(f"{n:,} {source}" for source, n in self.sources.items())
            + "."
        )
        return Document.of(
            about,
            self._agreement(),
            AFTER,
            self._raters(),
            title="Adjudicated",
            findings=self.findings,
        )

    def _agreement(self) -> Table:
        level = self.confidence_level
        stages = {
            "before, all items": self.before,
            "before, adjudicated items": self.adjudicated,
            "after, all items": self.after,
        }
        return Table.of(
            [(name, one) for name, one in stages.items() if one is not None],
            ("", "0"),
            (self.before.name, "1.value"),
            (interval_head(level), lambda stage: _limits(stage[1], level)),
            "observed: 1.observed",
            "items: 1.n_items_used",
            caption="Agreement",
        )

    def _raters(self) -> Table:
        order = sorted(self.raters, key=lambda one: (math.isnan(one.accuracy), one.accuracy))
        left = len(order) - _MOST_SHOWN
        note = "On adjudicated items, which are harder than the rest."
        return Table.of(
            order[:_MOST_SHOWN],
            ("rater", lambda one: shortened(str(one.rater))),
            "items: n_gold",
            "right: accuracy",
            (interval_head(self.confidence_level), "interval"),
            "kappa",
            caption="Raters against gold",
            note=note + (f" {counted(left, 'further rater')} not shown." if left > 0 else ""),
        )


def _limits(one: Estimate, level: float) -> Range | None:
    interval = one.confidence_interval(level)
    return Range.of(interval) if math.isfinite(interval.low) else None
