"""Thousands separators and decimal commas in numbers that are measured."""

from __future__ import annotations

import pytest

from consilience.core.cell_values import written_numbers
from consilience.exceptions import InputError
from consilience.io import load
from consilience.io.layout.labels import read_labels

NARROW = "\u202f"


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["950", "1,250", "2,000"], [950, 1250, 2000]),  # goes on in thousands
        (["5", "1,000,000"], [5, 1_000_000]),
        (["0.5", "1,250"], [0.5, 1250]),
        (["-1,234.5", "+12"], [-1234.5, 12]),
        (["1.000,5", "3"], [1000.5, 3]),
        (["1.000", "2,5"], [1000, 2.5]),
        (["1.234.567"], [1_234_567]),
        (["1 000", "2"], [1000, 2]),
        ([f"1{NARROW}000,25", "3,5"], [1000.25, 3.5]),
        (["1'000.25", "3"], [1000.25, 3]),
        (["1,5", "2"], [1.5, 2]),
        (["0,250", "1,125"], [0.25, 1.125]),  # a thousand never begins with 0
    ],
)
def test_one_habit_that_fits_every_cell(texts, numbers):
    found = written_numbers(texts)
    assert found is not None
    assert found[0] == numbers
    assert ("thousands" in found[1]) == any(abs(number) >= 1000 for number in numbers)


@pytest.mark.parametrize(
    "texts",
    [["a", "1,000"], ["007", "1,000"], ["1,00,000"], ["1,000.5,3"], ["1,5", "1.5"]],
)
def test_what_fits_no_habit_is_no_number(texts):
    assert written_numbers(texts) is None


@pytest.mark.parametrize("texts", [["1,250", "2,500"], ["1,250", "7"], ["1,250", "1250"]])
def test_two_habits_that_give_different_numbers_are_refused(texts):
    with pytest.raises(InputError, match=r"told apart\. Got '1,250', which is 1250 or 1\.25\."):
        written_numbers(texts)


def test_only_measured_labels_are_read_so():
    for scale in ("nominal", "ordinal"):
        assert read_labels(["1,000", "950"], scale=scale).labels == ["1,000", "950"]
    assert read_labels(["1,000", "950"], scale="ratio").labels == [950, 1000]


def test_numbers_that_can_be_read_as_they_are_stay_so():
    same = read_labels(["1.125", "1,125"], scale="interval", decimal_comma=True)
    assert same.labels == [1.125]
    assert read_labels(["1.000", "950"], scale="interval").labels == [1, 950]
    assert read_labels(["1,250", "7"], scale="interval", decimal_comma=True).labels == [1.25, 7]


def test_a_file_with_thousands_tells_what_was_done(tmp_path):
    path = tmp_path / "lengths.csv"
    path.write_text('id,ann,bob\n1,"1,000","1,050"\n2,950,900\n3,"2,500","2,400"\n')
    loaded = load(path, scale="interval")
    assert loaded.ratings.numbers is not None
    assert max(loaded.ratings.categories) == 2500
    assert "thousands separators were left out: '1,000' is 1000" in loaded.reading.evidence


def test_a_german_file_with_thousands(tmp_path):
    path = tmp_path / "lengths.csv"
    path.write_text("id;ann;bob\n1;1.000;1.050,5\n2;950;900\n3;2.500;2.400\n4;80,5;85\n")
    assert max(load(path, scale="interval").ratings.categories) == 2500


def test_a_file_that_may_mean_two_things_is_refused_with_its_line(tmp_path):
    path = tmp_path / "lengths.csv"
    path.write_text('id,ann,bob\n1,"1,100","1,050"\n2,"1,950","1,900"\n')
    with pytest.raises(InputError, match=r"lengths\.csv, line 2: numbers must be written so"):
        load(path, scale="interval")
