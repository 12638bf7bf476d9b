"""Which argument of a call is of another kind than the function says, looked for when it failed."""

from __future__ import annotations

import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping
from itertools import islice
from numbers import Integral, Real
from typing import Any

from consilience.exceptions import InputError

_PACKAGE = __name__.partition(".")[0]
_WIDER: dict[type, type] = {float: Real, int: Integral}
_MADE_OF_TABLES = ("Ratings", "Units")  # dataframes and lists are taken as well
_LOOKED_AT = 20  # elements of a list
_HOW = {
    "Estimate": "compute it first, as in cohen_kappa(ratings)",
    "Ratings": "read them first, as in read(path)",
    "Units": "read them first, as in read_units(path)",
    "Summary": "compute it first, as in measure(ratings)",
    "Result": "compute it first, as in measure(ratings)",
}
_NO_ARTICLE = re.compile(
    r"(?:[A-Z]\w*s|\w+s|one|any|an?|the|two|several|at|labels|['\"\d{(])\b", re.A
)


def check_kinds(function: Callable[..., Any], data: Any, options: Mapping[str, Any]) -> None:
    """Refuse the first argument that is not of the kind that the signature asks for.

    Only what is surely wrong is refused; a kind that cannot be decided passes.

    Examples
    --------
    >>> def doubled(count: int): ...
    >>> check_kinds(doubled, ("two",), {})
    Traceback (most recent call last):
    consilience.exceptions.InputError: count must be an int. Got 'two'. Hint: help(doubled) shows \
what it takes.
    """
    signature = inspect.signature(function)
    given = signature.bind_partial(*data, **options).arguments
    for name, value in given.items():
        parameter = signature.parameters[name]
        kind = _evaluated(parameter.annotation, function)
        if kind is Any:
            kind = _evaluated(_named_kind(function, name), function)
        several = parameter.kind is parameter.VAR_POSITIONAL
        wrong = [one for one in (value if several else (value,)) if not fits(one, kind)]
        if parameter.kind is not parameter.VAR_KEYWORD and wrong:
            asked = _asked(function, name, parameter.annotation)
            raise InputError.expected(name, asked, wrong[0], _how(function, asked))


def fits(value: object, kind: Any) -> bool:
    """Tell whether a value may be of a kind; yes where that cannot be decided.

    >>> fits(1, float), fits("a", float), fits([1, "a"], list[int]), fits(None, int | None)
    (True, False, False, True)
    """
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, one) for one in typing.get_args(kind))
    if isinstance(origin, type):
        return _holds(value, origin, typing.get_args(kind))
    if kind is None:
        return value is None
    if kind is Any or not isinstance(kind, type):
        return True
    if getattr(kind, "_is_protocol", False):
        return all(hasattr(value, name) for name in _members(kind))
    return isinstance(value, _WIDER.get(kind, kind))


def _members(kind: type) -> set[str]:
    """Return what a value must have to follow a protocol."""
    ours = [one for one in kind.__mro__ if one.__module__.startswith(f"{_PACKAGE}.")]
    named = {name for one in ours for name in (*vars(one), *inspect.get_annotations(one))}
    return {name for name in named if not name.startswith("_")}


def _holds(value: object, origin: type, inside: tuple[Any, ...]) -> bool:
    """Tell whether a value is a container of a kind, judged by its first elements."""
    try:
        if not isinstance(value, origin):
            return False
    except TypeError:  # what cannot be asked
        return True
    if isinstance(value, Mapping) and len(inside) == 2:
        return all(fits(one, inside[1]) for one in islice(value.values(), _LOOKED_AT))
    if isinstance(value, str):
        return str in inside or Any in inside or not inside
    if isinstance(value, (list, tuple)) and len({*inside} - {...}) == 1:
        return all(fits(one, inside[0]) for one in islice(value, _LOOKED_AT))
    return True


def _evaluated(annotation: Any, function: Callable[..., Any]) -> Any:
    """Return a written annotation as a type; Any where it cannot be known."""
    if annotation is inspect.Parameter.empty:
        return Any
    if not isinstance(annotation, str):
        return annotation
    written = types.SimpleNamespace(__annotations__={"kind": annotation})
    try:
        return typing.get_type_hints(written, {}, _Names(inspect.unwrap(function)))["kind"]
    except Exception:  # a name that only the type checker knows
        return Any


class _Names(dict[str, Any]):
    """The names of a function's file, and those that it knows only for the type checker."""

    def __init__(self, function: Any) -> None:
        super().__init__(getattr(function, "__globals__", {}))

    def __missing__(self, name: str) -> Any:
        for home, module in list(sys.modules.items()):
            if home.startswith(f"{_PACKAGE}."):
                found = vars(module).get(name)
                if isinstance(found, type):
                    return found
        for module in (typing, sys.modules["collections.abc"]):
            if hasattr(module, name):
                return getattr(module, name)
        raise KeyError(name)


def _documented(function: Callable[..., Any], name: str) -> str:
    """Return what the docstring says of the kind of an argument."""
    line = rf"^\s*(?:\*?\w+, )*\*?{re.escape(name)}(?:, \*?\w+)* : (.+)$"
    told = re.search(line, function.__doc__ or "", re.MULTILINE)
    return re.sub(r",? (?:optional|default:? .*)$|, default.*$", "", told[1]) if told else ""


def _named_kind(function: Callable[..., Any], name: str) -> Any:
    """Return the one class of ours that the docstring names, where the signature leaves it open."""
    told = _documented(function, name)
    return told if re.fullmatch(r"[A-Z]\w+", told) and told not in _MADE_OF_TABLES else Any


def _asked(function: Callable[..., Any], name: str, annotation: Any) -> str:
    """Say what an argument must be, in the words of the docstring."""
    words = _documented(function, name) or getattr(annotation, "__name__", str(annotation))
    if _NO_ARTICLE.match(words):
        return words
    return f"{'an' if words[:1].lower() in 'aeiou' else 'a'} {words}"


def _how(function: Callable[..., Any], asked: str) -> str:
    named = (hint for kind, hint in _HOW.items() if re.match(rf"(?:an? )?{kind}\b", asked))
    return next(named, f"help({function.__qualname__}) shows what it takes")
