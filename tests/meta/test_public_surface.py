"""What is public is listed, resolves and is documented."""

from __future__ import annotations

import importlib
import inspect
import pickle
import pkgutil
import re
from types import ModuleType

import pytest

import consilience

FOLDERS = sorted(m.name for m in pkgutil.iter_modules(consilience.__path__) if m.ispkg)


def public_folder(name: str) -> ModuleType:
    return importlib.import_module(f"consilience.{name}")


def test_every_public_name_resolves() -> None:
    for name in consilience.__all__:
        assert getattr(consilience, name) is not None, name


def test_the_public_names_are_sorted_and_listed_once() -> None:
    assert consilience.__all__ == sorted(set(consilience.__all__))
    assert dir(consilience) == sorted(consilience.__all__)


def test_the_names_in_the_contract_are_public() -> None:
    promised = {
        "ConsilienceError", "ConsilienceWarning", "Estimate", "Interval", "Ratings", "Summary",
        "__version__", "bennett_s", "coefficients", "cohen_kappa", "distances", "gwet_ac",
        "krippendorff_alpha", "measure", "percent_agreement", "read", "scott_pi",
    }  # fmt: skip
    assert promised <= set(consilience.__all__)


def test_every_registered_coefficient_is_a_public_function() -> None:
    for name in consilience.coefficients():
        assert name in consilience.__all__
        function = getattr(consilience, name)
        assert function.__name__ == name
        assert function is getattr(consilience.coefficients, name)


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'kappa_prime'"):
        consilience.kappa_prime  # noqa: B018
    assert not hasattr(consilience, "Rating")


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_lists_what_it_exports(folder: str) -> None:
    module = public_folder(folder)
    assert module.__doc__
    listed = getattr(module, "__all__", [])
    assert len(listed) == len(set(listed))
    for name in listed:
        assert getattr(module, name) is not None, name


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_exports_nothing_by_accident(folder: str) -> None:
    module = public_folder(folder)
    listed = set(getattr(module, "__all__", ()))
    stray = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and name not in listed
        and (inspect.isclass(value) or inspect.isfunction(value))
        and str(getattr(value, "__module__", "")).startswith(f"consilience.{folder}")
    }
    assert not stray


@pytest.mark.parametrize("folder", FOLDERS)
def test_everything_public_is_documented(folder: str) -> None:
    module = public_folder(folder)
    for name in getattr(module, "__all__", ()):
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), f"{folder}.{name}"


def test_options_are_given_by_name() -> None:
    """Data come first; everything else has a name, and a number of things never is called n."""
    for name in consilience.__all__:
        function = getattr(consilience, name)
        if not inspect.isfunction(function):
            continue
        parameters = inspect.signature(function).parameters.values()
        assert "n" not in {p.name for p in parameters}
        assert name == "gamma" or "alpha" not in {p.name for p in parameters}  # Mathet's weight
        by_place = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        assert len(by_place) <= 1, name


@pytest.mark.parametrize("maker", ["from_wide", "from_long", "from_counts", "from_table"])
def test_constructors_take_data_first_and_the_rest_by_name(maker: str) -> None:
    parameters = list(inspect.signature(getattr(consilience.Ratings, maker)).parameters.values())
    assert parameters[0].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters[1:])


def test_a_function_is_found_in_its_own_file_and_by_pickle() -> None:
    function = consilience.krippendorff_alpha
    assert str(inspect.getsourcefile(function)).endswith("_krippendorff_alpha.py")
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize(
    ("folder", "name", "said"),
    [
        ("consilience", "Bootstrap", "results are returned"),
        ("consilience.inference", "GroupTest", "results are returned"),
        ("consilience.units", "EasyDiag", "results are returned"),
        ("consilience.inference", "wald_test", "consilience.inference.intervals"),
        ("consilience.plan", "simulated_power", "plan(design=...)"),
        ("consilience.io", "platforms", "consilience.io.exports"),
    ],
)
def test_a_name_that_went_says_where_to(folder: str, name: str, said: str) -> None:
    with pytest.raises(AttributeError, match=re.escape(said)):
        getattr(importlib.import_module(folder), name)
