"""One rule for numbers, clocks and lists in cells, whoever reads them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

from consilience.core.cell_values import as_clock, as_literal, as_number, as_time, number_sql
from consilience.io import load

NUMBERS = {
    "0": 0.0,
    "007": 7.0,
    "+3": 3.0,
    "-0.5": -0.5,
    "1.": 1.0,
    ".5": 0.5,
    ",5": 0.5,
    "0,9": 0.9,
    "1,5": 1.5,
    "1e5": 1e5,
    "1E+5": 1e5,
    "1,5e-2": 0.015,
    "1e-400": 0.0,
    " 7 ": 7.0,
    "\t7": 7.0,
    "\u00a07\u202f": 7.0,
    "\u22122": -2.0,
    "\u20132": -2.0,
    "\u22121.050,5": -1050.5,
    "1.050,5": 1050.5,
    "1,050.5": 1050.5,
    "12.345.678,25": 12345678.25,
    "١٢": 12.0,
    "٣٫٥": 3.5,
    "१२": 12.0,
    "１２": 12.0,
}
NO_NUMBERS = [
    "", " ", ".", ",", "-", "\u2212", "nan", "inf", "-inf", "Infinity", "1e400", "9" * 400, "1_000",
    "1_0.5", "+-3", "--2", "0x1F", "0b11", "1e", "1f", "1d", "true", "five", "ärger", "5%", "1 000",
    "1'000", "1,000,000", "1.000.000", "12,3,4", "1 e5", "1:02", "2\u2212", "1\u22122", "q3", "3q",
]  # fmt: skip


def test_the_rule_is_the_same_in_python_and_in_sql() -> None:
    texts = [*NUMBERS, *NO_NUMBERS]
    connection = duckdb.connect()
    connection.execute("CREATE TABLE cells (place INTEGER, cell VARCHAR)")
    connection.executemany("INSERT INTO cells VALUES (?, ?)", list(enumerate(texts)))
    found = connection.execute(f"SELECT {number_sql('cell')} FROM cells ORDER BY place").fetchall()
    wanted = [*NUMBERS.values(), *[None] * len(NO_NUMBERS)]
    assert [as_number(text) for text in texts] == pytest.approx(wanted)
    assert [row[0] for row in found] == [as_number(text) for text in texts]


def test_no_cell_holds_no_number() -> None:
    found = duckdb.connect().execute(f"SELECT {number_sql('NULL::VARCHAR')}").fetchone()
    assert found == (None,)
    assert as_number(None) is None


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [("1:02", 62.0), ("01:02,5", 62.5), ("1:00:00", 3600.0), ("90:00", 5400.0), ("1:60", None),
     ("12", None), ("1:02:03:04", None), ("", None)],
)  # fmt: skip
def test_clocks(cell: str, seconds: float | None) -> None:
    assert as_clock(cell) == seconds
    assert as_time(cell) == (12.0 if cell == "12" else seconds)


@pytest.mark.parametrize("cell", ['["a", "b"]', "['a', 'b']", "['a' 'b']", "['a'\n 'b']"])
def test_lists_as_json_python_and_numpy_write_them(cell: str) -> None:
    assert as_literal(cell) == ["a", "b"]


def test_what_is_no_list() -> None:
    for cell in ("", "a, b", "[a, b]", "[__import__('os')]", "[" * 3000):
        assert as_literal(cell) is None
    assert as_literal("('a', 1)") == ("a", 1)
    assert as_literal("{'a': 0.5}") == {"a": 0.5}


# -------------------------------------------------------------------- what second rules had cost


def test_minus_signs_that_programs_write_make_numbers(tmp_path: Path) -> None:
    path = tmp_path / "signed.csv"
    path.write_text("item,Ann,Bob\n1,\u22122,-2\n2,1,1\n3,\u22121,0\n4,2,2\n", encoding="utf-8")
    assert load(path).ratings.categories == (-2, -1, 0, 1, 2)


def test_arrays_that_numpy_printed_are_several_labels(tmp_path: Path) -> None:
    """Python joins neighbouring texts: ['a' 'b'] was the one label 'ab'."""
    path = tmp_path / "arrays.csv"
    rows = [f"{k},\"['red' 'blue']\",\"['red']\"" for k in range(4)]
    path.write_text("\n".join(["item,Ann,Bob", *rows]) + "\n", encoding="utf-8")
    members = {str(member) for label in load(path).ratings.categories for member in label}
    assert members == {"red", "blue"}


def test_a_cross_table_counts_with_every_sign(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("x,yes,no\nyes,1_0,2\nno,3,4\n", encoding="utf-8")
    with pytest.raises(ValueError, match="whole number"):
        load(path, shape="table")


def test_predicted_shares_may_have_decimal_commas(tmp_path: Path) -> None:
    from consilience.io.predicted_shares import read_distributions

    path = tmp_path / "predictions.csv"
    path.write_text("item;yes;no\na;0,9;0,1\nb;0,25;0,75\n", encoding="utf-8")
    found = read_distributions(path, items=["a", "b"], labels=["yes", "no"])
    assert np.allclose([found["a"]["yes"], found["b"]["no"]], [0.9, 0.75])
