"""What comes out of a sweep: rows in order, the lead of the best, and how they are shown."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from consilience.core.result import Several
from consilience.core.verdict import Verdict
from consilience.core.words import p_text
from consilience.document import (
    Block,
    Cell,
    Document,
    Finding,
    Paragraph,
    Range,
    Recorded,
    Table,
    envelope,
)
from consilience.exceptions import InputError
from consilience.panel._differences import Differences
from consilience.panel._measures import Measure
from consilience.panel._resampled_means import Value
from consilience.panel.people_and_systems import who_line


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow(Recorded):
    """One setting: every measure as the mean over people, and the differences, pooled."""

    setting: object
    n_items: int
    values: dict[str, Value]
    gap: dict[str, Value]
    differences: Differences | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult(Several):
    """Settings of a system, best first.

    Attributes
    ----------
    rows : tuple of SweepRow
        Sorted by `sort_by`.
    lead : Value or None
        How far the best setting is ahead of the second, on the same items, positive is better.
    lead_p_value : float
        Two-sided, of no difference between the two.
    held_out : Value or None
        The best setting of the first part of the items, measured on the part held out.
    """

    measures: tuple[Measure, ...]
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
        from consilience.panel._panel_verdict import sweep_verdict

        return sweep_verdict(self)

    @property
    def best(self) -> SweepRow:
        """The first row."""
        return self.rows[0]

    @property
    def measure(self) -> Measure:
        """The measure that the rows are sorted by."""
        return next(one for one in self.measures if one.key == self.sort_by)

    def sorted_by(self, measure: str) -> SweepResult:
        """Return the same rows in another order; the lead of the best is not known there."""
        key = key_of(self.measures, measure)
        rows = in_order(self.rows, next(m for m in self.measures if m.key == key))
        return replace(
            self, sort_by=key, rows=rows, lead=None, lead_p_value=math.nan, held_out=None
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record that the command line writes as JSON."""
        names = ("sort_by", "rows", "people", "ceiling", "constant", "lead", "lead_p_value",
                 "held_out", "held_out_setting", "confidence_level")  # fmt: skip
        return envelope(
            data=self.data,
            findings=self.findings,
            seed=self.seed,
            verdict=self.verdict,
            who={"people": list(self.people), "systems": [row.setting for row in self.rows]},
            **{name: getattr(self, name) for name in names},
        )

    def document(self) -> Document:
        """Return the settings as a table, best first."""
        measure = self.measure
        others = [one for one in self.measures if one.key != self.sort_by]
        named = [(row.setting, row.values) for row in self.rows]
        if self.ceiling:
            named.append(("people", self.ceiling))
        sure = any(math.isfinite(values[self.sort_by].interval.low) for _, values in named)
        rows: list[list[Cell]] = [
            [
                str(name),
                values[self.sort_by].value,
                *([_range(values[self.sort_by])] if sure else []),
                *(values[one.key].value for one in others),
            ]
            for name, values in named
        ]
        table = Table(
            heads=(
                "setting",
                measure.title,
                *(["interval"] if sure else []),
                *(one.title for one in others),
            ),
            rows=rows,
            caption=f"Sorted by {measure.title}, best first",
        )
        told = who_line(self.people, [row.setting for row in self.rows], ())
        blocks: list[Block] = [
            *([Paragraph(told)] if self.people else []),
            *([Paragraph(self._lead())] if self.lead else []),
            table,
        ]
        return Document(
            title="" if self.people else "Settings compared",
            blocks=blocks,
            findings=self.findings,
            verdict=self.verdict,
        )

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


def _range(value: Value) -> Range:
    return Range.of(value.interval)


def key_of(measures: Any, word: str | None) -> str:
    keys = [one.key for one in measures]
    if word is None:
        return str(keys[0])
    chosen = [key for key in keys if word in (key, key.partition(":")[0])]
    if not chosen:
        raise InputError.unknown_word("sort_by", word, keys)
    return str(chosen[0])


def in_order(rows: tuple[SweepRow, ...], measure: Measure) -> tuple[SweepRow, ...]:
    sign = 1.0 if measure.smaller_is_better else -1.0

    def rank(row: SweepRow) -> float:
        value = row.values[measure.key].value
        return math.inf if math.isnan(value) else sign * value

    return tuple(sorted(rows, key=rank))
