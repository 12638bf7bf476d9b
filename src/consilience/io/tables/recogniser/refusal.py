"""A refusal that helps: the readings that fit, the command for each, and what speaks for it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import takewhile
from shlex import quote
from typing import Any

from consilience.core.words import counted
from consilience.exceptions import InputError, Words
from consilience.io.tables.recogniser.hypotheses import (
    COUNTS,
    LONG,
    TABLE,
    TRANSPOSED,
    WIDE,
    Scored,
)
from consilience.io.tables.recogniser.profile import Profile

LETTERS = "ABCDEFGH"
_MOST_LISTED = 40  # columns of a role that are named one by one
_MOST_NAMES = 6
_MOST_SHOWN = 3  # readings; --explain shows all
_FLAGS = {"missing_values": "missing-value", "gold": "gold-answers"}
_ONLY_PYTHON = {"ungrouped", "items"}


@dataclass(frozen=True)
class Offer:
    """One reading: what it is in words, the options that choose it, and what speaks for it."""

    words: str
    options: dict[str, Any]
    evidence: tuple[str, ...] = ()

    def words_of_flags(self) -> list[str]:
        """The options as words of the command line, one by one."""
        return [word for name, value in self.options.items() for word in _typed(name, value)]

    def flags(self) -> str:
        """The options as flags of the command line."""
        return " ".join(quote(word) for word in self.words_of_flags())

    def arguments(self) -> str:
        """The options as arguments in Python."""
        return ", ".join(f"{name}={_one(value)!r}" for name, value in self.options.items())

    def call(self, data: str) -> str:
        """The call in Python that chooses the reading."""
        label = self.options.get("label", ())
        several = {"by", "columns"} & set(self.options) or len(_several(label)) > 1
        return f"cs.{'load' if several else 'read'}({data}, {self.arguments()})"


def _one(value: Any) -> Any:
    if isinstance(value, tuple):
        return value[0] if len(value) == 1 and isinstance(value[0], str) else list(value)
    return value


def _several(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list, set, frozenset)) else (value,)


def _typed(name: str, value: Any) -> list[str]:
    """Return one option as it is typed."""
    if name in _ONLY_PYTHON:
        return []
    flag = "--" + _FLAGS.get(name, name.replace("_", "-"))
    if name == "header":
        return [flag if value else "--no-header"]
    if isinstance(value, bool):
        return [flag] if value else []
    if name == "categories":
        return [flag, ",".join(_csv_cell(str(one)) for one in _several(value))]
    if isinstance(value, Mapping):
        pairs = [f"{old}={'' if new is None else new}" for old, new in value.items()]
        return [word for pair in pairs for word in (flag, pair.removeprefix("*="))]
    return [word for one in _several(value) for word in (flag, str(one))]


def _csv_cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"') else text


class AmbiguousTableError(InputError):
    """Data that fit several readings with different numbers.

    `sentence` says what is not clear, `offers` are the readings, each with the options that choose
    it, and `source` is the path as it would be typed, None for a frame.
    """

    def __init__(
        self, message: str, offers: Sequence[Offer] = (), source: str | None = None
    ) -> None:
        super().__init__(message)
        self.sentence = message
        self.offers = tuple(offers)
        self.source = source

    @classmethod
    def of(
        cls, sentence: str, offers: Sequence[Offer], source: str | None = None
    ) -> AmbiguousTableError:
        """Build the refusal, with a line to be pasted for each reading."""
        error = cls(sentence, offers, source)
        return error.retold(error._text())

    def _text(self, line: Callable[[Offer], str] | None = None, *, whole: bool = False) -> Words:
        shown = list(zip(LETTERS, self.offers if whole else self.offers[:_MOST_SHOWN],
                         strict=False))  # fmt: skip
        lines = [""]
        for letter, offer in shown:
            lines.append(f"  {letter}  {offer.words}")
            lines.append(f"     {command(offer, self.source) if line is None else line(offer)}")
        reasons = [
            f"for {letter}: {'; '.join(offer.evidence)}"
            for letter, offer in shown
            if offer.evidence
        ]
        lines += ["  " + ". ".join(reasons) + "."] if reasons else []
        left = min(len(self.offers), len(LETTERS)) - len(shown)
        lines += [f"  {self._more(left, line)}"] if left else []
        if self.source is not None and line is None and self.offers:
            lines.append(f"  In Python, for A: {self.offers[0].call('path')}")
        return Words(self.sentence, "\n".join(lines))

    def _more(self, left: int, line: Callable[[Offer], str] | None) -> str:
        """Say where the readings are that come less near."""
        more = f"{counted(left, 'more reading')} would be possible"
        if self.source is None:
            return f"{more}: see the offers of this error."
        typed = f"consilience measure {self.source} --explain"
        if line is not None:
            typed = f"{line(Offer('', {}))} --explain"
        return f"{more}: {typed}"

    def placed(
        self, where: str, source: str | None, given: Mapping[str, Any]
    ) -> AmbiguousTableError:
        """Return the same for data from `source`, with what the caller had said already."""
        offers = [
            replace(one, options=one.options | {k: v for k, v in given.items()
                                                if k not in one.options})
            for one in self.offers
        ]  # fmt: skip
        known = self.sentence.startswith(where) or not where
        other = copy.copy(self)
        other.sentence = self.sentence if known else Words(f"{where}: ", self.sentence)
        other.offers, other.source = tuple(offers), source
        return other.retold(other._text())

    def without(self, option: str) -> AmbiguousTableError:
        """Return the same with lines that do not name an option: its column is known by itself."""
        other = copy.copy(self)
        other.offers = tuple(
            replace(one, options={k: v for k, v in one.options.items() if k != option})
            for one in self.offers
        )
        return other.retold(other._text())

    def as_typed(self, line: Callable[[Offer], str], *, whole: bool = False) -> AmbiguousTableError:
        """Return the same with other lines to be pasted; with `whole`, one for every reading."""
        return self.retold(self._text(line, whole=whole))


def offer_of(profile: Profile, one: Scored, *, beside: Sequence[Scored] = ()) -> Offer:
    """Put one reading into words and options, and say what speaks for it more than for others."""
    h, names = one.hypothesis, [c.name for c in profile.columns]

    def of(places: Sequence[int]) -> tuple[str, ...]:
        return tuple(names[j] for j in places)

    def said(**roles: Sequence[int]) -> dict[str, tuple[str, ...]]:
        wanted = {role: _in_short(of(places), names) for role, places in roles.items() if places}
        return {role: found for role, found in wanted.items() if found}

    options: dict[str, Any] = {"shape": h.shape}
    if h.shape == WIDE:
        options |= said(item=h.item, rater=h.rater)
        words = f"{_item(of(h.item))}; {len(h.rater)} raters {_some(of(h.rater))}"
    elif h.shape == LONG:
        options |= said(item=h.item, rater=h.rater, label=h.label)
        who = f"rater {_some(of(h.rater))}" if h.rater else "one file per rater"
        words = f"one row per rating: item {_some(of(h.item))}, {who}, label {_some(of(h.label))}"
    elif h.shape == TRANSPOSED:
        options |= said(rater=h.rater, item=h.item)
        words = f"rows are raters, {len(h.item)} columns are items {_some(of(h.item), 3)}"
    elif h.shape == COUNTS:
        options |= {"item": of(h.item)} if h.item else {}
        options |= {"categories": of(h.category)}
        words = f"cells count raters; categories {_some(of(h.category))}"
    else:
        assert h.shape == TABLE
        words = f"cross-table of two raters; labels {_some(of(h.category))}"
    return Offer(words, options, _speaks_for(one, beside))


def _in_short(chosen: tuple[str, ...], names: Sequence[str]) -> tuple[str, ...]:
    """Name very many columns by a pattern that fits them alone; without one, leave them out."""
    if len(chosen) <= _MOST_LISTED:
        return chosen
    ends = zip(min(chosen), max(chosen), strict=False)
    pattern = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], ends)) + "*"
    fits = [name for name in names if fnmatchcase(name, pattern)]
    plain = not set(pattern[:-1]) & set("*?[,")
    return (pattern,) if plain and fits == list(chosen) else ()


def _speaks_for(one: Scored, others: Sequence[Scored]) -> tuple[str, ...]:
    """Name what is said for one reading, and less for the best of the others."""
    if not others:
        return tuple(piece.name for piece in one.strongest[:2])
    best = max(others, key=lambda other: other.score)
    known = {piece.name: piece.nats for piece in best.pieces}
    lead = {piece.name: piece.nats - known.get(piece.name, 0.0) for piece in one.pieces}
    found = [piece.name for piece in one.strongest if lead[piece.name] > 0.5]
    return tuple(sorted(found, key=lambda name: -lead[name])[:2])


def _item(names: Sequence[str]) -> str:
    return f"item {_some(names)}" if names else "no item named"


def _some(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    shown = ", ".join(name or "(first column)" for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def refuse(
    what: str, offers: Sequence[Offer], *, where: str, source: str | None
) -> AmbiguousTableError:
    """Build the refusal; `source` is the path as it would be typed, None for a frame."""
    sentence = (
        f"{where}: the layout must be clear. Got a table that fits {what}. "
        "Hint: run the line that is right."
    )
    return AmbiguousTableError.of(sentence, offers, source)


def command(offer: Offer, source: str | None, program: str = "consilience measure") -> str:
    """Write the line that chooses a reading, to be pasted."""
    if source is None:
        return offer.call("frame")
    return f"{program} {source} {offer.flags()}"
