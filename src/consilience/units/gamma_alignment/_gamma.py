"""Gamma: agreement on where units are and what they are called, in one number.

References
----------
.. [1] Mathet, Y., Widlöcher, A., & Métivier, J.-P. (2015). The unified and holistic method gamma
   (γ) for inter-annotator agreement measure and alignment. Computational Linguistics 41(3),
   437–479. doi:10.1162/COLI_a_00227
.. [2] Mathet, Y. (2017). The agreement measure γcat: a complement to γ focused on categorization
   of a continuum. Computational Linguistics 43(3), 661–681. doi:10.1162/COLI_a_00296
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from consilience.core.checks import whole_number
from consilience.core.resample import Seed, seed_sequence
from consilience.document import Finding, found
from consilience.units.gamma_alignment._best_alignment import MOST_CANDIDATES
from consilience.units.gamma_alignment._chance_continua import CHANCE, SPACING
from consilience.units.gamma_alignment._gamma_input import (
    ALIGNMENTS,
    checked_settings,
    precision_of,
    prepared,
    source_raters,
)
from consilience.units.gamma_alignment._gamma_results import (
    TIE_RULE,
    Gamma,
    alignment_of,
    sessions_of,
    values_of,
)
from consilience.units.gamma_alignment._gamma_run import VARIANTS, by_chance, observe
from consilience.units.model._sessions import Draws
from consilience.units.model._unit_results import unit_counts
from consilience.units.model.asked import ABSENT
from consilience.units.model.unit_checks import check_positive
from consilience.units.model.units import Units


def gamma(
    units: Units,
    *,
    alpha: float = 3.0,
    beta: float = 1.0,
    distance: Any = "nominal",
    categories: Sequence[Any] | None = None,
    chance: Literal["shuffle", "statistical"] = "shuffle",
    spacing: Literal["mean", "half"] = "mean",
    precision: str | float | None = "medium",
    n_samples: int = 30,
    reference_raters: Iterable[str] | None = None,
    variant: Literal["paper", "pygamma"] = "paper",
    alignment: Literal["exact", "approximate"] = "exact",
    absent: Literal["asked", "drop", "count"] = "asked",
    point_length: float | None = None,
    max_candidates: int = MOST_CANDIDATES,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> Gamma:
    """Gamma, gamma-cat and gamma-k: agreement on the place and the label of units.

    Use it when raters choose both where units are and what they are called, for any number of
    raters and for units that overlap. Prefer `unitizing_alpha` when every instant of the
    continuum counts, and EasyDIAG's kappa when only whole events do.

    Parameters
    ----------
    units : Units
    alpha, beta : float
        Weight of the position and of the label; 3 and 1 as in the authors' program. Gamma is not
        comparable across settings.
    distance : str, Distance or callable, default "nominal"
        How different two labels are, from 0 to 1: a name of `consilience.distances`. "ordinal" is
        the difference of ranks over the largest one; distances of numbers are divided by the
        largest.
    categories : list, optional
        The labels in order, for "ordinal" and "linear" with labels that are text.
    chance : {"shuffle", "statistical"}
        Random continua: rotate the units of raters drawn at random (the paper), or draw units from
        normal distributions (pygamma-agreement).
    spacing : {"mean", "half"}
        Two rotations are at least the mean length of a unit apart (the paper), or half of it.
    precision : {"high", "medium", "low"}, float or None
        Precision of the expected disorder, 1, 2 or 5 %, which decides how many continua are drawn;
        None draws `n_samples`.
    n_samples : int
        Continua drawn at first, for each tier of each session.
    reference_raters : list of str, optional
        Make random continua of these raters' units only (a ground truth).
    variant : {"paper", "pygamma"}
        How gamma-cat and gamma-k weigh pairs; see Notes.
    alignment : {"exact", "approximate"}
        An approximation lets raters join one after the other; it is also what happens, flagged,
        where the exact problem has more than `max_candidates` groups of units.
    absent : {"asked", "drop", "count"}
        A rater without a unit in a session counts as having marked nothing if she was asked
        there (`Units.asked`) and is left out if that is not known; is left out; or counts.
    point_length : float, optional
        The length, around their place, that units without length stand for.
    max_candidates : int
    confidence_level, n_resamples
        For the interval over sessions, of which it needs eight.
    rng : int or numpy.random.Generator
        The same seed gives the same bits.

    Returns
    -------
    Gamma
        `value` at most 1; 0 is the disorder expected by chance. `cat`, `by_category`, `sessions`
        and `alignment` hold the rest.

    Raises
    ------
    InputError
        Units without length and no `point_length`; an unknown word; labels that the distance
        cannot compare.
    UnsupportedDesignError
        Fewer than two raters, no unit, or units in several pieces.

    Notes
    -----
    A unitary alignment takes at most one unit of each rater; its disorder is the mean over pairs
    of raters of d = α d_pos + β d_cat, and 1 for a pair with an empty place, where d_pos =
    ((|Δstart| + |Δend|)/(sum of lengths))². The disorder of an alignment is the sum over its
    unitary alignments, divided by the mean number of units of a rater. Gamma is one minus the
    least disorder over its mean in random continua. What an empty place costs is a unit of
    measurement: gamma does not depend on it.

    Several sessions: the pooled disorders are means over sessions weighted by the mean number of
    units of a rater; gamma-cat and gamma-k weigh sessions by the weight of their aligned pairs.

    Gamma-cat takes each aligned pair with the weight max(0, 1 − d_pos)/(ν − 1), ν units in the
    unitary alignment. The variant "pygamma" has α d_pos there and counts units that face an empty
    place. Ties between alignments are broken towards more aligned pairs, then less distance
    between labels: gamma does not depend on it, gamma-cat does.

    References
    ----------
    .. [1] Mathet, Y., Widlöcher, A., & Métivier, J.-P. (2015). The unified and holistic method
       gamma (γ) for inter-annotator agreement measure and alignment. Computational Linguistics
       41(3), 437–479. doi:10.1162/COLI_a_00227
    .. [2] Mathet, Y. (2017). The agreement measure γcat: a complement to γ focused on
       categorization of a continuum. Computational Linguistics 43(3), 661–681.
       doi:10.1162/COLI_a_00296

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("Ann", "noun", 0, 4), ("Ann", "verb", 6, 9), ("Ann", "noun", 12, 15),
    ...     ("Bob", "noun", 0, 4), ("Bob", "verb", 6, 10), ("Bob", "adverb", 20, 24)])
    >>> found = gamma(units, rng=1)
    >>> round(found.observed, 4), found.alignment.units.tolist()
    (0.6871, [[0, 3], [1, 4], [2, -1], [-1, 5]])
    """
    settings, words = checked_settings(
        units,
        alpha=alpha,
        beta=beta,
        distance=distance,
        categories=categories,
        words={
            "chance": (chance, CHANCE),
            "spacing": (spacing, SPACING),
            "variant": (variant, VARIANTS),
            "alignment": (alignment, ALIGNMENTS),
            "absent": (absent, ABSENT),
        },
        most=max_candidates,
    )
    wished = precision_of(precision)
    whole_number("n_samples", n_samples, least=2, most=1_000_000, hint="for example 30")
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    if point_length is not None:
        point_length = check_positive(point_length, "point_length")
    sources = source_raters(units, reference_raters)
    seeds = seed_sequence(draws.rng)
    data = prepared(units, absent=absent, point_length=point_length)
    seen = observe(data.blocks, settings)
    chances = by_chance(
        data.blocks, settings, sources=sources, precision=wished, n_samples=n_samples, seeds=seeds
    )
    exact = all(o.exact and c.exact for o, c in zip(seen, chances, strict=True))
    again = replace(draws, rng=seeds.spawn(1)[0])
    overall, cat, by_category = values_of(units, data, seen, chances, again)
    return Gamma(
        overall=overall,
        cat=cat,
        by_category=by_category,
        sessions=sessions_of(units, data, seen, chances),
        alignment=alignment_of(units, data, seen),
        parameters={
            "alpha": float(alpha),
            "beta": float(beta),
            **words,
            "precision": wished,
            "n_samples": sum(len(c.disorder) for c in chances),
            "point_length": point_length,
            "reference_raters": [units.raters[r] for r in sorted(sources)],
            "exact": exact,
            "tie_rule": TIE_RULE,
            "bounds": sorted(set(units.bounds_from)),
        },
        dropped=data.dropped,
        units_by_session=unit_counts(units, dropped=data.dropped),
        n_units=units.n_units,
        n_raters=units.n_raters,
        findings=(*data.findings, *_more_findings(exact, alignment, max_candidates)),
        seed=draws.seed,
    )


def _more_findings(exact: bool, alignment: str, most: int) -> tuple[Finding, ...]:
    why = (
        "as asked for"
        if alignment == "approximate"
        else f"because more than {most:,} groups of units would have to be weighed"
    )
    message = (
        f"Alignments are approximate, {why}: the disorders are upper bounds and gamma may differ "
        "from its exact value."
    )
    return found((not exact, "approximate_alignment", "caution", message))
