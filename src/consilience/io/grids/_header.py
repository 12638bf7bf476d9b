"""What stands above the data: titles, a line of units, and whether the first line holds names."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from consilience.core.cell_values import as_number, holds_number
from consilience.document.records import csv_line
from consilience.io.files.text import open_text, reader_options
from consilience.io.layout.decision import Offer, refuse
from consilience.io.layout.lexicon import (
    SURE_MARKS,
    family_of,
    is_template,
    numbered_roles,
    role_of,
    roles_of,
    style_of,
)
from consilience.io.layout.profile import Column, plain_name, profile_of
from consilience.io.reading_account import Weighing, seen

_MOST_LINES = 10  # of titles
_NARROW = 0.6  # part of the usual width below which a line is no row of the table
_IN_BRACKETS = re.compile(r"[(\[].*[)\]]")
_SEPARATOR = re.compile(r"sep=.?\s*", re.IGNORECASE)  # from Excel to Excel; the sign may be cut
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Preamble:
    """How many rows come before the data, and what was found in them.

    Attributes
    ----------
    titles : int
        Rows above the names.
    names : tuple of str
        Names put together from two rows; empty where they take one.
    units : bool
        A row below the names says what the columns hold.
    """

    titles: int = 0
    names: tuple[str, ...] = ()
    units: bool = False

    @property
    def evidence(self) -> list[str]:
        """What to tell about it."""
        lines = f"{self.titles} line{'s' if self.titles > 1 else ''} above the names left out"
        told = [
            (self.titles, lines),
            (self.names, "the names stand in two lines"),
            (self.units, "a line of units below the names left out"),
        ]
        return [words for found, words in told if found]


def preamble_of(rows: Sequence[Sequence[str]]) -> Preamble:
    """Look at the first rows of a file."""
    titles = _titles(rows)
    rest = rows[titles:]
    if len(rest) < 3:
        return Preamble(titles)
    names: tuple[str, ...] = ()
    upper, lower = _filled(rest[0]), _filled(rest[1])
    if len(rest[0]) == len(rest[1]) and are_stacked(upper, lower):
        above = filled_right(upper, len(rest[1]) - 1)
        names = tuple(
            " / ".join(part for part in (above.get(j, ""), lower.get(j, "")) if part)
            for j in range(len(rest[1]))
        )
    if not names and len(rest[0]) == len(rest[1]):
        names = spanned_names(upper, lower, len(rest[0]), [_filled(row) for row in rest[2:]])
    after = rest[2 if names else 1]
    return Preamble(titles, names, are_units(_filled(after)))


def are_units(row: Mapping[int, str]) -> bool:
    """Tell whether a row below the names says what the columns hold: all of it in brackets."""
    return len(row) > 1 and all(map(_IN_BRACKETS.fullmatch, row.values()))


def _filled(row: Sequence[str]) -> dict[int, str]:
    return {j: cell.strip() for j, cell in enumerate(row) if cell.strip()}


def n_narrow(rows: Sequence[Sequence[str]]) -> int:
    """Count the leading rows that have fewer cells than any row of the table could have."""
    usual = Counter(len(row) for row in rows).most_common(1)[0][0]
    return next((k for k, row in enumerate(rows) if len(row) > _NARROW * usual), 0)


def _titles(rows: Sequence[Sequence[str]]) -> int:
    """Count the leading rows that are narrower than the table, or hold a single text."""
    if not rows:
        return 0
    usual = Counter(len(row) for row in rows).most_common(1)[0][0]
    count = _above_names(rows)
    while count < min(_MOST_LINES, len(rows) - 2) and _is_title(
        rows[count], rows[count + 1], usual
    ):
        count += 1
    while 0 < count < min(_MOST_LINES, len(rows) - 2) and (
        len(rows[count]) < usual == len(rows[count + 1])
    ):
        count += 1  # a note of two cells below a title, above three names
    return count if count and len(rows[count]) > _NARROW * usual else 0


def _above_names(rows: Sequence[Sequence[str]]) -> int:
    """Count the first rows down to the names, where all of them hold less than the table."""
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
    usual = sorted(filled)[len(filled) // 2]
    if usual < 2:
        return 0
    first = next((k for k in range(len(rows)) if _may_be_names(rows[k], filled[k], usual)), 0)
    if not 0 < first <= min(_MOST_LINES, len(rows) - 2):
        return 0
    above, below = rows[first - 1], rows[first]
    if len(above) == len(below) and are_stacked(_filled(above), _filled(below)):
        first -= 1  # names in two lines
        if not first:
            return 0
    data = [_filled(row) for row in rows[first:]]
    if any(comes_back(_filled(row), data) for row in rows[:first]):
        return 0
    # Two cells may be names as well; an empty row below them says that they are not.
    few = [n for n in filled[:first] if n > 1]
    is_apart = 0 in filled[:first] or usual >= 4
    # A title alone, then a line or two that end early, then a full line.
    is_apart = is_apart or (filled[0] == 1 and bool(rows[0][0].strip()))
    return first if not few or is_apart else 0


def comes_back(row: Mapping[int, str], others: Sequence[Mapping[int, str]], first: int = 0) -> bool:
    """Tell whether a row is one of the table with gaps: a cell after the first comes back."""
    return any(
        sum(other.get(column) == cell for other in others) > 1
        for column, cell in row.items()
        if column > first
    )


def _may_be_names(row: Sequence[str], filled: int, usual: int) -> bool:
    """Tell whether a line is as full as the table, the corner aside."""
    corner = not row[0].strip() and filled == usual - 1 and all(c.strip() for c in row[1:usual])
    return filled > max(2, 0.5 * usual) or (corner and filled > 1)


def _is_title(row: Sequence[str], below: Sequence[str], usual: int) -> bool:
    filled = [cell for cell in row if cell.strip()]
    if _SEPARATOR.fullmatch("".join(row).strip("\ufeff\"' ")):
        return True
    if len(row) <= _NARROW * usual:
        return len(filled) <= 2  # a title, or a note such as "coded on", "2023-05-17"
    named = [cell for cell in below if cell.strip()]
    alone = len(filled) == 1 and not holds_number(filled[0])
    alone = alone and (bool(row[0].strip()) or len(named) > 0.7 * usual)
    corner = len(named) == usual - 1 and not below[0].strip()  # a cross-table of numbers
    below_names = not any(map(holds_number, named)) or not row[0].strip() or corner
    phrase = usual == 2 and len(row[0].split()) > 2 and len(named) == 2  # no name of a column
    return (usual > 2 or phrase) and alone and below_names


def are_stacked(upper: Mapping[int, str], lower: Mapping[int, str]) -> bool:
    """Tell whether two rows are names: the same words come back below different words."""
    if not upper or not lower or any(map(holds_number, lower.values())):
        return False
    below: dict[str, list[str]] = {}
    for column, word in filled_right(upper, max(lower)).items():
        if column in lower:
            below.setdefault(word, []).append(lower[column])
    several = [tuple(words) for words in below.values() if len(words) > 1]
    if len(several) < 2 or len(set(several)) > 1:
        return False
    return len(set(several[0])) == len(several[0])


def spanned_names(
    upper: Mapping[int, str],
    lower: Mapping[int, str],
    width: int,
    body: Sequence[Mapping[int, str]],
) -> tuple[str, ...]:
    """Return the names where one of two lines spans several columns of the other; else none.

    ``ITEM, EXP 1, , EXP 2,`` above ``, A, B, C, D``: the corner stands in one of the lines, the
    other cells of one of them are full and of the other are not, and none is a cell of the rows.
    """
    corner = [line[0] for line in (upper, lower) if 0 in line]
    full = [line for line in (upper, lower) if all(j in line for j in range(1, width))]
    if len(corner) != 1 or len(full) != 1 or width < 3 or not body:
        return ()
    names = tuple(full[0][j] for j in range(1, width))
    spans = [line[j] for line in (upper, lower) if line is not full[0] for j in line if j]
    words = (*names, *spans)
    if not spans or len(set(names)) < len(names) or any(map(holds_number, words)):
        return ()
    below = {cell for row in body for j, cell in row.items() if j}
    return () if below & set(words) else (corner[0], *names)


def filled_right(row: Mapping[int, str], last: int) -> dict[int, str]:
    """Copy each name to the empty cells on its right."""
    filled: dict[int, str] = {}
    word = ""
    for column in range(min(row), last + 1):
        word = row.get(column, word)
        filled[column] = word
    return filled


def write_plain(
    path: Path,
    encoding: str,
    delimiter: str,
    preamble: Preamble,
    target: Path,
    *,
    quoted: bool = True,
) -> int:
    """Write the text again without its preamble; return how many lines are gone."""
    rows = preamble.titles + (2 if preamble.names else 1) + preamble.units
    ends: list[int] = []  # line in which each row ends
    kept: list[list[str]] = []
    with open_text(path, encoding) as stream:
        reader = csv.reader(stream, **reader_options(delimiter, quoted=quoted))
        for row in reader:
            if row:
                ends.append(reader.line_num)
                kept.append(row)
            if len(kept) == rows:
                break
    names = list(preamble.names) or kept[preamble.titles]
    with (
        open_text(path, encoding) as stream,
        target.open("w", encoding="utf-8", newline="") as out,
    ):
        bare = (name.removeprefix("\ufeff") for name in names)
        last = ""
        for _ in range(ends[-1]):
            last = stream.readline()
        line = csv_line(bare, delimiter=delimiter).removesuffix("\n")
        out.write(line + _line_end(last))
        while block := stream.read(_CHUNK):
            out.write(block)
    return ends[-1] - 1


def _line_end(line: str) -> str:
    """How a line ends: a file with two kinds of line ends is no table to the database."""
    return next((end for end in ("\r\n", "\n", "\r") if line.endswith(end)), "\n")


Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Mended:
    """The names as they belong to the columns, and what was done to them."""

    names: tuple[str, ...]
    evidence: str


def mended_header(rows: Rows) -> Mended | None:
    """Give a header that is one name short, or has one empty name too many, its columns back.

    R writes the names of rows without a name above them; other programs end the header, or every
    line, with a delimiter.
    """
    head, body = [cell.strip() for cell in rows[0]], rows[1:]
    widths = {len(row) for row in body}
    if len(widths) != 1:
        return None
    width = widths.pop()
    if len(head) == width - 1 and width > 2:
        if not any(row[-1].strip() for row in body):
            return Mended((*head, f"column {width}"), "every line ends with a delimiter")
        if _are_row_names(head, body):
            return Mended(("", *head), "the first line has no name for the names of the rows")
    if len(head) == width + 1 and width > 1:
        if not head[-1]:
            return Mended(tuple(head[:-1]), "the first line ends with a delimiter")
        if not head[0]:
            return Mended(tuple(head[1:]), "the first line begins with a delimiter")
    return None


def _are_row_names(head: Sequence[str], body: Rows) -> bool:
    """Tell whether the first cells name the rows, and it is not the last column that has no name.

    Names of rows never come back. Where the first name in the header is one for items, its own
    column stands second and tells the rows apart, too.
    """
    first, second = ([row[j].strip() for row in body] for j in (0, 1))
    if len(set(first)) < len(first) or len(first) < 2:
        return False
    if role_of(head[0]) == "item":
        return len(set(second)) == len(second)
    others = {cell.strip() for row in body for cell in row[1:]}
    return first == [str(k) for k in range(1, len(first) + 1)] or not others & set(first)


def bare_names(files: Sequence[Rows]) -> tuple[str, ...] | None:
    """Return names for files, one per rater, that have none; None where a first line may be names.

    In every file the first line has an item and a label as the others do: each of its labels
    occurs below it, in this or in another file.
    """
    if len(files) < 2 or any(len(rows) < 2 or {len(row) for row in rows} != {2} for rows in files):
        return None
    if any(role_of(cell, surely=True) for rows in files for cell in rows[0]):
        return None
    if any(numbered_roles([cell.strip() for cell in rows[0]]) for rows in files):
        return None
    items = [j for j in (0, 1) if all(_differ(rows, j) for rows in files)]
    if not items:
        return None
    item = items[0]
    below = {row[1 - item].strip() for rows in files for row in rows[1:]}
    labels = {rows[0][1 - item].strip() for rows in files}
    few = 2 * len(below) <= sum(len(rows) - 1 for rows in files)
    if not labels <= below or not few:
        return None
    return ("item", "label") if item == 0 else ("label", "item")


def _differ(rows: Rows, j: int) -> bool:
    cells = [row[j].strip() for row in rows]
    return len(set(cells)) == len(cells)


# ---- does the first line hold names? Weighed in nats, cell by cell; where nobody can tell, asked

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
        columns, names = ({plain_name(c).casefold() for c in cells} for cells in (rest, rows))
        common = len(columns & names)
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
