"""Lists in a cell: "Ann1,Ann2" beside "0,1" becomes one row per rating."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from consilience.core.cell_values import as_literal
from consilience.core.input_files import Said
from consilience.exceptions import InputError, Option, Words
from consilience.io.request import Request
from consilience.io.tables.formats.delimited import load_delimited
from consilience.io.tables.role_names import role_of
from consilience.io.tables.table import Table

_PLAIN_LIST = re.compile(r"\s*,\s*|\s*;\s*|\s*\|\s*")
_CHUNK = 10_000
_FIRST_ROWS = 600
_ITEM, _RATER, _LABEL, _ROW = "item", "rater", "label", "row"


@dataclass(frozen=True)
class _Pair:
    """Two columns of lists: who rated, None where nobody is named, and what they said."""

    rater: int | None
    label: int


def without_lists(table: Table, request: Request) -> Table:
    """Return the table with one rating per row, where raters and labels stand as lists in cells."""
    if request.shape not in (None, "long"):
        return table
    first = table.sample()[:_FIRST_ROWS]  # what is wrong further down is told with its line
    rows = [row for row in first if any(cell is not None for cell in row)]
    pair = _pair(table, rows, request) or _unnamed(table, rows, request)
    if pair is None:
        return table
    return _exploded(table, pair, request)


def _pair(table: Table, rows: Sequence[Sequence[Any]], request: Request) -> _Pair | None:
    raters = _named(table, "rater", request.rater)
    labels = _named(table, "label", request.label)
    fits = [
        _Pair(a, b)
        for a in raters
        for b in labels
        if a != b and _match([row[a] for row in rows], [row[b] for row in rows])
    ]
    if len(fits) > 1 and not request.label:
        names = " and ".join(repr(table.names[pair.label]) for pair in fits)
        raise InputError.expected(
            "the column of the labels", "clear", Said(f"lists in {names}"),
            Words("name one, as in ", Option("label", table.names[fits[0].label])),
            where=table.where,
        )  # fmt: skip
    return fits[0] if fits else None


def _unnamed(table: Table, rows: Sequence[Sequence[Any]], request: Request) -> _Pair | None:
    """Find lists of labels by raters whom nothing names.

    A label that stands twice in a list tells ratings from the several labels of one rater.
    """
    if request.rater or table.file is not None or _named(table, "rater", ()):
        return None
    fits = []
    for j in _named(table, "label", request.label):
        cells = [row[j] for row in rows if row[j] is not None]
        lists = [parts_of(cell) for cell in cells if isinstance(cell, list) or _begins(cell)]
        if len(lists) < len(cells) or any(one is None for one in lists):
            continue
        several = sum(len(one or ()) > 1 for one in lists)
        if 2 * several >= len(cells) > 0 and any(_repeats(one or []) for one in lists):
            fits.append(_Pair(None, j))
    return fits[0] if len(fits) == 1 else None


def _begins(cell: Any) -> bool:
    return isinstance(cell, str) and cell.strip().startswith(("[", "("))


def _repeats(parts: Sequence[Any]) -> bool:
    return len({str(part) for part in parts}) < len(parts)


def _named(table: Table, role: str, wished: tuple[str, ...]) -> list[int]:
    if wished:
        return [j for j, name in enumerate(table.names) if name in wished]
    return [
        j
        for j, name in enumerate(table.names)
        if role in (role_of(name), role_of(name.strip().removesuffix("s")))
    ]


def _match(raters: Sequence[Any], labels: Sequence[Any]) -> bool:
    """Tell whether cell by cell there are as many labels as raters, and often several."""
    several = 0
    for who, what in zip(raters, labels, strict=True):
        names, said = parts_of(who), parts_of(what)
        if names is None or said is None or len(names) != len(said):
            return False
        several += len(names) > 1
    return several > 0 and several * 2 >= len(raters)


def parts_of(cell: Any) -> list[Any] | None:
    """Return the parts of a list in a cell: JSON, a Python literal, or text cut at commas."""
    if cell is None:
        return []
    if isinstance(cell, (list, tuple)):
        return list(cell)
    text = str(cell).strip()
    if text.startswith(("[", "(")):
        value = as_literal(text)
        return list(value) if isinstance(value, (list, tuple)) else None
    if text.startswith("{"):
        return None
    return [part for part in _PLAIN_LIST.split(text) if part] if text else []


def _exploded(table: Table, pair: _Pair, request: Request) -> Table:
    """Write the ratings one per row and load them like any other table."""

    from consilience.document.csv_tables import csv_line

    others = [j for j in range(len(table.names)) if j not in (pair.rater, pair.label)]
    target = table.session.scratch / (table.session.new_name("lists") + ".csv")
    places: list[int] = []
    items = {role_of(table.names[j]) for j in others}
    names = [table.names[j] for j in others]
    numbered = "item" not in items
    with target.open("w", encoding="utf-8", newline="") as stream:
        head = [_unlike(_ITEM, names)] if numbered else []
        stream.write(csv_line([*head, *names, *_roles(table, pair, names, request)]))
        for number, row in _rows(table):
            what = parts_of(row[pair.label])
            who = _raters(pair, row, what)
            if who is None or what is None or len(who) != len(what):
                raise _uneven(table, pair, number, who, what)
            kept = [_cell(row[j]) for j in others]
            for name, label in zip(who, what, strict=True):
                first = [str(number + 1)] if numbered else []
                stream.write(csv_line([*first, *kept, _cell(name), _cell(label)]))
                places.append(number)
    plain = Request(delimiter=",", encoding="utf-8", header=True)
    loaded = load_delimited(table.session, [target], plain)
    named = repr(table.names[pair.label])
    words = f"lists in {named} hold one label per rater; raters are numbered by their places"
    if pair.rater is not None:
        words = f"lists in {table.names[pair.rater]!r} and {named} were taken apart"
    return replace(
        loaded,
        paths=table.paths,
        format=table.format,
        locate=lambda row: table.locate(places[row]) if row < len(places) else table.where,
        decimal_comma=False,
        evidence=(*table.evidence, words),
    )


def _raters(pair: _Pair, row: Sequence[Any], what: list[Any] | None) -> list[Any] | None:
    if pair.rater is not None:
        return parts_of(row[pair.rater])
    return None if what is None else [f"rater {k}" for k in range(1, len(what) + 1)]


def _roles(table: Table, pair: _Pair, names: Sequence[str], request: Request) -> list[str]:
    """Name the columns of raters and labels: by their roles, or as the caller called them."""
    rater, label = _unlike(_RATER, names), _unlike(_LABEL, names)
    if request.rater and pair.rater is not None:
        rater = table.names[pair.rater]
    return [rater, table.names[pair.label] if request.label else label]


def _unlike(name: str, names: Sequence[str]) -> str:
    return name if name not in names else f"{name} in the list"


def _rows(table: Table) -> Iterator[tuple[int, tuple[Any, ...]]]:
    columns = ", ".join(f"c{j}" for j in range(len(table.names)))
    cursor = table.session.run(f"SELECT {columns} FROM {table.relation} ORDER BY {table.row}")
    number = 0
    while rows := cursor.fetchmany(_CHUNK):
        for row in rows:
            yield number, row
            number += 1


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple)) and len(value) == 1:
        return _cell(value[0])
    if isinstance(value, (list, tuple, dict)):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return str(value)


def _uneven(
    table: Table, pair: _Pair, row: int, who: list[Any] | None, what: list[Any] | None
) -> InputError:
    got = (
        f"{len(who)} in {table.names[pair.rater]!r} and {len(what)} in {table.names[pair.label]!r}"
        if who is not None and what is not None and pair.rater is not None
        else "a cell that is no list"
    )
    return InputError.expected(
        "lists in one row", "of one length", Said(got), "correct the row", where=table.locate(row)
    )
