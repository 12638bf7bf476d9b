"""Write a page for every public name, from ``__all__`` of the package and its public folders."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import consilience

KINDS = {"function": "Functions", "class": "Classes and results", "data": "Tables and types"}
# What a name is that has no docstring of its own.
ABOUT = {
    "consilience.__version__": "The version of Consilience.",
    "consilience.coefficients.registry": "Every coefficient by name; look-ups take aliases too.",
    "consilience.document.SCHEMA": "The name of the JSON schema that records carry.",
    "consilience.document.Column": "How a column of a table is declared; see `Table.of`.",
    "consilience.document.Severity": "How grave a finding is.",
    "consilience.inference.SCALES": "Published scales of adjectives by name, for `interpret`.",
    "consilience.latent.LATENT_MODELS": "Every latent model by name; look-ups take aliases too.",
    "consilience.report.UNIT_METHODS": "Every method for units by name.",
}


@dataclass
class Name:
    """A public thing: where its page is, and every way to write it."""

    path: str
    kind: str
    summary: str
    also: list[str] = field(default_factory=list)

    @property
    def page(self) -> str:
        """Return the page's name in the folder of the reference."""
        return self.path


def public_modules() -> list[ModuleType]:
    """Return the package and the folders that are public, the package first."""
    folders = [
        value
        for name in consilience.__all__
        if inspect.ismodule(value := getattr(consilience, name))
    ]
    return [consilience, *folders]


def kind_of(value: Any) -> str:
    """Say whether a thing is a function, a class or something else."""
    if inspect.isclass(value):
        return "class"
    return "function" if inspect.isroutine(value) else "data"


def summary_of(value: Any, path: str = "") -> str:
    """Return the first paragraph of what is written about a thing itself."""
    if kind_of(value) == "data":
        return ABOUT[path]
    return (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\n", " ")


def names() -> dict[str, Name]:
    """Return every way to write a public name, each with the thing it stands for."""
    found: dict[str, Name] = {}
    homes: dict[int, Name] = {}
    for module in public_modules():
        for word in getattr(module, "__all__", ()):
            value = getattr(module, word)
            path = f"{module.__name__}.{word}"
            if inspect.ismodule(value):
                continue
            if id(value) in homes and kind_of(value) != "data":
                homes[id(value)].also.append(path)
            else:
                homes[id(value)] = Name(path, kind_of(value), summary_of(value, path))
            found[path] = homes[id(value)]
    return found


def title(text: str, sign: str = "=") -> str:
    """Write a heading."""
    return f"{text}\n{sign * len(text)}\n"


def page_of(name: Name) -> str:
    """Write the page of one thing."""
    home, _, word = name.path.rpartition(".")
    lines = [title(word), f"*{name.kind} of* :doc:`{home}`\n"]
    if name.kind == "class":
        lines.append(f".. autoclass:: {name.path}\n   :members:\n")
    elif name.kind == "function":
        lines.append(f".. autofunction:: {name.path}\n")
    else:
        lines += [f".. py:data:: {name.path}\n", f"   {name.summary}\n", shown(home, word)]
    for one in returned(getattr(importlib.import_module(home), word)):
        path = f"{one.__module__}.{one.__qualname__}"
        lines.append(f".. autoclass:: {path}\n   :members:\n   :no-index:\n")
    if name.also:
        others = ", ".join(f"``{path}``" for path in name.also)
        lines.append(f"Also reached as {others}.\n")
    return "\n".join(lines)


def returned(value: Any) -> list[type]:
    """Return the classes of its own folder that a name returns or holds, and nobody imports."""
    found: list[type] = []

    def look(annotation: object, module: str) -> None:
        folder = ".".join(module.split(".")[:2])
        for word in re.findall(r"\w+", str(annotation)):
            one = getattr(sys.modules[module], word, None)
            own = inspect.isclass(one) and one.__module__.startswith(f"{folder}.")
            if own and one not in found and one.__name__ not in public_words():
                found.append(one)
                hold(one)

    def hold(kind: type) -> None:
        for name, part in vars(kind).get("__annotations__", {}).items():
            if not name.startswith("_"):
                look(part, kind.__module__)

    if inspect.isclass(value):
        hold(value)
    elif inspect.isfunction(value):
        plain = inspect.unwrap(value)
        look(plain.__annotations__.get("return"), plain.__module__)
    return found


@cache
def public_words() -> frozenset[str]:
    """Return the public names, without their folders."""
    return frozenset(path.rpartition(".")[2] for path in names())


def shown(home: str, word: str) -> str:
    """Write what a table or a type holds."""
    value = getattr(importlib.import_module(home), word)
    if isinstance(value, Mapping):
        listed = ", ".join(f"``{key}``" for key in value)
        return f"   {listed}\n"
    return f"   .. code-block:: text\n\n      {value if isinstance(value, str) else repr(value)}\n"


def overview(module: ModuleType, found: dict[str, Name]) -> str:
    """Write the page of a folder: what it is for, and its names by kind."""
    about = (inspect.getdoc(module) or "").replace("``", "`").replace("`", "``")
    lines = [title(module.__name__), about, ""]
    own = {path: one for path, one in found.items() if path.rpartition(".")[0] == module.__name__}
    for kind, heading in KINDS.items():
        chosen = {path: one for path, one in own.items() if one.kind == kind}
        if not chosen:
            continue
        lines += ["", title(heading, "-"), ".. list-table::", "   :widths: 35 65", ""]
        for path, one in sorted(chosen.items()):
            word = path.rpartition(".")[2]
            lines += [f"   * - :doc:`{word} <{one.page}>`", f"     - {escaped(one.summary)}"]
    pages = sorted({one.page for one in own.values() if one.path.startswith(f"{module.__name__}.")})
    mine = [page for page in pages if page.rpartition(".")[0] == module.__name__]
    lines += ["", ".. toctree::", "   :hidden:", "", *(f"   {short(p)} <{p}>" for p in mine), ""]
    return "\n".join(lines)


def short(path: str) -> str:
    """Return the last word of a path."""
    return path.rpartition(".")[2]


def escaped(text: str) -> str:
    """Protect the signs that reStructuredText would read."""
    return text.replace("*", "\\*").replace("|", "\\|").replace("_ ", "\\_ ")


def index(modules: list[ModuleType]) -> str:
    """Write the page that leads to all folders."""
    lines = [
        title("Library"),
        "Every public name has a page here, written from its docstring; examples are run in the",
        "tests. ``import consilience as cs`` is how the pages write it.\n",
        ".. list-table::",
        "   :widths: 35 65",
        "",
    ]
    for module in modules:
        first = (inspect.getdoc(module) or "").partition("\n\n")[0].replace("\n", " ")
        lines += [f"   * - :doc:`{module.__name__}`", f"     - {escaped(first)}"]
    lines += ["", ".. toctree::", "   :hidden:", ""]
    lines += [f"   {module.__name__}" for module in modules]
    return "\n".join(lines) + "\n"


def write(folder: Path) -> dict[str, Name]:
    """Write all pages of the reference to a folder, and return what they are about."""
    folder.mkdir(parents=True, exist_ok=True)
    found, modules = names(), public_modules()
    for one in {id(one): one for one in found.values()}.values():
        (folder / f"{one.page}.rst").write_text(page_of(one), encoding="utf-8")
    for module in modules:
        text = overview(importlib.import_module(module.__name__), found)
        (folder / f"{module.__name__}.rst").write_text(text, encoding="utf-8")
    (folder / "index.rst").write_text(index(modules), encoding="utf-8")
    return found
