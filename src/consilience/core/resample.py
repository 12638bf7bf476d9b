"""Seeds, numbers of resamples, and work in threads: what everything that resamples shares."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from consilience.exceptions import ForPrograms, InputError, Option, Words

Progress = Callable[[int, int], None]
# In quotes: asking numpy for its generators loads them, and a study without resamples has none.
Seed: TypeAlias = "int | np.random.Generator | np.random.SeedSequence | None"


def in_threads(work: Callable[[Any], Any], jobs: Sequence[Any]) -> Iterator[Any]:
    """Yield the results of jobs in order; an interrupt drops what has not begun."""
    threads = min(os.cpu_count() or 1, len(jobs))
    if threads < 2:
        yield from map(work, jobs)
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(threads)
    try:
        yield from pool.map(work, jobs)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def seed_sequence(rng: Seed) -> np.random.SeedSequence:
    """Turn a seed or a generator into a sequence that can be split."""
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if isinstance(rng, np.random.Generator):
        return np.random.SeedSequence((rng.bit_generator.random_raw(4) >> np.uint64(1)).tolist())
    if rng is None:
        return np.random.SeedSequence()
    if is_whole(rng) and int(rng) >= 0:
        return np.random.SeedSequence(int(rng))
    raise InputError.expected(
        "rng",
        Words("a whole number of 0 or more", ForPrograms(", or a numpy Generator")),
        rng,
        Words("for example ", Option("rng", 0)),
    )


MOST_RESAMPLES = 10_000_000  # beyond, only a slip of the finger asks


def is_whole(number: object) -> bool:
    """Tell whether something is a whole number, and not True or False."""
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def check_resamples(n_resamples: int) -> None:
    """Refuse a number of resamples that gives no distribution."""
    if not is_whole(n_resamples) or n_resamples < 1:
        raise InputError.expected(
            "n_resamples", "a whole number of at least 1", n_resamples, "for example 9999"
        )
    if n_resamples > MOST_RESAMPLES:
        raise InputError.expected(
            "n_resamples", f"at most {MOST_RESAMPLES:,}", n_resamples, "for example 9999"
        )
