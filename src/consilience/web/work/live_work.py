"""Agreement at one look at a file that grows, with an interval that allows for looking again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from consilience.exceptions import ConsilienceError
from consilience.plot.interval_rows import Row, in_words, interval_columns
from consilience.plot.style import describe, drawing, inline_svg
from consilience.ratings import Ratings
from consilience.report import measure
from consilience.web.pages import strict
from consilience.web.work.answer_work import chosen_coefficients, measured_as
from consilience.web.work.named_ratings import load_named

_WANTED = 0.1  # half the width of an interval that settles most questions
_USUAL = "krippendorff_alpha"


def look(
    *,
    file: Mapping[str, Any],
    number: int,
    reading: Mapping[str, Any],
    measuring: Mapping[str, Any],
    anonymise: bool,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Return the coefficient at one look.

    The chance of error is shared out over the looks: the k-th gets 0.05 / (k (k + 1)), and all of
    them together 0.05, however often somebody looks.
    """
    tell(f"Look {number}")
    level = 1.0 - 0.05 / (number * (number + 1))
    ratings = load_named(file, reading, anonymise=anonymise).ratings
    found = _measured(ratings, level, reading, measuring)
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
