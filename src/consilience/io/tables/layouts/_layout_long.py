"""One row per rating: columns for the item, the rater and the label."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.exceptions import InputError
from consilience.io.bytes.paths import Said
from consilience.io.tables.layouts._many_labels import variable_columns
from consilience.io.tables.layouts._table_sample import (
    NAMED,
    STRUCTURE,
    TOLD,
    Candidate,
    Layout,
    View,
)
from consilience.io.tables.role_names import Role, role_of


def look_long(view: View) -> Candidate | None:
    """One row per rating: columns for the item, the rater and the label."""
    told = view.role("label") or len(view.role("rater")) == 1
    if told:
        return force_long(view)
    if view.numbered.get("rater"):
        return None
    rater = view.called("rater")
    if rater is None:
        return _long_by_file(view) or _long_by_structure(view)
    item, label = _item_and_label(view, rater)
    if item is None or label is None:
        return None if item is None else _several_labels(view, item, rater)
    if role_of(view.names[label]) != "label" and not _repeats(view, item, rater):
        return None
    evidence = f"the columns are called {view.listed((item, rater, label))}"
    items = view.role("item") or (item,)
    layout = Layout(shape="long", item=items, rater=(rater,), label=(label,), by=view.by)
    return Candidate(layout, NAMED, (evidence,))


def _several_labels(view: View, item: int, rater: int) -> Candidate | None:
    """Take every column of codes beside item and rater as one variable."""
    if not _repeats(view, item, rater):
        return None
    labels, aside = variable_columns(view, item, rater)
    if len(labels) < 2:
        return None
    evidence = [f"beside {view.listed((item, rater))} each column of codes is one variable"]
    if aside:
        evidence.append(f"left out, as no codes: {view.listed(aside)} (--label)")
    items = view.role("item") or (item,)
    layout = Layout(shape="long", item=items, rater=(rater,), label=tuple(labels), by=view.by)
    return Candidate(layout, NAMED, tuple(evidence))


def _item_and_label(view: View, rater: int) -> tuple[int | None, int | None]:
    told = view.role("item")
    item = told[0] if told else view.called("item", without=(rater,))
    label = view.called("label", without=(rater,) if item is None else (rater, item))
    rest = [j for j in view.free if j not in (item, rater, label)]
    if item is None and label is not None and len(rest) == 1:
        item = rest[0]
    if label is None and item is not None and len(rest) == 1:
        label = rest[0]
    return item, label


def _repeats(view: View, item: int, rater: int) -> bool:
    """Tell whether items come back, as they must where each row is one rating."""
    one_rater_so_far = len(view.values(rater)) == 1
    return one_rater_so_far or len(view.values(item)) < len(view.rows)


def _long_by_file(view: View) -> Candidate | None:
    """Several files, none of which says who rated: each file is one rater's."""
    if view.table.file is None:
        return None
    told = view.role("item")
    item = told[0] if told else view.called("item")
    if item is None:
        item = view.id_column()
    label = view.called("label", without=() if item is None else (item,))
    rest = [j for j in view.free if j not in (item, label)]
    if label is None and item is not None and len(rest) == 1:
        label = rest[0]
    if item is None or label is None:
        return None
    items = told or (item,)
    layout = Layout(shape="long", item=items, label=(label,), by=view.by, rater_is_file=True)
    return Candidate(layout, NAMED, ("no column names a rater, so each file is one rater",))


def _long_by_structure(view: View) -> Candidate | None:
    """Three columns without telling names: items and raters repeat, no pair of them does."""
    if len(view.free) != 3 or len(view.rows) < 4 or view.role("item"):
        return None
    label = view.free[2]
    item, rater = sorted(view.free[:2], key=lambda j: -len(view.values(j)))
    rater_values = view.values(rater)
    if len(view.values(item)) == len(rater_values):
        return None
    if rater_values & view.values(item) or rater_values & view.values(label):
        return None
    n = len(view.rows)
    pairs = {(row[item], row[rater]) for row in view.rows}
    if len(pairs) < n or not 1 < len(view.values(item)) < n or len(rater_values) == n:
        return None
    layout = Layout(shape="long", item=(item,), rater=(rater,), label=(label,), by=view.by)
    said = f"no pair of {view.listed((item, rater))} occurs twice though their values repeat"
    return Candidate(layout, STRUCTURE, (said,))


def force_long(view: View) -> Candidate:
    """Take the table as long, finding the columns that were not named."""
    rater, label = view.role("rater"), view.role("label")
    item = view.role("item")
    if len(rater) > 1:
        raise InputError.expected(
            "rater", "one column in a long table", list(view.wishes.rater), "name one column"
        )
    used = (*item, *rater, *label)
    if not rater and not (view.table.file and view.called("rater") is None):
        rater = _one(view, "rater", used)
    used = (*item, *rater, *label)
    if not item:
        item = _one(view, "item", used)
    if not label:
        label = _one(view, "label", (*item, *rater))
    layout = Layout(
        shape="long", item=item, rater=rater, label=label, by=view.by, rater_is_file=not rater
    )
    return Candidate(layout, TOLD)


def _one(view: View, role: Role, used: Sequence[int]) -> tuple[int, ...]:
    """Find the one column of a role in a long table, or ask for it."""
    named = view.called(role, without=used)
    if named is not None:
        return (named,)
    rest = [j for j in view.free if j not in used and role_of(view.names[j]) is None]
    if len(rest) == 1:
        return (rest[0],)
    raise InputError.expected(
        f"the column of the {role}s",
        "known",
        Said(f"the columns {', '.join(repr(name) for name in view.names[:8])}"),
        f"name it with {role}= (--{role} COLUMN)",
        where=view.table.where,
    )
