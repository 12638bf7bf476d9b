"""Each marker beside the people on the same items: severity, and drift over the run."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.tails import student_below
from consilience.document import Recorded
from consilience.exceptions import InputError
from consilience.inference import Interval, holm, quantile
from consilience.inference.clustered import linearised_error
from consilience.panel._resampled_means import Plan, Value
from consilience.panel.panel_data import Panel
from consilience.ratings.item_codes import per_item

_BATCHES = 5
_FEWEST = 3  # a line through two points has no spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker(Recorded):
    """One rater against the mean of the people (herself left out) on the items both have.

    Attributes
    ----------
    severity : Value
        Mean difference: above 0 gives higher marks than the people.
    drift : Value
        Change of that difference from the start of the run to its end; with documents, its error
        comes from leaving out each document in turn.
    drift_p_value, drift_p_adjusted : float
        Of no drift; the second after Holm over all markers.
    batches : tuple of float
        Mean difference in consecutive parts of the run.
    """

    rater: object
    kind: str
    n_items: int
    severity: Value
    drift: Value
    drift_p_value: float
    drift_p_adjusted: float
    batches: tuple[float, ...]


def markers_of(panel: Panel, plan: Plan, order: Any) -> tuple[Marker, ...]:
    """Measure severity and drift of every rater; nothing where labels are mere names."""
    if panel.points is None:
        return ()
    marks = panel.marks()
    place, batch = _positions(panel, order)
    n_people = len(panel.people)
    known = np.isfinite(marks[:, :n_people])
    total = np.where(known, marks[:, :n_people], 0.0).sum(axis=1)
    count = known.sum(axis=1)
    raw = []
    for k, rater in enumerate(panel.raters):
        own = marks[:, k]
        is_person = k < n_people
        mine = known[:, k] if is_person else np.zeros(len(marks), dtype=bool)
        others = count - mine
        rest = total - np.where(mine, own, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            gap = own - rest / others
        use = np.isfinite(gap)
        kind = "person" if is_person else "system"
        raw.append(_marker(rater, kind, _Run(gap[use], place[use], batch[use], use), plan))
    adjusted = holm([one.drift_p_value for one in raw])
    return tuple(
        replace(one, drift_p_adjusted=float(p)) for one, p in zip(raw, adjusted, strict=True)
    )


@dataclass(frozen=True)
class _Run:
    """A marker's differences from the people, where each lies in the run, and its batch."""

    gap: Floats
    place: Floats
    batch: Any
    used: Any


def _marker(rater: object, kind: str, run: _Run, plan: Plan) -> Marker:
    clusters = None if plan.clusters is None else plan.clusters[run.used]
    gap, place, batch = run.gap, run.place, run.batch
    n = int(gap.size)
    if not n:
        severity = plan.nothing("no item in common with the people")
        drift, p_value = severity, math.nan
    else:
        error, freedom = linearised_error(gap, clusters)
        severity = _value(float(gap.mean()), error, freedom, plan.level)
        drift, p_value = _drift(gap, place, clusters, plan.level)
    batches = tuple(
        float(gap[batch == b].mean()) if (batch == b).any() else math.nan
        for b in range(int(batch.max(initial=-1)) + 1)
    )
    return Marker(
        rater=rater,
        kind=kind,
        n_items=n,
        severity=severity,
        drift=drift,
        drift_p_value=p_value,
        drift_p_adjusted=math.nan,
        batches=batches,
    )


def _value(value: float, error: float, freedom: float, level: float) -> Value:
    reach = quantile(0.5 + level / 2.0, freedom) * error if freedom > 0 else math.nan
    interval = Interval(value - reach, value + reach, level, "t")
    return Value(value=value, standard_error=error, interval=interval)


def _drift(gap: Floats, place: Floats, clusters: Any, level: float) -> tuple[Value, float]:
    """Return the slope of a straight line over the run, and the p-value of no slope."""

    x = place - place.mean()
    square = float(x @ x)
    n = gap.size
    if n < _FEWEST or square <= 0.0:
        return _no_drift("needs at least three items at different times", level)
    slope = float(x @ gap) / square
    if clusters is None:
        left = gap - gap.mean() - slope * x
        error, freedom = math.sqrt(float(left @ left) / (n - 2) / square), n - 2.0
    else:
        error, freedom = _error_over_documents(gap, x, clusters)
        if math.isnan(error):
            reason = "needs at least three documents at different times"
            return _no_drift(reason, level, slope)
    if error <= 1e-12 * max(1.0, abs(slope)):
        p_value = 1.0 if abs(slope) <= 1e-12 else 0.0
    else:
        p_value = 2.0 * student_below(-abs(slope / error), freedom)
    return _value(slope, error, freedom, level), p_value


def _no_drift(reason: str, level: float, slope: float = math.nan) -> tuple[Value, float]:
    nothing = Interval(math.nan, math.nan, level, "t")
    value = Value(value=slope, standard_error=math.nan, interval=nothing, reason=reason)
    return value, math.nan


def _error_over_documents(gap: Floats, x: Floats, clusters: Any) -> tuple[float, float]:
    """Return the error of a slope by leaving out each document, and its degrees of freedom.

    The jackknife over clusters (CV3): with few documents, or documents of very different size, it
    keeps the level where sums of residuals by document reject far too often. `x` is centred.
    """
    _, document = np.unique(clusters, return_inverse=True)
    n_documents = int(document.max()) + 1
    if n_documents < _FEWEST:
        return math.nan, 0.0
    own = [np.bincount(document, weights=w) for w in (np.ones_like(x), x, gap, x * x, x * gap)]
    n, sx, sy, sxx, sxy = (part.sum() - part for part in own)
    spread = sxx - sx * sx / n
    if spread.min() <= 1e-12 * float(x @ x):  # all spread in time lies in one document
        return math.nan, 0.0
    slopes = (sxy - sx * sy / n) / spread
    whole = float(x @ gap) / float(x @ x)
    share = (n_documents - 1.0) / n_documents
    return math.sqrt(share * float(((slopes - whole) ** 2).sum())), n_documents - 1.0


def _positions(panel: Panel, order: Any) -> tuple[Floats, Any]:
    """Return the place of each item in the run from 0 to 1, and the batch it belongs to."""
    n = panel.ratings.n_items
    if order is None:
        rank = np.arange(n, dtype=np.float64)
    else:
        rank = _ranks(per_item(panel.ratings, order, "order"))
    place = rank / max(float(np.nanmax(rank)), 1.0)
    steps = np.unique(rank)
    if order is not None and steps.size <= 12:  # batches that were named
        return place, np.searchsorted(steps, rank)
    return place, np.minimum((place * _BATCHES).astype(np.int64), _BATCHES - 1)


def _ranks(values: list[object]) -> Floats:
    """Rank times or batches: numbers as numbers, all else as text (ISO dates sort rightly)."""
    if any(value is None for value in values):
        raise InputError.expected(
            "order",
            "given for every item",
            f"none for {sum(value is None for value in values):,} items",
            "name the time or batch of each item",
        )
    try:
        keys: Any = np.array([float(value) for value in values])  # type: ignore[arg-type]
    except (TypeError, ValueError):
        keys = np.array([str(value) for value in values])
    return np.unique(keys, return_inverse=True)[1].astype(np.float64)
