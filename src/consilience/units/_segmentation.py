"""Agreement about where to cut: boundary similarity (Fournier 2013), corrected for chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from consilience.core.arguments import check_word, whole_number
from consilience.core.arrays import Floats, Ints
from consilience.core.draws import Seed
from consilience.core.result import Result, Unremarked
from consilience.core.words import interval_head, sentence
from consilience.document import Document, Paragraph, Table
from consilience.document.records import Reasoned, Recorded
from consilience.inference import Interval
from consilience.units._boundaries import Cuts, Kinds, cuts_of, pair_of
from consilience.units._unit_results import (
    KAPPA,
    PAIR,
    SHARE,
    Draws,
    Enveloped,
    Led,
    SampledSessions,
    SessionsDrawn,
    no_interval,
)
from consilience.units.model import Units

# ---- boundary edit distance, B and S (Fournier 2013)


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


# ---- the public function


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


# ---- results

SIMILARITIES = ("B", "S")
VALUES = ("observed", "pi", "kappa", "expected_pi", "expected_kappa", "bias")
HEAD = 6  # B: similarity and its maximum; S: the same; sum of shares, number of shares


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentationValue(Recorded):
    """Agreement by one similarity, and what chance alone would give."""

    similarity: str
    observed: float
    expected_pi: float
    expected_kappa: float
    pi: float
    kappa: float
    bias: float
    status: str
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentationPair(Recorded):
    """Two raters: edits over all their texts, pooled similarities, and the mean over texts."""

    first: str
    second: str
    n_texts: int
    b: float
    s: float
    mean_b: float
    matches: int
    near_misses: int
    substitutions: int
    misses: int


@dataclass(frozen=True, kw_only=True)
class Segmentation(Led, SessionsDrawn, Enveloped):
    """Agreement of raters who divided texts; see `segmentation`.

    Attributes
    ----------
    b, s : SegmentationValue
        By boundary similarity and by segmentation similarity.
    pairs : tuple of SegmentationPair
    boundaries : mapping of rater to (boundaries, possible boundaries)
    """

    recorded: ClassVar[tuple[str, ...]] = ("similarities", "pairs", "boundaries", "mean_b")

    b: SegmentationValue
    s: SegmentationValue
    pairs: tuple[SegmentationPair, ...] = field(repr=False)
    boundaries: Mapping[str, tuple[int, int]]
    sessions: tuple[str, ...] = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    draws: Draws = field(repr=False)
    _parts: Floats = field(repr=False)

    @property
    def _leading(self) -> SegmentationValue:
        return self.b

    @property
    def similarities(self) -> tuple[SegmentationValue, SegmentationValue]:
        """Both similarities: B and S."""
        return self.b, self.s

    @property
    def observed(self) -> float:
        """Observed agreement A_a by boundary similarity."""
        return self.b.observed

    @property
    def pi(self) -> float:
        """Chance-corrected agreement with one distribution shared by all raters."""
        return self.b.pi

    @property
    def kappa(self) -> float:
        """Chance-corrected agreement with each rater's own share of boundaries."""
        return self.b.kappa

    @property
    def value(self) -> float:
        """The same as `pi`."""
        return self.b.pi

    @property
    def bias(self) -> float:
        """How much the raters' shares of boundaries differ: A_e(pi) - A_e(kappa)."""
        return self.b.bias

    @property
    def mean_b(self) -> float:
        """Mean over pairs of raters of their mean boundary similarity."""
        values = np.array([pair.mean_b for pair in self.pairs])
        return float(values[np.isfinite(values)].mean()) if np.isfinite(values).any() else math.nan

    @cached_property
    def _sample(self) -> SampledSessions:
        return self.draws.sampled(
            self._parts,
            lambda sums: np.concatenate([values_of(sums, x) for x in SIMILARITIES], axis=-1),
        )

    def confidence_interval(
        self,
        confidence_level: float = 0.95,
        method: str = "auto",
        *,
        name: str = "pi",
        similarity: str = "B",
    ) -> Interval:
        """Interval from resampling sessions; without limits if there are fewer than 8.

        Parameters
        ----------
        confidence_level : float, default 0.95
        method : {"auto", "session-jackknife", "session-bootstrap"}
        name : {"observed", "pi", "kappa", "expected_pi", "expected_kappa", "bias"}
        similarity : {"B", "S"}
        """
        level = self._level(confidence_level, method)
        check_word("name", name, VALUES)
        check_word("similarity", similarity, SIMILARITIES)
        column = SIMILARITIES.index(similarity) * len(VALUES) + VALUES.index(name)
        ends = KAPPA if name in ("pi", "kappa", "bias") else SHARE
        return self._sample.interval(level, method, column=column, ends=ends)

    def _estimates(self) -> Iterator[dict[str, Any]]:
        for value in self.similarities:
            for name in ("pi", "kappa"):
                yield {
                    "coefficient": f"{name}_{value.similarity}",
                    "value": getattr(value, name),
                    "observed": value.observed,
                    "expected": getattr(value, f"expected_{name}"),
                    "status": value.status,
                    "reason": value.reason,
                    "interval": self.confidence_interval(
                        self.draws.confidence_level, name=name, similarity=value.similarity
                    ),
                }

    def _sizes(self) -> dict[str, Any]:
        return {"raters": len(self.boundaries), "sessions": len(self.sessions)}

    def document(self) -> Document:
        """Return the result as something to read."""
        values = Table.of(
            self._estimates(),
            ("coefficient", lambda one: "{}* ({})".format(*one["coefficient"].split("_"))),
            "value",
            f"{interval_head(self.draws.confidence_level)}: interval",
            "observed",
            "chance: expected",
        )
        pairs = Table.of(
            self.pairs,
            PAIR,
            "B: b",
            "S: s",
            "matches",
            "near misses",
            "misses",
            caption="Each pair of raters",
        )
        marked = ", ".join(f"{name} {n} of {of}" for name, (n, of) in self.boundaries.items())
        n_t = self.parameters["n_t"]
        near = f"up to {n_t - 1} apart count as near misses" if n_t > 1 else "apart are misses"
        said = f"Boundaries marked: {marked}; those {near}."
        if not self._sample.is_enough:
            few = no_interval(self._sample.n_sessions, self.draws.confidence_level)
            said += f" {sentence(few.note)}"
        if self.reason:
            said += f" Not defined: {self.reason}."
        blocks = (Paragraph(said), values, pairs)
        return Document(title="Segmentation", blocks=blocks, findings=self.findings)


def values_of(sums: Floats, similarity: str) -> Floats:
    """Return observed, pi, kappa, both chance agreements and bias from sums (…, parts).

    Fournier & Inkpen 2012: agreement by chance is the share of boundaries squared (pi), or the
    mean product of two raters' shares (kappa); Fournier 2013 puts B in the place of S.
    """
    at = 2 * SIMILARITIES.index(similarity)
    n = (sums.shape[-1] - HEAD) // 2
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = sums[..., at] / sums[..., at + 1]
        by_pi = (sums[..., 4] / sums[..., 5]) ** 2
        p = sums[..., HEAD : HEAD + n] / sums[..., HEAD + n :]
        # Mean of P_m P_n over the pairs of raters that have a share.
        known = np.isfinite(p)
        p = np.where(known, p, 0.0)
        m = known.sum(axis=-1)
        by_kappa = (p.sum(axis=-1) ** 2 - (p**2).sum(axis=-1)) / (m * (m - 1))
        pi, kappa = ((observed - e) / (1.0 - e) for e in (by_pi, by_kappa))
    pi, kappa = (np.where(1.0 - e > 1e-12, x, np.nan) for x, e in ((pi, by_pi), (kappa, by_kappa)))
    return np.stack([observed, pi, kappa, by_pi, by_kappa, by_pi - by_kappa], axis=-1)


# ---- all raters, corrected for chance

_NOBODY = "nobody marked a boundary"
_CHANCE = "chance agreement is 1: every possible boundary was marked"


def segmentation(
    units: Units,
    *,
    n_t: int = 2,
    types: Iterable[Any] | None = None,
    atom: float = 1,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> Segmentation:
    """Agreement of raters who divided texts into segments, corrected for chance.

    Use it for topic, discourse or paragraph segmentation by two or more raters: boundaries that
    are nearly in the same place count in part. Prefer `boundary_hits` for times in seconds.

    Parameters
    ----------
    units : Units
        Segments, as from `Units.from_masses` or `Units.from_boundaries`. Every start and end
        inside a session is a boundary. Each tier of each session is a text of its own.
    n_t : int, default 2
        Boundaries less than so many places apart are near misses.
    types : list, optional
        Types of boundaries in order: the label of the segment that begins there. Without them
        all boundaries are of one type and labels play no part.
    atom : number, default 1
        Length of an atomic unit; every position must be a multiple of it.
    confidence_level, n_resamples, rng
        Of the intervals, from resampling sessions.

    Returns
    -------
    Segmentation

    Raises
    ------
    InputError
        Segments of one rater overlap, positions are no multiples of the atomic unit.
    UnsupportedDesignError
        Fewer than two raters, or no session that two raters divided.

    Notes
    -----
    A_a = sum of similarities / sum of their maxima, over texts and pairs of raters             (1)
    A_e(pi) = (mean over raters and texts of boundaries / possible boundaries)²                (2)
    A_e(kappa) = mean over pairs of P_m P_n, P = all boundaries / all possible ones            (3)
    pi* = (A_a - A_e) / (1 - A_e), kappa* likewise; bias = A_e(pi) - A_e(kappa).
    A rater without segments in a session did not divide it: her pairs leave it out.
    With complete data agrees with segeval 2.0.11 to 1e-12.

    References
    ----------
    .. [1] Fournier, C. (2013). Evaluating text segmentation using boundary edit distance. ACL
       2013, 1702-1712.
    .. [2] Fournier, C., & Inkpen, D. (2012). Segmentation similarity and agreement. NAACL HLT
       2012, 152-161.
    .. [3] Hearst, M. A. (1997). TextTiling: Segmenting text into multi-paragraph subtopic
       passages. Computational Linguistics 23, 33-64.

    Examples
    --------
    >>> stargazer = {
    ...     "1": [2, 3, 3, 1, 3, 6, 3], "2": [2, 8, 2, 4, 2, 3],
    ...     "3": [2, 1, 2, 3, 1, 3, 1, 3, 2, 2, 1], "4": [2, 1, 4, 1, 1, 3, 1, 4, 3, 1],
    ...     "5": [3, 2, 4, 3, 5, 4], "6": [2, 3, 4, 2, 2, 5, 3], "7": [2, 3, 2, 2, 3, 1, 3, 2, 3]}
    >>> found = segmentation(Units.from_masses(stargazer))
    >>> round(found.observed, 6), round(found.pi, 6), round(found.kappa, 6)
    (0.530055, 0.46445, 0.46532)
    """
    reach = check_n_t(n_t)
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    cuts = cuts_of(units, "agreement about segments", types=types, atom=atom, gap=reach)
    parts, pairs = _pair_parts(cuts, reach)
    by_text = np.concatenate([parts, _shares(cuts)], axis=1)
    sessions, place = np.unique(cuts.session, return_inverse=True)
    summed = np.zeros((len(sessions), by_text.shape[1]))
    np.add.at(summed, place, by_text)
    totals = summed.sum(axis=0)
    n = len(cuts.raters)
    kinds = None if types is None else cuts.kinds.names
    return cuts.compared.result(
        Segmentation,
        b=_value("B", totals),
        s=_value("S", totals),
        pairs=pairs,
        boundaries={
            name: (int(totals[HEAD + r]), int(totals[HEAD + n + r]))
            for r, name in enumerate(cuts.raters)
        },
        sessions=tuple(units.sessions[s] for s in sessions),
        parameters={"n_t": reach, "types": kinds, "atom": atom, "texts": cuts.n_texts},
        findings=cuts.findings,
        draws=draws,
        _parts=summed,
    )


def _pair_parts(cuts: Cuts, n_t: int) -> tuple[Floats, tuple[SegmentationPair, ...]]:
    """Return numerators and denominators of B and S in each text, and the pairs."""
    parts = np.zeros((cuts.n_texts, 4))
    potential = (cuts.length - 1) * len(cuts.kinds.names)
    places = [cuts.text(place) for place in cuts.place]
    pairs = []
    for first, second in combinations(range(len(cuts.raters)), 2):
        both = cuts.took_part[:, first] & cuts.took_part[:, second]
        inside = [both[places[r]] for r in (first, second)]
        one, other = (
            (cuts.place[r][keep], cuts.kind[r][keep])
            for r, keep in zip((first, second), inside, strict=True)
        )
        edits = edits_between(one, other, cuts.kinds, min(n_t, int(cuts.length.max())))
        count = [
            np.bincount(cuts.text(x), minlength=cuts.n_texts).astype(np.float64)
            for x in (edits.matches, edits.transpositions, edits.substitutions, edits.additions)
        ]
        moved = np.bincount(
            cuts.text(edits.transpositions), weights=edits.spans, minlength=cuts.n_texts
        )
        swapped = np.bincount(
            cuts.text(edits.substitutions), weights=edits.swapped, minlength=cuts.n_texts
        )
        cost = count[3] + moved / n_t + swapped / cuts.kinds.reach
        total = count[0] + count[1] + count[2] + count[3]
        mine = np.stack([total - cost, total, both * (potential - cost), both * potential], axis=1)
        parts += mine
        pairs.append(_pair(cuts, (first, second), mine, both, count))
    return parts, tuple(pairs)


def _pair(
    cuts: Cuts, who: tuple[int, int], parts: Floats, both: Any, count: list[Floats]
) -> SegmentationPair:
    summed = parts.sum(axis=0)
    n_texts = int(both.sum())
    # A text in which neither marked a boundary counts as full similarity, as B does.
    by_text = np.divide(parts[:, 0], parts[:, 1], out=np.ones(len(parts)), where=parts[:, 1] > 0)
    matches, near, swapped, missed = (int(x.sum()) for x in count)
    empty = 1.0 if n_texts else math.nan
    return SegmentationPair(
        first=cuts.raters[who[0]],
        second=cuts.raters[who[1]],
        n_texts=n_texts,
        b=float(summed[0] / summed[1]) if summed[1] else empty,
        s=float(summed[2] / summed[3]) if summed[3] else empty,
        mean_b=float(by_text[both].mean()) if n_texts else math.nan,
        matches=matches,
        near_misses=near,
        substitutions=swapped,
        misses=missed,
    )


def _shares(cuts: Cuts) -> Floats:
    """Return, for each text, the sum and number of shares, boundaries and places of each rater."""
    potential = ((cuts.length - 1) * len(cuts.kinds.names))[:, None] * cuts.took_part
    marked = np.stack(
        [np.bincount(cuts.text(place), minlength=cuts.n_texts) for place in cuts.place], axis=1
    )
    share = np.divide(marked, potential, out=np.zeros(marked.shape), where=potential > 0)
    heads = np.stack([share.sum(axis=1), cuts.took_part.sum(axis=1)], axis=1)
    return np.concatenate([heads, marked, potential], axis=1)


def _value(similarity: str, totals: Floats) -> SegmentationValue:
    found = dict(zip(VALUES, values_of(totals, similarity).tolist(), strict=True))
    reason = None
    if not math.isfinite(found["observed"]):
        reason = _NOBODY
    elif not math.isfinite(found["pi"]) or not math.isfinite(found["kappa"]):
        reason = _CHANCE
    status = "ok" if reason is None else "undefined"
    return SegmentationValue(similarity=similarity, status=status, reason=reason, **found)
