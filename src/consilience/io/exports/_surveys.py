"""Qualtrics, SurveyMonkey and LimeSurvey; Google Forms and Microsoft Forms in whatever language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from consilience.io.exports._records_and_cells import MAIL
from consilience.io.exports._respondents import (
    BETWEEN,
    GRID,
    Responses,
    Rows,
    answers_of,
    heads_of,
    plain_sheets,
    tables_of,
    titled_sheets,
)
from consilience.io.exports.export_entries import Annotations
from consilience.io.exports.registry import FORM_STAMPS, FORM_STARTS, ExportOptions, Sample, export
from consilience.io.files.source import Source
from consilience.io.layout.lexicon import ABSENT_MARKS, SURE_MARKS, role_of, roles_of
from consilience.io.layout.likeness import is_someone
from consilience.io.layout.recognise import is_table_of_ratings

# ---- Qualtrics, SurveyMonkey, LimeSurvey

_SUFFIXES = (".csv", ".tsv", ".xlsx")
_NO = frozenset(("false", "0", "no", "falsch", "faux", "falso"))

# ---- Qualtrics

_QUALTRICS = frozenset((
    "StartDate", "EndDate", "Status", "IPAddress", "Progress", "Duration (in seconds)", "Finished",
    "RecordedDate", "ResponseId", "ResponseID", "ResponseSet", "RecipientLastName",
    "RecipientFirstName", "RecipientEmail", "ExternalReference", "ExternalDataReference",
    "LocationLatitude", "LocationLongitude", "LocationAccuracy", "DistributionChannel",
    "UserLanguage", "Name", "EmailAddress",
))  # fmt: skip
_ASIDE = re.compile(r"^Q_|_TEXT$|_DO(?:_.*)?$|_(?:First Click|Last Click|Page Submit|Click Count)$")
_PREVIEW = {"survey preview": "preview", "1": "preview", "spam": "spam", "8": "spam"}
_LOOP = re.compile(r"^(\d+)_(.+)$")
_ROW = re.compile(r"^(.+)_(\d+)$")
_IMPORT = re.compile(r"""^\{\s*['"]ImportId['"]""")


@export("qualtrics", title="Qualtrics (CSV, Excel)", suffixes=_SUFFIXES, experimental=True)
class Qualtrics:
    """Each question or row of a matrix is an item; loops are items; previews are excluded."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for Qualtrics' own columns, or the line of import ids below the names."""
        for names, rows in heads_of(sample, ("ResponseI", "ImportId"), plain_sheets):
            columns = set(names)
            if any(_IMPORT.match(cell) for row in rows[:2] for cell in row.values()):
                return "a line of import ids stands below the names"
            ids = columns & {"ResponseId", "ResponseID"}
            if ids and {"StartDate", "EndDate", "Finished"} <= columns:
                return f"the columns {next(iter(ids))}, StartDate, EndDate and Finished"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every response below the lines that name the questions."""
        responses = Responses(
            times=("RecordedDate", "EndDate"),
            separators=(",",),
            respondents=("ExternalReference", "RecipientEmail", "ResponseId", "ResponseID"),
        )
        for columns, rows in tables_of(source, options, plain_sheets):
            texts, below = _words(rows)
            responses.texts |= {name: text for name, text in texts.items() if text}
            responses.take(columns, below)
        columns = list(responses.columns)
        responses.about = {name for name in columns if name in _QUALTRICS or _ASIDE.search(name)}
        responses.reasons = [_why_not(row) for _, row in responses.rows]
        _loops(responses)
        if not responses.grids:
            _matrices(responses)
        return answers_of(responses, options, source.where)


def _words(rows: Rows) -> tuple[dict[str, str], Rows]:
    """Take off the lines below the names: the words of the questions, and the import ids."""
    texts: dict[str, str] = {}
    for k, (_, row) in enumerate(rows[:2]):
        if any(_IMPORT.match(cell) for cell in row.values()):
            return texts, rows[k + 1 :]
        start = row.get("StartDate", "")
        if k == 0 and not re.match(r"\d", start):
            texts = row
    return texts, rows[1:] if texts else rows


def _why_not(row: Mapping[str, str]) -> str:
    told = _PREVIEW.get(row.get("Status", "").casefold())
    if told:
        return told
    return "not finished" if row.get("Finished", "").casefold() in _NO else ""


def _loops(responses: Responses) -> None:
    """Take the turns of a loop as items: 1_Q3 and 2_Q3 ask Q3 about two of them."""
    matches = {
        name: match
        for name in responses.columns
        if name not in responses.about and (match := _LOOP.match(name))
    }
    turns: dict[str, set[str]] = {}
    for match in matches.values():
        turns.setdefault(match[2], set()).add(match[1])
    for name, match in matches.items():
        if len(turns[match[2]]) > 1:
            responses.grids[name] = (match[1], match[2])


def _matrices(responses: Responses) -> None:
    """Find matrix questions: columns Q1_1, Q1_2 whose words begin alike and end in the row."""
    groups: dict[str, list[str]] = {}
    for name in responses.columns:
        match = _ROW.match(name)
        if match and name not in responses.about:
            groups.setdefault(match[1], []).append(name)
    for question, names in groups.items():
        rows = {name: responses.texts.get(name, "").rpartition(" - ")[2] for name in names}
        if len(names) < 2 or len(set(rows.values())) < len(rows):
            rows = {name: name for name in names}
        if len(names) > 1 and not _join_boxes(responses, question, rows):
            responses.grids |= {name: (row, question) for name, row in rows.items()}


def _join_boxes(responses: Responses, question: str, options: Mapping[str, str]) -> bool:
    """Put boxes together that stand in columns of their own, each filled with its own name."""
    filled = {name: set(responses.cells(name)) for name in options}
    used = [name for name in options if filled[name]]
    ticked = all(filled[name] in ({options[name]}, {"Y"}) for name in used)
    if not used or not ticked or len(options) < 2:
        return False
    for _, row in responses.rows:
        row[question] = BETWEEN.join(options[name] for name in options if row.get(name))
    responses.columns[question] = None
    responses.joined.add(question)
    responses.about.update(options)
    return True


# ---- SurveyMonkey

_MONKEY = frozenset((
    "Respondent ID", "RespondentID", "Collector ID", "CollectorID", "Start Date", "StartDate",
    "End Date", "EndDate", "IP Address", "Email Address", "First Name", "LastName", "FirstName",
    "Last Name", "Custom Data 1", "Custom Data", "CustomData", "date_created", "date_modified",
    "respondent_id", "collector_id", "ip_address", "email_address", "first_name", "last_name",
    "custom_1",
))  # fmt: skip
_MONKEY_PEOPLE = (
    "Email Address", "email_address", "Respondent ID", "RespondentID", "respondent_id",
)  # fmt: skip
_OPEN = frozenset(("response", "open-ended response", ""))


@export("surveymonkey", title="SurveyMonkey (CSV, Excel)", suffixes=_SUFFIXES, experimental=True)
class SurveyMonkey:
    """Questions stand in the first line, their rows or options in the second."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for the columns about respondents and collectors."""
        for columns, _ in heads_of(sample, ("ollector",), plain_sheets):
            names = {re.sub(r"[^a-z]", "", name.lower()) for name in columns[:4]}
            if {"respondentid", "collectorid"} <= names:
                return f"the columns {columns[0]!r} and {columns[1]!r}"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every response below the two lines of names."""
        responses = Responses(
            times=("End Date", "EndDate", "date_modified"), respondents=_MONKEY_PEOPLE
        )
        for columns, rows in tables_of(source, options, plain_sheets):
            responses.take(*_two_lines(columns, rows, responses))
        responses.about = {name for name in responses.columns if name in _MONKEY}
        groups: dict[str, dict[str, str]] = {}
        for name, (row, question) in responses.grids.items():
            groups.setdefault(question, {})[name] = row
        for question, boxes in groups.items():
            if _join_boxes(responses, question, boxes):
                responses.grids = {k: v for k, v in responses.grids.items() if k not in boxes}
        return answers_of(responses, options, source.where)


def _two_lines(columns: Sequence[str], rows: Rows, responses: Responses) -> tuple[list[str], Rows]:
    """Name each column by its question and its row; the first line names a question once."""
    second = rows[0][1] if rows else {}
    if not rows or second.get(columns[0]):
        return list(columns), rows  # one line only
    names, question = [], ""
    for name in columns:
        # numbered in place of an empty name: " (2)" and so on
        question = question if re.fullmatch(r"(?: \(\d+\))?", name) else name
        row = second.get(name, "").strip()
        plain = question in _MONKEY or row.casefold() in _OPEN
        names.append(question if plain else f"{question} [{row}]")
        if not plain:
            responses.grids[names[-1]] = (row, question)
    new = dict(zip(columns, names, strict=True))
    return names, [(place, {new[k]: cell for k, cell in row.items()}) for place, row in rows[1:]]


# ---- LimeSurvey

_LIME = frozenset((
    "id", "response id", "submitdate", "date submitted", "lastpage", "last page", "startlanguage",
    "start language", "seed", "token", "access code", "startdate", "date started", "datestamp",
    "date last action", "ipaddr", "ip address", "refurl", "referrer url", "interviewtime",
    "total time", "firstname", "lastname", "email", "first name", "last name", "email address",
))  # fmt: skip
_LIME_BEGINS = ({"submitdate", "date submitted"},
                {"lastpage", "last page", "startlanguage", "start language"})  # fmt: skip
_LIME_TIMES = ("grouptime", "questiontime", "question time", "group time")
_LIME_CODE = re.compile(r"^(\w+(?:\[\w+\])*)\. ")


@export("limesurvey", title="LimeSurvey (CSV, Excel)", suffixes=_SUFFIXES, experimental=True)
class LimeSurvey:
    """Sub-questions are the items; responses that were never submitted are excluded."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for the columns that begin every export."""
        for columns, _ in heads_of(sample, ("submitdate", "ate submitted"), plain_sheets):
            first = [_lime(name) for name in columns[:6]]
            begins = first[:1] in (["id"], ["response id"])
            if begins and all(set(first) & words for words in _LIME_BEGINS):
                return f"the columns begin with {', '.join(map(repr, columns[:3]))}"
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every response."""
        responses = Responses()
        for table in tables_of(source, options, plain_sheets):
            responses.take(*table)
        columns = list(responses.columns)
        words = {name: _lime(name) for name in columns}
        responses.about = {
            name for name, word in words.items() if word in _LIME or word.startswith(_LIME_TIMES)
        }
        called = {word: name for name, word in words.items()}
        done = called.get("submitdate") or called.get("date submitted")
        responses.times = (done,) if done else ()
        responses.respondents = tuple(
            called[name]
            for name in ("token", "access code", "email", "email address", "id", "response id")
            if name in called
        )
        responses.reasons = [
            "" if not done or row.get(done) else "not finished" for _, row in responses.rows
        ]
        _lime_grids(responses)
        return answers_of(responses, options, source.where)


def _lime(name: str) -> str:
    """Reduce a heading to its code or its words; an export may have both: "id. Response ID"."""
    match = _LIME_CODE.match(name)
    return (match[1] if match else name).strip().casefold()


def _lime_grids(responses: Responses) -> None:
    groups: dict[str, dict[str, str]] = {}
    for name in responses.columns:
        match = GRID.match(name) if name not in responses.about else None
        if match and not match[2].casefold().startswith(("other", "comment")):
            code = _LIME_CODE.match(name)
            question = code[1].partition("[")[0] if code else match[1]
            groups.setdefault(question, {})[name] = match[2]
    for question, rows in groups.items():
        if not _join_boxes(responses, question, rows):
            responses.grids |= {name: (row, question) for name, row in rows.items()}


# ---- Google Forms and Microsoft Forms

_ENDS = frozenset(("Completion time", "Fertigstellungszeit", "Heure de fin", "Hora de finalización",
                   "Hora de conclusão", "Ora di completamento", "Tijd van voltooien",
                   "Slutförandetid"))  # fmt: skip
_NAMES = ("Name", "Nom", "Nombre", "Nome", "Naam", "Namn")
_RESPONDENTS = ("Email Address", "Username", "Email", *_NAMES, "ID")
_ABOUT = frozenset((
    *FORM_STAMPS, *FORM_STARTS, *_ENDS, *_RESPONDENTS, "Last modified time", "Score", "Language",
    "Total points", "Quiz feedback", "Grade posted time",
))  # fmt: skip
_OF_A_QUIZ = ("Points - ", "Feedback - ")
_WHEN = re.compile(
    r"\d{1,4}\s?[/.\-]\s?\d{1,2}\s?[/.\-]\s?\d{1,4}\.?,?[ T]\s?(?:\S+ )?\d{1,2}[:.]\d\d"
)
_FEW_ABOUT = 6  # columns before the questions
_ACCOUNT = re.compile(r"(?=.*[^\W\d_])[\w.\-]{2,40}")


@export(
    "forms",
    title="Google Forms or Microsoft Forms",
    suffixes=(".csv", ".xlsx"),
    experimental=True,
    generic=True,
)
class Forms:
    """Questions are the items and respondents the raters, the other way round than usual."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for the columns that the services put before the questions."""
        words = ("@", *_ENDS, *FORM_STAMPS)
        heads = heads_of(sample, words, titled_sheets, None)
        return next(filter(None, (_fits(columns, rows) for columns, rows in heads)), None)

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every response."""
        responses = Responses()
        for table in tables_of(source, options, titled_sheets):
            responses.take(*table)
        columns = list(responses.columns)
        rows_only = [row for _, row in responses.rows]
        times = _with(columns, rows_only, _WHEN)
        mails = _with(columns, rows_only, MAIL)
        quiz = {name for name in columns if name.startswith(_OF_A_QUIZ)}
        called = [name for name in _called_like_people(columns, rows_only) if name not in times]
        responses.about = {*_ABOUT, *times, *mails, *called, *quiz}
        responses.times = tuple(reversed(times))  # the last one is when the answers came
        responses.respondents = (*mails, *_RESPONDENTS, *called)
        responses.grids = {
            name: (match[2], match[1]) for name in columns if (match := GRID.match(name))
        }
        marks = _without_marks(rows_only)
        found = answers_of(responses, options, source.where)
        found.evidence += [f"{mark!r} stands for no answer, in {n:,} cells" for mark, n in marks]
        return found


def _called_like_people(columns: Sequence[str], rows: Sequence[dict[str, str]]) -> list[str]:
    """Return those of the first columns that are called by who answers, another in each row."""
    found = []
    for name in columns[:_FEW_ABOUT]:
        cells = [row.get(name, "") for row in rows]
        roles = roles_of(name)
        called = roles & {"rater", "side"} and "text" not in roles  # an address is somebody's
        if called and all(map(_may_be_a_name, cells)) and len(set(cells)) == len(cells):
            found.append(name)
    return found


def _may_be_a_name(cell: str) -> bool:
    """Tell whether somebody may be called so: by a name, or by that of an account."""
    return is_someone(cell) or bool(_ACCOUNT.fullmatch(cell))


def _without_marks(rows: Sequence[dict[str, str]]) -> list[tuple[str, int]]:
    """Empty the cells that say that nothing was answered, such as n/a, and count them."""
    marks = SURE_MARKS - ABSENT_MARKS
    counted: Counter[str] = Counter()
    for row in rows:
        for name in [name for name, cell in row.items() if cell and cell.casefold() in marks]:
            counted[row[name]] += 1
            row[name] = ""
    return counted.most_common()


def _with(
    columns: Sequence[str], rows: Sequence[dict[str, str]], pattern: re.Pattern[str]
) -> list[str]:
    """Return those of the first columns in which every filled cell is of that form."""
    found = []
    for name in columns[:_FEW_ABOUT]:
        cells = [cell for row in rows if (cell := row.get(name, ""))]
        if cells and all(pattern.match(cell) for cell in cells):
            found.append(name)
    return found


def _fits(columns: Sequence[str], rows: Sequence[dict[str, str]]) -> str | None:
    before = set(columns[:8])
    if before & FORM_STARTS and before & _ENDS:
        start, end = next(iter(before & FORM_STARTS)), next(iter(before & _ENDS))
        return f"the columns {start!r} and {end!r} stand before the questions"
    roles = {role_of(name) for name in columns[1:] if name not in _ABOUT}
    is_long = "item" in roles and roles & {"rater", "label"}
    if len(columns) < 3 or is_long or not _with(columns[:1], rows, _WHEN):
        return None
    cells = [tuple(row.get(name) or None for name in columns[1:]) for row in rows]
    has_grids = any(map(GRID.match, columns))
    if not has_grids and is_table_of_ratings(columns[1:], cells):
        return None
    first = columns[0]
    if first in FORM_STAMPS:
        return f"the first column is {first!r}, and each row is one response"
    if columns[1] in _with(columns[1:2], rows, MAIL):
        return "a time and an e-mail address stand before the questions"
    return None
