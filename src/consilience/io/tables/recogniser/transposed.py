"""Rows are raters, columns are items."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from consilience.io.tables.recogniser.hypotheses import (
    SHARED,
    TRANSPOSED,
    Hypothesis,
    Piece,
    Scored,
    rare,
)
from consilience.io.tables.recogniser.lexicon import roles_of
from consilience.io.tables.recogniser.likeness import (
    Group,
    is_of_one_family,
    is_someone,
    named_alike,
    shared,
    sure_companions,
)
from consilience.io.tables.recogniser.profile import Column, Profile, plain_name
from consilience.io.tables.recogniser.styles import family_of, is_hash, is_template
from consilience.io.tables.recogniser.wide_tables import (
    LETTERS_OF_RATERS,
    TWO_GROUPS,
    UNEXPLAINED_NUMBER,
    UNEXPLAINED_TEXT,
    n_apart,
)

_PRIOR = -2.0
_FIRST_NUMBER = 200  # raters are counted from 1 or 101 on
_DOTTED = re.compile(r"\d+[-_.]\d+")  # 1-1, 1-2: texts and their sentences
_FILE = re.compile(r".+\.(?:[a-zA-Z]{2,4}|mp[34])")
_NEAR = 10.0  # nats within which a column may be an item or a fact about the rater
_FEW = {2: 4.0, 3: 2.5, 4: 1.0}  # nobody measures agreement on two items
_RATERS = ("r#", "j#", "rater#", "coder#", "annotator#", "ann#", "annot#", "exp#", "obs#")
_MOST_FLIPS = 4
_IN_ORDER = 3.0  # nats beyond chance that make a running number of a column
_MANY = 8  # columns that are too many for facts about a rater
_CALLED_RATERS, _ADDRESSES, _CODES = 10.0, 8.0, 4.0  # rows are rater1, ann@uni.edu, C1
_LETTERS_OF_ITEMS = ("s#", "p#", "q#", "t#", "n#", "d#", "i#", "id#")
_MOST_NAMES = 2
_NO_NAMES = 8.0  # sentences, fractions and files rate nothing
_CALLED = 5.0
_CONTRADICTION = 2.0  # what values can be worth against a name that says "no item"
_ASIDE = {"side", "date", "comment", "total", "derived", "confidence"}


def transposed_hypotheses(
    profile: Profile, rater: tuple[int, ...] = (), by: int | None = None
) -> list[Scored]:
    """Take the rows as raters; `rater` is the column of their names where that was told."""
    aside = sure_companions(profile)
    columns = [c for c in profile.live if c.j != by and c.j not in aside]
    unique = [c for c in columns if c.is_unique and c.is_complete and c.kind != "date"]
    unique.sort(key=lambda c: ("rater" not in c.roles, c.is_number, c.j))
    told: list[Column | None] = [profile.columns[j] for j in rater]
    found = []
    for who in told or [*unique[:_MOST_NAMES], None]:
        rest = [c for c in columns if who is None or c.j != who.j]
        found += _taken(profile, rest, who)
    return found


def _taken(profile: Profile, rest: Sequence[Column], who: Column | None) -> list[Scored]:
    """Take the columns of one kind as items, each that may be none of them in and out."""
    alike = _of_one_kind([c for c in rest if c.kind != "date"])
    if len(alike) < 2:
        return []
    group = Group(alike)
    doubts = {c.j: _doubt(c, group, len(alike)) for c in alike}
    kept = frozenset(j for j, doubt in doubts.items() if doubt > 0)
    near = sorted((j for j in doubts if abs(doubts[j]) < _NEAR), key=lambda j: abs(doubts[j]))
    found = []
    whole = [c for c in alike if c.j in kept]
    left = -sum(_unexplained(c) for c in alike if c.j not in kept)
    for flip in (None, *near[:_MOST_FLIPS]):
        items = [c for c in alike if c.j in (kept if flip is None else kept ^ {flip})]
        if len(whole) > 1 and len(items) > 1:
            h = Hypothesis(
                TRANSPOSED, item=tuple(c.j for c in items), rater=() if who is None else (who.j,)
            )
            doubt = left if flip is None else left - abs(doubts[flip])
            found.append(Scored(h, (*_common(whole, doubt), *_pieces(profile, whole, who))))
    return found


def _of_one_kind(columns: Sequence[Column]) -> list[Column]:
    """Return the words or the numbers, whichever are more; a 0 beside + and - is a word."""
    words = {key for c in columns if not c.is_number for key in c.keys}
    numbers = [c for c in columns if c.is_number and not c.keys.keys() <= words]
    if len(numbers) > 0.5 * len(columns):
        return numbers
    kept = {c.j for c in numbers}
    return [c for c in columns if c.j not in kept]


def _common(items: Sequence[Column], doubt: float) -> tuple[Piece, ...]:
    """What says that columns belong together, as in a wide table."""
    group = Group(items)
    return (
        Piece(SHARED, sum(shared(c, group) for c in items)),
        Piece("names of one family or style", sum(named_alike(c, group) for c in items)),
        Piece("nothing is left out without a reason", doubt),
    )


def _doubt(column: Column, group: Group, n_columns: int) -> float:
    """Weigh whether a column is an item, or says something about the rater.

    Items differ, so leaving one out needs a reason: a name, or an order that chance does not
    make in one of so many columns.
    """
    alike = named_alike(column, group)
    if is_of_one_family(column, group) or (is_hash(column.name) and _are_hashes(group)):
        return _NEAR  # one of T1, T2, ..., whatever a T is
    numbers_rows = column.is_running or column.is_rising or column.is_permutation
    surprise = math.lgamma(column.filled + 1) - math.log(n_columns)
    if column.filled > 4 and numbers_rows and alike < 4.0 and surprise > _IN_ORDER:
        return -_NEAR
    worth = shared(column, group) + alike
    called = bool(column.roles & _ASIDE) and "item" not in column.roles and alike < 3.0
    if called:
        return min(worth - _CALLED, -_CALLED if alike < 0 else _CONTRADICTION) + _unexplained(
            column
        )
    if n_columns >= _MANY and alike >= 0 and not (column.is_number or column.roles):
        return max(_NEAR, worth)
    if alike >= 0 and column.is_number and _in_reach(column, group):
        return max(_NEAR, worth)
    return worth + _unexplained(column)


def _are_hashes(group: Group) -> bool:
    """Tell whether nearly all columns are called by identifiers that a program made."""
    if ("hashes", -1) not in group.memo:
        hashes = sum(is_hash(c.name) for c in group.columns)
        group.memo["hashes", -1] = hashes > 0.8 * len(group.columns)
    return bool(group.memo["hashes", -1])


def _unexplained(column: Column) -> float:
    """What it costs to leave a column out: nothing where its name or its order says why."""
    called = bool(column.roles & _ASIDE)
    cost = UNEXPLAINED_NUMBER if column.is_number else UNEXPLAINED_TEXT
    return 0.0 if column.is_rising or column.is_permutation else max(0.0, cost - _CALLED * called)


def _in_reach(column: Column, group: Group) -> bool:
    """Tell whether numbers lie in the range of the others, or not farther off than it is wide.

    Items differ, so the range is that of all of them, and not of the one that has the widest.
    """
    if ("ends", -1) not in group.memo:
        numbers = [c for c in group.columns if c.is_number]
        lows = sorted((min(c.known), c.j) for c in numbers)[:2]
        highs = sorted(((max(c.known), c.j) for c in numbers), reverse=True)[:2]
        group.memo["ends", -1] = lows, highs
    lows, highs = group.memo["ends", -1]
    low = next((x for x, j in lows if j != column.j), math.inf)
    high = next((x for x, j in highs if j != column.j), -math.inf)
    width = max(1.0, high - low)
    return low - width <= min(column.known) and max(column.known) <= high + width


def _pieces(profile: Profile, items: Sequence[Column], who: Column | None) -> tuple[Piece, ...]:
    ratio = math.log(len(items) / profile.n)
    ratio *= 1.5 if ratio > 0 else 2.0  # few have more raters than items
    return (
        Piece("rows are seldom raters", _PRIOR),
        Piece("rows are called like raters", _row_names(who)),
        Piece("rows are called by labels", _called_by_labels(who, items)),
        Piece("rows are called like columns", _called_like_columns(who, items)),
        Piece("columns are called like items", _column_names(items)),
        Piece("so many raters are rare", rare(profile.n)),
        Piece("fewer rows than columns", max(-8.0, min(4.0, ratio))),
        Piece("all items have the same labels", _apart(items)),
        Piece("hardly rows enough for items", _FEW.get(profile.n, 0.0)),
    )


def _apart(items: Sequence[Column]) -> float:
    """Weigh words of two sorts, as of two variables; marks of two items may well differ."""
    return -TWO_GROUPS * n_apart([c for c in items if not c.is_number])


def _row_names(who: Column | None) -> float:
    if who is None:
        return -6.0
    total = 0.0
    if "rater" in who.roles:  # participants rate, or are rated
        total += 9.0 if "item" not in who.roles else 0.0
    elif who.roles & {"item", "text", "date"} or ("side" in who.roles and who.is_number):
        total -= 8.0
    values = list(who.counts)
    raters = sum("rater" in roles_of(v) for v in values)
    persons = sum(is_someone(v) for v in values)
    stems = {f.stem if (f := family_of(v)) is not None else v for v in values}
    called = raters > 0.8 * len(values) or (len(stems) == 1 and min(stems) in _RATERS)
    total += _CALLED_RATERS if called else 0.0
    if len(stems) == 1 and not who.roles:
        total += (
            _ADDRESSES if stems == {"@"} else _CODES * (min(stems) in {*LETTERS_OF_RATERS, "A0"})
        )
    total += 3.0 if who.kind == "text" and persons > 0.8 * len(values) else 0.0
    items = sum("item" in roles_of(v) for v in values)
    total -= 4.0 if items > 0.5 * len(values) and not raters else 0.0
    total -= 3.0 if len(values) > 40 else 0.0
    total -= 2.0 if who.kind == "whole" else 0.0
    total -= _NO_NAMES if who.is_prose or who.kind == "decimal" or _are_things(values) else 0.0
    return total


def _are_things(names: Sequence[str]) -> bool:
    """Tell whether names are those of files, or identifiers that no person has."""
    return all(map(_FILE.fullmatch, names)) or all(map(is_hash, names))


def _called_by_labels(who: Column | None, items: Sequence[Column]) -> float:
    """Weigh a column of names that are labels of the items: it is an item itself."""
    if who is None or "rater" in who.roles:
        return 0.0
    labels = {key for c in items for key in c.keys}
    return -8.0 if who.keys.keys() <= labels else 0.0


def _called_like_columns(who: Column | None, items: Sequence[Column]) -> float:
    """Weigh rows that are called like the columns, as in a cross-table of two raters."""
    names = {plain_name(c.name) for c in items}
    common = 0 if who is None else sum(plain_name(value) in names for value in who.counts)
    return -8.0 if common > 1 and who is not None and common >= 0.7 * who.distinct else 0.0


def _are_identifiers(names: Sequence[str]) -> bool:
    """Tell whether names are hashes, or numbers with gaps: raters would be counted from 1 on."""
    if not all(name.strip().isdigit() for name in names):
        return all(map(is_hash, names)) or all(map(_DOTTED.fullmatch, names))
    numbers = sorted(int(name) for name in names)
    return numbers[-1] - numbers[0] > 2 * len(numbers) or numbers[0] > _FIRST_NUMBER


def _column_names(items: Sequence[Column]) -> float:
    names = [c.name for c in items]
    total = 0.0
    sounds: Counter[str] = Counter()
    for name in names[:40]:
        sounds.update(roles_of(name))
    looked_at = min(40, len(names))
    total += 4.0 if sounds["item"] > 0.7 * looked_at else 0.0
    total -= 6.0 if sounds["rater"] > 0.7 * looked_at else 0.0
    families = Counter(f.stem for name in names if (f := family_of(name)) is not None)
    most = max(families.values(), default=0)
    by_letter = most > 0 and families.most_common(1)[0][0] in LETTERS_OF_RATERS  # C1, C2
    if most > 0.8 * len(names) and len(names) > 8 and not families["A0"] and not by_letter:
        total += 2.0
    total -= 3.0 if families["A0"] > 0.7 * len(names) else 0.0
    total += 2.0 if most == len(names) and max(families) in _LETTERS_OF_ITEMS else 0.0
    if all(map(_FILE.fullmatch, names)) or _are_identifiers(names):
        total += 3.0
    if is_template(names) and len(names) > 4 and not sounds["rater"] and not by_letter:
        total += 1.5
    if len(names) > 4 and all(n.isdigit() and n[0] == "0" and len(n) > 1 for n in names[:9]):
        total += 3.0
    if most > 0.8 * len(names) and families["#"] == most and not names[0].strip().isdigit():
        total += 3.0  # questions: 1. What ...
    if sum(len(n) > 25 for n in names) > 0.5 * len(names):
        total += 3.0  # sentences
    total -= 6.0 if families["@"] > 0.7 * len(names) else 0.0
    persons = sum(is_someone(n) and family_of(n) is None for n in names)
    total -= 3.0 if persons > 0.7 * len(names) else 0.0
    return total
