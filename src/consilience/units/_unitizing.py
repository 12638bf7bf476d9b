"""Krippendorff's alphas for unitizing continua (2016): u, binary, cu and (k)u.

References
----------
.. [1] Krippendorff, K., Mathet, Y., Bouvry, S., & Widlöcher, A. (2016). On the reliability of
   unitizing textual continua: further developments. Quality & Quantity 50(6), 2347–2364.
   doi:10.1007/s11135-015-0266-1
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np

from consilience.core.arguments import check_word
from consilience.core.arrays import Floats, Ints
from consilience.core.draws import Seed
from consilience.core.words import interval_head, sentence
from consilience.distances import get_distance
from consilience.document import Document, Finding, Paragraph, Table
from consilience.document.blocks import found
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.units._best_alignment import label_space
from consilience.units._columns import expand
from consilience.units._unit_results import (
    DisagreementRatio,
    Draws,
    LedBySessions,
    OfContinua,
    no_interval,
    said_units,
)
from consilience.units.checks import (
    ComparedBlocks,
    check_label_count,
    check_positive,
    compared_blocks,
)
from consilience.units.model import ABSENT, Units, refuse_own_overlaps

# ---- continua, and their coincidences
# Units of a rater do not overlap, and everything lies inside the bounds. All sums are over
# elementary stretches (between two neighbouring boundaries of any rater), so the cost grows with
# the number of units and not with the length of the continuum. Whole times give whole sums,
# exactly.

_SAFE = 2**62
Times = Any  # int64 where every time is whole, else float64


@dataclass(frozen=True)
class Record:
    """One tier of one session: sorted units of each rater, without points."""

    session: int
    tier: int
    raters: tuple[int, ...]
    start: tuple[Times, ...]  # per rater
    end: tuple[Times, ...]
    label: tuple[Ints, ...]
    low: Any
    high: Any

    @property
    def length(self) -> Any:
        """The length of the continuum."""
        return self.high - self.low


Records = tuple[ComparedBlocks, list[Record]]


def records(units: Units, what: str, *, absent: str, within_label: bool) -> Records:
    """Return the continua; overlapping units of one rater are refused.

    Parameters
    ----------
    within_label : whether only units of the same label must not overlap
    """
    compared = compared_blocks(units, what, absent)
    sorted_units = compared.blocks
    check_label_count(units.labels, what)
    hint = "put kinds of units that may co-occur on tiers of their own, or use gamma"
    among = [b for b, _ in compared.each]
    refuse_own_overlaps(units, sorted_units, what, hint, among=among, within_label=within_label)
    blocks = []
    for b, present in compared.each:
        session = int(sorted_units.session[b])
        kept = [_without_points(sorted_units, sorted_units.of(b, int(r))) for r in present]
        low, high = units.bounds[session]
        blocks.append(
            Record(
                session=session,
                tier=int(sorted_units.tier[b]),
                raters=tuple(int(r) for r in present),
                start=tuple(sorted_units.start[rows] for rows in kept),
                end=tuple(sorted_units.end[rows] for rows in kept),
                label=tuple(sorted_units.label[rows].astype(np.int64) for rows in kept),
                low=low,
                high=high,
            )
        )
    return compared, blocks


def _without_points(sorted_units: Any, part: slice) -> Ints:
    rows = np.arange(part.start, part.stop)
    kept: Ints = rows[sorted_units.end[rows] > sorted_units.start[rows]]
    return kept


def _findings(units: Units) -> tuple[Finding, ...]:
    points = int(np.count_nonzero(units.start == units.end))
    return found(
        (
            points,
            "points_left_out",
            "caution",
            f"{points} of {len(units)} units have no length and were left out: these coefficients "
            "weigh units by their length. Give them a length, or link them as events.",
        ),
        (
            "fallback" in units.bounds_from,
            "bounds_from_units",
            "caution",
            "The continuum of a session runs from its first onset to its last offset because its "
            "real length is not known; gaps before and after it do not count.",
        ),
    )


@dataclass(frozen=True)
class Sums:
    """What one continuum adds; value 0 is the gap, value k + 1 the category k.

    Every entry is already divided by (raters − 1) where the formulas say so, as an exact fraction
    of whole numbers: `scale` = raters − 1 is kept apart.
    """

    scale: int
    same: Any  # ℓ_cc (raters − 1)
    total: Any  # ℓ_c
    squares: Any  # S_c
    valued_same: Any  # l_cc (raters − 1), without the gap
    valued_total: Any  # l_c (raters − 1)
    valued_squares: Any  # Q_c (raters − 1)
    pairs: Any  # None, or l_ck (raters − 1), if a metric needs them


def sums_of(record: Record, n_labels: int, *, all_pairs: bool) -> Sums:
    """Sum up one continuum: the coincidences ℓ_ck and l_ck of Krippendorff et al. 2016."""
    m = len(record.raters)
    t, value = _elementary(record)
    same = _zeros(n_labels + 1, t)
    total = _zeros(n_labels + 1, t)
    valued_total = _zeros(n_labels, t)
    n_valued = (value > 0).sum(axis=1)
    pairs = np.zeros((n_labels, n_labels)) if all_pairs else None
    for i in range(m):
        _add(total, value[:, i], t)
        here = value[:, i] > 0
        _add(valued_total, value[here, i] - 1, t[here] * (n_valued[here] - 1))
        for j in range(i + 1, m):
            alike = value[:, i] == value[:, j]
            _add(same, value[alike, i], 2 * t[alike])
            if pairs is not None:
                both = here & (value[:, j] > 0)
                k, other = value[both, i] - 1, value[both, j] - 1
                np.add.at(pairs, (k, other), t[both])
                np.add.at(pairs, (other, k), t[both])
    squares, valued_squares = _squares(record, n_labels, total)
    return Sums(m - 1, same, total, squares, same[1:], valued_total, valued_squares, pairs)


def _elementary(record: Record) -> tuple[Any, Ints]:
    """Return the lengths of elementary stretches and each rater's value there."""
    edges = np.unique(np.concatenate([[record.low, record.high], *record.start, *record.end]))
    left = edges[:-1]
    value = np.zeros((len(left), len(record.raters)), dtype=np.int64)
    for r, (start, end, label) in enumerate(
        zip(record.start, record.end, record.label, strict=True)
    ):
        if not len(start):
            continue
        unit = np.searchsorted(start, left, "right") - 1
        inside = (unit >= 0) & (left < end[np.maximum(unit, 0)])
        value[inside, r] = label[unit[inside]] + 1
    return np.diff(edges), value


def _squares(record: Record, n_labels: int, total: Any) -> tuple[Any, Any]:
    """Return S_c (squared lengths of units; plain lengths of gaps) and Q_c."""
    m = len(record.raters)
    length = np.concatenate([e - s for s, e in zip(record.start, record.end, strict=True)])
    label = np.concatenate(record.label)
    squares = _zeros(n_labels + 1, length)
    _add(squares, label + 1, _squared(length))
    squares[0] = total[0]
    valued = _zeros(n_labels, length)
    for i in range(m):
        for j in range(m):
            if i != j:
                covered = _covered(record, i, j)
                _add(valued, record.label[i], _squared(covered))
    return squares, valued


def _covered(record: Record, i: int, j: int) -> Any:
    """Return how much of each unit of rater i lies within units of rater j."""
    start, end = record.start[j], record.end[j]
    if not len(start):
        return np.zeros_like(record.start[i])
    before = np.concatenate([np.zeros(1, start.dtype), np.cumsum(end - start)])

    def up_to(place: Any) -> Any:
        unit = np.searchsorted(start, place, "right")
        last = np.maximum(unit - 1, 0)
        reached = np.minimum(place, end[last]) - start[last]
        return np.where(unit > 0, before[last] + reached, 0)

    return up_to(record.end[i]) - up_to(record.start[i])


def _squared(length: Any) -> Any:
    if length.dtype.kind in "iu" and len(length) and int(length.max()) ** 2 * len(length) > _SAFE:
        return length.astype(object) ** 2
    return length**2


def _zeros(size: int, like: Any) -> Any:
    if like.dtype.kind == "f":
        return np.zeros(size)
    # Python's own whole numbers never overflow; there are few of them.
    return np.zeros(size, dtype=object)


def _add(table: Any, where: Ints, what: Any) -> None:
    """Add to a table by place; whole numbers exactly."""
    if not len(where):
        return
    if table.dtype != object:
        np.add.at(table, where, what)
        return
    exact = what.dtype == object
    if not exact and int(np.abs(what).max()) * len(what) > _SAFE:
        what, exact = what.astype(object), True
    part = np.zeros(len(table), dtype=object if exact else np.int64)
    np.add.at(part, where, what)
    table += part.astype(object)


def added(parts: list[Sums]) -> Sums:
    """Lay continua end to end: everything adds up."""

    def total(name: str) -> Any:
        rows = [getattr(part, name) for part in parts]
        if rows[0] is None:
            return None
        if name in ("same", "valued_same", "valued_total", "valued_squares", "pairs"):
            rows = [_divided(row, part.scale) for row, part in zip(rows, parts, strict=True)]
        return sum(rows[1:], rows[0])

    names = ("same", "total", "squares", "valued_same", "valued_total", "valued_squares", "pairs")
    return Sums(1, *(total(name) for name in names))


def _divided(row: Any, scale: int) -> Any:
    if row.dtype != object:
        return row / scale
    return np.array([Fraction(int(x), scale) for x in row], dtype=object)


# ---- results


@dataclass(frozen=True, kw_only=True)
class UnitizingValue(DisagreementRatio):
    """One coefficient of the family: 1 − observed / expected disagreement."""

    coverage: float  # share of the continuum, or of the category, that it speaks of
    interval: Interval


@dataclass(frozen=True, kw_only=True)
class UnitizingAlpha(LedBySessions, OfContinua):
    """The unitizing alphas of some units; see `unitizing_alpha`.

    The value is that of u-alpha, which counts units, gaps and labels.
    """

    recorded: ClassVar[tuple[str, ...]] = ("sessions",)

    u: UnitizingValue
    binary: UnitizingValue
    cu: UnitizingValue
    sessions: tuple[Mapping[str, Any], ...]
    seed: int | None

    @property
    def _leading(self) -> UnitizingValue:
        return self.u

    def __repr__(self) -> str:
        return (
            f"UnitizingAlpha(u={self.u.value:.4f}, binary={self.binary.value:.4f}, "
            f"cu={self.cu.value:.4f}, n_units={self.n_units}, n_raters={self.n_raters})"
        )

    def _named(self) -> list[tuple[str, Any, UnitizingValue]]:
        named: list[tuple[str, Any, UnitizingValue]] = [
            ("u_alpha", None, self.u),
            ("binary_u_alpha", None, self.binary),
            ("cu_alpha", None, self.cu),
        ]
        return named + [("k_u_alpha", label, part) for label, part in self.by_category.items()]

    def document(self) -> Document:
        """Return the table to read."""
        p = self.parameters
        shown = {"u_alpha": "u-alpha", "binary_u_alpha": "|u-alpha", "cu_alpha": "cu-alpha"}
        level = interval_head(self.u.interval.confidence_level)
        text = (
            f"{self._said_sizes()}; lengths are counted in {p['time_unit']}, on which the "
            f"values depend; {p['distance']} metric of labels in "
            "cu-alpha."
        )
        if self.u.interval.note:
            text += f" {sentence(self.u.interval.note)}"
        table = Table.of(
            self._named(),
            ("coefficient", lambda x: shown.get(x[0], f"({x[1]})u-alpha")),
            "value: 2.value",
            f"{level}: 2.interval",
            "coverage: 2.coverage",
        )
        blocks = (Paragraph(text), table)
        return Document(title="Unitizing alphas", blocks=blocks, findings=self.findings)


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
    compared, blocks = records(units, "unitizing alpha", absent=absent, within_label=False)
    space = label_space(units.labels, categories)
    metric = get_distance("nominal" if distance is None else distance, scale="nominal")
    nominal = metric.name == "nominal"
    sums = [
        sums_of(_counted(block, step), len(units.labels), all_pairs=not nominal) for block in blocks
    ]
    pooled = added(sums)
    d_kl = None if nominal else _metric(metric, space, units.labels, pooled)
    values = _family(pooled, d_kl)
    intervals = _intervals(blocks, sums, d_kl, draws)
    parts = [replace(v, interval=i) for v, i in zip(values, intervals, strict=True)]
    used = np.unique(units.label).tolist()
    time_unit = units.time_unit if step == 1 else f"{step:g} {units.time_unit}"
    return compared.result(
        UnitizingAlpha,
        u=parts[0],
        binary=parts[1],
        cu=parts[2],
        by_category={units.labels[k]: parts[3 + k] for k in used},
        sessions=tuple(
            _session(units, block, part, d_kl) for block, part in zip(blocks, sums, strict=True)
        ),
        parameters={
            "distance": metric.name,
            "unit_length": step,
            "time_unit": _unit_words(time_unit),
            "absent": absent,
            "pooling": "sessions are laid end to end",
            "bounds": sorted(set(units.bounds_from)),
        },
        findings=compared.findings(*_findings(units)),
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


# ---- the formulas


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


# ---- sessions


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
    blocks: list[Record], sums: list[Sums], d_kl: Floats | None, draws: Draws
) -> list[Interval]:
    """Resample sessions; a metric that depends on the data is held fixed."""
    size = len(sums[0].valued_total)
    session = np.unique([block.session for block in blocks], return_inverse=True)[1]
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


# ---- the older alpha (1995, 2004)


@dataclass(frozen=True, kw_only=True)
class AlphaUValue(DisagreementRatio):
    """Alpha of one category, or of all."""


@dataclass(frozen=True, kw_only=True)
class AlphaU(OfContinua):
    """The older unitizing alpha, overall and by category; see `alpha_u`."""

    interval_needs: ClassVar[str] = "an error that is known; unitizing_alpha has one over sessions"

    overall: AlphaUValue
    n_continua: int

    @property
    def _leading(self) -> AlphaUValue:
        return self.overall

    @property
    def _n_continua(self) -> int:
        return self.n_continua

    def _named(self) -> list[tuple[str, Any, AlphaUValue]]:
        parts: list[tuple[Any, AlphaUValue]] = [(None, self.overall), *self.by_category.items()]
        return [("alpha_u", label, part) for label, part in parts]

    def document(self) -> Document:
        """Return the table to read."""
        text = (
            f"{said_units(self.units_by_session)} This is the coefficient of 1995 "
            "and 2004, kept for comparison with older studies; prefer the alphas of 2016."
        )
        table = Table.of(
            [*self.by_category.items(), ("all", self.overall)],
            "category: 0!s",
            "alpha: 1.value",
            "observed: 1.observed",
            "expected: 1.expected",
            digits=6,
        )
        blocks = (Paragraph(text), table)
        return Document(title="Unitizing alpha (2004)", blocks=blocks, findings=self.findings)


def alpha_u(units: Units, *, absent: str = "asked") -> AlphaU:
    """Krippendorff's alpha for unitizing as of 1995 and 2004, by category and overall.

    Use it to compare with studies that report it. Prefer `unitizing_alpha`, by which its author
    replaced it, or `gamma`.

    Parameters
    ----------
    units : Units
        Times must be whole numbers; units of one rater and category must not overlap.
    absent : {"asked", "drop", "count"}
        A rater without a unit in a session counts as having marked nothing if she was asked
        there (`Units.asked`) and is left out if that is not known; is left out; or counts.

    Returns
    -------
    AlphaU

    Raises
    ------
    InputError
        Times that are not whole, units that overlap.
    UnsupportedDesignError
        Fewer than two raters, or no unit.

    Notes
    -----
    Per category, on a continuum of length L with m raters: D_o = 2 Σ δ²/(m (m − 1) L²), summed over
    pairs of raters and their segments, with δ² the squared differences of both boundaries for units
    that intersect, the squared length for a unit inside a gap; D_e is its mean over all placements
    of the same units and gaps. Overall, D_o and D_e are summed over categories. Several sessions
    are pooled with their lengths as weights.

    References
    ----------
    .. [1] Krippendorff, K. (1995). On the reliability of unitizing continuous data. Sociological
       Methodology 25, 47–76. doi:10.2307/271061
    .. [2] Krippendorff, K. (2004). Content analysis: an introduction to its methodology (2nd ed.).
       Sage, pp. 251–256.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("1", "c", 225, 295), ("1", "c", 370, 400), ("1", "k", 180, 240), ("1", "k", 300, 350),
    ...     ("2", "c", 220, 300), ("2", "c", 355, 375), ("2", "c", 400, 420),
    ...     ("2", "k", 180, 240), ("2", "k", 300, 350)], bounds=(150, 450))
    >>> round(alpha_u(units).value, 6)                                  # published: 0.859
    0.858665
    """
    check_word("absent", absent, ABSENT)
    compared, blocks = records(units, "alpha-u", absent=absent, within_label=True)
    if units.start.dtype.kind == "f":
        raise InputError.expected(
            "times for alpha-u",
            "whole numbers",
            "fractions",
            "express them in a smaller unit, for example in ms, and round",
        )
    used = np.unique(units.label).tolist()
    observed: dict[int, Fraction] = {}
    expected: dict[int, Fraction] = {}
    for k in used:
        pairs = [_disagreements(block, k) for block in blocks]
        lengths = [int(block.length) for block in blocks]
        whole = sum(lengths) or 1
        observed[k] = sum((n * o for n, (o, _) in zip(lengths, pairs, strict=True)), Fraction(0))
        expected[k] = sum((n * e for n, (_, e) in zip(lengths, pairs, strict=True)), Fraction(0))
        observed[k] /= whole
        expected[k] /= whole
    return compared.result(
        AlphaU,
        overall=_alpha(sum(observed.values(), Fraction(0)), sum(expected.values(), Fraction(0))),
        by_category={units.labels[k]: _alpha(observed[k], expected[k]) for k in used},
        parameters={
            "absent": absent,
            "pooling": "disagreements weighted by the length of the continuum",
            "bounds": sorted(set(units.bounds_from)),
            "time_unit": units.time_unit,
        },
        n_continua=len(blocks),
        findings=compared.findings(*_findings(units)),
    )


def _alpha(observed: Fraction, expected: Fraction) -> AlphaUValue:
    undefined = expected == 0
    return AlphaUValue(
        value=math.nan if undefined else float(1 - observed / expected),
        observed=float(observed),
        expected=float(expected),
        status="undefined" if undefined else "ok",
        reason="no unit with a length, or every placement looks the same" if undefined else None,
    )


def _disagreements(block: Record, label: int) -> tuple[Fraction, Fraction]:
    """Return D_o and D_e of one category on one continuum (Krippendorff 2004, pp. 251–256)."""
    m, length = len(block.raters), int(block.length)
    chosen = [np.flatnonzero(code == label) for code in block.label]
    start = [s[rows] for s, rows in zip(block.start, chosen, strict=True)]
    end = [e[rows] for e, rows in zip(block.end, chosen, strict=True)]
    if not length:
        return Fraction(0), Fraction(0)
    total = 0
    for i in range(m):
        for j in range(i + 1, m):
            total += _between(start[i], end[i], start[j], end[j])
            total += _in_gaps(start[i], end[i], start[j], end[j])
            total += _in_gaps(start[j], end[j], start[i], end[i])
    observed = Fraction(2 * total, m * (m - 1) * length**2)
    return observed, _expected(start, end, block, m, length)


def _overlapping(start: Ints, end: Ints, others: Ints, their_end: Ints) -> tuple[Ints, Ints]:
    """Return for each unit the first overlapping one of the other rater, and how many there are."""
    first = np.searchsorted(their_end, start, "right")
    return first, np.searchsorted(others, end, "left") - first


def _between(start: Ints, end: Ints, others: Ints, their_end: Ints) -> int:
    first, count = _overlapping(start, end, others, their_end)
    i, j = expand(first, count)
    squares = _big(start[i] - others[j]) ** 2 + _big(end[i] - their_end[j]) ** 2
    return int(squares.sum())


def _in_gaps(start: Ints, end: Ints, others: Ints, their_end: Ints) -> int:
    _, count = _overlapping(start, end, others, their_end)
    return int((_big((end - start)[count == 0]) ** 2).sum())


def _big(numbers: Ints) -> Any:
    """Return whole numbers whose squares and cubes cannot overflow."""
    return numbers.astype(object)


def _expected(start: list[Ints], end: list[Ints], block: Record, m: int, length: int) -> Fraction:
    """Return D_e: the mean over all placements of units and gaps (Krippendorff 2004)."""
    gaps = np.concatenate(
        [
            np.concatenate([s, [block.high]]) - np.concatenate([[block.low], e])
            for s, e in zip(start, end, strict=True)
        ]
    )
    lengths = np.concatenate([e - s for s, e in zip(start, end, strict=True)])
    gaps = np.sort(gaps[gaps > 0])
    from_end = np.concatenate([np.cumsum(_big(gaps)[::-1])[::-1], [0]])
    fitting = np.searchsorted(gaps, lengths, "left")  # gaps at least as long as the unit
    number = len(gaps) - fitting
    one = _big(lengths)
    room = from_end[fitting] - number * (one - 1)  # Σ (g − l + 1)
    inside = one**2 * room
    meeting = (len(one) - 1) * (2 * one**3 - 3 * one**2 + one)
    placements = m * length * (m * length - 1) - int((one * (one - 1)).sum())
    if not placements or not len(one):
        return Fraction(0)
    total = Fraction(int(meeting.sum()), 3) + int(inside.sum())
    return Fraction(2, length) * total / placements
