"""Columns beside the ratings, from the same file or another one, and tables as they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from consilience.core.input_files import PathLike, Said, check_paths
from consilience.core.labels import Note, plain
from consilience.exceptions import ConsilienceError, InputError
from consilience.io._read import Loaded, load, opened
from consilience.io.building._bookkeeping import Job
from consilience.io.building._column_codes import Encoded, encode_columns
from consilience.io.building._requested_layout import recognised
from consilience.io.layout.decision import AmbiguousTableError
from consilience.io.layout.labels import Relabelling, changed, taken_apart
from consilience.io.layout.lexicon import names_occasion
from consilience.io.layout.table_sample import Candidate
from consilience.io.options import Request, request_of
from consilience.io.table import Table
from consilience.ratings.clusters import Clusters

if TYPE_CHECKING:
    from consilience.ratings import Ratings

# ---- ratings with what other columns of the file say


def load_beside(
    path: PathLike | Iterable[PathLike], beside: Mapping[str, str], /, **options: Any
) -> tuple[Loaded, dict[str, dict[object, object]]]:
    """Read ratings, and beside them other columns by item and by (item, rater).

    `beside` maps a word of the caller's to the name of a column; the columns are set aside before
    the layout is recognised. The options are those of `load`. In an export, "time" and "text" are
    such columns.
    """
    with opened(path, request_of(**options), beside=beside) as file:
        values = file.beside
        return file.loaded, values


def labels_like(
    ratings: Ratings,
    values: Mapping[str, object],
    *,
    map: Mapping[Any, Any] | None = None,
    ignore_case: bool = False,
    missing_values: Collection[object] = (),
    sets: str | None = None,
) -> dict[str, object]:
    """Return the labels that a column holds for items, cleaned as those of the raters were.

    Labels that differ from a rater's in case only are spelt as the rater's where case is ignored.
    """
    change = Relabelling.of(map, ignore_case=ignore_case, sets=sets)
    counts = Counter(values.values())
    cells = list(counts)
    apart = taken_apart(cells, change, missing_values, [])
    new = changed(apart, list(counts.values()), change, [], ratings.categories)
    spelt = {str(plain(label)): label for label in ratings.categories}
    marks = {_mark(one, ignore_case) for one in missing_values}
    become = {
        cell: None if _mark(cell, ignore_case) in marks else spelt.get(str(plain(label)), label)
        for cell, label in zip(cells, new, strict=True)
    }
    return {item: become[cell] for item, cell in values.items() if become[cell] is not None}


def _mark(label: object, ignore_case: bool) -> str:
    text = str(plain(label)).strip()
    return text.casefold() if ignore_case else text


# ---- columns beside the ratings: hidden while the layout is recognised, then read by item


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


def put_runs_in_clusters(job: Job) -> tuple[str, ...]:
    """Let items that differ only in the run, the attempt or the seed belong together.

    A judge that is asked again gives no independent judgement, so what was judged is the cluster.
    Returns the names of its columns; none where no item came back.
    """
    table, layout = job.table, job.layout
    if layout.shape not in ("long", "wide") or len(layout.item) < 2:
        return ()
    runs = [j for j in layout.item if names_occasion(table.names[j])]
    judged = [j for j in layout.item if j not in runs]
    if not runs or not judged or table.n_rows > _MOST_ROWS:
        return ()
    beside = values_beside(job, {table.names[j]: j for j in judged}, one_each=True).values()
    names = tuple(table.names[j] for j in judged)
    told = False
    for group, ratings in job.groups.items():
        cluster = [tuple(found.get(item) for found in beside) for item in ratings.items]
        number = {one: k for k, one in enumerate(dict.fromkeys(cluster))}
        if not 2 <= len(number) < ratings.n_items:
            continue
        what, run = " ".join(names), " ".join(table.names[j] for j in runs)
        by_item = ratings.with_clusters([number[one] for one in cluster], what)
        note = Note(
            "runs_are_no_items",
            f"Items that differ in {run!r} only are the same {what!r} judged again: intervals and "
            f"tests rest on {len(number):,} of these, not on {ratings.n_items:,} items.",
        )
        parts = by_item.parts()
        job.groups[group] = by_item.of_parts(replace(parts, notes=(*parts.notes, note)))
        told = True
    return names if told else ()


_MOST_ROWS = 200_000
_MOST_COLUMNS = 6
_FEWEST_CLUSTERS = 5


def possible_clusters(job: Job, candidate: Candidate) -> tuple[Clusters, ...]:
    """Return columns that were not used and in which items share a value: a patient, a text."""
    table, shape = job.table, candidate.layout.shape
    ratings = next(iter(job.groups.values()), None)
    if shape not in ("long", "wide") or table.n_rows > _MOST_ROWS or len(job.groups) != 1:
        return ()
    if ratings is None or ratings.told_items is None:
        return ()
    rows = table.sample()
    able = [one.column for one in candidate.aside if _is_shared([r[one.column] for r in rows])]
    found = []
    places = able[:_MOST_COLUMNS]
    if not places:
        return ()
    try:
        rows_beside, parts = _encoded_beside(job, places)
    except InputError:  # a damaged column is no fact about items
        return ()
    for place, part in zip(places, parts, strict=True):
        try:
            values = _first_values(job, place, rows_beside, part, one_each=True)
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
    rows, parts = _encoded_beside(job, aside.values())
    return {
        word: _first_values(job, aside[word], rows, part, one_each=one_each)
        for word, part in zip(aside, parts, strict=True)
    }


@dataclass(frozen=True)
class _Rows:
    """The item of every row, and its rater where the table has a rater in each row."""

    items: Sequence[object]
    raters: Sequence[object] | None


def _encoded_beside(job: Job, places: Collection[int]) -> tuple[_Rows, list[Encoded]]:
    """Encode columns beside the ratings, and what tells whose row it is, once for all of them."""
    layout, table = job.layout, job.table
    wanted = {f"aside_{k}": job.name(place) for k, place in enumerate(places)}
    named = {role: cell for role, cell in job.names().items() if role == "item"}
    if layout.shape == "long" and not layout.rater_is_file:
        named["rater"] = job.name(layout.rater[0])
    encoded, _ = encode_columns(table, {**named, **wanted})

    def named_in_rows(role: str) -> list[object] | None:
        if role not in encoded:
            return None
        names, codes = encoded[role].dictionary, encoded[role].codes.tolist()
        return [names[code] if code >= 0 else None for code in codes]

    rows = _Rows(named_in_rows("item") or range(1, table.n_rows + 1), named_in_rows("rater"))
    return rows, [encoded[word] for word in wanted]


def _first_values(
    job: Job, place: int, rows: _Rows, part: Encoded, *, one_each: bool
) -> dict[object, object]:
    """Return the first value of each item, and of each (item, rater)."""
    found: dict[object, object] = {}
    for row, (name, code) in enumerate(zip(rows.items, part.codes.tolist(), strict=True)):
        if code < 0:
            continue
        value = part.dictionary[code]
        if found.setdefault(name, value) != value and one_each:
            raise InputError.expected(
                f"the column {job.table.names[place]!r}",
                "the same in all rows of an item",
                Said(f"{found[name]} and {value} for {name!r}"),
                "name a column that says something about the item",
                where=job.table.where,
            )
        if rows.raters is not None:
            found.setdefault((name, rows.raters[row]), value)
    return found


# ---- a table as it stands: columns by name, for rows that are no ratings of items


def read_columns(
    path: PathLike, *, delimiter: str | None = None, encoding: str | None = None
) -> dict[str, list[Any]]:
    """Return the columns of a delimited, JSON or Parquet file by name; blank cells are None.

    Parameters
    ----------
    path : path of the file
    delimiter, encoding : str, optional

    Returns
    -------
    dict
    """
    request = request_of(delimiter=delimiter, encoding=encoding)
    with opened(check_paths(path), request) as file:
        table = file.table
        listed = ", ".join(f"c{k}" for k in range(len(table.names)))
        rows = table.session.rows(f"SELECT {listed} FROM {table.relation} ORDER BY {table.row}")
    columns: dict[str, list[Any]] = {name: [] for name in table.names}
    for row in rows:
        for name, cell in zip(table.names, row, strict=True):
            blank = cell is None or (isinstance(cell, str) and not cell.strip())
            columns[name].append(None if blank else cell)
    return columns


# ---- people's labels in a file of their own

_MOST_VALUES = 1_000_000
_MOST = 0.5  # share of a column's values that must be known before it is taken for a role
_NEARLY_ALL = 0.8


def load_people(
    path: PathLike, *, items: Collection[str], labels: Collection[str], **options: Any
) -> Loaded:
    """Read a file of labels about items that are known already.

    A table with a single rater fits no layout by itself. The names of the items tell which column
    holds them, the labels which columns are raters.

    Parameters
    ----------
    path : path of the file
    items, labels : names of the items and of the labels that the verdicts have, as text
    options
        As for `load`.

    Returns
    -------
    Loaded
    """
    known = set(items)
    trouble: ConsilienceError | None = None
    try:
        loaded = load(path, **options)
        if _share_known([str(x) for x in _items_of(loaded)], known) >= _MOST:
            return loaded
    except ConsilienceError as error:
        trouble = error
    told = _roles(path, known, set(labels), options)
    if told is None:
        if trouble is not None:
            raise trouble
        return loaded
    return load(path, **{**options, "shape": "wide", **told})


def _items_of(loaded: Loaded) -> list[object]:
    return [name for part in loaded.groups.values() for name in part.items]


def _share_known(values: Collection[str], known: set[str]) -> float:
    return sum(value in known for value in values) / len(values) if values else 0.0


def _roles(
    path: PathLike, items: set[str], labels: set[str], options: dict[str, Any]
) -> dict[str, Any] | None:
    """Return the column of the items and those of the raters; None where they cannot be told."""
    with opened(check_paths(path), request_of(**options)) as file:
        if file.export is not None:
            return None
        table, values = file.table, {}
        for k, name in enumerate(table.names):
            rows = table.session.rows(
                f"SELECT DISTINCT c{k} FROM {table.relation} WHERE c{k} IS NOT NULL "
                f"LIMIT {_MOST_VALUES}"
            )
            values[name] = {str(row[0]).strip() for row in rows} - {""}
    shares = {name: _share_known(own, items) for name, own in values.items()}
    item = max(shares, key=lambda name: shares[name], default=None)
    if item is None or shares[item] < _MOST:
        return None
    raters = [
        name
        for name, own in values.items()
        if name != item and own and _share_known(own, labels) >= _NEARLY_ALL
    ]
    return {"item": item, "rater": raters} if raters else None
