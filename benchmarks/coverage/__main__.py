"""Run the coverage study and write docs/coverage.md."""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from benchmarks.coverage._designs import designs
from benchmarks.coverage._render import render, verdict
from benchmarks.coverage._study import study

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000, help="samples per design")
    parser.add_argument("--resamples", type=int, default=499, help="bootstrap resamples")
    options = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    work = partial(study, n_runs=options.runs, n_resamples=options.resamples, seed=1)
    grid = designs()
    cells, begun = [], time.perf_counter()
    with ProcessPoolExecutor() as pool:
        for k, found in enumerate(pool.map(work, grid), start=1):
            cells += found
            print(f"{k}/{len(grid)} designs, {time.perf_counter() - begun:.0f} s", flush=True)
    PAGE.write_text(render(cells, n_runs=options.runs, n_resamples=options.resamples))
    for method in ("analytic", "bca", "transformed", "auto"):
        good, judged = verdict(cells, method)
        print(f"{method}: {good} of {judged} designs covered as they should")
    print(f"written: {PAGE.relative_to(PAGE.parents[1])}")


if __name__ == "__main__":
    main()
