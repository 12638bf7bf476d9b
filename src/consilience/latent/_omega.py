"""Omega: correct for chance only where raters were at a loss, measured by test and retest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import Estimate, gwet_ac
from consilience.core.arguments import number_where
from consilience.core.arrays import Floats, Ints
from consilience.core.draws import RandomStream, Seed, check_resamples, in_threads, seed_sequence
from consilience.core.result import Result
from consilience.core.verdict import Verdict, verdict_on
from consilience.core.words import counted, interval_head, percent
from consilience.distances import Distance, get_distance
from consilience.document import Document, Finding, Table
from consilience.document.blocks import found, interval_approximate, value_and_interval
from consilience.document.records import Recorded, plain_record
from consilience.exceptions import DegenerateDataWarning, InputError, UnsupportedDesignError, warn
from consilience.inference import Interval, Test
from consilience.inference.intervals import bounded_limits, bounded_p_value, wald_interval
from consilience.inference.resampling import Bootstrap, ItemDraw, Jackknife
from consilience.latent._omega_study import (
    INFECTED_SHARE,
    Chance,
    Pairs,
    Study,
    check_design,
    check_retests,
    check_threshold,
    check_weight,
)
from consilience.latent.model_registry import LATENT_MODELS, LatentModel
from consilience.latent.votes import check_raters, codes_by_occasion, occasions_as_raters
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items
from consilience.rows.reduce import label_space

# ---- results

METHODS = ("effective-share", "percentile", "bca", "basic", "jackknife")
PRINTED_RESAMPLES = 1_999
_TESTS = ("auto", "bootstrap")
_FEWEST_ITEMS = 3
_DEFAULT_RESAMPLES = {"bca": 9_999}
_CELLS_AT_ONCE = 2_000_000
_RECORDED = (
    *("distance", "status", "reason", "value", "observed", "expected", "weight", "weight_method"),
    *("chance", "occasions", "serious_agreement", "standard_error"),
)


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
            **{name: getattr(self, name) for name in _RECORDED},
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


CHANCES = ("uniform", "marginal", "pooled", "unstable")
OCCASIONS = ("all", "first")


def omega(
    ratings: Ratings,
    *,
    chance: str = "uniform",
    weight: Any = "corrected",
    stability_threshold: float | None = None,
    occasions: str = "all",
    distance: Any = None,
) -> Omega:
    """Omega: agreement corrected for chance on the chance-infected items only.

    Use it when raters rated the same items more than once: items on which a rater does not repeat
    herself show how much is guessed. Prefer `cohen_kappa`, `scott_pi` or `gwet_ac`, which treat
    every item as if it might have been guessed, when there is one rating per rater and item.

    Parameters
    ----------
    ratings : Ratings
        With occasions: ``Ratings.from_long(frame, occasion="occasion")``.
    chance : {"uniform", "marginal", "pooled", "unstable"}
        How raters label when they guess: every label alike; as they label overall, each by
        herself or all together; or as estimated from the ratings that did not repeat.
    weight : {"corrected", "naive"}, a number, or certainties
        The share w of chance-infected items. "naive" counts items on which either rater is
        unstable; "corrected" allows for guesses that repeat by luck. A number between 0 and 1
        states w. Certainties between 0 and 1, a table of items × raters or a mapping of rater to
        list, give w = 1 - mean of the two raters' product.
    stability_threshold : float, optional
        A rater counts as unstable on an item where the share of her most frequent label is below
        this; by default, where her ratings are not all equal.
    occasions : {"all", "first"}
        Compare every rating of one rater with every rating of the other, or the first ones only.
    distance : str, Distance or callable, default the one that fits the scale
        Agreement is 1 - d / max d. A distance that depends on the data is held fixed when items
        are resampled. Stability is about labels being equal, whatever the distance.

    Returns
    -------
    Omega
        `value`, its parts `observed`, `expected` and `weight`, the `serious_agreement`, parts by
        pair and rater, and intervals on request.

    Raises
    ------
    UnsupportedDesignError
        One rater, no item that two raters share, or one rating per rater and item without a
        stated weight.
    InputError
        Unknown words, weights or certainties outside 0 to 1 or of the wrong shape.

    Warns
    -----
    DegenerateDataWarning
        ``chance="unstable"`` where the ratings that did not repeat do not tell one distribution
        (two labels and two occasions never do); "pooled" takes its place.

    Notes
    -----
    P_A is the mean over items of the share of equal pairs of ratings; P_C = w sum_k p_1k p_2k;
    more raters: P_A and P_C are averaged over pairs before omega = (P_A - P_C) / (1 - P_C).
    With w = 0 omega is raw agreement; with w = 1 and one occasion it is S ("uniform"), pi
    ("pooled") or kappa ("marginal"). Where only one of two ratings is a guess, the product of the
    two distributions is exact only for even ones. A rater who always gives the same label when
    at a loss looks serious: no retest can tell [1]_.

    References
    ----------
    .. [1] Stegmann, J. & Lücking, A. (2005). Assessing reliability on annotations (1): theoretical
       considerations. SFB 360, University of Bielefeld. Section 3.2.

    Examples
    --------
    >>> twice = {
    ...     "item": [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4],
    ...     "rater": ["A", "A", "B", "B"] * 4,
    ...     "occasion": [1, 2] * 8,
    ...     "label": list("xxxxyyyyxyxxyyyy"),
    ... }
    >>> result = omega(Ratings.from_long(twice, occasion="occasion"), weight="naive")
    >>> result.weight, result.expected, round(result.value, 4)
    (0.25, 0.125, 0.8571)
    """
    data = check_raters("omega", ratings)
    for what, word, known in (("chance", chance, CHANCES), ("occasions", occasions, OCCASIONS)):
        if word not in known:
            raise InputError.unknown_word(what, word, known)
    need_independent_items(
        "omega", data.clusters, instead="gwet_ac has an error that allows for them"
    )
    check_design(data)
    threshold = check_threshold(stability_threshold)
    measure = get_distance(distance, scale=data.scale)
    codes = codes_by_occasion("omega", data)
    stated, certainty = check_weight(weight, data)
    study = Study.of(
        codes,
        n_labels=len(data.categories),
        similarity=_similarity(data, measure, codes),
        chance=chance,
        weight=stated,
        threshold=threshold,
        occasions=occasions,
        certainty=certainty,
    )
    if certainty is None and isinstance(stated, str):
        check_retests(study, data, threshold)
    return _result(study, data, codes, measure)


def _similarity(ratings: Ratings, measure: Distance, codes: Ints) -> Floats | None:
    if measure.name == "nominal":
        return None
    counts = np.bincount(codes[codes >= 0], minlength=len(ratings.categories)).astype(np.float64)
    d_kl = np.asarray(measure.matrix(label_space(ratings), counts), dtype=np.float64)
    widest = float(d_kl.max(initial=0.0))
    return 1.0 - d_kl / widest if widest > 0.0 else np.ones_like(d_kl)


# ---- result


def _result(study: Study, ratings: Ratings, codes: Ints, measure: Distance) -> Omega:
    add = study.whole()
    pairs, chance = study.evaluate(add), study.chances(add)
    if not (pairs.shared > 0.0).any():
        raise UnsupportedDesignError.needs(
            "omega",
            "at least one item that two raters both rated",
            f"{ratings.n_items:,} items, {len(ratings.raters)} raters and none in common",
            "let at least two raters rate the same items",
        )
    value = float(pairs.omega()[0])
    observed, expected, weight = (
        float(pairs.mean(part)[0]) for part in (pairs.observed, pairs.expected, pairs.weight)
    )
    reason = None
    if not math.isfinite(value):
        reason = (
            "no_variation: chance agreement is 1 and nothing is left to measure. Rate items that "
            "differ, or declare the categories that could have been used"
            if math.isfinite(expected)
            else "no_weight: no share of chance-infected items follows from the certainties given"
        )
    left_out = study.left_out() if reason is None else np.full(study.multiplicity.size, math.nan)
    findings = _findings(study, ratings, chance, pairs, weight)
    for finding in findings:
        if finding.code == "chance_not_identified":
            warn(finding.sentence, DegenerateDataWarning)
    jackknife = Jackknife(value, left_out, study.multiplicity)
    return Omega(
        value=value,
        observed=observed,
        expected=expected,
        weight=weight,
        weight_method=study.weight if isinstance(study.weight, str) else "stated",
        chance=study.chance,
        serious_agreement=(observed - expected) / (1.0 - weight) if weight < 1.0 else math.nan,
        status="ok" if reason is None else "undefined",
        reason=reason,
        standard_error=jackknife.standard_error if np.isfinite(left_out).all() else math.nan,
        pairs=_pairs(ratings, pairs),
        raters=_raters(study, ratings, codes, chance),
        n_items=ratings.n_items,
        n_occasions=codes.shape[1],
        occasions=study.occasions,
        distance=measure.name,
        findings=findings,
        _study=study,
        _left_out=left_out,
    )


def _pairs(ratings: Ratings, pairs: Pairs) -> tuple[OmegaPair, ...]:
    names = ratings.raters
    whose = [(names[g], names[h]) for g in range(len(names)) for h in range(g + 1, len(names))]
    out = []
    for j, two in enumerate(whose):
        if pairs.shared[j, 0] == 0.0:
            continue
        p_a, p_c = float(pairs.observed[j, 0]), float(pairs.expected[j, 0])
        out.append(
            OmegaPair(
                raters=two,
                observed=p_a,
                expected=p_c,
                weight=float(pairs.weight[j, 0]),
                value=(p_a - p_c) / (1.0 - p_c) if p_c < 1.0 - 1e-14 else math.nan,
                n_items=round(float(pairs.shared[j, 0])),
            )
        )
    return tuple(out)


def _raters(study: Study, ratings: Ratings, codes: Ints, chance: Chance) -> tuple[OmegaRater, ...]:
    guessed = study.guessed(chance, study.whole())
    out = []
    for r, name in enumerate(ratings.raters):
        again = (study.given[r] >= 2) * study.multiplicity
        n = float(again.sum())
        out.append(
            OmegaRater(
                rater=name,
                n_items=round(n),
                unstable=float(again @ study.unstable[r]) / n if n else math.nan,
                guessed=float(guessed[r]),
                chance=dict(zip(ratings.categories, chance.shares[r, :, 0].tolist(), strict=True)),
                intra_rater=gwet_ac(
                    occasions_as_raters(ratings, codes[r]),
                    distance="nominal",
                    on_undefined="ignore",
                )
                if n
                else None,
            )
        )
    return tuple(out)


def _findings(
    study: Study, ratings: Ratings, chance: Chance, pairs: Pairs, weight: float
) -> tuple[Finding, ...]:
    fell_back = [
        str(name) for name, flag in zip(ratings.raters, chance.fell_back[:, 0], strict=True) if flag
    ]
    apart = int((pairs.shared[:, 0] == 0.0).sum())
    return (
        *found(
            (
                fell_back,
                "chance_not_identified",
                "caution",
                "The ratings that did not repeat do not tell how these raters guess: "
                f"{', '.join(fell_back)}. The pooled distribution was taken instead.",
                "Use three occasions or more, or chance='uniform'.",
            ),
            (
                study.chance != "uniform",
                "product_of_distributions",
                "info",
                "Where only one of two ratings is a guess, the product of the two distributions "
                "is exact for even ones only.",
                "Compare with chance='uniform'.",
            ),
            (
                weight >= 1.0,
                "all_chance_infected",
                "caution",
                "Every item counts as chance-infected, so omega corrects for chance on all.",
                "Look at each rater's agreement with herself before anything else.",
            ),
            (
                apart,
                "pairs_without_common_items",
                "info",
                f"{apart} pairs of raters share no item and are left out.",
            ),
        ),
        interval_approximate("omega"),
    )


def omega_chance_term(weight: float, *distributions: Any) -> float:
    """Return P_C = w sum_k p_1k p_2k of two distributions (Stegmann & Lücking 2005, eq. 3.2).

    Parameters
    ----------
    weight : float
        w, the share of items where chance was at work.
    distributions : two sequences of shares
        How each rater guesses.

    Returns
    -------
    float

    Examples
    --------
    >>> omega_chance_term(0.25, [0.5, 0.5], [0.5, 0.5])  # Stegmann & Lücking 2005, section 2.2.1
    0.125
    """
    w = number_where(
        "weight", weight, "between 0 and 1", INFECTED_SHARE, fits=lambda x: 0.0 <= x <= 1.0
    )
    try:
        p = [np.asarray(one, dtype=np.float64) for one in distributions]
    except (TypeError, ValueError):
        p = []
    fits = len(p) == 2 and p[0].ndim == 1 and p[0].shape == p[1].shape and p[0].size > 0
    if not fits or any((x < 0.0).any() or abs(x.sum() - 1.0) > 1e-6 for x in p):
        raise InputError.expected(
            "distributions",
            "two lists of shares over the same labels, each adding up to 1",
            distributions,
            "for example [0.5, 0.5], [0.7, 0.3]",
        )
    return w * float(p[0] @ p[1])


LATENT_MODELS.add(
    LatentModel(
        "omega",
        "chance from repeated ratings (Stegmann & Lücking 2005)",
        ("chance", "weight"),
        omega,
    )
)
