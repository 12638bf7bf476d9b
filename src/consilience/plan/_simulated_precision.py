"""Precision by simulation: any coefficient, any design that can be drawn from."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Unpack

from consilience.core import checks as check
from consilience.core.keywords import ESTIMATE, EstimateOptions, written_out
from consilience.core.resample import Seed, seed_sequence
from consilience.exceptions import InputError
from consilience.inference import check_confidence_level, quantile
from consilience.plan._assurance import (
    ASSURANCE,
    Widths,
    check_assurance,
    check_one_aim,
    search_width,
)
from consilience.plan._goodness_of_fit_size import rounded_up
from consilience.plan._plan_results import PrecisionPlan
from consilience.plan._simulated_studies import FEWEST, Outcome, Study, few_first, simulator_of
from consilience.simulate import Simulated, Simulator


@written_out(EstimateOptions, ESTIMATE)
def simulated_precision(
    design: Simulator | Simulated,
    coefficient: str = "krippendorff_alpha",
    *,
    half_width: float | None = None,
    n_items: int | None = None,
    confidence_level: float = 0.95,
    assurance: float | None = ASSURANCE,
    n_resamples: int = 500,
    rng: Seed = None,
    **options: Unpack[EstimateOptions],
) -> PrecisionPlan:
    """Items needed for an interval of a wanted half-width, or that half-width, by simulation.

    Use it for every coefficient and design; the intervals are those that the study will report.
    Prefer `precision` when there are pilot ratings.

    Parameters
    ----------
    design : Simulator, or what `simulate` returned
    coefficient : name or alias
    half_width : the half-width that the interval should have
    n_items : int
        Instead: the size of the study whose half-width is wanted.
    confidence_level : float
    assurance : share, default 0.8
        Share of the studies whose interval is no wider; None or 0.5: they reach it on average.
    n_resamples : number of simulated studies of each size tried
    rng : seed or numpy Generator
    distance, missing, standard_error
        As in the coefficient.

    Returns
    -------
    PrecisionPlan
        `low` and `high` are the mean limits of the simulated intervals.

    Raises
    ------
    InputError
        Nothing or too much was asked for.
    UnsupportedDesignError
        The coefficient does not exist for this design.

    Examples
    --------
    >>> from consilience.simulate import Simulator
    >>> design = Simulator(n_raters=3, agreement=0.7, categories=4)
    >>> found = simulated_precision(design, half_width=0.08, n_resamples=100, rng=1)
    >>> found.half_width <= 0.08, 150 < found.n_items < 180
    (True, True)
    """
    study = Study.of(design, coefficient, n_resamples, rng, options)
    check_one_aim(half_width, n_items)
    share, level = check_assurance(assurance), check_confidence_level(confidence_level)

    def widths_at(tried: int, n_studies: int | None = None) -> Widths:
        return _widths(study, tried, level, share, n_studies)

    if n_items is not None:
        size = check.whole_number("n_items", n_items, least=2)
        reached = widths_at(size)
    else:
        wanted = check.real_number("half_width", half_width, least=1e-6)
        start = study.variance * (quantile(0.5 + level / 2.0, None) / wanted) ** 2
        begin = max(FEWEST, rounded_up(start))
        size, reached = search_width(widths_at, begin, wanted, few_first(n_resamples), FEWEST)
    return PrecisionPlan(
        **study.facts(size, reached.undefined),
        low=reached.low,
        high=reached.high,
        half_width=reached.half_width,
        confidence_level=level,
        assurance=share,
        solved_for="n_items" if n_items is None else "half_width",
    )


@written_out(EstimateOptions, ESTIMATE)
def raters_for_precision(
    design: Simulator | Simulated,
    coefficient: str = "krippendorff_alpha",
    *,
    half_width: float,
    n_items: int | None = None,
    most_raters: int = 30,
    confidence_level: float = 0.95,
    assurance: float | None = ASSURANCE,
    n_resamples: int = 500,
    rng: Seed = None,
    **options: Unpack[EstimateOptions],
) -> PrecisionPlan:
    """Raters per item needed for an interval of a wanted half-width.

    Use it when the items are given and raters can be hired. Prefer more items where they can be
    had: beyond a few raters per item, more of them hardly narrow the interval.

    Parameters
    ----------
    design : Simulator, or what `simulate` returned
        Its `ratings_per_item` is varied where it is set, else its `n_raters`.
    coefficient : name or alias
    half_width : the half-width that the interval should have
    n_items : int, default the design's
    most_raters : the largest number of raters per item that is tried
    confidence_level, assurance, n_resamples, rng, distance, missing, standard_error
        As in `simulated_precision`.

    Returns
    -------
    PrecisionPlan

    Raises
    ------
    InputError
        Not even `most_raters` raters per item are enough.

    Examples
    --------
    >>> from consilience.simulate import Simulator
    >>> design = Simulator(n_items=150, agreement=0.6, categories=3)
    >>> raters_for_precision(design, half_width=0.09, n_resamples=100, rng=1).n_raters
    4
    """
    simulator = simulator_of(design)
    if n_items is not None:
        simulator = replace(simulator, n_items=check.whole_number("n_items", n_items, least=FEWEST))
    wanted = check.real_number("half_width", half_width, least=1e-6)
    level = check_confidence_level(confidence_level)
    most = check.whole_number("most_raters", most_raters, least=2)
    if simulator.ratings_per_item is not None:
        most = min(most, simulator.n_raters)
    seed, reached = seed_sequence(rng), math.nan
    for n_raters in range(2, most + 1):
        changed = _with_raters(simulator, n_raters)
        study = Study.of(changed, coefficient, n_resamples, seed, options)
        q = quantile(0.5 + level / 2.0, float(simulator.n_items - 1))
        reached = q * math.sqrt(study.variance / simulator.n_items)
        if reached > 1.05 * wanted:  # clearly not enough: no need to simulate studies
            continue
        found = simulated_precision(
            changed,
            coefficient,
            n_items=simulator.n_items,
            confidence_level=level,
            assurance=assurance,
            n_resamples=n_resamples,
            rng=seed,
            **options,
        )
        reached = found.half_width
        if reached <= wanted:
            return replace(found, solved_for="n_raters")
    raise InputError.expected(
        "half_width",
        f"one that {most} raters per item can reach with {simulator.n_items:,} items",
        half_width,
        f"with {most} raters it is about {reached:.3f}; rate more items",
    )


def _widths(
    study: Study, n_items: int, level: float, assurance: float | None, n_studies: int | None
) -> Widths:
    """Return the intervals of simulated studies of one size."""
    limits: list[tuple[float, float]] = []

    def half_width(one: Outcome) -> float:
        low, high = one.limits(level)
        limits.append((low, high))
        return (high - low) / 2.0

    widths = study.each(n_items, half_width, level=level, n_studies=n_studies)
    return Widths.of(widths, limits, assurance)


def _with_raters(simulator: Simulator, n_raters: int) -> Simulator:
    if simulator.ratings_per_item is not None:
        return replace(simulator, ratings_per_item=n_raters)
    return replace(simulator, n_raters=n_raters, raters=None)
