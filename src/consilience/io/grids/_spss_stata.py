"""SPSS and Stata: labels of values, codes declared missing, and the level of measurement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from consilience.core.database import Session
from consilience.exceptions import MissingDependencyError, Option, Words
from consilience.io.files.child import Child
from consilience.io.files.limits import LARGEST_TEXT, MOST_COLUMNS, refused
from consilience.io.files.text import open_raw
from consilience.io.grids.delimited import load_scratch, write_scratch
from consilience.io.options import Request
from consilience.io.registry import register
from consilience.io.table import Table

MOST_CELLS = 50_000_000
READER = Child("_readstat_child.py")
_SCALES = {"nominal": "nominal", "ordinal": "ordinal", "scale": "interval"}
_OLD_STATA = tuple(bytes((release,)) + order for release in (105, 108, 110, 111, 113, 114, 115)
                   for order in (b"\x01", b"\x02"))  # fmt: skip


@dataclass
class _Columns:
    """The columns of a file as text cells, and what the file says about them."""

    names: list[str] = field(default_factory=list)
    cells: list[list[str]] = field(default_factory=list)
    scales: dict[str, str] = field(default_factory=dict)
    orders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    evidence: list[str] = field(default_factory=list)


def _is_spss(path: Path) -> bool:
    with open_raw(path) as stream:
        return stream.read(4) in (b"$FL2", b"$FL3")


def _is_stata(path: Path) -> bool:
    with open_raw(path) as stream:
        head = stream.read(11)
    return head == b"<stata_dta>" or (head.startswith(_OLD_STATA) and head[2:3] == b"\x01")


@register("spss", title="SPSS (.sav)", suffixes=(".sav", ".zsav"), magic=b"$FL", fits=_is_spss)
def load_spss(session: Session, paths: Sequence[Path], request: Request) -> Table:
    """Load SPSS files; codes that the file declares missing are missing."""
    return _load(session, paths, "spss", request)


@register("stata", title="Stata (.dta)", suffixes=(".dta",), magic=b"", fits=_is_stata)
def load_stata(session: Session, paths: Sequence[Path], request: Request) -> Table:
    """Load Stata files; the extended missing values .a to .z are missing."""
    return _load(session, paths, "stata", request)


def _load(session: Session, paths: Sequence[Path], kind: str, request: Request) -> Table:
    scratch: list[Path] = []
    evidence: list[str] = []
    scales: dict[str, str] = {}
    orders: dict[str, tuple[str, ...]] = {}
    places: list[tuple[Path, int]] = []  # each file with the number of its cases
    for path in paths:
        found = _read(session, path, kind, request.encoding)
        scratch.append(write_scratch(session, found.names, zip(*found.cells, strict=True)))
        places.append((path, len(found.cells[0])))
        evidence += found.evidence
        scales |= found.scales
        orders |= found.orders

    def locate(row: int) -> str:
        for path, cases in places:
            if row < cases:
                return f"{path}, case {row + 1:,}"
            row -= cases
        return str(paths[-1])

    table = load_scratch(
        session, scratch, paths, format=kind, header=True, locate=locate, evidence=evidence
    )
    return replace(table, scales=scales, orders=orders)


def _read(session: Session, path: Path, kind: str, encoding: str | None) -> _Columns:
    """Read one file in a process of its own, which a damaged one may end."""
    try:
        import pyreadstat  # noqa: F401 - the other process needs it
    except ImportError as error:
        raise MissingDependencyError.for_extra(
            "reading SPSS and Stata files", "pyreadstat", "stats"
        ) from error
    if path.stat().st_size > LARGEST_TEXT:
        raise refused(
            str(path),
            "the file",
            f"at most {LARGEST_TEXT >> 20:,} MB",
            "more than that",
            "export it as CSV",
        )
    request = {
        "path": str(path.resolve()),
        "kind": kind,
        "encoding": encoding,
        "most_columns": MOST_COLUMNS,
        "most_cells": MOST_CELLS,
    }
    target = session.scratch / (session.new_name(kind) + ".json")
    answer = READER.ask(request, target)
    if "error" in answer:
        raise refused(
            str(path),
            "the file",
            f"a complete {'SPSS' if kind == 'spss' else 'Stata'} file",
            answer["error"],
            Words(
                "check that it was copied completely, name its encoding with ",
                Option("encoding"),
                ", or export CSV",
            ),
        )
    target.unlink()
    _check_size(path, answer["width"], answer["height"])
    found = _columns(answer["columns"])
    if not found.cells or not found.cells[0]:
        raise refused(str(path), "the file", "filled with ratings", "no cases", "check the export")
    return found


def _check_size(path: Path, width: int, height: int | None) -> None:
    if width < 2 or height == 0:
        raise refused(
            str(path),
            "a table of ratings",
            "at least two columns wide and a case long",
            f"{width} columns and {height} cases",
            "check the export",
        )
    if width > MOST_COLUMNS or width * (height or 0) > MOST_CELLS:  # some writers do not tell
        raise refused(
            str(path),
            "the file",
            f"at most {MOST_COLUMNS:,} columns and {MOST_CELLS:,} cells",
            f"{width:,} columns and {height:,} cases",
            "export the columns with the ratings",
        )


# ---- columns


def _columns(given: Sequence[dict[str, Any]]) -> _Columns:
    found = _Columns()
    columns: list[_Column] = []
    for one in given:
        labels = {value: str(word) for value, word in one["labels"]}
        missing = _Missing(one["ranges"], one["letters"])
        kept = [None if missing.takes(value) else value for value in one["values"]]
        missing.tell(one["name"], labels, found.evidence)
        labels = {value: word for value, word in labels.items() if not missing.is_one(value)}
        columns.append(_Column(one["name"], kept, labels, _SCALES.get(one["measure"], "")))
    worded = _worded(columns, found.evidence)
    for column in columns:
        if column.scale:
            found.scales[column.name] = column.scale
        found.names.append(column.name)
        found.cells.append(column.words() if column.name in worded else column.codes())
        if column.name in worded:
            found.orders[column.name] = column.order()
    _propose(found)
    return found


@dataclass
class _Column:
    """One variable: values, None where missing, and what the values are called."""

    name: str
    values: list[Any]
    labels: dict[Any, str]
    scale: str
    used: set[Any] = field(init=False)

    def __post_init__(self) -> None:
        self.used = {value for value in self.values if value is not None and value != ""}

    def codes(self) -> list[str]:
        return [_cell(value) for value in self.values]

    def order(self) -> tuple[str, ...]:
        """Return the labels in the order of the codes, which an ordered scale needs."""
        codes = sorted(self.labels, key=lambda value: (isinstance(value, str), value))
        return tuple(dict.fromkeys(str(self.labels[code]).strip() for code in codes))

    def words(self) -> list[str]:
        words = {value: str(word).strip() for value, word in self.labels.items()}
        return [words.get(value, "") for value in self.values]


def _worded(columns: Sequence[_Column], evidence: list[str]) -> set[str]:
    """Return the columns whose values are replaced by their labels: all that share them, or none.

    Raters' columns must speak one language, so one value without a label, or one column that uses
    the codes without having labels, keeps the codes for all. On an ordered scale the codes carry
    the order and are kept.
    """
    sharing: dict[tuple[Any, ...], list[_Column]] = {}
    for column in columns:
        if column.labels:
            key = tuple(sorted(column.labels.items(), key=str))
            sharing.setdefault(key, []).append(column)
    bare = [column.used for column in columns if not column.labels and len(column.used) > 1]
    worded: set[str] = set()
    for alike in sharing.values():
        labels = alike[0].labels
        used = set().union(*(column.used for column in alike))
        words = [str(word).strip() for value, word in labels.items() if value in used]
        ordered = sorted(labels, key=lambda value: (isinstance(value, str), value))
        listed = ", ".join(f"{_cell(value)} = {labels[value]}" for value in ordered[:6])
        named = ", ".join(repr(column.name) for column in alike[:6])
        reason = ""
        if any(column.scale in ("ordinal", "interval") for column in alike):
            reason = "on an ordered scale"
        elif not used <= labels.keys() or len(set(words)) < len(words) or not all(words):
            reason = "not every value has a label of its own"
        elif any(values <= labels.keys() for values in bare):
            reason = "other columns use them without labels"
        if not reason:
            worded |= {column.name for column in alike}
        how = f"codes kept ({reason})" if reason else "labels in the order of their codes"
        evidence.append(f"{named}: {how}: {listed}")
    return worded


class _Missing:
    """Values that the file declares missing, counted."""

    def __init__(self, ranges: Sequence[Any], letters: Sequence[str]) -> None:
        self.ranges = [(low, high) for low, high in ranges]
        self.letters = set(letters)
        self.counts: dict[object, int] = {}

    def takes(self, value: object) -> bool:
        if self.is_one(value):
            self.counts[value] = self.counts.get(value, 0) + 1
            return True
        return False

    def is_one(self, value: object) -> bool:
        return value in self.letters or self.covers(value)

    def covers(self, value: object) -> bool:
        if isinstance(value, str):
            return any(
                isinstance(low, str) and low.strip() <= value.strip() <= high.strip()
                for low, high in self.ranges
            )
        return isinstance(value, (int, float)) and any(
            not isinstance(low, str) and low <= value <= high for low, high in self.ranges
        )

    def tell(self, name: str, labels: dict[Any, str], evidence: list[str]) -> None:
        for value, often in sorted(self.counts.items(), key=lambda pair: str(pair[0])):
            code = f".{value}" if value in self.letters else _cell(value)
            words = f" ({labels[value]!r})" if value in labels else ""
            evidence.append(f"{code}{words} is declared missing in {name!r}: {often:,} cases")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    return str(value).strip()


def _propose(found: _Columns) -> None:
    """Say which columns the file calls ordinal or a scale."""
    for scale in ("ordinal", "interval"):
        names = [name for name, one in found.scales.items() if one == scale]
        if names:
            listed = ", ".join(map(repr, names[:6])) + (" and more" if len(names) > 6 else "")
            found.evidence.append(f"the file calls {listed} {scale} (--scale proposed)")
