"""From a table to the layout it is taken for: profile, hypotheses, evidence, decision."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from shlex import quote
from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import InputError, Option, Words
from consilience.io._reading import MEANING, SHAPES
from consilience.io.request import Request
from consilience.io.tables.layouts._column_names import RATER
from consilience.io.tables.layouts._layout_grid import look_grid, told_grid
from consilience.io.tables.layouts._table_sample import (
    ADDS_UP,
    NAMED,
    STRUCTURE,
    Aside,
    Candidate,
    Layout,
    View,
)
from consilience.io.tables.layouts._timed_tables import refuse_timed
from consilience.io.tables.recogniser.as_told import Told, hypotheses
from consilience.io.tables.recogniser.counts import is_count
from consilience.io.tables.recogniser.hypotheses import (
    COUNTS,
    LONG,
    TABLE,
    TRANSPOSED,
    WIDE,
    Decision,
    Hypothesis,
    Scored,
    decide,
    margin_for,
)
from consilience.io.tables.recogniser.likeness import Group, against, shared, sure_companions
from consilience.io.tables.recogniser.profile import Cell, Column, Profile
from consilience.io.tables.recogniser.refusal import Offer, offer_of, refuse
from consilience.io.tables.recogniser.weighing import seen, weighing_of
from consilience.io.tables.table import Table

_GRID_WORTH = {ADDS_UP: 12.0, NAMED: 6.0, STRUCTURE: 0.0}
_FEWEST_ROWS = 2
_TOLD_MARGIN = 2.0  # where the caller said something, the rest may be settled by less


def recognise(table: Table, request: Request) -> tuple[Candidate, tuple[str, ...]]:
    """Return the way to take the table, and the names of the other ways that come near."""
    if request.shape is not None and request.shape not in SHAPES:
        raise InputError.unknown_word("shape", request.shape, SHAPES)
    rows = [row for row in table.sample() if any(cell is not None for cell in row)]
    view = View(table, request, rows)
    grid = _told_as_grid(view)
    if grid is not None:
        return grid, ()
    profile = profile_of_table(table, _one_group(rows, view.by))
    try:
        told = _told(view)
        if not (request.item or request.rater or request.label or request.shape):
            refuse_timed(view)
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
            raise _refusal(table, profile, decision, told)
    except InputError as error:
        error.seen = weighing
        raise
    assert decision.best is not None
    taken = candidate_of(profile, decision.best, aside)
    return replace(taken, seen=weighing), _near(decision)


def _one_group(rows: list[tuple[Any, ...]], by: int | None) -> list[tuple[Any, ...]]:
    """Return the rows of the largest group: in each, an item has its rows once."""
    if by is None:
        return rows
    counted = Counter(row[by] for row in rows)
    largest, times = counted.most_common(1)[0] if counted else (None, 0)
    return [row for row in rows if row[by] == largest] if times >= _FEWEST_ROWS else rows


def profile_of_table(table: Table, rows: Sequence[Sequence[Any]]) -> Profile:
    """Profile the sample of a table; cells become text as a text file would write them."""
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(table.names)
    made = tuple(
        Column(j, name, tuple(map(_as_text, cells)), is_index=j < table.n_index)
        for j, (name, cells) in enumerate(zip(table.names, columns, strict=True))
    )
    file_of = None
    if table.file is not None:
        file_of = tuple(table.files_of_sample())
        file_of = file_of if len(file_of) == len(rows) else tuple(range(len(rows)))
    return Profile(made, len(rows), file_of=file_of, columns_name=table.columns_name)


def _as_text(cell: Any) -> Cell:
    if cell is None:
        return None
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return None if math.isnan(cell) else f"{cell:.15g}"
    text = str(cell).strip()
    return text or None


# ---------------------------------------------------------------------------- told


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
    return len(main) == 1 and len(grid.layout.variables) > 1


# ---------------------------------------------------------------------------- taken


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


# ---------------------------------------------------------------------------- refused


def _refusal(table: Table, profile: Profile, decision: Decision, told: Told) -> InputError:
    from consilience.io.tables.recogniser.fallback import with_more

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


__all__ = ["candidate_of", "profile_of_table", "recognise"]
