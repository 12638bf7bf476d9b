"""Folders whose names are imported when they are asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from consilience.core.answers import answered


def imported_later(
    package: str, homes: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a folder, given the names that each file defines.

    Examples
    --------
    >>> find, names = imported_later("consilience.core", {"arrays": ("smallest_int",)})
    >>> names()
    ['smallest_int']
    """
    home_of = {name: module for module, names in homes.items() for name in names}

    def find(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = answered(getattr(import_module(f"{package}.{home_of[name]}"), name), package)
        setattr(sys.modules[package], name, value)  # at hand the next time
        return value

    def names() -> list[str]:
        folder = sys.modules[package]
        return sorted({*getattr(folder, "__all__", ()), *home_of})

    return find, names
