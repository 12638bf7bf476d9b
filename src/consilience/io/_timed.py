"""Tables of timed units are not ratings: find them before a number comes out that means nothing."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from consilience.exceptions import InputError
from consilience.io._paths import Said

if TYPE_CHECKING:
    from consilience.io._shapes import View

_FROM = frozenset(("start", "begin", "onset", "starttime", "begintime", "tmin", "xmin", "from",
                   "startms", "beginms", "startsec", "startsecs", "beginsec", "startoffset",
                   "starts", "startseconds", "beginoffset", "onsets"))  # fmt: skip
_TO = frozenset(("end", "stop", "offset", "endtime", "stoptime", "tmax", "xmax", "to", "endms",
                 "stopms", "endsec", "endsecs", "stopsec", "endoffset", "ends", "endseconds",
                 "offsets"))  # fmt: skip
_UNITS = re.compile(
    r"[\s_(\[.-]*(?:ms|msec|s|sec|secs|seconds|hh:mm:ss\.?m*)[)\]]?$", re.IGNORECASE
)
_FEWEST = 3


def refuse_timed(view: View) -> None:
    """Refuse a table with the beginning and the end of something in each row."""
    pair = _named(view) or _unnamed(view)
    if pair is None:
        return
    first, second = (repr(view.names[j]) for j in pair)
    raise InputError.expected(
        "a table of ratings",
        "about whole items",
        Said(f"the beginning and the end of units in the columns {first} and {second}"),
        "compare units with `consilience units`, or say what is what with --item, --rater and "
        "--label if these are ratings",
        where=view.table.where,
    )


def _named(view: View) -> tuple[int, int] | None:
    """Find a numeric column called start, begin or onset with its counterpart."""
    starts = [j for j in view.free if _word(view.names[j]) in _FROM and view.is_numeric(j)]
    ends = [j for j in view.free if _word(view.names[j]) in _TO and view.is_numeric(j)]
    for a in starts:
        for b in ends:
            if _in_order(view, a, b):
                return a, b
    return None


def _unnamed(view: View) -> tuple[int, int] | None:
    """Find two columns of seconds side by side in a table without names."""
    if any(not name.isdigit() for name in view.names) or len(view.rows) < _FEWEST:
        return None
    for a, b in pairwise(view.free):
        if not (view.is_numeric(a) and view.is_numeric(b)) or not _in_order(view, a, b):
            continue
        fractions = sum("." in str(row[j]) for row in view.rows for j in (a, b))
        begins = [_number(row[a]) for row in view.rows]
        if fractions >= len(view.rows) and all(x <= y for x, y in pairwise(begins)):
            return a, b
    return None


def _in_order(view: View, a: int, b: int) -> bool:
    return all(
        row[a] is not None and row[b] is not None and _number(row[a]) <= _number(row[b])
        for row in view.rows
    )


def _number(cell: object) -> float:
    try:
        return float(str(cell).replace(",", "."))
    except ValueError:
        return float("nan")


def _word(name: str) -> str:
    return re.sub(r"[^a-z]", "", _UNITS.sub("", name.strip()).casefold())
