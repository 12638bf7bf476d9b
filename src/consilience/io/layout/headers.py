"""Does the first line hold names? Weighed in nats, cell by cell; where nobody can tell, asked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from consilience.core.cell_values import as_number
from consilience.io.layout.decision import Offer, refuse
from consilience.io.layout.lexicon import SURE_MARKS, family_of, is_template, roles_of, style_of
from consilience.io.layout.profile import Column, plain_name, profile_of
from consilience.io.reading_account import Weighing, seen

_CLEAR = 2.0
_SURELY_NONE = 3.5  # most tables have names; that labels stand below themselves is not enough
_BELOW = "stands below itself"
_MOST_ROWS = 200
_FEW_NUMBERS = 6


def weigh_header(rows: Sequence[Sequence[str]]) -> tuple[float, str]:
    """Return how much speaks for names in the first row, in nats, and the strongest reason."""
    pieces = header_pieces(rows)
    weak = [nats for nats, _ in pieces if -1.5 < nats < 0]  # many weak ones are one
    same = [nats for nats, reason in pieces if reason.endswith(_BELOW) and nats <= -1.5]
    total = sum(nats for nats, _ in pieces) - sum(weak) - sum(same)
    # Raters agree: what stands below itself in one column does so in the next.
    total += max(-3.0, sum(weak)) + max(-8.0, sum(same))
    strongest = max(pieces, key=lambda piece: abs(piece[0]) * (piece[0] * total > 0))
    return total, strongest[1]


def header_pieces(rows: Sequence[Sequence[str]]) -> list[tuple[float, str]]:
    """Return all that speaks for or against names in the first row, in nats."""
    first = [cell.strip() for cell in rows[0]]
    body = [[cell.strip() for cell in row] for row in rows[1:_MOST_ROWS]]
    pieces: list[tuple[float, str]] = [*_as_a_row(first, body)]
    for j, cell in enumerate(first):
        values = tuple(row[j] or None for row in body if j < len(row))
        pieces.append(_above(cell, Column(j, "", values), j))
    return pieces


def find_header(rows: Sequence[Sequence[str]], where: str, source: str) -> tuple[bool, str]:
    """Tell whether the first row holds names, and why; refuse to toss a coin."""
    total, reason = weigh_header(rows)
    if -_SURELY_NONE < total < _CLEAR and _are_events(rows):
        return False, "times stand in the first line already"
    if total >= _CLEAR or total <= -_SURELY_NONE:
        return total > 0, reason
    offers = [
        Offer("the first line holds names", {"header": True}),
        Offer("the first line is data like the others", {"header": False}),
    ]
    error = refuse("two readings of its first line", offers, where=where, source=source)
    error.seen = _seen(rows, total)
    raise error


def _seen(rows: Sequence[Sequence[str]], total: float) -> Weighing:
    """Keep what was weighed of the first line."""
    body = [[cell.strip() or None for cell in row] for row in rows[1:_MOST_ROWS]]
    width = min(map(len, rows[:_MOST_ROWS]))
    names = [f"column {j + 1}: {rows[0][j]}" for j in range(width)]
    lines = [f"{nats:+.1f}  {words}" for nats, words in header_pieces(rows) if words]
    told = [
        "Does the first line hold names? In nats, above 0 for yes:",
        *lines,
        f"{total:+.1f}  all together; it takes {_CLEAR:.1f} either way",
    ]
    weighing = seen(profile_of(names, [row[:width] for row in body]))
    return weighing.with_remarks(["\n".join(told)])


def _are_events(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether every row, the first as well, has a beginning and an end side by side."""
    width = min(map(len, rows))
    for j in range(width - 1):
        pairs = [(as_number(row[j].strip()), as_number(row[j + 1].strip())) for row in rows]
        if len(pairs) > 3 and all(a is not None and b is not None and a < b for a, b in pairs):
            return True
    return False


def _as_a_row(first: Sequence[str], body: Sequence[Sequence[str]]) -> list[tuple[float, str]]:
    pieces = []
    filled = [cell for cell in first if cell]
    twins = len(filled) - len(set(filled))
    if twins:
        pieces.append((-4.0 * twins, "the first line has a cell twice, as names have not"))
    rows = [row[0] for row in body if row]
    rest = first[1:]
    if len(rest) > 1 and len(set(rest)) == len(rest):
        common = len(
            {plain_name(c).casefold() for c in rest} & {plain_name(r).casefold() for r in rows}
        )
        if common >= 2 and common >= 0.6 * min(len(rest), len(rows)) and not twins:
            pieces.append((8.0, "the names of the rows are those of the columns"))
    pieces += _in_another_style(filled, body)
    pieces += _numbers_above(rest, [row[1:] for row in body]) or _in_order(first, body)
    families = Counter(f.stem for cell in filled if (f := family_of(cell)) is not None)
    if families and max(families.values()) >= max(2, 0.6 * (len(filled) - 1)):
        stem = families.most_common(1)[0][0]
        inside = Counter(
            f.stem for row in body[:20] for c in row if c and (f := family_of(c)) is not None
        )
        if stem not in ("#", "", "a") and not inside[stem]:
            pieces.append((5.0, "the first line counts columns, as in R1, R2"))
    return pieces


def _in_another_style(
    filled: Sequence[str], body: Sequence[Sequence[str]]
) -> list[tuple[float, str]]:
    """Weigh a first line of names with capitals over labels without."""
    below = {style_of(cell) for row in body for cell in row if cell and as_number(cell) is None}
    above = {style_of(cell) for cell in filled}
    if below and len(filled) > 1 and above == {"title"} and "title" not in below:
        return [(min(2.0, 0.7 * len(filled)), "the first line is written in another way")]
    return []


def _in_order(first: Sequence[str], body: Sequence[Sequence[str]]) -> list[tuple[float, str]]:
    """Weigh a first line that ends A, B or 1, 2: names, or labels that happen to be in order."""
    for cells in (first, first[1:]):
        n = len(cells)
        in_order = (list("ABCDEFGH"[:n]), *([str(k + low) for k in range(n)] for low in (0, 1)))
        if n > 1 and list(cells) in in_order:
            labels = {row[-1] for row in body if row and row[-1]}
            return [(min(6.0, len(cells) * math.log(max(2, len(labels)))), "in order")]
    return []


def _numbers_above(rest: Sequence[str], body: Sequence[Sequence[str]]) -> list[tuple[float, str]]:
    """Weigh a first line of different numbers over lines that use a few numbers again and again."""
    numbers = [cell for cell in rest if as_number(cell) is not None]
    below = Counter(cell for row in body for cell in row if cell)
    if len(numbers) < 3 or len(numbers) < 0.8 * len(rest) or not below:
        return []
    inside = sum(cell in below for cell in numbers) / len(numbers)
    values = sorted(as_number(cell) or 0.0 for cell in numbers)
    if len(set(numbers)) == len(numbers) > 1.5 * len(below):
        return [(8.0, "the first line numbers the columns")]
    if all(b - a == 1 for a, b in pairwise(values)) and len(numbers) == len(rest):
        # As many different numbers in a row as follow each other are seldom ratings.
        surprise = len(numbers) * math.log(max(2, len(below))) - math.lgamma(len(numbers) + 1)
        return [(min(10.0, max(0.0, surprise)), "the first line counts the columns")]
    if len(set(numbers)) == len(numbers) and below.total() >= 3 * len(below):
        if inside < 0.3:
            return [(6.0 + 0.5 * len(numbers), "the first line numbers the columns")]
        if len(numbers) > 1.5 * len(below):
            return [(4.0, "the first line numbers the columns")]
    return []


def _above(cell: str, column: Column, j: int) -> tuple[float, str]:
    """Weigh one cell against the column below it."""
    if column.kind == "empty":
        return 0.0, ""
    if not cell and j == 0:
        # Below, every row has a name of its own; a first row of data would have one, too.
        names_rows = column.is_unique and column.is_complete and column.filled > 5
        return 5.0 if names_rows else 2.0, "the first corner is empty"
    if not cell:
        return -1.0, "an empty first cell"
    known = 2.5 if roles_of(cell) and not as_number(cell) else 0.0
    if column.is_number:
        return _above_numbers(cell, column, known)
    return _above_words(cell, column, known)


def _above_words(cell: str, column: Column, known: float) -> tuple[float, str]:
    times = max((m for v, m in column.counts.items() if v.casefold() == cell.casefold()), default=0)
    if times:
        # Raters are called A and B as well.
        worth = -1.2 if len(cell) == 1 else -2.0 - min(3.0, math.log(1 + times))
        return worth, f"{cell!r} {_BELOW}"
    if column.is_templated:
        if is_template([*column.counts, cell]):
            return -4.0, f"{cell!r} is like what stands below it"
        return (10.0 if column.filled > 5 else 4.0) + known, f"{cell!r} stands above identifiers"
    if column.is_prose and len(cell) > 0.4 * column.length and cell.count(" ") >= 3:
        return -3.0, f"{cell[:20]!r} is a text like those below it"
    singles = sum(m == 1 for m in column.counts.values())
    surprise = -math.log((singles + 0.5) / (column.filled + 1))
    return min(4.0, max(0.0, surprise)) + known, f"the first line says {cell!r} above other words"


def _above_numbers(cell: str, column: Column, known: float) -> tuple[float, str]:
    number = as_number(cell)
    if number is None:
        if cell.casefold() in SURE_MARKS:
            return -2.0, f"{cell!r} stands above numbers"
        sure = 6.0 if column.filled < 5 else 10.0
        return sure + known, f"the first line says {cell!r} above a column of numbers"
    if column.is_running and column.known and number == column.known[0] - 1:
        return -6.0, "the first line begins the count of the rows"
    if _completes(number, column.known):
        return -6.0, "the first line has the one number that the rows lack"
    if number in column.known:
        return -1.2, f"{cell} {_BELOW}"
    codes = column.distinct <= 0.3 * column.filled
    return (1.0, f"{cell} stands above other numbers") if codes else (-0.5, "a number as below")


def _completes(number: float, known: Sequence[float]) -> bool:
    """Tell whether numbers, each of them once, have a gap just where this one belongs."""
    numbers = {number, *known}
    each_once = len(numbers) == len(known) + 1 > _FEW_NUMBERS
    return each_once and max(numbers) - min(numbers) == len(known)


__all__ = ["find_header", "weigh_header"]
