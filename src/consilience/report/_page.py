"""A page: sections of blocks, rendered as one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any, ClassVar, TypeAlias

from consilience._version import __version__
from consilience.core.words import printable
from consilience.document import Finding, Table


@dataclass(frozen=True)
class Text:
    """A paragraph; `style` is a class of the page's style sheet."""

    text: str
    style: str = ""
    kind: ClassVar[str] = "paragraph"


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    text: str
    kind: ClassVar[str] = "heading"


@dataclass(frozen=True)
class Tabular:
    """A table."""

    table: Table
    kind: ClassVar[str] = "table"


@dataclass(frozen=True)
class Figure:
    """A drawing with what it shows in words, and the table behind it."""

    axes: Any
    name: str  # of its file, when figures are saved
    caption: str
    table: Table | None = None
    kind: ClassVar[str] = "figure"

    @property
    def svg(self) -> Any:
        """The drawing as SVG that may stand in the page as it is."""
        from consilience.plot.style import inline_svg

        return _markup(inline_svg(self.axes, title=printable(self.caption), prefix=self.name))


@dataclass(frozen=True)
class Advice:
    """Findings, each with what to do."""

    findings: Sequence[Finding]
    kind: ClassVar[str] = "findings"


@dataclass(frozen=True)
class Code:
    """Text to be copied."""

    text: str
    caption: str
    kind: ClassVar[str] = "code"


PageBlock: TypeAlias = Text | Heading | Tabular | Figure | Advice | Code


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading of its own."""

    id: str
    title: str
    blocks: Sequence[PageBlock] = field(default=())


@dataclass(frozen=True, kw_only=True)
class Page:
    """Everything that a report says; `html` renders it, `figures` are its drawings."""

    title: str
    lead: str
    sections: Sequence[Section]
    date: str = ""

    def html(self) -> str:
        """Render the page."""
        text = (
            _environment()
            .get_template("page.html")
            .render(
                title=self.title,
                lead=self.lead,
                sections=self.sections,
                version=__version__,
                date=self.date,
                style=_markup(_file("style.css")),
                script=_markup(_file("copy.js")),
                script_hash=_hash(_file("copy.js")),
            )
        )
        return str(text)

    @property
    def figures(self) -> list[Figure]:
        """The drawings, in order."""
        return [b for part in self.sections for b in part.blocks if isinstance(b, Figure)]


@cache
def _environment() -> Any:
    jinja2 = import_module("jinja2")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_file),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=False,
    )
    environment.filters["visible"] = printable
    environment.filters["visible_lines"] = lambda text: "\n".join(
        printable(line) for line in text.splitlines()
    )
    return environment


@cache
def _file(name: str) -> str:
    return (files("consilience.report") / "templates" / name).read_text(encoding="utf-8")


def _markup(text: str) -> Any:
    """Mark text of our own making as HTML; nothing from the data ever goes through here raw."""
    return import_module("markupsafe").Markup(text)


def _hash(text: str) -> str:
    """Return the hash by which the page allows its one script, and no other."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
