"""What readers of exports share: records, columns by name, choices in cells, refused values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from consilience.core.cell_values import LONGEST_LITERAL, as_python_literal
from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.exports.export_entries import Annotations
from consilience.io.exports.registry import ExportOptions, Sample
from consilience.io.files.parsing import parse_json
from consilience.io.files.source import Source

# ---- values and records

MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


def odd(what: str, expectation: str, got: object, place: str, hint: str = "") -> InputError:
    """Build the sentence that refuses a value: its kind is told, for it may be personal."""
    told = Said("nothing" if got is None else _kind(got))
    return InputError.expected(what, expectation, told, hint or "check the export", where=place)


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"the number {value}"[:60]
    for known, words in ((dict, "an object"), (list, "a list"), (str, "a text")):
        if isinstance(value, known):
            return words
    return type(value).__name__


def object_in(value: object) -> dict[str, Any]:
    """Return an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def checked_object(value: object, what: str, place: str) -> dict[str, Any]:
    """Return an object; refuse anything else."""
    if not isinstance(value, dict):
        raise odd(what, "an object", value, place)
    return value


def checked_list(value: object, what: str, place: str) -> list[Any]:
    """Return a list; refuse anything else."""
    if not isinstance(value, list):
        raise odd(what, "a list", value, place)
    return value


def chosen(labels: Iterable[object]) -> object:
    """Return one choice as it is, several as a set, none as None."""
    kept = list(dict.fromkeys(labels))
    if not kept:
        return None
    return kept[0] if len(kept) == 1 else frozenset(kept)


def words_of(value: object, what: str, place: str) -> list[str]:
    """Return a list of texts; a list inside the list is a path through a tree of choices."""
    if not isinstance(value, list):
        raise odd(what, "a list of texts", value, place)
    words = []
    for part in value:
        if isinstance(part, list) and all(isinstance(step, (str, int, float)) for step in part):
            words.append(" / ".join(str(step).strip() for step in part))
        elif isinstance(part, (str, int, float)):
            words.append(str(part).strip())
        else:
            raise odd(what, "a list of texts", part, place)
    return [word for word in words if word]


def from_cell(cell: str, place: str) -> Any:
    """Return what a cell holds: a list or an object where it begins like one, else its text."""
    if cell[:1] not in ("[", "{"):
        return cell
    if len(cell) > LONGEST_LITERAL:
        raise odd("a cell", f"at most {LONGEST_LITERAL:,} characters long", cell, place)
    try:
        json.loads(cell)
    except (ValueError, RecursionError):
        value = as_python_literal(cell)
        return cell if value is None else value
    return parse_json(cell, place)


def records_of(
    source: Source, options: ExportOptions, tables: tuple[str, ...] = (".csv", ".tsv")
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every record of every file with its place; cells of a table that are empty are None."""
    for member in source.members:
        if member.head(4) == b"PAR1":
            yield from parquet_records(Path(member.where))
        elif member.suffix in tables:
            table = member.table(delimiter=options.delimiter, encoding=options.encoding)
            for place, row in table.records():
                yield place, {name: from_cell(cell, place) or None for name, cell in row.items()}
        else:
            yield from member.records(encoding=options.encoding)


def parquet_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of a Parquet file by column name, each with its place."""
    from consilience.core.database import Session

    with Session(str(path)) as session:
        cursor = session.run(
            f"SELECT * FROM read_parquet({session.safe_path(path)}, hive_partitioning = false)"
        )
        names = [one[0] for one in cursor.description]
        number = 0
        while rows := cursor.fetchmany(10_000):
            for row in rows:
                number += 1
                yield f"{path}, row {number:,}", dict(zip(names, row, strict=True))


def looked_at(sample: Sample, suffixes: Sequence[str], most: int = 3) -> list[Sample]:
    """Return the file itself, or the first few files with such an ending inside an archive."""
    names = [name for name in sample.members() if name.lower().endswith(tuple(suffixes))]
    if sample.members():
        return [sample.member(name) for name in names[:most]]
    return [sample]


def first_records(sample: Sample, suffixes: Sequence[str], page: str = "") -> list[dict[str, Any]]:
    """Return the first records of the first file, or the columns of a table as one of them.

    A lone record with a list called `page` stands for the records in that list.
    """
    for one in looked_at(sample, suffixes, most=1):
        records = one.records()
        if not records and one.columns():
            return [dict.fromkeys(one.columns())]
        inside = records[0].get(page) if len(records) == 1 else None
        if isinstance(inside, list):
            return [record for record in inside if isinstance(record, dict)]
        return records
    return []


def warn_of_mails(found: Annotations) -> None:
    """Say that raters are called by their addresses, without repeating any."""
    named = {rater for rater in found.rater if len(rater) < 400 and MAIL.fullmatch(rater)}
    if named:
        found.note(
            "raters_named_by_mail",
            f"{len(named):,} {'rater is' if len(named) == 1 else 'raters are'} called by an "
            "e-mail address, which is personal data. Pass --anonymise before you share results.",
        )


# ---- columns and choices

TABLES = (".csv", ".tsv", ".txt")
YES = frozenset(("true", "1", "yes", "on", "checked"))

Row = dict[str, str]


def rows_of(source: Source, options: ExportOptions) -> Iterator[tuple[str, Row]]:
    """Yield every row of every file with its place, blanks around the cells removed."""
    members = source.members
    if len(members) > 1:  # an archive may hold pictures and a codebook beside the table
        members = tuple(one for one in members if one.suffix in TABLES) or members
    for member in members:
        table = member.table(delimiter=options.delimiter, encoding=options.encoding)
        for place, row in table.records():
            yield place, {name: cell.strip() for name, cell in row.items()}


def column_of(
    columns: Sequence[str], wished: str, option: str, where: str, prefixes: Sequence[str] = ("",)
) -> str:
    """Return the column that was named, with or without the platform's prefix."""
    for prefix in ("", *prefixes):
        if prefix + wished in columns:
            return prefix + wished
    raise InputError.unknown_word(f"{where}: {option}", wished, columns)


def wished_for(name: str, column: str, options: ExportOptions) -> bool:
    """Tell whether a variable was asked for, by its own name or by the name of its column."""
    return not options.label or name in options.label or column in options.label


def is_yes(cell: object) -> bool:
    """Tell whether a cell says that something is so."""
    return cell is True or (isinstance(cell, str) and cell.strip().casefold() in YES)


def several_in_cells(cells: Sequence[str], separator: str) -> bool:
    """Tell whether cells that hold the separator are several choices rather than one text.

    Choices recur: most parts stand in at least two different cells. Words of a text seldom do.
    """
    different = set(cells)
    joined = [cell for cell in different if separator in cell]
    if not joined:
        return False
    seen: dict[str, int] = {}
    for cell in different:
        for part in set(parts_of(cell, separator)):
            seen[part] = seen.get(part, 0) + 1
    parts = {part for cell in joined for part in parts_of(cell, separator)}
    return 2 * sum(seen[part] > 1 for part in parts) > len(parts)


def parts_of(cell: str, separator: str) -> list[str]:
    """Cut a cell into the choices in it."""
    return [part for piece in cell.split(separator) if (part := piece.strip())]


class Choices:
    """The options of one question over all rows: yes or no each, and what they amount to.

    One option alone is a box that is ticked or not; of several either one is chosen (buttons),
    or any number (boxes): boxes where somebody ticked two.
    """

    def __init__(self, *, several: bool = False) -> None:
        self.several = several  # any number may be chosen, whether or not somebody chose two
        self.options: dict[str, None] = {}
        self.most = 0
        self.says_no = False

    def meet(self, given: Mapping[str, object]) -> None:
        """Take note of one answer."""
        self.options.update(dict.fromkeys(given))
        self.says_no |= any(cell not in (None, "") and not is_yes(cell) for cell in given.values())
        self.most = max(self.most, sum(map(is_yes, given.values())))

    @property
    def is_box(self) -> bool:
        """There is one option only."""
        return len(self.options) == 1 and not self.several

    def label(self, given: Mapping[str, object]) -> object:
        """Return the answer: True or False, one option, a set of them, or None without any."""
        if not any(cell not in (None, "") for cell in given.values()):
            # a box that never says no is empty where it was not ticked
            return False if given and self.is_box and not self.says_no else None
        chosen = [option for option, cell in given.items() if is_yes(cell)]
        if self.is_box:
            return bool(chosen)
        if self.several or self.most > 1:
            return frozenset(chosen)
        return chosen[0] if chosen else None
