"""Recognise the layout of a table: long, wide, transposed, counts or cross-table.

Each layout has one function that looks at a sample of the table and returns a `Candidate` with
its strength, or None where the layout is impossible. The strongest wins; a tie is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from consilience.exceptions import InputError
from consilience.io._labels import means_missing
from consilience.io._many_labels import variable_columns
from consilience.io._names import Role, is_total, numbered_stems, priority, role_of
from consilience.io._paths import Said
from consilience.io._reading import MEANING, SHAPES, Shape
from consilience.io._table import Table
from consilience.io._text import is_number_text
from consilience.io._timed import refuse_timed

CERTAIN, TOLD, ADDS_UP, NAMED, STRUCTURE, POSSIBLE = 6, 5, 4, 3, 2, 1  # strength of evidence
_ROWS_THAT_CONVINCE = 10  # constant row sums in fewer rows may be chance


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Which column plays which part, by position."""

    shape: Shape
    item: tuple[int, ...] = ()
    rater: tuple[int, ...] = ()  # one column of names (long), or one column per rater (wide)
    label: tuple[int, ...] = ()
    category: tuple[int, ...] = ()
    by: int | None = None
    rater_is_file: bool = False
    skip_rows: tuple[str, ...] = ()  # names of total rows in a cross-table


@dataclass(frozen=True)
class Candidate:
    """One way to take the table."""

    layout: Layout
    strength: int
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What the caller said about the layout; empty means: find out."""

    shape: str | None = None
    item: tuple[str, ...] = ()
    rater: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    by: str | None = None
    categories: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """A sample of the table and what was said about it; what the recognisers look at."""

    table: Table
    wishes: Wishes
    rows: list[tuple[Any, ...]] = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.table.names

    @cached_property
    def by(self) -> int | None:
        """Position of the grouping column."""
        if self.wishes.by is None:
            return None
        return self.table.position(self.wishes.by, option="by")

    @cached_property
    def free(self) -> list[int]:
        """Columns that can hold something: not the grouping column, not empty."""
        return [j for j in range(len(self.names)) if j != self.by and self.values(j)]

    @cached_property
    def _values(self) -> dict[int, set[Any]]:
        return {
            j: {_hashable(row[j]) for row in self.rows if row[j] is not None}
            for j in range(len(self.names))
        }

    def values(self, j: int) -> set[Any]:
        """Distinct values of a column in the sample."""
        return self._values[j]

    def is_numeric(self, j: int) -> bool:
        """Every value of the column is a number, words for a missing value aside."""
        return all(is_number_text(str(v)) or means_missing(v) for v in self.values(j))

    def numbers(self, j: int) -> list[float]:
        """The numbers in a numeric column."""
        texts = [str(v).replace(",", ".") for v in self.values(j) if not means_missing(v)]
        return [float(text) for text in texts]

    def is_count(self, j: int) -> bool:
        """Every value is a whole number, 0 or more, and none is missing."""
        return all(row[j] is not None and _as_count(row[j]) is not None for row in self.rows)

    def role(self, role: Role) -> tuple[int, ...]:
        """Columns that the caller named for a role."""
        wished: tuple[str, ...] = getattr(self.wishes, role)
        return self.table.positions(wished, option=role)

    def called(self, role: Role, *, without: Sequence[int] = ()) -> int | None:
        """Return the column whose name suggests the role best."""
        found = [j for j in self.free if role_of(self.names[j]) == role and j not in without]
        return min(found, key=lambda j: (priority(self.names[j]), j), default=None)

    @cached_property
    def numbered(self) -> dict[Role, list[int]]:
        """Columns such as rater1, rater2 by role."""
        found = numbered_stems(self.names)
        return {role: [j for j in places if j in self.free] for role, places in found.items()}

    def id_column(self) -> int | None:
        """Return the column that numbers or names the rows, if there is one."""
        told = self.role("item")
        if told:
            return told[0]
        named = self.called("item", without=self.numbered.get("rater", ()))
        if named is not None and named not in self.numbered.get("item", ()):
            return named
        first = self.free[0] if self.free else None
        if first is None or len(self.rows) < 2:
            return None
        if not self.names[first]:
            return first
        others = set().union(*(self.values(j) for j in self.free if j != first))
        if len(self.values(first)) < len(self.rows) or self.values(first) & others:
            return None
        names_rows = not self.is_numeric(first) or _numbers_rows([r[first] for r in self.rows])
        return first if names_rows else None

    def label_word(self, j: int) -> str:
        """Name a column in a message."""
        return repr(self.names[j])


Recogniser = Callable[[View], Candidate | None]


def recognise(table: Table, wishes: Wishes) -> tuple[Candidate, tuple[str, ...]]:
    """Return the best way to take the table, and the names of the other ways that would do."""
    rows = [row for row in table.sample() if any(cell is not None for cell in row)]
    view = View(table, wishes, rows)
    if wishes.shape is not None:
        if wishes.shape not in SHAPES:
            raise InputError.unknown_word("shape", wishes.shape, SHAPES)
        forced = _FORCED[wishes.shape](view)
        return forced, ()
    if not (wishes.item or wishes.rater or wishes.label):
        refuse_timed(view)
    found = [candidate for look in _LOOKS if (candidate := look(view)) is not None]
    if not found:
        raise _unrecognised(view)
    best = max(candidate.strength for candidate in found)
    winners = [candidate for candidate in found if candidate.strength == best]
    if len(winners) > 1:
        raise _ambiguous(view, winners)
    others = tuple(c.layout.shape for c in found if c is not winners[0])
    return winners[0], others if best < ADDS_UP else ()


def _ambiguous(view: View, winners: Sequence[Candidate]) -> InputError:
    readings = " and ".join(f"{c.layout.shape} ({MEANING[c.layout.shape]})" for c in winners)
    words = " or ".join(f"shape={c.layout.shape!r}" for c in winners)
    flags = " or ".join(f"--shape {c.layout.shape}" for c in winners)
    return InputError(
        f"{view.table.where}: the layout must be clear. Got a table that fits equally well as "
        f"{readings}. Hint: pass {words} ({flags})."
    )


def _unrecognised(view: View) -> InputError:
    columns = ", ".join(repr(name) for name in view.names[:8])
    more = f" and {len(view.names) - 8} more" if len(view.names) > 8 else ""
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
        Said(f"the columns {columns}{more}"),
        "say which column is what with item=, rater=, label= (--item, --rater, --label), or "
        "shape= (--shape " + "|".join(SHAPES) + ")",
        where=view.table.where,
    )


# ---------------------------------------------------------------------------- long


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
    evidence = f"the columns are called {_words(view, (item, rater, label))}"
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
    evidence = [f"beside {_words(view, (item, rater))} each column of codes is one variable"]
    if aside:
        evidence.append(f"left out, as no codes: {_words(view, aside)} (--label)")
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
    words = f"no pair of {_words(view, (item, rater))} occurs twice though their values repeat"
    return Candidate(layout, STRUCTURE, (words,))


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


# ---------------------------------------------------------------------------- wide


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
    shared = f"the columns {_words(view, layout.rater)} share their values"
    return Candidate(layout, STRUCTURE, (*evidence, shared))


def _wide_by_elimination(view: View, layout: Layout) -> Candidate | None:
    """Accept columns without a common value where each row is named as an item."""
    roles = {role_of(view.names[j]) for j in layout.rater}
    named = layout.item and (view.role("item") or role_of(view.names[layout.item[0]]) == "item")
    if not named or roles & {"rater", "label"}:
        return None
    words = f"the column {view.label_word(layout.item[0])} names another item in each row"
    return Candidate(layout, POSSIBLE, (words,))


def _wide_layout(view: View, identity: int | None) -> tuple[Layout, tuple[str, ...]]:
    raters = view.numbered.get("rater") or [j for j in view.free if j != identity]
    evidence: list[str] = []
    if view.numbered.get("rater"):
        evidence.append(f"the columns are called {_words(view, raters)}")
    else:
        raters = _related(view, raters)
    ignored = [j for j in view.free if j != identity and j not in raters]
    if ignored:
        evidence.append(f"left out, as unlike the others: {_words(view, ignored)}")
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
        words = f"the columns {_words(view, layout.item)} are called like items"
        return Candidate(layout, NAMED, (words,))
    if named is not None:
        return _transposed_by_name(view, named)
    return _transposed_by_structure(view)


def _transposed_by_name(view: View, rater: int) -> Candidate | None:
    layout = _transposed_layout(view, rater)
    each_once = len(view.values(rater)) == len(view.rows)
    alike = all(map(view.is_numeric, layout.item)) or _share_values(view, layout.item)
    if not each_once or len(layout.item) < 2 or not alike:
        return None
    words = f"the column {view.label_word(rater)} names a rater in each row"
    return Candidate(layout, NAMED, (words,))


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


# ---------------------------------------------------------------------------- counts


def look_counts(view: View) -> Candidate | None:
    """Rows are items, columns are categories, cells say how many raters chose them."""
    if view.role("rater") or view.role("label") or view.numbered.get("rater"):
        return None
    identity = view.id_column()
    columns = [j for j in view.free if j != identity]
    totals = [j for j in columns if is_total(view.names[j])]
    if totals:
        return _counts_by_total(view, identity, totals[0], [j for j in columns if j not in totals])
    if len(columns) < 2 or len(view.rows) < 2 or not all(view.is_count(j) for j in columns):
        return None
    sums = {sum(_as_count(row[j]) or 0 for j in columns) for row in view.rows}
    if len(sums) > 1 or min(sums) < 2:
        return None
    strength = NAMED if len(view.rows) >= _ROWS_THAT_CONVINCE else STRUCTURE
    words = f"every row sums to {min(sums)}, the number of raters"
    return Candidate(_counts_layout(view, identity, columns), strength, (words,))


def _counts_by_total(
    view: View, identity: int | None, total: int, columns: list[int]
) -> Candidate | None:
    """Find the run of columns that adds up to the column of totals."""
    columns = [j for j in columns if view.is_count(j)]
    if not view.is_count(total):
        return None
    for length in range(len(columns), 1, -1):
        for start in range(len(columns) - length + 1):
            run = columns[start : start + length]
            if all(
                sum(_as_count(row[j]) or 0 for j in run) == _as_count(row[total])
                for row in view.rows
            ):
                words = f"the columns {_words(view, run)} add up to {view.label_word(total)}"
                return Candidate(_counts_layout(view, identity, run), ADDS_UP, (words,))
    return None


def _counts_layout(view: View, identity: int | None, columns: Sequence[int]) -> Layout:
    item = () if identity is None else (identity,)
    return Layout(shape="counts", item=item, category=tuple(columns), by=view.by)


def force_counts(view: View) -> Candidate:
    """Take the table as counts; declared categories choose the columns."""
    identity = view.id_column()
    known = [name for name in view.wishes.categories if name in view.names]
    if known and len(known) == len(view.wishes.categories):
        columns = [view.names.index(name) for name in known]
        return Candidate(_counts_layout(view, identity, columns), TOLD)
    found = look_counts(view)
    if found is not None:
        return Candidate(found.layout, TOLD, found.evidence)
    columns = [j for j in view.free if j != identity and not is_total(view.names[j])]
    return Candidate(_counts_layout(view, identity, columns), TOLD)


# ---------------------------------------------------------------------------- cross-table


def look_table(view: View) -> Candidate | None:
    """Two raters: the row names are the column names, the cells are counts."""
    if view.wishes.item or view.wishes.rater or view.wishes.label or len(view.names) < 3:
        return None
    layout = _table_layout(view)
    labels = [str(row[0]) for row in view.rows if str(row[0]) not in layout.skip_rows]
    columns = [view.names[j] for j in layout.category]
    if labels != columns or not all(view.is_count(j) for j in layout.category):
        return None
    return Candidate(layout, CERTAIN, ("the rows and the columns have the same names",))


def _table_layout(view: View) -> Layout:
    columns = [j for j in range(1, len(view.names)) if not is_total(view.names[j])]
    names = {view.names[j] for j in columns}
    skip = tuple(str(row[0]) for row in view.rows if is_total(str(row[0])) and row[0] not in names)
    return Layout(shape="table", item=(0,), category=tuple(columns), skip_rows=skip)


def force_table(view: View) -> Candidate:
    """Take the table as a cross-table, with or without names in the first column."""
    labelled = look_table(view)
    if labelled is not None:
        return labelled
    if len(view.names) == len(view.rows) and all(view.is_count(j) for j in view.free):
        return Candidate(Layout(shape="table", category=tuple(view.free)), TOLD)
    raise InputError.expected(
        "a cross-table",
        "square, with the same names on rows and columns",
        Said(f"{len(view.rows)} rows and the columns {', '.join(map(repr, view.names[:8]))}"),
        "put the first rater's labels into the first column and the second's into the first line",
        where=view.table.where,
    )


_LOOKS: tuple[Recogniser, ...] = (look_long, look_wide, look_transposed, look_counts, look_table)
_FORCED: dict[str, Callable[[View], Candidate]] = {
    "long": force_long,
    "wide": force_wide,
    "transposed": force_transposed,
    "counts": force_counts,
    "table": force_table,
}


def _words(view: View, columns: Sequence[int], most: int = 6) -> str:
    words = [view.label_word(j) for j in columns[:most]]
    if len(columns) > most:
        return ", ".join(words) + f" and {len(columns) - most} more"
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else words[0]


def _as_count(cell: Any) -> int | None:
    """Return a cell as a whole number, 0 or more; None when it is none."""
    text = str(cell).strip().removesuffix(".0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _hashable(value: Any) -> Any:
    return str(value) if isinstance(value, (list, dict)) else value


def _numbers_rows(column: Sequence[Any]) -> bool:
    """Tell whether a column counts upwards, as row numbers do."""
    counts = [_as_count(cell) for cell in column]
    known = [count for count in counts if count is not None]
    return len(known) == len(counts) and all(a < b for a, b in pairwise(known))
