"""Words that people call columns by, by role, in many languages, and how names look: R1, doc_001.

Words are folded: no case, no accents. Every door asks here what a column is called after.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from consilience.io.names import LONGEST_NAME

# ---- how names look, whatever they mean: families such as R1, R2, templates such as doc_001

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
MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
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
    if MAIL.fullmatch(text) or _CODE.fullmatch(text):
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
    if MAIL.fullmatch(text):
        return True
    if not _PERSON.fullmatch(text) or len(text) > 40:
        return False
    first = text[0]
    # Scripts without capitals cannot tell.
    return first.isupper() or not (first.isupper() or first.islower())


def is_capitalised(name: str) -> bool:
    """Tell whether a name begins with a capital, which scripts without capitals cannot say."""
    return name.strip()[:1].isupper() or bool(MAIL.fullmatch(name.strip()))


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


# ---- words that people call columns by

_LETTERS = {
    "ł": "l", "ø": "o", "ı": "i", "đ": "d", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d",
}  # fmt: skip
_PLAIN_LETTERS = str.maketrans(_LETTERS)
LONGEST = 8  # tokens of a name of which a part may be taken off; longer ones are questions, texts


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """Letters and digits of `text` in any script, without case and accents (`Été_1` is `ete1`)."""
    if text.isascii():  # the same, at once
        return "".join(filter(str.isalnum, text.lower()))
    plain = unicodedata.normalize("NFKD", text.casefold()).casefold().translate(_PLAIN_LETTERS)
    kept = "".join(c for c in plain if c.isalnum() and not unicodedata.combining(c))
    return unicodedata.normalize("NFC", kept)  # only Hangul is put together again


# By role, `language: words`; a word that languages share stands in the first of them, and forms
# that `roles_of` makes itself (plurals, an article, `..._id`) are left out; `_` is a space.


def _words_of_roles() -> dict[str, frozenset[str]]:
    """Read the words of each role: a line per language in `words/`, folded.

    All are folded at once, and letter by letter: thousands of words are read with every start.
    """
    folder = Path(__file__).parent / "words"
    told = "\n\0\n".join((folder / f"{role}.txt").read_text(encoding="utf-8") for role in LISTS)
    words = "\n".join(re.sub(r"^[a-z]{2}: ", "", told, flags=re.MULTILINE).split())
    plain = unicodedata.normalize("NFKD", words.casefold()).casefold()
    for letter, other in _LETTERS.items():
        plain = plain.replace(letter, other)
    for c in set(plain) - {"\n", "\0"}:
        if not c.isalnum() or unicodedata.combining(c):
            plain = plain.replace(c, "")
    folded = unicodedata.normalize("NFC", plain).split("\n\0\n")
    return {role: frozenset(one.split("\n")) for role, one in zip(LISTS, folded, strict=True)}


ROLES = (
    "item",
    "rater",
    "label",
    "date",
    "confidence",
    "comment",
    "text",
    "variable",
    "total",
    "derived",
    "side",
)
LISTS = (*ROLES, "criterion", "person")  # what is asked of an item, what persons are called
WORDS = _words_of_roles()
_OTHERS = frozenset().union(*(WORDS[role] for role in ROLES if role != "label"))
WORDS["label"] |= WORDS["criterion"] - _OTHERS - WORDS["person"]
# What says when, how surely and why, and what shows the item, is beside the ratings too.
WORDS["side"] |= WORDS["date"] | WORDS["confidence"] | WORDS["comment"]
WORDS["side"] |= WORDS["text"] - WORDS["item"]


def _marks(text: str) -> frozenset[str]:
    return frozenset(mark.strip().casefold() for mark in text.split("|"))


# Cells that stand for "no rating", casefolded and stripped but not folded. The first are never
# labels: signs, and words that can only mean that nobody rated. The second say that something is
# missing, which is a label beside "present". The third may be labels ("none", "unknown", "?").
UNRATED_MARKS: frozenset[str] = _marks(
    """unrated|not rated|not coded|not scored|not assessed|not annotated|uncoded|unscored|unlabeled|
unlabelled|no rating|no score|nicht bewertet|
nicht beurteilt|nicht kodiert|nicht codiert|keine bewertung|non évalué|non codé|
non noté|pas de note|no evaluado|sin codificar|sin valoración|
não avaliado|sem avaliação|non valutato|niet beoordeeld|niet gecodeerd|ej bedömd|
ikke vurderet|ikke vurdert|ei arvioitu|nie oceniono|nehodnoceno|nehodnotené|
nem értékelt|neevaluat|değerlendirilmedi|нет оценки|не оценено|
не оцінено|未評価|欠損|欠測|缺失|未评|未评分|未評分|
未标注|未標註|미평가|결측|לא הוערך|tidak dinilai|
chưa đánh giá"""
)
ABSENT_MARKS: frozenset[str] = _marks(
    """missing|fehlt|fehlend|manquant|mancante|faltante|saknas|mangler|puuttuu|chybí|hiányzik|
lipsă|eksik|ontbreekt|пропуск|مفقود|חסר"""
)
SURE_MARKS: frozenset[str] = (
    _marks(
        """|na|n/a|n.a.|n. a.|n.a|nan|-nan|+nan|null|<na>|<null>|(null)|<nan>|nat|\\n|#n/a|#na|#nv|
#n/d|#null!|#value!|#wert!|#valeur!|#valor!|#ref!|#bezug!|#div/0!|#name?|#num!|#n/b|#знач!|#н/д|
#arg!|#yok|#hodnota!|#érték!|#hiányzik|-|--|---|----|–|—|−|‐|―|ー|.|..|...|…|_|__|/|//|(blank)|
blank|[empty]|<empty>|(empty)|''"""
    )
    | UNRATED_MARKS
    | ABSENT_MARKS
)
LIKELY_MARKS: frozenset[str] = _marks(
    """?|??|???|none|nil|empty|unknown|unk|not applicable|no answer|no response|skip|skipped|
don't know|dk|can't tell|unable to rate|nd|n.d.|n/d|nr|nc|ns|ns/nc|ns/nr|k.a.|k. a.|ka|k.a|n.b.|
keine antwort|nicht beurteilbar|weiß nicht|unbekannt|entfällt|leer|non applicable|sans réponse|
inconnu|s.o.|s/o|s/d|sd|s.d.|sin respuesta|no aplica|no sabe|desconocido|vacío|s/r|sem resposta|
não se aplica|non applicabile|onbekend|n.v.t.|nvt|okänd|vet ej|ukendt|ved ikke|ukjent|vet ikke|
ei tietoa|eos|tyhjä|brak|b.d.|bd|b/d|nie dotyczy|nie wiem|neznámé|neuvedeno|nevím|neznáme|nincs|
ismeretlen|üres|necunoscut|nu se aplică|nu știu|yok|boş|bilinmiyor|н/д|нд|нет ответа|неизвестно|
не знаю|невідомо|δ/υ|δ.ξ.|δ/α|άγνωστο|κενό|なし|無し|不明|未回答|無回答|
該当なし|空欄|无|無|未知|不详|不詳|不适用|不適用|
空|空白|
없음|무응답|미상|해당없음|해당 없음|모름|لا يوجد|غير معروف|غير متوفر|لا ينطبق|
لا أعرف|אין|לא ידוע|לא רלוונטי|
अज्ञात|लागू नहीं|उपलब्ध नहीं|पता नहीं|tidak ada|tidak tahu|kosong|không có|không biết|trống|
no label|no code|not available|keine angabe|no data|sin dato|sin datos|sem dados|brak danych|
нет данных|немає даних|nincs adat|veri yok|non renseigné|bỏ qua"""
)
MISSING_MARKS: frozenset[str] = SURE_MARKS | LIKELY_MARKS


def _folded(text: str) -> tuple[str, ...]:
    return tuple(fold(word) for word in text.split())


# Words for yes and no, and what is written instead of them.
SAYS_YES = frozenset(
    ["yes", "y", "true", "t", "ja", "j", "oui", "o", "si", "sí", "sì", "sim", "tak", "ano", "igen",
     "da", "evet", "да", "д", "так", "ναι", "はい", "是", "예", "네", "نعم", "כן", "kyllä", "हाँ",
     "ya", "có"]
)  # fmt: skip
SAYS_NO = frozenset(
    ["no", "n", "false", "f", "nein", "non", "não", "nee", "nej", "nei", "nie", "ne", "nem", "nu",
     "hayır", "нет", "н", "ні", "όχι", "いいえ", "否", "아니오", "아니요", "لا", "לא", "ei", "नहीं",
     "tidak", "không"]
)  # fmt: skip


def sense_of(label: object) -> bool | None:
    """Return whether a label means yes or no, as 1 and x, or 0 and absent, do; None for others."""
    text = str(label).strip().casefold().removesuffix(".0")
    if text in SAYS_YES or text in ("1", "x", "present", "positive", "vorhanden"):
        return True
    return False if text in SAYS_NO or text in ("0", "absent", "negative") else None


# What stands before or after the word for a thing when its column names or numbers the thing.
_MARKERS = _folded("""id ids uid pk no nos nr num number name names initials nick login code codes
key
text title full last nummer numero numer nro núm číslo szám număr numara numarası kürzel nom
nombre nome naam namn navn nimi nazwa název názov név nume ad adı kod kode kód kodu código codice
ид код номер имя фио название ім'я піб назва κωδικός αριθμός όνομα 番号 名 名前 氏名 コード 编号
編號 号 號 号码 姓名 名称 名稱 代码 序号 번호 이름 성명 명 코드 아이디 رقم اسم معرف كود מספר שם
מזהה קוד क्रमांक नाम आईडी कोड nomor nama mã tên mã_số""")
_LEADING = _folded("""of the your du de del della dei des der die das le la les el los da do
di van av af st nd rd th first second third primary secondary independent erster zweiter premier
deuxième primer segundo primo secondo первый второй перший другий pierwszy drugi první druhý
birinci ikinci 第 第一 第二 第三""")
_GLUED_AFTER = _folded("""id ids nr no num nummer number name code номер 番号 名 氏名 コード 编号
編號 号 號 姓名 번호 이름 명 一 二 三 四 五 甲 乙 丙""")
_GLUED_BEFORE = ("id", "nr", "ال", "ה")  # the last two are the articles of Arabic and Hebrew
_COUNTERS = frozenset("一二三四五六七八九十甲乙丙丁号號") | {"ii", "iii", "iv", "vi", "vii", "viii"}
_ENDINGS = _folded("s es in innen ler lar ים ות ת ה ين ون ات ة 们 們 들")
_LONG_ENDINGS = _folded("a e i y n t k en ar et ek ok ak ka na ne и ы і а я е в ка")
_SYMBOLS = {"#": "number", "Ø": "mean", "ø": "mean", "⌀": "mean", "∑": "sum"}
_HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_PIECES = re.compile(r"\d+|[^\W\d_]+")


def tokens_of(name: str) -> tuple[str, ...]:
    """Cut a name into words and numbers, folded."""
    bare = (c for c in unicodedata.normalize("NFKD", name) if unicodedata.category(c)[0] != "M")
    humps = _HUMP.sub(" ", unicodedata.normalize("NFC", "".join(bare)))
    return tuple(filter(None, map(fold, _PIECES.findall(humps))))


def _is_counter(token: str) -> bool:
    one_letter = len(token) == 1 and (token.upper() != token or "\u05d0" <= token <= "\u064a")
    return token.isdigit() or one_letter or token in _COUNTERS


def _shorter(tokens: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if len(tokens) < 2:
        return
    if _is_counter(tokens[-1]) or tokens[-1] in _MARKERS:
        yield tokens[:-1]
    if tokens[0].isdigit() or tokens[0] in _MARKERS + _LEADING:
        yield tokens[1:]


def _cut(word: str, before: tuple[str, ...], after: tuple[str, ...], least: int) -> Iterator[str]:
    ends = [word[: -len(mark)] for mark in after if word.endswith(mark)]
    for stem in ends + [word[len(mark) :] for mark in before if word.startswith(mark)]:
        if len(stem) >= (least if stem.isascii() else least - 1):
            yield stem


def singulars(word: str) -> Iterator[str]:
    """Yield what a word may be the plural or the feminine of."""
    yield from _cut(word, (), _ENDINGS, 3)
    # Plurals and feminines of many languages; who reviews is no review, so -er and -or are none.
    yield from _cut(word, (), _LONG_ENDINGS, 6)
    if word.endswith("ies"):
        yield word[:-3] + "y"


def _known(words: Iterator[str] | tuple[str, ...]) -> frozenset[str]:
    return frozenset(role for word in words for role in ROLES if word in WORDS[role])


def roles_of(name: str) -> frozenset[str]:
    """Roles that a column called `name` may have; none if the name says nothing.

    The name itself goes before its parts: `comment_id` is an item though `comment` is not. Only
    if it is not known are plurals, counters (`Rater A`, `coder_03`) and marks of a name or number
    (`id_rater`, `paper#`, `raterName`) taken off, one after the other, until something is known.
    """
    if _REMEMBERED[0] is not WORDS:  # other words, other roles
        _REMEMBERED[:] = [WORDS, {}]
    known = _REMEMBERED[1]
    if name not in known:
        if len(known) > _MOST_REMEMBERED:
            known.clear()
        known[name] = _roles_of(name)
    roles: frozenset[str] = known[name]
    return roles


_REMEMBERED: list[Any] = [None, {}]  # the words in use, and the roles that they gave
_MOST_REMEMBERED = 65536


def _roles_of(name: str) -> frozenset[str]:
    if name.strip() == "Max":  # a person; max is none
        return frozenset()
    whole = _SYMBOLS.get(name.strip(), fold(name))
    if roles := _known((whole,)) or _known(singulars(whole)):
        return roles
    if is_code(name):
        return frozenset()
    tokens = tokens_of(name)
    level = [tokens] if len(tokens) <= LONGEST else []
    while level:
        joined = ["".join(t) for t in level]
        words = [w for w in joined if len(w) > 1 or not w.isascii()]
        stems = [s for w in words for s in _cut(w, _GLUED_BEFORE, _GLUED_AFTER, 3)]
        for found in (words, stems):
            singular = (s for w in found for s in singulars(w))
            if roles := _known(tuple(found)) or _known(singular):
                return roles
        level = list(dict.fromkeys(t for longer in level for t in _shorter(longer)))
    return _head_roles(tokens)


_MOST_WORDS = 3  # of a name with a head; more words are a sentence
_BESIDE = frozenset(("side", "date", "confidence", "comment", "total", "derived"))
_OF = frozenset(("of", "de", "des", "du", "der", "del", "di", "da", "do", "van", "von", "av", "af"))


def _head_roles(tokens: tuple[str, ...]) -> frozenset[str]:
    """Take what several words are about: patient sex, year of birth; only what is no rating."""
    if not 1 < len([token for token in tokens if token not in _OF]) <= _MOST_WORDS:
        return frozenset()
    first = tokens[0]
    computed = _known((first,)) & {"derived", "total"}
    if computed and (len(first) > 3 or not first.isascii()):
        return computed  # mean rating, final label; Max is a name
    cut = next((k for k, token in enumerate(tokens) if token in _OF and k), None)
    head = tokens[cut - 1] if cut else tokens[-1]
    return (_known((head,)) or _known(singulars(head))) & _BESIDE


# ---- what a mention, a word, a sentence or a segment is a part of

_OF_A_NAME = _folded("""id ids uid no nr num number name title key file of the which""")


@lru_cache(maxsize=1)
def _documents() -> frozenset[str]:
    text = (Path(__file__).parent / "words" / "document.txt").read_text(encoding="utf-8")
    return frozenset(fold(word) for word in text.split() if not word.endswith(":"))


@lru_cache(maxsize=65536)
def names_document(name: str) -> bool:
    """Tell whether a column is called after what has parts: a text, a film, a session.

    >>> [names_document(one) for one in ("doc_id", "Film", "story no.", "mention", "Ann")]
    [True, True, True, False, False]
    """
    whole = fold(name)
    if whole in _documents():
        return True
    core = [one for one in tokens_of(name) if one not in _OF_A_NAME and not one.isdigit()]
    words = {"".join(core), *(core if len(core) < 2 else ())}
    singulars = {one.removesuffix("s") for one in words}
    return bool((words | singulars) & _documents())


# ---- what tells that the same was judged again

_OCCASIONS = frozenset(
    _folded("""run rerun attempt sample seed trial repeat repetition replicate
replication iteration occasion wiederholung durchlauf versuch répétition essai tirage repetición
intento repetição ripetizione tentativo herhaling poging powtórzenie próba повтор попытка 重复 反復
반복""")
)


@lru_cache(maxsize=65536)
def names_occasion(name: str) -> bool:
    """Tell whether a column counts how often the same was judged: a run, an attempt, a seed.

    >>> [names_occasion(one) for one in ("run", "Attempt no.", "run_id", "seeds", "prompt", "r")]
    [True, True, True, True, False, False]
    """
    core = [one for one in tokens_of(name) if one not in _OF_A_NAME and not one.isdigit()]
    return len(core) == 1 and bool({core[0], core[0].removesuffix("s")} & _OCCASIONS)


# ---- the one part of a rating that a column is called after

Role = Literal["item", "rater", "label"]
_PREFIXES: dict[str, Role] = {"answer.": "label", "output:": "label"}  # MTurk, Toloka
# The surest words of each, also as programs write them; of items, the best first.
_SUREST: dict[Role, tuple[str, ...]] = {
    "item": _folded("""item unit subject object target case task document doc record hit example
        instance sample essay script patient participant input_hash task_hash trace observation
        question segment passage utterance sentence image file filename id index row post tweet
        article story text"""),
    "rater": _folded("""rater coder annotator worker judge user username reader reviewer observer
        labeler labeller evaluator expert grader marker assessor scorer examiner performer
        completed_by annotated_by created_by author author_user session email email_address who"""),
    "label": _folded("""label rating score mark code category class value answer response verdict
        judgment judgement annotation grade diagnosis choice choices tag sentiment string_value
        winner preference"""),
}
_SURE_ROLE = {word: role for role, words in _SUREST.items() for word in words}
# Raters in a table of ratings; alone, such a word may say something else of a record.
WEAK = frozenset(_folded("name by person source system model method tool algorithm classifier "
                          "staff parent"))  # fmt: skip
_NAMES_OF = ("id", "ids", "name", "no", "nr", "number")
_SETTLED = frozenset(
    _folded("""gold golden gold_label gold_standard truth ground_truth true_label
    final final_label final_code final_score consensus consensus_label adjudicated adjudication
    majority majority_vote majority_label resolved correct_answer reference_label true_class
    final_decision final_rating agreed_code agreed_label consensus_code consensus_rating gold_rating
    gold_code reconciled reconciled_code expert_consensus conclusion reference_standard
    Goldstandard Konsens Endurteil endgültig Musterlösung consenso estándar_de_oro vérité définitif
    consensus_final uitslag eindoordeel zgoda итог 결론 최종 정답 결정 结论 結論 最终 最終 決定 决定
    最終判定 正解 黄金标准 sonuç""")
)
_NUMBERED_NAME = re.compile(r"^(.*?)[\s_.\-#:]*([0-9]+|(?<=[\s_.\-#:])[A-Za-z])$")
_ITEM_STEMS = frozenset(("q", "i", "u", "v", "s", "t", "d", "p"))


def role_of(name: str, *, surely: bool = False) -> Role | None:
    """Say which part of a rating a column is called after: Worker_ID and _worker_id are 'rater'.

    >>> role_of("Kodierer"), role_of("subject_id"), role_of("rater1"), role_of("name")
    ('rater', 'item', None, None)
    """
    for prefix, role in _PREFIXES.items():
        if name.casefold().startswith(prefix):
            return role
    word = _own_word(name)
    return _SURE_ROLE.get(word) if surely else _role_of_word(word)


def _own_word(name: str) -> str:
    word = fold(name.rpartition(":")[2])
    shorter = [word[: -len(end)] for end in _NAMES_OF if word.endswith(end)]
    # An annotation id numbers the rating; it is not the label.
    words = [word, *(one for one in shorter if one != "annotation")]
    sure = next((one for one in words if one in _SURE_ROLE), None)
    return sure or next(filter(_role_of_word, words), word)


def _role_of_word(word: str) -> Role | None:
    if word in _SURE_ROLE or word in WEAK:
        return _SURE_ROLE.get(word)
    found = [role for role in _SUREST if word in WORDS[role]]
    return found[0] if len(found) == 1 else None


def called(names: Iterable[str], role: Role) -> list[str]:
    """Return the names that are called after a role; less sure ones only where no other is."""
    found = [name for name in names if role_of(name) == role]
    return [name for name in found if role_of(name, surely=True)] or found


def singular(name: str) -> str:
    """Return a name without the s of several: `labels` holds a list of labels."""
    return name.strip().removesuffix("s")


def item_rank(name: str) -> int:
    """Rank the names of items: the smaller, the surer that it is what was rated."""
    words = _SUREST["item"]
    return words.index(word) if (word := _own_word(name)) in words else len(words)


def is_settled(name: str) -> bool:
    """Tell whether a column is called like the answers that were settled on after the rating."""
    return fold(name) in _SETTLED


def is_derived(name: str) -> bool:
    """Tell whether a column or row is called like something computed from ratings."""
    word = fold(name)
    return word in WORDS["derived"] | WORDS["total"] and word not in _SETTLED


def numbered_roles(names: Sequence[str]) -> dict[Role, list[int]]:
    """Find columns such as rater1, rater2 or coder_A, coder_B, or Q1, Q2, by role."""
    stems: dict[int, str] = {}
    for j, name in enumerate(names):
        match = _NUMBERED_NAME.match(name.strip()) if len(name) <= LONGEST_NAME else None
        if match and match[1]:
            stems[j] = re.sub(r"\d", "", fold(match[1]))
    counted = Counter(stems.values())
    found: dict[Role, list[int]] = {}
    for j, stem in stems.items():
        role = "item" if stem in _ITEM_STEMS else _role_of_word(stem)
        if role == "label":  # score1, score2: one column per rater; class1, class2: counts
            role = None if stem in ("category", "class") else "rater"
        if role and counted[stem] > 1:
            found.setdefault(role, []).append(j)
    return found
