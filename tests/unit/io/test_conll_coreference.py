"""Coreference as in CoNLL 2011 and 2012: chains of several raters, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import consilience as cs
from consilience.exceptions import InputError
from consilience.io import load, read_chains
from consilience.io.events import load_units
from consilience.units import chain_ratings
from lookalikes import conll_coreference

ROOT = Path(__file__).parents[3]
TRAINS = ROOT / "examples" / "works" / "coreference"
ANN = ("-", "(3", "(4)|3)", "-", "-", "(3)", "-", "(9)")
BOB = ("-", "(1", "1)", "-", "(8)", "(8)", "-", "(9)")


@pytest.fixture
def files(tmp_path: Path):
    def write(**texts: str) -> list[Path]:
        paths = []
        for name, text in texts.items():
            path = tmp_path / f"{name.replace('__', '/')}.conll"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            paths.append(path)
        return paths

    return write


def test_chains_are_those_that_one_would_write_down(files) -> None:
    found = read_chains(files(ann=conll_coreference(ANN), bob=conll_coreference(BOB)))
    by_hand = chain_ratings(
        {
            "ann": [["engine E2 (2-3)", "it (6)"], ["E2 (3)"], ["there (8)"]],
            "bob": [["engine E2 (2-3)"], ["while (5)", "it (6)"], ["there (8)"]],
        },
        form="chains",
    )
    assert list(found.items) == ["engine E2 (2-3)", "it (6)", "there (8)"]
    assert set(found.categories) == set(by_hand.categories)
    for distance in ("nominal", "jaccard", "dice", "masi", "passonneau"):
        assert cs.krippendorff_alpha(found, distance=distance).value == pytest.approx(
            cs.krippendorff_alpha(by_hand, distance=distance).value
        )


def test_a_mention_that_only_some_marked_is_told_and_may_stand_alone(files) -> None:
    paths = files(ann=conll_coreference(ANN), bob=conll_coreference(BOB))
    loaded = load(paths)
    assert loaded.ratings.n_items == 5
    note = next(n for n in loaded.ratings.notes if n.code == "mentions_of_some")
    assert note.message.startswith("2 of 5 mentions were not marked by all")
    alone = read_chains(paths, unmarked="alone")
    assert (alone.n_items, alone.n_ratings) == (5, 10)
    assert "{while (5)}" in map(str, alone.categories)
    before = read_chains(paths, scope="before", itself="exclude")
    assert "{engine E2 (2-3)}" in map(str, before.categories)


def test_the_entity_1_of_one_document_is_not_that_of_another(files) -> None:
    both = [
        conll_coreference(ANN, "one") + conll_coreference(column, "two") for column in (ANN, BOB)
    ]
    chains = read_chains(files(ann=both[0], bob=both[1]))
    assert "{one part 0: engine E2 (2-3), one part 0: it (6)}" in map(str, chains.categories)
    assert chains.n_items == 4 + 3


def test_brackets_of_one_entity_inside_each_other_close_the_last_one_first(files) -> None:
    nested = ("(1", "(1", "1)", "1)", "-", "(1)", "-", "-")
    found = load(files(ann=conll_coreference(nested), bob=conll_coreference(nested))).ratings
    assert list(found.items) == ["send engine E2 off (1-4)", "engine E2 (2-3)", "it (6)"]
    assert len(found.categories) == 1


@pytest.mark.parametrize(
    ("names", "raters"),
    [
        (("ann", "bob"), ("ann", "bob")),
        (("trains_ann", "trains_bob"), ("ann", "bob")),
        (("ann_trains", "bob_trains"), ("ann", "bob")),
        (("ann__trains", "bob__trains"), ("ann", "bob")),
    ],
)
def test_raters_are_what_names_of_files_differ_in(files, names, raters) -> None:
    paths = files(**dict.fromkeys(names, conll_coreference(ANN)))
    assert load(paths).ratings.raters == raters


def test_three_coders_of_the_trains_dialogue_in_all_forms() -> None:
    """Artstein & Poesio (2005), example (1): the second "it" is engine E2 for two of three."""
    chains = load(TRAINS).ratings
    assert (chains.n_items, chains.raters) == (9, ("ann", "bob", "cem"))
    ann = {"engine E2 (2-3)", "it (21)", "it (24)"}
    assert frozenset(ann) in chains.categories
    # Pairs of coders differ on: ann and bob 4 mentions, ann and cem 3, bob and cem 7.
    assert cs.percent_agreement(chains).value == pytest.approx(1 - (4 + 3 + 7) / 27)


WORDS = "#begin document (x); part 000\nx 0 0 one {}\nx 0 1 two {}\n#end document\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (WORDS.format("(1", "-"), r"line 2: \(1 must be followed by 1\)"),
        (WORDS.format("-", "1)"), r"line 3: 1\) must be preceded by \(1"),
        (WORDS.format("(1)|(2)", "-"), r"line 2: the mention 'one' must be marked once"),
        (WORDS.format("1", "-"), r"line 2: the coreference of a word must be -, or as in \(12\)"),
        (WORDS.format("(1)|", "-"), r"line 2: the coreference of a word"),
        (WORDS.format("-", "- -"), r"line 3: every line of a document must be cut into 5 cells"),
        (WORDS.replace("#end document\n", ""), r"line 3: the last document must be ended by"),
        ("#end document\n" + WORDS, r"line 1: #end document must be preceded"),
        (WORDS + "left over\n", r"line 5: a word must be part of a document"),
        (WORDS + WORDS, r"line 5: a document must be in a file once"),
        (WORDS[: WORDS.index("x 0 1")] + WORDS, r"line 3: a document must be ended by"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(files, text, said) -> None:
    filled = text.replace("{}", "-")
    with pytest.raises(InputError, match=said):
        load(files(ann=filled), format="conll-coreference")


def test_raters_must_have_had_the_same_words(files) -> None:
    longer = WORDS.replace("#end", "x 0 2 three -\n#end")
    with pytest.raises(InputError, match=r"bob.conll, line 1: .* 3 words, and 2 in .*ann.conll"):
        load(files(ann=WORDS.format("(1)", "-"), bob=longer.format("(1)", "-")))


def test_a_document_that_one_rater_has_alone_is_told(files) -> None:
    one, two = (conll_coreference(ANN, name) for name in ("one", "two"))
    notes = load(files(ann=one + two, bob=one)).ratings.notes
    assert "documents_of_one" in {note.code for note in notes}


def test_chains_are_not_units() -> None:
    with pytest.raises(InputError, match="consilience measure FILES --distance dice"):
        load_units(sorted(TRAINS.glob("*.conll")))
