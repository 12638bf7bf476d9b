"""Take the best hypothesis if it leads; otherwise refuse, and say which readings there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from consilience.io.tables.recogniser.hypotheses import COUNTS, TRANSPOSED, WIDE, Scored
from consilience.io.tables.recogniser.profile import Profile

MARGIN = 4.0  # nats by which the best must lead the best one with other ratings
SMALL_MARGIN = 6.0  # in a table of a few rows, where chance does more
FEW_ROWS = 8
_LEAST = -12.0  # a reading far worse than chance is none
_LEAST_OF = {TRANSPOSED: 4.0, COUNTS: 4.0, WIDE: 4.0}  # better than no table of ratings at all
_FAR = 12.0  # nats behind the best within which a reading is worth naming
_MOST_NAMED = 6


@dataclass(frozen=True)
class Decision:
    """What the table is taken for, or the readings between which nobody can decide."""

    best: Scored | None
    rivals: tuple[Scored, ...]  # other ratings, the nearest first
    margin: float
    lead: float

    @property
    def is_clear(self) -> bool:
        """The best reading leads by the margin."""
        return self.best is not None and self.lead >= self.margin

    @property
    def readings(self) -> tuple[Scored, ...]:
        """The best and those that come near it: what a refusal names."""
        if self.best is None:
            return self.rivals[:_MOST_NAMED]
        near = [r for r in self.rivals if r.score > self.best.score - _FAR]
        return (self.best, *(near or self.rivals[:1]))[:_MOST_NAMED]


def margin_for(profile: Profile) -> float:
    """Return how far the best reading must lead."""
    return SMALL_MARGIN if profile.n <= FEW_ROWS else MARGIN


def _least(profile: Profile, one: Scored) -> float:
    """Return what a reading must be worth by itself; a column called an item says much already."""
    h = one.hypothesis
    called = any("item" in profile.columns[j].roles for j in h.item)
    return _LEAST if h.shape == WIDE and called else _LEAST_OF.get(h.shape, _LEAST)


def decide(profile: Profile, scored: Sequence[Scored], *, margin: float | None = None) -> Decision:
    """Weigh the hypotheses against each other.

    A margin of its own means that the caller said something: then the best of what agrees with
    that need not be likely by itself.
    """
    is_told = margin is not None
    margin = margin_for(profile) if margin is None else margin
    ranked = sorted(scored, key=lambda one: -one.score)
    if not ranked:
        return Decision(None, (), margin, 0.0)
    best = ranked[0]
    seen = {best.hypothesis.signature(profile)}
    rivals = []
    for one in ranked[1:]:
        signature = one.hypothesis.signature(profile)
        if signature not in seen:
            seen.add(signature)
            rivals.append(one)
    if is_told:
        lead = best.score - rivals[0].score if rivals else margin
        return Decision(best, tuple(rivals), margin, lead)
    if best.score <= _LEAST:
        return Decision(None, (best, *rivals), margin, 0.0)
    if best.score < _least(profile, best):
        return Decision(best, tuple(rivals), margin, 0.0)
    lead = best.score - max(_LEAST, rivals[0].score if rivals else _LEAST)
    return Decision(best, tuple(rivals), margin, lead)
