"""Recognise the layout of a table: long, wide, transposed, counts or cross-table.

Each layout has a function that looks at a sample of the table and returns a `Candidate` with its
strength, or None where the layout is impossible, and one that takes the table as told. The
strongest wins; a tie is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from consilience.core.words import first_of
from consilience.exceptions import InputError
from consilience.io._reading import MEANING, SHAPES
from consilience.io.bytes.paths import Said
from consilience.io.tables.layouts._layout_counts import (
    force_counts,
    force_table,
    look_counts,
    look_table,
)
from consilience.io.tables.layouts._layout_grid import look_grid, told_grid
from consilience.io.tables.layouts._layout_long import force_long, look_long
from consilience.io.tables.layouts._layout_wide import (
    force_transposed,
    force_wide,
    look_transposed,
    look_wide,
)
from consilience.io.tables.layouts._table_sample import ADDS_UP, NAMED, Candidate, View, Wishes
from consilience.io.tables.layouts._timed_tables import refuse_timed
from consilience.io.tables.table import Table

Look = Callable[[View], Candidate | None]
Force = Callable[[View], Candidate]

_LAYOUTS: dict[str, tuple[Look, Force]] = {
    "long": (look_long, force_long),
    "wide": (look_wide, force_wide),
    "transposed": (look_transposed, force_transposed),
    "counts": (look_counts, force_counts),
    "table": (look_table, force_table),
}
_LOOKS: tuple[Look, ...] = (look_grid, *(look for look, _ in _LAYOUTS.values()))


def recognise(table: Table, wishes: Wishes) -> tuple[Candidate, tuple[str, ...]]:
    """Return the best way to take the table, and the names of the other ways that would do."""
    rows = [row for row in table.sample() if any(cell is not None for cell in row)]
    view = View(table, wishes, rows)
    if wishes.shape is not None and wishes.shape not in SHAPES:
        raise InputError.unknown_word("shape", wishes.shape, SHAPES)
    told = _told(view)
    if told is not None:
        return told, ()
    if not (wishes.item or wishes.rater or wishes.label):
        refuse_timed(view)
    found = [candidate for look in _LOOKS if (candidate := look(view)) is not None]
    if not found:
        raise _unrecognised(view)
    best = max(candidate.strength for candidate in found)
    winners = [candidate for candidate in found if candidate.strength == best]
    for winner in winners:
        if winner.problem is not None:
            raise winner.problem
    if len(winners) > 1:
        raise _ambiguous(view, winners)
    shapes = dict.fromkeys(c.layout.shape for c in found)
    others = tuple(shape for shape in shapes if shape != winners[0].layout.shape)
    return winners[0], others if best < ADDS_UP else ()


def _told(view: View) -> Candidate | None:
    """Take the table as the caller said, where that is enough to know the layout."""
    shape = view.wishes.shape
    if shape in (None, "wide"):
        grid = told_grid(view)
        if grid is not None:
            return grid
    elif view.wishes.columns is not None:
        raise InputError.expected(
            "columns", "given for a wide table only", Said(f"shape={shape!r}"), "leave one out"
        )
    if shape is None:
        return None
    grid = look_grid(view) if shape == "wide" else None
    if grid is None or grid.strength < NAMED:
        return _LAYOUTS[shape][1](view)
    return grid


def _ambiguous(view: View, winners: Sequence[Candidate]) -> InputError:
    readings = " and ".join(
        f"{c.layout.shape} ({c.evidence[0] if c.layout.variables else MEANING[c.layout.shape]})"
        for c in winners
    )
    words = " or ".join(f"shape={c.layout.shape!r}" for c in winners)
    flags = " or ".join(f"--shape {c.layout.shape}" for c in winners)
    return InputError(
        f"{view.table.where}: the layout must be clear. Got a table that fits equally well as "
        f"{readings}. Hint: pass {words} ({flags})."
    )


def _unrecognised(view: View) -> InputError:
    columns = first_of([repr(name) for name in view.names], 8)
    rater, item = view.called("rater"), view.called("item")
    if rater is not None and item is not None:
        rest = [view.names[j] for j in view.free if j not in (item, rater)]
        return InputError.expected(
            "the column of the labels",
            "known",
            Said(f"{len(rest)} columns beside {view.names[item]!r} and {view.names[rater]!r}"),
            f"name it with label= (--label {rest[-1] if rest else 'COLUMN'}), or several for one "
            "result each",
            where=view.table.where,
        )
    return InputError.expected(
        "the layout",
        "one that can be recognised",
        Said(f"the columns {columns}"),
        "say which column is what with item=, rater=, label= (--item, --rater, --label), or "
        "shape= (--shape " + "|".join(SHAPES) + ")",
        where=view.table.where,
    )
