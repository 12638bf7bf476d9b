"""Google Forms and Microsoft Forms: recognised in whatever language the account is set to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from consilience.io.bytes._source import Source
from consilience.io.platforms._choices import MAIL, looked_at
from consilience.io.platforms._export_registry import ExportOptions, Sample, export
from consilience.io.platforms._export_signs import FORM_STAMPS, FORM_STARTS
from consilience.io.platforms.export_entries import Annotations
from consilience.io.platforms.surveys._respondents import (
    GRID,
    Responses,
    answers_of,
    sheets,
    tables_of,
)
from consilience.io.tables.recogniser.lexicon import ABSENT_MARKS, SURE_MARKS, roles_of
from consilience.io.tables.recogniser.likeness import is_someone
from consilience.io.tables.role_names import role_of

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
_HOLDS_TEXTS = re.compile(r"sharedStrings\.xml$|worksheets/sheet1\.xml$")
_WHEN = re.compile(
    r"\d{1,4}\s?[/.\-]\s?\d{1,2}\s?[/.\-]\s?\d{1,4}\.?,?[ T]\s?(?:\S+ )?\d{1,2}[:.]\d\d"
)
_FEW_ABOUT = 6  # columns before the questions
_ACCOUNT = re.compile(r"(?=.*[^\W\d_])[\w.\-]{2,40}")


@export(
    "forms", title="Google Forms or Microsoft Forms", suffixes=(".csv", ".xlsx"),
    experimental=True, generic=True,
)  # fmt: skip
class Forms:
    """Questions are the items and respondents the raters, the other way round than usual."""

    def recognise(self, sample: Sample) -> str | None:
        """Look for the columns that the services put before the questions."""
        if any(name.endswith("workbook.xml") for name in sample.members()):
            return _recognise_workbook(sample)
        for one in looked_at(sample, (".csv",)):
            evidence = _fits(one.columns(), one.rows())
            if evidence:
                return evidence
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every response."""
        responses = Responses()
        for columns, rows in tables_of(source, options):
            responses.columns.update(dict.fromkeys(columns))
            responses.rows += rows
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
    first = columns[0]
    if first in FORM_STAMPS:
        return f"the first column is {first!r}, and each row is one response"
    if columns[1] in _with(columns[1:2], rows, MAIL):
        return "a time and an e-mail address stand before the questions"
    return None


def _recognise_workbook(sample: Sample) -> str | None:
    holders = [name for name in sample.members() if _HOLDS_TEXTS.search(name)][:4]
    texts = b"".join(sample.member(name).head for name in holders)
    words = (word.encode() for word in (*_ENDS, *FORM_STAMPS))
    if b"@" not in texts and not any(word in texts for word in words):
        return None  # cheap to see; only otherwise is it worth taking the sheets apart
    try:
        tables = list(sheets(sample.first)) if sample.first is not None else []
    except ValueError:
        return None
    for columns, rows in tables:
        evidence = _fits(tuple(columns), [row for _, row in rows])
        if evidence:
            return evidence
    return None
