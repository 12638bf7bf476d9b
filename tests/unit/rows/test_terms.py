"""Terms by their definitions: sums over pairs of labels, numbers without a row, many at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csc_array

from consilience.core.arrays import dense
from consilience.rows import (
    BetweenRaters,
    BetweenTwo,
    Disagreement,
    Margin,
    PairDisagreement,
    Rows,
    Term,
    Total,
)
from consilience.rows.distinct_rows import (
    RowTable,
    in_runs,
    incidence,
    join_rows,
    order_by_content,
    parts_of,
    scaled,
)
from consilience.rows.forms import Form, MatrixForm, NominalForm, PointForm, ReplicateForm
from consilience.rows.number_rows import as_moments, one_row
from consilience.rows.terms import MarginToUniform, Maximum, Uniform

Floats = NDArray[np.float64]

# Sums in another order.
ROUNDING = 1e-11

LINE = np.array([[-2.0], [0.0], [1.5], [4.0], [41.0]])
SQUARES = ((LINE[:, None] - LINE[None]) ** 2).sum(axis=2)
FORMS: dict[str, tuple[Form, Floats]] = {
    "nominal": (NominalForm(5), 1.0 - np.eye(5)),
    "matrix": (MatrixForm(SQUARES**0.25), SQUARES**0.25),
    "points": (PointForm(LINE), SQUARES),
}
N_RATERS, N_ROWS = 4, 9


def heavier(rows: Rows) -> Floats:
    return np.sqrt(rows.ratings)


def made_rows(form: Form, *, sparse: bool = False) -> Rows:
    """Four raters with gaps on nine rows; the last rater has a single rating, in the first row."""
    rng = np.random.default_rng(3)
    who = np.zeros((N_RATERS, form.size, N_ROWS))
    for g, p in itertools.product(range(N_RATERS - 1), range(N_ROWS)):
        if rng.random() < 0.7:
            who[g, rng.integers(form.size), p] = 1.0
    who[-1, 2, 0] = 1.0
    vectors, by_rater = who.sum(axis=0), who.reshape(-1, N_ROWS)
    times = rng.integers(1, 5, N_ROWS).astype(float)
    times[0] = 1.0
    as_held = csc_array if sparse else np.asarray
    return Rows(form, as_held(vectors), vectors.sum(axis=0), times, as_held(by_rater))


def totals_of(term: Term, rows: Rows) -> Floats:
    return np.asarray(term.features(rows) @ rows.multiplicity)


@pytest.fixture(params=FORMS, ids=str)
def form(request: pytest.FixtureRequest) -> tuple[Form, Floats]:
    return FORMS[request.param]


def test_distances_of_pairs_of_labels_are_those_of_the_matrix(form: tuple[Form, Floats]) -> None:
    made, d_kl = form
    first, second = np.divmod(np.arange(25), 5)
    np.testing.assert_allclose(made.between(first, second), d_kl.ravel(), atol=ROUNDING)


# --- numbers are sums of distances ----------------------------------------------------------------

COUPLED: dict[str, Callable[[Form], Term]] = {
    "disagreement": lambda form: Disagreement(heavier, form),
    "margin": lambda form: Margin(heavier, form),
    "margin to uniform": lambda form: MarginToUniform(heavier, form),
    "between raters": BetweenRaters,
    "between raters by size": lambda form: BetweenRaters(form, by_size=True),
    "between two": lambda form: BetweenTwo(form, 0, 2),
    "two raters' disagreement": lambda form: PairDisagreement(form, 0, 2),
    "uniform": Uniform,
    "maximum": Maximum,
}


@pytest.mark.parametrize("name", COUPLED)
def test_a_number_is_its_coupling_times_the_distances(name: str, form: tuple[Form, Floats]) -> None:
    """sum_kl O_kl d_kl, with O a symmetric matrix: what errors by a moving metric rest on."""
    made, d_kl = form
    if name == "maximum" and isinstance(made, NominalForm):
        made, d_kl = FORMS["points"]  # its coupling is that of labels on a line
    term = COUPLED[name](made)
    rows = made_rows(made)
    totals = totals_of(term, rows)
    coupling = term.coupling(totals, RowTable(rows, N_RATERS), np.eye(5))
    assert coupling is not None
    np.testing.assert_allclose(coupling, coupling.T, atol=ROUNDING)
    assert (coupling * d_kl).sum() == pytest.approx(term.value(totals), rel=ROUNDING)


@pytest.mark.parametrize("name", [name for name in COUPLED if "disagreement" not in name])
def test_columns_of_totals_are_coupled_one_by_one(name: str) -> None:
    made, _ = FORMS["points"]
    term = COUPLED[name](made)
    rows = made_rows(made)
    source = RowTable(rows, N_RATERS)
    totals = totals_of(term, rows)[:, None] * [1.0, 2.0, 0.5]
    x = np.random.default_rng(1).normal(size=(5, 3))
    together = term.coupling(totals, source, x)
    assert together is not None
    for k in range(3):
        alone = term.coupling(totals[:, k], source, x[:, [k]])
        np.testing.assert_allclose(together[:, [k]], alone, rtol=ROUNDING)


def test_a_margin_compared_by_another_distance_moves_with_no_metric() -> None:
    rows = made_rows(FORMS["points"][0])
    term = Margin(heavier, NominalForm(5))
    assert term.coupling(totals_of(term, rows), RowTable(rows, N_RATERS), np.eye(5)) is None


@pytest.mark.parametrize(
    "make",
    [lambda form: Disagreement(heavier, form), lambda form: PairDisagreement(form, 0, 2)],
    ids=["all", "two raters"],
)
def test_a_metric_of_each_replicate_gives_each_its_number(make: Callable[[Form], Term]) -> None:
    """How often two labels meet is counted once; the distances of a replicate come afterwards."""
    rng = np.random.default_rng(5)
    points = np.sort(rng.normal(size=(5, 3)), axis=0)
    moving = make(ReplicateForm(points))
    rows = made_rows(FORMS["points"][0])
    met = totals_of(moving, rows)
    replicates = np.repeat(met[:, None], 3, axis=1)
    wanted = []
    for b in range(3):
        fixed = make(PointForm(points[:, [b]]))
        here = made_rows(PointForm(points[:, [b]]))
        wanted.append(float(fixed.value(totals_of(fixed, here))))
    np.testing.assert_allclose(moving.value(replicates), wanted, rtol=ROUNDING)
    slopes = moving.gradient(replicates)
    np.testing.assert_allclose((slopes * replicates).sum(axis=0), wanted, rtol=ROUNDING)
    x = rng.normal(size=(5, 3))
    coupled = moving.coupling(replicates, RowTable(rows, N_RATERS), x)
    assert coupled is not None
    for b in range(3):
        symmetric = met.reshape(5, 5)
        np.testing.assert_allclose(coupled[:, b], symmetric @ x[:, b], rtol=ROUNDING)


def test_a_form_of_replicates_is_a_form_of_points_in_each() -> None:
    points = np.sort(np.random.default_rng(6).normal(size=(5, 3)), axis=0)
    moving = ReplicateForm(points)
    vectors = np.random.default_rng(7).integers(0, 4, (5, 3)).astype(float)
    blocks = np.random.default_rng(8).integers(0, 4, (5, 2, 3)).astype(float)
    assert moving.size == 5
    np.testing.assert_allclose(moving.mass(), np.ones(5))
    for b in range(3):
        fixed = PointForm(points[:, [b]])
        np.testing.assert_allclose(moving.apply(vectors)[:, b], fixed.apply(vectors[:, b]))
        np.testing.assert_allclose(moving.apply(blocks)[..., b], fixed.apply(blocks[..., b]))
        assert moving.maximum[b] == pytest.approx(fixed.maximum)
        assert moving.uniform[b] == pytest.approx(fixed.uniform)


# --- numbers without a row ------------------------------------------------------------------------

TERMS: dict[str, Callable[[Form], Term]] = {
    "total": lambda form: Total(heavier),
    **{name: make for name, make in COUPLED.items() if name not in ("uniform", "maximum")},
}


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", TERMS)
def test_a_row_left_out_is_a_table_without_it(
    name: str, sparse: bool, form: tuple[Form, Floats], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("consilience.rows.terms._PAIRS_PER_CELL", np.inf)
    monkeypatch.setattr("consilience.rows.terms._CELLS_AT_ONCE", 50)  # some rows at a time
    made, _ = form
    term, rows = TERMS[name](made), made_rows(made)
    totals = totals_of(term, rows)
    held = term.features(made_rows(made, sparse=sparse))
    found = term.without(totals, held)
    for p in range(N_ROWS):
        times = rows.multiplicity - (np.arange(N_ROWS) == p)
        left = Rows(made, rows.vectors, rows.ratings, times, rows.by_rater)
        assert found[p] == pytest.approx(float(term.value(totals_of(term, left))), rel=1e-10)


def test_a_rater_left_with_nothing_is_left_out() -> None:
    """Two raters, one of whom rated one item only: without it nobody is left to compare with."""
    who = np.zeros((2, 5, 3))
    who[0, [0, 1, 2], [0, 1, 2]] = 1.0
    who[1, 1, 0] = 1.0
    by_rater = csc_array(who.reshape(-1, 3))
    for by_size in (False, True):
        term = BetweenRaters(NominalForm(5), by_size=by_size)
        found = term.without(by_rater @ np.ones(3), by_rater)
        assert np.isnan(found[0])
        # Rater 0 keeps two of labels 0, 1, 2, and is compared with label 1 of rater 1.
        assert found[1:].tolist() == pytest.approx([1.0, 0.5])


# --- rows -----------------------------------------------------------------------------------------


def shuffled(seed: int = 0) -> tuple[Any, Any, Floats]:
    """Entries of a 7 x 5 matrix in no order, some of them twice."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 7, 40), rng.integers(0, 5, 40), rng.normal(size=40)


@pytest.mark.parametrize("in_order", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dense_cells", [0, 34, 35])
def test_pairs_are_counted_in_any_order(in_order: bool, weighted: bool, dense_cells: int) -> None:
    row, column, value = shuffled()
    if in_order:
        order = np.argsort(column, kind="stable")
        row, column, value = row[order], column[order], value[order]
    wanted = np.zeros((7, 5))
    np.add.at(wanted, (row, column), value if weighted else 1.0)
    found = incidence(
        row, column, (7, 5), value=value if weighted else None, dense_cells=dense_cells
    )
    assert hasattr(found, "tocsc") == (dense_cells < 35)
    np.testing.assert_allclose(found.toarray() if dense_cells < 35 else found, wanted, atol=1e-12)


def test_columns_that_come_one_after_the_other_are_laid_out() -> None:
    entries = np.array([3, 0, 3, 1, 2, 2], dtype=np.int8)
    found = in_runs(entries, np.array([3, 0, 2, 1]), 5)
    wanted = np.zeros((5, 4))
    for row, column in ((3, 0), (0, 0), (3, 0), (1, 2), (2, 2), (2, 3)):
        wanted[row, column] += 1
    np.testing.assert_array_equal(found.toarray(), wanted)
    assert found.nnz == 5  # what occurs twice is one entry


@pytest.mark.parametrize("n_rows", [2**31 - 1, 2**31 + 5, 2**33])
def test_rows_beyond_two_thousand_million_keep_their_numbers(n_rows: int) -> None:
    """So many are labels by raters where both are very many; places need more than 32 bits."""
    found = in_runs(np.array([0, n_rows - 1, n_rows - 1]), np.array([2, 1]), n_rows)
    assert found.shape == (n_rows, 2)
    assert found.indices.tolist() == [0, n_rows - 1, n_rows - 1]


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_rows_in_parts_and_together_again_are_the_rows(
    sparse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from consilience.rows import distinct_rows

    monkeypatch.setattr(distinct_rows, "_ENTRIES_AT_ONCE", 5)
    rows = made_rows(NominalForm(5), sparse=sparse)
    parts = list(parts_of(rows))
    # About five entries at a time, so several parts of more than one row.
    assert len(parts) == 1 if not sparse else 2 < len(parts) < N_ROWS
    again = join_rows(parts)
    assert again.by_rater is not None
    for one, other in (
        (again.vectors, rows.vectors),
        (again.by_rater, rows.by_rater),
        (again.ratings, rows.ratings),
        (again.multiplicity, rows.multiplicity),
    ):
        np.testing.assert_array_equal(dense(one), dense(other))


def test_weights_of_columns_keep_sparse_rows_sparse() -> None:
    rows = made_rows(NominalForm(5), sparse=True)
    weight = np.arange(N_ROWS) + 0.5
    found = scaled(rows.vectors, weight)
    assert hasattr(found, "tocsc")
    np.testing.assert_allclose(found.toarray(), rows.vectors.toarray() * weight)


@pytest.mark.parametrize("by_rater", [False, True])
@pytest.mark.parametrize("most_keys", [64, 1])
def test_the_order_by_content_does_not_depend_on_the_order_given(
    by_rater: bool, most_keys: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where raters change places and one number stands for all that a row holds."""
    from consilience.rows import distinct_rows

    monkeypatch.setattr(distinct_rows, "_MOST_KEYS", most_keys)
    form = NominalForm(5)
    rows = made_rows(form)
    assert rows.by_rater is not None
    names = [2, 0, 3, 1]  # where raters 0, 1, 2, 3 stand in the other table
    blocks = rows.by_rater.reshape(N_RATERS, 5, N_ROWS)
    moved = np.random.default_rng(2).permutation(N_ROWS)
    turned = np.empty_like(blocks)
    turned[names] = blocks
    other = Rows(
        form,
        rows.vectors[:, moved],
        rows.ratings[moved],
        rows.multiplicity[moved],
        turned[:, :, moved].reshape(-1, N_ROWS) if by_rater else None,
    )
    mine = Rows(
        form, rows.vectors, rows.ratings, rows.multiplicity, rows.by_rater if by_rater else None
    )
    here = order_by_content(mine, range(N_RATERS))
    there = order_by_content(other, names)
    first = np.arange(N_ROWS) if here is None else here
    second = moved if there is None else moved[there]
    np.testing.assert_array_equal(rows.vectors[:, first], rows.vectors[:, second])
    np.testing.assert_array_equal(rows.multiplicity[first], rows.multiplicity[second])
    if by_rater:
        np.testing.assert_array_equal(rows.by_rater[:, first], rows.by_rater[:, second])
    ordered = Rows(
        form,
        rows.vectors[:, first],
        rows.ratings[first],
        rows.multiplicity[first],
        rows.by_rater[:, first] if by_rater else None,
    )
    assert order_by_content(ordered, range(N_RATERS)) is None


def test_disagreement_of_a_row_is_the_mean_over_its_pairs() -> None:
    """Ratings a, a, b have six ordered pairs, four of them apart; one rating has no pair."""
    vectors = np.array([[2.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]])
    rows = Rows(NominalForm(2), vectors, vectors.sum(axis=0), np.ones(4))
    assert rows.pairs.tolist() == [6.0, 0.0, 0.0, 2.0]
    assert rows.pairable.tolist() == [1.0, 0.0, 0.0, 1.0]
    assert rows.disagreement.tolist() == pytest.approx([4 / 6, 0.0, 0.0, 1.0])
    # A rater who was drawn twice is no pair with herself: two ratings, one pair less.
    copies = np.array([4.0, 0.0, 0.0, 1.0])
    drawn = Rows(NominalForm(2), vectors, rows.ratings, np.ones(4), None, copies)
    assert drawn.pairable.tolist() == [1.0, 0.0, 0.0, 1.0]
    assert drawn.disagreement.tolist() == pytest.approx([1.0, 0.0, 0.0, 2.0])
    assert drawn.part(slice(3, 4)).pairs.tolist() == [1.0]


# --- moments --------------------------------------------------------------------------------------


def test_moments_of_labels_that_are_points() -> None:
    """Numbers about their mean over the rows: how many, their sum, the sum of their squares."""
    rows = made_rows(PointForm(LINE))
    moments = as_moments(rows, LINE.T)
    assert rows.by_rater is not None
    assert moments.by_rater is not None
    counts = np.asarray(rows.vectors)
    mean = (counts.sum(axis=1) @ LINE[:, 0]) / counts.sum()
    x = LINE[:, 0] - mean
    np.testing.assert_allclose(moments.vectors, np.stack([np.ones(5), x, x**2]) @ counts)
    blocks = rows.by_rater.reshape(N_RATERS, 5, N_ROWS)
    mine = moments.by_rater.reshape(N_RATERS, 3, N_ROWS)
    for g in range(N_RATERS):
        np.testing.assert_allclose(mine[g], np.stack([np.ones(5), x, x**2]) @ blocks[g])
    np.testing.assert_allclose(moments.within, rows.within, atol=1e-9)
    assert moments.form.maximum == pytest.approx(43.0**2)


def test_one_row_may_be_stretched_and_shifted() -> None:
    moments = as_moments(made_rows(PointForm(LINE)), LINE.T)
    as_it_is = one_row(moments, 4)
    np.testing.assert_array_equal(as_it_is.vectors, moments.vectors[:, 4:5])
    assert as_it_is.multiplicity.tolist() == [1.0]
    farther = one_row(moments, 4, stretch=3.0, shift=-2.0)
    assert farther.by_rater is not None
    assert as_it_is.by_rater is not None
    given = as_it_is.by_rater.reshape(N_RATERS, 3)
    moved = farther.by_rater.reshape(N_RATERS, 3)
    for before, after in zip(given, moved, strict=True):
        y = 3.0 * before[1] - 2.0 * before[0]  # of one rating: 3 x - 2
        np.testing.assert_allclose(after, [before[0], y, y**2], atol=1e-9)
    np.testing.assert_allclose(farther.vectors[:, 0], moved.sum(axis=0), atol=1e-9)
    assert farther.within[0] == pytest.approx(9.0 * as_it_is.within[0])
