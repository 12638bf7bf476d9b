"""Results of comparing marked spans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.words import interval_head
from consilience.document import Document, Paragraph, Recorded, Table
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.units.model._sessions import SHARE, Draws
from consilience.units.model._unit_results import (
    PAIR,
    Enveloped,
    Led,
    SessionsDrawn,
    most_used,
    said_units,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanPair(Recorded):
    """Two raters: how many spans each has and how many are matched."""

    first: str
    second: str
    n_first: int
    n_second: int
    matched: float
    f1: float
    precision: float
    recall: float
    kappa: float | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanSummary(Recorded):
    """F1 over pairs of raters: mean, standard deviation (divided by the number), least."""

    mean: float
    sd: float
    minimum: float
    n_pairs: int
    n_spans: int
    status: str
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class SpanAgreement(Led, SessionsDrawn, Enveloped):
    """Pairwise F1 of marked spans; see `span_f1`."""

    summary: SpanSummary
    by_label: Mapping[Any, SpanSummary]
    pairs: tuple[SpanPair, ...] = field(repr=False)
    matching: str
    n_spans: Mapping[str, int]
    n_sessions: int
    draws: Draws = field(repr=False)
    _parts: Floats = field(repr=False)

    @property
    def value(self) -> float:
        """Mean F1 over pairs of raters."""
        return self.summary.mean

    @property
    def _leading(self) -> SpanSummary:
        return self.summary

    @cached_property
    def interval(self) -> Interval:
        """Interval of the mean F1 from resampling sessions."""
        return self.draws.interval(self._parts, mean_f1, SHARE)

    def pair(self, first: str, second: str) -> SpanPair:
        """Return the result of two raters, in either order."""
        for found in self.pairs:
            if {found.first, found.second} == {first, second}:
                return found
        known = [f"{x.first} and {x.second}" for x in self.pairs]
        raise InputError.unknown_word("a pair of raters", f"{first} and {second}", known)

    def _estimates(self) -> list[dict[str, Any]]:
        one = {"coefficient": "span_f1", "value": self.value, **self.summary.to_dict()}
        return [one | {"interval": self.interval}]

    def _sizes(self) -> dict[str, Any]:
        return {"sessions": self.n_sessions, "spans": self.n_spans}

    def to_dict(self) -> dict[str, Any]:
        """Return the record with the estimate, labels, pairs and parameters."""
        return self._record(self.draws.seed, labels=self.by_label, pairs=self.pairs)

    def document(self) -> Document:
        """Return the result as something to read."""
        shown, note = most_used(list(self.by_label.items()), lambda part: part[1].n_spans)
        level = interval_head(self.draws.confidence_level)
        summaries = Table.of(
            [("all spans", self.summary), *((f"label {label}", x) for label, x in shown)],
            ("", "0"),
            "mean F1: 1.mean",
            (level, lambda x: self.interval if x[1] is self.summary else None),
            "sd: 1.sd",
            "least: 1.minimum",
            "spans: 1.n_spans",
            note=note,
        )
        pairs = Table.of(
            self.pairs,
            PAIR,
            "first: n_first",
            "second: n_second",
            ("matched", "matched", float if self.matching == "partial" else int),
            "F1: f1",
            "kappa" if self.parameters["true_negatives"] is not None else None,
            caption="Each pair of raters",
        )
        said = said_units(self.units_by_session) + (
            f" A match: {_SAID[self.matching]}. Spans nobody marked cannot be counted, so kappa is "
            "not defined; F1 is its limit."
        )
        if self.reason:
            said += f" Not defined: {self.reason}."
        blocks = (Paragraph(said), summaries, pairs)
        return Document(title="Agreement about spans", blocks=blocks, findings=self.findings)


_SAID = {
    "exact": "the same place and the same label",
    "boundaries": "the same place, whatever the label",
    "overlap": "some overlap",
    "jaccard": "an overlap of at least the threshold, as a share of the union",
    "left": "the same beginning",
    "right": "the same end",
    "partial": "credit for the share of overlap, twice the overlap over both lengths",
}


def f1_of(totals: Floats) -> Floats:
    """Return 2 matched / (spans of both), as Hripcsak & Rothschild 2005 have it."""
    size = totals[..., 1] + totals[..., 2]
    known = size > 0
    return np.where(known, 2 * totals[..., 0] / np.where(known, size, 1.0), np.nan)


def mean_f1(sums: Any) -> Any:
    """Return the mean over pairs of raters that marked a span."""
    f1 = f1_of(sums)
    known = np.isfinite(f1)
    n = known.sum(axis=-1)
    return np.where(n > 0, np.where(known, f1, 0.0).sum(axis=-1) / np.maximum(n, 1), np.nan)
