"""Power by simulation: any coefficient, any design that can be drawn from."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Unpack

import numpy as np

from consilience.core import checks as check
from consilience.core.keywords import ESTIMATE, EstimateOptions, written_out
from consilience.core.resample import Seed
from consilience.core.tails import normal_below
from consilience.inference import quantile
from consilience.inference.intervals import Alternative
from consilience.plan._goodness_of_fit_size import check_power, rounded_up
from consilience.plan._kappa import check_direction
from consilience.plan._plan_results import PowerPlan
from consilience.plan._simulated_studies import FEWEST, ROUNDS, Outcome, Study, few_first
from consilience.simulate import Simulated, Simulator

_CLOSE = 0.2  # a step that is taken as the last one but one


@written_out(EstimateOptions, ESTIMATE)
def simulated_power(
    design: Simulator | Simulated,
    coefficient: str = "krippendorff_alpha",
    *,
    null: float = 0.0,
    power: float = 0.8,
    n_items: int | None = None,
    significance_level: float = 0.05,
    alternative: Alternative = "two-sided",
    n_resamples: int = 1000,
    rng: Seed = None,
    **options: Unpack[EstimateOptions],
) -> PowerPlan:
    """Items needed to tell a coefficient from a null value, or the power, by simulation.

    Use it for every coefficient and design without a formula: alpha, AC, weighted kappa, several
    raters, missing ratings, crowds, raters of unequal quality; and for kappa with a rare label or
    three raters and more, where formulas promise too much. Prefer `kappa_power` for two raters who
    use the labels unequally often.

    Parameters
    ----------
    design : Simulator, or what `simulate` returned
        What the raters are taken to be like; see `agreement_for` to reach a certain value.
    coefficient : name or alias
    null : value under the null hypothesis
    power : the wanted power
    n_items : int, optional
        When given, the power of a study of this size is returned instead.
    significance_level, alternative
        Of the default test that each simulated study makes, as `Estimate.test` does.
    n_resamples : number of simulated studies of each size tried
    rng : seed or numpy Generator
    distance, missing, standard_error
        As in the coefficient.

    Returns
    -------
    PowerPlan
        `power_error` tells how sure the power is. A study in which the coefficient is undefined
        counts as not significant.

    Raises
    ------
    InputError
        The coefficient of the design equals the null value, or lies on the other side of it.
    UnsupportedDesignError
        The coefficient does not exist for this design.

    Examples
    --------
    >>> from consilience.simulate import Simulator
    >>> design = Simulator(n_raters=3, agreement=0.6, prevalence=0.3)
    >>> found = simulated_power(design, "scott_pi", null=0.4, n_items=106, n_resamples=400, rng=1)
    >>> 0.6 < found.power < 0.9
    True
    """
    study = Study.of(design, coefficient, n_resamples, rng, options)
    level = check.probability("significance_level", significance_level)
    null_value = check.real_number("null", null)
    value = study.value
    check_direction(null_value, value, alternative)

    def power_at(size: int, n_studies: int) -> tuple[float, float]:
        outcomes = study.each(
            size,
            lambda one: _rejects(one, null_value, alternative, level),
            level=1.0 - level,
            n_studies=n_studies,
        )
        return float(np.nan_to_num(outcomes).mean()), float(np.isnan(outcomes).mean())

    if n_items is not None:
        size = check.whole_number("n_items", n_items, least=2)
        reached, undefined = power_at(size, n_resamples)
    else:
        z = quantile(1.0 - (level / 2.0 if alternative == "two-sided" else level), None)
        wanted = quantile(check_power(power, level), None)
        start = study.variance * ((z + wanted) / (value - null_value)) ** 2
        size, reached, undefined = _search_power(power_at, start, z, wanted, n_resamples)
    return PowerPlan(
        **study.facts(size, undefined),
        null=null_value,
        power=reached,
        power_error=math.sqrt(max(reached * (1.0 - reached), 1.0 / n_resamples) / n_resamples),
        significance_level=level,
        alternative=alternative,
        solved_for="n_items" if n_items is None else "power",
    )


def _rejects(study: Outcome, null: float, alternative: Alternative, level: float) -> float:
    """Return 1 if a study rejects the null value, else 0."""
    p_value = study.p_value(null, alternative)
    if math.isfinite(p_value):
        return float(p_value <= level)
    # Without an error there is no test; the interval still tells.
    low, high = study.limits(1.0 - (level if alternative == "two-sided" else 2 * level))
    above, below = null < low, null > high
    return float({"two-sided": above or below, "greater": above, "less": below}[alternative])


def _search_power(
    power_at: Callable[[int, int], tuple[float, float]],
    start: float,
    z: float,
    wanted: float,
    n_resamples: int,
) -> tuple[int, float, float]:
    """Find the size with the wanted power: few studies far from it, all of them close to it.

    The normal quantile of the power is nearly linear in the square root of the size, with
    intercept -z, which gives the next size from the last, and the power of a last small step.
    """
    size, few = max(FEWEST, rounded_up(start)), few_first(n_resamples)

    def slope(reached: float, n_studies: int) -> float:
        clipped = min(max(reached, 0.5 / n_studies), 1.0 - 0.5 / n_studies)
        return max(quantile(clipped, None) + z, 0.1)

    def stepped(size: int, reached: float, n_studies: int) -> int:
        ratio = (wanted + z) / slope(reached, n_studies)
        return max(FEWEST, math.ceil(size * min(max(ratio, 0.5), 2.0) ** 2))

    reached, undefined = power_at(size, few)
    for _ in range(ROUNDS):
        new = stepped(size, reached, few)
        close = abs(new - size) <= _CLOSE * size
        size = new
        reached, undefined = power_at(size, n_resamples if close else few)
        if close:
            break
    last = stepped(size, reached, n_resamples)
    if last != size:
        reached = normal_below(slope(reached, n_resamples) * math.sqrt(last / size) - z)
    return last, reached, undefined
