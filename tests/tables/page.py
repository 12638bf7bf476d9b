"""Judge tables stream by stream, keep the verdicts in a folder, and write the counts into a page.

``python -m tables.page --n 10000 --folder verdicts`` goes on where it ended before; ``--n 0`` only
writes the page from what the folder holds. The page is docs/reading.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tables.counting import KINDS, Row, judge_number

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reading.md"
BEGIN, END = "<!-- counts of tables -->", "<!-- end of counts -->"
HEADER = ("tables", "number", *KINDS, "goal")
BATCH = 250  # tables of a stream before the next stream has its turn


@dataclass(frozen=True)
class Goal:
    """Percent of tables that must be read rightly, and that may be misread."""

    right: float
    misread: float

    def held_against(self, found: Counter[str]) -> str:
        """Say which part of the goal was reached."""
        share = {kind: 100 * found[kind] / found.total() for kind in KINDS}
        parts = (
            (f"right ≥ {self.right:g} %", share["right"] >= self.right),
            (f"misread ≤ {self.misread:g} %", share["misread"] <= self.misread),
        )
        return ", ".join(f"{words} ({'reached' if done else 'missed'})" for words, done in parts)


@dataclass(frozen=True)
class Stream:
    """Tables of one habit, read by one route, with all of the lexicon or half of it."""

    title: str
    habit: str
    route: str
    lexicon: str
    seed: int
    goal: Goal | None  # for all of them
    small: Goal | None = None  # for 4 to 8 items
    larger: Goal | None = None  # for more items

    def wanted(self) -> dict[str, Any]:
        """Return what `judge_number` wants to know."""
        return {
            "habit": self.habit, "route": self.route, "lexicon": self.lexicon, "seed": self.seed,
            "half": "judge", "layout": None, "follow": False,
        }  # fmt: skip

    @property
    def name(self) -> str:
        """What the files of this stream are called."""
        return f"{self.habit}-{self.route}-{self.lexicon}"


_ORDINARY, _HALVED = Goal(97, 0.1), Goal(90, 0.1)
_SMALL, _LARGER, _FOUND = Goal(75, 0.5), Goal(90, 0.1), Goal(90, 0.5)
STREAMS = (
    Stream("ordinary studies, files", "ordinary", "file", "whole", 191, _ORDINARY),
    Stream("other habits, files", "other", "file", "whole", 192, None, _SMALL, _LARGER),
    Stream("ordinary studies, frames", "ordinary", "frame", "whole", 193, _ORDINARY),
    Stream("other habits, frames", "other", "frame", "whole", 194, None, _SMALL, _LARGER),
    Stream("ordinary, files, half of the lexicon", "ordinary", "file", "half", 195, _HALVED),
    Stream("ordinary, frames, half of the lexicon", "ordinary", "frame", "half", 196, _HALVED),
    Stream("as they stand in public places, files", "found", "file", "whole", 197, _FOUND),
    Stream("as they stand in public places, frames", "found", "frame", "whole", 198, _FOUND),
    Stream("as they stand there, workbooks", "found", "workbook", "whole", 199, _FOUND),
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge what is missing, and write what came out."""
    parser = argparse.ArgumentParser(prog="python -m tables.page", description=__doc__)
    parser.add_argument("--n", type=int, default=2500, help="tables of each stream")
    parser.add_argument("--first", type=int, default=0, help="number of the first table")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--folder", type=Path, default=Path("verdicts"))
    parser.add_argument("--page", type=Path, default=PAGE)
    wanted = parser.parse_args(arguments)
    wanted.folder.mkdir(exist_ok=True)
    end = time.monotonic() + wanted.seconds
    for start in range(wanted.first, wanted.first + wanted.n, BATCH):
        numbers = range(start, min(start + BATCH, wanted.first + wanted.n))
        for stream in STREAMS:
            _judge(stream, numbers, wanted.folder / f"{stream.name}.{wanted.first}.jsonl", end)
    text = wanted.page.read_text(encoding="utf-8")
    wanted.page.write_text(written(text, wanted.folder), encoding="utf-8")
    return 0


def _judge(stream: Stream, numbers: range, path: Path, end: float) -> None:
    """Judge those of the tables that the file does not hold yet."""
    known = {row["number"] for row in kept(path)}
    with path.open("a", encoding="utf-8") as out:
        for number in numbers:
            if number not in known and time.monotonic() < end:
                row = judge_number(stream.wanted(), number)
                out.write(json.dumps(row, ensure_ascii=False) + "\n")


def kept(path: Path) -> Iterator[Row]:
    """Yield the verdicts in a file; a line that was cut off is none."""
    if not path.exists():
        return
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.endswith("}\n"))


# ------------------------------------------------------------------------------ the page


def written(text: str, folder: Path) -> str:
    """Return the page with the counts between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table(folder)}\n{END}{after}"


def table(folder: Path) -> str:
    """The counts by stream, and in it by layout and size."""
    lines = [HEADER, ("---",) * len(HEADER)]
    for stream in STREAMS:
        files = sorted(folder.glob(f"{stream.name}.*.jsonl"))
        rows = {row["number"]: row for path in files for row in kept(path)}
        lines += _block(stream, list(rows.values()))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _block(stream: Stream, rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    clear = [row for row in rows if not row["ambiguous"]]
    if not clear:
        return
    yield _line(f"**{stream.title}**", clear, stream.goal)
    for layout in sorted({row["layout"] for row in clear}):
        yield _line(layout, [row for row in clear if row["layout"] == layout])
    small = [row for row in clear if row["small"]]
    if small:
        yield _line("4 to 8 items", small, stream.small)
        yield _line("more items", [row for row in clear if not row["small"]], stream.larger)
    yield _line("nobody can tell", [row for row in rows if row["ambiguous"]])


def _line(name: str, rows: Sequence[Row], goal: Goal | None = None) -> tuple[str, ...]:
    found = Counter(row["verdict"] for row in rows)
    shares = [f"{100 * found[kind] / max(1, len(rows)):.2f} %" for kind in KINDS]
    return name, f"{len(rows):,}", *shares, goal.held_against(found) if goal else ""


if __name__ == "__main__":
    sys.exit(main())
