"""Who rated, or what was asked: what the names of columns say about the answers below them.

A column of marks under ``Smith`` is a rater's, one under ``grammar`` is a question's. Where columns
are called by what was asked, several of them are one judge's, and nobody's agreement is in them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from consilience.io.layout.lexicon import (
    WORDS,
    Family,
    family_of,
    fold,
    is_capitalised,
    looks_like_model,
    roles_of,
    singulars,
    tokens_of,
)

Standing = Literal["rater", "somebody", "asked", "open"]

_SENTENCE = 4  # words, of which two are small; nobody is called so
_ASKS = frozenset(
    ("is", "has", "was", "does", "contains", "mentions", "ist", "hat", "est", "tiene")
)
_ASKED_STEMS = frozenset(
    fold(stem)
    for stem in ("q", "question", "item", "crit", "criterion", "criteria", "dim", "dimension", "v",
                 "statement", "aspect", "feature", "var", "variable", "f", "frage", "pregunta", "s")
) - {"s"}  # fmt: skip
# Words for qualities end alike in many languages, names of persons hardly ever do.
_QUALITY = re.compile(
    r".{3,}(?:ness|ity|tion|sion|ment|ance|ence|ency|ancy|ship|ism|heit|keit|schaft|itat|cion|idad|"
    r"zione|cao|dade|heid|osc|ость|ство|ние|ність|suus|syys|vuus|vyys)s?|.+(?:性|度|感|さ)"
)
_SPAN = re.compile(r"[\W_]*\(?\d+\s*(?:to|bis|till|-|–|/|\.\.)\s*\d+\)?$", re.IGNORECASE)  # 1-5
_WORDS = re.compile(r"[^\W\d_]+")
_QUALITY_SMALL = re.compile(r".{6,}ing|.{3,}(?:ful|able|ible|ous|ive|ic|ical)")
_OF_NAMES = frozenset(
    ("van", "von", "der", "den", "de", "la", "le", "di", "da", "del", "bin", "y", "zu")
)


@lru_cache(maxsize=65536)
def standing_of(name: str) -> Standing:
    """Say whether a column is called by who answered or by what was asked.

    "rater" is surely somebody or a program, "somebody" may be a person, "asked" is a criterion or
    a question, and "open" says nothing.

    >>> [standing_of(name) for name in ("coder 2", "Nwosu", "fluency_score", "label")]
    ['rater', 'somebody', 'asked', 'open']
    """
    name = _SPAN.sub("", name) or name  # what it is marked from and to says nothing of who marks
    family = family_of(name)
    if (family is not None and family.stem in ("@", "A0")) or looks_like_model(name):
        return "rater"
    if _is_sentence(name):
        return "asked"
    tokens = tokens_of(name)
    rest = [token for token in tokens if not _says_mark(token)]
    if any(token in WORDS["rater"] for token in rest):
        return "rater"
    if family is not None:
        return "asked" if _is_asked_stem(family) else "rater"
    if len(tokens) > 1 and tokens[0] in _ASKS:
        return "asked"
    return _of_words(name, rest)


def _is_sentence(name: str) -> bool:
    words = name.split()
    small = [word for word in words[1:] if word[0].islower() and word not in _OF_NAMES]
    return name.strip().endswith("?") or (len(words) >= _SENTENCE and len(small) > 1)


def _of_words(name: str, rest: Sequence[str]) -> Standing:
    """Say what words mean that no number or letter follows."""
    persons = any(token in WORDS["person"] for token in rest)
    if _are_criteria(name, rest):
        return "open" if persons and is_capitalised(name) else "asked"
    if persons:
        return "rater"
    if not rest:
        return "open"
    text = "".join(rest)
    if _QUALITY.fullmatch(text) or (name.islower() and _QUALITY_SMALL.fullmatch(text)):
        return "asked"
    pieces = (piece for piece in _WORDS.findall(name) if not _says_mark(fold(piece)))
    return "somebody" if any(not piece[0].islower() for piece in pieces) else "open"


def _are_criteria(name: str, rest: Sequence[str]) -> bool:
    known = WORDS["criterion"]
    whole = "".join(rest)
    if fold(name) in known or whole in known or any(one in known for one in singulars(whole)):
        return True
    return bool(rest) and sum(token in known for token in rest) > 0.5 * len(rest)


def _is_asked_stem(family: Family) -> bool:
    stem = fold(family.stem.partition("#")[0])
    return stem in _ASKED_STEMS or "variable" in roles_of(stem)


def _says_mark(token: str) -> bool:
    """Tell whether a word is added to what it is about: score, label, mean, 5."""
    is_word = token in WORDS["label"] | WORDS["derived"] and token not in WORDS["criterion"]
    return is_word or token.isdigit()


def may_be_asked(names: Sequence[str]) -> bool:
    """Tell whether columns may be criteria or questions rather than raters.

    It takes one name that only a rater has to make raters of unknown words, and none where all
    are one word counted on.
    """
    families = [family_of(name) for name in names]
    stems = {family.stem for family in families if family is not None}
    standing = Counter(map(standing_of, names))
    if len(stems) == 1 and None not in families:
        return standing["asked"] > 0
    if len({_stem(name) for name in names}) == 1:
        return False  # mood, mood1, mood2
    sure, likely = standing["rater"], standing["somebody"]
    if standing["asked"] > sure + likely or not sure + likely:
        return True
    return standing["asked"] > 0 and not sure


def _stem(name: str) -> str:
    return re.sub(r"[\W_]*\d+$", "", name.strip()).casefold()
