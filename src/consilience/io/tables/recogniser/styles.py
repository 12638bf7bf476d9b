"""How names look, whatever they mean: families such as R1, R2, templates such as doc_001."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

CODES = "A0"  # the family of names that a machine drew
_NUMBERED = re.compile(r"(.*?)([\s_.\-#:/(\[]*)(\d{1,9})([)\]]?)", re.DOTALL)
_LETTERED = re.compile(r"(.+?)([\s_.\-#:/(\[]+)([A-Za-z])([)\]]?)", re.DOTALL)
_BARE_LETTER = re.compile(r"[A-Za-z]")
_CAPITAL_TAIL = re.compile(r"([a-z]{3,})()([A-Z])()")
_INSIDE = re.compile(r"([^\W\d_]{1,30}[\s_.\-]*)(\d{1,6})([\s_.\-][^\W\d]{1,30})")  # Rater_1_score
_QUESTION = re.compile(r"()()(\d{1,4})([.)]\s.+)", re.DOTALL)  # 1. What ...
_CODE = re.compile(r"(?=.*\d[A-Z])[A-Z\d]{6,20}")
_LOOSE_CODE = re.compile(r"(?=.*\d)(?=.*[A-Z])[A-Z\d]{6,20}")
_TITLED = re.compile(
    r"(mr|mrs|ms|dr|prof|professor|frau|herr|mme|mlle|monsieur|madame|sr|sra|señor|señora|sig|"
    r"sig\.ra|dott|pan|pani|dhr|mevr)\.? +([^\W\d_][^_()\[\]:/\d]*)",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_HASH = re.compile(r"[0-9a-f]{8,64}|[0-9a-f]{8}-[0-9a-f-]{20,30}", re.IGNORECASE)
_PERSON = re.compile(r"[^\W\d_][^\W\d_'’\-]*(?:[ .,\-'’]{1,2}[^\W\d_]+\.?){0,3}\.?")
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
MODELS = re.compile(
    r"(?:^|[\W_])(?:gpt|chatgpt|o[1345]|claude|gemini|gemma|llama|mistral|mixtral|qwen|deepseek|"
    r"command-?r|phi|falcon|palm|bard|grok|sonnet|opus|haiku|bert|roberta|t5|bloom|vicuna|yi|llm|"
    r"model|copilot)(?:[\W_\d]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Family:
    """A name cut into what it shares with its family and what tells the members apart."""

    stem: str
    tail: str


@lru_cache(maxsize=65536)
def family_of(name: str) -> Family | None:
    """Cut a name: R1, coder_a, Rater (2), a bare letter or number, an address, a title."""
    text = name.strip()
    if not text or len(text) > 200:
        return None
    if _BARE_LETTER.fullmatch(text):
        return Family("" if text.isupper() else "a", text)
    if _MAIL.fullmatch(text) or _CODE.fullmatch(text):
        return Family("@" if "@" in text else CODES, text)
    if titled := _TITLED.fullmatch(text):
        return Family(titled[1].casefold().rstrip(".") + " ", titled[2])
    return _numbered(text)


def _numbered(text: str) -> Family | None:
    for pattern in (_QUESTION, _NUMBERED, _LETTERED, _CAPITAL_TAIL):
        if match := pattern.fullmatch(text):
            return Family(match[1].casefold() + match[2] + "#", match[3])
    inside = _INSIDE.fullmatch(text)
    return Family(f"{inside[1]}#{inside[3]}".casefold(), inside[2]) if inside else None


def is_code(name: str) -> bool:
    """Tell whether a name is made of capitals and digits by a machine: AD3O4K8."""
    return bool(_CODE.fullmatch(name.strip()))


def is_loose_code(name: str) -> bool:
    """Tell whether a name may be such a code where others surely are: AMHLK96."""
    return bool(_LOOSE_CODE.fullmatch(name.strip()))


def is_hash(value: str) -> bool:
    """Tell whether a text is an identifier that a machine drew: 6b0f40994925."""
    return bool(_HASH.fullmatch(value.strip())) and any(c.isdigit() for c in value)


def is_template(values: Sequence[str]) -> bool:
    """Tell whether texts are identifiers: one pattern with differing numbers, or hashes."""
    if len(values) < 3:
        return False
    if all(map(is_hash, values)):
        return True
    shapes = Counter(_DIGITS.sub("0", v) for v in values)
    shape, times = shapes.most_common(1)[0]
    return "0" in shape and times == len(values) and any(c.isalpha() for c in shape)


def looks_like_person(name: str) -> bool:
    """Tell whether a name may be a person's: a capital and letters, initials, or an address."""
    text = name.strip()
    if _MAIL.fullmatch(text):
        return True
    if not _PERSON.fullmatch(text) or len(text) > 40:
        return False
    first = text[0]
    # Scripts without capitals cannot tell.
    return first.isupper() or not (first.isupper() or first.islower())


def is_capitalised(name: str) -> bool:
    """Tell whether a name begins with a capital, which scripts without capitals cannot say."""
    return name.strip()[:1].isupper() or bool(_MAIL.fullmatch(name.strip()))


def looks_like_model(name: str) -> bool:
    """Tell whether a name is a language model's or says that it is one."""
    return bool(MODELS.search(name))


@lru_cache(maxsize=65536)
def style_of(name: str) -> str:
    """Return how a name is written: capitals, small letters, digits, several words."""
    text = name.strip()
    case = "upper" if text.isupper() else "lower" if text.islower() else "title"
    digits = "#" if any(c.isdigit() for c in text) else ""
    return case + digits + ("_" if any(c in " _.-" for c in text) else "")
