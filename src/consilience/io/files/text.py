"""What kind of text a file is: its first bytes, encoding, line ends, delimiter, header, quotes."""

from __future__ import annotations

import codecs
import csv
import errno
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from consilience.exceptions import InputError, Option, Words
from consilience.io.files.limits import LARGEST_RATIO, UNPACKED_FREELY, burst, refused

# ---- first looks

_SMALL = 1 << 20  # bytes
_SMALL_HEAD = 1 << 16
_GZIP = b"\x1f\x8b"
_TAR = slice(257, 262)
_kept: ContextVar[dict[Path, bytes] | None] = ContextVar("kept", default=None)


@contextmanager
def looks_kept() -> Iterator[None]:
    """Keep the bytes of small files until the end of the ``with`` block."""
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def open_raw(path: Path) -> IO[bytes]:
    """Open a file, or what is kept of it."""
    kept = _kept.get()
    if kept is None:
        return path.open("rb")
    if path not in kept:
        stream = path.open("rb")
        if path.stat().st_size > _SMALL:
            return stream
        with stream:
            kept[path] = stream.read()
    return io.BytesIO(kept[path])


def is_tar(head: bytes) -> bool:
    """Tell whether some first bytes are those of a tar archive, packed or not."""
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head[:_SMALL_HEAD], 512)
        except zlib.error:
            return False
    return head[_TAR] == b"ustar"


# ---- the kind of text

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_CHUNK = 1 << 20
_SAMPLE = 1 << 18
_LARGEST_SAMPLE = 1 << 24
_FEWEST_LINES = 3  # however long the lines are
_SAMPLE_LINES = 1_000
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
_MOSTLY = 0.8  # share of lines that must have the same number of cells

MARKS = (  # the longer mark first: UTF-32 begins like UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class TextForm:
    """What a look at every byte told: the encoding, and whether line ends are of one kind."""

    encoding: str
    mixed_line_ends: bool
    evidence: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """DuckDB can read the file as it is."""
        return self.encoding in ("utf-8", "utf-8-sig", "ascii") and not self.mixed_line_ends


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file, unpacking it when its name ends in .gz."""
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rb")  # type: ignore[return-value]
    return open_raw(path)


def open_text(path: Path, encoding: str) -> io.TextIOWrapper:
    """Open a text file with its line ends untouched."""
    return io.TextIOWrapper(open_bytes(path), encoding=encoding, newline="")


def examine(path: Path, *, encoding: str | None = None) -> TextForm:
    """Read the whole file once and say how its bytes are to be taken."""
    if encoding is not None:
        check_encoding(encoding)
        return TextForm(encoding.lower(), mixed_line_ends=True)
    with _Reading(path), open_bytes(path) as stream:
        head = stream.read(_CHUNK)
    for mark, name in MARKS:
        if head.startswith(mark) and name != "utf-8-sig":
            return TextForm(
                name, mixed_line_ends=True, evidence=(f"encoding {name} (byte order mark)",)
            )
    unmarked = unmarked_utf16(head)
    if unmarked:
        return TextForm(unmarked, mixed_line_ends=True, evidence=(f"encoding {unmarked}",))
    return _examine_bytes(path)


def _examine_bytes(path: Path) -> TextForm:
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    is_utf8, mixed, cp1252 = True, False, True
    carriage, newline, both, bare = 0, 0, 0, False
    for offset, chunk in _chunks(path):
        if b"\0" in chunk:
            raise _refuse_nul(path, offset + chunk.index(b"\0"))
        if not chunk.isascii():
            if is_utf8:
                is_utf8 = _feeds(decoder, chunk)
            cp1252 = cp1252 and not any(byte in chunk for byte in b"\x81\x8d\x8f\x90\x9d")
        if b"\r" in chunk:
            carriage += chunk.count(b"\r")
            both += chunk.count(b"\r\n")
            newline += chunk.count(b"\n")
            mixed = mixed or not (carriage == both == newline or newline == 0)
        else:
            bare = bare or b"\n" in chunk
    mixed = mixed or (bare and carriage > 0)
    is_utf8 = is_utf8 and _feeds(decoder, b"", final=True)
    if is_utf8:
        return TextForm("utf-8", mixed)
    if not cp1252:
        hint = Words("name the encoding, for example ", Option("encoding", "latin-1"))
        form, got = "UTF-8, UTF-16 or cp1252", "bytes that fit none of them"
        raise refused(str(path), "the text", form, got, hint)
    return TextForm("cp1252", mixed, evidence=("not UTF-8, so taken as cp1252 (--encoding)",))


def _feeds(decoder: codecs.IncrementalDecoder, chunk: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True


def _chunks(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the file piece by piece, never cutting a CR LF pair; stop a packed file that bursts."""
    packed_size = path.stat().st_size
    offset = 0
    with _Reading(path), open_bytes(path) as stream:
        while chunk := stream.read(_CHUNK):
            if chunk.endswith(b"\r"):
                chunk += stream.read(1)
            if len(chunk) >= _CHUNK and chunk.isspace():
                raise _refuse_blanks(path, offset)
            yield offset, chunk
            offset += len(chunk)
            if offset > max(UNPACKED_FREELY, LARGEST_RATIO * packed_size):
                raise burst(str(path), offset, packed_size)


class _Reading:
    """Turn what the system says about a damaged file into our sentence."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            what, form = "the folder for temporary files", "with room for a copy of the file"
            hint = "set the environment variable TMPDIR to another folder"
            raise refused(str(self.path), what, form, "a full disk", hint) from error
        if isinstance(error, (EOFError, OSError, gzip.zlib.error)):  # type: ignore[attr-defined]
            where = str(self.path)
            hint = "check that it was copied completely"
            raise refused(where, "the file", "readable to its end", str(error), hint) from error


def check_encoding(encoding: str) -> None:
    """Refuse a name that is no encoding of texts."""
    try:
        "".encode(encoding)
    except (LookupError, ValueError):  # the latter: a name with a NUL
        raise InputError.expected(
            "encoding", "one that Python knows", encoding, "try utf-8, utf-16, cp1252 or latin-1"
        ) from None


def unmarked_utf16(head: bytes) -> str | None:
    """Recognise UTF-16 without its mark: every other byte of Western text is zero."""
    head = head[:4096]
    if len(head) < 4:
        return None
    share_even = head[0::2].count(0) / len(head[0::2])
    share_odd = head[1::2].count(0) / len(head[1::2])
    if share_odd > 0.4 and share_even < 0.05:
        return "utf-16-le"
    if share_even > 0.4 and share_odd < 0.05:
        return "utf-16-be"
    return None


def _refuse_nul(path: Path, offset: int) -> InputError:
    where = f"{path}, line {_line_of(path, offset):,}"
    got, hint = "a NUL byte; this is a binary or damaged file", "export the ratings as CSV"
    return refused(where, "a text file", "free of NUL bytes", got, hint)


def _refuse_blanks(path: Path, offset: int) -> InputError:
    """Refuse what DuckDB loses its way in: more blank lines than fit into its buffer."""
    where = f"{path}, line {_line_of(path, offset):,}"
    got = f"{_CHUNK >> 20} MB of blanks or empty lines in one piece"
    hint = "delete them, or export the ratings again"
    return refused(where, "a text file", "free of long stretches of blanks", got, hint)


def _line_of(path: Path, offset: int) -> int:
    line, seen = 1, 0
    with _Reading(path), open_bytes(path) as stream:
        while seen < offset and (chunk := stream.read(min(_CHUNK, offset - seen))):
            line += chunk.count(b"\n")
            seen += len(chunk)
    return line


def to_utf8(path: Path, encoding: str, target: Path) -> None:
    """Write the text again as UTF-8 with one kind of line end."""
    with target.open("w", encoding="utf-8", newline="\n") as out:
        text = io.TextIOWrapper(open_bytes(path), encoding=encoding, newline=None)
        hint = Words("name the right encoding with ", Option("encoding"))
        with _Reading(path), text as stream:
            line = 1
            try:
                while block := stream.read(_CHUNK):
                    if "\0" in block:
                        line += block[: block.index("\0")].count("\n")
                        place, got = f"{path}, line {line}", f"one, read as {encoding}"
                        raise refused(place, "a text file", "free of NUL characters", got, hint)
                    out.write(block)
                    line += block.count("\n")
            except UnicodeError as error:
                place = f"{path}, near line {line}"
                raise refused(place, "the text", f"valid {encoding}", str(error), hint) from error


def first_rows(
    path: Path, encoding: str, delimiter: str, *, quoted: bool = True
) -> list[list[str]]:
    """Return the first rows of a file, split at a delimiter."""
    return _split(_sample(path, encoding), delimiter, quoted=quoted)


def is_blank(path: Path, encoding: str) -> bool:
    """Tell whether a text begins with nothing but blanks."""
    return not _sample(path, encoding).strip()


def find_delimiter(path: Path, encoding: str) -> str | None:
    """Find the delimiter; None when the text has one column only."""
    return choose_delimiter(_sample(path, encoding), path.suffix, str(path))


def choose_delimiter(sample: str, suffix: str, where: str) -> str | None:
    """Choose the delimiter that cuts most lines alike; None when there is one column only."""
    fits = {mark: _fit(_split(sample, mark)) for mark in DELIMITERS}
    fits["\t"] = max(fits["\t"], _fit(_split(sample, "\t", quoted=False)))  # a mark may be a letter
    others = [mark for mark, (alike, _) in fits.items() if alike and mark != ","]
    if any(_commas_are_decimal(sample, mark) for mark in others):
        fits[","] = (False, 0)
    best = max(fits.values())
    if best[1] < 2:
        return None
    named = {".tsv": "\t", ".tab": "\t", ".psv": "|"}.get(suffix.lower())
    winners = [mark for mark, fit in fits.items() if fit == best]
    if named in winners:
        return named
    if len(winners) > 1:  # decimal commas cut the rows, but not the names above them
        alike = {mark: _share(_split(sample, mark), best[1]) for mark in winners}
        winners = [mark for mark in winners if alike[mark] == max(alike.values())]
    if len(winners) > 1:
        words = " and ".join(DELIMITERS[mark] for mark in winners)
        got = f"lines that both {words} cut into {best[1]} cells"
        hint = Words("pass ", Option("delimiter", *winners[:2]))
        raise refused(where, "the delimiter", "clear", got, hint)
    return winners[0]


def _commas_are_decimal(sample: str, delimiter: str) -> bool:
    """Tell whether every comma stands in a number of its own when another sign cuts the lines."""
    cells = [cell.strip() for row in _split(sample, delimiter) for cell in row if "," in cell]
    return bool(cells) and all(map(_DECIMAL_COMMA.fullmatch, cells))


def _sample(path: Path, encoding: str) -> str:
    """Return the beginning of the text with a few whole lines at least."""
    parts, more, size, lines = [], "x", 0, 0
    with _Reading(path), open_text(path, encoding) as stream:
        while more and (size < _SAMPLE or lines <= _FEWEST_LINES) and size <= _LARGEST_SAMPLE:
            more = stream.read(_SAMPLE)
            parts.append(more)
            size += len(more)
            lines += max(more.count("\n"), more.count("\r"))
    text = "".join(parts).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if more and "\n" in text:
        text = text[: text.rindex("\n")]
    return text


def _split(sample: str, delimiter: str, *, quoted: bool = True) -> list[list[str]]:
    rows = []
    lines = io.StringIO(sample, newline="")
    try:
        for row in csv.reader(lines, **reader_options(delimiter, quoted=quoted)):
            if row:
                rows.append(row)
            if len(rows) >= _SAMPLE_LINES:
                break
    except csv.Error:  # an endless cell: the loader will name the line
        pass
    return rows


def reader_options(delimiter: str, *, quoted: bool) -> dict[str, Any]:
    """Return the options of `csv.reader` for a text whose cells are quoted or never are."""
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    return {"delimiter": delimiter, "quoting": quoting}


def _fit(rows: Sequence[Sequence[str]]) -> tuple[bool, int]:
    """Say how well a delimiter fits: do most lines have one width, and which."""
    if not rows:
        return (False, 0)
    width, often = Counter(len(row) for row in rows).most_common(1)[0]
    if width < 2:
        return (False, width)
    return (often >= _MOSTLY * len(rows), width)


def _share(rows: Sequence[Sequence[str]], width: int) -> float:
    return sum(len(row) == width for row in rows) / max(1, len(rows))


# ---- quotation marks

MARK = '"'
_AT_ONCE = 1 << 20


def is_quoted(path: Path, encoding: str, delimiter: str) -> bool:
    """Tell whether cells are quoted: always, but for tabs with marks that close nothing.

    Programs that write tab-separated text often quote nothing, as a tab is in no text. There a
    mark that opens a cell and does not close it is part of the text, provided that every line has
    as many cells as the others.
    """
    if delimiter != "\t" or not _has_marks(path):
        return True
    widths: set[int] = set()
    is_odd = False
    with open_text(path, encoding) as stream:
        for number, line in enumerate(stream):
            cells = line.rstrip("\r\n").split(delimiter)
            if number == 0:
                cells[0] = cells[0].removeprefix("\ufeff")
            elif cells != [""]:
                widths.add(len(cells))
            if MARK in line:
                is_odd = is_odd or not all(map(_closes, cells))
            if is_odd and len(widths) > 1:
                return True
    return not is_odd


def _has_marks(path: Path) -> bool:
    with open_bytes(path) as stream:
        while block := stream.read(_AT_ONCE):
            if MARK.encode() in block:
                return True
    return False


def _closes(cell: str) -> bool:
    """Tell whether a mark at the beginning is closed at the end, those inside doubled."""
    if not cell.startswith(MARK):
        return True
    inside = cell[1:-1].replace(MARK * 2, "")
    return len(cell) > 1 and cell.endswith(MARK) and MARK not in inside
