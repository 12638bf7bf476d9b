"""Rater disparity: which recordings and which labels raters differ on most."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Ints
from consilience.core.result import Several, Unremarked
from consilience.document import Document, Recorded, Table
from consilience.units.linking.diag_results import LABEL

_MOST_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class DisparityRow(Recorded):
    """How two raters differ in a recording, on a label, or on a label in a recording.

    Attributes
    ----------
    session, label
        None where all are counted together.
    first, second : int
        Units of each rater, timing ignored.
    agreed, disagreed : int
        Events that both saw and labelled alike, and all others: seen by one of them only, or
        labelled differently.
    """

    session: str | None
    label: Any
    first: int
    second: int
    agreed: int
    disagreed: int


@dataclass(frozen=True, kw_only=True)
class RaterDisparity(Unremarked, Recorded, Several):
    """Where two raters differ, the largest sources of disagreement first.

    Attributes
    ----------
    sessions, labels, cells : tuple of DisparityRow
        By recording, by label, and by label within recording.
    """

    recorded: ClassVar[tuple[str, ...]] = ()

    raters: tuple[str, str]
    sessions: tuple[DisparityRow, ...] = field(repr=False)
    labels: tuple[DisparityRow, ...] = field(repr=False)
    cells: tuple[DisparityRow, ...] = field(repr=False)

    def document(self) -> Document:
        """Return the ranking as tables."""
        title = f"Rater disparity: {self.raters[0]} and {self.raters[1]}"
        return Document(title=title, blocks=tuple(self.tables()))

    def tables(self, most: int = _MOST_SHOWN) -> list[Table]:
        """Return the largest sources of disagreement: recordings, labels, labels in recordings."""
        found = [self.table("sessions", most), self.table("labels", most)]
        if len(self.sessions) > 1 and len(self.labels) > 1:
            found.append(self.table("cells", most))
        return found

    def table(self, which: str, most: int = _MOST_SHOWN) -> Table:
        """Return one ranking: "sessions", "labels" or "cells"."""
        rows: tuple[DisparityRow, ...] = getattr(self, which)
        names = {"sessions": "session", "labels": "label", "cells": "session and label"}
        more = len(rows) - most
        first, second = self.raters
        return Table.of(
            rows[:most],
            "session!s" if which != "labels" else None,
            LABEL if which != "sessions" else None,
            (first, "first"),
            (second, "second"),
            "agreed",
            "disagreed",
            caption=f"Disagreement by {names[which]}, most first",
            note=f"{more:,} more with as many disagreements or fewer." if more > 0 else "",
        )


def disparity_of(
    raters: tuple[str, str], sessions: tuple[str, ...], labels: tuple[Any, ...], parts: Any
) -> RaterDisparity:
    """Rank recordings and labels by their disagreements, from doubled tallies by session.

    `parts` are those of `Tallies.parts`: agreement, row and column sums, unlinked units of each.
    """
    a, r, c, u, v = (np.asarray(parts[:, k]) for k in range(5))
    counts = np.stack([(r + u) / 2, (c + v) / 2, a / 2]).astype(np.int64)
    # An event with two labels stands in the rows of both; in the sum over labels it counts once.
    apart = (u + v + (r - u - a) / 2 + (c - v - a) / 2).astype(np.int64)
    once = (u + v + (r - u - a) / 2).astype(np.int64)

    def row(session: int | None, label: int | None) -> DisparityRow:
        where = (slice(None) if session is None else session,
                 slice(None) if label is None else label)  # fmt: skip
        first, second, agreed = (int(x[where].sum()) for x in counts)
        differ = once if label is None else apart
        return DisparityRow(
            session=None if session is None else sessions[session],
            label=None if label is None else labels[label],
            first=first,
            second=second,
            agreed=agreed,
            disagreed=int(differ[where].sum()),
        )

    every: Ints = np.argwhere(apart > 0)
    return RaterDisparity(
        raters=raters,
        sessions=_ranked([row(s, None) for s in range(len(sessions))]),
        labels=_ranked([row(None, k) for k in range(len(labels))]),
        cells=_ranked([row(int(s), int(k)) for s, k in every]),
    )


def _ranked(rows: list[DisparityRow]) -> tuple[DisparityRow, ...]:
    return tuple(sorted(rows, key=lambda one: (-one.disagreed, -abs(one.first - one.second))))
