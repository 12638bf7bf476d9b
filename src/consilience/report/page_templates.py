"""How pages become HTML: the environment of templates, its filters, and the files they need."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

from consilience.core.words import printable, prose
from consilience.document import Table
from consilience.document.gauge_svg import NARROW, gauge_drawing
from consilience.document.plain_text import column_pages

_LONGEST_LINK = 150
_LETTERS_ON_PAPER = 104  # of a table on A4 or Letter that stands upright
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z'])")
BLOCKS = "blocks.html"  # the macros of the page alone, to be imported by other templates


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, cut between words if it is long.

    >>> first_sentence("Kappa is 0.41. It is low.")
    'Kappa is 0.41.'
    """
    first = _SENTENCE_END.split(printable(text), maxsplit=1)[0]
    if len(first) <= _LONGEST_LINK:
        return first
    whole = first[:_LONGEST_LINK].rpartition(" ")[0]
    return f"{whole or first[:_LONGEST_LINK]} …"


def parts_on_paper(table: Table) -> list[Table]:
    """Split a table that is too wide for a sheet of paper; nothing where it fits.

    >>> wide = Table(heads=["item", *(f"rater {k}" for k in range(20))], rows=[range(21)])
    >>> [len(part.heads) for part in parts_on_paper(wide)]
    [12, 10]
    """
    cells, left = table.cells(), table.is_text()
    pages = column_pages(list(table.heads), cells, left, _LETTERS_ON_PAPER)
    if len(pages) < 2:
        return []
    return [
        replace(table, heads=[table.heads[j] for j in page],
                rows=[[row[j] for j in page] for row in table.rows],
                caption=table.caption if place == 0 else "")
        for place, page in enumerate(pages)
    ]  # fmt: skip


def environment(load: Callable[[str], str | None] | None = None) -> Any:
    """Return what renders templates: those of the report, and others that `load` finds by name.

    Every value is escaped unless it is markup of our own making.
    """
    jinja2 = import_module("jinja2")

    def found(name: str) -> str | None:
        own = load(name) if load is not None else None
        return template_text(name) if own is None else own

    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(found),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=False,
    )
    made.filters["visible"] = printable
    made.filters["prose"] = lambda text: prose(printable(text))
    made.filters["short"] = first_sentence
    made.filters["gauge"] = lambda gauge: markup(gauge_drawing(gauge))
    made.filters["narrow_gauge"] = lambda gauge: markup(gauge_drawing(gauge, NARROW))
    made.filters["parts_on_paper"] = parts_on_paper
    made.globals["identity"] = id
    made.filters["visible_lines"] = lambda text: "\n".join(
        printable(line) for line in text.split("\n")
    )
    return made


@cache
def template_text(name: str) -> str:
    """Return a file of the report's templates; `BLOCKS` is the page up to its document type."""
    if name == BLOCKS:
        return template_text("page.html").partition("<!DOCTYPE html>")[0]
    return (files("consilience.report") / "templates" / name).read_text(encoding="utf-8")


def markup(text: str) -> Any:
    """Mark text of our own making as HTML; nothing from the data ever goes through here raw."""
    return import_module("markupsafe").Markup(text)
