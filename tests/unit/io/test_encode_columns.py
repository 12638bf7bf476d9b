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
