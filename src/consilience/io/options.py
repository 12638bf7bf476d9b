"""What a caller says when files are read: one record from the options to the ratings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from consilience.core.draws import is_whole
from consilience.core.input_files import Said
from consilience.core.labels import check_categories, check_scale
from consilience.core.options import Names, ReadingOptions, Sheets
from consilience.exceptions import InputError
from consilience.io.layout.labels import LabelReading, Relabelling, read_labels, relabelled
from consilience.io.registry import format_named
from consilience.ratings.duplicates import POLICIES

if TYPE_CHECKING:
    from consilience.io.layout.table_sample import Layout
    from consilience.io.table import Table

NO_VERDICTS = ("refusal", "unparsable", "error", "no verdict")  # why a judge came to none


@dataclass(frozen=True, kw_only=True)
class Request:
    """All that a caller says when files are read, checked; the defaults mean: find out.

    One object goes the whole road, from the options to the ratings: formats, the recogniser, the
    builders and exports each look at their part of it.
    """

    # what the file is, and how its text is taken
    format: str | None = None
    sheets: tuple[str | int, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    is_plain: bool = False  # nothing stands before the names and the data
    folders_are_columns: bool = False  # as in ratings/day=1/part.parquet
    memory_limit: str | None = None  # of the database
    spill_folder: Path | None = None  # where it puts what does not fit

    # how it is laid out: names of columns
    shape: str | None = None
    columns: str | None = None  # how columns are named, as "{variable}_{rater}"
    item: tuple[str, ...] = ()
    rater: tuple[str, ...] = ()
    label: tuple[str, ...] = ()  # columns of labels; of an export the variables, too
    named_labels: tuple[str, ...] = ()  # those of them that were told as columns
    variables: tuple[str, ...] = ()
    by: str | None = None
    cluster: str | None = None  # the column that says which items belong together

    # what labels mean: `scales` by variable or group, as told or as the file proposes
    scale: str | None = None  # None: nobody told it
    scales: Mapping[str, str] = field(default_factory=dict)
    proposed: Mapping[str, str] = field(default_factory=dict)
    orders: Mapping[str, tuple[object, ...]] = field(default_factory=dict)  # by the file
    categories: tuple[object, ...] | None = None
    missing_values: tuple[object, ...] = ()
    relabel: Relabelling = field(default_factory=Relabelling)
    shares_of: int | None = None  # cells of a cross-table are shares of so many items

    # which rows count
    duplicates: str = "refuse"
    ungrouped: str = "refuse"  # or "keep": rows without a group are a group of their own, None
    no_rater: str = "refuse"  # or "skip": a rating by nobody is left out
    items: str = "names"  # or "forget", where nobody will ask which item was which
    engine: bool = False  # reduce where the table lies, whatever its size

    # entries of an export that are not plain labels by people: see `load`
    empty: str = "missing"
    excluded: str = "leave_out"
    predictions: str = "leave_out"
    gold: str = "leave_out"

    given: Mapping[str, Any] = field(default_factory=dict)  # what was said, as it was said

    @property
    def may_be_printed(self) -> bool:
        """Nothing was said that a cross-table as papers print it has no room for."""
        said = self.item or self.rater or self.label or self.columns or self.by or self.cluster
        free = self.shape in (None, "table") and self.header is not False
        return free and not said and not self.is_plain

    def counts(self, state: str, reason: str) -> bool:
        """Tell whether an entry of an export in this state counts.

        Rejected ones do with "keep_rejected"; with "label", verdicts that a judge refused, that
        nobody could read or that failed are labels of that name.
        """
        if state != "excluded" or self.excluded == "keep":
            return True
        if self.excluded == "label":
            return reason in NO_VERDICTS
        return self.excluded == "keep_rejected" and reason == "rejected"

    def with_proposals(self, table: Table, layout: Layout) -> Request:
        """Return the same with the scales and orders that a table itself proposes."""
        columns: dict[str, tuple[int, ...]] = {table.names[j]: (j,) for j in layout.label}
        columns |= {one.name: one.columns for one in layout.variables}
        proposed: dict[str, str] = {}
        orders: dict[str, tuple[object, ...]] = {}
        for variable, places in (columns or {"": layout.rater}).items():
            names = [table.names[j] for j in places]
            scales = {table.scales.get(name, "nominal") for name in names}
            told = {table.orders.get(name, ()) for name in names}
            if len(scales) == 1:
                proposed[variable] = scales.pop()
            if len(told) == 1:
                orders[variable] = told.pop()
        return replace(self, proposed=proposed, orders=orders)

    def of(self, variable: str = "", group: str | None = None) -> Request:
        """Return what holds for one variable, or for one group of it: with one scale."""
        scale = self._told(variable, group) or self.scale
        if scale == "proposed":
            scale = self.proposed.get(variable)
        categories = self.categories
        if self.scales and scale != "ordinal":
            categories = None  # with scales by variable, the order belongs to the ordinal ones
        if categories is None and scale == "ordinal":
            categories = self.orders.get(variable) or None
        return replace(self, scale=scale, scales={}, categories=categories)

    def _told(self, variable: str, group: str | None) -> str | None:
        names = names_of(variable, group)
        exact = [self.scales[name] for name in names if name in self.scales]
        likely = [
            scale
            for pattern, scale in self.scales.items()
            if pattern != "*" and any(fnmatchcase(name, pattern) for name in names)
        ]
        return next(iter([*exact, *likely]), self.scales.get("*"))

    def read(
        self, cells: Sequence[object], how_often: Sequence[int], **options: Any
    ) -> LabelReading:
        """Read the distinct cells of a label column as the caller wants them."""
        told: dict[str, Any] = {
            "scale": self.scale,
            "categories": self.categories,
            "missing_values": self.missing_values,
        }
        if self.relabel:
            return relabelled(cells, how_often, self.relabel, **told, **options)
        return read_labels(cells, **told, **options)

    def check_names(self, names: Collection[str], where: str) -> None:
        """Refuse a scale for a variable that is not there."""
        for told in self.scales:
            if any(name == told or fnmatchcase(name, told) for name in (*names, "*")):
                continue
            if not any(names):
                raise InputError.expected(
                    "scale",
                    "one word where the file has one variable",
                    told,
                    "leave the name of the variable out",
                    where=where,
                )
            raise InputError.unknown_word(
                f"{where}: scale of the variable", told, [name for name in names if name]
            )


def names_of(variable: str, group: str | None) -> list[str]:
    """Return what a group may be called, the most exact first."""
    if group is None:
        return [variable]
    return [f"{variable} · {group}", group, variable] if variable else [group]


def refuse_cluster(request: Request, where: str, what: str) -> None:
    """Refuse to forget which items belong together, where items are not kept one by one."""
    if request.cluster is not None:
        raise InputError.expected(
            "cluster",
            "a column of a table whose items are read one by one",
            Said(f"{request.cluster!r} and {what}"),
            "read the table without an engine, or give the clusters with ratings.with_clusters",
            where=where,
        )


def request_of(**options: Unpack[ReadingOptions]) -> Request:
    """Check what the caller said and sort it by who needs it."""
    for name in options:
        if name not in ReadingOptions.__annotations__:
            raise InputError.unknown_word(
                "an option of reading", name, ReadingOptions.__annotations__
            )
    format, scale = options.get("format"), options.get("scale") or None
    categories = options.get("categories")
    return Request(
        format=None if format is None else format_named(format),
        sheets=_sheets(options.get("sheet")),
        delimiter=checked_delimiter(options.get("delimiter")),
        encoding=options.get("encoding"),
        header=options.get("header"),
        shape=options.get("shape"),
        columns=options.get("columns"),
        item=tuple_of(options.get("item")),
        rater=tuple_of(options.get("rater")),
        label=tuple_of(options.get("label")) or tuple_of(options.get("variable")),
        named_labels=tuple_of(options.get("label")),
        variables=tuple_of(options.get("variable")),
        by=options.get("by"),
        cluster=options.get("cluster"),
        scale=scale if isinstance(scale, str) else None,
        scales=_scales(scale),
        categories=None if categories is None else tuple(check_categories(categories)),
        missing_values=_values(options.get("missing_values", ())),
        shares_of=_checked_items(options.get("shares_of")),
        relabel=Relabelling.of(
            options.get("map"),
            ignore_case=options.get("ignore_case", False),
            sets=options.get("sets"),
        ),
        given=_given(options),
        **_words(options),
    )


_WORDS = {
    "duplicates": POLICIES,
    "ungrouped": ("refuse", "keep"),
    "no_rater": ("refuse", "skip"),
    "items": ("names", "forget"),
    "empty": ("missing", "label", "label_all"),
    "excluded": ("leave_out", "keep_rejected", "keep", "label"),
    "predictions": ("leave_out", "raters"),
    "gold": ("leave_out", "rater", "leave_out_items"),
}


def _words(options: ReadingOptions) -> dict[str, Any]:
    """Return the options that are one of a few words, or the first of these."""
    said: dict[str, Any] = {name: options.get(name, known[0]) for name, known in _WORDS.items()}
    for name, known in _WORDS.items():
        if said[name] not in known:
            raise InputError.unknown_word(name, said[name], known)
    if options.get("cluster"):
        said["items"] = "names"  # items that belong together must be told apart
    return said


def _scales(scale: str | Mapping[str, str] | None) -> dict[str, str]:
    """Return the scales by variable; check each word."""
    scales = {str(name): word for name, word in scale.items()} if isinstance(scale, Mapping) else {}
    words: list[Any] = [*scales.values()] or [scale]
    for word in words:
        if word not in ("proposed", None):
            check_scale(word)
    return scales


def _given(options: ReadingOptions) -> dict[str, Any]:
    """Return what was said and is not the default anyway, as plain values."""
    usual = {"refuse", "names", "missing", "leave_out"}
    found: dict[str, Any] = {}
    for name, value in options.items():
        if value is None or (isinstance(value, str) and value in usual):
            continue
        if value is False and name != "header":
            continue
        if name == "items":  # whether names are kept changes no reading
            continue
        several = isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
        kept = tuple(value) if several else value  # type: ignore[arg-type]
        if kept not in ((), {}, ""):
            found[name] = kept
    return found


def _checked_items(number: Any) -> int | None:
    """Return of how many items cells are shares."""
    if number is None:
        return None
    if not is_whole(number) or number < 1:
        raise InputError.expected(
            "shares_of", "the number of items, from 1 on", number, "as in the paper"
        )
    return int(number)


def tuple_of(names: Names) -> tuple[str, ...]:
    """Return one name or several as a tuple."""
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(names)


def _values(values: Collection[object] | object) -> tuple[Any, ...]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Collection):
        return (values,)
    return tuple(values)


def _sheets(sheet: Sheets) -> tuple[str | int, ...]:
    if sheet is None:
        return ()
    several = isinstance(sheet, Iterable) and not isinstance(sheet, str)
    chosen: tuple[Any, ...] = tuple(sheet) if several else (sheet,)  # type: ignore[arg-type]
    for one in chosen:
        if isinstance(one, bool) or not isinstance(one, (str, int)):
            raise InputError.expected(
                "sheet",
                "the name or the number of a sheet, or a list of them",
                one,
                "number them from 1",
            )
    return chosen


def checked_delimiter(delimiter: str | None) -> str | None:
    """Return a delimiter that may be told by its name; refuse more than one character."""
    words = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "bar": "|", "pipe": "|"}
    if delimiter is None:
        return None
    delimiter = words.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise InputError.expected(
            "delimiter", "one character", delimiter, "try ',' ';' '|' or 'tab'"
        )
    return delimiter


def chosen_variables(known: Sequence[str], wanted: Sequence[str], where: str) -> set[str]:
    """Return the variables that names or patterns such as ``v*`` choose."""
    if not wanted:
        return set(known)
    found: set[str] = set()
    for word in wanted:
        fits = {name for name in known if name == word or fnmatchcase(name, word)}
        if not fits:
            raise InputError.unknown_word(f"{where}: variable", word, known)
        found |= fits
    return found
