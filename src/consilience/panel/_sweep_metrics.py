"""Every number by which settings are held against people, and how far the numbers agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from consilience import magnitudes
from consilience.coefficients import estimate, registry
from consilience.core.arrays import Floats, Ints
from consilience.core.registry import folded
from consilience.core.words import enumerated, p_text
from consilience.document import Table
from consilience.document.records import Recorded
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.panel._measures import Measure, Value
from consilience.panel._panel import Panel
from consilience.panel.markers import Differences
from consilience.ratings import Ratings

# ---- Every number by which one setting of a system can be held against people.
#
# Haley et al. (2008) go through them one after the other: shares of marks that differ by 0, 1, 2, 3
# and 4 points, precision and recall, correlations, the t-test, Wilcoxon's test, effect sizes,
# distances, kappa and AC1. Here they stand side by side, each with its name and its better end.

LARGEST_GAP = 4  # points of difference that have a share of their own
Best = Literal["large", "small", "zero"]


@dataclass(frozen=True)
class Metric:
    """A number by which settings are compared.

    Attributes
    ----------
    head : str
        Its name where there is little room.
    best : {"large", "small", "zero"}
        Which end is better; a test statistic is best near 0.
    overall : bool
        Whether it says something about the whole; a share of marks off by one point does not.
    """

    key: str
    title: str
    head: str
    group: str
    best: Best = "large"
    aliases: tuple[str, ...] = ()
    overall: bool = True

    @property
    def smaller_is_better(self) -> bool:
        """Whether less of it is better."""
        return self.best != "large"

    def order(self, value: float) -> float:
        """Return what settings are sorted by: smaller is better."""
        return {"large": -value, "small": value, "zero": abs(value)}[self.best]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricValue(Recorded):
    """A metric of one setting, the mean over people; interval and p-value where there is one."""

    value: float
    low: float = math.nan
    high: float = math.nan
    p_value: float = math.nan


def share_key(gap: int) -> str:
    """Return the key of the share of marks that are off by so many points."""
    return f"share_{gap}" if gap else "identical"


SHARES = tuple(
    Metric(
        share_key(gap),
        f"share off by {gap}" if gap else "share identical",
        f"±{gap}" if gap else "same",
        "shares",
        "small" if gap else "large",
        (f"off_by_{gap}", f"differ_by_{gap}")
        if gap
        else ("share_0", "same", "simple_metric", "sm", "equal_scores", "exact_agreement"),
        overall=gap == 0,
    )
    for gap in range(LARGEST_GAP + 1)
)
DISTANCES = (
    Metric("l1", "Manhattan distance (L1)", "L1", "shares", "small",
           ("manhattan", "manhattan_distance", "city_block", "sum_of_differences")),
    Metric("l2", "Euclidean distance (L2)", "L2", "shares", "small",
           ("euclidean", "euclidean_distance", "vector_distance")),
    Metric("mean_absolute_difference", "mean absolute difference", "L1/item", "shares", "small",
           ("l1_per_item", "mae", "mean_absolute_error"), overall=False),
    Metric("root_mean_square_difference", "root mean square difference", "L2/item", "shares",
           "small", ("l2_per_item", "rmse", "root_mean_square_error"), overall=False),
)  # fmt: skip
CORRELATIONS = (
    Metric("tau_b", "Kendall's tau-b", "tau-b", "correlations", aliases=("tau", "kendall_tau")),
    Metric("tau_c", "Kendall's tau-c", "tau-c", "correlations", aliases=("stuart_tau_c",)),
    Metric("rho", "Spearman's rho", "rho", "correlations", aliases=("spearman", "r_s")),
    Metric("r", "Pearson's r", "r", "correlations", aliases=("pearson", "correlation")),
)
TESTS = (
    Metric("mean_difference", "mean difference", "mean diff.", "tests", "zero",
           ("severity", "leniency"), overall=False),
    Metric("t", "paired t", "t", "tests", "zero", ("t_test", "paired_t", "student")),
    Metric("wilcoxon", "p of Wilcoxon's test", "Wilcoxon p", "tests", "large",
           ("wilcoxon_p", "signed_rank", "wilcoxon_signed_rank")),
    Metric("effect_size", "effect size", "effect size", "tests", "zero",
           ("d_av", "cohen_d", "d", "effect")),
)  # fmt: skip
LABELS = (
    Metric("precision", "precision (mean over labels)", "precision", "labels",
           aliases=("macro_precision",)),
    Metric("recall", "recall (mean over labels)", "recall", "labels", aliases=("macro_recall",)),
    Metric("f", "F (mean over labels)", "F", "labels", aliases=("f1", "f_measure", "macro_f1")),
    Metric("gwet_ac:nominal", "Gwet's AC1", "AC1", "labels", aliases=("ac1",)),
    Metric("cohen_kappa:nominal", "Cohen's kappa", "kappa", "labels",
           aliases=("nominal_kappa", "unweighted_kappa")),
)  # fmt: skip


def metrics_for(measures: Sequence[Measure], *, marks: bool, people: bool) -> tuple[Metric, ...]:
    """Return the metrics that exist: of marks or mere names, of ratings or of counts alone."""
    own = tuple(
        Metric(one.key, one.title, _head(one.title), "measures", "small" if one.smaller_is_better
               else "large", overall=not one.key.startswith("within_"))
        for one in measures
        if all(one.key != other.key for other in (*SHARES, *DISTANCES, *LABELS))
    )  # fmt: skip
    shares = (*SHARES, *DISTANCES) if marks else SHARES[:1]
    if not people:
        return (*shares, *own)
    return (*shares, *(CORRELATIONS + TESTS if marks else ()), *LABELS, *own)


def _head(title: str) -> str:
    """Shorten a title: the author and the word weighted are said elsewhere."""
    return title.removeprefix("weighted ").rpartition("'s ")[2]


def metric_named(metrics: Sequence[Metric], word: str) -> Metric:
    """Return the metric that a word names: by its key, its title or any other name."""
    wanted = folded(word)
    tests: tuple[Callable[[Metric], bool], ...] = (
        lambda one: word == one.key,
        lambda one: word == one.key.partition(":")[0] and one.group == "measures",
        lambda one: wanted in map(folded, (one.key, one.title, one.head, *one.aliases)),
        lambda one: _coefficient(word) == one.key.partition(":")[0],
    )
    for is_meant in tests:
        found = [one for one in metrics if is_meant(one)]
        if found:
            return found[0]
    known = [name for one in metrics for name in (one.key, *one.aliases)]
    raise InputError.unknown_word("sort_by", word, known)


def _coefficient(word: str) -> str | None:
    """Return the coefficient that a word names, if it names one."""
    return registry.find(word)


# ---- values


def metrics_of_row(
    panel: Panel, system: object, values: dict[str, Value], pooled: Differences | None
) -> dict[str, MetricValue]:
    """Return every metric of one setting."""
    found = {} if pooled is None else from_differences(pooled)
    if panel.points is not None:
        found |= _mean_over([_of_marks(panel, person, system) for person in panel.people])
    found |= _mean_over([_of_labels(panel, person, system) for person in panel.people])
    return found | from_values(values)


def from_values(values: dict[str, Value]) -> dict[str, MetricValue]:
    """Return measures, which carry an interval, as metrics."""
    return {
        key: MetricValue(value=one.value, low=one.interval.low, high=one.interval.high)
        for key, one in values.items()
    }


def from_differences(pooled: Differences) -> dict[str, MetricValue]:
    """Return what the distribution of differences alone tells."""
    shares = {
        share_key(gap): pooled.within(gap) - (pooled.within(gap - 1) if gap else 0.0)
        for gap in range(LARGEST_GAP + 1)
    }
    numbers = {
        **shares,
        "l1": pooled.manhattan,
        "l2": pooled.euclidean,
        "mean_absolute_difference": pooled.mean_absolute,
        "root_mean_square_difference": pooled.root_mean_square,
    }
    return {key: MetricValue(value=number) for key, number in numbers.items()}


def _mean_over(each: list[dict[str, MetricValue]]) -> dict[str, MetricValue]:
    """Average over people; one person alone keeps the interval and the p-value."""
    if len(each) == 1:
        return each[0]
    return {
        key: MetricValue(value=float(np.mean([one[key].value for one in each]))) for key in each[0]
    }


def _of_marks(panel: Panel, person: object, system: object) -> dict[str, MetricValue]:
    marks = panel.marks()
    x, y = marks[:, panel.column(person)], marks[:, panel.column(system)]
    both = np.isfinite(x) & np.isfinite(y)
    if both.sum() < 2:
        keys = (one.key for one in (*CORRELATIONS, *TESTS))
        return {key: MetricValue(value=math.nan) for key in keys}
    x, y = x[both], y[both]
    found = {
        "tau_b": _magnitude(magnitudes.kendall_tau(x, y, variant="b")),
        "tau_c": _magnitude(magnitudes.kendall_tau(x, y, variant="c")),
        "rho": _magnitude(magnitudes.spearman(x, y)),
        "r": _magnitude(magnitudes.pearson(x, y)),
    }
    return found | _tests(y, x)


def _magnitude(one: Any) -> MetricValue:
    low, high = one.confidence_interval()
    return MetricValue(value=one.value, low=low, high=high, p_value=one.p_value)


def _tests(system: Floats, person: Floats) -> dict[str, MetricValue]:
    """Return mean difference, t, Wilcoxon and effect size of system minus person."""
    gap = magnitudes.paired_differences(system, person)
    if gap.status != "ok":
        return {one.key: MetricValue(value=math.nan) for one in TESTS}
    size = gap.d_av_interval()
    t = gap.statistic if gap.sd > 0.0 else (0.0 if gap.value == 0.0 else math.nan)
    return {
        "mean_difference": _magnitude(gap),
        "t": MetricValue(value=t, p_value=gap.p_value),
        "wilcoxon": MetricValue(value=gap.wilcoxon_p, p_value=gap.wilcoxon_p),
        "effect_size": MetricValue(value=gap.d_av, low=size.low, high=size.high),
    }


def _of_labels(panel: Panel, person: object, system: object) -> dict[str, MetricValue]:
    first, second = (panel.codes[:, panel.column(one)] for one in (person, system))
    both = (first >= 0) & (second >= 0)
    precision, recall, f = _scores(first[both], second[both])
    found = {"precision": precision, "recall": recall, "f": f}
    two = panel.select([person, system])
    for key in ("gwet_ac:nominal", "cohen_kappa:nominal"):
        found[key] = _nominal(key.partition(":")[0], two)
    return {key: MetricValue(value=number) for key, number in found.items()}


def _nominal(name: str, two: Any) -> float:
    try:
        return estimate(registry[name], (two,), distance="nominal", on_undefined="ignore").value
    except UnsupportedDesignError:
        return math.nan


def _scores(truth: Ints, said: Ints) -> tuple[float, float, float]:
    """Return precision, recall and F, each the mean over the labels that somebody gave."""
    used = np.union1d(truth, said)
    if not used.size:
        return math.nan, math.nan, math.nan
    hits = np.array([float(((truth == k) & (said == k)).sum()) for k in used])
    answers = np.array([float((said == k).sum()) for k in used])
    there = np.array([float((truth == k).sum()) for k in used])
    # A label that one side never gave has no hits: precision or recall of 0, not none.
    precision = hits / np.maximum(answers, 1.0)
    recall = hits / np.maximum(there, 1.0)
    f = 2.0 * hits / (answers + there)
    return float(precision.mean()), float(recall.mean()), float(f.mean())


# ---- Settings ranked by every metric, and how far the metrics agree on the order.


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAgreement(Recorded):
    """How far one metric orders the settings as the others do.

    Attributes
    ----------
    best : tuple
        The setting, or settings, in first place.
    tau : float
        Kendall's tau-b of its order with that of the metric that the rows are sorted by.
    mean_tau : float
        The mean over all other metrics.
    """

    metric: str
    best: tuple[object, ...]
    tau: float
    mean_tau: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rankings(Recorded):
    """Ranks of the settings by every metric.

    Attributes
    ----------
    ranks : dict
        Metric to setting to rank; 1 is best, equal values share the mean of their ranks.
    kendall_w, kendall_w_p : float
        Concordance of all metrics that speak about the whole, and its p-value.
    tau : dict
        Metric to metric to tau-b of their orders.
    agreement : tuple of MetricAgreement
    """

    sort_by: str
    ranks: dict[str, dict[object, float]]
    kendall_w: float
    kendall_w_p: float
    tau: dict[str, dict[str, float]]
    agreement: tuple[MetricAgreement, ...]


def rankings(
    metrics: Sequence[Metric],
    settings: Sequence[object],
    values: Sequence[Mapping[str, MetricValue]],
    sort_by: str,
) -> Rankings | None:
    """Rank the settings by every metric that tells them apart; None for fewer than two."""
    ranks: dict[str, Floats] = {}
    for one in metrics:
        numbers = [found[one.key].value if one.key in found else math.nan for found in values]
        order = np.array([one.order(number) for number in numbers])
        if len(settings) > 1 and np.isfinite(order).all() and np.ptp(order) > 0.0:
            ranks[one.key] = _mid_ranks(np.round(order, 12))
    if not ranks:
        return None
    overall = [one.key for one in metrics if one.overall and one.key in ranks]
    w, p_value = _concordance([ranks[key] for key in overall])
    tau = {a: {b: 1.0 if a == b else _tau(ranks[a], ranks[b]) for b in overall} for a in overall}
    return Rankings(
        sort_by=sort_by,
        ranks={
            key: dict(zip(settings, places.tolist(), strict=True)) for key, places in ranks.items()
        },
        kendall_w=w,
        kendall_w_p=p_value,
        tau=tau,
        agreement=tuple(
            MetricAgreement(
                metric=key,
                best=tuple(
                    setting
                    for setting, place in zip(settings, ranks[key], strict=True)
                    if place == ranks[key].min()
                ),
                tau=_tau(ranks[key], ranks[sort_by]) if sort_by in ranks else math.nan,
                mean_tau=_mean_of_others(tau[key], key),
            )
            for key in overall
        ),
    )


def _mean_of_others(row: Mapping[str, float], key: str) -> float:
    others = [value for other, value in row.items() if other != key]
    return float(np.mean(others)) if others else math.nan


def _mid_ranks(order: Floats) -> Floats:
    _, place, times = np.unique(order, return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    return np.asarray((last - (times - 1.0) / 2.0)[place])


def _tau(first: Floats, second: Floats) -> float:
    return float(magnitudes.kendall_tau(first, second, variant="b").value)


def _concordance(ranks: list[Floats]) -> tuple[float, float]:
    if len(ranks) < 2:
        return math.nan, math.nan
    found = magnitudes.kendall_w(Ratings.from_wide(np.column_stack(ranks), scale="interval"))
    return found.value, found.p_value


# ---- shown


def ranking_sentence(found: Rankings | None, n_settings: int) -> str:
    """Say how far the metrics agree on the order."""
    return "" if found is None or len(found.agreement) < 2 else _said(found, n_settings)


def ranking_tables(found: Rankings | None, metrics: Sequence[Metric]) -> list[Table]:
    """Return the ranks side by side and how far each metric agrees with the others."""
    if found is None or len(found.agreement) < 2:
        return []
    named = {one.key: one for one in metrics}
    overall = [one.metric for one in found.agreement]
    ranks = Table.of(
        next(iter(found.ranks.values())),
        ("setting", str),
        (
            [named[key].head for key in overall],
            lambda setting: [f"{found.ranks[key][setting]:g}" for key in overall],
        ),
        caption="Ranks of the settings by every metric, 1 is best",
    )
    agree = Table.of(
        found.agreement,
        ("metric", lambda one: named[one.metric].title),
        ("best setting", "best", _listed),
        "tau",
        "mean tau",
        caption="How far the metrics agree on the order",
        note=f"tau: with the order by {_order(found, named)}; mean tau: with all other metrics.",
    )
    return [ranks, agree]


def _order(found: Rankings, named: Mapping[str, Metric]) -> str:
    return named[found.sort_by].title if found.sort_by in named else "the order shown"


def _listed(settings: tuple[object, ...]) -> str:
    return ", ".join(map(str, settings[:3])) + (" …" if len(settings) > 3 else "")


def _said(found: Rankings, n_settings: int) -> str:
    votes: dict[object, int] = {}
    for one in found.agreement:
        for setting in one.best:
            votes[setting] = votes.get(setting, 0) + 1
    most = max(votes.values())
    winners = [str(setting) for setting, n in votes.items() if n == most]
    n = len(found.agreement)
    best = f"{winners[0]} is best by {most} of them."
    if len(winners) > 1:
        best = f"They do not agree which is best: {enumerated(winners)}, each by {most} of them."
    return (
        f"{n} metrics rank {n_settings} settings: Kendall's W is {found.kendall_w:.3f} "
        f"(p {p_text(found.kendall_w_p)}; 1 would be the same order by all). {best}"
    )
