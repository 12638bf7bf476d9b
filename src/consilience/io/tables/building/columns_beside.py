"""Columns beside the ratings: hidden while the layout is recognised, then read by item."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import ConsilienceError, InputError
from consilience.io.request import Request
from consilience.io.tables.building._build_job import Job
from consilience.io.tables.building._column_codes import encode_columns
from consilience.io.tables.layouts._as_asked import recognised
from consilience.io.tables.layouts._table_sample import Candidate
from consilience.io.tables.recogniser.refusal import AmbiguousTableError
from consilience.io.tables.table import Table
from consilience.ratings.clusters import Clusters


def put_in_clusters(job: Job, place: int) -> None:
    """Tell the ratings of a table which items belong together."""
    name = job.table.names[place]
    found = values_beside(job, {"cluster": place}, one_each=True)["cluster"]
    for group, ratings in job.groups.items():
        unknown = [item for item in ratings.items if item not in found]
        if unknown:
            raise InputError.expected(
                f"the column {name!r}",
                "filled for every item",
                Said(f"an empty cell at {unknown[0]!r}"),
                "fill it, or leave out cluster",
                where=job.table.where,
            )
        job.groups[group] = ratings.with_clusters(found, name)


_MOST_ROWS = 200_000
_MOST_COLUMNS = 6
_FEWEST_CLUSTERS = 5


def possible_clusters(job: Job, candidate: Candidate) -> tuple[Clusters, ...]:
    """Return columns that were not used and in which items share a value: a patient, a text."""
    table, shape = job.table, candidate.layout.shape
    ratings = next(iter(job.groups.values()), None)
    if shape not in ("long", "wide") or table.n_rows > _MOST_ROWS or len(job.groups) != 1:
        return ()
    if ratings is None or ratings._items is None:
        return ()
    rows = table.sample()
    able = [one.column for one in candidate.aside if _is_shared([r[one.column] for r in rows])]
    found = []
    for place in able[:_MOST_COLUMNS]:
        try:
            values = values_beside(job, {"cluster": place}, one_each=True)["cluster"]
            if all(item in values for item in ratings.items):
                found.append(Clusters.of(values, ratings.items, table.names[place]))
        except InputError:  # it differs within an item: no fact about it
            continue
    return tuple(c for c in found if _FEWEST_CLUSTERS <= c.n_clusters <= ratings.n_items / 2)


def _is_shared(values: list[Any]) -> bool:
    """Tell whether a column is filled, and its values come back."""
    known = {str(value) for value in values if value is not None}
    return None not in values and _FEWEST_CLUSTERS <= len(known) <= len(values) / 2


def recognised_beside(
    table: Table, places: Collection[int], request: Request
) -> tuple[Candidate, tuple[str, ...]]:
    """Recognise the layout of the other columns: a column to group by is set aside, so ask so."""
    places = set(places)
    if request.by is not None:
        return recognised(table, request)  # only one column can be hidden
    unclear: AmbiguousTableError | None = None
    for place in places:
        try:
            found, others = recognised(table, replace(request, by=table.names[place]))
        except AmbiguousTableError as error:
            unclear = unclear or error.without("by")
            continue
        except ConsilienceError:
            continue
        layout = replace(found.layout, by=None)
        used = {*layout.item, *layout.rater, *layout.label, *layout.category}
        if not used & places:
            return replace(found, layout=layout), others
        if not request.rater and layout.shape == "wide" and places & set(layout.rater):
            return replace(found, layout=layout.without(places)), others
    try:
        return recognised(table, request)
    except AmbiguousTableError as error:
        raise unclear or error from None  # whose readings leave the column alone


def values_beside(
    job: Job, aside: Mapping[str, int], *, one_each: bool = False
) -> dict[str, dict[object, object]]:
    """Return for each word the first value of each item, and of each (item, rater).

    `one_each` refuses an item that has several values.
    """
    layout, table = job.layout, job.table
    if not aside:
        return {}
    if layout.shape not in ("long", "wide", "counts"):
        raise InputError.expected(
            "a column beside the ratings",
            "in a file with one row per item or per rating",
            Said(f"a file that is {layout.shape}"),
            "bring the ratings in long form",
            where=table.where,
        )
    wanted = {f"aside_{place}": job.name(j) for place, j in enumerate(aside.values())}
    named = {role: cell for role, cell in job.names().items() if role == "item"}
    if layout.shape == "long" and not layout.rater_is_file:
        named["rater"] = job.name(layout.rater[0])
    encoded, _ = encode_columns(table, {**named, **wanted})
    items: Any = range(1, table.n_rows + 1)
    if "item" in encoded:
        names, codes = encoded["item"].dictionary, encoded["item"].codes.tolist()
        items = [names[code] if code >= 0 else None for code in codes]
    raters: list[object] | None = None
    if "rater" in encoded:
        names, codes = encoded["rater"].dictionary, encoded["rater"].codes.tolist()
        raters = [names[code] if code >= 0 else None for code in codes]
    out: dict[str, dict[object, object]] = {}
    for place, word in enumerate(aside):
        part = encoded[f"aside_{place}"]
        found: dict[object, object] = {}
        for row, (name, code) in enumerate(zip(items, part.codes.tolist(), strict=True)):
            if code < 0:
                continue
            value = part.dictionary[code]
            if found.setdefault(name, value) != value and one_each:
                raise InputError.expected(
                    f"the column {table.names[aside[word]]!r}",
                    "the same in all rows of an item",
                    Said(f"{found[name]} and {value} for {name!r}"),
                    "name a column that says something about the item",
                    where=table.where,
                )
            if raters is not None:
                found.setdefault((name, raters[row]), value)
        out[word] = found
    return out
