"""What is known of each rater, from arrays over all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Indices
from consilience.core.labels import MEASURED, MOST_CODES
from consilience.core.words import shortened
from consilience.exceptions import InputError
from consilience.inference import Interval, quantile
from consilience.latent.entries import Entries
from consilience.latent.raters import _rater_tests as tests
from consilience.latent.raters._rater_rows import (
    BEYOND,
    CHANCE,
    FEW,
    NO_VARIATION,
    LabelBias,
    RaterRow,
)
from consilience.ratings import Ratings

_HINT = "give one value per item, or a mapping from item or (item, rater) to a value"
_SIGNIFICANT = 0.05
_MOST_BIASES = 1_000  # labels above which nobody can prefer one
_NO_ROOM = 1e-12  # between agreement by chance and 1, where nothing varies


def rater_rows(
    compared: tests.Compared,
    ratings: Ratings,
    influence: Floats,
    *,
    order: Any,
    batches: Any,
    level: float,
) -> tuple[RaterRow, ...]:
    """Return what is known of each rater; `influence` is what a coefficient gains without her."""
    entries = compared.entries
    agree = tests.average(compared, compared.agree_e)
    limits = tests.wilson(agree.mean, agree.error, compared.n_r, level)
    expected, chance_p = tests.chance_p_values(compared)
    apart, own = _marks_apart(compared, ratings)
    if _are_marks(ratings):  # equal marks may be rare; going along is what counts
        chance_p = tests.correlation_p_values(compared, own, own - apart)
    severity = tests.average(compared, apart)
    time = time_of(order, entries, ratings)
    drift, severity_drift, means = _changes(
        compared, ratings, apart, time, order=order, batches=batches
    )
    sequences = tests.sequences(entries, time)
    room = 1.0 - expected
    varies = room > _NO_ROOM
    verdicts = [
        _verdict(p, varies=there)
        for p, there in zip(chance_p.tolist(), varies.tolist(), strict=True)
    ]
    columns: dict[str, Any] = {
        "rater": ratings.raters,
        "n_ratings": np.bincount(entries.rater, minlength=entries.n_raters),
        "n_compared": compared.n_r.astype(np.intp),
        "agreement": agree.mean,
        "interval": [Interval(low, high, level, "wilson") for low, high in limits.T.tolist()],
        "expected": expected,
        "kappa": tests.divide(agree.mean - expected, np.where(varies, room, 0.0)),
        "chance_p_value": chance_p,
        "verdict": verdicts,
        "pattern": [
            _pattern(compared, ratings, g, int(sequences.cycle[g])) if verdict == CHANCE else ""
            for g, verdict in enumerate(verdicts)
        ],
        "longest_run": sequences.longest_run,
        "run_p_value": sequences.run_p_value,
        "biases": _biases(compared, ratings),
        "severity": severity.mean,
        "severity_interval": _mean_intervals(severity, level),
        "severity_p_value": tests.adjusted(severity.p_values()),
        "drift": drift.change,
        "drift_p_value": tests.adjusted(drift.p_value),
        "severity_drift": severity_drift.change,
        "severity_drift_p_value": tests.adjusted(severity_drift.p_value),
        "influence": influence,
        "batches": means,
    }
    listed = [one.tolist() if isinstance(one, np.ndarray) else one for one in columns.values()]
    return tuple(
        RaterRow(**dict(zip(columns, row, strict=True))) for row in zip(*listed, strict=True)
    )


def _changes(
    compared: tests.Compared,
    ratings: Ratings,
    apart: Floats,
    time: Floats,
    *,
    order: Any,
    batches: Any,
) -> tuple[tests.Drift, tests.Drift, list[dict[object, float]]]:
    """Return how agreement and severity change, and each rater's agreement by batch."""
    entries = compared.entries
    means: list[dict[object, float]] = [{} for _ in range(entries.n_raters)]
    if batches is not None:
        batch, names = batch_of(batches, time, entries, ratings)
        batch = batch[compared.place]
        found, of_batches = tests.between_batches(compared, compared.agree_e, batch)
        means = [dict(zip(names, row, strict=True)) for row in of_batches.tolist()]
        return found, tests.between_batches(compared, apart, batch)[0], means
    if order is not None:
        when = time[compared.place]
        agreement, severity = (
            tests.trend(compared, values, when) for values in (compared.agree_e, apart)
        )
        return agreement, severity, means
    unseen = np.full(entries.n_raters, np.nan)
    return tests.Drift(unseen, unseen), tests.Drift(unseen, unseen), means


def _pattern(compared: tests.Compared, ratings: Ratings, g: int, cycle: int) -> str:
    """Name a pattern of a rater's that has nothing to do with the items."""
    n_k, n = compared.n_rk[g], float(compared.n_r[g])
    k = int(n_k.argmax())
    others = float(compared.s_rk[g, k]) / n
    if n_k[k] == n and others**n < 0.001:
        return f"always {shortened(str(ratings.categories[k]), 12)!r}"
    return f"a cycle of {cycle}" if cycle else ""


def _biases(compared: tests.Compared, ratings: Ratings) -> list[tuple[LabelBias, ...]]:
    """Test for each rater and label whether she uses it as often as the others do."""
    p_rk = np.where(compared.n_rk + compared.s_rk > 0, tests.bias(compared).p_values(), np.nan)
    adjusted_rk = tests.adjusted(p_rk)
    tested = (compared.n_r > 0) & (compared.entries.n_labels <= _MOST_BIASES)
    return [
        tuple(
            LabelBias(
                label=ratings.categories[k],
                share=float(compared.n_rk[g, k]) / n,
                others=float(compared.s_rk[g, k]) / n,
                p_value=float(p_rk[g, k]),
                p_adjusted=float(adjusted_rk[g, k]),
            )
            for k in np.flatnonzero(np.isfinite(p_rk[g]) & tested[g])
        )
        for g, n in enumerate(compared.n_r.tolist())
    ]


def _mean_intervals(means: tests.Moments, level: float) -> list[Interval]:
    """Return Student's interval of each rater's mean."""
    found = []
    columns = (means.mean.tolist(), means.error.tolist(), means.n_r.tolist())
    for mean, error, n in zip(*columns, strict=True):
        known = math.isfinite(error) and n >= 2
        reach = quantile(0.5 + level / 2.0, n - 1.0) * error if known else math.nan
        found.append(Interval(mean - reach, mean + reach, level, "t"))
    return found


def _verdict(p_value: float, *, varies: bool) -> str:
    if math.isnan(p_value):
        return FEW
    if not varies:
        return NO_VARIATION
    return BEYOND if p_value < _SIGNIFICANT else CHANCE


def _are_marks(ratings: Ratings) -> bool:
    """Tell whether labels are numbers, or so many ranks that equal ones are rare."""
    many_ranks = ratings.scale == "ordinal" and len(ratings.categories) > MOST_CODES
    return many_ranks or ratings.scale in MEASURED


def _marks_apart(compared: tests.Compared, ratings: Ratings) -> tuple[Floats, Floats]:
    """Her mark minus the mean of the others', and her mark; NaN for labels without an order."""
    if ratings.scale == "nominal":
        nothing = np.full(compared.place.size, np.nan)
        return nothing, nothing
    entries = compared.entries
    is_number = ratings.scale in MEASURED and ratings.numbers is not None
    marks = ratings.numbers if is_number else np.arange(entries.n_labels, dtype=np.float64)
    assert marks is not None
    total = np.asarray(entries.counts @ marks)
    item = entries.item[compared.place]
    own = marks[compared.label]
    others = (total[item] - own) / (entries.per_item[item] - 1.0)
    return own - others, own


def time_of(order: Any, entries: Entries, ratings: Ratings) -> Floats:
    """Return the place in time of each rating; without an order, that of its item."""
    if order is None:
        return entries.item.astype(np.float64)
    return _ranked("order", _per_rating("order", order, entries, ratings))[0].astype(np.float64)


def batch_of(
    batches: Any, time: Floats, entries: Entries, ratings: Ratings
) -> tuple[Indices, list[object]]:
    """Return the batch of each rating and the batches' names; a number cuts the time evenly."""
    if isinstance(batches, bool):
        raise InputError.expected("batches", "a number above 1, or one per item", batches, _HINT)
    if not isinstance(batches, int | np.integer):
        return _ranked("batches", _per_rating("batches", batches, entries, ratings))
    if batches < 2:
        raise InputError.expected("batches", "at least 2", batches, "for example batches=4")
    steps = np.unique(time, return_inverse=True)[1]
    n_steps = int(steps.max(initial=0)) + 1
    count = min(int(batches), n_steps)
    return np.asarray(steps * count // n_steps, dtype=np.intp), list(range(1, count + 1))


def _per_rating(what: str, values: Any, entries: Entries, ratings: Ratings) -> list[object]:
    """List the value that belongs to each rating."""
    if isinstance(values, Mapping):
        return _from_mapping(what, values, entries, ratings)
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError.expected(what, "one value per item", values, _HINT)
    per_item = list(values)
    if len(per_item) != entries.n_items:
        raise InputError.expected(
            what, f"{entries.n_items} values, one per item", f"{len(per_item)} values", _HINT
        )
    return [per_item[i] for i in entries.item.tolist()]


def _from_mapping(
    what: str, values: Mapping[Any, Any], entries: Entries, ratings: Ratings
) -> list[object]:
    items, raters = ratings.items, ratings.raters
    out = []
    for i, g in zip(entries.item.tolist(), entries.rater.tolist(), strict=True):
        pair = (items[i], raters[g])
        found = values.get(pair, values.get(items[i]))
        if found is None:
            raise InputError.expected(
                what, "known for every rating", f"nothing for item {pair[0]!r}", _HINT
            )
        out.append(found)
    return out


def _ranked(what: str, values: list[object]) -> tuple[Indices, list[object]]:
    """Number values in their order: numbers and dates as such, everything else as text."""
    distinct = list(dict.fromkeys(values))
    if all(isinstance(one, Real) for one in distinct):
        bad = [one for one in distinct if not np.isfinite(float(one))]  # type: ignore[arg-type]
        if bad:
            raise InputError.expected(what, "known for every rating", bad[0], _HINT)
    try:
        ordered = sorted(distinct)  # type: ignore[type-var]
    except TypeError:
        ordered = sorted(distinct, key=str)
    place = {one: k for k, one in enumerate(ordered)}
    return np.array([place[one] for one in values], dtype=np.intp), ordered
