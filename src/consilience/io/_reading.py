"""What a file was taken for, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from consilience.core.account import Account
from consilience.core.words import first_of
from consilience.exceptions import Option, ReadingWarning, warn
from consilience.ratings import Note

if TYPE_CHECKING:
    from consilience.document import Document
    from consilience.io._explain import Guess
    from consilience.ratings.clusters import Clusters

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
        from consilience.document import Document, Paragraph, Table

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
