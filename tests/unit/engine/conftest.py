"""One table of ratings in every form that an engine takes, and a real Spark session."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs


def long_table(
    seed: int = 0, n_items: int = 400, raters: str = "abcd", labels: str = "xyz"
) -> dict:
    rng = np.random.default_rng(seed)
    n = len(raters)
    item = np.repeat([f"item {k}" for k in range(n_items)], n)
    truth = np.repeat(rng.integers(0, len(labels), n_items), n)
    drawn = rng.integers(0, len(labels), n_items * n)
    code = np.where(rng.random(n_items * n) < 0.7, truth, drawn)
    keep = rng.random(n_items * n) > 0.2
    order = rng.permutation(keep.sum())
    return {
        "item": item[keep][order],
        "rater": np.tile(list(raters), n_items)[keep][order],
        "label": np.array(list(labels))[code][keep][order],
    }


@pytest.fixture(scope="session")
def table() -> dict:
    return long_table()


@pytest.fixture(scope="session")
def ratings(table) -> cs.Ratings:
    return cs.Ratings.from_long(table)
