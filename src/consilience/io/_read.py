"""Read ratings from files: find out the layout, encode in DuckDB, hand over integer codes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from consilience.exceptions import InputError
from consilience.io._build import build
from consilience.io._explain import table_guesses
from consilience.io._job import Job
from consilience.io._list_cells import without_lists
from consilience.io._load_export import export_for, load_export
from consilience.io._paths import PathLike, check_paths
from consilience.io._reading import Reading
from consilience.io._registry import format_of
from consilience.io._request import Names, Request, request_of, tuple_of
from consilience.io._session import Session
from consilience.io._shapes import Candidate, Layout, recognise
from consilience.io._source import Source
from consilience.io._table import Table
from consilience.io._table_files import table_files
from consilience.ratings import Ratings


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
                "the file",
                "one set of ratings",
                list(self.groups),
                "name one with label= or variable= (--label, --variable), or use read_groups",
            )
        return next(iter(self.groups.values()))


def load(
    path: PathLike | Iterable[PathLike],
    *,
    format: str | None = None,
    shape: str | None = None,
    item: Names = None,
    rater: Names = None,
    label: Names = None,
    variable: Names = None,
    by: str | None = None,
    scale: str | None = None,
    categories: Iterable[object] | None = None,
    missing_values: Collection[object] | object = (),
    duplicates: str = "refuse",
    items: str = "names",
    empty: str = "missing",
    excluded: str = "leave_out",
    predictions: str = "leave_out",
    gold: str = "leave_out",
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> Loaded:
    """Read ratings and keep the account of how the file was understood.

    The parameters are those of `read` and `read_groups`.
    """
    request = request_of(
        format=format,
        shape=shape,
        item=item,
        rater=rater,
        label=label,
        variable=variable,
        by=by,
        scale=scale,
        categories=categories,
        missing_values=missing_values,
        duplicates=duplicates,
        items=items,
        empty=empty,
        excluded=excluded,
        predictions=predictions,
        gold=gold,
        delimiter=delimiter,
        encoding=encoding,
        header=header,
    )
    source = Source(tuple(check_paths(path, folders="allow")))
    found = export_for(source, request)
    if found is not None:
        groups, reading = load_export(source, *found, request)
        return Loaded(groups, reading, None if None in groups else "variable")
    return _load_table(source, request)


def _load_table(source: Source, request: Request) -> Loaded:
    with Session(source.where) as session:
        table = open_table(session, source, request)
        candidate, others = recognise(table, request.wishes)
        job = build(table, candidate.layout, request.table_content(table, candidate.layout))
        reading = account(table, candidate, others, job, request)
    several = len(candidate.layout.label) > 1
    by = request.wishes.by if request.wishes.by is not None else "variable" if several else None
    return Loaded(job.groups, reading, by)


def open_table(session: Session, source: Source, request: Request) -> Table:
    """Load the files as one table with one value in each cell."""
    paths = table_files(source)
    table = format_of(paths, request.format).load(session, paths, request.text)
    return without_lists(table, request.wishes)


def read(
    path: PathLike | Iterable[PathLike],
    *,
    format: str | None = None,
    shape: str | None = None,
    item: Names = None,
    rater: Names = None,
    label: str | None = None,
    variable: str | None = None,
    scale: str | None = None,
    categories: Iterable[object] | None = None,
    missing_values: Collection[object] | object = (),
    duplicates: str = "refuse",
    items: str = "names",
    empty: str = "missing",
    excluded: str = "leave_out",
    predictions: str = "leave_out",
    gold: str = "leave_out",
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> Ratings:
    """Read ratings from a table or from a platform's export; what it is, is recognised.

    Use it for any file with ratings; `load` tells how the file was understood, `read_groups`
    splits it. Every guess can be overridden by one argument.

    Parameters
    ----------
    path : path or list of paths
        A file, several with the same columns, or the folder of an export. If no column names a
        rater, each file is one rater's.
    format : str, optional
        One of the names in `formats`, where the content is not to decide.
    shape : {"long", "wide", "transposed", "counts", "table"}, optional
    item, rater, label : column names, optional
        Several `item` columns together name the item; several `rater` columns are the raters
        of a wide table. In an export, the field that names the item or the rater.
    variable : str, optional
        Which of the questions in the file, where it has several.
    scale : {"nominal", "ordinal", "interval", "ratio", "proposed"}, default "nominal"
        "proposed" takes the scale that the export itself suggests.
    categories : the labels that could be used, in order; default those that were used
    missing_values : labels that mean "no rating", for example ``["NA", -99]``
        An empty cell of a text file is always missing.
    duplicates : {"refuse", "first", "last", "occasions"}
        What to do when a rater rated an item twice.
    items : {"names", "forget"}
        Whether items keep their names. "forget" reduces long files with very many rows to
        distinct items, which is faster and needs little memory.
    empty : {"missing", "label"}
        In an export, a rater who was asked and gave no label: missing, or a label of its own.
    excluded : {"leave_out", "keep"}
        In an export, cancelled, rejected and skipped entries, and drafts.
    predictions, gold : {"leave_out", "raters"}, {"leave_out", "rater", "leave_out_items"}
        In an export, what a system proposed, and the right answers; "leave_out_items" leaves out
        the items that have a right answer as well.
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
        format=format,
        shape=shape,
        item=item,
        rater=rater,
        label=label,
        variable=variable,
        scale=scale,
        categories=categories,
        missing_values=missing_values,
        duplicates=duplicates,
        items=items,
        empty=empty,
        excluded=excluded,
        predictions=predictions,
        gold=gold,
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
    variable: Names = None,
    **options: Any,
) -> dict[str, Ratings]:
    """Read one set of ratings per group: per value of a column, per label column, per variable.

    Parameters
    ----------
    path : path or list of paths
    by : column name, optional
        Each value of this column is a group, for example the variable that was coded.
    label : column names, optional
        Several label columns beside the item and the rater are one group each; a pattern such as
        ``"v*"`` names them all.
    variable : str or list of str, optional
        The questions of an export to read; patterns are allowed. Default: all.
    **options
        As for `read`.

    Returns
    -------
    dict
        Name of the group to its `Ratings`; give it to `measure` as it is.
    """
    loaded = load(path, by=by, label=label, variable=variable, **options)
    if loaded.by is None and None in loaded.groups:
        names = tuple_of(variable) or tuple_of(label)
        if len(names) != 1 and not loaded.reading.title:
            raise InputError.expected(
                "by", "a column, or label a list of columns", None, "use read for a single group"
            )
        name = loaded.reading.variables[0] if loaded.reading.variables else names[0]
        return {str(name): loaded.ratings}
    return {str(name): ratings for name, ratings in loaded.groups.items()}


def account(
    table: Table, candidate: Candidate, others: Sequence[str], job: Job, request: Request
) -> Reading:
    """Tell what the table was taken for."""
    columns = _columns(table, candidate.layout)
    notes = [note for ratings in job.groups.values() for note in ratings.notes]
    return Reading(
        sources=tuple(str(path) for path in table.paths),
        format=table.format,
        shape=candidate.layout.shape,
        columns=columns,
        n_rows=table.n_rows,
        evidence=(*candidate.evidence, *table.evidence, *job.evidence),
        alternatives=tuple(others),
        notes=tuple(dict.fromkeys(notes)),
        guesses=table_guesses(
            request,
            format=table.format,
            shape=candidate.layout.shape,
            columns=columns,
            evidence=candidate.evidence,
            dialect=table.dialect,
            groups=job.groups,
        ),
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
