"""Google Forms and Microsoft Forms: a row is a respondent, a column is a question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from consilience.io._annotations import REPLACED, Annotations
from consilience.io._excel import table_on
from consilience.io._guarded import refused
from consilience.io._names import role_of
from consilience.io._source import Member, Source
from consilience.io._workbook import sheets_of
from consilience.io.exports._answers import column_of, parts_of, several_in_cells
from consilience.io.exports._base import ExportOptions, Sample, export
from consilience.io.exports._parts import looked_at, warn_of_mails

_TIMES = ("Timestamp", "Completion time")
_RESPONDENTS = ("Email Address", "Username", "Email", "Name", "ID")
_ABOUT = frozenset((*_TIMES, *_RESPONDENTS, "Start time", "Last modified time", "Score", "Language",
                    "Total points", "Quiz feedback", "Grade posted time"))  # fmt: skip
_OF_A_QUIZ = ("Points - ", "Feedback - ")
_GRID = re.compile(r"^(.*\S)\s*\[(.+)\]$", re.DOTALL)
_HOLDS_TEXTS = re.compile(r"sharedStrings\.xml$|worksheets/sheet1\.xml$")
_WHEN = re.compile(r"\d{1,4}[/.\-]\d{1,2}[/.\-]\d{1,4},? \d{1,2}:\d\d")
_LARGEST_MARK = 10  # a linear scale ends here


@dataclass
class _Responses:
    """All rows of all files under their columns."""

    columns: dict[str, None] = field(default_factory=dict)
    rows: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def cells(self, column: str) -> list[str]:
        return [cell for _, row in self.rows if (cell := row.get(column, ""))]


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
            rows = one.rows()
            evidence = _fits(one.columns(), [row.get("Timestamp", "") for row in rows])
            if evidence:
                return evidence
        return None

    def read(self, source: Source, options: ExportOptions) -> Annotations:
        """Read every response; of two by one person the later counts."""
        responses = _responses(source, options)
        found = Annotations()
        if not responses.rows:
            return found
        raters = _raters(responses, options, found)
        last = {rater: k for k, rater in enumerate(raters)}
        questions = _questions(responses, options, found, source.where)
        separators = _separators(responses, questions, found)
        for k, (_, row) in enumerate(responses.rows):
            when = next((row[name] for name in _TIMES if row.get(name)), None)
            for column, (item, variable) in questions.items():
                if column in row:
                    found.add(
                        item, raters[k], _label(row[column], separators.get(variable)),
                        variable=variable, reason="" if last[raters[k]] == k else REPLACED,
                        time=when,
                    )  # fmt: skip
        if len(last) < len(raters):
            found.note(
                "newest_kept",
                f"{len(raters) - len(last):,} earlier responses were left out, because the same "
                "person responded again.",
            )
        _propose(found)
        warn_of_mails(found)
        return found


def _fits(columns: Sequence[str], times: Sequence[str]) -> str | None:
    if {"Start time", "Completion time"} <= set(columns[:8]):
        return "the columns 'Start time' and 'Completion time' stand before the questions"
    roles = {role_of(name) for name in columns[1:] if name not in _ABOUT}
    is_long = "item" in roles and roles & {"rater", "label"}
    if columns[:1] != ("Timestamp",) or len(columns) < 3 or is_long:
        return None
    if times and all(_WHEN.match(cell) for cell in times if cell):
        return "the first column is 'Timestamp', and each row is one response"
    return None


# -------------------------------------------------------------------- files


def _recognise_workbook(sample: Sample) -> str | None:
    holders = [name for name in sample.members() if _HOLDS_TEXTS.search(name)][:4]
    texts = b"".join(sample.member(name).head for name in holders)
    if b"Completion time" not in texts and b"Timestamp" not in texts:
        return None  # cheap to see; only otherwise is it worth taking the sheets apart
    try:
        tables = list(_sheets(sample.first)) if sample.first is not None else []
    except ValueError:
        return None
    for columns, rows in tables:
        evidence = _fits(tuple(columns), [row.get("Timestamp", "") for _, row in rows])
        if evidence:
            return evidence
    return None


Rows = list[tuple[str, dict[str, str]]]


def _sheets(file: Member) -> Iterator[tuple[list[str], Rows]]:
    for sheet in sheets_of(file):
        block = None if sheet.hidden else table_on(sheet, file.where)
        if block is not None:
            names = _different(block.names)
            yield (
                names,
                [
                    (f"{file.where}, row {number:,}", dict(zip(names, row, strict=True)))
                    for number, row in block.rows
                ],
            )


def _different(names: Sequence[str]) -> list[str]:
    """Number the questions that are worded alike."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return out


def _responses(source: Source, options: ExportOptions) -> _Responses:
    found = _Responses()
    for file in source.files:
        inside = file.members()
        if any(member.name.endswith("workbook.xml") for member in inside):
            tables = list(_sheets(file))[:1]
        else:
            members = [one for one in inside if one.suffix == ".csv"] or inside or (file,)
            tables = [_text_table(member, options) for member in members]
        for columns, rows in tables:
            found.columns.update(dict.fromkeys(columns))
            found.rows += rows
    return found


def _text_table(member: Member, options: ExportOptions) -> tuple[list[str], Rows]:
    table = member.table(delimiter=options.delimiter, encoding=options.encoding)
    names = _different(table.columns)
    return names, [
        (f"{table.where}, line {line:,}",
         dict(zip(names, (cell.strip() for cell in row), strict=True)))
        for line, row in table.rows
    ]  # fmt: skip


# -------------------------------------------------------------------- raters and items


def _raters(responses: _Responses, options: ExportOptions, found: Annotations) -> list[str]:
    """Return who gave each response: by a column that tells people apart, else by number."""
    rows = [row for _, row in responses.rows]
    if options.rater is not None:
        column = column_of(tuple(responses.columns), options.rater, "rater", responses.rows[0][0])
        return [row.get(column, "") for row in rows]
    for column in _RESPONDENTS:
        cells = [row.get(column, "") for row in rows]
        if all(cells) and (len(set(cells)) > 1 or len(cells) == 1):
            found.evidence.append(f"the rater is the column {column!r} (--rater)")
            return cells
    found.evidence.append("no column names the respondents, so they are numbered (--rater)")
    return [f"respondent {k}" for k in range(1, len(rows) + 1)]


def _questions(
    responses: _Responses, options: ExportOptions, found: Annotations, where: str
) -> dict[str, tuple[str, str]]:
    """Return for each column of answers its item and its variable.

    The row of a grid is an item and its question the variable; with item="question" it is the
    other way round.
    """
    names = tuple(responses.columns)
    if options.label:
        wanted = [column_of(names, name, "label", where) for name in options.label]
    else:
        wanted = [name for name in names if name not in _ABOUT and name != options.rater
                  and name.strip() and not name.startswith(_OF_A_QUIZ)]  # fmt: skip
    if options.item not in (None, "row", "question"):
        raise refused(
            where, "item", "'row' or 'question' in a form, for the rows of its grids",
            repr(options.item), "leave it out: each question is an item",
        )  # fmt: skip
    grids = {name: match for name in wanted if (match := _GRID.match(name))}
    plain = [name for name in wanted if name not in grids]
    questions: dict[str, tuple[str, str]] = {}
    for name, match in grids.items():
        question, row = match[1], match[2]
        questions[name] = (question, row) if options.item == "question" else (row, question)
    if grids:
        found.evidence.append('rows of grids are the items, their questions the variables '
                              '(the other way round: --item question)')  # fmt: skip
    groups = [plain] if options.label else _alike(responses, plain, found, bool(grids))
    for number, group in enumerate(groups, 1):
        variable = "label" if len(groups) == 1 else f"label {number}"
        questions.update({name: (name, variable) for name in group})
    return questions


def _alike(
    responses: _Responses, columns: Sequence[str], found: Annotations, has_grids: bool
) -> list[list[str]]:
    """Put questions together that share answers; leave out those that share with none."""
    group_of = {name: name for name in columns}

    def root(name: str) -> str:
        while group_of[name] != name:
            name = group_of[name]
        return name

    holder: dict[str, str] = {}
    for name in columns:
        cells = responses.cells(name)
        values = {part for cell in cells for part in re.split(r", |;", cell) if part}
        if cells and all(_is_mark(cell) for cell in cells):
            values = {"(a linear scale)"}
        for value in values:
            group_of[root(name)] = root(holder.setdefault(value, name))
    groups: dict[str, list[str]] = {}
    for name in columns:
        groups.setdefault(root(name), []).append(name)
    together = [group for group in groups.values() if len(group) > 1]
    alone = [group[0] for group in groups.values() if len(group) == 1]
    if not together and not has_grids:
        return [list(columns)] if columns else []
    if alone:
        listed = ", ".join(map(repr, alone[:4])) + (" and more" if len(alone) > 4 else "")
        found.note(
            "questions_left_out",
            f"{len(alone):,} questions share no answer with any other and were left out: {listed}. "
            "Name the questions to compare with label= (--label).",
        )
    return together


def _is_mark(cell: str) -> bool:
    return cell.isascii() and cell.isdigit() and int(cell[:4]) <= _LARGEST_MARK


# -------------------------------------------------------------------- answers


def _separators(
    responses: _Responses, questions: dict[str, tuple[str, str]], found: Annotations
) -> dict[str, str]:
    """Find the variables that hold several choices in a cell, and what stands between them."""
    cells: dict[str, list[str]] = {}
    for column, (_, variable) in questions.items():
        cells.setdefault(variable, []).extend(responses.cells(column))
    separators: dict[str, str] = {}
    for variable, given in cells.items():
        if any(cell.endswith(";") for cell in given) or several_in_cells(given, ";"):
            separators[variable] = ";"
        elif several_in_cells(given, ", "):
            separators[variable] = ", "
        if variable in separators:
            found.note(
                "joined_choices",
                f"Answers to {variable!r} were cut at {separators[variable]!r} into several "
                "choices. An option that holds this sign itself is cut, too.",
            )
        elif any(", " in cell for cell in given):
            found.note(
                "commas_in_answers",
                f"Answers to {variable!r} hold commas and were each taken as one choice.",
            )
    return separators


def _label(cell: str, separator: str | None) -> object:
    if separator is None:
        return cell
    return frozenset(parts_of(cell, separator)) or None


def _propose(found: Annotations) -> None:
    """Suggest an ordinal scale where all answers are the whole numbers of a linear scale."""
    labels: dict[str, set[object]] = {}
    for variable, label in zip(found.variable, found.label, strict=True):
        if label is not None:
            labels.setdefault(variable, set()).add(label)
    for variable, given in labels.items():
        if len(given) > 2 and all(isinstance(one, str) and _is_mark(one) for one in given):
            found.scales[variable] = "ordinal"
