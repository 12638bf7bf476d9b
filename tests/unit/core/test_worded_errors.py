"""Errors name arguments; a program reads its keywords, a shell says its options."""

from __future__ import annotations

import pickle

import click

from consilience.cli.words import flag, flags_of
from consilience.exceptions import Argument, ForPrograms, InputError, Option, Words, given


@click.command()
@click.option("--items", "n_items")
@click.option("--seed")
def shell(**options: object) -> None:
    """Have two options."""


ERROR = InputError.expected(
    "n_items",
    Words("above ", Argument("n_raters"), ForPrograms(", or an array")),
    given({"n_items": 2, "rng": None}),
    Words("for example ", Option("rng", 0)),
)


def test_a_program_reads_keywords() -> None:
    assert str(ERROR) == (
        "n_items must be above n_raters, or an array. Got n_items=2. Hint: for example rng=0."
    )
    assert ERROR.argument == "n_items"


def test_a_command_says_its_own_options_and_leaves_the_rest() -> None:
    say = flags_of(shell, {"rng": "seed"})
    assert ERROR.words.worded(say) == (
        "--items must be above n_raters. Got --items 2. Hint: for example --seed 0."
    )


def test_without_a_command_an_argument_keeps_its_name() -> None:
    assert flag(Argument("label")) == "label"
    assert flag(Option("label", "x")) == "--label x"


def test_words_stay_what_they_are_when_changed_or_sent() -> None:
    upper = ERROR.words.changed(str.upper)
    assert str(upper).startswith("n_items MUST BE ABOVE n_raters, OR AN ARRAY.")
    assert "ARRAY" not in upper.worded(flag)
    again = pickle.loads(pickle.dumps(ERROR))
    assert again.words.parts == ERROR.words.parts
    assert [type(part) for part in again.words.parts] == [type(part) for part in ERROR.words.parts]


def test_words_of_no_argument_are_told_as_they_are() -> None:
    error = InputError.unknown_word("every label", "x", ["a"])
    assert error.argument is None
    assert error.words.worded(flag) == str(error)
