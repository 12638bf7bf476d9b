"""What a layout works with, and the table that comes out of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from tables.ids import Ids
from tables.labels import Labels
from tables.studies import Study
from tables.vocabulary import Raters, column_words

Cells = tuple[str, ...]


@dataclass(frozen=True)
class Truth:
    """What a reader must find.

    `variables` are pairs of a name ("" if there is only one) and a study. `naming` says what is
    known of the raters: their "names", only their "order", "none" (a cross-table), or only
    "counts" of their labels.
    """

    variables: tuple[tuple[str, Study], ...]
    naming: str = "names"


@dataclass(frozen=True)
class Table:
    """A table of cells with the role of every column.

    `expected` is what a reader should do: "read" it, "ask", or "either".
    """

    header: Cells | None
    rows: tuple[Cells, ...]
    roles: Cells
    truth: Truth
    notes: tuple[Cells, ...] = ()
    totals: Cells | None = None
    legend: tuple[Cells, ...] = ()
    ambiguous: bool = False
    expected: str = "read"

    @property
    def cells(self) -> list[Cells]:
        """All rows as they stand in the file."""
        top = [*self.notes, *([self.header] if self.header is not None else [])]
        totals = [self.totals] if self.totals is not None else []
        return [*top, *self.rows, *totals, *self.legend]


@dataclass
class Kit:
    """A study, the names that it is written with, and how much is put around it."""

    rng: Random
    half: str
    language: str
    study: Study
    ids: Ids
    labels: Labels
    raters: Raters
    mark: str = ""
    floats: bool = False
    extras: float = 0.0  # how many side columns, on average
    rich: bool = False  # whether sums, companions and the like may stand beside them
    features: list[str] = field(default_factory=list)

    def chance(self, p: float) -> bool:
        """Toss a coin that falls on its head with chance p."""
        return self.rng.random() < p

    def word(self, role: str, taken: Sequence[str] = ()) -> str:
        """Draw a word for a column that is not taken yet."""
        words = [w for w in column_words(self.language, role, self.half) if w not in taken]
        return self.rng.choice(words) if words else f"{role}_{len(taken)}"

    def cell(self, label: str | None) -> str:
        """Write a label, or the mark for a missing one."""
        if label is None:
            return self.mark
        if self.floats and label.lstrip("-").isdigit():
            return f"{label}.0"
        return label

    @property
    def n_items(self) -> int:
        """Number of items, rated or not."""
        return len(self.study.rows)

    @property
    def small(self) -> bool:
        """Whether there are so few items that chance can look like structure."""
        return self.n_items <= 8


def draw_mark(rng: Random, labels: Labels, *, plain: float) -> str:
    """Draw what stands where a rating is missing; `plain` is the chance of an empty cell."""
    if labels.short or rng.random() < plain:
        return ""
    if labels.numeric and labels.kind != "signed":
        return rng.choice(("NA", "N/A", "NaN", "null", "#N/A", "-", ".", " ", "n/a", "NULL", "nan"))
    return rng.choice(("NA", "N/A", " ", "-", "NaN", "n/a", "null"))
