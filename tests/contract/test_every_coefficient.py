"""What holds for every registered coefficient: its definition, pair by pair, and its identities."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.coefficients import Coefficient, Design, Estimate
from consilience.exceptions import ConsilienceError

Row = Sequence[Any]
Table = list[list[Any]]
Metric = Callable[[Any, Any], float]

# Sums in another order: a few units in the last place, times the number of ratings.
ROUNDING = 1e-10
# Climbing to a maximum in small steps stops a little below it.
OF_CLIMBING = {"aickin_alpha": 1e-5, "linear_distribution_model": 2e-4}
FAST = settings(max_examples=12, deadline=None)

REGISTRY = cs.coefficients()
EVERY = sorted(REGISTRY)
# Small-sample terms count ratings, so these change when every item is doubled.
COUNT_RATINGS = {"krippendorff_alpha", "van_oest"}
# These know the list of categories, so a category that nobody used changes them.
COUNT_CATEGORIES = {"bennett_s", "gwet_ac", "perreault_leigh", "van_oest"}


# --- the definitions, by enumerating ratings ------------------------------------------------------


def given_labels(row: Row) -> list[Any]:
    return [x for x in row if x is not None]


def pairable(rows: Table) -> list[list[Any]]:
    return [labels for labels in map(given_labels, rows) if len(labels) >= 2]


def mean_pair(labels: Sequence[Any], d: Metric) -> float:
    return float(np.mean([d(a, b) for a, b in itertools.permutations(labels, 2)]))


def observed_disagreement(rows: Table, d: Metric) -> float:
    return float(np.mean([mean_pair(labels, d) for labels in pairable(rows)]))


def item_shares(rows: Table, categories: Sequence[Any]) -> dict[Any, float]:
    """Share of each label, every rated item weighing the same."""
    rated = [labels for labels in map(given_labels, rows) if labels]
    return {k: float(np.mean([row.count(k) / len(row) for row in rated])) for k in categories}


def mean_distance(p: dict[Any, float], q: dict[Any, float], d: Metric) -> float:
    return sum(p[a] * q[b] * d(a, b) for a in p for b in q)


def rater_shares(rows: Table, categories: Sequence[Any]) -> list[tuple[int, dict[Any, float]]]:
    """How many items each rater rated, and the share of each label; idle raters left out."""
    columns = [given_labels(column) for column in zip(*rows, strict=True)]
    return [(len(c), {k: c.count(k) / len(c) for k in categories}) for c in columns if c]


def percent(rows: Table, categories: Sequence[Any], d: Metric) -> float:
    widest = max(d(a, b) for a in categories for b in categories)
    return 1 - observed_disagreement(rows, d) / widest if widest else 1.0


def ratio(observed: float, expected: float) -> float:
    return 1 - observed / expected if expected > 1e-13 else math.nan


def s(rows: Table, categories: Sequence[Any], d: Metric) -> float:
    even = dict.fromkeys(categories, 1 / len(categories))
    return ratio(observed_disagreement(rows, d), mean_distance(even, even, d))


def pi(rows: Table, categories: Sequence[Any], d: Metric) -> float:
    p = item_shares(rows, categories)
    return ratio(observed_disagreement(rows, d), mean_distance(p, p, d))


def kappa(rows: Table, categories: Sequence[Any], d: Metric) -> float:
    raters = rater_shares(rows, categories)
    pairs = [mean_distance(p, q, d) for (_, p), (_, q) in itertools.combinations(raters, 2)]
    return ratio(observed_disagreement(rows, d), float(np.mean(pairs)))


def kappa_artstein_poesio(rows: Table, categories: Sequence[Any], d: Metric) -> float:
    pairs = list(itertools.combinations(rater_shares(rows, categories), 2))
    weights = [n * m for (n, _), (m, _) in pairs]
    distances = [mean_distance(p, q, d) for (_, p), (_, q) in pairs]
    return ratio(observed_disagreement(rows, d), float(np.average(distances, weights=weights)))


def alpha(rows: Table, categories: Sequence[Any], d: Metric) -> float:
    units = pairable(rows)
    values = [x for unit in units for x in unit]
    observed = sum(len(unit) * mean_pair(unit, d) for unit in units) / len(values)
    return ratio(observed, mean_pair(values, d))


def ac(rows: Table, categories: Sequence[Any], d: Metric) -> float:
    q = len(categories)
    widest = max(d(a, b) for a in categories for b in categories)
    if q < 2 or widest == 0:
        return math.nan
    total_weight = sum(1 - d(a, b) / widest for a in categories for b in categories)
    variety = sum(p * (1 - p) for p in item_shares(rows, categories).values())
    chance = total_weight / (q * (q - 1)) * variety
    observed = 1 - observed_disagreement(rows, d) / widest
    return (observed - chance) / (1 - chance)


def light(rows: Table, categories: Sequence[Any], d: Metric) -> float:
    columns = list(zip(*rows, strict=True))
    values = []
    for a, b in itertools.combinations(columns, 2):
        common = [[x, y] for x, y in zip(a, b, strict=True) if x is not None and y is not None]
        if common:
            values.append(kappa(common, categories, d))
    values = [value for value in values if not math.isnan(value)]
    return float(np.mean(values)) if values else math.nan


def van_oest(rows: Table, categories: Sequence[Any], d: Metric) -> float:
    values = [x for row in rows for x in given_labels(row)]
    total = len(values) + len(categories)
    p = {k: (1 + values.count(k)) / total for k in categories}
    return ratio(observed_disagreement(rows, d), mean_distance(p, p, d))


def perreault_leigh(rows: Table, categories: Sequence[Any], d: Metric) -> float:
    return math.sqrt(max(0.0, s(rows, categories, d)))


def table_of(rows: Table, categories: Sequence[Any]) -> np.ndarray:
    """Cross-table of two raters over the items that both rated."""
    table = np.zeros((len(categories), len(categories)))
    for row in rows:
        if None not in row:
            table[categories.index(row[0]), categories.index(row[1])] += 1
    used = table.sum(axis=0) + table.sum(axis=1) > 0
    return table[used][:, used]


def aickin(rows: Table, categories: Sequence[Any], d: Metric) -> float:
    """The fixed point of the likelihood equations, and the two edges of the model."""
    table = table_of(rows, categories)
    p = table / table.sum()
    u, v, agreed = p.sum(axis=1), p.sum(axis=0), np.trace(p)
    if len(table) < 2:
        return math.nan
    apart = table - np.diag(np.diag(table))
    if agreed <= u @ v + 1e-12:
        return 0.0
    if not (apart.any(axis=1) & apart.any(axis=0)).any():
        return float(agreed)
    a = previous = 0.0
    for _ in range(60_000):
        s = u @ v
        a = (agreed - s) / (1 - s)
        u = p.sum(axis=1) / ((1 - a) + a * v / s)
        u /= u.sum()
        v = p.sum(axis=0) / ((1 - a) + a * u / (u @ v))
        v /= v.sum()
        if abs(a - previous) < 1e-15:
            break
        previous = a
    return float(a)


def linear_model(rows: Table, categories: Sequence[Any], d: Metric) -> float:
    """Expectation-maximisation from several starts; the best end, or no easy items at all."""
    table = table_of(rows, categories)
    n, agree, drawn = table.sum(), np.diag(table), table.sum(axis=0) + table.sum(axis=1)
    if len(table) < 2:
        return math.nan

    def log_likelihood(a: float, p: np.ndarray) -> float:
        cells = (1 - a) * np.outer(p, p) + a * np.diag(p)
        seen = table > 0
        return float(np.sum(table[seen] * np.log(np.maximum(cells[seen], 1e-300))))

    ends = [(log_likelihood(0.0, drawn / (2 * n)), 0.0)]
    for start in (0.2, 0.9):
        a, p = start, drawn / (2 * n)
        for _ in range(4_000):
            easy = agree * a / (a + (1 - a) * p)
            a, p = easy.sum() / n, (drawn - easy) / (2 * n - easy.sum())
        ends.append((log_likelihood(a, p), float(a)))
    best = max(ends)
    return 0.0 if best[0] - ends[0][0] <= 1e-9 else best[1]


DEFINITIONS: dict[str, Callable[[Table, Sequence[Any], Metric], float]] = {
    "aickin_alpha": aickin,
    "bennett_s": s,
    "cohen_kappa": kappa,
    "gwet_ac": ac,
    "krippendorff_alpha": alpha,
    "light_kappa": light,
    "linear_distribution_model": linear_model,
    "percent_agreement": percent,
    "perreault_leigh": perreault_leigh,
    "scott_pi": pi,
    "van_oest": van_oest,
}


# --- distances, written again ---------------------------------------------------------------------


def nominal(a: Any, b: Any) -> float:
    return float(a != b)


def krippendorff_ordinal(rows: Table) -> Metric:
    values = [x for unit in pairable(rows) for x in unit]

    def mid_rank(x: Any) -> float:
        return sum(v < x for v in values) + sum(v == x for v in values) / 2

    return lambda a, b: (mid_rank(a) - mid_rank(b)) ** 2


UNEVEN = {(0, 1): 3.0, (0, 2): 0.5, (0, 3): 1.0, (1, 2): 2.0, (1, 3): 0.0, (2, 3): 0.25}


def uneven(a: Any, b: Any) -> float:
    return 0.0 if a == b else UNEVEN[min(a, b), max(a, b)]


METRICS: dict[str, Callable[[Table], Metric]] = {
    "nominal": lambda rows: nominal,
    "linear": lambda rows: lambda a, b: abs(a - b),
    "quadratic": lambda rows: lambda a, b: (a - b) ** 2,
    "radical": lambda rows: lambda a, b: abs(a - b) ** 0.5,
    "ratio": lambda rows: lambda a, b: 0.0 if a == b else ((a - b) / (a + b)) ** 2,
    "ordinal": krippendorff_ordinal,
    "uneven": lambda rows: uneven,
}


# --- drawing ratings ------------------------------------------------------------------------------

LABELS = [0, 1, 2, 3]


@st.composite
def tables(
    draw: st.DrawFn,
    *,
    complete: bool = False,
    raters: int | None = None,
    n_labels: int = 4,
    min_items: int = 1,
) -> Table:
    """Items × raters of labels 0..n_labels - 1; at least one item has two ratings."""
    n_raters = raters or draw(st.integers(2, 4))
    label = st.sampled_from(LABELS[:n_labels])
    cell = label if complete else st.one_of(label, label, label, st.none())
    row = st.lists(cell, min_size=n_raters, max_size=n_raters)
    rows = draw(st.lists(row, min_size=min_items, max_size=12))
    assume(pairable(rows))
    return rows


def call(name: str) -> Callable[..., Estimate]:
    return getattr(cs, name)  # type: ignore[no-any-return]


def estimate(name: str, rows: Table, **options: Any) -> Estimate:
    categories = options.pop("categories", LABELS)
    ratings = cs.Ratings.from_wide(rows, categories=categories)
    return call(name)(ratings, on_undefined="ignore", **options)


def exists_for(name: str, rows: Table) -> bool:
    return REGISTRY[name].supports(cs.Ratings.from_wide(rows, categories=LABELS)) is None


def same(a: float, b: float, *, tolerance: float = ROUNDING) -> bool:
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)


def assert_same_estimates(one: Estimate, other: Estimate) -> None:
    assert one.status == other.status
    assert same(one.value, other.value)
    assert same(one.standard_error, other.standard_error, tolerance=1e-7)


# --- the registry ---------------------------------------------------------------------------------


def test_every_registered_coefficient_is_defined_here() -> None:
    assert set(EVERY) <= set(DEFINITIONS)


def test_the_cube_is_complete() -> None:
    cube = {"bennett_s", "scott_pi", "cohen_kappa", "krippendorff_alpha", "gwet_ac"}
    assert cube | {"percent_agreement"} <= set(EVERY)


@pytest.mark.parametrize("name", EVERY)
def test_each_alias_leads_to_its_coefficient(name: str) -> None:
    for alias in REGISTRY[name].aliases:
        assert REGISTRY[alias] is REGISTRY[name]
        assert alias in REGISTRY
        assert REGISTRY[alias.upper().replace("_", "-")] is REGISTRY[name]


def test_no_alias_is_shared() -> None:
    words = [word for spec in REGISTRY.values() for word in (spec.name, *spec.aliases)]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("fleiss", "scott_pi"),
        ("conger", "cohen_kappa"),
        ("beta", "cohen_kappa"),
        ("alpha_prime", "scott_pi"),
        ("ac1", "gwet_ac"),
        ("ac2", "gwet_ac"),
        ("s", "bennett_s"),
        ("brennan_prediger", "bennett_s"),
    ],
)
def test_the_literature_s_names_are_known(alias: str, name: str) -> None:
    assert REGISTRY[alias].name == name


def test_an_unknown_name_is_refused_with_a_guess() -> None:
    with pytest.raises(ConsilienceError, match=r"Got 'kripendorff'\. Hint: did you mean"):
        REGISTRY["kripendorff"]


@pytest.mark.parametrize("name", EVERY)
def test_each_cell_of_the_cube_has_a_name(name: str) -> None:
    spec: Coefficient = REGISTRY[name]
    for n_raters, is_nominal in itertools.product((2, 5), (True, False)):
        design = Design(n_raters, 3, is_nominal)
        assert spec.title(design)
        assert spec.lowest(design) <= 0
    assert spec.summary.endswith(".")


@pytest.mark.parametrize(
    ("name", "raters", "distance", "title"),
    [
        ("scott_pi", 2, "nominal", "Scott's pi"),
        ("scott_pi", 3, "nominal", "Fleiss' kappa"),
        ("scott_pi", 3, "linear", "Alpha prime (weighted pi)"),
        ("cohen_kappa", 2, "nominal", "Cohen's kappa"),
        ("cohen_kappa", 3, "nominal", "Conger's kappa"),
        ("cohen_kappa", 2, "linear", "Weighted kappa"),
        ("cohen_kappa", 3, "linear", "Artstein & Poesio's beta"),
        ("gwet_ac", 3, "nominal", "Gwet's AC1"),
        ("gwet_ac", 3, "linear", "Gwet's AC2"),
        ("krippendorff_alpha", 3, "linear", "Krippendorff's alpha"),
        ("bennett_s", 2, "nominal", "Bennett's S"),
        ("bennett_s", 3, "nominal", "Randolph's kappa"),
        ("bennett_s", 3, "linear", "Weighted Brennan-Prediger coefficient"),
        ("light_kappa", 3, "nominal", "Light's kappa"),
        ("light_kappa", 3, "linear", "Weighted Light's kappa"),
        ("percent_agreement", 2, "nominal", "Percent agreement"),
        ("percent_agreement", 2, "linear", "Weighted percent agreement"),
    ],
)
def test_the_estimate_carries_the_name_of_its_cell(
    name: str, raters: int, distance: str, title: str
) -> None:
    rows = [[k % 2] * raters for k in range(4)] + [[0] * (raters - 1) + [1]]
    assert estimate(name, rows, distance=distance).name == title


# --- the definitions hold -------------------------------------------------------------------------


@pytest.mark.parametrize("metric", sorted(METRICS))
@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_value_is_the_definition(name: str, metric: str, data: st.DataObject) -> None:
    if REGISTRY[name].nominal_only and metric != "nominal":
        return
    raters = 2 if REGISTRY[name].two_raters_only else None
    rows = data.draw(tables(raters=raters))
    d = METRICS[metric](rows)
    expected = DEFINITIONS[name](rows, LABELS, d)
    found = estimate(name, rows, distance=uneven if metric == "uneven" else metric)
    assert same(found.value, expected, tolerance=OF_CLIMBING.get(name, ROUNDING))
    assert (found.status == "undefined") == math.isnan(expected)
    assert (found.reason is None) == (found.status == "ok")


@FAST
@given(rows=tables(), metric=st.sampled_from(["nominal", "linear", "quadratic", "uneven"]))
def test_kappa_by_artstein_and_poesio_weighs_pairs_by_their_items(rows: Table, metric: str) -> None:
    d = METRICS[metric](rows)
    distance = uneven if metric == "uneven" else metric
    found = estimate("cohen_kappa", rows, distance=distance, missing="ap")
    assert same(found.value, kappa_artstein_poesio(rows, LABELS, d))


@pytest.mark.parametrize("name", EVERY)
@FAST
@given(data=st.data())
def test_listwise_is_the_value_for_the_complete_items(name: str, data: st.DataObject) -> None:
    raters = 2 if REGISTRY[name].two_raters_only else None
    rows = data.draw(tables(raters=raters))
    complete = [row for row in rows if None not in row]
    assume(complete)
    if "listwise" not in REGISTRY[name].missing_rules:
        return
    found = estimate(name, rows, missing="listwise")
    assert same(found.value, estimate(name, complete).value)
    assert found.missing == "listwise"
    assert found.n_items == len(rows)
    assert found.n_items_used == len(complete)


@pytest.mark.parametrize("name", EVERY)
@FAST
@given(data=st.data())
def test_value_is_made_of_observed_and_expected(name: str, data: st.DataObject) -> None:
    rows = data.draw(tables(raters=2 if REGISTRY[name].two_raters_only else None))
    metric = "nominal" if REGISTRY[name].nominal_only else "linear"
    e = estimate(name, rows, distance=metric)
    if e.status == "undefined" or e.expected is None:
        return
    if not REGISTRY[name].ratio_of_disagreements:
        return
    assert e.observed is not None
    assert e.observed_disagreement is not None
    assert e.expected_disagreement is not None
    assert same(e.value, (e.observed - e.expected) / (1 - e.expected), tolerance=1e-9)
    assert same(e.value, 1 - e.observed_disagreement / e.expected_disagreement, tolerance=1e-9)
    assert float(e) == e.value


@pytest.mark.parametrize("name", EVERY)
@FAST
@given(data=st.data())
def test_value_lies_in_its_range(name: str, data: st.DataObject) -> None:
    rows = data.draw(tables(raters=2 if REGISTRY[name].two_raters_only else None, complete=True))
    e = estimate(name, rows)
    if e.status == "ok":
        lowest = REGISTRY[name].lowest(Design(len(rows[0]), len(LABELS), True))
        assert lowest - ROUNDING <= e.value <= 1.0


# --- invariances ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
class TestEveryCoefficient:
    def rows(self, name: str, data: st.DataObject, **options: Any) -> Table:
        raters = 2 if REGISTRY[name].two_raters_only else None
        return data.draw(tables(raters=raters, **options))

    def metric(self, name: str, data: st.DataObject, *words: str) -> str:
        if REGISTRY[name].nominal_only:
            return "nominal"
        return data.draw(st.sampled_from(["nominal", "linear", "quadratic", "ordinal", *words]))

    @FAST
    @given(data=st.data())
    def test_value_does_not_depend_on_item_order(self, name: str, data: st.DataObject) -> None:
        rows = self.rows(name, data)
        shuffled = data.draw(st.permutations(rows))
        d = self.metric(name, data)
        one, other = estimate(name, rows, distance=d), estimate(name, shuffled, distance=d)
        assert_same_estimates(one, other)

    @FAST
    @given(data=st.data())
    def test_value_does_not_depend_on_rater_order(self, name: str, data: st.DataObject) -> None:
        rows = self.rows(name, data)
        order = data.draw(st.permutations(range(len(rows[0]))))
        shuffled = [[row[g] for g in order] for row in rows]
        d = self.metric(name, data)
        one, other = estimate(name, rows, distance=d), estimate(name, shuffled, distance=d)
        assert_same_estimates(one, other)

    @FAST
    @given(data=st.data())
    def test_nominal_value_does_not_depend_on_what_labels_are_called(
        self, name: str, data: st.DataObject
    ) -> None:
        rows = self.rows(name, data)
        called = dict(zip(LABELS, data.draw(st.permutations(["d", "α", "", "NA"])), strict=True))
        renamed = [[None if x is None else called[x] for x in row] for row in rows]
        other = estimate(name, renamed, categories=[called[k] for k in sorted(called)])
        assert_same_estimates(estimate(name, rows), other)

    @FAST
    @given(
        data=st.data(),
        shift=st.integers(-50, 50),
        unit=st.sampled_from([0.25, 3.0, -2.0, 1e6, 1e-6]),
    )
    def test_value_does_not_depend_on_origin_and_unit_of_scores(
        self, name: str, data: st.DataObject, shift: int, unit: float
    ) -> None:
        if REGISTRY[name].nominal_only:
            return
        rows = self.rows(name, data)
        d = data.draw(st.sampled_from(["linear", "quadratic", "interval", "radical"]))
        moved = [[None if x is None else shift + unit * x for x in row] for row in rows]
        categories = [shift + unit * x for x in LABELS]
        other = estimate(name, moved, distance=d, categories=categories)
        one = estimate(name, rows, distance=d)
        assert one.status == other.status
        # 1e6 x + shift loses digits against 1e-6 x + shift; a root near 0 would show them twice.
        power = 2 if name == "perreault_leigh" else 1
        assert same(one.value**power, other.value**power, tolerance=1e-7)

    @FAST
    @given(data=st.data(), factor=st.sampled_from([1e-9, 0.5, 7.0, 1e12]))
    def test_value_does_not_depend_on_the_unit_of_distances(
        self, name: str, data: st.DataObject, factor: float
    ) -> None:
        if REGISTRY[name].nominal_only:
            return
        rows = self.rows(name, data)
        d_kl = np.array([[uneven(a, b) for b in LABELS] for a in LABELS])
        one = estimate(name, rows, distance=cs.distances.matrix(d_kl, LABELS))
        other = estimate(name, rows, distance=cs.distances.matrix(factor * d_kl, LABELS))
        assert_same_estimates(one, other)

    @FAST
    @given(data=st.data(), times=st.integers(2, 4))
    def test_doubling_every_item_changes_only_what_counts_ratings(
        self, name: str, data: st.DataObject, times: int
    ) -> None:
        rows = self.rows(name, data)
        d = self.metric(name, data)
        one, other = estimate(name, rows, distance=d), estimate(name, rows * times, distance=d)
        if name not in COUNT_RATINGS:
            assert one.status == other.status
            assert same(one.value, other.value)

    @FAST
    @given(data=st.data())
    def test_table_error_shrinks_with_the_root_of_repeated_items(
        self, name: str, data: st.DataObject
    ) -> None:
        if "table" not in REGISTRY[name].standard_errors or name in COUNT_RATINGS:
            return
        rows = self.rows(name, data, min_items=2)
        one = estimate(name, rows, standard_error="table")
        four = estimate(name, rows * 4, standard_error="table")
        if math.isfinite(one.standard_error):  # not with one usable item
            assert same(one.standard_error, 2 * four.standard_error, tolerance=1e-6)

    @FAST
    @given(data=st.data())
    def test_an_unused_category_changes_only_what_counts_categories(
        self, name: str, data: st.DataObject
    ) -> None:
        rows = self.rows(name, data, n_labels=3)
        d = "nominal" if name == "percent_agreement" else self.metric(name, data, "radical")
        one = estimate(name, rows, distance=d, categories=LABELS[:3])
        other = estimate(name, rows, distance=d, categories=LABELS)
        if name not in COUNT_CATEGORIES:
            assert_same_estimates(one, other)

    @FAST
    @given(data=st.data())
    def test_an_item_that_nobody_rated_changes_nothing(
        self, name: str, data: st.DataObject
    ) -> None:
        rows = self.rows(name, data)
        rated = [row for row in rows if given_labels(row)]
        one = estimate(name, rated)
        other = estimate(name, [*rated, [None] * len(rows[0])])
        assert_same_estimates(one, other)
        assert other.n_items == one.n_items + 1
        assert other.n_items_used == one.n_items_used

    @FAST
    @given(data=st.data())
    def test_a_rater_who_rated_nothing_changes_nothing(
        self, name: str, data: st.DataObject
    ) -> None:
        if REGISTRY[name].two_raters_only:
            return
        rows = self.rows(name, data)
        one, other = estimate(name, rows), estimate(name, [[*row, None] for row in rows])
        assert one.status == other.status
        assert same(one.value, other.value)

    @FAST
    @given(data=st.data())
    def test_full_agreement_is_one_or_undefined(self, name: str, data: st.DataObject) -> None:
        labels = data.draw(st.lists(st.sampled_from(LABELS), min_size=1, max_size=9))
        e = estimate(name, [[k, k] for k in labels])
        assert e.value == 1.0 or e.status == "undefined"
        if len(set(labels)) > 1:
            assert e.value == 1.0

    @FAST
    @given(data=st.data())
    def test_counts_give_the_value_of_the_ratings(self, name: str, data: st.DataObject) -> None:
        if REGISTRY[name].needs_raters or name == "light_kappa":
            return
        rows = self.rows(name, data)
        counts = [[given_labels(row).count(k) for k in LABELS] for row in rows]
        ratings = cs.Ratings.from_counts(counts, categories=LABELS)
        if REGISTRY[name].supports(ratings) is not None:
            return
        d = self.metric(name, data)
        other = call(name)(ratings, distance=d, on_undefined="ignore")
        assert_same_estimates(estimate(name, rows, distance=d), other)

    @FAST
    @given(data=st.data())
    def test_long_form_gives_the_value_of_the_wide_form(
        self, name: str, data: st.DataObject
    ) -> None:
        rows = self.rows(name, data)
        cells = [
            (i, g, x) for i, row in enumerate(rows) for g, x in enumerate(row) if x is not None
        ]
        cells = data.draw(st.permutations(cells))
        items, raters, labels = (list(column) for column in zip(*cells, strict=True))
        assume(len(set(raters)) > 1)
        long = cs.Ratings.from_long(
            {"item": items, "rater": raters, "label": labels}, categories=LABELS
        )
        d = self.metric(name, data)
        if REGISTRY[name].supports(long) is None:
            other = call(name)(long, distance=d, on_undefined="ignore")
            assert same(estimate(name, rows, distance=d).value, other.value)

    @FAST
    @given(data=st.data())
    def test_merging_is_measuring_all_items_at_once(self, name: str, data: st.DataObject) -> None:
        rows = self.rows(name, data)
        cut = data.draw(st.integers(1, len(rows)))
        halves = [part for part in (rows[:cut], rows[cut:]) if part]
        merged = cs.Ratings.from_wide(halves[0], categories=LABELS)
        for part in halves[1:]:
            merged = merged.merge(cs.Ratings.from_wide(part, categories=LABELS))
        d = self.metric(name, data)
        other = call(name)(merged, distance=d, on_undefined="ignore")
        assert_same_estimates(estimate(name, rows, distance=d), other)


# --- identities between coefficients --------------------------------------------------------------


@FAST
@given(rows=tables(complete=True, raters=2), metric=st.sampled_from(["nominal", "linear"]))
def test_two_raters_make_fleiss_scott_and_conger_cohen(rows: Table, metric: str) -> None:
    first, second = (list(column) for column in zip(*rows, strict=True))
    p_kl = np.array([[0.0] * 4] * 4)
    for a, b in rows:
        p_kl[a, b] += 1 / len(rows)
    d_kl = np.array([[METRICS[metric](rows)(a, b) for b in LABELS] for a in LABELS])
    row, column = p_kl.sum(axis=1), p_kl.sum(axis=0)
    pooled = (row + column) / 2
    scott = ratio(float((p_kl * d_kl).sum()), float(pooled @ d_kl @ pooled))
    cohen = ratio(float((p_kl * d_kl).sum()), float(row @ d_kl @ column))
    assert same(cs.scott_pi(first, second, distance=metric, on_undefined="ignore").value, scott)
    assert same(cs.cohen_kappa(first, second, distance=metric, on_undefined="ignore").value, cohen)


@FAST
@given(
    rows=tables(complete=True),
    metric=st.sampled_from(["nominal", "linear", "quadratic", "ordinal"]),
)
def test_alpha_is_alpha_prime_with_a_small_sample_term(rows: Table, metric: str) -> None:
    alpha_prime = estimate("scott_pi", rows, distance=metric)
    epsilon = 1 / (len(rows) * len(rows[0]))
    found = estimate("krippendorff_alpha", rows, distance=metric)
    assert found.status == alpha_prime.status
    assert same(found.value, (1 - epsilon) * alpha_prime.value + epsilon)


@FAST
@given(rows=tables(complete=True), metric=st.sampled_from(["nominal", "linear", "quadratic"]))
def test_kappa_is_at_least_pi_for_distances_of_negative_type(rows: Table, metric: str) -> None:
    one, other = (estimate(n, rows, distance=metric) for n in ("cohen_kappa", "scott_pi"))
    if one.status == other.status == "ok":
        assert one.value >= other.value - ROUNDING


@FAST
@given(rows=tables(complete=True))
def test_the_gap_between_pi_and_kappa_is_the_raters_bias(rows: Table) -> None:
    one, other = (estimate(n, rows) for n in ("cohen_kappa", "scott_pi"))
    shares = np.array([[p[k] for k in LABELS] for _, p in rater_shares(rows, LABELS)])
    bias = shares.var(axis=0).sum() / (len(shares) - 1)
    assert one.expected is not None
    assert other.expected is not None
    assert same(other.expected - one.expected, bias)


@FAST
@given(rows=tables(complete=True, raters=2, min_items=2))
def test_quadratic_kappa_is_the_concordance_correlation(rows: Table) -> None:
    x, y = np.array(rows, dtype=float).T
    spread = x.var() + y.var() + (x.mean() - y.mean()) ** 2
    covariance = ((x - x.mean()) * (y - y.mean())).mean()
    concordance = 2 * covariance / spread if spread else math.nan
    assert same(estimate("cohen_kappa", rows, distance="quadratic").value, concordance)


@FAST
@given(rows=tables(complete=True, min_items=2))
def test_interval_alpha_compares_mean_squares(rows: Table) -> None:
    x = np.array(rows, dtype=float)
    within = x.var(axis=1, ddof=1).mean()
    total = x.var(ddof=1)
    expected = 1 - within / total if total else math.nan
    assert same(estimate("krippendorff_alpha", rows, distance="interval").value, expected)


@FAST
@given(rows=tables(complete=True), metric=st.sampled_from(["nominal", "linear", "quadratic"]))
def test_observed_agreement_is_the_mean_over_rater_pairs(rows: Table, metric: str) -> None:
    pairs = itertools.combinations(zip(*rows, strict=True), 2)
    values = [
        estimate("percent_agreement", [[a, b] for a, b in zip(*pair, strict=True)], distance=metric)
        for pair in pairs
    ]
    found = estimate("percent_agreement", rows, distance=metric).value
    assert same(found, float(np.mean([e.value for e in values])))


@FAST
@given(rows=tables(complete=True, n_labels=2))
def test_s_of_two_categories_is_twice_the_agreement_less_one(rows: Table) -> None:
    agreement = estimate("percent_agreement", rows).value
    assert same(estimate("bennett_s", rows, categories=[0, 1]).value, 2 * agreement - 1)


@FAST
@given(rows=tables(), singles=st.lists(st.sampled_from(LABELS), min_size=1, max_size=4))
def test_items_with_one_rating_never_change_alpha(rows: Table, singles: list[int]) -> None:
    extra = [[k] + [None] * (len(rows[0]) - 1) for k in singles]
    for metric in ("nominal", "ordinal", "quadratic"):
        one = estimate("krippendorff_alpha", rows, distance=metric)
        other = estimate("krippendorff_alpha", rows + extra, distance=metric)
        assert_same_estimates(one, other)


def test_items_with_one_rating_move_the_margins_of_pi_kappa_and_ac() -> None:
    rows: Table = [[0, 0], [0, 0], [0, 0], [1, 1], [0, 1]]
    more = [*rows, [1, None], [1, None]]
    for name in ("scott_pi", "cohen_kappa", "gwet_ac"):
        assert not same(estimate(name, rows).value, estimate(name, more).value)
    for name in ("bennett_s", "percent_agreement"):
        assert same(estimate(name, rows).value, estimate(name, more).value)


def test_an_unused_category_raises_s_and_changes_ac() -> None:
    rows: Table = [[0, 0], [0, 1], [1, 1], [2, 2]]
    for name in sorted(COUNT_CATEGORIES & set(EVERY)):
        one = estimate(name, rows, categories=[0, 1, 2]).value
        assert not same(one, estimate(name, rows, categories=LABELS).value)


def test_doubling_every_item_brings_alpha_to_alpha_prime() -> None:
    rows: Table = [[0, 0], [0, 1], [1, 1], [2, 2]]
    alpha_prime = estimate("scott_pi", rows).value
    gaps = [estimate("krippendorff_alpha", rows * m).value - alpha_prime for m in (1, 2, 4, 8)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 2 * gaps[-1] > 0


def test_beta_can_lie_below_alpha_prime_for_a_distance_that_is_not_of_negative_type() -> None:
    d = np.full((4, 4), 0.1) - 0.1 * np.eye(4)
    d[0, 1] = d[1, 0] = d[2, 3] = d[3, 2] = 1.0
    rows: Table = [[0, 2], [0, 3], [1, 2], [1, 3]] * 5
    distance = cs.distances.matrix(d, LABELS)
    assert same(estimate("cohen_kappa", rows, distance=distance).value, 0.0)
    assert same(estimate("scott_pi", rows, distance=distance).value, 2 / 3)


# --- designs that do not fit ----------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_one_rater_is_refused(name: str) -> None:
    with pytest.raises(ConsilienceError, match=r"two raters.* Got 1.* Hint: "):
        call(name)(cs.Ratings.from_wide([["a"], ["b"]]))


@pytest.mark.parametrize("name", EVERY)
def test_counts_are_refused_where_it_matters_who_rated(name: str) -> None:
    counts = cs.Ratings.from_counts([[2, 0], [1, 1], [0, 2]])
    if REGISTRY[name].supports(counts) is None:
        assert math.isfinite(call(name)(counts).value)
    else:
        with pytest.raises(ConsilienceError, match=r"Got counts.* Hint: "):
            call(name)(counts)


@pytest.mark.parametrize(
    "options",
    [
        {"distance": "quadradic"},
        {"missing": "pairwize"},
        {"standard_error": "bootstrap"},
        {"population": 1},
        {"population": "many"},
        {"population": math.nan},
        {"on_undefined": "shrug"},
    ],
    ids=str,
)
def test_unknown_options_are_refused(options: dict[str, Any]) -> None:
    for name in EVERY:
        with pytest.raises(ConsilienceError, match=r"Got .*\. Hint: "):
            call(name)(cs.Ratings.from_wide([[0, 0], [1, 0], [1, 1]]), **options)


@pytest.mark.parametrize("name", EVERY)
def test_an_option_is_checked_even_when_the_value_is_undefined(name: str) -> None:
    with pytest.raises(ConsilienceError, match="Got 'bootstrap'"):
        call(name)([[0, 0], [0, 0]], standard_error="bootstrap", on_undefined="ignore")


@pytest.mark.parametrize("name", EVERY)
def test_plain_lists_arrays_and_tables_are_taken(name: str) -> None:
    first, second = [0, 0, 1, 1, 1], [0, 1, 1, 1, 0]
    rows = [list(row) for row in zip(first, second, strict=True)]
    expected = call(name)(cs.Ratings.from_wide(rows))
    for data in (
        (first, second),
        (tuple(first), tuple(second)),
        (np.array(first), np.array(second)),
        (np.array(first), second),
        (iter(first), (x for x in second)),
        (rows,),
        (np.array(rows),),
        ({"A": first, "B": second},),
    ):
        found = call(name)(*data)
        assert found.value == expected.value
        assert found.standard_error == expected.standard_error


@pytest.mark.parametrize("name", ["cohen_kappa", "krippendorff_alpha"])
@pytest.mark.parametrize(
    "data",
    [(), (5, 6), (None, None), ("ab", "ab"), ([0, 1],), ([0, 1], [0]), ({0, 1}, {0, 1})],
    ids=repr,
)
def test_what_is_not_ratings_is_refused(name: str, data: tuple[Any, ...]) -> None:
    with pytest.raises(ConsilienceError, match=r"Got .*\. Hint: "):
        call(name)(*data)


@pytest.mark.parametrize("name", EVERY)
def test_the_record_has_the_keys_of_the_schema(name: str) -> None:
    keys = {
        "coefficient", "name", "distance", "status", "reason", "value", "observed", "expected",
        "standard_error", "standard_error_method", "interval", "p_value", "items_used",
    }  # fmt: skip
    for rows in ([[0, 0], [0, 1], [1, 1]], [[0, 0], [0, 0]], [[0, 1]]):
        record = estimate(name, rows, categories=[0, 1]).to_dict()
        assert keys <= set(record)
        assert record["coefficient"] == name
        numbers = [record["value"], record["observed"], record["p_value"]]
        assert all(x is None or math.isfinite(x) for x in numbers)  # type: ignore[arg-type]
        interval = record["interval"]
        if interval is not None:
            assert set(interval) - {"note"} == {"low", "high", "confidence_level", "method"}  # type: ignore[call-overload]


@pytest.mark.parametrize("name", EVERY)
def test_an_estimate_is_frozen_and_prints_in_one_line(name: str) -> None:
    e = estimate(name, [[0, 0], [0, 1], [1, 1], [1, 0]])
    with pytest.raises(AttributeError):
        e.value = 1.0  # type: ignore[misc]
    assert "\n" not in repr(e)
    assert name in repr(e)
