"""A first line that does not fit the others, and files that have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from consilience.io.tables.role_names import is_role_name, numbered_stems, role_of

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Mended:
    """The names as they belong to the columns, and what was done to them."""

    names: tuple[str, ...]
    evidence: str


def mended_header(rows: Rows) -> Mended | None:
    """Give a header that is one name short, or has one empty name too many, its columns back.

    R writes the names of rows without a name above them; other programs end the header, or every
    line, with a delimiter.
    """
    head, body = [cell.strip() for cell in rows[0]], rows[1:]
    widths = {len(row) for row in body}
    if len(widths) != 1:
        return None
    width = widths.pop()
    if len(head) == width - 1 and width > 2:
        if not any(row[-1].strip() for row in body):
            return Mended((*head, f"column {width}"), "every line ends with a delimiter")
        if _are_row_names(head, body):
            return Mended(("", *head), "the first line has no name for the names of the rows")
    if len(head) == width + 1 and width > 1:
        if not head[-1]:
            return Mended(tuple(head[:-1]), "the first line ends with a delimiter")
        if not head[0]:
            return Mended(tuple(head[1:]), "the first line begins with a delimiter")
    return None


def _are_row_names(head: Sequence[str], body: Rows) -> bool:
    """Tell whether the first cells name the rows, and it is not the last column that has no name.

    Names of rows never come back. Where the first name in the header is one for items, its own
    column stands second and tells the rows apart, too.
    """
    first, second = ([row[j].strip() for row in body] for j in (0, 1))
    if len(set(first)) < len(first) or len(first) < 2:
        return False
    if role_of(head[0]) == "item":
        return len(set(second)) == len(second)
    others = {cell.strip() for row in body for cell in row[1:]}
    return first == [str(k) for k in range(1, len(first) + 1)] or not others & set(first)


def bare_names(files: Sequence[Rows]) -> tuple[str, ...] | None:
    """Return names for files, one per rater, that have none; None where a first line may be names.

    In every file the first line has an item and a label as the others do: each of its labels
    occurs below it, in this or in another file.
    """
    if len(files) < 2 or any(len(rows) < 2 or {len(row) for row in rows} != {2} for rows in files):
        return None
    if any(is_role_name(cell) for rows in files for cell in rows[0]):
        return None
    if any(numbered_stems([cell.strip() for cell in rows[0]]) for rows in files):
        return None
    items = [j for j in (0, 1) if all(_differ(rows, j) for rows in files)]
    if not items:
        return None
    item = items[0]
    below = {row[1 - item].strip() for rows in files for row in rows[1:]}
    labels = {rows[0][1 - item].strip() for rows in files}
    few = 2 * len(below) <= sum(len(rows) - 1 for rows in files)
    if not labels <= below or not few:
        return None
    return ("item", "label") if item == 0 else ("label", "item")


def _differ(rows: Rows, j: int) -> bool:
    cells = [row[j].strip() for row in rows]
    return len(set(cells)) == len(cells)
