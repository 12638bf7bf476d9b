"""The file formats: each lives in its own file and is registered with one decorator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from consilience.exceptions import InputError
from consilience.io.bytes.looks import open_raw
from consilience.io.bytes.paths import Said
from consilience.io.tables.session import Session
from consilience.io.tables.table import Table

if TYPE_CHECKING:
    from consilience.io.platforms import Export


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """How to take delimited text and workbooks; None or empty means: find out."""

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    sheets: tuple[str | int, ...] = ()
    shape: str | None = None  # for formats that can be laid out in two ways
    is_plain: bool = False  # nothing stands before the names and the data
    folders_are_columns: bool = False  # as in ratings/day=1/part.parquet


Loader = Callable[[Session, Sequence[Path], TextOptions], Table]


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


_FORMATS: dict[str, Format] = {}
_ELSEWHERE = {
    # Events and spans are compared, not rated.
    **dict.fromkeys(
        (".eaf", ".textgrid", ".boris", ".ann", ".xmi", ".rttm", ".conll", ".iob", ".bio"),
        "compare events and spans with `consilience units`",
    ),
}
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_SIGNATURES = {
    b"PK\x03\x04": "a zip archive",
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
) -> Callable[[Loader], Loader]:
    """Register a loader for one format."""

    def keep(load: Loader) -> Loader:
        _FORMATS[name] = Format(
            name=name,
            title=title,
            suffixes=suffixes,
            magic=magic,
            load=load,
            fits=fits,
            experimental=experimental,
        )
        return load

    return keep


def formats() -> dict[str, Format | Export]:
    """Return the file formats that `read` knows, by name: tables first, then exports.

    Each has a `title`, the usual `suffixes`, and says whether it is `experimental`: read by its
    description and not yet tried on real files.

    Examples
    --------
    >>> formats()["parquet"].suffixes
    ('.parquet', '.pq')
    >>> formats()["prodigy"].title
    'Prodigy (JSON lines)'
    """
    from consilience.io.platforms import exports

    return {**_FORMATS, **exports()}


def table_formats() -> dict[str, Format]:
    """Return the formats that hold a table."""
    return dict(_FORMATS)


def format_of(paths: Sequence[Path], name: str | None = None) -> Format:
    """Find the one format of all the files; refuse a mixture and what is not supported."""
    if name is not None:
        return _FORMATS[name]
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
    for one in _FORMATS.values():
        begins = one.magic is not None and head.startswith(one.magic)
        if begins and (one.fits is None or one.fits(path)):
            return one
    is_office = head.startswith(_OLD_OFFICE)
    if suffix == ".xls" and not is_office:
        return _not_a_workbook(path, head)
    for one in _FORMATS.values():
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
        return _FORMATS["json"]
    for one in _FORMATS.values():
        if suffix in one.suffixes:
            return one
    return _FORMATS["delimited"]


def _not_a_workbook(path: Path, head: bytes) -> Format:
    """Take a file that is only called .xls for what it is: programs write text under that name."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"<", b"PK")):
        what = "a web page or XML called .xls" if start.startswith(b"<") else "a damaged archive"
        raise InputError.expected(
            "the file", _supported(), Said(what),
            "open it in the spreadsheet program and save it as .xlsx", where=str(path),
        )  # fmt: skip
    return _FORMATS["delimited"]


def _looks_like_json(head: bytes, suffix: str) -> bool:
    """Tell whether a file holds JSON, whatever it is called; no table starts in these ways."""
    start = b"".join(head.removeprefix(b"\xef\xbb\xbf").split())
    surely = start.startswith((b'{"', b'[{"'))
    return surely or (not suffix and start.startswith((b"{", b"[")))


def _supported() -> str:
    return " or ".join(one.title for one in _FORMATS.values())
