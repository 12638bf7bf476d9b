"""Results of omega: its value, its parts by pair and by rater, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import Estimate
from consilience.core.draws import RandomStream
from consilience.core.resample import Seed, check_resamples, in_threads, seed_sequence
from consilience.core.result import Result
from consilience.core.verdict import Verdict, verdict_on
from consilience.core.words import counted, interval_head, percent
from consilience.document import (
    Document,
    Finding,
    Recorded,
    Table,
    plain_record,
    value_and_interval,
)
from consilience.exceptions import InputError
from consilience.inference import Interval, Test, wald_interval
from consilience.inference.bootstrap_intervals import Bootstrap, Jackknife
from consilience.inference.replicates import ItemDraw
from consilience.inference.skewed_t import bounded_limits, bounded_p_value
from consilience.latent.models._omega_study import Study

METHODS = ("effective-share", "percentile", "bca", "basic", "jackknife")
PRINTED_RESAMPLES = 1_999
_TESTS = ("auto", "bootstrap")
_FEWEST_ITEMS = 3
_DEFAULT_RESAMPLES = {"bca": 9_999}
_CELLS_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OmegaPair(Recorded):
    """Two raters: agreement, chance agreement, share of chance-infected items."""

    renamed: ClassVar[Mapping[str, str]] = {"n_items": "items"}

    raters: tuple[object, object]
    observed: float
    expected: float
    weight: float
    value: float
    n_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OmegaRater(Recorded):
    """One rater: how stable she is, how she guesses, and her agreement with herself.

    Attributes
    ----------
    n_items : int
        Items that she rated more than once.
    unstable : float
        Share of these on which her ratings are not all equal.
    guessed : float
        The same, corrected for guesses that repeat by luck.
    chance : dict of label to probability
        How she is taken to label when she guesses.
    intra_rater : Estimate or None
        Gwet's coefficient over her occasions; None where she rated nothing twice.
    """

    renamed: ClassVar[Mapping[str, str]] = {"n_items": "items"}

    rater: object
    n_items: int
    unstable: float
    guessed: float
    chance: dict[object, float]
    intra_rater: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Omega(Result):
    """Agreement corrected for chance on the chance-infected items only.

    Attributes
    ----------
    value : float
        (P_A - P_C) / (1 - P_C), unrounded; NaN when `status` is "undefined".
    observed, expected : float
        P_A and P_C, means over the pairs of raters.
    weight : float
        Share of chance-infected items, w; `weight_method` says where it comes from.
    serious_agreement : float
        (P_A - P_C) / (1 - w): agreement where both ratings are serious; NaN where w is 1.
    standard_error : float
        By leaving out each item in turn.
    pairs, raters : tuple
        The parts by pair of raters and by rater.
    """

    interval_methods: ClassVar[tuple[str, ...]] = ("auto", *METHODS)

    value: float
    observed: float
    expected: float
    weight: float
    weight_method: str
    chance: str
    serious_agreement: float
    status: str
    reason: str | None
    standard_error: float
    pairs: tuple[OmegaPair, ...]
    raters: tuple[OmegaRater, ...]
    n_items: int
    n_occasions: int
    occasions: str
    distance: str
    findings: tuple[Finding, ...] = ()
    _study: Study = field(repr=False, compare=False)
    _left_out: NDArray[np.float64] = field(repr=False, compare=False)
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def bootstrap(self, *, n_resamples: int = 4_999, rng: Seed = 0) -> Bootstrap:
        """Resample items with everything on them, and compute p, w and P_A anew each time."""
        check_resamples(n_resamples)
        key = (n_resamples, rng) if isinstance(rng, int) else None
        if key is None or key not in self._cache:
            values = _replicates(self._study, n_resamples, rng)
            drawn = Bootstrap.of(self.value, values, "item")
            if key is None:
                return drawn
            self._cache[key] = drawn
        found: Bootstrap = self._cache[key]
        return found

    def confidence_interval(
        self,
        confidence_level: float = 0.95,
        method: str = "auto",
        *,
        n_resamples: int | None = None,
        rng: Seed = 0,
    ) -> Interval:
        """Return a confidence interval.

        Parameters
        ----------
        confidence_level : float
        method : {"auto", "effective-share", "percentile", "bca", "basic", "jackknife"}
            "auto" is the first: the limits of a share of so many trials as the error of leaving out
            each item is worth, with Student's tails; bootstraps over items; or value ± t × the
            leave-one-item-out error.
        n_resamples : int, default 9,999 for "bca", else 4,999
        rng : int or numpy.random.Generator
        """
        level = self._level(confidence_level, method)
        method = "effective-share" if method == "auto" else method
        if n_resamples is not None:
            check_resamples(n_resamples)
        if self.status == "undefined":
            return Interval(math.nan, math.nan, level, method)
        if method == "effective-share":
            return self._by_effective_share(level)
        if method == "jackknife":
            return wald_interval(
                self.value,
                self.standard_error,
                confidence_level=level,
                degrees_of_freedom=float(max(self.n_items - 1, 1)),
                lowest=-math.inf,
                highest=1.0,
                method="jackknife",
            )
        size = _DEFAULT_RESAMPLES.get(method, 4_999) if n_resamples is None else n_resamples
        drawn = self.bootstrap(n_resamples=size, rng=rng)
        if method == "bca":
            return drawn.bca(self._left_out, self._study.multiplicity, confidence_level=level)
        return drawn.basic(level) if method == "basic" else drawn.percentile(level)

    def _by_effective_share(self, level: float) -> Interval:
        if not np.isfinite(self._left_out).all() or self.n_items < _FEWEST_ITEMS:
            note = "no interval: without one of the items omega is undefined"
            return Interval(math.nan, math.nan, level, "effective-share", note)
        times = self._study.multiplicity
        low, high = bounded_limits(self.value, self._left_out, level, multiplicity=times)
        return Interval(low, high, level, "effective-share")

    @property
    def verdict(self) -> Verdict:
        """What the interval says against the thresholds that are quoted, and what to do next."""
        return self._judged(self._printed_interval(0.95, PRINTED_RESAMPLES, 0))

    def _judged(self, interval: Interval | None) -> Verdict:
        sample = counted(self.n_items, "item")
        return verdict_on("Omega", self.value, interval, sample=sample, reason=self.reason)

    def test(
        self,
        null: float = 0.0,
        *,
        method: str = "auto",
        n_resamples: int = 4_999,
        rng: Seed = 0,
    ) -> Test:
        """Test whether omega exceeds a value; dual to the interval.

        `method` is "auto" (dual to the default interval) or "bootstrap", the share of resamples
        that do not. Serious agreement is not exchangeable over items, so there is no permutation
        test.
        """
        if method not in _TESTS:
            raise InputError.unknown_word("method", method, _TESTS)
        if not isinstance(null, Real) or not math.isfinite(null):
            raise InputError.expected("null", "a number", null, "for example null=0.6")
        if self.status == "undefined":
            return Test(math.nan, math.nan, float(null), "greater", method)
        if method == "auto" and np.isfinite(self._left_out).all():
            times = self._study.multiplicity
            p_value = bounded_p_value(self.value, self._left_out, null, multiplicity=times)
            return Test(self.value - null, p_value, float(null), "greater", "effective-share")
        values = self.bootstrap(n_resamples=n_resamples, rng=rng).values
        p_value = (1 + int((values <= null).sum())) / (values.size + 1)
        return Test(self.value - null, p_value, float(null), "greater", "bootstrap")

    def jackknife(self) -> Jackknife:
        """Return omega without each item in turn."""
        return Jackknife(self.value, self._left_out, self._study.multiplicity)

    def to_dict(
        self, *, confidence_level: float = 0.95, n_resamples: int = PRINTED_RESAMPLES, rng: Seed = 0
    ) -> dict[str, object]:
        """Return plain data with stable keys; the interval is the default one."""
        interval = self._printed_interval(confidence_level, n_resamples, rng)
        record = {
            "coefficient": "omega",
            "name": "Omega",
            "distance": self.distance,
            "status": self.status,
            "reason": self.reason,
            "value": self.value,
            "observed": self.observed,
            "expected": self.expected,
            "weight": self.weight,
            "weight_method": self.weight_method,
            "chance": self.chance,
            "occasions": self.occasions,
            "serious_agreement": self.serious_agreement,
            "standard_error": self.standard_error,
            "standard_error_method": "jackknife",
            "interval": interval,
            "items_used": self.n_items,
            "pairs": self.pairs,
            "raters": self.raters,
            "findings": self.findings,
        }
        return plain_record(record)

    def document(
        self, *, confidence_level: float = 0.95, n_resamples: int = PRINTED_RESAMPLES, rng: Seed = 0
    ) -> Document:
        """Return omega with its weight and the raters' agreement with themselves beside it."""
        interval = self._printed_interval(confidence_level, n_resamples, rng)
        return Document.of(
            self._sentence(interval),
            *self._tables(confidence_level),
            title="Omega: agreement corrected for chance where chance was at work",
            findings=self.findings,
            verdict=self._judged(interval),
        )

    def __repr__(self) -> str:
        return (
            f"Omega({self.value:.3f}, P_A={self.observed:.3f}, P_C={self.expected:.3f}, "
            f"w={self.weight:.3f}, {len(self.raters)} raters, {self.n_items:,} items)"
        )

    def _printed_interval(self, level: float, n_resamples: int, rng: Seed) -> Interval | None:
        if self.status == "undefined" or self.n_items < 2:
            return None
        interval = self.confidence_interval(level, n_resamples=n_resamples, rng=rng)
        return interval if math.isfinite(interval.low) else None

    def _sentence(self, interval: Interval | None) -> str:
        if self.status == "undefined":
            return f"Omega is undefined: {self.reason}."
        reach = ""
        if interval is not None:
            level = percent(interval.confidence_level)
            reach = f", {level} interval {interval.low:.3f} to {interval.high:.3f}"
        serious = ""
        if math.isfinite(self.serious_agreement):
            serious = (
                " Where neither rater guesses, they agree on an estimated "
                f"{min(self.serious_agreement, 1.0):.3f}."
            )
        return (
            f"Omega is {self.value:.3f}{reach}. The raters agree on {self.observed:.3f} of the "
            f"ratings compared; {self.expected:.3f} is put down to chance, because a share "
            f"w = {self.weight:.3f} of the items counts as chance-infected.{serious}"
        )

    def _tables(self, level: float) -> list[Table]:
        return [
            Table.of(
                self.pairs,
                ("raters", lambda pair: f"{pair.raters[0]}, {pair.raters[1]}"),
                "items: n_items",
                "P_A: observed",
                "w: weight",
                "P_C: expected",
                "omega: value",
                caption="Pairs of raters",
            ),
            Table.of(
                [rater for rater in self.raters if rater.n_items],
                "rater!s",
                "rated again: n_items",
                "unstable",
                "guessed",
                (
                    ("AC", interval_head(level)),
                    lambda rater: value_and_interval(rater.intra_rater, level),
                ),
                caption="Raters against themselves",
                note="unstable: not all ratings of an item equal; guessed: corrected for luck; "
                "AC: Gwet's coefficient over the rater's own occasions.",
            ),
        ]


def _replicates(study: Study, n_resamples: int, rng: Seed) -> NDArray[np.float64]:
    """Draw items in blocks of fixed size with a random stream each: same seed, same bits."""
    draw = ItemDraw(study.multiplicity)
    size = max(1, min(2_500, _CELLS_AT_ONCE // study.multiplicity.size))
    sizes = [min(size, n_resamples - start) for start in range(0, n_resamples, size)]
    streams = seed_sequence(rng).spawn(len(sizes))
    study.warm_up()
    jobs = list(zip(sizes, streams, strict=True))
    return np.concatenate(list(in_threads(partial(_block, study, draw), jobs)))


def _block(study: Study, draw: ItemDraw, job: tuple[int, Any]) -> NDArray[np.float64]:
    n_samples, stream = job
    weights = draw(RandomStream.of(stream), n_samples)
    return study.evaluate(study.weighted(weights)).omega()
