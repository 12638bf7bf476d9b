"""Ratings as the columns of a dataframe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from consilience.exceptions import UnsupportedDesignError
from consilience.ratings.stores import CountTable, MomentTable, as_long

if TYPE_CHECKING:
    from consilience.ratings._ratings import Ratings


def long_columns(ratings: Ratings) -> dict[str, list[Any]]:
    """Return one entry per rating: item, rater, label, and the occasion where there are several."""
    if isinstance(ratings._store, (CountTable, MomentTable)):
        raise UnsupportedDesignError.needs(
            "a table with one row per rating", "to know who gave which rating",
            "counts of ratings", "read a file that names the raters",
        )  # fmt: skip
    columns: dict[str, list[Any]] = {"item": [], "rater": [], "label": [], "occasion": []}
    items, raters, labels = ratings.items, ratings.raters, ratings.categories
    for number, occasion in enumerate(ratings.occasions, 1):
        table = as_long(occasion._coded_store())
        columns["item"] += [items[k] for k in table.item.tolist()]
        columns["rater"] += [raters[k] for k in table.rater.tolist()]
        columns["label"] += [labels[k] for k in table.label.tolist()]
        columns["occasion"] += [number] * table.label.size
    if len(ratings.occasions) == 1:
        del columns["occasion"]
    return columns


def framed(labels: Sequence[Any]) -> list[Any]:
    """Return labels that a column can hold: sets become sorted lists, a mixture becomes text."""
    if any(isinstance(label, (frozenset, tuple)) for label in labels):
        return [
            sorted(map(str, label)) if isinstance(label, frozenset)
            else [str(part) for part in label] if isinstance(label, tuple) else [str(label)]
            for label in labels
        ]  # fmt: skip
    kinds = {float if type(label) in (int, float) else type(label) for label in labels}
    return [str(label) for label in labels] if len(kinds) > 1 else list(labels)
