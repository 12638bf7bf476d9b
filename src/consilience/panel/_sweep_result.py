"""What comes out of a sweep: rows in order, the lead of the best, and how they are shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from consilience.core.result import Several
from consilience.core.verdict import Verdict
from consilience.core.words import p_text
from consilience.document import (
    Cell,
    Column,
    Document,
    Enveloped,
    Finding,
    Recorded,
    Table,
    details,
)
from consilience.judges.people_and_systems import who_line
from consilience.panel._differences import Differences
from consilience.panel._measures import Measure
from consilience.panel._resampled_means import Value
from consilience.panel._sweep_metrics import (
    Metric,
    MetricValue,
    from_values,
    metric_named,
)
from consilience.panel._sweep_rankings import Rankings, ranking_sentence, ranking_tables, rankings


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow(Recorded):
    """One setting: every measure and metric as the mean over people, differences pooled."""

    setting: object
    n_items: int
    values: dict[str, Value]
    gap: dict[str, Value]
    differences: Differences | None
    metrics: dict[str, MetricValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult(Enveloped, Several):
    """Settings of a system, best first.

    Attributes
    ----------
    rows : tuple of SweepRow
        Sorted by `sort_by`.
    measures : tuple of Measure
        Numbers with an interval: coefficients, shares and errors.
    metrics : tuple of Metric
        Everything that settings can be sorted by: the measures, and shares of marks off by 1 to 4
        points, distances, correlations, tests, effect size, precision, recall and F.
    lead : Value or None
        How far the best setting is ahead of the second, on the same items, positive is better.
    lead_p_value : float
        Two-sided, of no difference between the two.
    held_out : Value or None
        The best setting of the first part of the items, measured on the part held out.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("measures",)
    recorded: ClassVar[tuple[str, ...]] = ("rankings",)

    measures: tuple[Measure, ...]
    metrics: tuple[Metric, ...]
    sort_by: str
    rows: tuple[SweepRow, ...]
    people: tuple[object, ...]
    ceiling: dict[str, Value]
    constant: dict[str, float]
    lead: Value | None
    lead_p_value: float
    held_out: Value | None
    held_out_setting: object
    confidence_level: float
    seed: int | None
    data: dict[str, Any] = field(repr=False)
    findings: tuple[Finding, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Which setting is best, and whether its lead may be luck."""
        from consilience.panel._findings import sweep_verdict

        return sweep_verdict(self)

    @property
    def best(self) -> SweepRow:
        """The first row."""
        return self.rows[0]

    @property
    def metric(self) -> Metric:
        """The metric that the rows are sorted by."""
        return next(one for one in self.metrics if one.key == self.sort_by)

    @property
    def rankings(self) -> Rankings | None:
        """The settings ranked by every metric, and how far the metrics agree; None for one."""
        settings = [row.setting for row in self.rows]
        return rankings(self.metrics, settings, [row.metrics for row in self.rows], self.sort_by)

    def sorted_by(self, metric: str) -> SweepResult:
        """Return the same rows in another order; the lead of the best is not known there."""
        chosen = metric_named(self.metrics, metric)
        return replace(
            self,
            sort_by=chosen.key,
            rows=in_order(self.rows, chosen),
            lead=None,
            lead_p_value=math.nan,
            held_out=None,
        )

    def _beside(self) -> dict[str, Any]:
        return {
            "who": {"people": self.people, "systems": [row.setting for row in self.rows]},
            "metrics": [
                {"key": one.key, "title": one.title, "best": one.best} for one in self.metrics
            ],
        }

    def document(self) -> Document:
        """Return the settings as tables, best first, and how far the metrics agree."""
        told = who_line(self.people, [row.setting for row in self.rows], ())
        return Document.of(
            told if self.people else None,
            self._lead() if self.lead else None,
            self._sorted_table(),
            self._group_table("shares"),
            ranking_sentence(self.rankings, len(self.rows)),
            *details(
                *(self._group_table(name) for name in ("measures", "correlations", "tests")),
                self._group_table("labels"),
                *ranking_tables(self.rankings, self.metrics),
            ),
            title="" if self.people else "Settings compared",
            findings=self.findings,
            verdict=self.verdict,
        )

    def _group_table(self, group: str) -> Table | None:
        """Return the metrics of one kind, where any of them is known."""
        shown = [one for one in self.metrics if one.group == group]
        if not any(_is_known(row, one) for row in self.rows for one in shown):
            return None
        columns = [column for one in shown for column in self._columns(one)]
        return Table.of(self.rows, "setting!s", *columns, caption=_GROUPS[group])

    def _sorted_table(self) -> Table:
        """Return what the rows are sorted by, with its interval, and what people reach."""
        metric = self.metric
        named = [(row.setting, row.metrics[metric.key]) for row in self.rows]
        if metric.key in self.ceiling:
            named.append(("people", from_values(self.ceiling)[metric.key]))
        sure = any(math.isfinite(one.low) for _, one in named)
        return Table.of(
            named,
            "setting: 0!s",
            (metric.title, "1.value"),
            ("interval", "1") if sure else None,
            caption=f"Sorted by {metric.title}, best first",
        )

    def _columns(self, one: Metric) -> Iterator[Column]:
        """Return the value of a metric, and its p-value or interval where there is one."""
        found = [row.metrics[one.key] for row in self.rows]

        def value(row: SweepRow) -> MetricValue:
            return row.metrics[one.key]

        shown = "p" if one.key == "wilcoxon" else _whole_points(one.key)
        yield one.head, lambda row: value(row).value, shown
        if one.key == "t" and any(math.isfinite(each.p_value) for each in found):
            yield f"p of {one.head}", lambda row: value(row).p_value, "p"
        if one.key == "effect_size" and any(math.isfinite(each.low) for each in found):
            yield "interval", value

    def _lead(self) -> str:
        assert self.lead is not None
        low, high = self.lead.interval
        first, second = self.rows[0].setting, self.rows[1].setting
        text = (
            f"{first} is ahead of {second} by {self.lead.value:.3f} ({low:.3f} to {high:.3f}, "
            f"p {p_text(self.lead_p_value)})."
        )
        if self.held_out is not None:
            text += (
                f" On the items held out, {self.held_out_setting} reaches "
                f"{self.held_out.value:.3f}."
            )
        return text


_GROUPS = {
    "shares": "Marks that are the same or off by 1 to 4 points, and distances over all items",
    "measures": "Coefficients with other distances, and shares within points",
    "correlations": "Correlations",
    "tests": "Tests of the difference, and its size in standard deviations",
    "labels": "Precision, recall and F against the people, and nominal coefficients",
}


def _whole_points(key: str) -> Callable[[float], Cell]:
    """A sum of whole points is a whole number."""
    return lambda value: int(value) if key == "l1" and value.is_integer() else value


def _is_known(row: SweepRow, metric: Metric) -> bool:
    return metric.key in row.metrics and math.isfinite(row.metrics[metric.key].value)


def in_order(rows: tuple[SweepRow, ...], metric: Metric) -> tuple[SweepRow, ...]:
    """Sort settings, the best first; those without a value come last."""

    def rank(row: SweepRow) -> float:
        value = row.metrics[metric.key].value
        return math.inf if math.isnan(value) else metric.order(value)

    return tuple(sorted(rows, key=rank))
