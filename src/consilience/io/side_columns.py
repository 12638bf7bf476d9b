"""Ratings with what other columns of the file say: the text of an item, the time of a rating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from consilience.core.database import Session
from consilience.core.input_files import PathLike, check_paths
from consilience.core.labels import plain
from consilience.exceptions import InputError
from consilience.io._read import Loaded, account, open_table
from consilience.io.bytes._source import Source
from consilience.io.platforms import Export
from consilience.io.platforms._load_export import entries_of, export_for, load_export
from consilience.io.request import Request, request_of
from consilience.io.tables.building._build_ratings import build
from consilience.io.tables.building._relabel import Relabelling, changed, taken_apart
from consilience.io.tables.building.columns_beside import (
    put_in_clusters,
    recognised_beside,
    values_beside,
)
from consilience.io.tables.layouts._as_asked import only_asked, wishes_for

if TYPE_CHECKING:
    from consilience.ratings import Ratings

_OF_EXPORTS = ("time", "text")


def load_beside(
    path: PathLike | Iterable[PathLike], beside: Mapping[str, str], /, **options: Any
) -> tuple[Loaded, dict[str, dict[object, object]]]:
    """Read ratings, and beside them other columns by item and by (item, rater).

    `beside` maps a word of the caller's to the name of a column; the columns are set aside before
    the layout is recognised. The options are those of `load`. In an export, "time" and "text" are
    such columns.
    """
    request = request_of(**options)
    source = Source(tuple(check_paths(path, folders="allow")))
    found = export_for(source, request)
    if found is not None:
        return _beside_export(source, *found, request, beside)
    with Session(source.where) as session:
        table = open_table(session, source, request)
        aside = {word: table.position(name, option=word) for word, name in beside.items()}
        wishes, by_value = wishes_for(table, request)
        cluster = None
        if request.cluster is not None:
            cluster = table.position(request.cluster, option="cluster")
        hidden = aside if cluster is None else {**aside, "cluster": cluster}
        candidate, others = recognised_beside(table, wishes, hidden, request)
        job = build(table, candidate.layout, request.table_content(table, candidate.layout))
        if by_value:
            only_asked(job, request.variables)
        if cluster is not None:
            put_in_clusters(job, cluster)
        values = values_beside(job, aside)
        reading = account(table, candidate, others, job, request, cluster=cluster)
    return Loaded(job.groups, reading, None if None in job.groups else "variable"), values


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


def _beside_export(
    source: Source, export: Export, evidence: str, request: Request, columns: Mapping[str, str]
) -> tuple[Loaded, dict[str, dict[object, object]]]:
    for word, name in columns.items():
        if name not in _OF_EXPORTS:
            raise InputError.unknown_word(f"{source.where}: {word}", name, _OF_EXPORTS)
    groups, reading = load_export(source, export, evidence, request)
    entries = entries_of(source, export, request)
    values: dict[str, dict[object, object]] = {}
    for word, name in columns.items():
        values[word] = {}
        column = getattr(entries, name)
        for item, rater, value in zip(entries.item, entries.rater, column, strict=True):
            if value is not None:
                values[word].setdefault(item, value)
                values[word].setdefault((item, rater), value)
    return Loaded(groups, reading, None if None in groups else "variable"), values
