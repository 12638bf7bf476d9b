"""Folders whose public names are imported when they are asked for.

A folder lists its names once, for type checkers: `from consilience.units._gamma import gamma as
gamma` below `if TYPE_CHECKING:`. The same lines, read from the source, say at run time where each
name lives, so that importing a folder loads none of its files.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any

_BLOCK = re.compile(r"^if TYPE_CHECKING:\n((?:[ \t]+.*\n|\n)+)", re.MULTILINE)
_IMPORT = re.compile(r"from (\S+) import (\([^)]*\)|.*)")
_PUBLIC = re.compile(r"\b(\w+) as \1\b")  # the alias is what makes a name public


def public_names(
    package: str, *, elsewhere: Mapping[str, str] = MappingProxyType({})
) -> Callable[[str], Any]:
    """Give a folder its `__all__`, `__dir__` and `__getattr__`; the last is returned as well.

    `elsewhere` is for names from modules that the folder must not import. `MOVED` in the folder
    says of names that have gone where to.

    Examples
    --------
    >>> import consilience.testing
    >>> consilience.testing.__all__
    ['assert_agreement']
    """
    folder = sys.modules[package]
    home_of = {**_listed(folder), **elsewhere}
    names = sorted(home_of)

    def find(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}{_lead(name)}")
        if home_of[name] == package:
            return import_module(f"{package}.{name}")
        from consilience.core.answers import answered

        value = answered(getattr(import_module(home_of[name]), name), package)
        setattr(folder, name, value)  # at hand the next time
        return value

    def _lead(name: str) -> str:
        """Say where a name went, or where a word of the literature is found."""
        if name.startswith("_"):  # tools ask for these
            return ""
        if name in (moved := vars(folder).get("MOVED", {})):
            return f". Hint: {moved[name]}"
        if "." in package:
            return ""
        from consilience.core.topics import topic_of

        topic = topic_of(name)
        return "" if topic is None else f". Hint: {topic.about} is {topic.library}"

    class Folder(ModuleType):
        """A folder in which a file may bear the name of what it defines."""

        def __setattr__(self, name: str, value: object) -> None:
            is_file = isinstance(value, ModuleType) and home_of.get(name, package) != package
            if not is_file:
                super().__setattr__(name, value)

    vars(folder).update(__all__=names, __dir__=lambda: names, __getattr__=find)
    folder.__class__ = Folder
    return find


def _listed(folder: ModuleType) -> dict[str, str]:
    """Return the module of each name that a folder's source lists."""
    loader: Any = folder.__spec__ and folder.__spec__.loader
    source = loader.get_data(folder.__file__).decode()  # also out of a zip archive
    block = _BLOCK.search(source.replace("\r\n", "\n"))
    imports = _IMPORT.findall(block[1]) if block else []
    return {name: home for home, names in imports for name in _PUBLIC.findall(names)}


def callable_folder(package: str, function: str) -> None:
    """Let a folder be called: `consilience.plan(...)` is its function `plan`."""

    class CallableFolder(type(sys.modules[package])):  # type: ignore[misc]
        """A folder that, called, is one of its functions."""

        def __call__(self, *data: Any, **options: Any) -> Any:
            return getattr(self, function)(*data, **options)

        @property
        def __signature__(self) -> Any:
            import inspect

            return inspect.signature(getattr(self, function))

    sys.modules[package].__class__ = CallableFolder
