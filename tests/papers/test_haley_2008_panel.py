"""Haley, Thomas, Petre & De Roeck (2008), Using a new inter-rater reliability statistic."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import consilience as cs
from consilience import panel

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "works" / "haley_2008.py"


def test_table_1_1_the_share_identical_hides_how_far_off_the_rest_is() -> None:
    a = panel.differences({0: 80, 3: 5, 4: 15})
    b = panel.differences({0: 75, 1: 25})
    assert (a.identical, b.identical) == (0.80, 0.75)
    assert (a.within(1), b.within(1)) == (0.80, 1.0)
    assert (a.manhattan, b.manhattan) == (75.0, 25.0)
    assert a.euclidean == pytest.approx(16.881943016134134)
    assert (a.mean_absolute, b.root_mean_square) == (0.75, 0.5)


def test_tables_1_2_and_1_4_are_rebuilt_with_fifty_answers_best() -> None:
    example = runpy.run_path(str(EXAMPLE))
    swept = example["sweep"]()
    assert len(swept.rows) == 16
    # "50 is the amount of training data that corresponds to the best outcome"
    assert swept.best.setting == 50
    assert swept.rows[-1].setting == 300
    assert [row.setting for row in swept.rows[:4]] == list(example["TABLE_1_4"])[:4]
    assert swept.findings[0].code == "winner_on_same_data"


def test_the_column_l1_of_table_1_4_is_a_sum_of_squares() -> None:
    example = runpy.run_path(str(EXAMPLE))
    assert example["sums_of_squares"]() == 16
    # Over N marks the printed sums fit the squares of Table 1-2 for one N near 97, and no N fits
    # the absolute differences.
    squares, absolute = [], []
    for amount, (printed, _) in example["TABLE_1_4"].items():
        shares = dict(zip(example["GAPS"], example["TABLE_1_2"][amount], strict=True))
        found = panel.differences(shares)
        squares.append(printed / found.root_mean_square**2)
        absolute.append(printed / found.mean_absolute)
    assert max(squares) / min(squares) < 1.15
    assert max(absolute) / min(absolute) > 1.3


def test_the_example_prints_what_it_found(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    printed = " ".join(capsys.readouterr().out.split())
    assert "In 16 of 16 rows of Table 1-4" in printed
    assert "By the Manhattan distance itself, 80 marked answers would come out best" in printed


def test_section_1_3_1_precision_and_recall_take_the_tutor_for_the_truth() -> None:
    """Offered beside agreement, with the reason why they are none."""
    tutor = ["pass"] * 6 + ["fail"] * 4
    computer = ["pass"] * 5 + ["fail"] * 3 + ["pass"] * 2
    marks = cs.Ratings.from_wide(
        {"tutor": tutor, "second": tutor, "third": tutor, "EMMA": computer}
    )
    found = panel.compare(marks, systems="EMMA", n_resamples=20)["EMMA"]
    score = next(one for one in found.labels if one.label == "pass")
    assert score.precision.value == pytest.approx(5 / 7)
    assert score.recall.value == pytest.approx(5 / 6)


def test_table_1_2_rows_are_rounded_shares() -> None:
    example = runpy.run_path(str(EXAMPLE))
    sums = [sum(row) for row in example["TABLE_1_2"].values()]
    assert len(sums) == 16
    assert min(sums) >= 99
    assert max(sums) <= 101


def test_figure_1_1_every_setting_shows_its_whole_distribution() -> None:
    """The vertical line at 60 answers: 61, 25, 11, 1 and 1 per cent."""
    example = runpy.run_path(str(EXAMPLE))
    row = panel.differences(dict(zip(example["GAPS"], example["TABLE_1_2"][60], strict=True)))
    shares = [row.within(0), row.within(1), row.within(2), row.within(3), row.within(4)]
    printed = [61, 86, 97, 98, 99]
    assert shares == pytest.approx([one / 99 for one in printed])
