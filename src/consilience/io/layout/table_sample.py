"""What recognisers of layouts look at, and what they say: a sample of the table, a candidate.

And which column a hint should name: one that would help whoever follows it to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from consilience.core.options import BY_VARIABLE
from consilience.exceptions import InputError, Option, Words
from consilience.io.layout.decision import Offer
from consilience.io.layout.lexicon import (
    Role,
    is_derived,
    is_settled,
    item_rank,
    role_of,
)
from consilience.io.layout.profile import Column, Profile
from consilience.io.options import Request
from consilience.io.table import Table

if TYPE_CHECKING:
    from consilience.io.reading_account import Shape

CERTAIN, TOLD, ADDS_UP, NAMED, STRUCTURE, POSSIBLE = 6, 5, 4, 3, 2, 1  # strength of evidence


@dataclass(frozen=True)
class Variable:
    """One of several variables in a wide table: its columns, and whose each of them is."""

    name: str
    columns: tuple[int, ...]
    raters: tuple[str, ...]


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
    variables: tuple[Variable, ...] = ()  # of a wide table whose columns are variables × raters

    @property
    def has_groups(self) -> bool:
        """Several variables give one group each."""
        return len(self.label) > 1 or len(self.variables) > 1

    def without(self, columns: Collection[int]) -> Layout:
        """Set columns of raters aside."""
        variables = []
        for one in self.variables:
            kept = [k for k, j in enumerate(one.columns) if j not in columns]
            places = tuple(one.columns[k] for k in kept)
            variables.append(Variable(one.name, places, tuple(one.raters[k] for k in kept)))
        rest = tuple(j for j in self.rater if j not in columns)
        return replace(self, rater=rest, variables=tuple(one for one in variables if one.columns))


@dataclass(frozen=True)
class Aside:
    """A column that is not used, why, and whether it could change the answer."""

    column: int
    reason: str
    matters: bool


@dataclass(frozen=True)
class Candidate:
    """One way to take the table."""

    layout: Layout
    strength: int
    evidence: tuple[str, ...] = ()
    problem: InputError | None = None  # why it cannot be taken, though nothing fits better
    aside: tuple[Aside, ...] = ()
    seen: Any = field(default=None, compare=False, repr=False)  # what was weighed


@dataclass(frozen=True)
class View:
    """A table, what was said about it, and the profile of a sample of its rows."""

    table: Table
    request: Request
    profile: Profile
    by: int | None = None  # the grouping column

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.table.names

    @cached_property
    def free(self) -> list[Column]:
        """Columns that can hold something: not the grouping column, not empty."""
        return [column for column in self.profile.live if column.j != self.by]

    def role(self, role: Role) -> tuple[int, ...]:
        """Columns that the caller named for a role."""
        wished: tuple[str, ...] = getattr(self.request, role)
        return self.table.positions(wished, option=role)

    def called(self, role: Role, *, without: Collection[int] = ()) -> Column | None:
        """Return the column whose name suggests the role best."""
        found = [c for c in self.free if role_of(c.name) == role and c.j not in without]
        return min(found, key=lambda c: (item_rank(c.name), c.j), default=None)


def grouping_column(table: Table, request: Request) -> int | None:
    """Return the position of the column that the caller or the format groups by."""
    name = request.by
    if name == BY_VARIABLE and name not in map(str.casefold, table.names):
        name = None  # the variables are in the names of the columns
    if name is None and table.by not in request.rater:
        name = table.by
    return None if name is None else table.position(name, option="by")


# ---- which column a hint should name: one that would help whoever follows it to the letter

_ABOUT_PEOPLE = re.compile(
    r"(?:^|[\W_])(?:age|gender|sex|country|nation|nationality|city|region|state|language|education|"
    r"degree|occupation|job|profession|ethnicity|race|religion|income|birth|born|year|date|time|"
    r"timestamp|seconds|minutes|duration|ip|email|mail|name|first|last|comment|comments|note|notes|"
    r"remark|remarks|feedback|text|url|link|id|uuid|batch|session|version|channel|trust|device|"
    r"browser|experience|native|consent|confidence)(?:$|[\W_])",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MOST_LABELS = 20
_LONG = 25  # characters; longer cells are texts that were rated


def likeliest_label(columns: Mapping[str, Iterable[object]]) -> str | None:
    """Return the column whose name and values are most like labels; None where none is.

    Facts about people, times, notes and texts are never proposed.
    """
    best: tuple[int, str] | None = None
    for name, cells in columns.items():
        values = [str(cell).strip() for cell in cells if cell is not None and str(cell).strip()]
        distinct = set(values)
        if not 0 < len(distinct) <= _MOST_LABELS or max(map(len, distinct)) > _LONG:
            continue
        if role_of(name) in ("item", "rater") or is_derived(name) or is_settled(name):
            continue
        is_label = role_of(name) == "label"
        if not is_label and _ABOUT_PEOPLE.search(_CAMEL.sub("_", name)):
            continue
        weight = 4 * is_label + 2 * (len(distinct) > 1) + (len(distinct) < len(values))
        if best is None or weight > best[0]:
            best = weight, name
    return None if best is None else best[1]


def told_apart(table: Table, layout: Layout) -> tuple[str, list[Offer]]:
    """Say which column would tell repeated ratings apart, and what to try; else nothing.

    A column with few values may be what was coded, so one result each; one that names things, such
    as the text that was rated, is the item, alone or together with the present one.
    """
    if layout.shape != "long" or layout.by is not None or layout.rater_is_file:
        return "", []
    used = {*layout.item, *layout.rater, *layout.label}
    found = []
    for j in range(len(table.names)):
        groups = _groups(table, layout, j) if j not in used else 0
        if groups:
            found.append((groups, j))
    if not found:
        return "", []
    groups, j = min(found)
    name, old = table.names[j], [table.names[k] for k in layout.item]
    if not _names_things(table, layout, j, groups):
        words = Words(f" Or is it one result per {name!r}? Then pass ", Option("by", name), ".")
        return words, [Offer(f"one result per {name}", {"by": name})]
    if _is_key(table, (*layout.rater, j)):
        words = Words(f" Or does {name!r} name the item? Then pass ", Option("item", name), ".")
        return words, [Offer(f"item {name}", {"item": name})]
    both = (*old, name)
    together = f" Or do {old[0]!r} and {name!r} together name the item? Then pass "
    words = Words(together, Option("item", list(both)), ".")
    return words, [Offer(f"item {' and '.join(both)}", {"item": both})]


def _groups(table: Table, layout: Layout, j: int) -> int:
    """Return how many values a column has that tells every rating apart; 0 where it does not."""
    if not _is_key(table, (*layout.item, *layout.rater, j)):
        return 0
    groups = int(table.session.one(f"SELECT count(DISTINCT c{j}) FROM {table.relation}"))
    return groups if 1 < groups < table.n_rows else 0


def _is_key(table: Table, columns: Sequence[int]) -> bool:
    key = ", ".join(f"c{k}" for k in columns)
    return bool(
        table.session.one(f"SELECT count(DISTINCT ({key})) FROM {table.relation}") == table.n_rows
    )


def _names_things(table: Table, layout: Layout, j: int, groups: int) -> bool:
    """Tell whether a column names items: called so, long texts, or more values than items."""
    if role_of(table.names[j]) == "item":
        return True
    longest = table.session.one(f"SELECT max(length(c{j}::VARCHAR)) FROM {table.relation}")
    items = ", ".join(f"c{k}" for k in layout.item)
    n_items = table.session.one(f"SELECT count(DISTINCT ({items})) FROM {table.relation}")
    return int(longest or 0) > _LONG or (groups > n_items and groups > _MOST_LABELS)
