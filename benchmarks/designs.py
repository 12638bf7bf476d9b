"""How time grows with the ratings for few and many labels and raters.

``python -m benchmarks.designs [--largest 100000000]`` measures alpha, pi and AC1 with their errors
and default intervals in memory, and alpha with its interval from a Parquet file on the engine, for
each number of labels and raters, and prints the exponents as the table of docs/scale.md. Times are
processor time, which other work on the machine does not lengthen.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

LABELS = (2, 100, 10_000, 100_000)
RATERS = (2, 100, 10_000, 100_000)
_PER_ITEM = 5


def measured(n_ratings: int, n_labels: int, n_raters: int, where: str) -> float:
    """Return the processor seconds of one job, in a process of its own."""
    sizes = f"{n_ratings}, {n_labels}, {n_raters}"
    task = f"from benchmarks.designs import {where} as job; print(job({sizes}))"
    done = subprocess.run([sys.executable, "-c", task], check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def in_memory(n_ratings: int, n_labels: int, n_raters: int) -> float:
    """Return the seconds that ratings in memory take, from arrays to intervals."""
    import consilience as cs

    columns = _columns(n_ratings, n_labels, n_raters)
    start = time.process_time()
    ratings = cs.Ratings.from_codes(
        **columns, raters=range(n_raters), categories=[f"w{k}" for k in range(n_labels)]
    )
    for coefficient in (cs.krippendorff_alpha, cs.scott_pi, cs.gwet_ac):
        coefficient(ratings).confidence_interval()
    return time.process_time() - start


def on_the_engine(n_ratings: int, n_labels: int, n_raters: int) -> float:
    """Return the seconds that a Parquet file takes, from disk to an interval."""
    import duckdb

    import consilience as cs

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.parquet"
        items = f"i // {min(_PER_ITEM, n_raters)}"
        duckdb.execute(
            f"COPY (SELECT {items} AS item, (hash({items}) + i) % {n_raters} AS rater, 'w' || "
            f"(CASE WHEN hash(i * 7) % 10 < 7 THEN hash({items}) ELSE hash(i * 13) END % "
            f"{n_labels}) AS label FROM range({n_ratings}) t(i)) TO '{path}'"
        ).fetchall()
        start = time.process_time()
        ratings = cs.engine.reduce_files(path, item="item", rater="rater", label="label")
        cs.krippendorff_alpha(ratings).confidence_interval()
        return time.process_time() - start


def _columns(n_ratings: int, n_labels: int, n_raters: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    per_item = min(_PER_ITEM, n_raters)
    n_items = n_ratings // per_item
    truth = np.repeat(rng.integers(0, n_labels, n_items), per_item)
    guess = rng.integers(0, n_labels, n_items * per_item)
    first = rng.integers(0, n_raters, n_items)[:, None]
    return {
        "item": np.repeat(np.arange(n_items), per_item),
        "rater": ((first + np.arange(per_item)) % n_raters).ravel(),
        "label": np.where(rng.random(truth.size) < 0.7, truth, guess),
    }


def main() -> None:
    """Measure every design and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=100_000_000)
    largest = parser.parse_args().largest
    sizes = [10**k for k in range(6, 9) if 10**k <= largest]
    heads = ["labels", "raters", *(f"memory, {n:.0e}" for n in sizes), "exponent",
             *(f"engine, {n:.0e}" for n in sizes), "exponent"]  # fmt: skip
    print("| " + " | ".join(heads) + " |")
    print("|" + "--:|" * len(heads))
    designs = [(q, 5) for q in LABELS] + [(5, r) for r in RATERS if r != 5]
    for n_labels, n_raters in designs:
        cells = [f"{n_labels:,}", f"{n_raters:,}"]
        for where in ("in_memory", "on_the_engine"):
            seconds = [measured(n, n_labels, n_raters, where) for n in sizes]
            slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0] if len(sizes) > 1 else np.nan
            cells += [*(f"{one:.2f} s" for one in seconds), f"{slope:.2f}"]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
