"""ELAN's tab-delimited export: the columns that were ticked, with or without a header."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.annotations._row_cells import Row, rows_of
from consilience.io.annotations.strands import Found, Strand, Wishes
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File

_CLOCK = re.compile(r"(?P<h>\d{1,4}):(?P<m>[0-5]?\d):(?P<s>[0-5]?\d)[.,](?P<ms>\d{1,3})")
_SMPTE = re.compile(r"\d{2}:\d{2}:\d{2}[:;]\d{2}")
_WHOLE = re.compile(r"\d{1,12}")
_SECONDS = re.compile(r"\d{1,9}[.,]\d{1,3}")
_KINDS = {"ms": _WHOLE, "clock": _CLOCK, "seconds": _SECONDS}
_RULES = ("tier-suffix", "tier-prefix", "participant", "tier", "column", "file")


@dataclass
class _Columns:
    """Which column is what."""

    begin: int
    end: int
    kind: str
    tier: int | None = None
    label: int | None = None
    participant: int | None = None
    file: int | None = None
    tiers: dict[int, str] = field(default_factory=dict)  # a column for each tier


def _is_header(cells: list[str]) -> bool:
    words = [cell.strip().casefold() for cell in cells]
    return any(w.startswith("begin time") for w in words) and any(
        w.startswith("end time") for w in words
    )


def _recognise(file: File) -> bool:
    lines = [line for line in file.head.splitlines() if line.strip()][:200]
    body = [line for line in lines if not line.startswith("#")]
    if not body or "\t" not in body[0]:
        return False
    if _is_header(body[0].split("\t")):
        return True
    rows = [line.split("\t") for line in (body[:-1] if len(lines) > 100 else body)]
    width = len(rows[0])
    return width >= 4 and all(len(row) == width for row in rows) and _unnamed(rows) is not None


@register(
    "elan-tab",
    title="tab-delimited text from ELAN",
    suffixes=(".txt", ".tsv", ".csv", ".tab"),
    rules=_RULES,
    recognise=_recognise,
)
def read_elan_tab(file: File, wishes: Wishes) -> Found:
    """Read annotations from a tab-delimited export; session is the file named in a column."""
    rows = rows_of(file, "\t", quoted=False)
    home = next((_film(c[0][1:]) for _, c in rows if c[0].startswith("#") and ".eaf" in c[0]), None)
    rows = [(line, cells) for line, cells in rows if not cells[0].startswith("#")]
    if not rows:
        raise _wrong(file.path, 1, "the file", "filled with annotations", Said("none"))
    if _is_header(rows[0][1]):
        columns = _named(file, rows)
        rows = rows[1:]
    else:
        unnamed = _unnamed([cells for _, cells in rows])
        if unnamed is None:
            raise _wrong(
                file.path, rows[0][0], "the columns", "a tier, times in one format and a label",
                Said(" | ".join(rows[0][1])[:60]),
            )  # fmt: skip
        columns = unnamed
    found = Found(file.path, "ms")
    for line, cells in rows:
        _add(found, (line, cells), columns, home)
    return found


def _add(found: Found, row: Row, columns: _Columns, home: str | None) -> None:
    line, cells = row

    def cell(at: int | None) -> str:
        return cells[at].strip() if at is not None and at < len(cells) else ""

    begin, end = (
        _time(found.path, line, cell(at), columns.kind) for at in (columns.begin, columns.end)
    )
    named = cell(columns.file)
    session = _film(named) if named else home
    who = cell(columns.participant)
    facts = (("participant", who),) if who else ()
    if columns.tiers:
        for at, tier in columns.tiers.items():
            if cell(at):
                strand = found.number(Strand(tier, session, facts))
                found.add(strand, begin, end, cell(at), line)
        return
    strand = found.number(Strand(cell(columns.tier) or "tier", session, facts))
    found.add(strand, begin, end, cell(columns.label), line)


def _time(path: Path, line: int, text: str, kind: str) -> int:
    match = _KINDS[kind].fullmatch(text)
    if match is None:
        raise _wrong(path, line, "a time", f"written as the others ({kind})", text[:40])
    if kind == "ms":
        return int(text)
    if kind == "seconds":
        whole, _, part = text.replace(",", ".").partition(".")
        return int(whole) * 1000 + int(part.ljust(3, "0"))
    hours, minutes, seconds = (int(match[key]) for key in "hms")
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + int(match["ms"].ljust(3, "0"))


def _named(file: File, rows: list[Row]) -> _Columns:
    """Understand a header."""
    line, cells = rows[0]
    heads = [cell.strip().casefold() for cell in cells]
    times = {}
    for name in ("begin time", "end time"):
        places = [k for k, head in enumerate(heads) if head.startswith(name)]
        times[name] = {_kind_at(rows[1:], k): k for k in reversed(places)}
    both = [k for k in _KINDS if all(k in found for found in times.values())]
    if not both:
        raise _wrong(
            file.path, line, "begin and end time", "in milliseconds, seconds or hh:mm:ss.ms",
            Said("SMPTE frames or another form"),
        )  # fmt: skip
    kind = both[0]
    columns = _Columns(times["begin time"][kind], times["end time"][kind], kind)
    others = []
    for k, head in enumerate(heads):
        if head.startswith(("begin time", "end time", "duration")) or not head:
            continue
        if head in ("tier", "tier name"):
            columns.tier = k
        elif head == "participant":
            columns.participant = k
        elif head in ("annotation", "annotation value", "value", "label"):
            columns.label = k
        elif head.startswith("file"):
            columns.file = k
        else:
            others.append(k)
    if columns.label is None and columns.tier is None:
        columns.tiers = {k: cells[k].strip() for k in others}
    elif columns.label is None and others:
        columns.label = others[-1]
    return columns


def _kind_at(rows: list[Row], at: int) -> str:
    texts = {cells[at].strip() for _, cells in rows[:1000] if at < len(cells)}
    for kind, pattern in _KINDS.items():
        if texts and all(pattern.fullmatch(text) for text in texts):
            return kind
    return "other"


def _unnamed(rows: list[list[str]]) -> _Columns | None:
    """Understand columns without names: tier, participant, times, label, file."""
    width = max(len(row) for row in rows)
    sample = [[cell.strip() for cell in row] for row in rows[:1000] if len(row) == width]
    if width < 4 or not sample:
        return None
    last = width - 1
    file = last if all(row[last].lower().endswith(".eaf") for row in sample) else None
    label = last - 1 if file is not None else last
    between = range(1, label)
    for kind, pattern in _KINDS.items():
        places = [k for k in between if all(pattern.fullmatch(row[k]) for row in sample)]
        if len(places) in (2, 3):
            participant = 1 if places[0] > 1 and not _is_time(sample, 1) else None
            return _Columns(places[0], places[1], kind, 0, label, participant, file)
    return None


def _is_time(rows: list[list[str]], at: int) -> bool:
    patterns = (*_KINDS.values(), _SMPTE)
    return any(all(p.fullmatch(row[at]) for row in rows) for p in patterns)


def _film(path: str) -> str:
    name = re.split(r"[\\/]", path.strip())[-1]
    return name[:-4] if name.lower().endswith(".eaf") else name


def _wrong(path: Path, line: int, what: str, expectation: str, got: object) -> InputError:
    return InputError.expected(
        what, expectation, got, "export again from ELAN with msec ticked",
        where=f"{path}, line {line}",
    )  # fmt: skip
