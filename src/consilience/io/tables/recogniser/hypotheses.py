"""What a table may be: a layout, and the part that each column plays in it; which one to take.

The best hypothesis is taken if it leads; otherwise the table is refused with the readings named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from consilience.io.tables.recogniser.likeness import is_someone
from consilience.io.tables.recogniser.profile import Profile

WIDE, LONG, TRANSPOSED, COUNTS, TABLE = "wide", "long", "transposed", "counts", "table"
MARGIN = 4.0  # nats by which the best must lead the best one with other ratings
SMALL_MARGIN = 6.0  # in a table of a few rows, where chance does more
FEW_ROWS = 8
_LEAST = -12.0  # a reading far worse than chance is none
_LEAST_OF = {TRANSPOSED: 4.0, COUNTS: 4.0, WIDE: 4.0}  # better than no table of ratings at all
_LEAST_CALLED, _LEAST_APART = 2.0, 10.0
SHARED = "columns share their values"
_FAR = 12.0  # nats behind the best within which a reading is worth naming
_MOST_NAMED = 6


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

    def worth_of(self, name: str) -> float:
        """What one piece of the evidence is worth."""
        return sum(piece.nats for piece in self.pieces if piece.name == name)

    @property
    def strongest(self) -> tuple[Piece, ...]:
        """The evidence for it, the strongest first."""
        found = [piece for piece in self.pieces if piece.nats > 0]
        return tuple(sorted(found, key=lambda piece: -piece.nats))


def rare(n_raters: int) -> float:
    """What it costs to take so many for raters: most studies have a handful."""
    return -min(8.0, 0.12 * max(0, n_raters - 12))


# ---------------------------------------------------------------------------- decision


@dataclass(frozen=True)
class Decision:
    """What the table is taken for, or the readings between which nobody can decide."""

    best: Scored | None
    rivals: tuple[Scored, ...]  # other ratings, the nearest first
    margin: float
    lead: float

    @property
    def is_clear(self) -> bool:
        """The best reading leads by the margin."""
        return self.best is not None and self.lead >= self.margin

    @property
    def readings(self) -> tuple[Scored, ...]:
        """The best and those that come near it: what a refusal names."""
        if self.best is None:
            return self.rivals[:_MOST_NAMED]
        near = [r for r in self.rivals if r.score > self.best.score - _FAR]
        return (self.best, *(near or self.rivals[:1]))[:_MOST_NAMED]


def margin_for(profile: Profile) -> float:
    """Return how far the best reading must lead."""
    return SMALL_MARGIN if profile.n <= FEW_ROWS else MARGIN


def _least(profile: Profile, one: Scored) -> float:
    """Return what a reading must be worth by itself; a column called an item says much already."""
    h = one.hypothesis
    called = any("item" in profile.columns[j].roles for j in h.item)
    persons = all(is_someone(profile.columns[j].name) for j in h.rater)
    if h.shape != WIDE:
        return _LEAST_OF.get(h.shape, _LEAST)
    if profile.n <= FEW_ROWS or persons:
        return _LEAST if called else _LEAST_OF[WIDE]
    if one.worth_of(SHARED) < 0:
        return _LEAST_APART  # raters who have hardly a label in common
    return _LEAST_CALLED if called else _LEAST_OF[WIDE]


def decide(profile: Profile, scored: Sequence[Scored], *, margin: float | None = None) -> Decision:
    """Weigh the hypotheses against each other.

    A margin of its own means that the caller said something: then the best of what agrees with
    that need not be likely by itself.
    """
    is_told = margin is not None
    margin = margin_for(profile) if margin is None else margin
    ranked = sorted(scored, key=lambda one: -one.score)
    if not ranked:
        return Decision(None, (), margin, 0.0)
    best = ranked[0]
    seen = {best.hypothesis.signature(profile)}
    rivals = []
    for one in ranked[1:]:
        signature = one.hypothesis.signature(profile)
        if signature not in seen:
            seen.add(signature)
            rivals.append(one)
    if is_told:
        lead = best.score - rivals[0].score if rivals else margin
        return Decision(best, tuple(rivals), margin, lead)
    if best.score <= _LEAST:
        return Decision(None, (best, *rivals), margin, 0.0)
    if best.score < _least(profile, best):
        return Decision(best, tuple(rivals), margin, 0.0)
    lead = best.score - max(_LEAST, rivals[0].score if rivals else _LEAST)
    return Decision(best, tuple(rivals), margin, lead)
