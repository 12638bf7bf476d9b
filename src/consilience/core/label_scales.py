"""Scales in words: whether all labels belong to one, such as never ... always, and its order.

The words stand in `label_scales.txt`. Labels are names unless every one of them is a step of the
same ladder, each on a step of its own; letters and codes are a scale only where nothing else is
likely. Yes, no and maybe are names, as is everything that two ladders put in different orders.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_FEWEST, _MOST = 3, 30  # labels; two have no order that could matter
_LONGEST = 80  # characters of a label
_POLES = ("agreement", "opinion")  # a middle between two poles is a scale only with degrees of them
_CLOSED = frozenset({"before", "counted"})
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]")
_SIGNS = re.compile(r"[\s_\-‐‑–—/.,;:!?()\[\]{}\"'“”„‘’`´]+")


@dataclass(frozen=True, slots=True)
class LabelScale:
    """A scale that all labels belong to.

    Attributes
    ----------
    kind : str
        "agreement", "frequency", "severity", "quality", "size", "grades", ...
    order : tuple of str
        The labels as they stand in the data, from lowest to highest.
    """

    kind: str
    order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Ladder:
    """A line of the lexicon."""

    kind: str
    step_of: dict[str, int]
    needs: frozenset[int]  # one of these steps, if there are any


def label_scale(labels: Sequence[object], fewest: int = _FEWEST) -> LabelScale | None:
    """Return the scale that all labels belong to, or None where they are names.

    Parameters
    ----------
    labels : sequence
        The different labels of a study.
    fewest : int, default 3
        With fewer labels there is no scale.

    Returns
    -------
    LabelScale or None

    Examples
    --------
    >>> label_scale(["always", "never", "often"]).order
    ('never', 'often', 'always')
    >>> label_scale(["sports", "politics", "high"]) is None
    True
    """
    if not fewest <= len(labels) <= _MOST:
        return None
    texts = [label for label in labels if isinstance(label, str) and len(label) <= _LONGEST]
    if len(texts) < len(labels) or len(set(texts)) < len(texts):
        return None
    for rule in (_signs, _letter_grades, _codes, _counted, _numbered, _worded):
        found = rule(texts)
        if found is not None:
            return found
    return None


def in_order_of_words(labels: Sequence[object]) -> bool:
    """Tell whether labels stand in the order of a scale in words.

    >>> in_order_of_words(["never", "always"]), in_order_of_words(["yes", "no"])
    (True, False)
    """
    found = label_scale(labels, fewest=2)
    return found is not None and found.order == tuple(labels)


def _ordered(kind: str, texts: Sequence[str], ranks: Sequence[float]) -> LabelScale | None:
    """Return the texts by their ranks; None where two share one."""
    if len(set(ranks)) < len(ranks):
        return None
    by_rank = sorted(zip(ranks, texts, strict=True))
    return LabelScale(kind, tuple(text for _, text in by_rank))


# ---- words


def folded(text: str) -> str:
    """Return a text without case, accents and signs: words with a blank between them.

    >>> folded("Plutôt_d'accord!")
    'plutot d accord'
    """
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return _SIGNS.sub(" ", unicodedata.normalize("NFKC", plain)).strip()


@lru_cache(maxsize=1)
def _lexicon() -> tuple[_Ladder, ...]:
    return tuple(_lines())


def _lines() -> Iterator[_Ladder]:
    """Read the lexicon; all words are folded at once, as that is ten times faster."""
    path = Path(__file__).with_name("label_scales.txt")
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    told = "\0".join(line[4:] if line[0] != "=" else "" for line in lines)
    words = folded(told.replace(" < ", "\1").replace("|", "\2")).split("\0")
    kind = ""
    for line, ladder in zip(lines, words, strict=True):
        if line[0] == "=":
            kind = line[1:].strip()
            continue
        steps = [[word.strip() for word in step.split("\2")] for step in ladder.split("\1")]
        needs = frozenset(k for k, step in enumerate(steps) if step[0][:1] == "*")
        if kind in _POLES and len(steps) > 3 and not needs:
            plain = {1, len(steps) - 2, len(steps) // 2}
            plain |= {k for k, step in enumerate(steps) if any("neutr" in word for word in step)}
            needs = frozenset(range(len(steps))) - plain
        step_of: dict[str, int] = {}
        for k, step in enumerate(steps):
            for word in step:
                step_of.setdefault(word.removeprefix("*"), k)
        yield _Ladder(kind, step_of, needs)


def _ladders(words: Sequence[str]) -> list[tuple[str, list[int]]]:
    """Return the ladders with each of the words on a step of its own: kind and steps."""
    found = []
    for ladder in _lexicon():
        if ladder.kind in _CLOSED or not all(word in ladder.step_of for word in words):
            continue
        steps = [ladder.step_of[word] for word in words]
        if len(set(steps)) < len(words):
            continue
        if ladder.needs and not ladder.needs.intersection(steps):
            continue
        found.append((ladder.kind, steps))
    return found


def _one_order(found: Sequence[tuple[str, list[int]]]) -> tuple[str, list[int]] | None:
    """Return the first of several ladders; None where they put the words in different orders."""
    orders = {tuple(sorted(range(len(steps)), key=steps.__getitem__)) for _, steps in found}
    return found[0] if len(orders) == 1 else None


def _worded(texts: Sequence[str]) -> LabelScale | None:
    """Read words of one ladder, or the same words beside those of one: low risk, high risk."""
    words = [folded(text) for text in texts]
    if len(set(words)) < len(words) or not all(words):
        return None
    known = _one_order(_ladders(words))
    if known is None and not _ladders(words):
        known = _with_a_head(words)
    return None if known is None else _ordered(known[0], texts, known[1])


_OPPOSITES = ("un", "ir", "in", "im", "il", "non ", "non", "dis")


def _with_a_head(words: Sequence[str]) -> tuple[str, list[int]] | None:
    """Read what stands before or behind the words that all labels share."""
    parts = [word.split() for word in words]
    for head in (_shared(parts, 1), _shared(parts, -1)):
        rest = None if head is None else _rests(words, head)
        if rest is None:
            continue
        found = [] if "" in rest else _ladders(rest)
        found = found or list(_degrees(rest))
        known = _one_order(found)
        if known is not None:
            return known
    return None


def _shared(parts: Sequence[list[str]], way: int) -> str | None:
    """Return the words that most labels end with (or begin with)."""
    longest = max(parts, key=len)
    for size in range(len(longest) - 1, 0, -1):
        head = longest[-size:] if way > 0 else longest[:size]
        text = " ".join(head)
        with_it = [p for p in parts if (p[-size:] if way > 0 else p[:size]) == head]
        others = [" ".join(p) for p in parts if p not in with_it]
        if len(with_it) >= 2 and all(other in _opposites(text) for other in others):
            return text
    return None


def _opposites(head: str) -> set[str]:
    return {before + head for before in _OPPOSITES}


def _rests(words: Sequence[str], head: str) -> list[str] | None:
    rests = []
    for word in words:
        if word in _opposites(head):
            rests.append("not")
        else:
            rests.append(word.removesuffix(head).removeprefix(head).strip())
    return rests if len(set(rests)) == len(rests) else None


def _degrees(rests: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
    for ladder in _lexicon():
        if ladder.kind == "before" and all(word in ladder.step_of for word in rests):
            steps = [ladder.step_of[word] for word in rests]
            if len(set(steps)) == len(steps) and sum(bool(word) for word in rests) >= 2:
                yield "degree", steps


# ---- numbers with words: "1 - strongly disagree", "4 stars", "grade II"

_LEADING = re.compile(
    r"[(\[]?(?P<number>\d{1,3})[)\]]?\s*(?:[-–—:.=,;|)]+|\s|$)\s*(?P<word>.*)", re.DOTALL
)
_TRAILING = re.compile(r"(?P<word>.*?)\s*[(\[:=\-–—]+\s*(?P<number>\d{1,3})[)\]]?", re.DOTALL)
_BARE = re.compile(r"(?P<number>\d{1,3})(?P<word>)")
_OF = re.compile(r"(\d{1,3})\s*(?:/|out of|of|von|sur|de|di|su|van|av|z|из)\s*(\d{1,3})")
_COUNT_FIRST = re.compile(r"(\d{1,3})\s*-?\s*(\D+)")
_COUNT_LAST = re.compile(r"(\D+?)\s*[-.:]?\s*(\d{1,3}|[ivx]{1,4})")
_ROMAN = {
    "i": 1,
    "ii": 2,
    "iii": 3,
    "iv": 4,
    "v": 5,
    "vi": 6,
    "vii": 7,
    "viii": 8,
    "ix": 9,
    "x": 10,
}
_SCALE_ENDS = frozenset({3, 4, 5, 6, 7, 8, 9, 10, 20, 100})


def _counted(texts: Sequence[str]) -> LabelScale | None:
    """Read 1 star, 2 stars; stage II; 3/5."""
    plain = [text.strip().casefold() for text in texts]
    of = [_OF.fullmatch(text) for text in plain]
    if all(of):
        ends = {int(match[2]) for match in of if match}
        ranks = [int(match[1]) for match in of if match]
        if len(ends) == 1 and ends <= _SCALE_ENDS and max(ranks) <= max(ends):
            return _ordered("rating", texts, ranks)
        return None
    counts = [_count(text) for text in plain]
    known = [one for one in counts if one is not None]
    if len(known) < len(counts):
        return None
    for ladder in _lexicon():
        if ladder.kind == "counted" and all(word in ladder.step_of for word, _ in known):
            return _ordered("rating", texts, [number for _, number in known])
    return None


def _count(text: str) -> tuple[str, int] | None:
    match = _COUNT_FIRST.fullmatch(text)
    if match:
        return folded(match[2]), int(match[1])
    match = _COUNT_LAST.fullmatch(text)
    if not match:
        return None
    number = _ROMAN.get(match[2], 0) if match[2].isalpha() else int(match[2])
    return (folded(match[1]), number) if number or match[2] == "0" else None


def _numbered(texts: Sequence[str]) -> LabelScale | None:
    """Read numbers with words behind or before them, where the words are those of a ladder."""
    for pattern in (_LEADING, _TRAILING):
        found = [pattern.fullmatch(text.strip()) or _BARE.fullmatch(text.strip()) for text in texts]
        if all(found):
            ranks = [int(match["number"]) for match in found if match]
            words = [folded(match["word"]) for match in found if match]
            return _anchored(texts, ranks, words) if len(set(ranks)) == len(ranks) else None
    return None


def _anchored(texts: Sequence[str], ranks: list[int], words: list[str]) -> LabelScale | None:
    """Read numbers whose words rise or fall with them; both ends must have words."""
    told = sorted((rank, word) for rank, word in zip(ranks, words, strict=True) if word)
    if len(told) < 2 or {told[0][0], told[-1][0]} != {min(ranks), max(ranks)}:
        return None
    only = [word for _, word in told]
    if len(set(only)) < len(only):
        return None
    for kind, steps in _ladders(only) or _headed(only):
        if steps in (sorted(steps), sorted(steps, reverse=True)):
            return _ordered(kind, texts, ranks)
    return None


def _headed(words: list[str]) -> list[tuple[str, list[int]]]:
    known = _with_a_head(words)
    return [] if known is None else [known]


# ---- signs and codes: stars, pluses, A+, B2, XL

_GRADE = re.compile(r"([A-F])\s*([+\-−–]{0,2})")
_MARK = re.compile(r"(\d)([+\-−–]?)")
_CEFR = {f"{letter}{k}": 2 * "ABC".index(letter) + k for letter in "ABC" for k in (1, 2)}
_SIZES = {"XXXS": -4, "3XS": -4, "XXS": -3, "2XS": -3, "XS": -2, "S": -1, "M": 0, "L": 1, "XL": 2,
          "XXL": 3, "2XL": 3, "XXXL": 4, "3XL": 4, "4XL": 5, "XXXXL": 5, "5XL": 6}  # fmt: skip


def _signs(texts: Sequence[str]) -> LabelScale | None:
    """Read repeated signs: stars, pluses."""
    bare = [text.strip() for text in texts]
    for full, empty in (("★⭐*", "☆"), ("+", "")):
        if all(text and set(text) <= set(full + empty + "\ufe0f") for text in bare):
            ranks = [sum(text.count(sign) for sign in full) for text in bare]
            return _ordered("rating" if empty else "intensity", texts, ranks)
    return None


def _sign(sign: str) -> float:
    return sum(1 if one == "+" else -1 for one in sign) / 3.0


def _letter_grades(texts: Sequence[str]) -> LabelScale | None:
    """Read A to F with + and -, marks such as 2+ and 3-; letters alone only as A B C D F."""
    found = [_GRADE.fullmatch(text.strip()) for text in texts]
    if all(found):
        grades = [(match[1], match[2]) for match in found if match]
        signed = [sign for _, sign in grades if sign]
        # A+, A-, B+ and B- alone are groups of blood.
        is_graded = signed and len(signed) < len(grades)
        if is_graded or sorted(letter for letter, _ in grades) == list("ABCDF"):
            return _ordered("grades", texts, [_sign(sign) - ord(one) for one, sign in grades])
        return None
    marks = [_MARK.fullmatch(text.strip()) for text in texts]
    if not all(marks):
        return None
    pairs = [(int(match[1]), match[2]) for match in marks if match]
    used = {n for n, _ in pairs}
    if len(used) == len(pairs) and {sign for _, sign in pairs} <= {"", "+"}:
        return _ordered("intensity", texts, [n for n, _ in pairs])  # 0, 1+, 2+, 3+
    if max(used) > 6 or (1 in used) == (max(used) == 5 and 1 not in used):
        return None
    best_is_one = 1 in used
    return _ordered("grades", texts, [_sign(s) + (-n if best_is_one else n) for n, s in pairs])


def _codes(texts: Sequence[str]) -> LabelScale | None:
    """Read CEFR levels, and sizes of clothes."""
    bare = [text.strip().upper() for text in texts]
    if all(text.removesuffix("+") in _CEFR for text in bare):
        ranks = [_CEFR[text.removesuffix("+")] + 0.5 * text.endswith("+") for text in bare]
        whole = sorted({int(rank) for rank in ranks})
        follow = whole[-1] - whole[0] == len(whole) - 1  # A1, B1, C1 may be cells of a grid
        return _ordered("CEFR", texts, ranks) if follow or len(whole) > 3 else None
    if all(text in _SIZES for text in bare) and (
        {"S", "M", "L"} <= set(bare) or any("X" in text for text in bare)
    ):
        return _ordered("size", texts, [_SIZES[text] for text in bare])
    letters = {"L", "M", "H"}
    if set(bare) in (letters, letters | {"VL", "VH"}):
        place: Callable[[str], int] = ["VL", "L", "M", "H", "VH"].index
        return _ordered("level", texts, [place(text) for text in bare])
    return None
