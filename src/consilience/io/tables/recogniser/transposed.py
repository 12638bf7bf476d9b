"""Rows are raters, columns are items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from consilience.io.tables.recogniser.hypotheses import TRANSPOSED, Hypothesis, Piece, Scored, rare
from consilience.io.tables.recogniser.lexicon import roles_of
from consilience.io.tables.recogniser.likeness import Group, is_someone, shared
from consilience.io.tables.recogniser.profile import Column, Profile
from consilience.io.tables.recogniser.styles import family_of, is_template

_PRIOR = -2.0
COMMON = (
    "columns share their values",
    "names of one family or style",
    "nothing is left out without a reason",
    "columns stand together",
    "columns that are of another kind",
)


def transposed_hypotheses(profile: Profile, wide: Sequence[Scored]) -> list[Scored]:
    """Turn the best way to take a table as wide by a quarter: its columns are items.

    What says that the columns belong together is the same for both.
    """
    if not wide:
        return []
    best = max(wide, key=_common)
    kept = [piece for piece in best.pieces if piece.name in COMMON]
    kind = profile.columns[best.hypothesis.rater[0]].is_number
    found = told_transposed(profile, (), best.hypothesis.by, kind)
    return [Scored(one.hypothesis, (*kept, *one.pieces[1:])) for one in found]


def _common(one: Scored) -> float:
    return sum(piece.nats for piece in one.pieces if piece.name in COMMON)


def told_transposed(
    profile: Profile, rater: tuple[int, ...], by: int | None, numbers: bool | None = None
) -> list[Scored]:
    """Take the rows as raters; `rater` is the column of their names where that was told."""
    columns = [c for c in profile.live if c.j != by]
    unique = [c for c in columns if c.is_unique and c.is_complete and c.kind != "date"]
    unique.sort(key=lambda c: ("rater" not in c.roles, c.is_number, c.j))
    named: list[Column | None] = [profile.columns[j] for j in rater] or [*unique[:1], None]
    found = []
    for who in named:
        items = _items([c for c in columns if who is None or c.j != who.j], numbers)
        if len(items) > 1:
            h = Hypothesis(
                TRANSPOSED, item=tuple(c.j for c in items), rater=() if who is None else (who.j,)
            )
            group = Group(items)
            alike = Piece("columns share their values", sum(shared(c, group) for c in items))
            found.append(Scored(h, (alike, *_pieces(profile, items, who))))
    return found


def _items(columns: Sequence[Column], numbers: bool | None) -> list[Column]:
    """Leave out columns that tell something about the rater: of another kind, or called so."""
    if numbers is None:
        numbers = sum(c.is_number for c in columns) > 0.5 * len(columns)
    alike = [c for c in columns if c.is_number == numbers and c.kind != "date"]
    group = Group(alike)
    return [c for c in alike if not _is_aside(c, group)]


def _is_aside(column: Column, group: Group) -> bool:
    """Tell whether a column says something about the rater rather than about an item."""
    if column.kind == "date":
        return True
    roles = column.roles & {"side", "date", "comment", "total", "derived"}
    called = bool(roles) and "item" not in column.roles
    stranger = group.stems.total() > 0.7 * len(group.columns) and column.family is None
    return (called or stranger) and shared(column, group) < -2.0


def _pieces(profile: Profile, items: Sequence[Column], who: Column | None) -> tuple[Piece, ...]:
    ratio = 1.5 * math.log(len(items) / profile.n)
    return (
        Piece("rows are seldom raters", _PRIOR),
        Piece("rows are called like raters", _row_names(who)),
        Piece("columns are called like items", _column_names(items)),
        Piece("so many raters are rare", rare(profile.n)),
        Piece("fewer rows than columns", max(-5.0, min(4.0, ratio))),
    )


def _row_names(who: Column | None) -> float:
    if who is None:
        return -4.0
    total = 0.0
    if "rater" in who.roles:
        total += 9.0
    elif who.roles & {"item", "text", "side", "date"}:
        total -= 8.0
    values = list(who.counts)
    raters = sum("rater" in roles_of(v) for v in values)
    persons = sum(is_someone(v) for v in values)
    total += 5.0 if raters > 0.8 * len(values) else 0.0
    total += 2.0 if who.kind == "text" and persons > 0.8 * len(values) else 0.0
    items = sum("item" in roles_of(v) for v in values)
    total -= 4.0 if items > 0.5 * len(values) and not raters else 0.0
    total -= 3.0 if len(values) > 40 else 0.0
    total -= 2.0 if who.kind == "whole" else 0.0
    return total


def _column_names(items: Sequence[Column]) -> float:
    names = [c.name for c in items]
    total = 0.0
    sounds: Counter[str] = Counter()
    for name in names[:40]:
        sounds.update(roles_of(name))
    looked_at = min(40, len(names))
    total += 4.0 if sounds["item"] > 0.7 * looked_at else 0.0
    total -= 6.0 if sounds["rater"] > 0.7 * looked_at else 0.0
    families = Counter(f.stem for name in names if (f := family_of(name)) is not None)
    most = max(families.values(), default=0)
    if most > 0.8 * len(names) and len(names) > 8:
        total += 2.0
    if is_template(names) and len(names) > 4 and not sounds["rater"]:
        total += 1.5
    if len(names) > 4 and all(n.isdigit() and n[0] == "0" and len(n) > 1 for n in names[:9]):
        total += 3.0
    if sum(len(n) > 25 for n in names) > 0.5 * len(names):
        total += 3.0  # sentences
    persons = sum(is_someone(n) and family_of(n) is None for n in names)
    total -= 3.0 if persons > 0.7 * len(names) else 0.0
    return total
