"""Which column of a table of units is what: by name in several languages, or by content."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Ints
from consilience.core.cell_values import as_time, holds_time
from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.events.registry import Wishes, listed
from consilience.io.layout.lexicon import Role, fold, role_of
from consilience.io.table import Table

# ---- Names of columns in tables of units, in several languages: roles, and units of time.


def _ranked(words: str) -> tuple[str, ...]:
    """Fold words as names are, the surest first."""
    return tuple(fold(word) for word in words.split())


def _set(words: str) -> frozenset[str]:
    return frozenset(_ranked(words))


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

LABEL = _ranked(
    "label category code annotation tag class type behavior behaviour value kategorie etikett "
    "etiqueta etiquette categoria categorie codigo codice kode verhalten comportamiento "
    "comportement comportamento gedrag beteende event klasse clase classe метка 标签 ラベル"
)
RATER = _ranked(
    "rater annotator coder user observer judge worker labeler labeller scorer reader who chi"
)
SESSION = _ranked(
    "session document doc recording film movie video clip tape file filename media dyad interview "
    "conversation dialogue dialog episode item text_id observation sitzung aufnahme dokument datei "
    "gesprach dyade band enregistrement seance fichier entretien sesion grabacion documento "
    "archivo pelicula entrevista registrazione filmato sessione gravacao sessao arquivo filme "
    "opname sessie bestand gesprek inspelning nagranie sesja plik nauhoite kayit запись видео файл "
    "сессия 视频 录音 動画 영상"
)
TIER = _ranked("tier layer track ebene spur piste capa nivel")
SPAN = _ranked("span spanid")
# A word that names something together with one of the words above.
_OF_NAME = _set("id ids name names title nr no num number path key titel titre titulo nombre nom "
                "uid kennung nummer")  # fmt: skip
# What is marked rather than judged, or says nothing of raters, labels and sessions.
BESIDE = _set(
    "text texts comment comments note notes remark remarks words covered transcript utterance id "
    "index idx nr no number row confidence conf certainty score probability date timestamp created "
    "updated url path kommentar notiz commentaire comentario nota"
)


SENTENCES = _set("sentence sentences sent line paragraph para turn utterance utt clause verse "
                 "satz zeile phrase oracion frase zin mening")  # fmt: skip
_WHO_OR_WHAT = _set(
    "text texts txt transcript passage excerpt participant subject speaker child informant patient "
    "respondent picture part section act map source call speech"
)


def names_parts(name: str) -> bool:
    """Tell whether a name may also be that of what was marked, or of who was recorded."""
    return bool(set(words(name)) & (_WHO_OR_WHAT | BESIDE))


def called_after(name: str, role: Role) -> bool:
    """Tell whether a column that has no place in a table of units is called after a role."""
    found = words(name)
    core = _core(found)
    if role_of(" ".join(core)) != role or time_role(name) is not None:
        return False
    if role == "label" and core != found:
        return False  # an id of a label names no label, as one of a film names a film
    return not set(core) & {*LABEL, *RATER, *SESSION, *TIER, *SPAN, *BESIDE, *_START, *_END}


def words(name: str) -> list[str]:
    """Cut a name into its words, in small letters without accents.

    >>> words("startFrame"), words("Début (s)"), words("movie_title")
    (['start', 'frame'], ['debut', 's'], ['movie', 'title'])
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [fold(word) for word in re.findall(r"[^\W_]+", spaced)]


def _core(found: Sequence[str]) -> list[str]:
    """Leave out what names or numbers a thing."""
    return [word for word in found if word not in _OF_NAME and not word.isdigit()]


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
    if joined in known:
        return known.index(joined)
    core = _core(found)
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


# ---- Which column of a table of units is what: by name, or by content where there are no names.

_ORDER = ("ms", "s", "min", None, "frame", "character", "token")
_PLAIN = "start"


@dataclass
class Roles:
    """The place of each role, the unit of the times, and what each column could be."""

    at: dict[str, int]
    unit: str | None = None
    sessions: tuple[int, ...] = ()  # named like a session, best first
    labels: tuple[int, ...] = ()  # named like a label
    free: tuple[int, ...] = ()  # of no known name
    joined: tuple[int, ...] = ()  # the session in several columns
    told: list[str] = field(default_factory=list)


def is_unnamed(table: Table) -> bool:
    """Tell whether a table has no header."""
    return table.names == tuple(str(k + 1) for k in range(len(table.names)))


def roles_of(table: Table, wishes: Wishes) -> Roles:
    """Find the column of each role; what was wished for goes first."""
    wished = dict(wishes.columns)
    joined = _joined(table, wished)
    at = {role: table.position(name, option=role) for role, name in wished.items()}
    if wishes.label is not None and "label" not in at:
        at["label"] = table.position(wishes.label, option="label")
    roles = _by_content(table, at) if is_unnamed(table) else _by_name(table, at)
    roles.joined = joined
    _check_times(table, roles, wishes)
    return roles


def _joined(table: Table, wished: dict[str, str]) -> tuple[int, ...]:
    """Take a session in several columns, written A+B, out of the wishes."""
    name = wished.get("session", "")
    if not name or name in table.names or "+" not in name:
        return ()
    parts = [part.strip() for part in wished.pop("session").split("+")]
    return tuple(table.position(part, option="session") for part in parts)


def _by_name(table: Table, at: dict[str, int]) -> Roles:
    times = {j: found for j, name in enumerate(table.names) if (found := time_role(name))}
    unit = _take_times(table.names, times, at)
    taken = set(at.values())

    def like(known: tuple[str, ...], *, ids: bool = True) -> tuple[int, ...]:
        fits = {
            j: rank
            for j, name in enumerate(table.names)
            if j not in taken and (rank := named_like(name, known, ids=ids)) is not None
        }
        return tuple(sorted(fits, key=lambda j: (fits[j], j)))

    others = (j for j, name in enumerate(table.names) if called_after(name, "rater"))
    raters = like(RATER) or tuple(j for j in others if j not in taken)
    for role, fitting in (("rater", raters), ("tier", like(TIER)), ("span", like(SPAN))):
        if role not in at and fitting and fitting[0] not in taken:
            at[role] = fitting[0]
            taken.add(fitting[0])
    labels = like(LABEL, ids=False)
    if "label" not in at and labels:
        at["label"] = labels[0]
        taken.add(labels[0])
    sessions = () if "session" in at else like(SESSION)
    known = {*taken, *sessions, *times, *labels}
    free = tuple(
        j for j, name in enumerate(table.names) if j not in known and not set(words(name)) <= BESIDE
    )
    return Roles(at, unit, sessions, labels, free)


def _take_times(
    names: Sequence[str], times: dict[int, tuple[str, str | None]], at: dict[str, int]
) -> str | None:
    """Take start and end (or duration) of one unit; return the unit."""
    given = {role for role in ("start", "end", "duration") if role in at}
    by_unit: dict[str | None, dict[str, int]] = {}
    for j, (role, unit) in times.items():
        if j not in at.values():
            by_unit.setdefault(unit, {}).setdefault(role, j)
    offset = next(
        (j for j, name in enumerate(names) if words(name) in (["offset"], ["offsets"])), -1
    )
    plain = by_unit.get(None, {})
    if "start" not in plain and plain.get("end") == offset and "duration" in plain:
        plain["start"] = plain.pop("end")  # offset and length
    if given:
        units = {times[at[role]][1] for role in given if at[role] in times}
        unit = units.pop() if len(units) == 1 else None
        for role in ("start", "end", "duration"):
            if role not in at and role in by_unit.get(unit, plain):
                at[role] = by_unit.get(unit, plain)[role]
        if "end" in at:
            at.pop("duration", None) if "duration" not in given else None
        return unit
    whole = [u for u in _ORDER if {"start"} < set(by_unit.get(u, ()))]
    only = [u for u in _ORDER if "start" in by_unit.get(u, ())]
    for unit in (*whole, *only):
        for role, j in by_unit[unit].items():
            at[role] = j
        if "end" in at:
            at.pop("duration", None)
        elif unit is None and len(by_unit) > 1:  # start, end_ms: the unit is told once
            _add_other_unit(by_unit, at)
        return unit
    return None


def _add_other_unit(by_unit: dict[str | None, dict[str, int]], at: dict[str, int]) -> None:
    for found in by_unit.values():
        for role in ("end", "duration"):
            if role in found and not {"end", "duration"} & set(at):
                at[role] = found[role]


def _by_content(table: Table, at: dict[str, int]) -> Roles:
    """Understand columns without names: two columns of times that go up, then the texts."""
    rows = [[str(cell or "") for cell in row] for row in table.sample()]
    width = len(table.names)
    if width == 4 and not at and all(holds_time(row[2]) and holds_time(row[3]) for row in rows):
        return Roles({"rater": 0, "label": 1, "start": 2, "end": 3})  # the order of pygamma
    free = [j for j in range(width) if j not in at.values()]
    times = [j for j in free if all(holds_time(row[j]) for row in rows)]
    if "start" not in at:
        pairs = [
            (a, b)
            for a, b in pairwise(times)
            if b == a + 1
            and all((as_time(row[a]) or 0.0) <= (as_time(row[b]) or 0.0) for row in rows)
        ]
        if pairs and "end" not in at and "duration" not in at:
            at["start"], at["end"] = pairs[0]
        elif len(times) == 1:
            at["start"] = times[0]
    rest = [j for j in range(width) if j not in at.values()]
    texts = [j for j in rest if j not in times]
    if "label" not in at and len(texts or rest) == 1:
        at["label"] = (texts or rest)[0]
    elif "label" not in at and texts:
        raise InputError.expected(
            "the columns of a table without a header", "told apart by what is in them",
            Said(f"texts in the columns {', '.join(str(j + 1) for j in texts)}"),
            f"name them: columns={{'label': '{texts[-1] + 1}', 'rater': '{texts[0] + 1}'}}",
            where=table.where,
        )  # fmt: skip
    used = set(at.values())
    return Roles(at, None, free=tuple(j for j in range(width) if j not in used))


def _check_times(table: Table, roles: Roles, wishes: Wishes) -> None:
    at = roles.at
    if "start" not in at:
        raise InputError.expected(
            "a table of units",
            "one with a column for the start",
            Said(", ".join(table.names[:8])),
            "name it: columns={'start': …}",
            where=table.where,
        )
    if wishes.ends is not None and ("end" in at or "duration" in at):
        raise InputError.expected(
            "ends",
            "left out where a column says when an event ends",
            wishes.ends,
            "leave it out",
            where=table.where,
        )
    if "end" not in at and "duration" not in at and wishes.ends is None:
        raise InputError.expected(
            "a table of units",
            "one with a column for the end",
            Said(", ".join(table.names[:8])),
            "pass ends='next' if an event lasts until the rater's next one or if segments follow "
            "each other, ends='point' if it is a moment, or columns={'end': …}",
            where=table.where,
        )


# ---- Which column of a table names the recording; pooled recordings are never one in silence.

_FEWEST_CLASHES = 3


@dataclass(frozen=True)
class Rows:
    """What the rows of a table say: times, and the line of work each belongs to."""

    start: NDArray[np.float64]
    end: NDArray[np.float64]
    work: Ints  # rater, tier and label
    line: Ints  # rater and tier

    def clashes(self, *more: Ints) -> int:
        """Count units that begin before an equal one by the same rater ends."""
        keys = [self.end, self.start, *more, self.work]
        order = np.lexsort(keys)
        same = np.ones(max(len(order) - 1, 0), dtype=bool)
        for key in (*more, self.work):
            same &= key[order][1:] == key[order][:-1]
        before = self.start[order][1:] < self.end[order][:-1]
        return int(np.count_nonzero(same & before))

    def restarts(self, *more: Ints) -> int:
        """Count rows of one rater (and one value of a column) that go back in time."""
        order = self.by_line
        same = self.line[order][1:] == self.line[order][:-1]
        for key in more:
            same &= key[order][1:] == key[order][:-1]
        start = self.start[order]
        return int(np.count_nonzero(same & (start[1:] < start[:-1])))

    def start_again(self, column: Ints) -> bool:
        """Tell whether units overlap or go back in time, but never within a value of a column."""
        pooled = self.clashes() + self.restarts()
        return pooled > 0 and not self.clashes(column) and not self.restarts(column)

    @property
    def by_line(self) -> Ints:
        """The rows of each line of work in the order of the file."""
        return np.argsort(self.line, kind="stable")


def codes_of(texts: Sequence[str]) -> Ints:
    """Number the values of a column."""
    return np.unique(np.asarray(texts, dtype=object).astype(str), return_inverse=True)[1].ravel()


def told_apart(rows: Rows, column: Ints) -> bool:
    """Tell whether times start again, or overlap, from one value of a column to the next."""
    pooled = rows.clashes()
    if pooled >= _FEWEST_CLASHES and rows.clashes(column) * 20 <= pooled:
        return True
    again = rows.restarts()
    values, line = column[rows.by_line], rows.line[rows.by_line]
    turns = (values[1:] != values[:-1]) & (line[1:] == line[:-1])
    each = np.unique(np.stack([rows.line, column]), axis=1).shape[1] - len(np.unique(rows.line))
    in_runs = int(np.count_nonzero(turns)) == each > 0
    return in_runs and 2 * again >= each and rows.restarts(column) == 0


def choose_session(rows: Rows, named: Mapping[str, Ints], where: str) -> str | None:
    """Return the column that is the session, of those named like one; refuse two that differ."""
    found = {name: codes for name, codes in named.items() if codes.size and codes.max() > 0}
    if not found:
        return next(iter(named), None)
    (first, codes), *others = found.items()
    for second, other in others:
        joint = _joint(codes, other)
        sizes = [int(x.max()) + 1 for x in (codes, other, joint)]
        if sizes[0] == sizes[1] == sizes[2]:
            continue  # two names of one thing
        finer = sizes[2] in sizes[:2]
        clash = [rows.clashes(x) for x in (codes, other)]
        if finer and clash[sizes[:2].index(min(sizes[:2]))] > 0:
            if sizes[1] > sizes[0]:
                first, codes = second, other
            continue
        wishes = [f"session='column:{name}'" for name in (first, second, f"{first}+{second}")]
        raise InputError.expected(
            "the session", "one column", Said(f"{first!r} and {second!r}"),
            f"pass {wishes[0]}, {wishes[1]} or both as {wishes[2]}", where=where,
        )  # fmt: skip
    return first


def refuse_pooling(rows: Rows, others: Mapping[str, Ints], where: str) -> None:
    """Refuse a table without a session in which a column tells recordings or tiers apart."""
    for name, codes in others.items():
        if codes.size and 0 < codes.max() < len(codes) - 1 and told_apart(rows, codes):
            raise InputError.expected(
                "the session", "told by a column",
                Said(f"times that start again or overlap from one value of {name!r} to the next "
                     f"({int(codes.max()) + 1} values)"),
                f"pass session='column:{name}' if it names recordings, tier='column:{name}' if it "
                "names tiers of one, or session='one'", where=where,
            )  # fmt: skip


def refuse_no_label(candidates: Sequence[str], where: str) -> None:
    """Refuse a table in which several columns could be the label."""
    wishes = " or ".join(f"label={name!r}" for name in candidates[:4])
    raise InputError.expected(
        "the label", "one column", Said(listed(list(candidates))), f"pass {wishes}", where=where
    )


def _joint(one: Ints, other: Ints) -> Ints:
    table = np.stack([one, other])
    return np.unique(table, axis=1, return_inverse=True)[1].ravel()
