"""Options that several functions share, each list written once, and how one types them in a
shell.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from consilience.exceptions import Argument, Option, either

if TYPE_CHECKING:
    from consilience.core.draws import Seed

# ---- Options that several functions share: their names, types and defaults, each list written
# once.
#
# A function that hands such options on takes ``**options: Unpack[...]``, which type checkers read,
# and is marked with `written_out`, so that `help` and completion show every keyword.

F = TypeVar("F", bound=Callable[..., Any])
Names = str | Sequence[str] | None
Sheets = str | int | Sequence[str | int] | None
BY_VARIABLE = "variable"  # what the groups of a file with several variables are told apart by


class EstimateOptions(TypedDict, total=False):
    """What can be said about a coefficient that is computed within something else."""

    distance: Any
    missing: str | None
    standard_error: str


ESTIMATE: EstimateOptions = {"distance": None, "missing": None, "standard_error": "auto"}


class CoefficientOptions(TypedDict, total=False):
    """What every coefficient takes beside the ratings and the distance."""

    missing: str | None
    standard_error: str
    population: float | None
    on_undefined: str


COEFFICIENT: CoefficientOptions = {
    "missing": None,
    "standard_error": "auto",
    "population": None,
    "on_undefined": "warn",
}


class ReadingOptions(TypedDict, total=False):
    """Every option of `read`, `load` and `read_groups`: the one list of their names and types."""

    format: str | None
    sheet: Sheets
    shape: str | None
    columns: str | None
    item: Names
    rater: Names
    label: Names
    variable: Names
    by: str | None
    cluster: str | None
    ungrouped: str
    scale: str | Mapping[str, str] | None
    categories: Iterable[object] | None
    missing_values: Collection[object] | object
    map: Mapping[Any, Any] | None
    ignore_case: bool
    sets: str | None
    shares_of: int | None
    no_rater: str
    duplicates: str
    items: str
    empty: str
    excluded: str
    predictions: str
    gold: str
    delimiter: str | None
    encoding: str | None
    header: bool | None


READING: ReadingOptions = {
    "format": None,
    "sheet": None,
    "shape": None,
    "columns": None,
    "item": None,
    "rater": None,
    "label": None,
    "variable": None,
    "by": None,
    "cluster": None,
    "ungrouped": "refuse",
    "scale": None,
    "categories": None,
    "missing_values": (),
    "map": None,
    "ignore_case": False,
    "sets": None,
    "shares_of": None,
    "no_rater": "refuse",
    "duplicates": "refuse",
    "items": "names",
    "empty": "missing",
    "excluded": "leave_out",
    "predictions": "leave_out",
    "gold": "leave_out",
    "delimiter": None,
    "encoding": None,
    "header": None,
}


class UnitOptions(TypedDict, total=False):
    """What `Units.from_columns` takes beside the columns."""

    bounds: Any
    bounds_from: str
    time_unit: str
    labels: Iterable[Any] | None
    raters: Iterable[str] | None
    sessions: Iterable[str] | None
    sources: Sequence[str]
    notes: Sequence[Any]
    asked: Any
    reading: Any


UNITS: UnitOptions = {
    "bounds": None,
    "bounds_from": "given",
    "time_unit": "unknown",
    "labels": None,
    "raters": None,
    "sessions": None,
    "sources": (),
    "notes": (),
    "asked": None,
    "reading": None,
}


class MarkOptions(TypedDict, total=False):
    """Options of the measures of two raters' marks; each takes some of them."""

    confidence_level: float
    coverage: float
    error_ratio: float
    limits: str
    mark_range: Sequence[float] | None
    method: str
    multiplier: float
    predicted: str
    variant: str
    wilcoxon: str


MARKS: MarkOptions = {
    "confidence_level": 0.95,
    "coverage": 0.95,
    "error_ratio": 1.0,
    "limits": "normal",
    "mark_range": None,
    "method": "second-on-first",
    "multiplier": 1.96,
    "predicted": "second",
    "variant": "b",
    "wilcoxon": "normal",
}


class CurveOptions(TypedDict, total=False):
    """What `threshold_curve` takes beside the units."""

    thresholds: Iterable[float]
    linking: str
    raters: Sequence[str] | None
    labels: Iterable[Any] | None
    point_tolerance: float | None
    absent: str
    confidence_level: float
    n_resamples: int
    rng: Seed


CURVE: CurveOptions = {
    "thresholds": range(51, 91),
    "linking": "symmetric",
    "raters": None,
    "labels": None,
    "point_tolerance": None,
    "absent": "asked",
    "confidence_level": 0.95,
    "n_resamples": 1_999,
    "rng": 0,
}


def written_out(options: type[Any], defaults: Mapping[str, object]) -> Callable[[F], F]:
    """Show the keywords of ``**options: Unpack[options]`` in the signature of a function.

    >>> @written_out(EstimateOptions, ESTIMATE)
    ... def spread(data, **options): ...
    >>> str(inspect.signature(spread)).partition("distance")[0]
    '(data, *, '
    """
    shown = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults[name],
            annotation=getattr(kind, "__forward_arg__", kind),
        )
        for name, kind in options.__annotations__.items()
    ]

    def show(function: F) -> F:
        own = inspect.signature(function)
        kept = [one for one in own.parameters.values() if one.kind is not one.VAR_KEYWORD]
        named = own.replace(parameters=[*kept, *shown])
        function.__signature__ = named  # type: ignore[attr-defined]
        return function

    return show


# ---- Arguments of the library as one types them in a shell.

# Options that are not called like the argument.
_CALLED = {
    "gold": "--gold-answers",
    "header": "--header / --no-header",
    "method": "--interval",
    "missing_values": "--missing-value",
    "n_resamples": "--resamples",
}
_JOINED = ("categories", "people", "raters")  # given once, with commas; others are repeated


def flag(option: Option) -> str:
    """Write an argument as it is typed.

    >>> from consilience.exceptions import Option
    >>> flag(Option("by", "day one")), flag(Option("header", False)), flag(Option("item"))
    ("--by 'day one'", '--no-header', '--item')
    >>> flag(Option("duplicates", "first", "last", "occasions"))
    '--duplicates first, last or occasions'
    >>> flag(Option("item", ["text", "line"])), flag(Option("categories", ["a", "b c"]))
    ('--item text --item line', "--categories 'a,b c'")
    """
    if isinstance(option, Argument):  # not every command has one of that name
        return option.name
    return typed_as(option, _CALLED.get(option.name, f"--{option.name.replace('_', '-')}"))


def typed_as(option: Option, called: str) -> str:
    """Write an argument as the option that a command calls so."""
    name = option.name.replace("_", "-")
    if not option.values:
        return called
    value = option.values[0]
    if isinstance(value, bool):
        return f"--{name}" if value else f"--no-{name}"
    if isinstance(value, (list, tuple)):
        words = [str(one) for one in value]
        together = [",".join(words)] if option.name in _JOINED else words
        return " ".join(f"{called} {quote(one)}" for one in together)
    return f"{called} {either([quote(str(one)) for one in option.values])}"
