"""What was seen of a table and weighed, kept in short, so that a reading can be explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from consilience.core.words import first_of, label_text
from consilience.io.tables.layouts._table_sample import Aside
from consilience.io.tables.recogniser.hypotheses import Decision, Piece, Scored
from consilience.io.tables.recogniser.profile import Column, Profile
from consilience.io.tables.recogniser.refusal import LETTERS, offer_of

if TYPE_CHECKING:
    from consilience.document import Block, Document

_MOST_COLUMNS = 20
_MOST_READINGS = 5
_LONGEST = 24
_KINDS = {"whole": "whole numbers", "decimal": "numbers", "date": "dates", "text": "text"}


@dataclass(frozen=True)
class ColumnFacts:
    """One column in a few words."""

    name: str
    kind: str
    filled: int
    distinct: int
    examples: str
    remarks: str


@dataclass(frozen=True)
class WeighedReading:
    """One way to take the table, with its evidence in nats."""

    words: str
    pieces: tuple[Piece, ...]
    options: Mapping[str, Any] = field(default_factory=dict)  # that choose it

    @property
    def score(self) -> float:
        """All evidence together."""
        return sum(piece.nats for piece in self.pieces)


@dataclass(frozen=True)
class Weighing:
    """The profile of a table, the readings that were compared, and what each left out.

    Attributes
    ----------
    n_rows, n_columns : int
        How much was looked at.
    columns : tuple of ColumnFacts
        The first columns.
    readings : tuple of WeighedReading
        The best reading and those nearest to it that would give other ratings.
    margin, lead : float
        How far the best must lead, and how far it leads, in nats.
    aside : tuple of (name, reason)
        Columns that the best reading leaves out.
    remarks : tuple of str
        What else was weighed, such as the first line.
    """

    n_rows: int = 0
    n_columns: int = 0
    columns: tuple[ColumnFacts, ...] = ()
    readings: tuple[WeighedReading, ...] = ()
    margin: float = 0.0
    lead: float = 0.0
    aside: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()

    def with_remarks(self, remarks: Sequence[str]) -> Weighing:
        """Return the same with more that was weighed."""
        return replace(self, remarks=(*self.remarks, *remarks))

    def document(self, title: str) -> Document:
        """Return the explanation of a table that was not read."""
        from consilience.document import Document, Paragraph

        blocks = self.blocks() or (Paragraph("Nothing of it was read as a table."),)
        return Document(title=title, blocks=blocks)

    def blocks(self) -> tuple[Block, ...]:
        """Return the profile, the readings and their evidence, to be shown."""
        from consilience.document import Paragraph

        found: list[Block] = []
        if self.columns:
            found.append(self._profile())
        if self.readings:
            found.append(Paragraph(self._compared()))
            found.append(self._evidence())
        if self.aside:
            lines = [f"{name or '(first column)'}: {reason}" for name, reason in self.aside]
            found.append(Paragraph("Left out by A:\n" + "\n".join(f"- {line}" for line in lines)))
        found += [Paragraph(remark) for remark in self.remarks]
        return tuple(found)

    def _profile(self) -> Block:
        from consilience.document import Table

        more = self.n_columns - len(self.columns)
        return Table(
            heads=("column", "kind", "filled", "different", "such as", "seen"),
            rows=[
                [c.name or "(first column)", c.kind, c.filled, c.distinct, c.examples, c.remarks]
                for c in self.columns
            ],
            caption=f"Profile of {self.n_columns:,} columns in {self.n_rows:,} rows looked at",
            note=f"and {more:,} more columns" if more else "",
        )

    def _compared(self) -> str:
        lines = ["Readings compared"]
        for letter, one in zip(LETTERS, self.readings, strict=False):
            lines.append(f"{letter}  {one.words}")
        if len(self.readings) > 1:
            lines.append(
                f"A must lead every other by {self.margin:.1f} nats; it leads by {self.lead:.1f}."
            )
        return "\n".join(lines)

    def _evidence(self) -> Block:
        from consilience.document import Table

        names = dict.fromkeys(piece.name for one in self.readings for piece in one.pieces)
        worth = [{piece.name: piece.nats for piece in one.pieces} for one in self.readings]
        rows: list[list[str | float | None]] = [
            [name, *(_nats(one.get(name, 0.0)) for one in worth)]
            for name in names
            if any(_nats(one.get(name, 0.0)) for one in worth)
        ]
        rows.append(["all together", *(one.score for one in self.readings)])
        letters = LETTERS[: len(self.readings)]
        return Table(heads=("evidence, in nats", *letters), rows=rows, digits=1)


def _nats(worth: float) -> float | None:
    return worth if abs(worth) >= 0.05 else None


def weighing_of(profile: Profile, decision: Decision, aside: Sequence[Aside] = ()) -> Weighing:
    """Keep what matters of a profile and of the comparison."""
    ranked: list[Scored] = [*([] if decision.best is None else [decision.best]), *decision.rivals]
    return replace(
        seen(profile),
        readings=tuple(
            WeighedReading(offer.words, one.pieces, offer.options)
            for one in ranked[:_MOST_READINGS]
            for offer in [offer_of(profile, one)]
        ),
        margin=decision.margin,
        lead=decision.lead,
        aside=tuple((profile.columns[one.column].name, one.reason) for one in aside),
    )


def seen(profile: Profile) -> Weighing:
    """Keep what a profile says of each column."""
    return Weighing(
        n_rows=profile.n,
        n_columns=len(profile.columns),
        columns=tuple(map(_facts, profile.columns[:_MOST_COLUMNS])),
    )


def _facts(column: Column) -> ColumnFacts:
    shown = [label_text(value) for value in list(column.counts)[:3]]
    cut = [text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…" for text in shown]
    return ColumnFacts(
        column.name,
        _KINDS.get(column.kind, column.kind),
        column.filled,
        column.distinct,
        ", ".join(cut),
        first_of(_remarks(column), 3) if _remarks(column) else "",
    )


def _remarks(column: Column) -> list[str]:
    found = []
    if column.is_running:
        found.append("counts the rows")
    elif column.is_unique and column.filled > 1:
        found.append("never repeats")
    if column.is_prose:
        found.append("sentences")
    if column.marks:
        found.append("missing: " + ", ".join(column.marks))
    if column.roles:
        found.append("called like " + "/".join(sorted(column.roles)))
    return found
