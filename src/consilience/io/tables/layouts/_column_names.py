"""Column names that are made of a variable and a rater: v1_A, Tone (Ann), coder1.tone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from consilience.exceptions import InputError
from consilience.io.tables.recogniser.lexicon import roles_of
from consilience.io.tables.recogniser.styles import family_of, looks_like_model

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


# -------------------------------------------------------------------- as told


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
            "columns", f"a pattern with {RATER} and {VARIABLE} once each", pattern,
            f"write it as the columns are named, for example '{VARIABLE}_{RATER}'",
        )  # fmt: skip
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


# -------------------------------------------------------------------- who is who


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
