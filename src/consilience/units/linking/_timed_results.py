"""What a GSEQ-like alignment of timed events returns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.words import counted, interval_head, sentence
from consilience.document import Document, Paragraph, Range, Table
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.units.linking._gseq_table import AlignmentTable, category_kappas
from consilience.units.linking._link_tally import Tallies, overall
from consilience.units.model._sessions import Draws, SampledSessions
from consilience.units.model._unit_results import (
    DrawnOnRequest,
)

GAP = "&"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignmentSettings(Draws):
    """How events were aligned and intervals are made."""

    preset: str
    tolerance: float
    overlap: float
    base: str
    substitution: float
    fill_gaps: bool
    absent: str

    ties: ClassVar[str] = "agreement, substitution, skip of the leading rater, skip of the other"
    recorded: ClassVar[tuple[str, ...]] = ("ties",)

    def sentence(self) -> str:
        """Say in words how events were linked."""
        near = f"an overlap of {self.overlap:g} percent of the {self.base} one"
        if self.base == "union":
            near = f"an overlap of {self.overlap:g} percent of their union"
        if self.tolerance:
            near = f"onsets at most {self.tolerance:g} apart, or {near}"
        gaps = f'gaps filled with "{GAP}"' if self.fill_gaps else "gaps not filled"
        return (
            f"Events may be linked with {near}; {gaps}. Costs: agreement 0, unlike codes "
            f"{self.substitution:g}, an event alone 1 ({self.preset})."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedEvents:
    """What one rater brought into the alignment, filled gaps among it.

    Attributes
    ----------
    start, end : array
        In the time of the units.
    code : array
        Place in the labels of the result.
    row : array
        Row in the given units, -1 for a filled gap.
    session, block : array
        Place in the sessions of the result, and number of the tier of the session.
    """

    start: Floats
    end: Floats
    code: Ints
    row: Ints
    session: Ints
    block: Ints


@dataclass(frozen=True, kw_only=True)
class TimedAlignment(DrawnOnRequest, AlignmentTable):
    """A GSEQ-like alignment of two raters' timed events.

    Attributes
    ----------
    cost : float
        Of the best alignment, over all sessions; both passes have the same.
    n_links : pair of int
        Links of the first pass and of the second.
    n_both : int
        Links that both passes made.
    links : array (links, 4)
        Row of each rater's unit in the given units (-1 for a filled gap), and whether the first
        and the second pass made the link.
    events : pair of AlignedEvents
        The events of each rater, filled gaps among them.
    event_links : array (links, 2)
        The same links as places in the events.
    """

    coefficient: ClassVar[str] = "timed_alignment"
    name: ClassVar[str] = "GSEQ-like alignment kappa"
    unrecorded: ClassVar[tuple[str, ...]] = (
        "kappa", "links", "tallies", "events", "event_links",
    )  # fmt: skip
    recorded: ClassVar[tuple[str, ...]] = (
        *AlignmentTable.recorded, "coefficient", "name", "interval",
    )  # fmt: skip

    settings: AlignmentSettings
    cost: float
    n_links: tuple[int, int]
    n_both: int
    n_units: Mapping[str, int] = field(repr=False)
    n_gaps: Mapping[str, int] = field(repr=False)
    sessions: tuple[str, ...] = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    links: Ints = field(repr=False)
    events: tuple[AlignedEvents, AlignedEvents] = field(repr=False)
    event_links: Ints = field(repr=False)
    tallies: Tallies = field(repr=False)

    @cached_property
    def _sample(self) -> SampledSessions:
        def values(sums: Floats) -> Floats:
            return np.hstack([overall(sums).kappa[:, None], category_kappas(sums)[2]])

        return self.settings.sampled(self.tallies.parts(), values)

    def confidence_interval(
        self, confidence_level: float = 0.95, method: str = "auto", *, label: Any = None
    ) -> Interval:
        """Interval of kappa, or of a label's, from resampling sessions (at least 8)."""
        level = self._level(confidence_level, method)
        column = 0 if label is None else 1 + self.labels.index(self[label].label)
        return self._sample.interval(level, method, column=column)

    def session_table(self, session: str) -> Ints:
        """Return the table of one session."""
        if session not in self.sessions:
            raise InputError.unknown_word("a session", session, self.sessions)
        return self.tallies.table(self.sessions.index(session))

    def _beside(self) -> Mapping[str, Any]:
        parts = overall(self.tallies.parts())
        sessions = [
            {"session": name, "n_tallies": int(n), "kappa": float(k)}
            for name, n, k in zip(self.sessions, parts.total, parts.kappa, strict=True)
        ]
        return {**super()._beside(), "sessions": sessions}

    def document(self) -> Document:
        """Return the result as something to read."""
        base = super().document()
        counts = " and ".join(
            f"{n:,} by {name} (and {self.n_gaps[name]:,} gaps)" for name, n in self.n_units.items()
        )
        said = (
            f"{counts} in {counted(len(self.sessions), 'session')}; {self.n_links[0]:,} and "
            f"{self.n_links[1]:,} links in the two passes, {self.n_both:,} in both. "
            f"{self.settings.sentence()}"
        )
        interval = self.interval
        blocks: list[Any] = [Paragraph(said), *base.blocks]
        if math.isfinite(interval.low):
            level = interval_head(self.settings.confidence_level)
            row: list[Any] = ["kappa", self.kappa, Range.of(interval)]
            blocks.insert(2, Table(heads=("", "value", level), rows=[row]))
        else:
            blocks.append(Paragraph(sentence(interval.note)))
        title = f"GSEQ-like alignment: {self.raters[0]} and {self.raters[1]}"
        return Document(title=title, blocks=tuple(blocks), findings=self.findings)
