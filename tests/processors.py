"""Other processors on this one: what commands and models say where arithmetic rounds differently.

OpenBLAS and numpy choose their routines by what the processor can do, and each adds up in an order
of its own. Two variables make them choose as on another machine:

    OPENBLAS_CORETYPE=Nehalem python tests/processors.py numbers.json
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent
# The kernels of a processor, whether numpy may use its wide registers, and how many threads add up.
PROCESSORS = {
    "Haswell": (True, 2),
    "SkylakeX": (True, 4),
    "Nehalem": (False, 1),
    "Prescott": (False, 2),
    "Sandybridge": (True, 1),
}


def as_on(processor: str) -> dict[str, str]:
    """Return the variables under which libraries compute as on a processor."""
    from numpy._core import _multiarray_umath as umath

    wide, threads = PROCESSORS[processor]
    return {
        "OPENBLAS_CORETYPE": processor,
        "OPENBLAS_NUM_THREADS": str(threads),
        "NPY_DISABLE_CPU_FEATURES": "" if wide else " ".join(umath.__cpu_dispatch__),
    }


def numbers_on(processor: str, folder: Path) -> dict[str, Any]:
    """Return what every command of the records and every model says on a processor."""
    path = folder / f"{processor}.json"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, str(path)],
        env={**os.environ, **as_on(processor)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def numbers() -> Iterator[tuple[str, Any]]:
    """Yield a name and plain data for each command of the records and each registered model."""
    sys.path[:0] = [str(TESTS), str(TESTS / "contract")]
    import test_golden_json as records

    for case in (*records.CASES, *records.DATASETS):
        yield case, records.found(case)
    yield from models()


def models() -> Iterator[tuple[str, Any]]:
    """Yield what every registered model says of made-up studies, by name."""
    import consilience as cs
    from consilience.exceptions import ConsilienceError
    from consilience.latent import LATENT_MODELS

    labels, marks = _studies()
    for study, ratings in labels.items():
        for name, model in LATENT_MODELS.items():
            settings = {
                key: value for key, value in {"n_resamples": 19, "rng": 1}.items()
                if key in model.takes
            }  # fmt: skip
            try:
                yield f"{name} of {study}", model.fit(ratings, **settings).to_dict()
            except ConsilienceError as refused:
                yield f"{name} of {study}", str(refused)
    for study, ratings in marks.items():
        for name, measure in cs.magnitudes.measures().items():
            try:
                yield f"{name} of {study}", measure(ratings).to_dict()
            except ConsilienceError as refused:
                yield f"{name} of {study}", str(refused)
    for study, ratings in {**labels, **marks}.items():
        yield f"measure of {study}", json.loads(cs.measure(ratings).to_json())


def _studies() -> tuple[dict[str, Any], dict[str, Any]]:
    """Made-up labels and marks, with gaps: a crowd, a scale, pairs, repeated items."""
    import numpy as np

    import consilience as cs

    random = np.random.default_rng(20)
    labels = {}
    for study, n_items, n_raters, n_labels, asked, rounds in (
        ("a crowd", 120, 9, 3, 0.5, 1),
        ("a pair", 60, 2, 2, 1.0, 1),
        ("a scale", 90, 4, 5, 0.8, 1),
        ("rounds", 40, 3, 3, 1.0, 2),
    ):
        truth = random.integers(0, n_labels, n_items)
        long = []
        for occasion in range(rounds):
            for rater, fault in enumerate(np.linspace(0.1, 0.5, n_raters)):
                slip = (random.random(n_items) < fault) * random.integers(-1, 2, n_items)
                given = np.clip(truth + slip, 0, n_labels - 1)
                keep = random.random(n_items) < asked
                long += [(i, rater, int(given[i]), occasion) for i in np.flatnonzero(keep)]
        names = ("item", "rater", "label", "round")
        labels[study] = cs.Ratings.from_long(
            dict(zip(names, map(list, zip(*long, strict=True)), strict=True)),
            occasion="round" if rounds > 1 else None,
            scale="ordinal" if study == "a scale" else "nominal",
        )
    marks = {}
    for study, n_raters in (("five raters", 5), ("two raters", 2)):
        values = random.normal(size=(40, 1)) + random.normal(0.0, 0.4, (40, n_raters))
        values[random.random(values.shape) < 0.15] = np.nan
        marks[study] = cs.Ratings.from_wide(values, scale="interval")
    return labels, marks


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(dict(numbers()), default=str), encoding="utf-8")
