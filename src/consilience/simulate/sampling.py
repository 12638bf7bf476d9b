"""How a coefficient scatters from study to study: its sampling distribution by simulation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar, Unpack

import numpy as np

from consilience.coefficients import Estimate, estimate, registry
from consilience.coefficients.coefficient import Coefficient
from consilience.core import arguments as check
from consilience.core.arrays import Codes, Floats
from consilience.core.draws import Progress, RandomStream, Seed, check_resamples
from consilience.core.options import ESTIMATE, EstimateOptions, written_out
from consilience.core.result import Several, Unremarked
from consilience.core.tails import root_between
from consilience.document import Document, PValue, Table
from consilience.document.blocks import Cell, InPlace
from consilience.document.records import Recorded
from consilience.exceptions import InputError, MissingDependencyError, UnsupportedDesignError
from consilience.inference.intervals import check_confidence_level
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items
from consilience.ratings.duplicates import need_one_occasion
from consilience.ratings.stores import CodedMatrix, Patterns
from consilience.simulate.simulator import Simulated, Simulator

# ---- More samples from the same annotators: studies drawn from ratings taken for all there are.


@dataclass(frozen=True)
class DrawnStudy:
    """One study drawn from a population."""

    ratings: Ratings


@dataclass(frozen=True)
class Population:
    """Ratings whose patterns are taken for the truth: each item of a study is one of them.

    Examples
    --------
    >>> everyone = Population(Ratings.from_table([[70, 25], [0, 55]]), 150)
    >>> everyone.draw(rng=1).ratings
    Ratings(150 items × 2 raters, 300 ratings, 2 categories, nominal)
    """

    ratings: Ratings
    n_items: int

    @property
    def n_raters(self) -> int:
        """Number of raters."""
        return self.ratings.n_raters

    @property
    def ratings_per_item(self) -> None:
        """None: each item is rated as it was."""

    @cached_property
    def _patterns(self) -> Patterns:
        what = "drawing more samples from the same raters"
        need_independent_items(what, self.ratings.clusters)
        need_one_occasion(what, self.ratings)
        store = self.ratings.coded_store() if self.ratings.raters else None
        if not isinstance(store, CodedMatrix):
            raise UnsupportedDesignError.needs(
                what,
                "to know who gave which label, by at most some hundred raters",
                "counts per item, or a crowd",
                "describe the raters instead: agreement=, prevalence=",
            )
        return store.patterns

    def draw(self, *, n_items: int | None = None, rng: Seed | RandomStream = None) -> DrawnStudy:
        """Draw items with replacement; the same seed gives the same bits.

        Parameters
        ----------
        n_items : int, default that of the population
        rng : seed or numpy Generator, optional
        """
        size = self.n_items if n_items is None else n_items
        size = check.whole_number("n_items", size, least=1)
        codes, times = self._patterns.codes, self._patterns.multiplicity
        drawn = RandomStream.of(rng).multinomial(size, times / times.sum())
        return DrawnStudy(self._as_ratings(np.repeat(codes, drawn, axis=0)))

    def large_sample(self) -> Ratings:
        """Return the ratings themselves: whatever they show holds for the population."""
        return self.ratings

    def _as_ratings(self, codes: Codes) -> Ratings:
        item, rater = np.nonzero(codes >= 0)
        old = self.ratings
        return Ratings.from_codes(
            item=item,
            rater=rater,
            label=codes[item, rater],
            items=range(len(codes)),
            raters=old.raters,
            categories=old.categories,
            scale=old.told_scale,
            declared=True,
        )


_LARGE = 2_000_000  # ratings of the sample that stands for a very large one
_TABLE = 10**9  # items of the expected table that stands for a very large sample
_LEVEL = 0.05


@dataclass(frozen=True, kw_only=True, eq=False)
class SamplingDistribution(Recorded):
    """A coefficient over many simulated studies of one design.

    Attributes
    ----------
    values, standard_errors, lows, highs : arrays, one entry per study; NaN where undefined
    true_value : float
        The value in a very large sample of the same design.
    true_value_error : float
        How sure that value is; 0 where it is exact.
    confidence_level : float
        Level of the intervals between `lows` and `highs`.
    """

    unrecorded: ClassVar[tuple[str, ...]] = (
        "design",
        "values",
        "standard_errors",
        "lows",
        "highs",
    )
    recorded: ClassVar[tuple[str, ...]] = (
        "n_resamples",
        "mean",
        "standard_deviation",
        "bias",
        "bias_error",
        "skewness",
        "excess_kurtosis",
        "normality_p_value",
        "mean_standard_error",
        "coverage",
        "share_undefined",
    )

    coefficient: str
    name: str
    design: Simulator | Population
    values: Floats = field(repr=False)
    standard_errors: Floats = field(repr=False)
    lows: Floats = field(repr=False)
    highs: Floats = field(repr=False)
    true_value: float
    true_value_error: float
    confidence_level: float

    @cached_property
    def _defined(self) -> Floats:
        return self.values[np.isfinite(self.values)]

    @property
    def n_resamples(self) -> int:
        """Number of simulated studies."""
        return self.values.size

    @property
    def share_undefined(self) -> float:
        """Share of the studies in which the coefficient is undefined."""
        return 1.0 - self._defined.size / self.values.size

    @property
    def mean(self) -> float:
        """Mean of the coefficient over the studies."""
        return float(self._defined.mean()) if self._defined.size else math.nan

    @property
    def standard_deviation(self) -> float:
        """Standard deviation over the studies: the true standard error."""
        return float(self._defined.std(ddof=1)) if self._defined.size > 1 else math.nan

    @property
    def bias(self) -> float:
        """Mean minus the value in a very large sample."""
        return self.mean - self.true_value

    @property
    def bias_error(self) -> float:
        """Standard error of `bias`, as the number of studies is finite."""
        return math.hypot(
            self.standard_deviation / math.sqrt(max(self._defined.size, 1)), self.true_value_error
        )

    @property
    def is_biased(self) -> bool:
        """Whether the bias is more than twice its standard error."""
        return abs(self.bias) > 2.0 * self.bias_error

    @property
    def skewness(self) -> float:
        """Third standardised moment; 0 for a normal distribution."""
        return self._moment(3)

    @property
    def excess_kurtosis(self) -> float:
        """Fourth standardised moment minus 3; 0 for a normal distribution."""
        return self._moment(4) - 3.0

    def _moment(self, order: int) -> float:
        if self._defined.size < 2 or np.ptp(self._defined) == 0.0:
            return math.nan
        centred = self._defined - self._defined.mean()
        return float((centred**order).mean() / (centred**2).mean() ** (order / 2))

    @property
    def normality_p_value(self) -> float:
        """P-value of the Jarque-Bera test that the distribution is normal."""
        statistic = self._defined.size / 6.0 * (self.skewness**2 + self.excess_kurtosis**2 / 4.0)
        return math.exp(-statistic / 2.0)  # chi-square with two degrees of freedom

    @property
    def is_normal(self) -> bool:
        """Whether the Jarque-Bera test finds nothing against a normal distribution."""
        return self.normality_p_value >= _LEVEL

    @property
    def mean_standard_error(self) -> float:
        """Mean of the standard errors that the studies would have reported."""
        known = self.standard_errors[np.isfinite(self.standard_errors)]
        return float(known.mean()) if known.size else math.nan

    @property
    def coverage(self) -> float:
        """Share of the reported intervals that hold the true value."""
        known = np.isfinite(self.lows) & np.isfinite(self.highs)
        if not known.any():
            return math.nan
        holds = (self.lows <= self.true_value) & (self.true_value <= self.highs)
        return float(holds[known].mean())

    def __str__(self) -> str:
        if not self._defined.size:
            return (
                f"{self.name} is undefined in all of {self.n_resamples:,} simulated studies of "
                f"{_size_of(self.design)}."
            )
        undefined = ""
        if self.share_undefined:
            undefined = f" It is undefined in {100.0 * self.share_undefined:.1f}% of them."
        word = "biased" if self.is_biased else "not noticeably biased"
        shape = "normal" if self.is_normal else f"not normal (skewness {self.skewness:+.2f})"
        return (
            f"{self.name} over {self.n_resamples:,} simulated studies of {_size_of(self.design)}: "
            f"mean {self.mean:.3f}, large-sample value {self.true_value:.3f} "
            f"({word}: {self.bias:+.3f} ± {self.bias_error:.3f}), standard deviation "
            f"{self.standard_deviation:.3f} (reported: {self.mean_standard_error:.3f}), {shape}; "
            f"{100.0 * self.confidence_level:g}% intervals hold the true value in "
            f"{100.0 * self.coverage:.1f}%.{undefined}"
        )

    def document(self) -> Document:
        """Return what the studies show as something to read."""
        level = f"{100.0 * self.confidence_level:g}%"
        rows: list[list[Cell]] = [
            ["value in a very large study", self.true_value],
            ["mean of the studies", self.mean],
            ["bias: mean minus that value", self.bias],
            ["standard error of the bias", self.bias_error],
            ["standard deviation of the studies", self.standard_deviation],
            ["standard error that studies report, on average", self.mean_standard_error],
            ["skewness", self.skewness],
            ["excess kurtosis", self.excess_kurtosis],
            ["p of a normal distribution", PValue(self.normality_p_value)],
            [f"share of {level} intervals that hold the value", self.coverage],
            ["share of studies without a value", self.share_undefined],
        ]
        table = Table(
            heads=("over all studies", self.name),
            rows=rows,
            caption=f"{self.n_resamples:,} simulated studies of {_size_of(self.design)}",
        )
        return Document.of(str(self), table, title="Sampling distribution")

    def figure(self) -> Any:
        """Draw the distribution beside the normal curve of the same mean and spread.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        MissingDependencyError
            matplotlib is not installed.
        """
        try:
            figure = import_module("matplotlib.figure")
        except ImportError:
            raise MissingDependencyError.for_extra("A figure", "matplotlib") from None
        values = self._defined
        if not values.size:
            raise UnsupportedDesignError.needs(
                "A figure",
                "at least one study in which the coefficient is defined",
                "none",
                str(self),
            )
        picture = figure.Figure(figsize=(6.4, 3.6), layout="constrained")
        axes = picture.add_subplot()
        bins = min(60, max(10, round(values.size**0.5)))
        axes.hist(values, bins=bins, density=True, color="0.85", edgecolor="0.6", linewidth=0.5)
        spread = self.standard_deviation
        if spread > 0.0:
            x = np.linspace(values.min() - spread / 2.0, values.max() + spread / 2.0, 400)
            height = np.exp(-0.5 * ((x - self.mean) / spread) ** 2) / (
                spread * np.sqrt(2.0 * np.pi)
            )
            axes.plot(x, height, color="0.2", linewidth=1.2, label="normal curve")
        axes.axvline(self.mean, color="0.2", linestyle="--", linewidth=1.0, label="mean")
        axes.axvline(self.true_value, color="C3", linewidth=1.2, label="large-sample value")
        axes.set_xlabel(self.name)
        axes.set_ylabel("density")
        axes.set_title(
            f"{self.n_resamples:,} simulated studies of {self.design.n_items:,} items × "
            f"{self.design.n_raters:,} raters",
            fontsize="medium",
        )
        axes.legend(frameon=False, fontsize="small")
        return picture


@written_out(EstimateOptions, ESTIMATE)
def sampling_distribution(
    design: Simulator | Simulated | Ratings,
    coefficient: str = "krippendorff_alpha",
    *,
    n_items: int | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    rng: Seed = None,
    progress: Progress | None = None,
    **options: Unpack[EstimateOptions],
) -> SamplingDistribution:
    """Compute a coefficient in many simulated studies: is it normal, is it biased?

    Use it before trusting an interval in a small or lopsided study: it shows the bias, the
    skewness, how often the coefficient is undefined and whether the interval keeps its promise.
    Prefer the bootstrap when the data are there and the design is not in question.

    Parameters
    ----------
    design : Simulator, what `simulate` returned, or Ratings
        Ratings stand for all items that there are: each study draws its items from them.
    coefficient : name or alias
    n_items : int, default the design's
    n_resamples : number of simulated studies
    confidence_level : level of the intervals whose coverage is counted
    rng : seed or numpy Generator
    progress : callable(done, total), optional
    distance, missing, standard_error
        As in the coefficient.

    Returns
    -------
    SamplingDistribution

    Raises
    ------
    UnsupportedDesignError
        The coefficient does not exist for this design.

    Examples
    --------
    >>> from consilience.simulate import Simulator
    >>> design = Simulator(n_items=30, n_raters=2, agreement=0.6, prevalence=0.1)
    >>> found = sampling_distribution(design, "scott_pi", n_resamples=500, rng=1)
    >>> found.true_value, found.is_normal, found.is_biased
    (0.6, False, True)
    """
    chosen = registry[coefficient]
    simulator = source_of(design)
    check_resamples(n_resamples)
    level = check_confidence_level(confidence_level)
    random = RandomStream.of(rng)
    size = simulator.n_items if n_items is None else n_items
    large = large_sample(simulator, chosen, random, options)
    found, name = np.full((4, n_resamples), math.nan), large.name
    drawn = studies(simulator, chosen, options, n_items=size, n_resamples=n_resamples, rng=random)
    for b, study in enumerate(drawn):
        if study is not None:
            name = study.name
            limits = study.confidence_interval(level, method="analytic")
            found[:, b] = study.value, study.standard_error, *limits
        if progress is not None:
            progress(b + 1, n_resamples)
    exact = isinstance(simulator, Population) or simulator._kind == "mixture"
    return SamplingDistribution(
        coefficient=chosen.name,
        name=name,
        design=_resized(simulator, size),
        values=found[0],
        standard_errors=found[1],
        lows=found[2],
        highs=found[3],
        true_value=true_value(large, simulator),
        true_value_error=0.0 if exact else large.standard_error,
        confidence_level=level,
    )


def source_of(design: object) -> Simulator | Population:
    """Return what studies are drawn from."""
    if isinstance(design, Ratings):
        return Population(design, design.n_items)
    source = design.design if isinstance(design, Simulated) else design
    if not isinstance(source, (Simulator, Population)):
        raise InputError.expected(
            "design",
            "a Simulator or Ratings",
            design,
            "make one with consilience.simulate.Simulator(...)",
        )
    return source


@written_out(EstimateOptions, ESTIMATE)
def large_sample_value(
    design: Simulator,
    coefficient: str = "krippendorff_alpha",
    *,
    rng: Seed = None,
    **options: Unpack[EstimateOptions],
) -> float:
    """Return the value of a coefficient in a very large sample of a design.

    For a design with `agreement` on labels it is computed from the expected cross-table; for the
    others from one sample of two million ratings.

    Parameters
    ----------
    design : Simulator
    coefficient : name or alias
    rng : seed or numpy Generator
    distance, missing, standard_error
        As in the coefficient.

    Returns
    -------
    float

    Examples
    --------
    >>> from consilience.simulate import Simulator
    >>> skewed = Simulator(agreement=0.2, prevalence=0.05)
    >>> round(large_sample_value(skewed, "gwet_ac"), 3)
    0.916
    """
    chosen = registry[coefficient]
    found = large_sample(design, chosen, RandomStream.of(rng), options)
    return true_value(found, design)


def _resized(simulator: Simulator | Population, n_items: int) -> Simulator | Population:
    return simulator if n_items == simulator.n_items else replace(simulator, n_items=n_items)


def true_value(large: Estimate, simulator: Simulator | Population) -> float:
    """Return the value, or the agreement itself where it differs from it by rounding only."""
    if isinstance(simulator, Population):
        return large.value
    agreement = simulator.agreement
    if simulator._kind != "mixture" or agreement is None:
        return large.value
    return agreement if math.isclose(large.value, agreement, abs_tol=1e-7) else large.value


def large_sample(
    simulator: Simulator | Population,
    coefficient: Coefficient,
    rng: RandomStream,
    options: EstimateOptions,
) -> Estimate:
    """Return the coefficient in a very large sample of the design."""
    if isinstance(simulator, Population):
        return estimate(coefficient, (simulator.ratings,), **options, on_undefined="raise")
    _check_supported(simulator, coefficient)
    if simulator._kind == "mixture":
        ratings = expected_table(simulator)
    else:
        per_item = simulator.ratings_per_item or simulator.n_raters
        ratings = simulator.draw(n_items=max(_LARGE // per_item, 1000), rng=rng).ratings
    return estimate(coefficient, (ratings,), **options, on_undefined="raise")


def _check_supported(simulator: Simulator, coefficient: Coefficient) -> None:
    """Let a coefficient that does not exist for the design say so."""
    few = simulator.draw(n_items=1, rng=0).ratings
    if coefficient.supports(few) is not None:
        estimate(coefficient, (few,))


def expected_table(simulator: Simulator) -> Ratings:
    """Return the cross-table of any two raters, as expected in a very large sample."""
    assert simulator.agreement is not None
    p_k = np.array(simulator.shares)
    chances = (1.0 - simulator.agreement) * np.outer(p_k, p_k) + simulator.agreement * np.diag(p_k)
    table = np.rint(_TABLE * chances).astype(np.int64)
    return Ratings.from_table(table, categories=simulator.labels, scale=simulator.scale)


@written_out(EstimateOptions, ESTIMATE)
def agreement_for(
    coefficient: str,
    value: float,
    *,
    prevalence: float | Sequence[float] = 0.5,
    scale: str = "nominal",
    **options: Unpack[EstimateOptions],
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
    distance, missing, standard_error
        As in the coefficient.

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
        return estimate(chosen, (table,), **options, on_undefined="raise").value

    lowest = value_at(0.0)
    if not lowest - 1e-9 <= wanted <= 1.0:
        raise InputError.expected(
            "value",
            f"between {lowest:.3f}, which raters who label at random reach, and 1",
            value,
            "choose another value, or another prevalence",
        )
    if wanted <= lowest:
        return 0.0
    if wanted >= value_at(1.0):
        return 1.0
    found = root_between(lambda a: value_at(a) - wanted, 0.0, 1.0, within=1e-9)
    return wanted if math.isclose(found, wanted, abs_tol=1e-6) else found


def studies(
    simulator: Simulator | Population,
    coefficient: Coefficient,
    options: EstimateOptions,
    *,
    n_items: int,
    n_resamples: int,
    rng: RandomStream,
) -> Iterator[Estimate | None]:
    """Yield the coefficient in one simulated study after the other; None where undefined."""
    for _ in range(n_resamples):
        ratings = simulator.draw(n_items=n_items, rng=rng).ratings
        if ratings.n_ratings == 0:
            yield None
            continue
        try:
            found = estimate(coefficient, (ratings,), **options, on_undefined="ignore")
        except UnsupportedDesignError:  # by chance no item has two ratings
            yield None
        else:
            yield found if found.status == "ok" else None


def _size_of(design: Simulator | Population) -> str:
    per_item = ""
    if design.ratings_per_item is not None and design.ratings_per_item < design.n_raters:
        per_item = f", {design.ratings_per_item} ratings per item"
    return f"{design.n_items:,} items × {design.n_raters:,} raters{per_item}"


# ---- Sample after sample from the same annotators, side by side.

_USUAL = ("cohen_kappa", "scott_pi")
_MOST_CELLS = 4  # of a cross-table that is shown beside each sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample(Recorded):
    """One study.

    Attributes
    ----------
    table : tuple of tuples of int
        The cross-table of two raters; empty with more of them.
    observed : float
        Observed agreement.
    estimates : tuple of Estimate
    """

    table: tuple[tuple[int, ...], ...]
    observed: float
    estimates: tuple[Estimate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples(Recorded, Unremarked, Several):
    """Studies of the same annotators: what another sample would have shown."""

    n_items: int
    n_raters: int
    samples: tuple[Sample, ...]

    def document(self) -> Document:
        """Return one line for each study."""
        names = [_short(one.name) for one in self.samples[0].estimates]
        shown = 0 < sum(map(len, self.samples[0].table)) <= _MOST_CELLS
        table = Table.of(
            enumerate(self.samples, start=1),
            "study: 0!s",
            ("table by rows", "1.table", _by_rows) if shown else None,
            "observed: 1.observed",
            ([head for name in names for head in (name, f"chance ({name})")], _estimates),
            caption="More samples from the same annotators",
        )
        told = (
            f"{len(self.samples):,} studies of {self.n_items:,} items by the same "
            f"{self.n_raters:,} raters. {self._spread()}"
        )
        return Document.of(told, table, title="Samples")

    def _spread(self) -> str:
        first = [one.estimates[0] for one in self.samples]
        values = [each.value for each in first if math.isfinite(each.value)]
        if not values:
            return f"{first[0].name} is undefined in all of them."
        return f"{first[0].name} runs from {min(values):.3f} to {max(values):.3f}."

    def __repr__(self) -> str:
        return f"Samples({len(self.samples)} of {self.n_items} items)"


def _by_rows(table: Sequence[Sequence[int]]) -> str:
    return " | ".join(" ".join(map(str, line)) for line in table)


def _estimates(study: tuple[int, Sample]) -> list[Cell]:
    return [
        cell
        for one in study[1].estimates
        for cell in (one.value if one.status == "ok" else InPlace("undefined"), one.expected)
    ]


def _short(name: str) -> str:
    return name.rsplit(" ", 1)[-1]


def samples(
    design: Simulator | Simulated | Ratings,
    n_samples: int = 5,
    *,
    coefficients: Sequence[str] = _USUAL,
    n_items: int | None = None,
    rng: Seed = None,
) -> Samples:
    """Draw sample after sample from the same annotators, and measure each.

    Use it to see, rather than be told, how far a coefficient moves from one sample to the next.
    Prefer `sampling_distribution` for the bias, the spread and the coverage of the intervals.

    Parameters
    ----------
    design : Simulator, what `simulate` returned, or Ratings
        Ratings stand for all items that there are.
    n_samples : int, default 5
    coefficients : names or aliases, default Cohen's kappa and Scott's pi
    n_items : int, default as many as the design has
    rng : seed or numpy Generator

    Returns
    -------
    Samples

    References
    ----------
    .. [1] Evert, S. & Baroni, M. Statistics for linguists with R: a SIGIL course. Unit 9, slides
       25 to 28.

    Examples
    --------
    >>> from consilience import datasets
    >>> drawn = samples(datasets.load("di_eugenio_glass_2004_bias"), 3, rng=1)
    >>> len(drawn.samples), drawn.n_items
    (3, 150)
    """
    check_resamples(n_samples)
    source = source_of(design)
    size = source.n_items if n_items is None else n_items
    random = RandomStream.of(rng)
    chosen = [registry[name] for name in coefficients]
    found = []
    for _ in range(n_samples):
        ratings = source.draw(n_items=size, rng=random).ratings
        estimates = tuple(estimate(one, (ratings,), on_undefined="ignore") for one in chosen)
        found.append(
            Sample(
                table=_cross_table(ratings),
                observed=estimates[0].observed if estimates[0].observed is not None else math.nan,
                estimates=estimates,
            )
        )
    return Samples(n_items=size, n_raters=source.n_raters, samples=tuple(found))


def _cross_table(ratings: Ratings) -> tuple[tuple[int, ...], ...]:
    if len(ratings.raters) != 2 or not ratings.categories:
        return ()
    return tuple(tuple(line) for line in ratings.table(*ratings.raters).tolist())
