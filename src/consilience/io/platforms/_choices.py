"""What readers of exports share: several choices as one label, and how they refuse a value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from consilience.core.cell_values import LONGEST_LITERAL, as_python_literal
from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.bytes._guarded import parse_json
from consilience.io.bytes._source import Source
from consilience.io.platforms._export_registry import ExportOptions, Sample
from consilience.io.platforms.export_entries import Annotations

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


def warn_of_mails(found: Annotations) -> None:
    """Say that raters are called by their addresses, without repeating any."""
    named = {rater for rater in found.rater if len(rater) < 400 and MAIL.fullmatch(rater)}
    if named:
        found.note(
            "raters_named_by_mail",
            f"{len(named):,} {'rater is' if len(named) == 1 else 'raters are'} called by an "
            "e-mail address, which is personal data. Pass --anonymise before you share results.",
        )
