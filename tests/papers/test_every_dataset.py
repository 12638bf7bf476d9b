"""Every published data set loads, names its source and keeps the numbers as printed."""

from __future__ import annotations

import re

import pytest

import consilience as cs
from consilience.exceptions import InputError


@pytest.mark.parametrize("name", cs.datasets.names())
def test_a_data_set_loads_and_names_its_source(name: str) -> None:
    dataset = cs.datasets.describe(name)
    assert dataset.name == name
    assert dataset.title
    assert dataset.shows
    assert re.search(r"\(\d{4}\)|SIGIL", dataset.source)
    ratings = cs.datasets.load(name)
    assert ratings.scale == dataset.scale
    assert ratings.n_items >= 5
    if dataset.categories is not None:
        assert ratings.categories == dataset.categories
        assert ratings.categories_declared


@pytest.mark.parametrize("name", cs.datasets.names())
def test_no_number_of_a_table_is_lost(name: str) -> None:
    dataset = cs.datasets.describe(name)
    ratings = cs.datasets.load(name)
    if dataset.layout == "table":
        assert (ratings.table(*ratings.raters) == dataset.cells).all()
        assert ratings.n_items == sum(map(sum, dataset.cells))
    elif dataset.layout == "counts":
        assert ratings.n_ratings == sum(map(sum, dataset.cells))
    else:
        given = [cell for row in dataset.cells for cell in row]
        assert ratings.n_ratings == sum(cell is not None for cell in given)
        assert ratings.n_missing == given.count(None)


def test_names_are_sorted_and_unique() -> None:
    names = cs.datasets.names()
    assert list(names) == sorted(set(names))


def test_a_description_reads_as_text() -> None:
    text = str(cs.datasets.describe("fleiss_1971"))
    assert text.startswith("fleiss_1971: ")
    assert "doi:10.1037/h0031619" in text


def test_an_unknown_name_is_refused_with_a_guess() -> None:
    with pytest.raises(InputError, match="did you mean 'fleiss_1971'"):
        cs.datasets.load("fleis_1971")
