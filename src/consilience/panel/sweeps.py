"""Many settings of a system against the same people: one table, best first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Ints
from consilience.core.draws import RandomStream, Seed
from consilience.core.frames import columns_of
from consilience.core.labels import is_missing
from consilience.core.result import Several
from consilience.core.tails import normal_below
from consilience.core.verdict import Verdict
from consilience.core.words import p_text
from consilience.document import Column, Document, Finding, Table
from consilience.document.blocks import Cell, details, found
from consilience.document.records import Enveloped, Recorded
from consilience.exceptions import InputError
from consilience.inference.intervals import check_confidence_level, p_value_of
from consilience.judges.people_and_systems import matching, who_line
from consilience.judges.verdicts import coded_beside, from_matrix
from consilience.panel._comparison_report import sweep_verdict
from consilience.panel._measures import (
    ERRORS,
    SHARES,
    TITLES,
    Contrast,
    Measure,
    Measured,
    Pair,
    RaterGroup,
    Resampling,
    Value,
    mean_over,
    measures_of,
)
from consilience.panel._panel import Panel, prepare
from consilience.panel._sweep_metrics import (
    Metric,
    MetricValue,
    Rankings,
    from_differences,
    from_values,
    metric_named,
    metrics_for,
    metrics_of_row,
    ranking_sentence,
    ranking_tables,
    rankings,
)
from consilience.panel.comparison import constant_answer, facts, over_documents, plan_of
from consilience.panel.markers import Differences, differences_of
from consilience.ratings import Ratings
from consilience.ratings.stores import as_long

# ---- One set of ratings out of many settings: each setting becomes a rater beside the people.

EVERYWHERE = None  # the ratings of people without a setting hold for all of them


def split_by_setting(
    data: Any, *, setting: str, item: str, rater: str, label: str, **options: Any
) -> dict[object, Ratings]:
    """Split a long table by its column of settings; an empty one holds for all of them."""
    columns = columns_of(data)
    if columns is None:
        raise InputError.expected(
            "settings",
            "a mapping from setting to Ratings, or a long table with a column of settings",
            type(data).__name__,
            'as in sweep({10: ratings_10, 20: ratings_20}, people=["tutor"])',
        )
    for name in (setting, item, rater, label):
        if name not in columns:
            raise InputError.unknown_word("the column", name, [str(key) for key in columns])
    lists = {name: list(columns[name]) for name in (setting, item, rater, label)}
    groups: dict[object, list[int]] = {}
    for k, value in enumerate(lists[setting]):
        groups.setdefault(EVERYWHERE if is_missing(value) else value, []).append(k)
    return {
        value: Ratings.from_long(
            {name: [lists[name][k] for k in places] for name in (item, rater, label)},
            item=item,
            rater=rater,
            label=label,
            **options,
        )
        for value, places in groups.items()
    }


def as_one(
    settings: Mapping[object, Ratings], people: Any
) -> tuple[Ratings, list[object], list[object]]:
    """Return one set of ratings, the people, and the settings as raters.

    A setting with several systems gives one rater each, named "setting / system".
    """
    everybody = list(dict.fromkeys(name for one in settings.values() for name in one.raters))
    known = _people(settings, people, everybody)
    names: list[object] = []
    categories: list[object] = []
    parts: list[tuple[Ints, Ints, Ints]] = []
    raters: list[object] = list(known)
    first = next(iter(settings.values()))
    for setting, one in settings.items():
        item_code, names = coded_beside(names, one.items)
        label_code, categories = coded_beside(categories, one.categories)
        entries = as_long(one.coded_store())
        systems = [name for name in one.raters if name not in known]
        if setting is EVERYWHERE:
            _check_people_only(one, entries.rater, known)
        rater_code = np.empty(len(one.raters), dtype=np.int64)
        for k, name in enumerate(one.raters):
            if name in known:
                rater_code[k] = known.index(name)
            elif setting is not EVERYWHERE:
                raters.append(setting if len(systems) == 1 else f"{setting} / {name}")
                rater_code[k] = len(raters) - 1
        parts.append(
            (item_code[entries.item], rater_code[entries.rater], label_code[entries.label])
        )
    item, rater, label = (np.concatenate(column) for column in zip(*parts, strict=True))
    item, rater, label = _once((item, rater, label), names, raters, categories)
    declared = first.categories_declared and list(first.categories) == categories
    order = _sorted(categories, scale=first.scale, declared=declared)
    place = np.argsort(order)
    joined = Ratings.from_codes(
        item=item,
        rater=rater,
        label=place[label],
        items=names,
        raters=raters,
        categories=[categories[k] for k in order],
        scale=first.told_scale,
        declared=declared,
    )
    return joined, known, raters[len(known) :]


def _people(
    settings: Mapping[object, Ratings], people: Any, everybody: list[object]
) -> list[object]:
    if people is None:
        shared = [
            name for name in everybody if all(name in one.raters for one in settings.values())
        ]
        raise InputError.expected(
            "people",
            "named, so that each setting is compared with them",
            None,
            f"raters found in every setting: {', '.join(map(str, shared)) or 'none'}",
        )
    found: list[object] = []
    is_one = isinstance(people, (str, bytes))
    for name in [people] if is_one else list(people):
        home = next((one for one in settings.values() if name in one.raters), None)
        if home is None:
            home = next(
                (one for one in settings.values() if str(name) in map(str, one.raters)), None
            )
        if home is None:
            raise InputError.unknown_word("people", name, [str(rater) for rater in everybody])
        found += matching(home.raters, [name], "people")
    return found


def _check_people_only(one: Ratings, rater: NDArray[np.integer[Any]], known: list[object]) -> None:
    """Refuse ratings of a system that do not say which setting they are of."""
    others = [name for k in np.unique(rater) if (name := one.raters[k]) not in known]
    if others:
        raise InputError.expected(
            "the setting",
            "given beside every rating of a system",
            f"ratings of {', '.join(map(str, others[:3]))} without one",
            "fill it in, or name them among the people",
        )


def _sorted(categories: list[object], *, scale: str, declared: bool) -> list[int]:
    places = list(range(len(categories)))
    if declared or scale == "nominal":
        return places
    if all(isinstance(value, (int, float)) for value in categories):
        return sorted(places, key=lambda k: categories[k])  # type: ignore[arg-type,return-value]
    return places


def _once(
    entries: tuple[Ints, Ints, Ints],
    names: list[object],
    raters: list[object],
    categories: list[object],
) -> tuple[Ints, Ints, Ints]:
    """Keep one of the equal ratings that people have in every setting; refuse different ones."""
    item, rater, label = entries
    key = item * len(raters) + rater
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    conflict = np.flatnonzero(label != label[first][inverse])
    if conflict.size:
        k = int(conflict[0])
        raise InputError.expected(
            "the ratings of a person",
            "the same in every setting",
            f"{raters[rater[k]]} gave item {names[item[k]]} "
            f"{categories[label[first][inverse][k]]} and {categories[label[k]]}",
            "give each setting its own system name, and the people once",
        )
    return item[first], rater[first], label[first]


# ---- What comes out of a sweep: rows in order, the lead of the best, and how they are shown.


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow(Recorded):
    """One setting: every measure and metric as the mean over people, differences pooled."""

    setting: object
    n_items: int
    values: dict[str, Value]
    gap: dict[str, Value]
    differences: Differences | None
    metrics: dict[str, MetricValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult(Enveloped, Several):
    """Settings of a system, best first.

    Attributes
    ----------
    rows : tuple of SweepRow
        Sorted by `sort_by`.
    measures : tuple of Measure
        Numbers with an interval: coefficients, shares and errors.
    metrics : tuple of Metric
        Everything that settings can be sorted by: the measures, and shares of marks off by 1 to 4
        points, distances, correlations, tests, effect size, precision, recall and F.
    lead : Value or None
        How far the best setting is ahead of the second, on the same items, positive is better.
    lead_p_value : float
        Two-sided, of no difference between the two.
    held_out : Value or None
        The best setting of the first part of the items, measured on the part held out.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("measures",)
    recorded: ClassVar[tuple[str, ...]] = ("rankings",)

    measures: tuple[Measure, ...]
    metrics: tuple[Metric, ...]
    sort_by: str
    rows: tuple[SweepRow, ...]
    people: tuple[object, ...] = ()
    ceiling: dict[str, Value] = field(default_factory=dict)
    constant: dict[str, float] = field(default_factory=dict)
    lead: Value | None = None
    lead_p_value: float = math.nan
    held_out: Value | None = None
    held_out_setting: object = None
    confidence_level: float
    seed: int | None = None
    data: dict[str, Any] = field(repr=False)
    findings: tuple[Finding, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Which setting is best, and whether its lead may be luck."""
        return sweep_verdict(self)

    @property
    def best(self) -> SweepRow:
        """The first row."""
        return self.rows[0]

    @property
    def metric(self) -> Metric:
        """The metric that the rows are sorted by."""
        return next(one for one in self.metrics if one.key == self.sort_by)

    @property
    def rankings(self) -> Rankings | None:
        """The settings ranked by every metric, and how far the metrics agree; None for one."""
        settings = [row.setting for row in self.rows]
        return rankings(self.metrics, settings, [row.metrics for row in self.rows], self.sort_by)

    def sorted_by(self, metric: str) -> SweepResult:
        """Return the same rows in another order; the lead of the best is not known there."""
        chosen = metric_named(self.metrics, metric)
        return replace(
            self,
            sort_by=chosen.key,
            rows=in_order(self.rows, chosen),
            lead=None,
            lead_p_value=math.nan,
            held_out=None,
        )

    def _beside(self) -> dict[str, Any]:
        return {
            "who": {"people": self.people, "systems": [row.setting for row in self.rows]},
            "metrics": [
                {"key": one.key, "title": one.title, "best": one.best} for one in self.metrics
            ],
        }

    def document(self) -> Document:
        """Return the settings as tables, best first, and how far the metrics agree."""
        told = who_line(self.people, [row.setting for row in self.rows], ())
        return Document.of(
            told if self.people else None,
            self._lead() if self.lead else None,
            self._sorted_table(),
            self._group_table("shares"),
            ranking_sentence(self.rankings, len(self.rows)),
            *details(
                *(self._group_table(name) for name in ("measures", "correlations", "tests")),
                self._group_table("labels"),
                *ranking_tables(self.rankings, self.metrics),
            ),
            title="" if self.people else "Settings compared",
            findings=self.findings,
            verdict=self.verdict,
        )

    def _group_table(self, group: str) -> Table | None:
        """Return the metrics of one kind, where any of them is known."""
        shown = [one for one in self.metrics if one.group == group]
        values = (row.metrics.get(one.key) for row in self.rows for one in shown)
        if not any(found is not None and math.isfinite(found.value) for found in values):
            return None
        columns = [column for one in shown for column in self._columns(one)]
        return Table.of(self.rows, "setting!s", *columns, caption=_GROUPS[group])

    def _sorted_table(self) -> Table:
        """Return what the rows are sorted by, with its interval, and what people reach."""
        metric = self.metric
        named = [(row.setting, row.metrics[metric.key]) for row in self.rows]
        if metric.key in self.ceiling:
            named.append(("people", from_values(self.ceiling)[metric.key]))
        sure = any(math.isfinite(one.low) for _, one in named)
        return Table.of(
            named,
            "setting: 0!s",
            (metric.title, "1.value"),
            ("interval", "1") if sure else None,
            caption=f"Sorted by {metric.title}, best first",
        )

    def _columns(self, one: Metric) -> Iterator[Column]:
        """Return the value of a metric, and its p-value or interval where there is one."""
        found = [row.metrics[one.key] for row in self.rows]

        def value(row: SweepRow) -> MetricValue:
            return row.metrics[one.key]

        shown = "p" if one.key == "wilcoxon" else _whole_points(one.key)
        yield one.head, lambda row: value(row).value, shown
        if one.key == "t" and any(math.isfinite(each.p_value) for each in found):
            yield f"p of {one.head}", lambda row: value(row).p_value, "p"
        if one.key == "effect_size" and any(math.isfinite(each.low) for each in found):
            yield "interval", value

    def _lead(self) -> str:
        assert self.lead is not None
        low, high = self.lead.interval
        first, second = self.rows[0].setting, self.rows[1].setting
        text = (
            f"{first} is ahead of {second} by {self.lead.value:.3f} ({low:.3f} to {high:.3f}, "
            f"p {p_text(self.lead_p_value)})."
        )
        if self.held_out is not None:
            text += (
                f" On the items held out, {self.held_out_setting} reaches "
                f"{self.held_out.value:.3f}."
            )
        return text


_GROUPS = {
    "shares": "Marks that are the same or off by 1 to 4 points, and distances over all items",
    "measures": "Coefficients with other distances, and shares within points",
    "correlations": "Correlations",
    "tests": "Tests of the difference, and its size in standard deviations",
    "labels": "Precision, recall and F against the people, and nominal coefficients",
}


def _whole_points(key: str) -> Callable[[float], Cell]:
    """A sum of whole points is a whole number."""
    return lambda value: int(value) if key == "l1" and value.is_integer() else value


def in_order(rows: tuple[SweepRow, ...], metric: Metric) -> tuple[SweepRow, ...]:
    """Sort settings, the best first; those without a value come last."""

    def rank(row: SweepRow) -> float:
        value = row.metrics[metric.key].value
        return math.inf if math.isnan(value) else metric.order(value)

    return tuple(sorted(rows, key=rank))


# ---- The sweep itself.


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
    kinds = {type(one) for one in settings.values()} if isinstance(settings, Mapping) else set()
    if kinds == {Differences}:
        return _named(_of_differences(settings, sort_by, confidence_level), setting)
    if not (isinstance(settings, Mapping) and kinds <= {Ratings}):
        options = {} if scale is None else {"scale": scale}
        settings = split_by_setting(
            settings,
            setting=setting,
            item=item,
            rater=rater,
            label=label,
            categories=categories,
            **options,
        )
    if not settings:
        raise InputError.expected("settings", "at least one", settings, "pass setting: ratings")
    plan = plan_of(confidence_level, method, n_resamples, rng)
    joined, known, systems = as_one(settings, people)
    if not systems:
        raise InputError.expected(
            "settings", "ratings of a system beside the people", f"only {known}", "check people="
        )
    panel = prepare(
        joined, systems=systems, people=known, refusals=refusals, refused=refused, scale=scale
    )
    plan = over_documents(plan, panel, clusters)
    measures = measures_of(panel, coefficients)
    metrics = metrics_for(measures, marks=panel.points is not None, people=True)
    key = metric_named(metrics, sort_by or measures[0].key)
    result = _measured(Measured.of(panel, measures, plan), metrics, key, rng)
    result = _held_out(result, panel, plan, held_out) if held_out else result
    return _named(result, setting)


def _named(result: SweepResult, setting: str) -> SweepResult:
    """Keep what the settings are called."""
    return replace(result, data={**result.data, "setting": setting})


def _measured(
    measured: Measured, metrics: tuple[Metric, ...], key: Metric, rng: Seed
) -> SweepResult:
    panel, plan = measured.panel, measured.plan
    rows = [_row(measured, system) for system in panel.systems]
    ordered = in_order(tuple(row for row, _ in rows), key)
    _, _, constant = constant_answer(panel, rows[0][1])
    own = {row.setting: pairs for row, pairs in rows}
    lead, p_value = None, math.nan
    measure = next((one for one in measured.measures if one.key == key.key), None)
    if len(ordered) > 1 and measure is not None:
        best = [own[row.setting] for row in ordered[:2]]
        lead, p_value = _lead(panel, best, measure, plan)
    return SweepResult(
        measures=tuple(measured.measures),
        metrics=metrics,
        sort_by=key.key,
        rows=ordered,
        people=panel.people,
        ceiling=measured.ceiling() if measured.among else {},
        constant=measured.by_key(constant.tolist()),
        lead=lead,
        lead_p_value=p_value,
        confidence_level=plan.level,
        seed=int(rng) if isinstance(rng, (int, np.integer)) else None,
        data=facts(panel, plan),
        findings=_findings(ordered, lead, p_value),
    )


def _row(measured: Measured, system: object) -> tuple[SweepRow, list[Pair]]:
    panel = measured.panel
    group, own, contrasts = measured.beside_people(system)
    (mean, gap), _ = group.contrasted(contrasts)
    values, pooled = measured.by_key(mean), _pooled(panel, system)
    row = SweepRow(
        setting=system,
        n_items=int((panel.codes[:, panel.column(system)] >= 0).sum()),
        values=values,
        gap=measured.by_key(gap),
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
    panel: Panel, best: list[list[Pair]], measure: Measure, plan: Resampling
) -> tuple[Value | None, float]:
    """Compare the best two on the same draws of items."""

    raters = (*panel.people, best[0][0].second, best[1][0].second)
    group = RaterGroup(panel, raters, (*best[0], *best[1]), plan)
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


def _held_out(result: SweepResult, panel: Panel, plan: Resampling, share: float) -> SweepResult:
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
    one = row.metrics[result.sort_by]
    limits = one.low, one.high
    return Value.of(one.value, limits=limits, level=result.confidence_level, method="none")


def _measured_part(
    result: SweepResult, panel: Panel, chosen: Any, plan: Resampling
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
    values = None if panel.values is None else panel.values[chosen]
    part = replace(
        panel, ratings=ratings, codes=codes, refused=panel.refused[chosen], values=values
    )
    measured = Measured(part, list(result.measures), plan.of_items(chosen), ())
    rows = [_row(measured, system)[0] for system in panel.systems]
    return in_order(tuple(rows), result.metric)


def _of_differences(
    settings: Mapping[Any, Differences], sort_by: str | None, level: float
) -> SweepResult:
    """Sort published distributions of differences; they carry no items, so no intervals."""
    level = check_confidence_level(level)
    measures = [Measure(key, TITLES[key]) for key in (*SHARES, *ERRORS)]
    metrics = metrics_for(measures, marks=True, people=False)
    key = metric_named(metrics, sort_by or "mean_absolute_difference")

    rows = []
    for setting, one in settings.items():
        numbers = {
            "identical": one.identical,
            "within_1": one.within(1),
            "within_2": one.within(2),
            "mean_absolute_difference": one.mean_absolute,
            "root_mean_square_difference": one.root_mean_square,
        }
        values = {k: Value.of(v, level=level, method="none") for k, v in numbers.items()}
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
    n_items = max(row.n_items for row in rows)
    return SweepResult(
        measures=tuple(measures),
        metrics=metrics,
        sort_by=key.key,
        rows=ordered,
        confidence_level=level,
        data={  # of published counts: two markers, and differences instead of marks
            "items": n_items,
            "raters": 2,
            "ratings": 2 * n_items,
            "missing": 0,
            "categories": [],
            "scale": "interval",
            "shape": "differences",
            "sources": [],
        },
        findings=_findings(ordered, None, math.nan),
    )
