"""Rows that grow: today's ratings added to a file of rows, each file of ratings once."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.core.input_files import PathLike
from consilience.document import Cell, Document, Paragraph, Recorded, Table
from consilience.engine.rows_file import (
    add_rows,
    load_rows,
    record_of,
    save_rows,
)
from consilience.exceptions import InputError
from consilience.ratings import Ratings

_AT_ONCE = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class AddedFile(Recorded):
    """A file whose ratings are among the rows: its name, the hash of its content, its sizes."""

    name: str
    sha256: str
    items: int
    ratings: int


@dataclass(frozen=True, slots=True)
class RowsInside(Recorded):
    """What a file of rows holds.

    Attributes
    ----------
    path : str
    ratings : Ratings
    added : tuple of AddedFile
        The files that were added to it, in that order; empty where it was saved at once.
    """

    path: str
    ratings: Ratings
    added: tuple[AddedFile, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        return {"path": self.path, "added": [one.to_dict() for one in self.added]}

    def document(self) -> Document:
        """Return what is inside as something to read."""
        ratings = self.ratings
        said = (
            f"{self.path}: {ratings.n_items:,} items, {ratings.n_raters:,} raters, "
            f"{ratings.n_ratings:,} ratings; {ratings.scale} scale, "
            f"{len(ratings.categories):,} categories"
        )
        if not self.added:
            return Document(
                blocks=(Paragraph(said), Paragraph("Saved at once, nothing was added."))
            )
        rows: list[list[Cell]] = [
            [one.name, one.items, one.ratings, one.sha256[:12]] for one in self.added
        ]
        table = Table(heads=("file", "items", "ratings", "content"), rows=rows)
        return Document(blocks=(Paragraph(said), table))


def rows_inside(path: PathLike) -> RowsInside:
    """Say what a file of rows holds, and which files were added to it.

    Parameters
    ----------
    path : a file of rows

    Returns
    -------
    RowsInside

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "day1.rows"
    >>> monday = Ratings.from_table([[20, 5], [4, 21]], categories=["no", "yes"])
    >>> rows_inside(save_rows(monday, path)).added
    ()
    """
    source = Path(path)
    added = tuple(AddedFile(**one) for one in record_of(source).get("added", ()))
    return RowsInside(str(path), load_rows(source), added)


def add_to_rows(
    ratings: Ratings, path: PathLike, *, sources: Sequence[PathLike]
) -> tuple[RowsInside, bool]:
    """Add ratings to a file of rows, unless the files they come from are in it already.

    The sum is written beside the file and put in its place at once; whoever else adds at the same
    time waits. What a file is, its content says, not its name.

    Parameters
    ----------
    ratings : Ratings
        What was read from the sources.
    path : file of rows; a new one if there is none
    sources : the files that the ratings were read from

    Returns
    -------
    RowsInside
        What is in the file now.
    bool
        Whether anything was added.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "day1.csv").write_text("what the ratings were read from")
    >>> monday = Ratings.from_table([[20, 5], [4, 21]], categories=["no", "yes"])
    >>> for _ in range(2):
    ...     rows, new = add_to_rows(monday, folder / "all.rows", sources=[folder / "day1.csv"])
    ...     print(rows.ratings.n_items, new)
    50 True
    50 False
    """
    target = Path(path)
    hashes = [_content_hash(Path(source)) for source in sources]
    with _alone(target):
        known = rows_inside(target) if target.exists() else RowsInside(str(path), ratings, ())
        inside = {one.sha256: one.name for one in known.added}
        again = [str(source) for source, h in zip(sources, hashes, strict=True) if h in inside]
        if len(again) == len(sources):
            return known, False
        if again:
            raise InputError.expected(
                f"what is added to {target}",
                "new",
                f"{', '.join(again)}, which was added before, among files that were not",
                "leave it out",
            )
        merged = _as_rows(ratings, target)
        if target.exists():
            merged = add_rows(known.ratings, merged, target, Path(sources[0]))
        # The sizes are those of all files of one call: they were read together.
        new = [
            AddedFile(
                Path(source).name,
                h,
                ratings.n_items if len(sources) == 1 else 0,
                ratings.n_ratings if len(sources) == 1 else 0,
            )
            for source, h in zip(sources, hashes, strict=True)
        ]
        every = (*known.added, *new)
        save_rows(merged, target, existing="replace", added=[one.to_dict() for one in every])
    return RowsInside(str(path), load_rows(target), every), True


def _as_rows(ratings: Ratings, target: Path) -> Ratings:
    """Return ratings as a file of rows has them: distinct items, raters and labels in order."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
        return load_rows(save_rows(ratings, Path(folder) / "new.rows"))


def _content_hash(source: Path) -> str:
    found = hashlib.sha256()
    with source.open("rb") as file:
        while part := file.read(_AT_ONCE):
            found.update(part)
    return found.hexdigest()


@contextlib.contextmanager
def _alone(target: Path) -> Iterator[None]:
    """Let one process at a time add to a file, where the system knows such locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    folder = os.open(target.parent, os.O_RDONLY)  # nothing of its own is left behind
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
