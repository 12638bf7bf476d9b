"""The input file of EasyDIAg: tier, begin, end, label and, for several films, the file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.annotations._rater_rules import split_last
from consilience.io.annotations._unit_numbers import number_at
from consilience.io.annotations.strands import Found, Strand, Wishes
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File

_TIMES = re.compile(r"\d{1,12}")


def _rows(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Cut lines at tabs; repeated tabs count as one."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, [cell.strip() for cell in re.split(r"\t+", line.strip("\t\r "))]


def _recognise(file: File) -> bool:
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
    recognise=_recognise,
    settled=True,
)
def read_easydiag(file: File, wishes: Wishes) -> Found:
    """Read EasyDIAg's columns: the rater is R1 or R2 at the end of the tier."""
    found = Found(file.path, "ms")
    width = 0
    for line, cells in _rows(file.lines):
        width = width or len(cells)
        if len(cells) != width or width not in (4, 5) or not all(cells):
            raise _wrong(
                file, line, "a line", "tier, begin, end, label and perhaps the file",
                Said(f"{len(cells)} cells"),
            )  # fmt: skip
        parts = split_last(cells[0])
        if parts is None or parts[1] not in ("R1", "R2"):
            raise _wrong(
                file, line, "the name of a tier", "one that ends in R1 or R2", cells[0][:60]
            )
        # EasyDIAg compares tiers in small letters.
        tier = f"{parts[0].lower()}_{parts[1]}"
        session = _film(cells[4]) if width == 5 else None
        start = number_at(cells[1], file.path, line, "the begin time")
        end = number_at(cells[2], file.path, line, "the end time")
        found.add(found.number(Strand(tier, session)), start, end, cells[3], line)
    return found


def _film(path: str) -> str:
    return re.split(r"[\\/]", path)[-1].rpartition(".")[0] or path


def _wrong(file: File, line: int, what: str, expectation: str, got: object) -> InputError:
    return InputError.expected(
        what, expectation, got, "export the tiers from ELAN again",
        where=f"{file.path}, line {line}",
    )  # fmt: skip
