"""A page: sections of blocks, rendered as one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from importlib.resources import files
from itertools import count
from typing import Any, ClassVar, TypeAlias

from consilience._version import __version__
from consilience.core.verdict import Verdict
from consilience.core.words import printable, prose
from consilience.document import Finding, Paragraph, Table
from consilience.document.blocks import Block
from consilience.document.markup import NARROW, gauge_drawing
from consilience.document.text import column_pages

# ---- How pages become HTML: the environment of templates, its filters, and the files they need

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


# ---- Blocks, the first screen, sections, and the page of them

_MOST_LINKED = 3
_WIDEST_UPRIGHT = 11.0  # inches, of a figure on paper that stands upright
_LINE = 4  # pixels from one line below a text to the next
_GRAVITY = ("problem", "caution", "info")


@dataclass(frozen=True)
class Text:
    """A paragraph; `style` is a class of the page's style sheet."""

    text: str
    style: str = ""
    kind: ClassVar[str] = "paragraph"


@dataclass(frozen=True)
class Heading:
    """A heading inside a section; `anchor` is where links to it lead."""

    text: str
    anchor: str = ""
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

    @cached_property
    def svg(self) -> Any:
        """The drawing as SVG that may stand in the page as it is; drawn once."""
        from consilience.plot.style import inline_svg

        return markup(inline_svg(self.axes, title=printable(self.caption), prefix=self.name))

    @property
    def is_wide(self) -> bool:
        """Whether it is turned on paper, where it would become too small to be read otherwise."""
        width, height = self.axes.figure.get_size_inches()
        return bool(width > _WIDEST_UPRIGHT and height < 0.6 * width)


@dataclass(frozen=True)
class Advice:
    """Findings, each with what to do."""

    findings: Sequence[Finding]
    kind: ClassVar[str] = "findings"


@dataclass(frozen=True)
class Links:
    """Links to other places of the page: text, and the id of the place."""

    links: Sequence[tuple[str, str]]
    kind: ClassVar[str] = "links"


@dataclass(frozen=True)
class Code:
    """Text to be copied."""

    text: str
    caption: str
    kind: ClassVar[str] = "code"


@dataclass(frozen=True)
class Piece:
    """A piece of a text: who marked it, by place, whether raters differ, and as what."""

    text: str
    raters: tuple[int, ...] = ()
    differs: bool = False
    tag: str = ""


@dataclass(frozen=True, kw_only=True)
class Spanned:
    """A text with a line below what each rater marked."""

    title: str
    raters: Sequence[str]
    pieces: Sequence[Piece]
    kind: ClassVar[str] = "spans"

    def style_of(self, places: Sequence[int], differs: bool = False) -> str:
        """Return the lines below a piece: one for each rater, always at the same height."""
        lines = [
            f"linear-gradient(var(--r{k}),var(--r{k})) 0 "
            f"calc(100% - {_LINE * (len(self.raters) - 1 - k)}px)/100% 2px no-repeat"
            for k in places
        ]
        return "background:" + ",".join([*lines, "var(--d1)"] if differs else lines)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The first screen: what it comes to, the number behind it, and what to do.

    Attributes
    ----------
    verdict : Verdict
    cards : sequence of Verdict
        Each with a number of its own, where there are several, such as systems.
    facts : sequence of (name, value)
        Numbers in words beside the drawing, such as the raw agreement.
    findings : sequence of Finding
        The gravest are linked.
    silence : str
        What to say where nothing was found.
    sentence : str
        For the paper.
    note : str
        Why this number was chosen.
    """

    verdict: Verdict
    cards: Sequence[Verdict] = ()
    facts: Sequence[tuple[str, str]] = ()
    findings: Sequence[Finding] = ()
    silence: str = "No check fired. That does not mean that agreement is high."
    sentence: str = ""
    note: str = ""

    @property
    def gravest(self) -> list[Finding]:
        """The three gravest findings; those that the verdict has told already come last."""
        found = sorted(self.findings, key=lambda one: _GRAVITY.index(one.severity))
        new = [one for one in found if not self.verdict.repeats(one.code)]
        told = [one for one in found if self.verdict.repeats(one.code)]
        return [*new, *told][:_MOST_LINKED]

    @property
    def gauges(self) -> list[Verdict]:
        """The verdicts with a number to draw."""
        return [one for one in (self.cards or (self.verdict,)) if one.gauge is not None]


PageBlock: TypeAlias = Text | Heading | Tabular | Figure | Advice | Links | Code | Spanned


def shown(block: Block) -> PageBlock:
    """Return a block of a document as one of a page."""
    return Text(block.text) if isinstance(block, Paragraph) else Tabular(block)


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
    answer: Answer | None = None
    command: str = ""  # that makes the page again
    reading: Sequence[str] = ()  # how the file was read

    def html(self) -> str:
        """Render the page."""
        text = (
            _environment()
            .get_template("page.html")
            .render(
                page=self,
                anchor=self.anchors().get,
                sections=self.sections,
                version=__version__,
                style=markup(template_text("style.css")),
                script=markup(template_text("copy.js")),
                script_hash=_hash(template_text("copy.js")),
                next_number=count(1).__next__,
            )
        )
        return str(text)

    def anchors(self) -> dict[int, str]:
        """Return where each finding stands on the page, by its identity."""
        blocks = [block for part in self.sections for block in part.blocks]
        found = [one for block in blocks if isinstance(block, Advice) for one in block.findings]
        return {id(one): f"finding-{k}" for k, one in enumerate(found, start=1)}

    @property
    def figures(self) -> list[Figure]:
        """The drawings, in order."""
        return [b for part in self.sections for b in part.blocks if isinstance(b, Figure)]


@cache
def _environment() -> Any:
    return environment()


def _hash(text: str) -> str:
    """Return the hash by which the page allows its one script, and no other."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
