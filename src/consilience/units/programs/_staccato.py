"""Thomann's degree of organisation of segmentations, as in Staccato."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from consilience.core.arguments import number_where, whole_number
from consilience.core.arrays import Floats, Ints
from consilience.core.draws import RandomStream, Seed, seed_sequence
from consilience.document import Document, Finding, Reasoned, Table
from consilience.exceptions import UnsupportedDesignError
from consilience.units._columns import as_floats, origin_of
from consilience.units._unit_results import Accounted, page_of_raters, said_units
from consilience.units.checks import (
    WhoCounts,
    check_raters,
    check_units,
    check_words,
    dropped_findings,
    who_counts,
)
from consilience.units.model import Units

LENGTHS = ("observed", "binned", "elan")
CONTINUA = ("zero", "session")
_FEWEST, _MOST = 10, 1_000_000
_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True, kw_only=True)
class Staccato(Reasoned, Accounted):
    """Degree of organisation: do raters' segments meet more often than random ones?

    Attributes
    ----------
    value : float
        From -1 to 1; 0 is what random segments of these lengths give.
    n_nominations, n_in_nuclei, n_nuclei : int
        Segments of all raters; those in nuclei; nuclei.
    expected, standard_error : float
        Mean number in nuclei over random scenarios, and its Monte Carlo standard error.
    value_error : float
        The Monte Carlo standard error of the value.
    limits : pair of float
        Numbers in nuclei between which random scenarios lie, two-sided.
    """

    interval_needs: ClassVar[str] = "an error over raters, and scenarios give that of chance"
    coefficient: ClassVar[str] = "staccato"
    name: ClassVar[str] = "Degree of organisation"
    unrecorded: ClassVar[tuple[str, ...]] = ("by_session",)
    recorded: ClassVar[tuple[str, ...]] = ("coefficient", "name", "status", "is_organised")

    raters: tuple[str, ...]
    value: float
    n_nominations: int
    n_in_nuclei: int
    n_nuclei: int
    expected: float
    standard_error: float
    value_error: float
    limits: tuple[float, float]
    significance: float
    reason: str | None
    lengths: str
    granularity: int | None
    continuum: str
    n_resamples: int
    seed: int | None
    by_session: Mapping[str, tuple[int, int]] = field(repr=False)
    findings: tuple[Finding, ...] = field(repr=False)

    @property
    def is_organised(self) -> bool:
        """Whether more segments meet than the upper limit of random scenarios."""
        return bool(self.n_in_nuclei > self.limits[1])

    def _beside(self) -> Mapping[str, Any]:
        sessions = [
            {"session": name, "n_nominations": n, "n_in_nuclei": k}
            for name, (n, k) in self.by_session.items()
        ]
        return {**super()._beside(), "sessions": sessions}

    def document(self) -> Document:
        """Return the result as something to read."""
        table = Table.of(
            [self],
            "degree: value",
            "Monte Carlo error: value_error",
            "segments: n_nominations",
            "in nuclei: n_in_nuclei",
            "nuclei: n_nuclei",
            "by chance: expected",
        )
        bins = f" in {self.granularity} bins" if self.granularity else ""
        where = "from 0" if self.continuum == "zero" else "within the session"
        said = said_units(self.units_by_session) + (
            f" {self.n_resamples:,} random scenarios, lengths {self.lengths}{bins}, placed {where}"
            f"; {self.limits[0]:g} to {self.limits[1]:g} in nuclei at level {self.significance:g}."
        )
        return page_of_raters(self, "Degree of organisation", said, table)


def staccato(
    units: Units,
    *,
    raters: Sequence[str] | None = None,
    lengths: Literal["observed", "binned", "elan"] = "observed",
    granularity: int = 10,
    continuum: Literal["zero", "session"] = "zero",
    significance: float = 0.05,
    n_resamples: int = 1_000,
    rng: Seed = 0,
) -> Staccato:
    """Thomann's degree of organisation: agreement about segmentation alone.

    A nucleus is a largest group of at least two segments that all overlap each other and overlap
    the same other segments. The degree compares how many segments are in nuclei with random
    scenarios; labels, and who made a segment, are ignored.

    Parameters
    ----------
    units : Units
    raters : names, optional
    lengths : {"observed", "binned", "elan"}
        Lengths of random segments: those observed; drawn from `granularity` bins of equal width;
        or as Staccato in ELAN draws them (from the shortest to the shortest plus the longest,
        with nuclei looked for among neighbours only).
    granularity : int
        Number of bins.
    continuum : {"zero", "session"}
        Random segments lie between 0 and the latest offset, or within the session's bounds.
    significance : float
        Level of the two-sided limits.
    n_resamples : int
        Random scenarios, at least 10.
    rng : seed or Generator

    Returns
    -------
    Staccato

    Raises
    ------
    InputError
        An unknown word or rater, or an impossible number.
    UnsupportedDesignError
        Fewer than two raters, no units, point events, discontinuous units.

    Notes
    -----
    With k segments in nuclei of n, and a mean of k' in random scenarios, the degree is
    (k - k') / (n - k') if k > k' and (k - k') / k' if k < k'. Segments of different sessions or
    tiers never meet; k, k' and n are summed over them.

    References
    ----------
    .. [1] Thomann, B. (2001). Observation and judgment in psychology: Assessing agreement among
       markings of behavioral events. Behavior Research Methods 33, 339-348.

    Examples
    --------
    >>> segments = [(100, 300), (500, 700), (900, 1000), (1200, 1500), (1700, 1750)]
    >>> others = [(110, 290), (400, 480), (520, 710), (1180, 1490)]
    >>> units = Units.from_records(
    ...     [("a", "x", *s) for s in segments] + [("b", "x", *s) for s in others])
    >>> result = staccato(units, n_resamples=2000)
    >>> result.n_in_nuclei, result.n_nominations, 0.3 < result.value < 0.4
    (6, 9, True)
    """
    check_words(lengths=(lengths, LENGTHS), continuum=(continuum, CONTINUA))
    bins = whole_number("granularity", granularity, least=1, most=_MOST)
    n_scenarios = whole_number("n_resamples", n_resamples, least=_FEWEST, most=_MOST)
    level = number_where(
        "significance",
        significance,
        "above 0, below 0.5",
        "0.05 is usual",
        fits=lambda x: 0 < x < 0.5,
    )
    who = _compared(units, raters)
    known, blocks = who.units, who.blocks()
    generator = RandomStream.of(seed_sequence(rng))
    consecutive = lengths == "elan"
    observed: dict[str, tuple[int, int]] = {}
    n_nuclei = 0
    chance = np.zeros(n_scenarios)
    for b in range(blocks.n_blocks):
        rows = slice(int(blocks.offsets[b, 0]), int(blocks.offsets[b, -1]))
        times = np.concatenate([blocks.start[rows], blocks.end[rows]])
        start, end = np.split(as_floats(times), 2)
        origin = origin_of(times)
        in_nuclei, nuclei = (x[0] for x in nuclei_of(start[None], end[None], consecutive))
        name = who.sessions[blocks.session[b]]
        n, k = observed.get(name, (0, 0))
        observed[name] = (n + len(start), k + int(in_nuclei))
        n_nuclei += int(nuclei)
        limits = (min(-float(origin), float(start.min())), float(end.max()))
        if continuum == "session":
            low, high = (float(x) for x in known.bounds[known.sessions.index(name)] - origin)
            limits = (low, high)
        draw = _lengths(end - start, lengths, bins)
        chance += _scenarios(
            draw, (n_scenarios, len(start)), limits, generator, consecutive=consecutive
        )
    n, k = np.array(list(observed.values())).sum(axis=0).tolist()
    return who.result(
        Staccato,
        **_against_chance(k, n, chance, level),
        n_nominations=n,
        n_in_nuclei=k,
        n_nuclei=n_nuclei,
        reason=None,
        lengths=lengths,
        granularity=bins if lengths == "binned" else None,
        continuum=continuum,
        significance=level,
        n_resamples=n_scenarios,
        seed=rng if isinstance(rng, int) else None,
        by_session=observed,
        findings=(_SEGMENTS_ONLY, *dropped_findings(who.dropped, advice="")),
    )


def _compared(units: Any, raters: Any) -> WhoCounts:
    known = check_units(units, "the degree of organisation")
    names = check_raters(known, raters)
    chosen = np.isin(known.rater, [known.raters.index(name) for name in names])
    n_points = int((chosen & (known.start == known.end)).sum())
    if n_points:
        raise UnsupportedDesignError.needs(
            "the degree of organisation",
            "segments with a length",
            f"{n_points} point events",
            "leave point events out with select(labels=…)",
        )
    if not chosen.any():
        raise UnsupportedDesignError.needs(
            "the degree of organisation", "segments", "none", "check the raters' names"
        )
    return who_counts(known, names, "the degree of organisation")


def nuclei_of(start: Floats, end: Floats, consecutive: bool) -> tuple[Ints, Ints]:
    """Return how many segments are in nuclei, and how many nuclei there are, for each row.

    Which segments a segment overlaps follows from how many ended before it began and how many
    began before it ended, so equal pairs of these numbers are the groups that overlap the same
    segments. With ``consecutive`` only neighbours in order of onset are compared.
    """
    n_rows, n = start.shape
    joined = np.concatenate([end, start], axis=1)  # an end comes before a start at the same time
    order = np.argsort(joined, axis=1, kind="stable")
    is_end = order < n
    ended = np.empty((n_rows, 2 * n), dtype=np.int64)
    np.put_along_axis(ended, order, np.cumsum(is_end, axis=1), axis=1)
    begun = np.empty((n_rows, 2 * n), dtype=np.int64)
    np.put_along_axis(begun, order, np.cumsum(~is_end, axis=1), axis=1)
    kind = ended[:, n:] * (n + 1) + begun[:, :n]
    if consecutive:
        onset = np.lexsort((end, start), axis=1)
        kind = np.take_along_axis(kind, onset, axis=1)
    else:
        kind = np.sort(kind, axis=1)
    same = kind[:, 1:] == kind[:, :-1]
    none = np.zeros((n_rows, 1), dtype=bool)
    before, after = np.hstack([none, same]), np.hstack([same, none])
    return (before | after).sum(axis=1), (after & ~before).sum(axis=1)


Draw = Callable[[RandomStream, tuple[int, int]], Floats]


def _lengths(observed: Floats, model: str, bins: int) -> Draw:
    """Return how the lengths of random segments are drawn."""
    low, high = float(observed.min()), float(observed.max())
    if model == "elan":
        return lambda rng, shape: low + np.floor(rng.random(shape) * (high + 1.0))
    if model == "binned" and high > low:
        counts, edges = np.histogram(observed, bins=bins)
        shares = counts / counts.sum()

        def binned(rng: RandomStream, shape: tuple[int, int]) -> Floats:
            which = rng.choice(shares, shape)
            return np.asarray(edges[which] + rng.random(shape) * np.diff(edges)[which])

        return binned
    return lambda rng, shape: np.broadcast_to(observed, shape)


def _scenarios(
    draw: Draw,
    shape: tuple[int, int],
    limits: tuple[float, float],
    rng: RandomStream,
    *,
    consecutive: bool,
) -> Floats:
    """Return the number of segments in nuclei in each random scenario."""
    n_scenarios, n = shape
    low, high = limits
    out = np.empty(n_scenarios)
    step = max(1, _CELLS_AT_ONCE // max(n, 1))
    for first in range(0, n_scenarios, step):
        rows = min(step, n_scenarios - first)
        length = np.minimum(draw(rng, (rows, n)), high - low)
        start = low + rng.random((rows, n)) * (high - low - length)
        out[first : first + rows] = nuclei_of(start, start + length, consecutive)[0]
    return out


def degree(k: float, expected: float, n: int) -> float:
    """Return the degree of organisation (Thomann 2001)."""
    if k > expected:
        return (k - expected) / (n - expected)
    return (k - expected) / expected if k < expected else 0.0


def _against_chance(k: int, n: int, chance: Floats, level: float) -> dict[str, Any]:
    """Return the degree, its error and the limits of chance, as fields of the result."""
    size = len(chance)
    expected = float(chance.mean())
    error = float(chance.std(ddof=1)) / math.sqrt(size)
    ordered = np.sort(chance)
    low, high = (ordered[min(math.floor(x * size), size - 1)] for x in (level, 1.0 - level))
    below = n - expected if k > expected else expected
    # d DO / d expected is (k - n) / (n - k')^2 above chance and -k / k'^2 below.
    slope = (n - k) / below**2 if k > expected else k / below**2 if k < expected else 0.0
    return {
        "value": degree(k, expected, n),
        "expected": expected,
        "standard_error": error,
        "value_error": slope * error,
        "limits": (float(low), float(high)),
    }


_SEGMENTS_ONLY = Finding(
    "segments_only",
    "info",
    "The degree of organisation ignores labels and who made a segment: two overlapping segments of "
    "one rater can form a nucleus.",
)
