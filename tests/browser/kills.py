"""Kill -9 of the server at random moments of adjudication: python -m tests.browser.kills 20."""

from __future__ import annotations

import http.client
import json
import random
import sqlite3
import sys
import tempfile
import threading
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from browser.served import Served
from patience import until

LABELS = ("red", "green", "blue")
ITEMS = 2_000


@dataclass(frozen=True)
class Kills:
    """What was found afterwards."""

    kills: int
    sent: int
    answered: int
    kept: int
    lost: int
    doubled: int
    wrong: int


def contested(path: Path, n: int = ITEMS) -> None:
    """Write items on which nobody agrees."""
    rows = [
        f"i{k:04d},{LABELS[k % 3]},{LABELS[(k + 1) % 3]},{LABELS[(k + 2) % 3]}" for k in range(n)
    ]
    path.write_text("item,Ann,Bob,Cid\n" + "\n".join(rows) + "\n")


def kill_often(kills: int, folder: Path, seed: int = 7) -> Kills:
    """Decide item after item, kill the server meanwhile, start it again and go on.

    A decision that got no answer is sent again, as a browser does that is told to; it carries the
    same number of its own. Answered decisions must be there, each once, with its label.
    """
    chance = random.Random(seed)
    data, project = folder / "colours.csv", folder / "decisions.sqlite"
    contested(data)
    answered: dict[str, str] = {}
    place = sent = 0
    for _ in range(kills):
        server = Served("colours.csv", "--project", str(project), cwd=folder)
        state = server.enter()
        ready(server, f"{state}/adjudicate")
        # Moments within a few requests, so that many fall into the midst of one.
        threading.Timer(chance.uniform(0.0, 0.4), server.process.kill).start()
        while True:
            nonce, label = f"nonce-{place}", place % 3
            sent += 1
            try:
                status = server.post(
                    f"{state}/adjudicate", place=str(place), label=str(label), nonce=nonce
                )
            except (OSError, http.client.HTTPException):
                break  # killed: the same one is sent again to the next server
            assert status == 303, status
            answered[nonce] = LABELS_SORTED[label]
            place += 1
        server.kill()
    return found_in(project, kills, sent, answered)


LABELS_SORTED = tuple(sorted(LABELS))


def ready(server: Served, path: str) -> None:
    """Wait until a screen is there."""
    until(lambda: server.get(path)[0] == 200, f"{path} is shown", look_every=0.05)


def found_in(project: Path, kills: int, sent: int, answered: dict[str, str]) -> Kills:
    with sqlite3.connect(project) as opened:
        rows = opened.execute("SELECT nonce, item, value FROM decisions").fetchall()
        assert opened.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    opened.close()
    kept = {nonce: value for nonce, _, value in rows}
    items = Counter(item for _, item, _ in rows)
    return Kills(
        kills=kills, sent=sent, answered=len(answered), kept=len(rows),
        lost=len(set(answered) - set(kept)),
        doubled=sum(n > 1 for n in items.values()) + len(rows) - len(kept),
        wrong=sum(kept.get(nonce) != value for nonce, value in answered.items()),
    )  # fmt: skip


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        print(json.dumps(asdict(kill_often(int((sys.argv[1:] or ["20"])[0]), Path(place)))))
