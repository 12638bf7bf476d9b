"""Rows are items, columns are variables × raters: v1_A, v1_B, v2_A, v2_B; Tone (Ann), coder1.tone.

Which part of the names is the rater is decided by what the parts look like and by the values:
variables differ in their values, raters do not. Where neither tells, the caller is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import combinations

from consilience.core.cell_values import as_number
from consilience.core.words import enumerated, first_of
from consilience.exceptions import InputError, Option, Words
from consilience.io.layout.counts import is_count
from consilience.io.layout.decision import AmbiguousTableError, Offer
from consilience.io.layout.lexicon import family_of, looks_like_model, roles_of
from consilience.io.layout.likeness import Group
from consilience.io.layout.profile import Column
from consilience.io.layout.standing import standing_of
from consilience.io.layout.table_sample import (
    ADDS_UP,
    NAMED,
    STRUCTURE,
    TOLD,
    Candidate,
    Layout,
    Variable,
    View,
)
from consilience.io.layout.wide_tables import item_column

# ---- column names that are made of a variable and a rater: v1_A, Tone (Ann), coder1.tone

VARIABLE, RATER = "{variable}", "{rater}"
_BRACKETS = ((" (", ")"), ("(", ")"), (" [", "]"), ("[", "]"))
_SIGNS = (" - ", " – ", " — ", " / ", " | ", ": ", "::", "__", "_", ".", "-", "–", "/", ":", "|",
          "@", " ")  # fmt: skip
# No sign between the parts: toneA and toneAnn, coder1tone, tone1, v1a, ATone, 1tone.
_BOUNDARIES = (
    r"(.*[a-z0-9])([A-Z]+[a-z]*)", r"([A-Za-z]+[0-9]+)([A-Za-z].*)", r"(.*[^0-9])([0-9]+)",
    r"(.*[0-9])([a-z])", r"([A-Z])([A-Z][a-z].*)", r"([0-9]+)([A-Za-z].*)",
)  # fmt: skip
_FULL = 0.8  # part of the variables × raters that have a column, at least
_TITLED = r"(?i:mr|mrs|ms|mme|m|dr|prof|herr|frau|sr|sra)\.? \S.*"
_VARIABLE = r"(?i:v|q|var|variable|item|question|crit|criterion|dim|x|y)[\s_]*[0-9]+"
_KINDS = frozenset((
    "human", "humans", "model", "models", "llm", "gpt", "claude", "gemini", "llama", "ai",
    "machine", "system", "auto", "expert", "experts", "novice", "crowd", "student", "teacher",
    "gold", "peer",
))  # fmt: skip

_AGAIN = re.compile(r"(.*[^\W\d_])[ _.-]?(\d{1,2})", re.DOTALL)
_FIRST = "first"  # the coder whose columns have no number

Parts = tuple[str, str]


@dataclass(frozen=True)
class Factors:
    """Names cut in two.

    Attributes
    ----------
    form : str
        How the names are made, with ``{0}`` and ``{1}`` for the parts.
    cells : dict
        Number of the column to its two parts.
    rest : dict
        The same for names that can be cut but stand outside the grid.
    """

    form: str
    cells: dict[int, Parts]
    rest: dict[int, Parts] = field(default_factory=dict)

    @cached_property
    def _groups(self) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        groups: tuple[dict[str, list[int]], dict[str, list[int]]] = ({}, {})
        for j, parts in self.cells.items():
            for group, word in zip(groups, parts, strict=True):
                group.setdefault(word, []).append(j)
        return groups

    def part(self, side: int) -> list[str]:
        """The different words of one part, in order of first appearance."""
        return list(self._groups[side])

    def columns(self, side: int, word: str) -> list[int]:
        """The columns with this word in one part."""
        return self._groups[side][word]

    def pattern(self, rater: int) -> str:
        """Write how the names are made, where part 0 or 1 is the rater."""
        return self.form.format(*((RATER, VARIABLE) if rater == 0 else (VARIABLE, RATER)))

    @property
    def is_run_together(self) -> bool:
        """No sign stands between the parts."""
        return self.form == "{0}{1}"


def factorings(names: Mapping[int, str]) -> list[Factors]:
    """Return the ways to cut most of the names into two parts that form a grid, the best first."""
    found: dict[frozenset[frozenset[int]], Factors] = {}
    for form, cuts in _cuts():
        cells = {j: cut for j, name in names.items() if (cut := _cut(name, cuts)) is not None}
        kept = _grid(cells)
        if kept:
            rest = {j: parts for j, parts in cells.items() if j not in kept}
            factors = Factors(form, kept if form != "{0}{1}" else _with_stem(kept), rest)
            key = frozenset(
                frozenset(factors.columns(side, word))
                for side in (0, 1)
                for word in factors.part(side)
            )
            if key not in found or _names_raters(factors) > _names_raters(found[key]):
                found[key] = factors
    most = max((len(one.cells) for one in found.values()), default=0)
    return [one for one in found.values() if len(one.cells) == most]


def _names_raters(factors: Factors) -> bool:
    """Tell whether a part is all raters: of tone.coder_a the parts are tone and coder_a."""
    return any(all(map(_is_rater, factors.part(side))) for side in (0, 1))


def _cuts() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield every way to cut: what stands between the parts, at its first and last place."""
    for opening, closing in _BRACKETS:
        signs = re.escape(opening), re.escape(closing)
        yield f"{{0}}{opening}{{1}}{closing}", re.compile(rf"(.+?){signs[0]}(.+){signs[1]}")
    for sign in _SIGNS:
        for first in (r"(.+?)", r"(.+)"):
            yield f"{{0}}{sign}{{1}}", re.compile(rf"{first}{re.escape(sign)}(.+)", re.DOTALL)
    for boundary in _BOUNDARIES:
        yield "{0}{1}", re.compile(boundary)


def _cut(name: str, cuts: re.Pattern[str]) -> Parts | None:
    match = cuts.fullmatch(name.strip())
    if match is None:
        return None
    left, right = match[1].strip(), match[2].strip()
    return (left, right) if left and right else None


def _grid(cells: Mapping[int, Parts]) -> dict[int, Parts]:
    """Keep what forms a grid of two by two at least; empty where it is too patchy."""
    kept = dict(cells)
    while True:
        often = [Counter(parts[side] for parts in kept.values()) for side in (0, 1)]
        good = {j: p for j, p in kept.items() if often[0][p[0]] > 1 and often[1][p[1]] > 1}
        if len(good) == len(kept):
            break
        kept = good
    sides = [{parts[side] for parts in kept.values()} for side in (0, 1)]
    is_unique = len(set(kept.values())) == len(kept)
    size = len(sides[0]) * len(sides[1])
    return kept if size and is_unique and len(kept) >= _FULL * size else {}


def _with_stem(cells: dict[int, Parts]) -> dict[int, Parts]:
    """Move a stem that numbers belong to: of tonecoder1 the parts are tone and coder1."""
    lefts = {left for left, _ in cells.values()}
    for size in range(min(map(len, lefts)) - 1, 0, -1):
        stem = next(iter(lefts))[-size:]
        moved = [stem + right for _, right in cells.values()]
        if all(left.endswith(stem) for left in lefts) and (
            _all_fit(_VARIABLE, moved) or all(map(_is_rater, moved))
        ):
            return {j: (left[:-size], stem + right) for j, (left, right) in cells.items()}
    return cells


# ---- as told


def told_factors(pattern: str, names: Mapping[int, str]) -> tuple[Factors, int] | None:
    """Cut the names as a pattern says; return the parts and which is the rater's."""
    form, rater = _form(pattern)
    best: Factors | None = None
    for cuts in _as_told(form):
        cells = {j: cut for j, name in names.items() if (cut := _cut(name, cuts)) is not None}
        found = Factors(form, cells)
        if len(set(cells.values())) == len(cells) and _rank(found) > _rank(best):
            best = found
    return None if best is None else (best, rater)


def _rank(factors: Factors | None) -> tuple[int, float]:
    """Prefer the cut that covers most names, and of these the fullest grid."""
    if factors is None or not factors.cells:
        return 0, 0.0
    size = len(factors.part(0)) * len(factors.part(1))
    return len(factors.cells), len(factors.cells) / size


def _form(pattern: str) -> tuple[str, int]:
    """Check a pattern; return it with numbers for the parts, and the number of the rater."""
    if str(pattern).count(RATER) != 1 or str(pattern).count(VARIABLE) != 1:
        raise InputError.expected(
            "columns",
            f"a pattern with {RATER} and {VARIABLE} once each",
            pattern,
            f"write it as the columns are named, for example '{VARIABLE}_{RATER}'",
        )
    rater = int(pattern.index(RATER) > pattern.index(VARIABLE))
    plain = pattern.replace("{", "{{").replace("}", "}}")
    numbered = {VARIABLE: f"{{{1 - rater}}}", RATER: f"{{{rater}}}"}
    for word, place in numbered.items():
        plain = plain.replace("{" + word + "}", place)
    return plain, rater


def _as_told(form: str) -> Iterator[re.Pattern[str]]:
    if "{0}{1}" in form:
        before, after = (re.escape(_plain(part)) for part in form.split("{0}{1}"))
        yield from (re.compile(before + boundary + after) for boundary in _BOUNDARIES)
        return
    before, rest = form.split("{0}")
    between, after = rest.split("{1}")
    signs = [re.escape(_plain(part)) for part in (before, between, after)]
    for first in (r"(.+)", r"(.+?)"):
        yield re.compile(f"{signs[0]}{first}{signs[1]}(.+){signs[2]}", re.DOTALL)


def _plain(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")


# ---- who is who


def likeness(words: Sequence[str], beside: Sequence[str]) -> int:
    """Say how much words look like raters: 4 for coder1, 2 for initials, below 0 for variables.

    Capitals make a name of Ann beside tone, but not beside numbers.
    """
    numbers_beside = _all_fit(r"[0-9]+", beside)
    n_variables = sum(map(_is_variable, words))
    tests = (
        (4, all(map(_is_rater, words)) or all(map(_is_somebody, words))),
        (3, _all_fit(r"[Rr][0-9]+", words)),
        (-3, n_variables == len(words)),
        (-2, _all_fit(_VARIABLE, words)),
        (-1, n_variables > 0.5 * len(words)),
        (2, _all_fit(r"[A-Z]{1,3}", words) and not numbers_beside),
        (2, _all_fit(r"[CcJjKkAaEeOo][0-9]+", words) and not numbers_beside),
        (2, _all_fit(_TITLED, words)),
        (1, all(map(_may_be_named, words)) and not numbers_beside),
    )
    return next((likeness for likeness, fits in tests if fits), 0)


def are_kinds_of_raters(words: Sequence[str], beside: Sequence[str]) -> bool:
    """Tell whether words such as human and model say what kind of rater a column belongs to.

    Each of expert1 and expert2 is a rater, and so is a model beside names of variables.
    """
    stems = {re.sub(r"[^a-z]", "", word.casefold()) for word in words}
    are_numbered = all(any(sign.isdigit() for sign in word) for word in words)
    return bool(stems & _KINDS) and not are_numbered and likeness(beside, words) >= 0


def _all_fit(form: str, words: Sequence[str]) -> bool:
    return all(re.fullmatch(form, word) for word in words)


def _may_be_named(word: str) -> bool:
    """Tell whether somebody may be called so: a small letter, or a name in any script."""
    if re.fullmatch("[a-z]", word):
        return True
    first, rest = word[:1], word[1:]
    plain = bool(rest) and not any(map(str.isdigit, word)) and not word.isupper()
    return plain and first.isalpha() and not first.islower()


def _is_rater(word: str) -> bool:
    return "rater" in roles_of(word) and not roles_of(word) & {"item", "label", "variable"}


def _is_variable(word: str) -> bool:
    """Tell whether a word is called like what is rated, or what is asked beside it."""
    return bool(roles_of(word) & {"label", "variable", "confidence", "comment"}) and not (
        _is_rater(word)
    )


def _is_somebody(word: str) -> bool:
    """Tell whether a word is an address, the code of a worker, or a model's name."""
    family = family_of(word)
    return looks_like_model(word) or (family is not None and family.stem in ("@", "A0"))


def are_numbers(factors: Factors) -> bool:
    """Tell whether both parts are numbers, as in 1-1, 1-2, 2-1: names of items look like that."""
    return _all_fit(r"[0-9]+", [*factors.part(0), *factors.part(1)])


def are_bare(factors: Factors) -> bool:
    """Tell whether each part is a single sign, as in a1, a2, b1, b2: that may be names alone."""
    words = [*factors.part(0), *factors.part(1)]
    return factors.is_run_together and all(len(word) == 1 for word in words)


# ---- rows are items, columns are variables × raters: v1_A, v1_B, v2_A, v2_B

_ROWS_THAT_CONVINCE = 10  # equal sums of fewer may be chance
_FEW = 12  # that many different values may be codes in however few rows
_MANY_NUMBERS = 20  # that many different numbers are compared by their range
_DIFFER = 0.15  # by how much less variables have in common than raters
_SURE = 3  # difference in likeness that values cannot overrule
_WEAK = 1  # difference in likeness that values overrule
_FEWEST_ROWS = 5  # fewer say nothing about the values
_ALIKE = 0.5  # part of the cells of one more rater whose values are those of the others
_MOST_COMPARED = 30  # parts; enough to see whether they differ


@dataclass(frozen=True)
class _Reading:
    """One way to take the columns: which names, cut where, and which part is the rater."""

    factors: Factors
    rater: int
    strength: int

    @property
    def raters(self) -> list[str]:
        return self.factors.part(self.rater)

    @property
    def variables(self) -> list[str]:
        return self.factors.part(1 - self.rater)

    @property
    def pattern(self) -> str:
        return self.factors.pattern(self.rater)

    def __str__(self) -> str:
        return _sized(self.variables, self.raters)


def told_grid(view: View) -> Candidate | None:
    """Take the columns as the caller said: by a pattern, or by the words for raters, variables."""
    if view.request.columns is not None:
        return _by_pattern(view, view.request.columns)
    if not _names_parts(view):
        return None
    for factors in factorings(_names(view)):
        likely = _readings(view, factors)
        both = likely if len(likely) == 1 else [_Reading(factors, rater, TOLD) for rater in (1, 0)]
        other = [_Reading(factors, 1 - one.rater, TOLD) for one in both]
        for readings in (both, other):
            fits = [one for one in readings if _fits(one, view)]
            if len(fits) > 1:
                raise _unclear(view, fits)
            if fits:
                return _candidate(view, fits[0])
        if len(likely) == 1 and not any(_is_column(view, name) for name in view.request.label):
            _refuse_unknown(view, likely[0])
    return None


def _refuse_unknown(view: View, reading: _Reading) -> None:
    """Complain about a word that is neither a variable nor a rater, where the columns have both."""
    for option, told, words in (
        ("variable", view.request.label, reading.variables),
        ("rater", view.request.rater, reading.raters),
    ):
        for one in told:
            if not any(_chosen(word, (one,)) for word in words):
                raise InputError.unknown_word(f"{view.table.where}: {option}", one, words)


def _names_parts(view: View) -> bool:
    """Tell whether what the caller named may be raters and variables rather than columns."""
    said = (*view.request.rater, *view.request.label)
    columns = {name.casefold() for name in view.names}
    if all(name.casefold() in columns for name in said):
        return False
    unknown = any(not _is_column(view, name) for name in said)
    return unknown or (view.called("rater") is None and view.table.file is None)


def look_grid(view: View) -> Candidate | None:
    """Recognise columns that are variables × raters by their names, and who is who."""
    if view.request.rater or view.request.label:
        return None
    again = _coded_again(_names(view))
    if again is not None and _common(view, again, 0) + _DIFFER < _common(view, again, 1):
        return _candidate(view, _Reading(again, 1, ADDS_UP))
    found = [
        reading
        for factors in factorings(_names(view))
        if len(factors.cells) >= _beside(view, factors) and not _are_decimals(view, factors)
        for reading in _by_kinds(view, factors) or _readings(view, factors)
    ]
    best = max((reading.strength for reading in found), default=0)
    if not found or (best < ADDS_UP and _rows_add_up(view)) or _comes_back(view, best):
        return None
    winners = _most_like_raters([reading for reading in found if reading.strength == best])
    candidate = _candidate(view, winners[0])
    if len(winners) == 1:
        return candidate
    return Candidate(candidate.layout, best, problem=_unclear(view, winners))


def _coded_again(names: Mapping[int, str]) -> Factors | None:
    """Find variables that stand once more for every further coder: type, type1, power, power1."""
    found = {j: match for j, name in names.items() if (match := _AGAIN.fullmatch(name.strip()))}
    bases: dict[str, dict[str, int]] = {}
    for j, match in found.items():
        bases.setdefault(match[1], {})[match[2]] = j
    plain = {name.strip(): j for j, name in names.items()}
    kept = {base: tails for base, tails in bases.items() if base in plain}
    if len(kept) < 2 or len({frozenset(tails) for tails in kept.values()}) > 1:
        return None
    cells = {plain[base]: (base, _FIRST) for base in kept}
    cells |= {j: (base, tail) for base, tails in kept.items() for tail, j in tails.items()}
    return Factors("{0}{1}", {j: cells[j] for j in sorted(cells)})


def refuse_blocks(view: View, columns: Sequence[int]) -> None:
    """Ask about a full grid of letters and numbers, C1 to C4 beside D1 to D4: who is who?"""
    factors = factorings({j: view.names[j] for j in columns})
    for one in factors[:1]:
        if are_bare(one) and len(one.cells) == len(columns) == len(one.part(0)) * len(one.part(1)):
            raise _unclear(view, [_Reading(one, rater, STRUCTURE) for rater in (0, 1)])


def questions_of(names: Mapping[int, str]) -> list[str]:
    """Return what was asked of every item where columns are items by questions: a1__Border."""
    for factors in factorings(names):
        for side in (0, 1):
            words = factors.part(side)
            asked = sum(standing_of(word) == "asked" for word in words)
            whole = len(factors.cells) == len(names) and len(words) < len(factors.part(1 - side))
            if whole and 2 * asked > len(words):
                return words
    return []


def _are_decimals(view: View, factors: Factors) -> bool:
    """Tell whether the columns are called 1.3 and 2,7: marks, and not variables by raters."""
    return all(as_number(view.names[j]) is not None for j in factors.cells)


def _most_like_raters(readings: list[_Reading]) -> list[_Reading]:
    """Of several ways to cut the names, keep those whose raters look like raters."""
    likely = [likeness(one.raters, one.variables) for one in readings]
    most = max(likely)
    if most <= 0 or len({id(one.factors) for one in readings}) == 1:
        return readings
    return [one for one, like in zip(readings, likely, strict=True) if like == most]


def _rows_add_up(view: View) -> bool:
    """Tell whether the cells are rather numbers of raters."""
    told = view.role("item")
    item = told[0] if told else _place(item_column(view.profile, view.free, Group([])))
    columns = [c for c in view.free if c.j != item]
    if view.profile.n < _ROWS_THAT_CONVINCE or not all(
        c.is_complete and is_count(c) for c in columns
    ):
        return False
    sums = {sum(row) for row in zip(*(c.known for c in columns), strict=True)}
    return len(sums) == 1 and min(sums) >= 2


def _place(column: Column | None) -> int | None:
    return None if column is None else column.j


def _names(view: View) -> dict[int, str]:
    told = set(view.role("item"))
    return {c.j: c.name for c in view.free if c.j not in told}


def _is_column(view: View, name: str) -> bool:
    return any(
        name.casefold() == other.casefold() or fnmatchcase(other, name) for other in view.names
    )


def _comes_back(view: View, strength: int) -> bool:
    """Tell whether each row is a rating or a rater's, because items come back or raters stand."""
    live = view.free
    if len(live) > view.profile.n and any(c.is_unique and "rater" in c.roles for c in live):
        return True
    item = _item(view, ())
    is_unique = bool(item) and len(view.profile.times(item)) == view.profile.n
    if view.called("rater") is not None:
        return not is_unique
    return bool(item) and not is_unique and view.by is None and strength < ADDS_UP


def _item(view: View, grid: Sequence[int]) -> tuple[int, ...]:
    told = view.role("item")
    if told:
        return told
    named = view.called("item", without=grid)
    if named is not None:
        return (named.j,)
    rest = [c for c in view.free if c.j not in grid]
    if grid and rest and rest[0].distinct == view.profile.n > 1:
        return (rest[0].j,)
    return ()


def _beside(view: View, factors: Factors) -> int:
    """Count the columns that the names leave over."""
    item = _item(view, list(factors.cells))
    return sum(c.j not in factors.cells and c.j not in item for c in view.free)


# ---- who is who


def _readings(view: View, factors: Factors) -> list[_Reading]:
    """Return the reading that names and values speak for, or both where they say nothing."""
    parts = factors.part(0), factors.part(1)
    likely = likeness(parts[0], parts[1]), likeness(parts[1], parts[0])
    by_names = likely[1] - likely[0]  # above 0: the second part is the rater
    by_values = _common(view, factors, 1) - _common(view, factors, 0)
    values_tell = abs(by_values) >= _DIFFER and view.profile.n >= _FEWEST_ROWS
    kinds = are_kinds_of_raters(*parts) or are_kinds_of_raters(parts[1], parts[0])
    if not values_tell and (are_bare(factors) or kinds):
        return []  # each column may well be a rater's
    if are_numbers(factors):
        return [_Reading(factors, rater, STRUCTURE) for rater in (1, 0)]
    contradict = values_tell and by_names != 0 and (by_names > 0) != (by_values > 0)
    if abs(by_names) >= _SURE and not (contradict and max(likely) < _SURE):
        return [_Reading(factors, int(by_names > 0), ADDS_UP)]
    if contradict and abs(by_names) <= _WEAK and view.profile.n >= _ROWS_THAT_CONVINCE:
        by_names, contradict = 0, False
    if contradict or not (values_tell or by_names):
        return [_Reading(factors, rater, STRUCTURE) for rater in (1, 0)]
    rater = int((by_names or by_values) > 0)
    if likely[rater] > 0 or (values_tell and by_names != 0):
        return [_Reading(factors, rater, ADDS_UP)]
    item = _item(view, list(factors.cells))
    clearly = values_tell or (item and "item" in roles_of(view.names[item[0]]))
    return [_Reading(factors, rater, NAMED if clearly else STRUCTURE)]


def _by_kinds(view: View, factors: Factors) -> list[_Reading]:
    """Return the one reading in which each variable has words or numbers of its own, if any.

    A rater gives words here and numbers there; a variable has one or the other.
    """
    columns = view.profile.columns
    kinds = [  # of each column that has cells, whether all of them are numbers
        [
            {columns[j].is_number for j in factors.columns(side, word) if columns[j].counts}
            for word in factors.part(side)
        ]
        for side in (0, 1)
    ]
    pure = [all(len(kind) == 1 for kind in found) for found in kinds]
    apart = [len(set().union(*found)) > 1 for found in kinds]
    sides = [side for side in (0, 1) if pure[side] and apart[side] and not pure[1 - side]]
    words = factors.part(0), factors.part(1)
    sides = [  # unless the names say otherwise
        side
        for side in sides
        if likeness(words[side], words[1 - side]) - likeness(words[1 - side], words[side]) <= _WEAK
    ]
    return [_Reading(factors, 1 - side, ADDS_UP) for side in sides]


def _common(view: View, factors: Factors, side: int) -> float:
    """Return what the words of one part have in common, 0 to 1: the mean overlap of their values.

    High for raters, who use one dictionary; low for variables, which have their own.
    """
    words = factors.part(side)[:_MOST_COMPARED]
    cells = [c for word in words if (c := _counted(view, factors.columns(side, word)))]
    shares = [min(_share(a, b), _share(b, a)) for a, b in combinations(cells, 2)]
    return sum(shares) / len(shares) if shares else 1.0


def _counted(view: View, columns: Sequence[int]) -> Counter[str]:
    """Count the values of some columns, as text."""
    counted: Counter[str] = Counter()
    for j in columns:
        counted.update(view.profile.columns[j].counts)
    return counted


def _share(cells: Counter[str], other: Counter[str]) -> float:
    """Return how many of the cells have a value that the other one has, too."""
    if max(len(cells), len(other)) > _MANY_NUMBERS:
        numbers, range_ = _as_numbers(cells), _as_numbers(other)
        if numbers and range_:
            low, high = min(range_), max(range_)
            inside = sum(n for value, n in numbers.items() if low <= value <= high)
            return inside / sum(numbers.values())
    return sum(n for value, n in cells.items() if value in other) / sum(cells.values())


def _as_numbers(cells: Counter[str]) -> dict[float, int]:
    """Return the cells as numbers; empty if they are none."""
    numbers: Counter[float] = Counter()
    for value, n in cells.items():
        number = as_number(value)
        if number is None:
            return {}
        numbers[number] += n
    return numbers


def _unclear(view: View, winners: Sequence[_Reading]) -> InputError:
    columns = [view.names[j] for j in winners[0].factors.cells]
    readings = " and as ".join(str(one) for one in winners[:3])
    patterns = list(dict.fromkeys(one.pattern for one in winners[:3]))
    offers = [Offer(str(one), {"columns": one.pattern}) for one in winners[:3]]
    offers.append(Offer("each column is a rater's", {"columns": RATER}))
    return AmbiguousTableError.of(
        Words(
            f"{view.table.where}: which part of the column names is the rater must be clear. Got "
            f"{_some(columns, 4)}, which fit equally well as {readings}. Hint: pass ",
            Option("columns", *patterns),
            "; where each column is a rater's, ",
            Option("columns", RATER),
            ".",
        ),
        list({offer.options["columns"]: offer for offer in offers}.values()),
    )


# ---- the layout


def _candidate(view: View, reading: _Reading) -> Candidate:
    """Lay the variables out; those that hold remarks, and those not asked for, are left out."""
    factors = reading.factors
    cells = factors.cells | factors.rest
    found = [
        Variable(word, tuple(columns), tuple(cells[j][reading.rater] for j in columns))
        for word in reading.variables
        if len(columns := _columns(view, reading, word)) > 1
    ]
    told = view.request.label
    kept = [one for one in found if _chosen(one.name, told)]
    if not told:
        kept = [one for one in found if _holds_codes(view, one)] or found
    columns = [j for one in kept for j in one.columns]
    item = _item(view, list(factors.cells))
    layout = Layout(
        shape="wide", item=item, rater=tuple(columns), by=view.by, variables=tuple(kept)
    )
    raters = list(dict.fromkeys(rater for one in found for rater in one.raters))
    evidence = [
        f"the columns are named {reading.pattern}: {_sized([one.name for one in found], raters)}"
    ]
    if not told:
        evidence += _left_out(view, layout, found)
    return Candidate(layout, reading.strength, tuple(evidence))


def _columns(view: View, reading: _Reading, variable: str) -> list[int]:
    """Return the columns of a variable; a rater of this variable alone shares its values."""
    factors, side = reading.factors, 1 - reading.rater
    columns = list(factors.columns(side, variable))
    known = _counted(view, columns)
    for j, parts in factors.rest.items():
        cells = _counted(view, [j])
        if parts[side] == variable and known and cells and _share(cells, known) >= _ALIKE:
            columns.append(j)
    told, words = view.request.rater, factors.cells | factors.rest
    return [j for j in sorted(columns) if _chosen(words[j][reading.rater], told)]


def _left_out(view: View, layout: Layout, found: Sequence[Variable]) -> list[str]:
    names = [one.name for one in found if one not in layout.variables]
    used = {*layout.item, *(j for one in found for j in one.columns)}
    rest = [repr(c.name) for c in view.free if c.j not in used]
    told = [f"left out, as no codes: {_some(names)} (--variable)"] if names else []
    return told + (
        [f"left out, as no rater's: {first_of(rest, 6) if len(rest) > 6 else enumerated(rest)}"]
        if rest
        else []
    )


def _holds_codes(view: View, variable: Variable) -> bool:
    """Tell whether values repeat, as codes do and remarks do not."""
    roles = roles_of(variable.name)
    remarks = roles & {"comment", "text"} and not _are_short(view, variable)
    if (remarks or roles & {"confidence", "date"}) and "label" not in roles:  # a note may be a mark
        return False
    columns = [view.profile.columns[j] for j in variable.columns]
    if all(column.is_number for column in columns):
        return True
    values = _counted(view, variable.columns)
    return len(values) <= max(_FEW, values.total() // 3)


def _are_short(view: View, variable: Variable) -> bool:
    """Tell whether every cell is filled, and with one word or number, as those of a reason code."""
    columns = [view.profile.columns[j] for j in variable.columns]
    return all(c.is_complete and not any(" " in value for value in c.counts) for c in columns)


def _chosen(word: str, told: Sequence[str]) -> bool:
    return not told or any(
        word.casefold() == one.casefold() or fnmatchcase(word, one) for one in told
    )


def _fits(reading: _Reading, view: View) -> bool:
    """Tell whether every word of the caller's is one of the reading's."""
    pairs = ((view.request.rater, reading.raters), (view.request.label, reading.variables))
    return all(
        any(_chosen(word, (one,)) for word in words) for told, words in pairs for one in told
    )


def _by_pattern(view: View, pattern: str) -> Candidate:
    found = told_factors(pattern, _names(view))
    if found is not None:
        reading = _Reading(*found, TOLD)
        if _fits(reading, view):
            candidate = _candidate(view, reading)
            if candidate.layout.variables:
                return candidate
    raise InputError.expected(
        "columns",
        "a pattern that fits the names of two columns of a variable at least",
        pattern,
        f"the columns are {_some([repr(name) for name in view.names])}",
        where=view.table.where,
    )


def _sized(variables: Sequence[str], raters: Sequence[str]) -> str:
    """Say how many variables and raters there are, and which."""
    return (
        f"{len(variables)} variables ({_some(variables)}) by {len(raters)} raters ({_some(raters)})"
    )


def _some(words: Sequence[str], most: int = 6) -> str:
    return first_of(words, most)
