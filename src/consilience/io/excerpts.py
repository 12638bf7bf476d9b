"""Parts of a file to look at: its first rows as they stand, and items drawn by chance."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from consilience.core.cell_values import clean_value
from consilience.core.database import identifier
from consilience.core.options import READING, ReadingOptions, written_out
from consilience.io._read import opened
from consilience.io.building._bookkeeping import Job, columns_by_role
from consilience.io.options import request_of
from consilience.io.table import Table

# ---- the first rows of a file as a table, whatever they mean, to be shown beside a guess

_FIRST_ROWS = 8


@dataclass(frozen=True, kw_only=True)
class FirstLook:
    """What stands at the beginning of a table.

    Attributes
    ----------
    names : tuple of str
        What the file calls its columns.
    rows : tuple of tuples
        The first rows; None is an empty cell.
    n_rows : int
        How many rows there are.
    there : tuple or None
        The row at the line that was asked for, if there is one.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    n_rows: int
    there: tuple[Any, ...] | None = None

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.names)


@written_out(ReadingOptions, READING)
def first_look(
    path: Any, *, line: int | None = None, **options: Unpack[ReadingOptions]
) -> FirstLook | None:
    """Return the first rows of a file, with the same options as `load`; None for an export.

    Parameters
    ----------
    path : path or list of paths
    line : int, optional
        A line of the file, as messages name it, to be shown as well.
    options : as in `load`; those about columns are not needed

    Returns
    -------
    FirstLook or None

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "codes.csv"
    >>> _ = file.write_text("unit,Ann,Bob\\n1,yes,yes\\n2,no,yes\\n")
    >>> look = first_look(file)
    >>> look.names, look.rows[1], look.n_rows
    (('unit', 'Ann', 'Bob'), ('2', 'no', 'yes'), 2)
    """
    with opened(path, request_of(**options)) as file:
        if file.export is not None:
            return None
        table = file.table
        rows = tuple(table.sample()[:_FIRST_ROWS])
        there = None if line is None else _row_at(table, line)
        return FirstLook(names=table.names, rows=rows, n_rows=table.n_rows, there=there)


def _row_at(table: Table, line: int) -> tuple[Any, ...] | None:
    """Return the row that messages call so; nothing where lines and rows do not go together."""
    for row in range(max(0, line - 3), line):
        if re.search(rf" {line:,}$", table.locate(row)):
            columns = ", ".join(f"c{j}" for j in range(len(table.names)))
            found = table.session.rows(
                f"SELECT {columns} FROM {table.relation} WHERE {table.row} = {row}"
            )
            return tuple(map(clean_value, found[0])) if found else None
    return None


# ---- some items of a large file, drawn by chance, as a small file

# How the bytes of the file were to be taken: the sample is plain.
_SETTLED = ("format", "sheet", "delimiter", "encoding", "header", "items")
_MOST_RATERS = 1_000


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Some items of a file.

    Attributes
    ----------
    path : Path
        The small file.
    n_items, of : int
        How many items it holds, and how many the file has.
    options : dict
        How to read it so that it means what the file means.
    raters : tuple of str
        The raters of the file in the order in which they appear, where each rating names its own
        and they are not too many; some may not be among these items.
    """

    path: Path
    n_items: int
    of: int
    options: dict[str, Any]
    raters: tuple[str, ...] = ()


@written_out(ReadingOptions, READING)
def sample_items(
    path: Any,
    folder: Path,
    *,
    most: int = 10_000,
    memory_limit: str | None = None,
    **options: Unpack[ReadingOptions],
) -> Sample | None:
    """Write all ratings of some items of a table into a folder; the same items every time.

    Items are put in the order of a fingerprint of their names, which has nothing to do with what
    they are, and the first are taken.

    Parameters
    ----------
    path : path or list of paths
    folder : Path
        Where the small file is written.
    most : int
        How many items.
    memory_limit : str, optional
        Such as "1GB"; what does not fit lies on the disk.
    options : as in `load`

    Returns
    -------
    Sample or None
        None where items are not rows of a table: exports, cross-tables, a row per rater.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> file = folder / "codes.csv"
    >>> _ = file.write_text("unit,Ann,Bob\\n" + "\\n".join(f"{k},yes,no" for k in range(50)))
    >>> found = sample_items(file, folder, most=20)
    >>> found.n_items, found.of, found.options["shape"]
    (20, 50, 'wide')
    """
    request = replace(request_of(**options), memory_limit=memory_limit)
    with opened(path, request) as file:
        if file.export is not None:
            return None
        table, layout = file.table, file.layout
        if layout.shape not in ("long", "wide", "counts") or layout.rater_is_file:
            return None
        job = Job(table, layout, request)
        item = job.item() if layout.shape == "long" else table.row
        n_items = _choose(table, item, most)
        place = _written(table, item, folder)
        of = int(table.session.one(f"SELECT count(DISTINCT {item}) FROM {table.relation}"))
        raters = _raters(table, job.name(layout.rater[0])) if layout.shape == "long" else ()
        columns = columns_by_role(table, layout)
    kept: dict[str, Any] = {name: one for name, one in options.items() if name not in _SETTLED}
    if table.is_text:
        kept |= {"header": True, "delimiter": ",", "encoding": "utf-8"}
    plain = not (layout.variables or layout.has_groups or layout.by is not None)
    told = {"shape": layout.shape} | (_named(columns) if plain else {})
    return Sample(path=place, n_items=n_items, of=of, options=kept | told, raters=raters)


def _named(columns: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return the columns of a reading as the options that name them."""
    return {role: columns[role] for role in ("item", "rater", "label") if columns.get(role)}


def _raters(table: Table, rater: str) -> tuple[str, ...]:
    """Return the raters in the order of the file; none where they are a crowd."""
    found = table.session.rows(
        f"SELECT {rater}::VARCHAR FROM {table.relation} WHERE {rater} IS NOT NULL "
        f"GROUP BY 1 ORDER BY min({table.row}) LIMIT {_MOST_RATERS + 1}"
    )
    names = dict.fromkeys(str(name).strip() for (name,) in found)
    return tuple(names) if len(found) <= _MOST_RATERS else ()


def _choose(table: Table, item: str, most: int) -> int:
    run = table.session.run
    run(
        "CREATE OR REPLACE TEMP TABLE chosen_ AS SELECT item_ FROM "
        f"(SELECT DISTINCT {item} AS item_ FROM {table.relation}) "
        f"WHERE item_ IS NOT NULL ORDER BY md5(item_::VARCHAR), item_ LIMIT {int(most)}"
    )
    return int(table.session.one("SELECT count(*) FROM chosen_"))


def _written(table: Table, item: str, folder: Path) -> Path:
    """Write the ratings of the chosen items: text as text, typed columns with their types."""
    session = table.session
    cells = ", ".join(f"c{j} AS {identifier(name)}" for j, name in enumerate(table.names))
    select = (
        f"SELECT {cells} FROM {table.relation} "
        f"WHERE {item} IN (SELECT item_ FROM chosen_) ORDER BY {table.row}"
    )
    target = folder / f"{session.new_name('sample')}.{'csv' if table.is_text else 'parquet'}"
    (session.save_text if table.is_text else session.save_parquet)(select, target)
    return target
