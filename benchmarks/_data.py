"""The data of the benchmarks, made with numpy alone so that every program sees the same bits.

Each item has a true label; a rater knows it with probability 0.775 and else guesses uniformly.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

N_LABELS = 5
MISSING = -1
BLOCK = 1_000_000  # items made at a time, each block with a seed of its own
HEAD = 100_000  # first items on which a peer checks a job that is too large for it
HEAD_OF_FLOATS = 100  # the same for numbers that do not repeat: krippendorff needs N × V × V cells
_KNOWS = 0.775


def integers(n_items: int, n_raters: int, *, missing: float = 0.0) -> NDArray[np.int8]:
    """Items × raters of labels 0..4, and -1 where a rating is missing."""
    out = np.empty((n_items, n_raters), dtype=np.int8)
    for block, start in enumerate(range(0, n_items, BLOCK)):
        rng = np.random.default_rng([n_raters, block])
        part = out[start : start + BLOCK]
        truth = rng.integers(0, N_LABELS, (len(part), 1), dtype=np.int8)
        guess = rng.integers(0, N_LABELS, part.shape, dtype=np.int8)
        part[:] = np.where(rng.random(part.shape) < _KNOWS, truth, guess)
        part[rng.random(part.shape) < missing] = MISSING
    return out


def floats_with_gaps(n_items: int, n_raters: int, *, missing: float) -> NDArray[np.float64]:
    """The same labels as floats, NaN where a rating is missing."""
    ratings = integers(n_items, n_raters, missing=missing)
    out = ratings.astype(np.float64)
    out[ratings == MISSING] = np.nan
    return out


def measurements(n_items: int, n_raters: int) -> NDArray[np.float64]:
    """Items × raters of numbers that hardly ever repeat."""
    rng = np.random.default_rng(3)
    return rng.normal(size=(n_items, 1)) + rng.normal(scale=0.8, size=(n_items, n_raters))


def crowd(
    n_ratings: int, *, shuffled: bool, n_raters: int | None = None
) -> dict[str, NDArray[np.int64]]:
    """Long format: five ratings an item, raters drawn from a crowd of one per 200 ratings."""
    n_items, n_raters = n_ratings // 5, n_raters or max(n_ratings // 200, 10)
    rng = np.random.default_rng(5)
    first = rng.integers(0, n_raters, n_items)
    step = rng.integers(1, max(n_raters // 5, 2), n_items)
    columns = {
        "item": np.repeat(np.arange(n_items), 5),
        "rater": ((first[:, None] + step[:, None] * np.arange(5)) % n_raters).ravel(),
        "label": integers(n_items, 5).astype(np.int64).ravel(),
    }
    if shuffled:
        order = rng.permutation(columns["item"].size)
        columns = {name: column[order] for name, column in columns.items()}
    return columns


def parquet(n_ratings: int) -> str:
    """Write a long Parquet file, five raters on every item, and return its path.

    Labels follow from hashes, so that every program reads the same bits.
    """
    label = (
        f"CASE WHEN hash(i * 7 + 1) % 1000 < {round(1000 * _KNOWS)} "
        f"THEN hash(i // 5) % {N_LABELS} ELSE hash(i * 13 + 5) % {N_LABELS} END"
    )
    return written_once(
        f"consilience-bench-{n_ratings}.parquet",
        "SELECT (i // 5)::BIGINT AS item, 'rater ' || (i % 5) AS rater, "
        f"'label ' || ({label}) AS label FROM range({n_ratings}) t(i)",
    )


def long_file(n_ratings: int, suffix: str, *, n_raters: int = 5) -> str:
    """Write a shuffled long file with named items, five ratings of each, and return its path."""
    rater = f"(hash(i // 5) + (i % 5) * {max(n_raters // 5, 1)}) % {n_raters}"
    return written_once(
        f"consilience-bench-{n_ratings}-shuffled-{n_raters}{suffix}",
        "SELECT 'item ' || lpad((i // 5)::VARCHAR, 8, '0') AS item, "
        f"'rater ' || ({rater}) AS rater, 'label ' || (hash(i) % {N_LABELS}) AS label "
        f"FROM range({n_ratings}) t(i) ORDER BY hash(i * 7 + 1)",
    )


def wide_file(n_raters: int) -> str:
    """Write 300 items with a column of marks for each rater, and return the path."""
    path = Path(tempfile.gettempdir()) / f"consilience-bench-300-by-{n_raters}.csv"
    if not path.exists():
        made = path.with_name(f"making-{path.name}")
        names = ["item", *(f"rater{k}" for k in range(1, n_raters + 1))]
        rows = [[f"doc{i}", *row] for i, row in enumerate(integers(300, n_raters).tolist())]
        lines = (",".join(map(str, row)) for row in [names, *rows])
        made.write_text("\n".join(lines) + "\n", encoding="utf-8")
        made.replace(path)
    return str(path)


def written_once(name: str, sql: str) -> str:
    """Write what a query selects, once, and return the path.

    Another process writes it, so that the memory it takes is not counted for what is measured; the
    peers find the file that our own environment has made.
    """
    path = Path(tempfile.gettempdir()) / name
    if not path.exists():
        made = path.with_name(f"making-{name}")
        code = "import duckdb, sys; duckdb.execute(sys.argv[1])"
        command = [sys.executable, "-c", code, f"COPY ({sql}) TO '{made}'"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        made.replace(path)
    return str(path)


def texts(n_items: int) -> list[NDArray[np.str_]]:
    """Two raters' labels as text."""
    names = np.array(["per", "org", "loc", "evt", "oth"])
    return [names[column] for column in integers(n_items, 2).T]


def words(n_items: int, n_labels: int) -> list[NDArray[np.str_]]:
    """Two raters' labels as text, of very many."""
    rng = np.random.default_rng(9)
    truth = rng.integers(0, n_labels, n_items)
    drawn = rng.integers(0, n_labels, (2, n_items))
    return [np.where(rng.random(n_items) < _KNOWS, truth, one).astype(str) for one in drawn]


def sets(n_items: int, n_raters: int) -> list[list[frozenset[int]]]:
    """Items × raters of sets over 12 labels; no set is empty."""
    rng = np.random.default_rng(6)
    truth = rng.random((n_items, 1, 12)) < 0.25
    guess = rng.random((n_items, n_raters, 12)) < 0.25
    chosen = np.where(rng.random((n_items, n_raters, 12)) < _KNOWS, truth, guess)
    chosen[..., 0] |= ~chosen.any(axis=-1)
    return [[frozenset(np.flatnonzero(one).tolist()) for one in item] for item in chosen]


def continuum(n_units: int, n_raters: int) -> dict[str, NDArray[Any]]:
    """Units of raters who see the same events, each a little elsewhere, with labels 0..4."""
    rng = np.random.default_rng(8)
    shape = (n_raters, n_units)
    start = np.sort(rng.uniform(0, 15 * n_units, n_units)) + rng.normal(0, 2, shape) + 50
    length = rng.uniform(5, 12, n_units) + rng.normal(0, 1.5, shape)
    truth, guess = rng.integers(0, N_LABELS, n_units), rng.integers(0, N_LABELS, shape)
    label = np.where(rng.random(shape) < _KNOWS, truth, guess)
    return {
        "start": start.ravel(),
        "end": (start + np.maximum(length, 1.0)).ravel(),
        "label": label.ravel().astype(str),
        "rater": np.repeat(np.arange(n_raters), n_units).astype(str),
    }


def segmentations(n_texts: int, n_raters: int) -> dict[str, dict[str, list[int]]]:
    """Segment lengths of texts of 500 sentences by raters who see the same breaks, nearly."""
    rng = np.random.default_rng(9)
    out: dict[str, dict[str, list[int]]] = {str(r): {} for r in range(n_raters)}
    for text in range(n_texts):
        truth = rng.random(499) < 0.08
        for texts in out.values():
            seen = (truth & (rng.random(499) < 0.8)) | (rng.random(499) < 0.01)
            late = seen & (rng.random(499) < 0.2)
            cuts = np.flatnonzero((seen & ~late) | np.roll(late, 1)) + 1
            texts[str(text)] = np.diff(np.concatenate([[0], cuts, [500]])).tolist()
    return out
