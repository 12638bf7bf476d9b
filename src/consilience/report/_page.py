"""A page: sections of blocks, rendered as one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import count
from typing import Any, ClassVar, TypeAlias

from consilience._version import __version__
from consilience.core.verdict import Verdict
from consilience.core.words import printable
from consilience.document import Finding, Table
from consilience.report.page_templates import environment, markup, template_text

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
