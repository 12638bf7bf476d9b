"""Boundary edit distance and the similarities B and S (Fournier 2013)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.checks import whole_number
from consilience.core.result import Result, Unremarked
from consilience.core.words import sentence
from consilience.document import Document, Paragraph, Reasoned, Recorded, Table
from consilience.units.segments._boundaries import Kinds, pair_of


@dataclass(frozen=True, slots=True)
class Edits:
    """What turns one segmentation into another, as arrays of places."""

    matches: Ints
    additions: Ints
    substitutions: Ints
    swapped: Floats  # difference of the types, for each substitution
    transpositions: Ints  # the left place
    spans: Ints  # how far each is moved


def edits_between(
    first: tuple[Ints, Ints], second: tuple[Ints, Ints], kinds: Kinds, n_t: int
) -> Edits:
    """Return the edits between two sorted lists of (place, kind); no span reaches ``n_t``."""
    if len(kinds.names) < 2:
        return _plain_edits(first[0], second[0], n_t)
    return _typed_edits(_sets(first), _sets(second), kinds, n_t)


def _plain_edits(a: Ints, b: Ints, n_t: int) -> Edits:
    """Edit boundaries of one type, all at once.

    A boundary that only one rater has moves to one that only the other has, nearest spans first.
    For one span, places that lie so far apart form chains; along each chain the first pair is
    taken, then the next that does not share a place with it: every other link of a run.
    """
    place = np.concatenate([a, b])
    side = np.repeat(np.array([1, -1], dtype=np.int8), [len(a), len(b)])
    order = np.argsort(place, kind="stable")
    place, side = place[order], side[order]
    twice = np.zeros(len(place), dtype=bool)
    twice[:-1] = place[1:] == place[:-1]
    matches = place[twice]
    alone = ~twice
    alone[1:] &= ~twice[:-1]
    place, side = place[alone], side[alone]
    left, spans = [], []
    for span in range(1, n_t):
        if len(place) < 2:
            break
        if span > 1:
            chain = np.lexsort((place, place % span))
            place, side = place[chain], side[chain]
        link = (np.diff(place) == span) & (side[1:] != side[:-1])
        at = np.arange(len(link))
        begin = np.maximum.accumulate(np.where(link, -1, at)) if link.size else at
        chosen = np.flatnonzero(link & ((at - begin) % 2 == 1))
        left.append(place[chosen])
        spans.append(np.full(len(chosen), span, dtype=np.int64))
        rest = np.ones(len(place), dtype=bool)
        rest[chosen] = rest[chosen + 1] = False
        place, side = place[rest], side[rest]
    none = np.empty(0, dtype=np.int64)
    return Edits(
        matches=matches,
        additions=np.sort(place),
        substitutions=none,
        swapped=np.empty(0),
        transpositions=np.concatenate(left) if left else none,
        spans=np.concatenate(spans) if spans else none,
    )


def _sets(boundaries: tuple[Ints, Ints]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for place, kind in zip(boundaries[0].tolist(), boundaries[1].tolist(), strict=True):
        found.setdefault(place, set()).add(kind)
    return found


def _typed_edits(a: dict[int, set[int]], b: dict[int, set[int]], kinds: Kinds, n_t: int) -> Edits:
    """Edit boundaries of several types; only places where the raters differ are walked."""
    none: set[int] = set()
    matches = [p for p in a for _ in a[p] & b.get(p, none)]
    more = {p: a.get(p, none) - b.get(p, none) for p in {*a, *b}}
    less = {p: b.get(p, none) - a.get(p, none) for p in more}
    places = sorted(p for p in more if more[p] or less[p])
    moved = []
    for span in range(1, n_t):
        for i in places:
            j = i + span
            if j not in more:
                continue
            # A type moves if one rater has it only here and the other only there.
            for kind in sorted((more[i] & less[j]) | (less[i] & more[j])):
                if more[i] and less[i] and more[j] and less[j]:
                    break  # both places would rather be substitutions
                for left in (more[i], less[i], more[j], less[j]):
                    left.discard(kind)
                moved.append((i, span))
    added, replaced, swapped = [], [], []
    for p in places:
        x, y = ([kinds.values[k] for k in sorted(side)] for side in (more[p], less[p]))
        n = min(len(x), len(y))
        added += [p] * (max(len(x), len(y)) - n)
        replaced += [p] * n
        if n:
            swapped += [_least_distance(x, y) / n] * n
    table = np.array(moved, dtype=np.int64).reshape(-1, 2)
    return Edits(
        matches=np.array(sorted(matches), dtype=np.int64),
        additions=np.array(added, dtype=np.int64),
        substitutions=np.array(replaced, dtype=np.int64),
        swapped=np.array(swapped, dtype=np.float64),
        transpositions=table[:, 0],
        spans=table[:, 1],
    )


def _least_distance(x: list[float], y: list[float]) -> float:
    """Return the least total |difference| when every type of the shorter list gets a partner."""
    short, long = sorted((x, y), key=len)
    spare = len(long) - len(short)
    # cost[s]: the short list so far is placed and s types of the long one were passed over.
    cost = [0.0] * (spare + 1)
    for k, value in enumerate(short):
        placed = [cost[s] + abs(value - long[k + s]) for s in range(spare + 1)]
        for s in range(1, spare + 1):
            placed[s] = min(placed[s], placed[s - 1])
        cost = placed
    return cost[-1]


def edit_cost(edits: Edits, kinds: Kinds, n_t: int) -> float:
    """Return |A| + sum of span / n_t + sum of |a - b| / (largest - smallest type + 1).

    Fournier 2013: the weights of transpositions and substitutions in boundary edit distance.
    """
    moved = float(edits.spans.sum()) / n_t
    return len(edits.additions) + moved + float(edits.swapped.sum()) / kinds.reach


# ---------------------------------------------------------------- the public function


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundarySimilarity(Recorded, Reasoned, Unremarked, Result):
    """How alike two segmentations are; see `boundary_similarity`."""

    interval_needs: ClassVar[str] = "more than one text; segmentation(units) resamples sessions"

    b: float
    s: float
    cost: float
    matches: int
    additions: int
    substitutions: int
    transpositions: int
    positions: dict[str, list[int]]  # behind which atomic unit, for each kind of edit
    length: int
    n_t: int
    types: tuple[Any, ...]
    reason: str | None

    @property
    def value(self) -> float:
        """Boundary similarity B."""
        return self.b

    def document(self) -> Document:
        """Return the result as something to read."""
        edits = ("near misses: transpositions", "substitutions", "misses: additions")
        table = Table.of([self], "B: b", "S: s", "matches", *edits)
        near = f"up to {self.n_t - 1} apart are near misses" if self.n_t > 1 else "apart are misses"
        said = f"A text of {self.length:,} atomic units; boundaries {near} (n_t = {self.n_t})."
        if self.reason:
            said += f" {sentence(self.reason)}"
        return Document(title="Boundary similarity", blocks=(Paragraph(said), table))


def check_n_t(n_t: Any) -> int:
    """Return the reach of near misses."""
    hint = "2 counts boundaries one place apart as near misses; 1 counts none"
    return whole_number("n_t", n_t, least=1, hint=hint)


def boundary_similarity(
    first: Any,
    second: Any,
    *,
    n_t: int = 2,
    form: str = "masses",
    length: int | None = None,
    types: Iterable[Any] | None = None,
) -> BoundarySimilarity:
    """Boundary similarity B and segmentation similarity S of two segmentations.

    Use it to compare two divisions of the same text: boundaries that both have count in full,
    near misses in part. It is symmetric. Prefer `segmentation` for several raters or texts.

    Parameters
    ----------
    first, second : segmentations
        By `form`: lengths of the segments ("masses"), places behind which a boundary lies or a
        mapping of place to type ("positions", with `length`), or a set of types for each place
        between two atomic units ("sets").
    n_t : int, default 2
        Boundaries less than so many places apart are near misses; at most span n_t - 1.
    form : {"masses", "positions", "sets"}
    length : int
        Number of atomic units, with positions.
    types : list, optional
        All types in order; those that occur if left out (they must then be numbers).

    Returns
    -------
    BoundarySimilarity
        `b` and `s` in [0, 1].

    Raises
    ------
    InputError
        Different lengths, a position outside the text, an unknown type or word.

    Notes
    -----
    With additions A, transpositions T, substitutions S and matches M,
    cost = |A| + sum over T of span / n_t + sum over S of |a - b| / (t_max - t_min + 1);
    B = 1 - cost / (|A| + |T| + |S| + |M|), 1 if nobody marked a boundary;
    S = 1 - cost / ((N - 1) number of types).
    Agrees with segeval 2.0.11, except that segeval multiplies S's denominator twice by the number
    of types.

    References
    ----------
    .. [1] Fournier, C. (2013). Evaluating text segmentation using boundary edit distance. ACL
       2013, 1702-1712.
    .. [2] Fournier, C., & Inkpen, D. (2012). Segmentation similarity and agreement. NAACL HLT
       2012, 152-161.

    Examples
    --------
    >>> found = boundary_similarity([2, 3, 6], [2, 2, 7])
    >>> found.b, found.s, found.transpositions
    (0.75, 0.95, 1)
    """
    reach = check_n_t(n_t)
    a, b, kinds = pair_of(first, second, form=form, length=length, types=types)
    nearest = min(reach, a.length)  # nothing lies further apart
    edits = edits_between((a.place, a.kind), (b.place, b.kind), kinds, nearest)
    cost = edit_cost(edits, kinds, reach)
    names = ("matches", "additions", "substitutions", "transpositions")
    count = {name: len(getattr(edits, name)) for name in names}
    total = sum(count.values())
    potential = (a.length - 1) * max(len(kinds.names), 1)
    return BoundarySimilarity(
        b=1.0 - cost / total if total else 1.0,
        s=1.0 - cost / potential if potential else 1.0,
        cost=cost,
        positions={name: getattr(edits, name).tolist() for name in names},
        length=a.length,
        n_t=reach,
        types=kinds.names,
        reason=None if total else "neither marked a boundary, which counts as full similarity",
        **count,
    )
