"""Agreement at one look at a file that grows, with an interval that allows for looking again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from consilience.core.cell_values import as_clock, as_number
from consilience.core.words import label_text
from consilience.exceptions import ConsilienceError
from consilience.io import anonymised
from consilience.io.side_columns import load_beside
from consilience.latent.votes import entries_of
from consilience.plot.rows import Row, in_words, interval_columns
from consilience.plot.style import describe, drawing, inline_svg
from consilience.ratings import Ratings
from consilience.report import batches_page, compare_batches, measure
from consilience.web.pages import rendered_parts, strict
from consilience.web.work.answer import chosen_coefficients, measured_as
from consilience.web.work.reading import DATE, load_named, renamed

_WANTED = 0.1  # half the width of an interval that settles most questions
_USUAL = "krippendorff_alpha"
_MOST_PARTS, _FEWEST_ITEMS = 8, 15  # parts of the time that are shown, items in each


def look(
    *,
    file: Mapping[str, Any],
    number: int,
    measuring: Mapping[str, Any],
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Return the coefficient at one look.

    The chance of error is shared out over the looks: the k-th gets 0.05 / (k (k + 1)), and all of
    them together 0.05, however often somebody looks.
    """
    tell(f"Look {number}")
    level = 1.0 - 0.05 / (number * (number + 1))
    found = _measured(load_named(file).ratings, level, file["reading"], measuring)
    return {"number": number, "at": file["at"], "needed": _needed(found), **found}


def one_coefficient(measuring: Mapping[str, Any]) -> str:
    """Return the coefficient that is followed: the one that was chosen, or alpha."""
    return (chosen_coefficients(measuring) or [_USUAL])[0]


def _measured(
    ratings: Ratings, level: float, reading: Mapping[str, Any], measuring: Mapping[str, Any]
) -> dict[str, Any]:
    """Return sizes, the coefficient and its interval at a level; without a value, the reason."""
    sizes = {"items": ratings.n_items, "ratings": ratings.n_ratings, "level": level}
    how = measured_as(reading, measuring)
    usual_level = how.pop("confidence_level")
    try:
        summary = measure(ratings, coefficients=one_coefficient(measuring), **how)
    except ConsilienceError as error:
        return {**sizes, "name": "value", "value": None, "reason": str(error)}
    one = summary.estimates[0]
    if one.status != "ok":
        return {**sizes, "name": one.name, "value": None, "reason": one.reason}
    wide, usual = one.confidence_interval(level), one.confidence_interval(usual_level)
    return {
        **sizes,
        "name": one.name,
        "value": one.value,
        "low": wide.low if wide.has_limits else None,
        "high": wide.high if wide.has_limits else None,
        "half": (usual.high - usual.low) / 2 if usual.has_limits else None,
        "reason": "",
    }


def _needed(last: Mapping[str, Any]) -> int | None:
    """Return about how many more items make the interval 0.1 wide to either side.

    Its width shrinks with the square root of the number of items.
    """
    half: float | None = last.get("half")
    if half is None or not math.isfinite(half):
        return None
    items = int(last["items"])
    return max(0, math.ceil(items * (half / _WANTED) ** 2) - items)


def band(
    *, file: Mapping[str, Any], looks: Sequence[Mapping[str, Any]], tell: Callable[[str], None]
) -> str:
    """Draw the looks from left to right; one that has no value is left out."""
    tell("Drawing")
    rows = [
        Row(
            name=one["at"],
            value=one["value"],
            low=math.nan if one["low"] is None else one["low"],
            high=math.nan if one["high"] is None else one["high"],
        )
        for one in looks
        if one["value"] is not None
    ]
    if not rows:
        return ""
    return strict(inline_svg(_drawn(rows, looks[-1]["name"]), title="", prefix="looks"))


@drawing
def _drawn(rows: Sequence[Row], name: str, *, ax: Any = None) -> Any:
    return describe(interval_columns(ax, rows, name), in_words(f"{name} at every look", rows))


# ---- over time


def in_order(times: Sequence[str]) -> list[float] | list[str] | None:
    """Return times as something that can be sorted; None where their order cannot be told."""
    if all(DATE.fullmatch(one) for one in times):
        return [one.replace("T", " ") for one in times]
    for reading in (as_number, as_clock):
        found = [number for one in times if (number := reading(one)) is not None]
        if len(found) == len(times):
            return found
    return None


def over_time(
    *,
    file: Mapping[str, Any],
    measuring: Mapping[str, Any],
    column: str,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Return the page that compares parts of the time with equally many items each."""
    tell("Reading the times")
    try:
        loaded, values = load_beside([file["path"]], {"time": column}, **file["reading"])
    except ConsilienceError as error:
        raise renamed(error, file["path"], file["shown"]) from error
    ratings, times = loaded.ratings, values.get("time", {})
    if file["anonymise"]:
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
            parts, coefficient=one_coefficient(measuring), **measured_as(file["reading"], measuring)
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
