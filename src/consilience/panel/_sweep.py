"""Many settings of a system against the same people: one table, best first."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from consilience.core.draws import RandomStream
from consilience.core.resample import Seed
from consilience.core.tails import normal_below
from consilience.document import Finding, found
from consilience.exceptions import InputError
from consilience.inference.posterior import p_value_of
from consilience.panel._differences import Differences, differences_of
from consilience.panel._measures import Measure, measures_of
from consilience.panel._pairs import Pair
from consilience.panel._panel_comparison import _ceiling, _fitting, _plan, facts
from consilience.panel._resampled_means import (
    Contrast,
    Group,
    Plan,
    Value,
    beside_people,
    mean_over,
)
from consilience.panel._settings import as_one, split_by_setting
from consilience.panel._supplements import constant_answer
from consilience.panel._sweep_metrics import (
    Metric,
    from_differences,
    from_values,
    metric_named,
    metrics_for,
    metrics_of_row,
)
from consilience.panel._sweep_result import SweepResult, SweepRow, in_order
from consilience.panel.panel_data import Panel, cluster_codes, cluster_name, from_matrix, prepare
from consilience.ratings import Ratings

_COUNTED = ("identical", "within_1", "within_2", "mean_absolute_difference",
            "root_mean_square_difference")  # fmt: skip


def sweep(
    settings: Any,
    *,
    people: Any = None,
    sort_by: str | None = None,
    coefficients: Any = None,
    setting: str = "setting",
    item: str = "item",
    rater: str = "rater",
    label: str = "label",
    scale: str | None = None,
    categories: Any = None,
    clusters: Any = None,
    refusals: Any = (),
    refused: str | None = None,
    held_out: float = 0.0,
    confidence_level: float = 0.95,
    method: str = "dirichlet",
    n_resamples: int = 2_000,
    rng: Seed = 0,
) -> SweepResult:
    """Compare many settings of a system with the same people: one table, best first.

    Parameters
    ----------
    settings : mapping, or long table
        Setting to `Ratings` of the people and the system; or a table with one row per rating and
        a column of settings, empty for the people; or setting to `Differences`, where only those
        were published.
    people : names of raters
    sort_by : str, optional
        Any metric by any of its names, such as "kappa", "ac1", "L1", "tau_b", "t_test" or
        "simple metric"; default the first coefficient.
    setting, item, rater, label : names of the columns of a long table
    scale, categories : of a long table's labels
    held_out : float, default 0
        Share of the items to hold out: the best setting is chosen on the rest and measured on
        these, so that the number is not flattered by the choice.
    coefficients, clusters, refusals, refused, confidence_level, method, n_resamples, rng
        As for `compare`.

    Returns
    -------
    SweepResult

    Examples
    --------
    >>> from consilience.panel import differences
    >>> tables = {10: differences({0: 65, 1: 20, 2: 13, 3: 2, 4: 1}),  # Haley et al. 2008
    ...           200: differences({0: 35, 1: 54, 2: 7, 3: 4, 4: 1})}
    >>> [row.setting for row in sweep(tables, sort_by="mean_absolute_difference").rows]
    [10, 200]
    """
    if not 0.0 <= held_out < 1.0:
        raise InputError.expected("held_out", "from 0 to below 1", held_out, "for example 0.3")
    if isinstance(settings, Mapping) and settings:
        kinds = {type(one) for one in settings.values()}
        if kinds == {Differences}:
            return _named(_of_differences(settings, sort_by, confidence_level), setting)
    if not (isinstance(settings, Mapping) and all(_is_ratings(settings))):
        options = {} if scale is None else {"scale": scale}
        settings = split_by_setting(
            settings, setting=setting, item=item, rater=rater, label=label,
            categories=categories, **options,
        )  # fmt: skip
    if not settings:
        raise InputError.expected("settings", "at least one", settings, "pass setting: ratings")
    plan = _plan(confidence_level, method, n_resamples, rng)
    joined, known, systems = as_one(settings, people)
    if not systems:
        raise InputError.expected(
            "settings", "ratings of a system beside the people", f"only {known}", "check people="
        )
    panel = prepare(
        joined, systems=systems, people=known, refusals=refusals, refused=refused, scale=scale
    )
    documents = cluster_codes(panel.ratings, clusters)
    plan = _fitting(replace(plan, clusters=documents, cluster_name=cluster_name(clusters)), panel)
    measures = measures_of(panel, coefficients)
    metrics = metrics_for(measures, marks=panel.points is not None, people=True)
    key = metric_named(metrics, sort_by or measures[0].key)
    result = _measured(panel, measures, plan, metrics=metrics, key=key, rng=rng)
    result = _held_out(result, panel, measures, plan, held_out) if held_out else result
    return _named(result, setting)


def _named(result: SweepResult, setting: str) -> SweepResult:
    """Keep what the settings are called."""
    return replace(result, data={**result.data, "setting": setting})


def _is_ratings(settings: Mapping[Any, Any]) -> list[bool]:
    return [isinstance(one, Ratings) for one in settings.values()]


def _measured(
    panel: Panel,
    measures: list[Measure],
    plan: Plan,
    *,
    metrics: tuple[Metric, ...],
    key: Metric,
    rng: Seed,
) -> SweepResult:
    among = tuple(Pair(panel, a, b, measures) for a, b in combinations(panel.people, 2))
    rows = [_row(panel, system, among, measures, plan) for system in panel.systems]
    ordered = in_order(tuple(row for row, _ in rows), key)
    _, _, constant = constant_answer(panel, rows[0][1])
    own = {row.setting: pairs for row, pairs in rows}
    lead, p_value = None, math.nan
    measure = next((one for one in measures if one.key == key.key), None)
    if len(ordered) > 1 and measure is not None:
        best = [own[row.setting] for row in ordered[:2]]
        lead, p_value = _lead(panel, best, measure, plan)
    return SweepResult(
        measures=tuple(measures),
        metrics=metrics,
        sort_by=key.key,
        rows=ordered,
        people=panel.people,
        ceiling=_ceiling(panel, among, measures, plan) if among else {},
        constant=dict(zip((m.key for m in measures), constant.tolist(), strict=True)),
        lead=lead,
        lead_p_value=p_value,
        held_out=None,
        held_out_setting=None,
        confidence_level=plan.level,
        seed=int(rng) if isinstance(rng, (int, np.integer)) else None,
        data=facts(panel, plan),
        findings=_findings(ordered, lead, p_value),
    )


def _row(
    panel: Panel,
    system: object,
    among: tuple[Pair, ...],
    measures: list[Measure],
    plan: Plan,
) -> tuple[SweepRow, list[Pair]]:
    group, own, contrasts = beside_people(panel, system, among, measures, plan)
    (mean, gap), _ = group.contrasted(contrasts)
    keys = [one.key for one in measures]
    values, pooled = dict(zip(keys, mean, strict=True)), _pooled(panel, system)
    row = SweepRow(
        setting=system,
        n_items=int((panel.codes[:, panel.column(system)] >= 0).sum()),
        values=values,
        gap=dict(zip(keys, gap, strict=True)),
        differences=pooled,
        metrics=metrics_of_row(panel, system, values, pooled),
    )
    return row, own


def _pooled(panel: Panel, system: object) -> Differences | None:
    if panel.points is None:
        return None
    marks = panel.marks()
    own = marks[:, panel.column(system)]
    people = marks[:, : len(panel.people)]
    return differences_of(people.ravel(), np.repeat(own, people.shape[1]))


def _lead(
    panel: Panel, best: list[list[Pair]], measure: Measure, plan: Plan
) -> tuple[Value | None, float]:
    """Compare the best two on the same draws of items."""

    raters = (*panel.people, best[0][0].second, best[1][0].second)
    group = Group(panel, raters, (*best[0], *best[1]), plan)
    half = len(best[0])
    sides = []
    for part in (slice(0, half), slice(half, None)):
        mask = np.zeros_like(group.defined)
        mask[:, part] = group.defined[:, part]
        sides.append(mean_over(mask).weights)
    sign = -1.0 if measure.smaller_is_better else 1.0
    gap = Contrast(sign * (sides[0] - sides[1]))
    place = list(best[0][0].measures).index(measure)
    if plan.method == "linearised":
        value = group.linearised(gap)[place]
        error = value.standard_error
        return value, 2.0 * normal_below(-abs(value.value / error)) if error > 0.0 else math.nan
    (values,), _ = group.contrasted([gap])
    value = values[place]
    if value._drawn is not None:
        return value, value._drawn.p_value(0.0, two_sided=True)
    return value, p_value_of(group.replicates([gap])[place], 0.0)


def _findings(
    rows: tuple[SweepRow, ...], lead: Value | None, p_value: float
) -> tuple[Finding, ...]:
    first, second = (*rows, rows[0])[:2]
    several = len(rows) > 1
    return found(
        (
            several,
            "winner_on_same_data",
            "caution",
            f"{first.setting} was picked out of {len(rows)} settings on these very items, so its "
            "number is flattered by the choice. Measure the chosen setting again on items held "
            "out.",
        ),
        (
            several and lead is not None and not p_value < 0.05,
            "no_clear_winner",
            "info",
            f"{first.setting} and {second.setting} cannot be told apart on these items; "
            "choose the cheaper one, or rate more items.",
        ),
    )


def _held_out(
    result: SweepResult, panel: Panel, measures: list[Measure], plan: Plan, share: float
) -> SweepResult:
    """Choose on one part of the items (or documents), measure on the other."""
    generator = RandomStream.of(plan.fresh())
    units = np.arange(len(panel.codes)) if plan.clusters is None else plan.clusters
    n_units = int(units.max()) + 1
    n_out = min(max(round(share * n_units), 1), n_units - 1)
    out = np.isin(units, generator.permutation(n_units)[:n_out])
    chosen = _measured_part(result, panel, ~out, plan)[0].setting
    value = next(r for r in _measured_part(result, panel, out, plan) if r.setting == chosen)
    findings = tuple(one for one in result.findings if one.code != "winner_on_same_data")
    return replace(
        result,
        held_out=_value_of(value, result),
        held_out_setting=chosen,
        findings=findings,
    )


def _value_of(row: SweepRow, result: SweepResult) -> Value:
    """Return what the settings are sorted by; only measures have an interval of their own."""
    for measure in result.measures:
        if measure.key == result.sort_by:
            return row.values[measure.key]
    from consilience.inference import Interval

    one = row.metrics[result.sort_by]
    limits = Interval(one.low, one.high, result.confidence_level, "none")
    return Value(value=one.value, standard_error=math.nan, interval=limits)


def _measured_part(
    result: SweepResult, panel: Panel, chosen: Any, plan: Plan
) -> tuple[SweepRow, ...]:
    codes = panel.codes[chosen].astype(np.int64)
    ratings = from_matrix(
        codes,
        panel.ratings,
        categories=panel.ratings.categories,
        scale=panel.ratings.scale,
        declared=True,
        items=range(len(codes)),
    )
    clusters = None
    if plan.clusters is not None:
        clusters = np.unique(plan.clusters[chosen], return_inverse=True)[1]
    values = None if panel.values is None else panel.values[chosen]
    part = replace(
        panel, ratings=ratings, codes=codes, refused=panel.refused[chosen], values=values
    )
    quick = replace(plan, clusters=clusters)
    rows = [_row(part, system, (), list(result.measures), quick)[0] for system in panel.systems]
    return in_order(tuple(rows), result.metric)


def _of_differences(
    settings: Mapping[Any, Differences], sort_by: str | None, level: float
) -> SweepResult:
    """Sort published distributions of differences; they carry no items, so no intervals."""
    from consilience.inference import Interval, check_confidence_level
    from consilience.panel._measures import _TITLES

    level = check_confidence_level(level)
    measures = [Measure(key, _TITLES[key]) for key in _COUNTED]
    metrics = metrics_for(measures, marks=True, people=False)
    key = metric_named(metrics, sort_by or "mean_absolute_difference")

    def value(number: float) -> Value:
        nothing = Interval(math.nan, math.nan, level, "none")
        return Value(value=number, standard_error=math.nan, interval=nothing)

    rows = []
    for setting, one in settings.items():
        numbers = (one.identical, one.within(1), one.within(2), one.mean_absolute,
                   one.root_mean_square)  # fmt: skip
        values = {k: value(v) for k, v in zip(_COUNTED, numbers, strict=True)}
        rows.append(
            SweepRow(
                setting=setting,
                n_items=round(one.n_items),
                values=values,
                gap={},
                differences=one,
                metrics=from_differences(one) | from_values(values),
            )
        )
    ordered = in_order(tuple(rows), key)
    return SweepResult(
        measures=tuple(measures),
        metrics=metrics,
        sort_by=key.key,
        rows=ordered,
        people=(),
        ceiling={},
        constant={},
        lead=None,
        lead_p_value=math.nan,
        held_out=None,
        held_out_setting=None,
        confidence_level=level,
        seed=None,
        data=_facts_of_counts(max(row.n_items for row in rows)),
        findings=_findings(ordered, None, math.nan),
    )


def _facts_of_counts(n_items: int) -> dict[str, Any]:
    """Say what is known of published counts: two markers, and differences instead of marks."""
    return {
        "items": n_items,
        "raters": 2,
        "ratings": 2 * n_items,
        "missing": 0,
        "categories": [],
        "scale": "interval",
        "shape": "differences",
        "sources": [],
    }
