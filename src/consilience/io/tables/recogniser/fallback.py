"""Readings to offer where the evidence found none, or too few: one of each layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from consilience.io.tables.recogniser.counts import is_count
from consilience.io.tables.recogniser.hypotheses import (
    COUNTS,
    LONG,
    TABLE,
    TRANSPOSED,
    WIDE,
    Hypothesis,
    Scored,
)
from consilience.io.tables.recogniser.likeness import Group
from consilience.io.tables.recogniser.profile import Column, Profile
from consilience.io.tables.recogniser.wide_tables import item_column

_MOST = 8


def with_more(
    profile: Profile, found: Sequence[Scored], by: int | None, shape: str | None
) -> list[Scored]:
    """Return the readings, and others that a person may have meant, each with other ratings.

    What would be refused for items that are rated twice is no way out, unless nothing else is.
    """
    kept = [one for one in found if can_be_built(profile, one.hypothesis)] or list(found)
    seen = {one.hypothesis.signature(profile) for one in kept}
    usual = [h for h in _usual(profile, by) if can_be_built(profile, h)]
    for hypothesis in usual:
        signature = hypothesis.signature(profile)
        if signature not in seen and shape in (None, hypothesis.shape) and len(kept) < _MOST:
            seen.add(signature)
            kept.append(Scored(hypothesis, ()))
    return kept


def can_be_built(profile: Profile, h: Hypothesis) -> bool:
    """Tell whether a reading gives each rater one rating of an item at most, and names for all."""
    if h.by is not None:
        return True  # each group is looked at by itself
    if h.shape == LONG:
        return _is_key(profile, h)
    names = h.rater if h.shape == TRANSPOSED else h.item
    columns = [profile.columns[j] for j in names]
    return not columns or (len(profile.times(names)) == profile.n and _are_complete(columns))


def _is_key(profile: Profile, h: Hypothesis) -> bool:
    """Tell whether no pair of item and rater has two labels in a column."""
    if h.rater_is_file:
        return True
    names = (*h.item, *h.rater)
    pairs = profile.joint(names)
    for j in h.label:
        rated = [pair for pair, code in zip(pairs, profile.codes(j), strict=True) if code >= 0]
        if len(set(rated)) < len(rated):
            return False
    return _are_complete([profile.columns[j] for j in names])


def _are_complete(columns: Sequence[Column]) -> bool:
    return all(column.is_complete for column in columns)


def _usual(profile: Profile, by: int | None) -> Iterator[Hypothesis]:
    """The plainest reading of each layout, the most usual layouts first."""
    live = [c for c in profile.live if c.j != by]
    item = item_column(profile, live, Group([])) or (live[0] if live else None)
    if item is None:
        return
    rest = [c for c in live if c.j != item.j and c.kind != "date"]
    alike = _of_one_kind(rest)
    yield from _long(profile, live, by)
    for raters in (alike, rest):
        if len(raters) > 1:
            yield Hypothesis(WIDE, item=(item.j,), rater=_places(raters), by=by)
    if len(live) > 1:
        yield Hypothesis(WIDE, rater=_places(live), by=by)
    if len(rest) > 1 and all(map(is_count, rest)):
        yield Hypothesis(COUNTS, item=(item.j,), category=_places(rest), by=by)
    if rest and live[0].is_unique and all(map(is_count, live[1:])):
        yield Hypothesis(TABLE, category=_places(live[1:]))
    if len(alike) > 1:
        yield Hypothesis(TRANSPOSED, item=_places(alike), rater=(item.j,))


def _long(profile: Profile, live: Sequence[Column], by: int | None) -> Iterator[Hypothesis]:
    """One row per rating, where three columns are called so."""
    called = {
        role: next((c.j for c in live if role in c.roles), None)
        for role in ("item", "rater", "label")
    }
    places = [j for j in called.values() if j is not None]
    if len(places) == 3 and len(set(places)) == 3:
        item, rater, label = places
        yield Hypothesis(LONG, item=(item,), rater=(rater,), label=(label,), by=by)


def _of_one_kind(columns: Sequence[Column]) -> list[Column]:
    """The columns of the kind that most of them have, numbers or texts."""
    numbers = [c for c in columns if c.is_number]
    texts = [c for c in columns if not c.is_number and not c.is_prose]
    return numbers if len(numbers) >= len(texts) else texts


def _places(columns: Sequence[Column]) -> tuple[int, ...]:
    return tuple(c.j for c in columns)
