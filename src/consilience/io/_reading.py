"""What a file was taken for, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from consilience.ratings import Note

Shape = Literal["long", "wide", "transposed", "counts", "table"]
SHAPES: tuple[str, ...] = get_args(Shape)

MEANING: dict[str, str] = {
    "long": "one row per rating",
    "wide": "rows are items, columns are raters",
    "transposed": "rows are raters, columns are items",
    "counts": "rows are items, columns are categories, cells are numbers of raters",
    "table": "two raters' cross-table of counts",
}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a file was read: the layout, which column is what, and the evidence.

    Attributes
    ----------
    sources : tuple of str
        The files.
    format : str
        "delimited" or "parquet".
    shape : str
        "long", "wide", "transposed", "counts" or "table".
    columns : dict
        Role ("item", "rater", "label", "category", "by") to the names of its columns.
    evidence : tuple of str
        Why the file was taken this way.
    alternatives : tuple of str
        Other layouts that would have been possible, though less likely.
    notes : tuple of Note
        What the owner of the data should look at.
    """

    sources: tuple[str, ...]
    format: str
    shape: Shape
    columns: dict[str, tuple[str, ...]]
    n_rows: int
    evidence: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    notes: tuple[Note, ...] = field(default=())

    def __str__(self) -> str:
        name = self.sources[0]
        if len(self.sources) > 1:
            name += f" and {len(self.sources) - 1} more"
        lines = [f"{name}: {self.shape} ({MEANING[self.shape]}), {self.n_rows:,} rows"]
        roles = [f"{role}: {_listed(names)}" for role, names in self.columns.items() if names]
        if roles:
            lines.append("  " + "; ".join(roles))
        lines += [f"  {reason}" for reason in self.evidence]
        if self.alternatives:
            lines.append(f"  could also be: {', '.join(self.alternatives)} (--shape)")
        return "\n".join(lines)


def _listed(names: tuple[str, ...], most: int = 6) -> str:
    shown = ", ".join(name or "(first column)" for name in names[:most])
    more = len(names) - most
    return f"{shown} and {more:,} more" if more > 0 else shown
