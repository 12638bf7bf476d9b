"""Columns to codes: by hashes that are looked up, whatever the values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.io.building import _column_codes
from consilience.io.building._column_codes import places

hashes = st.integers(0, 2**64 - 1)


@given(st.lists(hashes, unique=True, max_size=300), st.lists(hashes, max_size=50), st.randoms())
def test_every_hash_is_found_at_its_place(keys, others, random):
    wanted = [*others, *keys]
    random.shuffle(wanted)
    place = {key: k for k, key in enumerate(keys)}
    found = places(np.array(keys, dtype=np.uint64), np.array(wanted, dtype=np.uint64))
    assert found.tolist() == [place.get(key, -1) for key in wanted]


def test_keys_that_claim_one_slot_are_all_found():
    keys = np.arange(5000, dtype=np.uint64)  # their highest bits are the same
    assert (places(keys, keys[::-1]) == np.arange(5000)[::-1]).all()


@pytest.fixture
def shuffled(tmp_path):
    rng = np.random.default_rng(3)
    rows = [f"u{rng.integers(40)},{'abc'[k % 3]},{rng.integers(4)}" for k in range(300)]
    path = tmp_path / "long.csv"
    path.write_text("unit,coder,code\n" + "\n".join(rows) + "\nu1,a,\n")
    return path


def test_values_with_the_same_hash_stay_apart(shuffled, monkeypatch):
    wanted = cs.read(shuffled, duplicates="first").to_frame().to_dict("list")
    honest, tried = _column_codes._hash, []

    def weak(cell, salt):
        tried.append(salt)
        return honest(cell, salt) if salt > 1 else f"(hash({cell}) % 3)"

    monkeypatch.setattr(_column_codes, "_hash", weak)
    assert cs.read(shuffled, duplicates="first").to_frame().to_dict("list") == wanted
    assert max(tried) == 2


# -------------------------------------------------------------------- very many columns


def many_variables(folder, n: int, *, untidy: bool = False):
    rng = np.random.default_rng(0)
    lines = [",".join(["item", "rater", *(f"v{k}" for k in range(n))])]
    for item in range(6):
        for rater in "AB":
            cells = [*"xyz", "7", ""] if untidy else [*"xyz"]
            row = rng.choice(cells, n)
            row = [f" {one} " if untidy and k % 5 == 0 else one for k, one in enumerate(row)]
            lines.append(",".join([str(item), rater, *row]))
    path = folder / "many.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_refusal_names_very_many_columns_by_a_pattern(tmp_path):
    with pytest.raises(cs.exceptions.InputError) as refused:
        cs.read(many_variables(tmp_path, 300))
    offers = refused.value.offers
    assert offers
    assert all(len(offer.flags()) < 200 for offer in offers)
    assert any("'v*'" in offer.flags() for offer in offers)
    assert len(str(refused.value)) < 2_000


def test_columns_fetched_together_are_those_fetched_one_by_one(tmp_path, monkeypatch):
    path = many_variables(tmp_path, 40, untidy=True)
    options = {"shape": "long", "item": "item", "rater": "rater", "label": "v*"}
    together = cs.load(path, **options)
    monkeypatch.setattr(_column_codes, "_MANY_COLUMNS", 1_000)
    alone = cs.load(path, **options)
    assert together.reading.account.to_dict() == alone.reading.account.to_dict()
    assert together.reading.evidence == alone.reading.evidence
    assert list(together.groups) == list(alone.groups)
    for name, ratings in together.groups.items():
        other = alone.groups[name]
        assert (ratings.categories, ratings.items, ratings.raters) == (
            other.categories, other.items, other.raters)  # fmt: skip
        np.testing.assert_array_equal(ratings.table("A", "B"), other.table("A", "B"))


def test_a_cell_of_megabytes_is_refused_for_what_it_is(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text(f'item,a,b\n1,"{"lorem " * 400_000}",x\n2,y,y\n')
    with pytest.raises(cs.exceptions.InputError, match="at most 1,048,576 characters long"):
        cs.read(path)
