"""Every file format: known by its content, read to the expected counts, and hard to break."""

from __future__ import annotations

import pytest

import consilience as cs
import needed
from consilience.exceptions import InputError
from consilience.io import convert, load
from consilience.io.registry import table_formats
from fuzzing import fuzz
from lookalikes import LOOKALIKES

NAMES = sorted(cs.formats())
EXPORTS = [name for name in NAMES if name not in table_formats()]
TOLD, RECOGNISED = 100, 10  # broken files per format; `make fuzz` breaks as many as you like
FEWER = 50  # for judges' tools, whose readers share their parts
SLOW = {"duckdb": 20}  # each broken database may end the process that reads it
JUDGES = ("deepeval", "inspect", "langsmith", "lm-eval", "mlflow", "promptfoo")


def look(name: str):
    if name not in LOOKALIKES:
        pytest.fail(f"tests/lookalikes.py has no file for {name}")
    one = LOOKALIKES[name]
    if one.needs:
        needed.package(one.needs)
    return one


def test_every_format_has_a_look_alike_and_the_other_way_round():
    assert set(LOOKALIKES) == set(NAMES)


def test_formats_say_what_they_are():
    for name, one in cs.formats().items():
        assert one.name == name
        assert one.title
        assert all(suffix.startswith(".") for suffix in one.suffixes)
        assert isinstance(one.experimental, bool)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_recognised_without_a_flag(name, tmp_path):
    one = look(name)
    loaded = load(one.write(tmp_path))
    assert loaded.reading.format == name
    assert loaded.reading.guesses
    assert str(loaded.reading)
    ratings = loaded.ratings if one.variable is None else loaded.groups[one.variable]
    counts = (ratings.n_items, ratings.n_raters, ratings.n_ratings)
    assert counts == (one.items, one.raters, one.ratings)


@pytest.mark.parametrize("name", NAMES)
def test_naming_the_format_changes_nothing(name, tmp_path):
    path = look(name).write(tmp_path)
    found, told = load(path), load(path, format=name)
    assert told.groups.keys() == found.groups.keys()
    assert told.reading.states == found.reading.states


@pytest.mark.parametrize("name", EXPORTS)
def test_states_are_kept_apart(name, tmp_path):
    loaded = load(look(name).write(tmp_path))
    assert set(loaded.reading.states) == {"not asked", "asked, no label", "excluded"}
    known = {note.code for ratings in loaded.groups.values() for note in ratings.notes}
    assert ("experimental_format" in known) == cs.formats()[name].experimental


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("name", NAMES)
def test_converting_loses_nothing(name, ending, tmp_path):
    path, tidy = look(name).write(tmp_path), tmp_path / f"tidy_table.{ending}"
    convert(path, tidy)
    before, after = load(path), load(tidy)
    assert after.reading.format == "tidy"
    assert list(after.groups) == list(before.groups)
    assert before.reading.states in (None, after.reading.states)
    for old, new in zip(before.groups.values(), after.groups.values(), strict=True):
        assert [str(one) for one in new.raters] == [str(one) for one in old.raters]
        assert new.categories == old.categories
        assert (new.n_items, new.n_ratings) == (old.n_items, old.n_ratings)
        left = new.coded_store()
        right = old.coded_store()
        assert type(left) is type(right)


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_file_gives_one_sentence(name, tmp_path):
    look(name)
    faults = fuzz(name, tmp_path, times=RECOGNISED, seed=1, told=False)
    times = SLOW.get(name, FEWER if name in JUDGES else TOLD)
    faults += fuzz(name, tmp_path, times=times, seed=2, told=True)
    assert not faults, "\n".join(faults[:5])


def test_an_unknown_format_is_refused(tmp_path):
    path = look("delimited").write(tmp_path)
    with pytest.raises(InputError, match=r"format must be one of .* did you mean 'prodigy'\?"):
        load(path, format="prodigi")
