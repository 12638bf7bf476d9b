"""Krippendorff's alphas for unitizing continua (2016): u, binary, cu and (k)u.

References
----------
.. [1] Krippendorff, K., Mathet, Y., Bouvry, S., & Widlöcher, A. (2016). On the reliability of
   unitizing textual continua: further developments. Quality & Quantity 50(6), 2347–2364.
   doi:10.1007/s11135-015-0266-1
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.resample import Seed
from consilience.distances import get_distance
from consilience.inference import Interval
from consilience.units.gamma_alignment._dissimilarity import label_space
from consilience.units.model._sessions import Draws, no_interval
from consilience.units.model._unit_results import unit_counts
from consilience.units.model.asked import ABSENT
from consilience.units.model.unit_checks import check_positive, check_word
from consilience.units.model.units import Units
from consilience.units.unitizing._unitizing_input import (
    Record,
    Records,
    Sums,
    added,
    records,
    sums_of,
)
from consilience.units.unitizing._unitizing_results import UnitizingAlpha, UnitizingValue


def unitizing_alpha(
    units: Units,
    *,
    distance: Any = "nominal",
    categories: Sequence[Any] | None = None,
    unit_length: float = 1,
    absent: Literal["asked", "drop", "count"] = "asked",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> UnitizingAlpha:
    """Krippendorff's u-alpha, |u-alpha, cu-alpha and (k)u-alpha for units on a continuum.

    Use it when raters cut a continuum into labelled units and gaps, and every stretch of it counts
    by its length. Prefer `gamma` when a rater's units overlap or when units count as wholes.

    Parameters
    ----------
    units : Units
        Units of one rater must not overlap within a tier.
    distance : str, Distance or callable, default "nominal"
        The metric of labels in cu-alpha; "ordinal" takes the lengths as frequencies.
    categories : list, optional
        The labels in order, for metrics that need one.
    unit_length : number
        What counts as one: 100 for tenths of a second when times are in ms. The values depend on
        it because gaps enter the expected coincidences by length and units by squared length.
    absent : {"asked", "drop", "count"}
        A rater without a unit in a session counts as having marked nothing if she was asked
        there (`Units.asked`) and is left out if that is not known; is left out; or counts.
    confidence_level, n_resamples, rng
        For the interval over sessions, of which it needs eight; the last two for a bootstrap.

    Returns
    -------
    UnitizingAlpha
        `u` counts units, gaps and labels, `binary` units against gaps, `cu` labels where units of
        two raters intersect, `by_category` one label against the others there. Each has a
        `coverage`: the share of all lengths that it speaks of.

    Raises
    ------
    InputError
        Units of one rater overlap; an unknown word.
    UnsupportedDesignError
        Fewer than two raters, or no unit.

    Notes
    -----
    With ℓ_ck the length of intersections of value c with value k of another rater, over m − 1,
    gaps being value 0, and ℓ = Σ ℓ_c the total length of all records:

    expected  ε_ck = ℓ (ℓ_c ℓ_k − [c = k] S_c)/(ℓ² − Σ S), S_c summed squared lengths of units and
    plain lengths of gaps; u-alpha = 1 − (ℓ − Σ ℓ_cc)/(ℓ − Σ ε_cc); |u-alpha compares ℓ_0 − ℓ_00
    with its expectation; cu-alpha and (k)u-alpha use only intersections of units with units.

    Several sessions are laid end to end: lengths of coincidences add up, and chance may pair any
    two of them. Whole times are summed exactly.

    References
    ----------
    .. [1] Krippendorff, K., Mathet, Y., Bouvry, S., & Widlöcher, A. (2016). On the reliability of
       unitizing textual continua: further developments. Quality & Quantity 50(6), 2347–2364.
       doi:10.1007/s11135-015-0266-1

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("Alex", 1, 2, 5), ("Alex", 1, 9, 11), ("Alex", 2, 12, 20), ("Paul", 1, 2, 5),
    ...     ("Paul", 2, 7, 15), ("Susan", 1, 2, 5), ("Susan", 2, 10, 15)], bounds=(0, 20))
    >>> found = unitizing_alpha(units)
    >>> round(found.u.value, 5), round(found.binary.value, 5), round(found.cu.value, 5)
    (0.47391, 0.43281, 0.77888)
    """
    check_word("absent", absent, ABSENT)
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    step = check_positive(unit_length, "unit_length")
    data = records(units, "unitizing alpha", absent=absent, within_label=False)
    space = label_space(units.labels, categories)
    metric = get_distance("nominal" if distance is None else distance, scale="nominal")
    nominal = metric.name == "nominal"
    sums = [
        sums_of(_counted(block, step), len(units.labels), all_pairs=not nominal)
        for block in data.blocks
    ]
    pooled = added(sums)
    d_kl = None if nominal else _metric(metric, space, units.labels, pooled)
    values = _family(pooled, d_kl)
    intervals = _intervals(data, sums, d_kl, draws)
    parts = [replace(v, interval=i) for v, i in zip(values, intervals, strict=True)]
    used = np.unique(units.label).tolist()
    time_unit = units.time_unit if step == 1 else f"{step:g} {units.time_unit}"
    return UnitizingAlpha(
        u=parts[0],
        binary=parts[1],
        cu=parts[2],
        by_category={units.labels[k]: parts[3 + k] for k in used},
        sessions=tuple(
            _session(units, block, part, d_kl)
            for block, part in zip(data.blocks, sums, strict=True)
        ),
        parameters={
            "distance": metric.name,
            "unit_length": step,
            "time_unit": _unit_words(time_unit),
            "absent": absent,
            "pooling": "sessions are laid end to end",
            "bounds": sorted(set(units.bounds_from)),
        },
        dropped=data.dropped,
        units_by_session=unit_counts(units, dropped=data.dropped),
        n_units=units.n_units,
        n_raters=units.n_raters,
        findings=data.findings,
        seed=draws.seed,
    )


def _unit_words(time_unit: str) -> str:
    return time_unit.replace("unknown", "the time unit of the data")


def _counted(block: Record, step: float) -> Record:
    """Express times in the unit that counts as one, from the beginning of the continuum."""
    if step == 1:
        return block
    return replace(
        block,
        start=tuple(np.asarray(x - block.low, float) / step for x in block.start),
        end=tuple(np.asarray(x - block.low, float) / step for x in block.end),
        low=0.0,
        high=float(block.high - block.low) / step,
    )


def _metric(metric: Any, space: Any, labels: tuple[Any, ...], pooled: Sums) -> Floats:
    place = [space.labels.index(label) for label in labels]
    counts = np.zeros(len(space.labels))
    counts[place] = pooled.valued_total.astype(float)
    d_kl = np.asarray(metric.matrix(space, counts), dtype=np.float64)
    return d_kl[np.ix_(place, place)]


# --- the formulas ---------------------------------------------------------------------------------


def _family(sums: Sums, d_kl: Floats | None) -> list[UnitizingValue]:
    """Return u, binary, cu and every (k)u of sums over continua."""
    cu = _cu(sums) if d_kl is None else _cu_metric(sums, d_kl)
    size = len(sums.valued_total)
    return [_u(sums), _binary(sums), cu, *(_k(sums, k) for k in range(size))]


def _u(s: Sums) -> UnitizingValue:
    """u-alpha = 1 − (ℓ − Σ ℓ_cc)/(ℓ − Σ ε_cc), gaps among the values (Krippendorff et al. 2016)."""
    all_length = s.total.sum()
    denominator = all_length**2 - s.squares.sum()
    if denominator == 0:
        return _value(0, 0, 1.0, "the continuum has no length, or one unit fills every record")
    chance = all_length * (s.total**2 - s.squares).sum() / _exact(denominator)
    reason = "all records hold one and the same value throughout"
    return _value(all_length - s.same.sum(), all_length - chance, 1.0, reason)


def _binary(s: Sums) -> UnitizingValue:
    """|u-alpha = 1 − (ℓ_0 − ℓ_00)/(Σ ε_0k − ε_00): unit or gap (Krippendorff et al. 2016)."""
    all_length = s.total.sum()
    denominator = all_length**2 - s.squares.sum()
    gaps = s.total[0]
    if gaps == 0 or denominator == 0:
        return _value(0, 0, 1.0, "there is no gap between units anywhere")
    chance = all_length * gaps * (all_length - gaps) / _exact(denominator)
    return _value(gaps - s.same[0], chance, 1.0, "there are only gaps")


def _cu(s: Sums) -> UnitizingValue:
    """Nominal cu-alpha: labels, where units of two raters intersect (Krippendorff et al. 2016)."""
    length = s.valued_total.sum()
    coverage = _coverage(length, s.total.sum())
    if length == 0:
        return _value(0, 0, coverage, "units of different raters do not intersect")
    denominator = length - s.valued_squares.sum() / _exact(length)
    cross = length**2 - (s.valued_total**2).sum()
    if cross == 0 or denominator == 0:
        return _value(0, 0, coverage, "only one category was used where units intersect")
    chance = cross / _exact(denominator)
    return _value(length - s.valued_same.sum(), chance, coverage, "")


def _cu_metric(s: Sums, d_kl: Floats) -> UnitizingValue:
    """cu-alpha = 1 − Σ δ_ck l_ck / Σ δ_ck e_ck with a metric δ (Krippendorff et al. 2016)."""
    total = s.valued_total.astype(float)
    length = float(total.sum())
    coverage = _coverage(length, s.total.sum())
    if length == 0:
        return _value(0, 0, coverage, "units of different raters do not intersect")
    denominator = length - float(s.valued_squares.sum()) / length
    cross = float(total @ d_kl @ total)
    if cross == 0 or denominator == 0:
        return _value(0, 0, coverage, "only one category was used where units intersect")
    return _value(float((d_kl * s.pairs).sum()), cross / denominator, coverage, "")


def _k(s: Sums, k: int) -> UnitizingValue:
    """(k)u-alpha = 1 − (e_k/l_k)(l_k − l_kk)/(e_k − e_kk) (Krippendorff et al. 2016)."""
    length, own = s.valued_total.sum(), s.valued_total[k]
    coverage = _coverage(own, s.total[1 + k])
    if own == 0:
        return _value(0, 0, coverage, "no unit with this label intersects another rater's unit")
    denominator = length - s.valued_squares.sum() / _exact(length)
    if denominator == 0 or own == length:
        return _value(0, 0, coverage, "only one category was used where units intersect")
    e_k = (own * length - s.valued_squares[k]) / _exact(denominator)
    e_other = own * (length - own) / _exact(denominator)
    if e_k == 0:
        return _value(0, 0, coverage, "the label occurs in one intersection only")
    observed = (own - s.valued_same[k]) / _exact(own)
    return _value(observed, e_other / _exact(e_k), coverage, "")


def _exact(number: Any) -> Any:
    """Return a number to divide by; whole numbers as a fraction, so that nothing is rounded."""
    from fractions import Fraction

    return Fraction(number) if isinstance(number, int | Fraction) else number


def _coverage(part: Any, whole: Any) -> float:
    return float(part / _exact(whole)) if whole else math.nan


def _value(observed: Any, expected: Any, coverage: float, reason: str) -> UnitizingValue:
    undefined = expected == 0
    return UnitizingValue(
        value=math.nan if undefined else float(1 - observed / _exact(expected)),
        observed=math.nan if undefined else float(observed),
        expected=math.nan if undefined else float(expected),
        coverage=coverage,
        status="undefined" if undefined else "ok",
        reason=reason if undefined else None,
        interval=no_interval(1, 0.95),
    )


# --- sessions -------------------------------------------------------------------------------------


def _session(units: Units, block: Record, part: Sums, d_kl: Floats | None) -> dict[str, Any]:
    values = _family(added([part]), d_kl)
    return {
        "session": units.sessions[block.session],
        "tier": units.tiers[block.tier],
        "length": float(block.length),
        "n_units": {
            units.raters[r]: len(start) for r, start in zip(block.raters, block.start, strict=True)
        },
        "u_alpha": values[0].value,
        "binary_u_alpha": values[1].value,
        "cu_alpha": values[2].value,
        "coverage": values[2].coverage,
    }


def _intervals(
    data: Records, sums: list[Sums], d_kl: Floats | None, draws: Draws
) -> list[Interval]:
    """Resample sessions; a metric that depends on the data is held fixed."""
    size = len(sums[0].valued_total)
    session = np.unique([block.session for block in data.blocks], return_inverse=True)[1]
    rows = np.stack([_flat(part, d_kl) for part in sums])
    parts = np.zeros((int(session.max()) + 1, rows.shape[1]))
    np.add.at(parts, session, rows)
    return draws.intervals(parts, lambda s: _replicated(s, size, d_kl), 3 + size)


def _flat(s: Sums, d_kl: Floats | None) -> Floats:
    """Return what one continuum adds as one row of floats."""
    metric = 0.0 if d_kl is None else float((d_kl * s.pairs).sum()) / s.scale
    row = [s.same / s.scale, s.total, s.squares, s.valued_total / s.scale]
    row += [s.valued_squares / s.scale, [metric]]
    return np.concatenate([np.asarray(x, dtype=object) for x in row]).astype(np.float64)


def _replicated(s: Floats, size: int, d_kl: Floats | None) -> Floats:
    """The formulas once more, for many sums at a time."""
    cuts = np.cumsum([size + 1, size + 1, size + 1, size, size])
    same, total, squares, valued, q, metric = np.split(s, cuts, axis=1)
    whole = total.sum(1)
    free = whole**2 - squares.sum(1)
    u = 1 - (whole - same.sum(1)) / (whole - whole * (total**2 - squares).sum(1) / free)
    gaps = total[:, 0]
    binary = 1 - (gaps - same[:, 0]) / (whole * gaps * (whole - gaps) / free)
    length = valued.sum(1)
    free = length - q.sum(1) / length
    if d_kl is None:
        observed, cross = length - same[:, 1:].sum(1), length**2 - (valued**2).sum(1)
    else:
        observed, cross = metric[:, 0], np.einsum("bk,kl,bl->b", valued, d_kl, valued)
    cu = 1 - observed / (cross / free)
    ratio = (valued * length[:, None] - q) / (valued * (length[:, None] - valued))
    k = 1 - ratio * (valued - same[:, 1:]) / valued
    return np.column_stack([u, binary, cu, k])
