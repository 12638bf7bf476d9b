"""Write the counts of right, refused and misread tables into a page, between two marks.

Run it as ``python -m tables.page --n 2500``; the page is docs/reading.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tables.counting import KINDS, Row, judged
from tables.habits import HABITS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reading.md"
BEGIN, END = "<!-- counts of tables -->", "<!-- end of counts -->"
ROUTES = ("file", "frame")
HEADER = ("tables", "number", *KINDS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge tables of each habit by each route, and write what came out."""
    parser = argparse.ArgumentParser(prog="python -m tables.page", description=__doc__)
    parser.add_argument("--n", type=int, default=2500, help="tables of each habit and route")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--page", type=Path, default=PAGE)
    wanted = parser.parse_args(arguments)
    rows: list[Row] = []
    for habit in sorted(HABITS, reverse=True):
        for route in ROUTES:
            options = {
                "habit": habit, "route": route, "n": wanted.n, "first": 0, "half": "judge",
                "lexicon": "whole", "follow": False, "jobs": wanted.jobs, "seed": 1,
                "layout": None,
            }  # fmt: skip
            rows += [{**row, "habit": habit, "route": route} for row in judged(options)]
    text = wanted.page.read_text(encoding="utf-8")
    wanted.page.write_text(written(text, rows), encoding="utf-8")
    print(table(rows))
    return 0


def written(text: str, rows: Sequence[Row]) -> str:
    """Return the page with the counts between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table(rows)}\n{END}{after}"


def table(rows: Sequence[Row]) -> str:
    """The counts by habit and route, by layout, and by size."""
    clear = [row for row in rows if not row["ambiguous"]]
    parts = [
        (f"{habit} {'studies' if habit == 'ordinary' else 'habits'}, {route}s",
         [r for r in clear if (r["habit"], r["route"]) == (habit, route)])
        for habit in sorted(HABITS, reverse=True)
        for route in ROUTES
    ]  # fmt: skip
    parts += [
        (layout, [r for r in clear if r["layout"] == layout])
        for layout in sorted({r["layout"] for r in clear})
    ]
    parts += [
        ("4 to 8 items", [r for r in clear if r["small"]]),
        ("more items", [r for r in clear if not r["small"]]),
        ("all", clear),
        ("nobody can tell", [r for r in rows if r["ambiguous"]]),
    ]
    lines = [HEADER, ("---",) * len(HEADER), *(_line(name, part) for name, part in parts if part)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _line(name: str, rows: Sequence[Row]) -> tuple[str, ...]:
    found = Counter(row["verdict"] for row in rows)
    shares = (f"{100 * found[kind] / len(rows):.2f} %" for kind in KINDS)
    return name, f"{len(rows):,}", *shares


if __name__ == "__main__":
    sys.exit(main())
