"""Rows with multiplicity equal what enumerating the ratings gives, in every layout."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csc_array

import consilience as cs
from consilience.distances import Distance, get_distance
from consilience.rows import BetweenRaters, BetweenTwo, Margin, Rows, Term, Total, reduce_to_rows
from consilience.rows.distinct_rows import RowSource
from consilience.rows.forms import Form, MatrixForm, MomentForm, NominalForm, PointForm
from consilience.rows.reduce import item_rows

Floats = NDArray[np.float64]

# Sums of squares in another order.
ROUNDING = 1e-9
# Central differences with a step of 1e-6 of the totals: the third derivative stays.
DIFFERENCES = 1e-6

NOMINAL = get_distance("nominal", scale="nominal")
INTERVAL = get_distance("interval", scale="interval")


def labels(n_items: int, n_raters: int, n_labels: int, *, missing: float = 0.0) -> NDArray[Any]:
    """Draw labels 0..n_labels - 1, with -1 for a missing rating; raters lean to a common truth."""
    rng = np.random.default_rng(n_items * 1000 + n_raters)
    truth = rng.integers(0, n_labels, (n_items, 1))
    noise = rng.integers(0, n_labels, (n_items, n_raters))
    drawn = np.where(rng.random((n_items, n_raters)) < 0.6, truth, noise)
    return np.where(rng.random((n_items, n_raters)) < missing, -1, drawn)


def as_long(codes: NDArray[Any], *, order: int = 0) -> cs.Ratings:
    item, rater = np.nonzero(codes >= 0)
    shuffled = np.random.default_rng(order).permutation(item.size)
    item, rater = item[shuffled], rater[shuffled]
    return cs.Ratings.from_long(
        {"item": item, "rater": rater, "label": codes[item, rater]},
        categories=range(int(codes.max()) + 1),
    )


def wide(codes: NDArray[Any]) -> cs.Ratings:
    return cs.Ratings.from_wide(codes, missing_values=[-1], categories=range(int(codes.max()) + 1))


def counts_of(codes: NDArray[Any]) -> NDArray[Any]:
    return np.stack([(codes == k).sum(axis=1) for k in range(int(codes.max()) + 1)], axis=1)


# --- the layouts ----------------------------------------------------------------------------------

CROWD = labels(4_000, 400, 3, missing=0.99)
LAYOUTS: dict[str, tuple[NDArray[Any], Callable[[NDArray[Any]], cs.Ratings]]] = {
    "countable": (labels(500, 4, 3), wide),
    "countable with gaps": (labels(500, 4, 3, missing=0.3), wide),
    "column-major": (labels(500, 4, 3, missing=0.3), lambda x: wide(np.asfortranarray(x))),
    "strided": (labels(500, 4, 3), lambda x: wide(np.repeat(x, 2, axis=1)[:, ::2])),
    "8-bit": (labels(500, 4, 3, missing=0.3), lambda x: wide(x.astype(np.int8))),
    "whole floats": (
        labels(500, 4, 3, missing=0.3),
        lambda x: cs.Ratings.from_wide(np.where(x < 0, np.nan, x), categories=range(3)),
    ),
    "far from zero": (
        labels(500, 4, 3),
        lambda x: cs.Ratings.from_wide(x + 10**9, categories=range(10**9, 10**9 + 3)),
    ),
    "negative": (
        labels(500, 4, 3),
        lambda x: cs.Ratings.from_wide(x - 3, categories=range(-3, 0)),
    ),
    "too many patterns to count": (labels(300, 20, 9, missing=0.1), wide),
    "keys beyond 64 bits": (labels(200, 60, 3, missing=0.2), wide),
    "many labels": (labels(300, 3, 700, missing=0.2), wide),
    "lists": (
        labels(120, 4, 3, missing=0.3),
        lambda x: cs.Ratings.from_wide(
            [[None if k < 0 else int(k) for k in row] for row in x], categories=range(3)
        ),
    ),
    "long, dense": (labels(200, 5, 4, missing=0.2), as_long),
    "long, crowd": (CROWD, as_long),
    "several blocks": (labels(70_000, 3, 3, missing=0.1), wide),
    "several blocks, many raters": (labels(70_000, 12, 4, missing=0.1), wide),
}


def test_the_crowd_is_not_laid_out_as_a_matrix() -> None:
    assert type(as_long(CROWD).store).__name__ == "LongTable"


@pytest.fixture(params=LAYOUTS, ids=str)
def layout(request: pytest.FixtureRequest) -> tuple[NDArray[Any], cs.Ratings]:
    codes, make = LAYOUTS[request.param]
    return codes, make(codes)


def dense(vectors: Any) -> Floats:
    return np.asarray(vectors.toarray() if hasattr(vectors, "toarray") else vectors)


def tally(columns: Any, times: Floats) -> Counter[tuple[float, ...]]:
    found: Counter[tuple[float, ...]] = Counter()
    for column, n in zip(dense(columns).T.tolist(), times.tolist(), strict=True):
        found[tuple(column)] += n
    return found


def only(source: RowSource) -> Rows:
    (rows,) = source.chunks()
    return rows


def test_rows_are_the_items_label_counts(layout: tuple[NDArray[Any], cs.Ratings]) -> None:
    codes, ratings = layout
    rows = only(reduce_to_rows(ratings, NOMINAL))
    expected = Counter(map(tuple, counts_of(codes[(codes >= 0).any(axis=1)]).tolist()))
    assert tally(rows.vectors, rows.multiplicity) == expected
    np.testing.assert_array_equal(rows.ratings, dense(rows.vectors).sum(axis=0))


def test_rows_by_rater_say_who_gave_which_label(layout: tuple[NDArray[Any], cs.Ratings]) -> None:
    codes, ratings = layout
    if codes.size * (codes.max() + 1) > 3_000_000:
        codes = codes[:0]
        rows = only(reduce_to_rows(ratings, NOMINAL, by_rater=True))
        assert rows.multiplicity.sum() == ratings.n_items
        return
    rows = only(reduce_to_rows(ratings, NOMINAL, by_rater=True))
    assert rows.by_rater is not None
    who = dense(rows.by_rater).reshape(codes.shape[1], -1, rows.ratings.size)
    coded = np.where(who.any(axis=1), who.argmax(axis=1), -1).astype(float)
    rated = codes[(codes >= 0).any(axis=1)]
    assert tally(coded, rows.multiplicity) == Counter(map(tuple, rated.tolist()))
    np.testing.assert_array_equal(who.sum(axis=0), dense(rows.vectors))


def test_multiplicities_add_up_to_the_rated_items(layout: tuple[NDArray[Any], cs.Ratings]) -> None:
    codes, ratings = layout
    rows = only(reduce_to_rows(ratings, NOMINAL))
    assert rows.multiplicity.sum() == (codes >= 0).any(axis=1).sum()
    assert rows.multiplicity @ rows.ratings == (codes >= 0).sum() == ratings.n_ratings


def test_item_rows_come_in_the_order_of_the_items(layout: tuple[NDArray[Any], cs.Ratings]) -> None:
    codes, ratings = layout
    form = NominalForm(len(ratings.categories))
    vectors = np.concatenate([dense(rows.vectors) for rows in item_rows(ratings, form)], axis=1)
    expected = counts_of(codes)
    assert len(ratings.items) == ratings.n_items == vectors.shape[1]
    by_name = dict(zip(ratings.items, vectors.T.tolist(), strict=True))
    for item in range(0, len(codes), 97):
        if expected[item].any():
            assert by_name[item] == expected[item].tolist()


def test_counts_and_cross_tables_are_rows_as_well() -> None:
    codes = labels(300, 2, 4)
    expected = Counter(map(tuple, counts_of(codes).tolist()))
    counts = only(reduce_to_rows(cs.Ratings.from_counts(counts_of(codes)), NOMINAL))
    assert tally(counts.vectors, counts.multiplicity) == expected
    cross = np.zeros((4, 4))
    np.add.at(cross, (codes[:, 0], codes[:, 1]), 1)
    table = only(reduce_to_rows(cs.Ratings.from_table(cross), NOMINAL))
    assert tally(table.vectors, table.multiplicity) == expected


def test_a_selection_and_a_merger_have_the_rows_of_their_items() -> None:
    codes = labels(300, 4, 3, missing=0.2)
    chosen = wide(codes).select(raters=[2, 0])
    rated = codes[:, [2, 0]][(codes[:, [2, 0]] >= 0).any(axis=1)]
    rows = only(reduce_to_rows(chosen, NOMINAL))
    assert tally(rows.vectors, rows.multiplicity) == Counter(map(tuple, counts_of(rated).tolist()))
    merged = wide(codes[:120]).merge(wide(codes[120:]))
    both, whole = (only(reduce_to_rows(r, NOMINAL, by_rater=True)) for r in (merged, wide(codes)))
    assert tally(both.by_rater, both.multiplicity) == tally(whole.by_rater, whole.multiplicity)


def test_a_hundred_million_items_cost_as_many_rows_as_there_are_patterns() -> None:
    ratings = cs.Ratings.from_table(np.full((5, 5), 4_000_000))
    rows = only(reduce_to_rows(ratings, NOMINAL, by_rater=True))
    assert ratings.n_items == 100_000_000
    assert rows.multiplicity.size == 25


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", "<u2"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_integer_type_gives_the_same_rows(dtype: str, order: Any) -> None:
    for codes in (labels(400, 3, 4), labels(200, 20, 9), labels(100, 60, 3)):
        array = codes.astype(dtype, order=order)
        array.setflags(write=False)
        rows = only(reduce_to_rows(cs.Ratings.from_wide(array), NOMINAL, by_rater=True))
        same = only(reduce_to_rows(cs.Ratings.from_wide(codes), NOMINAL, by_rater=True))
        assert tally(rows.by_rater, rows.multiplicity) == tally(same.by_rater, same.multiplicity)


@pytest.mark.parametrize("start", [2**62, -(2**63), 2**63 - 3, 2**31 - 1, -(2**31), 2**53])
@pytest.mark.parametrize("n_raters", [2, 5, 20, 40])
def test_integers_at_the_ends_of_their_range_are_counted(start: int, n_raters: int) -> None:
    codes = labels(200, n_raters, 3)
    ratings = cs.Ratings.from_wide(codes.astype(np.int64) + np.int64(start))
    assert ratings.categories == (start, start + 1, start + 2)
    rows = only(reduce_to_rows(ratings, NOMINAL))
    assert tally(rows.vectors, rows.multiplicity) == Counter(map(tuple, counts_of(codes).tolist()))


def test_unsigned_integers_beyond_the_signed_range_are_counted() -> None:
    codes = labels(200, 5, 3)
    ratings = cs.Ratings.from_wide(codes.astype(np.uint64) + np.uint64(2**63))
    assert ratings.categories == (2**63, 2**63 + 1, 2**63 + 2)
    rows = only(reduce_to_rows(ratings, NOMINAL))
    assert tally(rows.vectors, rows.multiplicity) == Counter(map(tuple, counts_of(codes).tolist()))


# --- numbers that hardly repeat -------------------------------------------------------------------


def numbers(*, missing: float = 0.2, offset: float = 0.0, n_items: int = 40) -> Floats:
    rng = np.random.default_rng(7)
    values = offset + rng.normal(size=(n_items, 1)) + 0.3 * rng.normal(size=(n_items, 4))
    return np.where(rng.random(values.shape) < missing, np.nan, values)


def distance_sums(values: Floats, d: Callable[[float, float], float]) -> list[float]:
    rows = [row[~np.isnan(row)] for row in values]
    return [sum(d(a, b) for a, b in itertools.permutations(row, 2)) for row in rows]


def circular_metric(a: float, b: float) -> float:
    return float(np.sin(np.pi * (a - b) / 3.0) ** 2)


SQUARED = [
    pytest.param(INTERVAL, lambda a, b: (a - b) ** 2, id="interval"),
    pytest.param(cs.distances.circular(3.0), circular_metric, id="circular"),
]


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize(("distance", "metric"), SQUARED)
def test_streamed_rows_hold_the_distances_within_items(
    distance: Distance, metric: Callable[[float, float], float], offset: float, missing: float
) -> None:
    values = numbers(missing=missing, offset=offset)
    source = reduce_to_rows(
        cs.Ratings.from_wide(values, scale="interval"), distance, labels_needed=False
    )
    assert not source.in_memory
    rows = only(source)
    np.testing.assert_array_equal(rows.ratings, (~np.isnan(values)).sum(axis=1))
    np.testing.assert_allclose(rows.within, distance_sums(values, metric), atol=1e-8)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("name", ["percent_agreement", "scott_pi", "cohen_kappa"])
@pytest.mark.parametrize(("distance", "metric"), SQUARED)
def test_streaming_gives_the_value_of_listing_the_labels(
    distance: Distance, metric: Callable[[float, float], float], name: str, missing: float
) -> None:
    values = numbers(missing=missing)
    streamed = cs.Ratings.from_wide(values, scale="interval")
    found = np.unique(values[~np.isnan(values)]).tolist()
    listed = cs.Ratings.from_wide(values, scale="interval", categories=found)
    one, other = (getattr(cs, name)(r, distance=distance) for r in (streamed, listed))
    method = {"standard_error": "linearised"}
    error, listed_error = (
        getattr(cs, name)(r, distance=distance, **method).standard_error for r in (streamed, listed)
    )
    assert one.value == pytest.approx(other.value, abs=ROUNDING)
    assert one.observed == pytest.approx(other.observed, abs=ROUNDING)
    assert error == pytest.approx(listed_error, rel=1e-7)
    assert one.standard_error_method == other.standard_error_method


def test_numbers_on_a_short_arc_are_compared_with_the_widest_pair_among_them() -> None:
    quarters = np.array([[6, 10], [14, 10], [2, 1]])
    streamed = cs.Ratings.from_wide(quarters / 4, scale="interval")
    listed = cs.Ratings.from_wide(quarters, scale="interval")
    for name in ("percent_agreement", "scott_pi"):
        one = getattr(cs, name)(streamed, distance=cs.distances.circular(10))
        other = getattr(cs, name)(listed, distance=cs.distances.circular(40))
        assert one.value == pytest.approx(other.value, abs=ROUNDING)
        assert one.observed == pytest.approx(other.observed, abs=ROUNDING)


@pytest.mark.parametrize("offset", [1e3, 1e6, 1e9])
def test_a_large_offset_costs_no_digits(offset: float) -> None:
    near = cs.krippendorff_alpha(
        cs.Ratings.from_wide(np.round(numbers(missing=0.1), 3), scale="interval")
    )
    far = cs.krippendorff_alpha(
        cs.Ratings.from_wide(np.round(numbers(missing=0.1), 3) + offset, scale="interval")
    )
    # The numbers themselves are only known to offset × 2^-52.
    assert far.value == pytest.approx(near.value, abs=1e-14 * offset + 1e-12)
    assert far.standard_error == pytest.approx(near.standard_error, rel=1e-12 * offset + 1e-9)


def test_numbers_in_which_raters_agree_fully_agree_fully() -> None:
    column = np.random.default_rng(3).normal(1e5, 1.0, size=(200, 1))
    for n_raters in (2, 3, 7, 30):
        e = cs.krippendorff_alpha(
            cs.Ratings.from_wide(np.repeat(column, n_raters, axis=1), scale="interval")
        )
        assert e.value == 1.0
        assert e.observed_disagreement == 0.0  # and no rounding of sums of squares
        assert e.standard_error == 0.0
        assert e.flags == ("boundary",)


def test_numbers_that_are_all_the_same_do_not_vary() -> None:
    for constant in (0.1, 1e9 + 0.1, -1e-9):
        r = cs.Ratings.from_wide(np.full((5, 2), constant), scale="interval")
        e = cs.krippendorff_alpha(r, on_undefined="ignore")
        assert e.status == "undefined"
        assert str(e.reason).startswith("no_variation")


def test_gaps_after_the_first_block_are_seen() -> None:
    values = numbers(missing=0.0, n_items=20_000)
    values[12_345, 2] = np.nan
    e = cs.krippendorff_alpha(cs.Ratings.from_wide(values, scale="interval"))
    listed = [row[~np.isnan(row)] for row in values]
    pooled = np.concatenate(listed)
    within = sum(len(row) * row.var(ddof=1) for row in listed) / pooled.size
    assert e.value == pytest.approx(1 - within / pooled.var(ddof=1), abs=ROUNDING)


# --- forms ----------------------------------------------------------------------------------------


def circle(n_points: int, *, share: float = 1.0) -> Floats:
    angle = 2 * np.pi * share * np.sort(np.random.default_rng(n_points).random(n_points))
    return np.stack([np.cos(angle), np.sin(angle)], axis=1) / 2


def squared_distances(points: Floats) -> Floats:
    return np.asarray(((points[:, None] - points[None, :]) ** 2).sum(axis=2))


POINTS = np.array([[0.0], [1.5], [-2.0], [40.0], [41.0]])
FORMS: dict[str, tuple[Form, Floats]] = {
    "nominal": (NominalForm(5), 1.0 - np.eye(5)),
    "matrix": (MatrixForm(squared_distances(POINTS) ** 0.5), squared_distances(POINTS) ** 0.5),
    "points on a line": (PointForm(POINTS), squared_distances(POINTS)),
    "points on a circle": (PointForm(circle(5)), squared_distances(circle(5))),
}


@pytest.fixture(params=FORMS, ids=str)
def form(request: pytest.FixtureRequest) -> tuple[Form, Floats]:
    return FORMS[request.param]


def test_a_form_is_its_matrix(form: tuple[Form, Floats]) -> None:
    made, d_kl = form
    vectors = np.random.default_rng(1).integers(0, 4, (5, 7)).astype(float)
    ratings = vectors.sum(axis=0)
    pairs = np.einsum("kp,kl,lp->p", vectors, d_kl, vectors)
    np.testing.assert_allclose(made.apply(vectors), d_kl @ vectors, atol=ROUNDING)
    np.testing.assert_allclose(made.apply(vectors[:, 0]), d_kl @ vectors[:, 0], atol=ROUNDING)
    np.testing.assert_allclose(made.quadratic(vectors), pairs, atol=ROUNDING)
    np.testing.assert_allclose(made.within(vectors, ratings), pairs, atol=ROUNDING)
    np.testing.assert_allclose(made.mass() @ vectors, ratings)
    assert made.maximum == pytest.approx(d_kl.max())
    assert made.uniform == pytest.approx(d_kl.mean())
    assert made.size == 5


def test_sparse_vectors_give_what_dense_ones_give(form: tuple[Form, Floats]) -> None:
    made, _ = form
    vectors = np.random.default_rng(2).integers(0, 3, (5, 9)).astype(float)
    ratings = vectors.sum(axis=0)
    np.testing.assert_allclose(
        made.within(csc_array(vectors), ratings), made.within(vectors, ratings), atol=ROUNDING
    )


@pytest.mark.parametrize("points", [POINTS, circle(5)], ids=["line", "circle"])
def test_moments_know_the_distances_of_the_points_behind_them(points: Floats) -> None:
    made = MomentForm(points.shape[1], 1.0)
    psi = np.concatenate([np.ones((1, 5)), points.T, (points**2).sum(axis=1)[None]])
    vectors = np.random.default_rng(4).integers(0, 4, (5, 6)).astype(float)
    moments = psi @ vectors
    d_kl = squared_distances(points)
    pairs = np.einsum("kp,kl,lp->p", vectors, d_kl, vectors)
    np.testing.assert_allclose(made.quadratic(moments), pairs, atol=1e-7)
    np.testing.assert_allclose(made.within(moments, vectors.sum(axis=0)), pairs, atol=1e-7)
    np.testing.assert_allclose(psi.T @ made.apply(moments), d_kl @ vectors, atol=1e-7)
    np.testing.assert_allclose(made.mass() @ moments, vectors.sum(axis=0))


@pytest.mark.parametrize("n_points", [3, 200, 2_100])
@pytest.mark.parametrize("share", [1.0, 0.4])
def test_the_widest_distance_on_a_circle_is_found(n_points: int, share: float) -> None:
    points = circle(n_points, share=share)
    assert PointForm(points).maximum == pytest.approx(squared_distances(points).max(), abs=1e-12)


@pytest.mark.parametrize("n_labels", [200, 300])
def test_many_labels_take_the_closed_form_and_give_the_same_value(n_labels: int) -> None:
    codes = labels(600, 3, n_labels, missing=0.1)
    ratings = wide(codes)
    matrix = cs.distances.matrix(
        np.subtract.outer(np.arange(float(codes.max() + 1)), np.arange(codes.max() + 1.0)) ** 2
    )
    for name in ("scott_pi", "cohen_kappa", "krippendorff_alpha", "gwet_ac", "bennett_s"):
        closed = getattr(cs, name)(ratings, distance="quadratic")
        listed = getattr(cs, name)(ratings, distance=matrix)
        assert closed.value == pytest.approx(listed.value, abs=ROUNDING)
        assert closed.standard_error == pytest.approx(listed.standard_error, rel=1e-6)


# --- terms ----------------------------------------------------------------------------------------


def heavier(rows: Rows) -> Floats:
    return np.sqrt(rows.ratings)


def random_rows(form: Form, *, sparse: bool = False) -> Rows:
    """Three raters, some of whom left gaps, on eight rows."""
    rng = np.random.default_rng(11)
    who = np.zeros((3, form.size, 8))
    for g, p in itertools.product(range(3), range(8)):
        if rng.random() < 0.8:
            if isinstance(form, MomentForm):
                x = rng.normal(size=form.dimensions)
                who[g, :, p] = [1.0, *x, (x**2).sum()]
            else:
                who[g, rng.integers(form.size), p] = 1.0
    vectors = who.sum(axis=0)
    by_rater: Any = who.reshape(-1, 8)
    ratings = form.mass() @ vectors
    times = rng.integers(1, 5, 8).astype(float)
    if sparse:
        return Rows(form, csc_array(vectors), ratings, times, csc_array(by_rater))
    return Rows(form, vectors, ratings, times, by_rater)


TERMS: dict[str, Callable[[Form], Term]] = {
    "total": lambda form: Total(heavier),
    "margin": lambda form: Margin(heavier, form),
    "between raters": BetweenRaters,
    "between raters by size": lambda form: BetweenRaters(form, by_size=True),
    "between two": lambda form: BetweenTwo(form, 0, 2),
}
ALL_FORMS = {**{name: form for name, (form, _) in FORMS.items()}, "moments": MomentForm(2, 9.0)}


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("form_name", ALL_FORMS)
@pytest.mark.parametrize("term_name", TERMS)
def test_the_gradient_of_a_term_is_its_derivative(
    term_name: str, form_name: str, sparse: bool
) -> None:
    form = ALL_FORMS[form_name]
    term = TERMS[term_name](form)
    rows = random_rows(form, sparse=sparse)
    totals = np.asarray(term.features(rows) @ rows.multiplicity)
    gradient = term.gradient(totals)
    steps = 1e-6 * np.maximum(np.abs(totals), 1.0)
    for place, step in enumerate(steps):
        moved = [totals.copy(), totals.copy()]
        moved[0][place] -= step
        moved[1][place] += step
        slope = (term.value(moved[1]) - term.value(moved[0])) / (2 * step)
        scale = max(1.0, float(np.abs(gradient).max()))
        assert gradient[place] == pytest.approx(slope, abs=DIFFERENCES * scale)


def test_between_raters_is_the_mean_over_pairs() -> None:
    form = FORMS["points on a line"][0]
    d_kl = FORMS["points on a line"][1]
    rows = random_rows(form)
    assert rows.by_rater is not None
    totals = rows.by_rater @ rows.multiplicity
    margins = totals.reshape(3, -1)
    sizes = margins.sum(axis=1)
    pairs = list(itertools.combinations(range(3), 2))
    distances = [margins[g] @ d_kl @ margins[h] / (sizes[g] * sizes[h]) for g, h in pairs]
    weights = [sizes[g] * sizes[h] for g, h in pairs]
    assert BetweenRaters(form).value(totals) == pytest.approx(np.mean(distances))
    by_size = BetweenRaters(form, by_size=True).value(totals)
    assert by_size == pytest.approx(np.average(distances, weights=weights))


def test_between_two_uses_the_items_that_both_rated() -> None:
    form = NominalForm(5)
    rows = random_rows(form)
    assert rows.by_rater is not None
    who = rows.by_rater.reshape(3, 5, 8)
    both = who[0].any(axis=0) & who[1].any(axis=0)
    a, b = ((who[g] * both) @ rows.multiplicity for g in (0, 1))
    term = BetweenTwo(form, 0, 1)
    assert term.value(term.features(rows) @ rows.multiplicity) == pytest.approx(
        a.sum() * b.sum() - a @ b
    )
