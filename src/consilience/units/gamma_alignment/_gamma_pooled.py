"""Pool gamma's continua: values, their Monte Carlo errors, intervals over sessions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.inference import Interval
from consilience.units.gamma_alignment._gamma_input import Prepared
from consilience.units.gamma_alignment._gamma_results import Alignment, GammaValue, SessionGamma
from consilience.units.gamma_alignment._gamma_run import Chance, Observed
from consilience.units.model._sessions import Draws
from consilience.units.model.units import Units


def values_of(
    units: Units,
    data: Prepared,
    observed: list[Observed],
    chances: list[Chance],
    draws: Draws,
) -> tuple[GammaValue, GammaValue, dict[Any, GammaValue]]:
    """Pool the blocks: kinds are gamma itself, gamma-cat, and gamma-k for each category."""
    mean_units = np.array([len(b.rows) / len(b.raters) for b in data.blocks])
    e_b = np.array([c.disorder.mean() for c in chances])
    error_b = np.array([c.disorder.var(ddof=1) / len(c.disorder) for c in chances])
    count = np.array([c.labels[2] for c in chances])
    with np.errstate(divide="ignore", invalid="ignore"):
        e_bk = np.array([c.labels[0] for c in chances]) / count
        second = np.array([c.labels[1] for c in chances]) / count
        error_bk = np.maximum(second - e_bk**2, 0.0) / np.maximum(count - 1, 1)
    distance = np.array([o.distance for o in observed])
    weight = np.where(np.isfinite(e_bk), np.array([o.weight for o in observed]), 0.0)
    a = np.column_stack([mean_units * [o.disorder for o in observed], distance * (weight > 0)])
    w = np.column_stack([mean_units, weight])
    e = np.column_stack([e_b, np.where(np.isfinite(e_bk), e_bk, 0.0)])
    error = np.column_stack([error_b, np.where(np.isfinite(error_bk), error_bk, 0.0)])
    session = np.unique([b.session for b in data.blocks], return_inverse=True)[1]
    sums = np.zeros((int(session.max()) + 1, 2, a.shape[1]))
    np.add.at(sums, session, np.stack([a, w * e], axis=1))
    intervals = draws.intervals(sums, lambda s: 1.0 - s[:, 0] / s[:, 1], a.shape[1])
    parts = [
        _value(a[:, k], w[:, k], e[:, k], error[:, k], interval=intervals[k], kind=k)
        for k in range(a.shape[1])
    ]
    used = np.unique(np.concatenate([b.continuum.label for b in data.blocks]))
    return parts[0], parts[1], {units.labels[k]: parts[2 + k] for k in used.tolist()}


def _value(
    a: Floats, w: Floats, e: Floats, error: Floats, *, interval: Interval, kind: int
) -> GammaValue:
    total, chance = float(a.sum()), float((w * e).sum())
    weight = float(w.sum())
    reason = None
    if weight == 0:
        reason = "no two units with this label, close to each other, were aligned"
        reason = "no two units close to each other were aligned" if kind == 1 else reason
    elif chance == 0:
        reason = (
            "random continua have no disorder: everything is in the same place and called alike"
        )
        reason = "aligned units never differ in their label by chance" if kind else reason
    value = math.nan if reason else 1.0 - total / chance  # Mathet et al. 2015: gamma
    spread = math.sqrt(float((w**2 * error).sum()))
    return GammaValue(
        value=value,
        observed=total / weight if weight else math.nan,
        expected=chance / weight if weight else math.nan,
        status="undefined" if reason else "ok",
        reason=reason,
        monte_carlo_error=math.nan if reason else total / chance**2 * spread,
        interval=interval,
    )


def sessions_of(
    units: Units, data: Prepared, observed: list[Observed], chances: list[Chance]
) -> tuple[SessionGamma, ...]:
    out = []
    for block, seen, chance in zip(data.blocks, observed, chances, strict=True):
        expected = float(chance.disorder.mean())
        spread = float(chance.disorder.std(ddof=1)) / math.sqrt(len(chance.disorder))
        members = (seen.member >= 0).sum(axis=1)
        out.append(
            SessionGamma(
                session=units.sessions[block.session],
                tier=units.tiers[block.tier],
                value=1.0 - seen.disorder / expected if expected else math.nan,
                observed=seen.disorder,
                expected=expected,
                monte_carlo_error=seen.disorder / expected**2 * spread if expected else math.nan,
                n_samples=len(chance.disorder),
                exact=seen.exact and chance.exact,
                n_units={
                    units.raters[r]: int(n)
                    for r, n in zip(block.raters, np.diff(block.continuum.offset), strict=True)
                },
                n_linked=int(members[members > 1].sum()),
                n_alignments=len(members),
            )
        )
    return tuple(out)


def alignment_of(units: Units, data: Prepared, observed: list[Observed]) -> Alignment:
    tables, costs = [], []
    for block, seen in zip(data.blocks, observed, strict=True):
        table = np.full((len(seen.member), units.n_raters), -1, dtype=np.int64)
        table[:, list(block.raters)] = np.where(seen.member >= 0, block.rows[seen.member], -1)
        tables.append(table)
        costs.append(seen.cost)
    lengths = [len(table) for table in tables]
    return Alignment(
        units=np.concatenate(tables),
        disorder=np.concatenate(costs),
        session=np.repeat([block.session for block in data.blocks], lengths),
        tier=np.repeat([block.tier for block in data.blocks], lengths),
        raters=units.raters,
    )
