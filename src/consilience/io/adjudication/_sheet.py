"""The sheet of contested items that goes to the adjudicator, and the final labels."""

from __future__ import annotations

import csv
import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from consilience.core.cell_values import as_number
from consilience.core.database import Session
from consilience.core.input_files import PathLike
from consilience.core.labels import LabelSet, as_float, is_number
from consilience.core.output_files import check_target, written_beside
from consilience.core.words import printable
from consilience.document.records import Recorded, csv_line, spreadsheet_safe
from consilience.exceptions import InputError, MissingDependencyError
from consilience.io.grids.workbooks import never_a_formula, new_workbook, save_workbook
from consilience.latent.adjudication import Adjudication
from consilience.latent.resolved_labels import Resolved

# ---- cells

ITEM, TEXT, SUGGESTED, PROBABILITY, ENTROPY, GOLD, CHECK = (
    "item", "text", "suggested", "probability", "entropy", "gold", "check",
)  # fmt: skip
RATINGS = "ratings"
RESERVED = (ITEM, TEXT, RATINGS, SUGGESTED, PROBABILITY, ENTROPY, GOLD, CHECK)
LONGEST_TEXT = 32_000  # a cell of a spreadsheet holds 32,767 characters
_GUARD = "'"


def text_of(value: object) -> str:
    """Write a name or a label as text; numbers that are whole without a decimal point."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def cell_of(value: object) -> object:
    """Return what stands in the cell: numbers as numbers, all else as guarded text."""
    if value is None:
        return None
    if is_number(value):
        number = as_float(value)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    return guarded(text_of(value))


def guarded(text: str) -> str:
    """Make text harmless: no formula, no control character, not longer than a cell."""
    kept = "".join(c if c in "\n\t" else printable(c) for c in text) if text else text
    if len(kept) > LONGEST_TEXT:
        kept = kept[: LONGEST_TEXT - 1] + "…"
    if _is_plain_number(kept):
        return kept
    return str(spreadsheet_safe(kept))


def _is_plain_number(text: str) -> bool:
    """Tell whether a text such as -0.5 is a number, which a spreadsheet may take for one."""
    if not text.strip().lstrip("+-").replace(".", "", 1).isdigit():
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True


def as_written(names: Iterable[str]) -> dict[str, str]:
    """Map what stands in the cell, without blanks around it, to the name that was meant."""
    listed = list(names)
    out = {name.strip(): name for name in listed}
    return out | {guarded(name).strip(): name for name in listed} | {name: name for name in listed}


def unguarded(text: str) -> str:
    """Take the guard away from a text that would have been taken for a formula."""
    bare = text.removeprefix(_GUARD)
    return bare if bare != text and spreadsheet_safe(bare) != bare else text


def check_of(item: object, labels: Mapping[object, object]) -> str:
    """Return a checksum of an item's name and one of its ratings."""
    parts = sorted(f"{text_of(who)}\x1f{text_of(label)}" for who, label in labels.items())
    return f"{item_check(text_of(item))}-{_digest(chr(30).join(parts), 6)}"


def item_check(name: str) -> str:
    """Return the checksum of an item's name; the letter keeps spreadsheets from seeing a number."""
    return f"c{_digest(name, 8)}"


def _digest(text: str, size: int) -> str:
    data = f"consilience sheet 1\x1e{text}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:size]


class Labels:
    """Finds the label that a cell means."""

    def __init__(self, categories: Sequence[object]) -> None:
        self.categories = tuple(categories)
        self._by_text = {text_of(label): k for k, label in reversed(list(enumerate(categories)))}
        self._written = as_written(self._by_text)
        self._by_members = {
            frozenset(map(text_of, label)): k
            for k, label in enumerate(categories)
            if isinstance(label, LabelSet)
        }
        self._by_number = {
            as_float(label): k for k, label in enumerate(categories) if is_number(label)
        }

    def code(self, cell: str) -> int | None:
        """Return the place of the label, or None if there is no such label."""
        # A spreadsheet turns the word true into a truth value, which it writes as TRUE.
        words = (cell, cell.capitalize(), cell.lower()) if cell in ("TRUE", "FALSE") else (cell,)
        for word in words:
            if word in self._written:
                return self._by_text[self._written[word]]
        if self._by_members:  # a person may write the members of a set in any order
            members = re.split(r"[,;|]", cell.strip().removeprefix("{").removesuffix("}"))
            return self._by_members.get(frozenset(one.strip() for one in members) - {""})
        number = as_number(cell)
        return None if number is None else self._by_number.get(number)


# ---- the sheet that goes out

SHEET_ENDINGS = (".xlsx", ".csv", ".tsv")
_MOST_RATER_COLUMNS = 40
_MOST_ROWS = 1_000_000  # a spreadsheet ends at 1,048,576 rows
_WIDTHS = {ITEM: 16, TEXT: 60, RATINGS: 50, GOLD: 18, CHECK: 26}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet(Recorded):
    """A sheet that was written."""

    renamed: ClassVar[Mapping[str, str]] = {"n_rows": "rows", "n_contested": "contested"}
    path: str
    n_rows: int
    n_contested: int
    columns: tuple[str, ...]


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
        what = "adjudication"
        hint = "make it with consilience.latent.adjudicate(ratings)"
        raise InputError.expected(what, "an Adjudication", type(adjudication).__name__, hint)
    if text is not None and not isinstance(text, Mapping):
        raise InputError.expected("text", "a mapping from item to text", text, "use a dict")
    target = check_target(path, existing, SHEET_ENDINGS)
    places = adjudication.places(top=top, which=which).tolist()
    _check_rows(adjudication, places, which)
    heads = _heads(adjudication, text)
    rows = _rows(adjudication, places, text, gold or {})
    with written_beside(target, existing=existing) as beside:
        if target.suffix.lower() == ".xlsx":
            _write_xlsx(beside, heads, rows, adjudication.ratings.categories, len(places))
        else:
            _write_sheet_text(beside, heads, rows, "," if target.suffix.lower() == ".csv" else "\t")
    return Sheet(
        path=str(target),
        n_rows=len(places),
        n_contested=int(adjudication.contested.sum()),
        columns=tuple(heads),
    )


def _check_rows(adjudication: Adjudication, places: Sequence[int], which: str) -> None:
    if not places:
        got = f"{adjudication.ratings.n_items} items without different labels"
        hint = 'nothing has to be decided; write every item with which="all"'
        raise InputError.expected("ratings", "contested on at least one item", got, hint)
    if len(places) > _MOST_ROWS:
        raise InputError.expected(
            "the sheet", f"at most {_MOST_ROWS:,} rows long", len(places), "pass top=1000"
        )
    names = {text_of(adjudication.ratings.items[place]) for place in places}
    if len(names) < len(places):
        what = "item names"
        needed = "different from each other when written down"
        hint = "rename items that differ in kind only, such as 1 and '1'"
        raise InputError.expected(what, needed, f"{len(places)} items, {len(names)} names", hint)


def _heads(adjudication: Adjudication, text: Mapping[Any, object] | None) -> list[str]:
    middle = [RATINGS]
    if _has_rater_columns(adjudication):
        middle = []
        for rater in adjudication.ratings.raters:
            name = text_of(rater)
            taken = name.casefold() in RESERVED or name in middle or not name.strip()
            middle.append(f"rater {name}" if taken else name)
    return [
        ITEM,
        *([TEXT] if text is not None else []),
        *middle,
        SUGGESTED,
        PROBABILITY,
        ENTROPY,
        GOLD,
        CHECK,
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
        name = text_of(one.item)
        out: list[object] = [guarded(name)]
        if text is not None:
            said = text.get(one.item, text.get(name))
            out.append(None if said is None else guarded(str(said)))
        if _has_rater_columns(adjudication):
            out += [cell_of(one.labels.get(rater)) for rater in raters]
        else:
            out.append(guarded(_in_one_cell(one.labels, counted=not raters)))
        check = f"{check_of(one.item, one.labels)}-{row}/{len(places)}"
        out += [cell_of(one.suggested), _number(one.probability), _number(one.entropy)]
        yield [*out, cell_of(gold.get(one.item)), check]


def _in_one_cell(labels: Mapping[object, object], *, counted: bool) -> str:
    if counted:
        return "; ".join(f"{text_of(label)} × {n}" for label, n in labels.items())
    return "; ".join(f"{text_of(who)}: {text_of(x)}" for who, x in labels.items())


def _number(value: float) -> float | None:
    return round(value, 4) if value == value else None  # noqa: PLR0124 - NaN is no number


def _write_sheet_text(
    path: Path, heads: list[str], rows: Iterator[list[object]], delimiter: str
) -> None:
    # Spreadsheets take a file without this mark for one in the encoding of the country.
    with path.open("w", encoding="utf-8-sig", newline="", errors="replace") as stream:
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\r\n")
        writer.writerow([guarded(head) for head in heads])
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

        column = get_column_letter(heads.index(GOLD) + 1)
        offered = DataValidation(
            type="list",
            formula1=f"labels!$A$1:$A${len(categories)}",
            allow_blank=True,
            showErrorMessage=False,  # a new label is a decision, too
        )
        offered.add(f"{column}2:{column}{n_rows + 1}")
        sheet.data_validations.append(offered)
        sheet.append([written(guarded(head), bold=True) for head in heads])
        for row in rows:
            sheet.append([None if value is None else written(value) for value in row])
        labels = book.create_sheet("labels")
        for label in categories:
            labels.append([written(cell_of(label))])
        save_workbook(book, path)


# ---- final labels

LABEL_ENDINGS = (".csv", ".tsv", ".parquet")
_GUARDS = ("spreadsheet", "none")
HEADS = ("item", "label", "source", "probability")


def write_labels(
    resolved: Resolved, path: PathLike, *, existing: str = "refuse", guard: str = "spreadsheet"
) -> int:
    """Write the final label of every item: item, label, source, probability.

    Use it as the last step of adjudication. The source is "gold", "unanimous", "model",
    "majority" or "median"; "none" stands for an item that nobody rated.

    Parameters
    ----------
    resolved : Resolved
    path : path
        Ending in .csv, .tsv or .parquet.
    existing : {"refuse", "replace"}
    guard : {"spreadsheet", "none"}
        Whether text that a spreadsheet would compute gets an apostrophe; never in Parquet.

    Returns
    -------
    int
        Number of rows.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import consilience as cs
    >>> ratings = cs.Ratings.from_wide([["a", "a"], ["a", "b"]], items=["p", "q"])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> write_labels(cs.latent.resolve(ratings, {"q": "b"}), path)
    2
    >>> print(path.read_text().splitlines()[2])
    q,b,gold,1.0
    """
    if not isinstance(resolved, Resolved):
        raise InputError.expected(
            "resolved", "what read_sheet returned", type(resolved).__name__, "read the sheet first"
        )
    if guard not in _GUARDS:
        raise InputError.unknown_word("guard", guard, _GUARDS)
    target = check_target(path, existing, LABEL_ENDINGS)
    suffix = target.suffix.lower()
    with written_beside(target, existing=existing) as beside:
        if suffix == ".parquet":
            _write_parquet(resolved, beside)
        else:
            delimiter = "," if suffix == ".csv" else "\t"
            _write_label_text(resolved, beside, delimiter, is_guarded=guard == "spreadsheet")
    return len(resolved.labels)


def _write_label_text(resolved: Resolved, path: Path, delimiter: str, *, is_guarded: bool) -> None:
    with path.open("w", encoding="utf-8", newline="", errors="replace") as stream:
        stream.write(csv_line(HEADS, delimiter=delimiter))
        for one in resolved.labels:
            row = [one.item, one.label]
            shown = [cell_of(x) if is_guarded else _bare(x) for x in row]
            sure = "" if math.isnan(one.probability) else one.probability
            stream.write(csv_line([*shown, one.source, sure], delimiter=delimiter))


def _bare(value: object) -> object:
    return "" if value is None else text_of(value)


def _write_parquet(resolved: Resolved, path: Path) -> None:
    """Let DuckDB write it, by way of a text file in its scratch folder."""
    with Session() as session:
        scratch = session.scratch / "labels.csv"
        _write_label_text(resolved, scratch, ",", is_guarded=False)
        kinds = (
            "{'item': 'VARCHAR', 'label': 'VARCHAR', 'source': 'VARCHAR', 'probability': 'DOUBLE'}"
        )
        session.save_parquet(
            f"SELECT * FROM read_csv({session.safe_path(scratch)}, header = true, delim = ',', "
            f"quote = '\"', escape = '\"', columns = {kinds}, auto_detect = false)",
            path,
        )
