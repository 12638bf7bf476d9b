"""Forms and surveys: a row is a respondent, a column is a question, the transpose of the usual."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from consilience.core.cell_values import as_number
from consilience.exceptions import Option, Words
from consilience.io.exports._records_and_cells import (
    column_of,
    looked_at,
    parts_of,
    several_in_cells,
    warn_of_mails,
)
from consilience.io.exports.export_entries import REPLACED, Annotations
from consilience.io.exports.registry import ExportOptions, Sample
from consilience.io.files.limits import MOST_COLUMNS, refused
from consilience.io.files.source import Member, Source
from consilience.io.grids._sheet_tables import table_on
from consilience.io.grids.workbooks import sheets_of
from consilience.io.layout.lexicon import roles_of
from consilience.io.layout.table_sample import likeliest_label

Rows = list[tuple[str, dict[str, str]]]
Table = tuple[list[str], Rows]
Sheets = Callable[[Member], Iterator[Table]]
_TEXTS = (".csv", ".tsv")
_HOLDS_TEXTS = re.compile(r"sharedStrings\.xml$|worksheets/sheet1\.xml$")
BETWEEN = "\x1f"  # stands between choices that were found in columns of their own
GRID = re.compile(r"^(.*\S)\s*\[(.+)\]$", re.DOTALL)
_NUMBER = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_LONGEST_CODE = 8
_LARGEST_MARK = 10  # a linear scale ends here
_COUNT = re.compile(r"\s*(?:Q\s*)?\d+\s*[.):]\s*")
_MOSTLY = 0.7  # questions of a list that have answers in common
_LONGEST_ANSWER = 3  # words


@dataclass
class Responses:
    """All rows of all files under their columns, and what the service tells about them.

    Attributes
    ----------
    about : set of str
        Columns that are no questions.
    times, respondents : tuple of str
        Columns that tell when and who; the surest come first.
    separators : tuple of str
        What may stand between several choices in a cell.
    grids : dict
        Column to (row, question), where a question has several rows.
    texts : dict
        Column to the words of the question, where the column is called by a code.
    joined : set of str
        Columns whose choices were put together from columns of their own.
    reasons : list of str
        For each row why it does not count, or nothing.
    """

    columns: dict[str, None] = field(default_factory=dict)
    rows: Rows = field(default_factory=list)
    about: set[str] = field(default_factory=set)
    times: tuple[str, ...] = ()
    respondents: tuple[str, ...] = ()
    separators: tuple[str, ...] = (";", ", ")
    grids: dict[str, tuple[str, str]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    joined: set[str] = field(default_factory=set)
    reasons: list[str] = field(default_factory=list)

    def take(self, columns: Iterable[str], rows: Rows) -> None:
        """Take in the columns and rows of one more file."""
        self.columns.update(dict.fromkeys(columns))
        self.rows += rows

    def cells(self, column: str) -> list[str]:
        """Return the answers to a question, empty ones left out."""
        return [cell for _, row in self.rows if (cell := row.get(column, ""))]


def answers_of(responses: Responses, options: ExportOptions, where: str) -> Annotations:
    """Return every answer; of two responses by one person the later counts."""
    found = Annotations()
    if not responses.rows:
        return found
    reasons = responses.reasons or [""] * len(responses.rows)
    raters = _raters(responses, options, found)
    last = {rater: k for k, rater in enumerate(raters) if not reasons[k]}
    questions = _questions(responses, options, found, where)
    separators = _separators(responses, questions, found)
    earlier = [k for k, rater in enumerate(raters) if not reasons[k] and last[rater] != k]
    if 2 * len(earlier) > len(raters):
        _refuse_items_in_rows(responses, raters, list(questions), found.roles, where)
    for k in earlier:
        reasons[k] = REPLACED
    for k, (place, row) in enumerate(responses.rows):
        when = next((row[name] for name in responses.times if row.get(name)), None)
        for column, (item, variable) in questions.items():
            if column in row:
                found.add(
                    item,
                    raters[k],
                    _label(row[column], separators.get(variable)),
                    variable=variable,
                    reason=reasons[k],
                    time=when,
                    text=responses.texts.get(column),
                    place=place,
                )
    if earlier:
        found.note(
            "newest_kept",
            f"{len(earlier):,} earlier responses were left out, because the same person "
            "responded again.",
        )
    _propose(found)
    warn_of_mails(found)
    return found


# ---- files


def tables_of(source: Source, options: ExportOptions, sheets: Sheets) -> Iterator[Table]:
    """Yield the columns and the rows of every file: text, a workbook, or inside an archive.

    Of a workbook they are those of the first of its `sheets`.
    """
    for file in source.files:
        inside = file.members()
        if _is_workbook([member.name for member in inside]):
            yield from list(sheets(file))[:1]
            continue
        for member in [one for one in inside if one.suffix in _TEXTS] or inside or (file,):
            table = member.table(delimiter=options.delimiter, encoding=options.encoding)
            rows = [(line, [cell.strip() for cell in row]) for line, row in table.rows]
            yield _table(table.columns, rows, f"{table.where}, line")


def heads_of(
    sample: Sample, words: Sequence[str], sheets: Sheets, most: int | None = 1
) -> Iterator[tuple[tuple[str, ...], list[dict[str, str]]]]:
    """Yield names and rows of the beginning of a text, or of `most` sheets of a workbook.

    A workbook in which none of the words stands is not taken apart.
    """
    if not _is_workbook(sample.members()):
        for one in looked_at(sample, _TEXTS):
            yield one.columns(), one.rows()
        return
    holders = [name for name in sample.members() if _HOLDS_TEXTS.search(name)][:4]
    texts = b"".join(sample.member(name).head for name in holders)
    if sample.first is None or not any(word.encode() in texts for word in words):
        return
    try:
        tables = list(sheets(sample.first))[:most]
    except ValueError:
        return
    for columns, rows in tables:
        yield tuple(columns), [row for _, row in rows]


def _is_workbook(members: Sequence[str]) -> bool:
    return any(name.endswith("workbook.xml") for name in members)


def titled_sheets(file: Member) -> Iterator[Table]:
    """Yield the table of every sheet that is not hidden, wherever it stands there."""
    for sheet in sheets_of(file):
        block = None if sheet.hidden else table_on(sheet, file.where)
        if block is not None:
            yield _table(block.names, block.rows, f"{file.where}, row")


def plain_sheets(file: Member) -> Iterator[Table]:
    """Yield every sheet that is not hidden: names in its first line, all else below as it is.

    Services write two or three lines of names, which must not be taken for titles or joined.
    """
    for sheet in sheets_of(file):
        numbers = sorted(number for number, cells in sheet.rows.items() if any(cells.values()))
        if sheet.hidden or len(numbers) < 2:
            continue
        columns = range(1, max(max(sheet.rows[number]) for number in numbers) + 1)
        if len(columns) <= MOST_COLUMNS:
            lines = [[sheet.rows[n].get(c, "").strip() for c in columns] for n in numbers]
            rows = list(zip(numbers, lines, strict=True))[1:]
            yield _table(lines[0], rows, f"{file.where}, row")


def _table(names: Sequence[str], rows: Iterable[tuple[int, Sequence[str]]], where: str) -> Table:
    """Return names and rows by name with their places; questions worded alike are numbered."""
    seen: dict[str, int] = {}
    different = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        different.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return different, [
        (f"{where} {number:,}", dict(zip(different, row, strict=True))) for number, row in rows
    ]


# ---- raters and items


def _raters(responses: Responses, options: ExportOptions, found: Annotations) -> list[str]:
    """Return who gave each response: by a column that tells people apart, else by number."""
    rows = [row for _, row in responses.rows]
    found.roles["item"] = "question"
    if options.rater is not None:
        column = column_of(tuple(responses.columns), options.rater, "rater", responses.rows[0][0])
        return [row.get(column, "") for row in rows]
    for column in responses.respondents:
        cells = [row.get(column, "") for row in rows]
        if all(cells) and (len(set(cells)) > 1 or len(cells) == 1):
            found.roles["rater"] = column
            return cells
    found.roles["rater"] = "number of the response"
    found.evidence.append("no column names the respondents, so they are numbered (--rater)")
    return [f"respondent {k}" for k in range(1, len(rows) + 1)]


def _refuse_items_in_rows(
    responses: Responses,
    raters: Sequence[str],
    questions: Sequence[str],
    roles: Mapping[str, str],
    where: str,
) -> None:
    """Refuse a form that people filled in once for each item: its rows are no raters.

    Then a column has another answer in each response of a person, and others give it, too.
    """
    rows = [row for _, row in responses.rows]
    for column in responses.columns:
        cells = [row.get(column, "") for row in rows]
        people: dict[str, set[str]] = {}
        for rater, cell in zip(raters, cells, strict=True):
            people.setdefault(cell, set()).add(rater)
        once = sum(map(len, people.values())) == len(rows)
        if column in responses.about or not once or not all(cells) or 2 * len(people) > len(rows):
            continue
        asked = {name: responses.cells(name) for name in questions if name != column}
        label = likeliest_label(asked) or next(iter(asked), "QUESTION")
        told = f"{len(rows):,} responses by {len(set(raters)):,} people, each about another"
        pairs = (
            ("format", "delimited"),
            ("item", column),
            ("rater", roles.get("rater", "COLUMN")),
            ("label", label),
        )
        options = [part for pair in pairs for part in (" ", Option(*pair))]
        hint = Words("if each row rates one item, pass", *options)
        raise refused(
            where, "each row of a form", "another person's response", f"{told} {column!r}", hint
        )


def _questions(
    responses: Responses, options: ExportOptions, found: Annotations, where: str
) -> dict[str, tuple[str, str]]:
    """Return for each column of answers its item and its variable.

    The row of a grid is an item and its question the variable; with item="question" it is the
    other way round.
    """
    names = tuple(responses.columns)
    if options.label:
        wanted = [column_of(names, name, "label", where) for name in options.label]
    else:
        aside = {*responses.about, options.rater}
        wanted = [name for name in names if name not in aside and name.strip()]
    if options.item not in (None, "row", "question"):
        known = "'row' or 'question' in a form, for the rows of its grids"
        hint = "leave it out: each question is an item"
        raise refused(where, "item", known, repr(options.item), hint)
    grids = {name: responses.grids[name] for name in wanted if name in responses.grids}
    plain = [name for name in wanted if name not in grids]
    questions: dict[str, tuple[str, str]] = {}
    for name, (row, question) in grids.items():
        questions[name] = (question, row) if options.item == "question" else (row, question)
    if grids:
        found.evidence.append(
            "rows of grids are the items, their questions the variables "
            "(the other way round: --item question)"
        )
    groups = [plain] if options.label else _alike(responses, plain, found, bool(grids))
    for number, group in enumerate(groups, 1):
        variable = "label" if len(groups) == 1 else f"label {number}"
        questions.update({name: (name, variable) for name in group})
    return questions


def _alike(
    responses: Responses, columns: Sequence[str], found: Annotations, has_grids: bool
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
        values = {part for cell in cells for part in re.split(rf", |;|{BETWEEN}", cell) if part}
        if cells and all(_is_mark(cell) for cell in cells):
            values = {"(a linear scale)"}
        values |= {shape for value in values if (shape := _shape(value))}
        for value in values:
            group_of[root(name)] = root(holder.setdefault(value, name))
    groups: dict[str, list[str]] = {}
    for name in columns:
        groups.setdefault(root(name), []).append(name)
    groups = _numbered_on(responses, groups)
    together = [group for group in groups.values() if len(group) > 1]
    alone = [group[0] for group in groups.values() if len(group) == 1]
    if not together and not has_grids:
        return [list(columns)] if columns else []
    if alone:
        listed = ", ".join(map(repr, alone[:4])) + (" and more" if len(alone) > 4 else "")
        one = len(alone) == 1
        found.note(
            "questions_left_out",
            f"{len(alone):,} {'question shares' if one else 'questions share'} no answer with any "
            f"other and {'was' if one else 'were'} left out: {listed}. "
            "Name the questions to compare with label= (--label).",
        )
    return together


def _numbered_on(responses: Responses, groups: dict[str, list[str]]) -> dict[str, list[str]]:
    """Put questions of one numbered list together that have answers of one sort.

    Raters agree, so a question may well have answers that no other question has.
    """
    columns = [name for group in groups.values() for name in group]
    if len(groups) < 2 or not all(map(_COUNT.match, columns)):
        return groups
    largest = max(groups, key=lambda root: len(groups[root]))
    numbers = {root: _numbers(responses, group) for root, group in groups.items()}
    answered = [root for root, group in groups.items() if any(map(responses.cells, group))]
    if all(numbers[root] for root in answered):
        unsure = [root for root in groups if root != largest and root in answered]
        taken = [root for root in groups if root not in unsure or _in_reach(numbers, root)]
    else:
        are_most = len(groups[largest]) >= _MOSTLY * len(columns) and not numbers[largest]
        words = {root: group for root, group in groups.items() if are_most and not numbers[root]}
        taken = [root for root, group in words.items() if _are_answers(responses, group)]
        taken = list(dict.fromkeys((largest, *taken)))
    together = [name for name in responses.columns for root in taken if name in groups[root]]
    rest = {root: group for root, group in groups.items() if root not in taken}
    return {largest: together} | rest


def _numbers(responses: Responses, columns: Sequence[str]) -> list[float]:
    """The answers as numbers; none where one of them is a word."""
    cells = [cell for name in columns for cell in responses.cells(name)]
    found = [as_number(cell) for cell in cells]
    return [] if None in found else [number for number in found if number is not None]


def _in_reach(numbers: Mapping[str, Sequence[float]], root: str) -> bool:
    """Tell whether answers lie in the range of all others, or not farther off than it is wide."""
    others = [number for other, known in numbers.items() if other != root for number in known]
    low, high = min(others), max(others)
    width = max(1.0, high - low)
    return low - width <= min(numbers[root]) and max(numbers[root]) <= high + width


def _are_answers(responses: Responses, columns: Sequence[str]) -> bool:
    """Tell whether questions have short answers, and ask for no fact about who answers."""
    asked = (roles_of(_COUNT.sub("", name)) for name in columns)
    return not any(roles & {"side", "date", "comment"} for roles in asked) and all(
        len(cell.split()) <= _LONGEST_ANSWER for name in columns for cell in responses.cells(name)
    )


def _shape(answer: str) -> str:
    """Return the pattern of a code, 0% of 70%, a0.0 of F25.8: the same sort; else nothing.

    Years and whole numbers are written alike in questions that have nothing in common.
    """
    is_code = len(answer) <= _LONGEST_CODE and " " not in answer and not answer.isdigit()
    has_number = is_code and _NUMBER.search(answer)
    return _LETTERS.sub("a", _NUMBER.sub("0", answer)) if has_number else ""


def _is_mark(cell: str) -> bool:
    return cell.isascii() and cell.isdigit() and int(cell[:4]) <= _LARGEST_MARK


# ---- answers


def _separators(
    responses: Responses, questions: dict[str, tuple[str, str]], found: Annotations
) -> dict[str, str]:
    """Find the variables that hold several choices in a cell, and what stands between them."""
    cells: dict[str, list[str]] = {}
    joined: set[str] = set()
    for column, (_, variable) in questions.items():
        cells.setdefault(variable, []).extend(responses.cells(column))
        if column in responses.joined:
            joined.add(variable)
    separators: dict[str, str] = {}
    for variable, given in cells.items():
        separator = BETWEEN if variable in joined else _separator(given, responses.separators)
        if separator is not None:
            separators[variable] = separator
        if separator is not None and separator != BETWEEN:
            found.note(
                "joined_choices",
                f"Answers to {variable!r} were cut at {separator!r} into several choices. An "
                "option that holds this sign itself is cut, too.",
            )
        elif any(", " in cell for cell in given):
            found.note(
                "commas_in_answers",
                f"Answers to {variable!r} hold commas and were each taken as one choice.",
            )
    return separators


def _separator(cells: Sequence[str], known: Sequence[str]) -> str | None:
    for separator in known:
        closed = separator == ";" and any(cell.endswith(";") for cell in cells)
        if closed or several_in_cells(cells, separator):
            return separator
    return None


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
