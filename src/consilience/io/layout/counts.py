"""Cells are numbers of ratings: items by categories, or the cross-table of two raters."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from consilience.core.arrays import Floats
from consilience.io.layout.decision import (
    COUNTS,
    IN_OTHER_CASE,
    SHARED,
    SQUARE,
    TABLE,
    Hypothesis,
    Piece,
    Scored,
)
from consilience.io.layout.lexicon import SAYS_NO, SAYS_YES, roles_of
from consilience.io.layout.likeness import (
    Group,
    alphabet_probability,
    is_someone,
    named_alike,
    shared,
    sure_companions,
)
from consilience.io.layout.profile import Column, Profile, plain_name
from consilience.io.layout.wide_tables import LETTERS_OF_RATERS, group_of, item_column

_PRIOR = -2.0
_CORNER = re.compile(r"\s*[/\\|×↓→]+\s*")  # Ann / Bob: whose rows, whose columns
_MOST = 25.0
_MOST_SUMS = 8.0
_UNEQUAL, _UNEQUAL_WITH_GAPS = -2.0, -8.0  # rows that differ in their sums
_PERSONS = -6.0  # what persons' names are worth where rows differ in their sums
_FEW_LABELS = 4
_STEADY = 0.5  # sums that vary less than half as much as what they sum up
_MOST_COUNTED = 1e12  # sums of many such numbers are exact still; larger ones name something
_MISSED = 6.0  # nats against a column that makes up for the others by chance
_MOST_RUNS = 8  # of one sort; shorter runs are parts of the table
_HASHED = 0x9E3779B97F4A7C15  # an odd number, whose powers make a hash of a column
_NO_CATEGORY = {"total", "side", "date", "derived", "rater"}
_ANSWERS = frozenset(
    ["no", "yes", "n", "y", "none", "other", "same", "different", "all", "agree", "disagree",
     "true", "false", "correct", "incorrect", "left", "right", "center", "centre", "neutral",
     "match", "mismatch", "conflict"]
)  # fmt: skip


@dataclass(frozen=True)
class Tally:
    """Columns of counts, added up once, so that each run of them is one look at two places."""

    columns: Sequence[Column]

    @cached_property
    def own(self) -> frozenset[int]:
        """Where the columns stand in the table."""
        return frozenset(c.j for c in self.columns)

    @cached_property
    def cells(self) -> Floats:
        """Rows by columns, 0 where a cell is empty."""
        return np.array([_counted(c) for c in self.columns], dtype=float).T

    @cached_property
    def sums(self) -> Floats:
        """What each row adds up to."""
        return np.asarray(self.cells.sum(axis=1))

    @cached_property
    def is_constant(self) -> bool:
        """Every row adds up to the same number."""
        return bool((self.sums == self.sums[0]).all())

    @cached_property
    def variance(self) -> float:
        """Variances of the columns, added up."""
        return float(self.cells.var(axis=0).sum())

    @cached_property
    def ratio(self) -> float:
        """Variance of the sums of the rows over the sum of the columns' variances."""
        if self.is_constant:
            return 0.0
        return max(1e-3, float(self.sums.var()) / self.variance) if self.variance else math.inf

    def places(self, start: int, end: int) -> list[int]:
        """Where the columns from one to another stand in the table."""
        return [c.j for c in self.columns[start:end]]

    @cached_property
    def upto(self) -> Floats:
        """What each row adds up to before each column, and at the end."""
        return np.hstack([np.zeros((len(self.cells), 1)), self.cells.cumsum(axis=1)])

    def steady(self) -> Iterator[tuple[int, int]]:
        """Yield the longest runs, from the left or to the right, whose rows all add up alike."""
        upto, n = self.upto, len(self.columns)
        before = (upto == upto[0]).all(axis=0)
        after = upto[:, -1:] - upto
        after_too = (after == after[0]).all(axis=0)
        runs = [(k, run) for k in range(n) if after_too[k] for run in [(k, n)]]
        runs += [(n - k, (0, k)) for k in range(2, n + 1) if before[k]]
        yield from [run for _, run in sorted(runs)[:_MOST_RUNS] if run[1] - run[0] > 1]

    def totals(self) -> Iterator[tuple[int, list[int]]]:
        """Yield each column that holds the sums of all others, or of a run beside it or an edge.

        And the places of the longest such run. Runs are looked up by what they would add up to, so
        that this takes no longer for a column more than for the last.
        """
        n = len(self.columns)
        powers = np.cumprod(np.full(len(self.cells), _HASHED, dtype=np.uint64))
        hashes = (self.cells.astype(np.uint64) * powers[:, None]).sum(axis=0)
        known = [0, *np.cumsum(hashes).tolist()]  # modulo 2 ** 64, as all that follows
        first = {value: k for k, value in reversed(list(enumerate(known)))}
        last = {value: k for k, value in enumerate(known)}
        for t, total in enumerate(hashes.tolist()):
            if not self.columns[t].is_complete:
                continue
            runs = [
                (first.get((known[t] - total) % 2**64, t), t),
                (0, min(last.get(total, 0), t)),
                (t + 1, last.get((known[t + 1] + total) % 2**64, 0)),
            ]
            if known[n] == 2 * total % 2**64:
                runs.append((0, n))
            for start, end in sorted(runs, key=lambda run: run[0] - run[1]):
                places = [j for j in self.places(start, end) if j != self.columns[t].j]
                if len(places) > 1 and self._adds_up(start, end, t):
                    yield t, places
                    break

    def _adds_up(self, start: int, end: int, t: int) -> bool:
        inside = start <= t < end
        run = self.upto[:, end] - self.upto[:, start] - inside * self.cells[:, t]
        return bool((run == self.cells[:, t]).all())


def counts_hypotheses(profile: Profile, by: int | None = None) -> list[Scored]:
    """Rows are items, columns are categories, cells say how many raters chose them."""
    aside = sure_companions(profile)
    columns = [c for c in profile.live if c.j != by and c.j not in aside]
    numeric = [c for c in columns if is_count(c) and not (c.is_running and c.filled > 3)]
    found: dict[tuple[int, ...], Scored] = {}
    runs = sorted(_runs(numeric), key=lambda run: run[1] is None)  # told sums first
    for run, total in runs:
        places = tuple(run)
        if len(places) < 2 or places in found:
            continue
        inside = frozenset(places)
        chosen = [c for c in numeric if c.j in inside]
        if not _writes_zeros_in_one_way(chosen):
            continue
        rest = [c for c in columns if c.j not in inside and c.j != total]
        item = item_column(profile, rest, group_of(profile, inside))
        found[places] = _score_counts(profile, chosen, rest, item, total, by=by)
    return list(found.values())


def is_count(column: Column) -> bool:
    """Every value is a whole number, 0 or more; an empty cell may be a 0 that nobody wrote."""
    if column.kind != "whole" or min(column.known) < 0 or max(column.known) > _MOST_COUNTED:
        return False
    return column.filled == column.n or not (column.marks or 0 in column.known)


def _counted(column: Column) -> list[float]:
    """The numbers of a column of counts, 0 where the cell is empty."""
    return [x or 0.0 for x in column.numbers]


def is_called_sum_of(column: Column, others: Sequence[Column]) -> bool:
    """Tell whether a column is called a total, and holds the sums of the others."""
    if not _is_total(column.name) or not is_count(column):
        return False
    rest = [c for c in others if c.j != column.j]
    return len(rest) > 1 and _counted(column) == _sums(rest)


def _writes_zeros_in_one_way(columns: Sequence[Column]) -> bool:
    """Tell whether a 0 is always written or never: both together would be two things."""
    blank = any(c.filled < c.n for c in columns)
    return not blank or not any(0 in c.known for c in columns)


def _runs(numeric: Sequence[Column]) -> list[tuple[list[int], int | None]]:
    """Sets of columns whose sum may be the number of raters: all, without ids, up to a total."""
    found: list[tuple[list[int], int | None]] = [([c.j for c in numeric], None)]
    plain = [c.j for c in numeric if not c.is_unique and "item" not in c.roles]
    found.append((plain, None))
    able = [c for c in numeric if not _is_no_category(c) and not c.is_unique]
    found.append(([c.j for c in able], None))
    # Numbers of another size, such as years, count no raters.
    usual = statistics.median_low([max(c.known) for c in able]) if able else 0.0
    found.append(([c.j for c in able if max(c.known) <= 5 * usual + 5], None))
    if len(numeric) < 2:
        return found
    tally = Tally(numeric)
    told = [(run, numeric[t].j) for t, run in tally.totals()]
    found += sorted(told, key=lambda one: -len(one[0]))[:_MOST_RUNS]
    return found + [(tally.places(*run), None) for run in tally.steady()]


def _sums(columns: Sequence[Column]) -> list[float]:
    return [sum(x or 0.0 for x in row) for row in zip(*(c.numbers for c in columns), strict=True)]


def _score_counts(
    profile: Profile,
    chosen: Sequence[Column],
    rest: Sequence[Column],
    item: Column | None,
    total: int | None,
    *,
    by: int | None,
) -> Scored:
    group = group_of(profile, frozenset(c.j for c in chosen))
    tally = Tally(chosen)
    able = [c for c in rest if c is not item and is_count(c) and not c.is_unique]
    unexplained = [c for c in able if not c.roles]
    missed = [c for c in able if _makes_up(c, tally) or _is_steady(c, tally)]
    pieces = (
        Piece("counts are rarer than ratings", _PRIOR),
        # A label that few choose has other numbers than one that most choose.
        Piece(SHARED, sum(max(-2.0, shared(c, group)) for c in chosen)),
        Piece("names of one family or style", sum(named_alike(c, group) for c in chosen)),
        Piece("rows add up to the number of raters", _constant_sums(tally)),
        Piece("a column holds the sums", _sums_told(profile, tally, total)),
        Piece("more of one means less of the others", _trade_off(profile, tally)),
        Piece("names of categories", _category_names(tally)),
        Piece("cells that are counts", _cells(tally)),
        Piece("columns that are no category", -_no_categories(tally)),
        Piece("fewer categories than items", _fewer(profile, chosen)),
        Piece("each row is another item", 0.0 if item is None else 2.0 if item.is_unique else -8.0),
        Piece("nothing is left out without a reason", -3.0 * len(unexplained)),
        Piece("no column makes up for the others", -_MISSED * len(missed)),
    )
    places = tuple(c.j for c in chosen)
    return Scored(
        Hypothesis(COUNTS, item=() if item is None else (item.j,), category=places, by=by), pieces
    )


def _fewer(profile: Profile, chosen: Sequence[Column]) -> float:
    return max(-8.0, min(0.0, 2.0 * math.log(profile.n / len(chosen))))


def _no_categories(tally: Tally) -> float:
    """Weigh columns that cannot be counts of a label: called so, identifiers, sums of others."""
    chosen = tally.columns
    called = [c for c in chosen if _is_no_category(c)]
    proven = [c for c in called if _makes_up(c, tally)]
    excused = {role for c in proven for role in c.roles}  # here such words are labels
    cost = 6.0 * sum(not c.roles <= excused for c in called)
    cost += 12.0 * sum((c.is_unique or c.is_permutation) and c.filled > 6 for c in chosen)
    cost += 6.0 * sum("item" in c.roles and not _is_answer(c) for c in chosen)
    cost += 8.0 * any(c.family is not None and c.family.stem in ("@", "A0") for c in chosen)
    return cost + 12.0 * any(True for _ in tally.totals())


def _is_steady(column: Column, others: Tally) -> bool:
    """Tell whether every row has the same number, and it may be one of raters."""
    able = column.distinct == 1 and "total" not in column.roles
    return able and 0 <= column.known[0] <= others.sums.max()


def _makes_up(column: Column, others: Tally) -> bool:
    """Tell whether rows differ less in their sums with a column than without it.

    Then it counts raters who chose none of the others, whatever it is called.
    """
    counted = np.array(_counted(column))
    without = others.sums - counted if column.j in others.own else others.sums
    # A column of one number changes nothing but the last digits.
    return bool((without + counted).var() < (1.0 - 1e-12) * without.var())


def _is_no_category(column: Column) -> bool:
    return bool(column.roles & _NO_CATEGORY) and not _is_answer(column)


def _is_answer(column: Column) -> bool:
    """Tell whether a column is called by an answer: yes, other, left."""
    return column.name.strip().casefold() in _ANSWERS | SAYS_YES | SAYS_NO


def _constant_sums(tally: Tally) -> float:
    """Weigh equal sums of the rows against what columns that vary freely would do."""
    if tally.is_constant:
        if tally.sums[0] < 2:
            return -20.0
        n = len(tally.sums)
        return min(_MOST, (n - 1) * math.log(1 + math.sqrt(2 * math.pi * tally.variance)))
    # A 0 that nobody wrote is no surprise in counts, but a gap in ratings is none either.
    return _UNEQUAL_WITH_GAPS if any(c.filled < c.n for c in tally.columns) else _UNEQUAL


def _sums_told(profile: Profile, tally: Tally, total: int | None) -> float:
    """Weigh that a column is the sum of the others in every row, against chance.

    Marks are summed up as well; only sums that vary less than what they sum up count raters.
    """
    if total is None or tally.ratio > _STEADY:
        return 0.0
    searched = math.log(len(profile.columns) ** 3)
    worth = profile.n * math.log(1 + math.sqrt(2 * math.pi * tally.variance)) - searched
    return max(0.0, min(_MOST_SUMS, worth))


def _trade_off(profile: Profile, tally: Tally) -> float:
    """Weigh the variance of the row sums against the sum of variances: raters go together."""
    ratio = tally.ratio
    if ratio in (0.0, math.inf):
        return 0.0
    worth = (
        0.5 * profile.n * math.log(1 / ratio) if ratio < 1 else -0.5 * profile.n * math.log(ratio)
    )
    return max(-12.0, min(10.0, worth - 2.0))


def _category_names(tally: Tally) -> float:
    """Weigh whether the columns are called like labels rather than like raters."""
    total, columns = 0.0, tally.columns
    stems = [c.family.stem for c in columns if c.family is not None]
    raters = sum("rater" in c.roles for c in columns)
    if raters:
        total -= 8.0
    if len(stems) == len(columns) and len(set(stems)) == 1 and stems[0] not in ("#", ""):
        known = roles_of(stems[0].rstrip("#")) & {"label"}
        letters = {*LETTERS_OF_RATERS, "A0"}  # C1, C2 are coders as often as codes
        unknown = -2.0 if tally.ratio == 0.0 or stems[0] not in letters else _PERSONS
        total += 2.0 if known else unknown
    if all(c.name.strip().casefold() in SAYS_YES | SAYS_NO for c in columns):
        total += 6.0  # nobody is called so
    numbers = [c.name for c in columns if c.name.strip().lstrip("-").isdigit()]
    if len(numbers) == len(columns):
        total += 1.0
    elif all(is_someone(c.name) for c in columns):
        proven = any(map(_is_answer, columns)) or tally.ratio == 0.0
        total += -1.0 if proven else _PERSONS
    elif all(c.name.islower() for c in columns):
        total += 1.0
    return total


def _cells(tally: Tally) -> float:
    """Zeros are common among counts, large numbers are not."""
    columns = tally.columns
    if tally.ratio > _STEADY and max(max(c.known) for c in columns) > 30:
        return -8.0
    zeros, cells = int((tally.cells == 0).sum()), tally.cells.size
    if zeros == 0 and cells >= 24 and tally.sums.max() <= 8 * len(columns):
        return -8.0
    return 1.0 if zeros > 0.2 * cells else -3.0 if zeros == 0 and len(columns) > 2 else 0.0


# ---- cross-table


def table_hypotheses(profile: Profile) -> list[Scored]:
    """Two raters: the row names are the column names, the cells are counts."""
    live = profile.live
    if len(live) < 3 or profile.n < 2:
        return []
    first, *rest = live
    rows = row_names(first)
    if not rows:
        return []
    exact = not _differ_in_case([c.name for c in rest], rows)
    plain = plain_name if exact else str.casefold
    body = _without_sums(rest, set(map(plain_name, rows)))
    names = {plain(c.name.strip()): c for c in body}
    adds_up = all(is_count(c) and (c.numbers[-1] or 0) == sum(_counted(c)[:-1]) for c in body)
    skip = tuple(
        v
        for v in rows[-1:]
        if (_is_total(v) or (adds_up and len(rows) > 2)) and plain(v.strip()) not in names
    )
    labels = [plain(v.strip()) for v in rows if v not in skip]
    if len(names) < len(body) or len(body) < 2 or len(labels) < 2:
        return []
    if not all(is_count(c) for c in body) or not _writes_zeros_in_one_way(body):
        return []
    common = set(labels) & set(names)
    union = set(labels) | set(names)
    never_meet_twice = len(body) > _FEW_LABELS and max(max(c.known) for c in body) < 2
    if never_meet_twice or (len(common) < 2 and len(union) > len(common)):
        return []
    fits = len(common) / len(union)
    worth = sum(-math.log(alphabet_probability(v, v.isdigit())) for v in common)
    numbers = all(label.isdigit() for label in union)
    worth -= (1.5 if numbers else 4.0) * (len(union) - len(common))  # nobody gave some marks
    in_order = [label for label in labels if label in names] == [n for n in names if n in labels]
    group = Group(body)
    pieces = (
        Piece(SHARED, sum(shared(c, group) for c in body)),
        Piece("names of one family or style", sum(named_alike(c, group) for c in body)),
        Piece("row names are the column names", worth + (15.0 if fits == 1 else -2.0)),
        Piece("two names in the corner", 4.0 * (len(_CORNER.split(first.name.strip())) == 2)),
        Piece("in the same order", 2.0 if in_order else -3.0),
        Piece("rows and columns of totals", 6.0 * bool(skip) + 4.0 * (len(body) < len(rest))),
        *(() if exact else (Piece(IN_OTHER_CASE, 0.0),)),
        *((Piece(SQUARE, 0.0),) if exact and fits == 1 else ()),
    )
    h = Hypothesis(TABLE, item=(first.j,), category=tuple(c.j for c in body), skip_rows=skip)
    return [Scored(h, pieces)]


def _differ_in_case(columns: Sequence[str], rows: Sequence[str]) -> bool:
    """Tell whether rows are called as columns are, but for the case of words.

    Items a, b and raters A, B are called so as well: letters alone are no such words.
    """
    names = {name.strip() for name in columns}
    words = [row.strip() for row in rows if len(row.strip()) > 1]
    folded = {name.casefold() for name in names if len(name) > 1}
    return sum(word.casefold() in folded for word in words) > 1 and not names & set(words)


def row_names(column: Column) -> list[str]:
    """Return the names of the rows of a cross-table, NA among them; none if they are no names."""
    names = [cell for cell in column.cells if cell is not None]
    return names if len(set(names)) == column.n else []


def _without_sums(columns: Sequence[Column], labels: Collection[str]) -> list[Column]:
    """Leave out a last column that holds the sums of the others, or is called so."""
    *others, last = columns
    if len(others) < 2 or not all(map(is_count, columns)):
        return list(columns)
    adds_up = _counted(last) == _sums(others)
    if plain_name(last.name) in labels:
        # A label may happen to be the sum of the others on one side, but not on both.
        adds_up = adds_up and all(_counted(c)[-1] == sum(_counted(c)[:-1]) for c in columns)
    called = _is_total(last.name) and last.name.strip().casefold() not in _ANSWERS
    return list(others) if adds_up or called else list(columns)


def _is_total(name: str) -> bool:
    return "total" in roles_of(name)
