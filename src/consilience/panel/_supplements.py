"""What stands beside the main comparison: majority, constant answer, the panel with the system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from consilience.coefficients import Estimate
from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream
from consilience.document import Recorded
from consilience.inference import Comparison
from consilience.inference.clustered import linearised_error
from consilience.panel._measures import Measure
from consilience.panel._pairs import Pair, PairPatterns, distinct, distinct_with_inverse
from consilience.panel._resampled_means import Plan, Value
from consilience.panel.panel_data import MOST_LABELS, Panel

_BREAKS = 200  # ways to break ties of the majority that are averaged


@dataclass(frozen=True, slots=True, kw_only=True)
class Added(Recorded):
    """The panel's agreement without and with the system as one more rater, on the same items."""

    renamed: ClassVar[Mapping[str, str]] = {"with_system": "with"}

    without: float
    with_system: float
    difference: Value
    p_value: float


def added_to_panel(
    panel: Panel, system: object, measures: Sequence[Measure], plan: Plan
) -> dict[str, Added]:
    """Ask whether the system lowers the agreement of the panel (Gwet 2016, paired)."""
    out: dict[str, Added] = {}
    if len(panel.people) < 2:
        return out
    people = panel.select(panel.people)
    everybody = panel.select([*panel.people, system])
    for one in measures:
        if one.coefficient is None:
            continue
        before, after = one.of(people), one.of(everybody)
        if not _usable(before) or not _usable(after):
            continue
        assert isinstance(before, Estimate)
        assert isinstance(after, Estimate)
        change = _change(before, after, plan)
        out[one.key] = Added(
            without=before.value,
            with_system=after.value,
            difference=Value(
                value=change.difference,
                standard_error=change.standard_error,
                interval=change.confidence_interval(plan.level),
            ),
            p_value=change.p_value,
        )
    return out


def _change(before: Estimate, after: Estimate, plan: Plan) -> Comparison:
    """Compare on the same items; where they come from documents, sum up each document."""
    if plan.clusters is None:
        return before.compare(after)
    error, freedom = linearised_error(_influence(after) - _influence(before), plan.clusters)
    return Comparison(after.value - before.value, error, freedom, "linearised")


def _usable(found: Estimate | str) -> bool:
    return isinstance(found, Estimate) and found.status == "ok"


def _influence(found: Estimate) -> Floats:
    return found.item_influence() * found.n_items / max(found._sample_size(), 1)


def constant_answer(panel: Panel, pairs: Sequence[Pair]) -> tuple[int, float, Floats]:
    """Return the label that people give most, its share, and how an answer that never changes does.

    The measures are means over people; a chance-corrected coefficient shows what it is worth here.
    """
    n_labels = len(panel.ratings.categories)
    counts = np.array(
        [
            np.bincount(panel.codes[:, k][panel.codes[:, k] >= 0], minlength=n_labels)
            for k in range(len(panel.people))
        ],
        dtype=np.float64,
    )
    total = counts.sum(axis=0)
    common = int(np.argmax(total))
    share = float(total[common] / total.sum())
    if n_labels > MOST_LABELS:  # measurements: there is no such thing as the usual answer
        return common, share, np.full(len(pairs[0].measures), np.nan)
    values = []
    for pair in pairs:
        times = counts[panel.column(pair.first)]
        used = np.flatnonzero(times)
        codes = np.stack([used, np.full(used.size, common)], axis=1)
        values.append(PairPatterns(pair, codes, times[used]).values(times[used][:, None])[:, 0])
    return common, share, _mean(np.array(values))


def _mean(values: Floats) -> Floats:
    """Return the mean over the first axis, of the numbers that exist."""
    known = np.isfinite(values)
    n = known.sum(axis=0)
    return np.where(n > 0, np.where(known, values, 0.0).sum(axis=0) / np.maximum(n, 1), np.nan)


def with_majority(panel: Panel, pair: Pair, plan: Plan) -> Floats:
    """Return every measure of the system against the majority of the people.

    Ties are broken at random, many times, and the measures averaged. `pair` lends its distances.
    """
    n_labels = len(panel.ratings.categories)
    if n_labels > MOST_LABELS:
        return np.full(len(pair.measures), np.nan)
    n_people = len(panel.people)
    own = panel.codes[:, panel.column(pair.second)].astype(np.int64)
    own[panel.refused[:, panel.column(pair.second)]] = n_labels
    numbered, back = panel.by_name(np.column_stack([panel.codes[:, :n_people], own]))
    rows, times = distinct(numbered)
    votes = np.zeros((len(rows), n_labels))
    for column in rows[:, :n_people].T:
        voted = column >= 0
        votes[np.flatnonzero(voted), column[voted]] += 1.0
    answered = (rows[:, -1] >= 0) & (votes.sum(axis=1) > 0)
    rows, times, votes = rows[answered], times[answered], votes[answered]
    if not len(rows):
        return np.full(len(pair.measures), np.nan)
    top = votes == votes.max(axis=1, keepdims=True)
    kinds, _, inverse = distinct_with_inverse(np.column_stack([top.astype(np.int64), rows[:, -1]]))
    counts = np.bincount(inverse, weights=times, minlength=len(kinds))
    generator = RandomStream.of(plan.fresh())
    codes, weights = [], []
    for kind, n in zip(kinds, counts, strict=True):
        labels = np.flatnonzero(kind[:n_labels])
        drawn = generator.multinomial(int(n), np.full(labels.size, 1.0 / labels.size), size=_BREAKS)
        codes += [(label, kind[-1]) for label in labels]
        weights += list(drawn.T.astype(np.float64))
    table = PairPatterns(pair, back[np.array(codes)], np.ones(len(codes)))
    return _mean(table.values(np.array(weights)).T)
