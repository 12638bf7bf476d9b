"""One row per rating: columns for the item, the rater and the label."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

from consilience.io.layout.decision import LONG, Hypothesis, Piece, Scored
from consilience.io.layout.lexicon import WORDS, fold, looks_like_model, role_of, tokens_of
from consilience.io.layout.likeness import is_someone
from consilience.io.layout.profile import Column, Profile
from consilience.io.layout.standing import standing_of

# ---- item and rater in a table of one row per rating: who rated what, whatever the label

_MOST_KEY = 14.0
_MANY_SPACES, _SENTENCES = 3, 6.0  # nobody has a name of four words
_ODD = ("date", "decimal")  # they name items only where the column is called so


def weigh_pairs(profile: Profile, h: Hypothesis) -> tuple[Piece, ...]:
    """Weigh item and rater, whatever the label."""
    item = [profile.columns[j] for j in h.item]
    rater = profile.columns[h.rater[0]] if h.rater else None
    # Without a header nobody says which side is which, and sizes alone deceive.
    unnamed = all(c.name.strip().isdigit() or not c.name.strip() for c in profile.live)
    trust = 0.5 if unnamed and not any(c.is_templated for c in item) else 1.0
    return (
        Piece("no rater rates an item twice", weigh_key(profile, h)),
        Piece("items come back", _return(profile, h)),
        Piece("every item has about as many rows", trust * _balance(profile, h)),
        Piece("what the values sound like", _values(profile, item, rater)),
        Piece("fewer raters than items", trust * _fewer(profile, h, rater)),
    )


def _pairs(profile: Profile, h: Hypothesis) -> list[tuple[object, object]]:
    items = profile.joint(h.item)
    raters: Sequence[object] = (
        profile.file_of or () if h.rater_is_file else profile.codes(h.rater[0])
    )
    variables: Sequence[object] = [0] * profile.n if h.by is None else profile.codes(h.by)
    return [((i, v), r) for i, v, r in zip(items, variables, raters, strict=True) if r != -1]


def weigh_key(profile: Profile, h: Hypothesis) -> float:
    """Weigh that a pair of item and rater never comes twice, against chance."""
    return profile.remembered(("key", h.item, h.rater, h.by), lambda: _against_chance(profile, h))


def _against_chance(profile: Profile, h: Hypothesis) -> float:
    pairs = _pairs(profile, h)
    n = len(pairs)
    if n < 2:
        return 0.0
    items, raters = Counter(i for i, _ in pairs), Counter(r for _, r in pairs)
    together = sum(m * (m - 1) for m in items.values()) / 2
    same = sum(m * (m - 1) for m in raters.values()) / (n * (n - 1))
    expected = together * same
    seen = sum(m * (m - 1) / 2 for m in Counter(pairs).values())
    if seen == 0:
        return min(_MOST_KEY, expected)
    # As many twins as by chance: the two columns have nothing to do with each other.
    surprise = expected - seen * (1 + math.log(expected / seen)) if expected > seen else 0.0
    return max(-_MOST_KEY, min(_MOST_KEY / 2, 0.5 * surprise) - 4.0 - min(8.0, 20 * seen / n))


def _return(profile: Profile, h: Hypothesis) -> float:
    items = profile.times(h.item)
    n = profile.n
    if len(items) == n:
        return -30.0  # nothing could be compared
    alone = sum(m == 1 for m in items.values()) / len(items)
    return 1.5 - 4.0 * alone


def _balance(profile: Profile, h: Hypothesis) -> float:
    """Weigh that all items have equally many rows, as in a planned study."""
    items = profile.times(h.item)
    sizes = Counter(items.values())
    most = sizes.most_common(1)[0][0]
    if most < 2 or len(items) < 3:
        return 0.0
    share = sizes[most] / len(items)
    return min(5.0, 0.5 * len(items) * max(0.0, share - 0.5) * math.log(2 * math.pi * most))


def _values(profile: Profile, item: Sequence[Column], rater: Column | None) -> float:
    total = 0.0
    for column in item:
        total += profile.remembered(("item", column.j), partial(_like_item, column))
    if rater is not None:
        total += profile.remembered(("rater", rater.j), partial(_like_rater, rater))
    return total


def _like_item(column: Column) -> float:
    total = 2.0 if column.is_templated else 0.0
    total += 1.5 if _runs_on(column) else 0.0
    total -= 3.0 if column.kind in _ODD and not column.roles & {"item", "text"} else 0.0
    total += 1.0 if column.is_prose else 0.0
    total += 2.0 if column.is_index else 0.0
    total -= 3.0 if _sounds(column, "rater") > 0.5 else 0.0
    total += 1.5 if _sounds(column, "item") > 0.5 else 0.0
    return total


def _like_rater(rater: Column) -> float:
    total = 4.0 * (_sounds(rater, "rater") > 0.5)
    models = sum(looks_like_model(v) for v in rater.counts)
    total += 2.0 if models > 0.5 * rater.distinct else 0.0
    persons = sum(is_someone(v) for v in rater.counts)
    total += 1.5 if rater.kind == "text" and persons > 0.8 * rater.distinct else 0.0
    total -= 3.0 if _sounds(rater, "item") > 0.5 else 0.0
    wordy = sum(value.count(" ") >= _MANY_SPACES for value in rater.counts)
    total -= _SENTENCES if wordy > 0.5 * rater.distinct else 0.0
    total -= 3.0 * (rater.distinct < 2)
    return total


def _runs_on(column: Column) -> bool:
    """Tell whether the values, each at its first place, count upwards."""
    firsts = Column(0, "", tuple(column.counts))
    return firsts.is_running


def _sounds(column: Column, role: str) -> float:
    looked_at = min(40, column.distinct)
    return column.value_roles[role] / looked_at if looked_at else 0.0


def _fewer(profile: Profile, h: Hypothesis, rater: Column | None) -> float:
    if rater is None:
        return 0.0
    n_items = len(profile.times(h.item))
    ratio = math.log(n_items / max(1, rater.distinct))
    return max(-5.0, min(3.0, ratio if ratio > 0 else 2.0 * ratio))


_MOST_CANDIDATES = 6
_UNEXPLAINED = 3.0
_ALL_CALLED = 3.0
_MOST_BY_LABEL = 6.0  # what a label can add to item and rater, beside its name
_HOPELESS = -16.0  # less than `decide` takes for a reading at all
_NO_LABEL = 40.0
_WHO_NAMES_NO_ITEM = 20.0
_ENDS = frozenset(("code", "label", "rating", "score", "category", "class", "annotation", "kode"))
_ONE_LIST = 6.0
_SURELY, _LIKELY = 25.0, 17.0  # the names of all columns say what they are
_FACTS = frozenset(  # words for labels that tell as often what an item is
    ["class", "level", "type", "kind", "topic", "theme", "category", "cat", "grade", "stage",
     "frame", "style", "status", "klasse", "stufe", "thema", "classe", "clase", "categorie",
     "categoria", "kategorie", "kategoria", "tema", "nivel", "niveau", "livello"]
)  # fmt: skip
_MOST_CODES = 20  # different values that labels may have, unless they are called so
_CALLED_AS_WELL = 8.0  # what it costs to leave out a column that is called a label
_ASIDE = ("side", "date", "total", "derived", "confidence", "comment")


def long_hypotheses(
    profile: Profile,
    by: int | None = None,
    *,
    item: tuple[int, ...] = (),
    rater: tuple[int, ...] = (),
    label: tuple[int, ...] = (),
) -> list[Scored]:
    """Return ways to take a table as long; columns that were told are kept."""
    columns = [c for c in profile.live if c.j != by]
    if len(columns) < 2 or profile.n < 2:
        return []
    told = {*item, *rater, *label}
    free = [c for c in columns if c.j not in told]
    items = [item] if item else _items(profile, free)
    raters = [rater] if rater else [(c.j,) for c in _raters(free)]
    files: list[tuple[int, ...]] = [()] if profile.file_of is not None and not rater else []
    found = []
    for places in items:
        for who in (*raters, *files):
            if set(places) & set(who):
                continue
            rest = [c for c in free if c.j not in (*places, *who)]
            if not told and _is_hopeless(profile, places, who, by, rest):
                continue
            for what in [label] if label else _labels(profile, rest, places, who):
                hypothesis = Hypothesis(
                    LONG, item=places, rater=who, label=what, by=by, rater_is_file=not who
                )
                rivals = [] if label else columns  # of the label; one that was told has none
                found.append(score_long(profile, rivals, hypothesis))
    return found


def _is_hopeless(
    profile: Profile,
    item: tuple[int, ...],
    rater: tuple[int, ...],
    by: int | None,
    rest: Sequence[Column],
) -> bool:
    """Tell whether no label can make these two an item and a rater: then none need be tried."""
    if not rater or _are_called(profile, item, rater):
        return False
    h = Hypothesis(LONG, item=item, rater=rater, by=by)
    pieces = profile.remembered(("pairs", item, rater, by), partial(weigh_pairs, profile, h))
    names = _names([profile.columns[j] for j in item], "item")
    names += _names([profile.columns[rater[0]]], "rater") * 4 / 3
    names += 5 / 3 * max((_called(c, "label") for c in rest), default=0.0)
    return sum(piece.nats for piece in pieces) + names + _MOST_BY_LABEL < _HOPELESS


def _items(profile: Profile, columns: Sequence[Column]) -> list[tuple[int, ...]]:
    """Columns, and pairs of columns, that may name items: their values come back."""
    able = [c for c in columns if c.distinct > 1 or "item" in c.roles]
    able.sort(key=lambda c: -_called(c, "item") - (c.distinct < c.filled) * 2 + 0.01 * c.j)
    able = able[:_MOST_CANDIDATES]
    pairs = [
        (a.j, b.j)
        for a, b in combinations(sorted(able, key=lambda c: c.j), 2)
        if not a.is_unique and not b.is_unique and _is_finer(profile, a.j, b.j)
    ]
    return [*((c.j,) for c in able), *pairs]


def _is_finer(profile: Profile, a: int, b: int) -> bool:
    """Tell whether two columns together tell more things apart than each, which still come back."""
    both = len(profile.times((a, b)))
    return max(len(profile.times((a,))), len(profile.times((b,)))) < both < profile.n


def _raters(columns: Sequence[Column]) -> list[Column]:
    able = [
        c
        for c in columns
        if c.kind not in ("date", "decimal")
        and not c.is_prose
        and (c.distinct < c.filled or says_who(c))
    ]
    able.sort(key=lambda c: -_called(c, "rater") + 0.05 * c.distinct / max(1, c.filled))
    return able[:_MOST_CANDIDATES]


def _labels(
    profile: Profile, rest: Sequence[Column], item: tuple[int, ...], rater: tuple[int, ...]
) -> list[tuple[int, ...]]:
    able = [c for c in rest if c.kind != "date" and not c.is_prose]
    able.sort(key=lambda c: -_called(c, "label"))
    single: list[tuple[int, ...]] = [(c.j,) for c in able[:_MOST_CANDIDATES]]
    codes = [c for c in able if is_open(c) and could_be_label(profile, c, item, rater)]
    if not codes and _are_called(profile, item, rater):  # all agree on everything
        codes = [c for c in able if is_open(c) and not c.is_unique and not c.is_templated]
    called = [c for c in codes if "label" in c.roles]
    agreed = [c for c in able if may_be_agreed(profile, c, item)]
    if _repeats(profile, item, rater):
        return single  # a column tells the groups, and must not be taken for a second label
    alike = [*codes, *_of_their_list(rest, codes)]
    agreeing = _of_one_family(able, codes)
    for several in (alike, called, codes, [*called, *agreed], [*codes, *agreed], agreeing):
        places = tuple(sorted(c.j for c in several))
        if len(places) > 1 and places not in single:
            single.append(places)
    return single


def _codes(profile: Profile, h: Hypothesis) -> list[Column]:
    """Return the columns that may be labels beside this item and rater, by name and values."""
    return profile.remembered(
        ("open", h.item, h.rater, h.by),
        lambda: [
            c
            for c in profile.live
            if c.j != h.by and is_open(c) and could_be_label(profile, c, h.item, h.rater)
        ],
    )


def _of_their_list(columns: Sequence[Column], codes: Sequence[Column]) -> list[Column]:
    """Return the columns on which all agree, and whose values are those of several labels."""
    if len(codes) == 1 and codes[0].family is not None:  # v1, v2, v3: all may agree on two of them
        stem = codes[0].family.stem
        alike = [c for c in columns if c.family is not None and c.family.stem == stem]
        return [c for c in alike if c.j != codes[0].j and is_open(c) and not c.is_unique]
    if len(codes) < 2 or not _have_one_list(codes):
        return []
    known = {value for c in codes for value in c.keys}
    taken = {c.j for c in codes}
    rest = [c for c in columns if c.j not in taken and is_open(c)]
    return [c for c in rest if c.keys.keys() <= known and not c.is_unique and _is_beside(c, codes)]


def _beside(profile: Profile, h: Hypothesis) -> list[Column]:
    return [c for c in profile.live if c.j not in (*h.item, *h.rater, h.by)]


def _is_beside(column: Column, codes: Sequence[Column]) -> bool:
    places = [c.j for c in codes]
    return min(places) - 1 <= column.j <= max(places) + 1 or "label" in column.roles


def _have_one_list(labels: Sequence[Column]) -> bool:
    """Tell whether columns have one list of labels, as several criteria or flags have."""
    if len(labels) < 2 or not all(map(_is_code, labels)):
        return False
    values = [set(c.keys) for c in labels]
    largest = max(values, key=len)
    return all(len(own & largest) > 0.5 * len(own) for own in values)


def _of_one_family(columns: Sequence[Column], codes: Sequence[Column]) -> list[Column]:
    """Return the columns that count on with all that may be labels: v1, v2, v3."""
    stems = {c.family.stem if c.family is not None else "" for c in codes}
    if len(stems) != 1 or "" in stems:
        return []
    plain = [c for c in columns if is_open(c) and not c.is_unique and not c.is_templated]
    return [c for c in plain if c.family is not None and c.family.stem in stems]


def _repeats(profile: Profile, item: tuple[int, ...], rater: tuple[int, ...]) -> bool:
    """Tell whether a rater seems to have rated an item twice."""
    return (
        bool(rater) and weigh_key(profile, Hypothesis(LONG, item=item, rater=rater, label=())) < 0
    )


def may_be_agreed(profile: Profile, column: Column, item: tuple[int, ...]) -> bool:
    """Tell whether a column called a label is a fact about the item, or one on which all agree."""
    fact = fold(column.name) in _FACTS
    is_label = column.roles == {"label"} and not fact and _is_code(column) and column.distinct > 1
    return is_label and profile.depends(column.j, item)


def is_open(column: Column) -> bool:
    """Tell whether a name leaves it open, or says, that a column of a long table holds labels."""
    if "label" in column.roles:
        return not column.roles & {"date", "total", "derived", "confidence"}
    if _is_code(column) and _ends_in_label(column.name):
        return True
    return not column.roles & {*_ASIDE, "text", "item", "rater"}


def _ends_in_label(name: str) -> bool:
    """Tell whether a name is a criterion's, or ends in code, label or rating."""
    last = tokens_of(name)[-1:]
    return fold(name) in WORDS["criterion"] or (len(name) > len("".join(last)) and last[0] in _ENDS)


def could_be_label(
    profile: Profile, column: Column, item: tuple[int, ...], rater: tuple[int, ...]
) -> bool:
    """Tell whether a column of a long table may hold labels: codes that come back."""
    if column.kind == "date" or column.is_prose or column.is_running or column.is_templated:
        return False
    if column.distinct < 2:
        return column.kind == "text"  # all may say the same
    if column.is_unique and column.filled > 5 and column.kind != "decimal":
        return False
    if profile.depends(column.j, item):
        return False  # it tells something about the item
    return not (rater and profile.depends(column.j, rater))


def score_long(profile: Profile, columns: Sequence[Column], h: Hypothesis) -> Scored:
    """Weigh one choice of the three columns."""
    item = [profile.columns[j] for j in h.item]
    rater = profile.columns[h.rater[0]] if h.rater else None
    labels = [profile.columns[j] for j in h.label]
    named = [c for c in labels if "label" in c.roles] or labels  # one may speak for others
    names = _names(item, "item") + 5 / 3 * sum(_called(c, "label") for c in named) / len(named)
    names += _names([rater], "rater") * 4 / 3 if rater is not None else 0.0
    if rater is not None and "rater" in rater.roles and all("label" in c.roles for c in named):
        names += _ALL_CALLED * any(c.roles & {"item", "text"} for c in item)
    pieces = (
        *profile.remembered(("pairs", h.item, h.rater, h.by), partial(weigh_pairs, profile, h)),
        Piece("names of the columns", names),
        Piece("the names say it all", _says_it_all(profile, h)),
        Piece("order of the columns", _order(h)),
        Piece("labels are codes that vary within items", _labels_vary(profile, h, labels)),
        Piece("no other column could be the label", _left_over(profile, columns, h)),
        Piece("persons over the same values are raters", _alike(rater, labels)),
        Piece("it is no label", _vetoed(profile, h, labels)),
        Piece("columns of one list go together", _together(profile, h)),
        Piece("several files, one per rater", 4.0 if h.rater_is_file else 0.0),
        Piece("several columns for one part", _several(profile, h)),
    )
    return Scored(h, pieces)


def _vetoed(profile: Profile, h: Hypothesis, labels: Sequence[Column]) -> float:
    """Rule out what is unique or tells about item or rater, where another column does not."""
    codes = _codes(profile, h)
    able = {c.j for c in (*codes, *_of_their_list(_beside(profile, h), codes))}
    odd = [
        c
        for c in labels
        if c.j not in able and (c.is_unique or not is_open(c) or _is_fact(profile, c, h))
    ]
    return -_NO_LABEL * len(odd) if codes else 0.0


def _is_fact(profile: Profile, column: Column, h: Hypothesis) -> bool:
    if "label" in column.roles and len(h.label) > 1:
        return False  # all may agree
    of_rater = h.rater and profile.depends(column.j, h.rater)
    return column.distinct < 2 or bool(of_rater) or profile.depends(column.j, h.item)


def _together(profile: Profile, h: Hypothesis) -> float:
    """Weigh that all columns of one list are taken, or only some."""
    codes = _codes(profile, h)
    by_raters = all(standing_of(c.name) in ("rater", "somebody") for c in codes)
    if by_raters or not (_have_one_list(codes) or _are_specific(codes)):
        return 0.0
    whole = {c.j for c in (*codes, *_of_their_list(_beside(profile, h), codes))}
    return _ONE_LIST if set(h.label) == whole else -_ONE_LIST


def _are_specific(codes: Sequence[Column]) -> bool:
    """Tell whether columns are called by what was asked: beside "label" another may be a fact."""
    generic = any(role_of(c.name, surely=True) == "label" for c in codes)
    return len(codes) > 1 and all(map(_is_code, codes)) and not generic


def _alike(rater: Column | None, labels: Sequence[Column]) -> float:
    """Weigh columns under persons' names with the same values: both are raters' then."""
    if rater is None or rater.roles or not is_someone(rater.name):
        return 0.0
    persons = [c for c in labels if not c.roles and is_someone(c.name)]
    common = [c for c in persons if set(c.keys) & set(rater.keys)]
    return -14.0 if common else 0.0


def says_who(column: Column) -> bool:
    """Tell whether a column is called just rater or coder: it names who rated."""
    return "rater" in column.roles and column.family is None and not column.roles & set(_ASIDE)


def _are_called(profile: Profile, item: tuple[int, ...], rater: tuple[int, ...]) -> bool:
    """Tell whether the columns of item and rater are called so."""
    who = rater and says_who(profile.columns[rater[0]])
    return bool(who) and all("item" in profile.columns[j].roles for j in item)


def _says_it_all(profile: Profile, h: Hypothesis) -> float:
    """Columns called item, rater and label are that, unless no item comes back."""
    if not _are_called(profile, h.item, h.rater):
        return 0.0
    others = [c for c in profile.live if says_who(c) and c.j not in h.rater]
    items = [c for c in profile.live if "item" in c.roles and c.j not in h.item]
    items = [c for c in items if not profile.depends(c.j, h.item)]  # other names of the item
    part = len(h.item) > 1 and any("label" in profile.columns[j].roles for j in h.item)
    if others or part or len(set(profile.joint(h.item))) == profile.n > 3:
        return 0.0
    certainty = _says_which_labels(profile, h)
    if not items:
        return certainty
    return 8.0 if certainty == _SURELY else min(4.0, certainty)  # which of them is the item?


def _says_which_labels(profile: Profile, h: Hypothesis) -> float:
    """Weigh columns that are called labels: all of them are, and what else may be is asked."""
    named = ["label" in profile.columns[j].roles for j in h.label]
    rest = _other_labels(profile, h)
    if any("label" in c.roles for c in rest):
        return 0.0  # what is called a label is one
    left = [c for c in profile.live if c.j not in h.used]
    if len(h.label) > 1:
        left += [profile.columns[j] for j in h.label]
    if all(named) and any(may_be_agreed(profile, c, h.item) for c in left):
        return _LIKELY
    if all(named) and not any(map(_is_code, rest)):
        return _SURELY if not _one_is_enough(profile, h) else 8.0
    return 12.0 if any(named) or _are_alike([profile.columns[j] for j in h.label]) else 0.0


def _are_alike(labels: Sequence[Column]) -> bool:
    """Tell whether several columns that nobody calls labels have values of one sort, or names."""
    if len(labels) < 2 or any(2 * c.distinct > c.filled for c in labels):
        return False
    stems = {c.family.stem if c.family is not None else "" for c in labels}
    values = [set(c.keys) for c in labels]
    common, most = set.intersection(*values), max(map(len, values))
    return (len(stems) == 1 and "" not in stems) or 2 * len(common) >= most


def _other_labels(profile: Profile, h: Hypothesis) -> list[Column]:
    """Columns that are no labels here, though values and name allow it."""
    return [c for c in _codes(profile, h) if c.j not in h.used]


def _is_code(column: Column) -> bool:
    """Tell whether a column has few values, as labels have and measurements have not."""
    return column.distinct <= _MOST_CODES and column.kind in ("text", "whole")


def names_say_long(profile: Profile) -> bool:
    """Tell whether columns called item and rater come back, and no pair of them does."""
    items = [c for c in profile.live if "item" in c.roles and not c.is_unique and c.distinct > 1]
    raters = [c for c in profile.live if says_who(c) and not c.is_unique and c.distinct > 1]
    return any(
        weigh_key(profile, Hypothesis(LONG, item=(i.j,), rater=(r.j,), label=(r.j,))) > 1.0
        for i in items
        for r in raters
        if i.j != r.j
    )


def _several(profile: Profile, h: Hypothesis) -> float:
    """Two columns name the item only where one alone would not do."""
    called = ["label" in profile.columns[j].roles for j in h.label]
    mixed = any(called) and not all(called)  # one is called the label; are the others some, too?
    cost = (-3.5 if mixed else -2.0) * (len(h.label) > 1)
    if len(h.item) > 1:
        cost -= 8.0 if _one_is_enough(profile, h) else 2.0
        # A column that tells the variable names no part of the item.
        cost -= 12.0 * any("variable" in profile.columns[j].roles for j in h.item)
    return cost


def _one_is_enough(profile: Profile, h: Hypothesis) -> bool:
    """Tell whether one of several columns alone names the items."""
    alone = [replace(h, item=(j,)) for j in h.item] if len(h.item) > 1 else []
    return any(weigh_key(profile, one) > 0 for one in alone)


def _called(column: Column, role: str) -> float:
    """How well a name fits a role."""
    roles = column.roles
    if not roles:
        return 0.0
    if role == "item" and "text" in roles:
        return 2.0  # what was shown
    if role in roles:
        exactly = 1.5 if column.name.strip().casefold() == role else 0.0
        return exactly + (3.0 if roles == {role} else 2.0)
    if roles & set(_ASIDE) and "label" not in roles:
        return -4.0
    return -2.5 if roles & {"item", "rater", "label"} else -1.0


def _names(columns: Sequence[Column | None], role: str) -> float:
    known = [_called(c, role) for c in columns if c is not None]
    if role == "item" and any(c is not None and says_who(c) for c in columns):
        return -_WHO_NAMES_NO_ITEM
    return sum(known) / len(known) if known else 0.0


def _order(h: Hypothesis) -> float:
    """Weigh that the item stands first, the label last."""
    first = 0.7 if not h.rater or h.item[0] < h.rater[0] else 0.0
    return first + (0.5 if max(h.label) > max((*h.item, *h.rater)) else 0.0)


def _labels_vary(profile: Profile, h: Hypothesis, labels: Sequence[Column]) -> float:
    worth = (
        profile.remembered(("varies", c.j, h.item, h.rater), partial(_varies, profile, h, c))
        for c in labels
    )
    return sum(worth) / len(labels)


def _varies(profile: Profile, h: Hypothesis, label: Column) -> float:
    total = 0.0
    if label.kind == "date" or label.is_prose:
        total -= 8.0
    if label.is_running or label.is_rising or label.is_permutation:
        total -= 8.0
    elif label.is_unique and label.filled > 5:
        total -= 2.0 if label.kind == "decimal" else 6.0
    if label.is_templated:
        total -= 3.0
    if label.distinct < 2:
        total -= 2.0
    elif profile.depends(label.j, h.item):
        total -= 3.0  # full agreement is rare; a fact about the item is not
    if label.distinct > 1 and h.rater and profile.depends(label.j, h.rater):
        total -= 5.0
    if any(profile.same_partition(label.j, j) for j in (*h.item, *h.rater)):
        total -= 10.0
    if label.distinct <= 0.3 * label.filled:
        total += 1.0
    return total


def _left_over(profile: Profile, columns: Sequence[Column], h: Hypothesis) -> float:
    """Weigh columns that could as well be the label, and are called nothing else."""
    able = profile.remembered(
        ("unexplained", h.item, h.rater),
        lambda: frozenset(c.j for c in profile.live if _is_unexplained(profile, c, h)),
    )
    cost = _UNEXPLAINED * len(able - h.used) if columns else 0.0
    called = any("label" in c.roles for c in _other_labels(profile, h))
    return -min(6.0, cost) - _CALLED_AS_WELL * called


def _is_unexplained(profile: Profile, column: Column, h: Hypothesis) -> bool:
    """Tell whether a column may be a label beside this item and rater, and no name says why not."""
    # All may agree: then the label is a fact about the item.
    few = column.kind in ("text", "whole") and column.distinct <= 0.3 * column.filled
    told_apart = bool(column.roles & set(_ASIDE)) or "text" in column.roles
    return not told_apart and (few or could_be_label(profile, column, h.item, h.rater))
