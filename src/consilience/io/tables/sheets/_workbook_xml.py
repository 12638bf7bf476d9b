"""The XML inside workbooks: parsed within limits, from archives that are no bombs."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

from consilience.exceptions import InputError
from consilience.io.bytes import _strict_xml
from consilience.io.bytes._guarded import refused
from consilience.io.bytes._source import Member
from consilience.io.bytes.limits import LARGEST_RATIO, LARGEST_UNPACKED, RATIO_COUNTS_FROM


def parse_xml(
    part: Member,
    start: Callable[[str, dict[str, str]], object],
    end: Callable[[str], object] = lambda _: None,
    text: Callable[[str], object] | None = None,
) -> None:
    """Walk through one part of a workbook."""
    try:
        _strict_xml.walk(part.bytes(), part.where, start, end, text)
    except InputError:
        raise
    except (ValueError, LookupError, OverflowError) as error:
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
    if unpacked > LARGEST_UNPACKED or unpacked > max(LARGEST_RATIO * packed, RATIO_COUNTS_FROM):
        raise refused(
            str(path), "a workbook",
            f"at most {LARGEST_UNPACKED >> 20} MB and {LARGEST_RATIO} times larger when unpacked",
            f"{unpacked >> 20:,} MB from {packed:,} bytes", "save the sheet as CSV",
        )  # fmt: skip
