"""Planning by simulation: any coefficient, any design that can be drawn from."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from consilience.coefficients import Estimate, estimate, registry
from consilience.coefficients._base import Coefficient
from consilience.exceptions import InputError
from consilience.inference import check_confidence_level, quantile
from consilience.inference._intervals import Alternative
from consilience.inference._resample import Seed, check_resamples, seed_sequence
from consilience.plan._goodness_of_fit import check_power, rounded_up
from consilience.plan._kappa import check_direction
from consilience.plan._results import PowerPlan, PrecisionPlan
from consilience.ratings import Note
from consilience.simulate import Simulated, Simulator
from consilience.simulate import _checks as check
from consilience.simulate._sampling import expected_table, large_sample, studies, true_value

_ROUNDS = 8  # sizes that are tried before the last one is taken
_FEWEST = 4  # items of the smallest study that is tried
_MOST_SIMULATED = 1_000_000
_OFTEN_UNDEFINED = 0.01


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
    **options: Any,
) -> PowerPlan:
    """Items needed to tell a coefficient from a null value, or the power, by simulation.

    Use it for every coefficient and design without a formula: alpha, AC, weighted kappa, several
    raters, missing ratings, crowds, raters of unequal quality. Prefer `goodness_of_fit_power` and
    `kappa_power` where they apply: they are exact in large samples and take no time.

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
        Of the test that each simulated study makes, `Estimate.test`.
    n_resamples : number of simulated studies of each size tried
    rng : seed or numpy Generator
    **options
        Options of the coefficient, such as ``distance``.

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
    study = _Study.of(design, coefficient, n_resamples, rng, options)
    level = check.probability("significance_level", significance_level)
    null_value = check.real_number("null", null)
    value = study.value
    check_direction(null_value, value, alternative)

    def power_at(size: int) -> tuple[float, float]:
        outcomes = study.each(size, lambda e: _rejects(e, null_value, alternative, level))
        return float(np.nan_to_num(outcomes).mean()), float(np.isnan(outcomes).mean())

    if n_items is not None:
        size = check.whole_number("n_items", n_items, least=2)
        reached, undefined = power_at(size)
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


def simulated_precision(
    design: Simulator | Simulated,
    coefficient: str = "krippendorff_alpha",
    *,
    half_width: float | None = None,
    n_items: int | None = None,
    confidence_level: float = 0.95,
    assurance: float | None = None,
    n_resamples: int = 500,
    rng: Seed = None,
    **options: Any,
) -> PrecisionPlan:
    """Items needed for an interval of a wanted half-width, or that half-width, by simulation.

    Use it for every coefficient and design without a formula. Prefer `precision` when there are
    pilot ratings, and `goodness_of_fit_width` for a common kappa.

    Parameters
    ----------
    design : Simulator, or what `simulate` returned
    coefficient : name or alias
    half_width : the half-width that the interval should have
    n_items : int
        Instead: the size of the study whose half-width is wanted.
    confidence_level : float
    assurance : share, optional
        Share of the studies that should reach the half-width; by default they do on average.
    n_resamples : number of simulated studies of each size tried
    rng : seed or numpy Generator
    **options
        Options of the coefficient, such as ``distance``.

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
    >>> found.half_width <= 0.08, 140 < found.n_items < 160
    (True, True)
    """
    study = _Study.of(design, coefficient, n_resamples, rng, options)
    if (half_width is None) == (n_items is None):
        raise InputError.expected(
            "the aim", "either half_width or n_items", "both" if half_width else "neither",
            "give exactly one",
        )  # fmt: skip
    share = None if assurance is None else check.probability("assurance", assurance)
    level = check_confidence_level(confidence_level)
    if n_items is not None:
        size = check.whole_number("n_items", n_items, least=2)
        reached = _Width.of(study, size, level, share)
    else:
        wanted = check.real_number("half_width", half_width, least=1e-6)
        start = study.variance * (quantile(0.5 + level / 2.0, None) / wanted) ** 2
        size, reached = _search_width(
            lambda tried: _Width.of(study, tried, level, share), start, wanted
        )
    return PrecisionPlan(
        **study.facts(size, reached.undefined),
        low=reached.low,
        high=reached.high,
        half_width=reached.half_width,
        confidence_level=level,
        assurance=share,
        solved_for="n_items" if n_items is None else "half_width",
    )


def raters_for_precision(
    design: Simulator | Simulated,
    coefficient: str = "krippendorff_alpha",
    *,
    half_width: float,
    n_items: int | None = None,
    most_raters: int = 30,
    confidence_level: float = 0.95,
    n_resamples: int = 500,
    rng: Seed = None,
    **options: Any,
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
    confidence_level, n_resamples, rng, **options
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
    3
    """
    simulator = _simulator(design)
    if n_items is not None:
        simulator = replace(
            simulator, n_items=check.whole_number("n_items", n_items, least=_FEWEST)
        )
    wanted = check.real_number("half_width", half_width, least=1e-6)
    level = check_confidence_level(confidence_level)
    most = check.whole_number("most_raters", most_raters, least=2)
    if simulator.ratings_per_item is not None:
        most = min(most, simulator.n_raters)
    seed, reached = seed_sequence(rng), math.nan
    for n_raters in range(2, most + 1):
        changed = _with_raters(simulator, n_raters)
        study = _Study.of(changed, coefficient, n_resamples, seed, options)
        q = quantile(0.5 + level / 2.0, float(simulator.n_items - 1))
        reached = q * math.sqrt(study.variance / simulator.n_items)
        if reached > 1.05 * wanted:  # clearly not enough: no need to simulate studies
            continue
        found = simulated_precision(
            changed,
            coefficient,
            n_items=simulator.n_items,
            confidence_level=level,
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


def agreement_for(
    coefficient: str,
    value: float,
    *,
    prevalence: float | Sequence[float] = 0.5,
    scale: str = "nominal",
    **options: Any,
) -> float:
    """Return the `agreement` of a simulated design at which a coefficient has a certain value.

    For pi, kappa and alpha it is the value itself; AC, S and raw agreement also depend on how
    common the categories are.

    Parameters
    ----------
    coefficient : name or alias
    value : the value that the coefficient should have in a large sample
    prevalence : share of one of two categories, or of each category
    scale : {"nominal", "ordinal"}
    **options
        Options of the coefficient, such as ``distance``.

    Returns
    -------
    float

    Raises
    ------
    InputError
        The coefficient cannot have this value at this prevalence: raters who label at random
        already reach more.

    Examples
    --------
    >>> round(agreement_for("gwet_ac", 0.8, prevalence=0.1), 3)
    0.089
    """
    chosen = registry[coefficient]
    wanted = check.real_number("value", value)
    shares = check.distribution("prevalence", prevalence)
    base = Simulator(
        n_raters=2, categories=len(shares), prevalence=shares, scale=scale, agreement=0.0
    )

    def value_at(agreement: float) -> float:
        table = expected_table(replace(base, agreement=agreement))
        return estimate(chosen, (table,), **{**options, "on_undefined": "raise"}).value

    lowest = value_at(0.0)
    if not lowest - 1e-9 <= wanted <= 1.0:
        raise InputError.expected(
            "value",
            f"between {lowest:.3f}, which raters who label at random reach, and 1",
            value,
            "choose another value, or another prevalence",
        )
    from scipy.optimize import brentq

    if wanted <= lowest:
        return 0.0
    if wanted >= value_at(1.0):
        return 1.0
    found = float(brentq(lambda a: value_at(a) - wanted, 0.0, 1.0, xtol=1e-9))
    return wanted if math.isclose(found, wanted, abs_tol=1e-6) else found


# -------------------------------------------------------------------- inside


@dataclass(frozen=True)
class _Study:
    """A design and a coefficient, ready to be simulated at any size."""

    simulator: Simulator
    coefficient: Coefficient
    n_resamples: int
    seed: np.random.SeedSequence
    options: dict[str, Any]
    name: str
    value: float  # in a very large sample
    variance: float  # of the coefficient, for one item

    @classmethod
    def of(
        cls,
        design: Simulator | Simulated,
        coefficient: str,
        n_resamples: int,
        rng: Seed,
        options: dict[str, Any],
    ) -> _Study:
        simulator, chosen = _simulator(design), registry[coefficient]
        check_resamples(n_resamples)
        seed = seed_sequence(rng)
        random = np.random.default_rng(seed)
        large = large_sample(simulator, chosen, random, options)
        per_item = simulator.ratings_per_item or simulator.n_raters
        sample = simulator.draw(n_items=max(200_000 // per_item, 1000), rng=random).ratings
        one = estimate(chosen, (sample,), **{**options, "on_undefined": "raise"})
        variance = one.standard_error**2 * sample.n_items
        value = true_value(large, simulator)
        return cls(simulator, chosen, n_resamples, seed, options, one.name, value, variance)

    def each(self, n_items: int, outcome: Callable[[Estimate], float]) -> Any:
        """Return an outcome for each simulated study; NaN where the coefficient is undefined."""
        if n_items > _MOST_SIMULATED:
            raise InputError.expected(
                "a simulated study",
                f"of at most {_MOST_SIMULATED:,} items",
                f"{n_items:,} items",
                "ask for less precision, or use the formulas for large samples",
            )
        random = np.random.default_rng(self.seed)
        found = studies(
            self.simulator,
            self.coefficient,
            self.options,
            n_items=n_items,
            n_resamples=self.n_resamples,
            rng=random,
        )
        return np.array([math.nan if study is None else outcome(study) for study in found])

    def facts(self, n_items: int, undefined: float) -> dict[str, Any]:
        notes: tuple[Note, ...] = ()
        if undefined > _OFTEN_UNDEFINED:
            notes = (
                Note(
                    "often_undefined",
                    f"The coefficient is undefined in {100.0 * undefined:.1f} % of the simulated "
                    "studies, mostly because all ratings are the same. Rate more items.",
                ),
            )
        return {
            "method": "simulation",
            "coefficient": self.coefficient.name,
            "name": self.name,
            "value": self.value,
            "n_items": n_items,
            "n_raters": self.simulator.ratings_per_item or self.simulator.n_raters,
            "prevalence": self.simulator.shares,
            "n_resamples": self.n_resamples,
            "share_undefined": undefined,
            "notes": notes,
        }


@dataclass(frozen=True)
class _Width:
    """The intervals of simulated studies of one size."""

    half_width: float
    low: float
    high: float
    undefined: float

    @classmethod
    def of(cls, study: _Study, n_items: int, level: float, assurance: float | None) -> _Width:
        limits: list[tuple[float, float]] = []

        def half_width(found: Estimate) -> float:
            interval = found.confidence_interval(level)
            limits.append((interval.low, interval.high))
            return (interval.high - interval.low) / 2.0

        widths = study.each(n_items, half_width)
        known = widths[np.isfinite(widths)]
        if not known.size:
            return cls(math.inf, math.nan, math.nan, 1.0)
        low, high = np.nanmean(np.array(limits), axis=0)
        width = known.mean() if assurance is None else np.quantile(known, assurance)
        return cls(float(width), float(low), float(high), 1.0 - known.size / widths.size)


def _rejects(found: Estimate, null: float, alternative: Alternative, level: float) -> float:
    """Return 1 if a study rejects the null value, else 0."""
    p_value: float = found.test(null, alternative=alternative).p_value
    if math.isfinite(p_value):
        return float(p_value < level)
    # At full agreement there is no standard error; the interval still tells.
    low, high = found.confidence_interval(
        1.0 - (level if alternative == "two-sided" else 2 * level)
    )
    above, below = null < low, null > high
    return float({"two-sided": above or below, "greater": above, "less": below}[alternative])


def _search_power(
    power_at: Callable[[int], tuple[float, float]],
    start: float,
    z: float,
    wanted: float,
    n_resamples: int,
) -> tuple[int, float, float]:
    """Try sizes until the power is the wanted one within the simulation's own error.

    The normal quantile of the power is nearly linear in the square root of the size, with
    intercept -z, which gives the next size from the last.
    """
    from scipy.special import ndtr, ndtri

    target = float(ndtr(wanted))
    error = math.sqrt(target * (1.0 - target) / n_resamples)
    size = max(_FEWEST, rounded_up(start))
    reached, undefined = power_at(size)
    for _ in range(_ROUNDS):
        if abs(reached - target) <= error:
            break
        clipped = min(max(reached, 0.5 / n_resamples), 1.0 - 0.5 / n_resamples)
        ratio = (wanted + z) / max(float(ndtri(clipped)) + z, 0.1)
        new = max(_FEWEST, round(size * min(max(ratio, 0.5), 2.0) ** 2))
        if new == size:
            break
        size = new
        reached, undefined = power_at(size)
    return size, reached, undefined


def _search_width(
    width_at: Callable[[int], _Width], start: float, wanted: float
) -> tuple[int, _Width]:
    """Try sizes until the half-width is just small enough; it falls with the root of the size."""
    size = max(_FEWEST, rounded_up(start))
    found = width_at(size)
    for _ in range(_ROUNDS):
        if 0.99 * wanted <= found.half_width <= wanted:
            break
        ratio = min(max(found.half_width / wanted, 0.5), 2.0)
        new = max(_FEWEST, math.ceil(size * ratio**2))
        if new == size:
            if found.half_width <= wanted:
                break
            new = size + 1
        size, found = new, width_at(new)
    return size, found


def _simulator(design: Simulator | Simulated) -> Simulator:
    simulator = design.design if isinstance(design, Simulated) else design
    if not isinstance(simulator, Simulator):
        raise InputError.expected(
            "design", "a Simulator", design, "make one with consilience.simulate.Simulator(...)"
        )
    return simulator


def _with_raters(simulator: Simulator, n_raters: int) -> Simulator:
    if simulator.ratings_per_item is not None:
        return replace(simulator, ratings_per_item=n_raters)
    return replace(simulator, n_raters=n_raters, raters=None)
