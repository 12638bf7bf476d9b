"""Run the coverage study, and write its cells and docs/coverage.md.

Samples that the data file holds are not drawn again: a run that was stopped, or that wants more of
them, goes on.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "coverage.md"
DATA = HERE / "cells.csv"


def main() -> None:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from benchmarks.coverage._page import render

    options = _options()
    for name in options.sets:
        _run(name, options)
    if options.page:
        PAGE.write_text(render(read_cells(DATA)), encoding="utf-8")
        print(f"written: {PAGE.relative_to(PAGE.parents[1])}")


def _options() -> argparse.Namespace:
    from benchmarks.coverage._designs import LABELS_SET

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="*", default=["corner", "tuning", "fresh-2", LABELS_SET])
    parser.add_argument("--samples", type=int, default=1_000, help="samples per design")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--cells", default="", help="only designs of this family, as 'nominal'")
    parser.add_argument("--anew", action="store_true", help="measure again what is in the file")
    parser.add_argument("--data", type=Path, default=DATA, help="the data file")
    parser.add_argument("--page", action=argparse.BooleanOptionalAction, default=True)
    return parser.parse_args()


def _run(name: str, options: argparse.Namespace) -> None:
    from benchmarks.coverage._designs import designs, judging
    from benchmarks.coverage._study import study

    begun = time.monotonic()
    cells = {(cell.design, cell.coefficient): cell for cell in read_cells(options.data)}
    if options.anew:
        cells = {key: cell for key, cell in cells.items() if cell.design.set != name}
    done = {design: cell.samples for (design, _), cell in cells.items()}
    for design in designs(name):
        first = done.get(design, 0)
        is_judged = name != "fresh-2" or judging(design.family) == name
        if first >= options.samples or options.cells not in design.family or not is_judged:
            continue
        if time.monotonic() - begun > options.seconds:
            print(f"{name}: stopped after {options.seconds:.0f} s")
            return
        for more in study(design, options.samples, first):
            key = (design, more.coefficient)
            cells[key] = cells[key].joined(more) if first else more
            told = (more.coefficient, cells[key].samples, round(cells[key].coverage, 3))
            print(name, design.family, design.number, *told, flush=True)
        _write(options.data, list(cells.values()))


def read_cells(path: Path) -> list:  # type: ignore[type-arg]
    """Return the cells of a data file."""
    from benchmarks.coverage._study import Cell

    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [Cell.of_record(record) for record in csv.DictReader(file)]


def _write(path: Path, cells: list) -> None:  # type: ignore[type-arg]
    records = [cell.record() for cell in cells]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)


if __name__ == "__main__":
    main()
