"""Cross-tables and tables of differences as papers print them: right or refused, never misread."""

from __future__ import annotations

import io
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consilience as cs
import needed
from consilience.exceptions import ConsilienceError, InputError, ReadingWarning
from consilience.io import load
from consilience.io.small_tables import read_differences
from tables.printed import SEPARATORS, Printed, agreement_table, cross_table, ratings_alike, typed

PER_ROUTE = 40


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., Path]:
    def write(text: str, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def judged(read: Callable[..., Any], one: Printed) -> str:
    """Say whether a table was read right, at once or by the line of its refusal."""
    try:
        loaded, asked = read(), {}
    except ConsilienceError as error:
        told = re.search(r"shares_of=(\d+)", str(error))
        if told is None:
            return "refused"
        asked = {"shares_of": int(told[1])}
        loaded = read(**asked)
    if loaded.reading.shape != "table":
        return "misread"
    ratings = loaded.ratings
    names = [str(label) for label in ratings.categories]
    if sorted(names) != sorted(one.labels):
        return "misread"
    order = [names.index(label) for label in one.labels]
    found = ratings.table(*ratings.raters)[np.ix_(order, order)]
    wanted = np.array(one.counts)
    same = np.allclose(found / found.sum(), wanted / wanted.sum()) if asked else None
    return "right" if same or (same is None and found.tolist() == one.counts) else "misread"


def _as_file(one: Printed, rng: random.Random, folder: Path) -> Callable[..., Any]:
    separator = rng.choice(SEPARATORS)
    path = folder / ("t.md" if separator == "markdown" else "t.csv")
    path.write_text(typed(one.grid, separator), encoding="utf-8")
    return lambda **told: load(path, **told)


def _as_frame(one: Printed, rng: random.Random, folder: Path) -> Callable[..., Any]:
    pandas = needed.package("pandas")
    header = rng.choice((0, None))
    frame = pandas.read_csv(io.StringIO(typed(one.grid, ",")), header=header)
    return lambda **told: load(frame, **told)


def _as_workbook(one: Printed, rng: random.Random, folder: Path) -> Callable[..., Any]:
    openpyxl = needed.package("openpyxl")
    book = openpyxl.Workbook()
    for row in one.grid:
        book.active.append([_number(cell) for cell in row])
    path = folder / "t.xlsx"
    book.save(path)
    return lambda **told: load(path, **told)


def _number(cell: str) -> Any:
    try:
        return int(cell) if cell.isdigit() else float(cell)
    except ValueError:
        return cell or None


@pytest.mark.parametrize("route", [_as_file, _as_frame, _as_workbook])
def test_printed_cross_tables_are_right_or_refused(route, tmp_path: Path) -> None:
    found: Counter[str] = Counter()
    for seed in range(PER_ROUTE):
        rng = random.Random(seed)
        one = cross_table(rng)
        verdict = judged(route(one, rng, tmp_path), one)
        assert verdict != "misread", (seed, one.style, one.grid)
        found[verdict] += 1
    assert found["right"] >= 0.9 * PER_ROUTE


def test_agreement_tables_with_sums_are_counts(tmp_path: Path) -> None:
    """Artstein & Poesio (2005), Table 5: a row TOTAL of counts with their shares."""
    for seed in range(PER_ROUTE):
        rng = random.Random(seed)
        grid, counts = agreement_table(rng)
        path = tmp_path / "t.csv"
        path.write_text(typed(grid, ","), encoding="utf-8")
        loaded = load(path)
        assert loaded.reading.shape == "counts", (seed, grid)
        wanted = cs.Ratings.from_counts(counts)
        assert cs.scott_pi(loaded.ratings).value == pytest.approx(cs.scott_pi(wanted).value)


def test_ratings_that_look_like_a_cross_table_are_none(tmp_path: Path) -> None:
    """Items and raters may be called alike: a, b, c and A, B, C, or both 1, 2, 3."""
    for seed in range(PER_ROUTE):
        grid, n_raters = ratings_alike(random.Random(seed))
        path = tmp_path / "t.csv"
        path.write_text(typed(grid, ","), encoding="utf-8")
        try:
            loaded = load(path)
        except InputError:
            continue
        assert (loaded.reading.shape, loaded.ratings.n_raters) == ("wide", n_raters), (seed, grid)


def test_ratings_of_a_small_study_are_no_cross_table(saved) -> None:
    """Artstein & Poesio (2005), Table 3: items a to e, coders A to D."""
    text = "ITEM,A,B,C,D\na,1,1,1,2\nb,2,2,2,4\nc,3,3,3,6\nd,4,4,4,8\ne,5,5,5,10\n"
    flat = cs.read(saved(text))
    assert (flat.n_items, flat.n_raters) == (5, 4)
    spanned = cs.read(saved(text.replace("ITEM,A", "ITEM,EXP 1,,EXP 2,\n,A")))
    assert spanned.table("A", "B").tolist() == flat.table("A", "B").tolist()


def test_a_table_with_rows_left_out_is_refused(saved) -> None:
    text = ",STAT,IREQ\nUtt1,2,1\nUtt2,0,3\n⋮,,\nUtt100,1,2\nTOTAL,90 (.3),210 (.7)\n"
    with pytest.raises(InputError, match="rows that were not printed"):
        cs.read(saved(text))
    with pytest.raises(InputError, match="sums of the rows above"):
        cs.read(saved(text.replace("⋮,,\n", "")))


SIDE_BY_SIDE = """Observer B,Observer A,,Total,Observer B,Observer A,,Total
,1,2,,,1,2,
1,45,5,50,1,90,5,95
2,5,45,50,2,5,0,5
Total,50,50,100,Total,95,5,100
"""
CASES = """,,CODER A,,
,,a,b,TOTAL
Case 1: alike,,,,
CODER B,a,.50,.10,.60
,b,–,.40,.40
,TOTAL,.50,.50,1.00
Case 2: apart,,,,
CODER B,a,.20,.30,.50
,b,.40,.10,.50
,TOTAL,.60,.40,1.00
"""


def test_several_tables_are_named_by_number(saved) -> None:
    """Stegmann & Lücking (2005), Table 2.3; Artstein & Poesio (2005), Table 4."""
    path = saved(SIDE_BY_SIDE)
    with pytest.raises(InputError, match=r"2 cross-tables.*sheet=1"):
        cs.read(path)
    kappas = [cs.cohen_kappa(cs.read(path, sheet=k)).value for k in (1, 2)]
    assert kappas == pytest.approx([0.8, -0.0526], abs=5e-5)
    cases = saved(CASES, "cases.csv")
    with pytest.raises(InputError, match="Case 1: alike"):
        cs.read(cases)
    second = cs.read(cases, sheet="Case 2: apart", shares_of=10)
    assert second.table(*second.raters).tolist() == [[2, 3], [4, 1]]
    with pytest.raises(InputError, match="sheet"):
        cs.read(path, sheet=3)


def test_a_label_that_one_rater_never_gave(saved) -> None:
    text = ",yes,no,maybe,Total\nyes,20,3,4,27\nno,1,30,0,31\nTotal,21,33,4,58\n"
    ratings = cs.read(saved(text))
    assert ratings.table(*ratings.raters).tolist() == [[20, 3, 4], [1, 30, 0], [0, 0, 0]]


def test_a_sum_that_does_not_fit_is_told(saved) -> None:
    """Holle & Rein, Table 2, prints sums for `ris` that its cells do not have."""
    path = saved(",ris,other,Total\nris,220,51,271\nother,36,996,1032\nTotal,285,1679,1964\n")
    with pytest.warns(ReadingWarning, match="the column ris sums to 256, and the table says 285"):
        assert cs.read(path).n_items == 1303


def test_a_table_with_nil_is_sent_to_the_units(saved) -> None:
    text = "Obs. 1,a,b,nil,Total\na,8,2,1,11\nb,0,6,2,8\nnil,1,0,–,1\nTotal,9,8,3,20\n"
    with pytest.raises(InputError, match=r"consilience units .* --table"):
        cs.read(saved(text))


def test_results_are_no_ratings(saved) -> None:
    """Krenn et al. (2004), in SIGIL: kappa of each annotator against one of them."""
    text = "vs. NN,kappa value,min,max\n7,.775,71.93,82.22\n9,.747,68.65,79.77\n1,.692,63.3,75.9\n"
    with pytest.raises(InputError, match="measured already"):
        cs.read(saved(text))


# ---- tables of differences

HEADS = {
    "Haley et al., Table 1-2": (
        "# of Marked Answers,% Equal Scores,Tutor and Computer differ by ±1mark,"
        "Tutor and Computer differ by ± 2 marks,Tutor and Computer differ by ± 3 marks"
    ),
    "off by": "n,identical,off by 1,off by 2,off by 3",
    "points": "n,exact,1 point,2 points,3 points apart",
    "signs": "n,same,±1,+/-2,± 3",
    "numbers": "n,0,1,2,3",
}


@pytest.mark.parametrize("heads", HEADS.values(), ids=HEADS)
def test_differences_under_any_heads(saved, heads: str) -> None:
    path = saved(f"{heads}\n10,65,20,13,2\n20,68,15,13,4\n")
    found = read_differences(path, setting=heads.partition(",")[0])
    assert found.counts == {10: {0: 65, 1: 20, 2: 13, 3: 2}, 20: {0: 68, 1: 15, 2: 13, 3: 4}}
    with pytest.raises(InputError):
        cs.read(path)


def test_differences_in_rows(saved) -> None:
    """Haley et al. (2008), Table 1-1."""
    path = saved("Point difference,Marker A,Marker B\n0,80,75\n1,0,25\n2,0,0\n3,5,0\n4,15,0\n")
    found = read_differences(path, setting="marker")
    assert found.counts["Marker A"] == {0: 80, 1: 0, 2: 0, 3: 5, 4: 15}
    assert list(found.counts) == ["Marker A", "Marker B"]
    with pytest.raises(InputError, match=r"consilience sweep .* --differences"):
        cs.read(path)


def test_no_column_of_a_table_of_differences_is_dropped_unsaid(saved) -> None:
    text = "n,same,±1,within 1,Manhattan distance L1\n10,65,20,85,20\n20,68,15,83,15\n"
    with pytest.raises(InputError, match=r"'within 1'.*label"):
        read_differences(saved(text), setting="n")
    found = read_differences(saved(text), setting="n", label=["same", "±1"])
    assert found.counts[10] == {0: 65, 1: 20}
    rest = read_differences(saved(text.replace("within 1", "total")), setting="n")
    assert "left out: total, Manhattan distance L1" in rest.told


def test_shares_are_asked_about_on_every_route(saved) -> None:
    pandas = needed.package("pandas")
    labels = ["STAT", "IREQ"]
    frame = pandas.DataFrame([[0.2, 0.2], [0.1, 0.5]], index=labels, columns=labels)
    for data in (frame, saved(",STAT,IREQ\nSTAT,.2,.2\nIREQ,.1,.5\n")):
        with pytest.raises(InputError, match="shares_of=100"):
            cs.read(data)
        assert cs.cohen_kappa(cs.read(data, shares_of=100)).value == pytest.approx(0.348, abs=5e-4)


def test_a_frame_with_margins_and_levels(saved) -> None:
    pandas = needed.package("pandas")
    first = pandas.Series([*"aaabbbbb"], name="Ann")
    second = pandas.Series([*"aabbbbba"], name="Bob")
    table = pandas.crosstab(first, second, margins=True)
    ratings = cs.read(table)
    assert ratings.table(*ratings.raters).tolist() == [[2, 1], [1, 4]]
    levels = pandas.MultiIndex.from_product([["CODER A"], ["STAT", "IREQ", "TOTAL"]])
    frame = pandas.DataFrame(
        [["20 (.2)", "20 (.2)", "40 (.4)"], ["10 (.1)", "50 (.5)", "60 (.6)"]],
        index=["STAT", "IREQ"],
        columns=levels,
    )
    ratings = cs.read(frame)
    assert ratings.table(*ratings.raters).tolist() == [[20, 20], [10, 50]]
