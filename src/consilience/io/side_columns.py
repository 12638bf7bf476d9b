"""Ratings with what other columns of the file say: the text of an item, the time of a rating."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from consilience.exceptions import ConsilienceError, InputError
from consilience.io._read import Loaded, account, open_table
from consilience.io.bytes._source import Source
from consilience.io.bytes.paths import PathLike, Said, check_paths
from consilience.io.platforms import Export
from consilience.io.platforms._load_export import entries_of, export_for, load_export
from consilience.io.request import Request, request_of
from consilience.io.tables.building._build_job import Job
from consilience.io.tables.building._build_ratings import build
from consilience.io.tables.building._column_codes import encode_columns
from consilience.io.tables.layouts._as_asked import only_asked, recognised, wishes_for
from consilience.io.tables.layouts._table_sample import Candidate, Wishes
from consilience.io.tables.session import Session
from consilience.io.tables.table import Table

_OF_EXPORTS = ("time", "text")


def load_beside(
    path: PathLike | Iterable[PathLike], columns: Mapping[str, str], **options: Any
) -> tuple[Loaded, dict[str, dict[object, object]]]:
    """Read ratings, and beside them other columns by item and by (item, rater).

    `columns` maps a word of the caller's to the name of a column; the columns are set aside before
    the layout is recognised. The options are those of `load`. In an export, "time" and "text" are
    such columns.
    """
    request = request_of(**options)
    source = Source(tuple(check_paths(path, folders="allow")))
    found = export_for(source, request)
    if found is not None:
        return _beside_export(source, *found, request, columns)
    with Session(source.where) as session:
        table = open_table(session, source, request)
        aside = {word: table.position(name, option=word) for word, name in columns.items()}
        wishes, by_value = wishes_for(table, request)
        candidate, others = _recognised(table, wishes, aside, request)
        job = build(table, candidate.layout, request.table_content(table, candidate.layout))
        if by_value:
            only_asked(job, request.variables)
        values = _values_beside(job, aside)
        reading = account(table, candidate, others, job, request)
    return Loaded(job.groups, reading, None if None in job.groups else "variable"), values


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


def _recognised(
    table: Table, wishes: Wishes, aside: Mapping[str, int], request: Request
) -> tuple[Candidate, tuple[str, ...]]:
    """Recognise the layout of the other columns: a column to group by is set aside, so ask so."""
    places = set(aside.values())
    if wishes.by is not None:
        return recognised(table, wishes, request)
    for place in places:
        try:
            found, others = recognised(table, replace(wishes, by=table.names[place]), request)
        except ConsilienceError:
            continue
        layout = replace(found.layout, by=None)
        used = {*layout.item, *layout.rater, *layout.label, *layout.category}
        if not used & places:
            return replace(found, layout=layout), others
        if not wishes.rater and layout.shape == "wide" and places & set(layout.rater):
            return replace(found, layout=layout.without(places)), others
    return recognised(table, wishes, request)


def _values_beside(job: Job, aside: Mapping[str, int]) -> dict[str, dict[object, object]]:
    """Return for each word the first value of each item, and of each (item, rater)."""
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
            found.setdefault(name, value)
            if raters is not None:
                found.setdefault((name, raters[row]), value)
        out[word] = found
    return out
