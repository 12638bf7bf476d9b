"""People's labels in a file of their own: its columns are known by what the verdicts hold."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from consilience.core.input_files import PathLike, check_paths
from consilience.exceptions import ConsilienceError
from consilience.io._read import Loaded, load, opened
from consilience.io.request import request_of

_MOST_VALUES = 1_000_000
_MOST = 0.5  # share of a column's values that must be known before it is taken for a role
_NEARLY_ALL = 0.8


def load_people(
    path: PathLike, *, items: Collection[str], labels: Collection[str], **options: Any
) -> Loaded:
    """Read a file of labels about items that are known already.

    A table with a single rater fits no layout by itself. The names of the items tell which column
    holds them, the labels which columns are raters.

    Parameters
    ----------
    path : path of the file
    items, labels : names of the items and of the labels that the verdicts have, as text
    options
        As for `load`.

    Returns
    -------
    Loaded
    """
    known = set(items)
    trouble: ConsilienceError | None = None
    try:
        loaded = load(path, **options)
        if _share_known([str(x) for x in _items_of(loaded)], known) >= _MOST:
            return loaded
    except ConsilienceError as error:
        trouble = error
    told = _roles(path, known, set(labels), options)
    if told is None:
        if trouble is not None:
            raise trouble
        return loaded
    return load(path, **{**options, "shape": "wide", **told})


def _items_of(loaded: Loaded) -> list[object]:
    return [name for part in loaded.groups.values() for name in part.items]


def _share_known(values: Collection[str], known: set[str]) -> float:
    return sum(value in known for value in values) / len(values) if values else 0.0


def _roles(
    path: PathLike, items: set[str], labels: set[str], options: dict[str, Any]
) -> dict[str, Any] | None:
    """Return the column of the items and those of the raters; None where they cannot be told."""
    with opened(check_paths(path), request_of(**options)) as file:
        if file.export is not None:
            return None
        table, values = file.table, {}
        for k, name in enumerate(table.names):
            rows = table.session.rows(
                f"SELECT DISTINCT c{k} FROM {table.relation} WHERE c{k} IS NOT NULL "
                f"LIMIT {_MOST_VALUES}"
            )
            values[name] = {str(row[0]).strip() for row in rows} - {""}
    shares = {name: _share_known(own, items) for name, own in values.items()}
    item = max(shares, key=lambda name: shares[name], default=None)
    if item is None or shares[item] < _MOST:
        return None
    raters = [name for name, own in values.items()
              if name != item and own and _share_known(own, labels) >= _NEARLY_ALL]  # fmt: skip
    return {"item": item, "rater": raters} if raters else None
