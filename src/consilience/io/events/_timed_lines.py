"""A line for each unit: speaker turns as RTTM, and the input file of EasyDIAg."""

from __future__ import annotations

import re
from collections.abc import Iterator

from consilience.core.input_files import Said
from consilience.io.events.rater_rules import ONE_TIER, split_last
from consilience.io.events.registry import Found, Strand, Wishes, register
from consilience.io.events.unit_files import File, number_at

# ---- RTTM

_TYPES = frozenset((
    "SPEAKER", "SPKR-INFO", "LEXEME", "NON-LEX", "NON-SPEECH", "SEGMENT", "NOSCORE",
    "NO_RT_METADATA", "SU", "EDIT", "FILLER", "IP", "CB", "A/P",
))  # fmt: skip


def _is_rttm(file: File) -> bool:
    if file.suffix == ".rttm":
        return True
    first = next((line for line in file.head.splitlines() if line and line[0] not in ";#"), "")
    words = first.split()
    return len(words) >= 9 and words[0] in _TYPES


@register(
    "rttm",
    title="RTTM",
    suffixes=(".rttm",),
    rules=("file", "folder", "file-suffix", "file-prefix"),
    recognise=_is_rttm,
)
def read_rttm(file: File, wishes: Wishes) -> Found:
    """Read SPEAKER lines: session is the recording, label the speaker, tier the channel."""
    found = Found(file.path, "s", in_seconds=True)
    for line, text in enumerate(file.lines, start=1):
        words = text.split()
        if not words or words[0][0] in ";#":
            continue
        if words[0] not in _TYPES:
            raise file.wrong(line, "a line", "one that begins with SPEAKER", words[0][:40])
        if words[0] != "SPEAKER":
            found.ledger.set_aside(
                "lines", words[0], reason="only SPEAKER lines are units", matters=False
            )
            continue
        if len(words) < 8:
            raise file.wrong(line, "a SPEAKER line", "of 9 or 10 words", Said(f"{len(words)}"))
        start = number_at(words[3], file, line, "the onset")
        length = number_at(words[4], file, line, "the duration")
        channel = words[2]
        tier = ONE_TIER if channel in ("1", "0", "<NA>") else f"channel {channel}"
        strand = found.number(Strand(tier, words[1]))
        found.add(strand, start, _end(start, length), words[7], line)
    return found


def _end(start: float, length: float) -> float:
    """Add in milliseconds where both are whole ones, so that no digit appears from nowhere."""
    first, more = round(start * 1000), round(length * 1000)
    if first / 1000 == start and more / 1000 == length:
        return (first + more) / 1000
    return start + length


# ---- EasyDIAg

_TIMES = re.compile(r"\d{1,12}")
_AGAIN = "export the tiers from ELAN again"


def _rows(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Cut lines at tabs; repeated tabs count as one."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, [cell.strip() for cell in re.split(r"\t+", line.strip("\t\r "))]


def _is_easydiag(file: File) -> bool:
    lines = file.head.splitlines()[:200]
    rows = [cells for _, cells in _rows(lines[:-1] if len(lines) > 100 else lines)]
    return bool(rows) and all(
        len(cells) in (4, 5)
        and cells[0].endswith(("R1", "R2"))
        and all(_TIMES.fullmatch(cell) for cell in cells[1:3])
        and (len(cells) == 4 or cells[4].lower().endswith((".eaf", ".opf")))
        for cells in rows
    )


@register(
    "easydiag",
    title="the input of EasyDIAg",
    suffixes=(".txt", ".tsv", ".csv", ".tab"),
    rules=("tier-suffix",),
    recognise=_is_easydiag,
    settled=True,
)
def read_easydiag(file: File, wishes: Wishes) -> Found:
    """Read EasyDIAg's columns: the rater is R1 or R2 at the end of the tier."""
    found = Found(file.path, "ms")
    width = 0
    for line, cells in _rows(file.lines):
        width = width or len(cells)
        if len(cells) != width or width not in (4, 5) or not all(cells):
            got = Said(f"{len(cells)} cells")
            form = "tier, begin, end, label and perhaps the file"
            raise file.wrong(line, "a line", form, got, _AGAIN)
        parts = split_last(cells[0])
        if parts is None or parts[1] not in ("R1", "R2"):
            form = "one that ends in R1 or R2"
            raise file.wrong(line, "the name of a tier", form, cells[0][:60], _AGAIN)
        # EasyDIAg compares tiers in small letters.
        tier = f"{parts[0].lower()}_{parts[1]}"
        session = _film(cells[4]) if width == 5 else None
        start = number_at(cells[1], file, line, "the begin time")
        end = number_at(cells[2], file, line, "the end time")
        found.add(found.number(Strand(tier, session)), start, end, cells[3], line)
    return found


def _film(path: str) -> str:
    return re.split(r"[\\/]", path)[-1].rpartition(".")[0] or path
