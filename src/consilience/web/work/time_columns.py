"""When ratings were given: columns that hold times, and agreement over time."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from consilience.core.cell_values import as_clock, as_number, holds_time
from consilience.core.words import label_text
from consilience.exceptions import ConsilienceError
from consilience.io import anonymised
from consilience.io.side_columns import load_beside
from consilience.latent.entries import entries_of
from consilience.ratings import Ratings
from consilience.report import batches_page, compare_batches
from consilience.web.pages import rendered_parts
from consilience.web.work.answer_work import measured_as
from consilience.web.work.live_work import one_coefficient
from consilience.web.work.named_ratings import renamed

_NAMED = re.compile(r"(?i)time|date|when|created|submitted|day|_at$|stamp")
_DATE = re.compile(r"\d{4}-\d\d(-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?")
_MOST_PARTS, _FEWEST_ITEMS = 8, 15  # parts of the time that are shown, items in each


def looks_like_time(name: str, cells: Sequence[str]) -> bool:
    """Tell whether a column says when: dates by themselves, clocks and numbers by their name.

    >>> looks_like_time("x", ["2026-01-05 14:02"]), looks_like_time("time", ["14"])
    (True, True)
    >>> looks_like_time("score", ["14"])
    False
    """
    given = [cell for cell in cells if cell]
    if not given:
        return False
    if all(_DATE.fullmatch(cell) for cell in given):
        return True
    plain = all(map(holds_time, given))
    return plain and _NAMED.search(name) is not None


def in_order(times: Sequence[str]) -> list[float] | list[str] | None:
    """Return times as something that can be sorted; None where their order cannot be told."""
    if all(_DATE.fullmatch(one) for one in times):
        return [one.replace("T", " ") for one in times]
    for reading in (as_number, as_clock):
        found = [number for one in times if (number := reading(one)) is not None]
        if len(found) == len(times):
            return found
    return None


def over_time(
    *,
    file: Mapping[str, Any],
    reading: Mapping[str, Any],
    measuring: Mapping[str, Any],
    anonymise: bool,
    column: str,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Return the page that compares parts of the time with equally many items each."""
    tell("Reading the times")
    try:
        loaded, values = load_beside([file["path"]], {"time": column}, **dict(reading))
    except ConsilienceError as error:
        raise renamed(error, file["path"], file["shown"]) from error
    ratings, times = loaded.ratings, values.get("time", {})
    if anonymise:
        ratings = anonymised(loaded).ratings
    places = [i for i, item in enumerate(ratings.items) if times.get(item) is not None]
    told = [label_text(times[ratings.items[i]]).strip() for i in places]
    order = in_order(told)
    if order is None:
        why = f"The order of the times in {column!r} cannot be told. "
        return {"why": f"{why}Write them like 2026-01-05 14:02."}
    n_parts = min(_MOST_PARTS, len(places) // _FEWEST_ITEMS)
    if n_parts < 2:
        why = f"So few items have a time in {column!r} that parts of it cannot be compared."
        return {"why": why}
    tell("Measuring agreement")
    sorted_places = [k for _, k in sorted(zip(order, range(len(places)), strict=True))]
    parts: dict[str, Ratings] = {}
    for some in np.array_split(np.asarray(sorted_places), n_parts):
        name = f"{told[int(some[0])]} to {told[int(some[-1])]}"
        name = name if name not in parts else f"{name} ({len(parts) + 1})"
        parts[name] = _part(ratings, [places[k] for k in some.tolist()])
    try:
        found = compare_batches(
            parts, coefficient=one_coefficient(measuring), **measured_as(reading, measuring)
        )
        tell("Drawing")
        return {"why": "", **rendered_parts(batches_page(found))}
    except ConsilienceError as error:
        return {"why": str(error)}


def _part(ratings: Ratings, places: Sequence[int]) -> Ratings:
    """Return the ratings of some items, with all labels."""
    entries = entries_of("agreement over time", ratings)
    kept = np.isin(entries.item, np.asarray(places))
    code = {place: k for k, place in enumerate(places)}
    return Ratings.from_codes(
        item=np.asarray([code[i] for i in entries.item[kept].tolist()], dtype=np.int64),
        rater=entries.rater[kept],
        label=entries.label[kept],
        items=[ratings.items[i] for i in places],
        raters=list(ratings.raters),
        categories=list(ratings.categories),
        scale=ratings.scale,
        declared=True,
    )
