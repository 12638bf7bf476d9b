"""The sheet that goes to the adjudicator: contested items, a suggestion, an empty gold column."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.core.input_files import PathLike
from consilience.core.output_files import check_target, written_beside
from consilience.exceptions import InputError, MissingDependencyError
from consilience.io.adjudication import _sheet_cells as cells
from consilience.io.tables.sheets.workbook_writing import (
    never_a_formula,
    new_workbook,
    save_workbook,
)
from consilience.latent import Adjudication

ENDINGS = (".xlsx", ".csv", ".tsv")
_MOST_RATER_COLUMNS = 40
_MOST_ROWS = 1_000_000  # a spreadsheet ends at 1,048,576 rows
_WIDTHS = {cells.ITEM: 16, cells.TEXT: 60, cells.RATINGS: 50, cells.GOLD: 18, cells.CHECK: 26}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A sheet that was written."""

    path: str
    n_rows: int
    n_contested: int
    columns: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Return plain data with stable keys."""
        return {
            "path": self.path,
            "rows": self.n_rows,
            "contested": self.n_contested,
            "columns": list(self.columns),
        }


def write_sheet(
    adjudication: Adjudication,
    path: PathLike,
    *,
    text: Mapping[Any, object] | None = None,
    top: int | None = None,
    which: str = "contested",
    existing: str = "refuse",
    gold: Mapping[Any, object] | None = None,
) -> Sheet:
    """Write the items to adjudicate as a spreadsheet, with an empty column for the decision.

    Use it to hand contested items to the person who decides; `read_sheet` takes the filled sheet
    back. Leave the columns ``item`` and ``check`` as they are.

    Parameters
    ----------
    adjudication : Adjudication
        Made by `consilience.latent.adjudicate`.
    path : path
        Ending in .xlsx, which offers the labels in a list, in .csv or in .tsv.
    text : mapping, optional
        Item to what the adjudicator should read.
    top : int, optional
        Write so many items only, the most contested ones.
    which : {"contested", "rated", "all"}
        Which items to write; "contested" are those with at least two different labels.
    existing : {"refuse", "replace"}
        What to do when the file exists, and may have been filled.
    gold : mapping, optional
        Item to the label that was decided already, to be filled in.

    Returns
    -------
    Sheet

    Raises
    ------
    InputError
        The file exists, cannot be written, or there is nothing to adjudicate.

    Notes
    -----
    Text that a spreadsheet would take for a formula is written with an apostrophe before it. The
    ``check`` column holds a checksum of the item's name, one of its ratings, and the row's place.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import consilience as cs
    >>> ratings = cs.Ratings.from_wide([["a", "a"], ["a", "b"]], items=["p", "q"])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "sheet.csv"
    >>> write_sheet(cs.latent.adjudicate(ratings), path).n_rows
    1
    """
    if not isinstance(adjudication, Adjudication):
        raise InputError.expected(
            "adjudication",
            "an Adjudication",
            type(adjudication).__name__,
            "make it with consilience.latent.adjudicate(ratings)",
        )
    if text is not None and not isinstance(text, Mapping):
        raise InputError.expected("text", "a mapping from item to text", text, "use a dict")
    target = check_target(path, existing, ENDINGS)
    places = adjudication.places(top=top, which=which).tolist()
    _check_rows(adjudication, places, which)
    heads = _heads(adjudication, text)
    rows = _rows(adjudication, places, text, gold or {})
    with written_beside(target, existing=existing) as beside:
        if target.suffix.lower() == ".xlsx":
            _write_xlsx(beside, heads, rows, adjudication.ratings.categories, len(places))
        else:
            _write_text(beside, heads, rows, "," if target.suffix.lower() == ".csv" else "\t")
    return Sheet(
        path=str(target),
        n_rows=len(places),
        n_contested=int(adjudication.contested.sum()),
        columns=tuple(heads),
    )


def _check_rows(adjudication: Adjudication, places: Sequence[int], which: str) -> None:
    if not places:
        raise InputError.expected(
            "ratings",
            "contested on at least one item",
            f"{adjudication.ratings.n_items} items without different labels",
            'nothing has to be decided; write every item with which="all"',
        )
    if len(places) > _MOST_ROWS:
        raise InputError.expected(
            "the sheet", f"at most {_MOST_ROWS:,} rows long", len(places), "pass top=1000"
        )
    names = {cells.text_of(adjudication.ratings.items[place]) for place in places}
    if len(names) < len(places):
        raise InputError.expected(
            "item names",
            "different from each other when written down",
            f"{len(places)} items, {len(names)} names",
            "rename items that differ in kind only, such as 1 and '1'",
        )


def _heads(adjudication: Adjudication, text: Mapping[Any, object] | None) -> list[str]:
    middle = [cells.RATINGS]
    if _has_rater_columns(adjudication):
        middle = []
        for rater in adjudication.ratings.raters:
            name = cells.text_of(rater)
            taken = name.casefold() in cells.RESERVED or name in middle or not name.strip()
            middle.append(f"rater {name}" if taken else name)
    return [
        cells.ITEM,
        *([cells.TEXT] if text is not None else []),
        *middle,
        cells.SUGGESTED,
        cells.PROBABILITY,
        cells.ENTROPY,
        cells.GOLD,
        cells.CHECK,
    ]


def _has_rater_columns(adjudication: Adjudication) -> bool:
    return 0 < len(adjudication.ratings.raters) <= _MOST_RATER_COLUMNS


def _rows(
    adjudication: Adjudication,
    places: Sequence[int],
    text: Mapping[Any, object] | None,
    gold: Mapping[Any, object],
) -> Iterator[list[object]]:
    raters = adjudication.ratings.raters
    for row, place in enumerate(places, 1):
        one = adjudication.at(place)
        name = cells.text_of(one.item)
        out: list[object] = [cells.guarded(name)]
        if text is not None:
            said = text.get(one.item, text.get(name))
            out.append(None if said is None else cells.guarded(str(said)))
        if _has_rater_columns(adjudication):
            out += [cells.cell_of(one.labels.get(rater)) for rater in raters]
        else:
            out.append(cells.guarded(_in_one_cell(one.labels, counted=not raters)))
        check = f"{cells.check_of(one.item, one.labels)}-{row}/{len(places)}"
        out += [cells.cell_of(one.suggested), _number(one.probability), _number(one.entropy)]
        yield [*out, cells.cell_of(gold.get(one.item)), check]


def _in_one_cell(labels: Mapping[object, object], *, counted: bool) -> str:
    if counted:
        return "; ".join(f"{cells.text_of(label)} × {n}" for label, n in labels.items())
    return "; ".join(f"{cells.text_of(who)}: {cells.text_of(x)}" for who, x in labels.items())


def _number(value: float) -> float | None:
    return round(value, 4) if value == value else None  # noqa: PLR0124 - NaN is no number


def _write_text(path: Path, heads: list[str], rows: Iterator[list[object]], delimiter: str) -> None:
    # Spreadsheets take a file without this mark for one in the encoding of the country.
    with path.open("w", encoding="utf-8-sig", newline="", errors="replace") as stream:
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\r\n")
        writer.writerow([cells.guarded(head) for head in heads])
        writer.writerows(rows)


def _write_xlsx(
    path: Path,
    heads: list[str],
    rows: Iterator[list[object]],
    categories: Sequence[object],
    n_rows: int,
) -> None:
    try:
        from openpyxl.styles import Font
        from openpyxl.utils import get_column_letter
        from openpyxl.worksheet.datavalidation import DataValidation
    except ImportError as error:
        raise MissingDependencyError.for_extra("writing .xlsx files", "openpyxl") from error

    with new_workbook() as book:
        sheet = book.create_sheet("adjudication")
        sheet.freeze_panes = "B2"
        for place, head in enumerate(heads, 1):
            sheet.column_dimensions[get_column_letter(place)].width = _WIDTHS.get(head, 14)

        def written(value: object, *, bold: bool = False) -> Any:
            cell = never_a_formula(sheet, value)
            if isinstance(value, str):
                cell.number_format = "@"
            if bold:
                cell.font = Font(bold=True)
            return cell

        column = get_column_letter(heads.index(cells.GOLD) + 1)
        offered = DataValidation(
            type="list",
            formula1=f"labels!$A$1:$A${len(categories)}",
            allow_blank=True,
            showErrorMessage=False,  # a new label is a decision, too
        )
        offered.add(f"{column}2:{column}{n_rows + 1}")
        sheet.data_validations.append(offered)
        sheet.append([written(cells.guarded(head), bold=True) for head in heads])
        for row in rows:
            sheet.append([None if value is None else written(value) for value in row])
        labels = book.create_sheet("labels")
        for label in categories:
            labels.append([written(cells.cell_of(label))])
        save_workbook(book, path)
