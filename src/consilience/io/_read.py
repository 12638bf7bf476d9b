"""Read ratings from files: find out the layout, encode in DuckDB, hand over integer codes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from consilience.core.database import Session
from consilience.core.frames import is_far_away, is_table
from consilience.core.input_files import PathLike, Said, check_paths
from consilience.core.options import (
    BY_VARIABLE,
    READING,
    Names,
    ReadingOptions,
    Sheets,
    written_out,
)
from consilience.exceptions import InputError, Option, Words
from consilience.io.building._bookkeeping import Job, account_of, columns_by_role, with_dates_noted
from consilience.io.building._build_ratings import build
from consilience.io.building._requested_layout import (
    asked_of,
    only_asked,
    recognised,
    without_lists,
)
from consilience.io.exports.registry import entries_of, export_for
from consilience.io.files.source import Source
from consilience.io.files.text import looks_kept
from consilience.io.grids.delimited import with_printed
from consilience.io.layout.computed_parts import without_footers
from consilience.io.layout.lexicon import names_occasion
from consilience.io.layout.table_sample import Candidate, Layout
from consilience.io.options import Request, request_of, tuple_of
from consilience.io.reading_account import Reading, table_guesses, told_where
from consilience.io.registry import format_of, table_files
from consilience.io.table import Table
from consilience.ratings import Ratings

if TYPE_CHECKING:
    from consilience.io.exports import Export
    from consilience.io.exports.export_entries import Annotations
    from consilience.ratings.clusters import Clusters

_WORKBOOKS = ("excel", "ods", "xls", "duckdb")  # several tables in one file
_OF_EXPORTS = ("time", "text")  # what an export may say beside its answers


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
    with opened(path, request_of(**options)) as file:
        return file.loaded


@contextmanager
def opened(
    path: Any, request: Request, *, beside: Mapping[str, str] | None = None
) -> Iterator[Opened]:
    """Open files, or a frame, to be read as far as somebody needs.

    The road is source, export or not, table, layout, ratings, account. Each stage is an attribute
    of what is yielded, is walked once, when it is asked for, and walks those before it. A refusal
    on any of them says what was seen until then, and offers what was said with what settles it.

    Parameters
    ----------
    path : as for `load`
    request : what the caller said
    beside : dict, optional
        Columns, or "time" and "text" of an export, that are read by item beside the ratings: a
        word of the caller's to the name. They are set aside before the layout is recognised.
    """
    try:
        with looks_kept(), ExitStack() as stack:
            yield Opened(path, request, beside or {}, stack)
    except InputError as error:
        raise told_where(error, path, request) from error.__cause__


class Opened:
    """Files, or a frame, on their way to ratings: see `opened`."""

    def __init__(
        self, path: Any, request: Request, beside: Mapping[str, str], stack: ExitStack
    ) -> None:
        self.path, self.request, self._columns, self._stack = path, request, beside, stack
        self._by_run: tuple[str, ...] = ()  # columns of what was judged in several runs
        self.is_frame = is_table(path)

    @cached_property
    def source(self) -> Source:
        """The files, checked."""
        return Source(tuple(check_paths(self.path, folders="allow")))

    @cached_property
    def export(self) -> tuple[Export, str] | None:
        """The platform's export that this is, and why; None for a table."""
        return None if self.is_frame else export_for(self.source, self.request)

    @cached_property
    def entries(self) -> Annotations:
        """All that the export holds."""
        assert self.export is not None
        return entries_of(self.source, self.export[0], self.request)

    @cached_property
    def session(self) -> Session:
        """The database that holds the table until the file is closed."""
        where = "the frame" if self.is_frame else self.source.where
        limit, spill = self.request.memory_limit, self.request.spill_folder
        return self._stack.enter_context(Session(where, memory_limit=limit, spill_folder=spill))

    @cached_property
    def table(self) -> Table:
        """All cells, one value in each, without what stands below the data."""
        table = self._frame() if self.is_frame else self._file()
        table = with_printed(table, self.request)
        if table.printed is not None:
            return table
        told = self.request.shape is not None
        return without_footers(without_lists(table, self.request), told=told)

    def _file(self) -> Table:
        request, paths = self.request, table_files(self.source)
        format = format_of(paths, request.format)
        table = format.load(self.session, paths, request)
        if request.sheets and format.name not in _WORKBOOKS and table.printed is None:
            raise InputError.expected(
                "sheet",
                "named for a workbook or a database only",
                Said(format.title),
                "leave it out",
                where=self.source.where,
            )
        return table

    def _frame(self) -> Table:
        from consilience.io.frames import load_frame

        table, request = load_frame(self.session, self.path), self.request
        if table.scales and request.scale is None and not request.scales:
            # An ordered categorical says which order its labels have.
            self.request = replace(request, scale="proposed")
        return table

    @cached_property
    def _aside(self) -> dict[str, int]:
        """Columns that are read beside the ratings."""
        return {
            word: self.table.position(name, option=word) for word, name in self._columns.items()
        }

    @cached_property
    def _cluster(self) -> int | None:
        name = self.request.cluster
        return None if name is None else self.table.position(name, option="cluster")

    @cached_property
    def _asked(self) -> tuple[Request, bool]:
        return asked_of(self.table, self.request)

    @cached_property
    def _recognised(self) -> tuple[Candidate, tuple[str, ...]]:
        hidden = set(self._aside.values())
        if self._cluster is not None:
            hidden.add(self._cluster)
        if not hidden:
            return recognised(self.table, self._asked[0])
        from consilience.io.side_columns import recognised_beside

        return recognised_beside(self.table, hidden, self._asked[0])

    @property
    def layout(self) -> Layout:
        """Which column of the table is what."""
        return self._recognised[0].layout

    @cached_property
    def job(self) -> Job:
        """The ratings of a table, by group, and what was noticed when they were built."""
        table, candidate, request = self.table, self._recognised[0], self.request
        try:
            _check_grouped(table, candidate.layout, request)
            job = build(table, candidate.layout, request.with_proposals(table, candidate.layout))
            if self._asked[1]:
                only_asked(job, request.variables)
            if self._cluster is not None:
                from consilience.io.side_columns import put_in_clusters

                put_in_clusters(job, self._cluster)
            elif any(names_occasion(table.names[j]) for j in candidate.layout.item):
                from consilience.io.side_columns import put_runs_in_clusters

                self._by_run = put_runs_in_clusters(job)
        except InputError as error:
            error.seen = candidate.seen
            raise
        for name, ratings in job.groups.items():
            job.groups[name] = with_dates_noted(ratings)
        return job

    @cached_property
    def loaded(self) -> Loaded:
        """The ratings by group, and the account of how they were read."""
        by = BY_VARIABLE
        if self.is_frame and is_far_away(self.path):
            from consilience.io.large_tables import load_reduced_frame

            return load_reduced_frame(self.path, self.request)
        if self.export is not None:
            from consilience.io.exports.ratings_from_entries import ratings_of_export

            groups, reading = ratings_of_export(
                self.source, *self.export, self.entries, self.request
            )
            several = None not in groups
        else:
            groups, reading = self.job.groups, self._account()
            several = self.layout.has_groups or self.layout.by is not None
            several = several and not (self._asked[1] and None in groups)
            by = self.request.by or by
        read_as = {name: ratings.read_as(reading) for name, ratings in groups.items()}
        return Loaded(read_as, reading, by if several else None)

    def _account(self) -> Reading:
        """Tell what the table was taken for."""
        table, job, request = self.table, self.job, self.request
        candidate, others = self._recognised
        columns = columns_by_role(table, candidate.layout)
        if self._cluster is not None:
            columns["cluster"] = (table.names[self._cluster],)
        elif self._by_run:
            columns["cluster"] = self._by_run
        notes = [note for ratings in job.groups.values() for note in ratings.notes]
        variables = tuple(one.name for one in candidate.layout.variables)
        possible: tuple[Clusters, ...] = ()
        if self._cluster is None and candidate.aside:
            from consilience.io.side_columns import possible_clusters

            possible = possible_clusters(job, candidate)
        return Reading(
            sources=tuple(str(path) for path in table.paths),
            format=table.format,
            shape=candidate.layout.shape,
            columns=columns,
            n_rows=table.n_rows,
            evidence=(*candidate.evidence, *table.evidence, *job.evidence),
            alternatives=others,
            notes=tuple(dict.fromkeys(notes)),
            variables=variables,
            guesses=table_guesses(
                request,
                format=table.format,
                shape=candidate.layout.shape,
                columns=columns,
                evidence=candidate.evidence,
                variables=variables,
                dialect=table.dialect,
                groups=job.groups,
            ),
            account=account_of(
                table,
                candidate.layout,
                job,
                aside=candidate.aside,
                told=bool(request.rater or request.label or request.variables),
                cluster=self._cluster,
                beside=self._aside.values(),
            ),
            seen=candidate.seen,
            beside=possible,
        )

    @cached_property
    def beside(self) -> dict[str, dict[object, object]]:
        """What the columns beside the ratings say of items, and of (item, rater)."""
        if self.export is None:
            from consilience.io.side_columns import values_beside

            return values_beside(self.job, self._aside)
        found: dict[str, dict[object, object]] = {}
        for word, name in self._columns.items():
            if name not in _OF_EXPORTS:
                raise InputError.unknown_word(f"{self.source.where}: {word}", name, _OF_EXPORTS)
        for word, name in self._columns.items():
            own = found.setdefault(word, {})
            held = zip(
                self.entries.item, self.entries.rater, getattr(self.entries, name), strict=True
            )
            for item, rater, value in held:
                if value is not None:
                    own.setdefault(item, value)
                    own.setdefault((item, rater), value)
        return found


def _check_grouped(table: Table, layout: Layout, request: Request) -> None:
    """Refuse by="variable" where neither a column nor the names of columns tell variables."""
    one = layout.variables or request.variables or request.label
    if request.by is not None and layout.by is None and not layout.has_groups and not one:
        table.position(request.by, option="by")


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
    shares_of: int | None = None,
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
    shares_of : int, optional
        The cells are those of a cross-table of shares, as papers print them, of so many items.
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
        shares_of=shares_of,
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
