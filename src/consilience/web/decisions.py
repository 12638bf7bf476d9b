"""Decisions of adjudicators: appended one by one to an SQLite file, never changed, never lost.

Every decision is on the disk before the next screen is shown (`synchronous=FULL`). Undoing is
another line that takes one back. A request that is sent twice, after a crash for example, carries
the same number of its own and counts once.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from consilience.exceptions import InputError

_APPLICATION = 0x436F6E73  # "Cons": what the file is, for everybody who looks into it
_TABLE = """
CREATE TABLE IF NOT EXISTS decisions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    study TEXT NOT NULL,
    adjudicator TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('label', 'skip', 'note', 'undo')),
    item TEXT NOT NULL,
    value TEXT NOT NULL,
    undoes INTEGER REFERENCES decisions (number),
    at TEXT NOT NULL,
    nonce TEXT NOT NULL UNIQUE
)
"""


@dataclass(frozen=True)
class Decision:
    """One line: who decided what about which item."""

    number: int
    kind: str
    item: str
    value: str


class Decisions:
    """The decisions in one file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=10, isolation_level=None)) as opened:
                known = opened.execute("PRAGMA application_id").fetchone()[0]
                tables = opened.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
                if tables and known != _APPLICATION:
                    raise self._other("another database")
                if not tables:
                    opened.execute(f"PRAGMA application_id = {_APPLICATION}")
                opened.execute("PRAGMA journal_mode = WAL")
                opened.execute("PRAGMA synchronous = FULL")
                opened.execute(_TABLE)
                yield opened
        except sqlite3.DatabaseError as error:
            raise self._other(str(error)) from error

    def _other(self, what: str) -> InputError:
        return InputError.expected(
            "the file for decisions", "one that the workbench wrote, or a new one",
            what, "name another file with --project", where=str(self.path),
        )  # fmt: skip

    def add(
        self, study: str, adjudicator: str, *, kind: str, item: str, value: str, nonce: str
    ) -> bool:
        """Write a decision to the disk; tell whether it is new."""
        with self._open() as opened:
            return _insert(opened, (study, adjudicator, kind, item, value, None), nonce)

    def undo(self, study: str, adjudicator: str, *, nonce: str) -> Decision | None:
        """Take the last decision back and return it; None if there is none."""
        with self._open() as opened:
            opened.execute("BEGIN IMMEDIATE")
            seen = opened.execute("SELECT 1 FROM decisions WHERE nonce = ?", (nonce,)).fetchone()
            standing = [one for one in _standing(opened, study, adjudicator) if one.kind != "note"]
            last = standing[-1] if standing and seen is None else None
            if last is not None:
                line = (study, adjudicator, "undo", last.item, "", last.number)
                _insert(opened, line, nonce)
            opened.execute("COMMIT")
        return last

    def standing(self, study: str, adjudicator: str) -> list[Decision]:
        """Return what was decided and not taken back, in order."""
        if not self.path.exists():
            return []
        with self._open() as opened:
            return _standing(opened, study, adjudicator)

    def adjudicators(self, study: str) -> list[str]:
        """Return who has decided anything about a study."""
        if not self.path.exists():
            return []
        with self._open() as opened:
            asked = "SELECT DISTINCT adjudicator FROM decisions WHERE study = ? ORDER BY 1"
            return [name for (name,) in opened.execute(asked, (study,))]


def _insert(opened: sqlite3.Connection, line: tuple[object, ...], nonce: str) -> bool:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    done = opened.execute(
        "INSERT OR IGNORE INTO decisions (study, adjudicator, kind, item, value, undoes, at, nonce)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (*line, now, nonce),
    )
    return done.rowcount == 1


def _standing(opened: sqlite3.Connection, study: str, adjudicator: str) -> list[Decision]:
    lines = opened.execute(
        "SELECT number, kind, item, value, undoes FROM decisions"
        " WHERE study = ? AND adjudicator = ? ORDER BY number",
        (study, adjudicator),
    ).fetchall()
    undone = {undoes for *_, undoes in lines}
    return [
        Decision(number, kind, item, value)
        for number, kind, item, value, _ in lines
        if kind != "undo" and number not in undone
    ]


def decisions_file(origin: str, project: Path | None) -> Path:
    """Return where decisions are kept: as asked, beside the data, or where the user is.

    A file that was dropped into the browser lies nowhere that we know of.
    """
    if project is not None:
        return project
    here = Path("consilience-decisions.sqlite")
    if not origin:
        return here
    beside = Path(origin).with_suffix(".decisions.sqlite")
    return beside if os.access(beside.parent, os.W_OK) else here
