"""Hypotheses that agree with what the caller said about the layout."""

from __future__ import annotations

from dataclasses import dataclass, replace

from consilience.io.tables.recogniser.counts import (
    counts_hypotheses,
    is_called_sum_of,
    is_count,
    row_names,
    table_hypotheses,
)
from consilience.io.tables.recogniser.hypotheses import (
    COUNTS,
    LONG,
    TABLE,
    TRANSPOSED,
    WIDE,
    Hypothesis,
    Piece,
    Scored,
)
from consilience.io.tables.recogniser.lexicon import roles_of
from consilience.io.tables.recogniser.likeness import against, is_someone
from consilience.io.tables.recogniser.long_tables import long_hypotheses, names_say_long
from consilience.io.tables.recogniser.profile import Profile
from consilience.io.tables.recogniser.styles import family_of
from consilience.io.tables.recogniser.transposed import transposed_hypotheses
from consilience.io.tables.recogniser.wide_tables import group_of, wide_hypotheses

_TOLD = Piece("as told", 20.0)
_VETO = -1_000.0
_MOST_VARIABLES = 60


@dataclass(frozen=True)
class Told:
    """What was said, by positions of columns; empty means: find out."""

    shape: str | None = None
    item: tuple[int, ...] = ()
    rater: tuple[int, ...] = ()
    label: tuple[int, ...] = ()
    category: tuple[int, ...] = ()
    by: int | None = None

    @property
    def nothing(self) -> bool:
        """Nothing was said."""
        return not (self.shape or self.item or self.rater or self.label or self.category)


def hypotheses(profile: Profile, told: Told) -> list[Scored]:
    """Return every hypothesis that agrees with what was told, with its evidence."""
    direct = _direct(profile, told)
    if direct is not None:
        return [direct]
    found: list[Scored] = []
    if _may_be(TRANSPOSED, told):
        found += transposed_hypotheses(profile, told.rater, told.by)
    if _may_be(COUNTS, told):
        found += counts_hypotheses(profile, told.by)
    if _may_be(WIDE, told):
        # Columns that may be items or categories may be raters as well: the rival must be there.
        taken = (one.hypothesis for one in found)
        also = [frozenset(h.item if h.shape == TRANSPOSED else h.category) for h in taken]
        found += wide_hypotheses(profile, told.by, dict.fromkeys(also))
    if _may_be(LONG, told):
        found += long_hypotheses(
            profile, told.by, item=told.item, rater=told.rater, label=told.label
        )
        found += _by_variable(profile, told)
    if _may_be(TABLE, told):
        found += table_hypotheses(profile)
    found = [_as_called(profile, one) for one in found]
    found = [_first_names_items(profile, one) for one in found]
    if told.nothing and names_say_long(profile):
        found = [_against_names(one) for one in found]
    if told.shape == WIDE:
        found = [_nobody_left_out(profile, one) for one in found]
    return [agreed for one in found if (agreed := _agreeing(profile, one, told)) is not None]


def _nobody_left_out(profile: Profile, one: Scored) -> Scored:
    """Where a table was told to be wide, a column that nothing speaks against is a rater's."""
    group = group_of(profile, frozenset(one.hypothesis.rater))
    out = [c for c in profile.live if c.j not in one.hypothesis.used]
    odd = sum(sum(r.nats for r in against(c, group)) < 4.0 for c in out)
    piece = Piece("told to be wide, so nobody is left out", -6.0 * odd)
    return replace(one, pieces=(*one.pieces, piece))


def _by_variable(profile: Profile, told: Told) -> list[Scored]:
    """Ratings of several variables in one column, told apart by a column that is called so."""
    if told.by is not None:
        return []
    found: list[Scored] = []
    named = {*told.item, *told.rater, *told.label}
    for column in profile.live:
        is_variable = "variable" in column.roles and not column.roles & {"item", "rater", "label"}
        if is_variable and 1 < column.distinct <= _MOST_VARIABLES and column.j not in named:
            by = long_hypotheses(
                profile, column.j, item=told.item, rater=told.rater, label=told.label
            )
            more = Piece("a column tells the variable", 4.0)
            found += [
                replace(one, pieces=(*one.pieces, more))
                for one in by
                if _has_items(profile, column.j, one.hypothesis.item)
            ]
    return found


def _has_items(profile: Profile, variable: int, item: tuple[int, ...]) -> bool:
    """Tell whether each variable was rated on several items; else it is a name of the item."""
    pairs = profile.times((variable, *(j for j in item if j != variable)))
    return len(pairs) >= 2 * profile.columns[variable].distinct


def _against_names(one: Scored) -> Scored:
    """Columns called item and rater, whose pairs never repeat, leave no room for another layout."""
    if one.hypothesis.shape == LONG:
        return one
    return replace(one, pieces=(*one.pieces, Piece("item and rater are columns", _VETO)))


def _first_names_items(profile: Profile, one: Scored) -> Scored:
    """A first column called id or item, another in each row, names the rows and nothing else."""
    first, h = profile.columns[0], one.hypothesis
    if first.roles != {"item"} or not first.is_unique or h.shape in (LONG, TABLE):
        return one
    names_rows = h.shape in (WIDE, COUNTS) and h.item == (0,)
    piece = Piece("the first column is called an item", 0.0 if names_rows else -6.0)
    return replace(one, pieces=(*one.pieces, piece))


def _as_called(profile: Profile, one: Scored) -> Scored:
    """Weigh what a frame calls its columns: a pivot by rater says who stands in them."""
    shape = one.hypothesis.shape
    fits = {WIDE: "rater", TRANSPOSED: "item", COUNTS: "label", TABLE: "label"}.get(shape)
    roles = roles_of(profile.columns_name) if profile.columns_name else frozenset()
    if fits is None:
        return one
    if _names_two_raters(profile):
        nats = 8.0 if shape == TABLE else -8.0
    elif roles:
        nats = 8.0 if fits in roles else -8.0
    else:
        return one
    return replace(one, pieces=(*one.pieces, Piece("what the frame calls its columns", nats)))


def _names_two_raters(profile: Profile) -> bool:
    """Tell whether a frame calls its rows and its columns by two raters: a cross-table."""
    rows, columns = profile.columns[0], profile.columns_name
    if not rows.is_index or not columns or rows.name == columns:
        return False
    names = (rows.name, columns)
    families = [family_of(name) for name in names]
    if all("rater" in roles_of(name) for name in names):
        return True
    alike = all(families) and len({family.stem for family in families if family}) == 1
    return alike or all(is_someone(name) and not roles_of(name) for name in names)


def _direct(profile: Profile, told: Told) -> Scored | None:
    """Return the one hypothesis where enough was said."""
    found: Hypothesis | None = None
    if told.shape in (None, LONG) and told.item and len(told.rater) == 1 and told.label:
        found = Hypothesis(LONG, told.item, told.rater, told.label, by=told.by)
    elif _names_wide(told):
        item = told.item or _item_beside(profile, told)
        found = Hypothesis(WIDE, item=item, rater=told.rater, by=told.by)
    elif told.shape == COUNTS:
        found = _told_counts(profile, told)
    elif told.shape == TRANSPOSED and len(told.item) > 1:
        found = Hypothesis(TRANSPOSED, item=told.item, rater=told.rater[:1])
    elif told.shape == TABLE and not table_hypotheses(profile):
        found = _bare_table(profile) or _named_table(profile)
    return None if found is None else Scored(found, (_TOLD,))


def _told_counts(profile: Profile, told: Told) -> Hypothesis | None:
    if told.category:
        item = told.item or _item_beside(profile, told)
        return Hypothesis(COUNTS, item=item, category=told.category, by=told.by)
    named = told.item or _called_item(profile)
    return _all_counts(profile, named, told.by) if named else None


def _called_item(profile: Profile) -> tuple[int, ...]:
    """Return the one column that is called an item and names another in each row."""
    found = [c.j for c in profile.live if "item" in c.roles and c.is_unique]
    return tuple(found) if len(found) == 1 else ()


def _all_counts(profile: Profile, item: tuple[int, ...], by: int | None) -> Hypothesis:
    """Take all other columns for counts, except their sums and what is called no label."""
    rest = [c for c in profile.live if c.j not in (*item, by)]
    known = max(counts_hypotheses(profile, by), key=lambda one: one.score, default=None)
    if known is not None and known.score > 0 and not set(item) & set(known.hypothesis.category):
        return replace(known.hypothesis, item=item)
    beside = {"total", "side", "date", "comment", "text", "derived"}
    able = [c for c in rest if c.kind != "date" and (is_count(c) or not c.roles & beside)]
    chosen = [c.j for c in able if not is_called_sum_of(c, [o for o in able if o is not c])]
    return Hypothesis(COUNTS, item=item, category=tuple(chosen), by=by)


def _names_wide(told: Told) -> bool:
    """Tell whether the columns of the raters were named; one alone may name them in its rows."""
    enough = 1 if told.shape == WIDE else 2
    return told.shape in (None, WIDE) and len(told.rater) >= enough and not told.label


def _item_beside(profile: Profile, told: Told) -> tuple[int, ...]:
    """Find the column that names the items of a table whose raters were told."""
    from consilience.io.tables.recogniser.likeness import Group
    from consilience.io.tables.recogniser.wide_tables import item_column

    taken = {*told.rater, *told.category, told.by}
    rest = [c for c in profile.live if c.j not in taken and c.is_unique]
    found = item_column(profile, rest, Group([]))
    return () if found is None else (found.j,)


def _bare_table(profile: Profile) -> Hypothesis | None:
    """A square table of counts without names in its first column."""
    live = profile.live
    if len(live) != profile.n or not all(map(is_count, live)):
        return None
    return Hypothesis(TABLE, category=tuple(c.j for c in live))


def _named_table(profile: Profile) -> Hypothesis | None:
    """A table of counts with names in its first column, however few labels both sides share."""
    first, *rest = profile.live
    if not rest or not row_names(first) or not all(map(is_count, rest)):
        return None
    last = str(first.cells[-1])
    skip = (last,) if "total" in roles_of(last) and len(rest) < profile.n else ()
    return Hypothesis(TABLE, item=(first.j,), category=tuple(c.j for c in rest), skip_rows=skip)


def _may_be(shape: str, told: Told) -> bool:
    if told.shape is not None:
        return told.shape == shape
    if told.label:
        return shape == LONG
    if len(told.rater) == 1:
        return shape in (LONG, TRANSPOSED)
    if told.item:
        return shape in (WIDE, LONG, COUNTS)
    return True


def _agreeing(profile: Profile, one: Scored, told: Told) -> Scored | None:
    """Keep a hypothesis that agrees with what was told, with the told item in its place."""
    h = one.hypothesis
    if told.item and h.shape in (WIDE, COUNTS):
        if set(told.item) & {*h.rater, *h.category}:
            return None
        return replace(one, hypothesis=replace(h, item=told.item))
    return one
