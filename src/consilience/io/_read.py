"""Read ratings from files: find out the layout, encode in DuckDB, hand over integer codes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from consilience.exceptions import InputError
from consilience.io import _delimited, _parquet  # noqa: F401 - registers the formats
from consilience.io._build import build
from consilience.io._job import Content, Job
from consilience.io._paths import PathLike, check_paths
from consilience.io._reading import Reading
from consilience.io._registry import TextOptions, format_of
from consilience.io._session import Session
from consilience.io._shapes import Candidate, Layout, Wishes, recognise
from consilience.io._table import Table
from consilience.ratings import Ratings
from consilience.ratings._duplicates import check_policy
from consilience.ratings._labels import check_categories, check_scale

Names = str | Sequence[str] | None


@dataclass(frozen=True)
class Loaded:
    """Ratings from a file, by group, and how the file was read.

    Attributes
    ----------
    groups : dict
        Name of the group, or None where nothing was grouped, to its ratings.
    reading : Reading
        What the file was taken for.
    by : str or None
        What the groups are: the grouping column, or "variable" for several label columns.
    """

    groups: dict[str | None, Ratings]
    reading: Reading
    by: str | None = None

    @property
    def ratings(self) -> Ratings:
        """The ratings, where there is one group only."""
        if len(self.groups) > 1:
            raise InputError.expected(
                "the file", "one set of ratings", list(self.groups), "use read_groups"
            )
        return next(iter(self.groups.values()))


def load(
    path: PathLike | Iterable[PathLike],
    *,
    shape: str | None = None,
    item: Names = None,
    rater: Names = None,
    label: Names = None,
    by: str | None = None,
    scale: str | None = None,
    categories: Iterable[object] | None = None,
    missing_values: Collection[object] | object = (),
    duplicates: str = "refuse",
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> Loaded:
    """Read ratings and keep the account of how the file was understood.

    The parameters are those of `read` and `read_groups`.
    """
    scale = scale or "nominal"
    check_scale(scale)
    check_policy(duplicates)
    declared = None if categories is None else tuple(check_categories(categories))
    wishes = Wishes(
        shape=shape,
        item=_tuple(item),
        rater=_tuple(rater),
        label=_tuple(label),
        by=by,
        categories=tuple(str(category) for category in declared or ()),
    )
    content = Content(
        scale=scale,
        categories=declared,
        missing_values=_values(missing_values),
        duplicates=duplicates,
    )
    paths = check_paths(path)
    text = TextOptions(delimiter=_delimiter(delimiter), encoding=encoding, header=header)
    with Session() as session:
        table = format_of(paths).load(session, paths, text)
        candidate, others = recognise(table, wishes)
        job = build(table, candidate.layout, content)
        reading = _account(table, candidate, others, job)
    grouping = by if by is not None else "variable" if len(wishes.label) > 1 else None
    return Loaded(job.groups, reading, grouping)


def read(
    path: PathLike | Iterable[PathLike],
    *,
    shape: str | None = None,
    item: Names = None,
    rater: Names = None,
    label: str | None = None,
    scale: str | None = None,
    categories: Iterable[object] | None = None,
    missing_values: Collection[object] | object = (),
    duplicates: str = "refuse",
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> Ratings:
    """Read ratings from delimited text or Parquet; the layout is recognised.

    Use it for any file with ratings; `load` tells how the file was understood, `read_groups`
    splits it. Every guess can be overridden by one argument.

    Parameters
    ----------
    path : path or list of paths
        Several files must have the same columns. If no column names a rater, each file is one
        rater's.
    shape : {"long", "wide", "transposed", "counts", "table"}, optional
    item, rater, label : column names, optional
        Several `item` columns together name the item; several `rater` columns are the raters
        of a wide table.
    scale : {"nominal", "ordinal", "interval", "ratio"}, default "nominal"
    categories : the labels that could be used, in order; default those that were used
    missing_values : labels that mean "no rating", for example ``["NA", -99]``
        An empty cell of a text file is always missing.
    duplicates : {"refuse", "first", "last", "occasions"}
        What to do when a rater rated an item twice.
    delimiter, encoding, header : optional
        How to take delimited text; found out when left out.

    Returns
    -------
    Ratings

    Raises
    ------
    InputError
        The file cannot be read, or two layouts fit it equally well. The message names the file
        and the line, and the argument that settles it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "codes.csv"
    >>> _ = path.write_text("unit,coder,code\\n1,Ann,yes\\n1,Bob,yes\\n2,Ann,no\\n2,Bob,yes\\n")
    >>> read(path)
    Ratings(2 items × 2 raters, 4 ratings, 2 categories, nominal)
    """
    loaded = load(
        path,
        shape=shape,
        item=item,
        rater=rater,
        label=label,
        scale=scale,
        categories=categories,
        missing_values=missing_values,
        duplicates=duplicates,
        delimiter=delimiter,
        encoding=encoding,
        header=header,
    )
    return loaded.ratings


def read_groups(
    path: PathLike | Iterable[PathLike],
    *,
    by: str | None = None,
    label: Names = None,
    **options: Any,
) -> dict[str, Ratings]:
    """Read one set of ratings per group: per value of a column, or per label column.

    Parameters
    ----------
    path : path or list of paths
    by : column name, optional
        Each value of this column is a group, for example the variable that was coded.
    label : column names, optional
        Several label columns beside the item and the rater are one group each.
    **options
        As for `read`.

    Returns
    -------
    dict
        Name of the group to its `Ratings`; give it to `measure` as it is.
    """
    if by is None and len(_tuple(label)) < 2:
        raise InputError.expected(
            "by", "a column, or label a list of columns", None, "use read for a single group"
        )
    loaded = load(path, by=by, label=label, **options)
    return {str(name): ratings for name, ratings in loaded.groups.items()}


def _account(table: Table, candidate: Candidate, others: tuple[str, ...], job: Job) -> Reading:
    notes = [note for ratings in job.groups.values() for note in ratings.notes]
    return Reading(
        sources=tuple(str(path) for path in table.paths),
        format=table.format,
        shape=candidate.layout.shape,
        columns=_columns(table, candidate.layout),
        n_rows=table.n_rows,
        evidence=(*candidate.evidence, *table.evidence, *job.evidence),
        alternatives=others,
        notes=tuple(dict.fromkeys(notes)),
    )


def _columns(table: Table, layout: Layout) -> dict[str, tuple[str, ...]]:
    roles = {
        "item": layout.item if layout.shape != "table" else (),
        "rater": layout.rater,
        "label": layout.label,
        "category": layout.category,
        "by": () if layout.by is None else (layout.by,),
    }
    return {role: tuple(table.names[j] for j in places) for role, places in roles.items() if places}


def _tuple(names: Names) -> tuple[str, ...]:
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(names)


def _values(values: Collection[object] | object) -> tuple[object, ...]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Collection):
        return (values,)
    return tuple(values)


def _delimiter(delimiter: str | None) -> str | None:
    words = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "bar": "|", "pipe": "|"}
    if delimiter is None:
        return None
    delimiter = words.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise InputError.expected(
            "delimiter", "one character", delimiter, "try ',' ';' '|' or 'tab'"
        )
    return delimiter
