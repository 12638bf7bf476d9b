"""Every public function writes out its keywords, and answers one that it does not have."""

from __future__ import annotations

import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import consilience as cs
from consilience.core import options as keywords
from consilience.core.arguments import FOREIGN
from consilience.exceptions import ConsilienceError, InputError, UnknownOptionError

FOLDERS = [
    "consilience",
    *sorted(
        module.name
        for module in pkgutil.walk_packages(cs.__path__, "consilience.")
        if module.ispkg and not module.name.startswith(("consilience.cli", "consilience.core"))
    ),
]
# Records take any key: what is given is what they hold.
OPEN = {"consilience.document.envelope"}
PARAMETERS, RETURNS, EXAMPLE = "Parameters\n---", "Returns\n---", ">>> "


def listed(names: str) -> frozenset[str]:
    return frozenset(f"consilience.{name}" for name in names.split())


# Public functions without one of the sections. The lists shrink; nothing is added to them.
WITHOUT_PARAMETERS = listed("io.exports.export io.exports.recognise")
WITHOUT_RETURNS = listed(
    "io.events.unit_formats io.exports.export io.exports.exports io.exports.recognise"
)
WITHOUT_EXAMPLE = listed(
    "io.exports.export io.exports.exports io.exports.recognise rows.reduce_to_rows"
)


def public() -> dict[str, Any]:
    """Every public thing by its full name, once, where it is first listed."""
    found: dict[int, tuple[str, Any]] = {}
    for folder in FOLDERS:
        module = importlib.import_module(folder)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if inspect.isfunction(value) or inspect.isclass(value):
                found.setdefault(id(value), (f"{folder}.{name}", value))
    return dict(found.values())


PUBLIC = public()
FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}


def methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, kind in PUBLIC.items():
        if inspect.isclass(kind) and kind.__module__.startswith("consilience"):
            for own, value in vars(kind).items():
                bare = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
                if not own.startswith("_") and inspect.isfunction(bare):
                    yield f"{name}.{own}", bare


def hides(function: Callable[..., Any]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(one.kind is one.VAR_KEYWORD for one in parameters)


def lacking(what: str) -> set[str]:
    """Public functions without a section that they should have."""
    found = set()
    for name, one in FUNCTIONS.items():
        signature = inspect.signature(one)
        needless = (what == PARAMETERS and not signature.parameters) or (
            what == RETURNS and signature.return_annotation in (None, "None")
        )
        if not needless and what not in (inspect.getdoc(one) or ""):
            found.add(name)
    return found


def test_no_public_function_hides_its_keywords() -> None:
    everything = {**FUNCTIONS, **dict(methods())}
    assert {name for name, one in everything.items() if hides(one)} <= OPEN


@pytest.mark.parametrize("module", [cs.plan, cs.simulate])
def test_a_module_that_is_called_shows_its_keywords(module: Any) -> None:
    assert len(inspect.signature(module).parameters) > 10


def test_keywords_that_are_handed_on_have_their_defaults() -> None:
    for kind, defaults in (
        (keywords.CoefficientOptions, keywords.COEFFICIENT),
        (keywords.EstimateOptions, keywords.ESTIMATE),
        (keywords.ReadingOptions, keywords.READING),
        (keywords.UnitOptions, keywords.UNITS),
        (keywords.MarkOptions, keywords.MARKS),
        (keywords.CurveOptions, keywords.CURVE),
    ):
        assert list(kind.__annotations__) == list(defaults)


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (cs.read, keywords.READING),
        (cs.coefficients.estimate, keywords.COEFFICIENT),
        (cs.krippendorff_alpha, keywords.ESTIMATE),
        (cs.Units.from_columns, keywords.UNITS),
        (cs.units.threshold_curve, keywords.CURVE),
    ],
)
def test_defaults_are_those_of_the_function_that_is_meant(function: Any, options: Any) -> None:
    for name, one in inspect.signature(function).parameters.items():
        if name in options:
            assert one.default == options[name], name


def test_sections_are_missing_only_where_they_were() -> None:
    assert lacking(PARAMETERS) <= WITHOUT_PARAMETERS
    assert lacking(RETURNS) <= WITHOUT_RETURNS
    assert lacking(EXAMPLE) <= WITHOUT_EXAMPLE


def test_the_lists_of_exceptions_shrink() -> None:
    assert lacking(PARAMETERS) >= WITHOUT_PARAMETERS
    assert lacking(RETURNS) >= WITHOUT_RETURNS
    assert lacking(EXAMPLE) >= WITHOUT_EXAMPLE


# -------------------------------------------------------------------- foreign names

A, B = ["x", "y", "x", "y"], ["x", "y", "y", "y"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cs.cohen_kappa(A, B, weights="quadratic"),
         'cohen_kappa has no option weights. Hint: distance="quadratic" is what you look for.'),
        (lambda: cs.cohen_kappa(A, B, weights="squared"), 'distance="quadratic"'),
        (lambda: cs.cohen_kappa(A, B, weights=None), 'distance="nominal"'),
        (lambda: cs.cohen_kappa(A, B, labels=["x"]), "categories=["),
        (lambda: cs.cohen_kappa(A, B, sample_weight=[1, 2]), "Ratings.from_table"),
        (lambda: cs.cohen_kappa(A, B, alpha=0.05), ".confidence_interval(confidence_level="),
        (lambda: cs.cohen_kappa(A, B, distanse="linear"), "did you mean 'distance'?"),
        (lambda: cs.cohen_kappa(A, B, colour=1), "its options are distance, missing, "),
        (lambda: cs.cohen_kappa(A, B).confidence_interval(alpha=0.1), "confidence_level=0.9 is"),
        (lambda: cs.krippendorff_alpha(reliability_data=[A, B]), "pass the data first"),
        (lambda: cs.krippendorff_alpha(A, B, level_of_measurement="ordinal"),
         'distance="ordinal"'),
        (lambda: cs.Ratings.from_wide([A], level_of_measurement="ordinal"), 'scale="ordinal"'),
        (lambda: cs.Ratings.from_wide([A], value_domain=[1, 2]), "categories= is"),
        (lambda: cs.bootstrap(cs.scott_pi(A, B), n_boot=99), "n_resamples=99"),
        (lambda: cs.bootstrap(cs.scott_pi(A, B), random_state=1), "rng=1"),
        (lambda: cs.measure([A, B], rng=1), "seed=1"),
        (lambda: cs.load("no.csv", sep=";"), 'delimiter=";"'),
        (lambda: cs.io.convert("no.csv", "x.csv", na_values=["-"]), "missing_values="),
        (lambda: cs.simulate(seed=1), "rng=1"),
        (lambda: cs.plan(kappa0=0.4, kappa1=0.6, raters=3), "did you mean 'n_raters'?"),
        (lambda: cs.simulate.Simulator(n_item=3), "Simulator has no option n_item. Hint: did you"),
        (lambda: cs.Units.from_records([], session_names=1), "Units.from_records has no option"),
    ],
)  # fmt: skip
def test_a_foreign_name_is_answered_with_ours(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(UnknownOptionError) as caught:
        call()
    assert said in str(caught.value)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, ConsilienceError)
    assert caught.value.argument is not None


def test_our_keywords_that_foreign_names_stand_for_exist() -> None:
    ours = {name for one in FOREIGN.values() for name in one.ours}
    known = {
        name
        for one in (*FUNCTIONS.values(), *dict(methods()).values())
        for name in inspect.signature(one).parameters
    }
    assert ours <= known


def test_a_mistake_within_a_function_stays_what_it_is() -> None:
    with pytest.raises(TypeError, match="unsupported operand") as caught:
        cs.scott_pi(A, B, distance=lambda a, b: None + a)  # type: ignore[operator]
    assert not isinstance(caught.value, UnknownOptionError)
    with pytest.raises(TypeError, match="missing 1 required"):
        cs.interpret()


def test_public_functions_can_be_sent_to_another_process() -> None:
    for name, one in FUNCTIONS.items():
        assert pickle.loads(pickle.dumps(one)) is one, name


def test_an_error_knows_its_argument() -> None:
    with pytest.raises(InputError) as caught:
        cs.scott_pi(A, B, on_undefined="shout")
    assert (caught.value.argument, caught.value.value) == ("on_undefined", "shout")
    with pytest.raises(InputError) as caught:
        cs.scott_pi(A, B).confidence_interval(2)
    assert (caught.value.argument, caught.value.value) == ("confidence_level", 2)
