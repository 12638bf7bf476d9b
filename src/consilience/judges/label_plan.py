"""How many labels to buy from people, of which items, and what the judge saves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from consilience.core.arguments import probability, whole_number
from consilience.core.arrays import Floats, Ints
from consilience.core.draws import RandomStream, Seed
from consilience.core.interval import check_confidence_level
from consilience.core.labels import places_in_order
from consilience.core.result import Defined, Several, Unremarked
from consilience.core.tails import quantile
from consilience.core.verdict import Verdict
from consilience.core.words import counted, percent
from consilience.document import Document, Finding, Table
from consilience.document.blocks import found
from consilience.document.records import Recorded
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.intervals import wilson_limits
from consilience.judges.rate_estimators import PRIOR, TwoPhase
from consilience.judges.verdicts import verdicts_of
from consilience.ratings.clusters import need_independent_items
from consilience.ratings.duplicates import need_one_occasion
from consilience.ratings.rating_tables import numbers_per_item

# ---- What is known of a judge before labels are bought, and the plan that follows.


@dataclass(frozen=True)
class Judged:
    """What is known of a judge before labels are bought.

    `share` are the shares of its verdicts (no, yes, refused), `yes` the shares of people's yes
    within each.
    """

    share: Floats
    yes: Floats
    n_verdicts: int

    @property
    def rate(self) -> float:
        """People's rate."""
        return float(self.share @ self.yes)

    @property
    def within(self) -> float:
        """Variance of one label that stays when the verdict is known."""
        return float(self.share @ (self.yes * (1.0 - self.yes)))

    @property
    def between(self) -> float:
        """Variance of one verdict's part."""
        return float(self.share @ (self.yes - self.rate) ** 2)

    @property
    def said(self) -> Floats:
        """The verdict as a number: 1 for yes, 0 for no and for a refusal."""
        found = np.zeros(self.share.size)
        found[1:2] = 1.0
        return found

    @property
    def best_split(self) -> Floats:
        """Shares of labels by verdict with the smallest variance: Neyman (1934)."""
        own = self.share * np.sqrt(np.maximum(self.yes * (1.0 - self.yes), 1e-4))
        return np.asarray(own / own.sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPlan(Recorded, Defined):
    """How many labels to buy.

    Attributes
    ----------
    value : float
        Labels to buy with the judge's help, picked at random.
    n_labels, n_split, n_alone : int or None
        Labels with the judge's help picked at random, split by verdict as is best, and from people
        alone; None where no number is enough.
    saved : float
        Share of the labels that the judge saves.
    half_width, power : float or None
        What was asked for.
    split : dict
        Verdict to the number of labels, of the best split.
    by_method : dict
        Method to labels picked at random, by its variance (on average, without assurance); None
        where no number is enough.
    assurance : float
        Share of studies that keep the promise.
    """

    interval_needs: ClassVar[str] = "a study, and this is the plan of one"
    unrecorded: ClassVar[tuple[str, ...]] = ("findings",)
    recorded: ClassVar[tuple[str, ...]] = ("sentence",)

    value: float
    rate: float
    sensitivity: float
    specificity: float
    n_verdicts: int
    n_labels: int | None
    n_split: int | None
    n_alone: int | None
    saved: float
    half_width: float | None
    null: float | None
    power: float | None
    assurance: float | None
    confidence_level: float
    split: dict[str, int] = field(default_factory=dict)
    by_method: dict[str, int | None] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    @property
    def sentence(self) -> str:
        """The plan in a sentence."""
        if self.n_labels is None:
            return (
                f"No number of labels is enough with {self.n_verdicts:,} verdicts: judge more items"
                + (
                    f", or buy {self.n_alone:,} labels and leave the judge out"
                    if self.n_alone
                    else ""
                )
                + "."
            )
        text = f"{counted(self.n_labels, 'label')} by people, picked at random, {self._promise()}."
        if self.n_alone is not None:
            text += (
                f" Without the judge it takes {self.n_alone:,}: the judge saves "
                f"{max(self.saved, 0.0):.0%}."
            )
        return text

    def _promise(self) -> str:
        level = percent(self.confidence_level)
        if self.half_width is not None:
            sure = f" in {self.assurance:.0%} of studies" if self.assurance else " on average"
            return f"give a {level} interval of ±{self.half_width:g} or less{sure}"
        return f"tell a rate of {self.rate:.3g} from {self.null:g} with a power of {self.power:.0%}"

    @property
    def verdict(self) -> Verdict:
        """How many, and what the judge saves."""
        enough = self.n_labels is not None
        return Verdict(
            code="labels_to_buy" if enough else "no_number_of_labels",
            message=self.sentence,
            gravity="good" if self.n_labels else "problem",
            next="Pick the items with --pick, so that nobody chooses them by how they look."
            if self.n_labels
            else "",
        )

    def _beside(self) -> dict[str, Any]:
        return {"method": "double-sampling", "solved_for": "n_labels"}

    def document(self) -> Document:
        """Return the sentence, and the labels by method."""
        own = {
            "people alone": self.n_alone,
            "with the judge, at random": self.n_labels,
            "with the judge, split by verdict": self.n_split,
        }
        split = "; ".join(f"{n:,} where {name}" for name, n in self.split.items())
        return Document.of(
            f"Planned for a rate of {self.rate:.3g}, a judge that says yes in "
            f"{self.sensitivity:.0%} of the yes and no in {self.specificity:.0%} of the no, and "
            f"{self.n_verdicts:,} verdicts.",
            replace(_methods(own), note=f"Split: {split}." if split else ""),
            replace(_methods(self.by_method), caption="By method, on average", detail=True),
            findings=self.findings,
            verdict=self.verdict,
        )


def _methods(labels: Mapping[str, int | None]) -> Table:
    """Return the labels that each method needs; the first is people alone."""
    name, alone = next(iter(labels.items()), ("", None))
    return Table.of(
        labels.items(),
        "method: 0",
        "labels: 1",
        ("saved", lambda pair: None if pair[0] == name else _saved(pair[1], alone)),
        digits=2,
    )


def _saved(n: int | None, alone: int | None) -> float | None:
    return None if n is None or not alone else 1.0 - n / alone


# ---- How many labels to buy from people, and what the judge saves.

_N_STUDIES = 2_000
_STATES = ("the judge says no", "the judge says yes", "the judge refused")


def labels_to_buy(
    ratings: Any = None,
    label: object = None,
    *,
    judge: Any = None,
    people: Any = None,
    gold: Any = None,
    rate: float | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    n_verdicts: int | None = None,
    half_width: float | None = None,
    null: float | None = None,
    power: float | None = None,
    assurance: float | None = 0.8,
    refusals: Any = (),
    confidence_level: float = 0.95,
    rng: Seed = 0,
) -> LabelPlan:
    """Say how many labels to buy from people beside a judge's verdicts.

    Use it with a pilot (`ratings` and `label`), or with what is assumed of the judge (`rate`,
    `sensitivity`, `specificity`, `n_verdicts`). Ask for a half-width, or for the power to tell the
    rate from `null`.

    Parameters
    ----------
    ratings : Ratings, optional
        A pilot: verdicts on all items, labels on some.
    label : object
        The label whose rate is wanted.
    judge, people, gold, refusals
        As for `corrected_rate`.
    rate, sensitivity, specificity : float, optional
        What is assumed; what a pilot says is overruled by it.
    n_verdicts : int, optional
        Items that the judge will have judged.
    half_width : float, optional
        Half of the interval's width that is wanted.
    null, power : float, optional
        The rate to be told from, and with which probability (default 0.8).
    assurance : float or None, default 0.8
        Share of studies whose interval is to be no wider; None: on average. By simulation.
    confidence_level : float, default 0.95
    rng : int or numpy.random.Generator, default 0

    Returns
    -------
    LabelPlan

    Examples
    --------
    >>> plan = labels_to_buy(rate=0.7, sensitivity=0.95, specificity=0.8, n_verdicts=5000,
    ...                      half_width=0.03, assurance=None)
    >>> plan.n_alone, plan.n_labels, plan.n_split
    (897, 409, 406)
    """
    level = check_confidence_level(confidence_level)
    if (half_width is None) == (null is None):
        raise InputError.expected(
            "half_width or null",
            "given, one of them",
            f"{half_width!r} and {null!r}",
            "half_width=0.03, or null=0.7 with power=0.8",
        )
    assumed = {"rate": rate, "sensitivity": sensitivity, "specificity": specificity}
    if ratings is None:
        for name, value in {**assumed, "n_verdicts": n_verdicts}.items():
            if value is None:
                raise InputError.expected(
                    name,
                    "given where there is no pilot",
                    None,
                    "rate=0.7, sensitivity=0.9, specificity=0.8, n_verdicts=5000",
                )
        known = _assumed(assumed, whole_number("n_verdicts", n_verdicts, least=2))
    else:
        table = verdicts_of(ratings, judges=judge, people=people, gold=gold, refusals=refusals)
        need_independent_items("labels_to_buy", table.ratings.clusters)
        need_one_occasion("labels_to_buy", table.ratings)
        known = from_pilot(table.of_label(label))
        known = replace(known, n_verdicts=n_verdicts or known.n_verdicts)
        if any(share is not None for share in assumed.values()):
            known = _assumed(assumed, known.n_verdicts, (known.rate, *_rates(known)))
    # The variance that the estimate must have.
    z = quantile(0.5 + level / 2.0, None)
    if half_width is not None:
        wanted = (probability("half_width", half_width) / z) ** 2
    else:
        power = probability("power", 0.8 if power is None else power)
        gap = known.rate - probability("null", null)
        if gap == 0.0:
            raise InputError.expected("null", "different from the rate", null, "state another one")
        wanted, assurance = (gap / (z + quantile(power, None))) ** 2, None
    numbers = _enough_labels(known, wanted)
    if half_width is not None and assurance is not None:
        probability("assurance", assurance)
        numbers = _assured(
            known,
            numbers,
            half=half_width,
            level=level,
            assurance=assurance,
            draw=RandomStream.of(rng),
        )
    asked = {"half_width": half_width, "null": null, "power": power, "assurance": assurance}
    alone, random, split = (_whole(x) for x in numbers)
    if random is not None and random > known.n_verdicts:
        random = None
    if split is not None and split > known.n_verdicts:
        split = None
    parts = known.best_split
    se, sp = _rates(known)
    return LabelPlan(
        value=math.nan if random is None else float(random),
        rate=known.rate,
        sensitivity=se,
        specificity=sp,
        n_verdicts=known.n_verdicts,
        n_labels=random,
        n_split=split,
        n_alone=alone,
        saved=math.nan if random is None or not alone else 1.0 - random / alone,
        confidence_level=level,
        **asked,
        split={}
        if split is None
        else {
            _STATES[k]: round(float(parts[k]) * split) for k in range(parts.size) if known.share[k]
        },
        by_method=_by_method(known, wanted),
        findings=_findings(random, alone),
    )


def _findings(random: int | None, alone: int | None) -> tuple[Finding, ...]:
    saves = random is None or alone is None or random < 0.95 * alone
    return found(
        (
            not saves,
            "judge_saves_little",
            "caution",
            "The judge saves next to no labels: its verdicts say little about people's.",
            "Improve the judge first, or leave it out.",
        )
    )


def _whole(x: float) -> int | None:
    return math.ceil(x - 1e-9) if math.isfinite(x) else None


def _assumed(
    told: Mapping[str, float | None], n: int, otherwise: Sequence[float] = (math.nan,) * 3
) -> Judged:
    """Return what is told of rate, sensitivity and specificity, the rest being otherwise."""
    p, se, sp = (
        other if share is None else probability(name, share)
        for (name, share), other in zip(told.items(), otherwise, strict=True)
    )
    cells = np.array([[(1.0 - p) * sp, p * (1.0 - se)], [(1.0 - p) * (1.0 - sp), p * se]])
    share = cells.sum(axis=1)
    with np.errstate(invalid="ignore"):
        yes = np.where(share > 0.0, cells[:, 1] / share, p)
    return Judged(share, yes, n)


def from_pilot(sample: TwoPhase) -> Judged:
    """Return what a pilot says, half a label added on either side of each verdict."""
    if sample.n_labels < 2:
        raise UnsupportedDesignError.needs(
            "a plan from a pilot",
            "two labels or more by people",
            f"{sample.n_labels}",
            "state rate, sensitivity and specificity instead",
        )
    kinds = int(sample.state.max(initial=0)) + 1
    share = np.bincount(sample.state, minlength=kinds) / sample.n_items
    lab = sample.labelled
    seen = np.bincount(sample.state[lab], minlength=kinds)
    yes = np.bincount(sample.state[lab], weights=sample.truth[lab], minlength=kinds)
    return Judged(share, (yes + 0.5) / (seen + 1.0), sample.n_items)


def _rates(known: Judged) -> tuple[float, float]:
    """Return sensitivity and specificity."""
    said = known.said
    yes, no = known.share * known.yes, known.share * (1.0 - known.yes)
    return (
        float(yes @ said / yes.sum()) if yes.sum() else math.nan,
        float(no @ (1.0 - said) / no.sum()) if no.sum() else math.nan,
    )


# ---- formulas


def _enough_labels(known: Judged, wanted: float) -> tuple[float, float, float]:
    """Return labels for a variance: people alone, with the judge, and with the best split."""
    split = float(known.share @ np.sqrt(known.yes * (1.0 - known.yes))) ** 2
    between, n = known.between, known.n_verdicts
    return (
        known.rate * (1.0 - known.rate) / wanted,
        _enough(known.within, between, n, wanted),
        _enough(split, between, n, wanted),
    )


def _enough(variance: float, between: float, n: int, wanted: float) -> float:
    """Return n with variance / n + between / verdicts = wanted; infinite where none is enough."""
    left = wanted - between / n
    return variance / left if left > 0.0 else math.inf


def _by_method(known: Judged, wanted: float) -> dict[str, int | None]:
    """Return the labels that each method needs, picked at random, by its variance.

    PPI: var(y - f) / n + var(f) / N; PPI++ with the best lambda = cov(y, f) / var(f); Rogan and
    Gladen by the delta method, sensitivity and specificity from n labels at random.
    """
    f, p, n = known.said, known.rate, known.n_verdicts
    spread, own = float(known.share @ f) * (1.0 - float(known.share @ f)), p * (1.0 - p)
    covariance = float(known.share @ (f * known.yes)) - float(known.share @ f) * p
    tuned = min(max(covariance / spread, 0.0), 1.0) if spread > 0.0 else 0.0
    parts = {
        "people": (own, 0.0),
        "double-sampling": (known.within, known.between),
        "ppi": (own - 2.0 * covariance + spread, spread),
        "ppi++": (own - 2.0 * tuned * covariance + tuned**2 * spread, tuned**2 * spread),
    }
    se, sp = _rates(known)
    if se + sp > 1.0:
        judged = p * se * (1.0 - se) + (1.0 - p) * sp * (1.0 - sp)
        scale = (se + sp - 1.0) ** 2
        parts["rogan-gladen"] = (judged / scale, spread / scale)
    needed = {name: _enough(a, b, n, wanted) for name, (a, b) in parts.items()}
    return {name: _whole(x) if name == "people" or x <= n else None for name, x in needed.items()}


# ---- simulated studies


def _assured(
    known: Judged,
    start: tuple[float, float, float],
    *,
    half: float,
    level: float,
    assurance: float,
    draw: RandomStream,
) -> tuple[float, float, float]:
    """Raise the numbers until so many simulated studies keep the width."""

    def raised(one: Judged, start: float, split: Floats | None = None) -> float:
        def is_kept(n: float) -> bool:
            share = _kept(one, math.ceil(n), split, half=half, level=level, draw=draw)
            return share >= assurance

        if not math.isfinite(start) or start > one.n_verdicts:
            return math.inf
        low, high = max(start / 2.0, 2.0), start
        while not is_kept(high):
            low, high = high, high * 1.25 + 5.0
            if high > one.n_verdicts:
                return math.inf
        while high - low > max(1.0, 0.005 * high):
            middle = (low + high) / 2.0
            low, high = (low, middle) if is_kept(middle) else (middle, high)
        return high

    alone = Judged(np.ones(1), np.array([known.rate]), 10**9)
    return (
        raised(alone, start[0]),
        raised(known, start[1]),
        raised(known, start[2], known.best_split),
    )


def _kept(
    known: Judged, n: int, split: Floats | None, *, half: float, level: float, draw: RandomStream
) -> float:
    """Return the share of simulated studies of n labels whose interval is narrow enough."""
    from scipy.special import betaincinv

    if split is None:
        seen = draw.multinomial(n, known.share, _N_STUDIES)
        total, rest = seen, max(known.n_verdicts - n, 0)
    else:
        seen = np.tile(np.maximum(np.round(split * n), 1).astype(np.int64), (_N_STUDIES, 1))
        total, rest = np.zeros_like(seen), known.n_verdicts
    yes = draw.binomial(seen, known.yes)
    total = total + draw.multinomial(rest, known.share, _N_STUDIES)
    if known.share.size == 1:
        low, high = wilson_limits(yes[:, 0] / n, n, level)
        return float((high - low <= 2.0 * half).mean())
    share = total / total.sum(axis=1, keepdims=True)
    # The posterior of the sum by its mean and variance: its width hardly depends on its skewness.
    q = (yes + PRIOR) / (seen + 2.0 * PRIOR)
    middle = (share * q).sum(axis=1)
    between = (share * (q - middle[:, None]) ** 2).sum(axis=1) / known.n_verdicts
    variance = (share**2 * q * (1.0 - q) / (seen + 2.0 * PRIOR + 1.0)).sum(axis=1) + between
    worth = np.maximum(middle * (1.0 - middle) / variance - 1.0, 1e-9)
    tail = 0.5 - level / 2.0
    low, high = (betaincinv(middle * worth, (1.0 - middle) * worth, x) for x in (tail, 1.0 - tail))
    return float((high - low <= 2.0 * half).mean())


# ---- Which items to give to people, and what their labels will weigh.

_FLOOR = 0.1  # share of the labels that goes to items at random, so that no weight gets out of hand


@dataclass(frozen=True, slots=True, kw_only=True)
class Picks(Recorded, Unremarked, Several):
    """Items to give to people, and what their labels will weigh.

    Attributes
    ----------
    items : tuple
    probability, weight : tuple of float
        With which probability each was picked, and one over it.
    verdict_of : tuple of str
        What the judge says of each.
    """

    items: tuple[object, ...]
    probability: tuple[float, ...]
    weight: tuple[float, ...]
    verdict_of: tuple[str, ...]

    def document(self) -> Document:
        """Return the items as a table."""
        return Document.of(
            Table.of(
                zip(self.items, self.verdict_of, self.probability, self.weight, strict=True),
                "item: 0!s",
                "judge says: 1",
                "probability: 2",
                "weight: 3",
                digits=4,
            ),
            title=f"{counted(len(self.items), 'item')} for people to label",
        )


def pick_items(
    ratings: Any,
    label: object,
    n_labels: int,
    *,
    judge: Any = None,
    people: Any = None,
    gold: Any = None,
    uncertainty: Any = None,
    refusals: Any = (),
    rng: Seed = 0,
) -> Picks:
    """Pick the items that people are to label, with weights that keep the estimate unbiased.

    Use it after `labels_to_buy`. Verdicts on which the judge errs more often are picked more often;
    a tenth of the labels is spread evenly. Give the weights to `corrected_rate` where items were
    picked by `uncertainty`; picked by verdict alone, double sampling needs none.

    Parameters
    ----------
    ratings : Ratings
        Of the judge, and of people if some have labelled already: their items are not picked again.
    label : object
        The label whose rate is wanted.
    n_labels : int
    judge, people, gold, refusals
        As for `corrected_rate`.
    uncertainty : one number per item, optional
        How unsure the judge is, such as the entropy of its probabilities; 0 or more.
    rng : int or numpy.random.Generator, default 0

    Returns
    -------
    Picks

    Examples
    --------
    >>> from consilience import Ratings
    >>> verdicts = ["pass"] * 300 + ["fail"] * 100
    >>> labels = ["pass"] * 8 + ["fail"] * 4 + [None] * 288 + ["fail"] * 10 + [None] * 90
    >>> both = Ratings.from_wide({"gpt-4o": verdicts, "Ann": labels})
    >>> picks = pick_items(both, "pass", 40, judge="gpt-4o")
    >>> len(picks.items), round(sum(picks.weight))
    (40, 376)
    """
    n = whole_number("n_labels", n_labels, least=1)
    table = verdicts_of(ratings, judges=judge, people=people, gold=gold, refusals=refusals)
    sample = table.of_label(label)
    asked = np.flatnonzero(table.asked(0))
    open_ = ~sample.labelled
    if n > int(open_.sum()):
        raise InputError.expected(
            "n_labels", f"at most the {int(open_.sum()):,} items without a label", n, "ask for less"
        )
    size = _sizes(sample, table.ratings, uncertainty, asked)[open_]
    chance = _chances(size, n)
    names = table.ratings.items
    places = asked[open_]
    order = places_in_order([names[int(k)] for k in places])  # whatever the order they came in
    chosen = np.sort(order[_systematic(chance[order], RandomStream.of(rng))])
    places, said = places[chosen], sample.state[open_][chosen]
    return Picks(
        items=tuple(names[int(k)] for k in places),
        probability=tuple(float(p) for p in chance[chosen]),
        weight=tuple(float(1.0 / p) for p in chance[chosen]),
        verdict_of=tuple(_said(int(k), str(label)) for k in said),
    )


def _said(state: int, label: str) -> str:
    return (f"not {label}", label, "refused")[state]


def _sizes(sample: TwoPhase, ratings: Any, uncertainty: Any, asked: Ints) -> Floats:
    """Return how much each item is worth a label: its standard deviation, as far as is known."""
    if sample.n_labels >= 2:
        known = from_pilot(sample)
        size = np.sqrt(known.yes * (1.0 - known.yes))[sample.state]
    else:
        size = np.ones(sample.n_items)
    if uncertainty is None:
        return np.asarray(size)
    own = numbers_per_item(ratings, uncertainty, "uncertainty", gap=0.0)[asked]
    if (own < 0.0).any() or not own.any():
        raise InputError.expected(
            "uncertainty",
            "numbers of 0 or more, not all 0",
            float(own.min()),
            "give, for example, the entropy of the judge's probabilities",
        )
    return np.asarray(own / own.mean())


def _chances(size: Floats, n: int) -> Floats:
    """Return probabilities that add up to n, in proportion to the sizes, none above 1."""
    even = np.full(size.size, n / size.size)
    chance = np.zeros(size.size)
    full = np.zeros(size.size, dtype=np.bool_)
    while True:
        left = n - float(full.sum())
        total = float(size[~full].sum())
        chance = np.where(full, 1.0, size * left / total if total > 0.0 else even)
        above = (chance > 1.0) & ~full
        if not above.any():
            break
        full |= above
    return np.asarray((1.0 - _FLOOR) * chance + _FLOOR * even)


def _systematic(chance: Floats, draw: RandomStream) -> Ints:
    """Draw so many items as the probabilities add up to, each with its own: Madow (1949)."""
    order = draw.permutation(chance.size)
    ends = np.cumsum(chance[order])
    n = round(float(ends[-1]))
    points = draw.random() + np.arange(n)
    places = np.searchsorted(ends * (n / ends[-1]), points, side="right")
    return np.sort(order[np.minimum(places, chance.size - 1)])
