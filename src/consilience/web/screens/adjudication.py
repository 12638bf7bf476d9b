"""Adjudicate: one item a screen, decided by a key; on the disk before the next one is shown.

Every decision is on the disk before the next screen is shown (`synchronous=FULL`). Undoing is
another line that takes one back. A request that is sent twice, after a crash for example, carries
the same number of its own and counts once.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from consilience.exceptions import ConsilienceError, InputError
from consilience.web.bench import AnsweredError, Visit, attachment, go, number_in, visit
from consilience.web.jobs import Job
from consilience.web.screens.items import texts_in

# ---- Decisions of adjudicators: appended one by one to an SQLite file, never changed, never lost

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


# ---- The screen

FILES = {
    "sheet.csv": "text/csv; charset=utf-8",
    "sheet.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "final.csv": "text/csv; charset=utf-8",
}
_BACK = ("--read", "sheet.csv", "-o", "final.csv")
_LONGEST_NAME = 40
_LONGEST_NOTE = 2_000


class _Asked:
    """What an address of this screen is about."""

    def __init__(self, visit: Visit) -> None:
        self.visit, file = visit, visit.state.file
        self.who = visit.request.query_params.get("who", "")[:_LONGEST_NAME].strip()
        self.text = number_in(visit.request, "text")
        self.column = None if self.text is None else dict(texts_in(visit.read)).get(self.text)
        self.decisions = Decisions(decisions_file(file.origin, visit.bench.settings.project))
        # A file that grows keeps its decisions; one that was dropped is known by its content.
        known = str(Path(file.origin).resolve()) if file.origin else file.key
        what = json.dumps([known, visit.question])
        self.study = hashlib.sha256(what.encode("utf-8", "surrogatepass")).hexdigest()

    def query(self, **more: Any) -> str:
        """Return the end of an address that keeps question, adjudicator and text."""
        kept = {"q": self.visit.q, "who": self.who or None, "text": self.text} | more
        told = urlencode({name: value for name, value in kept.items() if value is not None})
        return f"?{told}" if told else ""

    def ranking(self) -> Job:
        """Ask for the items to decide."""
        return self.visit.ask("adjudication:ranking", "Ranking items", text=self.column)

    @property
    def address(self) -> str:
        """Where the screen goes on."""
        return f"/r/{self.visit.state.id}/adjudicate{self.query()}"

    async def standing(self) -> list[Decision]:
        """Return what was decided so far."""
        found: list[Decision] = await self._safely(self.decisions.standing, self.study, self.who)
        return found

    async def _safely(self, work: Any, *arguments: Any, **options: Any) -> Any:
        try:
            return await run_in_threadpool(work, *arguments, **options)
        except ConsilienceError as error:
            raise AnsweredError(
                self.visit.bench.message("Decisions cannot be kept", str(error), status=500)
            ) from error

    async def add(self, **line: Any) -> None:
        """Write a decision."""
        await self._safely(self.decisions.add, self.study, self.who, **line)

    async def undo(self, nonce: str) -> None:
        """Take the last decision back."""
        await self._safely(self.decisions.undo, self.study, self.who, nonce=nonce)


async def _asked(request: Request) -> _Asked:
    return _Asked(await visit(request, single=True))


async def show(request: Request) -> Response:
    """Show the next item to decide."""
    asked = await _asked(request)
    found = await asked.visit.result(asked.ranking())
    standing = await asked.standing()
    decided = _decided(standing)
    notes = {one.item: one.value for one in standing if one.kind == "note"}
    skipped = {one.item for one in standing if one.kind == "skip"}
    open_ones = [k for k, one in enumerate(found["contested"]) if one["item"] not in decided]
    # What was skipped comes again at the end.
    open_ones.sort(key=lambda k: found["contested"][k]["item"] in skipped)
    place = open_ones[0] if open_ones else None
    return asked.visit.show(
        "adjudicate", found=found, who=asked.who,
        place=place, item=None if place is None else found["contested"][place],
        note=notes.get(found["contested"][place]["item"], "") if place is not None else "",
        n_decided=sum(one["item"] in decided for one in found["contested"]),
        last=_last(found, standing), nonce=secrets.token_urlsafe(16), query=asked.query(),
        suggest="suggest" in request.query_params, ask=asked.query(suggest=1),
        columns=texts_in(asked.visit.read), text=asked.text, kept_in=str(asked.decisions.path),
        others=await run_in_threadpool(asked.decisions.adjudicators, asked.study),
        shell=asked.visit.command("adjudicate", *_BACK, measuring=False),
        files=FILES if decided else {},
    )  # fmt: skip


def _decided(standing: list[Decision]) -> dict[str, str]:
    """Return the label of each item that was decided last."""
    found: dict[str, str] = {}
    for one in standing:
        if one.kind == "label":
            found[one.item] = one.value
    return found


def _last(found: dict[str, Any], standing: list[Decision]) -> dict[str, Any] | None:
    """Return what was decided last, with what the raters had said: shown only now."""
    done = [one for one in standing if one.kind in ("label", "skip")]
    if not done:
        return None
    item = next((one for one in found["contested"] if one["item"] == done[-1].item), None)
    said = {} if item is None or done[-1].kind == "skip" else item["labels"]
    return {"item": done[-1].item, "kind": done[-1].kind, "value": done[-1].value, "labels": said}


async def decide(request: Request) -> Response:
    """Write a decision to the disk, then show the next item."""
    asked = await _asked(request)
    form = await request.form(max_fields=12)
    found = await asked.visit.whole(asked.ranking())
    word = {name: str(value) for name, value in form.items()}
    nonce = word.get("nonce", "")[:64] or secrets.token_urlsafe(16)
    if "undo" in word:
        await asked.undo(nonce)
        return go(asked.address)
    place = word.get("place", "")
    if not place.isdigit() or int(place) >= len(found["contested"]):
        raise HTTPException(400, "There is no such item.")
    item = found["contested"][int(place)]["item"]
    note = word.get("note", "")[:_LONGEST_NOTE].strip()
    if note and note != word.get("note_before", ""):
        await asked.add(kind="note", item=item, value=note, nonce=f"{nonce}-note")
    labels = found["labels"]
    if "skip" in word:
        await asked.add(kind="skip", item=item, value="", nonce=nonce)
    elif word.get("label", "").isdigit() and int(word["label"]) < len(labels):
        value = labels[int(word["label"])]
        await asked.add(kind="label", item=item, value=value, nonce=nonce)
    return go(asked.address)


async def download(request: Request) -> Response:
    """Send the filled sheet or the final labels."""
    name = request.path_params["name"]
    if name not in FILES:
        raise HTTPException(404)
    asked = await _asked(request)
    decided = _decided(await asked.standing())
    job = asked.visit.ask("adjudication:export", "Writing", decided=decided, form=name)
    return attachment(await asked.visit.whole(job), name, FILES[name])


ROUTES = (
    Route("/r/{state}/adjudicate", show, methods=["GET"]),
    Route("/r/{state}/adjudicate", decide, methods=["POST"]),
    Route("/r/{state}/adjudicate/{name}", download, methods=["GET"]),
)
