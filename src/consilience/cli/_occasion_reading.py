"""Ratings that were repeated: a column of occasions becomes one set of ratings with all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from consilience.cli._item_columns import ByItem, read_beside
from consilience.cli._options import option
from consilience.cli._ratings_reading import told
from consilience.core.cell_values import as_number

if TYPE_CHECKING:
    from consilience.io import Loaded
    from consilience.ratings import Ratings

OCCASION = option(
    "--occasion COLUMN", "Column that tells repeated ratings of an item by the same rater apart."
)


def load_occasions(options: dict[str, Any], *, also: str | None = None) -> tuple[Loaded, ByItem]:
    """Read the ratings and --gold; with --occasion, join all occasions, the earliest first.

    `also` says what a rating that is there twice means where no column was named.
    """
    column = options["occasion"]
    if column is None and also is not None and options["duplicates"] == "refuse":
        options = {**options, "duplicates": also}
    if column is not None:
        options = {**options, "by": column}
    read, beside = read_beside(options, options, ("gold", "cluster"))
    loaded = told(read, options)
    if column is None:
        return loaded, beside
    joined = _joined(loaded, options)
    if "cluster" in beside:
        of_items = [beside["cluster"].get(str(item)) for item in joined.items]
        joined = joined.with_clusters(of_items, options["cluster"])
    return replace(loaded, groups={None: joined}, by=None), beside


def _joined(loaded: Loaded, options: dict[str, Any]) -> Ratings:
    from consilience.latent.entries import entries_of
    from consilience.ratings import Ratings

    columns: dict[str, list[object]] = {"item": [], "rater": [], "label": [], "occasion": []}
    names = sorted(loaded.groups, key=lambda name: _in_order(str(name)))
    for place, name in enumerate(names):
        part = loaded.groups[name]
        entries = entries_of("--occasion", part)
        columns["item"] += [part.items[k] for k in entries.item.tolist()]
        columns["rater"] += [part.raters[k] for k in entries.rater.tolist()]
        columns["label"] += [part.categories[k] for k in entries.label.tolist()]
        columns["occasion"] += [place] * entries.item.size
    return Ratings.from_long(
        columns,
        occasion="occasion",
        duplicates="occasions",
        scale=next(iter(loaded.groups.values()))._told_scale,
        categories=options["categories"],
    )


def _in_order(name: str) -> tuple[int, float, str]:
    number = as_number(name)
    return (1, 0.0, name) if number is None else (0, number, name)
