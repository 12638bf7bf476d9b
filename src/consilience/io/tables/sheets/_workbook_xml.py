"""The XML inside workbooks: parsed within limits, from archives that are no bombs."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.parsers import expat

from consilience.exceptions import InputError
from consilience.io.bytes._guarded import refused
from consilience.io.bytes._source import LARGEST_RATIO, LARGEST_UNPACKED, Member

_DEEPEST = 200
_SMALL = 1 << 20  # bytes; below, any ratio is harmless

Start = Callable[[str, dict[str, str]], None]
End = Callable[[str], None]


def parse_xml(part: Member, start: Start, end: End | None = None, text: Any = None) -> None:
    """Walk through one part; a declaration of entities is refused, and too deep a nesting."""
    depth = 0

    def opened(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise refused(
                part.where, "the file", f"nested at most {_DEEPEST} levels deep",
                "more", "save it again from the spreadsheet program",
            )  # fmt: skip
        start(name.rpartition(":")[2], attributes)

    def closed(name: str) -> None:
        nonlocal depth
        depth -= 1
        if end is not None:
            end(name.rpartition(":")[2])

    def declared(*_: object) -> None:
        raise refused(
            part.where, "the file", "free of document type declarations", "one",
            "save it again from the spreadsheet program",
        )  # fmt: skip

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    parser.StartDoctypeDeclHandler = declared
    parser.CharacterDataHandler = text
    try:
        parser.Parse(part.bytes(), True)
    except expat.ExpatError as error:
        raise refused(
            part.where, "the file", "a complete workbook", str(error),
            "save it again from the spreadsheet program",
        ) from None  # fmt: skip
    except (ValueError, LookupError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise refused(
            part.where, "the file", "a complete workbook", f"{str(error)[:80]!r}",
            "save it again from the spreadsheet program",
        ) from None  # fmt: skip


def check_sizes(path: Path) -> None:
    """Refuse a bomb by what its directory admits; what it hides is counted while it unpacks."""
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(info.file_size for info in archive.infolist())
    except Exception:
        return  # the guarded reading says what is wrong
    packed = path.stat().st_size
    if unpacked > LARGEST_UNPACKED or unpacked > max(LARGEST_RATIO * packed, _SMALL):
        raise refused(
            str(path), "a workbook",
            f"at most {LARGEST_UNPACKED >> 20} MB and {LARGEST_RATIO} times larger when unpacked",
            f"{unpacked >> 20:,} MB from {packed:,} bytes", "save the sheet as CSV",
        )  # fmt: skip
