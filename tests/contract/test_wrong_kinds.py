"""Whatever is passed to a public function: an answer, or a sentence about what was expected."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pytest

import consilience as cs
from consilience.core.arguments import check_kinds, fits
from consilience.exceptions import InputError

# Folders whose functions people call with data; all others take what these return.
FOLDERS = ("", "coefficients", "distances", "engine", "io", "judges", "latent", "magnitudes",
           "panel", "report", "units")  # fmt: skip
ODD = (3, -1.5, None, "nope", {"a": 1}, [], [object()], pd.DataFrame(), np.zeros((2, 2, 2)), len)
# Decorators and makers of other functions: what they take is called later.
MAKERS = {"register", "set_distance"}


def functions(folder: str) -> list[Callable[..., Any]]:
    module = import_module(f"consilience.{folder}".rstrip("."))
    found = [getattr(module, name) for name in module.__all__ if name not in MAKERS]
    return [one for one in found if inspect.isfunction(one) and _needed(one) in (1, 2)]


def _needed(function: Callable[..., Any]) -> int:
    """How many arguments have to be given, or 0 where one has to be named."""
    needed = [one for one in inspect.signature(function).parameters.values()
              if one.default is one.empty and one.kind not in (one.VAR_KEYWORD,)]  # fmt: skip
    return 0 if any(one.kind is one.KEYWORD_ONLY for one in needed) else len(needed)


def _called(function: Callable[..., Any], value: object) -> str:
    """Call a function with nothing but this value; return what it says in words of Python's own."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*[value] * _needed(function))
    except cs.ConsilienceError as error:
        return "" if "Hint: " in str(error) else f"{function.__name__}: no hint in {error}"
    except Exception as error:
        return f"{function.__name__}({value!r}): {type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_wrong_kind_of_data_is_told(folder: str) -> None:
    said = [_called(one, value) for one in functions(folder) for value in ODD]
    assert said
    assert [one for one in said if one] == []


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (cs.bootstrap, "estimates must be an Estimate. Got Ratings"),
        (lambda r: cs.compare_groups([1, 2]), "estimates must be"),
        (cs.report.apa_sentence, "summary must be a Summary"),
        (lambda r: cs.read(3), "path must be a path or a list of paths. Got 3"),
        (cs.null_tests, "estimate must be an Estimate"),
        (cs.engine.load_rows, "path must be"),
    ],
)
def test_the_argument_is_named(call: Callable[[Any], Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        call(cs.Ratings.from_wide([["a", "b"], ["b", "b"]]))


def test_an_error_of_our_own_is_not_blamed_on_the_caller() -> None:
    def half(count: int) -> float:
        return count / 0

    check_kinds(half, (3,), {})  # nothing is wrong with 3


@pytest.mark.parametrize(
    ("value", "kind", "does"),
    [
        (True, int, True), (np.int8(3), int, True), (np.float32(0.5), float, True),
        ("3", int, False), ({"a": 1}, dict[str, int], True), ({"a": "b"}, dict[str, int], False),
        ((1, 2), tuple[int, ...], True), ((1, "a"), tuple[int, ...], False), (None, str, False),
        ("abc", list[str], False), (3, int | str, True), (3.5, int | str, False),
        (3, Any, True), (3, "a name", True), (len, Callable[[int], int], True),
    ],
)  # fmt: skip
def test_kinds(value: object, kind: Any, does: bool) -> None:
    assert fits(value, kind) is does
