"""The account of a reading: what was found in a file, what was used, what was set aside and why.

For every kind of thing that a reader meets (columns, raters, rows, entries, layers, relations,
boxes, attributes, ...) found = used + set aside. A reader fills a `Ledger` while it goes and closes
it once; nothing is lost without a name and a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class SetAside:
    """Things of one kind that were not used.

    Attributes
    ----------
    kind : str
        What they are, in the plural: "columns", "raters", "rows", "entries", "relations", ...
    name : str
        Which, as the file calls them; several of them are joined by commas.
    count : int
        How many.
    reason : str
        Why, as the end of the sentence "... set aside: <reason>".
    matters : bool
        It could change the answer, so every channel says so.
    """

    kind: str
    name: str
    count: int
    reason: str
    matters: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for the JSON."""
        return {
            "kind": self.kind,
            "name": self.name,
            "count": self.count,
            "reason": self.reason,
            "matters": self.matters,
        }

    def __str__(self) -> str:
        named = f" ({self.name})" if self.name else ""
        kind = self.kind[:-1] if self.count == 1 and self.kind.endswith("s") else self.kind
        if self.count == 1 and self.kind.endswith("ies"):
            kind = self.kind[:-3] + "y"
        if self.count == 1 and self.kind.endswith("xes"):
            kind = self.kind[:-2]
        return f"{self.count:,} {kind}{named} set aside: {self.reason}"


@dataclass(frozen=True)
class Account:
    """What was found, used and set aside, by kind."""

    found: Mapping[str, int] = field(default_factory=dict)
    used: Mapping[str, int] = field(default_factory=dict)
    set_aside: tuple[SetAside, ...] = ()

    @property
    def is_balanced(self) -> bool:
        """Found = used + set aside, for every kind."""
        aside: Counter[str] = Counter()
        for one in self.set_aside:
            aside[one.kind] += one.count
        kinds = {*self.found, *self.used, *aside}
        return all(
            self.found.get(kind, 0) == self.used.get(kind, 0) + aside[kind] for kind in kinds
        )

    @property
    def that_matters(self) -> tuple[SetAside, ...]:
        """What was set aside and could change the answer."""
        return tuple(one for one in self.set_aside if one.matters)

    def to_dict(self) -> dict[str, Any]:
        """Return the block `reading` of the JSON."""
        return {
            "found": dict(self.found),
            "used": dict(self.used),
            "set_aside": [one.to_dict() for one in self.set_aside],
        }

    def __add__(self, other: Account) -> Account:
        return Account(
            dict(Counter(self.found) + Counter(other.found)),
            {
                kind: self.used.get(kind, 0) + other.used.get(kind, 0)
                for kind in (*self.used, *other.used)
            },
            (*self.set_aside, *other.set_aside),
        )


class Ledger:
    """An account while it is being written."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}
        self._aside: dict[tuple[str, str, str, bool], int] = {}

    def use(self, kind: str, count: int = 1) -> None:
        """Say that some things of a kind were found and used."""
        self._used[kind] = self._used.get(kind, 0) + count

    def set_aside(
        self, kind: str, name: str = "", count: int = 1, *, reason: str, matters: bool = True
    ) -> None:
        """Say that some things of a kind were found and not used, and why."""
        if count:
            key = (kind, name, reason, matters)
            self._aside[key] = self._aside.get(key, 0) + count

    def close(self) -> Account:
        """Return the account; it is balanced by the way it was written."""
        found = Counter(self._used)
        for (kind, *_), count in self._aside.items():
            found[kind] += count
        aside = tuple(
            SetAside(kind, name, count, reason, matters)
            for (kind, name, reason, matters), count in self._aside.items()
        )
        return Account(dict(found), dict(self._used), aside)
