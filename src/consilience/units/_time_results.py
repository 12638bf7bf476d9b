"""What the measures by time return."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.document import Document, Finding, Paragraph, Range, Table, plain
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.units._account import Accounted
from consilience.units._diag_results import shown_label
from consilience.units._kappas import beyond_chance, quotient
from consilience.units._sessions import (
    FEWEST_SESSIONS,
    interval_of,
    no_interval,
    session_replicates,
)
from consilience.units._time_input import TimeSettings

Floats = NDArray[np.float64]
_MOST_SESSIONS_SHOWN = 40


def kappa_of(parts: Floats) -> tuple[Floats, Floats, Floats]:
    """Return observed, expected agreement and kappa of totals (…, 3, K): both, first, second."""
    both, first, second = np.moveaxis(parts, -2, 0)
    total = first.sum(-1)
    observed = quotient(both.sum(-1), total)
    expected = quotient((first * second).sum(-1), total**2)
    return observed, expected, beyond_chance(observed, expected)


def label_kappa(parts: Floats, total: Any) -> tuple[Floats, Floats, Floats]:
    """Return the same for each label, present or absent, of totals (…, 3, L) and all time."""
    both, first, second = np.moveaxis(parts, -2, 0)
    total = np.asarray(total)[..., None]
    observed = quotient(total - first - second + 2 * both, total)
    expected = quotient(first * second + (total - first) * (total - second), total**2)
    return observed, expected, beyond_chance(observed, expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTime:
    """One label by time: how long both, one or neither rater has it."""

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

    @property
    def status(self) -> str:
        """Whether kappa is defined."""
        return "ok" if self.reason is None else "undefined"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        record = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plained: dict[str, Any] = plain(record | {"status": self.status})
        return plained


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeTable:
    """Time in each combination of states, with one rater as the reference of the tolerance."""

    reference: str | None
    table: Floats = field(repr=False)
    observed: float
    expected: float
    kappa: float
    parts: Floats = field(repr=False)  # (sessions, 3, K)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        names = ("reference", "table", "observed", "expected", "kappa")
        record: dict[str, Any] = plain({name: getattr(self, name) for name in names})
        return record


@dataclass(frozen=True, kw_only=True)
class TimeKappa(Accounted):
    """Kappa of two raters over time.

    Attributes
    ----------
    kappa, observed, expected : float
        With a tolerance the means over both directions, which are in `directions`.
    table : array (K, K)
        Time (or units of the grid) in each combination; rows are the first rater, the last row
        and column are nil. With a tolerance that of the first direction.
    directions : tuple of TimeTable
        One without a tolerance; with one, each rater as the reference in turn.
    by_label : tuple of LabelTime
        Each label present or absent, without the tolerance.
    """

    raters: tuple[str, str]
    categories: tuple[Any, ...]
    directions: tuple[TimeTable, ...] = field(repr=False)
    observed: float
    expected: float
    kappa: float
    reason: str | None
    total: float
    by_label: tuple[LabelTime, ...] = field(repr=False)
    sessions: tuple[str, ...] = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    n_units: Mapping[str, int] = field(repr=False)
    settings: TimeSettings
    label_parts: Floats = field(repr=False)  # (sessions, 3, L)
    session_time: Floats = field(repr=False)
    findings: tuple[Finding, ...] = field(repr=False)

    @property
    def value(self) -> float:
        """Kappa."""
        return self.kappa

    @property
    def status(self) -> str:
        """Whether kappa is defined."""
        return "ok" if self.reason is None else "undefined"

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
        for one in self.by_label:
            if one.label == label:
                return one
        raise InputError.unknown_word("a label", label, [str(x.label) for x in self.by_label])

    # ------------------------------------------------------------ intervals

    @cached_property
    def _replicates(self) -> Floats:
        """Resampled kappa, then that of each label."""
        n, n_ways = len(self.sessions), len(self.directions)
        sizes = [x.parts.shape[2] for x in self.directions]
        flat = [x.parts.reshape(n, -1) for x in self.directions]
        flat += [self.label_parts.reshape(n, -1), self.session_time[:, None]]
        ends = np.cumsum([x.shape[1] for x in flat])[:-1]

        def values(sums: Floats) -> Floats:
            pieces = np.split(sums, ends, axis=1)
            ways = [
                kappa_of(piece.reshape(len(sums), 3, size))[2]
                for piece, size in zip(pieces, sizes, strict=False)
            ]
            mean = np.mean(ways, axis=0) if ways else np.full(len(sums), np.nan)
            each = label_kappa(pieces[n_ways].reshape(len(sums), 3, -1), pieces[-1][:, 0])[2]
            return np.hstack([mean[:, None], each])

        return session_replicates(
            np.hstack(flat), values, n_resamples=self.settings.n_resamples, rng=self.settings.rng
        )

    def confidence_interval(self, *, label: Any = None) -> Interval:
        """Interval from resampling sessions; without limits if there are fewer than 8.

        Moments of one recording depend on each other, so there is no interval from counts.
        """
        column = 0
        if label is not None:
            column = 1 + self.by_label.index(self[label])
        if len(self.sessions) < FEWEST_SESSIONS:
            return no_interval(len(self.sessions), self.settings.confidence_level)
        return interval_of(self._replicates[:, column], self.settings.confidence_level)

    def by_session(self) -> dict[str, float]:
        """Return kappa of each session; NaN where it is not defined."""
        ways = [kappa_of(x.parts)[2] for x in self.directions]
        each = np.mean(ways, axis=0) if ways else np.full(len(self.sessions), np.nan)
        return dict(zip(self.sessions, map(float, each), strict=True))

    # ------------------------------------------------------------ showing

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        record: dict[str, Any] = {
            "coefficient": "time_kappa",
            "name": "Cohen's kappa over time",
            "value": self.kappa,
        }
        names = ("raters", "categories", "observed", "expected", "status", "reason", "total")
        record |= {name: getattr(self, name) for name in names}
        record |= {
            "settings": self.settings,
            "directions": list(self.directions),
            "by_label": list(self.by_label),
            "sessions": self.by_session(),
            "dropped": [{"session": name, "reason": why} for name, why in self.dropped],
            "n_units": dict(self.n_units),
            "units_by_session": dict(self.units_by_session),
            "interval": self.confidence_interval(),
            "findings": list(self.findings),
        }
        plained: dict[str, Any] = plain(record)
        return plained

    def document(self) -> Document:
        """Return the result as something to read."""
        counts = " and ".join(f"{n:,} by {name}" for name, n in self.n_units.items())
        n = len(self.sessions)
        said = f"{counts} in {n:,} session{'' if n == 1 else 's'}. {self.settings.sentence()}"
        blocks: list[Any] = [Paragraph(said)]
        if self.directions:
            blocks.append(self._overall())
        if self.reason is not None:
            blocks.append(Paragraph(f"No kappa: {self.reason}."))
        blocks.append(self._labels())
        interval = self.confidence_interval()
        if interval.note and not math.isfinite(interval.low):
            blocks.append(Paragraph(f"{interval.note[:1].upper()}{interval.note[1:]}."))
        if 1 < n <= _MOST_SESSIONS_SHOWN and self.directions:
            rows: list[list[Any]] = [list(x) for x in self.by_session().items()]
            blocks.append(Table(heads=("session", "kappa"), rows=rows))
        title = f"Agreement over time: {self.raters[0]} and {self.raters[1]}"
        return Document(title=title, blocks=tuple(blocks), findings=self.findings)

    def _overall(self) -> Table:
        x = self.confidence_interval()
        level = f"{self.settings.confidence_level:.0%}".replace("%", " % interval")
        rows: list[list[Any]] = []
        if len(self.directions) > 1:
            rows = [
                [f"reference {d.reference}", d.observed, d.expected, d.kappa, None]
                for d in self.directions
            ]
        name = "mean of both" if rows else "all labels"
        rows.append([name, self.observed, self.expected, self.kappa, Range(x.low, x.high)])
        unit = "units of time" if self.settings.unit is None else "units of the grid"
        return Table(
            heads=("", "observed", "by chance", "kappa", level),
            rows=rows,
            caption=f"{self.total:,.10g} {unit}",
        )

    def _labels(self) -> Table:
        rows: list[list[Any]] = [
            [
                shown_label(x.label),
                f"{x.both:,.10g}",
                f"{x.only_first:,.10g}",
                f"{x.only_second:,.10g}",
                x.observed,
                x.kappa,
                x.positive_agreement,
            ]
            for x in self.by_label
        ]
        return Table(
            heads=("label", "both", "first only", "second only", "observed", "kappa", "pos."),
            rows=rows,
            caption="Each label, present or absent",
        )
