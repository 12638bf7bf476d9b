"""What tables are filled with: words for columns, raters, items and labels, in two halves.

Each word belongs for ever to the half that its checksum says. A reader is tuned on one half and
judged on the other, so that a good figure cannot come from having seen the words.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from tables.lists import listed
from tables.people import FIRST_NAMES, SURNAMES, TRAPS
from tables.words import COLUMNS, TITLES, VARIABLES

HALVES = ("tune", "judge", "all")
LANGUAGES: tuple[str, ...] = tuple(COLUMNS)


def half_of(word: str) -> str:
    """Return the half that a word belongs to, whatever its case."""
    return ("tune", "judge")[zlib.crc32(word.casefold().encode()) & 1]


def kept(words: Iterable[str], half: str) -> tuple[str, ...]:
    """Keep the words of one half."""
    return tuple(word for word in words if half == "all" or half_of(word) == half)


@cache
def column_words(language: str, role: str, half: str) -> tuple[str, ...]:
    """Words for a column; where a language has none in this half, the English ones."""
    return kept(COLUMNS[language][role], half) or kept(COLUMNS["en"][role], half)


@cache
def variable_words(language: str, half: str) -> tuple[str, ...]:
    """Names of variables of a content analysis, at least two."""
    own = kept(VARIABLES.get(language, ()), half)
    return own if len(own) > 2 else kept(VARIABLES["en"], half)


def titles(language: str) -> tuple[str, ...]:
    """Lines that people put above the header."""
    return TITLES.get(language, TITLES["en"])


@cache
def _people(kind: str, half: str) -> tuple[str, ...]:
    return kept({"first": FIRST_NAMES, "last": SURNAMES, "trap": TRAPS}[kind], half)


# ------------------------------------------------------------------------------ raters


@dataclass(frozen=True)
class Raters:
    """Names of raters; `plain` says that any reader sees that they are persons or raters."""

    names: tuple[str, ...]
    family: str
    plain: bool


COMMON_FAMILIES = listed(
    "surnames surnames first_names first_names R1 rater_1 coder_a annotator1 letters initials"
)
ALL_FAMILIES = listed(
    "surnames first_names full_names titled R1 rater_1 coder_a annotator1 letters initials "
    "models emails numbers worker_ids accounts local_1 humans_and_models trap"
)


def draw_raters(rng: Random, n_raters: int, half: str, families: Sequence[str]) -> Raters:
    """Draw a family of raters and so many names of it."""
    family = rng.choice(families)
    if family == "models" and n_raters > len(_MODELS):
        family = "worker_ids"
    if family in ("initials", "letters") and n_raters > 20:
        family = "annotator1"
    names = _FAMILIES[family](rng, n_raters, half)
    if rng.random() < 0.15:
        names = _shuffled(rng, names)
    return Raters(tuple(names), family, family not in ("numbers", "letters", "initials"))


def _shuffled(rng: Random, values: Sequence[str]) -> list[str]:
    return rng.sample(values, len(values))


def _surnames(rng: Random, n: int, half: str) -> list[str]:
    names = rng.sample(_people("last", half), n)
    if n > 2 and rng.random() < 0.15:
        names[rng.randrange(n)] = rng.choice(_people("trap", half))
    return _styled(rng, names)


def _first_names(rng: Random, n: int, half: str) -> list[str]:
    return _styled(rng, rng.sample(_people("first", half), n))


def _styled(rng: Random, names: list[str]) -> list[str]:
    return [name.lower() for name in names] if rng.random() < 0.1 else names


def _full_names(rng: Random, n: int, half: str) -> list[str]:
    last = rng.sample(_people("last", half), n)
    pattern = rng.choice(("{first} {last}", "{last}, {first}", "{first[0]}. {last}"))
    first = [rng.choice(_people("first", half)) for _ in last]
    return [pattern.format(first=a, last=b) for a, b in zip(first, last, strict=True)]


def _titled(rng: Random, n: int, half: str) -> list[str]:
    title = rng.choice(("Dr. ", "Dr ", "Prof. ", "Ms ", "Frau ", "Mme ", "Sra. "))
    return [title + name for name in rng.sample(_people("last", half), n)]


def _trap(rng: Random, n: int, half: str) -> list[str]:
    """Persons, a minority of them with names that are words; of two nobody could be sure."""
    n_traps = (n - 1) // 2 if n < 6 else 2
    names = rng.sample(_people("trap", half), n_traps)
    return _shuffled(rng, names + rng.sample(_people("last", half), n - n_traps))


def _numbered(*patterns: str) -> object:
    def draw(rng: Random, n: int, half: str) -> list[str]:
        pattern = rng.choice(kept(patterns, half) or patterns)
        first = 0 if rng.random() < 0.1 else 1
        return [pattern.format(i) for i in range(first, first + n)]

    return draw


def _lettered(*patterns: str) -> object:
    def draw(rng: Random, n: int, half: str) -> list[str]:
        pattern = rng.choice(kept(patterns, half) or patterns)
        if n > 26:
            return [pattern.format(f"{i:02d}") for i in range(1, n + 1)]
        return [pattern.format(chr(65 + i)) for i in range(n)]

    return draw


def _small_lettered(rng: Random, n: int, half: str) -> list[str]:
    names = _lettered("coder_{}", "rater_{}", "Coder {}", "annotator {}", "judge-{}")(rng, n, half)  # type: ignore[operator]
    return [name[:-1] + name[-1].lower() for name in names] if rng.random() < 0.6 else names


def _initials(rng: Random, n: int, half: str) -> list[str]:
    length = rng.choice((2, 2, 3))
    letters = "ABCDEFGHJKLMNPRSTWZ"
    found: list[str] = []
    while len(found) < n:
        new = "".join(rng.choice(letters) for _ in range(length))
        if new not in found and new not in ("NA", "NAN"):
            found.append(new)
    return found


_MODELS = listed(
    "gpt-4o gpt-4o-mini claude-3 claude-3-5-sonnet gemini-1.5-pro llama-3-70b mistral-large "
    "qwen2-72b command-r deepseek-v3 phi-3 o1-preview"
)


def _models(rng: Random, n: int, half: str) -> list[str]:
    return rng.sample(_MODELS, n)


def _humans_and_models(rng: Random, n: int, half: str) -> list[str]:
    n_people = max(1, n - 2)
    people = rng.sample(_people("first", half), n_people)
    return people + rng.sample(_MODELS, n - n_people)


def _ascii(name: str) -> str:
    plain = "".join(c for c in name.lower() if c.isascii() and c.isalpha())
    return plain or "user"


def _emails(rng: Random, n: int, half: str) -> list[str]:
    host = rng.choice(("example.org", "uni-example.de", "example.ac.uk", "mail.example.jp"))
    names = [_ascii(name) for name in rng.sample(_people("last", half), n)]
    return [f"{name}{i if names.count(name) > 1 else ''}@{host}" for i, name in enumerate(names)]


def _worker_ids(rng: Random, n: int, half: str) -> list[str]:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    length = rng.choice((6, 13))
    return ["A" + "".join(rng.choice(letters) for _ in range(length)) for _ in range(n)]


def _accounts(rng: Random, n: int, half: str) -> list[str]:
    names = [_ascii(name) for name in rng.sample(_people("last", half), n)]
    return [f"{name[:6]}{rng.randrange(10, 99)}_{i}" for i, name in enumerate(names)]


def _numbers(rng: Random, n: int, half: str) -> list[str]:
    start = rng.choice((1, 1, 1, 11, 101, 201))
    return [str(start + i) for i in range(n)]


_FAMILIES = {
    "surnames": _surnames,
    "first_names": _first_names,
    "full_names": _full_names,
    "titled": _titled,
    "trap": _trap,
    "R1": _numbered("R{}", "r{}", "C{}", "J{}", "K{}"),
    "rater_1": _numbered("Rater {}", "rater{}", "Rater_{}", "Coder {}", "coder{}", "judge_{}"),
    "annotator1": _numbered("ann{}", "annotator-{}", "annotator_{}", "Annotator {}", "a{}"),
    "local_1": _numbered(
        "Kodierer {}", "Juge {}", "Evaluador {}", "avaliador_{}", "Giudice {}", "Beoordelaar {}",
        "Bedömare {}", "Sędzia {}", "Hakem {}", "Эксперт {}", "評価者{}", "评分者{}", "평가자{}",
        "Αξιολογητής {}", "المقيم {}", "Penilai {}", "Rater_{}_score", "Prüfer {}", "Codeur n°{}",
    ),
    "coder_a": _small_lettered,
    "letters": _lettered("{}"),
    "initials": _initials,
    "models": _models,
    "humans_and_models": _humans_and_models,
    "emails": _emails,
    "worker_ids": _worker_ids,
    "accounts": _accounts,
    "numbers": _numbers,
}  # fmt: skip
