"""One table of texts, asked at every door: what is a number in one file is one in all others."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from consilience import distances
from consilience.core.cell_values import written_numbers
from consilience.exceptions import InputError
from consilience.io import load, read_weights, reduce
from consilience.io.events import read_units
from consilience.io.layout.labels import read_labels
from consilience.ratings import Ratings

# Labels: what stands in the cell, and what the label is. A comma between two labels is no decimal
# sign unless the file says so, and 007 is a code.
LABELS: dict[str, object] = {
    "1e3": 1000,
    "−2": -2,
    "–2": -2,
    " 5 ": 5,
    "٣": 3,
    "５": 5,
    "+3": 3,
    "1.": 1,
    ".5": 0.5,
    "2.0": 2,
    "1E+2": 100,
    "½": "½",
    "inf": "inf",
    "1_000": "1_000",
    "5%": "5%",
    "1'000": "1'000",
    "0x1F": "0x1F",
    "007": "007",
    "1:02": "1:02",
}
# Measurements: every other column of numbers, in which a comma can be nothing but a decimal sign.
MEASURES: dict[str, float | None] = {
    "1e3": 1000.0,
    "0,9": 0.9,
    "1.234,5": 1234.5,
    "1,234.5": 1234.5,
    " 5 ": 5.0,
    "٣": 3.0,
    "+3": 3.0,
    "３,５": 3.5,
    ",5": 0.5,
    "007": 7.0,
    "½": None,
    "nan": None,
    "inf": None,
    "1_000": None,
    "5 s": None,
    "0x1F": None,
    "yes": None,
}


def _pairs(text: str) -> list[tuple[str, str, str]]:
    others = ((text, "8"), ("9", "9"), ("8", "8"), (text, text), ("9", "8"))
    return [
        (f"i{k}", who, label)
        for k, both in enumerate(others)
        for who, label in zip(("Ann", "Bob"), both, strict=True)
    ]


def _text(rows: list[list[str]]) -> str:
    stream = io.StringIO()
    csv.writer(stream).writerows(rows)
    return stream.getvalue()


def _long(folder: Path, text: str) -> Ratings:
    path = folder / "long.csv"
    rows = [["item", "rater", "label"], *map(list, _pairs(text))]
    path.write_text(_text(rows), encoding="utf-8")
    return load(path).ratings


def _wide(folder: Path, text: str) -> Ratings:
    cells = _pairs(text)
    rows = [["item", "Ann", "Bob"]]
    rows += [[a[0], a[2], b[2]] for a, b in zip(cells[::2], cells[1::2], strict=True)]
    path = folder / "wide.csv"
    path.write_text(_text(rows), encoding="utf-8")
    return load(path, rater=["Ann", "Bob"]).ratings


def _records(folder: Path, text: str) -> Ratings:
    path = folder / "records.json"
    rows = [dict(zip(("item", "rater", "label"), row, strict=True)) for row in _pairs(text)]
    path.write_text(json.dumps(rows), encoding="utf-8")
    return load(path).ratings


def _sheet(folder: Path, text: str) -> Ratings:
    book = openpyxl.Workbook()
    for row in [("item", "rater", "label"), *_pairs(text)]:
        book.active.append(row)
    book.save(folder / "sheet.xlsx")
    return load(folder / "sheet.xlsx").ratings


def _frame(folder: Path, text: str) -> Ratings:
    return load(pd.DataFrame(_pairs(text), columns=["item", "rater", "label"])).ratings


def _reduced(folder: Path, text: str) -> Ratings:
    frame = pd.DataFrame(_pairs(text), columns=["item", "rater", "label"])
    return reduce(frame, item="item", rater="rater", label="label")


@pytest.mark.parametrize("read", [_long, _wide, _records, _sheet, _frame, _reduced])
def test_a_label_is_a_number_at_every_door_or_at_none(
    read: Callable[[Path, str], Ratings], tmp_path: Path
) -> None:
    for text, label in LABELS.items():
        expected = {label, 8, 9} if isinstance(label, (int, float)) else {text.strip(), "8", "9"}
        assert set(read(tmp_path, text).categories) == expected


def _in_units(folder: Path, text: str) -> float:
    path = folder / "units.csv"
    rows = [["rater", "start", "end", "label"], ["a", "0", text, "x"], ["b", "0", "9999", "x"]]
    path.write_text(_text(rows), encoding="utf-8")
    return float(read_units(path).end[0])


def _in_parquet(folder: Path, text: str) -> float:
    columns = {"rater": ["a", "b"], "start": ["0", "0"], "end": [text, "9999"], "label": ["x", "x"]}
    pq.write_table(pa.table(columns), folder / "units.parquet")
    return float(read_units(folder / "units.parquet").end[0])


def _in_weights(folder: Path, text: str) -> float:
    path = folder / "weights.csv"
    path.write_text(_text([["a", "b", "distance"], ["x", "y", text]]), encoding="utf-8")
    distance = read_weights(path)
    assert isinstance(distance, distances.Distance)
    space = distances.LabelSpace.of(["x", "y"])
    return float(distance.matrix(space, np.ones(2))[0, 1])


def _in_columns_beside(folder: Path, text: str) -> float:
    from consilience.ratings.rating_tables import numbers_per_item

    ratings = _long(folder, "7")
    return float(numbers_per_item(ratings, {"i0": text, "i1": "2"}, "weights")[0])


@pytest.mark.parametrize("read", [_in_units, _in_parquet, _in_weights, _in_columns_beside])
def test_a_measurement_is_a_number_at_every_door_or_at_none(
    read: Callable[[Path, str], float], tmp_path: Path
) -> None:
    for text, number in MEASURES.items():
        if number is None:
            with pytest.raises(ValueError, match="number"):
                read(tmp_path, text)
        else:
            assert read(tmp_path, text) == pytest.approx(number)


# -------------------------------------------------------------------- thousands and decimal commas

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


# Whole numbers that no float tells apart: two labels stay two, two items stay two, at every door.
Cells = list[tuple[int, str, int]]


def _long_csv(folder: Path, cells: Cells) -> object:
    path = folder / "whole.csv"
    path.write_text(_text([["item", "rater", "label"], *[list(map(str, c)) for c in cells]]))
    return path


def _wide_csv(folder: Path, cells: Cells) -> object:
    path = folder / "wide.csv"
    rows = [[str(a[0]), str(a[2]), str(b[2])] for a, b in zip(cells[::2], cells[1::2], strict=True)]
    path.write_text(_text([["item", "Ann", "Bob"], *rows]))
    return path


def _as_records(cells: Cells) -> list[dict[str, object]]:
    return [dict(zip(("item", "rater", "label"), cell, strict=True)) for cell in cells]


def _json(folder: Path, cells: Cells) -> object:
    path = folder / "whole.json"
    path.write_text(json.dumps(_as_records(cells)))
    return path


def _json_lines(folder: Path, cells: Cells) -> object:
    path = folder / "whole.jsonl"
    path.write_text("\n".join(map(json.dumps, _as_records(cells))))
    return path


def _arrow(folder: Path, cells: Cells) -> object:
    return pa.Table.from_pylist(_as_records(cells))


def _parquet(folder: Path, cells: Cells) -> object:
    pq.write_table(pa.Table.from_pylist(_as_records(cells)), folder / "whole.parquet")
    return folder / "whole.parquet"


def _decimals(folder: Path, cells: Cells) -> object:
    """Whole numbers as databases export them, NUMERIC(30, 0)."""
    table = pa.Table.from_pylist(_as_records(cells))
    kind = pa.decimal128(30, 0)
    columns = {name: table[name].cast(kind) for name in ("item", "label")}
    pq.write_table(pa.table({**columns, "rater": table["rater"]}), folder / "decimals.parquet")
    return folder / "decimals.parquet"


def _database(folder: Path, cells: Cells) -> object:
    import duckdb

    with duckdb.connect(str(folder / "whole.duckdb")) as connection:
        connection.execute("CREATE TABLE marks (item HUGEINT, rater VARCHAR, label HUGEINT)")
        connection.executemany("INSERT INTO marks VALUES (?, ?, ?)", cells)
    return folder / "whole.duckdb"


def _pandas(folder: Path, cells: Cells) -> object:
    return pd.DataFrame(_as_records(cells))


def _pandas_with_gaps(folder: Path, cells: Cells) -> object:
    frame = pd.DataFrame(_as_records(cells)).astype({"item": "Int64", "label": "Int64"})
    return frame


def _sheet_of_texts(folder: Path, cells: Cells) -> object:
    book = openpyxl.Workbook()
    for row in [("item", "rater", "label"), *cells]:
        book.active.append([str(cell) for cell in row])
    book.save(folder / "whole.xlsx")
    return folder / "whole.xlsx"


@pytest.mark.parametrize("large", [2**53, 10**16, 2**60, 2**62])
@pytest.mark.parametrize(
    "write",
    [_long_csv, _wide_csv, _json, _json_lines, _arrow, _parquet, _decimals, _database, _pandas,
     _pandas_with_gaps, _sheet_of_texts],
)  # fmt: skip
def test_whole_numbers_keep_their_last_digit(
    write: Callable[[Path, Cells], object], large: int, tmp_path: Path
) -> None:
    one, other = large, large + 1
    labels = [(one, one), (one, other), (other, other), (other, one), (one, one)]
    cells = [
        (large + 100 + k, who, label)
        for k, both in enumerate(labels)
        for who, label in zip(("Ann", "Bob"), both, strict=True)
    ]
    ratings = load(write(tmp_path, cells), shape="wide" if write is _wide_csv else None).ratings
    assert ratings.categories == (one, other)
    assert ratings.n_items == 5
    assert {int(str(item)) for item in ratings.items or ()} == {large + 100 + k for k in range(5)}
    assert ratings.n_ratings == 10


def test_whole_numbers_beyond_sixty_four_bits_stay_whole():
    found = read_labels([str(2**70), str(2**70 + 1), "1e3", "2.0"], scale=None)
    assert found.labels == [2, 1000, 2**70, 2**70 + 1]


def test_a_workbook_keeps_the_digits_that_a_program_wrote(tmp_path):
    """Excel keeps fifteen digits; others write sixteen, as identifiers have."""
    book = openpyxl.Workbook()
    for row in [
        ("item", "Ann", "Bob"),
        *[(1234567890123456 + k, "x", "xy"[k % 2]) for k in range(6)],
    ]:
        book.active.append(row)
    book.save(tmp_path / "ids.xlsx")
    items = load(tmp_path / "ids.xlsx").ratings.items
    assert [str(item) for item in items or ()] == [str(1234567890123456 + k) for k in range(6)]
