"""Tables of timed units are not ratings: find them before a number comes out that means nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from consilience.core.cell_values import as_clock, as_time
from consilience.core.input_files import Said
from consilience.exceptions import InputError, Option, Words

if TYPE_CHECKING:
    from consilience.io.tables.layouts._table_sample import View

_FROM = frozenset(("start", "begin", "onset", "starttime", "begintime", "tmin", "xmin", "from",
                   "startms", "beginms", "startsec", "startsecs", "beginsec", "startoffset",
                   "starts", "startseconds", "beginoffset", "onsets"))  # fmt: skip
_TO = frozenset(("end", "stop", "offset", "endtime", "stoptime", "tmax", "xmax", "to", "endms",
                 "stopms", "endsec", "endsecs", "stopsec", "endoffset", "ends", "endseconds",
                 "offsets"))  # fmt: skip
_UNITS = re.compile(
    r"[\s_(\[.-]*(?:ms|msec|s|sec|secs|seconds|(?:hh:)?mm:ss(?:\.\w+)?)[)\]]?$", re.IGNORECASE
)
# Columns of programs that log behaviour, one event a row: BORIS (old and new), The Observer.
_LOGS = (
    frozenset(("behavior", "behaviortype", "time")),
    frozenset(("behavior", "status", "time")),
    frozenset(("behavior", "eventtype", "timerelativesf")),
    frozenset(("behavior", "eventtype", "timerelativehmsf")),
    frozenset(("behavior", "behaviortype", "starts", "stops")),
)
_IF_RATINGS = Words("or say what is what with ", Option("item"), ", ", Option("rater"), " and ",
                    Option("label"), " if these are ratings")  # fmt: skip
_FIRST_ROWS = 40
_FEWEST = 3
_ENOUGH = 5  # rows in which one number before the other is no chance
_MOSTLY = 0.8


def refuse_timed(view: View) -> None:
    """Refuse a table with the beginning and the end of something, or an event, in each row."""
    if _is_log(view.names):
        raise _logged(view.table.where)
    pair = _named(view) or _unnamed(view)
    if pair is None:
        return
    first, second = (repr(view.names[j]) for j in pair)
    raise InputError.expected(
        "a table of ratings",
        "about whole items",
        Said(f"the beginning and the end of units in the columns {first} and {second}"),
        Words("compare units with `consilience units`, ", _IF_RATINGS),
        where=view.table.where,
    )


def refuse_log(rows: Sequence[Sequence[str]], where: str) -> None:
    """Refuse a log of events with lines about the observation above its names."""
    if any(_is_log(row) for row in rows[1:_FIRST_ROWS]):
        raise _logged(where)


def _is_log(names: Sequence[str]) -> bool:
    words = {re.sub(r"[^a-z]", "", name.casefold()) for name in names}
    return any(log <= words for log in _LOGS)


def _logged(where: str) -> InputError:
    return InputError.expected(
        "a table of ratings", "about whole items",
        Said("a log of behaviour, with an event in each row"),
        Words("compare the logs of two observers with `consilience units`, ", _IF_RATINGS),
        where=where,
    )  # fmt: skip


def _named(view: View) -> tuple[int, int] | None:
    """Find a numeric column called start, begin or onset with its counterpart."""
    starts = [j for j in view.free if _word(view.names[j]) in _FROM and _is_time(view, j)]
    ends = [j for j in view.free if _word(view.names[j]) in _TO and _is_time(view, j)]
    for a in starts:
        for b in ends:
            if _in_order(view, a, b):
                return a, b
    return None


def _unnamed(view: View) -> tuple[int, int] | None:
    """Find two columns of times side by side in a table without names.

    Seconds with fractions that run on; or any times, each before its end, beside words that come
    back (who, and which code) and with which each begins once.
    """
    if any(not name.isdigit() for name in view.names) or len(view.rows) < _FEWEST:
        return None
    for a, b in pairwise(view.free):
        if not (_is_time(view, a) and _is_time(view, b)) or not _in_order(view, a, b):
            continue
        fractions = sum("." in str(row[j]) for row in view.rows for j in (a, b))
        begins = [_number(row[a]) for row in view.rows]
        if fractions >= len(view.rows) and all(x <= y for x, y in pairwise(begins)):
            return a, b
        if _are_named(view, a, b):
            return a, b
    return None


def _are_named(view: View, a: int, b: int) -> bool:
    words = [j for j in view.free if j not in (a, b) and not _is_time(view, j)]
    if len(view.rows) < _ENOUGH or not all(_number(r[a]) < _number(r[b]) for r in view.rows):
        return False
    starts = {(*(row[j] for j in words), row[a]) for row in view.rows}
    comes_back = any(len(view.values(j)) <= len(view.rows) / 2 for j in words)
    return comes_back and len(starts) > _MOSTLY * len(view.rows)


def _is_time(view: View, j: int) -> bool:
    return view.is_numeric(j) or all(as_clock(cell) is not None for cell in view.values(j))


def _in_order(view: View, a: int, b: int) -> bool:
    return all(
        row[a] is not None and row[b] is not None and _number(row[a]) <= _number(row[b])
        for row in view.rows
    )


def _number(cell: object) -> float:
    time = as_time(cell)
    return math.nan if time is None else time


def _word(name: str) -> str:
    return re.sub(r"[^a-z]", "", _UNITS.sub("", name.strip()).casefold())
