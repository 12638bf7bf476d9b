"""What the measures by time return."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.core.words import counted, interval_head, sentence
from consilience.document import Document, Paragraph, Reasoned, Recorded, Table
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import Interval
from consilience.units.linking._link_tally import beyond_chance, kappa_of, label_kappa, quotient
from consilience.units.linking.diag_results import LABEL
from consilience.units.model._sessions import SampledSessions
from consilience.units.model._unit_results import (
    DrawnOnRequest,
    TwoRaterKappa,
    most_used,
    part_about,
)
from consilience.units.model.unit_checks import MOST_LABELS
from consilience.units.time._label_time import SessionParts
from consilience.units.time._time_input import TimeSettings

Cells = tuple[NDArray[np.int64], NDArray[np.int64], Floats]
_MOST_SESSIONS_SHOWN = 40
_MOST_IN_A_RECORD = 300  # categories; larger tables are nearly empty


def _session_kappas(parts: SessionParts) -> Floats:
    """Return kappa of each session."""
    total = np.asarray(parts.first.sum(axis=1))
    observed = quotient(np.asarray(parts.both.sum(axis=1)), total)
    chance = np.asarray(parts.first.multiply(parts.second).sum(axis=1))
    return beyond_chance(observed, quotient(chance, total**2))


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTime(Recorded, Reasoned):
    """One label by time: how long both, one or neither rater has it."""

    recorded: ClassVar[tuple[str, ...]] = ("status",)

    label: Any
    both: float
    only_first: float
    only_second: float
    neither: float
    observed: float
    expected: float
    kappa: float
    positive_agreement: float
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeTable(Recorded):
    """Time in each combination of states, with one rater as the reference of the tolerance."""

    unrecorded: ClassVar[tuple[str, ...]] = ("n_categories", "cells", "parts")

    reference: str | None
    n_categories: int
    cells: Cells = field(repr=False)  # rows, columns and time of the cells that are not empty
    observed: float
    expected: float
    kappa: float
    parts: SessionParts = field(repr=False)

    @property
    def table(self) -> Floats:
        """The time as a table (K, K), which is made when it is asked for."""
        if self.n_categories > MOST_LABELS + 1:
            raise UnsupportedDesignError.needs(
                "a table of time",
                f"at most {MOST_LABELS:,} labels",
                f"{self.n_categories - 1:,}",
                "take the cells that are not empty, which are in cells",
            )
        table = np.zeros((self.n_categories, self.n_categories))
        table[self.cells[0], self.cells[1]] = self.cells[2]
        return table

    def _beside(self) -> Mapping[str, Any]:
        """Return the table; a very large one as rows, columns and times that are not empty."""
        if self.n_categories <= _MOST_IN_A_RECORD:
            return {"table": self.table}
        columns = (column.tolist() for column in self.cells)
        return {"table": None, "cells": list(zip(*columns, strict=True))}


@dataclass(frozen=True, kw_only=True)
class TimeKappa(DrawnOnRequest, TwoRaterKappa):
    """Kappa of two raters over time; with a tolerance the means over both `directions`.

    Attributes
    ----------
    table : array (K, K)
        Time (or units of the grid) in each combination; rows are the first rater, the last row
        and column are nil. With a tolerance that of the first direction.
    directions : tuple of TimeTable
        One without a tolerance; with one, each rater as the reference in turn.
    by_label : tuple of LabelTime
        Each label present or absent, without the tolerance.
    """

    coefficient: ClassVar[str] = "time_kappa"
    name: ClassVar[str] = "Cohen's kappa over time"
    unrecorded: ClassVar[tuple[str, ...]] = ("kappa", "label_parts", "session_time")
    recorded: ClassVar[tuple[str, ...]] = ("coefficient", "name", "value", "status", "interval")

    categories: tuple[Any, ...]
    directions: tuple[TimeTable, ...] = field(repr=False)
    total: float
    by_label: tuple[LabelTime, ...] = field(repr=False)
    sessions: tuple[str, ...] = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    n_units: Mapping[str, int] = field(repr=False)
    settings: TimeSettings
    label_parts: SessionParts = field(repr=False)
    session_time: Floats = field(repr=False)

    @property
    def table(self) -> Floats:
        """Time in each combination of states."""
        if not self.directions:
            raise InputError.expected(
                "together", 'other than "labels" for a table', "labels", 'pass together="sets"'
            )
        return self.directions[0].table

    def __getitem__(self, label: Any) -> LabelTime:
        """Return the agreement about one label."""
        return part_about(self.by_label, label)

    # ------------------------------------------------------------ intervals

    @cached_property
    def _sample(self) -> SampledSessions:
        """Sessions and the kappa of their sums."""
        from scipy.sparse import hstack

        n_ways = len(self.directions)
        if not n_ways:
            nothing = np.ones((len(self.sessions), 1))
            return self.settings.sampled(nothing, lambda sums: np.full(len(sums), np.nan))
        flat = hstack([x.parts.flat() for x in self.directions], format="csr")

        def values(sums: Floats) -> Floats:
            ways = sums.reshape(len(sums), n_ways, 3, -1)
            return np.asarray(kappa_of(ways)[2].mean(axis=1))

        return self.settings.sampled(flat, values)

    def _label_sample(self, place: int) -> SampledSessions:
        """The same for one label; with all of them, memory would grow with the labels."""
        flat = np.column_stack([self.label_parts.of(place), self.session_time])

        def values(sums: Floats) -> Floats:
            return label_kappa(sums[:, :3, None], sums[:, 3])[2][:, 0]

        return self.settings.sampled(flat, values)

    def confidence_interval(
        self, confidence_level: float = 0.95, method: str = "auto", *, label: Any = None
    ) -> Interval:
        """Interval from resampling sessions; without limits if there are fewer than 8.

        Moments of one recording depend on each other, so there is no interval from counts.
        """
        level, sample = self._level(confidence_level, method), self._sample
        if label is not None:
            sample = self._label_sample(self.by_label.index(self[label]))
        return sample.interval(level, method)

    def by_session(self) -> dict[str, float]:
        """Return kappa of each session; NaN where it is not defined."""
        ways = [_session_kappas(x.parts) for x in self.directions]
        each = np.mean(ways, axis=0) if ways else np.full(len(self.sessions), np.nan)
        return dict(zip(self.sessions, map(float, each), strict=True))

    # ------------------------------------------------------------ showing

    def _beside(self) -> Mapping[str, Any]:
        return {**super()._beside(), "sessions": self.by_session()}

    def document(self) -> Document:
        """Return the result as something to read."""
        counts = " and ".join(f"{n:,} by {name}" for name, n in self.n_units.items())
        n = len(self.sessions)
        said = f"{counts} in {counted(n, 'session')}. {self.settings.sentence()}"
        blocks: list[Any] = [Paragraph(said)]
        if self.directions:
            blocks.append(self._overall())
        if self.reason is not None:
            blocks.append(Paragraph(f"No kappa: {self.reason}."))
        blocks.append(self._labels())
        if self.interval.note and not math.isfinite(self.interval.low):
            blocks.append(Paragraph(sentence(self.interval.note)))
        if 1 < n <= _MOST_SESSIONS_SHOWN and self.directions:
            blocks.append(Table.of(self.by_session().items(), "session: 0", "kappa: 1"))
        title = f"Agreement over time: {self.raters[0]} and {self.raters[1]}"
        return Document(title=title, blocks=tuple(blocks), findings=self.findings)

    def _overall(self) -> Table:
        ways = self.directions if len(self.directions) > 1 else ()
        name = "mean of both" if ways else "all labels"
        level = interval_head(self.settings.confidence_level)
        unit = "units of time" if self.settings.unit is None else "units of the grid"
        return Table.of(
            (*ways, self),
            ("", lambda x: name if x is self else f"reference {x.reference}"),
            "observed",
            "by chance: expected",
            "kappa",
            (level, lambda x: self.interval if x is self else None),
            caption=f"{self.total:,.10g} {unit}",
        )

    def _labels(self) -> Table:
        shown, note = most_used(self.by_label, lambda x: x.both + x.only_first + x.only_second)
        return Table.of(
            shown,
            LABEL,
            "both!,.10g",
            "first only: only_first!,.10g",
            "second only: only_second!,.10g",
            "observed",
            "kappa",
            "pos.: positive_agreement",
            caption="Each label, present or absent",
            note=note,
        )
