"""Folders whose public names are imported when they are asked for.

A folder lists its names once, for type checkers: `from consilience.units.gamma import gamma as
gamma` below `if TYPE_CHECKING:`. The same lines, read from the source, say at run time where each
name lives, so that importing a folder loads none of its files.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any

_BLOCK = re.compile(r"^if TYPE_CHECKING:\n((?:[ \t]+.*\n|\n)+)", re.MULTILINE)
_IMPORT = re.compile(r"from (\S+) import (\([^)]*\)|.*)")
_PUBLIC = re.compile(r"\b(\w+) as \1\b")  # the alias is what makes a name public


def public_names(
    package: str,
    *,
    door: bool = True,
    elsewhere: Mapping[str, str] = MappingProxyType({}),
    otherwise: Callable[[str], str] | None = None,
) -> Callable[[str], Any]:
    """Give a folder its `__all__`, `__dir__` and `__getattr__`; the last is returned as well.

    People come in by a door, where wrong arguments are answered; other folders are for our own
    files. `elsewhere` is for names from modules that the folder must not import. `MOVED` in the
    folder says of names that have gone where to, `otherwise` what other words may mean.

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
        value = getattr(import_module(home_of[name]), name)
        if door:
            from consilience.core.arguments import answered

            value = answered(value, package)
        setattr(folder, name, value)  # at hand the next time
        return value

    def _lead(name: str) -> str:
        """Say where a name went, or where a word of the literature is found."""
        if name.startswith("_"):  # tools ask for these
            return ""
        if os.path.exists(os.path.join(os.path.dirname(str(folder.__file__)), f"{name}.py")):
            return ""  # `from folder import file` asks here first, and then imports the file
        if name in (moved := vars(folder).get("MOVED", {})):
            return f". Hint: {moved[name]}"
        if moved := _inside(folder, name):
            return f". Hint: {moved}"
        told = "" if otherwise is None else otherwise(name)
        return f". Hint: {told}" if told else ""

    class Folder(ModuleType):
        """A folder in which a file may bear the name of what it defines."""

        def __setattr__(self, name: str, value: object) -> None:
            is_file = isinstance(value, ModuleType) and home_of.get(name, package) != package
            if not is_file:
                super().__setattr__(name, value)

    vars(folder).update(__all__=names, __dir__=lambda: names, __getattr__=find)
    folder.__class__ = Folder
    return find


def sources(folder: ModuleType, mark: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file of a folder that has a mark in it, by name."""
    place = os.path.dirname(str(folder.__file__))
    try:
        inside = os.listdir(place)
    except NotADirectoryError:  # a zip archive
        from importlib.resources import files

        inside = [one.name for one in files(folder).iterdir()]
    for file in sorted(inside):
        if file.endswith(".py") and mark in (text := _source(folder, os.path.join(place, file))):
            yield f"{folder.__name__}.{file.removesuffix('.py')}", text


def _source(folder: ModuleType, path: str) -> str:
    loader: Any = folder.__spec__ and folder.__spec__.loader
    text: str = loader.get_data(path).decode()
    return text.replace("\r\n", "\n")


def _listed(folder: ModuleType) -> dict[str, str]:
    """Return the module of each name that a folder's source lists."""
    block = _BLOCK.search(_source(folder, str(folder.__file__)))
    imports = _IMPORT.findall(block[1]) if block else []
    return {name: home for home, names in imports for name in _PUBLIC.findall(names)}


def _inside(folder: ModuleType, name: str) -> str:
    """Say what a name stands for that is in a file of a folder, but not in the folder's list."""
    for home, text in sources(folder, name):
        if re.search(rf"^class {name}\b", text, re.MULTILINE):
            return "results are returned, not imported: call the function that makes it"
        if re.search(rf"^def {name}\b|^{name}\b.*= ", text, re.MULTILINE):
            return f"it is not public; for our own files it is in {home}"
    return ""


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
