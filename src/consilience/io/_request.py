"""What the caller asked for, checked once: layout, labels, policies and how to take text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from consilience.exceptions import InputError
from consilience.io._from_annotations import Policies
from consilience.io._job import Content
from consilience.io._registry import TextOptions, formats
from consilience.io._shapes import Layout, Wishes
from consilience.io._table import Table
from consilience.ratings._duplicates import check_policy
from consilience.ratings._labels import check_categories, check_scale

Names = str | Sequence[str] | None


@dataclass(frozen=True, kw_only=True)
class Request:
    """Everything that was said about some files."""

    wishes: Wishes
    content: Content
    policies: Policies
    text: TextOptions
    format: str | None = None
    variables: tuple[str, ...] = ()

    def table_content(self, table: Table, layout: Layout) -> Content:
        """What was said about the labels, for a table: few kinds propose a scale of their own."""
        if self.content.scale != "proposed":
            return self.content
        columns = layout.label or layout.rater
        proposed = {table.scales.get(table.names[j], "nominal") for j in columns}
        return replace(self.content, scale=proposed.pop() if len(proposed) == 1 else "nominal")


def request_of(
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
) -> Request:
    """Check what the caller said and sort it by who needs it."""
    scale = scale or "nominal"
    if scale != "proposed":
        check_scale(scale)
    check_policy(duplicates)
    policies = Policies(empty=empty, excluded=excluded, predictions=predictions, gold=gold)
    policies.check()
    if format is not None and format not in formats():
        raise InputError.unknown_word("format", format, formats())
    declared = None if categories is None else tuple(check_categories(categories))
    wishes = Wishes(
        shape=shape,
        item=tuple_of(item),
        rater=tuple_of(rater),
        label=tuple_of(label) or tuple_of(variable),
        by=by,
        categories=tuple(str(category) for category in declared or ()),
    )
    content = Content(
        scale=scale,
        categories=declared,
        missing_values=_values(missing_values),
        duplicates=duplicates,
        items=_checked_items(items),
    )
    text = TextOptions(delimiter=_delimiter(delimiter), encoding=encoding, header=header)
    return Request(
        wishes=wishes,
        content=content,
        policies=policies,
        text=text,
        format=format,
        variables=tuple_of(variable),
    )


def _checked_items(items: str) -> str:
    if items not in ("names", "forget"):
        raise InputError.unknown_word("items", items, ("names", "forget"))
    return items


def tuple_of(names: Names) -> tuple[str, ...]:
    """Return one name or several as a tuple."""
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(names)


def _values(values: Collection[object] | object) -> tuple[Any, ...]:
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
