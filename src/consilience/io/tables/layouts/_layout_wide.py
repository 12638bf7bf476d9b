"""Rows are items and columns are raters, or the other way round."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.io.tables.layouts._table_sample import (
    NAMED,
    POSSIBLE,
    STRUCTURE,
    TOLD,
    Candidate,
    Layout,
    View,
)
from consilience.io.tables.role_names import is_derived, is_settled, role_of


def look_wide(view: View) -> Candidate | None:
    """Rows are items, columns are raters."""
    told = view.role("rater")
    if len(told) > 1:
        return force_wide(view)
    identity = view.id_column()
    comes_back = (  # an item that comes back has no row of its own
        identity is not None and view.by is None and len(view.values(identity)) < len(view.rows)
    )
    if told or view.role("label") or comes_back:
        return None
    layout, evidence = _wide_layout(view, identity)
    if len(layout.rater) > 1 and view.numbered.get("rater"):
        return Candidate(layout, NAMED, evidence)
    if len(layout.rater) < 2:
        return None
    if not _share_values(view, layout.rater):
        return _wide_by_elimination(view, layout)
    shared = f"the columns {view.listed(layout.rater)} share their values"
    return Candidate(layout, STRUCTURE, (*evidence, shared))


def _wide_by_elimination(view: View, layout: Layout) -> Candidate | None:
    """Accept columns without a common value where each row is named as an item."""
    roles = {role_of(view.names[j]) for j in layout.rater}
    named = layout.item and (view.role("item") or role_of(view.names[layout.item[0]]) == "item")
    if not named or roles & {"rater", "label"}:
        return None
    said = f"the column {view.label_word(layout.item[0])} names another item in each row"
    return Candidate(layout, POSSIBLE, (said,))


def _wide_layout(view: View, identity: int | None) -> tuple[Layout, tuple[str, ...]]:
    others = [j for j in view.free if j != identity]
    own = [j for j in others if not is_derived(view.names[j]) and not is_settled(view.names[j])]
    raters = view.numbered.get("rater") or (own if len(own) > 1 else others)
    evidence: list[str] = []
    if view.numbered.get("rater"):
        evidence.append(f"the columns are called {view.listed(raters)}")
    else:
        raters = _related(view, raters)
    ignored = [j for j in view.free if j != identity and j not in raters]
    settled = [j for j in ignored if is_settled(view.names[j])]
    if settled:
        evidence.append(
            f"left out, as answers settled on and not a rater's: {view.listed(settled)} "
            "(--rater names all that count)"
        )
    unlike = [j for j in ignored if j not in settled]
    if unlike:
        evidence.append(f"left out, as unlike the others: {view.listed(unlike)}")
    item = () if identity is None else (identity,)
    return Layout(shape="wide", item=item, rater=tuple(raters), by=view.by), tuple(evidence)


def _related(view: View, columns: list[int]) -> list[int]:
    """Leave out columns that share no value with any other, such as the text that was rated."""
    if all(view.is_numeric(j) for j in columns):
        return columns
    kept = [j for j in columns if any(view.values(j) & view.values(k) for k in columns if k != j)]
    return kept if len(kept) > 1 else columns


def _share_values(view: View, columns: Sequence[int]) -> bool:
    """Tell whether columns look like the same question asked of several raters."""
    if all(view.is_numeric(j) for j in columns):
        ranges = [numbers for j in columns if (numbers := view.numbers(j))]
        return len(ranges) > 1 and max(map(min, ranges)) <= min(map(max, ranges))
    together = set().union(*(view.values(j) for j in columns))
    alone = sum(sum(value in view.values(j) for j in columns) == 1 for value in together)
    return alone <= len(together) / 2


def force_wide(view: View) -> Candidate:
    """Take the table as wide."""
    told = view.role("rater")
    if told:
        item = view.role("item")
        if not item:
            named = view.called("item", without=told)
            item = () if named is None else (named,)
        return Candidate(Layout(shape="wide", item=item, rater=told, by=view.by), TOLD)
    layout, evidence = _wide_layout(view, view.id_column())
    return Candidate(layout, TOLD, evidence)


# ---------------------------------------------------------------------------- transposed


def look_transposed(view: View) -> Candidate | None:
    """Rows are raters, columns are items."""
    taken = view.by is not None or view.role("item") or view.role("label")
    if taken or view.numbered.get("rater"):
        return None
    told = view.role("rater")
    named = told[0] if len(told) == 1 else view.called("rater")
    comes_back = named is not None and len(view.values(named)) < len(view.rows)
    if view.numbered.get("item") and not (comes_back and view.called("item") is not None):
        layout = _transposed_layout(view, named)
        said = f"the columns {view.listed(layout.item)} are called like items"
        return Candidate(layout, NAMED, (said,))
    if named is not None:
        return _transposed_by_name(view, named)
    return _transposed_by_structure(view)


def _transposed_by_name(view: View, rater: int) -> Candidate | None:
    layout = _transposed_layout(view, rater)
    each_once = len(view.values(rater)) == len(view.rows)
    alike = all(map(view.is_numeric, layout.item)) or _share_values(view, layout.item)
    if not each_once or len(layout.item) < 2 or not alike:
        return None
    said = f"the column {view.label_word(rater)} names a rater in each row"
    return Candidate(layout, NAMED, (said,))


def _transposed_by_structure(view: View) -> Candidate | None:
    identity = view.id_column()
    if identity is not None and role_of(view.names[identity]) == "item":
        return None
    columns = [j for j in view.free if j != identity]
    if len(columns) < 2 or not _share_values(view, columns):
        return None
    strength = STRUCTURE if len(columns) > len(view.rows) else POSSIBLE
    return Candidate(_transposed_layout(view, identity), strength)


def _transposed_layout(view: View, rater: int | None) -> Layout:
    items = view.numbered.get("item") or [j for j in view.free if j != rater]
    if rater is None and len(view.free) == len(items) + 1:
        rater = next(j for j in view.free if j not in items)
    return Layout(shape="transposed", item=tuple(items), rater=() if rater is None else (rater,))


def force_transposed(view: View) -> Candidate:
    """Take the table as transposed."""
    told = view.role("rater")
    rater = told[0] if told else view.called("rater")
    if rater is None:
        rater = view.id_column()
    return Candidate(_transposed_layout(view, rater), TOLD)
