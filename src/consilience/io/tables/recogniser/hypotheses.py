"""What a table may be: a layout, and the part that each column plays in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from consilience.io.tables.recogniser.profile import Profile

WIDE, LONG, TRANSPOSED, COUNTS, TABLE = "wide", "long", "transposed", "counts", "table"


@dataclass(frozen=True)
class Hypothesis:
    """One way to take the table, by positions of columns.

    Attributes
    ----------
    shape : str
        "wide", "long", "transposed", "counts" or "table".
    item : tuple of int
        Columns that name the item; in a transposed table the items themselves.
    rater : tuple of int
        A column of names (long, transposed), or one column per rater (wide).
    label : tuple of int
        Columns of labels in a long table; several are one variable each.
    category : tuple of int
        Columns of counts.
    """

    shape: str
    item: tuple[int, ...] = ()
    rater: tuple[int, ...] = ()
    label: tuple[int, ...] = ()
    category: tuple[int, ...] = ()
    by: int | None = None
    rater_is_file: bool = False
    skip_rows: tuple[str, ...] = ()  # names of total rows

    @cached_property
    def used(self) -> frozenset[int]:
        """Columns that play a part."""
        by = () if self.by is None else (self.by,)
        return frozenset((*self.item, *self.rater, *self.label, *self.category, *by))

    def signature(self, profile: Profile) -> object:
        """What the ratings would be: equal for readings that give the same result."""
        if self.shape == WIDE:
            unique = not self.item or len(profile.times(self.item)) == profile.n
            return WIDE, frozenset(self.rater), unique or self.item, self.by
        if self.shape == LONG:
            rater = profile.joint(self.rater) if self.rater else "file"
            labels = frozenset(profile.codes(j) for j in self.label)
            items = profile.remembered(
                ("numbered", self.item), lambda: _numbered(profile.joint(self.item))
            )
            return LONG, items, rater, labels, self.by
        if self.shape == TRANSPOSED:
            return TRANSPOSED, frozenset(self.item)
        return self.shape, frozenset(self.category)


def _numbered(keys: tuple[object, ...]) -> tuple[int, ...]:
    """Number keys by first appearance, so that columns that name the same things are equal."""
    seen: dict[object, int] = {}
    return tuple(seen.setdefault(key, len(seen)) for key in keys)


@dataclass(frozen=True)
class Piece:
    """One piece of evidence for a hypothesis: its name, and its weight in nats."""

    name: str
    nats: float


@dataclass(frozen=True)
class Scored:
    """A hypothesis with its evidence."""

    hypothesis: Hypothesis
    pieces: tuple[Piece, ...]

    @cached_property
    def score(self) -> float:
        """All evidence together, in nats against chance."""
        return sum(piece.nats for piece in self.pieces)

    @property
    def strongest(self) -> tuple[Piece, ...]:
        """The evidence for it, the strongest first."""
        found = [piece for piece in self.pieces if piece.nats > 0]
        return tuple(sorted(found, key=lambda piece: -piece.nats))


def rare(n_raters: int) -> float:
    """What it costs to take so many for raters: most studies have a handful."""
    return -min(8.0, 0.12 * max(0, n_raters - 12))
