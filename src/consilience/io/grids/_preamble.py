"""What stands before the data of a text file: titles, names in two lines, a line of units."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from consilience.core.cell_values import holds_number
from consilience.document.records import csv_line
from consilience.io.files.text import open_text, reader_options
from consilience.io.layout.lexicon import numbered_roles, role_of

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
