"""From a table to the layout it is taken for: profile, hypotheses, evidence, decision.

Hypotheses agree with what the caller said; where the evidence finds none, one of each layout is
offered.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any

from consilience.core.input_files import Said
from consilience.core.words import first_of
from consilience.exceptions import InputError, Option, Words
from consilience.io.layout.counts import (
    counts_hypotheses,
    is_called_sum_of,
    is_count,
    row_names,
    table_hypotheses,
)
from consilience.io.layout.decision import (
    COUNTS,
    LONG,
    NAMES_ITEMS,
    TABLE,
    TRANSPOSED,
    WIDE,
    AmbiguousTableError,
    Decision,
    Hypothesis,
    Offer,
    Piece,
    Scored,
    decide,
    margin_for,
    offer_of,
    refuse,
    refuse_timed,
)
from consilience.io.layout.lexicon import (
    MAIL,
    WORDS,
    family_of,
    fold,
    looks_like_model,
    names_occasion,
    roles_of,
    sense_of,
)
from consilience.io.layout.likeness import Group, against, is_someone, shared, sure_companions
from consilience.io.layout.long_tables import long_hypotheses, names_say_long, says_who
from consilience.io.layout.printed_tables import ELLIPSES, count_beside, is_about_differences
from consilience.io.layout.profile import Cell, Column, Profile, profile_of
from consilience.io.layout.standing import may_be_asked, standing_of
from consilience.io.layout.table_sample import (
    ADDS_UP,
    NAMED,
    STRUCTURE,
    Aside,
    Candidate,
    Layout,
    View,
    grouping_column,
)
from consilience.io.layout.variable_columns import (
    RATER,
    look_grid,
    questions_of,
    refuse_blocks,
    told_grid,
)
from consilience.io.layout.wide_tables import (
    group_of,
    item_column,
    transposed_hypotheses,
    wide_hypotheses,
)
from consilience.io.options import Request
from consilience.io.reading_account import MEANING, SHAPES, seen, weighing_of
from consilience.io.table import Table

# ---- hypotheses that agree with what the caller said about the layout

_TOLD = Piece("as told", 20.0)
_NO_TABLE = -100.0  # nats against a cross-table whose first column is called an item
_COEFFICIENT = re.compile(r"(?i)\b(?:kappa|alpha|pi|ac[12]|icc)\b|[κα]")
_PRINTED = Piece("rows are called as columns are, as papers print a cross-table", 20.0)
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
        long = long_hypotheses(profile, told.by, item=told.item, rater=told.rater, label=told.label)
        long += _by_variable(profile, told)
        if any(says_who(profile.columns[j]) for j in told.item):
            long = [replace(one, pieces=(*one.pieces, _TOLD)) for one in long]
        found += long
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
        if 1 < column.distinct <= _MOST_VARIABLES and column.j not in named and _tells(column):
            by = long_hypotheses(
                profile, column.j, item=told.item, rater=told.rater, label=told.label
            )
            more = Piece("a column tells the variable", 4.0)
            found += [
                replace(one, pieces=(*one.pieces, more))
                for one in by
                if _has_items(profile, column.j, one.hypothesis.item)
                and not profile.depends(column.j, one.hypothesis.item)
            ]
    return found


def _tells(column: Column) -> bool:
    """Tell whether a column is called a variable, or holds names of criteria and questions."""
    if column.roles & {"rater", "date", "comment"} or column.is_unique:
        return False
    if "variable" in column.roles and not column.roles & {"item", "label"}:
        return True
    asked = sum(standing_of(value) == "asked" for value in column.counts)
    return column.kind == "text" and asked > 0.6 * column.distinct


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
    if first.roles != {"item"} or not first.is_unique or h.shape == LONG:
        return one
    names_rows = h.shape in (WIDE, COUNTS) and h.item == (0,)
    piece = Piece(NAMES_ITEMS, 0.0 if names_rows else _NO_TABLE if h.shape == TABLE else -6.0)
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
    chosen = [c.j for c in able if not is_called_sum_of(c, able)]
    return Hypothesis(COUNTS, item=item, category=tuple(chosen), by=by)


def _names_wide(told: Told) -> bool:
    """Tell whether the columns of the raters were named; one alone may name them in its rows."""
    enough = 1 if told.shape == WIDE else 2
    return told.shape in (None, WIDE) and len(told.rater) >= enough and not told.label


def _item_beside(profile: Profile, told: Told) -> tuple[int, ...]:
    """Find the column that names the items of a table whose raters were told."""

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


# ---- readings to offer where the evidence found none, or too few: one of each layout

_MOST = 8


def with_more(
    profile: Profile, found: Sequence[Scored], by: int | None, shape: str | None
) -> list[Scored]:
    """Return the readings, and others that a person may have meant, each with other ratings.

    What would be refused for items that are rated twice is no way out, unless nothing else is.
    """
    kept = [one for one in found if can_be_built(profile, one.hypothesis)] or list(found)
    seen = {one.hypothesis.signature(profile) for one in kept}
    usual = [h for h in _usual(profile, by) if can_be_built(profile, h)]
    for hypothesis in usual:
        signature = hypothesis.signature(profile)
        if signature not in seen and shape in (None, hypothesis.shape) and len(kept) < _MOST:
            seen.add(signature)
            kept.append(Scored(hypothesis, ()))
    return kept


def can_be_built(profile: Profile, h: Hypothesis) -> bool:
    """Tell whether a reading gives each rater one rating of an item at most, and names for all."""
    if h.by is not None:
        return True  # each group is looked at by itself
    if h.shape == LONG:
        return _is_key(profile, h)
    names = h.rater if h.shape == TRANSPOSED else h.item
    columns = [profile.columns[j] for j in names]
    return not columns or (len(profile.times(names)) == profile.n and _are_complete(columns))


def _is_key(profile: Profile, h: Hypothesis) -> bool:
    """Tell whether no pair of item and rater has two labels in a column."""
    if h.rater_is_file:
        return True
    names = (*h.item, *h.rater)
    pairs = profile.joint(names)
    for j in h.label:
        rated = [pair for pair, code in zip(pairs, profile.codes(j), strict=True) if code >= 0]
        if len(set(rated)) < len(rated):
            return False
    return _are_complete([profile.columns[j] for j in names])


def _are_complete(columns: Sequence[Column]) -> bool:
    return all(column.is_complete for column in columns)


def _usual(profile: Profile, by: int | None) -> Iterator[Hypothesis]:
    """The plainest reading of each layout, the most usual layouts first."""
    live = [c for c in profile.live if c.j != by]
    item = item_column(profile, live, Group([])) or (live[0] if live else None)
    if item is None:
        return
    rest = [c for c in live if c.j != item.j and c.kind != "date"]
    alike = _of_one_kind(rest)
    yield from _long(profile, live, by)
    for raters in (alike, rest):
        if len(raters) > 1:
            yield Hypothesis(WIDE, item=(item.j,), rater=_places(raters), by=by)
    if len(live) > 1:
        yield Hypothesis(WIDE, rater=_places(live), by=by)
    if len(rest) > 1 and all(map(is_count, rest)):
        yield Hypothesis(COUNTS, item=(item.j,), category=_places(rest), by=by)
    if rest and live[0].is_unique and all(map(is_count, live[1:])):
        yield Hypothesis(TABLE, category=_places(live[1:]))
    if len(alike) > 1:
        yield Hypothesis(TRANSPOSED, item=_places(alike), rater=(item.j,))


def _long(profile: Profile, live: Sequence[Column], by: int | None) -> Iterator[Hypothesis]:
    """One row per rating, where three columns are called so."""
    called = {
        role: next((c.j for c in live if role in c.roles), None)
        for role in ("item", "rater", "label")
    }
    places = [j for j in called.values() if j is not None]
    if len(places) == 3 and len(set(places)) == 3:
        item, rater, label = places
        yield Hypothesis(LONG, item=(item,), rater=(rater,), label=(label,), by=by)


def _of_one_kind(columns: Sequence[Column]) -> list[Column]:
    """The columns of the kind that most of them have, numbers or texts."""
    numbers = [c for c in columns if c.is_number]
    texts = [c for c in columns if not c.is_number and not c.is_prose]
    return numbers if len(numbers) >= len(texts) else texts


def _places(columns: Sequence[Column]) -> tuple[int, ...]:
    return tuple(c.j for c in columns)


_GRID_WORTH = {ADDS_UP: 12.0, NAMED: 6.0, STRUCTURE: 0.0}
_FEWEST_ROWS = 2
_TOLD_MARGIN = 2.0  # where the caller said something, the rest may be settled by less


def recognise(table: Table, request: Request) -> tuple[Candidate, tuple[str, ...]]:
    """Return the way to take the table, and the names of the other ways that come near."""
    if request.shape is not None and request.shape not in SHAPES:
        raise InputError.unknown_word("shape", request.shape, SHAPES)
    rows = [row for row in table.sample() if any(cell is not None for cell in row)]
    if table.printed is not None:
        return _printed(table, profile_of_table(table, rows)), ()
    if request.shares_of is not None:
        raise InputError.expected(
            "a table of shares",
            "a cross-table: labels in its first row and its first column, shares in its cells",
            Said(", ".join(map(repr, table.names[:8]))),
            Words("leave out ", Option("shares_of"), ", or check the table"),
            where=table.where,
        )
    by = grouping_column(table, request)
    view = View(table, request, profile_of_table(table, rows), by)
    grid = _told_as_grid(view)
    if grid is not None:
        return grid, ()
    profile = view.profile if by is None else profile_of_table(table, _one_group(rows, by))
    try:
        told = _told(view)
        if not (request.item or request.rater or request.label or request.shape):
            refuse_timed(view.profile, by, table.where)
            _refuse_printed(table, rows)
    except InputError as error:
        error.seen = seen(profile)
        raise
    scored = hypotheses(profile, told)
    named = told.item or told.rater or told.label or told.category
    margin = _TOLD_MARGIN if named else None if told.nothing else margin_for(profile)
    decision = decide(profile, scored, margin=margin)
    aside = () if decision.best is None else _set_aside(profile, decision.best.hypothesis)
    weighing = weighing_of(profile, decision, aside)
    try:
        grid = _as_grid(view, profile, decision) if told.shape in (None, WIDE) else None
        if grid is not None:
            more = f"Taken as a grid of variables and raters: {'; '.join(grid.evidence)}."
            return replace(grid, seen=weighing.with_remarks([more])), ()
        if not decision.is_clear:
            _refuse_results(table, profile)
            raise _refusal(table, profile, decision, told)
        assert decision.best is not None
        if told.nothing:
            _refuse_criteria(table, profile, decision.best)
            _refuse_crossed(table, profile, decision.best)
            _refuse_left_out(table, profile, decision.best)
            h = decision.best.hypothesis
            if h.shape in (WIDE, COUNTS) and all(map(_is_flag, _cells_of(profile, h))):
                refuse_blocks(view, h.rater or h.category)
            elif h.shape == TRANSPOSED:
                _refuse_questions(table, profile, decision.best)
    except InputError as error:
        error.seen = weighing
        raise
    taken = candidate_of(profile, decision.best, aside)
    return replace(taken, seen=weighing), _near(decision)


def _printed(table: Table, profile: Profile) -> Candidate:
    """Take a cross-table that a paper printed; refuse shares, and a table of events with nil."""
    printed = table.printed
    assert printed is not None
    if printed.is_share:
        number = printed.possible_items
        raise InputError.expected(
            "the cells of a cross-table",
            "counts, or shares of a known number of items",
            Said("shares that add up to 1"),
            Words(
                "say of how many items, as in ",
                Option("shares_of", number),
                "; coefficients follow from the shares alone, intervals need that number",
            ),
            where=table.where,
        )
    if printed.has_nil:
        path = " ".join(quote(str(path)) for path in table.paths) or "FILE"
        raise InputError.expected(
            "a cross-table of ratings",
            "one in which every item has two labels",
            Said("a row and a column nil, for units that only one rater saw"),
            f"compare the units with `consilience units {path} --table"
            f"{' --method gseq' if printed.has_gaps else ''}`",
            where=table.where,
        )
    labels = tuple(range(1, len(table.names)))
    best = Scored(Hypothesis(TABLE, item=(0,), category=labels), (_PRINTED,))
    decision = Decision(best, (), 0.0, _PRINTED.nats)
    return replace(candidate_of(profile, best, ()), seen=weighing_of(profile, decision, ()))


def _refuse_results(table: Table, profile: Profile) -> None:
    """Refuse a table of agreement that somebody has measured already."""
    found = [c for c in profile.live if c.kind == "decimal" and _COEFFICIENT.search(c.name)]
    if found and all(-1 <= x <= 1 for x in found[0].known):
        raise InputError.expected(
            "a table of ratings",
            "what raters said of items",
            Said(f"results that were measured already, such as {found[0].name!r}"),
            "give the ratings that they were measured on",
            where=table.where,
        )


def _refuse_printed(table: Table, rows: Sequence[Sequence[Any]]) -> None:
    """Refuse a table from a paper that holds no ratings, or not all of them."""
    path = " ".join(quote(str(path)) for path in table.paths) or "FILE"
    if is_about_differences(table.names, rows):
        raise InputError.expected(
            "a table of ratings",
            "about items",
            Said("how often marks differ by how much"),
            f"compare the settings with `consilience sweep {path} --setting "
            f"{quote(table.names[0])} --differences`",
            where=table.where,
        )
    for k, row in enumerate(rows):
        filled = [str(cell) for cell in row if cell is not None]
        if filled and all(cell in ELLIPSES for cell in filled):
            raise InputError.expected(
                "the table",
                "whole",
                Said(f"a row {filled[0]}, for rows that were not printed"),
                "add the rows that are left out there",
                where=table.locate(k),
            )
    last = [] if not rows else [str(cell) for cell in rows[-1] if cell is not None]
    counts = [number for cell in last[1:] if (number := count_beside(cell)) is not None]
    if counts and "total" in roles_of(last[0]):
        raise InputError.expected(
            f"the row {last[0]!r}",
            "the sums of the rows above it",
            Said(", ".join(last[1:])),
            "add the rows that are missing, or take this row out",
            where=table.locate(len(rows) - 1),
        )


def _one_group(rows: list[tuple[Any, ...]], by: int) -> list[tuple[Any, ...]]:
    """Return the rows of the largest group: in each, an item has its rows once."""
    counted = Counter(row[by] for row in rows)
    largest, times = counted.most_common(1)[0] if counted else (None, 0)
    return [row for row in rows if row[by] == largest] if times >= _FEWEST_ROWS else rows


def profile_of_table(table: Table, rows: Sequence[Sequence[Any]]) -> Profile:
    """Profile the sample of a table; cells become text as a text file would write them."""
    cells = [tuple(map(_as_text, row)) for row in rows]
    profile = profile_of(table.names, cells, index=table.n_index)
    file_of = None
    if table.file is not None:
        file_of = tuple(table.files_of_sample())
        file_of = file_of if len(file_of) == len(rows) else tuple(range(len(rows)))
    return replace(profile, file_of=file_of, columns_name=table.columns_name)


def _as_text(cell: Any) -> Cell:
    if cell is None or isinstance(cell, str):
        return (cell.strip() or None) if cell else None
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return None if math.isnan(cell) else f"{cell:.15g}"
    text = str(cell).strip()
    return text or None


# ---- told


def _told(view: View) -> Told:
    request, names = view.request, view.names
    categories = [str(category) for category in request.categories or ()]
    known = [name for name in categories if name in names]
    category: tuple[int, ...] = ()
    if request.shape == "counts" and known and len(known) == len(categories):
        category = tuple(names.index(name) for name in known)
    return Told(
        shape=WIDE if _each_is_a_rater(view) else request.shape,
        item=view.role("item"),
        rater=view.role("rater"),
        label=view.role("label"),
        category=category,
        by=view.by,
    )


def _told_as_grid(view: View) -> Candidate | None:
    """Take columns of variables by raters as the caller said."""
    shape = view.request.shape
    if shape in (None, WIDE):
        return None if _each_is_a_rater(view) else told_grid(view)
    if view.request.columns is not None:
        raise InputError.expected(
            "columns", "given for a wide table only", Said(f"shape={shape!r}"), "leave one out"
        )
    return None


def _each_is_a_rater(view: View) -> bool:
    """Tell whether the caller says that columns are raters', however they are named."""
    return str(view.request.columns or "").strip() == RATER


def _as_grid(view: View, profile: Profile, decision: Decision) -> Candidate | None:
    """Take the columns for variables by raters where their names say so more than all else."""
    grid = None if _each_is_a_rater(view) else look_grid(view)
    if grid is None:
        return None
    best = decision.best
    if _are_companions(profile, grid):
        return None
    # Names that make a full grid say more than how its columns could be taken otherwise.
    rivals: tuple[str, ...] = (LONG, TABLE)
    if grid.strength < NAMED:
        rivals = (LONG, TABLE, COUNTS, TRANSPOSED)
    cells = {j for one in grid.layout.variables for j in one.columns}
    if best is not None and best.hypothesis.shape == LONG and cells & best.hypothesis.used:
        # Where raters are in the names, none of these columns names items or raters.
        named = {*best.hypothesis.item, *best.hypothesis.rater}
        best = None if cells & named else best
    if best is not None and best.hypothesis.shape in rivals:
        wide = max((r.score for r in decision.rivals if r.hypothesis.shape == WIDE), default=-99.0)
        if wide + _GRID_WORTH.get(grid.strength, 0.0) < best.score + decision.margin:
            return None
    if grid.problem is not None:
        raise grid.problem
    return grid if grid.strength >= NAMED or decision.is_clear else None


def _are_companions(profile: Profile, grid: Candidate) -> bool:
    """Tell whether all variables but one say what else was told of it: Ann, Ann_conf."""
    beside = sure_companions(profile)
    main = [one for one in grid.layout.variables if not beside.issuperset(one.columns)]
    return len(main) == 1 and (len(grid.layout.variables) > 1 or bool(beside))


# ---- taken


def candidate_of(
    profile: Profile, best: Scored, aside: tuple[Aside, ...] | None = None
) -> Candidate:
    """Turn the best hypothesis into a layout, with its evidence and what is left out."""
    h = best.hypothesis
    layout = Layout(
        shape=h.shape,  # type: ignore[arg-type]
        item=h.item,
        rater=h.rater,
        label=h.label,
        category=h.category,
        by=h.by,
        rater_is_file=h.rater_is_file,
        skip_rows=h.skip_rows,
    )
    evidence = tuple(piece.name for piece in best.strongest[:3])
    return Candidate(
        layout, NAMED, evidence, aside=_set_aside(profile, h) if aside is None else aside
    )


def _set_aside(profile: Profile, h: Hypothesis) -> tuple[Aside, ...]:
    """Name every column that is not used, with the reason; say which could be a rater's."""
    raters = [profile.columns[j] for j in h.rater] if h.shape == WIDE else []
    group = Group(raters)
    found = []
    for column in profile.columns:
        if column.j in h.used:
            continue
        if column.kind == "empty":
            found.append(Aside(column.j, "empty", False))
            continue
        reasons = against(column, group)
        weight = sum(reason.nats for reason in reasons)
        words = reasons[0].words if reasons else "unlike the others"
        words = "dates or times" if column.kind == "date" else words
        could_matter = h.shape == WIDE and (weight < 3.0 or shared(column, group) > 2.0)
        if h.shape == LONG:
            words = _beside_long(profile, column, h)
        found.append(Aside(column.j, words, could_matter))
    return tuple(found)


def _beside_long(profile: Profile, column: Column, h: Hypothesis) -> str:
    if profile.depends(column.j, h.item):
        return "tells something about the item"
    if h.rater and profile.depends(column.j, h.rater):
        return "tells something about the rater"
    return "neither item, rater nor label"


def _near(decision: Decision) -> tuple[str, ...]:
    assert decision.best is not None
    shapes = [
        r.hypothesis.shape
        for r in decision.rivals
        if r.score > max(0.0, decision.best.score - 2 * decision.margin)
    ]
    return tuple(s for s in dict.fromkeys(shapes) if s != decision.best.hypothesis.shape)


# ---- refused


def _refusal(table: Table, profile: Profile, decision: Decision, told: Told) -> InputError:

    readings = with_more(profile, decision.readings, told.by, told.shape)
    offers = [
        offer_of(profile, one, beside=[other for other in decision.readings if other is not one])
        for one in readings
    ]
    if not offers:
        return _unrecognised(table, profile, told.shape)
    source = " ".join(quote(str(path)) for path in table.paths) or None
    what = (
        "several readings, and the number differs"
        if decision.best is not None
        else "no layout well; these come nearest"
    )
    return refuse(
        what, [_with_by(offer, profile, told) for offer in offers], where=table.where, source=source
    )


def _refuse_criteria(table: Table, profile: Profile, best: Scored) -> None:
    """Refuse columns that sound like what was asked: they may be one judge's criteria."""
    h = best.hypothesis
    names = [profile.columns[j].name for j in h.rater]
    if h.shape != WIDE or not may_be_asked(names):
        return
    rows = Scored(Hypothesis(TRANSPOSED, item=h.rater, rater=h.item), ())
    offers = [replace(offer_of(profile, best), words=f"each is a rater's: {first_of(names, 6)}")]
    if h.item and can_be_built(profile, rows.hypothesis):
        offers.append(offer_of(profile, rows))
    sentence = Words(
        f"{table.where}: who rated must be clear. Got columns that may be what was asked, and not "
        f"who answered: {first_of(names, 6)}. One judge's answers to several questions show no "
        "agreement. Hint: run the line that is right, or add a column that names the rater and "
        "pass ",
        Option("rater", "COLUMN"),
        ".",
    )
    source = " ".join(quote(str(path)) for path in table.paths) or None
    raise AmbiguousTableError.of(sentence, offers, source)


_MOST_LABELS = 12  # different values of a column that may be a rater's


def _refuse_left_out(table: Table, profile: Profile, best: Scored) -> None:
    """Refuse to set aside a column that is called by who rated, for its labels alone."""
    h = best.hypothesis
    if h.shape != WIDE:
        return
    aside = sure_companions(profile)
    raters = [profile.columns[j] for j in h.rater]
    left = [
        c.j
        for c in profile.live
        if c.j not in h.used and c.j not in aside and _is_called_rater(c, raters)
    ]
    if left:
        whole = replace(h, rater=tuple(sorted((*h.rater, *left))))
        offers = [offer_of(profile, Scored(whole, ())), offer_of(profile, best)]
        names = first_of([profile.columns[j].name for j in left], 4)
        sentence = Words(
            f"{table.where}: who rated must be clear. Got labels of their own in columns that are "
            f"called by raters: {names}. Hint: run the line that is right."
        )
        source = " ".join(quote(str(path)) for path in table.paths) or None
        raise AmbiguousTableError.of(sentence, offers, source)


def _is_called_rater(column: Column, raters: Sequence[Column]) -> bool:
    """Tell whether a column is called by a rater and holds labels, not names or remarks."""
    able = column.distinct <= _MOST_LABELS and not column.is_unique and column.kind != "date"
    beside = {"item", "side", "date", "comment", "confidence", "text", "total", "derived"}
    standing = standing_of(column.name)
    if not able or column.roles & beside or standing == "asked":
        return False
    if standing != "rater":  # a fact about the item, unless yes stands for 1
        values = (value for c in (column, *raters) for value in c.counts)
        return all(sense_of(value) is not None for value in values)
    return not all(map(looks_like_model, column.counts))


def _cells_of(profile: Profile, h: Hypothesis) -> list[Column]:
    return [profile.columns[j] for j in h.rater or h.category]


def _is_flag(column: Column) -> bool:
    return column.keys.keys() <= {"0", "1"}


def _refuse_questions(table: Table, profile: Profile, best: Scored) -> None:
    """Refuse columns that are items by questions: all answers would be taken for one question."""
    asked = questions_of({j: profile.columns[j].name for j in best.hypothesis.item})
    if not asked:
        return
    sentence = Words(
        f"{table.where}: the questions must be told apart. Got columns that are items by questions "
        f"({first_of(asked, 4)}), and a row for each rater. Hint: write one row per answer, with "
        "columns for item, rater, question and label, and pass ",
        Option("by", "question"),
        "; if all is one question, run this line.",
    )
    source = " ".join(quote(str(path)) for path in table.paths) or None
    raise AmbiguousTableError.of(sentence, [offer_of(profile, best)], source)


_MOST_CROSSED = 12  # values of what may be an occasion or a question
_CROSSED = 0.8  # of all pairs with the items


def _refuse_crossed(table: Table, profile: Profile, best: Scored) -> None:
    """Refuse a second part of the item that every item has all of: an occasion, or a question?"""
    h = best.hypothesis
    if h.shape != LONG or len(h.item) != 2 or h.by is not None:
        return
    for other, part in (h.item, h.item[::-1]):
        column, whole = profile.columns[part], profile.columns[other]
        pairs = len(profile.times(h.item))
        crossed = pairs >= _CROSSED * column.distinct * whole.distinct
        is_item = bool(column.roles & {"item", "text"}) and not _tells(column)
        is_item = is_item and fold(column.name) not in WORDS["criterion"]
        # Runs and their kin are known: then the item is the cluster.
        if column.distinct > _MOST_CROSSED or not crossed or is_item or names_occasion(column.name):
            continue
        said = {"item": (whole.name,), "rater": tuple(profile.columns[j].name for j in h.rater)}
        said["label"] = tuple(profile.columns[j].name for j in h.label)
        offers = [
            Offer(f"one result per {column.name}", {"shape": LONG, **said, "by": column.name}),
            Offer(
                f"{column.name} is an occasion: the same item, seen again",
                {"shape": LONG, **said, "duplicates": "occasions"},
            ),
            offer_of(profile, best),
        ]
        sentence = Words(
            f"{table.where}: what {column.name!r} is must be clear. Got every {whole.name!r} under "
            f"{column.distinct} values of it: a question, an occasion, or a part of the item. "
            "Hint: run the line that is right."
        )
        source = " ".join(quote(str(path)) for path in table.paths) or None
        raise AmbiguousTableError.of(sentence, offers, source)


def is_table_of_ratings(names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> bool:
    """Tell whether a table is one of ratings by itself, and no form that each rater filled in."""
    profile = profile_of(names, rows)
    who = [c for c in profile.live if says_who(c) or all(map(MAIL.fullmatch, c.counts))]
    if any(2 * c.distinct <= c.filled for c in who):
        return True  # of the first rows, which may be one rater's, no item need come back
    best = decide(profile, hypotheses(profile, Told())).best
    if best is None or best.score <= 0:
        return False
    h = best.hypothesis
    if h.shape == LONG:
        return bool(h.rater)
    raters = [names[j] for j in h.rater]
    called = sum(standing_of(name) == "rater" for name in raters)
    return h.shape == WIDE and bool(h.item) and (called > 0.5 * len(raters) or len(raters) < 4)


def _with_by(offer: Offer, profile: Profile, told: Told) -> Offer:
    if told.by is None:
        return offer
    return replace(offer, options=offer.options | {"by": profile.columns[told.by].name})


def _unrecognised(table: Table, profile: Profile, shape: str | None) -> InputError:
    names = [c.name for c in profile.columns]
    columns = ", ".join(repr(name) for name in names[:8])
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    if shape is not None:
        return InputError.expected(
            "the table",
            f"one that fits the shape {shape!r} ({MEANING[shape]})",
            Said(f"the columns {columns}{more}, {_why_not(profile, shape)}"),
            Words(
                "name its columns with ",
                Option("item"),
                ", ",
                Option("rater"),
                ", ",
                Option("label"),
                ", or leave the shape out",
            ),
            where=table.where,
        )
    signs = [one for one in ";\t|," if len(names) == 1 and names[0].count(one) > 1]
    if signs:
        return InputError.expected(
            "the table",
            "of several columns",
            Said(f"one, {columns}"),
            f"its cells hold several: read the file again with {signs[0]!r} as the delimiter",
            where=table.where,
        )
    return InputError.expected(
        "the layout",
        "one that can be recognised",
        Said(f"the columns {columns}{more}"),
        Words(
            "say which column is what with ",
            Option("item"),
            ", ",
            Option("rater"),
            ", ",
            Option("label"),
            ", or ",
            Option("shape", *SHAPES),
        ),
        where=table.where,
    )


def _why_not(profile: Profile, shape: str) -> str:
    """Say what speaks against a shape that was asked for."""
    if shape in (COUNTS, TABLE):
        others = [c for c in profile.live if not is_count(c)]
        beyond = [c.name for c in others if c.kind != "text" or c is not others[0]]
        if beyond:
            return f"where not every cell of {beyond[0]!r} is a whole number"
    empty = [c.name for c in profile.columns if c.kind == "empty"]
    return f"where nothing stands in {empty[0]!r}" if empty else "which do not"


__all__ = ["candidate_of", "is_table_of_ratings", "profile_of_table", "recognise"]
