"""Tables as papers print them: cross-tables with margins, shares, heads of two lines, merged cells.

A cross-table is square: its rows are called exactly as its columns are. Margins are recognised as
sums, whatever they are called; what is left out is told, and no number is left out unsaid.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from consilience.core.cell_values import as_number
from consilience.core.input_files import Said
from consilience.exceptions import InputError, Option, Words
from consilience.io.layout.lexicon import roles_of
from consilience.io.layout.profile import plain_name
from consilience.ratings.count_tables import counts_of_shares

Grid = Sequence[Sequence[str]]

MOST_ROWS, MOST_COLUMNS = 200, 120
_MOST_HEADS, _MOST_STUBS = 5, 3  # lines above the labels, columns left of them
ELLIPSES = ("⋮", "...", "…", "[...]", "[…]", ": :", "⋯", "(...)")
_DASHES = ("–", "-", "—", "−", "--", "―")
_MARKS = re.compile(r"[*†‡§¶¹²³ᵃᵇᶜ]+$")
_MARKUP = re.compile(r"</?\w+ ?/?>|\*\*|\$")
_RULE = re.compile(r":?(?:-{2,}|={2,}|─{2,}):?")
_BESIDE_COUNT = re.compile(
    r"([\d., ']+?)\s*[(\[]\s*([\d.,]+)\s*(%?)\s*[)\]]|([\d., ']+?)\s+([\d.,]+)\s*(%)"
)
_BEFORE_COUNT = re.compile(r"([\d.,]+)\s*(%?)\s*[(\[]\s*(?:[nN]\s*=\s*)?(\d+)\s*[)\]]")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:[,.' \u00a0\u2009\u202f]\d{3})+")
_FRACTION = re.compile(r"0?[.,]\d+|\d+[.,]\d{1,2}|\d+[.,]\d{4,}")
_MEASURES = re.compile(
    r"(?i)p|p[._ ]?[iojek+.]*|%|share|shares|percent(?:age)?|prop(?:ortion)?s?|prob(?:abilit\w+)?|"
    r"marginals?|rel\.? ?freq\w*|kappa|κ|alpha|α|pi|π|agreement|n|N|Σ|∑|sums?"
)
NIL = ("nil", "none", "no unit", "no pair", "no event", "unlinked", "missing")
_LOOKED_AT = 12  # rows within which the labels of the columns stand
_NOWHERE = -1  # the line of a label that only one of the raters gave
_WEAK = re.compile(r"\w|[^\W\d_]?\d+")  # what items and raters are called as well


@dataclass(frozen=True)
class WrongSum:
    """A number in a margin that is not the sum of its cells."""

    kind: str  # "row" or "column": what the label names
    label: str
    sum: float
    told: float

    def __str__(self) -> str:
        return (
            f"the {self.kind} {self.label} sums to {self.sum:,g}, and the table says {self.told:,g}"
        )


@dataclass(frozen=True)
class PrintedTable:
    """A cross-table of two raters, as it was printed.

    Attributes
    ----------
    labels : tuple of str
        In the order of the columns.
    cells : tuple of tuple of float
        Counts, or shares of all items; an empty cell is 0.
    is_share : bool
    blank : frozenset of (int, int)
        The cells in which nothing stands.
    raters : tuple of str
        What the rows and the columns are called by heads beside and above them, "" where there
        are none.
    told : tuple of str
        What was done to read it.
    wrong : tuple of WrongSum
        Margins that are not the sums of their cells.
    rows : tuple of int
        The row of the grid in which each label stands.
    caption : str
    """

    labels: tuple[str, ...]
    cells: tuple[tuple[float, ...], ...]
    is_share: bool
    blank: frozenset[tuple[int, int]] = frozenset()
    raters: tuple[str, str] = ("", "")
    told: tuple[str, ...] = ()
    wrong: tuple[WrongSum, ...] = ()
    rows: tuple[int, ...] = ()
    caption: str = ""

    @property
    def possible_items(self) -> int:
        """A number of items of which every share may be that of whole ones."""
        shares = [x for row in self.cells for x in row]
        decimals = max(map(_decimals_of, shares))
        most, width = int(10**decimals), 0.5 * 10.0**-decimals + 1e-9
        for n in range(1, most) if abs(math.fsum(shares) - 1.0) > 1e-9 else ():
            counts = [round(x * n) for x in shares]
            fits = all(abs(c / n - x) <= width for c, x in zip(counts, shares, strict=True))
            if fits and sum(counts) == n:
                return n
        return most

    @property
    def has_nil(self) -> bool:
        """Whether a label stands for no unit: nothing can be unseen by both."""
        return any(
            label.casefold() in NIL
            and not self.cells[k][k]
            and ((k, k) in self.blank or label.casefold() == NIL[0])
            for k, label in enumerate(self.labels)
        )

    @property
    def has_gaps(self) -> bool:
        """Whether a label stands for the time between units, as GSEQ fills it."""
        return any(label.startswith("&") for label in self.labels)

    def as_shares(self, *, where: str) -> PrintedTable:
        """Return the table as shares of all items; whole per cents look like counts of 100."""
        total = math.fsum(x for row in self.cells for x in row)
        if self.is_share:
            return self
        if total != 100.0:
            raise InputError.expected(
                "a table of shares",
                "cells that add up to 1, or to 100 per cent",
                Said(f"counts that add up to {total:,.12g}"),
                Words("leave out ", Option("shares_of"), ": the cells are counts already"),
                where=where,
            )
        cells = tuple(tuple(x / 100.0 for x in row) for row in self.cells)
        return replace(self, cells=cells, is_share=True)

    def of_items(self, n_items: int, *, where: str) -> PrintedTable:
        """Return the counts of so many items whose shares the cells are."""
        try:
            counts = counts_of_shares(self.cells, n_items)
        except InputError as error:
            raise error.retold(Words(f"{where}: ", error.words)) from None
        cells = tuple(tuple(map(float, row)) for row in counts.tolist())
        told = (*self.told, f"shares of {n_items:,} items, as told, were turned into counts")
        return replace(self, cells=cells, is_share=False, told=told)

    def grid(self) -> tuple[list[str], list[list[str]]]:
        """Return the names and the rows of the plain cross-table."""
        rows = [
            [label, *(f"{x:.15g}" for x in row)]
            for label, row in zip(self.labels, self.cells, strict=True)
        ]
        return ["", *self.labels], rows


def _decimals_of(share: float) -> int:
    """Count the decimals of a share that was read from a text."""
    text = f"{share:.6f}".rstrip("0")
    return max(2, len(text.partition(".")[2]))


# ---- cells


@dataclass(frozen=True)
class _Amount:
    """A number in a cell, and the share that stands beside a count."""

    value: float
    decimals: int = 0
    percent: bool = False
    beside: bool = False


def _amount(text: str, *, thousands: bool) -> _Amount | None:
    """Read a count, a share, a percentage, or a count with its share; None for a word."""
    bare = _MARKS.sub("", text).strip()
    if match := _BESIDE_COUNT.fullmatch(bare):
        first = _number(match[1] or match[4], thousands)
        share = _number(match[2] or match[5], False)
        if first is None or share is None:
            return None
        if first.is_integer() and share <= 100:
            return _Amount(first, beside=True)
    if match := _BEFORE_COUNT.fullmatch(bare):
        count = _number(match[3], thousands)
        return None if count is None else _Amount(count, beside=True)
    percent = bare.endswith("%")
    bare = bare.removesuffix("%").strip()
    number = _number(bare, thousands)
    if number is None:
        return None
    decimals = len(re.split(r"[.,]", bare)[-1]) if re.search(r"[.,]", bare) else 0
    decimals = 0 if thousands and _THOUSANDS.fullmatch(bare) else decimals
    return _Amount(number, decimals, percent)


def count_beside(text: str) -> float | None:
    """Return the count in a cell that tells its share as well, such as 90 (.3); else None.

    >>> count_beside("90 (.3)"), count_beside("30% (90)"), count_beside("90")
    (90.0, 90.0, None)
    """
    amount = _amount(text, thousands=False)
    return amount.value if amount is not None and amount.beside else None


def _number(text: str, thousands: bool) -> float | None:
    bare = text.strip()
    if thousands and _THOUSANDS.fullmatch(bare):
        return float(re.sub(r"\D", "", bare))
    return as_number(bare)


def _is_blank(text: str) -> bool:
    return not text or text in _DASHES


def _clean(cell: object) -> str:
    text = "" if cell is None else _MARKUP.sub("", str(cell)).replace("\n", " ")
    return text.strip("\ufeff \t\r\u00a0\u2009\u202f")


# ---- one table on a grid


@dataclass(frozen=True)
class _Frame:
    """A grid of clean texts in which nothing is empty, and the rows that it was made of."""

    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...]
    thousands: bool = False

    @property
    def width(self) -> int:
        return len(self.rows[0]) if self.rows else 0

    def amount(self, i: int, j: int) -> _Amount | None:
        return _amount(self.rows[i][j], thousands=self.thousands)

    def cut(self, rows: Sequence[int], columns: Sequence[int]) -> _Frame:
        """Return a part of it without its empty rows and columns."""
        kept = [k for k in rows if any(self.rows[k][j] for j in columns)]
        full = [j for j in columns if any(self.rows[k][j] for k in kept)]
        return _Frame(
            tuple(tuple(self.rows[k][j] for j in full) for k in kept),
            tuple(self.numbers[k] for k in kept),
            self.thousands,
        )


def _framed(grid: Grid) -> _Frame | None:
    width = max((len(row) for row in grid), default=0)
    if not 2 <= width <= MOST_COLUMNS or not 2 <= len(grid) <= MOST_ROWS:
        return None
    rows = [tuple(map(_clean, row)) + ("",) * (width - len(row)) for row in grid]
    kept = [
        k
        for k, row in enumerate(rows)
        if any(row) and not all(not c or _RULE.fullmatch(c) for c in row)
    ]
    if not kept:
        return None
    cells = [c for k in kept for c in rows[k] if c]
    thousands = not any(map(_FRACTION.fullmatch, cells))
    frame = _Frame(tuple(rows[k] for k in kept), tuple(kept), thousands)
    return frame.cut(range(len(kept)), range(width))


@dataclass
class _Found:
    """A cross-table whose labels stand in a row and in a column of a frame."""

    frame: _Frame
    head: int
    stub: int
    columns: dict[str, int]
    rows: dict[str, int]
    told: list[str] = field(default_factory=list)
    wrong: list[WrongSum] = field(default_factory=list)
    sums: int = 0  # sides on which margins are sums
    beside: int = 0  # lines of shares and coefficients


def _is_called_total(name: str) -> bool:
    """Tell whether a margin is surely called so; one letter may be a label."""
    return (len(name) > 1 and "total" in roles_of(name)) or name in ("Σ", "∑")


def _located(frame: _Frame) -> Iterator[_Found]:
    """Yield where the labels may stand, the most of them first."""
    found = []
    for head in range(min(_MOST_HEADS, len(frame.rows) - 2) + 1):
        for stub in range(min(_MOST_STUBS, frame.width - 2) + 1):
            one = _labels_at(frame, head, stub)
            if one is not None:
                found.append(one)
    yield from sorted(found, key=lambda one: (-len(one.columns), one.head, one.stub))


def _is_whole_number(name: str) -> bool:
    return name.lstrip("+-").isdecimal()


def _labels_at(frame: _Frame, head: int, stub: int) -> _Found | None:
    across = [(j, plain_name(frame.rows[head][j])) for j in range(stub + 1, frame.width)]
    down = [(i, plain_name(frame.rows[i][stub])) for i in range(head + 1, len(frame.rows))]
    columns, rows = dict[str, int](), dict[str, int]()
    for places, found in ((across, columns), (down, rows)):
        named = [(k, name) for k, name in places if name and name not in _DASHES]
        if len({name for _, name in named}) < len(named):
            return None
        found |= {name: k for k, name in named}
    common = {name for name in columns if name in rows and not _is_called_total(name)}
    if len(common) < 2:
        return None
    if frame.amount(head, stub) is not None and all(map(_is_whole_number, common)):
        return None  # a row of data: what stands in the corner of a cross-table is no number
    ours = _Found(
        frame,
        head,
        stub,
        {name: j for name, j in columns.items() if name in common},
        {name: i for name, i in rows.items() if name in common},
    )
    above = [frame.amount(i, j) for i in range(head) for j in range(frame.width)]
    beside = [frame.amount(i, j) for i in ours.rows.values() for j in range(stub)]
    if sum(one is not None for one in above) > 1 or any(one is not None for one in beside):
        return None
    return ours


def _values(frame: _Frame, i: int, j: int) -> float | None:
    """Return the number in a cell, 0 where nothing stands; None where it is a word."""
    if _NOWHERE in (i, j) or _is_blank(frame.rows[i][j]):
        return 0.0
    amount = frame.amount(i, j)
    return None if amount is None else amount.value


def _parsed(found: _Found, *, told: bool) -> PrintedTable | None:
    """Read the table there; None where it is none."""
    _without_sums(found)
    frame, columns, rows = found.frame, found.columns, found.rows
    places = [[(rows[a], columns[b]) for b in columns] for a in columns]
    cells = [[_values(frame, i, j) for i, j in row] for row in places]
    numbers = [[x or 0.0 for x in row] for row in cells]
    blank = frozenset(
        (p, q)
        for p, row in enumerate(places)
        for q, (i, j) in enumerate(row)
        if _NOWHERE in (i, j) or _is_blank(frame.rows[i][j])
    )
    amounts = [
        amount
        for p, row in enumerate(places)
        for q, (i, j) in enumerate(row)
        if (p, q) not in blank and (amount := frame.amount(i, j)) is not None
    ]
    sound = len(columns) > 1 and all(x is not None and x >= 0 for row in cells for x in row)
    kind = _kind_of(amounts, numbers) if sound and any(map(any, numbers)) else None
    if kind is None:
        return None
    is_share, scale = kind
    width = 0.0 if not is_share else 0.5 * 10.0 ** -max(one.decimals for one in amounts)
    extra = _margins(found, numbers, width)
    if extra is None or any(extra):
        return None if extra is None else _not_square(found, extra, told=told)
    if not (told or _looks_printed(found, amounts, is_share)):
        return None
    if any(one.beside for one in amounts):
        found.told.append("cells such as 20 (.2) are counts with their shares")
    raters = _raters(found)
    if any(raters):
        found.told.append(f"rows are those of {raters[0] or '?'}, columns of {raters[1] or '?'}")
    return PrintedTable(
        labels=tuple(columns),
        cells=tuple(tuple(x / scale for x in row) for row in numbers),
        is_share=is_share,
        blank=blank,
        raters=raters,
        told=tuple(found.told),
        wrong=tuple(found.wrong),
        rows=tuple(frame.numbers[max(rows[a], 0)] for a in columns),
        caption=_caption(found),
    )


def _kind_of(
    amounts: Sequence[_Amount], cells: Sequence[Sequence[float]]
) -> tuple[bool, float] | None:
    """Tell counts from shares of 1 or of 100; None where the cells are neither."""
    total = math.fsum(map(math.fsum, cells))
    whole = all(one.beside or (not one.percent and one.value.is_integer()) for one in amounts)
    written = any(one.decimals and not one.beside for one in amounts)
    if whole and (not written or total > 1):
        return False, 1.0
    decimals = max(one.decimals for one in amounts)
    width = (len(amounts) + 1) * 0.5 * 10.0**-decimals + 1e-9
    return next(((True, scale) for scale in (1.0, 100.0) if abs(total - scale) <= width), None)


def _without_measures(found: _Found) -> None:
    """Take p or kappa, as a row and a column of fractions beside counts, for no label."""
    frame = found.frame

    def is_whole(labels: Sequence[str]) -> bool:
        places = [(found.rows[a], found.columns[b]) for a in labels for b in labels]
        return all((_values(frame, i, j) or 0.0).is_integer() for i, j in places)

    called = [name for name in found.columns if _MEASURES.fullmatch(name)]
    rest = [name for name in found.columns if name not in called]
    if called and len(rest) > 1 and not is_whole(list(found.columns)) and is_whole(rest):
        for name in called:
            del found.columns[name], found.rows[name]


def _without_sums(found: _Found) -> None:
    """Take a label that is the sum of all others, in its row and in its column, for a margin."""
    frame = found.frame
    _without_measures(found)
    for name in reversed(list(found.columns)):
        others = [one for one in found.columns if one != name]
        if len(others) < 2:
            return
        j, i = found.columns[name], found.rows[name]
        for a in others:
            row = [_values(frame, found.rows[a], found.columns[b]) for b in others]
            column = [_values(frame, found.rows[b], found.columns[a]) for b in others]
            if not _adds_up(row, _values(frame, found.rows[a], j)):
                break
            if not _adds_up(column, _values(frame, i, found.columns[a])):
                break
        else:
            del found.columns[name], found.rows[name]
            return


def _adds_up(cells: Sequence[float | None], total: float | None, width: float = 0.0) -> bool:
    if total is None or any(x is None for x in cells):
        return False
    slack = (len(cells) + 1) * width + 1e-9
    return abs(math.fsum(x or 0.0 for x in cells) - total) <= slack


@dataclass(frozen=True)
class _Line:
    """A row or a column beside those of the labels."""

    what: str  # "column" or "row"
    name: str
    texts: tuple[str, ...]
    values: tuple[float | None, ...]  # None where there is a word
    alone: bool  # nothing else stands in a row

    @property
    def words(self) -> str:
        return f"the {self.what} {self.name}" if self.name else f"a {self.what} without a name"

    def kind(self, sums: Sequence[float], grand: float, width: float) -> str | None:
        """Say what it is: a sum, a share of the sums, a coefficient, words, or another label."""
        if None in self.values:
            words = [text for text in self.texts if not _is_blank(text)]
            wordy = all(_amount(text, thousands=False) is None for text in words)
            return "words" if wordy else None
        numbers = [value or 0.0 for value in self.values]
        pairs = list(zip(numbers, sums, strict=True))
        if all(abs(x - total) <= (len(sums) + 1) * width + 1e-9 for x, total in pairs):
            return "sum"
        for scale, rounded in ((1.0, 0.0051), (100.0, 0.51)):
            if all(abs(x - scale * total / grand) <= rounded for x, total in pairs):
                return "share" if self.name and not _is_called_total(self.name) else "sum"
        if _is_called_total(self.name):
            return "wrong"
        measures = _MEASURES.fullmatch(self.name) or "derived" in roles_of(self.name)
        return "measure" if self.name and measures else "label" if self.name else None


def _margins(
    found: _Found, cells: Sequence[Sequence[float]], width: float
) -> tuple[list[str], list[str]] | None:
    """Look at every line beside the labels; return columns and rows called by another label.

    None where a line of numbers is neither a sum, nor a share of the sums, nor called so.
    """
    grand = math.fsum(map(math.fsum, cells))
    extra: tuple[list[str], list[str]] = ([], [])
    left: list[str] = []
    for side, table in enumerate((cells, list(zip(*cells, strict=True)))):
        sums = [math.fsum(row) for row in table]
        for line in _lines_beside(found, side):
            kind = line.kind(sums, grand, width)
            if kind is None:
                return None
            if kind == "label":
                extra[side].append(line.name)
            elif kind in ("sum", "wrong"):
                left.append(line.words)
                found.sums += kind == "sum"
                found.wrong += _wrong_sums(found, line, sums, width) if kind == "wrong" else []
            elif kind == "words":
                found.told += [] if line.alone else [f"left out: {line.words}"]
            else:
                found.beside += 2 if kind == "share" else 1
                found.told.append(f"left out, as no count of a label: {line.words}")
    if left:
        found.told.append(f"left out, as sums: {', '.join(left)}")
    return extra


def _lines_beside(found: _Found, side: int) -> Iterator[_Line]:
    """Yield the columns (side 0) or the rows (1) in which numbers or words stand beside labels."""
    frame = found.frame
    ours, across = (found.columns, found.rows) if side == 0 else (found.rows, found.columns)
    first, last = (found.stub, frame.width) if side == 0 else (found.head, len(frame.rows))
    for k in range(first + 1, last):
        places = [(across[a], k) if side == 0 else (k, across[a]) for a in found.columns]
        texts = tuple(
            "" if _NOWHERE in place else frame.rows[place[0]][place[1]] for place in places
        )
        if k in ours.values() or all(map(_is_blank, texts)):
            continue
        yield _Line(
            "column" if side == 0 else "row",
            _line_name(found, k, side),
            texts,
            tuple(_values(frame, i, j) for i, j in places),
            side == 1 and sum(map(bool, frame.rows[k])) < 2,
        )


def _wrong_sums(found: _Found, line: _Line, sums: Sequence[float], width: float) -> list[WrongSum]:
    kind = "row" if line.what == "column" else "column"
    slack = width * (len(sums) + 1) + 1e-9
    return [
        WrongSum(kind, label, total, value)
        for label, total, value in zip(found.columns, sums, line.values, strict=True)
        if value is not None and abs(value - total) > slack
    ]


def _line_name(found: _Found, k: int, side: int) -> str:
    """Return what a margin is called: beside its cells, or in a line of heads further out."""
    frame = found.frame
    if side == 0:
        names = [frame.rows[i][k] for i in range(found.head, -1, -1)]
    else:
        names = [frame.rows[k][j] for j in range(found.stub, -1, -1)]
    return next((name for name in names if name and name not in _DASHES), "")


def _not_square(
    found: _Found, extra: tuple[list[str], list[str]], *, told: bool
) -> PrintedTable | None:
    """Read a table with labels that one rater never gave, where margins say that they are some."""
    frame = found.frame
    columns = {plain_name(frame.rows[found.head][j]): j for j in range(found.stub + 1, frame.width)}
    rows = {
        plain_name(frame.rows[i][found.stub]): i for i in range(found.head + 1, len(frame.rows))
    }
    labels = [*found.columns, *extra[0], *(one for one in extra[1] if one not in extra[0])]
    square = _Found(
        frame,
        found.head,
        found.stub,
        {name: columns.get(name, _NOWHERE) for name in labels},
        {name: rows.get(name, _NOWHERE) for name in labels},
    )
    table = _parsed(square, told=told)
    is_sure = table is not None and not table.wrong and square.sums > 1
    return table if is_sure else None


def _heads(found: _Found) -> tuple[list[str], list[str], str]:
    """Return the heads above the labels, those beside them, and what stands in the corner."""
    frame = found.frame
    first, last = min(found.columns.values()), max(found.columns.values())
    above = [
        frame.rows[i][j]
        for i in reversed(range(found.head))
        for j in range(first, last + 1)
        if frame.rows[i][j] and not _is_called_total(frame.rows[i][j])
    ]
    beside = [
        frame.rows[i][j]
        for i in range(found.head + 1, len(frame.rows))
        for j in range(found.stub)
        if frame.rows[i][j] and not _is_called_total(frame.rows[i][j])
    ]
    corner = " ".join(
        frame.rows[i][j]
        for i in range(found.head + 1)
        for j in range(found.stub + 1)
        if frame.rows[i][j]
    )
    return above, beside, corner


def _raters(found: _Found) -> tuple[str, str]:
    above, beside, corner = _heads(found)
    return (beside[0] if beside else corner if above else ""), (above[0] if above else "")


def _caption(found: _Found) -> str:
    """Return a title above the heads: the only cell of its row."""
    for i in range(found.head):
        row = [cell for cell in found.frame.rows[i] if cell]
        if len(row) == 1 and found.frame.rows[i][0]:
            return row[0]
    return ""


def _looks_printed(found: _Found, amounts: Sequence[_Amount], is_share: bool) -> bool:
    """Tell whether a square table of numbers is surely no table of ratings.

    Raters 1, 2, 3 of items 1, 2, 3 are square as well: there, a head that names the items speaks
    against it, and one margin is no proof.
    """
    above, beside, corner = _heads(found)
    if any(one.beside for one in amounts) or is_share:
        return True
    items = "item" in roles_of(found.frame.rows[found.head][found.stub])
    margins = found.sums + found.beside
    if not all(map(_WEAK.fullmatch, found.columns)):
        # People who rate each other are called alike as well, but nobody rates himself.
        return margins > 1 or (not items and any(_diagonal(found)))
    if items and not (above or beside):
        return False
    named = "item" not in roles_of(corner) and bool(corner or beside)
    heads = bool(above or beside) and not any("item" in roles_of(one) for one in above)
    return margins > 1 or (heads and named) or (_mostly_agree(found) and margins > 0)


def _diagonal(found: _Found) -> list[float]:
    return [_values(found.frame, found.rows[a], found.columns[a]) or 0.0 for a in found.columns]


def _mostly_agree(found: _Found) -> bool:
    """Tell whether much stands in the diagonal, as where two raters agree."""
    cells = [
        _values(found.frame, i, j) or 0.0
        for i in found.rows.values()
        for j in found.columns.values()
    ]
    return sum(_diagonal(found)) > 0.4 * sum(cells)


def _one(frame: _Frame, *, told: bool) -> PrintedTable | None:
    for found in _located(frame):
        table = _parsed(found, told=told)
        if table is not None:
            return table
    return None


# ---- several tables on one grid


def printed_tables(grid: Grid, *, told: bool = False) -> list[PrintedTable]:
    """Return the cross-tables on a grid: one, several side by side or one below the other.

    With `told` the caller said that there are; else something must show that they were printed:
    margins that are sums, shares, heads over the labels.
    """
    heads = {str(cell).strip() for row in grid[:_LOOKED_AT] for cell in row}
    stubs = {str(cell).strip() for row in grid for cell in row[: _MOST_STUBS + 1]}
    if len(heads & stubs - {""}) < 2:
        return []
    frame = _framed(grid)
    if frame is None:
        return []
    one = _one(frame, told=told)
    if one is not None:
        return [one]
    found = []
    for columns in _side_by_side(frame):
        part = frame.cut(range(len(frame.rows)), columns)
        for rows, caption in _one_below_the_other(part):
            table = _one(part.cut(rows, range(part.width)), told=told)
            if table is None:
                return []
            found.append(replace(table, caption=caption or table.caption))
    return found if len(found) > 1 else []


def _side_by_side(frame: _Frame) -> list[list[int]]:
    """Cut the columns before each that begins as the first does: its head or its labels."""
    amounts = [
        sum(frame.amount(i, j) is not None for j in range(1, frame.width))
        for i in range(len(frame.rows))
    ]
    heads = frame.rows[: next((i for i, n in enumerate(amounts) if n > 1), 0) + 1]
    totals = [j for j in range(2, frame.width) if any(_is_called_total(row[j]) for row in heads)]
    starts = {j + 1 for j in totals if j + 1 < frame.width} if len(totals) > 1 else set[int]()
    starts |= {
        j for j in range(2, frame.width) if any(row[0] and row[0] == row[j] for row in heads)
    }
    places = [0, *sorted(starts), frame.width]
    return [list(range(a, b)) for a, b in pairwise(places) if b - a > 2]


def _one_below_the_other(frame: _Frame) -> list[tuple[list[int], str]]:
    """Cut the rows at those that hold one word alone, and below a row of totals.

    Tables without heads of their own have those of the first.
    """
    numeric = [
        any(frame.amount(i, j) for j in range(1, frame.width)) for i in range(len(frame.rows))
    ]
    if True not in numeric:
        return []
    first = numeric.index(True)
    alone = [sum(map(bool, row)) == 1 and bool(row[0]) for row in frame.rows]
    heads = [i for i in range(first) if not alone[i]]
    parts: list[tuple[list[int], str]] = []
    rows: list[int] = []
    caption = next((frame.rows[i][0] for i in range(first) if alone[i]), "")
    for i in range(first, len(frame.rows)):
        if alone[i]:
            parts, rows, caption = (
                [*parts, (rows, caption)] if rows else parts,
                [],
                frame.rows[i][0],
            )
            continue
        rows.append(i)
        if any(_is_called_total(cell) for cell in frame.rows[i][:2]):
            parts += [(rows, caption)]
            rows, caption = [], ""
    parts += [(rows, caption)] if rows else []
    found = []
    for rows, caption in parts:
        own = next((k for k, i in enumerate(rows) if numeric[i]), None)
        if own is None:
            continue
        found.append((rows if own else [*heads, *rows], caption))
    return found


# ---- what is said where a table of numbers is no table of ratings


def chosen_table(
    tables: Sequence[PrintedTable], sheets: Sequence[str | int], where: str
) -> PrintedTable:
    """Return the table that was asked for, or the only one; refuse several."""
    names = [one.caption or f"table {k}" for k, one in enumerate(tables, start=1)]
    if not sheets and len(tables) == 1:
        return tables[0]
    if not sheets:
        listed = ", ".join(f"{k} ({name})" for k, name in enumerate(names, start=1))
        raise InputError.expected(
            "the file",
            "one table",
            Words(f"{len(tables)} cross-tables: {listed}"),
            Words("name one by its number, as in ", Option("sheet", 1)),
            where=where,
        )
    told = str(sheets[0])
    if told in names:
        return tables[names.index(told)]
    if len(sheets) == 1 and told.isascii() and told.isdigit() and 0 < int(told) <= len(tables):
        return tables[int(told) - 1]
    raise InputError.unknown_word(f"{where}: sheet", sheets[0], names)


# ---- published tables of differences: how often marks differ by how much

_SAME = re.compile(r"\b(?:same|equal|identical|exact(?:ly)?|no differences?)\b")
_BOUNDED = re.compile(
    r"\b(?:within|at (?:most|least)|or (?:more|less|fewer)|more than|up to)\b|[≤≥<>]|\+$"
)
_BY = re.compile(
    r"(?:.*(?:\b(?:by|off|of|differ(?:s|ing|ences?)?|diff)\b|(?=±)|(?=\+ ?/ ?[-−])))?[\s:=_]*"
    r"(?:±|\+ ?/ ?[-−])?\s*([-+−]?\s*\d+(?:[.,]\d+)?)\s*"
    r"(?:marks?|points?|pts?\.?|steps?|scores?|grades?)?\s*(?:off|apart|away|differences?)?"
)
_FEWEST = 3
_LARGEST = 20.0


def difference_of(name: str) -> float | None:
    """Return by how much marks differ that a head is about: "same", ±1, "off by 2", "3 points".

    None where it is about something else, or about all differences up to a number.

    >>> [difference_of(one) for one in ("% Equal Scores", "differ by ± 2 marks", "off by 1", "-3")]
    [0.0, 2.0, 1.0, -3.0]
    >>> [difference_of(one) for one in ("within 1", "Manhattan distance L1", "n", "3 or more")]
    [None, None, None, None]
    """
    text = " ".join(name.casefold().replace("%", " ").split())
    if _BOUNDED.search(text):
        return None
    match = _BY.fullmatch(text)
    if match is not None:
        return as_number(match[1].replace(" ", ""))
    return 0.0 if _SAME.search(text) and not re.search(r"\d", text) else None


def is_about_differences(names: Sequence[str], rows: Sequence[Sequence[object]]) -> bool:
    """Tell whether heads, or the first cells of rows, say by how much marks differ, in words."""
    heads = [name for name in names if difference_of(name) is not None]
    in_words = any(not name.strip().lstrip("+-−").isdigit() for name in heads)
    if len(heads) >= _FEWEST and in_words and 0.0 in map(difference_of, heads):
        return True
    first = [None if row[0] is None else difference_of(str(row[0])) for row in rows]
    said = bool(re.search(r"(?i)\bdiffer|\boff\b|\bapart\b", names[0])) if names else False
    counted = [float(k) for k in range(len(first))]
    return said and len(first) >= _FEWEST and first[-len(counted) :] == counted
