"""The sheets of an Excel workbook (.xlsx, .xlsm): the values in their cells, within a budget.

Only cells that exist are kept, so a lone one in the last corner costs nothing. Formulas count by
the value that was last calculated; macros and links to other files are not looked at.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path, PurePosixPath

from consilience.io.bytes._guarded import refused
from consilience.io.bytes._source import Member, Source
from consilience.io.tables.sheets._workbook_cells import Book, Budget, Cells, Sheet
from consilience.io.tables.sheets._workbook_xml import check_sizes, parse_xml

_DATES = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
_NOT_DATE = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h|m|s)[^\]]*\]', re.IGNORECASE)
_IN_DATE = re.compile(r"[dmyhs]", re.IGNORECASE)


def is_workbook(path: Path) -> bool:
    """Tell whether a zip archive is an Excel workbook."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(_is_main(name) for name in archive.namelist())
    except Exception:  # damaged archives make zipfile raise anything
        return False


def _is_main(name: str) -> bool:
    return PurePosixPath(name).name == "workbook.xml"


def read_workbook(path: Path) -> list[Sheet]:
    """Return all sheets, the hidden and the empty ones too."""
    check_sizes(path)
    return sheets_of(Source((path,)).files[0])


def sheets_of(file: Member) -> list[Sheet]:
    """Return the sheets of a workbook that is a file on disk or inside an archive."""
    parts = {member.name: member for member in file.members()}
    main = next((name for name in parts if _is_main(name)), None)
    if main is None:
        raise refused(
            file.where, "the file", "an Excel workbook (.xlsx)", "a zip archive without sheets",
            "save it again as .xlsx, or as CSV",
        )  # fmt: skip
    folder = PurePosixPath(main).parent
    book = _book(parts[main])
    targets = _targets(parts.get(str(folder / "_rels" / "workbook.xml.rels")), folder)
    book.shared = _shared(parts.get(str(folder / "sharedStrings.xml")))
    book.dates = _date_styles(parts.get(str(folder / "styles.xml")))
    budget = Budget(file.where)
    sheets = []
    for name, state, key in book.sheets:
        part = parts.get(targets.get(key, ""))
        if part is not None:  # a sheet of nothing but a chart has none
            sheet = Sheet(name, hidden=state != "visible")
            cells = Cells(sheet, book, budget)
            parse_xml(part, cells.start, cells.end, cells.text)
            sheets.append(sheet)
    return sheets


# -------------------------------------------------------------------- parts besides the sheets


def _book(part: Member) -> Book:
    book = Book()

    def start(name: str, given: dict[str, str]) -> None:
        if name == "sheet":
            key = next((v for k, v in given.items() if k.rpartition(":")[2] == "id"), "")
            book.sheets.append((given.get("name", ""), given.get("state", "visible"), key))
        elif name == "workbookPr":
            book.is_1904 = given.get("date1904") in ("1", "true")

    parse_xml(part, start)
    return book


def _targets(part: Member | None, folder: PurePosixPath) -> dict[str, str]:
    """Return where each sheet lies in the archive."""
    targets: dict[str, str] = {}

    def start(name: str, given: dict[str, str]) -> None:
        if name == "Relationship" and given.get("Type", "").endswith("/worksheet"):
            target = given.get("Target", "")
            place = target[1:] if target.startswith("/") else str(folder / target)
            targets[given.get("Id", "")] = place

    if part is not None:
        parse_xml(part, start)
    return targets


def _shared(part: Member | None) -> list[str]:
    """Return the texts that cells refer to by number; hints for pronunciation are no part."""
    texts: list[str] = []
    pieces: list[str] = []
    state = {"t": False, "rPh": False}

    def start(name: str, _: dict[str, str]) -> None:
        if name in state:
            state[name] = True
        elif name == "si":
            pieces.clear()

    def end(name: str) -> None:
        if name in state:
            state[name] = False
        elif name == "si":
            texts.append("".join(pieces))

    def text(data: str) -> None:
        if state["t"] and not state["rPh"]:
            pieces.append(data)

    if part is not None:
        parse_xml(part, start, end, text)
    return texts


def _date_styles(part: Member | None) -> frozenset[int]:
    """Return the numbers of the cell styles that show a number as a date or a time."""
    own: set[int] = set()
    found: list[int] = []
    inside = False

    def start(name: str, given: dict[str, str]) -> None:
        nonlocal inside
        if name == "numFmt":
            if _IN_DATE.search(_NOT_DATE.sub("", given.get("formatCode", ""))):
                own.add(int(given.get("numFmtId", "-1")))
        elif name == "cellXfs":
            inside = True
        elif name == "xf" and inside:
            found.append(int(given.get("numFmtId", "0")))

    def end(name: str) -> None:
        nonlocal inside
        if name == "cellXfs":
            inside = False

    if part is not None:
        parse_xml(part, start, end)
    return frozenset(k for k, number in enumerate(found) if number in own or number in _DATES)
