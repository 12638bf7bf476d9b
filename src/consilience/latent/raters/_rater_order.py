"""When each rating was given: from one value per item, or per item and rater."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Indices
from consilience.exceptions import InputError
from consilience.latent.entries import Entries
from consilience.ratings import Ratings

_HINT = "give one value per item, or a mapping from item or (item, rater) to a value"


def time_of(order: Any, entries: Entries, ratings: Ratings) -> Floats:
    """Return the place in time of each rating; without an order, that of its item."""
    if order is None:
        return entries.item.astype(np.float64)
    return _ranked("order", _per_rating("order", order, entries, ratings))[0].astype(np.float64)


def batch_of(
    batches: Any, time: Floats, entries: Entries, ratings: Ratings
) -> tuple[Indices, list[object]]:
    """Return the batch of each rating and the batches' names; a number cuts the time evenly."""
    if isinstance(batches, bool):
        raise InputError.expected("batches", "a number above 1, or one per item", batches, _HINT)
    if not isinstance(batches, int | np.integer):
        return _ranked("batches", _per_rating("batches", batches, entries, ratings))
    if batches < 2:
        raise InputError.expected("batches", "at least 2", batches, "for example batches=4")
    steps = np.unique(time, return_inverse=True)[1]
    n_steps = int(steps.max(initial=0)) + 1
    count = min(int(batches), n_steps)
    return np.asarray(steps * count // n_steps, dtype=np.intp), list(range(1, count + 1))


def _per_rating(what: str, values: Any, entries: Entries, ratings: Ratings) -> list[object]:
    """List the value that belongs to each rating."""
    if isinstance(values, Mapping):
        return _from_mapping(what, values, entries, ratings)
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError.expected(what, "one value per item", values, _HINT)
    per_item = list(values)
    if len(per_item) != entries.n_items:
        raise InputError.expected(
            what, f"{entries.n_items} values, one per item", f"{len(per_item)} values", _HINT
        )
    return [per_item[i] for i in entries.item.tolist()]


def _from_mapping(
    what: str, values: Mapping[Any, Any], entries: Entries, ratings: Ratings
) -> list[object]:
    items, raters = ratings.items, ratings.raters
    out = []
    for i, g in zip(entries.item.tolist(), entries.rater.tolist(), strict=True):
        pair = (items[i], raters[g])
        found = values.get(pair, values.get(items[i]))
        if found is None:
            raise InputError.expected(
                what, "known for every rating", f"nothing for item {pair[0]!r}", _HINT
            )
        out.append(found)
    return out


def _ranked(what: str, values: list[object]) -> tuple[Indices, list[object]]:
    """Number values in their order: numbers and dates as such, everything else as text."""
    distinct = list(dict.fromkeys(values))
    if all(isinstance(one, Real) for one in distinct):
        bad = [one for one in distinct if not np.isfinite(float(one))]  # type: ignore[arg-type]
        if bad:
            raise InputError.expected(what, "known for every rating", bad[0], _HINT)
    try:
        ordered = sorted(distinct)  # type: ignore[type-var]
    except TypeError:
        ordered = sorted(distinct, key=str)
    place = {one: k for k, one in enumerate(ordered)}
    return np.array([place[one] for one in values], dtype=np.intp), ordered
