"""What a table may be, which reading to take, and a refusal that helps where none leads.

The best hypothesis is taken if it leads; otherwise the table is refused with the readings named,
the command for each, and what speaks for it. Tables of timed units are no ratings: they are found
before a number comes out that means nothing.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import pairwise, takewhile
from shlex import quote
from typing import Any

from consilience.core.cell_values import as_clock, as_time
from consilience.core.input_files import Said
from consilience.core.words import counted
from consilience.exceptions import InputError, Option, Words
from consilience.io.layout.likeness import is_someone
from consilience.io.layout.profile import Column, Profile

# ---- what a table may be

WIDE, LONG, TRANSPOSED, COUNTS, TABLE = "wide", "long", "transposed", "counts", "table"
MARGIN = 4.0  # nats by which the best must lead the best one with other ratings
SMALL_MARGIN = 6.0  # in a table of a few rows, where chance does more
FEW_ROWS = 8
_LEAST = -12.0  # a reading far worse than chance is none
_LEAST_OF = {TRANSPOSED: 4.0, COUNTS: 4.0, WIDE: 4.0}  # better than no table of ratings at all
_LEAST_CALLED, _LEAST_APART = 2.0, 10.0
SHARED = "columns share their values"
SQUARE = "rows are called exactly as columns are"
NAMES_ITEMS = "the first column is called an item"
IN_OTHER_CASE = "rows are called as columns are, but for their case"
_FAR = 12.0  # nats behind the best within which a reading is worth naming
_MOST_NAMED = 6


@dataclass(frozen=True)
class Hypothesis:
    """One way to take the table, by positions of columns.

    Attributes
    ----------
    shape : str
        "wide", "long", "transposed", "counts" or "table".
    item : tuple of int
        Columns that name the item; in a transposed table the items themselves.
    rater : tuple of int
        A column of names (long, transposed), or one column per rater (wide).
    label : tuple of int
        Columns of labels in a long table; several are one variable each.
    category : tuple of int
        Columns of counts.
    """

    shape: str
    item: tuple[int, ...] = ()
    rater: tuple[int, ...] = ()
    label: tuple[int, ...] = ()
    category: tuple[int, ...] = ()
    by: int | None = None
    rater_is_file: bool = False
    skip_rows: tuple[str, ...] = ()  # names of total rows

    @cached_property
    def used(self) -> frozenset[int]:
        """Columns that play a part."""
        by = () if self.by is None else (self.by,)
        return frozenset((*self.item, *self.rater, *self.label, *self.category, *by))

    def signature(self, profile: Profile) -> object:
        """What the ratings would be: equal for readings that give the same result."""
        if self.shape == WIDE:
            unique = not self.item or len(profile.times(self.item)) == profile.n
            return WIDE, frozenset(self.rater), unique or self.item, self.by
        if self.shape == LONG:
            rater = profile.joint(self.rater) if self.rater else "file"
            labels = frozenset(profile.codes(j) for j in self.label)
            items = profile.remembered(
                ("numbered", self.item), lambda: _numbered(profile.joint(self.item))
            )
            return LONG, items, rater, labels, self.by
        if self.shape == TRANSPOSED:
            return TRANSPOSED, frozenset(self.item)
        return self.shape, frozenset(self.category)


def _numbered(keys: tuple[object, ...]) -> tuple[int, ...]:
    """Number keys by first appearance, so that columns that name the same things are equal."""
    seen: dict[object, int] = {}
    return tuple(seen.setdefault(key, len(seen)) for key in keys)


@dataclass(frozen=True)
class Piece:
    """One piece of evidence for a hypothesis: its name, and its weight in nats."""

    name: str
    nats: float


@dataclass(frozen=True)
class Scored:
    """A hypothesis with its evidence."""

    hypothesis: Hypothesis
    pieces: tuple[Piece, ...]

    @cached_property
    def score(self) -> float:
        """All evidence together, in nats against chance."""
        return sum(piece.nats for piece in self.pieces)

    def worth_of(self, name: str) -> float:
        """What one piece of the evidence is worth."""
        return sum(piece.nats for piece in self.pieces if piece.name == name)

    @property
    def strongest(self) -> tuple[Piece, ...]:
        """The evidence for it, the strongest first."""
        found = [piece for piece in self.pieces if piece.nats > 0]
        return tuple(sorted(found, key=lambda piece: -piece.nats))


def rare(n_raters: int) -> float:
    """What it costs to take so many for raters: most studies have a handful."""
    return -min(8.0, 0.12 * max(0, n_raters - 12))


# ---- decision


@dataclass(frozen=True)
class Decision:
    """What the table is taken for, or the readings between which nobody can decide."""

    best: Scored | None
    rivals: tuple[Scored, ...]  # other ratings, the nearest first
    margin: float
    lead: float

    @property
    def is_clear(self) -> bool:
        """The best reading leads by the margin."""
        return self.best is not None and self.lead >= self.margin

    @property
    def readings(self) -> tuple[Scored, ...]:
        """The best and those that come near it: what a refusal names."""
        if self.best is None:
            return self.rivals[:_MOST_NAMED]
        near = [r for r in self.rivals if r.score > self.best.score - _FAR]
        return (self.best, *(near or self.rivals[:1]))[:_MOST_NAMED]


def margin_for(profile: Profile) -> float:
    """Return how far the best reading must lead."""
    return SMALL_MARGIN if profile.n <= FEW_ROWS else MARGIN


def _least(profile: Profile, one: Scored) -> float:
    """Return what a reading must be worth by itself; a column called an item says much already."""
    h = one.hypothesis
    called = any("item" in profile.columns[j].roles for j in h.item)
    persons = all(is_someone(profile.columns[j].name) for j in h.rater)
    if h.shape != WIDE:
        return _LEAST_OF.get(h.shape, _LEAST)
    if profile.n <= FEW_ROWS or persons:
        return _LEAST if called else _LEAST_OF[WIDE]
    if one.worth_of(SHARED) < 0:
        return _LEAST_APART  # raters who have hardly a label in common
    return _LEAST_CALLED if called else _LEAST_OF[WIDE]


def decide(profile: Profile, scored: Sequence[Scored], *, margin: float | None = None) -> Decision:
    """Weigh the hypotheses against each other.

    A margin of its own means that the caller said something: then the best of what agrees with
    that need not be likely by itself.
    """
    is_told = margin is not None
    margin = margin_for(profile) if margin is None else margin
    ranked = sorted(scored, key=lambda one: -one.score)
    if not ranked:
        return Decision(None, (), margin, 0.0)
    best = ranked[0]
    seen = {best.hypothesis.signature(profile)}
    rivals = []
    for one in ranked[1:]:
        signature = one.hypothesis.signature(profile)
        if signature not in seen:
            seen.add(signature)
            rivals.append(one)
    if is_told:
        lead = best.score - rivals[0].score if rivals else margin
        return Decision(best, tuple(rivals), margin, lead)
    if best.score <= _LEAST:
        return Decision(None, (best, *rivals), margin, 0.0)
    if best.score < _least(profile, best) or any(p.name == IN_OTHER_CASE for p in best.pieces):
        return Decision(best, tuple(rivals), margin, 0.0)
    if best.hypothesis.shape != TABLE and any(map(_is_square, ranked)):
        return Decision(best, tuple(rivals), margin, 0.0)
    lead = best.score - max(_LEAST, rivals[0].score if rivals else _LEAST)
    return Decision(best, tuple(rivals), margin, lead)


def _is_square(one: Scored) -> bool:
    """Tell whether rows are called exactly as columns are, and nothing says that they are items."""
    return any(piece.name == SQUARE for piece in one.pieces) and one.worth_of(NAMES_ITEMS) >= 0


# ---- a refusal that helps

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
        shown = list(
            zip(LETTERS, self.offers if whole else self.offers[:_MOST_SHOWN], strict=False)
        )
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
            replace(
                one, options=one.options | {k: v for k, v in given.items() if k not in one.options}
            )
            for one in self.offers
        ]
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


# ---- tables of timed units are not ratings

_FROM = frozenset(("start", "begin", "onset", "starttime", "begintime", "tmin", "xmin", "from",
                   "startms", "beginms", "startsec", "startsecs", "beginsec", "startoffset",
                   "starts", "startseconds", "beginoffset", "onsets"))  # fmt: skip
_TO = frozenset(("end", "stop", "offset", "endtime", "stoptime", "tmax", "xmax", "to", "endms",
                 "stopms", "endsec", "endsecs", "stopsec", "endoffset", "ends", "endseconds",
                 "offsets"))  # fmt: skip
_UNITS = re.compile(
    r"[\s_(\[.-]*(?:ms|msec|s|sec|secs|seconds|(?:hh:)?mm:ss(?:\.\w+)?)[)\]]?$", re.IGNORECASE
)
# Columns of programs that log behaviour, one event a row: BORIS (old and new), The Observer.
_LOGS = (
    frozenset(("behavior", "behaviortype", "time")),
    frozenset(("behavior", "status", "time")),
    frozenset(("behavior", "eventtype", "timerelativesf")),
    frozenset(("behavior", "eventtype", "timerelativehmsf")),
    frozenset(("behavior", "behaviortype", "starts", "stops")),
)
_IF_RATINGS = Words("or say what is what with ", Option("item"), ", ", Option("rater"), " and ",
                    Option("label"), " if these are ratings")  # fmt: skip
_FIRST_ROWS = 40
_FEWEST = 3
_ENOUGH = 5  # rows in which one number before the other is no chance
_MOSTLY = 0.8


def refuse_timed(profile: Profile, by: int | None, where: str) -> None:
    """Refuse a table with the beginning and the end of something, or an event, in each row."""
    if _is_log([column.name for column in profile.columns]):
        raise _logged(where)
    live = [column for column in profile.live if column.j != by]
    pair = _named(live) or _unnamed(profile, live)
    if pair is None:
        return
    first, second = (repr(column.name) for column in pair)
    raise InputError.expected(
        "a table of ratings",
        "about whole items",
        Said(f"the beginning and the end of units in the columns {first} and {second}"),
        Words("compare units with `consilience units`, ", _IF_RATINGS),
        where=where,
    )


def refuse_log(rows: Sequence[Sequence[str]], where: str) -> None:
    """Refuse a log of events with lines about the observation above its names."""
    if any(_is_log(row) for row in rows[1:_FIRST_ROWS]):
        raise _logged(where)


def _is_log(names: Sequence[str]) -> bool:
    words = {re.sub(r"[^a-z]", "", name.casefold()) for name in names}
    return any(log <= words for log in _LOGS)


def _logged(where: str) -> InputError:
    return InputError.expected(
        "a table of ratings",
        "about whole items",
        Said("a log of behaviour, with an event in each row"),
        Words("compare the logs of two observers with `consilience units`, ", _IF_RATINGS),
        where=where,
    )


def _named(live: Sequence[Column]) -> tuple[Column, Column] | None:
    """Find a numeric column called start, begin or onset with its counterpart."""
    starts = [c for c in live if _word(c.name) in _FROM and _is_time(c)]
    ends = [c for c in live if _word(c.name) in _TO and _is_time(c)]
    return next(((a, b) for a in starts for b in ends if _in_order(a, b)), None)


def _unnamed(profile: Profile, live: Sequence[Column]) -> tuple[Column, Column] | None:
    """Find two columns of times side by side in a table without names.

    Seconds with fractions that run on; or any times, each before its end, beside words that come
    back (who, and which code) and with which each begins once.
    """
    if any(not c.name.isdigit() for c in profile.columns) or profile.n < _FEWEST:
        return None
    for a, b in pairwise(live):
        if not (_is_time(a) and _is_time(b)) or not _in_order(a, b):
            continue
        fractions = sum("." in (cell or "") for cell in (*a.cells, *b.cells))
        if fractions >= profile.n and all(x <= y for x, y in pairwise(_times(a))):
            return a, b
        if _are_named(profile, live, a, b):
            return a, b
    return None


def _are_named(profile: Profile, live: Sequence[Column], a: Column, b: Column) -> bool:
    words = [c for c in live if c not in (a, b) and not _is_time(c)]
    if profile.n < _ENOUGH or not all(x < y for x, y in zip(_times(a), _times(b), strict=True)):
        return False
    starts = profile.times([*(c.j for c in words), a.j])
    comes_back = any(c.distinct <= profile.n / 2 for c in words)
    return comes_back and len(starts) > _MOSTLY * profile.n


def _is_time(column: Column) -> bool:
    return column.is_number or all(as_clock(cell) is not None for cell in column.counts)


def _in_order(a: Column, b: Column) -> bool:
    return all(x <= y for x, y in zip(_times(a), _times(b), strict=True))


def _times(column: Column) -> list[float]:
    """Return times in seconds, NaN where there is none."""
    found = map(as_time, column.cells)
    return [math.nan if time is None else time for time in found]


def _word(name: str) -> str:
    return re.sub(r"[^a-z]", "", _UNITS.sub("", name.strip()).casefold())
