"""Run the coverage study and write docs/coverage.md."""

from __future__ import annotations

import argparse
import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.coverage._designs import Design, tuning_designs, validation_designs
from benchmarks.coverage._render import render
from benchmarks.coverage._study import COEFFICIENTS, Covered, study

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "coverage.md"
RESULTS = HERE / "results"
SETS = {"tuning": tuning_designs, "validation": validation_designs}
_ROUND = 250  # samples of every design before the counts are written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", dest="name", choices=(*SETS, "all", "none"), default="all")
    parser.add_argument("--runs", type=int, default=2_000, help="samples per design")
    parser.add_argument("--resamples", type=int, default=299, help="bootstrap resamples")
    parser.add_argument("--processes", type=int, help="default: one per core")
    parser.add_argument("--anew", action="store_true", help="forget the stored counts")
    options = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    wanted = {"all": tuple(SETS), "none": ()}.get(options.name, (options.name,))
    for name in wanted:
        if options.anew:
            (RESULTS / f"{name}.json").unlink(missing_ok=True)
        _run(name, options.runs, options.resamples, options.processes)
    PAGE.write_text(render(_read("validation"), _read("tuning")))
    print(f"written: {PAGE.relative_to(PAGE.parents[1])}")


def _run(name: str, n_runs: int, n_resamples: int, processes: int | None) -> None:
    """Draw samples in rounds over all designs, and write the counts after each round.

    Stored counts are continued; start anew after a change of the intervals.
    """
    designs = SETS[name]()
    stored = _read(name)
    cells: dict[tuple[Design, str], Covered] = {}
    before = 0
    if stored is not None and stored["n_resamples"] == n_resamples:
        cells = {(cell.design, cell.coefficient): cell for cell in stored["cells"]}
        before = stored["n_runs"]
    begun = time.perf_counter()
    with ProcessPoolExecutor(processes) as pool:
        for start in range(before, n_runs, _ROUND):
            size = min(_ROUND, n_runs - start)
            # Every design and round has its own random numbers: chance errors do not add up.
            jobs = [(d, size, n_resamples, [len(name), k, start]) for k, d in enumerate(designs)]
            for found in pool.map(_job, jobs):
                for cell in found:
                    cells.setdefault(
                        (cell.design, cell.coefficient),
                        Covered(cell.design, cell.coefficient, cell.truth),
                    ).add(cell)
            _write(name, list(cells.values()), start + size, n_resamples)
            done = time.perf_counter() - begun
            print(
                f"{name}: {start + size} of {n_runs} samples per design, {done:.0f} s", flush=True
            )


def _job(job: tuple[Design, int, int, list[int]]) -> list[Covered]:
    design, n_runs, n_resamples, seed = job
    return study(design, n_runs=n_runs, n_resamples=n_resamples, seed=seed)


def _write(name: str, cells: list[Covered], n_runs: int, n_resamples: int) -> None:
    assert len(cells) % len(COEFFICIENTS) == 0
    lines = ",\n  ".join(json.dumps(cell.to_dict()) for cell in cells)
    head = f'"n_runs": {n_runs}, "n_resamples": {n_resamples}'
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(f'{{{head}, "cells": [\n  {lines}\n]}}\n')


def _read(name: str) -> dict[str, Any] | None:
    path = RESULTS / f"{name}.json"
    if not path.exists():
        return None
    record = json.loads(path.read_text())
    return {**record, "cells": [Covered.from_dict(cell) for cell in record["cells"]]}


if __name__ == "__main__":
    main()
