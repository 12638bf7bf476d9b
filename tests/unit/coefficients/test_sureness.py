"""One default for intervals and tests: they agree, they cover, they know of clusters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import consilience as cs
from consilience.coefficients import registry
from consilience.coefficients import uncertainty as sureness
from consilience.coefficients.uncertainty import sureness_of
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.intervals import SkewedT, from_reliability_scale, reliability_scale


def labelled(n: int, raters: int, labels: int, seed: int, *, share: float = 0.6) -> Any:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, labels, n)
    known = rng.random((n, raters)) < share
    return np.where(known, truth[:, None], rng.integers(0, labels, (n, raters)))


def made(name: str, ratings: cs.Ratings) -> cs.Estimate | None:
    coefficient = registry[name]
    if coefficient.supports(ratings) is not None:
        return None
    return getattr(cs, name)(ratings, on_undefined="ignore")


# --- interval and test are one ---


@pytest.mark.parametrize(
    ("name", "raters"),
    [
        (name, raters)
        for name in sorted(registry)
        for raters in (2, 4)
        if raters == 2 or not registry[name].two_raters_only
    ],
)
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_p_is_small_exactly_when_the_null_lies_outside(
    name: str, raters: int, level: float
) -> None:
    e = made(name, cs.Ratings.from_wide(labelled(40, raters, 3, seed=raters)))
    assert e is not None
    assert e.status == "ok"
    low, high = e.confidence_interval(level)
    for null in (-0.9, -0.2, 0.0, low - 1e-9, low, (low + high) / 2, high, high + 1e-9, 0.7, 0.99):
        outside = not low <= null <= high
        assert (e.test(null).p_value <= 1.0 - level + 1e-12) == outside, null


@pytest.mark.parametrize("table", [[[40, 0], [0, 40]], [[0, 40], [40, 0]]])
def test_full_agreement_and_full_disagreement_are_treated_alike(table: list[list[int]]) -> None:
    for name in ("percent_agreement", "cohen_kappa", "scott_pi", "gwet_ac", "bennett_s"):
        e = getattr(cs, name)(cs.Ratings.from_table(table))
        low, high = e.confidence_interval()
        assert low <= e.value <= high
        assert high - low > 0.02
        assert e.test(e.value).p_value == 1.0


def test_the_table_of_the_demo_no_longer_excludes_every_agreement() -> None:
    e = cs.cohen_kappa(cs.Ratings.from_table([[90, 5], [5, 0]]))
    low, high = e.confidence_interval()
    assert low < e.value < 0.2 < high
    assert e.p_value is not None
    assert e.p_value > 0.5


# --- labels: posterior draws ---


def kappa_of_cells(cells: Any) -> Any:
    cells = cells / cells.sum(axis=(1, 2), keepdims=True)
    observed = cells[:, 0, 0] + cells[:, 1, 1]
    chance = (cells.sum(axis=2) * cells.sum(axis=1)).sum(axis=1)
    return (observed - chance) / (1 - chance)


def test_draws_of_two_raters_and_two_labels_are_those_of_the_dirichlet() -> None:
    """Beside the table: 1/2 for each label, and 1/2 off the diagonal, shared as the margins say.

    For the lower limit a label that is shared counts half, and off the diagonal there is 3/4.
    """
    table = np.array([[30, 6], [4, 20]])
    e = cs.cohen_kappa(cs.Ratings.from_table(table))
    rng = np.random.default_rng(1)
    seen, alike = (rng.gamma(x, size=(40_000, 2, 2)) for x in (table, np.diag([0.5, 0.5])))
    apart, more = (rng.gamma(x * (1 - np.eye(2)), size=seen.shape) for x in (0.25, 0.125))
    low = np.quantile(kappa_of_cells(seen + 0.5 * alike + apart + more), 0.025)
    high = np.quantile(kappa_of_cells(seen + alike + apart), 0.975)
    assert tuple(e.confidence_interval()) == pytest.approx((low, high), abs=0.012)


@pytest.mark.parametrize("table", [[[0, 1], [0, 999]], [[0, 1], [2, 997]], [[0, 3], [4, 19_993]]])
@pytest.mark.parametrize("name", ["cohen_kappa", "scott_pi", "krippendorff_alpha"])
def test_a_rare_label_that_nobody_agreed_on_shows_no_agreement_beyond_chance(
    table: list[list[int]], name: str
) -> None:
    """Used once by one rater: kappa 0.000 had an interval from .0003 to .921 and p .03."""
    e = getattr(cs, name)(cs.Ratings.from_table(table))
    low, high = e.confidence_interval()
    assert low <= e.value <= high
    assert high > 0.3  # nothing is known of how far they would agree on it
    assert e.p_value > 0.9


@pytest.mark.parametrize(("n", "share"), [(500, 0.003), (5_000, 0.0003), (20_000, 0.0021)])
def test_independent_raters_of_a_rare_label_are_seldom_above_chance(n: int, share: float) -> None:
    """The test of 0 rejected in 46 to 91 % of such studies of n 500 to 20,000."""
    rng = np.random.default_rng(n)
    chances = np.outer([share, 1 - share], [share, 1 - share]).ravel()
    p_values = []
    for table, times in zip(*np.unique(rng.multinomial(n, chances, 400), axis=0,
                                       return_counts=True), strict=True):  # fmt: skip
        e = cs.cohen_kappa(cs.Ratings.from_table(table.reshape(2, 2)), on_undefined="ignore")
        if e.status == "ok":
            p_values += [sureness_of(e, n_draws=499).p_value(0.0, "two-sided")] * times  # type: ignore[union-attr]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.065


@pytest.mark.parametrize("n", [30, 60, 100, 200, 300])
def test_near_perfect_agreement_is_covered(n: int) -> None:
    """Exact coverage of raw agreement of two raters: it fell to .877."""
    x = np.arange(n + 1)
    low = np.minimum(stats.beta.ppf(0.025, n - x + 0.5, x + 0.75), 1 - x / n)
    high = np.where(x == 0, 1.0, np.maximum(stats.beta.ppf(0.975, n - x + 1, x + 0.5), 1 - x / n))
    for differ in (0, 1, 3):  # the product's limits are these
        e = cs.percent_agreement(
            cs.Ratings.from_table([[n // 2, differ], [0, n - n // 2 - differ]])
        )
        assert tuple(e.confidence_interval()) == pytest.approx(
            (low[differ], high[differ]), abs=0.01
        )
    ends = np.concatenate([low - 1e-9, low + 1e-9, high - 1e-9, high + 1e-9])
    shares = ends[(ends > 0.95) & (ends < 0.995)]
    chances = stats.binom.pmf(n - x, n, shares[:, None])
    covered = (chances * ((low <= shares[:, None]) & (shares[:, None] <= high))).sum(axis=1)
    assert covered.min() >= 0.915


def test_limits_hold_the_value_and_p_is_what_they_leave() -> None:
    """Random tables of two to four labels, many of them with labels that nobody shares."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        k = int(rng.integers(2, 5))
        shares = rng.dirichlet(np.full(k, 0.4))
        apart = np.outer(shares, shares) * rng.uniform(0, 1) + np.diag(shares) * rng.uniform(0, 1)
        table = rng.multinomial(rng.integers(20, 600), (apart / apart.sum()).ravel()).reshape(k, k)
        ratings = cs.Ratings.from_table(table)
        for make in (cs.cohen_kappa, cs.scott_pi, cs.gwet_ac, cs.percent_agreement):
            e = make(ratings, on_undefined="ignore")
            sure = sureness_of(e, n_draws=499)
            if sure is None:
                continue
            low, high = sure.limits(0.95)
            assert low <= e.value <= high
            for null in (0.0, 0.2, 0.6, low - 1e-9, low + 1e-9, high - 1e-9, high + 1e-9):
                outside = null < low or null > high
                assert (sure.p_value(null, "two-sided") <= 0.05) == outside
            below, above = (sure.p_value(low + 1e-9, word) for word in ("greater", "less"))
            assert below > 0.025
            assert above >= 0.5


def test_rare_labels_are_covered() -> None:
    """The interval before covered 30 % of such samples."""
    rng = np.random.default_rng(0)
    prevalence, kappa, n = 0.05, 0.2, 30
    both = prevalence**2 + kappa * prevalence * (1 - prevalence)
    neither = (1 - prevalence) ** 2 + kappa * prevalence * (1 - prevalence)
    rest = (1 - both - neither) / 2
    inside = samples = 0
    for _ in range(120):
        table = rng.multinomial(n, [both, rest, rest, neither]).reshape(2, 2)
        e = cs.cohen_kappa(cs.Ratings.from_table(table), on_undefined="ignore")
        if e.status == "ok":
            low, high = e.confidence_interval()
            inside += low <= kappa <= high
            samples += 1
    assert inside / samples > 0.85


def test_coefficients_of_the_same_ratings_share_their_draws() -> None:
    ratings = cs.Ratings.from_wide(labelled(50, 3, 3, seed=2))
    alpha, pi = cs.krippendorff_alpha(ratings), cs.scott_pi(ratings)
    assert alpha.confidence_interval().low == pytest.approx(pi.confidence_interval().low, abs=1e-6)


def test_the_probability_above_a_threshold_is_a_share_of_draws() -> None:
    e = cs.cohen_kappa(cs.Ratings.from_table([[40, 5], [5, 50]]))
    draws = sureness_of(e).draws  # type: ignore[union-attr]
    assert e.value > 0.7
    assert e.probability_above(0.7) == pytest.approx((draws.low > 0.7).mean())
    assert e.probability_above(0.9) == pytest.approx((draws.high > 0.9).mean())
    assert e.probability_above(-1.0) == 1.0


def test_too_many_labels_have_no_draws_by_name() -> None:
    many = cs.Ratings.from_wide(labelled(200, 2, 90, seed=1))
    assert cs.scott_pi(many).confidence_interval().method == "transformed"
    with pytest.raises(UnsupportedDesignError, match="posterior draws"):
        cs.scott_pi(many).confidence_interval(method="dirichlet")


def test_kappa_of_too_many_raters_by_labels_has_no_draws() -> None:
    """21 raters times 20 labels are more margins than are added up; pi does not ask who rated."""
    many = cs.Ratings.from_wide(labelled(30, 21, 20, seed=1), categories=range(20))
    assert cs.cohen_kappa(many).confidence_interval().method == "transformed"
    assert cs.scott_pi(many).confidence_interval().method == "dirichlet"


def test_a_crowd_has_the_linearised_error_which_is_about_that_of_leaving_items_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = cs.Ratings.from_wide(labelled(300, 3, 90, seed=1))
    pair = cs.Ratings.from_wide([["a", "a"], ["b", "b"]])
    left_out = cs.cohen_kappa(many).confidence_interval()
    monkeypatch.setattr(sureness, "_MOST_RATERS_LEFT_OUT", 1)
    crowd = cs.cohen_kappa(many.select(raters=many.raters))
    linearised = crowd.confidence_interval()
    assert left_out.note.startswith("Jackknife over items")
    assert linearised.note.startswith("Linearised error over items")
    assert tuple(linearised) == pytest.approx(tuple(left_out), abs=1e-3)
    error = crowd.standard_error / (1.0 - crowd.value**2)
    reach = stats.t.ppf(0.975, 299) * error
    assert linearised.high == pytest.approx(math.tanh(math.atanh(crowd.value) + reach))
    assert sureness._on_fishers_scale(cs.percent_agreement(pair)) is None


# --- values: draws of items, some farther out than any seen ---


def test_values_are_drawn_with_one_item_farther_out_and_one_rated_wider() -> None:
    """The definition, item by item, on the draws' own weights."""
    rng = np.random.default_rng(4)
    marks = rng.normal(size=(40, 1)) ** 3 + 0.5 * rng.normal(size=(40, 3))
    e = cs.krippendorff_alpha(cs.Ratings.from_wide(marks, scale="interval"))
    found = sureness_of(e)
    assert found is not None
    assert found.method == "dirichlet"
    drawn = found._drawn  # type: ignore[attr-defined]
    means, spread = marks.mean(axis=1), marks.std(axis=1, ddof=1)
    far = means - means.mean()
    out, odd = int(np.argmax(np.abs(far))), int(np.argmax(spread))
    k = min(abs(stats.skew(far)) * (1 + 10 / math.sqrt(40)), 5)
    c = 1 + min(max(0.5 * (stats.skew(spread) - 0.5), 0), 1)
    unseen = [marks[out] + k * far[out], means[odd] + c * (marks[odd] - means[odd])]
    rows = drawn.rows
    given = np.concatenate([rows.vectors[1, -2:], rows.within[-2:]])
    centre = rows.vectors[1, :-2].sum() / 120 - marks.mean()
    wanted = [row.sum() + 3 * centre for row in unseen]
    wanted += [2 * (3 * (row**2).sum() - row.sum() ** 2) for row in unseen]
    assert given == pytest.approx(wanted, rel=1e-6, abs=1e-6)
    assert 0.0 < e.confidence_interval().low < e.value < e.confidence_interval().high < 1.0


@pytest.mark.parametrize(("where", "least", "most"), [(slice(None), 0.7, 1.0), (0, -0.4, 0.98)])
def test_one_item_far_out_does_not_make_an_interval_of_everything(
    where: Any, least: float, most: float
) -> None:
    """All raters far out on one item, or one of them: it was -.4 to 1 and -.5 to 1."""
    rng = np.random.default_rng(3)
    marks = np.round(rng.normal(10, 2, (30, 1)) + rng.normal(0, 1, (30, 3)), 1)
    marks[0, where] = 30.0
    low, high = cs.krippendorff_alpha(
        cs.Ratings.from_wide(marks, scale="interval")
    ).confidence_interval()
    assert least < low < high < most


@pytest.mark.parametrize("clusters", [None, np.arange(60) // 3], ids=["items", "clusters"])
def test_whole_numbers_have_the_interval_of_numbers_that_hardly_repeat(clusters: Any) -> None:
    rng = np.random.default_rng(1)
    marks = np.round(rng.normal(12, 3, (60, 1)) + rng.normal(0, 1, (60, 2)))
    marks[50:] = marks[:10]  # items with the same marks, in other clusters
    marks[20, 1] = marks[20, 0] + 5  # the one that raters are most at odds about
    whole, moved = (
        cs.krippendorff_alpha(cs.Ratings.from_wide(some, scale="interval").with_clusters(clusters))
        for some in (marks, marks + 1e-7 * rng.random(marks.shape))
    )
    assert tuple(whole.confidence_interval()) == pytest.approx(
        tuple(moved.confidence_interval()), abs=0.01
    )


def test_marks_of_clusters_of_one_item_are_marks_without_clusters() -> None:
    """With clusters the interval of marks that hardly repeat was a single point."""
    rng = np.random.default_rng(1)
    ratings = cs.Ratings.from_wide(rng.normal(size=(40, 1)) + rng.normal(size=(40, 3)) / 2)
    alone = cs.krippendorff_alpha(ratings, distance="interval").confidence_interval()
    one, ten = (
        cs.krippendorff_alpha(
            ratings.with_clusters(np.arange(40) // size, "page"), distance="interval"
        ).confidence_interval()
        for size in (1, 4)
    )
    assert tuple(one) == pytest.approx(tuple(alone), abs=0.03)
    assert ten.high - ten.low > 0.1


def test_very_many_values_get_students_t() -> None:
    rng = np.random.default_rng(5)
    many = cs.Ratings.from_wide(rng.normal(size=(1_600, 1)) + rng.normal(size=(1_600, 2)))
    interval = cs.krippendorff_alpha(many, distance="interval").confidence_interval()
    assert interval.method == "skewed-t"


def test_the_scale_of_mean_squares_turns_back() -> None:
    for value in (-0.3, 0.0, 0.5, 0.99):
        assert from_reliability_scale(float(reliability_scale(value, 4)), 4) == pytest.approx(value)
    even = SkewedT.of(0.0, np.zeros(5), np.ones(5))
    assert even.error == 0.0
    assert even.degrees_of_freedom == 4.0


# --- clusters ---


@pytest.mark.parametrize("method", ["linearised", "table"])
@pytest.mark.parametrize("population", [None, 90])
def test_clusters_of_one_item_have_the_error_of_items(method: str, population: int | None) -> None:
    ratings = cs.Ratings.from_wide(labelled(60, 2, 3, seed=9))
    options: dict[str, Any] = {"standard_error": method, "population": population}
    plain = cs.cohen_kappa(ratings, **options)
    alone = cs.cohen_kappa(ratings.with_clusters(range(60)), **options)
    assert alone.standard_error == pytest.approx(plain.standard_error, rel=1e-12)


@pytest.mark.parametrize("copies", [1, 4])
def test_the_prior_counts_for_so_much_more_as_clusters_vary_more(copies: int) -> None:
    """The ratio of the variances of leaving out clusters and items, on Fisher's scale."""
    codes = np.concatenate([np.repeat(labelled(15, 2, 3, seed=3), copies, axis=0),
                            labelled(20, 2, 3, seed=4)])  # fmt: skip
    n = len(codes)
    clusters = np.r_[np.repeat(np.arange(15), copies), 15 + np.arange(20) // 2]

    def variance(groups: Any) -> float:
        kinds = np.unique(groups)
        left = [cs.scott_pi(cs.Ratings.from_wide(codes[groups != g])).value for g in kinds]
        z = np.arctanh(left)
        return float((kinds.size - 1) / kinds.size * ((z - z.mean()) ** 2).sum())

    ratio = variance(clusters) / variance(np.arange(n))
    one = cs.scott_pi(cs.Ratings.from_wide(codes).with_clusters(clusters))
    limited = min(max(ratio, 1.0), n / 25)
    assert sureness._inflation(one._basis) == pytest.approx(limited)


def test_agreement_in_clusters_of_one_size_has_the_error_of_their_means() -> None:
    codes = labelled(60, 2, 3, seed=9)
    one = cs.percent_agreement(cs.Ratings.from_wide(codes).with_clusters(np.arange(60) // 4))
    means = (codes[:, 0] == codes[:, 1]).reshape(15, 4).mean(axis=1)
    assert one.standard_error == pytest.approx(means.std(ddof=1) / math.sqrt(15))


def test_copies_of_items_add_nothing_once_they_share_a_cluster() -> None:
    once = labelled(40, 3, 2, seed=5)
    alone = cs.krippendorff_alpha(cs.Ratings.from_wide(once))
    copied = cs.krippendorff_alpha(cs.Ratings.from_wide(np.repeat(once, 4, axis=0)))
    clusters = np.repeat(np.arange(40), 4)
    together = copied.with_clusters(clusters)
    assert copied.standard_error < 0.6 * alone.standard_error
    assert together.standard_error == pytest.approx(alone.standard_error, rel=0.03)
    width, before = (np.ptp(tuple(e.confidence_interval())) for e in (together, alone))
    assert width == pytest.approx(before, rel=0.2)


@pytest.mark.parametrize("method", ["auto", "analytic", "jackknife", "transformed", "bca"])
def test_clusters_count_in_every_method(method: str) -> None:
    rows = np.repeat(labelled(25, 3, 3, seed=6), 3, axis=0)
    plain = cs.Ratings.from_wide(rows)
    clustered = plain.with_clusters(np.repeat(np.arange(25), 3), "text")
    narrow = cs.scott_pi(plain).confidence_interval(method=method)
    wide = cs.scott_pi(clustered).confidence_interval(method=method)
    assert wide.high - wide.low > 1.3 * (narrow.high - narrow.low)


def test_methods_for_independent_items_are_refused_with_clusters() -> None:
    ratings = cs.Ratings.from_wide(labelled(30, 2, 2, seed=7)).with_clusters(list(range(15)) * 2)
    with pytest.raises(UnsupportedDesignError, match="independent of each other"):
        cs.scott_pi(ratings).confidence_interval(method="donner-eliasziw")


def test_clusters_stay_with_what_is_made_of_the_ratings() -> None:
    rows = [["a", "a", "b"], ["b", "b", None], ["a", "a", "a"], ["b", "a", "b"]] * 3
    ratings = cs.Ratings.from_wide(rows, raters="ABC").with_clusters(list("wxyz") * 3, "page")
    assert ratings.select(raters="AB").clusters.n_clusters == 4
    assert ratings.complete().clusters.codes.size == 9
    assert ratings.merge(ratings).clusters.n_clusters == 8
    assert ratings.with_clusters(None).clusters is None
    with pytest.raises(InputError, match="one entry per item"):
        ratings.with_clusters([1, 2])
    by_name = dict(zip(ratings.items, list("wxyz") * 3, strict=True))
    assert (ratings.with_clusters(by_name).clusters.codes == ratings.clusters.codes).all()


def test_a_column_of_clusters_is_read(tmp_path: Any) -> None:
    rows = labelled(60, 3, 2, seed=8)
    lines = ["site,patient,Ann,Bob,Cid"]
    lines += [f"s{i},p{i // 4},{a},{b},{c}" for i, (a, b, c) in enumerate(rows)]
    path = tmp_path / "sites.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    ratings = cs.read(path, cluster="patient")
    assert ratings.clusters.n_clusters == 15
    assert ratings.n_raters == 3
    assert cs.read(path).clusters is None
    record = cs.measure(ratings).to_dict()["data"]["clusters"]
    assert record == {"column": "patient", "number": 15}
    path.write_text("\n".join(lines).replace("s5,p1", "s5,") + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="filled for every item"):
        cs.read(path, cluster="patient")


# ------------------------------------------------------------------------ agreement on one label


def test_the_interval_of_specific_agreement_covers() -> None:
    """Raters know the truth with probability 0.8 and guess a label of 10% otherwise."""
    rng = np.random.default_rng(11)
    share, sure = 0.1, 0.8
    both = share * (sure + (1 - sure) * share) ** 2 + (1 - share) * ((1 - sure) * share) ** 2
    covered = 0
    for _ in range(100):
        truth = rng.random((30, 1)) < share
        guess = rng.random((30, 2)) < share
        given = np.where(rng.random((30, 2)) < sure, truth, guess).astype(int)
        ratings = cs.Ratings.from_wide(given, categories=[0, 1])
        low, high = cs.category_agreement(ratings)[1].specific_interval()
        covered += low <= both / share <= high
    assert covered >= 88


def test_specific_agreement_lies_in_its_interval_and_clusters_widen_it() -> None:
    ratings = cs.datasets.load("fleiss_1971")
    plain = cs.category_agreement(ratings)
    together = cs.category_agreement(ratings.with_clusters(np.arange(30) // 3))
    for one, other in zip(plain, together, strict=True):
        low, high = one.specific_interval()
        assert 0.0 < low < one.specific < high < 1.0
        assert one.specific_interval(0.8).low > low
        assert other.specific_interval().low < other.specific < other.specific_interval().high
