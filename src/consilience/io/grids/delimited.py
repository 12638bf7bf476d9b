"""Delimited text: comma, semicolon, tab or bar, in any of the usual encodings."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import Any

from consilience.core.database import Session, quoted
from consilience.core.input_files import Said
from consilience.document.records import csv_line
from consilience.exceptions import InputError, Option, Words
from consilience.io.files.limits import LONGEST_CELL, badly_quoted
from consilience.io.files.parsing import check_names
from consilience.io.files.text import (
    DELIMITERS,
    TextForm,
    examine,
    find_delimiter,
    first_rows,
    is_blank,
    is_quoted,
    open_text,
    reader_options,
    to_utf8,
)
from consilience.io.grids._header import (
    Preamble,
    bare_names,
    find_header,
    mended_header,
    n_narrow,
    preamble_of,
    write_plain,
)
from consilience.io.layout.decision import refuse_log
from consilience.io.layout.printed_tables import (
    MOST_COLUMNS,
    MOST_ROWS,
    PrintedTable,
    chosen_table,
    printed_tables,
)
from consilience.io.options import Request
from consilience.io.registry import register
from consilience.io.table import Table

_MOST_COLUMNS = 10_000
_MOST_HEADS = 6  # lines within which a table of Markdown has its rule
_RULE = re.compile(r":?-{2,}:?")
_NAMELESS = re.compile(r"Unnamed: \d+(?:_level_\d+)?|column_?\s?\d+|_duplicated_\d+|__UNNAMED__\d+")


@dataclass(frozen=True)
class _File:
    """One text file, understood: where to read it, and how."""

    path: Path
    readable: Path  # the same text as UTF-8; the file itself when it already is
    delimiter: str
    has_header: bool
    names: tuple[str, ...]
    evidence: tuple[str, ...]
    dialect: tuple[tuple[str, str, str], ...]
    offset: int = 0  # lines that stand before what is read
    renamed: tuple[str, ...] = ()  # names that other files write in other letters
    quoted: bool = True  # a quotation mark holds a cell together
    mended: bool = False  # the first line has another number of cells than the others
    rows: tuple[tuple[str, ...], ...] = field(default=(), repr=False)  # the first ones

    @property
    def reader_options(self) -> dict[str, Any]:
        """How `csv.reader` takes it."""
        return reader_options(self.delimiter, quoted=self.quoted)


@register("delimited", title="delimited text", suffixes=(".csv", ".tsv", ".tab", ".psv", ".txt"))
def load_delimited(session: Session, paths: Sequence[Path], request: Request) -> Table:
    """Load text files with the same columns into one table of text cells."""
    texts = [_opened(session, path, request) for path in paths]
    if len(texts) == 1 and request.may_be_printed:
        printed = _printed(session, texts[0], request)
        if printed is not None:
            return printed
    files = _without_names([_understand(session, text, request) for text in texts], request)
    names = files[0].names
    files = [files[0], *(_renamed(other, names) for other in files[1:])]
    for other in files[1:]:
        if sorted(other.names) != sorted(names):
            raise InputError.expected(
                "files read together",
                "alike in their columns",
                Said(f"{', '.join(names[:6])} in {files[0].path}, {', '.join(other.names[:6])}"),
                "give the columns the same names, or leave out the file that differs",
                where=str(other.path),
            )
    relation = session.new_name("cells")
    counts = [_load(session, relation, number, files) for number in range(len(files))]
    table = Table(
        session=session,
        relation=relation,
        names=names,
        kinds=tuple("text" for _ in names),
        row="rowid",
        n_rows=sum(counts),
        paths=tuple(paths),
        format="delimited",
        is_text=True,
        locate=_Locator(files, counts),
        file="file" if len(files) > 1 else None,
        decimal_comma=files[0].delimiter != ",",
        evidence=(*files[0].evidence, *_told_renamed(files)),
        dialect=files[0].dialect,
    )
    if table.n_rows == 0:
        raise InputError.expected(
            "the file",
            "filled with ratings",
            Said("a header only"),
            "check the export",
            where=table.where,
        )
    return table


def _without_names(files: list[_File], request: Request) -> list[_File]:
    """Take the first lines of files, one per rater, for ratings where they look like the others."""
    bare = bare_names([file.rows for file in files]) if request.header is not True else None
    if bare is None:
        return files
    why = "no file names its columns: each has an item and a label in a line"
    return [
        replace(
            file,
            has_header=False,
            names=bare,
            evidence=(*file.evidence, why),
            dialect=(*(one for one in file.dialect if one[0] != "header"), ("header", "no", why)),
        )
        for file in files
    ]


def _renamed(file: _File, names: Sequence[str]) -> _File:
    """Take names that differ from those of the first file only in case for the same."""
    wanted = {name.casefold(): name for name in names}
    if file.names == tuple(names) or len(wanted) < len(names):
        return file
    found = tuple(wanted.get(name.casefold(), name) for name in file.names)
    different = [name for name, other in zip(file.names, found, strict=True) if name != other]
    if not different or sorted(found) != sorted(names):
        return file
    return replace(file, names=found, renamed=tuple(different))


def _told_renamed(files: Sequence[_File]) -> list[str]:
    return [
        f"{file.path.name}: {', '.join(map(repr, file.renamed))} taken for the column of that name "
        "in other letters"
        for file in files
        if file.renamed
    ]


@dataclass(frozen=True)
class _Text:
    """A text file whose lines can be cut into cells, and the first of them."""

    path: Path
    readable: Path  # the same as UTF-8; the file itself when it already is
    encoding: str
    form: TextForm
    delimiter: str
    quoted: bool
    rows: list[list[str]] = field(repr=False)


def _opened(session: Session, path: Path, request: Request) -> _Text:
    form = examine(path, encoding=request.encoding)
    readable, encoding = path, form.encoding
    if not form.is_plain:
        readable, encoding = session.scratch / (session.new_name("text") + ".csv"), "utf-8"
        to_utf8(path, form.encoding, readable)
    delimiter = request.delimiter
    if delimiter is None:
        delimiter = find_delimiter(readable if readable is not path else path, encoding) or ","
    quoted = delimiter != "\t" or is_quoted(readable, encoding, delimiter)
    rows = first_rows(readable, encoding, delimiter, quoted=quoted)
    if delimiter == "|" and any(map(_is_rule, rows[:_MOST_HEADS])):
        return _without_bars(session, path, readable, encoding, form)
    return _Text(path, readable, encoding, form, delimiter, quoted, rows)


def _is_rule(row: Sequence[str]) -> bool:
    """Tell whether a line is that below the names of a table in Markdown: |---|:--:|."""
    cells = [cell.strip() for cell in row if cell.strip()]
    return len(cells) > 1 and all(map(_RULE.fullmatch, cells))


def _without_bars(
    session: Session, path: Path, readable: Path, encoding: str, form: TextForm
) -> _Text:
    """Write a table of Markdown as plain delimited text."""
    plain = session.scratch / (session.new_name("text") + ".csv")
    with open_text(readable, encoding) as lines, plain.open("w", encoding="utf-8") as out:
        for line in lines:
            bare = line.removeprefix("\ufeff").strip()
            row = [cell.strip() for cell in bare.removeprefix("|").removesuffix("|").split("|")]
            if bare and not _is_rule(row):
                out.write(csv_line(row))
    rows = first_rows(plain, "utf-8", ",")
    return _Text(path, plain, "utf-8", form, ",", True, rows)


def _understand(session: Session, text: _Text, request: Request) -> _File:
    path, readable, encoding, form = text.path, text.readable, text.encoding, text.form
    delimiter, quoted, rows = text.delimiter, text.quoted, text.rows
    if not rows:
        got = (
            "nothing but blank lines" if is_blank(path, form.encoding) else "an endless first cell"
        )
        raise InputError.expected(
            "the file", "filled with ratings", Said(got), "check the export", where=str(path)
        )
    refuse_log(rows, str(path))
    offset, preamble = 0, Preamble()
    if not request.is_plain:
        preamble = preamble_of(rows)
        if request.header is not None:  # what was told is told about the line below the notes
            most = n_narrow(rows) if request.header is False else preamble.titles
            preamble = Preamble(min(most, preamble.titles))
    if preamble != Preamble():
        plain = session.scratch / (session.new_name("plain") + ".csv")
        offset = write_plain(readable, encoding, delimiter, preamble, plain, quoted=quoted)
        readable, encoding = plain, "utf-8"
        rows = first_rows(readable, encoding, delimiter, quoted=quoted)
    _check_width(path, rows, delimiter)
    file = _File(path, readable, delimiter, True, (), (), (), offset, quoted=quoted)
    return _named(file, rows, request, form, preamble)


def _printed(session: Session, text: _Text, request: Request) -> Table | None:
    """Load a cross-table as papers print it; None where a file holds something else."""
    found = printed_tables(text.rows, told=request.shape == "table")
    if not found:
        return None
    table = chosen_table(found, request.sheets, str(text.path))
    return load_printed(
        session,
        table,
        request,
        (text.path,),
        format="delimited",
        locate=lambda row: f"{text.path}, line {table.rows[row] + 1}",
    )


def _named(
    file: _File,
    rows: list[list[str]],
    request: Request,
    form: TextForm,
    preamble: Preamble,
) -> _File:
    """Find out whether the first line holds names, and keep why everything was taken so."""
    mended = None if request.header is False or len(rows) < 2 else mended_header(rows)
    if mended is not None:
        rows = [list(mended.names), *rows[1:]]
    if request.header is not None:
        has_header, why = request.header, "as told"
    elif mended is not None:
        has_header, why = True, mended.evidence
    elif len(rows) == 1:
        has_header, why = True, "the only line"
    else:
        has_header, why = find_header(rows, str(file.path), quote(str(file.path)))
    names = tuple(str(j + 1) for j in range(len(rows[0])))
    if has_header:
        names = _column_names(file.path, rows)
    evidence = [*form.evidence, *preamble.evidence]
    if request.delimiter is None and file.delimiter != ",":
        evidence.append(f"delimiter: {DELIMITERS[file.delimiter]}")
    if not file.quoted:
        evidence.append("quotation marks are characters like others")
    if mended is not None or not has_header:
        evidence.append(why if mended is None else mended.evidence)
    dialect = (
        ("encoding", form.encoding, _why(request.encoding, "the bytes fit it")),
        (
            "delimiter",
            DELIMITERS.get(file.delimiter, file.delimiter),
            _why(request.delimiter, "it cuts the lines into cells of one number"),
        ),
        ("header", "yes" if has_header else "no", why),
    )
    return replace(
        file,
        has_header=has_header,
        names=names,
        evidence=tuple(evidence),
        dialect=dialect,
        mended=mended is not None,
        rows=tuple(map(tuple, rows)),
    )


def _why(told: str | None, found: str) -> str:
    return found if told is None else "as told"


def _check_width(path: Path, rows: Sequence[Sequence[str]], delimiter: str) -> None:
    width = len(rows[0])
    if width > _MOST_COLUMNS:
        raise InputError.expected(
            "a table",
            f"at most {_MOST_COLUMNS:,} columns wide",
            width,
            "write it as three columns: item, rater, label",
            where=f"{path}, line 1",
        )
    if width < 2 and all(len(row) < 2 for row in rows):
        raise InputError.expected(
            "a table of ratings",
            "at least two columns wide",
            Said(f"one column, cut at {DELIMITERS.get(delimiter, delimiter)}"),
            Words("name the delimiter, for example ", Option("delimiter", ";")),
            where=f"{path}, line 1",
        )


def _column_names(path: Path, rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the names in the header; refuse one that occurs twice."""
    names = [name.strip() for name in rows[0]]
    check_names(names, f"{path}, line 1")
    for j, name in enumerate(names):
        if not name and j > 0:
            names[j] = f"column {j + 1}"
    twice = [name for name, often in Counter(names).items() if often > 1]
    if twice:
        places = [j + 1 for j, name in enumerate(names) if name == twice[0]]
        raise InputError.expected(
            "column names",
            "different from each other",
            Said(f"{twice[0]!r} in columns {places[0]} and {places[1]}"),
            Words(
                "rename one of them, or pass ",
                Option("header", False),
                " if the line holds ratings",
            ),
            where=f"{path}, line 1",
        )
    return tuple(names)


def _load(session: Session, relation: str, number: int, files: Sequence[_File]) -> int:
    """Add one file to the table; return how many rows it has."""
    file, names = files[number], files[0].names
    cells = [f"c{file.names.index(name)} AS c{j}" for j, name in enumerate(names)]
    if len(files) > 1:
        cells.append(f"'{number}' AS file")
    columns = ", ".join(f"'c{j}': 'VARCHAR'" for j in range(len(names)))
    marks = "quote = '\"', escape = '\"'" if file.quoted else "quote = '', escape = ''"
    first = f"header = {str(file.has_header).lower()}"
    if file.mended:  # a header of another width is no header to the database
        first = "header = false, skip = 1"
    select = (
        f"SELECT {', '.join(cells)} "
        f"FROM read_csv({session.safe_path(file.readable)}, columns = {{{columns}}}, "
        f"auto_detect = false, delim = {quoted(file.delimiter)}, {marks}, {first}, "
        "nullstr = '', strict_mode = true, "
        "hive_partitioning = false)"
    )
    target = f"CREATE TEMP TABLE {relation} AS" if number == 0 else f"INSERT INTO {relation}"
    try:
        counted: int = session.one(f"{target} {select}")
    except session.database_error as error:
        raise _diagnose(file, error) from error
    return counted


def _diagnose(file: _File, error: Exception) -> InputError:
    """Find the line that could not be read; independent of how the database words it."""
    width = len(file.names)
    start = 1
    limit = csv.field_size_limit(LONGEST_CELL)
    try:
        with open_text(file.readable, "utf-8-sig") as stream:
            reader = csv.reader(stream, strict=True, **file.reader_options)
            for row in reader:
                if row and len(row) != width and not (file.mended and start == 1):
                    return InputError.expected(
                        "every line",
                        f"cut into {width} cells",
                        Said(f"{len(row)}: {file.delimiter.join(row)[:60]}"),
                        Words(
                            "complete the line, put text with a delimiter into quotation marks, "
                            "or name another one with ",
                            Option("delimiter"),
                        ),
                        where=f"{file.path}, line {start + file.offset}, column "
                        f"{min(len(row), width) + 1}",
                    )
                start = reader.line_num + 1
    except csv.Error as fault:
        return badly_quoted(f"{file.path}, line {start + file.offset}", fault)
    finally:
        csv.field_size_limit(limit)
    first_line = str(error).partition("\n")[0]
    return InputError.expected(
        "the file",
        "well-formed delimited text",
        Said(first_line),
        "look at the line named there",
        where=str(file.path),
    )


class _Locator:
    """Turn the position of a row into file and line; reads the file again, for messages only."""

    def __init__(self, files: Sequence[_File], counts: Sequence[int]) -> None:
        self.files = files
        self.counts = counts

    def __call__(self, row: int) -> str:
        for file, count in zip(self.files, self.counts, strict=True):
            if row < count:
                return f"{file.path}, line {self._line(file, row) + file.offset}"
            row -= count
        return str(self.files[-1].path)

    @staticmethod
    def _line(file: _File, row: int) -> int:
        with open_text(file.readable, "utf-8-sig") as stream:
            reader = csv.reader(stream, **file.reader_options)
            start, skip = 1, row + file.has_header
            for cells in reader:
                if cells:
                    if skip == 0:
                        return start
                    skip -= 1
                start = reader.line_num + 1
        return start


# ---- tables that a format writes out as plain CSV


def write_scratch(session: Session, names: Sequence[str], rows: Iterable[Sequence[str]]) -> Path:
    """Write one table into the scratch folder."""
    target = session.scratch / (session.new_name("table") + ".csv")
    with target.open("w", encoding="utf-8", newline="") as stream:
        stream.write(csv_line(names))
        stream.writelines(map(csv_line, rows))
    return target


def named_by_caller(
    error: InputError, scratch: Sequence[Path], paths: Sequence[Path]
) -> InputError:
    """Put the caller's files into a message instead of those in the scratch folder."""
    text = str(error)
    for new, old in zip(scratch, paths, strict=False):
        text = text.replace(f"{new}, line 1:", f"{old}:").replace(str(new), str(old))
    return InputError(text)


def load_scratch(
    session: Session,
    scratch: Sequence[Path],
    paths: Sequence[Path],
    *,
    format: str,
    header: bool | None,
    locate: Callable[[int], str],
    evidence: Iterable[str],
) -> Table:
    """Load what was written; messages name the files of the caller.

    `locate` turns the position of a row, counted over all files, into its place.
    """
    try:
        plain = Request(delimiter=",", encoding="utf-8", header=header, is_plain=True)
        table = load_delimited(session, scratch, plain)
    except InputError as error:
        raise named_by_caller(error, scratch, paths) from None
    return replace(
        table,
        paths=tuple(paths),
        format=format,
        locate=locate,
        decimal_comma=False,
        evidence=tuple(dict.fromkeys(evidence)),
        dialect=(),
    )


def load_printed(
    session: Session,
    printed: PrintedTable,
    request: Request,
    paths: Sequence[Path],
    *,
    format: str,
    locate: Callable[[int], str],
) -> Table:
    """Load a cross-table as papers print it as a plain one: counts, without margins and heads."""
    if request.shares_of is not None:
        where = locate(0).partition(", line")[0]
        printed = printed.as_shares(where=where).of_items(request.shares_of, where=where)
    names, rows = printed.grid()
    table = load_scratch(
        session,
        (write_scratch(session, names, rows),),
        paths,
        format=format,
        header=True,
        locate=locate,
        evidence=printed.told,
    )
    return replace(table, printed=printed)


def with_printed(table: Table, request: Request) -> Table:
    """Return the cross-table that a frame, or a table of another format, holds in its cells."""
    small = table.n_rows < MOST_ROWS and len(table.names) <= MOST_COLUMNS
    if table.printed is not None or table.file or not (small and request.may_be_printed):
        return table
    heads = _heads(table)
    rows = [["" if cell is None else _as_text(cell) for cell in row] for row in table.all_rows()]
    found = printed_tables([*heads, *rows], told=request.shape == "table")
    if not found:
        return table
    printed = chosen_table(found, request.sheets, table.where)
    return load_printed(
        table.session,
        printed,
        request,
        table.paths,
        format=table.format,
        locate=lambda row: table.locate(max(0, printed.rows[row] - len(heads))),
    )


def _as_text(cell: Any) -> str:
    return f"{cell:.15g}" if isinstance(cell, float) and not math.isnan(cell) else str(cell)


def _heads(table: Table) -> list[list[str]]:
    """Return the names of columns as the lines of heads that they were made of.

    A name of several levels stands in as many lines; what a library calls a column without a name
    is none, and numbers that count the columns are no heads.
    """
    names = ["" if _NAMELESS.fullmatch(name) else name for name in table.names]
    if names == [str(k) for k in range(len(names))]:
        return []
    parts = [name.split(" / ") for name in names]
    levels = max(map(len, parts))
    lines = [
        ["" if _NAMELESS.fullmatch(part) else part for part in line]
        for line in zip(*([""] * (levels - len(one)) + one for one in parts), strict=True)
    ]
    own = [table.columns_name] if levels == 1 and table.columns_name and table.n_index else []
    before = [""] * table.n_index
    return [[*before, *own, *[""] * (len(names) - len(before) - 1)] for _ in own] + lines
