"""Several answers as one: a variable or group after the other, or documents below each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli._output import Answer

if TYPE_CHECKING:
    from consilience.document import Block, Document, Table
    from consilience.io import Loaded

_IN_ONE_TABLE = ("csv", "xlsx", "parquet")


def each(loaded: Loaded, find: Callable[[Loaded], Answer], **more: Any) -> Answer:
    """Return the answer of the one variable, or those of all variables or groups as one.

    `more` goes into the record of several.
    """
    from consilience.document import Document, Paragraph

    if loaded.by is None:
        return find(loaded)
    parts = _parts(loaded, find)
    record = _record(loaded, parts, more)
    if out.chosen_format(click.get_current_context().params) in _IN_ONE_TABLE:
        return Answer(document=Document(blocks=_in_one_table(parts, loaded.by)), record=record)
    blocks: list[Block] = []
    for name, part in parts.items():
        blocks.append(Paragraph(f"{loaded.by} {name}: {part.document.title}".rstrip(": ")))
        blocks += part.document.blocks
        blocks += [Paragraph(f"{one.severity}: {one.sentence}") for one in part.document.findings]
    return Answer(document=Document(blocks=tuple(blocks)), record=record)


def _parts(loaded: Loaded, find: Callable[[Loaded], Answer]) -> dict[str, Answer]:
    """Find the result of each group; one that has none says why and does not stop the others."""
    from consilience.cli._extra_columns import facts
    from consilience.document import Document, Finding
    from consilience.exceptions import UnsupportedDesignError

    found: dict[str, Answer] = {}
    refused: list[UnsupportedDesignError] = []
    for name, ratings in loaded.groups.items():
        alone = replace(loaded, groups={None: ratings}, by=None)
        try:
            found[str(name)] = find(alone)
        except UnsupportedDesignError as error:
            refused.append(error)
            why = Finding("not_measured", "problem", f"Not measured: {error}")
            record = {"data": facts(alone), "findings": [why.to_dict()]}
            found[str(name)] = Answer(document=Document(findings=(why,)), record=record)
    if refused and len(refused) == len(found):
        raise refused[0]
    return found


def _record(loaded: Loaded, parts: Mapping[str, Answer], more: dict[str, Any]) -> dict[str, Any]:
    """Return the record as `measure` writes it: facts about all, and a list of groups."""
    from consilience.document import envelope
    from consilience.report import DataFacts
    from consilience.report.measurement import together

    reading = loaded.reading
    ratings = list(loaded.groups.values())
    every = [DataFacts.of(r, shape=reading.shape, sources=reading.sources) for r in ratings]
    data = together(every, ratings, loaded.by or "group").to_dict()
    groups = [{"name": name, **_bare(part.record)} for name, part in parts.items()]
    return envelope(data=data, by=loaded.by, groups=groups, **more)


def _bare(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in ("schema", "version", "seed")}


def _in_one_table(parts: Mapping[str, Answer], by: str) -> Sequence[Block]:
    """Put tables with the same columns together, the name of the group before each row."""
    from consilience.document import Table

    tables: dict[tuple[str, ...], list[list[Any]]] = {}
    kept: dict[tuple[str, ...], Table] = {}
    for name, part in parts.items():
        for table in part.document.blocks:
            if isinstance(table, Table):
                heads = tuple(table.heads)
                kept.setdefault(heads, table)
                tables.setdefault(heads, []).extend([name, *row] for row in table.rows)
    return [replace(kept[heads], heads=(by, *heads), rows=rows) for heads, rows in tables.items()]


def joined(documents: Sequence[Document], before: str = "") -> Document:
    """Put documents below each other: each of them after its verdict, the first one's on top."""
    from consilience.document import Paragraph

    blocks: list[Any] = [Paragraph(before)] if before else []
    for place, one in enumerate(documents):
        if place and one.verdict is not None:
            blocks.append(Paragraph(one.verdict.sentence))
        blocks += one.blocks
    findings = [one for document in documents for one in document.findings]
    return replace(documents[0], blocks=tuple(blocks), findings=tuple(findings))
