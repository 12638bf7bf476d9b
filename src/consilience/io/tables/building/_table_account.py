"""The account of a table: which columns and rows were found, used and set aside, and why."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from consilience.core.account import Account, Ledger
from consilience.io.tables.building._build_job import Job
from consilience.io.tables.layouts._table_sample import Aside, Layout
from consilience.io.tables.role_names import is_derived, is_settled
from consilience.io.tables.table import Table
from consilience.ratings import Note, Ratings

_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[-.] ?[A-Z][a-z]{2}|[A-Z][a-z]{2}[-.]\d{1,2}")
_FEW = 12  # different values that a column of ratings may have in however few rows


def account_of(
    table: Table,
    layout: Layout,
    job: Job,
    *,
    aside: Sequence[Aside] = (),
    told: bool = False,
    cluster: int | None = None,
    beside: Collection[int] = (),
) -> Account:
    """Balance columns, rows and raters of a table that was read.

    `aside` is what the recogniser says about columns that it left out; `told` says that the caller
    named the columns or variables that count, `beside` which columns say something about items.
    """
    ledger = Ledger()
    known = {one.column: (one.reason, one.matters and not told) for one in aside}
    known |= dict.fromkeys(beside, ("read beside the ratings, as asked", False))
    _columns(ledger, table, layout, known, told=told, cluster=cluster)
    _rows(ledger, table, layout, job)
    names = {name for ratings in job.groups.values() for name in ratings.raters}
    most = max((ratings.n_raters for ratings in job.groups.values()), default=0)
    ledger.use("raters", len(names) or most)
    ledger.use("ratings", sum(ratings.n_ratings for ratings in job.groups.values()))
    return ledger.close()


def _columns(
    ledger: Ledger,
    table: Table,
    layout: Layout,
    known: Mapping[int, tuple[str, bool]],
    *,
    told: bool,
    cluster: int | None,
) -> None:
    used = {
        *layout.item,
        *layout.rater,
        *layout.label,
        *layout.category,
        *(column for one in layout.variables for column in one.columns),
    }
    used |= {j for j in (layout.by, cluster) if j is not None}
    ledger.use("columns", len(used))
    rest = [j for j in range(len(table.names)) if j not in used]
    if not rest:
        return
    rows = table.sample()
    columns = _raters(layout)
    labels = {str(row[j]) for row in rows for j in columns if row[j] is not None}
    found: dict[tuple[str, bool], list[str]] = {}
    for j in rest:
        values = {str(row[j]) for row in rows if row[j] is not None}
        why = known.get(j) or _why(table.names[j], values, set() if told else labels)
        found.setdefault(why, []).append(table.names[j])
    for (reason, matters), names in found.items():
        ledger.set_aside("columns", ", ".join(names), len(names), reason=reason, matters=matters)


def _raters(layout: Layout) -> Sequence[int]:
    """Return the columns that hold one rater's labels each; none of a long table."""
    if layout.shape != "wide":
        return ()
    return layout.rater or tuple(j for one in layout.variables for j in one.columns)


def _why(name: str, values: set[str], labels: set[str]) -> tuple[str, bool]:
    """Say why a column was not used, and whether it might have been a rater."""
    if not values:
        return "it is empty", False
    if is_settled(name):
        return "answers settled on, not a rater's", False
    if is_derived(name):
        return "computed from the others", False
    if values & labels and len(values) <= max(_FEW, len(labels)):
        return "taken for no rater, though it has labels of the raters", True
    return "not needed", False


def _rows(ledger: Ledger, table: Table, layout: Layout, job: Job) -> None:
    rows = job.rows
    is_long = len(layout.label) == 1 and layout.shape == "long"
    used = table.n_rows - rows.empty - rows.computed - rows.unrated - rows.marked
    if is_long and job.request.duplicates in ("first", "last"):
        rows.repeated = used - sum(ratings.n_ratings for ratings in job.groups.values())
    ledger.use("rows", used - rows.repeated)
    for count, reason in (
        (table.n_below, "notes or totals below the data"),
        (rows.empty, "empty"),
        (rows.computed, "computed from the others"),
        (rows.unrated, "the label cell is empty"),
        (rows.marked, "the label was declared to be missing"),
        (rows.repeated, "another rating of the same item by the same rater was kept, as asked"),
    ):
        ledger.set_aside("rows", count=count, reason=reason, matters=False)


def with_dates_noted(ratings: Ratings) -> Ratings:
    """Point out labels that are dates: spreadsheets make them of labels such as 1-2."""
    found = [label for label in ratings.categories if _DATE.fullmatch(str(label))]
    if not found:
        return ratings
    note = Note(
        "labels_are_dates",
        f"{len(found):,} labels are dates, such as {found[0]}. Spreadsheets turn labels such as "
        "1-2 into dates; if that happened, format the cells as text and enter the labels again.",
    )
    parts = ratings._parts()
    return Ratings._make(replace(parts, notes=(*parts.notes, note)))


def columns_by_role(table: Table, layout: Layout) -> dict[str, tuple[str, ...]]:
    """Return the names of the columns of each role."""
    roles = {
        "item": layout.item if layout.shape != "table" else (),
        "rater": layout.rater,
        "label": layout.label,
        "category": layout.category,
        "by": () if layout.by is None else (layout.by,),
    }
    named = {role: tuple(table.names[j] for j in places) for role, places in roles.items()}
    if layout.variables:  # the names of columns are made of both
        raters = dict.fromkeys(word for one in layout.variables for word in one.raters)
        named["rater"] = tuple(raters)
    return {role: names for role, names in named.items() if names}
