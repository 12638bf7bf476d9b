"""Item and rater in a table of one row per rating: who rated what, whatever the label."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial

from consilience.io.tables.recogniser.hypotheses import Hypothesis, Piece
from consilience.io.tables.recogniser.likeness import is_someone
from consilience.io.tables.recogniser.profile import Column, Profile
from consilience.io.tables.recogniser.styles import looks_like_model

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
