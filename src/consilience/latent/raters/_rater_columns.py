"""Everything about all raters as arrays, from which one rater's row is taken."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
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


@dataclass(frozen=True)
class Columns:
    """Everything about the raters as arrays, one entry per rater."""

    ratings: Ratings
    entries: Entries
    compared: tests.Compared
    level: float
    agree: tests.Moments
    limits: Floats
    expected: Floats
    chance_p: Floats
    sequences: tests.Sequences
    bias: tests.Moments
    bias_p: Floats
    bias_adjusted: Floats
    severity: tests.Moments
    severity_p: Floats
    drift: tests.Drift
    severity_drift: tests.Drift
    batch_means: Floats
    batch_names: list[object]

    @classmethod
    def of(
        cls, compared: tests.Compared, ratings: Ratings, *, order: Any, batches: Any, level: float
    ) -> Columns:
        """Compute all columns."""
        entries = compared.entries
        agree_e = compared.agree_e
        agree = tests.average(compared, agree_e)
        expected, chance_p = tests.chance_p_values(compared)
        biases = tests.bias(compared)
        bias_p = np.where(compared.n_rk + compared.s_rk > 0, biases.p_values(), np.nan)
        apart, own = _marks_apart(compared, ratings)
        if _are_marks(ratings):  # equal marks may be rare; going along is what counts
            chance_p = tests.correlation_p_values(compared, own, own - apart)
        severity = tests.average(compared, apart)
        time = time_of(order, entries, ratings)
        means, names = np.zeros((entries.n_raters, 0)), list[object]()
        unseen = np.full(entries.n_raters, np.nan)
        drifts = [tests.Drift(unseen, unseen)] * 2
        if batches is not None:
            batch, names = batch_of(batches, time, entries, ratings)
            found, means = tests.between_batches(compared, agree_e, batch[compared.place])
            apart_too, _ = tests.between_batches(compared, apart, batch[compared.place])
            drifts = [found, apart_too]
        elif order is not None:
            when = time[compared.place]
            drifts = [tests.trend(compared, values, when) for values in (agree_e, apart)]
        return cls(
            ratings=ratings,
            entries=entries,
            compared=compared,
            level=level,
            agree=agree,
            limits=tests.wilson(agree.mean, agree.error, compared.n_r, level),
            expected=expected,
            chance_p=chance_p,
            sequences=tests.sequences(entries, time),
            bias=biases,
            bias_p=bias_p,
            bias_adjusted=tests.adjusted(bias_p),
            severity=severity,
            severity_p=tests.adjusted(severity.p_values()),
            drift=_adjusted(drifts[0]),
            severity_drift=_adjusted(drifts[1]),
            batch_means=means,
            batch_names=names,
        )

    def row(self, g: int, influence: float) -> RaterRow:
        """Collect what is known about one rater."""
        agreement, expected = float(self.agree.mean[g]), float(self.expected[g])
        room = 1.0 - expected
        verdict = _verdict(float(self.chance_p[g]), varies=room > _NO_ROOM)
        return RaterRow(
            rater=self.ratings.raters[g],
            n_ratings=int(self._n_ratings[g]),
            n_compared=int(self.compared.n_r[g]),
            agreement=agreement,
            interval=Interval(
                float(self.limits[0, g]), float(self.limits[1, g]), self.level, "wilson"
            ),
            expected=expected,
            kappa=(agreement - expected) / room if room > _NO_ROOM else math.nan,
            chance_p_value=float(self.chance_p[g]),
            verdict=verdict,
            pattern=self._pattern(g, verdict),
            longest_run=int(self.sequences.longest_run[g]),
            run_p_value=float(self.sequences.run_p_value[g]),
            biases=self._biases(g),
            severity=float(self.severity.mean[g]),
            severity_interval=self._severity_interval(g),
            severity_p_value=float(self.severity_p[g]),
            drift=float(self.drift.change[g]),
            drift_p_value=float(self.drift.p_value[g]),
            severity_drift=float(self.severity_drift.change[g]),
            severity_drift_p_value=float(self.severity_drift.p_value[g]),
            influence=float(influence),
            batches=dict(zip(self.batch_names, self.batch_means[g].tolist(), strict=True))
            if self.batch_names
            else {},
        )

    @cached_property
    def _n_ratings(self) -> Floats:
        counts = np.bincount(self.entries.rater, minlength=self.entries.n_raters)
        return counts.astype(np.float64)

    def _pattern(self, g: int, verdict: str) -> str:
        """Name a pattern that has nothing to do with the items, where she is not beyond chance."""
        n_k = self.compared.n_rk[g]
        n = float(self.compared.n_r[g])
        if verdict != CHANCE:
            return ""
        k = int(n_k.argmax())
        others = float(self.compared.s_rk[g, k]) / n
        if n_k[k] == n and others**n < 0.001:
            return f"always {shortened(str(self.ratings.categories[k]), 12)!r}"
        cycle = int(self.sequences.cycle[g])
        return f"a cycle of {cycle}" if cycle else ""

    def _biases(self, g: int) -> tuple[LabelBias, ...]:
        n = float(self.compared.n_r[g])
        tested = n > 0 and self.entries.n_labels <= _MOST_BIASES
        known = np.flatnonzero(np.isfinite(self.bias_p[g])) if tested else ()
        return tuple(
            LabelBias(
                label=self.ratings.categories[k],
                share=float(self.compared.n_rk[g, k]) / n,
                others=float(self.compared.s_rk[g, k]) / n,
                p_value=float(self.bias_p[g, k]),
                p_adjusted=float(self.bias_adjusted[g, k]),
            )
            for k in known
        )

    def _severity_interval(self, g: int) -> Interval:
        mean, error = float(self.severity.mean[g]), float(self.severity.error[g])
        n = float(self.severity.n_r[g])
        if not math.isfinite(error) or n < 2:
            return Interval(math.nan, math.nan, self.level, "t")
        reach = quantile(0.5 + self.level / 2.0, n - 1.0) * error
        return Interval(mean - reach, mean + reach, self.level, "t")


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


def _adjusted(drift: tests.Drift) -> tests.Drift:
    return tests.Drift(drift.change, tests.adjusted(drift.p_value))


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
