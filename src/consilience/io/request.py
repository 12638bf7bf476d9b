"""What the caller asked for, checked once: layout, labels, policies and how to take text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Unpack

from consilience.core.input_files import Said
from consilience.core.keywords import Names, ReadingOptions, Sheets
from consilience.core.labels import check_categories, check_scale
from consilience.exceptions import InputError
from consilience.io.format_registry import TextOptions, format_named
from consilience.io.tables.building._build_job import Content
from consilience.io.tables.building._relabel import Relabelling
from consilience.io.tables.layouts._table_sample import Layout, Wishes
from consilience.io.tables.table import Table
from consilience.ratings.duplicates import check_policy


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much memory the database may take, and where it puts what does not fit."""

    memory: str | None = None
    spill_folder: Path | None = None


NO_VERDICTS = ("refusal", "unparsable", "error", "no verdict")  # why a judge came to none


@dataclass(frozen=True, kw_only=True)
class Policies:
    """What to do with entries that are not plain labels by people.

    Attributes
    ----------
    empty : {"missing", "label", "label_all"}
        A rater was asked and gave no label: count that as missing, or as a label of its own;
        "label_all" also where the item seems never to have been opened.
    excluded : {"leave_out", "keep_rejected", "keep", "label"}
        Cancelled, rejected, skipped entries and drafts: leave them out, keep those that only a
        reviewer rejected, or keep all that hold a label; "label": verdicts that a judge refused,
        that nobody could read or that failed are labels of that name.
    predictions : {"leave_out", "raters"}
        What a system proposed beside the people's work: leave it out, or make it a rater.
    gold : {"leave_out", "rater", "leave_out_items"}
        The right answers that the export holds: leave them out, make them a rater, or leave out
        the items that have one, which were put in to test people.
    """

    empty: str = "missing"
    excluded: str = "leave_out"
    predictions: str = "leave_out"
    gold: str = "leave_out"

    def check(self) -> None:
        """Refuse a word that does not exist."""
        for what, known in _WORDS.items():
            if getattr(self, what) not in known:
                raise InputError.unknown_word(what, getattr(self, what), known)

    def counts(self, state: str, reason: str) -> bool:
        """Tell whether an entry in this state counts."""
        if state != "excluded" or self.excluded == "keep":
            return True
        if self.excluded == "label":
            return reason in NO_VERDICTS
        return self.excluded == "keep_rejected" and reason == "rejected"


_WORDS = {
    "empty": ("missing", "label", "label_all"),
    "excluded": ("leave_out", "keep_rejected", "keep", "label"),
    "predictions": ("leave_out", "raters"),
    "gold": ("leave_out", "rater", "leave_out_items"),
}


@dataclass(frozen=True, kw_only=True)
class Request:
    """Everything that was said about some files."""

    wishes: Wishes
    content: Content
    policies: Policies
    text: TextOptions
    format: str | None = None
    variables: tuple[str, ...] = ()
    limits: Limits = Limits()
    labels: tuple[str, ...] = ()  # the columns that were named, variables aside
    given: Mapping[str, Any] = field(default_factory=dict)  # what was said, as it was said
    cluster: str | None = None  # the column that says which items belong together

    def table_content(self, table: Table, layout: Layout) -> Content:
        """What was said about the labels, and what a table proposes for each variable."""
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
        return replace(self.content, proposed=proposed, orders=orders)


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
    format, variable = options.get("format"), options.get("variable")
    if format is not None:
        format = format_named(format)
    content = _content(options)
    wishes = Wishes(
        shape=options.get("shape"),
        columns=options.get("columns"),
        item=tuple_of(options.get("item")),
        rater=tuple_of(options.get("rater")),
        label=tuple_of(options.get("label")) or tuple_of(variable),
        by=options.get("by"),
        categories=tuple(str(category) for category in content.categories or ()),
    )
    text = TextOptions(
        delimiter=_delimiter(options.get("delimiter")),
        encoding=options.get("encoding"),
        header=options.get("header"),
        sheets=_sheets(options.get("sheet")),
        shape=options.get("shape"),
    )
    return Request(
        wishes=wishes,
        content=content,
        policies=_policies(options),
        text=text,
        format=format,
        variables=tuple_of(variable),
        labels=tuple_of(options.get("label")),
        given=_given(options),
        cluster=options.get("cluster"),
    )


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


def _content(options: ReadingOptions) -> Content:
    scale, categories = options.get("scale") or None, options.get("categories")
    scales = {str(name): word for name, word in scale.items()} if isinstance(scale, Mapping) else {}
    words: list[Any] = [*scales.values()] or [scale]
    for word in words:
        if word not in ("proposed", None):
            check_scale(word)
    duplicates = options.get("duplicates", "refuse")
    check_policy(duplicates)
    return Content(
        scale=scale if isinstance(scale, str) else None,
        scales=scales,
        categories=None if categories is None else tuple(check_categories(categories)),
        missing_values=_values(options.get("missing_values", ())),
        duplicates=duplicates,
        ungrouped=_word("ungrouped", options.get("ungrouped", "refuse"), ("refuse", "keep")),
        no_rater=_word("no_rater", options.get("no_rater", "refuse"), ("refuse", "skip")),
        relabel=Relabelling.of(
            options.get("map"),
            ignore_case=options.get("ignore_case", False),
            sets=options.get("sets"),
        ),
        # Items that belong together must be told apart.
        items="names"
        if options.get("cluster")
        else _word("items", options.get("items", "names"), ("names", "forget")),
    )


def _policies(options: ReadingOptions) -> Policies:
    policies = Policies(
        empty=options.get("empty", "missing"),
        excluded=options.get("excluded", "leave_out"),
        predictions=options.get("predictions", "leave_out"),
        gold=options.get("gold", "leave_out"),
    )
    policies.check()
    return policies


def _word(what: str, word: str, known: tuple[str, ...]) -> str:
    if word not in known:
        raise InputError.unknown_word(what, word, known)
    return word


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
                "sheet", "the name or the number of a sheet, or a list of them", one,
                "number them from 1",
            )  # fmt: skip
    return chosen


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
