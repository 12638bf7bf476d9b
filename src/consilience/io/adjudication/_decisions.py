"""The way back: a filled sheet, checked row by row, becomes decisions."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from consilience.core.cell_values import as_number, whole
from consilience.core.input_files import PathLike, Said, check_paths
from consilience.core.words import counted, listed
from consilience.document import Finding
from consilience.document.blocks import found
from consilience.exceptions import InputError
from consilience.io.adjudication import _sheet as cells
from consilience.io.files.limits import refused
from consilience.io.files.parsing import csv_rows
from consilience.io.files.source import Member, Source
from consilience.io.grids.workbooks import is_ods, read_ods, read_workbook
from consilience.latent import resolve
from consilience.latent.resolved_labels import Resolved
from consilience.latent.votes import Entries, entries_of
from consilience.ratings import Ratings

# ---- rows, whatever the spreadsheet saved

_EMPTY_ROWS = 1_000  # after so many empty rows nothing more is expected

Rows = list[tuple[int, dict[int, str]]]  # number of the row; filled cells by their place


def sheet_rows(path: PathLike) -> tuple[Path, dict[str, int], Rows]:
    """Return the path, the place of each known column, and the filled rows with their numbers."""
    source = check_paths(path)[0]
    file = Source((source,)).files[0]
    table = _from_workbook(source) if file.head(2) == b"PK" else _from_text(file)
    number, names = table[0] if table else (0, {})
    places: dict[str, int] = {}
    for place, name in names.items():
        word = cells.unguarded(name).strip().casefold()
        if word in cells.RESERVED:
            places.setdefault(word, place)
    for word in (cells.ITEM, cells.GOLD):
        if word not in places:
            needed = f"one with the columns {cells.ITEM}, {cells.GOLD} and {cells.CHECK}"
            got = Said(", ".join(list(names.values())[:8]) or "no names at all")
            hint = "read back the sheet that was written, with its first row"
            raise InputError.expected(
                "the sheet", needed, got, hint, where=f"{source}, row {number or 1}"
            )
    if not table[1:]:
        raise refused(
            str(source), "the sheet", "filled with items", "no row below the names", "write it anew"
        )
    return source, places, table[1:]


def _from_text(file: Member) -> Rows:
    text = file.text()
    first = text.lstrip("\r\n").partition("\n")[0]
    delimiter = max(",;\t|", key=first.count)
    rows = csv_rows(text, file.where, delimiter)
    stripped = [{k: cell.strip() for k, cell in enumerate(row) if cell.strip()} for _, row in rows]
    return [(number, cells) for number, cells in enumerate(stripped, 1) if cells]


def _from_workbook(path: Path) -> Rows:
    """Read until the data end, not until a lost cell in the last row."""
    sheets = read_ods(path) if is_ods(path) else read_workbook(path)
    named = [sheet for sheet in sheets if sheet.name == "adjudication"]
    out: Rows = []
    for sheet in (named or sheets)[:1]:
        for row, column in sheet.errors:  # no decision, and no empty cell either
            sheet.rows.setdefault(row, {})[column] = "#N/A"
        for number in sorted(sheet.rows):
            if number - (out[-1][0] if out else 0) > _EMPTY_ROWS:
                break
            out.append((number, sheet.rows[number]))
    return out


_CHANGED = ("refuse", "repair")
_NEW_LABELS = ("refuse", "accept")


def read_sheet(
    path: PathLike,
    ratings: Ratings,
    *,
    model: Any = "auto",
    coefficient: str = "krippendorff_alpha",
    distance: Any = None,
    new_labels: str = "refuse",
    changed_ids: str = "refuse",
    confidence_level: float = 0.95,
) -> Resolved:
    """Read a filled adjudication sheet: decisions, raters against them, a label for every item.

    Use it with the same ratings that the sheet was written from. Every row is checked; what is
    wrong is told with its row number, and nothing is guessed.

    Parameters
    ----------
    path : path
        The sheet that `write_sheet` wrote, with the gold column filled as far as it goes.
    ratings : Ratings
    model, coefficient, distance, confidence_level : as for `consilience.latent.resolve`
    new_labels : {"refuse", "accept"}
        Whether the gold column may hold a label that no rater used.
    changed_ids : {"refuse", "repair"}
        What to do with an item whose name a spreadsheet changed, such as 001 to 1; "repair" takes
        the name that the check column stands for.

    Returns
    -------
    Resolved

    Raises
    ------
    InputError
        A name was changed, a row is there twice, a label is unknown, the sheet belongs to other
        ratings, or no row is filled.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import consilience as cs
    >>> ratings = cs.Ratings.from_wide([["a", "a"], ["a", "b"], ["b", "b"]], items=["p", "q", "r"])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "sheet.csv"
    >>> _ = cs.io.write_sheet(cs.latent.adjudicate(ratings), path)
    >>> _ = path.write_text(path.read_text("utf-8-sig").replace(",,", ",b,"))
    >>> [(one.label, one.source) for one in read_sheet(path, ratings).labels]
    [('a', 'unanimous'), ('b', 'gold'), ('b', 'unanimous')]
    """
    if not isinstance(ratings, Ratings):
        raise InputError.expected(
            "ratings", "Ratings", type(ratings).__name__, "read them with consilience.read"
        )
    for what, word, known in (
        ("new_labels", new_labels, _NEW_LABELS),
        ("changed_ids", changed_ids, _CHANGED),
    ):
        if word not in known:
            raise InputError.unknown_word(what, word, known)
    source, places, rows = sheet_rows(path)
    reader = _Reader(source, ratings, new_labels, changed_ids)
    for number, row in rows:
        reader.take(number, {name: row.get(place) for name, place in places.items()})
    if not reader.gold:
        got = f"{counted(len(rows), 'row')} without a label"
        hint = "write the decided label of each item there, save the sheet and read it again"
        raise refused(str(source), "the gold column", "filled in at least one row", got, hint)
    done = resolve(
        ratings,
        reader.gold,
        model=model,
        coefficient=coefficient,
        distance=distance,
        new_labels=new_labels,
        confidence_level=confidence_level,
    )
    return replace(done, findings=reader.findings(len(rows), has_check=cells.CHECK in places))


@dataclass
class _Reader:
    """Takes rows one by one and keeps what was decided and what was odd."""

    source: Path
    ratings: Ratings
    new_labels: str
    changed_ids: str
    gold: dict[object, object] = field(default_factory=dict)
    row_of: dict[object, int] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    total: int = 0
    stale: list[int] = field(default_factory=list)
    repaired: list[int] = field(default_factory=list)
    fresh: dict[str, int] = field(default_factory=dict)

    def take(self, number: int, row: Mapping[str, str | None]) -> None:
        """Check one row and keep its decision."""
        item = self._item(number, row.get(cells.ITEM), row.get(cells.CHECK))
        if item in self.row_of:
            got = f"item {item!r} in row {self.row_of[item]} and again in row {number}"
            hint = "keep the row that holds the decision"
            raise refused(f"{self.source}, row {number}", "each item", "in one row only", got, hint)
        self.row_of[item] = number
        decided = row.get(cells.GOLD)
        if decided is not None:
            self.gold[item] = self._label(number, decided)

    # ---------------------------------------------------------------- items

    @cached_property
    def _names(self) -> dict[str, object]:
        return {cells.text_of(name): name for name in self.ratings.items}

    @cached_property
    def _written(self) -> dict[str, str]:
        return cells.as_written(self._names)

    @cached_property
    def _by_check(self) -> dict[str, object]:
        return {cells.item_check(text): name for text, name in self._names.items()}

    def _item(self, number: int, text: str | None, check: str | None) -> object:
        where = f"{self.source}, row {number}"
        if text is None:
            hint = "restore the item's name, or delete the row"
            raise refused(where, "the item column", "filled in every row", "an empty cell", hint)
        name = self._written.get(text)
        parts = check.split("-") if check else []
        was = self._by_check.get(parts[0]) if parts else None
        expected = cells.item_check(name) if name is not None else None
        if parts and expected != parts[0]:
            return self._changed(number, text, was, parts, known=name is not None)
        if name is None:
            close = difflib.get_close_matches(text, list(self._names)[:100_000], n=1)
            hint = f"did you mean {close[0]!r}" if close else "is it a sheet of another file"
            raise InputError(
                f"{where}: every item must be one of the {self.ratings.n_items:,} that were rated. "
                f"Got {text!r}. Hint: {hint}?"
            )
        self._note_place(number, self._names[name], parts)
        return self._names[name]

    def _changed(
        self, number: int, text: str, was: object, parts: list[str], *, known: bool
    ) -> object:
        where = f"{self.source}, row {number}"
        if was is None:
            rated = listed(list(self._names)[:3])
            got = f"item {text!r}, whose check column does not fit"
            if not known:
                got = f"item {text!r}; rated were {rated} and so on"
            raise refused(
                where,
                "the sheet",
                "one that was written from these ratings",
                got,
                "read it with the file it was made from, read in the same way, and leave the "
                "columns item and check as they are",
            )
        if self.changed_ids == "repair":
            self.repaired.append(number)
            self._note_place(number, was, parts)
            return was
        what = "the item"
        hint = 'restore the name, or pass changed_ids="repair" to take it from the check column'
        raise InputError.expected(what, f"as it was written, {was!r}", text, hint, where=where)

    def _note_place(self, number: int, item: object, parts: list[str]) -> None:
        """Compare the ratings with those that the sheet was written from; note the row's place."""
        if len(parts) < 3:
            return
        if cells.check_of(item, self._labels_of(item)).split("-")[1] != parts[1]:
            self.stale.append(number)
        place, _, total = parts[2].partition("/")
        if place.isdigit() and total.isdigit():
            self.seen.add(int(place))
            self.total = max(self.total, int(total))

    @cached_property
    def _entries(self) -> tuple[Entries, dict[object, int], Any, Any]:
        import numpy as np

        entries = entries_of("read_sheet", self.ratings, need_raters=False)
        order = np.argsort(entries.item, kind="stable")
        ends = np.concatenate(
            [[0], np.cumsum(np.bincount(entries.item, minlength=entries.n_items))]
        )
        return entries, {name: k for k, name in enumerate(self.ratings.items)}, order, ends

    def _labels_of(self, item: object) -> dict[object, object]:
        entries, places, order, ends = self._entries
        place, labels = places[item], self.ratings.categories
        if not entries.n_raters:
            start, end = entries.counts.indptr[place : place + 2]
            codes, times = entries.counts.indices[start:end], entries.counts.data[start:end]
            return {labels[k]: int(n) for k, n in zip(codes, times, strict=True)}
        mine = order[ends[place] : ends[place + 1]]
        return {self.ratings.raters[entries.rater[e]]: labels[entries.label[e]] for e in mine}

    # ---------------------------------------------------------------- labels

    @cached_property
    def _known(self) -> cells.Labels:
        return cells.Labels(self.ratings.categories)

    def _label(self, number: int, cell: str) -> object:
        code = self._known.code(cell)
        if code is not None:
            return self.ratings.categories[code]
        text = cells.unguarded(cell)
        if self.new_labels == "accept":
            self.fresh[text] = self.fresh.get(text, 0) + 1
            return _as_number(text) if self.ratings.numbers is not None else text
        names = {cells.text_of(label).casefold(): label for label in self.ratings.categories}
        close = difflib.get_close_matches(text.casefold(), names, n=1)
        guess = (
            f"did you mean {cells.text_of(names[close[0]])!r}" if close else "choose one of these"
        )
        what = "the gold label"
        needed = f"one of {listed([cells.text_of(label) for label in self.ratings.categories], 20)}"
        hint = f'{guess}; or pass new_labels="accept" if it is meant as a new one'
        raise InputError.expected(what, needed, text, hint, where=f"{self.source}, row {number}")

    # ---------------------------------------------------------------- what was odd

    def findings(self, n_rows: int, *, has_check: bool) -> tuple[Finding, ...]:
        """Say what was odd; refuse a sheet whose ratings are mostly others."""
        if len(self.stale) > max(1, n_rows // 2):
            where = f"{self.source}, row {self.stale[0]}"
            needed = "one that was written from these ratings"
            got = f"other ratings in {len(self.stale):,} of {n_rows:,} rows"
            raise refused(where, "the sheet", needed, got, "read it with the file it was made from")
        open_rows = n_rows - len(self.gold)
        gone = self.total - len(self.seen) if self.total else 0
        missing = sorted(set(range(1, self.total + 1)) - self.seen) if gone else []
        open_told = f"{counted(open_rows, 'row')} of {n_rows:,} without a gold label."
        stale = (
            f"Ratings changed since the sheet was written in {_rows(self.stale)}. "
            "Look whether the decision still holds."
        )
        lost = (
            f"{counted(gone, 'row')} of the sheet as it was written "
            f"{'is' if gone == 1 else 'are'} missing: {_rows(missing)}, not counting "
            "the names. These items are treated as undecided."
        )
        repaired = f"Item names were taken from the check column in {_rows(self.repaired)}."
        fresh = f"New labels that no rater used: {listed(self.fresh)}."
        no_check = "The check column is gone, so changed names cannot be noticed."
        return found(
            (open_rows, "rows_without_decision", "info", open_told),
            (self.stale, "ratings_changed", "caution", stale),
            (missing, "rows_missing", "caution", lost),
            (self.repaired, "names_repaired", "caution", repaired),
            (self.fresh, "new_labels", "caution", fresh),
            (not has_check, "no_check_column", "caution", no_check),
        )


def _rows(numbers: list[int]) -> str:
    return f"{'row' if len(numbers) == 1 else 'rows'} {listed(numbers)}"


def _as_number(text: str) -> object:
    number = as_number(text)
    if number is None:
        raise InputError.expected(
            "a new gold label", "a number, as the others are", text, "write a number"
        )
    return whole(number)
