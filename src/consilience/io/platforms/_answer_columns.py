"""What the tables of crowd platforms and forms share: columns by name, and choices in cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from consilience.exceptions import InputError
from consilience.io.bytes._source import Source
from consilience.io.platforms._export_registry import ExportOptions

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
