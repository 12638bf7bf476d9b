"""Ratings as codes on disk, sorted by item and read a part at a time: what many passes need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from consilience.core.arrays import Ints
from consilience.engine.duckdb_engine import DuckTable
from consilience.engine.reduction_parts import Vocabulary

_AT_ONCE = 4_000_000  # ratings held at a time


@dataclass(frozen=True)
class RatingFiles:
    """Two files of whole numbers: the item of each rating, and its cell (rater · label).

    Ratings of one item lie together; a part never ends within an item.
    """

    folder: Path
    n_ratings: int
    n_items: int
    n_raters: int
    n_labels: int

    @classmethod
    def written(
        cls, table: DuckTable, vocabulary: Vocabulary, folder: Path, at_once: int = _AT_ONCE
    ) -> RatingFiles:
        """Sort the ratings of a table by item, in DuckDB and on disk if need be, and write them."""
        coded, parameters = table.coded(vocabulary)
        n_labels = len(vocabulary.reading.labels)
        run = table.connection.execute
        run(
            "CREATE OR REPLACE TEMP TABLE ratings_ AS SELECT i, "
            f"(r * {n_labels} + k)::INTEGER AS cell FROM {coded} ORDER BY i",
            parameters,
        ).fetchall()
        n_ratings = n_items = 0
        last = -1
        total = int(run("SELECT count(*) FROM ratings_").fetchone()[0])
        with (folder / "item").open("wb") as items, (folder / "cell").open("wb") as cells:
            for start in range(0, total, at_once):
                part = run(
                    f"SELECT i, cell FROM ratings_ WHERE rowid >= {start} "
                    f"AND rowid < {start + at_once} ORDER BY rowid"
                ).fetchnumpy()
                item = np.ascontiguousarray(part["i"], dtype=np.int32)
                n_items += int(item[0] != last) + int((item[1:] != item[:-1]).sum())
                last = int(item[-1])
                item.tofile(items)
                np.ascontiguousarray(part["cell"], dtype=np.int32).tofile(cells)
                n_ratings += item.size
        run("DROP TABLE ratings_").fetchall()
        return cls(folder, n_ratings, n_items, len(vocabulary.raters), n_labels)

    def parts(self, at_once: int = _AT_ONCE) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Yield items, where the ratings of each begin (and the end), and the ratings' cells."""
        start = 0
        while start < self.n_ratings:
            item = self._read("item", start, at_once)
            stop = item.size
            if start + stop < self.n_ratings:  # leave the last item to the next part
                stop = int(np.searchsorted(item, item[-1]))
                if not stop:  # one item has more ratings than that
                    at_once *= 2
                    continue
            cell = self._read("cell", start, stop)
            item = item[:stop]
            begin = np.flatnonzero(np.concatenate([[True], item[1:] != item[:-1]]))
            yield item[begin], np.append(begin, stop), cell
            start += stop

    def _read(self, name: str, start: int, size: int) -> Any:
        return np.fromfile(self.folder / name, dtype=np.int32, count=size, offset=4 * start)
