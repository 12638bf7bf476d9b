"""Read what strangers wrote: text, JSON, delimited rows and zip archives, each within a budget.

Whatever is wrong with the bytes, only `InputError` comes out, with the place in the file.
"""

from __future__ import annotations

import csv
import io
import json
import math
import threading
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from consilience.exceptions import Option, Words
from consilience.io.files.limits import (
    DEEPEST,
    LARGEST_TEXT,
    LONGEST_CELL,
    LONGEST_INTEGER,
    MOST_BLANK_LINES,
    MOST_COLUMNS,
    badly_quoted,
    burst,
    damaged,
    refused,
)
from consilience.io.files.text import MARKS, check_encoding, choose_delimiter, unmarked_utf16
from consilience.io.names import LONGEST_NAME

_CSV = threading.Lock()  # the limit on cells is one for the whole process


# ---- text


def decode(
    data: bytes, where: str, *, encoding: str | None = None, otherwise: str | None = "cp1252"
) -> str:
    """Return bytes as text: the encoding named, or the one that the bytes themselves show.

    What shows none is UTF-8, or `otherwise`.
    """
    if encoding:
        check_encoding(encoding)
    tried = (encoding,) if encoding else _encodings(data, otherwise)
    line = 1
    for name in tried:
        try:
            text = data.decode(name)
        except UnicodeError as error:
            line = data.count(b"\n", 0, getattr(error, "start", 0)) + 1
            continue
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            needed = "free of NUL characters"
            got = "one; this is a binary or damaged file"
            raise refused(f"{where}, line {line}", "a text file", needed, got, "export it again")
        check_blank_lines(text, where)
        return text.removeprefix("\ufeff")
    example = Option("encoding", "cp1252")
    hint = Words("save it as UTF-8, or name its encoding, for example ", example)
    if len(tried) == 1:
        needed = f"{tried[0]} throughout"
        raise refused(f"{where}, line {line:,}", "the text", needed, "bytes that are not", hint)
    raise refused(where, "the text", "UTF-8, UTF-16 or cp1252", "bytes that do not fit", hint)


def check_blank_lines(text: str, where: str) -> None:
    """Refuse a stretch of empty lines that would cost more than all the rest of the file."""
    for end in ("\n", "\r\n", "\r"):
        place = text.find(end * MOST_BLANK_LINES)
        if place >= 0:
            line = text.count(end[-1], 0, place) + 1
            needed = "free of long stretches of blanks"
            got = f"more than {MOST_BLANK_LINES:,} empty lines in a row"
            raise refused(f"{where}, line {line:,}", "a text file", needed, got, "delete them")


def _encodings(data: bytes, otherwise: str | None) -> tuple[str, ...]:
    for mark, name in MARKS:
        if data.startswith(mark):
            return (name,)
    unmarked = unmarked_utf16(data)
    if unmarked:
        return (unmarked,)
    return ("utf-8", otherwise) if otherwise else ("utf-8",)


# ---- JSON


class _Refused(ValueError):
    """Something in a JSON text that would be lost or misread."""

    def __init__(self, expectation: str, got: str, hint: str) -> None:
        super().__init__(got)
        self.expectation, self.got, self.hint = expectation, got, hint


def parse_json(text: str, where: str, *, line: int | None = None) -> Any:
    """Parse one JSON document; NaN counts as null, and what cannot be kept exactly is refused.

    `line` is the number of the line, where a file holds one value in each.
    """
    place = where if line is None else f"{where}, line {line:,}"
    try:
        value = _DECODER.decode(text)
        _check_depth(value)
        if "\\u" in text:
            _check_surrogates(value)
    except json.JSONDecodeError as error:
        found = place if line is not None else f"{where}, line {error.lineno:,}"
        form = "JSON" if line is None else "one JSON record a line"
        raise refused(found, "the file", form, error.msg, "check the export") from None
    except _Refused as error:
        raise refused(place, "the file", error.expectation, error.got, error.hint) from None
    except (RecursionError, MemoryError):
        needed = f"JSON that is not nested so deeply (at most {DEEPEST} levels)"
        raise refused(place, "the file", needed, "too many levels", "flatten it") from None
    return value


def parse_json_lines(text: str, where: str) -> Iterator[tuple[int, Any]]:
    """Parse one JSON value a line; yield the line's number and the value."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, parse_json(line, where, line=number)


def parse_document(text: str, where: str) -> Any:
    """Parse a JSON document; one value a line becomes a list of them."""
    if _is_lines(text):
        return [value for _, value in parse_json_lines(text, where)]
    return parse_json(text, where)


def parse_records(text: str, where: str) -> list[tuple[str, Any]]:
    """Parse a list of records, one record, or one record a line; each with its place."""
    if _is_lines(text):
        found = parse_json_lines(text, where)
        return [(f"{where}, line {number:,}", value) for number, value in found]
    value = parse_json(text, where)
    if isinstance(value, list):
        return [(f"{where}, record {k:,}", record) for k, record in enumerate(value, 1)]
    return [(where, value)]


def _is_lines(text: str) -> bool:
    """Tell whether the first line is a whole value, with another one below it."""
    first, _, rest = text.lstrip().partition("\n")
    return first.startswith("{") and bool(rest.strip()) and _is_whole(first)


def _is_whole(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        often = Counter(key for key, _ in pairs)
        twice = next(key for key, times in often.items() if times > 1)
        hint = "rename one of them, or write one record per rating"
        raise _Refused("JSON with every key once in its object", f"{twice[:60]!r} twice", hint)
    return found


def _whole_number(text: str) -> int:
    if len(text) > LONGEST_INTEGER:
        most, got = f"JSON with numbers of at most {LONGEST_INTEGER} digits", len(text)
        raise _Refused(most, f"a number of {got:,} digits", "write it as text, in quotation marks")
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Refused("JSON with numbers that can be held", text[:20], "correct the number")
    return value


def _constant(word: str) -> None:
    if word != "NaN":
        raise _Refused("JSON with finite numbers", word, "write null where a value is missing")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_once,
    parse_int=_whole_number,
    parse_float=_number,
    parse_constant=_constant,
)


def _check_depth(value: Any) -> None:
    """Walk down level by level, so that nothing recurses."""
    level, depth = [value], 0
    while level := [part for part in level if isinstance(part, (dict, list))]:
        depth += 1
        if depth > DEEPEST:
            raise RecursionError
        level = [part for one in level for part in (one.values() if isinstance(one, dict) else one)]


def _check_surrogates(value: Any) -> None:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting.extend(part)
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, str) and not part.isascii():
            try:
                part.encode("utf-8")
            except UnicodeEncodeError:
                form, got = "JSON with whole characters", "half a character (a lone surrogate)"
                raise _Refused(form, got, "export it again as UTF-8") from None


# ---- delimited rows


@dataclass(frozen=True)
class TextTable:
    """Delimited text as rows of cells; blank lines are left out.

    `rows` holds the number of the line and the cells of every row below the header.
    """

    where: str
    columns: tuple[str, ...]
    rows: list[tuple[int, list[str]]]

    def records(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield "file, line n" and the row by column name; a name that stands twice is refused."""
        if len(set(self.columns)) < len(self.columns):
            often = Counter(self.columns)
            twice = next(name for name, times in often.items() if times > 1)
            where = f"{self.where}, line 1"
            needed = "different from each other"
            raise refused(where, "column names", needed, f"{twice!r} twice", "rename one of them")
        for line, row in self.rows:
            yield f"{self.where}, line {line:,}", dict(zip(self.columns, row, strict=True))


def parse_table(
    text: str, where: str, *, delimiter: str | None = None, suffix: str = ""
) -> TextTable:
    """Cut delimited text into rows; every row must be as wide as the header."""
    if delimiter is None:
        delimiter = choose_delimiter(text[: 1 << 18], suffix, where) or ","
    rows = [(line, row) for line, row in csv_rows(text, where, delimiter) if any(row)]
    for line, row in rows:
        _check_width(row, len(rows[0][1]), f"{where}, line {line:,}")
    if not rows:
        raise refused(where, "the file", "filled with ratings", "no lines", "check the export")
    names = tuple(name.strip() for name in rows[0][1])
    check_names(names, f"{where}, line {rows[0][0]:,}")
    return TextTable(where, names, rows[1:])


def check_names(names: Sequence[str], where: str) -> None:
    """Refuse names of columns that are longer than any question of a survey."""
    for k, name in enumerate(names, 1):
        if len(name) > LONGEST_NAME:
            raise refused(
                f"{where}, column {k:,}",
                "the name of a column",
                f"at most {LONGEST_NAME:,} characters long",
                f"{len(name):,}",
                Words(
                    "shorten it, or pass ", Option("header", False), " if the line holds ratings"
                ),
            )


def csv_rows(text: str, where: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Cut delimited text into rows, the blank ones too, each with the line where it begins."""
    rows: list[tuple[int, list[str]]] = []
    start = 1
    with _CSV:
        limit = csv.field_size_limit(LONGEST_CELL)
        try:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
            for row in reader:
                rows.append((start, row))
                start = reader.line_num + 1
        except csv.Error as error:
            raise badly_quoted(f"{where}, line {start:,}", error) from None
        finally:
            csv.field_size_limit(limit)
    return rows


def _check_width(row: list[str], width: int, where: str) -> None:
    if len(row) > MOST_COLUMNS:
        needed = f"at most {MOST_COLUMNS:,} columns wide"
        hint = "write it as three columns: item, rater, label"
        raise refused(where, "a table", needed, f"{len(row):,}", hint)
    if len(row) != width:
        place = f"{where}, column {min(len(row), width) + 1:,}"
        hint = "complete the line, or put text with a delimiter into quotation marks"
        raise refused(place, "every line", f"cut into {width:,} cells", f"{len(row):,}", hint)


def bounded(
    stream: Any, where: str, *, most: int = LARGEST_TEXT, packed: int | None = None
) -> bytes:
    """Read a stream to its end, but never more than the budget; `packed` bytes were unpacked."""
    try:
        data: bytes = stream.read(most + 1)
    except (OSError, EOFError, ValueError, RuntimeError, NotImplementedError, zlib.error) as error:
        raise damaged(where, error) from None
    if len(data) > most and packed is not None:
        raise burst(where, most, packed)
    if len(data) > most:
        hint = "split it, or bring the ratings as CSV or Parquet"
        raise refused(where, "the file", f"at most {most >> 20:,} MB", "more than that", hint)
    return data
