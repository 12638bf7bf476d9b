"""Families beyond the table of labels: events in sessions, latent truth, a system's gap, omega.

Their true values come from one very large sample of the same population.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

import consilience as cs
from benchmarks.coverage._designs import Design, label_shares
from benchmarks.coverage._populations import labelled
from consilience import latent, panel, units
from consilience.exceptions import ConsilienceError

LEVEL = 0.95
Found = tuple[float, float, float]  # a value and the limits of its interval
_NONE = (math.nan, math.nan, math.nan)
_MANY = 60_000  # items of the sample that gives the true value
_SLOT, _LENGTHS, _SHIFT = 30, (8, 18), 3.0  # of events, in units of time
_GAMMA_CONTINUA = 30


@dataclass(frozen=True)
class Family:
    """How samples are drawn, and what is measured on them."""

    draw: Callable[[Any, Design], Any]
    measures: dict[str, Callable[[Any], Found]]
    larger: Callable[[Design], Design]

    def truth(self, design: Design, name: str) -> float:
        """Return the value of a measure in a sample that is as good as everything there is."""
        if name == "dawid_skene share":
            return float(label_shares(design.labels, design.rarest)[-1])
        rng = np.random.default_rng([13, *design.seed])
        return self.measures[name](self.draw(rng, self.larger(design)))[0]


def found(measure: Callable[[Any], Found], sample: Any) -> Found:
    """Return a value and its limits; none where there is no answer."""
    try:
        return measure(sample)
    except ConsilienceError:
        return _NONE


def _told(result: Any) -> Found:
    interval = result.confidence_interval(LEVEL)
    return float(result.value), interval.low, interval.high


# ------------------------------------------------------------------------------ events


def draw_events(rng: Any, design: Design) -> units.Units:
    """Return what raters made of the events of sessions, each session with shares of its own."""
    records: list[tuple[str, str, int, int, str]] = []
    shares = label_shares(design.labels, design.rarest)
    sessions = [f"s{k}" for k in range(design.units)]
    lengths = []
    for session in sessions:
        n = 2 + rng.poisson(max(design.items / design.units - 2.0, 0.0))
        starts = _SLOT * np.arange(n) + rng.integers(3, 8, n)
        ends = starts + rng.integers(*_LENGTHS, n)
        labels = rng.choice(design.labels, n, p=shares)
        known, missed, moved = (
            _own_share(rng, mean, design.icc)
            for mean in (design.agreement, design.missing, design.bias)
        )
        lengths.append(_SLOT * n)
        for rater in "ABC"[: design.raters]:
            guessed = np.where(
                rng.random(n) < known, labels, rng.choice(design.labels, n, p=shares)
            )
            shifts = np.rint(rng.normal(0.0, _SHIFT, (2, n))) * (rng.random(n) < moved)
            low = np.maximum(starts + shifts[0], _SLOT * np.arange(n))
            high = np.minimum(np.maximum(ends + shifts[1], low + 2), _SLOT * (1 + np.arange(n)))
            records += [
                (rater, f"l{guessed[i]}", int(low[i]), int(high[i]), session)
                for i in np.flatnonzero(rng.random(n) >= missed)
            ]
    bounds = {session: (0, n) for session, n in zip(sessions, lengths, strict=True)}
    return units.Units.from_records(
        records, bounds=bounds, sessions=sessions, raters=list("ABC")[: design.raters],
        labels=[f"l{k}" for k in range(design.labels)],
    )  # fmt: skip


def _own_share(rng: Any, mean: float, icc: float) -> float:
    if icc == 0.0 or mean in (0.0, 1.0):
        return mean
    total = 1.0 / icc - 1.0
    return float(rng.beta(mean * total, (1.0 - mean) * total))


def _gamma(events: units.Units) -> Found:
    return _told(units.gamma(events, precision=None, n_samples=_GAMMA_CONTINUA))


def _first_two(events: units.Units) -> units.Units:
    return events.select(raters=("A", "B"))


# ------------------------------------------------------------------------------ models


def draw_truth(rng: Any, design: Design) -> cs.Ratings:
    """Return ratings by raters who err apart, some more than others."""
    shares = label_shares(design.labels, design.rarest)
    true = rng.choice(design.labels, design.items, p=shares)
    accuracy = design.agreement + np.linspace(-0.08, 0.04, design.raters)
    right = rng.random((design.items, design.raters)) < accuracy
    other = (true[:, None] + rng.integers(1, design.labels, right.shape)) % design.labels
    codes = np.where(right, true[:, None], other)
    codes[rng.random(codes.shape) < design.missing] = -1
    return cs.Ratings.from_wide(codes, categories=range(design.labels), missing_values=[-1])


def _share(ratings: cs.Ratings) -> Found:
    result = latent.dawid_skene(ratings)
    low, high = result.prevalence_interval[-1]
    return float(result.prevalence[-1]), float(low), float(high)


def draw_panel(rng: Any, design: Design) -> cs.Ratings:
    """Return labels by people and, last, a system."""
    codes = labelled(design).draw(rng, design)[0]
    names = [*(f"person {k}" for k in range(design.raters - 1)), "system"]
    columns = {name: codes[:, k] for k, name in enumerate(names)}
    return cs.Ratings.from_wide(columns, categories=range(design.labels))


def _gap(ratings: cs.Ratings) -> Found:
    people = [name for name in ratings.raters if name != "system"]
    result = panel.compare(
        ratings, systems="system", people=people, coefficients=["cohen_kappa"], n_resamples=199
    )
    gap = next(iter(result["system"].gap.values()))  # the one that the verdict is about
    return float(gap.value), float(gap.interval.low), float(gap.interval.high)


def draw_twice(rng: Any, design: Design) -> cs.Ratings:
    """Return ratings of the same items by the same raters on two occasions."""
    rounds = labelled(design).draw_rounds(rng, design)
    item, rater = np.indices(rounds[0].shape)
    return cs.Ratings.from_long(
        {
            "item": np.tile(item.ravel(), 2),
            "rater": [f"r{k}" for k in np.tile(rater.ravel(), 2)],
            "label": np.concatenate([codes.ravel() for codes in rounds]),
            "occasion": np.repeat([1, 2], item.size),
        },
        occasion="occasion",
        categories=range(design.labels),
    )


def _more_items(design: Design) -> Design:
    return replace(design, items=_MANY)


def _more_sessions(design: Design, many: int) -> Design:
    return replace(design, units=many, items=round(design.items / design.units * many))


WIDER: dict[str, Family] = {
    "events": Family(
        draw_events,
        {
            "easydiag kappa": lambda events: _told(units.easydiag(_first_two(events))),
            "time_kappa": lambda events: _told(units.time_kappa(_first_two(events))),
            "unitizing_alpha": lambda events: _told(units.unitizing_alpha(events)),
            "span_f1": lambda events: _told(units.span_f1(events)),
            "segmentation": lambda events: _told(units.segmentation(events)),
        },
        partial(_more_sessions, many=4_000),
    ),
    "aligned": Family(draw_events, {"gamma": _gamma}, partial(_more_sessions, many=800)),
    "truth": Family(draw_truth, {"dawid_skene share": _share}, _more_items),
    "gap": Family(draw_panel, {"panel gap": _gap}, _more_items),
    "omega": Family(draw_twice, {"omega": lambda r: _told(latent.omega(r))}, _more_items),
}
