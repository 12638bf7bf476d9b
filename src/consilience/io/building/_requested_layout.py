"""What the caller asked for, in the terms of one table: variables by value, lists in cells,
gold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from consilience.core.cell_values import as_literal, holds_number
from consilience.core.input_files import Said
from consilience.core.options import BY_VARIABLE
from consilience.document.records import csv_line
from consilience.exceptions import InputError, Option, Words
from consilience.io.building._bookkeeping import Job
from consilience.io.grids.delimited import load_scratch
from consilience.io.layout.decision import AmbiguousTableError, Offer
from consilience.io.layout.lexicon import (
    Role,
    called,
    family_of,
    is_settled,
    role_of,
    roles_of,
    singular,
)
from consilience.io.layout.recognise import recognise
from consilience.io.layout.table_sample import Candidate, Layout
from consilience.io.options import Request, chosen_variables
from consilience.io.table import Table

# ---- lists in a cell: "Ann1,Ann2" beside "0,1" becomes one row per rating

_PLAIN_LIST = re.compile(r"\s*,\s*|\s*;\s*|\s*\|\s*")
_CHUNK = 10_000
_FIRST_ROWS = 600
_FEWEST_PLACES = 2
_ITEM, _RATER, _LABEL, _ROW = "item", "rater", "label", "row"


@dataclass(frozen=True)
class _Pair:
    """Two columns of lists: who rated, None where nobody is named, and what they said."""

    rater: int | None
    label: int


@dataclass(frozen=True)
class _Places:
    """Columns of names beside columns of labels: annotator_1, annotator_1_label, and so on."""

    raters: tuple[int, ...]
    labels: tuple[int, ...]


def without_lists(table: Table, request: Request) -> Table:
    """Return the table with one rating per row, where raters and labels stand as lists in cells."""
    if request.shape not in (None, "long"):
        return table
    first = table.sample()[:_FIRST_ROWS]  # what is wrong further down is told with its line
    rows = [row for row in first if any(cell is not None for cell in row)]
    pair = _pair(table, rows, request) or _unnamed(table, rows, request)
    if pair is not None:
        return _exploded(table, pair, request)
    told = request.item or request.rater or request.label or request.shape
    places = None if told or table.file is not None else _places(table, rows)
    return table if places is None else _one_by_one(table, places)


def _places(table: Table, rows: Sequence[Sequence[Any]]) -> _Places | None:
    """Find columns of names that come back in other rows and places, each beside one of labels."""
    stems: dict[str, dict[str, int]] = {}
    for j, name in enumerate(table.names):
        family = family_of(name)
        if family is not None and "#" in family.stem:
            stems.setdefault(re.sub(r"[\W_]*#", "#", family.stem), {})[family.tail] = j
    for who, raters in stems.items():
        if len(raters) < _FEWEST_PLACES or "rater" not in roles_of(who.partition("#")[0]):
            continue
        if not who.endswith("#") or not _are_names(rows, list(raters.values())):
            continue
        for what, labels in stems.items():
            if what != who and labels.keys() == raters.keys():
                places = _Places(tuple(raters.values()), tuple(labels[k] for k in raters))
                if _hold_labels(rows, places):
                    return places
    return None


def _are_names(rows: Sequence[Sequence[Any]], columns: Sequence[int]) -> bool:
    """Tell whether people come back in several of the columns, and nobody twice in a row."""
    given = [[row[j] for j in columns if row[j] is not None] for row in rows]
    homes = [{row[j] for row in rows if row[j] is not None} for j in columns]
    everybody = set().union(*homes)
    come_back = sum(sum(one in home for home in homes) > 1 for one in everybody)
    once = all(len(set(some)) == len(some) for some in given)
    return once and len(everybody) > len(columns) and 2 * come_back >= len(everybody)


def _hold_labels(rows: Sequence[Sequence[Any]], places: _Places) -> bool:
    """Tell whether the columns beside the names have labels in common, and no names."""
    homes = [{row[j] for row in rows if row[j] is not None} for j in places.labels]
    names = {row[j] for row in rows for j in places.raters}
    whole = set().union(*homes)
    return bool(set.intersection(*homes)) and not whole & names and 3 * len(whole) < 2 * len(rows)


def _one_by_one(table: Table, places: _Places) -> Table:
    """Write a row for each name and the label beside it."""
    used = {*places.raters, *places.labels}
    others = [j for j in range(len(table.names)) if j not in used]
    names = [table.names[j] for j in others]
    target = table.session.scratch / (table.session.new_name("places") + ".csv")
    origins: list[int] = []
    with target.open("w", encoding="utf-8", newline="") as stream:
        stream.write(csv_line([*names, _unlike(_RATER, names), _unlike(_LABEL, names)]))
        for number, row in _rows(table):
            for who, what in zip(places.raters, places.labels, strict=True):
                if row[who] is not None:
                    cells = [_cell(row[j]) for j in (*others, who, what)]
                    stream.write(csv_line(cells))
                    origins.append(number)
    first = (table.names[places.raters[0]], table.names[places.labels[0]])
    words = f"columns such as {first[0]!r} name who gave the label in {first[1]!r}"
    loaded = load_scratch(
        table.session,
        [target],
        table.paths,
        format=table.format,
        header=True,
        locate=lambda row: table.locate(origins[row]) if row < len(origins) else table.where,
        evidence=(*table.evidence, words),
    )
    return replace(loaded, dialect=table.dialect)


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
            "the column of the labels",
            "clear",
            Said(f"lists in {names}"),
            Words("name one, as in ", Option("label", table.names[fits[0].label])),
            where=table.where,
        )
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


def _named(table: Table, role: Role, wished: tuple[str, ...]) -> list[int]:
    if wished:
        return [j for j, name in enumerate(table.names) if name in wished]
    words = [name if role_of(name) else singular(name) for name in table.names]
    found = called(words, role)
    return [j for j, word in enumerate(words) if word in found]


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
    named = repr(table.names[pair.label])
    words = f"lists in {named} hold one label per rater; raters are numbered by their places"
    if pair.rater is not None:
        words = f"lists in {table.names[pair.rater]!r} and {named} were taken apart"
    loaded = load_scratch(
        table.session,
        [target],
        table.paths,
        format=table.format,
        header=True,
        locate=lambda row: table.locate(places[row]) if row < len(places) else table.where,
        evidence=(*table.evidence, words),
    )
    return replace(loaded, dialect=table.dialect)


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


# ---- what the caller asked for

_PLAIN = "plain values"


def asked_of(table: Table, request: Request) -> tuple[Request, bool]:
    """Return what is asked of this table, and whether variables are values of the grouping column.

    A variable is a column of labels where one is called so, else a value of the column called
    "variable"; beside a label column that was named, it can only be the latter.
    """
    wanted = request.variables
    if table.is_long:
        request = _made_long(table, replace(request, shape=None))
    if not wanted:
        return request, False
    by = next((name for name in table.names if name.strip().casefold() == BY_VARIABLE), None)
    told = request.named_labels and {
        table.names[j] for j in table.positions(request.named_labels, option="label")
    }
    among = [name for name in table.names if not told or name in told]
    named = all(_names(word, among) and (by is None or word != "*") for word in wanted)
    if named:
        return replace(request, label=wanted), False
    if by is None or request.by not in (None, by, BY_VARIABLE):
        if told:  # the labels are named, and nothing is called like the variable
            raise InputError.unknown_word(f"{table.where}: variable", wanted[0], among)
        return request, False
    return replace(request, label=request.named_labels, by=by), True


def _made_long(table: Table, request: Request) -> Request:
    """Take the columns for what the loader called them, unless the caller says otherwise."""
    is_told = bool(request.item or request.rater or request.label)
    if is_told or set(table.names) - {"kind"} != {"item", "rater", "label"}:
        return request
    return replace(request, item=("item",), rater=("rater",), label=("label",))


def _names(word: str, names: Sequence[str]) -> bool:
    folded = word.casefold()
    return any(name.casefold() == folded or fnmatchcase(name, word) for name in names)


def recognised(table: Table, request: Request) -> tuple[Candidate, tuple[str, ...]]:
    """Recognise the layout; a column of gold answers is a rater where that was asked for."""
    gold = request.gold
    try:
        candidate, others = recognise(table, request)
    except AmbiguousTableError as error:
        settling = _all_raters(error.offers) if gold == "rater" else None
        if settling is None:
            raise
        item, rater = settling
        asked = replace(request, shape="wide", item=item, rater=rater, label=())
        candidate, others = recognise(table, asked)
    layout = candidate.layout
    used = {*layout.item, *layout.rater, *layout.label, *layout.category, layout.by}
    used |= {j for one in layout.variables for j in one.columns}
    settled = [j for j, name in enumerate(table.names) if is_settled(name) and j not in used]
    if gold != "leave_out" and settled:
        if gold != "rater" or layout.shape != "wide" or layout.variables:
            raise _no_rater(table, table.names[settled[0]], gold, layout.shape)
        names = tuple(table.names[j] for j in (*layout.rater, *settled))
        items = tuple(table.names[j] for j in layout.item)
        told = replace(request, shape="wide", rater=names, item=items, label=())
        candidate, others = recognise(table, told)
        listed = ", ".join(repr(table.names[j]) for j in settled)
        evidence = (*candidate.evidence, f"compared like a rater's, as told: {listed}")
        candidate = replace(candidate, evidence=evidence)
    refuse_mixed(table, candidate.layout)
    _refuse_several_raters(table, candidate.layout)
    return candidate, others


def _refuse_several_raters(table: Table, layout: Layout) -> None:
    """Refuse a second column with names of raters: only one of them would be read."""
    if layout.shape == "long" and len(layout.rater) > 1:
        raise InputError.expected(
            "rater",
            "one column of a table with one row per rating",
            [table.names[j] for j in layout.rater],
            Words(
                "name one of them, or pass ",
                Option("shape", "wide"),
                " where each rater has a column",
            ),
            where=table.where,
        )


def _all_raters(offers: Sequence[Offer]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return items and raters, gold answers among them, where the best two differ in that only."""
    offers = offers[:2]
    if any(offer.options.get("shape") != "wide" for offer in offers):
        return None
    items = {offer.options.get("item", ()) for offer in offers}
    raters = [offer.options["rater"] for offer in offers]
    others = {tuple(name for name in names if not is_settled(name)) for names in raters}
    if len(items) != 1 or len(others) != 1:
        return None
    return items.pop(), max(raters, key=len)


def _no_rater(table: Table, column: str, gold: str, shape: str) -> InputError:
    return InputError.expected(
        "gold",
        "'leave_out', or 'rater' where each rater has a column",
        Said(f"{gold!r} and the column {column!r} of a {shape} table"),
        "write these answers as rows of a rater called gold, or leave the option out",
        where=table.where,
    )


def only_asked(job: Job, wanted: Sequence[str]) -> None:
    """Keep the groups that were asked for by name, and what was told about them."""
    names = [str(name) for name in job.groups]
    kept = chosen_variables(names, wanted, job.table.where)
    for name in [name for name in job.groups if str(name) not in kept]:
        del job.groups[name]
        job.evidence[:] = [words for words in job.evidence if not words.startswith(f"{name}: ")]
    if len(job.groups) == 1:
        (name, ratings) = job.groups.popitem()
        job.groups[None] = ratings
        job.evidence[:] = [words.removeprefix(f"{name}: ") for words in job.evidence]
        job.evidence.append(f"only the variable {name!r}, as told")


def refuse_mixed(table: Table, layout: Layout) -> None:
    """Refuse raters some of whom gave lists and others not, or lists of different kinds."""
    groups = [one.columns for one in layout.variables] or [layout.rater]
    if layout.shape != "wide":
        return
    rows = table.sample()
    for columns in groups:
        kinds = {j: kind for j in columns if (kind := _kind(row[j] for row in rows))}
        several = list(dict.fromkeys(kinds.values()))
        if len(several) > 1 and any(kind != _PLAIN for kind in several):
            first, second = (next(j for j in kinds if kinds[j] == kind) for kind in several[:2])
            raise InputError.expected(
                "columns that are compared",
                "of one kind",
                Said(
                    f"{several[0]} in {table.names[first]!r} and {several[1]} in "
                    f"{table.names[second]!r}"
                ),
                "name the columns of the raters with rater= (--rater), or the column that holds "
                "the labels of all raters with label= (--label)",
                where=table.where,
            )


def _kind(cells: Iterable[Any]) -> str:
    """Say what a column holds; nothing where it mixes kinds, as one label beside several may."""
    plain, others = set(), []
    for cell in cells:
        if isinstance(cell, str):
            plain.add(cell)
        elif cell not in (None, []):
            others.append(cell)
    kinds = {_kind_of(cell) for cell in (*plain, *others) if cell != ""} - {"lists"}
    return kinds.pop() if len(kinds) == 1 else ""


def _kind_of(cell: Any) -> str:
    text = cell.strip() if isinstance(cell, str) else ""
    if isinstance(cell, dict) or (text.startswith("{") and text.endswith("}")):
        return "objects"
    if not isinstance(cell, (list, tuple)) and not (text.startswith("[") and text.endswith("]")):
        return _PLAIN
    parts = parts_of(cell)
    if parts is None:
        return "lists"
    if any(isinstance(part, (dict, list, tuple)) for part in parts):
        return "lists of objects"
    numbers = [holds_number(p) for p in parts]
    return "lists" if not parts else "lists of numbers" if all(numbers) else "lists of texts"
