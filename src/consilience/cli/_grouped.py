"""One result for each variable or group: the same command for every part of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consilience.cli import _output as out

if TYPE_CHECKING:
    from consilience.document import Block, Document, Table
    from consilience.io import Loaded

_IN_ONE_TABLE = ("csv", "xlsx", "parquet")


@dataclass(frozen=True)
class Part:
    """What was found out about one group, to be read and as plain data."""

    document: Document
    record: dict[str, Any]


def is_grouped(loaded: Loaded) -> bool:
    """Tell whether the file has several variables or groups."""
    return loaded.by is not None


def parts_of(loaded: Loaded, find: Callable[[Loaded], Part]) -> dict[str, Part]:
    """Find the result of each group; one that has none says why and does not stop the others."""
    from consilience.cli._extra_columns import facts
    from consilience.document import Document, Finding
    from consilience.exceptions import UnsupportedDesignError

    found: dict[str, Part] = {}
    refused: list[UnsupportedDesignError] = []
    for name, ratings in loaded.groups.items():
        alone = replace(loaded, groups={None: ratings}, by=None)
        try:
            found[str(name)] = find(alone)
        except UnsupportedDesignError as error:
            refused.append(error)
            why = Finding("not_measured", "problem", f"Not measured: {error}")
            record = {"data": facts(alone), "findings": [why.to_dict()]}
            found[str(name)] = Part(Document(findings=(why,)), record)
    if refused and len(refused) == len(found):
        raise refused[0]
    return found


def grouped_record(loaded: Loaded, parts: Mapping[str, Part], **more: Any) -> dict[str, Any]:
    """Return the record as `measure` writes it: facts about all, and a list of groups."""
    from consilience.document import envelope
    from consilience.report import DataFacts
    from consilience.report.measurement import together

    reading = loaded.reading
    ratings = list(loaded.groups.values())
    each = [DataFacts.of(r, shape=reading.shape, sources=reading.sources) for r in ratings]
    data = together(each, ratings, loaded.by or "group").to_dict()
    groups = [{"name": name, **_bare(part.record)} for name, part in parts.items()]
    return envelope(data=data, by=loaded.by, groups=groups, **more)


def _bare(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items()
            if key not in ("schema", "version", "seed")}  # fmt: skip


def emit_groups(
    loaded: Loaded, parts: Mapping[str, Part], form: str, output: Path | None, **more: Any
) -> None:
    """Write the results of all groups: one after the other, or in one table with their names."""
    from consilience.document import Document, Paragraph

    by = loaded.by or "group"
    record = grouped_record(loaded, parts, **more)
    if form in _IN_ONE_TABLE:
        out.emit(Document(blocks=_joined(parts, by)), record, form, output)
        return
    blocks: list[Block] = []
    for name, part in parts.items():
        blocks.append(Paragraph(f"{by} {name}: {part.document.title}".rstrip(": ")))
        blocks += part.document.blocks
        blocks += [Paragraph(f"{one.severity}: {one.sentence}") for one in part.document.findings]
    out.emit(Document(blocks=tuple(blocks)), record, form, output)


def _joined(parts: Mapping[str, Part], by: str) -> Sequence[Block]:
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
