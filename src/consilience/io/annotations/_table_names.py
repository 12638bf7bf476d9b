"""Names of columns in tables of units, in several languages: roles, and units of time."""

from __future__ import annotations

import re
import unicodedata

_FOLD = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "ı": "i", "đ": "d", "æ": "ae", "œ": "oe"})


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


UNITS = {
    "ms": _set("ms msec msecs millis millisecond milliseconds millisekunden milisegundos "
               "millisecondes millisecondi"),
    "s": _set("s sec secs second seconds sek sekunde sekunden seg segundo segundos seconde "
              "secondes secondi sekund"),
    "min": _set("min mins minute minutes minuten minuto minutos minuti"),
    "frame": _set("frame frames frm bild bilder einzelbild cuadro cuadros fotograma fotogramas "
                  "trame trames fotogrammi quadro quadros"),
    "character": _set("char chars character characters zeichen"),
    "token": _set("token tokens word words wort"),
}  # fmt: skip
_START = _set(
    "start starts begin begins beginning onset onsets from tmin xmin t0 anfang beginn startzeit "
    "anfangszeit beginnzeit von ab debut inicio comienzo inizio comeco desde poczatek van "
    "begintijd starttid borjan alku baslangic начало 开始 開始 시작"
)
_END = _set(
    "end ends stop stops offset offsets to tmax xmax ende endzeit bis fin fine fim hasta final "
    "termino koniec einde tot eindtijd slut sluttid loppu bitis until finish конец 结束 終了 끝"
)
_DURATION = _set("duration dur length dauer lange laenge duree duracion durata duracao duur czas")
_FILLER = _set(
    "time times timestamp zeit tiempo temps tempo tijd position pos index idx offset unit in of "
    "the segment event annotation interval span video audio media abs rel"
)
_GLUED = (
    "timestamp", "time", "offset", "index", "pos",
    *sorted((word for known in UNITS.values() for word in known if len(word) > 1), key=len,
            reverse=True),
)  # fmt: skip

LABEL = ("label", "category", "code", "annotation", "tag", "class", "type", "behavior",
         "behaviour", "value", "kategorie", "etikett", "etiqueta", "etiquette", "categoria",
         "categorie", "codigo", "codice", "kode", "verhalten", "comportamiento", "comportement",
         "comportamento", "gedrag", "beteende", "event", "klasse", "clase", "classe", "метка",
         "标签", "ラベル")  # fmt: skip
RATER = ("rater", "annotator", "coder", "user", "observer", "judge", "worker", "labeler",
         "labeller", "scorer", "reader", "who", "wer", "qui", "quien", "chi",
         "quem", "kodierer", "kodiererin", "beurteiler", "beobachter",
         "annotateur", "codeur", "juge", "observateur", "anotador", "codificador", "juez",
         "observador", "evaluador", "avaliador", "annotatore", "codificatore", "osservatore",
         "valutatore", "beoordelaar", "codeerder", "bedommare", "kodare", "koder", "ocenjevalec",
         "oceniajacy", "arvioija", "кодировщик", "разметчик", "标注者", "評価者")  # fmt: skip
SESSION = ("session", "document", "doc", "recording", "film", "movie", "video", "clip", "tape",
           "file", "filename", "media", "dyad", "interview", "conversation", "dialogue", "dialog",
           "episode", "item", "text_id", "observation", "sitzung", "aufnahme", "dokument", "datei",
           "gesprach", "dyade", "band", "enregistrement", "seance", "fichier", "entretien",
           "sesion", "grabacion", "documento", "archivo", "pelicula", "entrevista", "registrazione",
           "filmato", "sessione", "gravacao", "sessao", "arquivo", "filme", "opname", "sessie",
           "bestand", "gesprek", "inspelning", "nagranie", "sesja", "plik", "nauhoite", "kayit",
           "запись", "видео", "файл", "сессия", "视频", "录音", "動画", "영상")  # fmt: skip
TIER = ("tier", "layer", "track", "ebene", "spur", "piste", "capa", "nivel")
SPAN = ("span", "spanid")
# A word that names something together with one of the words above.
_OF_NAME = _set("id ids name names title nr no num number path key titel titre titulo nombre nom "
                "uid kennung nummer")  # fmt: skip
# What is marked rather than judged, or says nothing of raters, labels and sessions.
BESIDE = _set(
    "text texts comment comments note notes remark remarks words covered transcript utterance id "
    "index idx nr no number row confidence conf certainty score probability date timestamp created "
    "updated url path kommentar notiz commentaire comentario nota"
)


def words(name: str) -> list[str]:
    """Cut a name into its words, in small letters without accents.

    >>> words("startFrame"), words("Début (s)"), words("movie_title")
    (['start', 'frame'], ['debut', 's'], ['movie', 'title'])
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    plain = unicodedata.normalize("NFKD", spaced.casefold().translate(_FOLD))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return re.findall(r"[^\W_]+", plain)


def time_role(name: str) -> tuple[str, str | None] | None:
    """Return the role of a column of times and its unit, or None.

    >>> time_role("start_frame"), time_role("onset_ms"), time_role("Ende (s)"), time_role("film")
    (('start', 'frame'), ('start', 'ms'), ('end', 's'), None)
    """
    found = [part for word in words(name) for part in _unglued(word)]
    unit = next((u for u, known in UNITS.items() if known & set(found)), None)
    rest = [word for word in found if not any(word in known for known in UNITS.values())]
    roles = {
        role
        for role, known in (("start", _START), ("end", _END), ("duration", _DURATION))
        if known & set(rest) - {"offset", "offsets"}
    }
    if not roles and {"offset", "offsets"} & set(rest):
        roles = {"end"}
    if len(roles) != 1:
        return None
    role = roles.pop()
    known = {"start": _START, "end": _END, "duration": _DURATION}[role]
    if any(word not in known and word not in _FILLER for word in rest):
        return None
    return role, unit


def _unglued(word: str) -> list[str]:
    """Cut startms, onsettime and endoffset, as some programs write them."""
    every = _START | _END | _DURATION
    for tail in _GLUED:
        head = word.removesuffix(tail)
        if head != word and head in every:
            return [head, tail]
    return [word]


def named_like(name: str, known: tuple[str, ...], *, ids: bool = True) -> int | None:
    """Return how well a name fits a list of words, 0 best; None if it does not.

    `ids`: the number of a thing stands for the thing, as for films, not as for labels.

    >>> named_like("movie_title", SESSION) is not None, named_like("text", SESSION)
    (True, None)
    """
    found = words(name)
    joined = "".join(found)
    for place, word in enumerate(known):
        if joined == word.replace("_", "") or name.casefold() == word:
            return place
    core = [word for word in found if word not in _OF_NAME and not word.isdigit()]
    if not core or (not ids and len(core) < len(found)):
        return None
    if len(core) == 1:
        single = core[0]
        for tail in ("id", "name", "nr"):
            short = single.removesuffix(tail)
            single = short if short != single and short in known else single
        if single in known:
            return known.index(single) + len(known)
    if len(core) == 2 and all(word in known for word in core):  # video file
        return known.index(core[0]) + 2 * len(known)
    return None
