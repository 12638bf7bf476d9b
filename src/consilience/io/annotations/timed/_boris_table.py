"""BORIS exports: aggregated events (start and stop in one row) and tabular events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from consilience.core.cell_values import as_number
from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.annotations._row_cells import Row, delimiter_of, rows_of
from consilience.io.annotations._unit_numbers import number_at
from consilience.io.annotations.strands import Found, Strand, Wishes
from consilience.io.annotations.timed._boris_events import MODIFIERS, NOBODY, Events
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File

_LENGTHS = ("total length", "observation duration", "media duration (s)", "media duration")
_MEDIA = ("media file", "media file name", "media file path", "source")
_STATUS = ("START", "STOP", "POINT")


def _header_line(file: File) -> int | None:
    """Return the line of the header, counted from 0: below a block of facts in old exports."""
    for k, line in enumerate(file.head.splitlines()[:400]):
        words = {word.strip().strip('"').casefold() for word in line.split(delimiter_of(line))}
        if "behavior" in words and ("start (s)" in words or "time" in words):
            return k
    return None


@register(
    "boris-table",
    title="an export of events by BORIS",
    suffixes=(".tsv", ".csv", ".txt"),
    rules=("observation", "file"),
    recognise=lambda file: _header_line(file) is not None,
)
def read_boris_table(file: File, wishes: Wishes) -> Found:
    """Read aggregated or tabular events; the subject is the tier, the behaviour the label."""
    at = _header_line(file)
    lines = file.head.splitlines()
    if at is None:
        raise InputError.expected(
            "an export of BORIS",
            "one with the columns Behavior and Start (s), or Behavior and Time",
            lines[0][:60] if lines else "",
            "export aggregated events",
            where=str(file.path),
        )
    rows = rows_of(file, delimiter_of(lines[at]))
    top = next((k for k, (_, cells) in enumerate(rows) if "behavior" in _folded(cells)), None)
    if top is None:
        raise InputError.expected(
            "the header", "in one line", lines[at][:60], "export the events again",
            where=f"{file.path}, line {at + 1}",
        )  # fmt: skip
    names = _folded(rows[top][1])
    head = {name: k for k, name in reversed(list(enumerate(names)))}
    table = _Table(file, head, rows[top + 1 :], wishes)
    table.observation = _observation_above(rows[:top])
    found = table.aggregated() if "start (s)" in head else table.tabular()
    return found


def _folded(cells: list[str]) -> list[str]:
    return [cell.strip().casefold() for cell in cells]


def _observation_above(rows: list[Row]) -> str:
    for _, cells in rows:
        if cells[0].casefold() == "observation id" and len(cells) > 1:
            return cells[1]
    return ""


class _Table:
    """The rows of an export and where each column stands."""

    def __init__(
        self, file: File, head: Mapping[str, int], rows: list[Row], wishes: Wishes
    ) -> None:
        self.file = file
        self.head = head
        self.rows = rows
        self.observation = ""
        self.with_modifiers = wishes.label == "behavior+modifiers"
        self.found = Found(file.path, "s", in_seconds=True)

    def cell(self, cells: list[str], name: str) -> str:
        """Return a cell, or '' where the table has no such column."""
        at = self.head.get(name)
        return cells[at] if at is not None and at < len(cells) else ""

    def facts(self, cells: list[str]) -> tuple[tuple[str, str], ...]:
        """Return what may tell the rater or the session."""
        name = self.cell(cells, "observation id") or self.observation or self.file.stem
        facts = [("observation", name)]
        media = [self.cell(cells, word) for word in _MEDIA if self.cell(cells, word)]
        if media:
            facts.append(("media", media[0]))
        known = {"observation id", "subject", "behavior", "modifiers", "behavior type", "status"}
        for column, at in self.head.items():
            words = (*_LENGTHS, *_MEDIA, *known)
            if column in ("rater", "coder", "observer", "annotator") and column not in words:
                facts.append((f"variable:{column}", cells[at] if at < len(cells) else ""))
        return tuple(facts)

    def modifiers(self, cells: list[str]) -> str:
        """Return the modifiers of a row in one text."""
        names = [name for name in self.head if name.startswith("modifier")]
        return "|".join(filter(None, (self.cell(cells, name) for name in names)))

    def length(self, cells: list[str]) -> float | None:
        """Return the length of the recording, if a column tells it."""
        for word in _LENGTHS:
            value = as_number(self.cell(cells, word)) if self.cell(cells, word) else None
            if value:
                return value
        return None

    def aggregated(self) -> Found:
        """Read rows with a start and a stop."""
        for line, cells in self.rows:
            code = self._behaviour(line, cells)
            start = number_at(self.cell(cells, "start (s)"), self.file.path, line, "Start (s)")
            text = self.cell(cells, "stop (s)")
            point = self.cell(cells, "behavior type").upper().startswith("POINT")
            missing = text in ("", "NA") and point
            end = start if missing else number_at(text, self.file.path, line, "Stop (s)")
            subject = self.cell(cells, "subject") or NOBODY
            strand = self.found.number(Strand(subject, None, self.facts(cells)))
            extra = self.modifiers(cells)
            label = f"{code}: {extra}" if self.with_modifiers and extra else code
            if extra and label == code:
                self.found.ledger.set_aside("attributes", "modifiers", reason=MODIFIERS)
            self.found.add(strand, start, end, label, line)
            length = self.length(cells)
            if length is not None:
                self.found.bounds[strand] = (0.0, length)
        return self.found

    def tabular(self) -> Found:
        """Read rows that say START, STOP or POINT."""
        by_observation: dict[Any, Events] = {}
        lengths: dict[Any, float | None] = {}
        for line, cells in self.rows:
            code = self._behaviour(line, cells)
            time = number_at(self.cell(cells, "time"), self.file.path, line, "Time")
            status = (self.cell(cells, "status") or self.cell(cells, "behavior type")).upper()
            if status not in _STATUS:
                raise InputError.expected(
                    "Status", "START, STOP or POINT", status[:40], "export the events again",
                    where=f"{self.file.path}, line {line}",
                )  # fmt: skip
            facts = self.facts(cells)
            key = facts[0]
            if key not in by_observation:
                by_observation[key] = Events(
                    self.found, where=str(self.file.path), facts=facts,
                    with_modifiers=self.with_modifiers,
                )  # fmt: skip
                lengths[key] = self.length(cells)
            by_observation[key].add(
                time, self.cell(cells, "subject"), code, self.modifiers(cells), f"line {line}",
                is_state=status != "POINT", status=status,
            )  # fmt: skip
        for key, events in by_observation.items():
            length = lengths[key]
            events.finish(None if length is None else (0.0, length))
        return self.found

    def _behaviour(self, line: int, cells: list[str]) -> str:
        code = self.cell(cells, "behavior")
        if not code:
            raise InputError.expected(
                "Behavior", "filled in", Said("an empty cell"), "complete the line",
                where=f"{self.file.path}, line {line}",
            )  # fmt: skip
        return code
