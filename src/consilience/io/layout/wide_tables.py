"""Rows are items, columns are raters; or, transposed, rows are raters and columns items."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from consilience.io.layout.decision import SHARED, TRANSPOSED, WIDE, Hypothesis, Piece, Scored, rare
from consilience.io.layout.lexicon import (
    family_of,
    is_hash,
    is_template,
    names_document,
    roles_of,
)
from consilience.io.layout.likeness import (
    Group,
    Reason,
    against,
    called_otherwise,
    has_labels_of,
    is_of_one_family,
    is_someone,
    is_stranger,
    may_be_settled,
    named_alike,
    named_as_rater,
    shared,
    sure_companions,
)
from consilience.io.layout.profile import Column, Profile, plain_name
from consilience.io.layout.standing import standing_of

# ---- rows are items, columns are raters

UNEXPLAINED_TEXT, UNEXPLAINED_NUMBER = 6.0, 3.0  # what it costs to leave a column out unexplained
_CONTRADICTION = 2.0  # what values can be worth against a name that says "no rater"
_ALIKE = 2.0
TWO_GROUPS = 12.0
_OWN_LIST = 20.0
_FEW_LABELS = 12  # different values; more may be a fact that is called after a rater
_AGGREGATE = 4.0  # nats that say: computed
_MOST_PASSES = 4
_MOST_FAMILIES = (
    12  # of names; columns of more are taken for a grid, or go together by their values
)
_FAR = 30.0  # a column that is that clearly in or out needs no second look
_MOST_FLIPS = 12
_MOST_REASON = 30.0
_REPEATED_ITEM = -10.0
LETTERS_OF_RATERS = frozenset(("r#", "j#", "c#", "a#", "e#", "o#", "k#"))  # and A0: see styles
_NOTHING_COMPARED = -20.0
_CROWD, _MORE_RATERS = 12, -3.0
_PARTS = -4.0
_WITHIN = 8.0  # a text and its sentence together name each row
_ROWS_OF_RATERS = -2.0  # what names the rows names raters
_AMONG = 12.0  # what it costs more to leave out a column that stands among the raters
_FAMILY = 25.0  # what it costs to leave one of a family out, for no reason


def wide_hypotheses(
    profile: Profile, by: int | None = None, also: Iterable[frozenset[int]] = ()
) -> list[Scored]:
    """Return the best ways to take a table as wide, what comes near, and the sets in `also`."""
    aside = sure_companions(profile)
    columns = [c for c in profile.live if c.j != by and c.j not in aside]
    found: dict[frozenset[int], Scored] = {}
    for chosen in dict.fromkeys(_climb(profile, columns, seed) for seed in _seeds(columns)):
        for places in (chosen, *_flips(profile, columns, chosen)):
            if len(places) >= 2 and places not in found:
                found[places] = score_wide(profile, columns, places, by)
    able = {c.j for c in columns}
    lettered = _lettered(columns)
    if lettered is not None:
        return [_in_full(score_wide(profile, columns, lettered, by))]
    for places in also:
        if len(places) >= 2 and places not in found and places <= able:
            found[places] = score_wide(profile, columns, places, by)
    return list(found.values())


def _lettered(columns: list[Column]) -> frozenset[int] | None:
    """Return the columns A, B, C, ... beside one called an item: nobody of them is left out."""
    if not columns or "item" not in columns[0].roles or not columns[0].is_unique:
        return None
    rest = columns[1:]
    letters = [chr(ord("A") + k) for k in range(len(rest))]
    whole = len({c.is_number for c in rest}) == 1 and all(c.kind != "date" for c in rest)
    named = 1 < len(rest) <= 26 and [c.name.strip() for c in rest] == letters
    return frozenset(c.j for c in rest) if named and whole else None


def _in_full(one: Scored) -> Scored:
    """Return the same without what speaks against single columns: their names go together."""
    aside = ("columns that are of another kind",)
    return replace(one, pieces=tuple(piece for piece in one.pieces if piece.name not in aside))


def group_of(profile: Profile, places: frozenset[int]) -> Group:
    """Return columns summed up, from memory where they were before."""
    return profile.remembered(
        ("group", places), lambda: Group([c for c in profile.columns if c.j in places])
    )


def _seeds(columns: list[Column]) -> Iterable[frozenset[int]]:
    """Sets of columns to begin with: families of names, and columns of one kind."""
    stems: dict[str, set[int]] = {}
    for column in columns:
        if column.family is not None:
            stems.setdefault(column.family.stem, set()).add(column.j)
    families = sorted(stems.values(), key=len, reverse=True)[:_MOST_FAMILIES]
    seeds = [frozenset(places) for places in families if len(places) > 1]
    plain = [
        c
        for c in columns
        if c.kind != "date"
        and not c.is_prose
        and not c.is_index
        and not c.is_running
        and not (c.is_unique and c.filled > 6)
    ]
    seeds += _alike(plain)
    for kinds in (("text",), ("whole", "decimal")):
        seeds.append(frozenset(c.j for c in plain if c.kind in kinds))
        seeds.append(frozenset(c.j for c in columns if c.kind in kinds and not c.is_running))
    return dict.fromkeys(seed for seed in seeds if len(seed) > 1)


def _alike(columns: list[Column]) -> list[frozenset[int]]:
    """Put columns together that have a value in common, text by text and number by number.

    Measured ones have a scale in common.
    """
    groups: list[tuple[bool, set[str], set[int]]] = []
    for column in columns:
        values = {*column.keys, *(["measured"] if column.is_measured else [])}
        places = {column.j}
        rest = []
        for is_number, known, others in groups:
            if is_number == column.is_number and known & values:
                values |= known
                places |= others
            else:
                rest.append((is_number, known, others))
        groups = [*rest, (column.is_number, values, places)]
    return [frozenset(places) for _, _, places in groups if len(places) > 1]


def _flips(profile: Profile, columns: list[Column], chosen: frozenset[int]) -> list[frozenset[int]]:
    """The same with one column in or out, where that is not far off."""
    group = group_of(profile, chosen)
    near = [c for c in columns if abs(_as_rater(c, group) - _as_other(c, group)) < _FAR]
    near.sort(key=lambda c: abs(_as_rater(c, group) - _as_other(c, group)))
    return [chosen ^ {c.j} for c in near[:_MOST_FLIPS]]


def _climb(profile: Profile, columns: list[Column], seed: frozenset[int]) -> frozenset[int]:
    """Move columns in and out while that makes the table more probable."""
    chosen = seed
    for _ in range(_MOST_PASSES):
        group = group_of(profile, chosen)
        better = frozenset(c.j for c in columns if _as_rater(c, group) > _as_other(c, group))
        if better == chosen or len(better) < 2:
            break
        chosen = better
    return chosen


def _for_rater(column: Column, group: Group) -> float:
    called = named_as_rater(column) + called_otherwise(column, group)
    return shared(column, group) + named_alike(column, group) + called


def _as_rater(column: Column, group: Group) -> float:
    """What a column adds when it is a rater's."""
    reasons = against(column, group)
    con = _total(reasons)
    worth = _for_rater(column, group) - con
    by_name = sum(r.nats for r in reasons if r.is_name)
    if _is_contested(column, group):
        return min(_CONTRADICTION, worth)
    if by_name >= 4.0:
        # Values like the others' under a name that no rater has: nobody can tell, unless the name
        # is not written like the others' either.
        is_odd = named_alike(column, group) < 0
        if (
            column.roles & {"derived", "total"}
            and con - by_name < 4.0
            and has_labels_of(column, group)
        ):
            return max(-_CONTRADICTION, min(_CONTRADICTION, worth))  # gold, majority: asked for
        return min(worth, -_CONTRADICTION - 3.0 if is_odd else _CONTRADICTION)
    return worth


def _is_contested(column: Column, group: Group) -> bool:
    """Tell whether a column that nothing else speaks against has a name of another sort."""
    reasons = against(column, group)
    if not reasons and may_be_settled(column, group):
        return True
    if any(r.is_name for r in reasons) or not is_stranger(column, group):
        return False
    return _for_rater(column, group) - _total(reasons) > -_CONTRADICTION


def _as_other(column: Column, group: Group) -> float:
    """What a column adds when it is left out: leaving out without a reason costs."""
    cost = UNEXPLAINED_NUMBER if column.is_number else UNEXPLAINED_TEXT
    alike = named_alike(column, group)
    if alike > 2.0 or (alike >= 0.0 and has_labels_of(column, group)):
        cost += _ALIKE  # a name or labels like the raters': a rater, unless something says no
    reasons = against(column, group)
    is_family = bool(group.top_stems) and group.top_stems[0][1] >= len(group.columns)
    if is_family and alike >= 4.0 and all(reason.is_dissent for reason in reasons):
        return -_FAMILY  # one of R1, R2, R3 who says what nobody else says
    is_rater = standing_of(column.name) == "rater" and column.distinct <= _FEW_LABELS
    if is_rater and not reasons and has_labels_of(column, group):
        return -_FAMILY  # called like nobody but a rater
    if alike >= 1.0 and not reasons and group.first < column.j < group.last:
        cost += _AMONG  # a dissenter among the others is one of them
    computed = any(not r.is_name and r.nats > _AGGREGATE for r in reasons)
    if column.roles & {"derived", "total"} and all(group.owners[v] for v in column.keys):
        # Gold and majority may be raters; only what was computed from the others is none.
        return 0.0 if computed else min(0.0, _as_rater(column, group))
    if _is_contested(column, group):
        return min(0.0, _as_rater(column, group))
    return -max(0.0, cost - _total(reasons))


def _total(reasons: tuple[Reason, ...]) -> float:
    return min(_MOST_REASON, sum(reason.nats for reason in reasons))


def score_wide(
    profile: Profile, columns: list[Column], places: frozenset[int], by: int | None
) -> Scored:
    """Weigh one set of columns as the raters."""
    raters = [c for c in columns if c.j in places]
    group = group_of(profile, places)
    rest = [c for c in columns if c.j not in places]
    item = item_column(profile, rest, group)
    within = _numbered_within(profile, rest) if item is None or not item.is_unique else None
    named: tuple[int, ...] = within or (() if item is None else (item.j,))
    # Gold or a majority has everybody's labels; that makes nobody else more of a rater. The same
    # holds for what is called unlike the others, which may be a fact about the item.
    settled = frozenset(
        c.j for c in raters if c.roles & {"derived", "total"} or is_stranger(c, group)
    )
    core = group_of(profile, places - settled) if len(places - settled) > 1 else group

    def beside(column: Column) -> Group:
        return group if column.j in settled else core

    pieces = [
        Piece(SHARED, sum(shared(c, beside(c)) for c in raters)),
        Piece("names of one family or style", sum(named_alike(c, beside(c)) for c in raters)),
        Piece("names of raters", sum(named_as_rater(c) for c in raters)),
        Piece("names of nobody", sum(called_otherwise(c, beside(c)) for c in raters)),
        Piece("a column of raters' names is no rater's", _names_of_raters(raters)),
        Piece("columns that are of another kind", _strangers(raters, group)),
        Piece("columns that are called no rater's", _restraint(raters, group)),
        Piece(
            "nothing is left out without a reason",
            sum(_as_other(c, group) for c in rest if c.j not in named),
        ),
        Piece("all raters use the same labels", -TWO_GROUPS * n_apart(raters)),
        Piece("labels that nobody else gave", -_OWN_LIST * _n_own_lists(raters, group)),
        Piece("columns stand together", _together(places, rest, group)),
        Piece("so many raters are rare", rare(len(raters))),
        Piece("raters seldom outnumber items", _outnumber(profile, raters)),
        Piece("nobody is called 1a or 2.3", _called_like_parts(raters)),
        Piece(
            "each row is another item",
            _rows_are_items(profile, item) if within is None else _WITHIN,
        ),
        Piece("rows have several ratings", _compared(raters)),
    ]
    hypothesis = Hypothesis(WIDE, item=named, rater=tuple(sorted(places)), by=by)
    return Scored(hypothesis, tuple(pieces))


def _n_own_lists(raters: Sequence[Column], group: Group) -> int:
    """Count raters who have no label in common with anybody, where most others share theirs."""
    shared_by = [c for c in raters if any(group.owners[value] > 1 for value in c.keys)]
    if len(shared_by) < max(2.0, 0.5 * len(raters)):
        return 0
    stems = {c.family.stem for c in shared_by if c.family is not None}
    codes = [c for c in raters if 1 < c.distinct <= _FEW_LABELS and c.kind != "decimal"]
    alone = [c for c in codes if c not in shared_by]
    return sum(c.family is None or c.family.stem not in stems for c in alone)


def _numbered_within(profile: Profile, rest: Sequence[Column]) -> tuple[int, int] | None:
    """Return a text and what is numbered in it: sentence 1 of each document is another item."""
    for text in rest:
        if not names_document(text.name) or text.is_unique or not text.is_complete:
            continue
        for part in rest:
            able = part is not text and part.is_complete and "item" in part.roles
            if able and not part.is_unique and _are_key(profile, text, part):
                return text.j, part.j
    return None


def _are_key(profile: Profile, text: Column, part: Column) -> bool:
    return len(profile.times((text.j, part.j))) == profile.n


def _outnumber(profile: Profile, raters: list[Column]) -> float:
    """Weigh a crowd of raters over fewer rows: these may be the raters."""
    return _MORE_RATERS if len(raters) > max(_CROWD, profile.n) else 0.0


def _called_like_parts(raters: list[Column]) -> float:
    """Weigh names that begin with a number and go on: pages, questions, dates, but no raters."""
    names = [c.name.strip() for c in raters]
    parts = all(name[:1].isdigit() and not name.isdigit() for name in names)
    return _PARTS if parts and not any(map(named_as_rater, raters)) else 0.0


def _compared(raters: list[Column]) -> float:
    """Weigh numbers of which no two stand in a row: nobody rated what somebody else rated."""
    if not all(c.is_number for c in raters):
        return 0.0
    rows = zip(*(c.values for c in raters), strict=True)
    several = sum(sum(value is not None for value in row) > 1 for row in rows)
    return 0.0 if several else _NOTHING_COMPARED


def _names_of_raters(raters: list[Column]) -> float:
    """Weigh a column called just rater or coder: it says who rated, it is not one of them."""
    bare = [c for c in raters if "rater" in c.roles and c.family is None]
    return -8.0 if len(bare) == 1 else 0.0


def n_apart(raters: Sequence[Column]) -> int:
    """Count the columns of groups that have no label in common with the largest group."""
    sizes = sorted(len(places) for places in _alike([c for c in raters if c.distinct > 1]))
    return sum(sizes[:-1])


def _strangers(raters: list[Column], group: Group) -> float:
    """What their values say against each of the columns."""
    return -sum(_total(tuple(r for r in against(c, group) if not r.is_name)) for c in raters)


def _restraint(raters: list[Column], group: Group) -> float:
    """What their names say against each of the columns as a rater."""
    worth = sum(_as_rater(c, group) - _for_rater(c, group) for c in raters)
    return worth - _strangers(raters, group)


def _together(places: frozenset[int], rest: list[Column], group: Group) -> float:
    """Weigh columns between those of raters; one that could be a rater's is a rater's."""
    first, last = min(places), max(places)
    between = [c for c in rest if first < c.j < last]
    strange = [c for c in between if _total(against(c, group)) < 5.0]
    return -min(9.0, 3.0 * len(strange)) - min(1.0, 0.3 * (len(between) - len(strange)))


def item_column(profile: Profile, rest: list[Column], group: Group) -> Column | None:
    """Return the column that names the items best, where there is one."""
    best: tuple[float, Column] | None = None
    for column in rest:
        if column.filled < 0.9 * profile.n:
            continue
        worth = _worth_as_item(column)
        if worth > 0 and (best is None or worth > best[0]):
            best = worth, column
    return None if best is None else best[1]


def _worth_as_item(column: Column) -> float:
    worth = 3.0 if column.is_unique else -3.0
    roles = column.roles
    worth += 3.0 if "item" in roles else 0.0
    worth += 1.0 if "text" in roles else 0.0
    worth -= (
        3.0
        if roles & {"side", "date", "comment", "derived", "total"} and "item" not in roles
        else 0.0
    )
    worth += 2.0 if column.is_index else 0.0
    worth += 1.0 if column.is_running or column.is_templated else 0.0
    worth += 1.0 if column.j == 0 else 0.0
    worth -= 2.0 if column.is_prose else 0.0
    worth -= 4.0 if column.kind == "decimal" else 0.0
    worth -= 4.0 if column.kind == "date" and not roles & {"item", "text"} else 0.0
    return worth


def names_raters(column: Column) -> bool:
    """Tell whether a column holds names of raters: called so, or coder1, coder2, or addresses."""
    if "item" in column.roles:
        return False
    looked_at = min(40, column.distinct)
    stems = {f.stem if (f := family_of(value)) is not None else value for value in column.counts}
    called = column.value_roles["rater"] > 0.8 * looked_at or stems in ({"@"}, {"A0"})
    return called or ("rater" in column.roles and column.family is None)


def _rows_are_items(profile: Profile, item: Column | None) -> float:
    if item is None:
        return 0.0
    if not item.is_unique:
        return _REPEATED_ITEM if "item" in item.roles else -4.0
    if names_raters(item):
        return _ROWS_OF_RATERS
    most = 3.0 if _may_name_raters(item) else 5.0
    return min(most, 1.0 + max(0.0, _worth_as_item(item) - 3.0))


def _may_name_raters(column: Column) -> bool:
    """Tell whether rows are called R1, C1 and no word says that these are items."""
    stems = {f.stem if (f := family_of(value)) is not None else value for value in column.counts}
    return not column.roles and len(stems) == 1 and stems <= LETTERS_OF_RATERS


# ---- rows are raters, columns are items

_PRIOR = -2.0
_FIRST_NUMBER = 200  # raters are counted from 1 or 101 on
_DOTTED = re.compile(r"\d+[-_.]\d+")  # 1-1, 1-2: texts and their sentences
_FILE = re.compile(r".+\.(?:[a-zA-Z]{2,4}|mp[34])")
_NEAR = 10.0  # nats within which a column may be an item or a fact about the rater
_FEW = {2: 4.0, 3: 2.5, 4: 1.0}  # nobody measures agreement on two items
_RATERS = ("r#", "j#", "rater#", "coder#", "annotator#", "ann#", "annot#", "exp#", "obs#")
_MOST_FLIPS_OF_ROWS = 4
_IN_ORDER = 3.0  # nats beyond chance that make a running number of a column
_MANY = 8  # columns that are too many for facts about a rater
_CALLED_RATERS, _ADDRESSES, _CODES = 10.0, 8.0, 4.0  # rows are rater1, ann@uni.edu, C1
_LETTERS_OF_ITEMS = ("s#", "p#", "q#", "t#", "n#", "d#", "i#", "id#")
_MOST_NAMES = 2
_NO_NAMES = 8.0  # sentences, fractions and files rate nothing
_CALLED = 5.0
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
    for flip in (None, *near[:_MOST_FLIPS_OF_ROWS]):
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
    if stems == {"@"}:
        total += _ADDRESSES + (8.0 if "side" in who.roles and "rater" not in who.roles else 0.0)
    elif len(stems) == 1 and not who.roles:
        total += _CODES * (min(stems) in {*LETTERS_OF_RATERS, "A0"})
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
    names = {plain_name(c.name).casefold() for c in items}
    common = (
        0 if who is None else sum(plain_name(value).casefold() in names for value in who.counts)
    )
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
