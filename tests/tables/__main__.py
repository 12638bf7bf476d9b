"""Count how many tables are read rightly, refused, or misread in silence."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tables.counting import KINDS, Row, judged
from tables.habits import HABITS


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, judge, count, and print."""
    wanted = _parser().parse_args(arguments)
    start = time.monotonic()
    rows = []
    for row in judged(vars(wanted)):
        rows.append(row)
        if wanted.seconds and time.monotonic() - start > wanted.seconds:
            break
    spent = time.monotonic() - start
    title = f"{wanted.habit} / {wanted.half} / {wanted.route} / lexicon {wanted.lexicon}"
    print(f"{title}: {len(rows)} tables in {spent:.0f} s ({1000 * spent / len(rows):.0f} ms each)")
    print((as_markdown if wanted.markdown else as_text)(rows))
    if wanted.save:
        _save(Path(wanted.save), [row for row in rows if row["verdict"] != "right"])
    for row in [r for r in rows if r["verdict"] in wanted.show][: wanted.shown]:
        _show(row)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tables", description=__doc__)
    parser.add_argument("--habit", choices=sorted(HABITS), default="ordinary")
    parser.add_argument("--n", type=int, default=1000, help="number of tables")
    parser.add_argument("--seconds", type=float, help="stop after so long, however many are left")
    parser.add_argument("--first", type=int, default=0, help="number of the first table")
    parser.add_argument("--half", choices=("tune", "judge", "all"), default="judge")
    parser.add_argument("--route", choices=("file", "workbook", "frame", "value"), default="file")
    parser.add_argument("--lexicon", choices=("whole", "half"), default="whole")
    parser.add_argument("--follow", action="store_true", help="paste what refusals print")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layout", help="only this layout")
    parser.add_argument("--show", action="append", default=[], choices=KINDS)
    parser.add_argument("--shown", type=int, default=10, help="how many of them")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--save", help="file of JSON lines for all that was not right")
    return parser


# ------------------------------------------------------------------------------ what is printed


def tabulated(rows: Sequence[Row]) -> list[tuple[str, Counter[str]]]:
    """Count verdicts by layout, and by small and large; the ambiguous stand apart."""
    clear = [row for row in rows if not row["ambiguous"]]
    layouts = sorted({row["layout"] for row in clear})
    parts: list[tuple[str, list[Row]]] = [
        (layout, [row for row in clear if row["layout"] == layout]) for layout in layouts
    ]
    parts += [
        ("4 to 8 items", [row for row in clear if row["small"]]),
        ("more items", [row for row in clear if not row["small"]]),
        ("all", clear),
        ("ambiguous", [row for row in rows if row["ambiguous"]]),
    ]
    return [(name, _counted(part)) for name, part in parts if part]


def _counted(rows: Sequence[Row]) -> Counter[str]:
    found = Counter(row["verdict"] for row in rows)
    found["helped"] = sum(bool(row.get("helped")) for row in rows)
    return found


def _lines(rows: Sequence[Row]) -> list[list[str]]:
    """One line per part: its name, its size, and the share of each verdict."""
    lines = []
    for name, found in tabulated(rows):
        total = sum(found[kind] for kind in KINDS)
        shares = [f"{100 * found[kind] / total:.2f} %" for kind in KINDS]
        helped = f"{found['helped']}" if found["helped"] else ""
        lines.append([name, str(total), *shares, helped])
    return lines


_HEADER = ["tables", "number", *KINDS, "helped"]


def as_text(rows: Sequence[Row]) -> str:
    """The counts in columns."""
    lines = [_HEADER, *_lines(rows)]
    return "\n".join(f"{a:22}" + "".join(f"{cell:>10}" for cell in rest) for a, *rest in lines)


def as_markdown(rows: Sequence[Row]) -> str:
    """The counts as a table for a page of documentation."""
    lines = [_HEADER, ["---"] * len(_HEADER), *_lines(rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _show(row: Row) -> None:
    print(f"\n{row['name']}  {row['layout']}  {row['verdict']}: {row['detail'][:600]}")
    print("  " + "; ".join(row["features"]))
    for line in row["cells"][:5]:
        print("  " + " | ".join(line)[:160])


def _save(path: Path, rows: Sequence[Row]) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    sys.exit(main())
