"""What a file was taken for, what was seen and weighed, and the argument that overrules each
guess.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import TYPE_CHECKING, Any, Literal, get_args

from consilience.core.frames import is_table
from consilience.core.input_files import check_paths
from consilience.core.label_scales import in_order_of_words
from consilience.core.labels import Note
from consilience.core.reading_account import Account
from consilience.core.words import first_of, label_text
from consilience.document import Document, Finding, Paragraph, Table
from consilience.exceptions import InputError, Option, ReadingWarning, warn
from consilience.io.layout.decision import (
    LETTERS,
    AmbiguousTableError,
    Decision,
    Piece,
    Scored,
    offer_of,
)
from consilience.io.layout.profile import Column, Profile
from consilience.io.layout.table_sample import Aside
from consilience.io.options import Request
from consilience.io.registry import FORMATS
from consilience.ratings import Ratings

if TYPE_CHECKING:
    from consilience.document.blocks import Block
    from consilience.ratings.clusters import Clusters

# ---- what a file was taken for, and why

Shape = Literal["long", "wide", "transposed", "counts", "table"]
_AS_IT_IS = "as the format has it"
SHAPES: tuple[str, ...] = get_args(Shape)

MEANING: dict[str, str] = {
    "long": "one row per rating",
    "wide": "rows are items, columns are raters",
    "transposed": "rows are raters, columns are items",
    "counts": "rows are items, columns are categories, cells are numbers of raters",
    "table": "two raters' cross-table of counts",
}
_SEVERAL = "rows are items, columns are variables by raters"
REDUCED = "reduced to distinct items"  # how the evidence says it

_TOLD_AT_ONCE = ("names_differ_in_form",)  # notes that explain why nothing can be measured


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a file was read: the layout, which column is what, and the evidence.

    Attributes
    ----------
    sources : tuple of str
        The files.
    format : str
        Name of the format, as `formats` lists it.
    title : str
        What the format is called, where it is an export of a platform.
    shape : str
        "long", "wide", "transposed", "counts" or "table".
    columns : dict
        Role ("item", "rater", "label", "category", "by") to the names of its columns.
    evidence : tuple of str
        Why the file was taken this way.
    alternatives : tuple of str
        Other layouts that would have been possible, though less likely.
    notes : tuple of Note
        What the owner of the data should look at.
    states : dict or None
        For an export: how many entries were "not asked", "asked, no label" and, by reason,
        "excluded". None where a file cannot tell them apart.
    variables : tuple of str
        The questions of an export, or the variables of a wide table that has several.
    guesses : tuple of Guess
        What was taken for what, why, and the argument that overrules it; `explain` lists them.
    account : Account
        What was found, used and set aside, in numbers, by name and reason.
    seen : Weighing or None
        The profile of a table and the readings that were compared; `explain` shows them.
    beside : tuple of Clusters
        Columns that were not used and in which several items share a value.
    systems : tuple of str
        Raters that are systems by the word of the file.
    """

    sources: tuple[str, ...]
    format: str
    shape: Shape
    columns: dict[str, tuple[str, ...]]
    n_rows: int
    evidence: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    notes: tuple[Note, ...] = field(default=())
    states: dict[str, Any] | None = None
    title: str = ""
    variables: tuple[str, ...] = ()
    guesses: tuple[Guess, ...] = ()
    account: Account = field(default_factory=Account)
    seen: Any = field(default=None, compare=False, repr=False)
    beside: tuple[Clusters, ...] = field(default=(), compare=False, repr=False)
    systems: tuple[str, ...] = ()

    @property
    def is_reduced(self) -> bool:
        """Whether the table was reduced to distinct items where it lies."""
        return any(one.startswith(REDUCED) for one in self.evidence)

    def joined(self, other: Reading) -> Reading:
        """Put the readings of two files together, as when their ratings are merged."""
        return replace(
            self,
            sources=tuple(dict.fromkeys((*self.sources, *other.sources))),
            n_rows=self.n_rows + other.n_rows,
            evidence=tuple(dict.fromkeys((*self.evidence, *other.evidence))),
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
            account=self.account + other.account,
            systems=tuple(dict.fromkeys((*self.systems, *other.systems))),
        )

    def __str__(self) -> str:
        return self.told()

    def told(self, say: Callable[[Option], str] = str) -> str:
        """Say shortly what the file was taken for; a shell says arguments in its own words."""
        name = first_of(self.sources, 1) or "the frame"
        meaning = MEANING[self.shape] if not self.variables else _SEVERAL
        lines = [f"{name}: {self.shape} ({meaning}), {self.n_rows:,} rows"]
        if self.title:
            lines = [f"{name}: {self.title}, {self.n_rows:,} entries"]
        roles = [f"{role}: {_listed(names)}" for role, names in self.columns.items() if names]
        if self.title:
            named = {one.what: one.taken for one in self.guesses if one.what in ("item", "rater")}
            roles += [f"{what}: {taken}" for what, taken in named.items() if taken != _AS_IT_IS]
        if len(self.variables) > 1:
            roles.append(f"variable: {_listed(self.variables)}")
        if roles:
            lines.append("  " + "; ".join(roles))
        lines += [f"  {one}" for one in self.account.set_aside]
        lines += [f"  {reason}" for reason in self.evidence]
        if self.states is not None:
            lines.append(f"  {_counted(self.states, len(self.variables))}")
        lines += [f"  {one.message}" for one in self.notes if one.code in _TOLD_AT_ONCE]
        if self.alternatives:
            lines.append(f"  {self._alternatives(say)}")
        return "\n".join(lines)

    def _alternatives(self, say: Callable[[Option], str]) -> str:
        return f"could also be: {', '.join(self.alternatives)} ({say(Option('shape'))})"

    def warn(self) -> None:
        """Warn once where something was set aside that could change the answer."""
        told = self.account.that_matters
        if told:
            where = ", ".join(self.sources[:3]) or "the frame"
            warn(
                f"{where}: {'; '.join(map(str, told))}. See ratings.reading.account.",
                ReadingWarning,
            )

    def explain(self, say: Callable[[Option], str] = str) -> Document:
        """Say what was taken for what and why, and which argument overrules each guess.

        Below stand the profile of the columns, and the readings that were compared.
        """
        rows = [
            [one.what, one.taken, one.because, say(Option(one.argument))] for one in self.guesses
        ]
        table = Table(heads=("what", "taken as", "because", "overruled by"), rows=rows)
        more = [*map(str, self.account.set_aside), *self.evidence, *_states(self)]
        if self.alternatives:
            more.append(self._alternatives(say))
        said = {one.because for one in self.guesses}
        lines = tuple(Paragraph(line) for line in dict.fromkeys(more) if line not in said)
        name = self.sources[0] if self.sources else "the frame"
        weighed = () if self.seen is None else self.seen.blocks()
        return Document(title=f"How {name} was read", blocks=(table, *lines, *weighed))


def _states(reading: Reading) -> list[str]:
    return [] if reading.states is None else [_counted(reading.states, len(reading.variables))]


def _counted(states: dict[str, Any], n_variables: int) -> str:
    excluded = states["excluded"]
    reasons = ", ".join(f"{reason} {number:,}" for reason, number in excluded.items())
    return (
        f"not asked: {states['not asked']:,}; asked, no label: {states['asked, no label']:,}; "
        f"excluded: {sum(excluded.values()):,}"
        + (f" ({reasons})" if reasons else "")
        + (f"; {n_variables} variables together" if n_variables > 1 else "")
    )


def _listed(names: tuple[str, ...], most: int = 6) -> str:
    return first_of([name or "(first column)" for name in names], most)


# ---- what was seen of a table and weighed

_MOST_COLUMNS = 20
_MOST_READINGS = 5
_LONGEST = 24
_KINDS = {"whole": "whole numbers", "decimal": "numbers", "date": "dates", "text": "text"}


@dataclass(frozen=True)
class ColumnFacts:
    """One column in a few words."""

    name: str
    kind: str
    filled: int
    distinct: int
    examples: str
    remarks: str


@dataclass(frozen=True)
class WeighedReading:
    """One way to take the table, with its evidence in nats."""

    words: str
    pieces: tuple[Piece, ...]
    options: Mapping[str, Any] = field(default_factory=dict)  # that choose it

    @property
    def score(self) -> float:
        """All evidence together."""
        return sum(piece.nats for piece in self.pieces)


@dataclass(frozen=True)
class Weighing:
    """The profile of a table, the readings that were compared, and what each left out.

    Attributes
    ----------
    n_rows, n_columns : int
        How much was looked at.
    columns : tuple of ColumnFacts
        The first columns.
    readings : tuple of WeighedReading
        The best reading and those nearest to it that would give other ratings.
    margin, lead : float
        How far the best must lead, and how far it leads, in nats.
    aside : tuple of (name, reason)
        Columns that the best reading leaves out.
    remarks : tuple of str
        What else was weighed, such as the first line.
    """

    n_rows: int = 0
    n_columns: int = 0
    columns: tuple[ColumnFacts, ...] = ()
    readings: tuple[WeighedReading, ...] = ()
    margin: float = 0.0
    lead: float = 0.0
    aside: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()

    def with_remarks(self, remarks: Sequence[str]) -> Weighing:
        """Return the same with more that was weighed."""
        return replace(self, remarks=(*self.remarks, *remarks))

    def document(self, title: str) -> Document:
        """Return the explanation of a table that was not read."""
        blocks = self.blocks() or (Paragraph("Nothing of it was read as a table."),)
        return Document(title=title, blocks=blocks)

    def blocks(self) -> tuple[Block, ...]:
        """Return the profile, the readings and their evidence, to be shown."""
        found: list[Block] = []
        if self.columns:
            found.append(self._profile())
        if self.readings:
            found.append(Paragraph(self._compared()))
            found.append(self._evidence())
        if self.aside:
            lines = [f"{name or '(first column)'}: {reason}" for name, reason in self.aside]
            found.append(Paragraph("Left out by A:\n" + "\n".join(f"- {line}" for line in lines)))
        found += [Paragraph(remark) for remark in self.remarks]
        return tuple(found)

    def _profile(self) -> Block:
        more = self.n_columns - len(self.columns)
        return Table(
            heads=("column", "kind", "filled", "different", "such as", "seen"),
            rows=[
                [c.name or "(first column)", c.kind, c.filled, c.distinct, c.examples, c.remarks]
                for c in self.columns
            ],
            caption=f"Profile of {self.n_columns:,} columns in {self.n_rows:,} rows looked at",
            note=f"and {more:,} more columns" if more else "",
        )

    def _compared(self) -> str:
        lines = ["Readings compared"]
        for letter, one in zip(LETTERS, self.readings, strict=False):
            lines.append(f"{letter}  {one.words}")
        if len(self.readings) > 1:
            lines.append(
                f"A must lead every other by {self.margin:.1f} nats; it leads by {self.lead:.1f}."
            )
        return "\n".join(lines)

    def _evidence(self) -> Block:
        names = dict.fromkeys(piece.name for one in self.readings for piece in one.pieces)
        worth = [{piece.name: piece.nats for piece in one.pieces} for one in self.readings]
        rows: list[list[str | float | None]] = [
            [name, *(_nats(one.get(name, 0.0)) for one in worth)]
            for name in names
            if any(_nats(one.get(name, 0.0)) for one in worth)
        ]
        rows.append(["all together", *(one.score for one in self.readings)])
        letters = LETTERS[: len(self.readings)]
        return Table(heads=("evidence, in nats", *letters), rows=rows, digits=1)


def _nats(worth: float) -> float | None:
    return worth if abs(worth) >= 0.05 else None


def weighing_of(profile: Profile, decision: Decision, aside: Sequence[Aside] = ()) -> Weighing:
    """Keep what matters of a profile and of the comparison."""
    ranked: list[Scored] = [*([] if decision.best is None else [decision.best]), *decision.rivals]
    return replace(
        seen(profile),
        readings=tuple(
            WeighedReading(offer.words, one.pieces, offer.options)
            for one in ranked[:_MOST_READINGS]
            for offer in [offer_of(profile, one)]
        ),
        margin=decision.margin,
        lead=decision.lead,
        aside=tuple((profile.columns[one.column].name, one.reason) for one in aside),
    )


def seen(profile: Profile) -> Weighing:
    """Keep what a profile says of each column."""
    return Weighing(
        n_rows=profile.n,
        n_columns=len(profile.columns),
        columns=tuple(map(_facts, profile.columns[:_MOST_COLUMNS])),
    )


def _facts(column: Column) -> ColumnFacts:
    shown = [label_text(value) for value in list(column.counts)[:3]]
    cut = [text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…" for text in shown]
    return ColumnFacts(
        column.name,
        _KINDS.get(column.kind, column.kind),
        column.filled,
        column.distinct,
        ", ".join(cut),
        first_of(_remarks(column), 3) if _remarks(column) else "",
    )


def _remarks(column: Column) -> list[str]:
    found = []
    if column.is_running:
        found.append("counts the rows")
    elif column.is_unique and column.filled > 1:
        found.append("never repeats")
    if column.is_prose:
        found.append("sentences")
    if column.marks:
        found.append("missing: " + ", ".join(column.marks))
    if column.roles:
        found.append("called like " + "/".join(sorted(column.roles)))
    return found


# ---- what was taken for what, why, and the one argument that overrules each guess

_TOLD = "as told"


@dataclass(frozen=True)
class Guess:
    """One thing that was found out about a file.

    Attributes
    ----------
    what : str
        "format", "shape", "item", "rater", "label", "scale", "missing", "encoding", ...
    taken : str
        What it was taken for.
    because : str
        The evidence.
    argument : str
        The argument that overrules it.
    """

    what: str
    taken: str
    because: str
    argument: str


def told_where(error: InputError, path: Any, request: Request) -> InputError:
    """Complete a refusal: the lines to be pasted name the files, and all that was said already."""
    seen = error.seen or Weighing()
    if isinstance(error, AmbiguousTableError):
        from consilience.io.frames import WHERE

        is_frame = is_table(path)
        paths = [] if is_frame else check_paths(path, folders="allow")
        where = WHERE if is_frame else first_of(paths, 1)
        source = None if is_frame else " ".join(quote(str(one)) for one in paths)
        error = error.placed(where, source, request.given)
    error.seen = seen
    return error


def table_guesses(
    request: Request,
    *,
    format: str,
    shape: str,
    columns: Mapping[str, Sequence[str]],
    evidence: Sequence[str],
    variables: Sequence[str],
    dialect: Sequence[tuple[str, str, str]],
    groups: Mapping[Any, Ratings],
) -> tuple[Guess, ...]:
    """Say what a table was taken for."""
    why = evidence[0] if evidence else "no other layout fits"
    found = (
        []
        if format == "frame"
        else [
            Guess(
                "format",
                _title(format),
                _TOLD if request.format else "its content and name",
                "format",
            ),
        ]
    )
    found.append(Guess("shape", shape, _TOLD if request.shape else why, "shape"))
    told = {"item": request.item, "rater": request.rater, "label": request.label, "by": request.by}
    if variables:
        named = _TOLD if request.columns else "the names of the columns"
        found.append(Guess("variable", some(variables), named, "columns"))
    for role, names in columns.items():
        argument = "categories" if role == "category" else role
        named = _TOLD if told.get(role) else _role_reason(role, shape)
        found.append(Guess(role, some(names), named, argument))
    if shape in ("wide", "long") and "item" not in columns:
        found.append(Guess("item", "the number of the row", "no column names it", "item"))
    if shape == "long" and "rater" not in columns:
        found.append(Guess("rater", "the name of the file", "no column names it", "rater"))
    found += [Guess(what, taken, because, what) for what, taken, because in dialect]
    return (*found, *_label_guesses(request, groups))


def _title(format: str) -> str:
    return FORMATS[format].title if format in FORMATS else format


def _role_reason(role: str, shape: str) -> str:
    if role in ("item", "rater", "label") and shape == "long":
        return "the name of the column, or what is left"
    return "the shape"


def export_guesses(
    request: Request,
    *,
    title: str,
    evidence: str,
    groups: Mapping[Any, Ratings],
    roles: Mapping[str, str],
    wanted: Sequence[str],
) -> tuple[Guess, ...]:
    """Say what an export was taken for; `roles` are the fields that name items and raters."""
    found = [
        Guess("format", title, evidence, "format"),
        Guess(
            "item",
            some(request.item) or roles.get("item", "as the format has it"),
            _TOLD if request.item else "the format",
            "item",
        ),
        Guess(
            "rater",
            some(request.rater) or roles.get("rater", "as the format has it"),
            _TOLD if request.rater else "the format",
            "rater",
        ),
        Guess(
            "variable",
            some(tuple(groups)),
            _TOLD if wanted else "all that the file has",
            "variable",
        ),
        Guess("asked, no label", request.empty, "the default or as told", "empty"),
        Guess("excluded", request.excluded.replace("_", " "), "the default or as told", "excluded"),
    ]
    return (*found, *_label_guesses(request, groups))


def _label_guesses(request: Request, groups: Mapping[Any, Ratings]) -> tuple[Guess, ...]:
    scales = list(dict.fromkeys(ratings.scale for ratings in groups.values()))
    labels = list(dict.fromkeys(label for r in groups.values() for label in r.categories))
    marks = ", ".join(map(repr, request.missing_values))
    numbers = bool(labels) and all(r.numbers is not None for r in groups.values())
    return (
        Guess(
            "labels",
            f"{some(labels)} ({'numbers' if numbers else 'names'})",
            _TOLD
            if request.categories
            else "every cell is a number"
            if numbers
            else "not every cell is a number",
            "categories",
        ),
        Guess("scale", ", ".join(scales), _why_scale(request, groups), "scale"),
        Guess(
            "missing",
            "empty cells" + (f" and {marks}" if marks else ""),
            _TOLD if marks else "nothing else was named",
            "missing_values",
        ),
    )


def _why_scale(request: Request, groups: Mapping[Any, Ratings]) -> str:
    if request.scales or request.scale is not None:
        return _TOLD
    if any(ratings.scale_undecided for ratings in groups.values()):
        return "the default, until somebody says whether the numbers are names or numbers"
    if any(in_order_of_words(ratings.categories) for ratings in groups.values()):
        return "the labels are words of one scale"
    if any(ratings.scale != "nominal" for ratings in groups.values()):
        return "the labels are numbers that are not whole"
    return "the default"


def some(names: Sequence[object], most: int = 6) -> str:
    """List the first few names."""
    return first_of([label_text(name) or "(first column)" for name in names], most)


# ---- what a reader left out, as a finding for whoever compares judges


def answers_left_out(reading: Reading) -> Finding | None:
    """Return the finding that answers were left out while a file was read; None if none were.

    Refusals are counted by judge only if they are named.
    """
    left_out = (reading.states or {}).get("excluded") or {}
    if not left_out:
        return None
    listed = ", ".join(f"{reason} {n:,}" for reason, n in left_out.items())
    return Finding(
        "answers_left_out",
        "caution",
        f"{sum(left_out.values()):,} answers were left out when the file was read ({listed}). "
        "Name such labels with --refusal to count them for each judge.",
    )
