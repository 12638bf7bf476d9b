"""Print the lowest versions that the project declares, as pip takes them.

``make test-lowest`` installs them and runs the suite: a bound that nobody tries is a guess.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
# They run the tests and are no part of what is promised.
_TOOLS = ("pytest", "pytest-xdist", "pytest-randomly", "hypothesis", "playwright", "nbclient",
          "ipykernel", "fastjsonschema")  # fmt: skip


def lowest(requirement: str) -> str:
    """Return a requirement with its lower bound as the version.

    >>> lowest("numpy>=1.26"), lowest("playwright>=1.40")
    ('numpy==1.26', 'playwright>=1.40')
    """
    name, _, version = re.split(r"(>=)", requirement)
    if name in _TOOLS:
        return requirement
    return f"{name}=={version}"


def requirements() -> Iterator[str]:
    """Yield everything that the project and its tests declare, once."""
    with PROJECT.open("rb") as stream:
        told = tomllib.load(stream)
    project = told["project"]
    extras = [one for several in project["optional-dependencies"].values() for one in several]
    every = [*project["dependencies"], *extras, *told["dependency-groups"]["test"]]
    yield from dict.fromkeys(map(lowest, every))


if __name__ == "__main__":
    print("\n".join(requirements()))
