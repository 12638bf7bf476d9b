"""What people put below and beside their data: notes and computed rows, columns of sums and means.

Rows below the data are taken off before anybody looks at the table.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from consilience.core.cell_values import as_number
from consilience.io.layout.lexicon import SURE_MARKS, fold, is_template, roles_of
from consilience.io.layout.printed_tables import count_beside
from consilience.io.layout.profile import Column
from consilience.io.table import Table

if TYPE_CHECKING:
    from consilience.io.layout.likeness import Group

_LONGEST = 5_000  # where people write below their data, the table is theirs, not a program's
_MOST_ROWS = 6
_MOST_NOTES = 12
_FEWEST_ABOVE = 2
_MOSTLY = 0.6
_MOST_WORDS = 3
_MANY = 4
_INITIALS = 3  # letters: M, SD and KA say mean, deviation and average, or are somebody's
_FEWEST_UNNAMED = 8  # rows above a footer that nobody calls so
_FINE = 0.0051  # what is off when two decimals are written
_ROUNDED = 0.051  # and when one is
_STATISTICS = frozenset(("m", "s", "se", "sem", "cv", "σ", "sa", "со"))  # beside what roles know
_SURE = 8.0  # nats against a mean by chance
_NO_RATING = 4.0  # a number with more decimals than any rating, or larger than all


def without_footers(table: Table, *, told: bool = False) -> Table:
    """Return the table without the rows below its data; `told`: the layout was named."""
    if not 3 <= table.n_rows <= _LONGEST or table.file is not None:
        return table
    count = n_footers(table.all_rows(), table.names, told=told)
    if not count:
        return table
    relation = table.session.new_name("data")
    table.session.run(
        f"CREATE TEMP TABLE {relation} AS SELECT * FROM {table.relation} "
        f"WHERE {table.row} < {table.n_rows - count} ORDER BY {table.row}"
    )
    rows = f"{count} row{'s' if count > 1 else ''}"
    return replace(
        table,
        relation=relation,
        row="rowid",
        n_rows=table.n_rows - count,
        n_below=count,
        evidence=(*table.evidence, f"left out, as notes or totals below the data: {rows}"),
    )


def n_footers(
    rows: Sequence[Sequence[Any]], names: Sequence[str] = (), *, told: bool = False
) -> int:
    """Count the last rows that are no data: notes below it, and what is computed from it.

    A row called like one of the columns, as in a cross-table, is data. `told` says that the caller
    named the layout: then a row is computed only if it says so.
    """
    called = tuple(name.strip().casefold() for name in names)
    empty = next((k for k, row in enumerate(reversed(rows)) if any(c is not None for c in row)), 0)
    rows = rows[: len(rows) - empty]
    count = _n_notes(rows)
    count += _n_statistics(rows[: len(rows) - count], called)
    count += _n_computed(rows[: len(rows) - count], called, told)
    return count + empty if count else 0  # empty rows alone are told apart later


def _n_notes(rows: Sequence[Sequence[Any]]) -> int:
    """Count the last rows that hold a text in their first cells and nothing else."""
    if not rows or len(rows[0]) < 3:
        return 0
    usual = statistics.median(sum(cell is not None for cell in row) for row in rows)
    count = 0
    while count < _MOST_NOTES and len(rows) - count > _FEWEST_ABOVE:
        row = rows[len(rows) - count - 1]
        filled = [str(cell) for cell in row if cell is not None]
        is_text = all(as_number(cell) is None for cell in filled)
        alone = row[0] is not None and len(filled) == 1 and _reads_like_a_note(filled[0], rows)
        if not is_text or len(filled) > min(2, usual - 2) or not (alone or not filled):
            break
        count += 1
    return count


def _reads_like_a_note(text: str, rows: Sequence[Sequence[Any]]) -> bool:
    """Tell a remark or a legend from an item that nobody rated."""
    others = [str(row[0]) for row in rows[:-1] if row[0] is not None]
    longest = max(map(len, others), default=0)
    return any(sign in text for sign in "=:*") or len(text) > 1.5 * longest


def _n_statistics(rows: Sequence[Sequence[Any]], names: Sequence[str]) -> int:
    """Count the last rows, two or more, that are called mean, SD and their kin, as none above is.

    A spread cannot be told from ratings by its size; that it stands below a mean says what it is.
    """
    told = [_is_statistic(row) for row in rows]
    count = next((k for k, is_told in enumerate(reversed(told)) if not is_told), 0)
    columns = any(fold(name) in _STATISTICS or _says_so(name) for name in names)
    enough = 1 < count <= _MOST_ROWS and len(rows) - count > _FEWEST_ABOVE
    return count if enough and not columns and sum(told) == count else 0


def _is_statistic(row: Sequence[Any]) -> bool:
    """Tell whether the first words of a row name a statistic, and numbers follow."""
    words = [str(cell) for cell in row if cell is not None and as_number(str(cell)) is None]
    named = bool(words) and (fold(words[0]) in _STATISTICS or _says_so(words[0]))
    return named and len(words) == 1


def _n_computed(rows: Sequence[Sequence[Any]], names: Sequence[str], told: bool) -> int:
    count = 0
    while count < _MOST_ROWS and len(rows) - count > _FEWEST_ABOVE:
        last = rows[len(rows) - count - 1]
        # What a second footer sums up, it sums up over the data, not over the first footer.
        body = rows[: len(rows) - count - 1]
        if _is_data(last, body, names) or not _is_footer(last, body, told):
            break
        count += 1
    return count


def _is_data(last: Sequence[Any], body: Sequence[Sequence[Any]], names: Sequence[str]) -> bool:
    """Tell whether a row is plainly one of the table: called like a column, or next in a count."""
    if last[0] is None:
        return False
    number = as_number(str(last[0]))
    if number is None:
        name = str(last[0]).strip()
        like_columns = sum(str(row[0]).strip().casefold() in names for row in body)
        # In a cross-table, "do not agree" is a label, whatever it is elsewhere.
        if like_columns > 1:
            return name.casefold() in names and "total" not in roles_of(name)
        # A column of sums stands last; where a row has its name, that is a row of sums.
        return name.casefold() in names[:-1] and not roles_of(name) & {"total", "derived"}
    before = None if body[-1][0] is None else as_number(str(body[-1][0]))
    return before is not None and number - before == 1


def _is_footer(last: Sequence[Any], body: Sequence[Sequence[Any]], told: bool) -> bool:
    last = [None if cell is None or _is_mark(cell) else cell for cell in last]
    filled = [j for j, cell in enumerate(last) if cell is not None]
    if not filled:
        return False
    words = [j for j in filled if as_number(str(last[j])) is None]
    first = words[0] if len(words) == 1 else filled[0]
    place = next((j for j in filled if _says_so(str(last[j]))), first)
    name = str(last[place])
    if as_number(name) is None and any(row[place] == last[place] for row in body):
        return False  # a label like the others
    named = _says_so(name)
    cells = [(j, str(cell)) for j, cell in enumerate(last) if cell is not None]
    cells = [(j, cell) for j, cell in cells if j != place or as_number(cell) is not None]
    if named and not cells:
        return True
    fits = (_summarises(cell, [row[j] for row in body], named) for j, cell in cells)
    if named and not (name.isascii() and len(name) <= _INITIALS):
        return sum(fits) >= _MOSTLY * len(cells)
    all_fit = (named or not told) and len(cells) >= 2 and all(fits)
    if not all_fit or not (named or _looks_computed(last, body, cells, place)):
        return False
    stands_out = _has_no_name(last, body) or (named and _has_holes(last, body))
    surprise = sum(_surprise(cell, [row[j] for row in body]) for j, cell in cells)
    return stands_out or surprise > _SURE


def _surprise(cell: str, column: Sequence[Any]) -> float:
    """Weigh that a cell is computed from the column, against a rating that happens to fit.

    In few rows, or on a short scale, most ratings are the least, the largest or the median.
    """
    ratings = [str(value) for value in column if value is not None]
    number, numbers = as_number(cell), [as_number(rating) for rating in ratings]
    if number in numbers or not ratings:
        return 0.0
    fit = sum(_summarises(rating, column, False) for rating in ratings)
    worth = math.log((len(ratings) + 1) / (fit + 0.5))
    finer = all(_decimals(rating) < _decimals(cell) for rating in ratings)
    beyond = (number or 0.0) > max((x for x in numbers if x is not None), default=math.inf)
    return worth + (_NO_RATING if finer or beyond else 0.0)


def _is_mark(cell: Any) -> bool:
    return str(cell).strip().casefold() in SURE_MARKS


def _says_so(name: str) -> bool:
    """Tell whether a cell is called a total or a mean."""
    is_short = len(name.split()) <= _MOST_WORDS and as_number(name) is None
    return is_short and bool(roles_of(name) & {"total", "derived"})


def _looks_computed(
    last: Sequence[Any], body: Sequence[Sequence[Any]], cells: Sequence[tuple[int, str]], place: int
) -> bool:
    """Tell whether a row that nobody calls so is computed: no rating would look like that."""
    n_odd = sum(_is_odd(cell, [row[j] for row in body]) for j, cell in cells)
    if _has_no_name(last, body):
        return n_odd > 0
    above = [str(row[place]) for row in body if row[place] is not None]
    if as_number(str(last[place])) is not None:
        return len(body) >= _FEWEST_UNNAMED and n_odd >= 0.5 * len(cells)
    if len(body) < _FEWEST_UNNAMED or is_template([*above, str(last[place])]):
        return False  # an item like the others
    if _is_called_otherwise(str(last[place]), above) or _has_holes(last, body):
        return n_odd > 0
    if any(_is_far_beyond(cell, [row[j] for row in body]) for j, cell in cells):
        return True
    return n_odd >= (1.0 if len(cells) < _MANY else 0.5) * len(cells)


def _has_no_name(last: Sequence[Any], body: Sequence[Sequence[Any]]) -> bool:
    """Tell whether every item has a name of its own, and this row has none."""
    names = [row[0] for row in body]
    return last[0] is None and None not in names and len(set(names)) == len(names)


def _is_called_otherwise(name: str, above: Sequence[str]) -> bool:
    """Tell whether all rows are numbered or have names of one pattern, and this one has not."""
    return is_template(above) or all(as_number(value) is not None for value in above)


def _has_holes(last: Sequence[Any], body: Sequence[Sequence[Any]]) -> bool:
    """Tell whether a column that every other row fills is empty here, as a date is below sums."""
    empty = [j for j, cell in enumerate(last) if cell is None]
    return any(all(row[j] is not None for row in body) for j in empty)


def _is_far_beyond(cell: str, column: Sequence[Any]) -> bool:
    """Tell whether a number is a sum and no rating: more than twice the largest above it."""
    numbers = [
        x for value in column if value is not None if (x := as_number(str(value))) is not None
    ]
    number = as_number(cell) or 0.0
    return bool(numbers) and number > 2 * max(numbers) > 0 and number == sum(numbers)


def _is_odd(cell: str, column: Sequence[Any]) -> bool:
    """Tell whether a number is no rating: finer than all above it, larger, or none of them."""
    known = [str(value) for value in column if value is not None]
    numbers = [x for value in known if (x := as_number(value)) is not None]
    number = as_number(cell) or 0.0
    finer = all(_decimals(value) < _decimals(cell) for value in known)
    few = len(set(numbers)) <= 0.5 * len(numbers)  # then a value that nobody gave is odd
    return finer or (bool(numbers) and (number > max(numbers) or (few and number not in numbers)))


def _summarises(cell: str, column: Sequence[Any], named: bool) -> bool:
    """Tell whether a cell is what a program computes from the column above it.

    A rounded mean without decimals may as well be a rating, unless the row is called a mean.
    """
    number = count_beside(cell)
    if number is not None:  # 90 (.3): a count of all, with its share
        whole = [0.0 if value is None else as_number(str(value)) for value in column]
        return None not in whole and number == sum(value or 0.0 for value in whole)
    number = as_number(cell.rstrip("% "))
    values = [str(value) for value in column if value is not None]
    known = [x for value in values if (x := as_number(value)) is not None]
    if number is None:
        return False
    if len(known) < 0.7 * len(values):
        return cell not in values  # a number below words
    if len(known) < 2:
        return number in known  # the sum of one number
    mean = statistics.fmean(known)
    rounded = named or _decimals(cell) > 0
    tolerance = max(_FINE, 10 ** -_decimals(cell) * 0.51) if rounded else _FINE
    found = [sum(known), mean, statistics.median(known), float(len(known)), max(known), min(known)]
    found += [statistics.stdev(known), statistics.pstdev(known), 100 * mean]
    return any(abs(number - x) <= tolerance for x in found)


def _decimals(cell: str) -> int:
    """Count the decimals of a number; a frame writes 3 as 3.0."""
    decimals = cell.replace(",", ".").partition(".")[2]
    return len(decimals) if decimals.strip("0") else 0


# ---- columns


def is_summed(column: Column) -> bool:
    """Tell whether a column of numbers may be one of those that a sum or a mean is made of."""
    return column.is_number and not column.roles & {"total", "derived", "side", "item", "date"}


def computed_from(column: Column, group: Group) -> str:
    """Say how a column was made of the others, where it was."""
    return _sum_or_mean(column, group) or _settled_from(column, group)


_SETTLED = 0.985  # how often gold and what was agreed on are what most raters say
_NEW_LABEL = 3.0  # nats against gold for a label that no rater gave
_CLEARLY = 3.0  # nats
_FEWEST_ROWS = 5


def _settled_from(column: Column, group: Group) -> str:
    """Say that a column called so holds what was agreed on, whether all agree, or an extreme."""
    if not column.roles & {"derived", "total"} or column.roles & {"rater"}:
        return ""
    if column.family is not None and group.stems[column.family.stem] > 1:
        return ""  # N beside K, L and M
    core = _core(column, group)
    rows = _rated(column, core)
    if len(rows) < _FEWEST_ROWS:
        return ""
    if _tells_agreement(rows):
        return "tells whether the others agree"
    if column.is_number and all(c.is_number for c in core) and _is_extreme(rows):
        return "computed from the others"
    return "what the others say together" if _surely_settled(rows) > _CLEARLY else ""


def settled_weight(column: Column, group: Group) -> float:
    """Weigh in nats whether a column is what most of the others say, rather than one of them."""
    rows = _rated(column, _core(column, group))
    return _surely_settled(rows) if len(rows) >= _FEWEST_ROWS else 0.0


def _core(column: Column, group: Group) -> list[Column]:
    """The others, without what was computed from them."""
    return [c for c in group.columns if c.j != column.j and not c.roles & {"derived", "total"}]


def _rated(column: Column, core: Sequence[Column]) -> list[tuple[str, list[str]]]:
    """The values of a column beside those of two or more others."""
    return [
        (value, given)
        for value, *cells in zip(column.values, *(c.values for c in core), strict=True)
        if value is not None and len(given := [cell for cell in cells if cell is not None]) > 1
    ]


def _tells_agreement(rows: Sequence[tuple[str, Sequence[str]]]) -> bool:
    """Tell whether one value stands exactly where all agree, and others where they do not."""
    agreed = {value for value, given in rows if len(set(given)) == 1}
    apart = {value for value, given in rows if len(set(given)) > 1}
    labels = {cell for _, given in rows for cell in given}
    told = bool(agreed) and bool(apart) and len(agreed) == 1 and not agreed & apart
    return told or (len(agreed | apart) == 1 and not (agreed | apart) & labels)


def _is_extreme(rows: Sequence[tuple[str, Sequence[str]]]) -> bool:
    """Tell whether a column is the largest, the least, the median or the range of the others."""
    numbers = [(as_number(value), [as_number(x) or 0.0 for x in given]) for value, given in rows]
    found = (max, min, statistics.median, lambda given: max(given) - min(given))
    return any(
        all(value is not None and abs(value - make(given)) < _FINE for value, given in numbers)
        for make in found
    )


def _surely_settled(rows: Sequence[tuple[str, Sequence[str]]]) -> float:
    """Weigh whether a column is what most raters say, against one more rater like them."""
    total, labels = 0.0, {cell for _, given in rows for cell in given}
    clear = []
    for value, given in rows:
        (first, times), *rest = Counter(given).most_common(2)
        if times > 1 and (not rest or rest[0][1] < times):
            clear.append((value == first, times / len(given)))
    usual = min(0.97, (sum(share for _, share in clear) + 1) / (len(clear) + 2))
    for fits, _ in clear:
        total += math.log(_SETTLED / usual) if fits else math.log((1 - _SETTLED) / (1 - usual))
    return total - _NEW_LABEL * len({value for value, _ in rows} - labels)


def _sum_or_mean(column: Column, group: Group) -> str:
    """Say that a column of numbers is the sum or the mean of the others, where it is."""
    inside = column.j in group.places and is_summed(column)
    if not column.is_number or len(group.summed) - inside < 2 or column.distinct < 2:
        return ""
    rows = [
        (i, x, total - x * inside, times - inside)
        for i, (x, (total, times)) in enumerate(zip(column.numbers, group.sums, strict=True))
        if x is not None and times > inside
    ]
    if len(rows) < 3 or _is_in_family(column, group):
        return ""
    called = bool(column.roles & {"total", "derived"})
    if all(abs(x - total) < 0.006 for _, x, total, _ in rows):
        # Where all but one say 0, the sum is that one's value; that proves nothing.
        beside = [c for c in group.summed if c.j != column.j]
        telling = sum(_n_not_zero(beside, i) > 1 for i, *_ in rows)
        return "the sum of the others" if called or telling > 2 else ""
    # Where all agree, the mean is any rater's value; that proves nothing either.
    rounded = _rounding(column)
    if all(abs(x - total / times) < rounded for _, x, total, times in rows):
        whole = all(x.is_integer() for _, x, _, _ in rows)
        # Where most agree, the mean is what they say; only a value that nobody gave is computed.
        beside = [c for c in group.summed if c.j != column.j]
        own = [i for i, x, *_ in rows if not _is_given(beside, i, x, rounded)]
        surprise = sum(math.log1p(group.span(i, column) / (2 * rounded)) for i in own)
        telling = sum(group.span(i, column) > 0 for i in own)
        return (
            "the mean of the others"
            if called or (not whole and telling > 2 and surprise > _SURE)
            else ""
        )
    if not called and max(column.known) <= 1:
        return ""  # among 0 and 1 that is chance
    spans = (abs(x - group.span(i, column)) < 1e-9 for i, x, _, _ in rows)
    is_span = all(spans) and sum(group.span(i, column) > 0 for i, *_ in rows) > 4
    return "the difference of the others" if is_span else ""


def _is_in_family(column: Column, group: Group) -> bool:
    """Tell whether a name counts on with many others: N beside K, L and M is nobody's total."""
    return column.family is not None and group.stems[column.family.stem] > _MANY


def _rounding(column: Column) -> float:
    """By how much a mean may be off when it is written as finely as the column is."""
    decimals = max(len(v.replace(",", ".").partition(".")[2]) for v in column.counts)
    return max(_FINE, min(_ROUNDED, 0.51 * 10.0**-decimals))


def _is_given(columns: Sequence[Column], i: int, value: float, rounded: float) -> bool:
    """Tell whether one of the columns has the value in that row."""
    return any((x := c.numbers[i]) is not None and abs(x - value) < rounded for c in columns)


def _n_not_zero(columns: Sequence[Column], i: int) -> int:
    return sum(bool(c.numbers[i]) for c in columns)
