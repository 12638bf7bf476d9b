"""RTTM: one speaker turn a line."""

from __future__ import annotations

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.annotations._rater_rules import ONE_TIER
from consilience.io.annotations._unit_numbers import number_at
from consilience.io.annotations.strands import Found, Strand, Wishes
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File

_TYPES = frozenset((
    "SPEAKER", "SPKR-INFO", "LEXEME", "NON-LEX", "NON-SPEECH", "SEGMENT", "NOSCORE",
    "NO_RT_METADATA", "SU", "EDIT", "FILLER", "IP", "CB", "A/P",
))  # fmt: skip


def _recognise(file: File) -> bool:
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
    recognise=_recognise,
)
def read_rttm(file: File, wishes: Wishes) -> Found:
    """Read SPEAKER lines: session is the recording, label the speaker, tier the channel."""
    found = Found(file.path, "s", in_seconds=True)
    for line, text in enumerate(file.lines, start=1):
        words = text.split()
        if not words or words[0][0] in ";#":
            continue
        if words[0] not in _TYPES:
            raise _wrong(file, line, "a line", "one that begins with SPEAKER", words[0][:40])
        if words[0] != "SPEAKER":
            found.ledger.set_aside(
                "lines", words[0], reason="only SPEAKER lines are units", matters=False
            )
            continue
        if len(words) < 8:
            raise _wrong(file, line, "a SPEAKER line", "of 9 or 10 words", Said(f"{len(words)}"))
        start = number_at(words[3], file.path, line, "the onset")
        length = number_at(words[4], file.path, line, "the duration")
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


def _wrong(file: File, line: int, what: str, expectation: str, got: object) -> InputError:
    return InputError.expected(
        what, expectation, got, "correct the line", where=f"{file.path}, line {line}"
    )
