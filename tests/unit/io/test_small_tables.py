"""Small tables beside ratings: weights, trees, chains, tables of papers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import consilience as cs
import needed
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.io import (
    read_chains,
    read_nil_table,
    read_taxonomy,
    read_weights,
)
from consilience.units import easydiag_table

SQUARE = ",a,b,c\na,0,1,.5\nb,1,0,.5\nc,.5,.5,0\n"
PAIRS = "first,second,distance\na,b,1\nc,a,0.5\nb,c,0.5\n"
RATINGS = cs.Ratings.from_wide([["a", "b"], ["c", "c"], ["a", "a"], ["b", "c"]])


@pytest.fixture
def saved(tmp_path: Path):
    def write(text: str, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


# --- distances ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [SQUARE, PAIRS, PAIRS.partition("\n")[2], SQUARE.replace(",", ";"),
     ",c,a,b\na,.5,0,1\nb,.5,1,0\nc,0,.5,.5\n", SQUARE.replace(",", "\t").replace(".5", "0,5")],
    ids=["square", "pairs", "pairs without names", "semicolons", "another order", "decimal commas"],
)  # fmt: skip
def test_weights_are_read_in_either_layout(saved, text: str) -> None:
    expected = cs.distances.matrix([[0, 1, 0.5], [1, 0, 0.5], [0.5, 0.5, 0]], ["a", "b", "c"])
    found = cs.cohen_kappa(RATINGS, distance=read_weights(saved(text))).value
    assert found == pytest.approx(cs.cohen_kappa(RATINGS, distance=expected).value)


def test_weights_of_a_workbook(tmp_path: Path) -> None:
    openpyxl = needed.package("openpyxl")
    book = openpyxl.Workbook()
    for row in (["", 1, 2], [1, 0, 0.5], [2, 0.5, 0]):
        book.active.append(row)
    book.save(tmp_path / "weights.xlsx")
    numbers = cs.Ratings.from_wide([[1, 2], [2, 2], [1, 1]], scale="nominal")
    distance = read_weights(tmp_path / "weights.xlsx")
    assert cs.percent_agreement(numbers, distance=distance).observed_disagreement == pytest.approx(
        0.5 / 3
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (",a,b\na,0,x\nb,1,0\n", "line 2"),
        ("a,b,1\nb,c,1\n", "'a' and 'c'"),
        (",a,b\na,0,1\nb,2,0\n", "symmetric"),
        (",a,b\na,1,0\nb,0,1\n", "1 - w"),
        ("a,b,c,d\n1,2,3,4\n", "square"),
        ("only one column\na\n", "two columns"),
    ],
)
def test_what_is_no_table_of_weights_is_refused(saved, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_weights(saved(text))


def test_a_tree_of_senses(saved) -> None:
    """Artstein & Poesio (2005), 4.4: two senses of one group 2/3, a sense and its group 1/3."""
    path = saved("sense,group\nWN1,LABEL\nWN3,LABEL\nWN19,SEE\n")
    for pair, expected in ((["WN1", "WN3"], 2 / 3), (["WN1", "LABEL"], 1 / 3), (["WN1", "SEE"], 1)):
        one = cs.percent_agreement(
            cs.Ratings.from_wide([pair, ["WN19", "WN1"]]),
            distance=read_taxonomy(path, distance="passonneau"),
        )
        assert one.observed_disagreement == pytest.approx((expected + 1) / 2)
    with pytest.raises(InputError, match="circle"):
        read_taxonomy(saved("a,b\nb,a\n", "ring.csv"))
    with pytest.raises(InputError, match="two columns"):
        read_taxonomy(saved("a\nb\n", "bare.csv"))


# --- chains ---------------------------------------------------------------------------------------

WIDE = "mention,Ann,Bob\nengine,,\nit 1,engine,engine\nit 2,engine,it 1\ntanker,,engine\n"
LONG = (
    "mention,rater,antecedent\nengine,Ann,\nit 1,Ann,engine\nit 2,Ann,engine\ntanker,Ann,\n"
    "engine,Bob,\nit 1,Bob,engine\nit 2,Bob,it 1\ntanker,Bob,engine\n"
)
ENTITIES = "mention,Ann,Bob\nengine,1,e\nit 1,1,e\nit 2,1,e\ntanker,2,e\n"


@pytest.mark.parametrize(
    ("text", "form"), [(WIDE, "links"), (LONG, "links"), (ENTITIES, "entities")]
)
def test_links_and_entities_in_any_layout_give_the_same_chains(saved, text, form) -> None:
    chains = read_chains(saved(text), form=form)
    assert chains.n_items == 4
    assert set(map(str, chains.categories)) == {
        "{engine, it 1, it 2}", "{tanker}", "{engine, it 1, it 2, tanker}",
    }  # fmt: skip
    by_hand = cs.units.chain_ratings(
        {
            "Ann": {"engine": None, "it 1": "engine", "it 2": "engine", "tanker": None},
            "Bob": {"engine": None, "it 1": "engine", "it 2": "it 1", "tanker": "engine"},
        }
    )
    for distance in ("nominal", "dice"):
        assert cs.krippendorff_alpha(chains, distance=distance).value == pytest.approx(
            cs.krippendorff_alpha(by_hand, distance=distance).value
        )


def test_entities_of_two_texts_are_different_entities(saved) -> None:
    rows = [f"m{k},{text},{rater},1" for text in "ab" for rater in ("A", "B") for k in _of(text)]
    chains = read_chains(
        saved("mention,document,rater,entity\n" + "\n".join(rows)), form="entities"
    )
    assert set(map(str, chains.categories)) == {"{m1, m2}", "{m3, m4}"}


def _of(text: str) -> tuple[int, int]:
    return (1, 2) if text == "a" else (3, 4)


def test_scope_and_itself_and_unmarked_mentions(saved) -> None:
    before = read_chains(saved(WIDE), scope="before", itself="exclude")
    labels = dict(zip(before.items, before.table("Ann", "Bob").tolist(), strict=False))
    assert len(labels) == 4
    assert "{}" in set(map(str, before.categories))
    with pytest.raises(UnsupportedDesignError, match="all raters marked"):
        read_chains(saved("mention,Ann,Bob\nx,1,\ny,,1\n"), form="entities", unmarked="missing")
    with pytest.raises(InputError, match="form"):
        read_chains(saved(WIDE), form="trees")


# --- tables of papers -----------------------------------------------------------------------------

NIL = "R1,a,b,nil,Total,p\na,8,2,1,11,.55\nb,0,6,2,8,.4\nnil,1,0,–,1,.05\nTotal,9,8,3,20,1\n"


def test_a_table_with_nil_in_any_order_without_its_totals(saved) -> None:
    found = read_nil_table(saved(NIL))
    assert found.labels == ("a", "b")
    assert found.table.tolist() == [[8, 2, 1], [0, 6, 2], [1, 0, 0]]
    assert found.findings == ()
    turned = read_nil_table(saved("x,nil,b,a\nnil,,0,1\na,1,2,8\nb,2,6,0\n"))
    order = [turned.labels.index(k) for k in "ab"]
    assert turned.table[np.ix_([*order, 2], [*order, 2])].tolist() == found.table.tolist()
    assert easydiag_table(turned.table, turned.labels).kappa == pytest.approx(
        easydiag_table(found.table, found.labels).kappa
    )


def test_a_total_that_does_not_fit_is_told(saved) -> None:
    found = read_nil_table(saved(NIL.replace(",11,", ",12,").replace("Total,9", "Total,7")))
    told = [one.message for one in found.findings]
    assert told == [
        "The row a sums to 11, and the table says 12.",
        "The column a sums to 9, and the table says 7.",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x,a,b\na,1,2\nb,0,1\n", "nil"),
        ("x,a,nil\na,1,2\nb,0,1\n", "same labels"),
        ("x,a,nil\na,1.5,2\nnil,0,\n", "whole numbers"),
    ],
)
def test_what_is_no_table_with_nil_is_refused(saved, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_nil_table(saved(text))


def test_shares_of_so_many_items(saved) -> None:
    """Artstein & Poesio (2005), Table 2: printed as proportions, chi-square 64.59 of 200 items."""
    path = saved(",STAT,IREQ,CHCK,TOTAL\nSTAT,.25,.13,.12,.50\nIREQ,.12,.02,.16,.30\n"
                 "CHCK,.03,.15,.02,.20\nTOTAL,.40,.30,.30,1\n")  # fmt: skip
    ratings = cs.read(path, shares_of=200)
    assert ratings.n_items == 200
    assert cs.magnitudes.pearson_chi2(ratings).value == pytest.approx(64.59, abs=0.005)
    same = cs.datasets.load("artstein_poesio_2005_table2")
    assert cs.cohen_kappa(ratings).value == pytest.approx(cs.cohen_kappa(same).value)
    with pytest.raises(InputError, match="whole numbers of 30 items"):
        cs.read(saved(",a,b\na,.22,.26\nb,.26,.26\n"), shares_of=30)
    for wrong in (0, 1.5, True, -3):
        with pytest.raises(InputError, match="shares_of"):
            cs.read(path, shares_of=wrong)
    with pytest.raises(InputError, match="cross-table"):
        cs.read(saved("item,Ann,Bob\n1,x,y\n2,y,y\n"), shares_of=10)


@pytest.mark.parametrize("n_items", [0, 1.5, True, -3])
def test_shares_need_a_number_of_items(n_items) -> None:
    with pytest.raises(InputError, match="n_items"):
        cs.Ratings.from_table([[0.5, 0], [0, 0.5]], n_items=n_items)


def test_a_labelled_frame_of_shares_keeps_its_labels() -> None:
    pandas = needed.package("pandas")
    frame = pandas.DataFrame([[0.2, 0.2], [0.1, 0.5]], index=["x", "y"], columns=["x", "y"])
    ratings = cs.Ratings.from_table(frame, n_items=100)
    assert ratings.categories == ("x", "y")
    assert cs.cohen_kappa(ratings).value == pytest.approx(0.348, abs=5e-4)
