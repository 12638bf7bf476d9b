"""The file formats: each lives in its own file and is registered with one decorator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from consilience.core.database import Session
from consilience.core.input_files import Said, check_paths
from consilience.core.registry import Registry
from consilience.exceptions import InputError
from consilience.io.files.limits import MOST_FILES
from consilience.io.files.source import Source
from consilience.io.files.text import open_raw
from consilience.io.table import Table

if TYPE_CHECKING:
    from consilience.io.exports import Export
    from consilience.io.options import Request

Loader = Callable[[Session, Sequence[Path], "Request"], Table]


@dataclass(frozen=True, kw_only=True)
class Format:
    """One file format: how to know it and how to load it."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    magic: bytes | None
    load: Loader
    fits: Callable[[Path], bool] | None = None  # a closer look than the first bytes allow
    experimental: bool = False
    offset: int = 0  # where `magic` stands

    def begins(self, head: bytes) -> bool:
        """Tell whether the first bytes of a file are those of this format."""
        return self.magic is not None and head[self.offset :].startswith(self.magic)


@dataclass(frozen=True)
class _Home:
    """Where a loader of ours lives, and what must be seen of a file before it is loaded."""

    module: str
    suffixes: tuple[str, ...]
    begins: tuple[bytes, ...] = ()
    offset: int = 0


_ZIP, _OLD_OFFICE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_OLD_STATA = tuple(bytes((release, order)) for release in (105, 108, 110, 111, 113, 114, 115)
                   for order in (1, 2))  # fmt: skip
_HOMES = {
    "delimited": _Home("consilience.io.grids.delimited", (".csv", ".tsv", ".tab", ".psv", ".txt")),
    "excel": _Home("consilience.io.grids._sheet_tables", (".xlsx", ".xlsm"), (_ZIP,)),
    "ods": _Home("consilience.io.grids._sheet_tables", (".ods",), (_ZIP,)),
    "xls": _Home("consilience.io.grids._sheet_tables", (".xls",), (_OLD_OFFICE,)),
    "json": _Home("consilience.io.grids.json_tables", (".json", ".jsonl", ".ndjson")),
    "parquet": _Home("consilience.io.grids._parquet_duckdb", (".parquet", ".pq"), (b"PAR1",)),
    "duckdb": _Home(
        "consilience.io.grids._parquet_duckdb", (".duckdb", ".ddb"), (b"DUCK",), offset=8
    ),
    "spss": _Home("consilience.io.grids._spss_stata", (".sav", ".zsav"), (b"$FL",)),
    "stata": _Home("consilience.io.grids._spss_stata", (".dta",), (b"<stata_dta>", *_OLD_STATA)),
}
FORMATS: Registry[Format] = Registry(
    "format",
    group="formats",
    homes={name: one.module for name, one in _HOMES.items()},
)
_ELSEWHERE = {
    # Events and spans are compared, not rated.
    **dict.fromkeys(
        (".eaf", ".textgrid", ".boris", ".ann", ".xmi", ".rttm", ".conll", ".iob", ".bio"),
        "compare events and spans with `consilience units`",
    ),
}
_SIGNATURES = {
    _ZIP: "a zip archive",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"SQLite format 3": "a SQLite database",
    _OLD_OFFICE: "an old or locked Office file",
}


def register(
    name: str,
    *,
    title: str,
    suffixes: tuple[str, ...],
    magic: bytes | None = None,
    fits: Callable[[Path], bool] | None = None,
    experimental: bool = False,
    offset: int = 0,
) -> Callable[[Loader], Loader]:
    """Register a loader for one format."""

    def keep(load: Loader) -> Loader:
        FORMATS.add(
            Format(
                name=name,
                title=title,
                suffixes=suffixes,
                magic=magic,
                load=load,
                fits=fits,
                experimental=experimental,
                offset=offset,
            )
        )
        return load

    return keep


def formats() -> dict[str, Format | Export]:
    """Return the file formats that `read` knows, by name: tables first, then exports.

    Each has a `title`, the usual `suffixes`, and says whether it is `experimental`: read by its
    description and not yet tried on real files.

    Returns
    -------
    dict
        Name to format.

    Examples
    --------
    >>> formats()["parquet"].suffixes
    ('.parquet', '.pq')
    >>> formats()["prodigy"].title
    'Prodigy (JSON lines)'
    """
    from consilience.io.exports import exports

    return {**FORMATS, **exports()}


def format_named(word: str) -> str:
    """Return the name of a format of tables or of an export, however it is spelt."""
    from consilience.io.exports.registry import EXPORTS

    found = FORMATS.find(word) or EXPORTS.find(word)
    if found is None:
        raise InputError.unknown_word("format", word, formats())
    return found


def table_formats() -> dict[str, Format]:
    """Return the formats that hold a table."""
    return dict(FORMATS)


def table_files(source: Source) -> Sequence[Path]:
    """Return the files; a folder stands for the tables in it, one per rater or alike."""
    found: list[Path] = []
    for path in source.paths:
        found.extend(_inside(path) if path.is_dir() else [path])
    return check_paths(found)


def _inside(folder: Path) -> list[Path]:
    endings = {suffix for one in FORMATS.values() for suffix in one.suffixes}
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise InputError.expected(
            "the folder", "one you may read", str(error.strerror), "change it", where=str(folder)
        ) from None
    tables = [
        path
        for path in files
        if not path.name.startswith(".")
        and Path(path.name.lower().removesuffix(".gz")).suffix in endings
    ]
    if not tables or len(tables) > MOST_FILES:
        listed = ", ".join(path.name for path in files[:4]) or "no files"
        raise InputError.expected(
            "the folder",
            "an export, or a folder of tables",
            Said(listed if not tables else f"{len(tables):,} tables"),
            "name the files with the ratings",
            where=str(folder),
        )
    return tables


def format_of(paths: Sequence[Path], name: str | None = None) -> Format:
    """Find the one format of all the files; refuse a mixture and what is not supported."""
    if name is not None:
        return FORMATS[name]
    found = [_format_of(path) for path in paths]
    if len({one.name for one in found}) > 1:
        listed = ", ".join(f"{path} ({one.name})" for path, one in zip(paths, found, strict=True))
        raise InputError.expected(
            "the files", "of one format", Said(listed), "read them one by one and merge the ratings"
        )
    return found[0]


def _format_of(path: Path) -> Format:
    suffix = path.with_suffix("").suffix if path.suffix.lower() == ".gz" else path.suffix
    suffix = suffix.lower()
    with open_raw(path) as stream:
        head = stream.read(16)
    asked = [FORMATS[name] for name in FORMATS if _may_fit(name, suffix, head)]
    for one in asked:
        if one.begins(head) and (one.fits is None or one.fits(path)):
            return one
    is_office = head.startswith(_OLD_OFFICE)
    if suffix == ".xls" and not is_office:
        return _not_a_workbook(path, head)
    for one in asked:
        if suffix in one.suffixes and one.magic is not None and not is_office:
            raise InputError.expected(
                "the file",
                f"{one.title}, as its name says",
                Said(f"a file that starts with {head[:8]!r}"),
                "check that it was copied completely",
                where=str(path),
            )
    for signature, what in _SIGNATURES.items():
        if head.startswith(signature):
            hint = _ELSEWHERE.get(suffix, "export the ratings as CSV")
            if is_office:
                hint = "save it without a password as .xlsx, or save the sheet as CSV"
            raise InputError.expected("the file", _supported(), Said(what), hint, where=str(path))
    if suffix in _ELSEWHERE:
        raise InputError.expected(
            "the file", _supported(), Said(f"a {suffix} file"), _ELSEWHERE[suffix], where=str(path)
        )
    if _looks_like_json(head, suffix):
        return FORMATS["json"]
    for one in asked:
        if suffix in one.suffixes:
            return one
    return FORMATS["delimited"]


def _may_fit(name: str, suffix: str, head: bytes) -> bool:
    """Tell whether a format is worth loading for a file; those of others always are."""
    home = _HOMES.get(name)
    begins = home is not None and head[home.offset :].startswith(home.begins)
    return home is None or suffix in home.suffixes or begins


def _not_a_workbook(path: Path, head: bytes) -> Format:
    """Take a file that is only called .xls for what it is: programs write text under that name."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"<", b"PK")):
        what = "a web page or XML called .xls" if start.startswith(b"<") else "a damaged archive"
        raise InputError.expected(
            "the file",
            _supported(),
            Said(what),
            "open it in the spreadsheet program and save it as .xlsx",
            where=str(path),
        )
    return FORMATS["delimited"]


def _looks_like_json(head: bytes, suffix: str) -> bool:
    """Tell whether a file holds JSON, whatever it is called; no table starts in these ways."""
    start = b"".join(head.removeprefix(b"\xef\xbb\xbf").split())
    surely = start.startswith((b'{"', b'[{"'))
    return surely or (not suffix and start.startswith((b"{", b"[")))


def _supported() -> str:
    return " or ".join(one.title for one in FORMATS.values())
