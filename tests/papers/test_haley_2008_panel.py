"""Haley, Thomas, Petre & De Roeck (2008), Using a new inter-rater reliability statistic."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from consilience import panel

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "haley_2008.py"


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


def test_the_example_prints_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    printed = capsys.readouterr().out
    assert "In 16 of 16 rows of Table 1-4" in printed
    assert "By the Manhattan distance itself, 80" in printed
