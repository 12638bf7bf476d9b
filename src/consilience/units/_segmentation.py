"""Agreement about where to cut: boundary similarity of all raters, corrected for chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.document import (
    Document,
    Finding,
    Paragraph,
    Presented,
    Range,
    Table,
    envelope,
    plain,
)
from consilience.inference import Interval
from consilience.inference._intervals import check_confidence_level
from consilience.inference._resample import Seed, check_resamples
from consilience.units._boundaries import Cuts, cuts_of
from consilience.units._boundary_edit import check_n_t, edits_between
from consilience.units._checks import check_word
from consilience.units._sessions import (
    FEWEST_SESSIONS,
    interval_of,
    no_interval,
    session_replicates,
)
from consilience.units._units import Units

Floats = NDArray[np.float64]
SIMILARITIES = ("B", "S")
_VALUES = ("observed", "pi", "kappa", "expected_pi", "expected_kappa", "bias")
_NOBODY = "nobody marked a boundary"
_CHANCE = "chance agreement is 1: every possible boundary was marked"
_HEAD = 6  # B: similarity and its maximum; S: the same; sum of shares, number of shares


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentationValue:
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        record: dict[str, Any] = plain({k: getattr(self, k) for k in self.__dataclass_fields__})
        return record


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentationPair:
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        record: dict[str, Any] = plain({k: getattr(self, k) for k in self.__dataclass_fields__})
        return record


@dataclass(frozen=True, kw_only=True)
class Segmentation(Presented):
    """Agreement of raters who divided texts; see `segmentation`.

    Attributes
    ----------
    b, s : SegmentationValue
        By boundary similarity and by segmentation similarity.
    pairs : tuple of SegmentationPair
    boundaries : mapping of rater to (boundaries, possible boundaries)
    """

    b: SegmentationValue
    s: SegmentationValue
    pairs: tuple[SegmentationPair, ...] = field(repr=False)
    boundaries: Mapping[str, tuple[int, int]]
    sessions: tuple[str, ...] = field(repr=False)
    parameters: Mapping[str, Any]
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    findings: tuple[Finding, ...] = field(repr=False)
    confidence_level: float = 0.95
    n_resamples: int = field(default=9_999, repr=False)
    rng: Seed = field(default=0, repr=False)
    _parts: Floats = field(repr=False)

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

    @property
    def status(self) -> str:
        """Whether the coefficients are defined."""
        return self.b.status

    @property
    def reason(self) -> str | None:
        """Why they are not."""
        return self.b.reason

    @cached_property
    def _replicates(self) -> Floats:
        return session_replicates(
            self._parts,
            lambda sums: np.concatenate([values_of(sums, x) for x in SIMILARITIES], axis=-1),
            n_resamples=self.n_resamples,
            rng=self.rng,
        )

    def confidence_interval(self, name: str = "pi", *, similarity: str = "B") -> Interval:
        """Interval from resampling sessions; without limits if there are fewer than 8.

        Parameters
        ----------
        name : {"observed", "pi", "kappa", "expected_pi", "expected_kappa", "bias"}
        similarity : {"B", "S"}
        """
        check_word("name", name, _VALUES)
        check_word("similarity", similarity, SIMILARITIES)
        if len(self.sessions) < FEWEST_SESSIONS:
            return no_interval(len(self.sessions), self.confidence_level)
        column = SIMILARITIES.index(similarity) * len(_VALUES) + _VALUES.index(name)
        return interval_of(self._replicates[:, column], self.confidence_level)

    def to_dict(self) -> dict[str, Any]:
        """Return the record with estimates, pairs and parameters."""
        estimates = [
            {
                "coefficient": f"{name}_{value.similarity}",
                "value": getattr(value, name),
                "observed": value.observed,
                "expected": getattr(value, f"expected_{name}"),
                "status": value.status,
                "reason": value.reason,
                "interval": self.confidence_interval(name, similarity=value.similarity),
            }
            for value in (self.b, self.s)
            for name in ("pi", "kappa")
        ]
        return envelope(
            data={
                "raters": len(self.boundaries),
                "sessions": len(self.sessions),
                "dropped": [{"session": name, "reason": why} for name, why in self.dropped],
            },
            estimates=estimates,
            findings=self.findings,
            seed=self.rng if isinstance(self.rng, int) else None,
            similarities=[self.b, self.s],
            pairs=self.pairs,
            boundaries=self.boundaries,
            mean_b=self.mean_b,
            parameters=self.parameters,
        )

    def document(self) -> Document:
        """Return the result as something to read."""
        level = f"{100 * self.confidence_level:g}% interval"
        rows: list[list[Any]] = []
        for value in (self.b, self.s):
            for name in ("pi", "kappa"):
                found = self.confidence_interval(name, similarity=value.similarity)
                rows.append(
                    [
                        f"{name}* ({value.similarity})",
                        getattr(value, name),
                        Range(found.low, found.high),
                        value.observed,
                        getattr(value, f"expected_{name}"),
                    ]
                )
        marked = ", ".join(f"{name} {n} of {of}" for name, (n, of) in self.boundaries.items())
        said = f"Boundaries marked: {marked}."
        if len(self.sessions) < FEWEST_SESSIONS:
            found = no_interval(len(self.sessions), self.confidence_level)
            said += f" {found.note[0].upper()}{found.note[1:]}."
        if self.reason:
            said += f" Not defined: {self.reason}."
        heads = ("coefficient", "value", level, "observed", "chance")
        return Document(
            title="Segmentation",
            blocks=(Paragraph(said), Table(heads=heads, rows=rows), self._pair_table()),
            findings=self.findings,
        )

    def _pair_table(self) -> Table:
        rows: list[list[Any]] = [
            [f"{x.first} and {x.second}", x.b, x.s, x.matches, x.near_misses, x.misses]
            for x in self.pairs
        ]
        heads = ("raters", "B", "S", "matches", "near misses", "misses")
        return Table(heads=heads, rows=rows, caption="Each pair of raters")


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
    level = check_confidence_level(confidence_level)
    check_resamples(n_resamples)
    cuts = cuts_of(units, "agreement about segments", types=types, atom=atom, gap=reach)
    parts, pairs = _pair_parts(cuts, reach)
    by_text = np.concatenate([parts, _shares(cuts)], axis=1)
    sessions, place = np.unique(cuts.session, return_inverse=True)
    summed = np.zeros((len(sessions), by_text.shape[1]))
    np.add.at(summed, place, by_text)
    totals = summed.sum(axis=0)
    n = len(cuts.raters)
    kinds = None if types is None else cuts.kinds.names
    return Segmentation(
        b=_value("B", totals),
        s=_value("S", totals),
        pairs=pairs,
        boundaries={
            name: (int(totals[_HEAD + r]), int(totals[_HEAD + n + r]))
            for r, name in enumerate(cuts.raters)
        },
        sessions=tuple(units.sessions[s] for s in sessions),
        parameters={"n_t": reach, "types": kinds, "atom": atom, "texts": cuts.n_texts},
        dropped=cuts.dropped,
        findings=cuts.findings,
        confidence_level=level,
        n_resamples=n_resamples,
        rng=rng,
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


def values_of(sums: Floats, similarity: str) -> Floats:
    """Return observed, pi, kappa, both chance agreements and bias from sums (…, parts)."""
    at = 2 * SIMILARITIES.index(similarity)
    n = (sums.shape[-1] - _HEAD) // 2
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = sums[..., at] / sums[..., at + 1]
        by_pi = (sums[..., 4] / sums[..., 5]) ** 2
        p = sums[..., _HEAD : _HEAD + n] / sums[..., _HEAD + n :]
        # Mean of P_m P_n over the pairs of raters that have a share.
        known = np.isfinite(p)
        p = np.where(known, p, 0.0)
        m = known.sum(axis=-1)
        by_kappa = (p.sum(axis=-1) ** 2 - (p**2).sum(axis=-1)) / (m * (m - 1))
        pi, kappa = ((observed - e) / (1.0 - e) for e in (by_pi, by_kappa))
    pi, kappa = (np.where(1.0 - e > 1e-12, x, np.nan) for x, e in ((pi, by_pi), (kappa, by_kappa)))
    return np.stack([observed, pi, kappa, by_pi, by_kappa, by_pi - by_kappa], axis=-1)


def _value(similarity: str, totals: Floats) -> SegmentationValue:
    found = dict(zip(_VALUES, values_of(totals, similarity).tolist(), strict=True))
    reason = None
    if not math.isfinite(found["observed"]):
        reason = _NOBODY
    elif not math.isfinite(found["pi"]) or not math.isfinite(found["kappa"]):
        reason = _CHANCE
    status = "ok" if reason is None else "undefined"
    return SegmentationValue(similarity=similarity, status=status, reason=reason, **found)
