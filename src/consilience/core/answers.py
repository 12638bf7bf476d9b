"""Public functions that answer wrong arguments in a sentence: which one, and what is meant.

The wrapper stands at the door: a folder's public name is the wrapped function, and files import
each other's functions bare. A call that succeeds costs one more frame; signatures are looked at
only when Python has refused a keyword, or the call has failed in words of Python's own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import update_wrapper
from types import CodeType, FunctionType
from typing import Any

from consilience.exceptions import ConsilienceError, InputError, UnknownOptionError

_PACKAGE = __name__.partition(".")[0]
_OWN = (TypeError, AttributeError, ValueError, LookupError)  # Python's own words, which help nobody
_HANDS_ON = inspect.CO_VARKEYWORDS
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def answered(value: Any, home: str) -> Any:
    """Return a function, or a class, that answers unknown keywords; other things as they are.

    >>> def scaled(data, *, scale="nominal"): ...
    >>> scaled.__module__ = "consilience.example"
    >>> answered(scaled, "consilience.example")([], level_of_measurement="ordinal")
    Traceback (most recent call last):
    consilience.exceptions.UnknownOptionError: scaled has no option level_of_measurement. Hint: \
scale="ordinal" is what you look for.
    """
    if isinstance(value, type):
        for one in value.__mro__:
            if one.__module__.startswith(f"{_PACKAGE}."):
                _answer_in(one)
        return value
    if not isinstance(value, FunctionType) or hasattr(value, "__wrapped__"):
        return value
    if not value.__module__.startswith(home):  # another folder's
        return value
    found = _answer(value, value.__name__)
    found.__module__ = home  # where pickle looks for it
    return found


def _answer_in(kind: type) -> None:
    """Let the public methods of a class answer that take anything, and its constructor."""
    for name, value in list(vars(kind).items()):
        made = name == "__init__" and is_dataclass(kind)
        bare = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        if (name.startswith("_") and not made) or not isinstance(bare, FunctionType):
            continue
        if hasattr(bare, "__wrapped__") or not _takes_anything(bare.__code__):
            continue
        found = _answer(bare, kind.__name__ if made else f"{kind.__name__}.{name}")
        setattr(kind, name, found if bare is value else type(value)(found))


def _takes_anything(code: CodeType) -> bool:
    """Tell whether a method has parameters beside what it is called on."""
    many = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    return bool(many) or code.co_argcount + code.co_kwonlyargcount > 1


def _answer(function: FunctionType, name: str) -> Callable[..., Any]:
    """Wrap a function; what it hands on is checked first, all else when Python refuses."""
    refuse = _refusal(function, name)
    hands_on = function.__code__.co_flags & _HANDS_ON and hasattr(function, "__signature__")
    known = _keywords(function) if hands_on else None

    def call(*data: Any, **options: Any) -> Any:
        if known is not None and not options.keys() <= known:
            refuse(options)
        try:
            return function(*data, **options)
        except _OWN as error:
            if isinstance(error, ConsilienceError):
                raise
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                refuse(options)
            else:
                _refuse_kinds(function, data, options, error)
            raise

    update_wrapper(call, function)
    call.__code__ = _at_home(call.__code__, function.__code__)
    return call


def _at_home(wrapper: CodeType, code: CodeType) -> CodeType:
    """Let a wrapper stand in the file and the line of its function, for tools and tracebacks."""
    # Entries of 8 instructions each, without columns (kind 13), all 0 lines from the first:
    # see Objects/locations.md of CPython.
    size = len(wrapper.co_code) // 2
    lines = [bytes((0x80 | 13 << 3 | min(8, size - at) - 1, 0)) for at in range(0, size, 8)]
    return wrapper.replace(
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_linetable=b"".join(lines),
    )


def _refuse_kinds(function: Any, data: Any, options: Any, error: Exception) -> None:
    from consilience.core.arguments.argument_kinds import check_kinds

    try:
        check_kinds(function, data, options)
    except InputError as refusal:
        raise refusal from error


def _keywords(function: Callable[..., Any]) -> set[str]:
    parameters = inspect.signature(function).parameters.values()
    return {one.name for one in parameters if one.kind in _BY_NAME}


def _refusal(function: Callable[..., Any], name: str) -> Callable[[dict[str, Any]], None]:
    def refuse(options: dict[str, Any]) -> None:
        """Say what is meant by the first keyword that the function does not have."""
        parameters = inspect.signature(function).parameters.values()
        if any(one.kind is one.VAR_KEYWORD for one in parameters):
            return
        known = [one.name for one in parameters if one.kind in _BY_NAME]
        ours = [one for one in known if one not in ("self", "cls")]
        for option, value in options.items():
            if option not in known:
                from consilience.core.arguments.foreign import advice

                hint = advice(option, value, ours)
                raise UnknownOptionError.unknown_option(name, option, value, hint)

    return refuse
