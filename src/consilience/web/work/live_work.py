"""Agreement at one look at a file that grows, with an interval that allows for looking again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from consilience.coefficients import krippendorff_alpha
from consilience.exceptions import ConsilienceError
from consilience.ratings import Ratings
from consilience.web.work.named_ratings import load_named

_WANTED = 0.1  # half the width of an interval that settles most questions


def look(
    *,
    file: Mapping[str, Any],
    number: int,
    reading: Mapping[str, Any],
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
    found = measured(ratings, level)
    return {"number": number, "at": file["at"], "needed": _needed(found), **found}


def measured(ratings: Ratings, level: float) -> dict[str, Any]:
    """Return sizes, alpha and its interval at a level; without a value, the reason."""
    sizes = {"items": ratings.n_items, "ratings": ratings.n_ratings, "level": level}
    try:
        one = krippendorff_alpha(ratings, on_undefined="ignore")
    except ConsilienceError as error:
        return {**sizes, "value": None, "reason": str(error)}
    if one.status != "ok":
        return {**sizes, "value": None, "reason": one.reason}
    wide, usual = one.confidence_interval(level), one.confidence_interval()
    return {
        **sizes,
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
