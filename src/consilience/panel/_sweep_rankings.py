"""Settings ranked by every metric, and how far the metrics agree on the order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from consilience import magnitudes
from consilience.core.arrays import Floats
from consilience.core.words import enumerated, p_text
from consilience.document import Recorded, Table
from consilience.panel._sweep_metrics import Metric, MetricValue
from consilience.ratings import Ratings


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


# -------------------------------------------------------------------- shown


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
