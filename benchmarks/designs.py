"""How time and memory grow with the ratings, for few and many labels and raters.

``python -m benchmarks.designs [--largest 100000000] [--write]`` measures alpha, pi and AC1 with
their errors and default intervals in memory, and alpha with its interval from a Parquet file on the
engine within a memory limit, for each number of labels and raters, and prints the exponents as the
table of docs/scale.md; with ``--write`` it puts the table there. Times are processor time, which
other work on the machine does not lengthen. Every job runs in a process of its own; data that are
read are made by another one before.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks._data import written_once

LABELS = (2, 100, 10_000, 100_000)
RATERS = (2, 100, 10_000, 100_000)
PAGE = Path(__file__).parents[1] / "docs" / "scale.md"
BEGINS, ENDS = "<!-- growth -->", "<!-- /growth -->"
_PER_ITEM = 5
_MEMORY = "4GB"
_BLOCK = 5_000_000  # ratings made at a time
Measured = tuple[float, float]  # processor seconds, gigabytes at the peak


def measured(n_ratings: int, n_labels: int, n_raters: int, where: str) -> Measured:
    """Return what one job took, in a process of its own."""
    sizes = f"{n_ratings}, {n_labels}, {n_raters}"
    if where == "on_the_engine":
        parquet(n_ratings, n_labels, n_raters)
    task = f"from benchmarks.designs import {where} as job; print(job({sizes}))"
    done = subprocess.run([sys.executable, "-c", task], check=True, capture_output=True, text=True)
    seconds, gigabytes = json.loads(done.stdout.splitlines()[-1])
    return float(seconds), float(gigabytes)


def in_memory(n_ratings: int, n_labels: int, n_raters: int) -> list[float]:
    """Measure ratings in memory, from arrays to intervals; the arrays count as memory."""
    import consilience as cs

    columns = _columns(n_ratings, n_labels, n_raters)
    start = time.process_time()
    ratings = cs.Ratings.from_codes(
        **columns, raters=range(n_raters), categories=[f"w{k}" for k in range(n_labels)]
    )
    for coefficient in (cs.krippendorff_alpha, cs.scott_pi, cs.gwet_ac):
        coefficient(ratings).confidence_interval()
    return _taken(start)


def on_the_engine(n_ratings: int, n_labels: int, n_raters: int) -> list[float]:
    """Measure a Parquet file within a memory limit, from disk to an interval."""
    import consilience as cs

    path = parquet(n_ratings, n_labels, n_raters)
    start = time.process_time()
    ratings = cs.engine.reduce_files(
        path, item="item", rater="rater", label="label", memory_limit=_MEMORY
    )
    cs.krippendorff_alpha(ratings).confidence_interval()
    return _taken(start)


def _taken(start: float) -> list[float]:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return [time.process_time() - start, peak * 1024 / 1e9]


def parquet(n_ratings: int, n_labels: int, n_raters: int) -> str:
    """Write a long file, up to five ratings an item, and return its path."""
    items = f"i // {min(_PER_ITEM, n_raters)}"
    return written_once(
        f"consilience-growth-{n_ratings}-{n_labels}-{n_raters}.parquet",
        f"SELECT {items} AS item, ((hash({items}) + i) % {n_raters})::INTEGER AS rater, 'w' || "
        f"(CASE WHEN hash(i * 7) % 10 < 7 THEN hash({items}) ELSE hash(i * 13) END % "
        f"{n_labels}) AS label FROM range({n_ratings}) t(i)",
    )


def _columns(n_ratings: int, n_labels: int, n_raters: int) -> dict[str, np.ndarray]:
    """Make narrow columns, a part at a time."""
    rng = np.random.default_rng(1)
    per_item = min(_PER_ITEM, n_raters)
    n_items = n_ratings // per_item
    item = np.repeat(np.arange(n_items, dtype=np.int32), per_item)
    rater = np.empty(item.size, dtype=np.int8 if n_raters < 128 else np.int32)
    label = np.empty(item.size, dtype=np.int8 if n_labels < 128 else np.int32)
    for start in range(0, n_items, _BLOCK // per_item):
        some = min(_BLOCK // per_item, n_items - start)
        block = slice(start * per_item, (start + some) * per_item)
        truth = np.repeat(rng.integers(0, n_labels, some), per_item)
        guess = rng.integers(0, n_labels, truth.size)
        label[block] = np.where(rng.random(truth.size) < 0.7, truth, guess)
        first = rng.integers(0, n_raters, some)[:, None]
        rater[block] = ((first + np.arange(per_item)) % n_raters).ravel()
    return {"item": item, "rater": rater, "label": label}


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Return the slope of log time over log size."""
    if len(sizes) < 2:
        return float("nan")
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def _cells(sizes: Sequence[int], found: Sequence[Measured]) -> list[str]:
    told = [f"{seconds:.1f} s, {memory:.1f} GB" for seconds, memory in found]
    slope = exponent(sizes, [seconds for seconds, _ in found])
    return [*told, f"{slope:.2f}"]


def written(table: str) -> None:
    """Put the table where the page keeps it."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGINS)
    _, _, after = rest.partition(ENDS)
    PAGE.write_text(f"{before}{BEGINS}\n{table}\n{ENDS}{after}", encoding="utf-8")


def main() -> None:
    """Measure every design, print the table and, if asked, write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=100_000_000)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    sizes = [10**k for k in range(6, 9) if 10**k <= asked.largest]
    named = [f"10^{round(np.log10(n))}" for n in sizes]
    heads = ["labels", "raters", *(f"memory, {n}" for n in named), "exponent",
             *(f"engine, {n}" for n in named), "exponent"]  # fmt: skip
    lines = ["| " + " | ".join(heads) + " |", "|" + " --: |" * len(heads)]
    print("\n".join(lines))
    for n_labels, n_raters in [(q, 5) for q in LABELS] + [(5, r) for r in RATERS]:
        cells = [f"{n_labels:,}", f"{n_raters:,}"]
        for where in ("in_memory", "on_the_engine"):
            cells += _cells(sizes, [measured(n, n_labels, n_raters, where) for n in sizes])
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
        for n in sizes:
            name = f"consilience-growth-{n}-{n_labels}-{n_raters}.parquet"
            (Path(tempfile.gettempdir()) / name).unlink(missing_ok=True)
    if asked.write:
        written("\n".join(lines))


if __name__ == "__main__":
    main()
