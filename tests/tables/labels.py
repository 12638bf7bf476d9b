"""Sets of labels: words of many languages, numbers, letters, codes, texts, sets in a cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random

from tables.lists import listed
from tables.vocabulary import kept


@dataclass(frozen=True)
class Labels:
    """The labels that could be used, in order.

    `numeric`: all are numbers. `ordered`: errors go to neighbours. `short`: letters or codes that
    could just as well be names of raters or marks for missing values.
    """

    values: tuple[str, ...]
    kind: str
    numeric: bool = False
    ordered: bool = False
    short: bool = False


_WORDS: dict[str, str] = {
    "en": """yes|no
positive|negative|neutral
pos|neg|neu
agree|disagree
true|false
relevant|irrelevant
present|absent
low|medium|high
none|mild|moderate|severe
spam|ham
toxic|not toxic|unsure
supports|refutes|not enough info
entailment|contradiction|neutral
left|right|center
win|lose|tie
happy|sad|angry|afraid|surprised|disgusted
NOUN|VERB|ADJ|ADV|PRON
pass|fail
A|B|tie
hate speech|offensive|neither
sports|politics|economy|culture|science|other
strongly disagree|disagree|neutral|agree|strongly agree
never|rarely|sometimes|often|always
poor|fair|good|very good|excellent
benign|malignant|uncertain
correct|partly correct|incorrect
Yes|No|Maybe
healthy|at risk|diseased
AGR|DIS|NEU""",
    "de": """ja|nein
positiv|negativ|neutral
stimmt|stimmt nicht|weiß nicht
trifft zu|trifft eher zu|trifft eher nicht zu|trifft nicht zu
gering|mittel|hoch
vorhanden|nicht vorhanden""",
    "fr": """oui|non
positif|négatif|neutre
d'accord|pas d'accord|sans avis
faible|moyen|élevé""",
    "es": """sí|no
positivo|negativo|neutro
de acuerdo|en desacuerdo|ni una cosa ni otra
bajo|medio|alto""",
    "pt": """sim|não
positiva|negativa|neutra
concordo|discordo|não sei""",
    "it": """sì|no
buono|sufficiente|insufficiente
vero|falso|dubbio""",
    "nl": """ja|nee
eens|oneens|weet niet
laag|midden|hoog""",
    "sv": """ja|nej
positiv|negativ|neutral|oklar
låg|medel|hög""",
    "da": "ja|nej|ved ikke",
    "no": "ja|nei|vet ikke",
    "fi": "kyllä|ei\nmyönteinen|kielteinen|neutraali",
    "pl": "tak|nie\npozytywny|negatywny|neutralny",
    "cs": "ano|ne\nkladný|záporný|neutrální",
    "hu": "igen|nem|talán",
    "ro": "da|nu\npozitiv|negativ|neutru",
    "tr": "evet|hayır\nolumlu|olumsuz|nötr",
    "ru": "да|нет\nположительный|отрицательный|нейтральный",
    "uk": "так|ні\nпозитивний|негативний|нейтральний",
    "el": "ναι|όχι\nθετικό|αρνητικό|ουδέτερο",
    "ja": "はい|いいえ\n肯定|否定|中立\n良い|普通|悪い",
    "zh": "是|否\n正面|负面|中性\n同意|不同意",
    "ko": "예|아니오\n긍정|부정|중립",
    "ar": "نعم|لا\nإيجابي|سلبي|محايد",
    "id": "ya|tidak\npositif|negatif|netral",
    "vi": "có|không\ntích cực|tiêu cực|trung lập",
}

COMMON_KINDS = listed(
    "words words words words words binary likert5 likert5 likert7 letters marks decimals codes"
)
ALL_KINDS = listed(
    "words words words words words binary likert5 likert7 zero_to_three marks decimals letters "
    "codes diagnoses single cased long sets school signed percent slashed quarters"
)


@cache
def _sets(language: str, half: str) -> tuple[str, ...]:
    return kept(_WORDS.get(language, "").splitlines(), half) or kept(
        _WORDS["en"].splitlines(), half
    )


def draw_labels(rng: Random, language: str, half: str, kinds: list[str]) -> Labels:
    """Draw a set of labels in this language, or numbers and codes."""
    kind = rng.choice(kinds)
    if kind == "words":
        return Labels(tuple(rng.choice(_sets(language, half)).split("|")), kind)
    return _KINDS[kind](rng)


def _numbers(kind: str, values: range | list[float]) -> Labels:
    return Labels(tuple(f"{v:g}" for v in values), kind, numeric=True, ordered=True)


def _codes(rng: Random) -> Labels:
    hundreds = rng.sample(range(1, 10), 3)
    codes = sorted(100 * h + i for h in hundreds for i in range(1, rng.choice((2, 3, 4)) + 1))
    return Labels(tuple(map(str, codes)), "codes", numeric=True)


def _diagnoses(rng: Random) -> Labels:
    codes = {f"{rng.choice('FGI')}{rng.randrange(10, 49)}.{rng.randrange(10)}" for _ in range(6)}
    return Labels(tuple(sorted(codes)), "diagnoses")


def _letters(rng: Random) -> Labels:
    return Labels(tuple("ABCDEF"[: rng.choice((2, 3, 4, 5))]), "letters", short=True)


def _single(rng: Random) -> Labels:
    letters = rng.choice(("YN", "yn", "PNO", "+0", "mfx", "JN", "TF", "xo", "SVC"))
    return Labels(tuple(letters), "single", short=True)


def _cased(rng: Random) -> Labels:
    base = rng.choice(("yes|no", "Positive|negative", "spam|ham", "ja|nein", "oui|non"))
    words = base.split("|")
    return Labels((*words, words[0].upper()), "cased")


def _long(rng: Random) -> Labels:
    frames = (
        "Economic consequences", "Human interest (personal story)", "Conflict between parties",
        "Morality, religion and values", "Attribution of responsibility", "None of the above",
        "Crime & punishment", "Health / safety",
    )  # fmt: skip
    return Labels(tuple(rng.sample(frames, rng.choice((3, 4, 6)))), "long")


def _sets_in_cells(rng: Random) -> Labels:
    words = rng.sample(("anger", "fear", "joy", "hope", "pride", "shame"), 3)
    joint = rng.choice((", ", ",", ";", "|"))
    pairs = [joint.join(words[:2]), joint.join(words[1:])]
    return Labels((*words, *pairs), "sets")


def _marks(rng: Random) -> Labels:
    low, step = rng.choice(((0, 1), (30, 1), (0, 5), (0, 2), (40, 1)))
    return _numbers("marks", range(low, 101, step))


def _decimals(rng: Random) -> Labels:
    start = rng.choice((0, 1, 20, 120))
    return Labels(
        tuple(f"{start + i / 10:.1f}" for i in range(rng.choice((20, 60)))),
        "decimals", numeric=True, ordered=True,
    )  # fmt: skip


_KINDS = {
    "binary": lambda rng: Labels(("0", "1"), "binary", numeric=True),
    "likert5": lambda rng: _numbers("likert5", range(1, 6)),
    "likert7": lambda rng: _numbers("likert7", range(1, 8)),
    "zero_to_three": lambda rng: _numbers("zero_to_three", range(0, 4)),
    "signed": lambda rng: _numbers("signed", range(-2, 3)),
    "school": lambda rng: _numbers("school", [1, 1.3, 1.7, 2, 2.3, 2.7, 3, 3.3, 3.7, 4, 5]),
    "quarters": lambda rng: _numbers("quarters", [i / 4 for i in range(0, 21)]),
    "percent": lambda rng: Labels(tuple(f"{i}%" for i in range(0, 101, 10)), "percent"),
    "slashed": lambda rng: Labels(tuple(f"{i}/5" for i in range(1, 6)), "slashed"),
    "marks": _marks, "decimals": _decimals, "letters": _letters, "codes": _codes,
    "diagnoses": _diagnoses, "single": _single, "cased": _cased, "long": _long,
    "sets": _sets_in_cells,
}  # fmt: skip
