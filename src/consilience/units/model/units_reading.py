"""How units were read: the format, what is the rater and the session, and the account."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from consilience.core.account import Account


@dataclass(frozen=True, kw_only=True)
class UnitReading:
    """What some files were taken for.

    Attributes
    ----------
    sources : tuple of str
        The files.
    format, title : str
        Name of the format, and what it is called.
    rater, session : str
        What names the rater and the session: a rule such as "folder", or a column.
    account : Account
        What was found, used and set aside, by kind, name and reason.
    texts : mapping
        The text of each session where it is known: as it is, where units count its letters, or
        word by word, where they count words.
    """

    sources: tuple[str, ...] = ()
    format: str = ""
    title: str = ""
    rater: str = ""
    session: str = ""
    account: Account = field(default_factory=Account)
    texts: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the block `reading` of the JSON."""
        told = {"format": self.format, "rater": self.rater, "session": self.session}
        return {**self.account.to_dict(), **told}

    def __add__(self, other: UnitReading) -> UnitReading:
        def both(a: str, b: str) -> str:
            return " and ".join(dict.fromkeys(filter(None, (a, b))))

        return UnitReading(
            sources=tuple(dict.fromkeys((*self.sources, *other.sources))),
            format=both(self.format, other.format),
            title=both(self.title, other.title),
            rater=both(self.rater, other.rater),
            session=both(self.session, other.session),
            account=self.account + other.account,
            texts={**self.texts, **other.texts},
        )
