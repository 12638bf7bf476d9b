"""What a result is made of when it is shown: paragraphs, tables, findings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from consilience.core.verdict import Verdict
from consilience.core.words import MINUS, number

Severity = Literal["info", "caution", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to know before a number is believed.

    `message` is one or two sentences that a trainer of raters understands, `advice` is what to do,
    `evidence` holds the numbers behind them.
    """

    code: str
    severity: Severity
    message: str
    advice: str = ""
    evidence: Mapping[str, object] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """What was found and what to do, in one line."""
        return f"{self.message} {self.advice}".rstrip()

    def to_dict(self) -> dict[str, object]:
        """Return plain data with stable keys; the advice belongs to the message."""
        record = {"code": self.code, "severity": self.severity, "message": self.sentence}
        return record | ({"evidence": dict(self.evidence)} if self.evidence else {})


Text: TypeAlias = str | Callable[[], str]
Evidence: TypeAlias = Mapping[str, object]
Found: TypeAlias = (
    tuple[object, str, Severity, Text]
    | tuple[object, str, Severity, Text, Text]
    | tuple[object, str, Severity, Text, Text, Evidence]
)


def found(*cases: Found) -> tuple[Finding, ...]:
    """Return a finding for each case whose condition holds.

    A case is (condition, code, severity, message), then advice and evidence where there are any.
    A text that can be made only where the condition holds is a function that makes it.

    Parameters
    ----------
    cases : tuples

    Returns
    -------
    tuple of Finding

    Examples
    --------
    >>> n = 12
    >>> [one.sentence for one in found(
    ...     (n < 30, "few_labels", "caution", f"{n} labels are few.", "Buy more."),
    ...     (n > 30, "many_labels", "info", lambda: f"{1 / (n - 12)} to spare."),
    ... )]
    ['12 labels are few. Buy more.']
    """
    return tuple(_finding(*case[1:]) for case in cases if case[0])


def _finding(
    code: str,
    severity: Severity,
    message: Text,
    advice: Text = "",
    evidence: Evidence | None = None,
) -> Finding:
    return Finding(code, severity, _made(message), _made(advice), evidence or {})


def _made(text: Text) -> str:
    return text() if callable(text) else text


class PValue(float):
    """A p-value in a table: a number like any other, but never shown as zero.

    Examples
    --------
    >>> print(Table(heads=("p",), rows=[[PValue(1e-9)], [PValue(0.04)]]).cells())
    [['<0.001'], ['0.040']]
    """


class InPlace(str):
    """A word where a column of numbers has none, such as "undefined"; it stands to the right."""

    __slots__ = ()


class Differing(str):
    """A label in a table that is not the most common one of its row; `place` numbers such labels.

    Examples
    --------
    >>> Differing.of("irony", 2), Differing.of("irony", 2).place
    ('irony', 2)
    """

    place: int

    @classmethod
    def of(cls, text: str, place: int) -> Differing:
        """Return a text that is marked as differing."""
        made = cls(text)
        made.place = place
        return made


class Limits(Protocol):
    """Whatever has a lower and an upper limit."""

    @property
    def low(self) -> float:
        """The lower limit."""

    @property
    def high(self) -> float:
        """The upper limit."""


@dataclass(frozen=True, slots=True)
class Range:
    """An interval in one cell of a table."""

    low: float
    high: float

    @classmethod
    def of(cls, interval: Limits) -> Range:
        """Return the limits of an interval, of whatever kind."""
        return cls(interval.low, interval.high)


Cell: TypeAlias = str | int | float | Range | None


class Valued(Protocol):
    """A value that may be undefined, and has an interval if it is not."""

    @property
    def value(self) -> float:
        """The value; nan where it is undefined."""

    @property
    def status(self) -> str:
        """Whether it is ok or undefined."""

    def confidence_interval(self, confidence_level: float = 0.95) -> Limits:
        """Return the interval of the value."""


def value_and_interval(one: Valued | None, confidence_level: float) -> list[Cell]:
    """Return two cells of a table: a value, or that it is undefined, and its interval.

    Parameters
    ----------
    one : Estimate, or anything else with a value, a status and an interval; None leaves both empty
    confidence_level : float

    Returns
    -------
    list of cells

    Examples
    --------
    >>> value_and_interval(None, 0.95)
    [None, None]
    """
    if one is None:
        return [None, None]
    if one.status == "undefined":
        return [InPlace("undefined"), None]
    return [one.value, Range.of(one.confidence_interval(confidence_level))]


What: TypeAlias = str | Callable[[Any], Any]
Format: TypeAlias = str | Callable[[Any], Any]
Column: TypeAlias = str | tuple[str | Sequence[str], What] | tuple[str, What, Format]


def _part(thing: Any, path: str) -> Any:
    """Follow a path such as "gap.interval" or "1.value": attributes, keys, places."""
    for step in path.split("."):
        if isinstance(thing, Mapping):
            thing = thing[step]
        else:
            thing = thing[int(step)] if step.isdigit() else getattr(thing, step)
    return thing


def _cell(value: Any, shown: Format) -> Cell:
    """Return a value as a cell of a table, in the format that its column asks for."""
    if callable(shown):
        value = shown(value)
    elif value is None or shown == "s":
        return None if value is None else str(value)
    elif shown == "p":
        return None if math.isnan(value) else PValue(value)
    elif shown == "yes":
        return "yes" if value else "no"
    elif shown:
        return format(value, shown)
    if hasattr(value, "low") and hasattr(value, "high"):
        return Range.of(value)
    is_cell = value is None or isinstance(value, (str, int, float)) or hasattr(value, "is_integer")
    return value if is_cell else str(value)


def _column(declared: Column) -> tuple[tuple[str, ...], Callable[[Any], list[Cell]]]:
    """Return the heads of a column, and what makes its cells for a thing."""
    shown: Format = ""
    if isinstance(declared, str):
        head, separator, path = declared.rpartition(": ")
        path, _, shown = path.partition("!")
        what: What = path if separator else path.replace(" ", "_")
        heads: str | Sequence[str] = head if separator else path.replace("_", " ")
    else:
        heads, what, *rest = declared
        shown = rest[0] if rest else ""

    def value(thing: Any) -> Any:
        return what(thing) if callable(what) else _part(thing, what)

    if isinstance(heads, str):
        return (heads,), lambda thing: [_cell(value(thing), shown)]
    return tuple(heads), lambda thing: [_cell(one, shown) for one in value(thing)]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A piece of running text; a detail is left out where room is short."""

    text: str
    detail: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table: text to the left, numbers to the right, unrounded until it is shown.

    Parameters
    ----------
    heads : names of the columns
    rows : cells, which are text, whole numbers, floats, `Range` or None
    caption : what the table shows
    digits : decimals of floats, default 3
    note : a line below the table
    detail : whether it is left out where room is short
    whole : whether its rows say something only together, as in a cross-table
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    digits: int = 3
    note: str = ""
    detail: bool = False
    whole: bool = False

    @classmethod
    def of(
        cls,
        things: Iterable[Any],
        *columns: Column | None,
        below: Iterable[Sequence[Cell]] = (),
        caption: str = "",
        digits: int = 3,
        note: str = "",
        detail: bool = False,
        whole: bool = False,
    ) -> Table:
        """Return a table with a row for each thing, from one declaration of its columns.

        Parameters
        ----------
        things : results, records, pairs
        columns
            "head: what!format", or (head, what) and (head, what, format), or None for no column.
            `what` is an attribute, key or place of a thing ("gap.interval", "1.value"), or a
            function of it; alone it is the head too. An interval becomes a `Range`. Formats: "s"
            for text (labels and names, which may be numbers), "p" for a p-value, "yes" for yes or
            no, any other as in `format`, or a function. With several heads `what` returns as many
            cells.
        below : rows that follow
        caption, digits, note, detail, whole : as for `Table`

        Examples
        --------
        >>> found = [{"label": 1, "value": 0.5, "p_holm": 1e-9}]
        >>> Table.of(found, "label!s", "value", "p (Holm): p_holm!p", ("half", "value", ".0%"))
        Table(heads=('label', 'value', 'p (Holm)', 'half'), rows=[['1', 0.5, 1e-09, '50%']], ...)
        """
        made = [_column(one) for one in columns if one is not None]
        rows = [[cell for _, cells in made for cell in cells(thing)] for thing in things]
        heads = tuple(head for own, _ in made for head in own)
        return cls(
            heads=heads,
            rows=[*rows, *below],
            caption=caption,
            digits=digits,
            note=note,
            detail=detail,
            whole=whole,
        )

    def cells(self) -> list[list[str]]:
        """Return every cell as it is shown."""
        return [[self.shown(cell) for cell in row] for row in self.rows]

    def typeset(self) -> list[list[str]]:
        """Return every cell as it is printed: numbers with a minus sign, text as it is."""
        return [
            [
                shown if isinstance(cell, str) else shown.replace("-", MINUS)
                for cell, shown in zip(row, line, strict=True)
            ]
            for row, line in zip(self.rows, self.cells(), strict=True)
        ]

    def shown(self, cell: Cell) -> str:
        """Write one cell for people; nothing where there is no number."""
        if cell is None:
            return ""
        if isinstance(cell, Range):
            low, high = number(cell.low, self.digits), number(cell.high, self.digits)
            return f"{low} to {high}" if low and high else ""
        if isinstance(cell, str):
            return cell
        if isinstance(cell, bool):
            return "yes" if cell else "no"
        if isinstance(cell, int) or not hasattr(cell, "is_integer") or _is_whole(cell):
            return f"{int(cell):,}"
        least = 10.0**-self.digits
        below = isinstance(cell, PValue) and cell < least / 2.0
        return ("<" if below else "") + number(least if below else float(cell), self.digits)

    def is_text(self) -> list[bool]:
        """Say of each column whether it holds text, which stands to the left."""
        return [
            any(isinstance(row[j], str) and not isinstance(row[j], InPlace) for row in self.rows)
            or not self.rows
            for j in range(len(self.heads))
        ]


def _is_whole(cell: float) -> bool:
    """Say whether a cell is an integer of numpy's: counts are shown without decimals."""
    return "int" in type(cell).__name__


Block: TypeAlias = Paragraph | Table


def details(*blocks: Block | None) -> list[Block]:
    """Mark blocks as what a short answer leaves out.

    Parameters
    ----------
    blocks : paragraphs, tables; None is left out

    Returns
    -------
    list of blocks

    Examples
    --------
    >>> details(Paragraph("By session."), None)
    [Paragraph(text='By session.', detail=True)]
    """
    return [replace(block, detail=True) for block in blocks if block is not None]


def _says(block: Block) -> bool:
    """Say whether there is anything to read in a block."""
    return bool(block.text if isinstance(block, Paragraph) else block.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The verdict, blocks in order, and what was found; rendered in the form that is asked for.

    Examples
    --------
    >>> table = Table(heads=("rater", "kappa"), rows=[["Ann", 0.61234], ["Bob", None]])
    >>> print(Document(title="Raters", blocks=(table,)).text())
    Raters
    <BLANKLINE>
    rater  kappa
    Ann    0.612
    Bob
    """

    title: str = ""
    blocks: Sequence[Block] = field(default=())
    findings: Sequence[Finding] = field(default=())
    verdict: Verdict | None = None

    @classmethod
    def of(
        cls,
        *blocks: Block | str | None,
        title: str = "",
        findings: Sequence[Finding] = (),
        verdict: Verdict | None = None,
    ) -> Document:
        """Return a document of the blocks that say something; a text is a paragraph.

        None, an empty text and a table without rows say nothing.

        Parameters
        ----------
        blocks
        title, findings, verdict : as for `Document`

        Examples
        --------
        >>> print(Document.of("Two raters.", None, Table(heads=("rater",), rows=[])).text())
        Two raters.
        """
        made = (Paragraph(one) if isinstance(one, str) else one for one in blocks)
        said = tuple(one for one in made if one is not None and _says(one))
        return cls(title=title, blocks=said, findings=findings, verdict=verdict)

    @property
    def further_findings(self) -> list[Finding]:
        """What was found beside what the verdict says already."""
        said = self.verdict
        return [one for one in self.findings if said is None or not said.repeats(one.code)]

    def text(self, width: int = 80) -> str:
        """Render plain text that fits the width."""
        from consilience.document.text import plain_text

        return plain_text(self, width)

    def terminal(self, width: int = 80, *, color: bool = False) -> str:
        """Render for a terminal, each interval drawn as a bar; escape codes only with `color`."""
        from consilience.document.text import terminal_text

        return terminal_text(self, width=width, color=color)

    def markdown(self) -> str:
        """Render Markdown."""
        from consilience.document.markup import markdown_text

        return markdown_text(self)

    def html(self) -> str:
        """Render an HTML fragment; everything escaped."""
        from consilience.document.markup import html_text

        return html_text(self)

    def notebook(self, value: float = math.nan, interval: Limits | None = None) -> str:
        """Render an HTML fragment in which each interval is drawn as a bar; no script.

        The interval of `value` is drawn below where no table has one.
        """
        from consilience.document.markup import html_with_bars

        return html_with_bars(self, value, interval)

    def latex(self) -> str:
        """Render LaTeX tables in the manner of booktabs; everything escaped."""
        from consilience.document.markup import latex_text

        return latex_text(self)

    def csv(self) -> str:
        """Render the tables as CSV, unrounded and safe to open in a spreadsheet."""
        from consilience.document.records import csv_text

        return csv_text(self)

    def records(self) -> list[dict[str, Any]]:
        """Return the first table as flat records, unrounded; an interval takes two columns."""
        from consilience.document.records import flat_rows

        tables = [block for block in self.blocks if isinstance(block, Table) and block.rows]
        if not tables:
            return []
        heads, *rows = flat_rows(tables[0])
        names = [str(head) or "name" for head in heads]
        return [dict(zip(names, row, strict=True)) for row in rows]


# ---- Where simulated studies missed the goal for 95% intervals, and what is said beside these.
#
# The figures are those of benchmarks/coverage/cells.csv, designs of 50 items or more that no rule
# was made on: docs/coverage.md shows all of them, with the goals.


class Covered(NamedTuple):
    """What an interval is about, and how often it held the true value: least, and most."""

    what: str
    least: float
    most: float


# By the name of a family in docs/coverage.md. Latent truth (`hardly_identified`), intraclass
# correlations of skewed items (`skewed_items`) and few sessions (`few_sessions`) are told on their
# own.
COVERED = {
    "rare labels": Covered("rare labels", 0.913, 1.000),
    "ordered labels": Covered("ordered labels", 0.910, 0.995),
    "clusters": Covered("items in clusters", 0.927, 1.000),
    "values, lognormal": Covered("skewed values", 0.937, 0.995),
    "timed events": Covered("events in sessions", 0.900, 1.000),
    "a system's gap": Covered("the gap between people and a system", 0.920, 1.000),
    "omega": Covered("omega", 0.938, 0.989),
}


def interval_approximate(family: str) -> Finding:
    """Say how often 95% intervals of a kind held the true value in simulated studies."""
    what, least, most = COVERED[family]
    return Finding(
        "interval_approximate",
        "info",
        f"Intervals for {what} are approximate: in simulated studies, 95% intervals held the true "
        f"value in {100 * least:.3g}% to {100 * most:.3g}% of samples.",
        "Do not lean on a limit that only just passes a threshold.",
        {"least": least, "most": most},
    )
