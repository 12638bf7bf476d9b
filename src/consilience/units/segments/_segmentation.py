"""Agreement about where to cut: boundary similarity of all raters, corrected for chance."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.resample import Seed
from consilience.units.model._sessions import Draws
from consilience.units.model._unit_findings import dropped_findings
from consilience.units.model._unit_results import unit_counts
from consilience.units.model.units import Units
from consilience.units.segments._boundaries import Cuts, cuts_of
from consilience.units.segments._boundary_edit import check_n_t, edits_between
from consilience.units.segments._segmentation_results import (
    HEAD,
    VALUES,
    Segmentation,
    SegmentationPair,
    SegmentationValue,
    values_of,
)

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
    return Segmentation(
        b=_value("B", totals),
        s=_value("S", totals),
        pairs=pairs,
        boundaries={
            name: (int(totals[HEAD + r]), int(totals[HEAD + n + r]))
            for r, name in enumerate(cuts.raters)
        },
        sessions=tuple(units.sessions[s] for s in sessions),
        parameters={"n_t": reach, "types": kinds, "atom": atom, "texts": cuts.n_texts},
        dropped=cuts.dropped,
        units_by_session=unit_counts(units, dropped=cuts.dropped),
        findings=(*cuts.findings, *dropped_findings(cuts.dropped, advice="")),
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
