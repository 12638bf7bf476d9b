"""Tests of margins and symmetry where items go together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.exceptions import UnsupportedDesignError

rng = np.random.default_rng(1)
N_CLUSTERS = 30
CODE = np.repeat(np.arange(N_CLUSTERS), rng.integers(2, 7, N_CLUSTERS))


def study(random: np.random.Generator, n_labels: int = 3, n_raters: int = 2) -> Any:
    """Raters whose leaning belongs to the cluster: on average they use all labels alike."""
    truth = random.integers(0, n_labels, CODE.size)
    lean = random.integers(0, n_labels, (N_CLUSTERS, n_raters))[CODE]
    return np.where(random.random((CODE.size, n_raters)) < 0.4, lean, truth[:, None])


def ratings(labels: Any) -> cs.Ratings:
    return cs.Ratings.from_wide(labels, categories=range(int(labels.max()) + 1))


def by_hand(sums: Any) -> tuple[float, float]:
    """Return d' (sum u u')^- d, and p of Hotelling's T^2 with the variance about the mean."""
    from scipy.stats import f

    d, n = sums.sum(axis=0), len(sums)
    score = float(d @ np.linalg.pinv(sums.T @ sums) @ d)
    centred = sums - sums.mean(axis=0)
    rank = int(np.linalg.matrix_rank(sums.T @ sums))
    t2 = float(d @ np.linalg.pinv(n / (n - 1) * centred.T @ centred) @ d)
    return score, float(f.sf(t2 * (n - rank) / (rank * (n - 1)), rank, n - rank))


def of_clusters(each: Any) -> Any:
    return np.array([each[np.equal(CODE, g)].sum(axis=0) for g in range(N_CLUSTERS)])


def test_stuart_maxwell_and_bhapkar() -> None:
    labels = study(np.random.default_rng(2))
    one = np.eye(3)
    score, p_value = by_hand(of_clusters(one[labels[:, 0]] - one[labels[:, 1]]))
    known = ratings(labels).with_clusters(CODE)
    found, other = cs.stuart_maxwell(known), cs.bhapkar(known)
    assert (found.statistic, found.p_value) == pytest.approx((score, p_value))
    assert other.p_value == pytest.approx(p_value)
    assert other.statistic == pytest.approx((N_CLUSTERS - 1) * score / (N_CLUSTERS - score))
    assert (found.n_clusters, found.degrees_of_freedom) == (N_CLUSTERS, 2.0)
    assert found.to_dict()["clusters"] == N_CLUSTERS


def test_bowker_and_its_parts() -> None:
    labels = study(np.random.default_rng(3))
    pairs = [(0, 1), (0, 2), (1, 2)]
    x, y = labels.T
    each = np.stack([(x == k) * 1.0 * (y == m) - (x == m) * 1.0 * (y == k) for k, m in pairs], 1)
    sums = of_clusters(each)
    found = cs.bowker(ratings(labels).with_clusters(CODE))
    assert (found.statistic, found.p_value) == pytest.approx(by_hand(sums))
    parts = sums.sum(axis=0) ** 2 / (sums**2).sum(axis=0)
    assert found.parts == pytest.approx(dict(zip(pairs, parts, strict=True)))


def test_mcnemar_is_the_statistic_of_obuchowski_and_yang() -> None:
    labels = study(np.random.default_rng(4), 2)
    apart = of_clusters((labels[:, 1] - labels[:, 0]).astype(float))
    found = cs.mcnemar(ratings(labels).with_clusters(CODE), method="chi-square")
    assert found.statistic == pytest.approx(apart.sum() ** 2 / (apart**2).sum())
    # Of two numbers Hotelling's F is the square of Student's t of the clusters' differences.
    t = apart.mean() / (apart.std(ddof=1) / math.sqrt(N_CLUSTERS))
    from scipy.stats import t as student

    assert found.p_value == pytest.approx(2.0 * student.sf(abs(t), N_CLUSTERS - 1))


def test_many_raters_with_gaps() -> None:
    random = np.random.default_rng(5)
    labels = study(random, 3, 4)
    gaps = random.random(labels.shape) < 0.2
    table = [[None if g else int(x) for x, g in zip(*row, strict=True)]
             for row in zip(labels, gaps, strict=True)]  # fmt: skip
    known = cs.Ratings.from_wide(table, categories=range(3)).with_clusters(CODE)
    each = np.zeros((len(labels), 4, 3))
    for i, row in enumerate(table):
        given = [(g, x) for g, x in enumerate(row) if x is not None]
        for g, x in given if len(given) > 1 else []:
            each[i, g, x] += 1.0
            for _, other in given:
                each[i, g, other] -= 1.0 / len(given)
    score, p_value = by_hand(of_clusters(each.reshape(len(labels), -1)))
    found = cs.marginal_homogeneity(known)
    assert (found.statistic, found.p_value) == pytest.approx((score, p_value))
    one = cs.cochran_q(known, category=1)
    assert 0.0 < one.p_value <= 1.0
    assert one.n_clusters == N_CLUSTERS


def test_they_hold_their_level_where_the_plain_tests_do_not() -> None:
    """At 5%, 300 studies: four errors of a share of .05 are .05."""
    random = np.random.default_rng(6)
    rejected = {"stuart_maxwell": [0, 0], "bowker": [0, 0], "marginal_homogeneity": [0, 0]}
    for _ in range(300):
        plain = ratings(study(random))
        for name, counts in rejected.items():
            for k, known in enumerate((plain, plain.with_clusters(CODE))):
                counts[k] += getattr(cs, name)(known).p_value < 0.05
    for plainly, by_cluster in rejected.values():
        assert by_cluster / 300 < 0.10
        assert plainly / 300 > 0.10


def test_more_labels_than_clusters_can_tell() -> None:
    labels = [["a", "b"], ["a", "b"], ["a", "a"], ["c", "d"], ["c", "d"], ["d", "d"]]
    found = cs.stuart_maxwell(cs.Ratings.from_wide(labels).with_clusters([1, 1, 1, 2, 2, 2]))
    assert math.isnan(found.p_value)
    assert found.reason is not None
    assert found.reason.startswith("too_few_clusters")


@pytest.mark.parametrize(
    ("ask", "instead"),
    [
        (cs.mcnemar, 'use method="chi-square"'),
        (lambda r: cs.mcnemar(r, method="mid-p"), 'use method="chi-square"'),
        (lambda r: cs.mcnemar(r, method="chi-square", continuity=True), "use continuity=False"),
        (lambda r: cs.bowker(r, df="all"), 'use df="pairs"'),
        (cs.profile_interval, "cohen_kappa"),
        (cs.goodness_of_fit_interval, "scott_pi"),
        (lambda r: cs.donner_eliasziw_klar([r, r]), "use compare_groups"),
        (lambda r: cs.agreement_with_expert(r, expert=0), "pairwise"),
    ],
)
def test_what_supposes_independent_items_is_refused(ask: Any, instead: str) -> None:
    known = ratings(study(np.random.default_rng(7), 2)).with_clusters(CODE, "patient")
    with pytest.raises(UnsupportedDesignError, match="items that share a patient") as said:
        ask(known)
    assert instead in str(said.value)
    ask(known.with_clusters(None))


def test_a_pilot_in_clusters_plans_items_in_clusters() -> None:
    """Five copies of each item are worth one: five times as many are needed."""
    labels = study(np.random.default_rng(8), 2)
    one = ratings(labels)
    five = ratings(np.repeat(labels, 5, axis=0)).with_clusters(np.repeat(np.arange(CODE.size), 5))
    known = {"half_width": 0.1, "assurance": None, "coefficient": "scott_pi"}
    alone, copied = cs.plan.plan(pilot=one, **known), cs.plan.plan(pilot=five, **known)
    assert copied.n_items == pytest.approx(5 * alone.n_items, abs=10)
