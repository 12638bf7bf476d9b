"""What the builders of all layouts share: the table, what was said about it, and the rows counted.

And the account of it: which columns and rows were found, used and set aside, and why.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from consilience.core.arrays import Mask
from consilience.core.cell_values import clean_sql
from consilience.core.input_files import Said
from consilience.core.labels import Note
from consilience.core.reading_account import Account, Ledger
from consilience.core.words import counted
from consilience.exceptions import InputError, Option, Words
from consilience.io.building._column_codes import Encoded, encode_columns
from consilience.io.layout.lexicon import is_derived, is_settled
from consilience.io.layout.table_sample import Aside, Layout
from consilience.io.options import Request
from consilience.io.table import Table
from consilience.ratings import Ratings

# ---- what the builders of all layouts share

_OR_SKIP = {"rater": Words(", or pass ", Option("no_rater", "skip"), " to leave them out")}


@dataclass
class RowCount:
    """What became of the rows of a table, beside those that were used."""

    empty: int = 0  # rows without any cell that tells something
    computed: int = 0  # totals and means below the table
    unrated: int = 0  # rows of a long table whose label cell is empty
    marked: int = 0  # rows of a long table whose label was declared to be missing
    repeated: int = 0  # rows of a long table that repeat a rating, left out as asked


@dataclass(frozen=True)
class Job:
    """One table on its way to ratings by group (None: the only group)."""

    table: Table
    layout: Layout
    request: Request
    groups: dict[str | None, Ratings] = field(default_factory=dict)
    evidence: list[str] = field(default_factory=list)
    rows: RowCount = field(default_factory=RowCount)
    names_found: list[str] = field(default_factory=list)  # variables and groups that were found

    def encode(self, columns: dict[str, str]) -> dict[str, Encoded]:
        """Encode columns by name, and keep what was cleaned on the way."""
        if not columns:
            return {}
        encoded, cleaned = encode_columns(self.table, columns)
        self.evidence.extend(cleaned)
        return encoded

    def names(self) -> dict[str, str]:
        """Select the columns that name the item and the group, where the layout has them."""
        columns: dict[str, str] = {}
        if self.layout.item and self.layout.shape != "transposed":
            columns["item"] = self.item()
        if self.layout.by is not None:
            columns["by"] = self.name(self.layout.by)
        return columns

    def item(self) -> str:
        """Select what names an item; several columns are put together."""
        columns = self.layout.item
        if len(columns) == 1:
            return self.name(columns[0])
        parts = ", ".join(f"coalesce({self._part(j)}, '')" for j in columns)
        return f"concat_ws(' ', {parts})"

    def _part(self, j: int) -> str:
        is_text = self.table.kinds[j] == "text"
        return clean_sql(f"c{j}", "text") if is_text else f"c{j}::VARCHAR"

    def name(self, j: int) -> str:
        """Select a column of names; whole numbers stay numbers, all else is text."""
        return f"c{j}" if self.table.kinds[j] in ("text", "number") else f"c{j}::VARCHAR"

    def require(self, encoded: dict[str, Encoded], role: str, rows: Any) -> None:
        """Refuse a row that has a rating but does not say which item, rater or group."""
        if role not in encoded:
            return
        empty = np.flatnonzero((encoded[role].codes < 0) & rows)
        if role == "by" and self.request.ungrouped == "keep" and empty.size:
            by = encoded[role]
            codes = np.where(by.codes < 0, len(by.dictionary), by.codes)
            encoded[role] = Encoded(codes, [*by.dictionary, None])
            return
        if role == "rater" and self.request.no_rater == "skip" and empty.size:
            n = int(empty.size)
            self.evidence.append(f"left out, as nobody is named as the rater: {counted(n, 'row')}")
            return
        if empty.size:
            columns: tuple[int, ...] = {
                "item": self.layout.item,
                "rater": self.layout.rater,
                "by": (self.layout.by or 0,),
            }[role]
            raise InputError.expected(
                f"the column {self.table.names[columns[0]]!r}",
                "filled in every row that has a rating",
                Said("an empty cell" if empty.size == 1 else f"{empty.size:,} empty cells"),
                Words("fill them in, or remove these rows", _OR_SKIP.get(role, "")),
                where=self.table.locate(int(empty[0])),
            )


def split(by: Encoded | None, kept: Mask | None) -> Iterator[tuple[str | None, Mask | None]]:
    """Yield each group's name and rows; None for rows means all of them."""
    if by is None:
        yield None, kept
        return
    for code, name in enumerate(by.dictionary):
        chosen = by.codes == code
        group = None if name is None else str(name)
        yield group, chosen if kept is None else chosen & kept


# ---- the account of a table: which columns and rows were found, used and set aside, and why

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
    for one in () if table.printed is None else table.printed.wrong:
        ledger.set_aside("sums", f"of the {one.kind} {one.label}", reason=str(one))
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
    parts = ratings.parts()
    return Ratings.of_parts(replace(parts, notes=(*parts.notes, note)))


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
