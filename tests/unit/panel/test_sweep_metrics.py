"""Every metric of a sweep is what its own function says; rankings are those of the metrics."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import consilience as cs
from consilience import magnitudes, panel, plot
from consilience.cli.program import run
from consilience.exceptions import InputError

RNG = np.random.default_rng(8)
TUTOR = RNG.integers(0, 5, 80)
MARKS = {
    amount: np.clip(TUTOR + np.where(RNG.random(80) < share, RNG.choice([-2, -1, 1], 80), 0), 0, 4)
    for amount, share in ((10, 0.6), (50, 0.2), (200, 0.4))
}


def ratings(amount: int) -> cs.Ratings:
    columns = {"tutor": TUTOR.tolist(), "emma": MARKS[amount].tolist()}
    return cs.Ratings.from_wide(columns, scale="ordinal", categories=range(5))


@pytest.fixture(scope="module")
def swept() -> panel.SweepResult:
    settings = {amount: ratings(amount) for amount in MARKS}
    return panel.sweep(settings, people=["tutor"], n_resamples=100)


def metrics(swept: panel.SweepResult, amount: int) -> dict[str, Any]:
    return next(row.metrics for row in swept.rows if row.setting == amount)


@pytest.mark.parametrize("amount", MARKS)
def test_metrics_by_other_means(swept: panel.SweepResult, amount: int) -> None:
    found = {key: one.value for key, one in metrics(swept, amount).items()}
    gap = MARKS[amount] - TUTOR
    assert [found[k] for k in ("identical", "share_1", "share_2", "share_3", "share_4")] == (
        pytest.approx([np.mean(np.abs(gap) == k) for k in range(5)])
    )
    assert found["l1"] == np.abs(gap).sum()
    assert found["l2"] == pytest.approx(np.sqrt((gap**2).sum()))
    assert found["mean_absolute_difference"] == pytest.approx(np.abs(gap).mean())
    assert found["root_mean_square_difference"] == pytest.approx(np.sqrt((gap**2).mean()))
    assert found["tau_b"] == pytest.approx(stats.kendalltau(TUTOR, MARKS[amount]).statistic)
    tau_c = stats.kendalltau(TUTOR, MARKS[amount], variant="c").statistic
    assert found["tau_c"] == pytest.approx(tau_c)
    assert found["rho"] == pytest.approx(stats.spearmanr(TUTOR, MARKS[amount]).statistic)
    assert found["r"] == pytest.approx(stats.pearsonr(TUTOR, MARKS[amount]).statistic)
    t = stats.ttest_rel(MARKS[amount], TUTOR)
    assert found["t"] == pytest.approx(t.statistic)
    assert metrics(swept, amount)["t"].p_value == pytest.approx(t.pvalue)
    spread = (np.std(TUTOR, ddof=1) + np.std(MARKS[amount], ddof=1)) / 2
    assert found["effect_size"] == pytest.approx(gap.mean() / spread)
    two = ratings(amount)
    assert found["gwet_ac:nominal"] == pytest.approx(cs.gwet_ac(two, distance="nominal").value)
    kappa = cs.cohen_kappa(two, distance="nominal").value
    assert found["cohen_kappa:nominal"] == pytest.approx(kappa)


def test_precision_recall_and_f_are_means_over_labels(swept: panel.SweepResult) -> None:
    said = MARKS[50]
    used = sorted({*TUTOR.tolist(), *said.tolist()})
    hits = {k: int(((k == TUTOR) & (said == k)).sum()) for k in used}
    precision = np.mean([hits[k] / max((said == k).sum(), 1) for k in used])
    recall = np.mean([hits[k] / max((k == TUTOR).sum(), 1) for k in used])
    f = np.mean([2 * hits[k] / ((said == k).sum() + (k == TUTOR).sum()) for k in used])
    found = metrics(swept, 50)
    assert [found[k].value for k in ("precision", "recall", "f")] == (
        pytest.approx([precision, recall, f])
    )


def test_the_effect_size_has_an_interval_in_its_own_units() -> None:
    gap = magnitudes.paired_differences(MARKS[10].tolist(), TUTOR.tolist())
    low, high = gap.d_av_interval()
    assert low < gap.d_av < high
    assert low / gap.d_z_interval().low == pytest.approx(gap.d_av / gap.d_z)


def test_rankings_are_those_of_the_values(swept: panel.SweepResult) -> None:
    found = swept.rankings
    assert found is not None
    for key in ("l1", "tau_b", "gwet_ac:nominal", "t"):
        metric = next(one for one in swept.metrics if one.key == key)
        order = [metric.order(metrics(swept, amount)[key].value) for amount in MARKS]
        expected = dict(zip(MARKS, stats.rankdata(order).tolist(), strict=True))
        assert found.ranks[key] == expected
    keys = list(found.tau)
    for a, b in itertools.combinations(keys[:5], 2):
        tau = stats.kendalltau(list(found.ranks[a].values()), list(found.ranks[b].values()))
        assert found.tau[a][b] == pytest.approx(tau.statistic)


def test_concordance_by_the_definition(swept: panel.SweepResult) -> None:
    found = swept.rankings
    assert found is not None
    ranks = np.array([list(found.ranks[one.metric].values()) for one in found.agreement])
    m, n = ranks.shape
    sums = ranks.sum(axis=0)
    ties = sum(
        (count**3 - count) for row in ranks for count in np.unique(row, return_counts=True)[1]
    )
    w = 12 * ((sums - sums.mean()) ** 2).sum() / (m**2 * (n**3 - n) - m * ties)
    assert found.kendall_w == pytest.approx(w)


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("L1", "l1"), ("Manhattan", "l1"), ("euclidean distance", "l2"), ("tau-c", "tau_c"),
        ("Kendall's tau-b", "tau_b"), ("t_test", "t"), ("t-test", "t"), ("Wilcoxon", "wilcoxon"),
        ("simple metric", "identical"), ("identical", "identical"),
        ("mae", "mean_absolute_difference"),
        ("effect size", "effect_size"), ("F1", "f"), ("ac1", "gwet_ac:nominal"),
        ("Gwet's AC1", "gwet_ac:nominal"), ("pearson", "r"), ("spearman", "rho"),
        ("alpha", "krippendorff_alpha:ordinal"), ("cohen_kappa", "cohen_kappa:quadratic"),
        ("nominal kappa", "cohen_kappa:nominal"), ("L2 per item", "root_mean_square_difference"),
    ],
)  # fmt: skip
def test_any_name_sorts(swept: panel.SweepResult, word: str, key: str) -> None:
    assert swept.sorted_by(word).sort_by == key


def test_an_unknown_metric_is_refused(swept: panel.SweepResult) -> None:
    with pytest.raises(InputError, match="did you mean 'manhattan'"):
        swept.sorted_by("manhatan")


def test_settings_that_are_numbers_stand_at_their_numbers(swept: panel.SweepResult) -> None:
    ax = plot.settings(swept, metrics=["ac1", "tau_b"])
    assert [line.get_xdata().tolist() for line in ax.lines] == [[10, 50, 200]] * 2
    words = panel.sweep({"b": ratings(50), "a": ratings(10)}, people=["tutor"], n_resamples=20)
    assert [text.get_text() for text in plot.settings(words).get_xticklabels()] == ["b", "a"]


def test_names_have_the_metrics_of_names() -> None:
    two = cs.Ratings.from_wide({"p": list("aabbc"), "s": list("aabcc")})
    found = panel.sweep({"x": two, "y": two}, people=["p"], n_resamples=20)
    keys = {one.key for one in found.metrics}
    assert {"identical", "precision", "cohen_kappa:nominal"} <= keys
    assert not {"l1", "t", "tau_b"} & keys
    assert found.rankings is None  # twins cannot be ranked


def test_a_published_table_is_read_from_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.csv"
    path.write_text("n,same,±1,+2,L1\n10,60%,30%,10%,99\n50,70,20,10,98\n", encoding="utf-8")
    asked = ["sweep", str(path), "--setting", "n", "--differences", "--sort-by", "L1", "--json"]
    assert run(asked) == 0
    record = json.loads(capsys.readouterr().out)
    assert [row["setting"] for row in record["rows"]] == [50, 10]
    assert [row["metrics"]["l1"]["value"] for row in record["rows"]] == [40, 50]
    assert record["rankings"]["ranks"]["l1"] == {"50": 1.0, "10": 2.0}


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        ("n,a,b\n1,2,3\n", [], "the columns of differences must be named by points"),
        ("n,0,1\n1,2,x\n", [], "a share of marks must be a number"),
        ("n,0,1\n1,2,3\n", ["--people", "ann"], "--people does not go with --differences"),
    ],
)
def test_other_tables_are_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    rows: str,
    options: list[str],
    said: str,
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(rows, encoding="utf-8")
    assert run(["sweep", str(path), "--setting", "n", "--differences", *options]) != 0
    assert said in capsys.readouterr().err
