"""Random draws: their distributions against exact ones, and the numbers that a seed is to give."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from scipy import stats

from consilience.core import draws
from consilience.core.draws import RandomStream
from consilience.exceptions import InputError

MANY = 40_000
LEAST = 1e-4  # the p-value from which on a distribution is taken for the right one; seeds are fixed


def fits(drawn: Any, chances: Any) -> float:
    """The p-value of Pearson's chi-square test; places of few expected ones go together."""
    drawn, chances = np.asarray(drawn), np.asarray(chances, dtype=np.float64)
    assert chances.sum() == pytest.approx(1.0, abs=1e-9)
    seen = np.bincount(drawn, minlength=chances.size).astype(np.float64)
    assert seen.size == chances.size
    assert (seen[chances == 0.0] == 0.0).all()
    expected = chances * drawn.size
    rare = expected < 10.0
    seen = np.append(seen[~rare], seen[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    seen, expected = seen[expected > 0.0], expected[expected > 0.0]
    if expected.size == 1:
        return 1.0
    square = float(((seen - expected) ** 2 / expected).sum())
    return float(stats.chi2.sf(square, expected.size - 1))


def of(distribution: Any, most: int) -> Any:
    return distribution.pmf(np.arange(most + 1))


# --- uniform draws --------------------------------------------------------------------------------


def test_numbers_are_uniform_and_stay_below_one() -> None:
    drawn = RandomStream.of(1).random((200, 200))
    assert drawn.shape == (200, 200)
    assert drawn.min() >= 0.0
    assert drawn.max() < 1.0
    assert stats.kstest(drawn.ravel(), "uniform").pvalue > LEAST
    assert np.array_equal(drawn * 2.0**53, np.floor(drawn * 2.0**53))


@pytest.mark.parametrize("n", [1, 2, 7, 100])
def test_whole_numbers_are_equally_likely(n: int) -> None:
    assert fits(RandomStream.of(2).integers(n, MANY), np.full(n, 1.0 / n)) > LEAST


def test_whole_numbers_may_be_large() -> None:
    drawn = RandomStream.of(3).integers(1 << 53, 1000)
    assert drawn.min() >= 0
    assert 1 << 51 < drawn.max() < 1 << 53


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5])
def test_every_order_is_equally_likely(n: int) -> None:
    drawn = RandomStream.of(4).permutations(n, MANY)
    assert drawn.shape == (MANY, n)
    assert (np.sort(drawn, axis=1) == np.arange(n)).all()
    place = drawn @ (n ** np.arange(n)) if n else np.zeros(MANY, dtype=np.int64)
    kinds, seen = np.unique(place, return_counts=True)
    assert kinds.size == math.factorial(n)
    assert n < 2 or stats.chisquare(seen).pvalue > LEAST


def test_long_orders_hold_every_place_once() -> None:
    order = RandomStream.of(5).permutation(100_000)
    assert (np.sort(order) == np.arange(100_000)).all()
    # Ranks of random orders are independent: their correlation has a variance of 1 / (n - 1).
    assert abs(np.corrcoef(order, np.arange(100_000))[0, 1]) < 4.0 / math.sqrt(100_000)


@pytest.mark.parametrize(
    "p", [[1.0], [0.2, 0.3, 0.5], [0.0, 0.4, 0.0, 0.6, 0.0], [1e-3, 1 - 1e-3], [0.1] * 10]
)
def test_places_come_with_their_chances(p: list[float]) -> None:
    assert fits(RandomStream.of(6).choice(p, (200, MANY // 200)).ravel(), p) > LEAST


# --- normal and gamma draws -----------------------------------------------------------------------


def test_normal_draws_are_normal_up_to_the_tails() -> None:
    n = 2_000_000
    drawn = RandomStream.of(7).normal(n)
    edges = np.array([-4.5, -3.6541528853610088, *np.linspace(-3.5, 3.5, 57), 3.654, 4.5])
    chances = np.diff(np.concatenate([[0.0], stats.norm.cdf(edges), [1.0]]))
    assert fits(np.searchsorted(edges, drawn), chances) > LEAST
    for power, value, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs((drawn**power).mean() - value) < 4.0 * math.sqrt(variance / n)


def test_normal_draws_beyond_the_last_layer_follow_the_tail() -> None:
    drawn = RandomStream.of(8)._tail(MANY)
    tail = stats.truncnorm(draws._TAIL, np.inf)
    assert drawn.min() > draws._TAIL
    assert stats.kstest(drawn, tail.cdf).pvalue > LEAST


def test_the_layers_of_the_normal_density_have_equal_areas() -> None:
    layers = draws._layers()
    edge = layers.width * 2.0**52
    areas = edge[1:] * np.diff(layers.height)[1:]
    lowest = edge[0] * layers.height[1]
    assert areas == pytest.approx(np.full(255, lowest), rel=1e-9)


SHAPES = [0.03, 0.5, 0.97, 1.0, 1.03, 2.0, 30.0, 1e4, 1e9]


def test_gamma_draws_of_every_shape() -> None:
    drawn = RandomStream.of(9).gamma(np.array(SHAPES), MANY)
    assert drawn.shape == (len(SHAPES), MANY)
    for shape, row in zip(SHAPES, drawn, strict=True):
        assert stats.kstest(row, stats.gamma(shape).cdf).pvalue > LEAST, shape
        assert abs(row.mean() - shape) < 4.0 * math.sqrt(shape / MANY), shape


def test_gamma_draws_of_one_shape_and_of_none() -> None:
    drawn = RandomStream.of(10).gamma(2.5, MANY)
    assert stats.kstest(drawn, stats.gamma(2.5).cdf).pvalue > LEAST
    assert (RandomStream.of(11).gamma(np.array([0.0, 1.0]), 5)[0] == 0.0).all()
    # Half of the draws of so small a shape lie below the smallest number that there is.
    none = float((RandomStream.of(11).gamma(1e-3, MANY) == 0.0).mean())
    smallest = float(stats.gamma(1e-3).cdf(5e-324))
    assert abs(none - smallest) < 4.0 * math.sqrt(0.25 / MANY)
    assert RandomStream.of(11).gamma(np.empty(0), 5).shape == (0, 5)


@pytest.mark.parametrize("size", [1, 2, 50, 16_384, 16_385])
def test_gamma_draws_of_tables_of_any_form(size: int) -> None:
    n = max(1, 60_000 // size)
    drawn = RandomStream.of(12).gamma(np.full(n, 1.4), size)
    assert stats.kstest(drawn.ravel(), stats.gamma(1.4).cdf).pvalue > LEAST


@pytest.mark.parametrize("alpha", [[1.0, 1.0], [0.5, 2.0, 3.0], [0.01, 0.02, 1.0], [1e-3] * 3])
def test_shares_have_beta_margins(alpha: list[float]) -> None:
    drawn = RandomStream.of(13).dirichlet(alpha, MANY)
    assert drawn.shape == (MANY, len(alpha))
    assert drawn.sum(axis=1) == pytest.approx(np.ones(MANY), abs=1e-12)
    for k, own in enumerate(alpha):
        margin = stats.beta(own, sum(alpha) - own)
        cuts = [q for q in (1e-30, 1e-9, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.9) if margin.cdf(q) > 0.0]
        chances = np.diff([0.0, *margin.cdf(cuts), 1.0])
        assert fits(np.searchsorted(cuts, drawn[:, k]), chances) > LEAST


# --- counts ---------------------------------------------------------------------------------------

BINOMIALS = [
    (0, 0.5), (1, 0.3), (5, 0.0), (5, 1.0), (7, 0.5), (20, 0.499), (20, 0.5), (19, 0.51),
    (33, 0.3), (34, 0.3), (100, 0.0999), (100, 0.1), (100, 0.9), (1000, 0.01), (1000, 0.37),
    (1000, 0.999), (5000, 0.0021), (100_000, 0.5), (1_000_000, 1e-6), (1_000_000, 0.7),
]  # fmt: skip


@pytest.mark.parametrize(("n", "p"), BINOMIALS)
def test_numbers_of_successes(n: int, p: float) -> None:
    drawn = RandomStream.of(14).binomial(np.full(MANY, n), p)
    assert drawn.dtype == np.int64
    assert fits(drawn, of(stats.binom(n, p), n)) > LEAST


@pytest.mark.parametrize("p", [1e-9, 0.25, 1.0 - 1e-8])
def test_numbers_of_successes_in_a_billion_trials(p: float) -> None:
    n = 10**9
    drawn = RandomStream.of(15).binomial(np.full(MANY, n), p)
    exact = stats.binom(n, p)
    cuts = np.unique(exact.ppf(np.linspace(0.02, 0.98, 49)))
    chances = np.diff([0.0, *exact.cdf(cuts), 1.0])
    assert fits(np.searchsorted(cuts, drawn), chances) > LEAST
    assert abs(drawn.mean() - exact.mean()) < 4.0 * exact.std() / math.sqrt(MANY)


def test_numbers_of_successes_side_by_side() -> None:
    n, p = np.array([3, 500, 0])[:, None], np.array([0.2, 0.5])
    drawn = RandomStream.of(16).binomial(np.repeat(n[None], MANY, axis=0), p)
    assert drawn.shape == (MANY, 3, 2)
    for i, trials in enumerate((3, 500, 0)):
        for j, chance in enumerate((0.2, 0.5)):
            assert fits(drawn[:, i, j], of(stats.binom(trials, chance), trials)) > LEAST


MULTINOMIALS: list[tuple[int, Any]] = [
    (0, [0.5, 0.5]), (1, [0.2, 0.8]), (3, [0.1] * 10), (30, [0.2, 0.0, 0.5, 0.3, 0.0]),
    (50, [1.0]), (1000, [0.1, 0.2, 0.7]), (1000, [0.01] * 100), (100_000, [0.5, 0.499, 0.001]),
    (40, [1.0 / 3.0] * 3), (25, [0.0, 1.0, 0.0]),
]  # fmt: skip


@pytest.mark.parametrize("way", ["multinomial", "_tallied", "_split"])
@pytest.mark.parametrize(("n", "p"), MULTINOMIALS)
def test_every_cell_of_a_multinomial_is_binomial(n: int, p: Any, way: str) -> None:
    chances, size = np.array(p), MANY // 4 if n < 1000 else 1000
    stream = RandomStream.of(17)
    drawn = stream.multinomial(n, chances, size)
    if way != "multinomial":
        drawn = getattr(stream, way)(n, chances, size).T
    assert drawn.shape == (size, len(p))
    assert (drawn.sum(axis=1) == n).all()
    for k, chance in enumerate(p):
        assert fits(drawn[:, k], of(stats.binom(n, chance), n)) > LEAST / len(p)


@pytest.mark.parametrize("way", ["_tallied", "_split"])
def test_the_cells_of_a_multinomial_come_together_as_they_should(way: str) -> None:
    n, p = 6, [0.1, 0.2, 0.3, 0.4]
    drawn = getattr(RandomStream.of(18), way)(n, np.array(p), MANY).T
    exact = stats.multinomial(n, p)
    cells = [(a, b, c, n - a - b - c) for a in range(n + 1) for b in range(n + 1 - a)
             for c in range(n + 1 - a - b)]  # fmt: skip
    place = {cell: k for k, cell in enumerate(cells)}
    assert fits([place[tuple(row)] for row in drawn.tolist()], exact.pmf(cells)) > LEAST


@pytest.mark.parametrize("off", [1.0 - 1e-12, 1.0 + 1e-12])
def test_chances_may_miss_one_by_rounding(off: float) -> None:
    p = np.array([0.25, 0.0, 0.75, 0.0]) * off
    for n, size in ((3, 500), (10_000, 500)):
        drawn = RandomStream.of(19).multinomial(n, p, size)
        assert (drawn.sum(axis=1) == n).all()
        assert not drawn[:, [1, 3]].any()
    assert set(RandomStream.of(20).choice(p, 1000).tolist()) == {0, 2}


def test_a_multinomial_has_the_form_that_is_asked_for() -> None:
    stream = RandomStream.of(21)
    assert stream.multinomial(9, [0.5, 0.5]).shape == (2,)
    drawn = stream.multinomial(4, [0.2, 0.3, 0.5], (3, 5))
    assert drawn.shape == (3, 5, 3)
    assert (drawn.sum(axis=-1) == 4).all()


HYPERGEOMETRICS = [
    (0, 5, 3), (5, 0, 3), (5, 7, 0), (5, 7, 12), (5, 7, 6), (7, 5, 9), (1, 999, 500),
    (60, 40, 50), (40, 60, 51), (300, 700, 33), (300, 700, 34), (500, 500, 500), (5000, 3000, 4000),
    (50_000, 70_000, 90_000), (10, 10**6, 10**5),
]  # fmt: skip


@pytest.mark.parametrize(("good", "bad", "sample"), HYPERGEOMETRICS)
def test_samples_without_replacement(good: int, bad: int, sample: int) -> None:
    drawn = RandomStream.of(22).hypergeometric(np.full(MANY, good), bad, sample)
    exact = stats.hypergeom(good + bad, good, sample)
    assert fits(drawn, of(exact, min(good, sample))) > LEAST


def test_a_sample_of_nothing_is_nothing() -> None:
    assert RandomStream.of(23).hypergeometric([0, 0], [0, 3], [0, 0]).tolist() == [0, 0]


@pytest.mark.parametrize("parts", [(40, 60, 30), (500, 500, 500), (9000, 40_000, 20_000)])
def test_the_hat_covers_every_chance(parts: tuple[int, int, int]) -> None:
    """The ratio of uniforms holds when |k - a| f(k)^(1/2) stays within its width everywhere."""
    good, bad, sample = parts
    exact = stats.hypergeom(good + bad, good, sample)
    k = np.arange(min(good, sample) + 1)
    height = np.sqrt(exact.pmf(k) / exact.pmf(k).max())
    centre = exact.mean() + 0.5
    width = 2 * math.sqrt(2 / math.e) * math.sqrt(exact.var() + 0.5) + 3 - 2 * math.sqrt(3 / math.e)
    farthest = np.maximum(np.abs(k - centre), np.abs(k + 1.0 - centre)) * height
    assert farthest.max() <= width / 2.0


@pytest.mark.parametrize("n", [10, 1000, 10**6, 10**9])
@pytest.mark.parametrize("apart", [-9, 0, 3, 250])
def test_ratios_of_factorials(n: int, apart: int) -> None:
    if n + apart < 0:
        return
    got = draws._log_factorials(np.array([float(n + apart)]), np.array([float(n)]))[0]
    exact = math.fsum(math.log(n + k) for k in range(1, apart + 1))
    exact -= math.fsum(math.log(n - k) for k in range(-apart))
    assert got == pytest.approx(exact, rel=1e-11, abs=1e-11)


# --- what a seed gives ----------------------------------------------------------------------------

# Whoever changes one of these changes the numbers that people got from their seeds. They come from
# the raw bits of PCG64 and were the same with numpy 2.1.0, 2.4.6 and 2.5.4.
DRAWN: dict[str, Callable[[RandomStream], Any]] = {
    "random": lambda r: r.random(1000),
    "integers": lambda r: r.integers(17, 1000),
    "permutation": lambda r: r.permutation(1000),
    "permutations": lambda r: r.permutations(9, 100),
    "choice": lambda r: r.choice([0.2, 0.3, 0.5], 1000),
    "normal": lambda r: r.normal(100_000),
    "gamma": lambda r: r.gamma(np.array([0.1, 0.5, 1.0, 1.5, 30.0, 1e6]), 20_000),
    "dirichlet": lambda r: r.dirichlet([0.05, 0.5, 1.0, 3.0], 2000),
    "binomial, small means": lambda r: r.binomial(np.arange(2000) % 33, 0.3),
    "binomial, large means": lambda r: r.binomial(1000 + np.arange(5000), 0.3),
    "binomial, very many": lambda r: r.binomial(np.full(1000, 10**9), 0.7),
    "multinomial, few trials": lambda r: r.multinomial(5, [0.1, 0.2, 0.7], 2000),
    "multinomial, many trials": lambda r: r.multinomial(5000, [0.1, 0.2, 0.3, 0.15, 0.25], 5000),
    "hypergeometric": lambda r: r.hypergeometric(np.arange(1, 2001), 700, 300),
}


RECORDED: dict[str, list[float]] = {
    "random": [
        0.3596904892668231,
        0.9164331575203175,
        0.342439359546884,
        -2.1702181975851382,
    ],
    "integers": [
        6.0,
        15.0,
        5.0,
        -44.17069970243598,
    ],
    "permutation": [
        572.0,
        676.0,
        260.0,
        59.89456153879064,
    ],
    "permutations": [
        7.0,
        8.0,
        0.0,
        44.28950349073632,
    ],
    "choice": [
        1.0,
        2.0,
        1.0,
        -5.12691884415063,
    ],
    "normal": [
        0.3664694533370194,
        -0.38876866324230586,
        -0.13528383952995926,
        -94.55584491772467,
    ],
    "gamma": [
        0.008773561794311479,
        1.3772554550429519,
        999147.3744477072,
        -621485.6593394992,
    ],
    "dirichlet": [
        0.030457251123574294,
        4.607864244813403e-08,
        0.6615514447014778,
        9.80000603238267,
    ],
    "binomial, small means": [
        0.0,
        2.0,
        5.0,
        57.724795418929254,
    ],
    "binomial, large means": [
        294.0,
        1072.0,
        1717.0,
        -1575.3070795645344,
    ],
    "binomial, very many": [
        700005854.0,
        699975670.0,
        700006614.0,
        682973236.8503653,
    ],
    "multinomial, few trials": [
        1.0,
        1.0,
        3.0,
        -19.38516007472912,
    ],
    "multinomial, many trials": [
        465.0,
        472.0,
        1179.0,
        -131.20419122278577,
    ],
    "hypergeometric": [
        0.0,
        173.0,
        227.0,
        -19.2282860047478,
    ],
}


def test_a_seed_gives_the_recorded_numbers() -> None:
    got = {name: some_of(draw(RandomStream.of(20261118))) for name, draw in DRAWN.items()}
    assert got == {name: pytest.approx(want, rel=1e-11) for name, want in RECORDED.items()}


def some_of(drawn: Any) -> list[float]:
    """Three of the numbers, and their sum with weights that tell their order."""
    flat = np.asarray(drawn, dtype=np.float64).ravel()
    return [*flat[[0, flat.size // 2, -1]].tolist(), float(flat @ np.cos(np.arange(flat.size)))]


def test_draws_do_not_depend_on_the_number_of_threads() -> None:
    def work(seed: int) -> Any:
        stream = RandomStream.of(seed)
        shares = [0.1, 0.2, 0.3, 0.4]
        return stream.gamma(np.array([0.3, 1.0, 7.0]), 2000), stream.multinomial(99, shares, 2000)

    alone = [work(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(work, range(8)))
    for one, other in zip(alone, together, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


# --- where the bits come from ---------------------------------------------------------------------


def test_a_generator_moves_on_and_is_used_as_it_is() -> None:
    generator = np.random.default_rng(5)
    first, second = (RandomStream.of(generator).random(3).tolist() for _ in range(2))
    whole = RandomStream.of(np.random.default_rng(5)).random(6).tolist()
    assert first + second == whole
    assert RandomStream.of(5).random(6).tolist() == whole
    assert RandomStream.of(np.random.SeedSequence(5)).random(6).tolist() == whole
    stream = RandomStream.of(5)
    assert RandomStream.of(stream) is stream


@pytest.mark.parametrize("kind", ["MT19937", "Philox", "SFC64", "PCG64DXSM"])
def test_every_bit_generator_of_numpy_will_do(kind: str) -> None:
    stream = RandomStream.of(np.random.Generator(getattr(np.random, kind)(3)))
    assert stats.kstest(stream.random(MANY), "uniform").pvalue > LEAST
    assert stats.kstest(stream.normal(MANY), "norm").pvalue > LEAST


def test_what_is_no_seed_is_refused() -> None:
    with pytest.raises(InputError, match="rng must be a whole number of 0 or more"):
        RandomStream.of(-1)
