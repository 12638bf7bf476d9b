"""Files of survey services as lines below names: text, or a workbook taken as if it were text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from consilience.io.bytes._source import Member, Source
from consilience.io.bytes.limits import MOST_COLUMNS
from consilience.io.platforms._choices import looked_at
from consilience.io.platforms._export_registry import ExportOptions, Sample
from consilience.io.platforms.surveys._respondents import Rows, different, tables_of
from consilience.io.tables.sheets._workbook import sheets_of

_HOLDS_TEXTS = re.compile(r"sharedStrings\.xml$|worksheets/sheet1\.xml$")
_FIRST_ROWS = 50


def survey_tables(source: Source, options: ExportOptions) -> Iterator[tuple[list[str], Rows]]:
    """Yield the columns and the rows of every file; of a workbook those of its first sheet."""
    if not all(_is_workbook([one.name for one in file.members()]) for file in source.files):
        yield from tables_of(source, options)
        return
    for file in source.files:
        yield from list(_sheets(file))[:1]


def survey_heads(
    sample: Sample, suffixes: Sequence[str], words: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], list[dict[str, str]]]]:
    """Yield names and first rows of text, or of the sheets of a workbook with one of the words."""
    if not _is_workbook(sample.members()):
        for one in looked_at(sample, suffixes):
            yield one.columns(), one.rows()
        return
    holders = [name for name in sample.members() if _HOLDS_TEXTS.search(name)][:4]
    texts = b"".join(sample.member(name).head for name in holders)
    if sample.first is None or not any(word.encode() in texts for word in words):
        return  # cheap to see; only otherwise is it worth taking the sheets apart
    try:
        tables = list(_sheets(sample.first))[:1]
    except ValueError:
        return
    for columns, rows in tables:
        yield tuple(columns), [row for _, row in rows[:_FIRST_ROWS]]


def _is_workbook(members: Sequence[str]) -> bool:
    return any(name.endswith("workbook.xml") for name in members)


def _sheets(file: Member) -> Iterator[tuple[list[str], Rows]]:
    """Yield every sheet that is not hidden: names in its first line, all else below as it is.

    Services write two or three lines of names, which must not be taken for titles or joined.
    """
    for sheet in sheets_of(file):
        numbers = sorted(number for number, cells in sheet.rows.items() if any(cells.values()))
        if sheet.hidden or len(numbers) < 2:
            continue
        columns = range(1, max(max(sheet.rows[number]) for number in numbers) + 1)
        if len(columns) > MOST_COLUMNS:
            continue
        lines = [[sheet.rows[n].get(c, "").strip() for c in columns] for n in numbers]
        names = different(lines[0])
        rows = [
            (f"{file.where}, row {number:,}", dict(zip(names, line, strict=True)))
            for number, line in zip(numbers[1:], lines[1:], strict=True)
        ]
        yield names, rows
