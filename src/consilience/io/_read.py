"""Read ratings from files: find out the layout, encode in DuckDB, hand over integer codes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from consilience.core.database import Session
from consilience.core.frames import is_table
from consilience.core.input_files import PathLike, Said, check_paths
from consilience.core.keywords import READING, Names, ReadingOptions, Sheets, written_out
from consilience.exceptions import InputError, Option, Words
from consilience.io._explain import table_guesses, told_where
from consilience.io._reading import Reading
from consilience.io.bytes._source import Source
from consilience.io.bytes.looks import looks_kept
from consilience.io.format_registry import format_of, table_files
from consilience.io.platforms._load_export import export_for, load_export
from consilience.io.request import Request, request_of, tuple_of
from consilience.io.tables.building._build_job import Job
from consilience.io.tables.building._build_ratings import build
from consilience.io.tables.building._table_account import (
    account_of,
    columns_by_role,
    with_dates_noted,
)
from consilience.io.tables.layouts._as_asked import only_asked, recognised, wishes_for
from consilience.io.tables.layouts._list_cells import without_lists
from consilience.io.tables.layouts._table_sample import BY_VARIABLE, Candidate, Layout
from consilience.io.tables.recogniser.computed_parts import without_footers
from consilience.io.tables.table import Table
from consilience.ratings import Ratings

if TYPE_CHECKING:
    from consilience.ratings.clusters import Clusters

_WORKBOOKS = ("excel", "ods", "xls", "duckdb")  # several tables in one file


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
                Words(
                    "name one, as in ",
                    Option("variable", str(next(iter(self.groups)))),
                    ", or use read_groups",
                ),
            )
        return next(iter(self.groups.values()))


@written_out(ReadingOptions, READING)
def load(path: Any, **options: Unpack[ReadingOptions]) -> Loaded:
    """Read ratings and keep the account of how the file or the frame was understood.

    The options are those of `read` and `read_groups`; with ``ungrouped="keep"``, ratings whose
    row has an empty cell in the column `by` are the group None.

    Parameters
    ----------
    path : path, list of paths, dataframe, relation, dict of columns or list of records
    by, ungrouped
        As in `read_groups`; all other options as in `read`.

    Returns
    -------
    Loaded

    Examples
    --------
    >>> rows = {"unit": [1, 1, 2, 2], "coder": list("abab"), "code": list("xxxy")}
    >>> found = load(rows)
    >>> found.ratings.n_items, found.reading.shape
    (2, 'long')
    """
    return load_requested(path, request_of(**options))


def load_requested(path: Any, request: Request) -> Loaded:
    """Read ratings as a checked request says; an error knows what was seen until then."""
    try:
        return _load_requested(path, request)
    except InputError as error:
        raise told_where(error, path, request) from error.__cause__


def _load_requested(path: Any, request: Request) -> Loaded:
    if is_table(path):
        return _load_frame(path, request)
    source = Source(tuple(check_paths(path, folders="allow")))
    with looks_kept():
        found = export_for(source, request)
        if found is None:
            return _load_table(source, request)
        groups, reading = load_export(source, *found, request)
    return Loaded(_read_as(groups, reading), reading, None if None in groups else "variable")


def _read_as(groups: dict[str | None, Ratings], reading: Reading) -> dict[str | None, Ratings]:
    """Let all ratings know how the file was read."""
    return {name: ratings._read_as(reading) for name, ratings in groups.items()}


def _load_frame(frame: Any, request: Request) -> Loaded:
    from consilience.io.tables.frame_tables import WHERE, is_far_away, load_frame

    if is_far_away(frame):
        from consilience.io.tables.reduced_tables import load_reduced_frame

        return load_reduced_frame(frame, request)
    with Session(WHERE) as session:
        table = _as_data(load_frame(session, frame), request)
        if table.scales and request.content.scale is None and not request.content.scales:
            # An ordered categorical says which order its labels have.
            request = replace(request, content=replace(request.content, scale="proposed"))
        return _from_table(table, request)


def _load_table(source: Source, request: Request) -> Loaded:
    limits = request.limits
    with Session(
        source.where, memory_limit=limits.memory, spill_folder=limits.spill_folder
    ) as session:
        return _from_table(open_table(session, source, request), request)


def _from_table(table: Table, request: Request) -> Loaded:
    wishes, by_value = wishes_for(table, request)
    cluster = None
    if request.cluster is None:
        candidate, others = recognised(table, wishes, request)
    else:
        from consilience.io.tables.building.columns_beside import recognised_beside

        cluster = table.position(request.cluster, option="cluster")
        candidate, others = recognised_beside(table, wishes, {"cluster": cluster}, request)
    try:
        _check_grouped(table, candidate.layout, request)
        job = build(table, candidate.layout, request.table_content(table, candidate.layout))
        if by_value:
            only_asked(job, request.variables)
        if cluster is not None:
            from consilience.io.tables.building.columns_beside import put_in_clusters

            put_in_clusters(job, cluster)
    except InputError as error:
        error.seen = candidate.seen
        raise
    for name, ratings in job.groups.items():
        job.groups[name] = with_dates_noted(ratings)
    reading = account(table, candidate, others, job, request, cluster=cluster)
    several = candidate.layout.has_groups or candidate.layout.by is not None
    several = several and not (by_value and None in job.groups)
    by = (request.wishes.by or BY_VARIABLE) if several else None
    return Loaded(_read_as(job.groups, reading), reading, by)


def _check_grouped(table: Table, layout: Layout, request: Request) -> None:
    """Refuse by="variable" where neither a column nor the names of columns tell variables."""
    wishes = request.wishes
    one = layout.variables or request.variables or wishes.label
    if wishes.by is not None and layout.by is None and not layout.has_groups and not one:
        table.position(wishes.by, option="by")


def open_table(session: Session, source: Source, request: Request) -> Table:
    """Load the files as one table with one value in each cell."""
    paths = table_files(source)
    format = format_of(paths, request.format)
    if request.text.sheets and format.name not in _WORKBOOKS:
        raise InputError.expected(
            "sheet", "named for a workbook or a database only", Said(format.title), "leave it out",
            where=source.where,
        )  # fmt: skip
    table = format.load(session, paths, request.text)
    return _as_data(table, request)


def _as_data(table: Table, request: Request) -> Table:
    """Return a table with one value in each cell, and without what stands below the data."""
    wishes = request.wishes
    return without_footers(without_lists(table, wishes), told=wishes.shape is not None)


def read(
    path: Any,
    *,
    format: str | None = None,
    sheet: Sheets = None,
    shape: str | None = None,
    columns: str | None = None,
    item: Names = None,
    rater: Names = None,
    label: str | None = None,
    variable: str | None = None,
    cluster: str | None = None,
    scale: str | Mapping[str, str] | None = None,
    categories: Iterable[object] | None = None,
    missing_values: Collection[object] | object = (),
    map: Mapping[Any, Any] | None = None,
    ignore_case: bool = False,
    sets: str | None = None,
    no_rater: str = "refuse",
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
    path : path, list of paths, dataframe, relation, dict of columns or list of records
        A file, several with the same columns, or the folder of an export. If no column names a
        rater, each file is one rater's. A dataframe of any library, or a relation of DuckDB, is
        recognised like a file; the index of a frame names its rows.
    format : str, optional
        One of the names in `formats`, where the content is not to decide.
    sheet : str, int or list of them, optional
        Sheets of a workbook to read, by name or by number from 1.
    shape : {"long", "wide", "transposed", "counts", "table"}, optional
    columns : str, optional
        How the columns of a wide table are named that has several variables, such as
        ``"{variable}_{rater}"`` or ``"{rater} ({variable})"``; ``"{rater}"`` says that each is a
        rater's.
    item, rater, label : column names, optional
        Several `item` columns together name the item; several `rater` columns are the raters
        of a wide table. In an export, the field that names the item or the rater.
    variable : str, optional
        Which of the questions in the file, where it has several.
    cluster : column name, optional
        The column that says which items belong together, such as the patient, the document or
        the recording: errors, intervals and tests then allow for what they share.
    scale : {"nominal", "ordinal", "interval", "ratio", "proposed"}, default "nominal"
        "proposed" takes the scale that the file itself suggests for each variable. A dict such
        as ``{"tone": "ordinal", "v*": "interval"}`` tells it by variable or group ("*": all the
        others); `categories` is then the order of the ordinal ones.
    categories : the labels that could be used, in order; default those that were used
    missing_values : labels that mean "no rating", for example ``["NA", -99]``
        An empty cell of a text file is always missing.
    map : dict, optional
        Labels to be renamed before anything is counted, as in ``{"Yes": "yes", "n/a": None}``;
        None means no rating. A label that does not occur is refused.
    ignore_case : bool, default False
        Take labels that differ in case only for one.
    sets : str, optional
        The sign between several labels in one cell, such as ``","``: each cell is a set.
    no_rater : {"refuse", "skip"}
        A rating in a row that names no rater: refuse the file, or leave the row out.
    duplicates : {"refuse", "first", "last", "occasions"}
        What to do when a rater rated an item twice.
    items : {"names", "forget"}
        Whether items keep their names. "forget" reduces long files with very many rows to
        distinct items, which is faster and needs little memory.
    empty : {"missing", "label", "label_all"}
        In an export, a rater who was asked and gave no label: missing, or a label of its own;
        "label_all" also where the item seems never to have been opened.
    excluded : {"leave_out", "keep_rejected", "keep", "label"}
        In an export, cancelled, rejected and skipped entries, and drafts; "keep_rejected" keeps
        those that only a reviewer turned down.
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
        sheet=sheet,
        shape=shape,
        columns=columns,
        item=item,
        rater=rater,
        label=label,
        variable=variable,
        cluster=cluster,
        scale=scale,
        categories=categories,
        missing_values=missing_values,
        map=map,
        ignore_case=ignore_case,
        sets=sets,
        no_rater=no_rater,
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
    loaded.reading.warn()
    return loaded.ratings


@written_out(ReadingOptions, READING)
def read_groups(
    path: PathLike | Iterable[PathLike],
    **options: Unpack[ReadingOptions],
) -> dict[str, Ratings]:
    """Read one set of ratings per group: per value of a column, per label column, per variable.

    Parameters
    ----------
    path : path or list of paths
    by : column name
        Each value of this column is a group, for example the variable that was coded.
    label : column names, optional
        Several label columns beside the item and the rater are one group each; a pattern such as
        ``"v*"`` names them all.
    variable : str or list of str, optional
        The questions of an export to read; patterns are allowed. Default: all.
    ungrouped : {"refuse", "keep"}
        Rows with an empty cell in the column `by`; kept, they are the group None.
    format, sheet, shape, columns, item, rater, scale, categories, missing_values, ...
        As for `read`.

    Returns
    -------
    dict
        Name of the group to its `Ratings`; give it to `measure` as it is.

    Examples
    --------
    >>> rows = {"unit": [1, 1, 2, 2], "coder": list("abab"), "code": list("xxxy"), "day": [1] * 4}
    >>> read_groups(rows, by="day")
    {'1': Ratings(2 items × 2 raters, 4 ratings, 2 categories, nominal)}
    """
    loaded = load(path, **options)
    loaded.reading.warn()
    if loaded.by is None and None in loaded.groups:
        names = tuple_of(options.get("variable")) or tuple_of(options.get("label"))
        if len(names) != 1 and not loaded.reading.title:
            raise InputError.expected(
                "by", "a column, or label a list of columns", None, "use read for a single group"
            )
        name = loaded.reading.variables[0] if loaded.reading.variables else names[0]
        return {str(name): loaded.ratings}
    return {str(name): ratings for name, ratings in loaded.groups.items()}


def account(
    table: Table,
    candidate: Candidate,
    others: Sequence[str],
    job: Job,
    request: Request,
    *,
    cluster: int | None = None,
) -> Reading:
    """Tell what the table was taken for."""
    columns = columns_by_role(table, candidate.layout)
    if cluster is not None:
        columns["cluster"] = (table.names[cluster],)
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
        variables=tuple(one.name for one in candidate.layout.variables),
        guesses=table_guesses(
            request,
            format=table.format,
            shape=candidate.layout.shape,
            columns=columns,
            evidence=candidate.evidence,
            variables=tuple(one.name for one in candidate.layout.variables),
            dialect=table.dialect,
            groups=job.groups,
        ),
        account=account_of(
            table,
            candidate.layout,
            job,
            aside=candidate.aside,
            told=bool(request.wishes.rater or request.wishes.label or request.variables),
            cluster=cluster,
        ),
        seen=candidate.seen,
        beside=_beside(job, candidate) if cluster is None and candidate.aside else (),
    )


def _beside(job: Job, candidate: Candidate) -> tuple[Clusters, ...]:
    from consilience.io.tables.building.columns_beside import possible_clusters

    return possible_clusters(job, candidate)
