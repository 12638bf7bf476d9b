"""The made-up study as a file, to be looked at like any other."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

from consilience.latent.entries import entries_of
from consilience.simulate.demo_study import made_study


def write(path: str, tell: Callable[[str], None]) -> str:
    """Write the ratings as a wide table."""
    ratings = made_study()
    entries = entries_of("the demo", ratings)
    labels = [[""] * len(ratings.raters) for _ in range(ratings.n_items)]
    for i, g, k in zip(entries.item, entries.rater, entries.label, strict=True):
        labels[i][g] = str(ratings.categories[k])
    with Path(path).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["letter", *map(str, ratings.raters)])
        writer.writerows([f"letter {i + 1}", *row] for i, row in enumerate(labels))
    return path
